// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Which registers of a kernel a thread may read before it has written them: those must be zero when
 * a block begins, and of the others nobody can know. Compilers make hardly any, so a block of few
 * instructions need not wait for the clearing of its registers. Of the predicates, those that the
 * kernel names.
 *
 * A thread executes a path through the code, whatever the lanes beside it do. So a register is
 * written for certain at an instruction if it has been on every path there, by instructions without
 * a guard. What reads registers of other threads (shuffles) reads what may be unwritten there.
 */
#include "sm.h"
#include "verify.h"

#define MOST_CODE	8192u	/* of longer kernels all is cleared */
#define MOST_PASSES	8u	/* as well where so many find no end */
#define WORDS		VGPU_UNWRITTEN_WORDS

enum kind { KIND_N, KIND_R, KIND_Q, KIND_P, KIND_RI, KIND_QI, KIND_V, KIND_W, KIND_A };
enum class {
	CLASS_NONE,
	CLASS_SREG,
	CLASS_LUT,
	CLASS_FP,
	CLASS_CV,
	CLASS_CMP,
	CLASS_MEM,
	CLASS_ATOM,
	CLASS_FENCE,
	CLASS_SHFL,
	CLASS_VOTE,
	CLASS_MATCH,
	CLASS_BAR,
	CLASS_BARR,
	CLASS_BRA,
};

static const struct row {
	u8 class;
	u8 dst, a, b, c;
} rows[VGPU_OP_COUNT] = {
#define ROW(name, class, dst, a, b, c)	\
	{ CLASS_##class, KIND_##dst, KIND_##a, KIND_##b, KIND_##c },
	VGPU_ISA(ROW)
#undef ROW
};

/** struct set - of registers, a bit each */
struct set {
	u64 bits[WORDS];
};

static void add(struct set *set, u32 n, u32 count)
{
	for (u32 end = n + count; n < end && n < 64 * WORDS; n++)
		set->bits[n / 64] |= 1ull << n % 64;
}

static void add_operand(struct set *set, const struct vgpu_insn *i, enum kind kind, u32 n)
{
	bool narrow = i->op == VGPU_OP_LDS || i->op == VGPU_OP_STS || i->op == VGPU_OP_LDL ||
		      i->op == VGPU_OP_STL || i->op == VGPU_OP_ATOMS || i->op == VGPU_OP_ATOMSQ;

	switch (kind) {
	case KIND_N:
	case KIND_P:
		return;
	case KIND_R:
	case KIND_RI:
		add(set, n, 1);
		return;
	case KIND_Q:
	case KIND_QI:
		add(set, n, 2);
		return;
	case KIND_V:
	case KIND_W:
		add(set, n, VGPU_F_COUNT(i->flags) * (VGPU_F_SIZE(i->flags) == 8 ? 2 : 1));
		return;
	case KIND_A:
		add(set, n, narrow ? 1 : 2);
		return;
	}
}

static struct set reads(const struct vgpu_insn *i)
{
	const struct row *row = &rows[i->op];
	bool immediate = i->flags & VGPU_F_IMM && (row->b == KIND_RI || row->b == KIND_QI);
	struct set set = {};

	/* an absolute address has 0 in the place of its register, which does no harm */
	add_operand(&set, i, row->a, i->a);
	add_operand(&set, i, immediate ? KIND_N : row->b, i->b);
	add_operand(&set, i, row->c, i->c);
	if (i->op == VGPU_OP_SHFLSYNC && VGPU_SHFL_MASK(i->imm) != VGPU_SHFL_FULL)
		add(&set, VGPU_SHFL_MASK(i->imm), 1);
	return set;
}

static bool of_others(const struct vgpu_insn *i)
{
	u32 class = rows[i->op].class;

	return class == CLASS_SHFL || class == CLASS_MATCH || class == CLASS_VOTE;
}

/* What is written by each thread that executes it, as far as that is simple to say */
static struct set writes(const struct vgpu_insn *i)
{
	const struct row *row = &rows[i->op];
	struct set set = {};

	if (i->guard == VGPU_PT && row->class <= CLASS_MEM)
		add_operand(&set, i, row->dst, i->dst);
	return set;
}

/* @written[n]: what is, on all paths known so far, before instruction n. Returns if it holds. */
static bool pass(const struct vgpu_insn *code, u32 count, struct set *written,
		 struct set *unwritten)
{
	struct set now = written[0];
	bool stable = true;

	for (u32 n = 0; n < count; n++) {
		const struct vgpu_insn *i = &code[n];
		struct set in = reads(i), out = writes(i);

		for (u32 w = 0; w < WORDS; w++) {
			now.bits[w] &= written[n].bits[w];
			unwritten->bits[w] |= in.bits[w] & ~(of_others(i) ? 0 : now.bits[w]);
			now.bits[w] |= out.bits[w];
		}
		if (i->op == VGPU_OP_BRA) {
			u32 target = VGPU_BRA_TARGET(i->imm);

			for (u32 w = 0; w < WORDS; w++) {
				u64 more = written[target].bits[w] & ~now.bits[w];

				written[target].bits[w] &= ~more;
				stable &= !more || target > n;
			}
		}
		if ((i->op == VGPU_OP_BRA || i->op == VGPU_OP_EXIT || i->op == VGPU_OP_TRAP) &&
		    i->guard == VGPU_PT)
			memset(&now, 0xff, sizeof(now));	/* nothing goes on from here */
	}
	return stable;
}

/* The predicate in a field that has one; PT is no predicate that is written. */
static u32 number(bool is_predicate, u32 field)
{
	u32 n = field & (VGPU_PREDS - 1);

	return is_predicate && n != VGPU_PT ? n + 1 : 0;
}

static u32 greatest(u32 a, u32 b)
{
	return a > b ? a : b;
}

static u32 predicates(const struct vgpu_insn *i)
{
	const struct row *row = &rows[i->op];
	u32 most = number(true, i->guard);

	most = greatest(most, number(row->dst == KIND_P, i->dst));
	most = greatest(most, number(row->a == KIND_P, i->a));
	most = greatest(most, number(row->b == KIND_P, i->b));
	most = greatest(most, number(row->c == KIND_P, i->c));
	return greatest(most, number(row->class == CLASS_SHFL, VGPU_SHFL_PRED(i->imm)));
}

void vgpu_find_unwritten(struct vgpu_kernel *kernel)
{
	const struct vgpu_insn *code = kernel->code;
	u32 count = kernel->vass.code_count;
	struct set *written = NULL, found = {};
	bool stable = false;

	if (count <= MOST_CODE)
		written = vgpu_mem_alloc_device(count * sizeof(*written));
	if (written) {
		memset(written, 0xff, count * sizeof(*written));
		memset(&written[0], 0, sizeof(written[0]));
	}
	for (u32 n = 0; n < MOST_PASSES && written && !stable; n++) {
		vgpu_resched();
		stable = pass(code, count, written, &found);
	}
	if (!stable)
		memset(&found, 0xff, sizeof(found));
	vgpu_mem_free_device(written);
	memcpy(kernel->unwritten, found.bits, sizeof(found.bits));
	for (u32 n = 0; n < count; n++)
		kernel->preds = greatest(kernel->preds, predicates(&code[n]));
}
