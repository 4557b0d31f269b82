/* SPDX-License-Identifier: MIT */
/*
 * Lowering: PTX instructions to instructions over virtual registers. A call is lowered by lowering
 * the callee's body in a new frame. lower.c has the walk and the operands, lower_*.c one family of
 * instructions each, call.c the calls.
 *
 * Invariants: registers of up to 32 bits live in an R, 64-bit ones in a Q. Bits of an R above the
 * PTX width are unspecified; whoever looks at them extends first (cc_extended). Results are written
 * last, by one instruction, so that a destination may be a source too; temporaries of a guarded
 * instruction are written without the guard.
 */
#ifndef VGPU_CC_LOWER_H
#define VGPU_CC_LOWER_H

#include "cc.h"
#include "sreg.h"

struct cc_slot {		/* bytes of a .param variable that live in a register */
	uint32_t offset, size;
	uint32_t reg;
};

/* modifiers that only floats take */
#define ARITH_FLOAT_KINDS	(PTX_K_RND | PTX_K_FTZ | PTX_K_SAT)

enum cc_pvar_kind { CC_PVAR_NEW, CC_PVAR_KERNEL, CC_PVAR_SLOTS, CC_PVAR_MEMORY };

struct cc_pvar {		/* a .param variable while its function is lowered */
	enum cc_pvar_kind kind;
	uint32_t offset;	/* KERNEL: in the parameter block; MEMORY: in local memory */
	struct cc_slot *slots;
	uint32_t slots_count, slots_room;
};

struct cc_frame {
	struct cc_frame *caller;
	struct ptx_func *func;
	uint32_t *regs;		/* virtual register of each PTX register, CC_NONE: none yet */
	struct cc_pvar **params;	/* by ptx_var.index */
	uint32_t *locals;	/* offset of each .local variable, by index */
	uint32_t first_label, end_label;
	uint32_t local_top;
	uint32_t carry;		/* of add.cc and its kin */
	uint32_t depth;
};

struct cc_lower {
	struct cc *cc;
	struct cc_frame *frame;
	const struct ptx_insn *in;
	uint8_t mem;		/* of the ld, st, atom or red being lowered, as vgpu_insn.mem */
	uint32_t guard;
	bool guard_not;
	/* virtual registers from here on are temporaries of this instruction */
	uint32_t first_temp;
	uint32_t dynamic_shared;	/* where dynamic shared memory begins */
	uint32_t *kernel_params;	/* offset of each parameter of the kernel */
};

struct cc_value {		/* a source: a register or a constant */
	uint32_t reg;		/* CC_NONE: constant */
	uint64_t imm;
	bool reloc;
};

struct cc_address {		/* an operand in [ ] */
	enum ptx_space space;
	uint32_t base;		/* CC_NONE: absolute */
	uint64_t offset;
	bool reloc;
	bool constant;		/* of constant memory, which is in the space of global memory */
};

