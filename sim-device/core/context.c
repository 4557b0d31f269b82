// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The context table: opening, closing, death, memory, accounts. Everything of a context can end at
 * any moment: kernels first, then transfers, then the commands, so that no engine holds what is
 * freed.
 */
#include "device.h"
#include "trace.h"

/* Ids only grow and the list is in their order. */
static u32 position(const struct vgpu_context_table *table, u32 id)
{
	u32 low = 0;
	u32 high = table->count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (table->list[middle]->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct vgpu_context *vgpu_context_find(const struct vgpu_device *dev, u32 id)
{
	const struct vgpu_context_table *table = &dev->contexts;
	u32 at = position(table, id);

	return at < table->count && table->list[at]->id == id ? table->list[at] : NULL;
}

static int grow(struct vgpu_context_table *table)
{
	u32 room = table->room ? table->room * 2 : 16;
	struct vgpu_context **list;

	if (table->count < table->room)
		return 0;
	list = vgpu_mem_alloc(room * sizeof(*list));
	if (!list)
		return -ENOMEM;
	if (table->count)
		memcpy(list, table->list, table->count * sizeof(*list));
	vgpu_mem_free(table->list);
	table->list = list;
	table->room = room;
	return 0;
}

int vgpu_context_open(struct vgpu_device *dev, u64 label, u32 *id)
{
	struct vgpu_context_table *table = &dev->contexts;
	struct vgpu_context *ctx;
	int err;

	if (table->last_id == ~0u)
		return -ENOSPC;
	err = grow(table);
	if (!err)
		err = vgpu_standing_reserve(&dev->exec, table->count + 1);
	if (err)
		return err;
	ctx = vgpu_mem_alloc(sizeof(*ctx));
	if (!ctx)
		return -ENOMEM;
	err = vgpu_as_create(&dev->mmu, table->last_id + 1, &ctx->as);
	if (err) {
		vgpu_mem_free(ctx);
		return err;
	}
	ctx->id = ++table->last_id;
	ctx->label = label;
	ctx->standing.tokens = VGPU_TOKENS_SHARE;
	table->list[table->count++] = ctx;
	vgpu_trace_context(dev, VGPU_TRACE_CONTEXT_OPEN, ctx->id, label, 0);
	*id = ctx->id;
	return 0;
}

int vgpu_context_priority(struct vgpu_device *dev, u32 context, s32 priority)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	ctx->priority = priority;
	vgpu_transfer_rerank(dev);
	vgpu_exec_rerank(dev);
	return 0;
}

int vgpu_context_tokens(struct vgpu_device *dev, u32 context, u32 tokens)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	if (tokens > VGPU_TOKENS_MAX && tokens != VGPU_TOKENS_SHARE)
		return -EINVAL;
	ctx->standing.tokens = tokens;
	vgpu_exec_rerank(dev);
	return 0;
}

static void stop(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	vgpu_exec_abort(dev, ctx);
	vgpu_transfer_abort(dev, ctx);
	vgpu_queues_abort(dev, ctx);
}

void vgpu_context_die(struct vgpu_device *dev, struct vgpu_context *ctx,
		      const struct vgpu_fault *fault)
{
	if (ctx->dead)
		return;
	ctx->dead = true;
	ctx->fault = *fault;
	ctx->fault.time = dev->now;
	vgpu_trace_context(dev, VGPU_TRACE_FAULT, ctx->id, fault->reason, fault->address);
	dev->ops->context_died(dev->host, ctx->id, &ctx->fault);
	stop(dev, ctx);
	vgpu_exec_rerank(dev);
}

int vgpu_context_end(struct vgpu_device *dev, u32 context, const struct vgpu_fault *fault)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	vgpu_context_die(dev, ctx, fault);
	return 0;
}

int vgpu_context_close(struct vgpu_device *dev, u32 context)
{
	struct vgpu_context_table *table = &dev->contexts;
	struct vgpu_context *ctx = vgpu_context_find(dev, context);
	u32 at;

	if (!ctx)
		return -ENOENT;
	stop(dev, ctx);
	vgpu_queues_release(dev, ctx);
	vgpu_modules_drop(dev, ctx);
	vgpu_as_destroy(ctx->as);
	vgpu_account_close(dev, ctx);
	vgpu_trace_context(dev, VGPU_TRACE_CONTEXT_CLOSE, ctx->id, ctx->fault.reason, 0);
	at = position(table, context);
	table->count--;
	memmove(&table->list[at], &table->list[at + 1], (table->count - at) * sizeof(*table->list));
	vgpu_mem_free(ctx);
	vgpu_exec_rerank(dev);
	return 0;
}

int vgpu_context_info(const struct vgpu_device *dev, u32 context, struct vgpu_context_info *info)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	memset(info, 0, sizeof(*info));
	info->id = ctx->id;
	info->queues = ctx->queues;
	info->modules = ctx->modules_count;
	info->dead = ctx->dead;
	info->mapped_bytes = vgpu_as_mapped_bytes(ctx->as);
	info->resident_bytes = vgpu_as_resident_bytes(ctx->as);
	info->kernels = ctx->kernels;
	info->blocks = ctx->blocks;
	info->copies = ctx->copies;
	info->copied_bytes = ctx->copied_bytes;
	vgpu_account_context(dev, ctx, info);
	info->fault = ctx->fault;
	return 0;
}

int vgpu_memory_map(struct vgpu_device *dev, u32 context, u64 address, u64 bytes)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	if (ctx->dead)
		return -EIO;
	return vgpu_as_map(ctx->as, address, bytes, VGPU_MAPPING_DEVICE);
}

int vgpu_memory_unmap(struct vgpu_device *dev, u32 context, u64 address, u64 bytes)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);

	return ctx ? vgpu_as_unmap(ctx->as, address, bytes) : -ENOENT;
}
