// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The memory of a device as a whole.
 */
#include "page_table.h"

int vgpu_mmu_init(struct vgpu_mmu *mmu, struct vgpu_sim *sim,
		  const struct vgpu_mmu_config *config, const struct vgpu_frame_ops *ops,
		  void *host)
{
	memset(mmu, 0, sizeof(*mmu));
	mmu->capacity = config->capacity;
	mmu->walk_ps = config->walk_ps;
	mmu->frames.ops = *ops;
	mmu->frames.host = host;
	mmu->arrivals.arrived = vgpu_as_page_arrived;
	return vgpu_arrivals_init(&mmu->arrivals, sim, config->arrival_ps);
}

void vgpu_mmu_fini(struct vgpu_mmu *mmu)
{
	VGPU_CHECK(!mmu->promised && !mmu->page_tables);
	vgpu_frames_fini(&mmu->frames);
	vgpu_arrivals_fini(&mmu->arrivals);
}
