// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The priority queue of pqueue.h. Touches nothing but its own memory and the entries it is given.
 */
#include "pqueue.h"

static const struct vgpu_pq_node empty = { .key = ~0ull, .seq = ~0ull };

/*
 * In 128 bits there is nothing to branch on: which of two events is the earlier no processor can
 * predict.
 */
static inline bool before(const struct vgpu_pq_node *a, const struct vgpu_pq_node *b)
{
	return ((unsigned __int128)a->key << 64 | a->seq) <
	       ((unsigned __int128)b->key << 64 | b->seq);
}

static inline const struct vgpu_pq_node *least(const struct vgpu_pq_node *a,
						 const struct vgpu_pq_node *b)
{
	const struct vgpu_pq_node *node = before(b, a) ? b : a;

	/* It shall select an address: with all that is read from there it would branch. */
	__asm__("" : "+r"(node));
	return node;
}

/* @node is the least of all. */
static void set_first(struct vgpu_pqueue *t, const struct vgpu_pq_node *node)
{
	t->level[t->height][0] = *node;
	t->first = t->entries[node->number];
}

/* Leaf @leaf, from 1, becomes (key, seq, number): compute the nodes above it again. */
static void update_path(struct vgpu_pqueue *t, u32 leaf, u64 key, u64 seq, u64 number)
{
	struct vgpu_pq_node node = { .key = key, .seq = seq, .number = number };
	u32 height = t->height;
	u32 at = leaf - 1;
	u32 level;

	for (level = 0; level < height; level++) {
		struct vgpu_pq_node *all = t->level[level];
		const struct vgpu_pq_node other =
			*least(least(&all[at ^ 1], &all[at ^ 2]), &all[at ^ 3]);
		bool keep = before(&node, &other);

		all[at] = node;
		node.key = keep ? node.key : other.key;
		node.seq = keep ? node.seq : other.seq;
		node.number = keep ? node.number : other.number;
		at /= 4;
	}
	set_first(t, &node);
}

static void clear_path(struct vgpu_pqueue *t, u32 leaf)
{
	update_path(t, leaf, empty.key, empty.seq, empty.number);
}

/*
 * Leaf @number, which is empty, becomes @node. The nodes above it can only become less: there is no
 * need to look at what is beside them, and the levels do not depend on each other. How far @node
 * gets nobody can predict, so all of them are written. That it gets to the top is rare, and the one
 * thing to branch on.
 */
static void fill_leaf(struct vgpu_pqueue *t, u32 number, const struct vgpu_pq_node *node)
{
	u32 at = number - 1;
	u32 level;

	t->level[0][at] = *node;
	for (level = 1; level < t->height; level++) {
		struct vgpu_pq_node *above;
		u64 less;

		at /= 4;
		above = &t->level[level][at];
		less = 0 - (u64)before(node, above);
		above->key ^= (above->key ^ node->key) & less;
		above->seq ^= (above->seq ^ node->seq) & less;
		above->number ^= (above->number ^ node->number) & less;
	}
	if (!t->height || before(node, t->level[t->height]))
		set_first(t, node);
}

/* Leaf @number becomes empty. What is above it changes as far as it was the least. */
static void clear_leaf(struct vgpu_pqueue *t, u32 number)
{
	if (t->height && t->level[1][(number - 1) / 4].number != number)
		t->level[0][number - 1] = empty;
	else
		clear_path(t, number);
}

/* Leaf @number has a place in the tree from now on. */
static void include_leaf(struct vgpu_pqueue *t, u32 number)
{
	for (; ((u64)number - 1) >> 2 * t->height; t->height++)
		t->level[t->height + 1][0] = t->level[t->height][0];
}

/* Nodes in the level above one with @below; groups of four are whole. */
static u32 above(u32 below)
{
	return below > 4 ? (below / 4 + 3) / 4 * 4 : 1;
}

