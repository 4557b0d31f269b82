// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Virtual time: which event is next, and the room that was promised.
 */
#include "sim.h"

/*
 * Sequence numbers of vgpu_event_next() lie below all others, so that of events due at the same
 * time these come first. The rest of a paused event, of which there is one at most, comes before
 * them.
 */
#define FIRST_SEQ	(1ull << 62)
#define PAUSED_SEQ	0ull

/*
 * Sequence numbers of a place, the first of which is a multiple: the last is that of
 * vgpu_event_at_place(). More than a slice has page faults: one for each lane of each warp.
 */
#define PLACE_SEQS	(1ull << 14)

/*
 * Tags of events: of the one that is in the queue for the others of its row, and of these. Where an
 * event is the only one of its row it is like any other.
 */
enum { ALONE, FIRST_OF_ROW, IN_ROW };

void vgpu_sim_init(struct vgpu_sim *sim)
{
	memset(sim, 0, sizeof(*sim));
	sim->seq = FIRST_SEQ;
	sim->horizon = VGPU_NEVER;
	sim->urgent_seq = PAUSED_SEQ + 1;
}

void vgpu_sim_fini(struct vgpu_sim *sim)
{
	vgpu_calendar_free(&sim->events);
}

static bool is_urgent(const struct vgpu_pq_entry *entry)
{
	return entry->seq < FIRST_SEQ && entry->seq != PAUSED_SEQ;
}

static struct vgpu_row_event *row_event_of(struct vgpu_event *event)
{
	return vgpu_container_of(event, struct vgpu_row_event, event);
}

/* @event leaves its row; if the queue had it, the next one takes its place there. */
static void leave_row(struct vgpu_sim *sim, struct vgpu_row_event *event)
{
	struct vgpu_row_event *next = vgpu_list_entry(event->row.next, struct vgpu_row_event, row);

	vgpu_list_del(&event->row);
	if (event->event.node.tag == FIRST_OF_ROW) {
		vgpu_calendar_replace(&sim->events, &event->event.node, &next->event.node);
		next->event.node.tag = FIRST_OF_ROW;
	}
	event->event.node.number = 0;
	event->event.node.tag = ALONE;
	/* what is left is the one that the queue has */
	if (!vgpu_list_linked(&next->row))
		next->event.node.tag = ALONE;
}

static bool is_newest(const struct vgpu_sim *sim, const struct vgpu_event *event)
{
	return sim->newest && event == &sim->newest->event;
}

/* Take @event, which is the first, out of the queue. */
static void pop(struct vgpu_sim *sim, struct vgpu_event *event)
{
	if (unlikely(is_newest(sim, event)))
		sim->newest = NULL;
	if (unlikely(event->node.tag))
		leave_row(sim, row_event_of(event));
	else
		vgpu_calendar_pop(&sim->events, &event->node);
}

u64 vgpu_sim_run(struct vgpu_sim *sim, u64 until, u32 max_events)
{
	struct vgpu_pq_entry *first;
	bool begun = false;

	sim->stop = false;
	while ((first = vgpu_calendar_first(&sim->events)) && first->key <= until) {
		struct vgpu_event *event = vgpu_container_of(first, struct vgpu_event, node);

		if (likely(!is_urgent(first)) &&
		    (unlikely(sim->stop) || !max_events-- || (begun && vgpu_sim_asked(sim))))
			return first->key;
		begun = true;
		sim->now = first->key;
		pop(sim, event);
		sim->fired++;
		event->fire(event);
	}
	if (unlikely(sim->stop))
		return first ? first->key : VGPU_NEVER;
	if (until != VGPU_NEVER && until > sim->now)
		sim->now = until;
	return first ? first->key : VGPU_NEVER;
}

void vgpu_event_at(struct vgpu_sim *sim, struct vgpu_event *event, u64 time)
{
	if (!VGPU_CHECK(time >= sim->now))
		time = sim->now;
	if (unlikely(sim->place))
		vgpu_calendar_insert_any(&sim->events, &event->node, time, sim->place++);
	else
		vgpu_calendar_insert(&sim->events, &event->node, time, sim->seq++);
}

