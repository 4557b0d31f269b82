// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The queue of events of calendar.h.
 *
 * Two entries of one bucket with equal keys are in the order of their places: those with greater
 * seqs are put later. So the key less the begin of the bucket and the place, together in 31 bits,
 * are enough to put a bucket in order.
 */
#include "calendar.h"

#define BUCKETS		VGPU_CALENDAR_BUCKETS
#define DEPTH		VGPU_CALENDAR_DEPTH
#define DEPTH_BITS	5u
#define FIRST_SHIFT	17u		/* 0.13 us */
#define LEAST_SHIFT	1u		/* numbers of buckets do not wrap */
#define MOST_SHIFT	(31u - DEPTH_BITS)
#define ROUNDS		8u		/* entries are due in so many at most */

/*
 * Entries between two judgements of the width: few at first, and twice as many after each change,
 * so that it does not follow each phase of what is simulated. How many entries a bucket should
 * have.
 */
#define FIRST_TERM	4096u
#define MOST_TERM	(1u << 20)
#define LEAST_ENTRIES	4u
#define MOST_ENTRIES	16u

int vgpu_calendar_reserve(struct vgpu_calendar *c, u32 room)
{
	int err = vgpu_pqueue_reserve(&c->tree, room);

	if (err || c->places || room < VGPU_CALENDAR_MANY)
		return err;
	c->places = vgpu_mem_alloc_device(BUCKETS * DEPTH * sizeof(*c->places));
	if (!c->places)
		return -ENOMEM;
	c->shift = FIRST_SHIFT;
	c->term = FIRST_TERM;
	return 0;
}

void vgpu_calendar_free(struct vgpu_calendar *c)
{
	vgpu_pqueue_free(&c->tree);
	vgpu_mem_free_device(c->places);
	memset(c, 0, sizeof(*c));
}

/* ---- in ---------------------------------------------------------------------------- */

/* False: @entry is not for the calendar. */
static bool put(struct vgpu_calendar *c, struct vgpu_pq_entry *entry)
{
	u64 number = entry->key >> c->shift;
	u32 n = number % BUCKETS;
	u32 place = c->used[n];

	if (number - c->bucket - 1 >= ROUNDS * BUCKETS || place == DEPTH)
		return false;
	c->used[n] = (u8)(place + 1);
	place |= n << DEPTH_BITS;
	c->places[place] = (struct vgpu_calendar_place){ entry->key, entry };
	c->occupied[n / 64] |= 1ull << n % 64;
	c->pending++;
	entry->number = VGPU_IN_CALENDAR | place;
	return true;
}

/* The calendar is empty: the bucket behind the present one is that of @key. */
static void begin_before(struct vgpu_calendar *c, u64 key)
{
	c->bucket = (key >> c->shift) - 1;
	c->next = 0;
	c->present[0] = NULL;
}

/* No place is used. */
static void forget_places(struct vgpu_calendar *c)
{
	memset(c->used, 0, sizeof(c->used));
	memset(c->occupied, 0, sizeof(c->occupied));
	c->present[c->next] = NULL;
	c->pending = 0;
}

/* All that is queued is in the tree. */
static void empty(struct vgpu_calendar *c)
{
	struct vgpu_pq_entry *entry;
	u32 at = c->tree.room;

	while ((entry = vgpu_calendar_each(c, &at))) {
		entry->number = 0;
		vgpu_pqueue_insert(&c->tree, entry, entry->key, entry->seq);
	}
	forget_places(c);
}

/* The calendar is empty: buckets are 2^@shift wide from now on, and get what there is for them. */
static void fill(struct vgpu_calendar *c, u32 shift)
{
	struct vgpu_pq_entry *entry = vgpu_pqueue_first(&c->tree);

	c->shift = shift;
	begin_before(c, entry->key);
	do {
		vgpu_pqueue_pop(&c->tree);
		if (!put(c, entry)) {
			vgpu_pqueue_insert(&c->tree, entry, entry->key, entry->seq);
			break;
		}
	} while ((entry = vgpu_pqueue_first(&c->tree)));
}

void vgpu_calendar_consider(struct vgpu_calendar *c)
{
	if (!c->places || vgpu_pqueue_count(&c->tree) < VGPU_CALENDAR_MANY)
		return;
	c->on = true;
	fill(c, c->shift);
}

/*
 * Does the width suit what was inserted? Where few entries share a bucket but many come after its
 * begin, no width does. There is an entry.
 */
