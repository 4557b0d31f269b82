/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Loads, stores and parameters of a warp, at the places that lanes_place.h finds. Part of lanes_impl.h.
 */
#ifndef VGPU_LANES_MEM_H
#define VGPU_LANES_MEM_H

#define LOAD_LANES(type, wider)									\
	do {											\
		wider *to = (wider *)out;							\
		for (u32 n = 0; n < count; n++, delta += sizeof(type), to += VGPU_LANES)	\
			UNROLL for (u32 l = 0; l < VGPU_LANES; l++) {				\
				wider v_ = (wider)*(const type *)(unsigned long)(at[l] + delta); \
				OPAQUE(v_);							\
				to[l] = v_;							\
			}									\
	} while (0)

/* All lanes, to @out on, which is no part of what is read. */
lanes_noinline void load_lanes(const struct place *p, u32 flags, u32 *out)
{
	u32 count = VGPU_F_COUNT(flags);
	const u64 *at = p->at;
	u64 delta = p->delta;

	switch (flags & (3 | VGPU_F_SEXT)) {
	case 0:
		LOAD_LANES(u8, u32);
		break;
	case 1:
		LOAD_LANES(u16, u32);
		break;
	case VGPU_F_SEXT:
		LOAD_LANES(s8, u32);
		break;
	case 1 | VGPU_F_SEXT:
		LOAD_LANES(s16, u32);
		break;
	case 2:
	case 2 | VGPU_F_SEXT:
		LOAD_LANES(u32, u32);
		break;
	default:
		LOAD_LANES(u64, u64);
	}
}

/* The place of lanes that do not execute becomes one where nobody looks: then all can be written. @at: room for it */
lanes_inline void aside(struct place *p, u64 *at, u32 m, const u64 *nowhere)
{
	vuq there = splatq((u64)(unsigned long)nowhere - p->delta);

	EACH_VECTORQ(k)
		((vuq *)at)[k] = chooseq(lanes_ofq(m, k), vuq_at(p->at, k), there);
	p->at = at;
}

/* In the order of the lanes: of several that write the same place the highest wins. */
#define STORE_LANES(type, wider, count)								\
	do {											\
		const wider *from = (const wider *)regs;					\
		UNROLL for (u32 l = 0; l < VGPU_LANES; l++) {					\
			type *to = (type *)(unsigned long)(at[l] + delta);			\
			for (u32 n = 0; n < (count); n++)					\
				to[n] = (type)from[n * VGPU_LANES + l];				\
		}										\
	} while (0)

lanes_noinline void store_lanes(const struct place *p, u32 flags, const u32 *regs)
{
	u32 count = VGPU_F_COUNT(flags);
	const u64 *at = p->at;
	u64 delta = p->delta;

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
		STORE_LANES(u32, u32, 2);
		break;
	case 2 | 2 << 2:
		STORE_LANES(u32, u32, 4);
		break;
	case 3 | 1 << 2:
		STORE_LANES(u64, u64, 2);
		break;
	case 1 << 2:
	case 2 << 2:
		STORE_LANES(u8, u32, count);
		break;
	default:
		STORE_LANES(u16, u32, count);
	}
}

lanes_inline u32 access_bytes(const struct vgpu_insn *i)
{
	return VGPU_F_SIZE(i->flags) * VGPU_F_COUNT(i->flags);
}

/* ---- any load or store ------------------------------------------------------------------------------------------- */

lanes_noinline enum vgpu_lanes_end load_any(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space)
{
	u32 slots = VGPU_F_COUNT(i->flags) << ((i->flags & 3) == 3);
	u32 *to = reg32(s, i->dst), scratch[4 * VGPU_LANES] __attribute__((aligned(64)));
	enum vgpu_lanes_end end;
	struct place p;

	addresses(s, i, m, space, i->flags & VGPU_F_ABS);
	end = locate(s, m, space, access_bytes(i), false, false, &p);
	if (unlikely(end != MEM_DONE))
		return end;
	if (m == FULL) {
		load_lanes(&p, i->flags, to);
		return MEM_DONE;
	}
	load_lanes(&p, i->flags, scratch);
	if ((i->flags & 3) == 3)
		for (u32 n = 0; n < slots; n += 2)
			blendq((u64 *)(to + n * VGPU_LANES), (const u64 *)(scratch + n * VGPU_LANES), m);
	else
		for (u32 n = 0; n < slots; n++)
			blend(to + n * VGPU_LANES, scratch + n * VGPU_LANES, m);
	return MEM_DONE;
}

