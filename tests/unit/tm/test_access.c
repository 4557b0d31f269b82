// SPDX-License-Identifier: MIT
/*
 * Figure 4.6 of the thesis row by row, under each rule for equal timestamps, and the walkthrough of
 * figure 4.7 step by step.
 */
#include "memsys/tm/approximate.h"
#include "memsys/tm/warp.h"
#include "rig.h"
#include "sim/random.h"

static struct vgpu_tm_setup with_rule(enum vgpu_tm_rule rule)
{
	struct vgpu_tm_setup setup = vgpu_tm_getm;

	setup.rule = (u8)rule;
	return setup;
}

/* ---- figure 4.6 ------------------------------------------------------------------ */

#define GRANULE	77u
#define ME	5u
#define OTHER	9u
#define EARLIER	3u	/* a warp with a smaller id than ME */

#define LD	VGPU_TM_LOAD
#define ST	VGPU_TM_STORE
#define OK	VGPU_TM_SUCCESS, VGPU_TM_NO_CAUSE
#define QUEUE	VGPU_TM_QUEUED, VGPU_TM_NO_CAUSE
#define ABORT(cause)	VGPU_TM_ABORT, VGPU_TM_##cause

/**
 * struct row - warp ME accesses a granule at 20
 * @wrote, @read: warpts of who last tried to write, last read, and which warps; 0: nobody
 * @writes: of @writer, if it has the lock
 * @time: of the answer
 * @wts, @rts, @after: times and "#writes" after it
 */
struct row {
	u32 wrote;
	u32 writer;
	u32 read;
	u32 reader;
	u32 writes;
	enum vgpu_tm_kind kind;
	enum vgpu_tm_result result;
	enum vgpu_tm_cause cause;
	u32 time;
	u32 wts;
	u32 rts;
	u32 after;
};

static void check_row(enum vgpu_tm_rule rule, const struct row *row, size_t number)
{
	const struct vgpu_tm_setup setup = with_rule(rule);
	struct vgpu_tm_entry entry = { .tag = GRANULE + 1 };
	struct vgpu_tm_cost cost = { 0 };
	enum vgpu_tm_result result;
	struct rig rig;

	rig_open(&rig, &setup);
	if (row->wrote)
		entry.wts = vgpu_tm_successor(&rig.tm,
					      vgpu_tm_stamp(&rig.tm, row->wrote, row->writer));
	if (row->read)
		entry.rts = vgpu_tm_stamp(&rig.tm, row->read, row->reader);
	entry.reader = row->read ? (u16)(row->reader + 1) : 0;
	entry.writes = row->writes;
	entry.owner = (u16)row->writer;
	assert_true(vgpu_tm_precise_insert(&rig.tm, rig.unit, &entry, &cost));
	result = rig_access(&rig, ME, 20, row->kind, GRANULE);
	if (result != row->result || rig.answer.cause != row->cause)
		fail_msg("row %zu of rule %d: result %d, cause %d", number, rule, result,
			 rig.answer.cause);
	if (result != VGPU_TM_QUEUED)
		assert_int_equal(rig.answer.time, row->time);
	assert_int_equal(rig.answer.cost.tables, 1);
	rig_expect(&rig, GRANULE, row->wts, row->rts, row->after,
		   result == VGPU_TM_SUCCESS && row->kind == ST ? ME : row->writer);
	rig_close(&rig);
}

static void check_rows(enum vgpu_tm_rule rule, const struct row *rows, size_t count)
{
	for (size_t n = 0; n < count; n++)
		check_row(rule, &rows[n], n);
}

#define CHECK(rule, rows)	check_rows(rule, rows, sizeof(rows) / sizeof((rows)[0]))

