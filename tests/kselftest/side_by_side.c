// SPDX-License-Identifier: MIT
/*
 * Kernels of several processes side by side on the SMs of a device (docs/sharing.md), under each
 * policy by block: values are right, sm/N says who has what, knobs change under load, a process is
 * killed while a block of it is half stored, one of two on an SM faults. Nothing stays behind.
 */
#include "vgpu_asm.h"
#include "vgpu_clock.h"
#include "vgpu_configfs.h"

#define NAME		"beside"
#define SMS		2
#define THREADS		128
#define SHARED		12288u		/* of a block: eight fill an SM of 96 KB */
#define FULL		8u
#define REGISTERS	(32u * THREADS)
#define MOST_WORDS	(64u * THREADS)

static const char *const policies[] = { "leftover", "smk", "smk-p", "smk-pw", "spart" };

struct work_params {
	uint64_t out;
	uint32_t factor;
	uint32_t add;
	uint32_t rounds;
	uint32_t unused;
};

struct user {
	int fd;
	uint32_t queue, module;
};

enum { WORK, ENDLESS };

/* out[id] = id * factor + add, which is in a register and in shared memory for @rounds rounds */
static void kernel_work(struct program *p)
{
	uint32_t loop;

	kernel(p, "work", sizeof(struct work_params));
	p->kernels[p->count - 1].shared_bytes = SHARED;
	ldp8(p, 0, offsetof(struct work_params, out));
	ldp4(p, 2, offsetof(struct work_params, factor));
	ldp4(p, 3, offsetof(struct work_params, add));
	ldp4(p, 10, offsetof(struct work_params, rounds));
	global_id(p, 4, 5);
	insn(p, VGPU_OP_MAD, 0, 7, 4, 2, 3, 0);
	insn(p, VGPU_OP_MADWU, VGPU_F_IMM, 8, 4, 0, 0, 4);	/* Q8 = R4 * 4 + Q0 */
	sreg(p, 11, VGPU_SR_TID_X);
	insn(p, VGPU_OP_SHL, VGPU_F_IMM, 11, 11, 0, 0, 2);
	insn(p, VGPU_OP_STS, SIZE_4, 0, 11, 7, 0, 0);
	insn(p, VGPU_OP_MOV, VGPU_F_IMM, 12, 0, 0, 0, 0);
	loop = p->insns - p->kernels[p->count - 1].entry;
	insn(p, VGPU_OP_BAR, 0, 0, 0, 0, 0, 0);
	insn(p, VGPU_OP_ADD, VGPU_F_IMM, 12, 12, 0, 0, 1);
	insn(p, VGPU_OP_SETPU, VGPU_CMP_LT, 0, 12, 10, 0, 0);
	insn(p, VGPU_OP_BRA, 0, 0, 0, 0, 0, loop | (uint64_t)VGPU_NO_RECONV << 32);
	guard(p, 0);
	/* nothing is stored if the two differ */
	insn(p, VGPU_OP_LDS, SIZE_4, 13, 11, 0, 0, 0);
	insn(p, VGPU_OP_SETPU, VGPU_CMP_EQ, 0, 13, 7, 0, 0);
	stg4(p, 8, 7);
	guard(p, 0);
	finish(p);
}

static void kernel_endless_full(struct program *p)
{
	kernel_endless(p);
	p->kernels[p->count - 1].shared_bytes = SHARED;
}

static struct user must_begin(void)
{
	struct program p = {};
	struct user u = { .fd = cfs_open(NAME) };

	CHECK(u.fd >= 0);
	kernel_work(&p);
	kernel_endless_full(&p);
	u.queue = must_queue(u.fd);
	u.module = must_load(u.fd, &p);
	CHECK_EQ(mem_map(u.fd, BASE, MOST_WORDS * 4), 0);
	return u;
}

static void start_endless(const struct user *u, uint32_t blocks)
{
	struct vgpu_cmd cmd = cmd_launch(u->module, ENDLESS, blocks, THREADS, NULL, 0);

	must_submit(u->fd, u->queue, &cmd, 1);
}

static uint64_t start_work(const struct user *u, uint32_t blocks, uint32_t add, uint32_t rounds)
{
	struct work_params params = { .out = BASE, .factor = 3, .add = add, .rounds = rounds };
	struct vgpu_cmd cmd =
		cmd_launch(u->module, WORK, blocks, THREADS, &params, sizeof(params));

	return must_submit(u->fd, u->queue, &cmd, 1);
}

static void must_have_worked(const struct user *u, uint64_t seq, uint32_t blocks, uint32_t add)
{
	static uint32_t out[MOST_WORDS];

	CHECK_EQ(wait_seq(u->fd, u->queue, seq, limit_ns(60)), 0);
	must_d2h(u->fd, u->queue, out, BASE, blocks * THREADS * 4);
	for (uint32_t n = 0; n < blocks * THREADS; n++)
		CHECK_EQ(out[n], n * 3 + add);
}

static void must_work(const struct user *u, uint32_t blocks, uint32_t add, uint32_t rounds)
{
	must_have_worked(u, start_work(u, blocks, add, rounds), blocks, add);
}

