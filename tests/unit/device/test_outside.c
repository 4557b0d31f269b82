// SPDX-License-Identifier: MIT
/*
 * Policies and mechanisms from outside (exec/outside/): how they come and go, that what they
 * decide is checked, and that a device goes on without one that starves a context, makes no
 * progress or is unloaded in the middle. Times on paper: a launch arrives 1 us after it was
 * submitted, the setup of an SM takes 0.1 us.
 */
#include <stdio.h>
#include <string.h>

#include "device/device.h"
#include "host.h"
#include "platform/user.h"
#include "vgpu_policy_file.h"

#define US	VGPU_US
#define TENTH	100000ull

static int teardown(void **state);

/* ---- coming and going ---------------------------------------------------- */

static void admit_all(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *ctx;

	while ((ctx = vgpu_exec_waiting(exec)) && vgpu_exec_has_room(exec))
		vgpu_exec_admit(exec, ctx);
}

static void assign_idle(struct vgpu_exec *exec)
{
	struct vgpu_ksr *ksr;
	int sm;

	while ((ksr = vgpu_exec_issuable(exec)) && (sm = vgpu_exec_idle_sm(exec)) >= 0)
		vgpu_exec_assign(exec, (u32)sm, ksr);
}

static void plain_schedule(struct vgpu_exec *exec)
{
	admit_all(exec);
	assign_idle(exec);
}

static const struct vgpu_policy plain = { .name = "plain", .schedule = plain_schedule };

static void nothing_schedule(struct vgpu_exec *exec)
{
	(void)exec;
}

static struct host *host_with(const struct vgpu_policy *policy, const char *sms,
			      const char *preemption, const char *field)
{
	struct host *h = host_new("k20c", sms, "active_kernels=4", field, NULL);

	if (policy) {
		assert_int_equal(vgpu_policy_add(policy), 0);
		assert_int_equal(vgpu_device_knob_set(h->dev, "policy", policy->name), 0);
	}
	assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", preemption), 0);
	return h;
}

static void what_is_no_policy_is_refused(void **state)
{
	static const char *const names[] = {
		NULL, "", "two words", "new\nline", "br[acket]", "a/b",
		"12345678901234567890123456789012",
	};
	static const struct vgpu_policy idle = { .name = "idle" };
	static const struct vgpu_policy wants = {
		.name = "wants", .schedule = nothing_schedule,
		.context_bytes = VGPU_POLICY_CONTEXT_BYTES + 1,
	};
	static const struct vgpu_policy built_in = { .name = "dss", .schedule = nothing_schedule };
	static const struct vgpu_policy longest = {
		.name = "1234567890123456789012345678901", .schedule = nothing_schedule,
	};
	static const struct vgpu_preemption same = { .name = "chimera" };
	static const struct vgpu_preemption estimates = {
		.name = "half", .begin = vgpu_exec_leave_blocks,
	};

	(void)state;
	for (u32 i = 0; i < VGPU_ARRAY_SIZE(names); i++) {
		struct vgpu_policy wrong = { .name = names[i], .schedule = nothing_schedule };
		struct vgpu_preemption mechanism = { .name = names[i] };

		assert_int_equal(vgpu_policy_add(&wrong), -EINVAL);
		assert_int_equal(vgpu_preemption_add(&mechanism), -EINVAL);
	}
	assert_int_equal(vgpu_policy_add(&idle), -EINVAL);
	assert_int_equal(vgpu_policy_add(&wants), -EINVAL);
	assert_int_equal(vgpu_policy_add(&built_in), -EEXIST);
	assert_int_equal(vgpu_preemption_add(&same), -EEXIST);
	assert_int_equal(vgpu_preemption_add(&estimates), -EINVAL);
	assert_int_equal(vgpu_policy_add(&plain), 0);
	assert_int_equal(vgpu_policy_add(&plain), -EEXIST);
	assert_int_equal(vgpu_policy_add(&longest), 0);
}

static void no_more_than_there_is_room_for(void **state)
{
	static struct vgpu_policy policies[17];
	static char names[17][8];

	(void)state;
	for (u32 i = 0; i < 17; i++) {
		snprintf(names[i], sizeof(names[i]), "p%u", i);
		policies[i] = (struct vgpu_policy){
			.name = names[i], .schedule = nothing_schedule,
		};
		assert_int_equal(vgpu_policy_add(&policies[i]), i < 16 ? 0 : -ENOSPC);
	}
	/* one that goes makes room, and the others are still found */
	vgpu_policy_remove(&policies[3]);
	assert_null(vgpu_policy_find("p3"));
	assert_ptr_equal(vgpu_policy_find("p4\n"), &policies[4]);
	assert_int_equal(vgpu_policy_add(&policies[16]), 0);
}

