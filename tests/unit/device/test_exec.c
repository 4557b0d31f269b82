// SPDX-License-Identifier: MIT
/*
 * The execution engine: cases computed on paper for fcfs, the accounts, the watchdog, and the seams
 * for policies and preemption mechanisms, driven by a small policy of the test's own.
 *
 * On paper a launch takes 1 us to the engine and 0.1 us to set an SM up (k20c).
 */
#include "device/device.h"
#include "host.h"

#define US	VGPU_US
#define TENTH	(VGPU_US / 10)

static u64 start_of(struct host *h, u32 kernel)
{
	return host_time_of(h, VGPU_TRACE_KERNEL_START, kernel);
}

static u64 end_of(struct host *h, u32 kernel)
{
	return host_time_of(h, VGPU_TRACE_KERNEL_END, kernel);
}

/*
 * Tanasic 2.3: every SM is filled, a block that ends is replaced: 20 blocks, 8 at a time, three
 * rounds.
 */
static void one_kernel_runs_in_rounds(void **state)
{
	struct host *h = host_new("k20c", "sms=2", NULL);
	u32 c = host_open(h), q = host_queue(h, c);
	struct vgpu_context_info info;

	(void)state;
	host_push(h, c, q, cmd_profiled(20, 10 * US, 4));
	host_run(h);
	assert_int_equal(start_of(h, 1), 11 * TENTH);
	assert_int_equal(end_of(h, 1), 311 * TENTH);
	assert_int_equal(host_done(h, c, q, 1)->time, 311 * TENTH);
	assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_START), 20);
	assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_END), 20);
	vgpu_context_info(h->dev, c, &info);
	assert_int_equal(info.kernels, 1);
	assert_int_equal(info.blocks, 20);
	/* SM 0: setup and three rounds; SM 1: setup and two */
	assert_int_equal(info.sm_time, 301 * TENTH + 201 * TENTH);
	assert_int_equal(h->dev->exec.smst[0].time[VGPU_SM_IDLE], US);
	assert_int_equal(h->dev->exec.smst[0].time[VGPU_SM_SETUP], TENTH);
	assert_int_equal(h->dev->exec.smst[0].time[VGPU_SM_RUNNING], 300 * TENTH);
	host_free(h);
}

/*
 * 5.2.2: an SM is filled before the next one is looked for; a kernel takes no SM that it cannot
 * use.
 */
static void few_blocks_take_few_sms(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c), r = host_queue(h, c);
	size_t i;

	(void)state;
	host_push(h, c, q, cmd_profiled(5, 10 * US, 4));
	host_push(h, c, r, cmd_profiled(1, 10 * US, 4));
	host_run(h);
	assert_int_equal(host_count_of(h, VGPU_TRACE_SM_SETUP), 3);
	for (i = 0; i < h->record_count; i++) {
		const struct vgpu_trace_record *r = &h->records[i];

		if (r->type == VGPU_TRACE_BLOCK_START)
			assert_int_equal(r->sm, r->kernel == 2 ? 2 : r->a / 4);
	}
	assert_int_equal(end_of(h, 1), 111 * TENTH);
	assert_int_equal(end_of(h, 2), 111 * TENTH);
	host_free(h);
}

/*
 * Kernel 1 leaves SM 1 free in its last round: kernel 2 of the same context starts there, beside
 * it.
 */
static void kernels_of_one_context_run_back_to_back(void **state)
{
	struct host *h = host_new("k20c", "sms=2", NULL);
	u32 c = host_open(h), q = host_queue(h, c), r = host_queue(h, c);

	(void)state;
	host_push(h, c, q, cmd_profiled(12, 10 * US, 4));
	host_push(h, c, r, cmd_profiled(4, 10 * US, 4));
	host_run(h);
	assert_int_equal(end_of(h, 1), 211 * TENTH);
	assert_int_equal(start_of(h, 2), 112 * TENTH);
	assert_int_equal(end_of(h, 2), 212 * TENTH);
	host_free(h);
}

