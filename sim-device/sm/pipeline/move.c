// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The state of a block leaves an SM that others share, or comes back to it (SMK 5.1): as requests
 * to memory, a line each, through the port of the SM. One begins in a cycle; where the load/store
 * unit has one for the port too, the two take turns. A save is stores and a restore loads that pass
 * the L1, so what the cache has is not disturbed, and L2 and DRAM serve both as they serve all.
 *
 * The save area has numbers of frames that no frame has, so its lines are nobody else's. The bytes
 * themselves are in the block all the time: what the requests carry is nothing, and what they bring
 * is not looked at.
 */
#include "pipeline.h"

/* of the address space: no process has this page, so nothing of it is in an L1 */
#define MOVE_PAGE	VGPU_SYSTEM_BASE
#define MOVE_FRAMES	(1ull << 52)	/* the first of the save area */
#define LAUNCH_LINES	26u		/* bits */
#define PAGE_LINES	(VGPU_PAGE_SIZE / VGPU_LINE)

static void *owner_of(struct vgpu_pipe *p)
{
	return &p->move;
}

/* Bits for the first @bytes of a line, in whole sectors. */
static void mask_of(u64 bytes, u64 mask[2])
{
	u32 sectors = (u32)((bytes + VGPU_SECTOR - 1) / VGPU_SECTOR);

	mask[0] = sectors == 1 ? 0xffffffffull : ~0ull;
	mask[1] = sectors > 3 ? ~0ull : sectors == 3 ? 0xffffffffull : 0;
}

/* It has ended if nothing is left: the window ends with it. */
static void maybe_end(struct vgpu_pipe *p)
{
	struct vgpu_pipe_move *move = &p->move;

	if (move->left || move->flying || move->due > p->cycle)
		return;
	move->ended = true;
	p->cut = true;
}

bool vgpu_pipe_move_wants(const struct vgpu_pipe *p)
{
	return p->move.left && (!p->send_count || p->move.turn);
}

void vgpu_pipe_move_send(struct vgpu_pipe *p)
{
	struct vgpu_pipe_move *move = &p->move;
	u64 bytes = move->left < VGPU_LINE ? move->left : VGPU_LINE;
	struct vgpu_port_answer answer = {};
	struct vgpu_mem_access access = {
		.cycle = p->cycle,
		.address = MOVE_PAGE + move->line % PAGE_LINES * VGPU_LINE,
		.frame = MOVE_FRAMES + move->line / PAGE_LINES,
		.line = p->move_lines + VGPU_LINE,
		.data = p->move_lines,
		.owner = owner_of(p),
		.counters = move->counters,
		.kind = move->save ? VGPU_MEM_STORE : VGPU_MEM_LOAD,
		.cache = move->save ? VGPU_CACHE_NONE : VGPU_CACHE_CG,
	};
	enum vgpu_mem_result result;

	mask_of(bytes, access.mask);
	result = p->port->model->access(p->port, &access, &answer);
	if (result == VGPU_MEM_BUSY) {
		p->busy = true;
		return;
	}
	if (result == VGPU_MEM_SENT)
		move->flying++;
	else if (answer.cycle > move->due)
		move->due = answer.cycle;
	move->turn = false;
	move->line++;
	move->left -= bytes;
}

void vgpu_pipe_move_answered(struct vgpu_pipe *p, const struct vgpu_mem_response *response)
{
	if (response->owner == owner_of(p))
		p->move.flying--;
}

void vgpu_pipe_move_cycle(struct vgpu_pipe *p)
{
	if (!p->move.ended)
		maybe_end(p);
}

u64 vgpu_pipe_move_next(const struct vgpu_pipe *p)
{
	const struct vgpu_pipe_move *move = &p->move;

	if (!p->sm->moving || move->ended)
		return VGPU_NEVER;
	if (move->left)
		return p->busy ? VGPU_NEVER : p->cycle;
	return move->flying ? VGPU_NEVER : move->due;
}

void vgpu_pipe_move_report(struct vgpu_pipe *p)
{
	if (!p->move.ended)
		return;
	p->move.ended = false;
	p->sm->moving = false;
	p->sm->env->ops->moved(p->sm);
}

/* The blocks of a launch lie one behind the other, launches far apart. */
static u64 first_line(const struct vgpu_block *block, u64 bytes)
{
	u64 lines = (bytes + VGPU_LINE - 1) / VGPU_LINE;

	return ((u64)block->launch->id << LAUNCH_LINES) + block->index * lines;
}

bool vgpu_pipe_move(struct vgpu_sm *sm, const struct vgpu_block *block, u64 bytes)
{
	struct vgpu_pipe *p = sm->pipe;

	if (!bytes)
		return false;
	p->move = (struct vgpu_pipe_move){
		.line = first_line(block, bytes),
		.left = bytes,
		.save = block->state == VGPU_BLOCK_SAVING,
		.counters = vgpu_launch_counters(block->launch, sm->index),
	};
	sm->moving = true;
	vgpu_pipe_kick(p, 0);
	return true;
}

void vgpu_pipe_stop_move(struct vgpu_sm *sm)
{
	struct vgpu_pipe *p = sm->pipe;

	p->port->model->disown(p->port, owner_of(p));
	p->move = (struct vgpu_pipe_move){};
}
