/* SPDX-License-Identifier: MIT */
/*
 * When several threads are worth it, where VGPU_THREADS does not say how many: handing work to a
 * thread that sleeps costs tens of microseconds. So one thread drives a device until that has been
 * busy for VGPU_BUSY_NS without a pause. The host's clock decides; what the device computes and its
 * virtual time do not depend on it.
 */
#ifndef VGPU_BUSY_H
#define VGPU_BUSY_H

#include <stdbool.h>
#include <stdint.h>

#define VGPU_BUSY_NS	100000	/* of work, before other threads are given some */
#define VGPU_UNUSED	64u	/* calls of vgpu_busy_choose() without: one is enough again */
#define VGPU_DOUBT	10u	/* then it takes twice as long, so many times at most */

struct vgpu_device;
struct vgpu_threads;

/** struct vgpu_busy - what is known of a device */
struct vgpu_busy {
	struct vgpu_threads *threads;	/* NULL: nothing is to be chosen */
	bool begun;			/* there has been work since the last pause */
	int64_t since;			/* since when, in ns; 0: not known, or there was none */
	bool several;			/* they are worth it */
	uint64_t batches;		/* vgpu_threads_batches() when that was asked last */
	uint32_t unused;		/* so many times in a row it had not changed */
	uint32_t doubt;			/* VGPU_BUSY_NS is doubled so many times */
};

/* @threads are used when vgpu_busy_choose() says so, if they are automatic. May be NULL. */
void vgpu_busy_init(struct vgpu_busy *busy, struct vgpu_device *device,
		    struct vgpu_threads *threads);
/* Call before a few events are run, with the device's lock: it uses threads if that is worth it. */
void vgpu_busy_choose(struct vgpu_busy *busy, struct vgpu_device *device);
/* Call when the device is idle, or has done what was waited for. */
void vgpu_busy_pause(struct vgpu_busy *busy);

/* The choice alone, at a time @now: are several threads worth it? */
bool vgpu_busy_run(struct vgpu_busy *busy, int64_t now);
/* The same where they are, and have been given @batches since they were started. */
bool vgpu_busy_count(struct vgpu_busy *busy, uint64_t batches);

#endif
