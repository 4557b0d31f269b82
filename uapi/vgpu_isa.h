/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * VASS, the instruction set of the vgpu device: binary format, instruction word, opcode list.
 *
 * To this device VASS is what SASS is to an NVIDIA one. The runtime compiles PTX to it, the device
 * verifies a binary when it is loaded and then interprets it, a warp of 32 lanes at a time.
 * Semantics in full: docs/isa.md.
 *
 * State of a thread: `regs` 32-bit registers R0..R(regs-1), of which an aligned pair (even number
 * first) is one 64-bit register Q; 64 predicates P0..P63 where P63 (PT) always reads true and
 * ignores writes; the special registers. A 64-bit value written as a pair is read as a pair: what
 * one half of it reads as is unspecified (UNLO and UNHI take it apart, PACK puts it together), and
 * writing a half in one lane spoils the pair in all lanes of the warp. Registers are not
 * initialised for the program (they read as zero).
 *
 * Memory: addresses are byte addresses, little-endian. One generic 64-bit address space holds
 * global memory at the process's own addresses and two windows, VGPU_SHARED_WINDOW and
 * VGPU_LOCAL_WINDOW. Shared and local space are also addressed by themselves, with a 32-bit offset
 * from 0. Every access is aligned to its whole size (elements x size).
 */
#ifndef VGPU_ISA_H
#define VGPU_ISA_H

#include <linux/types.h>

/* ---- binary format ------------------------------------------------------ */

#define VGPU_VASS_MAGIC		0x53534156u	/* "VASS" */
/*
 * Version 2 gave the high byte of version 1's 16-bit opcode, which was always 0, to memory order,
 * scope and cache operator (vgpu_insn.mem). A device takes every version from OLDEST to VERSION; it
 * loads a version 1 binary as the version 2 one with VGPU_MEM_V1_ATOMIC in its atomics and
 * VGPU_MEM_V1_FENCE in its MEMBARs. Version 3 gave operand c of accesses to global memory, which
 * was always 0, to the object that the address is derived from (VGPU_OBJECT_*).
 */
#define VGPU_VASS_VERSION	3
#define VGPU_VASS_OLDEST	1
#define VGPU_VASS_MAX_BYTES	(16u << 20)	/* one binary */
#define VGPU_VASS_MAX_KERNELS	1024u
#define VGPU_VASS_MAX_PARAM 32764u /* bytes of kernel parameters, as PTX has for sm_70 and later */
#define VGPU_VASS_MAX_LOCAL	(512u << 10)	/* bytes of local memory per thread */
#define VGPU_VASS_MAX_REGS	254u		/* 32-bit registers per thread */
#define VGPU_VASS_MAX_NAME	1024u		/* bytes of a kernel name, the final 0 included */

/**
 * struct vgpu_vass_header - first bytes of a VASS binary; the three tables follow in any order,
 * inside total_bytes, not overlapping the header, each offset a multiple of 16.
 */
struct vgpu_vass_header {
	__u32 magic;
	__u16 version;		/* VGPU_VASS_OLDEST to VGPU_VASS_VERSION */
	__u16 flags;		/* 0 */
	__u32 total_bytes;
	__u32 code_offset;	/* struct vgpu_insn[code_count] */
	__u32 code_count;
	__u32 kernel_offset;	/* struct vgpu_vass_kernel[kernel_count] */
	__u32 kernel_count;
	__u32 names_offset;	/* zero-terminated kernel names */
	__u32 names_bytes;
	__u32 reserved[3];	/* 0 */
};

/**
 * struct vgpu_vass_kernel - one kernel of a binary. Its code is code_count instructions from index
 * entry; kernels do not share code. Branch targets and program counters are relative to entry.
 */
struct vgpu_vass_kernel {
	__u32 name;		/* offset into the names */
	__u32 entry;
	__u32 code_count;
	__u32 regs;		/* 32-bit registers per thread, 1..VGPU_VASS_MAX_REGS */
	__u32 shared_bytes;	/* static shared memory per block */
	__u32 local_bytes;	/* local memory per thread, a multiple of 16 */
	__u32 param_bytes;	/* size of the parameter block a launch must bring */
	__u32 max_threads;	/* .maxntid product, 0: the device's limit */
	__u32 flags;		/* 0 */
	/*
	 * Where a kernel that launches kernels writes that to (vgpu_launch.h), the lower word
	 * first; a multiple of 64. 0: it does not
	 */
	__u32 launch_pool[2];
	/*
	 * of such a kernel: where in its parameters the device writes how deep in others the launch
	 * is (4 bytes, a multiple of 4), if a kernel has launched it. 0: it does not want to know
	 */
	__u32 launch_depth;
};

