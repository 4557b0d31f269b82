// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Address spaces: what a context has mapped (intervals, sorted), and the translation of a page,
 * which gives it its frame at the first write. A page of a mapping without an entry in the page
 * table was never written.
 */
#include "mmu.h"
#include "page_table.h"
#include "../core/device.h"

struct mapping {
	u64 first;	/* address of its first and of its last byte */
	u64 last;
};

struct vgpu_address_space {
	struct vgpu_as_head head;	/* first: the TLBs read it */
	struct vgpu_device *dev;
	u32 context;			/* its id, for the host */
	struct vgpu_page_table table;
	struct mapping *mappings;	/* sorted, not overlapping */
	u32 count;
	u32 room;
	u64 mapped;
	u64 frames;
};

/*
 * What a page reads as that was never written. Constant: a write through it is a bug that ends the
 * program.
 */
static const u8 zeros[VGPU_PAGE_SIZE] __attribute__((aligned(4096)));

int vgpu_as_create(struct vgpu_device *dev, u32 context, struct vgpu_address_space **out)
{
	struct vgpu_address_space *as = vgpu_mem_alloc(sizeof(*as));

	if (!as)
		return -ENOMEM;
	as->head.epoch = 1;
	as->dev = dev;
	as->context = context;
	*out = as;
	return 0;
}

void vgpu_as_destroy(struct vgpu_address_space *as)
{
	if (!as)
		return;
	vgpu_pte_clear(as->dev, &as->table, 0, VGPU_ADDRESS_LIMIT);
	vgpu_vram_unpromise(as->dev, as->mapped);
	vgpu_mem_free(as->mappings);
	vgpu_mem_free(as);
}

/* Index of the first mapping that ends at or after @address. */
static u32 find(const struct vgpu_address_space *as, u64 address)
{
	u32 low = 0;
	u32 high = as->count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (as->mappings[middle].last < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_mapped(const struct vgpu_address_space *as, u64 address)
{
	u32 i = find(as, address);

	return i < as->count && as->mappings[i].first <= address;
}

static bool range_is_valid(u64 address, u64 bytes)
{
	return bytes && !((address | bytes) & (VGPU_PAGE_SIZE - 1)) &&
	       bytes <= VGPU_ADDRESS_LIMIT && address <= VGPU_ADDRESS_LIMIT - bytes;
}

static int grow(struct vgpu_address_space *as)
{
	u32 room = as->room ? as->room * 2 : 16;
	struct mapping *mappings;

	if (as->count < as->room)
		return 0;
	mappings = vgpu_mem_alloc(room * sizeof(*mappings));
	if (!mappings)
		return -ENOMEM;
	if (as->count)
		memcpy(mappings, as->mappings, as->count * sizeof(*mappings));
	vgpu_mem_free(as->mappings);
	as->mappings = mappings;
	as->room = room;
	return 0;
}

int vgpu_as_map(struct vgpu_address_space *as, u64 address, u64 bytes)
{
	u32 at;
	int err;

	if (!range_is_valid(address, bytes))
		return -EINVAL;
	at = find(as, address);
	if (at < as->count && as->mappings[at].first < address + bytes)
		return -EEXIST;
	err = grow(as);
	if (!err)
		err = vgpu_vram_promise(as->dev, bytes);
	if (err)
		return err;
	memmove(&as->mappings[at + 1], &as->mappings[at], (as->count - at) * sizeof(*as->mappings));
	as->mappings[at].first = address;
	as->mappings[at].last = address + bytes - 1;
	as->count++;
	as->mapped += bytes;
	return 0;
}

int vgpu_as_unmap(struct vgpu_address_space *as, u64 address, u64 bytes)
{
	u32 at;

	if (!range_is_valid(address, bytes))
		return -EINVAL;
	at = find(as, address);
	if (at == as->count || as->mappings[at].first != address ||
	    as->mappings[at].last != address + bytes - 1)
		return -ENOENT;
	as->count--;
	memmove(&as->mappings[at], &as->mappings[at + 1], (as->count - at) * sizeof(*as->mappings));
	as->mapped -= bytes;
	vgpu_vram_unpromise(as->dev, bytes);
	as->frames -= vgpu_pte_clear(as->dev, &as->table, address, bytes);
	as->head.epoch++;
	return 0;
}

u64 vgpu_as_mapped_bytes(const struct vgpu_address_space *as)
{
	return as->mapped;
}

u64 vgpu_as_resident_bytes(const struct vgpu_address_space *as)
{
	return as->frames << VGPU_PAGE_SHIFT;
}

static u8 *frame_of(u64 pte)
{
	return (u8 *)(unsigned long)(pte & ~VGPU_PTE_FLAGS);
}

enum vgpu_translation vgpu_as_translate(struct vgpu_address_space *as, u64 address, bool write,
					u8 **page)
{
	u64 *pte;
	u8 *frame;

	if (unlikely(address >= VGPU_ADDRESS_LIMIT))
		return VGPU_XLATE_UNMAPPED;
	pte = vgpu_pte_find(&as->table, address);
	if (pte && (*pte & VGPU_PTE_FRAME)) {
		*page = frame_of(*pte);
		return VGPU_XLATE_OK;
	}
	/* Entries exist only inside mappings: unmap clears them. */
	if (!(pte && *pte) && !is_mapped(as, address))
		return VGPU_XLATE_UNMAPPED;
	if (!pte)
		pte = vgpu_pte_make(as->dev, &as->table, address);
	if (!pte)
		return VGPU_XLATE_NO_FRAME;
	if (!write) {
		*pte |= VGPU_PTE_READ_ZERO;
		*page = (u8 *)(unsigned long)zeros;
		return VGPU_XLATE_OK;
	}
	frame = vgpu_vram_get(as->dev, as->context);
	if (!frame)
		return VGPU_XLATE_NO_FRAME;
	/* A TLB that still has the page of zeros would not see what is written now. */
	if (*pte & VGPU_PTE_READ_ZERO)
		as->head.epoch++;
	*pte = (u64)(unsigned long)frame | VGPU_PTE_FRAME;
	as->frames++;
	*page = frame;
	return VGPU_XLATE_OK;
}
