// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The setup of WarpTM's units; see warptm.h.
 */
#include "../h3.h"
#include "../layout.h"
#include "warptm.h"

/*
 * Table 4.5 for each of 6 partitions: last-writer history table of 3 KB, 4 ways of 256 sets of 3
 * bytes; its filter of 2 KB, 4 ways of 256 rows of 2 bytes; 1024 entries of 19 bytes; read-write
 * buffers of 32 KB, 4096 words of 8 bytes; reference counts of 15 KB, 3072 of 5 bytes. Times of
 * 16 KB are 512 rows of 4 ways of 8 bytes, shared by the partitions. For each core a conflict
 * address table of 12 KB, 3072 addresses of 4 bytes.
 */
const struct vgpu_wtm_setup vgpu_wtm_getm = {
	.seed = 1,
	.cores = 15,
	.partitions = 6,
	.entries = 1024,
	.words = 4096,
	.log_words = 1024,
	.lwhr_ways = 4,
	.lwhr_sets = 256,
	.filter_ways = 4,
	.filter_rows = 256,
	.tcd_ways = 4,
	.tcd_rows = 512 / 6,
	.tcd_bytes = 128,
	.count_ways = 4,
	.count_sets = 3072 / 4,
	.conflict_ways = 4,
	.conflict_sets = 3072 / 4,
};

static const char *check_tables(const struct vgpu_wtm_setup *setup)
{
	if (is_outside(setup->lwhr_ways, 1, 64) || is_outside(setup->lwhr_sets, 1, 1u << 20))
		return "lwhr_ways: 1 to 64; lwhr_sets: 1 to 2^20";
	if (is_outside(setup->filter_ways, 1, VGPU_TM_WAYS) ||
	    is_outside(setup->filter_rows, 1, 1u << 20))
		return "filter_ways: 1 to 4; filter_rows: 1 to 2^20";
	if (is_outside(setup->tcd_ways, 1, VGPU_TM_WAYS) ||
	    is_outside(setup->tcd_rows, 1, 1u << 20))
		return "tcd_ways: 1 to 4; tcd_rows: 1 to 2^20";
	if (is_outside(setup->tcd_bytes, VGPU_WTM_WORD_BYTES, 1u << 20))
		return "tcd_bytes: 4 to 2^20";
	if (is_outside(setup->count_ways, 1, 64) || is_outside(setup->count_sets, 1, 1u << 20))
		return "count_ways: 1 to 64; count_sets: 1 to 2^20";
	if (is_outside(setup->conflict_ways, 1, 64) ||
	    is_outside(setup->conflict_sets, 1, 1u << 20))
		return "conflict_ways: 1 to 64; conflict_sets: 1 to 2^20";
	return NULL;
}

const char *vgpu_wtm_check(const struct vgpu_wtm_setup *setup)
{
	if (is_outside(setup->cores, 1, 0xffff))
		return "cores: 1 to 65535";
	if (is_outside(setup->partitions, 1, 0xffff))
		return "partitions: 1 to 65535";
	if (is_outside(setup->entries, 1, 1u << 20))
		return "entries: 1 to 2^20";
	if (is_outside(setup->words, 1, 1u << 20))
		return "words: 1 to 2^20";
	if (is_outside(setup->log_words, 1, setup->words))
		return "log_words: 1 to words";
	if (setup->tcd >= VGPU_TCD_RULES)
		return "tcd: there is no rule of this number";
	if (setup->fault >= VGPU_WTM_FAULTS ||
	    (setup->fault && setup->fault < VGPU_WTM_NO_VALIDATION))
		return "fault: 0, or 10 to 14";
	return check_tables(setup);
}

void vgpu_wtm_init(struct vgpu_wtm *wtm, const struct vgpu_wtm_setup *setup)
{
	u32 bytes = sizeof(struct vgpu_wtm_unit);

	wtm->setup = *setup;
	vgpu_tm_h3_fill(wtm->h3, setup->seed);
	vgpu_tm_h3_fill(wtm->h3 + 2 * VGPU_TM_WAYS, setup->seed + 1);
	place(&bytes, setup->entries, sizeof(struct vgpu_wtm_entry));
	wtm->at_words = place(&bytes, setup->words, sizeof(struct vgpu_wtm_kept));
	wtm->at_lines = place(&bytes, setup->lwhr_ways * setup->lwhr_sets,
			      sizeof(struct vgpu_wtm_line));
	wtm->at_filter = place(&bytes, setup->filter_ways * setup->filter_rows, sizeof(u64));
	wtm->at_times = place(&bytes, setup->tcd_ways * setup->tcd_rows, sizeof(u64));
	wtm->at_counts = place(&bytes, setup->count_ways * setup->count_sets,
			       sizeof(struct vgpu_eapg_line));
	wtm->bytes = bytes;
}
