// SPDX-License-Identifier: MIT
/*
 * Commands of io_uring: batches and fences with every kind of ring, what is refused, and what ends
 * them: the context's death, time, a closed descriptor, exec, the end of the process or of the
 * ring.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "vgpu_uring.h"

#define US	1000000ull	/* virtual */

/* Virtual time for ever, as far as a test can tell, in many short blocks: real time too. */
static struct vgpu_cmd cmd_long(void)
{
	return cmd_profiled(1ull << 40, US);
}

static void round_trip(unsigned int flags, unsigned int rounds)
{
	struct vgpu_cmd nops[3] = { cmd_nop(), cmd_nop(), cmd_nop() };
	struct io_uring ring;
	struct cqe cqe;
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	unsigned int i;

	must_ring(&ring, 64, flags);
	for (i = 0; i < rounds; i++) {
		sqe_submit(&ring, fd, queue, nops, 3, 0, 1 + 2 * i);
		cqe = must_one(&ring);
		CHECK_EQ(cqe.data, 1 + 2 * i);
		CHECK_EQ(cqe.res, 0);
		CHECK_EQ(cqe.more, 3 * (i + 1));
		CHECK(completed(fd, queue) >= 3 * (i + 1));
		sqe_wait(&ring, fd, queue, 3 * (i + 1), 0, 2 + 2 * i);
		cqe = must_one(&ring);
		CHECK_EQ(cqe.data, 2 + 2 * i);
		CHECK_EQ(cqe.res, 0);
		CHECK_EQ(cqe.more, 3 * (i + 1));
	}
	io_uring_queue_exit(&ring);
}

static void plain(void)
{
	round_trip(0, 20);
}

static void sqpoll(void)
{
	round_trip(IORING_SETUP_SQPOLL, 20);
}

static void defer_taskrun(void)
{
	round_trip(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, 20);
}

/* A command inside the SQE, through a registered file whose descriptor is closed. */
static void inside(void)
{
	struct vgpu_cmd cmd = cmd_nop();
	struct io_uring_sqe *sqe;
	struct io_uring ring;
	struct cqe cqe;
	int fd = must_open();
	uint32_t queue = must_queue(fd);

	must_ring(&ring, 8, IORING_SETUP_SQE128);
	CHECK_EQ(io_uring_register_files(&ring, &fd, 1), 0);
	CHECK(!close(fd));
	sqe = sqe_submit(&ring, 0, queue, NULL, 1, 0, 7);
	sqe->flags = IOSQE_FIXED_FILE;
	memcpy(sqe->cmd + 16, &cmd, sizeof(cmd));
	cqe = must_one(&ring);
	CHECK_EQ(cqe.res, 0);
	CHECK_EQ(cqe.more, 1);
	io_uring_queue_exit(&ring);
}

/* Copies there and back, many in flight in one queue, in the order of the SQEs. */
static void in_order(void)
{
	enum { COUNT = 32 };
	static uint32_t in[COUNT], out[COUNT];
	struct vgpu_cmd cmds[COUNT][2];
	struct io_uring ring;
	struct cqe cqe;
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	unsigned int i;

	CHECK_EQ(mem_map(fd, BASE, PAGE), 0);
	must_ring(&ring, COUNT, 0);
	for (i = 0; i < COUNT; i++) {
		in[i] = i * 7 + 1;
		cmds[i][0] = cmd_h2d(BASE, &in[i], 4);
		cmds[i][1] = cmd_d2h(&out[i], BASE, 4);
		sqe_submit(&ring, fd, queue, cmds[i], 2, 0, i);
	}
	CHECK_EQ(io_uring_submit(&ring), COUNT);
	for (i = 0; i < COUNT; i++) {
		cqe = must_cqe(&ring);
		CHECK_EQ(cqe.res, 0);
		CHECK_EQ(cqe.more, 2 * (cqe.data + 1));
	}
	for (i = 0; i < COUNT; i++)
		CHECK_EQ(out[i], in[i]);
	io_uring_queue_exit(&ring);
}

