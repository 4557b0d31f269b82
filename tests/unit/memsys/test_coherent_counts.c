// SPDX-License-Identifier: MIT
/*
 * What caches that run a protocol count, against numbers found by hand: a message is one flit for
 * its header and one for each 32 bytes of data, and what an access waits for is the difference to
 * one that waits for nothing.
 */
#include <stdio.h>
#include <string.h>

#include "mem_rig.h"

#include "memsys/coherent/coherent.h"

#define X	0x10000u
#define Y	0x20080u	/* in another partition than X */

static struct rig *open_with(const char *coherence, const char *changes)
{
	char text[256];
	struct rig *rig;

	snprintf(text, sizeof(text), "sms=4 coherence=%s %s", coherence, changes);
	rig = rig_open(text);
	rig_scripts(rig);
	return rig;
}

/* The script has one access, to its end. */
static struct rig_op alone(struct rig *rig, u32 sm, enum rig_do what, u64 address, u32 value)
{
	struct rig_op *op, result;

	rig_scripts(rig);
	op = rig_op(rig, sm, 0, what, address, value);
	rig_go(rig);
	result = *op;
	return result;
}

/* As test_coherent.c has it for a store that nobody holds up: 40 bytes leave the SM in 2 cycles */
#define STORE_TAKES	(40u + 2 + 20 + 70 + 1 + 20)

static void has_stepped(const struct rig *rig, u32 sm, u64 steps)
{
	assert_int_equal(rig->sms[sm].counters.value[VGPU_COUNT_LOGICAL_STEPS], steps);
}

static void rcc_counts_its_leases(void **state)
{
	struct rig *rig = open_with("rcc", "sc_core=1 coherence_lease=10");
	struct vgpu_memsys_stats stats;
	struct rig_op op[5];
	u64 loads;

	(void)state;
	op[0] = alone(rig, 1, RIG_LOAD, X, 0);
	op[1] = alone(rig, 0, RIG_LOAD, Y, 0);
	op[2] = alone(rig, 1, RIG_STORE, Y, 1);
	/* its lease of X, until 10, is over at its time 11, and nobody has written X */
	op[3] = alone(rig, 1, RIG_LOAD, X, 0);
	op[4] = alone(rig, 2, RIG_LOAD, X, 0);
	stats = rig_stats(rig);
	assert_int_equal(stats.l1_expired, 1);
	assert_int_equal(stats.l1_renewed, 1);
	assert_int_equal(stats.flits[VGPU_CLASS_REQUEST], 4);
	assert_int_equal(stats.flits[VGPU_CLASS_LOAD], 3 * 5);
	assert_int_equal(stats.flits[VGPU_CLASS_RENEW], 1);
	assert_int_equal(stats.flits[VGPU_CLASS_STORE], 2 + 1);
	assert_int_equal(stats.flits[VGPU_CLASS_INVALIDATE], 0);
	assert_int_equal(stats.stores, 1);
	assert_int_equal(stats.cycles[VGPU_MEM_STORE], STORE_TAKES);
	loads = op[0].done - op[0].sent + op[1].done - op[1].sent + op[3].done - op[3].sent +
		op[4].done - op[4].sent;
	assert_int_equal(stats.cycles[VGPU_MEM_LOAD], loads);
	assert_int_equal(stats.logical_time, 11);
	/* of all L1s the one that has written Y behind its lease */
	has_stepped(rig, 0, 0);
	has_stepped(rig, 1, 11);
	has_stepped(rig, 2, 0);
	/*
	 * X, with a lease until 21 now, is written by another at 22. A lease of Y until 21 takes
	 * SM 1 to 22 as well: its line of X is over, and is not renewed
	 */
	alone(rig, 0, RIG_STORE, X, 1);
	alone(rig, 3, RIG_LOAD, Y, 0);
	alone(rig, 1, RIG_STORE, Y, 2);
	alone(rig, 1, RIG_LOAD, X, 0);
	stats = rig_stats(rig);
	assert_int_equal(stats.logical_time, 22);
	has_stepped(rig, 0, 22);
	has_stepped(rig, 1, 11 + 11);
	/* what it read was written at 11 */
	has_stepped(rig, 3, 11);
	assert_int_equal(stats.l1_expired, 2);
	assert_int_equal(stats.l1_renewed, 1);
	/* a load whose order makes it ask: its lease was not over */
	rig_scripts(rig);
	rig_strong(rig, 1, 0, RIG_LOAD, X, 0, VGPU_ORDER_RELAXED);
	rig_go(rig);
	stats = rig_stats(rig);
	assert_int_equal(stats.flits[VGPU_CLASS_RENEW], 2);
	assert_int_equal(stats.l1_expired, 2);
	assert_int_equal(stats.l1_renewed, 1);
	/* an atomic: 4 bytes there, a header and 4 bytes back */
	alone(rig, 3, RIG_ADD, X, 1);
	stats = rig_stats(rig);
	assert_int_equal(stats.flits[VGPU_CLASS_ATOMIC], 2 + 2);
	rig_close(rig);
}

