// SPDX-License-Identifier: MIT
/*
 * Operations by a member mask: random programs with branches, loops and exits against lanes that
 * are run one by one and meet where PTX says; what happens when lanes cannot meet; barriers of
 * lanes that have come apart.
 */
#include <stdio.h>
#include <string.h>

#include "lanes_rig.h"
#include "sm/verify.h"
#include "vass_build.h"

#define CODE	32u
#define REGS	4u	/* R0..R3 hold data, R4..R7 the member mask of each lane by partition */
#define MASKS	4u
#define FUEL	3000u

/* ---- the reference: threads --------------------------------------------- */

struct thread {
	u32 pc, regs[REGS + MASKS], preds;
	bool waits, ended;
};

struct reference {
	const struct vgpu_insn *code;
	struct thread lanes[VGPU_LANES];
	bool endless, undefined, stuck;
};

static bool pred_of(const struct thread *t, u32 p)
{
	bool v = (p & 63) == VGPU_PT || t->preds >> (p & 63) & 1;

	return v != (p >> 6 & 1);
}

static bool is_sync(const struct vgpu_insn *i)
{
	return i->op >= VGPU_OP_SHFLSYNC && i->op <= VGPU_OP_BARWARP;
}

static u32 mask_of(const struct thread *t, const struct vgpu_insn *i)
{
	if (i->op == VGPU_OP_SHFLSYNC)
		return VGPU_SHFL_MASK(i->imm) == VGPU_SHFL_FULL ? ~0u :
								  t->regs[VGPU_SHFL_MASK(i->imm)];
	return i->flags & VGPU_F_IMM ? (u32)i->imm : t->regs[i->b];
}

/* Until it ends, or stands at an operation with a mask. */
static void run_thread(struct reference *ref, struct thread *t)
{
	for (u32 fuel = 0; fuel < FUEL; fuel++) {
		const struct vgpu_insn *i = &ref->code[t->pc];
		bool go = pred_of(t, i->guard);

		if (go && is_sync(i)) {
			t->waits = true;
			return;
		}
		t->pc++;
		if (!go)
			continue;
		switch (i->op) {
		case VGPU_OP_EXIT:
			t->ended = true;
			return;
		case VGPU_OP_BRA:
			t->pc = VGPU_BRA_TARGET(i->imm);
			break;
		case VGPU_OP_ADD:
			t->regs[i->dst] = t->regs[i->a] + (u32)i->imm;
			break;
		case VGPU_OP_XOR:
			t->regs[i->dst] = t->regs[i->a] ^ (u32)i->imm;
			break;
		case VGPU_OP_SETPU: {
			bool less = t->regs[i->a] < i->imm, more = t->regs[i->a] > i->imm;

			t->preds &= ~(1u << i->dst);
			t->preds |= (u32)(VGPU_F_CMP(i->flags) == VGPU_CMP_LT ? less : more)
				    << i->dst;
			break;
		}
		default:
			fail();
		}
	}
	ref->endless = true;
}

/* The lanes that lane @l waits for are all there: what it gets. */
static void answer(struct reference *ref, u32 l, u32 group, struct thread *out)
{
	const struct vgpu_insn *i = &ref->code[ref->lanes[l].pc];
	u32 yes = 0, same = 0;

	*out = ref->lanes[l];
	for (u32 j = 0; j < VGPU_LANES; j++) {
		const struct vgpu_insn *other = &ref->code[ref->lanes[j].pc];

		if (!(group >> j & 1))
			continue;
		yes |= (u32)pred_of(&ref->lanes[j], other->a) << j;
		same |= (u32)(ref->lanes[j].regs[other->a % REGS] ==
			      ref->lanes[l].regs[i->a % REGS])
			<< j;
	}
	switch (i->op) {
	case VGPU_OP_SHFLSYNC: {
		u32 from = l ^ (u32)(i->imm & 31);

		if (!(group >> from & 1))
			ref->undefined = true;
		out->regs[i->dst] = ref->lanes[from].regs[ref->code[ref->lanes[from].pc].a % REGS];
		break;
	}
	case VGPU_OP_BALLOTSYNC:
		out->regs[i->dst] = yes;
		break;
	case VGPU_OP_VOTESYNC: {
		u32 how = i->flags & 3u;
		bool v = how == VGPU_VOTE_ALL ? yes == group :
			 how == VGPU_VOTE_ANY ? yes != 0 :
						yes == group || !yes;

		out->preds = (out->preds & ~(1u << i->dst)) | (u32)v << i->dst;
		break;
	}
	case VGPU_OP_MATCHSYNC:
		out->regs[i->dst] =
			(i->flags & 3u) == VGPU_MATCH_ALL ? (same == group ? group : 0) : same;
		break;
	}
	out->pc++;
	out->waits = false;
}

