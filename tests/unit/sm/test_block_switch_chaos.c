// SPDX-License-Identifier: MIT
/*
 * Block switching disturbed at every point: contexts end, SMs are preempted, memory is unmapped and
 * knobs change after each event that there is; then all of it at random, with programs whose
 * results must not change.
 */
#include "switch_rig.h"

#define BLOCKS	7u

static struct rig busy(void)
{
	struct rig r = start("blocks_per_sm=2", "extra_blocks=3");

	launch(&r, 0, BLOCKS, 64, BLOCKS - 2, 300);
	return r;
}

/* @count events have passed. false: there are not so many. */
static bool run_events(struct rig *r, u32 count)
{
	while (count--)
		if (!step(r))
			return false;
	return true;
}

static void a_context_ends_after_each_event(void **state)
{
	bool more = true;

	(void)state;
	for (u32 n = 0; more; n++) {
		struct vgpu_fault fault = { .reason = VGPU_FAULT_TRAP };
		struct rig r = busy();

		more = run_events(&r, n);
		if (n & 1)
			assert_int_equal(vgpu_context_close(r.h->dev, r.context[0]), 0);
		else
			assert_int_equal(vgpu_context_end(r.h->dev, r.context[0], &fault), 0);
		assert_true(vgpu_exec_check(&r.h->dev->exec));
		launch(&r, 1, BLOCKS, 64, BLOCKS, 10);
		while (step(&r))
			;
		assert_int_equal(r.h->fault_count, !(n & 1));
		r.h->fault_count = 0;
		results(&r, 1, BLOCKS, BLOCKS);
		r.h->fault_count = !(n & 1);
		host_free(r.h);
		assert_true(n < 1000);
	}
}

/* The SM is taken from the kernel and given back. */
static void an_sm_is_preempted_after_each_event(void **state)
{
	static const char *const mechanisms[] = { "switch", "drain", "drain-then-switch",
						  "flush", "chimera" };
	static const char *const on_fault[] = { "preemptible", "stall" };

	(void)state;
	for (u32 m = 0; m < 10; m++) {
		bool more = true;

		for (u32 n = 0; more; n++) {
			struct rig r = busy();
			struct vgpu_ksr *other;

			set(&r, "preemption", mechanisms[m % 5]);
			more = run_events(&r, n);
			set(&r, "sm_on_fault", on_fault[m / 5]);
			launch(&r, 1, BLOCKS, 64, 1, 10);
			while (!(other = manual_kernel(r.h->dev, 2)) && step(&r))
				;
			if (other && r.h->dev->exec.smst[0].ksr)
				assert_int_equal(vgpu_exec_reserve(&r.h->dev->exec, 0, other), 0);
			assert_true(vgpu_exec_check(&r.h->dev->exec));
			while (step(&r))
				;
			assert_int_equal(r.h->completion_count, 2);
			results(&r, 0, BLOCKS, BLOCKS - 2);
			results(&r, 1, BLOCKS, 1);
			host_free(r.h);
			assert_true(n < 1000);
		}
	}
}

static void memory_is_unmapped_after_each_event(void **state)
{
	bool more = true;

	(void)state;
	for (u32 n = 0; more; n++) {
		struct rig r = busy();

		more = run_events(&r, n);
		assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context[0], BASE,
						   GRANULES * GRANULE), 0);
		assert_true(vgpu_exec_check(&r.h->dev->exec));
		while (step(&r))
			;
		assert_true(r.h->fault_count <= 1);
		assert_int_equal(r.h->completion_count, 1);
		assert_int_equal(r.h->dev->exec.save_area, 0);
		assert_int_equal(r.h->dev->exec.idle_count, 1);
		host_free(r.h);
		assert_true(n < 1000);
	}
}

/*
 * From some event on there is no switching, or it begins then, or goes on with another limit: what
 * is off comes back, and no block leaves that should not.
 */
static void knobs_change_after_each_event(void **state)
{
	static const char *const changes[][2] = {
		{ "block_switching", "0" }, { "sm_on_fault", "stall" }, { "extra_blocks", "0" },
		{ "extra_blocks", "1" },    { "ideal_switch", "1" },
	};

	(void)state;
	for (u32 c = 0; c < VGPU_ARRAY_SIZE(changes); c++) {
		bool more = true;

		for (u32 n = 0; more; n++) {
			struct rig r = busy();
			u64 before;

			more = run_events(&r, n);
			set(&r, changes[c][0], changes[c][1]);
			before = account(&r, 0).block_switches;
			while (step(&r))
				;
			if (c < 2)
				assert_int_equal(account(&r, 0).block_switches, before);
			results(&r, 0, BLOCKS, BLOCKS - 2);
			host_free(r.h);
			assert_true(n < 1000);
		}
	}
}

