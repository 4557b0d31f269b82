// SPDX-License-Identifier: MIT
/*
 * Warps that wait for pages (mmu/access.h), on a device whose pages come late: the rest of the SM
 * goes on, barriers are not mistaken for stuck, an SM that only waits costs no events, and a block
 * that waits can be preempted, killed, and robbed of what it waits for.
 */
#include <stdlib.h>
#include <string.h>

#include "../device/host.h"
#include "../device/manual.h"
#include "sm/warps.h"
#include "vass_build.h"

#define BASE	0x10000000ull
#define PAGES	1024u
#define OUT	(BASE + 0x10000000ull)	/* where results are stored */
#define PAGE	VGPU_PAGE_SIZE
#define LATE_US	50u
#define LATE	(LATE_US * VGPU_US)
#define WARPS	4u

struct rig {
	struct host *h;
	u32 context[2], queue[2], module[2];
};

/* One SM, two contexts; a page comes LATE after it is touched first. */
static struct rig start(void)
{
	struct rig r = { .h = host_new("k20c", "sms=1", "active_kernels=4",
				       "page_arrival_ps=50000000", NULL) };

	vgpu_exec_set_policy(&r.h->dev->exec, &manual_policy);
	for (u32 n = 0; n < 2; n++) {
		r.context[n] = host_open(r.h);
		r.queue[n] = host_queue(r.h, r.context[n]);
		assert_int_equal(vgpu_memory_map(r.h->dev, r.context[n], BASE, PAGES * PAGE), 0);
		assert_int_equal(vgpu_memory_map(r.h->dev, r.context[n], OUT, 16 * PAGE), 0);
	}
	return r;
}

static void load(struct rig *r, u32 n, const struct vass *v)
{
	char message[256] = "";
	u32 bytes;
	void *binary = vass_binary(v, &bytes);

	if (vgpu_module_load(r->h->dev, r->context[n], binary, bytes, message, sizeof(message),
			     &r->module[n]))
		fail_msg("%s", message);
	free(binary);
}

static void launch(struct rig *r, u32 n, u32 blocks, u32 threads)
{
	u64 params[2] = { BASE, OUT };
	struct vgpu_cmd cmd = { .op = VGPU_CMD_LAUNCH,
				.launch = { .module = r->module[n],
					    .grid = { blocks, 1, 1 },
					    .block = { threads, 1, 1 },
					    .param_bytes = 16,
					    .params = 0x1000 } };

	assert_int_equal(host_try(r->h, r->context[n], r->queue[n], &cmd, 0, params), 0);
}

