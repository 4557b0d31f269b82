/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The evictors, prefetchers and schemes that there are, for who chooses by name. What they are is
 * in mmu/placement.h and pressure.h.
 */
#ifndef VGPU_PLACEMENT_LISTS_H
#define VGPU_PLACEMENT_LISTS_H

#include "../mmu/placement.h"

/** vgpu_evictor_find - by name; NULL: there is none */
const struct vgpu_evictor *vgpu_evictor_find(const char *name);
/** vgpu_evictor_at - for @index from 0, NULL at the end */
const struct vgpu_evictor *vgpu_evictor_at(unsigned int index);
/** vgpu_prefetcher_find - by name; NULL: there is none */
const struct vgpu_prefetcher *vgpu_prefetcher_find(const char *name);
/** vgpu_prefetcher_at - for @index from 0, NULL at the end */
const struct vgpu_prefetcher *vgpu_prefetcher_at(unsigned int index);

struct vgpu_scheme;

/** vgpu_scheme_find - by name (pressure.h); NULL: there is none */
const struct vgpu_scheme *vgpu_scheme_find(const char *name);
/** vgpu_scheme_at - for @index from 0, NULL at the end */
const struct vgpu_scheme *vgpu_scheme_at(unsigned int index);

#endif
