// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The state of a compiled block: where it lies, how it begins, and the barriers between its warps
 * (Tanasic 2.4: a barrier unit keeps track of the waiting warps and reactivates them all when each
 * has arrived). States return to a pool of their SM, so that a small launch allocates nothing.
 *
 * Local memory is no part of the state: a block may have 40 MB of it and use none. Its pages are
 * allocated when they are first written and return to a pool of the SM, so real time goes by what
 * is used and not by what a kernel says it might use.
 *
 * The context that states and pages were allocated for pays for them in the pools too, so another
 * one does not get them: the pools are emptied when blocks of another context begin or end, and
 * when the context is closed.
 */
#include "warps.h"

#define ALIGN	64u
/* larger states are not kept; one that fills an SM of k20c is smaller */
#define POOL_MOST_BYTES	(1u << 20)
#define POOL_MOST_PAGES	1024u

static u64 aligned(u64 bytes)
{
	return (bytes + ALIGN - 1) & ~(u64)(ALIGN - 1);
}

/* What is pooled is of one account; that of another is released. */
static void pool_for(struct vgpu_sm_run *run, struct vgpu_mem_account *memory)
{
	if (run->payer != memory)
		vgpu_warps_drain(run);
	run->payer = memory;
}

/* ---- local memory ------------------------------------------------------- */

/* NULL: none is left. */
static void *pooled_page(struct vgpu_sm_run *run)
{
	void **page = run->pages;

	if (page) {
		run->pages = *page;
		run->page_count--;
	}
	return page;
}

/* A page of zeros, NULL: no memory. */
static void *get_page(struct vgpu_sm_run *run)
{
	void *page = pooled_page(run);

	run->work += VGPU_WORK_PAGE;
	if (!page)
		return vgpu_mem_alloc(run->payer, VGPU_PAGE_SIZE);
	memset(page, 0, VGPU_PAGE_SIZE);
	return page;
}

/* It is cleared when it is used again: a block may have thousands, which all end with it. */
static void put_page(struct vgpu_sm_run *run, void *page)
{
	if (run->page_count >= POOL_MOST_PAGES) {
		vgpu_mem_free(run->payer, page, VGPU_PAGE_SIZE);
		return;
	}
	*(void **)page = run->pages;
	run->pages = page;
	run->page_count++;
}

static void put_local(struct vgpu_sm_run *run, struct vgpu_warp *w)
{
	for (u32 n = 0; n < VGPU_LOCAL_TABLES; n++) {
		struct vgpu_local_page *table = w->local[n];

		if (!table)
			continue;
		w->local[n] = NULL;
		for (u32 i = 0; i < VGPU_LOCAL_TABLE; i++)
			if (table[i].memory)
				put_page(run, table[i].memory);
		put_page(run, table);
	}
}

bool vgpu_warps_add_local(struct vgpu_warps *warps, struct vgpu_warp *w)
{
	struct vgpu_sm_run *run = warps->home->run;
	const struct vgpu_lanes *lanes = &run->lanes;

	pool_for(run, warps->memory);
	/* Lanes that are out of range fault when the instruction is restarted. */
	for (u32 left = lanes->accessing; left; left &= left - 1) {
		u64 offset = lanes->addr[__builtin_ctz(left)] - lanes->window;
		u64 number = offset >> VGPU_LOCAL_SHIFT;
		struct vgpu_local_page **table, *page;

		if (offset >= warps->local_bytes)
			continue;
		table = &w->local[number / VGPU_LOCAL_TABLE];
		if (!*table)
			*table = get_page(run);
		if (!*table)
			return false;
		page = &(*table)[number % VGPU_LOCAL_TABLE];
		if (!page->memory)
			page->memory = get_page(run);
		if (!page->memory)
			return false;
	}
	return true;
}

/* ---- states ------------------------------------------------------------- */

static void drain_states(struct vgpu_sm_run *run)
{
	while (run->pool) {
		struct vgpu_warps *warps = run->pool;

		run->pool = warps->next;
		vgpu_mem_free(run->payer, warps, warps->room);
	}
	run->pooled = 0;
}

static struct vgpu_warps *take_pooled(struct vgpu_sm_run *run, u64 bytes)
{
	struct vgpu_warps *warps = run->pool;

	/* Blocks of one kernel have one size. Of another kernel's nothing is kept. */
	if (warps && (warps->room < bytes || warps->room > 4 * bytes)) {
		drain_states(run);
		return NULL;
	}
	if (warps) {
		run->pool = warps->next;
		run->pooled--;
	}
	return warps;
}

/*
 * Of the registers of a warp that another block had, those are cleared that the kernel may read
 * before it has written them.
 */
