// SPDX-License-Identifier: MIT
/*
 * Strong accesses: what has been released at an address, and who sees it. An address in global
 * memory has one entry of releases of scope GPU, and one for each block with those that only its
 * threads may see. An atomic adds to what is there: who reads it sees the writes before it, too. A
 * strong store replaces it: the version of the address tells which entries of blocks are void.
 */
#include "race_state.h"
#include <stdlib.h>

#define SHARED_BIT	(1ull << 63)

static u32 bucket_of(const struct race_vars *vars, u64 address, u32 block)
{
	u64 hash = (address ^ (u64)block << 40) * 0x9e3779b97f4a7c15ull;

	return (u32)(hash >> 32) & (vars->buckets - 1);
}

struct race_var *race_var_find(struct race_vars *vars, u64 address, u32 block)
{
	struct race_var *var;

	if (!vars->count)
		return NULL;
	var = vars->bucket[bucket_of(vars, address, block)];
	while (var && (var->address != address || var->block != block))
		var = var->next;
	return var;
}

static void grow(struct race_vars *vars)
{
	struct race_vars more = { .buckets = vars->buckets ? vars->buckets * 4 : 256 };

	more.count = vars->count;
	more.bucket = calloc(more.buckets, sizeof(*more.bucket));
	if (!more.bucket)
		abort();
	for (u32 n = 0; n < vars->buckets; n++) {
		struct race_var *var = vars->bucket[n], *next;

		for (; var; var = next) {
			u32 b = bucket_of(&more, var->address, var->block);

			next = var->next;
			var->next = more.bucket[b];
			more.bucket[b] = var;
		}
	}
	free(vars->bucket);
	*vars = more;
}

static struct race_var *find_or_make(struct race_vars *vars, u64 address, u32 block)
{
	struct race_var *var = race_var_find(vars, address, block);
	u32 b;

	if (var)
		return var;
	if (vars->count >= vars->buckets)
		grow(vars);
	var = calloc(1, sizeof(*var));
	if (!var)
		abort();
	b = bucket_of(vars, address, block);
	var->address = address;
	var->block = block;
	var->next = vars->bucket[b];
	vars->bucket[b] = var;
	vars->count++;
	return var;
}

void race_vars_clear(struct race_vars *vars)
{
	for (u32 n = 0; n < vars->buckets; n++) {
		struct race_var *var = vars->bucket[n], *next;

		for (; var; var = next) {
			next = var->next;
			race_clock_drop(var->clock);
			free(var);
		}
	}
	free(vars->bucket);
	*vars = (struct race_vars){};
}

static void see(struct race_block *block, u32 warp, u32 lane, const struct race_site *site,
		const struct race_var *common, const struct race_var *own)
{
	if (own && own->version == common->version && own->clock)
		race_state_see(block, warp, lane, RACE_BLOCK, own->clock);
	if (site->scope == RACE_GPU && common->clock)
		race_state_see(block, warp, lane, RACE_GPU, common->clock);
}

/* @released is added to what is at @var, or replaces it. */
static void put(struct race_var *var, struct race_clock *released, bool add)
{
	if (!add) {
		race_clock_drop(var->clock);
		var->clock = NULL;
	}
	race_clock_add(&var->clock, released);
	race_clock_drop(released);
}

void race_var_access(struct race_block *block, u32 warp, u32 lane, const struct race_site *site,
		     u64 address, bool shared)
{
	struct race_vars *vars = &block->launch->race->vars;
	const struct race_state *state = race_state_of(block, warp, lane);
	bool releases = site->kind != RACE_READ && state->fenced[RACE_BLOCK].clock;
	struct race_var *common, *own;
	bool add = site->kind == RACE_ATOMIC;

	if (shared)
		address |= SHARED_BIT | (u64)block->number << 20;
	common = race_var_find(vars, address, 0);
	if (!common && !releases)
		return;
	own = common ? race_var_find(vars, address, block->number) : NULL;
	if (site->kind != RACE_WRITE && common)
		see(block, warp, lane, site, common, own);
	if (site->kind == RACE_READ)
		return;
	if (releases) {
		common = find_or_make(vars, address, 0);
		own = find_or_make(vars, address, block->number);
	}
	if (!add)
		common->version++;
	if (own) {
		put(own, race_state_release(block, warp, lane, RACE_BLOCK),
		    add && own->version == common->version);
		own->version = common->version;
	}
	if (!shared && site->scope == RACE_GPU)
		put(common, race_state_release(block, warp, lane, RACE_GPU), add);
	else if (!add)
		put(common, NULL, false);
}
