// SPDX-License-Identifier: MIT
/*
 * TLBs of SMs that have a shape (mmu/l1_tlb.h): which translation goes, against a list in the order
 * of use; misses in flight; and what kernels take with them.
 */
#include <stdlib.h>

#include "../device/host.h"
#include "device/device.h"
#include "mmu/address_space.h"
#include "vass_build.h"

#define BASE	0x10000000ull
#define PAGES	1024u
#define PAGE	VGPU_PAGE_SIZE
#define LOOKUP	(70 * VGPU_NS)	/* 70 cycles of 1 ns */
#define WALK	(500 * VGPU_NS)
#define NOBODY	(~0ull)

static u8 bytes[PAGE];

static void start(struct vgpu_tlb *tlb, u32 entries, u32 ways, u32 mshrs)
{
	struct vgpu_config config = {
		.l1_tlb_entries = entries, .l1_tlb_ways = ways, .l1_tlb_mshrs = mshrs,
	};

	assert_int_equal(vgpu_tlb_init(tlb, &config), 0);
	vgpu_tlb_flush(tlb);
}

/* Do lanes find @page without a return? */
static bool found(const struct vgpu_tlb *tlb, u64 page)
{
	return tlb->entries[page % VGPU_TLB_ENTRIES].page == page;
}

/* A use as SMs have it, with a walk that has ended. False: it was a miss. */
static bool use(struct vgpu_tlb *tlb, u64 page)
{
	if (found(tlb, page) || vgpu_tlb_use(tlb, page, false, 0))
		return true;
	vgpu_tlb_enter_walked(tlb, page, bytes, false, 0, (struct vgpu_walk){});
	return false;
}

/* ---- which translation goes --------------------------------------------- */

#define MOST	64u

/* The pages of each set in the order of their use, the last one first */
struct model {
	u64 page[MOST];
	u32 sets;
	u32 ways;
};

static u32 where(const struct model *m, u64 page)
{
	const u64 *set = m->page + page % m->sets * m->ways;
	u32 n = 0;

	while (n < m->ways && set[n] != page)
		n++;
	return n;
}

static bool model_use(struct model *m, u64 page)
{
	u64 *set = m->page + page % m->sets * m->ways;
	u32 n = where(m, page);
	bool hit = n < m->ways;

	for (n -= !hit; n; n--)
		set[n] = set[n - 1];
	set[0] = page;
	return hit;
}

static void model_drop(struct model *m, u64 page)
{
	u64 *set = m->page + page % m->sets * m->ways;

	for (u32 n = where(m, page); n < m->ways; n++)
		set[n] = n + 1 < m->ways ? set[n + 1] : NOBODY;
}

static void compare(u32 sets, u32 ways, u32 pages, u32 seed)
{
	struct model m = { .sets = sets, .ways = ways };
	u32 hits = 0, quick = 0;
	struct vgpu_tlb tlb;

	for (u32 n = 0; n < MOST; n++)
		m.page[n] = NOBODY;
	start(&tlb, sets * ways, ways, 0);
	srandom(seed);
	for (u32 i = 0; i < 20000; i++) {
		/* some are in the same entry of those that lanes look at */
		u64 page = (u64)random() % pages + (random() % 8 ? 0 : VGPU_TLB_ENTRIES);
		bool hit;

		if (!(random() % 100)) {
			u64 count = random() % 2 ? 2 : VGPU_TLB_ENTRIES;

			for (u64 n = page; n < page + count; n++)
				model_drop(&m, n);
			vgpu_tlb_invalidate(&tlb, page * PAGE, count * PAGE);
			continue;
		}
		/* lanes find nothing that the TLB does not have, nor has to know the use of */
		for (u32 n = 0; n < VGPU_TLB_ENTRIES; n++) {
			u64 known = tlb.entries[n].page;

			assert_true(known == NOBODY || where(&m, known) == 0);
		}
		quick += found(&tlb, page);
		hit = model_use(&m, page);
		assert_int_equal(use(&tlb, page), hit);
		assert_true(found(&tlb, page));
		hits += hit;
	}
	assert_true(hits > 1000 && hits < 19000 && quick > 100 && quick < hits);
	vgpu_tlb_fini(&tlb);
}

static void what_was_used_longest_ago_goes(void **state)
{
	(void)state;
	compare(4, 8, 50, 1);
	compare(1, 16, 24, 2);
	compare(3, 5, 20, 3);
	compare(2, 2, 8, 4);
}

