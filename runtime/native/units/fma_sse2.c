// SPDX-License-Identifier: MIT
/*
 * Fused multiply-add for generated code of SSE2, which has no instruction for it. See
 * sim-device/sm/lanes/fma.h, whose fast path this is; the rest is the interpreter's.
 */
#include <emmintrin.h>

#include "access.h"

/* Sums of 53 bits that are not to be rounded once more; see ffma_is_near(). */
static inline __m128i is_near(__m128d sum)
{
	const __m128i middle = _mm_set1_epi64x(1ll << 32 | 1 << 28);
	const __m128i least = _mm_set1_epi32(0x38100000);
	__m128i bits = _mm_castpd_si128(sum);
	__m128i low = _mm_and_si128(bits, _mm_set1_epi64x(0x1fffffff));
	__m128i high = _mm_and_si128(bits, _mm_set1_epi64x(0x7fffffff00000000));

	return _mm_or_si128(_mm_cmpeq_epi32(low, middle),
			    _mm_and_si128(_mm_cmpgt_epi32(least, high),
					  _mm_cmpgt_epi32(high, _mm_setzero_si128())));
}

static inline __m128d fused(__m128 a, __m128 b, __m128 c)
{
	return _mm_add_pd(_mm_mul_pd(_mm_cvtps_pd(a), _mm_cvtps_pd(b)), _mm_cvtps_pd(c));
}

static inline __m128 upper(__m128 v)
{
	return _mm_movehl_ps(v, v);
}

u32 vgpu_native_fma_sse2(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	const float *regs = (const float *)s->warp->regs, *a = regs + i->a * VGPU_LANES;
	const float *b = regs + i->b * VGPU_LANES, *c = regs + i->c * VGPU_LANES;
	float *out = (float *)s->warp->regs + i->dst * VGPU_LANES;
	bool imm = i->flags & VGPU_F_IMM;
	__m128 all_b = _mm_castsi128_ps(_mm_set1_epi32((int)i->imm)), r[VGPU_LANES / 4];
	__m128i near = _mm_setzero_si128();
	__m128i bit = _mm_set_epi32(8, 4, 2, 1), active = _mm_set1_epi32((int)m);

	for (u32 n = 0; n < VGPU_LANES / 4; n++) {
		__m128 x = _mm_load_ps(a + 4 * n), z = _mm_load_ps(c + 4 * n);
		__m128 y = imm ? all_b : _mm_load_ps(b + 4 * n);
		__m128d low = fused(x, y, z), high = fused(upper(x), upper(y), upper(z));

		r[n] = _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
		near = _mm_or_si128(near, _mm_or_si128(is_near(low), is_near(high)));
		near = _mm_or_si128(near, _mm_castps_si128(_mm_cmpunord_ps(r[n], r[n])));
	}
	if (unlikely(_mm_movemask_epi8(near)))
		return vgpu_native_interpret(s, i, m);
	for (u32 n = 0; n < VGPU_LANES / 4; n++) {
		if (m != ~0u) {
			__m128 old = _mm_load_ps(out + 4 * n);
			__m128 take = _mm_castsi128_ps(
				_mm_cmpeq_epi32(_mm_and_si128(active, bit), bit));

			r[n] = _mm_or_ps(_mm_and_ps(take, r[n]), _mm_andnot_ps(take, old));
			bit = _mm_slli_epi32(bit, 4);
		}
		_mm_store_ps(out + 4 * n, r[n]);
	}
	return 0;
}
