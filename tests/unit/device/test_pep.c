// SPDX-License-Identifier: MIT
/*
 * PEP on one SM, computed on paper (docs/preemption.md): the cases a to e of Li et al., figure 3.
 *
 * As in test_preempt.c: a launch takes 1 us, the setup of the SM 0.1 us, so blocks of the first
 * kernel start at 1.1 us. Four fit into the SM. The pipeline drains in 0.5 us, and the context of
 * one block takes 1 us: W is 4.5 us. Half of it is dirty at a base checkpoint, which so takes 2 us,
 * and a quarter of it after that: an increment takes 1 us. An announcement takes 1.3 us to the SM,
 * and the launch is expected 20 us after it.
 */
#include <stdio.h>

#include "host.h"
#include "manual.h"

#define US	VGPU_US
#define TENTH	(VGPU_US / 10)
#define CYCLES	1416430u	/* 1,000 of 706 MHz, in picoseconds */

struct pep {
	struct host *h;
	u32 a, b, queue;
};

/*
 * Kernel 1 has @blocks of @block_us. Kernel 2, one block of 10 us, is launched at @launch tenths.
 */
static struct pep begin(u64 blocks, u64 block_us, const char *in_place)
{
	struct pep t = { .h = manual_one_sm("pep") };
	struct vgpu_cmd cmd = cmd_profiled(blocks, block_us * US, 4);

	cmd.profiled.clean_base_permille = 500;
	cmd.profiled.clean_increment_permille = 750;
	assert_int_equal(vgpu_device_knob_set(t.h->dev, "pep_in_place", in_place), 0);
	t.a = host_open(t.h);
	t.b = host_open(t.h);
	t.queue = host_queue(t.h, t.b);
	host_push(t.h, t.a, host_queue(t.h, t.a), cmd);
	return t;
}

static void announce(struct pep *t, u64 tenths)
{
	struct vgpu_cmd cmd = { .op = VGPU_CMD_ANNOUNCE };

	vgpu_device_run(t->h->dev, tenths * TENTH, ~0u);
	host_push(t->h, t->b, t->queue, cmd);
}

/* Kernel 2 is launched so that it comes at @tenths, and takes the SM then. */
static void reserve(struct pep *t, u64 tenths)
{
	vgpu_device_run(t->h->dev, (tenths - 10) * TENTH, ~0u);
	host_push(t->h, t->b, t->queue, cmd_profiled(1, 10 * US, 4));
	vgpu_device_run(t->h->dev, tenths * TENTH, ~0u);
	assert_true(vgpu_exec_check(&t->h->dev->exec));
	assert_int_equal(vgpu_exec_reserve(&t->h->dev->exec, 0, manual_kernel(t->h->dev, 2)), 0);
	assert_true(vgpu_exec_check(&t->h->dev->exec));
}

static struct vgpu_account account_of(struct pep *t, u32 context)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_context_info(t->h->dev, context, &info), 0);
	return info.account;
}

/* Runs to the end; kernel 2 starts and kernel 1 ends at these times. */
static struct vgpu_account ends(struct pep *t, u64 second_start, u64 first_end)
{
	struct vgpu_account account;

	host_run(t->h);
	assert_true(vgpu_exec_check(&t->h->dev->exec));
	assert_int_equal(host_time_of(t->h, VGPU_TRACE_KERNEL_START, 2), second_start);
	assert_int_equal(host_time_of(t->h, VGPU_TRACE_KERNEL_END, 1), first_end);
	account = account_of(t, t->a);
	assert_int_equal(account.save_area, 0);
	assert_int_equal(t->h->dev->exec.bases, 0);
	assert_int_equal(t->h->dev->exec.smst[0].in_place, 0);
	assert_int_equal(account_of(t, t->b).announcements_broken, 0);
	return account;
}

#define BLOCK	65536u	/* bytes of a context */