/* ---- instruction word --------------------------------------------------- */

/**
 * struct vgpu_insn - one instruction, 16 bytes. Fields an opcode does not use are 0.
 * @op: enum vgpu_op, or enum vgpu_op_reserved, which the verifier refuses by name
 * @mem: memory order, scope and cache operator of an access or a fence (classes MEM, ATOM and
 *   FENCE), see VGPU_MEM(); 0 of every other opcode, and in a version 1 binary
 * @guard: bits 0-5 the predicate that guards it (VGPU_PT: always), bit 6 negates it. A lane whose
 *   guard is false does not execute the instruction. For BRA the guard is the branch condition. Bit
 *   7: 0.
 * @flags: see VGPU_F_*; meaning depends on the opcode's class @dst, @a, @b, @c: operand registers
 *   or predicates as the opcode list says. A predicate *source* operand carries VGPU_P_NOT to be
 *   read inverted.
 * @imm: immediate operand, branch target, address offset
 */
struct vgpu_insn {
	__u8 op;
	__u8 mem;
	__u8 guard;
	__u8 flags;
	__u8 dst;
	__u8 a;
	__u8 b;
	__u8 c;
	__u64 imm;
};

#define VGPU_PT			63u	/* the predicate that is always true */
#define VGPU_P_NOT		0x40u	/* in guard and in predicate source operands */
#define VGPU_PREDS		64u

#define VGPU_F_IMM 0x80u /* operand b is imm (kinds RI, QI); for 32-bit operands its low half */

/*
 * flags of arithmetic on floats (class FP): rounding mode and flush of subnormal inputs and results
 * to zero
 */
#define VGPU_RND_RN		0u	/* to nearest even */
#define VGPU_RND_RZ		1u
#define VGPU_RND_RM		2u	/* towards minus infinity */
#define VGPU_RND_RP		3u
#define VGPU_F_RND(flags)	((flags) & 3u)
#define VGPU_F_FTZ		0x04u	/* 32-bit floats only */
#define VGPU_F_SAT 0x08u /* clamp the result to [0,1], NaN to 0; 32-bit floats only */
/* flags of conversions (class CV): rounding as above, and */
#define VGPU_F_SIGNED		0x10u	/* the integer side is signed */

/* flags of compares (class CMP): condition. The *U forms are true when an operand is NaN */
enum vgpu_cmp {
	VGPU_CMP_EQ, VGPU_CMP_NE, VGPU_CMP_LT, VGPU_CMP_LE, VGPU_CMP_GT, VGPU_CMP_GE,
	VGPU_CMP_EQU, VGPU_CMP_NEU, VGPU_CMP_LTU, VGPU_CMP_LEU, VGPU_CMP_GTU, VGPU_CMP_GEU,
	VGPU_CMP_NUM,	/* neither is NaN */
	VGPU_CMP_NAN,	/* one is NaN */
	VGPU_CMP_COUNT
};
#define VGPU_F_CMP(flags)	((flags) & 15u)
#define VGPU_F_CMP_FTZ		0x10u

/*
 * flags of loads and stores (class MEM): elements of 1, 2, 4 or 8 bytes, 1, 2 or 4 of them, at most
 * 16 bytes in all. Elements of up to 4 bytes occupy consecutive R registers from dst (load) or b
 * (store), 8-byte elements consecutive Q registers. A load of 1 or 2 bytes zero-extends unless
 * VGPU_F_SEXT. imm is a signed byte offset.
 */
#define VGPU_F_SIZE(flags)	(1u << ((flags) & 3u))		/* bytes of one element */
#define VGPU_F_COUNT(flags)	(1u << (((flags) >> 2) & 3u))	/* elements, 1, 2 or 4 */
#define VGPU_F_SEXT		0x10u
#define VGPU_F_ABS		0x20u	/* no base register: the address is imm alone */
/*
 * Operand c of LD, LDG, ST and STG: the object that the address is derived from, as the compiler
 * has proved. A device learns from it which memory a kernel reads and which it writes, and so how
 * far a thread block may have got and still be run again from its start (docs/isa.md). It is a
 * promise of the program: one that is not true costs the results of that program and nobody else's.
 */
