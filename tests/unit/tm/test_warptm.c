// SPDX-License-Identifier: MIT
/*
 * WarpTM by hand: logs, hazards, verdicts, decisions and writes of a partition in the order of
 * commit ids, its last-writer history, what a core waits for, and WarpTM-EL.
 */
#include "lazy/rig.h"
#include "memsys/tm/lazy/core.h"
#include "memsys/tm/lazy/lwhr.h"
#include "memsys/tm/lazy/warptm_el.h"
#include "sim/random.h"

static void open_small(struct lazy_rig *rig, u32 entries, u32 words, u32 log_words)
{
	struct vgpu_wtm_setup setup = vgpu_wtm_getm;

	setup.entries = entries;
	setup.words = words;
	setup.log_words = log_words;
	lazy_rig_open(rig, &setup);
}

static void decide(struct lazy_rig *rig, u64 cid, u32 lanes)
{
	vgpu_wtm_decide(&rig->wtm, rig->unit, cid, lanes);
}

/* Log @cid of lane 0: it has read word @read as 0, and writes @cid at word @write; 0: not */
static void send(struct lazy_rig *rig, u64 cid, u32 read, u32 write)
{
	lazy_rig_begin(rig, cid, 1);
	if (read)
		lazy_rig_read(rig, read, 0, 1);
	if (write)
		lazy_rig_write(rig, write, (u32)cid, 1);
	assert_true(lazy_rig_comes(rig));
}

static void expect_empty(const struct lazy_rig *rig, u64 left)
{
	assert_int_equal(rig->unit->left, left);
	assert_int_equal(rig->unit->used, 0);
	assert_int_equal(rig->unit->first_reader, 0);
}

/* ---- one warp ---------------------------------------------------------------------- */

/*
 * Lanes 0 and 1 have read word 2 as 5, lane 2 word 3 as 6, which is 7 by now. Lanes 0 and 2 write
 * words 4 and 5: lane 2 fails, and only word 4 is written.
 */
static void lanes_that_read_something_else_fail(void **state)
{
	struct lazy_rig rig;

	(void)state;
	lazy_rig_open(&rig, &vgpu_wtm_getm);
	rig.memory[2] = 5;
	rig.memory[3] = 7;
	lazy_rig_begin(&rig, 1, 7);
	lazy_rig_read(&rig, 2, 5, 3);
	lazy_rig_read(&rig, 3, 6, 4);
	lazy_rig_write(&rig, 4, 40, 1);
	lazy_rig_write(&rig, 5, 50, 4);
	assert_true(lazy_rig_comes(&rig));
	lazy_rig_expect_none(&rig);
	assert_int_equal(lazy_rig_search(&rig), 1);
	lazy_rig_expect_none(&rig);
	assert_false(lazy_rig_compare(&rig));
	lazy_rig_expect(&rig, 1, 4);
	assert_int_equal(lazy_rig_leave(&rig), 0);
	decide(&rig, 1, 3);
	assert_int_equal(lazy_rig_leave(&rig), 1);
	assert_true(rig.left.acks);
	assert_int_equal(rig.left.core, 3);
	assert_int_equal(rig.left.warp, 7);
	assert_int_equal(rig.memory[4], 40);
	assert_int_equal(rig.memory[5], 0);
	expect_empty(&rig, 1);
	lazy_rig_close(&rig);
}

/* Nothing is written, and nobody waits for an acknowledgement. */
static void a_warp_none_of_whose_lanes_commits_leaves(void **state)
{
	struct lazy_rig rig;

	(void)state;
	lazy_rig_open(&rig, &vgpu_wtm_getm);
	send(&rig, 1, 0, 2);
	lazy_rig_search(&rig);
	lazy_rig_expect(&rig, 1, 0);
	decide(&rig, 1, 0);
	assert_int_equal(lazy_rig_leave(&rig), 0);
	assert_true(rig.left.has_word);
	assert_int_equal(rig.left.address, 8);
	assert_false(rig.left.acks);
	expect_empty(&rig, 1);
	lazy_rig_close(&rig);
}