/*
 * Announced at 10.0, the SM knows at 11.3, stands, is drained at 11.8 and saved at 13.8; its blocks
 * have run for 10.7. Reserved at 21.0, it is drained at 21.5, and they have run for 7.7 more; the
 * increment takes until 22.5. Kernel 2 runs 22.6 to 32.6. Then from 32.7 each block is restored in
 * 0.75, the last at 35.7, and has 81.6 left.
 */
static void two_checkpoints(void **state)
{
	struct pep t = begin(4, 100, "0");
	struct vgpu_account account;

	(void)state;
	announce(&t, 100);
	vgpu_device_run(t.h->dev, 138 * TENTH, ~0u);
	assert_true(vgpu_exec_check(&t.h->dev->exec));
	assert_int_equal(account_of(&t, t.a).save_area, 4 * BLOCK / 2);
	reserve(&t, 210);
	account = ends(&t, 226 * TENTH, 1173 * TENTH);
	assert_int_equal(account.blocks_checkpointed, 4);
	assert_int_equal(account.checkpoint_bytes, 4 * BLOCK / 2);
	assert_int_equal(account.blocks_saved, 4);
	assert_int_equal(account.saved_bytes, 4 * (BLOCK / 2 + BLOCK / 4));
	assert_int_equal(account.in_place_bytes, 0);
	assert_int_equal(t.h->preemption_ps, 15 * TENTH);
	assert_int_equal(account_of(&t, t.b).announced_stall, 25 * TENTH);
	host_free(t.h);
}

/*
 * The same, but kernel 2 has one block, and leaves room for three contexts: the increment of one
 * stays on the SM, which is handed over at 21.5. Restored are only the bases, 0.5 each.
 */
static void the_increment_stays_in_place(void **state)
{
	struct pep t = begin(4, 100, "1");
	struct vgpu_account account;

	(void)state;
	announce(&t, 100);
	reserve(&t, 210);
	account = ends(&t, 216 * TENTH, 1153 * TENTH);
	assert_int_equal(account.saved_bytes, 4 * BLOCK / 2);
	assert_int_equal(account.in_place_bytes, 4 * BLOCK / 4);
	assert_int_equal(t.h->preemption_ps, 5 * TENTH);
	host_free(t.h);
}

/*
 * Reserved at 12.0, while the base checkpoint is made: handed over at 13.8 when that has been made.
 * Kernel 2 runs 13.9 to 23.9; from 24.0 bases are restored, the last at 26.0, with 89.3 left.
 */
static void one_checkpoint(void **state)
{
	struct pep t = begin(4, 100, "1");
	struct vgpu_account account;

	(void)state;
	announce(&t, 100);
	reserve(&t, 120);
	account = ends(&t, 139 * TENTH, 1153 * TENTH);
	assert_int_equal(account.blocks_checkpointed, 4);
	assert_int_equal(account.saved_bytes, 4 * BLOCK / 2);
	assert_int_equal(t.h->preemption_ps, 18 * TENTH);
	host_free(t.h);
}

/* Reserved at 11.5, before it has begun: it is saved at 11.8 as it would have been. */
static void a_request_while_the_pipeline_drains(void **state)
{
	struct pep t = begin(4, 100, "0");
	struct vgpu_account account;

	(void)state;
	announce(&t, 100);
	reserve(&t, 115);
	account = ends(&t, 139 * TENTH, 1153 * TENTH);
	assert_int_equal(account.blocks_checkpointed, 0);
	assert_int_equal(account.saved_bytes, 4 * BLOCK / 2);
	host_free(t.h);
}

/*
 * Blocks of 10 us, announced at 2.1: at 3.4 they have 7.7 left, and the launch is expected later.
 * Four others come at 11.1 and have 8.6 left when they are looked at, at 12.5: still less than the
 * 9.6 until the launch. Reserved at 18.0, they end at 21.1, sooner than a switch.
 */
