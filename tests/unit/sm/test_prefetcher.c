// SPDX-License-Identifier: MIT
/*
 * What comes with a fault (placement/prefetchers.c): pages, victims and times worked out by hand.
 * Granules of 64 KB, each with data of the host: 65.536 us at 1 GB/s. A fault is handled 7 us after
 * it was raised, and its warp goes on 5 us after its data has come.
 */
#include "managed_rig.h"

#define SLOW_LINK	"link_bandwidth=1000000000", "fault_data_round_trip_ps=0"
#define DATA		65536000ull

static bool is_there(struct rig *r, u32 granule)
{
	const struct vgpu_context *ctx = vgpu_context_find(r->h->dev, r->context);
	u32 pages = 0;

	for (u32 page = 0; page < GRANULE / PAGE; page++)
		pages += vgpu_as_page_state(ctx->as, BASE + granule * GRANULE + page * PAGE) ==
			 VGPU_PAGE_FRAME;
	assert_true(!pages || pages == GRANULE / PAGE);
	return pages;
}

/* The first 64 granules: a bit for each that is there, which is all of the memory that is. */
static u64 there(struct rig *r)
{
	u64 bits = 0;

	for (u32 granule = 0; granule < 64; granule++)
		bits |= (u64)is_there(r, granule) << granule;
	return bits;
}

static u64 first(u32 count)
{
	return (1ull << count) - 1;
}

/* One thread adds to the first word of a granule. */
static void touch(struct rig *r, u32 granule)
{
	time_of(r, 1, BASE + granule * GRANULE, 0);
}

static void write_granules(struct rig *r, u32 count)
{
	for (u32 granule = 0; granule < count; granule++)
		*word(r, BASE + granule * GRANULE) = 100;
}

/* ---- granule ------------------------------------------------------------ */

/* Whoever faults waits for its own granule; the next one comes behind it. */
static void the_next_granule_comes(void **state)
{
	struct rig r = START("prefetcher=granule", SLOW_LINK);
	u64 began;

	(void)state;
	write_granules(&r, 3);
	began = r.h->dev->sim->now;
	launch(&r, 1, BASE, 0);
	while (!r.h->completion_count)
		vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
	assert_true(r.h->completions[0].time - began < 14 * VGPU_US + DATA);
	assert_int_equal(there(&r), 1 << 0);
	host_run(r.h);
	assert_int_equal(there(&r), 1 << 0 | 1 << 1);
	assert_int_equal(info(&r).account.page_faults, 1);
	assert_int_equal(info(&r).account.page_bytes_in, 2 * GRANULE);
	/* no fault, and so nothing comes behind it */
	touch(&r, 1);
	assert_int_equal(there(&r), 1 << 0 | 1 << 1);
	assert_int_equal(info(&r).account.page_faults, 1);
	for (u32 granule = 0; granule < 3; granule++)
		assert_int_equal(*word(&r, BASE + granule * GRANULE), granule < 2 ? 101 : 100);
	host_free(r.h);
}

/* Who touches what is on its way waits for it, without a fault. */
static void a_prefetch_is_waited_for(void **state)
{
	struct rig r = START("prefetcher=granule", SLOW_LINK);

	(void)state;
	write_granules(&r, 2);
	launch(&r, 1, BASE, 0);
	launch(&r, 1, BASE + GRANULE, 0);
	host_run(r.h);
	assert_int_equal(info(&r).account.page_faults, 1);
	/* 7 us, and both granules: nobody has to be told */
	assert_true(r.h->completions[1].time - r.h->completions[0].time <= DATA);
	assert_true(r.h->completions[1].time - r.h->completions[0].time > DATA - 6 * VGPU_US);
	assert_int_equal(*word(&r, BASE + GRANULE), 101);
	host_free(r.h);
}

/*
 * Granules 0 and 4. Fault 4 is handled 2 us after fault 0, when granule 1 has its place on the
 * interconnect, and waits for three granules: it pays for what is perhaps not used.
 */
static void a_prefetch_delays_others(void **state)
{
	for (u32 on = 0; on < 2; on++) {
		struct rig r = START(on ? "prefetcher=granule" : "prefetcher=none", SLOW_LINK);

		(void)state;
		write_granules(&r, 6);
		takes(&r, 2, BASE, 4 * GRANULE, 12 * VGPU_US + (2 + on) * DATA);
		assert_int_equal(info(&r).account.page_bytes_in, (2 + 2 * on) * GRANULE);
		assert_int_equal(there(&r), on ? 0x33 : 0x11);
		host_free(r.h);
	}
}

