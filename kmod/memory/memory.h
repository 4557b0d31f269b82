/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of this machine that the device uses: pages of processes, pinned while a command refers to
 * them, pages behind the frames of VRAM, managed memory, which both use, and memory of processes
 * that kernels use where it is.
 */
#ifndef KVGPU_MEMORY_H
#define KVGPU_MEMORY_H

#include <linux/llist.h>
#include <linux/rwsem.h>
#include <linux/semaphore.h>
#include <linux/workqueue.h>

#include "kmod/core/core.h"

/** struct kvgpu_memory - of a device */
struct kvgpu_memory {
	atomic64_t pins;		/* commands that hold process memory */
	spinlock_t pins_lock;		/* of pins_by_age */
	struct list_head pins_by_age;	/* the oldest first */
	atomic64_t frames;		/* of VRAM that have a page behind them */
	atomic64_t managed;		/* pages of managed memory */
	unsigned int gets;		/* actor: frames asked for */
	struct list_head released;	/* actor: frames to be freed, by page->lru */
	atomic64_t unfreed;		/* frames released that are not free yet */
	bool low;			/* actor: the machine had too little at the last look */
	struct rb_root names;		/* actor: struct kvgpu_name of all contexts, by name */
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

/**
 * kvgpu_machine_low - has this machine less left than devices leave it? (anybody)
 */
bool kvgpu_machine_low(void);

/**
 * kvgpu_memory_low - the same at the last look of @kdev, for many calls (actor)
 */
bool kvgpu_memory_low(struct kvgpu_dev *kdev);

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

/* ---- views.c: memory apart from addresses -------------------------------- */

/* Operation of struct vgpu_host_ops (actor); the owner is the struct kvgpu_user that created it. */
void kvgpu_allocation_freed(struct kvgpu_dev *kdev, u64 owner, u64 bytes);
int kvgpu_ioctl_mem_create(struct file *file, void *arg);
int kvgpu_ioctl_mem_release(struct file *file, void *arg);
int kvgpu_ioctl_mem_view(struct file *file, void *arg);
int kvgpu_ioctl_mem_rights(struct file *file, void *arg);
int kvgpu_ioctl_mem_export(struct file *file, void *arg);
int kvgpu_ioctl_mem_import(struct file *file, void *arg);
int kvgpu_ioctl_mem_retain(struct file *file, void *arg);

/* ---- names.c: memory that other processes open by a name ----------------- */

/** struct kvgpu_name - of a handle of a context, as long as that is there */
struct kvgpu_name {
	struct list_head node;		/* in ctx->names->list */
	u32 handle;
	kuid_t owner;			/* of the context */
	u64 name[2];			/* random */
	struct rb_node by_name;		/* actor: in memory->names, but not if empty */
	struct vgpu_allocation *allocation;	/* actor: what it names; held */
};

/** struct kvgpu_names - of a context, under managed->ranges */
struct kvgpu_names {
	struct list_head list;
	u32 count;
};

void kvgpu_names_init(struct kvgpu_names *names);
/* The name of @handle; NULL: it has none. */
struct kvgpu_name *kvgpu_name_of(struct kvgpu_names *names, u32 handle);
/**
 * kvgpu_name_end - actor: nobody can open @name from now on
 *
 * Its handle is there still.
 */
void kvgpu_name_end(struct kvgpu_dev *kdev, struct kvgpu_name *name);
/* The memory of @name, which has ended. */
void kvgpu_name_free(struct kvgpu_names *names, struct kvgpu_name *name);
/**
 * kvgpu_names_close - actor: @ctx is about to be stopped: end its names; true: call again
 */
bool kvgpu_names_close(struct kvgpu_ctx *ctx);
void kvgpu_names_exit(struct kvgpu_names *names);
int kvgpu_ioctl_mem_name(struct file *file, void *arg);
int kvgpu_ioctl_mem_open(struct file *file, void *arg);

/* ---- managed.c: memory that processes and the device both use ----------- */

/* Ranges to be taken out of processes that are kept apart; more of them become one. */
#define KVGPU_ZAPS	16u

/** struct kvgpu_zap - pages that processes lose, by device address >> PAGE_SHIFT */
struct kvgpu_zap {
	unsigned long first;
	unsigned long last;
};

/** struct kvgpu_managed - of a context; managed.c says who may take what when */
struct kvgpu_managed {
	struct kvgpu_ctx *ctx;
	struct address_space mapping;	/* of the file: all its mappings in processes */
	struct xarray pages;		/* device address >> PAGE_SHIFT -> struct page */
	struct mutex ranges;		/* a range comes or goes */
	struct rw_semaphore entries;	/* read: pages go into processes; write: they go */
	u32 unmapped;			/* ranges so far, under entries */
	struct semaphore slots;		/* threads that wait for pages */
	struct list_head waiting;	/* actor: struct managed_wait */
	spinlock_t zaps_lock;		/* of the next two */
	u32 zap_count;
	struct kvgpu_zap zaps[KVGPU_ZAPS];
	struct work_struct zap;
};

void kvgpu_managed_init(struct kvgpu_managed *managed, struct kvgpu_ctx *ctx);
/**
 * kvgpu_managed_open - have @file, which is being opened, count its mappings by itself
 */
void kvgpu_managed_open(struct kvgpu_managed *managed, struct file *file);
/**
 * kvgpu_managed_exit - the context is closed, and its file is mapped nowhere: free the pages
 */
void kvgpu_managed_exit(struct kvgpu_managed *managed);

/**
 * kvgpu_managed_mmap - map managed memory into a process, at offset VGPU_MMAP_MANAGED + address
 *
 * -EINVAL: not MAP_SHARED.
 */
int kvgpu_managed_mmap(struct kvgpu_ctx *ctx, struct vm_area_struct *vma);
/**
 * kvgpu_managed_unmapped - the device has unmapped [@address, @address + @bytes): processes lose it
 *
 * Under managed->ranges, which the caller holds since before it asked the actor.
 */
void kvgpu_managed_unmapped(struct kvgpu_managed *managed, u64 address, u64 bytes);
/**
 * kvgpu_managed_settle - wait until processes have lost the pages that the device took before
 *
 * For a thread of such a process that has waited for the device, with no lock held.
 */
void kvgpu_managed_settle(struct kvgpu_managed *managed);

/* Operations of struct vgpu_host_ops (actor). */
void *kvgpu_managed_page(struct kvgpu_dev *kdev, u32 context, u64 address);
void kvgpu_managed_revoke(struct kvgpu_dev *kdev, u32 context, u64 address, u64 bytes);
void kvgpu_managed_protect(struct kvgpu_dev *kdev, u32 context, u64 address, u64 bytes);
void kvgpu_managed_arrived(struct kvgpu_dev *kdev, u32 context, u64 address, u64 bytes);
/* ---- process.c: memory of a process, used by kernels where it is -------- */

/**
 * kvgpu_process_enable - let kernels of @ctx use the memory of the calling process
 *
 * 0 also if they may already. -EBUSY: they use that of another process; -ENOMEM, -EINTR, -EIO.
 */
int kvgpu_process_enable(struct kvgpu_ctx *ctx);
/**
 * kvgpu_process_disable - @ctx is about to be closed: its thread asks the actor for nothing more
 */
void kvgpu_process_disable(struct kvgpu_ctx *ctx);
/**
 * kvgpu_process_exit - @ctx is closed on the device. After kvgpu_process_disable()
 */
void kvgpu_process_exit(struct kvgpu_ctx *ctx);

/* Operations of struct vgpu_host_ops (actor). */
void kvgpu_process_wants(struct kvgpu_dev *kdev, u32 context);
void kvgpu_process_hold(struct kvgpu_dev *kdev, u32 context);
void *kvgpu_process_page(struct kvgpu_dev *kdev, u32 context, u64 address, bool write);
void kvgpu_process_release(struct kvgpu_dev *kdev, u32 context);

#endif
