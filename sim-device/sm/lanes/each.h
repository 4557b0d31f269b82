/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Loads and stores lane by lane: each lane at its own place, as place.h has found it. Part of
 * impl.h.
 */
#ifndef VGPU_LANES_EACH_H
#define VGPU_LANES_EACH_H

lanes_inline u32 access_bytes(const struct vgpu_insn *i)
{
	return VGPU_F_SIZE(i->flags) * VGPU_F_COUNT(i->flags);
}

typedef u32 v4 __attribute__((vector_size(16)));
typedef u64 vq2 __attribute__((vector_size(16)));
typedef u32 v4_any __attribute__((vector_size(16), aligned(4)));

/*
 * The value is taken as it is: bytes lane by lane are not gathered into vectors, which is slower.
 */
#define OPAQUE(v)	__asm__("" : "+r"(v))

/*
 * Where the bytes of all lanes are: offset[] from a base, or without one ptr[]. Which it is, is a
 * constant where this is used.
 */
struct lanes_at {
	u8 *base;
	const u32 *offset;
	u8 *const *ptr;
};

lanes_inline u8 *lane_at(const struct lanes_at *at, u32 l)
{
	return at->ptr ? at->ptr[l] : at->base + at->offset[l];
}

#define AT(type, l)	(*(type *)lane_at(at, l))

/*
 * Of four lanes @a, of the four behind them @b; only where a vector has room for both. Within each:
 * words shuffled.
 */
#if LANES_VECTOR == 32
#define BESIDE(a, b) ((vu)__builtin_shufflevector((v4)(a), (v4)(b), 0, 1, 2, 3, 4, 5, 6, 7))
#define EVEN_WORDS(a, b)	__builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14)
#define ODD_WORDS(a, b)		__builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15)
#define LOW_MIXED(a, b)		__builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH_MIXED(a, b)	__builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define WORDS(type, l)		((vu){ AT(const type, l), AT(const type, l + 1), AT(const type, \
	l + 2), AT(const type, l + 3), \
				       AT(const type, l + 4), AT(const type, l + 5), \
				       AT(const type, l + 6), AT(const type, l + 7) })
#define DOUBLE_WORDS(l)                                                       \
	((vuq){ AT(const u64, l), AT(const u64, l + 1), AT(const u64, l + 2), \
		AT(const u64, l + 3) })
#else
#define BESIDE(a, b)		((vu)(a))
#define EVEN_WORDS(a, b)	__builtin_shufflevector(a, b, 0, 2, 4, 6)
#define ODD_WORDS(a, b)		__builtin_shufflevector(a, b, 1, 3, 5, 7)
#define LOW_MIXED(a, b)		__builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH_MIXED(a, b)	__builtin_shufflevector(a, b, 2, 6, 3, 7)
#define WORDS(type, l)                                                          \
	((vu){ AT(const type, l), AT(const type, l + 1), AT(const type, l + 2), \
	       AT(const type, l + 3) })
#define DOUBLE_WORDS(l)		((vuq){ AT(const u64, l), AT(const u64, l + 1) })
#endif

/* Vector @k of element @n. Whole vectors: what is written in parts and then read at once waits. */
#define PUT(n, k, v)										\
	do {											\
		vu *d_ = (vu *)(to + (n) * VGPU_LANES) + (k);					\
		*d_ = m == FULL ? (v) : choose(lanes_of(m, k), v, *d_);				\
	} while (0)
#define PUTQ(n, k, v)										\
	do {											\
		vuq *d_ = (vuq *)(to + 2 * (n) * VGPU_LANES) + (k);				\
		*d_ = m == FULL ? (v) : chooseq(lanes_ofq(m, k), v, *d_);			\
	} while (0)

#define LOAD_LANES(type)									\
	do {											\
		for (u32 n = 0; n < count; n++) {						\
			u32 *out = m == FULL ? to + n * VGPU_LANES : scratch;			\
			UNROLL for (u32 l = 0; l < VGPU_LANES; l++) {				\
				u32 v_ = (u32)(&AT(const type, l))[n];				\
				OPAQUE(v_);							\
				out[l] = v_;							\
			}									\
			if (m != FULL)								\
				blend(to + n * VGPU_LANES, scratch, m);				\
		}										\
	} while (0)