/* R0 thread, R1 warp, Q2 base, Q4 where the thread stores its result */
static void prologue(struct vass *v)
{
	vass_init(v, 26, 16);
	OP(v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OPI(v, SHRU, 1, 0, 5);
	OP(v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OP(v, LDP, VASS_MEM(8, 1), 4, 0, 0, 0, 8);
	OP(v, SREG, 0, 6, 0, 0, 0, VGPU_SR_CTAID_X);
	OP(v, SREG, 0, 7, 0, 0, 0, VGPU_SR_NTID_X);
	OP(v, MAD, 0, 6, 6, 7, 0, 0);
	OPI(v, MADWU, 4, 6, 4);
	v->code[v->count - 1].c = 4;
}

/* Q8 = base + R7 pages */
static void page_address(struct vass *v)
{
	OPI(v, MADWU, 8, 7, (u32)PAGE);
	v->code[v->count - 1].c = 2;
}

static void epilogue(struct vass *v, u32 reg)
{
	OP(v, STG, VASS_MEM(4, 1), 0, 4, reg, 0, 0);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

/* Warp 0 reads a page; the others count to @rounds. All store what they have. */
static void one_waits(struct vass *v, u32 rounds, bool barrier)
{
	u32 top, branch;

	prologue(v);
	OPI(v, MUL, 10, 0, 3);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_NE | VGPU_F_IMM, 0, 1, 0, 0, 0);
	branch = OP(v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(v, 0);
	OP(v, MOV, VGPU_F_IMM, 7, 0, 0, 0, 3);
	page_address(v);
	OP(v, LDG, VASS_MEM(4, 1), 11, 8, 0, 0, 0);
	OP(v, ADD, 0, 10, 10, 11, 0, 0);
	vass_target(v, branch, v->count, v->count + 4);
	OP(v, MOV, VGPU_F_IMM, 12, 0, 0, 0, 0);
	top = OPI(v, ADD, 12, 12, 1);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 1, 12, 0, 0, rounds);
	OP(v, BRA, 0, 0, 0, 0, 0, (u64)(v->count + 1) << 32 | top);
	vass_guard(v, 1);
	if (barrier)
		OP(v, BAR, 0, 0, 0, 0, 0, 0);
	OP(v, ADD, 0, 10, 10, 12, 0, 0);
	epilogue(v, 10);
}

static struct vgpu_warps *warps_of(struct rig *r, u32 sm)
{
	return vgpu_sm_first(&r->h->dev->exec.sms[sm])->warps;
}

static void until_pending(struct rig *r, u32 sm, u32 count)
{
	while (!r->h->dev->exec.sms[sm].resident_count || warps_of(r, sm)->pending < count)
		assert_true(vgpu_device_run(r->h->dev, VGPU_NEVER, 1) != VGPU_NEVER);
}

/* Results of context @n to the start of memory, run to the end. */
static const u32 *results(struct rig *r, u32 n)
{
	host_push(r->h, r->context[n], r->queue[n], cmd_d2h(0, OUT, 16384));
	host_run(r->h);
	assert_int_equal(r->h->fault_count, 0);
	return (const u32 *)r->h->memory;
}

static void the_others_run_on(void **state)
{
	(void)state;
	for (u32 barrier = 0; barrier < 2; barrier++) {
		struct rig r = start();
		struct vgpu_sm *sm = &r.h->dev->exec.sms[0];
		u64 began, instructions;
		const u32 *out;
		struct vass v;

		one_waits(&v, 20, barrier);
		load(&r, 0, &v);
		launch(&r, 0, 1, WARPS * 32);
		until_pending(&r, 0, 1);
		began = r.h->dev->sim->now;
		instructions = sm->instructions;
		assert_int_equal(warps_of(&r, 0)->warp[0].state, VGPU_WARP_PENDING);
		/* The others come to their store, or to the barrier, while it waits. */
		vgpu_device_run(r.h->dev, began + LATE / 2, ~0u);
		assert_true(sm->instructions > instructions || warps_of(&r, 0)->pending == WARPS);
		assert_int_equal(warps_of(&r, 0)->warp[0].state, VGPU_WARP_PENDING);
		assert_int_equal(warps_of(&r, 0)->warp[1].state,
				 barrier ? VGPU_WARP_BARRIER : VGPU_WARP_PENDING);
		assert_int_equal(warps_of(&r, 0)->pending, barrier ? 1 : WARPS);
		out = results(&r, 0);
		for (u32 t = 0; t < WARPS * 32; t++)
			assert_int_equal(out[t], t * 3 + 20);
		/* the page that was read, the page that was stored to, after it or with it */
		assert_true(host_done(r.h, r.context[0], r.queue[0], 1)->time >= began + LATE);
		if (barrier)
			assert_true(host_done(r.h, r.context[0], r.queue[0], 1)->time >=
				    began + 2 * LATE);
		host_free(r.h);
	}
}

/* Between two events of the SM there is only the page. */
static void an_sm_that_waits_costs_no_events(void **state)
{
	struct rig r = start();
	struct vgpu_sm *sm = &r.h->dev->exec.sms[0];
	struct vgpu_device_stats before, after;
	struct vass v;
	u64 arrival;

	(void)state;
	one_waits(&v, 20, true);
	load(&r, 0, &v);
	launch(&r, 0, 1, WARPS * 32);
	until_pending(&r, 0, 1);
	while (vgpu_event_pending(&sm->step))
		vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
	assert_false(vgpu_warps_over(warps_of(&r, 0)));
	assert_null(vgpu_warps_stuck(warps_of(&r, 0)));
	assert_int_equal(vgpu_sm_halt(sm), r.h->dev->sim->now);
	sm->halted = false;
	vgpu_device_stats(r.h->dev, &before);
	/* nothing else is due before the page comes */
	arrival = r.h->dev->sim->now + vgpu_fault_left(&warps_of(&r, 0)->warp[0].waiter);
	assert_int_equal(vgpu_device_run(r.h->dev, r.h->dev->sim->now + 1, ~0u), arrival);
	vgpu_device_run(r.h->dev, arrival - 1, ~0u);
	vgpu_device_stats(r.h->dev, &after);
	assert_int_equal(before.events, after.events);
	/* It comes, and the SM goes on at that time. */
	vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
	assert_int_equal(warps_of(&r, 0)->pending, 0);
	assert_int_equal(vgpu_event_time(&sm->step), r.h->dev->sim->now);
	results(&r, 0);
	host_free(r.h);
}

/* Each lane its own page: all come at once, whatever the kind of the access. */
static void an_access_of_32_pages_waits_once(void **state)
{
	(void)state;
	for (u32 kind = 0; kind < 4; kind++) {
		struct rig r = start();
		u64 began;
		const u32 *out;
		struct vass v;

		prologue(&v);
		OPI(&v, MUL, 7, 0, 5);
		page_address(&v);
		OPI(&v, ADD, 10, 0, 100);
		if (kind == 0)
			OP(&v, LDG, VASS_MEM(4, 1), 10, 8, 0, 0, 0);
		else if (kind == 1)
			OP(&v, STG, VASS_MEM(4, 1), 0, 8, 10, 0, 0);
		else if (kind == 2)
			OP(&v, ATOMG, VGPU_ATOM_ADD, 10, 8, 10, 0, 0);
		else
			OP(&v, LD, VASS_MEM(4, 1), 10, 8, 0, 0, 0);
		epilogue(&v, 10);
		load(&r, 0, &v);
		host_push(r.h, r.context[0], r.queue[0], cmd_fill(BASE, PAGES * PAGE / 4, 7, 4));
		launch(&r, 0, 1, 32);
		until_pending(&r, 0, 1);
		began = r.h->dev->sim->now;
		assert_int_equal(vgpu_as_page_state(r.h->dev->exec.sms[0].as, BASE),
				 VGPU_PAGE_MOVING);
		assert_int_equal(vgpu_as_page_state(r.h->dev->exec.sms[0].as, BASE + 31 * 5 * PAGE),
				 VGPU_PAGE_MOVING);
		assert_int_equal(vgpu_as_page_state(r.h->dev->exec.sms[0].as, BASE + PAGE),
				 VGPU_PAGE_FRAME);
		out = results(&r, 0);
		for (u32 t = 0; t < 32; t++)
			assert_int_equal(out[t], kind == 1 ? t + 100 : 7);
		assert_true(host_done(r.h, r.context[0], r.queue[0], 2)->time <
			    began + 2 * LATE + LATE / 2);
		host_free(r.h);
	}
}

/* A generic access: some lanes global, some in shared memory, some in local memory. */
static void windows_are_not_waited_for(void **state)
{
	struct rig r = start();
	const u32 *out;
	u32 skip;
	struct vass v;

	(void)state;
	prologue(&v);
	v.kernel.shared_bytes = 256;
	v.kernel.local_bytes = 64;
	OPI(&v, SHL, 11, 0, 2);
	OPI(&v, ADD, 10, 0, 1000);
	OP(&v, STS, VASS_MEM(4, 1), 0, 11, 10, 0, 0);
	OP(&v, MOV, VGPU_F_IMM, 12, 0, 0, 0, 8);
	OP(&v, STL, VASS_MEM(4, 1), 0, 12, 10, 0, 0);
	/* lanes 0 to 9 global, 10 to 19 shared, 20 to 31 local: Q8 = where */
	OPI(&v, AND, 7, 0, 3);
	page_address(&v);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, 0, 0, 0, 10);
	skip = OP(&v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(&v, 0);
	OP(&v, MOVQ, VGPU_F_IMM, 14, 0, 0, 0, VGPU_SHARED_WINDOW);
	OPI(&v, MADWU, 8, 11, 1);
	v.code[v.count - 1].c = 14;
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_GE | VGPU_F_IMM, 1, 0, 0, 0, 20);
	OP(&v, MOVQ, VGPU_F_IMM, 8, 0, 0, 0, VGPU_LOCAL_WINDOW + 8);
	vass_guard(&v, 1);
	vass_target(&v, skip, v.count, v.count);
	OP(&v, LD, VASS_MEM(4, 1), 10, 8, 0, 0, 0);
	epilogue(&v, 10);
	load(&r, 0, &v);
	host_push(r.h, r.context[0], r.queue[0], cmd_fill(BASE, 4 * PAGE / 4, 7, 4));
	launch(&r, 0, 1, 32);
	out = results(&r, 0);
	for (u32 t = 0; t < 32; t++)
		assert_int_equal(out[t], t < 10 ? 7 : t + 1000);
	host_free(r.h);
}

/* Take the SM for the other context: the block is saved as it waits. */
static void preempt(struct rig *r)
{
	const struct vgpu_sm *sm = &r->h->dev->exec.sms[0];

	assert_int_equal(vgpu_device_knob_set(r->h->dev, "preemption", "switch"), 0);
	assert_int_equal(vgpu_exec_reserve(&r->h->dev->exec, 0, manual_kernel(r->h->dev, 2)), 0);
	while (sm->context != r->context[1] || !sm->resident_count)
		assert_true(vgpu_device_run(r->h->dev, VGPU_NEVER, 1) != VGPU_NEVER);
}

/* The other kernel runs for @rounds, so that the page comes before the block is back, or after. */
static void a_block_is_preempted_while_it_waits(void **state)
{
	static const u32 rounds[] = { 10, 20000 };

	(void)state;
	for (u32 n = 0; n < 2; n++) {
		struct rig r = start();
		struct vgpu_warps *warps;
		const u32 *out;
		struct vass v;

		one_waits(&v, 20, true);
		load(&r, 0, &v);
		one_waits(&v, rounds[n], true);
		load(&r, 1, &v);
		launch(&r, 0, 1, WARPS * 32);
		until_pending(&r, 0, 1);
		warps = warps_of(&r, 0);
		launch(&r, 1, 1, WARPS * 32);
		while (!manual_kernel(r.h->dev, 2))
			vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
		preempt(&r);
		assert_ptr_not_equal(warps_of(&r, 0), warps);
		assert_int_equal(warps->pending, 1);
		out = results(&r, 0);
		for (u32 t = 0; t < WARPS * 32; t++)
			assert_int_equal(out[t], t * 3 + 20);
		out = results(&r, 1);
		for (u32 t = 0; t < WARPS * 32; t++)
			assert_int_equal(out[t], t * 3 + rounds[n]);
		assert_int_equal(host_count_of(r.h, VGPU_TRACE_SAVE_END), 1);
		host_free(r.h);
	}
}

/* On its SM, or off it: nothing is woken that is gone. */
static void a_context_ends_while_it_waits(void **state)
{
	(void)state;
	for (u32 n = 0; n < 4; n++) {
		struct rig r = start();
		struct vgpu_fault fault = { .reason = VGPU_FAULT_TRAP };
		const u32 *out;
		struct vass v;

		one_waits(&v, 20, true);
		load(&r, 0, &v);
		load(&r, 1, &v);
		launch(&r, 0, 3, WARPS * 32);
		until_pending(&r, 0, 1);
		launch(&r, 1, 1, WARPS * 32);
		if (n & 1) {
			while (!manual_kernel(r.h->dev, 2))
				vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
			preempt(&r);
		}
		if (n & 2)
			assert_int_equal(vgpu_context_close(r.h->dev, r.context[0]), 0);
		else
			assert_int_equal(vgpu_context_end(r.h->dev, r.context[0], &fault), 0);
		host_push(r.h, r.context[1], r.queue[1], cmd_d2h(0, OUT, 16384));
		host_run(r.h);
		out = (const u32 *)r.h->memory;
		for (u32 t = 0; t < WARPS * 32; t++)
			assert_int_equal(out[t], t * 3 + 20);
		host_free(r.h);
	}
}

static void a_page_is_unmapped_while_it_is_waited_for(void **state)
{
	struct rig r = start();
	struct vass v;

	(void)state;
	one_waits(&v, 20, true);
	load(&r, 0, &v);
	launch(&r, 0, 1, WARPS * 32);
	until_pending(&r, 0, 1);
	while (vgpu_event_pending(&r.h->dev->exec.sms[0].step))
		vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
	assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context[0], BASE, PAGES * PAGE), 0);
	assert_int_equal(warps_of(&r, 0)->pending, 0);
	assert_int_equal(r.h->dev->mmu.faults.entered, 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 1);
	assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_UNMAPPED);
	assert_true(r.h->faults[0].address == BASE + 3 * PAGE);
	assert_int_equal(r.h->dead[0], r.context[0]);
	host_free(r.h);
}

