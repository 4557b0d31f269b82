// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The verifier of instructions: whatever a binary holds, what passes here makes the interpreter
 * touch nothing but the registers, predicates, parameters and code of its kernel. It says of an
 * instruction what is wrong with it. Memory addresses are data and are checked when they are used.
 */
#include "verify.h"

enum kind { KIND_N, KIND_R, KIND_Q, KIND_P, KIND_RI, KIND_QI, KIND_V, KIND_W, KIND_A };
enum class {
	CLASS_NONE,
	CLASS_SREG,
	CLASS_LUT,
	CLASS_FP,
	CLASS_CV,
	CLASS_CMP,
	CLASS_MEM,
	CLASS_ATOM,
	CLASS_FENCE,
	CLASS_SHFL,
	CLASS_VOTE,
	CLASS_MATCH,
	CLASS_BAR,
	CLASS_BARR,
	CLASS_BRA,
};

struct row {
	const char *name;
	u8 class;
	u8 dst, a, b, c;
};

static const struct row rows[VGPU_OP_COUNT] = {
#define ROW(name, class, dst, a, b, c)	\
	{ #name, CLASS_##class, KIND_##dst, KIND_##a, KIND_##b, KIND_##c },
	VGPU_ISA(ROW)
#undef ROW
};

/* What a reserved opcode waits for. */
static const char *const reserved_ops[256] = {
	[VGPU_OP_CALL] = "CALL is reserved: this device has no call stack yet; inline the function",
	[VGPU_OP_CALLI] = "CALLI is reserved: this device has no call stack yet",
	[VGPU_OP_RET] = "RET is reserved: this device has no call stack yet; a kernel ends by EXIT",
	[VGPU_OP_TXBEGIN] = "TXBEGIN is reserved: this device has no transactions yet",
	[VGPU_OP_TXCOMMIT] = "TXCOMMIT is reserved: this device has no transactions yet",
	[VGPU_OP_TXABORT] = "TXABORT is reserved: this device has no transactions yet",
};

_Static_assert(sizeof(struct vgpu_insn) == 16, "an instruction is 16 bytes");
_Static_assert((u32)VGPU_OP_COUNT <= (u32)VGPU_OP_CALL, "the reserved opcodes are taken");

const char *vgpu_op_name(u32 op)
{
	switch (op) {
#define NAME(name, number)	\
	case VGPU_OP_##name:	\
		return #name;
		VGPU_ISA_RESERVED(NAME)
#undef NAME
	}
	return op < VGPU_OP_COUNT ? rows[op].name : NULL;
}

static bool known_flags(u32 flags, u32 legal)
{
	return !(flags & ~legal);
}

/* A register operand of @count words (pairs: even, 2 each). */
static const char *registers(u32 n, u32 count, bool pairs, u32 regs)
{
	if (pairs && n & 1)
		return "a 64-bit operand is an odd register; it must be even";
	if (n + count * (pairs ? 2 : 1) > regs)
		return "a register is beyond those the kernel declares";
	return NULL;
}

static const char *operand(enum kind kind, u32 n, const struct vgpu_insn *i,
			   const struct vgpu_vass_kernel *kernel, bool result)
{
	bool wide_element = VGPU_F_SIZE(i->flags) == 8;
	bool immediate = i->flags & VGPU_F_IMM;

	switch (kind) {
	case KIND_N:
		return n ? "an operand this opcode does not have is not 0" : NULL;
	case KIND_RI:
	case KIND_QI:
		if (immediate)
			return n ? "operand b must be 0 when the immediate takes its place" : NULL;
		return registers(n, 1, kind == KIND_QI, kernel->regs);
	case KIND_R:
	case KIND_Q:
		return registers(n, 1, kind == KIND_Q, kernel->regs);
	case KIND_P:
		if (n & ~(result ? 63u : 63u | VGPU_P_NOT))
			return result ?
				       "a result predicate must be 0 to 63" :
				       "a predicate operand must be 0 to 63, or with 0x40 inverted";
		return NULL;
	case KIND_V:
	case KIND_W:
		return registers(n, VGPU_F_COUNT(i->flags), wide_element, kernel->regs);
	case KIND_A:
		return NULL;	/* by address() */
	}
	return "an operand is of no known kind";
}

/* Shared and local space are addressed by R, the others by Q, or with ABS by nothing. */
static const char *address(const struct vgpu_insn *i, bool absolute,
			   const struct vgpu_vass_kernel *kernel)
{
	bool narrow = i->op == VGPU_OP_LDS || i->op == VGPU_OP_STS || i->op == VGPU_OP_LDL ||
		      i->op == VGPU_OP_STL || i->op == VGPU_OP_ATOMS || i->op == VGPU_OP_ATOMSQ;

	if (narrow && i->imm >> 32 && i->imm >> 31 != 0x1ffffffff)
		return "the offset into shared or local memory is more than 32 bits";
	if (absolute)
		return i->a ? "operand a must be 0 when the address is absolute" : NULL;
	return registers(i->a, 1, !narrow, kernel->regs);
}

static const char *check_fp(const struct row *row, const struct vgpu_insn *i, u32 imm)
{
	u32 legal = VGPU_RND_RP | imm;

	if (row->dst == KIND_R)
		legal |= VGPU_F_FTZ | VGPU_F_SAT;
	return known_flags(i->flags, legal) ?
		       NULL :
		       "flags: only rounding and, of 32-bit floats, FTZ and SAT are legal";
}

static const char *check_cv(const struct vgpu_insn *i)
{
	u32 legal = VGPU_RND_RP;

	switch (i->op) {
	case VGPU_OP_F2I:
	case VGPU_OP_F2L:
		legal |= VGPU_F_SIGNED | VGPU_F_FTZ;
		break;
	case VGPU_OP_D2I:
	case VGPU_OP_D2L:
	case VGPU_OP_I2D:
	case VGPU_OP_L2D:
		legal |= VGPU_F_SIGNED;
		break;
	case VGPU_OP_I2F:
	case VGPU_OP_L2F:
		legal |= VGPU_F_SIGNED | VGPU_F_FTZ | VGPU_F_SAT;
		break;
	case VGPU_OP_F2D:
		legal |= VGPU_F_FTZ;
		break;
	default:	/* D2F, H2F, F2H */
		legal |= VGPU_F_FTZ | VGPU_F_SAT;
	}
	if (known_flags(i->flags, legal))
		return NULL;
	return "flags: legal are rounding, SIGNED with an integer side, FTZ with an f32 side, SAT "
	       "with a float result";
}

static const char *check_cmp(const struct vgpu_insn *i)
{
	bool real = i->op == VGPU_OP_SETPF || i->op == VGPU_OP_SETPD;

	if (!known_flags(i->flags,
			 15u | VGPU_F_IMM | (i->op == VGPU_OP_SETPF ? VGPU_F_CMP_FTZ : 0)))
		return "flags: only a condition, IMM and, of f32, CMP_FTZ are legal";
	if (VGPU_F_CMP(i->flags) >= (real ? VGPU_CMP_COUNT : VGPU_CMP_EQU))
		return "the condition is none that this compare has";
	return NULL;
}

/* Operand c of an access: the object of its address. */
static const char *check_object(const struct row *row, const struct vgpu_insn *i,
				const struct vgpu_vass_kernel *kernel)
{
	if (i->c == VGPU_OBJECT_ANY)
		return NULL;
	if (i->op != VGPU_OP_LD && i->op != VGPU_OP_LDG && i->op != VGPU_OP_ST &&
	    i->op != VGPU_OP_STG)
		return "operand c must be 0: only accesses to global memory name an object";
	if (i->c == VGPU_OBJECT_CONSTANT)
		return row->dst == KIND_V ? NULL :
					    "object 254 is constant memory: no kernel writes it";
	if (i->c <= VGPU_OBJECT_PARAMS &&
	    VGPU_OBJECT_PARAM_OFFSET(i->c) + 8 > kernel->param_bytes)
		return "the object is a parameter beyond param_bytes of the kernel";
	return NULL;
}

static const char *check_mem(const struct row *row, const struct vgpu_insn *i,
			     const struct vgpu_vass_kernel *kernel)
{
	u32 size = VGPU_F_SIZE(i->flags), count = VGPU_F_COUNT(i->flags), bytes = size * count;
	bool load = row->dst == KIND_V;

	if (!known_flags(i->flags, 15u | VGPU_F_ABS | (load ? VGPU_F_SEXT : 0)))
		return "flags: only size, count, ABS and, of a load, SEXT are legal";
	if (count > 4 || bytes > 16)
		return "an access is 1, 2 or 4 elements, at most 16 bytes in all";
	if (i->flags & VGPU_F_SEXT && size > 2)
		return "only loads of 1 or 2 bytes are sign-extended";
	if (i->op == VGPU_OP_LDP) {
		if (i->imm > kernel->param_bytes || kernel->param_bytes - i->imm < bytes)
			return "a parameter is beyond param_bytes of the kernel";
		if (i->imm % bytes)
			return "a parameter is not aligned to the size of the access";
		return NULL;
	}
	return address(i, i->flags & VGPU_F_ABS, kernel);
}

static const char *check_atom(const struct vgpu_insn *i, const struct vgpu_vass_kernel *kernel)
{
	bool wide = i->op >= VGPU_OP_ATOMQ && i->op <= VGPU_OP_ATOMSQ;
	u32 what = VGPU_F_ATOM(i->flags);

	if (what >= VGPU_ATOM_COUNT)
		return "there is no such atomic operation";
	if (wide && (what == VGPU_ATOM_INC || what == VGPU_ATOM_DEC))
		return "INC and DEC are 32-bit only";
	if (VGPU_F_ATOM_128(i->flags) && !wide)
		return "EXCH128 and CAS128 are of the opcodes with 64-bit operands";
	if (VGPU_F_ATOM_128(i->flags) && i->flags & VGPU_F_ATOM_NORET)
		return "EXCH128 and CAS128 have a result";
	if (i->flags & VGPU_F_ATOM_FLOAT && what != VGPU_ATOM_ADD)
		return "only ADD is done on floats";
	if (i->flags & VGPU_F_ATOM_SIGNED && what != VGPU_ATOM_MIN && what != VGPU_ATOM_MAX)
		return "only MIN and MAX can be signed";
	if (i->flags & VGPU_F_ATOM_NORET && i->dst)
		return "operand dst must be 0 in a reduction";
	if (what != VGPU_ATOM_CAS && i->c)
		return "operand c must be 0 but in CAS";
	return address(i, i->flags & VGPU_F_ATOM_ABS, kernel);
}

/* b is a register whatever bit 7 of the flags, which is NORET here. */
static const char *check_atom_operands(const struct row *row, const struct vgpu_insn *i,
				       const struct vgpu_vass_kernel *kernel)
{
	bool pairs = row->b == KIND_Q, all = VGPU_F_ATOM_128(i->flags);
	const char *wrong = NULL;
	u32 what = VGPU_F_ATOM(i->flags);

	if (all)
		wrong = registers(i->dst, 2, true, kernel->regs);
	if (!wrong)
		wrong = registers(i->b, what == VGPU_ATOM_CAS128 ? 4 : all ? 2 : 1, pairs,
				  kernel->regs);
	if (!wrong && what == VGPU_ATOM_CAS)
		wrong = registers(i->c, 1, pairs, kernel->regs);
	return wrong;
}

/* ---- memory order, scope and cache operator ----------------------------- */

#define VALUE(n)	(1u << (n))

/* Orders by which a thread synchronises with others. */
#define ORDERS_SYNC	(VALUE(VGPU_ORDER_RELAXED) | VALUE(VGPU_ORDER_ACQUIRE) |	\
			 VALUE(VGPU_ORDER_RELEASE) | VALUE(VGPU_ORDER_ACQ_REL) |	\
			 VALUE(VGPU_ORDER_SC))

