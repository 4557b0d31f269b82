// SPDX-License-Identifier: MIT
/*
 * Parameters of a launch as a block of bytes.
 */
#include <stdlib.h>

#include "launch.h"

/* CU_LAUNCH_PARAM_* */
#define PARAM_END	((void *)0)
#define PARAM_POINTER	((void *)1)
#define PARAM_SIZE	((void *)2)

static bool read_extra(void **extra, void **buffer, size_t *bytes)
{
	*buffer = NULL;
	*bytes = 0;
	for (; *extra != PARAM_END; extra += 2) {
		if (*extra == PARAM_POINTER)
			*buffer = extra[1];
		else if (*extra == PARAM_SIZE && extra[1])
			*bytes = *(const size_t *)extra[1];
		else
			return false;
	}
	return *buffer || !*bytes;
}

/* The block must have them all. */
vgpuError_t rt_launch_extra(const struct vgpuFunction *function, void **extra, void ***out)
{
	const struct vgpu_program_kernel *kernel = rt_kernel(function);
	void **arguments, *buffer;
	size_t bytes;

	if (!read_extra(extra, &buffer, &bytes))
		return vgpuErrorInvalidValue;
	arguments = malloc((kernel->param_count + 1) * sizeof(*arguments));
	if (!arguments)
		return vgpuErrorMemoryAllocation;
	for (uint32_t i = 0; i < kernel->param_count; i++) {
		if (kernel->params[i].offset + (size_t)kernel->params[i].size > bytes) {
			rt_message("the parameters of `%s' take %u bytes, and %zu are passed",
				   kernel->name, kernel->vass.param_bytes, bytes);
			free(arguments);
			return vgpuErrorInvalidValue;
		}
		arguments[i] = (char *)buffer + kernel->params[i].offset;
	}
	*out = arguments;
	return vgpuSuccess;
}
