// SPDX-License-Identifier: MIT
/*
 * PEP at random: kernels of three contexts, announced and not, prepared and preempted at random
 * places, on whole SMs and on shared ones, with block switching, with pages that are not there yet,
 * slice by slice and in the pipeline, while policies, priorities and announcements change and a
 * neighbour announces, launches and is closed at any time. Or turns of round-robin end, for which
 * SMs are prepared, and nothing is announced. Each context has the bytes that it has alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "chaos_rig.h"

#define CHANGES		1500u		/* steps with changes */
#define STEPS		(CHANGES + 20000u)	/* far more than it takes */
#define RUNS		16u

/** struct tally - what has come of all runs */
struct tally {
	u64 preemptions;		/* of SMs, or of blocks on shared ones */
	u64 checkpointed;
	u64 checkpointed_shared;
	u64 checkpointed_turns;		/* where nothing but turns takes SMs */
	u64 in_place_shared;		/* bytes */
	u64 switches;
};

enum kind { WHOLE, TURNS, SHARED };

static const char *const whole[] = { "ppq-exclusive", "ppq-shared", "dss", "spart", "static",
				     "round-robin" };
static const char *const shared[] = { "smk", "smk-p", "smk-pw" };

static void announce(struct host *h, u32 context, struct vgpu_random *random)
{
	struct vgpu_announcement what = {
		.blocks = chaos_below(random, 40),
		.needs = {
			.registers = chaos_below(random, 2) * 3840,
			.threads = chaos_below(random, 2) * THREADS,
		},
	};

	vgpu_exec_announce(&vgpu_context_find(h->dev, context)->exec, &what);
	assert_true(vgpu_exec_check(&h->dev->exec));
}

static void choose_policy(struct host *h, struct vgpu_random *random, bool share)
{
	u32 n = chaos_below(random, 7);

	if (share)
		chaos_set(h, "policy", shared[chaos_below(random, 3)]);
	else if (n == 6)
		assert_int_equal(vgpu_exec_set_policy(&h->dev->exec, &manual_policy), 0);
	else
		chaos_set(h, "policy", whole[n]);
}

static void change(struct host *h, const struct rig *rigs, struct vgpu_random *random,
		   enum kind kind)
{
	if (kind == TURNS)
		return;
	switch (chaos_below(random, 24)) {
	case 0:
		chaos_set(h, "preemption", chaos_below(random, 3) ? "pep" : "chimera");
		break;
	case 1:
		choose_policy(h, random, (kind == SHARED) == (chaos_below(random, 6) > 0));
		break;
	case 2:
	case 3:
		vgpu_context_priority(h->dev, rigs[chaos_below(random, CONTEXTS)].context,
				      (s32)chaos_below(random, 4));
		break;
	case 4:
		chaos_set(h, "block_switching", chaos_below(random, 2) ? "1" : "0");
		break;
	case 5:
	case 6:
	case 7:
		announce(h, rigs[chaos_below(random, CONTEXTS)].context, random);
		break;
	default:
		if (chaos_below(random, 3) == 0)
			chaos_reserve(h, random);
	}
}

/* ---- a neighbour ---------------------------------------------------------- */

/** struct neighbour - it is opened, announces, launches, and is closed, each at some time */
struct neighbour {
	struct rig r;
	enum { CLOSED, OPEN, ANNOUNCED, RUNS_ON } state;
};

static void visit(struct host *h, struct neighbour *n, struct vgpu_random *random)
{
	if (chaos_below(random, 6))
		return;
	switch (n->state) {
	case CLOSED:
		n->r = mixture_endless(h);
		vgpu_context_priority(h->dev, n->r.context, (s32)chaos_below(random, 6));
		n->state = OPEN;
		break;
	case OPEN:
		announce(h, n->r.context, random);
		n->state = ANNOUNCED;
		break;
	case ANNOUNCED:
		if (chaos_below(random, 8)) {
			launch(&n->r, 1 + chaos_below(random, 40), THREADS, BASE, 0);
			n->state = RUNS_ON;
			break;
		}
		/* fall through */
	default:
		vgpu_context_close(h->dev, n->r.context);
		n->state = CLOSED;
	}
	assert_true(vgpu_exec_check(&h->dev->exec));
}

/* ---- one run --------------------------------------------------------------- */

static void count(struct host *h, const struct rig *rigs, enum kind kind, struct tally *tally)
{
	u64 *const of_kind[] = {
		[WHOLE] = &tally->checkpointed,
		[TURNS] = &tally->checkpointed_turns,
		[SHARED] = &tally->checkpointed_shared,
	};

	tally->preemptions += h->dev->exec.preemptions;
	for (u32 n = 0; n < CONTEXTS; n++) {
		struct vgpu_context_info info;

		assert_int_equal(vgpu_context_info(h->dev, rigs[n].context, &info), 0);
		*of_kind[kind] += info.account.blocks_checkpointed;
		tally->in_place_shared += kind == SHARED ? info.account.in_place_bytes : 0;
		tally->switches += info.account.block_switches;
	}
}

static void check_nothing_is_left(struct host *h)
{
	const struct vgpu_exec *exec = &h->dev->exec;

	for (u32 sm = 0; sm < SMS; sm++) {
		assert_false(exec->sms[sm].moving);
		assert_false(exec->smst[sm].checkpointing);
		assert_int_equal(exec->smst[sm].standing, 0);
		assert_int_equal(exec->smst[sm].in_place, 0);
	}
	assert_int_equal(exec->save_area, 0);
	assert_int_equal(exec->bases, 0);
	assert_true(vgpu_exec_check(exec));
}

