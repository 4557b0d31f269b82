// SPDX-License-Identifier: MIT
/* Reference of the arithmetic opcodes; see ops_ref.h. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "ops_ref.h"
#include "vgpu_isa.h"

#define NAN32	0x7fffffffu
#define NAN64	0x7ff8000000000000ull

static float f_of(uint32_t v)
{
	float f;

	memcpy(&f, &v, 4);
	return f;
}

static uint32_t bits_f(float f)
{
	uint32_t v;

	memcpy(&v, &f, 4);
	return v;
}

static double d_of(uint64_t v)
{
	double d;

	memcpy(&d, &v, 8);
	return d;
}

static uint64_t bits_d(double d)
{
	uint64_t v;

	memcpy(&v, &d, 8);
	return v;
}

static const int host_mode[4] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD };

/* ---- integers ----------------------------------------------------------- */

static uint64_t ref_bfe(uint64_t a, unsigned int pos, unsigned int len, int msb, bool is_signed)
{
	uint64_t d = 0;
	unsigned int sign = 0;

	pos &= 0xff;
	len &= 0xff;
	if (is_signed && len)
		sign = a >> ((int)(pos + len - 1) < msb ? (int)(pos + len - 1) : msb) & 1;
	for (int i = 0; i <= msb; i++) {
		uint64_t bit = (unsigned int)i < len && (int)pos + i <= msb ?
				       a >> (pos + (unsigned int)i) & 1 :
				       sign;

		d |= bit << i;
	}
	return d;
}

static uint64_t ref_bfi(uint64_t a, uint64_t b, unsigned int c, int msb)
{
	unsigned int pos = c & 0xff, len = c >> 8 & 0xff;

	for (int i = 0; (unsigned int)i < len && (int)pos + i <= msb; i++) {
		b &= ~(1ull << (pos + (unsigned int)i));
		b |= (a >> i & 1) << (pos + (unsigned int)i);
	}
	return b;
}

/* the pseudo-code of PTX */
static uint32_t ref_fns(uint64_t mask, uint64_t base, int32_t offset)
{
	int64_t pos = (int64_t)(base & 0xffffffff),
		count = offset < 0 ? -(int64_t)offset - 1 : (int64_t)offset - 1;

	if (!offset)
		return pos < 32 && mask >> pos & 1 ? (uint32_t)pos : UINT32_MAX;
	for (; pos >= 0 && pos < 32; pos += offset > 0 ? 1 : -1)
		if (mask >> pos & 1 && !count--)
			return (uint32_t)pos;
	return UINT32_MAX;
}

static uint32_t ref_prmt(uint32_t a, uint32_t b, uint32_t select)
{
	uint8_t bytes[8];
	uint32_t d = 0;

	memcpy(bytes, &a, 4);
	memcpy(bytes + 4, &b, 4);
	for (int n = 3; n >= 0; n--) {
		unsigned int s = select >> 4 * n & 15;
		uint8_t byte = bytes[s & 7];

		d = d << 8 | (s < 8 ? byte : (byte >> 7) * 0xffu);
	}
	return d;
}

static unsigned int ref_bfind(uint64_t a, int msb, bool is_signed)
{
	unsigned int sign = is_signed ? a >> msb & 1 : 0;

	for (int i = msb; i >= 0; i--)
		if ((a >> i & 1) != sign)
			return (unsigned int)i;
	return ~0u;
}

static unsigned int ref_popc(uint64_t a)
{
	unsigned int n = 0;

	for (; a; a >>= 1)
		n += a & 1;
	return n;
}

static uint64_t ref_brev(uint64_t a, int width)
{
	uint64_t d = 0;

	for (int i = 0; i < width; i++)
		d |= (a >> i & 1) << (width - 1 - i);
	return d;
}

