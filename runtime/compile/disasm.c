// SPDX-License-Identifier: MIT
/*
 * Disassembler: one VASS instruction as text. It also prints what no compiler would write.
 */
#include <stdarg.h>
#include <stdio.h>

#include "cc.h"

/* Output so far; at never reaches size, and text always ends in 0. */
struct text {
	char *text;
	size_t size, at;
};

/* Append; what does not fit is cut off. */
__attribute__((format(printf, 2, 3))) static void disasm_printf(struct text *t, const char *format,
								...)
{
	va_list args;
	int wrote;

	va_start(args, format);
	wrote = vsnprintf(t->text + t->at, t->size - t->at, format, args);
	va_end(args);
	if (wrote > 0)
		t->at += (size_t)wrote;
	if (t->at >= t->size)
		t->at = t->size - 1;
}

static void disasm_pred(struct text *t, unsigned int pred)
{
	disasm_printf(t, pred & VGPU_P_NOT ? "!" : "%s", "");
	if ((pred & 63) == VGPU_PT)
		disasm_printf(t, "PT");
	else
		disasm_printf(t, "P%u", pred & 63);
}

/* Order and scope, then the cache operator; nothing for a weak access without one. */
static void disasm_mem(struct text *t, unsigned int mem)
{
	static const char *const order[8] = { "",	 ".RELAXED", ".ACQUIRE", ".RELEASE",
					      ".ACQ_REL", ".SC",      ".NC",	  ".?" };
	static const char *const scope[4] = { ".CTA", ".CLUSTER", ".GPU", ".SYS" };
	static const char *const cache[8] = { "",    ".CA", ".CG", ".CS",
					      ".LU", ".CV", ".WB", ".WT" };
	bool scoped = VGPU_MEM_ORDER(mem) != VGPU_ORDER_WEAK &&
		      VGPU_MEM_ORDER(mem) != VGPU_ORDER_NC;

	if (mem == VGPU_MEM_TEXTURE) {
		disasm_printf(t, ".TEXTURE");
		return;
	}
	disasm_printf(t, "%s", order[VGPU_MEM_ORDER(mem)]);
	if (scoped || VGPU_MEM_SCOPE(mem))
		disasm_printf(t, "%s", scope[VGPU_MEM_SCOPE(mem)]);
	disasm_printf(t, "%s", cache[VGPU_MEM_CACHE(mem)]);
}

static const char *reserved_name(unsigned int op)
{
	switch (op) {
#define NAME(name, number)	\
	case number:		\
		return #name;
		VGPU_ISA_RESERVED(NAME)
#undef NAME
	default:
		return NULL;
	}
}

/* Flags by the opcode's class, as suffixes. IMM and ABS show in the operands instead. */
static void disasm_flags(struct text *t, unsigned int class, unsigned int flags)
{
	static const char *const rounding[] = { "", ".RZ", ".RM", ".RP" };
	static const char *const compare[16] = { "EQ",	"NE",  "LT",  "LE",  "GT",  "GE",
						 "EQU", "NEU", "LTU", "LEU", "GTU", "GEU",
						 "NUM", "NAN", "?",   "?" };
	static const char *const atom[16] = { "ADD",  "MIN", "MAX", "AND", "OR", "XOR",
					      "EXCH", "CAS", "INC", "DEC", "EXCH128", "CAS128",
					      "?",    "?",   "?",   "?" };
	static const char *const shfl[4] = { "UP", "DOWN", "BFLY", "IDX" }, *const vote[4] = {
		"ALL", "ANY", "UNI", "?"
	};
	static const char *const barred[4] = { "POPC", "AND", "OR", "?" };

	switch (class) {
	case CC_C_FP:
	case CC_C_CV:
		disasm_printf(t, "%s%s%s", rounding[flags & 3], flags & VGPU_F_FTZ ? ".FTZ" : "",
			      flags & VGPU_F_SAT ? ".SAT" : "");
		if (class == CC_C_CV)
			disasm_printf(t, "%s", flags & VGPU_F_SIGNED ? ".S" : ".U");
		break;
	case CC_C_CMP:
		disasm_printf(t, ".%s%s", compare[flags & 15],
			      flags & VGPU_F_CMP_FTZ ? ".FTZ" : "");
		break;
	case CC_C_MEM:
		disasm_printf(t, ".%u%s", VGPU_F_SIZE(flags) * 8, flags & VGPU_F_SEXT ? "S" : "");
		if (VGPU_F_COUNT(flags) > 1)
			disasm_printf(t, "x%u", VGPU_F_COUNT(flags));
		break;
	case CC_C_ATOM:
		disasm_printf(t, ".%s%s%s", atom[flags & 15],
			      flags & VGPU_F_ATOM_SIGNED ? ".S" : "",
			      flags & VGPU_F_ATOM_FLOAT ? ".F" : "");
		break;
	case CC_C_SHFL:
		disasm_printf(t, ".%s", shfl[flags & 3]);
		break;
	case CC_C_MATCH:
		disasm_printf(t, flags & 3 ? ".ALL" : ".ANY");
		break;
	case CC_C_VOTE:
		disasm_printf(t, ".%s", vote[flags & 3]);
		break;
	case CC_C_BARR:
		disasm_printf(t, ".%s", barred[flags & 3]);
		break;
	}
}

