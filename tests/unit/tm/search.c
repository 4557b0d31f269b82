// SPDX-License-Identifier: MIT
/*
 * A search through states; see search.h.
 */
#include <stdlib.h>
#include <string.h>

#include "search.h"

void search_open(struct search *search, size_t size)
{
	memset(search, 0, sizeof(*search));
	search->size = size;
	search->visited = visited_create();
}

uint64_t search_close(struct search *search)
{
	uint64_t count = visited_count(search->visited);

	visited_destroy(search->visited);
	free(search->states);
	return count;
}

void search_push(struct search *search, const void *state, size_t bytes)
{
	if (!visited_add(search->visited, state, bytes))
		return;
	if (search->depth == search->room) {
		search->room = search->room ? search->room * 2 : 256;
		search->states = realloc(search->states, search->room * search->size);
	}
	memcpy(search->states + search->depth++ * search->size, state, search->size);
}

bool search_pop(struct search *search, void *state)
{
	if (!search->depth)
		return false;
	memcpy(state, search->states + --search->depth * search->size, search->size);
	return true;
}
