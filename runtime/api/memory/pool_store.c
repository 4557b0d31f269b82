// SPDX-License-Identifier: MIT
/*
 * Chunks and pieces of pools. See pool_store.h.
 */
#include <stdlib.h>

#include "pool_store.h"

#define BUCKETS	1024u

struct rt_chunk {
	struct rt_chunk *next;		/* of its store */
	struct rt_chunk *next_hash;
	struct rt_store *store;
	struct rt_piece *first;
	uint64_t address, bytes;
};

static struct rt_piece *pieces[BUCKETS];	/* used ones */
static struct rt_chunk *chunks[BUCKETS];

static unsigned int bucket(uint64_t address)
{
	return (unsigned int)((address / RT_POOL_UNIT) * 0x9e3779b97f4a7c15ull >> 54);
}

/* ---- lists -------------------------------------------------------------- */

static void list_used(struct rt_piece *piece)
{
	struct rt_piece **at = &pieces[bucket(piece->address)];

	piece->next_hash = *at;
	*at = piece;
}

static void unlist_used(const struct rt_piece *piece)
{
	struct rt_piece **at = &pieces[bucket(piece->address)];

	while (*at != piece)
		at = &(*at)->next_hash;
	*at = piece->next_hash;
}

static void list_free(struct rt_store *store, struct rt_piece *piece)
{
	piece->free = true;
	piece->free_before = NULL;
	piece->free_after = store->free;
	if (store->free)
		store->free->free_before = piece;
	store->free = piece;
}

static void unlist_free(struct rt_store *store, struct rt_piece *piece)
{
	if (piece->free_before)
		piece->free_before->free_after = piece->free_after;
	else
		store->free = piece->free_after;
	if (piece->free_after)
		piece->free_after->free_before = piece->free_before;
	piece->free = false;
}

static void unlist_chunk(struct rt_chunk *chunk)
{
	struct rt_chunk **at = &chunks[bucket(chunk->address)];

	while (*at != chunk)
		at = &(*at)->next_hash;
	*at = chunk->next_hash;
	at = &chunk->store->chunks;
	while (*at != chunk)
		at = &(*at)->next;
	*at = chunk->next;
}

static struct rt_piece *used_at(uint64_t address)
{
	struct rt_piece *piece = pieces[bucket(address)];

	while (piece && piece->address != address)
		piece = piece->next_hash;
	return piece;
}

static const struct rt_chunk *chunk_at(uint64_t address)
{
	const struct rt_chunk *chunk = chunks[bucket(address)];

	while (chunk && chunk->address != address)
		chunk = chunk->next_hash;
	return chunk;
}

/* ---- use ---------------------------------------------------------------- */

bool rt_use_is_over(const struct rt_use *use)
{
	return !use->queue || use->queue->epoch != use->epoch || use->seq <= use->queue->completed;
}

static bool same_queue(const struct rt_use *a, const struct rt_use *b)
{
	return a->queue == b->queue && (!a->queue || a->epoch == b->epoch);
}

/* @piece and the one behind it, both free, become one where they wait for the same. */
static bool merge(struct rt_store *store, struct rt_piece *piece)
{
	struct rt_piece *next = piece->after;

	if (!next || !piece->free || !next->free || !same_queue(&piece->use, &next->use))
		return false;
	unlist_free(store, next);
	piece->bytes += next->bytes;
	if (piece->use.seq < next->use.seq)
		piece->use.seq = next->use.seq;
	piece->after = next->after;
	if (next->after)
		next->after->before = piece;
	free(next);
	return true;
}

/* ---- pieces ------------------------------------------------------------- */

struct rt_piece *rt_store_find(struct rt_store *store, uint64_t bytes,
			       const struct rt_queue *queue, enum rt_had had)
{
	struct rt_piece *best = NULL;

	for (struct rt_piece *piece = store->free; piece; piece = piece->free_after) {
		if (piece->bytes < bytes || (best && piece->bytes >= best->bytes))
			continue;
		if (had == RT_HAD_LATER || rt_use_is_over(&piece->use) ||
		    (piece->use.queue == queue && piece->use.epoch == queue->epoch))
			best = piece;
	}
	return best;
}

struct rt_piece *rt_store_take(struct rt_store *store, struct rt_piece *piece, uint64_t bytes)
{
	if (piece->bytes > bytes) {
		struct rt_piece *rest = malloc(sizeof(*rest));

		if (!rest)
			return NULL;
		*rest = (struct rt_piece){
			.chunk = piece->chunk, .address = piece->address + bytes,
			.bytes = piece->bytes - bytes, .use = piece->use,
			.before = piece, .after = piece->after
		};
		if (rest->after)
			rest->after->before = rest;
		piece->after = rest;
		piece->bytes = bytes;
		list_free(store, rest);
	}
	unlist_free(store, piece);
	list_used(piece);
	store->live++;
	store->used += bytes;
	return piece;
}

