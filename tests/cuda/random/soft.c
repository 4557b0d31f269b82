// SPDX-License-Identifier: MIT
/*
 * IEEE 754 in integers: binary16, 32 and 64, four roundings. Every result is computed exactly, or
 * with a bit at the end that says that more would follow, and is rounded in one place. Neither the
 * host's floating point nor its rounding mode takes part. A NaN is one canonical NaN.
 */
#include "random.h"

#include <string.h>

struct format {
	int precision, min, max; /* bits of the significand; exponents of normal numbers */
};

static const struct format formats[TYPES] = {
	[T_F16] = {11, -14, 15},
	[T_F32] = {24, -126, 127},
	[T_F64] = {53, -1022, 1023},
};

/* mantissa * 2^exponent */
struct number {
	enum { ZERO, FINITE, INFINITE, NAN_ } what;
	bool negative;
	int exponent;
	u128 mantissa;
};

static uint64_t sign_bit(enum type type)
{
	return 1ull << (bits_of(type) - 1);
}

static uint64_t infinity(enum type type, bool negative)
{
	const struct format *f = &formats[type];

	return (negative ? sign_bit(type) : 0) | (uint64_t)(2 * f->max + 1) << (f->precision - 1);
}

uint64_t soft_nan(enum type type)
{
	return type == T_F16 ? 0x7fff : type == T_F32 ? 0x7fffffff : 0x7ff8000000000000ull;
}

static struct number unpack(enum type type, uint64_t a)
{
	const struct format *f = &formats[type];
	uint64_t fraction = a & ((1ull << (f->precision - 1)) - 1);
	int exponent = (int)((a & ~sign_bit(type)) >> (f->precision - 1));
	struct number n = {FINITE, !!(a & sign_bit(type)), 0, fraction};

	if (exponent == 2 * f->max + 1)
		n.what = fraction ? NAN_ : INFINITE;
	else if (!exponent && !fraction)
		n.what = ZERO;
	else if (exponent)
		n.mantissa |= (u128)1 << (f->precision - 1);
	n.exponent = (exponent ? exponent : 1) - f->max - (f->precision - 1);
	return n;
}

static int top_bit(u128 m)
{
	uint64_t high = (uint64_t)(m >> 64);

	return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)m);
}

/* m >> by, with the last bit set if anything was lost. */
static u128 shift_jam(u128 m, int by)
{
	if (by <= 0)
		return m;
	if (by >= 128)
		return !!m;
	return m >> by | !!(m & (((u128)1 << by) - 1));
}

/* (m + what follows) / 2^shift to an integer */
static u128 round_bits(u128 m, int shift, bool negative, enum mode mode)
{
	u128 rest, half;
	bool up;

	if (shift <= 0)
		return m << -shift;
	if (shift > 126) {
		m = shift_jam(m, shift - 126);
		shift = 126;
	}
	rest = m & (((u128)1 << shift) - 1);
	half = (u128)1 << (shift - 1);
	m >>= shift;
	switch (mode) {
	case RN:
		up = rest > half || (rest == half && (m & 1));
		break;
	case AWAY:
		up = rest >= half;
		break;
	case RU:
		up = rest && !negative;
		break;
	case RD:
		up = rest && negative;
		break;
	default:
		up = false;
		break;
	}
	return m + up;
}

static bool flushing;

void soft_flushing(bool on)
{
	flushing = on;
}