static const char *check_order(const struct row *row, const struct vgpu_insn *i)
{
	u32 order = VALUE(VGPU_MEM_ORDER(i->mem));

	if (VGPU_MEM_ORDER(i->mem) >= VGPU_ORDER_COUNT)
		return "there is no such memory order; 7 is reserved";
	if (row->class == CLASS_FENCE)
		return order & ORDERS_SYNC & ~VALUE(VGPU_ORDER_RELAXED) ?
			       NULL :
			       "the order of a fence is acquire, release, acq_rel or sc";
	if (row->class == CLASS_ATOM)
		return order & ORDERS_SYNC & ~VALUE(VGPU_ORDER_SC) ?
			       NULL :
			       "the order of an atomic is relaxed, acquire, release or acq_rel";
	if (i->op == VGPU_OP_LDP || i->op == VGPU_OP_LDL || i->op == VGPU_OP_STL)
		return order & VALUE(VGPU_ORDER_WEAK) ?
			       NULL :
			       "parameters and local memory are one thread's: the order of an "
			       "access there is weak";
	if (order & VALUE(VGPU_ORDER_NC))
		return i->op == VGPU_OP_LD || i->op == VGPU_OP_LDG ?
			       NULL :
			       "only a load of global memory can be nc";
	if (row->dst == KIND_V)
		return order & (VALUE(VGPU_ORDER_WEAK) | VALUE(VGPU_ORDER_RELAXED) |
				VALUE(VGPU_ORDER_ACQUIRE)) ?
			       NULL :
			       "a load cannot release: its order is weak, relaxed or acquire";
	return order & (VALUE(VGPU_ORDER_WEAK) | VALUE(VGPU_ORDER_RELAXED) |
			VALUE(VGPU_ORDER_RELEASE)) ?
		       NULL :
		       "a store cannot acquire: its order is weak, relaxed or release";
}