/* Between two parts of it the page is still mapped, and is waited for again. */
static void a_page_is_unmapped_in_parts(void **state)
{
	struct rig r = start();
	struct vass v;
	int err;

	(void)state;
	one_waits(&v, 20, true);
	load(&r, 0, &v);
	host_push(r.h, r.context[0], r.queue[0], cmd_fill(BASE, 3 * PAGE, 7, 1));
	host_run(r.h);
	launch(&r, 0, 1, WARPS * 32);
	for (u32 part = 0; part < 3; part++) {
		until_pending(&r, 0, 1);
		err = vgpu_memory_unmap_part(r.h->dev, r.context[0], BASE, PAGES * PAGE, 1);
		assert_int_equal(err, -EAGAIN);
		assert_int_equal(warps_of(&r, 0)->pending, 0);
	}
	until_pending(&r, 0, 1);
	while ((err = vgpu_memory_unmap_part(r.h->dev, r.context[0], BASE, PAGES * PAGE, 1)))
		assert_int_equal(err, -EAGAIN);
	assert_int_equal(warps_of(&r, 0)->pending, 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 1);
	assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_UNMAPPED);
	assert_true(r.h->faults[0].address == BASE + 3 * PAGE);
	host_free(r.h);
}

/* Mapped anew, a page comes anew; unmapped elsewhere, nothing changes. */
static void a_mapping_comes_and_goes(void **state)
{
	struct rig r = start();
	struct vass v;
	u64 began;

	(void)state;
	one_waits(&v, 20, true);
	load(&r, 0, &v);
	launch(&r, 0, 1, WARPS * 32);
	until_pending(&r, 0, 1);
	assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context[1], BASE, PAGES * PAGE), 0);
	assert_int_equal(warps_of(&r, 0)->pending, 1);
	results(&r, 0);
	assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context[0], BASE, PAGES * PAGE), 0);
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context[0], BASE, PAGES * PAGE), 0);
	launch(&r, 0, 1, WARPS * 32);
	until_pending(&r, 0, 1);
	began = r.h->dev->sim->now;
	results(&r, 0);
	assert_true(host_done(r.h, r.context[0], r.queue[0], 3)->time >= began + LATE);
	/* the page it stores to was there */
	assert_true(host_done(r.h, r.context[0], r.queue[0], 3)->time < began + 2 * LATE);
	host_free(r.h);
}