/* It is switched on while blocks wait: they leave at that time. */
static void switching_begins_at_once(void **state)
{
	static const char *const off[][3] = { { "block_switching", "0", "1" },
					      { "sm_on_fault", "stall", "preemptible" },
					      { "extra_blocks", "0", "3" } };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(off); n++) {
		struct rig r = start("blocks_per_sm=2", "extra_blocks=3");
		u64 now;

		set(&r, off[n][0], off[n][1]);
		launch(&r, 0, BLOCKS, 64, BLOCKS, 300);
		while (account(&r, 0).page_faults < 2)
			assert_true(step(&r));
		now = r.h->dev->sim->now + 5 * VGPU_US;
		vgpu_device_run(r.h->dev, now, ~0u);
		assert_int_equal(account(&r, 0).block_switches, 0);
		set(&r, off[n][0], off[n][2]);
		vgpu_device_run(r.h->dev, now, ~0u);
		assert_int_equal(account(&r, 0).block_switches, 2);
		while (step(&r))
			;
		results(&r, 0, BLOCKS, BLOCKS);
		host_free(r.h);
	}
}

/* ---- at random ---------------------------------------------------------- */

#define PAGES		1024u
#define RANDOM_OUT	(BASE + 0x10000000ull)
#define RESULTS		4096u

/*
 * Every thread goes through pages of its own choice, adds what it finds and writes what it has; no
 * two threads share a word.
 */
