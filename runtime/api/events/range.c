// SPDX-License-Identifier: MIT
/*
 * Ranges: what a thread of the program calls the time in which it makes commands (runtime/nvtx),
 * and names of streams. A launch is told to the transport with the name of the innermost range of
 * its thread, if the transport has a use for that. Nothing else depends on them.
 */
#include "state.h"
#include "utf8.h"

#define DEEPEST	32

/* Ranges deeper than that are counted, and have the name of the last that is kept. */
static __thread struct {
	char text[DEEPEST][RT_RANGE_BYTES];
	unsigned int depth;
} ranges;

unsigned int rt_range_push(const char *text)
{
	if (ranges.depth < DEEPEST) {
		char *to = ranges.text[ranges.depth];

		to[vgpu_utf8_copy(to, text ? text : "", RT_RANGE_BYTES - 1)] = '\0';
	}
	return ranges.depth++;
}

bool rt_range_pop(void)
{
	if (!ranges.depth)
		return false;
	ranges.depth--;
	return true;
}

static const char *innermost(void)
{
	unsigned int n = ranges.depth < DEEPEST ? ranges.depth : DEEPEST;

	return ranges.text[n - 1];
}

void rt_range_tell(const struct vgpuStream *stream)
{
	if (ranges.depth && rt.ops->name_work)
		rt.ops->name_work(rt.transport, stream->queue->hw, stream->last, innermost());
}

void rt_stream_name(vgpuStream_t handle, const char *name)
{
	struct vgpuStream *stream;

	if (!name || rt_enter() != vgpuSuccess)
		return;
	if (rt_stream_of(handle, &stream) == vgpuSuccess && rt.ops->name_work)
		rt.ops->name_work(rt.transport, stream->queue->hw, 0, name);
	rt_leave(vgpuSuccess);
}
