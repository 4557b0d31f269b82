// SPDX-License-Identifier: MIT
/*
 * Loads and stores of generated code; see access.h. Compiled for AVX-512. What is counted and
 * checked is what lanes/place.h and lanes/mem.h of sim-device/sm count and check; unusual cases are
 * left to them. How elements are loaded and stored is in elements_avx512.h.
 */
#include "elements_avx512.h"
#include "pages_avx512.h"
#include "quarters_avx512.h"

/* ---- lanes in several pages --------------------------------------------------- */

/* What is no word is ABSENT here: the interpreter has to find out. */
lanes_inline enum found by_quarters(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
				    bool write, struct quarters *to)
{
	u32 size = VGPU_F_SIZE(i->flags);

	if (size < 4 || i->flags & VGPU_F_ABS)
		return ABSENT;
	if (VGPU_F_COUNT(i->flags) > 1)
		return FAR;
	return size == 8 ? in_quarters(s, i, m, 8, write, to) : in_quarters(s, i, m, 4, write, to);
}

static u32 load_anywhere(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	u32 size = VGPU_F_SIZE(i->flags), count = VGPU_F_COUNT(i->flags);
	u32 *to = s->warp->regs + i->dst * VGPU_LANES;
	u64 p[VGPU_LANES] __attribute__((aligned(64)));
	struct quarters quarters;

	switch (by_quarters(s, i, m, false, &quarters)) {
	case ABSENT:
		return 1;
	case FOUND:
		load_quarters(&quarters, m, size, to);
		s->held = 0;
		return 0;
	case FAR:
		break;
	}
	if (!anywhere(s, i, m, size * count, false, p))
		return 1;
	for (u32 n = 0; n < count; n++) {
		if (n)
			UNROLL for (u32 q = 0; q < 4; q++)
				_mm512_store_si512(p + 8 * q,
						   _mm512_add_epi64(_mm512_load_si512(p + 8 * q),
								    _mm512_set1_epi64(size)));
		IN_MEMORY(p);
		if (size == 8)
			for (u32 q = 0; q < 4; q++)
				putq((u64 *)(to + 2 * n * VGPU_LANES) + 8 * q, quarter_of(m, q),
				     quads_of(p + 8 * q));
		else
			for (u32 h = 0; h < 2; h++)
				if (half_of(m, h))
					put(to + n * VGPU_LANES + 16 * h, half_of(m, h),
					    words_of(p + 16 * h));
	}
	s->held = 0;
	return 0;
}

static u32 store_anywhere(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	u32 size = VGPU_F_SIZE(i->flags), count = VGPU_F_COUNT(i->flags);
	const u32 *from = reg32(s, i->b);
	u64 p[VGPU_LANES] __attribute__((aligned(64)));
	struct quarters quarters;

	switch (by_quarters(s, i, m, true, &quarters)) {
	case ABSENT:
		return 1;
	case FOUND:
		store_quarters(&quarters, m, size, from);
		s->held = 0;
		return 0;
	case FAR:
		break;
	}
	if (!anywhere(s, i, m, size * count, true, p))
		return 1;
	/* the highest lane wins */
	for (u32 left = m; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);

		for (u32 n = 0; n < count; n++) {
			if (size == 8)
				((u64 *)(uintptr_t)p[l])[n] =
					((const u64 *)(from + 2 * n * VGPU_LANES))[l];
			else
				((u32 *)(uintptr_t)p[l])[n] = from[n * VGPU_LANES + l];
		}
	}
	s->held = 0;
	return 0;
}

/* ---- what has no translation ---------------------------------------------------- */

/* Is the page there without a look at more than the TLB and what is held? */
static bool is_there(const struct vgpu_lanes *s, u64 page, bool write)
{
	const struct vgpu_tlb_entry *held;

	if (tlb_page(s, page, write))
		return true;
	held = vgpu_lanes_held(s, page);
	return held && (held->write || !write);
}

