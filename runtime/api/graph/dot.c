// SPDX-License-Identifier: MIT
/*
 * A graph as a drawing: text for dot(1).
 */
#include <errno.h>
#include <stdio.h>

#include "allocation.h"
#include "graph.h"

static const char *type_name(enum rt_node_type type)
{
	static const char *const names[] = {
		[RT_NODE_KERNEL] = "KERNEL",
		[RT_NODE_COPY] = "MEMCPY",
		[RT_NODE_FILL] = "MEMSET",
		[RT_NODE_HOST] = "HOST",
		[RT_NODE_CHILD] = "GRAPH",
		[RT_NODE_EMPTY] = "EMPTY",
		[RT_NODE_EVENT_WAIT] = "EVENT_WAIT",
		[RT_NODE_EVENT_RECORD] = "EVENT_RECORD",
		[RT_NODE_ALLOC] = "MEM_ALLOC",
		[RT_NODE_FREE] = "MEM_FREE",
	};

	return names[type];
}

static void print_kernel(FILE *file, const struct rt_node_kernel *kernel, bool all)
{
	bool known = kernel->context == rt_current && rt_function_known(kernel->function);

	fprintf(file, "\\n%s\\n<<<(%u,%u,%u),(%u,%u,%u),%zu>>>",
		known ? rt_kernel(kernel->function)->name : "(unloaded)", kernel->grid[0],
		kernel->grid[1], kernel->grid[2], kernel->block[0], kernel->block[1],
		kernel->block[2], kernel->shared);
	if (all)
		fprintf(file, "\\n%u parameters in %u bytes", kernel->count, kernel->bytes);
}

static void print_params(FILE *file, const struct rt_params *params, bool all)
{
	switch (params->type) {
	case RT_NODE_KERNEL:
		print_kernel(file, &params->kernel, all);
		break;
	case RT_NODE_COPY:
		fprintf(file, "\\n%zu x %zu x %zu bytes", params->copy.width,
			params->copy.height, params->copy.depth);
		if (all)
			fprintf(file, "\\n%p to %p", params->copy.src.base,
				params->copy.dst.base);
		break;
	case RT_NODE_FILL:
		fprintf(file, "\\n%zu x %zu of %u bytes: %#x", params->fill.width,
			params->fill.height, params->fill.element, params->fill.value);
		if (all)
			fprintf(file, "\\n%p", params->fill.dst);
		break;
	case RT_NODE_ALLOC:
		fprintf(file, "\\n%llu bytes at %#llx",
			(unsigned long long)params->memory->bytes,
			(unsigned long long)params->memory->address);
		break;
	case RT_NODE_FREE:
		fprintf(file, "\\n%p", params->pointer);
		break;
	default:
		break;
	}
}

static void print_graph(FILE *file, const struct rt_graph *graph, bool all)
{
	unsigned long long id = graph->id;
	size_t number = 0;

	fprintf(file, "subgraph cluster_%llu {\nlabel=\"graph_%llu\" graph[style=\"dashed\"];\n",
		id, id);
	rt_for_nodes(node, graph) {
		node->mark = number++;
		fprintf(file, "\"graph_%llu_node_%zu\"[shape=\"%s\" label=\"%zu\\n%s", id,
			node->mark,
			node->params.type == RT_NODE_KERNEL ? "octagon" : "rectangle", node->mark,
			type_name(node->params.type));
		print_params(file, &node->params, all);
		fprintf(file, "\"];\n");
	}
	rt_for_nodes(node, graph)
		for (size_t i = 0; i < node->to.count; i++)
			fprintf(file, "\"graph_%llu_node_%zu\" -> \"graph_%llu_node_%zu\";\n", id,
				node->mark, id, node->to.list[i]->mark);
	rt_for_nodes(node, graph)
		if (node->params.type == RT_NODE_CHILD)
			print_graph(file, node->params.child, all);
	fprintf(file, "}\n");
}

vgpuError_t rt_graph_dot(struct rt_graph *graph, const char *path, unsigned int flags)
{
	bool failed;
	FILE *file;

	if (!path || !rt_graph_known(graph))
		return vgpuErrorInvalidValue;
	file = fopen(path, "we");
	if (!file)
		return vgpuErrorOperatingSystem;
	fprintf(file, "digraph dot {\n");
	print_graph(file, graph, flags & 1);
	fprintf(file, "}\n");
	failed = ferror(file);
	return fclose(file) || failed ? vgpuErrorOperatingSystem : vgpuSuccess;
}
