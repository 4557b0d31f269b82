// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Compiled blocks with timing=pipeline: how they come to a pipeline and leave it. The state of a
 * block is that of the other timing model (warps.c) with the pipeline's part behind it, which has
 * no pointer to an SM: what is in flight stays behind, and a block leaves when nothing is but what
 * the scheme can replay.
 */
#include "scheme.h"

static u32 log_entries(const struct vgpu_config *config, const struct vgpu_launch *launch)
{
	u32 occupancy = vgpu_occupancy(config, launch->threads, launch->regs_per_block,
				       launch->shared_bytes, NULL);
	u32 count = config->operand_log_bytes / VGPU_LOG_ENTRY / (occupancy ? occupancy : 1);

	return count;
}

static int start(struct vgpu_block *block)
{
	const struct vgpu_config *config = block->sm->config;
	const struct vgpu_launch *launch = block->launch;
	u32 entries = log_entries(config, launch);
	u64 fixed = sizeof(struct vgpu_pipe_block) +
		    launch->warps * sizeof(struct vgpu_pipe_warp);
	struct vgpu_pipe_block *pb;

	if (block->warps) {
		block->warps->home = block->sm;
		vgpu_progress_come(block->warps);
		return 0;
	}
	block->warps = vgpu_warps_get(block->sm, block, fixed + (u64)entries * VGPU_LOG_ENTRY);
	if (!block->warps)
		return -ENOMEM;
	vgpu_warps_begin(block->warps, launch);
	pb = vgpu_pipe_block(block);
	pb->warps = launch->warps;
	pb->log_entries = entries;
	pb->log = (u8 *)pb + fixed;
	for (u32 n = 0; n < launch->warps; n++) {
		pb->warp[n].w = &block->warps->warp[n];
		pb->warp[n].store_waiter = VGPU_PIPE_NONE;
		pb->warp[n].last_unissued = VGPU_PIPE_NONE;
	}
	return 0;
}

static void release(struct vgpu_block *block)
{
	if (block->warps)
		vgpu_warps_put(block->warps);
	block->warps = NULL;
}

static u32 get_place(struct vgpu_pipe *p)
{
	u32 word = 0, index;

	/* it was empty: that was no stall */
	if (!vgpu_pipe_has_warps(p))
		vgpu_pipe_begin(p, p->sm->sim->now);
	while (!~p->used[word])
		word++;
	index = word * 64 + (u32)__builtin_ctzll(~p->used[word]);
	p->used[word] |= 1ull << index % 64;
	return index;
}

/* Have blocks of launch @id been here lately? From now on they have. */
static bool was_here(struct vgpu_pipe *p, u32 id)
{
	u32 most = p->config->kernels_per_sm;

	for (u32 n = 0; n < most; n++)
		if (p->kernels[n] == id)
			return true;
	p->kernels[p->kernel_turn++ % most] = id;
	return false;
}

static void issue(struct vgpu_block *block)
{
	struct vgpu_sm *sm = block->sm;
	struct vgpu_pipe *p = sm->pipe;
	struct vgpu_pipe_block *pb = vgpu_pipe_block(block);

	/* The scheme may have been changed while the device had nothing. */
	p->scheme = vgpu_fault_scheme_find(p->config->fault_scheme);
	pb->stopping = false;
	/* What others have written since is not in this SM's cache. */
	if (!was_here(p, block->launch->id) || pb->moved) {
		p->port->model->serve(p->port, block->launch->context);
		p->port->model->invalidate(p->port);
	}
	pb->moved = true;
	if (unlikely(p->config->trace_lines))
		vgpu_lines_come(p, block->launch);
	/* an SM that was empty begins with its first warp */
	if (sm->resident_count == 1)
		for (u32 n = 0; n < VGPU_PIPE_SCHEDULERS; n++)
			p->last_warp[n] = p->warp_words * 64 - 1;
	for (u32 n = 0; n < pb->warps; n++) {
		struct vgpu_pipe_warp *pw = &pb->warp[n];

		pw->block = block;
		pw->index = get_place(p);
		pw->order = p->orders++;
		p->warps[pw->index] = pw;
		if (unlikely(p->quotas))
			vgpu_pipe_quotas_come(p, pw);
		/* as if it had been held for another reason: let_go() enters it */
		pw->held |= VGPU_HELD_STOP;
		vgpu_pipe_let_go(p, pw, VGPU_HELD_STOP);
	}
	vgpu_pipe_kick(p, 0);
}

void vgpu_pipe_stop(struct vgpu_pipe *p, struct vgpu_block *block)
{
	struct vgpu_pipe_block *pb = vgpu_pipe_block(block);

	pb->stopping = true;
	for (u32 n = 0; n < pb->warps; n++) {
		vgpu_pipe_hold(p, &pb->warp[n], VGPU_HELD_STOP);
		if (!block->warps->faulted && !pb->warp[n].moving && pb->warp[n].in_flight)
			vgpu_pipe_settle(p, &pb->warp[n]);
	}
}

bool vgpu_pipe_block_quiet(const struct vgpu_block *block)
{
	const struct vgpu_pipe_block *pb = vgpu_pipe_block(block);

	return pb->stopping && !pb->in_flight && !pb->stored && !pb->fencing;
}

