// SPDX-License-Identifier: MIT
/*
 * Shared SMs (docs/sharing.md): how many SMs a context may have, how many kernels an SM takes, and
 * to whom the time of an SM is accounted. Computed on paper (sharing.h), and with random kernels.
 */
#include "sharing.h"

/* ---- limits of SMs ------------------------------------------------------ */

#define THREE	PAPER, "sms=3", "memory_bandwidth=1200000000"

/* Blocks of @kernel that began at @time, 0: at any time; fails if one is on an SM but @only. */
static u32 count_begun(struct host *h, u32 kernel, u32 time, u32 only)
{
	u32 count = 0;

	for (size_t i = 0; i < h->record_count; i++) {
		const struct vgpu_trace_record *r = &h->records[i];

		if (r->type != VGPU_TRACE_BLOCK_START || r->kernel != kernel)
			continue;
		assert_true(only == ANY || r->sm == only);
		count += !time || r->time == time * TENTH;
	}
	return count;
}

/*
 * The first context may have one SM of three. Its kernel has ten blocks there, ten more and room
 * for none; that keeps nobody out of the other two SMs.
 */
static void a_context_at_its_limit_keeps_nobody_out(void **state)
{
	static const char *const policies[] = { "policy=smk", "policy=smk-p", "policy=leftover" };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(policies); n++) {
		struct host *h = host_new("gtx980", THREE, policies[n], NULL);
		u32 limited = host_open(h), other = host_open(h);

		assert_int_equal(vgpu_context_sms(h->dev, limited, 1), 0);
		sharing_arrive(h, limited, 10, KERNEL(20, 1000, 100));
		sharing_arrive(h, other, 120, KERNEL(20, 300, 100));
		sharing_run_out(h);
		assert_int_equal(count_begun(h, 1, 11, 0), 10);
		/* with smk-p five are on SM 0, where the save of the first ends at 135 */
		if (strcmp(policies[n], "policy=smk-p"))
			assert_int_equal(count_begun(h, 2, 121, ANY), 20);
		assert_true(sharing_end(h, 2) <= 421 + 310);
		sharing_check_runs(h, 1, 20, 1000);
		sharing_check_runs(h, 2, 20, 300);
		host_free(h);
	}
}

/*
 * smk: all SMs are full when six blocks of the limited context come. All of them get room on SM 0,
 * one behind the other, though others have a higher rSM: 96.7 and 3.3 to 80 and 20.
 */
static void what_is_promised_counts_to_the_limit(void **state)
{
	static const struct expected second[] = {
		AT(110, REPLACE, 2, 0, 1, .times = 6),
		AT(126, START, 2, 0, 0),
		AT(135, START, 2, 0, 1),
		AT(145, START, 2, 0, 2),
		AT(155, START, 2, 0, 3),
		AT(165, START, 2, 0, 4),
		AT(175, START, 2, 0, 5),
		AT(426, END, 2, 0, 0),
		AT(435, END, 2, 0, 1),
		AT(445, END, 2, 0, 2),
		AT(455, END, 2, 0, 3),
		AT(465, END, 2, 0, 4),
		AT(475, END, 2, 0, 5),
	};
	struct host *h = host_new("gtx980", THREE, "policy=smk", NULL);
	u32 other = host_open(h), limited = host_open(h);

	(void)state;
	assert_int_equal(vgpu_context_sms(h->dev, limited, 1), 0);
	sharing_arrive(h, other, 10, KERNEL(30, 1000, 100));
	sharing_arrive(h, limited, 110, KERNEL(6, 300, 100));
	sharing_run_out(h);
	CHECK_EVENTS_OF(h, 2, second);
	sharing_check_runs(h, 1, 30, 1000);
	host_free(h);
}

/*
 * The limit of a context with blocks on all SMs goes down to 1 and up again: nothing is preempted,
 * but from 200 on new blocks come to no SM that it has left.
 */
