// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Page faults (Tanasic 6.2, 6.3). With scheme stall an access that faults waits in the pipeline: it
 * is a TLB miss that takes very long, and what does not depend on it goes on. With the others the
 * warp fetches no more; when all that can end has ended, what is left goes to the replay queue in
 * the order of the program: accesses that faulted, and what has been fetched and could not be
 * issued. It is executed first when the page has come, here or on another SM.
 *
 * The text drains what is in flight and keeps all that has not been issued. Here what can still be
 * issued is. That makes no difference for what the warp computes, and less is left to be replayed.
 *
 * Control instructions are always the last that was fetched of a warp, and change nothing before
 * they commit: one that is left is fetched again.
 */
#include "scheme.h"

/* ---- pages come -------------------------------------------------------------------- */

static struct vgpu_pipe_warp *warp_of(struct vgpu_warp *w)
{
	return &vgpu_pipe_block(w->block)->warp[w->index];
}

static void tell_ready(struct vgpu_block *block)
{
	struct vgpu_warps *warps = block->warps;

	if (!warps->pending)
		warps->home->env->ops->block_ready(warps->home, block);
}

/* preemptible: the page that a warp waits for has come. Its block may be anywhere. */
static void warp_woken(struct vgpu_page_waiter *waiter)
{
	struct vgpu_warp *w = vgpu_container_of(waiter, struct vgpu_warp, waiter);
	struct vgpu_block *block = w->block;
	struct vgpu_pipe_warp *pw = warp_of(w);
	struct vgpu_sm *sm = block->sm;

	/* the check has not ended yet, so nobody knows of the fault */
	if (!pw->waiting)
		return;
	pw->waiting = false;
	vgpu_warps_resume(block->warps, w);
	if (!pw->in_flight) {
		if (sm)
			vgpu_pipe_let_go(sm->pipe, pw, VGPU_HELD_FAULT);
		else
			pw->held &= ~VGPU_HELD_FAULT;
	}
	if (sm && !sm->halted)
		vgpu_pipe_kick(sm->pipe, 0);
	tell_ready(block);
}

/* stall: the page of an access has come */
static void access_woken(struct vgpu_page_waiter *waiter)
{
	struct vgpu_pipe_access *access =
		vgpu_container_of(waiter, struct vgpu_pipe_access, waiter);
	struct vgpu_pipe *p = access->entry->warp->block->sm->pipe;

	access->woken = true;
	p->woken = true;
	vgpu_pipe_kick(p, 0);
}

/* preemptible: another one waits for the warp; the page will be asked for again */
static void nobody_woken(struct vgpu_page_waiter *waiter)
{
	(void)waiter;
}

struct vgpu_page_waiter *vgpu_pipe_waiter(struct vgpu_pipe_access *access)
{
	struct vgpu_warp *w = access->entry->warp->w;
	struct vgpu_pipe *p = access->entry->warp->block->sm->pipe;

	if (!p->scheme->preemptible || access->again) {
		access->waiter.wake = access_woken;
		return &access->waiter;
	}
	if (vgpu_list_linked(&w->waiter.node)) {
		access->waiter.wake = nobody_woken;
		return &access->waiter;
	}
	w->block = access->entry->warp->block;
	w->waiter.wake = warp_woken;
	return &w->waiter;
}

/* ---- stall --------------------------------------------------------------------------- */

static void go_on(struct vgpu_pipe *p, struct vgpu_pipe_access *access)
{
	struct vgpu_pipe_entry *e = access->entry;
	struct vgpu_pipe_warp *pw = e->warp;
	struct vgpu_warps *warps = pw->block->warps;

	e->state = VGPU_ENTRY_EXECUTING;
	access->faulted = false;
	access->woken = false;
	access->line_next = 0;
	access->start = p->cycle + 1;
	pw->moving++;
	vgpu_pipe_block(pw->block)->moving++;
	if (!--pw->stalled) {
		vgpu_warps_resume(warps, pw->w);
		tell_ready(pw->block);
	}
	vgpu_access_queue(p, access);
}

void vgpu_access_woken(struct vgpu_pipe *p)
{
	struct vgpu_pipe_access *oldest;

	p->woken = false;
	vgpu_access_late(p);
	do {
		oldest = NULL;
		for (u32 n = 0; n < p->access_count; n++) {
			struct vgpu_pipe_access *access = &p->accesses[n];

			if (access->woken && access->entry &&
			    access->entry->state == VGPU_ENTRY_FAULTED &&
			    (!oldest || access->entry->age < oldest->entry->age))
				oldest = access;
		}
		if (oldest)
			go_on(p, oldest);
	} while (oldest);
}

/* ---- faults --------------------------------------------------------------------------- */

