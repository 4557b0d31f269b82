/* SPDX-License-Identifier: MIT */
/*
 * A search through states, depth first: each is gone on from once.
 */
#ifndef TEST_TM_SEARCH_H
#define TEST_TM_SEARCH_H

#include "../device/visited.h"

/** struct search - @size: of a state; @states: those that are to be gone on from, @depth of them */
struct search {
	struct visited *visited;
	uint8_t *states;
	size_t size;
	uint64_t depth;
	uint64_t room;
};

void search_open(struct search *search, size_t size);
/* How many states there were */
uint64_t search_close(struct search *search);
/* Go on from @state, unless that was done; its first @bytes, a multiple of 8, tell it apart. */
void search_push(struct search *search, const void *state, size_t bytes);
/* The next one; false: there is none */
bool search_pop(struct search *search, void *state);

#endif