static void the_limit_changes(void **state)
{
	static const char *const policies[] = { "policy=smk", "policy=smk-p", "policy=leftover" };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(policies); n++) {
		struct host *h = host_new("gtx980", THREE, policies[n], NULL);
		u32 a = host_open(h), b = host_open(h);

		sharing_arrive(h, a, 10, KERNEL(90, 200, 100));
		sharing_arrive(h, b, 110, KERNEL(30, 100, 150, 200));
		for (u32 time = 120; time < 2000; time += 30) {
			sharing_run(h, time);
			assert_int_equal(vgpu_context_sms(h->dev, time / 30 % 2 ? a : b,
							  time / 60 % 3 + 1), 0);
			assert_true(vgpu_exec_check(&h->dev->exec));
		}
		sharing_run_out(h);
		sharing_check_runs(h, 1, 90, 200);
		sharing_check_runs(h, 2, 30, 100);
		host_free(h);
	}
}

/* Three kernels of a tenth of the one SM, which may have three: none waits for an entry. */
static void as_many_are_active_as_may_share(void **state)
{
	struct host *h = host_new("gtx980", PAPER, "sms=1", "active_kernels=0", "policy=leftover",
				  NULL);

	(void)state;
	for (u32 n = 0; n < 3; n++)
		sharing_arrives(h, 10 + n, KERNEL(1, 500, 100));
	sharing_run_out(h);
	assert_true(sharing_end(h, 3) < 600);
	sharing_check_runs(h, 3, 1, 500);
	host_free(h);
}

/* ---- any kernels, any limits -------------------------------------------- */

#define RANDOM_KERNELS	8u
#define RANDOM_CONTEXTS	4u

/* No SM has blocks of more than @kernels kernels, no context on more than @limit of its SMs. */
static void check_limits(struct host *h, u32 kernels, const u32 *limit)
{
	const struct vgpu_exec *exec = &h->dev->exec;
	u32 sms[RANDOM_CONTEXTS + 1] = {};

	for (u32 sm = 0; sm < exec->config->sms; sm++) {
		const struct vgpu_sharer *sharer;
		bool has[RANDOM_CONTEXTS + 1] = {};
		u32 count = 0;

		vgpu_list_for_each(sharer, &exec->smst[sm].residents, struct vgpu_sharer, node) {
			count += !!sharer->blocks;
			has[sharer->ksr->ctx->sched.id] |= !!sharer->blocks;
		}
		assert_true(count <= kernels);
		for (u32 n = 1; n <= RANDOM_CONTEXTS; n++)
			sms[n] += has[n];
	}
	for (u32 n = 1; n <= RANDOM_CONTEXTS; n++)
		assert_true(sms[n] <= limit[n]);
}

/* From 0: below @usual as a rule, below @most at times. */
static u32 any_need(struct vgpu_random *random, u32 usual, u32 most)
{
	u32 limit = vgpu_random_next(random) % 4 ? usual : most;

	return (u32)(vgpu_random_next(random) % limit);
}

static struct kernel any_kernel(struct vgpu_random *random)
{
	struct kernel kernel;

	kernel.blocks = 1 + any_need(random, 40, 40);
	kernel.tenths = 1 + any_need(random, 300, 300);
	kernel.regs = any_need(random, 200, 1000);
	kernel.shared = any_need(random, 600, 4000);
	kernel.threads = 1 + any_need(random, 300, 1000);
	return kernel;
}

