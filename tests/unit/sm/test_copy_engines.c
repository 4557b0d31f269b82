// SPDX-License-Identifier: MIT
/*
 * Two copy engines (transfer/transfer.c). Times are worked out by hand: at 1 GB/s 64 KB cross the
 * interconnect in 65.536 us, a page in 4.096; at 4 GB/s memory is filled with 64 KB in 16.384 us.
 */
#include "managed_rig.h"

#define SETTINGS	"link_bandwidth=1000000000", "memory_bandwidth=4000000000"
#define BIG		(64u << 10)
#define CROSSES		(65536 * 1000ull)	/* BIG over the interconnect */
#define FILLS		(65536 * 250ull)	/* BIG in the memory */
#define PAGE_CROSSES	(4096 * 1000ull)
#define SECOND		0x20000000ull		/* device memory, too */

enum { QUEUES = 4 };

struct copies {
	struct host *h;
	u32 context;
	u32 queue[QUEUES];
};

static void open_copies(struct copies *c, struct host *h)
{
	c->h = h;
	c->context = host_open(h);
	for (u32 n = 0; n < QUEUES; n++)
		c->queue[n] = host_queue(h, c->context);
	assert_int_equal(vgpu_memory_map(h->dev, c->context, DEVICE, 1 << 20), 0);
	assert_int_equal(vgpu_memory_map(h->dev, c->context, SECOND, 1 << 20), 0);
}

static struct copies start_copies(const char *engines)
{
	struct copies c;

	open_copies(&c, host_new("k20c", SETTINGS, engines, NULL));
	return c;
}

static void push(const struct copies *c, u32 queue, struct vgpu_cmd cmd)
{
	host_push(c->h, c->context, c->queue[queue], cmd);
}

static u64 ended(const struct copies *c, u32 queue, u64 seq)
{
	const struct vgpu_completion *done = host_done(c->h, c->context, c->queue[queue], seq);

	assert_int_equal(done->status, 0);
	return done->time;
}

static struct vgpu_cmd in(u64 bytes)
{
	return cmd_h2d(DEVICE, 0, bytes);
}

static struct vgpu_cmd out(u64 bytes)
{
	return cmd_d2h(512 << 10, SECOND, bytes);
}

static struct vgpu_cmd fill(void)
{
	return cmd_fill(DEVICE + BIG, BIG, 7, 1);
}

/* The engine that executed the first command of the queue. */
static u32 engine_of(const struct copies *c, u32 queue)
{
	u32 found = 99;

	for (size_t n = 0; n < c->h->record_count; n++) {
		const struct vgpu_trace_record *r = &c->h->records[n];

		if (r->queue != c->queue[queue] || r->seq != 1)
			continue;
		if (r->type == VGPU_TRACE_COPY_START)
			found = (u32)(r->b >> 32);
		else if (r->type == VGPU_TRACE_COPY_END)
			assert_int_equal(r->b >> 32, found);
	}
	return found;
}

static u64 busy(const struct copies *c, u32 engine)
{
	struct vgpu_device_stats stats;

	vgpu_device_stats(c->h->dev, &stats);
	return engine ? stats.copy1_busy : stats.copy0_busy;
}

/* ---- tests -------------------------------------------------------------- */

static void both_directions_at_once(void **state)
{
	(void)state;
	for (u32 two = 0; two < 2; two++) {
		struct copies c = start_copies(two ? "copy_engines=2" : "copy_engines=1");
		struct vgpu_device_info about;

		push(&c, 0, in(BIG));
		push(&c, 1, out(BIG));
		/* halfway */
		vgpu_device_run(c.h->dev, CROSSES / 2, ~0u);
		assert_int_equal(busy(&c, 0), CROSSES / 2);
		assert_int_equal(busy(&c, 1), two ? CROSSES / 2 : 0);
		host_run(c.h);
		assert_int_equal(ended(&c, 0, 1), CROSSES);
		assert_int_equal(ended(&c, 1, 1), two ? CROSSES : 2 * CROSSES);
		assert_int_equal(engine_of(&c, 0), 0);
		assert_int_equal(engine_of(&c, 1), two);
		assert_int_equal(busy(&c, 0), two ? CROSSES : 2 * CROSSES);
		assert_int_equal(busy(&c, 1), two ? CROSSES : 0);
		vgpu_device_info(c.h->dev, &about);
		assert_int_equal(about.copy_engines, 1 + two);
		host_free(c.h);
	}
}

