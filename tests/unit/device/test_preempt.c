// SPDX-License-Identifier: MIT
/*
 * The preemption mechanisms on one SM, computed on paper (Tanasic 5.2.2).
 *
 * On paper a launch takes 1 us to the engine and 0.1 us to set the SM up. The pipeline drains in
 * 0.5 us, and memory is such that the context of one block, of which four fit into the SM, moves in
 * 1 us.
 */
#include "host.h"
#include "manual.h"

#define US	VGPU_US
#define TENTH	(VGPU_US / 10)

static u64 end_of(struct host *h, u32 kernel)
{
	return host_time_of(h, VGPU_TRACE_KERNEL_END, kernel);
}

static u64 start_of(struct host *h, u32 kernel)
{
	return host_time_of(h, VGPU_TRACE_KERNEL_START, kernel);
}

/*
 * Kernel 1 of @blocks x @block_us runs; kernel 2, one block of 10 us, arrives at 51 us and takes
 * the SM.
 */
static void two_kernels(struct host *h, u64 blocks, u64 block_us)
{
	u32 a = host_open(h), b = host_open(h);

	host_push(h, a, host_queue(h, a), cmd_profiled(blocks, block_us * US, 4));
	vgpu_device_run(h->dev, 50 * US, ~0u);
	host_push(h, b, host_queue(h, b), cmd_profiled(1, 10 * US, 4));
	vgpu_device_run(h->dev, 51 * US, ~0u);
	assert_int_equal(vgpu_exec_reserve(&h->dev->exec, 0, manual_kernel(h->dev, 2)), 0);
	assert_int_equal(h->dev->exec.smst[0].state, VGPU_SM_RESERVED);
}

/* Its four blocks end at 101.1, kernel 2 runs 101.2 to 111.2; of the fifth, 111.3 to 211.3. */
static void draining_waits_for_the_blocks(void **state)
{
	struct host *h = manual_one_sm("drain");

	(void)state;
	two_kernels(h, 5, 100);
	host_run(h);
	assert_int_equal(start_of(h, 2), 1012 * TENTH);
	assert_int_equal(end_of(h, 2), 1112 * TENTH);
	assert_int_equal(end_of(h, 1), 2113 * TENTH);
	assert_int_equal(h->preemption_ps, 501 * TENTH);
	assert_int_equal(h->dev->exec.smst[0].time[VGPU_SM_RESERVED], 501 * TENTH);
	assert_int_equal(host_count_of(h, VGPU_TRACE_SAVE_START), 0);
	host_free(h);
}

/*
 * The pipeline is drained at 51.5, four contexts saved at 55.5, kernel 2 set up at 55.6 and over at
 * 65.6. Kernel 1 is set up again at 65.7; its blocks, which have run 50.4 us, are restored at 66.7,
 * 67.7, 68.7, 69.7 and run 49.6 us more: the last to 119.3. The fifth block starts when the first
 * ends, at 116.3, and ends at 216.3.
 */
static void a_switch_saves_and_restores(void **state)
{
	struct host *h = manual_one_sm("switch");
	const struct vgpu_smst *smst = &h->dev->exec.smst[0];

	(void)state;
	two_kernels(h, 5, 100);
	vgpu_device_run(h->dev, 52 * US, ~0u);
	assert_int_equal(smst->state, VGPU_SM_SAVING);
	assert_int_equal(smst->saving, 4);
	vgpu_device_run(h->dev, 66 * US, ~0u);
	assert_int_equal(smst->state, VGPU_SM_RESTORING);
	vgpu_device_run(h->dev, 67 * US, ~0u);
	assert_int_equal(smst->state, VGPU_SM_RUNNING);
	host_run(h);
	assert_int_equal(start_of(h, 2), 556 * TENTH);
	assert_int_equal(end_of(h, 2), 656 * TENTH);
	assert_int_equal(end_of(h, 1), 2163 * TENTH);
	assert_int_equal(h->preemption_ps, 45 * TENTH);
	assert_int_equal(smst->time[VGPU_SM_RESERVED], 5 * TENTH);
	assert_int_equal(smst->time[VGPU_SM_SAVING], 40 * TENTH);
	assert_int_equal(smst->time[VGPU_SM_RESTORING], 10 * TENTH);
	assert_int_equal(host_count_of(h, VGPU_TRACE_RESTORE_END), 4);
	host_free(h);
}