static bool stop(struct vgpu_block *block)
{
	struct vgpu_pipe *p = block->sm->pipe;

	vgpu_pipe_stop(p, block);
	if (vgpu_pipe_block_quiet(block) &&
	    vgpu_cycle_time(p->config, p->cycle) <= p->sm->sim->now)
		return true;
	vgpu_pipe_kick(p, 0);
	return false;
}

static void halt(struct vgpu_block *block)
{
	vgpu_pipe_stop(block->sm->pipe, block);
}

static void throttle(struct vgpu_block *block)
{
	struct vgpu_pipe_block *pb = vgpu_pipe_block(block);
	struct vgpu_pipe *p = block->sm->pipe;

	for (u32 n = 0; n < pb->warps; n++) {
		if (block->throttled)
			vgpu_pipe_hold(p, &pb->warp[n], VGPU_HELD_THROTTLE);
		else
			vgpu_pipe_let_go(p, &pb->warp[n], VGPU_HELD_THROTTLE);
	}
	vgpu_pipe_kick(p, 0);
}

static u64 context_bytes(const struct vgpu_block *block)
{
	const struct vgpu_fault_scheme *scheme;
	u64 bytes = vgpu_compiled_context_bytes(block);

	if (!block->warps)
		return bytes;
	scheme = block->warps->home->pipe->scheme;
	return bytes + (scheme->context_bytes ? scheme->context_bytes(vgpu_pipe_block(block)) : 0);
}

static u64 time_left(const struct vgpu_block *block)
{
	(void)block;
	return VGPU_NEVER;
}

static enum vgpu_block_wait waits(const struct vgpu_block *block)
{
	const struct vgpu_warps *warps = block->warps;

	if (!warps || !warps->pending || warps->faulted)
		return VGPU_WAIT_NONE;
	return warps->ready ? VGPU_WAIT_SOME : VGPU_WAIT_ALL;
}

static u64 wait_left(const struct vgpu_block *block)
{
	const struct vgpu_warps *warps = block->warps;
	const struct vgpu_pipe *p = block->sm->pipe;
	u64 last = 0, left;

	if (!warps || !warps->pending)
		return 0;
	for (u32 n = 0; n < warps->count; n++) {
		left = vgpu_fault_left(&warps->warp[n].waiter);
		last = left > last ? left : last;
	}
	for (u32 n = 0; n < p->access_count; n++) {
		const struct vgpu_pipe_access *access = &p->accesses[n];

		if (!access->entry || access->entry->warp->block != block)
			continue;
		left = vgpu_fault_left(&access->waiter);
		last = left > last ? left : last;
	}
	return last;
}

const struct vgpu_block_kind vgpu_block_pipelined = {
	.name = "pipelined",
	.in_flight = true,
	.leave = vgpu_pipe_leave_block,
	.start = start,
	.issue = issue,
	.detach = vgpu_progress_leave,
	.release = release,
	.stop = stop,
	.halt = halt,
	.throttle = throttle,
	.context_bytes = context_bytes,
	.time_left = time_left,
	.waits = waits,
	.wait_left = wait_left,
	.warps = vgpu_warps_left,
	.repeats = vgpu_warps_repeat,
	.restart = release,
	.ran = vgpu_progress_ran,
	.expected = vgpu_progress_expected,
	.executed = vgpu_progress_executed,
	.dirty = vgpu_written_bytes,
	.checkpoint = vgpu_written_base,
	.save_rest = vgpu_written_leave,
	.take_back = vgpu_written_restore,
	.forget = vgpu_written_forget,
};

/* ---- the pipeline of an SM ------------------------------------------------------------ */

static void *allocate(struct vgpu_pipe *p, u64 bytes, bool *failed)
{
	void *memory = vgpu_mem_alloc_device(bytes + 64);

	(void)p;
	*failed |= !memory;
	return memory;
}

static void *align(void *memory)
{
	return (u8 *)memory + (0 - (unsigned long)memory) % 64;
}

static void init_lists(struct vgpu_pipe *p)
{
	struct vgpu_pipe_list empty = { VGPU_PIPE_NONE, VGPU_PIPE_NONE };
	u32 n;

	for (n = 0; n < VGPU_UNITS; n++)
		p->ready[n] = empty;
	p->refused = empty;
	p->reading = empty;
	for (n = 0; n < p->entry_count; n++) {
		p->entries[n].number = n;
		p->entries[n].next = n + 1 < p->entry_count ? (u16)(n + 1) : VGPU_PIPE_NONE;
	}
	for (n = 0; n < VGPU_PIPE_WHEEL; n++)
		p->wheel[n] = VGPU_PIPE_NONE;
	for (n = 0; n < p->entry_count + p->access_count * VGPU_LANES; n++)
		p->due[n] = VGPU_NEVER;
	for (n = 0; n < VGPU_TLB_ENTRIES; n++)
		p->no_tlb[n].page = ~0ull;
	p->accesses = align(p->access_memory);
	p->atomic = &p->accesses[p->access_count];
	for (n = p->access_count; n-- > 0;) {
		p->accesses[n].number = n;
		p->accesses[n].next = p->free_accesses;
		p->free_accesses = &p->accesses[n];
	}
	p->accesses_free = p->access_count;
	p->far = VGPU_PIPE_NONE;
	p->far_first = VGPU_NEVER;
	p->scratch->preds[VGPU_PT] = ~0u;
	p->scratch->threads = VGPU_LANES;
}

