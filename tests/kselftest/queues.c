// SPDX-License-Identifier: MIT
/*
 * Queues, batches and waits: limits, commands that are refused by number, order, time-outs,
 * signals, poll.
 */
#include <poll.h>
#include <pthread.h>

#include "vgpu_asm.h"

static void limit(void)
{
	int fd = must_open(), other = must_open(), ret;
	uint32_t before = must_device_info(fd).queues, queues[VGPU_QUEUES_MAX], n = 0;

	while ((ret = queue_create(fd)) >= 0) {
		CHECK(n < VGPU_QUEUES_MAX);
		queues[n++] = (uint32_t)ret;
	}
	CHECK_EQ(ret, -ENOSPC);
	CHECK_EQ(n, VGPU_QUEUES_MAX);
	CHECK_EQ(must_device_info(fd).queues, before + n);
	CHECK(queue_create(other) >= 0);
	CHECK_EQ(queue_destroy(fd, queues[0]), 0);
	CHECK(queue_create(fd) >= 0);
	CHECK_EQ(queue_create(fd), -ENOSPC);
	close(other);
}

/* All queues that a context may have, at once, through however many hardware queues. */
static void more_than_hardware_queues(void)
{
	int fd = must_open();
	uint32_t queues[VGPU_QUEUES_MAX], words[VGPU_QUEUES_MAX] = {}, last = 0;

	CHECK(VGPU_QUEUES_MAX > must_device_info(fd).hw_queues);
	CHECK_EQ(mem_map(fd, BASE, PAGE), 0);
	for (uint32_t i = 0; i < VGPU_QUEUES_MAX; i++) {
		struct vgpu_cmd cmds[4] = { cmd_nop(), cmd_wait(last, i ? 3 : 0),
					    cmd_fill(BASE + 4 * i, i + 1, 4, 1),
					    cmd_d2h(&words[i], BASE + 4 * i, 4) };

		queues[i] = must_queue(fd);
		if (!i)
			cmds[1] = cmd_nop();
		CHECK_EQ(must_submit(fd, queues[i], cmds, 4), 4);
		last = queues[i];
	}
	for (uint32_t i = 0; i < VGPU_QUEUES_MAX; i++) {
		CHECK_EQ(wait_seq(fd, queues[i], 4, FOREVER), 0);
		CHECK_EQ(words[i], i + 1);
	}
}

static void busy(void)
{
	uint32_t queue;
	int fd = must_open_busy(&queue);

	CHECK_EQ(queue_destroy(fd, queue), -EBUSY);
	CHECK_EQ(wait_seq(fd, queue, 1, 0), -ETIMEDOUT);
}

static void sequence(void)
{
	struct vgpu_cmd cmds[VGPU_SUBMIT_MAX];
	int fd = must_open();
	uint32_t queue = must_queue(fd), other = must_queue(fd);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < VGPU_SUBMIT_MAX; i++)
		cmds[i] = cmd_nop();
	for (uint32_t n = 1; n <= VGPU_SUBMIT_MAX; n += 51) {
		sum += n;
		CHECK_EQ(must_submit(fd, queue, cmds, n), sum);
	}
	CHECK_EQ(must_submit(fd, other, cmds, 1), 1);
	CHECK_EQ(wait_seq(fd, queue, sum, FOREVER), 0);
	CHECK_EQ(completed(fd, queue), sum);
	CHECK_EQ(wait_seq(fd, queue, sum + 1, FOREVER), -EINVAL);
	CHECK_EQ(wait_seq(fd, queue, ~0ull, FOREVER), -EINVAL);
	CHECK_EQ(wait_seq(fd, queue, 0, FOREVER), 0);
	CHECK_EQ(queue_destroy(fd, queue), 0);
	/* the next starts from nothing */
	queue = must_queue(fd);
	CHECK_EQ(completed(fd, queue), 0);
	CHECK_EQ(must_submit(fd, queue, cmds, 1), 1);
}

