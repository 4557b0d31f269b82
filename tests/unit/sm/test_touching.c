// SPDX-License-Identifier: MIT
/*
 * Profiled blocks that touch memory. On paper: one SM, faults in 64 KB that the host handles, 2 us
 * each and 5 us there and back. Times are from the first block's start. A context switch drains the
 * pipeline in 0.2 us and saves a block that fills the SM in 4 us, or one of two in 2.
 */
#include "../device/host.h"
#include "../device/manual.h"
#include "device/device.h"

#define BASE	0x10000000ull
#define GRANULE	0x10000u
#define US(n)	((n) * VGPU_US)
#define SAVE	US(4)
#define DRAIN	(VGPU_US / 5)

struct rig {
	struct host *h;
	u32 context[2], queue[2];
};

static struct rig start(const char *mechanism, const char *one, const char *two)
{
	struct rig r = { .h = host_new("k20c", "sms=1", "active_kernels=4",
				       "pipeline_drain_ps=200000", "allocation=lazy",
				       "memory_bandwidth=65536000000",
				       "link_bandwidth=16000000000", one, two, NULL) };

	vgpu_exec_set_policy(&r.h->dev->exec, &manual_policy);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "preemption", mechanism), 0);
	for (u32 n = 0; n < 2; n++) {
		r.context[n] = host_open(r.h);
		r.queue[n] = host_queue(r.h, r.context[n]);
		assert_int_equal(vgpu_memory_map(r.h->dev, r.context[n], BASE, 64 * GRANULE), 0);
	}
	return r;
}

/* Blocks of @us, @occupancy to an SM, that touch @bytes @touches times from @address on */
static struct vgpu_cmd cmd_touching(u64 blocks, u64 us, u32 occupancy, u32 touches, u32 bytes,
				    u64 address)
{
	struct vgpu_cmd cmd = cmd_profiled(blocks, US(us), occupancy);

	cmd.profiled.touches = touches;
	cmd.profiled.touch_bytes = bytes;
	cmd.profiled.touch_flags = VGPU_TOUCH_WRITE;
	cmd.profiled.touch_address = address;
	return cmd;
}

static void push(struct rig *r, u32 n, struct vgpu_cmd cmd)
{
	host_push(r->h, r->context[n], r->queue[n], cmd);
}

static struct vgpu_account account(struct rig *r)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_context_info(r->h->dev, r->context[0], &info), 0);
	return info.account;
}

/* Time of record @which, from 0, of @type for block @block of kernel 1, from its first start */
static u64 when(const struct rig *r, enum vgpu_trace_type type, u64 block, u32 which)
{
	u64 first = VGPU_NEVER;

	for (size_t i = 0; i < r->h->record_count; i++) {
		const struct vgpu_trace_record *record = &r->h->records[i];

		if (record->kernel != 1)
			continue;
		if (record->type == VGPU_TRACE_BLOCK_START && first == VGPU_NEVER)
			first = record->time;
		if (record->type == type && record->a == block && !which--)
			return record->time - first;
	}
	fail_msg("no record %u of block %llu", (unsigned int)type, (unsigned long long)block);
	return 0;
}

#define ENDS(r, block, time) \
	assert_int_equal(when(r, VGPU_TRACE_BLOCK_END, block, 0), time)

static void run_to(struct rig *r, u64 time)
{
	vgpu_device_run(r->h->dev, time, ~0u);
	assert_true(vgpu_exec_check(&r->h->dev->exec));
}

/* To the end, with a check after each event; nothing is left. */
static void finish(struct rig *r)
{
	while (vgpu_device_run(r->h->dev, VGPU_NEVER, 1) != VGPU_NEVER)
		assert_true(vgpu_exec_check(&r->h->dev->exec));
	assert_int_equal(r->h->dev->exec.idle_count, 1);
	assert_int_equal(r->h->dev->exec.save_area, 0);
	assert_int_equal(r->h->dev->exec.blocks, 0);
}