/* To the lanes in @m of the registers from @to on. */
lanes_inline void load_lanes(const struct lanes_at *at, u32 flags, u32 *to, u32 m)
{
	u32 count = VGPU_F_COUNT(flags), scratch[VGPU_LANES] __attribute__((aligned(64)));

	switch (flags & 2 ? flags & 15 : flags & (1 | VGPU_F_SEXT)) {
	case 0:
		LOAD_LANES(u8);
		break;
	case 1:
		LOAD_LANES(u16);
		break;
	case VGPU_F_SEXT:
		LOAD_LANES(s8);
		break;
	case 1 | VGPU_F_SEXT:
		LOAD_LANES(s16);
		break;
	case 2:
		EACH_VECTOR(k)
			PUT(0, k, WORDS(u32, k * (LANES_VECTOR / 4)));
		break;
	case 3:
		EACH_VECTORQ(k)
			PUTQ(0, k, DOUBLE_WORDS(k * (LANES_VECTOR / 8)));
		break;
	case 2 | 1 << 2:
		EACH_VECTOR(k) {
			u32 l = k * (LANES_VECTOR / 4);
			vu a = BESIDE(((vq2){ AT(const u64, l), AT(const u64, l + 1) }),
				      ((vq2){ AT(const u64, l + 4), AT(const u64, l + 5) }));
			vu b = BESIDE(((vq2){ AT(const u64, l + 2), AT(const u64, l + 3) }),
				      ((vq2){ AT(const u64, l + 6), AT(const u64, l + 7) }));

			PUT(0, k, EVEN_WORDS(a, b));
			PUT(1, k, ODD_WORDS(a, b));
		}
		break;
	case 2 | 2 << 2:
		EACH_VECTOR(k) {
			u32 l = k * (LANES_VECTOR / 4);
			vu a = BESIDE(AT(const v4_any, l), AT(const v4_any, l + 4)),
			   b = BESIDE(AT(const v4_any, l + 1), AT(const v4_any, l + 5));
			vu c = BESIDE(AT(const v4_any, l + 2), AT(const v4_any, l + 6)),
			   d = BESIDE(AT(const v4_any, l + 3), AT(const v4_any, l + 7));
			vuq x = (vuq)LOW_MIXED(a, b), y = (vuq)LOW_MIXED(c, d),
			    z = (vuq)HIGH_MIXED(a, b), w = (vuq)HIGH_MIXED(c, d);

			PUT(0, k, (vu)FIRST_WORDS(x, y));
			PUT(1, k, (vu)SECOND_WORDS(x, y));
			PUT(2, k, (vu)FIRST_WORDS(z, w));
			PUT(3, k, (vu)SECOND_WORDS(z, w));
		}
		break;
	default:	/* 3 | 1 << 2 */
		EACH_VECTORQ(k) {
			u32 l = k * (LANES_VECTOR / 8);
			vuq a = (vuq)BESIDE(AT(const v4_any, l), AT(const v4_any, l + 2));
			vuq b = (vuq)BESIDE(AT(const v4_any, l + 1), AT(const v4_any, l + 3));

			PUTQ(0, k, FIRST_WORDS(a, b));
			PUTQ(1, k, SECOND_WORDS(a, b));
		}
	}
}

/* In the order of the lanes: of several that write the same place the highest wins. */
#define STORE_LANES(type, wider, count)								\
	do {											\
		const wider *from_ = (const wider *)from;					\
		UNROLL for (u32 l = 0; l < VGPU_LANES; l++)					\
			for (u32 n = 0; n < (count); n++)					\
				(&AT(type, l))[n] = (type)from_[n * VGPU_LANES + l];		\
	} while (0)