/*
 * 20 us are enough to drain what ends at 61.1: kernel 2 runs 61.2 to 71.2. They are not for blocks
 * of 100 us: those are switched at 71.0, saved at 75.5, and kernel 2 runs 75.6 to 85.6.
 */
static void drain_then_switch_waits_for_some_time(void **state)
{
	struct host *h = manual_one_sm("drain-then-switch");

	(void)state;
	two_kernels(h, 5, 60);
	host_run(h);
	assert_int_equal(end_of(h, 2), 712 * TENTH);
	assert_int_equal(host_count_of(h, VGPU_TRACE_SAVE_START), 0);
	host_free(h);

	h = manual_one_sm("drain-then-switch");
	two_kernels(h, 5, 100);
	host_run(h);
	assert_int_equal(end_of(h, 2), 856 * TENTH);
	assert_int_equal(host_count_of(h, VGPU_TRACE_SAVE_START), 1);
	host_free(h);
}

/* ---- accounts ----------------------------------------------------------- */

/* The switch above: what each state of kernels, blocks and SM comes to. */
static void accounts_say_where_the_time_went(void **state)
{
	struct host *h = manual_one_sm("switch");
	struct vgpu_context_info info;
	const struct vgpu_account *a = &info.account;
	struct vgpu_device_stats stats;

	(void)state;
	two_kernels(h, 5, 100);
	vgpu_device_run(h->dev, 60 * US, ~0u);
	vgpu_context_info(h->dev, 1, &info);
	assert_int_equal(a->save_area, 4 * 65536);
	assert_int_equal(a->kernel_preempted, 45 * TENTH);
	assert_int_equal(a->block_preempted, 4 * 45 * TENTH);
	host_run(h);
	vgpu_context_info(h->dev, 1, &info);
	assert_int_equal(a->kernel_queued, TENTH);
	assert_int_equal(a->kernel_preempted, 101 * TENTH);	/* 55.5 to 65.6 */
	assert_int_equal(a->kernel_running, 2051 * TENTH);	/* the rest of 1.1 to 216.3 */
	assert_int_equal(a->block_running, 5 * 1000 * TENTH);
	assert_int_equal(a->block_saving, 4 * 40 * TENTH);
	assert_int_equal(a->block_preempted, 4 * 102 * TENTH);	/* 55.5 to 65.7 */
	assert_int_equal(a->block_restoring, (10 + 20 + 30 + 40) * TENTH);
	assert_int_equal(a->sm_setup, 2 * TENTH);
	assert_int_equal(a->sm_running, (499 + 1496) * TENTH);	/* 1.1 to 51.0, 66.7 to 216.3 */
	assert_int_equal(a->sm_reserved, 5 * TENTH);
	assert_int_equal(a->sm_saving, 40 * TENTH);
	assert_int_equal(a->sm_restoring, 10 * TENTH);
	assert_int_equal(info.sm_time, 2052 * TENTH);
	assert_int_equal(a->preemptions, 1);
	assert_int_equal(a->preemption_time, 45 * TENTH);
	assert_int_equal(a->blocks_saved, 4);
	assert_int_equal(a->saved_bytes, 4 * 65536);
	assert_int_equal(a->save_area, 0);
	vgpu_context_info(h->dev, 2, &info);
	assert_int_equal(a->kernel_queued, 46 * TENTH);	/* 51.0 to 55.6 */
	assert_int_equal(a->kernel_running, 100 * TENTH);
	assert_int_equal(a->preemptions, 0);
	vgpu_device_stats(h->dev, &stats);
	assert_int_equal(stats.preemptions, 1);
	assert_int_equal(stats.preemption_time, 45 * TENTH);
	assert_int_equal(stats.save_area, 0);
	assert_int_equal(stats.save_area_most, 4 * 65536);
	host_free(h);
}

