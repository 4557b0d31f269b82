// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Checkpoints of compiled blocks (PEP: Li et al., 3.1 and 3.3): which registers a block has
 * written since its base checkpoint, and the copies of what was saved.
 *
 * A bit for each register of a warp, all its threads together. Whatever executes an instruction of
 * a warp whose w->written is set marks what that writes: the run loop of the lanes does, in slices
 * and in the pipeline, and there vgpu_access_result() for what memory has answered. Native code
 * does not know of it, so such a block is interpreted; what it computes is the same. There are bits
 * from the base checkpoint on. What the block had written before is not known, so all registers of
 * warps that have not exited are in the base checkpoint. Shared memory is in both parts as a whole
 * (thesis 4.5.3), and so is the rest of the state, which is never taken from the block here.
 *
 * When the block has left its SM its registers and shared memory are overwritten: it goes on with
 * what was saved. The base part is restored first, and then the increment: a register that is
 * dirty in both has its value from the increment. (The thesis, 4.5.4, has the later part restored
 * first. That is wrong for such registers, unless it masks the earlier part.)
 */
#include "operands.h"
#include "warps.h"

#define WORDS	VGPU_UNWRITTEN_WORDS
#define ROW	(VGPU_LANES * sizeof(u32))	/* a register of a warp */
#define GARBAGE	0xa5

void vgpu_written_mark(u64 *written, const struct vgpu_insn *insn)
{
	struct vgpu_operands operands;

	vgpu_operands_find(insn, &operands);
	for (u32 n = 0; n < operands.write_count; n++)
		if (operands.writes[n] < VGPU_OPERAND_PREDICATE)
			written[operands.writes[n] / 64] |= 1ull << operands.writes[n] % 64;
}

static bool has(const u64 *set, u32 reg)
{
	return set[reg / 64] >> reg % 64 & 1;
}

/* Of @part's warp @n. */
static u64 *set_of(const struct vgpu_copy *copy, u32 part, u32 n)
{
	return copy->sets + (part * copy->warps + n) * WORDS;
}

static u32 *rows_of(const struct vgpu_copy *copy, u32 part, u32 n)
{
	return copy->rows + (u64)(part * copy->warps + n) * copy->regs * VGPU_LANES;
}

static bool exited(const struct vgpu_warps *warps, u32 n)
{
	return warps->begun && warps->warp[n].state == VGPU_WARP_EXITED;
}

u64 vgpu_written_bytes(const struct vgpu_block *block, bool since)
{
	const struct vgpu_warps *warps = block->warps;
	u64 bytes = vgpu_block_context_bytes(block), rows = 0;
	u32 regs = block->launch->kernel->vass.regs;

	since = since && warps->copy;
	for (u32 n = 0; n < warps->count && warps->begun; n++)
		for (u32 reg = 0; reg < regs; reg++)
			rows += !exited(warps, n) &&
				(!since || has(set_of(warps->copy, 1, n), reg));
	return bytes - (u64)block->launch->regs_per_block * sizeof(u32) + rows * ROW;
}

/* What is in the sets of @part, and shared memory. */
static void copy_part(struct vgpu_warps *warps, u32 part)
{
	struct vgpu_copy *copy = warps->copy;

	for (u32 n = 0; n < copy->warps; n++)
		for (u32 reg = 0; reg < copy->regs; reg++)
			if (has(set_of(copy, part, n), reg))
				memcpy(rows_of(copy, part, n) + reg * VGPU_LANES,
				       warps->warp[n].regs + reg * VGPU_LANES, ROW);
	memcpy(copy->shared + part * warps->shared_bytes, warps->shared, warps->shared_bytes);
	copy->made[part] = true;
}

bool vgpu_written_base(struct vgpu_block *block)
{
	struct vgpu_warps *warps = block->warps;
	u32 regs = block->launch->kernel->vass.regs;
	u64 sets = 2ull * warps->count * WORDS * sizeof(u64);
	u64 rows = 2ull * warps->count * regs * ROW;
	u64 bytes = sizeof(struct vgpu_copy) + sets + rows + 2ull * warps->shared_bytes;
	struct vgpu_copy *copy;

	if (!warps->begun || warps->copy)
		return false;
	copy = vgpu_mem_alloc(warps->memory, bytes);
	if (!copy)
		return false;
	*copy = (struct vgpu_copy){
		.bytes = bytes,
		.warps = warps->count,
		.regs = regs,
		.sets = (u64 *)(copy + 1),
	};
	copy->rows = (u32 *)((u8 *)copy->sets + sets);
	copy->shared = (u8 *)copy->rows + rows;
	warps->copy = copy;
	memset(copy->sets, 0, sets);
	for (u32 n = 0; n < warps->count; n++) {
		for (u32 reg = 0; reg < regs && !exited(warps, n); reg++)
			set_of(copy, 0, n)[reg / 64] |= 1ull << reg % 64;
		warps->warp[n].written = set_of(copy, 1, n);
	}
	copy_part(warps, 0);
	return true;
}

/* Nothing of it is left where it was. */
static void overwrite(struct vgpu_warps *warps)
{
	for (u32 n = 0; n < warps->count; n++)
		memset(warps->warp[n].regs, GARBAGE, warps->copy->regs * ROW);
	memset(warps->shared, GARBAGE, warps->shared_bytes);
}

void vgpu_written_leave(struct vgpu_block *block, bool increment)
{
	struct vgpu_warps *warps = block->warps;

	if (!warps->copy)
		return;
	if (increment)
		copy_part(warps, 1);
	overwrite(warps);
}

void vgpu_written_restore_part(struct vgpu_warps *warps, u32 part)
{
	const struct vgpu_copy *copy = warps->copy;

	if (!copy->made[part])
		return;
	for (u32 n = 0; n < copy->warps; n++)
		for (u32 reg = 0; reg < copy->regs; reg++)
			if (has(set_of(copy, part, n), reg))
				memcpy(warps->warp[n].regs + reg * VGPU_LANES,
				       rows_of(copy, part, n) + reg * VGPU_LANES, ROW);
	memcpy(warps->shared, copy->shared + part * warps->shared_bytes, warps->shared_bytes);
}

void vgpu_written_restore(struct vgpu_block *block)
{
	if (!block->warps || !block->warps->copy)
		return;
	vgpu_written_restore_part(block->warps, 0);
	vgpu_written_restore_part(block->warps, 1);
}

void vgpu_written_end(struct vgpu_warps *warps)
{
	if (likely(!warps->copy))
		return;
	for (u32 n = 0; n < warps->count; n++)
		warps->warp[n].written = NULL;
	vgpu_mem_free(warps->memory, warps->copy, warps->copy->bytes);
	warps->copy = NULL;
}

void vgpu_written_forget(struct vgpu_block *block)
{
	if (block->warps)
		vgpu_written_end(block->warps);
}
