// SPDX-License-Identifier: MIT
/*
 * Conversions: between floats, between floats and integers with each rounding, and of bits as they
 * are. Integers that do not fit and NaN are defined for the intrinsics; for casts the text stays
 * inside the range.
 */
#include "random.h"

#define T (op->result)
#define FROM (op->arg[0])
#define EVAL(name, expr)                                               \
	static uint64_t name(const struct op *op, const uint64_t *arg) \
	{                                                              \
		(void)op;                                              \
		return expr;                                           \
	}

EVAL(from_int, soft_from_int(T, FROM, arg[0], (enum mode)op->param))
EVAL(to_int, soft_to_int(T, FROM, arg[0], (enum mode)op->param))
EVAL(convert, soft_convert(T, FROM, arg[0], (enum mode)op->param))
EVAL(as_bits, soft_is_nan(FROM, arg[0]) ? soft_nan(FROM) : arg[0])
EVAL(as_float, arg[0])
EVAL(high, (soft_is_nan(FROM, arg[0]) ? soft_nan(FROM) : arg[0]) >> 32)
EVAL(low, (uint32_t)(soft_is_nan(FROM, arg[0]) ? soft_nan(FROM) : arg[0]))
EVAL(both, arg[0] << 32 | arg[1])

/* (int)inside(a, limit): NaN and what lies outside become the limits, which are whole numbers. */
static uint64_t inside(const struct op *op, const uint64_t *arg)
{
	double a = soft_value(FROM, arg[0]), limit = (double)(1ull << op->param),
	       lowest = is_signed(T) ? -limit : 0;

	return truncated(T, (uint64_t)(int64_t)(!(a >= lowest) ? lowest : a > limit ? limit : a));
}

/* clang-format off */
#define CONVERT(name, to, from, eval, mode, flags) \
	{ name "($a)", C_CONVERT, to, 1, { from }, eval, mode, flags },
#define MODES(name, to, from, eval, flags) \
	CONVERT(name "_rn", to, from, eval, RN, flags) \
	CONVERT(name "_rz", to, from, eval, RZ, flags) \
	CONVERT(name "_ru", to, from, eval, RU, flags) \
	CONVERT(name "_rd", to, from, eval, RD, flags)
#define CAST(to, name, from, eval) CONVERT("(" name ")", to, from, eval, RN, OP_FTZ)
#define CASTS(to, name) \
	CAST(to, name, T_U32, from_int) \
	CAST(to, name, T_S32, from_int) \
	CAST(to, name, T_U64, from_int) \
	CAST(to, name, T_S64, from_int) \
	CAST(to, name, T_U8, from_int) \
	CAST(to, name, T_S8, from_int) \
	CAST(to, name, T_U16, from_int) \
	CAST(to, name, T_S16, from_int)
#define INSIDE(to, name, from, f, limit, bits) \
	{ "(" name ")inside($a, " limit f ")", C_CONVERT, to, 1, { from }, inside, bits, OP_FTZ },
#define INSIDEU(to, name, from, f, limit, bits) \
	{ "(" name ")insideu($a, " limit f ")", C_CONVERT, to, 1, { from }, inside, bits, \
		OP_FTZ },
#define INSIDES(from, f) \
	INSIDE(T_S32, "int", from, f, "1073741824.0", 30) \
	INSIDEU(T_U32, "unsigned int", from, f, "2147483648.0", 31) \
	INSIDE(T_S64, "s64", from, f, "4611686018427387904.0", 62) \
	INSIDEU(T_U64, "u64", from, f, "4611686018427387904.0", 62) \
	INSIDE(T_S8, "signed char", from, f, "64.0", 6) \
	INSIDEU(T_U8, "unsigned char", from, f, "128.0", 7) \
	INSIDE(T_S16, "short", from, f, "16384.0", 14) \
	INSIDEU(T_U16, "unsigned short", from, f, "32768.0", 15)

const struct op convert_ops[] = {
	MODES("__float2int", T_S32, T_F32, to_int, OP_FTZ)
	MODES( "__float2uint", T_U32, T_F32, to_int, OP_FTZ)
	MODES("__float2ll", T_S64, T_F32, to_int, OP_FTZ)
	MODES("__float2ull", T_U64, T_F32, to_int, OP_FTZ)
	MODES("__double2int", T_S32, T_F64, to_int, 0)
	MODES("__double2uint", T_U32, T_F64, to_int, 0)
	MODES("__double2ll", T_S64, T_F64, to_int, 0)
	MODES("__double2ull", T_U64, T_F64, to_int, 0)
	MODES("__int2float", T_F32, T_S32, from_int, OP_FTZ)
	MODES("__uint2float", T_F32, T_U32, from_int, OP_FTZ)
	MODES("__ll2float", T_F32, T_S64, from_int, OP_FTZ)
	MODES("__ull2float", T_F32, T_U64, from_int, OP_FTZ)
	MODES("__ll2double", T_F64, T_S64, from_int, 0)
	MODES("__ull2double", T_F64, T_U64, from_int, 0)
	CONVERT("__int2double_rn", T_F64, T_S32, from_int, RN, 0)
	CONVERT("__uint2double_rn", T_F64, T_U32, from_int, RN, 0)
	MODES("__double2float", T_F32, T_F64, convert, OP_FTZ)
	CONVERT("(double)", T_F64, T_F32, convert, RN, OP_FTZ)
	CONVERT("(float)", T_F32, T_F64, convert, RN, OP_FTZ)
	CASTS(T_F32, "float")
	CASTS(T_F64, "double")
	INSIDES(T_F32, "f")
	INSIDES(T_F64, "")
	CONVERT( "__float2half_rn", T_F16, T_F32, convert, RN, 0)
	CONVERT("__float2half", T_F16, T_F32, convert, RN, 0)
	CONVERT("__half2float", T_F32, T_F16, convert, RN, 0)
	{ "__float_as_int(whole($a))", C_CONVERT, T_S32, 1, { T_F32 }, as_bits, 0, 0 },
	{ "__float_as_uint(whole($a))", C_CONVERT, T_U32, 1, { T_F32 }, as_bits, 0, 0 },
	{ "__double_as_longlong(whole($a))", C_CONVERT, T_S64, 1, { T_F64 }, as_bits, 0, 0 },
	{ "__half_as_ushort(whole($a))", C_CONVERT, T_U16, 1, { T_F16 }, as_bits, 0, 0 },
	{ "__double2hiint(whole($a))", C_CONVERT, T_S32, 1, { T_F64 }, high, 0, 0 },
	{ "__double2loint(whole($a))", C_CONVERT, T_S32, 1, { T_F64 }, low, 0, 0 },
	{ "__int_as_float($a)", C_CONVERT, T_F32, 1, { T_S32 }, as_float, 0, 0 },
	{ "__uint_as_float($a)", C_CONVERT, T_F32, 1, { T_U32 }, as_float, 0, 0 },
	{ "__longlong_as_double($a)", C_CONVERT, T_F64, 1, { T_S64 }, as_float, 0, 0 },
	{ "__hiloint2double($a, $b)", C_CONVERT, T_F64, 2, { T_S32, T_S32 }, both, 0, 0 },
	{ "__ushort_as_half($a)", C_CONVERT, T_F16, 1, { T_U16 }, as_float, 0, 0 },
};
const unsigned int convert_op_count = sizeof(convert_ops) / sizeof(*convert_ops);
