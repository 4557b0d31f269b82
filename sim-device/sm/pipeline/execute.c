// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * OpRead, Execute and Commit. What an instruction does is what the lanes do: here they are called,
 * one instruction at a time. Between vgpu_pipe_lanes_begin() and _end() they have the vector unit,
 * for as much of a window as needs nothing that may allocate or walk page tables.
 */
#include "scheme.h"

void vgpu_pipe_lanes_begin(struct vgpu_pipe *p)
{
	if (p->fpu)
		return;
	p->fpu = true;
	vgpu_fpu_begin();
}

void vgpu_pipe_lanes_end(struct vgpu_pipe *p)
{
	if (!p->fpu)
		return;
	vgpu_fpu_end();
	p->fpu = false;
}

/* ---- the lanes -------------------------------------------------------------- */

void vgpu_pipe_enter_block(struct vgpu_pipe *p, const struct vgpu_block *block)
{
	struct vgpu_lanes *lanes = &p->sm->run->lanes;

	lanes->clock = p->cycle;
	if (p->entered == block)
		return;
	p->entered = block;
	vgpu_warps_enter(lanes, block);
}

static enum vgpu_lanes_end run(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw, u32 budget)
{
	struct vgpu_lanes *lanes = &p->sm->run->lanes;
	enum vgpu_lanes_end end;

	vgpu_pipe_enter_block(p, pw->block);
	lanes->warp = pw->w;
	lanes->held = 0;
	for (;;) {
		lanes->budget = budget;
		lanes->slow = 0;
		vgpu_pipe_lanes_begin(p);
		end = p->sm->run->run(lanes);
		pw->w->cycles = 0;
		if (likely(end != VGPU_LANES_LOCAL))
			return end;
		vgpu_pipe_lanes_end(p);
		vgpu_pipe_turn(p);
		if (vgpu_warps_add_local(pw->block->warps, pw->w))
			continue;
		lanes->reason = VGPU_FAULT_NO_MEMORY;
		return VGPU_LANES_FAULT;
	}
}

void vgpu_pipe_fatal(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw, u32 pc)
{
	const struct vgpu_lanes *lanes = &p->sm->run->lanes;

	p->cut = true;
	if (!pw->block->warps->faulted)
		vgpu_block_record_fault(pw->block, pw->w, lanes->reason, lanes->lane, pc);
	vgpu_pipe_stop(p, pw->block);
}

enum vgpu_lanes_end vgpu_pipe_run(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw, u32 pc,
				  u32 lanes)
{
	struct vgpu_warp *w = pw->w;
	u32 front = w->pc, active = w->active, reconv = w->reconv;
	enum vgpu_lanes_end end;

	w->pc = pc;
	w->active = lanes;
	w->reconv = VGPU_NO_RECONV;
	end = run(p, pw, 1);
	w->pc = front;
	w->active = active;
	w->reconv = reconv;
	return end;
}

/* ---- the front end of a warp ------------------------------------------------ */

/* Warps of @block that a barrier has let go are fetched of again. */
static void leave_barrier(struct vgpu_pipe *p, struct vgpu_block *block)
{
	struct vgpu_pipe_block *pb = vgpu_pipe_block(block);

	for (u32 n = 0; n < block->warps->count; n++)
		if (pb->warp[n].held & VGPU_HELD_BARRIER &&
		    pb->warp[n].w->state == VGPU_WARP_READY)
			vgpu_pipe_let_go(p, &pb->warp[n], VGPU_HELD_BARRIER);
}

void vgpu_pipe_run_control(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw, u32 budget)
{
	struct vgpu_block *block = pw->block;
	u32 pc = pw->w->pc;

	pw->jumps++;
	switch (run(p, pw, budget)) {
	case VGPU_LANES_EXIT:
		vgpu_pipe_hold(p, pw, VGPU_HELD_EXITED);
		vgpu_warps_exit(block->warps, pw->w);
		leave_barrier(p, block);
		p->cut |= vgpu_warps_over(block->warps);
		break;
	case VGPU_LANES_BARRIER:
		vgpu_pipe_hold(p, pw, VGPU_HELD_BARRIER);
		vgpu_warps_arrive(block->warps, pw->w);
		leave_barrier(p, block);
		/* nobody is left who could arrive */
		p->cut |= !block->warps->ready && !block->warps->pending;
		break;
	case VGPU_LANES_FAULT:
		vgpu_pipe_fatal(p, pw, pw->w->pc);
		break;
	case VGPU_LANES_BUDGET:
		break;
	default:
		/* what needs a translation is no branch */
		VGPU_CHECK(false);
		p->sm->run->lanes.reason = VGPU_FAULT_MODEL;
		vgpu_pipe_fatal(p, pw, pc);
	}
}

