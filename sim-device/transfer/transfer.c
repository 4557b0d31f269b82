// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The copy engines (Tanasic 2.2, table 5.1): one transfer at a time each, moved in bursts of
 * link_burst bytes. A burst's bytes really move when the burst ends; a burst that faults ends the
 * context, and what was moved before it stays moved.
 *
 * Copies to and from the process go at the speed of the interconnect. Copies inside the device and
 * fills are transfer commands too, but go at the speed of the memory, which a copy uses twice: to
 * read and to write.
 *
 * A transfer takes command_ps at least, as much as a command without an engine does: a row of
 * copies of a byte takes virtual time, too.
 */
#include "transfer.h"


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
		vgpu_as_flush(ctx->as, address, write);
		*memory += address & (VGPU_PAGE_SIZE - 1);
		return true;
	}
	fault->reason = result == VGPU_XLATE_NO_FRAME ? VGPU_FAULT_NO_MEMORY :
			result == VGPU_XLATE_SYSTEM   ? VGPU_FAULT_SYSTEM :
							VGPU_FAULT_COPY_UNMAPPED;
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
static u64 move_piece(struct vgpu_transfers *transfers, struct vgpu_transfer *transfer,
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
		if (!transfers->ops->move(transfers->owner, ctx->id, transfer->cookie, offset, dst,
				       (u32)bytes, VGPU_MOVE_TO_DEVICE))
			return bytes;
		break;
	default:
		fault->address = cmd->copy.dst + offset;
		fault->write = 1;
		if (!transfers->ops->move(transfers->owner, ctx->id, transfer->cookie, offset, src,
				       (u32)bytes, VGPU_MOVE_TO_HOST))
			return bytes;
	}
	fault->reason = VGPU_FAULT_COPY_HOST;
	return 0;
}

static bool move_burst(struct vgpu_copy_engine *engine, u64 offset, u64 bytes)
{
	struct vgpu_transfer *transfer = engine->running;
	struct vgpu_fault fault = {
		.queue = transfer->queue,
		.seq = transfer->seq,
		.module = ~0u,
		.kernel = ~0u,
	};

	while (bytes) {
		u64 moved = move_piece(engine->transfers, transfer, offset, bytes, &fault);

		vgpu_work_add(transfer->ctx->work, VGPU_WORK_PIECE + moved / VGPU_WORK_MOVED);
		if (!moved) {
			fault.bytes = (u32)bytes;
			engine->transfers->ops->fault(transfer->ctx, &fault);
			return false;
		}
		offset += moved;
		bytes -= moved;
	}
	return true;
}

/* ---- an engine ---------------------------------------------------------- */

static void trace_running(const struct vgpu_copy_engine *engine, enum vgpu_trace_type type,
			  u64 bytes)
{
	const struct vgpu_transfer *t = engine->running;

	vgpu_trace_command(engine->transfers->trace, type, t->ctx->id, t->queue, t->seq, bytes,
			   t->cmd->op | (u64)engine->index << 32);
}

static u64 burst_bytes(const struct vgpu_copy_engine *engine)
{
	u64 left = engine->bytes - engine->done;
	u32 burst = engine->transfers->config->link_burst;

	return left < burst ? left : burst;
}

/* When the path of the running transfer was reserved up to; NULL: it does not reserve one. */
static u64 *path_of(const struct vgpu_copy_engine *engine)
{
	struct vgpu_transfers *transfers = engine->transfers;

	/* its migrations do */
	if (engine->running->cmd->op == VGPU_CMD_PREFETCH)
		return NULL;
	if (engine->running->path == VGPU_TRANSFER_WITHIN)
		return &transfers->memory_free;
	return &transfers->link->free[engine->running->path];
}

/*
 * Ends of bursts are counted from the start of the transfer: rounding does not add up. A burst
 * waits for what has reserved the path before: page migrations, bursts of the other engine.
 */
static void schedule_burst(struct vgpu_copy_engine *engine)
{
	const struct vgpu_config *config = engine->transfers->config;
	struct vgpu_sim *sim = engine->transfers->sim;
	u64 *reserved = path_of(engine);
	u64 bytes = (engine->done + burst_bytes(engine)) * engine->passes;
	u64 takes = vgpu_mul_div(bytes, VGPU_PS_PER_SECOND, engine->bandwidth);
	bool last = engine->done + burst_bytes(engine) == engine->bytes;
	u64 end;

	if (last && takes < config->command_ps)
		takes = config->command_ps;
	engine->crosses = *reserved > sim->now ? *reserved : sim->now;
	engine->started += engine->crosses - sim->now;
	end = engine->started + takes;
	/* At the end of the clock; see vgpu_time_after(). */
	if (end < engine->started || end == VGPU_NEVER)
		end = VGPU_NEVER - 1;
	*reserved = end;
	vgpu_event_at(sim, &engine->burst, end);
}