/* The list of the knob has it behind those of the tree, and it schedules. */
static void a_policy_comes_and_goes(void **state)
{
	struct host *h = host_with(NULL, "sms=2", "none", NULL);
	u32 c = host_open(h), q = host_queue(h, c);
	char text[400];

	(void)state;
	assert_int_equal(vgpu_device_knob_set(h->dev, "policy", "plain"), -EINVAL);
	assert_int_equal(vgpu_policy_add(&plain), 0);
	assert_true(vgpu_policy_is_outside(&plain));
	assert_false(vgpu_policy_is_outside(vgpu_policy_find("fcfs")));
	assert_int_equal(vgpu_device_knob_set(h->dev, "policy", "plain\n"), 0);
	assert_true(vgpu_device_knob_get(h->dev, "policy", text, sizeof(text)) > 0);
	assert_non_null(strstr(text, "smk-pw [plain]"));
	host_push(h, c, q, cmd_profiled(4, 10 * US, 1));
	vgpu_device_run(h->dev, 5 * US, ~0u);
	assert_int_equal(h->dev->exec.smst[1].state, VGPU_SM_RUNNING);
	/* unloaded while its kernel runs */
	vgpu_policy_remove(&plain);
	vgpu_device_drop_policy(h->dev, &plain);
	assert_string_equal(h->dropped, "policy plain: it was unloaded; fcfs");
	assert_true(vgpu_device_knob_get(h->dev, "policy", text, sizeof(text)) > 0);
	assert_non_null(strstr(text, "[fcfs]"));
	assert_null(strstr(text, "plain"));
	host_run(h);
	/* two rounds of 10 us: nothing was lost */
	assert_int_equal(host_done(h, c, q, 1)->time, 211 * TENTH);
	/* one that nobody has selected goes without a word */
	assert_int_equal(vgpu_policy_add(&plain), 0);
	vgpu_policy_remove(&plain);
	vgpu_device_drop_policy(h->dev, &plain);
	assert_int_equal(h->drops, 1);
	host_free(h);
}

static void without_memory_another_follows(void **state)
{
	struct host *h = host_with(&plain, "sms=1", "none", NULL);
	u32 c = host_open(h), q = host_queue(h, c);

	(void)state;
	host_push(h, c, q, cmd_profiled(1, 10 * US, 1));
	vgpu_user_fail_allocations_after(0);
	vgpu_device_drop_policy(h->dev, &plain);
	vgpu_user_fail_allocations_after(~0ull);
	assert_string_equal(h->dropped, "policy plain: it was unloaded; npq");
	host_run(h);
	host_done(h, c, q, 1);
	host_free(h);
}

/* A device that is to begin with one that has gone meanwhile is not made. */
static void a_device_needs_its_policy(void **state)
{
	struct vgpu_config config;
	struct vgpu_device *dev;
	static const struct vgpu_host_ops none = {};

	(void)state;
	vgpu_config_preset(&config, "k20c");
	assert_int_equal(vgpu_config_set(&config, "policy", "plain"), 0);
	assert_non_null(vgpu_config_check(&config));
	assert_int_equal(vgpu_policy_add(&plain), 0);
	assert_null(vgpu_config_check(&config));
	vgpu_policy_remove(&plain);
	assert_int_equal(vgpu_device_create(&config, &none, NULL, &dev), -EINVAL);
}

/* ---- what a policy as BPF may pass ------------------------------------------ */

/* The n-th schedule() asks about each pointer that there is, and about others. */
static u32 asked;
static struct vgpu_sched_context *context_before;
static const struct vgpu_ksr *kernel_before;

