// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mapped queues: a ring of commands that a process fills and the actor empties, and a fence page
 * that only the actor writes. The ring's bytes are the process's and may change at any moment, so a
 * command is copied before it is looked at, and where the ring stands is kept outside it. Nobody
 * waits for an answer: what is wrong ends the context.
 *
 * The order between the rings of a context is the order of their stores as far as it can be told: a
 * command that waits for a sequence number which lies in another ring stays where it is until that
 * one has been taken.
 */
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "kmod/queue/queue.h"

#define FETCH			32u	/* commands in one go */
/*
 * As often a message is repeated for what lies in front of it: enough for full rings, unless they
 * wait for each other at every command. What is left is as if it had stalled.
 */
#define REPEATS_MAX		4096u
/* After this, rings are looked at again for which there was no memory. */
#define RETRY_NS		(10 * NSEC_PER_MSEC)

/* mmap offsets: the queue, and which of its two mappings. */
#define OFFSET_QUEUE_SHIFT	28
#define OFFSET_FENCE		(1ull << 27)

struct kvgpu_ring {
	struct list_head node;		/* actor: in kdev->queues->rings */
	struct kvgpu_ctx *ctx;
	struct kvgpu_queue *queue;
	struct vgpu_ring_create shape;	/* what the process asked for and was told */
	u32 head;			/* the actor writes */
	bool stalled;			/* actor: no use to look before something changes */
	bool rung;			/* a doorbell says that something has */
	struct vgpu_ring *control;
	const struct vgpu_cmd *commands;
	const void *params;
	struct vgpu_ring_fence *fence;
	struct vgpu_push push[FETCH];
};

bool kvgpu_ring_pending(const struct kvgpu_ring *ring)
{
	return READ_ONCE(ring->control->tail) != READ_ONCE(ring->head);
}

/* ---- fetch (actor) ------------------------------------------------------ */

static void ring_fault(struct kvgpu_ring *ring, u32 reason, u64 seq, u64 what)
{
	struct vgpu_fault fault = {
		.reason = reason,
		.queue = ring->shape.queue,
		.seq = seq,
		.module = ~0u,
		.address = what,
	};

	vgpu_context_end(ring->ctx->kdev->model, ring->ctx->id, &fault);
}

/* It waits for what another ring has not given yet. */
static bool command_blocked(const struct kvgpu_ring *ring, const struct vgpu_cmd *cmd)
{
	const struct kvgpu_queue *other;

	if (cmd->op != VGPU_CMD_WAIT)
		return false;
	other = xa_load(&ring->ctx->queues, cmd->wait.queue);
	return other && other != ring->queue && other->ring && cmd->wait.seq > other->submitted &&
	       kvgpu_ring_pending(other->ring);
}

/*
 * May the command be pushed? -EAGAIN: not yet; -EINVAL: never from a ring. Fills in where its
 * parameters are: the model copies them, once, and does not read them before.
 */
static int command_check(const struct kvgpu_ring *ring, struct vgpu_push *push)
{
	struct vgpu_cmd *cmd = &push->cmd;
	u32 bytes = cmd->launch.param_bytes;

	push->cookie = 0;
	push->params = NULL;
	switch (cmd->op) {
	case VGPU_CMD_COPY_H2D:
	case VGPU_CMD_COPY_D2H:
	case VGPU_CMD_STAMP:
		return -EINVAL;
	case VGPU_CMD_WAIT:
		return command_blocked(ring, cmd) ? -EAGAIN : 0;
	case VGPU_CMD_LAUNCH:
		if (bytes > VGPU_VASS_MAX_PARAM || bytes > ring->shape.param_bytes ||
		    cmd->launch.params > ring->shape.param_bytes - bytes)
			return -EINVAL;
		if (bytes) {
			push->params = ring->params + cmd->launch.params;
			push->cookie = kvgpu_cookie_params(bytes);
		}
		return 0;
	default:
		return 0;
	}
}

/* Copy commands from the head, as far as they can be pushed now; an error if the first cannot. */
static int ring_copy(struct kvgpu_ring *ring, struct kvgpu_batch *batch, u32 ready)
{
	int ret = 0;

	for (; batch->count < min(ready, FETCH); batch->count++) {
		struct vgpu_push *push = &ring->push[batch->count];
		u32 entry = (ring->head + batch->count) & (ring->shape.entries - 1);

		memcpy(&push->cmd, &ring->commands[entry], sizeof(push->cmd));
		barrier();	/* what is checked from here on is the copy */
		ret = command_check(ring, push);
		if (ret)
			break;
		batch->param_bytes += push->cookie >> 1;
	}
	return batch->count ? 0 : ret;
}