/* @seed 0: undisturbed */
static void compute(const struct vgpu_config *config, u64 seed, u8 (*bytes)[MIXTURE_BYTES],
		    struct tally *tally)
{
	struct host *h = host_new_config(config);
	enum kind kind = seed / 2 % 2 ? SHARED : seed % 8 == 1 ? TURNS : WHOLE;
	struct rig rigs[CONTEXTS];
	struct neighbour other = {};
	struct vgpu_random random;
	u32 step;

	vgpu_random_seed(&random, seed);
	chaos_set(h, "preemption", "pep");
	chaos_open(h, rigs);
	if (kind == TURNS) {
		chaos_set(h, "policy", "round-robin");
		/* shorter than a device would take, which takes no knobs from now on */
		h->dev->config.time_slice_ps = (3 + seed % 5) * VGPU_US;
	} else if (seed) {
		choose_policy(h, &random, kind == SHARED);
	}
	for (u32 n = 0; n < CONTEXTS; n++)
		launch(&rigs[n], BLOCKS, THREADS, BASE, 0);
	for (step = 0; step < STEPS && !chaos_over(h, rigs); step++) {
		vgpu_device_run(h->dev, h->dev->sim->now + chaos_below(&random, VGPU_US / 5), ~0u);
		assert_true(vgpu_exec_check(&h->dev->exec));
		if (seed && step < CHANGES) {
			change(h, rigs, &random, kind);
			assert_true(vgpu_exec_check(&h->dev->exec));
			visit(h, &other, &random);
		} else if (other.state != CLOSED) {
			vgpu_context_close(h->dev, other.r.context);
			other.state = CLOSED;
		}
	}
	if (step == STEPS)
		fail_msg("seed %llu: not over after %llu us", seed, h->dev->sim->now / VGPU_US);
	if (other.state != CLOSED)
		vgpu_context_close(h->dev, other.r.context);
	host_run(h);
	assert_int_equal(h->fault_count, 0);
	check_nothing_is_left(h);
	if (tally)
		count(h, rigs, kind, tally);
	chaos_close(h, rigs, bytes);
}

static struct vgpu_config config_of(const char *timing, u32 n)
{
	struct vgpu_config config;

	assert_int_equal(vgpu_config_preset(&config, "tanasic-ch6"), 0);
	set_field(&config, "timing", timing);
	set_field(&config, "sms", "3");
	set_field(&config, "fault_scheme", n % 2 ? "replay-queue" : "operand-log");
	set_field(&config, "slice_ps", "200000");
	set_field(&config, "watchdog_ps", "0");
	set_field(&config, "active_kernels", "8");
	set_field(&config, "kernels_per_sm", "4");
	set_field(&config, "blocks_per_sm", n % 3 ? "4" : "8");
	set_field(&config, "extra_blocks", "2");
	set_field(&config, "pep_signal_ps", "100000");
	set_field(&config, "pep_launch_ps", "1000000");
	set_field(&config, "pep_keep_ps", "4000000");
	set_field(&config, "launch_ps", "1000000");
	set_field(&config, "pep_lead_ps", n % 2 ? "0" : "2000000");
	set_field(&config, "pipeline_drain_ps", n % 4 ? "0" : "200000");
	set_field(&config, "deadline_ps", "1000000");
	set_field(&config, "abandon_restores", n & 2 ? "1" : "0");
	set_field(&config, "block_switching", n & 1 ? "1" : "0");
	set_field(&config, "allocation", n % 3 ? "lazy" : "eager");
	set_field(&config, "page_arrival_ps", n % 5 ? "0" : "3000000");
	set_field(&config, "sm_on_fault", n % 8 == 5 ? "stall" : "preemptible");
	return config;
}

static void check(const char *timing)
{
	static u8 want[CONTEXTS][MIXTURE_BYTES], got[CONTEXTS][MIXTURE_BYTES];
	struct vgpu_config config = config_of(timing, 0);
	struct tally tally = {};

	compute(&config, 0, want, NULL);
	assert_memory_not_equal(want[0], want[1], PART);
	for (u32 n = 0; n < RUNS; n++) {
		config = config_of(timing, n);
		compute(&config, n + 1, got, &tally);
		chaos_compare(n, got, want);
	}
	print_message("%s: %llu preemptions, %llu base checkpoints of blocks, %llu on shared SMs, "
		      "%llu before the end of a turn, %llu bytes in place on shared SMs, %llu "
		      "block switches\n",
		      timing, tally.preemptions, tally.checkpointed, tally.checkpointed_shared,
		      tally.checkpointed_turns, tally.in_place_shared, tally.switches);
	assert_true(tally.preemptions > 1000);
	assert_true(tally.checkpointed > 100 && tally.checkpointed_shared > 100);
	assert_true(tally.checkpointed_turns > 100 && tally.in_place_shared > 10000);
	assert_true(tally.switches > 100);
}

static void slice_by_slice(void **state)
{
	(void)state;
	check("interval");
}

static void in_the_pipeline(void **state)
{
	(void)state;
	check("pipeline");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slice_by_slice),
		cmocka_unit_test(in_the_pipeline),
	};

	return cmocka_run_group_tests_name("PEP, at random", tests, NULL, NULL);
}
