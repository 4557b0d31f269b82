// SPDX-License-Identifier: MIT
/*
 * What policies say a launch would take before it comes (vgpu_policy.would_take, vgpu_exec_try()),
 * computed on paper, and against what it does take when it comes.
 */
#include "sharing.h"

#define US	VGPU_US
#define MANY	1000000u

/* Six SMs; kernels of blocks that do not end, one to an SM. */
static struct host *six(const char *policy)
{
	struct host *h = host_new("k20c", "sms=6", "active_kernels=16", "blocks_per_sm=1",
				  NULL);

	sharing_set(h, "policy", policy);
	sharing_set(h, "preemption", "switch");
	return h;
}

struct process {
	u32 id, queue;
};

static struct process process(struct host *h, s32 priority)
{
	struct process p = { .id = host_open(h) };

	p.queue = host_queue(h, p.id);
	assert_int_equal(vgpu_context_priority(h->dev, p.id, priority), 0);
	return p;
}

/* Its kernel has come, and has SMs. */
static void launch(struct host *h, struct process p, u64 blocks)
{
	host_push(h, p.id, p.queue, cmd_profiled(blocks, MANY * US, 1));
	vgpu_device_run(h->dev, h->dev->sim->now + 50 * US, ~0u);
	assert_true(vgpu_exec_check(&h->dev->exec));
}

static struct vgpu_sched_context *sched_of(struct host *h, struct process p)
{
	return &vgpu_context_find(h->dev, p.id)->exec.sched;
}

static u32 would_take(struct host *h, struct process by, struct process from, u32 taken)
{
	return vgpu_exec_would_take(&h->dev->exec, sched_of(h, by), &(struct vgpu_announcement){},
				    sched_of(h, from), taken);
}

static u32 held(struct host *h, struct process p)
{
	return sched_of(h, p)->held;
}

/* ---- policies of whole SMs ---------------------------------------------- */

/* All of less important ones, and none of others. */
static void priorities(const char *policy)
{
	struct host *h = six(policy);
	struct process low = process(h, 0), mid = process(h, 1), high = process(h, 2);

	launch(h, low, MANY);
	assert_int_equal(would_take(h, mid, low, 0), 6);
	assert_int_equal(would_take(h, high, low, 0), 6);
	assert_int_equal(would_take(h, low, mid, 0), 0);
	assert_int_equal(would_take(h, low, low, 0), 0);
	host_free(h);
}

static void ppq_takes_all_of_less_important_ones(void **state)
{
	(void)state;
	priorities("ppq-exclusive");
	priorities("ppq-shared");
}

/*
 * The owner, of priority 2, has two SMs, and left the others where they were. What is less
 * important than the owner waits for it with exclusive access.
 */
static void ppq_exclusive_asks_who_may_enter(void **state)
{
	struct host *h = six("ppq-exclusive");
	struct process low = process(h, 0), mid = process(h, 1), high = process(h, 2);

	(void)state;
	launch(h, low, MANY);
	launch(h, high, 2);
	assert_int_equal(held(h, low), 4);
	assert_int_equal(would_take(h, mid, low, 0), 0);
	assert_int_equal(would_take(h, high, low, 0), 4);
	sharing_set(h, "policy", "ppq-shared");
	assert_int_equal(would_take(h, mid, low, 0), 4);
	host_free(h);
}

/*
 * dss: a and b have 3 SMs each, and so much the budgets of three of 2 exceed by 1. c has 2 tokens
 * left, a has -1: one SM makes that 1 and 0. Then b has -1 still: one of b, and it is 0 and 0.
 */
static void dss_evens_out(void **state)
{
	struct host *h = six("dss");
	struct process a = process(h, 0), b = process(h, 0), c;

	(void)state;
	launch(h, a, MANY);
	assert_int_equal(would_take(h, b, a, 0), 3);
	launch(h, b, MANY);
	assert_int_equal(held(h, a), 3);
	c = process(h, 0);
	assert_int_equal(would_take(h, c, a, 0), 1);
	assert_int_equal(would_take(h, c, b, 1), 1);
	assert_int_equal(would_take(h, c, b, 2), 0);
	launch(h, c, MANY);
	assert_int_equal(held(h, a), 2);
	assert_int_equal(held(h, b), 2);
	assert_int_equal(held(h, c), 2);
	assert_int_equal(would_take(h, c, b, 0), 0);
	host_free(h);
}

