// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The memory of a device as a whole.
 */
#include "mmu.h"

void vgpu_mmu_init(struct vgpu_mmu *mmu, u64 capacity, const struct vgpu_frame_ops *ops,
		   void *host)
{
	memset(mmu, 0, sizeof(*mmu));
	mmu->capacity = capacity;
	mmu->frames.ops = *ops;
	mmu->frames.host = host;
}

void vgpu_mmu_fini(struct vgpu_mmu *mmu)
{
	VGPU_CHECK(!mmu->promised && !mmu->page_tables);
	vgpu_frames_fini(&mmu->frames);
}
