// SPDX-License-Identifier: MIT
/*
 * Allocations and their views: who sees which bytes, with which rights, and when the frames go.
 */
#include "device/device.h"
#include "host.h"

#define PAGE	VGPU_PAGE_SIZE
#define A	0x7f0000000000ull
#define B	0x7f1000000000ull
#define ALL	~0ull

static struct vgpu_address_space *as_of(struct host *h, u32 context)
{
	return vgpu_context_find(h->dev, context)->as;
}

static u8 *page_at(struct host *h, u32 context, u64 address, bool write)
{
	u8 *page = NULL;

	assert_int_equal(vgpu_as_translate(as_of(h, context), address, write, &page),
			 VGPU_XLATE_OK);
	return page;
}

static void refused(struct host *h, u32 context, u64 address, bool write)
{
	u8 *page;

	assert_int_equal(vgpu_as_translate(as_of(h, context), address, write, &page),
			 VGPU_XLATE_UNMAPPED);
}

static void two_views_have_the_same_bytes(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), handle = 0;
	u8 word[4];

	(void)state;
	assert_int_equal(vgpu_memory_allocate(h->dev, c, 4 * PAGE, 0, &handle), 0);
	assert_int_not_equal(handle, 0);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, A, 4 * PAGE, handle, 0,
					      VGPU_RIGHTS_WRITE), 0);
	/* its last two pages */
	assert_int_equal(vgpu_memory_map_view(h->dev, c, B, 2 * PAGE, handle, 2 * PAGE,
					      VGPU_RIGHTS_WRITE), 0);
	/* read first: still not the page of zeros, which others would have, too */
	assert_ptr_equal(page_at(h, c, A + 2 * PAGE, false), page_at(h, c, B, true));
	assert_ptr_not_equal(page_at(h, c, A + 2 * PAGE, false), vgpu_zero_page);
	page_at(h, c, B + PAGE, true)[5] = 77;
	assert_int_equal(page_at(h, c, A + 3 * PAGE + 100, false)[5], 77);
	assert_int_equal(vgpu_memory_peek(h->dev, c, A + 3 * PAGE + 5, word, 1), 0);
	assert_int_equal(word[0], 77);
	assert_int_equal(h->frames, 2);
	/* the frames stay with the other view */
	assert_int_equal(vgpu_memory_unmap_part(h->dev, c, A, 4 * PAGE, ALL), 0);
	refused(h, c, A, false);
	assert_int_equal(h->frames, 2);
	assert_int_equal(page_at(h, c, B + PAGE, false)[5], 77);
	/* and with the handle */
	assert_int_equal(vgpu_memory_unmap_part(h->dev, c, B, 2 * PAGE, ALL), 0);
	assert_int_equal(h->frames, 2);
	assert_int_equal(vgpu_memory_release(h->dev, c, handle, ALL), 0);
	assert_int_equal(h->frames, 0);
	assert_int_equal(vgpu_memory_release(h->dev, c, handle, ALL), -ENOENT);
	host_free(h);
}

