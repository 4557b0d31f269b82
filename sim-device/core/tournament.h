/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A tournament: who comes first by (key, seq) of entrants that are embedded in what they order:
 * events by time, waiting commands and kernels by the rank a policy gives them. Equal keys come in
 * the order of seq; nothing depends on an address.
 *
 * Entrants play in groups of four, the winners of four groups again in a group, and so on: a tree
 * whose leaves have fixed places. After a change only the matches from one leaf up are played
 * again. In contrast to a heap it is known beforehand which ones, so the processor fetches all of
 * them at once, and there is nothing to branch on: cost hardly grows with the number of entrants.
 */
#ifndef VGPU_TOURNAMENT_H
#define VGPU_TOURNAMENT_H

#include "../platform.h"

struct vgpu_entrant {
	u64 key;
	u64 seq;	/* order among equal keys, unique in one tournament */
	u32 number;	/* of its leaf, from 1; 0: in no tournament */
};

/**
 * struct vgpu_winner - a leaf, or who won in a group. The tree has copies: playing touches no
 * entrant, they lie far apart.
 */
struct vgpu_winner {
	u64 key;
	u64 seq;
	u64 number;	/* 0: nobody, who comes after everybody */
};

#define VGPU_TOURNAMENT_LEVELS	17u	/* 4^16 leaves, and the winner */

struct vgpu_tournament {
	/* leaves, winners of their groups, ...; one allocation */
	struct vgpu_winner *level[VGPU_TOURNAMENT_LEVELS];
	struct vgpu_entrant **entrants;	/* by number - 1 */
	u32 *free;			/* stack of free numbers */
	u32 free_count;
	u32 room;
	/* level that has the winner of all leaves that were ever used */
	u32 height;
	/* leaf of the winner, which has left; whoever enters next takes it; 0: there is none */
	u32 hole;
};

/* Room for @room entrants in all. -ENOMEM, and then nothing has changed. */
int vgpu_tournament_reserve(struct vgpu_tournament *t, u32 room);
void vgpu_tournament_free(struct vgpu_tournament *t);
/*
 * @entrant enters as (key, seq), not both ~0; if it is in already it changes to that. Room must
 * have been reserved.
 */
void vgpu_tournament_enter(struct vgpu_tournament *t, struct vgpu_entrant *entrant, u64 key,
			   u64 seq);
/* @entrant leaves; nothing happens if it is in no tournament. */
void vgpu_tournament_leave(struct vgpu_tournament *t, struct vgpu_entrant *entrant);
/*
 * The first leaves; there must be one. Cheaper than vgpu_tournament_leave() when another enters
 * soon after.
 */
void vgpu_tournament_pop(struct vgpu_tournament *t);
/* The first stays gone: find another (for vgpu_tournament_first() only). */
void vgpu_tournament_close(struct vgpu_tournament *t);

/* Who comes first; NULL: nobody is in. */
static inline struct vgpu_entrant *vgpu_tournament_first(struct vgpu_tournament *t)
{
	u64 number;

	if (t->hole)
		vgpu_tournament_close(t);
	number = t->room ? t->level[t->height]->number : 0;
	return number ? t->entrants[number - 1] : NULL;
}

/* How many are in. */
static inline u32 vgpu_tournament_count(const struct vgpu_tournament *t)
{
	return t->room - t->free_count - !!t->hole;
}

static inline bool vgpu_entrant_is_in(const struct vgpu_entrant *entrant)
{
	return entrant->number != 0;
}

#endif
