// SPDX-License-Identifier: MIT
/*
 * Memory: mappings and promises, frames, translations and what invalidates them, the transfer
 * engine's bytes and times.
 */
#include "device/device.h"
#include "host.h"

#define KB	1024ull
#define MB	(1024 * KB)
#define GB	(1024 * MB)
#define ADDRESS	0x7f0000000000ull
#define PAGE	VGPU_PAGE_SIZE
#define BASE	0x10000000ull

/* k20c: 8 GB/s of link, 208 GB/s of memory */
#define LINK_PS(bytes)		((bytes) * 125)
#define MEMORY_PS(bytes)	((bytes) * 1000 / 208)

static struct vgpu_address_space *as_of(struct host *h, u32 context)
{
	return vgpu_context_find(h->dev, context)->as;
}

static void enter(struct vgpu_tlb *tlb, u64 address, u8 *bytes, bool write)
{
	u64 page = address >> VGPU_PAGE_SHIFT;

	vgpu_tlb_keep(&tlb->entries[page % VGPU_TLB_ENTRIES], page, bytes, write);
}

static bool holds(const struct vgpu_tlb *tlb, u64 address)
{
	u64 page = address >> VGPU_PAGE_SHIFT;

	return tlb->entries[page % VGPU_TLB_ENTRIES].page == page;
}

static void mappings_are_exact(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h);

	(void)state;
	assert_int_equal(vgpu_memory_map(h->dev, c, ADDRESS, 4 * PAGE), 0);
	assert_int_equal(vgpu_memory_map(h->dev, c, ADDRESS + 6 * PAGE, PAGE), 0);
	assert_int_equal(vgpu_memory_map(h->dev, c, ADDRESS + 3 * PAGE, PAGE), -EEXIST);
	assert_int_equal(vgpu_memory_map(h->dev, c, ADDRESS - PAGE, 2 * PAGE), -EEXIST);
	assert_int_equal(vgpu_memory_map(h->dev, c, ADDRESS + 4 * PAGE, 3 * PAGE), -EEXIST);
	assert_int_equal(vgpu_memory_map(h->dev, c, ADDRESS - 10 * PAGE, 100 * PAGE), -EEXIST);
	assert_int_equal(vgpu_memory_map(h->dev, c, ADDRESS + 4 * PAGE, 2 * PAGE), 0);
	assert_int_equal(vgpu_memory_map(h->dev, c, ADDRESS + 1, PAGE), -EINVAL);
	assert_int_equal(vgpu_memory_map(h->dev, c, ADDRESS + 64 * PAGE, 100), -EINVAL);
	assert_int_equal(vgpu_memory_map(h->dev, c, ADDRESS + 64 * PAGE, 0), -EINVAL);
	assert_int_equal(vgpu_memory_map(h->dev, c, VGPU_ADDRESS_LIMIT, PAGE), -EINVAL);
	assert_int_equal(vgpu_memory_map(h->dev, c, VGPU_ADDRESS_LIMIT - PAGE, 2 * PAGE), -EINVAL);
	assert_int_equal(vgpu_memory_map(h->dev, c, ~0ull << 12, PAGE), -EINVAL);
	assert_int_equal(vgpu_memory_map(h->dev, c, 0, ~0ull << 12), -EINVAL);
	assert_int_equal(vgpu_memory_map(h->dev, c, VGPU_SYSTEM_BASE, PAGE), -EEXIST);
	assert_int_equal(vgpu_memory_map(h->dev, c, VGPU_SYSTEM_BASE - PAGE, PAGE), 0);
	assert_int_equal(vgpu_memory_map(h->dev, c, 0, PAGE), 0);
	assert_int_equal(vgpu_memory_map(h->dev, 99, ADDRESS, PAGE), -ENOENT);
	assert_int_equal(vgpu_as_mapped_bytes(as_of(h, c)), 9 * PAGE);

	assert_int_equal(vgpu_memory_unmap(h->dev, c, ADDRESS, 3 * PAGE), -ENOENT);
	assert_int_equal(vgpu_memory_unmap(h->dev, c, ADDRESS + PAGE, 3 * PAGE), -ENOENT);
	assert_int_equal(vgpu_memory_unmap(h->dev, c, ADDRESS + 20 * PAGE, PAGE), -ENOENT);
	assert_int_equal(vgpu_memory_unmap(h->dev, c, ADDRESS, 4 * PAGE), 0);
	assert_int_equal(vgpu_memory_unmap(h->dev, c, ADDRESS, 4 * PAGE), -ENOENT);
	assert_int_equal(vgpu_memory_unmap(h->dev, 99, ADDRESS, 4 * PAGE), -ENOENT);
	host_free(h);
}

