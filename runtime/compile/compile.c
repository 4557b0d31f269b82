// SPDX-License-Identifier: MIT
/*
 * The compiler's door: PTX text in, a program out. Runs the passes over each kernel and puts the
 * binary together.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cc.h"

#define MAX_PASSES	4

/*
 * Passes that make work for each other: folded addresses reveal state spaces, those narrow 64-bit
 * arithmetic, and what is left over is dead. The bound on the rounds keeps compile time in
 * proportion to the kernel.
 */
static void optimise(struct cc *cc)
{
	cc_dominators(cc);
	for (unsigned int pass = 0; pass < MAX_PASSES; pass++) {
		bool changed = cc_fold(cc);

		changed |= cc_infer_spaces(cc);
		changed |= cc_narrow(cc);
		changed |= cc_remove_dead(cc);
		cc_compact(cc);
		if (!changed)
			break;
	}
}

void cc_compile_blocks(struct cc *cc)
{
	cc_build_blocks(cc);
	optimise(cc);
	cc_loop_depths(cc);
	cc_postdominators(cc);
	cc_find_divergence(cc);
	cc_find_objects(cc);
	cc_share_constants(cc);
	cc_allocate(cc);
}

static void compile_kernel(struct cc *cc, struct ptx_module *module, uint32_t stack,
			   struct cc_code *code)
{
	cc->shared_bytes = cc_layout_shared(cc, module);
	cc_make_procedures(cc, module, stack);
	cc_lower(cc);
	cc_compile_blocks(cc);
	cc_emit(cc, code);
}

/* Bytes of the kernel's local memory that are the stack of its procedures. */
static uint32_t stack_of(const struct cc *cc)
{
	uint32_t end = cc_local_end(cc), stack = cc->procedures ? cc->procedures->stack : 0;

	return stack < VGPU_VASS_MAX_LOCAL - end ? stack : VGPU_VASS_MAX_LOCAL - end;
}

/* Of a kernel whose address is taken: as many as there are for each of 1,024 threads. */
#define LAUNCHED_REGS	64u

/* ---- parameters --------------------------------------------------------- */

/* Offsets as PTX has them: in order, each at its alignment. Returns the size of the block. */
static uint32_t lay_out_params(struct ptx_ctx *ctx, struct ptx_func *func)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < func->params_count; i++) {
		struct ptx_var *var = func->params[i];
		uint64_t align = var->align ? var->align : 1;

		at = (at + align - 1) & ~(align - 1);
		var->offset = at;
		at += var->size;
		if (at > VGPU_VASS_MAX_PARAM)
			ptx_fail(ctx, var->line,
				 "`%s': the parameters of `%s' take more than %u bytes", var->name,
				 func->name, VGPU_VASS_MAX_PARAM);
	}
	return (uint32_t)at;
}

/*
 * Behind the parameters of kernel @func: a cooperative launch's workspace, and the depth of a
 * launch by a kernel.
 */
static void add_hidden(struct ptx_ctx *ctx, const struct ptx_func *func, const struct cc *cc,
		       struct vgpu_program_kernel *out)
{
	uint32_t at = cc->workspace_offset, end = at + (cc->uses_depth ? 12 : 8);

	if (end > VGPU_VASS_MAX_PARAM)
		ptx_fail(ctx, func->line,
			 "the parameters of `%s' and its grid's barrier take more than %u bytes",
			 func->name, VGPU_VASS_MAX_PARAM);
	if (cc->uses_workspace)
		out->workspace_offset = at;
	if (cc->uses_depth)
		out->vass.launch_depth = at + 8;
	out->vass.param_bytes = end;
}

/* ---- the program -------------------------------------------------------- */

/* On the heap: it is read after a longjmp(), when locals that changed since are indeterminate. */
struct job {
	struct ptx_ctx ctx;
	struct vgpu_program *program;
	/* of all kernels compiled so far; the binary needs to know the length of all of them */
	struct vgpu_insn *insns;
	uint8_t *relocs;
	uint32_t insns_count, insns_room;
};

/*
 * A program while it is made. What the program keeps is allocated by build_alloc() and freed by
 * vgpu_program_free(), also after an error.
 */
struct build {
	struct ptx_ctx *ctx;
	struct vgpu_program *program;
	struct job *job;
	struct ptx_func **funcs;
	uint32_t kernels;
	bool from_llvm;
};

static void *build_alloc(struct build *b, size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory)
		ptx_out_of_memory(b->ctx);
	return memory;
}

