// SPDX-License-Identifier: MIT
/*
 * What pools have in each context. See pool_parts.h.
 */
#include "pool_parts.h"

struct rt_part *rt_part_next(const struct rt_by_context *parts, unsigned int *number)
{
	struct rt_part *part = NULL;

	while (*number < parts->room && !part) {
		part = rt_by_context_get(parts, (*number)++);
		if (part && !part->context)
			part = NULL;
	}
	return part;
}

uint64_t rt_parts_used(const struct rt_by_context *parts)
{
	const struct rt_part *part;
	uint64_t used = 0;

	RT_FOR_EACH_PART(part, parts)
		used += part->store.used;
	return used;
}

uint64_t rt_parts_reserved(const struct rt_by_context *parts)
{
	const struct rt_part *part;
	uint64_t reserved = 0;

	RT_FOR_EACH_PART(part, parts)
		reserved += part->store.reserved;
	return reserved;
}

struct rt_part *rt_part_here(struct rt_by_context *parts, struct rt_pool *pool)
{
	struct rt_part *part = rt_by_context_make(parts, rt_current, sizeof(*part));

	if (part && !part->context)
		*part = (struct rt_part){ .pool = pool, .context = rt_current };
	return part;
}

struct rt_part *rt_part_used(const struct rt_by_context *parts)
{
	struct rt_part *part = rt_by_context_get(parts, rt_number_of(rt_current));

	return part && part->context ? part : NULL;
}

void rt_part_forget(struct rt_part *part)
{
	rt_store_forget(&part->store);
	part->context = NULL;
}
