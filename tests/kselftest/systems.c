// SPDX-License-Identifier: MIT
/*
 * Systems: devices that share one clock and one actor. Folders "one" and "two" are in system
 * "pair", "apart" is alone.
 */
#include <sys/wait.h>

#include "vgpu_clock.h"
#include "vgpu_configfs.h"

static void device_make(const char *device, const char *system)
{
	CHECK_EQ(cfs_make(device), 0);
	CHECK_EQ(cfs_put(device, "system", system), 0);
	CHECK_EQ(cfs_put(device, "vram_bytes", "16777216"), 0);
	CHECK_EQ(cfs_put(device, "live", "1"), 0);
}

/* Both devices of "pair"; the clock that functions of vgpu_clock.h mean is theirs. */
static void pair_make(void)
{
	device_make("one", "pair");
	device_make("two", "pair\n");
	snprintf(clock_device, sizeof(clock_device), "%s", cfs_get("one", "dev_name"));
}

static void pair_remove(void)
{
	CHECK_EQ(cfs_remove("one"), 0);
	CHECK_EQ(cfs_remove("two"), 0);
}

static int must_open_at(const char *device)
{
	int fd = cfs_open(device);

	CHECK(fd >= 0);
	return fd;
}

/* What "clock" of @device says is selected. */
static const char *clock_of(const char *device)
{
	static char text[128];
	char *mode;

	snprintf(clock_device, sizeof(clock_device), "%s", cfs_get(device, "dev_name"));
	read_text("clock", text, sizeof(text));
	mode = strchr(text, '[');
	CHECK(mode && strchr(mode, ']'));
	*strchr(mode, ']') = 0;
	return mode + 1;
}

static void one_clock(void)
{
	char text[64];
	uint64_t time;
	int fd[2], apart;

	pair_make();
	device_make("apart", "\n");
	CHECK(!strcmp(cfs_get("one", "system"), "pair"));
	CHECK(!strcmp(cfs_get("apart", "system"), ""));
	read_text("system", text, sizeof(text));
	CHECK(!strcmp(text, "pair\n"));
	fd[0] = must_open_at("one");
	fd[1] = must_open_at("two");
	apart = must_open_at("apart");
	for (int i = 0; i < 4; i++) {
		struct vgpu_cmd cmd = cmd_profiled(1, 5 * MS);

		must_run(fd[i % 2], must_queue(fd[i % 2]), &cmd, 1);
		time = must_device_info(fd[i % 2]).time;
		CHECK(time >= (uint64_t)(i + 1) * 5 * MS);
		CHECK_EQ(must_device_info(fd[!(i % 2)]).time, time);
	}
	CHECK_EQ(must_device_info(apart).time, 0);
	/* its modes too: either device sets them */
	clock_is("lockstep");
	CHECK(!strcmp(clock_of("two"), "lockstep"));
	clock_is("free");
	CHECK(!strcmp(clock_of("one"), "free"));
	CHECK(!strcmp(clock_of("apart"), "free"));
	close(fd[0]);
	close(fd[1]);
	close(apart);
	pair_remove();
	CHECK_EQ(cfs_remove("apart"), 0);
}

/*
 * A process that uses both takes part once: while it waits for one device it does not hold up the
 * other, and kernels on both take the time of the longer one.
 */