lanes_noinline enum vgpu_lanes_end store_any(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space)
{
	enum vgpu_lanes_end end;
	struct place p;

	addresses(s, i, m, space, i->flags & VGPU_F_ABS);
	end = locate(s, m, space, access_bytes(i), true, false, &p);
	if (unlikely(end != MEM_DONE))
		return end;
	if (m != FULL)
		aside(&p, s->x, m, s->y);
	store_lanes(&p, i->flags, reg32(s, i->b));
	return MEM_DONE;
}

/* ---- all lanes at one address, or each at the next word ------------------------------------------------------------ */

enum shape { SCATTERED, UNIFORM, ROW };

/* How the lanes' base registers lie to each other, for words of 1 << shift bytes. */
lanes_inline enum shape shape32(const u32 *a, u32 shift)
{
	vu same = {}, row = {};

	EACH_VECTOR(k) {
		vu d = ((const vu *)a)[k] - splat(a[0]);

		same |= d;
		row |= d ^ ((const vu *)lane_iota)[k] << shift;
	}
	return all_zero(row) ? ROW : all_zero(same) ? UNIFORM : SCATTERED;
}

lanes_inline enum shape shape64(const u64 *a, u32 shift)
{
	vuq same = {}, row = {};

	EACH_VECTORQ(k) {
		vuq d = ((const vuq *)a)[k] - splatq(a[0]);

		same |= d;
		row |= d ^ ((const vuq *)lane_iotaq)[k] << shift;
	}
	return all_zero((vu)row) ? ROW : all_zero((vu)same) ? UNIFORM : SCATTERED;
}

/*
 * The place of the first lane's bytes when all lanes are active and lie in one of those shapes, words of 4 or 8 bytes,
 * a row of single ones only, inside one page or shared memory. NULL: another case, or a page to be translated.
 */
lanes_inline u8 *shaped(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space, bool write,
			enum shape *shape)
{
	u32 shift = i->flags & 3, element = 1u << shift, bytes;
	u64 at, offset;
	u8 *p;

	if (m != FULL || shift < 2 || i->flags & VGPU_F_ABS)
		return NULL;
	*shape = space == SHARED ? shape32(reg32(s, i->a), shift) : shape64(reg64(s, i->a), shift);
	if (*shape == SCATTERED)
		return NULL;
	if (*shape == UNIFORM)
		bytes = access_bytes(i);
	else if (i->flags >> 2 & 3)
		return NULL;
	else
		bytes = element * VGPU_LANES;
	if (space == SHARED) {
		at = (u32)(reg32(s, i->a)[0] + (u32)i->imm);
		if (at & ((*shape == UNIFORM ? bytes : element) - 1) || at + bytes > s->shared_bytes)
			return NULL;
		return s->shared + at;
	}
	at = reg64(s, i->a)[0] + i->imm;
	offset = at & (VGPU_PAGE_SIZE - 1);
	if (at & ((*shape == UNIFORM ? bytes : element) - 1) || at >= VGPU_ADDRESS_LIMIT || offset + bytes > VGPU_PAGE_SIZE)
		return NULL;
	p = page_of(s, at, write);
	if (unlikely(!p))
		return NULL;
	s->held = 0;
	s->segments += ((offset + bytes - 1) >> VGPU_SEGMENT_SHIFT) - (offset >> VGPU_SEGMENT_SHIFT) + 1;
	return p + offset;
}

