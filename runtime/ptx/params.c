// SPDX-License-Identifier: MIT
/*
 * How a function uses its .param variables. An address taken with mov and used only for ld.param at
 * constant offsets is replaced by the variable itself; what remains tells the compiler which
 * variables can live in registers.
 */
#include <string.h>

#include "parse.h"

struct alias {
	struct ptx_var *var;
	uint64_t offset;
	uint32_t defs;
};

static bool writes_first(const struct ptx_insn *insn)
{
	switch (insn->op) {
	case PTX_I_ST:
	case PTX_I_RED:
	case PTX_I_BRA:
	case PTX_I_CALL:
	case PTX_I_LABEL:
		return false;
	default:
		return true;
	}
}

static void count_def(struct alias *alias, const struct ptx_operand *o)
{
	if (o->kind != PTX_OPND_REG)
		return;
	alias[o->reg].defs++;
	if (o->second != PTX_NONE)
		alias[o->second].defs++;
}

static void count_defs(struct alias *alias, const struct ptx_insn *insn)
{
	const struct ptx_operand *first = insn->ops;

	if (insn->op == PTX_I_LABEL || !insn->count)
		return;
	if (insn->op == PTX_I_CALL ? first->kind == PTX_OPND_LIST : writes_first(insn)) {
		count_def(alias, first);
		for (uint32_t e = 0; e < first->count; e++)
			count_def(alias, &first->elements[e]);
	}
}

/*
 * mov %rd1, param; mov %rd2, %rd1; add %rd3, %rd2, 8; cvta.to.param: the register is an address in
 * the variable.
 */
static bool follow_alias(struct alias *alias, const struct ptx_insn *insn)
{
	const struct ptx_operand *dst = insn->ops, *src = insn->ops + 1;
	bool is_add =
		insn->op == PTX_I_ADD && insn->count == 3 && insn->ops[2].kind == PTX_OPND_INT;
	struct alias *to;

	if (!(insn->op == PTX_I_MOV && insn->count == 2) && !is_add)
		return false;
	if (dst->kind != PTX_OPND_REG || alias[dst->reg].defs != 1 || insn->guard != PTX_NONE ||
	    insn->type_count != 1 || ptx_type_bytes(insn->types[0]) != 8)
		return false;
	to = &alias[dst->reg];
	if (src->kind == PTX_OPND_VAR && src->var->space == PTX_PARAM && !is_add) {
		to->var = src->var;
		to->offset = src->value;
		return true;
	}
	if (src->kind == PTX_OPND_REG && alias[src->reg].var) {
		to->var = alias[src->reg].var;
		to->offset = alias[src->reg].offset + (is_add ? insn->ops[2].value : 0);
		return true;
	}
	return false;
}

static void note_escape(const struct alias *alias, const struct ptx_operand *o)
{
	if (o->kind == PTX_OPND_VAR || (o->kind == PTX_OPND_ADDR && o->var)) {
		if (o->var->space == PTX_PARAM)
			o->var->addressed = true;
	} else if ((o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) && o->reg != PTX_NONE &&
		   alias[o->reg].var) {
		alias[o->reg].var->addressed = true;
	}
	for (uint32_t e = 0; e < o->count; e++)
		note_escape(alias, &o->elements[e]);
}

static void note_access(struct ptx_parse *p, const struct ptx_insn *insn,
			struct ptx_operand *address)
{
	struct ptx_var *var = address->var;
	uint32_t size = insn->type_count ? ptx_type_bytes(insn->types[0]) : 0;
	uint32_t count = ptx_has(insn, PTX_M_V2) ? 2 :
			 ptx_has(insn, PTX_M_V4) ? 4 :
			 ptx_has(insn, PTX_M_V8) ? 8 : 1;

	if (address->value > var->size || (uint64_t)size * count > var->size - address->value)
		ptx_fail(
			p->ctx, insn->line,
			"`[%s+%lld]': an access of %u bytes outside the %llu bytes of the "
			"parameter",
			var->name, (long long)address->value, size * count,
			(unsigned long long)var->size);
	for (uint32_t i = 0; i < count; i++) {
		struct ptx_access use = {
			.offset = (uint32_t)address->value + i * size,
			.size = size,
			.store = insn->op == PTX_I_ST,
		};
		bool known = false;

		for (uint32_t u = 0; u < var->uses_count && u < 64; u++)
			known |= !memcmp(&var->uses[u], &use, sizeof(use));
		if (!known)
			*PTX_PUSH(p->ctx, var, uses) = use;
	}
}

static void note_call(struct ptx_insn *insn)
{
	bool results = insn->count > 1 && insn->ops[0].kind == PTX_OPND_LIST;
	uint32_t at = results;
	struct ptx_func *callee =
		at < insn->count && insn->ops[at].kind == PTX_OPND_FUNC ? insn->ops[at].func : NULL;

	for (uint32_t i = 0; i < insn->count; i++) {
		struct ptx_operand *list = &insn->ops[i];

		if (list->kind != PTX_OPND_LIST)
			continue;
		for (uint32_t e = 0; e < list->count; e++) {
			struct ptx_var *var = list->elements[e].kind == PTX_OPND_VAR ?
						      list->elements[e].var :
						      NULL;

			if (!var || var->space != PTX_PARAM)
				continue;
			var->many_calls |= var->callee != NULL;
			var->callee = callee;
			var->callee_index = e;
			var->callee_result = results && i == 0;
		}
	}
}

void ptx_params_resolve(struct ptx_parse *p, struct ptx_func *func)
{
	struct alias *alias = ptx_alloc(p->ctx, (func->regs_count + 1) * sizeof(*alias));

	for (uint32_t i = 0; i < func->insns_count; i++)
		count_defs(alias, &func->insns[i]);
	for (uint32_t i = 0; i < func->insns_count; i++) {
		struct ptx_insn *insn = &func->insns[i];
		bool is_access = (insn->op == PTX_I_LD || insn->op == PTX_I_ST) &&
				 ptx_has(insn, PTX_M_PARAM) && insn->count == 2;

		if (insn->op == PTX_I_LABEL || follow_alias(alias, insn))
			continue;
		if (insn->op == PTX_I_CALL) {
			note_call(insn);
			for (uint32_t o = 0; o < insn->count; o++)
				for (uint32_t e = 0; e < insn->ops[o].count; e++)
					if (insn->ops[o].elements[e].kind == PTX_OPND_REG)
						note_escape(alias, &insn->ops[o].elements[e]);
			continue;
		}
		for (uint32_t o = 0; o < insn->count; o++) {
			struct ptx_operand *op = &insn->ops[o];

			if (is_access && op->kind == PTX_OPND_ADDR) {
				if (op->reg != PTX_NONE && alias[op->reg].var) {
					op->var = alias[op->reg].var;
					op->value += alias[op->reg].offset;
					op->reg = PTX_NONE;
				}
				if (op->var && op->var->space == PTX_PARAM) {
					note_access(p, insn, op);
					continue;
				}
			}
			note_escape(alias, op);
		}
	}
	p->pending_count = 0;
}
