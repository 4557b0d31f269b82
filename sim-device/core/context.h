/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Contexts and the context table (Tanasic 5.2.1): a process on the device with its address space,
 * queues, modules, command buffer and fate.
 */
#ifndef VGPU_CONTEXT_H
#define VGPU_CONTEXT_H

#include "../vgpu_device.h"
#include "../exec/command_buffer.h"
#include "../exec/standing.h"
#include "../mmu/mmu.h"

struct vgpu_module;

#define VGPU_MODULES_MAX	4096u	/* modules loaded at once in one context */
#define VGPU_MODULE_BYTES_MAX \
	(64u << 20) /* of one context, unloaded ones that launches still hold included */

/**
 * struct vgpu_module_ref - a loaded module: the table holds one reference, every pending launch of
 * it another
 */
struct vgpu_module_ref {
	struct vgpu_context *ctx;
	u32 refs;
	u32 bytes;
	struct vgpu_module *code;
};

struct vgpu_context {
	u32 id;
	u64 label;
	s32 priority;			/* higher is more important */
	bool dead;
	struct vgpu_fault fault;
	struct vgpu_address_space *as;
	u32 queues;
	struct vgpu_module_ref **modules;	/* handle - 1; NULL: free */
	u32 modules_room;
	u32 modules_count;
	u32 module_bytes;		/* at most VGPU_MODULE_BYTES_MAX */
	struct vgpu_command_buffer buffer;
	struct vgpu_standing standing;
	/* accounting, as in struct vgpu_context_info */
	u64 kernels;
	u64 blocks;
	u64 copies;
	u64 copied_bytes;
	u64 instructions;
	u64 thread_instructions;
	struct vgpu_account account;	/* without what is under way: accounting.c adds that */
	u32 queued;			/* kernels that have arrived and not started */
	u64 queued_since;		/* account.kernel_queued is right up to here */
	/* of all its kernels, ends less arrivals: what their states must add up to */
	u64 kernel_life;
	u64 block_life;			/* the same of thread blocks and their first issue */
};

/**
 * struct vgpu_context_table - open contexts in the order of their ids, which is the order in which
 * they were opened
 */
struct vgpu_context_table {
	struct vgpu_context **list;
	u32 count;
	u32 room;
	u32 last_id;
	/* alive on the device, unloaded ones that kernels still hold included */
	u64 modules;
};

/* Does it take part? One that is dead or has no queues never launches anything. */
static inline bool vgpu_context_is_process(const struct vgpu_context *ctx)
{
	return !ctx->dead && ctx->queues;
}

/* A rank for policies of both engines: the highest priority comes first. */
static inline u64 vgpu_rank_by_priority(const struct vgpu_context *ctx)
{
	return (u64)(0x7fffffffll - ctx->priority);
}

struct vgpu_context *vgpu_context_find(const struct vgpu_device *dev, u32 id);

/**
 * vgpu_context_die - a context's first fault: it stops, its pending commands complete with -EIO,
 * others go on
 *
 * @fault needs everything but the time. Does nothing to a context that is dead. Blocks, kernels and
 * commands of the context are gone on return.
 */
void vgpu_context_die(struct vgpu_device *dev, struct vgpu_context *ctx,
		      const struct vgpu_fault *fault);

/* Module handles (modules.c). get() takes a reference, NULL: no such handle. */
struct vgpu_module_ref *vgpu_module_get(struct vgpu_context *ctx, u32 handle);
void vgpu_module_put(struct vgpu_device *dev, struct vgpu_module_ref *ref);
void vgpu_modules_drop(struct vgpu_device *dev, struct vgpu_context *ctx);

#endif
