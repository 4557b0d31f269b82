// SPDX-License-Identifier: MIT
/*
 * Random workloads, the same for the same seed. Tanasic 5.3.1 says that applications are chosen at
 * random, 5.3.2 that each one is favoured equally often. That no application is twice in a workload
 * is our choice: the text does not say whether one may be.
 */
#include <stdlib.h>

#include "chapter5.h"

static u64 draw(u64 *state)
{
	u64 z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static u32 below(u64 *state, u32 limit)
{
	return (u32)((draw(state) >> 32) * limit >> 32);
}

static void draw_mix(struct mix *mix, u32 size, u32 favoured_app, u64 *state)
{
	u32 apps[WL_APPS];
	u32 i;

	mix->size = size;
	mix->seed = draw(state) >> 1;
	for (i = 0; i < WL_APPS; i++)
		apps[i] = i;
	apps[favoured_app] = apps[WL_APPS - 1];
	/* the first of a shuffle of the others */
	for (i = 0; i < size - 1; i++) {
		u32 at = i + below(state, WL_APPS - 1 - i), app = apps[at];

		apps[at] = apps[i];
		apps[i] = app;
		mix->apps[i] = app;
	}
	mix->favoured = below(state, size);
	mix->apps[size - 1] = mix->apps[mix->favoured];
	mix->apps[mix->favoured] = favoured_app;
}

/*
 * Two processes: with every other application in turn, so that nine rounds are all pairs there are.
 */
static void pair(struct mix *mix, u32 favoured_app, u32 round, u64 *state)
{
	mix->size = 2;
	mix->seed = draw(state) >> 1;
	mix->favoured = below(state, 2);
	mix->apps[mix->favoured] = favoured_app;
	mix->apps[!mix->favoured] = (favoured_app + 1 + round % (WL_APPS - 1)) % WL_APPS;
}

/* Small workloads are cheap: more of them are run. */
static u32 rounds_of(u32 size, u32 rounds)
{
	switch (size) {
	case 2:
		return rounds * 5 < WL_APPS - 1 ? rounds * 5 : WL_APPS - 1;
	case 4:
		return rounds * 2;
	default:
		return rounds;
	}
}

struct mix *mixes_draw(u64 seed, u32 rounds, const u32 limit[SIZES], u32 *count)
{
	struct mix *mixes = calloc((size_t)rounds * WL_APPS * 10, sizeof(*mixes));
	u32 size, i, n = 0;

	if (!mixes)
		return NULL;
	/* the largest first: they take longest, and the workers end together */
	for (size = SIZE_MOST; size; size -= 2) {
		for (i = 0; i < rounds_of(size, rounds) * WL_APPS; i++) {
			struct mix mix = { 0 };

			if (size == 2)
				pair(&mix, i % WL_APPS, i / WL_APPS, &seed);
			else
				draw_mix(&mix, size, i % WL_APPS, &seed);
			if (i < limit[size / 2 - 1])
				mixes[n++] = mix;
		}
	}
	*count = n;
	return mixes;
}