/* It only reads: the core waits for its acknowledgement all the same. */
static void reads_alone_are_acknowledged(void **state)
{
	struct lazy_rig rig;

	(void)state;
	lazy_rig_open(&rig, &vgpu_wtm_getm);
	send(&rig, 1, 2, 0);
	lazy_rig_search(&rig);
	lazy_rig_compare(&rig);
	lazy_rig_expect(&rig, 1, 0);
	decide(&rig, 1, 1);
	assert_int_equal(lazy_rig_leave(&rig), 0);
	assert_true(rig.left.acks);
	assert_false(rig.left.has_word);
	expect_empty(&rig, 1);
	lazy_rig_close(&rig);
}

/* ---- order ------------------------------------------------------------------------- */

/*
 * 1 writes word 2, which 2 has read as 0. When 2 is compared first it is 0; but 1 may commit. It
 * waits, and 3 behind it with it, until 1 has left: now it is 1, and 2 fails.
 */
static void a_hazard_waits_for_its_writer(void **state)
{
	struct lazy_rig rig;

	(void)state;
	lazy_rig_open(&rig, &vgpu_wtm_getm);
	send(&rig, 1, 0, 2);
	send(&rig, 2, 2, 3);
	send(&rig, 3, 4, 0);
	assert_false(lazy_rig_compare(&rig));
	assert_int_equal(lazy_rig_search(&rig), 3);
	lazy_rig_expect(&rig, 1, 0);
	lazy_rig_expect_none(&rig);
	decide(&rig, 1, 1);
	assert_int_equal(lazy_rig_leave(&rig), 1);
	assert_int_equal(rig.memory[2], 1);
	/* 2 is compared again, and 3 does not wait for that */
	lazy_rig_expect(&rig, 3, 0);
	assert_true(lazy_rig_compare(&rig));
	assert_int_equal(rig.verdict.cid, 2);
	assert_int_equal(rig.verdict.failed, 1);
	decide(&rig, 3, 1);
	assert_int_equal(lazy_rig_leave(&rig), 0);
	decide(&rig, 2, 0);
	lazy_rig_leave(&rig);
	expect_empty(&rig, 3);
	lazy_rig_close(&rig);
}

/* The same, but 1 does not commit: 2 does. */
static void a_hazard_may_be_none(void **state)
{
	struct lazy_rig rig;

	(void)state;
	lazy_rig_open(&rig, &vgpu_wtm_getm);
	send(&rig, 1, 0, 2);
	send(&rig, 2, 2, 3);
	lazy_rig_compare(&rig);
	lazy_rig_search(&rig);
	lazy_rig_expect(&rig, 1, 0);
	decide(&rig, 1, 0);
	lazy_rig_leave(&rig);
	lazy_rig_expect_none(&rig);
	assert_true(lazy_rig_compare(&rig));
	assert_int_equal(rig.verdict.failed, 0);
	lazy_rig_close(&rig);
}

/* 1 has left when the log of 2 comes: what it is compared with is what 1 has written. */
static void who_has_left_is_no_hazard(void **state)
{
	struct lazy_rig rig;

	(void)state;
	lazy_rig_open(&rig, &vgpu_wtm_getm);
	send(&rig, 1, 0, 2);
	lazy_rig_search(&rig);
	lazy_rig_expect(&rig, 1, 0);
	decide(&rig, 1, 1);
	lazy_rig_leave(&rig);
	lazy_rig_begin(&rig, 2, 1);
	lazy_rig_read(&rig, 2, 1, 1);
	assert_true(lazy_rig_comes(&rig));
	lazy_rig_search(&rig);
	lazy_rig_compare(&rig);
	lazy_rig_expect(&rig, 2, 0);
	lazy_rig_close(&rig);
}

