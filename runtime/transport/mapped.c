// SPDX-License-Identifier: MIT
/*
 * The transport to /dev/vgpuN through mapped queues: commands are stored into a queue's ring,
 * completions read from its fence page. What may not lie in a ring (copies to and from the process,
 * stamps), and what finds it full, goes by ioctl, which takes the ring's commands first; so does a
 * wait that lasts.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "device_file.h"

#define ENTRIES		1024u
#define PARAMS		(256u << 10)
/* Busy-wait so long before sleeping: about what it costs to sleep and to be woken. */
#define SPIN_NS		50000

/**
 * struct queue - a queue with its ring. @users: calls that look at its pages; @gone: unmapped by
 * the last of them
 */
struct queue {
	struct queue *next;
	uint32_t id;
	unsigned int users;
	bool gone;
	struct vgpu_ring_create shape;
	struct vgpu_ring *ring;
	const struct vgpu_ring_fence *fence;
	uint32_t tail;
	uint32_t params_used;
	uint64_t last;			/* sequence number of the newest command */
};

struct way {
	pthread_mutex_t lock;
	struct queue *queues;
	bool spin;
};

/* ---- queues ------------------------------------------------------------- */

static void queue_unmap(struct queue *queue)
{
	munmap(queue->ring, queue->shape.ring_bytes);
	munmap((void *)queue->fence, VGPU_PAGE_SIZE);
	free(queue);
}

static struct queue *queue_find(struct way *way, uint32_t id)
{
	struct queue *queue = way->queues;

	while (queue && queue->id != id)
		queue = queue->next;
	return queue;
}

static struct queue *queue_hold(struct way *way, uint32_t id)
{
	struct queue *queue;

	pthread_mutex_lock(&way->lock);
	queue = queue_find(way, id);
	if (queue)
		queue->users++;
	pthread_mutex_unlock(&way->lock);
	return queue;
}

static void queue_let_go(struct way *way, struct queue *queue)
{
	bool last;

	pthread_mutex_lock(&way->lock);
	last = !--queue->users && queue->gone;
	pthread_mutex_unlock(&way->lock);
	if (last)
		queue_unmap(queue);
}

/* A queue without a ring is used by ioctl. */
static void queue_map(struct vgpu_transport *t, uint32_t id)
{
	struct queue *queue = calloc(1, sizeof(*queue));
	struct way *way = t->way;
	void *ring, *fence;

	if (!queue)
		return;
	queue->id = id;
	queue->shape =
		(struct vgpu_ring_create){ .queue = id, .entries = ENTRIES, .param_bytes = PARAMS };
	if (vgpu_file_call(t, VGPU_IOC_RING_CREATE, &queue->shape)) {
		free(queue);
		return;
	}
	ring = mmap(NULL, queue->shape.ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, t->fd,
		    (off_t)queue->shape.ring_offset);
	fence = mmap(NULL, VGPU_PAGE_SIZE, PROT_READ, MAP_SHARED, t->fd,
		     (off_t)queue->shape.fence_offset);
	if (ring == MAP_FAILED || fence == MAP_FAILED) {
		if (ring != MAP_FAILED)
			munmap(ring, queue->shape.ring_bytes);
		if (fence != MAP_FAILED)
			munmap(fence, VGPU_PAGE_SIZE);
		free(queue);
		return;
	}
	queue->ring = ring;
	queue->fence = fence;
	pthread_mutex_lock(&way->lock);
	queue->next = way->queues;
	way->queues = queue;
	pthread_mutex_unlock(&way->lock);
}

static int mapped_queue_create(struct vgpu_transport *t, uint32_t *id)
{
	int error = vgpu_file_queue_create(t, id);

	if (!error)
		queue_map(t, *id);
	return error;
}