static void rights_are_kept(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), handle = 0;
	struct vgpu_tlb tlb;

	(void)state;
	assert_int_equal(vgpu_tlb_init(&tlb, &h->dev->config), 0);
	vgpu_tlb_serve(&tlb, as_of(h, c));
	assert_int_equal(vgpu_memory_allocate(h->dev, c, PAGE, 0, &handle), 0);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, A, PAGE, handle, 0, VGPU_RIGHTS_NONE), 0);
	refused(h, c, A, false);
	assert_int_equal(vgpu_memory_rights(h->dev, c, A, PAGE, VGPU_RIGHTS_READ, ALL), 0);
	page_at(h, c, A, false);
	refused(h, c, A, true);
	/* SMs that look for pages themselves do not find one that they could then write */
	assert_null(vgpu_mmu_walk(as_of(h, c), A));
	assert_int_equal(vgpu_memory_rights(h->dev, c, A, PAGE, VGPU_RIGHTS_WRITE, ALL), 0);
	page_at(h, c, A, true)[0] = 3;
	assert_non_null(vgpu_mmu_walk(as_of(h, c), A));
	/* what a TLB has is taken from it */
	vgpu_tlb_keep(&tlb.entries[(A >> VGPU_PAGE_SHIFT) % VGPU_TLB_ENTRIES],
		      A >> VGPU_PAGE_SHIFT, page_at(h, c, A, true), true);
	assert_int_equal(vgpu_memory_rights(h->dev, c, A, PAGE, VGPU_RIGHTS_NONE, ALL), 0);
	assert_int_not_equal(tlb.entries[(A >> VGPU_PAGE_SHIFT) % VGPU_TLB_ENTRIES].page,
			     A >> VGPU_PAGE_SHIFT);
	refused(h, c, A, false);
	assert_int_equal(vgpu_memory_rights(h->dev, c, A, PAGE, 3, ALL), -EINVAL);
	assert_int_equal(vgpu_memory_rights(h->dev, c, A + PAGE, PAGE, 1, ALL), -ENOENT);
	assert_int_equal(vgpu_memory_rights(h->dev, c, A, 2 * PAGE, 1, ALL), -ENOENT);
	assert_int_equal(vgpu_memory_rights(h->dev, 99, A, PAGE, 1, ALL), -ENOENT);
	vgpu_tlb_leave(&tlb);
	vgpu_tlb_fini(&tlb);
	host_free(h);
}

static void what_is_wrong_is_refused(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), d = host_open(h), handle = 0;
	struct vgpu_allocation *exported;

	(void)state;
	assert_int_equal(vgpu_memory_allocate(h->dev, c, 0, 0, &handle), -EINVAL);
	assert_int_equal(vgpu_memory_allocate(h->dev, c, 100, 0, &handle), -EINVAL);
	assert_int_equal(vgpu_memory_allocate(h->dev, c, 1ull << 40, 0, &handle), -ENOMEM);
	assert_int_equal(vgpu_memory_allocate(h->dev, c, ~0ull << 12, 0, &handle), -ENOMEM);
	assert_int_equal(vgpu_memory_allocate(h->dev, 99, PAGE, 0, &handle), -ENOENT);
	assert_int_equal(vgpu_memory_allocate(h->dev, c, 4 * PAGE, 0, &handle), 0);
	/* not this context's */
	assert_int_equal(vgpu_memory_map_view(h->dev, d, A, PAGE, handle, 0, 2), -ENOENT);
	assert_int_equal(vgpu_memory_release(h->dev, d, handle, ALL), -ENOENT);
	assert_int_equal(vgpu_memory_export(h->dev, d, handle, &exported), -ENOENT);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, A, PAGE, 0, 0, 2), -ENOENT);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, A, PAGE, ~0u, 0, 2), -ENOENT);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, A, PAGE, handle + 1, 0, 2), -ENOENT);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, A, PAGE, handle, 1, 2), -EINVAL);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, A, PAGE, handle, 4 * PAGE, 2), -EINVAL);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, A, PAGE, handle, ~0ull << 12, 2),
			 -EINVAL);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, A, 5 * PAGE, handle, 0, 2), -EINVAL);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, A, 2 * PAGE, handle, 3 * PAGE, 2),
			 -EINVAL);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, A, 0, handle, 0, 2), -EINVAL);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, A, 100, handle, 0, 2), -EINVAL);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, A, PAGE, handle, 0, 7), -EINVAL);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, VGPU_SYSTEM_BASE, PAGE, handle, 0, 2),
			 -EEXIST);
	assert_int_equal(vgpu_memory_map(h->dev, c, A, PAGE), 0);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, A, PAGE, handle, 0, 2), -EEXIST);
	/* rights are of views only */
	assert_int_equal(vgpu_memory_rights(h->dev, c, A, PAGE, 1, ALL), -ENOENT);
	host_free(h);
}