static void counts_of_batches(void)
{
	struct vgpu_cmd nop = cmd_nop();
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	uint64_t failed;

	CHECK_EQ(submit(fd, queue, &nop, 0, NULL), -EINVAL);
	CHECK_EQ(submit(fd, queue, &nop, VGPU_SUBMIT_MAX + 1, NULL), -EINVAL);
	CHECK_EQ(submit(fd, queue, &nop, ~0u, NULL), -EINVAL);
	CHECK_EQ(submit(fd, queue, NULL, 1, &failed), -EFAULT);
	CHECK_EQ(failed, ~0u);
	uint8_t *end = guarded(1, PROT_READ | PROT_WRITE) + PAGE;

	CHECK_EQ(submit(fd, queue, (void *)(end - 64), 1, NULL), 0);
	CHECK_EQ(submit(fd, queue, (void *)(end - 64), 2, NULL), -EFAULT);
	CHECK_EQ(submit(fd, queue, (void *)(end - 63), 1, NULL), -EFAULT);
}

/* A wrong command in any place refuses the whole batch and is named. */
static void wrong_commands(void)
{
	struct program p = {};
	struct affine_params params = {};
	int fd = must_open();
	uint32_t queue = must_queue(fd), affine = kernel_affine(&p), module = must_load(fd, &p);
	uint32_t too_many = must_device_info(fd).threads_per_block + 1;
	uint8_t byte;
	struct vgpu_cmd good = cmd_launch(module, affine, 1, 32, &params, sizeof(params));
	struct vgpu_cmd bad[80], cmds[8];
	uint64_t failed;
	uint32_t n = 0;

#define BAD(base, change) do { bad[n] = (base); bad[n].change; n++; } while (0)
	BAD(cmd_nop(), op = VGPU_CMD_COUNT);
	BAD(cmd_nop(), op = 0xffff);
	BAD(cmd_nop(), flags = 1);
	BAD(cmd_nop(), reserved = 1);
	for (int i = 0; i < 7; i++)
		BAD(cmd_nop(), raw[i] = 1);
	BAD(cmd_h2d(BASE, &byte, 1), copy.reserved[0] = 1);
	BAD(cmd_h2d(BASE, &byte, 1), copy.reserved[2] = 1);
	BAD(cmd_h2d(BASE, &byte, 1), copy.bytes = 0);
	BAD(cmd_copy(VGPU_CMD_COPY_D2D, BASE, BASE + PAGE, 8), copy.bytes = 0);
	BAD(cmd_copy(VGPU_CMD_COPY_D2D, BASE, BASE + PAGE, 8), copy.reserved[1] = 1);
	BAD(cmd_fill(BASE, 0, 4, 1), fill.width = 3);
	BAD(cmd_fill(BASE, 0, 4, 1), fill.width = 0);
	BAD(cmd_fill(BASE, 0, 4, 1), fill.width = 8);
	BAD(cmd_fill(BASE, 0, 4, 1), fill.dst = BASE + 2);
	BAD(cmd_fill(BASE, 0, 2, 1), fill.dst = BASE + 1);
	BAD(cmd_fill(BASE, 0, 4, 1), fill.count = 0);
	BAD(cmd_fill(BASE, 0, 4, 1), fill.count = 1ull << 62);
	BAD(cmd_fill(BASE, 0, 4, 1), fill.reserved[2] = 1);
	BAD(cmd_wait(queue, 0), wait.seq = 1ull << 40);
	BAD(cmd_wait(queue, 0), wait.queue = 0x7fffffff);
	BAD(cmd_wait(queue, 0), wait.reserved0 = 1);
	BAD(cmd_wait(queue, 0), wait.reserved[3] = 1);
	BAD(cmd_stamp(&failed), stamp.dst += 4);
	BAD(cmd_stamp(&failed), stamp.reserved[4] = 1);
	BAD(cmd_profiled(1, 1000), profiled.blocks = 0);
	BAD(cmd_profiled(1, 1000), profiled.block_ps = 0);
	BAD(cmd_profiled(1, 1000), profiled.threads = 0);
	BAD(cmd_profiled(1, 1000), profiled.threads = too_many);
	BAD(cmd_profiled(1, 1000), profiled.regs_per_block = 0x7fffffff);
	BAD(cmd_profiled(1, 1000), profiled.shared_bytes = 0x7fffffff);
	BAD(cmd_profiled(1, 1000), profiled.touch_bytes = 4096);
	BAD(cmd_profiled(1, 1000), profiled.touch_flags = VGPU_TOUCH_WRITE);
	BAD(cmd_profiled(1, 1000), profiled.touch_address = BASE);
	BAD(cmd_profiled(1, 1000), profiled.touches = 1);
	BAD(cmd_touching(1, BASE), profiled.touches = VGPU_TOUCHES_MAX + 1);
	BAD(cmd_touching(1, BASE), profiled.touch_bytes = 4095);
	BAD(cmd_touching(1, BASE), profiled.touch_bytes = VGPU_TOUCH_BYTES_MAX + 4096);
	BAD(cmd_touching(1, BASE), profiled.touch_flags = VGPU_TOUCH_WRITE << 1);
	BAD(cmd_touching(1, BASE), profiled.touch_address = BASE + 1);
	BAD(cmd_touching(2, VGPU_ADDRESS_LIMIT - 4096), profiled.threads = 1);
	BAD(cmd_touching(1ull << 62, BASE), profiled.threads = 1);
	BAD(good, launch.module = 0x7fffffff);
	BAD(good, launch.kernel = 1);
	BAD(good, launch.grid[0] = 0);
	BAD(good, launch.grid[1] = 0);
	BAD(good, launch.grid[2] = 0);
	BAD(good, launch.block[0] = 0);
	BAD(good, launch.block[1] = 0);
	BAD(good, launch.block[2] = 0);
	BAD(good, launch.block[0] = too_many);
	BAD(good, launch.block[1] = too_many);
	BAD(good, launch.block[2] = 0x80000000u);
	BAD(good, launch.grid[1] = 0xffffffffu);
	BAD(good, launch.dynamic_shared = 0x7fffffff);
	BAD(good, launch.dynamic_shared = 0xffffffffu);
	BAD(good, launch.param_bytes = sizeof(params) - 1);
	BAD(good, launch.param_bytes = 0);
	BAD(good, launch.param_bytes = VGPU_VASS_MAX_PARAM + 1);
	BAD(good, launch.param_bytes = 0xffffffffu);
	CHECK(n <= ARRAY_SIZE(bad));
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t at = 0; at < 8; at += 7) {
			for (uint32_t k = 0; k < 8; k++)
				cmds[k] = k == at ? bad[i] : cmd_nop();
			int ret = submit(fd, queue, cmds, 8, &failed);

			if (ret != -EINVAL || failed != at)
				printf("# wrong command %u (op %u) in place %u\n", i, bad[i].op,
				       at);
			CHECK_EQ(ret, -EINVAL);
			CHECK_EQ(failed, at);
		}
	cmds[0] = cmd_nop();
	cmds[1] = good;
	cmds[1].launch.params = 8;
	CHECK_EQ(submit(fd, queue, cmds, 2, &failed), -EFAULT);
	CHECK_EQ(failed, 1);
	CHECK_EQ(completed(fd, queue), 0);
	CHECK_EQ(must_submit(fd, queue, cmds, 1), 1);
}