static void a_write_needs_a_translation_that_allows_it(void **state)
{
	struct vgpu_tlb tlb;

	(void)state;
	start(&tlb, 8, 4, 0);
	use(&tlb, 2);
	use(&tlb, 4);
	assert_null(vgpu_tlb_use(&tlb, 2, true, 0));
	assert_non_null(vgpu_tlb_use(&tlb, 2, false, 0));
	vgpu_tlb_enter_walked(&tlb, 2, bytes, true, 0, (struct vgpu_walk){});
	use(&tlb, 4);
	assert_ptr_equal(vgpu_tlb_use(&tlb, 2, true, 0)->translation.write, bytes);
	/* to read it once more does not change that */
	vgpu_tlb_enter_walked(&tlb, 2, bytes, false, 0, (struct vgpu_walk){});
	assert_non_null(vgpu_tlb_use(&tlb, 2, true, 0));
	/* what is used in place is in the TLB, and lanes return for it */
	vgpu_tlb_enter_walked(&tlb, 2 | VGPU_TLB_IN_PLACE, bytes, true, 0, (struct vgpu_walk){});
	assert_false(found(&tlb, 2));
	assert_int_equal(vgpu_tlb_use(&tlb, 2, true, 0)->translation.page, 2 | VGPU_TLB_IN_PLACE);
	assert_false(found(&tlb, 2));
	vgpu_tlb_invalidate(&tlb, 2 * PAGE, PAGE);
	assert_null(vgpu_tlb_use(&tlb, 2, false, 0));
	assert_int_equal(tlb.invalidated, 1);
	vgpu_tlb_fini(&tlb);
}

/* ---- misses in flight --------------------------------------------------- */

static void lanes_find_a_page_when_its_walk_has_ended(void **state)
{
	const struct vgpu_l1_entry *entry;
	struct vgpu_tlb tlb;

	(void)state;
	start(&tlb, 8, 4, 0);
	vgpu_tlb_enter_walked(&tlb, 5, bytes, false, 100, (struct vgpu_walk){ 150, 600 });
	assert_false(found(&tlb, 5));
	entry = vgpu_tlb_use(&tlb, 5, false, 100);
	assert_int_equal(vgpu_walk_ready(&entry->walk, 160), 600);
	assert_int_equal(vgpu_walk_ready(&entry->walk, 120), 570);
	assert_non_null(vgpu_tlb_use(&tlb, 5, false, 599));
	assert_false(found(&tlb, 5));
	assert_non_null(vgpu_tlb_use(&tlb, 5, false, 600));
	assert_true(found(&tlb, 5));
	vgpu_tlb_fini(&tlb);
}

static void registers_are_waited_for(void **state)
{
	struct vgpu_tlb tlb;

	(void)state;
	start(&tlb, 8, 4, 2);
	for (u32 n = 0; n < 2; n++) {
		assert_int_equal(vgpu_l1_wait(&tlb.l1, 1000, 50), 0);
		vgpu_l1_miss(&tlb.l1, 1000, 500);
	}
	assert_int_equal(vgpu_l1_wait(&tlb.l1, 1000, 50), 450);
	vgpu_l1_miss(&tlb.l1, 1000, 100);
	assert_int_equal(vgpu_l1_wait(&tlb.l1, 1000, 50), 450);
	vgpu_l1_miss(&tlb.l1, 1000, 100);
	assert_int_equal(vgpu_l1_wait(&tlb.l1, 1000, 50), 550);
	assert_int_equal(vgpu_l1_wait(&tlb.l1, 1000, 700), 0);
	assert_int_equal(vgpu_l1_wait(&tlb.l1, 2000, 0), 0);
	vgpu_tlb_fini(&tlb);
}

/* ---- kernels ------------------------------------------------------------ */

/*
 * Every lane of each of @warps warps reads a page behind the one before, @times; all warps read the
 * same for the first time, and then each its own. Time of the kernel. @info: of the context
 * afterwards
 */
static u64 run(u32 warps, u32 times, const char *entries, const char *ways, const char *field,
	       struct vgpu_account *info)
{
	struct host *h = host_new("k20c", "sms=1", "clock_khz=1000000", entries, ways, field,
				  "l2_tlb_entries=1024", "l2_tlb_ways=8", "l2_tlb_cycles=70",
				  "l2_tlb_mshrs=128", "page_walkers=64", "page_walk_ps=500000",
				  NULL);
	u32 context = host_open(h), queue = host_queue(h, context), size, module;
	struct vgpu_cmd cmd = { .op = VGPU_CMD_LAUNCH,
				.launch = { .grid = { 1, 1, 1 }, .block = { 32, warps, 1 } } };
	struct vgpu_context_info context_info;
	char message[256] = "";
	struct vass v;
	void *binary;
	u64 time;

