// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What the table of a host that watches is told (watch.h), from what SMs, blocks and lanes say.
 */
#include "warps.h"
#include "lanes/watch_lanes.h"

/* ---- launches and blocks ------------------------------------------------ */

static void begin_launch(const struct vgpu_watch *watch, struct vgpu_launch *launch)
{
	const struct vgpu_vass_kernel *vass = &launch->kernel->vass;
	struct vgpu_watch_launch what = {
		.id = launch->id,
		.context = launch->context,
		.queue = launch->queue,
		.seq = launch->seq,
		.module = launch->module,
		.kernel = launch->kernel_index,
		.name = launch->kernel->name,
		.threads = launch->threads,
		.warps = launch->warps,
		.shared_bytes = launch->shared_bytes,
		.dynamic_shared = launch->dynamic_shared,
		.local_bytes = vass->local_bytes,
		.code = launch->kernel->code,
		.code_count = vass->code_count,
		.params = launch->params,
		.param_bytes = launch->param_bytes,
	};

	memcpy(what.grid, launch->grid, sizeof(what.grid));
	memcpy(what.block, launch->block, sizeof(what.block));
	launch->watched = watch->ops->launch_begin(watch->host, &what);
}

void vgpu_watch_launch_end(const struct vgpu_watch *watch, struct vgpu_launch *launch)
{
	if (unlikely(launch->watched))
		watch->ops->launch_end(watch->host, launch->watched);
	launch->watched = NULL;
}

void vgpu_watch_block_begin(struct vgpu_block *block)
{
	const struct vgpu_watch *watch = &block->sm->env->watch;

	if (!block->launch->watched)
		begin_launch(watch, block->launch);
	if (block->launch->watched)
		block->warps->watched = watch->ops->block_begin(
			watch->host, block->launch->watched, block->index, block->warps->index);
}

void vgpu_watch_block_end(struct vgpu_warps *warps)
{
	const struct vgpu_watch *watch = &warps->home->env->watch;

	watch->ops->block_end(watch->host, warps->watched, warps->exited != warps->count);
	warps->watched = NULL;
}

/* ---- barriers and faults ------------------------------------------------ */

static struct vgpu_watch_warp of_block(const struct vgpu_warps *warps, const struct vgpu_warp *w)
{
	return (struct vgpu_watch_warp){ warps->watched, w->index, w->live };
}

void vgpu_watch_barrier_arrive(const struct vgpu_warps *warps, const struct vgpu_warp *w)
{
	const struct vgpu_watch *watch = &warps->home->env->watch;
	struct vgpu_watch_warp who = of_block(warps, w);
	struct vgpu_watch_barrier barrier = {
		.pc = w->bar_pc,
		.lanes = w->bar_mask,
		.id = VGPU_BAR_ID(w->bar.imm),
		.threads = VGPU_BAR_THREADS(w->bar.imm),
	};

	watch->ops->barrier_arrive(watch->host, &who, &barrier);
}

void vgpu_watch_barrier_leave(const struct vgpu_warps *warps, u32 id)
{
	const struct vgpu_watch *watch = &warps->home->env->watch;
	u32 bits[VGPU_WATCH_WARPS / 32] = {};

	for (u32 n = 0; n < warps->count && n < VGPU_WATCH_WARPS; n++) {
		const struct vgpu_warp *w = &warps->warp[n];

		if (w->state == VGPU_WARP_BARRIER && VGPU_BAR_ID(w->bar.imm) == id)
			bits[n / 32] |= 1u << n % 32;
	}
	watch->ops->barrier_leave(watch->host, warps->watched, id, bits);
}

/* The lanes of @w that were about to execute @insn. */
static u32 executing(const struct vgpu_warp *w, const struct vgpu_insn *insn)
{
	u32 guard = w->preds[insn->guard & 63] ^ (0u - (insn->guard >> 6 & 1u));

	return w->active & ~w->done & guard;
}

static bool of_access(u32 reason)
{
	switch (reason) {
	case VGPU_FAULT_UNMAPPED:
	case VGPU_FAULT_MISALIGNED:
	case VGPU_FAULT_SHARED_RANGE:
	case VGPU_FAULT_LOCAL_RANGE:
	case VGPU_FAULT_ADDRESS_SPACE:
	case VGPU_FAULT_SYSTEM:
		return true;
	default:
		return false;
	}
}

