// SPDX-License-Identifier: MIT
/*
 * Operations on integers: what C++ has, CUDA's bit intrinsics, the operations on bytes and
 * half-words of a word. Where C++ leaves a case open (a sum that does not fit, a shift too far,
 * division by 0), the text avoids it.
 */
#include "random.h"

#define A int_value(op->arg[0], arg[0])
#define B int_value(op->arg[1], arg[1])
#define C int_value(op->arg[2], arg[2])
#define EVAL(name, expr)                                               \
	static uint64_t name(const struct op *op, const uint64_t *arg) \
	{                                                              \
		return truncated(op->result, (uint64_t)(expr));        \
	}

EVAL(add, A + B)
EVAL(sub, A - B)
EVAL(mul, (u128)A *(u128)B)
EVAL(and_, arg[0] & arg[1])
EVAL(or_, arg[0] | arg[1])
EVAL(xor_, arg[0] ^ arg[1])
EVAL(not_, ~arg[0])
EVAL(neg, -A)
EVAL(shl, arg[0] << (arg[1] & (bits_of(op->result) - 1)))
EVAL(shr, A >> (arg[1] & (bits_of(op->result) - 1)))
EVAL(lt, A < B)
EVAL(le, A <= B)
EVAL(gt, A > B)
EVAL(ge, A >= B)
EVAL(eq, A == B)
EVAL(ne, A != B)
EVAL(min_, A < B ? A : B)
EVAL(max_, A > B ? A : B)
EVAL(select_, arg[0] ? arg[1] : arg[2])
EVAL(madd, (u128)A *(u128)B + (u128)C)
EVAL(cast, A)

static bool divides(const struct op *op, const uint64_t *arg)
{
	return B &&
	       !(is_signed(op->result) && B == -1 && A == -((s128)1 << (bits_of(op->result) - 1)));
}
EVAL(div_, divides(op, arg) ? A / B : A)
EVAL(rem_, divides(op, arg) ? A % B : B)

EVAL(mulhi, ((is_signed(op->arg[0]) ? (u128)(A * B) : (u128)A * (u128)B) >> bits_of(op->result)))
EVAL(mul24, is_signed(op->result) ? (s128)((int32_t)(uint32_t)(arg[0] << 8) >> 8) *
					    ((int32_t)(uint32_t)(arg[1] << 8) >> 8)
				  : (s128)((arg[0] & 0xffffff) * (arg[1] & 0xffffff)))
EVAL(sad, (A > B ? A - B : B - A) + C)
EVAL(hadd, (A + B + op->param) >> 1)

static uint64_t count(const struct op *op, const uint64_t *arg)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < bits_of(op->arg[0]); i++)
		n += arg[0] >> i & 1;
	return n;
}

static uint64_t leading(const struct op *op, const uint64_t *arg)
{
	unsigned int n = 0;

	while (n < bits_of(op->arg[0]) && !(arg[0] >> (bits_of(op->arg[0]) - 1 - n) & 1))
		n++;
	return n;
}

static uint64_t first_set(const struct op *op, const uint64_t *arg)
{
	for (unsigned int i = 0; i < bits_of(op->arg[0]); i++)
		if (arg[0] >> i & 1)
			return i + 1;
	return 0;
}

static uint64_t reverse(const struct op *op, const uint64_t *arg)
{
	uint64_t r = 0;

	for (unsigned int i = 0; i < bits_of(op->arg[0]); i++)
		r |= (arg[0] >> i & 1) << (bits_of(op->arg[0]) - 1 - i);
	return r;
}

static uint64_t byte_perm(const struct op *op, const uint64_t *arg)
{
	uint64_t both = arg[0] | arg[1] << 32, r = 0;

	(void)op;
	for (unsigned int i = 0; i < 4; i++)
		r |= (both >> 8 * (arg[2] >> 4 * i & 7) & 0xff) << 8 * i;
	return r;
}

/* param: 1 right, 2 clamped. a is the low word, b the high one. */
static uint64_t funnel(const struct op *op, const uint64_t *arg)
{
	unsigned int by = op->param & 2 ? (arg[2] > 32 ? 32 : (unsigned int)arg[2]) : arg[2] & 31;
	uint64_t both = arg[0] | arg[1] << 32;

	return op->param & 1 ? (uint32_t)(both >> by) : (uint32_t)((u128)both << by >> 32);
}

