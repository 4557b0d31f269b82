/* SPDX-License-Identifier: MIT */
/*
 * What an attack does to a bystander: another process that has nothing to do with the attacker, and
 * whose calls are timed without the attack and beside it. Only the ratio counts, so a slow machine
 * is as good as a fast one.
 */
#ifndef VGPU_BYSTANDER_H
#define VGPU_BYSTANDER_H

#include <grp.h>
#include <sys/prctl.h>

#include "vgpu_asm.h"

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
	pid_t pid;

	/* what it starts and leaves behind is waited for, too */
	CHECK(!prctl(PR_SET_CHILD_SUBREAPER, 1));
	*going = 0;
	pid = fork();
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

/* It has gone on until now. Afterwards nothing of it runs any more, not even in the kernel. */
static inline void attack_end(pid_t pid)
{
	double limit = deadline(60);
	pid_t left;

	CHECK_EQ(waitpid(pid, NULL, WNOHANG), 0);
	kill(pid, SIGKILL);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	while ((left = waitpid(-1, NULL, WNOHANG)) >= 0 && seconds_now() < limit)
		if (!left)
			usleep(1000);
	/* else a process that the attack has left behind does not end */
	CHECK_EQ(left, -1);
	CHECK_EQ(errno, ECHILD);
}

/* What any neighbour may do: compute on a processor … */
static inline void only_compute(volatile uint32_t *going)
{
	for (;;)
		++*going;
}

/* … or on the SMs: launches of a loop of additions, two always under way. */
static inline void only_compute_there(volatile uint32_t *going)
{
	struct program p = {};
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	struct vgpu_cmd cmd;
	uint64_t seq;

	kernel(&p, "add", 0);
	for (int i = 0; i < 64; i++)
		insn(&p, VGPU_OP_ADD, VGPU_F_IMM, 0, 0, 0, 0, 1);
	insn(&p, VGPU_OP_ADD, VGPU_F_IMM, 4, 4, 0, 0, 1);
	insn(&p, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, 4, 0, 0, 1 + scaled(7));
	insn(&p, VGPU_OP_BRA, 0, 0, 0, 0, 0, (uint64_t)(p.insns + 1) << 32);
	guard(&p, 0);
	finish(&p);
	cmd = cmd_launch(must_load(fd, &p), 0, 104, 256, NULL, 0);
	must_submit(fd, queue, &cmd, 1);
	for (;;) {
		seq = must_submit(fd, queue, &cmd, 1);
		CHECK_EQ(wait_seq(fd, queue, seq - 1, limit_ns(60)), 0);
		++*going;
	}
}

struct bystander_call {
	const char *name;
	void (*call)(void);
	/* times that it may take, for what the attack may cost in any case */
	double times;
};

/**
 * struct normal - what a call takes without the attack: alone, beside processes that only compute,
 * and beside one that computes on all SMs
 */
struct normal {
	struct latency alone, computing, launching;
};

static const struct bystander_call bystander_calls[] = {
	{ "DEVICE_INFO", device_info, 1 }, { "open-copy-close", open_copy_close, 1 }
};

static inline double more_of(double a, double b)
{
	return a > b ? a : b;
}

/*
 * Ten times what it takes alone, and a bit; and it never stands for long. The bit is for what any
 * neighbour costs, a time on a processor, and grows with what that is worth here. Where that is
 * much, for what else the machine does or what all SMs do while a copy takes virtual time, three
 * times what it takes beside those who compute.
 */
static inline bool as_if_alone(struct latency beside, const struct normal *normal, double times)
{
	double slowness = machine_slowness();
	double mean = more_of(10 * times * normal->alone.mean + 1e-3 * slowness,
			      3 * times * more_of(normal->computing.mean, normal->launching.mean));
	double most = more_of(10 * normal->alone.most + 0.2 * slowness,
			      3 * more_of(normal->computing.most, normal->launching.most));

	return beside.mean <= mean && beside.most <= most;
}

/* As many as there are processors, 64 at most. */
static inline void beside_computing(const struct bystander_call *calls, size_t count,
				    struct normal *normal)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	volatile uint32_t *going = NULL;
	pid_t pids[64];

	CHECK(processors > 0);
	processors = processors < 64 ? processors : 64;
	for (long n = 0; n < processors; n++) {
		going = going_page();
		pids[n] = attack_start(only_compute, going);
	}
	for (size_t i = 0; i < count; i++)
		normal[i].computing = latency_of(calls[i].call, 0.5, going);
	for (long n = 0; n < processors; n++) {
		kill(pids[n], SIGKILL);
		CHECK_EQ(waitpid(pids[n], NULL, 0), pids[n]);
	}
}

static inline void beside_launches(const struct bystander_call *calls, size_t count,
				   struct normal *normal)
{
	volatile uint32_t *going = going_page();
	pid_t pid = attack_start(only_compute_there, going);

	for (size_t i = 0; i < count; i++)
		normal[i].launching = latency_of(calls[i].call, 0.5, going);
	attack_end(pid);
}

static inline bool go_unnoticed(const char *what, const struct bystander_call *calls, size_t count,
				const struct normal *normal,
				void (*attack)(volatile uint32_t *going))
{
	volatile uint32_t *going = going_page();
	pid_t pid = attack_start(attack, going);
	bool unnoticed = true;

	for (size_t i = 0; i < count; i++) {
		struct latency beside = latency_of(calls[i].call, 1, going);
		const struct latency *alone = &normal[i].alone, *computing = &normal[i].computing;
		const struct latency *launching = &normal[i].launching;

		printf("# %s beside %s: %.3f ms on average, %.3f ms at most; alone %.3f and %.3f",
		       calls[i].name, what, beside.mean * 1e3, beside.most * 1e3,
		       alone->mean * 1e3, alone->most * 1e3);
		if (computing->count)
			printf(", beside processes that compute %.3f and %.3f, "
			       "beside launches %.3f and %.3f",
			       computing->mean * 1e3, computing->most * 1e3,
			       launching->mean * 1e3, launching->most * 1e3);
		printf("\n");
		fflush(stdout);
		unnoticed &= as_if_alone(beside, &normal[i], calls[i].times);
	}
	attack_end(pid);
	return unnoticed;
}

/*
 * A bystander does not notice the attack. A busy machine may make a call late: what the attack
 * does, it does again, so it is measured up to three times, and beside those who only compute.
 */
static inline void calls_must_not_notice(const char *what, const struct bystander_call *calls,
					 size_t count, void (*attack)(volatile uint32_t *going))
{
	struct normal normal[2] = {};

	CHECK(count <= ARRAY_SIZE(normal));
	for (size_t i = 0; i < count; i++)
		normal[i].alone = latency_of(calls[i].call, 0.5, NULL);
	for (int tries = 0; !go_unnoticed(what, calls, count, normal, attack); tries++) {
		CHECK(tries < 2);
		beside_computing(calls, count, normal);
		beside_launches(calls, count, normal);
	}
}

static inline void must_not_notice(const char *what, void (*attack)(volatile uint32_t *going))
{
	calls_must_not_notice(what, bystander_calls, ARRAY_SIZE(bystander_calls), attack);
}

#endif