/* The first block of kernel 1 has started. Returns when. */
static u64 begin(struct rig *r)
{
	while (!host_count_of(r->h, VGPU_TRACE_BLOCK_START))
		vgpu_device_run(r->h->dev, VGPU_NEVER, 1);
	return r->h->dev->sim->now;
}

static void one_block_one_fault(void **state)
{
	struct rig r = start("none", NULL, NULL);

	(void)state;
	push(&r, 0, cmd_touching(1, 30, 1, 1, GRANULE, BASE));
	finish(&r);
	ENDS(&r, 0, US(42));
	assert_int_equal(account(&r).page_faults, 1);
	/* the page is there now */
	push(&r, 0, cmd_touching(1, 30, 1, 1, GRANULE, BASE));
	finish(&r);
	assert_int_equal(account(&r).page_faults, 1);
	host_free(r.h);
}

/* Its own time stands while it waits: touches at 0, 10 and 20 of it. */
static void touches_are_spread_over_its_time(void **state)
{
	struct rig r = start("none", NULL, NULL);

	(void)state;
	push(&r, 0, cmd_touching(1, 30, 1, 3, GRANULE, BASE));
	finish(&r);
	ENDS(&r, 0, US(30 + 3 * 12));
	assert_int_equal(host_count_of(r.h, VGPU_TRACE_PAGE_FAULT), 3);
	host_free(r.h);
	/* two granules by one instruction: at once, and the host serves one after the other */
	r = start("none", NULL, NULL);
	push(&r, 0, cmd_touching(1, 30, 1, 1, 2 * GRANULE, BASE));
	finish(&r);
	ENDS(&r, 0, US(30 + 14));
	host_free(r.h);
	/* on the SM at the same time */
	r = start("none", "fault_handler=gpu", NULL);
	push(&r, 0, cmd_touching(1, 30, 1, 1, 2 * GRANULE, BASE));
	finish(&r);
	ENDS(&r, 0, US(30 + 20));
	host_free(r.h);
	/* a third of a picosecond is none */
	r = start("none", NULL, NULL);
	push(&r, 0, cmd_touching(1, 1, 1, 3, GRANULE, BASE));
	finish(&r);
	ENDS(&r, 0, US(37));
	host_free(r.h);
}

static void one_granule_for_two_blocks(void **state)
{
	struct rig r = start("none", NULL, NULL);

	(void)state;
	push(&r, 0, cmd_touching(2, 30, 2, 1, VGPU_PAGE_SIZE, BASE));
	finish(&r);
	ENDS(&r, 0, US(42));
	ENDS(&r, 1, US(42));
	assert_int_equal(account(&r).page_faults, 1);
	host_free(r.h);
	/* 16 pages are a granule: of four blocks, of 20 pages in all, the last has its own */
	r = start("none", NULL, NULL);
	push(&r, 0, cmd_touching(4, 30, 4, 1, 5 * VGPU_PAGE_SIZE, BASE));
	finish(&r);
	assert_int_equal(account(&r).page_faults, 2);
	ENDS(&r, 2, US(42));
	ENDS(&r, 3, US(44));
	host_free(r.h);
}

static void a_full_buffer_delays(void **state)
{
	struct rig r = start("none", "fault_buffer=1", NULL);

	(void)state;
	push(&r, 0, cmd_touching(3, 30, 4, 1, GRANULE, BASE));
	finish(&r);
	for (u32 n = 0; n < 3; n++)
		ENDS(&r, n, US(30 + 12 * (n + 1)));
	assert_int_equal(account(&r).page_faults_delayed, 2);
	host_free(r.h);
}

/* Data of the host takes 25 us, 4.096 of them to cross; the second block is handled 2 us later. */
static void pages_come_with_their_data(void **state)
{
	struct rig r = start("none", NULL, NULL);
	u64 first, bytes;

	(void)state;
	assert_int_equal(vgpu_memory_map_managed(r.h->dev, r.context[0], HOST_MANAGED,
						 HOST_MANAGED_BYTES), 0);
	for (u32 n = 0; n < 2; n++)
		assert_int_equal(vgpu_managed_fetch(r.h->dev, r.context[0],
						    HOST_MANAGED + n * GRANULE, true,
						    &first, &bytes, NULL), 0);
	push(&r, 0, cmd_touching(3, 30, 4, 1, GRANULE, HOST_MANAGED));
	finish(&r);
	ENDS(&r, 0, US(30 + 25));
	ENDS(&r, 1, US(30 + 27));
	ENDS(&r, 2, US(30 + 16));
	assert_int_equal(account(&r).page_bytes_in, 2 * GRANULE);
	host_free(r.h);
}

