// SPDX-License-Identifier: MIT
/*
 * Compiled programs are preempted at random, by each mechanism, and compute what they compute
 * undisturbed, byte for byte (Tanasic 5.2.2). The programs are random too (random_program.h). What
 * they compute does not depend on the order in which their warps and blocks run, so any difference
 * is state that a preemption lost.
 */
#include <stdlib.h>
#include <string.h>

#include "../device/host.h"
#include "../device/manual.h"
#include "sm/warps.h"
#include "random_program.h"

static const char *timing = "timing=interval";

static struct host *two_programs(u64 seed, u32 rounds)
{
	/* Many short slices, and contexts that move fast: preemptions by the thousand. */
	struct host *h = host_new("k20c", "sms=3", "active_kernels=8", "slice_ps=300000",
				  "memory_bandwidth=2000000000000", "drain_ps=500000",
				  "pep_signal_ps=100000", "pep_launch_ps=500000", timing, NULL);
	u32 i;

	vgpu_exec_set_policy(&h->dev->exec, &manual_policy);
	for (i = 0; i < 2; i++) {
		u32 c = host_open(h), q = host_queue(h, c), module, bytes;
		struct vgpu_cmd cmd;
		char message[256] = "";
		struct vass v;
		void *binary;
		u64 param = BASE;

		random_program(&v, seed * 2 + i, rounds);
		binary = vass_binary(&v, &bytes);
		if (vgpu_module_load(h->dev, c, binary, bytes, message, sizeof(message), &module))
			fail_msg("%s", message);
		free(binary);
		assert_int_equal(vgpu_memory_map(h->dev, c, BASE, BYTES), 0);
		cmd = (struct vgpu_cmd){ .op = VGPU_CMD_LAUNCH,
					 .launch = { .module = module,
						     .grid = { BLOCKS, 1, 1 },
						     .block = { THREADS, 1, 1 },
						     .param_bytes = 8,
						     .params = 0x1000 } };
		assert_int_equal(host_try(h, c, q, &cmd, 0, &param), 0);
		host_push(h, c, q, cmd_d2h(i * BYTES, BASE, BYTES));
	}
	return h;
}

/* As vgpu_device_run(), in however many runs. */
static u64 run_until(struct host *h, u64 until)
{
	u64 next;

	do
		next = vgpu_device_run(h->dev, until, ~0u);
	while (next <= until);
	return next;
}

/* Context @n says that it will launch something. */
static void announce(struct host *h, u32 n)
{
	struct vgpu_sched_context *ctx = vgpu_exec_next_context(&h->dev->exec, NULL);

	ctx = n && vgpu_exec_next_context(&h->dev->exec, ctx) ?
		      vgpu_exec_next_context(&h->dev->exec, ctx) :
		      ctx;
	/* as if a launch had followed the last one */
	vgpu_announce_launch(vgpu_exec_of_sched(ctx), 0, 0);
	vgpu_exec_announce(vgpu_exec_of_sched(ctx), &(struct vgpu_announcement){});
}

/* Take random SMs for the other kernel, or for the one that runs there, until both have ended. */
static void disturb(struct host *h, u64 seed)
{
	bool pep = h->dev->exec.preemption->announced;
	struct vgpu_random random;

	vgpu_random_seed(&random, seed);
	while (run_until(h, h->dev->sim->now + below(&random, 2 * VGPU_US)) != VGPU_NEVER) {
		u32 sm = below(&random, 3);
		struct vgpu_ksr *ksr = manual_kernel(h->dev, 1 + below(&random, 2));

		assert_true(vgpu_exec_check(&h->dev->exec));
		if (pep && h->dev->exec.active_count && !below(&random, 8))
			announce(h, below(&random, 2));
		if (!ksr || !h->dev->exec.smst[sm].ksr)
			continue;
		assert_int_equal(vgpu_exec_reserve(&h->dev->exec, sm, ksr), 0);
	}
}

static u64 count_bases(struct host *h)
{
	struct vgpu_sched_context *ctx = NULL;
	u64 count = 0;

	while ((ctx = vgpu_exec_next_context(&h->dev->exec, ctx)))
		count += vgpu_exec_of_sched(ctx)->account.blocks_checkpointed;
	return count;
}

/*
 * Every seed: undisturbed, then with preemptions, @saves of which at least are saves; in all of
 * them together @flushes blocks at least are flushed.
 */