static void one_process_with_both(void)
{
	struct vgpu_fence fence;
	struct vgpu_wait_any answer;
	uint64_t start, seq[2];
	uint32_t queue[2];
	int fd[2];

	pair_make();
	clock_is("lockstep");
	fd[0] = must_open_at("one");
	fd[1] = must_open_at("two");
	for (int i = 0; i < 2; i++)
		queue[i] = must_queue(fd[i]);
	for (int round = 0; round < 3; round++) {
		start = virtual_now();
		seq[0] = must_start(fd[0], queue[0], 2 * MS);
		seq[1] = must_start(fd[1], queue[1], 5 * MS);
		usleep(20000);
		CHECK_EQ(virtual_now(), start);
		CHECK_EQ(wait_seq(fd[0], queue[0], seq[0], FOREVER), 0);
		CHECK(virtual_now() - start >= 2 * MS && virtual_now() - start < 3 * MS);
		usleep(20000);
		CHECK_EQ(completed(fd[1], queue[1]), (uint64_t)round);
		fence = (struct vgpu_fence){ .queue = queue[1], .seq = seq[1] };
		CHECK_EQ(wait_any(fd[1], &fence, 1, NEVER, &answer), 0);
		CHECK_EQ(answer.which, 0);
		CHECK(virtual_now() - start >= 5 * MS && virtual_now() - start < 6 * MS);
	}
	close(fd[0]);
	/* it takes part still */
	start = virtual_now();
	seq[1] = must_start(fd[1], queue[1], MS);
	usleep(20000);
	CHECK_EQ(virtual_now(), start);
	CHECK_EQ(wait_seq(fd[1], queue[1], seq[1], FOREVER), 0);
	close(fd[1]);
	clock_is("free");
	pair_remove();
}

struct log {
	uint32_t count;
	struct { uint64_t time; uint32_t who; } entry[64];
};

#define ROUNDS	8

/* Kernels of @ps one after the other; says when each is done. */
static void ticker(struct log *log, uint32_t who, const char *device, uint64_t ps)
{
	int fd = must_open_at(device);
	uint32_t queue = must_queue(fd);

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t seq = must_start(fd, queue, ps);
		uint32_t at;

		CHECK_EQ(wait_seq(fd, queue, seq, FOREVER), 0);
		at = __atomic_fetch_add(&log->count, 1, __ATOMIC_SEQ_CST);
		CHECK(at < ARRAY_SIZE(log->entry));
		log->entry[at].who = who;
		log->entry[at].time = must_device_info(fd).time;
		usleep(rand() % 3000);	/* real time makes no difference */
	}
}

/* Four processes on two devices in lockstep. */
static void tickers_run(struct log *log)
{
	static const char *const device[4] = { "one", "two", "two", "one" };
	static const uint64_t ps[4] = { 70 * US, 50 * US, 110 * US, 30 * US };
	int fd = must_open_at("one"), seats[4];
	pid_t pids[4];
	int go[4][2];

	for (int i = 0; i < 4; i++) {
		CHECK(!pipe(go[i]));
		pids[i] = fork();
		CHECK(pids[i] >= 0);
		if (!pids[i]) {
			char byte;

			srand((unsigned int)getpid());
			/* seats and files of who started it are not its own */
			close(fd);
			for (int k = 0; k < i; k++)
				close(seats[k]);
			CHECK(read(go[i][0], &byte, 1) == 1);
			ticker(log, (uint32_t)i, device[i], ps[i]);
			_exit(0);
		}
		/* made by one device, they are for the whole system */
		seats[i] = seat_create(fd, pids[i], 0);
		CHECK(seats[i] >= 0);
	}
	for (int i = 0; i < 4; i++) {
		struct pollfd blocked = { .fd = seats[i], .events = POLLIN };

		CHECK(write(go[i][1], "", 1) == 1);
		CHECK(poll(&blocked, 1, 60000) == 1);
	}
	for (int n = 0; n < 4; n++) {
		int i = must_end_next(pids, 4);

		CHECK_EQ(must_context_info(seats[i]).kernels, ROUNDS);
		close(seats[i]);
	}
	for (int i = 0; i < 4; i++) {
		close(go[i][0]);
		close(go[i][1]);
	}
	close(fd);
}

/* What happens on two devices happens at the same times and in the same order each time. */
static void lockstep_repeats(void)
{
	struct log *log[3];

	for (size_t n = 0; n < ARRAY_SIZE(log); n++) {
		log[n] = shared_page();
		pair_make();
		clock_is("lockstep");
		tickers_run(log[n]);
		clock_is("free");
		pair_remove();
		CHECK_EQ(log[n]->count, 4 * ROUNDS);
		for (uint32_t i = 1; i < log[n]->count; i++)
			CHECK(log[n]->entry[i].time >= log[n]->entry[i - 1].time);
		CHECK(!memcmp(log[n], log[0], sizeof(*log[0])));
	}
}