static void promises_end_where_vram_does(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 a = host_open(h), b = host_open(h);
	struct vgpu_device_info info;

	(void)state;
	assert_int_equal(vgpu_memory_map(h->dev, a, ADDRESS, 3 * GB), 0);
	assert_int_equal(vgpu_memory_map(h->dev, b, ADDRESS, 3 * GB), -ENOMEM);
	assert_int_equal(vgpu_memory_map(h->dev, b, ADDRESS, 2 * GB), 0);
	vgpu_device_info(h->dev, &info);
	assert_int_equal(info.vram_free, 0);
	assert_int_equal(vgpu_memory_map(h->dev, b, 0, PAGE), -ENOMEM);
	/* Gigabytes are promised, nothing is there yet. */
	assert_int_equal(h->frames, 0);
	assert_int_equal(h->dev->mmu.page_tables, 0);
	assert_int_equal(h->dev->mmu.frames.chunks_made, 0);
	assert_int_equal(vgpu_memory_unmap(h->dev, a, ADDRESS, 3 * GB), 0);
	assert_int_equal(vgpu_memory_map(h->dev, b, 0, PAGE), 0);
	assert_int_equal(vgpu_context_close(h->dev, b), 0);
	vgpu_device_info(h->dev, &info);
	assert_int_equal(info.vram_free, 5 * GB);
	host_free(h);
}

static void a_page_gets_its_frame_at_the_first_write(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h);
	struct vgpu_address_space *as = as_of(h, c);
	struct vgpu_tlb tlb;
	u8 *page, *again;
	u32 i;

	(void)state;
	assert_int_equal(vgpu_tlb_init(&tlb, &h->dev->config), 0);
	vgpu_tlb_serve(&tlb, as);
	assert_int_equal(vgpu_as_translate(as, ADDRESS, false, &page), VGPU_XLATE_UNMAPPED);
	vgpu_memory_map(h->dev, c, ADDRESS, 2 * PAGE);
	assert_int_equal(vgpu_as_translate(as, ADDRESS - 1, true, &page), VGPU_XLATE_UNMAPPED);
	assert_int_equal(vgpu_as_translate(as, ADDRESS + 2 * PAGE, true, &page),
			 VGPU_XLATE_UNMAPPED);
	assert_int_equal(vgpu_as_translate(as, VGPU_ADDRESS_LIMIT, true, &page),
			 VGPU_XLATE_UNMAPPED);
	assert_int_equal(vgpu_as_translate(as, ~0ull, false, &page), VGPU_XLATE_UNMAPPED);

	/* Written without having been read: nobody holds the page of zeros. */
	assert_int_equal(vgpu_as_translate(as, ADDRESS + 100, true, &page), VGPU_XLATE_OK);
	enter(&tlb, ADDRESS, page, true);
	assert_int_equal(h->frames, 1);
	page[5] = 77;
	assert_int_equal(vgpu_as_translate(as, ADDRESS, false, &again), VGPU_XLATE_OK);
	assert_ptr_equal(page, again);

	/* Read first: zeros, and the write that ends that invalidates this page, once. */
	assert_int_equal(vgpu_as_translate(as, ADDRESS + PAGE, false, &page), VGPU_XLATE_OK);
	for (i = 0; i < PAGE; i++)
		assert_int_equal(page[i], 0);
	assert_int_equal(h->frames, 1);
	enter(&tlb, ADDRESS + PAGE, page, false);
	assert_int_equal(tlb.invalidated, 0);
	assert_int_equal(vgpu_as_translate(as, ADDRESS + PAGE, true, &again), VGPU_XLATE_OK);
	assert_ptr_not_equal(page, again);
	assert_false(holds(&tlb, ADDRESS + PAGE));
	assert_true(holds(&tlb, ADDRESS));
	enter(&tlb, ADDRESS + PAGE, again, true);
	assert_int_equal(vgpu_as_translate(as, ADDRESS + PAGE, true, &page), VGPU_XLATE_OK);
	assert_int_equal(tlb.invalidated, 1);
	assert_int_equal(vgpu_as_resident_bytes(as), 2 * PAGE);

	assert_int_equal(vgpu_memory_unmap(h->dev, c, ADDRESS, 2 * PAGE), 0);
	assert_false(holds(&tlb, ADDRESS) || holds(&tlb, ADDRESS + PAGE));
	assert_int_equal(h->frames, 0);
	assert_int_equal(h->dev->mmu.page_tables, 0);
	assert_int_equal(vgpu_as_translate(as, ADDRESS, false, &page), VGPU_XLATE_UNMAPPED);
	/* Mapped again it is empty again. */
	vgpu_memory_map(h->dev, c, ADDRESS, 2 * PAGE);
	assert_int_equal(vgpu_as_translate(as, ADDRESS, false, &page), VGPU_XLATE_OK);
	assert_int_equal(page[5], 0);
	h->frames_max = 0;
	assert_int_equal(vgpu_as_translate(as, ADDRESS, true, &page), VGPU_XLATE_NO_FRAME);
	vgpu_tlb_fini(&tlb);
	host_free(h);
}

