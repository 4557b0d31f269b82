// SPDX-License-Identifier: MIT
/*
 * What is counted for launches (vgpu_counters.h), against counts made on paper: classes of
 * instructions, sectors, banks, times on SMs; two kernels on one SM, one that is preempted, one
 * with page faults. And against what the device counts for itself: the sum over all launches is the
 * device's, with both timings; and counting changes nothing else.
 */
#include <stdio.h>
#include <string.h>

#include "../device/manual.h"
#include "pipeline_rig.h"

#define US	VGPU_US
#define TENTH	(VGPU_US / 10)
#define COUNT(c, what)	((c)->sum[VGPU_COUNT_##what])

static void switch_on(struct host *h)
{
	assert_int_equal(vgpu_device_knob_set(h->dev, "kernel_statistics", "1"), 0);
}

/* The counts of launch @id; they must be there, once. */
static const struct host_counts *counts_of(const struct host *h, u32 id)
{
	const struct host_counts *found = NULL;

	for (size_t n = 0; n < h->counts_count; n++) {
		if (h->counts[n].launch.launch != id)
			continue;
		assert_null(found);
		found = &h->counts[n];
	}
	assert_non_null(found);
	return found;
}

static void check(const struct host_counts *c, enum vgpu_counter what, u64 wanted)
{
	static const char *const names[] = {
#define NAME_OF(NAME, name, needs, metric, text) #name,
		VGPU_COUNTERS(NAME_OF)
#undef NAME_OF
	};

	if (c->sum[what] != wanted)
		fail_msg("launch %u: %s is %llu, not %llu", c->launch.launch, names[what],
			 (unsigned long long)c->sum[what], (unsigned long long)wanted);
}

#define CHECK(c, what, wanted)	check(c, VGPU_COUNT_##what, wanted)

static void classes_add_up(const struct host_counts *c)
{
	u64 sum = 0;

	for (u32 n = VGPU_COUNT_INST_INTEGER; n <= VGPU_COUNT_INST_GENERIC_ATOMIC; n++)
		sum += c->sum[n];
	CHECK(c, INSTRUCTIONS, sum);
}

/* ---- instructions and what they touch ----------------------------------- */

/*
 * Of a warp: four moves (three special registers and a parameter), three of integers to find the
 * word, a load, an add, a store, an exit.
 */
static void add_one(struct vass *v)
{
	prologue(v, 16);
	OP(v, LDG, VASS_MEM(4, 1), 8, 4, 0, 0, 0);
	OPI(v, ADD, 8, 8, 1);
	epilogue(v, 8);
}

/*
 * Two blocks of 48 threads are four warps, of 32 and 16. Their words are bytes 0..127, 128..191,
 * 192..319 and 320..383: 4 + 2 + 4 + 2 sectors. Each access of a warp is in one page.
 */
static void check_add_one(const struct host_counts *c)
{
	CHECK(c, INSTRUCTIONS, 4 * 11);
	CHECK(c, THREAD_INSTRUCTIONS, 96 * 11);
	CHECK(c, INST_MOVE, 4 * 4);
	CHECK(c, INST_INTEGER, 4 * 4);
	CHECK(c, INST_GLOBAL_LOAD, 4);
	CHECK(c, INST_GLOBAL_STORE, 4);
	CHECK(c, INST_CONTROL, 4);
	CHECK(c, SECTORS_LOAD, 12);
	CHECK(c, SECTORS_STORE, 12);
	CHECK(c, SECTORS_ATOMIC, 0);
	CHECK(c, TLB_LOOKUPS, 8);
	CHECK(c, BLOCKS, 2);
	classes_add_up(c);
}

static struct vgpu_config config_of(const char *timing)
{
	struct vgpu_config config = caches_config("replay-queue");

	set_field(&config, "timing", timing);
	set_field(&config, "kernel_statistics", "1");
	return config;
}

