// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: managed memory of processes
 *
 * The device decides on which side a page of managed memory is (sim-device/mmu/managed.c). Its
 * bytes are in a page of this machine, the same one for processes and for the device, from the
 * first touch until it is unmapped. So nothing is copied or lost when it changes sides; what
 * changes is whether processes have it in their page tables:
 *
 *   fault      The thread has the actor ask the device for the page, and waits while it moves, with
 *              no lock of the process held. What the device lets processes access is *granted*, a
 *              mark of the page that the actor sets; what they may write is *writable*, too.
 *              Granted pages are mapped without asking, for reading if they are not writable.
 *   revoke     The device takes pages: the actor clears the marks and leaves it to a work item to
 *              take the pages out of processes. Until that has run, a few microseconds, a process
 *              may still access them. It sees the same bytes as the device. Whoever waits for the
 *              device by an ioctl finds it done when he returns (kvgpu_managed_settle()).
 *   protect    The same for pages that processes may go on to read: they are mapped again by the
 *              next access, which asks nobody.
 *
 * A write to a page that is mapped for reading comes to page_mkwrite(), which may not let go of the
 * lock of the process: if it has to wait, it takes the page out, and the access faults anew. An
 * instruction that reads before it writes would fault for its read then, over and over: the page is
 * marked as *written*, and the next fault is served as one of a write.
 *
 * A thread that has waited for a page makes one access even if the device has taken it again
 * meanwhile, as if it had been a moment earlier. Otherwise a kernel that reads a word over and over
 * until the host writes it would keep the host from doing so.
 *
 * The pages are the kernel's: the control group of who opened the file pays, they are not swapped,
 * merged or migrated, and they can be pinned, by direct I/O or a debugger, as others.
 *
 * DOC: who waits for whom
 *
 * The actor takes only the spinlocks of the xarray and of the zaps, sleeps for no memory that a
 * process or its control group has to free (vgpu_payer_page()), and touches no page table of a
 * process. So no process can hold it up, however slow its memory is. Everybody else, from the
 * outside in:
 *
 * managed->ranges	map and unmap; held while the actor is asked
 * mmap_lock		page faults; not held while the actor is asked, unless the caller of the
 *			fault cannot do without it (access to another process, a second time)
 * managed->slots	while the actor is asked for a page
 * managed->entries	never held while the actor is asked. Read: pages are put into page tables
 *			or into managed->pages, by threads; allocates. Write: they are taken out
 * i_mmap_rwsem, page table locks, by unmap_mapping_range() and vm_insert_page()
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "kmod/memory/memory.h"
#include "kmod/fence/fence.h"

#define GRANTED		XA_MARK_0
#define WRITABLE	XA_MARK_1
#define WRITTEN		XA_MARK_2
/* Granted pages around the one that is touched, aligned, are mapped with it. */
#define AROUND		16u
/* So many threads of a context ask for pages at the same time: the actor looks at all of them. */
#define SLOTS		64

#define FIRST_OFFSET	((unsigned long)(VGPU_MMAP_MANAGED >> PAGE_SHIFT))

/** struct managed_wait - a thread that wants a page; on its stack */
struct managed_wait {
	struct kvgpu_msg msg;
	struct kvgpu_waiter waiter;
	struct list_head node;		/* actor: in managed->waiting, while the page moves */
	u64 address;
	bool write;
	/* bytes that the device lets processes access, with the page */
	u64 first;
	u64 bytes;
	int result;
	struct completion over;
};

/* ---- pages -------------------------------------------------------------- */

/*
 * Have @page for @index, unless there is one already. Returns which; NULL: @page is, or there is no
 * memory for the entry.
 */
static struct page *page_add(struct kvgpu_managed *managed, unsigned long index, struct page *page,
			     gfp_t flags)
{
	struct page *other;

	if (!page)
		return NULL;
	other = xa_cmpxchg(&managed->pages, index, NULL, page, flags);
	if (!other) {
		atomic64_inc(&managed->ctx->kdev->memory->managed);
		return page;
	}
	__free_page(page);
	return xa_is_err(other) ? NULL : other;
}

/* Processes may have it still. Under entries, for writing. */
static void page_remove(struct kvgpu_managed *managed, unsigned long index)
{
	struct page *page = xa_erase(&managed->pages, index);

	put_page(page);
	atomic64_dec(&managed->ctx->kdev->memory->managed);
}

