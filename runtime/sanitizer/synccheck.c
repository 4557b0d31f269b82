// SPDX-License-Identifier: MIT
/*
 * synccheck: barriers that some threads do not reach, and member masks that name lanes that are
 * not there.
 *
 * Threads that have exited are waited for by nobody, so a thread that returns early is right. One
 * that goes past the barrier is not: it has come to an instruction that lies behind the barrier and
 * from which the barrier is not reached any more, or to another barrier, while others of its block
 * were at this one.
 *
 * A mask of all lanes means all that there are, and one of lanes that have exited is right: only
 * the others are waited for. One that names lanes which the warp never had does not say what its
 * author thinks; and a lane has to be in its own mask.
 */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "vgpu_command.h"

#define NOWHERE	~0u

struct warp {
	u32 missing;			/* lanes that were not at the barrier at @barrier_pc */
	u32 barrier_pc;
	u32 arrived_pc;			/* the last it came to */
	u32 lane;			/* one that did */
	u32 waits_pc;			/* the last operation by a mask that it came to */
	u32 waits_lane;
	u32 last[32];			/* of each lane: its last access, NOWHERE: none */
};

struct state {
	u32 whole;			/* bit n: barrier n is for all threads */
	struct warp warp[];
};

static const char divergent[] = "Divergent threads at a barrier";
static const char own_mask[] = "Mask does not name the lane that uses it";
static const char not_there[] = "Mask names lanes that are not there";
static const char never[] = "Barrier that the block can never pass";
static const char never_met[] = "Warp operation that waits for lanes which do not come";

static struct state *state_of(const struct san_block *block)
{
	return block->own[SAN_SYNCCHECK];
}

static void block_begin(struct san_block *block)
{
	u32 warps = block->launch->what.warps;
	struct state *state = malloc(sizeof(*state) + warps * sizeof(state->warp[0]));

	block->own[SAN_SYNCCHECK] = state;
	if (!state)
		return;
	state->whole = 0;
	for (u32 n = 0; n < warps; n++) {
		memset(&state->warp[n], 0, sizeof(state->warp[n]));
		memset(state->warp[n].last, 0xff, sizeof(state->warp[n].last));
	}
}

static void block_end(struct san_block *block, bool dropped)
{
	(void)dropped;
	free(block->own[SAN_SYNCCHECK]);
}

/* ---- what lies behind what ---------------------------------------------- */

static void push(u32 *stack, u32 *depth, u8 *seen, u32 pc, u32 count)
{
	if (pc >= count || seen[pc])
		return;
	seen[pc] = 1;
	stack[(*depth)++] = pc;
}

/* Can a thread that has executed @from come to @to? */
static bool reaches(const struct vgpu_watch_launch *what, u32 from, u32 to)
{
	u32 count = what->code_count, depth = 0;
	u32 *stack = malloc(count * sizeof(*stack));
	u8 *seen = calloc(count, 1);
	bool found = false;

	for (u32 pc = from, first = 1; stack && seen; first = 0) {
		const struct vgpu_insn *insn = &what->code[pc];
		bool always = insn->guard == VGPU_PT;

		found = !first && pc == to;
		if (found)
			break;
		if (insn->op == VGPU_OP_BRA)
			push(stack, &depth, seen, VGPU_BRA_TARGET(insn->imm), count);
		if (!(always && (insn->op == VGPU_OP_BRA || insn->op == VGPU_OP_EXIT ||
				 insn->op == VGPU_OP_TRAP)))
			push(stack, &depth, seen, pc + 1, count);
		if (!depth)
			break;
		pc = stack[--depth];
	}
	free(stack);
	free(seen);
	return found;
}

/* Is @pc behind @barrier, for good? The last answers are kept. */
static bool is_behind(const struct san_launch *launch, u32 pc, u32 barrier)
{
	static struct answer {
		const void *code;
		u32 pc, barrier;
		bool behind;
	} kept[256];
	struct answer *answer = &kept[(pc * 31 + barrier) % 256];
	const struct vgpu_watch_launch *what = &launch->what;

	if (pc == NOWHERE || !launch->kernel)
		return false;
	if (answer->code != what->code || answer->pc != pc || answer->barrier != barrier)
		*answer = (struct answer){
			what->code, pc, barrier,
			reaches(what, barrier, pc) && !reaches(what, pc, barrier)
		};
	return answer->behind;
}

/* ---- barriers ----------------------------------------------------------- */

static void report_missing(const struct san_warp *w, u32 lane, u32 pc, u32 barrier_warp,
			   u32 barrier_lane, u32 barrier_pc)
{
	struct san_where where = san_where(w, lane, pc);
	struct san_warp other = { w->block, barrier_warp, 0 };
	struct san_where barrier = san_where(&other, barrier_lane, barrier_pc);

	san_report(SAN_SYNCCHECK, divergent, &where, &barrier, "it did not reach the barrier",
		   NULL);
}

