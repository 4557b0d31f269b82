// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: memory of a process, used by kernels where it is
 *
 * A process may let kernels of its context use all of its memory, at its own addresses: heap,
 * stack, mapped files. The device then asks for a page when an SM touches one that is not at hand
 * (sim-device/mmu/process.c), and a thread of this module, one for each context that has ever done
 * so, has the process fault it in: from swap, from a file, by userfaultfd. However long that takes,
 * only kernels of this process wait for it. With it come the pages around it that the process has
 * in its page tables: they are looked up at the same time, and nothing is faulted in for them.
 *
 * A page that was found is at hand until the process's page tables change. No reference to it is
 * held, and it is not pinned: the kernel tells us before it changes them (mmu_notifier.h), and what
 * is unmapped, swapped, migrated, merged or copied on write is dropped here first. As KVM does, a
 * page is found by get_user_pages() and entered only if nothing has changed there since before that
 * (a second notifier, of the addresses that are looked for, while they are), and not by
 * hmm_range_fault(): that has no answer for userfaultfd, and gives out pages that the kernel's own
 * mapping does not have (memfd_secret()).
 *
 * Written pages are dirty from before the first write: get_user_pages() with FOLL_WRITE makes them
 * so, and before anything cleans a page it takes away the right to write it, which drops it here.
 *
 * DOC: who waits for whom
 *
 * process->lock is a spinlock and the innermost of all. The actor holds it for one instruction of
 * one warp. Who changes the page tables of the process, also under reclaim, takes it to drop
 * DROP_PAGES pages at most, and the thread to enter VGPU_PROCESS_PAGES. Nothing is allocated under
 * it. So neither ever waits for the other longer than that, and the actor never for page tables,
 * for a process, or for memory.
 *
 * The thread asks the actor under process->use, and faults pages in with no lock held. Who closes
 * the file takes process->use, once; he waits for the thread to end, but not for a process that
 * does not bring its page: the thread goes on alone then, and ends when it has come. The actor
 * begins no thread itself, which allocates: a work item does.
 */
#include <linux/kthread.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "kmod/memory/process.h"

#ifndef CONFIG_MMU_NOTIFIER
#error "vgpu needs a kernel with CONFIG_MMU_NOTIFIER, which CONFIG_KVM selects"
#endif

#define DROP_PAGES	256u
/* How long a close waits for the thread. */
#define CLOSE_WAIT	(5 * HZ)

/* ---- pages at hand ------------------------------------------------------ */

/* Returns whether there may be more. */
static bool drop_pages(struct kvgpu_process *process, unsigned long *first, unsigned long last)
{
	struct page *page;
	u32 n = 0;

	for (page = xa_find(&process->pages, first, last, XA_PRESENT); page && n < DROP_PAGES;
	     page = xa_find_after(&process->pages, first, last, XA_PRESENT), n++)
		xa_erase(&process->pages, *first);
	return page;
}

void kvgpu_process_drop(struct kvgpu_process *process, struct mmu_interval_notifier *notifier,
			const struct mmu_notifier_range *range, unsigned long seq)
{
	unsigned long first = range->start >> PAGE_SHIFT, last = (range->end - 1) >> PAGE_SHIFT;
	bool more;

	spin_lock(&process->lock);
	mmu_interval_set_seq(notifier, seq);
	more = drop_pages(process, &first, last);
	spin_unlock(&process->lock);
	while (more) {
		spin_lock(&process->lock);
		more = drop_pages(process, &first, last);
		spin_unlock(&process->lock);
	}
}

static bool process_invalidate(struct mmu_interval_notifier *notifier,
			       const struct mmu_notifier_range *range, unsigned long seq)
{
	kvgpu_process_drop(container_of(notifier, struct kvgpu_process, notifier), notifier, range,
			   seq);
	return true;
}

static const struct mmu_interval_notifier_ops notifier_ops = {
	.invalidate = process_invalidate,
};

/* ---- the thread --------------------------------------------------------- */

/** struct process_turn - what the thread and the actor tell each other */
struct process_turn {
	struct kvgpu_process *process;
	struct kvgpu_process_run run;
	bool wanted;			/* run is set */
};

static int do_turn(struct kvgpu_dev *kdev, void *arg)
{
	struct process_turn *turn = arg;
	u32 context = turn->process->ctx->id;

	if (turn->wanted)
		vgpu_process_came(kdev->model, context, &turn->run.pages);
	turn->wanted = vgpu_process_wanted(kdev->model, context, &turn->run.pages);
	return 0;
}

/* Answer what was wanted, and get what is wanted next. False: the context is closed. */
static bool next_turn(struct process_turn *turn)
{
	struct kvgpu_process *process = turn->process;
	bool open;

	mutex_lock(&process->use);
	open = process->ctx;
	if (open)
		kvgpu_inbox_call(&process->ctx->inbox, do_turn, turn);
	mutex_unlock(&process->use);
	return open;
}

static void process_free(struct kref *ref)
{
	struct kvgpu_process *process = container_of(ref, struct kvgpu_process, ref);

	xa_destroy(&process->pages);
	mem_cgroup_put(process->memcg);
	mmdrop(process->mm);
	kfree(process);
}

static int process_thread(void *arg)
{
	struct kvgpu_process *process = arg;
	struct process_turn turn = { .process = process };

	while (READ_ONCE(process->ctx)) {
		wait_event_idle(process->wait, READ_ONCE(process->wanted) ||
						       !READ_ONCE(process->ctx));
		WRITE_ONCE(process->wanted, false);
		while (next_turn(&turn) && turn.wanted)
			kvgpu_process_bring(process, &turn.run);
	}
	mmu_interval_notifier_remove(&process->notifier);
	complete(&process->ended);
	kref_put(&process->ref, process_free);
	module_put_and_kthread_exit(0);
}