lanes_inline void store_lanes(const struct lanes_at *at, u32 flags, const u32 *from)
{
	u32 count = VGPU_F_COUNT(flags);

	switch (flags & 15) {
	case 0:
		STORE_LANES(u8, u32, 1);
		break;
	case 1:
		STORE_LANES(u16, u32, 1);
		break;
	case 2:
		STORE_LANES(u32, u32, 1);
		break;
	case 3:
		STORE_LANES(u64, u64, 1);
		break;
	case 2 | 1 << 2:
		UNROLL for (u32 l = 0; l < VGPU_LANES; l += 4) {
			v4 a = *(const v4 *)(from + l), b = *(const v4 *)(from + VGPU_LANES + l);
			vq2 x = (vq2)__builtin_shufflevector(a, b, 0, 4, 1, 5),
			    y = (vq2)__builtin_shufflevector(a, b, 2, 6, 3, 7);

			AT(u64, l) = x[0];
			AT(u64, l + 1) = x[1];
			AT(u64, l + 2) = y[0];
			AT(u64, l + 3) = y[1];
		}
		break;
	case 2 | 2 << 2:
		UNROLL for (u32 l = 0; l < VGPU_LANES; l += 4) {
			v4 a = *(const v4 *)(from + l), b = *(const v4 *)(from + VGPU_LANES + l);
			v4 c = *(const v4 *)(from + 2 * VGPU_LANES + l),
			   d = *(const v4 *)(from + 3 * VGPU_LANES + l);
			vq2 x = (vq2)__builtin_shufflevector(a, b, 0, 4, 1, 5),
			    y = (vq2)__builtin_shufflevector(c, d, 0, 4, 1, 5);
			vq2 z = (vq2)__builtin_shufflevector(a, b, 2, 6, 3, 7),
			    w = (vq2)__builtin_shufflevector(c, d, 2, 6, 3, 7);

			AT(v4_any, l) = (v4)__builtin_shufflevector(x, y, 0, 2);
			AT(v4_any, l + 1) = (v4)__builtin_shufflevector(x, y, 1, 3);
			AT(v4_any, l + 2) = (v4)__builtin_shufflevector(z, w, 0, 2);
			AT(v4_any, l + 3) = (v4)__builtin_shufflevector(z, w, 1, 3);
		}
		break;
	case 3 | 1 << 2:
		UNROLL for (u32 l = 0; l < VGPU_LANES; l += 2) {
			vq2 a = *(const vq2 *)(from + 2 * l),
			    b = *(const vq2 *)(from + 2 * VGPU_LANES + 2 * l);

			AT(v4_any, l) = (v4)__builtin_shufflevector(a, b, 0, 2);
			AT(v4_any, l + 1) = (v4)__builtin_shufflevector(a, b, 1, 3);
		}
		break;
	case 1 << 2:
	case 2 << 2:
		STORE_LANES(u8, u32, count);
		break;
	default:
		STORE_LANES(u16, u32, count);
	}
}

/*
 * The registers from @from on as the lanes in @m have them, the others as the highest of those: to
 * @to.
 */
lanes_inline void with_last(u32 *to, const u32 *from, u32 flags, u32 m)
{
	u32 last = last_lane(m), count = VGPU_F_COUNT(flags);

	if ((flags & 3) == 3)
		for (u32 n = 0; n < 2 * count; n += 2) {
			const u64 *f = (const u64 *)(from + n * VGPU_LANES);

			EACH_VECTORQ(k)
				((vuq *)(to + n * VGPU_LANES))[k] =
					chooseq(lanes_ofq(m, k), vuq_at(f, k), splatq(f[last]));
		}
	else
		for (u32 n = 0; n < count; n++) {
			const u32 *f = from + n * VGPU_LANES;

			EACH_VECTOR(k)
				((vu *)(to + n * VGPU_LANES))[k] =
					choose(lanes_of(m, k), vu_at(f, k), splat(f[last]));
		}
}

lanes_inline enum vgpu_lanes_end load_at(const struct vgpu_lanes *s, const struct vgpu_insn *i,
					 u32 m, const struct lanes_at *at)
{
	if (m == FULL)
		load_lanes(at, i->flags, reg32(s, i->dst), FULL);
	else
		load_lanes(at, i->flags, reg32(s, i->dst), m);
	return MEM_DONE;
}

/*
 * Lanes that do not execute write what the highest that does writes, where it does: as if they were
 * not there.
 */
lanes_inline enum vgpu_lanes_end store_at(const struct vgpu_lanes *s, const struct vgpu_insn *i,
					  u32 m, const struct lanes_at *at)
{
	u32 scratch[4 * VGPU_LANES] __attribute__((aligned(64)));

	if (m != FULL)
		with_last(scratch, reg32(s, i->b), i->flags, m);
	store_lanes(at, i->flags, m == FULL ? reg32(s, i->b) : scratch);
	return MEM_DONE;
}