static void wander(struct vass *v, u32 seed)
{
	u32 top;

	vass_init(v, 26, 16);
	OP(v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OP(v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OP(v, LDP, VASS_MEM(8, 1), 4, 0, 0, 0, 8);
	OP(v, SREG, 0, 6, 0, 0, 0, VGPU_SR_CTAID_X);
	OP(v, SREG, 0, 7, 0, 0, 0, VGPU_SR_NTID_X);
	OP(v, MAD, 0, 6, 6, 7, 0, 0);
	OPI(v, MADWU, 4, 6, 4);
	v->code[v->count - 1].c = 4;
	OPI(v, MUL, 10, 6, 2654435761u);
	OPI(v, ADD, 10, 10, seed);
	OPI(v, SHL, 13, 6, 2);
	OP(v, MOV, VGPU_F_IMM, 12, 0, 0, 0, 0);
	top = OPI(v, ADD, 12, 12, 1);
	OPI(v, MUL, 10, 10, 1664525);
	OPI(v, ADD, 10, 10, 1013904223);
	OPI(v, SHRU, 7, 10, 22);
	OPI(v, MADWU, 8, 7, (u32)VGPU_PAGE_SIZE);
	v->code[v->count - 1].c = 2;
	OPI(v, MADWU, 8, 13, 1);
	v->code[v->count - 1].c = 8;
	OP(v, LDG, VASS_MEM(4, 1), 11, 8, 0, 0, 0);
	OP(v, ADD, 0, 10, 10, 11, 0, 0);
	OP(v, STG, VASS_MEM(4, 1), 0, 8, 10, 0, 0);
	OP(v, BAR, 0, 0, 0, 0, 0, 0);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, 12, 0, 0, 8);
	OP(v, BRA, 0, 0, 0, 0, 0, (u64)(v->count + 1) << 32 | top);
	vass_guard(v, 0);
	OP(v, STG, VASS_MEM(4, 1), 0, 4, 10, 0, 0);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
	v->kernel.shared_bytes = 8192;
}

/* Some knob gets another value. */
static void turn_a_knob(struct rig *r, u64 random)
{
	static const char *const values[][3] = {
		{ "block_switching", "0", "1" }, { "block_switching", "1", "1" },
		{ "extra_blocks", "0", "2" },    { "extra_blocks", "4", "20" },
		{ "ideal_switch", "0", "1" },    { "sm_on_fault", "preemptible", "stall" },
		{ "fault_handler", "cpu", "gpu" }, { "fault_granule", "4096", "65536" },
		{ "time_slice_us", "100", "1000" }, { "preemption", "switch", "drain-then-switch" },
	};
	const char *const *value = values[random % VGPU_ARRAY_SIZE(values)];

	set(r, value[0], value[1 + (random >> 32 & 1)]);
}

static void disturb(struct rig *r, struct vgpu_random *random, u64 seed)
{
	u32 sm = (u32)(vgpu_random_next(random) % 3);
	u64 what = vgpu_random_next(random);
	struct vgpu_ksr *ksr = manual_kernel(r->h->dev, 1 + (u32)(what >> 32 & 1));

	if (seed % 3 && what % 16 == 0 && ksr && r->h->dev->exec.smst[sm].ksr)
		assert_int_equal(vgpu_exec_reserve(&r->h->dev->exec, sm, ksr), 0);
	if (seed % 3 > 1 && what % 16 == 1)
		turn_a_knob(r, vgpu_random_next(random));
}

/* What the kernels of two contexts compute, with @settings, to @memory; returns block switches. */
static u64 random_run(u64 seed, const char *const *settings, u8 *memory)
{
	struct rig r = { .h = host_new("tanasic-ch6", "sms=3", "active_kernels=8",
				       "slice_ps=300000", "preemption=switch", "allocation=lazy",
				       "block_switching=1", settings[0], settings[1],
				       settings[2], NULL) };
	struct vgpu_random random;
	u64 switches = 0;

	vgpu_random_seed(&random, seed);
	vgpu_exec_set_policy(&r.h->dev->exec, &manual_policy);
	for (u32 n = 0; n < 2; n++) {
		struct vass v;

		r.context[n] = host_open(r.h);
		r.queue[n] = host_queue(r.h, r.context[n]);
		vgpu_memory_map(r.h->dev, r.context[n], BASE, PAGES * VGPU_PAGE_SIZE);
		vgpu_memory_map(r.h->dev, r.context[n], RANDOM_OUT, 4 * VGPU_PAGE_SIZE);
		wander(&v, n);
		load(&r, n, &v);
	}
	for (u32 n = 0; n < 2; n++) {
		u64 params[2] = { BASE, RANDOM_OUT };
		struct vgpu_cmd cmd = { .op = VGPU_CMD_LAUNCH,
					.launch = { .module = r.module[n],
						    .grid = { 24, 1, 1 },
						    .block = { 32 + 8 * n, 1, 1 },
						    .param_bytes = 16,
						    .params = 0x1000 } };

		assert_int_equal(host_try(r.h, r.context[n], r.queue[n], &cmd, 0, params), 0);
		host_push(r.h, r.context[n], r.queue[n],
			  cmd_d2h(n * RESULTS, RANDOM_OUT, 24 * (32 + 8 * n) * 4));
	}
	while (step(&r))
		disturb(&r, &random, seed);
	assert_int_equal(r.h->fault_count, 0);
	assert_int_equal(r.h->completion_count, 4);
	for (u32 n = 0; n < 2; n++)
		switches += account(&r, n).block_switches;
	memcpy(memory, r.h->memory, 2 * RESULTS);
	host_free(r.h);
	return switches;
}

static void results_do_not_depend_on_it(void **state)
{
	static const char *const handlers[] = { "fault_handler=cpu", "fault_handler=gpu",
						"page_arrival_ps=3000000" };
	static const char *const extras[] = { "extra_blocks=4", "extra_blocks=1",
					      "extra_blocks=64" };
	static const char *const swaps[] = { "block_swap_ps=0", "ideal_switch=1",
					     "block_swap_ps=2000000" };
	static u8 expected[2 * RESULTS], got[2 * RESULTS];
	u64 switches = 0;

	(void)state;
	assert_int_equal(random_run(0, (const char *const[]){ "allocation=eager", "seed=1",
							      "seed=1" }, expected), 0);
	for (u64 seed = 0; seed < 54; seed++) {
		const char *const settings[] = {
			handlers[seed / 3 % 3], extras[seed / 9 % 3], swaps[seed / 18 % 3],
		};

		switches += random_run(seed, settings, got);
		if (memcmp(expected, got, sizeof(got)))
			fail_msg("seed %llu: the results differ", (unsigned long long)seed);
	}
	assert_true(switches > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_context_ends_after_each_event),
		cmocka_unit_test(an_sm_is_preempted_after_each_event),
		cmocka_unit_test(memory_is_unmapped_after_each_event),
		cmocka_unit_test(knobs_change_after_each_event),
		cmocka_unit_test(switching_begins_at_once),
		cmocka_unit_test(results_do_not_depend_on_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
