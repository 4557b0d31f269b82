/* SPDX-License-Identifier: MIT */
/*
 * Capture: what is put into a stream becomes nodes of a graph and is not executed.
 *
 * A stream that is captured has a struct rt_capture and the nodes that its next one comes after. A
 * stream that waits for an event recorded there joins the capture, and leaves it when the capture
 * ends, which wants that the first stream has come behind all that the others did.
 *
 * What CUDA does not allow meanwhile invalidates the capture: everything but its end is
 * vgpuErrorStreamCaptureInvalidated from then on, and it ends without a graph. Calls that would
 * wait for what is captured are such ones; so are those that may, such as allocations, unless the
 * mode of the capture or of the thread says that the program knows better.
 *
 * With rt_lock held. capture.c is below the files that put work into streams, and is called by
 * them; capture_calls.c begins and ends captures.
 */
#ifndef VGPU_RT_CAPTURE_H
#define VGPU_RT_CAPTURE_H

#include "graph.h"

/* CUDA's numbers, cudaStreamCaptureMode and CUstreamCaptureMode. */
enum rt_capture_mode { RT_CAPTURE_GLOBAL, RT_CAPTURE_THREAD, RT_CAPTURE_RELAXED };

struct rt_capture {
	struct rt_capture *next;
	struct rt_graph *graph;
	bool graph_is_own;		/* else the program's, to which the capture adds */
	bool invalid;
	enum rt_capture_mode mode;
	uint64_t thread;		/* that began it */
	uint64_t id;			/* never used again */
	struct rt_state *context;
	struct vgpuStream *origin;
	struct rt_nodes left;		/* the last nodes of streams that were destroyed */
};

/* Captures that have not ended, in the process. */
extern unsigned int rt_captures;

/* ---- capture.c: for those who put work into streams ----------------------- */

/* The stream's next command becomes a node. */
vgpuError_t rt_capture_add(struct vgpuStream *stream, const struct rt_params *params);
/*
 * The stream is captured, and this cannot be: vgpuErrorStreamCaptureUnsupported, and the capture is
 * invalid.
 */
vgpuError_t rt_capture_refuse(struct vgpuStream *stream);
/* Work for the legacy default stream, which would depend on captured blocking streams. */
vgpuError_t rt_capture_legacy(void);
/* A call that may wait for what is captured; vgpuSuccess: it may go on. */
vgpuError_t rt_capture_unsafe(void);
/* A call that waits for all of the current context. */
vgpuError_t rt_capture_wide(void);
/* @stream is captured. @external: a node that records it. */
vgpuError_t rt_capture_record(struct vgpuStream *stream, struct vgpuEvent *event, bool external);
/* @stream is captured, or @event is. */
vgpuError_t rt_capture_wait(struct vgpuStream *stream, struct vgpuEvent *event, bool external);
/* A captured event is asked for what only the device could say. */
vgpuError_t rt_capture_event(const struct vgpuEvent *event);
/* The stream goes: what it did has to be joined as before, and the first one ends the capture. */
void rt_capture_leave(struct vgpuStream *stream);
/* All of the current context's go with it. */
void rt_captures_forget(void);
void rt_capture_end(struct rt_capture *capture);
uint64_t rt_capture_thread(void);
enum rt_capture_mode rt_capture_exchange(enum rt_capture_mode mode);
struct rt_capture *rt_capture_new(void);

static inline vgpuError_t rt_capture_guard(void)
{
	return rt_captures ? rt_capture_unsafe() : vgpuSuccess;
}

/* ---- capture_calls.c -------------------------------------------------------- */

/** struct rt_capture_info - CUDA's */
struct rt_capture_info {
	int status;			/* 0: none, 1: active, 2: invalidated */
	uint64_t id;
	struct rt_graph *graph;
	struct rt_node *const *nodes;	/* that the stream's next one comes after */
	size_t count;
};

/* @graph: NULL: a new one; else what is captured is added to it, behind @after. */
vgpuError_t rt_capture_begin(vgpuStream_t handle, int mode, struct rt_graph *graph,
			     struct rt_node *const *after, size_t count);
vgpuError_t rt_capture_finish(vgpuStream_t handle, struct rt_graph **out);
vgpuError_t rt_capture_info(vgpuStream_t handle, struct rt_capture_info *info);
/* @set: the nodes become those that the stream's next one comes after; else they join them. */
vgpuError_t rt_capture_update(vgpuStream_t handle, struct rt_node *const *nodes, size_t count,
			      bool set);
/* A call with nothing to do that CUDA does not capture; takes rt_lock itself. */
vgpuError_t rt_capture_never(vgpuStream_t handle);
/* Of the calling thread; @mode becomes what it was before. */
vgpuError_t rt_capture_mode(int *mode);

#endif
