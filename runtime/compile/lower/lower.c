// SPDX-License-Identifier: MIT
/*
 * Lowering: the table of PTX instructions, emission under a guard, and the operands of an
 * instruction.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lower.h"

#define ARITH	(PTX_K_TYPE | PTX_K_RND | PTX_K_FTZ | PTX_K_SAT)
#define MEMORY	(PTX_K_TYPE | PTX_K_SPACE | PTX_K_SEM | PTX_K_CACHE)
#define VIDEO	(PTX_K_TYPE | PTX_K_ATOM | PTX_K_VIDEO)
#define ATOMIC	(PTX_K_TYPE | PTX_K_SPACE | PTX_K_SEM | PTX_K_ATOM | PTX_K_CACHE)

static const struct lowering {
	void (*lower)(struct cc_lower *l);
	uint64_t kinds;			/* modifiers it takes */
	uint8_t ops_min, ops_max, types_min, types_max;
} lowerings[PTX_OP_COUNT] = {
	[PTX_I_ABS] = { cc_lower_absneg, PTX_K_TYPE | PTX_K_FTZ, 2, 2, 1, 1 },
	[PTX_I_ACTIVEMASK] = { cc_lower_activemask, PTX_K_TYPE, 1, 1, 1, 1 },
	[PTX_I_ADD] = { cc_lower_add, ARITH | PTX_K_CC, 3, 3, 1, 1 },
	[PTX_I_ADDC] = { cc_lower_add, PTX_K_TYPE | PTX_K_CC, 3, 3, 1, 1 },
	[PTX_I_AND] = { cc_lower_logic, PTX_K_TYPE, 3, 3, 1, 1 },
	[PTX_I_ATOM] = { cc_lower_atom, ATOMIC, 3, 4, 1, 1 },
	[PTX_I_BAR] = { cc_lower_bar, PTX_K_BAR | PTX_K_TYPE | PTX_K_WARP | PTX_K_LEVEL, 1, 4, 0,
			1 },
	[PTX_I_BARRIER] = { cc_lower_bar, PTX_K_BAR | PTX_K_TYPE | PTX_K_LEVEL, 1, 4, 0, 1 },
	[PTX_I_BFE] = { cc_lower_bfe, PTX_K_TYPE, 4, 4, 1, 1 },
	[PTX_I_BFI] = { cc_lower_bfi, PTX_K_TYPE, 5, 5, 1, 1 },
	[PTX_I_BFIND] = { cc_lower_count, PTX_K_TYPE | PTX_K_SHIFT, 2, 2, 1, 1 },
	[PTX_I_BRA] = { cc_lower_control, PTX_K_UNI, 1, 1, 0, 0 },
	[PTX_I_BREV] = { cc_lower_count, PTX_K_TYPE, 2, 2, 1, 1 },
	[PTX_I_BRKPT] = { cc_lower_control, 0, 0, 0, 0, 0 },
	[PTX_I_CALL] = { cc_lower_call, PTX_K_UNI, 1, 4, 0, 0 },
	[PTX_I_CLZ] = { cc_lower_count, PTX_K_TYPE, 2, 2, 1, 1 },
	[PTX_I_CNOT] = { cc_lower_logic, PTX_K_TYPE, 2, 2, 1, 1 },
	[PTX_I_COPYSIGN] = { cc_lower_copysign, PTX_K_TYPE, 3, 3, 1, 1 },
	[PTX_I_COS] = { cc_lower_funary, PTX_K_TYPE | PTX_K_FTZ | PTX_K_APPROX, 2, 2, 1, 1 },
	[PTX_I_CVT] = { cc_lower_cvt, ARITH | PTX_K_RNDI | PTX_K_RELU | PTX_K_FINITE | PTX_K_RNA, 2,
			3, 2, 2 },
	[PTX_I_CVTA] = { cc_lower_cvta, PTX_K_TYPE | PTX_K_SPACE | PTX_K_TO, 2, 2, 1, 1 },
	[PTX_I_DIV] = { cc_lower_fdiv, PTX_K_TYPE | PTX_K_RND | PTX_K_FTZ | PTX_K_APPROX, 3, 3, 1,
			1 },
	[PTX_I_DP2A] = { cc_lower_dot, PTX_K_TYPE | PTX_K_LOHI, 4, 4, 2, 2 },
	[PTX_I_DP4A] = { cc_lower_dot, PTX_K_TYPE, 4, 4, 2, 2 },
	[PTX_I_ELECT] = { cc_lower_elect, PTX_K_SYNC, 2, 2, 0, 0 },
	[PTX_I_EX2] = { cc_lower_funary, PTX_K_TYPE | PTX_K_FTZ | PTX_K_APPROX, 2, 2, 1, 1 },
	[PTX_I_EXIT] = { cc_lower_control, 0, 0, 0, 0, 0 },
	[PTX_I_FENCE] = { cc_lower_fence, PTX_K_SEM, 0, 0, 0, 0 },
	[PTX_I_FMA] = { cc_lower_fma, ARITH | PTX_K_RELU, 4, 4, 1, 1 },
	[PTX_I_FNS] = { cc_lower_fns, PTX_K_TYPE, 4, 4, 1, 1 },
	[PTX_I_ISSPACEP] = { cc_lower_isspacep, PTX_K_SPACE, 2, 2, 0, 0 },
	[PTX_I_LD] = { cc_lower_ld, MEMORY | PTX_K_VEC, 2, 2, 1, 1 },
	[PTX_I_LDU] = { cc_lower_ld, PTX_K_TYPE | PTX_K_SPACE | PTX_K_VEC, 2, 2, 1, 1 },
	[PTX_I_LG2] = { cc_lower_funary, PTX_K_TYPE | PTX_K_FTZ | PTX_K_APPROX, 2, 2, 1, 1 },
	[PTX_I_LOP3] = { cc_lower_lop3, PTX_K_TYPE, 5, 5, 1, 1 },
	[PTX_I_MAD] = { cc_lower_mad, ARITH | PTX_K_LOHI | PTX_K_WIDE | PTX_K_CC, 4, 4, 1, 1 },
	[PTX_I_MAD24] = { cc_lower_muladd24, PTX_K_TYPE | PTX_K_LOHI, 4, 4, 1, 1 },
	[PTX_I_MADC] = { cc_lower_mad, PTX_K_TYPE | PTX_K_LOHI | PTX_K_CC, 4, 4, 1, 1 },
	[PTX_I_MATCH] = { cc_lower_match, PTX_K_TYPE | PTX_K_VOTE | PTX_K_SYNC, 3, 3, 1, 1 },
	[PTX_I_MAX] = { cc_lower_minmax, PTX_K_TYPE | PTX_K_FTZ | PTX_K_NAN, 3, 3, 1, 1 },
	[PTX_I_MBARRIER] = { cc_lower_mbarrier, PTX_K_TYPE | PTX_K_SPACE | PTX_K_SEM |
			     PTX_K_MBARRIER, 1, 4, 1, 1 },
	[PTX_I_MEMBAR] = { cc_lower_fence, PTX_K_LEVEL, 0, 0, 0, 0 },
	[PTX_I_MIN] = { cc_lower_minmax, PTX_K_TYPE | PTX_K_FTZ | PTX_K_NAN, 3, 3, 1, 1 },
	[PTX_I_MOV] = { cc_lower_mov, PTX_K_TYPE, 2, 2, 1, 1 },
	[PTX_I_MUL] = { cc_lower_mul, ARITH | PTX_K_LOHI | PTX_K_WIDE, 3, 3, 1, 1 },
	[PTX_I_MUL24] = { cc_lower_muladd24, PTX_K_TYPE | PTX_K_LOHI, 3, 3, 1, 1 },
	[PTX_I_GRIDDEPCONTROL] = { cc_lower_nothing, PTX_K_DEPENDENTS, 0, 0, 0, 0 },
	[PTX_I_NANOSLEEP] = { cc_lower_nothing, PTX_K_TYPE, 1, 1, 1, 1 },
	[PTX_I_NEG] = { cc_lower_absneg, PTX_K_TYPE | PTX_K_FTZ, 2, 2, 1, 1 },
	[PTX_I_NOT] = { cc_lower_logic, PTX_K_TYPE, 2, 2, 1, 1 },
	[PTX_I_OR] = { cc_lower_logic, PTX_K_TYPE, 3, 3, 1, 1 },
	[PTX_I_PMEVENT] = { cc_lower_nothing, 0, 1, 1, 0, 0 },
	[PTX_I_POPC] = { cc_lower_count, PTX_K_TYPE, 2, 2, 1, 1 },
	[PTX_I_PREFETCH] = { cc_lower_nothing, PTX_K_SPACE | PTX_K_LEVEL | PTX_K_CACHE, 1, 1, 0,
			     0 },
	[PTX_I_PREFETCHU] = { cc_lower_nothing, PTX_K_LEVEL, 1, 1, 0, 0 },
	[PTX_I_PRMT] = { cc_lower_prmt, PTX_K_TYPE | PTX_K_PRMT, 4, 4, 1, 1 },
	[PTX_I_RCP] = { cc_lower_funary, PTX_K_TYPE | PTX_K_RND | PTX_K_FTZ | PTX_K_APPROX, 2, 2, 1,
			1 },
	[PTX_I_RED] = { cc_lower_atom, ATOMIC, 2, 2, 1, 1 },
	[PTX_I_REM] = { cc_lower_divrem, PTX_K_TYPE, 3, 3, 1, 1 },
	[PTX_I_RET] = { cc_lower_control, PTX_K_UNI, 0, 0, 0, 0 },
	[PTX_I_RSQRT] = { cc_lower_funary, PTX_K_TYPE | PTX_K_FTZ | PTX_K_APPROX, 2, 2, 1, 1 },
	[PTX_I_SAD] = { cc_lower_sad, PTX_K_TYPE, 4, 4, 1, 1 },
	[PTX_I_SELP] = { cc_lower_selp, PTX_K_TYPE, 4, 4, 1, 1 },
	[PTX_I_SET] = { cc_lower_set, PTX_K_TYPE | PTX_K_CMP | PTX_K_BOOL | PTX_K_FTZ, 3, 4, 2, 2 },
	[PTX_I_SETP] = { cc_lower_setp, PTX_K_TYPE | PTX_K_CMP | PTX_K_BOOL | PTX_K_FTZ, 3, 4, 1,
			 1 },
	[PTX_I_SHF] = { cc_lower_funnel, PTX_K_TYPE | PTX_K_SHIFT, 4, 4, 1, 1 },
	[PTX_I_SHFL] = { cc_lower_shfl, PTX_K_TYPE | PTX_K_SHFL | PTX_K_SYNC, 4, 5, 1, 1 },
	[PTX_I_SHL] = { cc_lower_shift, PTX_K_TYPE, 3, 3, 1, 1 },
	[PTX_I_SHR] = { cc_lower_shift, PTX_K_TYPE, 3, 3, 1, 1 },
	[PTX_I_SIN] = { cc_lower_funary, PTX_K_TYPE | PTX_K_FTZ | PTX_K_APPROX, 2, 2, 1, 1 },
	[PTX_I_SLCT] = { cc_lower_slct, PTX_K_TYPE | PTX_K_FTZ, 4, 4, 2, 2 },
	[PTX_I_SQRT] = { cc_lower_funary, PTX_K_TYPE | PTX_K_RND | PTX_K_FTZ | PTX_K_APPROX, 2, 2,
			 1, 1 },
	[PTX_I_ST] = { cc_lower_st, MEMORY | PTX_K_VEC, 2, 2, 1, 1 },
	[PTX_I_SUB] = { cc_lower_add, ARITH | PTX_K_CC, 3, 3, 1, 1 },
	[PTX_I_SUBC] = { cc_lower_add, PTX_K_TYPE | PTX_K_CC, 3, 3, 1, 1 },
	[PTX_I_TANH] = { cc_lower_funary, PTX_K_TYPE | PTX_K_APPROX, 2, 2, 1, 1 },
	[PTX_I_TESTP] = { cc_lower_testp, PTX_K_TYPE | PTX_K_TESTP, 2, 2, 1, 1 },
	[PTX_I_TRAP] = { cc_lower_control, 0, 0, 0, 0, 0 },
	[PTX_I_VOTE] = { cc_lower_vote, PTX_K_TYPE | PTX_K_VOTE | PTX_K_SYNC, 2, 3, 1, 1 },
	[PTX_I_CP] = { cc_lower_cp, PTX_K_TYPE | PTX_K_SPACE | PTX_K_CACHE | PTX_K_TO |
		       PTX_K_GROUP | PTX_K_MBARRIER, 0, 4, 0, 1 },
	[PTX_I_CREATEPOLICY] = { cc_lower_policy, PTX_K_TYPE | PTX_K_CACHE | PTX_K_TO |
				 PTX_K_SPACE | PTX_K_LEVEL, 1, 4, 1, 1 },
	[PTX_I_LDMATRIX] = { cc_lower_ldmatrix, PTX_K_TYPE | PTX_K_SPACE | PTX_K_SYNC |
			     PTX_K_MATRIX, 2, 2, 1, 1 },
	[PTX_I_MMA] = { cc_lower_mma, PTX_K_TYPE | PTX_K_SYNC | PTX_K_MATRIX | PTX_K_FINITE |
			PTX_K_SPARSE | PTX_K_MMABIT, 4, 6, 4, 4 },
	[PTX_I_MOVMATRIX] = { cc_lower_movmatrix, PTX_K_TYPE | PTX_K_SYNC | PTX_K_MATRIX, 2, 2, 1,
			      1 },
	[PTX_I_STMATRIX] = { cc_lower_stmatrix, PTX_K_TYPE | PTX_K_SPACE | PTX_K_SYNC |
			     PTX_K_MATRIX, 2, 2, 1, 1 },
	[PTX_I_REDUX] = { cc_lower_redux, PTX_K_TYPE | PTX_K_ATOM | PTX_K_BOOL | PTX_K_SYNC, 3, 3,
			  1, 1 },
	[PTX_I_WMMA] = { cc_lower_wmma, PTX_K_TYPE | PTX_K_SPACE | PTX_K_SYNC | PTX_K_MATRIX |
			 PTX_K_WMMA | PTX_K_FINITE | PTX_K_RND | PTX_K_MMABIT, 2, 4, 1, 4 },
	[PTX_I_SULD] = { cc_lower_suld, PTX_K_TYPE | PTX_K_VEC | PTX_K_TEXTURE | PTX_K_CACHE, 2, 2,
			 1, 1 },
	[PTX_I_SUQ] = { cc_lower_txq, PTX_K_TYPE | PTX_K_QUERY, 2, 2, 1, 1 },
	[PTX_I_SUST] = { cc_lower_sust, PTX_K_TYPE | PTX_K_VEC | PTX_K_TEXTURE | PTX_K_CACHE, 2, 2,
			 1, 1 },
	[PTX_I_TEX] = { cc_lower_tex, PTX_K_TYPE | PTX_K_VEC | PTX_K_TEXTURE, 2, 4, 2, 2 },
	[PTX_I_TLD4] = { cc_lower_tld4, PTX_K_TYPE | PTX_K_VEC | PTX_K_TEXTURE, 2, 2, 2, 2 },
	[PTX_I_TXQ] = { cc_lower_txq, PTX_K_TYPE | PTX_K_QUERY, 2, 2, 1, 1 },
	[PTX_I_VABSDIFF] = { cc_lower_video, VIDEO | PTX_K_SAT, 3, 4, 3, 3 },
	[PTX_I_VABSDIFF2] = { cc_lower_video2, VIDEO | PTX_K_SAT, 4, 4, 3, 3 },
	[PTX_I_VABSDIFF4] = { cc_lower_video4, VIDEO | PTX_K_SAT, 4, 4, 3, 3 },
	[PTX_I_VADD] = { cc_lower_video, VIDEO | PTX_K_SAT, 3, 4, 3, 3 },
	[PTX_I_VADD2] = { cc_lower_video2, VIDEO | PTX_K_SAT, 4, 4, 3, 3 },
	[PTX_I_VADD4] = { cc_lower_video4, VIDEO | PTX_K_SAT, 4, 4, 3, 3 },
	[PTX_I_VMAD] = { cc_lower_vmad, PTX_K_TYPE | PTX_K_VIDEO | PTX_K_VMAD | PTX_K_SAT, 4, 4, 3,
			 3 },
	[PTX_I_VMAX] = { cc_lower_video, VIDEO | PTX_K_SAT, 3, 4, 3, 3 },
	[PTX_I_VMAX2] = { cc_lower_video2, VIDEO | PTX_K_SAT, 4, 4, 3, 3 },
	[PTX_I_VMAX4] = { cc_lower_video4, VIDEO | PTX_K_SAT, 4, 4, 3, 3 },
	[PTX_I_VMIN] = { cc_lower_video, VIDEO | PTX_K_SAT, 3, 4, 3, 3 },
	[PTX_I_VMIN2] = { cc_lower_video2, VIDEO | PTX_K_SAT, 4, 4, 3, 3 },
	[PTX_I_VMIN4] = { cc_lower_video4, VIDEO | PTX_K_SAT, 4, 4, 3, 3 },
	[PTX_I_VSUB] = { cc_lower_video, VIDEO | PTX_K_SAT, 3, 4, 3, 3 },
	[PTX_I_VSUB2] = { cc_lower_video2, VIDEO | PTX_K_SAT, 4, 4, 3, 3 },
	[PTX_I_VSUB4] = { cc_lower_video4, VIDEO | PTX_K_SAT, 4, 4, 3, 3 },
	[PTX_I_VAVRG2] = { cc_lower_video2, VIDEO | PTX_K_SAT, 4, 4, 3, 3 },
	[PTX_I_VAVRG4] = { cc_lower_video4, VIDEO | PTX_K_SAT, 4, 4, 3, 3 },
	[PTX_I_VSET] = { cc_lower_video, VIDEO | PTX_K_CMP, 3, 4, 2, 2 },
	[PTX_I_VSET2] = { cc_lower_video2, VIDEO | PTX_K_CMP, 4, 4, 2, 2 },
	[PTX_I_VSET4] = { cc_lower_video4, VIDEO | PTX_K_CMP, 4, 4, 2, 2 },
	[PTX_I_VSHL] = { cc_lower_video, VIDEO | PTX_K_SAT | PTX_K_SHIFT, 3, 4, 3, 3 },
	[PTX_I_VSHR] = { cc_lower_video, VIDEO | PTX_K_SAT | PTX_K_SHIFT, 3, 4, 3, 3 },
	[PTX_I_XOR] = { cc_lower_logic, PTX_K_TYPE, 3, 3, 1, 1 },
};

