// SPDX-License-Identifier: MIT
/*
 * Lowering of cvt in all its forms, cvta and isspacep. 8 and 16-bit integers convert as 32-bit
 * ones, extended before and clamped after; halves convert through f32, which is exact one way and
 * made so the other way (to_half).
 */
#include "lower.h"

static bool is_float(enum ptx_type type)
{
	return ptx_type_letter(type) == 'f';
}

static unsigned int int_rounding(struct cc_lower *l)
{
	switch (ptx_mod_of(l->in, PTX_K_RNDI)) {
	case PTX_M_RZI:
		return VGPU_RND_RZ;
	case PTX_M_RMI:
		return VGPU_RND_RM;
	case PTX_M_RPI:
		return VGPU_RND_RP;
	default:
		return VGPU_RND_RN;
	}
}

static unsigned int float_rounding(struct cc_lower *l)
{
	switch (ptx_mod_of(l->in, PTX_K_RND)) {
	case PTX_M_RZ:
		return VGPU_RND_RZ;
	case PTX_M_RM:
		return VGPU_RND_RM;
	case PTX_M_RP:
		return VGPU_RND_RP;
	default:
		return VGPU_RND_RN;
	}
}

static void type_limits(enum ptx_type type, int64_t *low, int64_t *high)
{
	unsigned int bits = ptx_type_bytes(type) * 8;

	if (cc_signed(type)) {
		*low = bits == 64 ? INT64_MIN : -(1ll << (bits - 1));
		*high = bits == 64 ? INT64_MAX : (1ll << (bits - 1)) - 1;
	} else {
		*low = 0;
		*high = bits == 64 ? INT64_MAX :
				     (1ll << bits) - 1; /* of u64: as far as signed values go */
	}
}

/* A 32-bit integer of signedness `sign` clamped to the 8 or 16-bit type. */
static uint32_t clamp32(struct cc_lower *l, uint32_t value, bool sign, enum ptx_type type)
{
	uint32_t low = value, out = cc_temp(l, CC_R);
	int64_t min, max;

	type_limits(type, &min, &max);
	if (sign) {
		low = cc_temp(l, CC_R);
		cc_opi(l, VGPU_OP_MAXS, 0, low, value, (uint64_t)min, CC_NONE);
	}
	cc_opi(l, sign ? VGPU_OP_MINS : VGPU_OP_MINU, 0, out, low, (uint64_t)max, CC_NONE);
	return out;
}

/* The source integer in a Q register. */
static uint32_t widen(struct cc_lower *l, uint32_t value, enum ptx_type type)
{
	uint32_t out;

	if (ptx_type_bytes(type) == 8)
		return value;
	out = cc_temp(l, CC_Q);
	cc_op(l, cc_signed(type) ? VGPU_OP_SXQ : VGPU_OP_ZXQ, 0, out, value, CC_NONE, CC_NONE);
	return out;
}

/*
 * Writes the integer `value`, right in the low bits of the type and extended to 32 bits, to a
 * destination that may be wider than the type.
 */
static void write_int(struct cc_lower *l, uint32_t dst, uint32_t value, enum ptx_type type)
{
	if (l->cc->vregs[dst] == CC_Q && l->cc->vregs[value] == CC_R)
		cc_op(l, cc_signed(type) ? VGPU_OP_SXQ : VGPU_OP_ZXQ, 0, dst, value, CC_NONE,
		      CC_NONE);
	else if (l->cc->vregs[dst] == CC_Q)
		cc_op(l, VGPU_OP_MOVQ, 0, dst, CC_NONE, value, CC_NONE);
	else if (l->cc->vregs[value] == CC_Q)
		cc_op(l, VGPU_OP_UNLO, 0, dst, value, CC_NONE, CC_NONE);
	else
		cc_op(l, VGPU_OP_MOV, 0, dst, CC_NONE, value, CC_NONE);
}