/*
 * Of 5 SMs each of two has 2, and who becomes active first the spare token, until then: with 5 of a
 * and 0 of b, b has 2 left and a -2: two SMs.
 */
static void dss_knows_who_has_the_spare_token(void **state)
{
	struct host *h = host_new("k20c", "sms=5", "active_kernels=16", "blocks_per_sm=1", NULL);
	struct process a, b;

	(void)state;
	sharing_set(h, "policy", "dss");
	sharing_set(h, "preemption", "switch");
	a = process(h, 0);
	b = process(h, 0);
	launch(h, a, MANY);
	assert_int_equal(would_take(h, b, a, 0), 2);
	launch(h, b, MANY);
	assert_int_equal(held(h, b), 2);
	host_free(h);
}

/* spart: until nobody has two more. */
static void spart_evens_out(void **state)
{
	struct host *h = six("spart");
	struct process a = process(h, 0), b = process(h, 0), c = process(h, 0);

	(void)state;
	launch(h, a, MANY);
	assert_int_equal(would_take(h, b, a, 0), 3);
	launch(h, b, MANY);
	assert_int_equal(would_take(h, c, a, 0), 1);
	assert_int_equal(would_take(h, c, b, 1), 1);
	assert_int_equal(would_take(h, a, b, 0), 0);
	host_free(h);
}

/*
 * static: who has 6 of 6 SMs when another process comes has 3 too many, and that takes them. It
 * takes no more than it is owed.
 */
static void static_gives_what_is_too_much(void **state)
{
	struct host *h = six("ppq-shared");
	struct process a = process(h, 0), b;

	(void)state;
	launch(h, a, MANY);
	b = process(h, 0);
	sharing_set(h, "policy", "static");
	assert_int_equal(held(h, a), 6);
	assert_int_equal(would_take(h, b, a, 0), 3);
	assert_int_equal(would_take(h, b, a, 2), 1);
	assert_int_equal(would_take(h, b, a, 3), 0);
	assert_int_equal(would_take(h, a, b, 0), 0);
	launch(h, b, MANY);
	assert_int_equal(held(h, b), 3);
	assert_int_equal(would_take(h, b, a, 0), 0);
	host_free(h);
}

/*
 * round-robin: b has the turn with a kernel of two blocks, a's have been left where they were. A
 * launch of b takes them; one of c waits for its turn.
 */
static void round_robin_takes_for_whose_turn_it_is(void **state)
{
	struct host *h = six("round-robin");
	struct process a = process(h, 0), b = process(h, 0), c = process(h, 0);

	(void)state;
	sharing_set(h, "time_slice_us", "200");
	launch(h, a, MANY);
	launch(h, b, 2);
	assert_int_equal(held(h, a), 6);
	assert_int_equal(would_take(h, b, a, 0), 0);
	assert_int_equal(would_take(h, c, a, 0), 0);
	vgpu_device_run(h->dev, 260 * US, ~0u);
	assert_int_equal(held(h, b), 2);
	assert_int_equal(held(h, a), 4);
	assert_int_equal(would_take(h, b, a, 0), 4);
	assert_int_equal(would_take(h, c, a, 0), 0);
	assert_int_equal(would_take(h, a, b, 0), 0);
	host_free(h);
}

/*
 * A turn of 200 us begins at 1.0 with a's first SM. Then b has the next turn, which came first, and
 * c the one after that. What a has left alone is taken, too: of b, c takes all. Who is not alone
 * says when.
 */
static void round_robin_knows_who_is_next(void **state)
{
	struct host *h = six("round-robin");
	struct vgpu_announcement what = { .at = 1 };
	struct process a = process(h, 0), b = process(h, 0), c = process(h, 0);
	const struct vgpu_sched_context *by = NULL;
	struct vgpu_exec *exec = &h->dev->exec;

	(void)state;
	sharing_set(h, "time_slice_us", "200");
	launch(h, a, MANY);
	assert_int_equal(exec->policy->next_change(exec, &by), VGPU_NEVER);
	launch(h, b, 2);
	launch(h, c, MANY);
	assert_int_equal(exec->policy->next_change(exec, &by), 201 * US);
	assert_ptr_equal(by, sched_of(h, b));
	assert_int_equal(vgpu_exec_would_take(exec, by, &what, sched_of(h, a), 0), 6);
	assert_int_equal(vgpu_exec_would_take(exec, by, &what, sched_of(h, c), 0), 0);
	vgpu_device_run(h->dev, 300 * US, ~0u);
	assert_int_equal(held(h, b), 2);
	/* b has a whole turn from its first SM on */
	assert_int_equal(exec->policy->next_change(exec, &by),
			 sched_of(h, b)->running_since + 200 * US);
	assert_ptr_equal(by, sched_of(h, c));
	assert_int_equal(vgpu_exec_would_take(exec, by, &what, sched_of(h, a), 0), 4);
	assert_int_equal(vgpu_exec_would_take(exec, by, &what, sched_of(h, b), 4), 2);
	host_free(h);
}

