// SPDX-License-Identifier: MIT
/*
 * Lowering of mbarrier: barriers that are words of 64 bits in shared memory (PTX ISA, "Parallel
 * Synchronization and Communication: mbarrier"). PTX leaves open what is in the word. Here, from
 * bit 0 on:
 *
 *	3 bits	the phase, whose lowest bit is its parity
 *	20	arrivals that this phase waits for yet
 *	20	arrivals that the next one begins with
 *	21	bytes, or what else transactions count, that are expected and have not come; signed
 *
 * All that happens to it is an addition, so the device's atomic does it, and no lane goes around
 * for another. No field carries into the next: arrivals are counted down to 0, and the last field
 * is on top. The addition that leaves no arrivals and no bytes has ended the phase, and there is
 * only one: it is followed by a second, of the same lane, for the next phase. Between the two
 * nobody may arrive who is not told yet that the phase has ended.
 *
 * A state is the word before an arrival. A wait compares phases, and does not wait: try_wait may
 * give up whenever it likes, so it is test_wait. The loop around it is the program's, in which
 * other warps, and other lanes of the warp, have their turns (docs/isa.md).
 */
#include "lower.h"

#define PHASE_BITS	3u
#define COUNT_BITS	20u
#define PENDING_AT	PHASE_BITS
#define NEXT_AT		(PENDING_AT + COUNT_BITS)
#define TX_AT		(NEXT_AT + COUNT_BITS)

#define COUNT_MOST	((1u << COUNT_BITS) - 1)
#define PHASES		((1ull << PHASE_BITS) - 1)
#define PENDING		((uint64_t)COUNT_MOST << PENDING_AT)
#define TX		(~0ull << TX_AT)

/* ---- the word ------------------------------------------------------------ */

static struct cc_address barrier_at(struct cc_lower *l, unsigned int index)
{
	enum ptx_space space = cc_space_of(l);

	if (space != PTX_SHARED && space != PTX_GENERIC)
		cc_refuse(l, "an mbarrier is in shared memory");
	return cc_address_operand(l, cc_operand(l, index), space);
}

/* Adds @delta to the word; what it was before. */
static uint32_t add(struct cc_lower *l, const struct cc_address *at, uint32_t delta)
{
	uint32_t old = cc_temp(l, CC_Q);

	cc_atom_add64(l, at, delta, old);
	return old;
}

static uint32_t masked(struct cc_lower *l, uint32_t value, uint64_t mask)
{
	uint32_t out = cc_temp(l, CC_Q);

	cc_opi(l, VGPU_OP_ANDQ, 0, out, value, mask, CC_NONE);
	return out;
}

static uint32_t shifted(struct cc_lower *l, unsigned int op, uint32_t value, unsigned int bits)
{
	uint32_t out = cc_temp(l, CC_Q);

	cc_opi(l, op, 0, out, value, bits, CC_NONE);
	return out;
}

static uint32_t sum(struct cc_lower *l, unsigned int op, uint32_t a, uint32_t b)
{
	uint32_t out = cc_temp(l, CC_Q);

	cc_op(l, op, 0, out, a, b, CC_NONE);
	return out;
}

/* The predicate, or that of the guard, is both. */
static uint32_t guarded(struct cc_lower *l, uint32_t pred)
{
	uint32_t both = cc_temp(l, CC_P);

	if (l->guard == CC_PT)
		return pred;
	cc_op(l, VGPU_OP_PAND, 0, both, pred, l->guard | (l->guard_not ? CC_NOT : 0), CC_NONE);
	return both;
}

/* Where the word after an addition says that the phase has ended: the next begins. */
static void next_phase(struct cc_lower *l, const struct cc_address *at, uint32_t word)
{
	uint32_t ended = cc_temp(l, CC_P), last = cc_temp(l, CC_P), step = cc_temp(l, CC_Q);
	uint32_t arrivals, none = CC_NONE, guard = l->guard;
	bool guard_not = l->guard_not;

	cc_opi(l, VGPU_OP_SETPUQ, VGPU_CMP_EQ, ended, masked(l, word, PENDING | TX), 0, none);
	cc_opi(l, VGPU_OP_SETPUQ, VGPU_CMP_EQ, last, masked(l, word, PHASES), PHASES, none);
	cc_opi(l, VGPU_OP_SELQ, 0, step, cc_const(l, CC_Q, -PHASES), 1, last);
	arrivals = masked(l, shifted(l, VGPU_OP_SHRUQ, word, COUNT_BITS), PENDING);
	step = sum(l, VGPU_OP_ADDQ, arrivals, step);
	l->guard = guarded(l, ended);
	l->guard_not = false;
	cc_atom_add64(l, at, step, CC_NONE);
	l->guard = guard;
	l->guard_not = guard_not;
}