/* A lane that has failed before hazards are looked for writes nothing: its word is no hazard. */
static void what_has_failed_is_no_hazard(void **state)
{
	struct lazy_rig rig;

	(void)state;
	lazy_rig_open(&rig, &vgpu_wtm_getm);
	rig.memory[5] = 1;
	send(&rig, 1, 5, 2);
	send(&rig, 2, 2, 3);
	lazy_rig_compare(&rig);
	lazy_rig_search(&rig);
	lazy_rig_expect(&rig, 1, 1);
	lazy_rig_expect(&rig, 2, 0);
	lazy_rig_close(&rig);
}

/* Reading and writing the same word is no hazard with itself. */
static void a_warp_is_no_hazard_to_itself(void **state)
{
	struct lazy_rig rig;

	(void)state;
	lazy_rig_open(&rig, &vgpu_wtm_getm);
	send(&rig, 1, 2, 2);
	lazy_rig_search(&rig);
	lazy_rig_compare(&rig);
	lazy_rig_expect(&rig, 1, 0);
	lazy_rig_close(&rig);
}

/* Logs 3 and 2 are here before 1, which has nothing here; 3 is decided before 2. */
static void commit_ids_go_in_order(void **state)
{
	struct lazy_rig rig;

	(void)state;
	lazy_rig_open(&rig, &vgpu_wtm_getm);
	send(&rig, 3, 0, 2);
	send(&rig, 2, 0, 2);
	assert_int_equal(lazy_rig_search(&rig), 0);
	lazy_rig_begin(&rig, 1, 1);
	assert_true(lazy_rig_comes(&rig));
	assert_int_equal(lazy_rig_search(&rig), 3);
	lazy_rig_expect(&rig, 2, 0);
	lazy_rig_expect(&rig, 3, 0);
	decide(&rig, 3, 1);
	assert_int_equal(lazy_rig_leave(&rig), 0);
	decide(&rig, 2, 1);
	assert_int_equal(lazy_rig_leave(&rig), 2);
	assert_int_equal(rig.memory[2], 3);
	expect_empty(&rig, 3);
	lazy_rig_close(&rig);
}

/* ---- room ---------------------------------------------------------------------------- */

/* 8 words, logs of 4 at most: later logs leave 4 for the earliest that is missing. */
static void there_is_room_for_the_earliest_log(void **state)
{
	struct lazy_rig rig;

	(void)state;
	open_small(&rig, 8, 8, 4);
	for (u64 cid = 2; cid <= 4; cid++) {
		lazy_rig_begin(&rig, cid, 1);
		lazy_rig_read(&rig, 1, 0, 1);
		lazy_rig_write(&rig, 2, 0, 1);
		assert_int_equal(lazy_rig_comes(&rig), cid < 4);
	}
	lazy_rig_begin(&rig, 1, 1);
	for (u32 n = 0; n < 4; n++)
		lazy_rig_write(&rig, n, 0, 1);
	assert_true(lazy_rig_comes(&rig));
	/* 4 is the earliest now, but all words are taken until 1 has left; an empty log fits */
	lazy_rig_begin(&rig, 5, 1);
	assert_true(lazy_rig_comes(&rig));
	lazy_rig_begin(&rig, 4, 1);
	lazy_rig_write(&rig, 2, 0, 1);
	assert_false(lazy_rig_comes(&rig));
	lazy_rig_search(&rig);
	lazy_rig_expect(&rig, 1, 0);
	decide(&rig, 1, 1);
	assert_int_equal(lazy_rig_leave(&rig), 4);
	assert_true(lazy_rig_comes(&rig));
	lazy_rig_close(&rig);
}

static void commit_ids_wait_for_an_entry(void **state)
{
	struct lazy_rig rig;

	(void)state;
	open_small(&rig, 2, 8, 4);
	send(&rig, 2, 0, 2);
	lazy_rig_begin(&rig, 3, 1);
	assert_false(lazy_rig_comes(&rig));
	send(&rig, 1, 0, 2);
	lazy_rig_search(&rig);
	lazy_rig_expect(&rig, 1, 0);
	decide(&rig, 1, 1);
	lazy_rig_leave(&rig);
	lazy_rig_begin(&rig, 3, 1);
	assert_true(lazy_rig_comes(&rig));
	lazy_rig_close(&rig);
}

