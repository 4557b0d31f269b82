// SPDX-License-Identifier: MIT
/*
 * Launches whose parts are said one by one: said.h.
 */
#include <stdlib.h>
#include <string.h>

#include "launch.h"
#include "said.h"

/* CU_LAUNCH_PARAM_..., of both APIs. */
#define LIST_END	((void *)0)
#define LIST_BUFFER	((void *)1)
#define LIST_SIZE	((void *)2)

/** struct rt_said - what was said of a function */
struct rt_said {
	unsigned int block[3];		/* all 0: nothing */
	unsigned int shared;
	size_t bytes;			/* of @params */
	char params[4096];
};

static struct rt_said *said_of(struct vgpuFunction *function)
{
	if (!function->said)
		function->said = calloc(1, sizeof(*function->said));
	return function->said;
}

vgpuError_t rt_said_block(struct vgpuFunction *function, int x, int y, int z)
{
	struct rt_said *said = said_of(function);

	if (!said)
		return vgpuErrorMemoryAllocation;
	if (x < 1 || y < 1 || z < 1)
		return vgpuErrorInvalidValue;
	said->block[0] = (unsigned int)x;
	said->block[1] = (unsigned int)y;
	said->block[2] = (unsigned int)z;
	return vgpuSuccess;
}

vgpuError_t rt_said_shared(struct vgpuFunction *function, unsigned int bytes)
{
	struct rt_said *said = said_of(function);

	if (!said)
		return vgpuErrorMemoryAllocation;
	said->shared = bytes;
	return vgpuSuccess;
}

vgpuError_t rt_said_size(struct vgpuFunction *function, unsigned int bytes)
{
	struct rt_said *said = said_of(function);

	if (!said)
		return vgpuErrorMemoryAllocation;
	if (bytes > sizeof(said->params))
		return vgpuErrorInvalidValue;
	said->bytes = bytes;
	return vgpuSuccess;
}

vgpuError_t rt_said_param(struct vgpuFunction *function, int offset, const void *value,
			  unsigned int bytes)
{
	struct rt_said *said = said_of(function);

	if (!said)
		return vgpuErrorMemoryAllocation;
	if (offset < 0 || (size_t)offset > sizeof(said->params) ||
	    bytes > sizeof(said->params) - (size_t)offset || (bytes && !value))
		return vgpuErrorInvalidValue;
	if (bytes)
		memcpy(said->params + offset, value, bytes);
	return vgpuSuccess;
}

vgpuError_t rt_said_launch(struct vgpuFunction *function, int width, int height,
			   struct vgpuStream *stream)
{
	const unsigned int grid[3] = { (unsigned int)width, (unsigned int)height, 1 };
	struct rt_said *said = said_of(function);
	void *extra[] = { LIST_BUFFER, NULL, LIST_SIZE, NULL, LIST_END };
	void **arguments = NULL;
	vgpuError_t error;

	if (!said)
		return vgpuErrorMemoryAllocation;
	if (width < 1 || height < 1 || !said->block[0])
		return vgpuErrorInvalidValue;
	extra[1] = said->params;
	extra[3] = &said->bytes;
	error = rt_launch_extra(function, extra, &arguments);
	if (error == vgpuSuccess)
		error = rt_launch(function, grid, said->block, arguments, said->shared, stream);
	free(arguments);
	return error;
}