#define VGPU_OBJECT_ANY		0u	/* not known */
/* The one that the 64-bit parameter at this offset, a multiple of 8 below 2024, points to */
#define VGPU_OBJECT_PARAM(offset)	((offset) / 8u + 1u)
#define VGPU_OBJECT_PARAM_OFFSET(object)	(((object) - 1u) * 8u)
#define VGPU_OBJECT_PARAMS	253u	/* objects 1 to this are parameters */
#define VGPU_OBJECT_CONSTANT	254u	/* loads only: a .const variable, which no kernel writes */
#define VGPU_OBJECT_VARIABLE	255u	/* .global variables of the program, all of them */
/*
 * Free for later versions, and 0 until then: flags bits 6 and 7 of class MEM, operand c of its
 * other opcodes, operand b of its loads, dst of its stores.
 */

/* flags of atomics (class ATOM) */
enum vgpu_atom {
	VGPU_ATOM_ADD, VGPU_ATOM_MIN, VGPU_ATOM_MAX, VGPU_ATOM_AND, VGPU_ATOM_OR, VGPU_ATOM_XOR,
	VGPU_ATOM_EXCH, VGPU_ATOM_CAS,	/* b is the value compared with, c the new one */
	VGPU_ATOM_INC, VGPU_ATOM_DEC,	/* PTX atom.inc, atom.dec: 32-bit unsigned only */
	/*
	 * PTX .b128: 16 bytes, aligned to 16, of the Q forms only. dst is two consecutive Q
	 * registers, b two, the lower half first; of CAS128 b is four: compared with, then the new
	 * ones. c is 0 and there is always a result
	 */
	VGPU_ATOM_EXCH128, VGPU_ATOM_CAS128,
	VGPU_ATOM_COUNT
};
#define VGPU_F_ATOM(flags)	((flags) & 15u)
#define VGPU_F_ATOM_128(flags)	(VGPU_F_ATOM(flags) >= VGPU_ATOM_EXCH128)
#define VGPU_F_ATOM_SIGNED	0x10u	/* min and max compare signed */
#define VGPU_F_ATOM_ABS		0x20u	/* as VGPU_F_ABS */
#define VGPU_F_ATOM_FLOAT 0x40u /* add only: f32 in the 32-bit form, f64 in the 64-bit one */
#define VGPU_F_ATOM_NORET	0x80u	/* a reduction: dst is not written */

/*
 * mem of accesses and fences: order in bits 0-2, scope in bits 3-4, cache operator in bits 5-7. The
 * lanes of today execute every access in one order of the whole device (docs/isa.md) and read none
 * of it; it is here for caches and for the compiler's word to reach them.
 *
 * What the verifier requires, beside values that exist:
 *
 *	what		order				scope		cache operator
 *	LD LDG LDL	WEAK				0		NONE CA CG CS LU CV
 *	LD LDG		NC				0		NONE CA CG CS LU
 *	ST STG STL	WEAK				0		NONE CG CS WB WT
 *	LDS LDP STS	WEAK				0		NONE
 *	LD LDG LDS	RELAXED ACQUIRE			CTA GPU SYS	NONE
 *	ST STG STS	RELAXED RELEASE			CTA GPU SYS	NONE
 *	class ATOM	RELAXED ACQUIRE RELEASE ACQ_REL	CTA GPU SYS	NONE
 *	MEMBAR		ACQUIRE RELEASE ACQ_REL SC	CTA GPU SYS	NONE
 */
#define VGPU_MEM(order, scope, cache)	((order) | (scope) << 3 | (cache) << 5)
#define VGPU_MEM_ORDER(mem)	((mem) & 7u)
#define VGPU_MEM_SCOPE(mem)	(((mem) >> 3) & 3u)
#define VGPU_MEM_CACHE(mem)	(((mem) >> 5) & 7u)

/* The orders of PTX's memory model, in which .volatile is RELAXED with scope SYS. */
enum vgpu_order {
	VGPU_ORDER_WEAK,	/* other threads see it only by way of their fences and barriers */
	VGPU_ORDER_RELAXED,
	VGPU_ORDER_ACQUIRE,
	VGPU_ORDER_RELEASE,
	VGPU_ORDER_ACQ_REL,
	VGPU_ORDER_SC,
	/* PTX .nc: nobody writes there while the kernel runs, so an incoherent cache may answer */
	VGPU_ORDER_NC,
	VGPU_ORDER_COUNT	/* 7: reserved */
};

/* Whom an order that is not WEAK or NC is for; of those two: 0 */
enum vgpu_scope {
	VGPU_SCOPE_CTA,		/* the threads of the block */
	VGPU_SCOPE_CLUSTER,	/* reserved: there are no clusters of blocks */
	VGPU_SCOPE_GPU,		/* of the context on this device */
	VGPU_SCOPE_SYS,		/* and the host, and other devices */
};