/* A hit takes a lookup, and no message. */
static void hits_have_no_messages(void **state)
{
	static const char *const protocols[] = { "gpu", "rcc", "mesi", "tcs" };

	(void)state;
	for (u32 n = 0; n < sizeof(protocols) / sizeof(protocols[0]); n++) {
		struct rig *rig = open_with(protocols[n], "l1_global=1");
		struct vgpu_memsys_stats before, after;

		alone(rig, 1, RIG_LOAD, X, 0);
		before = rig_stats(rig);
		assert_int_equal(before.flits[VGPU_CLASS_REQUEST], 1);
		assert_int_equal(before.flits[VGPU_CLASS_LOAD], 5);
		alone(rig, 1, RIG_LOAD, X, 0);
		after = rig_stats(rig);
		assert_int_equal(after.l1_hits, 1);
		assert_int_equal(after.cycles[VGPU_MEM_LOAD] - before.cycles[VGPU_MEM_LOAD], 40);
		assert_memory_equal(after.flits, before.flits, sizeof(after.flits));
		rig_close(rig);
	}
}

/* A store of a line that two other L1s have. Its time is what it waits, beside what it takes. */
static struct vgpu_memsys_stats contended(const char *coherence, const char *changes, u64 *takes)
{
	struct rig *rig = open_with(coherence, changes);
	struct vgpu_memsys_stats stats;
	struct rig_op op;

	alone(rig, 1, RIG_LOAD, X, 0);
	alone(rig, 2, RIG_LOAD, X, 0);
	op = alone(rig, 0, RIG_STORE, X, 7);
	*takes = op.done - op.sent;
	stats = rig_stats(rig);
	rig_close(rig);
	return stats;
}

static void waits_have_their_cause(void **state)
{
	struct vgpu_memsys_stats stats;
	u64 takes;

	(void)state;
	stats = contended("gpu-vi", "sc_core=1", &takes);
	assert_int_equal(stats.l2_ack_wait, takes - STORE_TAKES);
	assert_true(stats.l2_ack_wait > 0);
	assert_int_equal(stats.l2_lease_wait + stats.l2_fetch_wait + stats.l2_room_wait, 0);
	/* INV to two L1s, and their answers */
	assert_int_equal(stats.flits[VGPU_CLASS_INVALIDATE], 4);
	stats = contended("tcs", "sc_core=1 coherence_lease=5000", &takes);
	assert_int_equal(stats.l2_lease_wait, takes - STORE_TAKES);
	assert_true(stats.l2_lease_wait > 4000);
	assert_int_equal(stats.l2_ack_wait + stats.l2_fetch_wait + stats.l2_room_wait, 0);
	assert_int_equal(stats.flits[VGPU_CLASS_INVALIDATE], 0);
	stats = contended("sc-ideal", "sc_core=1", &takes);
	assert_int_equal(takes, STORE_TAKES);
	assert_int_equal(stats.flits[VGPU_CLASS_INVALIDATE], 0);
	assert_int_equal(stats.l2_stall_cycles, 0);
}

/* A write of a line that is being fetched for an atomic stalls until DRAM has answered. */
static void a_fetch_of_others_is_waited_for(void **state)
{
	struct rig *rig = open_with("rcc", "sc_core=1");
	struct rig_op *atomic, *store;
	struct vgpu_memsys_stats stats;
	u64 fetch;

	(void)state;
	/* as long as it takes, alone: a cycle more in the port, for the bytes that come back */
	fetch = alone(rig, 3, RIG_ADD, Y, 1).done;
	rig_scripts(rig);
	fetch = vgpu_cycle_at(&rig->config, rig->sim.now);
	atomic = rig_op(rig, 0, 0, RIG_ADD, X, 1);
	rig_op(rig, 1, 0, RIG_UNTIL, 0, (u32)fetch + 100);
	store = rig_op(rig, 1, 0, RIG_STORE, X, 1);
	rig_go(rig);
	stats = rig_stats(rig);
	assert_true(atomic->done > atomic->sent);
	assert_int_equal(stats.l2_fetch_wait, store->done - store->sent - STORE_TAKES);
	assert_true(stats.l2_fetch_wait > 0);
	assert_int_equal(stats.l2_stall_cycles, stats.l2_fetch_wait);
	rig_close(rig);
}

