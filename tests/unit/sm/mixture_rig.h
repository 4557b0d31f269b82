/* SPDX-License-Identifier: MIT */
/*
 * A kernel that does a bit of everything, and whose results depend on no order: for tests in which
 * blocks leave their SM at random places.
 */
#ifndef MIXTURE_RIG_H
#define MIXTURE_RIG_H

#include "pipeline_rig.h"

#define BLOCKS	24u
#define THREADS	96u
#define ROUNDS	12u
#define OUT	(1u << 20)

/*
 * Each round: a load whose address register is overwritten behind it, arithmetic that depends on it
 * and that does not, a store, an atomic without and one with a result, shared memory, a barrier,
 * and a branch that divides the warp.
 */
static inline void mixture(struct vass *v)
{
	u32 loop, at, skip;

	prologue(v, 40);
	v->kernel.shared_bytes = 4 * THREADS;
	OP(v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OP(v, MOVQ, 0, 14, 0, 4, 0, 0);		/* Q14: own word of the first part */
	OPI(v, MOV, 9, 0, 1000);
	OPI(v, MOV, 20, 0, 0);
	OPI(v, MOV, 22, 0, 0);
	loop = OP(v, LDG, VASS_MEM(4, 1), 10, 14, 0, 0, 0);
	OPI(v, ADDQ, 14, 14, 16384);
	OPI(v, MUL, 8, 10, 3);
	OPI(v, SUB, 9, 9, 4);
	OP(v, ADD, 0, 22, 22, 8, 0, 0);
	OP(v, STG, VASS_MEM(4, 1), 0, 14, 8, 0, OUT);
	OP(v, STS, VASS_MEM(4, 1), 0, 6, 8, 0, 0);
	OP(v, BAR, 0, 0, 0, 0, 0, 0);
	/* the neighbour's word */
	OPI(v, XOR, 24, 6, 4);
	OP(v, LDS, VASS_MEM(4, 1), 25, 24, 0, 0, 0);
	OP(v, ADD, 0, 22, 22, 25, 0, 0);
	OP(v, BAR, 0, 0, 0, 0, 0, 0);
	OPI(v, AND, 26, 0, 3);
	OP(v, SETPU, VGPU_F_IMM | VGPU_CMP_EQ, 1, 26, 0, 0, 0);
	skip = OP(v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(v, 1 | VGPU_P_NOT);
	OPI(v, ADD, 22, 22, 7);
	OP(v, ATOMG, VGPU_ATOM_ADD | VGPU_F_ATOM_NORET, 0, 2, 10, 0, 3 * OUT);
	vass_target(v, skip, v->count, v->count);
	/* its old value does not depend on who comes first: everybody has a word of his own */
	OP(v, ATOMG, VGPU_ATOM_ADD, 27, 4, 9, 0, 2 * OUT);
	OP(v, ADD, 0, 22, 22, 27, 0, 0);
	OPI(v, ADD, 20, 20, 1);
	OP(v, SETPU, VGPU_F_IMM | VGPU_CMP_LT, 0, 20, 0, 0, ROUNDS);
	at = OP(v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(v, 0);
	vass_target(v, at, loop, at + 1);
	OP(v, ADD, 0, 22, 22, 9, 0, 0);
	epilogue(v, 22);
}

#define PART		(BLOCKS * THREADS * 4)
#define MIXTURE_BYTES	(4 * PART + ROUNDS * 16384)	/* of results */

/* ---- contexts that run it ------------------------------------------------ */

static inline struct rig mixture_open_context(struct host *h)
{
	struct rig r = { .h = h };

	r.context = host_open(h);
	r.queue = host_queue(h, r.context);
	assert_int_equal(vgpu_memory_map(h->dev, r.context, BASE, BYTES), 0);
	return r;
}

/* The @n-th context's own data. */
static inline void mixture_fill(struct rig *r, u32 n)
{
	u32 *words = (u32 *)r->h->memory;

	for (u32 i = 0; i < 16384; i++)
		words[i] = (i + 77777 * n) * 2654435761u;
	for (u32 i = 0; i < 5; i++)
		host_push(r->h, r->context, r->queue, cmd_h2d(BASE + i * 65536, 0, 65536));
	host_run(r->h);
}

/* All MIXTURE_BYTES that its kernel has written. */
static inline void mixture_read_back(struct rig *r, u8 *bytes)
{
	static const u64 parts[] = { 0, OUT, 2 * OUT, 3 * OUT };

	for (u32 n = 0; n < 4; n++) {
		host_push(r->h, r->context, r->queue, cmd_d2h(0, BASE + parts[n], 65536));
		host_run(r->h);
		memcpy(bytes + n * PART, r->h->memory, PART);
	}
	for (u32 n = 0; n < ROUNDS; n++) {
		host_push(r->h, r->context, r->queue,
			  cmd_d2h(0, BASE + OUT + (n + 1) * 16384, 16384));
		host_run(r->h);
		memcpy(bytes + 4 * PART + n * 16384, r->h->memory, 16384);
	}
}

/* One with a kernel that never ends, not launched yet. */
static inline struct rig mixture_endless(struct host *h)
{
	struct rig r = mixture_open_context(h);
	struct vass v;
	u32 loop, at;

	prologue(&v, 40);
	loop = OPI(&v, ADD, 20, 20, 1);
	at = OP(&v, BRA, 0, 0, 0, 0, 0, 0);
	vass_target(&v, at, loop, at + 1);
	epilogue(&v, 20);
	program(&r, &v);
	return r;
}

#endif
