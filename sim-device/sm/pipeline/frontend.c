// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Fetch (Tanasic 2.4): each cycle the warp scheduler picks one warp, whose next instructions enter
 * the issue queue. Nothing is speculated: a branch holds its warp until it has committed, a memory
 * instruction until it has been issued, or as long as the scheme says (scheme.h). Instructions that
 * are to be replayed come first.
 */
#include "../../sim/text.h"
#include "scheme.h"

void vgpu_pipe_hold(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw, u32 why)
{
	if (!pw->held) {
		p->fetchable[pw->index / 64] &= ~(1ull << pw->index % 64);
		p->fetchable_count--;
	}
	pw->held |= why;
}

void vgpu_pipe_let_go(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw, u32 why)
{
	if (!(pw->held & why))
		return;
	pw->held &= ~why;
	if (!pw->held) {
		p->fetchable[pw->index / 64] |= 1ull << pw->index % 64;
		p->fetchable_count++;
	}
}

/* ---- warp schedulers ------------------------------------------------------ */

/* Warps in @word of the map that scheduler @n can fetch of. */
static inline u64 candidates(const struct vgpu_pipe *p, u32 n, u32 word)
{
	u64 bits = p->fetchable[word];

	if (unlikely(p->config->warp_schedulers > 1))
		bits &= vgpu_pipe_places_of(p, n);
	if (unlikely(p->quotas))
		bits &= ~vgpu_pipe_quotas_barred(p, n, word);
	return bits;
}

/* Loose round robin: the next one behind the last that can be fetched of. */
static struct vgpu_pipe_warp *pick_lrr(struct vgpu_pipe *p, u32 n)
{
	u32 begin = p->last_warp[n] + 1, words = p->warp_words;

	for (u32 k = 0; k <= words; k++) {
		u32 word = (begin / 64 + k) % words;
		u64 bits = candidates(p, n, word);

		if (!k)
			bits &= ~0ull << begin % 64;
		if (bits)
			return p->warps[word * 64 + (u32)__builtin_ctzll(bits)];
	}
	return NULL;
}

/* Does @a come before @b, which may be NULL? The fewest that wait, then the oldest. */
static bool comes_before(const struct vgpu_pipe_warp *a, const struct vgpu_pipe_warp *b)
{
	if (!b || a->queued != b->queued)
		return !b || a->queued < b->queued;
	return a->order < b->order;
}

/*
 * Greedy, then oldest: the same again as long as it can be fetched of and all that was fetched of
 * it has been issued, then the oldest for which that holds. What can be issued is issued before
 * the next fetch: an instruction that is still in the queue waits for an operand or a unit, and
 * more of its warp would only fill the queue that all share. If each has some that wait, the one
 * with the fewest: so the queue is not filled by one either.
 */
static struct vgpu_pipe_warp *pick_gto(struct vgpu_pipe *p, u32 n)
{
	struct vgpu_pipe_warp *oldest = NULL;
	u32 last = p->last_warp[n];

	if (candidates(p, n, last / 64) >> last % 64 & 1 && !p->warps[last]->queued)
		return p->warps[last];
	for (u32 word = 0; word < p->warp_words; word++)
		for (u64 bits = candidates(p, n, word); bits; bits &= bits - 1) {
			struct vgpu_pipe_warp *pw =
				p->warps[word * 64 + (u32)__builtin_ctzll(bits)];

			if (comes_before(pw, oldest))
				oldest = pw;
		}
	return oldest;
}

static const struct vgpu_warp_scheduler schedulers[] = {
	{ "lrr", pick_lrr },
	{ "gto", pick_gto },
};

const struct vgpu_warp_scheduler *vgpu_warp_scheduler_find(const char *name)
{
	for (u32 i = 0; i < VGPU_ARRAY_SIZE(schedulers); i++)
		if (vgpu_text_is(name, schedulers[i].name))
			return &schedulers[i];
	return NULL;
}

static const struct vgpu_issue_order orders[] = {
	{ "out-of-order", false, false },
	{ "in-order", true, false },
	{ "in-order-commit", true, true },
};

const struct vgpu_issue_order *vgpu_issue_order_find(const char *name)
{
	for (u32 i = 0; i < VGPU_ARRAY_SIZE(orders); i++)
		if (vgpu_text_is(name, orders[i].name))
			return &orders[i];
	return NULL;
}

/* ---- fetch ----------------------------------------------------------------- */

