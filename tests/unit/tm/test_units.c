// SPDX-License-Identifier: MIT
/*
 * The stall buffer, the commit unit and the warps' timestamps: full ones, the order in which
 * requests are tried again, coalescing, backoff.
 */
#include "memsys/tm/stall.h"
#include "memsys/tm/warp.h"
#include "rig.h"
#include "sim/random.h"

#define LD	VGPU_TM_LOAD
#define ST	VGPU_TM_STORE

enum { OWNER = 1 };

static void open_units(struct rig *rig, u32 lines, u32 entries, u32 regions)
{
	struct vgpu_tm_setup setup = vgpu_tm_getm;

	setup.stall_lines = lines;
	setup.stall_entries = entries;
	setup.commit_regions = regions;
	rig_open(rig, &setup);
}

static void lock(struct rig *rig, u64 granule)
{
	assert_int_equal(rig_access(rig, OWNER, 0, ST, granule), VGPU_TM_SUCCESS);
}

/* The next request that is tried again is that of @wid; its result */
static enum vgpu_tm_result retried(struct rig *rig, u32 wid)
{
	assert_true(vgpu_tm_retry(&rig->tm, rig->unit, &rig->answer));
	assert_int_equal(rig->answer.request.wid, wid);
	return rig->answer.result;
}

static bool retries(struct rig *rig)
{
	return vgpu_tm_retry(&rig->tm, rig->unit, &rig->answer);
}

/* ---- the stall buffer ------------------------------------------------------------- */

/* 4 requests of an address, 4 addresses; one more of either aborts at its own time. */
static void a_full_stall_buffer_aborts(void **state)
{
	struct rig rig;

	(void)state;
	open_units(&rig, 4, 4, 8);
	for (u64 granule = 1; granule <= 5; granule++)
		lock(&rig, granule);
	for (u32 n = 0; n < 4; n++)
		assert_int_equal(rig_access(&rig, 10 + n, 5, LD, 1), VGPU_TM_QUEUED);
	assert_int_equal(rig_access(&rig, 20, 7, LD, 1), VGPU_TM_ABORT);
	assert_int_equal(rig.answer.cause, VGPU_TM_STALL_FULL);
	assert_int_equal(rig.answer.time, 7);
	for (u64 granule = 2; granule <= 4; granule++)
		assert_int_equal(rig_access(&rig, 30, 5, ST, granule), VGPU_TM_QUEUED);
	assert_int_equal(rig_access(&rig, 40, 9, ST, 5), VGPU_TM_ABORT);
	assert_int_equal(rig.answer.cause, VGPU_TM_STALL_FULL);
	assert_int_equal(vgpu_tm_stalled(&rig.tm, rig.unit), 7);
	/* one has gone: there is a line again */
	rig_log(&rig, 3, 1, true);
	assert_int_equal(retried(&rig, 30), VGPU_TM_SUCCESS);
	assert_int_equal(rig_access(&rig, 40, 9, ST, 5), VGPU_TM_QUEUED);
	rig_close(&rig);
}

/* Loads go one after the other; the first store has the lock then, and the next ones wait. */
static void the_smallest_timestamp_goes_first(void **state)
{
	struct rig rig;

	(void)state;
	open_units(&rig, 1, 4, 8);
	lock(&rig, 1);
	rig_access(&rig, 13, 30, LD, 1);
	rig_access(&rig, 11, 10, LD, 1);
	rig_access(&rig, 14, 40, LD, 1);
	rig_access(&rig, 12, 20, ST, 1);
	assert_int_equal(vgpu_tm_stalled(&rig.tm, rig.unit), 4);
	assert_false(retries(&rig));
	rig_log(&rig, 1, 1, false);
	assert_int_equal(retried(&rig, 11), VGPU_TM_SUCCESS);
	assert_int_equal(retried(&rig, 12), VGPU_TM_SUCCESS);
	assert_false(retries(&rig));
	rig_log(&rig, 1, 1, true);
	assert_int_equal(retried(&rig, 13), VGPU_TM_SUCCESS);
	assert_int_equal(retried(&rig, 14), VGPU_TM_SUCCESS);
	assert_false(retries(&rig));
	assert_int_equal(vgpu_tm_stalled(&rig.tm, rig.unit), 0);
	rig_close(&rig);
}