/* ---- last-writer history -------------------------------------------------------------- */

/* One set of 2 ways, a filter of one row: what is displaced is the earliest of the set. */
static void what_is_displaced_is_in_the_filter(void **state)
{
	struct vgpu_wtm_setup setup = vgpu_wtm_getm;
	struct lazy_rig rig;

	(void)state;
	setup.lwhr_sets = 1;
	setup.lwhr_ways = 2;
	setup.filter_rows = 1;
	lazy_rig_open(&rig, &setup);
	assert_int_equal(vgpu_lwhr_find(&rig.wtm, rig.unit, 4), 0);
	vgpu_lwhr_store(&rig.wtm, rig.unit, 4, 1);
	vgpu_lwhr_store(&rig.wtm, rig.unit, 8, 2);
	vgpu_lwhr_store(&rig.wtm, rig.unit, 4, 3);
	assert_int_equal(vgpu_lwhr_find(&rig.wtm, rig.unit, 4), 3);
	assert_int_equal(vgpu_lwhr_find(&rig.wtm, rig.unit, 12), 0);
	/* word 2, of 2, goes */
	vgpu_lwhr_store(&rig.wtm, rig.unit, 12, 4);
	assert_int_equal(vgpu_lwhr_find(&rig.wtm, rig.unit, 4), 3);
	assert_int_equal(vgpu_lwhr_find(&rig.wtm, rig.unit, 8), 2);
	assert_int_equal(vgpu_lwhr_find(&rig.wtm, rig.unit, 12), 4);
	/* of others the filter says the same */
	assert_int_equal(vgpu_lwhr_find(&rig.wtm, rig.unit, 16), 2);
	lazy_rig_close(&rig);
}

/* Never earlier than the truth, and mostly the truth: 512 words in 1024 lines */
static void the_history_is_never_too_early(void **state)
{
	static u64 truth[512];
	struct vgpu_random random;
	struct lazy_rig rig;
	u32 exact = 0;

	(void)state;
	lazy_rig_open(&rig, &vgpu_wtm_getm);
	vgpu_random_seed(&random, 1);
	for (u64 cid = 1; cid <= 2000; cid++) {
		u64 word = vgpu_random_next(&random) >> 55;

		vgpu_lwhr_store(&rig.wtm, rig.unit, word * 4, cid);
		truth[word] = cid;
	}
	for (u64 word = 0; word < 512; word++) {
		u64 found = vgpu_lwhr_find(&rig.wtm, rig.unit, word * 4);

		assert_true(found >= truth[word]);
		exact += found == truth[word];
	}
	assert_in_range(exact, 450, 512);
	lazy_rig_close(&rig);
}

/*
 * Address @n, of many bits: of few, H3 gives different rows to different words, and a way would be
 * as good as four.
 */
static u64 spread(u64 n)
{
	return (n * 0x9e3779b1ull & 0xffffff) * VGPU_WTM_WORD_BYTES;
}

/*
 * One line: of 64 words 63 are in the filter. It has the earliest of its ways, mostly the truth: a
 * word shares a row of each way with a later one by chance in 1 of 8, of all four in 1 of 4096.
 */
static void the_filter_has_the_earliest_of_its_ways(void **state)
{
	struct vgpu_wtm_setup setup = vgpu_wtm_getm;
	struct lazy_rig rig;
	u32 exact = 0;

	(void)state;
	setup.lwhr_sets = 1;
	setup.lwhr_ways = 1;
	lazy_rig_open(&rig, &setup);
	for (u64 cid = 1; cid <= 64; cid++)
		vgpu_lwhr_store(&rig.wtm, rig.unit, spread(cid), cid);
	for (u64 cid = 1; cid <= 64; cid++)
		exact += vgpu_lwhr_find(&rig.wtm, rig.unit, spread(cid)) == cid;
	assert_in_range(exact, 63, 64);
	lazy_rig_close(&rig);
}