static void clear_unwritten(u32 *regs, const struct vgpu_kernel *kernel)
{
	for (u32 word = 0; word < VGPU_UNWRITTEN_WORDS; word++)
		for (u64 left = kernel->unwritten[word]; left; left &= left - 1) {
			u32 reg = 64 * word + (u32)__builtin_ctzll(left);

			if (reg < kernel->vass.regs)
				memset(regs + reg * VGPU_LANES, 0, VGPU_LANES * sizeof(u32));
		}
}

/* Where block number @n lies in the grid. Most grids are one row, which takes no division. */
static void find_index(u32 *index, u64 n, const u32 *grid)
{
	u64 row = 0;

	if (n >= grid[0]) {
		row = n / grid[0];
		n %= grid[0];
	}
	index[0] = (u32)n;
	index[1] = (u32)(row < grid[1] ? row : row % grid[1]);
	index[2] = (u32)(row < grid[1] ? 0 : row / grid[1]);
}

/*
 * @block has the state @warps from now on, of which only this struct is touched: the rest is made
 * when the block begins (vgpu_warps_begin()), and then is in the caches when it executes.
 */
static void give_state(struct vgpu_warps *warps, const struct vgpu_block *block)
{
	const struct vgpu_launch *launch = block->launch;

	vgpu_work_add(launch->work, warps->work);
	warps->home->run->started += warps->started;
	warps->ready = launch->warps;
	warps->pending = 0;
	warps->exited = 0;
	warps->begun = false;
	warps->faulted = false;
	vgpu_progress_begin(warps);
	find_index(warps->index, block->index, launch->grid);
}

struct vgpu_warps *vgpu_warps_get(struct vgpu_sm *sm, const struct vgpu_block *block, u64 extra)
{
	const struct vgpu_launch *launch = block->launch;
	const struct vgpu_vass_kernel *vass = &launch->kernel->vass;
	u64 headers = aligned(sizeof(struct vgpu_warps)) +
		      aligned((u64)launch->warps * sizeof(struct vgpu_warp));
	u64 slot = VGPU_LANES * sizeof(u32) * (u64)((vass->regs + 1) & ~1u);
	u64 shared = aligned(launch->shared_bytes), local = (u64)VGPU_LANES * vass->local_bytes;
	u64 bytes = headers + launch->warps * slot + shared + ALIGN + aligned(extra);
	struct vgpu_warps *warps;
	size_t room = bytes;
	bool used;
	u64 at;
	u8 *base;

	if (bytes + launch->warps * local > VGPU_WARPS_MAX_BYTES)
		return NULL;
	pool_for(sm->run, launch->memory);
	warps = take_pooled(sm->run, bytes);
	used = warps;
	if (used) {
		room = warps->room;
	} else {
		warps = vgpu_mem_alloc(launch->memory, bytes);
		if (!warps)
			return NULL;
	}
	warps->work = (u32)(bytes / VGPU_WORK_CLEARED);
	warps->watched = NULL;
	warps->started = VGPU_WORK_BLOCK + launch->warps * VGPU_WORK_WARP +
			 (u32)((launch->warps * slot + shared) / VGPU_WORK_CLEARED);
	warps->executed = (struct vgpu_block_count){};
	warps->copy = NULL;
	warps->home = sm;
	warps->room = room;
	warps->used = used;
	warps->memory = launch->memory;
	warps->count = launch->warps;
	warps->shared_bytes = launch->shared_bytes;
	warps->local_bytes = vass->local_bytes;
	base = (u8 *)warps;
	at = aligned((u64)(unsigned long)base + sizeof(*warps)) - (u64)(unsigned long)base;
	warps->warp = (struct vgpu_warp *)(base + at);
	at += aligned((u64)launch->warps * sizeof(struct vgpu_warp));
	warps->shared = base + at;
	at += shared;
	warps->regs = (u32 *)(base + at);
	at += launch->warps * slot;
	warps->extra = extra ? base + at : NULL;
	if (used && extra)
		memset(warps->extra, 0, extra);
	give_state(warps, block);
	return warps;
}

static void put_local_of_all(struct vgpu_warps *warps)
{
	if (unlikely(warps->local_bytes) && warps->begun)
		for (u32 n = 0; n < warps->count; n++)
			put_local(warps->home->run, &warps->warp[n]);
}

void vgpu_warps_follow(const struct vgpu_block *block)
{
	struct vgpu_warps *warps = block->warps;

	if (unlikely(warps->watched))
		vgpu_watch_block_end(warps);
	pool_for(warps->home->run, warps->memory);
	put_local_of_all(warps);
	warps->used = true;
	give_state(warps, block);
}

void vgpu_warps_enter(struct vgpu_lanes *lanes, const struct vgpu_block *block)
{
	const struct vgpu_warps *warps = block->warps;

	lanes->code = block->launch->kernel->code;
	lanes->launch = block->launch;
	lanes->params = block->launch->params;
	lanes->shared = warps->shared;
	lanes->shared_bytes = warps->shared_bytes;
	lanes->local_bytes = warps->local_bytes;
	memcpy(lanes->block, warps->index, sizeof(lanes->block));
}

