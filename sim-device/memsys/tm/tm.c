// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The setup of GETM's units; see tm.h.
 */
#include "h3.h"
#include "layout.h"
#include "tm.h"

/*
 * 4K entries of the precise and 1K of the approximate tables are shared by 6 partitions and 4 ways.
 * The commit unit's 16 KB are 512 regions of 32 bytes.
 */
const struct vgpu_tm_setup vgpu_tm_getm = {
	.seed = 1,
	.limit = 0xffffffffu,
	.cores = 15,
	.partitions = 6,
	.precise_ways = 4,
	.precise_rows = 4096 / 6 / 4,
	.stash = 4,
	.overflow = 1024,
	.probes = 32,
	.evict_percent = 70,
	.approximate_ways = 4,
	.approximate_rows = 1024 / 6 / 4,
	.stall_lines = 4,
	.stall_entries = 4,
	.commit_regions = 512,
	.backoff = 64,
	.backoff_doublings = 8,
	.rule = VGPU_TM_UNIQUE,
};

const char *vgpu_tm_check(const struct vgpu_tm_setup *setup)
{
	if (!setup->limit || setup->limit >= VGPU_TM_TIME_MOST)
		return "limit: 1 to 2^47 - 1";
	if (is_outside(setup->cores, 1, 0xffff))
		return "cores: 1 to 65535";
	if (is_outside(setup->partitions, 1, 0xffff))
		return "partitions: 1 to 65535";
	if (is_outside(setup->precise_ways, 1, VGPU_TM_WAYS) ||
	    is_outside(setup->approximate_ways, 1, VGPU_TM_WAYS))
		return "precise_ways and approximate_ways: 1 to 4";
	if (is_outside(setup->precise_rows, 1, 1u << 20) ||
	    is_outside(setup->approximate_rows, 1, 1u << 20))
		return "precise_rows and approximate_rows: 1 to 2^20";
	if (setup->stash > 64)
		return "stash: 64 at most";
	if (setup->overflow > 1u << 20)
		return "overflow: 2^20 at most";
	if (setup->probes > 1024)
		return "probes: 1024 at most";
	if (setup->evict_percent > 100)
		return "evict_percent: 100 at most";
	if (is_outside(setup->stall_lines, 1, 1024) || is_outside(setup->stall_entries, 1, 1024))
		return "stall_lines and stall_entries: 1 to 1024";
	if (is_outside(setup->commit_regions, 1, 1u << 16))
		return "commit_regions: 1 to 2^16";
	if (setup->backoff > 1u << 16 || setup->backoff_doublings > 16)
		return "backoff: 2^16 at most, doubled 16 times at most";
	if (setup->rule >= VGPU_TM_RULES || setup->fault >= VGPU_TM_FAULTS)
		return "rule and fault: there is none of this number";
	return NULL;
}

void vgpu_tm_init(struct vgpu_tm *tm, const struct vgpu_tm_setup *setup)
{
	u32 bytes = sizeof(struct vgpu_tm_unit);

	tm->setup = *setup;
	vgpu_tm_h3_fill(tm->h3, setup->seed);
	place(&bytes, setup->precise_ways * setup->precise_rows, sizeof(struct vgpu_tm_entry));
	tm->at_stash = place(&bytes, setup->stash, sizeof(struct vgpu_tm_entry));
	tm->at_overflow = place(&bytes, setup->overflow, sizeof(struct vgpu_tm_entry));
	tm->at_approximate = place(&bytes, setup->approximate_ways * setup->approximate_rows,
				   sizeof(struct vgpu_tm_seen));
	tm->at_lines = place(&bytes, setup->stall_lines, sizeof(struct vgpu_tm_line));
	tm->at_waiters = place(&bytes, setup->stall_lines * setup->stall_entries,
			       sizeof(struct vgpu_tm_request));
	tm->at_regions = place(&bytes, setup->commit_regions, sizeof(struct vgpu_tm_region));
	tm->bytes = bytes;
}
