// SPDX-License-Identifier: MIT
/*
 * Metrics computed on paper, and the histogram of latencies against the sorted list.
 */
#include <math.h>
#include <stdlib.h>

#include "wl_test.h"

static void near(double a, double b)
{
	if (fabs(a - b) > 1e-12 * fabs(b))
		fail_msg("%.15g is not %.15g", a, b);
}

static void two_processes_on_paper(void **state)
{
	/* Alone 40 and 15; together 85 in 2 runs and 55 in 2 runs: NTT 1.0625 and 1.8333… */
	struct wl_process_outcome alone[2] = { { .runs = 3, .turnaround_ps = 120 },
					       { .runs = 3, .turnaround_ps = 45 } };
	struct wl_process_outcome together[2] = { { .runs = 2, .turnaround_ps = 85 },
						  { .runs = 2, .turnaround_ps = 55 } };
	struct wl_metrics m;

	(void)state;
	assert_int_equal(wl_metrics_compute(&m, alone, together, 2), 0);
	assert_true(m.complete);
	near(m.processes[0].isolated_ps, 40);
	near(m.processes[1].turnaround_ps, 27.5);
	near(m.processes[0].ntt, 17.0 / 16);
	near(m.processes[1].ntt, 11.0 / 6);
	near(m.antt, (17.0 / 16 + 11.0 / 6) / 2);
	near(m.stp, 16.0 / 17 + 6.0 / 11);
	near(m.fairness, 17.0 / 16 * 6 / 11);
	wl_metrics_free(&m);
}

static void alone_is_perfect(void **state)
{
	struct wl_process_outcome same[3] = {
		{ .runs = 1, .turnaround_ps = 7 },
		{ .runs = 2, .turnaround_ps = 9 },
		{ .runs = 3, .turnaround_ps = 1000 },
	};
	struct wl_metrics m;

	(void)state;
	assert_int_equal(wl_metrics_compute(&m, same, same, 3), 0);
	near(m.antt, 1);
	near(m.stp, 3);
	near(m.fairness, 1);
	wl_metrics_free(&m);
}

static void a_process_without_a_run_has_no_metrics(void **state)
{
	struct wl_process_outcome alone[2] = { { .runs = 1, .turnaround_ps = 10 },
					       { .runs = 1, .turnaround_ps = 10 } };
	struct wl_process_outcome together[2] = { { .runs = 1, .turnaround_ps = 20 }, {} };
	struct wl_metrics m;

	(void)state;
	assert_int_equal(wl_metrics_compute(&m, alone, together, 2), 0);
	assert_false(m.complete);
	near(m.processes[0].ntt, 2);
	wl_metrics_free(&m);
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static void check_percentile(const struct vgpu_latency *latency, const u64 *sorted, u32 count,
			     unsigned int percent)
{
	u64 rank = ((u64)count * percent + 99) / 100;
	u64 exact = sorted[rank ? rank - 1 : 0];
	u64 got = vgpu_latency_percentile(latency, percent);

	if (got < exact || got - exact > exact / 64)
		fail_msg("p%u is %llu, not %llu", percent, (unsigned long long)got,
			 (unsigned long long)exact);
}

static void percentiles_follow_the_sorted_list(void **state)
{
	static const u32 counts[] = { 1, 2, 3, 10, 99, 100, 101, 1000 };
	static u64 values[1000];
	u64 random = 88172645463325252ull;
	size_t c;
	u32 i;

	(void)state;
	for (c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		struct vgpu_latency latency = {};
		u64 total = 0;

		for (i = 0; i < counts[c]; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			values[i] = random >> (random % 61 + 3);
			total += values[i];
			vgpu_latency_add(&latency, values[i]);
		}
		qsort(values, counts[c], sizeof(values[0]), by_value);
		assert_true(latency.count == counts[c] && latency.total_ps == total);
		assert_true(latency.max_ps == values[counts[c] - 1]);
		check_percentile(&latency, values, counts[c], 50);
		check_percentile(&latency, values, counts[c], 99);
		check_percentile(&latency, values, counts[c], 100);
	}
}

static void the_histogram_takes_every_time(void **state)
{
	struct vgpu_latency latency = {};

	(void)state;
	assert_true(vgpu_latency_percentile(&latency, 50) == 0);
	vgpu_latency_add(&latency, 0);
	vgpu_latency_add(&latency, ~0ull);
	assert_true(vgpu_latency_percentile(&latency, 50) == 0);
	assert_true(vgpu_latency_percentile(&latency, 99) == ~0ull);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_processes_on_paper),
		cmocka_unit_test(alone_is_perfect),
		cmocka_unit_test(a_process_without_a_run_has_no_metrics),
		cmocka_unit_test(percentiles_follow_the_sorted_list),
		cmocka_unit_test(the_histogram_takes_every_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
