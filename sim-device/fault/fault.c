// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Faults in flight; see fault.h.
 */
#include "fault.h"

static struct vgpu_page_fault *first_of(const struct vgpu_list *list)
{
	return vgpu_list_first(list, struct vgpu_page_fault, node);
}

struct vgpu_page_fault *vgpu_fault_at(const struct vgpu_fault_space *space, u64 page)
{
	const struct vgpu_range *range = vgpu_ranges_at(&space->pages, page);

	return range ? (struct vgpu_page_fault *)(unsigned long)range->value : NULL;
}

const struct vgpu_fault_traits vgpu_fault_traits[VGPU_PAGE_FAULT_KINDS] = {
	[VGPU_PAGE_FAULT_ALLOCATE] = {},
	[VGPU_PAGE_FAULT_TO_DEVICE] = { .moves = true },
	[VGPU_PAGE_FAULT_TO_HOST] = { .moves = true, .by_process = true },
	[VGPU_PAGE_FAULT_PROCESS] = { .asks = true, .host = true },
	[VGPU_PAGE_FAULT_CLAIM] = { .host = true },
};

static const struct vgpu_fault_traits *traits_of(const struct vgpu_page_fault *fault)
{
	return &vgpu_fault_traits[fault->request.kind];
}

/* Of an SM, and not of a process or a prefetch. */
static bool is_of_sm(const struct vgpu_page_fault *fault)
{
	return !fault->request.prefetch && !traits_of(fault)->by_process;
}

/* A prefetch of memory of a process */
static bool is_prefetch_of_process(const struct vgpu_page_fault *fault)
{
	return fault->request.prefetch && traits_of(fault)->asks;
}

static void emit(const struct vgpu_page_fault *fault, enum vgpu_trace_type type, u32 queue, u64 seq,
		 u64 b)
{
	bool of_sm = is_of_sm(fault);

	vgpu_trace_emit(fault->faults->trace,
			&(struct vgpu_trace_record){
				.type = (u16)type,
				.sm = of_sm ? (u16)fault->request.sm : VGPU_NO_SM,
				.context = fault->space->context,
				.queue = queue,
				.kernel = of_sm ? fault->request.kernel : 0,
				.seq = seq,
				.a = fault->request.first << VGPU_PAGE_SHIFT,
				.b = b,
			});
}

static void trace_fault(const struct vgpu_page_fault *fault, enum vgpu_trace_type type, u64 seq,
			u64 b)
{
	const struct vgpu_faults *faults = fault->faults;

	if (unlikely(faults->trace->on) && is_of_sm(fault))
		emit(fault, type, faults->in_flight, seq, b);
}

static u32 direction_of(const struct vgpu_page_fault *fault)
{
	return traits_of(fault)->by_process ? VGPU_DIRECTION_TO_HOST : VGPU_DIRECTION_TO_DEVICE;
}

/* It was raised, but by no SM. */
static void trace_host(const struct vgpu_page_fault *fault)
{
	const struct vgpu_fault_request *request = &fault->request;

	/* the command that prefetches memory of a process is all there is to see: nothing moves */
	if (unlikely(fault->faults->trace->on) && !traits_of(fault)->asks)
		emit(fault, request->prefetch ? VGPU_TRACE_PREFETCH : VGPU_TRACE_HOST_FAULT,
		     request->prefetch ? direction_of(fault) : 0, request->mapping, request->pages);
}

static void trace_migration(const struct vgpu_page_fault *fault, enum vgpu_trace_type type, u64 seq)
{
	if (unlikely(fault->faults->trace->on))
		emit(fault, type, direction_of(fault), seq,
		     fault->request.pages << 32 | fault->request.data);
}

static void trace_start(const struct vgpu_page_fault *fault)
{
	enum vgpu_link_path path = traits_of(fault)->by_process ? VGPU_LINK_TO_HOST :
								  VGPU_LINK_TO_DEVICE;

	if (fault->room)
		trace_migration(fault, VGPU_TRACE_MIGRATE_START,
				fault->request.data ? fault->faults->link.began[path] :
						      fault->crossed);
}

static void trace_end(const struct vgpu_page_fault *fault, bool served)
{
	const struct vgpu_fault_request *request = &fault->request;

	if (traits_of(fault)->moves)
		trace_migration(fault,
				served && fault->room ? VGPU_TRACE_MIGRATE_END :
							VGPU_TRACE_MIGRATE_CANCELLED,
				fault->room ? fault->crossed : 0);
	trace_fault(fault,
		    served ? VGPU_TRACE_PAGE_FAULT_SERVED : VGPU_TRACE_PAGE_FAULT_CANCELLED,
		    fault->raised, request->pages);
	if (unlikely(fault->faults->trace->on) && !is_of_sm(fault) && !request->prefetch)
		emit(fault,
		     served ? VGPU_TRACE_HOST_FAULT_SERVED : VGPU_TRACE_HOST_FAULT_CANCELLED, 0,
		     fault->raised, request->pages);
}

/* ---- the life of a fault ------------------------------------------------ */

