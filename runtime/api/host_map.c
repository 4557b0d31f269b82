// SPDX-License-Identifier: MIT
/*
 * What devices have mapped of pinned memory. Pages that a range covers in part are mapped one by
 * one, and stay while a range touches them: those are its neighbours, or none. The others belong to
 * the range alone.
 */
#include <errno.h>

#include "host.h"

#define PAGE	VGPU_PAGE_SIZE

struct rt_pinned_table rt_pinned;

struct piece {
	uint64_t address, bytes;
	bool part;		/* a page that others may touch as well */
};

static uint64_t first_of(const struct rt_pinned *range)
{
	return (uint64_t)(uintptr_t)range->base;
}

static uint64_t end_of(const struct rt_pinned *range)
{
	return first_of(range) + (range->mapped ? range->mapped : range->bytes);
}

static unsigned int pieces_of(const struct rt_pinned *range, struct piece *out)
{
	uint64_t first = first_of(range), end = end_of(range);
	uint64_t from = (first + PAGE - 1) & ~(PAGE - 1), to = end & ~(PAGE - 1);
	unsigned int count = 0;

	if (first < from)
		out[count++] = (struct piece){ from - PAGE, PAGE, true };
	if (from < to)
		out[count++] = (struct piece){ from, to - from, false };
	/* unless it ends in the page where it begins */
	if (to < end && from <= to)
		out[count++] = (struct piece){ to, PAGE, true };
	return count;
}

static bool touches(size_t index, const struct piece *page)
{
	const struct rt_pinned *range = &rt_pinned.range[index];

	return index < rt_pinned.count && first_of(range) < page->address + page->bytes &&
	       end_of(range) > page->address;
}

/* A range that is there, or before it, has mapped the page. */
static bool by_others(size_t index, const struct piece *piece, bool behind)
{
	return piece->part &&
	       ((index && touches(index - 1, piece)) || (behind && touches(index + 1, piece)));
}

static void unmap_pieces(struct rt_state *device, size_t index, const struct piece *piece,
			 unsigned int count)
{
	while (count--)
		if (!by_others(index, &piece[count], true))
			device->ops->unmap_host(device->transport, piece[count].address,
						piece[count].bytes);
}

/*
 * Range @index on one device. @behind: those behind it are mapped already. 1: kernels may only read
 * it, or part of it.
 */
static int map_on(struct rt_state *device, size_t index, bool behind)
{
	struct piece piece[3];
	unsigned int count = pieces_of(&rt_pinned.range[index], piece);
	int result = 0;

	for (unsigned int n = 0; n < count; n++) {
		int one = by_others(index, &piece[n], behind) ?
				  0 :
				  device->ops->map_host(device->transport, piece[n].address,
							piece[n].bytes);

		if (one < 0) {
			unmap_pieces(device, index, piece, n);
			return one;
		}
		result |= one;
	}
	return result;
}

static bool can_map(const struct rt_state *device)
{
	return rt_has_device(device) && device->ops->map_host;
}

vgpuError_t rt_pinned_map(size_t index)
{
	bool read_only = !rt_pinned.range[index].mapped &&
			 rt_pinned.range[index].flags & vgpuHostRegisterReadOnly;
	struct piece piece[3];
	unsigned int count = pieces_of(&rt_pinned.range[index], piece), done;
	struct rt_state *state;
	int error = 0;

	for (done = 0; !error && (state = rt_context_number(done)); done++) {
		if (!can_map(state))
			continue;
		error = map_on(state, index, true);
		/* a context that has died has no use for it */
		if (error == -EIO || (error == 1 && read_only)) {
			error = 0;
		} else if (error == 1) {
			unmap_pieces(state, index, piece, count);
			error = -EINVAL;
		}
	}
	if (!error)
		return vgpuSuccess;
	for (done--; done--;)
		if (can_map(rt_context_number(done)))
			unmap_pieces(rt_context_number(done), index, piece, count);
	return rt_error_of(error);
}

void rt_pinned_unmap(size_t index)
{
	struct piece piece[3];
	unsigned int count = pieces_of(&rt_pinned.range[index], piece);
	struct rt_state *state;

	rt_for_each(state)
		if (can_map(state))
			unmap_pieces(state, index, piece, count);
}

/* Memory that the program has unmapped, though it is registered, cannot be used. */
int rt_pinned_open(void)
{
	int error = 0;

	if (!rt.ops->map_host)
		return 0;
	for (size_t n = 0; n < rt_pinned.count && error >= 0; n++) {
		error = map_on(&rt, n, false);
		if (error == -EFAULT)
			error = 0;
	}
	return error < 0 ? error : 0;
}
