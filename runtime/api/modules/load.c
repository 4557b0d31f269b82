// SPDX-License-Identifier: MIT
/*
 * Loads images. A kernel that is launched with blocks for which it has too many registers is
 * compiled again for what an SM has for so many threads, and kept beside the first: NVIDIA's
 * assembler leaves most kernels fewer registers, so that programs count on such launches.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "launches.h"
#include "state.h"

vgpuError_t rt_image_load(struct rt_image *image)
{
	const struct vgpu_program *program = image->program;
	vgpuError_t error = vgpuSuccess;
	char text[512] = "";
	int err;

	rt_launches_patch(program);
	image->ids = calloc(program->binary_count, sizeof(*image->ids));
	if (!image->ids)
		return vgpuErrorMemoryAllocation;
	for (image->count = 0; image->count < program->binary_count; image->count++) {
		const struct vgpu_program_binary *binary = &program->binaries[image->count];

		err = rt.ops->module_load(rt.transport, binary->bytes, binary->size, text,
					  sizeof(text), &image->ids[image->count]);
		if (err == -EINVAL) {
			rt_message("the device rejects the module: %s", text);
			error = vgpuErrorInvalidKernelImage;
		} else if (err) {
			/* ENOSPC: as many modules as a context may have */
			error = err == -ENOSPC ? vgpuErrorMemoryAllocation : rt_error_of(err);
			rt_message("the device does not load the module: %s",
				   vgpuGetErrorString(error));
		}
		if (error != vgpuSuccess)
			break;
	}
	if (error != vgpuSuccess)
		rt_image_unload(image);
	return error;
}

int rt_image_unload(struct rt_image *image)
{
	int err = 0, one;

	while (image->count) {
		one = rt.ops->module_unload(rt.transport, image->ids[--image->count]);
		err = err ? err : one;
	}
	return err;
}

/* ---- kernels again, with fewer registers or another stack --------------- */

/* Most registers of a thread in blocks of @threads, which are not 0. */
static uint32_t registers_for(unsigned int threads)
{
	return rt.info.regs_per_sm / ((threads + 31) / 32 * 32);
}

static struct rt_variant *compile_again(const struct vgpuFunction *function, uint32_t regs,
					uint32_t stack)
{
	struct vgpuModule *module = function->module;
	struct vgpu_compile_options options = module->options;
	struct rt_variant *variant = calloc(1, sizeof(*variant));
	char *message = NULL;

	if (!variant)
		return NULL;
	options.only = module->image.program->kernels[function->index].name;
	if (regs)
		options.max_regs = regs < VGPU_VASS_MAX_REGS ? regs : VGPU_VASS_MAX_REGS;
	if (stack)
		options.stack_bytes = stack;
	variant->of = function->index;
	variant->regs = regs;
	variant->stack = stack;
	/* One that cannot have so few is known, too, so that it is tried once. */
	if (vgpu_cache_compile(module->ptx, strlen(module->ptx), &options, &variant->image.program,
			     &message))
		rt_message("%s", message ? message : "out of memory while compiling");
	free(message);
	if (variant->image.program) {
		vgpu_program_link(variant->image.program, module->data);
		if (rt_image_load(&variant->image) != vgpuSuccess) {
			rt_image_free(&variant->image);
			variant->image = (struct rt_image){ 0 };
		}
	}
	variant->next = module->variants;
	module->variants = variant;
	return variant;
}

const struct rt_image *rt_image_for(const struct vgpuFunction *function, unsigned int threads,
				    uint32_t *kernel)
{
	const struct vgpuModule *module = function->module;
	const struct vgpu_program_kernel *own = &module->image.program->kernels[function->index];
	uint32_t regs = registers_for(threads), stack = rt.stack_limit;
	struct rt_variant *variant;

	*kernel = function->index;
	if (!own->stack_bytes || stack == VGPU_STACK_BYTES)
		stack = 0;
	if (own->vass.regs <= regs && !stack)
		return &module->image;
	if (own->vass.regs <= regs)
		regs = 0;
	for (variant = module->variants; variant; variant = variant->next)
		if (variant->of == function->index && variant->regs == regs &&
		    variant->stack == stack)
			break;
	if (!variant && (!regs || regs >= RT_LEAST_REGS))
		variant = compile_again(function, regs, stack);
	*kernel = 0;
	return variant && variant->image.program ? &variant->image : NULL;
}

vgpuError_t vgpuDeviceSetStackSize(size_t bytes)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (bytes > VGPU_VASS_MAX_LOCAL) {
		rt_message("a stack of %zu bytes for each thread: at most %u are possible", bytes,
			   VGPU_VASS_MAX_LOCAL);
		return rt_leave(vgpuErrorInvalidValue);
	}
	rt.stack_limit = bytes > 16 ? (uint32_t)bytes : 16;
	if (rt.by_kernels.base) {
		error = rt_sync_all();
		if (error == vgpuSuccess)
			error = rt_launches_tell_all();
	}
	return rt_leave(error);
}

static uint64_t stack_limit(void)
{
	return rt.stack_limit ? rt.stack_limit : VGPU_STACK_BYTES;
}

vgpuError_t vgpuDeviceGetStackSize(size_t *bytes)
{
	return rt_give_limit(stack_limit, bytes);
}
