// SPDX-License-Identifier: MIT
/*
 * Queues and the dispatcher: order within a queue, independence between queues, waits
 * across them, and what is refused on the way in.
 */
#include "device/device.h"
#include "host.h"

#define MB	(1u << 20)
#define ADDRESS	0x10000000ull
/* What the dispatcher takes for a command that it executes itself, of k20c. */
#define COMMAND	(100 * VGPU_NS)

static u64 stamp_at(const struct host *h, u64 offset)
{
	u64 time;

	memcpy(&time, h->memory + offset, sizeof(time));
	return time;
}

static void numbers_of_queues_are_of_the_device(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 a = host_open(h), b = host_open(h);
	u32 queue;
	u64 seq;

	(void)state;
	assert_int_equal(host_queue(h, a), 0);
	assert_int_equal(host_queue(h, b), 1);
	assert_int_equal(host_queue(h, a), 2);
	assert_int_equal(host_queue(h, b), 3);
	assert_int_equal(vgpu_queue_destroy(h->dev, a, 1), -ENOENT);
	assert_int_equal(vgpu_queue_destroy(h->dev, a, 4), -ENOENT);
	assert_int_equal(vgpu_queue_destroy(h->dev, b, 1), 0);
	assert_int_equal(vgpu_queue_completed(h->dev, b, 1, &seq), -ENOENT);
	assert_int_equal(host_queue(h, a), 1);
	assert_int_equal(vgpu_queue_create(h->dev, 99, &queue), -ENOENT);
	/* Closing gives back what one had. */
	assert_int_equal(vgpu_context_close(h->dev, a), 0);
	assert_int_equal(h->dev->queues.count, 1);
	host_free(h);
}

static void commands_of_a_queue_end_in_order(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c);
	u64 seq, i;

	(void)state;
	assert_int_equal(vgpu_memory_map(h->dev, c, ADDRESS, MB), 0);
	assert_int_equal(host_push(h, c, q, cmd_h2d(ADDRESS, 0, 40960)), 1);
	assert_int_equal(host_push(h, c, q, cmd_nop()), 2);
	assert_int_equal(host_push(h, c, q, cmd_profiled(100, VGPU_US, 16)), 3);
	assert_int_equal(host_push(h, c, q, cmd_stamp(512 << 10)), 4);
	assert_int_equal(host_push(h, c, q, cmd_d2h(0, ADDRESS, 4096)), 5);
	assert_int_equal(vgpu_queue_destroy(h->dev, c, q), -EBUSY);
	host_run(h);
	assert_int_equal(h->completion_count, 5);
	for (i = 0; i < 5; i++) {
		assert_int_equal(h->completions[i].seq, i + 1);
		assert_int_equal(h->completions[i].status, 0);
	}
	assert_int_equal(host_done(h, c, q, 2)->time, host_done(h, c, q, 1)->time + COMMAND);
	assert_int_equal(stamp_at(h, 512 << 10), host_done(h, c, q, 3)->time + COMMAND);
	assert_int_equal(stamp_at(h, 512 << 10), host_done(h, c, q, 4)->time);
	assert_int_equal(vgpu_queue_completed(h->dev, c, q, &seq), 0);
	assert_int_equal(seq, 5);
	assert_int_equal(vgpu_queue_destroy(h->dev, c, q), 0);
	host_free(h);
}

/* Figure 2.5: commands of different queues that target different engines run at the same time. */
static void queues_are_independent(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c), r = host_queue(h, c);

	(void)state;
	vgpu_memory_map(h->dev, c, ADDRESS, MB);
	host_push(h, c, q, cmd_profiled(1, 100 * VGPU_US, 16));
	host_push(h, c, q, cmd_nop());
	host_push(h, c, r, cmd_h2d(ADDRESS, 0, 4096));
	host_push(h, c, r, cmd_nop());
	host_run(h);
	assert_int_equal(host_done(h, c, r, 1)->time, 512000);
	assert_int_equal(host_done(h, c, r, 2)->time, 512000 + COMMAND);
	assert_int_equal(host_done(h, c, q, 2)->time, 101100000 + COMMAND);
	host_free(h);
}