/* PTX cache operators; NONE leaves it to the device. Eviction and prefetch hints have no bits. */
enum vgpu_cache {
	VGPU_CACHE_NONE,
	VGPU_CACHE_CA,		/* loads: at all levels */
	VGPU_CACHE_CG,		/* at the global level only, not in an SM's own cache */
	VGPU_CACHE_CS,		/* streaming: likely accessed once */
	/* loads: last use, the line need not be written back; NC: of a texel (VGPU_MEM_TEXTURE) */
	VGPU_CACHE_LU,
	VGPU_CACHE_CV,		/* loads: as if volatile, fetched again */
	VGPU_CACHE_WB,		/* stores: write back */
	VGPU_CACHE_WT,		/* stores: write through to memory */
};

/* A load of a texel: goes through the SM's cache of textures, if it has one. */
#define VGPU_MEM_TEXTURE VGPU_MEM(VGPU_ORDER_NC, VGPU_SCOPE_CTA, VGPU_CACHE_LU)

/* What version 1 meant, which could not say so: PTX atom and membar.sys */
#define VGPU_MEM_V1_ATOMIC	VGPU_MEM(VGPU_ORDER_RELAXED, VGPU_SCOPE_GPU, VGPU_CACHE_NONE)
#define VGPU_MEM_V1_FENCE	VGPU_MEM(VGPU_ORDER_SC, VGPU_SCOPE_SYS, VGPU_CACHE_NONE)

/* flags of SHFL, as PTX shfl.sync */
enum vgpu_shfl { VGPU_SHFL_UP, VGPU_SHFL_DOWN, VGPU_SHFL_BFLY, VGPU_SHFL_IDX, VGPU_SHFL_COUNT };
/*
 * SHFL's imm: bits 0-31 the immediate for b, bits 32-39 the predicate written with "source lane in
 * range" (VGPU_PT: none). c is a register with PTX's c operand (segment mask in bits 8-12, clamp in
 * bits 0-4).
 */
#define VGPU_SHFL_PRED(imm)	((__u8)((imm) >> 32))
/*
 * SHFLSYNC's imm has these, and in bits 40-47 the register with the member mask, VGPU_SHFL_FULL for
 * a mask of all lanes
 */
#define VGPU_SHFL_MASK(imm)	((__u8)((imm) >> 40))
#define VGPU_SHFL_FULL		0xffu

/* flags of VOTE (dst P) */
enum vgpu_vote { VGPU_VOTE_ALL, VGPU_VOTE_ANY, VGPU_VOTE_UNI, VGPU_VOTE_COUNT };

/*
 * flags of MATCHSYNC and MATCHSYNCQ: the lanes with the same a; the member mask if all members have
 * the same a, else 0
 */
enum vgpu_match { VGPU_MATCH_ANY, VGPU_MATCH_ALL, VGPU_MATCH_COUNT };

/* flags of BARRED, a barrier that reduces predicate a over all threads of the block */
enum vgpu_barred { VGPU_BARRED_POPC, VGPU_BARRED_AND, VGPU_BARRED_OR, VGPU_BARRED_COUNT };
/*
 * BAR and BARRED: imm bits 0-3 barrier number; bits 32-47 threads that take part, a multiple of 32,
 * 0: all
 */
#define VGPU_BAR_ID(imm)	((__u32)(imm) & 15u)
#define VGPU_BAR_THREADS(imm)	((__u32)((imm) >> 32) & 0xffffu)
#define VGPU_BARRIERS		16u

/*
 * BRA: imm low half the target, high half the reconvergence point (the immediate post-dominator of
 * the branch), both relative to the kernel's entry. VGPU_NO_RECONV says that the paths of a
 * divergent branch meet nowhere before EXIT.
 */
#define VGPU_BRA_TARGET(imm)	((__u32)(imm))
#define VGPU_BRA_RECONV(imm)	((__u32)((imm) >> 32))
#define VGPU_NO_RECONV		0xffffffffu

