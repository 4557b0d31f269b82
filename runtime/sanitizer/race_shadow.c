// SPDX-License-Identifier: MIT
/* The cells of racecheck: race_shadow.h. */
#include "race_shadow.h"
#include <stdlib.h>
#include <string.h>

#define TOP_SHIFT	30
#define TOP		(1u << (47 - TOP_SHIFT))
#define BELOW		(1u << (TOP_SHIFT - RACE_CHUNK_SHIFT))

static void *must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static struct race_chunk *chunk_new(struct race_table *table)
{
	struct race_chunk *chunk = must(calloc(1, sizeof(*chunk)));

	chunk->shift = 2;
	table->bytes += sizeof(*chunk);
	return chunk;
}

struct race_chunk *race_chunk_of(struct race_table *table, u64 address, bool make)
{
	u64 top = address >> TOP_SHIFT;
	struct race_chunk **chunk;

	if (top >= TOP)
		return NULL;
	if (!table->top) {
		if (!make)
			return NULL;
		table->top = must(calloc(TOP, sizeof(*table->top)));
	}
	if (!table->top[top]) {
		if (!make)
			return NULL;
		table->top[top] = must(calloc(BELOW, sizeof(**table->top)));
	}
	chunk = &table->top[top][address >> RACE_CHUNK_SHIFT & (BELOW - 1)];
	if (!*chunk && make)
		*chunk = chunk_new(table);
	return *chunk;
}

struct race_chunk *race_chunk_shared(struct race_table *table, struct race_chunk **chunk)
{
	if (*chunk)
		return *chunk;
	*chunk = table->spare;
	if (*chunk)
		table->spare = (*chunk)->next;
	else
		*chunk = chunk_new(table);
	return *chunk;
}

void race_chunk_put(struct race_table *table, struct race_chunk *chunk)
{
	chunk->next = table->spare;
	table->spare = chunk;
}

static u64 cell_bytes(const struct race_chunk *chunk)
{
	return (u64)race_chunk_count(chunk) * sizeof(struct race_cell);
}

static void drop_cells(struct race_table *table, struct race_chunk *chunk)
{
	if (!chunk->cell)
		return;
	table->bytes -= cell_bytes(chunk);
	free(chunk->cell);
	chunk->cell = NULL;
	chunk->shift = 2;
}

void race_chunk_cells(struct race_table *table, struct race_chunk *chunk, u32 shift)
{
	struct race_cell *cell;
	u32 count = RACE_CHUNK_BYTES >> shift, more = chunk->shift - shift;

	if (chunk->cell && chunk->shift <= shift)
		return;
	cell = must(malloc(count * sizeof(*cell)));
	for (u32 n = 0; n < count; n++) {
		cell[n] = chunk->cell ? chunk->cell[n >> more] : chunk->all;
		if (chunk->cell && cell[n].write.block)
			cell[n].write.lanes = cell[n].write.lanes >> (n & 3) * 8 & 0xff;
	}
	drop_cells(table, chunk);
	chunk->cell = cell;
	chunk->shift = shift;
	table->bytes += cell_bytes(chunk);
}

void race_chunk_fill(struct race_table *table, struct race_chunk *chunk,
		     const struct race_cell *all)
{
	drop_cells(table, chunk);
	chunk->all = *all;
}

static void drop_spare(struct race_table *table)
{
	while (table->spare) {
		struct race_chunk *chunk = table->spare;

		table->spare = chunk->next;
		drop_cells(table, chunk);
		table->bytes -= sizeof(*chunk);
		free(chunk);
	}
}

void race_table_clear(struct race_table *table)
{
	drop_spare(table);
	for (u32 t = 0; table->top && t < TOP; t++) {
		struct race_chunk **below = table->top[t];

		for (u32 n = 0; below && n < BELOW; n++) {
			if (!below[n])
				continue;
			drop_cells(table, below[n]);
			table->bytes -= sizeof(*below[n]);
			free(below[n]);
		}
		free(below);
	}
	free(table->top);
	table->top = NULL;
}
