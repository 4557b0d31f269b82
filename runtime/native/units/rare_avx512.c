// SPDX-License-Identifier: MIT
/*
 * What generated code calls for instructions that are more than a few vector ones: shuffles, votes,
 * division, permutations of bits and bytes, thread indices; and shapes of shared addresses. What
 * they compute is in sim-device/sm/lanes/vote.h, lanes/int.h and lanes/sreg.h. Compiled for
 * AVX-512.
 */
#include "where_avx512.h"

/* Registers that are written, too */
static inline u32 *word32(const struct vgpu_lanes *s, u32 n)
{
	return s->warp->regs + n * VGPU_LANES;
}

static inline u64 *word64(const struct vgpu_lanes *s, u32 n)
{
	return (u64 *)(s->warp->regs + n * VGPU_LANES);
}

static inline u32 pred(const struct vgpu_warp *w, u32 p)
{
	return w->preds[p & 63] ^ (0u - (p >> 6 & 1u));
}

static inline void set_pred(struct vgpu_warp *w, u32 p, u32 v, u32 m)
{
	if (p != VGPU_PT)
		w->preds[p] = (w->preds[p] & ~m) | (v & m);
}

static inline void splat(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 v, u32 m)
{
	__m512i all = _mm512_set1_epi32((int)v);
	u32 *to = word32(s, i->dst);

	_mm512_mask_store_epi32(to, (__mmask16)m, all);
	_mm512_mask_store_epi32(to + 16, (__mmask16)(m >> 16), all);
}

static u32 shuffle(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	u32 how = i->flags & ~VGPU_F_IMM, in_range = 0;
	__m512i low = _mm512_load_si512(reg32(s, i->a)),
		high = _mm512_load_si512(reg32(s, i->a) + 16), v[2], five = _mm512_set1_epi32(31);

	for (u32 h = 0; h < 2; h++) {
		__m512i l = _mm512_add_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5,
							      4, 3, 2, 1, 0),
					     _mm512_set1_epi32((int)(16 * h)));
		__m512i n = i->flags & VGPU_F_IMM ?
				    _mm512_set1_epi32((int)(u32)i->imm) :
				    _mm512_load_si512(reg32(s, i->b) + 16 * h);
		__m512i c = _mm512_load_si512(reg32(s, i->c) + 16 * h);
		__m512i segment = _mm512_and_si512(_mm512_srli_epi32(c, 8), five);
		__m512i first = _mm512_and_si512(l, segment);
		__m512i last = _mm512_or_si512(
			first, _mm512_andnot_si512(segment, _mm512_and_si512(c, five)));
		__m512i j;
		__mmask16 away;

		n = _mm512_and_si512(n, five);
		switch (how) {
		case VGPU_SHFL_UP:
			j = _mm512_sub_epi32(l, n);
			break;
		case VGPU_SHFL_DOWN:
			j = _mm512_add_epi32(l, n);
			break;
		case VGPU_SHFL_BFLY:
			j = _mm512_xor_si512(l, n);
			break;
		default:
			j = _mm512_or_si512(first, _mm512_andnot_si512(segment, n));
		}
		away = how == VGPU_SHFL_UP ? _mm512_cmpgt_epi32_mask(last, j) :
					     _mm512_cmpgt_epi32_mask(j, last);
		j = _mm512_mask_mov_epi32(j, away, l);
		v[h] = _mm512_permutex2var_epi32(low, j, high);
		in_range |= (u32)(__mmask16)~away << 16 * h;
	}
	_mm512_mask_store_epi32(word32(s, i->dst), (__mmask16)m, v[0]);
	_mm512_mask_store_epi32(word32(s, i->dst) + 16, (__mmask16)(m >> 16), v[1]);
	set_pred(s->warp, VGPU_SHFL_PRED(i->imm), in_range, m);
	return 0;
}

