// SPDX-License-Identifier: MIT
/*
 * Waits for events of other contexts; see across.h.
 */
#include <stdlib.h>

#include "across.h"
#include "host_call.h"

/** struct place - a command of a context, if that is still the one that it was */
struct place {
	struct rt_state *context;
	struct rt_queue *queue;
	uint64_t generation, epoch, seq;
};

/* In a thread of the runtime. */
static void wait_there(void *function, void *stream, void *argument, vgpuError_t error)
{
	struct place *place = argument;
	struct rt_state *before = rt_current;

	(void)function;
	(void)stream;
	pthread_mutex_lock(&rt_lock);
	rt_current = place->context;
	if (error == vgpuSuccess && rt.transport && rt.generation == place->generation &&
	    place->queue->epoch == place->epoch)
		rt_wait(place->queue, place->seq);
	rt_current = before;
	pthread_mutex_unlock(&rt_lock);
	free(place);
}

vgpuError_t rt_event_hold_across(struct rt_state *context, struct rt_queue *queue, uint64_t seq,
				 struct vgpuStream *stream)
{
	struct place *place;
	struct rt_host_call call = { .call = wait_there, .always = true };
	vgpuError_t error;

	if (seq <= queue->completed)
		return vgpuSuccess;
	place = malloc(sizeof(*place));
	if (!place)
		return vgpuErrorMemoryAllocation;
	*place = (struct place){ context, queue, context->generation, queue->epoch, seq };
	call.argument = place;
	error = rt_stream_host_call(stream, &call);
	if (error != vgpuSuccess)
		free(place);
	return error;
}
