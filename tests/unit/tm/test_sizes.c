// SPDX-License-Identifier: MIT
/*
 * Table 4.5 of the thesis: the sizes follow from the setups, the sums from the rows. And what a
 * setup may not be.
 */
#include "memsys/tm/lazy/warptm.h"
#include "rig.h"

static const struct vgpu_tm_setup *const getm = &vgpu_tm_getm;

/* ---- sizes ----------------------------------------------------------------------- */

#define BITS_OF_TIME	32u
#define BITS_OF_WARP	15u
#define BITS_OF_ADDRESS	48u

static u32 timestamp_bytes(void)
{
	u32 bytes = 0;

	while (getm->limit >> bytes * 8)
		bytes++;
	return bytes;
}

/* 4K and 1K entries of the device do not divide by 6 partitions and 4 ways: a little less */
static void expect_entries(u32 ways, u32 rows, u32 entries)
{
	u32 there = getm->partitions * ways * rows;

	assert_in_range(there, entries - getm->partitions * ways + 1, entries);
}

static void tables_have_their_sizes(void **state)
{
	(void)state;
	assert_int_equal(timestamp_bytes() * 8, BITS_OF_TIME);
	expect_entries(getm->precise_ways, getm->precise_rows, 64 * 1024 / 16);
	/* an entry: two timestamps */
	expect_entries(getm->approximate_ways, getm->approximate_rows,
		       8 * 1024 / (2 * timestamp_bytes()));
	assert_int_equal(getm->stash, 4);
	/* 192 bytes for the 48 warps of a core */
	assert_int_equal(48 * timestamp_bytes(), 192);
	/* the stall buffer, 30 bytes a line: address; load or store, warp, time of each entry */
	assert_int_equal(getm->stall_lines, 4);
	assert_int_equal(BITS_OF_ADDRESS +
			 getm->stall_entries * (1 + BITS_OF_WARP + BITS_OF_TIME), 30 * 8);
	/* the commit unit, 16 KB of regions of 32 bytes */
	assert_int_equal(getm->commit_regions * 32, 16 * 1024);
}

/* What a unit is made of lies one after the other, and is all of it. */
static void a_unit_has_its_bytes(void **state)
{
	static struct vgpu_tm tm;
	u32 entries = getm->precise_ways * getm->precise_rows + getm->stash + getm->overflow;

	(void)state;
	vgpu_tm_init(&tm, getm);
	assert_int_equal(tm.bytes, sizeof(struct vgpu_tm_unit) + entries * 32 +
				   getm->approximate_ways * getm->approximate_rows * 16 +
				   4 * 16 + 16 * 24 + 512 * 16);
	assert_int_equal(tm.at_regions + getm->commit_regions * sizeof(struct vgpu_tm_region),
			 tm.bytes);
}

/* WarpTM and EAPG: bytes of a partition, of a core, of the device */
static void tables_of_the_baselines_have_their_sizes(void **state)
{
	const struct vgpu_wtm_setup *setup = &vgpu_wtm_getm;

	(void)state;
	/* last-writer history: tables of 3 KB, filters of 2 KB */
	assert_int_equal(setup->lwhr_ways * setup->lwhr_sets * 3, 3 * 1024);
	assert_int_equal(setup->filter_ways * setup->filter_rows * 2, 2 * 1024);
	/* commit unit: entry arrays of 19 KB, read-write buffers of 32 KB */
	assert_int_equal(setup->entries * 19, 19 * 1024);
	assert_int_equal(setup->words * 2 * VGPU_WTM_WORD_BYTES, 32 * 1024);
	/* temporal conflict detection: a time for each of 48 warps of 32 threads, 16 KB in all */
	assert_int_equal(48 * 32 * 8, 12 * 1024);
	assert_in_range(setup->partitions * setup->tcd_ways * setup->tcd_rows * 8,
			16 * 1024 - setup->partitions * setup->tcd_ways * 8 + 1, 16 * 1024);
	assert_int_equal(setup->tcd_bytes, 128);
	/* EAPG: conflict address tables of 12 KB, reference count tables of 15 KB */
	assert_int_equal(setup->conflict_ways * setup->conflict_sets * 4, 12 * 1024);
	assert_int_equal(setup->count_ways * setup->count_sets * 5, 15 * 1024);
	assert_int_equal(setup->partitions, getm->partitions);
	assert_int_equal(setup->cores, getm->cores);
}

static void a_unit_of_warptm_has_its_bytes(void **state)
{
	static struct vgpu_wtm wtm;

	(void)state;
	vgpu_wtm_init(&wtm, &vgpu_wtm_getm);
	assert_int_equal(wtm.bytes, sizeof(struct vgpu_wtm_unit) + 1024 * 72 + 4096 * 24 +
				    1024 * 16 + 1024 * 8 + 4 * 85 * 8 + 3072 * 16);
	assert_int_equal(wtm.at_counts + 3072 * sizeof(struct vgpu_eapg_line), wtm.bytes);
}

/* ---- sums ------------------------------------------------------------------------- */

/** struct silicon - in 1/10000 mm2 and 1/100 mW */
struct silicon {
	u32 area;
	u32 power;
};