/* 16 sectors of 32 bytes at 16 GB/s and the access itself, for each of three touches; no fault */
static void host_memory_is_used_in_place(void **state)
{
	struct rig r = start("none", NULL, NULL);
	struct vgpu_cmd cmd = cmd_touching(1, 30, 1, 3, GRANULE, HOST_MANAGED);

	(void)state;
	cmd.profiled.touch_flags = 0;
	assert_int_equal(vgpu_memory_map_host(r.h->dev, r.context[0], HOST_MANAGED,
					      HOST_MANAGED_BYTES), 0);
	push(&r, 0, cmd);
	finish(&r);
	ENDS(&r, 0, US(30) + 3 * (US(1) + 32 * VGPU_NS));
	assert_int_equal(account(&r).page_faults, 0);
	host_free(r.h);
	/* a store does not wait for an answer */
	r = start("none", "page_walk_ps=100000", NULL);
	cmd.profiled.touch_flags = VGPU_TOUCH_WRITE;
	assert_int_equal(vgpu_memory_map_host(r.h->dev, r.context[0], HOST_MANAGED,
					      HOST_MANAGED_BYTES), 0);
	push(&r, 0, cmd);
	finish(&r);
	assert_true(when(&r, VGPU_TRACE_BLOCK_END, 0, 0) >= US(30) + 3 * 16 * VGPU_US / 10);
	assert_true(when(&r, VGPU_TRACE_BLOCK_END, 0, 0) < US(30) + 3 * 17 * VGPU_US / 10);
	host_free(r.h);
}

/*
 * Touches at 0 and 15 of its 30 us, so faults at 0..12 and at 27..39. The SM is asked for after
 * @request; @saved says when the save begins, @own how much of its own time the block has then, of
 * what follows: it waits for one more fault unless that is over.
 */
static void a_preemption_in_the_middle(void **state)
{
	static const struct {
		const char *on_fault;
		u64 request, saved, own;
		u32 faults;	/* that it still waits for when it is back */
	} cases[] = {
		{ "preemptible", US(4), US(4) + DRAIN, 0, 1 },
		{ "stall", US(4), US(12), 0, 1 },
		/* it stops when the SM is asked for */
		{ "preemptible", US(17), US(17) + DRAIN, US(5), 1 },
		{ "stall", US(17), US(17) + DRAIN, US(5), 1 },
		{ "preemptible", US(30), US(30) + DRAIN, US(15), 0 },
		{ "stall", US(30), US(39), US(15), 0 },
		{ "preemptible", US(50), US(50) + DRAIN, US(26), 0 },
		{ "stall", US(50), US(50) + DRAIN, US(26), 0 },
	};

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
		struct rig r = start("switch", NULL, NULL);
		struct vgpu_device *dev = r.h->dev;
		struct vgpu_preemption_estimate estimate;
		u64 first, resumed;

		assert_int_equal(vgpu_device_knob_set(dev, "sm_on_fault", cases[n].on_fault), 0);
		push(&r, 0, cmd_touching(1, 30, 1, 2, GRANULE, BASE));
		push(&r, 1, cmd_profiled(1, US(100), 1));
		first = begin(&r);
		run_to(&r, first + cases[n].request);
		assert_int_equal(vgpu_exec_estimate(&dev->exec, 0, &estimate), 0);
		assert_int_equal(vgpu_exec_reserve(&dev->exec, 0, manual_kernel(dev, 2)), 0);
		finish(&r);
		assert_int_equal(when(&r, VGPU_TRACE_BLOCK_PREEMPT, 0, 0), cases[n].saved);
		assert_int_equal(r.h->preemption_ps, cases[n].saved + SAVE - cases[n].request);
		if (!strcmp(cases[n].on_fault, "stall"))
			assert_int_equal(estimate.latency, r.h->preemption_ps);
		resumed = when(&r, VGPU_TRACE_BLOCK_RESUME, 0, 0);
		assert_true(resumed > cases[n].saved + SAVE + US(100));
		ENDS(&r, 0, resumed + US(30) - cases[n].own + US(12) * cases[n].faults);
		host_free(r.h);
	}
}

