// SPDX-License-Identifier: MIT
/*
 * vgpu-sim: the heap. A device of 1000 SMs is some ten megabytes of small objects, touched once for
 * each run; in a virtual machine a page fault for each 4096 bytes of it takes longer than to
 * simulate hundreds of thousands of thread blocks. So what was freed stays in the heap for the next
 * device, and the heap asks for large pages. All of it is a request: without it the program is only
 * slower.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim.h"

#define LARGE_PAGE	((uintptr_t)2 << 20)
#define GROWTH		(64 << 20)	/* bytes by which the heap grows at once */

void sim_memory_init(void)
{
	uintptr_t begin, end;
	void *memory;

	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	mallopt(M_TOP_PAD, GROWTH);
	memory = malloc(1);
	begin = ((uintptr_t)memory + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
	end = (uintptr_t)sbrk(0) & ~(LARGE_PAGE - 1);
	if (begin < end && end - begin <= 2 * (uintptr_t)GROWTH)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE);
	free(memory);
}
