/* SPDX-License-Identifier: MIT */
/*
 * Copies and fills of rows in two parts, for graphs: what is checked when a node is made, and what
 * is put into a stream at each launch, which waits for nothing. With rt_lock held.
 */
#ifndef VGPU_RT_ROWS_H
#define VGPU_RT_ROWS_H

#include "../host_call.h"

/** struct rt_rows - rows of @width bytes to copy, @height of them */
struct rt_rows {
	char *dst;
	size_t dst_pitch;		/* bytes */
	const char *src;
	size_t src_pitch;
	size_t width, height;
};

/** struct rt_fill - elements of 1, 2 or 4 bytes that become a value; @width is in bytes */
struct rt_fill {
	char *dst;
	size_t pitch;
	uint32_t value;
	unsigned int element;
	size_t width, height;
};

/* copy.c: a range that copies and fills may write: no mapping that may only be read (virtual.h) */
bool rt_range_writable(const void *pointer, size_t bytes);
/* @what, which is copied, is the argument of @call behind all of @stream; @call frees it. */
vgpuError_t rt_call_later(rt_host_call_fn *call, const void *what, size_t bytes,
			  struct vgpuStream *stream);

/* Is it memory of another context? What is to be done there comes behind all of the stream. */
static inline bool rt_is_elsewhere(const void *pointer)
{
	return rt_owner(pointer) != rt_current;
}

/* @kind becomes what the addresses say. CUDA's errors. */
vgpuError_t rt_rows_check(const struct rt_rows *rows, vgpuMemcpyKind *kind);
/* They were checked. From process memory to process memory a thread of the runtime copies. */
vgpuError_t rt_rows_put(const struct rt_rows *rows, vgpuMemcpyKind kind,
			struct vgpuStream *stream);
/* fill.c */
vgpuError_t rt_fill_check(const struct rt_fill *fill);
/* The same of a fill; what the device cannot write a thread of the runtime fills. */
vgpuError_t rt_fill_put(const struct rt_fill *fill, struct vgpuStream *stream);

#endif