static void blocks_drain(void **state)
{
	struct pep t = begin(12, 10, "1");
	struct vgpu_account account;

	(void)state;
	announce(&t, 21);
	reserve(&t, 180);
	/* kernel 2 to 31.2, the last four from 31.3 */
	account = ends(&t, 212 * TENTH, 413 * TENTH);
	assert_int_equal(account.blocks_checkpointed, 0);
	assert_int_equal(account.blocks_saved, 0);
	assert_int_equal(account_of(&t, t.b).announced_stall, 0);
	host_free(t.h);
}

/*
 * Blocks of 40 us, announced at 30.0: at 31.3 they have 9.8 left, less than until the launch. The
 * next four come at 41.1, run for 1,000 cycles, and will not end in time: drained 0.5 us later, and
 * the base checkpoint takes 2 us. Reserved at 44.0, before it is made.
 */
static void blocks_drain_then_one_checkpoint(void **state)
{
	struct pep t = begin(8, 40, "1");
	u64 made = 411 * TENTH + CYCLES + 25 * TENTH;
	struct vgpu_account account;

	(void)state;
	announce(&t, 300);
	reserve(&t, 440);
	/*
	 * kernel 2 runs 10 us; bases are restored in 2 us, and 40 us less 0.5 and the cycles are
	 * left
	 */
	account = ends(&t, made + TENTH,
		       made + TENTH + 10 * US + TENTH + 2 * US + 395 * TENTH - CYCLES);
	assert_int_equal(account.blocks_checkpointed, 4);
	assert_int_equal(account.saved_bytes, 4 * BLOCK / 2);
	host_free(t.h);
}

/* The same, reserved at 50.0: the increment is saved from 50.5 to 51.5. */
static void blocks_drain_then_two_checkpoints(void **state)
{
	struct pep t = begin(8, 40, "0");
	struct vgpu_account account;
	u64 ran = 505 * TENTH - 411 * TENTH - 2 * US;

	(void)state;
	announce(&t, 300);
	reserve(&t, 500);
	/* kernel 2 from 51.6 to 61.6; each is restored in 0.75 from 61.7 on */
	account = ends(&t, 516 * TENTH, 647 * TENTH + 40 * US - ran);
	assert_int_equal(account.blocks_checkpointed, 4);
	assert_int_equal(account.saved_bytes, 4 * (BLOCK / 2 + BLOCK / 4));
	host_free(t.h);
}

/* Nothing is announced: a switch of what is dirty, 51.6 to 53.6. */
static void nothing_was_announced(void **state)
{
	struct pep t = begin(4, 100, "0");
	struct vgpu_account account;

	(void)state;
	reserve(&t, 511);
	account = ends(&t, 537 * TENTH, 537 * TENTH + 10 * US + TENTH + 2 * US + 495 * TENTH);
	assert_int_equal(account.saved_bytes, 4 * BLOCK / 2);
	host_free(t.h);
}

/*
 * The base checkpoint of a block is released when that ends, at 103.1 and 2.5 for the checkpoint.
 */
static void a_block_ends_after_its_checkpoint(void **state)
{
	struct pep t = begin(4, 100, "1");

	(void)state;
	announce(&t, 100);
	vgpu_device_run(t.h->dev, 1030 * TENTH, ~0u);
	assert_int_equal(account_of(&t, t.a).save_area, 4 * BLOCK / 2);
	vgpu_device_run(t.h->dev, 1032 * TENTH, ~0u);
	assert_int_equal(account_of(&t, t.a).save_area, 0);
	assert_int_equal(t.h->dev->exec.bases, 0);
	host_run(t.h);
	assert_int_equal(host_time_of(t.h, VGPU_TRACE_KERNEL_END, 1), 1031 * TENTH);
	host_free(t.h);
}

/*
 * Announced and never launched: after 200 us the checkpoints are gone. What the SM has stood for,
 * 2.5 us, the next launch comes later, and until then no announcement counts.
 */