static void judge(struct vgpu_calendar *c)
{
	bool late = c->late > c->term / 2;
	u32 shift = c->shift;

	if (c->begun_entries + c->elsewhere < c->term)
		return;
	if (c->begun_entries > MOST_ENTRIES * c->begun)
		shift--;
	else if (c->begun_entries < LEAST_ENTRIES * c->begun)
		shift += !late;
	else if (late)
		shift--;
	else if (!c->begun)
		shift++;
	c->begun = c->begun_entries = c->elsewhere = c->late = 0;
	if (shift != c->shift && shift >= LEAST_SHIFT && shift <= MOST_SHIFT) {
		c->term = c->term < MOST_TERM ? 2 * c->term : MOST_TERM;
		empty(c);
		fill(c, shift);
	}
}

/* @entry was not put: it is for the tree, unless the calendar is empty. */
static void put_elsewhere(struct vgpu_calendar *c, struct vgpu_pq_entry *entry)
{
	/* the present bucket of an empty calendar is as old as its last entry */
	if (!c->pending) {
		forget_places(c);
		begin_before(c, entry->key);
		if (VGPU_CHECK(put(c, entry)))
			return;
	}
	c->elsewhere++;
	c->late += (s64)((entry->key >> c->shift) - c->bucket) <= 0;
	vgpu_pqueue_insert(&c->tree, entry, entry->key, entry->seq);
	judge(c);
}

/* ---- out --------------------------------------------------------------------------- */

/* Where @entry, which is in the calendar, is noted; @is_present: it is in c->present. */
static struct vgpu_pq_entry **place_of(struct vgpu_calendar *c, const struct vgpu_pq_entry *entry,
				       bool *is_present)
{
	struct vgpu_pq_entry **present = &c->present[c->next];

	*is_present = entry->key >> c->shift == c->bucket;
	if (!*is_present)
		return &c->places[entry->number & ~VGPU_IN_CALENDAR].entry;
	while (*present != entry)
		present++;
	return present;
}

static void take_out(struct vgpu_calendar *c, struct vgpu_pq_entry *entry)
{
	bool is_present;
	struct vgpu_pq_entry **place = place_of(c, entry, &is_present);

	if (is_present)
		for (; *place; place++)
			place[0] = place[1];
	else
		*place = NULL;
	entry->number = 0;
	c->pending--;
}

void vgpu_calendar_put(struct vgpu_calendar *c, struct vgpu_pq_entry *entry, u64 key, u64 seq)
{
	if (unlikely(entry->number)) {
		if (!(entry->number & VGPU_IN_CALENDAR)) {
			vgpu_pqueue_insert(&c->tree, entry, key, seq);
			return;
		}
		take_out(c, entry);
	}
	entry->key = key;
	entry->seq = seq;
	if (unlikely(!put(c, entry)))
		put_elsewhere(c, entry);
}

void vgpu_calendar_insert_any(struct vgpu_calendar *c, struct vgpu_pq_entry *entry, u64 key,
			      u64 seq)
{
	if (entry->number & VGPU_IN_CALENDAR)
		take_out(c, entry);
	vgpu_pqueue_insert(&c->tree, entry, key, seq);
}

void vgpu_calendar_clear(struct vgpu_calendar *c, struct vgpu_pq_entry *entry)
{
	if (entry->number & VGPU_IN_CALENDAR)
		take_out(c, entry);
	else
		vgpu_pqueue_clear(&c->tree, entry);
}

void vgpu_calendar_replace(struct vgpu_calendar *c, struct vgpu_pq_entry *old,
			   struct vgpu_pq_entry *entry)
{
	bool is_present;

	if (!(old->number & VGPU_IN_CALENDAR)) {
		vgpu_pqueue_replace(&c->tree, old, entry);
		return;
	}
	*place_of(c, old, &is_present) = entry;
	entry->number = old->number;
	old->number = 0;
}

/* ---- from one bucket to the next ---------------------------------------------------- */

/* How many buckets after the present one the next used one is; there is one. */
static u32 next_used(const struct vgpu_calendar *c)
{
	u32 from = (u32)(c->bucket + 1) % BUCKETS;
	u32 word = from / 64;
	u64 bits = c->occupied[word] & ~0ull << from % 64;

	while (!bits) {
		word = (word + 1) % VGPU_ARRAY_SIZE(c->occupied);
		bits = c->occupied[word];
	}
	return (word * 64 + (u32)__builtin_ctzll(bits) - from) % BUCKETS + 1;
}