_Noreturn void cc_refuse(struct cc_lower *l, const char *format, ...)
{
	char text[160], what[256];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	ptx_fail(l->cc->ctx, l->in->line, "`%s': %s", ptx_insn_text(l->in, text, sizeof(text)),
		 what);
}

/* ---- emission ----------------------------------------------------------- */

uint32_t cc_temp(struct cc_lower *l, enum cc_class class)
{
	return cc_vreg(l->cc, class);
}

uint32_t cc_named(struct cc_lower *l, enum cc_class class)
{
	uint32_t reg = cc_vreg(l->cc, class);

	if (reg >= l->first_temp)
		l->first_temp = reg + 1;
	return reg;
}

static unsigned int move_op(enum cc_class class)
{
	return class == CC_Q ? VGPU_OP_MOVQ : class == CC_R ? VGPU_OP_MOV : VGPU_OP_PMOV;
}

/*
 * A guarded load into a temporary would leave the old value alive where the guard is false: start
 * from zero.
 */
void cc_define_temp(struct cc_lower *l, uint32_t dst)
{
	struct cc_insn *insn;

	if (l->guard == CC_PT || dst == CC_NONE || dst < l->first_temp)
		return;
	insn = cc_append(l->cc, move_op(l->cc->vregs[dst]), l->in->line);
	insn->dst = dst;
	if (l->cc->vregs[dst] == CC_P)
		insn->a = CC_PT | CC_NOT;
	else
		insn->flags = VGPU_F_IMM;
}