static void nothing_beyond_the_mapping(void **state)
{
	static const char *const prefetchers[] = { "prefetcher=granule", "prefetcher=tree" };

	(void)state;
	for (u32 n = 0; n < 2; n++) {
		struct rig r = START(prefetchers[n]);

		assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, MAPPED), 0);
		assert_int_equal(vgpu_memory_map_managed(r.h->dev, r.context, BASE,
							 2 * GRANULE + PAGE), 0);
		touch(&r, 0);
		touch(&r, 1);
		/* granule: 1 came with 0. tree: of 33 pages 32 are there */
		assert_int_equal(info(&r).resident_bytes, 2 * GRANULE + n * PAGE);
		touch(&r, 2);
		assert_int_equal(info(&r).resident_bytes, 2 * GRANULE + PAGE);
		host_free(r.h);
	}
}

/* ---- tree --------------------------------------------------------------- */

/* In order: 2 of 4 are not more than half, 3 are; 5 of 8, 9 of 16, 17 of 32. */
static void a_block_fills_by_density(void **state)
{
	static const struct {
		u32 touched, there;
	} steps[] = { { 0, 1 }, { 1, 2 }, { 2, 4 }, { 4, 8 }, { 8, 16 }, { 16, 32 } };
	struct rig r = START("prefetcher=tree");

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(steps); n++) {
		touch(&r, steps[n].touched);
		assert_int_equal(there(&r), first(steps[n].there));
	}
	/* the next 2 MB are another tree */
	touch(&r, 32);
	assert_int_equal(there(&r), first(33));
	assert_int_equal(info(&r).account.page_faults, VGPU_ARRAY_SIZE(steps) + 1);
	host_free(r.h);
}

/* Of the subtrees around the fault, the largest that is dense enough: others need not be. */
static void the_largest_subtree_comes(void **state)
{
	static const struct {
		u32 touched;
		u64 there;
	} steps[] = {
		{ 0, 0x01 }, { 2, 0x05 },
		/* 3 of 4: 1 comes */
		{ 3, 0x0f },
		/* 5 of 8 */
		{ 6, 0xff },
		/* 1 of 2, of 4 and of 8, but 9 of 16 */
		{ 15, 0xffff },
	};
	struct rig r = START("prefetcher=tree");

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(steps); n++) {
		touch(&r, steps[n].touched);
		assert_int_equal(there(&r), steps[n].there);
	}
	host_free(r.h);
}

/* Three granules at once: each counts the others, which are on their way. */
static void what_is_on_its_way_counts(void **state)
{
	struct rig r = START("prefetcher=tree");

	(void)state;
	time_of(&r, 3, BASE, GRANULE);
	assert_int_equal(there(&r), first(4));
	assert_int_equal(info(&r).account.page_faults, 3);
	host_free(r.h);
}

/* ---- where there is too little room ------------------------------------- */

/* Frames for eight granules; 32 to 35 are older than 0 and 1. With 2 comes 3, and two go. */
static void a_prefetch_evicts(void **state)
{
	struct rig r = START("prefetcher=tree", "vram_bytes=524288");

	(void)state;
	for (u32 n = 0; n < 3; n++)
		touch(&r, 32 + n);
	touch(&r, 48);
	touch(&r, 56);
	touch(&r, 0);
	touch(&r, 1);
	assert_int_equal(there(&r), 0xfull << 32 | 1ull << 48 | 1ull << 56 | 3);
	touch(&r, 2);
	assert_int_equal(there(&r), 0xcull << 32 | 1ull << 48 | 1ull << 56 | 0xf);
	assert_int_equal(info(&r).account.pages_evicted, 2 * (GRANULE / PAGE));
	host_free(r.h);
}

/*
 * Frames for eight, 0 to 7 are there, and 8 evicts 0. With it would come the rest of 0 to 15, for
 * which 1 would go: none comes, whatever the unit. Of another block one may go.
 */