static const char *check_cache(const struct row *row, const struct vgpu_insn *i)
{
	const u32 both = VALUE(VGPU_CACHE_CG) | VALUE(VGPU_CACHE_CS);
	u32 cache = VALUE(VGPU_MEM_CACHE(i->mem)), order = VGPU_MEM_ORDER(i->mem);

	if (cache == VALUE(VGPU_CACHE_NONE))
		return NULL;
	if (row->class != CLASS_MEM || i->op == VGPU_OP_LDS || i->op == VGPU_OP_STS ||
	    i->op == VGPU_OP_LDP)
		return "only loads and stores of global and local memory have a cache operator";
	if (VALUE(order) & ORDERS_SYNC)
		return "an access that has an order beyond weak has no cache operator";
	if (row->dst != KIND_V)
		return cache & (both | VALUE(VGPU_CACHE_WB) | VALUE(VGPU_CACHE_WT)) ?
			       NULL :
			       "the cache operator of a store is cg, cs, wb or wt";
	if (order == VGPU_ORDER_NC)
		return cache & (both | VALUE(VGPU_CACHE_CA) | VALUE(VGPU_CACHE_LU)) ?
			       NULL :
			       "the cache operator of an nc load is ca, cg, cs or lu";
	return cache & (both | VALUE(VGPU_CACHE_CA) | VALUE(VGPU_CACHE_LU) | VALUE(VGPU_CACHE_CV)) ?
		       NULL :
		       "the cache operator of a load is ca, cg, cs, lu or cv";
}

