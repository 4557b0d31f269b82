// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Commands on their way in: every field of every operation is checked here, once; the engines trust
 * what has passed. What a command asks of the device as a whole (that one thread block fits into an
 * SM) is checked too, so that a launch that can never run is refused to the process that pushes it.
 */
#include "queue.h"

/* Times of profiled blocks up to a virtual hour, as for the configuration. */
#define BLOCK_PS_MAX	(3600ull * 1000 * VGPU_MS)
struct check {
	struct vgpu_queue *queue;
	struct vgpu_command *command;
	const struct vgpu_push *push;
};

static bool words_are_zero(const u64 *words, u32 count)
{
	while (count--)
		if (*words++)
			return false;
	return true;
}

static bool range_is_in(u64 address, u64 bytes, u64 limit)
{
	return bytes && bytes <= limit && address <= limit - bytes;
}

static bool is_device_range(u64 address, u64 bytes)
{
	return range_is_in(address, bytes, VGPU_ADDRESS_LIMIT);
}

/* Whether it is really there, the host finds out. */
static bool is_process_range(u64 address, u64 bytes)
{
	return range_is_in(address, bytes, ~0ull);
}

/* By the timing model that it asks for, or that of the device. */
static const struct vgpu_block_kind *compiled_kind(const struct vgpu_command *command)
{
	u16 asked = command->cmd.flags & (VGPU_LAUNCH_PIPELINE | VGPU_LAUNCH_INTERVAL);

	if (likely(!asked))
		return command->queue->all->exec->timing->kind;
	return asked == VGPU_LAUNCH_PIPELINE ? &vgpu_block_pipelined : &vgpu_block_compiled;
}

static void shape_launch(const struct vgpu_command *command, struct vgpu_launch *launch)
{
	const struct vgpu_cmd_profiled *profiled = &command->cmd.profiled;
	const struct vgpu_cmd_launch *compiled = &command->cmd.launch;

	memset(launch, 0, sizeof(*launch));
	launch->cooperative = command->cmd.flags & VGPU_LAUNCH_COOPERATIVE;
	if (command->cmd.op == VGPU_CMD_PROFILED) {
		launch->kind = profiled->touches ? &vgpu_block_touching : &vgpu_block_profiled;
		launch->module = ~0u;
		launch->kernel_index = profiled->name;
		launch->blocks = profiled->blocks;
		launch->threads = profiled->threads;
		launch->regs_per_block = profiled->regs_per_block;
		launch->shared_bytes = profiled->shared_bytes;
		launch->block_ps = profiled->block_ps;
		launch->block_cv_permille = profiled->block_cv_permille;
		launch->idempotent_permille = profiled->idempotent_permille;
		launch->clean_base_permille = profiled->clean_base_permille;
		launch->clean_increment_permille = profiled->clean_increment_permille;
		launch->touches = profiled->touches;
		launch->touch_bytes = profiled->touch_bytes;
		launch->touch_write = profiled->touch_flags & VGPU_TOUCH_WRITE;
		launch->touch_address = profiled->touch_address;
		launch->warps = (launch->threads + 31) / 32;
		return;
	}
	launch->kind = compiled_kind(command);
	launch->apart = command->cmd.flags & VGPU_LAUNCH_APART;
	vgpu_launch_shape(launch, vgpu_module_kernel(command->module->code, compiled->kernel),
			  compiled, command->params);
}

void vgpu_command_job_shape(const struct vgpu_job *job, struct vgpu_launch *launch)
{
	shape_launch(vgpu_container_of(job, struct vgpu_command, job), launch);
}

void vgpu_command_job_done(struct vgpu_job *job)
{
	vgpu_command_done(vgpu_container_of(job, struct vgpu_command, job));
}

void vgpu_command_transfer_done(struct vgpu_transfer *transfer)
{
	vgpu_command_done(vgpu_container_of(transfer, struct vgpu_command, transfer));
}

/* ---- checks ------------------------------------------------------------- */

