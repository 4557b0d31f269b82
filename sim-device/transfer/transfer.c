// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The data transfer engine (Tanasic 2.2, table 5.1): one transfer at a time, moved in bursts of
 * link_burst bytes. A burst's bytes really move when the burst ends; a burst that faults ends the
 * context, and what was moved before it stays moved.
 *
 * Copies to and from the process go at the speed of the interconnect. Copies inside the device and
 * fills are transfer commands too, and take the same engine, but go at the speed of the memory,
 * which a copy uses twice: to read and to write.
 */
#include "../core/device.h"
#include "../core/trace.h"

#define PS_PER_SECOND	1000000000000ull

static struct vgpu_command *command_of(struct vgpu_entrant *node)
{
	return vgpu_container_of(node, struct vgpu_command, node);
}

static u64 bytes_of(const struct vgpu_cmd *cmd)
{
	return cmd->op == VGPU_CMD_FILL ? cmd->fill.count * cmd->fill.width : cmd->copy.bytes;
}

/* ---- moving one burst --------------------------------------------------- */

static bool translate(struct vgpu_context *ctx, u64 address, bool write, u8 **memory,
		      struct vgpu_fault *fault)
{
	enum vgpu_translation result = vgpu_as_translate(ctx->as, address, write, memory);

	if (result == VGPU_XLATE_OK) {
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
static void fill(u8 *memory, u64 bytes, u32 value, u32 width)
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
static u64 move_piece(struct vgpu_device *dev, struct vgpu_command *command, u64 offset, u64 bytes,
		      struct vgpu_fault *fault)
{
	const struct vgpu_cmd *cmd = &command->cmd;
	struct vgpu_context *ctx = command->queue->ctx;
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
		fill(dst, bytes, cmd->fill.value, cmd->fill.width);
		return bytes;
	case VGPU_CMD_COPY_D2D:
		memmove(dst, src, bytes);
		return bytes;
	case VGPU_CMD_COPY_H2D:
		fault->address = cmd->copy.src + offset;
		if (!dev->ops->move(dev->host, ctx->id, command->cookie, offset, dst, (u32)bytes,
				    VGPU_MOVE_TO_DEVICE))
			return bytes;
		break;
	default:
		fault->address = cmd->copy.dst + offset;
		fault->write = 1;
		if (!dev->ops->move(dev->host, ctx->id, command->cookie, offset, src, (u32)bytes,
				    VGPU_MOVE_TO_HOST))
			return bytes;
	}
	fault->reason = VGPU_FAULT_COPY_HOST;
	return 0;
}

static bool move_burst(struct vgpu_device *dev, struct vgpu_command *command, u64 offset, u64 bytes)
{
	struct vgpu_fault fault = {
		.queue = command->queue->index,
		.seq = command->seq,
		.module = ~0u,
		.kernel = ~0u,
	};

	while (bytes) {
		u64 moved = move_piece(dev, command, offset, bytes, &fault);

		if (!moved) {
			fault.bytes = (u32)bytes;
			vgpu_context_die(dev, command->queue->ctx, &fault);
			return false;
		}
		offset += moved;
		bytes -= moved;
	}
	return true;
}

/* ---- the engine --------------------------------------------------------- */

static u64 burst_bytes(const struct vgpu_device *dev)
{
	u64 left = dev->transfer.bytes - dev->transfer.done;

	return left < dev->config.link_burst ? left : dev->config.link_burst;
}

/* Ends of bursts are counted from the start of the transfer: rounding does not add up. */
static void schedule_burst(struct vgpu_device *dev)
{
	struct vgpu_transfer_engine *engine = &dev->transfer;
	u64 bytes = (engine->done + burst_bytes(dev)) * engine->passes;
	u64 end = engine->started + vgpu_mul_div(bytes, PS_PER_SECOND, engine->bandwidth);

	/* At the end of the clock; see vgpu_event_after(). */
	if (end < engine->started || end == VGPU_NEVER)
		end = VGPU_NEVER - 1;
	vgpu_event_at(dev, &engine->burst, end);
}

static void start_next(struct vgpu_device *dev)
{
	struct vgpu_transfer_engine *engine = &dev->transfer;
	struct vgpu_entrant *first = vgpu_tournament_first(&engine->waiting);
	struct vgpu_command *command;

	if (engine->running || !first)
		return;
	command = command_of(first);
	vgpu_tournament_leave(&engine->waiting, first);
	engine->running = command;
	engine->started = dev->now;
	engine->bytes = bytes_of(&command->cmd);
	engine->done = 0;
	engine->passes = command->cmd.op == VGPU_CMD_COPY_D2D ? 2 : 1;
	if (command->cmd.op == VGPU_CMD_COPY_D2D || command->cmd.op == VGPU_CMD_FILL)
		engine->bandwidth = dev->config.memory_bandwidth;
	else
		engine->bandwidth = dev->config.link_bandwidth;
	vgpu_trace_command(dev, VGPU_TRACE_COPY_START, command, engine->bytes, command->cmd.op);
	schedule_burst(dev);
}

static void finish(struct vgpu_device *dev)
{
	struct vgpu_transfer_engine *engine = &dev->transfer;
	struct vgpu_command *command = engine->running;
	struct vgpu_context *ctx = command->queue->ctx;

	engine->running = NULL;
	vgpu_trace_command(dev, VGPU_TRACE_COPY_END, command, engine->bytes, command->cmd.op);
	if (command->cmd.op != VGPU_CMD_FILL) {
		ctx->copies++;
		ctx->copied_bytes += engine->bytes;
	}
	start_next(dev);
	vgpu_command_done(dev, command);
}

static void burst_fire(struct vgpu_device *dev, struct vgpu_event *event)
{
	struct vgpu_transfer_engine *engine =
		vgpu_container_of(event, struct vgpu_transfer_engine, burst);
	u64 bytes = burst_bytes(dev);

	if (!move_burst(dev, engine->running, engine->done, bytes))
		return;
	engine->done += bytes;
	if (engine->done == engine->bytes)
		finish(dev);
	else
		schedule_burst(dev);
}

void vgpu_transfer_submit(struct vgpu_device *dev, struct vgpu_command *command)
{
	struct vgpu_transfer_engine *engine = &dev->transfer;

	command->order = engine->order++;
	vgpu_tournament_enter(&engine->waiting, &command->node,
			      engine->policy->rank(command->queue->ctx), command->order);
	start_next(dev);
}

void vgpu_transfer_abort(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	struct vgpu_transfer_engine *engine = &dev->transfer;
	u32 i;

	/* What waits here is the head of a queue. */
	for (i = 0; ctx->queues && i < dev->config.hw_queues; i++)
		if (dev->queues[i].ctx == ctx && dev->queues[i].head)
			vgpu_tournament_leave(&engine->waiting, &dev->queues[i].head->node);
	if (engine->running && engine->running->queue->ctx == ctx) {
		vgpu_event_cancel(dev, &engine->burst);
		vgpu_trace_command(dev, VGPU_TRACE_COPY_END, engine->running, engine->done,
				   engine->running->cmd.op);
		engine->running = NULL;
	}
	start_next(dev);
}

void vgpu_transfer_rerank(struct vgpu_device *dev)
{
	struct vgpu_transfer_engine *engine = &dev->transfer;
	u32 i;

	for (i = 0; i < dev->config.hw_queues; i++) {
		struct vgpu_command *command = dev->queues[i].head;

		if (command && vgpu_entrant_is_in(&command->node))
			vgpu_tournament_enter(&engine->waiting, &command->node,
					      engine->policy->rank(command->queue->ctx),
					      command->order);
	}
}

int vgpu_transfer_init(struct vgpu_device *dev)
{
	int err;

	dev->transfer.policy = vgpu_transfer_policy_at(0);
	dev->transfer.burst.fire = burst_fire;
	err = vgpu_tournament_reserve(&dev->transfer.waiting, dev->config.hw_queues);
	return err ? err : vgpu_event_reserve(dev, 1);
}

void vgpu_transfer_fini(struct vgpu_device *dev)
{
	vgpu_tournament_free(&dev->transfer.waiting);
}
