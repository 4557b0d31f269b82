// SPDX-License-Identifier: MIT
/*
 * Capacity compression of managed memory: what fits into eight frames, by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "managed_rig.h"
#include "compression/traffic.h"
#include "mmu/address_space.h"

#define UNIT	512u

/* Eight frames are 64 units. */
#define EIGHT	"fault_granule=4096", "vram_bytes=32768"
#define COMPRESSED	EIGHT, "compression=1"

static const char *const timings[] = { "timing=interval", "timing=pipeline" };

static struct vgpu_context *context(struct rig *r)
{
	return vgpu_context_find(r->h->dev, r->context);
}

static void fill(struct rig *r, u32 first, u32 count)
{
	for (u32 page = first; page < first + count; page++)
		time_of(r, 1, BASE + page * PAGE, 0);
}

/* What the process writes: bytes of no pattern. */
static void scramble(struct rig *r, u32 page)
{
	u32 *words = word(r, BASE + page * PAGE);

	for (u32 n = 0; n < PAGE / 4; n++)
		words[n] = (n + 1) * 2654435761u;
}

static u64 units(struct rig *r)
{
	return info(r).account.managed_vram / UNIT;
}

/* A page of zeros and one word is a unit: 64 of them are there at once, and the next sends one. */
static void frames_hold_what_fits(void **state)
{
	(void)state;
	for (u32 n = 0; n < 2; n++) {
		struct rig r = START(COMPRESSED, timings[n]);

		fill(&r, 0, 64);
		assert_int_equal(info(&r).account.pages_evicted, 0);
		assert_int_equal(info(&r).account.pages_compressed, 64);
		assert_int_equal(info(&r).resident_bytes, 64 * PAGE);
		assert_int_equal(units(&r), 64);
		fill(&r, 64, 1);
		assert_int_equal(info(&r).account.pages_evicted, 1);
		assert_int_equal(units(&r), 64);
		for (u32 page = 0; page < 65; page++)
			assert_int_equal(*word(&r, BASE + page * PAGE), 1);
		assert_int_equal(info(&r).account.pages_compressed, 0);
		assert_int_equal(units(&r), 0);
		host_free(r.h);
	}
}

/* Seven pages of no pattern leave room for eight of zeros. */
static void what_has_no_pattern(void **state)
{
	struct rig r = START(COMPRESSED);

	(void)state;
	for (u32 page = 0; page < 7; page++)
		scramble(&r, page);
	fill(&r, 0, 15);
	assert_int_equal(info(&r).account.pages_evicted, 0);
	assert_int_equal(units(&r), 64);
	fill(&r, 15, 1);
	/* the oldest, of eight units */
	assert_int_equal(info(&r).account.pages_evicted, 1);
	assert_int_equal(units(&r), 57);
	host_free(r.h);
}

/* Without the knob, or before, a page takes a frame. */
static void only_while_it_is_on(void **state)
{
	struct rig r = START(EIGHT);

	(void)state;
	fill(&r, 0, 4);
	assert_int_equal(units(&r), 32);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "compression", "1"), 0);
	fill(&r, 4, 32);
	assert_int_equal(info(&r).account.pages_evicted, 0);
	assert_int_equal(units(&r), 64);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "compression", "0"), 0);
	fill(&r, 36, 1);
	assert_int_equal(info(&r).account.pages_evicted, 1);
	assert_int_equal(units(&r), 64);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "compression_ratio", "99"), -EINVAL);
	host_free(r.h);
}

/* Pages that are on their way when it goes off come whole: what is too much goes again. */
static void off_on_the_way(void **state)
{
	struct rig r = START("fault_granule=65536", "vram_bytes=32768", "compression=1");
	struct vgpu_cmd cmd = {
		.op = VGPU_CMD_PREFETCH,
		.prefetch = { .address = BASE, .bytes = 16 * PAGE, .to_device = 1 },
	};

	(void)state;
	fill(&r, 0, 16);
	cmd.prefetch.to_device = 0;
	host_push(r.h, r.context, r.queue, cmd);
	host_run(r.h);
	cmd.prefetch.to_device = 1;
	host_push(r.h, r.context, r.queue, cmd);
	for (u32 n = 0; n < 100000 && !r.h->dev->mmu.arriving; n++)
		vgpu_device_run(r.h->dev, r.h->dev->sim->now + 10 * VGPU_NS, ~0u);
	assert_in_range(r.h->dev->mmu.arriving, 1, 63);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "compression", "0"), 0);
	host_run(r.h);
	assert_int_equal(units(&r), 64);
	host_free(r.h);
}

