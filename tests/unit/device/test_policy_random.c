// SPDX-License-Identifier: MIT
/*
 * Random profiled workloads under every policy with every mechanism: contexts that come, go and
 * change priority and tokens, kernels of random shape on several queues, and policies and
 * mechanisms that are switched under load. Whatever happens: every block runs exactly once, an SM
 * serves one context at a time, accounts close, everything completes, and the same seed gives the
 * same trace.
 */
#include <stdlib.h>

#include "device/device.h"
#include "host.h"

#define US		VGPU_US
#define CONTEXTS	6
#define QUEUES		3
#define BLOCKS_MAX	300

struct process {
	u32 id;
	u32 queue[QUEUES];
	u64 pushed[QUEUES];
};

struct play {
	struct host *h;
	struct vgpu_random random;
	struct process process[CONTEXTS];
	u64 pushed;
	bool killed[256];		/* by context id */
	bool switches;			/* policies and mechanisms change on the way */
	bool shares;			/* SMs may have blocks of several kernels */
};

static u64 upto(struct play *t, u64 limit)
{
	return vgpu_random_next(&t->random) % limit;
}

static void set(struct play *t, const char *knob, const char *value)
{
	assert_int_equal(vgpu_device_knob_set(t->h->dev, knob, value), 0);
}

static const char *any_policy(struct play *t)
{
	u32 count = 0;

	while (vgpu_policy_at(count))
		count++;
	return vgpu_policy_at((u32)upto(t, count))->name;
}

static const char *any_mechanism(struct play *t)
{
	u32 count = 0;

	while (vgpu_preemption_at(count))
		count++;
	return vgpu_preemption_at((u32)upto(t, count))->name;
}

static void push_kernel(struct play *t, struct process *p)
{
	u32 q = (u32)upto(t, QUEUES);
	struct vgpu_cmd cmd = cmd_profiled(1 + upto(t, upto(t, 3) ? BLOCKS_MAX : 10),
					   1 + upto(t, 40 * US), 1 + (u32)upto(t, 16));

	cmd.profiled.block_cv_permille = (u32)upto(t, 400);
	cmd.profiled.idempotent_permille = (u16)(cmd.profiled.block_cv_permille % 3 * 500);
	/* any of the four may be what there is too little of; k20c can have 16, 32 or 48 KB */
	if (t->shares) {
		cmd.profiled.threads = 32 + (u32)upto(t, 600);
		cmd.profiled.shared_bytes = upto(t, 3) ? (u32)upto(t, 12000) : (u32)upto(t, 48000);
	}
	/* blocks that wait for each other, as many as an empty device has room for at least */
	if (!upto(t, 4)) {
		cmd.flags = VGPU_LAUNCH_COOPERATIVE;
		cmd.profiled.blocks = 1 + upto(t, t->h->config.sms);
	}
	assert_int_equal(host_push(t->h, p->id, p->queue[q], cmd), ++p->pushed[q]);
	t->pushed++;
}

static void open_process(struct play *t, struct process *p)
{
	u32 q;

	memset(p, 0, sizeof(*p));
	p->id = host_open(t->h);
	assert_true(p->id < VGPU_ARRAY_SIZE(t->killed));
	for (q = 0; q < QUEUES; q++)
		p->queue[q] = host_queue(t->h, p->id);
}

static void announce(struct play *t, const struct process *p)
{
	struct vgpu_sched_context *ctx = NULL;
	struct vgpu_announcement what = { .blocks = upto(t, 30) };

	while ((ctx = vgpu_exec_next_context(&t->h->dev->exec, ctx)))
		if (ctx->id == p->id)
			vgpu_exec_announce(vgpu_exec_of_sched(ctx), &what);
}

static void act(struct play *t)
{
	struct process *p = &t->process[upto(t, CONTEXTS)];
	struct vgpu_device *dev = t->h->dev;

	if (!p->id) {
		open_process(t, p);
		return;
	}
	switch (upto(t, 60)) {
	case 0:
		t->killed[p->id] = true;
		assert_int_equal(vgpu_context_close(dev, p->id), 0);
		p->id = 0;
		break;
	case 1:
	case 2:
		assert_int_equal(vgpu_context_priority(dev, p->id, (s32)upto(t, 5) - 2), 0);
		break;
	case 3:
		assert_int_equal(
			vgpu_context_tokens(dev, p->id,
					    upto(t, 2) ? VGPU_TOKENS_SHARE : (u32)upto(t, 6)),
			0);
		break;
	case 4:
		set(t, "share_by", upto(t, 2) ? "equal" : "priority");
		break;
	case 5:
		set(t, "time_slice_us", upto(t, 2) ? "100" : "300");
		set(t, "fcfs_batch", upto(t, 2) ? "0" : "1");
		set(t, "abandon_restores", upto(t, 2) ? "0" : "1");
		break;
	case 6:
	case 7:
		if (t->switches)
			set(t, "policy", any_policy(t));
		break;
	case 8:
	case 9:
		if (t->switches)
			set(t, "preemption", any_mechanism(t));
		break;
	case 10:
	case 11:
		if (t->shares)
			set(t, "kernels_per_sm", upto(t, 2) ? "4" : upto(t, 2) ? "2" : "1");
		break;
	case 12:
	case 13:
	case 14:
	case 15:
		announce(t, p);
		break;
	default:
		push_kernel(t, p);
	}
}