static bool release_one(struct reference *ref, u32 live)
{
	for (u32 l = 0; l < VGPU_LANES; l++) {
		const struct vgpu_insn *i = &ref->code[ref->lanes[l].pc];
		struct thread after[VGPU_LANES];
		u32 group;
		bool here = true;

		if (!ref->lanes[l].waits)
			continue;
		group = mask_of(&ref->lanes[l], i) & live;
		for (u32 j = 0; j < VGPU_LANES; j++) {
			const struct vgpu_insn *other = &ref->code[ref->lanes[j].pc];

			if (group >> j & 1)
				here = here && ref->lanes[j].waits && other->op == i->op &&
				       (other->flags & ~VGPU_F_IMM) == (i->flags & ~VGPU_F_IMM) &&
				       mask_of(&ref->lanes[j], other) == mask_of(&ref->lanes[l], i);
		}
		if (!here)
			continue;
		for (u32 j = 0; j < VGPU_LANES; j++)
			if (group >> j & 1)
				answer(ref, j, group, &after[j]);
		for (u32 j = 0; j < VGPU_LANES; j++)
			if (group >> j & 1)
				ref->lanes[j] = after[j];
		return true;
	}
	return false;
}

static void run_reference(struct reference *ref)
{
	for (u32 rounds = 0; rounds < FUEL; rounds++) {
		u32 live = 0;

		for (u32 l = 0; l < VGPU_LANES; l++) {
			struct thread *t = &ref->lanes[l];

			if (!t->ended && !t->waits)
				run_thread(ref, t);
			live |= (u32)!t->ended << l;
		}
		if (ref->endless || !live)
			return;
		if (!release_one(ref, live)) {
			ref->stuck = true;
			return;
		}
	}
	ref->endless = true;
}

/* ---- programs ----------------------------------------------------------- */

static u32 partition(u32 which, u32 lane)
{
	switch (which) {
	case 0:
		return ~0u;
	case 1:
		return 0xffffu << (lane & 16);
	case 2:
		return 0x55555555u << (lane & 1);
	default:
		return 0xfu << (lane & 28);
	}
}

static void random_sync(struct vgpu_insn *i, u64 r)
{
	u32 mask = REGS + (r >> 50) % MASKS;
	bool full = mask == REGS;

	i->dst = r >> 20 & 3;
	i->a = r >> 22 & 3;
	switch (r >> 24 & 3) {
	case 0:
		i->op = VGPU_OP_SHFLSYNC;
		i->flags = VGPU_F_IMM | VGPU_SHFL_BFLY;
		/*
		 * a lane of the same quarter, or two or sixteen away, where the partition has it;
		 * else undefined
		 */
		i->imm = 1u << (mask == REGS + 3 ? (r >> 30) % 2 :
				mask == REGS + 2 ? 1 + (r >> 30) % 4 :
						   (r >> 30) % 4);
		i->imm |= (u64)VGPU_PT << 32 | (u64)(full && r >> 40 & 1 ? VGPU_SHFL_FULL : mask)
						       << 40;
		i->c = REGS + MASKS;	/* 31 in all lanes */
		return;
	case 1:
		i->op = VGPU_OP_BALLOTSYNC;
		break;
	case 2:
		i->op = VGPU_OP_VOTESYNC;
		i->flags = (u8)((r >> 30) % VGPU_VOTE_COUNT);
		break;
	default:
		i->op = r >> 33 & 1 ? VGPU_OP_BARWARP : VGPU_OP_MATCHSYNC;
		i->flags = i->op == VGPU_OP_BARWARP ? 0 : r >> 34 & 1;
		if (i->op == VGPU_OP_BARWARP)
			i->dst = i->a = 0;
	}
	if (full && r >> 40 & 1) {
		i->flags |= VGPU_F_IMM;
		i->imm = ~0u;
	} else {
		i->b = (u8)mask;
	}
}

