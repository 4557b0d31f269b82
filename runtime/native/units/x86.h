/* SPDX-License-Identifier: MIT */
/*
 * Instructions of x86-64 as bytes: the few of the integer unit, and vectors of 64 bytes with masks
 * (AVX-512), that the translator (translate.h) needs. Code goes into a growing buffer; places in it
 * are labels, which may be used before they are known. Everything in it, constants included, is
 * addressed relative to itself, so it may be copied to where it shall run.
 *
 * For a processor with smaller vectors the same instructions become two of 32 bytes each, or a few
 * (AVX2, x86_avx2.c), or four of 16 bytes, or more (SSE2, x86_sse2.c). Vectors and masks lie in the
 * 16 registers that there are, or in memory.
 */
#ifndef VGPU_X86_H
#define VGPU_X86_H

#include <stdbool.h>
#include <stdint.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

/* conditions of jumps */
enum { CC_B = 2, CC_AE = 3, CC_E = 4, CC_NE = 5, CC_BE = 6, CC_A = 7, CC_L = 12, CC_G = 15 };

typedef uint32_t x86_label;
#define X86_NOWHERE	(~0u)

struct x86_fixup {
	uint32_t at;	/* of 4 bytes that are relative to the byte behind them, and tail more */
	uint32_t tail;
	x86_label label;
};

/** struct x86_mem - an operand in memory: @base + @disp, or @disp behind @at */
struct x86_mem {
	uint8_t base;
	bool label;
	int32_t disp;
	x86_label at;
};

static inline struct x86_mem at(uint8_t base, int32_t disp)
{
	return (struct x86_mem){ .base = base, .disp = disp };
}

static inline struct x86_mem at_label(x86_label label)
{
	return (struct x86_mem){ .label = true, .at = label };
}

/*
 * With smaller vectors, 0, 1 and 8 are in registers (AVX2: 8 to 11). Those from X86_ALIAS_FIRST on
 * are wherever x86.alias says, the others at X86_HOMES from rsp, and masks at X86_MASKS from there:
 * 64 bytes each. Calls destroy those that are in registers; dx is destroyed by what asks for masks.
 */
#define X86_ALIAS_FIRST	20u
#define X86_HOMES	320
#define X86_MASKS	(X86_HOMES + 64 * 20)
#define X86_SMALL_FRAME	(X86_MASKS + 64 * 8)

struct x86 {
	uint8_t *bytes;
	uint32_t count, room;
	uint32_t *labels;	/* where each is, or X86_NOWHERE */
	uint32_t label_count, label_room;
	struct x86_fixup *fixups;
	uint32_t fixup_count, fixup_room;
	uint64_t *constants;	/* 8 bytes each, behind the code */
	x86_label *constant_labels;
	uint32_t constant_count, constant_room;
	struct x86_row {
		x86_label label;
		uint64_t first, step;
		uint32_t shift;
	} rows[24];
	uint32_t row_count;
	bool failed;		/* there was no memory, or @small cannot do what was asked for */
	const struct x86_small *small;	/* NULL: AVX-512 */
	bool k_wide[8];		/* small: mask n is of lanes of 64 bits */
	struct x86_mem alias[32 - X86_ALIAS_FIRST];	/* small: where these vectors are */
};

/* For an instruction without an immediate */
#define X86_NO_IMM	(-1)

/** struct x86_small - the functions below of the same names, done with smaller vectors */
struct x86_small {
	void (*v)(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, uint8_t rm, uint32_t options,
		  int imm);
	void (*vm)(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, struct x86_mem m,
		   uint32_t options, int imm);
	void (*k_load)(struct x86 *x, uint8_t k, struct x86_mem m, uint8_t bytes);
	void (*k_from)(struct x86 *x, uint8_t k, uint8_t reg);
	void (*k_to)(struct x86 *x, uint8_t reg, uint8_t k);
	void (*k_not)(struct x86 *x, uint8_t to, uint8_t k);
	void (*k_ortest)(struct x86 *x, uint8_t a, uint8_t b);
	void (*v_to)(struct x86 *x, uint8_t reg, uint8_t v);
	/* NULL: it can't */
	void (*pick)(struct x86 *x, uint8_t reg, uint8_t a, uint8_t b, const uint8_t *from);
	/*
	 * This alone has no counterpart: are the 32 words of 64 bits at @lanes a row of @step from
	 * rax on? NE: no. @masked: only those that masks 3 to 6 do not have. Keeps rax;
	 * destroys vector 0.
	 */
	void (*compare_row)(struct x86 *x, struct x86_mem lanes, uint32_t step, bool masked);
	bool zero_upper;	/* there are upper halves */
};
extern const struct x86_small x86_avx2, x86_sse2;

void x86_init(struct x86 *x);
void x86_fini(struct x86 *x);
x86_label x86_new_label(struct x86 *x);
/* The label is here. */
void x86_here(struct x86 *x, x86_label label);
/* A constant, to be read as 4 or 8 bytes. */
x86_label x86_constant(struct x86 *x, uint64_t value);
/* Sixteen bytes */
x86_label x86_bytes(struct x86 *x, const uint8_t *bytes);
/* 64 bytes: @first and seven more, each @step more than the one before. At most 24 of them. */
x86_label x86_row(struct x86 *x, uint64_t first, uint64_t step);
/* The same, each by @shift bits to the left of the one before */
x86_label x86_bits(struct x86 *x, uint64_t first, uint32_t shift);
/* Constants go behind the code, uses of labels become numbers. False: there was no memory. */
bool x86_finish(struct x86 *x);

/* ---- integers ------------------------------------------------------------ */

/*
 * One opcode byte (0x0f xx: 0x0fxx), @reg and an operand that is a register or in memory; @wide: 64
 * bits
 */
