// SPDX-License-Identifier: MIT
/*
 * Caches that run the tables of a protocol (memsys/coherent/): a small case with its times and
 * leases by hand, and litmus tests on cores with one access a warp in flight: what sequential
 * consistency forbids is never seen under a protocol that has it, and is seen under "gpu", whose
 * L1s keep what they have.
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

	snprintf(text, sizeof(text), "sms=4 sc_core=1 coherence=%s %s", coherence, changes);
	rig = rig_open(text);
	rig_scripts(rig);
	return rig;
}

/* An access, and the warp waits for it */
static struct rig_op *one(struct rig *rig, u32 sm, enum rig_do what, u64 address, u32 value)
{
	struct rig_op *op = rig_op(rig, sm, 0, what, address, value);

	rig_op(rig, sm, 0, RIG_WAIT, 0, 0);
	return op;
}

static struct vgpu_coh_l2_line *l2_line(struct rig *rig, u64 address)
{
	struct vgpu_partition *p = vgpu_partition_of(rig->memsys, address >> 7);
	u32 at = vgpu_partition_find(rig->memsys, p, address >> 7);

	assert_int_not_equal(at, ~0u);
	return &rig->memsys->coherent->l2s[p - rig->memsys->partitions].ways[at].line;
}

static u64 now_of(struct rig *rig, u32 sm)
{
	return rig->memsys->coherent->l1s[sm].core.read_now;
}

/* ---- RCC, one step after the other -------------------------------------------- */

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

/*
 * Figure 3.3 with a lease of 10, from a state that accesses make: both lines fetched by SM 1 at its
 * time 0 (ver 0, exp 10). Steps 1 to 7 of the figure, whose start differs: there SM 0 is at 20 and
 * B was written at 30.
 */
static void rcc_goes_through_its_walk(void **state)
{
	struct rig *rig = open_with("rcc", "coherence_lease=10");
	struct rig_op op;

	(void)state;
	alone(rig, 1, RIG_LOAD, X, 0);
	alone(rig, 1, RIG_LOAD, Y, 0);
	assert_int_equal(l2_line(rig, X)->exp, 10);
	assert_int_equal(l2_line(rig, Y)->exp, 10);
	/* a store goes behind the last lease, and waits for nobody: SM 1 has its old line */
	op = alone(rig, 0, RIG_STORE, X, 7);
	assert_int_equal(l2_line(rig, X)->ver, 11);
	assert_int_equal(now_of(rig, 0), 11);
	assert_int_equal(op.done - op.sent, 40 + 2 + 20 + 70 + 1 + 20);
	op = alone(rig, 1, RIG_LOAD, X, 0);
	assert_true(op.hit);
	assert_int_equal(op.result, 0);
	/* SM 0 reads Y at 11: the lease becomes longer */
	alone(rig, 0, RIG_LOAD, Y, 0);
	assert_int_equal(l2_line(rig, Y)->exp, 21);
	assert_int_equal(now_of(rig, 0), 11);
	/* SM 1 writes Y: behind that lease, and so its lease of X has ended */
	alone(rig, 1, RIG_STORE, Y, 8);
	assert_int_equal(l2_line(rig, Y)->ver, 22);
	assert_int_equal(now_of(rig, 1), 22);
	op = alone(rig, 1, RIG_LOAD, X, 0);
	assert_false(op.hit);
	assert_int_equal(op.result, 7);
	assert_int_equal(l2_line(rig, X)->exp, 32);
	/* nobody has read what SM 1 wrote: the next store shares its version */
	alone(rig, 0, RIG_STORE, Y, 9);
	assert_int_equal(l2_line(rig, Y)->ver, 22);
	assert_int_equal(now_of(rig, 0), 22);
	alone(rig, 0, RIG_STORE, X, 10);
	assert_int_equal(l2_line(rig, X)->ver, 33);
	assert_int_equal(now_of(rig, 0), 33);
	/* before that in logical time, behind it in physical */
	op = alone(rig, 1, RIG_LOAD, X, 0);
	assert_true(op.hit);
	assert_int_equal(op.result, 7);
	rig_close(rig);
}

/* A lease that has run out, and nobody has written the line: RENEW, which has no bytes */
static void rcc_renews_a_lease(void **state)
{
	struct rig *rig = open_with("rcc", "coherence_lease=10");
	struct rig_op miss, renewed;

	(void)state;
	alone(rig, 1, RIG_LOAD, X, 0);
	alone(rig, 0, RIG_LOAD, Y, 0);
	/* behind the lease of Y, 10, and so behind that of X */
	alone(rig, 1, RIG_STORE, Y, 1);
	assert_int_equal(now_of(rig, 1), 11);
	renewed = alone(rig, 1, RIG_LOAD, X, 0);
	miss = alone(rig, 2, RIG_LOAD, X, 0);
	assert_false(renewed.hit);
	/* 8 bytes leave the port of the partition a cycle after, 136 bytes three */
	assert_int_equal(renewed.done - renewed.sent, 40 + 1 + 20 + 70 + 1 + 20);
	assert_int_equal(miss.done - miss.sent, 40 + 1 + 20 + 70 + 3 + 20);
	assert_int_equal(l2_line(rig, X)->exp, 21);
	rig_close(rig);
}

