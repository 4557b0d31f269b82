// SPDX-License-Identifier: MIT
/*
 * Instructions of a PTX function: operands are collected while they are read and get their meaning
 * when the instruction ends. Here is also the entry of the parser.
 */
#include <string.h>

#include "parse.h"
#include "parser.tab.h"

int ptx_yylex_init_extra(struct ptx_parse *p, void **scanner);
int ptx_yylex_destroy(void *scanner);
void *ptx_yy_scan_bytes(const char *bytes, int len, void *scanner);

void ptx_insn_begin(struct ptx_parse *p, const char *opcode)
{
	int op = ptx_find_op(&p->words, opcode, strlen(opcode));

	if (op < 0)
		ptx_fail(p->ctx, p->insn_line, "`%s' is not a PTX instruction known here%s", opcode,
			 ptx_absent(opcode, strlen(opcode)));
	p->insn.op = (uint16_t)op;
	p->insn.line = p->insn_line;
	p->insn.mod_count = 0;
	p->insn.type_count = 0;
	p->op_count = 0;
}

void ptx_insn_mod(struct ptx_parse *p, unsigned int mod)
{
	if (p->insn.mod_count == PTX_MAX_MODS)
		ptx_fail(p->ctx, p->insn_line, "`%s': too many modifiers", ptx_op_name(p->insn.op));
	p->insn.mods[p->insn.mod_count++] = (uint16_t)mod;
	if (ptx_mod_kinds(mod) & PTX_K_TYPE) {
		if (p->insn.type_count == PTX_MAX_TYPES)
			ptx_fail(p->ctx, p->insn_line, "`%s': too many types",
				 ptx_op_name(p->insn.op));
		p->insn.types[p->insn.type_count++] = (uint8_t)mod;
	}
}

void ptx_insn_guard(struct ptx_parse *p, const char *name, bool negated)
{
	struct ptx_sym *sym = ptx_find(p, name);

	if (!sym || sym->kind != PTX_SYM_REG || sym->type != PTX_PRED)
		ptx_fail(p->ctx, p->line, "`@%s': a guard is a .pred register", name);
	p->insn.guard = sym->number;
	p->insn.guard_negated = negated;
}

struct ptx_operand *ptx_operand_new(struct ptx_parse *p, uint8_t kind)
{
	struct ptx_operand *operand;

	if (p->op_count == PTX_MAX_OPERANDS)
		ptx_fail(p->ctx, p->insn_line, "`%s': too many operands", ptx_op_name(p->insn.op));
	operand = &p->ops[p->op_count++];
	memset(operand, 0, sizeof(*operand));
	operand->kind = kind;
	operand->reg = operand->second = PTX_NONE;
	return operand;
}

void ptx_operand_select(struct ptx_parse *p, const char *text)
{
	const char *dot = strrchr(text, '.');
	struct ptx_operand *o = ptx_operand_new(p, PTX_OPND_REG);

	o->name = ptx_intern(p, text, (size_t)(dot - text));
	o->select_halves = dot[1] == 'h';
	for (const char *digit = dot + 2; *digit; digit++)
		o->select[o->select_count++] = (uint8_t)(*digit - '0');
}

/* The operands from @first on become elements of one: { }, ( ) or [ ]. */
void ptx_operand_group(struct ptx_parse *p, uint8_t kind, uint32_t first)
{
	uint32_t count = p->op_count - first;
	struct ptx_operand *elements = NULL, *group;

	if (count) {
		elements = ptx_alloc(p->ctx, count * sizeof(*elements));
		memcpy(elements, p->ops + first, count * sizeof(*elements));
	}
	if (count > (kind == PTX_OPND_LIST ? 255u : kind == PTX_OPND_VEC ? 8u : 5u))
		ptx_fail(p->ctx, p->insn_line, "`%s': too many operands in a group",
			 ptx_op_name(p->insn.op));
	p->op_count = first;
	group = ptx_operand_new(p, kind);
	group->elements = elements;
	group->count = (uint8_t)count;
}

/* A name standing as an operand becomes what it names. */
static void resolve_name(struct ptx_parse *p, struct ptx_operand *o, uint32_t index,
			 bool in_address)
{
	struct ptx_sym *sym;

	if (o->kind != PTX_OPND_REG)
		return;
	if (o->minus && p->insn.op != PTX_I_VMAD)
		ptx_fail(p->ctx, p->insn_line, "`-%s': only operands of vmad are negated", o->name);
	if (!strcmp(o->name, "_") && !o->negated) {
		o->kind = PTX_OPND_SINK;
		return;
	}
	sym = ptx_find(p, o->name);
	if (!sym && !strcmp(o->name, "WARP_SZ")) {
		o->kind = PTX_OPND_INT;
		o->value += 32;
		return;
	}
	if (!sym && p->insn.op == PTX_I_MOV && ptx_reserved_shared(p, o))
		return;
	if (!sym && o->name[0] == '%') {
		o->reg = ptx_find_sreg(o->name, PTX_M_NONE);
		if (o->reg == PTX_NONE)
			ptx_fail(p->ctx, p->insn_line,
				 "`%s' is neither a declared register nor a special register%s",
				 o->name, ptx_absent(o->name, strlen(o->name)));
		o->kind = PTX_OPND_SREG;
		return;
	}
	if (!sym) {
		if (index == PTX_NONE || (p->insn.op != PTX_I_BRA && p->insn.op != PTX_I_CALL))
			ptx_fail(p->ctx, p->insn_line, "`%s' is not declared", o->name);
		o->kind = PTX_OPND_LABEL;
		*PTX_PUSH(p->ctx, p, pending) = (struct ptx_pending){
			.name = o->name,
			.insn = p->func->insns_count,
			.operand = index,
			.line = p->insn_line,
		};
		return;
	}
	switch (sym->kind) {
	case PTX_SYM_REG:
		o->reg = sym->number;
		if (o->value && !in_address)
			ptx_fail(p->ctx, p->insn_line,
				 "`%s+%lld': only an address can add to a register", o->name,
				 (long long)o->value);
		break;
	case PTX_SYM_REGS:
		ptx_fail(p->ctx, p->insn_line, "`%s' is a family of registers, not one", o->name);
	case PTX_SYM_VAR:
		o->kind = PTX_OPND_VAR;
		o->var = sym->var;
		break;
	case PTX_SYM_FUNC:
		o->kind = PTX_OPND_FUNC;
		o->func = sym->func;
		break;
	case PTX_SYM_LABEL:
		o->kind = PTX_OPND_LABEL;
		o->reg = sym->number;
		break;
	}
	if ((o->negated || o->second != PTX_NONE) && o->kind != PTX_OPND_REG)
		ptx_fail(p->ctx, p->insn_line, "`%s' is not a register", o->name);
}

