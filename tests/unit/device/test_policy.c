// SPDX-License-Identifier: MIT
/*
 * The policies on cases computed on paper: who has how many SMs after each event, and when kernels
 * start and end. A launch takes 1 us to the engine and 0.1 us to set an SM up (k20c). SMs drain
 * when they are preempted: that takes what is left of their block.
 */
#include "device/device.h"
#include "host.h"

#define US	VGPU_US
#define TENTH	(VGPU_US / 10)
#define MEMORY	0x100000000ull	/* of a context, of so many bytes: */
#define COPY	65536ull

static struct host *policy_host(const char *policy, const char *mechanism, const char *sms)
{
	/* more kernels than these few SMs may be active */
	struct host *h = host_new("k20c", sms, "active_kernels=16", NULL);

	assert_int_equal(vgpu_device_knob_set(h->dev, "policy", policy), 0);
	assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", mechanism), 0);
	return h;
}

/* One process with a queue, and its kernels; as many blocks as nobody runs out of in a test. */
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

static u64 launch(struct host *h, struct process p, u64 blocks, u64 block_us)
{
	return host_push(h, p.id, p.queue, cmd_profiled(blocks, block_us * US, 1));
}

static u32 held(struct host *h, struct process p)
{
	const struct vgpu_exec_context *ctx = &vgpu_context_find(h->dev, p.id)->exec;

	return ctx->sched.held + ctx->shared_sms;
}

static void run_to(struct host *h, u64 us)
{
	vgpu_device_run(h->dev, us * US, ~0u);
	assert_true(vgpu_exec_check(&h->dev->exec));
}

static u64 start_of(struct host *h, u32 kernel)
{
	return host_time_of(h, VGPU_TRACE_KERNEL_START, kernel);
}

static u64 done(struct host *h, struct process p, u64 seq)
{
	return host_done(h, p.id, p.queue, seq)->time;
}

/* ---- figure 5.1 --------------------------------------------------------- */

/*
 * K1 and K2 of low priority and K3 of high priority arrive in this order: K1 runs 4 rounds of 100
 * us on 2 SMs, K2 2 rounds, K3 one of 10 us. When K3 is done: under fcfs after both, under npq
 * after K1, under ppq after the drain of K1's second round.
 */
static u64 figure_5_1(const char *policy, const char *mechanism)
{
	struct host *h = policy_host(policy, mechanism, "sms=2");
	struct process p1 = process(h, 0), p2 = process(h, 0), p3 = process(h, 5);
	u64 time;

	launch(h, p1, 8, 100);
	run_to(h, 50);
	launch(h, p2, 4, 100);
	run_to(h, 120);
	launch(h, p3, 2, 10);
	host_run(h);
	time = done(h, p3, 1);
	assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_END), 14);
	host_free(h);
	return time;
}

static void figure_5_1_under_three_policies(void **state)
{
	(void)state;
	/* K1: 1.1 to 401.1; K2: 401.2 to 601.2; K3: 601.3 to 611.3 */
	assert_int_equal(figure_5_1("fcfs", "none"), 6113 * TENTH);
	assert_int_equal(figure_5_1("fcfs", "drain"), 6113 * TENTH);
	/* K1 to 401.1, K3: 401.2 to 411.2 */
	assert_int_equal(figure_5_1("npq", "none"), 4112 * TENTH);
	assert_int_equal(figure_5_1("npq", "drain"), 4112 * TENTH);
	/* Nothing can preempt: K1's last blocks leave at 401.1 */
	assert_int_equal(figure_5_1("ppq-exclusive", "none"), 4112 * TENTH);
	assert_int_equal(figure_5_1("ppq-shared", "none"), 4112 * TENTH);
	/* K3 arrives at 121; the second round ends at 201.1; setup; 10 us */
	assert_int_equal(figure_5_1("ppq-exclusive", "drain"), 2112 * TENTH);
	assert_int_equal(figure_5_1("ppq-shared", "drain"), 2112 * TENTH);
	/*
	 * 121, pipeline drained after 0.283 us, 65536 registers saved at 104 GB/s: 2.52 us; setup
	 * 0.1; 10 us
	 */
	assert_true(figure_5_1("ppq-exclusive", "switch") > 1338 * TENTH &&
		    figure_5_1("ppq-exclusive", "switch") < 1340 * TENTH);
}

