// SPDX-License-Identifier: MIT
/*
 * Threads of the module that execute kernels with the actor (workers=N): results are right, some
 * of it is executed by them, times are those without them; processes are killed in the middle,
 * processors go and come, and the module goes. Loads the module itself, so one of the last.
 */
#include <pthread.h>

#include "vgpu_mix.h"

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
	struct mixer *m;
	int rounds = 0;

	reload("workers=1 helpers=N");
	CHECK_EQ(number_in(WORKERS, "workers "), 1);
	CHECK_EQ(worker_tasks(), 1);
	m = mixer_begin(12345);
	do {
		must_mix(m);
		rounds++;
		CHECK(seconds_now() < end);
	} while (number_in(WORKERS, "executed ") < 10);
	printf("# %d kernels: %lld batches, %lld SMs by the actor, %lld by the worker\n", rounds,
	       number_in(WORKERS, "batches "), number_in(WORKERS, "actor "),
	       number_in(WORKERS, "executed "));
	CHECK(number_in(WORKERS, "ns ") > 0);
	mixer_end(m);
	reload("");
}

/* The same kernel, in the same virtual time, without workers and with them. */
static void times_are_the_same(void)
{
	uint64_t took[2][3];

	for (int n = 0; n < 2; n++) {
		struct mixer *m;

		reload(n ? "workers=1 helpers=N" : "workers=0 helpers=N");
		m = mixer_begin(7);
		/* the page that the first one waits for has come when the others begin */
		for (int i = 0; i < 3; i++)
			took[n][i] = must_mix(m);
		CHECK(!n == !number_in(WORKERS, "batches "));
		mixer_end(m);
	}
	reload("");
	for (int i = 1; i < 3; i++)
		CHECK_EQ(took[1][i], took[0][i]);
}

/* Several at once, of which one is killed again and again; others stop and go on. */
static void killed_in_the_middle(void)
{
	double end = seconds_now() + 6;
	pid_t steady[2];
	int status, kills = 0;

	reload("workers=1 helpers=N");
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
	reload("workers=0");
	CHECK_EQ(worker_tasks(), 0);
	reload("");
}

static void processors_go_and_come(void)
{
	double end = seconds_now() + 4;
	struct mixer *m;
	bool online = true;

	if (!set_online("1") || sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP("no processor that could go");
	reload("workers=3 helpers=N");
	m = mixer_begin(5);
	while (seconds_now() < end) {
		online = !online;
		CHECK(set_online(online ? "1" : "0"));
		must_mix(m);
	}
	CHECK(set_online("1"));
	mixer_end(m);
	reload("");
}

/* More threads than processors, and than is ever handed out at a time. */
static void more_than_processors(void)
{
	double end = deadline(50);
	struct mixer *m;

	reload("workers=64 helpers=N");
	CHECK_EQ(number_in(WORKERS, "workers "), 64);
	CHECK_EQ(worker_tasks(), 64);
	m = mixer_begin(6);
	do {
		must_mix(m);
		CHECK(seconds_now() < end);
	} while (number_in(WORKERS, "executed ") < 10);
	mixer_end(m);
	reload("");
}

/** struct waiter - a thread that waits for an endless kernel until it gets a signal */
struct waiter {
	int fd;
	uint32_t queue;
	uint64_t seq;
};

static void on_signal(__attribute__((unused)) int number)
{
}

static void *wait_for_it(void *arg)
{
	struct waiter *w = arg;

	CHECK_EQ(wait_seq(w->fd, w->queue, w->seq, FOREVER), -EINTR);
	return NULL;
}

static void await_more(const char *name, long long than)
{
	double end = deadline(50);

	while (number_in(WORKERS, name) <= than) {
		CHECK(seconds_now() < end);
		usleep(10000);
	}
}

/* While a thread waits for the context, it helps and no worker does; when it has gone, they do. */
static void not_beside_who_waits(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct waiter w = {};
	struct program p = {};
	uint32_t index = kernel_endless(&p);
	struct vgpu_cmd cmd;
	long long executed;
	pthread_t thread;

	reload("workers=1");
	w.fd = must_open();
	cmd = cmd_launch(must_load(w.fd, &p), index, 100, 256, NULL, 0);
	w.queue = must_queue(w.fd);
	w.seq = must_submit(w.fd, w.queue, &cmd, 1);
	await_more("executed ", 0);

	CHECK(!sigaction(SIGUSR1, &action, NULL));
	CHECK(!pthread_create(&thread, NULL, wait_for_it, &w));
	await_more("helpers_executed ", 0);
	/* the batch that it has come in the middle of */
	usleep(100000);
	executed = number_in(WORKERS, "executed ");
	await_more("helpers_executed ", number_in(WORKERS, "helpers_executed ") + 20);
	CHECK_EQ(number_in(WORKERS, "executed "), executed);

	CHECK(!pthread_kill(thread, SIGUSR1));
	CHECK(!pthread_join(thread, NULL));
	await_more("executed ", executed);
	close(w.fd);
	reload("");
}

static void how_many(void)
{
	reload("");
	CHECK_EQ(number_in(WORKERS, "workers "), sysconf(_SC_NPROCESSORS_ONLN) - 1);
	reload("workers=64 set=sms=3");
	CHECK_EQ(number_in(WORKERS, "workers "), 3);
	CHECK_EQ(worker_tasks(), 3);
	reload("workers=0");
	CHECK_EQ(number_in(WORKERS, "workers "), 0);
	CHECK_EQ(worker_tasks(), 0);
}

static const struct test tests[] = {
	{ "workers: they execute, and results are right", they_execute },
	{ "workers: virtual times are those without them", times_are_the_same },
	{ "workers: processes are killed in the middle", killed_in_the_middle },
	{ "workers: processors go and come", processors_go_and_come },
	{ "workers: more than processors", more_than_processors },
	{ "workers: not where a thread waits", not_beside_who_waits },
	{ "workers: how many there are", how_many },
};

TESTS_MAIN(tests)