bool vgpu_native_missing(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	u32 bytes = VGPU_F_SIZE(i->flags) * VGPU_F_COUNT(i->flags), bad = 0;
	bool write = i->op == VGPU_OP_STG || i->op == VGPU_OP_ST;
	u64 wrong = ~(u64)(VGPU_ADDRESS_LIMIT - 1) | (bytes - 1);
	v16 last, at;

	_Static_assert(!(VGPU_ADDRESS_LIMIT & (VGPU_ADDRESS_LIMIT - 1)), "bits beyond it");
	if (i->flags & VGPU_F_ABS)
		return false;
	last = _mm512_set1_epi64((s64)(reg64(s, i->a)[31 - (u32)__builtin_clz(m)]));
	UNROLL for (u32 q = 0; q < 4; q++) {
		at = _mm512_mask_mov_epi64(last, quarter_of(m, q),
					   _mm512_load_si512(reg64(s, i->a) + 8 * q));
		at = _mm512_add_epi64(at, _mm512_set1_epi64((s64)i->imm));
		bad |= _mm512_test_epi64_mask(at, _mm512_set1_epi64((s64)wrong));
		_mm512_store_si512(s->addr + 8 * q, at);
	}
	if (bad)
		return false;
	for (u32 left = m; left;) {
		u32 lane = (u32)__builtin_ctz(left);
		u64 page = s->addr[lane] >> VGPU_PAGE_SHIFT;

		if (!is_there(s, page, write)) {
			vgpu_native_says_missing(s, i, m, lane, false);
			return true;
		}
		UNROLL for (u32 q = 0; q < 4; q++)
			left &= ~((u32)_mm512_cmpeq_epi64_mask(
					  _mm512_srli_epi64(_mm512_load_si512(s->addr + 8 * q),
							    VGPU_PAGE_SHIFT),
					  _mm512_set1_epi64((s64)page))
				  << 8 * q);
	}
	return false;
}

/* ---- what generated code calls ------------------------------------------------ */

/* Sixteen words, or eight pairs of them, some of which lie behind the end of the page */
lanes_inline v16 half4_of_two(const struct near *n, v16 o, __mmask16 behind, u32 offset)
{
	u64 p[16] __attribute__((aligned(64)));

	_mm512_store_si512(p, at_either(n, _mm512_castsi512_si256(o), (__mmask8)behind, offset));
	_mm512_store_si512(p + 8, at_either(n, _mm512_extracti64x4_epi64(o, 1),
					    (__mmask8)(behind >> 8), offset));
	IN_MEMORY(p);
	return words_of(p);
}

lanes_inline v16 quarter8_of_two(const struct near *n, __m256i o, __mmask8 behind, u32 offset)
{
	u64 p[8] __attribute__((aligned(64)));

	_mm512_store_si512(p, at_either(n, o, behind, offset));
	IN_MEMORY(p);
	return quads_of(p);
}

lanes_inline void load_of_two(const struct near *n, u32 m, u32 size, u32 offset, u32 *to)
{
	if (size == 4)
		UNROLL for (u32 h = 0; h < 2; h++) {
			__mmask16 k = half_of(m, h), behind = half_of(n->behind, h) & k;

			if (k)
				put(to + 16 * h, k,
				    !behind	? half4(n->w.base + offset, n->w.o[h], k) :
				    behind == k ? half4(n->next + offset, n->w.o[h], k) :
						  half4_of_two(n, n->w.o[h], behind, offset));
		}
	else
		UNROLL for (u32 q = 0; q < 4; q++) {
			__mmask8 k = quarter_of(m, q), behind = quarter_of(n->behind, q) & k;

			if (k)
				putq((u64 *)to + 8 * q, k,
				     quarter8_of_two(n, quarter(&n->w, q), behind, offset));
		}
}

/* Words of generic or global memory, all addresses of which are a register and the immediate */
lanes_inline u32 load_words(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, u32 size,
			    u32 count)
{
	u32 *to = s->warp->regs + i->dst * VGPU_LANES;
	struct near n;

	switch (in_next_bytes(s, i, m, size * count, &n)) {
	case ABSENT:
		return 1;
	case FAR:
		return load_anywhere(s, i, m);
	case FOUND:
		break;
	}
	if (n.behind)
		for (u32 e = 0; e < count; e++)
			load_of_two(&n, m, size, size * e, to + e * (size / 4) * VGPU_LANES);
	else
		load_elements(s, i, m, &n.w, size, count);
	return 0;
}