static const char *check_access(const struct row *row, const struct vgpu_insn *i)
{
	const char *wrong;

	if (row->class != CLASS_MEM && row->class != CLASS_ATOM && row->class != CLASS_FENCE)
		return i->mem ? "mem must be 0: this opcode neither accesses nor orders memory" :
				NULL;
	wrong = check_order(row, i);
	if (wrong)
		return wrong;
	if (VALUE(VGPU_MEM_ORDER(i->mem)) & ORDERS_SYNC) {
		if (VGPU_MEM_SCOPE(i->mem) == VGPU_SCOPE_CLUSTER)
			return "scope cluster is reserved; the scope is cta, gpu or sys";
	} else if (VGPU_MEM_SCOPE(i->mem)) {
		return "an access that is weak or nc has no scope";
	}
	return check_cache(row, i);
}

static const char *check_shuffle(const struct vgpu_insn *i, const struct vgpu_vass_kernel *kernel)
{
	if (VGPU_SHFL_PRED(i->imm) > VGPU_PT || (!(i->flags & VGPU_F_IMM) && (u32)i->imm))
		return "imm of a shuffle is operand b, with IMM, and in bits 32-37 a predicate";
	if (i->op == VGPU_OP_SHFL)
		return i->imm >> 40 ?
			       "imm of a shuffle without a member mask has no bits above 37" :
			       NULL;
	if (i->imm >> 48)
		return "imm of a shuffle has nothing above the register of the member mask, bits "
		       "40-47";
	if (VGPU_SHFL_MASK(i->imm) == VGPU_SHFL_FULL)
		return NULL;
	return registers(VGPU_SHFL_MASK(i->imm), 1, false, kernel->regs);
}

static const char *check_barrier(const struct vgpu_insn *i)
{
	if (i->imm & ~0xffff0000000full)
		return "imm of a barrier is its number (0 to 15) and, in bits 32-47, the threads";
	if (VGPU_BAR_THREADS(i->imm) % 32)
		return "the threads of a barrier must be a multiple of 32";
	return NULL;
}

static const char *check_branch(const struct vgpu_insn *i, const struct vgpu_vass_kernel *kernel)
{
	if (VGPU_BRA_TARGET(i->imm) >= kernel->code_count)
		return "the branch target is outside the kernel";
	if (VGPU_BRA_RECONV(i->imm) >= kernel->code_count &&
	    VGPU_BRA_RECONV(i->imm) != VGPU_NO_RECONV)
		return "the reconvergence point is outside the kernel; NO_RECONV says that there "
		       "is none";
	return NULL;
}