static void an_sm_can_be_asked(void **state)
{
	struct host *h = manual_one_sm("switch");
	struct vgpu_sm_stats stats;

	(void)state;
	two_kernels(h, 5, 100);
	vgpu_device_run(h->dev, 53 * US, ~0u);
	assert_int_equal(vgpu_device_sm_stats(h->dev, 0, &stats), 0);
	assert_int_equal(stats.state, VGPU_SM_SAVING);
	assert_int_equal(stats.context, 1);
	assert_int_equal(stats.time[VGPU_SM_SAVING], 15 * TENTH);
	assert_int_equal(vgpu_device_sm_stats(h->dev, 1, &stats), -ENOENT);
	assert_string_equal(vgpu_sm_state_name(VGPU_SM_SAVING), "saving");
	assert_string_equal(vgpu_sm_state_name(VGPU_SM_RESTORING), "restoring");
	assert_null(vgpu_sm_state_name(VGPU_SM_STATES));
	host_free(h);
}

/*
 * Table 5.2, every row: what fits into an SM, and how long its save takes, in hundredths of a
 * microsecond as printed.
 */
static void save_times_are_those_of_table_5_2(void **state)
{
	static const struct {
		const char *kernel;
		u32 regs, shared, blocks, save;
	} rows[] = {
		{ "StreamCollide", 4320, 0, 15, 1620 },
		{ "final", 19456, 0, 3, 1459 },
		{ "prescan", 9216, 4096, 4, 1024 },
		{ "intermediates", 8964, 0, 4, 896 },
		{ "main", 16896, 24576, 1, 576 },
		{ "genhists", 7680, 13312, 1, 275 },
		{ "spmvjds", 928, 0, 16, 371 },
		{ "ComputeQ", 5376, 0, 8, 1075 },
		{ "ComputePhiMag", 6144, 0, 4, 614 },
		{ "largersadcalc8", 3328, 0, 16, 1331 },
		{ "largersadcalc16", 832, 0, 16, 333 },
		{ "mbsadcalc", 2135, 2224, 7, 471 },
		{ "mysgemmNT", 4480, 512, 14, 1613 },
		{ "block2Dregtiling", 41984, 0, 1, 1050 },
		{ "lattice6overlap", 3328, 4116, 3, 327 },
		{ "binning", 4096, 0, 4, 410 },
		{ "scaninter1", 1173, 665, 16, 536 },
		{ "scanL1", 9216, 4368, 3, 773 },
		{ "uniformAdd", 4096, 16, 4, 410 },
		{ "reorder", 8192, 0, 4, 819 },
		{ "splitSort", 10240, 4484, 3, 852 },
		{ "griddingGPU", 3648, 1536, 10, 1008 },
		{ "splitRearrange", 5888, 4160, 3, 520 },
		{ "scaninter2", 1173, 665, 16, 536 },
	};
	size_t i, k;

	(void)state;
	assert_int_equal(VGPU_ARRAY_SIZE(rows), 24);
	for (i = 0; i < VGPU_ARRAY_SIZE(rows); i++) {
		struct host *h = host_new("k20c", "preemption=switch", NULL);
		u32 a = host_open(h);
		struct vgpu_cmd cmd = cmd_profiled(rows[i].blocks * 13, 1000 * US, 1);
		u64 start = 0, saved = 0, blocks = 0;

		vgpu_exec_set_policy(&h->dev->exec, &manual_policy);
		cmd.profiled.regs_per_block = rows[i].regs;
		cmd.profiled.shared_bytes = rows[i].shared;
		/*
		 * The table has no threads: as many as let so many blocks in, where registers and
		 * shared memory let in more.
		 */
		cmd.profiled.threads = rows[i].blocks == 1 ? 1024 : 2048 / rows[i].blocks / 32 * 32;
		host_push(h, a, host_queue(h, a), cmd);
		vgpu_device_run(h->dev, 10 * US, ~0u);
		assert_int_equal(vgpu_exec_reserve(&h->dev->exec, 7, manual_kernel(h->dev, 1)), 0);
		host_run(h);
		for (k = 0; k < h->record_count; k++) {
			const struct vgpu_trace_record *r = &h->records[k];

			if (r->type == VGPU_TRACE_SAVE_START) {
				assert_int_equal(r->sm, 7);
				start = r->time;
				blocks = r->a;
			} else if (r->type == VGPU_TRACE_SAVE_END) {
				saved = r->time - start;
			}
		}
		if (blocks != rows[i].blocks || (saved + 5000) / 10000 != rows[i].save)
			fail_msg("%s: %llu blocks saved in %llu ps", rows[i].kernel,
				 (unsigned long long)blocks, (unsigned long long)saved);
		host_free(h);
	}
}