/* Of equal timestamps the warp with the smaller id is the earlier one. */
static void equal_timestamps_go_by_warp(void **state)
{
	struct rig rig;

	(void)state;
	open_units(&rig, 1, 4, 8);
	lock(&rig, 1);
	rig_access(&rig, 9, 5, ST, 1);
	rig_access(&rig, 8, 5, ST, 1);
	rig_log(&rig, 1, 1, true);
	assert_int_equal(retried(&rig, 8), VGPU_TM_SUCCESS);
	assert_false(retries(&rig));
	rig_log(&rig, 1, 1, true);
	assert_int_equal(retried(&rig, 9), VGPU_TM_SUCCESS);
	rig_close(&rig);
}

/*
 * A later transaction gets the lock before who waits is tried again. That one would wait for a
 * later one: it aborts at once, while the granule is locked.
 */
static void who_is_too_early_by_now_aborts(void **state)
{
	struct rig rig;

	(void)state;
	open_units(&rig, 1, 4, 8);
	lock(&rig, 1);
	assert_int_equal(rig_access(&rig, 11, 10, LD, 1), VGPU_TM_QUEUED);
	assert_int_equal(rig_access(&rig, 13, 30, LD, 1), VGPU_TM_QUEUED);
	rig_log(&rig, 1, 1, true);
	assert_int_equal(rig_access(&rig, 12, 20, ST, 1), VGPU_TM_SUCCESS);
	assert_int_equal(retried(&rig, 11), VGPU_TM_ABORT);
	assert_int_equal(rig.answer.cause, VGPU_TM_WAR);
	assert_int_equal(rig.answer.time, 20);
	assert_false(retries(&rig));
	assert_int_equal(vgpu_tm_stalled(&rig.tm, rig.unit), 1);
	rig_close(&rig);
}

/* Two requests of one warp wait; when one has the lock the other is its own. */
static void who_has_become_the_owner_goes_on(void **state)
{
	struct rig rig;

	(void)state;
	open_units(&rig, 1, 4, 8);
	lock(&rig, 1);
	rig_access(&rig, 11, 10, ST, 1);
	rig_access(&rig, 11, 10, ST, 1);
	rig_access(&rig, 11, 10, LD, 1);
	rig_log(&rig, 1, 1, true);
	assert_int_equal(retried(&rig, 11), VGPU_TM_SUCCESS);
	assert_int_equal(retried(&rig, 11), VGPU_TM_SUCCESS);
	assert_int_equal(retried(&rig, 11), VGPU_TM_SUCCESS);
	rig_expect(&rig, 1, 10, 10, 2, 11);
	rig_close(&rig);
}

/* Without place for its metadata an access aborts; others go on. */
static void without_room_an_access_aborts(void **state)
{
	struct vgpu_tm_setup setup = vgpu_tm_getm;
	struct rig rig;

	(void)state;
	setup.precise_ways = 1;
	setup.precise_rows = 1;
	setup.stash = 1;
	setup.overflow = 1;
	rig_open(&rig, &setup);
	lock(&rig, 1);
	lock(&rig, 2);
	lock(&rig, 3);
	assert_int_equal(rig_access(&rig, 5, 6, ST, 4), VGPU_TM_ABORT);
	assert_int_equal(rig.answer.cause, VGPU_TM_NO_ROOM);
	assert_int_equal(rig.answer.time, 6);
	assert_int_equal(rig_access(&rig, 5, 6, LD, 4), VGPU_TM_SUCCESS);
	assert_int_equal(rig_access(&rig, OWNER, 0, ST, 2), VGPU_TM_SUCCESS);
	rig_log(&rig, 3, 1, false);
	assert_int_equal(rig_access(&rig, 5, 7, ST, 4), VGPU_TM_SUCCESS);
	assert_int_equal(vgpu_tm_locks(&rig.tm, rig.unit), 3);
	rig_close(&rig);
}

/* ---- the commit unit ------------------------------------------------------------- */

static u32 add(struct rig *rig, u64 granule, u32 writes, bool commits)
{
	const struct vgpu_tm_log log = { granule, writes, commits };
	u32 slot = ~0u;

	return vgpu_tm_commit_add(&rig->tm, rig->unit, &log, &slot) ? slot : ~0u;
}

