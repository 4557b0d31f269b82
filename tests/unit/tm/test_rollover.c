// SPDX-License-Identifier: MIT
/*
 * Rollover of timestamps by hand: two partitions, one after the other and both at once, with logs
 * and requests in flight.
 */
#include "memsys/tm/rollover.h"
#include "memsys/tm/stall.h"
#include "rig.h"

#define LD	VGPU_TM_LOAD
#define ST	VGPU_TM_STORE
#define CORES	2u
#define LIMIT	100u

struct pair {
	struct rig rig[2];
	struct vgpu_tm_ring_out out;	/* of the last event */
};

static void open_pair(struct pair *pair, u32 partitions)
{
	struct vgpu_tm_setup setup = vgpu_tm_getm;

	setup.partitions = partitions;
	setup.cores = CORES;
	setup.limit = LIMIT;
	for (u32 n = 0; n < 2; n++)
		rig_open(&pair->rig[n], &setup);
}

static void close_pair(struct pair *pair)
{
	for (u32 n = 0; n < 2; n++)
		rig_close(&pair->rig[n]);
}

static void ring(struct pair *pair, u32 partition, enum vgpu_tm_ring_event event, u32 origin)
{
	struct rig *rig = &pair->rig[partition];

	vgpu_tm_ring(&rig->tm, rig->unit, partition, event, origin, &pair->out);
}

/* The last event has sent this to the next partition, and nothing to cores. */
static void expect_sent(const struct pair *pair, enum vgpu_tm_ring_event event, u32 origin)
{
	assert_true(pair->out.sends);
	assert_false(pair->out.flush);
	assert_int_equal(pair->out.event, event);
	assert_int_equal(pair->out.origin, origin);
}

static void expect_flush(const struct pair *pair)
{
	assert_true(pair->out.flush);
	assert_false(pair->out.sends);
}

static void expect_nothing(const struct pair *pair)
{
	assert_false(pair->out.flush || pair->out.sends);
}

/* Accesses at or beyond the limit need a rollover, those before do not. */
static void the_limit_is_not_reached(void **state)
{
	struct pair pair;
	struct rig *rig = &pair.rig[0];

	(void)state;
	open_pair(&pair, 1);
	assert_int_equal(rig_access(rig, 1, LIMIT - 1, ST, 1), VGPU_TM_SUCCESS);
	rig_log(rig, 1, 1, true);
	assert_int_equal(rig_access(rig, 1, LIMIT, ST, 2), VGPU_TM_ROLLOVER);
	assert_int_equal(rig_access(rig, 1, LIMIT, LD, 2), VGPU_TM_ROLLOVER);
	assert_int_equal(rig_access(rig, 1, LIMIT + 7, LD, 2), VGPU_TM_ROLLOVER);
	close_pair(&pair);
}

/* One partition: locks, waiters and times are gone when all cores have answered. */
static void a_rollover_empties_the_unit(void **state)
{
	struct pair pair;
	struct rig *rig = &pair.rig[0];
	struct vgpu_tm_answer answer;
	struct vgpu_tm_request late = { .granule = 1, .ts = 50, .wid = 4, .kind = LD };

	(void)state;
	open_pair(&pair, 1);
	rig_access(rig, 1, 50, ST, 1);
	rig_access(rig, 2, 60, LD, 1);
	ring(&pair, 0, VGPU_TM_RING_BEGIN, 0);
	expect_flush(&pair);
	/* of before: its warp begins again. Of after: it waits */
	vgpu_tm_access(&rig->tm, rig->unit, &late, &answer);
	assert_int_equal(answer.result, VGPU_TM_DROPPED);
	late.epoch = 1;
	late.ts = 0;
	vgpu_tm_access(&rig->tm, rig->unit, &late, &answer);
	assert_int_equal(answer.result, VGPU_TM_STALLED);
	ring(&pair, 0, VGPU_TM_RING_BEGIN, 0);
	expect_nothing(&pair);
	ring(&pair, 0, VGPU_TM_RING_ACK, 0);
	assert_int_equal(vgpu_tm_locks(&rig->tm, rig->unit), 1);
	ring(&pair, 0, VGPU_TM_RING_ACK, 0);
	expect_nothing(&pair);
	assert_int_equal(vgpu_tm_locks(&rig->tm, rig->unit), 0);
	assert_int_equal(vgpu_tm_stalled(&rig->tm, rig->unit), 0);
	assert_int_equal(rig->unit->epoch, 1);
	vgpu_tm_access(&rig->tm, rig->unit, &late, &answer);
	assert_int_equal(answer.result, VGPU_TM_SUCCESS);
	rig_expect(rig, 1, 0, 0, 0, 0);
	close_pair(&pair);
}

/*
 * A log that has been sent is written and unlocks before the tables are emptied. Who waits for this
 * has been sent before, too.
 */