static void no_launch_follows(void **state)
{
	struct pep t = begin(4, 1000, "1");

	(void)state;
	announce(&t, 100);
	announce(&t, 150);
	assert_int_equal(account_of(&t, t.b).announcements, 1);
	vgpu_device_run(t.h->dev, 2099 * TENTH, ~0u);
	assert_int_equal(account_of(&t, t.a).save_area, 4 * BLOCK / 2);
	vgpu_device_run(t.h->dev, 2101 * TENTH, ~0u);
	assert_int_equal(account_of(&t, t.a).save_area, 0);
	assert_int_equal(account_of(&t, t.b).announcements_broken, 1);
	announce(&t, 2200);
	vgpu_device_run(t.h->dev, 2300 * TENTH, ~0u);
	assert_int_equal(account_of(&t, t.a).blocks_checkpointed, 4);
	assert_int_equal(account_of(&t, t.b).announcements, 1);
	host_push(t.h, t.b, t.queue, cmd_profiled(1, 10 * US, 4));
	/* 1 us of the launch and 2.5 us */
	vgpu_device_run(t.h->dev, 2334 * TENTH, ~0u);
	assert_null(manual_kernel(t.h->dev, 2));
	vgpu_device_run(t.h->dev, 2336 * TENTH, ~0u);
	assert_non_null(manual_kernel(t.h->dev, 2));
	/* now it counts again */
	announce(&t, 2400);
	assert_int_equal(account_of(&t, t.b).announcements, 2);
	host_run(t.h);
	assert_true(vgpu_exec_check(&t.h->dev->exec));
	host_free(t.h);
}

/* Who has announced dies: what was prepared is forgotten, also in the middle of a checkpoint. */
static void the_announcer_dies(void **state)
{
	(void)state;
	for (u64 at = 105; at < 145; at += 5) {
		struct pep t = begin(4, 100, "1");

		announce(&t, 100);
		vgpu_device_run(t.h->dev, at * TENTH, ~0u);
		vgpu_context_close(t.h->dev, t.b);
		assert_true(vgpu_exec_check(&t.h->dev->exec));
		host_run(t.h);
		assert_true(vgpu_exec_check(&t.h->dev->exec));
		assert_int_equal(t.h->dev->exec.bases, 0);
		assert_int_equal(account_of(&t, t.a).save_area, 0);
		host_free(t.h);
	}
}

/* The same of who is prepared. */
static void the_victim_dies(void **state)
{
	(void)state;
	for (u64 at = 105; at < 235; at += 5) {
		struct pep t = begin(4, 100, "1");
		struct vgpu_device_stats stats;

		announce(&t, 100);
		if (at > 210)
			reserve(&t, 210);
		vgpu_device_run(t.h->dev, at * TENTH, ~0u);
		vgpu_context_close(t.h->dev, t.a);
		assert_true(vgpu_exec_check(&t.h->dev->exec));
		host_run(t.h);
		vgpu_device_stats(t.h->dev, &stats);
		assert_int_equal(t.h->dev->exec.bases, 0);
		assert_int_equal(t.h->dev->exec.save_area, 0);
		assert_int_equal(t.h->dev->exec.smst[0].in_place, 0);
		host_free(t.h);
	}
}

/*
 * An SM is set up for a kernel that needs the room of what is in place: that moves to memory
 * first.
 */