/* A mapping that goes takes its own pages out of the TLBs of its own address space. */
static void an_unmap_invalidates_its_range_only(void **state)
{
	struct host *h = host_new("k20c", NULL);
	struct vgpu_address_space *as[2];
	struct vgpu_tlb tlb[3];
	u32 c[2];
	u8 *page;

	(void)state;
	for (u32 n = 0; n < 2; n++) {
		c[n] = host_open(h);
		as[n] = as_of(h, c[n]);
		assert_int_equal(vgpu_memory_map(h->dev, c[n], ADDRESS, 8 * PAGE), 0);
		assert_int_equal(vgpu_memory_map(h->dev, c[n], ADDRESS + 8 * PAGE, 1000 * PAGE), 0);
	}
	for (u32 n = 0; n < 3; n++) {
		assert_int_equal(vgpu_tlb_init(&tlb[n], &h->dev->config), 0);
		vgpu_tlb_serve(&tlb[n], as[n / 2]);
		for (u32 i = 0; i < 20; i++) {
			vgpu_as_translate(as[n / 2], ADDRESS + i * PAGE, i % 2, &page);
			enter(&tlb[n], ADDRESS + i * PAGE, page, i % 2);
		}
	}
	assert_int_equal(vgpu_memory_unmap(h->dev, c[0], ADDRESS, 8 * PAGE), 0);
	for (u32 n = 0; n < 3; n++)
		for (u32 i = 0; i < 20; i++)
			assert_int_equal(holds(&tlb[n], ADDRESS + i * PAGE), n == 2 || i >= 8);
	/* more pages than a TLB has entries */
	assert_int_equal(vgpu_memory_unmap(h->dev, c[0], ADDRESS + 8 * PAGE, 1000 * PAGE), 0);
	for (u32 i = 0; i < 20; i++) {
		assert_false(holds(&tlb[0], ADDRESS + i * PAGE));
		assert_true(holds(&tlb[2], ADDRESS + i * PAGE));
	}
	assert_int_equal(tlb[0].invalidated, 20);
	assert_int_equal(tlb[2].invalidated, 0);
	/* Another address space: nothing of the one before is left. */
	vgpu_tlb_serve(&tlb[1], as[1]);
	vgpu_tlb_serve(&tlb[2], as[0]);
	for (u32 i = 0; i < 20; i++)
		assert_false(holds(&tlb[2], ADDRESS + i * PAGE));
	vgpu_tlb_serve(&tlb[2], as[1]);
	assert_int_equal(vgpu_context_close(h->dev, c[1]), 0);
	assert_null(tlb[1].as);
	assert_null(tlb[2].as);
	assert_ptr_equal(tlb[0].as, as[0]);
	for (u32 n = 0; n < 3; n++)
		vgpu_tlb_fini(&tlb[n]);
	host_free(h);
}

