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

void vgpu_sim_init(struct vgpu_sim *sim)
{
	memset(sim, 0, sizeof(*sim));
	sim->seq = FIRST_SEQ;
	sim->urgent_seq = PAUSED_SEQ + 1;
}

void vgpu_sim_fini(struct vgpu_sim *sim)
{
	vgpu_pqueue_free(&sim->events);
}

static bool is_urgent(const struct vgpu_pq_entry *entry)
{
	return entry->seq < FIRST_SEQ && entry->seq != PAUSED_SEQ;
}

static bool is_interrupted(const struct vgpu_sim *sim)
{
	return unlikely(__atomic_load_n(&sim->interrupt, __ATOMIC_RELAXED));
}

u64 vgpu_sim_run(struct vgpu_sim *sim, u64 until, u32 max_events)
{
	struct vgpu_pq_entry *first;
	bool begun = false;

	sim->stop = false;
	while ((first = vgpu_pqueue_first(&sim->events)) && first->key <= until) {
		struct vgpu_event *event = vgpu_container_of(first, struct vgpu_event, node);

		if (likely(!is_urgent(first)) &&
		    (unlikely(sim->stop) || !max_events-- || (begun && is_interrupted(sim))))
			return first->key;
		begun = true;
		sim->now = first->key;
		vgpu_pqueue_pop(&sim->events);
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
	vgpu_pqueue_insert(&sim->events, &event->node, time, sim->seq++);
}

void vgpu_event_after(struct vgpu_sim *sim, struct vgpu_event *event, u64 delay)
{
	vgpu_event_at(sim, event, vgpu_time_after(sim, delay));
}

void vgpu_event_next(struct vgpu_sim *sim, struct vgpu_event *event)
{
	vgpu_pqueue_insert(&sim->events, &event->node, sim->now, sim->urgent_seq++);
}

void vgpu_event_pause(struct vgpu_sim *sim, struct vgpu_event *event)
{
	/* one event, however often it goes on */
	sim->fired--;
	vgpu_pqueue_insert(&sim->events, &event->node, sim->now, PAUSED_SEQ);
}

bool vgpu_sim_interrupted(struct vgpu_sim *sim)
{
	const struct vgpu_pq_entry *first;

	if (!is_interrupted(sim) || sim->stop)
		return false;
	first = vgpu_pqueue_first(&sim->events);
	return !first || !is_urgent(first);
}

int vgpu_event_reserve(struct vgpu_sim *sim, u32 count)
{
	int err = vgpu_pqueue_reserve(&sim->events, sim->reserved + count);

	if (!err)
		sim->reserved += count;
	return err;
}

void vgpu_event_release(struct vgpu_sim *sim, u32 count)
{
	if (VGPU_CHECK(sim->reserved >= count))
		sim->reserved -= count;
}