/* Nobody has a timestamp in common with ME. As published wts is one later than the write. */
static void rows_of_different_times(void **state)
{
	static const struct row published[] = {
		/* wrote, by, read, by, #writes, access: result, time; wts, rts, #writes */
		/* 1: the owner check */
		{ 20, ME, 10, OTHER, 2, LD, OK, 20, 21, 20, 2 },
		{ 20, ME, 30, OTHER, 1, LD, OK, 20, 21, 30, 1 },
		{ 20, ME, 10, OTHER, 2, ST, OK, 20, 21, 10, 3 },
		/* 2: the timestamp check, of locked granules, too */
		{ 20, OTHER, 0, 0, 0, LD, ABORT(WAR), 21, 21, 0, 0 },
		{ 30, OTHER, 40, OTHER, 0, LD, ABORT(WAR), 31, 31, 40, 0 },
		{ 30, OTHER, 0, 0, 1, LD, ABORT(WAR), 31, 31, 0, 1 },
		{ 30, OTHER, 0, 0, 0, ST, ABORT(WAW), 31, 31, 0, 0 },
		{ 30, OTHER, 0, 0, 1, ST, ABORT(WAW), 31, 31, 0, 1 },
		{ 10, OTHER, 30, OTHER, 0, ST, ABORT(RAW), 30, 11, 30, 0 },
		{ 10, OTHER, 30, OTHER, 1, ST, ABORT(RAW), 30, 11, 30, 1 },
		{ 30, OTHER, 40, OTHER, 0, ST, ABORT(WAW), 40, 31, 40, 0 },
		/* 3: the write lock check */
		{ 10, OTHER, 5, OTHER, 1, LD, QUEUE, 0, 11, 5, 1 },
		{ 10, OTHER, 30, OTHER, 1, LD, QUEUE, 0, 11, 30, 1 },
		{ 10, OTHER, 5, OTHER, 1, ST, QUEUE, 0, 11, 5, 1 },
		/* 4: success */
		{ 19, OTHER, 10, OTHER, 0, LD, OK, 20, 20, 20, 0 },
		{ 10, OTHER, 15, OTHER, 0, LD, OK, 15, 11, 20, 0 },
		{ 10, OTHER, 30, OTHER, 0, LD, OK, 30, 11, 30, 0 },
		{ 0, 0, 0, 0, 0, LD, OK, 0, 0, 20, 0 },
		{ 19, OTHER, 10, OTHER, 0, ST, OK, 20, 21, 10, 1 },
		{ 10, OTHER, 15, OTHER, 0, ST, OK, 15, 21, 15, 1 },
		{ 0, 0, 0, 0, 0, ST, OK, 0, 21, 0, 1 },
		/* its last attempt's lock, whose log waits in the commit unit, is not its own */
		{ 15, ME, 10, OTHER, 1, LD, QUEUE, 0, 16, 10, 1 },
		{ 15, ME, 10, OTHER, 1, ST, QUEUE, 0, 16, 10, 1 },
	};

	(void)state;
	CHECK(VGPU_TM_AS_PUBLISHED, published);
	CHECK(VGPU_TM_STRICT, published);
}

static void rows_of_equal_times_as_published(void **state)
{
	static const struct row rows[] = {
		{ 10, OTHER, 20, OTHER, 0, ST, OK, 20, 21, 20, 1 },
		{ 10, OTHER, 20, EARLIER, 0, ST, OK, 20, 21, 20, 1 },
		{ 10, OTHER, 20, ME, 0, ST, OK, 20, 21, 20, 1 },
		{ 20, OTHER, 0, 0, 0, ST, ABORT(WAW), 21, 21, 0, 0 },
		{ 20, EARLIER, 0, 0, 0, LD, ABORT(WAR), 21, 21, 0, 0 },
	};

	(void)state;
	CHECK(VGPU_TM_AS_PUBLISHED, rows);
}

/* Only who alone has read at 20 may write at 20. */
static void rows_of_equal_times_strict(void **state)
{
	static const struct row rows[] = {
		{ 10, OTHER, 20, OTHER, 0, ST, ABORT(RAW), 20, 11, 20, 0 },
		{ 10, OTHER, 20, EARLIER, 0, ST, ABORT(RAW), 20, 11, 20, 0 },
		{ 10, OTHER, 20, ME, 0, ST, OK, 20, 21, 20, 1 },
		{ 20, OTHER, 0, 0, 0, ST, ABORT(WAW), 21, 21, 0, 0 },
		{ 20, EARLIER, 0, 0, 0, LD, ABORT(WAR), 21, 21, 0, 0 },
	};

	(void)state;
	CHECK(VGPU_TM_STRICT, rows);
}