static void frames_know_their_page(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h);
	struct vgpu_address_space *as = as_of(h, c);
	const struct vgpu_frame *a;
	u8 *page, *memory;

	(void)state;
	assert_int_equal(vgpu_as_page_state(as, ADDRESS), VGPU_PAGE_UNMAPPED);
	assert_int_equal(vgpu_as_page_state(as, VGPU_ADDRESS_LIMIT), VGPU_PAGE_UNMAPPED);
	vgpu_memory_map(h->dev, c, ADDRESS, 1000 * PAGE);
	assert_int_equal(vgpu_as_page_state(as, ADDRESS + 5), VGPU_PAGE_UNWRITTEN);
	assert_int_equal(vgpu_as_translate(as, ADDRESS, false, &page), VGPU_XLATE_OK);
	assert_int_equal(vgpu_as_page_state(as, ADDRESS), VGPU_PAGE_UNWRITTEN);
	assert_null(vgpu_as_frame(as, ADDRESS));
	assert_int_equal(vgpu_as_translate(as, ADDRESS + 3 * PAGE + 9, true, &memory),
			 VGPU_XLATE_OK);
	assert_int_equal(vgpu_as_page_state(as, ADDRESS + 4 * PAGE - 1), VGPU_PAGE_FRAME);
	a = vgpu_as_frame(as, ADDRESS + 3 * PAGE + 100);
	assert_non_null(a);
	assert_ptr_equal(a->owner, as);
	assert_ptr_equal(a->memory, memory);
	assert_true(a->address == ADDRESS + 3 * PAGE);
	assert_true(!a->pinned && !a->resident && a->state == VGPU_FRAME_USED);
	/* Many more: entries do not move. */
	for (u32 n = 4; n < 1000; n++)
		assert_int_equal(vgpu_as_translate(as, ADDRESS + n * PAGE, true, &page),
				 VGPU_XLATE_OK);
	assert_ptr_equal(vgpu_as_frame(as, ADDRESS + 3 * PAGE), a);
	assert_int_equal(h->dev->mmu.frames.count, 997);

	/* A table that has been used serves the next without growing. */
	assert_int_equal(vgpu_memory_unmap(h->dev, c, ADDRESS, 1000 * PAGE), 0);
	assert_int_equal(h->dev->mmu.frames.count, 0);
	assert_int_equal(vgpu_as_page_state(as, ADDRESS + 3 * PAGE), VGPU_PAGE_UNMAPPED);
	vgpu_memory_map(h->dev, c, ADDRESS, 1000 * PAGE);
	for (u32 n = 0; n < 997; n++)
		vgpu_as_translate(as, ADDRESS + n * PAGE, true, &page);
	assert_int_equal(h->dev->mmu.frames.numbers, 997);
	for (u32 n = 0; n < 997; n++)
		assert_true(vgpu_as_frame(as, ADDRESS + n * PAGE)->address == ADDRESS + n * PAGE);
	host_free(h);
}

static void memory_of_the_host_takes_none_of_the_device(void **state)
{
	struct host *h = host_new("k20c", NULL);
	struct vgpu_address_space *as = as_of(h, host_open(h));

	(void)state;
	assert_int_equal(vgpu_as_map(as, ADDRESS + 1, PAGE, VGPU_MAPPING_HOST), -EINVAL);
	assert_int_equal(vgpu_as_map(as, ADDRESS, PAGE, VGPU_MAPPING_HOST), 0);
	assert_int_equal(vgpu_as_map(as, ADDRESS + PAGE, PAGE, VGPU_MAPPING_HOST_READ), 0);
	assert_int_equal(vgpu_as_mapped_bytes(as), 0);
	assert_int_equal(h->dev->mmu.promised, 0);
	assert_int_equal(vgpu_as_map(as, ADDRESS, PAGE, VGPU_MAPPING_DEVICE), -EEXIST);
	assert_int_equal(vgpu_as_page_state(as, ADDRESS + PAGE), VGPU_PAGE_HOST);
	assert_int_equal(vgpu_as_unmap(as, ADDRESS, PAGE, 1), 0);
	assert_int_equal(vgpu_as_map(as, ADDRESS, PAGE, VGPU_MAPPING_DEVICE), 0);
	/* a host that has none */
	h->dev->mmu.frames.ops.managed_page = NULL;
	assert_int_equal(vgpu_as_map(as, ADDRESS + 2 * PAGE, PAGE, VGPU_MAPPING_HOST),
			 -EOPNOTSUPP);
	host_free(h);
}