void vgpu_event_after(struct vgpu_sim *sim, struct vgpu_event *event, u64 delay)
{
	vgpu_event_at(sim, event, vgpu_time_after(sim, delay));
}

/* Was @newest the last that was scheduled, for @time? Then nothing can come between the two. */
static bool follows(const struct vgpu_sim *sim, const struct vgpu_row_event *newest, u64 time)
{
	return newest && newest->event.node.key == time && newest->event.node.seq == sim->seq - 1;
}

void vgpu_event_in_row(struct vgpu_sim *sim, struct vgpu_row_event *event, u64 delay)
{
	u64 time = vgpu_time_after(sim, delay);
	struct vgpu_row_event *before = sim->newest;

	if (!VGPU_CHECK(!vgpu_event_pending(&event->event)))
		return;
	sim->newest = event;
	if (!follows(sim, before, time)) {
		vgpu_event_at(sim, &event->event, time);
		return;
	}
	if (!before->event.node.tag) {
		before->event.node.tag = FIRST_OF_ROW;
		vgpu_list_init(&before->row);
	}
	event->event.node = (struct vgpu_pq_entry){
		.key = time,
		.seq = sim->seq++,
		.number = before->event.node.number,
		.tag = IN_ROW,
	};
	vgpu_list_add(&event->row, &before->row);
}

void vgpu_event_clear(struct vgpu_sim *sim, struct vgpu_event *event)
{
	if (is_newest(sim, event))
		sim->newest = NULL;
	if (event->node.tag)
		leave_row(sim, row_event_of(event));
	else
		vgpu_calendar_clear(&sim->events, &event->node);
}

void vgpu_event_next(struct vgpu_sim *sim, struct vgpu_event *event)
{
	vgpu_calendar_insert_any(&sim->events, &event->node, sim->now, sim->urgent_seq++);
}

void vgpu_event_pause(struct vgpu_sim *sim, struct vgpu_event *event)
{
	/* one event, however often it goes on */
	sim->fired--;
	vgpu_calendar_insert_any(&sim->events, &event->node, sim->now, PAUSED_SEQ);
}

u64 vgpu_event_put_off(struct vgpu_sim *sim, struct vgpu_event *event)
{
	u64 place = (sim->seq + PLACE_SEQS - 1) & ~(PLACE_SEQS - 1);

	sim->seq = place + PLACE_SEQS;
	/* one event, as there */
	sim->fired--;
	vgpu_event_at(sim, event, sim->now);
	return place;
}

void vgpu_event_take(struct vgpu_sim *sim, struct vgpu_event *event)
{
	sim->fired++;
	vgpu_event_cancel(sim, event);
}

void vgpu_event_at_place(struct vgpu_sim *sim, struct vgpu_event *event, u64 time, u64 place)
{
	if (!VGPU_CHECK(time >= sim->now))
		time = sim->now;
	vgpu_calendar_insert_any(&sim->events, &event->node, time, place | (PLACE_SEQS - 1));
}

bool vgpu_sim_lets_in(struct vgpu_sim *sim)
{
	const struct vgpu_pq_entry *first;

	if (sim->stop)
		return false;
	first = vgpu_calendar_first(&sim->events);
	return !first || !is_urgent(first);
}

int vgpu_event_reserve(struct vgpu_sim *sim, u32 count)
{
	int err = vgpu_calendar_reserve(&sim->events, sim->reserved + count);

	if (!err)
		sim->reserved += count;
	return err;
}

void vgpu_event_release(struct vgpu_sim *sim, u32 count)
{
	if (VGPU_CHECK(sim->reserved >= count))
		sim->reserved -= count;
}

u64 vgpu_sim_next_but(const struct vgpu_sim *sim, void (*fire)(struct vgpu_event *event))
{
	const struct vgpu_pq_entry *entry;
	u64 least = VGPU_NEVER;
	u32 at = 0;

	/* of those in a row, which are due at the same time, the first is there */
	while ((entry = vgpu_calendar_each(&sim->events, &at)))
		if (entry->key < least &&
		    vgpu_container_of(entry, const struct vgpu_event, node)->fire != fire)
			least = entry->key;
	return least;
}