static void stop_moving(struct vgpu_pipe_warp *pw)
{
	pw->moving--;
	vgpu_pipe_block(pw->block)->moving--;
}

/* Commits in order would wait for the access: the warp is drained without it. */
static void commit_done(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw)
{
	for (u64 slots = pw->slots; slots; slots &= slots - 1) {
		struct vgpu_pipe_entry *e = &p->entries[pw->entry[__builtin_ctzll(slots)]];

		/* after the last commit nothing is in flight any more */
		if (slots & -slots & pw->slots && e->state == VGPU_ENTRY_DONE)
			vgpu_pipe_commit(p, e);
	}
}

void vgpu_pipe_faulted(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_pipe_warp *pw = e->warp;
	struct vgpu_warps *warps = pw->block->warps;

	e->state = VGPU_ENTRY_FAULTED;
	stop_moving(pw);
	if (!p->scheme->preemptible) {
		if (!pw->stalled++)
			vgpu_warps_pend(warps, pw->w);
		if (e->access->woken)
			go_on(p, e->access);
		else
			p->cut |= !warps->ready;
		return;
	}
	vgpu_pipe_hold(p, pw, VGPU_HELD_FAULT);
	if (!pw->waiting && vgpu_list_linked(&pw->w->waiter.node)) {
		pw->waiting = true;
		vgpu_warps_pend(warps, pw->w);
		p->cut |= !warps->ready;
	}
	if (p->order->commit_in_order)
		commit_done(p, pw);
	if (!pw->moving)
		vgpu_pipe_settle(p, pw);
}

/* ---- squash ----------------------------------------------------------------------------- */

/* The operands of @e, which faulted, in the entries of the log that it has. */
static void write_log(const struct vgpu_pipe_entry *e, struct vgpu_replay *replay)
{
	struct vgpu_pipe_block *pb = vgpu_pipe_block(e->warp->block);

	replay->logged = true;
	replay->log_count = e->log_count;
	replay->active = e->access->lanes;
	for (u32 n = 0; n < e->log_count; n++) {
		replay->log[n] = e->log[n];
		memcpy(pb->log + e->log[n] * VGPU_LOG_ENTRY,
		       &e->access->regs[2 * n * VGPU_LANES], VGPU_LOG_ENTRY);
	}
}

static void keep_for_replay(struct vgpu_pipe *p, struct vgpu_pipe_entry *e,
			    struct vgpu_replay *replay)
{
	*replay = (struct vgpu_replay){ .pc = e->pc, .active = e->active };
	if (e->logged) {
		replay->logged = true;
		replay->log_count = e->log_count;
		memcpy(replay->log, e->log, sizeof(e->log));
	}
	if (e->state != VGPU_ENTRY_FAULTED)
		return;
	if (p->scheme->logs && e->log_count)
		write_log(e, replay);
	/* lanes that have executed it already do not do so again */
	if (e->access->done) {
		struct vgpu_pipe_access *access = e->access;

		replay->active &= ~access->done;
		p->sm->thread_instructions += vgpu_popcount32(access->done);
		e->warp->block->warps->executed.thread_instructions +=
			vgpu_popcount32(access->done);
		vgpu_count(vgpu_launch_counters(e->warp->block->launch, p->sm->index),
			   VGPU_COUNT_THREAD_INSTRUCTIONS, vgpu_popcount32(access->done));
		access->lanes = access->done;
		if (e->d.operands.write_count)
			vgpu_access_result(access, e->warp->w, e->insn->dst);
	}
}

/* What is in flight, the oldest first. Returns how many it are. */
static u32 in_order(struct vgpu_pipe *p, const struct vgpu_pipe_warp *pw, u16 *sorted)
{
	u32 count = 0;

	for (u64 slots = pw->slots; slots; slots &= slots - 1) {
		u16 number = pw->entry[__builtin_ctzll(slots)];
		u32 n = count++;

		for (; n && p->entries[sorted[n - 1]].age > p->entries[number].age; n--)
			sorted[n] = sorted[n - 1];
		sorted[n] = number;
	}
	return count;
}

static void unqueue(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw)
{
	p->queued--;
	p->queued_of[vgpu_pipe_scheduler_of(p, pw->index)]--;
	pw->queued--;
}