/* Of the lanes in m, or those of them that an immediate mask names */
static u32 vote(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	u32 among = i->op == VGPU_OP_VOTESYNC ? m & (u32)i->imm : m;
	u32 yes = pred(s->warp, i->a) & among, v;

	switch (i->flags & ~VGPU_F_IMM) {
	case VGPU_VOTE_ALL:
		v = yes == among ? FULL : 0;
		break;
	case VGPU_VOTE_ANY:
		v = yes ? FULL : 0;
		break;
	default:
		v = yes == among || !yes ? FULL : 0;
	}
	set_pred(s->warp, i->dst, v, m);
	return 0;
}

static u32 ballot(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	u32 bits = pred(s->warp, i->a) & m;

	splat(s, i, i->op == VGPU_OP_BALLOTSYNC ? bits & (u32)i->imm : bits, m);
	return 0;
}

static u32 active(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	splat(s, i, m, m);
	return 0;
}

static u32 nothing(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	(void)s, (void)i, (void)m;
	return 0;
}

u32 vgpu_native_thread_index(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	const u32 *size = s->launch->block;
	u32 *to = s->warp->regs + i->dst * VGPU_LANES, axis = (u32)i->imm - VGPU_SR_TID_X;

	UNROLL for (u32 h = 0; h < 2; h++) {
		v16 t = _mm512_add_epi32(
			iota(), _mm512_set1_epi32((int)(s->warp->index * VGPU_LANES + 16 * h)));
		__m512 half = _mm512_set1_ps(0.5f);
		v16 line, plane;

		if (size[0] >= s->launch->threads) {	/* one row */
			t = axis ? _mm512_setzero_si512() : t;
		} else {
			/* as small_div() of lanes/sreg.h: exact */
			line = _mm512_cvttps_epi32(
				_mm512_mul_ps(_mm512_add_ps(_mm512_cvtepi32_ps(t), half),
					      _mm512_set1_ps(1.0f / (float)size[0])));
			plane = _mm512_cvttps_epi32(
				_mm512_mul_ps(_mm512_add_ps(_mm512_cvtepi32_ps(line), half),
					      _mm512_set1_ps(1.0f / (float)size[1])));
			if (axis == 0)
				t = _mm512_sub_epi32(
					t, _mm512_mullo_epi32(line,
							      _mm512_set1_epi32((int)size[0])));
			else if (axis == 1)
				t = _mm512_sub_epi32(
					line, _mm512_mullo_epi32(plane,
								 _mm512_set1_epi32((int)size[1])));
			else
				t = plane;
		}
		put(to + 16 * h, half_of(m, h), t);
	}
	return 0;
}

/* What is a multiple of 4, and not far from the beginning, whatever of it is outside. */
static void find_shape(const struct vgpu_lanes *s, struct shape *shape, u32 reg, u32 m)
{
	u32 start[2] = { 0, 0 }, rows = 0, places = 0;

	UNROLL for (u32 h = 0; h < 2; h++) {
		v16 o = _mm512_load_si512(reg32(s, reg) + 16 * h);
		__mmask16 k = half_of(m, h);

		if (!k) {
			rows++;
			places++;
		} else if (row(o, k, 2, &start[h])) {
			rows++;
			places += !(k & (k - 1));
		} else if (same(o, k, &start[h])) {
			places++;
		}
	}
	vgpu_shape_set(s, shape, reg, m, start, rows == 2, places == 2);
}

u32 vgpu_native_shared(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, struct shape *shape)
{
	if (shape->kind == SHAPE_UNKNOWN) {
		find_shape(s, shape, i->a, m);
		if (vgpu_shape_has_code(shape, i))
			return SHARED_AGAIN;
	}
	return vgpu_native_access(i)(s, i, m) ? SHARED_LEAVE : SHARED_DONE;
}