/*
 * Every thread goes through pages of its own choice, adds what it finds and writes what it has: no
 * two threads share a word.
 */
static void wander(struct vass *v, u32 seed)
{
	u32 top;

	prologue(v);
	OPI(v, MUL, 10, 6, 2654435761u);
	OPI(v, ADD, 10, 10, seed);
	OPI(v, SHL, 13, 6, 2);
	OP(v, MOV, VGPU_F_IMM, 12, 0, 0, 0, 0);
	top = OPI(v, ADD, 12, 12, 1);
	OPI(v, MUL, 10, 10, 1664525);
	OPI(v, ADD, 10, 10, 1013904223);
	OPI(v, SHRU, 7, 10, 22);
	page_address(v);
	OPI(v, MADWU, 8, 13, 1);	/* its word of the page */
	v->code[v->count - 1].c = 8;
	OP(v, LDG, VASS_MEM(4, 1), 11, 8, 0, 0, 0);
	OP(v, ADD, 0, 10, 10, 11, 0, 0);
	OP(v, STG, VASS_MEM(4, 1), 0, 8, 10, 0, 0);
	OP(v, BAR, 0, 0, 0, 0, 0, 0);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, 12, 0, 0, 12);
	OP(v, BRA, 0, 0, 0, 0, 0, (u64)(v->count + 1) << 32 | top);
	vass_guard(v, 0);
	epilogue(v, 10);
}

