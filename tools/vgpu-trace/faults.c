// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: page faults, from raised to served, and how many warps of each SM wait for them.
 */
#include <stdlib.h>

#include "trace.h"

static struct page_fault *add_fault(struct trace *trace, const struct vgpu_trace_record *rec,
				    uint32_t process)
{
	size_t room = trace->fault_room;

	if (trace->fault_count == room) {
		struct page_fault *more;

		room = room ? 2 * room : 64;
		more = realloc(trace->faults, room * sizeof(*more));
		if (!more)
			return NULL;
		trace->faults = more;
		trace->fault_room = room;
	}
	trace->faults[trace->fault_count] = (struct page_fault){
		.context = process,
		.kernel = rec->kernel,
		.sm = rec->sm,
		.address = rec->a,
		.pages = (uint32_t)rec->b,
	};
	return &trace->faults[trace->fault_count++];
}

/* The fault in flight of @process at @address. They end in nearly the order of the array. */
static struct page_fault *open_fault(struct trace *trace, uint32_t process, uint64_t address)
{
	while (trace->fault_first < trace->fault_count &&
	       trace->faults[trace->fault_first].outcome != FAULT_OPEN)
		trace->fault_first++;
	for (size_t i = trace->fault_first; i < trace->fault_count; i++) {
		struct page_fault *fault = &trace->faults[i];

		if (fault->outcome == FAULT_OPEN && fault->context == process &&
		    fault->address == address)
			return fault;
	}
	return NULL;
}

static int add_level(struct trace *trace, const struct level *level)
{
	size_t room = trace->level_room;

	if (trace->level_count == room) {
		struct level *more;

		room = room ? 2 * room : 64;
		more = realloc(trace->levels, room * sizeof(*more));
		if (!more)
			return -1;
		trace->levels = more;
		trace->level_room = room;
	}
	trace->levels[trace->level_count++] = *level;
	return 0;
}

static int end_fault(struct trace *trace, const struct vgpu_trace_record *rec, uint32_t process)
{
	struct page_fault *fault = open_fault(trace, process, rec->a);

	/* it was raised before the trace began: all but its mapping is in the record */
	if (!fault) {
		fault = add_fault(trace, rec, process);
		if (!fault)
			return -1;
		fault->mapping = rec->a;
		fault->start = rec->seq;
	}
	fault->end = rec->time;
	fault->outcome = rec->type == VGPU_TRACE_PAGE_FAULT_SERVED ? FAULT_SERVED :
								     FAULT_CANCELLED;
	return 0;
}

int trace_fault(struct trace *trace, const struct vgpu_trace_record *rec, uint32_t process)
{
	struct page_fault *fault;

	switch (rec->type) {
	case VGPU_TRACE_PAGE_FAULT:
		fault = add_fault(trace, rec, process);
		if (!fault)
			return -1;
		fault->mapping = rec->seq;
		fault->start = rec->time;
		fault->delayed = rec->b >> 32;
		break;
	case VGPU_TRACE_PAGE_FAULT_SERVED:
	case VGPU_TRACE_PAGE_FAULT_CANCELLED:
		if (end_fault(trace, rec, process))
			return -1;
		break;
	case VGPU_TRACE_SM_WARPS:
		return add_level(trace, &(struct level){ .time = rec->time,
							 .sm = rec->sm,
							 .value = (uint32_t)rec->a,
							 .waiting = (uint32_t)rec->b });
	default:
		return 0;
	}
	if (rec->queue > trace->faults_most)
		trace->faults_most = rec->queue;
	return add_level(trace, &(struct level){ .time = rec->time,
						 .sm = FAULTS,
						 .value = rec->queue });
}
