// SPDX-License-Identifier: MIT
/*
 * Threads of the module that execute kernels with the actor (workers=N): results are right, some
 * of it is executed by them, times are those without them; processes are killed in the middle,
 * processors go and come, and the module goes. Loads the module itself, so one of the last.
 */
#include <dirent.h>

#include "vgpu_module.h"
#include "vgpu_process.h"

#define ROUNDS	60u
#define BLOCKS	78u
#define THREADS	256u
#define COUNT	(BLOCKS * THREADS)
#define WORKERS	"/sys/kernel/debug/vgpu/workers"
#define PROCESSOR	"/sys/devices/system/cpu/cpu1/online"

struct mix_params {
	uint64_t out, key;
	uint32_t rounds;
	uint32_t unused;
};

/* out[id] = id, so many times multiplied and added to, the key first, which is the process's */
static uint32_t kernel_mix(struct program *p)
{
	uint32_t index = kernel(p, "mix", sizeof(struct mix_params)), top;

	ldp8(p, 0, offsetof(struct mix_params, out));
	ldp8(p, 2, offsetof(struct mix_params, key));
	ldp4(p, 4, offsetof(struct mix_params, rounds));
	global_id(p, 5, 8);
	ldg4(p, 6, 2);
	insn(p, VGPU_OP_ADD, 0, 6, 6, 5, 0, 0);
	insn(p, VGPU_OP_MADWU, VGPU_F_IMM, 10, 5, 0, 0, 4);	/* Q10 = R5 * 4 + Q0 */
	top = p->insns;
	insn(p, VGPU_OP_MUL, VGPU_F_IMM, 6, 6, 0, 0, 1664525u);
	insn(p, VGPU_OP_ADD, 0, 6, 6, 5, 0, 0);
	insn(p, VGPU_OP_SUB, VGPU_F_IMM, 4, 4, 0, 0, 1);
	stg4(p, 10, 6);
	insn(p, VGPU_OP_SETPU, VGPU_CMP_NE | VGPU_F_IMM, 0, 4, 0, 0, 0);
	/* all lanes go around equally often */
	insn(p, VGPU_OP_BRA, 0, 0, 0, 0, 0, top | (uint64_t)VGPU_NO_RECONV << 32);
	guard(p, 0);
	finish(p);
	return index;
}

static uint32_t mixed(uint32_t id, uint32_t key)
{
	uint32_t value = id + key;

	for (uint32_t n = 0; n < ROUNDS; n++)
		value = value * 1664525u + id;
	return value;
}

struct mixer {
	struct user u;
	uint32_t index;
	volatile uint32_t *key;
};

static struct mixer mixer_begin(uint32_t key)
{
	struct mixer m = { .u.fd = must_open() };
	struct program p = {};

	m.index = kernel_mix(&p);
	CHECK_EQ(process_memory(m.u.fd), 0);
	m.u.module = must_load(m.u.fd, &p);
	m.u.queue = must_queue(m.u.fd);
	m.key = anonymous(PAGE);
	*m.key = key;
	CHECK_EQ(mem_map(m.u.fd, BASE, 1 << 20), 0);
	/* what is read before it is written would rule out that anything is executed ahead */
	must_run(m.u.fd, m.u.queue, (struct vgpu_cmd[]){ cmd_fill(BASE, 0, 4, COUNT) }, 1);
	return m;
}

/* Returns how long it took, in virtual time. */
static uint64_t must_mix(const struct mixer *m)
{
	struct mix_params params = { .out = BASE, .key = at(m->key), .rounds = ROUNDS };
	static uint64_t stamps[2];
	uint32_t *out = malloc(COUNT * 4ul);
	struct vgpu_cmd cmds[] = {
		cmd_stamp(&stamps[0]),
		cmd_launch(m->u.module, m->index, BLOCKS, THREADS, &params, sizeof(params)),
		cmd_stamp(&stamps[1]),
		cmd_d2h(out, BASE, COUNT * 4ul),
	};
	uint64_t seq;
	int ret;

	CHECK(out);
	seq = must_submit(m->u.fd, m->u.queue, cmds, 4);
	do	/* a wait of a process that is stopped ends */
		ret = wait_seq(m->u.fd, m->u.queue, seq, limit_ns(30));
	while (ret == -EINTR);
	CHECK_EQ(ret, 0);
	for (uint32_t id = 0; id < COUNT; id++)
		CHECK_EQ(out[id], mixed(id, *m->key));
	free(out);
	return stamps[1] - stamps[0];
}

static void reload(const char *parameters)
{
	CHECK_EQ(module_remove(), 0);
	CHECK_EQ(module_insert(parameters), 0);
}