/* 600 pages are in two chunks of 512: of those that are full, one goes at a time. */
static void memory_goes_in_parts(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), handle = 0;
	struct vgpu_device_info info;

	(void)state;
	vgpu_device_info(h->dev, &info);
	assert_int_equal(vgpu_memory_allocate(h->dev, c, 600 * PAGE, 0, &handle), 0);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, A, 600 * PAGE, handle, 0, 2), 0);
	for (u32 n = 0; n < 600; n++)
		page_at(h, c, A + n * PAGE, true)[0] = 1;
	assert_int_equal(h->frames, 600);
	/* the view keeps it */
	assert_int_equal(vgpu_memory_release(h->dev, c, handle, 1), 0);
	assert_int_equal(h->frames, 600);
	while (vgpu_memory_unmap_part(h->dev, c, A, 600 * PAGE, 100) == -EAGAIN)
		if (h->frames == 88)
			break;
	assert_int_equal(h->frames, 88);
	/* it is still there, and reads as zero where it was released */
	assert_int_equal(page_at(h, c, A, false)[0], 0);
	assert_int_equal(vgpu_memory_unmap_part(h->dev, c, A, 600 * PAGE, ALL), 0);
	assert_int_equal(h->frames, 0);
	assert_int_equal(vgpu_memory_unmap_part(h->dev, c, A, 600 * PAGE, ALL), -ENOENT);
	host_free(h);
}

/* Four allocations that are held by handles only, of a chunk each: one goes at a time. */
static void a_context_goes_in_parts(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), handle = 0;

	(void)state;
	for (u32 i = 0; i < 4; i++) {
		assert_int_equal(vgpu_memory_allocate(h->dev, c, 512 * PAGE, 0, &handle), 0);
		assert_int_equal(vgpu_memory_map_view(h->dev, c, A, 512 * PAGE, handle, 0, 2), 0);
		for (u32 n = 0; n < 512; n++)
			page_at(h, c, A + n * PAGE, true);
		assert_int_equal(vgpu_memory_unmap_part(h->dev, c, A, 512 * PAGE, ALL), 0);
	}
	for (u64 left = 3; left; left--) {
		assert_int_equal(vgpu_context_stop(h->dev, c, 512), -EAGAIN);
		assert_int_equal(h->frames, 512 * left);
	}
	assert_int_equal(vgpu_context_stop(h->dev, c, 512), 0);
	assert_int_equal(h->frames, 0);
	host_free(h);
}

static bool tlb_has(const struct vgpu_tlb *tlb, u64 address)
{
	u64 page = address >> VGPU_PAGE_SHIFT;

	return tlb->entries[page % VGPU_TLB_ENTRIES].page == page;
}

/* Whoever else holds a page or not: it is in a TLB for as long as its view is, and no longer. */
static void no_tlb_outlives_a_view(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 a = host_open(h), b = host_open(h), of_a = 0, of_b = 0;
	struct vgpu_allocation *exported;
	struct vgpu_tlb tlb;
	u64 bytes;

	(void)state;
	assert_int_equal(vgpu_tlb_init(&tlb, &h->dev->config), 0);
	vgpu_tlb_serve(&tlb, as_of(h, b));
	assert_int_equal(vgpu_memory_allocate(h->dev, a, PAGE, 0, &of_a), 0);
	assert_int_equal(vgpu_memory_map_view(h->dev, a, A, PAGE, of_a, 0, 2), 0);
	assert_int_equal(vgpu_memory_export(h->dev, a, of_a, &exported), 0);
	assert_int_equal(vgpu_memory_import(h->dev, b, exported, &of_b, &bytes), 0);
	assert_int_equal(vgpu_memory_map_view(h->dev, b, A, PAGE, of_b, 0, 2), 0);
	assert_int_equal(vgpu_memory_map_view(h->dev, b, B + PAGE, PAGE, of_b, 0, 2), 0);
	vgpu_tlb_enter(&tlb, A >> VGPU_PAGE_SHIFT, false, page_at(h, b, A, true), true);
	vgpu_tlb_enter(&tlb, (B + PAGE) >> VGPU_PAGE_SHIFT, false, page_at(h, b, B + PAGE, true),
		       true);
	/* all other holders go: the frame stays */
	assert_int_equal(vgpu_memory_unmap(h->dev, a, A, PAGE), 0);
	assert_int_equal(vgpu_context_close(h->dev, a), 0);
	assert_int_equal(vgpu_memory_unexport(exported, ALL), 0);
	assert_int_equal(vgpu_memory_release(h->dev, b, of_b, ALL), 0);
	assert_true(tlb_has(&tlb, A) && tlb_has(&tlb, B + PAGE));
	assert_int_equal(h->frames, 1);
	/* one of two views */
	assert_int_equal(vgpu_memory_unmap(h->dev, b, A, PAGE), 0);
	assert_true(!tlb_has(&tlb, A) && tlb_has(&tlb, B + PAGE));
	assert_int_equal(h->frames, 1);
	/* it is written no more by who may only read */
	assert_int_equal(vgpu_memory_rights(h->dev, b, B + PAGE, PAGE, VGPU_RIGHTS_READ, ALL), 0);
	assert_false(tlb_has(&tlb, B + PAGE));
	vgpu_tlb_enter(&tlb, (B + PAGE) >> VGPU_PAGE_SHIFT, false, page_at(h, b, B + PAGE, false),
		       false);
	/* the last holder */
	assert_int_equal(vgpu_memory_unmap(h->dev, b, B + PAGE, PAGE), 0);
	assert_false(tlb_has(&tlb, B + PAGE));
	assert_int_equal(h->frames, 0);
	vgpu_tlb_leave(&tlb);
	vgpu_tlb_fini(&tlb);
	host_free(h);
}