/* ---- operand read ------------------------------------------------------------ */

/*
 * Different words of the bank that has most of them. Words found so far are chained by their bank:
 * most banks have one.
 */
static u32 most_words_of_a_bank(const u32 *a, u32 imm, u32 lanes, u32 banks)
{
	u32 words[VGPU_LANES], bank_of[VGPU_LANES], most = 1, known = 0, used = 0, last = ~0u;
	u8 head[VGPU_LANES], next[VGPU_LANES];

	for (; lanes; lanes &= lanes - 1) {
		u32 word = (a[__builtin_ctz(lanes)] + imm) / 4, bank, chain, same = 1, n;

		if (word == last)
			continue;
		last = word;
		bank = banks & (banks - 1) ? word % banks : word & (banks - 1);
		chain = bank % VGPU_LANES;
		for (n = used >> chain & 1 ? head[chain] : VGPU_LANES;
		     n != VGPU_LANES && words[n] != word; n = next[n])
			same += bank_of[n] == bank;
		if (n != VGPU_LANES)
			continue;
		words[known] = word;
		bank_of[known] = bank;
		next[known] = used >> chain & 1 ? head[chain] : VGPU_LANES;
		head[chain] = (u8)known++;
		used |= 1u << chain;
		most = same > most ? same : most;
	}
	return most;
}

/* Cycles that an access to shared memory needs its banks: words of one bank follow each other. */
static u32 bank_cycles(const struct vgpu_pipe *p, const struct vgpu_pipe_entry *e)
{
	const struct vgpu_insn *i = e->insn;
	const u32 *a = &e->warp->w->regs[i->a * VGPU_LANES];
	u32 banks = p->config->shared_banks, most;
	u32 bytes = vgpu_access_bytes(i);

	if ((i->op != VGPU_OP_LDS && i->op != VGPU_OP_STS && i->op != VGPU_OP_ATOMS &&
	     i->op != VGPU_OP_ATOMSQ) || i->flags & VGPU_F_ABS)
		return 1;
	/* a row of words and one word for all are what mostly comes */
	if (a[1] - a[0] == a[VGPU_LANES - 1] - a[VGPU_LANES - 2] &&
	    (a[VGPU_LANES - 1] == a[0] || a[VGPU_LANES - 1] - a[0] == 4 * (VGPU_LANES - 1)) &&
	    bytes <= 4 && banks == VGPU_LANES && a[VGPU_LANES / 2] - a[0] ==
	    (a[1] - a[0]) * (VGPU_LANES / 2))
		return 1;
	most = most_words_of_a_bank(a, (u32)i->imm, e->active, banks);
	/* accesses of 8 and 16 bytes are made for a half and a quarter of the lanes at a time */
	return most * (bytes > 4 ? bytes / 4 : 1);
}

static void execute(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_lanes *lanes = &p->sm->run->lanes;
	u64 ends = p->cycle + 1 + e->d.cycles;

	if (e->d.flags & VGPU_DEC_MEMORY) {
		u32 cycles = bank_cycles(p, e);
		u64 start = p->cycle + 1 > p->shared_free ? p->cycle + 1 : p->shared_free;

		p->shared_free = start + cycles;
		ends = p->shared_free - 1 + e->d.cycles;
	}
	if (unlikely(e->insn->op == VGPU_OP_SREGQ))
		lanes->timer = vgpu_cycle_time(p->config, p->cycle) / VGPU_NS;
	if (unlikely(vgpu_pipe_run(p, e->warp, e->pc, e->active) != VGPU_LANES_BUDGET)) {
		vgpu_pipe_fatal(p, e->warp, e->pc);
		return;
	}
	vgpu_pipe_at(p, e->number, ends);
}

void vgpu_pipe_read(struct vgpu_pipe *p)
{
	/* those that are issued in this cycle come behind */
	while (p->reading.first != VGPU_PIPE_NONE) {
		struct vgpu_pipe_entry *e = &p->entries[p->reading.first];

		if (e->stage[VGPU_STAGE_ISSUE] == p->cycle)
			return;
		vgpu_pipe_list_remove(p, &p->reading, e);
		e->state = VGPU_ENTRY_EXECUTING;
		e->stage[VGPU_STAGE_READ] = p->cycle;
		e->stage[VGPU_STAGE_EXECUTE] = p->cycle + 1;
		e->lanes = e->active;
		if (!e->logged)
			e->lanes &= vgpu_pipe_guarded(e->warp->w, e->insn);
		if (unlikely(e->warp->block->launch->counters) && !e->replayed)
			vgpu_count_access(vgpu_launch_counters(e->warp->block->launch,
							       p->sm->index),
					  p->config->shared_banks, e->warp->w->regs, e->insn,
					  e->lanes, 1);
		if (e->d.flags & VGPU_DEC_GLOBAL) {
			vgpu_access_read(p, e);
			continue;
		}
		if (e->d.flags & VGPU_DEC_FENCE) {
			vgpu_access_fence(p, e);
		} else if (e->d.flags & VGPU_DEC_CONTROL) {
			vgpu_pipe_at(p, e->number, p->cycle + 1 + e->d.cycles);
		} else {
			execute(p, e);
		}
		vgpu_pipe_release(p, e);
	}
}