/* Tasks whose names begin with "vgpu-w" */
static int worker_tasks(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int count = 0;

	CHECK(proc);
	while ((entry = readdir(proc))) {
		char path[300], name[32] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		file = entry->d_name[0] > '0' && entry->d_name[0] <= '9' ? fopen(path, "r") : NULL;
		if (!file)
			continue;
		count += fgets(name, sizeof(name), file) && !strncmp(name, "vgpu-w", 6) &&
			 name[6] >= '0' && name[6] <= '9';
		fclose(file);
	}
	closedir(proc);
	return count;
}

/* ---- tests -------------------------------------------------------------- */

static void they_execute(void)
{
	double end = deadline(50);
	struct mixer m;
	int rounds = 0;

	reload("workers=1");
	CHECK_EQ(number_in(WORKERS, "workers "), 1);
	CHECK_EQ(worker_tasks(), 1);
	m = mixer_begin(12345);
	do {
		must_mix(&m);
		rounds++;
		CHECK(seconds_now() < end);
	} while (number_in(WORKERS, "executed ") < 10);
	printf("# %d kernels: %lld batches, %lld SMs by the actor, %lld by the worker\n", rounds,
	       number_in(WORKERS, "batches "), number_in(WORKERS, "actor "),
	       number_in(WORKERS, "executed "));
	CHECK(number_in(WORKERS, "ns ") > 0);
	close(m.u.fd);
	reload("");
}

/* The same kernel, in the same virtual time, without workers and with them. */
static void times_are_the_same(void)
{
	uint64_t took[2][3];

	for (int n = 0; n < 2; n++) {
		struct mixer m;

		reload(n ? "workers=1" : "");
		m = mixer_begin(7);
		/* the page that the first one waits for has come when the others begin */
		for (int i = 0; i < 3; i++)
			took[n][i] = must_mix(&m);
		CHECK(!n == !number_in(WORKERS, "batches "));
		close(m.u.fd);
	}
	reload("");
	for (int i = 1; i < 3; i++)
		CHECK_EQ(took[1][i], took[0][i]);
}

static pid_t start_mixer(uint32_t key, double end)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		struct mixer m = mixer_begin(key);

		do
			must_mix(&m);
		while (seconds_now() < end);
		_exit(0);
	}
	return pid;
}

/* Several at once, of which one is killed again and again; others stop and go on. */
static void killed_in_the_middle(void)
{
	double end = seconds_now() + 6;
	pid_t steady[2];
	int status, kills = 0;

	reload("workers=1");
	for (int n = 0; n < 2; n++)
		steady[n] = start_mixer(100 + (uint32_t)n, end);
	while (seconds_now() < end) {
		pid_t victim = start_mixer(999, 1e9);

		usleep(100000 + 37000 * (useconds_t)(kills % 7));
		CHECK(!kill(steady[kills % 2], SIGSTOP));
		CHECK(!kill(victim, SIGKILL));
		CHECK(waitpid(victim, &status, 0) == victim && WIFSIGNALED(status));
		CHECK(!kill(steady[kills % 2], SIGCONT));
		kills++;
	}
	for (int n = 0; n < 2; n++)
		CHECK(waitpid(steady[n], &status, 0) == steady[n] && !status);
	printf("# %d killed; %lld batches\n", kills, number_in(WORKERS, "batches "));
	CHECK_EQ(count_of("contexts"), 0);
	reload("");
	CHECK_EQ(worker_tasks(), 0);
}

static bool set_online(const char *online)
{
	int fd = open(PROCESSOR, O_WRONLY);
	bool set = fd >= 0 && write(fd, online, 1) == 1;

	if (fd >= 0)
		close(fd);
	return set;
}

static void processors_go_and_come(void)
{
	double end = seconds_now() + 4;
	struct mixer m;
	bool online = true;

	if (!set_online("1") || sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP("no processor that could go");
	reload("workers=3");
	m = mixer_begin(5);
	while (seconds_now() < end) {
		online = !online;
		CHECK(set_online(online ? "1" : "0"));
		must_mix(&m);
	}
	CHECK(set_online("1"));
	close(m.u.fd);
	reload("");
}

static void how_many(void)
{
	reload("workers=-1");
	CHECK_EQ(number_in(WORKERS, "workers "), sysconf(_SC_NPROCESSORS_ONLN) - 1);
	reload("workers=64 set=sms=3");
	CHECK_EQ(number_in(WORKERS, "workers "), 3);
	CHECK_EQ(worker_tasks(), 3);
	reload("");
	CHECK_EQ(number_in(WORKERS, "workers "), 0);
	CHECK_EQ(worker_tasks(), 0);
}

static const struct test tests[] = {
	{ "workers: they execute, and results are right", they_execute },
	{ "workers: virtual times are those without them", times_are_the_same },
	{ "workers: processes are killed in the middle", killed_in_the_middle },
	{ "workers: processors go and come", processors_go_and_come },
	{ "workers: how many there are", how_many },
};

TESTS_MAIN(tests)
