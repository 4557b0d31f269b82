// SPDX-License-Identifier: MIT
/*
 * A process whose managed memory does not fit, under each remedy for that, and one that is killed
 * in the middle of it again and again: evictions, compression, throttling. A bystander on the same
 * device has the half of VRAM that is its share, and half of the SMs: its managed and its ordinary
 * memory have the right values all the time, none of its pages is evicted, and its launches take
 * what half of the device is worth, in virtual and in real time.
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
#define LOOP		32u	/* of a launch that only computes, of 64 additions each */
#define BLOCKS_PER_SM	16u	/* of a warp */
#define US		1000000ull

static volatile uint32_t *must_map(int fd, uint64_t address, uint64_t bytes)
{
	void *memory;

	CHECK_EQ(mem_map_managed(fd, address, bytes), 0);
	memory = managed_view(fd, (void *)(uintptr_t)address, address, bytes,
			      PROT_READ | PROT_WRITE);
	CHECK(memory != MAP_FAILED);
	return memory;
}

/*
 * Every page of it is written in each launch, whose blocks are enough for all SMs; pages of zeros
 * and of bytes without a pattern.
 */
static void thrash(pid_t parent)
{
	struct add_params params = { .words = BASE, .add = 0x1234567, .stride = PAGE };
	volatile uint32_t *words;
	struct vgpu_cmd cmd;
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
	cmd = cmd_launch(u.module, ADD, PAGES / 32, 32, &params, sizeof(params));
	for (;;)
		must_wait(&u, must_submit(u.fd, u.queue, &cmd, 1));
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

/*
 * Most of the half of VRAM that it may have is full: from now on its pages go for each other. A
 * remedy may make them fewer in the next moment.
 */
static void must_fill(const struct user *u)
{
	double limit = deadline(60);
	uint64_t resident;

	while ((resident = must_device_info(u->fd).managed_resident) < 6 << 20 &&
	       seconds_now() < limit)
		usleep(1000);
	CHECK(resident >= 6 << 20);
}

/* Blocks of a warp, as many as all SMs of the device hold, that compute for a while */
static struct vgpu_cmd computing(int fd)
{
	struct program p = {};

	kernel(&p, "compute", 0);
	for (int i = 0; i < 64; i++)
		insn(&p, VGPU_OP_ADD, VGPU_F_IMM, 0, 0, 0, 0, 1);
	insn(&p, VGPU_OP_ADD, VGPU_F_IMM, 4, 4, 0, 0, 1);
	insn(&p, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, 4, 0, 0, LOOP);
	insn(&p, VGPU_OP_BRA, 0, 0, 0, 0, 0, (uint64_t)(p.insns + 1) << 32);
	guard(&p, 0);
	finish(&p);
	return cmd_launch(must_load(fd, &p), 0, BLOCKS_PER_SM * must_device_info(fd).sms, 32, NULL,
			  0);
}

/**
 * struct spent - what a launch has taken
 * @virtual: picoseconds from when it could have begun to its end
 * @real: seconds from its submission until the process knew of its end
 */
struct spent {
	uint64_t virtual;
	double real;
};

static uint64_t kernels_of(int fd)
{
	struct vgpu_account account = must_context_info(fd).account;

	return account.kernel_queued + account.kernel_running + account.kernel_preempted;
}

static struct spent spent_by(const struct user *u, const struct vgpu_cmd *cmd)
{
	uint64_t before = kernels_of(u->fd);
	double begin = seconds_now();
	struct spent spent;

	must_wait(u, must_submit(u->fd, u->queue, cmd, 1));
	spent.real = seconds_now() - begin;
	spent.virtual = kernels_of(u->fd) - before;
	return spent;
}

/*
 * Six of thirteen SMs are its share, so its blocks take their time three times at most, once the
 * SMs are preempted, which takes some us. Without a share it would wait for a launch of the other
 * that takes many ms. Ten times the real time is for what the other computes meanwhile, on the same
 * thread.
 */
static void must_be_its_share(struct spent beside, struct spent alone)
{
	CHECK(beside.virtual <= 3 * alone.virtual + 50 * US);
	CHECK(beside.real <= 10 * alone.real + 0.5 * machine_slowness());
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
	struct spent alone, now, most = {};
	volatile uint32_t *words;
	struct vgpu_cmd compute;
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
	compute = computing(u.fd);
	alone = spent_by(&u, &compute);
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		pid = start_thrashing();
		must_fill(&u);
		usleep(round * 5000);
		if (round & 1) {
			now = spent_by(&u, &compute);
			must_be_its_share(now, alone);
			most.virtual = now.virtual > most.virtual ? now.virtual : most.virtual;
			most.real = now.real > most.real ? now.real : most.real;
		}
		must_add(&u, BASE, WORDS, 1);
		must_add(&u, ORDINARY, WORDS, 1);
		must_have(&u, round);
		if (round & 1)
			must_be(words, WORDS, round);
		kill_it(pid);
	}
	must_be(words, WORDS, ROUNDS);
	printf("# a launch beside %s=%s: %.1f us at most, %.2f of what it takes alone; in real "
	       "time %.1f ms, %.2f\n",
	       field, value, (double)most.virtual / US,
	       (double)most.virtual / (double)alone.virtual, most.real * 1e3,
	       most.real / alone.real);
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
