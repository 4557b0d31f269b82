/* SPDX-License-Identifier: MIT */
/*
 * What one compilation owns: memory that is given back all at once, or all since a mark, and the
 * way out on an error.
 * Every part of the PTX parser and compiler carries a struct ptx_ctx; the first error ends the
 * compilation by a jump to its start.
 */
#ifndef VGPU_PTX_ARENA_H
#define VGPU_PTX_ARENA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ptx_chunk;

struct ptx_ctx {
	jmp_buf out;			/* where ptx_fail() goes */
	int error;			/* negative errno once it has failed */
	char *message;			/* malloc'ed; NULL when even that failed */
	struct ptx_chunk *chunks;	/* the newest first */
	struct ptx_chunk *spare;	/* taken before new ones are */
	char *at, *end;
	size_t bytes;			/* of all chunks */
};

/* What was allocated before it. */
struct ptx_mark {
	struct ptx_chunk *chunks;
	char *at, *end;
};

/* Zeroed memory that lives until ptx_release(), or ptx_rewind() to a mark before; never NULL. */
void *ptx_alloc(struct ptx_ctx *ctx, size_t bytes);
struct ptx_mark ptx_mark(const struct ptx_ctx *ctx);
/*
 * All memory that was allocated since @mark is free, and later allocations take it: memory that has
 * been used already has its pages.
 */
void ptx_rewind(struct ptx_ctx *ctx, struct ptx_mark mark);
/*
 * A grown copy of the array @old of @count elements of @size bytes, room for at least @count +
 * @more.
 */
void *ptx_grow(struct ptx_ctx *ctx, void *old, uint32_t count, uint32_t more, uint32_t *room,
	       size_t size);
char *ptx_strndup(struct ptx_ctx *ctx, const char *text, size_t len);
void ptx_release(struct ptx_ctx *ctx);

/* Ends the compilation: -EINVAL and "ptx line N: ...", or -ENOMEM. */
_Noreturn void ptx_fail(struct ptx_ctx *ctx, uint32_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
_Noreturn void ptx_out_of_memory(struct ptx_ctx *ctx);

/* The next free slot of the arena array `array` with counters `array##_count`, `array##_room`. */
#define PTX_PUSH(ctx, owner, array)								\
	(((owner)->array##_count == (owner)->array##_room ?					\
	  (void)((owner)->array = ptx_grow((ctx), (owner)->array, (owner)->array##_count, 1,	\
					   &(owner)->array##_room, \
					   sizeof(*(owner)->array))) : (void)0), \
	 &(owner)->array[(owner)->array##_count++])

#endif
