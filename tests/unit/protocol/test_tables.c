// SPDX-License-Identifier: MIT
/*
 * The tables of protocols, by hand: the walkthrough of RCC (thesis 002, figure 3.3), its predicted
 * leases, eviction, rollover with requests in MSHRs, and the number of states and transitions of
 * table 3.5 as they really happen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "memsys/protocol/rcc.h"
#include "memsys/protocol/rollover.h"
#include "programs.h"

enum { X, Y };

/* ---- two L1s and an L2, one message after the other -------------------------- */

struct machine {
	struct vgpu_coh_setup setup;
	struct vgpu_coh_core cores[2];
	struct vgpu_coh_l1_line l1[2][2];
	struct vgpu_coh_l2_line l2[2];
	struct vgpu_coh_partition partition;
	struct vgpu_coh_out out;	/* of the last event */
	bool hit;			/* the last access was one */
};

static void l1(struct machine *m, u32 core, u32 line, enum vgpu_coh_event event,
	       const struct vgpu_coh_message *in)
{
	struct vgpu_coh_l1_step step = { &m->setup, &m->cores[core], &m->l1[core][line], in, 0,
					 &m->out };

	if (event < VGPU_COH_EVICT)
		vgpu_coh_l1_expire(&vgpu_coh_rcc, &step);
	vgpu_coh_l1(&vgpu_coh_rcc, event, &step);
	assert_false(m->out.actions & VGPU_COH_IMPOSSIBLE);
}

static void l2(struct machine *m, u32 line, enum vgpu_coh_event event,
	       const struct vgpu_coh_message *in)
{
	struct vgpu_coh_l2_step step = { &m->setup, &m->partition, &m->l2[line], in, 0, &m->out };

	vgpu_coh_l2(&vgpu_coh_rcc, event, &step);
	assert_false(m->out.actions & VGPU_COH_IMPOSSIBLE);
}

/* An access from its L1 to L2 and back. The lines are in L2. */
static void access_line(struct machine *m, u32 core, u32 line, enum vgpu_coh_event event)
{
	struct vgpu_coh_message in = { .core = (u16)core };

	l1(m, core, line, event, &in);
	m->hit = m->out.actions & VGPU_COH_HIT;
	if (m->hit)
		return;
	assert_int_equal(m->out.sends, 1);
	in = m->out.send;
	l2(m, line, in.kind, &in);
	assert_int_equal(m->out.sends, 1);
	in = m->out.send;
	l1(m, core, line, in.kind, &in);
}

static void the_walkthrough_of_figure_3_3(void **state)
{
	struct machine m = { .setup = { .cores = 2, .partitions = 1, .lease = 10,
					.limit = 1000000 } };

	(void)state;
	m.cores[0].read_now = m.cores[0].write_now = 20;
	m.l2[X] = (struct vgpu_coh_l2_line){ .state = RCC_L2_V, .ver = 0, .exp = 10 };
	m.l2[Y] = (struct vgpu_coh_l2_line){ .state = RCC_L2_V, .ver = 30, .exp = 10 };
	for (u32 line = 0; line < 2; line++)
		m.l1[1][line] = (struct vgpu_coh_l1_line){ .state = RCC_L1_V, .exp = 10,
							   .held = true };
	access_line(&m, 0, X, VGPU_COH_STORE);
	assert_int_equal(m.l2[X].ver, 20);
	assert_int_equal(m.cores[0].read_now, 20);
	access_line(&m, 0, Y, VGPU_COH_LOAD);
	assert_int_equal(m.cores[0].read_now, 30);
	assert_int_equal(m.l2[Y].exp, 40);
	access_line(&m, 1, Y, VGPU_COH_STORE);
	assert_int_equal(m.l2[Y].ver, 41);
	assert_int_equal(m.cores[1].read_now, 41);
	/* its lease on x has ended, and x is another one in L2 */
	access_line(&m, 1, X, VGPU_COH_LOAD);
	assert_false(m.hit);
	assert_int_equal(m.out.actions, VGPU_COH_ANSWER | VGPU_COH_MERGED | VGPU_COH_FILL);
	assert_int_equal(m.l2[X].exp, 51);
	assert_int_equal(m.l1[1][X].exp, 51);
	/* nobody has seen the last store of y: both have one time */
	access_line(&m, 0, Y, VGPU_COH_STORE);
	assert_int_equal(m.l2[Y].ver, 41);
	assert_int_equal(m.cores[0].read_now, 41);
	access_line(&m, 0, X, VGPU_COH_STORE);
	assert_int_equal(m.l2[X].ver, 52);
	assert_int_equal(m.cores[0].read_now, 52);
	access_line(&m, 1, X, VGPU_COH_LOAD);
	assert_true(m.hit);
	assert_int_equal(m.cores[1].read_now, 41);
}

