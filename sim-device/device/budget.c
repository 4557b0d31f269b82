// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * How much device memory a context may have (memory_budget; docs/memory.md). It is looked at when
 * memory is mapped or allocated, and takes nothing away.
 */
#include "device.h"

static u64 budget_of(const struct vgpu_context *ctx)
{
	return ctx->memory_budget != VGPU_BUDGET_OF_DEVICE ? ctx->memory_budget :
							     ctx->dev->config.memory_budget;
}

u64 vgpu_context_budget_left(const struct vgpu_context *ctx)
{
	u64 budget = budget_of(ctx), used;

	if (likely(!budget))
		return ~0ull;
	used = vgpu_as_device_bytes(ctx->as);
	return used < budget ? budget - used : 0;
}

int vgpu_context_memory_budget(struct vgpu_device *dev, u32 context, u64 bytes)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	ctx->memory_budget = bytes;
	return 0;
}

int vgpu_context_device_info(struct vgpu_device *dev, u32 context, struct vgpu_device_info *info)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);
	u64 left;

	if (!ctx)
		return -ENOENT;
	vgpu_device_info(dev, info);
	info->memory_budget = budget_of(ctx);
	left = vgpu_context_budget_left(ctx);
	info->vram_free = info->vram_free < left ? info->vram_free : left;
	return 0;
}
