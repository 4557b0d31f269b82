/* SPDX-License-Identifier: MIT */
/*
 * The random driver's io_uring commands: a ring of each thread's own, of every kind, with batches,
 * waits, links, cancellation and registered files. Commands lie in the arena, where others write.
 */
#ifndef RANDOM_URING_H
#define RANDOM_URING_H

#include <liburing.h>

#include "random.h"

/** struct random_uring - a thread's ring, made when it is first used */
struct random_uring {
	struct io_uring ring;
	bool made;
	bool fixed;			/* files are registered */
};

static void uring_make(struct thread *t, struct random_uring *u)
{
	static const unsigned int kinds[] = {
		0,
		IORING_SETUP_SQE128,
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
		IORING_SETUP_COOP_TASKRUN,
	};
	struct io_uring_params params = { .flags = kinds[pick(t, ARRAY_SIZE(kinds))],
					  .sq_thread_idle = 1 };

	/* takes half a processor */
	if (pick(t, 8) == 0)
		params.flags = IORING_SETUP_SQPOLL | (params.flags & IORING_SETUP_SQE128);
	if (pick(t, 4))
		params.flags |= IORING_SETUP_CQE32;
	u->made = !io_uring_queue_init_params(32, &u->ring, &params);
	u->fixed = u->made && pick(t, 2) &&
		   !io_uring_register_files(&u->ring, t->process->files, FILES);
}

static struct io_uring_sqe *uring_sqe(struct random_uring *u)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

	if (sqe)
		memset(sqe, 0, u->ring.flags & IORING_SETUP_SQE128 ? 128 : 64);
	return sqe;
}

static void uring_command(struct thread *t, struct random_uring *u)
{
	struct vgpu_cmd *cmds = (void *)(t->process->arena + pick(t, 8) * PAGE);
	int fd = some_file(t);
	struct vgpu_uring_submit submit_args = {
		.commands = pick(t, 16) ? (uintptr_t)cmds : some_address(t),
		.queue = some_queue(t),
		.count = (uint16_t)(pick(t, 32) ? 1 + pick(t, 4) : rnd(&t->seed)),
		.flags = (uint16_t)(pick(t, 16) ? pick(t, 2) : rnd(&t->seed)),
	};
	struct vgpu_uring_wait wait_args = {
		.seq = pick(t, 30),
		.queue = some_queue(t),
		.timeout_ms = (uint32_t)pick(t, 200),
	};
	struct io_uring_sqe *sqe = uring_sqe(u);
	bool wait = pick(t, 3) == 0;

	if (!sqe)
		return;
	sqe->opcode = IORING_OP_URING_CMD;
	sqe->cmd_op = wait ? VGPU_URING_WAIT : VGPU_URING_SUBMIT;
	sqe->fd = fd;
	sqe->user_data = pick(t, 16);
	if (pick(t, 64) == 0)
		sqe->cmd_op = (uint32_t)rnd(&t->seed);
	if (u->fixed && pick(t, 2)) {
		sqe->flags |= IOSQE_FIXED_FILE;
		sqe->fd = (int)t->file;
	}
	if (pick(t, 8) == 0)
		sqe->flags |= 1u << (1 + pick(t, 4));	/* drain, links, worker */
	if (wait) {
		memcpy(sqe->cmd, &wait_args, sizeof(wait_args));
		return;
	}
	for (uint32_t i = 0; i < 4; i++)
		cmds[i] = some_command(t);
	if (u->ring.flags & IORING_SETUP_SQE128 && pick(t, 2)) {
		submit_args.commands = 0;
		submit_args.count = 1;
		memcpy(sqe->cmd + 16, cmds, 64);
	}
	memcpy(sqe->cmd, &submit_args, sizeof(submit_args));
}

static void uring_cancel(struct thread *t, struct random_uring *u)
{
	struct io_uring_sqe *sqe = uring_sqe(u);

	if (sqe)
		io_uring_prep_cancel64(sqe, pick(t, 16), pick(t, 2) ? IORING_ASYNC_CANCEL_ALL : 0);
}

static void uring_reap(struct thread *t, struct random_uring *u)
{
	struct __kernel_timespec limit = { .tv_nsec = (long long)pick(t, 1000000) };
	struct io_uring_cqe *cqe;

	if (pick(t, 2))
		io_uring_wait_cqe_timeout(&u->ring, &cqe, &limit);
	while (!io_uring_peek_cqe(&u->ring, &cqe))
		io_uring_cqe_seen(&u->ring, cqe);
}

static void random_uring(struct thread *t, struct random_uring *u)
{
	if (!u->made)
		uring_make(t, u);
	if (!u->made)
		return;
	switch (pick(t, 256)) {
	case 0:
		/* with whatever is in flight */
		io_uring_queue_exit(&u->ring);
		u->made = false;
		return;
	case 1: return uring_cancel(t, u);
	case 2:
		if (u->fixed)
			io_uring_unregister_files(&u->ring);
		u->fixed = false;
		return;
	default:
		break;
	}
	uring_command(t, u);
	if (pick(t, 4) == 0)
		io_uring_submit(&u->ring);
	if (pick(t, 8) == 0)
		uring_reap(t, u);
}

#endif
