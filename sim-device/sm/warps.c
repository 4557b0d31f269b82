// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The state of a compiled block: where it lies, how it begins, and the barriers between its warps
 * (Tanasic 2.4: a barrier unit keeps track of the waiting warps and reactivates them all when each
 * has arrived). States return to a pool of their SM, so that a small launch allocates nothing. The
 * context that they were allocated for pays for them there too, so another one does not get them:
 * the pool is emptied when blocks of another context begin or end, and when the context is closed.
 */
#include "warps.h"

#define ALIGN	64u
#define POOL_MOST_BYTES	(256u << 10)	/* larger states are not kept */

static u64 aligned(u64 bytes)
{
	return (bytes + ALIGN - 1) & ~(u64)(ALIGN - 1);
}

static struct vgpu_warps *take_pooled(struct vgpu_sm_run *run,
				      const struct vgpu_mem_account *memory, u64 bytes)
{
	struct vgpu_warps *warps = run->pool;

	/* Blocks of one kernel have one size. Of another kernel's nothing is kept. */
	if (warps &&
	    (warps->memory != memory || warps->room < bytes || warps->room > 4 * bytes)) {
		vgpu_warps_drain(run);
		return NULL;
	}
	if (warps) {
		run->pool = warps->next;
		run->pooled--;
	}
	return warps;
}

/*
 * A state that another block had, for @count warps: zero but for the reconvergence stacks, of which
 * nothing is read before it is written, and which are most of what stands before registers and
 * memory.
 */
static void warps_clear(struct vgpu_warps *warps, u32 count, u64 bytes)
{
	u64 begin = aligned((u64)(unsigned long)warps + sizeof(*warps)) - (u64)(unsigned long)warps;
	u64 rest = begin + aligned((u64)count * sizeof(struct vgpu_warp));
	struct vgpu_warp *w = (struct vgpu_warp *)((u8 *)warps + begin);

	memset(warps, 0, sizeof(*warps));
	for (u32 n = 0; n < count; n++)
		memset(&w[n], 0, offsetof(struct vgpu_warp, stack));
	memset((u8 *)warps + rest, 0, bytes - rest);
}

/* A new block's state; NULL: no memory. Everything the program can see is zero. */
struct vgpu_warps *vgpu_warps_get(struct vgpu_sm *sm, const struct vgpu_block *block)
{
	const struct vgpu_launch *launch = block->launch;
	const struct vgpu_vass_kernel *vass = &launch->kernel->vass;
	u64 headers = aligned(sizeof(struct vgpu_warps)) +
		      aligned((u64)launch->warps * sizeof(struct vgpu_warp));
	u64 slot = VGPU_LANES * sizeof(u32) * (u64)((vass->regs + 1) & ~1u);
	u64 shared = aligned(launch->shared_bytes), local = (u64)VGPU_LANES * vass->local_bytes;
	u64 bytes = headers + launch->warps * (slot + local) + shared + ALIGN;
	struct vgpu_warps *warps;
	size_t room = bytes;
	u64 at;
	u8 *base;

	if (bytes > VGPU_WARPS_MAX_BYTES)
		return NULL;
	warps = take_pooled(sm->run, launch->memory, bytes);
	if (warps) {
		room = warps->room;
		warps_clear(warps, launch->warps, bytes);
	} else {
		warps = vgpu_mem_alloc(launch->memory, bytes);
		if (!warps)
			return NULL;
	}
	warps->home = sm;
	warps->room = room;
	warps->memory = launch->memory;
	warps->count = launch->warps;
	warps->ready = launch->warps;
	warps->shared_bytes = launch->shared_bytes;
	warps->local_bytes = vass->local_bytes;
	warps->index[0] = (u32)(block->index % launch->grid[0]);
	warps->index[1] = (u32)(block->index / launch->grid[0] % launch->grid[1]);
	warps->index[2] = (u32)(block->index / launch->grid[0] / launch->grid[1]);
	base = (u8 *)warps;
	at = aligned((u64)(unsigned long)base + sizeof(*warps)) - (u64)(unsigned long)base;
	warps->warp = (struct vgpu_warp *)(base + at);
	at += aligned((u64)launch->warps * sizeof(struct vgpu_warp));
	warps->shared = base + at;
	at += shared;
	for (u32 n = 0; n < launch->warps; n++) {
		struct vgpu_warp *w = &warps->warp[n];
		u32 left = launch->threads - n * VGPU_LANES;

		w->threads = left < VGPU_LANES ? left : VGPU_LANES;
		w->live = w->threads == VGPU_LANES ? ~0u : (1u << w->threads) - 1;
		w->active = w->live;
		w->reconv = VGPU_NO_RECONV;
		w->index = n;
		w->preds[VGPU_PT] = ~0u;
		w->regs = (u32 *)(base + at);
		at += slot;
		w->local = base + at;
		at += local;
	}
	return warps;
}

static void cancel_waiters(struct vgpu_warps *warps)
{
	for (u32 n = 0; n < warps->count; n++)
		vgpu_page_waiter_cancel(&warps->warp[n].waiter);
}