/* special registers: imm of SREG (R) and SREGQ (Q, the 64-bit ones) */
enum vgpu_sreg {
	VGPU_SR_TID_X,
	VGPU_SR_TID_Y,
	VGPU_SR_TID_Z,
	VGPU_SR_NTID_X,
	VGPU_SR_NTID_Y,
	VGPU_SR_NTID_Z,
	VGPU_SR_CTAID_X,
	VGPU_SR_CTAID_Y,
	VGPU_SR_CTAID_Z,
	VGPU_SR_NCTAID_X,
	VGPU_SR_NCTAID_Y,
	VGPU_SR_NCTAID_Z,
	VGPU_SR_LANEID,
	VGPU_SR_WARPID,
	VGPU_SR_NWARPID,
	VGPU_SR_SMID,
	VGPU_SR_NSMID,
	VGPU_SR_GRIDID,
	VGPU_SR_LANEMASK_EQ,
	VGPU_SR_LANEMASK_LT,
	VGPU_SR_LANEMASK_LE,
	VGPU_SR_LANEMASK_GT,
	VGPU_SR_LANEMASK_GE,
	VGPU_SR_DYNSHARED,	/* bytes of dynamic shared memory of the launch */
	VGPU_SR_CLOCK,		/* low half of CLOCK64 */
	VGPU_SR_COUNT32,
	VGPU_SR_CLOCK64 = VGPU_SR_COUNT32,	/* SM cycles, from virtual time */
	VGPU_SR_GLOBALTIMER,	/* virtual nanoseconds */
	VGPU_SR_COUNT
};

/* ---- generic addresses -------------------------------------------------- */

/*
 * Above every address a process can have. A generic access falls into the window its top byte
 * names.
 */
#define VGPU_SHARED_WINDOW	0x0100000000000000ull
#define VGPU_LOCAL_WINDOW	0x0200000000000000ull
#define VGPU_WINDOW_MASK	0xff00000000000000ull

/* ---- opcodes ------------------------------------------------------------ */

/*
 * X(NAME, class, dst, a, b, c): operand kinds N none, R 32-bit, Q 64-bit (aligned pair), P
 * predicate, RI / QI register or, with VGPU_F_IMM, immediate; V, W: the register(s) of a MEM
 * instruction, A: address register (R for shared and local, Q otherwise, unused with ABS). Class
 * NONE has no flags but IMM.
 *
 * An instruction reads its operands, in all lanes, before it writes a result, also where a pair
 * overlaps a source; one that faults has written nothing. Base and offset of a 32-bit address add
 * up modulo 2^32. Class CV takes FTZ and SAT for its 32-bit float side. The reconvergence point of
 * a branch is where those of its lanes meet that do not EXIT.
 */