/* ---- more than a word, which lanes have in rows in local memory ------------ */

/*
 * The words of lanes whose ptr[] is in local memory are put together in @whole, and their ptr[]
 * points there.
 */
lanes_inline void together(struct vgpu_lanes *s, u32 m, u32 (*whole)[4])
{
	EACH_ACTIVE(l, m & s->in_local)
		s->ptr[l] = (u8 *)whole[l];
	EACH_ACTIVE(l, ~m)
		s->ptr[l] = s->ptr[last_lane(m)];
}

lanes_noinline enum vgpu_lanes_end load_apart(struct vgpu_lanes *s, const struct vgpu_insn *i,
					      u32 m)
{
	u32 words = access_bytes(i) / 4, whole[VGPU_LANES][4] __attribute__((aligned(16)));
	const struct lanes_at at = { .ptr = s->ptr };

	EACH_ACTIVE(l, m & s->in_local)
		for (u32 n = 0; n < words; n++)
			whole[l][n] = *(const u32 *)(s->ptr[l] + n * VGPU_LOCAL_ROW);
	together(s, m, whole);
	return load_at(s, i, m, &at);
}

lanes_noinline enum vgpu_lanes_end store_apart(struct vgpu_lanes *s, const struct vgpu_insn *i,
					       u32 m)
{
	u32 words = access_bytes(i) / 4, whole[VGPU_LANES][4] __attribute__((aligned(16)));
	const struct lanes_at at = { .ptr = s->ptr };
	u8 *to[VGPU_LANES];

	EACH_ACTIVE(l, m & s->in_local)
		to[l] = s->ptr[l];
	together(s, m, whole);
	store_at(s, i, m, &at);
	EACH_ACTIVE(l, m & s->in_local)
		for (u32 n = 0; n < words; n++)
			*(u32 *)(to[l] + n * VGPU_LOCAL_ROW) = whole[l][n];
	return MEM_DONE;
}

/* ptr[] of a place whose offsets are in x */
lanes_inline void each_in_local(struct vgpu_lanes *s, u8 *base)
{
	EACH_LANE(l)
		s->ptr[l] = base + ((const u32 *)s->x)[l];
	s->in_local = FULL;
}

/* ---- where near() and far() have found it ---------------------------------- */

/* @local: @base is in local memory */
lanes_noinline enum vgpu_lanes_end load_near(struct vgpu_lanes *s, const struct vgpu_insn *i,
					     u32 m, u8 *base, bool local)
{
	const struct lanes_at at = { .base = base, .offset = (const u32 *)s->x };

	if (local && access_bytes(i) > 4) {
		each_in_local(s, base);
		return load_apart(s, i, m);
	}
	return load_at(s, i, m, &at);
}

lanes_noinline enum vgpu_lanes_end store_near(struct vgpu_lanes *s, const struct vgpu_insn *i,
					      u32 m, u8 *base, bool local)
{
	const struct lanes_at at = { .base = base, .offset = (const u32 *)s->x };

	if (local && access_bytes(i) > 4) {
		each_in_local(s, base);
		return store_apart(s, i, m);
	}
	return store_at(s, i, m, &at);
}

lanes_noinline enum vgpu_lanes_end load_far(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
					    enum space space)
{
	enum vgpu_lanes_end end =
		far(s, i, m, space, access_bytes(i), false, false, i->flags & VGPU_F_ABS);
	const struct lanes_at at = { .ptr = s->ptr };

	if (unlikely(end != MEM_DONE))
		return end;
	if (unlikely(s->in_local && access_bytes(i) > 4))
		return load_apart(s, i, m);
	return load_at(s, i, m, &at);
}

lanes_noinline enum vgpu_lanes_end store_far(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
					     enum space space)
{
	enum vgpu_lanes_end end =
		far(s, i, m, space, access_bytes(i), true, false, i->flags & VGPU_F_ABS);
	const struct lanes_at at = { .ptr = s->ptr };

	if (unlikely(end != MEM_DONE))
		return end;
	if (unlikely(s->in_local && access_bytes(i) > 4))
		return store_apart(s, i, m);
	return store_at(s, i, m, &at);
}

#endif
