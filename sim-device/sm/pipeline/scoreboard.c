// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The scoreboard (Tanasic 2.4): which instruction has to wait for which. It is worked out once,
 * when an instruction is fetched: it waits for the commit of who writes what it reads or writes,
 * and for the release of the sources of who reads what it writes. What commits or releases looks
 * only at who waits for it. An instruction that waits for nothing stands in the list of its unit,
 * the oldest first.
 */
#include "pipeline.h"

/* ---- lists --------------------------------------------------------------- */

void vgpu_pipe_list_add(struct vgpu_pipe *p, struct vgpu_pipe_list *list, struct vgpu_pipe_entry *e)
{
	u16 after = list->last;

	while (after != VGPU_PIPE_NONE && p->entries[after].age > e->age)
		after = p->entries[after].prev;
	e->prev = after;
	e->next = after == VGPU_PIPE_NONE ? list->first : p->entries[after].next;
	if (e->next == VGPU_PIPE_NONE)
		list->last = (u16)e->number;
	else
		p->entries[e->next].prev = (u16)e->number;
	if (after == VGPU_PIPE_NONE)
		list->first = (u16)e->number;
	else
		p->entries[after].next = (u16)e->number;
}

void vgpu_pipe_list_remove(struct vgpu_pipe *p, struct vgpu_pipe_list *list,
			   struct vgpu_pipe_entry *e)
{
	if (e->prev == VGPU_PIPE_NONE)
		list->first = e->next;
	else
		p->entries[e->prev].next = e->next;
	if (e->next == VGPU_PIPE_NONE)
		list->last = e->prev;
	else
		p->entries[e->next].prev = e->prev;
}

/* It could be issued, but for accesses before it in its warp (sc_core). */
static void waits_alone(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	if (e->alone_since != VGPU_NEVER)
		return;
	e->alone_since = p->cycle;
	e->behind_write = false;
	for (u64 slots = e->wait_alone; slots; slots &= slots - 1)
		if (p->entries[e->warp->entry[__builtin_ctzll(slots)]].d.flags & VGPU_DEC_WRITES)
			e->behind_write = true;
}

/* It has waited for these, and for nothing else since e->alone_since. */
static void count_alone(const struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_counters *counters =
		vgpu_launch_counters(e->warp->block->launch, p->sm->index);
	u64 waited = p->cycle - e->alone_since;

	e->alone_since = VGPU_NEVER;
	if (!waited)
		return;
	vgpu_count(counters, VGPU_COUNT_SC_STALLS, 1);
	vgpu_count(counters, VGPU_COUNT_SC_STALL_TIME, waited);
	if (e->behind_write)
		vgpu_count(counters, VGPU_COUNT_SC_STALL_WRITE_TIME, waited);
}

void vgpu_pipe_try(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	if (e->state != VGPU_ENTRY_WAITING || e->wait_commit || e->wait_read || e->wait_issue)
		return;
	if (unlikely(e->wait_alone)) {
		waits_alone(p, e);
		return;
	}
	if (unlikely(e->alone_since != VGPU_NEVER))
		count_alone(p, e);
	if (e->wait_store) {
		if (!vgpu_access_may_pass(p, e))
			return;
		e->wait_store = false;
		e->warp->store_waiter = VGPU_PIPE_NONE;
	}
	e->state = VGPU_ENTRY_READY;
	e->warp->moving++;
	vgpu_pipe_block(e->warp->block)->moving++;
	vgpu_pipe_list_add(p, &p->ready[e->d.unit], e);
	p->ready_count++;
}

void vgpu_pipe_admit_again(struct vgpu_pipe *p)
{
	while (p->refused.first != VGPU_PIPE_NONE) {
		struct vgpu_pipe_entry *e = &p->entries[p->refused.first];

		vgpu_pipe_list_remove(p, &p->refused, e);
		e->state = VGPU_ENTRY_WAITING;
		vgpu_pipe_try(p, e);
	}
}

/* ---- from fetch to commit ------------------------------------------------- */

/*
 * Accesses of @pw in flight that @e may not overtake with sc_core: of global memory, and for an
 * access of that, of shared and local memory as well. They are no operands of it.
 */
static u64 accesses_before(const struct vgpu_pipe *p, const struct vgpu_pipe_warp *pw,
			   const struct vgpu_pipe_entry *e)
{
	u32 which = e->d.flags & (VGPU_DEC_GLOBAL | VGPU_DEC_FENCE) ? VGPU_DEC_MEMORY :
								       VGPU_DEC_GLOBAL;
	u64 found = 0;

	for (u64 slots = pw->slots & ~(1ull << e->slot); slots; slots &= slots - 1)
		if (p->entries[pw->entry[__builtin_ctzll(slots)]].d.flags & which)
			found |= slots & -slots;
	return found;
}

