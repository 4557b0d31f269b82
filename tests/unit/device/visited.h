/* SPDX-License-Identifier: MIT */
/*
 * The set of states that an explorer has visited, as fingerprints of 128 bits.
 */
#ifndef TEST_VISITED_H
#define TEST_VISITED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct visited;

struct visited *visited_create(void);
void visited_destroy(struct visited *visited);
/*
 * True: the state of @bytes, a multiple of 8, at @state is new, and in the set now. States are
 * zeroed before they are filled, padding too.
 */
bool visited_add(struct visited *visited, const void *state, size_t bytes);
uint64_t visited_count(const struct visited *visited);

#endif
