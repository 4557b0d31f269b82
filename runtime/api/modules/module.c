// SPDX-License-Identifier: MIT
/*
 * Modules: PTX is compiled, its variables get device memory, the code is relocated for them and
 * loaded.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "fatbin/fatbin.h"
#include "heap/heap.h"
#include "launch/launch.h"
#include "print/print.h"
#include "sanitizer/sanitizer.h"
#include "launches.h"
#include "state.h"

void (*rt_module_goes)(const struct vgpuModule *module);

static void module_free(struct vgpuModule *module)
{
	while (module->variants) {
		struct rt_variant *variant = module->variants;

		module->variants = variant->next;
		rt_image_free(&variant->image);
		free(variant);
	}
	for (uint32_t i = 0; module->functions && i < module->image.program->kernel_count; i++)
		free(module->functions[i].said);
	free(module->functions);
	rt_image_free(&module->image);
	for (uint32_t i = 0; i < module->options.placed_count; i++)
		free((void *)(uintptr_t)module->options.placed[i].name);
	free((void *)(uintptr_t)module->options.placed);
	for (uint32_t i = 0; i < module->managed_count; i++)
		free(module->managed[i].name);
	free(module->managed);
	free(module->ptx);
	free(module);
}

/* malloc() and free() of the module get to know where the heap is. */
static vgpuError_t link_heap(struct vgpu_program *program)
{
	struct vgpu_heap heap;
	vgpuError_t error = rt_malloc_heap(&heap);

	if (error == vgpuSuccess)
		memcpy(program->data + program->heap_offset, &heap, sizeof(heap));
	return error;
}

/* The same for vprintf() and its buffer. */
static vgpuError_t link_print(struct vgpu_program *program)
{
	struct vgpu_print buffer;
	vgpuError_t error = rt_printf_buffer(&buffer);

	if (error == vgpuSuccess)
		memcpy(program->data + program->print_offset, &buffer, sizeof(buffer));
	return error;
}

/* Kernels may be compiled again when the caller's options are gone. */
static bool keep_options(struct vgpuModule *module, const struct vgpu_compile_options *options)
{
	struct vgpu_placed_symbol *placed;

	if (!options)
		return true;
	module->options = *options;
	module->options.red_zone = san_red_zone();
	module->options.placed_count = 0;
	module->options.placed = placed = calloc(options->placed_count + 1, sizeof(*placed));
	if (!placed)
		return false;
	for (uint32_t i = 0; i < options->placed_count; i++) {
		placed[i] = options->placed[i];
		placed[i].name = strdup(placed[i].name);
		if (!placed[i].name)
			return false;
		module->options.placed_count++;
	}
	return true;
}

/* ---- managed variables -------------------------------------------------- */

static vgpuError_t place_one(struct vgpuModule *module, const struct vgpu_program *program,
			     const struct vgpu_program_symbol *symbol)
{
	struct rt_managed *managed = &module->managed[module->managed_count];
	struct vgpu_placed_symbol *placed;
	vgpuError_t error;

	placed = realloc((void *)(uintptr_t)module->options.placed,
			 (module->options.placed_count + 1) * sizeof(*placed));
	if (!placed)
		return vgpuErrorMemoryAllocation;
	module->options.placed = placed;
	placed += module->options.placed_count;
	*managed = (struct rt_managed){ .name = strdup(symbol->name), .bytes = symbol->size };
	placed->name = strdup(symbol->name);
	if (managed->name && placed->name)
		error = rt_alloc(symbol->size, true, &managed->address);
	else
		error = vgpuErrorMemoryAllocation;
	if (error != vgpuSuccess) {
		free((void *)(uintptr_t)placed->name);
		free(managed->name);
		return error;
	}
	san_allocated(managed->address, symbol->size, SAN_MEMORY_VARIABLE);
	memcpy((void *)(uintptr_t)managed->address, program->data + symbol->offset, symbol->size);
	placed->address = managed->address;
	module->options.placed_count++;
	module->managed_count++;
	return vgpuSuccess;
}

/*
 * Variables of .attribute(.managed) become managed memory, with what the PTX says they contain.
 * Their addresses are known then, and the module is compiled for them.
 */
static vgpuError_t place_managed(struct vgpuModule *module, const struct vgpu_program *program)
{
	vgpuError_t error = vgpuSuccess;
	uint32_t count = 0;

	for (uint32_t i = 0; i < program->symbol_count; i++)
		count += program->symbols[i].managed != 0;
	if (!count)
		return vgpuSuccess;
	module->managed = calloc(count, sizeof(*module->managed));
	if (!module->managed)
		return vgpuErrorMemoryAllocation;
	for (uint32_t i = 0; i < program->symbol_count && error == vgpuSuccess; i++)
		if (program->symbols[i].managed)
			error = place_one(module, program, &program->symbols[i]);
	return error;
}

static void free_managed(struct vgpuModule *module)
{
	for (uint32_t i = 0; i < module->managed_count; i++)
		rt_alloc_free(module->managed[i].address);
}