/* Of each half of a byte by a table, then all of a word are added. */
static u32 count_bits(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	v16 table = _mm512_broadcast_i32x4(
		_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
	v16 four = _mm512_set1_epi8(15), n, v;

	UNROLL for (u32 h = 0; h < 2; h++) {
		v = _mm512_load_si512(reg32(s, i->a) + 16 * h);
		n = _mm512_shuffle_epi8(table, _mm512_and_si512(v, four));
		v = _mm512_and_si512(_mm512_srli_epi16(v, 4), four);
		n = _mm512_add_epi8(n, _mm512_shuffle_epi8(table, v));
		n = _mm512_madd_epi16(_mm512_maddubs_epi16(n, _mm512_set1_epi8(1)),
				      _mm512_set1_epi16(1));
		put(word32(s, i->dst) + 16 * h, half_of(m, h), n);
	}
	return 0;
}

/* ---- lane by lane: the compiler makes vectors of it ------------------------------- */

static inline u32 prmt(u32 a, u32 b, u32 select)
{
	u64 words = (u64)b << 32 | a;
	u32 r = 0;

	for (u32 n = 0; n < 4; n++) {
		u32 s = select >> 4 * n, v = (u32)(words >> 8 * (s & 7)) & 0xff;

		r |= (s & 8 ? (0 - (v >> 7)) & 0xff : v) << 8 * n;
	}
	return r;
}

static inline u32 brev(u32 v)
{
	v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
	v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
	v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
	v = (v >> 8 & 0x00ff00ffu) | (v & 0x00ff00ffu) << 8;
	return v >> 16 | v << 16;
}

#define EACH(name, type, reg, expr)								\
	static u32 name(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)			\
	{											\
		type out[VGPU_LANES] __attribute__((aligned(64)));				\
		type b[VGPU_LANES] __attribute__((aligned(64)));				\
		const type *pa = reg(s, i->a), *pb = reg(s, i->b);				\
		const type *pc_ = reg(s, i->c);							\
		type *to = reg(s, i->dst);							\
												\
		for (u32 l = 0; l < VGPU_LANES; l++)						\
			b[l] = i->flags & VGPU_F_IMM ? (type)i->imm : pb[l];			\
		for (u32 l = 0; l < VGPU_LANES; l++) {						\
			type x = pa[l], y = b[l], z = pc_[l];					\
												\
			(void)y, (void)z;							\
			out[l] = (type)(expr);							\
		}										\
		for (u32 l = 0; l < VGPU_LANES; l++)						\
			to[l] = m >> l & 1 ? out[l] : to[l];					\
		return 0;									\
	}
#define EACH32(name, expr)	EACH(name, u32, word32, expr)
#define EACH64(name, expr)	EACH(name, u64, word64, expr)
EACH32(each_brev, brev(x))
EACH32(each_prmt, prmt(x, z, y))
EACH64(each_mulhsq, ((__int128)(s64)x * (s64)y) >> 64)
EACH64(each_mulhuq, ((unsigned __int128)x * y) >> 64)

/* ---- division ---------------------------------------------------------------------- */

/*
 * By doubles: what is no integer is at least 2^-32 of itself away from one. By zero: all ones; what
 * the instructions cannot convert is that, or 0x80000000, as the least of all by -1.
 */
static inline __m256i quotient(__m256i x, __m256i y, bool is_signed)
{
	__m256i q;

	if (!is_signed)
		return _mm512_cvttpd_epu32(
			_mm512_div_pd(_mm512_cvtepu32_pd(x), _mm512_cvtepu32_pd(y)));
	q = _mm512_cvttpd_epi32(_mm512_div_pd(_mm512_cvtepi32_pd(x), _mm512_cvtepi32_pd(y)));
	return _mm256_mask_mov_epi32(q, _mm256_testn_epi32_mask(y, y), _mm256_set1_epi32(-1));
}

/*
 * By y, of which @inverse is 1 over it. (x + 1/2) / y is at least 1 / 2y away from the next
 * integers, and the error is less than 2^-20 / y.
 */
static inline __m256i product(__m256i x, double inverse, bool is_signed)
{
	__m512d half = _mm512_set1_pd(0.5), v, by = _mm512_set1_pd(inverse);

	if (!is_signed)
		return _mm512_cvttpd_epu32(
			_mm512_mul_pd(_mm512_add_pd(_mm512_cvtepu32_pd(x), half), by));
	v = _mm512_cvtepi32_pd(x);
	half = _mm512_or_pd(half, _mm512_and_pd(v, _mm512_set1_pd(-0.0)));
	return _mm512_cvttpd_epi32(_mm512_mul_pd(_mm512_add_pd(v, half), by));
}

/* All lanes in @m divide by the same, which is not zero: 1 over it; 0: they do not. */
static inline double one_divisor(const u32 *b, u32 m, bool is_signed)
{
	u32 y = b[__builtin_ctz(m)], other = 0;

	UNROLL for (u32 h = 0; h < 2; h++)
		other |= _mm512_mask_cmpneq_epi32_mask(half_of(m, h),
						       _mm512_load_si512(b + 16 * h),
						       _mm512_set1_epi32((int)y));
	return other || !y ? 0 : 1.0 / (is_signed ? (s32)y : (double)y);
}

static inline u32 divide(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, bool is_signed,
			 bool remainder)
{
	const u32 *a = reg32(s, i->a), *b = reg32(s, i->b);
	u32 *to = s->warp->regs + i->dst * VGPU_LANES;
	u32 all[VGPU_LANES] __attribute__((aligned(64)));
	double inverse;

	if (i->flags & VGPU_F_IMM) {
		for (u32 h = 0; h < 2; h++)
			_mm512_store_si512(all + 16 * h, _mm512_set1_epi32((int)i->imm));
		b = all;
	}
	inverse = one_divisor(b, m, is_signed);
	UNROLL for (u32 h = 0; h < 2; h++) {
		v16 x = _mm512_load_si512(a + 16 * h), y = _mm512_load_si512(b + 16 * h), q;
		__m256i low = _mm512_castsi512_si256(x), high = _mm512_extracti64x4_epi64(x, 1);

		if (inverse != 0) {
			low = product(low, inverse, is_signed);
			high = product(high, inverse, is_signed);
		} else {
			low = quotient(low, _mm512_castsi512_si256(y), is_signed);
			high = quotient(high, _mm512_extracti64x4_epi64(y, 1), is_signed);
		}
		q = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
		/* by zero: x */
		if (remainder)
			q = _mm512_sub_epi32(x, _mm512_mullo_epi32(q, y));
		put(to + 16 * h, half_of(m, h), q);
	}
	return 0;
}

#define DIVIDE(name, is_signed, remainder)						\
	static u32 name(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)		\
	{										\
		return divide(s, i, m, is_signed, remainder);				\
	}
DIVIDE(divu, false, false)
DIVIDE(divs, true, false)
DIVIDE(remu, false, true)
DIVIDE(rems, true, true)

native_access *vgpu_native_rare(const struct vgpu_insn *i)
{
	switch (i->op) {
	case VGPU_OP_SHFL: return shuffle;
	case VGPU_OP_SHFLSYNC: return VGPU_SHFL_MASK(i->imm) == VGPU_SHFL_FULL ? shuffle : NULL;
	case VGPU_OP_VOTE: return vote;
	case VGPU_OP_VOTESYNC: return i->flags & VGPU_F_IMM ? vote : NULL;
	case VGPU_OP_BALLOT: return ballot;
	case VGPU_OP_BALLOTSYNC: return i->flags & VGPU_F_IMM ? ballot : NULL;
	case VGPU_OP_ACTIVE: return active;
	case VGPU_OP_BARWARP: return nothing;
	case VGPU_OP_DIVU: return divu;
	case VGPU_OP_DIVS: return divs;
	case VGPU_OP_REMU: return remu;
	case VGPU_OP_REMS: return rems;
	case VGPU_OP_POPC: return count_bits;
	case VGPU_OP_BREV: return each_brev;
	case VGPU_OP_PRMT: return each_prmt;
	case VGPU_OP_MULHSQ: return each_mulhsq;
	case VGPU_OP_MULHUQ: return each_mulhuq;
	}
	return NULL;
}
