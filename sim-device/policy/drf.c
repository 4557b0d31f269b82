// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Dominant resource fairness and quotas; see drf.h.
 */
#include "drf.h"

static u64 share_of(const struct vgpu_drf_kernel *kernel, u32 blocks,
		    const struct vgpu_resources *all)
{
	struct vgpu_resources used = {};

	vgpu_resources_add(&used, &kernel->needs, blocks);
	return vgpu_resources_share(&used, all);
}

/* Does @a come before @b, which is further up in the list? */
static bool comes_before(const struct vgpu_drf_kernel *a, const struct vgpu_drf_kernel *b,
			 const struct vgpu_resources *all, bool first)
{
	u64 of_a = share_of(a, a->blocks, all), of_b = share_of(b, b->blocks, all);

	if (of_a != of_b)
		return of_a < of_b;
	return !first && share_of(a, 1, all) < share_of(b, 1, all);
}

static bool has_room(const struct vgpu_drf_kernel *kernel, const struct vgpu_resources *used,
		     const struct vgpu_resources *all)
{
	return (!kernel->most || kernel->blocks < kernel->most) &&
	       vgpu_resources_fit(used, &kernel->needs, all);
}

void vgpu_drf_divide(struct vgpu_drf_kernel *kernels, u32 count, const struct vgpu_resources *all)
{
	struct vgpu_resources used = {};
	struct vgpu_drf_kernel *next;

	for (u32 n = 0; n < count; n++)
		vgpu_resources_add(&used, &kernels[n].needs, kernels[n].blocks);
	for (;;) {
		next = NULL;
		for (u32 n = 0; n < count; n++)
			if (has_room(&kernels[n], &used, all) &&
			    (!next || comes_before(&kernels[n], next, all, !used.blocks)))
				next = &kernels[n];
		if (!next)
			return;
		next->blocks++;
		vgpu_resources_add(&used, &next->needs, 1);
	}
}

/* C of 5.4 in 2^-32 of the issue slots. */
static u64 cycles_of(const struct vgpu_quota_kernel *kernel)
{
	u64 x = kernel->slots ? vgpu_mul_div(kernel->instructions, VGPU_SHARE_ONE, kernel->slots) :
				VGPU_SHARE_ONE;

	return kernel->alone ? vgpu_mul_div(x, kernel->blocks, kernel->alone) : 0;
}

void vgpu_quota_divide(struct vgpu_quota_kernel *kernels, u32 count, u64 epoch)
{
	u64 sum = 0;

	for (u32 n = 0; n < count; n++)
		sum += cycles_of(&kernels[n]);
	for (u32 n = 0; n < count; n++) {
		u64 quota = sum ? vgpu_mul_div(cycles_of(&kernels[n]), epoch, sum) : 0;

		kernels[n].quota = !kernels[n].blocks ? 0 : quota ? quota : 1;
	}
}