static void kernels_and_sms_stay_within_their_limits(void **state)
{
	static const char *const policies[] = { "smk", "smk-p", "leftover" };

	(void)state;
	for (u32 seed = 0; seed < 120; seed++) {
		struct host *h = host_new("gtx980", THREE, NULL);
		struct vgpu_random random;
		u32 kernels = 1 + seed % 4, context[RANDOM_CONTEXTS], limit[RANDOM_CONTEXTS + 1];
		struct kernel kernel[RANDOM_KERNELS];
		char text[2] = { (char)('0' + kernels) };
		u32 time = 10;
		u64 next;

		vgpu_random_seed(&random, seed);
		sharing_set(h, "policy", policies[seed % 3]);
		sharing_set(h, "kernels_per_sm", text);
		for (u32 n = 0; n < RANDOM_CONTEXTS; n++) {
			context[n] = host_open(h);
			limit[context[n]] = 1 + (u32)vgpu_random_next(&random) % 3;
			assert_int_equal(vgpu_context_sms(h->dev, context[n],
							  limit[context[n]]), 0);
		}
		for (u32 n = 0; n < RANDOM_KERNELS; n++) {
			kernel[n] = any_kernel(&random);
			sharing_arrive(h, context[n % RANDOM_CONTEXTS], time, kernel[n]);
			for (u32 until = time + (u32)vgpu_random_next(&random) % 300; time < until;
			     time++) {
				sharing_run(h, time);
				check_limits(h, kernels, limit);
			}
		}
		do {
			next = vgpu_device_run(h->dev, VGPU_NEVER, 1);
			assert_true(vgpu_exec_check(&h->dev->exec));
			check_limits(h, kernels, limit);
		} while (next != VGPU_NEVER);
		for (u32 n = 0; n < RANDOM_KERNELS; n++)
			sharing_check_runs(h, n + 1, kernel[n].blocks, kernel[n].tenths);
		host_free(h);
	}
}

/* ---- accounts ----------------------------------------------------------- */

static u64 sm_time(struct host *h, u32 context)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_context_info(h->dev, context, &info), 0);
	return info.sm_time;
}

static u64 busy_time(struct host *h, u32 sm)
{
	struct vgpu_sm_stats stats;
	u64 time = 0;

	assert_int_equal(vgpu_device_sm_stats(h->dev, sm, &stats), 0);
	for (u32 state = 0; state < VGPU_SM_STATES; state++)
		time += state == VGPU_SM_IDLE ? 0 : stats.time[state];
	return time;
}

/* Shares are rounded down to 2^-32: a few picoseconds. */
static void check_near(u64 value, u64 expected)
{
	assert_in_range(value, expected - 10, expected + 10);
}

/*
 * One SM. Kernel 1 has 30 % of it (registers) from 10 to 1011, kernel 2 20 % (threads) from 110 to
 * 611, kernel 3 10 % (shared memory) from 210 to 411. Of the SM's 1001:
 *
 *	10-110	   100		  1
 *	110-210	   100 and 411-611 200:  3/5, 2/5
 *	210-411	   201:			 3/6, 2/6, 1/6
 *	611-1011   400		  1
 */
static void time_is_in_proportion_to_dominant_shares(void **state)
{
	struct host *h = host_new("gtx980", PAPER, "sms=1", "policy=leftover", NULL);
	u32 contexts[3];
	u64 of[3], part = TENTH / 2;

	(void)state;
	contexts[0] = sharing_arrives(h, 10, KERNEL(1, 1000, 300));
	contexts[1] = sharing_arrives(h, 110, KERNEL(1, 500, 10, .threads = 640));
	contexts[2] = sharing_arrives(h, 210, KERNEL(1, 200, 10, .shared = 400));
	sharing_run_out(h);
	for (u32 n = 0; n < 3; n++)
		of[n] = sm_time(h, contexts[n]);
	/* in halves of a tenth: 500 + 300 x 3/5 + 201 / 2 */
	check_near(of[0], (1000 + 360 + 201) * part);
	check_near(of[1], (240 + 134) * part);
	check_near(of[2], 67 * part);
	assert_int_equal(of[0] + of[1] + of[2], 1001 * TENTH);
	assert_int_equal(busy_time(h, 0), 1001 * TENTH);
	host_free(h);
}