/* That predicates are 0 is seen of those that the kernel names; of most kernels, of few. */
#define FEW_PREDS	4u

/*
 * What a warp has in its state that another block had: of its registers and predicates that is
 * cleared which the kernel may read before it writes it; of its local memory, where it has any. All
 * else that is not set below is written before it is read.
 */
static void clear_used(struct vgpu_warp *w, const struct vgpu_kernel *kernel)
{
	w->pc = 0;
	w->depth = 0;
	w->state = VGPU_WARP_READY;
	w->loose = 0;
	w->rounds = 0;
	w->turn = 0;
	w->waiting = 0;
	w->done = 0;
	w->native = 0;
	w->waits = 0;
	w->cycles = 0;
	w->written = NULL;
	vgpu_page_waiter_init(&w->waiter);
	for (u32 p = 0; p < FEW_PREDS; p++)
		w->preds[p] = 0;
	if (unlikely(kernel->preds > FEW_PREDS))
		memset(w->preds, 0, kernel->preds * sizeof(w->preds[0]));
	if (unlikely(kernel->vass.local_bytes))
		memset(w->local, 0, sizeof(w->local));
}

void vgpu_warps_begin(struct vgpu_warps *warps, const struct vgpu_launch *launch)
{
	const struct vgpu_kernel *kernel = launch->kernel;
	u32 slot = VGPU_LANES * ((kernel->vass.regs + 1) & ~1u), *regs = warps->regs;
	u32 count = launch->warps;
	bool used = warps->used;
	u64 unwritten = 0;

	for (u32 word = 0; word < VGPU_UNWRITTEN_WORDS; word++)
		unwritten |= kernel->unwritten[word];
	for (u32 n = 0; n < count; n++) {
		struct vgpu_warp *w = &warps->warp[n];

		if (used) {
			clear_used(w, kernel);
			if (unlikely(unwritten))
				clear_unwritten(regs, kernel);
		}
		w->threads = VGPU_LANES;
		w->live = ~0u;
		w->active = ~0u;
		w->reconv = VGPU_NO_RECONV;
		w->index = n;
		w->preds[VGPU_PT] = ~0u;
		w->regs = regs;
		regs += slot;
	}
	if (launch->threads % VGPU_LANES) {
		struct vgpu_warp *last = &warps->warp[launch->warps - 1];

		last->threads = launch->threads % VGPU_LANES;
		last->live = (1u << last->threads) - 1;
		last->active = last->live;
	}
	if (warps->used && launch->shared_bytes)
		memset(warps->shared, 0, launch->shared_bytes);
	warps->begun = true;
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

	vgpu_written_end(warps);
	if (unlikely(warps->watched))
		vgpu_watch_block_end(warps);
	if (warps->pending)
		cancel_waiters(warps);
	/* where all warps have exited nobody is at a barrier */
	if (unlikely(warps->exited != warps->count))
		memset(warps->barriers, 0, sizeof(warps->barriers));
	pool_for(run, warps->memory);
	put_local_of_all(warps);
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
	void *page;

	drain_states(run);
	while ((page = pooled_page(run)))
		vgpu_mem_free(run->payer, page, VGPU_PAGE_SIZE);
	run->payer = NULL;
}

/* ---- barriers ----------------------------------------------------------- */

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

	if (unlikely(warps->watched))
		vgpu_watch_barrier_leave(warps, id);
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

			if (unlikely(w->written))
				vgpu_written_mark(w->written, &w->bar);
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
	warps->let_go = true;
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

	if (unlikely(warps->watched))
		vgpu_watch_barrier_arrive(warps, warp);
	warp->state = VGPU_WARP_BARRIER;
	warps->ready--;
	barrier->arrived++;
	barrier->lanes += vgpu_popcount32(warp->bar_mask);
	barrier->true_lanes += vgpu_popcount32(warp->bar_pred);
	if (complete(warps, warp))
		pass(warps, VGPU_BAR_ID(warp->bar.imm));
}

void vgpu_warps_pass(struct vgpu_warps *warps)
{
	for (u32 n = 0; n < warps->count && vgpu_warps_barred(warps); n++) {
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
	warps->let_go = true;
}

u32 vgpu_warps_left(const struct vgpu_block *block, u32 *waiting)
{
	const struct vgpu_warps *warps = block->warps;

	*waiting += warps ? warps->pending : 0;
	return warps ? warps->count - warps->exited : 0;
}

struct vgpu_warp *vgpu_warps_first_barred(struct vgpu_warps *warps)
{
	for (u32 n = 0; n < warps->count; n++) {
		if (warps->warp[n].state == VGPU_WARP_BARRIER)
			return &warps->warp[n];
	}
	return NULL;
}
