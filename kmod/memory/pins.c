// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process memory of commands. Pages are pinned when a command is submitted, by the submitter: a
 * page that is slow to come (swap, userfaultfd, FUSE) stalls the process it belongs to and never
 * the actor. The actor then copies through the pinned pages, whatever has become of the process.
 *
 * Giving back pages that were written may sleep on their lock, so the actor hands those to a work
 * item unless every page is dirty already, which they were made when they were pinned and nearly
 * always still are.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "kmod/memory/memory.h"

/* Pages pinned in one go, between two looks at pending signals. */
#define PIN_CHUNK	1024u

struct kvgpu_pin {
	struct kvgpu_ctx *ctx;
	struct llist_node node;		/* in ctx->pins->finished */
	u32 count;			/* pages */
	u32 first;			/* offset of the memory in the first page */
	u64 bytes;
	bool write;			/* the device writes it */
	struct page *page[];
};

static atomic64_t pinned_total;		/* pages, of all contexts */

u64 kvgpu_pinned_pages(void)
{
	return atomic64_read(&pinned_total);
}

static void pin_uncharge(struct kvgpu_ctx *ctx, u64 pages)
{
	atomic64_sub(pages, &pinned_total);
	atomic64_sub(pages, &ctx->pins->pages);
}

/* Reserve room for @pages more. A single context and all together are bounded. */
static bool pin_charge(struct kvgpu_ctx *ctx, u64 pages)
{
	/* one page more per command than its bytes need, when it is not aligned */
	u64 limit = (VGPU_PINNED_MAX >> PAGE_SHIFT) + VGPU_SUBMIT_MAX;
	u64 own = atomic64_add_return(pages, &ctx->pins->pages);
	u64 all = atomic64_add_return(pages, &pinned_total);

	/* a context that holds nothing else always gets its turn */
	if (own <= limit && (all <= totalram_pages() / 2 || own == pages))
		return true;
	pin_uncharge(ctx, pages);
	return false;
}

/*
 * All @count pages, or none. Pinned as for direct I/O, until the copy is done, and not
 * FOLL_LONGTERM: that does not wait for pages that userfaultfd brings, and refuses to write to
 * mapped files.
 */
static int pages_pin(struct page **page, u64 address, u64 count, bool write)
{
	u64 done = 0;
	int ret;

	while (done < count) {
		ret = pin_user_pages_fast(address + (done << PAGE_SHIFT),
					  min_t(u64, count - done, PIN_CHUNK),
					  write ? FOLL_WRITE : 0, page + done);
		if (ret > 0)
			done += ret;
		if (fatal_signal_pending(current))
			ret = -EINTR;
		if (ret <= 0) {
			unpin_user_pages(page, done);
			return ret ? ret : -EFAULT;
		}
		cond_resched();
	}
	return 0;
}

struct kvgpu_pin *kvgpu_pin(struct kvgpu_ctx *ctx, u64 address, u64 bytes, bool write)
{
	u32 first = offset_in_page(address);
	u64 count = (first + bytes + PAGE_SIZE - 1) >> PAGE_SHIFT;
	struct kvgpu_pin *pin;
	int ret = -ENOMEM;
	u32 i;

	if (!access_ok((void __user *)(uintptr_t)address, bytes))
		return ERR_PTR(-EFAULT);
	if (!pin_charge(ctx, count))
		return ERR_PTR(-EAGAIN);
	pin = kvmalloc(struct_size(pin, page, count), GFP_KERNEL_ACCOUNT);
	if (pin)
		ret = pages_pin(pin->page, address - first, count, write);
	if (ret) {
		kvfree(pin);
		pin_uncharge(ctx, count);
		return ERR_PTR(ret);
	}
	pin->ctx = ctx;
	pin->count = count;
	pin->first = first;
	pin->bytes = bytes;
	pin->write = write;
	for (i = 0; write && i < count; i++)
		if (!PageDirty(pin->page[i]))
			set_page_dirty_lock(pin->page[i]);
	atomic64_inc(&ctx->kdev->memory->pins);
	return pin;
}

static void pin_free(struct kvgpu_pin *pin)
{
	struct kvgpu_ctx *ctx = pin->ctx;

	pin_uncharge(ctx, pin->count);
	atomic64_dec(&ctx->kdev->memory->pins);
	kvfree(pin);
}

static void unpin_work(struct work_struct *work)
{
	struct kvgpu_pins *pins = container_of(work, struct kvgpu_pins, work);
	struct kvgpu_pin *pin, *next;

	llist_for_each_entry_safe(pin, next, llist_del_all(&pins->finished), node) {
		unpin_user_pages_dirty_lock(pin->page, pin->count, true);
		pin_free(pin);
		cond_resched();
	}
}

void kvgpu_pins_init(struct kvgpu_pins *pins)
{
	init_llist_head(&pins->finished);
	INIT_WORK(&pins->work, unpin_work);
}

void kvgpu_unpin(struct kvgpu_pin *pin)
{
	struct kvgpu_ctx *ctx = pin->ctx;
	u32 i = 0;

	while (pin->write && i < pin->count && PageDirty(pin->page[i]))
		i++;
	if (!pin->write || i == pin->count) {
		unpin_user_pages(pin->page, pin->count);
		pin_free(pin);
		return;
	}
	llist_add(&pin->node, &ctx->pins->finished);
	queue_work(system_unbound_wq, &ctx->pins->work);
}

/* Copy between @memory, which is the device's, and the pinned pages. Actor. */
int kvgpu_pin_move(struct kvgpu_pin *pin, u64 offset, void *memory, u32 bytes, enum vgpu_move dir)
{
	u64 at = pin->first + offset;

	if (WARN_ON_ONCE(offset > pin->bytes || bytes > pin->bytes - offset ||
			 pin->write != (dir == VGPU_MOVE_TO_HOST)))
		return -EFAULT;
	while (bytes) {
		struct page *page = pin->page[at >> PAGE_SHIFT];
		u32 in_page = offset_in_page(at);
		u32 now = min_t(u32, bytes, PAGE_SIZE - in_page);

		if (dir == VGPU_MOVE_TO_HOST)
			memcpy_to_page(page, in_page, memory, now);
		else
			memcpy_from_page(memory, page, in_page, now);
		memory += now;
		at += now;
		bytes -= now;
	}
	return 0;
}
