/* SPDX-License-Identifier: MIT */
/*
 * What every test program here shares: TAP output, one child process and one deadline a test, and
 * after each test the question whether the device holds as much as before. Header only, so that a
 * program is one file.
 */
#ifndef VGPU_SELFTEST_H
#define VGPU_SELFTEST_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vgpu_knobs.h"
#include "vgpu_stuck.h"

#define COUNTS_FILE	"/sys/kernel/debug/vgpu/0/counts"
#define TEST_SECONDS	60

enum { TEST_PASS = 0, TEST_FAIL = 1, TEST_SKIP = 4 };

struct test {
	const char *name;
	void (*fn)(void);
};

/* Each test is a child process: a failed check ends it. */
#define CHECK(cond) do {									\
	if (!(cond)) {										\
		int errno_ = errno;								\
		printf("# %s:%d: not so: %s (errno %d, %s)\n", __FILE__, __LINE__, #cond, errno_, \
			strerror(errno_)); \
		fflush(stdout);									\
		_exit(TEST_FAIL);								\
	}											\
} while (0)

#define CHECK_EQ(a, b) do {									\
	long long a_ = (long long)(a), b_ = (long long)(b);					\
	if (a_ != b_) {										\
		printf("# %s:%d: %s is %lld, not %s = %lld\n", __FILE__, __LINE__, #a, a_, #b, \
			b_); \
		fflush(stdout);									\
		_exit(TEST_FAIL);								\
	}											\
} while (0)

#define SKIP(why) do { \
	printf("# skipped: %s\n", why); \
	fflush(stdout); \
	_exit(TEST_SKIP); \
} while (0)

static inline double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Memory, pipes, files and processes, a little of each. */
static inline void machine_exercise(void)
{
	static char text[4096];

	for (int i = 0; i < 50; i++) {
		char *memory = mmap(NULL, 16 * sizeof(text), PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		int ends[2], status;

		CHECK(memory != MAP_FAILED && !pipe(ends));
		for (size_t page = 0; page < 16; page++)
			memory[page * sizeof(text)] = 1;
		munmap(memory, 16 * sizeof(text));
		for (int k = 0; k < 10; k++) {
			CHECK_EQ(write(ends[1], text, sizeof(text)), sizeof(text));
			CHECK_EQ(read(ends[0], text, sizeof(text)), sizeof(text));
		}
		close(ends[0]);
		close(ends[1]);
		close(open("/proc/self/stat", O_RDONLY));
		if (i % 10 == 0) {
			pid_t pid = fork();

			if (!pid)
				_exit(0);
			waitpid(pid, &status, 0);
		}
	}
}

#define EXERCISE_SECONDS	0.1	/* guest of a stock kernel, emulated, on a quiet machine */

/*
 * How many times as long this kernel takes for anything: a limit that ends what hangs is that many
 * times as far. The device has no part in what is measured, so its being slow moves no limit.
 */
static inline double machine_slowness(void)
{
	static double factor;

	if (factor == 0) {
		double begin = seconds_now();
		struct utsname name;

		machine_exercise();
		factor = (seconds_now() - begin) / EXERCISE_SECONDS;
		/* which instruments the module alone */
		if (!uname(&name) && strstr(name.release, "kcsan"))
			factor *= 10;
		factor = factor < 1 ? 1 : factor > 30 ? 30 : factor;
	}
	return factor;
}

/* The time at which what takes far less than @seconds on a stock kernel is said to hang. */
static inline double deadline(double seconds)
{
	return seconds_now() + seconds * machine_slowness();
}

/*
 * How many of @n things this kernel does in the time in which a stock kernel does all of them: how
 * much of something counts where it has to take longer than something else.
 */
static inline uint32_t scaled(uint32_t n)
{
	uint32_t few = (uint32_t)(n / machine_slowness());

	return few ? few : 1;
}

/* A small generator with a fixed seed: the same test every time. */
static inline uint64_t rnd(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* One line of the counts, -1 when there is none. */
static inline long long count_of(const char *name)
{
	char line[128];
	long long value;
	FILE *file = fopen(COUNTS_FILE, "r");

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		char *space = strchr(line, ' ');

		if (!space)
			continue;
		*space = 0;
		value = atoll(space + 1);
		if (!strcmp(line, name)) {
			fclose(file);
			return value;
		}
	}
	fclose(file);
	return -1;
}

/* What the device holds, as text; "trace_lost" is no possession. */
static inline void counts_read(char *text, size_t size)
{
	FILE *file = fopen(COUNTS_FILE, "r");
	size_t n = 0;
	char *lost;

	if (file) {
		n = fread(text, 1, size - 1, file);
		fclose(file);
	}
	text[n] = 0;
	lost = strstr(text, "trace_lost");
	if (lost)
		*lost = 0;
}

static inline int test_run(const struct test *test)
{
	int status = 0;
	double end = deadline(TEST_SECONDS);
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return TEST_FAIL;
	if (!pid) {
		setpgid(0, 0);
		/* what it has printed is there when it is killed */
		setvbuf(stdout, NULL, _IOLBF, 0);
		test->fn();
		fflush(stdout);
		_exit(TEST_PASS);
	}
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (seconds_now() > end) {
			printf("# no end after %.0f s\n", TEST_SECONDS * machine_slowness());
			stuck_group_show(pid);
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			break;
		}
		usleep(2000);
	}
	kill(-pid, SIGKILL);	/* children it left behind */
	if (WIFSIGNALED(status)) {
		printf("# ended by signal %d\n", WTERMSIG(status));
		return TEST_FAIL;
	}
	return WEXITSTATUS(status);
}