/* Returns how many commands went on. */
static u32 ring_fetch(struct kvgpu_ring *ring)
{
	struct kvgpu_batch batch = {
		.ctx = ring->ctx, .queue = ring->shape.queue, .push = ring->push
	};
	u64 next = ring->queue->submitted + 1;
	u32 ready;
	int ret;

	/* before the look at what it was rung for */
	if (READ_ONCE(ring->rung) && xchg(&ring->rung, false))
		ring->stalled = false;
	ready = smp_load_acquire(&ring->control->tail) - ring->head;
	if (ring->ctx->dead || ring->stalled || !ready)
		return 0;
	if (ready > ring->shape.entries) {
		ring_fault(ring, VGPU_FAULT_RING, next, ready);
		return 0;
	}
	ret = ring_copy(ring, &batch, ready);
	if (!ret)
		ret = kvgpu_batch_push(&batch);
	if (ret) {
		ring->stalled = true;
		/* perhaps nothing of the context is in flight whose end would clear it */
		if (ret == -ENOMEM)
			ring->ctx->kdev->queues->retry = ktime_get_ns() + RETRY_NS;
		if (ret != -EAGAIN && ret != -ENOMEM)
			ring_fault(ring, VGPU_FAULT_COMMAND, next + batch.failed,
				   ring->push[batch.failed].cmd.op);
		return 0;
	}
	WRITE_ONCE(ring->head, ring->head + batch.count);
	smp_store_release(&ring->fence->head, ring->head);
	return batch.count;
}

void kvgpu_rings_retry(struct kvgpu_ctx *ctx)
{
	struct kvgpu_ring *ring;

	list_for_each_entry(ring, &ctx->kdev->queues->rings, node)
		if (ring->ctx == ctx)
			ring->stalled = false;
}

/* Time has come to look at those for which there was no memory. */
static void retry_all(struct kvgpu_queues *queues)
{
	struct kvgpu_ring *ring;

	queues->retry = 0;
	list_for_each_entry(ring, &queues->rings, node)
		ring->stalled = false;
}

u64 kvgpu_rings_turn(struct kvgpu_dev *kdev)
{
	struct kvgpu_queues *queues = kdev->queues;
	struct kvgpu_ring *ring;
	u64 begin, now;

	if (queues->retry && ktime_get_ns() >= queues->retry)
		retry_all(queues);
	list_for_each_entry(ring, &queues->rings, node) {
		if (!kvgpu_ring_pending(ring))
			continue;
		begin = ktime_get_ns();
		if (!ring_fetch(ring))
			continue;
		kvgpu_rings_retry(ring->ctx);
		kvgpu_inbox_charge(&ring->ctx->inbox, ktime_get_ns() - begin);
	}
	if (!queues->retry)
		return KVGPU_IDLE;
	now = ktime_get_ns();
	return queues->retry > now ? queues->retry - now : 0;
}

/*
 * One look at all rings of a context fetches at most FETCH commands of each. What a process stores
 * while its message is being repeated may come later than the message.
 */
bool kvgpu_rings_fetch(struct kvgpu_ctx *ctx)
{
	struct kvgpu_ring *ring;
	bool more = false;

	list_for_each_entry(ring, &ctx->kdev->queues->rings, node) {
		if (ring->ctx != ctx)
			continue;
		ring->stalled = false;
		if (ring_fetch(ring))
			more = true;
	}
	return more && ctx->inbox.repeats < REPEATS_MAX;
}

bool kvgpu_rings_pending(const struct kvgpu_dev *kdev)
{
	const struct kvgpu_ring *ring;

	list_for_each_entry(ring, &kdev->queues->rings, node)
		if (!ring->ctx->dead && (!ring->stalled || READ_ONCE(ring->rung)) &&
		    kvgpu_ring_pending(ring))
			return true;
	return false;
}

void kvgpu_rings_asleep(struct kvgpu_dev *kdev, bool asleep)
{
	struct kvgpu_ring *ring;

	list_for_each_entry(ring, &kdev->queues->rings, node)
		WRITE_ONCE(ring->fence->flags, asleep ? VGPU_RING_ASLEEP : 0);
	/* before the last look at the tails: whoever stored one later sees the flag */
	smp_mb();
}

/* ---- the fence page (actor) --------------------------------------------- */

void kvgpu_ring_submitted(struct kvgpu_ring *ring, u64 seq)
{
	WRITE_ONCE(ring->fence->submitted, seq);
}

void kvgpu_ring_completed(struct kvgpu_ring *ring, u64 seq, u64 time)
{
	WRITE_ONCE(ring->fence->time, time);
	smp_store_release(&ring->fence->completed, seq);
}

void kvgpu_rings_dead(struct kvgpu_ctx *ctx)
{
	struct kvgpu_ring *ring;

	list_for_each_entry(ring, &ctx->kdev->queues->rings, node)
		if (ring->ctx == ctx)
			WRITE_ONCE(ring->fence->dead, ctx->dead);
}

/* ---- create and free ---------------------------------------------------- */

void kvgpu_ring_free(struct kvgpu_ring *ring)
{
	vfree(ring->control);
	vfree(ring->fence);
	kfree(ring);
}

void kvgpu_ring_stop(struct kvgpu_ring *ring)
{
	list_del_init(&ring->node);
}

void kvgpu_rings_stop(struct kvgpu_ctx *ctx)
{
	struct kvgpu_queue *queue;
	unsigned long id;

	xa_for_each(&ctx->queues, id, queue)
		if (queue->ring)
			kvgpu_ring_stop(queue->ring);
}