int vgpu_pqueue_reserve(struct vgpu_pqueue *t, u32 room)
{
	struct vgpu_pqueue grown = *t;
	u32 nodes = 0;
	u32 level, size, i;

	if (room <= t->room)
		return 0;
	/* Doubling, so that a slowly growing reservation does not copy every time. */
	if (room < t->room * 2)
		room = t->room * 2;
	room = (room + 3) / 4 * 4;
	for (size = room; size > 1; size = above(size))
		nodes += size;
	nodes++;
	grown.level[0] = vgpu_mem_alloc_device(nodes * sizeof(**grown.level) +
					(room + 1) * sizeof(*grown.entries) +
					room * sizeof(*grown.free));
	if (!grown.level[0])
		return -ENOMEM;
	for (level = 0, size = room; size > 1; size = above(size), level++)
		grown.level[level + 1] = grown.level[level] + size;
	grown.entries = (void *)(grown.level[0] + nodes);
	grown.free = (void *)(grown.entries + room + 1);
	for (i = 0; i < nodes; i++)
		grown.level[0][i] = empty;
	if (t->room) {
		for (level = 0, size = t->room; level <= t->height; size = above(size), level++)
			memcpy(grown.level[level], t->level[level], size * sizeof(**t->level));
		memcpy(grown.entries, t->entries, (t->room + 1) * sizeof(*t->entries));
	}
	/* Low numbers are taken first: they keep the tree low. */
	for (i = 0; i < room - t->room; i++)
		grown.free[i] = room - i;
	if (t->room)
		memcpy(grown.free + i, t->free, t->free_count * sizeof(*t->free));
	grown.free_count += i;
	grown.room = room;
	vgpu_mem_free_device(t->level[0]);
	*t = grown;
	return 0;
}

void vgpu_pqueue_free(struct vgpu_pqueue *t)
{
	vgpu_mem_free_device(t->level[0]);
	memset(t, 0, sizeof(*t));
}

void vgpu_pqueue_insert(struct vgpu_pqueue *t, struct vgpu_pq_entry *entry, u64 key,
			   u64 seq)
{
	u32 number;

	VGPU_CHECK((key & seq) != ~0ull);
	entry->key = key;
	entry->seq = seq;
	if (!entry->number && !t->hole) {
		/* it never comes, but it does not lie behind the array */
		if (!VGPU_CHECK(t->free_count))
			return;
		number = t->free[--t->free_count];
		entry->number = number;
		t->entries[number] = entry;
		include_leaf(t, number);
		fill_leaf(t, number, &(struct vgpu_pq_node){ key, seq, number });
		return;
	}
	if (!entry->number) {
		entry->number = t->hole;
		t->entries[t->hole] = entry;
		t->hole = 0;
	}
	number = entry->number;
	update_path(t, number, key, seq, number);
}

void vgpu_pqueue_clear(struct vgpu_pqueue *t, struct vgpu_pq_entry *entry)
{
	clear_leaf(t, entry->number);
	t->free[t->free_count++] = entry->number;
	entry->number = 0;
}

/* Nodes have the seq of @old from then on, which sorts in the same place. */
void vgpu_pqueue_replace(struct vgpu_pqueue *t, struct vgpu_pq_entry *old,
			 struct vgpu_pq_entry *entry)
{
	entry->number = old->number;
	old->number = 0;
	t->entries[entry->number] = entry;
	if (t->first == old)
		t->first = entry;
}

void vgpu_pqueue_pop(struct vgpu_pqueue *t)
{
	struct vgpu_pq_entry *first = vgpu_pqueue_first(t);

	/* The leaf stays as it is until somebody needs to know who is next. */
	t->hole = first->number;
	first->number = 0;
}

void vgpu_pqueue_refill(struct vgpu_pqueue *t)
{
	u32 number = t->hole;

	t->hole = 0;
	clear_path(t, number);
	t->free[t->free_count++] = number;
}
