/* SPDX-License-Identifier: MIT */
/*
 * Random programs whose results do not depend on the order in which warps and blocks run:
 * registers, 64-bit pairs, floats, shared memory behind barriers, reducing barriers, local memory,
 * so much of it that slices are cut, divergent loops, shuffles, atomics on shared and global
 * memory.
 */
#ifndef RANDOM_PROGRAM_H
#define RANDOM_PROGRAM_H

#include "sm/warps.h"
#include "vass_build.h"

#define BASE		0x10000000ull
#define COUNTERS	60000u		/* of the global atomics, from BASE */
#define BYTES		65536u
#define BLOCKS		12u
#define THREADS		96u

static inline u32 below(struct vgpu_random *random, u32 limit)
{
	return (u32)(vgpu_random_next(random) % limit);
}

/*
 * R0 thread, R1 block, Q2 base, Q4 own address, R6 own place in shared memory, R8 and R9 what is
 * computed, R7 round; R10 to R19 and Q20, Q22 are scratch, Q24 a 64-bit value.
 */
static inline void piece(struct vass *v, struct vgpu_random *random)
{
	u32 top, n = below(random, 3) + 1;

	switch (below(random, 12)) {
	case 0:
		OPI(v, MUL, 8, 8, 2654435761u);
		OP(v, ADD, 0, 8, 8, 9, 0, 0);
		OPI(v, SHRU, 10, 8, 5 + n);
		OP(v, XOR, 0, 9, 9, 10, 0, 0);
		break;
	case 1:	/* what a thread of another warp has written */
		OP(v, STS, VASS_MEM(4, 1), 0, 6, 8, 0, 0);
		OP(v, BAR, 0, 0, 0, 0, 0, 0);
		OPI(v, ADD, 10, 0, 32 * n + 7);
		OPI(v, REMU, 10, 10, THREADS);
		OPI(v, SHL, 10, 10, 2);
		OP(v, LDS, VASS_MEM(4, 1), 11, 10, 0, 0, 0);
		OP(v, BAR, 0, 0, 0, 0, 0, 0);
		OP(v, ADD, 0, 9, 9, 11, 0, 0);
		break;
	case 2:
		OPI(v, AND, 10, 8, 0x1c);
		OP(v, LDL, VASS_MEM(4, 1), 11, 10, 0, 0, 0);
		OP(v, XOR, 0, 9, 9, 11, 0, 0);
		OP(v, STL, VASS_MEM(4, 1), 0, 10, 8, 0, 4 * n);
		break;
	case 3:	/* every lane goes around as often as its value says */
		OPI(v, AND, 12, 8, 15);
		top = OPI(v, MUL, 9, 9, 3);
		OP(v, ADD, 0, 9, 9, 12, 0, 0);
		OPI(v, SUB, 12, 12, 1);
		vass_op(v, VGPU_OP_SETPS, VGPU_CMP_GE | VGPU_F_IMM, 0, 12, 0, 0, 0);
		OP(v, BRA, 0, 0, 0, 0, 0, (u64)(v->count + 1) << 32 | top);
		vass_guard(v, 0);
		break;
	case 4:
		OPI(v, AND, 10, 8, 0x1c);
		OP(v, ATOMS, VGPU_ATOM_ADD | VGPU_F_ATOM_NORET, 0, 10, 8, 0, THREADS * 4);
		break;
	case 5:	/* sums in one place, parities in another: they do not mix */
		OPI(v, AND, 10, 9, 0x3c);
		OPI(v, MADWU, 20, 10, 1);
		v->code[v->count - 1].c = 2;
		OP(v, ATOMG, (n == 1 ? VGPU_ATOM_XOR : VGPU_ATOM_ADD) | VGPU_F_ATOM_NORET, 0, 20, 8,
		   0, n == 1 ? COUNTERS : COUNTERS + 64);
		break;
	case 6:
		OP(v, MOV, VGPU_F_IMM, 10, 0, 0, 0, 31);
		OP(v, SHFL, VGPU_SHFL_BFLY | VGPU_F_IMM, 11, 8, 0, 10, (u64)VGPU_PT << 32 | n * 4);
		OP(v, ADD, 0, 8, 8, 11, 0, 0);
		break;
	case 7:
		OP(v, STG, VASS_MEM(4, 1), 0, 4, 8, 0, 0);
		OP(v, LDG, VASS_MEM(4, 1), 10, 4, 0, 0, 0);
		OP(v, ADD, 0, 9, 9, 10, 0, 0);
		break;
	case 8:
		OP(v, ZXQ, 0, 22, 8, 0, 0, 0);
		OP(v, MADQ, VGPU_F_IMM, 24, 24, 0, 22, 0x9e3779b97f4a7c15ull);
		OPI(v, SHRUQ, 20, 24, 17);
		OP(v, UNLO, 0, 10, 20, 0, 0, 0);
		OP(v, XOR, 0, 8, 8, 10, 0, 0);
		break;
	case 9:
		OPI(v, AND, 10, 9, 1u << n);
		vass_op(v, VGPU_OP_SETPU, VGPU_CMP_NE | VGPU_F_IMM, 1, 10, 0, 0, 0);
		OP(v, BARRED, VGPU_BARRED_POPC, 11, 1, 0, 0, 3);
		OP(v, ADD, 0, 8, 8, 11, 0, 0);
		break;
	case 10:	/* each lane in a page of its own */
		OPI(v, AND, 10, 0, 31);
		OPI(v, SHL, 10, 10, VGPU_LOCAL_SHIFT);
		for (u32 i = 0; i < 8; i++) {
			OP(v, STL, VASS_MEM(4, 1), 0, 10, 8, 0, 64);
			OP(v, LDL, VASS_MEM(4, 1), 11, 10, 0, 0, 64);
			OP(v, ADD, 0, 9, 9, 11, 0, 0);
		}
		break;
	default:
		OPI(v, AND, 10, 8, 0xfffff);
		OP(v, I2F, 0, 13, 10, 0, 0, 0);
		OP(v, FSQRT, 0, 13, 13, 0, 0, 0);
		OP(v, F2I, VGPU_RND_RZ | VGPU_F_SIGNED, 10, 13, 0, 0, 0);
		OP(v, XOR, 0, 9, 9, 10, 0, 0);
	}
}

