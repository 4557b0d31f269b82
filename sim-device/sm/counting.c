// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What is counted for a launch (vgpu_counters.h) on an SM: its instructions by class, what its
 * accesses to memory touch, and how long its warps are there. With timing=interval the interpreter
 * calls this before it executes an instruction, and takes it back if that has to be restarted; with
 * timing=pipeline it is called at the stages where the same is known.
 *
 * What an access touches follows from the addresses of its lanes alone, so it is the same with both
 * timings. Shared memory has banks of 4 bytes. Lanes with 8 bytes use them a half of a warp at a
 * time, lanes with 16 a quarter; words in one bank follow each other.
 */
#include "warps.h"

/* ---- classes ------------------------------------------------------------ */

static enum vgpu_counter class_of_memory(u32 op)
{
	switch (op) {
	case VGPU_OP_LD:
		return VGPU_COUNT_INST_GENERIC_LOAD;
	case VGPU_OP_LDG:
		return VGPU_COUNT_INST_GLOBAL_LOAD;
	case VGPU_OP_LDS:
		return VGPU_COUNT_INST_SHARED_LOAD;
	case VGPU_OP_LDL:
		return VGPU_COUNT_INST_LOCAL_LOAD;
	case VGPU_OP_LDP:
		return VGPU_COUNT_INST_MOVE;
	case VGPU_OP_ST:
		return VGPU_COUNT_INST_GENERIC_STORE;
	case VGPU_OP_STG:
		return VGPU_COUNT_INST_GLOBAL_STORE;
	case VGPU_OP_STS:
		return VGPU_COUNT_INST_SHARED_STORE;
	case VGPU_OP_STL:
		return VGPU_COUNT_INST_LOCAL_STORE;
	case VGPU_OP_ATOM:
	case VGPU_OP_ATOMQ:
		return VGPU_COUNT_INST_GENERIC_ATOMIC;
	case VGPU_OP_ATOMG:
	case VGPU_OP_ATOMGQ:
		return VGPU_COUNT_INST_GLOBAL_ATOMIC;
	case VGPU_OP_ATOMS:
	case VGPU_OP_ATOMSQ:
		return VGPU_COUNT_INST_SHARED_ATOMIC;
	default:
		return VGPU_COUNT_INST_SYNC;	/* MEMBAR */
	}
}

static enum vgpu_counter class_of_float(u32 op)
{
	if ((op >= VGPU_OP_FRCP && op <= VGPU_OP_FTANH) || op == VGPU_OP_DRCP ||
	    op == VGPU_OP_DRSQ)
		return VGPU_COUNT_INST_SPECIAL;
	if (op >= VGPU_OP_F2I)
		return VGPU_COUNT_INST_CONVERT;
	return op < VGPU_OP_DADD ? VGPU_COUNT_INST_FP32 : VGPU_COUNT_INST_FP64;
}

enum vgpu_counter vgpu_count_class(u32 op)
{
	switch (op) {
	case VGPU_OP_BAR:
	case VGPU_OP_BARRED:
	case VGPU_OP_BARWARP:
		return VGPU_COUNT_INST_SYNC;
	case VGPU_OP_BRA:
	case VGPU_OP_EXIT:
	case VGPU_OP_TRAP:
		return VGPU_COUNT_INST_CONTROL;
	case VGPU_OP_SETPF:
		return VGPU_COUNT_INST_FP32;
	case VGPU_OP_SETPD:
		return VGPU_COUNT_INST_FP64;
	}
	if (op < VGPU_OP_ADD || (op >= VGPU_OP_PMOV && op <= VGPU_OP_P2R))
		return VGPU_COUNT_INST_MOVE;
	if (op >= VGPU_OP_LD && op <= VGPU_OP_MEMBAR)
		return class_of_memory(op);
	if (op >= VGPU_OP_FADD && op <= VGPU_OP_F2H)
		return class_of_float(op);
	if (op >= VGPU_OP_SHFL)
		return VGPU_COUNT_INST_WARP;
	return VGPU_COUNT_INST_INTEGER;
}

/* ---- accesses to memory ------------------------------------------------- */

static bool is_atomic(u32 op)
{
	return op >= VGPU_OP_ATOM && op <= VGPU_OP_ATOMSQ;
}

static u32 bytes_of(const struct vgpu_insn *i)
{
	if (is_atomic(i->op))
		return i->op < VGPU_OP_ATOMQ ? 4 : VGPU_F_ATOM_128(i->flags) ? 16 : 8;
	return VGPU_F_SIZE(i->flags) * VGPU_F_COUNT(i->flags);
}

/*
 * Different values of @address >> @shift among the @count, each with @bytes behind it. An access is
 * aligned to its size, so it is in one unit of 32 bytes and more.
 */
static u32 different(const u64 *address, u32 count, u32 shift)
{
	u32 found = 0;

	for (u32 n = 0; n < count; n++) {
		u32 before = n;

		while (before && address[before - 1] >> shift != address[n] >> shift)
			before--;
		found += !before;
	}
	return found;
}