/* 5.3.2: with two processes npq has no choice: everything happens as under fcfs. */
static u64 two_processes(const char *policy)
{
	struct host *h = policy_host(policy, "none", "sms=2");
	struct process a = process(h, 0), b = process(h, 9);
	u64 time;
	u32 i;

	for (i = 0; i < 5; i++) {
		launch(h, a, 5, 100);
		launch(h, b, 3, 20);
	}
	host_run(h);
	time = done(h, b, 5);
	host_free(h);
	return time;
}

static void npq_gains_nothing_with_two_processes(void **state)
{
	(void)state;
	assert_int_equal(two_processes("npq"), two_processes("fcfs"));
}

/* ---- fcfs_batch --------------------------------------------------------- */

/*
 * 2.2: "all commands submitted to the GPU must complete before switching". a submits two kernels of
 * 10 us and, at 15 us, a third; b submits one at 5 us, which arrives at 6. When b's and a's third
 * are done.
 */
static void two_of_a_and_one_of_b(const char *batch, u64 *b_done, u64 *a_done)
{
	struct host *h = policy_host("fcfs", "none", "sms=2");
	struct process a = process(h, 0), b = process(h, 0);

	assert_int_equal(vgpu_device_knob_set(h->dev, "fcfs_batch", batch), 0);
	launch(h, a, 2, 10);
	launch(h, a, 2, 10);
	run_to(h, 5);
	launch(h, b, 2, 10);
	run_to(h, 15);
	launch(h, a, 2, 10);
	host_run(h);
	*b_done = done(h, b, 1);
	*a_done = done(h, a, 3);
	host_free(h);
}

static void fcfs_switches_after_kernels_or_batches(void **state)
{
	u64 b, a;

	(void)state;
	two_of_a_and_one_of_b("0", &b, &a);
	/* a to 11.1, b to 21.2, a to 31.3 and 41.4 */
	assert_int_equal(b, 212 * TENTH);
	assert_int_equal(a, 414 * TENTH);
	two_of_a_and_one_of_b("1", &b, &a);
	/* a to 11.1 and 21.2, b to 31.3: what a submitted later comes later */
	assert_int_equal(b, 313 * TENTH);
	assert_int_equal(a, 414 * TENTH);
}

/* Copies belong to a batch: b's kernel waits for that between a's kernels, and for the last. */
static void copies_belong_to_a_batch(void **state)
{
	struct host *h = policy_host("fcfs", "none", "sms=2");
	struct process a = process(h, 0), b = process(h, 0);
	u64 last;

	(void)state;
	assert_int_equal(vgpu_device_knob_set(h->dev, "fcfs_batch", "1"), 0);
	assert_int_equal(vgpu_memory_map(h->dev, a.id, MEMORY, COPY), 0);
	launch(h, a, 2, 10);
	host_push(h, a.id, a.queue, cmd_h2d(MEMORY, 0, COPY));
	launch(h, a, 2, 10);
	last = host_push(h, a.id, a.queue, cmd_h2d(MEMORY, 0, COPY));
	launch(h, b, 2, 10);
	host_run(h);
	/* 65536 bytes at 8 GB/s are 8.192 us: a kernel, a copy, a kernel, a copy */
	assert_int_equal(done(h, a, last), 11 * TENTH + 10 * US + 8192000 + 101 * TENTH + 8192000);
	assert_int_equal(done(h, b, 1), done(h, a, last) + 101 * TENTH);
	host_free(h);
}

/* The engine is free again when its owner dies, or has gone, in the middle of its batch. */
static void a_batch_ends_with_its_context(void **state)
{
	(void)state;
	for (u64 at = 5; at < 40; at += 5) {
		struct host *h = policy_host("fcfs", "none", "sms=2");
		struct process a = process(h, 0), b = process(h, 0);
		u32 i;

		assert_int_equal(vgpu_device_knob_set(h->dev, "fcfs_batch", "1"), 0);
		for (i = 0; i < 10; i++)
			launch(h, a, 2, 10);
		launch(h, b, 2, 10);
		run_to(h, at);
		assert_int_equal(vgpu_context_close(h->dev, a.id), 0);
		host_run(h);
		assert_int_equal(done(h, b, 1), at * US + 101 * TENTH);
		host_free(h);
	}
}

/* ---- ppq ---------------------------------------------------------------- */

/*
 * The important kernel takes one of three SMs. Exclusive: the others stay idle. Shared: the
 * unimportant one has them.
 */
