/* SPDX-License-Identifier: MIT */
/* Sequences of events for racecheck, as the lines of a program, and what it says of them. */
#ifndef TESTS_UNIT_SANITIZER_RACE_RIG_H
#define TESTS_UNIT_SANITIZER_RACE_RIG_H

#include "sanitizer/race.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The sites of the rig: what an access is, by its number */
enum rig_site {
	LOAD,
	OTHER_LOAD,
	STORE,
	ATOM,			/* scope GPU */
	ATOM_BLOCK,
	CAS,			/* scope GPU */
	VLOAD,			/* volatile */
	VSTORE,
	COPY_TO,
	COPY_FROM,
	SITES
};

struct rig {
	struct race *race;
	u32 sites;
	u32 found;
	struct race_found last;
	u32 value;		/* that stores write; each one another, unless @same */
	bool same;
};

static void rig_report(void *arg, const struct race_found *found)
{
	struct rig *rig = arg;

	rig->found++;
	rig->last = *found;
}

static inline void rig_begin(struct rig *rig)
{
	static const struct race_site sites[SITES] = {
		[LOAD] = { .kind = RACE_READ },
		[OTHER_LOAD] = { .kind = RACE_READ },
		[STORE] = { .kind = RACE_WRITE },
		[ATOM] = { .kind = RACE_ATOMIC, .strong = 1, .scope = RACE_GPU },
		[ATOM_BLOCK] = { .kind = RACE_ATOMIC, .strong = 1, .scope = RACE_BLOCK },
		[CAS] = { .kind = RACE_ATOMIC, .strong = 1, .scope = RACE_GPU, .compares = 1 },
		[VLOAD] = { .kind = RACE_READ, .strong = 1, .scope = RACE_GPU, .is_volatile = 1 },
		[VSTORE] = { .kind = RACE_WRITE, .strong = 1, .scope = RACE_GPU, .is_volatile = 1 },
		[COPY_TO] = { .kind = RACE_WRITE, .command = 1 },
		[COPY_FROM] = { .kind = RACE_READ, .command = 1 },
	};

	*rig = (struct rig){};
	rig->race = race_new(rig_report, rig);
	assert_non_null(rig->race);
	rig->sites = race_sites(rig->race, sites, SITES);
}

static u32 rig_value(const struct race_access *access, u32 lane, u32 word)
{
	const struct rig *rig = access->value_arg;

	return rig->same ? 7 : rig->value + lane * 4 + word;
}

/* Lanes @lanes of warp @warp do @site at @address + lane * @stride, of 4 bytes. How many races? */
static inline u32 rig_do(struct rig *rig, struct race_block *block, u32 warp, u32 lanes,
			 enum rig_site site, enum race_space space, u64 address, u32 stride)
{
	u64 at[RACE_LANES];
	struct race_access access = {
		.site = rig->sites + site,
		.space = space,
		.lanes = lanes,
		.bytes = stride == 1 ? 1 : 4,
		.several = stride,
		.address = at,
		.value = rig_value,
		.value_arg = rig,
	};
	u32 before = rig->found;

	for (u32 l = 0; l < RACE_LANES; l++)
		at[l] = address + (u64)l * stride;
	rig->value += 1000;
	race_access(block, warp, &access);
	return rig->found - before;
}

/* One thread, at a word of global memory */
static inline u32 one(struct rig *rig, struct race_block *block, u32 thread, enum rig_site site,
		      u64 address)
{
	return rig_do(rig, block, thread / 32, 1u << thread % 32, site, RACE_GLOBAL, address, 0);
}

static inline void fence(struct race_block *block, u32 thread, enum race_scope scope)
{
	race_fence(block, thread / 32, 1u << thread % 32, true, true, scope);
}

/* All threads of warps [0, warps) come to a barrier of all. */
static inline void barrier(struct race_block *block, u32 warps)
{
	u32 set[2] = {};

	for (u32 w = 0; w < warps; w++) {
		race_barrier_arrive(block, w, RACE_ALL, true);
		set[w / 32] |= 1u << w % 32;
	}
	race_barrier_leave(block, set);
}

#endif
