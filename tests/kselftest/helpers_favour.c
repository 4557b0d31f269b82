// SPDX-License-Identifier: MIT
/*
 * What Linux gives to a thread that executes its kernels while it waits (kmod/core/helpers.c): nice
 * and cpu.weight decide between two programs on one processor, and a group that is short of memory
 * goes on.
 */
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "vgpu_group.h"
#include "vgpu_mix.h"

#define HELPERS		"/sys/module/vgpu/parameters/helpers"
#define OTHER		CGROUPS "/vgpu_other"
#define KERNELS		8u	/* of each program, for one figure */

static void must_have_helpers(void)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP("one processor: nothing is handed out");
	put(HELPERS, "Y");
}

static void must_run_on(pid_t pid, int processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	CHECK(!sched_setaffinity(pid, sizeof(set), &set));
}

/* The device's thread, which has its name. */
static pid_t actor(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	CHECK(proc);
	while (!found && (entry = readdir(proc))) {
		char path[300], name[32] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		file = entry->d_name[0] > '0' && entry->d_name[0] <= '9' ? fopen(path, "r") : NULL;
		if (!file)
			continue;
		if (fgets(name, sizeof(name), file) && !strcmp(name, "vgpu0\n"))
			found = atoi(entry->d_name);
		fclose(file);
	}
	closedir(proc);
	CHECK(found);
	return found;
}

/* ---- two programs on one processor -------------------------------------- */

/**
 * struct program_state - what others know of it
 * @kernels: so many have been executed
 */
struct program_state {
	pid_t pid;
	uint32_t context;
	uint32_t kernels;
	bool ends;
};

static void *burns(void *arg)
{
	volatile struct program_state *state = arg;

	while (!state->ends)
		;
	return NULL;
}

/* A thread of it waits for kernels, another one computes: there is something to decide. */
static void start(volatile struct program_state *state, const char *group)
{
	pid_t pid = fork();
	pthread_t thread;
	struct mixer *m;

	CHECK(pid >= 0);
	if (pid) {
		state->pid = pid;
		return;
	}
	CHECK(!setpgid(0, 0) && !prctl(PR_SET_PDEATHSIG, SIGKILL));
	if (group)
		put(group, "0");
	m = mixer_begin(4);
	must_run_on(0, 1);
	CHECK(!pthread_create(&thread, NULL, burns, (void *)state));
	state->context = must_context_info(m->u.fd).id;
	while (!state->ends) {
		must_mix_in(m, FOREVER);
		state->kernels++;
	}
	_exit(0);
}

static double helped(const volatile struct program_state *state)
{
	char path[128];
	long long ns;

	snprintf(path, sizeof(path), SYSFS "/contexts/%u/host_helpers_ns", state->context);
	ns = number_in(path, NULL);
	CHECK(ns >= 0);
	return (double)ns;
}

/* For how long threads of program 0 execute kernels, to those of program 1. */
static double relation(const volatile struct program_state *states)
{
	double end = deadline(60), ns[2];
	uint32_t kernels[2];

	for (int n = 0; n < 2; n++) {
		kernels[n] = states[n].kernels;
		ns[n] = helped(&states[n]);
	}
	while (states[0].kernels < kernels[0] + KERNELS ||
	       states[1].kernels < kernels[1] + KERNELS) {
		CHECK(seconds_now() < end);
		usleep(1000);
	}
	for (int n = 0; n < 2; n++) {
		ns[n] = helped(&states[n]) - ns[n];
		printf("# program %d: %.0f us of %u kernels\n", n, ns[n] * 1e-3,
		       states[n].kernels - kernels[n]);
	}
	/* it may be nothing at all */
	return (ns[0] + 1) / (ns[1] + 1);
}

static void set_nice(const volatile struct program_state *state, bool favoured)
{
	CHECK(!setpriority(PRIO_PGRP, (id_t)state->pid, favoured ? 0 : 15));
}

static const char *group_file(int n, const char *file)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", n ? OTHER : GROUP, file);
	return path;
}

