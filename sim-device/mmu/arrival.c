// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Pages that come late; see arrival.h. All take the same time, so they come in the order in which
 * they were asked for: a list and one event, for the first of it.
 *
 * An access finds the page that it waits for by a hash of the page's number. Nothing depends on the
 * order in a bucket.
 */
#include "arrival.h"
#include "vgpu.h"

static struct vgpu_arrival **bucket_of(struct vgpu_arrivals *arrivals, u64 page)
{
	return &arrivals->bucket[page & (VGPU_ARRIVAL_BUCKETS - 1)];
}

static void remove_from_bucket(struct vgpu_arrivals *arrivals, struct vgpu_arrival *arrival)
{
	struct vgpu_arrival **at = bucket_of(arrivals, arrival->page);

	while (*at != arrival)
		at = &(*at)->bucket_next;
	*at = arrival->bucket_next;
}

/* It is off both lists: wake who waits, the newest first. */
static void wake_and_free(struct vgpu_arrival *arrival)
{
	struct vgpu_page_waiter *waiter;

	while ((waiter = arrival->waiters)) {
		vgpu_page_waiter_cancel(waiter);
		waiter->wake(waiter);
	}
	vgpu_mem_free(arrival);
}

static void schedule_first(struct vgpu_arrivals *arrivals)
{
	if (arrivals->first)
		vgpu_event_at(arrivals->sim, &arrivals->event, arrivals->first->time);
	else
		vgpu_event_cancel(arrivals->sim, &arrivals->event);
}

static void arrivals_fire(struct vgpu_event *event)
{
	struct vgpu_arrivals *arrivals = vgpu_container_of(event, struct vgpu_arrivals, event);
	u64 now = arrivals->sim->now;
	struct vgpu_arrival *arrival;

	while ((arrival = arrivals->first) && arrival->time <= now) {
		arrivals->first = arrival->next;
		if (!arrivals->first)
			arrivals->end = &arrivals->first;
		remove_from_bucket(arrivals, arrival);
		arrivals->arrived(arrival->as, arrival->page);
		wake_and_free(arrival);
	}
	schedule_first(arrivals);
}

int vgpu_arrivals_init(struct vgpu_arrivals *arrivals, struct vgpu_sim *sim, u64 delay_ps)
{
	int err = vgpu_event_reserve(sim, 1);

	if (err)
		return err;
	arrivals->sim = sim;
	arrivals->delay_ps = delay_ps;
	arrivals->event.fire = arrivals_fire;
	arrivals->end = &arrivals->first;
	return 0;
}

void vgpu_arrivals_fini(struct vgpu_arrivals *arrivals)
{
	if (!arrivals->sim)
		return;
	VGPU_CHECK(!arrivals->first);
	vgpu_event_release(arrivals->sim, 1);
	arrivals->sim = NULL;
}

int vgpu_arrival_begin(struct vgpu_arrivals *arrivals, struct vgpu_address_space *as, u64 page)
{
	struct vgpu_arrival **bucket = bucket_of(arrivals, page);
	struct vgpu_arrival *arrival = vgpu_mem_alloc(sizeof(*arrival));

	if (!arrival)
		return -ENOMEM;
	arrival->as = as;
	arrival->page = page;
	arrival->time = vgpu_time_after(arrivals->sim, arrivals->delay_ps);
	arrival->bucket_next = *bucket;
	*bucket = arrival;
	*arrivals->end = arrival;
	arrivals->end = &arrival->next;
	if (arrivals->first == arrival)
		schedule_first(arrivals);
	return 0;
}

void vgpu_arrival_wait(struct vgpu_arrivals *arrivals, const struct vgpu_address_space *as,
		       u64 page, struct vgpu_page_waiter *waiter)
{
	struct vgpu_arrival *arrival = *bucket_of(arrivals, page);

	VGPU_CHECK(!waiter->link);
	while (arrival->page != page || arrival->as != as)
		arrival = arrival->bucket_next;
	waiter->next = arrival->waiters;
	waiter->link = &arrival->waiters;
	if (waiter->next)
		waiter->next->link = &waiter->next;
	arrival->waiters = waiter;
}

void vgpu_page_waiter_cancel(struct vgpu_page_waiter *waiter)
{
	if (!waiter->link)
		return;
	*waiter->link = waiter->next;
	if (waiter->next)
		waiter->next->link = waiter->link;
	waiter->next = NULL;
	waiter->link = NULL;
}

void vgpu_arrivals_cancel(struct vgpu_arrivals *arrivals, const struct vgpu_address_space *as,
			  u64 first, u64 count)
{
	struct vgpu_arrival **at = &arrivals->first;
	struct vgpu_arrival *arrival, *cancelled = NULL, **end = &cancelled;

	while ((arrival = *at)) {
		if (arrival->as != as || arrival->page - first >= count) {
			at = &arrival->next;
			continue;
		}
		*at = arrival->next;
		remove_from_bucket(arrivals, arrival);
		arrival->next = NULL;
		*end = arrival;
		end = &arrival->next;
	}
	if (!cancelled)
		return;
	arrivals->end = at;
	schedule_first(arrivals);
	while ((arrival = cancelled)) {
		cancelled = arrival->next;
		wake_and_free(arrival);
	}
}