/* ---- the device ---------------------------------------------------------- */

static char counts[4096];

static void counts_of_device(char *text, size_t size)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/kernel/debug/vgpu/%s/counts", clock_device + 4);
	file = fopen(path, "r");
	CHECK(file);
	text[fread(text, 1, size - 1, file)] = 0;
	fclose(file);
}

static void must_make(const char *bandwidth)
{
	CHECK_EQ(cfs_make(NAME), 0);
	CHECK_EQ(cfs_put(NAME, "preset", "gtx980"), 0);
	CHECK_EQ(cfs_put(NAME, "sms", "2"), 0);
	CHECK_EQ(cfs_put(NAME, "active_kernels", "16"), 0);
	CHECK_EQ(cfs_put(NAME, "watchdog_ps", "0"), 0);
	CHECK_EQ(cfs_put(NAME, "vram_bytes", "16777216"), 0);
	if (bandwidth)
		CHECK_EQ(cfs_put(NAME, "memory_bandwidth", bandwidth), 0);
	CHECK_EQ(cfs_put(NAME, "live", "1"), 0);
	snprintf(clock_device, sizeof(clock_device), "%s", cfs_get(NAME, "dev_name"));
	CHECK_EQ(write_text("kernels_per_sm", "4"), 0);
	counts_of_device(counts, sizeof(counts));
}

static void sm_text(uint32_t sm, const char *file, char *text, size_t size)
{
	char name[64];

	snprintf(name, sizeof(name), "sm/%u/%s", sm, file);
	read_text(name, text, size);
}

static uint64_t sm_file(uint32_t sm, const char *file)
{
	char text[64];

	sm_text(sm, file, text, sizeof(text));
	return strtoull(text, NULL, 10);
}

/* Until @file of all SMs is @value */
static void must_become(const char *file, uint64_t value)
{
	double end = deadline(30);

	for (uint32_t sm = 0; sm < SMS; sm++)
		while (sm_file(sm, file) != value) {
			if (seconds_now() > end)
				printf("# sm/%u/%s is %llu\n", sm, file,
				       (unsigned long long)sm_file(sm, file));
			CHECK(seconds_now() <= end);
			usleep(1000);
		}
}

/* Nobody is there any more: the device has what it had at first. */
static void must_take_away(void)
{
	static char now[4096];
	double end = deadline(30);
	char state[64];

	must_become("kernels", 0);
	must_become("blocks", 0);
	must_become("registers", 0);
	must_become("shared_bytes", 0);
	must_become("warps", 0);
	for (uint32_t sm = 0; sm < SMS; sm++) {
		sm_text(sm, "state", state, sizeof(state));
		CHECK(!strcmp(state, "idle\n"));
	}
	do {
		counts_of_device(now, sizeof(now));
		if (strcmp(now, counts) && seconds_now() > end)
			printf("# before: %s\n# now: %s\n", counts, now);
		CHECK(seconds_now() <= end);
		usleep(1000);
	} while (strcmp(now, counts));
	CHECK_EQ(cfs_remove(NAME), 0);
}

/* ---- who has what -------------------------------------------------------- */

/* Two endless kernels of two blocks each: one of each on each SM, or each has an SM. */
static void who_has_what(void)
{
	for (size_t n = 0; n < ARRAY_SIZE(policies); n++) {
		bool whole = !strcmp(policies[n], "spart");
		struct user first, second, third;

		must_make(NULL);
		CHECK_EQ(write_text("policy", policies[n]), 0);
		first = must_begin();
		start_endless(&first, 2);
		if (!whole)
			must_become("blocks", 1);
		second = must_begin();
		start_endless(&second, 2);
		must_become("blocks", 2);
		must_become("kernels", whole ? 1 : 2);
		must_become("registers", 2 * REGISTERS);
		must_become("shared_bytes", 2 * SHARED);
		must_become("warps", 2 * THREADS / 32);
		if (!whole) {
			third = must_begin();
			must_work(&third, 16, 7, 50);
			close(third.fd);
			must_become("kernels", 2);
		}
		close(first.fd);
		close(second.fd);
		must_take_away();
	}
}

/* ---- values, and knobs under load ----------------------------------------- */

static void work_for_long(uint32_t who)
{
	struct user u = must_begin();

	for (uint32_t n = 0; n < scaled(25); n++)
		must_work(&u, 4 + 12 * ((n + who) % 4), 1000 * who + n, 40 * who + 10);
	_exit(0);
}

/* Three processes compute while @change is called, until all have ended. */
static void change_under_load(void (*change)(uint32_t n))
{
	pid_t pids[3];
	uint32_t n = 0;

	for (uint32_t who = 0; who < 3; who++) {
		pids[who] = fork();
		CHECK(pids[who] >= 0);
		if (!pids[who])
			work_for_long(who);
	}
	for (uint32_t who = 0; who < 3; who++) {
		int status;
		pid_t pid;

		while (!(pid = waitpid(pids[who], &status, WNOHANG))) {
			change(n++);
			for (uint32_t sm = 0; sm < SMS; sm++) {
				CHECK(sm_file(sm, "kernels") <= 8);
				CHECK(sm_file(sm, "registers") <= 65536);
				CHECK(sm_file(sm, "shared_bytes") <= 98304);
			}
			usleep(2000);
		}
		CHECK_EQ(pid, pids[who]);
		CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
	}
	printf("# %u changes\n", n);
}

