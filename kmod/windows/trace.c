// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device's records, handed on: as trace events, and to the ring that debugfs.c lets processes
 * read. The model makes records only while somebody listens to one of them, so that with all of
 * them off a record costs one test of a flag.
 */
#include "kmod/windows/windows.h"

#define CREATE_TRACE_POINTS
#include "tracepoints.h"

/* Events that are switched on. */
static atomic_t listeners;

int kvgpu_listener_add(void)
{
	atomic_inc(&listeners);
	return 0;
}

void kvgpu_listener_remove(void)
{
	atomic_dec(&listeners);
}

void kvgpu_trace_look(struct kvgpu_dev *kdev)
{
	bool records = kdev->trace->on || atomic_read(&listeners) > 0;

	if (likely(records == kdev->trace->records))
		return;
	kdev->trace->records = records;
	vgpu_device_trace(kdev->model, records);
}

/* Actor. A full ring keeps what it has: the beginning of a run explains more than its end. */
static void ring_put(struct kvgpu_dev *kdev, const struct vgpu_trace_record *record)
{
	struct kvgpu_trace *trace = kdev->trace;

	if (!kfifo_put(&trace->fifo, *record))
		trace->lost++;
}

/* Actor. */
void kvgpu_record(void *host, const struct vgpu_trace_record *record)
{
	struct kvgpu_dev *kdev = host;

	if (kdev->trace->on)
		ring_put(kdev, record);
	switch (record->type) {
#define EVENT(type, name)					\
	case VGPU_TRACE_##type:					\
		trace_##name(kdev->index, record);		\
		break
	EVENT(CONTEXT_OPEN, context_open);
	EVENT(CONTEXT_CLOSE, context_close);
	EVENT(FAULT, fault);
	EVENT(PUSH, queue_push);
	EVENT(DISPATCH, dispatch);
	EVENT(COMPLETE, complete);
	EVENT(COPY_START, copy_start);
	EVENT(COPY_END, copy_end);
	EVENT(KERNEL_START, kernel_start);
	EVENT(KERNEL_END, kernel_end);
	EVENT(BLOCK_START, block_issue);
	EVENT(BLOCK_RESUME, block_issue);
	EVENT(BLOCK_END, block_end);
	EVENT(BLOCK_PREEMPT, block_end);
	EVENT(DECISION, policy_decision);
	EVENT(SM_SETUP, sm_setup);
	EVENT(PREEMPT_START, preempt_request);
	EVENT(PREEMPT_END, preempt_done);
	EVENT(SAVE_START, save_start);
	EVENT(SAVE_END, save_end);
	EVENT(RESTORE_START, restore_start);
	EVENT(RESTORE_END, restore_end);
	EVENT(PAGE_FAULT, page_fault);
	EVENT(PAGE_FAULT_ENTER, page_fault_enter);
	EVENT(PAGE_FAULT_SERVED, page_fault_served);
	EVENT(PAGE_FAULT_CANCELLED, page_fault_cancelled);
	EVENT(SM_WARPS, sm_warps);
	EVENT(HOST_FAULT, host_fault);
	EVENT(HOST_FAULT_SERVED, host_fault_served);
	EVENT(HOST_FAULT_CANCELLED, host_fault_cancelled);
	EVENT(PREFETCH, prefetch);
	EVENT(MIGRATE_START, migrate_start);
	EVENT(MIGRATE_END, migrate_end);
	EVENT(MIGRATE_CANCELLED, migrate_cancelled);
	EVENT(EVICT, evict);
	EVENT(WRITE_BACK, write_back);
	EVENT(BLOCK_FLUSH, block_flush);
	EVENT(LEAVE_CHOSEN, leave_chosen);
	EVENT(LEAVE_END, leave_end);
	EVENT(THROTTLE, throttle);
	EVENT(CLASSIFIED, classified);
	EVENT(PAGE_OVERFLOW, page_overflow);
	EVENT(SHARING, sharing);
#undef EVENT
	}
}
