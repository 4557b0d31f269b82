/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Contexts and the context table (Tanasic 5.2.1): a process on the device with its address space,
 * queues, modules, command buffer and fate. Each room below has a part of it.
 */
#ifndef VGPU_CONTEXT_H
#define VGPU_CONTEXT_H

#include "../placement/pressure.h"
#include "../queue/queue.h"
#include "../sim/work.h"

struct vgpu_device;

struct vgpu_context {
	struct vgpu_device *dev;
	u32 id;
	u64 label;
	bool dead;
	struct vgpu_fault fault;
	u64 memory_budget;		/* VGPU_BUDGET_OF_DEVICE: the device's */
	struct vgpu_mem_account memory;	/* of everything below, and of this struct */
	struct vgpu_work work;		/* that was done for it */
	struct vgpu_event death;	/* what is left of it is stopped; see vgpu_context_die() */
	struct vgpu_address_space *as;
	struct vgpu_pressure pressure;	/* what is done where its memory does not fit */
	struct vgpu_module_table modules;
	struct vgpu_exec_context exec;
	struct vgpu_transfer_context transfer;
	struct vgpu_queue_context queue;
};

/**
 * struct vgpu_context_table - open contexts in the order of their ids. Ids are given in a circle
 * without 0 from @last_id on, so that one is not given again soon.
 */
struct vgpu_context_table {
	struct vgpu_context **list;
	u32 count;
	u32 room;
	u32 last_id;
};

/* budget.c: bytes of device memory that it may have beside what it has; ~0: no limit */
u64 vgpu_context_budget_left(const struct vgpu_context *ctx);
struct vgpu_context *vgpu_context_find(const struct vgpu_device *dev, u32 id);

/** vgpu_context_pressure_account - fill what its account has of oversubscription (pressure.c) */
void vgpu_context_pressure_account(const struct vgpu_context *ctx, struct vgpu_account *account);
/** vgpu_context_init_pressure - its SMs, memory and pressure know each other (pressure.c) */
void vgpu_context_init_pressure(struct vgpu_context *ctx);

/**
 * vgpu_context_die - a context's first fault: it stops, its pending commands complete with -EIO,
 * others go on
 *
 * @fault needs everything but the time. Does nothing to a context that is dead. From now on the
 * context executes nothing; its blocks, kernels and commands go in an event right behind the
 * present one, so that nobody's caller loses what it holds.
 */
void vgpu_context_die(struct vgpu_context *ctx, const struct vgpu_fault *fault);

#endif