static void free_sms_under_ppq(void **state)
{
	struct host *h = policy_host("ppq-exclusive", "drain", "sms=3");
	struct process low = process(h, 0), high = process(h, 1);

	(void)state;
	launch(h, high, 1, 300);
	launch(h, low, 30, 50);
	run_to(h, 100);
	assert_int_equal(held(h, high), 1);
	assert_int_equal(held(h, low), 0);
	assert_int_equal(h->dev->exec.idle_count, 2);
	/* The switch gives what is idle away at once. */
	assert_int_equal(vgpu_device_knob_set(h->dev, "policy", "ppq-shared"), 0);
	assert_int_equal(held(h, low), 2);
	/* More work of the important one: it takes them back. */
	host_push(h, high.id, host_queue(h, high.id), cmd_profiled(2, 10 * US, 1));
	run_to(h, 102);
	assert_int_equal(held(h, high), 3);
	assert_int_equal(held(h, low), 0);
	/*
	 * Priorities change on the fly: now all of them are reserved for the other, before the
	 * drain has ended.
	 */
	assert_int_equal(vgpu_context_priority(h->dev, low.id, 2), 0);
	assert_int_equal(held(h, low), 3);
	assert_int_equal(held(h, high), 0);
	host_run(h);
	assert_int_equal(done(h, low, 1) > done(h, high, 1), 1);
	host_free(h);
}

/*
 * Two launches wait in the queue of the important process: one drain is for both. Between them the
 * other process's kernel gets the SMs and loses them again before their setup has ended.
 */
static void queued_launches_need_one_preemption(void **state)
{
	static const char *const policies[] = { "ppq-exclusive", "ppq-shared" };
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct host *h = policy_host(policies[i], "drain", "sms=2");
		struct process low = process(h, 0), high = process(h, 1);

		launch(h, low, 100, 100);
		run_to(h, 50);
		launch(h, high, 2, 10);
		launch(h, high, 2, 10);
		host_run(h);
		/* blocks of low drain until 101.1; setup and 10 us, twice */
		assert_int_equal(done(h, high, 1), 1112 * TENTH);
		assert_int_equal(done(h, high, 2), 1213 * TENTH);
		assert_int_equal(host_count_of(h, VGPU_TRACE_PREEMPT_END), 2);
		host_free(h);
	}
}

static void equals_do_not_preempt_each_other(void **state)
{
	static const char *const policies[] = { "ppq-exclusive", "ppq-shared" };
	u32 i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct host *h = policy_host(policies[i], "drain", "sms=2");
		struct process a = process(h, 3), b = process(h, 3);

		launch(h, a, 10, 100);
		run_to(h, 50);
		launch(h, b, 2, 10);
		host_run(h);
		assert_int_equal(h->preemptions, 0);
		assert_int_equal(done(h, a, 1), 5011 * TENTH);
		assert_int_equal(done(h, b, 1), 5112 * TENTH);
		host_free(h);
	}
}

/*
 * The active queue has two entries. Three kernels of one process get one of them: the other is kept
 * for who has none.
 */
static void no_process_fills_the_active_queue(void **state)
{
	static const char *const policies[] = { "ppq-exclusive", "ppq-shared", "dss",
						"round-robin" };
	u32 i, k;

	(void)state;
	for (i = 0; i < VGPU_ARRAY_SIZE(policies); i++) {
		struct host *h = host_new("k20c", "sms=2", "active_kernels=2", NULL);
		struct process low = process(h, 0), high = process(h, 1);

		assert_int_equal(vgpu_device_knob_set(h->dev, "policy", policies[i]), 0);
		assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", "drain"), 0);
		for (k = 0; k < 3; k++)
			host_push(h, low.id, host_queue(h, low.id), cmd_profiled(100, 100 * US, 1));
		run_to(h, 2);
		assert_int_equal(h->dev->exec.active_count, 1);
		launch(h, high, 1, 10);
		run_to(h, 4);
		assert_int_equal(h->dev->exec.active_count, 2);
		host_run(h);
		assert_true(done(h, high, 1) < 1300 * US);
		host_free(h);
	}
}

/* ---- dss: algorithm 1 --------------------------------------------------- */