/* ---- the SM driver, transition by transition (figure 5.2) --------------- */

/* tenths at which the SM of the switch above does that */
enum { DRAINING = 512, SAVING = 530, RESTORING = 661 };

/* One block of @tenths from 1.1 on; the SM is reserved at 51.0, and would be saved at 51.5. */
static void one_block(struct host *h, u64 tenths)
{
	u32 a = host_open(h), b = host_open(h);

	host_push(h, a, host_queue(h, a), cmd_profiled(1, tenths * TENTH, 4));
	vgpu_device_run(h->dev, 50 * US, ~0u);
	host_push(h, b, host_queue(h, b), cmd_profiled(1, 10 * US, 4));
	vgpu_device_run(h->dev, 51 * US, ~0u);
	assert_int_equal(vgpu_exec_reserve(&h->dev->exec, 0, manual_kernel(h->dev, 2)), 0);
	host_run(h);
}

/*
 * It ends while the pipeline drains, at 51.3, or at the very time the save would begin: nothing is
 * saved, the SM is handed over.
 */
static void what_ends_in_the_pipeline_has_ended(void **state)
{
	u64 tenths;

	(void)state;
	for (tenths = 502; tenths <= 504; tenths += 2) {
		struct host *h = manual_one_sm("switch");

		one_block(h, tenths);
		assert_int_equal(end_of(h, 1), (11 + tenths) * TENTH);
		assert_int_equal(start_of(h, 2), (12 + tenths) * TENTH);
		assert_int_equal(host_count_of(h, VGPU_TRACE_SAVE_START), 0);
		assert_int_equal(h->preemption_ps, (tenths - 499) * TENTH);
		host_free(h);
	}
}

/*
 * 5.2.4: the decision can change until the SM is free, while it drains and while it saves. Kernel 3
 * waits from 51.0 on.
 */
static void next_can_change_until_the_end(void **state)
{
	static const u64 when[] = { DRAINING, SAVING };
	size_t i;

	(void)state;
	for (i = 0; i < VGPU_ARRAY_SIZE(when); i++) {
		struct host *h = manual_one_sm("switch");
		u32 a = host_open(h), b = host_open(h), c = host_open(h);

		host_push(h, a, host_queue(h, a), cmd_profiled(5, 100 * US, 4));
		vgpu_device_run(h->dev, 50 * US, ~0u);
		host_push(h, b, host_queue(h, b), cmd_profiled(1, 10 * US, 4));
		host_push(h, c, host_queue(h, c), cmd_profiled(1, 10 * US, 4));
		vgpu_device_run(h->dev, 51 * US, ~0u);
		assert_int_equal(vgpu_exec_reserve(&h->dev->exec, 0, manual_kernel(h->dev, 2)), 0);
		vgpu_device_run(h->dev, when[i] * TENTH, ~0u);
		assert_int_equal(h->dev->exec.smst[0].state, i ? VGPU_SM_SAVING : VGPU_SM_RESERVED);
		assert_int_equal(vgpu_exec_reserve(&h->dev->exec, 0, manual_kernel(h->dev, 3)), 0);
		assert_int_equal(manual_kernel(h->dev, 2)->reserved, 0);
		assert_int_equal(manual_kernel(h->dev, 3)->reserved, 1);
		assert_true(vgpu_exec_check(&h->dev->exec));
		host_run(h);
		assert_int_equal(start_of(h, 3), 556 * TENTH);
		assert_int_equal(h->preemptions, 1);
		host_free(h);
	}
}

