// SPDX-License-Identifier: MIT
/*
 * Lifetimes of an open file: it is a context as long as one descriptor anywhere refers to it, and
 * gone without a trace with the last one.
 */
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "vgpu_asm.h"

static void dup_lives_on(void)
{
	int fd = must_open(), copy = dup(fd);
	uint32_t queue = must_queue(fd), id = must_context_info(fd).id;

	CHECK(copy >= 0);
	CHECK_EQ(mem_map(fd, BASE, PAGE), 0);
	close(fd);
	CHECK_EQ(must_context_info(copy).id, id);
	must_run(copy, queue, &(struct vgpu_cmd){ .op = VGPU_CMD_NOP }, 1);
	CHECK_EQ(count_of("contexts"), 1);
	close(copy);
	CHECK_EQ(count_of("contexts"), 0);
}

static void child_shares(void)
{
	int fd = must_open(), status;
	uint32_t queue = must_queue(fd), word = 5;
	pid_t pid;

	CHECK_EQ(mem_map(fd, BASE, PAGE), 0);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		/* the child's own memory, the parent's context */
		word = 77;
		must_h2d(fd, queue, BASE, &word, 4);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	CHECK_EQ(word, 5);
	must_d2h(fd, queue, &word, BASE, 4);
	CHECK_EQ(word, 77);
}

static void child_outlives(void)
{
	int fd = must_open(), status, ready[2];
	pid_t middle;
	char byte;

	CHECK(!pipe(ready));
	must_queue(fd);
	middle = fork();
	CHECK(middle >= 0);
	if (!middle) {
		if (fork())
			_exit(0);
		close(ready[0]);
		usleep(200000);
		CHECK_EQ(must_context_info(fd).queues, 1);
		CHECK(write(ready[1], "x", 1) == 1);
		_exit(0);
	}
	close(ready[1]);
	close(fd);
	CHECK(waitpid(middle, &status, 0) == middle && !status);
	CHECK_EQ(count_of("contexts"), 1);
	CHECK(read(ready[0], &byte, 1) == 1);
}

static void exec_closes(void)
{
	int fd = must_open(), status;
	pid_t pid;

	must_queue(fd);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		execl("/bin/sh", "sh", "-c", "[ ! -e /proc/$$/fd/$0 ]",
		      (char[]){ (char)('0' + fd), 0 }, NULL);
		_exit(1);
	}
	close(fd);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(count_of("contexts"), 0);
}

static void send_fd(int socket, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = {};
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	CHECK(sendmsg(socket, &msg, 0) == 1);
}

static int receive_fd(int socket)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	int fd;

	CHECK(recvmsg(socket, &msg, 0) == 1 && CMSG_FIRSTHDR(&msg));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

static void over_a_socket(void)
{
	int pair[2], status;
	uint32_t word = 0;
	pid_t pid;

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		int fd = must_open();
		uint32_t queue = must_queue(fd), value = 4711;

		CHECK_EQ(mem_map(fd, BASE, PAGE), 0);
		must_h2d(fd, queue, BASE, &value, 4);
		send_fd(pair[1], fd);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	CHECK_EQ(count_of("contexts"), 1);	/* in flight, nobody has it open */
	int fd = receive_fd(pair[0]);

	must_d2h(fd, must_queue(fd), &word, BASE, 4);
	CHECK_EQ(word, 4711);
	/* in flight again, to a socket that nobody will read */
	send_fd(pair[1], fd);
	close(fd);
	close(pair[0]);
	close(pair[1]);
}

struct wait_args {
	int fd, ret;
	uint32_t queue;
};

static void *wait_main(void *arg)
{
	struct wait_args *args = arg;

	args->ret = wait_seq(args->fd, args->queue, 1, 2 * SECOND);
	return NULL;
}

/* close() does not end another thread's wait; the context goes when the wait has returned. */
static void close_with_waiter(void)
{
	struct wait_args args = {};
	pthread_t thread;

	args.fd = must_open_busy(&args.queue);
	CHECK(!pthread_create(&thread, NULL, wait_main, &args));
	usleep(200000);
	CHECK(!close(args.fd));
	CHECK_EQ(count_of("contexts"), 1);
	CHECK(!pthread_join(thread, NULL));
	CHECK_EQ(args.ret, -ETIMEDOUT);
	CHECK_EQ(count_of("contexts"), 0);
}

/* Everything is dropped at once, running kernels and pinned memory included. */
static void close_while_running(void)
{
	static uint8_t memory[64 * 4096];

	for (int round = 0; round < 20; round++) {
		uint32_t busy, queue;
		int fd = must_open_busy(&busy);
		struct vgpu_cmd cmds[40] = { cmd_wait(busy, 1) };

		CHECK_EQ(mem_map(fd, BASE, 64 * PAGE), 0);
		queue = must_queue(fd);
		for (int i = 1; i < 40; i++)
			cmds[i] = i % 2 ? cmd_h2d(BASE, memory, sizeof(memory)) :
					  cmd_d2h(memory, BASE, sizeof(memory));
		must_submit(fd, queue, cmds, 40);
		if (round % 2) {
			must_h2d(fd, must_queue(fd), BASE, memory, sizeof(memory));
			must_submit(fd, busy, cmds + 1, 39);
		}
		close(fd);
		CHECK_EQ(count_of("contexts"), 0);
		CHECK_EQ(count_of("commands"), 0);
		CHECK_EQ(count_of("kernels"), 0);
		CHECK_EQ(count_of("host_frames"), 0);
		CHECK_EQ(count_of("pinned_pages"), 0);
	}
}

static void many_files(void)
{
	int fds[300];

	for (int i = 0; i < 300; i++) {
		fds[i] = must_open();
		CHECK_EQ(mem_map(fds[i], BASE, PAGE), 0);
	}
	CHECK_EQ(must_device_info(fds[0]).contexts, 300);
	for (int i = 0; i < 300; i += 2)
		close(fds[i]);
	CHECK_EQ(must_device_info(fds[1]).contexts, 150);
}

/* docs/uapi.md: 1024 contexts a device. Open files are a process's to spend, so take several. */
static void too_many_files(void)
{
	int ready[2], go[2], refused = 0;
	char byte;

	CHECK(!pipe(ready) && !pipe(go));
	for (int c = 0; c < 3; c++) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (!pid) {
			char none = 0;

			for (int i = 0; i < 400; i++)
				if (open(DEVICE, O_RDWR) < 0) {
					CHECK_EQ(errno, ENOSPC);
					none = 1;
					break;
				}
			CHECK(write(ready[1], &none, 1) == 1);
			close(go[1]);
			_exit(read(go[0], &byte, 1) != 0);
		}
	}
	for (int c = 0; c < 3; c++) {
		CHECK(read(ready[0], &byte, 1) == 1);
		refused += byte;
	}
	CHECK(refused);
	CHECK_EQ(count_of("files"), 1024);
	close(go[1]);
	for (int c = 0; c < 3; c++) {
		int status;

		CHECK(wait(&status) > 0 && !status);
	}
	must_open();
}

static const struct test tests[] = {
	{ "files: dup", dup_lives_on },
	{ "files: a child shares the context", child_shares },
	{ "files: a grandchild outlives everybody", child_outlives },
	{ "files: exec closes", exec_closes },
	{ "files: over a socket", over_a_socket },
	{ "files: close while another thread waits", close_with_waiter },
	{ "files: close while everything runs", close_while_running },
	{ "files: many", many_files },
	{ "files: too many", too_many_files },
};

TESTS_MAIN(tests)