static void entries_of_a_granule_are_one_write(void **state)
{
	struct vgpu_tm_drained drained;
	struct rig rig;
	u32 first, second;

	(void)state;
	open_units(&rig, 1, 1, 2);
	for (u32 n = 0; n < 6; n++)
		lock(&rig, 1);
	lock(&rig, 2);
	first = add(&rig, 1, 2, false);
	second = add(&rig, 2, 1, false);
	assert_true(first < 2 && second < 2 && first != second);
	/* one thread of three has committed: it is written, and all are subtracted */
	assert_int_equal(add(&rig, 1, 3, true), first);
	assert_int_equal(add(&rig, 1, 1, false), first);
	/* the ring is full */
	assert_int_equal(add(&rig, 3, 1, true), ~0u);
	rig_expect(&rig, 1, 0, 0, 6, OWNER);
	assert_true(vgpu_tm_commit_drain(&rig.tm, rig.unit, &drained));
	assert_true(drained.granule == 1 && drained.slot == first && drained.commits);
	assert_false(drained.lost);
	assert_int_equal(drained.cost.tables, 1);
	rig_expect(&rig, 1, 0, 0, 0, 0);
	assert_true(vgpu_tm_commit_drain(&rig.tm, rig.unit, &drained));
	assert_true(drained.granule == 2 && drained.slot == second && !drained.commits);
	assert_int_equal(vgpu_tm_locks(&rig.tm, rig.unit), 0);
	assert_false(vgpu_tm_commit_drain(&rig.tm, rig.unit, &drained));
	rig_close(&rig);
}

/* Only a part of the writes has come: it is still locked. More than there were is a defect. */
static void writes_are_counted(void **state)
{
	struct vgpu_tm_drained drained;
	struct rig rig;

	(void)state;
	open_units(&rig, 1, 1, 2);
	lock(&rig, 1);
	lock(&rig, 1);
	rig_log(&rig, 1, 1, true);
	assert_int_equal(rig_access(&rig, 2, 5, LD, 1), VGPU_TM_QUEUED);
	rig_log(&rig, 1, 1, true);
	assert_int_equal(retried(&rig, 2), VGPU_TM_SUCCESS);
	add(&rig, 1, 1, true);
	assert_true(vgpu_tm_commit_drain(&rig.tm, rig.unit, &drained));
	assert_true(drained.lost);
	add(&rig, 9, 1, true);
	assert_true(vgpu_tm_commit_drain(&rig.tm, rig.unit, &drained));
	assert_true(drained.lost);
	rig_close(&rig);
}

/* ---- timestamps of a warp ----------------------------------------------------------- */

static void answer_warp(struct vgpu_tm_warp *warp, enum vgpu_tm_result result, u64 time, u8 epoch)
{
	const struct vgpu_tm_answer answer = {
		.request = { .epoch = epoch }, .time = time, .result = (u8)result,
	};

	assert_int_equal(vgpu_tm_warp_answer(warp, &answer), epoch == warp->epoch);
}

static void warpts_is_past_all_that_was_observed(void **state)
{
	static struct vgpu_tm tm;
	struct vgpu_tm_warp warp = { .wid = 3 };
	struct vgpu_tm_request request;
	struct vgpu_random random;

	(void)state;
	vgpu_tm_init(&tm, &vgpu_tm_getm);
	vgpu_random_seed(&random, 1);
	answer_warp(&warp, VGPU_TM_SUCCESS, 0, 0);
	assert_int_equal(vgpu_tm_warp_end(&tm, &warp, &random), 0);
	assert_int_equal(warp.warpts, 1);
	answer_warp(&warp, VGPU_TM_SUCCESS, 9, 0);
	answer_warp(&warp, VGPU_TM_SUCCESS, 4, 0);
	assert_int_equal(vgpu_tm_warp_end(&tm, &warp, &random), 0);
	assert_int_equal(warp.warpts, 10);
	answer_warp(&warp, VGPU_TM_ABORT, 14, 0);
	answer_warp(&warp, VGPU_TM_ABORT, 12, 0);
	vgpu_tm_warp_end(&tm, &warp, &random);
	assert_int_equal(warp.warpts, 15);
	assert_int_equal(warp.aborts, 1);
	vgpu_tm_warp_request(&warp, 7, ST, 99, &request);
	assert_true(request.granule == 7 && request.ts == 15 && request.wid == 3 &&
		    request.kind == ST && request.id == 99 && !request.epoch);
	/* after a rollover what was sent before is not heard */
	vgpu_tm_warp_rollover(&warp);
	assert_int_equal(warp.warpts, 0);
	answer_warp(&warp, VGPU_TM_ABORT, 16, 0);
	assert_false(warp.aborted);
	vgpu_tm_warp_end(&tm, &warp, &random);
	assert_int_equal(warp.warpts, 1);
	assert_int_equal(warp.aborts, 0);
}