/* Pages far apart, maps and unmaps in random order, against an array that says what is there. */
static void random_maps_agree_with_an_array(void **state)
{
	enum { SLOTS = 64 };
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h);
	struct vgpu_address_space *as = as_of(h, c);
	struct vgpu_random random;
	bool mapped[SLOTS] = {};
	u32 written[SLOTS] = {};
	u32 i;

	(void)state;
	vgpu_random_seed(&random, 3);
	for (i = 0; i < 20000; i++) {
		u32 slot = (u32)(vgpu_random_next(&random) % SLOTS);
		/* 8 neighbours, 8 groups on different tables of every level */
		u64 address =
			(u64)(slot % 8) * 2 * PAGE + ((u64)(slot / 8) << (12 + 4 * (slot / 8)));
		u8 *page;

		switch (vgpu_random_next(&random) % 4) {
		case 0:
			assert_int_equal(vgpu_memory_map(h->dev, c, address, 2 * PAGE),
					 mapped[slot] ? -EEXIST : 0);
			mapped[slot] = true;
			break;
		case 1:
			assert_int_equal(vgpu_memory_unmap(h->dev, c, address, 2 * PAGE),
					 mapped[slot] ? 0 : -ENOENT);
			mapped[slot] = false;
			written[slot] = 0;
			break;
		case 2:
			assert_int_equal(vgpu_as_translate(as, address + PAGE, true, &page),
					 mapped[slot] ? VGPU_XLATE_OK : VGPU_XLATE_UNMAPPED);
			if (mapped[slot])
				memcpy(page + 8, &i, sizeof(i));
			written[slot] = mapped[slot] ? i : 0;
			break;
		default:
			assert_int_equal(vgpu_as_translate(as, address + PAGE, false, &page),
					 mapped[slot] ? VGPU_XLATE_OK : VGPU_XLATE_UNMAPPED);
			if (mapped[slot])
				assert_memory_equal(page + 8, &written[slot],
						    sizeof(written[slot]));
		}
	}
	host_free(h);
}

static void fill_memory(struct host *h)
{
	u32 i;

	for (i = 0; i < HOST_MEMORY; i++)
		h->memory[i] = (u8)(i * 7 + i / 256);
}

/* Unaligned on both sides, longer than a page, longer than a burst; down again to another place. */
static void copies_move_bytes_at_the_speed_of_the_link(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c);
	struct vgpu_context_info info;

	(void)state;
	fill_memory(h);
	vgpu_memory_map(h->dev, c, ADDRESS, MB);
	host_push(h, c, q, cmd_h2d(ADDRESS + 4001, 17, 100000));
	host_push(h, c, q, cmd_d2h(500001, ADDRESS + 4001, 100000));
	host_run(h);
	assert_int_equal(host_done(h, c, q, 1)->time, LINK_PS(100000));
	assert_int_equal(host_done(h, c, q, 2)->time, 2 * LINK_PS(100000));
	assert_memory_equal(h->memory + 17, h->memory + 500001, 100000);
	vgpu_context_info(h->dev, c, &info);
	assert_int_equal(info.copies, 2);
	assert_int_equal(info.copied_bytes, 200000);
	assert_int_equal(info.resident_bytes, 26 * PAGE);
	host_free(h);
}

/* A burst is there when its time has come, not before. */
static void bytes_arrive_burst_by_burst(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c);
	u8 *page;

	(void)state;
	fill_memory(h);
	vgpu_memory_map(h->dev, c, ADDRESS, MB);
	host_push(h, c, q, cmd_h2d(ADDRESS, 0, 3 * 4096));
	vgpu_device_run(h->dev, 511999, ~0u);
	assert_int_equal(h->frames, 0);
	vgpu_device_run(h->dev, 512000, ~0u);
	assert_int_equal(h->frames, 1);
	/* What the process writes meanwhile is what the later burst takes along. */
	h->memory[4096] = 99;
	vgpu_device_run(h->dev, 2 * 512000, ~0u);
	assert_int_equal(vgpu_as_translate(as_of(h, c), ADDRESS + 4096, false, &page),
			 VGPU_XLATE_OK);
	assert_int_equal(page[0], 99);
	assert_int_equal(h->frames, 2);
	host_not_done(h, c, q, 1);
	host_run(h);
	assert_int_equal(host_done(h, c, q, 1)->time, 3 * 512000);
	host_free(h);
}

static void copies_inside_the_device_use_the_memory_twice(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c);
	u64 up = LINK_PS(50000ull);

	(void)state;
	fill_memory(h);
	vgpu_memory_map(h->dev, c, ADDRESS, MB);
	host_push(h, c, q, cmd_h2d(ADDRESS + 5, 0, 50000));
	host_push(h, c, q, cmd_d2d(ADDRESS + 300001, ADDRESS + 5, 50000));
	host_push(h, c, q, cmd_d2h(400000, ADDRESS + 300001, 50000));
	host_run(h);
	assert_int_equal(host_done(h, c, q, 2)->time, up + MEMORY_PS(100000ull));
	assert_memory_equal(h->memory, h->memory + 400000, 50000);
	/* A page onto itself, never written: still zeros. */
	host_push(h, c, q, cmd_d2d(ADDRESS + 800 * KB, ADDRESS + 800 * KB + 100, 3000));
	host_push(h, c, q, cmd_d2h(0, ADDRESS + 800 * KB, 3000));
	host_run(h);
	assert_int_equal(h->memory[0], 0);
	assert_int_equal(h->memory[2999], 0);
	host_free(h);
}