/* Flags and immediate by the class of the opcode. */
static const char *check_class(const struct row *row, const struct vgpu_insn *i,
			       const struct vgpu_vass_kernel *kernel)
{
	u32 imm = row->b == KIND_RI || row->b == KIND_QI ? VGPU_F_IMM : 0;
	const char *wrong = NULL;

	switch (row->class) {
	case CLASS_FP:
		wrong = check_fp(row, i, imm);
		break;
	case CLASS_CV:
		wrong = check_cv(i);
		break;
	case CLASS_CMP:
		wrong = check_cmp(i);
		break;
	case CLASS_MEM:
		return check_mem(row, i, kernel);
	case CLASS_ATOM:
		return check_atom(i, kernel);
	case CLASS_SHFL:
		if ((i->flags & ~VGPU_F_IMM) >= VGPU_SHFL_COUNT)
			return "there is no such kind of shuffle";
		return check_shuffle(i, kernel);
	case CLASS_VOTE:
		if ((i->flags & ~imm) >= VGPU_VOTE_COUNT)
			return "there is no such vote";
		break;
	case CLASS_MATCH:
		if ((i->flags & ~imm) >= VGPU_MATCH_COUNT)
			return "there is no such match";
		break;
	case CLASS_BARR:
		if (i->flags >= VGPU_BARRED_COUNT)
			return "there is no such reduction";
		return check_barrier(i);
	default:
		if (!known_flags(i->flags, imm))
			return imm ? "flags: only IMM is legal" : "flags must be 0";
	}
	if (wrong)
		return wrong;
	switch (row->class) {
	case CLASS_SREG:
		if (i->op == VGPU_OP_SREG ? i->imm >= VGPU_SR_COUNT32 :
					    i->imm < VGPU_SR_COUNT32 || i->imm >= VGPU_SR_COUNT)
			return "there is no special register of that number and width";
		return NULL;
	case CLASS_LUT:
		return i->imm > 0xff ? "the truth table is 8 bits" : NULL;
	case CLASS_BAR:
		return check_barrier(i);
	case CLASS_BRA:
		return check_branch(i, kernel);
	}
	if (i->flags & imm) {
		if (row->b == KIND_RI && i->imm >> 32 && i->imm >> 31 != 0x1ffffffff)
			return "the immediate is more than 32 bits";
		return NULL;
	}
	return i->imm ? "imm must be 0" : NULL;
}

const char *vgpu_verify_insn(const struct vgpu_insn *i, const struct vgpu_vass_kernel *kernel)
{
	const struct row *row;
	const char *wrong;

	if (reserved_ops[i->op])
		return reserved_ops[i->op];
	if (i->op >= VGPU_OP_COUNT)
		return "there is no such opcode";
	row = &rows[i->op];
	if (i->guard & 0x80)
		return "bit 7 of the guard must be 0";
	wrong = check_access(row, i);
	if (!wrong)
		wrong = check_class(row, i, kernel);
	if (wrong)
		return wrong;
	if (row->class == CLASS_ATOM && i->flags & VGPU_F_ATOM_NORET)
		wrong = NULL;	/* dst is 0, checked */
	else
		wrong = operand(row->dst, i->dst, i, kernel, true);
	if (!wrong && row->class != CLASS_ATOM)
		wrong = operand(row->a, i->a, i, kernel, false);
	if (!wrong && row->class == CLASS_ATOM) {
		return check_atom_operands(row, i, kernel);
	}
	if (!wrong)
		wrong = operand(row->b, i->b, i, kernel, false);
	if (!wrong && row->class == CLASS_MEM)
		wrong = check_object(row, i, kernel);
	else if (!wrong)
		wrong = operand(row->c, i->c, i, kernel, false);
	return wrong;
}

u8 vgpu_mem_of_v1(u32 op)
{
	if (op < VGPU_OP_COUNT && rows[op].class == CLASS_ATOM)
		return VGPU_MEM_V1_ATOMIC;
	return op == VGPU_OP_MEMBAR ? VGPU_MEM_V1_FENCE : 0;
}

bool vgpu_verify_ends(const struct vgpu_insn *last)
{
	return last->guard == VGPU_PT &&
	       (last->op == VGPU_OP_EXIT || last->op == VGPU_OP_TRAP || last->op == VGPU_OP_BRA);
}

bool vgpu_verify_has_object(const struct vgpu_insn *i)
{
	return rows[i->op].class == CLASS_MEM && i->c != VGPU_OBJECT_ANY;
}
