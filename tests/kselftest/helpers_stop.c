// SPDX-License-Identifier: MIT
/*
 * Threads that execute slices of their kernels while they wait (kmod/core/helpers.c) get signals,
 * are stopped, traced, frozen and killed in the middle, and processors go: nothing hangs, and
 * nothing is lost.
 */
#include <pthread.h>
#include <sys/ptrace.h>
#include <sys/time.h>

#include "vgpu_group.h"
#include "vgpu_mix.h"
#include "vgpu_uring.h"

#define HELPERS		"/sys/module/vgpu/parameters/helpers"
#define SECONDS		3.0
#define SIGNALS		21

static long long begin_helped(void)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP("one processor: nothing is handed out");
	put(HELPERS, "Y");
	return number_in(WORKERS, "helpers_executed ");
}

static void must_have_helped(long long before)
{
	long long executed = number_in(WORKERS, "helpers_executed ") - before;

	printf("# %lld SMs by helpers, in all %lld of %lld batches, %lld by the device's thread\n",
	       executed, number_in(WORKERS, "helpers_executed "), number_in(WORKERS, "batches "),
	       number_in(WORKERS, "actor "));
	CHECK(executed > 0);
}

/*
 * Does a test go on? In a kernel that checks it may take longer than the test until there is
 * something to execute.
 */
static bool goes_on(double end, long long before)
{
	double now = seconds_now();

	return now < end || (number_in(WORKERS, "helpers_executed ") <= before &&
			     now < end + 30 * machine_slowness());
}

/*
 * Until another SM has been executed by helpers, within limits: in a kernel that checks, one kernel
 * of the device takes seconds, and nothing is handed out while another one waits or the device's
 * thread is interrupted.
 */
static void let_help(void)
{
	long long executed = number_in(WORKERS, "helpers_executed ");
	double end = seconds_now() + 2 * machine_slowness();

	while (number_in(WORKERS, "helpers_executed ") == executed && seconds_now() < end)
		usleep(1000);
}

/* A process that computes for as long as the test goes on. */
static pid_t start_with(double end, long long before)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		struct mixer *m = mixer_begin((uint32_t)getpid());

		do
			must_mix(m);
		while (goes_on(end, before));
		_exit(0);
	}
	return pid;
}

static void must_have_ended(pid_t pid)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
}

/* ---- signals ------------------------------------------------------------ */

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
	alarms += number == SIGALRM;
}

static void signals(int flags)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = flags };
	struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = {};
	double end = seconds_now() + SECONDS / 2;
	struct mixer *m = mixer_begin(3);

	CHECK(!sigaction(SIGALRM, &action, NULL));
	CHECK(!setitimer(ITIMER_REAL, &often, NULL));
	do
		must_mix_in(m, FOREVER);
	while (seconds_now() < end);
	CHECK(!setitimer(ITIMER_REAL, &never, NULL));
	CHECK(alarms > 0);
	mixer_end(m);
}

static void signals_all_the_time(void)
{
	begin_helped();
	signals(0);
	signals(SA_RESTART);
	printf("# %d signals\n", (int)alarms);
}

