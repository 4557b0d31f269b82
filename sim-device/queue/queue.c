// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Queues of contexts: creation, the way in for batches, completion in order, and the end of
 * everything in them.
 */
#include "queue.h"

int vgpu_queues_init(struct vgpu_queues *queues)
{
	int err;

	queues->dispatch.fire = vgpu_dispatch_fire;
	vgpu_list_init(&queues->ready);
	vgpu_list_init(&queues->idle);
	vgpu_list_init(&queues->engaged);
	/* the dispatcher's */
	err = vgpu_event_reserve(queues->sim, 1);
	if (!err)
		queues->events = 1;
	return err;
}

void vgpu_queues_fini(struct vgpu_queues *queues)
{
	vgpu_event_cancel(queues->sim, &queues->dispatch);
	vgpu_event_release(queues->sim, queues->events);
	vgpu_mem_free_device(queues->table);
	vgpu_mem_free_device(queues->taken);
	vgpu_pqueue_free(&queues->wanting);
}

void vgpu_queues_open(struct vgpu_queue_context *ctx)
{
	vgpu_list_init(&ctx->queues);
	vgpu_list_init(&ctx->wanting);
}

struct vgpu_queue *vgpu_queue_of(const struct vgpu_queues *queues,
				 const struct vgpu_queue_context *ctx, u32 index)
{
	struct vgpu_queue *queue;

	if (index >= queues->room)
		return NULL;
	queue = queues->table[vgpu_index(index, queues->room)];
	return queue && queue->ctx == ctx ? queue : NULL;
}

/* ---- creation ----------------------------------------------------------- */

#define WORD	64u		/* entries of a word of queues->taken */

/* The least index that is free; there is one. */
static u32 free_index(const struct vgpu_queues *queues)
{
	u32 i = 0;

	while (!~queues->taken[i])
		i++;
	return i * WORD + (u32)__builtin_ctzll(~queues->taken[i]);
}

static int grow_table(struct vgpu_queues *queues)
{
	u32 room = queues->room ? queues->room * 2 : WORD;
	struct vgpu_queue **table = vgpu_mem_alloc_device(room * sizeof(*table));
	u64 *taken = vgpu_mem_alloc_device(room / WORD * sizeof(*taken));

	if (!table || !taken) {
		vgpu_mem_free_device(table);
		vgpu_mem_free_device(taken);
		return -ENOMEM;
	}
	if (queues->room) {
		memcpy(table, queues->table, queues->room * sizeof(*table));
		memcpy(taken, queues->taken, queues->room / WORD * sizeof(*taken));
	}
	vgpu_mem_free_device(queues->table);
	vgpu_mem_free_device(queues->taken);
	queues->table = table;
	queues->taken = taken;
	queues->room = room;
	return 0;
}

/*
 * Room for one more: in the table, for its transfers, for its context among those that want a
 * hardware queue, for a launch on its way to its engine.
 */
static int reserve_one(struct vgpu_queues *queues)
{
	int err = 0;

	if (queues->count == queues->room)
		err = grow_table(queues);
	if (!err)
		err = vgpu_transfers_reserve(queues->transfers, queues->count + 1);
	if (!err)
		err = vgpu_pqueue_reserve(&queues->wanting, queues->count + 1);
	return err ? err : vgpu_event_reserve(queues->sim, 1);
}

static void list_by_index(struct vgpu_queue_context *ctx, struct vgpu_queue *queue)
{
	struct vgpu_queue *next;

	vgpu_list_for_each(next, &ctx->queues, struct vgpu_queue, node)
		if (next->index > queue->index)
			break;
	vgpu_list_insert(&queue->node, next ? &next->node : &ctx->queues);
}

int vgpu_queues_get(struct vgpu_queues *queues, struct vgpu_queue_context *ctx, u32 *index)
{
	struct vgpu_queue *queue;
	int err;

	if (ctx->count == VGPU_QUEUES_MAX)
		return -ENOSPC;
	queue = vgpu_mem_alloc(ctx->memory, sizeof(*queue));
	if (!queue)
		return -ENOMEM;
	err = reserve_one(queues);
	if (err) {
		vgpu_mem_free(ctx->memory, queue, sizeof(*queue));
		return err;
	}
	queue->all = queues;
	queue->ctx = ctx;
	queue->index = free_index(queues);
	queue->generation = ++queues->created;
	vgpu_list_init(&queue->waiters);
	list_by_index(ctx, queue);
	queues->table[queue->index] = queue;
	queues->taken[queue->index / WORD] |= 1ull << queue->index % WORD;
	queues->count++;
	ctx->count++;
	*index = queue->index;
	return 0;
}

static void release_queue(struct vgpu_queue *queue)
{
	struct vgpu_queues *queues = queue->all;

	vgpu_hardware_put(queue);
	queues->table[queue->index] = NULL;
	queues->taken[queue->index / WORD] &= ~(1ull << queue->index % WORD);
	queues->count--;
	queue->ctx->count--;
	vgpu_list_del(&queue->node);
	vgpu_event_release(queues->sim, 1);
	vgpu_mem_free(queue->ctx->memory, queue, sizeof(*queue));
}

int vgpu_queues_put(struct vgpu_queues *queues, struct vgpu_queue_context *ctx, u32 index)
{
	struct vgpu_queue *q = vgpu_queue_of(queues, ctx, index);

	if (!q)
		return -ENOENT;
	if (q->head)
		return -EBUSY;
	release_queue(q);
	return 0;
}