/* Of three accesses of a line that two SMs have: how long the store takes */
static u64 store_takes(const char *coherence, const char *changes)
{
	struct rig *rig = open_with(coherence, changes);
	struct rig_op op;
	u64 takes;

	alone(rig, 1, RIG_LOAD, X, 0);
	alone(rig, 2, RIG_LOAD, X, 0);
	op = alone(rig, 0, RIG_STORE, X, 7);
	takes = op.done - op.sent;
	op = alone(rig, 1, RIG_LOAD, X, 0);
	assert_int_equal(op.result, op.hit ? 0 : 7);
	rig_close(rig);
	return takes;
}

static void stores_wait_as_their_protocol_says(void **state)
{
	/* 40 bytes leave the SM in 2 cycles */
	const u64 alone_takes = 40 + 2 + 20 + 70 + 1 + 20;

	(void)state;
	assert_int_equal(store_takes("rcc", ""), alone_takes);
	assert_int_equal(store_takes("sc-ideal", ""), alone_takes);
	assert_int_equal(store_takes("tcw", ""), alone_takes);
	/* two INVs and their answers, by way of the L1s: at least a lookup and two ways more */
	assert_true(store_takes("gpu-vi", "") >= alone_takes + 70 + 20 + 40 + 20);
	assert_true(store_takes("mesi", "") >= alone_takes + 70 + 20 + 40 + 20);
	/* until the lease of the last load has run out */
	assert_true(store_takes("tcs", "coherence_lease=5000") > 4000);
	assert_true(store_takes("tcs", "coherence_lease=5000") < 5000 + alone_takes);
}

/* ---- litmus tests -------------------------------------------------------------- */

/** struct shape - threads on SMs of their own; @forbidden: by sequential consistency */
struct shape {
	const char *name;
	struct {
		enum rig_do what;
		u64 address;
	} ops[4][2];
	u32 threads;
	bool (*forbidden)(const u32 r[4][2]);
};

static bool mp(const u32 r[4][2])
{
	return r[1][0] == 1 && r[1][1] == 0;
}

static bool sb(const u32 r[4][2])
{
	return r[0][1] == 0 && r[1][1] == 0;
}

static bool lb(const u32 r[4][2])
{
	return r[0][0] == 1 && r[1][0] == 1;
}

static bool corr(const u32 r[4][2])
{
	return r[1][0] == 1 && r[1][1] == 0;
}

static bool iriw(const u32 r[4][2])
{
	return r[1][0] == 1 && r[1][1] == 0 && r[3][0] == 1 && r[3][1] == 0;
}

static const struct shape shapes[] = {
	{ "MP", { { { RIG_STORE, X }, { RIG_STORE, Y } }, { { RIG_LOAD, Y }, { RIG_LOAD, X } } },
	  2, mp },
	{ "SB", { { { RIG_STORE, X }, { RIG_LOAD, Y } }, { { RIG_STORE, Y }, { RIG_LOAD, X } } },
	  2, sb },
	{ "LB", { { { RIG_LOAD, X }, { RIG_STORE, Y } }, { { RIG_LOAD, Y }, { RIG_STORE, X } } },
	  2, lb },
	{ "CoRR", { { { RIG_STORE, X }, { RIG_STORE, Y } }, { { RIG_LOAD, X }, { RIG_LOAD, X } } },
	  2, corr },
	{ "IRIW", { { { RIG_STORE, X }, { RIG_STORE, Y + 4096 } },
		    { { RIG_LOAD, X }, { RIG_LOAD, Y } },
		    { { RIG_STORE, Y }, { RIG_STORE, Y + 8192 } },
		    { { RIG_LOAD, Y }, { RIG_LOAD, X } } }, 4, iriw },
};

#define SHAPES	(sizeof(shapes) / sizeof(shapes[0]))

/* Thread n begins @distance cycles behind thread n - 1. @warm: bit 2n: X, 2n + 1: Y is in L1 n */
static bool is_forbidden(const struct shape *shape, const char *coherence, const char *changes,
			 u32 distance, u32 warm)
{
	struct rig *rig = open_with(coherence, changes);
	struct rig_op *ops[4][2];
	u32 r[4][2] = {}, now;
	bool seen;

	for (u32 n = 0; n < 4; n++) {
		if (warm >> 2 * n & 1)
			one(rig, n, RIG_LOAD, X, 0);
		if (warm >> (2 * n + 1) & 1)
			one(rig, n, RIG_LOAD, Y, 0);
	}
	rig_go(rig);
	rig_scripts(rig);
	now = (u32)vgpu_cycle_at(&rig->config, rig->sim.now) + 60;
	for (u32 n = 0; n < shape->threads; n++) {
		rig_op(rig, n, 0, RIG_UNTIL, 0, now + n % 2 * distance);
		for (u32 k = 0; k < 2; k++)
			ops[n][k] = one(rig, n, shape->ops[n][k].what, shape->ops[n][k].address, 1);
	}
	rig_go(rig);
	for (u32 n = 0; n < shape->threads; n++)
		for (u32 k = 0; k < 2; k++)
			r[n][k] = ops[n][k]->result;
	seen = shape->forbidden((const u32(*)[2])r);
	rig_close(rig);
	return seen;
}