static void int_to_int(struct cc_lower *l, enum ptx_type dtype, enum ptx_type stype, uint32_t dst,
		       uint32_t value)
{
	unsigned int dbytes = ptx_type_bytes(dtype), sbytes = ptx_type_bytes(stype);
	const struct ptx_operand *o = cc_operand(l, 0);
	bool exact = o->kind != PTX_OPND_REG ||
		     ptx_type_bytes(l->frame->func->regs[o->reg].type) == dbytes;
	uint32_t wide, low, out;
	struct cc_value v = { .reg = value };
	int64_t min, max;

	if (sbytes < 4)
		v = cc_extended(l, v, stype);
	if (ptx_has(l->in, PTX_M_SAT)) {
		wide = widen(l, v.reg, stype);
		type_limits(dtype, &min, &max);
		low = wide;
		if (cc_signed(stype)) {	/* an unsigned source is never too small */
			low = cc_temp(l, CC_Q);
			cc_opi(l, VGPU_OP_MAXSQ, 0, low, wide, (uint64_t)min, CC_NONE);
		}
		out = low;
		if (dbytes < 8 || cc_signed(dtype)) {
			out = cc_temp(l, CC_Q);
			cc_opi(l, cc_signed(stype) ? VGPU_OP_MINSQ : VGPU_OP_MINUQ, 0, out, low,
			       (uint64_t)max, CC_NONE);
		}
		write_int(l, dst, out, dtype);
		return;
	}
	if (dbytes == 8) {
		write_int(l, dst, widen(l, v.reg, stype), dtype);
		return;
	}
	if (sbytes == 8) {
		low = cc_temp(l, CC_R);
		cc_op(l, VGPU_OP_UNLO, 0, low, v.reg, CC_NONE, CC_NONE);
		v.reg = low;
	}
	/* the register may be wider than the type: define its upper bits */
	if (dbytes < 4 && dbytes < sbytes && !exact)
		v = cc_extended(l, v, dtype);
	write_int(l, dst, v.reg, dtype);
}

static void float_to_int(struct cc_lower *l, enum ptx_type dtype, enum ptx_type stype, uint32_t dst,
			 uint32_t value)
{
	unsigned int dbytes = ptx_type_bytes(dtype), flags = int_rounding(l);
	bool wide = ptx_type_bytes(stype) == 8;
	uint32_t out, single;

	if (cc_signed(dtype))
		flags |= VGPU_F_SIGNED;
	if (ptx_has(l->in, PTX_M_FTZ))
		flags |= VGPU_F_FTZ;
	if (stype == PTX_F16) {
		single = cc_temp(l, CC_R);
		cc_op(l, VGPU_OP_H2F, 0, single, value, CC_NONE, CC_NONE);
		value = single;
	}
	if (dbytes == 8) {
		cc_op(l, wide ? VGPU_OP_D2L : VGPU_OP_F2L, flags, dst, value, CC_NONE, CC_NONE);
		return;
	}
	out = cc_temp(l, CC_R);
	cc_op(l, wide ? VGPU_OP_D2I : VGPU_OP_F2I, flags, out, value, CC_NONE, CC_NONE);
	if (dbytes < 4)
		out = clamp32(l, out, cc_signed(dtype), dtype);
	/* a NaN is the top bit alone, not what that is clamped to */
	if (dbytes < 4 && wide && !cc_signed(dtype)) {
		uint32_t number = cc_temp(l, CC_P),
			 top = cc_const(l, CC_R, 1ull << (dbytes * 8 - 1)), clamped = out;

		out = cc_temp(l, CC_R);
		cc_op(l, VGPU_OP_SETPD, VGPU_CMP_NUM, number, value, value, CC_NONE);
		cc_op(l, VGPU_OP_SEL, 0, out, clamped, top, number);
	}
	write_int(l, dst, out, dtype);
}

/*
 * To half, rounded once. From f64 the step to f32 rounds to odd: cut off, last bit set when
 * anything was lost.
 */
static uint32_t to_half(struct cc_lower *l, uint32_t value, bool wide, unsigned int flags)
{
	uint32_t half = cc_temp(l, CC_R), cut, back, lost, bit, odd;

	if (wide) {
		cut = cc_temp(l, CC_R);
		back = cc_temp(l, CC_Q);
		lost = cc_temp(l, CC_P);
		bit = cc_temp(l, CC_R);
		odd = cc_temp(l, CC_R);
		cc_op(l, VGPU_OP_D2F, VGPU_RND_RZ, cut, value, CC_NONE, CC_NONE);
		cc_op(l, VGPU_OP_F2D, 0, back, cut, CC_NONE, CC_NONE);
		cc_op(l, VGPU_OP_SETPD, VGPU_CMP_NEU, lost, back, value, CC_NONE);
		cc_op(l, VGPU_OP_P2R, 0, bit, lost, CC_NONE, CC_NONE);
		cc_op(l, VGPU_OP_OR, 0, odd, cut, bit, CC_NONE);
		value = odd;
	}
	cc_op(l, VGPU_OP_F2H, flags, half, value, CC_NONE, CC_NONE);
	return half;
}