/* Between kernels one waits without an end: it ends within moments when it is interrupted. */
static void interrupted_in_the_middle(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval soon = { { 0, 0 }, { 0, 20000 } };
	struct program p = {};
	int fd = must_open();
	uint32_t index = kernel_endless(&p);
	struct vgpu_cmd cmd = cmd_launch(must_load(fd, &p), index, 100, 256, NULL, 0);
	uint32_t queue = must_queue(fd);
	uint64_t seq = must_submit(fd, queue, &cmd, 1);
	long long before = begin_helped();
	double end = deadline(20);

	CHECK(!sigaction(SIGALRM, &action, NULL));
	for (int n = 0; n < 30 || number_in(WORKERS, "helpers_executed ") == before; n++) {
		CHECK(seconds_now() < end);
		CHECK(!setitimer(ITIMER_REAL, &soon, NULL));
		CHECK_EQ(wait_seq(fd, queue, seq, FOREVER), -EINTR);
	}
	must_have_helped(before);
	close(fd);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* How long a wait goes on after a signal: the median of some. */
static double after_a_signal(int fd, uint32_t queue, uint64_t seq)
{
	double took[SIGNALS];

	for (int n = 0; n < SIGNALS; n++) {
		struct itimerval soon = { { 0, 0 }, { 0, 20000 + 7000 * (n % 5) } };
		double due = seconds_now() + (double)soon.it_value.tv_usec * 1e-6;

		CHECK(!setitimer(ITIMER_REAL, &soon, NULL));
		CHECK_EQ(wait_seq(fd, queue, seq, FOREVER), -EINTR);
		took[n] = seconds_now() - due;
	}
	qsort(took, SIGNALS, sizeof(*took), by_value);
	return took[SIGNALS / 2];
}

/*
 * What is handed out of an endless kernel is much: a thread that has got a signal takes none of it,
 * and does not wait until the device's thread has executed all of it.
 */
static void a_signal_is_first(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct program p = {};
	int fd = must_open();
	uint32_t index = kernel_endless(&p);
	struct vgpu_cmd cmd = cmd_launch(must_load(fd, &p), index, 320, 256, NULL, 0);
	uint32_t queue = must_queue(fd);
	uint64_t seq = must_submit(fd, queue, &cmd, 1);
	double with, without, begin = seconds_now();
	long long before = begin_helped();

	CHECK(!sigaction(SIGALRM, &action, NULL));
	do
		with = after_a_signal(fd, queue, seq);
	while (goes_on(begin, before));
	must_have_helped(before);
	put(HELPERS, "N");
	without = after_a_signal(fd, queue, seq);
	put(HELPERS, "Y");
	printf("# %.6f s after a signal, %.6f s without helpers\n", with, without);
	CHECK(with < 5 * without + 1e-3 * machine_slowness());
	close(fd);
}

/* ---- rings that go -------------------------------------------------------- */

/* Of the thread of io_uring's that waits for it, the ring, and of the process: they end. */
static void ring_goes(bool with_process)
{
	struct program p = {};
	int fd = must_open();
	uint32_t index = kernel_endless(&p);
	struct vgpu_cmd cmd = cmd_launch(must_load(fd, &p), index, 100, 256, NULL, 0);
	uint32_t queue = must_queue(fd);
	uint64_t seq = must_submit(fd, queue, &cmd, 1);
	struct io_uring ring;

	must_ring(&ring, 8, 0);
	for (int n = 0; n < 3; n++)
		sqe_wait(&ring, fd, queue, seq, 0, 1)->flags = n < 2 ? IOSQE_ASYNC : 0;
	CHECK_EQ(io_uring_submit(&ring), 3);
	usleep(200000);
	if (with_process)
		raise(SIGKILL);
	/* as any others: a descriptor that is closed cancels all three */
	close(dup(fd));
	for (int n = 0; n < 3; n++)
		CHECK_EQ(must_cqe(&ring).res, -ECANCELED);
	for (int n = 0; n < 2; n++)
		sqe_wait(&ring, fd, queue, seq, 0, 1)->flags = IOSQE_ASYNC;
	CHECK_EQ(io_uring_submit(&ring), 2);
	usleep(100000);
	io_uring_queue_exit(&ring);
	close(fd);
}

static void rings_go(void)
{
	long long before = begin_helped();
	int status;

	for (int n = 0; n < 4; n++) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (!pid) {
			ring_goes(n % 2);
			_exit(0);
		}
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK(n % 2 ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL : !status);
	}
	for (double end = deadline(30); count_of("contexts"); usleep(10000))
		CHECK(seconds_now() < end);
	must_have_helped(before);
}

/* ---- stopped, traced, killed -------------------------------------------- */