static void asking_schedule(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *ctx = NULL;
	struct vgpu_ksr *ksr = NULL;

	plain_schedule(exec);
	asked++;
	while ((ctx = vgpu_exec_next_context(exec, ctx))) {
		assert_true(vgpu_exec_is_context(exec, ctx));
		assert_ptr_equal(vgpu_exec_of_context(ctx), exec);
		assert_ptr_equal(vgpu_policy_context(exec, ctx->id), ctx);
		assert_false(vgpu_exec_is_context(
			exec, (const struct vgpu_sched_context *)((const u8 *)ctx + 8)));
		context_before = ctx;
	}
	while ((ksr = vgpu_exec_next_kernel(exec, ksr))) {
		assert_true(vgpu_exec_is_kernel(exec, ksr));
		assert_ptr_equal(vgpu_policy_kernel(exec, vgpu_exec_kernel_id(ksr)), ksr);
		assert_false(vgpu_exec_is_kernel(exec,
						 (const struct vgpu_ksr *)((const u8 *)ksr + 8)));
		kernel_before = ksr;
	}
	assert_null(vgpu_policy_context(exec, 1000));
	assert_null(vgpu_policy_kernel(exec, 1000));
	assert_false(vgpu_exec_is_context(exec, NULL));
	assert_false(vgpu_exec_is_kernel(exec, NULL));
	assert_false(vgpu_exec_is_context(exec, (const struct vgpu_sched_context *)exec));
	assert_false(vgpu_exec_is_kernel(exec, (const struct vgpu_ksr *)exec));
	assert_false(vgpu_exec_is_kernel(exec, (const struct vgpu_ksr *)~0ul));
}

static const struct vgpu_policy asking = { .name = "asking", .schedule = asking_schedule };

/* A kernel that has ended and a context that was closed are none. */
static void only_what_is_there_may_be_passed(void **state)
{
	struct host *h = host_with(&asking, "sms=2", "none", NULL);
	u32 a = host_open(h), qa = host_queue(h, a), b = host_open(h), qb = host_queue(h, b);
	const struct vgpu_sched_context *gone;

	(void)state;
	host_push(h, a, qa, cmd_profiled(4, 10 * US, 1));
	host_push(h, b, qb, cmd_profiled(4, 10 * US, 1));
	host_run(h);
	assert_true(asked >= 4);
	assert_non_null(kernel_before);
	assert_false(vgpu_exec_is_kernel(&h->dev->exec, kernel_before));
	assert_true(vgpu_exec_is_context(&h->dev->exec, context_before));
	gone = context_before;
	assert_int_equal(vgpu_context_close(h->dev, b), 0);
	assert_ptr_not_equal(context_before, gone);
	assert_false(vgpu_exec_is_context(&h->dev->exec, gone));
	vgpu_exec_eject(&h->dev->exec, "for a reason");
	host_run(h);
	assert_string_equal(h->dropped, "policy asking: for a reason; fcfs");
	host_free(h);
}

/* ---- the watchdog --------------------------------------------------------- */

static const struct vgpu_policy lazy = { .name = "lazy", .schedule = nothing_schedule };

/* The launch arrives at 1 us and has no SM until 1001. fcfs sets one up then. */
static void one_that_never_schedules_is_ejected(void **state)
{
	struct host *h = host_with(&lazy, "sms=1", "none", "policy_watchdog_ps=1000000000");
	u32 c = host_open(h), q = host_queue(h, c);

	(void)state;
	host_push(h, c, q, cmd_profiled(1, 10 * US, 1));
	host_run(h);
	assert_int_equal(h->drops, 1);
	assert_int_equal(h->dropped_at, 1001 * US);
	assert_string_equal(h->dropped,
			    "policy lazy: context 1 has had work and no SM for 1000 us; fcfs");
	assert_int_equal(host_done(h, c, q, 1)->time, 10111 * TENTH);
	/* it is there and can be selected again */
	assert_int_equal(vgpu_device_knob_set(h->dev, "policy", "lazy"), 0);
	host_free(h);
}

/* Without a watchdog nothing happens, for ever; with one that is switched on later it does. */
static void the_watchdog_can_be_off(void **state)
{
	struct host *h = host_with(&lazy, "sms=1", "none", "policy_watchdog_ps=0");
	u32 c = host_open(h), q = host_queue(h, c);

	(void)state;
	host_push(h, c, q, cmd_profiled(1, 10 * US, 1));
	host_run(h);
	host_not_done(h, c, q, 1);
	assert_int_equal(h->drops, 0);
	assert_int_equal(vgpu_device_knob_set(h->dev, "policy_watchdog_us", "50"), 0);
	host_run(h);
	assert_int_equal(h->dropped_at, 51 * US);
	host_done(h, c, q, 1);
	host_free(h);
}