/* In one queue a copy behind a kernel waits for it, though its engine is free. */
static void a_queue_is_not_looked_at_before_its_command_ends(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c);

	(void)state;
	vgpu_memory_map(h->dev, c, ADDRESS, MB);
	host_push(h, c, q, cmd_profiled(1, 100 * VGPU_US, 16));
	host_push(h, c, q, cmd_h2d(ADDRESS, 0, 4096));
	host_run(h);
	assert_int_equal(host_done(h, c, q, 2)->time - host_done(h, c, q, 1)->time, 512000);
	assert_int_equal(host_time_of(h, VGPU_TRACE_COPY_START, 0), host_done(h, c, q, 1)->time);
	host_free(h);
}

static void waits_cross_queues(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c), r = host_queue(h, c), s = host_queue(h, c);
	u64 t1, t3;

	(void)state;
	host_push(h, c, q, cmd_profiled(1, 100 * VGPU_US, 16));
	host_push(h, c, q, cmd_profiled(1, 100 * VGPU_US, 16));
	host_push(h, c, q, cmd_profiled(1, 100 * VGPU_US, 16));
	host_push(h, c, r, cmd_wait(q, 3));
	host_push(h, c, r, cmd_nop());
	host_push(h, c, s, cmd_wait(q, 1));
	host_push(h, c, s, cmd_wait(r, 2));
	host_push(h, c, s, cmd_wait(s, 1));
	host_push(h, c, s, cmd_wait(q, 0));
	host_run(h);
	t1 = host_done(h, c, q, 1)->time;
	t3 = host_done(h, c, q, 3)->time;
	assert_true(t1 < t3);
	assert_int_equal(host_done(h, c, s, 1)->time, t1 + COMMAND);
	assert_int_equal(host_done(h, c, r, 1)->time, t3 + COMMAND);
	assert_int_equal(host_done(h, c, r, 2)->time, t3 + 2 * COMMAND);
	assert_int_equal(host_done(h, c, s, 2)->time, t3 + 3 * COMMAND);
	assert_int_equal(host_done(h, c, s, 4)->time, t3 + 5 * COMMAND);
	host_free(h);
}

/*
 * A wait outlives the queue it names: that was empty when it was destroyed, so the wait is over,
 * whoever has the queue now.
 */
static void a_wait_for_a_queue_that_is_gone_is_over(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), other = host_open(h);
	u32 q = host_queue(h, c), r = host_queue(h, c);

	(void)state;
	host_push(h, c, q, cmd_profiled(1, 100 * VGPU_US, 16));
	host_push(h, c, r, cmd_nop());
	host_push(h, c, q, cmd_wait(r, 1));
	vgpu_device_run(h->dev, 50 * VGPU_US, ~0u);
	assert_int_equal(vgpu_queue_destroy(h->dev, c, r), 0);
	assert_int_equal(host_queue(h, other), r);
	host_push(h, other, r, cmd_profiled(1, VGPU_MS, 16));
	host_run(h);
	assert_int_equal(host_done(h, c, q, 2)->time, host_done(h, c, q, 1)->time + COMMAND);
	host_free(h);
}

/*
 * Who keeps its queues full of commands without an engine stops nobody's clock: a copy of another
 * context is as long as it is, and its commands have their turn behind one of each queue.
 */
static void empty_commands_do_not_stop_time(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 a = host_open(h), b = host_open(h), q[4], r = host_queue(h, b), i, n;

	(void)state;
	vgpu_memory_map(h->dev, b, ADDRESS, MB);
	for (i = 0; i < 4; i++)
		q[i] = host_queue(h, a);
	for (n = 0; n < 1000; n++)
		for (i = 0; i < 4; i++)
			host_push(h, a, q[i], n % 2 ? cmd_nop() : cmd_stamp(0));
	host_push(h, b, r, cmd_h2d(ADDRESS, 0, 4096));
	host_push(h, b, r, cmd_nop());
	host_push(h, b, r, cmd_nop());
	host_run(h);
	/* four stand in front of it, and of each that follows */
	assert_int_equal(host_done(h, b, r, 1)->time, 4 * COMMAND + 512000);
	assert_in_range(host_done(h, b, r, 2)->time - host_done(h, b, r, 1)->time, COMMAND,
			6 * COMMAND);
	assert_int_equal(host_done(h, b, r, 3)->time - host_done(h, b, r, 2)->time, 5 * COMMAND);
	assert_int_equal(host_done(h, a, q[3], 1000)->time, 4002 * COMMAND);
	host_free(h);
}