/* SMs change hands at random while most warps wait; then single blocks are swapped too. */
static void preemptions_at_random_change_nothing(void **state)
{
	static const char *const delays[] = { "page_arrival_ps=0", "page_arrival_ps=300000",
					      "page_arrival_ps=3000000",
					      "page_arrival_ps=40000000" };
	static const char *const mechanisms[] = { "switch", "drain-then-switch", "flush",
						  "chimera" };
	u8 *expected = malloc(2 * 16384);

	(void)state;
	assert_non_null(expected);
	for (u64 seed = 0; seed < 64; seed++) {
		struct rig r = {
			.h = host_new("k20c", "sms=3", "active_kernels=8", "slice_ps=300000",
				      "memory_bandwidth=2000000000000", "drain_ps=500000",
				      delays[seed % 4],
				      seed < 32 ? "block_swap_ps=0" : "block_swap_ps=700000",
				      seed < 48 ? "block_swap_flush=0" : "block_swap_flush=1",
				      NULL),
		};
		struct vgpu_random random;
		size_t waited = 0;

		vgpu_random_seed(&random, seed);
		vgpu_exec_set_policy(&r.h->dev->exec, &manual_policy);
		vgpu_device_knob_set(r.h->dev, "preemption", mechanisms[seed / 4 % 4]);
		for (u32 n = 0; n < 2; n++) {
			struct vass v;

			r.context[n] = host_open(r.h);
			r.queue[n] = host_queue(r.h, r.context[n]);
			vgpu_memory_map(r.h->dev, r.context[n], BASE, PAGES * PAGE);
			vgpu_memory_map(r.h->dev, r.context[n], OUT, 16 * PAGE);
			wander(&v, n);
			v.kernel.shared_bytes = 5120;
			load(&r, n, &v);
			launch(&r, n, 8, 96);
			host_push(r.h, r.context[n], r.queue[n], cmd_d2h(n * 16384, OUT, 4 * 768));
		}
		while (vgpu_device_run(r.h->dev,
				       r.h->dev->sim->now +
					       vgpu_random_next(&random) % (4 * VGPU_US),
				       ~0u) != VGPU_NEVER) {
			u32 sm = (u32)(vgpu_random_next(&random) % 3);
			struct vgpu_ksr *ksr =
				manual_kernel(r.h->dev, 1 + (u32)(vgpu_random_next(&random) % 2));
			const struct vgpu_block *block = vgpu_sm_first(&r.h->dev->exec.sms[sm]);

			assert_true(vgpu_exec_check(&r.h->dev->exec));
			if (!ksr || !r.h->dev->exec.smst[sm].ksr)
				continue;
			waited += block && block->warps && block->warps->pending;
			assert_int_equal(vgpu_exec_reserve(&r.h->dev->exec, sm, ksr), 0);
		}
		assert_int_equal(r.h->fault_count, 0);
		assert_int_equal(r.h->completion_count, 4);
		if (!seed)
			memcpy(expected, r.h->memory, 2 * 16384);
		if (memcmp(expected, r.h->memory, 2 * 16384))
			fail_msg("seed %llu: the results differ", (unsigned long long)seed);
		assert_true(host_count_of(r.h, VGPU_TRACE_SAVE_END) +
				    host_count_of(r.h, VGPU_TRACE_BLOCK_FLUSH) >
			    3);
		if (seed % 4 > 1)
			assert_true(waited > 5);
		host_free(r.h);
	}
	free(expected);
}

