// SPDX-License-Identifier: MIT
/*
 * Places of variables: .global and .const ones in the program's data segment, .shared ones from 0
 * in each kernel that uses them. A variable gets at least the alignment of a 16-byte access when it
 * is that large, as on NVIDIA's devices, where code relies on it.
 */
#include <stdlib.h>
#include <string.h>

#include "cc.h"

#define MAX_DATA	(1ull << 30)
/* CUDA's limit; that of a device may be lower, and is checked when the module is loaded */
#define MAX_SHARED	(48ull << 10)

static uint64_t aligned(uint64_t at, const struct ptx_var *var)
{
	uint64_t align = var->align;

	if (align < 16)
		align = var->size >= 16 || var->is_open ? 16 :
			var->size >= 8			? 8 :
			var->size >= 4			? 4 :
							  align;
	if (!align)
		align = 1;
	return (at + align - 1) & ~(align - 1);
}

static bool in_data(const struct ptx_var *var)
{
	return (var->space == PTX_GLOBAL || var->space == PTX_CONST) && !var->is_extern &&
	       !var->is_placed;
}

/* What the table of an abstract class has: nobody defines it, and nobody is to call it. */
static bool is_pure(const struct ptx_func *func)
{
	return !strcmp(func->name, "__cxa_pure_virtual") ||
	       !strcmp(func->name, "__cxa_deleted_virtual");
}

static bool names(const struct ptx_operand *op, const struct ptx_var *var)
{
	if (op->var == var)
		return true;
	for (unsigned int i = 0; i < op->count; i++)
		if (names(&op->elements[i], var))
			return true;
	return false;
}

/* Does code or another variable name @var? */
static bool is_named(const struct ptx_module *module, const struct ptx_var *var)
{
	for (const struct ptx_func *func = module->funcs; func; func = func->next)
		for (uint32_t i = 0; i < func->insns_count; i++)
			for (uint32_t n = 0;
			     func->insns[i].op != PTX_I_LABEL && n < func->insns[i].count; n++)
				if (names(&func->insns[i].ops[n], var))
					return true;
	for (const struct ptx_var *other = module->vars; other; other = other->next)
		for (uint32_t i = 0; other != var && i < other->refs_count; i++)
			if (other->refs[i].var == var)
				return true;
	return false;
}

/* What @ref of @var says can be called; false: it cannot, but nobody does. */
static bool is_callable(struct ptx_ctx *ctx, const struct ptx_module *module,
			const struct ptx_var *var, const struct ptx_init_ref *ref)
{
	const struct ptx_func *func = ref->func;

	if (func->has_body || (is_pure(func) && !func->is_entry))
		return true;
	/* a constant table of the host's functions, which clang has for both */
	if (!func->is_entry && !is_named(module, var))
		return false;
	ptx_fail(ctx, ref->line, "`%s' in the initialiser of `%s' is no function with a body",
		 func->name, var->name);
}

static void fill_data(struct ptx_ctx *ctx, struct ptx_module *module, struct vgpu_program *program,
		      uint32_t refs)
{
	uint64_t word;

	program->data = calloc(1, program->data_bytes ? program->data_bytes : 1);
	program->relocs = calloc(refs ? refs : 1, sizeof(*program->relocs));
	if (!program->data || !program->relocs)
		ptx_out_of_memory(ctx);
	for (struct ptx_var *var = module->vars; var; var = var->next) {
		if (!in_data(var))
			continue;
		if (var->init)
			memcpy(program->data + var->offset, var->init, var->size);
		for (uint32_t i = 0; i < var->refs_count; i++) {
			const struct ptx_init_ref *ref = &var->refs[i];

			if (ref->func) {
				if (!is_callable(ctx, module, var, ref))
					continue;
				memcpy(&word, program->data + var->offset + ref->where, 8);
				word += ref->func->address;
				memcpy(program->data + var->offset + ref->where, &word, 8);
				continue;
			}
			if (ref->var->is_extern && !ref->var->is_placed)
				ptx_fail(ctx, ref->line, "unresolved external variable `%s'",
					 ref->var->name);
			memcpy(&word, program->data + var->offset + ref->where, 8);
			word += ref->var->offset;
			memcpy(program->data + var->offset + ref->where, &word, 8);
			if (ref->var->is_placed)
				continue;
			program->relocs[program->reloc_count].kind = VGPU_RELOC_DATA;
			program->relocs[program->reloc_count++].where =
				(uint32_t)(var->offset + ref->where);
		}
	}
}

/* What the caller has placed is not the module's; `.extern' or not. */
static void place(struct ptx_module *module, const struct vgpu_compile_options *options)
{
	for (struct ptx_var *var = module->vars; var; var = var->next)
		for (uint32_t i = 0; i < options->placed_count; i++)
			if (var->space == PTX_GLOBAL &&
			    !strcmp(var->name, options->placed[i].name)) {
				var->is_placed = true;
				var->offset = options->placed[i].address;
			}
}