/* Whoever dies, whenever: nothing is left of it, and the SM goes to the other. */
static void contexts_die_at_every_stage(void **state)
{
	static const u64 when[] = { DRAINING, SAVING, 600, RESTORING, 672 };
	static const char *const mechanisms[] = { "drain", "switch", "drain-then-switch",
						  "flush", "chimera" };
	size_t i, m;
	u32 victim;

	(void)state;
	for (m = 0; m < VGPU_ARRAY_SIZE(mechanisms); m++) {
		for (i = 0; i < VGPU_ARRAY_SIZE(when); i++) {
			for (victim = 1; victim <= 2; victim++) {
				struct host *h = manual_one_sm(mechanisms[m]);
				struct vgpu_device_stats stats;

				two_kernels(h, 5, 100);
				vgpu_device_run(h->dev, when[i] * TENTH, ~0u);
				assert_int_equal(vgpu_context_close(h->dev, victim), 0);
				assert_true(vgpu_exec_check(&h->dev->exec));
				if (victim == 1) {
					vgpu_device_stats(h->dev, &stats);
					assert_int_equal(stats.save_area, 0);
				}
				host_run(h);
				assert_int_equal(h->completion_count, 2);
				assert_int_equal(host_done(h, 3 - victim, 2 - victim, 1)->status,
						 0);
				host_free(h);
			}
		}
	}
}

/*
 * Kernel 2 dies while the SM saves for it: the preemption goes on, then kernel 1 gets its SM back.
 * At 55.5: set up, restored from 55.6.
 */
static void a_lapsed_reservation_is_the_policys_again(void **state)
{
	struct host *h = manual_one_sm("switch");

	(void)state;
	two_kernels(h, 4, 100);
	vgpu_device_run(h->dev, SAVING * TENTH, ~0u);
	assert_int_equal(vgpu_context_close(h->dev, 2), 0);
	assert_int_equal(h->dev->exec.smst[0].state, VGPU_SM_SAVING);
	assert_null(h->dev->exec.smst[0].next);
	host_run(h);
	/* restored at 59.6, 49.6 to go */
	assert_int_equal(end_of(h, 1), 1092 * TENTH);
	host_free(h);
}

/*
 * Taken again at 68.0, for its own kernel: blocks 0 and 1 run again, block 2 is being restored,
 * block 3 waits. Those two go back, in their order, block 2 at 68.7; the other two are saved from
 * then to 70.7, behind them. The SM is set up at 70.8 and restores 2, 3, 0, 1 by 74.8. With
 * @abandon all of it is 0.2 us earlier: block 2 goes back at once, and the save begins when the
 * pipeline is drained.
 */