/* Both stop when the SM is asked for, also the one that does not wait. */
static void an_sm_that_stalls_executes_nothing(void **state)
{
	struct rig r = start("switch", "sm_on_fault=stall", NULL);
	struct vgpu_device *dev = r.h->dev;
	u64 first, resumed;

	(void)state;
	/* block 1's page is there: it begins at once */
	push(&r, 0, cmd_fill(BASE + GRANULE, GRANULE, 0, 1));
	host_run(r.h);
	push(&r, 0, cmd_touching(2, 8, 2, 1, GRANULE, BASE));
	push(&r, 1, cmd_profiled(1, US(10), 1));
	first = begin(&r);
	run_to(&r, first + US(3));
	assert_int_equal(vgpu_exec_reserve(&dev->exec, 0, manual_kernel(dev, 2)), 0);
	run_to(&r, first + US(12) - 1);
	assert_int_equal(dev->exec.smst[0].state, VGPU_SM_RESERVED);
	finish(&r);
	assert_int_equal(when(&r, VGPU_TRACE_BLOCK_PREEMPT, 1, 0), US(12));
	resumed = when(&r, VGPU_TRACE_BLOCK_RESUME, 1, 0);
	ENDS(&r, 1, resumed + US(5));
	ENDS(&r, 0, when(&r, VGPU_TRACE_BLOCK_RESUME, 0, 0) + US(8));
	host_free(r.h);
}

/* Draining takes until the block ends, faults and all, whatever an SM does on faults. */
static void draining_waits_for_faults(void **state)
{
	(void)state;
	for (u32 stall = 0; stall < 2; stall++) {
		struct rig r = start("drain", stall ? "sm_on_fault=stall" : NULL, NULL);
		struct vgpu_device *dev = r.h->dev;
		struct vgpu_preemption_estimate estimate;
		u64 first;

		push(&r, 0, cmd_touching(1, 30, 1, 2, GRANULE, BASE));
		push(&r, 1, cmd_profiled(1, US(100), 1));
		first = begin(&r);
		run_to(&r, first + US(30));
		assert_int_equal(vgpu_exec_estimate(&dev->exec, 0, &estimate), 0);
		assert_true(estimate.latency == VGPU_NEVER);
		assert_int_equal(vgpu_exec_reserve(&dev->exec, 0, manual_kernel(dev, 2)), 0);
		run_to(&r, first + US(45));
		/* no touch is left */
		assert_int_equal(vgpu_exec_estimate(&dev->exec, 0, &estimate), 0);
		assert_int_equal(estimate.latency, US(9));
		finish(&r);
		ENDS(&r, 0, US(54));
		assert_int_equal(r.h->preemption_ps, US(24));
		host_free(r.h);
	}
}

/*
 * One place and one extra block. Block 0 leaves at 0, block 1 begins at 4 and faults. Block 0 is
 * ready at 12: 1 leaves, saved at 16, and 0 is restored at 20. It ends at 50; 1 runs from 54.
 */
