// SPDX-License-Identifier: MIT
/*
 * Graphs as data: nodes and edges, and the lists that CUDA gives of them.
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

static uint64_t last_id;

/* ---- arrays of nodes ------------------------------------------------------ */

vgpuError_t rt_nodes_add(struct rt_nodes *nodes, struct rt_node *node)
{
	size_t room = nodes->room ? 2 * nodes->room : 4;
	struct rt_node **list = nodes->list;

	if (nodes->count == nodes->room) {
		list = realloc(list, room * sizeof(*list));
		if (!list)
			return vgpuErrorMemoryAllocation;
		nodes->list = list;
		nodes->room = room;
	}
	list[nodes->count++] = node;
	return vgpuSuccess;
}

bool rt_nodes_have(const struct rt_nodes *nodes, const struct rt_node *node)
{
	for (size_t i = 0; i < nodes->count; i++)
		if (nodes->list[i] == node)
			return true;
	return false;
}

void rt_nodes_remove(struct rt_nodes *nodes, const struct rt_node *node)
{
	size_t kept = 0;

	for (size_t i = 0; i < nodes->count; i++)
		if (nodes->list[i] != node)
			nodes->list[kept++] = nodes->list[i];
	nodes->count = kept;
}

/* ---- graphs --------------------------------------------------------------- */

struct rt_graph *rt_graph_new(bool hidden)
{
	struct rt_graph *graph = calloc(1, sizeof(*graph));

	if (!graph || (!hidden && !rt_handle_add(graph, RT_HANDLE_GRAPH))) {
		free(graph);
		return NULL;
	}
	graph->hidden = hidden;
	graph->id = ++last_id;
	return graph;
}

vgpuError_t rt_graph_create(struct rt_graph **out)
{
	if (!out)
		return vgpuErrorInvalidValue;
	*out = rt_graph_new(false);
	return *out ? vgpuSuccess : vgpuErrorMemoryAllocation;
}

static void node_free(struct rt_node *node)
{
	rt_handle_remove(node);
	rt_params_free(&node->params);
	free(node->from.list);
	free(node->to.list);
	free(node);
}

void rt_graph_free(struct rt_graph *graph)
{
	if (!graph)
		return;
	while (graph->first) {
		struct rt_node *node = graph->first;

		graph->first = node->next;
		node_free(node);
	}
	rt_objects_free(graph);
	rt_handle_remove(graph);
	free(graph);
}

vgpuError_t rt_graph_destroy(struct rt_graph *graph)
{
	if (!rt_graph_known(graph) || graph->parent || graph->captured_into)
		return vgpuErrorInvalidValue;
	rt_graph_free(graph);
	return vgpuSuccess;
}

/* ---- nodes ---------------------------------------------------------------- */

vgpuError_t rt_node_new(struct rt_graph *graph, struct rt_node **out)
{
	struct rt_node *node = calloc(1, sizeof(*node));

	if (!node || (!graph->hidden && !rt_handle_add(node, RT_HANDLE_NODE))) {
		free(node);
		return vgpuErrorMemoryAllocation;
	}
	node->graph = graph;
	node->params.type = RT_NODE_EMPTY;
	node->id = ++last_id;
	node->before = graph->last;
	if (graph->last)
		graph->last->next = node;
	else
		graph->first = node;
	graph->last = node;
	graph->count++;
	*out = node;
	return vgpuSuccess;
}

static void node_drop(struct rt_node *node)
{
	struct rt_graph *graph = node->graph;

	for (size_t i = 0; i < node->from.count; i++)
		rt_nodes_remove(&node->from.list[i]->to, node);
	for (size_t i = 0; i < node->to.count; i++)
		rt_nodes_remove(&node->to.list[i]->from, node);
	*(node->before ? &node->before->next : &graph->first) = node->next;
	*(node->next ? &node->next->before : &graph->last) = node->before;
	graph->count--;
	graph->cursor = NULL;
	node_free(node);
}

vgpuError_t rt_edge_add(struct rt_node *from, struct rt_node *to)
{
	vgpuError_t error = rt_nodes_add(&to->from, from);

	if (error != vgpuSuccess)
		return error;
	error = rt_nodes_add(&from->to, to);
	if (error != vgpuSuccess)
		to->from.count--;
	return error;
}

static bool are_in(const struct rt_graph *graph, struct rt_node *const *list, size_t count)
{
	if (count && !list)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!rt_node_known(list[i]) || list[i]->graph != graph)
			return false;
	return true;
}

vgpuError_t rt_node_add(struct rt_graph *graph, struct rt_node *const *after, size_t count,
			const struct rt_params *params, struct rt_node **out)
{
	vgpuError_t error;
	struct rt_node *node;

	if (!out || !rt_graph_known(graph) || !are_in(graph, after, count))
		return vgpuErrorInvalidValue;
	error = rt_node_new(graph, &node);
	if (error != vgpuSuccess)
		return error;
	for (size_t i = 0; i < count && error == vgpuSuccess; i++)
		error = rt_nodes_have(&after[i]->to, node) ? vgpuErrorInvalidValue :
							     rt_edge_add(after[i], node);
	if (error == vgpuSuccess)
		error = rt_params_copy(&node->params, params);
	if (error != vgpuSuccess) {
		node->params.type = RT_NODE_EMPTY;
		node_drop(node);
		return error;
	}
	if (params->type == RT_NODE_CHILD)
		params->child->parent = graph;
	*out = node;
	return vgpuSuccess;
}

