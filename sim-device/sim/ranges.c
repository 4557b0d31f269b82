// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Ordered ranges; see ranges.h.
 */
#include "ranges.h"

/** struct place - of a range: number of its leaf, and its number there */
struct place {
	u32 leaf;
	u32 at;
};

/* The first range that ends at or after @number; beyond the last leaf: there is none. */
static struct place first_ending(const struct vgpu_ranges *ranges, u64 number)
{
	const struct vgpu_ranges_leaf *leaf;
	u32 low = 0, high = ranges->leaves, middle;
	struct place place = {};

	while (low < high) {
		middle = low + (high - low) / 2;
		leaf = ranges->leaf[middle];
		if (leaf->range[leaf->count - 1].last < number)
			low = middle + 1;
		else
			high = middle;
	}
	place.leaf = low;
	if (low == ranges->leaves)
		return place;
	leaf = ranges->leaf[low];
	low = 0;
	high = leaf->count - 1;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (leaf->range[middle].last < number)
			low = middle + 1;
		else
			high = middle;
	}
	place.at = low;
	return place;
}

static struct vgpu_range *range_of(const struct vgpu_ranges *ranges, struct place place)
{
	return place.leaf < ranges->leaves ? &ranges->leaf[place.leaf]->range[place.at] : NULL;
}

const struct vgpu_range *vgpu_ranges_at(const struct vgpu_ranges *ranges, u64 number)
{
	const struct vgpu_range *range = range_of(ranges, first_ending(ranges, number));

	return range && range->first <= number ? range : NULL;
}

/* ---- leaves ------------------------------------------------------------- */

static int grow_root(struct vgpu_ranges *ranges)
{
	u32 room = ranges->room ? ranges->room * 2 : 4;
	struct vgpu_ranges_leaf **leaf;

	if (ranges->leaves < ranges->room)
		return 0;
	leaf = vgpu_mem_alloc(ranges->memory, room * sizeof(*leaf));
	if (!leaf)
		return -ENOMEM;
	if (ranges->leaves)
		memcpy(leaf, ranges->leaf, ranges->leaves * sizeof(*leaf));
	vgpu_mem_free(ranges->memory, ranges->leaf, ranges->room * sizeof(*leaf));
	ranges->leaf = leaf;
	ranges->room = room;
	return 0;
}

/* An empty leaf with number @number. */
static int add_leaf(struct vgpu_ranges *ranges, u32 number)
{
	struct vgpu_ranges_leaf **at, *leaf;

	if (grow_root(ranges))
		return -ENOMEM;
	leaf = vgpu_mem_alloc(ranges->memory, sizeof(*leaf));
	if (!leaf)
		return -ENOMEM;
	at = &ranges->leaf[number];
	memmove(at + 1, at, (ranges->leaves - number) * sizeof(struct vgpu_ranges_leaf *));
	*at = leaf;
	ranges->leaves++;
	return 0;
}

static void remove_leaf(struct vgpu_ranges *ranges, u32 number)
{
	struct vgpu_ranges_leaf **at = &ranges->leaf[number];

	vgpu_mem_free(ranges->memory, *at, sizeof(**at));
	ranges->leaves--;
	memmove(at, at + 1, (ranges->leaves - number) * sizeof(struct vgpu_ranges_leaf *));
}

/* The upper half of leaf @number becomes a leaf behind it. */
static int split_leaf(struct vgpu_ranges *ranges, u32 number)
{
	struct vgpu_ranges_leaf *low, *high;

	if (add_leaf(ranges, number + 1))
		return -ENOMEM;
	low = ranges->leaf[number];
	high = ranges->leaf[number + 1];
	high->count = low->count / 2;
	low->count -= high->count;
	memcpy(high->range, low->range + low->count, high->count * sizeof(*high->range));
	return 0;
}

/* Leaf @number and the one behind it become one, if there is one and both are small. */
static void join_leaves(struct vgpu_ranges *ranges, u32 number)
{
	struct vgpu_ranges_leaf *low, *high;

	if (number + 1 >= ranges->leaves)
		return;
	low = ranges->leaf[number];
	high = ranges->leaf[number + 1];
	if (low->count + high->count > VGPU_RANGES_LEAF / 2)
		return;
	memcpy(low->range + low->count, high->range, high->count * sizeof(*high->range));
	low->count += high->count;
	remove_leaf(ranges, number + 1);
}

