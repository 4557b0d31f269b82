/* SPDX-License-Identifier: MIT */
/*
 * Commands of io_uring as functions, for tests: an SQE is filled, sent, its CQE awaited. Rings have
 * SQEs of 64 bytes unless a test says otherwise, and CQEs of 32.
 */
#ifndef VGPU_URING_H
#define VGPU_URING_H

#include <liburing.h>

#include "vgpu_client.h"

static inline void must_ring(struct io_uring *ring, unsigned int depth, unsigned int flags)
{
	int ret = io_uring_queue_init(depth, ring, flags | IORING_SETUP_CQE32);

	if (ret == -ENOSYS || ret == -EPERM)
		SKIP("no io_uring here");
	CHECK_EQ(ret, 0);
}

static inline struct io_uring_sqe *sqe_cmd(struct io_uring *ring, int fd, uint32_t op,
					   uint64_t data)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	CHECK(sqe);
	memset(sqe, 0, ring->flags & IORING_SETUP_SQE128 ? 128 : 64);
	sqe->opcode = IORING_OP_URING_CMD;
	sqe->fd = fd;
	sqe->cmd_op = op;
	sqe->user_data = data;
	return sqe;
}

static inline struct io_uring_sqe *sqe_submit(struct io_uring *ring, int fd, uint32_t queue,
					      const struct vgpu_cmd *cmds, uint16_t count,
					      uint16_t flags, uint64_t data)
{
	struct io_uring_sqe *sqe = sqe_cmd(ring, fd, VGPU_URING_SUBMIT, data);
	struct vgpu_uring_submit args = {
		.commands = (uintptr_t)cmds, .queue = queue, .count = count, .flags = flags
	};

	memcpy(sqe->cmd, &args, sizeof(args));
	return sqe;
}

static inline struct io_uring_sqe *sqe_wait(struct io_uring *ring, int fd, uint32_t queue,
					    uint64_t seq, uint32_t timeout_ms, uint64_t data)
{
	struct io_uring_sqe *sqe = sqe_cmd(ring, fd, VGPU_URING_WAIT, data);
	struct vgpu_uring_wait args = { .seq = seq, .queue = queue, .timeout_ms = timeout_ms };

	memcpy(sqe->cmd, &args, sizeof(args));
	return sqe;
}

struct cqe {
	uint64_t data;
	int res;
	uint64_t more;
};

static inline struct cqe must_cqe(struct io_uring *ring)
{
	struct __kernel_timespec limit = { .tv_sec = 30 };
	struct io_uring_cqe *cqe;
	struct cqe copy;

	CHECK_EQ(io_uring_wait_cqe_timeout(ring, &cqe, &limit), 0);
	copy = (struct cqe){ cqe->user_data, cqe->res, cqe->big_cqe[0] };
	io_uring_cqe_seen(ring, cqe);
	return copy;
}

/* One command, sent and awaited. */
static inline struct cqe must_one(struct io_uring *ring)
{
	/* more: the SQPOLL thread has not marked the one before as taken yet */
	CHECK(io_uring_submit(ring) >= 1);
	return must_cqe(ring);
}

#endif
