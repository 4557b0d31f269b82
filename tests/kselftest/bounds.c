// SPDX-License-Identifier: MIT
/*
 * What a process can make the kernel hold or compute is bounded: states of thread blocks, modules,
 * seats, waiters; and times at the end of what 64 bits can say.
 */
#include <sys/resource.h>

#include "vgpu_asm.h"
#include "vgpu_clock.h"
#include "vgpu_configfs.h"
#include "vgpu_group.h"

/* ---- memory of the machine ---------------------------------------------- */

/* The machine always had some memory left. */
static void must_have_left_some(pthread_t thread)
{
	watch_end(thread);
	printf("# %ld of %ld KiB were left\n", least, meminfo("MemTotal:"));
	CHECK(least > meminfo("MemTotal:") / 64);
}

/* Take all memory but @kb, so that the rest is soon used up. */
static void hog(long kb)
{
	size_t bytes = (size_t)(meminfo("MemAvailable:") - kb) * 1024;
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	CHECK(memory != MAP_FAILED);
}

/* 32 MiB of local memory a block, for as many blocks as the SMs take. */
static void states_of_blocks(void)
{
	struct program p = {};
	int fd = must_open(), other;
	uint32_t queue = must_queue(fd), index = kernel_endless(&p), module;
	struct vgpu_cmd cmd;
	pthread_t watcher;
	double until = seconds_now() + 20;

	hog(300 << 10);
	watcher = watch();
	p.kernels[index].local_bytes = VGPU_VASS_MAX_LOCAL;
	module = must_load(fd, &p);
	cmd = cmd_launch(module, index, 65536, 64, NULL, 0);
	must_submit(fd, queue, &cmd, 1);
	while (!must_context_info(fd).dead && seconds_now() < until)
		usleep(20000);
	if (must_context_info(fd).dead)
		CHECK_EQ(must_context_info(fd).fault.reason, VGPU_FAULT_NO_MEMORY);
	close(fd);
	must_have_left_some(watcher);

	memset(&p, 0, sizeof(p));
	kernel_affine(&p);
	other = must_open();
	queue = must_queue(other);
	module = must_load(other, &p);
	CHECK_EQ(mem_map(other, BASE, 1 << 20), 0);
	must_compute(other, queue, module, 0, BASE, 10, 3, 4);
}

/* 64 MiB of modules in each of as many contexts as there can be. */
static void modules_of_many_contexts(void)
{
	const struct rlimit files = { 2048, 2048 };
	uint32_t bytes = VGPU_VASS_MAX_BYTES, loaded = 0;
	struct program p = {};
	struct binary *big =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t watcher;
	int fd, ret = 0;

	CHECK(big != MAP_FAILED);
	CHECK(!setrlimit(RLIMIT_NOFILE, &files));
	hog(200 << 10);
	watcher = watch();
	kernel_endless(&p);
	program_binary(&p, big);
	big->header.total_bytes = bytes;
	while (ret != -ENOMEM && (fd = open(DEVICE, O_RDWR)) >= 0)
		for (int i = 0; i < 4; i++) {
			ret = module_load(fd, big, bytes, NULL, 0);
			CHECK(ret > 0 || ret == -ENOMEM || ret == -ENOSPC);
			loaded += ret > 0;
		}
	printf("# %u MiB of modules\n", loaded * 16);
	must_have_left_some(watcher);
}

/* ---- control groups ----------------------------------------------------- */

/*
 * What a process has written of device memory is charged to its group, and ends with the group's
 * limit.
 */
static void control_group(void)
{
	struct vgpu_cmd small = cmd_fill(BASE, 1, 1, 16 << 20),
			large = cmd_fill(BASE, 1, 1, 64 << 20);
	long long before, after;
	uint32_t queue;
	int fd, ret;

	group_make("48M");
	group_enter();
	fd = must_open();
	/* who opened it pays; a page more of this process would be the group's end */
	group_leave();
	queue = must_queue(fd);
	CHECK_EQ(mem_map(fd, BASE, 64 << 20), 0);
	before = group_bytes();
	must_run(fd, queue, &small, 1);
	after = group_bytes();
	ret = wait_seq(fd, queue, must_submit(fd, queue, &large, 1), limit_ns(30));
	printf("# %lld KiB charged for 16 MiB; then %d\n", (after - before) >> 10, ret);
	CHECK_EQ(ret, -EIO);
	CHECK_EQ(must_context_info(fd).fault.reason, VGPU_FAULT_NO_MEMORY);
	close(fd);
	CHECK(after - before >= 15 << 20);
	group_remove();
}

/* ---- the clock ---------------------------------------------------------- */