/* A device with nothing to do does not let time pass for it. */
static void an_idle_device_stays_idle(void **state)
{
	struct host *h = host_with(&plain, "sms=1", "none", "policy_watchdog_ps=1000000000");
	u32 c = host_open(h), q = host_queue(h, c);

	(void)state;
	host_run(h);
	assert_int_equal(vgpu_device_now(h->dev), 0);
	host_push(h, c, q, cmd_profiled(1, 10 * US, 1));
	host_run(h);
	/* one look behind it: at 1 + 250 us */
	assert_int_equal(vgpu_device_now(h->dev), 251 * US);
	assert_int_equal(h->drops, 0);
	host_free(h);
}

static void first_schedule(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *first = vgpu_exec_next_context(exec, NULL);
	struct vgpu_ksr *ksr;
	int sm;

	if (!first)
		return;
	if (vgpu_exec_launch_arrived(first) != VGPU_NEVER && vgpu_exec_has_room(exec))
		vgpu_exec_admit(exec, first);
	while ((ksr = vgpu_exec_issuable_of(first)) && (sm = vgpu_exec_idle_sm(exec)) >= 0)
		vgpu_exec_assign(exec, (u32)sm, ksr);
}

/*
 * Context 1 is served, with kernels of 100 us, one behind the other; context 2 is not. Its launch
 * comes to the device at 301 us. The looks are at 1 us + n * 250: at 501 it has got work, at 1501
 * for 1000 us.
 */
static void one_that_starves_a_context_is_ejected(void **state)
{
	static const struct vgpu_policy first = { .name = "first", .schedule = first_schedule };
	struct host *h = host_with(&first, "sms=1", "none", "policy_watchdog_ps=1000000000");
	u32 a = host_open(h), b = host_open(h), qa = host_queue(h, a), qb = host_queue(h, b);

	(void)state;
	for (u32 i = 0; i < 30; i++)
		host_push(h, a, qa, cmd_profiled(1, 100 * US, 1));
	vgpu_device_run(h->dev, 300 * US, ~0u);
	host_push(h, b, qb, cmd_profiled(1, 10 * US, 1));
	host_run(h);
	assert_string_equal(h->dropped,
			    "policy first: context 2 has had work and no SM for 1000 us; fcfs");
	assert_int_equal(h->dropped_at, 1501 * US);
	host_done(h, a, qa, 30);
	host_done(h, b, qb, 1);
	host_free(h);
}

/* A context that may have no SM starves by what was asked for. */
static void who_may_have_none_does_not_count(void **state)
{
	struct host *h = host_with(&lazy, "sms=1", "none", "policy_watchdog_ps=1000000000");
	u32 c = host_open(h), q = host_queue(h, c);

	(void)state;
	vgpu_context_tokens(h->dev, c, 0);
	host_push(h, c, q, cmd_profiled(1, 10 * US, 1));
	vgpu_device_run(h->dev, 100000 * US, ~0u);
	assert_int_equal(h->drops, 0);
	vgpu_context_tokens(h->dev, c, 1);
	host_run(h);
	assert_int_equal(h->drops, 1);
	host_done(h, c, q, 1);
	host_free(h);
}

static void churn_schedule(struct vgpu_exec *exec)
{
	admit_all(exec);
	assign_idle(exec);
	if (vgpu_exec_timer_time(exec) == VGPU_NEVER)
		vgpu_exec_timer(exec, vgpu_exec_time_after(exec, 100 * US));
}

static void churn_timer(struct vgpu_exec *exec)
{
	struct vgpu_ksr *first = vgpu_exec_next_kernel(exec, NULL), *ksr = first;

	/* the other kernel gets the SM */
	if (ksr && exec->smst[0].ksr == ksr)
		ksr = vgpu_exec_next_kernel(exec, ksr);
	if (ksr && exec->smst[0].ksr && !exec->smst[0].leaving)
		vgpu_exec_reserve(exec, 0, ksr);
}