/* One device goes, in use or not; the other does not notice. The name is free with the last. */
static void devices_come_and_go(void)
{
	struct vgpu_cmd cmd = cmd_profiled(1, MS);
	uint32_t queue[2];
	uint64_t time;
	int fd[2];

	pair_make();
	fd[0] = must_open_at("one");
	fd[1] = must_open_at("two");
	for (int i = 0; i < 2; i++)
		queue[i] = must_queue(fd[i]);
	must_run(fd[0], queue[0], &cmd, 1);
	CHECK_EQ(cfs_put("two", "system", "other"), -EBUSY);
	CHECK_EQ(cfs_remove("one"), 0);
	for (int i = 0; i < 2; i++)
		must_run(fd[i], queue[i], &cmd, 1);
	/* in the middle of a kernel that takes long, too */
	must_start(fd[0], queue[0], 1000000 * MS);
	close(fd[0]);
	must_run(fd[1], queue[1], &cmd, 1);
	time = must_device_info(fd[1]).time;
	CHECK(time >= 4 * MS);
	/* who comes later comes at the present time */
	device_make("one", "pair");
	fd[0] = must_open_at("one");
	CHECK_EQ(must_device_info(fd[0]).time, time);
	close(fd[0]);
	close(fd[1]);
	pair_remove();
	pair_make();
	fd[0] = must_open_at("one");
	CHECK_EQ(must_device_info(fd[0]).time, 0);
	close(fd[0]);
	pair_remove();
}

static void names(void)
{
	static const char *const wrong[] = { "0123456789abcdef", "a b", "a/b", "a\xc3\xa4" };

	CHECK_EQ(cfs_make("named"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		CHECK_EQ(cfs_put("named", "system", wrong[i]), -EINVAL);
	CHECK(!strcmp(cfs_get("named", "system"), ""));
	CHECK_EQ(cfs_put("named", "system", "0123456789abc-_\n"), 0);
	CHECK(!strcmp(cfs_get("named", "system"), "0123456789abc-_"));
	CHECK_EQ(cfs_put("named", "system", "\n"), 0);
	CHECK(!strcmp(cfs_get("named", "system"), ""));
	CHECK_EQ(cfs_remove("named"), 0);
}

static void on_both(void)
{
	struct vgpu_cmd cmds[4];

	for (int n = 0; n < 4; n++)
		cmds[n] = cmd_profiled(100, 10 * US);
	for (int n = 0; n < 60; n++) {
		int fd = must_open_at(n % 2 ? "one" : "two");
		uint32_t queue = must_queue(fd);
		uint64_t seq = must_submit(fd, queue, cmds, 4);

		if (n % 3)
			CHECK_EQ(wait_seq(fd, queue, seq, FOREVER), 0);
		close(fd);
	}
}

/* Two processes on both devices; a third device joins and leaves meanwhile. */
static void join_and_leave_under_load(void)
{
	pid_t pids[2];

	pair_make();
	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		CHECK(pids[i] >= 0);
		if (!pids[i]) {
			on_both();
			_exit(0);
		}
	}
	for (int i = 0; i < 30; i++) {
		device_make("third", "pair");
		CHECK_EQ(cfs_remove("third"), 0);
	}
	for (int i = 0; i < 2; i++)
		must_end_well(pids[i]);
	pair_remove();
}

static const struct test tests[] = {
	{ "systems: devices of one name share one clock", one_clock },
	{ "systems: a process that uses two devices in lockstep", one_process_with_both },
	{ "systems: two devices in lockstep repeat themselves", lockstep_repeats },
	{ "systems: devices come and go", devices_come_and_go },
	{ "systems: names", names },
	{ "systems: devices join and leave under load", join_and_leave_under_load },
};

int main(int argc, char **argv)
{
	static const char *const folders[] = { "one", "two", "third", "apart", "named" };
	int ret = tests_main(argc, argv, tests, ARRAY_SIZE(tests));

	/* a test that failed may have left some */
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		cfs_remove(folders[i]);
	return ret;
}