/* ---- the core, and WarpTM-EL -------------------------------------------------------------- */

static void the_core_waits_for_all(void **state)
{
	struct vgpu_wtm_verdict verdict = { .cid = 9, .failed = 4 };
	struct vgpu_wtm_commit commit;

	(void)state;
	vgpu_wtm_commit_begin(&commit, 9, 0xf, 3);
	assert_false(vgpu_wtm_commit_verdict(&commit, &verdict));
	verdict.failed = 0;
	assert_false(vgpu_wtm_commit_verdict(&commit, &verdict));
	verdict.failed = 1;
	assert_true(vgpu_wtm_commit_verdict(&commit, &verdict));
	assert_int_equal(vgpu_wtm_commit_lanes(&commit), 0xa);
	assert_false(vgpu_wtm_commit_ack(&commit));
	assert_false(vgpu_wtm_commit_ack(&commit));
	assert_true(vgpu_wtm_commit_ack(&commit));
}

static u32 memory_at(void *host, u64 address)
{
	return ((struct lazy_rig *)host)->memory[address / VGPU_WTM_WORD_BYTES];
}

/* Lanes 0 and 1 have read word 2 as 5, which it is; lane 1 word 3 as 5, which it is not. */
static void stale_lanes_are_those_that_read_something_else(void **state)
{
	const struct vgpu_wtm_word reads[] = { { 8, 5, 3 }, { 12, 5, 2 } };
	struct lazy_rig rig;

	(void)state;
	lazy_rig_open(&rig, &vgpu_wtm_getm);
	rig.memory[2] = 5;
	assert_int_equal(vgpu_wtm_el_stale(&rig.wtm, reads, 1, memory_at, &rig), 0);
	assert_int_equal(vgpu_wtm_el_stale(&rig.wtm, reads, 2, memory_at, &rig), 2);
	rig.memory[2] = 6;
	assert_int_equal(vgpu_wtm_el_stale(&rig.wtm, reads, 2, memory_at, &rig), 3);
	lazy_rig_close(&rig);
}

/* No verdict and no decision: in order it leaves, and is acknowledged. */
static void what_is_decided_leaves(void **state)
{
	struct lazy_rig rig;

	(void)state;
	lazy_rig_open(&rig, &vgpu_wtm_getm);
	lazy_rig_begin(&rig, 1, 1);
	rig.log.decided = true;
	lazy_rig_write(&rig, 2, 1, 1);
	assert_true(lazy_rig_comes(&rig));
	assert_int_equal(lazy_rig_leave(&rig), 0);
	lazy_rig_search(&rig);
	lazy_rig_expect_none(&rig);
	assert_int_equal(lazy_rig_leave(&rig), 1);
	assert_true(rig.left.acks);
	expect_empty(&rig, 1);
	lazy_rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lanes_that_read_something_else_fail),
		cmocka_unit_test(a_warp_none_of_whose_lanes_commits_leaves),
		cmocka_unit_test(reads_alone_are_acknowledged),
		cmocka_unit_test(a_hazard_waits_for_its_writer),
		cmocka_unit_test(a_hazard_may_be_none),
		cmocka_unit_test(who_has_left_is_no_hazard),
		cmocka_unit_test(what_has_failed_is_no_hazard),
		cmocka_unit_test(a_warp_is_no_hazard_to_itself),
		cmocka_unit_test(commit_ids_go_in_order),
		cmocka_unit_test(there_is_room_for_the_earliest_log),
		cmocka_unit_test(commit_ids_wait_for_an_entry),
		cmocka_unit_test(what_is_displaced_is_in_the_filter),
		cmocka_unit_test(the_history_is_never_too_early),
		cmocka_unit_test(the_filter_has_the_earliest_of_its_ways),
		cmocka_unit_test(the_core_waits_for_all),
		cmocka_unit_test(stale_lanes_are_those_that_read_something_else),
		cmocka_unit_test(what_is_decided_leaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
