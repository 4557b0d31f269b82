// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * DOC: advice for managed memory
 *
 * What a program says of how managed pages will be used (enum vgpu_advice). This file keeps it and
 * answers for a page; managed.c and access.c act by it when the page is touched:
 *
 *   read mostly        A read by the side that does not have the page makes a copy: the device has
 *                      a frame, and processes may read, not write (VGPU_PTE_DUPLICATE). Who writes
 *                      ends that.
 *   prefers the host   SMs use the page where it is, unless it is on the device
 *   prefers the device The page is evicted after others
 *   accessed           SMs use the page where it is while it is on the host
 *
 * They are kept in ranges that tile each mapping with advice, so one lookup finds the bounds within
 * which pages may share a fault. A mapping of which nothing is said has none.
 */
#include "address_space.h"

u64 vgpu_advice_at(const struct vgpu_address_space *as, u64 address)
{
	const struct vgpu_range *range;

	if (likely(!as->advice.count))
		return 0;
	range = vgpu_ranges_at(&as->advice, address);
	return range ? range->value : 0;
}

const struct vgpu_range *vgpu_advice_part(const struct vgpu_address_space *as,
					  const struct vgpu_range *mapping, u64 address)
{
	const struct vgpu_range *range;

	if (likely(!as->advice.count))
		return mapping;
	range = vgpu_ranges_at(&as->advice, address);
	return range ? range : mapping;
}

bool vgpu_advice_in_place(const struct vgpu_address_space *as, u64 address, u64 entry)
{
	u64 advice = vgpu_advice_at(as, address);

	if (likely(!advice) || entry & VGPU_PTE_FRAME || advice & VGPU_ADVISED_READ_MOSTLY)
		return false;
	if (advice & (VGPU_ADVISED_HOST | VGPU_ADVISED_DEVICE))
		return advice & VGPU_ADVISED_HOST;
	return advice & VGPU_ADVISED_ACCESSED && entry & VGPU_PTE_HOST;
}

/* ---- what is said ------------------------------------------------------- */

static u64 changed(u64 before, u32 advice)
{
	u64 preferred = VGPU_ADVISED_HOST | VGPU_ADVISED_DEVICE;

	switch (advice) {
	case VGPU_ADVICE_READ_MOSTLY:
		return before | VGPU_ADVISED_READ_MOSTLY;
	case VGPU_ADVICE_NOT_READ_MOSTLY:
		return before & ~VGPU_ADVISED_READ_MOSTLY;
	case VGPU_ADVICE_PREFER_HOST:
		return (before & ~preferred) | VGPU_ADVISED_HOST;
	case VGPU_ADVICE_PREFER_DEVICE:
		return (before & ~preferred) | VGPU_ADVISED_DEVICE;
	case VGPU_ADVICE_PREFER_NONE:
		return before & ~preferred;
	case VGPU_ADVICE_ACCESSED:
		return before | VGPU_ADVISED_ACCESSED;
	case VGPU_ADVICE_NOT_ACCESSED:
		return before & ~VGPU_ADVISED_ACCESSED;
	default:
		return 0;
	}
}

/* Ranges of @mapping such that [@first, @last] is some of them; -ENOMEM. */
static int cut(struct vgpu_address_space *as, const struct vgpu_range *mapping, u64 first, u64 last)
{
	struct vgpu_range all = { mapping->first, mapping->last, 0 };
	int err = 0;

	if (as->advice.count + 3 > VGPU_ADVISED_MAX)
		return -ENOMEM;
	if (!vgpu_ranges_at(&as->advice, first))
		err = vgpu_ranges_add(&as->advice, &all);
	if (!err)
		err = vgpu_ranges_split(&as->advice, first);
	if (!err && last < mapping->last)
		err = vgpu_ranges_split(&as->advice, last + 1);
	return err;
}

/* Equal ranges at the bounds become one, and nothing is kept of a mapping without advice. */
static void tidy(struct vgpu_address_space *as, const struct vgpu_range *mapping, u64 first,
		 u64 last)
{
	const struct vgpu_range *range;

	if (first > mapping->first)
		vgpu_ranges_join(&as->advice, first);
	if (last < mapping->last)
		vgpu_ranges_join(&as->advice, last + 1);
	range = vgpu_ranges_at(&as->advice, mapping->first);
	if (range && !range->value && range->last == mapping->last)
		vgpu_ranges_remove(&as->advice, mapping->first, mapping->last);
}

