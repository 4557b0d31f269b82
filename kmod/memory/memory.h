/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of this machine that the device uses: pages of processes, pinned while a command refers to
 * them, and pages behind the frames of VRAM.
 */
#ifndef KVGPU_MEMORY_H
#define KVGPU_MEMORY_H

#include <linux/llist.h>
#include <linux/workqueue.h>

#include "kmod/core/core.h"

/** struct kvgpu_memory - of a device */
struct kvgpu_memory {
	atomic64_t pins;		/* commands that hold process memory */
	spinlock_t pins_lock;		/* of pins_by_age */
	struct list_head pins_by_age;	/* the oldest first */
	atomic64_t frames;		/* of VRAM that have a page behind them */
	unsigned int gets;		/* actor: frames asked for */
	struct list_head released;	/* actor: frames to be freed, by page->lru */
	atomic64_t unfreed;		/* frames released that are not free yet */
	bool low;			/* actor: the machine had too little at the last look */
};

/** struct kvgpu_pins - of a context */
struct kvgpu_pins {
	atomic64_t pages;		/* of process memory */
	struct llist_head finished;	/* pins that work releases */
	struct work_struct work;
};

/* ---- pins.c: process memory of commands --------------------------------- */

/*
 * Bytes that the copies of one user may pin, of all his processes together, besides his
 * RLIMIT_MEMLOCK: one copy of the largest size, so that no limit changes how programs split theirs.
 */
#define KVGPU_PINNED_USER	VGPU_COPY_MAX

struct kvgpu_pin;

void kvgpu_pins_init(struct kvgpu_pins *pins);

/**
 * kvgpu_pin - pin process memory for a command
 *
 * In the submitter's context, so that a page that is slow to come stalls only its owner.
 * -EFAULT: not there; -EAGAIN: too much in flight, of the context, its user or all; -EINTR: killed
 * meanwhile.
 */
struct kvgpu_pin *kvgpu_pin(struct kvgpu_ctx *ctx, u64 address, u64 bytes, bool write);

/**
 * kvgpu_unpin - release it; does not sleep on the pages
 */
void kvgpu_unpin(struct kvgpu_pin *pin);

/**
 * kvgpu_pin_move - actor: copy between @memory, which is the device's, and the pinned pages
 */
int kvgpu_pin_move(struct kvgpu_pin *pin, u64 offset, void *memory, u32 bytes, enum vgpu_move dir);

/**
 * kvgpu_pins_turn - actor: end the context of memory that has been pinned for kdev->pin_timeout_ms
 *
 * Returns for how many nanoseconds there is nothing to do.
 */
u64 kvgpu_pins_turn(struct kvgpu_dev *kdev, u64 now);

/* Pages of all contexts. */
u64 kvgpu_pinned_pages(void);

/* ---- frames.c: pages behind VRAM (actor, but for the last) -------------- */

void kvgpu_memory_init(struct kvgpu_memory *memory);

/* A zeroed page, NULL: there is none for @context. */
void *kvgpu_frame_alloc(struct kvgpu_dev *kdev, u32 context);
void kvgpu_frame_release(struct kvgpu_dev *kdev, void *frame);

/**
 * kvgpu_frames_collect - move what has been released since the last time to @frames
 */
void kvgpu_frames_collect(struct kvgpu_dev *kdev, struct list_head *frames);

/**
 * kvgpu_frames_free - free them; who caused it does it, since others wait for the actor
 */
void kvgpu_frames_free(struct kvgpu_dev *kdev, struct list_head *frames);

#endif