static void one_direction_in_turn(void **state)
{
	struct copies c = start_copies("copy_engines=2");

	(void)state;
	push(&c, 0, in(BIG));
	push(&c, 1, in(PAGE));
	push(&c, 2, in(BIG));
	push(&c, 3, out(BIG));
	host_run(c.h);
	assert_int_equal(ended(&c, 0, 1), CROSSES);
	assert_int_equal(ended(&c, 1, 1), CROSSES + PAGE_CROSSES);
	assert_int_equal(ended(&c, 2, 1), 2 * CROSSES + PAGE_CROSSES);
	assert_int_equal(ended(&c, 3, 1), CROSSES);
	host_free(c.h);
}

/*
 * Of one queue in its order; another waits for its first, in the other direction. The dispatcher
 * executes that wait before it inspects the first queue again.
 */
static void queues_stay_in_order(void **state)
{
	struct copies c = start_copies("copy_engines=2");
	u64 command = c.h->config.command_ps;

	(void)state;
	push(&c, 0, in(BIG));
	push(&c, 0, out(BIG));
	push(&c, 1, cmd_wait(c.queue[0], 1));
	push(&c, 1, in(BIG));
	push(&c, 1, cmd_stamp(0));
	host_run(c.h);
	assert_int_equal(ended(&c, 0, 1), CROSSES);
	assert_int_equal(ended(&c, 0, 2), 2 * CROSSES + command);
	assert_int_equal(ended(&c, 1, 2), 2 * CROSSES + command);
	assert_int_equal(ended(&c, 1, 3), 2 * CROSSES + 2 * command);
	host_free(c.h);
}

/* A fill is for engine 0 if both are free, else for the other. */
static void a_fill_between(void **state)
{
	struct copies c = start_copies("copy_engines=2");

	(void)state;
	push(&c, 0, fill());
	push(&c, 1, in(PAGE));
	push(&c, 2, out(PAGE));
	host_run(c.h);
	assert_int_equal(engine_of(&c, 0), 0);
	assert_int_equal(ended(&c, 0, 1), FILLS);
	assert_int_equal(ended(&c, 1, 1), FILLS + PAGE_CROSSES);
	assert_int_equal(ended(&c, 2, 1), PAGE_CROSSES);
	host_free(c.h);

	c = start_copies("copy_engines=2");
	push(&c, 0, in(BIG));
	push(&c, 1, fill());
	push(&c, 2, out(PAGE));
	host_run(c.h);
	assert_int_equal(engine_of(&c, 1), 1);
	assert_int_equal(ended(&c, 0, 1), CROSSES);
	assert_int_equal(ended(&c, 1, 1), FILLS);
	assert_int_equal(ended(&c, 2, 1), FILLS + PAGE_CROSSES);
	host_free(c.h);
}

/* The engine that becomes free takes the first that arrived, not the first of its direction. */
static void first_come_first_served(void **state)
{
	struct copies c = start_copies("copy_engines=2");

	(void)state;
	push(&c, 0, in(BIG));
	push(&c, 1, out(PAGE));
	push(&c, 2, fill());
	push(&c, 3, out(PAGE));
	push(&c, 0, fill());
	host_run(c.h);
	assert_int_equal(engine_of(&c, 2), 1);
	assert_int_equal(ended(&c, 2, 1), PAGE_CROSSES + FILLS);
	assert_int_equal(ended(&c, 3, 1), 2 * PAGE_CROSSES + FILLS);
	assert_int_equal(ended(&c, 0, 2), CROSSES + FILLS);
	host_free(c.h);
}

/* Two at a time share the bandwidth of the memory: a burst of one, a burst of the other. */
static void copies_within_the_device(void **state)
{
	struct copies c = start_copies("copy_engines=2");
	u64 burst = 2 * 4096 * 250;

	(void)state;
	push(&c, 0, cmd_d2d(DEVICE, SECOND, BIG));
	push(&c, 1, cmd_d2d(DEVICE + BIG, SECOND + BIG, BIG));
	host_run(c.h);
	assert_int_equal(engine_of(&c, 0), 0);
	assert_int_equal(engine_of(&c, 1), 1);
	assert_int_equal(ended(&c, 0, 1), 31 * burst);
	assert_int_equal(ended(&c, 1, 1), 32 * burst);
	host_free(c.h);
}