/* What is read of DRAM for a launch is what DRAM has read: units, not lines. */
static void launches_are_told_what_is_read(void **state)
{
	struct rig r = START(COMPRESSED, "timing=pipeline", "memory_model=caches",
			     "kernel_statistics=1");
	struct vgpu_device_stats stats;
	u64 read = 0;

	(void)state;
	fill(&r, 0, 60);
	fill(&r, 0, 60);
	vgpu_device_stats(r.h->dev, &stats);
	for (size_t n = 0; n < r.h->counts_count; n++)
		read += r.h->counts[n].sum[VGPU_COUNT_DRAM_READ];
	assert_true(read);
	assert_int_equal(read, stats.dram_read);
	host_free(r.h);
}

/* Whatever the bytes are: 16 pages of four units. */
static void a_synthetic_ratio(void **state)
{
	struct rig r = START(COMPRESSED, "compression_ratio=200");

	(void)state;
	for (u32 page = 0; page < 17; page++)
		scramble(&r, page);
	fill(&r, 0, 16);
	assert_int_equal(info(&r).account.pages_evicted, 0);
	assert_int_equal(units(&r), 64);
	fill(&r, 16, 1);
	assert_int_equal(info(&r).account.pages_evicted, 1);
	assert_int_equal(info(&r).account.page_overflows, 0);
	host_free(r.h);
}

/*
 * A thread a line: 32 lines with a word each are no longer zero, and the page of one unit has room
 * for six. They are 16 bytes each: four units. Without caches all are seen at once; L2 writes two
 * lines back at a time: eight are in a page of two units, and 16 too many for that.
 */
static void a_page_grows(void **state)
{
	(void)state;
	for (u32 n = 0; n < 2; n++) {
		struct rig r = START(COMPRESSED, timings[n]);

		fill(&r, 0, 1);
		assert_int_equal(units(&r), 1);
		time_of(&r, 32, BASE, 64);
		vgpu_as_flush(context(&r)->as, BASE, false);
		assert_int_equal(units(&r), 4);
		assert_int_equal(info(&r).account.page_overflows, 1 + n);
		assert_int_equal(*word(&r, BASE), 2);
		assert_int_equal(*word(&r, BASE + 31 * 64), 32);
		host_free(r.h);
	}
}

/* A page grows where nothing is free: the oldest goes, until all have room. Nobody waits for it. */
static void others_make_room(void **state)
{
	struct rig r = START(COMPRESSED);

	(void)state;
	fill(&r, 0, 64);
	assert_int_equal(units(&r), 64);
	time_of(&r, 32, BASE + 63 * PAGE, 64);
	assert_int_equal(info(&r).account.page_overflows, 1);
	assert_int_equal(info(&r).account.pages_evicted, 3);
	assert_int_equal(units(&r), 64);
	for (u32 page = 0; page < 4; page++)
		assert_int_equal(vgpu_as_frame_number(context(&r)->as, BASE + page * PAGE) != 0,
				 page == 3);
	host_free(r.h);
}

/*
 * Of two contexts with half of the room each, one has pages that grow: what is too much for it are
 * its own pages, however old those of the other are.
 */
static void its_own_make_room(void **state)
{
	struct rig a = START(COMPRESSED, "managed_share=50"), b = open_context(a.h);

	(void)state;
	fill(&a, 0, 32);
	fill(&b, 0, 32);
	time_of(&b, 32, BASE + 31 * PAGE, 64);
	assert_int_equal(info(&a).account.pages_evicted, 0);
	assert_int_equal(info(&b).account.pages_evicted, 3);
	assert_int_equal(units(&a), 32);
	assert_int_equal(units(&b), 32);
	host_free(a.h);
}

/* A copy writes bytes of no pattern: the page is no longer compressed. */
static void a_copy_writes(void **state)
{
	(void)state;
	for (u32 n = 0; n < 2; n++) {
		struct rig r = START(COMPRESSED, timings[n]);

		fill(&r, 0, 1);
		for (u32 i = 0; i < PAGE / 4; i++)
			((u32 *)r.h->memory)[i] = (i + 1) * 2654435761u;
		host_push(r.h, r.context, r.queue, cmd_h2d(BASE, 0, PAGE));
		host_run(r.h);
		assert_int_equal(units(&r), 8);
		assert_int_equal(info(&r).account.page_overflows, 1);
		host_free(r.h);
	}
}