/* It has been handled; the event that follows is its end. */
static void move_pages(struct vgpu_page_fault *fault)
{
	struct vgpu_faults *faults = fault->faults;
	u64 now = faults->sim->now, moved = now;
	u64 takes = vgpu_fault_data_time(faults, fault);

	fault->moving = true;
	fault->room = faults->ops->move(fault, &moved);
	fault->crossed = moved;
	trace_start(fault);
	takes = moved - now > takes ? moved - now : takes;
	takes += vgpu_fault_notice(faults, fault, now + takes);
	vgpu_event_after(faults->sim, &fault->event, takes);
}

/*
 * Is its end not known before it has been handled? Its pages move, the host is to find them, or the
 * way back may have to wait for the interconnect.
 */
static bool ends_later(const struct vgpu_page_fault *fault)
{
	return traits_of(fault)->moves || traits_of(fault)->asks ||
	       fault->faults->config->fault_occupies_link;
}

static void handled(struct vgpu_page_fault *fault)
{
	struct vgpu_faults *faults = fault->faults;

	if (traits_of(fault)->moves) {
		move_pages(fault);
	} else if (traits_of(fault)->asks) {
		vgpu_fault_process_handled(fault);
	} else {
		fault->moving = true;
		vgpu_event_after(faults->sim, &fault->event,
				 vgpu_fault_notice(faults, fault, faults->sim->now));
	}
}

static void enter(struct vgpu_page_fault *fault)
{
	struct vgpu_faults *faults = fault->faults;
	u64 left = vgpu_fault_handled(faults, fault) - faults->sim->now;

	/* the rest of the others is not known yet */
	if (!ends_later(fault))
		left += vgpu_fault_notice(faults, fault, faults->sim->now + left);
	vgpu_event_after(faults->sim, &fault->event, left);
	if (traits_of(fault)->asks)
		faults->ops->process_wants(fault);
}

/* Delayed faults enter as long as there is room. */
static void fill_buffer(struct vgpu_faults *faults)
{
	struct vgpu_page_fault *fault;

	while (faults->entered < faults->config->fault_buffer &&
	       (fault = first_of(&faults->delayed))) {
		vgpu_list_del(&fault->node);
		fault->entered = true;
		faults->entered++;
		enter(fault);
		if (fault->delayed)
			trace_fault(fault, VGPU_TRACE_PAGE_FAULT_ENTER, fault->raised,
				    fault->request.pages);
	}
}

static void leave(struct vgpu_page_fault *fault, bool served)
{
	struct vgpu_faults *faults = fault->faults;

	vgpu_event_cancel(faults->sim, &fault->event);
	vgpu_list_del(&fault->node);
	vgpu_list_del(&fault->space_node);
	faults->entered -= fault->entered;
	faults->in_flight -= is_of_sm(fault);
	fault->space->prefetches -= is_prefetch_of_process(fault);
	trace_end(fault, served);
	VGPU_CHECK(!vgpu_ranges_remove(&fault->space->pages, fault->request.first,
				       fault->request.first + fault->request.pages - 1));
}

/* It has left. Its pages are waited for no more: wake who waits, the newest first. */
static void end_fault(struct vgpu_page_fault *fault, bool served)
{
	struct vgpu_faults *faults = fault->faults;
	struct vgpu_page_waiter *waiter;

	faults->ops->ended(fault, served);
	while ((waiter = vgpu_list_first(&fault->waiters, struct vgpu_page_waiter, node))) {
		vgpu_page_waiter_cancel(waiter);
		waiter->first = fault->request.first;
		/* who uses what could not be prefetched asks for it */
		waiter->refused = fault->request.prefetch ? 0 : fault->refused;
		waiter->no_memory = fault->request.prefetch ? 0 : fault->no_memory;
		waiter->wake(waiter);
	}
	vgpu_event_release(faults->sim, 1);
	vgpu_mem_free(fault->space->pages.memory, fault, sizeof(*fault));
}

static void fault_fire(struct vgpu_event *event)
{
	struct vgpu_page_fault *fault =
		vgpu_container_of(event, struct vgpu_page_fault, event);
	struct vgpu_faults *faults = fault->faults;

	if (ends_later(fault) && !fault->moving) {
		handled(fault);
		return;
	}
	leave(fault, true);
	if (is_of_sm(fault)) {
		fault->space->time += faults->sim->now - fault->raised;
		vgpu_count(vgpu_fault_counters(fault), VGPU_COUNT_PAGE_FAULT_TIME,
			   faults->sim->now - fault->raised);
	}
	end_fault(fault, true);
	fill_buffer(faults);
}

/* ---- what the MMU calls ------------------------------------------------- */