/* Four products of bytes, or two of half-words and bytes (param: 1 the bytes of the upper half). */
static uint64_t dp4a(const struct op *op, const uint64_t *arg)
{
	s128 r = C;

	for (unsigned int i = 0; i < 4; i++)
		r += int_value(op->result == T_S32 ? T_S8 : T_U8, arg[0] >> 8 * i & 0xff) *
		     int_value(op->result == T_S32 ? T_S8 : T_U8, arg[1] >> 8 * i & 0xff);
	return truncated(op->result, (uint64_t)r);
}

static uint64_t dp2a(const struct op *op, const uint64_t *arg)
{
	s128 r = C;

	for (unsigned int i = 0; i < 2; i++)
		r += int_value(op->result == T_S32 ? T_S16 : T_U16, arg[0] >> 16 * i & 0xffff) *
		     int_value(op->result == T_S32 ? T_S8 : T_U8,
			       arg[1] >> (16 * op->param + 8 * i) & 0xff);
	return truncated(op->result, (uint64_t)r);
}

/* ---- bytes and half-words ----------------------------------------------- */

#define PART(n, sign) ((n) | ((sign) << 8)) /* param: how many parts, and whether they are signed \
					     */

enum simd {
	V_ADD,
	V_SUB,
	V_ADDSAT,
	V_SUBSAT,
	V_AVG,
	V_HADD,
	V_MAX,
	V_MIN,
	V_DIFF,
	V_SAD,
	V_ABS,
	V_NEG,
	V_ABSSAT,
	V_NEGSAT,
	V_EQ,
	V_NE,
	V_GE,
	V_GT,
	V_LE,
	V_LT,
	V_SETS = 32
};

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

static uint64_t simd(const struct op *op, const uint64_t *arg)
{
	unsigned int parts = op->param & 0xff, width = 32 / parts,
		     what = (unsigned int)op->param >> 16;
	bool sign = op->param >> 8 & 1, sets = what & V_SETS;
	enum type type = width == 8 ? (sign ? T_S8 : T_U8) : sign ? T_S16 : T_U16;
	int64_t all = (1ll << width) - 1, high = sign ? all >> 1 : all, low = sign ? -high - 1 : 0,
		total = 0;
	uint64_t r = 0;

	for (unsigned int i = 0; i < parts; i++) {
		int64_t x = (int64_t)int_value(type, arg[0] >> width * i & (uint64_t)all), v = 0;
		int64_t y = op->args > 1
				    ? (int64_t)int_value(type, arg[1] >> width * i & (uint64_t)all)
				    : 0;
		int64_t yes = sets ? 1 : all;

		switch (what & ~(unsigned int)V_SETS) {
		case V_ADD:
			v = x + y;
			break;
		case V_SUB:
			v = x - y;
			break;
		case V_ADDSAT:
			v = clamp(x + y, low, high);
			break;
		case V_SUBSAT:
			v = clamp(x - y, low, high);
			break;
		case V_AVG:
			v = (x + y + (!sign || x + y >= 0)) >> 1;
			break;
		case V_HADD:
			v = (x + y) >> 1;
			break;
		case V_MAX:
			v = x > y ? x : y;
			break;
		case V_MIN:
			v = x < y ? x : y;
			break;
		case V_DIFF:
			v = x > y ? x - y : y - x;
			break;
		case V_SAD:
			total += x > y ? x - y : y - x;
			break;
		case V_ABS:
			v = x < 0 ? -x : x;
			break;
		case V_NEG:
			v = -x;
			break;
		case V_ABSSAT:
			v = clamp(x < 0 ? -x : x, low, high);
			break;
		case V_NEGSAT:
			v = clamp(-x, low, high);
			break;
		case V_EQ:
			v = x == y ? yes : 0;
			break;
		case V_NE:
			v = x != y ? yes : 0;
			break;
		case V_GE:
			v = x >= y ? yes : 0;
			break;
		case V_GT:
			v = x > y ? yes : 0;
			break;
		case V_LE:
			v = x <= y ? yes : 0;
			break;
		default:
			v = x < y ? yes : 0;
			break;
		}
		r |= (uint64_t)(v & all) << width * i;
	}
	return what == V_SAD ? (uint64_t)total : r;
}