/* Operand @index as a count at @bit; none is written: 1. */
static uint32_t count_at(struct cc_lower *l, unsigned int index, unsigned int bit)
{
	struct cc_value count = { .reg = CC_NONE, .imm = 1 };
	uint32_t wide;

	if (index < l->in->count)
		count = cc_src(l, index, PTX_B32);
	if (count.reg == CC_NONE) {
		if (bit != TX_AT && (!count.imm || count.imm > COUNT_MOST))
			cc_refuse(l, "a count is from 1 to %u", COUNT_MOST);
		return cc_const(l, CC_Q, count.imm << bit);
	}
	wide = cc_temp(l, CC_Q);
	cc_op(l, VGPU_OP_ZXQ, 0, wide, count.reg, CC_NONE, CC_NONE);
	return shifted(l, VGPU_OP_SHLQ, wide, bit);
}

static uint32_t negative(struct cc_lower *l, uint32_t value)
{
	uint32_t out = cc_temp(l, CC_Q);

	cc_op(l, VGPU_OP_NEGQ, 0, out, value, CC_NONE, CC_NONE);
	return out;
}

/* ---- instructions -------------------------------------------------------- */

static void operands(struct cc_lower *l, unsigned int least, unsigned int most)
{
	if (l->in->count < least || l->in->count > most)
		cc_refuse(l, "%u operands where %u are wanted", l->in->count,
			  l->in->count < least ? least : most);
}

static void store_word(struct cc_lower *l, uint32_t word)
{
	struct cc_address at = barrier_at(l, 0);

	l->mem = 0;
	cc_access_memory(l, &at, true, 8, false, 1, &word);
}

/* [address], count */
static void init(struct cc_lower *l)
{
	uint32_t count;

	operands(l, 2, 2);
	count = count_at(l, 1, PENDING_AT);
	store_word(l, sum(l, VGPU_OP_ORQ, count,
			  shifted(l, VGPU_OP_SHLQ, count, COUNT_BITS)));
}

/* state, [address], count */
static void arrive(struct cc_lower *l)
{
	bool drop = ptx_has(l->in, PTX_M_ARRIVEDROP), expect = ptx_has(l->in, PTX_M_EXPECTTX);
	bool part = ptx_has(l->in, PTX_M_NOCOMPLETE);
	uint32_t delta, dst = CC_NONE, old;
	struct cc_address at;

	operands(l, expect || part ? 3 : 2, 3);
	if (expect && part)
		cc_refuse(l, ".expect_tx and .noComplete do not go together");
	dst = cc_dst(l, 0, PTX_B64);
	at = barrier_at(l, 1);
	/* of bytes what is expected, and one arrival */
	delta = expect ? cc_const(l, CC_Q, 1ull << PENDING_AT) : count_at(l, 2, PENDING_AT);
	if (drop)
		delta = sum(l, VGPU_OP_ADDQ, delta, shifted(l, VGPU_OP_SHLQ, delta, COUNT_BITS));
	delta = expect ? sum(l, VGPU_OP_SUBQ, count_at(l, 2, TX_AT), delta) : negative(l, delta);
	cc_acquire_release(l, true);
	old = add(l, &at, delta);
	if (!part)
		next_phase(l, &at, sum(l, VGPU_OP_ADDQ, old, delta));
	cc_op(l, VGPU_OP_MOVQ, 0, dst, CC_NONE, old, CC_NONE);
}

/* [address], count: so many bytes more are expected, or have come */
static void transaction(struct cc_lower *l, bool complete)
{
	struct cc_address at = barrier_at(l, 0);
	uint32_t delta, old;

	operands(l, 2, 2);
	delta = count_at(l, 1, TX_AT);
	if (complete)
		delta = negative(l, delta);
	old = add(l, &at, delta);
	next_phase(l, &at, sum(l, VGPU_OP_ADDQ, old, delta));
}