/* ---- leases ------------------------------------------------------------------ */

static void fetch(struct machine *m, u32 line, enum vgpu_coh_event kind)
{
	const struct vgpu_coh_message in = { .kind = kind };

	l2(m, line, kind, &in);
	assert_true(m->out.actions & VGPU_COH_FETCH);
	l2(m, line, VGPU_COH_FETCHED, NULL);
}

static void renew(struct machine *m, u32 line)
{
	const struct vgpu_coh_message in = { .kind = VGPU_COH_GETS, .held = true,
					     .exp = m->l2[line].exp };

	l2(m, line, VGPU_COH_GETS, &in);
	assert_int_equal(m->out.send.kind, VGPU_COH_RENEW);
}

/* The most at first, 8 after a write, the double after each renewal */
static void leases_are_predicted(void **state)
{
	struct machine m = { .setup = { .cores = 2, .partitions = 1, .limit = 1u << 30 } };
	struct vgpu_coh_message write = { .kind = VGPU_COH_WRITE };
	const struct vgpu_coh_message read = { .kind = VGPU_COH_GETS };

	(void)state;
	fetch(&m, X, VGPU_COH_GETS);
	assert_int_equal(m.l2[X].exp, 2048);
	l2(&m, X, VGPU_COH_WRITE, &write);
	assert_int_equal(m.out.send.ver, 2049);
	l2(&m, X, VGPU_COH_GETS, &read);
	assert_int_equal(m.out.send.kind, VGPU_COH_DATA);
	assert_int_equal(m.out.send.exp, 2049 + 8);
	for (u32 lease = 16; lease <= 2048; lease *= 2) {
		renew(&m, X);
		assert_int_equal(vgpu_rcc_lease(&m.setup, &m.l2[X]), lease);
	}
	renew(&m, X);
	assert_int_equal(vgpu_rcc_lease(&m.setup, &m.l2[X]), 2048);
	l2(&m, X, VGPU_COH_ATOMIC, &write);
	assert_int_equal(vgpu_rcc_lease(&m.setup, &m.l2[X]), 8);
}

/* Event of line X of TC at @cycle, of L1 @core; its lease ends before if it is over. */
static void tc(struct machine *m, const struct vgpu_coh_protocol *protocol,
	       enum vgpu_coh_event event, u16 core, u64 cycle)
{
	const struct vgpu_coh_message in = { .kind = (u8)event, .core = core };
	struct vgpu_coh_l2_step step = { &m->setup, &m->partition, &m->l2[X], &in, cycle, &m->out };

	vgpu_coh_l2_expire(protocol, &step);
	vgpu_coh_l2(protocol, event, &step);
	assert_false(m->out.actions & VGPU_COH_IMPOSSIBLE);
}

/* A line that L1 0 has read in cycle 10 with a lease of 100 */
static struct machine tc_machine(const struct vgpu_coh_protocol *protocol, bool predicts)
{
	struct machine m = { .setup = { .cores = 2, .partitions = 1, .lease = 100,
					.predicts = predicts } };

	tc(&m, protocol, VGPU_COH_GETS, 0, 0);
	tc(&m, protocol, VGPU_COH_FETCHED, 0, 10);
	assert_int_equal(m.l2[X].exp, 110);
	assert_int_equal(m.partition.longer, 0);
	return m;
}

