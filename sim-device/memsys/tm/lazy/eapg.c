// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Early abort, pause-n-go; see eapg.h.
 */
#include "../h3.h"
#include "eapg.h"

/* Of a table of @ways and @sets: the line of @address; else a free one of its set; else NULL */
static struct vgpu_eapg_line *find_line(const struct vgpu_wtm *wtm, struct vgpu_eapg_line *table,
					u32 ways, u32 sets, u64 address)
{
	u64 word = address / VGPU_WTM_WORD_BYTES;
	struct vgpu_eapg_line *set, *line = NULL;

	set = table + vgpu_tm_h3_row(wtm->h3[VGPU_WTM_H3_EAPG], word, sets) * ways;
	for (u32 way = 0; way < ways; way++) {
		if (set[way].tag == word + 1)
			return &set[way];
		if (!set[way].tag && !line)
			line = &set[way];
	}
	return line;
}

static struct vgpu_eapg_line *count_line(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
					 u64 address)
{
	return find_line(wtm, vgpu_wtm_counts(wtm, unit), wtm->setup.count_ways,
			 wtm->setup.count_sets, address);
}

static struct vgpu_eapg_line *conflict_line(const struct vgpu_wtm *wtm,
					    struct vgpu_eapg_line *table, u64 address)
{
	return find_line(wtm, table, wtm->setup.conflict_ways, wtm->setup.conflict_sets, address);
}

bool vgpu_eapg_count(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u64 address)
{
	struct vgpu_eapg_line *line = count_line(wtm, unit, address);

	if (!line)
		return false;
	line->tag = address / VGPU_WTM_WORD_BYTES + 1;
	return !line->count++;
}

bool vgpu_eapg_uncount(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u64 address)
{
	struct vgpu_eapg_line *line = count_line(wtm, unit, address);

	/* it was not counted */
	if (!line || !line->tag)
		return false;
	if (--line->count)
		return false;
	line->tag = 0;
	return true;
}

void vgpu_eapg_insert(const struct vgpu_wtm *wtm, struct vgpu_eapg_line *table, u64 address)
{
	struct vgpu_eapg_line *line = conflict_line(wtm, table, address);

	if (!line)
		return;
	line->tag = address / VGPU_WTM_WORD_BYTES + 1;
	line->count = 1;
}

void vgpu_eapg_remove(const struct vgpu_wtm *wtm, struct vgpu_eapg_line *table, u64 address)
{
	struct vgpu_eapg_line *line = conflict_line(wtm, table, address);

	if (line && wtm->setup.fault != VGPU_WTM_PAUSE_STAYS)
		memset(line, 0, sizeof(*line));
}

bool vgpu_eapg_is_there(const struct vgpu_wtm *wtm, struct vgpu_eapg_line *table, u64 address)
{
	const struct vgpu_eapg_line *line = conflict_line(wtm, table, address);

	return line && line->tag;
}