/* A launch takes its microsecond while it waits in its queue, or what is left of it. */
static void a_queued_launch_starts_when_the_one_before_has_ended(void **state)
{
	struct host *h = host_new("k20c", "sms=2", NULL);
	u32 c = host_open(h), q = host_queue(h, c);

	(void)state;
	host_push(h, c, q, cmd_profiled(8, 10 * US, 4));
	host_push(h, c, q, cmd_profiled(8, 10 * US, 4));
	vgpu_device_run(h->dev, 209 * TENTH, ~0u);
	/* 0.3 us before kernel 2 ends */
	host_push(h, c, q, cmd_profiled(8, 10 * US, 4));
	host_run(h);
	assert_int_equal(start_of(h, 1), 11 * TENTH);
	assert_int_equal(end_of(h, 1), 111 * TENTH);
	assert_int_equal(start_of(h, 2), 112 * TENTH);
	assert_int_equal(end_of(h, 2), 212 * TENTH);
	assert_int_equal(start_of(h, 3), (209 + 11) * TENTH);
	host_free(h);
}

/* With dispatch_ps=500000 it takes half a microsecond of that after it. */
static void a_launch_may_take_its_time_from_the_dispatcher(void **state)
{
	struct host *h = host_new("k20c", "sms=2", "dispatch_ps=500000", NULL);
	u32 c = host_open(h), q = host_queue(h, c);

	(void)state;
	host_push(h, c, q, cmd_profiled(8, 10 * US, 4));
	host_push(h, c, q, cmd_profiled(8, 10 * US, 4));
	host_run(h);
	assert_int_equal(start_of(h, 1), 11 * TENTH);
	assert_int_equal(start_of(h, 2), (111 + 5 + 1) * TENTH);
	host_free(h);
}

/*
 * The same with two contexts: the engine belongs to one at a time, so kernel 2 waits for all of
 * kernel 1.
 */
static void contexts_do_not_share_the_engine(void **state)
{
	struct host *h = host_new("k20c", "sms=2", NULL);
	u32 a = host_open(h), b = host_open(h);
	u32 q = host_queue(h, a), r = host_queue(h, b);

	(void)state;
	host_push(h, a, q, cmd_profiled(12, 10 * US, 4));
	host_push(h, b, r, cmd_profiled(4, 10 * US, 4));
	host_run(h);
	assert_int_equal(end_of(h, 1), 211 * TENTH);
	assert_int_equal(start_of(h, 2), 212 * TENTH);
	assert_int_equal(end_of(h, 2), 312 * TENTH);
	host_free(h);
}

/* A, B, A: the second of A could run beside the first, but came after B's. */
static void nobody_overtakes(void **state)
{
	struct host *h = host_new("k20c", "sms=2", NULL);
	u32 a = host_open(h), b = host_open(h);
	u32 q = host_queue(h, a), r = host_queue(h, b), s = host_queue(h, a);

	(void)state;
	host_push(h, a, q, cmd_profiled(1, 10 * US, 4));
	host_push(h, b, r, cmd_profiled(1, 10 * US, 4));
	host_push(h, a, s, cmd_profiled(1, 10 * US, 4));
	host_run(h);
	assert_int_equal(end_of(h, 1), 111 * TENTH);
	assert_int_equal(host_done(h, b, r, 1)->time, 212 * TENTH);
	assert_int_equal(host_done(h, a, s, 1)->time, 313 * TENTH);
	host_free(h);
}

/*
 * One command a buffer: what comes after waits in the dispatcher and moves up; as many active
 * kernels as SMs.
 */
static void command_buffers_hold_one_command(void **state)
{
	struct host *h = host_new("k20c", "sms=2", NULL);
	u32 a = host_open(h), b = host_open(h);
	const struct vgpu_exec_context *ctx = &vgpu_context_find(h->dev, b)->exec;
	u32 q[4], i;

	(void)state;
	host_push(h, a, host_queue(h, a), cmd_profiled(1, 10 * US, 4));
	for (i = 0; i < 4; i++) {
		q[i] = host_queue(h, b);
		host_push(h, b, q[i], cmd_profiled(1, 10 * US, 4));
	}
	vgpu_device_run(h->dev, 5 * US, ~0u);
	assert_int_equal(h->dev->exec.active_count, 1);
	assert_int_equal(ctx->job->queue, q[0]);
	assert_int_equal(vgpu_list_first(&ctx->behind, struct vgpu_job, node)->queue, q[1]);
	assert_int_equal(vgpu_list_entry(ctx->behind.prev, struct vgpu_job, node)->queue, q[3]);
	vgpu_device_run(h->dev, 15 * US, ~0u);
	assert_int_equal(h->dev->exec.active_count, 2);
	assert_false(vgpu_exec_has_room(&h->dev->exec));
	assert_int_equal(ctx->job->queue, q[2]);
	host_run(h);
	assert_int_equal(host_done(h, b, q[1], 1)->time, 212 * TENTH);
	assert_int_equal(host_done(h, b, q[3], 1)->time, 313 * TENTH);
	host_free(h);
}