void *kvgpu_managed_page(struct kvgpu_dev *kdev, u32 context, u64 address)
{
	struct kvgpu_ctx *ctx = xa_load(&kdev->contexts, context);
	unsigned long index = address >> PAGE_SHIFT;
	struct mem_cgroup *before;
	struct page *page;

	kvgpu_assert_actor(kdev);
	page = xa_load(&ctx->managed->pages, index);
	if (page)
		return page_address(page);
	if (kvgpu_memory_low(kdev))
		return NULL;
	before = set_active_memcg(ctx->payer.memcg);
	page = page_add(ctx->managed, index, vgpu_payer_page(&ctx->payer),
			GFP_NOWAIT | __GFP_NOWARN);
	set_active_memcg(before);
	return page ? page_address(page) : NULL;
}

/*
 * Pages for what the device granted, where there are none. 0: ask again; -ENOSPC: this machine has
 * too little memory; -ENOMEM, -EINTR: this thread shall end.
 */
static int pages_populate(struct kvgpu_managed *managed, const struct managed_wait *wait,
			  u32 unmapped)
{
	unsigned long index = wait->first >> PAGE_SHIFT;
	unsigned long end = index + (wait->bytes >> PAGE_SHIFT);
	struct mem_cgroup *before;
	int ret = 0;

	if (kvgpu_machine_low())
		return -ENOSPC;
	if (down_read_killable(&managed->entries))
		return -EINTR;
	before = set_active_memcg(managed->ctx->payer.memcg);
	/* if a range has gone meanwhile, it may be this one */
	for (; !ret && index < end && managed->unmapped == unmapped; index++)
		if (!xa_load(&managed->pages, index) &&
		    !page_add(managed, index, alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO),
			      GFP_KERNEL))
			ret = -ENOMEM;
	set_active_memcg(before);
	up_read(&managed->entries);
	return ret;
}

/* ---- revoke ------------------------------------------------------------- */

static void processes_lose(struct kvgpu_managed *managed, unsigned long first, unsigned long last)
{
	unmap_mapping_range(&managed->mapping, (loff_t)(FIRST_OFFSET + first) << PAGE_SHIFT,
			    (loff_t)(last - first + 1) << PAGE_SHIFT, 1);
}

static void zap_work(struct work_struct *work)
{
	struct kvgpu_managed *managed = container_of(work, struct kvgpu_managed, zap);
	struct kvgpu_zap zaps[KVGPU_ZAPS];
	u32 count, i;

	spin_lock(&managed->zaps_lock);
	count = managed->zap_count;
	memcpy(zaps, managed->zaps, count * sizeof(*zaps));
	managed->zap_count = 0;
	spin_unlock(&managed->zaps_lock);
	/* who has seen that a page was granted has mapped it then */
	down_write(&managed->entries);
	up_write(&managed->entries);
	for (i = 0; i < count; i++)
		processes_lose(managed, zaps[i].first, zaps[i].last);
}

static void zap_later(struct kvgpu_managed *managed, unsigned long first, unsigned long last)
{
	struct kvgpu_zap *zap = NULL;

	spin_lock(&managed->zaps_lock);
	if (managed->zap_count)
		zap = &managed->zaps[managed->zap_count - 1];
	/* one that is too large costs its processes faults that ask nobody */
	if (zap && (managed->zap_count == KVGPU_ZAPS ||
		    (first <= zap->last + 1 && zap->first <= last + 1))) {
		zap->first = min(zap->first, first);
		zap->last = max(zap->last, last);
	} else {
		managed->zaps[managed->zap_count++] = (struct kvgpu_zap){ first, last };
	}
	spin_unlock(&managed->zaps_lock);
	queue_work(system_unbound_wq, &managed->zap);
}

/* Pages lose @mark, and the right to write. */
static void marks_go(struct kvgpu_dev *kdev, u32 context, u64 address, u64 bytes, xa_mark_t mark)
{
	struct kvgpu_ctx *ctx = xa_load(&kdev->contexts, context);
	unsigned long first = address >> PAGE_SHIFT, last = first + (bytes >> PAGE_SHIFT) - 1;
	struct xarray *pages = &ctx->managed->pages;
	unsigned long index = first;
	bool any = false;

	kvgpu_assert_actor(kdev);
	while (xa_find(pages, &index, last, mark)) {
		xa_clear_mark(pages, index, mark);
		xa_clear_mark(pages, index, WRITABLE);
		any = true;
	}
	if (any)
		zap_later(ctx->managed, first, last);
}

