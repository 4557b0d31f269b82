// SPDX-License-Identifier: MIT
/*
 * A random driver of everything that a process can do to the module: ioctls, io_uring commands,
 * mapped rings, sysfs, debugfs, configfs and netlink, by several processes of several threads that
 * share files among each other, with and without privileges, some of them killed. After each round
 * the device must run a correct program and hold nothing.
 *
 * Seeds are fixed. With VGPU_STRESS_SECONDS=N (make stress) it goes on for so long, from
 * VGPU_STRESS_SEED or from the clock; it says before each round how to have that one again. What
 * threads do depends on each other's timing: the same seed is the same mixture, not the same run.
 */
#include <sys/prctl.h>

#include "random_files.h"
#include "random_ioctl.h"
#include "random_managed.h"
#include "random_netlink.h"
#include "random_ring.h"
#include "random_uring.h"

#define PROCESSES	3
#define THREADS		3
#define ROUND_SECONDS	6.0
#define NOBODY		65534
#define BELL_US		5000
#define LEAST		20		/* what a process does before it is killed */
#define ARENA_ADDRESS	0x100000000000ull
#define VIEWS_ADDRESS	0x110000000000ull

enum way { IOCTL, URING, RING, MANAGED, NETLINK, FILES_OF_SYSFS, CONFIGFS_FOLDERS, WAYS };

/* By all processes. */
static struct {
	unsigned long gone[WAYS];	/* how often each way was gone */
	unsigned long done[PROCESSES];	/* by the present ones */
} *counts;

static enum way some_way(struct thread *t)
{
	uint64_t n = pick(t, 64);

	if (n < 28)
		return IOCTL;
	if (n < 34)
		return MANAGED;
	if (n < 46)
		return URING;
	if (n < 60)
		return RING;
	return NETLINK + n % 4 % 3;	/* twice as often a message */
}