static bool ref_int32(unsigned int op, uint32_t a, uint32_t b, uint32_t c, uint64_t imm, __u64 *r)
{
	int64_t sa = (int32_t)a, sb = (int32_t)b;
	unsigned int n = b > 32 ? 32 : b;
	uint32_t d = 0;

	switch (op) {
	case VGPU_OP_ADD: *r = a + b; return true;
	case VGPU_OP_SUB: *r = a - b; return true;
	case VGPU_OP_MUL: *r = (uint32_t)((uint64_t)a * b); return true;
	case VGPU_OP_MULHS: *r = (uint32_t)(sa * sb >> 32); return true;
	case VGPU_OP_MULHU: *r = (uint64_t)a * b >> 32; return true;
	case VGPU_OP_MAD: *r = (uint32_t)((uint64_t)a * b + c); return true;
	case VGPU_OP_DIVS: *r = b ? (uint32_t)(sa / sb) : ~0u; return true;
	case VGPU_OP_DIVU: *r = b ? a / b : ~0u; return true;
	case VGPU_OP_REMS: *r = b ? (uint32_t)(sa % sb) : a; return true;
	case VGPU_OP_REMU: *r = b ? a % b : a; return true;
	case VGPU_OP_MINS: *r = (uint32_t)(sa < sb ? sa : sb); return true;
	case VGPU_OP_MINU: *r = a < b ? a : b; return true;
	case VGPU_OP_MAXS: *r = (uint32_t)(sa > sb ? sa : sb); return true;
	case VGPU_OP_MAXU: *r = a > b ? a : b; return true;
	case VGPU_OP_ABS: *r = (uint32_t)(sa < 0 ? -sa : sa); return true;
	case VGPU_OP_NEG: *r = (uint32_t)-sa; return true;
	case VGPU_OP_AND: *r = a & b; return true;
	case VGPU_OP_OR: *r = a | b; return true;
	case VGPU_OP_XOR: *r = a ^ b; return true;
	case VGPU_OP_NOT: *r = (uint32_t)~a; return true;
	case VGPU_OP_SHL: *r = (uint32_t)((uint64_t)a << n); return true;
	case VGPU_OP_SHRS: *r = (uint32_t)(sa >> n); return true;
	case VGPU_OP_SHRU: *r = (uint64_t)a >> n; return true;
	case VGPU_OP_SHFLW: *r = ((uint64_t)b << 32 | a) << (c & 31) >> 32; return true;
	case VGPU_OP_SHFRW: *r = (uint32_t)(((uint64_t)b << 32 | a) >> (c & 31)); return true;
	case VGPU_OP_SHFLC: *r = c >= 32 ? a : ((uint64_t)b << 32 | a) << c >> 32; return true;
	case VGPU_OP_SHFRC:
		*r = c >= 32 ? b : (uint32_t)(((uint64_t)b << 32 | a) >> c);
		return true;
	case VGPU_OP_CLZ: *r = 31 - ref_bfind(a, 31, false); return true;
	case VGPU_OP_POPC: *r = ref_popc(a); return true;
	case VGPU_OP_BREV: *r = ref_brev(a, 32); return true;
	case VGPU_OP_BFINDS: *r = ref_bfind(a, 31, true); return true;
	case VGPU_OP_BFINDU: *r = ref_bfind(a, 31, false); return true;
	case VGPU_OP_BFES: *r = ref_bfe(a, b, c, 31, true); return true;
	case VGPU_OP_BFEU: *r = ref_bfe(a, b, c, 31, false); return true;
	case VGPU_OP_FNS: *r = ref_fns(a, b, (int32_t)c); return true;
	case VGPU_OP_BFI: *r = ref_bfi(a, b, c, 31); return true;
	case VGPU_OP_PRMT: *r = ref_prmt(a, c, b); return true;
	case VGPU_OP_LOP3:
		for (int i = 0; i < 32; i++)
			d |= (uint32_t)(imm >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 +
						(c >> i & 1)) &
					1)
			     << i;
		*r = d;
		return true;
	case VGPU_OP_SX8: *r = (uint32_t)(int8_t)a; return true;
	case VGPU_OP_SX16: *r = (uint32_t)(int16_t)a; return true;
	case VGPU_OP_ZX8: *r = (uint8_t)a; return true;
	case VGPU_OP_ZX16: *r = (uint16_t)a; return true;
	}
	return false;
}