static void blocks_switch(void **state)
{
	struct rig r = start("none", "block_switching=1", "extra_blocks=1");

	(void)state;
	push(&r, 0, cmd_touching(2, 30, 1, 1, GRANULE, BASE));
	finish(&r);
	assert_int_equal(when(&r, VGPU_TRACE_BLOCK_PREEMPT, 0, 0), 0);
	assert_int_equal(when(&r, VGPU_TRACE_BLOCK_START, 1, 0), US(4));
	assert_int_equal(when(&r, VGPU_TRACE_BLOCK_PREEMPT, 1, 0), US(12));
	assert_int_equal(when(&r, VGPU_TRACE_BLOCK_RESUME, 0, 0), US(20));
	ENDS(&r, 0, US(50));
	assert_int_equal(when(&r, VGPU_TRACE_BLOCK_RESUME, 1, 0), US(54));
	ENDS(&r, 1, US(84));
	assert_int_equal(account(&r).block_switches, 2);
	host_free(r.h);
	/* without: one after the other, each with its fault */
	r = start("none", NULL, NULL);
	push(&r, 0, cmd_touching(2, 30, 1, 1, GRANULE, BASE));
	finish(&r);
	ENDS(&r, 1, US(84));
	assert_int_equal(account(&r).block_switches, 0);
	host_free(r.h);
}

/* Figure 6.2: warps of blocks that wait. 64 threads are 2 warps. */
static void waiting_warps_are_in_the_trace(void **state)
{
	static const u64 expected[][3] = {
		{ 0, 2, 2 }, { 0, 0, 4 }, { US(12), 2, 2 }, { US(14), 4, 0 }, { US(42), 2, 0 },
		{ US(44), 0, 0 },
	};
	struct rig r = start("none", NULL, NULL);
	struct vgpu_cmd cmd = cmd_touching(2, 30, 2, 1, GRANULE, BASE);
	u64 first = 0;
	u32 n = 0;

	(void)state;
	cmd.profiled.threads = 64;
	push(&r, 0, cmd);
	finish(&r);
	for (size_t i = 0; i < r.h->record_count; i++) {
		const struct vgpu_trace_record *record = &r.h->records[i];

		if (record->type == VGPU_TRACE_BLOCK_START && !first)
			first = record->time;
		if (record->type != VGPU_TRACE_SM_WARPS)
			continue;
		assert_true(n < VGPU_ARRAY_SIZE(expected));
		assert_int_equal(record->time - first, expected[n][0]);
		assert_int_equal(record->a, expected[n][1]);
		assert_int_equal(record->b, expected[n][2]);
		n++;
	}
	assert_int_equal(n, VGPU_ARRAY_SIZE(expected));
	host_free(r.h);
}

static void memory_must_be_mapped(void **state)
{
	struct rig r = start("none", NULL, NULL);
	u64 first;

	(void)state;
	push(&r, 0, cmd_touching(2, 30, 2, 2, 2 * VGPU_PAGE_SIZE,
				 BASE + 64 * GRANULE - 7 * VGPU_PAGE_SIZE));
	finish(&r);
	assert_int_equal(r.h->fault_count, 1);
	assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_UNMAPPED);
	assert_true(r.h->faults[0].address == BASE + 64 * GRANULE);
	assert_int_equal(r.h->faults[0].block[0], 1);
	assert_int_equal(r.h->faults[0].write, 1);
	host_free(r.h);
	/* while it waits: it touches nothing that is mapped */
	r = start("none", NULL, NULL);
	push(&r, 0, cmd_touching(1, 30, 1, 1, GRANULE, BASE));
	first = begin(&r);
	run_to(&r, first + US(3));
	assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context[0], BASE, 64 * GRANULE), 0);
	finish(&r);
	assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_UNMAPPED);
	assert_true(r.h->faults[0].time == first + US(3));
	host_free(r.h);
}

static void contexts_end_meanwhile(void **state)
{
	(void)state;
	for (u32 us = 1; us < 120; us += 7) {
		struct rig r = start("switch", us & 1 ? "block_switching=1" : NULL, NULL);
		struct vgpu_device *dev = r.h->dev;
		u64 first;

		push(&r, 0, cmd_touching(8, 20, 2, 2, GRANULE, BASE));
		push(&r, 1, cmd_profiled(1, US(30), 1));
		first = begin(&r);
		run_to(&r, first + US(9));
		assert_int_equal(vgpu_exec_reserve(&dev->exec, 0, manual_kernel(dev, 2)), 0);
		run_to(&r, first + US(us));
		assert_int_equal(vgpu_context_close(dev, r.context[0]), 0);
		finish(&r);
		host_free(r.h);
	}
}