static void goes_back(bool abandon)
{
	static const u64 order[] = { 0, 1, 2, 3, 0, 1, 2, 3, 0, 1 };
	struct host *h = manual_one_sm("switch");
	u64 sooner = abandon ? 2 * TENTH : 0;
	struct vgpu_context_info info;
	size_t i, seen = 0;

	assert_int_equal(
		vgpu_device_knob_set(h->dev, "abandon_restores", abandon ? "1" : "0"), 0);
	two_kernels(h, 4, 100);
	vgpu_device_run(h->dev, 68 * US, ~0u);
	assert_int_equal(h->dev->exec.sms[0].resident_count, 2);
	assert_int_equal(vgpu_exec_reserve(&h->dev->exec, 0, manual_kernel(h->dev, 1)), 0);
	assert_int_equal(h->dev->exec.smst[0].state, VGPU_SM_RESERVED);
	assert_int_equal(manual_kernel(h->dev, 1)->unclaimed, abandon ? 2 : 1);
	assert_int_equal(
		vgpu_list_first(&manual_kernel(h->dev, 1)->ptbq, struct vgpu_block, node)->index,
		abandon ? 2 : 3);
	assert_true(vgpu_exec_check(&h->dev->exec));
	host_run(h);
	vgpu_context_info(h->dev, 1, &info);
	assert_int_equal(info.account.restores_abandoned, 1);
	assert_int_equal(host_count_of(h, VGPU_TRACE_SAVE_START), 2);
	for (i = 0; i < h->record_count; i++) {
		const struct vgpu_trace_record *r = &h->records[i];

		if (r->type == VGPU_TRACE_SAVE_END && r->time > 60 * US) {
			assert_int_equal(r->a, 2);
			assert_int_equal(r->time, 707 * TENTH - sooner);
		}
		if (r->kernel == 1 &&
		    (r->type == VGPU_TRACE_BLOCK_START || r->type == VGPU_TRACE_BLOCK_RESUME))
			assert_int_equal(r->a, order[seen++]);
	}
	assert_int_equal(seen, VGPU_ARRAY_SIZE(order));
	/* Block 1 comes last: it has run 50.4 us, and 0.8 from 67.7 to 68.5. */
	assert_int_equal(end_of(h, 1), 748 * TENTH - sooner + (1000 - 504 - 8) * TENTH);
	host_free(h);
}

static void what_is_not_whole_goes_back(void **state)
{
	(void)state;
	goes_back(false);
	goes_back(true);
}

/* With abandon_restores an SM whose blocks are all being restored changes hands at once. */
static void restoring_changes_hands_at_once(void **state)
{
	struct host *h = manual_one_sm("switch");
	u32 c;

	(void)state;
	assert_int_equal(vgpu_device_knob_set(h->dev, "abandon_restores", "1"), 0);
	two_kernels(h, 4, 100);
	c = host_open(h);
	vgpu_device_run(h->dev, 60 * US, ~0u);
	host_push(h, c, host_queue(h, c), cmd_profiled(1, 10 * US, 4));
	vgpu_device_run(h->dev, RESTORING * TENTH, ~0u);
	assert_int_equal(h->dev->exec.smst[0].state, VGPU_SM_RESTORING);
	assert_int_equal(vgpu_exec_reserve(&h->dev->exec, 0, manual_kernel(h->dev, 3)), 0);
	assert_int_equal(h->dev->exec.smst[0].state, VGPU_SM_SETUP);
	assert_int_equal(h->preemptions, 1);
	host_run(h);
	assert_int_equal(h->preemptions, 1);
	assert_int_equal(start_of(h, 3), (RESTORING + 1) * TENTH);
	assert_int_equal(host_count_of(h, VGPU_TRACE_SAVE_START), 1);
	/* 76.2 + 0.1 + four restores + 49.6 */
	assert_int_equal(end_of(h, 1), (762 + 1 + 40 + 496) * TENTH);
	host_free(h);
}