static bool ref_int64(unsigned int op, uint64_t a, uint64_t b, uint64_t c, __u64 *r)
{
	__int128 sa = (int64_t)a, sb = (int64_t)b;
	int64_t wa = (int32_t)a, wb = (int32_t)b;
	unsigned int n = (uint32_t)b > 64 ? 64 : (uint32_t)b;

	switch (op) {
	case VGPU_OP_MOV:
	case VGPU_OP_MOVQ: *r = b; return true;
	case VGPU_OP_PACK: *r = b << 32 | (uint32_t)a; return true;
	case VGPU_OP_UNLO: *r = (uint32_t)a; return true;
	case VGPU_OP_UNHI: *r = a >> 32; return true;
	case VGPU_OP_MULWS: *r = (uint64_t)(wa * wb); return true;
	case VGPU_OP_MULWU: *r = (uint64_t)(uint32_t)a * (uint32_t)b; return true;
	case VGPU_OP_MADWS: *r = (uint64_t)(wa * wb) + c; return true;
	case VGPU_OP_MADWU: *r = (uint64_t)(uint32_t)a * (uint32_t)b + c; return true;
	case VGPU_OP_SXQ: *r = (uint64_t)wa; return true;
	case VGPU_OP_ZXQ: *r = (uint32_t)a; return true;
	case VGPU_OP_ADDQ: *r = a + b; return true;
	case VGPU_OP_SUBQ: *r = a - b; return true;
	case VGPU_OP_MULQ: *r = (uint64_t)((unsigned __int128)a * b); return true;
	case VGPU_OP_MULHSQ: *r = (uint64_t)(sa * sb >> 64); return true;
	case VGPU_OP_MULHUQ: *r = (uint64_t)((unsigned __int128)a * b >> 64); return true;
	case VGPU_OP_MADQ: *r = a * b + c; return true;
	case VGPU_OP_DIVSQ: *r = b ? (uint64_t)(sa / sb) : ~0ull; return true;
	case VGPU_OP_DIVUQ: *r = b ? a / b : ~0ull; return true;
	case VGPU_OP_REMSQ: *r = b ? (uint64_t)(sa % sb) : a; return true;
	case VGPU_OP_REMUQ: *r = b ? a % b : a; return true;
	case VGPU_OP_MINSQ: *r = (uint64_t)(sa < sb ? sa : sb); return true;
	case VGPU_OP_MINUQ: *r = a < b ? a : b; return true;
	case VGPU_OP_MAXSQ: *r = (uint64_t)(sa > sb ? sa : sb); return true;
	case VGPU_OP_MAXUQ: *r = a > b ? a : b; return true;
	case VGPU_OP_ABSQ: *r = (uint64_t)(sa < 0 ? -sa : sa); return true;
	case VGPU_OP_NEGQ: *r = (uint64_t)-sa; return true;
	case VGPU_OP_ANDQ: *r = a & b; return true;
	case VGPU_OP_ORQ: *r = a | b; return true;
	case VGPU_OP_XORQ: *r = a ^ b; return true;
	case VGPU_OP_NOTQ: *r = ~a; return true;
	case VGPU_OP_SHLQ: *r = (uint64_t)((unsigned __int128)a << n); return true;
	case VGPU_OP_SHRSQ: *r = (uint64_t)(sa >> n); return true;
	case VGPU_OP_SHRUQ: *r = (uint64_t)((unsigned __int128)a >> n); return true;
	case VGPU_OP_CLZQ: *r = 63 - ref_bfind(a, 63, false); return true;
	case VGPU_OP_POPCQ: *r = ref_popc(a); return true;
	case VGPU_OP_BREVQ: *r = ref_brev(a, 64); return true;
	case VGPU_OP_BFINDSQ: *r = ref_bfind(a, 63, true); return true;
	case VGPU_OP_BFINDUQ: *r = ref_bfind(a, 63, false); return true;
	case VGPU_OP_BFESQ: *r = ref_bfe(a, (uint32_t)b, (uint32_t)c, 63, true); return true;
	case VGPU_OP_BFEUQ: *r = ref_bfe(a, (uint32_t)b, (uint32_t)c, 63, false); return true;
	case VGPU_OP_BFIQ: *r = ref_bfi(a, b, (uint32_t)c, 63); return true;
	}
	return false;
}

/* ---- floats ------------------------------------------------------------- */

static uint32_t ftz(uint32_t v)
{
	return v & 0x7f800000 ? v : v & 0x80000000;
}

static float min_f(float a, float b)
{
	if (isnan(a))
		return b;
	if (isnan(b))
		return a;
	return a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}

static double min_d(double a, double b)
{
	if (isnan(a))
		return b;
	if (isnan(b))
		return a;
	return a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}