static void want_room(struct build *b, uint32_t insns)
{
	struct job *job = b->job;
	uint32_t room = job->insns_room ? job->insns_room : 1024;
	void *grown;

	while (room - job->insns_count < insns) {
		if (room > UINT32_MAX / 2)
			ptx_out_of_memory(b->ctx);
		room *= 2;
	}
	if (room == job->insns_room)
		return;
	grown = realloc(job->insns, room * sizeof(*job->insns));
	if (!grown)
		ptx_out_of_memory(b->ctx);
	job->insns = grown;
	grown = realloc(job->relocs, room);
	if (!grown)
		ptx_out_of_memory(b->ctx);
	job->relocs = grown;
	job->insns_room = room;
}

/* Out of the arena, which the next kernel uses again. */
static void keep_code(struct build *b, struct vgpu_program_kernel *out, const struct cc_code *code)
{
	struct job *job = b->job;
	uint32_t *lines = build_alloc(b, code->count, sizeof(*lines));

	out->ptx_line = lines;
	memcpy(lines, code->lines, code->count * sizeof(*lines));
	want_room(b, code->count);
	memcpy(job->insns + job->insns_count, code->insns, code->count * sizeof(*code->insns));
	memcpy(job->relocs + job->insns_count, code->relocs, code->count);
	job->insns_count += code->count;
}

static void keep_variables(struct build *b, struct vgpu_program_kernel *out, const struct cc *cc)
{
	if (!cc->red_zone)
		return;
	out->variables = build_alloc(b, cc->variables_count, sizeof(*out->variables));
	for (uint32_t i = 0; i < cc->variables_count; i++) {
		out->variables[i] = cc->variables[i];
		out->variables[i].name = strdup(cc->variables[i].name);
		if (!out->variables[i].name)
			ptx_out_of_memory(b->ctx);
		out->variable_count++;
	}
}

static bool is_wanted(const struct ptx_func *func, const struct vgpu_compile_options *options)
{
	return func->is_entry && func->has_body &&
	       (!options || !options->only || !strcmp(options->only, func->name));
}

static void compile_kernels(struct build *b, struct ptx_module *module,
			    const struct vgpu_compile_options *options)
{
	struct cc_shared *shared = NULL;
	uint32_t k = 0;

	for (struct ptx_func *func = module->funcs; func; func = func->next)
		b->kernels += is_wanted(func, options);
	b->program->kernels = build_alloc(b, b->kernels, sizeof(*b->program->kernels));
	b->program->kernel_count = b->kernels;
	b->funcs = ptx_alloc(b->ctx, (b->kernels + 1) * sizeof(*b->funcs));
	for (struct ptx_func *func = module->funcs; func; func = func->next) {
		struct cc cc = {
			.ctx = b->ctx, .kernel = func, .shared = &shared,
			.textures = module->textures,
			.from_llvm = b->from_llvm,
			.red_zone = options ? options->red_zone : 0
		};
		struct vgpu_program_kernel *out = &b->program->kernels[k];
		struct ptx_mark mark = ptx_mark(b->ctx);
		struct cc_code code = { 0 };
		if (!is_wanted(func, options))
			continue;
		cc.max_regs = cc_register_limit(options, func);
		/* what kernels launch is not compiled again for large blocks */
		if (func->taken && !func->max_regs && !func->max_threads &&
		    cc.max_regs > LAUNCHED_REGS)
			cc.max_regs = LAUNCHED_REGS;
		out->vass.param_bytes = lay_out_params(b->ctx, func);
		cc.workspace_offset = (out->vass.param_bytes + 7) & ~7u;
		compile_kernel(&cc, module, options ? options->stack_bytes : 0, &code);
		out->stack_bytes = stack_of(&cc);
		out->vass.regs = cc.regs;
		out->vass.shared_bytes = cc.shared_bytes;
		out->vass.local_bytes = cc_local_end(&cc) + out->stack_bytes;
		out->vass.max_threads = func->max_threads;
		out->vass.code_count = code.count;
		out->uses_heap = cc.uses_library[PTX_LIBRARY_HEAP];
		out->uses_print = cc.uses_library[PTX_LIBRARY_PRINT];
		out->uses_launch = cc.uses_library[PTX_LIBRARY_LAUNCH];
		if (cc.uses_workspace || cc.uses_depth)
			add_hidden(b->ctx, func, &cc, out);
		out->spilled_bytes = cc.spilled_bytes;
		out->zone_bytes = cc.zone_bytes;
		out->max_live = cc.max_live;
		cc_count_objects(code.insns, code.count, out);
		keep_code(b, out, &code);
		keep_variables(b, out, &cc);
		/* shared functions stay for the kernels to come */
		if (!shared)
			ptx_rewind(b->ctx, mark);
		b->funcs[k++] = func;
	}
}