static u32 times_forbidden(const struct shape *shape, const char *coherence, const char *changes)
{
	static const u32 warms[] = { 0, 0x55, 0xaa, 0xff, 0x44, 0x88, 0x48, 0xcc };
	u32 times = 0;

	for (u32 n = 0; n < sizeof(warms) / sizeof(warms[0]); n++)
		for (u32 distance = 0; distance < 800; distance += 61)
			times += is_forbidden(shape, coherence, changes, distance, warms[n]);
	return times;
}

static void sequential_protocols_are_sequential(void **state)
{
	static const char *const protocols[] = { "rcc", "sc-ideal", "mesi", "gpu-vi", "tcs" };

	(void)state;
	for (u32 p = 0; p < sizeof(protocols) / sizeof(protocols[0]); p++)
		for (u32 n = 0; n < SHAPES; n++)
			assert_int_equal(times_forbidden(&shapes[n], protocols[p],
							 "l2_bytes=16384"), 0);
	for (u32 n = 0; n < SHAPES; n++)
		assert_int_equal(times_forbidden(&shapes[n], "rcc", "coherence_lease=2"), 0);
}

/* The rest shows that these runs can tell: old lines in L1s */
static void gpu_and_tcw_are_not(void **state)
{
	(void)state;
	assert_true(times_forbidden(&shapes[0], "gpu", "") > 0);
	assert_true(times_forbidden(&shapes[1], "gpu", "") > 0);
	assert_true(times_forbidden(&shapes[4], "gpu", "") > 0);
	assert_true(times_forbidden(&shapes[0], "tcw", "coherence_lease=5000") > 0);
}

/* ---- lines go ----------------------------------------------------------------- */

/* A frame that is written behind the caches has no line with a lease in an L1 any more. */
static void a_frame_that_is_written_has_no_lines(void **state)
{
	static const char *const protocols[] = { "rcc", "rcc-wo", "sc-ideal", "mesi", "gpu-vi",
						 "tcs", "tcw" };

	(void)state;
	for (u32 n = 0; n < sizeof(protocols) / sizeof(protocols[0]); n++) {
		struct rig *rig = open_with(protocols[n], "");
		struct rig_op op;

		alone(rig, 0, RIG_STORE, X, 5);
		op = alone(rig, 1, RIG_LOAD, X, 0);
		assert_int_equal(op.result, 5);
		vgpu_memsys_flush(rig->memsys, X >> 12, false);
		assert_int_equal(*rig_word(rig, X), 5);
		op = alone(rig, 1, RIG_LOAD, X, 0);
		assert_true(op.hit || !strncmp(protocols[n], "tc", 2));
		vgpu_memsys_flush(rig->memsys, X >> 12, true);
		*rig_word(rig, X) = 6;
		op = alone(rig, 1, RIG_LOAD, X, 0);
		assert_false(op.hit);
		assert_int_equal(op.result, 6);
		rig_close(rig);
	}
}

#define X2	0x30080u	/* of another frame, and in another partition than X */

/*
 * A page that was read has another frame when it is written (SB): SM 1 has written Y at 11, behind
 * the lease that SM 0 has, and read X. What SM 0 writes there is behind that, and so is its clock.
 */
static void another_frame_is_behind_what_was_read(void **state)
{
	(void)state;
	for (u32 leaves = 0; leaves < 2; leaves++) {
		struct rig *rig = open_with("rcc", "coherence_lease=10");
		struct rig_op op;

		assert_ptr_not_equal(vgpu_partition_of(rig->memsys, X >> 7),
				     vgpu_partition_of(rig->memsys, X2 >> 7));
		alone(rig, 0, RIG_LOAD, Y, 0);
		alone(rig, 1, RIG_STORE, Y, 8);
		assert_int_equal(now_of(rig, 1), 11);
		alone(rig, 1, RIG_LOAD, X, 0);
		assert_int_equal(l2_line(rig, X)->exp, 21);
		if (leaves)
			vgpu_memsys_forget(rig->memsys, X >> 12);
		else
			vgpu_memsys_replace(rig->memsys);
		alone(rig, 0, RIG_STORE, X2, 7);
		assert_int_equal(now_of(rig, 0), leaves ? 22 : 12);
		op = alone(rig, 0, RIG_LOAD, Y, 0);
		assert_false(op.hit);
		assert_int_equal(op.result, 8);
		rig_close(rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rcc_goes_through_its_walk),
		cmocka_unit_test(rcc_renews_a_lease),
		cmocka_unit_test(stores_wait_as_their_protocol_says),
		cmocka_unit_test(sequential_protocols_are_sequential),
		cmocka_unit_test(gpu_and_tcw_are_not),
		cmocka_unit_test(a_frame_that_is_written_has_no_lines),
		cmocka_unit_test(another_frame_is_behind_what_was_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