static void priorities(void **state)
{
	struct copies low = start_copies("copy_engines=2"), high;
	struct host *h = low.h;

	(void)state;
	assert_int_equal(vgpu_device_knob_set(h->dev, "transfer_policy", "npq"), 0);
	open_copies(&high, h);
	push(&low, 0, in(BIG));
	push(&low, 1, in(BIG));
	push(&low, 2, out(BIG));
	push(&low, 3, out(BIG));
	push(&high, 0, in(BIG));
	push(&high, 1, out(BIG));
	/* when they wait already */
	vgpu_device_run(h->dev, CROSSES / 2, ~0u);
	assert_int_equal(vgpu_context_priority(h->dev, high.context, 1), 0);
	host_run(h);
	assert_int_equal(ended(&low, 0, 1), CROSSES);
	assert_int_equal(ended(&low, 2, 1), CROSSES);
	assert_int_equal(ended(&high, 0, 1), 2 * CROSSES);
	assert_int_equal(ended(&high, 1, 1), 2 * CROSSES);
	assert_int_equal(ended(&low, 1, 1), 3 * CROSSES);
	assert_int_equal(ended(&low, 3, 1), 3 * CROSSES);
	host_free(h);
}

/* Both engines have transfers of a context that ends: the paths are free at once. */
static void a_kill_in_the_middle(void **state)
{
	struct copies a = start_copies("copy_engines=2"), b;
	struct host *h = a.h;
	u64 when = 10 * VGPU_US;

	(void)state;
	open_copies(&b, h);
	push(&a, 0, in(BIG));
	push(&a, 1, out(BIG));
	push(&a, 2, fill());
	push(&b, 0, in(BIG));
	push(&b, 1, out(BIG));
	vgpu_device_run(h->dev, when, ~0u);
	assert_int_equal(vgpu_context_close(h->dev, a.context), 0);
	host_run(h);
	for (u32 n = 0; n < 3; n++)
		assert_int_equal(host_done(h, a.context, a.queue[n], 1)->status, -EIO);
	assert_int_equal(ended(&b, 0, 1), when + CROSSES);
	assert_int_equal(ended(&b, 1, 1), when + CROSSES);
	assert_int_equal(busy(&b, 0), when + CROSSES);
	assert_int_equal(busy(&b, 1), when + CROSSES);
	host_free(h);
}

/* ---- with page migrations ----------------------------------------------- */

/* A granule begins to cross to the device, for the next 65.536 us. */
static u64 begin_migration(struct rig *r)
{
	*word(r, BASE) = 1;
	launch(r, 1, BASE, 0);
	while (!host_count_of(r->h, VGPU_TRACE_MIGRATE_START))
		vgpu_device_run(r->h->dev, VGPU_NEVER, 1);
	return r->h->dev->sim->now;
}

static void migrations_delay_their_direction(void **state)
{
	struct rig r = START("link_bandwidth=1000000000", "fault_data_round_trip_ps=0");
	struct copies c;
	u64 began;

	(void)state;
	open_copies(&c, r.h);
	began = begin_migration(&r);
	push(&c, 0, in(PAGE));
	push(&c, 1, out(PAGE));
	host_run(r.h);
	assert_int_equal(ended(&c, 0, 1), began + CROSSES + PAGE_CROSSES);
	assert_int_equal(ended(&c, 1, 1), began + PAGE_CROSSES);
	host_free(r.h);
}

/* A copy that waits for a migration goes: the path is the migration's nevertheless. */
static void a_kill_while_a_burst_waits(void **state)
{
	struct rig r = START("link_bandwidth=1000000000", "fault_data_round_trip_ps=0");
	struct copies a, b;
	u64 began;

	(void)state;
	open_copies(&a, r.h);
	open_copies(&b, r.h);
	began = begin_migration(&r);
	push(&a, 0, in(PAGE));
	push(&b, 0, in(PAGE));
	vgpu_device_run(r.h->dev, began + CROSSES / 2, ~0u);
	assert_int_equal(vgpu_context_close(r.h->dev, a.context), 0);
	host_run(r.h);
	assert_int_equal(ended(&b, 0, 1), began + CROSSES + PAGE_CROSSES);
	host_free(r.h);
}

/** struct crossing - bytes on a path */
struct crossing {
	u64 begin, end;
};

