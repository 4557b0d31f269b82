/* SPDX-License-Identifier: MIT */
/*
 * The PTX of malloc() and free() of device code, compiled from heap.cu.
 */
#ifndef VGPU_HEAP_PTX_H
#define VGPU_HEAP_PTX_H

extern const char vgpu_heap_ptx[];

#endif