/* A block's time is drawn: the mean and the spread come out, within what 40,000 draws allow. */
static void block_times_have_the_mean_and_spread_asked_for(void **state)
{
	enum { BLOCKS = 40000 };
	static const u32 cvs[] = { 0, 100, 288, 600 };
	u32 i;

	(void)state;
	for (i = 0; i < VGPU_ARRAY_SIZE(cvs); i++) {
		struct host *h = host_new("k20c", "sms=1", NULL);
		u32 c = host_open(h), q = host_queue(h, c);
		struct vgpu_cmd cmd = cmd_profiled(BLOCKS, 10 * US, 1);
		double sum = 0, squares = 0, cv;
		u64 last = 0;
		size_t k;

		cmd.profiled.block_cv_permille = cvs[i];
		host_push(h, c, q, cmd);
		host_run(h);
		for (k = 0; k < h->record_count; k++) {
			const struct vgpu_trace_record *r = &h->records[k];

			if (r->type == VGPU_TRACE_BLOCK_START)
				last = r->time;
			if (r->type == VGPU_TRACE_BLOCK_END) {
				double time = (double)(r->time - last) / (10 * US);

				assert_true(time > 0 && time < 2);
				sum += time;
				squares += time * time;
			}
		}
		sum /= BLOCKS;
		cv = (squares / BLOCKS - sum * sum) * 1e6;
		assert_true(sum > 0.99 && sum < 1.01);
		/* Beyond 0.288 the tails are cut, so less than asked for. */
		if (cvs[i] <= 288)
			assert_true(cv >= 0.95 * cvs[i] * cvs[i] - 1e-3 &&
				    cv <= 1.05 * cvs[i] * cvs[i] + 1e-3);
		else
			assert_true(cv > 400 * 400 && cv < cvs[i] * cvs[i]);
		host_free(h);
	}
}

static void a_kernel_that_runs_too_long_ends_its_context(void **state)
{
	struct host *h = host_new("k20c", "sms=2", "watchdog_ps=50000000", NULL);
	u32 a = host_open(h), b = host_open(h);
	u32 q = host_queue(h, a), r = host_queue(h, b);

	(void)state;
	host_push(h, a, q, cmd_profiled(1, 49 * US, 1));
	host_push(h, a, q, cmd_profiled(3, 40 * US, 1));
	host_push(h, b, r, cmd_profiled(1, 49 * US, 1));
	host_run(h);
	assert_int_equal(host_done(h, a, q, 1)->status, 0);
	assert_int_equal(h->fault_count, 1);
	assert_int_equal(h->dead[0], a);
	assert_int_equal(h->faults[0].reason, VGPU_FAULT_WATCHDOG);
	assert_int_equal(h->faults[0].seq, 2);
	/* b came while kernel 1 ran: it is before the second of a */
	assert_int_equal(host_done(h, b, r, 1)->status, 0);
	assert_int_equal(h->faults[0].time, start_of(h, 3) + 50 * US);
	host_free(h);
}

static void the_watchdog_can_be_set_on_a_running_kernel(void **state)
{
	struct host *h = host_new("k20c", "sms=2", NULL);
	u32 a = host_open(h), q = host_queue(h, a);

	(void)state;
	host_push(h, a, q, cmd_profiled(1, VGPU_MS, 1));
	host_push(h, a, q, cmd_profiled(1, VGPU_MS, 1));
	vgpu_device_run(h->dev, 100 * US, ~0u);
	assert_int_equal(vgpu_device_knob_set(h->dev, "watchdog_us", "2000"), 0);
	assert_int_equal(vgpu_device_knob_set(h->dev, "watchdog_us", "0"), 0);
	vgpu_device_run(h->dev, 1100 * US, ~0u);
	assert_int_equal(h->completion_count, 1);
	assert_int_equal(vgpu_device_knob_set(h->dev, "watchdog_us", "10"), 0);
	host_run(h);
	/* Older than that already: it ends at once. */
	assert_int_equal(h->fault_count, 1);
	assert_int_equal(h->faults[0].time, 1100 * US);
	host_free(h);
}

/* ---- the seams ---------------------------------------------------------- */

/* The newest kernel gets SM 0; idle SMs go to whoever has blocks, lower ids of contexts last. */
static u64 newest_rank(const struct vgpu_sched_context *ctx)
{
	return ~(u64)ctx->id;
}