/* 13 SMs, two processes: tokens 7 (the first to arrive) and 6. */
static void dss_divides_equally(void **state)
{
	struct host *h = policy_host("dss", "drain", "sms=13");
	struct process a = process(h, 0), b = process(h, 0);

	(void)state;
	launch(h, a, 10000, 100);
	run_to(h, 2);
	/*
	 * Alone: all idle SMs, into debt: 7 - 13 = -6. The algorithm as printed would give it none.
	 */
	assert_int_equal(held(h, a), 13);
	launch(h, b, 10000, 100);
	run_to(h, 4);
	/* (-6, 6) (-5, 5) … (0, 0): six SMs change hands, once. */
	assert_int_equal(held(h, a), 7);
	assert_int_equal(held(h, b), 6);
	run_to(h, 1000);
	assert_int_equal(h->preemptions, 6);
	assert_int_equal(held(h, a), 7);
	/* b ends: what it had goes back. */
	assert_int_equal(vgpu_context_close(h->dev, b.id), 0);
	assert_int_equal(held(h, a), 13);
	host_run(h);
	host_free(h);
}

/* Four processes: 3 each and one over, for the first to become active. */
static void dss_gives_the_remainder_to_the_first_arrivals(void **state)
{
	struct host *h = policy_host("dss", "drain", "sms=14");
	struct process p[4];
	u32 i;

	(void)state;
	for (i = 0; i < 4; i++)
		p[i] = process(h, 0);
	/* Tokens 3, remainder 2: for the third and the second process, which come first. */
	launch(h, p[2], 10000, 100);
	run_to(h, 2);
	launch(h, p[1], 10000, 100);
	run_to(h, 4);
	launch(h, p[0], 10000, 100);
	run_to(h, 6);
	launch(h, p[3], 10000, 100);
	run_to(h, 500);
	/*
	 * 1 and 2 came first and hold the two tokens over. Counts are 4 - 4, 4 - 4, 3 - 3, 3 - 3;
	 * nothing less than two apart moves, so one SM more or less is steady too.
	 */
	for (i = 0; i < 4; i++) {
		u32 tokens = i == 1 || i == 2 ? 4 : 3;

		assert_true(held(h, p[i]) + 1 >= tokens && held(h, p[i]) <= tokens + 1);
	}
	for (i = 0; i < 4; i++)
		vgpu_context_close(h->dev, p[i].id);
	host_free(h);
}

/*
 * Kernels with few blocks take what they can use; the rest goes to others, into debt. A process has
 * one budget for its kernels.
 */
static void dss_shares_by_process(void **state)
{
	struct host *h = policy_host("dss", "drain", "sms=12");
	struct process a = process(h, 0), b = process(h, 0), c = process(h, 0);

	(void)state;
	launch(h, a, 2, 1000);
	launch(h, b, 10000, 100);
	run_to(h, 2);
	/* b: 4 - 10 = -6; a: 4 - 2 = 2, but has no block to issue. */
	assert_int_equal(held(h, a), 2);
	assert_int_equal(held(h, b), 10);
	/* c has two kernels: 4 tokens, not 8. (-6, 4) … (-1, -1) */
	launch(h, c, 10000, 100);
	host_push(h, c.id, host_queue(h, c.id), cmd_profiled(10000, 100 * US, 1));
	run_to(h, 4);
	assert_int_equal(held(h, b), 5);
	assert_int_equal(held(h, c), 5);
	/*
	 * While these drain for c, a wants four: reservations change hands, nothing more is
	 * preempted. 13 blocks: a 4, b 4, c 4.
	 */
	host_push(h, a.id, host_queue(h, a.id), cmd_profiled(10000, 100 * US, 1));
	run_to(h, 6);
	assert_int_equal(held(h, a), 4);
	assert_int_equal(held(h, b), 4);
	assert_int_equal(held(h, c), 4);
	vgpu_context_close(h->dev, a.id);
	vgpu_context_close(h->dev, b.id);
	vgpu_context_close(h->dev, c.id);
	host_free(h);
}