static void programs_compute_the_same(const char *mechanism, u64 seeds, u32 rounds, size_t saves,
				      size_t flushes)
{
	bool pep = !strcmp(mechanism, "pep");
	size_t flushed = 0, bases = 0;
	u8 *expected = malloc(2 * BYTES);
	u64 seed;

	assert_non_null(expected);
	for (seed = 1; seed <= seeds; seed++) {
		struct host *h = two_programs(seed, rounds);
		size_t resumed;

		host_run(h);
		memcpy(expected, h->memory, 2 * BYTES);
		host_free(h);

		h = two_programs(seed, rounds);
		assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", mechanism), 0);
		disturb(h, seed);
		assert_int_equal(h->fault_count, 0);
		assert_int_equal(h->completion_count, 4);
		if (memcmp(h->memory, expected, 2 * BYTES))
			fail_msg("%s, seed %llu: the results differ", mechanism,
				 (unsigned long long)seed);
		if (host_count_of(h, VGPU_TRACE_SAVE_END) < saves)
			fail_msg("%s, seed %llu: only %zu saves", mechanism,
				 (unsigned long long)seed, host_count_of(h, VGPU_TRACE_SAVE_END));
		assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_START), 2 * BLOCKS);
		assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_END), 2 * BLOCKS);
		resumed = host_count_of(h, VGPU_TRACE_BLOCK_RESUME);
		assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_PREEMPT), resumed);
		flushed += host_count_of(h, VGPU_TRACE_BLOCK_FLUSH);
		bases += count_bases(h);
		/* a block that has been checkpointed goes on without a restore */
		assert_true(pep || host_count_of(h, VGPU_TRACE_RESTORE_END) +
				    host_count_of(h, VGPU_TRACE_BLOCK_FLUSH) >=
			    resumed);
		host_free(h);
	}
	if (pep && bases < 20 * seeds)
		fail_msg("only %zu base checkpoints", bases);
	if (flushed < flushes)
		fail_msg("%s: only %zu flushes", mechanism, flushed);
	free(expected);
}

static void a_thousand_switches_change_nothing(void **state)
{
	(void)state;
	programs_compute_the_same("switch", 2, 1000, 1000, 0);
	programs_compute_the_same("switch", 40, 40, 40, 0);
}

static void draining_changes_nothing(void **state)
{
	(void)state;
	programs_compute_the_same("drain", 10, 40, 0, 0);
}

static void draining_and_switching_changes_nothing(void **state)
{
	(void)state;
	programs_compute_the_same("drain-then-switch", 20, 40, 20, 0);
}

/* These have atomics and stores to what they read: only their beginnings are flushed. */
static void flushing_changes_nothing(void **state)
{
	(void)state;
	programs_compute_the_same("flush", 2, 1000, 1000, 2);
	programs_compute_the_same("flush", 40, 40, 20, 10);
}

static void chimera_changes_nothing(void **state)
{
	(void)state;
	programs_compute_the_same("chimera", 2, 1000, 0, 0);
	programs_compute_the_same("chimera", 40, 40, 0, 0);
}

/* Are the registers of @block's warps that have not exited, and its shared memory, as in @want? */
static bool is_as(const struct vgpu_block *block, const u32 *want)
{
	const struct vgpu_warps *warps = block->warps;
	u32 words = block->launch->kernel->vass.regs * VGPU_LANES;

	for (u32 n = 0; n < warps->count; n++)
		if (warps->warp[n].state != VGPU_WARP_EXITED &&
		    memcmp(warps->warp[n].regs, want + n * words, words * sizeof(u32)))
			return false;
	return !memcmp(warps->shared, want + warps->count * words, warps->shared_bytes);
}

/*
 * A register that is dirty in the base and in the increment has the value of the increment when
 * both have been restored in their order; in the order that the thesis prints (4.5.4: the later one
 * first) it has the older one.
 */