static void fills_fill(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c);
	const u8 *m = h->memory;
	u32 i;

	(void)state;
	vgpu_memory_map(h->dev, c, ADDRESS, MB);
	host_push(h, c, q, cmd_fill(ADDRESS + 3, 9001, 0x12345678, 1));
	host_push(h, c, q, cmd_fill(ADDRESS + 20002, 5001, 0x12345678, 2));
	host_push(h, c, q, cmd_fill(ADDRESS + 40004, 5001, 0x12345678, 4));
	host_push(h, c, q, cmd_d2h(0, ADDRESS, 100000));
	host_push(h, c, q, cmd_fill(ADDRESS + 200000, 50000, 1, 1));
	host_run(h);
	assert_int_equal(host_done(h, c, q, 5)->time - host_done(h, c, q, 4)->time,
			 MEMORY_PS(50000ull));
	for (i = 0; i < 100000; i++) {
		u8 expected = 0;

		if (i >= 3 && i < 9004)
			expected = 0x78;
		else if (i >= 20002 && i < 30004)
			expected = i % 2 ? 0x56 : 0x78;
		else if (i >= 40004 && i < 60008)
			expected = (u8)(0x12345678u >> (i % 4 * 8));
		assert_int_equal(m[i], expected);
	}
	host_free(h);
}

/* A row of copies of a byte takes virtual time, and a long one no more than its bytes do. */
static void a_transfer_takes_as_long_as_a_command(void **state)
{
	static const char *const fields[] = { "command_ps=100000", "command_ps=0" };
	u32 i, n;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct host *h = host_new("k20c", fields[i], NULL);
		u32 c = host_open(h), q = host_queue(h, c);
		u64 least = i ? 0 : 100 * VGPU_NS;

		vgpu_memory_map(h->dev, c, ADDRESS, MB);
		for (n = 0; n < 10; n++)
			host_push(h, c, q, cmd_h2d(ADDRESS + n, n, 1));
		host_push(h, c, q, cmd_fill(ADDRESS, 4, 0, 1));
		host_push(h, c, q, cmd_h2d(ADDRESS, 0, 4096 + 1));
		host_run(h);
		assert_int_equal(host_done(h, c, q, 10)->time, 10 * (least ? least : LINK_PS(1)));
		assert_int_equal(host_done(h, c, q, 11)->time - host_done(h, c, q, 10)->time,
				 least ? least : MEMORY_PS(4ull));
		assert_int_equal(host_done(h, c, q, 12)->time - host_done(h, c, q, 11)->time,
				 LINK_PS(4097));
		host_free(h);
	}
}

/* One engine, first come first served over all contexts, and one transfer at a time. */
static void transfers_are_served_in_the_order_they_come(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 a = host_open(h), b = host_open(h);
	u32 qa = host_queue(h, a), qb = host_queue(h, b), ra = host_queue(h, a);

	(void)state;
	vgpu_memory_map(h->dev, a, ADDRESS, MB);
	vgpu_memory_map(h->dev, b, ADDRESS, MB);
	host_push(h, a, qa, cmd_h2d(ADDRESS, 0, 8192));
	host_push(h, a, qa, cmd_h2d(ADDRESS, 0, 4096));
	host_push(h, b, qb, cmd_h2d(ADDRESS, 0, 4096));
	host_push(h, a, ra, cmd_d2h(0, ADDRESS, 4096));
	host_run(h);
	assert_int_equal(host_done(h, a, qa, 1)->time, LINK_PS(8192));
	assert_int_equal(host_done(h, b, qb, 1)->time, LINK_PS(12288));
	assert_int_equal(host_done(h, a, ra, 1)->time, LINK_PS(16384));
	/* It came to the engine only when its queue had ended the one before. */
	assert_int_equal(host_done(h, a, qa, 2)->time, LINK_PS(20480));
	host_free(h);
}

static void check_fault(struct host *h, enum vgpu_fault_reason reason, u64 address, u32 write)
{
	assert_int_equal(h->fault_count, 1);
	assert_int_equal(h->faults[0].reason, reason);
	assert_true(h->faults[0].address == address);
	assert_int_equal(h->faults[0].write, write);
	assert_int_equal(h->faults[0].seq, 2);
	assert_int_equal(h->faults[0].module, ~0u);
}