struct cc_insn *cc_op(struct cc_lower *l, unsigned int op, unsigned int flags, uint32_t dst,
		      uint32_t a, uint32_t b, uint32_t c)
{
	struct cc_insn probe = { .op = (uint16_t)op }, *insn;
	bool guarded = l->guard != CC_PT;

	if (guarded && dst != CC_NONE && dst >= l->first_temp) {
		if (cc_pure(&probe))
			guarded = false;
		else
			cc_define_temp(l, dst);
	}
	insn = cc_append(l->cc, op, l->in->line);
	insn->flags = (uint8_t)flags;
	insn->dst = dst;
	insn->a = a;
	insn->b = b;
	insn->c = c;
	if (guarded) {
		insn->guard = l->guard;
		insn->guard_not = l->guard_not;
	}
	return insn;
}

struct cc_insn *cc_opi(struct cc_lower *l, unsigned int op, unsigned int flags, uint32_t dst,
		       uint32_t a, uint64_t imm, uint32_t c)
{
	struct cc_insn *insn = cc_op(l, op, flags | VGPU_F_IMM, dst, a, CC_NONE, c);

	insn->imm = cc_opinfo[op].b == CC_K_RI ? (uint32_t)imm : imm;
	return insn;
}

uint32_t cc_const(struct cc_lower *l, enum cc_class class, uint64_t value)
{
	uint32_t temp = cc_temp(l, class);

	cc_opi(l, class == CC_Q ? VGPU_OP_MOVQ : VGPU_OP_MOV, 0, temp, CC_NONE, value, CC_NONE);
	return temp;
}