static void wait_between_queues(void)
{
	int fd = must_open();
	uint32_t a = must_queue(fd), b = must_queue(fd), word = 0;

	CHECK_EQ(mem_map(fd, BASE, 64 * PAGE), 0);
	for (uint32_t round = 1; round <= 50; round++) {
		struct vgpu_cmd long_fill[2] = { cmd_fill(BASE, 0, 1, 64 * PAGE),
						 cmd_fill(BASE, round, 4, 1) };
		uint64_t seq = must_submit(fd, a, long_fill, 2);
		struct vgpu_cmd after[2] = { cmd_wait(a, seq), cmd_d2h(&word, BASE, 4) };

		CHECK_EQ(wait_seq(fd, b, must_submit(fd, b, after, 2), FOREVER), 0);
		CHECK_EQ(word, round);
	}
}

static void host_commands(void)
{
	int fd = must_open();
	uint32_t queue = must_queue(fd), other = must_queue(fd);
	struct vgpu_cmd cmds[4] = { cmd_nop(), { .op = VGPU_CMD_HOST }, cmd_nop(), cmd_nop() };
	struct vgpu_cmd wait = cmd_wait(queue, 3);
	struct vgpu_host_done done = { .queue = queue, .seq = 5 };
	struct vgpu_context_sms limit = { 0 };

	must_submit(fd, queue, cmds, 4);
	must_submit(fd, other, &wait, 1);
	CHECK_EQ(wait_seq(fd, queue, 1, limit_ns(30)), 0);
	CHECK_EQ(wait_seq(fd, queue, 2, 10000000), -ETIMEDOUT);
	CHECK_EQ(wait_seq(fd, other, 1, 0), -ETIMEDOUT);
	CHECK_EQ(call(fd, VGPU_IOC_HOST_DONE, &done), -EINVAL);
	done.seq = 2;
	done.flags = 1;
	CHECK_EQ(call(fd, VGPU_IOC_HOST_DONE, &done), -EINVAL);
	done.flags = 0;
	done.queue = 12345;
	CHECK_EQ(call(fd, VGPU_IOC_HOST_DONE, &done), -ENOENT);
	done.queue = queue;
	CHECK_EQ(call(fd, VGPU_IOC_HOST_DONE, &done), 0);
	CHECK_EQ(wait_seq(fd, other, 1, limit_ns(30)), 0);
	CHECK_EQ(wait_seq(fd, queue, 4, limit_ns(30)), 0);
	/* a file that is closed takes one with it */
	must_submit(fd, queue, cmds, 4);
	CHECK_EQ(call(fd, VGPU_IOC_CONTEXT_SMS, &limit), -EINVAL);
	limit.sms = 1;
	CHECK_EQ(call(fd, VGPU_IOC_CONTEXT_SMS, &limit), 0);
	close(fd);
}

