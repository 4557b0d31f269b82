// SPDX-License-Identifier: MIT
/*
 * Random preemptions of random profiled kernels, by mechanisms that change under way, while
 * contexts die: every thread block runs exactly once, an SM serves one context, accounts close
 * after every step, and what the trace says of every block adds up to what the accounts say.
 */
#include <stdlib.h>

#include "host.h"
#include "manual.h"

#define SMS		4u
#define CONTEXTS	5u
#define KERNELS		40u
#define BLOCKS		120u

static u32 below(struct vgpu_random *random, u32 limit)
{
	return (u32)(vgpu_random_next(random) % limit);
}

static const char *const mechanisms[] = { "drain", "switch", "drain-then-switch",
					  "flush", "chimera", "pep", "none" };

static void push(struct host *h, struct vgpu_random *random, u32 context, u32 queue)
{
	u32 most = 1 + below(random, 16);
	struct vgpu_cmd cmd = cmd_profiled(1 + below(random, BLOCKS),
					   1 + below(random, 30 * VGPU_US), most);

	/* blocks that wait for each other, up to all that an empty device has room for */
	if (!below(random, 3)) {
		cmd.flags = VGPU_LAUNCH_COOPERATIVE;
		cmd.profiled.blocks = 1 + below(random, SMS * (most < 8 ? most : 8));
	}
	cmd.profiled.block_cv_permille = below(random, 3) * 200;
	cmd.profiled.idempotent_permille = (u16)(below(random, 4) * 300);
	cmd.profiled.shared_bytes = below(random, 3) * 1000;
	cmd.profiled.clean_base_permille = (u16)(below(random, 3) * 400);
	cmd.profiled.clean_increment_permille = (u16)(below(random, 3) * 500);
	host_push(h, context, queue, cmd);
}

/* Reserve a random SM for a random active kernel. */
static void reserve(struct host *h, struct vgpu_random *random)
{
	u32 sm = below(random, SMS), n = below(random, 8);
	struct vgpu_ksr *ksr = vgpu_exec_next_kernel(&h->dev->exec, NULL);
	int err;

	for (; ksr && vgpu_exec_next_kernel(&h->dev->exec, ksr) && n; n--)
		ksr = vgpu_exec_next_kernel(&h->dev->exec, ksr);
	if (!ksr || !h->dev->exec.smst[sm].ksr)
		return;
	err = vgpu_exec_reserve(&h->dev->exec, sm, ksr);
	assert_true(!err || (err == -EOPNOTSUPP && !h->dev->exec.preemption->begin));
}

/* A random process announces a launch. */
static void announce(struct host *h, struct vgpu_random *random)
{
	struct vgpu_sched_context *ctx = vgpu_exec_next_context(&h->dev->exec, NULL);
	struct vgpu_announcement what = { .blocks = below(random, 20) };

	for (u32 n = below(random, CONTEXTS); n && vgpu_exec_next_context(&h->dev->exec, ctx); n--)
		ctx = vgpu_exec_next_context(&h->dev->exec, ctx);
	vgpu_exec_announce(vgpu_exec_of_sched(ctx), &what);
}

struct life {
	u64 since;
	/* 0: none yet, 1: runs, 2: is saved, 3: preempted, 4: is restored, 5: ended */
	u8 state;
	bool flushed;
	u32 sm;
	size_t order;		/* of records */
};

/* Of those that are saved on @sm the one that stopped first; NULL: none is. */
static struct life *first_stopped(struct life *blocks, u32 sm)
{
	struct life *first = NULL;

	for (u32 b = 0; b < BLOCKS; b++)
		if (blocks[b].state == 2 && blocks[b].sm == sm &&
		    (!first || blocks[b].order < first->order))
			first = &blocks[b];
	return first;
}

/*
 * Each block starts once, ends once, stops as often as it goes on; and where its time went, by
 * context.
 */