uint32_t cc_in_reg(struct cc_lower *l, struct cc_value value, enum cc_class class)
{
	uint32_t temp;

	if (value.reg != CC_NONE)
		return value.reg;
	temp = cc_const(l, class, value.imm);
	l->cc->insns[l->cc->insns_count - 1].reloc = value.reloc;
	return temp;
}

/* op with operands a and b that may be constants; c is a register already. */
struct cc_insn *cc_opv(struct cc_lower *l, unsigned int op, unsigned int flags, uint32_t dst,
		       struct cc_value a, struct cc_value b, uint32_t c)
{
	const struct cc_opinfo *info = &cc_opinfo[op];
	uint32_t reg = cc_in_reg(l, a, info->a == CC_K_Q ? CC_Q : CC_R);

	if (b.reg == CC_NONE && !b.reloc && (info->b == CC_K_RI || info->b == CC_K_QI))
		return cc_opi(l, op, flags, dst, reg, b.imm, c);
	b.reg = cc_in_reg(l, b, info->b == CC_K_Q || info->b == CC_K_QI ? CC_Q : CC_R);
	return cc_op(l, op, flags, dst, reg, b.reg, c);
}

void cc_move(struct cc_lower *l, uint32_t dst, struct cc_value value)
{
	unsigned int op = move_op(l->cc->vregs[dst]);

	if (value.reg != CC_NONE)
		cc_op(l, op, 0, dst, CC_NONE, value.reg, CC_NONE);
	else
		cc_opi(l, op, 0, dst, CC_NONE, value.imm, CC_NONE)->reloc = value.reloc;
}

