/* SPDX-License-Identifier: MIT */
/*
 * Loads, stores and atomics of generated code: functions that it calls. What they do is what the
 * interpreter does where all lanes have their translations in the TLB and nothing is wrong; else
 * they have done nothing, and the interpreter executes the instruction. They use AVX-512, but for
 * those of access_avx2.c and access_sse2.c.
 */
#ifndef VGPU_NATIVE_ACCESS_H
#define VGPU_NATIVE_ACCESS_H

#include "sm/lanes.h"

/* @i for the lanes in @m, at least one. 0: done; else nothing has happened. */
typedef u32 native_access(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m);

/*
 * How the addresses in shared memory of one register lie: sixteen lanes each. What is at [rsp] of
 * generated code.
 */
enum shape_kind {
	SHAPE_UNKNOWN,		/* vgpu_native_shared() finds out */
	SHAPE_ROWS,		/* both halves of the warp are rows of words */
	SHAPE_PLACES,		/* all lanes of a half have one address */
	SHAPE_OTHER,
};

/** struct shape - ROWS, PLACES: words at @place are in shared memory, with @room bytes behind */
struct shape {
	u32 kind;
	s32 room;		/* behind the 64 bytes at the higher of the two */
	u8 *place[2];
	u64 unused;
};
_Static_assert(sizeof(struct shape) == 32, "translate.h counts with it");

/*
 * What is not known yet becomes something else: the halves with lanes in @m are @rows or @places,
 * or both, and those of rows begin at @start.
 */
static inline void vgpu_shape_set(const struct vgpu_lanes *s, struct shape *shape, u32 reg, u32 m,
				  u32 start[2], bool rows, bool places)
{
	const u32 *o = s->warp->regs + reg * VGPU_LANES;
	u32 most;

	shape->kind = SHAPE_OTHER;
	/* a half of one lane is both, and its start is that of a row */
	if (!rows && places)
		for (u32 h = 0; h < 2; h++)
			if (m >> 16 * h & 0xffff)
				start[h] = o[16 * h + (u32)__builtin_ctz(m >> 16 * h)];
	if (!(m & 0xffff))
		start[0] = start[1];
	if (!(m >> 16))
		start[1] = start[0];
	most = start[0] > start[1] ? start[0] : start[1];
	if ((!rows && !places) || most >= 1u << 20 || (start[0] | start[1]) & 3 ||
	    most + 64 > s->shared_bytes)
		return;
	shape->kind = rows ? SHAPE_ROWS : SHAPE_PLACES;
	shape->room = (s32)(s->shared_bytes - most - 64);
	for (u32 h = 0; h < 2; h++)
		shape->place[h] = s->shared + start[h];
}

/* Can code make the access @i of words? Not before it has a shape. */
static inline bool vgpu_shape_has_code(const struct shape *shape, const struct vgpu_insn *i)
{
	return (shape->kind == SHAPE_ROWS ||
		(shape->kind == SHAPE_PLACES && i->op == VGPU_OP_LDS)) &&
	       shape->room >= (s32)i->imm;
}

/** enum shared_end - of the functions below */
enum shared_end {
	SHARED_AGAIN,	/* nothing has happened, and code can make the access */
	SHARED_DONE,
	SHARED_LEAVE,	/* the code is to be left for the instruction */
};

/*
 * A load or store @i of words in shared memory for the lanes in @m, at least one, that code cannot
 * make: @shape, of its register of addresses, is UNKNOWN, and is found, or is none for it.
 */
u32 vgpu_native_shared(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, struct shape *shape);
u32 vgpu_native_shared_avx2(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
			    struct shape *shape);
u32 vgpu_native_shared_sse2(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
			    struct shape *shape);
/*
 * The function for what small vectors have no code for; NULL: the interpreter executes it. What it
 * returns is as of vgpu_native_interpret(), which makes accesses that are not inside, or not
 * aligned.
 */
native_access *vgpu_native_small_avx2(const struct vgpu_insn *i);
native_access *vgpu_native_small_sse2(const struct vgpu_insn *i);

/* The function for an instruction; NULL: there is none. */
native_access *vgpu_native_access(const struct vgpu_insn *i);
/*
 * A load or store of generic or global memory for the lanes in @m, at least one, of which the
 * function above says that it has not happened: is that because a page has no translation? Then
 * @s says what the interpreter would have it say with VGPU_LANES_TRANSLATE. False: maybe not.
 */
bool vgpu_native_missing(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m);
/*
 * The same of a load or store of global memory that generated code has found to be one of words in
 * a row, or at one place, in a page that is not in the TLB. The code is to be left.
 */
u32 vgpu_native_absent(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m);
/* What @s says of an access @i of the lanes in @m, all of whose addresses it has: @lane misses. */
static inline void vgpu_native_says_missing(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
					    u32 lane, bool one_page)
{
	s->reason = VGPU_FAULT_UNMAPPED;
	s->lane = lane;
	s->address = s->addr[lane];
	s->bytes = VGPU_F_SIZE(i->flags) * VGPU_F_COUNT(i->flags);
	s->write = i->op == VGPU_OP_STG || i->op == VGPU_OP_ST;
	s->accessing = m;
	s->atomic = false;
	s->one_page = one_page;
}

/* Of an atomic of 32 bits on generic, global or shared memory: 0, 1, 2 */
native_access *vgpu_native_atomic(const struct vgpu_insn *i, u32 space);
/*
 * The same of instructions that are no accesses: what the function does is always done. Of one with
 * a member mask all live lanes must be in @m.
 */
native_access *vgpu_native_rare(const struct vgpu_insn *i);
/* TID: dst = index of the threads of the warp in the block; always 0 */
u32 vgpu_native_thread_index(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m);
/*
 * The interpreter executes @i, with no guard, from within generated code (tr_call_interpreter()).
 * Not 0: the code is to be left, for what the instruction waits for or has done.
 */
u32 vgpu_native_interpret(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m);
/* The same of an FFMA without a mode, FTZ and SAT. */
u32 vgpu_native_fma_sse2(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m);

#endif