/* ---- the way in --------------------------------------------------------- */

/* Build the whole batch before any of it counts: all or nothing. */
static int build_batch(struct vgpu_queue *queue, const struct vgpu_push *push, u32 count,
		       u32 *failed, struct vgpu_command **head, struct vgpu_command **tail)
{
	struct vgpu_command *command;
	u32 i;
	int err;

	*head = *tail = NULL;
	for (i = 0; i < count; i++) {
		err = vgpu_command_create(queue, &push[i], queue->pushed + 1 + i, &command);
		if (err)
			break;
		if (*head)
			(*tail)->next = command;
		else
			*head = command;
		*tail = command;
	}
	if (i == count)
		return 0;
	*failed = i;
	while ((command = *head)) {
		*head = command->next;
		vgpu_command_free(queue->all, command);
	}
	return err;
}

/* The process says what it will do: that does not wait for its turn. */
static void announce(const struct vgpu_command *command)
{
	const struct vgpu_cmd_announce *cmd = &command->cmd.announce;

	vgpu_exec_announce(command->queue->ctx->exec,
			   &(struct vgpu_announcement){
				   .blocks = cmd->blocks,
				   .lead = cmd->lead_ps,
				   .needs = {
					   .registers = cmd->regs_per_block,
					   .shared_bytes = cmd->shared_bytes,
					   .threads = (cmd->threads + 31) / 32 * 32,
					   .blocks = 1,
				   },
			   });
}

int vgpu_queues_push(struct vgpu_queue *queue, const struct vgpu_push *push, u32 count, u32 *failed,
		     u64 *seq)
{
	struct vgpu_command *head, *tail;
	int err;

	if (!count || count > VGPU_SUBMIT_MAX)
		return -EINVAL;
	if (queue->pending + count > VGPU_INFLIGHT_MAX)
		return -EAGAIN;
	err = build_batch(queue, push, count, failed, &head, &tail);
	if (err)
		return err;
	if (queue->head) {
		queue->tail->next = head;
	} else {
		queue->head = head;
		vgpu_dispatch_ready(queue);
	}
	queue->tail = tail;
	queue->pending += count;
	queue->pushed += count;
	*seq = queue->pushed;
	for (; head; head = head->next) {
		vgpu_trace_cmd(queue->all, VGPU_TRACE_PUSH, head);
		if (unlikely(head->cmd.op == VGPU_CMD_ANNOUNCE))
			announce(head);
	}
	return 0;
}

int vgpu_queues_host_done(struct vgpu_queue *queue, u64 seq)
{
	if (seq > queue->pushed)
		return -EINVAL;
	if (seq > queue->host_done)
		queue->host_done = seq;
	vgpu_dispatch_host_done(queue);
	return 0;
}

void vgpu_queue_broken(struct vgpu_queue *queue)
{
	struct vgpu_fault fault = { .reason = VGPU_FAULT_MODEL, .queue = queue->index,
				    .module = ~0u, .kernel = ~0u };

	if (queue->ctx)
		queue->all->ops->fault(queue->ctx, &fault);
}

/* The command at the head leaves its queue, well or not. */
static void complete_head(struct vgpu_queue *queue, int status)
{
	struct vgpu_command *command = queue->head;
	struct vgpu_queues *queues = queue->all;

	queue->head = command->next;
	queue->pending--;
	queue->completed = command->seq;
	vgpu_trace_cmd(queues, VGPU_TRACE_COMPLETE, command);
	queues->ops->completed(queues->owner, command, status);
	vgpu_command_free(queues, command);
}

u64 vgpu_queues_oldest(const struct vgpu_queue_context *ctx)
{
	const struct vgpu_queue *queue;
	u64 oldest = VGPU_NEVER;

	vgpu_list_for_each(queue, &ctx->queues, struct vgpu_queue, node)
		if (queue->head && queue->head->submitted < oldest)
			oldest = queue->head->submitted;
	return oldest;
}

void vgpu_command_done(struct vgpu_command *command)
{
	struct vgpu_queue *queue = command->queue;
	bool launch = command->cmd.op == VGPU_CMD_LAUNCH || command->cmd.op == VGPU_CMD_PROFILED;

	if (!VGPU_CHECK(command == queue->head)) {
		vgpu_queue_broken(queue);
		return;
	}
	complete_head(queue, 0);
	vgpu_dispatch_wake(queue);
	if (queue->head)
		vgpu_dispatch_ready(queue);
	else
		vgpu_hardware_idle(queue);
	/* The engine, which ends a launch, calls its policy itself. */
	if (!launch)
		vgpu_exec_command_ended(queue->ctx->exec);
}

void vgpu_queues_abort(struct vgpu_queue_context *ctx)
{
	struct vgpu_queue *queue;

	vgpu_list_for_each(queue, &ctx->queues, struct vgpu_queue, node)
		vgpu_dispatch_remove(queue);
	vgpu_list_for_each(queue, &ctx->queues, struct vgpu_queue, node)
		while (queue->head)
			complete_head(queue, -EIO);
	vgpu_list_for_each(queue, &ctx->queues, struct vgpu_queue, node)
		vgpu_hardware_put(queue);
}

void vgpu_queues_release(struct vgpu_queue_context *ctx)
{
	struct vgpu_queue *queue, *next;

	vgpu_list_for_each_safe(queue, next, &ctx->queues, struct vgpu_queue, node)
		release_queue(queue);
	vgpu_commands_fini(ctx);
}
