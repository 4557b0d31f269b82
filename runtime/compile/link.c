// SPDX-License-Identifier: MIT
/*
 * Linking: a module that calls malloc() or free() without defining it gets the runtime's
 * (heap/heap.cu), and one that calls vprintf() or __assertfail() likewise (print/print.cu). One
 * with instructions of textures gets the functions that they become calls of (texture/texture.cu).
 * A module that does not is left as it is.
 */
#include <string.h>

#include "cc.h"
#include "heap/heap.h"
#include "heap/ptx.h"
#include "print/print.h"
#include "print/ptx.h"
#include "texture/ptx.h"

#define TEXT_OF(name)	TEXT_OF_(name)
#define TEXT_OF_(name)	#name

/* What the runtime brings: a module each, with the names that others call and its variable. */
static const struct library {
	enum ptx_library number;
	uint32_t line;			/* flags of its lines */
	const char *ptx;
	const char *names[3];
	const char *variable;
} libraries[] = {
	{ PTX_LIBRARY_HEAP, VGPU_LINE_LIBRARY, vgpu_heap_ptx,
	  { "malloc", "free", "__cuda_syscall_aligned_malloc" },
	  TEXT_OF(VGPU_HEAP_VARIABLE) },
	{ PTX_LIBRARY_PRINT, VGPU_LINE_LIBRARY | VGPU_LINE_PRINT, vgpu_print_ptx,
	  { "vprintf", "__assertfail" }, TEXT_OF(VGPU_PRINT_VARIABLE) },
};

static bool is_missing(const struct ptx_func *func, const struct library *library)
{
	if (func->has_body || func->is_entry)
		return false;
	for (unsigned int i = 0; i < 3 && library->names[i]; i++)
		if (!strcmp(func->name, library->names[i]))
			return true;
	return false;
}

static void mark_library(struct ptx_func *func, const struct library *library)
{
	func->library = library->number;
	for (uint32_t i = 0; i < func->insns_count; i++)
		func->insns[i].line |= library->line;
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
	for (uint32_t i = 0; i < func->vars_count; i++)
		func->vars[i]->owner = prototype;
}

/*
 * Puts the library's own functions, which the others call, and its variables into the module;
 * malloc(), too, for whom a function of the library calls.
 */
static void add_rest(struct ptx_module *module, const struct ptx_module *found,
		     const struct library *library)
{
	struct ptx_func *next;

	for (struct ptx_func *func = found->funcs; func; func = next) {
		next = func->next;
		if (!func->has_body ||
		    (strncmp(func->name, "__vgpu_", 7) && strcmp(func->name, "malloc")))
			continue;
		func->next = NULL;
		*module->funcs_end = func;
		module->funcs_end = &func->next;
	}
	*module->vars_end = found->vars;
	module->vars_end = found->vars_end;
	for (struct ptx_var *var = found->vars; var; var = var->next)
		if (!strcmp(var->name, library->variable))
			module->library_vars[library->number] = var;
}

static bool uses_textures(const struct ptx_module *module)
{
	for (const struct ptx_func *func = module->funcs; func; func = func->next)
		for (uint32_t i = 0; i < func->insns_count; i++)
			switch (func->insns[i].op) {
			case PTX_I_TEX:
			case PTX_I_TLD4:
			case PTX_I_TXQ:
			case PTX_I_SULD:
			case PTX_I_SUST:
			case PTX_I_SUQ:
				return true;
			}
	return false;
}

/* They are apart from the module's: nothing names them but instructions. */
static void link_textures(struct ptx_ctx *ctx, struct ptx_module *module)
{
	static const struct library library = {
		.number = PTX_LIBRARY_TEXTURE, .line = VGPU_LINE_LIBRARY | VGPU_LINE_TEXTURE,
	};

	if (!uses_textures(module))
		return;
	module->textures = ptx_parse(ctx, vgpu_texture_ptx, strlen(vgpu_texture_ptx))->funcs;
	for (struct ptx_func *func = module->textures; func; func = func->next)
		mark_library(func, &library);
}

static void link_library(struct ptx_ctx *ctx, struct ptx_module *module,
			 const struct library *library)
{
	struct ptx_module *found = NULL;

	for (struct ptx_func *func = module->funcs; func; func = func->next) {
		if (!is_missing(func, library))
			continue;
		if (!found) {
			found = ptx_parse(ctx, library->ptx, strlen(library->ptx));
			for (struct ptx_func *own = found->funcs; own; own = own->next)
				mark_library(own, library);
		}
		for (const struct ptx_func *own = found->funcs; own; own = own->next)
			if (own->has_body && !strcmp(own->name, func->name))
				define_func(ctx, func, own);
	}
	if (found)
		add_rest(module, found, library);
}

void cc_link(struct ptx_ctx *ctx, struct ptx_module *module)
{
	for (unsigned int i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
		link_library(ctx, module, &libraries[i]);
	link_textures(ctx, module);
}
