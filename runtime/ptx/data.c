// SPDX-License-Identifier: MIT
/*
 * Initialisers of PTX variables: scalars and lists to the bytes of the variable, addresses to
 * references that the compiler turns into relocations.
 */
#include <string.h>

#include "parse.h"

#define MAX_INITS	(16u << 20)

void ptx_data_value(struct ptx_parse *p, uint8_t kind, uint64_t bits)
{
	struct ptx_value *value;

	if (p->inits_count == MAX_INITS)
		ptx_fail(p->ctx, p->line, "an initialiser of more than %u values", MAX_INITS);
	value = PTX_PUSH(p->ctx, p, inits);
	memset(value, 0, sizeof(*value));
	value->kind = kind;
	value->bits = bits;
}

static uint64_t float_bits(const struct ptx_value *value, enum ptx_type type)
{
	uint64_t bits = 0;
	uint32_t low = (uint32_t)value->bits;
	double number;
	float single;

	if (value->kind == PTX_OPND_F32) {
		memcpy(&single, &low, 4);
		number = (double)single;
	} else if (value->kind == PTX_OPND_F64) {
		memcpy(&number, &value->bits, 8);
	} else {
		number = (double)(int64_t)value->bits;
	}
	if (type == PTX_F64) {
		memcpy(&bits, &number, 8);
		return bits;
	}
	if (value->kind == PTX_OPND_F32)
		return low;
	single = (float)number;
	memcpy(&low, &single, 4);
	return low;
}

static void add_reference(struct ptx_parse *p, struct ptx_var *var, const struct ptx_value *value,
			  uint64_t where)
{
	struct ptx_sym *sym = ptx_find(p, value->symbol);
	struct ptx_init_ref *ref;

	if (!sym || (sym->kind != PTX_SYM_VAR && sym->kind != PTX_SYM_FUNC))
		ptx_fail(p->ctx, p->line,
			 "`%s' in the initialiser of `%s' is not a variable or function declared "
			 "before it",
			 value->symbol, var->name);
	if (ptx_type_bytes(var->type) != 8)
		ptx_fail(p->ctx, p->line,
			 "`%s': only a 64-bit element can hold the address of `%s'", var->name,
			 value->symbol);
	if (sym->kind == PTX_SYM_VAR && sym->var->space != PTX_GLOBAL &&
	    sym->var->space != PTX_CONST)
		ptx_fail(p->ctx, p->line,
			 "`%s': the address of `%s' is not constant, only .global and .const are",
			 var->name, value->symbol);
	ref = PTX_PUSH(p->ctx, var, refs);
	memset(ref, 0, sizeof(*ref));
	ref->where = where;
	ref->line = p->line;
	if (sym->kind == PTX_SYM_FUNC) {
		ref->func = sym->func;
		return;
	}
	ref->var = sym->var;
	ref->space = value->generic ? PTX_GENERIC : sym->var->space;
}

/* Puts the values read since the declaration began into `var`. */
void ptx_data_init(struct ptx_parse *p, struct ptx_var *var)
{
	uint32_t bytes = ptx_type_bytes(var->type);
	uint64_t count = var->size / bytes;

	if (var->space != PTX_GLOBAL && var->space != PTX_CONST)
		ptx_fail(p->ctx, p->line,
			 "`%s': only .global and .const variables can have an initialiser",
			 var->name);
	if (bytes > 8)
		ptx_fail(p->ctx, p->line, "`%s': a .b128 variable has no initialiser here",
			 var->name);
	if (p->inits_count > count)
		ptx_fail(p->ctx, p->line, "`%s': %u values for %llu elements", var->name,
			 p->inits_count, (unsigned long long)count);
	if (p->init_nested && p->inits_count != count)
		ptx_fail(p->ctx, p->line, "`%s': a nested list must name every element", var->name);
	if (var->init)
		ptx_fail(p->ctx, p->line, "`%s' has two initialisers", var->name);
	if (!p->inits_count)
		return;
	var->init = ptx_alloc(p->ctx, var->size);
	for (uint32_t i = 0; i < p->inits_count; i++) {
		const struct ptx_value *value = &p->inits[i];
		uint64_t bits = value->bits;

		if (value->kind == PTX_OPND_VAR)
			add_reference(p, var, value, (uint64_t)i * bytes);
		else if (ptx_type_letter(var->type) == 'f' && bytes > 2)
			bits = float_bits(value, var->type);
		else if (value->kind != PTX_OPND_INT &&
			 !(value->kind == PTX_OPND_F32 && bytes == 4) &&
			 !(value->kind == PTX_OPND_F64 && bytes == 8))
			ptx_fail(p->ctx, p->line, "`%s': a float in a list of .%s", var->name,
				 ptx_mod_name(var->type));
		memcpy(var->init + (uint64_t)i * bytes, &bits, bytes);
	}
}