/* Somebody sleeps until a time that the slowest clock reaches when the universe is old. */
static void times_far_away(void)
{
	static const uint64_t times[] = { 1ull << 63, ~0ull - 1, ~0ull - 2, 1ull << 54 };
	int fd = must_open(), status;
	pid_t pid;

	clock_is("paced");
	CHECK_EQ(write_text("time_factor", "0.000001"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		pid = fork();
		CHECK(pid >= 0);
		if (!pid)
			_exit(sleep_until(fd, times[i]));
		usleep(100000);
		must_device_info(fd);
		CHECK(!kill(pid, SIGKILL));
		CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	}
	CHECK_EQ(write_text("time_factor", "1"), 0);
	clock_is("free");
}

#define DAY_PS	(24ull * 3600 * 1000000000000)
#define HOUR_PS	(DAY_PS / 24)

/* Somebody sleeps until the end of time; others run kernels of an hour, one after the other. */
static void drive(const char *device, const char *clock)
{
	static const uint64_t far[] = { 1ull << 63, ~0ull - 1, 12 * DAY_PS, 213 * DAY_PS };
	struct vgpu_cmd hours[VGPU_SUBMIT_MAX];
	char path[300];
	int status;

	snprintf(path, sizeof(path), "/sys/class/vgpu/%s/clock", cfs_get(device, "dev_name"));
	status = open(path, O_WRONLY);
	CHECK(write(status, clock, strlen(clock)) == (ssize_t)strlen(clock));
	close(status);
	for (size_t i = 0; i < ARRAY_SIZE(far) + 1; i++) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (!pid) {
			int fd = cfs_open(device);
			uint32_t queue;

			if (i < ARRAY_SIZE(far))
				_exit(sleep_until(fd, far[i]));
			queue = must_queue(fd);
			for (i = 0; i < VGPU_SUBMIT_MAX; i++)
				hours[i] = cmd_profiled(1, HOUR_PS);
			for (i = 0; i < 20; i++)
				must_submit(fd, queue, hours, VGPU_SUBMIT_MAX);
			_exit(wait_seq(fd, queue, 20 * VGPU_SUBMIT_MAX, FOREVER));
		}
		usleep(200000);
		CHECK(!kill(pid, SIGKILL));
		CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	}
}

/* The clock stands far from its end, and the device does its work. */
static void end_of_time(void)
{
	static const char *const clocks[] = { "free", "lockstep", "free" };
	struct program p = {};
	uint64_t time;
	uint32_t queue, module;
	int fd;

	cfs_must_make("time");
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		drive("time", clocks[i]);
	fd = cfs_open("time");
	time = must_device_info(fd).time;
	printf("# %.2f days\n", (double)time / DAY_PS);
	CHECK(time > 9 * DAY_PS && time < 11 * DAY_PS);
	kernel_affine(&p);
	queue = must_queue(fd);
	module = must_load(fd, &p);
	CHECK_EQ(mem_map(fd, BASE, 1 << 20), 0);
	for (uint32_t i = 0; i < 5; i++)
		must_compute(fd, queue, module, 0, BASE, 10, 3, i);
	/* who sleeps does it as long as on a wall */
	CHECK_EQ(sleep_until(fd, must_device_info(fd).time + DAY_PS / 24 / 3600 / 10), 0);
	close(fd);
	CHECK_EQ(cfs_remove("time"), 0);
}

static void seats(void)
{
	const struct rlimit files = { 2048, 2048 };
	struct vgpu_seat_create create = {};
	int fd = must_open(), ret, count = 0;

	CHECK(!setrlimit(RLIMIT_NOFILE, &files));
	while (!(ret = call(fd, VGPU_IOC_SEAT_CREATE, &create)))
		count++;
	CHECK_EQ(ret, -ENOSPC);
	CHECK_EQ(count, 1024);
	CHECK(!close(create.fd));
	CHECK_EQ(call(fd, VGPU_IOC_SEAT_CREATE, &create), 0);
}

/* ---- waiters ------------------------------------------------------------ */

#define WAITERS	100
#define QUEUES	4

static struct vgpu_fence fences[VGPU_FENCES_MAX];
static int waiting_fd;

static void *wait_main(void *unused)
{
	struct vgpu_wait_any wait = { .fences = (uintptr_t)fences,
				      .count = VGPU_FENCES_MAX,
				      .until = ~0ull };

	CHECK_EQ(call(waiting_fd, VGPU_IOC_WAIT_ANY, &wait), -EIO);
	return unused;
}

/*
 * As many commands end at once as there can be, while many threads wait for many of the last ones.
 */
static void many_waiters(void)
{
	struct vgpu_cmd cmds[VGPU_SUBMIT_MAX];
	uint32_t busy, queues[QUEUES];
	pthread_t threads[WAITERS];
	uint64_t last = 0;
	double begin;

	waiting_fd = must_open_busy(&busy);
	for (int q = 0; q < QUEUES; q++) {
		queues[q] = must_queue(waiting_fd);
		for (uint32_t i = 0; i < VGPU_SUBMIT_MAX; i++)
			cmds[i] = cmd_nop();
		cmds[0] = cmd_wait(busy, 1);
		for (int i = 0; i < 63; i++) {
			last = must_submit(waiting_fd, queues[q], cmds, VGPU_SUBMIT_MAX);
			cmds[0] = cmd_nop();
		}
	}
	for (uint32_t i = 0; i < VGPU_FENCES_MAX; i++)
		fences[i] = (struct vgpu_fence){ .queue = queues[i % QUEUES], .seq = last };
	for (int i = 0; i < WAITERS; i++)
		CHECK(!pthread_create(&threads[i], NULL, wait_main, NULL));
	usleep(500000);
	begin = seconds_now();
	CHECK_EQ(write_text("watchdog_us", "1"), 0);
	for (int i = 0; i < WAITERS; i++)
		pthread_join(threads[i], NULL);
	printf("# woken after %.1f s\n", seconds_now() - begin);
	CHECK(seconds_now() - begin < 10 * machine_slowness());
	CHECK_EQ(write_text("watchdog_us", "0"), 0);
}

static const struct test tests[] = {
	{ "bounds: states of blocks leave the machine memory", states_of_blocks },
	{ "bounds: modules of many contexts leave the machine memory", modules_of_many_contexts },
	{ "bounds: device memory is charged to its control group", control_group },
	{ "bounds: sleeping until times far away on a slow clock", times_far_away },
	{ "bounds: nobody drives the clock to its end", end_of_time },
	{ "bounds: seats", seats },
	{ "bounds: many waiters for many fences", many_waiters },
};

TESTS_MAIN(tests)