static struct cqe one_wait(struct io_uring *ring, int fd, uint32_t queue, uint64_t seq, uint32_t ms)
{
	sqe_wait(ring, fd, queue, seq, ms, 1);
	return must_one(ring);
}

static struct cqe one_submit(struct io_uring *ring, int fd, uint32_t queue,
			     const struct vgpu_cmd *cmds, uint16_t count, uint16_t flags)
{
	sqe_submit(ring, fd, queue, cmds, count, flags, 1);
	return must_one(ring);
}

static void refused(void)
{
	struct vgpu_cmd cmds[2] = { cmd_nop(), { .op = 999 } };
	struct io_uring ring;
	uint8_t *gone;
	struct cqe cqe;
	int fd = must_open();
	uint32_t queue = must_queue(fd);

	must_ring(&ring, 8, 0);
	gone = guarded(1, PROT_READ | PROT_WRITE);
	cqe = one_submit(&ring, fd, queue, cmds, 2, 0);
	CHECK_EQ(cqe.res, -EINVAL);
	CHECK_EQ(cqe.more, 1);
	CHECK_EQ(one_submit(&ring, fd, queue, cmds, 0, 0).res, -EINVAL);
	CHECK_EQ(one_submit(&ring, fd, queue, cmds, VGPU_SUBMIT_MAX + 1, 0).res, -EINVAL);
	CHECK_EQ(one_submit(&ring, fd, queue, cmds, 1, 2).res, -EINVAL);
	CHECK_EQ(one_submit(&ring, fd, queue, NULL, 1, 0).res, -EFAULT);
	CHECK_EQ(one_submit(&ring, fd, 999, cmds, 1, 0).res, -ENOENT);
	cmds[1] = cmd_d2h(gone + PAGE, BASE, 4);
	cqe = one_submit(&ring, fd, queue, cmds, 2, 0);
	CHECK_EQ(cqe.res, -EFAULT);
	CHECK_EQ(cqe.more, 1);
	CHECK_EQ(one_wait(&ring, fd, queue, 1, 0).res, -EINVAL);
	CHECK_EQ(one_wait(&ring, fd, 999, 0, 0).res, -ENOENT);
	sqe_cmd(&ring, fd, VGPU_IOC_SUBMIT, 1);
	CHECK_EQ(must_one(&ring).res, -ENOTTY);
	CHECK_EQ(completed(fd, queue), 0);
	io_uring_queue_exit(&ring);
}

/* Commands of a version whose structs have another size. */
static void sizes(void)
{
	struct {
		struct vgpu_uring_wait wait;
		uint64_t new[2];
	} args = {};
	struct io_uring ring, wide;
	int fd = must_open();

	must_ring(&ring, 8, 0);
	args.wait.queue = must_queue(fd);
	for (unsigned int size = 0; size <= 40; size += 8) {
		uint32_t op = _IOC(_IOC_WRITE, VGPU_IOC_MAGIC, _IOC_NR(VGPU_URING_WAIT), size);

		memcpy(sqe_cmd(&ring, fd, op, 1)->cmd, &args.wait, sizeof(args.wait));
		CHECK_EQ(must_one(&ring).res, size == sizeof(args.wait) ? 0 : -EINVAL);
	}
	io_uring_queue_exit(&ring);

	must_ring(&wide, 8, IORING_SETUP_SQE128);
	for (unsigned int size = 0; size <= 96; size += 8) {
		uint32_t op = _IOC(_IOC_WRITE, VGPU_IOC_MAGIC, _IOC_NR(VGPU_URING_WAIT), size);

		memcpy(sqe_cmd(&wide, fd, op, 1)->cmd, &args.wait, sizeof(args.wait));
		CHECK_EQ(must_one(&wide).res,
			 size < sizeof(args.wait) || size > 80 ? -EINVAL : 0);
		if (size < sizeof(args))
			continue;
		args.new[1] = 1;
		memcpy(sqe_cmd(&wide, fd, op, 1)->cmd, &args, sizeof(args));
		CHECK_EQ(must_one(&wide).res, size > 80 ? -EINVAL : -E2BIG);
		args.new[1] = 0;
	}
	io_uring_queue_exit(&wide);
}

