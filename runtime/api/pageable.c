// SPDX-License-Identifier: MIT
/*
 * Memory of the process that is nobody's; see pageable.h.
 */
#include <sys/mman.h>

#include "pageable.h"
#include "variables.h"

/* Has [@first, @last] an address that a device may have mapped? */
static bool meets_device(uint64_t first, uint64_t last)
{
	struct rt_state *state;

	rt_for_each(state) {
		const struct rt_heap *heap = &state->heap;

		if (heap->bytes && first <= heap->base + heap->bytes - 1 && last >= heap->base)
			return true;
	}
	return rt_variables_owner(first) || rt_variables_owner(last);
}

bool rt_is_pageable(const void *pointer, size_t bytes)
{
	uint64_t first = (uint64_t)(uintptr_t)pointer, last = first + bytes - 1;
	uint64_t page = first & ~(VGPU_PAGE_SIZE - 1);

	if (!rt.ops->process_memory || !bytes || last < first || meets_device(first, last) ||
	    rt_is_pinned(pointer, bytes))
		return false;
	/* this one does nothing but look whether all is mapped */
	return !msync((void *)(uintptr_t)page, last - page + 1, MS_ASYNC);
}