static int mapped_queue_destroy(struct vgpu_transport *t, uint32_t id)
{
	struct queue *queue, **at;
	struct way *way = t->way;
	bool unused = false;
	int error = vgpu_file_queue_destroy(t, id);

	if (error)
		return error;
	pthread_mutex_lock(&way->lock);
	for (at = &way->queues; (queue = *at) && queue->id != id; at = &queue->next)
		;
	if (queue) {
		*at = queue->next;
		queue->gone = true;
		unused = !queue->users;
	}
	pthread_mutex_unlock(&way->lock);
	if (unused)
		queue_unmap(queue);
	return 0;
}

/* ---- submission --------------------------------------------------------- */

static bool may_lie_in_ring(const struct vgpu_cmd *commands, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (commands[i].op == VGPU_CMD_COPY_H2D || commands[i].op == VGPU_CMD_COPY_D2H ||
		    commands[i].op == VGPU_CMD_STAMP)
			return false;
	return true;
}

static uint32_t param_bytes(const struct vgpu_cmd *cmd)
{
	return cmd->op == VGPU_CMD_LAUNCH ? (cmd->launch.param_bytes + 7u) & ~7u : 0;
}

static uint32_t taken(const struct queue *queue)
{
	return __atomic_load_n(&queue->fence->head, __ATOMIC_ACQUIRE);
}

/*
 * Parameters are handed out in turn; they are all free again when the device has taken everything.
 */
static bool has_room(struct queue *queue, const struct vgpu_cmd *commands, uint32_t count)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < count; i++)
		bytes += param_bytes(&commands[i]);
	if (taken(queue) == queue->tail)
		queue->params_used = 0;
	return queue->params_used + bytes <= PARAMS &&
	       queue->tail - taken(queue) + count <= ENTRIES;
}

static void store(struct vgpu_transport *t, struct queue *queue, const struct vgpu_cmd *commands,
		  uint32_t count)
{
	struct vgpu_ring_doorbell doorbell = { .queue = queue->id };
	uint8_t *ring = (uint8_t *)queue->ring;

	for (uint32_t i = 0; i < count; i++) {
		struct vgpu_cmd *cmd = (struct vgpu_cmd *)(ring + queue->shape.commands) +
				       ((queue->tail + i) & (ENTRIES - 1));

		*cmd = commands[i];
		if (!param_bytes(cmd))
			continue;
		memcpy(ring + queue->shape.params + queue->params_used,
		       (void *)(uintptr_t)commands[i].launch.params,
		       commands[i].launch.param_bytes);
		cmd->launch.params = queue->params_used;
		queue->params_used += param_bytes(&commands[i]);
	}
	queue->tail += count;
	queue->last += count;
	__atomic_store_n(&queue->ring->tail, queue->tail, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&queue->fence->flags, __ATOMIC_RELAXED) & VGPU_RING_ASLEEP)
		vgpu_file_call(t, VGPU_IOC_RING_DOORBELL, &doorbell);
}

static int mapped_submit(struct vgpu_transport *t, uint32_t id, const struct vgpu_cmd *commands,
			 uint32_t count, uint32_t *failed, uint64_t *seq)
{
	struct way *way = t->way;
	struct queue *queue;
	int error = 0;

	pthread_mutex_lock(&way->lock);
	queue = queue_find(way, id);
	if (queue && __atomic_load_n(&queue->fence->dead, __ATOMIC_RELAXED)) {
		error = -EIO;
	} else if (queue && may_lie_in_ring(commands, count) && has_room(queue, commands, count)) {
		store(t, queue, commands, count);
		*seq = queue->last;
	} else {
		error = vgpu_file_submit(t, id, commands, count, failed, seq);
		if (queue && !error)
			queue->last = *seq;
	}
	pthread_mutex_unlock(&way->lock);
	return error;
}

/* ---- completion --------------------------------------------------------- */

