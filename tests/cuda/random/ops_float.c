// SPDX-License-Identifier: MIT
/*
 * Operations on floats and halves. Only those with one documented result: rounded once, or exact.
 * Where a NaN's sign or payload would show (whole(): copysign, the bits themselves) the text makes
 * it the canonical NaN first.
 */
#include "random.h"

#include <math.h>
#include <string.h>

#define T (op->result)
#define FROM (op->arg[0])
#define EVAL(name, expr)                                               \
	static uint64_t name(const struct op *op, const uint64_t *arg) \
	{                                                              \
		(void)op;                                              \
		return expr;                                           \
	}

EVAL(add, soft_add(T, arg[0], arg[1], (enum mode)op->param))
EVAL(sub, soft_add(T, arg[0], soft_neg(T, arg[1]), (enum mode)op->param))
EVAL(mul, soft_mul(T, arg[0], arg[1], (enum mode)op->param))
EVAL(div_, soft_div(T, arg[0], arg[1], (enum mode)op->param))
EVAL(fma_, soft_fma(T, arg[0], arg[1], arg[2], (enum mode)op->param))
EVAL(sqrt_, soft_sqrt(T, arg[0], (enum mode)op->param))
EVAL(rcp,
     soft_div(T, T == T_F32 ? 0x3f800000 : 0x3ff0000000000000ull, arg[0], (enum mode)op->param))
EVAL(neg, soft_neg(T, arg[0]))
EVAL(integral, soft_integral(T, arg[0], (enum mode)op->param))
EVAL(lt, soft_value(FROM, arg[0]) < soft_value(FROM, arg[1]))
EVAL(le, soft_value(FROM, arg[0]) <= soft_value(FROM, arg[1]))
EVAL(gt, soft_value(FROM, arg[0]) > soft_value(FROM, arg[1]))
EVAL(ge, soft_value(FROM, arg[0]) >= soft_value(FROM, arg[1]))
EVAL(eq, soft_value(FROM, arg[0]) == soft_value(FROM, arg[1]))
EVAL(ne, soft_value(FROM, arg[0]) != soft_value(FROM, arg[1]))
EVAL(not_lt, !(soft_value(FROM, arg[0]) < soft_value(FROM, arg[1])))
EVAL(not_ge, !(soft_value(FROM, arg[0]) >= soft_value(FROM, arg[1])))
EVAL(is_nan, soft_is_nan(FROM, arg[0]))
EVAL(is_inf, !!isinf(soft_value(FROM, arg[0])))
EVAL(select_, arg[0] ? arg[1] : arg[2])

static uint64_t sign_of(enum type type, uint64_t a)
{
	return a & 1ull << (bits_of(type) - 1);
}

static uint64_t whole(enum type type, uint64_t a)
{
	return soft_is_nan(type, a) ? soft_nan(type) : a;
}
EVAL(absolute, whole(T, arg[0]) & ~sign_of(T, ~0ull))
EVAL(copysign_, (whole(T, arg[0]) & ~sign_of(T, ~0ull)) | sign_of(T, whole(T, arg[1])))
EVAL(sign, !!sign_of(FROM, whole(FROM, arg[0])))

/* The other when one is NaN; -0 is below +0. param: 1 the larger */
static uint64_t min_max(const struct op *op, const uint64_t *arg)
{
	double a = soft_value(T, arg[0]), b = soft_value(T, arg[1]);
	bool less;

	if (isnan(a) || isnan(b))
		return isnan(a) ? whole(T, arg[1]) : arg[0];
	less = a < b || (a == b && signbit(a));
	return less != (bool)op->param ? arg[0] : arg[1];
}

static uint64_t difference(const struct op *op, const uint64_t *arg)
{
	if (soft_is_nan(T, arg[0]) || soft_is_nan(T, arg[1]))
		return soft_nan(T);
	return soft_value(T, arg[0]) > soft_value(T, arg[1])
		       ? soft_add(T, arg[0], soft_neg(T, arg[1]), RN)
		       : 0;
}

static uint64_t bits_of_double(enum type to, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return soft_convert(to, T_F64, bits, RN);
}