static bool has_coordinates(uint16_t op)
{
	return op == PTX_I_TEX || op == PTX_I_TLD4 || op == PTX_I_SULD || op == PTX_I_SUST;
}

/*
 * [base + offset], where the base is a register, a variable or neither; of a texture the
 * coordinates behind it are the elements.
 */
static void resolve_address(struct ptx_parse *p, struct ptx_operand *o)
{
	struct ptx_operand *base = &o->elements[0];

	if (o->count > 1 && !has_coordinates(p->insn.op))
		ptx_fail(p->ctx, p->insn_line, "`%s': only textures and surfaces have coordinates",
			 ptx_op_name(p->insn.op));
	for (uint32_t e = 1; e < o->count; e++)
		resolve_name(p, &o->elements[e], PTX_NONE, false);
	resolve_name(p, base, PTX_NONE, true);
	if (base->kind != PTX_OPND_REG && base->kind != PTX_OPND_VAR && base->kind != PTX_OPND_INT)
		ptx_fail(p->ctx, p->insn_line, "`[%s]' is not an address",
			 base->name ? base->name : "?");
	o->name = base->name;
	o->reg = base->kind == PTX_OPND_REG ? base->reg : PTX_NONE;
	o->var = base->var;
	o->value = base->value;
	o->elements++;
	o->count--;
}

/*
 * All operands are read: give them their meaning and append the instruction. Labels that are not
 * declared yet are resolved when their scope ends (ptx_scope_pop).
 */
void ptx_insn_end(struct ptx_parse *p)
{
	struct ptx_insn *insn;

	for (uint32_t i = 0; i < p->op_count; i++) {
		struct ptx_operand *o = &p->ops[i];

		if (o->kind == PTX_OPND_ADDR) {
			resolve_address(p, o);
			continue;
		}
		resolve_name(p, o, i, false);
		for (uint32_t e = 0; e < o->count; e++)
			resolve_name(p, &o->elements[e], PTX_NONE, false);
	}
	insn = PTX_PUSH(p->ctx, p->func, insns);
	*insn = p->insn;
	insn->count = p->op_count;
	insn->ops = ptx_alloc(p->ctx, p->op_count * sizeof(*insn->ops));
	memcpy(insn->ops, p->ops, p->op_count * sizeof(*insn->ops));
	p->insn.guard = PTX_NONE;
	p->insn.guard_negated = false;
}

/* Reads everything; an error inside arrives here by a jump and leaves as a result. */
static int run_parser(struct ptx_parse *p, void *scanner, const char *text, int len)
{
	if (setjmp(p->ctx->out))
		return -1;
	if (!ptx_yy_scan_bytes(text, len, scanner))
		ptx_out_of_memory(p->ctx);
	return ptx_yyparse(scanner, p);
}

struct ptx_module *ptx_parse(struct ptx_ctx *ctx, const char *text, size_t len)
{
	struct ptx_parse *p = ptx_alloc(ctx, sizeof(*p));
	void *scanner = NULL;
	jmp_buf caller;
	int failed;

	p->ctx = ctx;
	p->line = 1;
	p->insn.guard = PTX_NONE;
	p->module = ptx_alloc(ctx, sizeof(*p->module));
	p->module->funcs_end = &p->module->funcs;
	p->module->vars_end = &p->module->vars;
	ptx_words_init(&p->words);
	ptx_scope_push(p);
	if (len > INT32_MAX - 16)
		ptx_fail(ctx, 0, "the text is larger than 2 GiB");
	if (len && !text[len - 1])	/* some hand over the final 0 with the text */
		len--;
	if (ptx_yylex_init_extra(p, &scanner))
		ptx_out_of_memory(ctx);
	/* the scanner's memory is not the arena's: take it back on the way out */
	memcpy(&caller, &ctx->out, sizeof(caller));
	failed = run_parser(p, scanner, text, (int)len);
	memcpy(&ctx->out, &caller, sizeof(caller));
	ptx_yylex_destroy(scanner);
	if (failed && !ctx->error)
		ptx_fail(ctx, p->line, "the text is nested too deep");
	if (failed)
		longjmp(ctx->out, 1);
	return p->module;
}