static void taken_and_timeout(void)
{
	struct vgpu_cmd cmd = cmd_long();
	struct io_uring ring;
	struct cqe cqe;
	int fd = must_open();
	uint32_t queue = must_queue(fd);

	must_ring(&ring, 8, 0);
	cqe = one_submit(&ring, fd, queue, &cmd, 1, VGPU_URING_TAKEN);
	CHECK_EQ(cqe.res, 0);
	CHECK_EQ(cqe.more, 1);
	cqe = one_wait(&ring, fd, queue, 1, 20);
	CHECK_EQ(cqe.res, -ETIME);
	CHECK_EQ(cqe.more, 0);
	io_uring_queue_exit(&ring);
}

/* Every other one of more than the watch looks at in one go, of two contexts. */
static void timeouts(void)
{
	enum { COUNT = 6000 };
	struct vgpu_cmd cmd = cmd_long();
	int fds[2] = { must_open(), must_open() }, i;
	uint32_t queues[2] = { must_queue(fds[0]), must_queue(fds[1]) };
	struct io_uring ring;
	struct cqe cqe;

	must_ring(&ring, 256, 0);
	for (i = 0; i < 2; i++)
		CHECK_EQ(one_submit(&ring, fds[i], queues[i], &cmd, 1, VGPU_URING_TAKEN).res, 0);
	for (i = 0; i < COUNT; i++) {
		sqe_wait(&ring, fds[i / 2 % 2], queues[i / 2 % 2], 1, i % 2 ? 20 : 0, (uint64_t)i);
		if (!io_uring_sq_space_left(&ring))
			CHECK(io_uring_submit(&ring) > 0);
	}
	CHECK(io_uring_submit(&ring) >= 0);
	for (i = 0; i < COUNT / 2; i++) {
		cqe = must_cqe(&ring);
		CHECK_EQ(cqe.res, -ETIME);
		CHECK_EQ(cqe.data % 2, 1);
	}
	CHECK_EQ(io_uring_cq_ready(&ring), 0);
	for (i = 0; i < 2; i++)
		CHECK(!close(fds[i]));
	for (i = 0; i < COUNT / 2; i++)
		CHECK_EQ(must_cqe(&ring).res, -ECANCELED);
	io_uring_queue_exit(&ring);
}

static void death(void)
{
	struct vgpu_cmd cmds[2] = { cmd_nop(), cmd_fill(BASE, 1, 4, 1) };
	struct io_uring ring;
	int fd = must_open(), i;
	uint32_t queue = must_queue(fd), other = must_queue(fd);
	struct vgpu_cmd longest = cmd_long();

	must_ring(&ring, 8, 0);
	sqe_submit(&ring, fd, other, &longest, 1, 0, 1);
	sqe_submit(&ring, fd, queue, cmds, 2, 0, 2);
	CHECK_EQ(io_uring_submit(&ring), 2);
	for (i = 0; i < 2; i++)
		CHECK_EQ(must_cqe(&ring).res, -EIO);
	CHECK_EQ(one_submit(&ring, fd, queue, cmds, 1, 0).res, -EIO);
	io_uring_queue_exit(&ring);
}

/* A wait without end, and the descriptor closed: here, and a duplicate of it. */
static void closed(void)
{
	struct vgpu_cmd cmd = cmd_long();
	struct io_uring ring;
	int fd = must_open(), other = dup(fd);
	uint32_t queue = must_queue(fd);

	must_ring(&ring, 8, 0);
	sqe_submit(&ring, fd, queue, &cmd, 1, 0, 1);
	CHECK_EQ(io_uring_submit(&ring), 1);
	CHECK(!close(other));
	CHECK_EQ(must_cqe(&ring).res, -ECANCELED);
	sqe_wait(&ring, fd, queue, 1, 0, 2);
	CHECK_EQ(io_uring_submit(&ring), 1);
	CHECK(!close(fd));
	CHECK_EQ(must_cqe(&ring).res, -ECANCELED);
	io_uring_queue_exit(&ring);
}