/* What the C library of this machine gives is exact, and so the same number everywhere. */
EVAL(fmod_, bits_of_double(T, T == T_F64 ? fmod(soft_value(T, arg[0]), soft_value(T, arg[1]))
					 : (double)fmodf((float)soft_value(T, arg[0]),
							 (float)soft_value(T, arg[1]))))
EVAL(remainder_,
     bits_of_double(T, T == T_F64 ? remainder(soft_value(T, arg[0]), soft_value(T, arg[1]))
				  : (double)remainderf((float)soft_value(T, arg[0]),
						       (float)soft_value(T, arg[1]))))
/* plus 0: the sign of a zero that comes out is not documented */
EVAL(next,
     bits_of_double(T, T == T_F64 ? nextafter(soft_value(T, arg[0]), soft_value(T, arg[1])) + 0.0
				  : (double)nextafterf((float)soft_value(T, arg[0]),
						       (float)soft_value(T, arg[1])) +
					    0.0))
EVAL(scale, soft_scale(T, arg[0], (int)int_value(T_S32, arg[1]) % 300))

static uint64_t saturate(const struct op *op, const uint64_t *arg)
{
	double a = soft_value(T, arg[0]);

	return isnan(a) || a <= 0 ? 0 : a >= 1 ? 0x3f800000 : arg[0];
}

/* round(): ties away from zero, and the sign of zero stays */
/* clang-format off */
#define MODES(class, t, n, name, text_args, eval, flags, ...) \
	{ name "_rn" text_args, class, t, n, { __VA_ARGS__ }, eval, RN, flags }, \
	{ name "_rz" text_args, class, t, n, { __VA_ARGS__ }, eval, RZ, flags }, \
	{ name "_ru" text_args, class, t, n, { __VA_ARGS__ }, eval, RU, flags }, \
	{ name "_rd" text_args, class, t, n, { __VA_ARGS__ }, eval, RD, flags },
#define F1(class, t, text, eval, param, flags) { text, class, t, 1, { t }, eval, param, flags },
#define F2(class, t, text, eval, param, flags) { text, class, t, 2, { t, t }, eval, param, flags },
#define TEST2(class, t, text, eval) \
	{ "(int)(" text ")", class, T_S32, 2, { t, t }, eval, 0, OP_FTZ },
#define FLOATS(class, t, f) \
	F2(class, t, "($a + $b)", add, RN, OP_FTZ) \
	F2(class, t, "($a - $b)", sub, RN, OP_FTZ) \
	F2(class, t, "($a * $b)", mul, RN, OP_FTZ) \
	F2(class, t, "($a / $b)", div_, RN, OP_FTZ) \
	F1(class, t, "(-$a)", neg, 0, 0) \
	F1( class, t, "sqrt" f "($a)", sqrt_, RN, OP_FTZ) \
	F1(class, t, "fabs" f "($a)", absolute, 0, 0) \
	F2(class, t, "copysign" f "($a, whole($b))", copysign_, 0, 0) \
	F2(class, t, "fmin" f "($a, $b)", min_max, 0, 0) \
	F2(class, t, "fmax" f "($a, $b)", min_max, 1, 0) \
	F2(class, t, "fdim" f "($a, $b)", difference, 0, 0) \
	{ "fma" f "($a, $b, $c)", class, t, 3, { t, t, t }, fma_, RN, OP_FTZ }, \
	F1(class, t, "floor" f "($a)", integral, RD, 0) \
	F1(class, t, "ceil" f "($a)", integral, RU, 0) \
	F1(class, t, "trunc" f "($a)", integral, RZ, 0) \
	F1(class, t, "rint" f "($a)", integral, RN, 0) \
	F1(class, t, "nearbyint" f "($a)", integral, RN, 0) \
	F1(class, t, "round" f "($a)", integral, AWAY, 0) \
	F2(class, t, "fmod" f "($a, $b)", fmod_, 0, 0) \
	F2(class, t, "remainder" f "($a, $b)", remainder_, 0, 0) \
	F2(class, t, "(nextafter" f "($a, $b) + 0)", next, 0, 0) \
	{ "ldexp" f "($a, $b % 300)", class, t, 2, { t, T_S32 }, scale, 0, 0 }, \
	{ "scalbn" f "($a, $b % 300)", class, t, 2, { t, T_S32 }, scale, 0, 0 }, \
	TEST2(class, t, "$a < $b", lt) \
	TEST2(class, t, "$a <= $b", le) \
	TEST2( class, t, "$a > $b", gt) \
	TEST2(class, t, "$a >= $b", ge) \
	TEST2(class, t, "$a == $b", eq) \
	TEST2(class, t, "$a != $b", ne) \
	TEST2( class, t, "!($a < $b)", not_lt) \
	TEST2(class, t, "!($a >= $b)", not_ge) \
	{ "(isnan($a) ? 1 : 0)", class, T_S32, 1, { t }, is_nan, 0, 0 }, \
	{ "(isinf($a) ? 1 : 0)", class, T_S32, 1, { t }, is_inf, 0, 0 }, \
	{ "(signbit(whole($a)) ? 1 : 0)", class, T_S32, 1, { t }, sign, 0, 0 }, \
	{ "($a ? $b : $c)", class, t, 3, { T_S32, t, t }, select_, 0, 0 },
