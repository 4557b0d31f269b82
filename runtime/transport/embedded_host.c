// SPDX-License-Identifier: MIT
/*
 * Waiting for functions of the process; see embedded_host.h.
 */
#include <errno.h>
#include <time.h>

#include "embedded_host.h"

int64_t vgpu_host_calls_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void vgpu_host_calls_init(struct vgpu_host_calls *calls, pthread_mutex_t *lock)
{
	pthread_condattr_t attributes;

	calls->lock = lock;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&calls->due, &attributes);
	pthread_cond_init(&calls->done, &attributes);
	pthread_condattr_destroy(&attributes);
}

/* False: it was not signalled for as long as patience lasts. */
static bool wait_for(struct vgpu_host_calls *calls, pthread_cond_t *condition)
{
	int64_t end = vgpu_host_calls_now() + VGPU_HOST_PATIENCE_NS;
	const struct timespec until = { end / 1000000000, end % 1000000000 };

	return pthread_cond_timedwait(condition, calls->lock, &until) != ETIMEDOUT;
}

bool vgpu_host_calls_patience(struct vgpu_host_calls *calls)
{
	if (!calls->late && !wait_for(calls, &calls->done))
		calls->late = true;
	return !calls->late;
}

void vgpu_host_calls_doze(struct vgpu_host_calls *calls)
{
	wait_for(calls, &calls->done);
}

void vgpu_host_calls_wait_due(struct vgpu_host_calls *calls)
{
	calls->alone = true;
	if (wait_for(calls, &calls->due))
		calls->alone = false;
}

void vgpu_host_calls_due(struct vgpu_host_calls *calls)
{
	pthread_cond_broadcast(&calls->due);
}

void vgpu_host_calls_done(struct vgpu_host_calls *calls)
{
	if (calls->pending)
		calls->pending--;
	calls->late = false;
	pthread_cond_broadcast(&calls->done);
}