static void what_is_in_the_way_moves_to_memory(void **state)
{
	struct pep t = begin(4, 100, "1");
	struct vgpu_exec *exec = &t.h->dev->exec;
	u32 c = host_open(t.h), queue = host_queue(t.h, c);

	(void)state;
	announce(&t, 100);
	reserve(&t, 210);
	vgpu_device_run(t.h->dev, 220 * TENTH, ~0u);
	assert_int_equal(exec->smst[0].in_place, BLOCK);
	/*
	 * Four blocks need all registers. Kernel 2 is drained at 23.5 and saved at 24.5. 16 KB of
	 * shared memory are free: the increment of one block stays, those of three take 0.75
	 */
	host_push(t.h, c, queue, cmd_profiled(4, 10 * US, 4));
	vgpu_device_run(t.h->dev, 230 * TENTH, ~0u);
	assert_int_equal(vgpu_exec_reserve(exec, 0, manual_kernel(t.h->dev, 3)), 0);
	vgpu_device_run(t.h->dev, 260 * TENTH, ~0u);
	assert_int_equal(exec->smst[0].in_place, BLOCK / 4);
	host_run(t.h);
	assert_true(vgpu_exec_check(exec));
	assert_int_equal(host_time_of(t.h, VGPU_TRACE_KERNEL_START, 3), 2535 * TENTH / 10);
	assert_int_equal(account_of(&t, t.a).saved_bytes, 4 * (BLOCK / 2) + 3 * (BLOCK / 4));
	assert_int_equal(exec->smst[0].in_place, 0);
	host_free(t.h);
}

/*
 * As when nothing was announced, but kernel 2 comes at 51.1, and ends at 63.7: blocks of kernel 1
 * are restored from 63.8 on, 0.5 each, and have 49.5 left. At 65.1 the SM is looked at: it stands,
 * with blocks 0 and 1; block 2 comes at 65.3 and is taken along at 65.6. Block 3 is being restored
 * then, until 65.8, and runs from then on. The bases of the others have been saved at 67.3: they
 * have run for 1.3, 0.8 and 0.3.
 */
static void an_sm_that_restores(void **state)
{
	struct pep t = begin(4, 100, "0");
	struct vgpu_account account;

	(void)state;
	reserve(&t, 511);
	announce(&t, 638);
	for (u64 time = 639; time < 680; time++) {
		vgpu_device_run(t.h->dev, time * TENTH, ~0u);
		assert_true(vgpu_exec_check(&t.h->dev->exec));
	}
	assert_int_equal(t.h->dev->exec.bases, 3);
	assert_int_equal(account_of(&t, t.a).save_area, 3 * BLOCK / 2);
	assert_int_equal(account_of(&t, t.b).announced_stall, 22 * TENTH);
	/*
	 * Drained at 80.5: a half and three increments of a quarter. Kernel 3 81.85 to 91.85. In
	 * the order 3, 0, 1, 2, restored by 92.45, 93.2, 93.95 and 94.7; block 2 has 36.0 left.
	 */
	vgpu_device_run(t.h->dev, 790 * TENTH, ~0u);
	host_push(t.h, t.b, t.queue, cmd_profiled(1, 10 * US, 4));
	vgpu_device_run(t.h->dev, 800 * TENTH, ~0u);
	assert_int_equal(vgpu_exec_reserve(&t.h->dev->exec, 0, manual_kernel(t.h->dev, 3)), 0);
	account = ends(&t, 537 * TENTH, 1307 * TENTH);
	assert_int_equal(host_time_of(t.h, VGPU_TRACE_KERNEL_START, 3), 8185 * TENTH / 10);
	assert_int_equal(account.blocks_checkpointed, 3);
	assert_int_equal(account.saved_bytes,
			 4 * BLOCK / 2 + 3 * (BLOCK / 2 + BLOCK / 4) + BLOCK / 2);
	host_free(t.h);
}

/*
 * Block switching: block 0 leaves at 10.9, and is off the SM from 11.4 to the end of the base
 * checkpoint of the others, which is drained at 11.8 and takes 1.5. Then it comes back, by 13.8. At
 * the request its half is saved, and their quarters: from 21.5 to 22.75.
 */
