// SPDX-License-Identifier: MIT
/*
 * Block switching on a fault (exec/block_switch.c), with times worked out by hand. A fault is
 * raised when a slice begins and served 20 us later; the block can leave when the slice has ended.
 * A context moves in the time that its bytes take at 65.536 GB/s, or in 1 ns.
 */
#include "switch_rig.h"

#define FAULT	(20 * VGPU_US)

/*
 * One place and one extra block. Block 0 faults and leaves for block 1, which faults too. When the
 * page of block 0 has come, 1 leaves and 0 comes back. It ends, and 1 comes back.
 */
static void blocks_leave_and_come_back(void **state)
{
	(void)state;
	for (u32 ideal = 0; ideal < 2; ideal++) {
		struct rig r = start("blocks_per_sm=1", "extra_blocks=1");
		u64 bytes, move, began, left, ready, ended;

		set(&r, "ideal_switch", ideal ? "1" : "0");
		launch(&r, 0, 2, 32, 2, 10);
		while (!r.h->dev->exec.smst[0].saving)
			assert_true(step(&r));
		bytes = r.h->dev->exec.save_area;
		while (step(&r))
			;
		move = ideal ? VGPU_NS : bytes * 1000000000000ull / 65536000000ull;
		assert_true(bytes > 0 && move > 0);
		began = when(&r, VGPU_TRACE_BLOCK_START, 0, 0);
		left = when(&r, VGPU_TRACE_BLOCK_PREEMPT, 0, 0);
		assert_true(left > began && left < began + VGPU_US);
		assert_int_equal(when(&r, VGPU_TRACE_BLOCK_START, 1, 0), left + move);
		assert_int_equal(when(&r, VGPU_TRACE_BLOCK_PREEMPT, 1, 0), began + FAULT);
		assert_int_equal(when(&r, VGPU_TRACE_RESTORE_START, 0, 0), began + FAULT + move);
		assert_int_equal(when(&r, VGPU_TRACE_BLOCK_RESUME, 0, 0), began + FAULT + 2 * move);
		ended = when(&r, VGPU_TRACE_BLOCK_END, 0, 0);
		ready = left + move + FAULT;
		assert_int_equal(when(&r, VGPU_TRACE_RESTORE_START, 1, 0),
				 ended > ready ? ended : ready);
		assert_int_equal(when(&r, VGPU_TRACE_BLOCK_RESUME, 1, 0),
				 (ended > ready ? ended : ready) + move);
		assert_int_equal(account(&r, 0).block_switches, 2);
		assert_int_equal(account(&r, 0).blocks_saved, 2);
		assert_int_equal(account(&r, 0).block_saving, 2 * move);
		assert_int_equal(account(&r, 0).block_restoring, 2 * move);
		assert_int_equal(account(&r, 0).preemptions, 0);
		results(&r, 0, 2, 2);
		host_free(r.h);
	}
}

/* Time of a launch of 6 blocks that all fault, with two places. */
static u64 six_blocks(const char *handler, const char *switching, const char *extra)
{
	struct rig r = start("blocks_per_sm=2", extra);
	u64 began = r.h->dev->sim->now, took;

	set(&r, "fault_handler", handler);
	set(&r, "block_switching", switching);
	set(&r, "ideal_switch", "1");
	launch(&r, 0, 6, 64, 6, 10);
	while (step(&r))
		;
	took = r.h->completions[0].time - began;
	results(&r, 0, 6, 6);
	host_free(r.h);
	return took;
}

/*
 * Off, three rounds of two blocks: 20 us each; where the host serves them, at 12, 24 and 36 us in
 * one place, 14, 26 and 38 in the other. On, all six fault at once: 20 us, or 12, 14 … 22.
 */
static void switching_saves_rounds(void **state)
{
	static const struct {
		const char *handler, *switching, *extra;
		u64 us;
	} cases[] = {
		{ "gpu", "0", "extra_blocks=4", 60 }, { "gpu", "1", "extra_blocks=4", 20 },
		{ "gpu", "1", "extra_blocks=1", 40 }, { "gpu", "1", "extra_blocks=0", 60 },
		{ "cpu", "0", "extra_blocks=4", 38 }, { "cpu", "1", "extra_blocks=4", 22 },
	};

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
		u64 took = six_blocks(cases[n].handler, cases[n].switching, cases[n].extra);

		/* and the launch, the setup, slices of fractions of a microsecond */
		if (took < cases[n].us * VGPU_US || took > (cases[n].us + 6) * VGPU_US)
			fail_msg("case %u: %llu ps", n, (unsigned long long)took);
	}
}