/*
 * Is a result of the smallest normal number one only because those below are multiples of 2^-149?
 * Then it is flushed, too. In the mode of the operation, which is repeated with larger numbers.
 */
static bool rounds_up(unsigned int op, float a, float b, float c)
{
	volatile float x = a, y = b, z = c * 0x1p64f, r;
	bool first = fabsf(a) < fabsf(b);

	switch (op) {
	case VGPU_OP_FMUL:
	case VGPU_OP_FFMA:
		x = first ? x * 0x1p64f : x;
		y = first ? y : y * 0x1p64f;
		r = op == VGPU_OP_FMUL ? x * y : fmaf(x, y, z);
		break;
	case VGPU_OP_FDIV:
		r = x * 0x1p64f / y;
		break;
	case VGPU_OP_FRCP:
		r = 0x1p64f / x;
		break;
	default:
		return false;
	}
	return fabsf(r) < 0x1p-62f;
}

static bool ref_f32(unsigned int op, unsigned int flags, uint32_t ua, uint32_t ub, uint32_t uc,
		    __u64 *result)
{
	volatile float a, b, c, r;
	bool up = false;
	uint32_t bits;

	if (flags & VGPU_F_FTZ) {
		ua = ftz(ua);
		ub = ftz(ub);
		uc = ftz(uc);
	}
	a = f_of(ua);
	b = f_of(ub);
	c = f_of(uc);
	fesetround(host_mode[VGPU_F_RND(flags)]);
	switch (op) {
	case VGPU_OP_FADD: r = a + b; break;
	case VGPU_OP_FSUB: r = a - b; break;
	case VGPU_OP_FMUL: r = a * b; break;
	case VGPU_OP_FFMA: r = fmaf(a, b, c); break;
	case VGPU_OP_FDIV: r = a / b; break;
	case VGPU_OP_FRCP: r = 1.0f / a; break;
	case VGPU_OP_FSQRT: r = sqrtf(a); break;
	case VGPU_OP_FMIN: r = min_f(a, b); break;
	case VGPU_OP_FMAX: r = -min_f(-a, -b); break;
	case VGPU_OP_FRND: r = nearbyintf(a); break;
	case VGPU_OP_FABS: r = f_of(ua & 0x7fffffff); break;
	case VGPU_OP_FNEG: r = f_of(ua ^ 0x80000000); break;
	default:
		fesetround(FE_TONEAREST);
		return false;
	}
	if (flags & VGPU_F_FTZ && fabsf(r) == 0x1p-126f)
		up = rounds_up(op, a, b, c);
	fesetround(FE_TONEAREST);
	bits = bits_f(r);
	if (isnan(r))
		bits = op == VGPU_OP_FABS ? ua & 0x7fffffff :
		       op == VGPU_OP_FNEG ? ua ^ 0x80000000 :
					    NAN32;
	if (flags & VGPU_F_FTZ)
		bits = up ? bits & 0x80000000 : ftz(bits);
	if (flags & VGPU_F_SAT)
		bits = !(r > 0) ? 0 : r > 1 ? bits_f(1) : bits;
	*result = bits;
	return true;
}

static bool ref_f64(unsigned int op, unsigned int flags, uint64_t ua, uint64_t ub, uint64_t uc,
		    __u64 *result)
{
	volatile double a = d_of(ua), b = d_of(ub), c = d_of(uc), r;

	fesetround(host_mode[VGPU_F_RND(flags)]);
	switch (op) {
	case VGPU_OP_DADD: r = a + b; break;
	case VGPU_OP_DSUB: r = a - b; break;
	case VGPU_OP_DMUL: r = a * b; break;
	case VGPU_OP_DFMA: r = fma(a, b, c); break;
	case VGPU_OP_DDIV: r = a / b; break;
	case VGPU_OP_DRCP: r = 1.0 / a; break;
	case VGPU_OP_DSQRT: r = sqrt(a); break;
	case VGPU_OP_DRSQ: r = sqrt(a); r = 1.0 / r; break;
	case VGPU_OP_DMIN: r = min_d(a, b); break;
	case VGPU_OP_DMAX: r = -min_d(-a, -b); break;
	case VGPU_OP_DRND: r = nearbyint(a); break;
	case VGPU_OP_DABS: r = 0; break;
	case VGPU_OP_DNEG: r = 0; break;
	default:
		fesetround(FE_TONEAREST);
		return false;
	}
	fesetround(FE_TONEAREST);
	*result = op == VGPU_OP_DABS ? ua & ~(1ull << 63) :
		  op == VGPU_OP_DNEG ? ua ^ 1ull << 63 :
		  isnan(r)	     ? NAN64 :
				       bits_d(r);
	return true;
}