/* A context goes while the dispatcher is at a command of it. */
static void a_context_goes_with_a_command_being_executed(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 a = host_open(h), b = host_open(h), q = host_queue(h, a), r = host_queue(h, b);

	(void)state;
	host_push(h, a, q, cmd_nop());
	host_push(h, b, r, cmd_nop());
	vgpu_device_run(h->dev, COMMAND / 2, ~0u);
	assert_int_equal(vgpu_context_close(h->dev, a), 0);
	assert_int_equal(host_done(h, a, q, 1)->status, -EIO);
	assert_int_equal(host_done(h, a, q, 1)->time, COMMAND / 2);
	host_run(h);
	assert_int_equal(host_done(h, b, r, 1)->time, 2 * COMMAND);
	host_free(h);
}

/* Without a cost they end at once. */
static void empty_commands_can_be_free(void **state)
{
	struct host *h = host_new("k20c", "command_ps=0", NULL);
	u32 c = host_open(h), q = host_queue(h, c);

	(void)state;
	host_push(h, c, q, cmd_nop());
	host_push(h, c, q, cmd_wait(q, 1));
	host_run(h);
	assert_int_equal(host_done(h, c, q, 2)->time, 0);
	host_free(h);
}

static void a_batch_goes_in_whole_or_not_at_all(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c);
	struct vgpu_push push[300] = {};
	u64 seq = 99;
	u32 failed;

	(void)state;
	push[2].cmd.op = VGPU_CMD_COUNT;
	assert_int_equal(vgpu_queue_push(h->dev, c, q, push, 4, &failed, &seq), -EINVAL);
	assert_int_equal(failed, 2);
	assert_int_equal(seq, 99);
	push[2].cmd.op = VGPU_CMD_NOP;
	assert_int_equal(vgpu_queue_push(h->dev, c, q, push, 0, &failed, &seq), -EINVAL);
	assert_int_equal(vgpu_queue_push(h->dev, c, q, push, VGPU_SUBMIT_MAX + 1, &failed, &seq),
			 -EINVAL);
	assert_int_equal(vgpu_queue_push(h->dev, c, q + 1, push, 1, &failed, &seq), -ENOENT);
	assert_int_equal(vgpu_queue_push(h->dev, 77, q, push, 1, &failed, &seq), -ENOENT);
	/* A wait may look back inside its own batch, not at itself. */
	push[3].cmd = cmd_wait(q, 3);
	assert_int_equal(vgpu_queue_push(h->dev, c, q, push, 4, &failed, &seq), 0);
	assert_int_equal(seq, 4);
	push[3].cmd = cmd_wait(q, 8);
	assert_int_equal(vgpu_queue_push(h->dev, c, q, push, 4, &failed, &seq), -EINVAL);
	assert_int_equal(failed, 3);
	host_run(h);
	assert_int_equal(h->completion_count, 4);
	host_free(h);
}

/* A HOST command holds up its queue, and who waits for that, until the process says so. */
static void commands_wait_for_the_process(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c), other = host_queue(h, c);
	struct vgpu_cmd host = { .op = VGPU_CMD_HOST };
	u64 seq;

	(void)state;
	host_push(h, c, q, cmd_nop());
	assert_int_equal(host_push(h, c, q, host), 2);
	host_push(h, c, q, cmd_stamp(0));
	assert_int_equal(host_push(h, c, q, host), 4);
	host_push(h, c, other, cmd_wait(q, 3));
	assert_false(vgpu_host_due(h->dev, c));
	vgpu_device_run(h->dev, VGPU_NEVER, ~0u);
	assert_true(vgpu_host_due(h->dev, c));
	assert_true(vgpu_queue_host_due(h->dev, c, q, 2));
	assert_false(vgpu_queue_host_due(h->dev, c, q, 4));
	assert_int_equal(h->completion_count, 1);
	assert_int_equal(vgpu_host_done(h->dev, c, q, 5), -EINVAL);
	assert_int_equal(vgpu_host_done(h->dev, c, 77, 1), -ENOENT);
	assert_int_equal(vgpu_host_done(h->dev, c, q, 2), 0);
	assert_false(vgpu_host_due(h->dev, c));
	vgpu_device_run(h->dev, VGPU_NEVER, ~0u);
	assert_int_equal(vgpu_queue_completed(h->dev, c, q, &seq), 0);
	assert_int_equal(seq, 3);
	assert_int_equal(vgpu_queue_completed(h->dev, c, other, &seq), 0);
	assert_int_equal(seq, 1);
	/* said before it is due; what it waits for is gone with its context */
	assert_int_equal(host_push(h, c, other, host), 2);
	assert_int_equal(vgpu_host_done(h->dev, c, other, 2), 0);
	vgpu_device_run(h->dev, VGPU_NEVER, ~0u);
	assert_int_equal(vgpu_queue_completed(h->dev, c, other, &seq), 0);
	assert_int_equal(seq, 2);
	assert_true(vgpu_host_due(h->dev, c));
	assert_int_equal(vgpu_context_close(h->dev, c), 0);
	assert_int_equal(vgpu_host_done(h->dev, c, q, 4), -ENOENT);
	host_free(h);
}