/* ---- changes ------------------------------------------------------------ */

int vgpu_ranges_add(struct vgpu_ranges *ranges, const struct vgpu_range *range)
{
	struct place place = first_ending(ranges, range->first);
	const struct vgpu_range *behind = range_of(ranges, place);
	struct vgpu_ranges_leaf *leaf;

	if (behind && behind->first <= range->last)
		return -EEXIST;
	if (!behind && ranges->leaves) {
		place.leaf = ranges->leaves - 1;
		place.at = ranges->leaf[place.leaf]->count;
	} else if (!behind && add_leaf(ranges, 0)) {
		return -ENOMEM;
	}
	if (ranges->leaf[place.leaf]->count == VGPU_RANGES_LEAF) {
		u32 low = VGPU_RANGES_LEAF - VGPU_RANGES_LEAF / 2;

		if (split_leaf(ranges, place.leaf))
			return -ENOMEM;
		if (place.at > low) {
			place.leaf++;
			place.at -= low;
		}
	}
	leaf = ranges->leaf[place.leaf];
	memmove(leaf->range + place.at + 1, leaf->range + place.at,
		(leaf->count - place.at) * sizeof(*leaf->range));
	leaf->range[place.at] = *range;
	leaf->count++;
	ranges->count++;
	return 0;
}

int vgpu_ranges_remove(struct vgpu_ranges *ranges, u64 first, u64 last)
{
	struct place place = first_ending(ranges, first);
	const struct vgpu_range *range = range_of(ranges, place);
	struct vgpu_ranges_leaf *leaf;

	if (!range || range->first != first || range->last != last)
		return -ENOENT;
	leaf = ranges->leaf[place.leaf];
	leaf->count--;
	ranges->count--;
	memmove(leaf->range + place.at, leaf->range + place.at + 1,
		(leaf->count - place.at) * sizeof(*leaf->range));
	if (!leaf->count) {
		remove_leaf(ranges, place.leaf);
		/* its neighbours are neighbours now */
		if (place.leaf)
			join_leaves(ranges, place.leaf - 1);
		return 0;
	}
	join_leaves(ranges, place.leaf);
	if (place.leaf)
		join_leaves(ranges, place.leaf - 1);
	return 0;
}

void vgpu_ranges_set(struct vgpu_ranges *ranges, u64 number, u64 value)
{
	struct vgpu_range *range = range_of(ranges, first_ending(ranges, number));

	if (VGPU_CHECK(range && range->first <= number))
		range->value = value;
}

int vgpu_ranges_split(struct vgpu_ranges *ranges, u64 number)
{
	struct vgpu_range *low = range_of(ranges, first_ending(ranges, number));
	struct vgpu_range high;
	int err;

	if (!low || low->first >= number)
		return 0;
	high = (struct vgpu_range){ number, low->last, low->value };
	low->last = number - 1;
	err = vgpu_ranges_add(ranges, &high);
	/* then leaves are as they were */
	if (err)
		low->last = high.last;
	return err;
}

void vgpu_ranges_join(struct vgpu_ranges *ranges, u64 number)
{
	const struct vgpu_range *range = vgpu_ranges_at(ranges, number);
	struct vgpu_range *low, high;

	if (!number || !range || range->first != number)
		return;
	high = *range;
	range = vgpu_ranges_at(ranges, number - 1);
	if (!range || range->value != high.value ||
	    !VGPU_CHECK(!vgpu_ranges_remove(ranges, high.first, high.last)))
		return;
	low = range_of(ranges, first_ending(ranges, number - 1));
	low->last = high.last;
}

void vgpu_ranges_free(struct vgpu_ranges *ranges)
{
	while (ranges->leaves)
		vgpu_mem_free(ranges->memory, ranges->leaf[--ranges->leaves],
			      sizeof(struct vgpu_ranges_leaf));
	vgpu_mem_free(ranges->memory, ranges->leaf, ranges->room * sizeof(*ranges->leaf));
	*ranges = (struct vgpu_ranges){ .memory = ranges->memory };
}