static void int_to_float(struct cc_lower *l, enum ptx_type dtype, enum ptx_type stype, uint32_t dst,
			 uint32_t value)
{
	unsigned int flags = float_rounding(l) | (cc_signed(stype) ? VGPU_F_SIGNED : 0);
	bool wide = ptx_type_bytes(stype) == 8;
	struct cc_value v = { .reg = value };
	uint32_t out = dtype == PTX_F16 ? cc_temp(l, CC_R) : dst;

	if (!wide)
		v = cc_extended(l, v, stype);
	if (dtype == PTX_F64) {
		cc_op(l, wide ? VGPU_OP_L2D : VGPU_OP_I2D, flags, dst, v.reg, CC_NONE, CC_NONE);
		return;
	}
	if (ptx_has(l->in, PTX_M_SAT))
		flags |= VGPU_F_SAT;
	/*
	 * integers that f32 has to round are beyond what a half can hold, so nothing is rounded
	 * twice
	 */
	cc_op(l, wide ? VGPU_OP_L2F : VGPU_OP_I2F, flags, out, v.reg, CC_NONE, CC_NONE);
	if (dtype == PTX_F16)
		cc_op(l, VGPU_OP_MOV, 0, dst, CC_NONE, to_half(l, out, false, float_rounding(l)),
		      CC_NONE);
}

/* A float of one width to the same width: rounded to an integral value, flushed or saturated. */
static void same_width(struct cc_lower *l, enum ptx_type type, uint32_t dst, uint32_t value)
{
	bool integral = ptx_mod_of(l->in, PTX_K_RNDI) != PTX_M_NONE, wide = type == PTX_F64;
	unsigned int flags = 0;

	if (ptx_has(l->in, PTX_M_FTZ) && !wide)
		flags |= VGPU_F_FTZ;
	if (ptx_has(l->in, PTX_M_SAT)) {
		if (wide)
			cc_refuse(l, ".sat is for .f32");
		flags |= VGPU_F_SAT;
	}
	if (integral)
		cc_op(l, wide ? VGPU_OP_DRND : VGPU_OP_FRND, flags | int_rounding(l), dst, value,
		      CC_NONE, CC_NONE);
	else if (flags)	/* adding -0 changes nothing but what the flags do */
		cc_opi(l, VGPU_OP_FADD, flags, dst, value, 0x80000000u, CC_NONE);
	else
		cc_move(l, dst, (struct cc_value){ .reg = value });
}

static void float_to_float(struct cc_lower *l, enum ptx_type dtype, enum ptx_type stype,
			   uint32_t dst, uint32_t value)
{
	unsigned int flags = float_rounding(l);
	uint32_t single;

	if (ptx_has(l->in, PTX_M_FTZ))
		flags |= VGPU_F_FTZ;
	if (ptx_has(l->in, PTX_M_SAT))
		flags |= VGPU_F_SAT;
	if (stype == PTX_F16) {
		single = dtype == PTX_F32 && !(flags & VGPU_F_SAT) ? dst : cc_temp(l, CC_R);
		cc_op(l, VGPU_OP_H2F, 0, single, value, CC_NONE, CC_NONE);
		if (dtype == PTX_F64) {
			cc_op(l, VGPU_OP_F2D, 0, dst, single, CC_NONE, CC_NONE);
		} else if (dtype == PTX_F16) {
			uint32_t rounded = cc_temp(l, CC_R);

			same_width(l, PTX_F32, rounded, single);
			cc_op(l, VGPU_OP_MOV, 0, dst, CC_NONE, to_half(l, rounded, false, 0),
			      CC_NONE);
		} else if (flags & VGPU_F_SAT) {
			same_width(l, PTX_F32, dst, single);
		}
		return;
	}
	if (dtype == PTX_F16) {
		if (flags & VGPU_F_SAT)
			cc_refuse(l, ".sat is not supported here");
		cc_op(l, VGPU_OP_MOV, 0, dst, CC_NONE, to_half(l, value, stype == PTX_F64, flags),
		      CC_NONE);
		return;
	}
	if (ptx_mod_of(l->in, PTX_K_RNDI) != PTX_M_NONE && dtype != stype)
		cc_refuse(l, "rounding to an integral value goes with equal types");
	if (dtype == stype)
		same_width(l, dtype, dst, value);
	else if (dtype == PTX_F64)
		cc_op(l, VGPU_OP_F2D, flags & VGPU_F_FTZ, dst, value, CC_NONE, CC_NONE);
	else
		cc_op(l, VGPU_OP_D2F, flags, dst, value, CC_NONE, CC_NONE);
}

