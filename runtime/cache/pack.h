/* SPDX-License-Identifier: MIT */
/*
 * A program as bytes, for the same build of the same compiler: structures are as they are in
 * memory, what pointers point to follows them.
 */
#ifndef VGPU_CACHE_PACK_H
#define VGPU_CACHE_PACK_H

#include "compile/compile.h"

#include <stdbool.h>

struct vgpu_pack {
	uint8_t *bytes;
	size_t size, room;
	bool failed; /* no memory */
};

/* Appends @count bytes. */
void vgpu_pack_bytes(struct vgpu_pack *pack, const void *from, size_t count);
/* Appends the program, not yet linked. One with tables of variables is refused: false. */
bool vgpu_pack_program(struct vgpu_pack *pack, const struct vgpu_program *program);
/* NULL: the bytes are no program, or there is no memory. */
struct vgpu_program *vgpu_unpack_program(const uint8_t *bytes, size_t size);

#endif