/* @lanes of @w come to @pc, a barrier or an access. */
static void look_for_missing(const struct san_warp *w, struct warp *warp, u32 lanes, u32 pc)
{
	lanes &= warp->missing;
	warp->missing &= ~lanes;
	for (; lanes; lanes &= lanes - 1)
		report_missing(w, (u32)__builtin_ctz(lanes), pc, w->warp, warp->lane,
			       warp->barrier_pc);
}

static void barrier_arrive(const struct san_warp *w, const struct vgpu_watch_barrier *barrier)
{
	struct state *state = state_of(w->block);
	struct warp *warp;

	if (!state)
		return;
	warp = &state->warp[w->warp];
	look_for_missing(w, warp, barrier->lanes, barrier->pc);
	state->whole = (state->whole & ~(1u << barrier->id)) |
		       (u32)!barrier->threads << barrier->id;
	warp->arrived_pc = barrier->pc;
	warp->lane = (u32)__builtin_ctz(barrier->lanes);
	if (w->live & ~barrier->lanes) {
		warp->missing = w->live & ~barrier->lanes;
		warp->barrier_pc = barrier->pc;
	}
}

/* Threads that have exited were not waited for: had they gone past the barrier? */
static void barrier_leave(struct san_block *block, u32 id, const u32 *warps)
{
	const struct vgpu_watch_launch *what = &block->launch->what;
	struct state *state = state_of(block);
	u32 first = warps[0] ? (u32)__builtin_ctz(warps[0]) : 0, pc;

	if (!state || !(state->whole >> id & 1) || !warps[0])
		return;
	pc = state->warp[first].arrived_pc;
	for (u32 n = 0; n < what->warps; n++) {
		struct san_warp w = { block, n, 0 };

		if (warps[0] >> n & 1)
			continue;
		for (u32 l = 0; l < 32 && n * 32 + l < what->threads; l++)
			if (is_behind(block->launch, state->warp[n].last[l], pc)) {
				report_missing(&w, l, state->warp[n].last[l], first,
					       state->warp[first].lane, pc);
				state->warp[n].last[l] = NOWHERE;
			}
	}
}

static void access_made(const struct san_warp *w, const struct vgpu_watch_access *access)
{
	struct state *state = state_of(w->block);
	struct warp *warp;

	if (!state || access->failed)
		return;
	warp = &state->warp[w->warp];
	for (u32 left = access->lanes; left; left &= left - 1)
		warp->last[__builtin_ctz(left)] = access->pc;
	if (warp->missing & access->lanes &&
	    is_behind(w->block->launch, access->pc, warp->barrier_pc))
		look_for_missing(w, warp, access->lanes, access->pc);
}

static void exited(const struct san_warp *w, u32 pc, u32 lanes)
{
	struct state *state = state_of(w->block);

	(void)pc;
	if (state)
		state->warp[w->warp].missing &= ~lanes;
}

/* ---- member masks ------------------------------------------------------- */

static void report_mask(const struct san_warp *w, const struct vgpu_watch_sync *sync, u32 lane,
			const char *key, u32 which)
{
	struct san_where where = san_where(w, lane, sync->pc);

	san_report(SAN_SYNCCHECK, key, &where, NULL, NULL, "mask 0x%08x, lanes 0x%08x",
		   sync->mask[lane], which);
}

static void sync_arrive(const struct san_warp *w, const struct vgpu_watch_sync *sync)
{
	u32 left = w->block->launch->what.threads - w->warp * 32;
	u32 exist = left >= 32 ? ~0u : (1u << left) - 1;
	struct state *state = state_of(w->block);

	if (state) {
		state->warp[w->warp].waits_pc = sync->pc;
		state->warp[w->warp].waits_lane = (u32)__builtin_ctz(sync->lanes);
	}
	for (u32 lanes = sync->lanes; lanes; lanes &= lanes - 1) {
		u32 l = (u32)__builtin_ctz(lanes), mask = sync->mask[l];

		if (!(mask >> l & 1))
			report_mask(w, sync, l, own_mask, 1u << l);
		else if (mask != ~0u && mask & ~exist)
			report_mask(w, sync, l, not_there, mask & ~exist);
	}
}

static void fault(const struct san_warp *w, const struct vgpu_watch_fault *what)
{
	struct san_where where = san_where(w, what->lane, what->pc), waits;
	const struct state *state = state_of(w->block);

	if (what->reason == VGPU_FAULT_BARRIER)
		san_report(SAN_SYNCCHECK, never, &where, NULL, NULL, NULL);
	if (what->reason != VGPU_FAULT_WARP_SYNC || !state)
		return;
	waits = san_where(w, state->warp[w->warp].waits_lane, state->warp[w->warp].waits_pc);
	san_report(SAN_SYNCCHECK, never_met, &waits, &where, "others of the warp are",
		   "they wait for lanes 0x%08llx", (unsigned long long)what->address);
}

const struct san_tool san_synccheck = {
	.name = "synccheck",
	.block_begin = block_begin,
	.block_end = block_end,
	.access = access_made,
	.sync_arrive = sync_arrive,
	.barrier_arrive = barrier_arrive,
	.barrier_leave = barrier_leave,
	.exit = exited,
	.fault = fault,
};
