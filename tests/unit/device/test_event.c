// SPDX-License-Identifier: MIT
/*
 * The event core: order by (time, sequence), moving, cancelling, the end of the clock; against a
 * plain sorted list.
 */
#include "device/device.h"
#include "host.h"

#define EVENTS	500

static u32 fired[EVENTS];
static u32 fired_count;
static struct vgpu_event events[EVENTS];

static const struct vgpu_sim *sim;

static void fire(struct vgpu_event *event)
{
	assert_int_equal(sim->now, vgpu_event_time(event));
	assert_false(vgpu_event_pending(event));
	fired[fired_count++] = (u32)(event - events);
}

static struct host *begin(void)
{
	struct host *h = host_new("k20c", NULL);
	u32 i;

	sim = h->dev->sim;
	assert_int_equal(vgpu_event_reserve(h->dev->sim, EVENTS), 0);
	memset(events, 0, sizeof(events));
	for (i = 0; i < EVENTS; i++)
		events[i].fire = fire;
	fired_count = 0;
	return h;
}

static void end(struct host *h)
{
	vgpu_event_release(h->dev->sim, EVENTS);
	host_free(h);
}

static void equal_times_fire_in_the_order_of_scheduling(void **state)
{
	struct host *h = begin();
	u32 i;

	(void)state;
	for (i = 0; i < EVENTS; i++)
		vgpu_event_at(h->dev->sim, &events[(i * 7) % EVENTS], 1000);
	assert_true(vgpu_device_run(h->dev, VGPU_NEVER, ~0u) == VGPU_NEVER);
	assert_int_equal(fired_count, EVENTS);
	for (i = 0; i < EVENTS; i++)
		assert_int_equal(fired[i], (i * 7) % EVENTS);
	end(h);
}

/*
 * Scheduled, moved and cancelled at random, the events left fire as a search for the least (time,
 * turn) says.
 */
static void random_schedules_fire_as_a_list_would(void **state)
{
	static u64 when[EVENTS], turn[EVENTS];
	static bool there[EVENTS];
	struct host *h = begin();
	struct vgpu_random random;
	u32 round, i;

	(void)state;
	vgpu_random_seed(&random, 5);
	memset(there, 0, sizeof(there));
	for (round = 0; round < 20000; round++) {
		u32 which = (u32)(vgpu_random_next(&random) % EVENTS);

		if (vgpu_random_next(&random) % 4 == 0) {
			vgpu_event_cancel(h->dev->sim, &events[which]);
			there[which] = false;
		} else {
			when[which] = vgpu_random_next(&random) % 50;
			turn[which] = round;
			there[which] = true;
			vgpu_event_at(h->dev->sim, &events[which], when[which]);
		}
		assert_int_equal(vgpu_event_pending(&events[which]), there[which]);
	}
	vgpu_device_run(h->dev, VGPU_NEVER, ~0u);
	for (i = 0; i < fired_count; i++) {
		u32 least = EVENTS;
		u32 k;

		for (k = 0; k < EVENTS; k++)
			if (there[k] && (least == EVENTS || when[k] < when[least] ||
					 (when[k] == when[least] && turn[k] < turn[least])))
				least = k;
		assert_int_equal(fired[i], least);
		there[least] = false;
	}
	for (i = 0; i < EVENTS; i++)
		assert_false(there[i]);
	end(h);
}

#define ROW	40

static struct vgpu_row_event row[ROW];
static u32 row_fired[2 * EVENTS];
static u32 row_count;

static void fire_in_row(struct vgpu_event *event)
{
	assert_int_equal(sim->now, vgpu_event_time(event));
	assert_false(vgpu_event_pending(event));
	row_fired[row_count++] =
		(u32)(vgpu_container_of(event, struct vgpu_row_event, event) - row);
}

static void fire_between(struct vgpu_event *event)
{
	row_fired[row_count++] = ROW + (u32)(event - events);
}

/*
 * Events in a row, among others and cancelled at random, fire in the order of (time, turn) as all
 * others do, also when the run stops after each.
 */