static void a_block_is_off_the_sm(void **state)
{
	struct pep t = begin(4, 100, "0");
	struct vgpu_exec *exec = &t.h->dev->exec;
	struct vgpu_account account;

	(void)state;
	assert_int_equal(vgpu_device_knob_set(t.h->dev, "block_switching", "1"), 0);
	announce(&t, 100);
	vgpu_device_run(t.h->dev, 109 * TENTH, ~0u);
	assert_int_equal(vgpu_exec_swap_out(exec, vgpu_sm_first(&exec->sms[0])), 0);
	vgpu_device_run(t.h->dev, 130 * TENTH, ~0u);
	assert_true(vgpu_exec_check(exec));
	assert_int_equal(exec->smst[0].off_count, 1);
	vgpu_device_run(t.h->dev, 140 * TENTH, ~0u);
	assert_true(vgpu_exec_check(exec));
	assert_int_equal(exec->smst[0].off_count, 0);
	assert_int_equal(exec->bases, 3);
	reserve(&t, 210);
	/* the three are restored in 0.75 each, it in 0.5, and has 82.5 left */
	account = ends(&t, 2285 * TENTH / 10, 1182 * TENTH);
	assert_int_equal(account.blocks_checkpointed, 3);
	assert_int_equal(account.saved_bytes, 3 * (BLOCK / 2 + BLOCK / 4) + 2 * BLOCK / 2);
	assert_int_equal(t.h->preemption_ps, 175 * TENTH / 10);
	assert_int_equal(account_of(&t, t.b).announced_stall, 20 * TENTH);
	host_free(t.h);
}

/* The last block on the SM ends while the pipeline drains, others are to be restored: they come. */
static void nothing_is_left_to_save(void **state)
{
	struct pep t = begin(4, 100, "0");
	struct vgpu_exec *exec = &t.h->dev->exec;
	struct vgpu_block *block;

	(void)state;
	vgpu_device_run(t.h->dev, 1000 * TENTH, ~0u);
	assert_int_equal(vgpu_device_knob_set(t.h->dev, "block_switching", "1"), 0);
	for (u32 n = 0; n < 3; n++) {
		block = vgpu_sm_first(&exec->sms[0]);
		assert_int_equal(vgpu_exec_swap_out(exec, block), 0);
	}
	/* all three are saved at 101.5; the other would be drained at 101.3: it ends before */
	vgpu_device_run(t.h->dev, 1008 * TENTH, ~0u);
	vgpu_exec_checkpoint(exec, 0, 0);
	for (u64 time = 1009; time < 1100; time++) {
		vgpu_device_run(t.h->dev, time * TENTH, ~0u);
		assert_true(vgpu_exec_check(exec));
	}
	host_run(t.h);
	assert_false(exec->smst[0].checkpointing);
	assert_int_equal(exec->checkpointing, 0);
	assert_int_equal(exec->bases, 0);
	host_free(t.h);
}

/*
 * The lead is launch_ps: a process announces its launch when it calls for it. Kernel 2 comes so
 * much later, and its context is more important. The announcement takes 1.3 us to the SM, the base
 * checkpoint 2.5: with less than that it is a switch of all that is dirty, 2.5, or of what is left
 * of the base checkpoint. From then on it is the increment, 1.5, up to where the four blocks end.
 */
static u64 latency_with_lead(const char *launch_ps)
{
	struct host *h = host_new("k20c", "sms=1", "active_kernels=8",
				  "memory_bandwidth=65536000000", "pipeline_drain_ps=500000",
				  "policy=ppq-shared", "preemption=pep", launch_ps, NULL);
	struct vgpu_cmd cmd = cmd_profiled(4, 200 * US, 4), call = { .op = VGPU_CMD_ANNOUNCE };
	u32 a = host_open(h), b = host_open(h), queue = host_queue(h, b);
	u64 latency;

	cmd.profiled.clean_base_permille = 500;
	cmd.profiled.clean_increment_permille = 750;
	assert_int_equal(vgpu_device_knob_set(h->dev, "pep_in_place", "0"), 0);
	assert_int_equal(vgpu_context_priority(h->dev, b, 1), 0);
	host_push(h, a, host_queue(h, a), cmd);
	vgpu_device_run(h->dev, 50 * US, ~0u);
	host_push(h, b, queue, call);
	host_push(h, b, queue, cmd_profiled(1, 10 * US, 4));
	vgpu_device_run(h->dev, 100 * US, ~0u);
	assert_true(vgpu_exec_check(&h->dev->exec));
	latency = h->preemption_ps;
	host_run(h);
	host_free(h);
	return latency;
}