void x86_rr(struct x86 *x, bool wide, uint32_t opcode, uint8_t reg, uint8_t rm);
void x86_rm(struct x86 *x, bool wide, uint32_t opcode, uint8_t reg, struct x86_mem m);
/* 81 /ext: add 0, or 1, with carry add 2 and sub 3, and 4, sub 5, xor 6, cmp 7 */
void x86_ri(struct x86 *x, bool wide, uint8_t ext, uint8_t rm, int32_t imm);
void x86_mi(struct x86 *x, bool wide, uint8_t ext, struct x86_mem m, int32_t imm);
/* shl 4, shr 5 */
void x86_shift(struct x86 *x, bool wide, uint8_t ext, uint8_t rm, uint8_t count);
void x86_mov_ri(struct x86 *x, uint8_t reg, uint64_t imm);
void x86_store_imm(struct x86 *x, bool wide, struct x86_mem m, int32_t imm);
void x86_jump(struct x86 *x, x86_label label);
void x86_jump_if(struct x86 *x, uint8_t cc, x86_label label);
void x86_jump_reg(struct x86 *x, uint8_t reg);
void x86_push(struct x86 *x, uint8_t reg);
void x86_pop(struct x86 *x, uint8_t reg);
void x86_byte(struct x86 *x, uint8_t byte);

enum {
	X_ADD = 0x03,	/* reg op= rm */
	X_OR = 0x0b,
	X_AND = 0x23,
	X_SUB = 0x2b,
	X_XOR = 0x33,
	X_CMP = 0x3b,
	X_LOAD = 0x8b,
	X_STORE = 0x89,
	X_STORE8 = 0x88,
	X_TEST = 0x85,
	X_ADD_TO = 0x01,	/* rm op= reg */
	X_AND_TO = 0x21,
	X_LEA = 0x8d,
	X_MULTIPLY = 0x0faf,
	X_LOWEST = 0x0fbc,	/* bsf: the lowest bit that is set */
	X_HIGHEST = 0x0fbd,
	X_MOVZX8 = 0x0fb6,
	X_MOVZX16 = 0x0fb7,
	X_MOVSX8 = 0x0fbe,
	X_MOVSX16 = 0x0fbf,
};
/* A byte before an instruction of 32 bits: it is one of 16 */
#define X_16_BITS	0x66
/* reg = rm * imm, 64 bits */
void x86_multiply(struct x86 *x, uint8_t reg, uint8_t rm, int8_t imm);
/* Of 32 bits; x86_negate() carries unless it is 0 */
void x86_popcnt(struct x86 *x, uint8_t reg, uint8_t rm);
void x86_not(struct x86 *x, uint8_t reg);
void x86_negate(struct x86 *x, uint8_t reg);
void x86_test(struct x86 *x, uint8_t reg, uint32_t imm);

/* ---- vectors of 64 bytes --------------------------------------------------- */

/*
 * An instruction: prefix (0 none, 1 66, 2 F3, 3 F2), map (1 0F, 2 0F38, 3 0F3A), W, opcode, and the
 * bytes of an operand in memory that is not broadcast.
 */
#define EVEX_OF(pp, map, w, op, bytes)	((pp) | (map) << 2 | (w) << 4 | (op) << 8 | (bytes) << 16)
#define EVEX(pp, map, w, op)		EVEX_OF(pp, map, w, op, 64)

/* options: mask register, zeros where it has none, memory operand broadcast, rounding mode */
#define V_MASK(k)	((uint32_t)(k))
#define V_ZERO		0x08u
#define V_BROADCAST	0x10u
#define V_ROUND(vgpu_mode)	(0x20u | (uint32_t)(vgpu_mode) << 8)

/* reg = op(v, rm). An instruction without v: 0. */
void x86_v(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, uint8_t rm, uint32_t options);
void x86_vm(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, struct x86_mem m, uint32_t options);
/* The same with an immediate byte */
void x86_vi(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, uint8_t rm, uint32_t options,
	    uint8_t imm);
void x86_vmi(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, struct x86_mem m,
	     uint32_t options, uint8_t imm);

/* Mask registers; bytes: 1 or 2 */
void x86_k_load(struct x86 *x, uint8_t k, struct x86_mem m, uint8_t bytes);
void x86_k_from(struct x86 *x, uint8_t k, uint8_t reg);	/* 16 bits */
void x86_k_to(struct x86 *x, uint8_t reg, uint8_t k);	/* 16 bits, zeros above */
void x86_k_not(struct x86 *x, uint8_t to, uint8_t k);	/* 16 bits */
void x86_k_ortest(struct x86 *x, uint8_t a, uint8_t b);	/* 16 bits; E: all zero */

/*
 * C may have instructions of SSE, each of which takes 100 ns on some processors (Intel's since Ice
 * Lake) while an upper half of a vector register is in use: they are cleared before it is called,
 * and are to be before it is returned to.
 */
void x86_vzeroupper(struct x86 *x);
void x86_call_c(struct x86 *x, uint64_t function);	/* by way of rax */
/* The lowest 64 bits of a vector */
void x86_v_to(struct x86 *x, uint8_t reg, uint8_t v);
/* reg = of the 32 words of a and b those with the sixteen numbers at @from */
void x86_pick(struct x86 *x, uint8_t reg, uint8_t a, uint8_t b, const uint8_t *from);

/* ---- parts of instructions -------------------------------------------------- */

/* modrm and what follows; disp8 counts in units of @scale; @tail bytes of immediate follow */
void x86_put_mem(struct x86 *x, uint8_t reg, struct x86_mem m, uint32_t scale, uint32_t tail);
void x86_put_reg(struct x86 *x, uint8_t reg, uint8_t rm);

#endif