static bool reached(const struct queue *queue, uint64_t seq)
{
	return __atomic_load_n(&queue->fence->completed, __ATOMIC_ACQUIRE) >= seq &&
	       !__atomic_load_n(&queue->fence->dead, __ATOMIC_RELAXED);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static bool busy_wait(const struct queue *queue, uint64_t seq)
{
	int64_t end = now_ns() + SPIN_NS;

	do {
		if (reached(queue, seq))
			return true;
		sched_yield();	/* the device may be waiting for this processor */
	} while (now_ns() < end);
	return false;
}

/* The kernel has not got it all from the ring yet when it says EAGAIN: too much is in flight. */
static int wait_asleep(struct vgpu_transport *t, const struct queue *queue, uint64_t seq,
		       int64_t timeout_ns, uint64_t *completed)
{
	const struct timespec moment = { .tv_nsec = 100000 };
	int error;

	while ((error = vgpu_file_wait(t, queue->id, seq, timeout_ns, completed)) == -EAGAIN &&
	       timeout_ns)
		nanosleep(&moment, NULL);
	return error == -EAGAIN ? -ETIMEDOUT : error;
}

static int mapped_wait(struct vgpu_transport *t, uint32_t id, uint64_t seq, int64_t timeout_ns,
		       uint64_t *completed)
{
	struct way *way = t->way;
	struct queue *queue = queue_hold(way, id);
	uint64_t done;
	int error = 0;

	if (!queue)
		return vgpu_file_wait(t, id, seq, timeout_ns, completed);
	if (!reached(queue, seq) && !(timeout_ns && way->spin && busy_wait(queue, seq)))
		error = wait_asleep(t, queue, seq, timeout_ns, completed);
	done = __atomic_load_n(&queue->fence->completed, __ATOMIC_ACQUIRE);
	if (done > *completed)
		*completed = done;
	queue_let_go(way, queue);
	return error;
}

/* ---- the device --------------------------------------------------------- */

static int mapped_open(unsigned int index, struct vgpu_transport **out, char *message, size_t size)
{
	struct way *way;
	int error = vgpu_file_open(index, out, message, size);

	if (error)
		return error;
	way = calloc(1, sizeof(*way));
	if (!way) {
		vgpu_file_close(*out);
		snprintf(message, size, "no memory");
		return -ENOMEM;
	}
	pthread_mutex_init(&way->lock, NULL);
	way->spin = sysconf(_SC_NPROCESSORS_ONLN) > 1;
	(*out)->way = way;
	return 0;
}

static void mapped_close(struct vgpu_transport *t)
{
	struct way *way = t->way;

	while (way->queues) {
		struct queue *queue = way->queues;

		way->queues = queue->next;
		queue_unmap(queue);
	}
	pthread_mutex_destroy(&way->lock);
	free(way);
	vgpu_file_close(t);
}

const struct vgpu_transport_ops vgpu_transport_mapped = {
	.name = "mapped",
	.process_memory = true,
	.open = mapped_open,
	.close = mapped_close,
	.device_info = vgpu_file_device_info,
	.context_info = vgpu_file_context_info,
	.peek = vgpu_file_peek,
	.queue_create = mapped_queue_create,
	.queue_destroy = mapped_queue_destroy,
	.module_load = vgpu_file_module_load,
	.module_unload = vgpu_file_module_unload,
	.map = vgpu_file_map,
	.unmap = vgpu_file_unmap,
	.map_managed = vgpu_file_map_managed,
	.unmap_managed = vgpu_file_unmap_managed,
	.advise = vgpu_file_advise,
	.map_host = vgpu_file_map_host,
	.unmap_host = vgpu_file_unmap_host,
	.abilities = vgpu_file_abilities,
	.mem_create = vgpu_file_mem_create,
	.mem_release = vgpu_file_mem_release,
	.mem_view = vgpu_file_mem_view,
	.mem_rights = vgpu_file_mem_rights,
	.mem_export = vgpu_file_mem_export,
	.mem_import = vgpu_file_mem_import,
	.mem_retain = vgpu_file_mem_retain,
	.mem_name = vgpu_file_mem_name,
	.mem_open = vgpu_file_mem_open,
	.host_wait = vgpu_file_host_wait,
	.host_done = vgpu_file_host_done,
	.limit_sms = vgpu_file_limit_sms,
	.submit = mapped_submit,
	.wait = mapped_wait,
};