/* One more for each load of a line whose leases are over, 64 less for a write too soon */
static void tc_predicts_leases(void **state)
{
	const struct vgpu_coh_protocol *protocols[] = { &vgpu_coh_tcs, &vgpu_coh_tcw };

	(void)state;
	for (u32 n = 0; n < 2; n++) {
		struct machine m = tc_machine(protocols[n], true);

		/* a lease that goes on: nothing is learnt */
		tc(&m, protocols[n], VGPU_COH_GETS, 1, 100);
		assert_int_equal(m.l2[X].exp, 200);
		for (u32 k = 1; k <= 70; k++) {
			tc(&m, protocols[n], VGPU_COH_GETS, k & 1, k * 1000);
			assert_int_equal(m.l2[X].exp, k * 1000 + 100 + k);
		}
		tc(&m, protocols[n], VGPU_COH_WRITE, 0, 70050);
		assert_int_equal(m.partition.longer, 70 - 64);
		if (n == 0) {
			assert_int_equal(m.out.actions, VGPU_COH_STALL);
			assert_int_equal(m.out.until, 70171);
		} else {
			assert_int_equal(m.out.send.kind, VGPU_COH_ACK_GLOBAL);
		}
		/* never shorter than the fixed ones because of writes */
		tc(&m, protocols[n], VGPU_COH_WRITE, 0, 70060);
		assert_int_equal(m.partition.longer, 0);
		tc(&m, protocols[n], VGPU_COH_WRITE, 0, 70061);
		assert_int_equal(m.partition.longer, 0);
		/* one that is late is no reason, nor is an atomic */
		tc(&m, protocols[n], VGPU_COH_WRITE, 0, 80000);
		tc(&m, protocols[n], VGPU_COH_GETS, 0, 90000);
		tc(&m, protocols[n], VGPU_COH_ATOMIC, 1, 90050);
		assert_int_equal(m.partition.longer, 1);
		assert_int_equal(m.l2[X].exp, 90101);
		/* the way of the line is needed before its lease is over, and when it is */
		tc(&m, protocols[n], VGPU_COH_EVICT, 0, 90060);
		assert_int_equal(m.partition.longer, 1 - 16);
	}
}

/* Evictions make leases as short as a cycle; and without a predictor nothing does anything. */
static void tc_leases_have_an_end(void **state)
{
	struct machine m = tc_machine(&vgpu_coh_tcw, true);

	(void)state;
	for (u32 k = 1; k <= 10; k++) {
		m.l2[X] = (struct vgpu_coh_l2_line){};
		tc(&m, &vgpu_coh_tcw, VGPU_COH_GETS, 0, k * 1000);
		tc(&m, &vgpu_coh_tcw, VGPU_COH_FETCHED, 0, k * 1000);
		tc(&m, &vgpu_coh_tcw, VGPU_COH_EVICT, 0, k * 1000);
		assert_int_equal(m.partition.longer, k < 7 ? -16 * (int)k : -99);
	}
	m = tc_machine(&vgpu_coh_tcw, false);
	tc(&m, &vgpu_coh_tcw, VGPU_COH_GETS, 0, 1000);
	tc(&m, &vgpu_coh_tcw, VGPU_COH_WRITE, 1, 1001);
	tc(&m, &vgpu_coh_tcw, VGPU_COH_EVICT, 1, 1002);
	assert_int_equal(m.partition.longer, 0);
}

/* What has been written since is not renewed, nor what the L1 has not any more. */
static void only_what_is_there_is_renewed(void **state)
{
	struct machine m = { .setup = { .cores = 2, .partitions = 1, .lease = 10, .limit = 1000 } };
	struct vgpu_coh_message in = { .kind = VGPU_COH_GETS, .exp = 10, .held = true };

	(void)state;
	fetch(&m, X, VGPU_COH_GETS);
	assert_int_equal(m.l2[X].exp, 10);
	l2(&m, X, VGPU_COH_GETS, &in);
	assert_int_equal(m.out.send.kind, VGPU_COH_RENEW);
	in.held = false;
	l2(&m, X, VGPU_COH_GETS, &in);
	assert_int_equal(m.out.send.kind, VGPU_COH_DATA);
	in.kind = VGPU_COH_WRITE;
	l2(&m, X, VGPU_COH_WRITE, &in);
	assert_int_equal(m.l2[X].ver, 11);
	in.kind = VGPU_COH_GETS;
	in.held = true;
	l2(&m, X, VGPU_COH_GETS, &in);
	assert_int_equal(m.out.send.kind, VGPU_COH_DATA);
}

