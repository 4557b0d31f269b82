// SPDX-License-Identifier: MIT
/*
 * Copies of graphs, and which node of a copy is which of the original: a node knows the id of what
 * it is a copy of.
 */
#include <stdlib.h>

#include "graph.h"

bool rt_graph_has_memory(const struct rt_graph *graph)
{
	rt_for_nodes(node, graph)
		if (node->params.type == RT_NODE_ALLOC || node->params.type == RT_NODE_FREE ||
		    (node->params.type == RT_NODE_CHILD &&
		     rt_graph_has_memory(node->params.child)))
			return true;
	return false;
}

static vgpuError_t copy_node(struct rt_graph *to, const struct rt_node *node, bool hidden,
			     struct rt_node **out)
{
	vgpuError_t error = rt_node_new(to, out);
	struct rt_graph *child;

	if (error != vgpuSuccess)
		return error;
	(*out)->origin = node->id;
	(*out)->disabled = node->disabled;
	if (node->params.type != RT_NODE_CHILD) {
		error = rt_params_copy(&(*out)->params, &node->params);
		if (error != vgpuSuccess)
			(*out)->params.type = RT_NODE_EMPTY;
		return error;
	}
	error = rt_graph_copy(node->params.child, hidden, &child);
	if (error != vgpuSuccess)
		return error;
	(*out)->params = (struct rt_params){ .type = RT_NODE_CHILD, .child = child };
	child->parent = to;
	return vgpuSuccess;
}

vgpuError_t rt_graph_copy(const struct rt_graph *graph, bool hidden, struct rt_graph **out)
{
	struct rt_node **copies = calloc(graph->count + 1, sizeof(*copies));
	struct rt_graph *copy = rt_graph_new(hidden);
	vgpuError_t error = copies && copy ? vgpuSuccess : vgpuErrorMemoryAllocation;
	size_t count = 0;

	/* the order is the same, and so are the lists of edges */
	for (struct rt_node *node = graph->first; node && error == vgpuSuccess; node = node->next) {
		node->mark = count;
		error = copy_node(copy, node, hidden, &copies[count++]);
	}
	rt_for_nodes(node, graph) {
		for (size_t i = 0; i < node->from.count && error == vgpuSuccess; i++)
			error = rt_nodes_add(&copies[node->mark]->from,
					     copies[node->from.list[i]->mark]);
		for (size_t i = 0; i < node->to.count && error == vgpuSuccess; i++)
			error = rt_nodes_add(&copies[node->mark]->to,
					     copies[node->to.list[i]->mark]);
	}
	if (error == vgpuSuccess)
		error = rt_objects_copy(copy, graph);
	free(copies);
	if (error != vgpuSuccess) {
		rt_graph_free(copy);
		return error;
	}
	copy->origin = graph->id;
	*out = copy;
	return vgpuSuccess;
}

vgpuError_t rt_graph_clone(struct rt_graph *graph, struct rt_graph **out)
{
	if (!out || !rt_graph_known(graph))
		return vgpuErrorInvalidValue;
	return rt_graph_has_memory(graph) ? vgpuErrorNotSupported :
					    rt_graph_copy(graph, false, out);
}

/* Programs go through the nodes in order: the search begins behind where the last one ended. */
struct rt_node *rt_node_copy_in(struct rt_graph *clone, const struct rt_node *node)
{
	struct rt_node *start = clone->cursor ? clone->cursor : clone->first, *at = start, *found;

	if (!start)
		return NULL;
	do {
		if (at->origin == node->id) {
			clone->cursor = at->next;
			return at;
		}
		at = at->next ? at->next : clone->first;
	} while (at != start);
	rt_for_nodes(each, clone) {
		if (each->params.type != RT_NODE_CHILD)
			continue;
		found = rt_node_copy_in(each->params.child, node);
		if (found)
			return found;
	}
	return NULL;
}

vgpuError_t rt_node_find_in_clone(struct rt_node *node, struct rt_graph *clone,
				  struct rt_node **out)
{
	struct rt_node *found;

	if (!out || !rt_node_known(node) || !rt_graph_known(clone))
		return vgpuErrorInvalidValue;
	found = rt_node_copy_in(clone, node);
	if (!found)
		return vgpuErrorInvalidValue;
	*out = found;
	return vgpuSuccess;
}
