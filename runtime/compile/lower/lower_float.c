// SPDX-License-Identifier: MIT
/*
 * Lowering of float arithmetic. The .approx and .full forms become the exact instruction where VASS
 * has one.
 */
#include "lower.h"

#define ONE32	0x3f800000u
#define ONE64	0x3ff0000000000000ull

static bool is_wide(struct cc_lower *l, enum ptx_type type)
{
	if (type != PTX_F32 && type != PTX_F64)
		cc_refuse(l, "type .%s is not supported here, .f32 and .f64 are%s",
			  ptx_mod_name(type),
			  cc_is_half(type) ? " (halves are not taken here)" : "");
	return type == PTX_F64;
}

/* Two operands: add sub mul min max. */
void cc_lower_farith(struct cc_lower *l, unsigned int op32, unsigned int op64)
{
	enum ptx_type type = cc_type(l, 0);
	bool wide = is_wide(l, type);
	unsigned int flags = cc_rounding(l);
	uint32_t dst = cc_dst(l, 0, type);

	if (ptx_has(l->in, PTX_M_CC))
		cc_refuse(l, ".cc on floats");
	if (ptx_has(l->in, PTX_M_NANP)) {	/* a NaN if either is one */
		uint32_t a = cc_src_reg(l, 1, type), b = cc_src_reg(l, 2, type),
			 result = cc_temp(l, CC_R), nan = cc_temp(l, CC_P),
			 nans = cc_const(l, CC_R, 0x7fffffff);

		if (wide)
			cc_refuse(l, ".NaN is for .f32 and halves");
		cc_op(l, op32, flags, result, a, b, CC_NONE);
		cc_op(l, VGPU_OP_SETPF, VGPU_CMP_NAN, nan, a, b, CC_NONE);
		cc_op(l, VGPU_OP_SEL, 0, dst, nans, result, nan);
		return;
	}
	cc_opv(l, wide ? op64 : op32, flags, dst, cc_src(l, 1, type), cc_src(l, 2, type), CC_NONE);
}

void cc_lower_fma(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);
	bool wide = is_wide(l, type);
	unsigned int flags = cc_rounding(l);
	uint32_t dst = cc_dst(l, 0, type);
	struct cc_value a = cc_src(l, 1, type), b = cc_src(l, 2, type);
	uint32_t c = cc_src_reg(l, 3, type);

	if (ptx_mod_of(l->in, PTX_K_LOHI | PTX_K_WIDE | PTX_K_CC) != PTX_M_NONE)
		cc_refuse(l, "a modifier for integers on floats");
	if (ptx_has(l->in, PTX_M_RELU))
		cc_refuse(l, ".relu is supported on halves only");
	/* the constant goes where constants can stand */
	if (a.reg == CC_NONE && b.reg != CC_NONE) {
		struct cc_value swap = a;

		a = b;
		b = swap;
	}
	cc_opv(l, wide ? VGPU_OP_DFMA : VGPU_OP_FFMA, flags, dst, a, b, c);
}

void cc_lower_fdiv(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);

	if (ptx_type_letter(type) != 'f') {
		cc_lower_divrem(l);
		return;
	}
	is_wide(l, type);
	cc_lower_farith(l, VGPU_OP_FDIV, VGPU_OP_DDIV);
}

static void one_over(struct cc_lower *l, bool wide, unsigned int flags, uint32_t dst, uint32_t a)
{
	uint32_t one = cc_const(l, wide ? CC_Q : CC_R, wide ? ONE64 : ONE32);

	cc_op(l, wide ? VGPU_OP_DDIV : VGPU_OP_FDIV, flags, dst, one, a, CC_NONE);
}

