// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The tournament under events and under waiting work. Touches nothing but its own memory and the
 * entrants it is given.
 */
#include "tournament.h"

static const struct vgpu_winner nobody = { .key = ~0ull, .seq = ~0ull };

/*
 * In 128 bits there is nothing to branch on: which of two events is the earlier no processor can
 * predict.
 */
static inline bool before(const struct vgpu_winner *a, const struct vgpu_winner *b)
{
	return ((unsigned __int128)a->key << 64 | a->seq) <
	       ((unsigned __int128)b->key << 64 | b->seq);
}

static inline const struct vgpu_winner *first_of(const struct vgpu_winner *a,
						 const struct vgpu_winner *b)
{
	return before(b, a) ? b : a;
}

/* Leaf @number becomes @winner. */
static void play(struct vgpu_tournament *t, u32 number, struct vgpu_winner winner)
{
	u32 at = number - 1;
	u32 level;

	for (level = 0; level < t->height; level++) {
		struct vgpu_winner *all = t->level[level];
		const struct vgpu_winner *other =
			first_of(first_of(&all[at ^ 1], &all[at ^ 2]), &all[at ^ 3]);
		u64 loses = 0 - (u64)before(other, &winner);

		all[at] = winner;
		winner.key ^= (winner.key ^ other->key) & loses;
		winner.seq ^= (winner.seq ^ other->seq) & loses;
		winner.number ^= (winner.number ^ other->number) & loses;
		at /= 4;
	}
	t->level[level][0] = winner;
}

/* Leaf @number has a place in the tree from now on. */
static void grow(struct vgpu_tournament *t, u32 number)
{
	for (; ((u64)number - 1) >> 2 * t->height; t->height++)
		t->level[t->height + 1][0] = t->level[t->height][0];
}

/* Winners in a level above one with @below; groups are whole. */
static u32 above(u32 below)
{
	return below > 4 ? (below / 4 + 3) / 4 * 4 : 1;
}

int vgpu_tournament_reserve(struct vgpu_tournament *t, u32 room)
{
	struct vgpu_tournament grown = *t;
	u32 winners = 0;
	u32 level, size, i;

	if (room <= t->room)
		return 0;
	/* Doubling, so that a slowly growing reservation does not copy every time. */
	if (room < t->room * 2)
		room = t->room * 2;
	room = (room + 3) / 4 * 4;
	for (size = room; size > 1; size = above(size))
		winners += size;
	winners++;
	grown.level[0] = vgpu_mem_alloc(winners * sizeof(**grown.level) +
					room * (sizeof(*grown.entrants) + sizeof(*grown.free)));
	if (!grown.level[0])
		return -ENOMEM;
	for (level = 0, size = room; size > 1; size = above(size), level++)
		grown.level[level + 1] = grown.level[level] + size;
	grown.entrants = (void *)(grown.level[0] + winners);
	grown.free = (void *)(grown.entrants + room);
	for (i = 0; i < winners; i++)
		grown.level[0][i] = nobody;
	if (t->room) {
		for (level = 0, size = t->room; level <= t->height; size = above(size), level++)
			memcpy(grown.level[level], t->level[level], size * sizeof(**t->level));
		memcpy(grown.entrants, t->entrants, t->room * sizeof(*t->entrants));
	}
	/* Low numbers are taken first: they keep the tree low. */
	for (i = 0; i < room - t->room; i++)
		grown.free[i] = room - i;
	if (t->room)
		memcpy(grown.free + i, t->free, t->free_count * sizeof(*t->free));
	grown.free_count += i;
	grown.room = room;
	vgpu_mem_free(t->level[0]);
	*t = grown;
	return 0;
}

void vgpu_tournament_free(struct vgpu_tournament *t)
{
	vgpu_mem_free(t->level[0]);
	memset(t, 0, sizeof(*t));
}

void vgpu_tournament_enter(struct vgpu_tournament *t, struct vgpu_entrant *entrant, u64 key,
			   u64 seq)
{
	VGPU_CHECK((key & seq) != ~0ull);
	entrant->key = key;
	entrant->seq = seq;
	if (!entrant->number) {
		entrant->number = t->hole;
		t->hole = 0;
		if (!entrant->number) {
			VGPU_CHECK(t->free_count);
			entrant->number = t->free[--t->free_count];
			grow(t, entrant->number);
		}
		t->entrants[entrant->number - 1] = entrant;
	}
	play(t, entrant->number,
	     (struct vgpu_winner){ .key = key, .seq = seq, .number = entrant->number });
}

void vgpu_tournament_leave(struct vgpu_tournament *t, struct vgpu_entrant *entrant)
{
	if (!entrant->number)
		return;
	play(t, entrant->number, nobody);
	t->free[t->free_count++] = entrant->number;
	entrant->number = 0;
}

void vgpu_tournament_pop(struct vgpu_tournament *t)
{
	struct vgpu_entrant *first = vgpu_tournament_first(t);

	/* The leaf stays as it is until somebody needs to know who is next. */
	t->hole = first->number;
	first->number = 0;
}

void vgpu_tournament_close(struct vgpu_tournament *t)
{
	u32 number = t->hole;

	t->hole = 0;
	play(t, number, nobody);
	t->free[t->free_count++] = number;
}
