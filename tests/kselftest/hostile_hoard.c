// SPDX-License-Identifier: MIT
/*
 * One user takes all that there is of something, and another one comes. Both are users without
 * privileges; the first has as many processes, files and queues as he is given.
 */
#include <sys/resource.h>

#include "vgpu_bystander.h"
#include "vgpu_clock.h"
#include "vgpu_configfs.h"

#define HOARDER	65534
#define OTHER	65533

/* What the hoarder has got: he says, and then stays until he is killed. */
static volatile uint32_t *got;

/* A process of the hoarder's that does @fn, which fills in *@got, and keeps what it has. */
static pid_t hoard(void (*fn)(void))
{
	const struct rlimit files = { 4096, 4096 };
	pid_t pid;

	got = going_page();
	CHECK(!setrlimit(RLIMIT_NOFILE, &files));
	pid = start_as(HOARDER, fn);
	while (!*got && waitpid(pid, NULL, WNOHANG) == 0)
		usleep(1000);
	CHECK(*got);
	return pid;
}

/* ---- queues ------------------------------------------------------------- */

/* All queues of eight contexts, with kernels that do not end soon and copies behind them. */
static void take_queues(volatile uint32_t *going)
{
	struct vgpu_cmd cmds[2] = { cmd_profiled(100, 1000000000), cmd_fill(BASE, 0, 4, 1) };
	int fds[8];

	for (uint32_t i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = must_open();
		CHECK_EQ(mem_map(fds[i], BASE, PAGE), 0);
		for (uint32_t q = 0; q < VGPU_QUEUES_MAX; q++)
			must_submit(fds[i], must_queue(fds[i]), cmds, 2);
		CHECK_EQ(queue_create(fds[i]), -ENOSPC);
	}
	for (;; usleep(1000))
		++*going;
}

static void queues(void)
{
	must_not_notice("2048 queues with kernels", take_queues);
}

/* ---- contexts ----------------------------------------------------------- */

static void take_contexts(void)
{
	uint32_t count = 0;

	while (open("/dev/vgpu0", O_RDWR | O_CLOEXEC) >= 0)
		count++;
	CHECK_EQ(errno, ENOSPC);
	*got = count;
	pause();
}

static void contexts(void)
{
	pid_t pid = hoard(take_contexts);

	printf("# %u contexts\n", *got);
	CHECK(*got >= 512 && *got < 1000);
	as_user(OTHER, open_copy_close);
	attack_end(pid);
	as_user(HOARDER, open_copy_close);
}

/* ---- device memory ------------------------------------------------------ */

#define MB	(1u << 20)

/* All that it is given, in ever smaller pieces; *@got: in megabytes. */
static void take_memory(void)
{
	int fd = must_open();
	uint64_t all = 0, piece = 1ull << 40;

	while (piece >= PAGE) {
		int ret = mem_map(fd, BASE + all, piece);

		CHECK(!ret || ret == -ENOMEM);
		if (ret)
			piece /= 2;
		else
			all += piece;
	}
	CHECK(must_device_info(fd).vram_free < PAGE);
	*got = (uint32_t)(all / MB);
	pause();
}

static void map_a_little(void)
{
	int fd = must_open();
	uint64_t left = must_device_info(fd).vram_free / PAGE * PAGE;

	CHECK(left >= MB);
	CHECK_EQ(mem_map(fd, BASE, left + PAGE), -ENOMEM);
	CHECK_EQ(mem_map(fd, BASE, left), 0);
	CHECK_EQ(mem_unmap(fd, BASE, left), 0);
	CHECK_EQ(must_device_info(fd).vram_free / PAGE * PAGE, left);
}

static void memory_share(uint32_t percent)
{
	int fd = must_open();
	struct vgpu_device_info info = must_device_info(fd);
	pid_t pid = hoard(take_memory);

	printf("# %u of %llu MiB\n", *got, (unsigned long long)info.vram_bytes / MB);
	CHECK(*got <= info.vram_bytes / MB * percent / 100 &&
	      *got + 1 >= info.vram_bytes / MB * percent / 100);
	as_user(OTHER, map_a_little);
	/* who has CAP_SYS_RESOURCE may have all that is left */
	CHECK_EQ(mem_map(fd, BASE, must_device_info(fd).vram_free / PAGE * PAGE), 0);
	close(fd);
	attack_end(pid);
}