static void copy_that_faults(struct vgpu_cmd cmd, enum vgpu_fault_reason reason, u64 address,
			     u32 write)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c), other = host_open(h), r = host_queue(h, other);
	struct vgpu_context_info info;
	struct vgpu_cmd nop = cmd_nop();
	u32 queue;

	vgpu_memory_map(h->dev, c, ADDRESS, 4 * PAGE);
	vgpu_memory_map(h->dev, other, ADDRESS, 4 * PAGE);
	if (reason == VGPU_FAULT_COPY_HOST)
		h->moving_fails = true;
	if (reason == VGPU_FAULT_NO_MEMORY)
		h->frames_max = 1;
	host_push(h, c, q, cmd_nop());
	host_push(h, c, q, cmd);
	host_push(h, c, q, cmd_nop());
	vgpu_device_run(h->dev, 1, ~0u);
	host_push(h, other, r, cmd_fill(ADDRESS, 1, 1, 1));
	host_run(h);
	check_fault(h, reason, address, write);
	assert_int_equal(host_done(h, c, q, 1)->status, 0);
	assert_int_equal(host_done(h, c, q, 2)->status, -EIO);
	assert_int_equal(host_done(h, c, q, 3)->status, -EIO);
	vgpu_context_info(h->dev, c, &info);
	assert_int_equal(info.dead, 1);
	assert_memory_equal(&info.fault, &h->faults[0], sizeof(info.fault));
	/* Sticky, and only for its owner. */
	assert_int_equal(host_try(h, c, q, &nop, 0, NULL), -EIO);
	assert_int_equal(vgpu_queue_create(h->dev, c, &queue), -EIO);
	assert_int_equal(vgpu_memory_map(h->dev, c, ADDRESS + 64 * PAGE, PAGE), -EIO);
	assert_int_equal(vgpu_queue_destroy(h->dev, c, q), 0);
	if (reason != VGPU_FAULT_NO_MEMORY)
		assert_int_equal(host_done(h, other, r, 1)->status, 0);
	host_free(h);
}

static void a_copy_that_faults_ends_its_context_only(void **state)
{
	u64 end = ADDRESS + 4 * PAGE;

	(void)state;
	copy_that_faults(cmd_h2d(ADDRESS + PAGE, 0, 4 * PAGE), VGPU_FAULT_COPY_UNMAPPED, end, 1);
	copy_that_faults(cmd_h2d(0, 0, 1), VGPU_FAULT_COPY_UNMAPPED, 0, 1);
	copy_that_faults(cmd_d2h(0, ADDRESS - 1, 2), VGPU_FAULT_COPY_UNMAPPED, ADDRESS - 1, 0);
	copy_that_faults(cmd_d2d(end - 100, ADDRESS, 101), VGPU_FAULT_COPY_UNMAPPED, end, 1);
	copy_that_faults(cmd_d2d(ADDRESS, end - 100, 101), VGPU_FAULT_COPY_UNMAPPED, end, 0);
	copy_that_faults(cmd_fill(end, 1, 0, 4), VGPU_FAULT_COPY_UNMAPPED, end, 1);
	copy_that_faults(cmd_h2d(ADDRESS, 64, 4), VGPU_FAULT_COPY_HOST, 0x10040, 0);
	copy_that_faults(cmd_d2h(64, ADDRESS, 4), VGPU_FAULT_COPY_HOST, 0x10040, 1);
	copy_that_faults(cmd_stamp(64), VGPU_FAULT_COPY_HOST, 0x10040, 1);
}

static void a_host_without_frames_ends_the_context_that_needs_one(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c);

	(void)state;
	vgpu_memory_map(h->dev, c, ADDRESS, 4 * PAGE);
	h->frames_max = 2;
	host_push(h, c, q, cmd_fill(ADDRESS, 4 * PAGE, 1, 1));
	host_run(h);
	assert_int_equal(h->fault_count, 1);
	assert_int_equal(h->faults[0].reason, VGPU_FAULT_NO_MEMORY);
	assert_true(h->faults[0].address == ADDRESS + 2 * PAGE);
	host_free(h);
}

/* ---- in parts ----------------------------------------------------------- */

/* Pages that one call released, fewer than @most and the tables they are in. */
static void must_be_a_part(struct host *h, u64 *frames, u64 most)
{
	assert_true(h->frames < *frames && *frames - h->frames <= most);
	*frames = h->frames;
}

