// SPDX-License-Identifier: MIT
/*
 * Temporal conflict detection and EAPG's tables by hand, and what a setup of WarpTM may not be.
 */
#include "lazy/rig.h"
#include "memsys/tm/lazy/eapg.h"
#include "memsys/tm/lazy/tcd.h"
#include "sim/random.h"

static struct lazy_rig rig;

static int open_units(void **state)
{
	(void)state;
	lazy_rig_open(&rig, &vgpu_wtm_getm);
	return 0;
}

static int close_units(void **state)
{
	(void)state;
	lazy_rig_close(&rig);
	return 0;
}

/* A transaction starts at @start and loads this; has it committed? */
static bool is_silent(u64 start, u64 address)
{
	struct vgpu_tcd_reads reads = { 0 };

	vgpu_tcd_start(&rig.wtm, &reads, start);
	vgpu_tcd_answer(&reads, vgpu_tcd_load(&rig.wtm, rig.unit, address));
	return vgpu_tcd_is_silent(&rig.wtm, &reads);
}

/* ---- times ----------------------------------------------------------------------- */

/* At the same time counts as later; nothing has been stored at 0. */
static void what_was_stored_before_is_silent(void **state)
{
	(void)state;
	assert_true(is_silent(0, 256));
	vgpu_tcd_store(&rig.wtm, rig.unit, 256, 10);
	assert_true(is_silent(11, 256));
	assert_false(is_silent(10, 256));
	assert_false(is_silent(9, 256));
	vgpu_tcd_store(&rig.wtm, rig.unit, 512, 0);
	assert_false(is_silent(0, 512));
	assert_true(is_silent(1, 512));
}

/* 128 bytes have one time. */
static void neighbours_share_a_time(void **state)
{
	(void)state;
	vgpu_tcd_store(&rig.wtm, rig.unit, 256, 10);
	assert_false(is_silent(5, 256 + 124));
	assert_true(is_silent(5, 256 + 128));
	assert_true(is_silent(5, 252));
}

/* It starts with its first load: the second one, at 20, does not change that. */
static void the_first_load_is_the_start(void **state)
{
	struct vgpu_tcd_reads reads = { 0 };

	(void)state;
	vgpu_tcd_start(&rig.wtm, &reads, 5);
	vgpu_tcd_answer(&reads, vgpu_tcd_load(&rig.wtm, rig.unit, 128));
	vgpu_tcd_store(&rig.wtm, rig.unit, 256, 10);
	vgpu_tcd_start(&rig.wtm, &reads, 20);
	assert_true(vgpu_tcd_is_silent(&rig.wtm, &reads));
	vgpu_tcd_answer(&reads, vgpu_tcd_load(&rig.wtm, rig.unit, 256));
	assert_false(vgpu_tcd_is_silent(&rig.wtm, &reads));
	/* what has come first stays */
	vgpu_tcd_answer(&reads, vgpu_tcd_load(&rig.wtm, rig.unit, 128));
	assert_false(vgpu_tcd_is_silent(&rig.wtm, &reads));
}

/* From the search for its hazards until it has left; as published only from its write. */
static void what_will_be_written_is_not_silent(void **state)
{
	(void)state;
	lazy_rig_begin(&rig, 1, 1);
	lazy_rig_write(&rig, 2, 1, 1);
	assert_true(lazy_rig_comes(&rig));
	assert_true(is_silent(5, 8));
	lazy_rig_search(&rig);
	assert_false(is_silent(5, 8));
	assert_true(is_silent(5, 12));
	rig.wtm.setup.tcd = VGPU_TCD_AS_PUBLISHED;
	assert_true(is_silent(5, 8));
	rig.wtm.setup.tcd = VGPU_TCD_PENDING;
	lazy_rig_expect(&rig, 1, 0);
	vgpu_wtm_decide(&rig.wtm, rig.unit, 1, 1);
	rig.now = 10;
	assert_int_equal(lazy_rig_leave(&rig), 1);
	assert_false(is_silent(10, 8));
	assert_true(is_silent(11, 8));
	rig.wtm.setup.tcd = VGPU_TCD_OFF;
	assert_false(is_silent(11, 8));
}

/* Lines of one partition: never earlier than the truth */
static void times_are_never_too_early(void **state)
{
	static u64 truth[64];
	struct vgpu_random random;
	u32 exact = 0;

	(void)state;
	vgpu_random_seed(&random, 1);
	for (u64 now = 1; now <= 500; now++) {
		u64 line = vgpu_random_next(&random) >> 58;

		vgpu_tcd_store(&rig.wtm, rig.unit, line * 128, now);
		truth[line] = now;
	}
	for (u64 line = 0; line < 64; line++) {
		u64 found = vgpu_tcd_load(&rig.wtm, rig.unit, line * 128) - 1;

		assert_true(found >= truth[line]);
		exact += found == truth[line];
	}
	assert_in_range(exact, 32, 64);
}

/* ---- EAPG ------------------------------------------------------------------------------ */

static void the_first_and_the_last_are_told(void **state)
{
	(void)state;
	assert_true(vgpu_eapg_count(&rig.wtm, rig.unit, 8));
	assert_false(vgpu_eapg_count(&rig.wtm, rig.unit, 8));
	assert_true(vgpu_eapg_count(&rig.wtm, rig.unit, 12));
	assert_false(vgpu_eapg_uncount(&rig.wtm, rig.unit, 8));
	assert_true(vgpu_eapg_uncount(&rig.wtm, rig.unit, 12));
	assert_true(vgpu_eapg_uncount(&rig.wtm, rig.unit, 8));
	assert_false(vgpu_eapg_uncount(&rig.wtm, rig.unit, 8));
	assert_true(vgpu_eapg_count(&rig.wtm, rig.unit, 8));
}