static void rows_fire_as_single_events_would(void **state)
{
	static u64 when[2 * ROW], turn[2 * ROW];
	static bool there[2 * ROW];
	struct host *h = begin();
	struct vgpu_random random;
	u32 round, i;
	u64 turns = 0;

	(void)state;
	vgpu_random_seed(&random, 7);
	memset(row, 0, sizeof(row));
	for (i = 0; i < ROW; i++) {
		row[i].event.fire = fire_in_row;
		events[i].fire = fire_between;
	}
	for (round = 0; round < 3000; round++) {
		u64 begins = sim->now;

		memset(there, 0, sizeof(there));
		row_count = 0;
		for (i = 0; i < 2 * ROW; i++) {
			u32 which = (u32)(vgpu_random_next(&random) % ROW);
			u32 kind = (u32)(vgpu_random_next(&random) % 16);
			/* mostly the same time, so that rows are long */
			u64 delay = vgpu_random_next(&random) % 8 ? 3 : 5;

			if (kind == 0) {
				vgpu_event_cancel(h->dev->sim, &row[which].event);
				there[which] = false;
			} else if (kind == 1) {
				vgpu_event_after(h->dev->sim, &events[which], delay);
				when[ROW + which] = begins + delay;
				turn[ROW + which] = turns++;
				there[ROW + which] = true;
			} else if (!there[which]) {
				vgpu_event_in_row(h->dev->sim, &row[which], delay);
				when[which] = begins + delay;
				turn[which] = turns++;
				there[which] = true;
			}
		}
		for (i = 0; i < ROW; i++)
			assert_int_equal(vgpu_event_pending(&row[i].event), there[i]);
		while (vgpu_device_run(h->dev, VGPU_NEVER, round % 2 ? 1 : ~0u) != VGPU_NEVER)
			;
		for (i = 0; i < row_count; i++) {
			u32 least = 2 * ROW;
			u32 k;

			for (k = 0; k < 2 * ROW; k++)
				if (there[k] && (least == 2 * ROW || when[k] < when[least] ||
						 (when[k] == when[least] && turn[k] < turn[least])))
					least = k;
			assert_int_equal(row_fired[i], least);
			there[least] = false;
		}
		for (i = 0; i < 2 * ROW; i++)
			assert_false(there[i]);
	}
	end(h);
}

static void run_stops_where_it_is_told(void **state)
{
	struct host *h = begin();

	(void)state;
	vgpu_event_at(h->dev->sim, &events[0], 100);
	vgpu_event_at(h->dev->sim, &events[1], 200);
	vgpu_event_at(h->dev->sim, &events[2], 200);
	vgpu_event_at(h->dev->sim, &events[3], 300);
	assert_int_equal(vgpu_device_run(h->dev, 50, ~0u), 100);
	assert_int_equal(vgpu_device_now(h->dev), 50);
	assert_int_equal(vgpu_device_run(h->dev, 200, 2), 200);
	assert_int_equal(fired_count, 2);
	assert_int_equal(vgpu_device_now(h->dev), 200);
	assert_int_equal(vgpu_device_run(h->dev, 250, ~0u), 300);
	assert_int_equal(vgpu_device_now(h->dev), 250);
	assert_int_equal(fired_count, 3);
	/* The past asks for nothing. */
	assert_int_equal(vgpu_device_run(h->dev, 10, ~0u), 300);
	assert_int_equal(vgpu_device_now(h->dev), 250);
	assert_true(vgpu_device_run(h->dev, 400, ~0u) == VGPU_NEVER);
	assert_int_equal(vgpu_device_now(h->dev), 400);
	end(h);
}

static void schedule_next(struct vgpu_event *event)
{
	fire(event);
	vgpu_event_next((struct vgpu_sim *)(unsigned long)sim, &events[10]);
	vgpu_event_next((struct vgpu_sim *)(unsigned long)sim, &events[11]);
}