void cc_layout_module(struct ptx_ctx *ctx, struct ptx_module *module,
		      const struct vgpu_compile_options *options, struct vgpu_program *program)
{
	uint32_t count = 0, refs = 0;
	uint64_t at = 0;

	if (options)
		place(module, options);
	for (struct ptx_var *var = module->vars; var; var = var->next) {
		if (!in_data(var))
			continue;
		var->offset = aligned(at, var);
		at = var->offset + var->size + (options ? options->red_zone : 0);
		if (at > MAX_DATA)
			ptx_fail(ctx, var->line,
				 "`%s': the variables of the module take more than %llu bytes",
				 var->name, MAX_DATA);
		count++;
		refs += var->refs_count;
	}
	program->data_bytes = at;
	program->symbols = calloc(count ? count : 1, sizeof(*program->symbols));
	if (!program->symbols)
		ptx_out_of_memory(ctx);
	fill_data(ctx, module, program, refs);
	for (struct ptx_var *var = module->vars; var; var = var->next) {
		struct vgpu_program_symbol *symbol = &program->symbols[program->symbol_count];

		if (!in_data(var))
			continue;
		if (var == module->library_vars[PTX_LIBRARY_HEAP]) {
			program->uses_heap = 1;
			program->heap_offset = var->offset;
			continue;
		}
		if (var == module->library_vars[PTX_LIBRARY_PRINT]) {
			program->uses_print = 1;
			program->print_offset = var->offset;
			continue;
		}
		if (var == module->library_vars[PTX_LIBRARY_LAUNCH]) {
			program->uses_launch = 1;
			program->launch_offset = var->offset;
			continue;
		}
		symbol->name = strdup(var->name);
		if (!symbol->name)
			ptx_out_of_memory(ctx);
		symbol->offset = var->offset;
		symbol->size = var->size;
		symbol->constant = var->space == PTX_CONST;
		symbol->managed = var->is_managed;
		program->symbol_count++;
	}
}

/* ---- shared memory of one kernel ---------------------------------------- */

static void visit_operand(struct ptx_func *func, const struct ptx_operand *o,
			  struct ptx_func **stack, uint32_t *depth, uint32_t mark)
{
	if (o->var && o->var->space == PTX_SHARED)
		o->var->index = mark;
	if (o->kind == PTX_OPND_FUNC && o->func->mark != mark && o->func != func) {
		o->func->mark = mark;
		stack[(*depth)++] = o->func;
	}
	for (uint32_t e = 0; e < o->count; e++)
		visit_operand(func, &o->elements[e], stack, depth, mark);
}

/* What a call by address may call. */
static void visit_taken(struct ptx_module *module, struct ptx_func **stack, uint32_t *depth,
			uint32_t mark)
{
	for (struct ptx_func *func = module->funcs; func; func = func->next)
		if (func->taken && func->mark != mark) {
			func->mark = mark;
			stack[(*depth)++] = func;
		}
}

void cc_note_variable(struct cc *cc, const struct ptx_var *var, uint32_t offset)
{
	if (cc->red_zone)
		*PTX_PUSH(cc->ctx, cc, variables) = (struct vgpu_program_variable){
			(char *)(uintptr_t)var->name, offset, (uint32_t)var->size,
			var->space == PTX_SHARED ? VGPU_VARIABLE_SHARED :
			var->space == PTX_LOCAL	 ? VGPU_VARIABLE_LOCAL :
						   VGPU_VARIABLE_PARAM,
		};
}

/* The .shared variables with @mark, @zone bytes behind each; returns the bytes they take. */
static uint64_t place_shared(struct ptx_module *module, uint32_t mark, uint32_t zone)
{
	uint64_t at = 0;

	for (struct ptx_var *var = module->vars; var; var = var->next) {
		if (var->space != PTX_SHARED || var->index != mark || var->is_open ||
		    var->is_extern)
			continue;
		var->offset = aligned(at, var);
		at = var->offset + var->size + zone;
	}
	return at;
}

/*
 * Gives every .shared variable that the kernel or what it calls names an offset; returns the bytes
 * they take.
 */
uint32_t cc_layout_shared(struct cc *cc, struct ptx_module *module)
{
	uint32_t funcs = 0, depth = 0, mark = cc->kernel->mark + 1;
	struct ptx_func **stack;
	uint64_t at;
	bool taken = false;

	for (struct ptx_func *func = module->funcs; func; func = func->next) {
		funcs++;
		if (func->mark >= mark)
			mark = func->mark + 1;
	}
	stack = ptx_alloc(cc->ctx, (funcs + 1) * sizeof(*stack));
	stack[depth++] = cc->kernel;
	cc->kernel->mark = mark;
	while (depth) {
		struct ptx_func *func = stack[--depth];

		for (uint32_t i = 0; i < func->insns_count; i++) {
			for (uint32_t o = 0;
			     func->insns[i].op != PTX_I_LABEL && o < func->insns[i].count; o++)
				visit_operand(func, &func->insns[i].ops[o], stack, &depth, mark);
			if (taken || !cc_calls_by_address(&func->insns[i]))
				continue;
			taken = true;
			visit_taken(module, stack, &depth, mark);
		}
	}
	at = place_shared(module, mark, 0);
	if (cc->red_zone) {
		uint64_t own = at;

		/* dynamic shared memory begins as far behind a multiple of 16 as without */
		at = place_shared(module, mark, cc->red_zone);
		at += (own - at) & 15;
		if (at > MAX_SHARED)
			at = place_shared(module, mark, 0);
		cc->zone_bytes = (uint32_t)(at - own);
	}
	for (struct ptx_var *var = module->vars; var; var = var->next) {
		if (var->space != PTX_SHARED || var->index != mark || var->is_open ||
		    var->is_extern)
			continue;
		if (var->offset + var->size > MAX_SHARED)
			ptx_fail(cc->ctx, var->line,
				 "`%s': the shared variables of `%s' take more than %llu bytes",
				 var->name, cc->kernel->name, MAX_SHARED);
		cc_note_variable(cc, var, (uint32_t)var->offset);
	}
	return (uint32_t)at;
}