/* Each variable of the data segment is memory of its own for who looks at accesses. */
static void tell_variables(const struct vgpuModule *module)
{
	const struct vgpu_program *program = module->image.program;

	if (!san_on)
		return;
	san_withdrawn(module->data);
	for (uint32_t i = 0; i < program->symbol_count; i++)
		san_allocated(module->data + program->symbols[i].offset, program->symbols[i].size,
			      SAN_MEMORY_VARIABLE);
	if (program->uses_heap)
		san_allocated(module->data + program->heap_offset, sizeof(struct vgpu_heap),
			      SAN_MEMORY_PRIVATE);
	if (program->uses_print)
		san_allocated(module->data + program->print_offset, sizeof(struct vgpu_print),
			      SAN_MEMORY_PRIVATE);
	if (program->uses_launch)
		san_allocated(module->data + program->launch_offset, sizeof(struct vgpu_launch),
			      SAN_MEMORY_PRIVATE);
}

/* The segment is to be freed, as one. */
static void forget_variables(const struct vgpuModule *module)
{
	uint64_t bytes = module->image.program->data_bytes;

	if (!san_on)
		return;
	san_forget(module->data, bytes);
	san_allocated(module->data, bytes, SAN_MEMORY_PRIVATE);
}

static vgpuError_t compile_error(int err, char *message)
{
	if (!err)
		return vgpuSuccess;
	rt_message("%s%s", message ? message : "out of memory while compiling",
		   message && strstr(message, "not supported") ?
			   " (docs/ptx.md lists what is)" : "");
	free(message);
	return err == -ENOMEM ? vgpuErrorMemoryAllocation : vgpuErrorInvalidPtx;
}

/* The module's program. What is newer than what we know could mean something else. */
static vgpuError_t compile(struct vgpuModule *module, struct vgpu_program **program)
{
	size_t length = strlen(module->ptx);
	struct vgpu_ptx_head head;
	char *message = NULL;
	vgpuError_t error;
	int err;

	if (vgpu_ptx_head(module->ptx, length, &head) && head.major > VGPU_PTX_MAJOR) {
		rt_message("PTX ISA %u.%u is newer than what this runtime knows: up to %u.x",
			   head.major, head.minor, VGPU_PTX_MAJOR);
		return vgpuErrorUnsupportedPtxVersion;
	}
	module->arch = head.arch;
	err = vgpu_cache_compile(module->ptx, length, &module->options, program, &message);
	error = compile_error(err, message);
	if (error != vgpuSuccess)
		return error;
	error = place_managed(module, *program);
	if (error != vgpuSuccess || !module->managed_count)
		return error;
	vgpu_program_free(*program);
	*program = NULL;
	message = NULL;
	err = vgpu_cache_compile(module->ptx, length, &module->options, program, &message);
	return compile_error(err, message);
}

static int unload(struct vgpuModule *module)
{
	int err = rt_image_unload(&module->image), one;

	for (struct rt_variant *variant = module->variants; variant; variant = variant->next) {
		one = rt_image_unload(&variant->image);
		err = err ? err : one;
	}
	return err;
}

/*
 * Compile, place the variables, relocate, load, fill. In that order: the code is relocated for the
 * variables' address before the device verifies it, and after that it cannot change.
 */
vgpuError_t rt_module_load(const char *ptx, const struct vgpu_compile_options *options,
			   struct vgpuModule **out)
{
	struct vgpuModule *module = calloc(1, sizeof(*module));
	struct vgpu_program *program = NULL;
	vgpuError_t error;

	if (!module)
		return vgpuErrorMemoryAllocation;
	module->ptx = strdup(ptx);
	module->options.red_zone = san_red_zone();
	error = module->ptx && keep_options(module, options) ? compile(module, &program) :
							       vgpuErrorMemoryAllocation;
	if (error != vgpuSuccess) {
		free_managed(module);
		vgpu_program_free(program);
		module_free(module);
		return error;
	}
	module->image.program = program;
	module->functions = calloc(program->kernel_count ? program->kernel_count : 1,
				   sizeof(*module->functions));
	error = module->functions ? vgpuSuccess : vgpuErrorMemoryAllocation;
	if (error == vgpuSuccess && program->uses_heap)
		error = link_heap(program);
	if (error == vgpuSuccess && program->uses_print)
		error = link_print(program);
	if (error == vgpuSuccess && program->uses_launch)
		error = rt_launches_link(module);
	if (error == vgpuSuccess && program->data_bytes) {
		error = rt_alloc(program->data_bytes, false, &module->data);
		if (error != vgpuSuccess)
			rt_message("no %llu bytes for the variables of the module: %s",
				   (unsigned long long)program->data_bytes,
				   vgpuGetErrorString(error));
	}
	if (error == vgpuSuccess) {
		vgpu_program_link(program, module->data);
		error = rt_image_load(&module->image);
		if (error == vgpuSuccess && program->data_bytes) {
			error = rt_module_write(module, 0, program->data_bytes);
			if (error == vgpuSuccess && program->uses_launch)
				error = rt_launches_tell(module);
			if (error != vgpuSuccess)
				unload(module);
		}
	}
	if (error != vgpuSuccess) {
		rt_launches_unlink(module);
		if (module->data)
			rt_alloc_free(module->data);
		free_managed(module);
		module_free(module);
		return error;
	}
	if (program->data_bytes)
		tell_variables(module);
	for (uint32_t i = 0; i < program->kernel_count; i++)
		module->functions[i] = (struct vgpuFunction){
			.module = module, .index = i, .max_dynamic_shared = rt_default_shared()
		};
	module->next = rt.modules;
	rt.modules = module;
	*out = module;
	return vgpuSuccess;
}