/* Right behind the event that scheduled it, before what was due earlier; no limit comes between. */
static void the_next_event_is_next(void **state)
{
	struct host *h = begin();
	u32 i;

	(void)state;
	events[0].fire = schedule_next;
	for (i = 0; i < 3; i++)
		vgpu_event_at(h->dev->sim, &events[i], 100);
	assert_int_equal(vgpu_device_run(h->dev, VGPU_NEVER, 1), 100);
	assert_int_equal(fired_count, 3);
	assert_int_equal(fired[1], 10);
	assert_int_equal(fired[2], 11);
	vgpu_device_run(h->dev, VGPU_NEVER, ~0u);
	assert_int_equal(fired_count, 5);
	end(h);
}

static struct vgpu_sim *clock;
static u64 place;

/* The first time it puts itself off; then it comes again at 2000, in the place it got then. */
static void put_off(struct vgpu_event *event)
{
	u64 got = place;

	fire(event);
	if (place) {
		vgpu_place_enter(clock, place);
		vgpu_event_at(clock, &events[4], 2000);
		place = vgpu_place_leave(clock);
		vgpu_event_at(clock, &events[6], 2000);
		vgpu_place_enter(clock, place);
		vgpu_event_at(clock, &events[5], 2000);
		vgpu_event_at_place(clock, event, 2000, vgpu_place_leave(clock));
	} else {
		got = vgpu_event_put_off(clock, event);
	}
	event->fire = place ? fire : event->fire;
	place = got;
}

/*
 * What is put off comes behind all that is due then, counts as one, and comes before what was
 * scheduled for its next time since; behind what has been scheduled in its place.
 */
static void what_is_put_off_keeps_its_place(void **state)
{
	static const u32 order[] = {0, 1, 0, 3, 4, 5, 0, 2, 6};
	struct host *h = begin();
	u64 before = h->dev->sim->fired;

	(void)state;
	place = 0;
	events[0].fire = put_off;
	clock = h->dev->sim;
	vgpu_event_at(h->dev->sim, &events[3], 2000);
	vgpu_event_at(h->dev->sim, &events[0], 1000);
	vgpu_event_at(h->dev->sim, &events[1], 1000);
	vgpu_device_run(h->dev, VGPU_NEVER, 2);
	assert_int_equal(h->dev->sim->fired - before, 1);
	vgpu_event_at(h->dev->sim, &events[2], 2000);
	assert_true(vgpu_device_run(h->dev, VGPU_NEVER, ~0u) == VGPU_NEVER);
	assert_int_equal(fired_count, sizeof(order) / sizeof(order[0]));
	assert_memory_equal(fired, order, sizeof(order));
	assert_int_equal(h->dev->sim->fired - before, 8);

	/* somebody else does it */
	place = 0;
	events[0].fire = put_off;
	vgpu_event_at(h->dev->sim, &events[0], 3000);
	vgpu_device_run(h->dev, VGPU_NEVER, 1);
	assert_int_equal(h->dev->sim->fired - before, 8);
	vgpu_event_take(h->dev->sim, &events[0]);
	assert_int_equal(h->dev->sim->fired - before, 9);
	assert_true(vgpu_device_run(h->dev, VGPU_NEVER, ~0u) == VGPU_NEVER);
	end(h);
}

static void the_clock_ends_and_events_go_on(void **state)
{
	struct host *h = begin();

	(void)state;
	vgpu_event_after(h->dev->sim, &events[0], ~0ull);
	vgpu_device_run(h->dev, VGPU_NEVER, ~0u);
	assert_true(vgpu_device_now(h->dev) == VGPU_NEVER - 1);
	vgpu_event_after(h->dev->sim, &events[1], 5);
	vgpu_device_run(h->dev, VGPU_NEVER, ~0u);
	assert_int_equal(fired_count, 2);
	end(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_times_fire_in_the_order_of_scheduling),
		cmocka_unit_test(random_schedules_fire_as_a_list_would),
		cmocka_unit_test(rows_fire_as_single_events_would),
		cmocka_unit_test(run_stops_where_it_is_told),
		cmocka_unit_test(the_next_event_is_next),
		cmocka_unit_test(what_is_put_off_keeps_its_place),
		cmocka_unit_test(the_clock_ends_and_events_go_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