static int retain(struct host *h, u32 context, u64 address, u64 bytes, u64 most, u32 *handle)
{
	u64 done = 0;
	int err;

	do
		err = vgpu_memory_retain(h->dev, context, address, bytes, 0, most, &done, handle);
	while (err == -EAGAIN);
	return err;
}

/* Five pages: one written, one read, one written through a TLB, one both, one never touched. */
static void mapped_memory_becomes_a_view(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), d = host_open(h), handle = 0, of_d = 0;
	struct vgpu_device_info info;
	struct vgpu_context_info about;
	struct vgpu_allocation *exported;
	struct vgpu_tlb tlb;
	u64 all, bytes;
	u8 *page;

	(void)state;
	vgpu_device_info(h->dev, &info);
	all = info.vram_free;
	assert_int_equal(vgpu_tlb_init(&tlb, &h->dev->config), 0);
	vgpu_tlb_serve(&tlb, as_of(h, c));
	assert_int_equal(vgpu_memory_map(h->dev, c, A, 5 * PAGE), 0);
	page = page_at(h, c, A, true);
	page[7] = 11;
	assert_ptr_equal(page_at(h, c, A + PAGE, false), vgpu_zero_page);
	vgpu_tlb_enter(&tlb, (A + PAGE) >> VGPU_PAGE_SHIFT, false, page_at(h, c, A + PAGE, false),
		       false);
	page_at(h, c, A + 3 * PAGE, false);
	page_at(h, c, A + 3 * PAGE, true)[1] = 33;
	assert_int_equal(h->frames, 2);
	/* two pages at a time */
	assert_int_equal(retain(h, c, A, 5 * PAGE, 2, &handle), 0);
	assert_int_not_equal(handle, 0);
	assert_int_equal(h->frames, 2);
	/* the bytes have not moved; a page of zeros is in no TLB any more */
	assert_ptr_equal(page_at(h, c, A, true), page);
	assert_int_equal(page[7], 11);
	assert_false(tlb_has(&tlb, A + PAGE));
	assert_int_equal(vgpu_memory_export(h->dev, c, handle, &exported), 0);
	assert_int_equal(vgpu_memory_import(h->dev, d, exported, &of_d, &bytes), 0);
	assert_int_equal(bytes, 5 * PAGE);
	assert_int_equal(vgpu_memory_unexport(exported, ALL), 0);
	assert_int_equal(vgpu_memory_map_view(h->dev, d, B, 5 * PAGE, of_d, 0, 2), 0);
	assert_int_equal(page_at(h, d, B, false)[7], 11);
	assert_int_equal(page_at(h, d, B + 3 * PAGE, false)[1], 33);
	/* what was read, and what was never touched, is one page of both from now on */
	page_at(h, d, B + PAGE, true)[2] = 22;
	assert_int_equal(page_at(h, c, A + PAGE, false)[2], 22);
	page_at(h, c, A + 4 * PAGE, true)[3] = 44;
	assert_int_equal(page_at(h, d, B + 4 * PAGE, false)[3], 44);
	/* it is promised once, and all of it is still the first context's */
	vgpu_device_info(h->dev, &info);
	assert_int_equal(info.vram_free, all - 5 * PAGE);
	assert_int_equal(vgpu_context_info(h->dev, c, &about), 0);
	assert_int_equal(about.mapped_bytes, 5 * PAGE);
	/* again: another handle of the same */
	assert_int_equal(retain(h, c, A, 5 * PAGE, ALL, &of_d), 0);
	assert_int_not_equal(of_d, handle);
	assert_int_equal(vgpu_memory_release(h->dev, c, of_d, ALL), 0);
	/* freed first by who made it: the other one keeps it */
	assert_int_equal(vgpu_memory_release(h->dev, c, handle, ALL), 0);
	assert_int_equal(vgpu_memory_unmap(h->dev, c, A, 5 * PAGE), 0);
	assert_int_equal(page_at(h, d, B, false)[7], 11);
	assert_int_equal(vgpu_context_close(h->dev, d), 0);
	assert_int_equal(h->frames, 0);
	vgpu_device_info(h->dev, &info);
	assert_int_equal(info.vram_free, all);
	vgpu_tlb_leave(&tlb);
	vgpu_tlb_fini(&tlb);
	host_free(h);
}