void cc_set_pred(struct cc_lower *l, uint32_t dst, uint32_t source)
{
	cc_op(l, VGPU_OP_PMOV, 0, dst, source, CC_NONE, CC_NONE);
}

void cc_jump(struct cc_lower *l, uint32_t label)
{
	cc_op(l, VGPU_OP_BRA, 0, CC_NONE, CC_NONE, CC_NONE, CC_NONE)->target = label;
}

void cc_place(struct cc_lower *l, uint32_t label)
{
	cc_append(l->cc, CC_LABEL, l->in ? l->in->line : 0)->target = label;
}

/* ---- operands ----------------------------------------------------------- */

enum cc_class cc_class_of(enum ptx_type type)
{
	return type == PTX_PRED ? CC_P : ptx_type_bytes(type) == 8 ? CC_Q : CC_R;
}

bool cc_signed(enum ptx_type type)
{
	return ptx_type_letter(type) == 's';
}

enum ptx_type cc_type(struct cc_lower *l, unsigned int index)
{
	return l->in->types[index];
}

uint32_t cc_reg(struct cc_lower *l, uint32_t number)
{
	uint32_t *reg = &l->frame->regs[number];

	if (*reg != CC_NONE)
		return *reg;
	if (l->frame->func->regs[number].type != PTX_B128) {
		*reg = cc_named(l, cc_class_of(l->frame->func->regs[number].type));
		return *reg;
	}
	/* the two halves are beside each other (lower_wide.c) */
	*reg = cc_named(l, CC_Q);
	cc_named(l, CC_Q);
	return *reg;
}