void vgpu_watch_fault(const struct vgpu_block *block, const struct vgpu_warp *w,
		      const struct vgpu_fault *fault, u32 lane)
{
	const struct vgpu_watch *watch = &block->sm->env->watch;
	const struct vgpu_insn *insn = block->launch->kernel->code + fault->pc;
	struct vgpu_watch_warp who = of_block(block->warps, w);
	struct vgpu_watch_fault told = {
		.reason = fault->reason,
		.pc = fault->pc,
		.lane = lane,
		.address = fault->address,
		.bytes = fault->bytes,
		.write = fault->write,
	};
	u32 m = executing(w, insn);
	u64 at[VGPU_LANES];

	/* the instruction has done nothing: its operands are what they were */
	if (of_access(fault->reason) && m) {
		vgpu_watch_addresses(w, insn, m, at);
		vgpu_watch_access(&block->sm->run->lanes, fault->pc, m, at, true);
	}
	watch->ops->fault(watch->host, &who, &told);
}

/* ---- instructions ------------------------------------------------------- */

static struct vgpu_watch_warp running(const struct vgpu_lanes *s)
{
	return of_block(s->watched, s->warp);
}

/* enum vgpu_watch_space, or GENERIC, and enum vgpu_watch_kind */
#define GENERIC		3u

struct shape {
	u8 space;
	u8 kind;
	u8 bytes;	/* of an atomic, but for those of 16 */
};

static u32 bytes_of(const struct vgpu_insn *insn, struct shape shape)
{
	if (shape.kind == VGPU_WATCH_ATOMIC)
		return VGPU_F_ATOM_128(insn->flags) ? 16 : shape.bytes;
	return VGPU_F_SIZE(insn->flags) * VGPU_F_COUNT(insn->flags);
}

static struct shape shape_of(u32 op)
{
	switch (op) {
	case VGPU_OP_LD:
		return (struct shape){ GENERIC, VGPU_WATCH_READ, 0 };
	case VGPU_OP_LDG:
		return (struct shape){ VGPU_WATCH_GLOBAL, VGPU_WATCH_READ, 0 };
	case VGPU_OP_LDS:
		return (struct shape){ VGPU_WATCH_SHARED, VGPU_WATCH_READ, 0 };
	case VGPU_OP_LDL:
		return (struct shape){ VGPU_WATCH_LOCAL, VGPU_WATCH_READ, 0 };
	case VGPU_OP_ST:
		return (struct shape){ GENERIC, VGPU_WATCH_WRITE, 0 };
	case VGPU_OP_STG:
		return (struct shape){ VGPU_WATCH_GLOBAL, VGPU_WATCH_WRITE, 0 };
	case VGPU_OP_STS:
		return (struct shape){ VGPU_WATCH_SHARED, VGPU_WATCH_WRITE, 0 };
	case VGPU_OP_STL:
		return (struct shape){ VGPU_WATCH_LOCAL, VGPU_WATCH_WRITE, 0 };
	case VGPU_OP_ATOM:
		return (struct shape){ GENERIC, VGPU_WATCH_ATOMIC, 4 };
	case VGPU_OP_ATOMG:
		return (struct shape){ VGPU_WATCH_GLOBAL, VGPU_WATCH_ATOMIC, 4 };
	case VGPU_OP_ATOMS:
		return (struct shape){ VGPU_WATCH_SHARED, VGPU_WATCH_ATOMIC, 4 };
	case VGPU_OP_ATOMQ:
		return (struct shape){ GENERIC, VGPU_WATCH_ATOMIC, 8 };
	case VGPU_OP_ATOMGQ:
		return (struct shape){ VGPU_WATCH_GLOBAL, VGPU_WATCH_ATOMIC, 8 };
	default:	/* ATOMSQ */
		return (struct shape){ VGPU_WATCH_SHARED, VGPU_WATCH_ATOMIC, 8 };
	}
}