static void dss_by_priority_and_by_tokens(void **state)
{
	struct host *h = policy_host("dss", "drain", "sms=12");
	struct process a = process(h, 0), b = process(h, 2);

	(void)state;
	launch(h, a, 100000, 100);
	launch(h, b, 100000, 100);
	run_to(h, 2);
	assert_int_equal(held(h, a), 6);
	/* Weights 1 and 3: 3 and 9 tokens; (3 - 6, 9 - 6) … (0, 0) */
	assert_int_equal(vgpu_device_knob_set(h->dev, "share_by", "priority"), 0);
	assert_int_equal(held(h, a), 3);
	assert_int_equal(held(h, b), 9);
	/* Both alike again, on the fly. */
	assert_int_equal(vgpu_context_priority(h->dev, a.id, 2), 0);
	assert_int_equal(held(h, a), 6);
	/* 10 tokens for a: what is left, 2, is b's share. */
	assert_int_equal(vgpu_context_tokens(h->dev, a.id, 10), 0);
	assert_int_equal(held(h, a), 10);
	assert_int_equal(held(h, b), 2);
	assert_int_equal(vgpu_context_tokens(h->dev, a.id, VGPU_TOKENS_SHARE), 0);
	assert_int_equal(held(h, a), 6);
	assert_int_equal(vgpu_context_tokens(h->dev, a.id, VGPU_TOKENS_MAX + 1), -EINVAL);
	assert_int_equal(vgpu_context_tokens(h->dev, 99, 1), -ENOENT);
	vgpu_context_close(h->dev, a.id);
	vgpu_context_close(h->dev, b.id);
	host_free(h);
}

/* Without a mechanism SMs change hands when kernels leave them, and everything ends. */
static void dss_without_preemption(void **state)
{
	struct host *h = policy_host("dss", "none", "sms=4");
	struct process a = process(h, 0), b = process(h, 0);

	(void)state;
	launch(h, a, 8, 100);
	run_to(h, 50);
	launch(h, b, 4, 100);
	run_to(h, 150);
	assert_int_equal(held(h, a), 4);
	assert_int_equal(held(h, b), 0);
	host_run(h);
	/* a to 201.1, b in one round after it */
	assert_int_equal(done(h, b, 1), 3012 * TENTH);
	host_free(h);
}

/* ---- static and round robin --------------------------------------------- */

static void static_lends_nothing(void **state)
{
	struct host *h = policy_host("static", "drain", "sms=13");
	struct process a = process(h, 0), b = process(h, 0), c = process(h, 0);

	(void)state;
	launch(h, b, 100000, 100);
	run_to(h, 2);
	/* 5, 4, 4: the remainder goes to the first */
	assert_int_equal(held(h, b), 4);
	launch(h, a, 100000, 100);
	run_to(h, 4);
	assert_int_equal(held(h, a), 5);
	assert_int_equal(held(h, c), 0);
	assert_int_equal(vgpu_context_tokens(h->dev, c.id, 9), 0);
	/* 4 are left: 2 and 2. What is too much is not taken before somebody is owed it. */
	assert_int_equal(held(h, b), 4);
	launch(h, c, 100000, 100);
	run_to(h, 6);
	assert_int_equal(held(h, a), 2);
	assert_int_equal(held(h, b), 2);
	assert_int_equal(held(h, c), 9);
	vgpu_context_close(h->dev, a.id);
	vgpu_context_close(h->dev, b.id);
	vgpu_context_close(h->dev, c.id);
	host_free(h);
}

/*
 * Slices of 200 us, blocks of 10 us: a from 1, b from its drain at 201.1 (the first end of a block
 * after 201), and so on.
 */
/* Two SMs of six are the most: whatever the policy, also while another process is preempted. */
static void a_limit_of_sms_holds_under_every_policy(void **state)
{
	const struct vgpu_policy *policy;
	u32 i, n;

	(void)state;
	for (n = 0; (policy = vgpu_policy_at(n)); n++) {
		struct host *h = policy_host(policy->name, "drain", "sms=6");
		struct process a = process(h, 3), b = process(h, 0);

		assert_int_equal(vgpu_context_sms(h->dev, a.id, 0), -EINVAL);
		assert_int_equal(vgpu_context_sms(h->dev, 99, 1), -ENOENT);
		assert_int_equal(vgpu_context_sms(h->dev, a.id, 2), 0);
		launch(h, b, 200, 20);
		launch(h, a, 200, 20);
		launch(h, a, 200, 20);
		for (i = 1; i < 200; i++) {
			run_to(h, i * 10);
			assert_true(held(h, a) <= 2);
		}
		host_run(h);
		assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_END), 600);
		assert_int_equal(vgpu_context_sms(h->dev, a.id, ~0u), 0);
		launch(h, a, 200, 20);
		vgpu_device_run(h->dev, h->dev->system->sim.now + 5 * US, ~0u);
		assert_true(held(h, a) > 2);
		host_run(h);
		host_free(h);
	}
}

