// SPDX-License-Identifier: MIT
/*
 * Linking: a module that calls malloc() or free() without defining it gets the runtime's
 * (heap/heap.cu). A module that does not is left as it is.
 */
#include <string.h>

#include "cc.h"
#include "heap/heap.h"
#include "heap/ptx.h"

#define TEXT_OF(name)	TEXT_OF_(name)
#define TEXT_OF_(name)	#name

static bool is_missing(const struct ptx_func *func)
{
	return !func->has_body && !func->is_entry &&
	       (!strcmp(func->name, "malloc") || !strcmp(func->name, "free"));
}

/* The prototype becomes the function: calls of the module hold its struct. */
static void define_func(struct ptx_ctx *ctx, struct ptx_func *prototype,
			const struct ptx_func *func)
{
	struct ptx_func *next = prototype->next;

	if (prototype->params_count != func->params_count ||
	    prototype->results_count != func->results_count)
		ptx_fail(ctx, prototype->line, "`%s' has other parameters in the C library",
			 prototype->name);
	*prototype = *func;
	prototype->next = next;
	prototype->library = true;
	for (uint32_t i = 0; i < func->vars_count; i++)
		func->vars[i]->owner = prototype;
	for (uint32_t i = 0; i < func->insns_count; i++)
		func->insns[i].line |= VGPU_LINE_LIBRARY;
}

void cc_link(struct ptx_ctx *ctx, struct ptx_module *module)
{
	struct ptx_module *library = NULL;

	for (struct ptx_func *func = module->funcs; func; func = func->next) {
		if (!is_missing(func))
			continue;
		if (!library)
			library = ptx_parse(ctx, vgpu_heap_ptx, strlen(vgpu_heap_ptx));
		for (struct ptx_func *known = library->funcs; known; known = known->next)
			if (!strcmp(known->name, func->name))
				define_func(ctx, func, known);
	}
	if (!library)
		return;
	*module->vars_end = library->vars;
	module->vars_end = library->vars_end;
	for (struct ptx_var *var = library->vars; var; var = var->next)
		if (!strcmp(var->name, TEXT_OF(VGPU_HEAP_VARIABLE)))
			module->heap = var;
}