static void add_waits(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw, struct vgpu_pipe_entry *e)
{
	u64 bit = 1ull << e->slot, commit = 0, read = 0;

	e->wait_alone = 0;
	e->alone_since = VGPU_NEVER;
	/* Operands in the log are nobody's registers. */
	for (u32 n = 0; n < e->d.operands.read_count && !e->logged; n++) {
		u32 r = e->d.operands.reads[n];

		if (pw->writer[r])
			commit |= 1ull << (pw->writer[r] - 1);
	}
	for (u32 n = 0; n < e->d.operands.write_count; n++) {
		u32 r = e->d.operands.writes[n];

		if (pw->writer[r])
			commit |= 1ull << (pw->writer[r] - 1);
		read |= pw->readers[r];
	}
	if (unlikely(e->d.flags & VGPU_DEC_ALONE))
		e->wait_alone = accesses_before(p, pw, e) & ~commit;
	if (e->d.flags & VGPU_DEC_SERIAL)
		commit |= pw->slots & ~bit;
	for (u32 n = 0; n < e->d.operands.read_count && !e->logged; n++)
		pw->readers[e->d.operands.reads[n]] |= bit;
	for (u32 n = 0; n < e->d.operands.write_count; n++)
		pw->writer[e->d.operands.writes[n]] = (u8)(e->slot + 1);
	e->wait_commit = commit & ~e->wait_alone;
	e->wait_read = read;
	commit |= e->wait_alone;
	for (; commit; commit &= commit - 1)
		p->entries[pw->entry[__builtin_ctzll(commit)]].commit_waiters |= bit;
	for (; read; read &= read - 1)
		p->entries[pw->entry[__builtin_ctzll(read)]].read_waiters |= bit;
}

struct vgpu_pipe_entry *vgpu_pipe_enter(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw,
					u32 pc, u32 active, u32 more,
					const struct vgpu_replay *replay)
{
	const struct vgpu_insn *insn = &pw->block->launch->kernel->code[pc];
	struct vgpu_pipe_entry *e = &p->entries[p->free_entries];

	p->free_entries = e->next;
	vgpu_pipe_decode(p->config, insn, &e->d);
	e->d.flags |= (u8)more;
	e->insn = insn;
	e->warp = pw;
	e->access = NULL;
	e->age = p->ages++;
	e->commit_waiters = 0;
	e->read_waiters = 0;
	e->pc = pc;
	e->active = active;
	e->follower = VGPU_PIPE_NONE;
	e->slot = (u8)__builtin_ctzll(~pw->slots);
	e->state = VGPU_ENTRY_WAITING;
	e->wait_store = false;
	e->wait_issue = false;
	e->released = false;
	e->checked = false;
	e->retry = false;
	e->replayed = replay;
	e->jumps = pw->jumps;
	e->logged = replay && replay->logged;
	e->log_count = replay ? replay->log_count : 0;
	if (e->logged)
		memcpy(e->log, replay->log, sizeof(e->log));
	e->stage[VGPU_STAGE_FETCH] = p->cycle;
	pw->slots |= 1ull << e->slot;
	pw->entry[e->slot] = (u16)e->number;
	pw->in_flight++;
	vgpu_pipe_block(pw->block)->in_flight++;
	p->queued++;
	p->queued_of[vgpu_pipe_scheduler_of(p, pw->index)]++;
	pw->queued++;
	add_waits(p, pw, e);
	return e;
}

void vgpu_pipe_release(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_pipe_warp *pw = e->warp;
	u64 bit = 1ull << e->slot, waiters = e->read_waiters;

	if (e->released)
		return;
	e->released = true;
	for (u32 n = 0; n < e->d.operands.read_count; n++)
		pw->readers[e->d.operands.reads[n]] &= ~bit;
	e->read_waiters = 0;
	for (; waiters; waiters &= waiters - 1) {
		struct vgpu_pipe_entry *waiter = &p->entries[pw->entry[__builtin_ctzll(waiters)]];

		waiter->wait_read &= ~bit;
		vgpu_pipe_try(p, waiter);
	}
}

void vgpu_pipe_leave(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_pipe_warp *pw = e->warp;
	u64 bit = 1ull << e->slot, waiters;

	vgpu_pipe_release(p, e);
	for (u32 n = 0; n < e->d.operands.write_count; n++)
		if (pw->writer[e->d.operands.writes[n]] == e->slot + 1)
			pw->writer[e->d.operands.writes[n]] = 0;
	waiters = e->commit_waiters;
	for (; waiters; waiters &= waiters - 1) {
		struct vgpu_pipe_entry *waiter = &p->entries[pw->entry[__builtin_ctzll(waiters)]];

		waiter->wait_commit &= ~bit;
		waiter->wait_alone &= ~bit;
		vgpu_pipe_try(p, waiter);
	}
	pw->slots &= ~bit;
	pw->in_flight--;
	vgpu_pipe_block(pw->block)->in_flight--;
	e->next = p->free_entries;
	p->free_entries = (u16)e->number;
	e->warp = NULL;
}

void vgpu_pipe_store_sent(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw)
{
	pw->unsent--;
	if (pw->store_waiter != VGPU_PIPE_NONE)
		vgpu_pipe_try(p, &p->entries[pw->store_waiter]);
}
