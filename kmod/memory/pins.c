// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process memory of commands. Pages are pinned when a command is submitted, by the submitter: a
 * page that is slow to come (swap, userfaultfd, FUSE) stalls the process it belongs to and never
 * the actor. The actor then copies through the pinned pages, whatever has become of the process.
 *
 * How much is pinned, and for how long, a process decides: a copy may stand behind a kernel that
 * does not end. So pins count as locked memory of the user who submits, as those of io_uring do
 * (user_struct.locked_vm against RLIMIT_MEMLOCK, unless CAP_IPC_LOCK). Direct I/O, which pins for
 * as long as one request takes, is not counted at all; what one user's copies may pin beside the
 * limit (KVGPU_PINNED_USER) lets a process with a limit of 8 MiB, or of 0, copy as any other.
 *
 * And memory is pinned for pin_timeout_ms at most: who has the device hold it for longer is ended,
 * context and all, as by the timeout of kernels (kmod/device/system.c). A day unless it is set,
 * since long kernels before a copy are nothing unusual here.
 *
 * Giving back pages that were written may sleep on their lock, so the actor hands those to a work
 * item unless every page is dirty already, which they were made when they were pinned and nearly
 * always still are.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/highmem.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>

#include "kmod/fence/fence.h"
#include "kmod/memory/memory.h"

/* Pages pinned in one go, between two looks at pending signals. */
#define PIN_CHUNK	1024u

struct kvgpu_pin {
	struct kvgpu_ctx *ctx;
	struct user_struct *user;	/* that it counts for; NULL: CAP_IPC_LOCK */
	struct llist_node node;		/* in ctx->pins->finished */
	struct list_head by_age;	/* in kdev->memory->pins_by_age */
	u64 since;			/* ktime_get_ns() */
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

/* The same of the user who submits. *@user: him, if it counts. */
static bool user_charge(struct user_struct **user, u64 pages)
{
	/* a page more for each command, as above */
	u64 limit = (KVGPU_PINNED_USER >> PAGE_SHIFT) + VGPU_SUBMIT_MAX +
		    (rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT);
	struct user_struct *self = current_user();
	long now = atomic_long_read(&self->locked_vm);

	*user = NULL;
	if (capable(CAP_IPC_LOCK))
		return true;
	do
		if (now + pages > limit)
			return false;
	while (!atomic_long_try_cmpxchg(&self->locked_vm, &now, now + pages));
	*user = get_uid(self);
	return true;
}

static void user_uncharge(struct user_struct *user, u64 pages)
{
	if (!user)
		return;
	atomic_long_sub(pages, &user->locked_vm);
	free_uid(user);
}

/*
 * All @count pages, or none. Pinned as for direct I/O, until the copy is done, and not
 * FOLL_LONGTERM: that does not wait for pages that userfaultfd brings, and refuses to write to
 * mapped files. What FOLL_LONGTERM guards against, and what comes of it here:
 *
 * - Pages in ZONE_MOVABLE or CMA cannot be moved meanwhile: memory is unplugged, and contiguous
 *   memory given out, when the copies in it have ended, as with direct I/O. That their amount is
 *   bounded is what keeps it possible; killing who submitted them ends them.
 * - A file system writes a page back and checks it while the device still writes to it. Pages are
 *   made dirty when they are pinned and, if need be, again when they are given back, and the device
 *   writes them in between without telling the file system, as direct I/O into a mapped file does:
 *   see Documentation/core-api/pin_user_pages.rst, CASE 1.
 * - A file on DAX that is truncated waits for pins of its pages: only its own users wait.
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

/* ---- how long ----------------------------------------------------------- */

static void pin_begins(struct kvgpu_pin *pin)
{
	struct kvgpu_memory *memory = pin->ctx->kdev->memory;

	spin_lock(&memory->pins_lock);
	pin->since = ktime_get_ns();
	list_add_tail(&pin->by_age, &memory->pins_by_age);
	spin_unlock(&memory->pins_lock);
}

static void pin_ends(struct kvgpu_pin *pin)
{
	struct kvgpu_memory *memory = pin->ctx->kdev->memory;

	spin_lock(&memory->pins_lock);
	list_del(&pin->by_age);
	spin_unlock(&memory->pins_lock);
}

u64 kvgpu_pins_turn(struct kvgpu_dev *kdev, u64 now)
{
	u64 limit = (u64)READ_ONCE(kdev->pin_timeout_ms) * NSEC_PER_MSEC, left = KVGPU_IDLE;
	struct vgpu_fault fault = { .reason = VGPU_FAULT_WATCHDOG };
	struct kvgpu_memory *memory = kdev->memory;
	struct kvgpu_pin *pin;
	u32 context = 0;

	/* in lockstep time stands while participants run, which a copy cannot help */
	if (!limit || kdev->system->clock->mode == KVGPU_LOCKSTEP)
		return KVGPU_IDLE;
	spin_lock(&memory->pins_lock);
	pin = list_first_entry_or_null(&memory->pins_by_age, struct kvgpu_pin, by_age);
	if (pin && now < pin->since + limit) {
		left = pin->since + limit - now;
	} else if (pin) {
		/* one that has not been submitted yet does not end with its context */
		pin->since = now;
		list_move_tail(&pin->by_age, &memory->pins_by_age);
		context = pin->ctx->id;
		left = 0;
	}
	spin_unlock(&memory->pins_lock);
	if (context)
		vgpu_context_end(kdev->model, context, &fault);
	return left;
}

/* ---- for a command ------------------------------------------------------ */

struct kvgpu_pin *kvgpu_pin(struct kvgpu_ctx *ctx, u64 address, u64 bytes, bool write)
{
	u32 first = offset_in_page(address);
	u64 count = (first + bytes + PAGE_SIZE - 1) >> PAGE_SHIFT;
	struct user_struct *user;
	struct kvgpu_pin *pin;
	int ret = -ENOMEM;
	u32 i;

	if (!access_ok((void __user *)(uintptr_t)address, bytes))
		return ERR_PTR(-EFAULT);
	if (!user_charge(&user, count))
		return ERR_PTR(-EAGAIN);
	if (!pin_charge(ctx, count)) {
		user_uncharge(user, count);
		return ERR_PTR(-EAGAIN);
	}
	pin = kvmalloc(struct_size(pin, page, count), GFP_KERNEL_ACCOUNT);
	if (pin)
		ret = pages_pin(pin->page, address - first, count, write);
	if (ret) {
		kvfree(pin);
		pin_uncharge(ctx, count);
		user_uncharge(user, count);
		return ERR_PTR(ret);
	}
	pin->ctx = ctx;
	pin->user = user;
	pin->count = count;
	pin->first = first;
	pin->bytes = bytes;
	pin->write = write;
	for (i = 0; write && i < count; i++)
		if (!PageDirty(pin->page[i]))
			set_page_dirty_lock(pin->page[i]);
	atomic64_inc(&ctx->kdev->memory->pins);
	pin_begins(pin);
	return pin;
}

static void pin_free(struct kvgpu_pin *pin)
{
	struct kvgpu_ctx *ctx = pin->ctx;

	pin_uncharge(ctx, pin->count);
	user_uncharge(pin->user, pin->count);
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

	pin_ends(pin);
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