/*
 * Handles come from the program and may be stale: they are compared, never followed, until known.
 */
bool rt_module_known(const struct vgpuModule *handle)
{
	for (struct vgpuModule *module = rt.modules; module; module = module->next)
		if (module == handle)
			return true;
	return false;
}

bool rt_function_known(const struct vgpuFunction *function)
{
	for (struct vgpuModule *module = rt.modules; module; module = module->next)
		if (function >= module->functions &&
		    function < module->functions + module->image.program->kernel_count)
			return true;
	return false;
}

vgpuError_t rt_module_function(struct vgpuModule *module, const char *name,
			       struct vgpuFunction **out)
{
	for (uint32_t i = 0; i < module->image.program->kernel_count; i++)
		if (!strcmp(module->image.program->kernels[i].name, name)) {
			*out = &module->functions[i];
			return vgpuSuccess;
		}
	return vgpuErrorSymbolNotFound;
}

vgpuError_t rt_module_global(struct vgpuModule *module, const char *name, uint64_t *address,
			     uint64_t *bytes)
{
	const struct vgpu_program *program = module->image.program;

	for (uint32_t i = 0; i < program->symbol_count; i++)
		if (!strcmp(program->symbols[i].name, name)) {
			*address = module->data + program->symbols[i].offset;
			*bytes = program->symbols[i].size;
			return vgpuSuccess;
		}
	for (uint32_t i = 0; i < module->managed_count; i++)
		if (!strcmp(module->managed[i].name, name)) {
			*address = module->managed[i].address;
			*bytes = module->managed[i].bytes;
			return vgpuSuccess;
		}
	return vgpuErrorSymbolNotFound;
}

const struct vgpu_program_kernel *rt_kernel(const struct vgpuFunction *function)
{
	return &function->module->image.program->kernels[function->index];
}

vgpuError_t vgpuModuleLoad(vgpuModule_t *module, const char *ptx)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (!module || !ptx)
		return rt_leave(vgpuErrorInvalidValue);
	return rt_leave(rt_module_load(ptx, NULL, module));
}

vgpuError_t rt_module_unload(struct vgpuModule *module)
{
	struct vgpuModule **at = &rt.modules;
	vgpuError_t error = rt_sync_all();

	if (error != vgpuSuccess)
		return error;
	while (*at && *at != module)
		at = &(*at)->next;
	if (!*at)
		return vgpuErrorInvalidResourceHandle;
	*at = module->next;
	rt.unloads++;
	if (rt_module_goes)
		rt_module_goes(module);
	error = rt_error_of(unload(module));
	if (module->data) {
		forget_variables(module);
		rt_alloc_free(module->data);
	}
	rt_launches_unlink(module);
	free_managed(module);
	module_free(module);
	return error;
}

vgpuError_t vgpuModuleUnload(vgpuModule_t handle)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (!rt_module_known(handle))
		return rt_leave(vgpuErrorInvalidResourceHandle);
	if (handle->of_library) {
		rt_message("the module is a library's, which is to be unloaded instead");
		return rt_leave(vgpuErrorNotPermitted);
	}
	return rt_leave(rt_module_unload(handle));
}

vgpuError_t vgpuModuleGetFunction(vgpuFunction_t *function, vgpuModule_t module, const char *name)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (!function || !name)
		return rt_leave(vgpuErrorInvalidValue);
	if (!rt_module_known(module))
		return rt_leave(vgpuErrorInvalidResourceHandle);
	return rt_leave(rt_module_function(module, name, function));
}

vgpuError_t vgpuModuleGetGlobal(void **pointer, size_t *bytes, vgpuModule_t module,
				const char *name)
{
	vgpuError_t error = rt_enter();
	uint64_t address = 0, size = 0;

	if (error != vgpuSuccess)
		return error;
	if (!name)
		return rt_leave(vgpuErrorInvalidValue);
	if (!rt_module_known(module))
		return rt_leave(vgpuErrorInvalidResourceHandle);
	error = rt_module_global(module, name, &address, &size);
	if (error == vgpuSuccess && pointer)
		*pointer = (void *)(uintptr_t)address;
	if (error == vgpuSuccess && bytes)
		*bytes = size;
	return rt_leave(error);
}

void rt_modules_reset(void)
{
	while (rt.modules) {
		struct vgpuModule *module = rt.modules;

		rt.modules = module->next;
		module_free(module);
	}
}
