/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Ranges of 64-bit numbers that do not overlap, in order: a tree of two levels, as the leaves and
 * the root of a B+ tree. The root is an array of pointers to leaves, a leaf an array of ranges. A
 * full leaf is split; one that fits into half a leaf together with a neighbour joins it. So any
 * two neighbours hold more than half a leaf, and a change moves at most one leaf and a part of the
 * root: with 65,536 ranges, 4 KB and 13 KB. A search looks at 12 leaves and then into one.
 */
#ifndef VGPU_RANGES_H
#define VGPU_RANGES_H

#include "../platform.h"

/** struct vgpu_range - @first to @last, inclusive */
struct vgpu_range {
	u64 first;
	u64 last;
	u64 value;		/* the owner's */
};

#define VGPU_RANGES_LEAF	168u	/* a leaf is at most 4 KB */

struct vgpu_ranges_leaf {
	u32 count;		/* 1 or more */
	struct vgpu_range range[VGPU_RANGES_LEAF];
};

/** struct vgpu_ranges - an empty set is zero, but for @memory, the account that pays */
struct vgpu_ranges {
	struct vgpu_mem_account *memory;
	struct vgpu_ranges_leaf **leaf;
	u32 leaves;
	u32 room;		/* of the array leaf */
	u32 count;		/* ranges */
};

/** vgpu_ranges_at - the range that has @number; NULL: none */
const struct vgpu_range *vgpu_ranges_at(const struct vgpu_ranges *ranges, u64 number);
/** vgpu_ranges_add - -EEXIST: part of @range is there; -ENOMEM. Nothing has changed then */
int vgpu_ranges_add(struct vgpu_ranges *ranges, const struct vgpu_range *range);
/** vgpu_ranges_remove - -ENOENT: there is no range from exactly @first to exactly @last */
int vgpu_ranges_remove(struct vgpu_ranges *ranges, u64 first, u64 last);
/** vgpu_ranges_set - the range that has @number, which there is, has @value */
void vgpu_ranges_set(struct vgpu_ranges *ranges, u64 number, u64 value);
/** vgpu_ranges_split - a range that goes on at @number becomes two. -ENOMEM: nothing changed */
int vgpu_ranges_split(struct vgpu_ranges *ranges, u64 number);
/** vgpu_ranges_join - ranges that end before and begin at @number become one, if of equal value */
void vgpu_ranges_join(struct vgpu_ranges *ranges, u64 number);
/** vgpu_ranges_free - remove all */
void vgpu_ranges_free(struct vgpu_ranges *ranges);

#endif
