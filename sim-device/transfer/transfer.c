// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The data transfer engine (Tanasic 2.2, table 5.1): one transfer at a time, moved in bursts of
 * link_burst bytes. A burst's bytes really move when the burst ends; a burst that faults ends the
 * context, and what was moved before it stays moved.
 *
 * Copies to and from the process go at the speed of the interconnect. Copies inside the device and
 * fills are transfer commands too, and take the same engine, but go at the speed of the memory,
 * which a copy uses twice: to read and to write.
 *
 * A transfer takes command_ps at least, as much as a command without an engine does: a row of
 * copies of a byte takes virtual time, too.
 */
#include "transfer.h"

#define PS_PER_SECOND	1000000000000ull

static u64 bytes_of(const struct vgpu_cmd *cmd)
{
	switch (cmd->op) {
	case VGPU_CMD_FILL:
		return cmd->fill.count * cmd->fill.width;
	case VGPU_CMD_PREFETCH:
		return cmd->prefetch.bytes;
	default:
		return cmd->copy.bytes;
	}
}

/* ---- moving one burst --------------------------------------------------- */

static bool translate(struct vgpu_transfer_context *ctx, u64 address, bool write, u8 **memory,
		      struct vgpu_fault *fault)
{
	enum vgpu_translation result = vgpu_as_translate(ctx->as, address, write, memory);

	if (result == VGPU_XLATE_OK || result == VGPU_XLATE_IN_PLACE) {
		*memory += address & (VGPU_PAGE_SIZE - 1);
		return true;
	}
	fault->reason =
		result == VGPU_XLATE_NO_FRAME ? VGPU_FAULT_NO_MEMORY : VGPU_FAULT_COPY_UNMAPPED;
	fault->address = address;
	fault->write = write;
	return false;
}

static u64 left_in_page(u64 address)
{
	return VGPU_PAGE_SIZE - (address & (VGPU_PAGE_SIZE - 1));
}

/* @memory and the length are multiples of the width, as is the start of a page. */
static void fill_bytes(u8 *memory, u64 bytes, u32 value, u32 width)
{
	u64 done, next;

	if (width == 1) {
		memset(memory, (int)(value & 0xff), bytes);
		return;
	}
	/* One element, then what is there is doubled. */
	memcpy(memory, &value, width);
	for (done = width; done < bytes; done += next) {
		next = done < bytes - done ? done : bytes - done;
		memcpy(memory + done, memory, next);
	}
}

/*
 * Move at most @bytes from @offset on, up to the next end of a page. Returns how many; 0: @fault.
 */
static u64 move_piece(struct vgpu_transfer_engine *engine, struct vgpu_transfer *transfer,
		      u64 offset, u64 bytes, struct vgpu_fault *fault)
{
	const struct vgpu_cmd *cmd = transfer->cmd;
	struct vgpu_transfer_context *ctx = transfer->ctx;
	u8 *dst, *src;
	u64 address;

	if (cmd->op != VGPU_CMD_COPY_D2H) {
		address = (cmd->op == VGPU_CMD_FILL ? cmd->fill.dst : cmd->copy.dst) + offset;
		if (bytes > left_in_page(address))
			bytes = left_in_page(address);
		if (!translate(ctx, address, true, &dst, fault))
			return 0;
	}
	/* After the destination: its first write may change what the source reads. */
	if (cmd->op == VGPU_CMD_COPY_D2H || cmd->op == VGPU_CMD_COPY_D2D) {
		address = cmd->copy.src + offset;
		if (bytes > left_in_page(address))
			bytes = left_in_page(address);
		if (!translate(ctx, address, false, &src, fault))
			return 0;
	}
	switch (cmd->op) {
	case VGPU_CMD_FILL:
		fill_bytes(dst, bytes, cmd->fill.value, cmd->fill.width);
		return bytes;
	case VGPU_CMD_COPY_D2D:
		memmove(dst, src, bytes);
		return bytes;
	case VGPU_CMD_COPY_H2D:
		fault->address = cmd->copy.src + offset;
		if (!engine->ops->move(engine->owner, ctx->id, transfer->cookie, offset, dst,
				       (u32)bytes, VGPU_MOVE_TO_DEVICE))
			return bytes;
		break;
	default:
		fault->address = cmd->copy.dst + offset;
		fault->write = 1;
		if (!engine->ops->move(engine->owner, ctx->id, transfer->cookie, offset, src,
				       (u32)bytes, VGPU_MOVE_TO_HOST))
			return bytes;
	}
	fault->reason = VGPU_FAULT_COPY_HOST;
	return 0;
}

static bool move_burst(struct vgpu_transfer_engine *engine, u64 offset, u64 bytes)
{
	struct vgpu_transfer *transfer = engine->running;
	struct vgpu_fault fault = {
		.queue = transfer->queue,
		.seq = transfer->seq,
		.module = ~0u,
		.kernel = ~0u,
	};

	while (bytes) {
		u64 moved = move_piece(engine, transfer, offset, bytes, &fault);

		vgpu_work_add(transfer->ctx->work, VGPU_WORK_PIECE + moved / VGPU_WORK_MOVED);
		if (!moved) {
			fault.bytes = (u32)bytes;
			engine->ops->fault(transfer->ctx, &fault);
			return false;
		}
		offset += moved;
		bytes -= moved;
	}
	return true;
}