static void a_prefetch_does_not_evict_its_own(void **state)
{
	for (u32 large = 0; large < 2; large++) {
		struct rig r = START("prefetcher=tree", "vram_bytes=524288",
				     large ? "eviction_unit=65536" : "eviction_unit=4096");

		(void)state;
		touch(&r, 0);
		touch(&r, 1);
		touch(&r, 2);
		touch(&r, 4);
		assert_int_equal(there(&r), 0xff);
		touch(&r, 8);
		assert_int_equal(there(&r), 0x1fe);
		assert_int_equal(info(&r).account.pages_evicted, GRANULE / PAGE);
		host_free(r.h);
	}
}

/*
 * Frames for eight, units of 2 MB: 31 is the oldest and in the unit of 0 to 3. When 3 comes behind
 * 2, 31 goes, and 0 and 1 stay, which are of the subtree.
 */
static void a_unit_without_what_is_protected(void **state)
{
	struct rig r = START("prefetcher=tree", "vram_bytes=524288", "eviction_unit=2097152");

	(void)state;
	touch(&r, 31);
	for (u32 n = 0; n < 3; n++)
		touch(&r, 32 + n);
	touch(&r, 0);
	touch(&r, 1);
	assert_int_equal(there(&r), 0xfull << 32 | 1ull << 31 | 3);
	touch(&r, 2);
	assert_int_equal(there(&r), 0xfull << 32 | 0xf);
	host_free(r.h);
}

/* One page on its way and one behind it: more than half of three frames, half of four. */
static void half_of_the_frames(void **state)
{
	for (u32 four = 0; four < 2; four++) {
		struct rig r = START("prefetcher=granule",
				     four ? "vram_bytes=262144" : "vram_bytes=196608");

		(void)state;
		touch(&r, 0);
		assert_int_equal(there(&r), four ? 3 : 1);
		host_free(r.h);
		/* the same of a share */
		r = START("prefetcher=granule", "vram_bytes=524288",
			  four ? "managed_share=50" : "managed_share=49");
		touch(&r, 0);
		assert_int_equal(there(&r), four ? 3 : 1);
		host_free(r.h);
	}
}

/* Values are right, and nothing is left, whenever memory goes. */
static void memory_goes_meanwhile(void **state)
{
	static const char *const evictors[] = { "evictor=fifo", "evictor=lru", "evictor=clock" };
	static const char *const units[] = { "eviction_unit=4096", "eviction_unit=65536",
					     "eviction_unit=2097152" };

	(void)state;
	for (u32 n = 0; n < 72; n++) {
		struct rig r = START(n & 1 ? "prefetcher=tree" : "prefetcher=granule",
				     "vram_bytes=524288", "managed_share=80", evictors[n % 3],
				     units[n / 3 % 3], "link_bandwidth=1000000000");
		u32 steps = n * 3;

		write_granules(&r, 8);
		for (u32 round = 0; round < 3; round++)
			for (u32 granule = 0; granule < 4; granule++)
				launch(&r, 4, BASE + granule * GRANULE, 4 * GRANULE);
		vgpu_device_run(r.h->dev, VGPU_NEVER, steps);
		if (n % 4 == 1)
			assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, MAPPED), 0);
		else if (n % 4 == 2)
			assert_int_equal(vgpu_context_close(r.h->dev, r.context), 0);
		host_run(r.h);
		assert_int_equal(r.h->dev->mmu.arriving, 0);
		if (n % 4 == 1 || n % 4 == 2)
			assert_int_equal(r.h->dev->mmu.frames.managed, 0);
		/* thread t of launch g adds t + 1 to granule g + 4 t */
		for (u32 granule = 0; granule < 16 && n % 4 != 1 && n % 4 != 2; granule++)
			assert_int_equal(*word(&r, BASE + granule * GRANULE),
					 (granule < 8 ? 100 : 0) + 3 * (granule / 4 + 1));
		host_free(r.h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_next_granule_comes),
		cmocka_unit_test(a_prefetch_is_waited_for),
		cmocka_unit_test(a_prefetch_delays_others),
		cmocka_unit_test(nothing_beyond_the_mapping),
		cmocka_unit_test(a_block_fills_by_density),
		cmocka_unit_test(the_largest_subtree_comes),
		cmocka_unit_test(what_is_on_its_way_counts),
		cmocka_unit_test(a_prefetch_evicts),
		cmocka_unit_test(a_prefetch_does_not_evict_its_own),
		cmocka_unit_test(a_unit_without_what_is_protected),
		cmocka_unit_test(half_of_the_frames),
		cmocka_unit_test(memory_goes_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