/* There is no thread, and there can be none: what is wanted has no memory. */
static void refuse_pages(struct kvgpu_process *process)
{
	struct process_turn turn = { .process = process };

	while (next_turn(&turn) && turn.wanted)
		turn.run.pages.no_memory = turn.run.pages.wanted;
}

/* Pages are wanted for the first time: begin the thread. */
static void process_start(struct work_struct *work)
{
	struct kvgpu_process *process = container_of(work, struct kvgpu_process, start);
	struct task_struct *thread = NULL;

	mutex_lock(&process->use);
	if (process->ctx && !process->thread) {
		thread = kthread_create(process_thread, process, "vgpu-process/%d", process->tgid);
		if (!IS_ERR(thread)) {
			__module_get(THIS_MODULE);
			kref_get(&process->ref);
			WRITE_ONCE(process->thread, thread);
			wake_up_process(thread);
		}
	}
	mutex_unlock(&process->use);
	wake_up(&process->wait);
	if (IS_ERR(thread))
		refuse_pages(process);
}

/* ---- operations of struct vgpu_host_ops (actor) -------------------------- */

static struct kvgpu_process *process_of(struct kvgpu_dev *kdev, u32 context)
{
	struct kvgpu_ctx *ctx = xa_load(&kdev->contexts, context);

	kvgpu_assert_actor(kdev);
	return ctx->process_memory;
}

void kvgpu_process_wants(struct kvgpu_dev *kdev, u32 context)
{
	struct kvgpu_process *process = process_of(kdev, context);

	WRITE_ONCE(process->wanted, true);
	if (READ_ONCE(process->thread))
		wake_up(&process->wait);
	else
		queue_work(system_unbound_wq, &process->start);
}

void kvgpu_process_hold(struct kvgpu_dev *kdev, u32 context)
	__acquires(&process_of(kdev, context)->lock)
{
	spin_lock(&process_of(kdev, context)->lock);
}

void *kvgpu_process_page(struct kvgpu_dev *kdev, u32 context, u64 address, bool write)
{
	struct kvgpu_process *process = process_of(kdev, context);
	unsigned long index = address >> PAGE_SHIFT;
	struct page *page = xa_load(&process->pages, index);

	lockdep_assert_held(&process->lock);
	if (!page || (write && !xa_get_mark(&process->pages, index, KVGPU_PROCESS_WRITABLE)))
		return NULL;
	return page_address(page);
}

void kvgpu_process_release(struct kvgpu_dev *kdev, u32 context)
	__releases(&process_of(kdev, context)->lock)
{
	spin_unlock(&process_of(kdev, context)->lock);
}

/* ---- contexts ----------------------------------------------------------- */

static int do_enable(struct kvgpu_dev *kdev, void *arg)
{
	struct kvgpu_process *process = arg;
	struct kvgpu_ctx *ctx = process->ctx;
	int ret;

	if (ctx->process_memory)
		return ctx->process_memory->mm == process->mm ? -EALREADY : -EBUSY;
	ret = vgpu_process_enable(kdev->model, ctx->id);
	if (!ret)
		ctx->process_memory = process;
	return ret;
}

static struct kvgpu_process *process_create(struct kvgpu_ctx *ctx)
{
	struct kvgpu_process *process = kzalloc(sizeof(*process), GFP_KERNEL_ACCOUNT);

	if (!process)
		return NULL;
	kref_init(&process->ref);
	mutex_init(&process->use);
	spin_lock_init(&process->lock);
	xa_init_flags(&process->pages, XA_FLAGS_ACCOUNT);
	init_waitqueue_head(&process->wait);
	init_completion(&process->ended);
	INIT_WORK(&process->start, process_start);
	process->ctx = ctx;
	process->tgid = task_tgid_nr(current);
	process->mm = current->mm;
	mmgrab(process->mm);
	process->memcg = get_mem_cgroup_from_mm(process->mm);
	return process;
}

int kvgpu_process_enable(struct kvgpu_ctx *ctx)
{
	struct kvgpu_process *process = process_create(ctx);
	int ret = -ENOMEM;

	if (!process)
		return ret;
	ret = mmu_interval_notifier_insert(&process->notifier, process->mm, 0,
					   ULONG_MAX & PAGE_MASK, &notifier_ops);
	/* the first notifier of a process is refused while a signal is pending, or the freezer */
	if (ret == -EINTR)
		ret = -ERESTARTNOINTR;
	if (ret)
		goto free;
	ret = kvgpu_inbox_call_killable(&ctx->inbox, do_enable, process);
	if (!ret)
		return 0;
	mmu_interval_notifier_remove(&process->notifier);
free:
	kref_put(&process->ref, process_free);
	return ret == -EALREADY ? 0 : ret;
}

void kvgpu_process_disable(struct kvgpu_ctx *ctx)
{
	struct kvgpu_process *process = ctx->process_memory;

	if (!process)
		return;
	mutex_lock(&process->use);
	WRITE_ONCE(process->ctx, NULL);
	mutex_unlock(&process->use);
	wake_up(&process->wait);
}

void kvgpu_process_exit(struct kvgpu_ctx *ctx)
{
	struct kvgpu_process *process = ctx->process_memory;

	if (!process)
		return;
	cancel_work_sync(&process->start);
	if (process->thread)
		wait_for_completion_timeout(&process->ended, CLOSE_WAIT);
	else
		mmu_interval_notifier_remove(&process->notifier);
	kref_put(&process->ref, process_free);
}
