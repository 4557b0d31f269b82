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

/* For @seconds, and until *@going has changed, if there is an attack. */
static inline struct latency latency_of(void (*call)(void), double seconds,
					const volatile uint32_t *going)
{
	struct latency latency = {};
	double end = seconds_now() + seconds, limit = deadline(seconds + 30), begin;
	uint32_t before = going ? *going : 0;

	do {
		begin = seconds_now();
		call();
		latency_add(&latency, seconds_now() - begin);
		usleep(500);
	} while (seconds_now() < end || (going && *going == before && seconds_now() < limit));
	/* it went on all the time */
	CHECK(!going || *going != before);
	return latency;
}

static inline void nobody_becomes(uid_t uid)
{
	CHECK(!setgroups(0, NULL) && !setgid(uid) && !setuid(uid));
}

static inline void must_succeed(pid_t pid)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), TEST_PASS);
}

/* A process of user @uid that does @fn. */
static inline pid_t start_as(uid_t uid, void (*fn)(void))
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		if (uid)
			nobody_becomes(uid);
		fn();
		fflush(stdout);
		_exit(TEST_PASS);
	}
	return pid;
}

static inline void as_user(uid_t uid, void (*fn)(void))
{
	must_succeed(start_as(uid, fn));
}

/* What an attack counts in. */
static inline volatile uint32_t *going_page(void)
{
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(page != MAP_FAILED);
	return page;
}

/* A process of user 65534 that does @attack(@going) for ever; *@going counts that it does. */
static inline pid_t attack_start(void (*attack)(volatile uint32_t *going), volatile uint32_t *going)
{
	double limit = deadline(60);
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		nobody_becomes(65534);
		attack(going);
		_exit(1);
	}
	while (!*going && seconds_now() < limit)
		usleep(2000);
	CHECK(*going);
	return pid;
}

/* It has gone on until now. */
static inline void attack_end(pid_t pid)
{
	CHECK_EQ(waitpid(pid, NULL, WNOHANG), 0);
	kill(pid, SIGKILL);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
}

struct bystander_call {
	const char *name;
	void (*call)(void);
};

static const struct bystander_call bystander_calls[] = {
	{ "DEVICE_INFO", device_info }, { "open-copy-close", open_copy_close }
};

/*
 * Ten times what it takes without the attack, and a bit; and it never stands for long. The bit is
 * for what any neighbour costs, a time on a processor, and grows with what that is worth here.
 */
static inline bool as_if_alone(struct latency beside, struct latency idle)
{
	double slowness = machine_slowness();

	return beside.mean <= 10 * idle.mean + 1e-3 * slowness &&
	       beside.most <= 10 * idle.most + 0.2 * slowness;
}

/*
 * A bystander does not notice the attack. A busy machine may make a call late, once: what the
 * attack does, it does again, so a call that was late is measured up to three times.
 */
static inline bool goes_unnoticed(const char *what, const struct bystander_call *call,
				  struct latency idle, const volatile uint32_t *going)
{
	for (int tries = 0; tries < 3; tries++) {
		struct latency beside = latency_of(call->call, 1, going);

		printf("# %s beside %s: %.3f ms on average, %.3f ms at most; alone %.3f and %.3f\n",
		       call->name, what, beside.mean * 1e3, beside.most * 1e3, idle.mean * 1e3,
		       idle.most * 1e3);
		fflush(stdout);
		if (as_if_alone(beside, idle))
			return true;
	}
	return false;
}

static inline void must_not_notice(const char *what, void (*attack)(volatile uint32_t *going))
{
	volatile uint32_t *going = going_page();
	struct latency idle[ARRAY_SIZE(bystander_calls)];
	bool unnoticed = true;
	pid_t pid;

	for (size_t i = 0; i < ARRAY_SIZE(idle); i++)
		idle[i] = latency_of(bystander_calls[i].call, 0.5, NULL);
	pid = attack_start(attack, going);
	for (size_t i = 0; i < ARRAY_SIZE(idle); i++)
		unnoticed &= goes_unnoticed(what, &bystander_calls[i], idle[i], going);
	attack_end(pid);
	CHECK(unnoticed);
}

#endif