/* ---- the table ---------------------------------------------------------- */

/* clang-format off */
#define INT1(class, t, text, eval) { text, class, t, 1, { t }, eval, 0, 0 },
#define INT2(class, t, text, eval) { text, class, t, 2, { t, t }, eval, 0, 0 },
#define COMPARE(class, t, text, eval) \
	{ "(int)($a " text " $b)", class, T_S32, 2, { t, t }, eval, 0, 0 },
#define COMPARES(class, t) \
	COMPARE(class, t, "<", lt) \
	COMPARE(class, t, "<=", le) \
	COMPARE(class, t, ">", gt) \
	COMPARE(class, t, ">=", ge) \
	COMPARE(class, t, "==", eq) \
	COMPARE(class, t, "!=", ne)
/* un: the unsigned type of that width, in which sums wrap */
#define INTEGER(class, t, name, un, last) \
	INT2(class, t, "(" name ")((" un ")$a + (" un ")$b)", add) \
	INT2(class, t, "(" name ")((" un ")$a - (" un ")$b)", sub) \
	INT2(class, t, "(" name ")((" un ")$a * (" un ")$b)", mul) \
	INT2(class, t, "(" name ")($a & $b)", and_) \
	INT2(class, t, "(" name ")($a | $b)", or_) \
	INT2(class, t, "(" name ")($a ^ $b)", xor_) \
	INT1(class, t, "(" name ")~$a", not_) \
	INT1(class, t, "(" name ")(0 - (" un ")$a)", neg) \
	{ "(" name ")((" un ")$a << ($b & " last "))", class, t, 2, { t, T_U32 }, shl, 0, 0 }, \
	{ "(" name ")($a >> ($b & " last "))", class, t, 2, { t, T_U32 }, shr, 0, 0 }, \
	INT2(class, t, "divide<" name ">($a, $b)", div_) \
	INT2(class, t, "remainder_of<" name ">($a, $b)", rem_) \
	{ "($a ? $b : $c)", class, t, 3, { T_S32, t, t }, select_, 0, 0 }, \
	{ "(" name ")((" un ")$a * (" un ")$b + (" un ")$c)", class, t, 3, { t, t, t }, madd, \
		0, 0 }, \
	COMPARES(class, t)
#define MINMAX(t) \
	INT2(C_INT, t, "min($a, $b)", min_) \
	INT2(C_INT, t, "max($a, $b)", max_)
#define CAST(class, to, name, from) { "(" name ")$a", class, to, 1, { from }, cast, 0, 0 },
#define CASTS(class, to, name) \
	CAST(class, to, name, T_U32) \
	CAST(class, to, name, T_S32) \
	CAST(class, to, name, T_U64) \
	CAST(class, to, name, T_S64)
#define CASTS8(to, name) \
	CAST(C_NARROW, to, name, T_U8) \
	CAST(C_NARROW, to, name, T_S8) \
	CAST(C_NARROW, to, name, T_U16) \
	CAST(C_NARROW, to, name, T_S16)
#define BITS(t, from, suffix, cast_to) \
	{ "__popc" suffix "(" cast_to "$a)", C_INT, T_S32, 1, { from }, count, 0, 0 }, \
	{ "__clz" suffix "(" cast_to "$a)", C_INT, T_S32, 1, { from }, leading, 0, 0 }, \
	{ "__ffs" suffix "(" cast_to "$a)", C_INT, T_S32, 1, { from }, first_set, 0, 0 }, \
	{ "__brev" suffix "($a)", C_INT, from, 1, { from }, reverse, 0, 0 },
#define SIMD2(text, n, sign, what) \
	{ text "($a, $b)", C_SIMD, T_U32, 2, { T_U32, T_U32 }, simd, PART(n, \
		sign) | (what) << 16, 0 },
#define SIMD1(text, n, what) \
	{ text "($a)", C_SIMD, T_U32, 1, { T_U32 }, simd, PART(n, 1) | (what) << 16, 0 },
