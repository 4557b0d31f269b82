// SPDX-License-Identifier: MIT
/*
 * The set of states that have been visited; see visited.h.
 */
#include <stdlib.h>
#include <string.h>

#include "visited.h"

struct print {
	uint64_t a;
	uint64_t b;
};

struct visited {
	struct print *table;
	uint64_t size;
	uint64_t count;
};

struct visited *visited_create(void)
{
	struct visited *visited = calloc(1, sizeof(*visited));

	visited->size = 1u << 14;
	visited->table = calloc(visited->size, sizeof(*visited->table));
	return visited;
}

void visited_destroy(struct visited *visited)
{
	free(visited->table);
	free(visited);
}

uint64_t visited_count(const struct visited *visited)
{
	return visited->count;
}

static uint64_t rotate(uint64_t v, uint32_t by)
{
	return v << by | v >> (64 - by);
}

static struct print print_of(const void *state, size_t bytes)
{
	const uint8_t *at = state;
	struct print print = { 0x9e3779b97f4a7c15ull, 0xc2b2ae3d27d4eb4full };
	uint64_t word;

	for (size_t n = 0; n < bytes; n += 8) {
		memcpy(&word, at + n, 8);
		print.a = rotate((print.a ^ word) * 0x9fb21c651e98df25ull, 29);
		print.b = rotate(print.b + word, 31) * 0xd6e8feb86659fd93ull;
		print.b ^= print.b >> 32;
	}
	print.a ^= print.a >> 32;
	print.a |= !print.a;
	return print;
}

static bool insert(struct print *table, uint64_t size, struct print print)
{
	uint64_t at = print.b & (size - 1);

	for (; table[at].a; at = (at + 1) & (size - 1))
		if (table[at].a == print.a && table[at].b == print.b)
			return false;
	table[at] = print;
	return true;
}

static void grow(struct visited *visited)
{
	struct print *table = calloc(visited->size * 2, sizeof(*table));

	for (uint64_t n = 0; n < visited->size; n++)
		if (visited->table[n].a)
			insert(table, visited->size * 2, visited->table[n]);
	free(visited->table);
	visited->table = table;
	visited->size *= 2;
}

bool visited_add(struct visited *visited, const void *state, size_t bytes)
{
	if (visited->count * 2 > visited->size)
		grow(visited);
	if (!insert(visited->table, visited->size, print_of(state, bytes)))
		return false;
	visited->count++;
	return true;
}