static void others_take_nothing(void **state)
{
	static const char *const policies[] = { "fcfs", "npq", "leftover" };

	(void)state;
	for (u32 n = 0; n < 3; n++) {
		struct host *h = six(policies[n]);
		struct process a = process(h, 0), b = process(h, 9);
		struct vgpu_announcement what = { .blocks = 100 };

		launch(h, a, MANY);
		assert_int_equal(would_take(h, b, a, 0), 0);
		vgpu_exec_try(&h->dev->exec, sched_of(h, b), &what);
		for (u32 sm = 0; sm < 6; sm++)
			assert_false(vgpu_exec_would_change(&h->dev->exec, sm));
		host_free(h);
	}
}

/* ---- policies by block --------------------------------------------------- */

/* Blocks that would leave @sm for @blocks of @regs registers each of @by. */
static u32 would_leave(struct host *h, u32 by, u64 blocks, u64 regs, u32 sm,
		       struct vgpu_block **out)
{
	struct vgpu_exec *exec = &h->dev->exec;
	struct vgpu_announcement what = { .blocks = blocks, .needs.registers = regs };
	size_t records = h->record_count;

	assert_true(vgpu_exec_try(exec, &vgpu_context_find(h->dev, by)->exec.sched, &what));
	assert_true(vgpu_exec_check(exec));
	assert_int_equal(h->record_count, records);
	return vgpu_exec_would_leave(exec, sm, out);
}

static struct host *paper(const char *policy)
{
	struct host *h = host_new("gtx980", PAPER, NULL);

	sharing_set(h, "policy", policy);
	return h;
}

/* Is @block told to leave SM @sm at @time, for a kernel that has come? */
static bool is_evicted(const struct host *h, u64 time, u32 sm, const struct vgpu_block *block)
{
	for (size_t i = 0; i < h->record_count; i++) {
		const struct vgpu_trace_record *r = &h->records[i];

		if (r->type == VGPU_TRACE_DECISION && r->a == VGPU_DECISION_EVICT &&
		    r->time == time && r->sm == sm && r->b == block->index &&
		    r->kernel == block->launch->id)
			return true;
	}
	return false;
}

static u32 count_evicted(const struct host *h, u64 time)
{
	u32 count = 0;

	for (size_t i = 0; i < h->record_count; i++)
		count += h->records[i].type == VGPU_TRACE_DECISION &&
			 h->records[i].a == VGPU_DECISION_EVICT && h->records[i].time == time;
	return count;
}

/*
 * @first is there when @second comes at 110. What would leave for it is what does, @count of them.
 */
static void is_foreseen(const char *policy, struct kernel first, struct kernel second, u32 count)
{
	struct host *h = paper(policy);
	struct vgpu_block *blocks[2][VGPU_BLOCKS_MOST];
	u32 a = host_open(h), b = host_open(h), found[2];
	struct vgpu_announcement what = {
		.blocks = second.blocks,
		.needs = {
			.registers = second.regs,
			.shared_bytes = second.shared,
			.threads = second.threads,
		},
	};

	sharing_arrive(h, a, 10, first);
	sharing_run(h, 100);
	assert_true(vgpu_exec_try(&h->dev->exec, &vgpu_context_find(h->dev, b)->exec.sched, &what));
	for (u32 sm = 0; sm < 2; sm++)
		found[sm] = vgpu_exec_would_leave(&h->dev->exec, sm, blocks[sm]);
	sharing_arrive(h, b, 110, second);
	sharing_run(h, 110);
	assert_int_equal(found[0] + found[1], count);
	assert_int_equal(count_evicted(h, 110 * TENTH), count);
	for (u32 sm = 0; sm < 2; sm++)
		for (u32 n = 0; n < found[sm]; n++)
			assert_true(is_evicted(h, 110 * TENTH, sm, blocks[sm][n]));
	host_free(h);
}

/*
 * smk, as in test_sharing.c: 20 blocks of 10 % of an SM, and four more come. The shares are 80 and
 * 20 then, and the two newest of either SM have left.
 */