static void round_robin_takes_turns(void **state)
{
	struct host *h = policy_host("round-robin", "drain", "sms=2");
	struct process a = process(h, 0), b = process(h, 0);

	(void)state;
	assert_int_equal(vgpu_device_knob_set(h->dev, "time_slice_us", "200"), 0);
	launch(h, a, 100, 10);
	launch(h, b, 100, 10);
	run_to(h, 100);
	assert_int_equal(held(h, a), 2);
	assert_int_equal(held(h, b), 0);
	run_to(h, 203);
	assert_int_equal(held(h, b), 2);
	assert_int_equal(start_of(h, 2) - 200 * US < 20 * US, 1);
	run_to(h, 380);
	assert_int_equal(held(h, b), 2);
	run_to(h, 430);
	assert_int_equal(held(h, a), 2);
	host_run(h);
	/* 500 us of work each: a is done in its third turn, b in its third. */
	assert_true(done(h, a, 1) > 880 * US && done(h, a, 1) < 960 * US);
	assert_true(done(h, b, 1) > 1000 * US && done(h, b, 1) < 1100 * US);
	assert_int_equal(h->preemptions, 2 * 4);
	host_free(h);
}

static void bad_values_of_knobs(void **state)
{
	struct host *h = host_new("k20c", NULL);
	char text[200];

	(void)state;
	assert_int_equal(vgpu_device_knob_set(h->dev, "policy", "lottery"), -EINVAL);
	assert_int_equal(vgpu_device_knob_set(h->dev, "share_by", "wealth"), -EINVAL);
	assert_int_equal(vgpu_device_knob_set(h->dev, "time_slice_us", "99"), -EINVAL);
	assert_int_equal(vgpu_device_knob_set(h->dev, "time_slice_us", "-1"), -EINVAL);
	assert_int_equal(vgpu_device_knob_set(h->dev, "transfer_policy", "npq"), 0);
	assert_true(vgpu_device_knob_get(h->dev, "share_by", text, sizeof(text)) > 0);
	assert_string_equal(text, "[equal] priority");
	assert_true(vgpu_device_knob_get(h->dev, "policy", text, sizeof(text)) > 0);
	assert_string_equal(text, "[fcfs] npq ppq-exclusive ppq-shared dss static round-robin "
				  "spart leftover smk smk-p smk-pw");
	host_free(h);
}

/* The copy of the more important process overtakes those that wait, not the one that runs. */
static void transfers_by_priority(void **state)
{
	struct host *h = policy_host("fcfs", "none", "sms=1");
	struct process a = process(h, 0), b = process(h, 0), c = process(h, 1);
	struct process all[] = { a, b, c };
	u32 i;

	(void)state;
	assert_int_equal(vgpu_device_knob_set(h->dev, "transfer_policy", "npq"), 0);
	for (i = 0; i < 3; i++) {
		vgpu_memory_map(h->dev, all[i].id, 0x40000000, 1 << 20);
		host_push(h, all[i].id, all[i].queue, cmd_h2d(0x40000000, 0, 65536));
	}
	host_run(h);
	assert_true(done(h, a, 1) < done(h, c, 1) && done(h, c, 1) < done(h, b, 1));
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figure_5_1_under_three_policies),
		cmocka_unit_test(npq_gains_nothing_with_two_processes),
		cmocka_unit_test(fcfs_switches_after_kernels_or_batches),
		cmocka_unit_test(copies_belong_to_a_batch),
		cmocka_unit_test(a_batch_ends_with_its_context),
		cmocka_unit_test(free_sms_under_ppq),
		cmocka_unit_test(queued_launches_need_one_preemption),
		cmocka_unit_test(equals_do_not_preempt_each_other),
		cmocka_unit_test(no_process_fills_the_active_queue),
		cmocka_unit_test(dss_divides_equally),
		cmocka_unit_test(dss_gives_the_remainder_to_the_first_arrivals),
		cmocka_unit_test(dss_shares_by_process),
		cmocka_unit_test(dss_by_priority_and_by_tokens),
		cmocka_unit_test(dss_without_preemption),
		cmocka_unit_test(static_lends_nothing),
		cmocka_unit_test(a_limit_of_sms_holds_under_every_policy),
		cmocka_unit_test(round_robin_takes_turns),
		cmocka_unit_test(bad_values_of_knobs),
		cmocka_unit_test(transfers_by_priority),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