/* Two kernels with one block of ten seconds each; neither keeps the SM for more than 100 us. */
static void one_without_progress_is_ejected(void **state)
{
	static const struct vgpu_policy churn = {
		.name = "churn", .schedule = churn_schedule, .timer = churn_timer,
	};
	struct host *h = host_with(&churn, "sms=1", "switch", "policy_watchdog_ps=1000000000000");
	u32 a = host_open(h), b = host_open(h), qa = host_queue(h, a), qb = host_queue(h, b);
	const char *says = "policy churn: nothing was executed for 1000000 us, "
			   "in which SMs were preempted ";

	(void)state;
	host_push(h, a, qa, cmd_profiled(1, 10000000 * US, 1));
	host_push(h, b, qb, cmd_profiled(1, 10000000 * US, 1));
	host_run(h);
	assert_int_equal(h->drops, 1);
	assert_memory_equal(h->dropped, says, strlen(says));
	host_done(h, a, qa, 1);
	host_done(h, b, qb, 1);
	host_free(h);
}

static void again_schedule(struct vgpu_exec *exec)
{
	plain_schedule(exec);
	vgpu_exec_timer(exec, vgpu_exec_now(exec));
}

static void a_timer_without_end_is_ejected(void **state)
{
	static const struct vgpu_policy again = { .name = "again", .schedule = again_schedule };
	struct host *h = host_with(&again, "sms=1", "none", NULL);
	u32 c = host_open(h), q = host_queue(h, c);

	(void)state;
	host_push(h, c, q, cmd_profiled(1, 10 * US, 1));
	host_run(h);
	assert_string_equal(h->dropped, "policy again: its timer fires without end and no time "
					"passes; fcfs");
	host_done(h, c, q, 1);
	host_free(h);
}

/* ---- decisions that cannot be --------------------------------------------- */

enum nonsense {
	ADMITS_NOBODY, ASSIGNS_A_BUSY_SM, ASSIGNS_NO_SM, ASSIGNS_NOBODY, RESERVES_AN_IDLE_SM,
	RESERVES_NO_SM, DISPATCHES, EVICTS_NOWHERE, REPLACES_NOWHERE, PARTITIONS, QUOTA_NOWHERE,
	NONSENSE
};

static const char *const says[] = {
	[ADMITS_NOBODY] = "it admits a launch that does not wait, or has no room",
	[ASSIGNS_A_BUSY_SM] =
		"it assigns an SM that is not idle, or to no kernel with blocks: SM 0",
	[ASSIGNS_NO_SM] = "it assigns an SM that is not idle, or to no kernel with blocks: SM 2",
	[ASSIGNS_NOBODY] = "it assigns an SM that is not idle, or to no kernel with blocks: SM 1",
	[RESERVES_AN_IDLE_SM] = "it reserves an SM that nobody has, or for no kernel: SM 1",
	[RESERVES_NO_SM] = "it reserves an SM that nobody has, or for no kernel: SM 1000000",
	[DISPATCHES] =
		"it dispatches a block that there is not, or where it does not fit: SM 1",
	[EVICTS_NOWHERE] = "it evicts a block from an SM that there is not, or of no kernel: SM 7",
	[REPLACES_NOWHERE] =
		"it replaces blocks on an SM that there is not, or of or by no kernel: SM 7",
	[PARTITIONS] = "it sets a partition on an SM that there is not, or of no kernel: SM 1",
	[QUOTA_NOWHERE] = "it sets a quota on an SM that there is not, or of no kernel: SM 7",
};

static enum nonsense nonsense;
static u32 rounds;

/* The first launch has SM 0; with the second, nonsense, again and again. */
static void wrong_schedule(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *ctx = vgpu_exec_next_context(exec, NULL);
	struct vgpu_ksr *ksr;

	admit_all(exec);
	ksr = vgpu_exec_next_kernel(exec, NULL);
	if (ksr && exec->smst[0].state == VGPU_SM_IDLE && vgpu_exec_issuable(exec) == ksr)
		vgpu_exec_assign(exec, 0, ksr);
	for (rounds = 0; vgpu_exec_next_kernel(exec, ksr) && rounds < 100; rounds++) {
		switch (nonsense) {
		case ADMITS_NOBODY:
			assert_null(vgpu_exec_admit(exec, ctx));
			break;
		case ASSIGNS_A_BUSY_SM:
			vgpu_exec_assign(exec, 0, ksr);
			break;
		case ASSIGNS_NO_SM:
			vgpu_exec_assign(exec, 2, ksr);
			break;
		case ASSIGNS_NOBODY:
			vgpu_exec_assign(exec, 1, NULL);
			break;
		case RESERVES_AN_IDLE_SM:
			assert_int_equal(vgpu_exec_reserve(exec, 1, ksr), -EINVAL);
			break;
		case RESERVES_NO_SM:
			assert_int_equal(vgpu_exec_reserve(exec, 1000000, ksr), -EINVAL);
			break;
		case DISPATCHES:
			vgpu_exec_dispatch(exec, 1, ksr);
			break;
		case EVICTS_NOWHERE:
			assert_int_equal(vgpu_exec_evict(exec, 7, ksr), -EINVAL);
			break;
		case REPLACES_NOWHERE:
			assert_int_equal(vgpu_exec_replace(exec, 7, ksr, ksr), -EINVAL);
			break;
		case PARTITIONS:
			assert_int_equal(vgpu_exec_set_partition(exec, 1, ksr, 1), -EINVAL);
			break;
		default:
			vgpu_exec_set_quota(exec, 7, ksr, 1);
			break;
		}
	}
}

