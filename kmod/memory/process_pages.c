// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of a process that kernels use: found in its page tables, faulted in if need be, and entered
 * where the actor looks for them, unless page tables have changed since; see process.c.
 */
#include <linux/hugetlb_inline.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>

#include "kmod/memory/process.h"

/* A prefetch may write what is nobody else's, and nowhere else. */
static unsigned int gup_flags(const struct kvgpu_process_run *run, struct vm_area_struct *vma)
{
	bool write = run->pages.write;

	if (run->pages.prefetch)
		write = vma && vma_is_anonymous(vma) && vma->vm_flags & VM_WRITE;
	return write ? FOLL_WRITE : 0;
}

static void found(struct kvgpu_process_run *run, u32 n, long count, unsigned int flags)
{
	u64 pages = ~0ull >> (VGPU_PROCESS_PAGES - count) << n;

	run->writable = flags & FOLL_WRITE ? run->writable | pages : run->writable & ~pages;
}

/* Pages that the process has, which are not faulted in for it. With its mmap_lock. */
static void find_present(struct mm_struct *mm, struct kvgpu_process_run *run)
{
	unsigned long at = run->pages.address, end = at + ((u64)run->pages.pages << PAGE_SHIFT);
	struct vm_area_struct *vma;

	while (at < end && (vma = find_vma(mm, at)) && vma->vm_start < end) {
		unsigned long stop = min(end, vma->vm_end);
		unsigned int flags = gup_flags(run, vma);

		at = max(at, vma->vm_start);
		/* before 6.9 get_user_pages() faults huge pages in whatever the flags */
		if (is_vm_hugetlb_page(vma))
			at = stop;
		while (at < stop) {
			u32 n = (at - run->pages.address) >> PAGE_SHIFT;
			long count = kvgpu_get_user_pages_remote(mm, at, (stop - at) >> PAGE_SHIFT,
								 flags | FOLL_NOFAULT,
								 &run->page[n], NULL);

			if (count <= 0)
				run->page[n] = NULL;
			else
				found(run, n, count, flags);
			at += max(count, 1l) << PAGE_SHIFT;
		}
	}
}

/* Page @n is wanted, and was not found. */
static bool is_missing(const struct kvgpu_process_run *run, u32 n)
{
	return !run->page[n] &&
	       (run->pages.wanted & ~run->refused & ~run->pages.no_memory) >> n & 1;
}

static bool any_missing(const struct kvgpu_process_run *run)
{
	u32 n = 0;

	while (n < run->pages.pages && !is_missing(run, n))
		n++;
	return n < run->pages.pages;
}

static void put_pages(struct kvgpu_process_run *run)
{
	u32 n;

	for (n = 0; n < run->pages.pages; n++) {
		if (run->page[n])
			put_page(run->page[n]);
		run->page[n] = NULL;
	}
}

/*
 * Have what is missing faulted in, however long that takes, with mmap_lock, which goes and comes
 * again. @hold: keep references.
 */
static void find_missing(struct mm_struct *mm, struct kvgpu_process_run *run, bool hold)
{
	u32 n;

	for (n = 0; n < run->pages.pages; n++) {
		u64 address = run->pages.address + ((u64)n << PAGE_SHIFT);
		unsigned int flags;
		struct page *page;
		int locked = 1;
		long ret;

		if (!is_missing(run, n))
			continue;
		flags = gup_flags(run, vma_lookup(mm, address));
		ret = kvgpu_get_user_pages_remote(mm, address, 1, flags, &page, &locked);
		if (ret == 1 && hold) {
			run->page[n] = page;
			found(run, n, 1, flags);
		} else if (ret == 1) {
			put_page(page);
		} else if (ret == -ENOMEM) {
			run->pages.no_memory |= 1ull << n;
		} else {
			run->refused |= 1ull << n;
		}
		if (!locked)
			mmap_read_lock(mm);
	}
}

/*
 * The pages that the process has now, and those that are wanted. Faulting in may take long: others
 * are not held meanwhile, unless a page has gone again before it was found the second time.
 */