static void count_global(struct vgpu_counters *counters, const u32 *regs, const struct vgpu_insn *i,
			 u32 m, u64 by)
{
	const u64 *a = (const u64 *)&regs[i->a * VGPU_LANES];
	enum vgpu_counter sectors = is_atomic(i->op)	  ? VGPU_COUNT_SECTORS_ATOMIC :
				    i->op >= VGPU_OP_ST ? VGPU_COUNT_SECTORS_STORE :
							  VGPU_COUNT_SECTORS_LOAD;
	u64 address[VGPU_LANES];
	u32 count = 0;

	for (; m; m &= m - 1) {
		address[count] = (i->flags & VGPU_F_ABS ? 0 : a[__builtin_ctz(m)]) + i->imm;
		/* others are in shared or local memory */
		count += address[count] < VGPU_ADDRESS_LIMIT;
	}
	counters->value[sectors] += by * different(address, count, 5);
	counters->value[VGPU_COUNT_TLB_LOOKUPS] += by * different(address, count, VGPU_PAGE_SHIFT);
}

/* Words of @count lanes that are in the bank that has most of them; each lane has @words. */
static u32 wavefronts_of(const u32 *word, u32 count, u32 words, u32 banks)
{
	u32 most = 0;

	for (u32 n = 0; n < count * words; n++) {
		u32 at = word[n / words] + n % words, same = 1;
		bool again = false;

		/* those before it, in its bank */
		for (u32 k = 0; k < n && !again; k++) {
			u32 other = word[k / words] + k % words, again_in = k;

			again = other == at;
			if (again || other % banks != at % banks)
				continue;
			/* each word counts once */
			while (again_in && word[(again_in - 1) / words] +
						   (again_in - 1) % words != other)
				again_in--;
			same += !again_in;
		}
		if (!again && same > most)
			most = same;
	}
	return most;
}

static void count_shared(struct vgpu_counters *counters, u32 banks, const u32 *regs,
			 const struct vgpu_insn *i, u32 m, u64 by)
{
	const u32 *a = &regs[i->a * VGPU_LANES];
	u32 bytes = bytes_of(i), words = bytes > 4 ? bytes / 4 : 1, lanes = VGPU_LANES / words;
	u32 wavefronts = 0, groups = 0;

	for (u32 first = 0; first < VGPU_LANES; first += lanes) {
		u32 word[VGPU_LANES], count = 0;

		for (u32 l = first; l < first + lanes; l++)
			if (m >> l & 1)
				word[count++] =
					((i->flags & VGPU_F_ABS ? 0 : a[l]) + (u32)i->imm) / 4;
		groups += !!count;
		wavefronts += wavefronts_of(word, count, words, banks);
	}
	counters->value[VGPU_COUNT_SHARED_WAVEFRONTS] += by * wavefronts;
	counters->value[VGPU_COUNT_BANK_CONFLICTS] += by * (wavefronts - groups);
}

void vgpu_count_access(struct vgpu_counters *counters, u32 banks, const u32 *regs,
		       const struct vgpu_insn *i, u32 m, u64 by)
{
	if (!m)
		return;
	switch (i->op) {
	case VGPU_OP_LD:
	case VGPU_OP_LDG:
	case VGPU_OP_ST:
	case VGPU_OP_STG:
	case VGPU_OP_ATOM:
	case VGPU_OP_ATOMG:
	case VGPU_OP_ATOMQ:
	case VGPU_OP_ATOMGQ:
		count_global(counters, regs, i, m, by);
		break;
	case VGPU_OP_LDS:
	case VGPU_OP_STS:
	case VGPU_OP_ATOMS:
	case VGPU_OP_ATOMSQ:
		count_shared(counters, banks, regs, i, m, by);
		break;
	}
}

/* ---- instructions ------------------------------------------------------- */

static void count(const struct vgpu_lanes *lanes, const struct vgpu_insn *i, u32 m, u64 by)
{
	struct vgpu_counters *counters = lanes->counters;

	counters->value[VGPU_COUNT_INSTRUCTIONS] += by;
	counters->value[VGPU_COUNT_THREAD_INSTRUCTIONS] += by * vgpu_popcount32(m);
	counters->value[vgpu_count_class(i->op)] += by;
	if (i->op >= VGPU_OP_LD && i->op <= VGPU_OP_ATOMSQ)
		vgpu_count_access(counters, lanes->banks, lanes->warp->regs, i, m, by);
}

void vgpu_count_instruction(const struct vgpu_lanes *lanes, const struct vgpu_insn *i, u32 m)
{
	count(lanes, i, m, 1);
}

void vgpu_uncount_instruction(const struct vgpu_lanes *lanes, const struct vgpu_insn *i, u32 m)
{
	count(lanes, i, m, ~0ull);
}

/* ---- blocks ------------------------------------------------------------- */

static u64 warps_of(const struct vgpu_launch *launch)
{
	return (launch->threads + VGPU_LANES - 1) / VGPU_LANES;
}

void vgpu_count_came(struct vgpu_sm *sm, const struct vgpu_launch *launch)
{
	struct vgpu_counters *counters = vgpu_launch_counters(launch, sm->index);

	counters->value[VGPU_COUNT_WARP_TIME] -= warps_of(launch) * sm->sim->now;
	sm->counted++;
	counters->value[VGPU_COUNT_BLOCKS]++;
	if (!counters->blocks++)
		counters->value[VGPU_COUNT_ACTIVE_TIME] -= sm->sim->now;
}

void vgpu_count_left(struct vgpu_sm *sm, const struct vgpu_launch *launch)
{
	struct vgpu_counters *counters = vgpu_launch_counters(launch, sm->index);

	counters->value[VGPU_COUNT_WARP_TIME] += warps_of(launch) * sm->sim->now;
	sm->counted--;
	if (!--counters->blocks)
		counters->value[VGPU_COUNT_ACTIVE_TIME] += sm->sim->now;
}
