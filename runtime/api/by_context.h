/* SPDX-License-Identifier: MIT */
/*
 * Tables with an element for each context that has used them: what something of the process, such
 * as a library, is there. Elements stay where they are; those of a context that was closed serve
 * the next one of its number, so they keep the generation of theirs.
 */
#ifndef VGPU_RT_BY_CONTEXT_H
#define VGPU_RT_BY_CONTEXT_H

#include <stddef.h>

#include "state.h"

/** struct rt_by_context - by rt_number_of(); all 0: an empty one */
struct rt_by_context {
	void **elements;		/* NULL: not made yet */
	unsigned int room;
};

/* That of @state, of @bytes, all 0 when it is made; NULL: no memory */
void *rt_by_context_make(struct rt_by_context *table, const struct rt_state *state, size_t bytes);
void rt_by_context_free(struct rt_by_context *table);

/* That of context @number, NULL: there is none */
static inline void *rt_by_context_get(const struct rt_by_context *table, unsigned int number)
{
	return number < table->room ? table->elements[number] : NULL;
}

#endif
