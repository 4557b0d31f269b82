// SPDX-License-Identifier: MIT
/*
 * More queues than hardware queues: who is bound to one, who takes turns, who never waits.
 */
#include "device/device.h"
#include "host.h"

#define ADDRESS	0x10000000ull
#define COMMAND	(100 * VGPU_NS)
#define LONG	(10 * VGPU_MS)

/* With two hardware queues two kernels of a context run side by side, with one in turn. */
static void a_hardware_queue_is_kept_until_the_command_ends(void **state)
{
	static const char *const fields[] = { "hw_queues=2", "hw_queues=1" };
	u32 i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct host *h = host_new("k20c", fields[i], NULL);
		u32 c = host_open(h), q = host_queue(h, c), r = host_queue(h, c);
		u64 first, second;

		host_push(h, c, q, cmd_profiled(1, 100 * VGPU_US, 16));
		host_push(h, c, r, cmd_profiled(1, 100 * VGPU_US, 16));
		host_run(h);
		first = host_done(h, c, q, 1)->time;
		second = host_done(h, c, r, 1)->time;
		assert_true(i ? second >= first + 100 * VGPU_US : second < first + VGPU_US);
		host_free(h);
	}
}

static void queues_take_turns_by_command(void **state)
{
	struct host *h = host_new("k20c", "hw_queues=1", NULL);
	u32 a = host_open(h), b = host_open(h), i, n;
	u32 q[3] = { host_queue(h, a), host_queue(h, a), host_queue(h, b) };

	(void)state;
	for (n = 0; n < 4; n++)
		for (i = 0; i < 3; i++)
			host_push(h, i < 2 ? a : b, q[i], cmd_nop());
	host_run(h);
	/* the first two came first; then by contexts, and in each by queue */
	for (n = 1; n <= 4; n++)
		assert_int_equal(host_done(h, b, q[2], n)->time, (2 * n + 1) * COMMAND);
	assert_int_equal(host_done(h, a, q[0], 1)->time, COMMAND);
	assert_int_equal(host_done(h, a, q[1], 1)->time, 2 * COMMAND);
	assert_int_equal(host_done(h, a, q[0], 2)->time, 4 * COMMAND);
	assert_int_equal(host_done(h, a, q[1], 2)->time, 6 * COMMAND);
	assert_int_equal(host_done(h, a, q[1], 4)->time, 12 * COMMAND);
	host_free(h);
}

/* All hardware queues are of queues that wait for what has none. */
static void who_waits_keeps_nobody_out(void **state)
{
	struct host *h = host_new("k20c", "hw_queues=2", NULL);
	u32 c = host_open(h), q = host_queue(h, c), r[4], i;

	(void)state;
	host_push(h, c, q, cmd_profiled(1, 100 * VGPU_US, 16));
	host_push(h, c, q, cmd_profiled(1, 100 * VGPU_US, 16));
	for (i = 0; i < 4; i++) {
		r[i] = host_queue(h, c);
		host_push(h, c, r[i], cmd_wait(i ? r[i - 1] : q, i ? 1 : 2));
		host_push(h, c, r[i], cmd_nop());
	}
	host_run(h);
	for (i = 0; i < 4; i++) {
		assert_true(host_done(h, c, r[i], 1)->time > host_done(h, c, q, 2)->time);
		host_done(h, c, r[i], 2);
	}
	host_free(h);
}

/* One context has all hardware queues and kernels that do not end soon. */
static void no_context_is_kept_out(void **state)
{
	struct host *h = host_new("k20c", "hw_queues=4", NULL);
	u32 a = host_open(h), b = host_open(h), i;
	u32 q = host_queue(h, b), r = host_queue(h, b);

	(void)state;
	for (i = 0; i < 8; i++)
		host_push(h, a, host_queue(h, a), cmd_profiled(1, LONG, 16));
	vgpu_device_run(h->dev, VGPU_US, ~0u);
	assert_int_equal(vgpu_memory_map(h->dev, b, ADDRESS, 4096), 0);
	host_push(h, b, q, cmd_h2d(ADDRESS, 0, 4096));
	host_push(h, b, r, cmd_nop());
	host_run(h);
	assert_int_equal(host_done(h, b, q, 1)->time, VGPU_US + 512000);
	assert_int_equal(host_done(h, b, r, 1)->time, VGPU_US + COMMAND);
	host_free(h);
}

