// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The commit unit; see commit.h.
 */
#include "commit.h"
#include "validation.h"

static u32 slot_of(const struct vgpu_tm *tm, const struct vgpu_tm_unit *unit, u32 n)
{
	return (unit->region + n) % tm->setup.commit_regions;
}

bool vgpu_tm_commit_add(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
			const struct vgpu_tm_log *log, u32 *slot)
{
	struct vgpu_tm_region *regions = vgpu_tm_regions(tm, unit);

	for (u32 n = 0; n < unit->regions; n++) {
		*slot = slot_of(tm, unit, n);
		if (regions[*slot].granule != log->granule)
			continue;
		regions[*slot].writes += log->writes;
		regions[*slot].commits |= log->commits;
		return true;
	}
	if (unit->regions == tm->setup.commit_regions)
		return false;
	*slot = slot_of(tm, unit, unit->regions++);
	regions[*slot] = (struct vgpu_tm_region){ log->granule, log->writes, log->commits };
	return true;
}

bool vgpu_tm_commit_drain(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
			  struct vgpu_tm_drained *drained)
{
	struct vgpu_tm_region *region = &vgpu_tm_regions(tm, unit)[unit->region];

	if (!unit->regions)
		return false;
	memset(drained, 0, sizeof(*drained));
	drained->granule = region->granule;
	drained->slot = unit->region;
	drained->commits = region->commits;
	if (region->commits || tm->setup.fault != VGPU_TM_ABORT_KEEPS_LOCK)
		drained->lost = !vgpu_tm_release(tm, unit, region->granule, region->writes,
						 &drained->cost);
	memset(region, 0, sizeof(*region));
	unit->region = slot_of(tm, unit, 1);
	unit->regions--;
	return true;
}