/* What is not plain memory, mapped exactly so; and a context that ends in the middle. */
static void what_cannot_be_retained(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), d = host_open(h), handle = 0, other = 0;
	u64 done = 0;

	(void)state;
	assert_int_equal(vgpu_memory_map(h->dev, c, A, 2 * PAGE), 0);
	assert_int_equal(retain(h, c, A, PAGE, ALL, &other), -ENOENT);
	assert_int_equal(retain(h, c, A + PAGE, PAGE, ALL, &other), -ENOENT);
	assert_int_equal(retain(h, c, A, 3 * PAGE, ALL, &other), -ENOENT);
	assert_int_equal(retain(h, c, B, PAGE, ALL, &other), -ENOENT);
	assert_int_equal(retain(h, c, A, 0, ALL, &other), -ENOENT);
	assert_int_equal(retain(h, d, A, 2 * PAGE, ALL, &other), -ENOENT);
	assert_int_equal(retain(h, 99, A, 2 * PAGE, ALL, &other), -ENOENT);
	/* a part of an allocation, or one that is only read */
	assert_int_equal(vgpu_memory_allocate(h->dev, c, 2 * PAGE, 0, &handle), 0);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, B, PAGE, handle, 0, 2), 0);
	assert_int_equal(retain(h, c, B, PAGE, ALL, &other), -ENOENT);
	assert_int_equal(vgpu_memory_unmap(h->dev, c, B, PAGE), 0);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, B, 2 * PAGE, handle, 0, 1), 0);
	assert_int_equal(retain(h, c, B, 2 * PAGE, ALL, &other), -ENOENT);
	/* in the middle: pages with frames of both kinds, and a new one between */
	page_at(h, c, A, true)[0] = 1;
	page_at(h, c, A + PAGE, true)[0] = 2;
	assert_int_equal(vgpu_memory_retain(h->dev, c, A, 2 * PAGE, 0, 1, &done, &other), -EAGAIN);
	assert_int_equal(done, 1);
	assert_int_equal(page_at(h, c, A, true)[0], 1);
	assert_int_equal(page_at(h, c, A + PAGE, true)[0], 2);
	assert_int_equal(h->frames, 2);
	assert_int_equal(vgpu_context_close(h->dev, c), 0);
	assert_int_equal(h->frames, 0);
	assert_int_equal(h->dev->mmu.allocations, 0);
	host_free(h);
}

