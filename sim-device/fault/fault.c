// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Faults in flight; see fault.h.
 */
#include "fault.h"

static struct vgpu_page_fault *first_of(const struct vgpu_list *list)
{
	return vgpu_list_first(list, struct vgpu_page_fault, node);
}

static struct vgpu_page_fault *fault_at(const struct vgpu_fault_space *space, u64 page)
{
	const struct vgpu_range *range = vgpu_ranges_at(&space->pages, page);

	return range ? (struct vgpu_page_fault *)(unsigned long)range->value : NULL;
}

/* ---- the buffer --------------------------------------------------------- */

static void enter(struct vgpu_faults *faults, struct vgpu_page_fault *fault)
{
	fault->time = faults->handler->served(faults);
	/* those before it may be another handler's, which was slower */
	if (fault->time < faults->last)
		fault->time = faults->last;
	faults->last = fault->time;
	fault->entered = true;
	vgpu_list_add_tail(&fault->node, &faults->buffer);
	faults->entered++;
}

/* Delayed faults enter as long as there is room; the event is that of the first fault. */
static void update(struct vgpu_faults *faults)
{
	struct vgpu_page_fault *fault;

	while (faults->entered < faults->config->fault_buffer &&
	       (fault = first_of(&faults->delayed))) {
		vgpu_list_del(&fault->node);
		enter(faults, fault);
	}
	fault = first_of(&faults->buffer);
	if (fault)
		vgpu_event_at(faults->sim, &faults->event, fault->time);
	else
		vgpu_event_cancel(faults->sim, &faults->event);
}

static void leave(struct vgpu_faults *faults, struct vgpu_page_fault *fault)
{
	vgpu_list_del(&fault->node);
	vgpu_list_del(&fault->space_node);
	faults->entered -= fault->entered;
	VGPU_CHECK(!vgpu_ranges_remove(&fault->space->pages, fault->first,
				       fault->first + fault->pages - 1));
}

/* It has left. Its pages are waited for no more: wake who waits, the newest first. */
static void end_fault(struct vgpu_faults *faults, struct vgpu_page_fault *fault, bool served)
{
	struct vgpu_page_waiter *waiter;

	faults->ops->ended(fault, served);
	while ((waiter = vgpu_list_first(&fault->waiters, struct vgpu_page_waiter, node))) {
		vgpu_page_waiter_cancel(waiter);
		waiter->wake(waiter);
	}
	vgpu_mem_free(fault->space->pages.memory, fault, sizeof(*fault));
}

static void faults_fire(struct vgpu_event *event)
{
	struct vgpu_faults *faults = vgpu_container_of(event, struct vgpu_faults, event);
	u64 now = faults->sim->now;
	struct vgpu_page_fault *fault;

	while ((fault = first_of(&faults->buffer)) && fault->time <= now) {
		leave(faults, fault);
		fault->space->time += now - fault->raised;
		end_fault(faults, fault, true);
	}
	update(faults);
}

/* ---- what the MMU calls ------------------------------------------------- */

int vgpu_fault_raise(struct vgpu_faults *faults, struct vgpu_fault_space *space, u64 first,
		     u64 pages)
{
	struct vgpu_page_fault *fault = vgpu_mem_alloc(space->pages.memory, sizeof(*fault));
	struct vgpu_range range = { first, first + pages - 1, (u64)(unsigned long)fault };

	if (!fault)
		return -ENOMEM;
	if (vgpu_ranges_add(&space->pages, &range)) {
		vgpu_mem_free(space->pages.memory, fault, sizeof(*fault));
		return -ENOMEM;
	}
	fault->space = space;
	fault->first = first;
	fault->pages = pages;
	fault->raised = faults->sim->now;
	vgpu_list_init(&fault->waiters);
	vgpu_list_add_tail(&fault->space_node, &space->faults);
	vgpu_list_add_tail(&fault->node, &faults->delayed);
	update(faults);
	space->raised++;
	space->delayed += !fault->entered;
	return 0;
}

void vgpu_fault_wait(struct vgpu_fault_space *space, u64 page, struct vgpu_page_waiter *waiter)
{
	struct vgpu_page_fault *fault = fault_at(space, page);

	if (VGPU_CHECK(fault && !vgpu_list_linked(&waiter->node)))
		vgpu_list_add(&waiter->node, &fault->waiters);
}

u64 vgpu_faults_cancel(struct vgpu_faults *faults, struct vgpu_fault_space *space, u64 first,
		       u64 count, u64 most)
{
	struct vgpu_page_fault *fault, *next;
	struct vgpu_list cancelled;
	u64 number = 0;

	vgpu_list_init(&cancelled);
	vgpu_list_for_each_safe(fault, next, &space->faults, struct vgpu_page_fault, space_node) {
		if (number == most)
			break;
		if (fault->first - first >= count && first - fault->first >= fault->pages)
			continue;
		leave(faults, fault);
		vgpu_list_add_tail(&fault->node, &cancelled);
		number++;
	}
	if (!number)
		return 0;
	update(faults);
	while ((fault = first_of(&cancelled))) {
		vgpu_list_del(&fault->node);
		end_fault(faults, fault, false);
	}
	return number;
}

/* ---- init and fini ------------------------------------------------------ */

int vgpu_faults_init(struct vgpu_faults *faults, struct vgpu_sim *sim,
		     const struct vgpu_config *config, const struct vgpu_fault_ops *ops)
{
	int err = vgpu_event_reserve(sim, 1);

	if (err)
		return err;
	faults->sim = sim;
	faults->config = config;
	faults->ops = ops;
	faults->handler = config->page_arrival_ps ? &vgpu_fault_handler_test :
						    vgpu_fault_handler_find(config->fault_handler);
	faults->event.fire = faults_fire;
	vgpu_list_init(&faults->buffer);
	vgpu_list_init(&faults->delayed);
	return 0;
}

void vgpu_faults_fini(struct vgpu_faults *faults)
{
	if (!faults->sim)
		return;
	VGPU_CHECK(vgpu_list_empty(&faults->buffer) && vgpu_list_empty(&faults->delayed));
	vgpu_event_release(faults->sim, 1);
	faults->sim = NULL;
}

void vgpu_fault_space_init(struct vgpu_fault_space *space, struct vgpu_mem_account *memory)
{
	space->pages.memory = memory;
	vgpu_list_init(&space->faults);
}

void vgpu_fault_space_fini(struct vgpu_fault_space *space)
{
	VGPU_CHECK(vgpu_list_empty(&space->faults));
	vgpu_ranges_free(&space->pages);
}