/* ---- commit -------------------------------------------------------------------- */

/* Every older instruction of the warp has committed. */
static bool is_oldest(const struct vgpu_pipe *p, const struct vgpu_pipe_entry *e)
{
	const struct vgpu_pipe_warp *pw = e->warp;

	for (u64 slots = pw->slots; slots; slots &= slots - 1)
		if (p->entries[pw->entry[__builtin_ctzll(slots)]].age < e->age)
			return false;
	return true;
}

static void count(const struct vgpu_pipe *p, const struct vgpu_pipe_entry *e)
{
	struct vgpu_counters *counters =
		vgpu_launch_counters(e->warp->block->launch, p->sm->index);

	vgpu_count(counters, VGPU_COUNT_INSTRUCTIONS, 1);
	vgpu_count(counters, VGPU_COUNT_THREAD_INSTRUCTIONS, vgpu_popcount32(e->lanes));
	vgpu_count(counters, vgpu_count_class(e->insn->op), 1);
}

static void commit(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_pipe_warp *pw = e->warp;
	struct vgpu_pipe_block *pb = vgpu_pipe_block(pw->block);

	e->stage[VGPU_STAGE_COMMIT] = p->cycle;
	if (unlikely(p->sm->trace->on))
		vgpu_pipe_trace(p, e, 0);
	p->sm->instructions++;
	p->sm->thread_instructions += vgpu_popcount32(e->lanes);
	pw->block->warps->executed.instructions++;
	pw->block->warps->executed.thread_instructions += vgpu_popcount32(e->lanes);
	if (unlikely(pw->block->launch->counters))
		count(p, e);
	if (unlikely(p->worker != pw->block->launch->work))
		vgpu_pipe_pay(p, pw->block->launch->work);
	p->work += VGPU_WORK_INSTRUCTION;
	if (e->d.flags & VGPU_DEC_GLOBAL)
		vgpu_access_commit(p, e);
	pw->moving--;
	pb->moving--;
	vgpu_pipe_leave(p, e);
	if (e->d.flags & VGPU_DEC_CONTROL)
		vgpu_pipe_run_control(p, pw, 1);
	if (e->d.flags & (VGPU_DEC_CONTROL | VGPU_DEC_ACQUIRES))
		vgpu_pipe_let_go(p, pw, VGPU_HELD_CONTROL);
	if (unlikely(pw->held & (VGPU_HELD_SLOTS | VGPU_HELD_DRAIN))) {
		vgpu_pipe_let_go(p, pw, VGPU_HELD_SLOTS);
		if (!pw->in_flight)
			vgpu_pipe_let_go(p, pw, VGPU_HELD_DRAIN);
	}
	if (unlikely(pw->held & (VGPU_HELD_FAULT | VGPU_HELD_STOP)) && !pw->moving)
		vgpu_pipe_settle(p, pw);
}

/* The oldest of @pw that is only waiting for its turn. */
static struct vgpu_pipe_entry *next_done(struct vgpu_pipe *p, const struct vgpu_pipe_warp *pw)
{
	struct vgpu_pipe_entry *oldest = NULL;

	for (u64 slots = pw->slots; slots; slots &= slots - 1) {
		struct vgpu_pipe_entry *e = &p->entries[pw->entry[__builtin_ctzll(slots)]];

		if (!oldest || e->age < oldest->age)
			oldest = e;
	}
	return oldest && oldest->state == VGPU_ENTRY_DONE ? oldest : NULL;
}

void vgpu_pipe_commit(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_pipe_warp *pw = e->warp;

	if (likely(!p->order->commit_in_order)) {
		commit(p, e);
		return;
	}
	/* A warp that has faulted is drained, in whatever order. */
	if (pw->held & VGPU_HELD_FAULT) {
		commit(p, e);
		return;
	}
	e->state = VGPU_ENTRY_DONE;
	if (!is_oldest(p, e))
		return;
	while ((e = next_done(p, pw)))
		commit(p, e);
}