static void the_lead_is_that_of_the_launch(void **state)
{
	(void)state;
	assert_int_equal(latency_with_lead("launch_ps=1000000"), 25 * TENTH);
	/* announced at 50.0, the base has been made at 53.8 */
	assert_int_equal(latency_with_lead("launch_ps=2000000"), 18 * TENTH);
	assert_int_equal(latency_with_lead("launch_ps=3400000"), 4 * TENTH);
	assert_int_equal(latency_with_lead("launch_ps=5000000"), 15 * TENTH);
	assert_int_equal(latency_with_lead("launch_ps=15000000"), 15 * TENTH);
	assert_int_equal(latency_with_lead("launch_ps=25000000"), 15 * TENTH);
	assert_int_equal(latency_with_lead("launch_ps=35000000"), 15 * TENTH);
}

/* Blocks that the registers of an SM have room for, at most four. */
static u32 places(const struct vgpu_config *config)
{
	u32 most = config->regs_per_sm * 4 / BLOCK;

	return most < 4 ? most : 4;
}

/*
 * A device as it is made, but for policy, mechanism, @lead and in place: a process with priority
 * announces its launch when it calls for it, and launches at once, as the runtime does. Its kernel
 * takes all places of all SMs. Returns how long the first of them took to be handed over.
 */
static u64 latency_of_call(const char *preset, const char *lead)
{
	struct vgpu_cmd cmd, call = { .op = VGPU_CMD_ANNOUNCE };
	struct vgpu_context_info info;
	struct vgpu_config config;
	u32 a, b, queue;
	struct host *h;
	u64 latency;

	assert_int_equal(vgpu_config_preset(&config, preset), 0);
	assert_int_equal(vgpu_config_set(&config, "policy", "ppq-exclusive"), 0);
	assert_int_equal(vgpu_config_set(&config, "preemption", "pep"), 0);
	assert_int_equal(vgpu_config_set(&config, "pep_lead_ps", lead), 0);
	assert_int_equal(vgpu_config_set(&config, "pep_in_place", "0"), 0);
	h = host_new_config(&config);
	a = host_open(h);
	b = host_open(h);
	queue = host_queue(h, b);
	assert_int_equal(vgpu_context_priority(h->dev, b, 1), 0);
	cmd = cmd_profiled(places(&config) * config.sms, 200 * US, 4);
	cmd.profiled.clean_base_permille = 500;
	cmd.profiled.clean_increment_permille = 750;
	host_push(h, a, host_queue(h, a), cmd);
	vgpu_device_run(h->dev, 50 * US, ~0u);
	host_push(h, b, queue, call);
	host_push(h, b, queue, cmd_profiled(places(&config) * config.sms, 10 * US, 4));
	vgpu_device_run(h->dev, 120 * US, ~0u);
	assert_true(vgpu_exec_check(&h->dev->exec));
	assert_int_equal(h->preemptions, config.sms);
	latency = h->preemption_ps;
	assert_int_equal(vgpu_context_info(h->dev, a, &info), 0);
	assert_int_equal(info.account.blocks_checkpointed,
			 config.pep_lead_ps ? places(&config) * config.sms : 0);
	host_run(h);
	host_free(h);
	return latency;
}

/*
 * Of every preset: without a lead the signal comes too late, and half of the registers of an SM is
 * saved at the request; with that of the preset they are in the base checkpoint by then, and it is
 * a quarter. Not of etc, whose 30 SMs share so little bandwidth that the checkpoint takes longer
 * than the lead.
 */