static void stopped_and_killed(void)
{
	double end = seconds_now() + SECONDS * 2;
	long long before = begin_helped();
	pid_t steady[2];
	int status, kills = 0;

	for (int n = 0; n < 2; n++)
		steady[n] = start_with(end, before);
	while (goes_on(end, before)) {
		pid_t victim = start_mixer(999, 1e9);

		usleep(100000 + 37000 * (useconds_t)(kills % 7));
		CHECK(!kill(steady[kills % 2], SIGSTOP));
		CHECK(!kill(victim, SIGKILL));
		CHECK(waitpid(victim, &status, 0) == victim && WIFSIGNALED(status));
		CHECK(!kill(steady[kills % 2], SIGCONT));
		let_help();
		kills++;
	}
	for (int n = 0; n < 2; n++)
		must_have_ended(steady[n]);
	printf("# %d killed\n", kills);
	must_have_helped(before);
}

static void traced(void)
{
	double end = seconds_now() + SECONDS;
	long long before = begin_helped();
	pid_t pid = start_with(end, before);
	int status, stops = 0;

	CHECK(!ptrace(PTRACE_SEIZE, pid, NULL, NULL));
	while (goes_on(end, before) && !ptrace(PTRACE_INTERRUPT, pid, NULL, NULL)) {
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK(WIFSTOPPED(status));
		usleep(3000);
		CHECK(!ptrace(PTRACE_CONT, pid, NULL, NULL));
		let_help();
		stops++;
	}
	CHECK(!ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) && waitpid(pid, &status, 0) == pid);
	if (!WIFEXITED(status)) {
		CHECK(!ptrace(PTRACE_DETACH, pid, NULL, NULL));
		must_have_ended(pid);
	}
	printf("# stopped %d times\n", stops);
	must_have_helped(before);
}

static void frozen(void)
{
	double end = seconds_now() + SECONDS;
	long long before = begin_helped();
	int freezes = 0;
	pid_t pid;

	group_make("max");
	group_enter();
	pid = start_with(end, before);
	group_leave();
	while (goes_on(end, before)) {
		put(GROUP "/cgroup.freeze", "1");
		usleep(10000);
		put(GROUP "/cgroup.freeze", "0");
		usleep(20000);
		let_help();
		freezes++;
	}
	must_have_ended(pid);
	group_remove();
	printf("# frozen %d times\n", freezes);
	must_have_helped(before);
}

static void *mixes_for_ever(void *arg)
{
	for (;;)
		must_mix_in(arg, FOREVER);
	return NULL;
}

/* All other threads of a process that executes another program end, one that waits, too. */
static void another_program(void)
{
	long long before = begin_helped();
	double end = seconds_now() + SECONDS;
	int programs = 0;

	do {
		pid_t pid = fork();
		pthread_t thread;

		CHECK(pid >= 0);
		if (!pid) {
			struct mixer *m = mixer_begin(8);

			CHECK(!pthread_create(&thread, NULL, mixes_for_ever, m));
			let_help();
			usleep(50000 + 31000 * (useconds_t)(programs % 5));
			execl("/bin/true", "true", NULL);
			_exit(1);
		}
		must_have_ended(pid);
		programs++;
	} while (goes_on(end, before));
	printf("# %d programs\n", programs);
	must_have_helped(before);
}

static void processors_go_and_come(void)
{
	double end = seconds_now() + SECONDS;
	bool online = true;
	struct mixer *m;

	if (!set_online("1"))
		SKIP("no processor that could go");
	begin_helped();
	m = mixer_begin(5);
	while (seconds_now() < end) {
		online = !online;
		CHECK(set_online(online ? "1" : "0"));
		must_mix_in(m, FOREVER);
	}
	CHECK(set_online("1"));
	mixer_end(m);
}

static const struct test tests[] = {
	{ "helpers: signals all the time", signals_all_the_time },
	{ "helpers: one is interrupted in the middle", interrupted_in_the_middle },
	{ "helpers: a signal does not wait for what is handed out", a_signal_is_first },
	{ "helpers: rings and processes go from under a thread of io_uring's", rings_go },
	{ "helpers: stopped and killed", stopped_and_killed },
	{ "helpers: traced", traced },
	{ "helpers: frozen", frozen },
	{ "helpers: another program", another_program },
	{ "helpers: processors go and come", processors_go_and_come },
};

TESTS_MAIN(tests)