static void timeouts(void)
{
	struct vgpu_wait wait = { .seq = 1, .timeout_ns = 200000000 };
	uint32_t queue;
	int fd = must_open_busy(&queue);
	double begin;

	wait.queue = queue;
	begin = seconds_now();
	CHECK_EQ(wait_seq(fd, queue, 1, 0), -ETIMEDOUT);
	CHECK_EQ(wait_seq(fd, queue, 1, 1), -ETIMEDOUT);
	CHECK(seconds_now() - begin < 2 * machine_slowness());
	begin = seconds_now();
	CHECK_EQ(call(fd, VGPU_IOC_WAIT, &wait), -ETIMEDOUT);
	CHECK(seconds_now() - begin >= 0.2);
	CHECK(seconds_now() - begin < 5 * machine_slowness());
	CHECK_EQ(wait.completed, 0);
	CHECK_EQ(wait_seq(fd, queue, 0, 0), 0);
}

static void on_signal(int number)
{
	(void)number;
}

static void signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct sigaction restart = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	uint32_t queue;
	int fd = must_open_busy(&queue), status;
	pid_t pid;

	CHECK(!sigaction(SIGALRM, &action, NULL));
	ualarm(100000, 0);
	CHECK_EQ(wait_seq(fd, queue, 1, FOREVER), -EINTR);
	ualarm(100000, 0);
	CHECK_EQ(wait_seq(fd, queue, 1, limit_ns(30)), -EINTR);
	CHECK(!sigaction(SIGALRM, &restart, NULL));
	ualarm(100000, 0);
	CHECK_EQ(wait_seq(fd, queue, 1, FOREVER), -EINTR);

	/* stopped, continued, killed: it stays in the wait until the last */
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		wait_seq(fd, queue, 1, FOREVER);
		_exit(1);
	}
	usleep(100000);
	CHECK(!kill(pid, SIGSTOP));
	CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
	CHECK(!kill(pid, SIGCONT));
	usleep(100000);
	CHECK(waitpid(pid, &status, WNOHANG) == 0);
	CHECK(!kill(pid, SIGKILL));
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
}