static uint64_t pack(enum type type, bool negative, u128 m, int exponent, enum mode mode)
{
	const struct format *f = &formats[type];
	uint64_t sign = negative ? sign_bit(type) : 0;
	bool small = type == T_F32 && flushing;
	int top, last;

	if (!m)
		return sign;
	top = exponent + top_bit(m);
	last = (top < f->min && !small ? f->min : top) - (f->precision - 1);
	m = round_bits(m, last - exponent, negative, mode);
	if (m >> f->precision) {
		m >>= 1;
		last++;
	}
	if (last + f->precision - 1 < f->min && small)
		return sign;
	if (last + f->precision - 1 > f->max) {
		if (mode == RZ || (mode == RU && negative) || (mode == RD && !negative))
			return infinity(type, negative) - 1;
		return infinity(type, negative);
	}
	if (!(m >> (f->precision - 1)))
		return sign | (uint64_t)m;
	return sign | ((uint64_t)(last + f->precision - 1 + f->max) << (f->precision - 1)) |
	       ((uint64_t)m & ((1ull << (f->precision - 1)) - 1));
}

bool soft_is_nan(enum type type, uint64_t a)
{
	return unpack(type, a).what == NAN_;
}

uint64_t soft_flush(uint64_t a)
{
	return a & 0x7f800000 ? a : a & 0x80000000;
}

uint64_t soft_neg(enum type type, uint64_t a)
{
	return soft_is_nan(type, a) ? soft_nan(type) : a ^ sign_bit(type);
}