/* ---- the engine --------------------------------------------------------- */

static void trace_running(const struct vgpu_transfer_engine *engine, enum vgpu_trace_type type,
			  u64 bytes)
{
	const struct vgpu_transfer *t = engine->running;

	vgpu_trace_command(engine->trace, type, t->ctx->id, t->queue, t->seq, bytes, t->cmd->op);
}

static u64 burst_bytes(const struct vgpu_transfer_engine *engine)
{
	u64 left = engine->bytes - engine->done;

	return left < engine->config->link_burst ? left : engine->config->link_burst;
}

/* When the interconnect was reserved up to, for the running transfer; NULL: it does not use it. */
static u64 *link_of(const struct vgpu_transfer_engine *engine)
{
	switch (engine->running->cmd->op) {
	case VGPU_CMD_COPY_H2D:
		return &engine->link->free[VGPU_LINK_TO_DEVICE];
	case VGPU_CMD_COPY_D2H:
		return &engine->link->free[VGPU_LINK_TO_HOST];
	default:
		return NULL;
	}
}

/*
 * Ends of bursts are counted from the start of the transfer: rounding does not add up. A burst
 * waits for the page migrations that have reserved the interconnect before.
 */
static void schedule_burst(struct vgpu_transfer_engine *engine)
{
	u64 *reserved = link_of(engine);
	u64 bytes = (engine->done + burst_bytes(engine)) * engine->passes;
	u64 takes = vgpu_mul_div(bytes, PS_PER_SECOND, engine->bandwidth);
	bool last = engine->done + burst_bytes(engine) == engine->bytes;
	u64 end;

	if (last && takes < engine->config->command_ps)
		takes = engine->config->command_ps;
	if (reserved && *reserved > engine->sim->now)
		engine->started += *reserved - engine->sim->now;
	end = engine->started + takes;
	/* At the end of the clock; see vgpu_time_after(). */
	if (end < engine->started || end == VGPU_NEVER)
		end = VGPU_NEVER - 1;
	if (reserved)
		*reserved = end;
	vgpu_event_at(engine->sim, &engine->burst, end);
}

static void unlist(struct vgpu_transfer_engine *engine, struct vgpu_transfer *transfer)
{
	vgpu_pqueue_remove(&engine->waiting, &transfer->node);
	vgpu_list_del(&transfer->all);
}

static void start_next(struct vgpu_transfer_engine *engine)
{
	struct vgpu_pq_entry *first = vgpu_pqueue_first(&engine->waiting);
	struct vgpu_transfer *transfer;
	u32 op;

	if (engine->running || !first)
		return;
	transfer = vgpu_container_of(first, struct vgpu_transfer, node);
	unlist(engine, transfer);
	op = transfer->cmd->op;
	engine->running = transfer;
	engine->started = engine->sim->now;
	engine->bytes = bytes_of(transfer->cmd);
	engine->done = 0;
	engine->passes = op == VGPU_CMD_COPY_D2D ? 2 : 1;
	if (op == VGPU_CMD_COPY_D2D || op == VGPU_CMD_FILL)
		engine->bandwidth = engine->config->memory_bandwidth;
	else
		engine->bandwidth = engine->config->link_bandwidth;
	trace_running(engine, VGPU_TRACE_COPY_START, engine->bytes);
	if (op == VGPU_CMD_PREFETCH)
		vgpu_event_after(engine->sim, &engine->burst, engine->config->command_ps);
	else
		schedule_burst(engine);
}

static void finish_running(struct vgpu_transfer_engine *engine)
{
	struct vgpu_transfer *transfer = engine->running;

	trace_running(engine, VGPU_TRACE_COPY_END, engine->bytes);
	engine->running = NULL;
	if (transfer->cmd->op != VGPU_CMD_FILL && transfer->cmd->op != VGPU_CMD_PREFETCH) {
		transfer->ctx->copies++;
		transfer->ctx->copied_bytes += engine->bytes;
	}
	start_next(engine);
	engine->ops->done(transfer);
}

/* ---- prefetches --------------------------------------------------------- */

#define PREFETCH_STEPS	64u	/* granules of one event, if they are there */

static void page_came(struct vgpu_page_waiter *waiter)
{
	struct vgpu_transfer_engine *engine =
		vgpu_container_of(waiter, struct vgpu_transfer_engine, waiter);

	vgpu_event_after(engine->sim, &engine->burst, 0);
}