static void change_kernels_per_sm(uint32_t n)
{
	static const char *const values[] = { "1", "4", "2", "8", "3", "1", "8" };

	CHECK_EQ(write_text("kernels_per_sm", values[n % ARRAY_SIZE(values)]), 0);
}

static void change_policy(uint32_t n)
{
	CHECK_EQ(write_text("policy", policies[n % ARRAY_SIZE(policies)]), 0);
}

static void kernels_per_sm(void)
{
	for (size_t n = 0; n < ARRAY_SIZE(policies); n++) {
		must_make(NULL);
		CHECK_EQ(write_text("policy", policies[n]), 0);
		change_under_load(change_kernels_per_sm);
		must_take_away();
	}
}

static void policies_change(void)
{
	must_make(NULL);
	change_under_load(change_policy);
	must_take_away();
}

/* ---- killed while a block is half stored ----------------------------------- */

static uint64_t context_file(uint32_t id, const char *file)
{
	char name[64], text[64];

	snprintf(name, sizeof(name), "contexts/%u/%s", id, file);
	read_text(name, text, sizeof(text));
	return strtoull(text, NULL, 10);
}

static pid_t endless_process(uint32_t blocks, volatile uint32_t *id)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		struct user u = must_begin();

		start_endless(&u, blocks);
		*id = must_context_info(u.fd).id;
		pause();
		_exit(1);
	}
	return pid;
}

/* Until the process of endless_process() has said which context it has */
static void must_be_said(const volatile uint32_t *id)
{
	double end = deadline(30);

	while (!*id) {
		CHECK(seconds_now() <= end);
		usleep(1000);
	}
}

/*
 * An endless kernel has both SMs. A state of 28 KB takes 0.6 ms of virtual time to store, which is
 * made to go by in seconds. In the middle of the first one the process is killed.
 */
static void killed_half_stored(void)
{
	volatile uint32_t *id = shared_page();

	for (size_t n = 1; n <= 3; n++) {
		struct user u;
		uint64_t seq;
		double end;
		pid_t pid;

		*id = 0;
		must_make("100000000");
		CHECK_EQ(write_text("policy", policies[n]), 0);
		pid = endless_process(4 * FULL, id);
		must_be_said(id);
		must_become("blocks", FULL);
		u = must_begin();
		CHECK_EQ(write_text("time_factor", "0.0002"), 0);
		clock_is("paced");
		seq = start_work(&u, 4, 5, 10);
		for (end = deadline(30); !context_file(*id, "block_saving_ps");) {
			CHECK(seconds_now() <= end);
			usleep(1000);
		}
		CHECK_EQ(sm_file(0, "blocks"), FULL);
		kill(pid, SIGKILL);
		CHECK_EQ(waitpid(pid, NULL, 0), pid);
		clock_is("free");
		must_have_worked(&u, seq, 4, 5);
		CHECK_EQ(must_context_info(u.fd).fault.reason, 0);
		close(u.fd);
		must_take_away();
	}
}

/* ---- one of two faults ---------------------------------------------------- */

static void one_of_two_faults(void)
{
	for (size_t n = 0; n < ARRAY_SIZE(policies) - 1; n++) {
		struct work_params params = { .out = 8, .factor = 1, .rounds = 1 };
		struct user good, bad;
		struct vgpu_cmd cmd;

		must_make(NULL);
		CHECK_EQ(write_text("policy", policies[n]), 0);
		good = must_begin();
		start_endless(&good, 2);
		must_become("blocks", 1);
		bad = must_begin();
		start_endless(&bad, 2);
		must_become("kernels", 2);
		cmd = cmd_launch(bad.module, WORK, 8, THREADS, &params, sizeof(params));
		must_submit(bad.fd, must_queue(bad.fd), &cmd, 1);
		CHECK_EQ(wait_seq(bad.fd, bad.queue, 1, limit_ns(30)), -EIO);
		must_become("kernels", 1);
		must_become("blocks", 1);
		CHECK_EQ(must_context_info(good.fd).fault.reason, 0);
		CHECK(must_context_info(bad.fd).fault.reason);
		close(bad.fd);
		bad = must_begin();
		must_work(&bad, 16, 9, 20);
		close(bad.fd);
		close(good.fd);
		must_take_away();
	}
}

static const struct test tests[] = {
	{ "side_by_side: who has what", who_has_what },
	{ "side_by_side: kernels_per_sm changes under load", kernels_per_sm },
	{ "side_by_side: the policy changes under load", policies_change },
	{ "side_by_side: killed while a block is half stored", killed_half_stored },
	{ "side_by_side: one of two faults", one_of_two_faults },
};

TESTS_MAIN(tests)