static void unlist(struct vgpu_transfers *transfers, struct vgpu_transfer *transfer)
{
	vgpu_pqueue_remove(&transfers->waiting[transfer->path], &transfer->node);
	vgpu_list_del(&transfer->all);
}

static struct vgpu_pq_entry *earlier(struct vgpu_pq_entry *a, struct vgpu_pq_entry *b)
{
	if (!a || !b)
		return a ? a : b;
	if (a->key != b->key)
		return a->key < b->key ? a : b;
	return a->seq < b->seq ? a : b;
}

/* The first that @engine may execute; NULL: none waits. */
static struct vgpu_transfer *next_of(const struct vgpu_copy_engine *engine)
{
	struct vgpu_transfers *transfers = engine->transfers;
	struct vgpu_pq_entry *first = NULL;

	for (u32 path = 0; path < VGPU_TRANSFER_PATHS; path++)
		if (engine->serves & 1u << path)
			first = earlier(first, vgpu_pqueue_first(&transfers->waiting[path]));
	return first ? vgpu_container_of(first, struct vgpu_transfer, node) : NULL;
}

static void start_next(struct vgpu_copy_engine *engine)
{
	struct vgpu_transfers *transfers = engine->transfers;
	struct vgpu_transfer *transfer = engine->running ? NULL : next_of(engine);
	const struct vgpu_config *config = transfers->config;

	if (!transfer)
		return;
	unlist(transfers, transfer);
	engine->running = transfer;
	engine->began = transfers->sim->now;
	engine->started = transfers->sim->now;
	engine->bytes = bytes_of(transfer->cmd);
	engine->done = 0;
	engine->passes = transfer->cmd->op == VGPU_CMD_COPY_D2D ? 2 : 1;
	engine->bandwidth = transfer->path == VGPU_TRANSFER_WITHIN ? config->memory_bandwidth :
								     config->link_bandwidth;
	trace_running(engine, VGPU_TRACE_COPY_START, engine->bytes);
	if (transfer->cmd->op == VGPU_CMD_PREFETCH)
		vgpu_event_after(transfers->sim, &engine->burst, config->command_ps);
	else
		schedule_burst(engine);
}

/* The engine is free; @bytes of its transfer have been moved. */
static void leave_running(struct vgpu_copy_engine *engine, u64 bytes)
{
	trace_running(engine, VGPU_TRACE_COPY_END, bytes);
	engine->busy += engine->transfers->sim->now - engine->began;
	engine->running = NULL;
}

static void finish_running(struct vgpu_copy_engine *engine)
{
	struct vgpu_transfer *transfer = engine->running;

	leave_running(engine, engine->bytes);
	if (transfer->cmd->op != VGPU_CMD_FILL && transfer->cmd->op != VGPU_CMD_PREFETCH) {
		transfer->ctx->copies++;
		transfer->ctx->copied_bytes += engine->bytes;
	}
	start_next(engine);
	engine->transfers->ops->done(transfer);
}

/* ---- prefetches --------------------------------------------------------- */

#define PREFETCH_STEPS	64u	/* granules of one event, if they are there */

static void page_came(struct vgpu_page_waiter *waiter)
{
	struct vgpu_copy_engine *engine =
		vgpu_container_of(waiter, struct vgpu_copy_engine, waiter);

	vgpu_event_after(engine->transfers->sim, &engine->burst, 0);
}

/* One granule after another: each uses all of the interconnect. */
static void prefetch(struct vgpu_copy_engine *engine)
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
			if (vgpu_is_system(address))
				fault.reason = VGPU_FAULT_SYSTEM;
			engine->transfers->ops->fault(transfer->ctx, &fault);
			return;
		}
		engine->done = next - cmd->address;
		if (result == VGPU_ACCESS_PENDING)
			return;
	}
	if (engine->done < engine->bytes)
		vgpu_event_after(engine->transfers->sim, &engine->burst,
				 engine->transfers->config->command_ps);
	else
		finish_running(engine);
}