/* At 20 warp 3 is before warp 5, and this before 9. wts is of the same time as the write. */
static void rows_of_unique_times(void **state)
{
	static const struct row rows[] = {
		{ 20, ME, 10, OTHER, 1, LD, OK, 20, 20, 20, 1 },
		{ 20, ME, 10, OTHER, 1, ST, OK, 20, 20, 10, 2 },
		{ 20, EARLIER, 10, OTHER, 0, LD, OK, 20, 20, 20, 0 },
		{ 20, EARLIER, 10, OTHER, 0, ST, OK, 20, 20, 10, 1 },
		{ 20, EARLIER, 10, OTHER, 1, LD, QUEUE, 0, 20, 10, 1 },
		{ 20, EARLIER, 10, OTHER, 1, ST, QUEUE, 0, 20, 10, 1 },
		{ 20, ME - 1, 10, OTHER, 0, LD, OK, 20, 20, 20, 0 },
		{ 20, OTHER, 10, OTHER, 0, LD, ABORT(WAR), 20, 20, 10, 0 },
		{ 20, OTHER, 10, OTHER, 1, LD, ABORT(WAR), 20, 20, 10, 1 },
		{ 20, OTHER, 10, OTHER, 0, ST, ABORT(WAW), 20, 20, 10, 0 },
		{ 10, OTHER, 20, EARLIER, 0, ST, OK, 20, 20, 20, 1 },
		{ 10, OTHER, 20, ME, 0, ST, OK, 20, 20, 20, 1 },
		{ 10, OTHER, 20, OTHER, 0, ST, ABORT(RAW), 20, 10, 20, 0 },
		{ 10, OTHER, 20, OTHER, 1, ST, ABORT(RAW), 20, 10, 20, 1 },
		{ 10, OTHER, 20, OTHER, 0, LD, OK, 20, 10, 20, 0 },
		{ 15, ME, 10, OTHER, 1, LD, QUEUE, 0, 15, 10, 1 },
		{ 15, ME, 10, OTHER, 1, ST, QUEUE, 0, 15, 10, 1 },
	};

	(void)state;
	CHECK(VGPU_TM_UNIQUE, rows);
}

/* ---- readers of the strict rule ----------------------------------------------------- */

static void the_strict_rule_knows_one_reader(void **state)
{
	const struct vgpu_tm_setup setup = with_rule(VGPU_TM_STRICT);
	struct rig rig;

	(void)state;
	rig_open(&rig, &setup);
	/* nobody has read, at 0 either */
	assert_int_equal(rig_access(&rig, 1, 0, ST, 1), VGPU_TM_SUCCESS);
	/* the same warp twice is one reader */
	rig_access(&rig, 1, 0, LD, 2);
	rig_access(&rig, 1, 0, LD, 2);
	assert_int_equal(rig_access(&rig, 1, 0, ST, 2), VGPU_TM_SUCCESS);
	/* two are several, to both, and to a third one */
	rig_access(&rig, 1, 0, LD, 3);
	rig_access(&rig, 2, 0, LD, 3);
	assert_int_equal(rig_access(&rig, 1, 0, ST, 3), VGPU_TM_ABORT);
	assert_int_equal(rig_access(&rig, 2, 0, ST, 3), VGPU_TM_ABORT);
	assert_int_equal(rig_access(&rig, 3, 0, ST, 3), VGPU_TM_ABORT);
	/* a later one alone counts again; an earlier one does not count */
	rig_access(&rig, 1, 4, LD, 3);
	rig_access(&rig, 2, 3, LD, 3);
	assert_int_equal(rig_access(&rig, 1, 4, ST, 3), VGPU_TM_SUCCESS);
	/* from the approximate table it is not known who it was: it may have been another one */
	vgpu_tm_approximate_insert(&rig.tm, rig.unit, 4, 0, vgpu_tm_stamp(&rig.tm, 7, 1));
	assert_int_equal(rig_access(&rig, 1, 7, ST, 4), VGPU_TM_ABORT);
	assert_int_equal(rig.answer.cause, VGPU_TM_RAW);
	assert_int_equal(rig_access(&rig, 1, 8, ST, 4), VGPU_TM_SUCCESS);
	rig_close(&rig);
}

