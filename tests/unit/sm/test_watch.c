// SPDX-License-Identifier: MIT
/*
 * What a host that watches is told (sm/watch.h): each event once and with what it says, in order;
 * results and times are the same as without.
 */
#include <stdio.h>

#include "block_rig.h"
#include "device/device.h"
#include "sm/lanes.h"
#include "sm/warps.h"

/** struct seen - all that was told, as text */
struct seen {
	char text[1 << 16];
	size_t length;
	u64 launches, blocks;		/* that are not over */
	u64 stored[32];			/* values of the last store */
};

static void say(struct seen *seen, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct seen *seen, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	seen->length += (size_t)vsnprintf(seen->text + seen->length,
					  sizeof(seen->text) - seen->length, format, arguments);
	va_end(arguments);
	assert_true(seen->length < sizeof(seen->text));
}

static void *launch_begin(void *host, const struct vgpu_watch_launch *what)
{
	struct seen *seen = host;

	assert_int_equal(what->id, 1);
	assert_int_equal(what->seq, 1);
	assert_true(what->code_count > 4);
	say(seen, "launch %u of %u, %u shared;", what->grid[0], what->threads, what->shared_bytes);
	seen->launches++;
	return seen;
}

static void launch_end(void *host, void *launch)
{
	struct seen *seen = host;

	assert_ptr_equal(launch, seen);
	seen->launches--;
}

static void *block_begin(void *host, void *launch, u64 index, const u32 *at)
{
	struct seen *seen = host;

	assert_ptr_equal(launch, seen);
	assert_int_equal(at[0], index);
	seen->blocks++;
	return (void *)(uintptr_t)(index + 1);
}

static void block_end(void *host, void *block, bool dropped)
{
	struct seen *seen = host;

	say(seen, "%s%u;", dropped ? "dropped " : "end ", (u32)(uintptr_t)block - 1);
	seen->blocks--;
}

static void access_made(void *host, const struct vgpu_watch_warp *w,
			const struct vgpu_watch_access *a)
{
	u32 first = (u32)__builtin_ctz(a->lanes), last = 31 - (u32)__builtin_clz(a->lanes);
	struct seen *seen = host;

	say(seen, "%s%c%c%u:%x %llx-%llx;", a->failed ? "failed " : "", "RWA"[a->kind],
	    "GSL"[a->space], w->warp, a->lanes, (unsigned long long)a->address[first],
	    (unsigned long long)a->address[last]);
	for (u32 l = 0; a->value && a->bytes == 4 && l < 32; l++)
		seen->stored[l] = ((const u32 *)a->value)[l];
	assert_true(!a->value == (a->kind != VGPU_WATCH_WRITE));
}

static void fence(void *host, const struct vgpu_watch_warp *w, u32 pc, u32 lanes, u32 order,
		  u32 scope)
{
	(void)pc;
	say(host, "fence%u:%x %u %u;", w->warp, lanes, order, scope);
}

static void sync_arrive(void *host, const struct vgpu_watch_warp *w,
			const struct vgpu_watch_sync *sync)
{
	say(host, "at%u:%x %x;", w->warp, sync->lanes, sync->mask[__builtin_ctz(sync->lanes)]);
}

static void sync_met(void *host, const struct vgpu_watch_warp *w,
		     const struct vgpu_watch_sync *sync)
{
	say(host, "met%u:%x;", w->warp, sync->lanes);
}

static void barrier_arrive(void *host, const struct vgpu_watch_warp *w,
			   const struct vgpu_watch_barrier *barrier)
{
	say(host, "bar%u:%x of %x;", w->warp, barrier->lanes, w->live);
}

static void barrier_leave(void *host, void *block, u32 id, const u32 *warps)
{
	(void)block;
	say(host, "go %u:%x;", id, warps[0]);
}

static void exited(void *host, const struct vgpu_watch_warp *w, u32 pc, u32 lanes)
{
	(void)pc;
	say(host, "exit%u:%x of %x;", w->warp, lanes, w->live);
}

static void fault(void *host, const struct vgpu_watch_warp *w, const struct vgpu_watch_fault *what)
{
	say(host, "fault%u lane %u reason %u;", w->warp, what->lane, what->reason);
}

static const struct vgpu_watch_ops ops = {
	.launch_begin = launch_begin,
	.launch_end = launch_end,
	.block_begin = block_begin,
	.block_end = block_end,
	.access = access_made,
	.fence = fence,
	.sync_arrive = sync_arrive,
	.sync = sync_met,
	.barrier_arrive = barrier_arrive,
	.barrier_leave = barrier_leave,
	.exit = exited,
	.fault = fault,
};

/* As a device is made whose host has the table. */
static void watch(struct rig *r, struct seen *seen)
{
	struct vgpu_exec *exec = &r->h->dev->exec;

	exec->sm_env.watch = (struct vgpu_watch){ &ops, seen };
	for (u32 n = 0; n < r->h->config.sms; n++)
		exec->sms[n].run->interpreter = vgpu_lanes_run_watched;
}