void vgpu_warps_put(struct vgpu_warps *warps)
{
	struct vgpu_sm *sm = warps->home;
	struct vgpu_sm_run *run = sm->run;

	if (warps->pending)
		cancel_waiters(warps);
	if (run->pool && run->pool->memory != warps->memory)
		vgpu_warps_drain(run);
	if (warps->room > POOL_MOST_BYTES || run->pooled >= sm->config->blocks_per_sm) {
		vgpu_mem_free(warps->memory, warps, warps->room);
		return;
	}
	warps->next = run->pool;
	run->pool = warps;
	run->pooled++;
}

void vgpu_warps_drain(struct vgpu_sm_run *run)
{
	while (run->pool) {
		struct vgpu_warps *warps = run->pool;

		run->pool = warps->next;
		vgpu_mem_free(warps->memory, warps, warps->room);
	}
	run->pooled = 0;
}

/* ---- barriers ----------------------------------------------------------- */

static u32 bits(u32 v)
{
	u32 n = 0;

	for (; v; v &= v - 1)
		n++;
	return n;
}

static u32 barred_result(const struct vgpu_barrier *barrier, u32 how)
{
	switch (how) {
	case VGPU_BARRED_POPC:
		return barrier->true_lanes;
	case VGPU_BARRED_AND:
		return barrier->true_lanes == barrier->lanes;
	default:
		return barrier->true_lanes != 0;
	}
}

/* All warps that wait at barrier @id go on, from the time at which the last one arrived. */
static void pass(struct vgpu_warps *warps, u32 id)
{
	struct vgpu_barrier *barrier = &warps->barriers[id];
	u64 cycles = 0;

	for (u32 n = 0; n < warps->count; n++) {
		const struct vgpu_warp *w = &warps->warp[n];

		if (w->state == VGPU_WARP_BARRIER && VGPU_BAR_ID(w->bar.imm) == id &&
		    w->cycles > cycles)
			cycles = w->cycles;
	}
	for (u32 n = 0; n < warps->count; n++) {
		struct vgpu_warp *w = &warps->warp[n];

		if (w->state != VGPU_WARP_BARRIER || VGPU_BAR_ID(w->bar.imm) != id)
			continue;
		if (w->bar.op == VGPU_OP_BARRED) {
			u32 result = barred_result(barrier, w->bar.flags);

			for (u32 l = 0; l < VGPU_LANES; l++) {
				if (w->bar_mask >> l & 1)
					w->regs[w->bar.dst * VGPU_LANES + l] = result;
			}
		}
		w->state = VGPU_WARP_READY;
		w->cycles = cycles;
		warps->ready++;
	}
	*barrier = (struct vgpu_barrier){ 0 };
}

/* Have enough warps arrived? A barrier of all threads needs those that have not exited. */
static bool complete(const struct vgpu_warps *warps, const struct vgpu_warp *w)
{
	u32 threads = VGPU_BAR_THREADS(w->bar.imm);
	u32 need = threads ? threads / VGPU_LANES : warps->count - warps->exited;

	return warps->barriers[VGPU_BAR_ID(w->bar.imm)].arrived >= need;
}

void vgpu_warps_arrive(struct vgpu_warps *warps, struct vgpu_warp *warp)
{
	struct vgpu_barrier *barrier = &warps->barriers[VGPU_BAR_ID(warp->bar.imm)];

	warp->state = VGPU_WARP_BARRIER;
	warps->ready--;
	barrier->arrived++;
	barrier->lanes += bits(warp->bar_mask);
	barrier->true_lanes += bits(warp->bar_pred);
	if (complete(warps, warp))
		pass(warps, VGPU_BAR_ID(warp->bar.imm));
}

/* Does a warp wait at a barrier? */
static bool has_barred(const struct vgpu_warps *warps)
{
	return warps->ready + warps->pending + warps->exited < warps->count;
}

void vgpu_warps_exit(struct vgpu_warps *warps, struct vgpu_warp *warp)
{
	warp->state = VGPU_WARP_EXITED;
	warps->ready--;
	warps->exited++;
	for (u32 n = 0; n < warps->count && has_barred(warps); n++) {
		struct vgpu_warp *w = &warps->warp[n];

		if (w->state == VGPU_WARP_BARRIER && complete(warps, w))
			pass(warps, VGPU_BAR_ID(w->bar.imm));
	}
}

/* ---- pages -------------------------------------------------------------- */

void vgpu_warps_pend(struct vgpu_warps *warps, struct vgpu_warp *warp)
{
	warp->state = VGPU_WARP_PENDING;
	warps->ready--;
	warps->pending++;
}

void vgpu_warps_resume(struct vgpu_warps *warps, struct vgpu_warp *warp)
{
	if (!VGPU_CHECK(warp->state == VGPU_WARP_PENDING))
		return;
	warp->state = VGPU_WARP_READY;
	warps->ready++;
	warps->pending--;
}

struct vgpu_warp *vgpu_warps_stuck(struct vgpu_warps *warps)
{
	/* One that waits for a page goes on when that comes. */
	if (warps->ready || warps->pending)
		return NULL;
	for (u32 n = 0; n < warps->count; n++) {
		if (warps->warp[n].state == VGPU_WARP_BARRIER)
			return &warps->warp[n];
	}
	return NULL;
}
