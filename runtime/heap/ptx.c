// SPDX-License-Identifier: MIT
/*
 * The PTX of the allocator (heap.cu), as a string.
 */
#include "ptx.h"

const char vgpu_heap_ptx[] =
#include "heap.ptx.h"
	;