/*
 * Left-behind children take a moment to go, and more on a busy machine: ask again for a while
 * before calling it a leak.
 */
static inline bool test_leaked(const char *before)
{
	char after[1024];
	double end = deadline(20);

	do {
		counts_read(after, sizeof(after));
		if (!strcmp(before, after))
			return false;
		usleep(10000);
	} while (seconds_now() < end);
	printf("# something stayed behind. before:\n");
	for (const char *p = before; *p; p += strcspn(p, "\n") + 1)
		printf("#   %.*s\n", (int)strcspn(p, "\n"), p);
	printf("# after:\n");
	for (const char *p = after; *p; p += strcspn(p, "\n") + 1)
		printf("#   %.*s\n", (int)strcspn(p, "\n"), p);
	return true;
}

static inline int tests_main(int argc, char **argv, const struct test *tests, unsigned int count)
{
	unsigned int i, planned = 0, n = 0;
	int failed = 0;

	for (i = 0; i < count; i++)
		planned += argc < 2 || strstr(tests[i].name, argv[1]);
	printf("1..%u\n", planned);
	printf("# this kernel takes %.1f times as long\n", machine_slowness());
	for (i = 0; i < count; i++) {
		struct knobs knobs;
		char before[1024];
		int result;

		if (argc >= 2 && !strstr(tests[i].name, argv[1]))
			continue;
		counts_read(before, sizeof(before));
		knobs_save(&knobs);
		result = test_run(&tests[i]);
		if (result != TEST_PASS && result != TEST_SKIP)
			knobs_put_back(&knobs);
		if (*before && test_leaked(before))
			result = TEST_FAIL;
		failed += result != TEST_PASS && result != TEST_SKIP;
		printf("%sok %u - %s%s\n", result == TEST_PASS || result == TEST_SKIP ? "" : "not ",
		       ++n, tests[i].name, result == TEST_SKIP ? " # SKIP" : "");
		fflush(stdout);
	}
	return failed ? 1 : 0;
}

#define TESTS_MAIN(tests) \
	int main(int argc, char **argv) \
	{ \
		return tests_main(argc, argv, tests, sizeof(tests) / sizeof((tests)[0])); \
	}

#endif