static u32 below(u64 *random, u32 limit)
{
	*random = *random * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)((*random >> 33) % limit);
}

/* All policies and mechanisms, random swaps, little VRAM: every block ends, and sums are right. */
static void at_random(void **state)
{
	static const char *const policies[] = { "ppq-shared", "dss", "round-robin" };
	static const char *const mechanisms[] = { "switch", "drain", "drain-then-switch", "flush",
						  "chimera" };
	u64 random = 7;

	(void)state;
	for (u32 n = 0; n < 60; n++) {
		struct host *h = host_new("tanasic-ch6", "sms=3",
					  below(&random, 2) ? "sm_on_fault=stall" :
							      "block_switching=1",
					  below(&random, 2) ? "block_swap_ps=37123457" :
							      "block_swap_ps=0",
					  below(&random, 2) ? "block_swap_flush=1" :
							      "deadline_ps=50000000",
					  below(&random, 2) ? "fault_handler=gpu" :
							      "fault_buffer=2",
					  below(&random, 2) ? "vram_bytes=1048576" :
							      "allocation=lazy",
					  "memory_bandwidth=65536000000", "prefetcher=granule",
					  NULL);
		u32 blocks = 0, ended = 0;

		assert_int_equal(vgpu_device_knob_set(h->dev, "policy", policies[n % 3]), 0);
		assert_int_equal(vgpu_device_knob_set(h->dev, "preemption",
						      mechanisms[below(&random, 5)]), 0);
		for (u32 c = 0; c < 3; c++) {
			u32 context = host_open(h), queue = host_queue(h, context);

			vgpu_context_priority(h->dev, context, (s32)c);
			assert_int_equal(vgpu_memory_map_managed(h->dev, context, HOST_MANAGED,
								 HOST_MANAGED_BYTES), 0);
			for (u32 k = 0; k < 3; k++) {
				u32 touches = 1 + below(&random, 3);
				u32 pages = 1 + below(&random, 32);
				u32 most = (u32)(HOST_MANAGED_BYTES / VGPU_PAGE_SIZE) /
					   (touches * pages);
				u32 count = 1 + below(&random, most < 20 ? most : 20);
				struct vgpu_cmd cmd =
					cmd_touching(count, 1 + below(&random, 60),
						     1 + below(&random, 8), touches,
						     (u32)(pages * VGPU_PAGE_SIZE), HOST_MANAGED);

				cmd.profiled.block_cv_permille = below(&random, 300);
				cmd.profiled.touch_flags = below(&random, 2);
				cmd.profiled.idempotent_permille = (u16)(below(&random, 3) * 500);
				host_push(h, context, queue, cmd);
				blocks += count;
			}
		}
		while (vgpu_device_run(h->dev, VGPU_NEVER, 1) != VGPU_NEVER)
			assert_true(vgpu_exec_check(&h->dev->exec));
		for (size_t i = 0; i < h->record_count; i++)
			ended += h->records[i].type == VGPU_TRACE_BLOCK_END;
		assert_int_equal(ended, blocks);
		assert_int_equal(h->completion_count, 9);
		assert_int_equal(h->fault_count, 0);
		assert_int_equal(h->dev->exec.save_area, 0);
		host_free(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_block_one_fault),
		cmocka_unit_test(touches_are_spread_over_its_time),
		cmocka_unit_test(one_granule_for_two_blocks),
		cmocka_unit_test(a_full_buffer_delays),
		cmocka_unit_test(pages_come_with_their_data),
		cmocka_unit_test(host_memory_is_used_in_place),
		cmocka_unit_test(a_preemption_in_the_middle),
		cmocka_unit_test(an_sm_that_stalls_executes_nothing),
		cmocka_unit_test(draining_waits_for_faults),
		cmocka_unit_test(blocks_switch),
		cmocka_unit_test(waiting_warps_are_in_the_trace),
		cmocka_unit_test(memory_must_be_mapped),
		cmocka_unit_test(contexts_end_meanwhile),
		cmocka_unit_test(at_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