const struct ptx_operand *cc_operand(struct cc_lower *l, unsigned int index)
{
	return &l->in->ops[index];
}

static enum ptx_type reg_type(struct cc_lower *l, uint32_t number)
{
	return l->frame->func->regs[number].type;
}

static void check_width(struct cc_lower *l, const struct ptx_operand *o, enum ptx_type type,
			bool wider)
{
	unsigned int have = ptx_type_bytes(reg_type(l, o->reg)), want = ptx_type_bytes(type);
	bool pred = reg_type(l, o->reg) == PTX_PRED;

	if (pred || o->negated || o->second != PTX_NONE || have < want || have > 8 ||
	    (have > want && !wider))
		cc_refuse(l, "register `%s' is .%s, a %u-bit one is wanted", o->name,
			  ptx_mod_name(reg_type(l, o->reg)), want * 8);
}

uint32_t cc_dst_element(struct cc_lower *l, const struct ptx_operand *o, enum ptx_type type,
			bool wider)
{
	if (o->kind == PTX_OPND_SINK)
		return cc_temp(l, cc_class_of(type));
	if (o->kind != PTX_OPND_REG)
		cc_refuse(l, "the result must be a register");
	check_width(l, o, type, wider);
	return cc_reg(l, o->reg);
}

uint32_t cc_dst(struct cc_lower *l, unsigned int index, enum ptx_type type)
{
	return cc_dst_element(l, cc_operand(l, index), type, false);
}

uint32_t cc_dst_pred(struct cc_lower *l, const struct ptx_operand *o)
{
	if (o->kind == PTX_OPND_SINK)
		return cc_temp(l, CC_P);
	if (o->kind != PTX_OPND_REG || reg_type(l, o->reg) != PTX_PRED || o->negated)
		cc_refuse(l, "the result must be a .pred register");
	return cc_reg(l, o->reg);
}

uint32_t cc_src_pred(struct cc_lower *l, unsigned int index)
{
	const struct ptx_operand *o = cc_operand(l, index);

	if (o->kind == PTX_OPND_INT)
		return o->value ? CC_PT : CC_PT | CC_NOT;
	if (o->kind != PTX_OPND_REG || reg_type(l, o->reg) != PTX_PRED || o->second != PTX_NONE)
		cc_refuse(l, "operand %u must be a .pred register", index + 1);
	return cc_reg(l, o->reg) | (o->negated ? CC_NOT : 0);
}

/* The address of a variable in its own state space. */
struct cc_value cc_address_of(struct cc_lower *l, const struct ptx_operand *o)
{
	struct ptx_var *var = o->var;
	struct cc_value value = { .reg = CC_NONE, .imm = o->value };

	switch (var->space) {
	case PTX_GLOBAL:
	case PTX_CONST:
		if (var->is_placed) {
			value.imm += var->offset;
			return value;
		}
		if (var->is_extern)
			cc_refuse(l, "unresolved external variable `%s'", var->name);
		value.imm += var->offset;
		value.reloc = true;
		return value;
	case PTX_SHARED:
		/* up to there it is the kernel's, whatever the launch adds */
		if (var->is_open || var->is_extern) {
			value.imm += l->dynamic_shared;
			l->cc->shared_bytes = l->dynamic_shared;
		} else {
			value.imm += var->offset;
		}
		return value;
	case PTX_LOCAL:
		if (!var->owner)
			cc_refuse(l, "`%s': a .local variable outside a function is not supported",
				  var->name);
		value.imm += l->frame->locals[var->index];
		return value;
	case PTX_PARAM:
		if (!var->addressed) {	/* nobody looks at it any more */
			value.imm = 0;
			return value;
		}
		value.imm += cc_param(l, var)->offset;
		return value;
	default:
		cc_refuse(l, "`%s' has no address", var->name);
	}
}

