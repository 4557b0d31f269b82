/* SPDX-License-Identifier: MIT */
/*
 * Events of several processes, by handles of 64 bytes that are handed on in whatever way: for
 * cudaIpcGetEventHandle() and cudaIpcOpenEventHandle(), and their namesakes of the driver API.
 *
 * Such an event is a page that its processes share (event_page.h). A record is a function in the
 * stream (host_call.h) that says there that the stream has come so far; it is called as well when
 * the context has died, so that a record of a dead context is over. A stream that waits for a
 * record of another process has a function, too, which sleeps until that is over. What this process
 * itself recorded last is waited for as with any event, by the device.
 *
 * The device knows nothing of all this: the events work with every transport, also between devices.
 * A program that waits for a record of another process, or polls it, does so by a function in a
 * queue that no stream has, of which it waits for the command. So it waits for its device, which a
 * lockstep clock has to know: time would stand for as long as the program runs.
 */
#ifndef VGPU_RT_IPC_EVENT_H
#define VGPU_RT_IPC_EVENT_H

#include "event_page.h"
#include "state.h"

#define RT_IPC_EVENT	0x7476652d75706776ull	/* "vgpu-evt" */

/** struct rt_ipc_event - a cudaIpcEventHandle_t, and a CUipcEventHandle */
struct rt_ipc_event {
	uint64_t magic;			/* RT_IPC_EVENT */
	struct rt_event_name name;
	uint32_t reserved[8];		/* 0 */
};

/*
 * event.c; they take rt_lock themselves. vgpuErrorInvalidResourceHandle: no event that was created
 * with vgpuEventInterprocess.
 */
vgpuError_t rt_ipc_event_export(vgpuEvent_t event, struct rt_ipc_event *handle);
/*
 * An event of the current context that is the same, without timing. vgpuErrorInvalidResourceHandle:
 * it is no handle, or of what was destroyed, or is another user's; vgpuErrorDeviceUninitialized: of
 * this process; vgpuErrorMemoryAllocation: there is no descriptor left, or too many processes have
 * it.
 */
vgpuError_t rt_ipc_event_open(const struct rt_ipc_event *handle, vgpuEvent_t *event);

/* The rest is event.c's, with rt_lock held. Give @event a page: a new one, or that of @name. */
vgpuError_t rt_ipc_event_create(struct vgpuEvent *event);
vgpuError_t rt_ipc_event_attach(struct vgpuEvent *event, const struct rt_event_name *name);
/* Gives it back, if it has one. */
void rt_ipc_event_detach(struct vgpuEvent *event);
vgpuError_t rt_ipc_event_record(struct vgpuEvent *event, struct vgpuStream *stream);
/* Was it recorded last by somebody else, or by another event of this process? */
bool rt_ipc_event_is_elsewhere(const struct vgpuEvent *event);
/* For such a record: what comes next in @stream waits for it. */
vgpuError_t rt_ipc_event_hold(struct vgpuEvent *event, struct vgpuStream *stream);
/* rt_lock is given up meanwhile. */
vgpuError_t rt_ipc_event_wait(struct vgpuEvent *event);
/* vgpuErrorNotReady: it is not over. */
vgpuError_t rt_ipc_event_poll(struct vgpuEvent *event);

#endif