/* R0 thread, R1 block, Q2 base, Q4 own address, R8 number of the thread in the grid */
static inline void begin_program(struct vass *v, u32 regs)
{
	vass_init(v, regs, 8);
	v->kernel.shared_bytes = 5120;	/* three blocks an SM: those of two programs do not fit */
	OP(v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OP(v, SREG, 0, 1, 0, 0, 0, VGPU_SR_CTAID_X);
	OPI(v, MUL, 8, 1, THREADS);
	OP(v, ADD, 0, 8, 8, 0, 0, 0);
	OP(v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OPI(v, MADWU, 4, 8, 4);
	v->code[v->count - 1].c = 2;
}

/* Of @rounds rounds, each of eight pieces. */
static inline void random_program(struct vass *v, u64 seed, u32 rounds)
{
	struct vgpu_random random;
	u32 top, i;

	vgpu_random_seed(&random, seed);
	begin_program(v, 26);
	v->kernel.local_bytes = VGPU_LANES * VGPU_LOCAL_SPAN;
	OPI(v, SHL, 6, 0, 2);
	OPI(v, MUL, 9, 8, (u32)seed * 2 + 1);
	top = OPI(v, ADD, 7, 7, 1);
	for (i = 0; i < 8; i++)
		piece(v, &random);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, 7, 0, 0, rounds);
	OP(v, BRA, 0, 0, 0, 0, 0, (u64)(v->count + 1) << 32 | top);
	vass_guard(v, 0);
	/* Everything that was computed goes into what is stored. */
	OP(v, BAR, 0, 0, 0, 0, 0, 0);
	OPI(v, AND, 10, 0, 7);
	OPI(v, SHL, 10, 10, 2);
	OP(v, LDS, VASS_MEM(4, 1), 11, 10, 0, 0, THREADS * 4);
	OP(v, LDL, VASS_MEM(4, 1), 12, 10, 0, 0, 0);
	OP(v, UNHI, 0, 13, 24, 0, 0, 0);
	OP(v, ADD, 0, 8, 8, 9, 0, 0);
	OP(v, XOR, 0, 8, 8, 11, 0, 0);
	OP(v, ADD, 0, 8, 8, 12, 0, 0);
	OP(v, XOR, 0, 8, 8, 13, 0, 0);
	OP(v, STG, VASS_MEM(4, 1), 0, 4, 8, 0, 0);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

#endif