static void favour(const volatile struct program_state *states, int which, bool groups)
{
	for (int n = 0; n < 2; n++) {
		if (groups)
			put(group_file(n, "cpu.weight"), n == which ? "500" : "50");
		else
			set_nice(&states[n], n == which);
	}
}

/* Each in turn is the one that has more of the processor. */
static void one_has_more(bool groups)
{
	volatile struct program_state *states = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
						     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double first, second;
	pid_t device = actor();
	cpu_set_t all;
	int status;

	CHECK(states != MAP_FAILED);
	CHECK(!sched_getaffinity(device, sizeof(all), &all));
	must_run_on(device, 0);
	for (int n = 0; n < 2; n++)
		start(&states[n], groups ? group_file(n, "cgroup.procs") : NULL);
	for (int n = 0; n < 2; n++)
		for (double end = deadline(60); !states[n].kernels; usleep(1000))
			CHECK(seconds_now() < end);
	favour(states, 0, groups);
	first = relation(states);
	favour(states, 1, groups);
	second = relation(states);
	printf("# the first one to the second: %.2f, then %.2f\n", first, second);
	for (int n = 0; n < 2; n++)
		states[n].ends = true;
	for (int n = 0; n < 2; n++) {
		CHECK(waitpid(states[n].pid, &status, 0) == states[n].pid);
		CHECK_EQ(status, 0);
	}
	CHECK(!sched_setaffinity(device, sizeof(all), &all));
	CHECK(first > 2 * second);
}

static void nice_decides(void)
{
	must_have_helpers();
	one_has_more(false);
}

static void weight_decides(void)
{
	must_have_helpers();
	group_make("max");
	put(CGROUPS "/cgroup.subtree_control", "+cpu");
	CHECK(!mkdir(OTHER, 0755) || errno == EEXIST);
	one_has_more(true);
	for (int i = 0; i < 500 && rmdir(OTHER); i++)
		usleep(10000);
	group_remove();
}

/* ---- a group without memory --------------------------------------------- */

#define PRESSURE	(48ul << 20)

/* Memory that may be taken from it at any time, so that nothing of it has to die. */
static void *presses(void *arg)
{
	char *memory = mmap(NULL, PRESSURE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	volatile bool *ends = arg;

	CHECK(memory != MAP_FAILED);
	while (!*ends)
		for (size_t at = 0; at < PRESSURE; at += 1ul << 20) {
			memset(memory + at, 1, 1ul << 20);
			CHECK(!madvise(memory + at, 1ul << 20, MADV_FREE));
		}
	return NULL;
}

static void under_pressure(double end)
{
	bool ends = false;
	pthread_t thread;
	struct mixer *m;
	char max[32];

	group_enter();
	m = mixer_begin(31);
	must_mix_in(m, FOREVER);
	/* what it has, and a third of what it is about to touch */
	snprintf(max, sizeof(max), "%lld", group_bytes() + (long long)PRESSURE / 3);
	put(GROUP "/memory.max", max);
	CHECK(!pthread_create(&thread, NULL, presses, &ends));
	do
		must_mix_in(m, FOREVER);
	while (seconds_now() < end);
	ends = true;
	CHECK(!pthread_join(thread, NULL));
	mixer_end(m);
}

static void without_memory(void)
{
	long long before, hits;
	pid_t pid;
	int status;

	must_have_helpers();
	group_make("max");
	before = number_in(WORKERS, "helpers_executed ");
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		under_pressure(seconds_now() + 3);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	hits = number_in(GROUP "/memory.events", "max ");
	printf("# %lld SMs by helpers, of whose group memory was taken %lld times\n",
	       number_in(WORKERS, "helpers_executed ") - before, hits);
	CHECK(hits > 0);
	CHECK_EQ(number_in(GROUP "/memory.events", "oom_kill "), 0);
	CHECK(number_in(WORKERS, "helpers_executed ") > before);
	group_remove();
}

static const struct test tests[] = {
	{ "helpers: nice decides between two programs on a processor", nice_decides },
	{ "helpers: cpu.weight decides between two programs on a processor", weight_decides },
	{ "helpers: a group without memory goes on", without_memory },
};

TESTS_MAIN(tests)