double soft_value(enum type type, uint64_t a)
{
	uint64_t bits = soft_convert(T_F64, type, a, RN);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void normalise(struct number *n)
{
	int by = 125 - top_bit(n->mantissa);

	n->mantissa = by < 0 ? shift_jam(n->mantissa, -by) : n->mantissa << by;
	n->exponent -= by;
}

static uint64_t sum(enum type type, struct number a, struct number b, enum mode mode)
{
	if (a.what == NAN_ || b.what == NAN_ ||
	    (a.what == INFINITE && b.what == INFINITE && a.negative != b.negative))
		return soft_nan(type);
	if (a.what == INFINITE || b.what == INFINITE)
		return infinity(type, a.what == INFINITE ? a.negative : b.negative);
	if (a.what == ZERO && b.what == ZERO)
		return (a.negative == b.negative ? a.negative : mode == RD) ? sign_bit(type) : 0;
	if (a.what == ZERO)
		return pack(type, b.negative, b.mantissa, b.exponent, mode);
	if (b.what == ZERO)
		return pack(type, a.negative, a.mantissa, a.exponent, mode);
	normalise(&a);
	normalise(&b);
	if (a.exponent < b.exponent || (a.exponent == b.exponent && a.mantissa < b.mantissa)) {
		struct number t = a;

		a = b;
		b = t;
	}
	b.mantissa = shift_jam(b.mantissa, a.exponent - b.exponent);
	if (a.negative == b.negative)
		return pack(type, a.negative, a.mantissa + b.mantissa, a.exponent, mode);
	if (a.mantissa == b.mantissa)
		return mode == RD ? sign_bit(type) : 0;
	return pack(type, a.negative, a.mantissa - b.mantissa, a.exponent, mode);
}

static struct number product(struct number a, struct number b)
{
	struct number n = {FINITE, a.negative != b.negative, a.exponent + b.exponent,
			   a.mantissa * b.mantissa};

	if (a.what == NAN_ || b.what == NAN_)
		n.what = NAN_;
	else if (a.what == INFINITE || b.what == INFINITE)
		n.what = a.what == ZERO || b.what == ZERO ? NAN_ : INFINITE;
	else if (a.what == ZERO || b.what == ZERO)
		n.what = ZERO;
	return n;
}

static uint64_t pack_number(enum type type, struct number n, enum mode mode)
{
	switch (n.what) {
	case NAN_:
		return soft_nan(type);
	case INFINITE:
		return infinity(type, n.negative);
	case ZERO:
		return n.negative ? sign_bit(type) : 0;
	default:
		return pack(type, n.negative, n.mantissa, n.exponent, mode);
	}
}

uint64_t soft_add(enum type type, uint64_t a, uint64_t b, enum mode mode)
{
	return sum(type, unpack(type, a), unpack(type, b), mode);
}

uint64_t soft_mul(enum type type, uint64_t a, uint64_t b, enum mode mode)
{
	return pack_number(type, product(unpack(type, a), unpack(type, b)), mode);
}

uint64_t soft_fma(enum type type, uint64_t a, uint64_t b, uint64_t c, enum mode mode)
{
	return sum(type, product(unpack(type, a), unpack(type, b)), unpack(type, c), mode);
}

uint64_t soft_div(enum type type, uint64_t a, uint64_t b, enum mode mode)
{
	struct number x = unpack(type, a), y = unpack(type, b);
	bool negative = x.negative != y.negative;
	u128 dividend, quotient;
	int by;

	if (x.what == NAN_ || y.what == NAN_ || (x.what == y.what && x.what != FINITE))
		return soft_nan(type);
	if (x.what == INFINITE || y.what == ZERO)
		return infinity(type, negative);
	if (x.what == ZERO || y.what == INFINITE)
		return negative ? sign_bit(type) : 0;
	by = 126 - top_bit(x.mantissa);
	dividend = x.mantissa << by;
	quotient = dividend / y.mantissa;
	return pack(type, negative, quotient << 1 | !!(dividend % y.mantissa),
		    x.exponent - by - y.exponent - 1, mode);
}

uint64_t soft_sqrt(enum type type, uint64_t a, enum mode mode)
{
	struct number x = unpack(type, a);
	u128 rest, root = 0;
	int by;

	if (x.what == NAN_ || (x.negative && x.what != ZERO))
		return soft_nan(type);
	if (x.what != FINITE)
		return a;
	by = 124 - top_bit(x.mantissa);
	by += (x.exponent - by) & 1;
	rest = x.mantissa << by;
	for (int bit = 62; bit >= 0; bit--) {
		u128 next = root | (u128)1 << bit;

		if (next * next <= rest)
			root = next;
	}
	return pack(type, false, root << 1 | (root * root != rest), (x.exponent - by) / 2 - 1,
		    mode);
}

uint64_t soft_convert(enum type to, enum type from, uint64_t a, enum mode mode)
{
	return pack_number(to, unpack(from, a), mode);
}

uint64_t soft_from_int(enum type to, enum type from, uint64_t a, enum mode mode)
{
	s128 value = int_value(from, a);

	return pack(to, value < 0, (u128)(value < 0 ? -value : value), 0, mode);
}

/*
 * What does not fit becomes the nearest that does. NaN: 0 when neither side has 64 bits, else the
 * top bit alone (PTX ISA 9.0, cvt).
 */
uint64_t soft_to_int(enum type to, enum type from, uint64_t a, enum mode mode)
{
	struct number x = unpack(from, a);
	unsigned int bits = bits_of(to);
	u128 limit = is_signed(to) ? (u128)1 << (bits - 1) : (u128)1 << bits, m;

	if (x.what == NAN_)
		return from == T_F64 || bits == 64 ? 1ull << (bits - 1) : 0;
	if (x.what == ZERO)
		return 0;
	if (x.what == INFINITE || x.exponent + top_bit(x.mantissa) > 70)
		m = (u128)1 << 70;
	else
		m = round_bits(x.mantissa, -x.exponent, x.negative, mode);
	if (x.negative) {
		if (!is_signed(to))
			return 0;
		return truncated(to, (uint64_t) - (m > limit ? limit : m));
	}
	return (uint64_t)(m >= limit ? limit - 1 : m);
}

uint64_t soft_integral(enum type type, uint64_t a, enum mode mode)
{
	struct number x = unpack(type, a);

	if (x.what == NAN_)
		return soft_nan(type);
	if (x.what != FINITE || x.exponent >= 0)
		return a;
	return pack(type, x.negative, round_bits(x.mantissa, -x.exponent, x.negative, mode), 0, RN);
}

uint64_t soft_scale(enum type type, uint64_t a, int by)
{
	struct number x = unpack(type, a);

	x.exponent += by;
	return pack_number(type, x, RN);
}