/* Lines that L2 has no place for any more are recalled from the L1 that has them. */
static void recalls_are_counted(void **state)
{
	struct rig *rig = open_with("gpu-vi", "sc_core=1 l2_bytes=16384 l1_bytes=32768");
	struct vgpu_memsys_stats stats;
	u32 lines = 200, there = 0;

	(void)state;
	for (u32 n = 0; n < lines; n++)
		alone(rig, 1, RIG_LOAD, X + n * 128, 0);
	for (u32 n = 0; n < lines; n++) {
		struct vgpu_partition *p = vgpu_partition_of(rig->memsys, (X >> 7) + n);

		there += vgpu_partition_find(rig->memsys, p, (X >> 7) + n) != ~0u;
	}
	stats = rig_stats(rig);
	assert_true(there > 64 && there <= 16384 / 128);
	assert_int_equal(stats.flits[VGPU_CLASS_RECALL], 2 * (lines - there));
	assert_int_equal(stats.flits[VGPU_CLASS_INVALIDATE], 0);
	assert_true(stats.l2_room_wait > 0);
	rig_close(rig);
}

/* Each rollover: STALL and RESUME round the ring, FLUSH and its answer to each L1. */
static void rollovers_are_counted(void **state)
{
	struct rig *rig = open_with("rcc", "sc_core=1 rcc_bits=13 coherence_lease=2000");
	struct vgpu_memsys_stats stats;
	u64 last = 0;

	(void)state;
	for (u32 n = 0; n < 12; n++) {
		alone(rig, n & 1, RIG_LOAD, X, 0);
		alone(rig, ~n & 1, RIG_STORE, X, n);
		stats = rig_stats(rig);
		assert_true(stats.logical_time >= last);
		last = stats.logical_time;
	}
	/* of these, what was left to the limit when a rollover came was not gone */
	assert_true(stats.logical_time > 12 * 2000 - 2 * 2000);
	for (u32 n = 0; n < 2; n++) {
		u64 steps = rig->sms[n].counters.value[VGPU_COUNT_LOGICAL_STEPS];

		assert_true(steps > 8000 && steps <= stats.logical_time);
	}
	/* each round needs 2000 of 8191 at least */
	assert_true(stats.rollovers >= 2 && stats.rollovers <= 4);
	assert_int_equal(stats.flits[VGPU_CLASS_INVALIDATE],
			 stats.rollovers * (2 * 4 + 2 * rig->config.l2_partitions));
	rig_close(rig);
}

/* Two loads of a line that is on its way from its owner's store: they wait in the L1. */
static void waits_at_a_line_are_counted(void **state)
{
	struct rig *rig = open_with("tcs", "sc_core=1");
	struct rig_op *store, *load;
	struct vgpu_memsys_stats stats;

	(void)state;
	alone(rig, 1, RIG_LOAD, Y, 0);
	rig_scripts(rig);
	/* tcs does not answer from the old bytes while a store of them is in flight */
	store = rig_op(rig, 1, 0, RIG_STORE, Y, 1);
	load = rig_op(rig, 1, 1, RIG_LOAD, Y, 0);
	rig_go(rig);
	stats = rig_stats(rig);
	assert_int_equal(load->result, 1);
	assert_true(load->sent < store->done);
	/* it asks when the store has come back, and has waited until then */
	assert_int_equal(stats.l1_line_wait, store->done - load->sent);
	rig_close(rig);
}

/* Table 3.3: at least 340 cycles for what L2 has, 460 for what DRAM has */
static void the_preset_has_the_latencies_of_its_table(void **state)
{
	struct rig *rig = rig_preset("rcc", "");
	struct rig_op op;

	(void)state;
	rig_scripts(rig);
	op = alone(rig, 1, RIG_LOAD, X, 0);
	assert_int_equal(op.done - op.sent, 460);
	op = alone(rig, 2, RIG_LOAD, X, 0);
	assert_int_equal(op.done - op.sent, 340);
	rig_close(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rcc_counts_its_leases),
		cmocka_unit_test(hits_have_no_messages),
		cmocka_unit_test(waits_have_their_cause),
		cmocka_unit_test(a_fetch_of_others_is_waited_for),
		cmocka_unit_test(recalls_are_counted),
		cmocka_unit_test(rollovers_are_counted),
		cmocka_unit_test(waits_at_a_line_are_counted),
		cmocka_unit_test(the_preset_has_the_latencies_of_its_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