/* Frames of 4 MiB: a thousand, and some more beside them. */
static void an_unmap_in_parts(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 context = host_open(h), queue = host_queue(h, context), parts = 0;
	u64 frames;
	int err;

	(void)state;
	assert_int_equal(vgpu_memory_map(h->dev, context, BASE, 1024 * PAGE), 0);
	assert_int_equal(vgpu_memory_map(h->dev, context, BASE + 1024 * PAGE, PAGE), 0);
	host_push(h, context, queue, cmd_fill(BASE, 1025 * PAGE, 7, 1));
	host_run(h);
	frames = h->frames;
	assert_int_equal(frames, 1025);
	/* nothing but exactly a mapping */
	assert_int_equal(vgpu_memory_unmap_part(h->dev, context, BASE, 1023 * PAGE, 100), -ENOENT);
	assert_int_equal(vgpu_memory_unmap_part(h->dev, context, BASE, 1025 * PAGE, 100), -ENOENT);
	assert_int_equal(h->frames, 1025);
	while ((err = vgpu_memory_unmap_part(h->dev, context, BASE, 1024 * PAGE, 200)) == -EAGAIN) {
		must_be_a_part(h, &frames, 200);
		/* it is still there */
		assert_int_equal(vgpu_memory_map(h->dev, context, BASE, PAGE), -EEXIST);
		parts++;
	}
	assert_int_equal(err, 0);
	assert_true(parts >= 5);
	assert_int_equal(h->frames, 1);
	assert_int_equal(vgpu_memory_map(h->dev, context, BASE, PAGE), 0);
	vgpu_context_close(h->dev, context);
	host_free(h);
}

/* The copy does not move a byte more, and nobody else notices. */
static void a_close_in_parts(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 context = host_open(h), queue = host_queue(h, context), parts = 0;
	u32 other = host_open(h), others = host_queue(h, other);
	u64 frames, seq;
	int err;

	(void)state;
	assert_int_equal(vgpu_memory_map(h->dev, context, BASE, 1024 * PAGE), 0);
	assert_int_equal(vgpu_memory_map(h->dev, other, BASE, PAGE), 0);
	host_push(h, context, queue, cmd_fill(BASE, 1024 * PAGE, 7, 1));
	host_run(h);
	seq = host_push(h, context, queue, cmd_h2d(BASE, 0, HOST_MEMORY));
	vgpu_device_run(h->dev, VGPU_NEVER, 5);
	host_not_done(h, context, queue, seq);
	frames = h->frames;
	while ((err = vgpu_context_stop(h->dev, context, 200)) == -EAGAIN) {
		must_be_a_part(h, &frames, 200);
		assert_int_equal(host_done(h, context, queue, seq)->status, -EIO);
		host_push(h, other, others, cmd_h2d(BASE, 0, 100));
		host_run(h);
		frames = h->frames;
		parts++;
	}
	assert_int_equal(err, 0);
	assert_true(parts >= 5);
	assert_int_equal(h->frames, 1);
	assert_int_equal(h->fault_count, 0);
	assert_int_equal(vgpu_context_close(h->dev, context), 0);
	assert_int_equal(vgpu_context_stop(h->dev, context, 200), -ENOENT);
	vgpu_context_close(h->dev, other);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mappings_are_exact),
		cmocka_unit_test(promises_end_where_vram_does),
		cmocka_unit_test(a_page_gets_its_frame_at_the_first_write),
		cmocka_unit_test(an_unmap_invalidates_its_range_only),
		cmocka_unit_test(frames_know_their_page),
		cmocka_unit_test(memory_of_the_host_takes_none_of_the_device),
		cmocka_unit_test(random_maps_agree_with_an_array),
		cmocka_unit_test(copies_move_bytes_at_the_speed_of_the_link),
		cmocka_unit_test(bytes_arrive_burst_by_burst),
		cmocka_unit_test(copies_inside_the_device_use_the_memory_twice),
		cmocka_unit_test(fills_fill),
		cmocka_unit_test(a_transfer_takes_as_long_as_a_command),
		cmocka_unit_test(transfers_are_served_in_the_order_they_come),
		cmocka_unit_test(a_copy_that_faults_ends_its_context_only),
		cmocka_unit_test(a_host_without_frames_ends_the_context_that_needs_one),
		cmocka_unit_test(an_unmap_in_parts),
		cmocka_unit_test(a_close_in_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