/* ---- eviction ----------------------------------------------------------------- */

/* mnow is behind the last lease, and a write that misses is there. As published it is in it. */
static void eviction_keeps_leases_in_mind(void **state)
{
	const struct vgpu_coh_message write = { .kind = VGPU_COH_WRITE };

	(void)state;
	for (u32 published = 0; published < 2; published++) {
		struct machine m = { .setup = { .cores = 2, .partitions = 1, .lease = 10,
						.limit = 1000, .as_published = published } };

		fetch(&m, X, VGPU_COH_GETS);
		l2(&m, X, VGPU_COH_EVICT, NULL);
		assert_int_equal(m.out.actions, 0);
		assert_int_equal(m.partition.mnow, published ? 10 : 11);
		l2(&m, Y, VGPU_COH_WRITE, &write);
		assert_int_equal(m.out.send.kind, VGPU_COH_ACK);
		assert_int_equal(m.out.send.ver, published ? 10 : 11);
		l2(&m, Y, VGPU_COH_FETCHED, NULL);
		l2(&m, Y, VGPU_COH_EVICT, NULL);
		assert_int_equal(m.out.actions, VGPU_COH_WBACK);
	}
}

/* ---- rollover ------------------------------------------------------------------ */

static void rollover_keeps_what_waits(void **state)
{
	struct machine m = { .setup = { .cores = 1, .partitions = 1, .lease = 10, .limit = 100 } };
	struct vgpu_coh_message in = { .kind = VGPU_COH_GETS, .now = 50 };
	struct vgpu_coh_ring_out ring;

	(void)state;
	fetch(&m, X, VGPU_COH_GETS);
	l2(&m, Y, VGPU_COH_GETS, &in);
	assert_int_equal(m.l2[Y].last_read, 50);
	in.now = 91;
	l2(&m, X, VGPU_COH_GETS, &in);
	assert_int_equal(m.out.actions, VGPU_COH_ROLLOVER);
	assert_int_equal(m.l2[X].exp, 10);
	vgpu_coh_ring(&m.setup, &m.partition, 0, VGPU_COH_RING_BEGIN, 0, &ring);
	assert_true(ring.zero && ring.flush && !ring.sends);
	vgpu_coh_zero_l2(&m.l2[X]);
	vgpu_coh_zero_l2(&m.l2[Y]);
	assert_int_equal(m.l2[Y].state, RCC_L2_IV);
	assert_true(m.l2[Y].readers);
	assert_int_equal(m.l2[Y].last_read, 0);
	/* the L1 has a line, and waits for another one */
	m.cores[0].read_now = 90;
	m.l1[0][X] = (struct vgpu_coh_l1_line){ .state = RCC_L1_V, .exp = 95, .held = true };
	m.l1[0][Y] = (struct vgpu_coh_l1_line){ .state = RCC_L1_IV, .reads = 1 };
	vgpu_coh_flush_core(&m.cores[0]);
	vgpu_coh_purge_l1(&vgpu_coh_rcc, &m.l1[0][X]);
	vgpu_coh_purge_l1(&vgpu_coh_rcc, &m.l1[0][Y]);
	assert_int_equal(m.cores[0].read_now, 0);
	assert_int_equal(m.l1[0][X].state, RCC_L1_I);
	assert_int_equal(m.l1[0][Y].state, RCC_L1_II);
	vgpu_coh_ring(&m.setup, &m.partition, 0, VGPU_COH_RING_FLUSHED, 0, &ring);
	assert_int_equal(m.partition.ring, VGPU_COH_RUNS);
	/* the request that was too late is of time 0 now, and so is the one that has waited */
	l2(&m, X, VGPU_COH_GETS, &in);
	assert_int_equal(m.out.send.exp, 10);
	l2(&m, Y, VGPU_COH_FETCHED, NULL);
	assert_int_equal(m.out.actions, VGPU_COH_ENTER | VGPU_COH_ANSWER_KEPT);
	assert_int_equal(m.out.send.exp, 10);
	in = m.out.send;
	in.of = VGPU_COH_GETS;
	l1(&m, 0, Y, VGPU_COH_DATA, &in);
	assert_int_equal(m.out.actions & (VGPU_COH_ANSWER | VGPU_COH_FILL), VGPU_COH_ANSWER);
	assert_int_equal(m.l1[0][Y].state, RCC_L1_I);
}