#define VGPU_ISA(X)										\
	X(NOP,     NONE, N, N, N,  N)								\
	/* moves */										\
	X(MOV,     NONE, R, N, RI, N)								\
	X(MOVQ,    NONE, Q, N, QI, N)								\
	X(SREG,    SREG, R, N, N,  N)								\
	X(SREGQ,   SREG, Q, N, N,  N)								\
	X(PACK,    NONE, Q, R, RI, N)	/* a low, b high half */				\
	X(UNLO,    NONE, R, Q, N,  N)								\
	X(UNHI,    NONE, R, Q, N,  N)								\
	X(SEL,     NONE, R, R, RI, P)	/* c ? a : b */						\
	X(SELQ,    NONE, Q, Q, QI, P)								\
	/* 32-bit integers */									\
	X(ADD,     NONE, R, R, RI, N)								\
	X(SUB,     NONE, R, R, RI, N)								\
	X(MUL,     NONE, R, R, RI, N)	/* low half of the product */				\
	X(MULHS,   NONE, R, R, RI, N)	/* high half, signed, unsigned */			\
	X(MULHU,   NONE, R, R, RI, N)								\
	X(MAD,     NONE, R, R, RI, R)	/* low half of a * b, plus c */				\
	X(MULWS,   NONE, Q, R, RI, N)	/* the whole product */					\
	X(MULWU,   NONE, Q, R, RI, N)								\
	X(MADWS,   NONE, Q, R, RI, Q)	/* the whole product plus 64-bit c */			\
	X(MADWU,   NONE, Q, R, RI, Q)								\
	X(DIVS,    NONE, R, R, RI, \
		N)	/* by zero: all ones, as NVIDIA's; INT_MIN / -1 = INT_MIN */ \
	X(DIVU,    NONE, R, R, RI, N)								\
	X(REMS,    NONE, R, R, RI, N)	/* by zero: a; INT_MIN % -1 = 0 */			\
	X(REMU,    NONE, R, R, RI, N)								\
	X(MINS,    NONE, R, R, RI, N)								\
	X(MINU,    NONE, R, R, RI, N)								\
	X(MAXS,    NONE, R, R, RI, N)								\
	X(MAXU,    NONE, R, R, RI, N)								\
	X(ABS,     NONE, R, R, N,  N)								\
	X(NEG,     NONE, R, R, N,  N)								\
	X(AND,     NONE, R, R, RI, N)								\
	X(OR,      NONE, R, R, RI, N)								\
	X(XOR,     NONE, R, R, RI, N)								\
	X(NOT,     NONE, R, R, N,  N)								\
	X(SHL,     NONE, R, R, RI, N)	/* counts above 31 act as 32, as in PTX */		\
	X(SHRS,    NONE, R, R, RI, N)								\
	X(SHRU,    NONE, R, R, RI, N)								\
	X(SHFLW,   NONE, R, R, RI, \
		R)	/* funnel: high word of (b:a) << (c & 31); a low, b high word */ \
	X(SHFRW,   NONE, R, R, RI, R)	/* funnel: low word of (b:a) >> (c & 31) */		\
	X(SHFLC,   NONE, R, R, RI, R)	/* the same with the count clamped to 32 */		\
	X(SHFRC,   NONE, R, R, RI, R)								\
	X(CLZ,     NONE, R, R, N,  N)								\
	X(POPC,    NONE, R, R, N,  N)								\
	X(BREV,    NONE, R, R, N,  N)								\
	X(BFINDS,  NONE, R, R, N, \
		N)	/* position of the highest bit that is not a sign bit, all ones if none */ \
	X(BFINDU,  NONE, R, R, N,  N)								\
	X(BFES,    NONE, R, R, RI, R)	/* b position, c length, as PTX bfe */			\
	X(BFEU,    NONE, R, R, RI, R)								\
	X(BFI,     NONE, R, R, R,  R)	/* insert a into b; c = position | length << 8 */	\
	X(PRMT,    NONE, R, R, RI, \
		R)	/* a, c the two words; b the selector (PTX default mode) */ \
	X(LOP3,    LUT,  R, R, R,  R)	/* imm bits 0-7 the truth table */			\
	X(SX8,     NONE, R, R, N,  N)	/* sign-extend the low 8, 16 bits */			\
	X(SX16,    NONE, R, R, N,  N)								\
	X(ZX8,     NONE, R, R, N,  N)								\
	X(ZX16,    NONE, R, R, N,  N)								\
	X(SXQ,     NONE, Q, R, N,  N)	/* 32 to 64 bits */					\
	X(ZXQ,     NONE, Q, R, N,  N)								\
	/* 64-bit integers; shift counts and bit counts are 32-bit */				\
	X(ADDQ,    NONE, Q, Q, QI, N)								\
	X(SUBQ,    NONE, Q, Q, QI, N)								\
	X(MULQ,    NONE, Q, Q, QI, N)								\
	X(MULHSQ,  NONE, Q, Q, QI, N)								\
	X(MULHUQ,  NONE, Q, Q, QI, N)								\
	X(MADQ,    NONE, Q, Q, QI, Q)								\
	X(DIVSQ,   NONE, Q, Q, QI, N)								\
	X(DIVUQ,   NONE, Q, Q, QI, N)								\
	X(REMSQ,   NONE, Q, Q, QI, N)								\
	X(REMUQ,   NONE, Q, Q, QI, N)								\
	X(MINSQ,   NONE, Q, Q, QI, N)								\
	X(MINUQ,   NONE, Q, Q, QI, N)								\
	X(MAXSQ,   NONE, Q, Q, QI, N)								\
	X(MAXUQ,   NONE, Q, Q, QI, N)								\
	X(ABSQ,    NONE, Q, Q, N,  N)								\
	X(NEGQ,    NONE, Q, Q, N,  N)								\
	X(ANDQ,    NONE, Q, Q, QI, N)								\
	X(ORQ,     NONE, Q, Q, QI, N)								\
	X(XORQ,    NONE, Q, Q, QI, N)								\
	X(NOTQ,    NONE, Q, Q, N,  N)								\
	X(SHLQ,    NONE, Q, Q, RI, N)	/* counts above 63 act as 64 */				\
	X(SHRSQ,   NONE, Q, Q, RI, N)								\
	X(SHRUQ,   NONE, Q, Q, RI, N)								\
	X(CLZQ,    NONE, R, Q, N,  N)								\
	X(POPCQ,   NONE, R, Q, N,  N)								\
	X(BREVQ,   NONE, Q, Q, N,  N)								\
	X(BFINDSQ, NONE, R, Q, N,  N)								\
	X(BFINDUQ, NONE, R, Q, N,  N)								\
	X(BFESQ,   NONE, Q, Q, RI, R)								\
	X(BFEUQ,   NONE, Q, Q, RI, R)								\
	X(BFIQ,    NONE, Q, Q, Q,  R)	/* c = position | length << 8 */			\
	/* 32-bit floats */									\
	X(FADD,    FP,   R, R, RI, N)								\
	X(FSUB,    FP,   R, R, RI, N)								\
	X(FMUL,    FP,   R, R, RI, N)								\
	X(FFMA,    FP,   R, R, RI, R)	/* rounded once */					\
	X(FDIV,    FP,   R, R, RI, N)								\
	X(FSQRT,   FP,   R, R, N,  N)								\
	X(FMIN,    FP,   R, R, RI, N)	/* the other operand if one is NaN; -0 < +0 */		\
	X(FMAX,    FP,   R, R, RI, N)								\
	X(FABS,    FP,   R, R, N,  N)								\
	X(FNEG,    FP,   R, R, N,  N)								\
	X(FRND,    FP,   R, R, N,  N)	/* to an integral value, by the rounding mode */	\
	X(FRCP,    FP,   R, R, N,  N)	/* PTX .approx: within 2 ulp */				\
	X(FRSQ,    FP,   R, R, N,  N)								\
	X(FSIN,    FP,   R, R, N,  N)	/* absolute error 2^-20 in [-pi, pi] */			\
	X(FCOS,    FP,   R, R, N,  N)								\
	X(FEX2,    FP,   R, R, N,  N)	/* 2 ulp */						\
	X(FLG2,    FP,   R, R, N,  N)								\
	X(FTANH,   FP,   R, R, N,  N)								\
	/* 64-bit floats */									\
	X(DADD,    FP,   Q, Q, QI, N)								\
	X(DSUB,    FP,   Q, Q, QI, N)								\
	X(DMUL,    FP,   Q, Q, QI, N)								\
	X(DFMA,    FP,   Q, Q, QI, Q)								\
	X(DDIV,    FP,   Q, Q, QI, N)								\
	X(DSQRT,   FP,   Q, Q, N,  N)								\
	X(DMIN,    FP,   Q, Q, QI, N)								\
	X(DMAX,    FP,   Q, Q, QI, N)								\
	X(DABS,    FP,   Q, Q, N,  N)								\
	X(DNEG,    FP,   Q, Q, N,  N)								\
	X(DRND,    FP,   Q, Q, N,  N)								\
	X(DRCP,    FP,   Q, Q, N,  N)								\
	X(DRSQ,    FP,   Q, Q, N,  N)								\
	/* float to integer saturates; NaN is 0, with 64 bits on a side the top bit */		\
	X(F2I,     CV,   R, R, N,  N)								\
	X(F2L,     CV,   Q, R, N,  N)								\
	X(D2I,     CV,   R, Q, N,  N)								\
	X(D2L,     CV,   Q, Q, N,  N)								\
	X(I2F,     CV,   R, R, N,  N)								\
	X(L2F,     CV,   R, Q, N,  N)								\
	X(I2D,     CV,   Q, R, N,  N)								\
	X(L2D,     CV,   Q, Q, N,  N)								\
	X(F2D,     CV,   Q, R, N,  N)								\
	X(D2F,     CV,   R, Q, N,  N)								\
	X(H2F,     CV,   R, R, N,  N)	/* binary16 in the low half of a */			\
	X(F2H,     CV,   R, R, N,  N)								\
	/* compares */										\
	X(SETPS,   CMP,  P, R, RI, N)								\
	X(SETPU,   CMP,  P, R, RI, N)								\
	X(SETPSQ,  CMP,  P, Q, QI, N)								\
	X(SETPUQ,  CMP,  P, Q, QI, N)								\
	X(SETPF,   CMP,  P, R, RI, N)								\
	X(SETPD,   CMP,  P, Q, QI, N)								\
	/* predicates */									\
	X(PMOV,    NONE, P, P, N,  N)								\
	X(PAND,    NONE, P, P, P,  N)								\
	X(POR,     NONE, P, P, P,  N)								\
	X(PXOR,    NONE, P, P, P,  N)								\
	X(P2R,     NONE, R, P, N,  N)	/* 1 or 0 */						\
	/* memory: generic, global, shared, local, parameters (imm: the byte offset) */		\
	X(LD,      MEM,  V, A, N,  N)								\
	X(LDG,     MEM,  V, A, N,  N)								\
	X(LDS,     MEM,  V, A, N,  N)								\
	X(LDL,     MEM,  V, A, N,  N)								\
	X(LDP,     MEM,  V, N, N,  N)								\
	X(ST,      MEM,  N, A, W,  N)								\
	X(STG,     MEM,  N, A, W,  N)								\
	X(STS,     MEM,  N, A, W,  N)								\
	X(STL,     MEM,  N, A, W,  N)								\
	X(ATOM,    ATOM, R, A, R,  R)	/* generic: global or shared */				\
	X(ATOMG,   ATOM, R, A, R,  R)								\
	X(ATOMS,   ATOM, R, A, R,  R)								\
	X(ATOMQ,   ATOM, Q, A, Q,  Q)								\
	X(ATOMGQ,  ATOM, Q, A, Q,  Q)								\
	X(ATOMSQ,  ATOM, Q, A, Q,  Q)								\
	X(MEMBAR,  FENCE, N, N, N, N)	/* orders the thread's accesses by mem */		\
	/* warp and block */									\
	X(SHFL,    SHFL, R, R, RI, R)								\
	X(VOTE,    VOTE, P, P, N,  N)								\
	X(BALLOT,  NONE, R, P, N,  N)								\
	X(ACTIVE,  NONE, R, N, N,  N)	/* mask of the lanes that execute it */			\
	X(MATCH,   NONE, R, R, N,  N)	/* mask of the active lanes with the same a */		\
	X(MATCHQ,  NONE, R, Q, N,  N)								\
	X(BAR,     BAR,  N, N, N,  N)								\
	X(BARRED,  BARR, R, P, N,  N)	/* POPC: the count; AND, OR: 1 or 0 */			\
	/* control */										\
	X(BRA,     BRA,  N, N, N,  N)								\
	X(EXIT,    NONE, N, N, N,  N)								\
	X(TRAP,    NONE, N, N, N,  N)	/* ends the context with VGPU_FAULT_TRAP */		\
	/* by a member mask (b; SHFLSYNC: see imm), as PTX *.sync: a lane waits until every	\
	 * lane of the mask that has not exited executes the same opcode with the same flags,	\
	 * at this instruction or another one */						\
	X(SHFLSYNC,   SHFL,  R, R, RI, R)							\
	X(VOTESYNC,   VOTE,  P, P, RI, N)							\
	X(BALLOTSYNC, NONE,  R, P, RI, N)							\
	X(MATCHSYNC,  MATCH, R, R, RI, N)							\
	X(MATCHSYNCQ, MATCH, R, Q, RI, N)							\
	X(BARWARP,    NONE,  N, N, RI, N)							\
	/* integers, later */									\
	X(FNS,     NONE, R, R, RI, R)	/* PTX fns: a the mask, b the base, c the offset */