/* A miss begins with what the approximate table has; an access that aborts leaves it there. */
static void a_miss_takes_approximate_times(void **state)
{
	const struct vgpu_tm_setup setup = with_rule(VGPU_TM_AS_PUBLISHED);
	struct vgpu_tm_cost cost = { 0 };
	struct rig rig;

	(void)state;
	rig_open(&rig, &setup);
	vgpu_tm_approximate_insert(&rig.tm, rig.unit, 6, vgpu_tm_stamp(&rig.tm, 12, 0),
				   vgpu_tm_stamp(&rig.tm, 15, 0));
	assert_int_equal(rig_access(&rig, 1, 11, LD, 6), VGPU_TM_ABORT);
	assert_int_equal(rig.answer.time, 12);
	assert_int_equal(rig_access(&rig, 1, 14, ST, 6), VGPU_TM_ABORT);
	assert_int_equal(rig.answer.time, 15);
	assert_null(vgpu_tm_precise_find(&rig.tm, rig.unit, 6, &cost));
	assert_int_equal(rig_access(&rig, 1, 13, LD, 6), VGPU_TM_SUCCESS);
	rig_expect(&rig, 6, 12, 15, 0, 0);
	assert_int_equal(rig_access(&rig, 1, 16, ST, 6), VGPU_TM_SUCCESS);
	rig_expect(&rig, 6, 17, 15, 1, 1);
	rig_close(&rig);
}

/* ---- figure 4.7 ---------------------------------------------------------------------- */

enum { A = 100, B = 200 };
enum { TX1 = 1, TX2 = 2 };

/* An access of @warp, whose answer it gets. Its result */
static enum vgpu_tm_result make(struct rig *rig, struct vgpu_tm_warp *warp, enum vgpu_tm_kind kind,
				u64 granule)
{
	struct vgpu_tm_request request;

	vgpu_tm_warp_request(warp, granule, kind, 0, &request);
	vgpu_tm_access(&rig->tm, rig->unit, &request, &rig->answer);
	if (rig->answer.result != VGPU_TM_QUEUED)
		assert_true(vgpu_tm_warp_answer(warp, &rig->answer));
	return rig->answer.result;
}