/* One granule after another: each uses all of the interconnect. */
static void prefetch(struct vgpu_transfer_engine *engine)
{
	const struct vgpu_transfer *transfer = engine->running;
	const struct vgpu_cmd_prefetch *cmd = &transfer->cmd->prefetch;
	struct vgpu_fault fault = {
		.reason = VGPU_FAULT_COPY_UNMAPPED,
		.queue = transfer->queue,
		.seq = transfer->seq,
		.module = ~0u,
		.kernel = ~0u,
	};

	engine->waiter.wake = page_came;
	for (u32 steps = 0; steps < PREFETCH_STEPS && engine->done < engine->bytes; steps++) {
		u64 address = cmd->address + engine->done, next;
		enum vgpu_access_result result =
			vgpu_as_prefetch(transfer->ctx->as, address,
					 cmd->address + cmd->bytes - 1, cmd->to_device,
					 &engine->waiter, &next);

		vgpu_work_add(transfer->ctx->work, VGPU_WORK_FAULT);
		if (result == VGPU_ACCESS_FAULT) {
			fault.address = address;
			engine->ops->fault(transfer->ctx, &fault);
			return;
		}
		engine->done = next - cmd->address;
		if (result == VGPU_ACCESS_PENDING)
			return;
	}
	if (engine->done < engine->bytes)
		vgpu_event_after(engine->sim, &engine->burst, engine->config->command_ps);
	else
		finish_running(engine);
}

static void burst_fire(struct vgpu_event *event)
{
	struct vgpu_transfer_engine *engine =
		vgpu_container_of(event, struct vgpu_transfer_engine, burst);
	u64 bytes;

	if (engine->running->cmd->op == VGPU_CMD_PREFETCH) {
		prefetch(engine);
		return;
	}
	bytes = burst_bytes(engine);
	if (!move_burst(engine, engine->done, bytes))
		return;
	engine->done += bytes;
	if (engine->done == engine->bytes)
		finish_running(engine);
	else
		schedule_burst(engine);
}

static void sort(struct vgpu_transfer_engine *engine, struct vgpu_transfer *transfer)
{
	const struct vgpu_transfer_policy *policy = engine->policy;

	vgpu_pqueue_insert(&engine->waiting, &transfer->node,
			   policy->rank ? policy->rank(transfer->ctx) : 0, transfer->order);
}

void vgpu_transfer_submit(struct vgpu_transfer_engine *engine, struct vgpu_transfer *transfer)
{
	transfer->order = engine->order++;
	sort(engine, transfer);
	vgpu_list_add_tail(&transfer->all, &engine->all);
	start_next(engine);
}

void vgpu_transfer_abort(struct vgpu_transfer_engine *engine, struct vgpu_transfer_context *ctx)
{
	struct vgpu_transfer *transfer, *next;

	vgpu_list_for_each_safe(transfer, next, &engine->all, struct vgpu_transfer, all)
		if (transfer->ctx == ctx)
			unlist(engine, transfer);
	if (engine->running && engine->running->ctx == ctx) {
		u64 *reserved = link_of(engine);

		/* unless somebody has reserved it for later, it is free now */
		if (reserved && *reserved == vgpu_event_time(&engine->burst))
			*reserved = engine->sim->now;
		vgpu_event_cancel(engine->sim, &engine->burst);
		vgpu_page_waiter_cancel(&engine->waiter);
		trace_running(engine, VGPU_TRACE_COPY_END, engine->done);
		engine->running = NULL;
	}
	start_next(engine);
}

void vgpu_transfer_rerank(struct vgpu_transfer_engine *engine,
			  const struct vgpu_transfer_context *ctx)
{
	struct vgpu_transfer *transfer;

	vgpu_list_for_each(transfer, &engine->all, struct vgpu_transfer, all)
		if (!ctx || transfer->ctx == ctx)
			sort(engine, transfer);
}

int vgpu_transfer_init(struct vgpu_transfer_engine *engine)
{
	int err;

	engine->policy = vgpu_transfer_policy_at(0);
	engine->burst.fire = burst_fire;
	vgpu_list_init(&engine->all);
	err = vgpu_event_reserve(engine->sim, 1);
	if (!err)
		engine->events = 1;
	return err;
}

int vgpu_transfer_reserve(struct vgpu_transfer_engine *engine, u32 count)
{
	return vgpu_pqueue_reserve(&engine->waiting, count);
}

void vgpu_transfer_fini(struct vgpu_transfer_engine *engine)
{
	vgpu_event_release(engine->sim, engine->events);
	vgpu_pqueue_free(&engine->waiting);
}

/* ---- policies ----------------------------------------------------------- */

/* npq: the highest priority first (Tanasic 5.3.2); a transfer that has begun goes on. */
static u64 npq_rank(const struct vgpu_transfer_context *ctx)
{
	return (u64)(0x7fffffffll - ctx->priority);
}

static const struct vgpu_transfer_policy policies[] = {
	{ .name = "fcfs" },
	{ .name = "npq", .rank = npq_rank },
};

const struct vgpu_transfer_policy *vgpu_transfer_policy_at(unsigned int index)
{
	return index < VGPU_ARRAY_SIZE(policies) ? &policies[index] : NULL;
}