static void instructions_are_counted_by_class(void **state)
{
	const struct vgpu_config config = config_of(*state);
	struct rig r = start_pipeline(&config);
	const struct host_counts *c;
	struct vass v;

	add_one(&v);
	program(&r, &v);
	launch(&r, 2, 48, BASE, 0);
	host_run(r.h);
	c = counts_of(r.h, 1);
	assert_int_equal(c->launch.context, r.context);
	assert_int_equal(c->launch.queue, r.queue);
	assert_int_equal(c->launch.seq, 1);
	assert_int_equal(c->launch.grid[0], 2);
	assert_int_equal(c->launch.block[0], 48);
	assert_int_equal(c->launch.warps, 2);
	assert_true(c->launch.complete);
	assert_int_equal(c->launch.started, host_time_of(r.h, VGPU_TRACE_KERNEL_START, 1));
	assert_int_equal(c->launch.ended, host_time_of(r.h, VGPU_TRACE_KERNEL_END, 1));
	check_add_one(c);
	stop(&r);
}

/* Guards that no lane fulfils: an instruction and no thread; a load that touches nothing. */
static void guards_are_no_threads(void **state)
{
	const struct vgpu_config config = config_of(*state);
	struct rig r = start_pipeline(&config);
	const struct host_counts *c;
	struct vass v;

	prologue(&v, 16);
	OP(&v, SETPU, VGPU_F_IMM | VGPU_CMP_LT, 0, 0, 0, 0, 8);
	OP(&v, LDG, VASS_MEM(4, 1), 8, 4, 0, 0, 0);
	vass_guard(&v, 1);
	OPI(&v, ADD, 8, 8, 1);
	vass_guard(&v, 1);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 1, 32, BASE, 0);
	host_run(r.h);
	c = counts_of(r.h, 1);
	CHECK(c, INSTRUCTIONS, 11);
	CHECK(c, THREAD_INSTRUCTIONS, 9 * 32);
	CHECK(c, INST_GLOBAL_LOAD, 1);
	CHECK(c, SECTORS_LOAD, 0);
	classes_add_up(c);
	stop(&r);
}

/*
 * Words 8 bytes apart: two in each of 16 banks, 2 wavefronts. 128 bytes apart: 32 in one bank. All
 * in one: 1. A row of 8 bytes: two halves of a warp with 32 words each, 2 wavefronts, of which none
 * is a conflict.
 */
