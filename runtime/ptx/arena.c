// SPDX-License-Identifier: MIT
/*
 * Memory and errors of one compilation. Chunks double in size, none is given back before the end,
 * so that an error can leave from anywhere.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "arena.h"

#define CHUNK_FIRST	(64u << 10)
#define CHUNK_LARGEST	(512u << 10)
#define ARENA_LIMIT	((size_t)4 << 30)	/* a compilation that wants more is refused */

struct ptx_chunk {
	struct ptx_chunk *next;
	size_t bytes;
	size_t used;			/* of a spare one: all behind is zero */
};

_Noreturn void ptx_out_of_memory(struct ptx_ctx *ctx)
{
	ctx->error = -ENOMEM;
	longjmp(ctx->out, 1);
}

_Noreturn void ptx_fail(struct ptx_ctx *ctx, uint32_t line, const char *format, ...)
{
	char text[512];
	int at = line ? snprintf(text, sizeof(text), "ptx line %u: ", line) :
			snprintf(text, sizeof(text), "ptx: ");
	va_list args;

	va_start(args, format);
	vsnprintf(text + at, sizeof(text) - at, format, args);
	va_end(args);
	/* names come from the input: keep the message one printable line */
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
			*c = '?';
	ctx->error = -EINVAL;
	ctx->message = strdup(text);
	longjmp(ctx->out, 1);
}

/*
 * Zeroed. All of a chunk that is not made for one large array is going to be used: its pages come
 * together, as a fault for each took a fifth of a compilation.
 */
static struct ptx_chunk *map_chunk(size_t bytes)
{
	int populate = bytes <= CHUNK_LARGEST ? MAP_POPULATE : 0;
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | populate, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static char *start_of(struct ptx_chunk *chunk)
{
	return (char *)chunk + ((sizeof(*chunk) + 15) & ~(size_t)15);
}

/* A chunk for @bytes, which is at least @want large if it is a new one. */
static struct ptx_chunk *get_chunk(struct ptx_ctx *ctx, size_t bytes, size_t want)
{
	struct ptx_chunk **at = &ctx->spare, *chunk;

	while (*at && (*at)->bytes < bytes + sizeof(*chunk) + 16)
		at = &(*at)->next;
	chunk = *at;
	if (chunk) {
		*at = chunk->next;
		memset(start_of(chunk), 0, chunk->used - (size_t)(start_of(chunk) - (char *)chunk));
		return chunk;
	}
	if (ctx->bytes + want > ARENA_LIMIT)
		ptx_out_of_memory(ctx);
	chunk = map_chunk(want);
	if (!chunk)
		ptx_out_of_memory(ctx);
	ctx->bytes += want;
	chunk->bytes = want;
	return chunk;
}

void *ptx_alloc(struct ptx_ctx *ctx, size_t bytes)
{
	struct ptx_chunk *chunk;
	size_t want;
	void *result;

	if (bytes > ARENA_LIMIT)
		ptx_out_of_memory(ctx);
	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes <= (size_t)(ctx->end - ctx->at)) {
		result = ctx->at;
		ctx->at += bytes;
		return result;
	}
	want = ctx->chunks ? ctx->chunks->bytes * 2 : CHUNK_FIRST;
	if (want > CHUNK_LARGEST)
		want = CHUNK_LARGEST;
	if (want < bytes + sizeof(*chunk) + 16)
		want = bytes + sizeof(*chunk) + 16;
	chunk = get_chunk(ctx, bytes, want);
	chunk->next = ctx->chunks;
	ctx->chunks = chunk;
	result = start_of(chunk);
	/* a chunk made for one large array keeps the room of the previous one in use */
	if (bytes < chunk->bytes / 2 || !ctx->at) {
		ctx->at = (char *)result + bytes;
		ctx->end = (char *)chunk + chunk->bytes;
	}
	return result;
}

void *ptx_grow(struct ptx_ctx *ctx, void *old, uint32_t count, uint32_t more, uint32_t *room,
	       size_t size)
{
	uint64_t want = *room ? (uint64_t)*room * 2 : 8;
	void *new;

	while (want < (uint64_t)count + more)
		want *= 2;
	if (want > UINT32_MAX)
		ptx_out_of_memory(ctx);
	new = ptx_alloc(ctx, want * size);
	if (count)
		memcpy(new, old, count * size);
	*room = (uint32_t)want;
	return new;
}

char *ptx_strndup(struct ptx_ctx *ctx, const char *text, size_t len)
{
	char *copy = ptx_alloc(ctx, len + 1);

	memcpy(copy, text, len);
	return copy;
}

struct ptx_mark ptx_mark(const struct ptx_ctx *ctx)
{
	return (struct ptx_mark){ .chunks = ctx->chunks, .at = ctx->at, .end = ctx->end };
}

void ptx_rewind(struct ptx_ctx *ctx, struct ptx_mark mark)
{
	char *used = ctx->end == mark.end ? ctx->at : mark.end;
	struct ptx_chunk *chunk;

	while (ctx->chunks != mark.chunks) {
		chunk = ctx->chunks;
		ctx->chunks = chunk->next;
		if (chunk->bytes > CHUNK_LARGEST) {
			/* it may never be as large again */
			ctx->bytes -= chunk->bytes;
			munmap(chunk, chunk->bytes);
			continue;
		}
		chunk->used = (size_t)((ctx->end == (char *)chunk + chunk->bytes ? ctx->at :
					(char *)chunk + chunk->bytes) -
				       (char *)chunk);
		chunk->next = ctx->spare;
		ctx->spare = chunk;
	}
	if (mark.at)
		memset(mark.at, 0, (size_t)(used - mark.at));
	ctx->at = mark.at;
	ctx->end = mark.end;
}

static void unmap_all(struct ptx_chunk *chunk)
{
	struct ptx_chunk *next;

	for (; chunk; chunk = next) {
		next = chunk->next;
		munmap(chunk, chunk->bytes);
	}
}

void ptx_release(struct ptx_ctx *ctx)
{
	unmap_all(ctx->chunks);
	unmap_all(ctx->spare);
	ctx->chunks = ctx->spare = NULL;
	ctx->at = ctx->end = NULL;
	ctx->bytes = 0;
}