static void contexts_share_what_was_exported(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 a = host_open(h), b = host_open(h), of_a = 0, of_b = 0;
	struct vgpu_device_info info;
	struct vgpu_allocation *exported;
	u64 bytes = 0, all;

	(void)state;
	vgpu_device_info(h->dev, &info);
	all = info.vram_free;
	assert_int_equal(vgpu_memory_allocate(h->dev, a, 2 * PAGE, 0, &of_a), 0);
	assert_int_equal(vgpu_memory_export(h->dev, a, of_a, &exported), 0);
	assert_int_equal(vgpu_memory_import(h->dev, b, exported, &of_b, &bytes), 0);
	assert_int_equal(bytes, 2 * PAGE);
	assert_int_equal(vgpu_memory_map_view(h->dev, a, A, 2 * PAGE, of_a, 0, 2), 0);
	assert_int_equal(vgpu_memory_map_view(h->dev, b, B, 2 * PAGE, of_b, 0, 1), 0);
	page_at(h, a, A + PAGE, true)[9] = 42;
	assert_int_equal(page_at(h, b, B + PAGE, false)[9], 42);
	refused(h, b, B + PAGE, true);
	/* taken once, however many have it */
	vgpu_device_info(h->dev, &info);
	assert_int_equal(info.vram_free, all - 2 * PAGE);
	assert_int_equal(vgpu_context_close(h->dev, a), 0);
	assert_int_equal(page_at(h, b, B + PAGE, false)[9], 42);
	assert_int_equal(vgpu_context_close(h->dev, b), 0);
	assert_int_equal(h->frames, 1);
	assert_int_equal(vgpu_memory_unexport(exported, ALL), 0);
	assert_int_equal(h->frames, 0);
	vgpu_device_info(h->dev, &info);
	assert_int_equal(info.vram_free, all);
	host_free(h);
}

/* The command's fault, of a context that then is dead, while the other one goes on. */
static void copies_keep_to_the_rights(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c), handle = 0;

	(void)state;
	assert_int_equal(vgpu_memory_allocate(h->dev, c, PAGE, 0, &handle), 0);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, A, PAGE, handle, 0, VGPU_RIGHTS_WRITE), 0);
	assert_int_equal(vgpu_memory_map_view(h->dev, c, B, PAGE, handle, 0, VGPU_RIGHTS_READ), 0);
	host_push(h, c, q, cmd_fill(A, 16, 7, 1));
	host_run(h);
	assert_int_equal(page_at(h, c, B, false)[3], 7);
	assert_int_equal(h->fault_count, 0);
	host_push(h, c, q, cmd_fill(B, 16, 8, 1));
	host_run(h);
	assert_int_equal(h->fault_count, 1);
	assert_int_equal(h->faults[0].reason, VGPU_FAULT_COPY_UNMAPPED);
	assert_int_equal(h->faults[0].address, B);
	assert_int_equal(vgpu_memory_allocate(h->dev, c, PAGE, 0, &handle), -EIO);
	host_free(h);
}

static void many_handles_are_had_and_reused(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), handle = 0;

	(void)state;
	for (u32 n = 1; n <= 100; n++) {
		assert_int_equal(vgpu_memory_allocate(h->dev, c, PAGE, 0, &handle), 0);
		assert_int_equal(handle, n);
	}
	assert_int_equal(vgpu_memory_release(h->dev, c, 50, ALL), 0);
	assert_int_equal(vgpu_memory_release(h->dev, c, 20, ALL), 0);
	assert_int_equal(vgpu_memory_allocate(h->dev, c, PAGE, 0, &handle), 0);
	assert_int_equal(handle, 20);
	assert_int_equal(vgpu_memory_allocate(h->dev, c, PAGE, 0, &handle), 0);
	assert_int_equal(handle, 50);
	assert_int_equal(vgpu_memory_allocate(h->dev, c, PAGE, 0, &handle), 0);
	assert_int_equal(handle, 101);
	/* a context that ends is told to go in parts, too */
	assert_int_equal(vgpu_context_stop(h->dev, c, 40), -EAGAIN);
	while (vgpu_context_stop(h->dev, c, 40) == -EAGAIN)
		;
	assert_int_equal(h->dev->mmu.allocations, 0);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_views_have_the_same_bytes),
		cmocka_unit_test(rights_are_kept),
		cmocka_unit_test(what_is_wrong_is_refused),
		cmocka_unit_test(memory_goes_in_parts),
		cmocka_unit_test(a_context_goes_in_parts),
		cmocka_unit_test(no_tlb_outlives_a_view),
		cmocka_unit_test(mapped_memory_becomes_a_view),
		cmocka_unit_test(what_cannot_be_retained),
		cmocka_unit_test(contexts_share_what_was_exported),
		cmocka_unit_test(copies_keep_to_the_rights),
		cmocka_unit_test(many_handles_are_had_and_reused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
