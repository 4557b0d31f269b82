// SPDX-License-Identifier: MIT
/*
 * How much the device computes while a copy of one page waits, beside kernels of another context
 * that fill it. The copy takes virtual time, so what the SMs do in that time comes before its end.
 * It is about a millisecond on average, whatever they execute, in units of work (sim/work.h) of
 * about a nanosecond each: the machine does not matter.
 */
#include "block_rig.h"
#include "mmu/tlb/tlb.h"

enum { COPIES = 26, MEAN = 1100000, MOST = 1600000, MANY = 20 };

/* A loop from @begin on. */
static void again(struct vass *v, u32 begin)
{
	OP(v, BRA, 0, 0, 0, 0, 0, (u64)VGPU_NO_RECONV << 32 | begin);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

/* ---- what ends at once -------------------------------------------------- */

static void ends(struct vass *v)
{
	vass_init(v, 32, 16);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

static void writes_and_ends(struct vass *v)
{
	vass_init(v, 8, 16);
	OP(v, STL, VASS_MEM(4, 1), 0, 0, 0, 0, 4096);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

/* ---- what goes on ------------------------------------------------------- */

static void adds(struct vass *v)
{
	vass_init(v, 16, 16);
	for (int i = 0; i < 80; i++)
		OP(v, ADD, 0, 2, 0, 0, 0, 0);
	again(v, 0);
}

static void divides(struct vass *v)
{
	vass_init(v, 16, 16);
	for (int i = 0; i < 80; i++)
		OP(v, DIVUQ, 0, 2, 0, 0, 0, 0);
	again(v, 0);
}

/* No two lanes match. */
static void matches(struct vass *v)
{
	vass_init(v, 16, 16);
	OP(v, SREG, 0, 0, 0, 0, 0, VGPU_SR_LANEID);
	OP(v, SREG, 0, 1, 0, 0, 0, VGPU_SR_LANEID);
	OP(v, MATCHQ, 0, 2, 0, 0, 0, 0);
	again(v, 2);
}

/* Every lane writes where none has written. */
static void new_local_memory(struct vass *v)
{
	vass_init(v, 8, 16);
	OP(v, SREG, 0, 0, 0, 0, 0, VGPU_SR_LANEID);
	OPI(v, SHL, 0, 0, 10);
	OP(v, STL, VASS_MEM(4, 1), 0, 0, 0, 0, 0);
	OPI(v, ADD, 0, 0, 1024 + 128);
	OPI(v, AND, 0, 0, (32 << 10) - 4);
	again(v, 2);
}

/* Each lane in a page of its own, all with one offset: the worst for a cache. */
static void spread_local_memory(struct vass *v)
{
	vass_init(v, 8, 16);
	OP(v, SREG, 0, 0, 0, 0, 0, VGPU_SR_LANEID);
	OPI(v, SHL, 0, 0, 10);
	for (int i = 0; i < 40; i++)
		OP(v, STL, VASS_MEM(4, 1), 0, 0, 0, 0, 0);
	again(v, 2);
}

static void spread_global_memory(struct vass *v)
{
	prologue(v, 16);
	OP(v, SREG, 0, 7, 0, 0, 0, VGPU_SR_LANEID);
	OPI(v, MADWU, 8, 7, VGPU_PAGE_SIZE);
	v->code[v->count - 1].c = 2;
	OP(v, LDG, VASS_MEM(4, 1), 12, 8, 0, 0, 0);
	again(v, v->count - 1);
}

/* No translation is found: 32 lanes on pages which share an entry of the TLB. */
static void collisions(struct vass *v)
{
	const u64 reach = (u64)VGPU_TLB_ENTRIES * VGPU_PAGE_SIZE;

	prologue(v, 16);
	OP(v, SREG, 0, 7, 0, 0, 0, VGPU_SR_NTID_X);
	OP(v, MAD, 0, 7, 1, 7, 0, 0);
	OPI(v, MADWU, 8, 7, reach);
	v->code[v->count - 1].c = 14;	/* zero */
	OPI(v, ANDQ, 8, 8, (512 << 20) - 4);
	OP(v, ADDQ, 0, 10, 8, 2, 0, 0);
	OP(v, LDG, VASS_MEM(4, 1), 12, 10, 0, 0, 0);
	OPI(v, ADDQ, 8, 8, 32 * reach + VGPU_PAGE_SIZE);
	again(v, v->count - 4);
}

/* ---- the copies --------------------------------------------------------- */

static void keep_total(void *arg, void *host, u32 context, u64 units, u64 total)
{
	(void)host, (void)context, (void)units;
	*(u64 *)arg = total;
}

/* Units since it was asked before. */
static u64 units(struct host *h)
{
	u64 total = 0;

	vgpu_system_work(vgpu_device_system(h->dev), keep_total, &total);
	return total;
}

/* Units until a page is copied for a context that comes for it and goes. */
static u64 copy(struct host *h)
{
	u32 context = host_open(h), queue = host_queue(h, context);
	size_t done;

	assert_int_equal(vgpu_memory_map(h->dev, context, BASE, VGPU_PAGE_SIZE), 0);
	units(h);
	host_push(h, context, queue, cmd_h2d(BASE, 0, VGPU_PAGE_SIZE));
	do {
		done = h->completion_count;
		vgpu_device_run(h->dev, VGPU_NEVER, 1);
	} while (done == h->completion_count || h->completions[done].context != context);
	vgpu_context_close(h->dev, context);
	return units(h);
}

struct kernel {
	const char *name;
	void (*program)(struct vass *v);
	u32 launches, blocks, threads, local;
};

static void beside(const struct kernel *k)
{
	struct rig r = start(NULL);
	u64 sum = 0, most = 0;
	struct vass v;

	k->program(&v);
	v.kernel.local_bytes = k->local;
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, BASE + BYTES, (512ull << 20)), 0);
	program(&r, &v);
	for (u32 n = 0; n < k->launches; n++)
		launch(&r, k->blocks, k->threads, BASE, 0);
	vgpu_device_run(r.h->dev, 20 * VGPU_US, ~0u);
	for (u32 i = 0; i < COPIES; i++) {
		u64 one;

		/* in the midst of what all SMs do at one virtual time, as it is in real time */
		vgpu_device_run(r.h->dev, VGPU_NEVER, 13 + i);
		one = copy(r.h);
		sum += one;
		most = one > most ? one : most;
	}
	if (sum / COPIES > MEAN || most > MOST)
		fail_msg("beside %s: %llu units on average, %llu at most", k->name, sum / COPIES,
			 most);
	/* there was something to wait for, to the end */
	assert_true(sum / COPIES > 1000);
	assert_int_equal(r.h->fault_count, 0);
	stop(&r);
}

static void copies(void **state)
{
	static const struct kernel kernels[] = {
		{ "additions", adds, 1, 104, 256, 0 },
		{ "divisions", divides, 1, 104, 256, 0 },
		{ "MATCHQ", matches, 1, 104, 256, 0 },
		{ "blocks that end at once", ends, 1, 20000, 1024, 0 },
		{ "blocks with local memory", ends, MANY, 520, 1024, 32 << 10 },
		{ "blocks that write a little of it", writes_and_ends, MANY, 520, 1024, 32 << 10 },
		{ "local memory that is written", new_local_memory, 1, 26, 64, 32 << 10 },
		{ "local memory in many pages", spread_local_memory, 1, 104, 256, 32 << 10 },
		{ "pages that a TLB has", spread_global_memory, 1, 104, 256, 0 },
		{ "pages that collide in a TLB", collisions, 1, 104, 256, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		beside(&kernels[i]);
}

/* Alone it waits for nothing. */
static void alone(void **state)
{
	struct host *h = host_new("k20c", NULL);

	(void)state;
	assert_int_equal(copy(h), 0);
	host_free(h);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(alone),
		cmocka_unit_test(copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