/* Nor where each has one only, and the commands come before the others' are dispatched. */
static void no_context_is_kept_out_by_many(void **state)
{
	struct host *h = host_new("k20c", "hw_queues=2", NULL);
	u32 last = 0, q = 0, i;

	(void)state;
	for (i = 0; i < 5; i++) {
		last = host_open(h);
		q = host_queue(h, last);
		if (i < 4)
			host_push(h, last, q, cmd_profiled(1, LONG, 16));
		else
			host_push(h, last, q, cmd_nop());
	}
	host_run(h);
	assert_int_equal(host_done(h, last, q, 1)->time, COMMAND);
	host_free(h);
}

/* How many launches of @context an engine has got. */
static u32 dispatched(const struct host *h, u32 context)
{
	u32 count = 0;
	size_t i;

	for (i = 0; i < h->record_count; i++)
		count += h->records[i].type == VGPU_TRACE_DISPATCH &&
			 h->records[i].context == context;
	return count;
}

/* Contexts that want more than there is get about as much as each other. */
static void hardware_queues_are_shared_by_context(void **state)
{
	struct host *h = host_new("k20c", "hw_queues=4", NULL);
	u32 a = host_open(h), b = host_open(h), i;

	(void)state;
	for (i = 0; i < 8; i++)
		host_push(h, a, host_queue(h, a), cmd_profiled(1, LONG, 16));
	vgpu_device_run(h->dev, VGPU_US, ~0u);
	assert_int_equal(dispatched(h, a), 4);
	for (i = 0; i < 8; i++)
		host_push(h, b, host_queue(h, b), cmd_profiled(1, LONG, 16));
	vgpu_device_run(h->dev, 2 * VGPU_US, ~0u);
	assert_int_equal(dispatched(h, a), 4);
	assert_int_equal(dispatched(h, b), 3);
	host_run(h);
	assert_int_equal(h->completion_count, 16);
	host_free(h);
}

/* A context goes, with queues that are bound, engaged, waiting and want to be bound. */
static void a_context_goes_with_all_its_queues(void **state)
{
	struct host *h = host_new("k20c", "hw_queues=2", NULL);
	u32 a = host_open(h), b = host_open(h), q[6], r = host_queue(h, b), i;

	(void)state;
	for (i = 0; i < 6; i++) {
		q[i] = host_queue(h, a);
		host_push(h, a, q[i],
			  i % 3 == 2 ? cmd_wait(q[i - 1], 1) : cmd_profiled(1, LONG, 16));
		host_push(h, a, q[i], cmd_nop());
	}
	host_push(h, b, r, cmd_nop());
	host_push(h, b, r, cmd_profiled(1, VGPU_US, 16));
	vgpu_device_run(h->dev, VGPU_US, ~0u);
	assert_int_equal(vgpu_context_close(h->dev, a), 0);
	for (i = 0; i < 6; i++)
		assert_int_equal(host_done(h, a, q[i], 2)->status, -EIO);
	assert_int_equal(h->dev->queues.count, 1);
	host_run(h);
	assert_int_equal(host_done(h, b, r, 2)->status, 0);
	host_free(h);
}

static void a_context_has_so_many_and_no_more(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 a = host_open(h), b = host_open(h), i, q;

	(void)state;
	assert_int_equal(host_queue(h, b), 0);
	for (i = 1; i <= VGPU_QUEUES_MAX; i++)
		assert_int_equal(host_queue(h, a), i);
	assert_int_equal(vgpu_queue_create(h->dev, a, &q), -ENOSPC);
	assert_int_equal(host_queue(h, b), VGPU_QUEUES_MAX + 1);
	assert_int_equal(vgpu_queue_destroy(h->dev, a, 100), 0);
	assert_int_equal(host_queue(h, b), 100);
	assert_int_equal(host_queue(h, a), VGPU_QUEUES_MAX + 2);
	for (i = 0; i <= VGPU_QUEUES_MAX + 2; i++)
		if (i && i != 100 && i != VGPU_QUEUES_MAX + 1)
			host_push(h, a, i, cmd_nop());
	host_run(h);
	assert_int_equal(h->completion_count, VGPU_QUEUES_MAX);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hardware_queue_is_kept_until_the_command_ends),
		cmocka_unit_test(queues_take_turns_by_command),
		cmocka_unit_test(who_waits_keeps_nobody_out),
		cmocka_unit_test(no_context_is_kept_out),
		cmocka_unit_test(no_context_is_kept_out_by_many),
		cmocka_unit_test(hardware_queues_are_shared_by_context),
		cmocka_unit_test(a_context_goes_with_all_its_queues),
		cmocka_unit_test(a_context_has_so_many_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