void cc_lower_cvt(struct cc_lower *l)
{
	enum ptx_type dtype = cc_type(l, 0), stype = cc_type(l, 1);
	uint32_t dst, value;

	if (cc_lower_cvt_small(l, dtype, stype))
		return;
	if (ptx_mod_of(l->in, PTX_K_FINITE | PTX_K_RNA) != PTX_M_NONE)
		cc_refuse(l, ".satfinite and .rna are not supported to these types");
	if (cc_lower_cvt_half(l, dtype, stype))
		return;
	if (ptx_has(l->in, PTX_M_RELU))
		cc_refuse(l, ".relu is supported to .bf16 and to pairs of halves only");
	if (dtype == PTX_PRED || stype == PTX_PRED || dtype == PTX_F16X2 || stype == PTX_F16X2)
		cc_refuse(l, "these types cannot be converted");
	if (ptx_type_letter(dtype) == 'b' || ptx_type_letter(stype) == 'b')
		cc_refuse(l, "a type with a meaning (.u, .s or .f) is wanted");
	dst = cc_dst_element(l, cc_operand(l, 0), dtype, !is_float(dtype));
	value = cc_in_reg(l, cc_src_element(l, cc_operand(l, 1), stype, !is_float(stype)),
			  cc_class_of(stype));
	if (is_float(dtype) && is_float(stype))
		float_to_float(l, dtype, stype, dst, value);
	else if (is_float(dtype))
		int_to_float(l, dtype, stype, dst, value);
	else if (is_float(stype))
		float_to_int(l, dtype, stype, dst, value);
	else
		int_to_int(l, dtype, stype, dst, value);
}

/*
 * Global and constant addresses are generic ones already; shared and local ones get their window.
 */
void cc_lower_cvta(struct cc_lower *l)
{
	unsigned int space = ptx_mod_of(l->in, PTX_K_SPACE);
	bool to = ptx_has(l->in, PTX_M_TO);
	uint64_t window = 0;
	struct cc_value a;
	uint32_t dst;

	if (ptx_type_bytes(cc_type(l, 0)) != 8)
		cc_refuse(l, "type .u64 is wanted");
	switch (space) {
	case PTX_M_SHARED:
	case PTX_M_SHAREDCTA:
		window = VGPU_SHARED_WINDOW;
		break;
	case PTX_M_LOCAL:
	case PTX_M_PARAM:	/* a parameter with an address lives in local memory */
		window = VGPU_LOCAL_WINDOW;
		break;
	case PTX_M_GLOBAL:
	case PTX_M_CONST:
		break;
	default:
		cc_refuse(l, "a state space is missing");
	}
	dst = cc_dst(l, 0, PTX_U64);
	a = cc_src(l, 1, PTX_U64);
	if (!window)
		cc_move(l, dst, a);
	else
		cc_opv(l, to ? VGPU_OP_SUBQ : VGPU_OP_ADDQ, 0, dst, a,
		       (struct cc_value){ .reg = CC_NONE, .imm = window }, CC_NONE);
}

void cc_lower_isspacep(struct cc_lower *l)
{
	unsigned int space = ptx_mod_of(l->in, PTX_K_SPACE);
	uint32_t dst = cc_dst_pred(l, cc_operand(l, 0)), a = cc_src_reg(l, 1, PTX_U64), top;
	uint64_t window = 0;

	if (space == PTX_M_SHARED || space == PTX_M_SHAREDCTA)
		window = VGPU_SHARED_WINDOW;
	else if (space == PTX_M_LOCAL)
		window = VGPU_LOCAL_WINDOW;
	else if (space != PTX_M_GLOBAL)
		cc_refuse(l, "only .global, .shared and .local addresses can be told apart");
	top = cc_temp(l, CC_Q);
	cc_opi(l, VGPU_OP_ANDQ, 0, top, a, VGPU_WINDOW_MASK, CC_NONE);
	cc_opi(l, VGPU_OP_SETPUQ, VGPU_CMP_EQ, dst, top, window, CC_NONE);
}