static int check_nop(const struct check *c)
{
	return words_are_zero(c->command->cmd.raw, 6) ? 0 : -EINVAL;
}

/* Both models, or one that the device has not been created with, cannot be had. */
static bool timing_is_there(const struct vgpu_command *command)
{
	u16 asked = command->cmd.flags & (VGPU_LAUNCH_PIPELINE | VGPU_LAUNCH_INTERVAL);

	if (likely(!asked))
		return true;
	return asked != (VGPU_LAUNCH_PIPELINE | VGPU_LAUNCH_INTERVAL) &&
	       (command->queue->all->config->timing_by_kernel ||
		compiled_kind(command) == command->queue->all->exec->timing->kind);
}

/* Has an SM @room for a block, and the device for all @blocks if they are to be there together? */
static int check_room(const struct vgpu_command *command, u64 room, u64 blocks)
{
	if (!room)
		return -EINVAL;
	return command->cmd.flags & VGPU_LAUNCH_COOPERATIVE &&
			       blocks > room * command->queue->all->config->sms ?
		       -E2BIG :
		       0;
}

static int check_launch(const struct check *c)
{
	const struct vgpu_cmd_launch *cmd = &c->command->cmd.launch;
	const struct vgpu_config *config = c->queue->all->config;
	const struct vgpu_kernel *kernel;
	struct vgpu_launch launch;
	int err;

	c->command->module = vgpu_module_get(c->queue->ctx->modules, cmd->module);
	if (!c->command->module ||
	    cmd->kernel >= vgpu_module_kernel_count(c->command->module->code))
		return -EINVAL;
	kernel = vgpu_module_kernel(c->command->module->code, cmd->kernel);
	if (cmd->param_bytes != kernel->vass.param_bytes || (cmd->param_bytes && !c->push->params))
		return -EINVAL;
	if (vgpu_launch_check(config, kernel, cmd))
		return -EINVAL;
	if (!timing_is_there(c->command))
		return -EOPNOTSUPP;
	shape_launch(c->command, &launch);
	err = check_room(c->command,
			 vgpu_occupancy(config, launch.threads, launch.regs_per_block,
					launch.shared_bytes, NULL),
			 launch.blocks);
	if (err)
		return err;
	if (cmd->param_bytes)
		memcpy(c->command->params, c->push->params, cmd->param_bytes);
	return 0;
}

static int check_copy(const struct check *c)
{
	const struct vgpu_cmd_copy *cmd = &c->command->cmd.copy;
	bool dst, src;

	dst = c->command->cmd.op == VGPU_CMD_COPY_D2H ? is_process_range(cmd->dst, cmd->bytes) :
							is_device_range(cmd->dst, cmd->bytes);
	src = c->command->cmd.op == VGPU_CMD_COPY_H2D ? is_process_range(cmd->src, cmd->bytes) :
							is_device_range(cmd->src, cmd->bytes);
	return dst && src && words_are_zero(cmd->reserved, 3) ? 0 : -EINVAL;
}

static int check_fill(const struct check *c)
{
	const struct vgpu_cmd_fill *cmd = &c->command->cmd.fill;

	if (cmd->width != 1 && cmd->width != 2 && cmd->width != 4)
		return -EINVAL;
	if (cmd->dst % cmd->width || !words_are_zero(cmd->reserved, 3))
		return -EINVAL;
	if (cmd->count > VGPU_ADDRESS_LIMIT || !is_device_range(cmd->dst, cmd->count * cmd->width))
		return -EINVAL;
	return 0;
}

static int check_prefetch(const struct check *c)
{
	const struct vgpu_cmd_prefetch *cmd = &c->command->cmd.prefetch;

	return is_device_range(cmd->address, cmd->bytes) && cmd->to_device <= 1 &&
			       !cmd->reserved0 && words_are_zero(cmd->reserved, 3) ?
		       0 :
		       -EINVAL;
}

