/* SPDX-License-Identifier: MIT */
/*
 * Which registers of a kernel a thread may yet read. What nobody reads any more need not be in
 * memory where code ends or is left, so most of what is computed never goes there.
 *
 * A thread executes a path through the code, whatever the lanes beside it do, and its registers are
 * its own: so a register that no path from an instruction reads before it is written for certain is
 * not live there. Registers that instructions read of other threads (shuffles) always are, as those
 * threads may be anywhere.
 *
 * But Q(n) lies where R(n) and R(n + 1) do, and has its lanes elsewhere: what is Q(n) of one lane
 * is R(n) of another. Where a kernel uses both, each is a register of its own here. What lies where
 * R(n) does is dead only if R(n) and Q(n) are, of all lanes, wherever those may be.
 */
#ifndef VGPU_NATIVE_LIVE_H
#define VGPU_NATIVE_LIVE_H

#include <stdbool.h>

#include "sm/operands.h"

#define LIVE_WORDS	(VGPU_OPERAND_PREDICATE / 64)

/** struct live - a bit for each R(n), and two for each Q(n): n and n + 1 */
struct live {
	u64 narrow[LIVE_WORDS];
	u64 wide[LIVE_WORDS];
};

struct live_registers {
	u64 mixed[LIVE_WORDS];	/* n and n + 1: the kernel uses R(n) or R(n + 1), and Q(n) */
	struct live always;	/* what is read of other threads */
	struct live before[];	/* each instruction */
};

/*
 * Of the @count instructions of @code; malloc'ed. NULL: no memory, or the search took too long. All
 * registers count as live then.
 */
struct live_registers *vgpu_live_find(const struct vgpu_insn *code, u32 count);

static inline void vgpu_live_unite(struct live *into, const struct live *from)
{
	for (u32 w = 0; w < LIVE_WORDS; w++) {
		into->narrow[w] |= from->narrow[w];
		into->wide[w] |= from->wide[w];
	}
}

/* Does no lane go on with what stands behind @i? */
static inline bool vgpu_ends_way(const struct vgpu_insn *i)
{
	return (i->op == VGPU_OP_BRA || i->op == VGPU_OP_EXIT || i->op == VGPU_OP_TRAP) &&
	       i->guard == VGPU_PT;
}

/* Both bits of a pair n and n + 1, n even, for each that is in @bits */
static inline u64 vgpu_live_pairs(u64 bits)
{
	u64 even = (bits | bits >> 1) & 0x5555555555555555ull;

	return even | even << 1;
}

/*
 * May something be read of where R(@reg) lies, when lanes are before instruction @index? @some:
 * others may be elsewhere.
 */
static inline bool vgpu_is_live(const struct live_registers *live, u32 index, u32 reg, bool some)
{
	u32 word = reg / 64, bit = reg % 64;

	if (!live || (some && live->mixed[word] >> bit & 1))
		return true;
	return (live->before[index].narrow[word] | live->before[index].wide[word]) >> bit & 1;
}

/* The same where it is known what those others may read: @elsewhere (apart.h) */
static inline bool vgpu_is_live_or(const struct live_registers *live, u32 index, u32 reg,
				   const struct live *elsewhere)
{
	u32 word = reg / 64, bit = reg % 64;

	return (elsewhere->narrow[word] | elsewhere->wide[word]) >> bit & 1 ||
	       vgpu_is_live(live, index, reg, false);
}

#endif
