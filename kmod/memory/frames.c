// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages behind the frames of VRAM. The model asks for one when a device page is first written and
 * gives it back with the mapping, on the actor's thread; who unmapped it or closed the context
 * frees it.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "kmod/memory/memory.h"

/* Look at the machine's memory once in so many frames. */
#define GETS_PER_LOOK	256u

void kvgpu_memory_init(struct kvgpu_memory *memory)
{
	memory->names = RB_ROOT;
	INIT_LIST_HEAD(&memory->released);
	spin_lock_init(&memory->pins_lock);
	INIT_LIST_HEAD(&memory->pins_by_age);
}

/* They belong to no process that could be killed for them: they leave the rest a sixteenth. */
bool kvgpu_machine_low(void)
{
	return si_mem_available() < (long)(totalram_pages() / 16);
}

/* While the machine has less, a device that has used up its share is told so at every frame. */
bool kvgpu_memory_low(struct kvgpu_dev *kdev)
{
	if (kdev->memory->low || kdev->memory->gets++ % GETS_PER_LOOK == 0)
		kdev->memory->low = kvgpu_machine_low();
	return kdev->memory->low;
}

void *kvgpu_frame_alloc(struct kvgpu_dev *kdev, u32 context)
{
	struct kvgpu_ctx *ctx = xa_load(&kdev->contexts, context);
	struct page *page;

	BUILD_BUG_ON(PAGE_SIZE != VGPU_PAGE_SIZE);
	if (kvgpu_memory_low(kdev))
		return NULL;
	/*
	 * The control group of who opened the context pays. Rather no frame than the out-of-memory
	 * killer: the model turns NULL into a fault of the context that wanted one.
	 */
	page = vgpu_payer_page(ctx ? &ctx->payer : NULL);
	if (!page) {
		/* the machine has none, or the group is at its limit */
		kdev->memory->low = true;
		return NULL;
	}
	atomic64_inc(&kdev->memory->frames);
	return page_address(page);
}

/* Who gives back frees, but no more than this: they count as free device memory already. */
static bool too_many(struct kvgpu_dev *kdev)
{
	s64 limit = kdev->config.vram_bytes / VGPU_PAGE_SIZE / 4;

	return atomic64_read(&kdev->memory->unfreed) >= limit;
}

void kvgpu_frame_release(struct kvgpu_dev *kdev, void *frame)
{
	if (too_many(kdev)) {
		free_page((unsigned long)frame);
		atomic64_dec(&kdev->memory->frames);
	} else {
		atomic64_inc(&kdev->memory->unfreed);
		list_add(&virt_to_page(frame)->lru, &kdev->memory->released);
	}
	/* a context can hold a million */
	cond_resched();
}

void kvgpu_frames_collect(struct kvgpu_dev *kdev, struct list_head *frames)
{
	list_splice_init(&kdev->memory->released, frames);
}

void kvgpu_frames_free(struct kvgpu_dev *kdev, struct list_head *frames)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, frames, lru) {
		__free_page(page);
		atomic64_dec(&kdev->memory->frames);
		atomic64_dec(&kdev->memory->unfreed);
		cond_resched();
	}
	INIT_LIST_HEAD(frames);
}