static struct cc_value float_value(struct cc_lower *l, const struct ptx_operand *o,
				   enum ptx_type type)
{
	struct cc_value value = { .reg = CC_NONE, .imm = o->value };
	unsigned int bytes = ptx_type_bytes(type);
	uint32_t low = (uint32_t)o->value;
	double number;
	float single;

	if (bytes < 4)
		cc_refuse(l, "a float constant where .%s is wanted", ptx_mod_name(type));
	if ((o->kind == PTX_OPND_F32) == (bytes == 4))
		return value;
	if (ptx_type_letter(type) != 'f')
		cc_refuse(l, "a float constant of the wrong width where .%s is wanted",
			  ptx_mod_name(type));
	if (o->kind == PTX_OPND_F32) {
		memcpy(&single, &low, 4);
		number = (double)single;
		memcpy(&value.imm, &number, 8);
	} else {
		memcpy(&number, &o->value, 8);
		single = (float)number;
		memcpy(&low, &single, 4);
		value.imm = low;
	}
	return value;
}

struct cc_value cc_src_element(struct cc_lower *l, const struct ptx_operand *o, enum ptx_type type,
			       bool wider)
{
	struct cc_value value = { .reg = CC_NONE };
	unsigned int bytes = ptx_type_bytes(type);
	uint32_t low;

	switch (o->kind) {
	case PTX_OPND_REG:
		check_width(l, o, type, wider);
		value.reg = cc_reg(l, o->reg);
		if (bytes < 8 && l->cc->vregs[value.reg] == CC_Q) {
			low = cc_temp(l, CC_R);
			cc_op(l, VGPU_OP_UNLO, 0, low, value.reg, CC_NONE, CC_NONE);
			value.reg = low;
		}
		return value;
	case PTX_OPND_INT:
		if (ptx_type_letter(type) == 'f' && o->value)
			cc_refuse(
				l,
				"an integer constant where .%s is wanted (write 0f or 0d and its "
				"bits)",
				ptx_mod_name(type));
		value.imm = bytes == 8 ? o->value : (uint32_t)o->value;
		return value;
	case PTX_OPND_F32:
	case PTX_OPND_F64:
		return float_value(l, o, type);
	case PTX_OPND_VAR:
		if (bytes < 4)
			cc_refuse(l, "the address of `%s' needs 64 bits", o->var->name);
		if (bytes == 8 && (o->var->type == PTX_TEXREF || o->var->type == PTX_SURFREF)) {
			value.reg = cc_reference(l, o);
			return value;
		}
		value = cc_address_of(l, o);
		if (bytes == 4 && value.reloc)
			cc_refuse(l, "the address of `%s' needs 64 bits", o->var->name);
		/* a procedure has its local memory where the stack is */
		if (l->cc->procedure &&
		    (o->var->space == PTX_LOCAL || o->var->space == PTX_PARAM)) {
			low = cc_temp(l, CC_R);
			cc_op(l, CC_FRAME, 0, low, CC_NONE, CC_NONE, CC_NONE)->imm =
				(uint32_t)value.imm;
			value = (struct cc_value){ .reg = low };
			if (bytes == 8) {
				value.reg = cc_temp(l, CC_Q);
				cc_op(l, VGPU_OP_ZXQ, 0, value.reg, low, CC_NONE, CC_NONE);
			}
		}
		return value;
	case PTX_OPND_FUNC:
		if (bytes != 8)
			cc_refuse(l, "the address of `%s' needs 64 bits", o->func->name);
		if (!o->func->has_body)
			cc_refuse(l, "unresolved external function `%s'", o->func->name);
		value.imm = o->func->address;
		return value;
	default:
		cc_refuse(l, "an operand of a kind that does not fit here");
	}
}

struct cc_value cc_src(struct cc_lower *l, unsigned int index, enum ptx_type type)
{
	return cc_src_element(l, cc_operand(l, index), type, false);
}

uint32_t cc_src_reg(struct cc_lower *l, unsigned int index, enum ptx_type type)
{
	return cc_in_reg(l, cc_src(l, index, type), cc_class_of(type));
}

/* The value with the bits above its 8 or 16 bit type set by its sign or to zero. */
struct cc_value cc_extended(struct cc_lower *l, struct cc_value value, enum ptx_type type)
{
	unsigned int bytes = ptx_type_bytes(type);
	bool sign = cc_signed(type);
	uint32_t temp;