void vgpu_pipe_fini(struct vgpu_sm *sm)
{
	struct vgpu_pipe *p = sm->pipe;

	if (!p)
		return;
	if (p->port)
		p->port->model->close(p->port);
	vgpu_code_cache_fini(p);
	vgpu_pipe_quotas_fini(p);
	vgpu_lines_fini(p);
	vgpu_mem_free_device(p->warps);
	vgpu_mem_free_device(p->used);
	vgpu_mem_free_device(p->fetchable);
	vgpu_mem_free_device(p->entries);
	vgpu_mem_free_device(p->wheel);
	vgpu_mem_free_device(p->line_next);
	vgpu_mem_free_device(p->due);
	vgpu_mem_free_device(p->access_memory);
	vgpu_mem_free_device(p->asks);
	vgpu_mem_free_device(p->send);
	vgpu_mem_free_device(p->frames);
	vgpu_mem_free_device(p->no_tlb);
	vgpu_mem_free_device(p->no_cost);
	vgpu_mem_free_device(p->scratch);
	vgpu_mem_free_device(p->staging);
	vgpu_mem_free_device(p->move_lines);
	vgpu_mem_free_device(p);
	sm->pipe = NULL;
}

/* Instructions that have been issued and are no accesses: units x cycles of Execute are less. */
#define OTHERS_IN_FLIGHT	512u

int vgpu_pipe_init(struct vgpu_sm *sm)
{
	const struct vgpu_config *config = sm->config;
	bool failed = false;
	struct vgpu_pipe *p = vgpu_mem_alloc_device(sizeof(*p));
	u64 numbers;

	if (!p)
		return -ENOMEM;
	sm->pipe = p;
	p->sm = sm;
	p->config = config;
	p->scheme = vgpu_fault_scheme_find(config->fault_scheme);
	p->scheduler = vgpu_warp_scheduler_find(config->warp_scheduler);
	p->order = vgpu_issue_order_find(config->issue_order);
	p->units[VGPU_UNIT_MATH] = config->math_units;
	p->units[VGPU_UNIT_SPECIAL] = config->special_units;
	p->units[VGPU_UNIT_LDST] = config->ldst_units;
	p->units[VGPU_UNIT_BRANCH] = config->branch_units;
	p->warp_room = config->threads_per_sm / VGPU_LANES + config->blocks_per_sm;
	p->warp_words = (p->warp_room + 63) / 64;
	p->entry_count = config->issue_queue + config->memory_queue + OTHERS_IN_FLIGHT;
	p->access_count = config->memory_queue;
	p->send_room = p->access_count * VGPU_LANES * 2;
	numbers = p->entry_count + (u64)p->access_count * VGPU_LANES;
	p->warps = allocate(p, p->warp_words * 64 * sizeof(*p->warps), &failed);
	p->used = allocate(p, p->warp_words * sizeof(u64), &failed);
	p->fetchable = allocate(p, p->warp_words * sizeof(u64), &failed);
	p->entries = allocate(p, p->entry_count * sizeof(*p->entries), &failed);
	p->wheel = allocate(p, VGPU_PIPE_WHEEL * sizeof(u16), &failed);
	p->line_next = allocate(p, p->access_count * VGPU_LANES * sizeof(u16), &failed);
	p->due = allocate(p, numbers * sizeof(u64), &failed);
	p->access_memory = allocate(p, (p->access_count + 1) * sizeof(*p->accesses), &failed);
	p->send = allocate(p, p->send_room * sizeof(*p->send), &failed);
	p->frames = allocate(p, VGPU_FRAMES_KNOWN * sizeof(*p->frames), &failed);
	p->no_tlb = allocate(p, VGPU_TLB_ENTRIES * sizeof(*p->no_tlb), &failed);
	p->no_cost = allocate(p, VGPU_OP_COUNT * sizeof(u16), &failed);
	p->scratch = allocate(p, sizeof(*p->scratch), &failed);
	p->staging = allocate(p, VGPU_LINE, &failed);
	p->move_lines = allocate(p, 2 * VGPU_LINE, &failed);
	failed |= vgpu_code_cache_init(p) != 0;
	p->port = failed ? NULL : vgpu_memory_model_find(config->memory_model)->open(sm);
	if (failed || !p->port) {
		vgpu_pipe_fini(sm);
		return -ENOMEM;
	}
	p->port->model = vgpu_memory_model_find(config->memory_model);
	p->port->config = config;
	p->window = p->port->model->window(p->port);
	/* a check a cycle and unit */
	p->asks = allocate(p, p->window * config->ldst_units * sizeof(*p->asks), &failed);
	if (failed) {
		vgpu_pipe_fini(sm);
		return -ENOMEM;
	}
	init_lists(p);
	return 0;
}
