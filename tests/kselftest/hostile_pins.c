// SPDX-License-Identifier: MIT
/*
 * Process memory pinned for copies that do not end counts as locked memory of the user, however
 * many contexts and processes he has; beside his limit he has one copy of the largest size. Others
 * do not notice, and copies of any size go on within it. It is not pinned for ever either.
 */
#include <sys/resource.h>

#include "vgpu_asm.h"
#include "vgpu_bystander.h"
#include "vgpu_clock.h"

#define PROCESSES	3
#define CONTEXTS	4	/* of each */
#define COPY		(4ull << 20)
#define BESIDE		VGPU_COPY_MAX

struct attack {
	volatile uint32_t ended;	/* processes that are refused more */
	volatile uint32_t copies;	/* that were taken */
};

static void *must_share(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);
	return memory;
}

static void become(uid_t uid, uint64_t locked)
{
	const struct rlimit limit = { locked, locked };

	CHECK(!setrlimit(RLIMIT_MEMLOCK, &limit));
	nobody_becomes(uid);
}

/* Copies behind a kernel that never ends, as many as there can be. */
static void pin_all(struct attack *attack)
{
	static char memory[COPY];
	struct vgpu_cmd copy = cmd_h2d(BASE, memory, COPY);
	int ret = 0;

	for (int i = 0; i < CONTEXTS; i++) {
		uint32_t queue;
		int fd = must_open_busy(&queue);

		CHECK_EQ(mem_map(fd, BASE, COPY), 0);
		while (!(ret = submit(fd, queue, &copy, 1, NULL)))
			__atomic_fetch_add(&attack->copies, 1, __ATOMIC_RELAXED);
		CHECK_EQ(ret, -EAGAIN);
	}
	__atomic_fetch_add(&attack->ended, 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
}

/* 256 MiB, in copies as the runtime makes them. */
static void copy_much(uid_t uid, uint64_t locked)
{
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (!pid) {
		char *memory = mmap(NULL, VGPU_COPY_MAX, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		struct vgpu_cmd copy = cmd_h2d(BASE, memory, VGPU_COPY_MAX);
		uint64_t seq = 0, newest;
		uint32_t queue;
		int fd, ret;

		CHECK(memory != MAP_FAILED);
		become(uid, locked);
		fd = must_open();
		queue = must_queue(fd);
		CHECK_EQ(mem_map(fd, BASE, VGPU_COPY_MAX), 0);
		for (int i = 0; i < 4; i++) {
			while ((ret = submit(fd, queue, &copy, 1, &newest)) == -EAGAIN)
				CHECK_EQ(wait_seq(fd, queue, seq, limit_ns(30)), 0);
			CHECK_EQ(ret, 0);
			seq = newest;
		}
		CHECK_EQ(wait_seq(fd, queue, seq, limit_ns(30)), 0);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status));
}

static void hoard(uint64_t locked)
{
	struct attack *attack = must_share(PAGE);
	double until = deadline(30);
	long long pinned;
	pid_t pids[PROCESSES];

	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		CHECK(pids[i] >= 0);
		if (!pids[i]) {
			become(65534, locked);
			pin_all(attack);
		}
	}
	while (attack->ended < PROCESSES && seconds_now() < until)
		usleep(10000);
	CHECK_EQ(attack->ended, PROCESSES);
	pinned = count_of("pinned_pages") * PAGE;
	printf("# %u copies, %lld MiB pinned by one user with a limit of %lld MiB\n",
	       attack->copies, pinned >> 20, (long long)locked >> 20);
	fflush(stdout);
	/* another user has his own */
	copy_much(65533, 0);
	for (int i = 0; i < PROCESSES; i++) {
		kill(pids[i], SIGKILL);
		CHECK_EQ(waitpid(pids[i], NULL, 0), pids[i]);
	}
	/* a page more for each of 256 commands */
	CHECK(pinned <= (long long)(BESIDE + locked + 256 * PAGE));
	/* not less than that either */
	CHECK(pinned + (long long)COPY + (long long)PAGE > (long long)(BESIDE + locked));
	/* and it is his again */
	copy_much(65534, locked);
}

/* A copy behind a kernel that never ends, and beside it one that is behind nothing. */
static void too_long(void)
{
	static char memory[COPY];
	struct vgpu_cmd copy = cmd_h2d(BASE, memory, COPY);
	long long before = count_of("pinned_pages");
	double until = deadline(20);
	uint32_t queue, own;
	int fd = must_open_busy(&queue), other = must_open();

	CHECK_EQ(write_text("pin_timeout_ms", "-1"), -EINVAL);
	CHECK_EQ(write_text("pin_timeout_ms", "soon"), -EINVAL);
	CHECK_EQ(write_text("pin_timeout_ms", "300"), 0);
	own = must_queue(other);
	CHECK_EQ(mem_map(fd, BASE, COPY), 0);
	CHECK_EQ(mem_map(other, BASE, COPY), 0);
	/* a context that pins nothing may go on */
	sleep(1);
	CHECK_EQ(must_context_info(fd).dead, 0);
	must_submit(fd, queue, &copy, 1);
	while (!must_context_info(fd).dead && seconds_now() < until) {
		must_run(other, own, &copy, 1);
		usleep(1000);
	}
	CHECK_EQ(must_context_info(fd).dead, 1);
	CHECK_EQ(must_context_info(fd).fault.reason, VGPU_FAULT_WATCHDOG);
	CHECK_EQ(must_context_info(other).dead, 0);
	while (count_of("pinned_pages") != before && seconds_now() < until)
		usleep(1000);
	CHECK_EQ(count_of("pinned_pages"), before);
	CHECK_EQ(write_text("pin_timeout_ms", "86400000"), 0);
	close(fd);
	close(other);
}

static void limit_of_none(void)
{
	hoard(0);
}

static void limit_as_usual(void)
{
	hoard(8 << 20);
}

static void copies_without_limit(void)
{
	copy_much(65534, 0);
	copy_much(65534, 64 << 10);
	copy_much(65534, 8 << 20);
}

static const struct test tests[] = {
	{ "hostile_pins: large copies of a user who may lock nothing", copies_without_limit },
	{ "hostile_pins: a user who may lock nothing", limit_of_none },
	{ "hostile_pins: memory that stays pinned", too_long },
	{ "hostile_pins: a user who may lock 8 MiB", limit_as_usual },
};

TESTS_MAIN(tests)