/* @e is in flight no more, wherever it is. */
static void drop(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_pipe_warp *pw = e->warp;

	if (p->due[e->number] != VGPU_NEVER)
		vgpu_pipe_undo(p, e->number);
	switch (e->state) {
	case VGPU_ENTRY_READY:
		vgpu_pipe_list_remove(p, &p->ready[e->d.unit], e);
		p->ready_count--;
		stop_moving(pw);
		unqueue(p, pw);
		break;
	case VGPU_ENTRY_REFUSED:
		vgpu_pipe_list_remove(p, &p->refused, e);
		unqueue(p, pw);
		break;
	case VGPU_ENTRY_WAITING:
		unqueue(p, pw);
		break;
	case VGPU_ENTRY_ISSUED:
		vgpu_pipe_list_remove(p, &p->reading, e);
		p->accesses_free += e->d.flags & VGPU_DEC_GLOBAL ? 1 : 0;
		stop_moving(pw);
		break;
	case VGPU_ENTRY_FAULTED:
		break;
	default:
		stop_moving(pw);
	}
	vgpu_access_drop(p, e);
	/* it must not become ready when what it waits for goes, too */
	e->state = VGPU_ENTRY_DONE;
}

static void drop_all(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw)
{
	u64 slots;

	for (slots = pw->slots; slots; slots &= slots - 1)
		drop(p, &p->entries[pw->entry[__builtin_ctzll(slots)]]);
	for (slots = pw->slots; slots; slots &= slots - 1)
		vgpu_pipe_leave(p, &p->entries[pw->entry[__builtin_ctzll(slots)]]);
	pw->unsent = 0;
	pw->store_waiter = VGPU_PIPE_NONE;
	pw->last_unissued = VGPU_PIPE_NONE;
	vgpu_pipe_let_go(p, pw, VGPU_HELD_CONTROL | VGPU_HELD_MEMORY | VGPU_HELD_SLOTS |
				VGPU_HELD_DRAIN);
}

/*
 * Wrong on purpose: the warp begins again at the oldest access that faulted, as if nothing behind
 * it had been executed. Not across a branch: the stack is not what it was.
 */
static bool restart(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw, const u16 *sorted, u32 count)
{
	for (u32 n = 0; n < count; n++) {
		const struct vgpu_pipe_entry *e = &p->entries[sorted[n]];

		if (e->state != VGPU_ENTRY_FAULTED)
			continue;
		if (e->jumps != pw->jumps || e->replayed || n)
			return false;
		pw->w->pc = e->pc;
		/* it is held for the line of another instruction */
		vgpu_pipe_let_go(p, pw, VGPU_HELD_CODE);
		pw->code_came = false;
		return true;
	}
	return false;
}

static void trace_squash(struct vgpu_pipe *p, const struct vgpu_pipe_entry *e)
{
	vgpu_pipe_trace(p, e, VGPU_TRACED_SQUASHED |
			      (e->state == VGPU_ENTRY_FAULTED ? VGPU_TRACED_FAULTED : 0));
}

void vgpu_pipe_settle(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw)
{
	u32 rest = pw->replay_count - pw->replay_next, count, kept = 0;
	struct vgpu_replay replay[VGPU_PIPE_SLOTS];
	u16 sorted[VGPU_PIPE_SLOTS];

	if (pw->held & VGPU_HELD_STOP)
		p->cut = true;
	if (!p->scheme->preemptible || !pw->in_flight) {
		if (!pw->waiting && p->scheme->preemptible)
			vgpu_pipe_let_go(p, pw, VGPU_HELD_FAULT);
		return;
	}
	count = in_order(p, pw, sorted);
	if (unlikely(p->sm->trace->on))
		for (u32 n = 0; n < count; n++)
			trace_squash(p, &p->entries[sorted[n]]);
	if (!p->scheme->restarts || !restart(p, pw, sorted, count))
		for (u32 n = 0; n < count; n++) {
			struct vgpu_pipe_entry *e = &p->entries[sorted[n]];

			if (!(e->d.flags & VGPU_DEC_CONTROL))
				keep_for_replay(p, e, &replay[kept++]);
		}
	drop_all(p, pw);
	/* those that are in flight came before those that are still to be replayed */
	if (VGPU_CHECK(kept + rest <= VGPU_PIPE_SLOTS)) {
		memmove(&pw->replay[kept], &pw->replay[pw->replay_next],
			rest * sizeof(*replay));
		memcpy(pw->replay, replay, kept * sizeof(*replay));
		pw->replay_next = 0;
		pw->replay_count = kept + rest;
	}
	if (!pw->waiting)
		vgpu_pipe_let_go(p, pw, VGPU_HELD_FAULT);
}

void vgpu_pipe_discard(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw)
{
	drop_all(p, pw);
	/* also where the check that has failed has not ended, and it is not waiting yet */
	vgpu_page_waiter_cancel(&pw->w->waiter);
}

u32 vgpu_pipe_replays(const struct vgpu_pipe_block *pb)
{
	u32 count = 0;

	for (u32 n = 0; n < pb->warps; n++)
		count += pb->warp[n].replay_count - pb->warp[n].replay_next;
	return count;
}