static void finish_kernel(struct build *b, uint32_t k)
{
	struct vgpu_program_kernel *out = &b->program->kernels[k];
	const struct ptx_func *func = b->funcs[k];
	struct vgpu_program_param *params = build_alloc(b, func->params_count, sizeof(*params));

	out->params = params;
	out->param_count = func->params_count;
	for (uint32_t i = 0; i < func->params_count; i++) {
		params[i].offset = (uint32_t)func->params[i]->offset;
		params[i].size = (uint32_t)func->params[i]->size;
	}
	out->name = strdup(func->name);
	if (!out->name)
		ptx_out_of_memory(b->ctx);
}

/* Code relocations go behind those of the data segment, which layout.c has entered already. */
static void add_relocs(struct build *b)
{
	struct vgpu_program *program = b->program;
	struct vgpu_program_reloc *relocs;
	uint32_t count = program->reloc_count;

	for (uint32_t i = 0; i < b->job->insns_count; i++)
		count += b->job->relocs[i];
	relocs = realloc(program->relocs, ((size_t)count + 1) * sizeof(*relocs));
	if (!relocs)
		ptx_out_of_memory(b->ctx);
	program->relocs = relocs;
	for (uint32_t i = 0; i < b->job->insns_count; i++)
		if (b->job->relocs[i]) {
			relocs[program->reloc_count].kind = VGPU_RELOC_CODE;
			relocs[program->reloc_count++].where = i;
		}
}

/* As many kernels from @first on as one binary may have. Sets where its parts are. */
static void measure_binary(struct build *b, struct vgpu_program_binary *binary,
			   struct vgpu_vass_header *header)
{
	uint64_t names = 0, insns = 0, total = 0;

	*header = (struct vgpu_vass_header){ .magic = VGPU_VASS_MAGIC,
					     .version = VGPU_VASS_VERSION };
	header->kernel_offset = sizeof(*header) + (16 - sizeof(*header) % 16) % 16;
	for (uint32_t k = binary->first_kernel; k < b->kernels; k++) {
		struct vgpu_program_kernel *kernel = &b->program->kernels[k];
		uint32_t count = binary->kernel_count + 1, names_offset;
		uint64_t code_offset;

		names_offset = (uint32_t)((header->kernel_offset +
					   count * sizeof(struct vgpu_vass_kernel) + 15) & ~15u);
		code_offset = (names_offset + names + strlen(kernel->name) + 1 + 15) & ~15ull;
		total = code_offset + (insns + kernel->vass.code_count) * sizeof(struct vgpu_insn);
		if (count > VGPU_VASS_MAX_KERNELS || (count > 1 && total > VGPU_VASS_MAX_BYTES))
			break;
		if (total > VGPU_VASS_MAX_BYTES)
			ptx_fail(b->ctx, b->funcs[k]->line,
				 "the code of `%s' is larger than %u bytes", kernel->name,
				 VGPU_VASS_MAX_BYTES);
		kernel->vass.name = (uint32_t)names;
		kernel->vass.entry = (uint32_t)insns;
		names += strlen(kernel->name) + 1;
		insns += kernel->vass.code_count;
		header->names_offset = names_offset;
		header->code_offset = (uint32_t)code_offset;
		binary->kernel_count = count;
		binary->size = (uint32_t)total;
	}
	binary->insn_count = (uint32_t)insns;
	header->kernel_count = binary->kernel_count;
	header->names_bytes = (uint32_t)names;
	header->code_count = binary->insn_count;
	header->total_bytes = binary->size;
}

/* Header, kernels, names, code, each at a multiple of 16 as the format wants it. */
static void build_binary(struct build *b, struct vgpu_program_binary *binary)
{
	struct vgpu_vass_header header;
	uint8_t *at;

	measure_binary(b, binary, &header);
	/* of a module without kernels */
	if (!binary->kernel_count)
		header.total_bytes = binary->size = header.names_offset = header.code_offset =
			header.kernel_offset;
	binary->bytes = at = build_alloc(b, binary->size, 1);
	memcpy(at, &header, sizeof(header));
	for (uint32_t k = 0; k < binary->kernel_count; k++) {
		const struct vgpu_program_kernel *kernel =
			&b->program->kernels[binary->first_kernel + k];

		memcpy(at + header.kernel_offset + k * sizeof(kernel->vass), &kernel->vass,
		       sizeof(kernel->vass));
		memcpy(at + header.names_offset + kernel->vass.name, kernel->name,
		       strlen(kernel->name));
	}
	if (header.code_count)
		memcpy(at + header.code_offset, b->job->insns + binary->first_insn,
		       header.code_count * sizeof(struct vgpu_insn));
}

