// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeout of a kernel that others wait for, in real time. The watchdog of the model
 * (watchdog_us) measures virtual time, which such a kernel may hold up or let pass; and a policy
 * that does not preempt lets a kernel run to its end, which may never come. So a kernel that keeps
 * kernels of other contexts out for this long ends with its context, as a job of a GPU does that
 * exceeds the timeout of its scheduler. Nobody waits: it may run for ever.
 *
 * In lockstep there is no timeout: virtual time stands while participants run, and no kernel can
 * help that.
 */
#include <linux/ktime.h>

#include "kmod/device/device.h"

#define LOOK_NS		(100 * NSEC_PER_MSEC)

u64 kvgpu_timeout_turn(struct kvgpu_dev *kdev, u64 now)
{
	struct kvgpu_timeout *timeout = kdev->timeout;
	u64 limit = (u64)READ_ONCE(kdev->timeout_ms) * NSEC_PER_MSEC;
	struct vgpu_fault fault;
	u32 context, launch;

	if (now < timeout->look)
		return timeout->look - now;
	timeout->look = now + LOOK_NS;
	if (!limit || kdev->system->clock->mode == KVGPU_LOCKSTEP ||
	    !vgpu_device_blocker(kdev->model, &context, &launch, &fault)) {
		timeout->launch = 0;
		return KVGPU_IDLE;
	}
	if (launch != timeout->launch) {
		timeout->launch = launch;
		timeout->since = now;
	} else if (now - timeout->since >= limit) {
		vgpu_context_end(kdev->model, context, &fault);
	}
	return LOOK_NS;
}