enum vgpu_op {
#define VGPU_ISA_ENUM(name, class, dst, a, b, c) VGPU_OP_##name,
	VGPU_ISA(VGPU_ISA_ENUM)
#undef VGPU_ISA_ENUM
	VGPU_OP_COUNT
};

/*
 * Reserved opcodes. Their encoding is laid out so that code, tools and later versions agree on it;
 * no device executes them yet, and the verifier refuses them by name. Numbers from VGPU_OP_COUNT to
 * 0xef are free.
 *
 * Calls will need a table of functions in the binary (offset in reserved[0] of the header, rows in
 * reserved[1]: name, entry, code_count, bytes of local memory of one frame) and how deep calls may
 * nest (reserved[0] of the kernel). A function runs in the registers of the kernel that calls it;
 * what it must save, and its frame, the compiler keeps in local memory. Return addresses are the
 * device's: a call is an entry of the warp's reconvergence stack, whose point is the instruction
 * behind the call.
 *
 *	CALL	imm low half: the function's index in the table
 *	CALLI	a: an R register with that index, of each lane; lanes with the same one go together,
 *		the lowest index first. An index beyond the table ends the context.
 *	RET	the lanes whose guard holds return; in a kernel it is refused
 *
 * Transactions: what a lane accesses between TXBEGIN and TXCOMMIT takes effect at once or not at
 * all; the accesses themselves have the opcodes and the mem that they have elsewhere.
 *
 *	TXBEGIN		imm low half: where lanes go on whose transaction was aborted, from the
 *			kernel's entry, with the registers they had here; imm high half: the
 *			reconvergence point, as of BRA
 *	TXCOMMIT
 *	TXABORT
 */
#define VGPU_ISA_RESERVED(X)									\
	X(CALL, 0xf0)										\
	X(CALLI, 0xf1)										\
	X(RET, 0xf2)										\
	X(TXBEGIN, 0xf8)									\
	X(TXCOMMIT, 0xf9)									\
	X(TXABORT, 0xfa)

enum vgpu_op_reserved {
#define VGPU_ISA_ENUM(name, number) VGPU_OP_##name = number,
	VGPU_ISA_RESERVED(VGPU_ISA_ENUM)
#undef VGPU_ISA_ENUM
};

#endif