static void build_binaries(struct build *b)
{
	struct vgpu_program *program = b->program;
	uint32_t kernel = 0, insn = 0;

	do {
		struct vgpu_program_binary *binary;
		void *grown = realloc(program->binaries, (program->binary_count + 1) *
							 sizeof(*program->binaries));

		if (!grown)
			ptx_out_of_memory(b->ctx);
		program->binaries = grown;
		binary = &program->binaries[program->binary_count++];
		*binary = (struct vgpu_program_binary){
			.first_kernel = kernel, .first_insn = insn
		};
		build_binary(b, binary);
		kernel += binary->kernel_count;
		insn += binary->insn_count;
	} while (kernel < b->kernels);
}

static int compile_module(struct job *job, const char *ptx, size_t len,
			  const struct vgpu_compile_options *options)
{
	struct build build = { .ctx = &job->ctx, .program = job->program, .job = job }, *b = &build;
	struct ptx_module *module;

	if (setjmp(job->ctx.out))
		return job->ctx.error;
	b->from_llvm = memmem(ptx, len < 256 ? len : 256, "Generated by LLVM", 17);
	module = ptx_parse(&job->ctx, ptx, len);
	cc_link(&job->ctx, module);
	cc_find_procedures(&job->ctx, module);
	cc_layout_module(&job->ctx, module, options, job->program);
	compile_kernels(b, module, options);
	for (uint32_t k = 0; k < b->kernels; k++)
		finish_kernel(b, k);
	add_relocs(b);
	build_binaries(b);
	return 0;
}

int vgpu_compile_ptx(const char *ptx, size_t len, const struct vgpu_compile_options *options,
		     struct vgpu_program **out, char **message)
{
	struct job *job = calloc(1, sizeof(*job));
	int result;

	*out = NULL;
	*message = NULL;
	if (!job || !(job->program = calloc(1, sizeof(*job->program)))) {
		free(job);
		return -ENOMEM;
	}
	if (options && options->max_regs &&
	    (options->max_regs < 16 || options->max_regs > VGPU_VASS_MAX_REGS)) {
		*message = strdup("ptx: max_regs must be from 16 to 254");
		result = -EINVAL;
	} else {
		result = compile_module(job, ptx, len, options);
		*message = job->ctx.message;
	}
	if (result)
		vgpu_program_free(job->program);
	else
		*out = job->program;
	ptx_release(&job->ctx);
	free(job->insns);
	free(job->relocs);
	free(job);
	return result;
}

const struct vgpu_program_binary *vgpu_program_binary_of(const struct vgpu_program *program,
							 uint32_t kernel)
{
	const struct vgpu_program_binary *binary = program->binaries;

	while (kernel - binary->first_kernel >= binary->kernel_count)
		binary++;
	return binary;
}

static struct vgpu_insn *binary_code(const struct vgpu_program_binary *binary)
{
	struct vgpu_vass_header header;

	memcpy(&header, binary->bytes, sizeof(header));
	return (struct vgpu_insn *)(binary->bytes + header.code_offset);
}

const struct vgpu_insn *vgpu_program_code(const struct vgpu_program *program, uint32_t kernel)
{
	return binary_code(vgpu_program_binary_of(program, kernel)) +
	       program->kernels[kernel].vass.entry;
}

void vgpu_program_link(struct vgpu_program *program, uint64_t base)
{
	const struct vgpu_program_binary *binary = program->binaries;
	uint64_t word;

	for (uint32_t i = 0; i < program->reloc_count; i++) {
		const struct vgpu_program_reloc *reloc = &program->relocs[i];
		uint8_t *at;

		if (reloc->kind == VGPU_RELOC_DATA) {
			at = program->data + reloc->where;
		} else {
			/* those of code are in its order */
			while (reloc->where - binary->first_insn >= binary->insn_count)
				binary++;
			at = (uint8_t *)&binary_code(binary)[reloc->where - binary->first_insn].imm;
		}
		memcpy(&word, at, 8);
		word += base;
		memcpy(at, &word, 8);
	}
}

void vgpu_program_free(struct vgpu_program *program)
{
	if (!program)
		return;
	for (uint32_t k = 0; program->kernels && k < program->kernel_count; k++) {
		free((void *)(uintptr_t)program->kernels[k].name);
		free((void *)(uintptr_t)program->kernels[k].params);
		free((void *)(uintptr_t)program->kernels[k].ptx_line);
		for (uint32_t i = 0; i < program->kernels[k].variable_count; i++)
			free(program->kernels[k].variables[i].name);
		free(program->kernels[k].variables);
	}
	for (uint32_t i = 0; program->symbols && i < program->symbol_count; i++)
		free((void *)(uintptr_t)program->symbols[i].name);
	free(program->kernels);
	free(program->symbols);
	free(program->relocs);
	free(program->data);
	for (uint32_t i = 0; i < program->binary_count; i++)
		free(program->binaries[i].bytes);
	free(program->binaries);
	free(program);
}