void vgpu_watch_addresses(const struct vgpu_warp *w, const struct vgpu_insn *insn, u32 m, u64 *at)
{
	u32 space = shape_of(insn->op).space;
	const u32 *low = w->regs + insn->a * VGPU_LANES;
	const u64 *wide = (const u64 *)low;

	/* VGPU_F_ATOM_ABS is the same bit */
	if (insn->flags & VGPU_F_ABS)
		for (u32 l = 0; l < VGPU_LANES; l++)
			at[l] = space == VGPU_WATCH_GLOBAL || space == GENERIC ? insn->imm :
										 (u32)insn->imm;
	else if (space == VGPU_WATCH_GLOBAL || space == GENERIC)
		for (u32 left = m; left; left &= left - 1)
			at[__builtin_ctz(left)] = wide[__builtin_ctz(left)] + insn->imm;
	else
		for (u32 left = m; left; left &= left - 1)
			at[__builtin_ctz(left)] = low[__builtin_ctz(left)] + (u32)insn->imm;
}

static u8 space_at(u64 address)
{
	switch (address & VGPU_WINDOW_MASK) {
	case VGPU_SHARED_WINDOW:
		return VGPU_WATCH_SHARED;
	case VGPU_LOCAL_WINDOW:
		return VGPU_WATCH_LOCAL;
	default:
		return VGPU_WATCH_GLOBAL;
	}
}

/* The lanes @m of a generic access are told of by where they go, offsets as of that space. */
static void tell_generic(const struct vgpu_lanes *s, const struct vgpu_watch_warp *w,
			 struct vgpu_watch_access *access, u32 m, const u64 *at)
{
	u64 offset[VGPU_LANES];

	while (m) {
		u8 space = space_at(at[__builtin_ctz(m)]);

		access->space = space;
		access->lanes = 0;
		for (u32 left = m; left; left &= left - 1) {
			u32 l = (u32)__builtin_ctz(left);

			if (space_at(at[l]) != space)
				continue;
			access->lanes |= 1u << l;
			offset[l] = space == VGPU_WATCH_GLOBAL ? at[l] : at[l] & ~VGPU_WINDOW_MASK;
		}
		access->address = offset;
		s->watch->ops->access(s->watch->host, w, access);
		m &= ~access->lanes;
	}
}

void vgpu_watch_access(const struct vgpu_lanes *s, u32 pc, u32 m, const u64 *at, bool failed)
{
	const struct vgpu_insn *insn = s->code + pc;
	struct shape shape = shape_of(insn->op);
	struct vgpu_watch_warp w = running(s);
	struct vgpu_watch_access access = {
		.kind = shape.kind,
		.space = shape.space,
		.order = VGPU_MEM_ORDER(insn->mem),
		.scope = VGPU_MEM_SCOPE(insn->mem),
		.failed = failed,
		.pc = pc,
		.bytes = bytes_of(insn, shape),
		.lanes = m,
		.address = at,
		.value = shape.kind == VGPU_WATCH_WRITE ? s->warp->regs + insn->b * VGPU_LANES :
							  NULL,
	};

	if (shape.space == GENERIC)
		tell_generic(s, &w, &access, m, at);
	else
		s->watch->ops->access(s->watch->host, &w, &access);
}

void vgpu_watch_sync(const struct vgpu_lanes *s, const struct vgpu_insn *insn, u32 pc, u32 m,
		     const u32 *masks, bool met)
{
	struct vgpu_watch_warp w = running(s);
	struct vgpu_watch_sync sync = { .op = insn->op, .pc = pc, .lanes = m, .mask = masks };

	(met ? s->watch->ops->sync : s->watch->ops->sync_arrive)(s->watch->host, &w, &sync);
}

void vgpu_watch_fence(const struct vgpu_lanes *s, const struct vgpu_insn *insn, u32 pc, u32 m)
{
	struct vgpu_watch_warp w = running(s);

	s->watch->ops->fence(s->watch->host, &w, pc, m, VGPU_MEM_ORDER(insn->mem),
			     VGPU_MEM_SCOPE(insn->mem));
}

void vgpu_watch_exit(const struct vgpu_lanes *s, u32 pc, u32 m)
{
	struct vgpu_watch_warp w = running(s);

	s->watch->ops->exit(s->watch->host, &w, pc, m);
}