static void disasm_address(struct text *t, const struct vgpu_insn *insn, bool none, bool narrow)
{
	int64_t offset = (int64_t)insn->imm;

	if (none)
		disasm_printf(t, "[0x%llx]", (unsigned long long)insn->imm);
	else if (offset)
		disasm_printf(t, "[%c%u%+lld]", narrow ? 'R' : 'Q', insn->a, (long long)offset);
	else
		disasm_printf(t, "[%c%u]", narrow ? 'R' : 'Q', insn->a);
}

/*
 * One operand by its kind in the opcode list. Numbers are printed as they are, beyond the register
 * file too: faults are reported with this, and a wrong number must be visible.
 */
static void disasm_operand(struct text *t, const struct vgpu_insn *insn, unsigned int kind,
			   unsigned int value)
{
	struct cc_insn probe = { .op = insn->op };
	const struct cc_opinfo *info = &cc_opinfo[insn->op];
	bool abs =
		info->class == CC_C_MEM ? insn->flags & VGPU_F_ABS : insn->flags & VGPU_F_ATOM_ABS;
	bool immediate = (kind == CC_K_RI || kind == CC_K_QI) && (insn->flags & VGPU_F_IMM);
	unsigned int count;

	switch (kind) {
	case CC_K_P:
		disasm_pred(t, value);
		break;
	case CC_K_R:
	case CC_K_RI:
		if (immediate)
			disasm_printf(t, "0x%x", (uint32_t)insn->imm);
		else
			disasm_printf(t, "R%u", value);
		break;
	case CC_K_Q:
	case CC_K_QI:
		if (immediate)
			disasm_printf(t, "0x%llx", (unsigned long long)insn->imm);
		else
			disasm_printf(t, "Q%u", value);
		break;
	case CC_K_A:
		disasm_address(t, insn, abs, cc_addr_class(&probe) == CC_R);
		break;
	case CC_K_V:
	case CC_K_W:
		count = VGPU_F_COUNT(insn->flags);
		disasm_printf(t, "%c%u", VGPU_F_SIZE(insn->flags) == 8 ? 'Q' : 'R', value);
		if (count > 1)
			disasm_printf(t, "..%u",
				      value + (count - 1) *
						      (VGPU_F_SIZE(insn->flags) == 8 ? 2 : 1));
		break;
	}
}

/*
 * What is in imm, or not an operand of the opcode list: targets, special registers, member masks.
 */
