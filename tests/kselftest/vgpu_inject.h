/* SPDX-License-Identifier: MIT */
/*
 * The kernel's fault injection (Documentation/fault-injection/fault-injection.rst), for the calling
 * thread and for the actor of vgpu0, which is a task like others and can be made to fail from
 * outside. Only for kernels that have it (KERNEL=debug), as root; elsewhere a test is skipped.
 */
#ifndef VGPU_INJECT_H
#define VGPU_INJECT_H

#include "vgpu_client.h"

#define FAILSLAB	"/sys/kernel/debug/failslab/"
#define FAIL_PAGES	"/sys/kernel/debug/fail_page_alloc/"

static inline bool knob_write(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value);

	if (fd >= 0)
		close(fd);
	return done;
}

static inline long knob_read(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	return strtol(text, NULL, 10);
}

/*
 * Allocations that may sleep, of any order, fail too; quietly, for the log is read afterwards.
 * By themselves none fails.
 */
static inline void injection_knobs(void)
{
	static const char *const knobs[][2] = {
		{ FAILSLAB "ignore-gfp-wait", "N" },
		{ FAILSLAB "verbose", "0" },
		{ FAILSLAB "probability", "0" },
		{ FAIL_PAGES "ignore-gfp-wait", "N" },
		{ FAIL_PAGES "ignore-gfp-highmem", "N" },
		{ FAIL_PAGES "min-order", "0" },
		{ FAIL_PAGES "verbose", "0" },
		{ FAIL_PAGES "probability", "0" },
		{ "/sys/kernel/debug/fail_usercopy/verbose", "0" },
	};

	if (access("/proc/thread-self/fail-nth", W_OK))
		SKIP("this kernel has no fault injection");
	for (unsigned int i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++)
		if (!knob_write(knobs[i][0], knobs[i][1]))
			SKIP("failslab, fail_page_alloc and fail_usercopy are not all there");
}

/*
 * From now on every slab allocation of the actor fails, once it has had @space bytes, and no other
 * task's; @fails false: none.
 */
static inline void actor_slab_fails(bool fails, unsigned int space)
{
	char path[64], bytes[16];

	snprintf(path, sizeof(path), "/proc/%d/make-it-fail", actor_pid());
	snprintf(bytes, sizeof(bytes), "%u", space);
	CHECK(knob_write(path, "0"));
	CHECK(knob_write(FAILSLAB "probability", "0"));
	CHECK(knob_write(FAILSLAB "task-filter", fails ? "Y" : "N"));
	CHECK(knob_write(FAILSLAB "interval", "1"));
	CHECK(knob_write(FAILSLAB "times", "1000000000"));
	CHECK(knob_write(FAILSLAB "space", bytes));
	if (!fails)
		return;
	CHECK(knob_write(FAILSLAB "probability", "100"));
	CHECK(knob_write(path, "1"));
}

/* How many have failed since. */
static inline long actor_slab_failed(void)
{
	return 1000000000 - knob_read(FAILSLAB "times");
}

/* Run @fn in a process of its own: however it ends, nothing fails behind it. */
static inline void with_actor_safe(void (*fn)(void))
{
	int status;
	pid_t pid;

	injection_knobs();
	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		fn();
		fflush(stdout);
		_exit(TEST_PASS);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	actor_slab_fails(false, 0);
	CHECK(WIFEXITED(status));
	if (WEXITSTATUS(status))
		_exit(WEXITSTATUS(status));
}

#endif
