// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trace events: the device's records, handed on. The model makes records only while somebody
 * listens, to an event or to the ring of debugfs, so that with all of them off a record costs one
 * test of a flag.
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

bool kvgpu_events_on(void)
{
	return atomic_read(&listeners) > 0;
}

/* Actor. */
void kvgpu_record(void *host, const struct vgpu_trace_record *record)
{
	struct kvgpu_dev *kdev = host;

	if (kdev->trace->on)
		kvgpu_trace_record(kdev, record);
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
#undef EVENT
	}
}