/* Three partitions, of which two begin at once: that with the lower number wins. */
static void one_of_two_rollovers_wins(void **state)
{
	const struct vgpu_coh_setup setup = { .cores = 2, .partitions = 3 };
	struct vgpu_coh_partition p[3] = {};
	struct vgpu_coh_ring_out first, second, out;

	(void)state;
	vgpu_coh_ring(&setup, &p[2], 2, VGPU_COH_RING_BEGIN, 2, &second);
	vgpu_coh_ring(&setup, &p[1], 1, VGPU_COH_RING_BEGIN, 1, &first);
	assert_true(first.zero && first.sends && second.zero && second.sends);
	/* 2's goes by 0 and ends at 1 */
	vgpu_coh_ring(&setup, &p[0], 0, VGPU_COH_RING_STALL, second.origin, &out);
	assert_true(out.zero && out.sends);
	vgpu_coh_ring(&setup, &p[1], 1, VGPU_COH_RING_STALL, out.origin, &out);
	assert_false(out.sends || out.zero || out.flush);
	/* 1's goes by 2, which gives up, and 0, and is back */
	vgpu_coh_ring(&setup, &p[2], 2, VGPU_COH_RING_STALL, first.origin, &out);
	assert_true(out.sends && !out.zero);
	vgpu_coh_ring(&setup, &p[0], 0, VGPU_COH_RING_STALL, out.origin, &out);
	assert_true(out.sends && !out.zero);
	vgpu_coh_ring(&setup, &p[1], 1, VGPU_COH_RING_STALL, out.origin, &out);
	assert_true(out.flush);
	vgpu_coh_ring(&setup, &p[1], 1, VGPU_COH_RING_FLUSHED, 0, &out);
	assert_false(out.sends);
	vgpu_coh_ring(&setup, &p[1], 1, VGPU_COH_RING_FLUSHED, 0, &out);
	assert_int_equal(out.event, VGPU_COH_RING_RESUME);
	for (u32 n = 2; n < 5; n++) {
		assert_int_equal(p[n % 3].ring, n == 4 ? VGPU_COH_FLUSHING : VGPU_COH_STALLED);
		assert_true(out.sends);
		vgpu_coh_ring(&setup, &p[n % 3], n % 3, VGPU_COH_RING_RESUME, out.origin, &out);
		assert_int_equal(p[n % 3].ring, VGPU_COH_RUNS);
		assert_int_equal(p[n % 3].epoch, 1);
	}
	assert_false(out.sends);
}

/* ---- table 3.5 ------------------------------------------------------------------ */

/*
 * Transitions that the figure has (3.5), told apart by state, event, next state and message sent,
 * without those that stall: 33 and 14. LD ST AT as accesses, - for no message
 */
static const char *const rcc_l1_moves[] = {
	"I LD IV GETS", "I ST II WRITE", "I AT II ATOMIC",
	"V LD V -", "V ST VI WRITE", "V AT VI ATOMIC", "V evict I -", "V expire I -",
	"IV LD IV -", "IV ST II WRITE", "IV AT II ATOMIC", "IV DATA V -", "IV RENEW V -",
	"II LD II GETS", "II ST II WRITE", "II AT II ATOMIC", "II DATA V -", "II DATA VI -",
	"II DATA I -", "II DATA II -", "II RENEW VI -", "II ACK I -", "II ACK II -",
	"VI LD VI -", "VI ST VI WRITE", "VI AT VI ATOMIC", "VI expire II -", "VI DATA V -",
	"VI DATA VI -", "VI DATA I -", "VI DATA II -", "VI ACK I -", "VI ACK II -",
	/* and that it says cannot be: of two GETS sent in II the second answer */
	"VI RENEW V -", "VI RENEW VI -",
};

