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

/* It leaves the list and its bucket: wake who waits, the newest first. */
static void end_arrival(struct vgpu_arrivals *arrivals, struct vgpu_arrival *arrival, bool arrived)
{
	struct vgpu_page_waiter *waiter;

	arrivals->ended(arrival->as, arrival->page, arrived);
	vgpu_list_del(&arrival->node);
	remove_from_bucket(arrivals, arrival);
	while ((waiter = vgpu_list_first(&arrival->waiters, struct vgpu_page_waiter, node))) {
		vgpu_page_waiter_cancel(waiter);
		waiter->wake(waiter);
	}
	vgpu_mem_free(arrival->memory, arrival, sizeof(*arrival));
}

static struct vgpu_arrival *first_arrival(const struct vgpu_arrivals *arrivals)
{
	return vgpu_list_first(&arrivals->pages, struct vgpu_arrival, node);
}

static void schedule_first(struct vgpu_arrivals *arrivals)
{
	const struct vgpu_arrival *first = first_arrival(arrivals);

	if (first)
		vgpu_event_at(arrivals->sim, &arrivals->event, first->time);
	else
		vgpu_event_cancel(arrivals->sim, &arrivals->event);
}

static void arrivals_fire(struct vgpu_event *event)
{
	struct vgpu_arrivals *arrivals = vgpu_container_of(event, struct vgpu_arrivals, event);
	u64 now = arrivals->sim->now;
	struct vgpu_arrival *arrival;

	while ((arrival = first_arrival(arrivals)) && arrival->time <= now)
		end_arrival(arrivals, arrival, true);
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
	vgpu_list_init(&arrivals->pages);
	return 0;
}

void vgpu_arrivals_fini(struct vgpu_arrivals *arrivals)
{
	if (!arrivals->sim)
		return;
	VGPU_CHECK(vgpu_list_empty(&arrivals->pages));
	vgpu_event_release(arrivals->sim, 1);
	arrivals->sim = NULL;
}

int vgpu_arrival_begin(struct vgpu_arrivals *arrivals, struct vgpu_address_space *as,
		       struct vgpu_mem_account *memory, u64 page)
{
	struct vgpu_arrival **bucket = bucket_of(arrivals, page);
	struct vgpu_arrival *arrival = vgpu_mem_alloc(memory, sizeof(*arrival));

	if (!arrival)
		return -ENOMEM;
	arrival->as = as;
	arrival->memory = memory;
	arrival->page = page;
	arrival->time = vgpu_time_after(arrivals->sim, arrivals->delay_ps);
	arrival->bucket_next = *bucket;
	*bucket = arrival;
	vgpu_list_init(&arrival->waiters);
	vgpu_list_add_tail(&arrival->node, &arrivals->pages);
	if (first_arrival(arrivals) == arrival)
		schedule_first(arrivals);
	return 0;
}

void vgpu_arrival_wait(struct vgpu_arrivals *arrivals, const struct vgpu_address_space *as,
		       u64 page, struct vgpu_page_waiter *waiter)
{
	struct vgpu_arrival *arrival = *bucket_of(arrivals, page);

	if (!VGPU_CHECK(!vgpu_list_linked(&waiter->node)))
		return;
	while (arrival->page != page || arrival->as != as)
		arrival = arrival->bucket_next;
	vgpu_list_add(&waiter->node, &arrival->waiters);
}

void vgpu_arrivals_cancel(struct vgpu_arrivals *arrivals, const struct vgpu_address_space *as,
			  u64 first, u64 count)
{
	struct vgpu_arrival *arrival, *next;
	struct vgpu_list cancelled;

	vgpu_list_init(&cancelled);
	vgpu_list_for_each_safe(arrival, next, &arrivals->pages, struct vgpu_arrival, node) {
		if (arrival->as != as || arrival->page - first >= count)
			continue;
		vgpu_list_del(&arrival->node);
		vgpu_list_add_tail(&arrival->node, &cancelled);
	}
	if (vgpu_list_empty(&cancelled))
		return;
	schedule_first(arrivals);
	while ((arrival = vgpu_list_first(&cancelled, struct vgpu_arrival, node)))
		end_arrival(arrivals, arrival, false);
}
