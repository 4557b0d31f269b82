// SPDX-License-Identifier: MIT
/*
 * A process whose managed memory does not fit, under each remedy for that, and one that is killed
 * in the middle of it again and again: evictions, compression, throttling. A bystander on the same
 * device has the half of VRAM that is its share: its managed and its ordinary memory have the right
 * values all the time, none of its pages is evicted, and its launches end.
 */
#include <sys/prctl.h>

#include "vgpu_asm.h"
#include "vgpu_configfs.h"
#include "vgpu_words.h"

#define CROWD		"thrashing"
#define TOO_MUCH	(32ull << 20)	/* twice what the device has */
#define PAGES		((uint32_t)(TOO_MUCH / PAGE))
#define BYTES		(256u << 10)
#define WORDS		(BYTES / 4)
#define ORDINARY	(BASE + (1ull << 32))
#define ROUNDS		6u

static volatile uint32_t *must_map(int fd, uint64_t address, uint64_t bytes)
{
	void *memory;

	CHECK_EQ(mem_map_managed(fd, address, bytes), 0);
	memory = managed_view(fd, (void *)(uintptr_t)address, address, bytes,
			      PROT_READ | PROT_WRITE);
	CHECK(memory != MAP_FAILED);
	return memory;
}

/* Every page of it is written in each launch; pages of zeros and of bytes without a pattern. */
static void thrash(pid_t parent)
{
	volatile uint32_t *words;
	struct user u;

	CHECK(!prctl(PR_SET_PDEATHSIG, SIGKILL));
	/* killed before that */
	if (getppid() != parent)
		_exit(0);
	u = user_of(cfs_open(CROWD));
	words = must_map(u.fd, BASE, TOO_MUCH);
	for (uint32_t page = 0; page < PAGES; page += 2)
		for (uint32_t n = 0; n < 1024; n += 16)
			words[page * 1024 + n] = (page * 1024 + n) * 2654435761u;
	for (;;)
		must_wait(&u, start_add(&u, BASE, PAGES, 0x1234567, PAGE));
}

static pid_t start_thrashing(void)
{
	pid_t parent = getpid(), pid = fork();

	CHECK(pid >= 0);
	if (!pid)
		thrash(parent);
	return pid;
}

/* It has not ended by itself. */
static void kill_it(pid_t pid)
{
	CHECK_EQ(waitpid(pid, NULL, WNOHANG), 0);
	kill(pid, SIGKILL);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
}

/* Most of the half of VRAM that it may have is full: from now on its pages go for each other. */
static void must_fill(const struct user *u)
{
	double limit = deadline(60);

	while (must_device_info(u->fd).managed_resident < 6 << 20 && seconds_now() < limit)
		usleep(1000);
	CHECK(must_device_info(u->fd).managed_resident >= 6 << 20);
}

static void must_have(const struct user *u, uint32_t add)
{
	static uint32_t words[WORDS];

	must_d2h(u->fd, u->queue, words, ORDINARY, BYTES);
	must_be(words, WORDS, add);
}

static void beside(const char *field, const char *value)
{
	static uint32_t ordinary[WORDS];
	struct vgpu_account account;
	volatile uint32_t *words;
	struct user u;
	pid_t pid;

	CHECK_EQ(cfs_make(CROWD), 0);
	CHECK_EQ(cfs_put(CROWD, "vram_bytes", "16777216"), 0);
	/* else a launch waits, in virtual time, for that of another context to end */
	CHECK_EQ(cfs_put(CROWD, "policy", "dss"), 0);
	CHECK_EQ(cfs_put(CROWD, "preemption", "switch"), 0);
	CHECK_EQ(cfs_put(CROWD, "managed_share", "50"), 0);
	CHECK_EQ(cfs_put(CROWD, "classifier_cycles", "5000"), 0);
	CHECK_EQ(cfs_put(CROWD, field, value), 0);
	CHECK_EQ(cfs_put(CROWD, "live", "1"), 0);
	u = user_of(cfs_open(CROWD));
	words = must_map(u.fd, BASE, BYTES);
	number(words, WORDS);
	number(ordinary, WORDS);
	CHECK_EQ(mem_map(u.fd, ORDINARY, BYTES), 0);
	must_h2d(u.fd, u.queue, ORDINARY, ordinary, BYTES);
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		pid = start_thrashing();
		must_fill(&u);
		usleep(round * 5000);
		must_add(&u, BASE, WORDS, 1);
		must_add(&u, ORDINARY, WORDS, 1);
		must_have(&u, round);
		if (round & 1)
			must_be(words, WORDS, round);
		kill_it(pid);
	}
	must_be(words, WORDS, ROUNDS);
	account = must_context_info(u.fd).account;
	CHECK_EQ(account.pages_evicted, 0);
	CHECK_EQ(account.throttles, 0);
	close(u.fd);
	CHECK(!munmap((void *)BASE, BYTES));
	CHECK_EQ(cfs_remove(CROWD), 0);
}

static void none(void)
{
	beside("oversubscription", "none");
}

static void compression(void)
{
	beside("compression", "1");
}

static void ahead(void)
{
	beside("proactive_eviction", "1");
}

static void throttling(void)
{
	beside("throttling", "1");
}

static void etc(void)
{
	beside("oversubscription", "etc");
}

static const struct test tests[] = {
	{ "thrashing: a bystander, no remedy", none },
	{ "thrashing: a bystander, compression", compression },
	{ "thrashing: a bystander, eviction ahead of time", ahead },
	{ "thrashing: a bystander, throttling", throttling },
	{ "thrashing: a bystander, by class", etc },
};

int main(int argc, char **argv)
{
	return tests_main(argc, argv, tests, ARRAY_SIZE(tests));
}