static const char *const rcc_l2_moves[] = {
	"I GETS IV -", "I WRITE IV ACK", "I ATOMIC IAV -",
	"V GETS V DATA", "V GETS V RENEW", "V WRITE V ACK", "V ATOMIC V DATA", "V evict I -",
	"V evict I WBACK",
	"IV GETS IV -", "IV WRITE IV ACK", "IV FETCHED V DATA", "IV FETCHED V -",
	"IAV FETCHED V DATA",
};

static const char *const event_names[] = {
	"LD", "ST", "AT", "evict", "expire", "FETCHED", "GETS", "WRITE", "UPGRADE", "ATOMIC",
	"THROUGH", "INV_ACK", "DATA", "DATA_E", "RENEW", "ACK", "ACK_GLOBAL", "INV", "-",
};

#define READ(l, r)	{ EX_READ, l, 0, r }
#define WRITE(l, v)	{ EX_WRITE, l, v, 0 }
#define SWAP(l, v, r)	{ EX_SWAP, l, v, r }

/* Programs whose runs have all transitions: many warps of one L1 on one line */
static void all_moves(const struct vgpu_coh_protocol *protocol, struct ex_moves *l1_moves,
		      struct ex_moves *l2_moves)
{
	static const struct ex_program one = {
		"one L1", 4, { 0, 0, 0, 0 }, false,
		{ { WRITE(X, 1), WRITE(X, 2) }, { READ(X, 0), READ(X, 1) }, { READ(X, 2) },
		  { SWAP(X, 3, 3) } } };
	static const struct ex_program two = {
		"two L1s", 3, { 0, 1, 1 }, false,
		{ { READ(X, 0), READ(Y, 1), SWAP(X, 3, 5) },
		  { WRITE(X, 1), READ(X, 2), WRITE(X, 2) },
		  { READ(X, 3), WRITE(X, 4) } } };
	static const struct ex_program own = {
		"own line", 2, { 0, 1 }, false,
		{ { READ(X, 0), READ(X, 2), WRITE(X, 1) }, { READ(X, 1), READ(X, 3) } } };
	struct ex_options options = { .protocol = protocol, .partitions = 1, .lease = 2,
				      .evictions = 1, .ticks = 3 };
	static struct ex_result result;

	l1_moves->count = 0;
	l2_moves->count = 0;
	result.l1 = l1_moves;
	result.l2 = l2_moves;
	ex_explore(&one, &options, &result);
	assert_int_equal(result.deadlocks + result.impossible, 0);
	options.l1_evicts = true;
	ex_explore(&own, &options, &result);
	assert_int_equal(result.deadlocks + result.impossible, 0);
	options.ticks = protocol->clocked ? 2 : 0;
	ex_explore(ex_program_find("SB+at"), &options, &result);
	options.l1_evicts = false;
	ex_explore(&two, &options, &result);
	assert_int_equal(result.deadlocks + result.impossible, 0);
}

static void expect_moves(const struct ex_moves *moves, const char *const *states,
			 const char *const *expected, u32 count)
{
	char text[64];
	u32 n;

	for (u32 at = 0; at < moves->count; at++) {
		const struct ex_move *move = &moves->list[at];

		snprintf(text, sizeof(text), "%s %s %s %s", states[move->state],
			 event_names[move->event], states[move->next],
			 move->wback ? "WBACK" : event_names[move->sent]);
		for (n = 0; n < count && strcmp(text, expected[n]); n++)
			;
		if (n == count)
			fail_msg("the table has no %s", text);
	}
	assert_int_equal(moves->count, count);
}

static void rcc_has_the_transitions_of_the_figure(void **state)
{
	static struct ex_moves l1_moves, l2_moves;
	const u32 l1_count = sizeof(rcc_l1_moves) / sizeof(rcc_l1_moves[0]);
	const u32 l2_count = sizeof(rcc_l2_moves) / sizeof(rcc_l2_moves[0]);

	(void)state;
	assert_int_equal(l1_count - 2, 33);
	assert_int_equal(l2_count, 14);
	all_moves(&vgpu_coh_rcc, &l1_moves, &l2_moves);
	expect_moves(&l1_moves, vgpu_coh_rcc.l1_states, rcc_l1_moves, l1_count);
	expect_moves(&l2_moves, vgpu_coh_rcc.l2_states, rcc_l2_moves, l2_count);
}