	vgpu_memory_map(h->dev, context, BASE, PAGES * PAGE);
	vass_init(&v, 26, 0);
	OP(&v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OP(&v, MOVQ, VGPU_F_IMM, 2, 0, 0, 0, BASE);
	OPI(&v, MADWU, 8, 0, PAGE);
	v.code[v.count - 1].c = 2;
	OP(&v, SREG, 0, 1, 0, 0, 0, VGPU_SR_TID_Y);
	OPI(&v, MADWU, 12, 1, 64 * PAGE);
	v.code[v.count - 1].c = 8;
	for (u32 n = 0; n < times; n++)
		OP(&v, LDG, VASS_MEM(4, 1), 11, n ? 12 : 8, 0, 0, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	binary = vass_binary(&v, &size);
	if (vgpu_module_load(h->dev, context, binary, size, message, sizeof(message), &module))
		fail_msg("%s", message);
	free(binary);
	cmd.launch.module = module;
	assert_int_equal(host_try(h, context, queue, &cmd, 0, NULL), 0);
	host_run(h);
	assert_int_equal(h->fault_count, 0);
	time = host_done(h, context, queue, 1)->time;
	assert_int_equal(vgpu_context_info(h->dev, context, &context_info), 0);
	*info = context_info.account;
	host_free(h);
	return time;
}

/* What an SM's own TLB cannot hold is found in the L2 TLB. */
static void a_small_tlb_misses(void **state)
{
	struct vgpu_account info;
	u64 all, few;

	(void)state;
	all = run(1, 3, "l1_tlb_entries=32", "l1_tlb_ways=32", "l1_tlb_mshrs=0", &info);
	assert_int_equal(info.tlb_misses, 32);
	/* each page goes before it is used again */
	few = run(1, 3, "l1_tlb_entries=31", "l1_tlb_ways=31", "l1_tlb_mshrs=0", &info);
	assert_int_equal(info.tlb_misses, 3 * 32);
	assert_int_equal(info.l2_tlb_hits, 2 * 32);
	assert_int_equal(few, all + 2 * LOOKUP);
	/* neighbours are in different sets */
	assert_int_equal(run(1, 3, "l1_tlb_entries=32", "l1_tlb_ways=8", "l1_tlb_mshrs=0", &info),
			 all);
	assert_int_equal(info.tlb_misses, 32);
	/* of the three sets that are too small */
	run(1, 3, "l1_tlb_entries=28", "l1_tlb_ways=7", "l1_tlb_mshrs=0", &info);
	assert_int_equal(info.tlb_misses, 3 * 32);
	run(1, 3, "l1_tlb_entries=0", "l1_tlb_ways=0", "l1_tlb_mshrs=0", &info);
	assert_int_equal(info.tlb_misses, 32);
	run(1, 3, "l1_tlb_entries=1", "l1_tlb_ways=1", "l1_tlb_mshrs=0", &info);
	assert_int_equal(info.tlb_misses, 3 * 32);
}

static void misses_wait_for_registers(void **state)
{
	struct vgpu_account info;
	u64 all, some, one;

	(void)state;
	all = run(1, 1, "l1_tlb_entries=32", "l1_tlb_ways=8", "l1_tlb_mshrs=32", &info);
	assert_int_equal(info.page_walk_wait, 0);
	assert_int_equal(run(1, 1, "l1_tlb_entries=32", "l1_tlb_ways=8", "l1_tlb_mshrs=0", &info),
			 all);
	/* They are reserved from the beginning of the slice, and the miss is a little later. */
	some = run(1, 1, "l1_tlb_entries=32", "l1_tlb_ways=8", "l1_tlb_mshrs=16", &info);
	assert_in_range(some - all, LOOKUP + WALK - 50 * VGPU_NS, LOOKUP + WALK);
	assert_in_range(info.page_walk_wait, 16 * (LOOKUP + WALK - 50 * VGPU_NS),
			16 * (LOOKUP + WALK));
	one = run(1, 1, "l1_tlb_entries=32", "l1_tlb_ways=8", "l1_tlb_mshrs=1", &info);
	assert_in_range(one - all, 31 * (LOOKUP + WALK) - 50 * VGPU_NS, 31 * (LOOKUP + WALK));
}

/* The second warp finds the pages of the first, but waits for them as long. */
static void other_warps_wait_for_a_walk(void **state)
{
	struct vgpu_account info;
	u64 one, two;

	(void)state;
	one = run(1, 2, "l1_tlb_entries=64", "l1_tlb_ways=8", "l1_tlb_mshrs=64", &info);
	/* all wait for the first load, and the second warp for the second one */
	two = run(2, 2, "l1_tlb_entries=64", "l1_tlb_ways=8", "l1_tlb_mshrs=64", &info);
	assert_int_equal(info.tlb_misses, 2 * 32);
	assert_int_equal(info.page_walks, 2 * 32);
	assert_int_equal(two, one + LOOKUP + WALK);
}

static void a_lookup_is_a_part_of_each_load(void **state)
{
	struct vgpu_account info;
	u64 none, some;

	(void)state;
	none = run(1, 3, "l1_tlb_entries=32", "l1_tlb_ways=8", "l1_tlb_cycles=0", &info);
	some = run(1, 3, "l1_tlb_entries=32", "l1_tlb_ways=8", "l1_tlb_cycles=40", &info);
	assert_int_equal(some - none, 3 * 40 * VGPU_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_used_longest_ago_goes),
		cmocka_unit_test(a_write_needs_a_translation_that_allows_it),
		cmocka_unit_test(lanes_find_a_page_when_its_walk_has_ended),
		cmocka_unit_test(registers_are_waited_for),
		cmocka_unit_test(a_small_tlb_misses),
		cmocka_unit_test(misses_wait_for_registers),
		cmocka_unit_test(other_warps_wait_for_a_walk),
		cmocka_unit_test(a_lookup_is_a_part_of_each_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