static void presets_have_a_lead_that_is_long_enough(void **state)
{
	const char *preset;

	(void)state;
	for (u32 n = 0; (preset = vgpu_config_preset_name(n)); n++) {
		struct vgpu_config config;
		char lead[24];
		u64 drain, half, saved;

		assert_int_equal(vgpu_config_preset(&config, preset), 0);
		saved = places(&config) * BLOCK / 2;
		snprintf(lead, sizeof(lead), "%llu", (unsigned long long)config.pep_lead_ps);
		drain = config.pipeline_drain_ps;
		if (vgpu_exec_move_time(&config, saved) > config.pep_lead_ps) {
			assert_string_equal(preset, "etc");
			continue;
		}
		half = latency_of_call(preset, "0");
		assert_int_equal(half, drain + vgpu_exec_move_time(&config, saved));
		assert_int_equal(latency_of_call(preset, lead),
				 drain + vgpu_exec_move_time(&config, saved / 2));
	}
}

/*
 * Whoever knows how long its call takes says so, and its kernel comes then. A launch that waits in
 * a queue since before the announcement is another, and comes when it may.
 */
static void an_announcement_may_say_when_its_launch_comes(void **state)
{
	struct host *h = manual_one_sm("pep");
	u32 b = host_open(h), queue = host_queue(h, b), other = host_queue(h, b);
	struct vgpu_cmd call = { .op = VGPU_CMD_ANNOUNCE, .announce.lead_ps = 7 * US };
	u64 start;

	(void)state;
	vgpu_device_run(h->dev, 100 * TENTH, ~0u);
	host_push(h, b, queue, call);
	host_push(h, b, queue, cmd_profiled(1, US, 4));
	host_run(h);
	assert_int_equal(host_time_of(h, VGPU_TRACE_KERNEL_START, 1), 171 * TENTH);
	start = h->dev->sim->now;
	host_push(h, b, queue, cmd_profiled(1, 10 * US, 4));
	host_push(h, b, queue, cmd_profiled(1, 10 * US, 4));
	vgpu_device_run(h->dev, start + 5 * US, ~0u);
	call.announce.lead_ps = 50 * US;
	host_push(h, b, other, call);
	host_run(h);
	assert_int_equal(host_time_of(h, VGPU_TRACE_KERNEL_START, 2), start + 11 * TENTH);
	assert_int_equal(host_time_of(h, VGPU_TRACE_KERNEL_START, 3), start + 112 * TENTH);
	call.announce.lead_ps = 3600ull * 1000 * VGPU_MS + 1;
	assert_int_equal(host_try(h, b, queue, &call, 0, NULL), -EINVAL);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_checkpoints),
		cmocka_unit_test(the_increment_stays_in_place),
		cmocka_unit_test(one_checkpoint),
		cmocka_unit_test(a_request_while_the_pipeline_drains),
		cmocka_unit_test(blocks_drain),
		cmocka_unit_test(blocks_drain_then_one_checkpoint),
		cmocka_unit_test(blocks_drain_then_two_checkpoints),
		cmocka_unit_test(nothing_was_announced),
		cmocka_unit_test(a_block_ends_after_its_checkpoint),
		cmocka_unit_test(no_launch_follows),
		cmocka_unit_test(the_announcer_dies),
		cmocka_unit_test(the_victim_dies),
		cmocka_unit_test(what_is_in_the_way_moves_to_memory),
		cmocka_unit_test(an_sm_that_restores),
		cmocka_unit_test(a_block_is_off_the_sm),
		cmocka_unit_test(nothing_is_left_to_save),
		cmocka_unit_test(the_lead_is_that_of_the_launch),
		cmocka_unit_test(presets_have_a_lead_that_is_long_enough),
		cmocka_unit_test(an_announcement_may_say_when_its_launch_comes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
