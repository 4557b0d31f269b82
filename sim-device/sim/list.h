/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Intrusive lists: circular and doubly linked, as in Linux's list.h. A
 * node that is in no list is zero or linked to itself.
 */
#ifndef VGPU_LIST_H
#define VGPU_LIST_H

#include "../platform.h"

struct vgpu_list {
	struct vgpu_list *prev;
	struct vgpu_list *next;
};

static inline void vgpu_list_init(struct vgpu_list *list)
{
	list->prev = list;
	list->next = list;
}

static inline bool vgpu_list_empty(const struct vgpu_list *list)
{
	return list->next == list;
}

/* Is @node in a list? */
static inline bool vgpu_list_linked(const struct vgpu_list *node)
{
	return node->next && node->next != node;
}

/* Insert @node before @next; if @next is a list's head, at the end of that list. */
static inline void vgpu_list_insert(struct vgpu_list *node, struct vgpu_list *next)
{
	node->prev = next->prev;
	node->next = next;
	next->prev->next = node;
	next->prev = node;
}

static inline void vgpu_list_add(struct vgpu_list *node, struct vgpu_list *list)
{
	vgpu_list_insert(node, list->next);
}

static inline void vgpu_list_add_tail(struct vgpu_list *node, struct vgpu_list *list)
{
	vgpu_list_insert(node, list);
}

/* Remove @node from its list; a no-op if it is in none. */
static inline void vgpu_list_del(struct vgpu_list *node)
{
	if (!vgpu_list_linked(node))
		return;
	node->prev->next = node->next;
	node->next->prev = node->prev;
	vgpu_list_init(node);
}

/* Move all of @from to the front of @to. */
static inline void vgpu_list_splice(struct vgpu_list *from, struct vgpu_list *to)
{
	if (vgpu_list_empty(from))
		return;
	from->next->prev = to;
	from->prev->next = to->next;
	to->next->prev = from->prev;
	to->next = from->next;
	vgpu_list_init(from);
}

#define vgpu_list_entry(node, type, member)	vgpu_container_of(node, type, member)
/* The first of @list, NULL when it is empty. */
#define vgpu_list_first(list, type, member) \
	(vgpu_list_empty(list) ? NULL : vgpu_list_entry((list)->next, type, member))
/* The element after @at, NULL at the end of @list. */
#define vgpu_list_after(at, list, type, member) \
	((at)->member.next == (list) ? NULL : vgpu_list_entry((at)->member.next, type, member))
#define vgpu_list_for_each(at, list, type, member)                       \
	for ((at) = vgpu_list_first(list, type, member); (at);            \
	     (at) = vgpu_list_after(at, list, type, member))
/* The same; @at may leave the list, @then must not. */
#define vgpu_list_for_each_safe(at, then, list, type, member)                               \
	for ((at) = vgpu_list_first(list, type, member);                                     \
	     (at) && ((then) = vgpu_list_after(at, list, type, member), true); (at) = (then))

#endif