/* A block stays when no other one can run: none is left, none may come, SMs stall on faults. */
static void no_block_leaves_for_nothing(void **state)
{
	(void)state;
	for (u32 n = 0; n < 4; n++) {
		struct rig r = start("blocks_per_sm=2",
				     n == 1 ? "extra_blocks=0" : "extra_blocks=4");

		if (n == 2)
			set(&r, "sm_on_fault", "stall");
		if (n == 3)
			set(&r, "block_switching", "0");
		launch(&r, 0, n ? 6 : 2, 32, n ? 6 : 2, 10);
		while (step(&r))
			;
		assert_int_equal(account(&r, 0).block_switches, 0);
		assert_int_equal(host_count_of(r.h, VGPU_TRACE_BLOCK_PREEMPT), 0);
		results(&r, 0, n ? 6 : 2, n ? 6 : 2);
		host_free(r.h);
	}
}

static void the_limit_is_kept(void **state)
{
	static const u32 limits[] = { 0, 1, 3, 10, 64 };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(limits); n++) {
		struct rig r = start("blocks_per_sm=2", "fault_gpu_ps=1000000000");
		const struct vgpu_smst *smst = &r.h->dev->exec.smst[0];
		u32 most = 0, held, want = 2 + limits[n];
		char text[16];

		snprintf(text, sizeof(text), "%u", limits[n]);
		set(&r, "extra_blocks", text);
		launch(&r, 0, 40, 32, 40, 10);
		do {
			if (!smst->ksr)
				continue;
			held = vgpu_smst_places(&r.h->dev->exec, 0) + smst->off_count;
			most = held > most ? held : most;
		} while (step(&r));
		assert_int_equal(most, want < 40 ? want : 40);
		results(&r, 0, 40, 40);
		host_free(r.h);
	}
}

/*
 * Two places, three blocks, one fault after another: 12 us after the first, block 0 is ready, and 1
 * and 2 wait for theirs. One of them makes room.
 */
static void one_block_leaves_for_one(void **state)
{
	struct rig r = start("blocks_per_sm=2", "extra_blocks=1");
	u64 raised;

	(void)state;
	set(&r, "fault_handler", "cpu");
	launch(&r, 0, 3, 32, 3, 10);
	while (account(&r, 0).page_faults < 2)
		assert_true(step(&r));
	raised = r.h->dev->sim->now;
	vgpu_device_run(r.h->dev, raised + 12 * VGPU_US - 1, ~0u);
	assert_int_equal(account(&r, 0).page_faults, 3);
	assert_int_equal(account(&r, 0).block_switches, 1);
	vgpu_device_run(r.h->dev, raised + 12 * VGPU_US, ~0u);
	assert_int_equal(account(&r, 0).block_switches, 2);
	assert_int_equal(r.h->dev->exec.sms[0].resident_count, 1);
	while (step(&r))
		;
	results(&r, 0, 3, 3);
	host_free(r.h);
}

/* Block 0 faults, 1 runs for longer than that takes: when it ends, 0 comes back before 2 begins. */
static void ready_blocks_come_before_new_ones(void **state)
{
	struct rig r = start("blocks_per_sm=1", "extra_blocks=4");

	(void)state;
	launch(&r, 0, 3, 32, 1, 5000);
	while (step(&r))
		;
	assert_true(when(&r, VGPU_TRACE_BLOCK_END, 1, 0) >
		    when(&r, VGPU_TRACE_BLOCK_START, 0, 0) + FAULT);
	assert_int_equal(when(&r, VGPU_TRACE_RESTORE_START, 0, 0),
			 when(&r, VGPU_TRACE_BLOCK_END, 1, 0));
	assert_int_equal(when(&r, VGPU_TRACE_BLOCK_START, 2, 0),
			 when(&r, VGPU_TRACE_BLOCK_END, 0, 0));
	assert_int_equal(account(&r, 0).block_switches, 1);
	results(&r, 0, 3, 1);
	host_free(r.h);
}

/* Nothing else is to do: the last block comes back when its page has come. */
static void the_last_block_comes_back(void **state)
{
	struct rig r = start("blocks_per_sm=1", "extra_blocks=4");

	(void)state;
	launch(&r, 0, 2, 32, 1, 10);
	while (r.h->dev->exec.sms[0].resident_count || !r.h->dev->exec.smst[0].off_count)
		assert_true(step(&r));
	assert_int_equal(r.h->dev->exec.smst[0].state, VGPU_SM_RESTORING);
	while (step(&r))
		;
	assert_int_equal(when(&r, VGPU_TRACE_RESTORE_START, 0, 0),
			 when(&r, VGPU_TRACE_BLOCK_START, 0, 0) + FAULT);
	results(&r, 0, 2, 1);
	host_free(r.h);
}

/* A warp waits for a page, the others at a barrier for it. */
static void barriers_count_as_waiting(void **state)
{
	struct rig r = start("blocks_per_sm=1", "extra_blocks=1");

	(void)state;
	launch(&r, 0, 2, 128, 2, 10);
	while (!r.h->dev->exec.smst[0].off_count)
		assert_true(step(&r));
	assert_int_equal(account(&r, 0).block_switches, 1);
	while (step(&r))
		;
	results(&r, 0, 2, 2);
	host_free(r.h);
}