/* Without caches a translation looks for the metadata: 512 pages have theirs at hand. */
static void metadata(void **state)
{
	struct rig r = START("fault_granule=4096", "compression=1");
	u64 first, again, hits;

	(void)state;
	fill(&r, 0, 1);
	assert_int_equal(info(&r).account.metadata_misses, 1);
	hits = info(&r).account.metadata_hits;
	vgpu_as_invalidate(context(&r)->as, BASE, PAGE);
	again = time_of(&r, 1, BASE, 0);
	assert_int_equal(info(&r).account.metadata_misses, 1);
	/* the load and the store */
	assert_int_equal(info(&r).account.metadata_hits, hits + 2);
	vgpu_metadata_forget(r.h->dev->mmu.frames.metadata,
			     vgpu_as_frame_number(context(&r)->as, BASE));
	vgpu_as_invalidate(context(&r)->as, BASE, PAGE);
	first = time_of(&r, 1, BASE, 0);
	assert_int_equal(info(&r).account.metadata_misses, 2);
	assert_true(first > again);
	host_free(r.h);
}

/*
 * L2 misses a line of a page of zeros, which has 2 bytes in DRAM: one sector, and two of metadata
 * for the first of its page. Not compressed it is four sectors.
 */
static void sectors_of_dram(void **state)
{
	struct rig r = START("fault_granule=4096", "compression=1", "timing=pipeline");
	struct vgpu_line_traffic t;
	u64 number;

	(void)state;
	fill(&r, 0, 1);
	number = vgpu_as_frame_number(context(&r)->as, BASE);
	vgpu_as_flush(context(&r)->as, BASE, true);
	vgpu_metadata_forget(r.h->dev->mmu.frames.metadata, number);
	/* line 0 is an exception, 1 is not */
	vgpu_mmu_line(&r.h->dev->mmu, number, 0, 3, false, &t);
	assert_true(t.compressed);
	assert_int_equal(t.slots, 1);
	assert_int_equal(t.exceptions, 2);
	assert_int_equal(t.metadata, 2);
	vgpu_mmu_line(&r.h->dev->mmu, number, 1, 3, false, &t);
	assert_int_equal(t.slots, 1);
	assert_int_equal(t.exceptions, 0);
	assert_int_equal(t.metadata, 0);
	host_free(r.h);
}

/* Memory goes in each state, with pages that are compressed and some that grow. */
static void memory_goes_meanwhile(void **state)
{
	(void)state;
	for (u32 n = 0; n < 80; n++) {
		struct rig r = START(COMPRESSED, timings[n & 1], "evict_clean=1",
				     "eviction_unit=65536", "link_bandwidth=1000000000");

		for (u32 page = 0; page < 20; page += 2)
			scramble(&r, page);
		for (u32 round = 0; round < 3; round++)
			for (u32 page = 0; page < 20; page++)
				launch(&r, 32, BASE + page * PAGE, 64);
		vgpu_device_run(r.h->dev, VGPU_NEVER, n * 20);
		if (n % 4 == 1)
			assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, MAPPED), 0);
		else if (n % 4 == 2)
			assert_int_equal(vgpu_context_close(r.h->dev, r.context), 0);
		host_run(r.h);
		assert_int_equal(r.h->dev->mmu.arriving, 0);
		if (n % 4 == 1 || n % 4 == 2) {
			assert_int_equal(r.h->dev->mmu.frames.units, 0);
			assert_int_equal(r.h->dev->mmu.frames.compressed, 0);
		} else {
			assert_true(units(&r) <= 64);
			for (u32 page = 0; page < 20; page++)
				assert_int_equal(*word(&r, BASE + page * PAGE + 64),
						 (page & 1 ? 0 : 17 * 2654435761u) + 6);
		}
		host_free(r.h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_hold_what_fits),
		cmocka_unit_test(what_has_no_pattern),
		cmocka_unit_test(only_while_it_is_on),
		cmocka_unit_test(off_on_the_way),
		cmocka_unit_test(launches_are_told_what_is_read),
		cmocka_unit_test(a_synthetic_ratio),
		cmocka_unit_test(a_page_grows),
		cmocka_unit_test(others_make_room),
		cmocka_unit_test(its_own_make_room),
		cmocka_unit_test(a_copy_writes),
		cmocka_unit_test(metadata),
		cmocka_unit_test(sectors_of_dram),
		cmocka_unit_test(memory_goes_meanwhile),
	};

	return cmocka_run_group_tests_name("compression", tests, NULL, NULL);
}
