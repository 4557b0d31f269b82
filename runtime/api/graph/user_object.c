// SPDX-License-Identifier: MIT
/*
 * User objects: what the program's own function frees when neither the program nor a graph has a
 * reference any more.
 */
#include <limits.h>
#include <stdlib.h>

#include "graph.h"

struct rt_user_object {
	struct rt_user_object *next;	/* of those that nobody has */
	void *pointer;
	void (*destroy)(void *);
	unsigned int own;		/* references of the program */
	unsigned int all;		/* and those of graphs */
};

/** struct rt_object_use - references that a graph has */
struct rt_object_use {
	struct rt_object_use *next;
	struct rt_user_object *object;
	unsigned int count;
};

vgpuError_t rt_object_create(struct rt_user_object **out, void *pointer, void (*destroy)(void *),
			     unsigned int count, unsigned int flags)
{
	struct rt_user_object *object;

	if (!out || !destroy || !count || count > INT_MAX || flags != RT_OBJECT_NO_SYNC)
		return vgpuErrorInvalidValue;
	object = calloc(1, sizeof(*object));
	if (!object || !rt_handle_add(object, RT_HANDLE_OBJECT)) {
		free(object);
		return vgpuErrorMemoryAllocation;
	}
	*object = (struct rt_user_object){ NULL, pointer, destroy, count, count };
	*out = object;
	return vgpuSuccess;
}

static bool known(const struct rt_user_object *object, unsigned int count)
{
	return count && count <= INT_MAX && rt_handle_known(object, RT_HANDLE_OBJECT);
}

vgpuError_t rt_object_retain(struct rt_user_object *object, unsigned int count)
{
	if (!known(object, count) || count > INT_MAX - object->all)
		return vgpuErrorInvalidValue;
	object->own += count;
	object->all += count;
	return vgpuSuccess;
}

static struct rt_user_object *unused;

/* The program's function is called later, without the lock. */
static void put(struct rt_user_object *object, unsigned int count)
{
	object->all -= count;
	if (object->all)
		return;
	rt_handle_remove(object);
	object->next = unused;
	__atomic_store_n(&unused, object, __ATOMIC_RELAXED);
}

void rt_objects_settle(void)
{
	struct rt_user_object *list;

	if (!__atomic_load_n(&unused, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&rt_lock);
	list = unused;
	__atomic_store_n(&unused, NULL, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&rt_lock);
	while (list) {
		struct rt_user_object *object = list;

		list = object->next;
		object->destroy(object->pointer);
		free(object);
	}
}

vgpuError_t rt_object_release(struct rt_user_object *object, unsigned int count)
{
	if (!known(object, count) || count > object->own)
		return vgpuErrorInvalidValue;
	object->own -= count;
	put(object, count);
	return vgpuSuccess;
}

static struct rt_object_use *use_of(struct rt_graph *graph, const struct rt_user_object *object)
{
	struct rt_object_use *use = graph->objects;

	while (use && use->object != object)
		use = use->next;
	return use;
}

static vgpuError_t use_add(struct rt_graph *graph, struct rt_user_object *object,
			   unsigned int count)
{
	struct rt_object_use *use = use_of(graph, object);

	if (!use) {
		use = calloc(1, sizeof(*use));
		if (!use)
			return vgpuErrorMemoryAllocation;
		use->object = object;
		use->next = graph->objects;
		graph->objects = use;
	}
	use->count += count;
	return vgpuSuccess;
}

vgpuError_t rt_graph_retain(struct rt_graph *graph, struct rt_user_object *object,
			    unsigned int count, unsigned int flags)
{
	bool move = flags & RT_OBJECT_MOVE;
	vgpuError_t error;

	if (flags & ~RT_OBJECT_MOVE || !rt_graph_known(graph) || !known(object, count) ||
	    (move ? count > object->own : count > INT_MAX - object->all))
		return vgpuErrorInvalidValue;
	error = use_add(graph, object, count);
	if (error != vgpuSuccess)
		return error;
	if (move)
		object->own -= count;
	else
		object->all += count;
	return vgpuSuccess;
}

static void use_free(struct rt_graph *graph, struct rt_object_use *use)
{
	struct rt_object_use **at = &graph->objects;

	while (*at != use)
		at = &(*at)->next;
	*at = use->next;
	free(use);
}

vgpuError_t rt_graph_release(struct rt_graph *graph, struct rt_user_object *object,
			     unsigned int count)
{
	struct rt_object_use *use;

	if (!rt_graph_known(graph) || !known(object, count))
		return vgpuErrorInvalidValue;
	use = use_of(graph, object);
	if (!use || count > use->count)
		return vgpuErrorInvalidValue;
	use->count -= count;
	if (!use->count)
		use_free(graph, use);
	put(object, count);
	return vgpuSuccess;
}

vgpuError_t rt_objects_copy(struct rt_graph *to, const struct rt_graph *from)
{
	for (const struct rt_object_use *use = from->objects; use; use = use->next) {
		vgpuError_t error = use_add(to, use->object, use->count);

		if (error != vgpuSuccess)
			return error;
		use->object->all += use->count;
	}
	return vgpuSuccess;
}

void rt_objects_free(struct rt_graph *graph)
{
	while (graph->objects) {
		struct rt_object_use *use = graph->objects;
		struct rt_user_object *object = use->object;
		unsigned int count = use->count;

		use_free(graph, use);
		put(object, count);
	}
}
