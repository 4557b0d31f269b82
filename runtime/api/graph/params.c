// SPDX-License-Identifier: MIT
/*
 * What nodes do, as their own: the values of a kernel's parameters, memory, child graphs.
 */
#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "graph.h"

/* A kernel's values and the pointers to them are one allocation, pointers first. */
static vgpuError_t copy_kernel(struct rt_node_kernel *to, const struct rt_node_kernel *from)
{
	const struct vgpu_program_kernel *kernel = from->values ? NULL : rt_kernel(from->function);
	uint32_t count = kernel ? kernel->param_count : from->count;
	uint32_t bytes = kernel ? kernel->vass.param_bytes : from->bytes;
	void **arguments = calloc(1, (count + 1) * sizeof(*arguments) + bytes);
	uint8_t *values = (uint8_t *)(arguments + count + 1);

	if (!arguments)
		return vgpuErrorMemoryAllocation;
	if (!kernel)
		memcpy(values, from->values, bytes);
	for (uint32_t i = 0; i < count; i++) {
		if (!kernel) {
			arguments[i] = values + ((uint8_t *)from->arguments[i] - from->values);
			continue;
		}
		arguments[i] = values + kernel->params[i].offset;
		memcpy(arguments[i], from->arguments[i], kernel->params[i].size);
	}
	*to = *from;
	to->arguments = arguments;
	to->values = values;
	to->count = count;
	to->bytes = bytes;
	return vgpuSuccess;
}

vgpuError_t rt_params_copy(struct rt_params *to, const struct rt_params *from)
{
	*to = *from;
	if (from->type == RT_NODE_KERNEL)
		return copy_kernel(&to->kernel, &from->kernel);
	if (from->type == RT_NODE_ALLOC)
		rt_graph_memory_get(from->memory);
	return vgpuSuccess;
}

void rt_params_free(struct rt_params *params)
{
	if (params->type == RT_NODE_KERNEL)
		free(params->kernel.arguments);
	if (params->type == RT_NODE_ALLOC)
		rt_graph_memory_put(params->memory);
	if (params->type == RT_NODE_CHILD)
		rt_graph_free(params->child);
	*params = (struct rt_params){ .type = RT_NODE_EMPTY };
}