static void check_trace(struct host *h, struct vgpu_account *sums)
{
	struct life(*blocks)[BLOCKS] = calloc(KERNELS + 1, sizeof(*blocks));
	size_t i;

	assert_non_null(blocks);
	for (i = 0; i < h->record_count; i++) {
		const struct vgpu_trace_record *r = &h->records[i];
		struct vgpu_account *sum = &sums[r->context];
		struct life *one;

		if (r->type == VGPU_TRACE_SAVE_END) {
			/* of all blocks that stopped on this SM, or of the first of them */
			for (u64 left = r->a; left; left--) {
				one = first_stopped(blocks[r->kernel], r->sm);
				assert_non_null(one);
				sum->block_saving += r->time - one->since;
				*one = (struct life){ .since = r->time, .state = 3 };
			}
			continue;
		}
		if (r->type == VGPU_TRACE_BLOCK_FLUSH) {
			blocks[r->kernel][r->a].flushed = true;
			continue;
		}
		if (r->type != VGPU_TRACE_BLOCK_START && r->type != VGPU_TRACE_BLOCK_END &&
		    r->type != VGPU_TRACE_BLOCK_PREEMPT && r->type != VGPU_TRACE_BLOCK_RESUME)
			continue;
		assert_true(r->kernel <= KERNELS && r->a < BLOCKS);
		one = &blocks[r->kernel][r->a];
		switch (r->type) {
		case VGPU_TRACE_BLOCK_START:
			assert_int_equal(one->state, 0);
			one->state = 1;
			break;
		case VGPU_TRACE_BLOCK_RESUME:
			assert_int_equal(one->state, 3);
			/* and restoring: told apart below */
			sum->block_preempted += r->time - one->since;
			one->state = 1;
			break;
		default:
			assert_int_equal(one->state, 1);
			assert_int_equal(one->sm, r->sm);
			sum->block_running += r->time - one->since;
			one->state = r->type == VGPU_TRACE_BLOCK_END ? 5 : one->flushed ? 3 : 2;
			one->flushed = false;
		}
		one->since = r->time;
		one->sm = r->sm;
		one->order = i;
	}
	free(blocks);
}

static void live(u64 seed, bool deaths)
{
	struct host *h = host_new("k20c", "sms=4", "active_kernels=6", "drain_ps=5000000",
				  "grid_turn_ps=3000000",
				  seed & 4 ? "block_placement=breadth" : "block_placement=depth",
				  NULL);
	struct vgpu_account sums[CONTEXTS * 2 + 1] = {};
	u32 context[CONTEXTS], queue[CONTEXTS], kernels = 0, i;
	struct vgpu_context_info info;
	struct vgpu_random random;

	vgpu_random_seed(&random, seed);
	vgpu_exec_set_policy(&h->dev->exec, &manual_policy);
	assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", mechanisms[seed % 6]), 0);
	for (i = 0; i < CONTEXTS; i++) {
		context[i] = host_open(h);
		queue[i] = host_queue(h, context[i]);
	}
	while (vgpu_device_run(h->dev, h->dev->sim->now + below(&random, 8 * VGPU_US), ~0u) !=
		       VGPU_NEVER ||
	       kernels < KERNELS) {
		assert_true(vgpu_exec_check(&h->dev->exec));
		i = below(&random, CONTEXTS);
		switch (below(&random, 8)) {
		case 0:
			if (kernels++ < KERNELS)
				push(h, &random, context[i], queue[i]);
			break;
		case 1:
			if (!below(&random, 8))
				assert_int_equal(
					vgpu_device_knob_set(h->dev, "preemption",
							     mechanisms[below(&random, 7)]),
					0);
			break;
		case 2:
			if (!deaths || h->dev->contexts.last_id == CONTEXTS * 2 ||
			    below(&random, 30))
				break;
			assert_int_equal(vgpu_context_close(h->dev, context[i]), 0);
			context[i] = host_open(h);
			queue[i] = host_queue(h, context[i]);
			break;
		case 3:
			announce(h, &random);
			break;
		default:
			reserve(h, &random);
		}
		assert_true(vgpu_exec_check(&h->dev->exec));
	}
	assert_int_equal(h->completion_count, KERNELS);
	for (i = 0; i < CONTEXTS && !deaths; i++)
		assert_int_equal(host_done(h, context[i], queue[i], 1)->status, 0);
	if (!deaths) {
		check_trace(h, sums);
		assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_PREEMPT),
				 host_count_of(h, VGPU_TRACE_BLOCK_RESUME));
		assert_int_equal(host_count_of(h, VGPU_TRACE_PREEMPT_START),
				 host_count_of(h, VGPU_TRACE_PREEMPT_END));
		for (i = 1; i <= CONTEXTS; i++) {
			vgpu_context_info(h->dev, i, &info);
			assert_true(info.account.block_running == sums[i].block_running);
			assert_true(info.account.block_saving == sums[i].block_saving);
			assert_true(info.account.block_preempted + info.account.block_restoring ==
				    sums[i].block_preempted);
			assert_int_equal(info.account.save_area, 0);
		}
	}
	host_free(h);
}

static void every_block_runs_once_and_accounts_agree(void **state)
{
	u64 seed;

	(void)state;
	for (seed = 1; seed <= 200; seed++)
		live(seed, false);
}

static void contexts_die_meanwhile(void **state)
{
	u64 seed;

	(void)state;
	for (seed = 1; seed <= 200; seed++)
		live(seed, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_block_runs_once_and_accounts_agree),
		cmocka_unit_test(contexts_die_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
