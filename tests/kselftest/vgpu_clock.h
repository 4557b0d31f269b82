/* SPDX-License-Identifier: MIT */
/*
 * What tests of virtual time share: the clock's knobs in sysfs, waits, seats.
 */
#ifndef VGPU_CLOCK_H
#define VGPU_CLOCK_H

#include <pthread.h>
#include <sys/poll.h>

#include "vgpu_client.h"

#define SYSFS		"/sys/class/vgpu/"
#define US		1000000ull	/* of virtual picoseconds */
#define MS		(1000 * US)
#define NEVER		(~0ull)

/* The device whose clock a test sets and reads. */
static char clock_device[256] = "vgpu0";

static inline int write_text(const char *name, const char *text)
{
	char path[512];
	int fd, ret = 0;

	snprintf(path, sizeof(path), SYSFS "%s/%s", clock_device, name);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static inline void read_text(const char *name, char *text, size_t size)
{
	char path[512];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), SYSFS "%s/%s", clock_device, name);
	fd = open(path, O_RDONLY);
	CHECK(fd >= 0);
	n = read(fd, text, size - 1);
	CHECK(n >= 0);
	text[n] = 0;
	close(fd);
}

static inline void clock_is(const char *mode)
{
	CHECK_EQ(write_text("clock", mode), 0);
}

/* In virtual time */
static inline int sleep_until(int fd, uint64_t until)
{
	struct vgpu_wait_any wait = { .until = until };

	return call(fd, VGPU_IOC_WAIT_ANY, &wait);
}

static inline uint64_t virtual_now(void)
{
	char text[64];

	read_text("time_ps", text, sizeof(text));
	return strtoull(text, NULL, 10);
}

static inline int wait_any(int fd, const struct vgpu_fence *fences, uint32_t count, uint64_t until,
		    struct vgpu_wait_any *answer)
{
	*answer = (struct vgpu_wait_any){ .fences = (uintptr_t)fences,
					  .count = count,
					  .until = until };
	return call(fd, VGPU_IOC_WAIT_ANY, answer);
}

/* Sleep until virtual time @until; returns the time. */
static inline uint64_t must_sleep(int fd, uint64_t until)
{
	struct vgpu_wait_any answer;

	CHECK_EQ(wait_any(fd, NULL, 0, until, &answer), 0);
	CHECK_EQ(answer.which, VGPU_FENCE_NONE);
	return answer.time;
}

static inline int seat_create(int fd, pid_t pid, int priority)
{
	struct vgpu_seat_create create = { .pid = pid, .priority = priority };
	int ret = call(fd, VGPU_IOC_SEAT_CREATE, &create);

	return ret ? ret : create.fd;
}

static inline struct vgpu_seat_info must_seat_info(int seat)
{
	struct vgpu_seat_info info;

	CHECK_EQ(call(seat, VGPU_IOC_SEAT_INFO, &info), 0);
	return info;
}

static inline void *shared_page(void)
{
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(page != MAP_FAILED);
	return page;
}

static inline void must_end_well(pid_t pid)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

/* Wait for the next of @count processes @pids to end, without an error; returns its index. */
static inline int must_end_next(const pid_t *pids, int count)
{
	int status, i = 0;
	pid_t pid = wait(&status);

	CHECK_EQ(status, 0);
	while (i < count && pids[i] != pid)
		i++;
	CHECK(i < count);
	return i;
}

/* One block of @ps on one queue. Returns its sequence number. */
static inline uint64_t must_start(int fd, uint32_t queue, uint64_t ps)
{
	struct vgpu_cmd cmd = cmd_profiled(1, ps);

	return must_submit(fd, queue, &cmd, 1);
}

static inline int clock_tests_main(int argc, char **argv, const struct test *tests, size_t count)
{
	int ret = tests_main(argc, argv, tests, count);

	/* a test that failed may have left another */
	write_text("clock", "free");
	write_text("time_factor", "1");
	return ret;
}

#endif