static void the_increment_is_restored_last(void **state)
{
	struct host *h = two_programs(3, 400);
	struct vgpu_sm *sm = &h->dev->exec.sms[0];
	struct vgpu_block *block;
	u8 *expected = malloc(2 * BYTES);
	u32 words, *want;

	(void)state;
	host_run(h);
	memcpy(expected, h->memory, 2 * BYTES);
	host_free(h);
	h = two_programs(3, 400);
	sm = &h->dev->exec.sms[0];
	run_until(h, 8 * VGPU_US);
	block = vgpu_sm_first(sm);
	assert_non_null(block);
	vgpu_sm_settle(sm);
	assert_true(vgpu_written_base(block));
	assert_true(vgpu_written_bytes(block, true) < vgpu_written_bytes(block, false));
	run_until(h, 9 * VGPU_US);
	vgpu_sm_settle(sm);
	assert_ptr_equal(vgpu_sm_first(sm), block);
	assert_true(vgpu_written_bytes(block, true) >
		    vgpu_block_context_bytes(block) - block->launch->regs_per_block * sizeof(u32));
	words = block->launch->kernel->vass.regs * VGPU_LANES;
	want = malloc(block->warps->count * words * sizeof(u32) + block->warps->shared_bytes);
	for (u32 n = 0; n < block->warps->count; n++)
		memcpy(want + n * words, block->warps->warp[n].regs, words * sizeof(u32));
	memcpy(want + block->warps->count * words, block->warps->shared,
	       block->warps->shared_bytes);
	vgpu_written_leave(block, true);
	assert_false(is_as(block, want));
	/* as printed */
	vgpu_written_restore_part(block->warps, 1);
	vgpu_written_restore_part(block->warps, 0);
	assert_false(is_as(block, want));
	vgpu_written_restore(block);
	assert_true(is_as(block, want));
	vgpu_written_forget(block);
	free(want);
	host_run(h);
	assert_memory_equal(h->memory, expected, 2 * BYTES);
	free(expected);
	host_free(h);
}

/*
 * Base checkpoints and increments, of what was written; the thousand of them change nothing
 * either.
 */
static void checkpoints_change_nothing(void **state)
{
	(void)state;
	programs_compute_the_same("pep", 2, 1000, 1000, 0);
	programs_compute_the_same("pep", 40, 40, 40, 0);
	timing = "timing=pipeline";
	programs_compute_the_same("pep", 20, 40, 20, 0);
	timing = "timing=interval";
}

/*
 * An SM has executed its slice ahead of the time that takes. The switch waits for the end of it,
 * begins no other, and so saves the state of the present time; the SM's next slice is another
 * kernel's, whose translations are not those of the first.
 */
static void a_switch_waits_for_the_end_of_the_slice(void **state)
{
	struct host *h = two_programs(1, 400);
	struct vgpu_sm *sm = &h->dev->exec.sms[0];
	struct vgpu_smst *smst = &h->dev->exec.smst[0];
	u64 ends, instructions;
	u32 i;

	(void)state;
	h->dev->config.pipeline_drain_ps = 0;
	assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", "switch"), 0);
	vgpu_device_run(h->dev, 20 * VGPU_US, ~0u);
	for (i = 0; i < 50; i++) {
		u32 context = sm->context;

		while (smst->state != VGPU_SM_RUNNING || !vgpu_sm_first(sm)->warps ||
		       !sm->instructions)
			vgpu_device_run(h->dev, h->dev->sim->now + 100 * VGPU_NS, ~0u);
		ends = vgpu_event_time(&sm->step);
		instructions = sm->instructions;
		if (ends <= h->dev->sim->now)
			continue;
		assert_int_equal(vgpu_exec_reserve(&h->dev->exec, 0,
						   manual_kernel(h->dev, context == 1 ? 2 : 1)),
				 0);
		vgpu_device_run(h->dev, ends - 1, ~0u);
		assert_int_equal(smst->state, VGPU_SM_RESERVED);
		vgpu_device_run(h->dev, ends, ~0u);
		assert_int_equal(smst->state, VGPU_SM_SAVING);
		assert_int_equal(sm->instructions, instructions);
		assert_false(vgpu_event_pending(&sm->step));
		while (smst->state != VGPU_SM_SETUP)
			vgpu_device_run(h->dev, VGPU_NEVER, 1);
		while (smst->state == VGPU_SM_SETUP)
			vgpu_device_run(h->dev, VGPU_NEVER, 1);
		assert_int_not_equal(sm->context, context);
		assert_int_equal(sm->context, smst->ksr->ctx->sched.id);
	}
	host_run(h);
	assert_int_equal(h->fault_count, 0);
	host_free(h);
}

/* ---- pauses ------------------------------------------------------------- */

