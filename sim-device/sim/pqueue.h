/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A priority queue of entries that are embedded in what they order: events by time, waiting
 * commands and kernels by the rank a policy gives them. The first is the least (key, seq); equal
 * keys come in the order of seq, and nothing depends on an address.
 *
 * The queue is a complete tree: an entry has a leaf of its own, every node above holds the least of
 * its four children. After a change only the nodes from one leaf up to the root are computed again.
 * In contrast to a binary heap it is known beforehand which ones, so the processor fetches all of
 * them at once, and there is nothing to branch on: cost hardly grows with the number of entries.
 */
#ifndef VGPU_PQUEUE_H
#define VGPU_PQUEUE_H

#include "../platform.h"

/** struct vgpu_pq_entry - what is queued; zero before first use */
struct vgpu_pq_entry {
	u64 key;
	u64 seq;	/* order among equal keys, unique in one queue */
	u32 number;	/* of its leaf, from 1; 0: in no queue */
	u32 tag;	/* of who owns it; the queue does not look at it */
};

/**
 * struct vgpu_pq_node - a leaf, or the least of four nodes below. The tree has copies: searching it
 * touches no entry, they lie far apart.
 */
struct vgpu_pq_node {
	u64 key;
	u64 seq;	/* of the entry, or of an entry that it replaced */
	u64 number;	/* leaf it comes from; 0: empty, which sorts last */
};

#define VGPU_PQUEUE_LEVELS	17u	/* 4^16 leaves, and the root */

struct vgpu_pqueue {
	/* leaves, their parents, ..., the root; one allocation */
	struct vgpu_pq_node *level[VGPU_PQUEUE_LEVELS];
	struct vgpu_pq_entry **entries;	/* by number; NULL for 0 */
	struct vgpu_pq_entry *first;	/* the least, unless there is a hole; NULL: none */
	u32 *free;			/* stack of free numbers */
	u32 free_count;
	u32 room;
	/* level of the node above all leaves that were ever used */
	u32 height;
	/* leaf of the entry that was popped; the next one inserted reuses it; 0: there is none */
	u32 hole;
};

/* Room for @room entries in all. -ENOMEM, and then nothing has changed. */
int vgpu_pqueue_reserve(struct vgpu_pqueue *t, u32 room);
void vgpu_pqueue_free(struct vgpu_pqueue *t);
/*
 * Insert @entry as (key, seq), not both ~0; if it is already queued, move it. Room must have
 * been reserved.
 */
void vgpu_pqueue_insert(struct vgpu_pqueue *t, struct vgpu_pq_entry *entry, u64 key, u64 seq);
/* Remove @entry, which is queued. */
void vgpu_pqueue_clear(struct vgpu_pqueue *t, struct vgpu_pq_entry *entry);
/*
 * Remove the first; there must be one. Cheaper than vgpu_pqueue_remove() when another is inserted
 * soon after.
 */
void vgpu_pqueue_pop(struct vgpu_pqueue *t);
/*
 * @old, which is queued, leaves, and @entry, which is in no queue, takes its place, in constant
 * time. @entry has its key and seq already: the key is the same, and no other entry has that key
 * and a seq between the two.
 */
void vgpu_pqueue_replace(struct vgpu_pqueue *t, struct vgpu_pq_entry *old,
			 struct vgpu_pq_entry *entry);
/* The popped leaf stays empty: compute its path again (for vgpu_pqueue_first() only). */
void vgpu_pqueue_refill(struct vgpu_pqueue *t);

/* The least entry; NULL: the queue is empty. */
static inline struct vgpu_pq_entry *vgpu_pqueue_first(struct vgpu_pqueue *t)
{
	if (t->hole)
		vgpu_pqueue_refill(t);
	return t->first;
}

/* The entry whose leaf is @number, from 1 to @t->room; NULL: that is empty. */
static inline const struct vgpu_pq_entry *vgpu_pqueue_at(const struct vgpu_pqueue *t, u32 number)
{
	return t->level[0][number - 1].number && number != t->hole ? t->entries[number] : NULL;
}

/* Number of entries. */
static inline u32 vgpu_pqueue_count(const struct vgpu_pqueue *t)
{
	return t->room - t->free_count - !!t->hole;
}

static inline bool vgpu_pq_queued(const struct vgpu_pq_entry *entry)
{
	return entry->number != 0;
}

/* Remove @entry; a no-op if it is not queued. */
static inline void vgpu_pqueue_remove(struct vgpu_pqueue *t, struct vgpu_pq_entry *entry)
{
	if (vgpu_pq_queued(entry))
		vgpu_pqueue_clear(t, entry);
}

#endif
