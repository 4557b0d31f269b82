// SPDX-License-Identifier: MIT
/*
 * %reserved_smem_offset_*: shared memory that the system keeps. This device keeps none, but
 * programs use what is there: a group of several warps (cooperative_groups, from sm_80 on) has its
 * barriers and its exchange in the 288 bytes from %reserved_smem_offset_1 on. So a kernel that
 * names one of these registers has a variable of as many bytes as the system of sm_80 keeps.
 */
#include <string.h>

#include "parse.h"

#define BYTES	1024
#define SECOND	512	/* where %reserved_smem_offset_1 is in it */

static struct ptx_var *reserved_var(struct ptx_parse *p)
{
	struct ptx_module *module = p->module;
	struct ptx_var *var = module->reserved_shared;

	if (var)
		return var;
	var = ptx_alloc(p->ctx, sizeof(*var));
	var->name = "%reserved_smem";
	var->space = PTX_SHARED;
	var->line = p->insn_line;
	var->type = PTX_B8;
	var->size = BYTES;
	var->align = 16;
	*module->vars_end = var;
	module->vars_end = &var->next;
	module->reserved_shared = var;
	return var;
}

bool ptx_reserved_shared(struct ptx_parse *p, struct ptx_operand *o)
{
	static const struct {
		const char *name;
		int offset;
	} registers[] = {
		{"begin", 0}, {"end", BYTES}, {"0", 0}, {"1", SECOND},
	};
	static const char prefix[] = "%reserved_smem_offset_";
	const char *which = o->name + sizeof(prefix) - 1;

	if (strncmp(o->name, prefix, sizeof(prefix) - 1))
		return false;
	if (!strcmp(which, "cap")) {
		o->kind = PTX_OPND_INT;
		o->value = BYTES;
		return true;
	}
	for (unsigned int i = 0; i < sizeof(registers) / sizeof(*registers); i++) {
		if (strcmp(registers[i].name, which))
			continue;
		o->kind = PTX_OPND_VAR;
		o->var = reserved_var(p);
		o->value = registers[i].offset;
		return true;
	}
	return false;
}
