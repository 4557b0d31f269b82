// SPDX-License-Identifier: MIT
/*
 * Linking: a module that calls malloc() or free() without defining it gets the runtime's
 * (heap/heap.cu), and one that calls vprintf() or __assertfail() likewise (print/print.cu). Those
 * of barriers over the grid, which code has that NVIDIA's library of the device's runtime is linked
 * to, are here. One with instructions of textures gets the functions that they become calls of
 * (texture/texture.cu). A module that does not is left as it is.
 */
#include <string.h>

#include "cc.h"
#include "heap/heap.h"
#include "heap/ptx.h"
#include "launch/launch.h"
#include "launch/ptx.h"
#include "print/print.h"
#include "print/ptx.h"
#include "texture/ptx.h"

/*
 * A cooperative launch's workspace is the handle of its grid (1: cudaCGScopeGrid; there are none of
 * several devices), and its barrier is what cuda/cooperative_groups.h has: thread 0 of each block
 * adds 1 to the second word, that of the first one what is missing to 2^31, and waits until the
 * upper bit has changed. 1: cudaErrorInvalidValue.
 */
#define SYNCHRONIZE(name)								\
	".visible .func (.param .b32 r) " name "(.param .b64 handle, .param .b32 flags) {\n"	\
	".reg .pred %p<4>; .reg .b32 %s<16>; .reg .b64 %h;\n"				\
	"ld.param.b64 %h, [handle]; setp.ne.s64 %p0, %h, 0; @%p0 bra $valid;\n"		\
	"mov.u32 %s0, 1; st.param.b32 [r], %s0; ret;\n"					\
	"$valid: barrier.sync 0;\n"							\
	"mov.u32 %s1, %tid.x; mov.u32 %s2, %tid.y; mov.u32 %s3, %tid.z;\n"		\
	"or.b32 %s1, %s1, %s2; or.b32 %s1, %s1, %s3;\n"				\
	"setp.ne.u32 %p1, %s1, 0; @%p1 bra $all;\n"					\
	"mov.u32 %s4, %ctaid.x; mov.u32 %s5, %ctaid.y; mov.u32 %s6, %ctaid.z;\n"		\
	"or.b32 %s4, %s4, %s5; or.b32 %s4, %s4, %s6; setp.eq.u32 %p2, %s4, 0;\n"		\
	"mov.u32 %s7, %nctaid.x; mov.u32 %s8, %nctaid.y; mov.u32 %s9, %nctaid.z;\n"	\
	"mul.lo.u32 %s7, %s7, %s8; mul.lo.u32 %s7, %s7, %s9;\n"				\
	"sub.u32 %s10, -2147483647, %s7; selp.b32 %s11, %s10, 1, %p2;\n"			\
	"add.s64 %h, %h, 4; atom.add.release.gpu.u32 %s12, [%h], %s11;\n"		\
	"$wait: ld.acquire.gpu.u32 %s13, [%h]; xor.b32 %s14, %s13, %s12;\n"		\
	"setp.gt.s32 %p3, %s14, -1; @%p3 bra $wait;\n"					\
	"$all: barrier.sync 0; mov.u32 %s15, 0; st.param.b32 [r], %s15; ret; }\n"

static const char grid_ptx[] =
	".version 6.3\n.target sm_70\n.address_size 64\n"
	".visible .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope) {\n"
	".reg .pred %p; .reg .b32 %s<3>; .reg .b64 %h;\n"
	"mov.u32 %s0, %envreg1; mov.u32 %s1, %envreg2; mov.b64 %h, {%s1, %s0};\n"
	"ld.param.b32 %s2, [scope]; setp.eq.u32 %p, %s2, 1; selp.b64 %h, %h, 0, %p;\n"
	"st.param.b64 [r], %h; ret; }\n"
	SYNCHRONIZE("cudaCGSynchronize") SYNCHRONIZE("cudaCGSynchronizeGrid");

#define TEXT_OF(name)	TEXT_OF_(name)
#define TEXT_OF_(name)	#name

/* What the runtime brings: a module each, with the names that others call and its variable. */
static const struct library {
	enum ptx_library number;
	uint32_t line;			/* flags of its lines */
	const char *ptx;
	const char *names[24];
	const char *variable;
} libraries[] = {
	{ PTX_LIBRARY_HEAP, VGPU_LINE_LIBRARY, vgpu_heap_ptx,
	  { "malloc", "free", "__cuda_syscall_aligned_malloc" },
	  TEXT_OF(VGPU_HEAP_VARIABLE) },
	{ PTX_LIBRARY_PRINT, VGPU_LINE_LIBRARY | VGPU_LINE_PRINT, vgpu_print_ptx,
	  { "vprintf", "__assertfail" }, TEXT_OF(VGPU_PRINT_VARIABLE) },
	{ PTX_LIBRARY_LAUNCH, VGPU_LINE_LIBRARY | VGPU_LINE_LAUNCH, vgpu_launch_ptx,
	  { "cudaGetParameterBufferV2", "cudaLaunchDeviceV2", "cudaGetLastError",
	    "cudaPeekAtLastError", "cudaGetErrorString", "cudaGetErrorName",
	    "cudaStreamCreateWithFlags", "cudaStreamDestroy", "cudaMemcpyAsync",
	    "cudaMemcpy2DAsync", "cudaMemsetAsync", "cudaMemset2DAsync", "cudaGetDevice",
	    "cudaGetDeviceCount", "cudaRuntimeGetVersion", "cudaDeviceGetAttribute",
	    "cudaDeviceGetLimit", "cudaFuncGetAttributes",
	    "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
	    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags" },
	  TEXT_OF(VGPU_LAUNCH_VARIABLE) },
	/* small, and no code of its own: in the lines of whoever declares them */
	{ PTX_LIBRARY_NONE, 0, grid_ptx,
	  { "cudaCGGetIntrinsicHandle", "cudaCGSynchronize", "cudaCGSynchronizeGrid" }, "" },
};

/*
 * Is it the function of this name? Those of the device's runtime are __cudaCDP2GetLastError and the
 * like with CUDA 12 and later, and with _ptsz at the end where the default stream is the thread's.
 */
static bool has_name(const struct ptx_func *func, const char *name)
{
	const char *rest = func->name;
	size_t length = strlen(name);

	if (!strncmp(rest, "__cudaCDP2", 10) && !strncmp(name, "cuda", 4)) {
		rest += 10;
		name += 4;
		length -= 4;
	}
	return !strncmp(rest, name, length) &&
	       (!rest[length] || (!strcmp(rest + length, "_ptsz") &&
				  (!strcmp(name + length - 2, "V2") ||
				   !strcmp(name + length - 5, "Async"))));
}

static bool is_missing(const struct ptx_func *func, const struct library *library)
{
	if (func->has_body || func->is_entry)
		return false;
	for (unsigned int i = 0; library->names[i]; i++)
		if (has_name(func, library->names[i]))
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
	for (uint32_t i = 0; !func->library && i < func->insns_count; i++)
		func->insns[i].line = prototype->line;
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
	if (!found->vars)
		return;
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
			for (struct ptx_func *own = found->funcs; own && library->number;
			     own = own->next)
				mark_library(own, library);
		}
		for (const struct ptx_func *own = found->funcs; own; own = own->next)
			if (own->has_body && has_name(func, own->name)) {
				define_func(ctx, func, own);
				break;
			}
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
