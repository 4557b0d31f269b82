// SPDX-License-Identifier: MIT
/*
 * block_placement: which SM gets which block, made on paper for both values; knob and preset v100.
 * Of each kernel four blocks fit into an SM, unless it says otherwise.
 */
#include "device/device.h"
#include "host.h"

#define US	VGPU_US
#define TENTH	(VGPU_US / 10)

/* Blocks of @kernel have been issued on these SMs, in the order of their numbers. */
static void check_sms(struct host *h, u32 kernel, const u32 *sms, u32 count)
{
	u32 blocks = 0;

	for (size_t i = 0; i < h->record_count; i++) {
		const struct vgpu_trace_record *r = &h->records[i];

		if (r->type != VGPU_TRACE_BLOCK_START || r->kernel != kernel)
			continue;
		assert_in_range(r->a, 0, count - 1);
		if (r->sm != sms[r->a])
			fail_msg("block %llu is on SM %u, must be on %u", r->a, r->sm, sms[r->a]);
		blocks++;
	}
	assert_int_equal(blocks, count);
}

static struct host *run_one(const char *placement, u32 blocks)
{
	struct host *h = host_new("k20c", "sms=3", placement, NULL);
	u32 c = host_open(h), q = host_queue(h, c);

	host_push(h, c, q, cmd_profiled(blocks, 10 * US, 4));
	host_run(h);
	assert_int_equal(host_time_of(h, VGPU_TRACE_KERNEL_START, 1), 11 * TENTH);
	return h;
}

static void depth_fills_an_sm_before_the_next(void **state)
{
	static const u32 sms[] = { 0, 0, 0, 0, 1 };
	struct host *h = run_one("block_placement=depth", 5);

	(void)state;
	check_sms(h, 1, sms, VGPU_ARRAY_SIZE(sms));
	assert_int_equal(host_count_of(h, VGPU_TRACE_SM_SETUP), 2);
	host_free(h);
}

static void breadth_takes_the_sm_with_the_fewest(void **state)
{
	static const u32 sms[] = { 0, 1, 2, 0, 1 };
	struct host *h = run_one("block_placement=breadth", 5);

	(void)state;
	check_sms(h, 1, sms, VGPU_ARRAY_SIZE(sms));
	assert_int_equal(host_count_of(h, VGPU_TRACE_SM_SETUP), 3);
	assert_int_equal(host_time_of(h, VGPU_TRACE_KERNEL_END, 1), 111 * TENTH);
	host_free(h);
}

/* Twelve fill the SMs; who has one that ends gets the next: SM 0, with block 0. */
static void a_block_that_ends_is_replaced(void **state)
{
	static const u32 breadth[] = { 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0 };
	static const u32 depth[] = { 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 0 };
	struct host *h = run_one("block_placement=breadth", 13);

	(void)state;
	check_sms(h, 1, breadth, VGPU_ARRAY_SIZE(breadth));
	assert_int_equal(host_time_of(h, VGPU_TRACE_KERNEL_END, 1), 211 * TENTH);
	host_free(h);
	h = run_one("block_placement=depth", 13);
	check_sms(h, 1, depth, VGPU_ARRAY_SIZE(depth));
	assert_int_equal(host_time_of(h, VGPU_TRACE_KERNEL_END, 1), 211 * TENTH);
	host_free(h);
}

/* Two blocks of kernel 1 leave an SM for kernel 2, which puts all of its there. */
static void a_kernel_has_the_sms_that_the_policy_gave_it(void **state)
{
	static const u32 first[] = { 0, 1 }, second[] = { 2, 2, 2 };
	struct host *h = host_new("k20c", "sms=3", "block_placement=breadth", NULL);
	u32 c = host_open(h), q = host_queue(h, c), r = host_queue(h, c);

	(void)state;
	host_push(h, c, q, cmd_profiled(2, 10 * US, 4));
	host_push(h, c, r, cmd_profiled(3, 10 * US, 4));
	host_run(h);
	check_sms(h, 1, first, VGPU_ARRAY_SIZE(first));
	check_sms(h, 2, second, VGPU_ARRAY_SIZE(second));
	assert_int_equal(host_time_of(h, VGPU_TRACE_KERNEL_END, 2), 111 * TENTH);
	host_free(h);
}

/* Room for all its blocks on the SMs that it gets at once: it preempts nobody for more. */
static void nobody_is_preempted_for_blocks_that_have_room(void **state)
{
	static const char *const placements[] = { "block_placement=depth",
						  "block_placement=breadth" };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(placements); n++) {
		struct host *h = host_new("k20c", "sms=3", "policy=ppq-shared",
					  "preemption=switch", placements[n], NULL);
		u32 low = host_open(h), high = host_open(h);
		u32 q = host_queue(h, low), r = host_queue(h, high);

		assert_int_equal(vgpu_context_priority(h->dev, high, 5), 0);
		/* one block fits: it takes two SMs with both values */
		host_push(h, low, q, cmd_profiled(2, 100 * US, 1));
		vgpu_device_run(h->dev, 20 * US, ~0u);
		host_push(h, high, r, cmd_profiled(4, 10 * US, 4));
		host_run(h);
		assert_int_equal(host_count_of(h, VGPU_TRACE_PREEMPT_START), 0);
		host_free(h);
	}
}

static void the_knob_is_for_kernels_to_come(void **state)
{
	static const u32 depth[] = { 0, 0, 0, 0, 1 }, breadth[] = { 0, 1, 2, 0, 1 };
	struct host *h = run_one("block_placement=depth", 5);
	u32 c = host_open(h), q = host_queue(h, c);
	char text[64];

	(void)state;
	assert_true(vgpu_device_knob_get(h->dev, "block_placement", text, sizeof(text)) > 0);
	assert_string_equal(text, "[depth] breadth");
	assert_int_equal(vgpu_device_knob_set(h->dev, "block_placement", "wide"), -EINVAL);
	assert_int_equal(vgpu_device_knob_set(h->dev, "block_placement", "breadth"), 0);
	host_push(h, c, q, cmd_profiled(5, 10 * US, 4));
	host_run(h);
	check_sms(h, 1, depth, VGPU_ARRAY_SIZE(depth));
	check_sms(h, 2, breadth, VGPU_ARRAY_SIZE(breadth));
	host_free(h);
}

/* 80 SMs: 160 blocks of which 2 fit are two on each, the second behind the first of all. */
static void v100_spreads_its_blocks(void **state)
{
	struct host *h = host_new("v100", NULL);
	u32 c = host_open(h), q = host_queue(h, c);
	u32 sms[160];

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(sms); n++)
		sms[n] = n % 80;
	host_push(h, c, q, cmd_profiled(160, 10 * US, 2));
	host_run(h);
	check_sms(h, 1, sms, VGPU_ARRAY_SIZE(sms));
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(depth_fills_an_sm_before_the_next),
		cmocka_unit_test(breadth_takes_the_sm_with_the_fewest),
		cmocka_unit_test(a_block_that_ends_is_replaced),
		cmocka_unit_test(a_kernel_has_the_sms_that_the_policy_gave_it),
		cmocka_unit_test(nobody_is_preempted_for_blocks_that_have_room),
		cmocka_unit_test(the_knob_is_for_kernels_to_come),
		cmocka_unit_test(v100_spreads_its_blocks),
	};

	return cmocka_run_group_tests_name("block placement", tests, NULL, NULL);
}
