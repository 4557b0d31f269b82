/* SPDX-License-Identifier: MIT */
/*
 * fail_nth's loop: an operation again and again, each time with another allocation or copy that
 * fails, of this thread or of the actor; and the context that operations work on.
 */
#ifndef FAIL_NTH_H
#define FAIL_NTH_H

#include "vgpu_asm.h"
#include "vgpu_inject.h"

#define NTH_MAX		1000	/* no operation allocates that often */
#define BYTES		(64u << 10)

static int control = -1;	/* fail-nth, of this thread or of the actor */

/* ---- the kernel's side -------------------------------------------------- */

static inline void injection_begin(void)
{
	injection_knobs();
	control = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	CHECK(control >= 0);
}

/* The same for what the actor allocates on behalf of the next calls, or for itself. */
static inline void injection_begin_actor(void)
{
	char path[64];
	int pid = actor_pid();

	injection_knobs();
	snprintf(path, sizeof(path), "/proc/%d/task/%d/fail-nth", pid, pid);
	control = open(path, O_RDWR | O_CLOEXEC);
	CHECK(control >= 0);
}

static inline void injection_arm(unsigned int nth)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", nth);

	CHECK_EQ(pwrite(control, text, (size_t)length, 0), length);
}

/* Disarm; true: the failure has happened. Reading and writing the file are copies themselves. */
static inline bool injection_end(void)
{
	char text[16] = "";
	ssize_t n = pread(control, text, sizeof(text) - 1, 0);
	bool happened = n > 0 && atoi(text) == 0;

	CHECK(n > 0 || errno == EFAULT);
	while (pwrite(control, "0", 1, 0) != 1)
		CHECK_EQ(errno, EFAULT);
	return happened;
}

/* ---- operations --------------------------------------------------------- */

static int file;
static uint32_t queue, module;
static uint8_t buffer[BYTES] __attribute__((aligned(4096)));
static struct binary code;
static uint32_t code_bytes, affine;
static struct affine_params params = { .out = BASE };

/**
 * struct operation - something that a process asks of the module
 * @prepare: what @run needs anew each time; may be NULL
 * @run: 0 (or a handle) or a negative errno
 * @undo: after a success, with what @run returned; may be NULL
 */
struct operation {
	const char *name;
	void (*prepare)(void);
	int (*run)(void);
	void (*undo)(int result);
};

static inline bool is_lack(int error)
{
	/* ENOSPC: of ids; EAGAIN: io_uring's word for it; ENOBUFS: netlink's */
	return error == -ENOMEM || error == -EFAULT || error == -ENOSPC || error == -EAGAIN ||
	       error == -ENOBUFS || error == -ENFILE;
}

/* What the context has is what it had: an operation that failed has left nothing. */
static inline void same_context(const struct operation *op, unsigned int nth,
			 const struct vgpu_context_info *before)
{
	struct vgpu_context_info now = must_context_info(file);

	if (now.queues == before->queues && now.modules == before->modules &&
	    now.mapped_bytes == before->mapped_bytes)
		return;
	printf("# %s: allocation %u: it left something in the context\n", op->name, nth);
	CHECK_EQ(now.queues, before->queues);
	CHECK_EQ(now.modules, before->modules);
	CHECK_EQ(now.mapped_bytes, before->mapped_bytes);
}

static unsigned int points;	/* of all operations of a test */

static inline void fail_each(const struct operation *op)
{
	struct vgpu_context_info before = must_context_info(file);
	unsigned int failed = 0, nth;
	bool happened = true;
	int ret;

	for (nth = 1; happened; nth++) {
		bool unanswered = false;

		CHECK(nth < NTH_MAX);
		if (op->prepare)
			op->prepare();
		injection_arm(nth);
		ret = op->run();
		happened = injection_end();
		if (ret < 0 && !(happened && is_lack(ret))) {
			printf("# %s: allocation %u: %s\n", op->name, nth, strerror(-ret));
			CHECK(happened);
			CHECK(is_lack(ret));
		}
		if (ret < 0) {
			/* the answer could not be written: what was asked for is there */
			unanswered = ret == -EFAULT;
			failed++;
			ret = op->run();
			if (unanswered && ret == -EEXIST)
				ret = 0;
			if (ret < 0) {
				printf("# %s: after allocation %u failed: %s\n", op->name, nth,
				       strerror(-ret));
				CHECK(ret >= 0);
			}
		}
		if (op->undo)
			op->undo(ret);
		if (unanswered)
			before = must_context_info(file);
		else
			same_context(op, nth, &before);
	}
	printf("# %s: %u points, of which %u fail it\n", op->name, nth - 2, failed);
	points += nth - 2;
}

static inline void context_begin(void)
{
	struct program p = {};

	affine = kernel_affine(&p);
	code_bytes = program_binary(&p, &code);
	file = must_open();
	queue = must_queue(file);
	CHECK_EQ(mem_map(file, BASE, BYTES), 0);
	module = must_load(file, &p);
	memset(buffer, 1, sizeof(buffer));
}

/* The context is as alive as before. */
static inline void context_end(void)
{
	struct vgpu_cmd cmd = cmd_launch(module, affine, 1, 32, &params, sizeof(params));

	CHECK(!must_context_info(file).dead);
	must_run(file, queue, &cmd, 1);
	close(file);
	/* otherwise nothing was tested */
	CHECK(points);
}

static inline void fail_all(const struct operation *ops, unsigned int count)
{
	if (control < 0)
		injection_begin();
	context_begin();
	for (unsigned int i = 0; i < count; i++)
		fail_each(&ops[i]);
	context_end();
}

static inline void undo_close(int fd)
{
	close(fd);
}

#endif
