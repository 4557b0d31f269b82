// SPDX-License-Identifier: MIT
/*
 * Calls that cost the actor much more than their caller: fences that many wait for, descriptors
 * that many watch, batches by the thousand. Who makes them waits for them; a bystander does not.
 * On a kernel that is slower there are fewer watchers and batches, which take as long, and where
 * waking one is slower still, as with lockdep, there are fewer fences.
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

#include "vgpu_bystander.h"
#include "vgpu_uring.h"

#define PROCESSES	4
#define WATCHERS	scaled(900)	/* of a process, which may open 1024 files */
#define FENCES		400u
#define FEW_FENCES	32u
#define ROUND_SECONDS	1.5	/* of signalling, on a stock kernel: what all of them take there */
#define BATCHES		scaled(16384)
#define COMMANDS	32u	/* of a batch */

/* Whoever signals @fd has to go through all of them; they end with their parent. */
static void watch_by_many(int fd)
{
	const uint32_t watchers = WATCHERS;
	int ready[2];
	char byte;

	CHECK(!pipe(ready));
	for (int n = 0; n < PROCESSES; n++) {
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (uint32_t i = 0; i < watchers; i++) {
				struct epoll_event event = { .events = EPOLLIN };
				int epoll = epoll_create1(EPOLL_CLOEXEC);

				CHECK(epoll >= 0);
				CHECK_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
			}
			CHECK(write(ready[1], "", 1) == 1);
			pause();
		}
		CHECK(read(ready[0], &byte, 1) == 1);
	}
}

/*
 * Fences by the thousand on one command, which all signal an eventfd that many watch. Returns
 * whether all of them were there before the command ended.
 */
static bool fences_end(int fd, int event, uint32_t fences, uint64_t blocks)
{
	struct vgpu_cmd cmd = cmd_profiled(blocks, 1000);
	struct vgpu_eventfd args = { .queue = must_queue(fd), .fd = event, .seq = 1 };
	uint64_t signalled = 0, more;
	bool all;

	must_submit(fd, args.queue, &cmd, 1);
	for (uint32_t i = 0; i < fences; i++)
		CHECK_EQ(call(fd, VGPU_IOC_EVENTFD, &args), 0);
	all = !completed(fd, args.queue);
	CHECK_EQ(wait_seq(fd, args.queue, 1, FOREVER), 0);
	CHECK_EQ(queue_destroy(fd, args.queue), 0);
	for (; signalled < fences; signalled += more)
		CHECK(read(event, &more, sizeof(more)) == sizeof(more));
	CHECK_EQ(signalled, fences);
	return all;
}

/* As many as are signalled in ROUND_SECONDS: so long would each round keep others waiting. */
static uint32_t fences_of_round(int event)
{
	double begin = seconds_now(), fences;
	uint64_t value = 1;

	for (int n = 0; n < 4; n++) {
		CHECK(write(event, &value, sizeof(value)) == sizeof(value));
		CHECK(read(event, &value, sizeof(value)) == sizeof(value));
	}
	/* a read wakes all of them, too */
	fences = ROUND_SECONDS * machine_slowness() / (seconds_now() - begin) * 8;
	fences = fences < FEW_FENCES ? FEW_FENCES : fences > FENCES ? FENCES : fences;
	printf("# %u fences, %.1f ms to signal one\n", (uint32_t)fences,
	       (seconds_now() - begin) / 8 * 1e3);
	fflush(stdout);
	return (uint32_t)fences;
}

static void fences(volatile uint32_t *going)
{
	int fd = must_open(), event = eventfd(0, 0);
	uint64_t blocks = 32768;
	uint32_t count;

	watch_by_many(event);
	count = fences_of_round(event);
	for (;;)
		if (fences_end(fd, event, count, blocks))
			++*going;
		else
			blocks *= 2;
}

/* A context that many wait for to be idle, and that is, over and over. */
static void idle(volatile uint32_t *going)
{
	struct vgpu_cmd cmd = cmd_nop();
	int fd = must_open();
	uint32_t queue = must_queue(fd);

	watch_by_many(fd);
	for (;;) {
		must_run(fd, queue, &cmd, 1);
		++*going;
	}
}

/* A seat that many watch, and whose process waits, over and over. */
static void seat(volatile uint32_t *going)
{
	struct vgpu_seat_create create = { .pid = getpid() };
	struct vgpu_cmd cmd = cmd_profiled(1024, 1000);
	uint32_t queue;
	int fd;

	CHECK_EQ(call(must_open(), VGPU_IOC_SEAT_CREATE, &create), 0);
	watch_by_many(create.fd);
	fd = must_open();
	queue = must_queue(fd);
	for (;;) {
		must_run(fd, queue, &cmd, 1);
		++*going;
	}
}

/* Batches of which the last command is wrong, as many as a ring of io_uring holds. */
static void batches(volatile uint32_t *going)
{
	const uint32_t count = BATCHES;
	struct vgpu_cmd cmds[COMMANDS];
	struct io_uring ring;
	int fd = must_open();
	uint32_t queue = must_queue(fd);

	for (uint32_t i = 0; i < COMMANDS; i++)
		cmds[i] = i + 1 < COMMANDS ? cmd_nop() : cmd_wait(queue + 99, 1);
	must_ring(&ring, count, 0);
	for (;;) {
		for (uint32_t i = 0; i < count; i++)
			sqe_submit(&ring, fd, queue, cmds, COMMANDS, 0, i);
		CHECK_EQ(io_uring_submit(&ring), (int)count);
		for (uint32_t i = 0; i < count; i++)
			CHECK_EQ(must_cqe(&ring).res, -EINVAL);
		++*going;
	}
}

static void watched_eventfd(void)
{
	must_not_notice("fences on an eventfd that many watch", fences);
}

static void watched_context(void)
{
	must_not_notice("a context that many watch", idle);
}

static void watched_seat(void)
{
	must_not_notice("a seat that many watch", seat);
}

static void many_batches(void)
{
	must_not_notice("refused batches", batches);
}

static const struct test tests[] = {
	{ "hostile_calls: thousands of fences on an eventfd that many watch", watched_eventfd },
	{ "hostile_calls: a context that many watch", watched_context },
	{ "hostile_calls: a seat that many watch", watched_seat },
	{ "hostile_calls: thousands of refused batches of io_uring", many_batches },
};

TESTS_MAIN(tests)