static int do_create(struct kvgpu_dev *kdev, void *arg)
{
	struct kvgpu_ring *ring = arg;
	struct kvgpu_queue *queue = xa_load(&ring->ctx->queues, ring->shape.queue);

	if (!queue)
		return -ENOENT;
	if (ring->ctx->dead)
		return -EIO;
	if (queue->ring)
		return -EEXIST;
	ring->queue = queue;
	ring->fence->submitted = queue->submitted;
	ring->fence->completed = queue->completed;
	list_add_tail(&ring->node, &kdev->queues->rings);
	smp_store_release(&queue->ring, ring);
	return 0;
}

/* Zeroed, for the process to map: it pays for it. */
static void *shared_alloc(u64 bytes)
{
	return __vmalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
}

static struct kvgpu_ring *ring_alloc(struct kvgpu_ctx *ctx, const struct vgpu_ring_create *args)
{
	struct kvgpu_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);

	if (!ring)
		return NULL;
	ring->ctx = ctx;
	ring->shape = *args;
	ring->control = shared_alloc(args->ring_bytes);
	ring->fence = shared_alloc(PAGE_SIZE);
	if (!ring->control || !ring->fence) {
		kvgpu_ring_free(ring);
		return NULL;
	}
	ring->commands = (void *)ring->control + args->commands;
	ring->params = (void *)ring->control + args->params;
	return ring;
}

int kvgpu_ioctl_ring_create(struct file *file, void *arg)
{
	struct kvgpu_ctx *ctx = file->private_data;
	struct vgpu_ring_create *args = arg;
	struct kvgpu_ring *ring;
	int ret;

	if (args->flags || !is_power_of_2(args->entries) || args->entries < 8 ||
	    args->entries > VGPU_RING_ENTRIES_MAX || args->param_bytes % VGPU_PAGE_SIZE ||
	    args->param_bytes > VGPU_RING_PARAMS_MAX)
		return -EINVAL;
	args->ring_offset = (u64)args->queue << OFFSET_QUEUE_SHIFT;
	args->fence_offset = args->ring_offset | OFFSET_FENCE;
	args->commands = PAGE_SIZE;
	args->params = args->commands + PAGE_ALIGN(args->entries * sizeof(struct vgpu_cmd));
	args->ring_bytes = args->params + args->param_bytes;
	ring = ring_alloc(ctx, args);
	if (!ring)
		return -ENOMEM;
	ret = kvgpu_inbox_call_killable(&ctx->inbox, do_create, ring);
	if (ret)
		kvgpu_ring_free(ring);
	return ret;
}

/* A reference to queue @id, if it has a ring, which lasts as long. */
static struct kvgpu_queue *mapped_queue_get(struct kvgpu_ctx *ctx, u32 id)
{
	struct kvgpu_queue *queue = kvgpu_queue_get(ctx, id);

	if (!queue || smp_load_acquire(&queue->ring))
		return queue;
	kvgpu_queue_put(queue);
	return NULL;
}

int kvgpu_ioctl_ring_doorbell(struct file *file, void *arg)
{
	struct kvgpu_ctx *ctx = file->private_data;
	struct vgpu_ring_doorbell *args = arg;
	struct kvgpu_queue *queue;

	if (args->reserved)
		return -EINVAL;
	queue = mapped_queue_get(ctx, args->queue);
	if (!queue)
		return -ENOENT;
	WRITE_ONCE(queue->ring->rung, true);
	kvgpu_queue_put(queue);
	wake_up(&ctx->kdev->system->wake);
	return 0;
}

/* ---- mmap --------------------------------------------------------------- */

static int ring_map(struct vm_area_struct *vma, const struct kvgpu_ring *ring, bool fence)
{
	u64 bytes = fence ? PAGE_SIZE : ring->shape.ring_bytes, at;
	const void *memory = fence ? (void *)ring->fence : ring->control;
	int ret = 0;

	if (!(vma->vm_flags & VM_SHARED) || vma->vm_end - vma->vm_start != bytes)
		return -EINVAL;
	if (fence && vma->vm_flags & VM_WRITE)
		return -EACCES;
	/* a child has no use for it: its commands would be its parent's */
	kvgpu_vm_flags(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, fence ? VM_MAYWRITE : 0);
	for (at = 0; at < bytes && !ret; at += PAGE_SIZE)
		ret = vm_insert_page(vma, vma->vm_start + at, vmalloc_to_page(memory + at));
	return ret;
}

int kvgpu_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct kvgpu_ctx *ctx = file->private_data;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 id = offset >> OFFSET_QUEUE_SHIFT;
	struct kvgpu_queue *queue;
	int ret;

	if (id > U32_MAX || offset & ((1ull << OFFSET_QUEUE_SHIFT) - 1) & ~OFFSET_FENCE)
		return -ENXIO;
	queue = mapped_queue_get(ctx, id);
	if (!queue)
		return -ENXIO;
	ret = ring_map(vma, queue->ring, offset & OFFSET_FENCE);
	kvgpu_queue_put(queue);
	return ret;
}