/* Pages of [@first, @last] now have @advice. Returns the last of about @most ranges of them. */
static u64 change(struct vgpu_address_space *as, u64 first, u64 last, u32 advice, u64 most)
{
	const struct vgpu_range *range;
	u64 at = first, end;

	while ((range = vgpu_ranges_at(&as->advice, at)) && range->first <= last) {
		end = range->last;
		vgpu_ranges_set(&as->advice, at, changed(range->value, advice));
		if (at > first)
			vgpu_ranges_join(&as->advice, at);
		if (end >= last || !--most)
			return end;
		at = end + 1;
	}
	return last;
}

bool vgpu_advice_forget(struct vgpu_address_space *as, const struct vgpu_range *mapping, u64 most)
{
	const struct vgpu_range *range;

	while (as->advice.count && (range = vgpu_ranges_at(&as->advice, mapping->last))) {
		if (!most--)
			return false;
		/* from the end, where least moves; what is there before is there still */
		if (range->first == mapping->first ||
		    !VGPU_CHECK(range->first > mapping->first)) {
			vgpu_ranges_remove(&as->advice, range->first, range->last);
			return true;
		}
		vgpu_ranges_set(&as->advice, range->first - 1, range->value);
		vgpu_ranges_join(&as->advice, range->first);
	}
	return true;
}

/* ---- what follows for pages that are somewhere -------------------------- */

/* Pages of a table, 2 MB */
#define TABLE_BYTES	(512ull << VGPU_PAGE_SHIFT)

/*
 * The page of @pte at @address is no longer mostly read: it stays on one side, without a transfer.
 * One that is on its way goes on.
 */
static void end_duplicate(struct vgpu_address_space *as, u64 address, u64 *pte, u64 advice)
{
	if (advice & VGPU_ADVISED_DEVICE || *pte & VGPU_PTE_MOVING)
		vgpu_managed_claim(as, address, pte);
	else
		vgpu_managed_drop(as, address, pte);
}

/* Returns how many pages that is about. */
static u64 apply_to_table(struct vgpu_address_space *as, u64 first, u64 last)
{
	u64 *pte = vgpu_pte_find(&as->table, first);
	u64 pages = ((last - first) >> VGPU_PAGE_SHIFT) + 1;

	for (u64 n = 0; pte && n < pages; n++) {
		u64 address = first + (n << VGPU_PAGE_SHIFT), advice;

		if (!(pte[n] & (VGPU_PTE_FRAME | VGPU_PTE_DUPLICATE)))
			continue;
		advice = vgpu_advice_at(as, address);
		if (pte[n] & VGPU_PTE_DUPLICATE && !(advice & VGPU_ADVISED_READ_MOSTLY))
			end_duplicate(as, address, &pte[n], advice);
		if (pte[n] & VGPU_PTE_FRAME)
			vgpu_frame_prefer(&as->mmu->frames, vgpu_pte_number(pte[n]),
					  advice & VGPU_ADVISED_DEVICE);
	}
	return pte ? pages : 1;
}

/* Returns the last page that it came to, after about @most. */
static u64 apply(struct vgpu_address_space *as, u64 first, u64 last, u64 most)
{
	u64 end, did;

	for (;; first = end + 1) {
		end = first | (TABLE_BYTES - 1);
		end = end < last ? end : last;
		did = apply_to_table(as, first, end);
		if (end == last || did >= most)
			return end;
		most -= did;
	}
}

bool vgpu_as_may_advise(const struct vgpu_address_space *as, u64 address, u64 bytes)
{
	const struct vgpu_range *mapping = vgpu_ranges_at(&as->mappings, address);

	return bytes && !((address | bytes) & (VGPU_PAGE_SIZE - 1)) && mapping &&
	       mapping->value == VGPU_MAPPING_MANAGED && bytes - 1 <= mapping->last - address;
}

int vgpu_as_advise(struct vgpu_address_space *as, u64 address, u64 bytes, u32 advice, u64 most,
		   u64 *done)
{
	const struct vgpu_range *mapping = vgpu_ranges_at(&as->mappings, address);
	u64 first = address + *done, last = address + bytes - 1;
	int err;

	if (advice >= VGPU_ADVICE_SHARED || !vgpu_as_may_advise(as, address, bytes) ||
	    !VGPU_CHECK(*done < bytes))
		return -EINVAL;
	if (advice == VGPU_ADVICE_READ_MOSTLY && !as->mmu->frames.ops.protect)
		return -EOPNOTSUPP;
	err = cut(as, mapping, first, last);
	if (!err)
		last = change(as, first, last, advice, most);
	tidy(as, mapping, first, err ? first : last);
	if (err)
		return err;
	/* what is used in place may be used otherwise from now on */
	vgpu_as_invalidate(as, first, last - first + 1);
	last = apply(as, first, last, most);
	*done = last + 1 - address;
	return *done < bytes ? -EAGAIN : 0;
}
