/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: placement of managed memory
 *
 * Which managed pages are in VRAM is the choice of tables of operations, selected by name at run
 * time; managed.c does what they choose:
 *
 *   evictor (placement/evictors.c)   which page goes to the host where there is too little room
 *
 * An evictor sees frames (frames.h) and no page tables.
 */
#ifndef VGPU_PLACEMENT_H
#define VGPU_PLACEMENT_H

#include "frames.h"

/**
 * struct vgpu_evictor - an order in which pages go
 * @name: of the knob
 * @victim: the next page to go, of @of or of all if that is NULL; NULL: none may go. It goes, or
 *   nothing does: there is too little room for something else
 */
struct vgpu_evictor {
	const char *name;
	struct vgpu_frame *(*victim)(struct vgpu_frame_table *table,
				     const struct vgpu_resident *of);
};

/** vgpu_evictor_find - by name; NULL: there is none */
const struct vgpu_evictor *vgpu_evictor_find(const char *name);
/** vgpu_evictor_at - for @index from 0, NULL at the end */
const struct vgpu_evictor *vgpu_evictor_at(unsigned int index);

#endif