static void *thread_main(void *arg)
{
	struct random_netlink *netlink = calloc(1, sizeof(*netlink));
	struct paths *paths = calloc(1, sizeof(*paths));
	struct random_uring uring = {};
	struct thread *t = arg;
	enum way way;

	CHECK(netlink && paths);
	for (;;) {
		way = some_way(t);
		__atomic_fetch_add(&counts->gone[way], 1, __ATOMIC_RELAXED);
		switch (way) {
		case IOCTL: random_ioctl(t); break;
		case URING: random_uring(t, &uring); break;
		case RING: random_ring(t); break;
		case MANAGED: random_managed(t); break;
		case NETLINK: random_netlink(t, netlink); break;
		case FILES_OF_SYSFS: random_files(t, paths); break;
		default: random_configfs(t);
		}
		__atomic_fetch_add(t->process->done, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void nothing(int number)
{
	(void)number;
}

/* Whatever sleeps is woken by a signal over and over. */
static void ring_bell(const pthread_t threads[THREADS])
{
	for (;;) {
		usleep(BELL_US);
		for (int i = 0; i < THREADS; i++)
			pthread_kill(threads[i], SIGUSR1);
	}
}

/*
 * What has holes, or gets them, lies where the kernel maps nothing of its own accord: a ring in
 * such a hole would go with the next view that is mapped over it.
 */
static uint8_t *region_map(uintptr_t address, size_t pages, int prot)
{
	void *region = mmap((void *)address, pages * PAGE, prot,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	CHECK(region == (void *)address);
	return region;
}

static void process_main(uint64_t seed, const int pass[2], unsigned long *done)
{
	static struct process process;
	static struct thread thread[THREADS];
	struct sigaction ignored = { .sa_handler = nothing };
	pthread_t threads[THREADS];

	CHECK(!sigaction(SIGUSR1, &ignored, NULL));
	/* an inherited write to a closed pipe or the like is no reason to end */
	signal(SIGPIPE, SIG_IGN);
	process.root = rnd(&seed) % 2;
	process.pass[0] = pass[0];
	process.pass[1] = pass[1];
	process.done = done;
	process.arena = region_map(ARENA_ADDRESS, ARENA_PAGES, PROT_READ | PROT_WRITE);
	process.views = region_map(VIEWS_ADDRESS, VIEW_PAGES + 4, PROT_NONE);
	memcpy(process.arena + PARAMS_PAGE * PAGE,
	       (struct affine_params[]){ { .out = BASE, .factor = 3 },
					 { .out = (uintptr_t)process.arena, .factor = 5 } },
	       2 * sizeof(struct affine_params));
	CHECK(!munmap(process.arena + (ARENA_PAGES - 2) * PAGE, PAGE));
	CHECK(!mprotect(process.arena + (ARENA_PAGES - 1) * PAGE, PAGE, PROT_READ));
	if (!process.root)
		CHECK(!setgid(NOBODY) && !setuid(NOBODY));
	/* behind what would clear it */
	CHECK(!prctl(PR_SET_PDEATHSIG, SIGKILL));
	for (int i = 0; i < THREADS; i++)
		thread[i] = (struct thread){ .process = &process, .seed = rnd(&seed) };
	for (int i = 0; i < FILES; i++) {
		process.files[i] = fresh_file(&thread[0], (size_t)i);
		if (process.files[i] < 0)
			process.files[i] = open("/dev/null", O_RDWR);
		/* the number stays taken */
		process.files[i] = fcntl(process.files[i], F_DUPFD, 100);
	}
	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, thread_main, &thread[i]));
	ring_bell(threads);
}

static pid_t process_start(int i, uint64_t seed, const int pass[2])
{
	pid_t pid;

	counts->done[i] = 0;
	pid = fork();
	CHECK(pid >= 0);
	if (!pid)
		process_main(seed, pass, &counts->done[i]);
	return pid;
}

/* Whether it has ended by itself, which process_end() judges. */
static bool process_ended(pid_t pid)
{
	siginfo_t info = {};

	CHECK(!waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT));
	return info.si_pid == pid;
}

/* Process @i has done something: on a kernel that checks, to begin takes seconds. */
static void process_works(int i, pid_t pid)
{
	double end = deadline(TEST_SECONDS / 2);

	while (__atomic_load_n(&counts->done[i], __ATOMIC_RELAXED) < LEAST && !process_ended(pid)) {
		CHECK(seconds_now() < end);
		usleep(5000);
	}
}

/*
 * A process whose ring is not there any more ends by itself, when a thread uses the ring. No
 * other end than these: a check that failed in the process is one of the test.
 */
static bool process_end(pid_t pid)
{
	int status;

	CHECK(!kill(pid, SIGKILL));
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status));
	if (WTERMSIG(status) == SIGKILL)
		return false;
	CHECK(WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS);
	return true;
}

/* ---- before and after --------------------------------------------------- */

static void knobs_restore(void)
{
	char now[sizeof(knobs[0].value)];

	for (uint32_t i = 0; i < knob_count; i++) {
		file_write(knobs[i].path, knobs[i].value);
		CHECK(knob_read(knobs[i].path, now, sizeof(now)));
		if (strcmp(now, knobs[i].value))
			printf("# %s was %s, is %s\n", knobs[i].path, knobs[i].value, now);
		CHECK(!strcmp(now, knobs[i].value));
	}
	file_write("/sys/kernel/debug/vgpu/0/trace_on", "0");
	file_write("/sys/kernel/tracing/events/vgpu/enable", "0");
}

static void must_work(void)
{
	struct program p = {};
	int fd = must_open();
	uint32_t index = kernel_affine(&p), module = must_load(fd, &p);

	CHECK_EQ(mem_map(fd, BASE, 1 << 20), 0);
	must_compute(fd, must_queue(fd), module, index, BASE, 20, 3, 1);
	close(fd);
}

static long long sysfs_number(const char *name)
{
	char path[160], text[64];

	snprintf(path, sizeof(path), SYSFS "/%s", name);
	CHECK(file_read(path, text, sizeof(text)) > 0);
	return atoll(text);
}

/* ---- rounds ------------------------------------------------------------- */