static void random_program(struct vgpu_insn *code, u64 *seed)
{
	const struct vgpu_vass_kernel kernel = { .regs = REGS + MASKS + 1, .code_count = CODE };

	for (u32 n = 0; n < CODE; n++) {
		u64 r = rig_random(seed);
		struct vgpu_insn *i = &code[n];

		memset(i, 0, sizeof(*i));
		i->guard = r >> 61 ? VGPU_PT : (u8)(r & 0x43);
		if (n == CODE - 1) {
			*i = (struct vgpu_insn){ .op = VGPU_OP_EXIT, .guard = VGPU_PT };
		} else if (n % 4 == 0) {
			i->op = VGPU_OP_SETPU;
			i->flags = VGPU_F_IMM | (u8)(r >> 8 & 1 ? VGPU_CMP_LT : VGPU_CMP_GT);
			i->dst = r >> 16 & 3;
			i->a = r >> 18 & 3;
			i->imm = r >> 24 & 31;
		} else if (n % 4 == 1) {
			i->op = r >> 8 & 1 ? VGPU_OP_ADD : VGPU_OP_XOR;
			i->flags = VGPU_F_IMM;
			i->dst = r >> 16 & 3;
			i->a = r >> 18 & 3;
			i->imm = r >> 24 & 31;
		} else if (n % 4 == 2 && r >> 8 & 15) {
			i->op = VGPU_OP_BRA;
			i->guard = r & 0x43;
			/* mostly forward, so that most programs end */
			i->imm =
				r >> 12 & 3 ? n + 1 + (r >> 16) % (CODE - 1 - n) : (r >> 16) % CODE;
			i->imm |= (r >> 32 & 3 ? n + 1 + (r >> 40) % (CODE - 1 - n) :
				   r >> 34 & 1 ? (r >> 40) % CODE : VGPU_NO_RECONV) << 32;
		} else if (n % 4 == 2) {
			i->op = VGPU_OP_EXIT;
		} else {
			random_sync(i, r);
		}
		assert_null(vgpu_verify_insn(i, &kernel));
	}
}

/*
 * Every lane computes what threads compute that run by themselves, whatever the reconvergence
 * points say.
 */
static void test_random_programs(void **state)
{
	struct rig *rig = rig_new(1);
	u32 ended = 0, stuck = 0, waited = 0, loose = 0;
	u64 seed = 2026;

	(void)state;
	for (u32 round = 0; round < 3000; round++) {
		int build = (int)(round % (u32)rig_builds());
		enum vgpu_lanes_end end = VGPU_LANES_BUDGET;
		struct reference ref = { .code = rig->code };
		bool once = false;

		memset(rig->regs, 0, sizeof(rig->regs));
		random_program(rig->code, &seed);
		rig_reset(rig, ~0u);
		for (u32 l = 0; l < VGPU_LANES; l++) {
			ref.lanes[l].regs[0] = rig_r(rig, 0)[l] = l;
			ref.lanes[l].regs[1] = rig_r(rig, 1)[l] = (round * 7 + l % 5) & 31;
			for (u32 n = 0; n < MASKS; n++)
				ref.lanes[l].regs[REGS + n] = rig_r(rig, REGS + n)[l] =
					partition(n, l);
			rig_r(rig, REGS + MASKS)[l] = 31;
		}
		run_reference(&ref);
		if (ref.endless || ref.undefined)
			continue;
		for (u32 fuel = 0; end == VGPU_LANES_BUDGET && fuel < 200000; fuel++) {
			end = rig_run(rig, build, round % 3 ? 1000 : 1);
			once |= rig->warp.waiting != 0;
			assert_true(rig->warp.depth < VGPU_RECONV_DEPTH);
		}
		waited += once;
		loose += rig->warp.loose;
		if (ref.stuck) {
			stuck++;
			assert_int_equal(end, VGPU_LANES_FAULT);
			assert_int_equal(rig->lanes.reason, VGPU_FAULT_WARP_SYNC);
			continue;
		}
		ended++;
		assert_int_equal(end, VGPU_LANES_EXIT);
		for (u32 l = 0; l < VGPU_LANES; l++)
			for (u32 n = 0; n < REGS; n++)
				assert_int_equal(rig_r(rig, n)[l], ref.lanes[l].regs[n]);
	}
	/* the programs are of the kind that was meant */
	assert_true(ended > 1800 && stuck > 250 && waited > 300 && loose > 90);
	rig_free(rig);
}

