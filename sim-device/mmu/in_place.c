// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Memory of the host that SMs use in place: host memory, and managed pages for which there is no
 * room. What an access costs; see access.h. Requests and acknowledgements are taken to be small:
 * only data uses the bandwidth of the interconnect.
 */
#include "address_space.h"

/* Chosen: the least that crosses, as the least that GPUs read of their own memory. */
#define SECTOR_SHIFT	5
#define SEGMENT_SHIFT	7	/* as lanes count traffic of memory */

u8 *vgpu_host_bytes(const struct vgpu_address_space *as, u64 address)
{
	const struct vgpu_frame_table *frames = &as->mmu->frames;

	return frames->ops.managed_page(frames->host, as->context,
					address & ~(u64)(VGPU_PAGE_SIZE - 1));
}

/*
 * How many different units of 1 << @shift bytes @lanes touch: each lane's bytes lie in one, and
 * mostly in that of the lane before.
 */
static u32 different(const struct vgpu_access *access, u32 lanes, u32 shift)
{
	u64 seen[32], unit;
	u32 count = 0, n;

	for (; lanes; lanes &= lanes - 1) {
		unit = access->address[__builtin_ctz(lanes)] >> shift;
		for (n = count; n && seen[n - 1] != unit;)
			n--;
		if (!n)
			seen[count++] = unit;
	}
	return count;
}

/* From the present time on until @bytes have crossed, which begin at @elapsed or later */
static u64 transfer(struct vgpu_faults *faults, enum vgpu_link_path path, u64 elapsed, u64 bytes)
{
	u64 now = faults->sim->now;
	u64 reserved = vgpu_link_reserve(&faults->link, path, now, bytes) - now;
	u64 alone = elapsed + vgpu_link_time(&faults->link, bytes);

	return reserved > alone ? reserved : alone;
}

struct vgpu_crossing vgpu_mmu_cross(struct vgpu_address_space *as,
				    const struct vgpu_access *access, u32 lanes, u64 elapsed)
{
	struct vgpu_faults *faults = &as->mmu->faults;
	u64 bytes = (u64)different(access, lanes, SECTOR_SHIFT) << SECTOR_SHIFT;
	u64 there = elapsed, back = elapsed;

	if (access->kind != VGPU_ACCESS_LOAD)
		there = transfer(faults, VGPU_LINK_TO_HOST, elapsed, bytes);
	if (access->kind != VGPU_ACCESS_STORE)
		back = transfer(faults, VGPU_LINK_TO_DEVICE, there, bytes) +
		       as->mmu->config->link_access_ps;
	return (struct vgpu_crossing){
		.cost_ps = (back > there ? back : there) - elapsed,
		.segments = different(access, lanes, SEGMENT_SHIFT),
	};
}
