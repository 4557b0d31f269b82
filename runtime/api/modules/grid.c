// SPDX-License-Identifier: MIT
/*
 * Cooperative launches: whether a grid fits, and the memory of its barrier.
 *
 * A stream has a page of workspaces. Each launch gets the next one, so that what a kernel has left
 * in its own, with a barrier that not all of its blocks came to, is nothing to the next. All are
 * cleared, in the stream, when each has been used.
 */
#include "grid.h"

#include "../environment.h"

#define BYTES	16u
#define COUNT	256u

vgpuError_t rt_grid_check(const struct vgpuFunction *function, uint64_t blocks,
			  unsigned int threads, size_t dynamic_shared)
{
	uint64_t sms = rt_sm_limit(rt.info.sms);
	uint64_t on_sm = (uint64_t)rt_occupancy(function, threads, dynamic_shared);

	if (!(rt.info.launch_flags & VGPU_LAUNCH_COOPERATIVE)) {
		rt_message("cooperative launches need a newer vgpu.ko than the one that is loaded");
		return vgpuErrorNotSupported;
	}
	if (blocks <= on_sm * sms)
		return vgpuSuccess;
	rt_message("`%s': a cooperative launch of %llu blocks, and %llu are on the device at once: "
		   "%llu on each of %llu SMs",
		   rt_kernel(function)->name, (unsigned long long)blocks,
		   (unsigned long long)(on_sm * sms), (unsigned long long)on_sm,
		   (unsigned long long)sms);
	return vgpuErrorCooperativeLaunchTooLarge;
}

vgpuError_t rt_grid_workspace(struct vgpuStream *stream, uint64_t *address)
{
	uint64_t n = stream->workspaces_used % COUNT;
	vgpuError_t error = vgpuSuccess;

	if (!stream->workspaces)
		error = rt_alloc_private(BYTES * COUNT, &stream->workspaces);
	if (error == vgpuSuccess && !n) {
		struct vgpu_cmd cmd = { .op = VGPU_CMD_FILL };

		cmd.fill.dst = stream->workspaces;
		cmd.fill.count = BYTES * COUNT / 4;
		cmd.fill.width = 4;
		error = rt_stream_put(stream, &cmd, NULL);
	}
	if (error == vgpuSuccess)
		stream->workspaces_used++;
	*address = stream->workspaces + BYTES * n;
	return error;
}

void rt_grid_forget(struct vgpuStream *stream)
{
	if (stream->workspaces)
		rt_alloc_free_private(stream->workspaces);
	stream->workspaces = 0;
}