/* The same records, memory and events as @expected, which ends. */
static void must_be_the_same(struct host *h, struct host *expected, u64 seed)
{
	if (h->record_count != expected->record_count ||
	    memcmp(h->records, expected->records, h->record_count * sizeof(*h->records)))
		fail_msg("seed %llu: the traces differ", (unsigned long long)seed);
	assert_memory_equal(h->memory, expected->memory, 2 * BYTES);
	assert_int_equal(h->dev->sim->now, expected->dev->sim->now);
	assert_int_equal(h->dev->sim->fired, expected->dev->sim->fired);
	host_leave(expected);
}

/* SMs whose next slice begins where the last one was cut. */
static u32 cut_slices(const struct host *h)
{
	u32 count = 0;

	for (u32 sm = 0; sm < 3; sm++)
		count += h->dev->exec.sms[sm].run->slice.cut;
	return count;
}

/* A host that interrupts at every chance, with and without preemptions, sees the same trace. */
static void a_pause_changes_nothing(void **state)
{
	u32 cut = 0;

	(void)state;
	for (u64 seed = 1; seed <= 20; seed++) {
		struct host *expected = two_programs(seed, 40), *h = two_programs(seed, 40);
		u64 runs = 0;

		host_run(expected);
		vgpu_system_interrupt(vgpu_device_system(h->dev), true);
		while (vgpu_device_run(h->dev, VGPU_NEVER, ~0u) != VGPU_NEVER)
			runs++, cut += cut_slices(h);
		/* three warps of three blocks take part in most slices */
		assert_true(runs > 2 * h->dev->sim->fired);
		must_be_the_same(h, expected, seed);
		host_free(h);

		expected = two_programs(seed, 40);
		h = two_programs(seed, 40);
		vgpu_system_interrupt(vgpu_device_system(h->dev), true);
		assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", "switch"), 0);
		assert_int_equal(vgpu_device_knob_set(expected->dev, "preemption", "switch"), 0);
		disturb(expected, seed);
		disturb(h, seed);
		must_be_the_same(h, expected, seed);
		host_free(h);
	}
	assert_true(cut > 0);
}

/*
 * In the middle of a slice the host preempts SMs, and, with every other seed, ends one of the
 * contexts. What the rest computes is the same.
 */
static void the_host_acts_in_a_pause(void **state)
{
	(void)state;
	for (u64 seed = 1; seed <= 40; seed++) {
		struct host *expected = two_programs(seed, 40), *h = two_programs(seed, 40);
		bool closing = seed % 2;
		struct vgpu_random random;
		u32 paused = 0;

		host_run(expected);
		vgpu_random_seed(&random, seed);
		vgpu_system_interrupt(vgpu_device_system(h->dev), true);
		assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", "switch"), 0);
		while (vgpu_device_run(h->dev, VGPU_NEVER, ~0u) != VGPU_NEVER) {
			u32 sm = below(&random, 3);
			struct vgpu_ksr *ksr = manual_kernel(h->dev, 1 + below(&random, 2));

			if (!h->dev->exec.sms[sm].run->slice.open || below(&random, 5))
				continue;
			paused++;
			assert_true(vgpu_exec_check(&h->dev->exec));
			if (closing && paused == 10) {
				assert_int_equal(vgpu_context_close(h->dev, 2), 0);
				assert_int_equal(vgpu_memory_unmap(h->dev, 1, BASE, 2 * BYTES),
						 -ENOENT);
			} else if (ksr && h->dev->exec.smst[sm].ksr) {
				assert_int_equal(vgpu_exec_reserve(&h->dev->exec, sm, ksr), 0);
			}
		}
		assert_true(paused > 10);
		assert_int_equal(h->fault_count, 0);
		assert_memory_equal(h->memory, expected->memory, (closing ? 1 : 2) * BYTES);
		host_leave(expected);
		host_free(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thousand_switches_change_nothing),
		cmocka_unit_test(a_switch_waits_for_the_end_of_the_slice),
		cmocka_unit_test(draining_changes_nothing),
		cmocka_unit_test(draining_and_switching_changes_nothing),
		cmocka_unit_test(flushing_changes_nothing),
		cmocka_unit_test(chimera_changes_nothing),
		cmocka_unit_test(the_increment_is_restored_last),
		cmocka_unit_test(checkpoints_change_nothing),
		cmocka_unit_test(a_pause_changes_nothing),
		cmocka_unit_test(the_host_acts_in_a_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
