// SPDX-License-Identifier: MIT
/*
 * The set of states that have been seen; see state.h.
 */
#include <stdlib.h>
#include <string.h>

#include "state.h"

struct print {
	u64 a;
	u64 b;
};

struct ex_seen {
	struct print *table;
	u64 size;
	u64 count;
};

struct ex_seen *ex_seen_create(void)
{
	struct ex_seen *seen = calloc(1, sizeof(*seen));

	seen->size = 1u << 14;
	seen->table = calloc(seen->size, sizeof(*seen->table));
	return seen;
}

void ex_seen_destroy(struct ex_seen *seen)
{
	free(seen->table);
	free(seen);
}

u64 ex_seen_count(const struct ex_seen *seen)
{
	return seen->count;
}

static u64 rotate(u64 v, u32 by)
{
	return v << by | v >> (64 - by);
}

/* States are zeroed before they are filled, padding too. */
static struct print print_of(const struct ex_state *state)
{
	size_t bytes = offsetof(struct ex_state, messages) +
		       state->count * sizeof(state->messages[0]);
	const u8 *at = (const u8 *)state;
	struct print print = { 0x9e3779b97f4a7c15ull, 0xc2b2ae3d27d4eb4full };
	u64 word;

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

static bool insert(struct print *table, u64 size, struct print print)
{
	u64 at = print.b & (size - 1);

	for (; table[at].a; at = (at + 1) & (size - 1))
		if (table[at].a == print.a && table[at].b == print.b)
			return false;
	table[at] = print;
	return true;
}

static void grow(struct ex_seen *seen)
{
	struct print *table = calloc(seen->size * 2, sizeof(*table));

	for (u64 n = 0; n < seen->size; n++)
		if (seen->table[n].a)
			insert(table, seen->size * 2, seen->table[n]);
	free(seen->table);
	seen->table = table;
	seen->size *= 2;
}

bool ex_seen_add(struct ex_seen *seen, const struct ex_state *state)
{
	if (seen->count * 2 > seen->size)
		grow(seen);
	if (!insert(seen->table, seen->size, print_of(state)))
		return false;
	seen->count++;
	return true;
}
