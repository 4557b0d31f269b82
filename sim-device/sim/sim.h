/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The lowest layer of the model: virtual time and events. A struct vgpu_sim is one clock and one
 * event queue; the devices of one system share it. It knows no GPU.
 *
 * Events are ordered by (time, sequence): equal times fire in the order in which they were
 * scheduled, so that a run is the same every time. An event is embedded in what it belongs to. One
 * thread at a time; no locks.
 */
#ifndef VGPU_SIM_H
#define VGPU_SIM_H

#include "../platform.h"
#include "calendar.h"
#include "list.h"

/** struct vgpu_sim - one clock; users may read @now and @fired directly */
struct vgpu_sim {
	u64 now;			/* picoseconds */
	struct vgpu_calendar events;
	u32 reserved;			/* events there is room for */
	u64 seq;			/* of the event that is scheduled next */
	u64 urgent_seq;			/* the same of vgpu_event_next() */
	u64 place;			/* … while what was put off is done; or 0 */
	u64 horizon;			/* what begins later is not executed before (sm/ahead.c) */
	u64 fired;			/* events processed */
	struct vgpu_row_event *newest;	/* of those in a row that are pending, NULL: not known */
	bool stop;			/* vgpu_sim_run() ends after this event */
	/* vgpu_sim_run() ends as soon as it can; set and read by any thread, atomically */
	bool interrupt;
};

struct vgpu_event {
	struct vgpu_pq_entry node;	/* key: when it fires */
	void (*fire)(struct vgpu_event *event);
	/* whose work ends then; set where that may be as far away as a process likes, else NULL */
	const struct vgpu_mem_account *account;
};

/**
 * struct vgpu_row_event - an event of a kind that is often scheduled many times in a row, for the
 * same time: the setups of all SMs that a launch takes. The first of a row is in the queue for all
 * of them, so that only that one costs a search of its place. They are events as all others.
 */
struct vgpu_row_event {
	struct vgpu_event event;
	struct vgpu_list row;		/* ring of those for the same time, in order */
};

void vgpu_sim_init(struct vgpu_sim *sim);
/* No event may be pending. */
void vgpu_sim_fini(struct vgpu_sim *sim);

/**
 * vgpu_sim_run - process events
 * @until: up to and including this time; VGPU_NEVER: until no event is left
 * @max_events: maximum number, not counting events scheduled by vgpu_event_next() after them
 *
 * Returns the time of the next event, VGPU_NEVER if none is pending. When it returns because of
 * @until, the virtual time is @until. While @sim->interrupt is set it returns after one event or a
 * piece of one; the rest is the next event then.
 */
u64 vgpu_sim_run(struct vgpu_sim *sim, u64 until, u32 max_events);

/*
 * The time @delay from @start; saturates at VGPU_NEVER - 1, where events are still processed.
 */
static inline u64 vgpu_time_add(u64 start, u64 delay)
{
	u64 left = VGPU_NEVER - 1 - start;

	return start + (delay < left ? delay : left);
}

/* The same from now on. */
static inline u64 vgpu_time_after(const struct vgpu_sim *sim, u64 delay)
{
	return vgpu_time_add(sim->now, delay);
}

/*
 * Schedule @event at @time (>= now); if it is scheduled already it moves. Cannot fail: room was
 * reserved.
 */
void vgpu_event_at(struct vgpu_sim *sim, struct vgpu_event *event, u64 time);
/* The same, at vgpu_time_after(@delay). */
void vgpu_event_after(struct vgpu_sim *sim, struct vgpu_event *event, u64 delay);
/* vgpu_event_after() for an event that is not scheduled and may be one of a row. */
void vgpu_event_in_row(struct vgpu_sim *sim, struct vgpu_row_event *event, u64 delay);
/*
 * Schedule @event right after the event that is being processed, before all others that are due
 * now. For work that must not run inside the present handler, such as ending a context.
 */
void vgpu_event_next(struct vgpu_sim *sim, struct vgpu_event *event);
/*
 * Long events. A handler that has more to do, and sees vgpu_sim_interrupted(), may schedule its
 * event by vgpu_event_pause() and return: the host gets a word in, and what the handler does when
 * it is called again comes before everything else in the system. So the order of all that happens
 * is the same as without the pause; only what the host does in between is new.
 */
void vgpu_event_pause(struct vgpu_sim *sim, struct vgpu_event *event);
/*
 * Events put off. A handler may call vgpu_event_put_off() and return: its event fires again after
 * all others that are due now. vgpu_event_take() cancels that: the caller does the work instead.
 * vgpu_event_put_off() returns a place: an event that is later scheduled with it, by
 * vgpu_event_at_place(), is ordered as if it had been scheduled at the time of
 * vgpu_event_put_off(). So are others that are scheduled between vgpu_place_enter() and
 * vgpu_place_leave(), before that one and in their order; the latter returns the place for those
 * that follow.
 */
u64 vgpu_event_put_off(struct vgpu_sim *sim, struct vgpu_event *event);
void vgpu_event_take(struct vgpu_sim *sim, struct vgpu_event *event);
void vgpu_event_at_place(struct vgpu_sim *sim, struct vgpu_event *event, u64 time, u64 place);
static inline void vgpu_place_enter(struct vgpu_sim *sim, u64 place)
{
	sim->place = place;
}

static inline u64 vgpu_place_leave(struct vgpu_sim *sim)
{
	u64 place = sim->place;

	sim->place = 0;
	return place;
}
/* May the host act, which wants to, before what follows the present event? */
bool vgpu_sim_lets_in(struct vgpu_sim *sim);

/* Does the host want to act? Any thread. */
static inline bool vgpu_sim_asked(const struct vgpu_sim *sim)
{
	return unlikely(__atomic_load_n(&sim->interrupt, __ATOMIC_RELAXED));
}

static inline bool vgpu_sim_interrupted(struct vgpu_sim *sim)
{
	return vgpu_sim_asked(sim) && vgpu_sim_lets_in(sim);
}

/* Make room for @count more events that exist at once; pairs with vgpu_event_release(). -ENOMEM. */
int vgpu_event_reserve(struct vgpu_sim *sim, u32 count);
void vgpu_event_release(struct vgpu_sim *sim, u32 count);

/* The event that is next; NULL: none is pending. */
static inline const struct vgpu_event *vgpu_event_first(struct vgpu_sim *sim)
{
	struct vgpu_pq_entry *first = vgpu_calendar_first(&sim->events);

	return first ? vgpu_container_of(first, struct vgpu_event, node) : NULL;
}

static inline bool vgpu_event_pending(const struct vgpu_event *event)
{
	return vgpu_pq_queued(&event->node);
}

/*
 * When the first event is due that is not handled by @fire; VGPU_NEVER: there is none. Looks at all
 * that are pending.
 */
u64 vgpu_sim_next_but(const struct vgpu_sim *sim, void (*fire)(struct vgpu_event *event));

/* Cancel @event, which is scheduled. */
void vgpu_event_clear(struct vgpu_sim *sim, struct vgpu_event *event);

/* Cancel an event; a no-op if it is not scheduled. */
static inline void vgpu_event_cancel(struct vgpu_sim *sim, struct vgpu_event *event)
{
	if (vgpu_event_pending(event))
		vgpu_event_clear(sim, event);
}

/* When a pending event fires. */
static inline u64 vgpu_event_time(const struct vgpu_event *event)
{
	return event->node.key;
}

#endif