/* ---- by hand ------------------------------------------------------------ */

static u32 branch(struct vass *v, u32 pred)
{
	u32 at = OP(v, BRA, 0, 0, 0, 0, 0, 0);

	vass_guard(v, pred);
	return at;
}

/* Half of the warp shuffles, the other votes, by a mask of all: nobody can come. */
static void test_stuck(void **state)
{
	struct vass v;
	u32 outer, skip;

	(void)state;
	vass_init(&v, 8, 0);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_GE | VGPU_F_IMM, 0, 0, 0, 0, 16);
	outer = branch(&v, 0);
	vass_op(&v, VGPU_OP_SHFLSYNC, VGPU_SHFL_IDX | VGPU_F_IMM, 1, 0, 0, 2,
		(u64)VGPU_PT << 32 | (u64)VGPU_SHFL_FULL << 40);
	skip = branch(&v, VGPU_PT);
	vass_target(&v, outer, v.count, v.count + 1);
	vass_op(&v, VGPU_OP_BALLOTSYNC, VGPU_F_IMM, 1, VGPU_PT, 0, 0, ~0u);
	vass_target(&v, skip, v.count, VGPU_NO_RECONV);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_new(1);

		memcpy(rig->code, v.code, v.count * sizeof(v.code[0]));
		for (u32 l = 0; l < VGPU_LANES; l++)
			rig_r(rig, 0)[l] = l;
		assert_int_equal(rig_run(rig, build, 1000), VGPU_LANES_FAULT);
		assert_int_equal(rig->lanes.reason, VGPU_FAULT_WARP_SYNC);
		/* the side that jumped waits above the other one */
		assert_int_equal(rig->warp.pc, outer + 3);
		assert_int_equal(rig->lanes.lane, 16);
		assert_int_equal(rig->lanes.address, 0x0000ffff);
		rig_free(rig);
	}
}

/*
 * Lanes leave a loop with a vote in it one after the other; those that have left vote behind it, so
 * reconvergence behind the loop has to give way. The barrier that follows is still one of the whole
 * warp.
 */
static void test_barrier_of_loose_lanes(void **state)
{
	struct vass v;
	u32 loop, top;

	(void)state;
	vass_init(&v, 8, 0);
	top = v.count;
	vass_op(&v, VGPU_OP_BALLOTSYNC, VGPU_F_IMM, 2, VGPU_PT, 0, 0, ~0u);
	OPI(&v, ADD, 1, 1, 1);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_LE, 0, 1, 0, 0, 0);
	loop = branch(&v, 0);
	vass_target(&v, loop, top, v.count);
	top = v.count;
	vass_op(&v, VGPU_OP_BALLOTSYNC, VGPU_F_IMM, 3, VGPU_PT, 0, 0, ~0u);
	OPI(&v, ADD, 1, 1, 1);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, 1, 0, 0, 40);
	loop = branch(&v, 0);
	vass_target(&v, loop, top, v.count);
	OP(&v, BAR, 0, 0, 0, 0, 0, 0);
	OP(&v, ACTIVE, 0, 4, 0, 0, 0, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_new(1);

		memcpy(rig->code, v.code, v.count * sizeof(v.code[0]));
		memset(rig->regs, 0, sizeof(rig->regs));
		for (u32 l = 0; l < VGPU_LANES; l++)
			rig_r(rig, 0)[l] = l;
		assert_int_equal(rig_run(rig, build, 100000), VGPU_LANES_BARRIER);
		assert_int_equal(rig->warp.bar_mask, ~0u);
		assert_true(rig->warp.loose);
		assert_int_equal(rig_run(rig, build, 100000), VGPU_LANES_EXIT);
		for (u32 l = 0; l < VGPU_LANES; l++) {
			assert_int_equal(rig_r(rig, 1)[l], 40);
			assert_int_equal(rig_r(rig, 2)[l], ~0u);
			assert_int_equal(rig_r(rig, 3)[l], ~0u);
		}
		rig_free(rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_programs),
		cmocka_unit_test(test_stuck),
		cmocka_unit_test(test_barrier_of_loose_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