static u32 named(const char *const *states)
{
	u32 count = 0;

	for (u32 n = 0; n < VGPU_COH_STATES; n++)
		count += states[n] && strcmp(states[n], "-");
	return count;
}

/*
 * Table 3.5 where it is printed for a protocol that we have: states, stable ones. The last two are
 * our transitions: TC's tables are not in the thesis, and ours are not its 27 and 23, 42 and 34;
 * neither is MESI, whose states are not the thesis's 16 and 15 either (docs/coherence.md).
 */
static void states_and_transitions_are_counted(void **state)
{
	static const struct {
		const struct vgpu_coh_protocol *protocol;
		u32 l1, l1_stable, l2, l2_stable, l1_moves, l2_moves;
	} expected[] = {
		{ &vgpu_coh_rcc, 5, 2, 4, 2, 35, 14 },
		{ &vgpu_coh_tcs, 5, 2, 8, 4, 26, 25 },
		{ &vgpu_coh_tcw, 5, 2, 8, 4, 32, 31 },
		{ &vgpu_coh_mesi, 6, 4, 8, 3, 34, 33 },
	};
	static struct ex_moves l1_moves, l2_moves;

	(void)state;
	for (u32 n = 0; n < sizeof(expected) / sizeof(expected[0]); n++) {
		const struct vgpu_coh_protocol *protocol = expected[n].protocol;

		assert_int_equal(named(protocol->l1_states), expected[n].l1);
		assert_int_equal(named(protocol->l2_states), expected[n].l2);
		assert_int_equal(protocol->l1_stable, expected[n].l1_stable);
		assert_int_equal(protocol->l2_stable, expected[n].l2_stable);
		all_moves(protocol, &l1_moves, &l2_moves);
		assert_int_equal(l1_moves.count, expected[n].l1_moves);
		assert_int_equal(l2_moves.count, expected[n].l2_moves);
	}
}

/* RCC and TC need two virtual networks, MESI five (table 3.3). */
static void protocols_have_their_networks(void **state)
{
	static const struct { const struct vgpu_coh_protocol *protocol; u32 networks; } all[] = {
		{ &vgpu_coh_rcc, 2 }, { &vgpu_coh_rcc_wo, 2 }, { &vgpu_coh_tcs, 2 },
		{ &vgpu_coh_tcw, 2 }, { &vgpu_coh_mesi, 5 },
	};

	(void)state;
	for (u32 n = 0; n < sizeof(all) / sizeof(all[0]); n++) {
		u32 used = 0;

		for (u32 kind = VGPU_COH_GETS; kind < VGPU_COH_EVENTS; kind++)
			used |= 1u << all[n].protocol->network[kind];
		assert_int_equal(used, (1u << all[n].networks) - 1);
		assert_int_equal(all[n].protocol->networks, all[n].networks);
	}
}

static void names_are_found(void **state)
{
	static const char *const names[] = { "gpu", "gpu-vi", "mesi", "rcc", "rcc-wo", "sc-ideal",
					     "tcs", "tcw" };

	(void)state;
	for (u32 n = 0; n < sizeof(names) / sizeof(names[0]); n++)
		assert_string_equal(vgpu_coh_find(names[n])->name, names[n]);
	assert_null(vgpu_coh_find("luck"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_walkthrough_of_figure_3_3),
		cmocka_unit_test(leases_are_predicted),
		cmocka_unit_test(tc_predicts_leases),
		cmocka_unit_test(tc_leases_have_an_end),
		cmocka_unit_test(only_what_is_there_is_renewed),
		cmocka_unit_test(eviction_keeps_leases_in_mind),
		cmocka_unit_test(rollover_keeps_what_waits),
		cmocka_unit_test(one_of_two_rollovers_wins),
		cmocka_unit_test(rcc_has_the_transitions_of_the_figure),
		cmocka_unit_test(states_and_transitions_are_counted),
		cmocka_unit_test(protocols_have_their_networks),
		cmocka_unit_test(names_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