/* It is ejected at once, no later than its first wrong decision, and nobody else notices. */
static void nonsense_is_contained(void **state)
{
	static const struct vgpu_policy wrong = { .name = "wrong", .schedule = wrong_schedule };
	char expected[200];

	(void)state;
	for (nonsense = 0; nonsense < NONSENSE; nonsense++) {
		struct host *h = host_with(&wrong, "sms=2", "drain", NULL);
		u32 a = host_open(h), b = host_open(h);
		u32 qa = host_queue(h, a), qb = host_queue(h, b);

		host_push(h, a, qa, cmd_profiled(2, 100 * US, 1));
		vgpu_device_run(h->dev, 50 * US, ~0u);
		assert_int_equal(h->drops, 0);
		host_push(h, b, qb, cmd_profiled(2, 10 * US, 1));
		host_run(h);
		snprintf(expected, sizeof(expected), "policy wrong: %s; fcfs", says[nonsense]);
		assert_string_equal(h->dropped, expected);
		assert_int_equal(h->dropped_at, 51 * US);
		/* the loop has ended behind the first one */
		assert_int_equal(rounds, 1);
		assert_int_equal(h->fault_count, 0);
		host_done(h, a, qa, 1);
		host_done(h, b, qb, 1);
		host_free(h);
		vgpu_policy_remove(&wrong);
	}
}

/* ---- mechanisms ----------------------------------------------------------- */

static void no_estimate(struct vgpu_exec *exec, u32 sm, struct vgpu_preemption_estimate *estimate)
{
	(void)exec;
	(void)sm;
	*estimate = (struct vgpu_preemption_estimate){ .latency = VGPU_NEVER };
}

static u32 later_calls;

static void later(struct vgpu_exec *exec, u32 sm)
{
	later_calls++;
	vgpu_exec_halt(exec, sm);
	vgpu_exec_save(exec, sm);
}

/* Frees the SM a second from now. */
static void later_begin(struct vgpu_exec *exec, u32 sm)
{
	vgpu_preemption_at_time(exec, sm, vgpu_exec_time_after(exec, 1000000 * US), later);
}

static const struct vgpu_preemption later_mechanism = {
	.name = "later", .begin = later_begin, .estimate = no_estimate,
};

/* Every block drains, and the one that is late too. */
static enum vgpu_leave patient(struct vgpu_exec *exec, const struct vgpu_block *block, bool late,
			       struct vgpu_preemption_estimate *estimate)
{
	(void)exec;
	(void)block;
	*estimate = (struct vgpu_preemption_estimate){ .latency = 1000 * US };
	return late ? VGPU_LEAVE_SAVE : VGPU_LEAVE_DRAIN;
}

static const struct vgpu_preemption patient_mechanism = {
	.name = "patient", .begin = vgpu_exec_leave_blocks, .estimate = no_estimate,
	.leave = VGPU_LEAVE_DRAIN, .choose = patient,
};

/*
 * The SM of a kernel with a block of 10 s is reserved at 51 us, and the mechanism goes at 60. What
 * it would have done in a second, or when its blocks have ended, is not waited for.
 */
