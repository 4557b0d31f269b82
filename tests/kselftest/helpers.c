// SPDX-License-Identifier: MIT
/*
 * Threads that wait for their kernel execute some of it (kmod/core/helpers.c): results and virtual
 * times are those without them, it is their time, they touch no other context's kernels, and one
 * that gets no processor keeps nobody waiting.
 */
#include <pthread.h>
#include <sys/resource.h>

#include "vgpu_bystander.h"
#include "vgpu_group.h"
#include "vgpu_mix.h"
#include "vgpu_uring.h"

#define HELPERS		"/sys/module/vgpu/parameters/helpers"
#define ENOUGH		10	/* SMs by helpers: more than by chance */

static void must_have_helpers(void)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP("one processor: nothing is handed out");
	put(HELPERS, "Y");
}

static long long by_helpers(void)
{
	return number_in(WORKERS, "helpers_executed ");
}

static double helpers_seconds(int fd)
{
	char path[128];
	long long ns;

	snprintf(path, sizeof(path), SYSFS "/contexts/%u/host_helpers_ns",
		 must_context_info(fd).id);
	ns = number_in(path, NULL);
	CHECK(ns >= 0);
	return (double)ns * 1e-9;
}

/* Of a processor, of the calling thread */
static double thread_seconds(void)
{
	struct rusage usage;

	CHECK(!getrusage(RUSAGE_THREAD, &usage));
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static double clock_seconds(clockid_t clock)
{
	struct timespec t;

	CHECK(!clock_gettime(clock, &t));
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Kernels until helpers have executed so much more; how many it were. */
static int mix_until_helped(struct mixer *m, int64_t timeout_ns)
{
	long long before = by_helpers();
	double end = deadline(50);
	int rounds = 0;

	do {
		must_mix_in(m, timeout_ns);
		rounds++;
		CHECK(seconds_now() < end);
	} while (by_helpers() < before + ENOUGH);
	return rounds;
}

/* ---- tests -------------------------------------------------------------- */

static void it_is_their_time(void)
{
	struct mixer *m;
	double used, helped;
	int rounds;

	must_have_helpers();
	m = mixer_begin(12345);
	used = thread_seconds();
	rounds = mix_until_helped(m, FOREVER);
	used = thread_seconds() - used;
	helped = helpers_seconds(m->u.fd);
	printf("# %d kernels: %.6f s of the thread, which has executed slices for %.6f s\n", rounds,
	       used, helped);
	CHECK(helped > 0);
	/* what interrupts took meanwhile is not the thread's */
	CHECK(used > helped / 2);
	/* the same in calls with a limit, which the actor knows of from the beginning */
	mix_until_helped(m, limit_ns(30));
	mix_until_helped(m, 2000000);
	CHECK(helpers_seconds(m->u.fd) > helped);
	mixer_end(m);
}

static void times_are_the_same(void)
{
	uint64_t took[2][4];

	must_have_helpers();
	for (int n = 0; n < 2; n++) {
		struct mixer *m = mixer_begin(7);
		long long before = by_helpers();

		put(HELPERS, n ? "Y" : "N");
		/* the page that the first one waits for has come when the others begin */
		for (int i = 0; i < 4; i++)
			took[n][i] = must_mix(m);
		if (n)
			mix_until_helped(m, FOREVER);
		else
			CHECK_EQ(by_helpers(), before);
		mixer_end(m);
	}
	for (int i = 1; i < 4; i++)
		CHECK_EQ(took[1][i], took[0][i]);
}

static void *waits_for_host(void *arg)
{
	const struct user *u = arg;

	CHECK_EQ(wait_seq(u->fd, u->queue, 1, FOREVER), 0);
	return NULL;
}

/* A thread waits for its own context, while the kernels of another one are executed. */
static void of_nobody_else(void)
{
	struct user other = { .fd = must_open() };
	struct vgpu_host_done done = { .seq = 1 };
	struct mixer *m;
	double used, helped;
	long long before;
	pthread_t thread;
	clockid_t clock;

	must_have_helpers();
	done.queue = other.queue = must_queue(other.fd);
	must_submit(other.fd, other.queue, &(struct vgpu_cmd){ .op = VGPU_CMD_HOST }, 1);
	CHECK(!pthread_create(&thread, NULL, waits_for_host, &other));
	CHECK(!pthread_getcpuclockid(thread, &clock));
	m = mixer_begin(99);
	usleep(100000);
	before = by_helpers();
	used = clock_seconds(clock);
	/* nobody waits in a call for these */
	for (int i = 0; i < 3; i++) {
		uint64_t seq = mix_begin(m);

		while (completed(m->u.fd, m->u.queue) < seq)
			usleep(1000);
		mix_end(m);
	}
	CHECK_EQ(by_helpers(), before);
	mix_until_helped(m, FOREVER);
	used = clock_seconds(clock) - used;
	helped = helpers_seconds(m->u.fd);
	printf("# executed for %.6f s; another context's thread has used %.6f s\n", helped, used);
	CHECK(helpers_seconds(other.fd) == 0);
	CHECK(used < helped / 10);
	CHECK_EQ(call(other.fd, VGPU_IOC_HOST_DONE, &done), 0);
	CHECK(!pthread_join(thread, NULL));
	mixer_end(m);
	close(other.fd);
}

/* A wait of io_uring's that one of its threads issues: the program's own may do something else. */
static void one_of_io_uring(void)
{
	long long before = by_helpers();
	double end = deadline(50), helped;
	struct io_uring ring;
	struct mixer *m;
	struct cqe cqe;
	uint64_t seq;

	must_have_helpers();
	must_ring(&ring, 8, 0);
	m = mixer_begin(17);
	do {
		seq = mix_begin(m);
		sqe_wait(&ring, m->u.fd, m->u.queue, seq, 0, seq)->flags = IOSQE_ASYNC;
		cqe = must_one(&ring);
		CHECK_EQ(cqe.res, 0);
		CHECK_EQ(cqe.data, seq);
		CHECK_EQ(cqe.more, seq);
		mix_end(m);
		CHECK(seconds_now() < end);
	} while (by_helpers() < before + ENOUGH);
	helped = helpers_seconds(m->u.fd);
	CHECK(helped > 0);
	/* it takes time, and is refused, as any other */
	seq = mix_begin(m);
	sqe_wait(&ring, m->u.fd, m->u.queue, seq + 1, 0, 1)->flags = IOSQE_ASYNC;
	CHECK_EQ(must_one(&ring).res, -EINVAL);
	sqe_wait(&ring, m->u.fd, m->u.queue + 1, 1, 0, 2)->flags = IOSQE_ASYNC;
	CHECK_EQ(must_one(&ring).res, -ENOENT);
	do {
		sqe_wait(&ring, m->u.fd, m->u.queue, seq, 1, 3)->flags = IOSQE_ASYNC;
		cqe = must_one(&ring);
		CHECK(!cqe.res || cqe.res == -ETIME);
		CHECK(seconds_now() < end);
	} while (cqe.res);
	mix_end(m);
	io_uring_queue_exit(&ring);
	mixer_end(m);
}

/* ---- a group with little time ------------------------------------------- */

struct limited {
	uint32_t rounds;
	bool ends;
};

static void *burns(void *arg)
{
	volatile struct limited *l = arg;

	while (!l->ends)
		;
	return NULL;
}

static pid_t start_limited(volatile struct limited *l)
{
	pid_t pid = fork();
	pthread_t thread;
	struct mixer *m;

	CHECK(pid >= 0);
	if (pid)
		return pid;
	group_enter();
	CHECK(!pthread_create(&thread, NULL, burns, (void *)l));
	m = mixer_begin(4);
	while (!l->ends) {
		must_mix_in(m, FOREVER);
		l->rounds++;
	}
	_exit(0);
}

/* Until there have been some kernels, how long a copy of somebody else takes. */
static double copies_beside(const volatile struct limited *l, const char *max)
{
	double end = deadline(8), begin = seconds_now();
	uint32_t before = l->rounds, copies = 0;

	put(GROUP "/cpu.max", max);
	do {
		open_copy_close();
		copies++;
	} while ((l->rounds < before + 2 || seconds_now() < begin + 1) && seconds_now() < end);
	CHECK(l->rounds >= before + 2);
	return (seconds_now() - begin) / copies;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void a_throttled_one_keeps_nobody_waiting(void)
{
	volatile struct limited *l = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double with[3], without[3];
	pid_t pid;

	must_have_helpers();
	CHECK(l != MAP_FAILED);
	group_make("max");
	put(CGROUPS "/cgroup.subtree_control", "+cpu");
	pid = start_limited(l);
	for (int n = 0; n < 3; n++) {
		without[n] = copies_beside(l, "max 100000");
		with[n] = copies_beside(l, "20000 100000");
	}
	put(GROUP "/cpu.max", "max 100000");
	CHECK(number_in(GROUP "/cpu.stat", "nr_throttled ") > 0);
	l->ends = true;
	must_succeed(pid);
	group_remove();
	qsort(with, 3, sizeof(*with), by_value);
	qsort(without, 3, sizeof(*without), by_value);
	printf("# a copy beside %u kernels: %.6f s, with a fifth of a processor for these %.6f s\n",
	       l->rounds, without[1], with[1]);
	CHECK(with[1] <= 3 * without[1]);
}

/* ---- many --------------------------------------------------------------- */

#define MANY	1000

struct crowd {
	struct mixer *m;
	uint64_t seq;
};

/* Some wait until the end, some leave at once. */
static void *waits_in_a_crowd(void *arg)
{
	static const int64_t limits[] = { FOREVER, 0, 1, 1000, 1000000, 60 * SECOND };
	static uint32_t number;
	const struct crowd *c = arg;
	uint32_t n = __atomic_fetch_add(&number, 1, __ATOMIC_RELAXED);
	int ret;

	do
		ret = wait_seq(c->m->u.fd, c->m->u.queue, c->seq,
			       limits[n++ % ARRAY_SIZE(limits)]);
	while (ret == -ETIMEDOUT);
	CHECK_EQ(ret, 0);
	return NULL;
}

static void a_thousand_wait(void)
{
	static pthread_t threads[MANY];
	uint32_t many = scaled(MANY);
	pthread_attr_t attr;
	struct crowd c;

	must_have_helpers();
	c.m = mixer_begin(1);
	c.seq = mix_begin(c.m);
	CHECK(!pthread_attr_init(&attr) && !pthread_attr_setstacksize(&attr, 64 << 10));
	for (uint32_t n = 0; n < many; n++)
		CHECK(!pthread_create(&threads[n], &attr, waits_in_a_crowd, &c));
	for (uint32_t n = 0; n < many; n++)
		CHECK(!pthread_join(threads[n], NULL));
	mix_end(c.m);
	mixer_end(c.m);
}

static const struct test tests[] = {
	{ "helpers: it is their time", it_is_their_time },
	{ "helpers: virtual times are those without them", times_are_the_same },
	{ "helpers: they execute of nobody else", of_nobody_else },
	{ "helpers: a thread of io_uring's is one", one_of_io_uring },
	{ "helpers: one that is throttled keeps nobody waiting",
	  a_throttled_one_keeps_nobody_waiting },
	{ "helpers: a thousand wait", a_thousand_wait },
};

TESTS_MAIN(tests)