static int check_wait(const struct check *c)
{
	const struct vgpu_cmd_wait *cmd = &c->command->cmd.wait;
	const struct vgpu_queue *target = vgpu_queue_of(c->queue->all, c->queue->ctx, cmd->queue);

	if (!target || cmd->reserved0 || !words_are_zero(cmd->reserved, 4))
		return -EINVAL;
	/* Only backwards in the order of submission: so no two queues can wait for each other. */
	if (cmd->seq > (target == c->queue ? c->command->seq - 1 : target->pushed))
		return -EINVAL;
	c->command->generation = target->generation;
	return 0;
}

static int check_stamp(const struct check *c)
{
	const struct vgpu_cmd_stamp *cmd = &c->command->cmd.stamp;

	if (cmd->dst % 8 || !is_process_range(cmd->dst, 8) || !words_are_zero(cmd->reserved, 5))
		return -EINVAL;
	return 0;
}

/* The memory that blocks touch; how many they are has been checked. */
static bool touches_are_valid(const struct vgpu_cmd_profiled *cmd)
{
	u64 bytes = (u64)cmd->touches * cmd->touch_bytes;

	if (!cmd->touches)
		return !cmd->touch_bytes && !cmd->touch_flags && !cmd->touch_address;
	return cmd->touches <= VGPU_TOUCHES_MAX && cmd->touch_bytes &&
	       cmd->touch_bytes <= VGPU_TOUCH_BYTES_MAX && !(cmd->touch_bytes % VGPU_PAGE_SIZE) &&
	       !(cmd->touch_flags & ~VGPU_TOUCH_WRITE) && !(cmd->touch_address % VGPU_PAGE_SIZE) &&
	       cmd->blocks <= VGPU_ADDRESS_LIMIT / bytes &&
	       is_device_range(cmd->touch_address, cmd->blocks * bytes);
}

static int check_profiled(const struct check *c)
{
	const struct vgpu_cmd_profiled *cmd = &c->command->cmd.profiled;
	const struct vgpu_config *config = c->queue->all->config;

	if (!cmd->blocks || cmd->blocks > VGPU_LAUNCH_BLOCKS_MAX || !cmd->block_ps ||
	    cmd->block_ps > BLOCK_PS_MAX)
		return -EINVAL;
	if (cmd->block_cv_permille > 1000 || cmd->idempotent_permille > 1000 ||
	    cmd->clean_base_permille > 1000 || cmd->clean_increment_permille > 1000 ||
	    !touches_are_valid(cmd))
		return -EINVAL;
	if (!cmd->threads || cmd->threads > config->threads_per_block)
		return -EINVAL;
	return check_room(c->command,
			  vgpu_occupancy(config, cmd->threads, cmd->regs_per_block,
					 cmd->shared_bytes, NULL),
			  cmd->blocks);
}

static int check_announce(const struct check *c)
{
	const struct vgpu_cmd_announce *cmd = &c->command->cmd.announce;

	return cmd->threads <= 1024 && !cmd->reserved0 && words_are_zero(cmd->reserved, 2) &&
			       cmd->lead_ps <= 3600ull * 1000 * VGPU_MS ?
		       0 :
		       -EINVAL;
}

static int (*const checks[])(const struct check *c) = {
	[VGPU_CMD_NOP] = check_nop,
	[VGPU_CMD_LAUNCH] = check_launch,
	[VGPU_CMD_COPY_H2D] = check_copy,
	[VGPU_CMD_COPY_D2H] = check_copy,
	[VGPU_CMD_COPY_D2D] = check_copy,
	[VGPU_CMD_FILL] = check_fill,
	[VGPU_CMD_WAIT] = check_wait,
	[VGPU_CMD_STAMP] = check_stamp,
	[VGPU_CMD_PROFILED] = check_profiled,
	[VGPU_CMD_PREFETCH] = check_prefetch,
	[VGPU_CMD_HOST] = check_nop,
	[VGPU_CMD_ANNOUNCE] = check_announce,
};

/*
 * Asking the host for memory is the greater part of what a small command costs: a context keeps
 * ended ones and uses them again, as many as a busy queue has, with room for the parameters of most
 * kernels. It pays for them until it is closed.
 */