static void find_pages(struct kvgpu_process *process, struct kvgpu_process_run *run,
		       unsigned long *seq)
{
	struct mm_struct *mm = process->mm;

	*seq = mmu_interval_read_begin(&run->notifier);
	mmap_read_lock(mm);
	find_present(mm, run);
	if (any_missing(run)) {
		put_pages(run);
		find_missing(mm, run, false);
		mmap_read_unlock(mm);
		*seq = mmu_interval_read_begin(&run->notifier);
		mmap_read_lock(mm);
		find_present(mm, run);
		find_missing(mm, run, true);
	}
	mmap_read_unlock(mm);
}

/*
 * Have entries for what was found. For what is not wanted nobody in a full control group is killed.
 */
static void reserve_entries(struct kvgpu_process *process, struct kvgpu_process_run *run)
{
	unsigned long index = run->pages.address >> PAGE_SHIFT;
	u32 n;

	for (n = 0; n < run->pages.pages; n++) {
		bool wanted = run->pages.wanted >> n & 1;
		gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NOWARN | (wanted ? 0 : __GFP_NORETRY);

		if (!run->page[n] || !xa_reserve(&process->pages, index + n, gfp))
			continue;
		put_page(run->page[n]);
		run->page[n] = NULL;
		if (wanted)
			run->pages.no_memory |= 1ull << n;
	}
}

/* They were found after @seq. False: page tables have changed there since. */
static bool enter_pages(struct kvgpu_process *process, struct kvgpu_process_run *run,
			unsigned long seq)
{
	unsigned long index = run->pages.address >> PAGE_SHIFT;
	bool same;
	u32 n;

	spin_lock(&process->lock);
	same = !mmu_interval_read_retry(&run->notifier, seq);
	for (n = 0; same && n < run->pages.pages; n++) {
		if (!run->page[n])
			continue;
		/* its entry is reserved; NULL in a reserved entry is no page */
		if (!xa_is_err(xa_store(&process->pages, index + n, run->page[n], GFP_NOWAIT)) &&
		    run->writable >> n & 1)
			xa_set_mark(&process->pages, index + n, KVGPU_PROCESS_WRITABLE);
	}
	spin_unlock(&process->lock);
	return same;
}

/* What was found is there, or was for a moment. */
static void leave_pages(struct kvgpu_process *process, struct kvgpu_process_run *run, bool entered)
{
	unsigned long index = run->pages.address >> PAGE_SHIFT;
	u32 n;

	run->pages.there = 0;
	for (n = 0; n < run->pages.pages; n++) {
		if (!run->page[n])
			continue;
		run->pages.there |= 1ull << n;
		if (!entered)
			xa_release(&process->pages, index + n);
	}
	put_pages(run);
}

/*
 * It drops pages as the notifier of all memory does: that may have dropped them before they were
 * entered, which was before this here was told.
 */
static bool run_invalidate(struct mmu_interval_notifier *notifier,
			   const struct mmu_notifier_range *range, unsigned long seq)
{
	struct kvgpu_process_run *run = container_of(notifier, struct kvgpu_process_run, notifier);

	kvgpu_process_drop(run->process, notifier, range, seq);
	return true;
}

static const struct mmu_interval_notifier_ops run_ops = {
	.invalidate = run_invalidate,
};

/* False: it cannot be watched, so no page of it may be used. */
static bool watch(struct kvgpu_process *process, struct kvgpu_process_run *run)
{
	unsigned long bytes = (unsigned long)run->pages.pages << PAGE_SHIFT;

	run->process = process;
	return !mmu_interval_notifier_insert(&run->notifier, process->mm, run->pages.address, bytes,
					     &run_ops);
}

void kvgpu_process_bring(struct kvgpu_process *process, struct kvgpu_process_run *run)
{
	struct mem_cgroup *before;
	bool entered = false;
	unsigned long seq;
	u32 tries;

	memset(run->page, 0, sizeof(run->page));
	run->refused = 0;
	if (!mmget_not_zero(process->mm))
		return;
	before = set_active_memcg(process->memcg);
	if (watch(process, run)) {
		for (tries = 0; !entered && tries < 16; tries++) {
			find_pages(process, run, &seq);
			reserve_entries(process, run);
			entered = enter_pages(process, run, seq);
			leave_pages(process, run, entered);
		}
		mmu_interval_notifier_remove(&run->notifier);
	} else {
		run->pages.no_memory = run->pages.wanted;
	}
	set_active_memcg(before);
	mmput(process->mm);
}