lanes_inline enum vgpu_lanes_end mem_load(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space)
{
	enum shape shape;
	u8 *p = space == LOCAL ? NULL : shaped(s, i, m, space, false, &shape);

	if (!p) {
		if (space == SHARED && shared_words(i, m) &&
		    shared_load(s, reg32(s, i->a), (u32)i->imm, VGPU_F_COUNT(i->flags), reg32(s, i->dst)))
			return MEM_DONE;
		return load_any(s, i, m, space);
	}
	if (shape == ROW) {
		vu *to = (vu *)reg32(s, i->dst);

		EACH_VECTOR(k)
			to[k] = ((const vu_any *)p)[k];
		if ((i->flags & 3) == 3)
			EACH_VECTOR(k)
				to[NV + k] = ((const vu_any *)p)[NV + k];
	} else if ((i->flags & 3) == 2) {
		for (u32 n = 0; n < VGPU_F_COUNT(i->flags); n++) {
			vu *to = (vu *)reg32(s, i->dst + n), v = splat(((const u32 *)p)[n]);

			EACH_VECTOR(k)
				to[k] = v;
		}
	} else {
		for (u32 n = 0; n < VGPU_F_COUNT(i->flags); n++) {
			vuq *to = (vuq *)reg64(s, i->dst + 2 * n), v = splatq(((const u64 *)p)[n]);

			EACH_VECTORQ(k)
				to[k] = v;
		}
	}
	return MEM_DONE;
}

lanes_inline enum vgpu_lanes_end mem_store(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space)
{
	enum shape shape;
	u8 *p = space == LOCAL ? NULL : shaped(s, i, m, space, true, &shape);
	const u32 *from = reg32(s, i->b);

	if (!p) {
		if (space == SHARED && shared_words(i, m) &&
		    shared_store(s, reg32(s, i->a), (u32)i->imm, VGPU_F_COUNT(i->flags), from))
			return MEM_DONE;
		return store_any(s, i, m, space);
	}
	if (shape == ROW) {
		EACH_VECTOR(k)
			((vu_any *)p)[k] = ((const vu *)from)[k];
		if ((i->flags & 3) == 3)
			EACH_VECTOR(k)
				((vu_any *)p)[NV + k] = ((const vu *)from)[NV + k];
	} else if ((i->flags & 3) == 2) {	/* the highest lane wins */
		for (u32 n = 0; n < VGPU_F_COUNT(i->flags); n++)
			((u32 *)p)[n] = reg32(s, i->b + n)[VGPU_LANES - 1];
	} else {
		for (u32 n = 0; n < VGPU_F_COUNT(i->flags); n++)
			((u64 *)p)[n] = reg64(s, i->b + 2 * n)[VGPU_LANES - 1];
	}
	return MEM_DONE;
}

/* ---- parameters ------------------------------------------------------------------------------------------- */

/* Parameters: one address for all lanes, in bounds by verification. */
lanes_noinline void mem_param(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	const u8 *p = s->params + i->imm;
	u32 size = VGPU_F_SIZE(i->flags), count = VGPU_F_COUNT(i->flags);

	for (u32 n = 0; n < count; n++, p += size) {
		u64 v = size == 8 ? *(const u64 *)p : size == 4 ? *(const u32 *)p :
			size == 2 ? i->flags & VGPU_F_SEXT ? (u32)*(const s16 *)p : *(const u16 *)p :
			i->flags & VGPU_F_SEXT ? (u32)*(const s8 *)p : *p;

		if (size == 8) {
			vuq *to = (vuq *)reg64(s, i->dst + 2 * n);

			EACH_VECTORQ(k)
				to[k] = m == FULL ? splatq(v) : chooseq(lanes_ofq(m, k), splatq(v), to[k]);
		} else {
			vu *to = (vu *)reg32(s, i->dst + n);

			EACH_VECTOR(k)
				to[k] = m == FULL ? splat((u32)v) : choose(lanes_of(m, k), splat((u32)v), to[k]);
		}
	}
}

#endif