/* @past: what wts is above the warpts of the writer; tx2 begins again at @again */
static void walk(enum vgpu_tm_rule rule, u32 past, u32 again)
{
	const struct vgpu_tm_setup setup = with_rule(rule);
	struct vgpu_tm_warp tx1 = { .warpts = 20, .wid = TX1 }, tx2 = { .warpts = 10, .wid = TX2 };
	struct vgpu_random random;
	struct rig rig;

	rig_open(&rig, &setup);
	vgpu_random_seed(&random, 1);
	assert_int_equal(make(&rig, &tx1, LD, A), VGPU_TM_SUCCESS);
	assert_int_equal(make(&rig, &tx1, ST, A), VGPU_TM_SUCCESS);
	rig_expect(&rig, A, 20 + past, 20, 1, TX1);
	assert_int_equal(make(&rig, &tx2, LD, B), VGPU_TM_SUCCESS);
	assert_int_equal(make(&rig, &tx2, ST, B), VGPU_TM_SUCCESS);
	rig_expect(&rig, B, 10 + past, 10, 1, TX2);
	/* tx2 reads what the later tx1 has written */
	assert_int_equal(make(&rig, &tx2, LD, A), VGPU_TM_ABORT);
	assert_int_equal(rig.answer.cause, VGPU_TM_WAR);
	assert_int_equal(rig.answer.time, 20 + past);
	assert_true(tx2.aborted);
	rig_log(&rig, B, 1, false);
	assert_in_range(vgpu_tm_warp_end(&rig.tm, &tx2, &random), 0, 2 * setup.backoff - 1);
	rig_expect(&rig, B, 10 + past, 10, 0, 0);
	/* B is free for tx1 */
	assert_int_equal(make(&rig, &tx1, LD, B), VGPU_TM_SUCCESS);
	assert_int_equal(make(&rig, &tx1, ST, B), VGPU_TM_SUCCESS);
	rig_expect(&rig, A, 20 + past, 20, 1, TX1);
	rig_expect(&rig, B, 20 + past, 20, 1, TX1);
	/* tx2 again, later than what it has met: it waits for tx1 */
	assert_int_equal(tx2.warpts, again);
	assert_int_equal(make(&rig, &tx2, LD, B), VGPU_TM_QUEUED);
	assert_false(vgpu_tm_retry(&rig.tm, rig.unit, &rig.answer));
	/* tx1 commits */
	rig_log(&rig, A, 1, true);
	assert_false(vgpu_tm_retry(&rig.tm, rig.unit, &rig.answer));
	rig_log(&rig, B, 1, true);
	assert_int_equal(vgpu_tm_warp_end(&rig.tm, &tx1, &random), 0);
	rig_expect(&rig, A, 20 + past, 20, 0, 0);
	rig_expect(&rig, B, 20 + past, 20, 0, 0);
	/* tx2 goes on */
	assert_true(vgpu_tm_retry(&rig.tm, rig.unit, &rig.answer));
	assert_int_equal(rig.answer.result, VGPU_TM_SUCCESS);
	assert_int_equal(rig.answer.request.wid, TX2);
	assert_true(vgpu_tm_warp_answer(&tx2, &rig.answer));
	assert_int_equal(make(&rig, &tx2, ST, B), VGPU_TM_SUCCESS);
	assert_int_equal(make(&rig, &tx2, LD, A), VGPU_TM_SUCCESS);
	assert_int_equal(make(&rig, &tx2, ST, A), VGPU_TM_SUCCESS);
	rig_log(&rig, B, 1, true);
	rig_log(&rig, A, 1, true);
	assert_int_equal(vgpu_tm_warp_end(&rig.tm, &tx2, &random), 0);
	rig_expect(&rig, A, again + past, again, 0, 0);
	rig_expect(&rig, B, again + past, again, 0, 0);
	assert_int_equal(vgpu_tm_locks(&rig.tm, rig.unit), 0);
	rig_close(&rig);
}

static void the_walkthrough_of_figure_4_7(void **state)
{
	(void)state;
	walk(VGPU_TM_AS_PUBLISHED, 1, 22);
	walk(VGPU_TM_STRICT, 1, 22);
}

/* wts is (20, 2) in place of 21: tx2 begins again one earlier. */
static void the_walkthrough_with_unique_times(void **state)
{
	(void)state;
	walk(VGPU_TM_UNIQUE, 0, 21);
}

/* The defect by hand: T1 loads A and stores B, T2 loads B and stores A, both at 0. */
static void equal_times_are_a_write_skew(void **state)
{
	(void)state;
	for (u32 rule = 0; rule < VGPU_TM_RULES; rule++) {
		const struct vgpu_tm_setup setup = with_rule(rule);
		bool both;
		struct rig rig;

		rig_open(&rig, &setup);
		assert_int_equal(rig_access(&rig, 1, 0, LD, A), VGPU_TM_SUCCESS);
		assert_int_equal(rig_access(&rig, 2, 0, LD, B), VGPU_TM_SUCCESS);
		both = rig_access(&rig, 1, 0, ST, B) == VGPU_TM_SUCCESS;
		both &= rig_access(&rig, 2, 0, ST, A) == VGPU_TM_SUCCESS;
		assert_int_equal(both, rule == VGPU_TM_AS_PUBLISHED);
		rig_close(&rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_different_times),
		cmocka_unit_test(rows_of_equal_times_as_published),
		cmocka_unit_test(rows_of_equal_times_strict),
		cmocka_unit_test(rows_of_unique_times),
		cmocka_unit_test(the_strict_rule_knows_one_reader),
		cmocka_unit_test(a_miss_takes_approximate_times),
		cmocka_unit_test(the_walkthrough_of_figure_4_7),
		cmocka_unit_test(the_walkthrough_with_unique_times),
		cmocka_unit_test(equal_times_are_a_write_skew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
