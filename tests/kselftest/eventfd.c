// SPDX-License-Identifier: MIT
/* An eventfd on a fence: when it is told, what is refused, and what is held meanwhile. */
#include <poll.h>
#include <sys/eventfd.h>

#include "vgpu_client.h"

static int tell(int fd, uint32_t queue, uint64_t seq, int event)
{
	struct vgpu_eventfd args = { .queue = queue, .fd = event, .seq = seq };

	return call(fd, VGPU_IOC_EVENTFD, &args);
}

static int must_eventfd(void)
{
	int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	CHECK(event >= 0);
	return event;
}

/* What was added since the last time; waits for @ms at most. */
static uint64_t told(int event, int ms)
{
	struct pollfd wait = { .fd = event, .events = POLLIN };
	uint64_t count = 0;

	if (poll(&wait, 1, ms) == 1)
		CHECK_EQ(read(event, &count, sizeof(count)), sizeof(count));
	return count;
}

static void reached(void)
{
	struct vgpu_cmd cmds[3] = { cmd_nop(), cmd_profiled(100, 1000000), cmd_nop() };
	int fd = must_open(), event = must_eventfd(), i;
	uint32_t queue = must_queue(fd);

	CHECK_EQ(tell(fd, queue, 0, event), 0);
	CHECK_EQ(told(event, 0), 1);
	CHECK_EQ(must_submit(fd, queue, cmds, 3), 3);
	CHECK_EQ(tell(fd, queue, 3, event), 0);
	CHECK_EQ(told(event, (int)(limit_ns(10) / 1000000)), 1);
	CHECK_EQ(completed(fd, queue), 3);
	for (i = 1; i <= 3; i++)
		CHECK_EQ(tell(fd, queue, (uint64_t)i, event), 0);
	CHECK_EQ(told(event, 0), 3);
	CHECK_EQ(told(event, 0), 0);
}

static void refused(void)
{
	int fd = must_open(), event = must_eventfd();
	uint32_t queue = must_queue(fd);

	CHECK_EQ(tell(fd, queue, 1, event), -EINVAL);
	CHECK_EQ(tell(fd, queue + 77, 0, event), -ENOENT);
	CHECK_EQ(tell(fd, queue, 0, -1), -EBADF);
	CHECK_EQ(tell(fd, queue, 0, fd), -EINVAL);
	CHECK_EQ(told(event, 0), 0);
}

static void death(void)
{
	struct vgpu_cmd cmds[2] = { cmd_profiled(1ull << 40, 1000000), cmd_fill(BASE, 1, 4, 1) };
	int fd = must_open(), event = must_eventfd();
	uint32_t queue = must_queue(fd), other = must_queue(fd);

	must_submit(fd, queue, cmds, 1);
	CHECK_EQ(tell(fd, queue, 1, event), 0);
	CHECK_EQ(told(event, 20), 0);
	must_submit(fd, other, cmds + 1, 1);
	CHECK_EQ(told(event, (int)(limit_ns(10) / 1000000)), 1);
	CHECK_EQ(wait_seq(fd, queue, 1, 0), -EIO);
}

/* Closing the context tells too; the eventfd's descriptor may go first. */
static void closed(void)
{
	struct vgpu_cmd cmd = cmd_profiled(1ull << 40, 1000000);
	int fd = must_open(), event = must_eventfd(), gone = must_eventfd(), i;
	uint32_t queue = must_queue(fd);

	must_submit(fd, queue, &cmd, 1);
	for (i = 0; i < 1000; i++) {
		CHECK_EQ(tell(fd, queue, 1, event), 0);
		CHECK_EQ(tell(fd, queue, 1, gone), 0);
	}
	CHECK(!close(gone));
	CHECK_EQ(told(event, 0), 0);
	CHECK(!close(fd));
	CHECK_EQ(told(event, 0), 1000);
}

/* Fences asked for, of half as many commands; a kernel with checks takes ten times as long. */
static int many_fences(void)
{
	return access("/proc/lockdep_stats", F_OK) ? 30000 : 3000;
}

/* Seconds that a machine with little time left spends at most on each half of ask_many(). */
#define PATIENCE	8.0

/*
 * How long it takes to ask for @asked fences behind a kernel that lasts, twice for each, forwards
 * or backwards. Forwards: for fewer if that takes too long, and then that is @asked.
 */
static double ask_many(int *asked, bool backwards)
{
	struct vgpu_cmd cmd = cmd_profiled(1ull << 40, 1000000), nop = cmd_nop();
	int fd = must_open(), event = must_eventfd(), i;
	uint32_t queue = must_queue(fd);
	double begin = seconds_now();

	must_submit(fd, queue, &cmd, 1);
	for (i = 1; i < *asked / 2 && (backwards || seconds_now() < begin + PATIENCE); i++)
		must_submit(fd, queue, &nop, 1);
	*asked = 2 * i;
	begin = seconds_now();
	for (i = 0; i < *asked && (backwards || seconds_now() < begin + PATIENCE); i++)
		CHECK_EQ(tell(fd, queue, (uint64_t)(backwards ? *asked - i + 1 : i + 2) / 2, event),
			 0);
	begin = seconds_now() - begin;
	CHECK(!close(fd));
	CHECK_EQ(told(event, 0), i);
	*asked = i / 2 * 2;
	return begin;
}

/* The actor serves everybody: the order that one asks in must not cost the others. */
static void order(void)
{
	int asked = many_fences();
	double forwards = ask_many(&asked, false), backwards = ask_many(&asked, true);

	printf("# %d fences asked for in %.2f s, from the last to the first in %.2f s\n", asked,
	       forwards, backwards);
	CHECK(backwards < 3 * forwards + 0.5);
}

static const struct test tests[] = {
	{ "eventfd: told once when the fence is reached", reached },
	{ "eventfd: what cannot come is refused", refused },
	{ "eventfd: told when the context dies", death },
	{ "eventfd: told when the context is closed", closed },
	{ "eventfd: the last fence first, as fast as the first one first", order },
};

TESTS_MAIN(tests)