#define SIMDS(text, sign, what) \
	SIMD2(text "2", 2, sign, what) \
	SIMD2(text "4", 4, sign, what)
#define SIMDCMP(text, sign, what) \
	SIMDS("__vcmp" text, sign, what) \
	SIMDS("__vset" text, sign, (what) | V_SETS)

const struct op int_ops[] = {
	INTEGER(C_INT, T_U32, "unsigned int", "unsigned int", "31")
	INTEGER(C_INT, T_S32, "int", "unsigned int", "31")
	INTEGER(C_INT, T_U64, "u64", "u64", "63")
	INTEGER(C_INT, T_S64, "s64", "u64", "63")
	INTEGER(C_NARROW, T_U8, "unsigned char", "unsigned int", "7")
	INTEGER( C_NARROW, T_S8, "signed char", "unsigned int", "7")
	INTEGER(C_NARROW, T_U16, "unsigned short", "unsigned int", "15")
	INTEGER(C_NARROW, T_S16, "short", "unsigned int", "15")
	MINMAX(T_U32)
	MINMAX(T_S32)
	MINMAX(T_U64)
	MINMAX(T_S64)
	CASTS(C_INT, T_U32, "unsigned int")
	CASTS(C_INT, T_S32, "int")
	CASTS(C_INT, T_U64, "u64")
	CASTS(C_INT, T_S64, "s64")
	CASTS( C_NARROW, T_U8, "unsigned char")
	CASTS(C_NARROW, T_S8, "signed char")
	CASTS(C_NARROW, T_U16, "unsigned short")
	CASTS( C_NARROW, T_S16, "short")
	CASTS8(T_U32, "unsigned int")
	CASTS8(T_S32, "int")
	CASTS8(T_U64, "u64")
	CASTS8( T_S64, "s64")
	CASTS8(T_U8, "unsigned char")
	CASTS8(T_S8, "signed char")
	CASTS8( T_U16, "unsigned short")
	CASTS8(T_S16, "short")
	BITS( T_U32, T_U32, "", "")
	BITS(T_U64, T_U64, "ll", "")
	{ "__mulhi($a, $b)", C_INT, T_S32, 2, { T_S32, T_S32 }, mulhi, 0, 0 },
	{ "__umulhi($a, $b)", C_INT, T_U32, 2, { T_U32, T_U32 }, mulhi, 0, 0 },
	{ "__mul64hi($a, $b)", C_INT, T_S64, 2, { T_S64, T_S64 }, mulhi, 0, 0 },
	{ "__umul64hi($a, $b)", C_INT, T_U64, 2, { T_U64, T_U64 }, mulhi, 0, 0 },
	{ "(u64)$a * $b", C_INT, T_U64, 2, { T_U32, T_U32 }, mul, 0, 0 },
	{ "(s64)$a * $b", C_INT, T_S64, 2, { T_S32, T_S32 }, mul, 0, 0 },
	{ "((u64)$a * $b + $c)", C_INT, T_U64, 3, { T_U32, T_U32, T_U64 }, madd, 0, 0 },
	{ "(s64)((u64)((s64)$a * $b) + (u64)$c)", C_INT, T_S64, 3, { T_S32, T_S32, T_S64 },
		madd, 0, 0 },
	{ "__mul24($a, $b)", C_INT, T_S32, 2, { T_S32, T_S32 }, mul24, 0, 0 },
	{ "__umul24($a, $b)", C_INT, T_U32, 2, { T_U32, T_U32 }, mul24, 0, 0 },
	{ "__sad($a, $b, $c)", C_INT, T_U32, 3, { T_S32, T_S32, T_U32 }, sad, 0, 0 },
	{ "__usad($a, $b, $c)", C_INT, T_U32, 3, { T_U32, T_U32, T_U32 }, sad, 0, 0 },
	{ "__hadd($a, $b)", C_INT, T_S32, 2, { T_S32, T_S32 }, hadd, 0, 0 },
	{ "__rhadd($a, $b)", C_INT, T_S32, 2, { T_S32, T_S32 }, hadd, 1, 0 },
	{ "__uhadd($a, $b)", C_INT, T_U32, 2, { T_U32, T_U32 }, hadd, 0, 0 },
	{ "__urhadd($a, $b)", C_INT, T_U32, 2, { T_U32, T_U32 }, hadd, 1, 0 },
	{ "__byte_perm($a, $b, $c & 0x7777)", C_INT, T_U32, 3, { T_U32, T_U32, T_U32 },
		byte_perm, 0, 0 },
	{ "__funnelshift_l($a, $b, $c)", C_INT, T_U32, 3, { T_U32, T_U32, T_U32 }, funnel, 0, 0 },
	{ "__funnelshift_r($a, $b, $c)", C_INT, T_U32, 3, { T_U32, T_U32, T_U32 }, funnel, 1, 0 },
	{ "__funnelshift_lc($a, $b, $c)", C_INT, T_U32, 3, { T_U32, T_U32, T_U32 }, funnel, 2, 0 },
	{ "__funnelshift_rc($a, $b, $c)", C_INT, T_U32, 3, { T_U32, T_U32, T_U32 }, funnel, 3, 0 },
	{ "__dp4a($a, $b, $c)", C_SIMD, T_S32, 3, { T_S32, T_S32, T_S32 }, dp4a, 0, 0 },
	{ "__dp4a($a, $b, $c)", C_SIMD, T_U32, 3, { T_U32, T_U32, T_U32 }, dp4a, 0, 0 },
	{ "__dp2a_lo($a, $b, $c)", C_SIMD, T_S32, 3, { T_S32, T_S32, T_S32 }, dp2a, 0, 0 },
	{ "__dp2a_hi($a, $b, $c)", C_SIMD, T_S32, 3, { T_S32, T_S32, T_S32 }, dp2a, 1, 0 },
	{ "__dp2a_lo($a, $b, $c)", C_SIMD, T_U32, 3, { T_U32, T_U32, T_U32 }, dp2a, 0, 0 },
	{ "__dp2a_hi($a, $b, $c)", C_SIMD, T_U32, 3, { T_U32, T_U32, T_U32 }, dp2a, 1, 0 },
	SIMDS("__vadd", 0, V_ADD)
	SIMDS("__vsub", 0, V_SUB)
	SIMDS("__vaddss", 1, V_ADDSAT)
	SIMDS( "__vsubss", 1, V_SUBSAT)
	SIMDS("__vaddus", 0, V_ADDSAT)
	SIMDS("__vsubus", 0, V_SUBSAT)
	SIMDS("__vavgs", 1, V_AVG)
	SIMDS("__vavgu", 0, V_AVG)
	SIMDS("__vhaddu", 0, V_HADD)
	SIMDS( "__vmaxs", 1, V_MAX)
	SIMDS("__vmaxu", 0, V_MAX)
	SIMDS("__vmins", 1, V_MIN)
	SIMDS("__vminu", 0, V_MIN)
	SIMDS("__vabsdiffs", 1, V_DIFF)
	SIMDS("__vabsdiffu", 0, V_DIFF)
	SIMDS("__vsads", 1, V_SAD)
	SIMDS("__vsadu", 0, V_SAD)
	SIMD1("__vabs2", 2, V_ABS)
	SIMD1("__vabs4", 4, V_ABS)
	SIMD1( "__vneg2", 2, V_NEG)
	SIMD1("__vneg4", 4, V_NEG)
	SIMD1("__vabsss2", 2, V_ABSSAT)
	SIMD1("__vabsss4", 4, V_ABSSAT)
	SIMD1("__vnegss2", 2, V_NEGSAT)
	SIMD1("__vnegss4", 4, V_NEGSAT)
	SIMDCMP("eq", 0, V_EQ)
	SIMDCMP("ne", 0, V_NE)
	SIMDCMP( "ges", 1, V_GE)
	SIMDCMP("geu", 0, V_GE)
	SIMDCMP("gts", 1, V_GT)
	SIMDCMP("gtu", 0, V_GT)
	SIMDCMP("les", 1, V_LE)
	SIMDCMP("leu", 0, V_LE)
	SIMDCMP("lts", 1, V_LT)
	SIMDCMP("ltu", 0, V_LT)
};
const unsigned int int_op_count = sizeof(int_ops) / sizeof(*int_ops);
