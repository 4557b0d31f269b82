/* SPDX-License-Identifier: MIT */
/*
 * A device inside this process, with its host's part, and the contexts that are open on it. The
 * first context of a device makes it, and the last one ends it. Under the sanitizer, which tells
 * contexts apart by their devices, each context has a device of its own.
 */
#ifndef VGPU_EMBEDDED_DEVICE_H
#define VGPU_EMBEDDED_DEVICE_H

#include <pthread.h>
#include <stdio.h>

#include "busy.h"
#include "embedded_frames.h"
#include "embedded_host.h"
#include "host_memory.h"
#include "native.h"
#include "statistics/statistics.h"
#include "threads.h"
#include "transport.h"
#include "vgpu_device.h"

/** struct vgpu_buffer - process memory of a command, whose cookie it is */
struct vgpu_buffer {
	u64 address, bytes;
};

/** struct vgpu_embedded - a device; what the model calls its host */
struct vgpu_embedded {
	struct vgpu_embedded *next;
	unsigned int index;		/* among those of VGPU_PRESET */
	/* A turn: whoever waits for the device's lock goes before the one who just had it. */
	pthread_mutex_t turn, lock;
	struct vgpu_device *device;
	struct vgpu_transport *contexts;
	unsigned int opened;		/* contexts, from the first on */
	struct vgpu_host_frames frames;
	struct vgpu_host_calls calls;
	FILE *trace;
	struct vgpu_statistics *statistics;	/* NULL: nobody asked */
	struct vgpu_native_choice native;
	struct vgpu_threads *threads;	/* that execute SMs; NULL: the one that drives the device */
	struct vgpu_busy busy;		/* when they are used */
	struct vgpu_host_ops ops;	/* with threads, if there are any */
	struct vgpu_host_window window;	/* for as long as the lock is held */
};

/** struct vgpu_transport - a context of one */
struct vgpu_transport {
	struct vgpu_transport *next;	/* of the same device, with its lock held */
	struct vgpu_embedded *host;
	struct vgpu_device *device;	/* the host's */
	u32 context;
	bool dead;
};

/* One more context of device @index; a failure is explained in @message. */
int vgpu_embedded_open(unsigned int index, struct vgpu_transport **out, char *message, size_t size);
void vgpu_embedded_close(struct vgpu_transport *t);

static inline void vgpu_embedded_lock(struct vgpu_embedded *host)
{
	pthread_mutex_lock(&host->turn);
	pthread_mutex_lock(&host->lock);
	pthread_mutex_unlock(&host->turn);
	host->window = (struct vgpu_host_window){ 0 };
}

static inline void vgpu_embedded_unlock(struct vgpu_embedded *host)
{
	pthread_mutex_unlock(&host->lock);
}

#endif
