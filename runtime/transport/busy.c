// SPDX-License-Identifier: MIT
/*
 * When several threads are worth it; see busy.h.
 */
#include "busy.h"
#include "embedded_host.h"
#include "threads.h"
#include "vgpu_device.h"

bool vgpu_busy_run(struct vgpu_busy *busy, int64_t now)
{
	if (busy->several)
		return true;
	if (!busy->since)
		busy->since = now;
	else if (now - busy->since >= (int64_t)VGPU_BUSY_NS << busy->doubt)
		busy->several = true;
	return busy->several;
}

bool vgpu_busy_count(struct vgpu_busy *busy, uint64_t batches)
{
	if (batches != busy->batches) {
		busy->batches = batches;
		busy->unused = busy->doubt = 0;
	} else if (++busy->unused == VGPU_UNUSED) {
		busy->unused = 0;
		busy->doubt += busy->doubt < VGPU_DOUBT;
		busy->several = false;
		busy->since = 0;
	}
	return busy->several;
}

void vgpu_busy_init(struct vgpu_busy *busy, struct vgpu_device *device,
		    struct vgpu_threads *threads)
{
	if (!threads || !vgpu_threads_automatic(threads))
		return;
	busy->threads = threads;
	vgpu_device_parallel(device, false);
}

void vgpu_busy_choose(struct vgpu_busy *busy, struct vgpu_device *device)
{
	if (!busy->threads)
		return;
	if (busy->several) {
		if (!vgpu_busy_count(busy, vgpu_threads_batches(busy->threads)))
			vgpu_device_parallel(device, false);
		return;
	}
	/* the clock is not asked for what ends soon */
	if (!busy->begun) {
		busy->begun = true;
		return;
	}
	if (!vgpu_busy_run(busy, vgpu_host_calls_now()))
		return;
	if (vgpu_threads_automatic(busy->threads) && vgpu_threads_start(busy->threads) == 1) {
		busy->threads = NULL;
		return;
	}
	vgpu_device_parallel(device, true);
}

void vgpu_busy_pause(struct vgpu_busy *busy)
{
	busy->begun = false;
	busy->since = 0;
}