/* One block of @threads runs @v. Returns what was told, for free(). */
static struct seen *told(const struct vass *v, u32 threads)
{
	struct seen *seen = calloc(1, sizeof(*seen));
	struct rig r = start(NULL);
	u32 *out, plain[64];
	u64 time;

	program(&r, v);
	out = (u32 *)result(&r, 1, threads);
	time = vgpu_device_now(r.h->dev);
	memcpy(plain, out, sizeof(plain));
	stop(&r);

	r = start(NULL);
	watch(&r, seen);
	program(&r, v);
	assert_memory_equal(result(&r, 1, threads), plain, sizeof(plain));
	assert_int_equal(vgpu_device_now(r.h->dev), time);
	assert_int_equal(seen->launches + seen->blocks, 0);
	stop(&r);
	return seen;
}

/* 40 threads: a full warp, and one of 8 lanes. */
static void test_barrier_and_shared(void **state)
{
	struct seen *seen;
	struct vass v;

	(void)state;
	prologue(&v, 16);
	v.kernel.shared_bytes = 256;
	OP(&v, STS, VASS_MEM(4, 1), 0, 6, 0, 0, 16);
	OP(&v, BAR, 0, 0, 0, 0, 0, 0);
	OP(&v, LDS, VASS_MEM(4, 1), 6, 6, 0, 0, 16);
	epilogue(&v, 6);
	seen = told(&v, 40);
	assert_string_equal(seen->text, "launch 1 of 40, 256 shared;"
					"WS0:ffffffff 10-8c;bar0:ffffffff of ffffffff;"
					"WS1:ff 90-ac;bar1:ff of ff;go 0:3;"
					"RS0:ffffffff 10-8c;WG0:ffffffff 10000000-1000007c;"
					"exit0:ffffffff of ffffffff;"
					"RS1:ff 90-ac;WG1:ff 10000080-1000009c;exit1:ff of ff;"
					"end 0;");
	for (u32 l = 0; l < 8; l++)
		assert_int_equal(seen->stored[l], 32 + l);
	free(seen);
}

/* The register that has the address gets the value; lanes of a guard; a fence; an atomic. */
static void test_guards_and_atomics(void **state)
{
	struct seen *seen;
	struct vass v;

	(void)state;
	prologue(&v, 16);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, 0, 0, 0, 4);
	OP(&v, ATOMG, VGPU_ATOM_ADD, 8, 4, 0, 0, 256);
	v.code[v.count - 1].mem = VGPU_MEM_V1_ATOMIC;
	vass_guard(&v, 0);
	OP(&v, MEMBAR, 0, 0, 0, 0, 0, 0);
	v.code[v.count - 1].mem = VGPU_MEM(VGPU_ORDER_SC, VGPU_SCOPE_GPU, 0);
	epilogue(&v, 0);
	seen = told(&v, 8);
	assert_string_equal(seen->text, "launch 1 of 8, 0 shared;"
					"AG0:f 10000100-1000010c;fence0:ff 5 2;"
					"WG0:ff 10000000-1000001c;exit0:ff of ff;end 0;");
	free(seen);
}

/* The lower half goes to shared memory, the others to their own. */
static void test_generic(void **state)
{
	struct seen *seen;
	struct vass v;

	(void)state;
	prologue(&v, 16);
	v.kernel.shared_bytes = 256;
	v.kernel.local_bytes = 256;
	OP(&v, ZXQ, 0, 10, 6, 0, 0, 0);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, 0, 0, 0, 16);
	OPI(&v, ADDQ, 12, 10, VGPU_LOCAL_WINDOW);
	OPI(&v, ADDQ, 12, 10, VGPU_SHARED_WINDOW);
	vass_guard(&v, 0);
	OP(&v, ST, VASS_MEM(4, 1), 0, 12, 0, 0, 8);
	epilogue(&v, 0);
	seen = told(&v, 32);
	assert_string_equal(seen->text, "launch 1 of 32, 256 shared;"
					"WS0:ffff 8-44;WL0:ffff0000 48-84;"
					"WG0:ffffffff 10000000-1000007c;"
					"exit0:ffffffff of ffffffff;end 0;");
	free(seen);
}

/* What is refused is told of all lanes, and then the fault. */
static void test_refused(void **state)
{
	struct seen *seen = calloc(1, sizeof(*seen));
	struct rig r = start(NULL);
	struct vass v;

	(void)state;
	prologue(&v, 16);
	OP(&v, STG, VASS_MEM(4, 1), 0, 4, 0, 0, 2);
	epilogue(&v, 0);
	watch(&r, seen);
	program(&r, &v);
	launch(&r, 1, 8, BASE, 0);
	host_run(r.h);
	assert_int_equal(the_fault(&r)->reason, VGPU_FAULT_MISALIGNED);
	assert_string_equal(seen->text, "launch 1 of 8, 0 shared;"
					"failed WG0:ff 10000002-1000001e;"
					"fault0 lane 0 reason 2;dropped 0;");
	assert_int_equal(seen->launches + seen->blocks, 0);
	stop(&r);
	free(seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_barrier_and_shared),
		cmocka_unit_test(test_guards_and_atomics),
		cmocka_unit_test(test_generic),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