/*
 * Operations by a member mask of which not all lanes of the warp take part: lanes may have to wait
 * for others, which only the front end can do.
 */
static u32 flags_of_sync(const struct vgpu_warp *w, const struct vgpu_insn *i)
{
	if (i->op < VGPU_OP_SHFLSYNC || i->op > VGPU_OP_BARWARP)
		return 0;
	if (i->guard == VGPU_PT && w->active == w->live && !w->waiting && !w->loose)
		return 0;
	return VGPU_DEC_CONTROL | VGPU_DEC_SERIAL;
}

/* The warp stands at its reconvergence point. false: it has to wait until nothing is in flight. */
static bool reconverge(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw)
{
	const struct vgpu_warp *w = pw->w;

	/* Lanes that wait may be let go, which executes for them; the warp may have ended. */
	if (pw->in_flight &&
	    (w->waiting || !w->depth || !(w->stack[w->depth - 1].mask & w->live))) {
		vgpu_pipe_hold(p, pw, VGPU_HELD_DRAIN);
		return false;
	}
	vgpu_pipe_run_control(p, pw, 0);
	return !pw->held;
}

static void hold_by(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw, struct vgpu_pipe_entry *e)
{
	if (e->d.flags & (VGPU_DEC_CONTROL | VGPU_DEC_ACQUIRES))
		vgpu_pipe_hold(p, pw, VGPU_HELD_CONTROL);
	if (e->d.flags & VGPU_DEC_MEMORY)
		vgpu_pipe_hold(p, pw, VGPU_HELD_MEMORY);
	if (pw->in_flight == VGPU_PIPE_SLOTS)
		vgpu_pipe_hold(p, pw, VGPU_HELD_SLOTS);
	if (e->d.flags & VGPU_DEC_GLOBAL &&
	    (pw->unsent || (e->d.flags & VGPU_DEC_WRITES && vgpu_access_loads_wait(p, pw)))) {
		e->wait_store = true;
		pw->store_waiter = (u16)e->number;
	}
	if (!p->order->issue_in_order)
		return;
	if (pw->last_unissued != VGPU_PIPE_NONE) {
		e->wait_issue = true;
		p->entries[pw->last_unissued].follower = (u16)e->number;
	}
	pw->last_unissued = (u16)e->number;
}

static void fetch_one(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw)
{
	struct vgpu_warp *w = pw->w;
	struct vgpu_pipe_entry *e;

	if (unlikely(pw->replay_next < pw->replay_count)) {
		const struct vgpu_replay *replay = &pw->replay[pw->replay_next++];

		e = vgpu_pipe_enter(p, pw, replay->pc, replay->active, 0, replay);
	} else {
		if (w->pc == w->reconv && !reconverge(p, pw))
			return;
		if (unlikely(p->code) && !vgpu_code_is_there(p, pw))
			return;
		e = vgpu_pipe_enter(p, pw, w->pc, w->active,
				    flags_of_sync(w, &pw->block->launch->kernel->code[w->pc]),
				    NULL);
		w->pc += !(e->d.flags & VGPU_DEC_CONTROL);
	}
	hold_by(p, pw, e);
	vgpu_pipe_try(p, e);
}

/* Is there a warp that scheduler @n can fetch of? */
static bool has_candidate(const struct vgpu_pipe *p, u32 n)
{
	for (u32 word = 0; word < p->warp_words; word++)
		if (candidates(p, n, word))
			return true;
	return false;
}

static void fetch_by(struct vgpu_pipe *p, u32 scheduler)
{
	struct vgpu_pipe_warp *pw = p->scheduler->pick(p, scheduler);

	p->last_warp[scheduler] = pw->index;
	for (u32 n = 0; n < p->config->fetch_width && !pw->held; n++) {
		if (p->queued >= p->config->issue_queue || p->free_entries == VGPU_PIPE_NONE)
			return;
		fetch_one(p, pw);
		if (unlikely(p->quotas))
			vgpu_pipe_quotas_count(p, pw);
	}
}

void vgpu_pipe_fetch(struct vgpu_pipe *p)
{
	/* one scheduler has the warps that there are */
	if (likely(p->config->warp_schedulers == 1 && !p->quotas)) {
		fetch_by(p, 0);
		return;
	}
	for (u32 n = 0; n < p->config->warp_schedulers; n++)
		if ((!p->quotas || vgpu_pipe_quotas_let(p, n)) && has_candidate(p, n))
			fetch_by(p, n);
}