/* ---- conversions -------------------------------------------------------- */

/* long double holds every 64-bit integer and every double exactly */
static uint64_t to_int(long double x, unsigned int flags, int width, bool wide)
{
	bool is_signed = flags & VGPU_F_SIGNED;
	long double low = is_signed ? -ldexpl(1, width - 1) : 0;
	long double high = ldexpl(1, is_signed ? width - 1 : width) - 1;

	if (isnan(x))	/* PTX cvt */
		return wide ? 1ull << (width - 1) : 0;
	fesetround(host_mode[VGPU_F_RND(flags)]);
	x = nearbyintl(x);
	fesetround(FE_TONEAREST);
	if (x < low)
		x = low;
	if (x > high)
		x = high;
	return (x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x) & (width == 64 ? ~0ull : 0xffffffffull);
}

/* binary16 by value: 2^-24 x an integer, or a sum like it */
static double half_value(unsigned int h)
{
	unsigned int exp = h >> 10 & 31, frac = h & 0x3ff;
	double v = exp ? ldexp(1024 + frac, (int)exp - 25) : ldexp(frac, -24);

	if (exp == 31)
		v = frac ? NAN : INFINITY;
	return h & 0x8000 ? -v : v;
}

/* The half among all that the mode chooses for @x. */
static unsigned int to_half(double x, unsigned int mode)
{
	unsigned int sign = signbit(x) ? 0x8000 : 0, h, away;
	double m = fabs(x), below, above;

	if (isnan(x))
		return 0x7fff;
	for (h = 0; h < 0x7c00 && half_value(h + 1) <= m; h++)
		;
	if (h == 0x7c00 || half_value(h) == m)
		return sign | h;
	below = half_value(h);
	above = h == 0x7bff ? 65536 : half_value(h + 1);
	away = mode == VGPU_RND_RN ? m - below > above - m || (m - below == above - m && h & 1) :
	       mode == VGPU_RND_RZ ? 0 : (mode == VGPU_RND_RP) == !sign;
	return sign | (h + away);
}

static bool ref_conv(unsigned int op, unsigned int flags, uint64_t a, __u64 *result)
{
	bool is_signed = flags & VGPU_F_SIGNED;
	uint32_t ua = flags & VGPU_F_FTZ ? ftz((uint32_t)a) : (uint32_t)a;
	volatile double d;
	volatile float f;
	bool up = false;
	uint32_t bits;

	switch (op) {
	case VGPU_OP_F2I: *result = to_int(f_of(ua), flags, 32, false); return true;
	case VGPU_OP_F2L: *result = to_int(f_of(ua), flags, 64, true); return true;
	case VGPU_OP_D2I: *result = to_int(d_of(a), flags, 32, true); return true;
	case VGPU_OP_D2L: *result = to_int(d_of(a), flags, 64, true); return true;
	case VGPU_OP_F2D: *result = isnan(f_of(ua)) ? NAN64 : bits_d(f_of(ua)); return true;
	case VGPU_OP_I2D:
		*result = bits_d(is_signed ? (double)(int32_t)a : (double)(uint32_t)a);
		return true;
	case VGPU_OP_F2H:
		f = f_of(ua);
		if (flags & VGPU_F_SAT)
			f = !(f > 0) ? 0 : f > 1 ? 1 : f;
		*result = to_half(f, VGPU_F_RND(flags));
		return true;
	}
	fesetround(host_mode[VGPU_F_RND(flags)]);
	switch (op) {
	case VGPU_OP_L2D:
		d = is_signed ? (double)(int64_t)a : (double)a;
		fesetround(FE_TONEAREST);
		*result = bits_d(d);
		return true;
	case VGPU_OP_I2F: f = is_signed ? (float)(int32_t)a : (float)(uint32_t)a; break;
	case VGPU_OP_L2F: f = is_signed ? (float)(int64_t)a : (float)a; break;
	case VGPU_OP_D2F:
		f = (float)(d_of(a) * 0x1p64);
		up = fabsf(f) < 0x1p-62f;
		f = (float)d_of(a);
		up &= fabsf(f) == 0x1p-126f;
		break;
	case VGPU_OP_H2F: f = (float)half_value((unsigned int)a & 0xffff); break;
	default:
		fesetround(FE_TONEAREST);
		return false;
	}
	fesetround(FE_TONEAREST);
	bits = isnan(f) ? NAN32 : bits_f(f);
	if (flags & VGPU_F_FTZ)
		bits = up ? bits & 0x80000000 : ftz(bits);
	if (flags & VGPU_F_SAT)
		bits = !(f > 0) ? 0 : f > 1 ? bits_f(1) : bits;
	*result = bits;
	return true;
}