static int reserved;

static void newest_schedule(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *ctx;
	struct vgpu_ksr *ksr, *newest = NULL;
	int sm;

	while ((ctx = vgpu_exec_waiting(exec)) && vgpu_exec_has_room(exec))
		newest = vgpu_exec_admit(exec, ctx);
	while ((ksr = vgpu_exec_issuable(exec)) && (sm = vgpu_exec_idle_sm(exec)) >= 0)
		vgpu_exec_assign(exec, (u32)sm, ksr);
	if (newest && newest->unclaimed && exec->smst[0].ksr != newest)
		reserved = vgpu_exec_reserve(exec, 0, newest);
}

static const struct vgpu_policy newest = {
	.name = "newest",
	.schedule = newest_schedule,
	.rank = newest_rank,
};

static struct host *seam_host(const char *mechanism, const char *sms)
{
	struct host *h = host_new("k20c", sms, "active_kernels=8", NULL);

	reserved = 99;
	vgpu_exec_set_policy(&h->dev->exec, &newest);
	assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", mechanism), 0);
	return h;
}

static void no_mechanism_no_reservation(void **state)
{
	struct host *h = seam_host("none", "sms=1");
	u32 a = host_open(h), b = host_open(h);

	(void)state;
	host_push(h, a, host_queue(h, a), cmd_profiled(2, 100 * US, 1));
	vgpu_device_run(h->dev, 50 * US, ~0u);
	host_push(h, b, host_queue(h, b), cmd_profiled(1, 10 * US, 1));
	host_run(h);
	assert_int_equal(reserved, -EOPNOTSUPP);
	host_free(h);
}

/*
 * Drain: kernel 1 has 3 blocks of 100 us, two at a time on one SM. Kernel 2 comes at 51 us; the SM
 * issues no more of kernel 1, is empty at 101.1, set up at 101.2, runs kernel 2 to 111.2 and goes
 * back to kernel 1's last block: 111.3 to 211.3.
 */
static void a_reserved_sm_drains_and_changes_hands(void **state)
{
	struct host *h = seam_host("drain", "sms=1");
	u32 a = host_open(h), b = host_open(h);

	(void)state;
	host_push(h, a, host_queue(h, a), cmd_profiled(3, 100 * US, 2));
	vgpu_device_run(h->dev, 50 * US, ~0u);
	host_push(h, b, host_queue(h, b), cmd_profiled(1, 10 * US, 2));
	vgpu_device_run(h->dev, 60 * US, ~0u);
	assert_int_equal(reserved, 0);
	assert_int_equal(h->dev->exec.smst[0].state, VGPU_SM_RESERVED);
	/* Another mechanism is for the next one: this one goes on as it began. */
	assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", "switch"), 0);
	assert_int_equal(h->dev->exec.smst[0].state, VGPU_SM_RESERVED);
	host_run(h);
	assert_int_equal(start_of(h, 2), 1012 * TENTH);
	assert_int_equal(end_of(h, 2), 1112 * TENTH);
	assert_int_equal(end_of(h, 1), 2113 * TENTH);
	assert_int_equal(h->dev->exec.smst[0].time[VGPU_SM_RESERVED], 501 * TENTH);
	assert_int_equal(h->preemptions, 1);
	assert_int_equal(h->preemption_ps, 501 * TENTH);
	host_free(h);
}

/*
 * 5.2.4: the decision may change while the SM is being preempted. Kernel 3 takes what was reserved
 * for kernel 2.
 */
static void a_reservation_can_change_and_can_lapse(void **state)
{
	struct host *h = seam_host("drain", "sms=2");
	u32 a = host_open(h), b = host_open(h), c = host_open(h);

	(void)state;
	host_push(h, a, host_queue(h, a), cmd_profiled(10, 100 * US, 1));
	vgpu_device_run(h->dev, 50 * US, ~0u);
	host_push(h, b, host_queue(h, b), cmd_profiled(1, 10 * US, 1));
	vgpu_device_run(h->dev, 60 * US, ~0u);
	assert_int_equal(h->dev->exec.smst[0].next->ctx->sched.id, b);
	/* b goes; nobody is next any more */
	assert_int_equal(vgpu_context_close(h->dev, b), 0);
	assert_int_equal(h->dev->exec.smst[0].state, VGPU_SM_RESERVED);
	assert_null(h->dev->exec.smst[0].next);
	host_push(h, c, host_queue(h, c), cmd_profiled(1, 10 * US, 1));
	vgpu_device_run(h->dev, 70 * US, ~0u);
	assert_int_equal(h->dev->exec.smst[0].next->ctx->sched.id, c);
	host_run(h);
	assert_int_equal(start_of(h, 3), 1012 * TENTH);
	assert_int_equal(h->completion_count, 3);
	host_free(h);
}