/*
 * The first sequence of test_sharing.c: 9, 19 and 8, 18 of the first context are told to leave at
 * 110 and have left at 125 and 135, are dispatched at 426 and 435, and run again at 436 and 446.
 */
static void a_partial_switch_is_accounted(void **state)
{
	struct host *h = host_new("gtx980", PAPER, "policy=smk", NULL);
	struct vgpu_context_info info;
	const struct vgpu_account *a = &info.account;
	u32 contexts[2];

	(void)state;
	contexts[0] = sharing_arrives(h, 10, KERNEL(20, 1000, 100));
	contexts[1] = sharing_arrives(h, 110, KERNEL(4, 300, 100));
	sharing_run(h, 200);
	vgpu_context_info(h->dev, contexts[0], &info);
	assert_int_equal(a->save_area, 4 * 400);
	sharing_run_out(h);
	vgpu_context_info(h->dev, contexts[0], &info);
	assert_int_equal(a->preemptions, 4);
	assert_int_equal(a->preemption_time, 2 * (15 + 25) * TENTH);
	assert_int_equal(a->blocks_saved, 4);
	assert_int_equal(a->saved_bytes, 4 * 400);
	assert_int_equal(a->save_area, 0);
	assert_int_equal(a->block_running, 20 * 1000 * TENTH);
	assert_int_equal(a->block_saving, 2 * (15 + 25) * TENTH);
	assert_int_equal(a->block_preempted, 2 * (301 + 300) * TENTH);
	assert_int_equal(a->block_restoring, 2 * (10 + 11) * TENTH);
	assert_int_equal(a->kernel_queued, TENTH);
	assert_int_equal(a->kernel_preempted, 0);
	vgpu_context_info(h->dev, contexts[1], &info);
	assert_int_equal(a->kernel_queued, 16 * TENTH);
	assert_int_equal(a->kernel_running, (435 - 126) * TENTH);
	assert_int_equal(a->preemptions, 0);
	assert_int_equal(a->block_running, 4 * 300 * TENTH);
	host_free(h);
}

/*
 * Two contexts with two kernels each, blocks that leave and come back: at any time what the
 * contexts have adds up to what the SMs have been busy.
 */
static void time_adds_up(void **state)
{
	static const char *const policies[] = { "policy=smk", "policy=smk-p", "policy=leftover" };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(policies); n++) {
		struct host *h = host_new("gtx980", PAPER, policies[n], NULL);
		u32 a = host_open(h), b = host_open(h);

		sharing_arrive(h, a, 10, KERNEL(23, 310, 100));
		sharing_arrive(h, b, 110, KERNEL(7, 130, 150, 300));
		sharing_arrive(h, a, 130, KERNEL(11, 170, .threads = 480));
		sharing_arrive(h, b, 170, KERNEL(5, 90, .shared = 1300));
		for (u32 time = 180; time < 2000; time += 7) {
			sharing_run(h, time);
			assert_int_equal(sm_time(h, a) + sm_time(h, b),
					 busy_time(h, 0) + busy_time(h, 1));
		}
		sharing_run_out(h);
		sharing_check_runs(h, 1, 23, 310);
		sharing_check_runs(h, 2, 7, 130);
		sharing_check_runs(h, 3, 11, 170);
		sharing_check_runs(h, 4, 5, 90);
		host_free(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_context_at_its_limit_keeps_nobody_out),
		cmocka_unit_test(what_is_promised_counts_to_the_limit),
		cmocka_unit_test(the_limit_changes),
		cmocka_unit_test(as_many_are_active_as_may_share),
		cmocka_unit_test(kernels_and_sms_stay_within_their_limits),
		cmocka_unit_test(time_is_in_proportion_to_dominant_shares),
		cmocka_unit_test(a_partial_switch_is_accounted),
		cmocka_unit_test(time_adds_up),
	};

	return cmocka_run_group_tests_name("sharing, limits", tests, NULL, NULL);
}