/* Without, when the first restore has ended, at 66.7: a preemption of that time. */
static void a_restore_ends_before_the_sm_is_free(void **state)
{
	struct host *h = manual_one_sm("switch");
	u32 c;

	(void)state;
	two_kernels(h, 4, 100);
	c = host_open(h);
	vgpu_device_run(h->dev, 60 * US, ~0u);
	host_push(h, c, host_queue(h, c), cmd_profiled(1, 10 * US, 4));
	vgpu_device_run(h->dev, RESTORING * TENTH, ~0u);
	h->preemption_ps = 0;
	assert_int_equal(vgpu_exec_reserve(&h->dev->exec, 0, manual_kernel(h->dev, 3)), 0);
	assert_int_equal(h->dev->exec.smst[0].state, VGPU_SM_RESTORING);
	assert_true(vgpu_exec_check(&h->dev->exec));
	host_run(h);
	assert_int_equal(h->preemptions, 2);
	assert_int_equal(h->preemption_ps, (667 - RESTORING) * TENTH);
	assert_int_equal(start_of(h, 3), 668 * TENTH);
	assert_int_equal(host_count_of(h, VGPU_TRACE_SAVE_START), 1);
	/* 76.8 + 0.1 + four restores + 49.6 */
	assert_int_equal(end_of(h, 1), (768 + 1 + 40 + 496) * TENTH);
	host_free(h);
}

/*
 * Another mechanism, or none, is chosen while the SM drains and while it saves: what has begun goes
 * on.
 */
static void a_mechanism_changes_under_way(void **state)
{
	(void)state;
	for (u32 to = 0; to < 2; to++) {
		struct host *h = manual_one_sm("drain");

		two_kernels(h, 5, 100);
		assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", to ? "none" : "switch"),
				 0);
		host_run(h);
		assert_int_equal(start_of(h, 2), 1012 * TENTH);
		host_free(h);

		h = manual_one_sm("switch");
		two_kernels(h, 5, 100);
		vgpu_device_run(h->dev, SAVING * TENTH, ~0u);
		assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", to ? "none" : "drain"),
				 0);
		host_run(h);
		assert_int_equal(start_of(h, 2), 556 * TENTH);
		assert_int_equal(end_of(h, 1), 2163 * TENTH);
		host_free(h);
	}
}

/*
 * A watchdog of 120 us. A kernel with one block of 150 us runs from 1.1 to 52.5 (switched, the save
 * of one block included), gets the SM back at 62.6, and has had its 120 us at 131.2. One of 100 us
 * ends in peace: on the SM 51.4 and 50.7 us, and 10.1 us off it.
 */
static void the_watchdog_counts_what_ran(void **state)
{
	struct host *h = manual_one_sm("switch");

	(void)state;
	assert_int_equal(vgpu_device_knob_set(h->dev, "watchdog_us", "120"), 0);
	two_kernels(h, 1, 150);
	host_run(h);
	assert_int_equal(h->fault_count, 1);
	assert_int_equal(h->faults[0].reason, VGPU_FAULT_WATCHDOG);
	assert_int_equal(h->faults[0].time, 1312 * TENTH);
	host_free(h);

	h = manual_one_sm("switch");
	assert_int_equal(vgpu_device_knob_set(h->dev, "watchdog_us", "105"), 0);
	two_kernels(h, 1, 100);
	host_run(h);
	assert_int_equal(h->fault_count, 0);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draining_waits_for_the_blocks),
		cmocka_unit_test(a_switch_saves_and_restores),
		cmocka_unit_test(drain_then_switch_waits_for_some_time),
		cmocka_unit_test(accounts_say_where_the_time_went),
		cmocka_unit_test(an_sm_can_be_asked),
		cmocka_unit_test(save_times_are_those_of_table_5_2),
		cmocka_unit_test(what_ends_in_the_pipeline_has_ended),
		cmocka_unit_test(next_can_change_until_the_end),
		cmocka_unit_test(contexts_die_at_every_stage),
		cmocka_unit_test(a_lapsed_reservation_is_the_policys_again),
		cmocka_unit_test(what_is_not_whole_goes_back),
		cmocka_unit_test(restoring_changes_hands_at_once),
		cmocka_unit_test(a_restore_ends_before_the_sm_is_free),
		cmocka_unit_test(a_mechanism_changes_under_way),
		cmocka_unit_test(the_watchdog_counts_what_ran),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