void kvgpu_managed_revoke(struct kvgpu_dev *kdev, u32 context, u64 address, u64 bytes)
{
	marks_go(kdev, context, address, bytes, GRANTED);
}

void kvgpu_managed_protect(struct kvgpu_dev *kdev, u32 context, u64 address, u64 bytes)
{
	marks_go(kdev, context, address, bytes, WRITABLE);
}

void kvgpu_managed_settle(struct kvgpu_managed *managed)
{
	if (!xa_empty(&managed->pages))
		flush_work(&managed->zap);
}

/* ---- wait for a page (actor) -------------------------------------------- */

static void wait_end(struct managed_wait *wait, int result)
{
	wait->result = result;
	complete(&wait->over);
}

/* Processes may access these @bytes. */
static void wait_grant(const struct managed_wait *wait, u64 address, u64 bytes, bool writable)
{
	struct xarray *pages = &wait->waiter.ctx->managed->pages;
	unsigned long index = address >> PAGE_SHIFT;
	unsigned long last = index + (bytes >> PAGE_SHIFT) - 1;
	void *page;

	if (!bytes)
		return;

	for (page = xa_find(pages, &index, last, XA_PRESENT); page;
	     page = xa_find_after(pages, &index, last, XA_PRESENT)) {
		xa_set_mark(pages, index, GRANTED);
		if (writable)
			xa_set_mark(pages, index, WRITABLE);
	}
}

/* Ask the device; if the page is on its way, until it has arrived. */
static void wait_fetch(struct managed_wait *wait)
{
	struct kvgpu_waiter *waiter = &wait->waiter;
	struct kvgpu_ctx *ctx = waiter->ctx;
	bool writable = true;
	u64 behind;
	int ret;

	ret = vgpu_managed_fetch(ctx->kdev->model, ctx->id, wait->address, wait->write,
				 &wait->first, &wait->bytes, &writable);
	if (ret == -EAGAIN) {
		waiter->blocks = ctx->kdev->system->clock->mode == KVGPU_LOCKSTEP;
		/* without fences it begins in any case */
		WARN_ON_ONCE(kvgpu_waiter_add(waiter));
		list_add_tail(&wait->node, &ctx->managed->waiting);
		kvgpu_user_wants(ctx, 1);
		return;
	}
	if (!ret) {
		wait_grant(wait, wait->first, wait->bytes, writable);
		behind = wait->first + wait->bytes;
		wait_grant(wait, behind, vgpu_managed_ahead(ctx->kdev->model, ctx->id, behind),
			   true);
	}
	/* what the device has no memory for is no fault of this machine's */
	wait_end(wait, ret == -ENOMEM ? -ENOSPC : ret);
}

static void wait_over(struct kvgpu_waiter *waiter, int result)
{
	struct managed_wait *wait = container_of(waiter, struct managed_wait, waiter);

	list_del_init(&wait->node);
	kvgpu_user_wants(waiter->ctx, -1);
	/* it has arrived, or the clock is a lockstep clock from now on */
	if (!result || result == -EAGAIN)
		wait_fetch(wait);
	else
		wait_end(wait, result);
}

static int do_fetch(struct kvgpu_dev *kdev, void *arg)
{
	wait_fetch(arg);
	return 0;
}

/* The thread was killed, unless it has been answered meanwhile. */
static int do_cancel(struct kvgpu_dev *kdev, void *arg)
{
	struct managed_wait *wait = arg;

	if (!completion_done(&wait->over))
		kvgpu_waiter_end(&wait->waiter, -EINTR);
	return 0;
}

void kvgpu_managed_arrived(struct kvgpu_dev *kdev, u32 context, u64 address, u64 bytes)
{
	struct kvgpu_ctx *ctx = xa_load(&kdev->contexts, context);
	struct managed_wait *wait, *next;

	kvgpu_assert_actor(kdev);
	list_for_each_entry_safe(wait, next, &ctx->managed->waiting, node) {
		if (wait->address - address >= bytes)
			continue;
		list_del_init(&wait->node);
		kvgpu_waiter_ready(&wait->waiter, VGPU_FENCE_NONE);
		/* its turn is before an SM can touch the page again */
		vgpu_device_stop(kdev->model);
	}
}

/* ---- faults (threads) --------------------------------------------------- */