/*
 * An SM that is only being set up changes hands at once, and what it claimed goes back: that is no
 * preemption.
 */
static void setup_changes_hands_at_once(void **state)
{
	struct host *h = seam_host("drain", "sms=1");
	u32 a = host_open(h), b = host_open(h);

	(void)state;
	host_push(h, a, host_queue(h, a), cmd_profiled(1, 100 * US, 1));
	vgpu_device_run(h->dev, US / 20, ~0u);
	host_push(h, b, host_queue(h, b), cmd_profiled(1, 10 * US, 1));
	host_run(h);
	assert_int_equal(h->preemptions, 0);
	assert_int_equal(host_count_of(h, VGPU_TRACE_PREEMPT_START), 0);
	assert_int_equal(start_of(h, 2), 115 * US / 100);
	assert_int_equal(start_of(h, 1), 1125 * US / 100);
	host_free(h);
}

/* A context that ends with blocks in the PTBQ, resident and in setup. */
static void contexts_end_in_the_middle_of_preemption(void **state)
{
	u32 victim;

	(void)state;
	for (victim = 1; victim <= 2; victim++) {
		struct host *h = seam_host(victim == 1 ? "switch" : "drain", "sms=2");
		u32 a = host_open(h), b = host_open(h);

		host_push(h, a, host_queue(h, a), cmd_profiled(9, 100 * US, 2));
		vgpu_device_run(h->dev, 50 * US, ~0u);
		host_push(h, b, host_queue(h, b), cmd_profiled(9, 100 * US, 2));
		vgpu_device_run(h->dev, 60 * US, ~0u);
		assert_int_equal(vgpu_context_close(h->dev, victim == 1 ? a : b), 0);
		assert_true(vgpu_exec_check(&h->dev->exec));
		host_run(h);
		assert_int_equal(h->completion_count, 2);
		host_free(h);
	}
}

/* fcfs takes over what another policy has begun, and nothing is lost. */
static void a_policy_changes_under_load(void **state)
{
	struct host *h = seam_host("switch", "sms=3");
	u32 a = host_open(h), b = host_open(h), i;
	u32 q[6];

	(void)state;
	for (i = 0; i < 6; i++) {
		q[i] = host_queue(h, i % 2 ? a : b);
		host_push(h, i % 2 ? a : b, q[i], cmd_profiled(50, 10 * US, 3));
		vgpu_device_run(h->dev, i * 20 * US, ~0u);
	}
	assert_int_equal(vgpu_device_knob_set(h->dev, "policy", "fcfs"), 0);
	assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", "none"), 0);
	host_run(h);
	assert_int_equal(h->completion_count, 6);
	for (i = 0; i < 6; i++)
		assert_int_equal(host_done(h, i % 2 ? a : b, q[i], 1)->status, 0);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_kernel_runs_in_rounds),
		cmocka_unit_test(few_blocks_take_few_sms),
		cmocka_unit_test(kernels_of_one_context_run_back_to_back),
		cmocka_unit_test(a_queued_launch_starts_when_the_one_before_has_ended),
		cmocka_unit_test(a_launch_may_take_its_time_from_the_dispatcher),
		cmocka_unit_test(contexts_do_not_share_the_engine),
		cmocka_unit_test(nobody_overtakes),
		cmocka_unit_test(command_buffers_hold_one_command),
		cmocka_unit_test(block_times_have_the_mean_and_spread_asked_for),
		cmocka_unit_test(a_kernel_that_runs_too_long_ends_its_context),
		cmocka_unit_test(the_watchdog_can_be_set_on_a_running_kernel),
		cmocka_unit_test(no_mechanism_no_reservation),
		cmocka_unit_test(a_reserved_sm_drains_and_changes_hands),
		cmocka_unit_test(a_reservation_can_change_and_can_lapse),
		cmocka_unit_test(setup_changes_hands_at_once),
		cmocka_unit_test(contexts_end_in_the_middle_of_preemption),
		cmocka_unit_test(a_policy_changes_under_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
