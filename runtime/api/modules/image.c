// SPDX-License-Identifier: MIT
/*
 * Images: programs as the device has them. A module has one, of one binary or more, and one more
 * for each kernel that was compiled again for large blocks (load.c).
 */
#include <stdlib.h>

#include "state.h"

void rt_image_free(struct rt_image *image)
{
	vgpu_program_free(image->program);
	free(image->ids);
}

const struct vgpu_program_kernel *rt_image_kernel(const struct rt_image *image, uint32_t kernel,
						  uint32_t *id, uint32_t *number)
{
	const struct vgpu_program *program = image->program;
	const struct vgpu_program_binary *binary = vgpu_program_binary_of(program, kernel);

	*id = image->ids[binary - program->binaries];
	*number = kernel - binary->first_kernel;
	return &program->kernels[kernel];
}

static bool image_has(const struct rt_image *image, uint32_t id, uint32_t number, uint32_t *kernel)
{
	for (uint32_t i = 0; i < image->count; i++) {
		const struct vgpu_program_binary *binary = &image->program->binaries[i];

		if (image->ids[i] != id || number >= binary->kernel_count)
			continue;
		*kernel = binary->first_kernel + number;
		return true;
	}
	return false;
}

const struct rt_image *rt_image_find(uint32_t id, uint32_t number, struct vgpuModule **module,
				     uint32_t *kernel)
{
	for (*module = rt.modules; *module; *module = (*module)->next) {
		if (image_has(&(*module)->image, id, number, kernel))
			return &(*module)->image;
		for (struct rt_variant *variant = (*module)->variants; variant;
		     variant = variant->next)
			if (image_has(&variant->image, id, number, kernel))
				return &variant->image;
	}
	return NULL;
}