static int by_begin(const void *a, const void *b)
{
	const struct crossing *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Nothing crosses a path while something else does: 1000 ps a byte. */
static u64 check_path(const struct host *h, u32 direction)
{
	struct crossing *all = calloc(h->burst_count + h->record_count, sizeof(*all));
	size_t count = 0;
	u64 bytes = 0;

	assert_non_null(all);
	for (size_t n = 0; n < h->burst_count; n++) {
		const struct host_burst *b = &h->bursts[n];

		if ((b->dir == VGPU_MOVE_TO_HOST) == (direction == VGPU_DIRECTION_TO_HOST))
			all[count++] = (struct crossing){ b->end - b->bytes * 1000, b->end };
	}
	for (size_t n = 0; n < h->record_count; n++) {
		const struct vgpu_trace_record *r = &h->records[n];

		if (r->type == VGPU_TRACE_MIGRATE_START && r->queue == direction && (u32)r->b)
			all[count++] = (struct crossing){ r->seq, r->seq + (u32)r->b * 1000ull };
		if (r->type == VGPU_TRACE_WRITE_BACK && direction == VGPU_DIRECTION_TO_HOST)
			all[count++] = (struct crossing){ r->seq, r->seq + r->b * 1000 };
	}
	qsort(all, count, sizeof(*all), by_begin);
	for (size_t n = 0; n < count; n++) {
		bytes += (all[n].end - all[n].begin) / 1000;
		if (n && all[n].begin < all[n - 1].end)
			fail_msg("path %u: %llu to %llu, and from %llu on", direction,
				 (unsigned long long)all[n - 1].begin,
				 (unsigned long long)all[n - 1].end,
				 (unsigned long long)all[n].begin);
	}
	free(all);
	return bytes;
}

static void no_path_exceeds_its_bandwidth(void **state)
{
	(void)state;
	for (u64 seed = 1; seed <= 20; seed++) {
		struct rig r = START(SETTINGS, seed % 2 ? "copy_engines=2" : "copy_engines=1",
				     seed % 3 ? "vram_bytes=67108864" : "vram_bytes=4456448",
				     "fault_data_round_trip_ps=0", "command_ps=0");
		struct vgpu_random random;
		struct copies c[3];
		u64 bytes = 0;

		vgpu_random_seed(&random, seed);
		for (u32 n = 0; n < 3; n++)
			c[n].context = 0;
		for (u32 step = 0; step < 400; step++) {
			u64 x = vgpu_random_next(&random);
			u32 n = (u32)(x >> 32) % 2, q = (u32)(x >> 40) % QUEUES;
			u64 address = BASE + (x >> 44) % 64 * (GRANULE / 2);
			u64 size = 1 + (x >> 16) % (3 * GRANULE);

			if (!c[n].context)
				open_copies(&c[n], r.h);
			switch (x % 8) {
			case 0:
				launch(&r, 8, address, GRANULE / 2);
				break;
			case 1:
				++*word(&r, address + 64);
				break;
			case 2:
				push(&c[n], q, fill());
				break;
			case 3:
				if (!(x >> 8 & 3)) {
					vgpu_context_close(r.h->dev, c[n].context);
					c[n].context = 0;
				}
				break;
			case 4:
				push(&c[n], q, cmd_d2d(SECOND, DEVICE, size));
				break;
			case 5:
			case 6:
				push(&c[n], q, in(size));
				break;
			default:
				push(&c[n], q, cmd_d2h(0, SECOND, size));
			}
			vgpu_device_run(r.h->dev, VGPU_NEVER, (u32)(x >> 50) % 16);
		}
		host_run(r.h);
		assert_int_equal(r.h->fault_count, 0);
		for (u32 path = 0; path < VGPU_DIRECTIONS; path++)
			bytes += check_path(r.h, path);
		assert_true(bytes > 4 << 20);
		host_free(r.h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_directions_at_once),
		cmocka_unit_test(one_direction_in_turn),
		cmocka_unit_test(queues_stay_in_order),
		cmocka_unit_test(a_fill_between),
		cmocka_unit_test(first_come_first_served),
		cmocka_unit_test(copies_within_the_device),
		cmocka_unit_test(priorities),
		cmocka_unit_test(a_kill_in_the_middle),
		cmocka_unit_test(migrations_delay_their_direction),
		cmocka_unit_test(a_kill_while_a_burst_waits),
		cmocka_unit_test(no_path_exceeds_its_bandwidth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