static void drive(uint64_t seed, double seconds)
{
	long long events = sysfs_number("events"), preemptions = sysfs_number("preemptions");
	static struct paths paths;
	pid_t pids[PROCESSES];
	int pass[2], kills = 0, without_ring = 0;
	char name[16];
	double end;
	uint8_t *pages = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(pages != MAP_FAILED);
	/* a copy to a ring may go on into what is mapped behind it: not into this */
	counts = (void *)(pages + PAGE);
	CHECK(!mprotect(counts, PAGE, PROT_READ | PROT_WRITE));
	paths_find(&paths);
	knobs_keep(&paths, SYSFS);
	CHECK(knob_count > 3);
	/* endless kernels end */
	file_write(SYSFS "/watchdog_us", "20");
	CHECK(!socketpair(AF_UNIX, SOCK_DGRAM, 0, pass));
	for (int i = 0; i < PROCESSES; i++)
		pids[i] = process_start(i, rnd(&seed), pass);
	for (end = seconds_now() + seconds; seconds_now() < end;) {
		int i = (int)(rnd(&seed) % PROCESSES);

		process_works(i, pids[i]);
		usleep((useconds_t)(rnd(&seed) % 800000));
		without_ring += process_end(pids[i]);
		kills++;
		pids[i] = process_start(i, rnd(&seed), pass);
	}
	for (int i = 0; i < PROCESSES; i++)
		CHECK(!kill(pids[i], SIGKILL));
	for (int i = 0; i < PROCESSES; i++)
		without_ring += process_end(pids[i]);
	/* with what is on its way from one to another */
	close(pass[0]);
	close(pass[1]);
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "random-%d", i);
		cfs_remove(name);
	}
	printf("# %d kills, %d ended without a ring; %lu ioctls, %lu of io_uring, %lu of rings, "
	       "%lu of views, %lu messages, %lu files, %lu of configfs\n",
	       kills, without_ring, counts->gone[IOCTL], counts->gone[URING], counts->gone[RING],
	       counts->gone[MANAGED], counts->gone[NETLINK], counts->gone[FILES_OF_SYSFS],
	       counts->gone[CONFIGFS_FOLDERS]);
	printf("# %lld events of the device, %lld preemptions\n", sysfs_number("events") - events,
	       sysfs_number("preemptions") - preemptions);
	knobs_restore();
	must_work();
	for (int i = 0; i < 500 && sysfs_number("context_count"); i++)
		usleep(10000);
	CHECK_EQ(sysfs_number("context_count"), 0);
	/* messages may have injected errors, and so may other tests before */
	CHECK_EQ(sysfs_number("vram_free") + 4096 * sysfs_number("retired_pages"),
		 sysfs_number("vram_bytes"));
}

static void seed_1(void)
{
	drive(1, ROUND_SECONDS);
}

static void seed_2(void)
{
	drive(2000003, ROUND_SECONDS);
}

static void seed_3(void)
{
	drive(777, ROUND_SECONDS);
}

static uint64_t stress_seed;

static void stress_round(void)
{
	drive(stress_seed, 20);
}

static int stress(double seconds)
{
	const char *seed = getenv("VGPU_STRESS_SEED");
	double end = seconds_now() + seconds;
	struct test round = { "stress", stress_round };
	char before[1024];

	counts_read(before, sizeof(before));
	for (stress_seed = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL);
	     seconds_now() < end; stress_seed++) {
		printf("# the next round again: make stress SEED=%llu SECONDS=20\n",
		       (unsigned long long)stress_seed);
		if (test_run(&round) != TEST_PASS || test_leaked(before)) {
			printf("not ok - seed %llu\n", (unsigned long long)stress_seed);
			return 1;
		}
		printf("ok - seed %llu\n", (unsigned long long)stress_seed);
	}
	return 0;
}

static const struct test tests[] = {
	{ "random: seed 1", seed_1 },
	{ "random: seed 2000003", seed_2 },
	{ "random: seed 777", seed_3 },
};

int main(int argc, char **argv)
{
	const char *seconds = getenv("VGPU_STRESS_SECONDS");

	return seconds ? stress(strtod(seconds, NULL)) :
			 tests_main(argc, argv, tests, ARRAY_SIZE(tests));
}
