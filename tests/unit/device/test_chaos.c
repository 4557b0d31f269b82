// SPDX-License-Identifier: MIT
/*
 * Random lives: contexts that open, map, push, wait, fault and close at any moment, commands with
 * every field at random, memory that runs out. Whatever happens: every command that was taken
 * completes exactly once, in the order of its queue; accounts close; nothing is left behind; and
 * the same seed gives the same trace, byte for byte.
 */
#include <stdlib.h>

#include "device/device.h"
#include "host.h"
#include "platform/user.h"

#define ADDRESS		0x40000000ull
#define CONTEXTS	6
#define QUEUES		4

/* What the test knows of one context. */
struct life {
	u32 id;
	u32 queue[QUEUES];
	u32 queues;
	u64 pushed[QUEUES];
	bool mapped;
};

struct chaos {
	struct host *h;
	struct vgpu_random random;
	struct life life[CONTEXTS];
	u64 pushed;
	u32 opened;
};

static u64 upto(struct chaos *t, u64 limit)
{
	return vgpu_random_next(&t->random) % limit;
}

static u64 device_range(struct chaos *t, u64 *bytes)
{
	u64 offset = upto(t, 200000);

	*bytes = 1 + upto(t, 50000);
	/* Now and then one that is not all mapped. */
	if (!upto(t, 60))
		return ADDRESS + (1 << 20) - offset % 4096;
	return ADDRESS + offset;
}

static struct vgpu_cmd random_command(struct chaos *t, const struct life *life)
{
	struct vgpu_cmd cmd;
	u64 bytes, address = device_range(t, &bytes);
	u32 i;

	switch (upto(t, 10)) {
	case 0:
		return cmd_nop();
	case 1:
		return cmd_h2d(address, upto(t, 500000), bytes);
	case 2:
		return cmd_d2h(upto(t, 500000), address, bytes);
	case 3:
		return cmd_d2d(address, ADDRESS + 300000 + upto(t, 100000), bytes);
	case 4:
		return cmd_fill(address & ~3ull, 1 + bytes / 4, (u32)upto(t, ~0u), 4);
	case 5:
		i = (u32)upto(t, life->queues);
		return cmd_wait(life->queue[i], upto(t, life->pushed[i] + 1));
	case 6:
		return cmd_stamp(upto(t, 100000) * 8);
	default:
		cmd = cmd_profiled(1 + upto(t, 200), 1 + upto(t, 20 * VGPU_US),
				   1 + (u32)upto(t, 16));
		cmd.profiled.block_cv_permille = (u32)upto(t, 1001);
		return cmd;
	}
}

static void push(struct chaos *t, struct life *life)
{
	u32 i = (u32)upto(t, life->queues);
	struct vgpu_context_info info;
	u64 seq;

	vgpu_context_info(t->h->dev, life->id, &info);
	if (info.dead)
		return;
	seq = host_push(t->h, life->id, life->queue[i], random_command(t, life));
	assert_int_equal(seq, ++life->pushed[i]);
	t->pushed++;
}

static void act(struct chaos *t)
{
	struct life *life = &t->life[upto(t, CONTEXTS)];
	struct vgpu_device *dev = t->h->dev;

	if (!life->id) {
		memset(life, 0, sizeof(*life));
		life->id = host_open(t->h);
		assert_int_equal(life->id, ++t->opened);
		assert_int_equal(vgpu_memory_map(dev, life->id, ADDRESS, 1 << 20), 0);
		life->queue[life->queues++] = host_queue(t->h, life->id);
		return;
	}
	switch (upto(t, 40)) {
	case 0:
		if (upto(t, 3))
			break;
		assert_int_equal(vgpu_context_close(dev, life->id), 0);
		life->id = 0;
		break;
	case 1:
		if (life->queues < QUEUES &&
		    vgpu_queue_create(dev, life->id, &life->queue[life->queues]) == 0)
			life->queues++;
		break;
	case 2:
		/* An unmap in the middle of things: some copy will fault. */
		if (!upto(t, 20))
			vgpu_memory_unmap(dev, life->id, ADDRESS, 1 << 20);
		break;
	case 3:
		t->h->moving_fails = !upto(t, 30);
		break;
	default:
		push(t, life);
	}
}

/*
 * Every command taken ended once, and those of a queue in their order: sequence numbers of a
 * (context, queue) only grow.
 */