static bool fetch_is_over(void *arg)
{
	return completion_done(arg);
}

static int fetch_once(struct kvgpu_ctx *ctx, struct managed_wait *wait)
{
	init_completion(&wait->over);
	kvgpu_inbox_send(&ctx->inbox, &wait->msg, do_fetch, wait);
	/* messages are served in order: the actor knows it when it is told to cancel it */
	if (!kvgpu_spin(fetch_is_over, &wait->over) && wait_for_completion_killable(&wait->over))
		kvgpu_inbox_call(&ctx->inbox, do_cancel, wait);
	return wait->result;
}

/*
 * Have the device let processes access page @index. -EFAULT: it is not managed; -ENOSPC: there is
 * no memory; -ENOMEM, -EINTR: this thread shall end.
 */
static int managed_fetch(struct kvgpu_managed *managed, unsigned long index, bool write)
{
	struct managed_wait wait = { .address = (u64)index << PAGE_SHIFT, .write = write };
	struct kvgpu_ctx *ctx = managed->ctx;
	u32 unmapped;
	int ret;

	if (down_killable(&managed->slots))
		return -EINTR;
	kvgpu_waiter_init(&wait.waiter, ctx, NULL, 0, wait_over);
	wait.waiter.ordered = true;
	INIT_LIST_HEAD(&wait.node);
	do {
		unmapped = READ_ONCE(managed->unmapped);
		ret = fetch_once(ctx, &wait);
		if (ret || xa_load(&managed->pages, index))
			break;
		ret = pages_populate(managed, &wait, unmapped);
	} while (!ret);
	up(&managed->slots);
	return ret;
}

static int pte_write_allowed(pte_t *pte, unsigned long address, void *arg)
{
	pte_t entry = ptep_get(pte);

	if (pte_present(entry) && !pte_write(entry))
		set_pte(pte, kvgpu_pte_mkwrite(pte_mkdirty(entry)));
	return 0;
}

/*
 * Because of page_mkwrite() the kernel maps pages for reading. If @write, where the mapping allows
 * that, this one is writable at once: a write to each page would be a fault more.
 */
static int page_insert(struct vm_area_struct *vma, unsigned long index, struct page *page,
		       bool write)
{
	unsigned long offset = FIRST_OFFSET + index - vma->vm_pgoff;
	unsigned long address = vma->vm_start + (offset << PAGE_SHIFT);
	int ret = vm_insert_page(vma, address, page);

	/* -EBUSY: another thread has */
	if (ret && ret != -EBUSY)
		return ret;
	return write && vma->vm_flags & VM_WRITE ?
		       apply_to_existing_page_range(vma->vm_mm, address, PAGE_SIZE,
						    pte_write_allowed, NULL) :
		       0;
}

/* Map page @index, and what is granted around it. 0: there is no such page. */
static vm_fault_t pages_insert(struct vm_area_struct *vma, struct kvgpu_managed *managed,
			       unsigned long index, bool write)
{
	unsigned long vma_first = vma->vm_pgoff - FIRST_OFFSET;
	unsigned long around = round_down(index, AROUND), n = max(around, vma_first);
	unsigned long last = min(around + AROUND, vma_first + vma_pages(vma)) - 1;
	bool granted, writable;
	struct page *page;
	int ret;

	down_read(&managed->entries);
	page = xa_load(&managed->pages, index);
	writable = xa_get_mark(&managed->pages, index, WRITABLE);
	granted = write ? writable : xa_get_mark(&managed->pages, index, GRANTED);
	ret = page ? page_insert(vma, index, page, write || writable) : -ENOENT;
	for (page = xa_find(&managed->pages, &n, last, GRANTED); page && !ret;
	     page = xa_find_after(&managed->pages, &n, last, GRANTED))
		ret = page_insert(vma, n, page, xa_get_mark(&managed->pages, n, WRITABLE));
	up_read(&managed->entries);
	if (ret)
		return ret == -ENOENT ? 0 : vmf_error(ret);
	if (write)
		xa_clear_mark(&managed->pages, index, WRITTEN);
	if (!granted)
		zap_later(managed, index, index);
	return VM_FAULT_NOPAGE;
}