static void disasm_extra(struct text *t, const struct vgpu_insn *insn)
{
	switch (insn->op) {
	case VGPU_OP_BRA:
		disasm_printf(t, " %u", VGPU_BRA_TARGET(insn->imm));
		if ((insn->guard & 63) == VGPU_PT)
			break;
		if (VGPU_BRA_RECONV(insn->imm) == VGPU_NO_RECONV)
			disasm_printf(t, ", -");
		else
			disasm_printf(t, ", %u", VGPU_BRA_RECONV(insn->imm));
		break;
	case VGPU_OP_SREG:
	case VGPU_OP_SREGQ:
		disasm_printf(t, ", SR%u", (unsigned int)insn->imm);
		break;
	case VGPU_OP_LOP3:
		disasm_printf(t, ", 0x%02x", (unsigned int)insn->imm & 255);
		break;
	case VGPU_OP_LDP:
		disasm_printf(t, ", [0x%llx]", (unsigned long long)insn->imm);
		break;
	case VGPU_OP_SHFLSYNC:
		if (VGPU_SHFL_MASK(insn->imm) == VGPU_SHFL_FULL)
			disasm_printf(t, ", -");
		else
			disasm_printf(t, ", R%u", VGPU_SHFL_MASK(insn->imm));
		/* fallthrough */
	case VGPU_OP_SHFL:
		if (VGPU_SHFL_PRED(insn->imm) != VGPU_PT)
			disasm_printf(t, ", P%u", VGPU_SHFL_PRED(insn->imm));
		break;
	case VGPU_OP_BAR:
	case VGPU_OP_BARRED:
		disasm_printf(t, "%s %u, %u", insn->op == VGPU_OP_BAR ? "" : ",",
			      VGPU_BAR_ID(insn->imm), VGPU_BAR_THREADS(insn->imm));
		break;
	}
}

/* Operand c of an access to global memory. */
static void disasm_object(struct text *t, unsigned int object)
{
	if (object == VGPU_OBJECT_VARIABLE)
		disasm_printf(t, " {variable}");
	else if (object == VGPU_OBJECT_CONSTANT)
		disasm_printf(t, " {constant}");
	else if (object != VGPU_OBJECT_ANY)
		disasm_printf(t, " {param 0x%x}", VGPU_OBJECT_PARAM_OFFSET(object));
}

void vgpu_disassemble(const struct vgpu_insn *insn, char *text, size_t size)
{
	struct text t = { .text = text, .size = size };
	const struct cc_opinfo *info;
	bool first = true;

	if (!size)
		return;
	text[0] = 0;
	if (insn->op >= VGPU_OP_COUNT) {
		if (reserved_name(insn->op))
			disasm_printf(&t, "%s", reserved_name(insn->op));
		else
			disasm_printf(&t, "?%u", insn->op);
		return;
	}
	info = &cc_opinfo[insn->op];
	if ((insn->guard & 127) != VGPU_PT) {
		disasm_printf(&t, "@");
		disasm_pred(&t, insn->guard);
		disasm_printf(&t, " ");
	}
	disasm_printf(&t, "%s", info->name);
	disasm_mem(&t, insn->mem);
	disasm_flags(&t, info->class, insn->flags);
	for (unsigned int i = 0; i < 4; i++) {
		unsigned int kind = i == 0 ? info->dst :
				    i == 1 ? info->a :
				    i == 2 ? info->b :
					     info->c;
		unsigned int value = i == 0 ? insn->dst :
				     i == 1 ? insn->a :
				     i == 2 ? insn->b :
					      insn->c;

		if (kind == CC_K_N ||
		    (info->class == CC_C_ATOM && i == 0 && (insn->flags & VGPU_F_ATOM_NORET)) ||
		    (info->class == CC_C_ATOM && i == 3 &&
		     VGPU_F_ATOM(insn->flags) != VGPU_ATOM_CAS))
			continue;
		disasm_printf(&t, first ? " " : ", ");
		first = false;
		disasm_operand(&t, insn, kind, value);
		if (info->class == CC_C_ATOM && VGPU_F_ATOM_128(insn->flags) && i != 1)
			disasm_printf(&t, "..%u",
				      value + 2 * (i && VGPU_F_ATOM(insn->flags) ==
								VGPU_ATOM_CAS128 ? 3 : 1));
	}
	disasm_extra(&t, insn);
	if (info->class == CC_C_MEM)
		disasm_object(&t, insn->c);
}