/* One place: the second word is not counted, and does not disturb the first. */
static void a_word_without_a_place_is_not_counted(void **state)
{
	struct vgpu_wtm_setup setup = vgpu_wtm_getm;

	(void)state;
	lazy_rig_close(&rig);
	setup.count_ways = 1;
	setup.count_sets = 1;
	lazy_rig_open(&rig, &setup);
	assert_true(vgpu_eapg_count(&rig.wtm, rig.unit, 8));
	assert_false(vgpu_eapg_count(&rig.wtm, rig.unit, 12));
	assert_false(vgpu_eapg_uncount(&rig.wtm, rig.unit, 12));
	assert_true(vgpu_eapg_uncount(&rig.wtm, rig.unit, 8));
}

static void accesses_to_what_is_committed_wait(void **state)
{
	struct vgpu_eapg_line *table = calloc(4 * 768, sizeof(*table));

	(void)state;
	assert_false(vgpu_eapg_is_there(&rig.wtm, table, 8));
	vgpu_eapg_insert(&rig.wtm, table, 8);
	assert_true(vgpu_eapg_is_there(&rig.wtm, table, 8));
	assert_false(vgpu_eapg_is_there(&rig.wtm, table, 12));
	vgpu_eapg_remove(&rig.wtm, table, 12);
	assert_true(vgpu_eapg_is_there(&rig.wtm, table, 8));
	vgpu_eapg_remove(&rig.wtm, table, 8);
	assert_false(vgpu_eapg_is_there(&rig.wtm, table, 8));
	free(table);
}

/* ---- setups ------------------------------------------------------------------------------ */

static void wrong_setups_are_named(void **state)
{
	static const struct {
		size_t at;
		u32 value;
		const char *field;
	} wrong[] = {
		{ offsetof(struct vgpu_wtm_setup, cores), 0, "cores" },
		{ offsetof(struct vgpu_wtm_setup, partitions), 65536, "partitions" },
		{ offsetof(struct vgpu_wtm_setup, entries), 0, "entries" },
		{ offsetof(struct vgpu_wtm_setup, words), 0, "words" },
		{ offsetof(struct vgpu_wtm_setup, log_words), 4097, "log_words" },
		{ offsetof(struct vgpu_wtm_setup, lwhr_ways), 65, "lwhr_ways" },
		{ offsetof(struct vgpu_wtm_setup, lwhr_sets), 0, "lwhr_sets" },
		{ offsetof(struct vgpu_wtm_setup, filter_ways), 5, "filter_ways" },
		{ offsetof(struct vgpu_wtm_setup, filter_rows), ~0u, "filter_rows" },
		{ offsetof(struct vgpu_wtm_setup, tcd_ways), 0, "tcd_ways" },
		{ offsetof(struct vgpu_wtm_setup, tcd_rows), 0, "tcd_rows" },
		{ offsetof(struct vgpu_wtm_setup, tcd_bytes), 2, "tcd_bytes" },
		{ offsetof(struct vgpu_wtm_setup, count_ways), 0, "count_ways" },
		{ offsetof(struct vgpu_wtm_setup, count_sets), ~0u, "count_sets" },
		{ offsetof(struct vgpu_wtm_setup, conflict_ways), 0, "conflict_ways" },
		{ offsetof(struct vgpu_wtm_setup, conflict_sets), 0, "conflict_sets" },
	};
	struct vgpu_wtm_setup setup = vgpu_wtm_getm;

	(void)state;
	assert_null(vgpu_wtm_check(&setup));
	for (size_t n = 0; n < sizeof(wrong) / sizeof(wrong[0]); n++) {
		setup = vgpu_wtm_getm;
		memcpy((u8 *)&setup + wrong[n].at, &wrong[n].value, sizeof(u32));
		assert_non_null(vgpu_wtm_check(&setup));
		assert_non_null(strstr(vgpu_wtm_check(&setup), wrong[n].field));
	}
	setup = vgpu_wtm_getm;
	setup.tcd = VGPU_TCD_RULES;
	assert_string_equal(vgpu_wtm_check(&setup), "tcd: there is no rule of this number");
	setup.tcd = 0;
	setup.fault = VGPU_TM_LOAD_KEEPS_RTS;
	assert_string_equal(vgpu_wtm_check(&setup), "fault: 0, or 10 to 14");
	setup.fault = VGPU_WTM_FAULTS;
	assert_string_equal(vgpu_wtm_check(&setup), "fault: 0, or 10 to 14");
}

#define test_of_units(name)	cmocka_unit_test_setup_teardown(name, open_units, close_units)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_of_units(what_was_stored_before_is_silent),
		test_of_units(neighbours_share_a_time),
		test_of_units(the_first_load_is_the_start),
		test_of_units(what_will_be_written_is_not_silent),
		test_of_units(times_are_never_too_early),
		test_of_units(the_first_and_the_last_are_told),
		test_of_units(a_word_without_a_place_is_not_counted),
		test_of_units(accesses_to_what_is_committed_wait),
		cmocka_unit_test(wrong_setups_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