/* done, [address], state or parity; of try_wait a time, too */
static void wait(struct cc_lower *l)
{
	bool parity = ptx_has(l->in, PTX_M_PARITY);
	uint32_t mask = parity ? 1 : (uint32_t)PHASES, word = cc_temp(l, CC_Q), now, then;
	uint32_t done = cc_dst_pred(l, cc_operand(l, 0));
	struct cc_address at = barrier_at(l, 1);

	operands(l, 3, ptx_has(l->in, PTX_M_TRYWAIT) ? 4 : 3);
	then = cc_src_reg(l, 2, parity ? PTX_B32 : PTX_B64);
	if (!parity) {
		uint32_t low = cc_temp(l, CC_R);

		cc_op(l, VGPU_OP_UNLO, 0, low, then, CC_NONE, CC_NONE);
		then = low;
	}
	if (l->in->count == 4)
		cc_src(l, 3, PTX_B32);
	cc_access_memory(l, &at, false, 8, false, 1, &word);
	cc_acquire_release(l, false);
	now = cc_temp(l, CC_R);
	cc_op(l, VGPU_OP_UNLO, 0, now, word, CC_NONE, CC_NONE);
	now = cc_matrix_field(l, now, 0, mask, 0);
	then = cc_matrix_field(l, then, 0, mask, 0);
	cc_op(l, VGPU_OP_SETPU, VGPU_CMP_NE, done, now, then, CC_NONE);
}

/* count, state */
static void pending_count(struct cc_lower *l)
{
	uint32_t dst, low = cc_temp(l, CC_R), state;

	operands(l, 2, 2);
	dst = cc_dst(l, 0, PTX_B32);
	state = cc_src_reg(l, 1, PTX_B64);
	cc_op(l, VGPU_OP_UNLO, 0, low, state, CC_NONE, CC_NONE);
	cc_op(l, VGPU_OP_MOV, 0, dst, CC_NONE,
	      cc_matrix_field(l, low, PENDING_AT, COUNT_MOST, 0), CC_NONE);
}

void cc_lower_mbarrier(struct cc_lower *l)
{
	unsigned int what = ptx_mod_of(l->in, PTX_K_MBARRIER);

	if (cc_type(l, 0) != PTX_B64)
		cc_refuse(l, "an mbarrier has type .b64");
	l->mem = cc_mbarrier_bits(l);
	switch (what) {
	case PTX_M_INIT:
		init(l);
		return;
	case PTX_M_INVAL:
		operands(l, 1, 1);
		store_word(l, cc_const(l, CC_Q, 0));
		return;
	case PTX_M_ARRIVE:
	case PTX_M_ARRIVEDROP:
		arrive(l);
		return;
	case PTX_M_EXPECTTX:
	case PTX_M_COMPLETETX:
		transaction(l, what == PTX_M_COMPLETETX);
		return;
	case PTX_M_TESTWAIT:
	case PTX_M_TRYWAIT:
		wait(l);
		return;
	case PTX_M_PENDINGCOUNT:
		pending_count(l);
		return;
	default:
		cc_refuse(l, "what it does is missing: .init, .arrive, .test_wait and so on");
	}
}

/*
 * cp.async.mbarrier.arrive: what the thread has copied is there when cp.async has ended. So with
 * .noinc it arrives at once; without, that would be one arrival more, and one that has come.
 */
void cc_lower_mbarrier_copy(struct cc_lower *l)
{
	struct cc_address at = barrier_at(l, 0);
	uint32_t delta;

	operands(l, 1, 1);
	if (!l->in->type_count || cc_type(l, 0) != PTX_B64 || !ptx_has(l->in, PTX_M_ARRIVE))
		cc_refuse(l, "cp.async.mbarrier.arrive.b64 is wanted");
	l->mem = (uint8_t)VGPU_MEM(VGPU_ORDER_RELEASE, VGPU_SCOPE_CTA, 0);
	cc_acquire_release(l, true);
	if (!ptx_has(l->in, PTX_M_NOINC))
		return;
	delta = cc_const(l, CC_Q, -(1ull << PENDING_AT));
	next_phase(l, &at, sum(l, VGPU_OP_ADDQ, add(l, &at, delta), delta));
}
