// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The last-writer history; see lwhr.h.
 */
#include "../h3.h"
#include "lwhr.h"

static u64 word_of(u64 address)
{
	return address / VGPU_WTM_WORD_BYTES;
}

static struct vgpu_wtm_line *set_of(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
				    u64 word)
{
	u32 set = vgpu_tm_h3_row(wtm->h3[VGPU_WTM_H3_LWHR], word, wtm->setup.lwhr_sets);

	return vgpu_wtm_lines(wtm, unit) + set * wtm->setup.lwhr_ways;
}

static u64 *filter_row(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u32 way, u64 word)
{
	return vgpu_wtm_filter(wtm, unit) + way * wtm->setup.filter_rows +
	       vgpu_tm_h3_row(wtm->h3[VGPU_WTM_H3_FILTER + way], word, wtm->setup.filter_rows);
}

/* Of its set: that of @word, else a free one, else the earliest */
static struct vgpu_wtm_line *line_for(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
				      u64 word)
{
	struct vgpu_wtm_line *set = set_of(wtm, unit, word), *line = set;

	for (u32 way = 0; way < wtm->setup.lwhr_ways; way++) {
		if (set[way].tag == word + 1)
			return &set[way];
		if (set[way].cid < line->cid)
			line = &set[way];
	}
	return line;
}

static void displace(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
		     const struct vgpu_wtm_line *line)
{
	for (u32 way = 0; way < wtm->setup.filter_ways; way++) {
		u64 *row = filter_row(wtm, unit, way, line->tag - 1);

		*row = vgpu_tm_later(*row, line->cid);
	}
}

void vgpu_lwhr_store(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u64 address, u64 cid)
{
	u64 word = word_of(address);
	struct vgpu_wtm_line *line = line_for(wtm, unit, word);

	if (line->tag && line->tag != word + 1)
		displace(wtm, unit, line);
	line->tag = word + 1;
	line->cid = cid;
}

u64 vgpu_lwhr_find(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u64 address)
{
	u64 word = word_of(address), cid = ~0ull;
	const struct vgpu_wtm_line *set = set_of(wtm, unit, word);

	for (u32 way = 0; way < wtm->setup.lwhr_ways; way++)
		if (set[way].tag == word + 1)
			return set[way].cid;
	for (u32 way = 0; way < wtm->setup.filter_ways; way++) {
		const u64 *row = filter_row(wtm, unit, way, word);

		if (*row < cid)
			cid = *row;
	}
	return cid;
}