static void smk_replaces_the_newest(void **state)
{
	struct host *h = paper("smk");
	struct vgpu_block *blocks[VGPU_BLOCKS_MOST];
	u32 b;

	(void)state;
	sharing_arrives(h, 10, KERNEL(20, 1000, 100));
	sharing_run(h, 100);
	b = host_open(h);
	host_queue(h, b);
	assert_int_equal(would_leave(h, b, 4, 100, 0, blocks), 2);
	assert_int_equal(blocks[0]->index, 9);
	assert_int_equal(blocks[1]->index, 8);
	assert_int_equal(vgpu_exec_would_leave(&h->dev->exec, 1, blocks), 2);
	assert_int_equal(blocks[0]->index, 19);
	assert_int_equal(blocks[1]->index, 18);
	/* one block: of the first SM, which has as much as the other */
	assert_int_equal(would_leave(h, b, 1, 100, 0, blocks), 1);
	/* what was found for the other before stays until the announcement is over */
	assert_int_equal(vgpu_exec_would_leave(&h->dev->exec, 1, blocks), 2);
	/* larger than an SM: it will never come */
	assert_int_equal(would_leave(h, b, 1, 2000, 0, blocks), 1);
	host_free(h);
	is_foreseen("smk", KERNEL(20, 1000, 100), KERNEL(4, 300, 100), 4);
	/* until the two have the same: 50 and 50 */
	is_foreseen("smk", KERNEL(20, 1000, 100), KERNEL(1000, 300, 100), 10);
	/* the shares would be further apart */
	is_foreseen("smk", KERNEL(4, 500, 100), KERNEL(2, 200, 900), 0);
	/* beside, without anybody leaving */
	is_foreseen("smk", KERNEL(10, 1000, 100), KERNEL(10, 300, 100), 0);
}

/* Half of each SM for either of two equal kernels (SMK 5.3.2). */
static void partitions_are_foreseen(void **state)
{
	(void)state;
	is_foreseen("smk-p", KERNEL(20, 1000, 100), KERNEL(1000, 300, 100), 10);
	/* two partitions of one block each */
	is_foreseen("smk-p", KERNEL(20, 1000, 100), KERNEL(2, 300, 100), 2);
	is_foreseen("smk-p", KERNEL(8, 1000, 100), KERNEL(2, 300, 100), 0);
	/* kernel 1 has SM 0 for itself, the other is shared */
	is_foreseen("smk-pw", KERNEL(1000, 1000, 100), KERNEL(1000, 300, 100), 5);
}

/* Of what is tried nothing is left: the end is that of an undisturbed run, event for event. */
static u64 end_of_run(const char *policy, bool tried)
{
	struct host *h = paper(policy);
	u32 a = host_open(h), b = host_open(h), c = host_open(h);
	struct vgpu_announcement what = { .needs.registers = 250 };
	u64 end;

	host_queue(h, c);
	vgpu_context_sms(h->dev, c, 1);
	sharing_arrive(h, a, 10, KERNEL(60, 700, 100));
	sharing_arrive(h, b, 110, KERNEL(30, 300, 150, 500));
	for (u32 time = 111; time < 3000; time += 7) {
		sharing_run(h, time);
		what.blocks = time % 40;
		if (tried)
			vgpu_exec_try(&h->dev->exec,
				      &vgpu_context_find(h->dev, time % 2 ? c : a)->exec.sched,
				      &what);
		assert_true(vgpu_exec_check(&h->dev->exec));
	}
	sharing_run_out(h);
	end = sharing_end(h, 1) * 100000 + sharing_end(h, 2) + h->record_count;
	host_free(h);
	return end;
}

static void a_trial_changes_nothing(void **state)
{
	static const char *const policies[] = { "smk", "smk-p", "smk-pw", "leftover" };

	(void)state;
	for (u32 n = 0; n < 4; n++)
		assert_int_equal(end_of_run(policies[n], true), end_of_run(policies[n], false));
}

/* ---- a policy by block that does all that it may --------------------------- */

/* It admits what has arrived, without vgpu_exec_waiting(), from the @n-th decision on. */
struct busy {
	u64 decisions, admits_from;
};

/* Of a context. Its rank changes with each decision. */
struct busy_context {
	u64 decisions;
	const struct vgpu_ksr *last;
};

static u64 busy_rank(const struct vgpu_sched_context *ctx)
{
	return ((struct busy_context *)vgpu_sched_data(ctx))->decisions;
}

