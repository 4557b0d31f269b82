// SPDX-License-Identifier: MIT
/*
 * What generated code for AVX2 can do, and what it calls. What it cannot do the interpreter does:
 * what AVX2 has no instruction for, and accesses that are neither rows nor of one place.
 */
#include "access.h"
#include "translate.h"

/* ---- instructions ------------------------------------------------------------- */

static bool converts(const struct vgpu_insn *i)
{
	bool is_signed = i->flags & VGPU_F_SIGNED;
	u32 mode = VGPU_F_RND(i->flags);

	switch (i->op) {
	case VGPU_OP_I2F:
		return is_signed && !mode;
	case VGPU_OP_F2I:
	case VGPU_OP_D2I:
		return is_signed && (!mode || mode == VGPU_RND_RZ);
	case VGPU_OP_I2D:
		return is_signed;
	case VGPU_OP_D2F:
		return !mode;
	case VGPU_OP_F2D:
		return true;
	}
	return false;	/* 64-bit integers */
}

bool tr_avx2_can(const struct vgpu_insn *i)
{
	switch (i->op) {
	case VGPU_OP_MULQ:
	case VGPU_OP_MADQ:
	case VGPU_OP_MINSQ:
	case VGPU_OP_MINUQ:
	case VGPU_OP_MAXSQ:
	case VGPU_OP_MAXUQ:
	case VGPU_OP_ABSQ:
	case VGPU_OP_SHRSQ:
	case VGPU_OP_CLZ:
	case VGPU_OP_LOP3:
		return false;
	case VGPU_OP_FADD:
	case VGPU_OP_FSUB:
	case VGPU_OP_FMUL:
	case VGPU_OP_FDIV:
	case VGPU_OP_FFMA:
	case VGPU_OP_FSQRT:
	case VGPU_OP_FRCP:
	case VGPU_OP_DADD:
	case VGPU_OP_DSUB:
	case VGPU_OP_DMUL:
	case VGPU_OP_DDIV:
	case VGPU_OP_DFMA:
	case VGPU_OP_DSQRT:
	case VGPU_OP_DRCP:
	case VGPU_OP_DRSQ:
		return !VGPU_F_RND(i->flags);
	case VGPU_OP_I2F:
	case VGPU_OP_F2I:
	case VGPU_OP_I2D:
	case VGPU_OP_F2D:
	case VGPU_OP_D2F:
	case VGPU_OP_D2I:
	case VGPU_OP_L2D:
	case VGPU_OP_L2F:
	case VGPU_OP_F2L:
	case VGPU_OP_D2L:
		return converts(i);
	}
	return true;
}

/*
 * Not what asks for the time, stops the warp or changes which lanes are active, or may have to wait
 * for lanes.
 */
bool tr_avx2_calls(const struct vgpu_insn *i)
{
	switch (i->op) {
	case VGPU_OP_SREG:
	case VGPU_OP_SREGQ:
	case VGPU_OP_NOP:
	case VGPU_OP_BRA:
	case VGPU_OP_EXIT:
	case VGPU_OP_TRAP:
	case VGPU_OP_BAR:
	case VGPU_OP_BARRED:
	case VGPU_OP_MATCH:
	case VGPU_OP_MATCHQ:
	case VGPU_OP_MATCHSYNC:
	case VGPU_OP_MATCHSYNCQ:
	case VGPU_OP_BARWARP:
		return false;
	case VGPU_OP_SHFLSYNC:
		return VGPU_SHFL_MASK(i->imm) == VGPU_SHFL_FULL;
	case VGPU_OP_VOTESYNC:
	case VGPU_OP_BALLOTSYNC:
		return i->flags & VGPU_F_IMM;
	}
	return true;
}

/* ---- what it calls ---------------------------------------------------------------- */

u32 vgpu_native_thread_index_avx2(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	const u32 *size = s->launch->block;
	u32 *to = s->warp->regs + i->dst * VGPU_LANES;

	for (u32 l = 0; l < VGPU_LANES; l++) {
		u32 t = s->warp->index * VGPU_LANES + l, line = t / size[0];

		if (!(m >> l & 1))
			continue;
		switch (i->imm) {
		case VGPU_SR_TID_X:
			to[l] = t % size[0];
			break;
		case VGPU_SR_TID_Y:
			to[l] = line % size[1];
			break;
		default:
			to[l] = line / size[1];
		}
	}
	return 0;
}

/* Lanes @m of a half: are they a row of words, or at one place? @start: of the first lane */
static void half_shape(const u32 *o, u32 m, u32 *start, bool *row, bool *place)
{
	u32 first = (u32)__builtin_ctz(m);

	*row = true;
	*place = true;
	for (u32 l = first; l < 16; l++) {
		if (!(m >> l & 1))
			continue;
		*row &= o[l] - o[first] == 4 * (l - first);
		*place &= o[l] == o[first];
	}
	*start = *row ? o[first] - 4 * first : o[first];
}

void vgpu_native_shape_avx2(const struct vgpu_lanes *s, struct shape *shape, u32 reg, u32 m)
{
	const u32 *o = s->warp->regs + reg * VGPU_LANES;
	bool rows = true, places = true;
	u32 start[2] = { 0, 0 }, most;

	shape->kind = SHAPE_OTHER;
	for (u32 h = 0; h < 2; h++) {
		u32 half = m >> 16 * h & 0xffff;
		bool row, place;

		if (!half)
			continue;
		half_shape(o + 16 * h, half, &start[h], &row, &place);
		rows &= row;
		places &= place;
	}
	/* a half of one lane is both */
	if (!rows && places)
		for (u32 h = 0; h < 2; h++)
			if (m >> 16 * h & 0xffff)
				start[h] = o[16 * h + (u32)__builtin_ctz(m >> 16 * h)];
	if (!(m & 0xffff))
		start[0] = start[1];
	if (!(m >> 16))
		start[1] = start[0];
	most = start[0] > start[1] ? start[0] : start[1];
	if ((!rows && !places) || most >= 1u << 20 || (start[0] | start[1]) & 3 ||
	    most + 64 > s->shared_bytes)
		return;
	*shape = (struct shape){
		.kind = rows ? SHAPE_ROWS : SHAPE_PLACES,
		.room = (s32)(s->shared_bytes - most - 64),
		.place = { s->shared + start[0], s->shared + start[1] },
	};
}