/* The nth wait in a row is below 64 * 2^n, up to 64 * 2^8, and gets near to it. */
static void backoff_doubles(void **state)
{
	static struct vgpu_tm tm;
	struct vgpu_random random;

	(void)state;
	vgpu_tm_init(&tm, &vgpu_tm_getm);
	vgpu_random_seed(&random, 5);
	for (u32 aborts = 1; aborts <= 12; aborts++) {
		u64 bound = 64ull << (aborts < 8 ? aborts : 8), most = 0;

		for (u32 n = 0; n < 200; n++) {
			struct vgpu_tm_warp warp = { .aborts = aborts - 1, .aborted = true };
			u64 wait = vgpu_tm_warp_end(&tm, &warp, &random);

			assert_true(wait < bound);
			most = wait > most ? wait : most;
		}
		assert_true(most > bound * 3 / 4);
	}
}

/* ---- livelock ------------------------------------------------------------------------ */

#define WORK		10u	/* cycles from the load to the store */
#define CYCLES		20000u

/** struct runner - a warp that loads a granule, works, stores to it and commits, once */
struct runner {
	struct vgpu_tm_warp warp;
	u64 next;	/* cycle of its next access */
	bool loaded;
	bool done;
};

static void end_runner(struct rig *rig, struct runner *runner, u64 cycle,
		       struct vgpu_random *random)
{
	runner->done = !runner->warp.aborted;
	runner->loaded = false;
	runner->next = cycle + 1 + vgpu_tm_warp_end(&rig->tm, &runner->warp, random);
	if (runner->done)
		rig_log(rig, 1, 1, true);
}

static void step_runner(struct rig *rig, struct runner *runner, u64 cycle,
			struct vgpu_random *random)
{
	struct vgpu_tm_request request;

	if (runner->done || cycle < runner->next)
		return;
	vgpu_tm_warp_request(&runner->warp, 1, runner->loaded ? ST : LD, 0, &request);
	vgpu_tm_access(&rig->tm, rig->unit, &request, &rig->answer);
	assert_int_not_equal(rig->answer.result, VGPU_TM_QUEUED);
	vgpu_tm_warp_answer(&runner->warp, &rig->answer);
	if (runner->warp.aborted || runner->loaded) {
		end_runner(rig, runner, cycle, random);
		return;
	}
	runner->loaded = true;
	runner->next = cycle + WORK;
}

/* Two warps, the second half an attempt behind the first. How many commit? */
static u32 run_two(u32 backoff)
{
	struct vgpu_tm_setup setup = vgpu_tm_getm;
	struct runner runners[2] = { { .warp.wid = 0 }, { .warp.wid = 1, .next = WORK / 2 } };
	struct vgpu_random random;
	struct rig rig;

	setup.backoff = backoff;
	rig_open(&rig, &setup);
	vgpu_random_seed(&random, 1);
	for (u64 cycle = 0; cycle < CYCLES; cycle++)
		for (u32 n = 0; n < 2; n++)
			step_runner(&rig, &runners[n], cycle, &random);
	rig_close(&rig);
	return runners[0].done + runners[1].done;
}

/* Each reads at a later time before the other one stores: they abort each other for ever. */
static void without_backoff_two_warps_never_end(void **state)
{
	(void)state;
	assert_int_equal(run_two(0), 0);
	assert_int_equal(run_two(vgpu_tm_getm.backoff), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_stall_buffer_aborts),
		cmocka_unit_test(the_smallest_timestamp_goes_first),
		cmocka_unit_test(equal_timestamps_go_by_warp),
		cmocka_unit_test(who_is_too_early_by_now_aborts),
		cmocka_unit_test(who_has_become_the_owner_goes_on),
		cmocka_unit_test(without_room_an_access_aborts),
		cmocka_unit_test(entries_of_a_granule_are_one_write),
		cmocka_unit_test(writes_are_counted),
		cmocka_unit_test(warpts_is_past_all_that_was_observed),
		cmocka_unit_test(backoff_doubles),
		cmocka_unit_test(without_backoff_two_warps_never_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
