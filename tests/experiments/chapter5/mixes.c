// SPDX-License-Identifier: MIT
/*
 * Random workloads (Tanasic 5.3.1, 5.3.2), the same for the same seed.
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

struct mix *mixes_draw(u64 seed, u32 rounds, u32 limit, u32 *count)
{
	u32 each = rounds * WL_APPS, most = limit && limit < each ? limit : each;
	struct mix *mixes = calloc(most * SIZES, sizeof(*mixes));
	u32 size, i, n = 0;

	*count = most * SIZES;
	if (!mixes)
		return NULL;
	/* the largest first: they take longest, and the workers end together */
	for (size = SIZE_MOST; size; size -= 2) {
		for (i = 0; i < each; i++) {
			struct mix mix;

			draw_mix(&mix, size, i % WL_APPS, &seed);
			if (i < most)
				mixes[n++] = mix;
		}
	}
	return mixes;
}