/* What a translation costs delays the warp that needs it. */
static void a_walk_takes_its_time(void **state)
{
	u64 times[2];

	(void)state;
	for (u32 n = 0; n < 2; n++) {
		struct host *h = host_new("k20c", n ? "page_walk_ps=1000000" : "page_walk_ps=0",
					  NULL);
		struct rig r = { .h = h, .context = { host_open(h) } };
		struct vass v;

		r.queue[0] = host_queue(h, r.context[0]);
		vgpu_memory_map(h->dev, r.context[0], BASE, PAGES * PAGE);
		vgpu_memory_map(h->dev, r.context[0], OUT, 16 * PAGE);
		one_waits(&v, 20, true);
		load(&r, 0, &v);
		launch(&r, 0, 1, 32);
		host_run(h);
		times[n] = host_done(h, r.context[0], r.queue[0], 1)->time;
		host_free(h);
	}
	/* One page is read and one is written; times are whole cycles of 1.416 ns. */
	assert_in_range(times[1] - times[0], 2 * VGPU_US - 3000, 2 * VGPU_US + 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_others_run_on),
		cmocka_unit_test(an_sm_that_waits_costs_no_events),
		cmocka_unit_test(an_access_of_32_pages_waits_once),
		cmocka_unit_test(windows_are_not_waited_for),
		cmocka_unit_test(a_block_is_preempted_while_it_waits),
		cmocka_unit_test(a_context_ends_while_it_waits),
		cmocka_unit_test(a_page_is_unmapped_while_it_is_waited_for),
		cmocka_unit_test(a_page_is_unmapped_in_parts),
		cmocka_unit_test(a_mapping_comes_and_goes),
		cmocka_unit_test(preemptions_at_random_change_nothing),
		cmocka_unit_test(a_walk_takes_its_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