/*
 * Block 1 spins until block 0, which is off, has stored its result. It leaves when a slice has
 * ended, which takes some microseconds.
 */
static void a_block_that_is_ready_gets_its_turn(void **state)
{
	struct rig r = start("blocks_per_sm=1", "extra_blocks=4");
	struct vass v;
	u64 ready;
	u32 top;

	(void)state;
	program(&v);
	v.count--;
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_EQ | VGPU_F_IMM, 1, 1, 0, 0, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	vass_guard(&v, 1);
	top = OP(&v, LDG, VASS_MEM(4, 1), 15, 6, 0, 0, 0);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_EQ | VGPU_F_IMM, 0, 15, 0, 0, 0);
	OP(&v, BRA, 0, 0, 0, 0, 0, (u64)(v.count + 1) << 32 | top);
	vass_guard(&v, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	load(&r, 0, &v);
	set(&r, "time_slice_us", "150");
	set(&r, "watchdog_us", "5000");
	launch(&r, 0, 3, 32, 1, 10);
	while (step(&r))
		;
	ready = when(&r, VGPU_TRACE_BLOCK_START, 0, 0) + FAULT;
	assert_in_range(when(&r, VGPU_TRACE_BLOCK_PREEMPT, 1, 0), ready + 150 * VGPU_US,
			ready + 160 * VGPU_US);
	assert_int_equal(account(&r, 0).block_switches, 2);
	results(&r, 0, 3, 1);
	host_free(r.h);
}

/* Its context pays for an extra block: where it cannot, that one comes later. */
static void a_lack_of_memory_is_no_fault(void **state)
{
	struct rig r = start("blocks_per_sm=1", "extra_blocks=60");
	struct vgpu_context_info info;

	(void)state;
	launch(&r, 0, 50, 1024, 50, 10);
	while (account(&r, 0).block_switches < 3)
		assert_true(step(&r));
	/* no more from now on */
	assert_int_equal(vgpu_context_info(r.h->dev, r.context[0], &info), 0);
	vgpu_context_find(r.h->dev, r.context[0])->memory.budget = info.account.host_bytes + 4096;
	while (step(&r))
		;
	results(&r, 0, 50, 50);
	host_free(r.h);
}

static void what_is_refused(void **state)
{
	static const char *const knobs[][4] = {
		{ "block_switching", "1", "2", "block_switching must be 0..1" },
		{ "extra_blocks", "4", "65", "extra_blocks must be 0..64" },
		{ "ideal_switch", "0", "2", "ideal_switch must be 0..1" },
	};
	struct rig r = start("blocks_per_sm=1", "extra_blocks=4");
	struct vgpu_config config;
	char text[64];

	(void)state;
	assert_int_equal(vgpu_config_preset(&config, "tanasic-ch6"), 0);
	assert_int_equal(config.block_switching, 0);
	assert_int_equal(config.extra_blocks, 4);
	assert_int_equal(config.ideal_switch, 0);
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(knobs); n++) {
		static const char *const wrong[] = { "", "-1", "on", "1x" };

		for (u32 w = 0; w < VGPU_ARRAY_SIZE(wrong); w++)
			assert_int_equal(vgpu_device_knob_set(r.h->dev, knobs[n][0], wrong[w]),
					 -EINVAL);
		assert_int_equal(vgpu_device_knob_set(r.h->dev, knobs[n][0], knobs[n][2]), -EINVAL);
		assert_true(vgpu_device_knob_get(r.h->dev, knobs[n][0], text, sizeof(text)) > 0);
		assert_string_equal(text, knobs[n][1]);
	}
	config.block_switching = 2;
	assert_string_equal(vgpu_config_check(&config), knobs[0][3]);
	config.block_switching = 0;
	config.extra_blocks = 65;
	assert_string_equal(vgpu_config_check(&config), knobs[1][3]);
	config.extra_blocks = 64;
	config.ideal_switch = 2;
	assert_string_equal(vgpu_config_check(&config), knobs[2][3]);
	host_free(r.h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_leave_and_come_back),
		cmocka_unit_test(switching_saves_rounds),
		cmocka_unit_test(no_block_leaves_for_nothing),
		cmocka_unit_test(the_limit_is_kept),
		cmocka_unit_test(one_block_leaves_for_one),
		cmocka_unit_test(ready_blocks_come_before_new_ones),
		cmocka_unit_test(the_last_block_comes_back),
		cmocka_unit_test(barriers_count_as_waiting),
		cmocka_unit_test(a_block_that_is_ready_gets_its_turn),
		cmocka_unit_test(a_lack_of_memory_is_no_fault),
		cmocka_unit_test(what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