/* A struct with room for its event and its range; NULL: no memory. */
static struct vgpu_page_fault *make_fault(struct vgpu_faults *faults,
					  struct vgpu_fault_space *space,
					  const struct vgpu_fault_request *request)
{
	struct vgpu_mem_account *memory = space->pages.memory;
	struct vgpu_page_fault *fault = vgpu_mem_alloc(memory, sizeof(*fault));
	struct vgpu_range range = { request->first, request->first + request->pages - 1,
				    (u64)(unsigned long)fault };

	if (!fault)
		return NULL;
	if (vgpu_event_reserve(faults->sim, 1))
		goto free;
	if (!vgpu_ranges_add(&space->pages, &range))
		return fault;
	vgpu_event_release(faults->sim, 1);
free:
	vgpu_mem_free(memory, fault, sizeof(*fault));
	return NULL;
}

int vgpu_fault_raise(struct vgpu_faults *faults, struct vgpu_fault_space *space,
		     const struct vgpu_fault_request *request)
{
	struct vgpu_page_fault *fault = make_fault(faults, space, request);

	if (!fault)
		return -ENOMEM;
	fault->faults = faults;
	fault->space = space;
	fault->request = *request;
	fault->number = faults->raised++;
	fault->raised = faults->sim->now;
	fault->event.fire = fault_fire;
	vgpu_list_init(&fault->waiters);
	vgpu_list_add_tail(&fault->space_node, &space->faults);
	if (!is_of_sm(fault)) {
		space->raised_by_host += !request->prefetch;
		space->prefetches += is_prefetch_of_process(fault);
		trace_host(fault);
		enter(fault);
		return 0;
	}
	vgpu_list_add_tail(&fault->node, &faults->delayed);
	faults->in_flight++;
	fill_buffer(faults);
	fault->delayed = !fault->entered;
	trace_fault(fault, VGPU_TRACE_PAGE_FAULT, request->mapping,
		    (u64)fault->delayed << 32 | request->pages);
	space->raised++;
	space->delayed += fault->delayed;
	vgpu_count(vgpu_fault_counters(fault), VGPU_COUNT_PAGE_FAULTS, 1);
	vgpu_count(vgpu_fault_counters(fault), VGPU_COUNT_PAGE_FAULTS_DELAYED, fault->delayed);
	return 0;
}

void vgpu_fault_wait(struct vgpu_fault_space *space, u64 page, struct vgpu_page_waiter *waiter)
{
	struct vgpu_page_fault *fault = vgpu_fault_at(space, page);

	if (!VGPU_CHECK(fault))
		return;
	if (vgpu_list_linked(&waiter->node)) {
		if (waiter->fault->number >= fault->number)
			return;
		vgpu_list_del(&waiter->node);
	}
	waiter->fault = fault;
	vgpu_list_add(&waiter->node, &fault->waiters);
}

u64 vgpu_fault_left(const struct vgpu_page_waiter *waiter)
{
	const struct vgpu_page_fault *fault = waiter->fault;

	if (!vgpu_list_linked(&waiter->node))
		return 0;
	if (!vgpu_event_pending(&fault->event) ||
	    (ends_later(fault) && !fault->moving))
		return VGPU_NEVER;
	return vgpu_event_time(&fault->event) - fault->faults->sim->now;
}

u64 vgpu_faults_cancel(struct vgpu_faults *faults, struct vgpu_fault_space *space, u64 first,
		       u64 count, u64 most)
{
	struct vgpu_page_fault *fault, *next;
	struct vgpu_list cancelled;
	u64 number = 0, last = first + count - 1;

	vgpu_list_init(&cancelled);
	vgpu_list_for_each_safe(fault, next, &space->faults, struct vgpu_page_fault, space_node) {
		if (number == most)
			break;
		if (fault->request.first > last ||
		    fault->request.first + fault->request.pages <= first)
			continue;
		leave(fault, false);
		vgpu_list_add_tail(&fault->node, &cancelled);
		number++;
	}
	while ((fault = first_of(&cancelled))) {
		vgpu_list_del(&fault->node);
		end_fault(fault, false);
	}
	fill_buffer(faults);
	return number;
}

/* ---- init and fini ------------------------------------------------------ */

void vgpu_faults_init(struct vgpu_faults *faults, struct vgpu_sim *sim,
		      const struct vgpu_trace *trace, const struct vgpu_config *config,
		      const struct vgpu_fault_ops *ops)
{
	faults->sim = sim;
	faults->trace = trace;
	faults->config = config;
	faults->ops = ops;
	faults->handler = config->page_arrival_ps ? &vgpu_fault_handler_test :
						    vgpu_fault_handler_find(config->fault_handler);
	faults->link.config = config;
	vgpu_list_init(&faults->delayed);
}

void vgpu_faults_fini(struct vgpu_faults *faults)
{
	if (faults->sim)
		VGPU_CHECK(!faults->entered && vgpu_list_empty(&faults->delayed));
}

void vgpu_fault_space_init(struct vgpu_fault_space *space, u32 context,
			   struct vgpu_mem_account *memory)
{
	space->context = context;
	space->pages.memory = memory;
	vgpu_list_init(&space->faults);
}

void vgpu_fault_space_fini(struct vgpu_fault_space *space)
{
	VGPU_CHECK(vgpu_list_empty(&space->faults));
	vgpu_ranges_free(&space->pages);
}