/* ---- compares ----------------------------------------------------------- */

static bool condition(unsigned int cmp, bool less, bool equal, bool unordered)
{
	bool greater = !less && !equal && !unordered;

	switch (cmp) {
	case VGPU_CMP_EQ: return equal;
	case VGPU_CMP_NE: return less || greater;
	case VGPU_CMP_LT: return less;
	case VGPU_CMP_LE: return less || equal;
	case VGPU_CMP_GT: return greater;
	case VGPU_CMP_GE: return greater || equal;
	case VGPU_CMP_EQU: return equal || unordered;
	case VGPU_CMP_NEU: return !equal;
	case VGPU_CMP_LTU: return less || unordered;
	case VGPU_CMP_LEU: return less || equal || unordered;
	case VGPU_CMP_GTU: return greater || unordered;
	case VGPU_CMP_GEU: return greater || equal || unordered;
	case VGPU_CMP_NUM: return !unordered;
	default: return unordered;
	}
}

static bool ref_cmp(unsigned int op, unsigned int flags, uint64_t a, uint64_t b, __u64 *r)
{
	unsigned int cmp = VGPU_F_CMP(flags);
	double x, y;

	switch (op) {
	case VGPU_OP_SETPS:
		*r = condition(cmp, (int32_t)a < (int32_t)b, (uint32_t)a == (uint32_t)b, false);
		return true;
	case VGPU_OP_SETPU:
		*r = condition(cmp, (uint32_t)a < (uint32_t)b, (uint32_t)a == (uint32_t)b, false);
		return true;
	case VGPU_OP_SETPSQ:
		*r = condition(cmp, (int64_t)a < (int64_t)b, a == b, false);
		return true;
	case VGPU_OP_SETPUQ: *r = condition(cmp, a < b, a == b, false); return true;
	case VGPU_OP_SETPF:
		x = f_of(flags & VGPU_F_CMP_FTZ ? ftz((uint32_t)a) : (uint32_t)a);
		y = f_of(flags & VGPU_F_CMP_FTZ ? ftz((uint32_t)b) : (uint32_t)b);
		break;
	case VGPU_OP_SETPD:
		x = d_of(a);
		y = d_of(b);
		break;
	default:
		return false;
	}
	*r = condition(cmp, x < y, x == y, isnan(x) || isnan(y));
	return true;
}

bool ref_op(unsigned int op, unsigned int flags, uint64_t a, uint64_t b, uint64_t c, uint64_t imm,
	    __u64 *result)
{
	if (ref_int64(op, a, b, c, result)) {
		if (op == VGPU_OP_MOV)
			*result = (uint32_t)*result;
		return true;
	}
	return ref_int32(op, (uint32_t)a, (uint32_t)b, (uint32_t)c, imm, result) ||
	       ref_f32(op, flags, (uint32_t)a, (uint32_t)b, (uint32_t)c, result) ||
	       ref_f64(op, flags, a, b, c, result) || ref_conv(op, flags, a, result) ||
	       ref_cmp(op, flags, a, b, result);
}

double ref_special(unsigned int op, double x)
{
	switch (op) {
	case VGPU_OP_FRSQ: return 1 / sqrt(x);
	case VGPU_OP_FSIN: return sin(x);
	case VGPU_OP_FCOS: return cos(x);
	case VGPU_OP_FEX2: return exp2(x);
	case VGPU_OP_FLG2: return log2(x);
	default: return tanh(x);
	}
}