void cc_lower_funary(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);
	bool wide = is_wide(l, type), approx = ptx_has(l->in, PTX_M_APPROX);
	unsigned int flags = cc_rounding(l), op32 = 0, op64 = 0;
	uint32_t dst = cc_dst(l, 0, type), a = cc_src_reg(l, 1, type);

	if (ptx_has(l->in, PTX_M_FULL))
		cc_refuse(l, ".full is for div");
	switch (l->in->op) {
	case PTX_I_ABS:
		op32 = VGPU_OP_FABS;
		op64 = VGPU_OP_DABS;
		break;
	case PTX_I_NEG:
		op32 = VGPU_OP_FNEG;
		op64 = VGPU_OP_DNEG;
		break;
	case PTX_I_SQRT:
		op32 = VGPU_OP_FSQRT;
		op64 = VGPU_OP_DSQRT;
		break;
	case PTX_I_RCP:
		if (!approx) {
			one_over(l, wide, flags, dst, a);
			return;
		}
		op32 = VGPU_OP_FRCP;
		op64 = VGPU_OP_DRCP;
		break;
	case PTX_I_RSQRT:
		op32 = VGPU_OP_FRSQ;
		op64 = VGPU_OP_DRSQ;
		break;
	case PTX_I_SIN:
		op32 = VGPU_OP_FSIN;
		break;
	case PTX_I_COS:
		op32 = VGPU_OP_FCOS;
		break;
	case PTX_I_EX2:
		op32 = VGPU_OP_FEX2;
		break;
	case PTX_I_LG2:
		op32 = VGPU_OP_FLG2;
		break;
	case PTX_I_TANH:
		op32 = VGPU_OP_FTANH;
		break;
	}
	if (wide && !op64)
		cc_refuse(l, "type .f32 is wanted");
	cc_op(l, wide ? op64 : op32, flags, dst, a, CC_NONE, CC_NONE);
}

/* The sign of a with the rest of b. */
void cc_lower_copysign(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);
	bool wide = is_wide(l, type);
	enum cc_class class = wide ? CC_Q : CC_R;
	uint32_t dst = cc_dst(l, 0, type), a = cc_src_reg(l, 1, type), b = cc_src_reg(l, 2, type);
	uint32_t sign = cc_temp(l, class), rest = cc_temp(l, class);
	uint64_t mask = wide ? 1ull << 63 : 1u << 31;

	cc_opi(l, wide ? VGPU_OP_ANDQ : VGPU_OP_AND, 0, sign, a, mask, CC_NONE);
	cc_opi(l, wide ? VGPU_OP_ANDQ : VGPU_OP_AND, 0, rest, b, mask - 1, CC_NONE);
	cc_op(l, wide ? VGPU_OP_ORQ : VGPU_OP_OR, 0, dst, sign, rest, CC_NONE);
}

/*
 * Classes of floats are ranges of the bits without the sign: zero, subnormal, normal, infinite,
 * NaN.
 */
void cc_lower_testp(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);
	bool wide = is_wide(l, type);
	unsigned int mod = ptx_mod_of(l->in, PTX_K_TESTP),
		     set = wide ? VGPU_OP_SETPUQ : VGPU_OP_SETPU;
	uint64_t infinity = wide ? 0x7ff0000000000000ull : 0x7f800000u,
		 normal = wide ? 1ull << 52 : 1u << 23;
	uint32_t dst = cc_dst_pred(l, cc_operand(l, 0)), a = cc_src_reg(l, 1, type);
	uint32_t bits = cc_temp(l, wide ? CC_Q : CC_R), from;

	cc_opi(l, wide ? VGPU_OP_ANDQ : VGPU_OP_AND, 0, bits, a, wide ? INT64_MAX : INT32_MAX,
	       CC_NONE);
	switch (mod) {
	case PTX_M_FINITE:
		cc_opi(l, set, VGPU_CMP_LT, dst, bits, infinity, CC_NONE);
		return;
	case PTX_M_INFINITE:
		cc_opi(l, set, VGPU_CMP_EQ, dst, bits, infinity, CC_NONE);
		return;
	case PTX_M_NUMBER:
		cc_opi(l, set, VGPU_CMP_LE, dst, bits, infinity, CC_NONE);
		return;
	case PTX_M_NOTANUMBER:
		cc_opi(l, set, VGPU_CMP_GT, dst, bits, infinity, CC_NONE);
		return;
	case PTX_M_NORMAL:
	case PTX_M_SUBNORMAL:
		break;
	default:
		cc_refuse(l, "a property to test for is missing");
	}
	from = cc_temp(l, wide ? CC_Q : CC_R);
	cc_opi(l, wide ? VGPU_OP_SUBQ : VGPU_OP_SUB, 0, from, bits,
	       mod == PTX_M_NORMAL ? normal : 1, CC_NONE);
	cc_opi(l, set, VGPU_CMP_LT, dst, from, mod == PTX_M_NORMAL ? infinity - normal : normal - 1,
	       CC_NONE);
}