#define SPARES_MOST	256u
#define SPARE_PARAMS	128u

static struct vgpu_command *command_get(struct vgpu_queues *queues, struct vgpu_queue_context *ctx,
					u32 param_bytes)
{
	u32 room = param_bytes > SPARE_PARAMS ? param_bytes : SPARE_PARAMS;
	struct vgpu_command *command = ctx->spare;

	if (command && room == SPARE_PARAMS) {
		ctx->spare = command->next;
		ctx->spares--;
		memset(command, 0, sizeof(*command));
	} else {
		command = vgpu_mem_alloc(ctx->memory, sizeof(*command) + room);
		if (!command)
			return NULL;
	}
	command->room = room;
	queues->commands++;
	return command;
}

static void command_release(struct vgpu_queue_context *ctx, struct vgpu_command *command)
{
	vgpu_mem_free(ctx->memory, command, sizeof(*command) + command->room);
}

static void command_put(struct vgpu_queues *queues, struct vgpu_command *command)
{
	struct vgpu_queue_context *ctx = command->queue->ctx;

	queues->commands--;
	if (command->room != SPARE_PARAMS || ctx->spares == SPARES_MOST) {
		command_release(ctx, command);
		return;
	}
	command->next = ctx->spare;
	ctx->spare = command;
	ctx->spares++;
}

void vgpu_commands_fini(struct vgpu_queue_context *ctx)
{
	struct vgpu_command *command;

	while ((command = ctx->spare)) {
		ctx->spare = command->next;
		command_release(ctx, command);
	}
	ctx->spares = 0;
}

/* Those that operation @op has. */
static u16 flags_of(u32 op)
{
	u16 both = VGPU_LAUNCH_PRIORITY(7) | VGPU_LAUNCH_COOPERATIVE;

	if (op == VGPU_CMD_LAUNCH)
		return VGPU_LAUNCH_APART | VGPU_LAUNCH_PIPELINE | VGPU_LAUNCH_INTERVAL | both;
	return op == VGPU_CMD_PROFILED ? both : 0;
}

int vgpu_command_create(struct vgpu_queue *queue, const struct vgpu_push *push, u64 own_seq,
			struct vgpu_command **out)
{
	u16 flags = flags_of(push->cmd.op);
	struct check c = { .queue = queue, .push = push };
	u32 param_bytes = 0;
	int err;

	/* The operands of every other operation end before the last word. */
	if (push->cmd.op >= VGPU_CMD_COUNT || push->cmd.flags & ~flags || push->cmd.reserved ||
	    VGPU_LAUNCH_PRIORITY_OF(push->cmd.flags) > VGPU_LAUNCH_PRIORITY_MOST ||
	    (push->cmd.raw[6] && push->cmd.op != VGPU_CMD_PROFILED))
		return -EINVAL;
	if (push->cmd.op == VGPU_CMD_LAUNCH)
		param_bytes = push->cmd.launch.param_bytes;
	if (param_bytes > VGPU_VASS_MAX_PARAM)
		return -EINVAL;
	c.command = command_get(queue->all, queue->ctx, param_bytes);
	if (!c.command)
		return -ENOMEM;
	c.command->queue = queue;
	c.command->seq = own_seq;
	c.command->cookie = push->cookie;
	c.command->submitted = queue->all->sim->now;
	c.command->cmd = push->cmd;
	err = checks[vgpu_index(push->cmd.op, VGPU_ARRAY_SIZE(checks))](&c);
	if (err) {
		vgpu_command_free(queue->all, c.command);
		return err;
	}
	*out = c.command;
	return 0;
}

void vgpu_command_free(struct vgpu_queues *queues, struct vgpu_command *command)
{
	if (command->cmd.op == VGPU_CMD_LAUNCH || command->cmd.op == VGPU_CMD_PROFILED)
		vgpu_event_cancel(queues->sim, &command->job.arrival);
	if (command->module)
		vgpu_module_put(command->module);
	command_put(queues, command);
}