static vm_fault_t managed_fault(struct vm_fault *vmf)
{
	struct file *file = vmf->vma->vm_file;
	struct kvgpu_ctx *ctx = file->private_data;
	struct kvgpu_managed *managed = ctx->managed;
	unsigned long index = vmf->pgoff - FIRST_OFFSET;
	bool write = vmf->flags & FAULT_FLAG_WRITE ||
		     xa_get_mark(&managed->pages, index, WRITTEN);
	vm_fault_t result = 0;
	int ret;

	/* another context wants it as memory of this process: its thread must not wait for us */
	if (!current->mm)
		return VM_FAULT_SIGBUS;
	if (vmf->flags & FAULT_FLAG_TRIED ||
	    xa_get_mark(&managed->pages, index, write ? WRITABLE : GRANTED))
		result = pages_insert(vmf->vma, managed, index, write);
	if (result)
		return result;
	if (fault_flag_allow_retry_first(vmf->flags)) {
		if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
			return VM_FAULT_RETRY;
		/* Without the lock the file may be unmapped and closed. Errors come up again. */
		get_file(file);
		kvgpu_release_fault_lock(vmf);
		managed_fetch(managed, index, write);
		fput(file);
		return VM_FAULT_RETRY;
	}
	ret = managed_fetch(managed, index, write);
	if (ret == -ENOMEM)
		return VM_FAULT_OOM;
	if (ret && ret != -EINTR)
		return VM_FAULT_SIGBUS;
	return pages_insert(vmf->vma, managed, index, write) ?: VM_FAULT_NOPAGE;
}

static vm_fault_t managed_mkwrite(struct vm_fault *vmf)
{
	struct kvgpu_ctx *ctx = vmf->vma->vm_file->private_data;
	struct kvgpu_managed *managed = ctx->managed;
	unsigned long index = vmf->pgoff - FIRST_OFFSET;
	vm_fault_t result = 0;

	if (xa_get_mark(&managed->pages, index, WRITABLE))
		result = pages_insert(vmf->vma, managed, index, true);
	if (result)
		return result;
	xa_set_mark(&managed->pages, index, WRITTEN);
	processes_lose(managed, index, index);
	return VM_FAULT_NOPAGE;
}

static const struct vm_operations_struct managed_vm_ops = {
	.fault = managed_fault,
	.page_mkwrite = managed_mkwrite,
};

int kvgpu_managed_mmap(struct kvgpu_ctx *ctx, struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	/* a child has no device; and who dumps its core shall not wait for one */
	kvgpu_vm_flags(vma, VM_MIXEDMAP | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, 0);
	vma->vm_ops = &managed_vm_ops;
	return 0;
}

/* ---- ranges and contexts ------------------------------------------------ */

void kvgpu_managed_unmapped(struct kvgpu_managed *managed, u64 address, u64 bytes)
{
	unsigned long first = address >> PAGE_SHIFT, last = first + (bytes >> PAGE_SHIFT) - 1;
	unsigned long index = first;

	lockdep_assert_held(&managed->ranges);
	down_write(&managed->entries);
	WRITE_ONCE(managed->unmapped, managed->unmapped + 1);
	while (xa_find(&managed->pages, &index, last, XA_PRESENT)) {
		page_remove(managed, index);
		cond_resched();
	}
	processes_lose(managed, first, last);
	up_write(&managed->entries);
}

void kvgpu_managed_init(struct kvgpu_managed *managed, struct kvgpu_ctx *ctx)
{
	managed->ctx = ctx;
	address_space_init_once(&managed->mapping);
	xa_init_flags(&managed->pages, XA_FLAGS_ACCOUNT);
	mutex_init(&managed->ranges);
	init_rwsem(&managed->entries);
	sema_init(&managed->slots, SLOTS);
	INIT_LIST_HEAD(&managed->waiting);
	spin_lock_init(&managed->zaps_lock);
	INIT_WORK(&managed->zap, zap_work);
}

void kvgpu_managed_open(struct kvgpu_managed *managed, struct file *file)
{
	managed->mapping.host = file->f_mapping->host;
	managed->mapping.a_ops = file->f_mapping->a_ops;
	file->f_mapping = &managed->mapping;
}

void kvgpu_managed_exit(struct kvgpu_managed *managed)
{
	unsigned long index;
	struct page *page;

	cancel_work_sync(&managed->zap);
	WARN_ON_ONCE(!list_empty(&managed->waiting));
	down_write(&managed->entries);
	xa_for_each(&managed->pages, index, page) {
		page_remove(managed, index);
		cond_resched();
	}
	up_write(&managed->entries);
	xa_destroy(&managed->pages);
}