#define H2(text, eval) { text "($a, $b)", C_HALF, T_F16, 2, { T_F16, T_F16 }, eval, RN, 0 },
#define HTEST(text, eval) \
	{ "(int)" text "($a, $b)", C_HALF, T_S32, 2, { T_F16, T_F16 }, eval, 0, 0 },

const struct op float_ops[] = {
	FLOATS(C_FLOAT, T_F32, "f")
	FLOATS(C_DOUBLE, T_F64, "")
	MODES( C_FLOAT, T_F32, 2, "__fadd", "($a, $b)", add, OP_FTZ, T_F32, T_F32)
	MODES(C_FLOAT, T_F32, 2, "__fsub", "($a, $b)", sub, OP_FTZ, T_F32, T_F32)
	MODES(C_FLOAT, T_F32, 2, "__fmul", "($a, $b)", mul, OP_FTZ, T_F32, T_F32)
	MODES(C_FLOAT, T_F32, 2, "__fdiv", "($a, $b)", div_, OP_FTZ, T_F32, T_F32)
	MODES( C_FLOAT, T_F32, 3, "__fmaf", "($a, $b, $c)", fma_, OP_FTZ, T_F32, T_F32, T_F32)
	MODES(C_FLOAT, T_F32, 1, "__fsqrt", "($a)", sqrt_, OP_FTZ, T_F32)
	MODES(C_FLOAT, T_F32, 1, "__frcp", "($a)", rcp, OP_FTZ, T_F32)
	MODES( C_DOUBLE, T_F64, 2, "__dadd", "($a, $b)", add, 0, T_F64, T_F64)
	MODES(C_DOUBLE, T_F64, 2, "__dsub", "($a, $b)", sub, 0, T_F64, T_F64)
	MODES(C_DOUBLE, T_F64, 2, "__dmul", "($a, $b)", mul, 0, T_F64, T_F64)
	MODES(C_DOUBLE, T_F64, 2, "__ddiv", "($a, $b)", div_, 0, T_F64, T_F64)
	MODES(C_DOUBLE, T_F64, 3, "__fma", "($a, $b, $c)", fma_, 0, T_F64, T_F64, T_F64)
	MODES(C_DOUBLE, T_F64, 1, "__dsqrt", "($a)", sqrt_, 0, T_F64)
	MODES(C_DOUBLE, T_F64, 1, "__drcp", "($a)", rcp, 0, T_F64)
	F1(C_FLOAT, T_F32, "__saturatef($a)", saturate, 0, 0)
	H2("__hadd", add)
	H2("__hsub", sub)
	H2("__hmul", mul)
	{ "__hfma($a, $b, $c)", C_HALF, T_F16, 3, { T_F16, T_F16, T_F16 }, fma_, RN, 0 },
	{ "__hneg(whole($a))", C_HALF, T_F16, 1, { T_F16 }, neg, 0, 0 },
	{ "__habs($a)", C_HALF, T_F16, 1, { T_F16 }, absolute, 0, 0 },
	HTEST("__heq", eq)
	HTEST("__hlt", lt)
	HTEST("__hle", le)
	HTEST("__hgt", gt)
	HTEST("__hge", ge)
	{ "($a ? $b : $c)", C_HALF, T_F16, 3, { T_S32, T_F16, T_F16 }, select_, 0, 0 },
};
const unsigned int float_op_count = sizeof(float_ops) / sizeof(*float_ops);
