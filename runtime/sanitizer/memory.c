// SPDX-License-Identifier: MIT
/*
 * Which memory the program has: allocations by address, and those that it had last.
 */
#include <stdlib.h>
#include <string.h>

#include "api/state.h"
#include "commands.h"
#include "core.h"
#include "sanitizer.h"

#define FREED	4096u

static struct san_memory *table;
static size_t count, room, last;
static struct san_memory freed[FREED];
static u64 freed_count;

/* ---- ranges of devices -------------------------------------------------- */

#define HEAPS	(RT_DEVICES + RT_BESIDE)	/* each context has one */

static struct { u64 address, bytes; } heaps[HEAPS];
static unsigned int heap_count;

void san_heap(uint64_t address, uint64_t bytes)
{
	if (!san_on)
		return;
	san_lock();
	if (heap_count < HEAPS) {
		heaps[heap_count].address = address;
		heaps[heap_count++].bytes = bytes;
	}
	san_unlock();
}

bool san_heap_has(u64 address)
{
	for (unsigned int n = 0; n < heap_count; n++)
		if (address - heaps[n].address < heaps[n].bytes)
			return true;
	return false;
}

/* ---- allocations -------------------------------------------------------- */

/* Index of the first one above @address. */
static size_t above(u64 address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (table[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct san_memory *san_memory_find(u64 address)
{
	size_t i;

	if (last < count && address - table[last].address < table[last].bytes)
		return &table[last];
	i = above(address);
	if (!i || address - table[i - 1].address >= table[i - 1].bytes)
		return NULL;
	last = i - 1;
	return &table[last];
}

void san_memory_near(u64 address, const struct san_memory **low, const struct san_memory **high)
{
	size_t i = above(address);

	*low = i ? &table[i - 1] : NULL;
	*high = i < count ? &table[i] : NULL;
}

const struct san_memory *san_memory_freed(u64 address)
{
	for (u64 n = 0; n < FREED && n < freed_count; n++) {
		const struct san_memory *memory = &freed[(freed_count - 1 - n) % FREED];

		if (address - memory->address < memory->bytes)
			return memory;
	}
	return NULL;
}

void san_memory_each(void (*fn)(u64 address, u64 bytes, enum san_memory_kind kind))
{
	for (size_t i = 0; i < count; i++)
		fn(table[i].address, table[i].bytes, table[i].kind);
}

struct san_memory *san_memory_add(u64 address, u64 bytes, enum san_memory_kind kind)
{
	size_t i = above(address);

	if (i && table[i - 1].address == address) {
		table[i - 1].bytes = bytes;
		table[i - 1].kind = kind;
		return &table[i - 1];
	}
	if (count == room) {
		size_t more = room ? room * 2 : 256;
		struct san_memory *grown = realloc(table, more * sizeof(*grown));

		if (!grown)
			return NULL;
		table = grown;
		room = more;
	}
	memmove(&table[i + 1], &table[i], (count - i) * sizeof(*table));
	table[i] = (struct san_memory){ .address = address, .bytes = bytes, .kind = kind };
	count++;
	return &table[i];
}

bool san_memory_remove(u64 address, bool remember, struct san_memory *out)
{
	size_t i = above(address);

	if (!i || table[i - 1].address != address)
		return false;
	i--;
	*out = table[i];
	if (remember)
		freed[freed_count++ % FREED] = (struct san_memory){
			.address = out->address, .bytes = out->bytes, .kind = out->kind
		};
	count--;
	memmove(&table[i], &table[i + 1], (count - i) * sizeof(*table));
	return true;
}