static void memory(void)
{
	char text[32];

	read_text("user_share", text, sizeof(text));
	CHECK_EQ(strcmp(text, "90\n"), 0);
	memory_share(90);
	CHECK_EQ(write_text("user_share", "0"), -EINVAL);
	CHECK_EQ(write_text("user_share", "101"), -EINVAL);
	CHECK_EQ(write_text("user_share", "all"), -EINVAL);
	CHECK_EQ(write_text("user_share", "50"), 0);
	memory_share(50);
	CHECK_EQ(write_text("user_share", "90"), 0);
}

/* ---- how far a clock may be ahead --------------------------------------- */

#define DAY_PS	(24ull * 3600 * 1000000000000)

static void sleep_for_days(void)
{
	int fd = cfs_open("ahead");

	CHECK(fd >= 0);
	*got = 1;
	sleep_until(fd, 100 * DAY_PS);
	_exit(TEST_FAIL);
}

static void run_for_days(void)
{
	struct vgpu_cmd cmd = cmd_profiled(1ull << 40, 3600ull * 1000000000000);
	int fd = cfs_open("ahead");

	CHECK(fd >= 0);
	must_submit(fd, must_queue(fd), &cmd, 1);
	*got = 1;
	pause();
}

/* An hour of virtual time is over soon. */
static void sleep_an_hour(void)
{
	int fd = cfs_open("ahead");

	CHECK_EQ(sleep_until(fd, must_device_info(fd).time + DAY_PS / 24), 0);
}

static void work_an_hour(void)
{
	struct vgpu_cmd cmd = cmd_profiled(1, DAY_PS / 24);
	int fd = cfs_open("ahead");
	uint64_t begin = must_device_info(fd).time;
	uint32_t queue = must_queue(fd);

	must_submit(fd, queue, &cmd, 1);
	CHECK_EQ(wait_seq(fd, queue, 1, limit_ns(60)), 0);
	CHECK(must_device_info(fd).time >= begin + DAY_PS / 24);
}

static void ahead(void (*how)(void), void (*pass_an_hour)(void))
{
	double limit = deadline(60);
	uint64_t time;
	pid_t pid;
	int fd;

	cfs_must_make("ahead");
	fd = cfs_open("ahead");
	pid = hoard(how);
	/* he takes his share at once, and goes on as fast as the wall clock */
	do
		usleep(10000);
	while (must_device_info(fd).time < 8.9 * DAY_PS && seconds_now() < limit);
	usleep(300000);
	time = must_device_info(fd).time;
	printf("# %.4f days\n", (double)time / DAY_PS);
	CHECK(time > 8.9 * DAY_PS && time < 9.1 * DAY_PS);
	as_user(OTHER, pass_an_hour);
	time = must_device_info(fd).time;
	printf("# %.4f days\n", (double)time / DAY_PS);
	CHECK(time < 9.3 * DAY_PS);
	attack_end(pid);
	/* nor has he a new share when he comes back */
	pid = hoard(how);
	usleep(300000);
	CHECK(must_device_info(fd).time < time + DAY_PS / 24);
	as_user(OTHER, pass_an_hour);
	attack_end(pid);
	close(fd);
	CHECK_EQ(cfs_remove("ahead"), 0);
}

static void ahead_by_sleep(void)
{
	ahead(sleep_for_days, work_an_hour);
}

static void ahead_by_kernels(void)
{
	ahead(run_for_days, sleep_an_hour);
}

static const struct test tests[] = {
	{ "hostile_hoard: queues", queues },
	{ "hostile_hoard: contexts", contexts },
	{ "hostile_hoard: device memory", memory },
	{ "hostile_hoard: a clock ahead by a sleep", ahead_by_sleep },
	{ "hostile_hoard: a clock ahead by kernels", ahead_by_kernels },
};

TESTS_MAIN(tests)