static void busy_schedule(struct vgpu_exec *exec)
{
	struct busy *busy = vgpu_exec_policy_data(exec);
	struct vgpu_sched_context *ctx = NULL;
	struct vgpu_ksr *ksr = NULL;

	busy->decisions++;
	while ((ctx = vgpu_exec_next_context(exec, ctx)))
		if (vgpu_exec_launch_arrived(ctx) != VGPU_NEVER &&
		    busy->decisions >= busy->admits_from && vgpu_exec_has_room_for(exec, ctx))
			vgpu_exec_admit(exec, ctx);
	while ((ksr = vgpu_exec_next_kernel(exec, ksr))) {
		struct busy_context *own = vgpu_sched_data(vgpu_exec_context_of(ksr));

		own->decisions++;
		own->last = ksr;
		vgpu_exec_reorder(exec, vgpu_exec_context_of(ksr));
		while (vgpu_exec_has_blocks(ksr) && vgpu_exec_fits(exec, 0, ksr))
			vgpu_exec_dispatch(exec, 0, ksr);
	}
	if (vgpu_exec_next_kernel(exec, NULL))
		vgpu_exec_timer(exec, vgpu_exec_time_after(exec, 1000 * US));
}

static const struct vgpu_policy busy_policy = {
	.name = "busy",
	.by_block = true,
	.data_bytes = sizeof(struct busy),
	.context_bytes = sizeof(struct busy_context),
	.schedule = busy_schedule,
	.rank = busy_rank,
};

/* A launch waits that the policy would admit; the trial is the decision in which it would. */
static void what_a_policy_remembers_is_as_before(void **state)
{
	struct host *h = paper("smk");
	struct vgpu_exec *exec = &h->dev->exec;
	struct vgpu_announcement what = { .blocks = 2, .needs.registers = 100 };
	u32 a = host_open(h), b = host_open(h), c = host_open(h);
	struct vgpu_exec_context *of_a = &vgpu_context_find(h->dev, a)->exec;
	struct busy_context before;
	struct busy *busy;
	u64 timer;

	(void)state;
	host_queue(h, c);
	assert_int_equal(vgpu_exec_set_policy(exec, &busy_policy), 0);
	sharing_arrive(h, a, 10, KERNEL(4, 1000, 100));
	sharing_run(h, 50);
	busy = vgpu_exec_policy_data(exec);
	busy->admits_from = ~0ull;
	sharing_arrive(h, b, 60, KERNEL(4, 300, 100));
	sharing_run(h, 100);
	assert_non_null(vgpu_exec_waiting(exec));
	before = *(struct busy_context *)vgpu_sched_data(&of_a->sched);
	timer = vgpu_event_time(&exec->policy_timer);
	busy->admits_from = busy->decisions + 1;
	assert_true(vgpu_exec_try(exec, &vgpu_context_find(h->dev, c)->exec.sched, &what));
	assert_true(vgpu_exec_check(exec));
	assert_ptr_equal(vgpu_exec_policy_data(exec), busy);
	assert_int_equal(busy->decisions, busy->admits_from - 1);
	assert_memory_equal(vgpu_sched_data(&of_a->sched), &before, sizeof(before));
	assert_int_equal(of_a->active.key, before.decisions);
	assert_null(((struct busy_context *)vgpu_sched_data(
			     &vgpu_context_find(h->dev, c)->exec.sched))->last);
	assert_int_equal(exec->active_count, 1);
	assert_non_null(vgpu_exec_waiting(exec));
	assert_int_equal(vgpu_event_time(&exec->policy_timer), timer);
	/* with the first block of @a that ends, it decides so */
	sharing_run_out(h);
	assert_true(sharing_end(h, 2) > 0);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ppq_takes_all_of_less_important_ones),
		cmocka_unit_test(ppq_exclusive_asks_who_may_enter),
		cmocka_unit_test(dss_evens_out),
		cmocka_unit_test(dss_knows_who_has_the_spare_token),
		cmocka_unit_test(spart_evens_out),
		cmocka_unit_test(static_gives_what_is_too_much),
		cmocka_unit_test(round_robin_takes_for_whose_turn_it_is),
		cmocka_unit_test(round_robin_knows_who_is_next),
		cmocka_unit_test(others_take_nothing),
		cmocka_unit_test(smk_replaces_the_newest),
		cmocka_unit_test(partitions_are_foreseen),
		cmocka_unit_test(a_trial_changes_nothing),
		cmocka_unit_test(what_a_policy_remembers_is_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
