// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The four resources of an SM and their shares (SMK 5.2); see ../vgpu_policy.h.
 *
 * Shares are compared, so equal parts must be equal numbers: the part is rounded down from the
 * exact one, and of two parts that differ by 2^-32 or more the larger one is the larger number.
 */
#include "../platform.h"
#include "../vgpu_policy.h"

/* used / all in 2^-32; both below 2^44, more than devices have. */
static u64 part(u64 used, u64 all)
{
	return all ? vgpu_mul_div(used, VGPU_SHARE_ONE, all) : 0;
}

static u64 larger(u64 a, u64 b)
{
	return a > b ? a : b;
}

u64 vgpu_resources_share(const struct vgpu_resources *used, const struct vgpu_resources *all)
{
	return larger(larger(part(used->registers, all->registers),
			     part(used->shared_bytes, all->shared_bytes)),
		      larger(part(used->threads, all->threads), part(used->blocks, all->blocks)));
}

void vgpu_resources_add(struct vgpu_resources *sum, const struct vgpu_resources *one, u64 count)
{
	sum->registers += one->registers * count;
	sum->shared_bytes += one->shared_bytes * count;
	sum->threads += one->threads * count;
	sum->blocks += one->blocks * count;
}

void vgpu_resources_sub(struct vgpu_resources *sum, const struct vgpu_resources *one, u64 count)
{
	sum->registers -= one->registers * count;
	sum->shared_bytes -= one->shared_bytes * count;
	sum->threads -= one->threads * count;
	sum->blocks -= one->blocks * count;
}

bool vgpu_resources_fit(const struct vgpu_resources *used, const struct vgpu_resources *more,
			const struct vgpu_resources *all)
{
	return used->registers + more->registers <= all->registers &&
	       used->shared_bytes + more->shared_bytes <= all->shared_bytes &&
	       used->threads + more->threads <= all->threads &&
	       used->blocks + more->blocks <= all->blocks;
}