_Noreturn void cc_refuse(struct cc_lower *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * lower_mem.c: the state space that the instruction names; an address operand, its base in the
 * register class its space wants; one VASS access of @count elements of @bytes, with the order in
 * l->mem; the fence before a release or behind an acquire
 */
enum ptx_space cc_space_of(struct cc_lower *l);
struct cc_address cc_address_operand(struct cc_lower *l, const struct ptx_operand *o,
				     enum ptx_space space);
void cc_check_offset(struct cc_lower *l, const struct cc_address *address);
void cc_access_memory(struct cc_lower *l, const struct cc_address *address, bool store,
		      unsigned int bytes, bool sign, unsigned int count, const uint32_t *regs);
void cc_acquire_release(struct cc_lower *l, bool before);

/* lower_atom.c: an atomic without its operands b and c */
struct cc_insn *cc_atom_insn(struct cc_lower *l, const struct cc_address *address, bool wide,
			     unsigned int flags, uint32_t dst);

/*
 * lower_wide.c: an access of 32 bytes, as cc_access_memory(), of elements of 4 or 8; an instruction
 * on .b128
 */
void cc_access_32(struct cc_lower *l, const struct cc_address *address, bool store,
		  unsigned int bytes, const uint32_t *regs);
void cc_lower_128(struct cc_lower *l);

/* emission */
uint32_t cc_temp(struct cc_lower *l, enum cc_class class);
uint32_t cc_named(struct cc_lower *l, enum cc_class class);	/* outlives the instruction */
struct cc_insn *cc_op(struct cc_lower *l, unsigned int op, unsigned int flags, uint32_t dst,
		      uint32_t a, uint32_t b, uint32_t c);
struct cc_insn *cc_opi(struct cc_lower *l, unsigned int op, unsigned int flags, uint32_t dst,
		       uint32_t a, uint64_t imm, uint32_t c);
struct cc_insn *cc_opv(struct cc_lower *l, unsigned int op, unsigned int flags, uint32_t dst,
		       struct cc_value a, struct cc_value b, uint32_t c);
void cc_define_temp(struct cc_lower *l, uint32_t dst);	/* before a guarded load into it */
uint32_t cc_const(struct cc_lower *l, enum cc_class class, uint64_t value);
void cc_move(struct cc_lower *l, uint32_t dst, struct cc_value value);
void cc_set_pred(struct cc_lower *l, uint32_t dst, uint32_t source);
void cc_jump(struct cc_lower *l, uint32_t label);
void cc_place(struct cc_lower *l, uint32_t label);

/* operands */
uint32_t cc_reg(struct cc_lower *l, uint32_t number);
enum cc_class cc_class_of(enum ptx_type type);
const struct ptx_operand *cc_operand(struct cc_lower *l, unsigned int index);
uint32_t cc_dst(struct cc_lower *l, unsigned int index, enum ptx_type type);
uint32_t cc_dst_element(struct cc_lower *l, const struct ptx_operand *o, enum ptx_type type,
			bool wider);
struct cc_value cc_src(struct cc_lower *l, unsigned int index, enum ptx_type type);
struct cc_value cc_src_element(struct cc_lower *l, const struct ptx_operand *o, enum ptx_type type,
			       bool wider);
uint32_t cc_src_reg(struct cc_lower *l, unsigned int index, enum ptx_type type);
uint32_t cc_in_reg(struct cc_lower *l, struct cc_value value, enum cc_class class);
struct cc_value cc_extended(struct cc_lower *l, struct cc_value value, enum ptx_type type);
uint32_t cc_src_pred(struct cc_lower *l, unsigned int index);	/* may carry CC_NOT */
uint32_t cc_dst_pred(struct cc_lower *l, const struct ptx_operand *o);
struct cc_value cc_address_of(struct cc_lower *l, const struct ptx_operand *o);
enum ptx_type cc_type(struct cc_lower *l, unsigned int index);
/* FP flags of the instruction: rounding, ftz, sat */
unsigned int cc_rounding(struct cc_lower *l);
bool cc_signed(enum ptx_type type);

/*
 * lower_half.c: whether a type is .f16, .bf16 or a pair of them; an instruction on such, as far as
 * it is arithmetic (false: it is not); the two operands from @first on as f32, of a pair both
 * halves; the sum of two, rounded to the nearest; what set and setp make of them; conversions
 */
bool cc_is_half(enum ptx_type type);
bool cc_lower_half(struct cc_lower *l);
uint32_t cc_half_to_f32(struct cc_lower *l, uint32_t half, bool bf16);
uint32_t cc_f32_to_half(struct cc_lower *l, uint32_t single, bool bf16, unsigned int rounding);
uint32_t cc_half_sum(struct cc_lower *l, uint32_t a, uint32_t b, enum ptx_type type);
void cc_half_operands(struct cc_lower *l, unsigned int first, enum ptx_type type, uint32_t a[2],
		      uint32_t b[2]);
void cc_half_flags(struct cc_lower *l, uint32_t dst, enum ptx_type type, const uint32_t preds[2]);
bool cc_lower_cvt_half(struct cc_lower *l, enum ptx_type dtype, enum ptx_type stype);

/*
 * lower_small.c: conversions to and from .tf32, .e4m3x2 and .e5m2x2 (false: it is none); the f32
 * that the low byte of a register is in one of the two formats
 */
bool cc_lower_cvt_small(struct cc_lower *l, enum ptx_type dtype, enum ptx_type stype);
uint32_t cc_fp8_to_f32(struct cc_lower *l, uint32_t byte, bool e5m2);

/* lower_sync.c: the value of another lane, all lanes taking part; @c as SHFL's operand c */
uint32_t cc_shuffled(struct cc_lower *l, unsigned int mode, uint32_t value, struct cc_value lane,
		     uint32_t c, uint32_t members);

/* one function per family; each handles the instruction l->in */
void cc_lower_add(struct cc_lower *l);
void cc_lower_mul(struct cc_lower *l);
void cc_lower_mad(struct cc_lower *l);
void cc_lower_muladd24(struct cc_lower *l);
void cc_lower_divrem(struct cc_lower *l);
void cc_lower_minmax(struct cc_lower *l);
void cc_lower_absneg(struct cc_lower *l);
void cc_lower_sad(struct cc_lower *l);
void cc_lower_dot(struct cc_lower *l);
void cc_lower_logic(struct cc_lower *l);
void cc_lower_shift(struct cc_lower *l);
void cc_lower_funnel(struct cc_lower *l);
void cc_lower_count(struct cc_lower *l);
void cc_lower_fns(struct cc_lower *l);
void cc_lower_bfe(struct cc_lower *l);
void cc_lower_bfi(struct cc_lower *l);
void cc_lower_prmt(struct cc_lower *l);
void cc_lower_lop3(struct cc_lower *l);
void cc_lower_fma(struct cc_lower *l);
void cc_lower_fdiv(struct cc_lower *l);
void cc_lower_funary(struct cc_lower *l);
void cc_lower_copysign(struct cc_lower *l);
void cc_lower_testp(struct cc_lower *l);
void cc_lower_farith(struct cc_lower *l, unsigned int op32, unsigned int op64);
void cc_lower_setp(struct cc_lower *l);
void cc_lower_set(struct cc_lower *l);
void cc_lower_selp(struct cc_lower *l);
void cc_lower_slct(struct cc_lower *l);
void cc_lower_mov(struct cc_lower *l);
void cc_lower_cvt(struct cc_lower *l);
void cc_lower_cvta(struct cc_lower *l);
void cc_lower_isspacep(struct cc_lower *l);
void cc_lower_ld(struct cc_lower *l);
void cc_lower_st(struct cc_lower *l);
void cc_lower_atom(struct cc_lower *l);
void cc_lower_fence(struct cc_lower *l);
void cc_lower_bar(struct cc_lower *l);
void cc_lower_vote(struct cc_lower *l);
void cc_lower_elect(struct cc_lower *l);
void cc_lower_match(struct cc_lower *l);
void cc_lower_activemask(struct cc_lower *l);
void cc_lower_shfl(struct cc_lower *l);
void cc_lower_control(struct cc_lower *l);
void cc_lower_nothing(struct cc_lower *l);
void cc_lower_cp(struct cc_lower *l);
void cc_lower_policy(struct cc_lower *l);
void cc_lower_redux(struct cc_lower *l);
void cc_lower_mma(struct cc_lower *l);
void cc_lower_ldmatrix(struct cc_lower *l);
void cc_lower_stmatrix(struct cc_lower *l);
void cc_lower_movmatrix(struct cc_lower *l);
void cc_lower_wmma(struct cc_lower *l);
void cc_lower_mma_quads(struct cc_lower *l);	/* mma.m8n8k4 of halves */
/* lower_texture.c: the handle that a variable of type .texref or .surfref has; instructions */
uint32_t cc_reference(struct cc_lower *l, const struct ptx_operand *o);
void cc_lower_tex(struct cc_lower *l);
void cc_lower_tld4(struct cc_lower *l);
void cc_lower_txq(struct cc_lower *l);
void cc_lower_suld(struct cc_lower *l);
void cc_lower_sust(struct cc_lower *l);
/* lower_mbarrier.c: mbarrier; cp.async.mbarrier.arrive */
void cc_lower_mbarrier(struct cc_lower *l);
/* lower_video.c: of one value, of two or four beside each other */
void cc_lower_video(struct cc_lower *l);
void cc_lower_vmad(struct cc_lower *l);
void cc_lower_video2(struct cc_lower *l);
void cc_lower_video4(struct cc_lower *l);
void cc_lower_mbarrier_copy(struct cc_lower *l);
/* lower_atom.c: adds to 64 bits at @address, in the order of l->mem; @dst may be CC_NONE */
void cc_atom_add64(struct cc_lower *l, const struct cc_address *address, uint32_t value,
		   uint32_t dst);
/*
 * lower_matrix.c, for mma and wmma: the number of the lane; (value >> right & mask) << left; a sum
 * with a number; a register, R or Q, of another lane, or of one of its own four; one of the
 * registers of an operand, as it is written and its value; element @index of a register as a number
 * to multiply; a sum that saturates; two .f32 into a register of halves; .sync.aligned is there
 */
uint32_t cc_matrix_lane(struct cc_lower *l);
uint32_t cc_matrix_field(struct cc_lower *l, uint32_t value, unsigned int right, uint32_t mask,
			 unsigned int left);
uint32_t cc_matrix_plus(struct cc_lower *l, uint32_t value, uint64_t number);
uint32_t cc_matrix_from(struct cc_lower *l, uint32_t value, uint32_t lane);
uint32_t cc_matrix_from_four(struct cc_lower *l, uint32_t value, unsigned int number);
const struct ptx_operand *cc_matrix_element(struct cc_lower *l, unsigned int operand,
					    unsigned int index, unsigned int count);
uint32_t cc_matrix_source(struct cc_lower *l, unsigned int operand, unsigned int index,
			  unsigned int count, enum ptx_type type);
uint32_t cc_matrix_unpack(struct cc_lower *l, uint32_t reg, enum ptx_type type, unsigned int index);
uint32_t cc_matrix_add(struct cc_lower *l, uint32_t a, uint32_t b);
void cc_matrix_write_halves(struct cc_lower *l, const struct ptx_operand *to,
			    const uint32_t sum[2]);
void cc_matrix_check(struct cc_lower *l);
/*
 * lower_order.c: memory order, scope and cache operator of l->in, as vgpu_insn.mem has them;
 * refuses what does not go together
 */
uint8_t cc_ld_bits(struct cc_lower *l);
uint8_t cc_st_bits(struct cc_lower *l);
uint8_t cc_atom_bits(struct cc_lower *l);
uint8_t cc_fence_bits(struct cc_lower *l);
uint8_t cc_mbarrier_bits(struct cc_lower *l);
/* shared.c: a call of registers, and one as it is written */
void cc_call_shared(struct cc_lower *l, struct cc_shared *shared, const struct cc_passed *passed);
void cc_lower_shared_call(struct cc_lower *l, struct cc_shared *shared,
			  const struct ptx_operand *results, const struct ptx_operand *params);
/* procedures.c: a call of @callee, or if NULL of what the operand behind @results points to */
void cc_lower_invoke(struct cc_lower *l, struct ptx_func *callee, const struct ptx_operand *results,
		     const struct ptx_operand *params);
/* call.c */
void cc_lower_call(struct cc_lower *l);
uint32_t cc_alloc_local(struct cc_lower *l, uint64_t size, uint32_t align);
struct cc_pvar *cc_param(struct cc_lower *l, struct ptx_var *var);
struct cc_slot *cc_param_slot(struct cc_lower *l, struct cc_pvar *pvar, uint32_t offset,
			      uint32_t size);
/* One more piece of a variable that is in registers, unless it is known. */
void cc_slot_add(struct cc_lower *l, struct cc_pvar *pvar, uint32_t offset, uint32_t size);
/*
 * A call of @func, which a library of the runtime's has, with registers: the results of @passed are
 * written. Under the guard of the instruction the caller has to go around it.
 */
void cc_call_registers(struct cc_lower *l, struct ptx_func *func, const struct cc_passed *passed);
struct cc_frame *cc_frame_new(struct cc_lower *l, struct ptx_func *func);
void cc_lower_body(struct cc_lower *l, struct ptx_func *func);

#endif
