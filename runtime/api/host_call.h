/* SPDX-License-Identifier: MIT */
/*
 * Functions of the program in streams (cudaLaunchHostFunc, cudaStreamAddCallback). A HOST command
 * stands for each in its queue, and holds up what comes behind it until the function has returned.
 * A thread for each queue calls them, as long as there are any: one that waits for another stream,
 * or for the program, keeps nobody else from going on.
 */
#ifndef VGPU_RT_HOST_CALL_H
#define VGPU_RT_HOST_CALL_H

#include "state.h"

/* What is called: with an error instead of vgpuSuccess when the context has died. */
typedef void rt_host_call_fn(void *function, void *stream, void *argument, vgpuError_t error);

/**
 * struct rt_host_call - @call gets the other three
 * @always: also called when the context has died
 */
struct rt_host_call {
	struct rt_host_call *next;
	uint64_t seq;
	rt_host_call_fn *call;
	void *function, *stream, *argument;
	bool always;
};

/*
 * stream.c: @call, which is copied, behind all work of @stream. Takes rt_lock itself.
 * vgpuErrorInvalidValue without a function.
 */
vgpuError_t rt_host_call(vgpuStream_t stream, const struct rt_host_call *call);
/* The same with rt_lock held. */
vgpuError_t rt_stream_host_call(struct vgpuStream *stream, const struct rt_host_call *call);
/*
 * queue.c: the same behind all work of @queue. With rt_lock held. An error, also that of a command
 * before it: nothing is called.
 */
vgpuError_t rt_queue_host_call(struct rt_queue *queue, const struct rt_host_call *call);
/*
 * host_call.c: @call, which malloc() has given, when its command, which is in @queue, is due. With
 * rt_lock held. On failure it is still the caller's.
 */
vgpuError_t rt_host_call_add(struct rt_queue *queue, struct rt_host_call *call);
/* The calling thread is in such a function: it may not call the API. */
bool rt_in_host_call(void);
/* Has the current context a thread that calls some? With rt_lock held. */
bool rt_host_calls_any(void);
/*
 * The current context is closed next: waits, with rt_lock given up, until all functions have been
 * called. With @abandon no more are, and one that has not returned is not waited for.
 */
void rt_host_calls_end(bool abandon);
/* With rt_lock held: @queue is another one from now on. */
void rt_host_calls_forget(struct rt_queue *queue);
/* In the child of a fork, which has none of the threads. */
void rt_host_calls_forked(void);

#endif