/* ---- what the trace must say -------------------------------------------- */

enum block_state { NEVER, RUNS, STOPPED, ENDED };

static void move(u8 *state, enum block_state from, enum block_state to)
{
	assert_int_equal(*state, from);
	*state = (u8)to;
}

/* Every block runs once, and goes through its states in their order. */
static void check_blocks(struct play *t)
{
	u32 kernels = t->h->dev->exec.launches;
	u8 (*state)[BLOCKS_MAX] = calloc(kernels + 1, sizeof(*state));
	u64 *blocks = calloc(kernels + 1, sizeof(*blocks));
	size_t i;
	u64 b;

	assert_true(state && blocks);
	for (i = 0; i < t->h->record_count; i++) {
		const struct vgpu_trace_record *r = &t->h->records[i];
		u8 *at = &state[r->kernel][r->a % BLOCKS_MAX];

		switch (r->type) {
		case VGPU_TRACE_KERNEL_START:
			assert_int_equal(blocks[r->kernel], 0);
			blocks[r->kernel] = r->a;
			break;
		case VGPU_TRACE_BLOCK_START:
			assert_true(r->a < blocks[r->kernel]);
			move(at, NEVER, RUNS);
			break;
		case VGPU_TRACE_BLOCK_PREEMPT:
			move(at, RUNS, STOPPED);
			break;
		case VGPU_TRACE_BLOCK_RESUME:
			move(at, STOPPED, RUNS);
			break;
		case VGPU_TRACE_BLOCK_END:
			move(at, RUNS, ENDED);
			break;
		case VGPU_TRACE_KERNEL_END:
			for (b = 0; b < blocks[r->kernel] && !t->killed[r->context]; b++)
				assert_int_equal(state[r->kernel][b], ENDED);
			break;
		default:
			break;
		}
	}
	free(blocks);
	free(state);
}

/* Blocks that are on one SM at one time are of one context, unless SMs are shared. */
static void check_sms(struct play *t)
{
	u32 context[16] = {}, count[16] = {};
	size_t i;

	for (i = 0; i < t->h->record_count; i++) {
		const struct vgpu_trace_record *r = &t->h->records[i];

		if (r->type == VGPU_TRACE_BLOCK_START || r->type == VGPU_TRACE_BLOCK_RESUME) {
			assert_true(!count[r->sm] || context[r->sm] == r->context);
			context[r->sm] = r->context;
			count[r->sm]++;
		} else if (r->type == VGPU_TRACE_BLOCK_END || r->type == VGPU_TRACE_BLOCK_PREEMPT) {
			assert_true(count[r->sm]-- && context[r->sm] == r->context);
		}
	}
}

static u64 digest(const struct host *h)
{
	const u8 *bytes = (const u8 *)h->records;
	u64 hash = 14695981039346656037ull;
	size_t i;

	for (i = 0; i < h->record_count * sizeof(*h->records); i++)
		hash = (hash ^ bytes[i]) * 1099511628211ull;
	return hash;
}

static u64 play(const char *policy, const char *mechanism, u64 seed, u32 steps, bool switches,
		bool shares)
{
	static const char *const sms[] = { "sms=1", "sms=3", "sms=13" };
	struct play t = { .h = host_new("k20c", sms[seed % 3],
					seed % 2 ? "active_kernels=4" : "active_kernels=0",
				    seed % 4 < 2 ? "block_placement=depth" :
						   "block_placement=breadth",
				    "grid_turn_ps=3000000", NULL),
			  .switches = switches,
			  .shares = shares };
	u64 hash;
	u32 i;

	vgpu_random_seed(&t.random, seed);
	set(&t, "policy", policy);
	set(&t, "preemption", mechanism);
	for (i = 0; i < steps; i++) {
		act(&t);
		if (!upto(&t, 3))
			vgpu_device_run(t.h->dev, VGPU_NEVER, (u32)upto(&t, 60));
		assert_true(vgpu_exec_check(&t.h->dev->exec));
	}
	host_run(t.h);
	/* All that was pushed has ended, and nobody who was not killed has failed. */
	assert_int_equal(t.h->completion_count, t.pushed);
	for (i = 0; i < t.h->completion_count; i++)
		assert_true(!t.h->completions[i].status || t.killed[t.h->completions[i].context]);
	check_blocks(&t);
	if (!shares)
		check_sms(&t);
	hash = digest(t.h);
	host_free(t.h);
	return hash;
}