static void a_log_in_flight_comes_first(void **state)
{
	const struct vgpu_tm_log log = { 1, 1, true };
	struct vgpu_tm_drained drained;
	struct vgpu_tm_answer answer;
	struct pair pair;
	struct rig *rig = &pair.rig[0];
	u32 slot;

	(void)state;
	open_pair(&pair, 1);
	rig_access(rig, 1, 50, ST, 1);
	assert_int_equal(rig_access(rig, 2, 60, LD, 1), VGPU_TM_QUEUED);
	ring(&pair, 0, VGPU_TM_RING_BEGIN, 0);
	assert_true(vgpu_tm_commit_add(&rig->tm, rig->unit, &log, &slot));
	ring(&pair, 0, VGPU_TM_RING_ACK, 0);
	ring(&pair, 0, VGPU_TM_RING_ACK, 0);
	assert_int_equal(rig->unit->ring, VGPU_TM_STALLED_FOR_CORES);
	assert_true(vgpu_tm_commit_drain(&rig->tm, rig->unit, &drained));
	assert_true(drained.commits && !drained.lost);
	assert_true(vgpu_tm_retry(&rig->tm, rig->unit, &answer));
	assert_int_equal(answer.result, VGPU_TM_DROPPED);
	ring(&pair, 0, VGPU_TM_RING_DRAINED, 0);
	assert_int_equal(rig->unit->ring, VGPU_TM_RUNS);
	assert_int_equal(rig->unit->epoch, 1);
	close_pair(&pair);
}

static void a_rollover_goes_round(void **state)
{
	struct pair pair;

	(void)state;
	open_pair(&pair, 2);
	ring(&pair, 1, VGPU_TM_RING_BEGIN, 0);
	expect_sent(&pair, VGPU_TM_RING_STALL, 1);
	ring(&pair, 0, VGPU_TM_RING_STALL, 1);
	expect_sent(&pair, VGPU_TM_RING_STALL, 1);
	assert_int_equal(pair.rig[0].unit->ring, VGPU_TM_STALLED_FOR_CORES);
	ring(&pair, 1, VGPU_TM_RING_STALL, 1);
	expect_flush(&pair);
	/* 0 has all answers first, and goes on when RESUME has come */
	for (u32 n = 0; n < CORES; n++)
		ring(&pair, 0, VGPU_TM_RING_ACK, 0);
	expect_nothing(&pair);
	assert_int_equal(pair.rig[0].unit->epoch, 0);
	for (u32 n = 0; n < CORES; n++)
		ring(&pair, 1, VGPU_TM_RING_ACK, 0);
	expect_sent(&pair, VGPU_TM_RING_RESUME, 1);
	assert_int_equal(pair.rig[1].unit->ring, VGPU_TM_STALLED_FOR_RING);
	assert_int_equal(pair.rig[1].unit->epoch, 1);
	assert_int_equal(rig_access(&pair.rig[1], 1, 0, LD, 1), VGPU_TM_STALLED);
	ring(&pair, 0, VGPU_TM_RING_RESUME, 1);
	expect_sent(&pair, VGPU_TM_RING_RESUME, 1);
	assert_int_equal(pair.rig[0].unit->ring, VGPU_TM_RUNS);
	assert_int_equal(pair.rig[0].unit->epoch, 1);
	ring(&pair, 1, VGPU_TM_RING_RESUME, 1);
	expect_nothing(&pair);
	assert_int_equal(rig_access(&pair.rig[1], 1, 0, LD, 1), VGPU_TM_SUCCESS);
	close_pair(&pair);
}

/* RESUME may come while a core's answer is missing. */
static void resume_waits_for_cores(void **state)
{
	struct pair pair;

	(void)state;
	open_pair(&pair, 2);
	ring(&pair, 0, VGPU_TM_RING_BEGIN, 0);
	ring(&pair, 1, VGPU_TM_RING_STALL, 0);
	ring(&pair, 0, VGPU_TM_RING_STALL, 0);
	for (u32 n = 0; n < CORES; n++)
		ring(&pair, 0, VGPU_TM_RING_ACK, 0);
	ring(&pair, 1, VGPU_TM_RING_ACK, 0);
	ring(&pair, 1, VGPU_TM_RING_RESUME, 0);
	expect_nothing(&pair);
	assert_int_equal(pair.rig[1].unit->ring, VGPU_TM_STALLED_FOR_CORES);
	ring(&pair, 1, VGPU_TM_RING_ACK, 0);
	expect_sent(&pair, VGPU_TM_RING_RESUME, 0);
	assert_int_equal(pair.rig[1].unit->ring, VGPU_TM_RUNS);
	close_pair(&pair);
}

/* Both begin: the message of 1 ends at 0, that of 0 goes round. */
static void the_lowest_number_wins(void **state)
{
	struct pair pair;

	(void)state;
	open_pair(&pair, 2);
	ring(&pair, 0, VGPU_TM_RING_BEGIN, 0);
	ring(&pair, 1, VGPU_TM_RING_BEGIN, 0);
	ring(&pair, 0, VGPU_TM_RING_STALL, 1);
	expect_nothing(&pair);
	ring(&pair, 1, VGPU_TM_RING_STALL, 0);
	expect_sent(&pair, VGPU_TM_RING_STALL, 0);
	assert_int_equal(pair.rig[1].unit->origin, 0);
	ring(&pair, 0, VGPU_TM_RING_STALL, 0);
	expect_flush(&pair);
	close_pair(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_limit_is_not_reached),
		cmocka_unit_test(a_rollover_empties_the_unit),
		cmocka_unit_test(a_log_in_flight_comes_first),
		cmocka_unit_test(a_rollover_goes_round),
		cmocka_unit_test(resume_waits_for_cores),
		cmocka_unit_test(the_lowest_number_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
