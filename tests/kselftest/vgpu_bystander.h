/* SPDX-License-Identifier: MIT */
/*
 * What an attack does to a bystander: another process that has nothing to do with the attacker, and
 * whose calls are timed without the attack and beside it. Only the ratio counts, so a slow machine
 * is as good as a fast one.
 */
#ifndef VGPU_BYSTANDER_H
#define VGPU_BYSTANDER_H

#include <grp.h>

#include "vgpu_client.h"

/** struct latency - of a call, in seconds */
struct latency {
	double mean;
	double most;
	unsigned int count;
};

static inline void latency_add(struct latency *latency, double seconds)
{
	latency->mean += (seconds - latency->mean) / ++latency->count;
	latency->most = seconds > latency->most ? seconds : latency->most;
}

/* What a program does that uses the device for a moment. */
static inline void open_copy_close(void)
{
	static uint8_t page[PAGE];
	int fd = must_open();
	uint32_t queue = must_queue(fd);

	CHECK_EQ(mem_map(fd, BASE, PAGE), 0);
	must_h2d(fd, queue, BASE, page, sizeof(page));
	close(fd);
}

static inline void device_info(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = must_open();
	must_device_info(fd);
}

static inline struct latency latency_of(void (*call)(void), double seconds)
{
	struct latency latency = {};
	double end = seconds_now() + seconds, begin;

	do {
		begin = seconds_now();
		call();
		latency_add(&latency, seconds_now() - begin);
		usleep(500);
	} while (seconds_now() < end);
	return latency;
}

static inline void nobody_becomes(uid_t uid)
{
	CHECK(!setgroups(0, NULL) && !setgid(uid) && !setuid(uid));
}

/* A process of user 65534 that does @attack(@going) for ever; *@going counts that it does. */
static inline pid_t attack_start(void (*attack)(volatile uint32_t *going), volatile uint32_t *going)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		nobody_becomes(65534);
		attack(going);
		_exit(1);
	}
	for (int i = 0; i < 5000 && !*going; i++)
		usleep(2000);
	CHECK(*going);
	return pid;
}

/* No call of a bystander takes more than ten times what it takes without the attack, and 1 ms. */
static inline void must_not_notice(const char *what, void (*attack)(volatile uint32_t *going))
{
	static const struct {
		const char *name;
		void (*call)(void);
	} calls[] = { { "DEVICE_INFO", device_info }, { "open-copy-close", open_copy_close } };
	volatile uint32_t *going = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct latency idle[ARRAY_SIZE(calls)], beside[ARRAY_SIZE(calls)];
	uint32_t before;
	pid_t pid;

	CHECK(going != MAP_FAILED);
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		idle[i] = latency_of(calls[i].call, 1);
	pid = attack_start(attack, going);
	before = *going;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		beside[i] = latency_of(calls[i].call, 2);
		printf("# %s beside %s: %.3f ms on average, %.3f ms at most; alone %.3f and %.3f\n",
		       calls[i].name, what, beside[i].mean * 1e3, beside[i].most * 1e3,
		       idle[i].mean * 1e3, idle[i].most * 1e3);
		fflush(stdout);
	}
	/* it went on all the time */
	CHECK(*going != before);
	CHECK_EQ(waitpid(pid, NULL, WNOHANG), 0);
	kill(pid, SIGKILL);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		CHECK(beside[i].mean <= 10 * idle[i].mean + 1e-3);
}

#endif
