// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Records of the stages of instructions and the messages of their accesses (trace_pipeline), for
 * vgpu-trace --pipeline.
 */
#include "pipeline.h"

void vgpu_pipe_trace(struct vgpu_pipe *p, const struct vgpu_pipe_entry *e, u32 flags)
{
	const struct vgpu_block *block = e->warp->block;
	u64 fetched = e->stage[VGPU_STAGE_FETCH];
	bool issued = e->state != VGPU_ENTRY_WAITING && e->state != VGPU_ENTRY_READY &&
		      e->state != VGPU_ENTRY_REFUSED;

	if (!p->config->trace_pipeline)
		return;
	flags |= e->replayed ? VGPU_TRACED_REPLAYED : 0;
	flags |= e->d.flags & VGPU_DEC_GLOBAL ? VGPU_TRACED_ACCESS : 0;
	/* the host may do anything but use the vector unit */
	vgpu_pipe_lanes_end(p);
	vgpu_pipe_turn(p);
	vgpu_trace_emit(p->sm->trace, &(struct vgpu_trace_record){
		.type = VGPU_TRACE_INSTRUCTION,
		.sm = (u16)p->sm->index,
		.context = block->launch->context,
		.kernel = block->launch->id,
		.queue = (u32)e->insn->op << 24 | (e->pc & 0xffffff),
		.seq = fetched,
		.a = (issued ? e->stage[VGPU_STAGE_ISSUE] - fetched : 0xffffffff) << 32 |
		     (u32)(p->cycle - fetched),
		.b = block->index << 16 | (u64)e->warp->w->index << 8 | flags,
	});
}

/* The instruction is known by where and when it was fetched. */
static void trace_message(struct vgpu_pipe *p, const struct vgpu_pipe_entry *e, u32 kind, u64 a)
{
	const struct vgpu_block *block = e->warp->block;

	vgpu_trace_emit(p->sm->trace, &(struct vgpu_trace_record){
		.type = VGPU_TRACE_MESSAGE,
		.sm = (u16)p->sm->index,
		.context = block->launch->context,
		.kernel = block->launch->id,
		.queue = (u32)e->insn->op << 24 | (e->pc & 0xffffff),
		.seq = e->stage[VGPU_STAGE_FETCH],
		.a = a,
		.b = block->index << 16 | (u64)e->warp->w->index << 8 | kind,
	});
}

void vgpu_pipe_trace_messages(struct vgpu_pipe *p, const struct vgpu_pipe_entry *e,
			      const struct vgpu_mem_response *response)
{
	const struct vgpu_mem_path *path = response->path;
	u64 fetched = e->stage[VGPU_STAGE_FETCH];

	/* as above */
	vgpu_pipe_lanes_end(p);
	vgpu_pipe_turn(p);
	trace_message(p, e, path->asked, (path->sent - fetched) << 32 |
					 (u32)(path->arrived - fetched));
	if (path->invs)
		trace_message(p, e, VGPU_MESSAGE_INV, path->invs);
	trace_message(p, e, path->answered, (path->left - fetched) << 32 |
					    (u32)(response->cycle - fetched));
}