static void burst_fire(struct vgpu_event *event)
{
	struct vgpu_copy_engine *engine =
		vgpu_container_of(event, struct vgpu_copy_engine, burst);
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

/* ---- all of them -------------------------------------------------------- */

static enum vgpu_transfer_path path_for(const struct vgpu_cmd *cmd)
{
	switch (cmd->op) {
	case VGPU_CMD_COPY_H2D:
		return VGPU_TRANSFER_TO_DEVICE;
	case VGPU_CMD_COPY_D2H:
		return VGPU_TRANSFER_TO_HOST;
	case VGPU_CMD_PREFETCH:
		return cmd->prefetch.to_device ? VGPU_TRANSFER_TO_DEVICE : VGPU_TRANSFER_TO_HOST;
	default:
		return VGPU_TRANSFER_WITHIN;
	}
}

static void start_all(struct vgpu_transfers *transfers)
{
	for (u32 n = 0; n < transfers->config->copy_engines; n++)
		start_next(&transfers->engines[n]);
}

static void sort(struct vgpu_transfers *transfers, struct vgpu_transfer *transfer)
{
	const struct vgpu_transfer_policy *policy = transfers->policy;

	vgpu_pqueue_insert(&transfers->waiting[transfer->path], &transfer->node,
			   policy->rank ? policy->rank(transfer->ctx) : 0, transfer->order);
}

void vgpu_transfer_submit(struct vgpu_transfers *transfers, struct vgpu_transfer *transfer)
{
	transfer->order = transfers->order++;
	transfer->path = path_for(transfer->cmd);
	sort(transfers, transfer);
	vgpu_list_add_tail(&transfer->all, &transfers->all);
	start_all(transfers);
}

static void abort_running(struct vgpu_copy_engine *engine)
{
	struct vgpu_sim *sim = engine->transfers->sim;
	u64 *reserved = path_of(engine);

	/* unless somebody has reserved it for later, what is left of the burst is free now */
	if (reserved && *reserved == vgpu_event_time(&engine->burst))
		*reserved = engine->crosses > sim->now ? engine->crosses : sim->now;
	vgpu_event_cancel(sim, &engine->burst);
	vgpu_page_waiter_cancel(&engine->waiter);
	leave_running(engine, engine->done);
}

void vgpu_transfers_abort(struct vgpu_transfers *transfers, struct vgpu_transfer_context *ctx)
{
	struct vgpu_transfer *transfer, *next;

	vgpu_list_for_each_safe(transfer, next, &transfers->all, struct vgpu_transfer, all)
		if (transfer->ctx == ctx)
			unlist(transfers, transfer);
	for (u32 n = 0; n < VGPU_COPY_ENGINES; n++) {
		struct vgpu_copy_engine *engine = &transfers->engines[n];

		if (engine->running && engine->running->ctx == ctx)
			abort_running(engine);
	}
	start_all(transfers);
}

void vgpu_transfers_rerank(struct vgpu_transfers *transfers,
			   const struct vgpu_transfer_context *ctx)
{
	struct vgpu_transfer *transfer;

	vgpu_list_for_each(transfer, &transfers->all, struct vgpu_transfer, all)
		if (!ctx || transfer->ctx == ctx)
			sort(transfers, transfer);
}

u64 vgpu_transfers_busy(const struct vgpu_transfers *transfers, u32 index)
{
	const struct vgpu_copy_engine *engine = &transfers->engines[index];

	return engine->busy + (engine->running ? transfers->sim->now - engine->began : 0);
}

int vgpu_transfers_init(struct vgpu_transfers *transfers)
{
	const u32 all = (1u << VGPU_TRANSFER_PATHS) - 1;
	u32 count = transfers->config->copy_engines;
	int err;

	transfers->policy = vgpu_transfer_policy_at(0);
	vgpu_list_init(&transfers->all);
	for (u32 n = 0; n < VGPU_COPY_ENGINES; n++) {
		struct vgpu_copy_engine *engine = &transfers->engines[n];

		engine->transfers = transfers;
		engine->index = n;
		engine->burst.fire = burst_fire;
		engine->serves = count == 1 ? all : 1u << n | 1u << VGPU_TRANSFER_WITHIN;
	}
	err = vgpu_event_reserve(transfers->sim, count);
	if (!err)
		transfers->events = count;
	return err;
}

int vgpu_transfers_reserve(struct vgpu_transfers *transfers, u32 count)
{
	int err = 0;

	for (u32 path = 0; path < VGPU_TRANSFER_PATHS && !err; path++)
		err = vgpu_pqueue_reserve(&transfers->waiting[path], count);
	return err;
}

void vgpu_transfers_fini(struct vgpu_transfers *transfers)
{
	vgpu_event_release(transfers->sim, transfers->events);
	for (u32 path = 0; path < VGPU_TRANSFER_PATHS; path++)
		vgpu_pqueue_free(&transfers->waiting[path]);
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