static const struct silicon warptm[] = {
	{ 1080, 2184 },		/* LWHR tables */
	{ 300, 1200 },		/* LWHR filters */
	{ 4020, 10062 },	/* entry arrays */
	{ 17340, 13248 },	/* read-write buffers */
	{ 3750, 11325 },	/* first-read tables */
	{ 310, 986 },		/* last-write buffer */
}, eapg_adds[] = {
	{ 6000, 15330 },	/* conflict address tables */
	{ 2940, 7560 },		/* reference count tables */
}, getm_units[] = {
	{ 5220, 8556 },		/* write buffers of the commit units */
	{ 1810, 6959 },		/* precise tables */
	{ 180, 851 },		/* approximate tables */
	{ 150, 1065 },		/* warpts tables */
	{ 4, 267 },		/* stall buffers */
};

static struct silicon sum(const struct silicon *rows, size_t count)
{
	struct silicon total = { 0, 0 };

	for (size_t n = 0; n < count; n++) {
		total.area += rows[n].area;
		total.power += rows[n].power;
	}
	return total;
}

#define SUM(rows)	sum(rows, sizeof(rows) / sizeof((rows)[0]))

/* In tenths, rounded */
static u32 ratio(u32 a, u32 b)
{
	return (a * 10 + b / 2) / b;
}

static void rows_add_up_to_the_totals(void **state)
{
	struct silicon w = SUM(warptm), e = SUM(eapg_adds), g = SUM(getm_units);

	(void)state;
	e.area += w.area;
	e.power += w.power;
	assert_int_equal(w.area, 26800);
	assert_int_equal(w.power, 39005);
	assert_int_equal(e.area, 35740);
	assert_int_equal(e.power, 61895);
	/* printed as 0.736 */
	assert_int_equal(g.area, 7364);
	assert_int_equal(g.power, 17698);
	assert_int_equal(ratio(w.area, g.area), 36);
	assert_int_equal(ratio(e.area, g.area), 49);
	assert_int_equal(ratio(w.power, g.power), 22);
	/* printed as 3.6 */
	assert_int_equal(ratio(e.power, g.power), 35);
}

/* ---- setups -------------------------------------------------------------------------- */

static void expect_wrong(const struct vgpu_tm_setup *setup, const char *field)
{
	const char *wrong = vgpu_tm_check(setup);

	assert_non_null(wrong);
	assert_non_null(strstr(wrong, field));
}

static void wrong_setups_are_named(void **state)
{
	static const struct {
		size_t at;
		u32 value;
		const char *field;
	} wrong[] = {
		{ offsetof(struct vgpu_tm_setup, cores), 0, "cores" },
		{ offsetof(struct vgpu_tm_setup, cores), 65536, "cores" },
		{ offsetof(struct vgpu_tm_setup, partitions), 0, "partitions" },
		{ offsetof(struct vgpu_tm_setup, precise_ways), 0, "precise_ways" },
		{ offsetof(struct vgpu_tm_setup, precise_ways), 5, "precise_ways" },
		{ offsetof(struct vgpu_tm_setup, approximate_ways), 5, "approximate_ways" },
		{ offsetof(struct vgpu_tm_setup, precise_rows), 0, "precise_rows" },
		{ offsetof(struct vgpu_tm_setup, approximate_rows), 0, "approximate_rows" },
		{ offsetof(struct vgpu_tm_setup, stash), 65, "stash" },
		{ offsetof(struct vgpu_tm_setup, overflow), ~0u, "overflow" },
		{ offsetof(struct vgpu_tm_setup, probes), ~0u, "probes" },
		{ offsetof(struct vgpu_tm_setup, evict_percent), 101, "evict_percent" },
		{ offsetof(struct vgpu_tm_setup, stall_lines), 0, "stall_lines" },
		{ offsetof(struct vgpu_tm_setup, stall_entries), 0, "stall_entries" },
		{ offsetof(struct vgpu_tm_setup, commit_regions), 0, "commit_regions" },
		{ offsetof(struct vgpu_tm_setup, backoff), ~0u, "backoff" },
		{ offsetof(struct vgpu_tm_setup, backoff_doublings), 17, "backoff" },
	};
	struct vgpu_tm_setup setup = *getm;

	(void)state;
	assert_null(vgpu_tm_check(&setup));
	for (size_t n = 0; n < sizeof(wrong) / sizeof(wrong[0]); n++) {
		setup = *getm;
		memcpy((u8 *)&setup + wrong[n].at, &wrong[n].value, sizeof(u32));
		expect_wrong(&setup, wrong[n].field);
	}
	setup = *getm;
	setup.limit = 0;
	expect_wrong(&setup, "limit");
	setup.limit = VGPU_TM_TIME_MOST;
	expect_wrong(&setup, "limit");
	setup = *getm;
	setup.rule = VGPU_TM_RULES;
	expect_wrong(&setup, "rule");
	setup = *getm;
	setup.fault = VGPU_TM_FAULTS;
	expect_wrong(&setup, "fault");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_have_their_sizes),
		cmocka_unit_test(a_unit_has_its_bytes),
		cmocka_unit_test(tables_of_the_baselines_have_their_sizes),
		cmocka_unit_test(a_unit_of_warptm_has_its_bytes),
		cmocka_unit_test(rows_add_up_to_the_totals),
		cmocka_unit_test(wrong_setups_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