	if (bytes >= 4)
		return value;
	if (value.reg == CC_NONE) {
		if (bytes == 1)
			value.imm = sign ? (uint32_t)(int8_t)value.imm : (uint8_t)value.imm;
		else
			value.imm = sign ? (uint32_t)(int16_t)value.imm : (uint16_t)value.imm;
		return value;
	}
	temp = cc_temp(l, CC_R);
	cc_op(l,
	      bytes == 1 ? (sign ? VGPU_OP_SX8 : VGPU_OP_ZX8) :
			   (sign ? VGPU_OP_SX16 : VGPU_OP_ZX16),
	      0, temp, value.reg, CC_NONE, CC_NONE);
	value.reg = temp;
	return value;
}

unsigned int cc_rounding(struct cc_lower *l)
{
	unsigned int mode = ptx_mod_of(l->in, PTX_K_RND), flags = 0;
	bool wide = l->in->type_count && ptx_type_bytes(l->in->types[0]) == 8;

	switch (mode) {
	case PTX_M_RZ:
		flags = VGPU_RND_RZ;
		break;
	case PTX_M_RM:
		flags = VGPU_RND_RM;
		break;
	case PTX_M_RP:
		flags = VGPU_RND_RP;
		break;
	}
	if (ptx_has(l->in, PTX_M_FTZ) && !wide)
		flags |= VGPU_F_FTZ;
	if (ptx_has(l->in, PTX_M_SAT)) {
		if (wide)
			cc_refuse(l, ".sat is for .f32");
		flags |= VGPU_F_SAT;
	}
	return flags;
}

/* ---- the walk ----------------------------------------------------------- */

static void lower_insn(struct cc_lower *l)
{
	const struct lowering *how = &lowerings[l->in->op];
	struct ptx_insn without = *l->in;
	const struct ptx_insn *in = l->in;
	uint32_t copy;

	/* a policy of the cache is the last operand, and means nothing here */
	if (in->count > 1 && ptx_has(in, PTX_M_L2HINT)) {
		without.count--;
		l->in = in = &without;
	}

	if (!how->lower)
		cc_refuse(l, "this instruction is not supported%s",
			  ptx_absent(ptx_op_name(in->op), strlen(ptx_op_name(in->op))));
	for (unsigned int i = 0; i < in->mod_count; i++)
		if (!(ptx_mod_kinds(in->mods[i]) & how->kinds))
			cc_refuse(l, "modifier .%s is not supported here%s",
				  ptx_mod_name(in->mods[i]),
				  ptx_absent(ptx_mod_name(in->mods[i]),
					     strlen(ptx_mod_name(in->mods[i]))));
	for (unsigned int i = 0; i < in->count; i++)
		if (in->ops[i].select_count && !(how->kinds & PTX_K_VIDEO))
			cc_refuse(l, "a part of `%s' is not selected here", in->ops[i].name);
	if (in->count < how->ops_min || in->count > how->ops_max)
		cc_refuse(l, "%u operands where %u are wanted", in->count,
			  in->count < how->ops_min ? how->ops_min : how->ops_max);
	if (in->type_count < how->types_min || in->type_count > how->types_max)
		cc_refuse(l, "%u types where %u are wanted", in->type_count,
			  in->type_count < how->types_min ? how->types_min : how->types_max);
	for (unsigned int i = 0; i < in->type_count; i++)
		if (ptx_type_letter(in->types[i]) == 'o' ||
		    (ptx_type_letter(in->types[i]) == 'm' && in->op != PTX_I_MMA &&
		     in->op != PTX_I_WMMA && in->op != PTX_I_CVT))
			cc_refuse(l, "type .%s is not supported here", ptx_mod_name(in->types[i]));
	l->first_temp = l->cc->vregs_count;
	l->guard = CC_PT;
	l->guard_not = false;
	if (in->guard != PTX_NONE) {
		copy = cc_reg(l, in->guard);
		/*
		 * an instruction that writes predicates may write its own guard before it has read
		 * it
		 */
		if (in->op == PTX_I_SETP || in->op == PTX_I_SHFL || in->op == PTX_I_MATCH ||
		    in->op == PTX_I_ELECT || in->op == PTX_I_MBARRIER) {
			uint32_t own = copy;

			copy = cc_temp(l, CC_P);
			cc_op(l, VGPU_OP_PMOV, 0, copy, own, CC_NONE, CC_NONE);
		}
		l->guard = copy;
		l->guard_not = in->guard_negated;
	}
	if (in->type_count && cc_is_half(in->types[0]) && cc_lower_half(l))
		return;
	for (unsigned int i = 0; i < in->type_count; i++)
		if (in->types[i] == PTX_B128) {
			cc_lower_128(l);
			return;
		}
	how->lower(l);
}

void cc_lower_body(struct cc_lower *l, struct ptx_func *func)
{
	for (uint32_t i = 0; i < func->insns_count; i++) {
		l->in = &func->insns[i];
		if (l->in->op == PTX_I_LABEL)
			cc_place(l, l->frame->first_label + l->in->count);
		else
			lower_insn(l);
	}
}
