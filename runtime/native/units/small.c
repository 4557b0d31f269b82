// SPDX-License-Identifier: MIT
/*
 * What generated code can do with vectors of less than 64 bytes. What it cannot do are functions
 * (access_small.h), or the interpreter does it: what AVX2, or SSE2, has no instructions for, and
 * accesses that are neither rows nor of one place.
 */
#include "translate.h"

static bool converts(const struct vgpu_insn *i)
{
	bool is_signed = i->flags & VGPU_F_SIGNED;
	u32 mode = VGPU_F_RND(i->flags);

	switch (i->op) {
	case VGPU_OP_I2F:
		return !mode;
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

static bool avx2_can(const struct vgpu_insn *i)
{
	switch (i->op) {
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
 * Of what AVX2 can do: not unsigned integers to floats, shifts by lane, a fused multiply-add,
 * rounding to integers, floats of 16 bits, or most of 64-bit integers.
 */
static bool sse2_can(const struct vgpu_insn *i, bool masked)
{
	switch (i->op) {
	case VGPU_OP_I2F:
		return i->flags & VGPU_F_SIGNED;
	case VGPU_OP_SHL:
	case VGPU_OP_SHRU:
	case VGPU_OP_SHRS:
	case VGPU_OP_SHLQ:
	case VGPU_OP_SHRUQ:
		return i->flags & VGPU_F_IMM;
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
	case VGPU_OP_SHFLW:
	case VGPU_OP_SHFRW:
	case VGPU_OP_SHFLC:
	case VGPU_OP_SHFRC:
	case VGPU_OP_BFES:
	case VGPU_OP_BFEU:
	case VGPU_OP_BFI:
	case VGPU_OP_FFMA:
	case VGPU_OP_DFMA:
	case VGPU_OP_FRND:
	case VGPU_OP_DRND:
	case VGPU_OP_H2F:
	case VGPU_OP_F2H:
		return false;
	case VGPU_OP_STG:
		/* a store by mask reads and writes what others may write */
		return !masked;
	}
	return true;
}

bool tr_small_can(const struct translation *t, const struct vgpu_insn *i)
{
	return avx2_can(i) && (t->x.small != &x86_sse2 || sse2_can(i, t->masked));
}
