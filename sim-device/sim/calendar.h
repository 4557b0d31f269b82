/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The queue of events: a priority queue, and where there are many events a calendar queue in front
 * of it (R. Brown, Communications of the ACM 31(10), 1988).
 *
 * Time is divided into buckets of equal width. There are 512, which are used again and again: of a
 * bucket those entries come next that are due in this round. An entry is put into its bucket in
 * constant time and in no order. When the entries of the present bucket have come, those of the
 * next one are put in order, and come one after the other. So it is known which entries come next
 * while those before them are processed, and the processor fetches them meanwhile; from a tree it
 * learns that only when the last one has been inserted.
 *
 * Unless the calendar is empty, what falls into the present bucket, is due in more than eight
 * rounds or finds no room in its bucket goes to the tree. The first of the two is the first of all,
 * by (key, seq); nothing that comes out depends on what is where. The width follows the entries.
 */
#ifndef VGPU_CALENDAR_H
#define VGPU_CALENDAR_H

#include "pqueue.h"

#define VGPU_CALENDAR_BUCKETS	512u
#define VGPU_CALENDAR_DEPTH	32u	/* entries a bucket has room for */

/* The calendar is used from that many queued entries on, and until there are so few. */
#define VGPU_CALENDAR_MANY	128u
#define VGPU_CALENDAR_FEW	32u

/* In number of an entry: it is in the calendar; the other bits are its place. */
#define VGPU_IN_CALENDAR	(1u << 31)

/** struct vgpu_calendar_place - an entry in a bucket */
struct vgpu_calendar_place {
	u64 key;
	struct vgpu_pq_entry *entry;	/* NULL: removed */
};

struct vgpu_calendar {
	struct vgpu_pqueue tree;
	bool on;			/* the calendar is used; it is empty otherwise */
	u32 pending;			/* entries in the calendar */

	/* of the present bucket: entries in order; those from @next on are queued; then NULL */
	u32 next;
	struct vgpu_pq_entry *present[VGPU_CALENDAR_DEPTH + 1];
	u64 bucket;			/* the present one: key >> @shift */
	u32 shift;			/* a bucket is 2^shift wide */

	/* by bucket, modulo their count, and in the order of insertion; NULL: no calendar */
	struct vgpu_calendar_place *places;
	u8 used[VGPU_CALENDAR_BUCKETS];	/* places, by bucket */
	u64 occupied[VGPU_CALENDAR_BUCKETS / 64];	/* a bit for each bucket with used places */

	/*
	 * Since the width was judged: buckets that became the present one, the entries they had,
	 * entries that went to the tree, and of these those that fell into the present bucket.
	 */
	u32 begun;
	u32 begun_entries;
	u32 elsewhere;
	u32 late;
	u32 term;			/* it is judged after that many entries */
};

/* Room for @room entries in all. -ENOMEM, and then there is less, and nothing is lost. */
int vgpu_calendar_reserve(struct vgpu_calendar *c, u32 room);
void vgpu_calendar_free(struct vgpu_calendar *c);
/* Remove @entry, which is queued. */
void vgpu_calendar_clear(struct vgpu_calendar *c, struct vgpu_pq_entry *entry);
/* As vgpu_pqueue_replace(). */
void vgpu_calendar_replace(struct vgpu_calendar *c, struct vgpu_pq_entry *old,
			   struct vgpu_pq_entry *entry);
/* An entry; *@at is 0 for the first call, and goes on. NULL: that were all. */
struct vgpu_pq_entry *vgpu_calendar_each(const struct vgpu_calendar *c, u32 *at);

/* Parts of what follows: insert while the calendar is used; is it to be used? */
void vgpu_calendar_put(struct vgpu_calendar *c, struct vgpu_pq_entry *entry, u64 key, u64 seq);
void vgpu_calendar_consider(struct vgpu_calendar *c);
/* The next bucket with entries becomes the present one, which has no more. There is one. */
void vgpu_calendar_begin(struct vgpu_calendar *c);

/*
 * Insert @entry as (key, seq), not both ~0; if it is already queued, move it. Room must have been
 * reserved. Seqs grow from call to call.
 */
static inline void vgpu_calendar_insert(struct vgpu_calendar *c, struct vgpu_pq_entry *entry,
					u64 key, u64 seq)
{
	if (c->on) {
		vgpu_calendar_put(c, entry, key, seq);
		return;
	}
	vgpu_pqueue_insert(&c->tree, entry, key, seq);
	/* low numbers are taken first, as long as none has been freed */
	if (unlikely(entry->number > VGPU_CALENDAR_MANY))
		vgpu_calendar_consider(c);
}

/* The same with any seq that no other entry has; for few of many entries. */
void vgpu_calendar_insert_any(struct vgpu_calendar *c, struct vgpu_pq_entry *entry, u64 key,
			      u64 seq);

/* Number of entries. */
static inline u32 vgpu_calendar_count(const struct vgpu_calendar *c)
{
	return vgpu_pqueue_count(&c->tree) + c->pending;
}

/* The least entry; NULL: the queue is empty. */
static inline struct vgpu_pq_entry *vgpu_calendar_first(struct vgpu_calendar *c)
{
	struct vgpu_pq_entry *tree, *present;

	if (!c->pending)
		return vgpu_pqueue_first(&c->tree);
	if (unlikely(!c->present[c->next]))
		vgpu_calendar_begin(c);
	tree = vgpu_pqueue_first(&c->tree);
	present = c->present[c->next];
	if (unlikely(!present))
		return tree;
	return tree && (tree->key < present->key ||
			(tree->key == present->key && tree->seq < present->seq)) ?
		       tree :
		       present;
}

/* Remove the least, which is @first. */
static inline void vgpu_calendar_pop(struct vgpu_calendar *c, struct vgpu_pq_entry *first)
{
	if (first->number & VGPU_IN_CALENDAR) {
		first->number = 0;
		c->next++;
		c->pending--;
	} else {
		vgpu_pqueue_pop(&c->tree);
	}
}

#endif