static void banks_have_conflicts(void **state)
{
	const struct vgpu_config config = config_of(*state);
	struct rig r = start_pipeline(&config);
	const struct host_counts *c;
	struct vass v;

	vass_init(&v, 16, 16);
	v.kernel.shared_bytes = 4096;
	OP(&v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OPI(&v, SHL, 2, 0, 3);
	OPI(&v, SHL, 3, 0, 7);
	OP(&v, STS, VASS_MEM(4, 1), 0, 2, 0, 0, 0);
	OP(&v, LDS, VASS_MEM(4, 1), 4, 3, 0, 0, 0);
	OP(&v, LDS, VASS_MEM(4, 1) | VGPU_F_ABS, 5, 0, 0, 0, 64);
	OP(&v, LDS, VASS_MEM(8, 1), 6, 2, 0, 0, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 1, 32, BASE, 0);
	host_run(r.h);
	c = counts_of(r.h, 1);
	CHECK(c, INST_SHARED_STORE, 1);
	CHECK(c, INST_SHARED_LOAD, 3);
	CHECK(c, SHARED_WAVEFRONTS, 2 + 32 + 1 + 2);
	CHECK(c, BANK_CONFLICTS, 1 + 31);
	CHECK(c, SECTORS_LOAD, 0);
	classes_add_up(c);
	stop(&r);
}

/* ---- several kernels ---------------------------------------------------- */

/*
 * On paper: two blocks of two warps for 100 us and one of one warp for 50 us, on one SM together.
 * Each kernel has its own time there, not that of the SM.
 */
static void kernels_on_one_sm_have_their_own_time(void **state)
{
	struct host *h = host_new("gtx980", "sms=1", "kernels_per_sm=2", "policy=leftover",
				  "kernel_statistics=1", NULL);
	u32 a = host_open(h), b = host_open(h);
	struct vgpu_cmd cmd = cmd_profiled(2, 100 * US, 8);

	(void)state;
	cmd.profiled.threads = 64;
	host_push(h, a, host_queue(h, a), cmd);
	host_push(h, b, host_queue(h, b), cmd_profiled(1, 50 * US, 8));
	vgpu_device_run(h->dev, 20 * US, ~0u);
	assert_int_equal(h->dev->exec.smst[0].kernels, 2);
	host_run(h);
	assert_int_equal(h->counts_count, 2);
	CHECK(counts_of(h, 1), WARP_TIME, 2 * 2 * 100 * US);
	CHECK(counts_of(h, 1), ACTIVE_TIME, 100 * US);
	CHECK(counts_of(h, 1), BLOCKS, 2);
	CHECK(counts_of(h, 2), WARP_TIME, 50 * US);
	CHECK(counts_of(h, 2), ACTIVE_TIME, 50 * US);
	CHECK(counts_of(h, 2), INSTRUCTIONS, 0);
	host_free(h);
}

/* Adds @rounds times: per warp 7 and 2 instructions, 4 a round, a store and an exit. */
static void add_often(struct vass *v, u32 rounds)
{
	u32 loop, at;

	prologue(v, 16);
	OPI(v, MOV, 8, 0, 0);
	OPI(v, MOV, 9, 0, 0);
	loop = OPI(v, ADD, 8, 8, 1);
	OPI(v, ADD, 9, 9, 3);
	OP(v, SETPU, VGPU_F_IMM | VGPU_CMP_LT, 1, 8, 0, 0, rounds);
	at = OP(v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(v, 1);
	vass_target(v, at, loop, at + 1);
	epilogue(v, 9);
}

/* The same with code, in two contexts: whoever executes is whom it counts for. */
static void kernels_on_one_sm_have_their_own_counts(void **state)
{
	struct vgpu_config config = config_of(*state);
	struct rig a, b;
	struct vass v;

	set_field(&config, "sms", "1");
	set_field(&config, "active_kernels", "4");
	set_field(&config, "kernels_per_sm", "2");
	set_field(&config, "policy", "leftover");
	a = start_pipeline(&config);
	b = (struct rig){ .h = a.h, .context = host_open(a.h) };
	b.queue = host_queue(b.h, b.context);
	assert_int_equal(vgpu_memory_map(b.h->dev, b.context, BASE, BYTES), 0);
	add_often(&v, 300);
	program(&a, &v);
	add_often(&v, 500);
	program(&b, &v);
	launch(&a, 2, 64, BASE, 0);
	launch(&b, 1, 32, BASE, 0);
	host_run(a.h);
	/* they were there together */
	assert_true(host_time_of(a.h, VGPU_TRACE_KERNEL_START, 2) <
		    host_time_of(a.h, VGPU_TRACE_KERNEL_END, 1));
	CHECK(counts_of(a.h, 1), INSTRUCTIONS, 4 * (11 + 4 * 300));
	CHECK(counts_of(a.h, 1), INST_CONTROL, 4 * (300 + 1));
	CHECK(counts_of(a.h, 1), INST_INTEGER, 4 * (3 + 3 * 300));
	CHECK(counts_of(a.h, 1), SECTORS_STORE, 4 * 4);
	CHECK(counts_of(a.h, 2), INSTRUCTIONS, 11 + 4 * 500);
	/* in the last round no lane branches */
	CHECK(counts_of(a.h, 2), THREAD_INSTRUCTIONS, 32 * (11 + 4 * 500 - 1));
	CHECK(counts_of(a.h, 2), SECTORS_STORE, 4);
	assert_int_equal(counts_of(a.h, 2)->launch.context, b.context);
	vgpu_context_close(a.h->dev, b.context);
	stop(&a);
}

/*
 * a_switch_saves_and_restores() of test_preempt.c: four blocks of 100 us run from 1.1 to 51.5 us,
 * are saved, and go on at 66.7, 67.7, 68.7 and 69.7; the fifth runs from 116.3 to 216.3. That is
 * 500 us of warps, and 50.4 + 149.6 us in which the SM has some. A context is a quarter of 65536
 * registers.
 */
static void a_preempted_kernel_has_what_it_cost(void **state)
{
	struct host *h = manual_one_sm("switch");
	u32 a = host_open(h), b = host_open(h);

	(void)state;
	switch_on(h);
	host_push(h, a, host_queue(h, a), cmd_profiled(5, 100 * US, 4));
	vgpu_device_run(h->dev, 50 * US, ~0u);
	host_push(h, b, host_queue(h, b), cmd_profiled(1, 10 * US, 4));
	vgpu_device_run(h->dev, 51 * US, ~0u);
	assert_int_equal(vgpu_exec_reserve(&h->dev->exec, 0, manual_kernel(h->dev, 2)), 0);
	host_run(h);
	CHECK(counts_of(h, 1), PREEMPTIONS, 1);
	CHECK(counts_of(h, 1), PREEMPTION_TIME, 45 * TENTH);
	CHECK(counts_of(h, 1), BLOCKS_SAVED, 4);
	CHECK(counts_of(h, 1), SAVED_BYTES, 4 * 65536);
	CHECK(counts_of(h, 1), WARP_TIME, 500 * US);
	CHECK(counts_of(h, 1), ACTIVE_TIME, 2000 * TENTH);
	CHECK(counts_of(h, 1), BLOCKS, 5);
	assert_int_equal(counts_of(h, 1)->launch.preempted_ps, (656 - 555) * TENTH);
	CHECK(counts_of(h, 2), PREEMPTIONS, 0);
	CHECK(counts_of(h, 2), WARP_TIME, 10 * US);
	host_free(h);
}

/* ---- page faults -------------------------------------------------------- */

/*
 * Memory that is allocated when it is touched, a page at a time: 256 words are in one page, so two
 * blocks of 512 threads, on different SMs, raise a fault for the first page between them and one
 * for the second.
 */
static void faults_are_those_of_the_kernel(void **state)
{
	struct vgpu_config config = config_of(*state);
	struct vgpu_context_info info;
	const struct host_counts *c;
	struct rig r;
	struct vass v;

	set_field(&config, "allocation", "lazy");
	set_field(&config, "fault_granule", "4096");
	r = start_pipeline(&config);
	add_one(&v);
	program(&r, &v);
	launch(&r, 4, 512, BASE, 0);
	host_run(r.h);
	launch(&r, 4, 512, BASE, 0);
	host_run(r.h);
	assert_int_equal(vgpu_context_info(r.h->dev, r.context, &info), 0);
	c = counts_of(r.h, 1);
	CHECK(c, PAGE_FAULTS, 2);
	CHECK(c, PAGE_FAULT_TIME, info.account.page_fault_time);
	assert_int_equal(info.account.page_faults, 2);
	CHECK(c, BLOCKS, 4);
	CHECK(c, INSTRUCTIONS, 64 * 11);
	CHECK(counts_of(r.h, 2), PAGE_FAULTS, 0);
	CHECK(counts_of(r.h, 2), INSTRUCTIONS, 64 * 11);
	stop(&r);
}

/* ---- the sum is the device's -------------------------------------------- */

/* Loads, atomics, shared memory, barriers, strides: something of everything. */
static void some_of_all(struct vass *v, u32 rounds)
{
	u32 loop, at;

	prologue(v, 24);
	v->kernel.shared_bytes = 4096;
	OPI(v, SHL, 10, 0, 2);
	OPI(v, MOV, 12, 0, 0);
	OP(v, SREG, 0, 16, 0, 0, 0, VGPU_SR_TID_X);
	OPI(v, SHL, 16, 16, 8);
	OP(v, ZXQ, 0, 14, 16, 0, 0, 0);
	OP(v, ADDQ, 0, 14, 14, 2, 0, 0);
	loop = OP(v, LDG, VASS_MEM(4, 1), 8, 4, 0, 0, 0);
	OP(v, LDG, VASS_MEM(4, 1), 9, 14, 0, 0, 4096);
	OP(v, ADD, 0, 8, 8, 9, 0, 0);
	OP(v, STS, VASS_MEM(4, 1), 0, 10, 8, 0, 0);
	OP(v, BAR, 0, 0, 0, 0, 0, 0);
	OP(v, LDS, VASS_MEM(4, 1), 8, 10, 0, 0, 0);
	OP(v, ATOMG, VGPU_ATOM_ADD, 9, 2, 8, 0, 65536);
	OP(v, STG, VASS_MEM(4, 1), 0, 14, 8, 0, 4096);
	OPI(v, ADDQ, 14, 14, 16384);
	OPI(v, ADD, 12, 12, 1);
	OP(v, SETPU, VGPU_F_IMM | VGPU_CMP_LT, 1, 12, 0, 0, rounds);
	at = OP(v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(v, 1);
	vass_target(v, at, loop, at + 1);
	epilogue(v, 8);
}

static u64 sum_of(const struct host *h, enum vgpu_counter what)
{
	u64 sum = 0;

	for (size_t n = 0; n < h->counts_count; n++)
		sum += h->counts[n].sum[what];
	return sum;
}

/* Of the SM that has most of it */
static u64 most_of(const struct host *h, u32 sms, enum vgpu_counter what)
{
	u64 most = 0;

	for (u32 sm = 0; sm < sms; sm++) {
		u64 sum = 0;

		for (size_t n = 0; n < h->counts_count; n++)
			sum += h->counts[n].sm[sm].value[what];
		most = sum > most ? sum : most;
	}
	return most;
}

#define SAME(h, what, value)	assert_int_equal(sum_of(h, VGPU_COUNT_##what), value)

static void run_mixture(struct host *h, struct rig *rig, u32 rounds)
{
	struct vass v;

	for (u32 n = 0; n < 2; n++) {
		rig[n] = (struct rig){ .h = h, .context = host_open(h) };
		rig[n].queue = host_queue(h, rig[n].context);
		assert_int_equal(vgpu_memory_map(h->dev, rig[n].context, BASE, BYTES), 0);
		some_of_all(&v, rounds + n);
		program(&rig[n], &v);
		launch(&rig[n], 5 + n, 128, BASE, 0);
		launch(&rig[n], 3, 96, BASE, 0);
	}
	host_run(h);
	assert_int_equal(h->fault_count, 0);
}

/* @timing: or a coherence, with timing=pipeline */
static struct vgpu_config mixture_config(const char *timing, const char *statistics)
{
	bool coherent = strcmp(timing, "pipeline") && strcmp(timing, "interval");
	struct vgpu_config config = config_of(coherent ? "pipeline" : timing);

	if (coherent) {
		set_field(&config, "coherence", timing);
		set_field(&config, "sc_core", "1");
	}

	set_field(&config, "sms", "2");
	set_field(&config, "kernels_per_sm", "2");
	set_field(&config, "active_kernels", "4");
	set_field(&config, "policy", "smk");
	set_field(&config, "allocation", "lazy");
	set_field(&config, "l2_bytes", "65536");
	set_field(&config, "l1_bytes", "8192");
	set_field(&config, "kernel_statistics", statistics);
	return config;
}

static void the_sum_is_the_devices(void **state)
{
	const struct vgpu_config config = mixture_config(*state, "1");
	struct host *h = host_new_config(&config);
	struct vgpu_account all = {};
	struct vgpu_device_stats stats;
	u64 threads = 0, instructions = 0;
	struct rig rig[2];

	run_mixture(h, rig, 6);
	assert_int_equal(h->counts_count, 4);
	for (u32 n = 0; n < 2; n++) {
		struct vgpu_context_info info;

		assert_int_equal(vgpu_context_info(h->dev, rig[n].context, &info), 0);
		for (u32 k = 0; k < sizeof(all) / sizeof(u64); k++)
			((u64 *)&all)[k] += ((u64 *)&info.account)[k];
		threads += info.thread_instructions;
		instructions += info.instructions;
	}
	vgpu_device_stats(h->dev, &stats);
	assert_int_equal(stats.instructions, instructions);
	SAME(h, INSTRUCTIONS, instructions);
	SAME(h, THREAD_INSTRUCTIONS, threads);
	SAME(h, TLB_MISSES, all.tlb_misses);
	SAME(h, L2_TLB_HITS, all.l2_tlb_hits);
	SAME(h, L2_TLB_MISSES, all.l2_tlb_misses);
	SAME(h, PAGE_WALKS, all.page_walks);
	SAME(h, PAGE_WALK_WAIT, all.page_walk_wait);
	SAME(h, PAGE_FAULTS, all.page_faults);
	SAME(h, PAGE_FAULT_TIME, all.page_fault_time);
	SAME(h, PREEMPTIONS, stats.preemptions);
	SAME(h, BLOCKS_SAVED, all.blocks_saved);
	SAME(h, L1_HITS, stats.l1_hits);
	SAME(h, L1_MISSES, stats.l1_misses);
	SAME(h, L1_MERGED, stats.l1_merged);
	SAME(h, L1_BUSY, stats.l1_busy);
	SAME(h, L2_HITS, stats.l2_hits);
	SAME(h, L2_MISSES, stats.l2_misses);
	SAME(h, ATOMICS, stats.atomics);
	SAME(h, DRAM_READ, stats.dram_read);
	/* with leases of physical time lines leave for nobody */
	if (strcmp(*state, "tcs"))
		SAME(h, DRAM_WRITTEN, stats.dram_written);
	SAME(h, STORES, stats.stores);
	SAME(h, LOAD_TIME, stats.load_cycles);
	SAME(h, STORE_TIME, stats.store_cycles);
	SAME(h, ATOMIC_TIME, stats.atomic_cycles);
	SAME(h, FENCE_TIME, stats.fence_cycles);
	SAME(h, FLITS_LOAD, stats.flits_load);
	SAME(h, FLITS_STORE, stats.flits_store);
	SAME(h, FLITS_ATOMIC, stats.flits_atomic);
	SAME(h, FLITS_REQUEST, stats.flits_request);
	SAME(h, FLITS_RENEW, stats.flits_renew);
	SAME(h, FLITS_INVALIDATE, stats.flits_invalidate);
	SAME(h, FLITS_RECALL, stats.flits_recall);
	SAME(h, L1_EXPIRED, stats.l1_expired);
	SAME(h, L1_RENEWED, stats.l1_renewed);
	SAME(h, L1_LINE_WAIT, stats.l1_line_wait);
	SAME(h, L2_FETCH_WAIT, stats.l2_fetch_wait);
	SAME(h, L2_LEASE_WAIT, stats.l2_lease_wait);
	SAME(h, L2_ACK_WAIT, stats.l2_ack_wait);
	SAME(h, L2_ROOM_WAIT, stats.l2_room_wait);
	assert_int_equal(most_of(h, config.sms, VGPU_COUNT_LOGICAL_STEPS), stats.logical_time);
	SAME(h, STALL_UNIT, stats.stall_issue);
	for (size_t n = 0; n < h->counts_count; n++)
		classes_add_up(&h->counts[n]);
	if (!strcmp(*state, "rcc"))
		assert_true(stats.logical_time > 0);
	if (!strcmp(*state, "pipeline"))
		assert_true(stats.l1_hits && stats.l2_misses && stats.dram_written);
	for (u32 n = 0; n < VGPU_COUNTER_COUNT; n++)
		if (!vgpu_counter_exists(&config, n))
			assert_int_equal(sum_of(h, n), 0);
	vgpu_context_close(h->dev, rig[0].context);
	vgpu_context_close(h->dev, rig[1].context);
	host_free(h);
}

/* Of what a scheduler did in each cycle in which its SM had warps. */
static void each_cycle_counts_once(void **state)
{
	const struct vgpu_config config = mixture_config("pipeline", "1");
	struct host *h = host_new_config(&config);
	struct vgpu_device_stats stats;
	struct rig rig[2];
	u64 data, control;

	(void)state;
	run_mixture(h, rig, 6);
	vgpu_device_stats(h->dev, &stats);
	data = sum_of(h, VGPU_COUNT_STALL_DEPENDENCE) + sum_of(h, VGPU_COUNT_STALL_MEMORY);
	control = sum_of(h, VGPU_COUNT_STALL_BARRIER) + sum_of(h, VGPU_COUNT_STALL_FETCH) +
		  sum_of(h, VGPU_COUNT_STALL_BRANCH) + sum_of(h, VGPU_COUNT_STALL_QUOTA) +
		  sum_of(h, VGPU_COUNT_STALL_THROTTLE) +
		  sum_of(h, VGPU_COUNT_STALL_LEAVE) + sum_of(h, VGPU_COUNT_STALL_IDLE);
	assert_true(sum_of(h, VGPU_COUNT_STALL_MEMORY) && sum_of(h, VGPU_COUNT_ISSUE_ACTIVE));
	assert_int_equal(data + control + sum_of(h, VGPU_COUNT_STALL_FAULT) +
				 sum_of(h, VGPU_COUNT_STALL_UNIT),
			 stats.stall_data + stats.stall_control + stats.stall_issue);
	vgpu_context_close(h->dev, rig[0].context);
	vgpu_context_close(h->dev, rig[1].context);
	host_free(h);
}

/* The trace is the same but for the records of the counters. */
static void counting_changes_nothing(void **state)
{
	struct host *h[2];
	size_t n = 0;

	for (u32 on = 0; on < 2; on++) {
		const struct vgpu_config config = mixture_config(*state, on ? "1" : "0");
		struct rig rig[2];

		h[on] = host_new_config(&config);
		run_mixture(h[on], rig, 6);
		vgpu_context_close(h[on]->dev, rig[0].context);
		vgpu_context_close(h[on]->dev, rig[1].context);
	}
	assert_int_equal(h[0]->counts_count, 0);
	assert_int_equal(host_count_of(h[0], VGPU_TRACE_KERNEL_COUNTS), 0);
	assert_int_equal(host_count_of(h[1], VGPU_TRACE_KERNEL_COUNTS),
			 4 * ((VGPU_COUNTER_COUNT + 2) / 3));
	for (size_t k = 0; k < h[1]->record_count; k++) {
		if (h[1]->records[k].type == VGPU_TRACE_KERNEL_COUNTS)
			continue;
		assert_true(n < h[0]->record_count);
		assert_memory_equal(&h[0]->records[n++], &h[1]->records[k],
				    sizeof(struct vgpu_trace_record));
	}
	assert_int_equal(n, h[0]->record_count);
	host_leave(h[0]);
	host_free(h[1]);
}

/*
 * Profiled blocks that follow each other in their slots, 10 of 20 us beside 30 of 10 us: each is
 * counted, and the trace is the same.
 */
static void blocks_that_follow_are_counted(void **state)
{
	struct host *h[2];
	size_t n = 0;

	(void)state;
	for (u32 on = 0; on < 2; on++) {
		u32 a, b;

		h[on] = host_new("k20c", "sms=2", on ? "kernel_statistics=1" : "seed=1", NULL);
		a = host_open(h[on]);
		b = host_open(h[on]);
		host_push(h[on], a, host_queue(h[on], a), cmd_profiled(10, 20 * US, 2));
		host_push(h[on], b, host_queue(h[on], b), cmd_profiled(30, 10 * US, 2));
		host_run(h[on]);
	}
	assert_int_equal(h[1]->counts_count, 2);
	CHECK(counts_of(h[1], 1), BLOCKS, 10);
	CHECK(counts_of(h[1], 1), WARP_TIME, 10 * 20 * US);
	CHECK(counts_of(h[1], 2), BLOCKS, 30);
	CHECK(counts_of(h[1], 2), WARP_TIME, 30 * 10 * US);
	for (size_t k = 0; k < h[1]->record_count; k++)
		if (h[1]->records[k].type != VGPU_TRACE_KERNEL_COUNTS)
			assert_memory_equal(&h[0]->records[n++], &h[1]->records[k],
					    sizeof(struct vgpu_trace_record));
	assert_int_equal(n, h[0]->record_count);
	host_leave(h[0]);
	host_free(h[1]);
}

/* Its context is closed while it runs: what it has done is told, and that it has not ended. */
static void a_dropped_kernel_is_not_complete(void **state)
{
	struct host *h = host_new("k20c", "sms=1", "kernel_statistics=1", NULL);
	u32 a = host_open(h);

	(void)state;
	host_push(h, a, host_queue(h, a), cmd_profiled(2, 100 * US, 1));
	vgpu_device_run(h->dev, 50 * US, ~0u);
	assert_int_equal(vgpu_context_close(h->dev, a), 0);
	assert_int_equal(h->counts_count, 1);
	assert_false(h->counts[0].launch.complete);
	assert_int_equal(h->counts[0].sum[VGPU_COUNT_WARP_TIME],
			 50 * US - h->counts[0].launch.started);
	assert_int_equal(h->counts[0].sum[VGPU_COUNT_BLOCKS], 0);
	host_free(h);
}

#define BOTH(test)                                                                       \
	{ #test ", interval", test, NULL, NULL, "interval" },                            \
	{ #test ", pipeline", test, NULL, NULL, "pipeline" }

#define UNDER(test, coherence)	{ #test ", " coherence, test, NULL, NULL, coherence }

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(instructions_are_counted_by_class),
		BOTH(guards_are_no_threads),
		BOTH(banks_have_conflicts),
		cmocka_unit_test(kernels_on_one_sm_have_their_own_time),
		BOTH(kernels_on_one_sm_have_their_own_counts),
		cmocka_unit_test(a_preempted_kernel_has_what_it_cost),
		BOTH(faults_are_those_of_the_kernel),
		BOTH(the_sum_is_the_devices),
		UNDER(the_sum_is_the_devices, "rcc"),
		UNDER(the_sum_is_the_devices, "mesi"),
		UNDER(the_sum_is_the_devices, "tcs"),
		cmocka_unit_test(each_cycle_counts_once),
		BOTH(counting_changes_nothing),
		cmocka_unit_test(blocks_that_follow_are_counted),
		cmocka_unit_test(a_dropped_kernel_is_not_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