/* The less of the two comes first. */
static inline void exchange(s32 *a, u32 i, u32 k)
{
	s32 less = a[i] < a[k] ? a[i] : a[k];

	a[k] = a[i] < a[k] ? a[k] : a[i];
	a[i] = less;
}

/* Sort eight numbers, and branch on none: a network of 19 exchanges (Knuth, volume 3, 5.3.4). */
static inline void sort_eight(s32 *a)
{
	exchange(a, 0, 2), exchange(a, 1, 3), exchange(a, 4, 6), exchange(a, 5, 7);
	exchange(a, 0, 4), exchange(a, 1, 5), exchange(a, 2, 6), exchange(a, 3, 7);
	exchange(a, 0, 1), exchange(a, 2, 3), exchange(a, 4, 5), exchange(a, 6, 7);
	exchange(a, 2, 4), exchange(a, 3, 5), exchange(a, 1, 4), exchange(a, 3, 6);
	exchange(a, 1, 2), exchange(a, 3, 4), exchange(a, 5, 6);
}

/* Merge groups of eight that are in order, @count numbers in all, and branch on lengths only. */
static void merge(s32 *a, u32 count)
{
	u32 groups = (count + 7) / 8;
	s32 merged[DEPTH];

	for (u32 i = 0; i < count; i++) {
		u32 at = i % 8;

		for (u32 g = 0; g < groups; g++)
			if (g != i / 8)
				for (u32 k = 0; k < 8; k++)
					at += a[g * 8 + k] < a[i];
		merged[at] = a[i];
	}
	memcpy(a, merged, count * sizeof(*a));
}

/* Put the entries of the present bucket in order; returns how many there are. */
static u32 put_in_order(struct vgpu_calendar *c)
{
	u32 n = c->bucket % BUCKETS;
	struct vgpu_calendar_place *places = &c->places[n * DEPTH];
	s32 order[DEPTH];
	u32 count = 0;
	u32 left = 0;			/* places of later rounds, and those before them */

	for (u32 i = 0; i < c->used[n]; i++) {
		u64 key = places[i].key;

		if (unlikely(!places[i].entry))
			continue;
		if (likely(key >> c->shift == c->bucket))
			order[count++] =
				(s32)((key & ((1ull << c->shift) - 1)) << DEPTH_BITS | i);
		else
			left = i + 1;
	}
	/* nearly always there is one group of eight */
	for (u32 i = count; i % 8; i++)
		order[i] = 0x7fffffff;
	for (u32 i = 0; i < count; i += 8)
		sort_eight(&order[i]);
	if (count > 8)
		merge(order, count);
	for (u32 i = 0; i < count; i++) {
		struct vgpu_calendar_place *place = &places[(u32)order[i] % DEPTH];

		c->present[i] = place->entry;
		place->entry = NULL;
	}
	c->present[count] = NULL;
	c->used[n] = (u8)left;
	if (!left)
		c->occupied[n / 64] &= ~(1ull << n % 64);
	return count;
}

void vgpu_calendar_begin(struct vgpu_calendar *c)
{
	do {
		u32 count;

		c->bucket += next_used(c);
		c->next = 0;
		count = put_in_order(c);
		c->begun += !!count;
		c->begun_entries += count;
		if (unlikely(vgpu_calendar_count(c) < VGPU_CALENDAR_FEW)) {
			empty(c);
			c->on = false;
			return;
		}
		judge(c);
	} while (!c->present[c->next] && c->pending);
}

struct vgpu_pq_entry *vgpu_calendar_each(const struct vgpu_calendar *c, u32 *at)
{
	u32 behind = c->tree.room;	/* numbers of the tree, the present bucket, all places */

	while (*at < behind) {
		const struct vgpu_pq_entry *entry = vgpu_pqueue_at(&c->tree, ++*at);

		if (entry)
			return (struct vgpu_pq_entry *)entry;
	}
	if (!c->pending)
		return NULL;
	while (*at < behind + DEPTH) {
		u32 place = (*at)++ - behind;

		if (place >= c->next && c->present[place])
			return c->present[place];
		if (!c->present[place])
			*at = behind + DEPTH;
	}
	behind += DEPTH;
	while (*at < behind + BUCKETS * DEPTH) {
		u32 place = (*at)++ - behind;

		if (place % DEPTH >= c->used[place / DEPTH])
			*at += DEPTH - place % DEPTH - 1;
		else if (c->places[place].entry)
			return c->places[place].entry;
	}
	return NULL;
}