/* A child that closes what it inherited does not end the parent's. */
static void closed_by_child(void)
{
	struct vgpu_cmd cmd = cmd_profiled(20000, US);
	struct io_uring ring;
	int fd = must_open(), status;
	uint32_t queue = must_queue(fd);
	pid_t pid;

	must_ring(&ring, 8, 0);
	sqe_submit(&ring, fd, queue, &cmd, 1, 0, 1);
	CHECK_EQ(io_uring_submit(&ring), 1);
	pid = fork();
	if (!pid) {
		close(fd);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(must_cqe(&ring).res, 0);
	io_uring_queue_exit(&ring);
}

/* In a child with everything in flight: @how ends it. Nothing may stay, which the counts say. */
static void child_with_flight(unsigned int flags, bool registered, void (*how)(void))
{
	struct vgpu_cmd cmd = cmd_long(), nop = cmd_nop();
	struct io_uring_sqe *sqe;
	struct io_uring ring;
	int status, i;
	double end;
	pid_t pid = fork();

	if (!pid) {
		int fd = must_open();
		uint32_t queue = must_queue(fd);

		must_ring(&ring, 64, flags);
		if (registered)
			CHECK_EQ(io_uring_register_files(&ring, &fd, 1), 0);
		for (i = 0; i < 32; i++) {
			sqe = sqe_submit(&ring, registered ? 0 : fd, queue, i ? &nop : &cmd, 1, 0,
					 1);
			sqe->flags = registered ? IOSQE_FIXED_FILE : 0;
		}
		CHECK_EQ(io_uring_submit(&ring), 32);
		if (registered)
			CHECK(!close(fd));
		/* taken, also by a thread of its own */
		while (*ring.sq.khead != *ring.sq.ktail)
			usleep(1000);
		how();
		_exit(TEST_FAIL);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(!WIFEXITED(status) || WEXITSTATUS(status) == 0);
	end = deadline(10);
	while (count_of("contexts") > 0 && seconds_now() < end)
		usleep(10000);
	CHECK_EQ(count_of("contexts"), 0);
}

static void by_exit(void)
{
	_exit(0);
}

static void by_kill(void)
{
	kill(getpid(), SIGKILL);
}

static void by_exec(void)
{
	execl("/bin/true", "true", NULL);
}

static void ends(void (*how)(void))
{
	child_with_flight(0, false, how);
	child_with_flight(0, true, how);
	child_with_flight(IORING_SETUP_SQPOLL, false, how);
	child_with_flight(IORING_SETUP_SQPOLL, true, how);
	child_with_flight(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, false, how);
	child_with_flight(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, true, how);
}

static void exits(void)
{
	ends(by_exit);
}

static void killed(void)
{
	ends(by_kill);
}

static void execs(void)
{
	ends(by_exec);
}

/* The ring is closed with a registered file in it, and the process lives on. */
static void ring_closed(void)
{
	struct vgpu_cmd cmd = cmd_long();
	struct io_uring ring;
	int fd = must_open(), i;
	uint32_t queue = must_queue(fd);

	must_ring(&ring, 8, 0);
	CHECK_EQ(io_uring_register_files(&ring, &fd, 1), 0);
	sqe_submit(&ring, 0, queue, &cmd, 1, 0, 1)->flags = IOSQE_FIXED_FILE;
	CHECK_EQ(io_uring_submit(&ring), 1);
	CHECK(!close(fd));
	io_uring_queue_exit(&ring);
	for (i = 0; i < 500 && count_of("contexts") > 0; i++)
		usleep(10000);
	CHECK_EQ(count_of("contexts"), 0);
}

static void flood(void)
{
	enum { COUNT = 10000 };
	struct vgpu_cmd cmd = cmd_long(), nop = cmd_nop();
	struct io_uring ring;
	int i, status;
	pid_t pid = fork();

	if (!pid) {
		int fd = must_open();
		uint32_t queue = must_queue(fd);

		must_ring(&ring, 256, 0);
		for (i = 0; i < COUNT; i++) {
			sqe_submit(&ring, fd, queue, i ? &nop : &cmd, 1, 0, 1);
			if (!io_uring_sq_space_left(&ring))
				CHECK(io_uring_submit(&ring) > 0);
		}
		CHECK(io_uring_submit(&ring) >= 0);
		CHECK_EQ(io_uring_cq_ready(&ring), 0);
		kill(getpid(), SIGKILL);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status));
	for (i = 0; i < 1000 && count_of("contexts") > 0; i++)
		usleep(10000);
	CHECK_EQ(count_of("contexts"), 0);
}

static void set_clock(const char *mode)
{
	int fd = open("/sys/class/vgpu/vgpu0/clock", O_WRONLY);

	CHECK(fd >= 0 && write(fd, mode, strlen(mode)) == (ssize_t)strlen(mode));
	close(fd);
}

/* Nothing is answered for a while: time stands. */
static void must_stand(struct io_uring *ring, int fd)
{
	uint64_t time = must_device_info(fd).time;

	usleep(50000);
	CHECK_EQ(io_uring_cq_ready(ring), 0);
	CHECK_EQ(must_device_info(fd).time, time);
}

/*
 * With a lockstep clock a wait in flight is a thread that waits, a batch in flight is not; a wait
 * whose time is over waits no longer; and of two processes none gets ahead of the other.
 */
static void lockstep(void)
{
	struct vgpu_cmd cmd = cmd_profiled(1, 100 * US);
	int fd = must_open(), other = must_open();
	uint32_t queue = must_queue(fd), beside = must_queue(other);
	struct io_uring ring;
	struct cqe cqe;

	must_ring(&ring, 8, 0);
	set_clock("lockstep");
	sqe_submit(&ring, fd, queue, &cmd, 1, 0, 1);
	CHECK_EQ(io_uring_submit(&ring), 1);
	must_stand(&ring, fd);
	sqe_wait(&ring, fd, queue, 1, 0, 2);
	CHECK_EQ(io_uring_submit(&ring), 1);
	for (int i = 0; i < 2; i++) {
		cqe = must_cqe(&ring);
		CHECK_EQ(cqe.res, 0);
	}
	/* both have come; now a second one, which does not wait, holds the clock */
	CHECK_EQ(one_submit(&ring, other, beside, &cmd, 1, VGPU_URING_TAKEN).res, 0);
	sqe_submit(&ring, fd, queue, &cmd, 1, VGPU_URING_TAKEN, 3);
	CHECK_EQ(must_one(&ring).res, 0);
	cqe = one_wait(&ring, fd, queue, 2, 20);
	CHECK_EQ(cqe.res, -ETIME);
	sqe_wait(&ring, fd, queue, 2, 0, 4);
	CHECK_EQ(io_uring_submit(&ring), 1);
	must_stand(&ring, fd);
	sqe_wait(&ring, other, beside, 1, 0, 5);
	CHECK_EQ(io_uring_submit(&ring), 1);
	CHECK_EQ(must_cqe(&ring).res, 0);
	/* whoever was not first waits again, or has gone */
	close(other);
	CHECK(must_cqe(&ring).res <= 0);
	set_clock("free");
	io_uring_queue_exit(&ring);
}

static const struct test tests[] = {
	{ "uring: batches and fences", plain },
	{ "uring: SQPOLL", sqpoll },
	{ "uring: DEFER_TASKRUN", defer_taskrun },
	{ "uring: a command inside the SQE, a registered file", inside },
	{ "uring: copies in the order of the SQEs", in_order },
	{ "uring: what is wrong is refused and named", refused },
	{ "uring: structs of another version", sizes },
	{ "uring: taken, and a wait with a timeout", taken_and_timeout },
	{ "uring: thousands of waits, every other one with a timeout", timeouts },
	{ "uring: all end when the context dies", death },
	{ "uring: all end when a descriptor is closed", closed },
	{ "uring: a child that closes its copy ends nothing", closed_by_child },
	{ "uring: exit with commands in flight", exits },
	{ "uring: kill -9 with commands in flight", killed },
	{ "uring: exec with commands in flight", execs },
	{ "uring: the ring is closed with commands in flight", ring_closed },
	{ "uring: a lockstep clock", lockstep },
	{ "uring: kill -9 with 10,000 commands in flight", flood },
};

TESTS_MAIN(tests)