struct waiter {
	pthread_t thread;
	int fd, ret;
	uint32_t queue;
	uint64_t seq;
};

static void *waiter_main(void *arg)
{
	struct waiter *w = arg;

	w->ret = wait_seq(w->fd, w->queue, w->seq, FOREVER);
	return NULL;
}

static void many_waiters(void)
{
	struct waiter w[32];
	struct vgpu_cmd cmds[32];
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	uint64_t seq;

	CHECK_EQ(mem_map(fd, BASE, 256 * PAGE), 0);
	for (int i = 0; i < 32; i++)
		cmds[i] = cmd_fill(BASE, 1, 1, 256 * PAGE);
	seq = must_submit(fd, queue, cmds, 32);
	for (uint32_t i = 0; i < 32; i++) {
		w[i] = (struct waiter){ .fd = fd, .queue = queue, .seq = seq - i, .ret = 1 };
		CHECK(!pthread_create(&w[i].thread, NULL, waiter_main, &w[i]));
	}
	for (int i = 0; i < 32; i++) {
		CHECK(!pthread_join(w[i].thread, NULL));
		CHECK_EQ(w[i].ret, 0);
	}
}

static void polled(void)
{
	struct pollfd poll_fd = { .fd = must_open(), .events = POLLIN };
	uint32_t queue, busy_queue = must_queue(poll_fd.fd);
	struct vgpu_cmd fill;

	CHECK_EQ(mem_map(poll_fd.fd, BASE, 256 * PAGE), 0);
	CHECK_EQ(poll(&poll_fd, 1, 0), 1);
	CHECK_EQ(poll_fd.revents, POLLIN);
	fill = cmd_fill(BASE, 1, 1, 256 * PAGE);
	must_submit(poll_fd.fd, busy_queue, &fill, 1);
	CHECK_EQ(poll(&poll_fd, 1, 30000), 1);
	CHECK_EQ(poll_fd.revents, POLLIN);
	CHECK_EQ(completed(poll_fd.fd, busy_queue), 1);
	/* a fault shows too */
	fill.fill.dst = BASE + 1024 * PAGE;
	must_submit(poll_fd.fd, busy_queue, &fill, 1);
	CHECK_EQ(wait_seq(poll_fd.fd, busy_queue, 2, FOREVER), -EIO);
	CHECK_EQ(poll(&poll_fd, 1, 30000), 1);
	CHECK(poll_fd.revents & POLLERR);
	close(poll_fd.fd);
	poll_fd.fd = must_open_busy(&queue);
	CHECK_EQ(poll(&poll_fd, 1, 100), 0);
}

static const struct test tests[] = {
	{ "queues: as many as a context may have, not one more", limit },
	{ "queues: more than hardware queues", more_than_hardware_queues },
	{ "queues: a queue with commands is not destroyed", busy },
	{ "queues: sequence numbers", sequence },
	{ "queues: sizes of batches", counts_of_batches },
	{ "queues: wrong commands are named, nothing of the batch runs", wrong_commands },
	{ "queues: one queue waits for another", wait_between_queues },
	{ "queues: commands that wait for the process", host_commands },
	{ "queues: time-outs", timeouts },
	{ "queues: signals", signals },
	{ "queues: many waiters", many_waiters },
	{ "queues: poll", polled },
};

TESTS_MAIN(tests)