static void check_completions(struct chaos *t)
{
	u64 *newest = calloc((t->opened + 1) * 64, sizeof(*newest));
	size_t i;

	assert_non_null(newest);
	assert_int_equal(t->h->completion_count, t->pushed);
	for (i = 0; i < t->h->completion_count; i++) {
		const struct vgpu_completion *c = &t->h->completions[i];
		u64 *at = &newest[c->context * 64 + c->queue];

		assert_int_equal(c->seq, *at + 1);
		*at = c->seq;
	}
	free(newest);
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

/* Each queue with something for the dispatcher has a hardware queue, or all are in use. */
static void check_hardware(const struct chaos *t)
{
	struct vgpu_queues *queues = &t->h->dev->queues;
	u32 bound = 0, i;

	for (i = 0; i < queues->room; i++) {
		const struct vgpu_queue *queue = queues->table[i];

		if (!queue)
			continue;
		bound += queue->bound;
		if (!queue->head)
			assert_false(queue->served);
		else
			assert_true(queue->served || vgpu_list_linked(&queue->waiter) ||
				    vgpu_pq_queued(&queue->ctx->turn));
	}
	assert_int_equal(bound, queues->bound);
	assert_true(bound <= t->h->config.hw_queues);
	if (vgpu_pqueue_first(&queues->wanting))
		assert_true(bound == t->h->config.hw_queues && vgpu_list_empty(&queues->idle));
}

static const char *const engines[] = { "copy_engines=1", "copy_engines=2" };

static u64 live(u64 seed, u32 steps, const char *copy_engines)
{
	static const char *const sms[] = { "sms=1", "sms=2", "sms=13" };
	static const char *const queues[] = { "hw_queues=32", "hw_queues=32", "hw_queues=3",
					      "hw_queues=1" };
	struct chaos t = { .h = host_new("k20c", sms[seed % 3],
					 seed % 2 ? "active_kernels=3" : "active_kernels=0",
					 seed % 5 ? "watchdog_ps=0" : "watchdog_ps=300000000",
					 queues[seed % 4], copy_engines,
					 NULL) };
	u64 hash;
	u32 i;

	vgpu_random_seed(&t.random, seed);
	for (i = 0; i < steps; i++) {
		act(&t);
		if (!upto(&t, 3))
			vgpu_device_run(t.h->dev, VGPU_NEVER, (u32)upto(&t, 50));
		else if (!upto(&t, 10))
			vgpu_device_run(t.h->dev, t.h->dev->sim->now + upto(&t, 100 * VGPU_US),
					~0u);
		assert_true(vgpu_exec_check(&t.h->dev->exec));
		check_hardware(&t);
	}
	if (seed % 2)
		host_run(t.h);
	for (i = 0; i < CONTEXTS; i++)
		if (t.life[i].id)
			assert_int_equal(vgpu_context_close(t.h->dev, t.life[i].id), 0);
	check_completions(&t);
	hash = digest(t.h);
	host_free(t.h);
	return hash;
}

static void random_lives_leave_nothing_behind(void **state)
{
	u64 seed;

	(void)state;
	for (seed = 1; seed <= 60; seed++)
		for (u32 n = 0; n < 2; n++)
			live(seed, 600, engines[n]);
}

static void the_same_seed_gives_the_same_trace(void **state)
{
	u64 seed, previous = 0;

	(void)state;
	for (seed = 1; seed <= 6; seed++) {
		u64 hash = live(seed, 500, engines[seed % 2]);

		assert_true(hash == live(seed, 500, engines[seed % 2]));
		assert_true(hash != previous);
		previous = hash;
	}
}

/* Open, work, close, at every single event of the same small life. */
static void close_at_every_event(const char *copy_engines)
{
	u32 at, ended = 0;

	for (at = 0; !ended; at++) {
		struct host *h = host_new("k20c", "sms=2", copy_engines, NULL);
		u32 a = host_open(h), b = host_open(h);
		u32 qa = host_queue(h, a), ra = host_queue(h, a), qb = host_queue(h, b);

		vgpu_memory_map(h->dev, a, ADDRESS, 1 << 20);
		vgpu_memory_map(h->dev, b, ADDRESS, 1 << 20);
		host_push(h, a, qa, cmd_h2d(ADDRESS, 0, 10000));
		host_push(h, a, qa, cmd_profiled(7, 10 * VGPU_US, 2));
		host_push(h, a, ra, cmd_wait(qa, 1));
		host_push(h, a, ra, cmd_profiled(3, 10 * VGPU_US, 2));
		host_push(h, a, ra, cmd_d2h(0, ADDRESS, 10000));
		host_push(h, b, qb, cmd_profiled(3, 10 * VGPU_US, 2));
		host_push(h, b, qb, cmd_h2d(ADDRESS, 0, 10000));
		ended = vgpu_device_run(h->dev, VGPU_NEVER, at) == VGPU_NEVER;
		assert_int_equal(vgpu_context_close(h->dev, a), 0);
		assert_true(vgpu_exec_check(&h->dev->exec));
		host_run(h);
		assert_int_equal(h->completion_count, 7);
		assert_int_equal(host_done(h, b, qb, 1)->status, 0);
		assert_int_equal(host_done(h, b, qb, 2)->status, 0);
		assert_int_equal(host_done(h, a, ra, 3)->status,
				 ended ? 0 : host_done(h, a, ra, 3)->status);
		host_free(h);
	}
	assert_true(at > 30);
}

static void a_context_can_close_at_every_event(void **state)
{
	(void)state;
	for (u32 n = 0; n < 2; n++)
		close_at_every_event(engines[n]);
}

/* Bits at random in every field; what is taken must end, what is refused must leave nothing. */
static void random_commands_are_taken_or_refused(void **state)
{
	struct host *h = host_new("k20c", NULL);
	struct vgpu_random random;
	u32 c = 0, q = 0, i, w, taken = 0;

	(void)state;
	vgpu_random_seed(&random, 11);
	for (i = 0; i < 100000; i++) {
		struct vgpu_context_info info;
		struct vgpu_cmd cmd = {};

		if (!c || (vgpu_context_info(h->dev, c, &info), info.dead)) {
			if (c)
				vgpu_context_close(h->dev, c);
			c = host_open(h);
			q = host_queue(h, c);
			vgpu_memory_map(h->dev, c, ADDRESS, 1 << 20);
		}
		cmd.op = (u16)(vgpu_random_next(&random) % (VGPU_CMD_COUNT + 1));
		for (w = 0; w < 7; w++) {
			u64 r = vgpu_random_next(&random);

			/* Mostly small and plausible, at times anything. */
			switch (r % 8) {
			case 0:
				cmd.raw[w] = vgpu_random_next(&random);
				break;
			case 1:
				cmd.raw[w] = vgpu_random_next(&random) >> (r / 8 % 64);
				break;
			case 2:
				cmd.raw[w] = ADDRESS + vgpu_random_next(&random) % (1 << 20);
				break;
			case 3:
				cmd.raw[w] = (vgpu_random_next(&random) % 64) << 32 |
					     vgpu_random_next(&random) % 64;
				break;
			default:
				cmd.raw[w] = w < 3 ? vgpu_random_next(&random) % 512 : 0;
			}
		}
		/*
		 * The host of a real process has checked its memory; this one has a buffer of a
		 * megabyte.
		 */
		if (cmd.op >= VGPU_CMD_COPY_H2D && cmd.op <= VGPU_CMD_COPY_D2D &&
		    cmd.copy.bytes > 1 << 20)
			cmd.copy.bytes >>= 44;
		h->moving_fails = cmd.op == VGPU_CMD_STAMP;
		w = (u32)-host_try(h, c, q, &cmd, 0, NULL);
		assert_true(w == 0 || w == EINVAL);
		taken += !w;
		vgpu_device_run(h->dev, VGPU_NEVER, 20000);
		/* Too long to wait for: a grid or a block time beyond reason. */
		if (vgpu_calendar_count(&h->dev->sim->events)) {
			vgpu_context_close(h->dev, c);
			c = 0;
		}
	}
	assert_true(taken > 1000);
	assert_int_equal(h->completion_count, taken);
	host_free(h);
}

/*
 * The same life with the n-th allocation failing, for every n: an error or a fault, never a loss.
 */
static void memory_may_run_out_at_any_allocation(void **state)
{
	struct vgpu_config config;
	u64 n;
	bool all = false;

	(void)state;
	vgpu_config_preset(&config, "k20c");
	config.sms = 2;
	for (n = 0; !all; n++) {
		static const struct vgpu_host_ops none;
		struct vgpu_device *dev;
		int err;

		vgpu_user_fail_allocations_after(n);
		err = vgpu_device_create(&config, &none, NULL, &dev);
		vgpu_user_fail_allocations_after(~0ull);
		all = !err;
		if (all)
			vgpu_device_destroy(dev);
		else
			assert_int_equal(err, -ENOMEM);
		assert_int_equal(vgpu_user_allocations(), 0);
	}
	assert_true(n > 8);
	for (n = 0, all = false; !all; n++) {
		struct host *h = host_new_config(&config);
		struct vgpu_push push[2] = { { .cmd = cmd_fill(ADDRESS, 100, 1, 4) },
					     { .cmd = cmd_profiled(40, VGPU_US, 4) } };
		u32 c = 0, q, failed;
		u64 seq = 0;
		int err;

		vgpu_user_fail_allocations_after(n);
		err = vgpu_context_open(h->dev, 0, NULL, &c);
		if (!err)
			err = vgpu_queue_create(h->dev, c, &q);
		if (!err)
			err = vgpu_memory_map(h->dev, c, ADDRESS, 1 << 20);
		if (!err)
			err = vgpu_queue_push(h->dev, c, q, push, 2, &failed, &seq);
		assert_true(!err || err == -ENOMEM);
		host_run(h);
		vgpu_user_fail_allocations_after(~0ull);
		assert_int_equal(h->completion_count, seq);
		all = !err && !h->fault_count;
		if (h->fault_count)
			assert_int_equal(h->faults[0].reason, VGPU_FAULT_NO_MEMORY);
		host_free(h);
	}
	assert_true(n > 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_lives_leave_nothing_behind),
		cmocka_unit_test(the_same_seed_gives_the_same_trace),
		cmocka_unit_test(a_context_can_close_at_every_event),
		cmocka_unit_test(random_commands_are_taken_or_refused),
		cmocka_unit_test(memory_may_run_out_at_any_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