static void too_much_in_flight_is_refused(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c);
	struct vgpu_push push[VGPU_SUBMIT_MAX] = {};
	u32 failed, i;
	u64 seq;

	(void)state;
	for (i = 0; i < VGPU_INFLIGHT_MAX / VGPU_SUBMIT_MAX; i++)
		assert_int_equal(
			vgpu_queue_push(h->dev, c, q, push, VGPU_SUBMIT_MAX, &failed, &seq), 0);
	assert_int_equal(vgpu_queue_push(h->dev, c, q, push, 1, &failed, &seq), -EAGAIN);
	vgpu_device_run(h->dev, COMMAND, ~0u);
	assert_int_equal(vgpu_queue_push(h->dev, c, q, push, 1, &failed, &seq), 0);
	host_run(h);
	assert_int_equal(h->completion_count, VGPU_INFLIGHT_MAX + 1);
	host_free(h);
}

/* Every field of every operation, a wrong value at a time. */
static void malformed_commands_are_refused(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c);
	struct vgpu_cmd good[] = {
		cmd_nop(),
		cmd_h2d(ADDRESS, 0, 1),
		cmd_d2h(0, ADDRESS, 1),
		cmd_d2d(ADDRESS, ADDRESS, 1),
		cmd_fill(ADDRESS, 1, 0, 4),
		cmd_wait(q, 0),
		cmd_stamp(0),
		cmd_profiled(1, 1, 1),
	};
	struct vgpu_cmd bad[] = {
		{ .op = VGPU_CMD_COUNT },
		{ .op = VGPU_CMD_HOST, .raw = { 1 } },
		{ .op = 0xffff },
		cmd_h2d(ADDRESS, 0, 0),
		cmd_h2d(VGPU_ADDRESS_LIMIT - 1, 0, 2),
		cmd_h2d(~0ull, 0, 1),
		cmd_h2d(0, ~0ull - 0x10001, 4),
		cmd_h2d(ADDRESS, 0, ~0ull),
		cmd_d2h(0, VGPU_ADDRESS_LIMIT, 1),
		cmd_d2h(~0ull - 0x10000, 0, 4),
		cmd_d2d(ADDRESS, VGPU_ADDRESS_LIMIT, 1),
		cmd_d2d(VGPU_ADDRESS_LIMIT, ADDRESS, 1),
		cmd_fill(ADDRESS, 0, 0, 1),
		cmd_fill(ADDRESS, 1, 0, 3),
		cmd_fill(ADDRESS, 1, 0, 0),
		cmd_fill(ADDRESS, 1, 0, 8),
		cmd_fill(ADDRESS + 1, 1, 0, 2),
		cmd_fill(ADDRESS + 2, 1, 0, 4),
		cmd_fill(ADDRESS, 1ull << 62, 0, 4),
		cmd_fill(VGPU_ADDRESS_LIMIT - 4, 2, 0, 4),
		cmd_wait(q, 1),
		cmd_wait(q + 1, 0),
		cmd_wait(~0u, 0),
		cmd_stamp(4),
		cmd_stamp(~0ull - 0x10007),
		cmd_profiled(0, 1, 1),
		cmd_profiled(1, 0, 1),
		cmd_profiled(~0ull, 1, 1),
		cmd_profiled(1, ~0ull, 1),
	};
	u32 i, word, bit;

	(void)state;
	for (i = 0; i < VGPU_ARRAY_SIZE(bad); i++)
		assert_int_equal(host_try(h, c, q, &bad[i], 0, NULL), -EINVAL);
	for (i = 0; i < VGPU_ARRAY_SIZE(good); i++) {
		struct vgpu_cmd cmd = good[i];

		cmd.flags = 1;
		assert_int_equal(host_try(h, c, q, &cmd, 0, NULL), -EINVAL);
		cmd = good[i];
		cmd.reserved = 1;
		assert_int_equal(host_try(h, c, q, &cmd, 0, NULL), -EINVAL);
		for (bit = 0; bit < 64; bit += 9) {
			cmd = good[i];
			cmd.raw[6] = 1ull << bit;
			assert_int_equal(host_try(h, c, q, &cmd, 0, NULL), -EINVAL);
			/* So is the last word before it, in all of these. */
			cmd = good[i];
			cmd.raw[5] = 1ull << bit;
			/* but for a number of a profiled one that is within its limits */
			if (cmd.op == VGPU_CMD_PROFILED &&
			    cmd.profiled.clean_increment_permille == 1u << 6)
				continue;
			assert_int_equal(host_try(h, c, q, &cmd, 0, NULL), -EINVAL);
		}
	}
	for (word = 0; word < 3; word++) {
		struct vgpu_cmd cmd = cmd_profiled(1, 1, 1);

		cmd.raw[4 + word] |= 1ull << 32;
		assert_int_equal(host_try(h, c, q, &cmd, 0, NULL), -EINVAL);
		cmd = cmd_profiled(1, 1, 1);
		cmd.profiled.threads = word == 0 ? 0 : word == 1 ? 1025 : 0xffff;
		assert_int_equal(host_try(h, c, q, &cmd, 0, NULL), -EINVAL);
		cmd = cmd_profiled(1, 1, 1);
		cmd.profiled.shared_bytes = 49153 + word;
		assert_int_equal(host_try(h, c, q, &cmd, 0, NULL), -EINVAL);
		cmd = cmd_profiled(1, 1, 1);
		cmd.profiled.regs_per_block = 65537 + word;
		assert_int_equal(host_try(h, c, q, &cmd, 0, NULL), -EINVAL);
		cmd = cmd_profiled(1, 1, 1);
		cmd.profiled.block_cv_permille = 1001 + word;
		assert_int_equal(host_try(h, c, q, &cmd, 0, NULL), -EINVAL);
		cmd = cmd_profiled(1, 1, 1);
		cmd.profiled.clean_base_permille = (u16)(1001 + word);
		assert_int_equal(host_try(h, c, q, &cmd, 0, NULL), -EINVAL);
		cmd = cmd_profiled(1, 1, 1);
		cmd.profiled.clean_increment_permille = (u16)(1001 + word);
		assert_int_equal(host_try(h, c, q, &cmd, 0, NULL), -EINVAL);
		cmd = (struct vgpu_cmd){ .op = VGPU_CMD_ANNOUNCE };
		cmd.announce.threads = 1025 + word;
		assert_int_equal(host_try(h, c, q, &cmd, 0, NULL), -EINVAL);
		cmd = (struct vgpu_cmd){ .op = VGPU_CMD_ANNOUNCE };
		cmd.raw[3 + word] = word ? 1 : 3600ull * 1000 * VGPU_MS + 1;
		assert_int_equal(host_try(h, c, q, &cmd, 0, NULL), -EINVAL);
	}
	assert_int_equal(h->dev->queues.commands, 0);
	for (i = 0; i < VGPU_ARRAY_SIZE(good); i++)
		assert_int_equal(host_try(h, c, q, &good[i], 0, NULL), 0);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_queues_are_of_the_device),
		cmocka_unit_test(commands_of_a_queue_end_in_order),
		cmocka_unit_test(queues_are_independent),
		cmocka_unit_test(a_queue_is_not_looked_at_before_its_command_ends),
		cmocka_unit_test(waits_cross_queues),
		cmocka_unit_test(a_wait_for_a_queue_that_is_gone_is_over),
		cmocka_unit_test(empty_commands_do_not_stop_time),
		cmocka_unit_test(a_context_goes_with_a_command_being_executed),
		cmocka_unit_test(empty_commands_can_be_free),
		cmocka_unit_test(a_batch_goes_in_whole_or_not_at_all),
		cmocka_unit_test(commands_wait_for_the_process),
		cmocka_unit_test(too_much_in_flight_is_refused),
		cmocka_unit_test(malformed_commands_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
