/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What process.c, which says who waits for whom, and process_pages.c share.
 */
#ifndef KVGPU_MEMORY_PROCESS_H
#define KVGPU_MEMORY_PROCESS_H

#include <linux/kref.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "kmod/memory/memory.h"

/* Of an entry of kvgpu_process::pages */
#define KVGPU_PROCESS_WRITABLE	XA_MARK_0

struct kvgpu_process {
	struct kref ref;		/* the context has one, and the thread */
	struct mmu_interval_notifier notifier;		/* of all its memory: drops pages at hand */
	struct mm_struct *mm;
	struct mem_cgroup *memcg;		/* pays for what is remembered */
	struct mutex use;
	struct kvgpu_ctx *ctx;		/* under use; NULL: it is closed, or will be */
	spinlock_t lock;
	struct xarray pages;		/* address >> PAGE_SHIFT -> struct page; under lock */
	bool wanted;		/* pages may be; set by the actor */
	struct work_struct start;		/* begins the thread */
	struct task_struct *thread;		/* under use; NULL: none has been needed */
	pid_t tgid;		/* for its name */
	wait_queue_head_t wait;		/* the thread's, until pages are wanted or it shall end */
	struct completion ended;
};

/**
 * struct kvgpu_process_run - what the device wants, and what of it was found
 * @process: whose
 * @notifier: of the addresses of @pages, while they are looked for
 * @pages: what the device wants; out: the answer
 * @refused: of @pages, those that there are not
 * @writable: of those that were found, those that may be written
 * @page: of @pages; with a reference; NULL: not found
 */
struct kvgpu_process_run {
	struct kvgpu_process *process;
	struct mmu_interval_notifier notifier;
	struct vgpu_process_pages pages;
	u64 refused;
	u64 writable;
	struct page *page[VGPU_PROCESS_PAGES];
};

/**
 * kvgpu_process_drop - page tables change: forget the pages in @range, and tell @notifier
 *
 * The callback of every notifier of @process. Takes process->lock, does not sleep.
 */
void kvgpu_process_drop(struct kvgpu_process *process, struct mmu_interval_notifier *notifier,
			const struct mmu_notifier_range *range, unsigned long seq);

/**
 * kvgpu_process_bring - have pages at hand, and say in @run->pages which
 *
 * If these pages change all the time the device may want them again: that it had them for a moment
 * is true. What changes elsewhere in the process does not matter. Called by the thread, with no
 * lock held; it may take as long as the process likes.
 */
void kvgpu_process_bring(struct kvgpu_process *process, struct kvgpu_process_run *run);

#endif
