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
#include "operands.h"
#include "sm.h"
#include "verify.h"

#define MOST_CODE	8192u	/* of longer kernels all is cleared */
#define MOST_PASSES	8u	/* as well where so many find no end */
#define WORDS		VGPU_UNWRITTEN_WORDS

/** struct set - of registers, a bit each */
struct set {
	u64 bits[WORDS];
};

static void add(struct set *set, const u16 *numbers, u32 count)
{
	for (u32 n = 0; n < count; n++)
		if (numbers[n] < VGPU_OPERAND_PREDICATE)
			set->bits[numbers[n] / 64] |= 1ull << numbers[n] % 64;
}

/* @written[n]: what is, on all paths known so far, before instruction n. Returns if it holds. */
static bool pass(const struct vgpu_insn *code, u32 count, struct set *written,
		 struct set *unwritten)
{
	struct set now = written[0];
	bool stable = true;

	for (u32 n = 0; n < count; n++) {
		const struct vgpu_insn *i = &code[n];
		struct set in = {}, out = {};
		struct vgpu_operands operands;

		vgpu_operands_find(i, &operands);
		add(&in, operands.reads, operands.read_count);
		if (i->guard == VGPU_PT)
			add(&out, operands.writes, operands.write_count);
		for (u32 w = 0; w < WORDS; w++) {
			now.bits[w] &= written[n].bits[w];
			unwritten->bits[w] |=
				in.bits[w] & ~(vgpu_reads_others(i->op) ? 0 : now.bits[w]);
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

/* One more than the greatest predicate among @numbers, @most at least. */
static u32 predicates(const u16 *numbers, u32 count, u32 most)
{
	for (u32 n = 0; n < count; n++)
		if (numbers[n] >= VGPU_OPERAND_PREDICATE + most)
			most = numbers[n] - VGPU_OPERAND_PREDICATE + 1;
	return most;
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
	for (u32 n = 0; n < count; n++) {
		struct vgpu_operands o;

		vgpu_operands_find(&code[n], &o);
		kernel->preds = predicates(o.reads, o.read_count, kernel->preds);
		kernel->preds = predicates(o.writes, o.write_count, kernel->preds);
	}
}