void rt_store_free(struct rt_store *store, struct rt_piece *piece, const struct rt_use *use)
{
	unlist_used(piece);
	store->live--;
	store->used -= piece->bytes;
	piece->use = rt_use_is_over(use) ? (struct rt_use){ .queue = NULL } : *use;
	list_free(store, piece);
	merge(store, piece);
	if (piece->before)
		merge(store, piece->before);
}

void rt_store_settle(struct rt_store *store)
{
	for (struct rt_piece *piece = store->free; piece; piece = piece->free_after)
		if (rt_use_is_over(&piece->use))
			piece->use = (struct rt_use){ .queue = NULL };
	for (struct rt_chunk *chunk = store->chunks; chunk; chunk = chunk->next)
		for (struct rt_piece *piece = chunk->first; piece;)
			if (!merge(store, piece))
				piece = piece->after;
}

bool rt_store_busy(const struct rt_store *store, struct rt_use *use)
{
	for (const struct rt_piece *piece = store->free; piece; piece = piece->free_after)
		if (!rt_use_is_over(&piece->use)) {
			*use = piece->use;
			return true;
		}
	return false;
}

bool rt_store_last_use(const struct rt_store *store, struct rt_use *use)
{
	use->seq = 0;
	for (const struct rt_piece *piece = store->free; piece; piece = piece->free_after)
		if (piece->use.queue == use->queue && !rt_use_is_over(&piece->use) &&
		    piece->use.seq > use->seq)
			*use = piece->use;
	return use->seq;
}

/* ---- chunks ------------------------------------------------------------- */

struct rt_piece *rt_store_add(struct rt_store *store, uint64_t address, uint64_t bytes)
{
	struct rt_chunk *chunk = malloc(sizeof(*chunk)), **at = &chunks[bucket(address)];
	struct rt_piece *piece = malloc(sizeof(*piece));

	if (!chunk || !piece) {
		free(chunk);
		free(piece);
		return NULL;
	}
	*chunk = (struct rt_chunk){
		.next = store->chunks, .next_hash = *at, .store = store, .first = piece,
		.address = address, .bytes = bytes
	};
	*at = store->chunks = chunk;
	*piece = (struct rt_piece){ .chunk = chunk, .address = address, .bytes = bytes };
	list_free(store, piece);
	store->reserved += bytes;
	return piece;
}

static void remove_chunk(struct rt_store *store, struct rt_chunk *chunk)
{
	for (struct rt_piece *piece = chunk->first, *next; piece; piece = next) {
		next = piece->after;
		if (piece->free)
			unlist_free(store, piece);
		else
			unlist_used(piece);
		free(piece);
	}
	store->reserved -= chunk->bytes;
	unlist_chunk(chunk);
	free(chunk);
}

bool rt_store_remove_idle(struct rt_store *store, uint64_t *address)
{
	for (struct rt_chunk *chunk = store->chunks; chunk; chunk = chunk->next) {
		const struct rt_piece *piece = chunk->first;

		if (!piece->free || piece->after || !rt_use_is_over(&piece->use))
			continue;
		*address = chunk->address;
		remove_chunk(store, chunk);
		return true;
	}
	return false;
}

void rt_store_forget(struct rt_store *store)
{
	while (store->chunks)
		remove_chunk(store, store->chunks);
	*store = (struct rt_store){ .live = 0 };
}

/* ---- of any store ------------------------------------------------------- */

struct rt_store *rt_store_of(uint64_t address, struct rt_piece **piece)
{
	*piece = used_at(address);
	return *piece ? (*piece)->chunk->store : NULL;
}

bool rt_memory_find(uint64_t address, uint64_t *base, uint64_t *bytes)
{
	const struct rt_chunk *chunk;
	const struct rt_piece *piece;

	if (!rt_alloc_find(address, base, bytes))
		return false;
	chunk = chunk_at(*base);
	if (!chunk)
		return true;
	piece = used_at(address);
	for (const struct rt_piece *p = chunk->first; p && !piece; p = p->after)
		if (address - p->address < p->bytes)
			piece = p;
	if (!piece || piece->free)
		return false;
	*base = piece->address;
	*bytes = piece->bytes;
	return true;
}