static void every_policy_with_every_mechanism(void **state)
{
	const struct vgpu_preemption *mechanism;
	const struct vgpu_policy *policy;
	u32 p, m;
	u64 seed;

	(void)state;
	for (p = 0; (policy = vgpu_policy_at(p)); p++)
		for (m = 0; (mechanism = vgpu_preemption_at(m)); m++)
			for (seed = 1; seed <= 6; seed++)
				play(policy->name, mechanism->name, seed * 100 + seed, 200, false,
				     seed > 3);
}

static void a_switch_under_load_loses_nothing(void **state)
{
	u64 seed;

	(void)state;
	for (seed = 1; seed <= 60; seed++)
		play("fcfs", "none", seed, 300, true, seed % 2);
}

static void the_same_seed_gives_the_same_trace(void **state)
{
	u64 seed, previous = 0;

	(void)state;
	for (seed = 1; seed <= 4; seed++) {
		u64 hash = play("dss", "switch", seed, 200, true, seed % 2);

		assert_true(hash == play("dss", "switch", seed, 200, true, seed % 2));
		assert_true(hash != previous);
		previous = hash;
	}
}

/* ---- nobody starves ----------------------------------------------------- */

#define HOGS	7

/*
 * Processes that always have a kernel more of 500 blocks of 100 us waiting, and one with a kernel
 * of 13 blocks of 10 us at a time.
 */
static u64 longest_wait(const char *policy, const char *mechanism, const char *share)
{
	struct host *h = host_new("k20c", NULL);
	u32 hog[HOGS], queue[HOGS][2], small = host_open(h), q = host_queue(h, small);
	u64 pushed[HOGS][2] = {}, longest = 0;
	u32 i, k, round;

	assert_int_equal(vgpu_device_knob_set(h->dev, "policy", policy), 0);
	assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", mechanism), 0);
	assert_int_equal(vgpu_device_knob_set(h->dev, "share_by", share), 0);
	vgpu_device_trace(h->dev, false);
	for (i = 0; i < HOGS; i++) {
		hog[i] = host_open(h);
		/* More important than the small one, too. */
		vgpu_context_priority(h->dev, hog[i], 20);
		queue[i][0] = host_queue(h, hog[i]);
		queue[i][1] = host_queue(h, hog[i]);
	}
	for (round = 0; round < 20; round++) {
		u64 start = vgpu_device_now(h->dev), done = 0, want;

		want = host_push(h, small, q, cmd_profiled(13, 10 * US, 1));
		while (done < want) {
			for (i = 0; i < HOGS; i++)
				for (k = 0; k < 2; k++) {
					vgpu_queue_completed(h->dev, hog[i], queue[i][k], &done);
					while (pushed[i][k] < done + 2)
						pushed[i][k] =
							host_push(h, hog[i], queue[i][k],
								  cmd_profiled(500, 100 * US, 4));
				}
			vgpu_device_run(h->dev, vgpu_device_now(h->dev) + 20 * US, ~0u);
			assert_true(vgpu_device_now(h->dev) - start < 100 * VGPU_MS);
			vgpu_queue_completed(h->dev, small, q, &done);
		}
		longest = vgpu_device_now(h->dev) - start > longest ?
				  vgpu_device_now(h->dev) - start :
				  longest;
	}
	for (i = 0; i < HOGS; i++)
		vgpu_context_close(h->dev, hog[i]);
	host_free(h);
	return longest;
}

static void nobody_starves(void **state)
{
	static const char *const mechanisms[] = { "drain", "switch", "drain-then-switch",
						  "flush", "chimera" };
	u32 i;

	(void)state;
	for (i = 0; i < VGPU_ARRAY_SIZE(mechanisms); i++) {
		/*
		 * One SM at least, after a preemption of at most 100 us: 13 blocks one after the
		 * other.
		 */
		assert_true(longest_wait("dss", mechanisms[i], "equal") < 500 * US);
		assert_true(longest_wait("dss", mechanisms[i], "priority") < 500 * US);
		assert_true(longest_wait("static", mechanisms[i], "equal") < 500 * US);
		/* A turn of a millisecond and a preemption for each of the others. */
		assert_true(longest_wait("round-robin", mechanisms[i], "equal") <
			    HOGS * (2 * VGPU_MS + 100 * US) + 500 * US);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_policy_with_every_mechanism),
		cmocka_unit_test(a_switch_under_load_loses_nothing),
		cmocka_unit_test(the_same_seed_gives_the_same_trace),
		cmocka_unit_test(nobody_starves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