static bool has_memory(const struct rt_node *node)
{
	return node->params.type == RT_NODE_ALLOC || node->params.type == RT_NODE_FREE;
}

vgpuError_t rt_node_destroy(struct rt_node *node)
{
	if (!rt_node_known(node))
		return vgpuErrorInvalidValue;
	if (has_memory(node))
		return vgpuErrorNotSupported;
	node_drop(node);
	return vgpuSuccess;
}

vgpuError_t rt_node_type(struct rt_node *node, int *type)
{
	if (!rt_node_known(node) || !type)
		return vgpuErrorInvalidValue;
	*type = node->params.type;
	return vgpuSuccess;
}

vgpuError_t rt_node_get(struct rt_node *node, enum rt_node_type type, struct rt_params *out)
{
	if (!rt_node_known(node) || !out || node->params.type != type)
		return vgpuErrorInvalidValue;
	*out = node->params;
	return vgpuSuccess;
}

/* ---- edges ---------------------------------------------------------------- */

static void unlink_nodes(struct rt_node *from, struct rt_node *to)
{
	rt_nodes_remove(&from->to, to);
	rt_nodes_remove(&to->from, from);
}

vgpuError_t rt_graph_link(struct rt_graph *graph, struct rt_node *const *from,
			  struct rt_node *const *to, size_t count)
{
	vgpuError_t error = vgpuSuccess;
	size_t done = 0;

	if (!rt_graph_known(graph) || !are_in(graph, from, count) || !are_in(graph, to, count))
		return vgpuErrorInvalidValue;
	for (; done < count && error == vgpuSuccess; done++)
		error = from[done] == to[done] || rt_nodes_have(&to[done]->from, from[done]) ?
				vgpuErrorInvalidValue : rt_edge_add(from[done], to[done]);
	if (error == vgpuSuccess)
		return error;
	/* the last of them was not added */
	for (done--; done; done--)
		unlink_nodes(from[done - 1], to[done - 1]);
	return error;
}

vgpuError_t rt_graph_unlink(struct rt_graph *graph, struct rt_node *const *from,
			    struct rt_node *const *to, size_t count)
{
	if (!rt_graph_known(graph) || !are_in(graph, from, count) || !are_in(graph, to, count))
		return vgpuErrorInvalidValue;
	for (size_t i = 0; i < count; i++)
		if (!rt_nodes_have(&to[i]->from, from[i]))
			return vgpuErrorInvalidValue;
	for (size_t i = 0; i < count; i++)
		unlink_nodes(from[i], to[i]);
	return vgpuSuccess;
}

/* ---- lists ---------------------------------------------------------------- */

/** struct lister - where a list goes, and how far it has come */
struct lister {
	struct rt_node **list, **other;
	size_t room, count;
};

static void list_put(struct lister *lister, struct rt_node *node, struct rt_node *other)
{
	if (lister->list && lister->count < lister->room) {
		lister->list[lister->count] = node;
		if (lister->other)
			lister->other[lister->count] = other;
	}
	lister->count++;
}

static vgpuError_t list_end(struct lister *lister, size_t *count)
{
	size_t given = lister->count < lister->room ? lister->count : lister->room;

	if (lister->list) {
		for (size_t i = given; i < lister->room; i++) {
			lister->list[i] = NULL;
			if (lister->other)
				lister->other[i] = NULL;
		}
		*count = given;
	} else {
		*count = lister->count;
	}
	return vgpuSuccess;
}

vgpuError_t rt_graph_nodes(struct rt_graph *graph, bool roots, struct rt_node **list,
			   size_t *count)
{
	struct lister lister = { list, NULL, count ? *count : 0, 0 };

	if (!rt_graph_known(graph) || !count)
		return vgpuErrorInvalidValue;
	rt_for_nodes(node, graph)
		if (!roots || !node->from.count)
			list_put(&lister, node, NULL);
	return list_end(&lister, count);
}

vgpuError_t rt_graph_edges(struct rt_graph *graph, struct rt_node **from, struct rt_node **to,
			   size_t *count)
{
	struct lister lister = { from, to, count ? *count : 0, 0 };

	if (!rt_graph_known(graph) || !count || !from != !to)
		return vgpuErrorInvalidValue;
	rt_for_nodes(node, graph)
		for (size_t i = 0; i < node->to.count; i++)
			list_put(&lister, node, node->to.list[i]);
	return list_end(&lister, count);
}

vgpuError_t rt_node_neighbours(struct rt_node *node, bool after, struct rt_node **list,
			       size_t *count)
{
	struct lister lister = { list, NULL, count ? *count : 0, 0 };
	const struct rt_nodes *nodes;

	if (!rt_node_known(node) || !count)
		return vgpuErrorInvalidValue;
	nodes = after ? &node->to : &node->from;
	for (size_t i = 0; i < nodes->count; i++)
		list_put(&lister, nodes->list[i], NULL);
	return list_end(&lister, count);
}