static void check_mechanism(const struct vgpu_preemption *mechanism, u64 latest)
{
	struct host *h;
	u32 a, b, qa, qb;
	char text[200];

	assert_int_equal(vgpu_preemption_add(mechanism), 0);
	h = host_with(NULL, "sms=1", mechanism->name, "policy=ppq-exclusive");
	a = host_open(h);
	b = host_open(h);
	qa = host_queue(h, a);
	qb = host_queue(h, b);
	vgpu_context_priority(h->dev, b, 1);
	host_push(h, a, qa, cmd_profiled(1, 10000000 * US, 1));
	vgpu_device_run(h->dev, 50 * US, ~0u);
	host_push(h, b, qb, cmd_profiled(1, 10 * US, 1));
	vgpu_device_run(h->dev, 60 * US, ~0u);
	assert_true(h->dev->exec.smst[0].leaving);
	vgpu_preemption_remove(mechanism);
	vgpu_device_drop_preemption(h->dev, mechanism);
	snprintf(text, sizeof(text), "preemption %s: it was unloaded; switch", mechanism->name);
	assert_string_equal(h->dropped, text);
	host_run(h);
	assert_int_equal(later_calls, 0);
	assert_true(host_done(h, b, qb, 1)->time < latest);
	host_done(h, a, qa, 1);
	host_free(h);
}

static void a_mechanism_goes_in_the_middle(void **state)
{
	(void)state;
	check_mechanism(&later_mechanism, 1000 * US);
	/* blocks drain, and what is late is saved: without asking it */
	check_mechanism(&patient_mechanism, 5000 * US);
}

/* Another one was selected while it was at it. */
static void a_mechanism_goes_that_is_not_selected(void **state)
{
	struct host *h;
	u32 a, b, qa, qb;

	(void)state;
	assert_int_equal(vgpu_preemption_add(&later_mechanism), 0);
	h = host_with(NULL, "sms=1", "later", "policy=ppq-exclusive");
	a = host_open(h);
	b = host_open(h);
	qa = host_queue(h, a);
	qb = host_queue(h, b);
	vgpu_context_priority(h->dev, b, 1);
	host_push(h, a, qa, cmd_profiled(1, 10000000 * US, 1));
	vgpu_device_run(h->dev, 50 * US, ~0u);
	host_push(h, b, qb, cmd_profiled(1, 10 * US, 1));
	vgpu_device_run(h->dev, 60 * US, ~0u);
	assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", "chimera"), 0);
	vgpu_preemption_remove(&later_mechanism);
	vgpu_device_drop_preemption(h->dev, &later_mechanism);
	assert_int_equal(h->drops, 0);
	host_run(h);
	assert_int_equal(later_calls, 0);
	assert_true(host_done(h, b, qb, 1)->time < 1000 * US);
	host_free(h);
}

/* What a test has left in the lists. */
static int teardown(void **state)
{
	unsigned int first_policy = 0, first_mechanism = 0;
	const struct vgpu_policy *policy;
	const struct vgpu_preemption *mechanism;

	(void)state;
	while ((policy = vgpu_policy_at(first_policy)) && !vgpu_policy_is_outside(policy))
		first_policy++;
	while ((policy = vgpu_policy_at(first_policy)))
		vgpu_policy_remove(policy);
	while ((mechanism = vgpu_preemption_at(first_mechanism)) &&
	       strcmp(mechanism->name, later_mechanism.name))
		first_mechanism++;
	if (mechanism)
		vgpu_preemption_remove(mechanism);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_is_no_policy_is_refused, teardown),
		cmocka_unit_test_teardown(no_more_than_there_is_room_for, teardown),
		cmocka_unit_test_teardown(a_policy_comes_and_goes, teardown),
		cmocka_unit_test_teardown(without_memory_another_follows, teardown),
		cmocka_unit_test_teardown(a_device_needs_its_policy, teardown),
		cmocka_unit_test_teardown(only_what_is_there_may_be_passed, teardown),
		cmocka_unit_test_teardown(one_that_never_schedules_is_ejected, teardown),
		cmocka_unit_test_teardown(the_watchdog_can_be_off, teardown),
		cmocka_unit_test_teardown(an_idle_device_stays_idle, teardown),
		cmocka_unit_test_teardown(one_that_starves_a_context_is_ejected, teardown),
		cmocka_unit_test_teardown(who_may_have_none_does_not_count, teardown),
		cmocka_unit_test_teardown(one_without_progress_is_ejected, teardown),
		cmocka_unit_test_teardown(a_timer_without_end_is_ejected, teardown),
		cmocka_unit_test_teardown(nonsense_is_contained, teardown),
		cmocka_unit_test_teardown(a_mechanism_goes_in_the_middle, teardown),
		cmocka_unit_test_teardown(a_mechanism_goes_that_is_not_selected, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