#define LOAD(name, space, size_, count_)							\
	static u32 name(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)			\
	{											\
		struct where w;									\
												\
		if (space <= GLOBAL && (size_) >= 2 && !(i->flags & VGPU_F_ABS) &&		\
		    (space == GLOBAL || !in_window_of_sm(s, i, m)))				\
			return load_words(s, i, m, 1u << (size_), 1u << (count_));		\
		if (unlikely(!locate(s, i, m, (1u << (size_)) << (count_), space, false,	\
				     i->flags & VGPU_F_ABS, &w)))				\
			return space <= GLOBAL ? load_anywhere(s, i, m) : 1;			\
		touch(s, &w, m);								\
		if (space == LOCAL)								\
			load_local(s, i, m, &w, 1u << (size_), 1u << (count_));			\
		else										\
			load_elements(s, i, m, &w, 1u << (size_), 1u << (count_));		\
		return 0;									\
	}
#define STORE(name, space, size_, count_)							\
	static u32 name(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)			\
	{											\
		struct where w;									\
												\
		if (unlikely(!locate(s, i, m, (1u << (size_)) << (count_), space, true,		\
				     i->flags & VGPU_F_ABS, &w)))				\
			return space <= GLOBAL ? store_anywhere(s, i, m) : 1;			\
		touch(s, &w, m);								\
		if (space == LOCAL)								\
			store_local(s, i, m, &w, 1u << (size_), 1u << (count_));		\
		else										\
			store_elements(s, i, m, &w, 1u << (size_), 1u << (count_));		\
		return 0;									\
	}
/* sizes 1, 2, 4, 8; so many of them */
#define SIZES(KIND, name, space)	\
	KIND(name##_1, space, 0, 0)	\
	KIND(name##_2, space, 1, 0)	\
	KIND(name##_4, space, 2, 0)	\
	KIND(name##_8, space, 3, 0)	\
	KIND(name##_4x2, space, 2, 1)	\
	KIND(name##_4x4, space, 2, 2)	\
	KIND(name##_8x2, space, 3, 1)
SIZES(LOAD, load_generic, GENERIC)
SIZES(LOAD, load_global, GLOBAL)
SIZES(LOAD, load_shared, SHARED)
SIZES(LOAD, load_local, LOCAL)
SIZES(STORE, store_generic, GENERIC)
SIZES(STORE, store_global, GLOBAL)
SIZES(STORE, store_shared, SHARED)
SIZES(STORE, store_local, LOCAL)

/* ---- which function ------------------------------------------------------------ */

#define BY_SIZE(name)                                                                        \
	{                                                                                    \
		[0] = name##_1, [1] = name##_2, [2] = name##_4, [3] = name##_8,              \
		[2 | 1 << 2] = name##_4x2, [2 | 2 << 2] = name##_4x4, [3 | 1 << 2] = name##_8x2, \
	}
static native_access *const accesses[8][16] = {
	BY_SIZE(load_generic), BY_SIZE(load_global), BY_SIZE(load_shared), BY_SIZE(load_local),
	BY_SIZE(store_generic), BY_SIZE(store_global), BY_SIZE(store_shared), BY_SIZE(store_local),
};

native_access *vgpu_native_access(const struct vgpu_insn *i)
{
	u32 shape = i->flags & 15;

	switch (i->op) {
	case VGPU_OP_LD: return accesses[0][shape];
	case VGPU_OP_LDG: return accesses[1][shape];
	case VGPU_OP_LDS: return accesses[2][shape];
	case VGPU_OP_LDL: return accesses[3][shape];
	case VGPU_OP_ST: return accesses[4][shape];
	case VGPU_OP_STG: return accesses[5][shape];
	case VGPU_OP_STS: return accesses[6][shape];
	case VGPU_OP_STL: return accesses[7][shape];
	case VGPU_OP_ATOM: return vgpu_native_atomic(i, 0);
	case VGPU_OP_ATOMG: return vgpu_native_atomic(i, 1);
	case VGPU_OP_ATOMS: return vgpu_native_atomic(i, 2);
	}
	return NULL;
}
