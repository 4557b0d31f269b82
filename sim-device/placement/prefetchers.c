// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Prefetchers: which pages come with those that an SM or a process touched. To add one, add it
 * here.
 */
#include "../sim/text.h"
#include "../vgpu_model.h"
#include "lists.h"

#define BLOCK	(VGPU_PREFETCH_BLOCK >> VGPU_PAGE_SHIFT)	/* pages of 2 MB */

static bool none(const struct vgpu_touched *touched, struct vgpu_page_span *pages)
{
	(void)touched;
	(void)pages;
	return false;
}

/* The aligned pages around @page, as far as they are of the mapping; @count: a power of two. */
static struct vgpu_page_span around(const struct vgpu_touched *touched, u64 page, u64 count)
{
	const struct vgpu_page_span *mapping = &touched->mapping;
	u64 first = page & ~(count - 1), last = first + count - 1;

	return (struct vgpu_page_span){
		.first = first > mapping->first ? first : mapping->first,
		.last = last < mapping->last ? last : mapping->last,
	};
}

/* The next granule, for who goes through memory in ascending order. */
static bool granule(const struct vgpu_touched *touched, struct vgpu_page_span *pages)
{
	u64 next = (touched->fault.first | (touched->granule - 1)) + 1;

	if (next > touched->mapping.last)
		return false;
	pages->first = touched->fault.first;
	pages->last = around(touched, next, touched->granule).last;
	return true;
}

/*
 * By density: 2 MB are the root of a binary tree with granules as leaves. The largest subtree
 * around the fault comes of which more than half is there or on its way. A program that touches
 * little of a block gets little, and one that touches all of it has the whole block after few
 * faults: in order, with granules of 64 KB, after six for 32 granules.
 */
static bool tree(const struct vgpu_touched *touched, struct vgpu_page_span *pages)
{
	bool found = false;

	for (u64 count = 2 * touched->granule; count <= BLOCK; count *= 2) {
		struct vgpu_page_span subtree = around(touched, touched->fault.first, count);

		if (2 * vgpu_pages_there(touched, &subtree) <=
		    subtree.last - subtree.first + 1)
			continue;
		*pages = subtree;
		found = true;
	}
	return found;
}

static const struct vgpu_prefetcher prefetchers[] = {
	{ "none", none },
	{ "granule", granule },
	{ "tree", tree },
};

const struct vgpu_prefetcher *vgpu_prefetcher_at(unsigned int index)
{
	return index < VGPU_ARRAY_SIZE(prefetchers) ? &prefetchers[index] : NULL;
}

const struct vgpu_prefetcher *vgpu_prefetcher_find(const char *name)
{
	for (unsigned int n = 0; n < VGPU_ARRAY_SIZE(prefetchers); n++)
		if (vgpu_text_is(name, prefetchers[n].name))
			return &prefetchers[n];
	return NULL;
}
