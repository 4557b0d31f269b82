// SPDX-License-Identifier: MIT
/*
 * The transport to /dev/vgpuN through io_uring: batches and waits are commands of a ring, the rest
 * is the ioctls. A ring belongs to one thread at a time: each call takes one that is free, so no
 * thread meets another's CQEs. Where the kernel gives no ring, the device does not open; where it
 * gives no more, a call goes by ioctl.
 */
#include <errno.h>
#include <liburing.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device_file.h"

#define DEPTH		8
#define SPIN_NS		100000

struct ring {
	struct ring *next;
	struct io_uring uring;
};

struct way {
	pthread_mutex_t lock;
	struct ring *unused;
};

static struct ring *ring_create(int *error)
{
	struct ring *ring = calloc(1, sizeof(*ring));

	*error = -ENOMEM;
	if (!ring)
		return NULL;
	*error = io_uring_queue_init(DEPTH, &ring->uring,
				     IORING_SETUP_CQE32 | IORING_SETUP_COOP_TASKRUN);
	if (*error) {
		free(ring);
		return NULL;
	}
	io_uring_ring_dontfork(&ring->uring);
	return ring;
}

static void ring_destroy(struct ring *ring)
{
	io_uring_queue_exit(&ring->uring);
	free(ring);
}

static struct ring *ring_take(struct way *way)
{
	struct ring *ring;
	int error;

	pthread_mutex_lock(&way->lock);
	ring = way->unused;
	if (ring)
		way->unused = ring->next;
	pthread_mutex_unlock(&way->lock);
	return ring ? ring : ring_create(&error);
}

static void ring_give(struct way *way, struct ring *ring)
{
	pthread_mutex_lock(&way->lock);
	ring->next = way->unused;
	way->unused = ring;
	pthread_mutex_unlock(&way->lock);
}

static const char *reason(int error)
{
	switch (error) {
	case -ENOSYS:
		return "this kernel has none";
	case -EPERM:
	case -EACCES:
		return "it is disabled by kernel.io_uring_disabled or a seccomp filter";
	default:
		return strerror(-error);
	}
}

static int uring_open(unsigned int index, struct vgpu_transport **out, char *message, size_t size)
{
	struct ring *ring;
	struct way *way;
	int error = vgpu_file_open(index, out, message, size);

	if (error)
		return error;
	ring = ring_create(&error);
	if (!ring) {
		vgpu_file_close(*out);
		snprintf(message, size,
			 "VGPU_TRANSPORT=uring: no io_uring (%s); choose ioctl or mapped",
			 reason(error));
		return error;
	}
	way = calloc(1, sizeof(*way));
	if (!way) {
		ring_destroy(ring);
		vgpu_file_close(*out);
		snprintf(message, size, "no memory");
		return -ENOMEM;
	}
	pthread_mutex_init(&way->lock, NULL);
	way->unused = ring;
	(*out)->way = way;
	return 0;
}

static void uring_close(struct vgpu_transport *t)
{
	struct way *way = t->way;

	while (way && way->unused) {
		struct ring *ring = way->unused;

		way->unused = ring->next;
		ring_destroy(ring);
	}
	if (way)
		pthread_mutex_destroy(&way->lock);
	free(way);
	vgpu_file_close(t);
}

/*
 * For a moment, before it sleeps: the answer usually comes sooner than a wake-up would. Twice as
 * long as the device busy-waits for the next command, so as to meet it when it had to be woken: two
 * that busy-wait equally long keep missing each other, and every answer costs two wake-ups.
 */
static bool busy_wait(struct ring *ring)
{
	struct timespec begin, now;
	struct io_uring_cqe *cqe;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		if (!io_uring_peek_cqe(&ring->uring, &cqe))
			return true;
		sched_yield();	/* the device may be waiting for this processor */
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000000ll + now.tv_nsec - begin.tv_nsec <
		 SPIN_NS);
	return false;
}

static int command_send(struct ring *ring, int fd, uint32_t op, const void *args)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);
	int error;

	if (!sqe)
		return -EBUSY;
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_URING_CMD;
	sqe->fd = fd;
	sqe->cmd_op = op;
	memcpy(sqe->cmd, args, 16);
	do
		error = io_uring_submit(&ring->uring);
	while (error == -EINTR || error == -EAGAIN || error == -EBUSY);
	return error < 0 ? error : 0;
}

/* Its CQE, whatever signals come: it cannot be taken back. */
static int command_end(struct ring *ring, uint64_t *more)
{
	struct io_uring_cqe *cqe;
	int error;

	do
		error = io_uring_wait_cqe(&ring->uring, &cqe);
	while (error == -EINTR);
	if (error)
		return error;
	error = cqe->res;
	*more = cqe->big_cqe[0];
	io_uring_cqe_seen(&ring->uring, cqe);
	return error;
}

static int uring_submit(struct vgpu_transport *t, uint32_t queue, const struct vgpu_cmd *commands,
			uint32_t count, uint32_t *failed, uint64_t *seq)
{
	struct vgpu_uring_submit args = {
		.commands = (uint64_t)(uintptr_t)commands,
		.queue = queue,
		.count = (uint16_t)count,
		.flags = VGPU_URING_TAKEN,
	};
	struct ring *ring = ring_take(t->way);
	uint64_t more = 0;
	int error;

	if (!ring)
		return vgpu_file_submit(t, queue, commands, count, failed, seq);
	error = command_send(ring, t->fd, VGPU_URING_SUBMIT, &args);
	if (!error) {
		busy_wait(ring);
		error = command_end(ring, &more);
	}
	ring_give(t->way, ring);
	if (error)
		*failed = (uint32_t)more;
	else
		*seq = more;
	return error;
}

/*
 * To look, and to wait by nanoseconds, there is the ioctl. It is for a wait that lasts, too:
 * nobody's thread waits in a command of io_uring, but one that waits in the ioctl executes its
 * kernels meanwhile. What has come of the wait the CQE says, then.
 */
static int uring_wait(struct vgpu_transport *t, uint32_t queue, uint64_t seq, int64_t timeout_ns,
		      uint64_t *completed)
{
	struct vgpu_uring_wait args = { .seq = seq, .queue = queue };
	struct ring *ring = timeout_ns < 0 ? ring_take(t->way) : NULL;
	uint64_t more = 0;
	int error;

	if (!ring)
		return vgpu_file_wait(t, queue, seq, timeout_ns, completed);
	error = command_send(ring, t->fd, VGPU_URING_WAIT, &args);
	if (!error) {
		if (!busy_wait(ring))
			while (vgpu_file_wait(t, queue, seq, timeout_ns, completed) == -EINTR)
				;
		error = command_end(ring, &more);
	}
	ring_give(t->way, ring);
	if (more > *completed)
		*completed = more;
	return error == -ECANCELED ? -EINTR : error;
}

const struct vgpu_transport_ops vgpu_transport_uring = {
	.name = "uring",
	.process_memory = true,
	.open = uring_open,
	.close = uring_close,
	.device_info = vgpu_file_device_info,
	.context_info = vgpu_file_context_info,
	.peek = vgpu_file_peek,
	.queue_create = vgpu_file_queue_create,
	.queue_destroy = vgpu_file_queue_destroy,
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
	.submit = uring_submit,
	.wait = uring_wait,
};
