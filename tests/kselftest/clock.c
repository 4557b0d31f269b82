// SPDX-License-Identifier: MIT
/*
 * How virtual time passes: the clock modes, waits for several fences and for a virtual time, seats,
 * and that whoever holds a lockstep clock holds it no longer than it lives.
 */
#include <pthread.h>
#include <sys/poll.h>

#include "vgpu_client.h"

#define SYSFS		"/sys/class/vgpu/vgpu0/"
#define US		1000000ull	/* of virtual picoseconds */
#define MS		(1000 * US)
#define NEVER		(~0ull)

static int write_text(const char *name, const char *text)
{
	char path[256];
	int fd, ret = 0;

	snprintf(path, sizeof(path), SYSFS "%s", name);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static void read_text(const char *name, char *text, size_t size)
{
	char path[256];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), SYSFS "%s", name);
	fd = open(path, O_RDONLY);
	CHECK(fd >= 0);
	n = read(fd, text, size - 1);
	CHECK(n >= 0);
	text[n] = 0;
	close(fd);
}

static void clock_is(const char *mode)
{
	CHECK_EQ(write_text("clock", mode), 0);
}

static uint64_t virtual_now(void)
{
	char text[64];

	read_text("time_ps", text, sizeof(text));
	return strtoull(text, NULL, 10);
}

static int wait_any(int fd, const struct vgpu_fence *fences, uint32_t count, uint64_t until,
		    struct vgpu_wait_any *answer)
{
	*answer = (struct vgpu_wait_any){ .fences = (uintptr_t)fences,
					  .count = count,
					  .until = until };
	return call(fd, VGPU_IOC_WAIT_ANY, answer);
}

/* Sleep until virtual time @until; returns the time. */
static uint64_t must_sleep(int fd, uint64_t until)
{
	struct vgpu_wait_any answer;

	CHECK_EQ(wait_any(fd, NULL, 0, until, &answer), 0);
	CHECK_EQ(answer.which, VGPU_FENCE_NONE);
	return answer.time;
}

static int seat_create(int fd, pid_t pid, int priority)
{
	struct vgpu_seat_create create = { .pid = pid, .priority = priority };
	int ret = call(fd, VGPU_IOC_SEAT_CREATE, &create);

	return ret ? ret : create.fd;
}

static struct vgpu_seat_info must_seat_info(int seat)
{
	struct vgpu_seat_info info;

	CHECK_EQ(call(seat, VGPU_IOC_SEAT_INFO, &info), 0);
	return info;
}

static void *shared_page(void)
{
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(page != MAP_FAILED);
	return page;
}

static void must_end_well(pid_t pid)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

/* One block of @ps on one queue. Returns its sequence number. */
static uint64_t must_start(int fd, uint32_t queue, uint64_t ps)
{
	struct vgpu_cmd cmd = cmd_profiled(1, ps);

	return must_submit(fd, queue, &cmd, 1);
}

/* ---- knobs -------------------------------------------------------------- */

static void modes(void)
{
	static const char *const wrong[] = { "", "\n", "fast\n", "free paced\n", "0\n" };
	static const char *const factors[] = { "0\n",	 "-1\n", "1e3\n",   "0.0000001\n",
					       "1001\n", ".\n",	 "1.2.3\n", "x\n" };
	char text[256];

	read_text("clock", text, sizeof(text));
	CHECK(!strcmp(text, "[free] paced lockstep\n"));
	for (size_t i = 1; i < ARRAY_SIZE(wrong); i++)
		CHECK_EQ(write_text("clock", wrong[i]), -EINVAL);
	clock_is("lockstep\n");
	read_text("clock", text, sizeof(text));
	CHECK(!strcmp(text, "free paced [lockstep]\n"));
	clock_is("free");
	for (size_t i = 0; i < ARRAY_SIZE(factors); i++)
		CHECK_EQ(write_text("time_factor", factors[i]), -EINVAL);
	CHECK_EQ(write_text("time_factor", "0.25\n"), 0);
	read_text("time_factor", text, sizeof(text));
	CHECK(!strcmp(text, "0.25\n"));
	CHECK_EQ(write_text("time_factor", "0.000001"), 0);
	read_text("time_factor", text, sizeof(text));
	CHECK(!strcmp(text, "0.000001\n"));
	CHECK_EQ(write_text("time_factor", "1000"), 0);
	CHECK_EQ(write_text("time_factor", "1"), 0);
	read_text("time_factor", text, sizeof(text));
	CHECK(!strcmp(text, "1\n"));
	CHECK(!setgid(65534) && !setuid(65534));
	CHECK_EQ(write_text("clock", "free\n"), -EACCES);
}

/* ---- waits -------------------------------------------------------------- */

static void wait_for_any(void)
{
	struct vgpu_wait_any answer;
	int fd = must_open();
	uint32_t a = must_queue(fd), b = must_queue(fd);
	struct vgpu_fence fences[2] = { { .queue = a, .seq = 1 }, { .queue = b, .seq = 1 } };
	struct vgpu_fence wrong = { .queue = a, .seq = 3 };
	uint64_t start;

	clock_is("lockstep");
	start = must_device_info(fd).time;
	must_start(fd, a, 20 * US);
	must_start(fd, b, 10 * US);
	CHECK_EQ(wait_any(fd, fences, 2, NEVER, &answer), 0);
	CHECK_EQ(answer.which, 1);
	CHECK(answer.time - start >= 10 * US && answer.time - start < 20 * US);
	/* what is there already does not wait */
	CHECK_EQ(wait_any(fd, fences, 2, NEVER, &answer), 0);
	CHECK_EQ(answer.which, 1);
	CHECK_EQ(wait_any(fd, fences, 1, start + 15 * US, &answer), 0);
	CHECK_EQ(answer.which, VGPU_FENCE_NONE);
	CHECK_EQ(answer.time, start + 15 * US);
	CHECK_EQ(wait_any(fd, fences, 1, NEVER, &answer), 0);
	CHECK_EQ(answer.which, 0);
	/* a time that is past */
	CHECK_EQ(wait_any(fd, NULL, 0, 0, &answer), 0);
	CHECK_EQ(answer.which, VGPU_FENCE_NONE);

	CHECK_EQ(wait_any(fd, &wrong, 1, NEVER, &answer), -EINVAL);
	wrong = (struct vgpu_fence){ .queue = 12345, .seq = 1 };
	CHECK_EQ(wait_any(fd, &wrong, 1, NEVER, &answer), -ENOENT);
	wrong = (struct vgpu_fence){ .queue = a, .seq = 1, .reserved = 1 };
	CHECK_EQ(wait_any(fd, &wrong, 1, NEVER, &answer), -EINVAL);
	CHECK_EQ(wait_any(fd, NULL, 1, NEVER, &answer), -EFAULT);
	CHECK_EQ(wait_any(fd, NULL, VGPU_FENCES_MAX + 1, NEVER, &answer), -EINVAL);
	answer = (struct vgpu_wait_any){ .flags = 1 };
	CHECK_EQ(call(fd, VGPU_IOC_WAIT_ANY, &answer), -EINVAL);
	answer = (struct vgpu_wait_any){ .reserved = 1 };
	CHECK_EQ(call(fd, VGPU_IOC_WAIT_ANY, &answer), -EINVAL);
	clock_is("free");
	/* an idle device that runs free goes where somebody wants to sleep until */
	start = virtual_now();
	CHECK_EQ(must_sleep(fd, start + 3 * MS), start + 3 * MS);
}

static void timeouts_are_virtual(void)
{
	int fd = must_open(), looks = 0;
	uint32_t queue = must_queue(fd);
	uint64_t start, seq;

	clock_is("lockstep");
	seq = must_start(fd, queue, 50 * MS);
	start = virtual_now();
	CHECK_EQ(wait_seq(fd, queue, seq, 1000000), -ETIMEDOUT);
	CHECK_EQ(virtual_now(), start + 1 * MS);
	/* who only looks, again and again, comes to an end: a look takes a microsecond */
	CHECK_EQ(wait_seq(fd, queue, seq, 0), -ETIMEDOUT);
	CHECK_EQ(virtual_now(), start + 1 * MS + 1 * US);
	CHECK_EQ(wait_seq(fd, queue, seq, 48 * 1000000ll), -ETIMEDOUT);
	while (wait_seq(fd, queue, seq, 0))
		CHECK(looks++ < 1500);
	CHECK(looks > 500);
	clock_is("free");
}

/* ---- lockstep ----------------------------------------------------------- */

struct log {
	uint32_t count;
	struct { uint64_t time; uint32_t who; } entry[100];
};

static void note(struct log *log, uint32_t who, uint64_t time)
{
	uint32_t i = __atomic_fetch_add(&log->count, 1, __ATOMIC_SEQ_CST);

	CHECK(i < ARRAY_SIZE(log->entry));
	log->entry[i].who = who;
	log->entry[i].time = time;
}

#define PERIODS	6

/* Sleeps @period over and over; work of its own on the device in between. */
static void ticker(struct log *log, uint32_t who, uint64_t start, uint64_t period)
{
	int fd = must_open();
	uint32_t queue = must_queue(fd);

	for (uint64_t i = 0; i <= PERIODS; i++) {
		uint64_t now = must_sleep(fd, start + i * period);

		note(log, who, now - start);
		usleep(rand() % 3000);	/* real time makes no difference */
		must_start(fd, queue, US);
	}
}

/*
 * Two who sleep until the same times, and one who sleeps half as long, always come in the order of
 * their seats.
 */
static void lockstep_order(void)
{
	static const uint64_t periods[3] = { 20 * US, 10 * US, 20 * US };
	struct log *log = shared_page();
	int fd = must_open(), seats[3];
	uint32_t expected = 0;
	uint64_t start;
	pid_t pids[3];

	clock_is("lockstep");
	for (int i = 0; i < 3; i++)
		seats[i] = seat_create(fd, 0, 0);
	start = must_seat_info(seats[0]).time;
	for (int i = 0; i < 3; i++) {
		struct pollfd blocked = { .fd = seats[i], .events = POLLIN };
		struct vgpu_seat_move move;
		int go[2];

		CHECK(seats[i] >= 0 && !pipe(go));
		pids[i] = fork();
		if (!pids[i]) {
			char byte;

			srand((unsigned int)getpid());
			for (int k = 0; k < 3; k++)
				close(seats[k]);
			CHECK(read(go[0], &byte, 1) == 1);
			ticker(log, (uint32_t)i, start, periods[i]);
			_exit(0);
		}
		move = (struct vgpu_seat_move){ .pid = pids[i] };
		CHECK_EQ(call(seats[i], VGPU_IOC_SEAT_MOVE, &move), 0);
		CHECK(write(go[1], "", 1) == 1);
		if (i < 2)
			CHECK(poll(&blocked, 1, 30000) == 1);
	}
	/* the seat of one that has ended holds the clock until it is given up */
	for (int n = 0; n < 3; n++) {
		int status;
		pid_t pid = wait(&status);

		CHECK_EQ(status, 0);
		for (int i = 0; i < 3; i++)
			if (pids[i] == pid)
				close(seats[i]);
	}
	clock_is("free");
	/* seat by seat at each time; the second one is done after 60 us */
	for (uint64_t t = 0; t <= PERIODS * 20 * US; t += 10 * US)
		for (uint32_t who = 0; who < 3; who++) {
			if (t % periods[who] || t > PERIODS * periods[who])
				continue;
			CHECK(expected < log->count);
			CHECK_EQ(log->entry[expected].who, who);
			CHECK_EQ(log->entry[expected].time, t);
			expected++;
		}
	CHECK_EQ(log->count, expected);
}

/* While a context that takes part does not wait, no time passes. */
static void running_holds_the_clock(void)
{
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	uint64_t start, seq;

	clock_is("lockstep");
	start = virtual_now();
	seq = must_start(fd, queue, 5 * MS);
	usleep(100000);
	CHECK_EQ(virtual_now(), start);
	CHECK_EQ(completed(fd, queue), 0);
	CHECK_EQ(wait_seq(fd, queue, seq, FOREVER), 0);
	CHECK(virtual_now() - start >= 5 * MS);
	start = virtual_now();
	usleep(50000);
	CHECK_EQ(virtual_now(), start);
	clock_is("free");
}

/* A child that waits for a kernel, in lockstep. */
static pid_t start_waiter(uint32_t *state)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		int fd = must_open();
		uint32_t queue = must_queue(fd);
		uint64_t seq = must_start(fd, queue, MS);

		*state = 1;
		CHECK_EQ(wait_seq(fd, queue, seq, FOREVER), 0);
		*state = 2;
		_exit(0);
	}
	return pid;
}

/* A child that takes part and then does something else for ever. */
static pid_t start_holder(uint32_t *state)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		int fd = must_open();

		must_start(fd, must_queue(fd), US);
		*state = 1;
		for (;;)
			pause();
	}
	return pid;
}

static void until_is(const uint32_t *state, uint32_t value)
{
	for (int i = 0; i < 5000 && __atomic_load_n(state, __ATOMIC_SEQ_CST) != value; i++)
		usleep(2000);
	CHECK_EQ(*state, value);
}

static void kill_who_holds_the_clock(void)
{
	uint32_t *state = shared_page();
	pid_t holder, waiter;

	clock_is("lockstep");
	holder = start_holder(&state[0]);
	until_is(&state[0], 1);
	waiter = start_waiter(&state[1]);
	until_is(&state[1], 1);
	usleep(200000);
	CHECK_EQ(state[1], 1);
	kill(holder, SIGKILL);
	waitpid(holder, NULL, 0);
	must_end_well(waiter);
	clock_is("free");
}

/* The one whose turn it is, and the one that waits, killed in turn: the others go on. */
static void kill_waiters(void)
{
	uint32_t *state = shared_page();
	pid_t holder, waiters[4];

	clock_is("lockstep");
	holder = start_holder(&state[10]);
	until_is(&state[10], 1);
	for (int i = 0; i < 4; i++) {
		waiters[i] = start_waiter(&state[i]);
		until_is(&state[i], 1);
	}
	usleep(50000);
	kill(waiters[1], SIGKILL);
	waitpid(waiters[1], NULL, 0);
	kill(holder, SIGKILL);
	waitpid(holder, NULL, 0);
	kill(waiters[3], SIGKILL);
	waitpid(waiters[3], NULL, 0);
	must_end_well(waiters[0]);
	must_end_well(waiters[2]);
	clock_is("free");
}

static volatile sig_atomic_t alarms;

static void on_alarm(int signal)
{
	(void)signal;
	alarms++;
}

/* A signal makes a waiter run: it holds the clock until it waits again. */
static void signals(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	uint32_t *state = shared_page();
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	uint64_t start, seq;
	pid_t holder;

	clock_is("lockstep");
	CHECK(!sigaction(SIGALRM, &action, NULL));
	holder = start_holder(state);
	until_is(state, 1);
	seq = must_start(fd, queue, MS);
	start = virtual_now();
	alarm(1);
	CHECK_EQ(wait_seq(fd, queue, seq, FOREVER), -EINTR);
	CHECK_EQ(alarms, 1);
	kill(holder, SIGKILL);
	waitpid(holder, NULL, 0);
	usleep(50000);
	CHECK_EQ(virtual_now(), start);
	CHECK_EQ(wait_seq(fd, queue, seq, FOREVER), 0);
	CHECK(virtual_now() > start);
	clock_is("free");
}

static void *thread_waits(void *arg)
{
	int fd = *(int *)arg;
	uint32_t queue = must_queue(fd);

	CHECK_EQ(wait_seq(fd, queue, must_start(fd, queue, MS), FOREVER), 0);
	return NULL;
}

/*
 * A thread that joins those that wait must not hang: a context waits while one of its threads does.
 */
static void threads_are_joined(void)
{
	pthread_t threads[5];
	int fd = must_open();

	clock_is("lockstep");
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		CHECK(!pthread_create(&threads[i], NULL, thread_waits, &fd));
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		CHECK(!pthread_join(threads[i], NULL));
	clock_is("free");
}

/* Modes change while contexts wait: nobody is forgotten. */
static void modes_change_under_load(void)
{
	static const char *const turn[] = {
		"lockstep", "paced", "free", "paced", "lockstep", "free"
	};
	struct vgpu_cmd cmds[4];
	pid_t pids[3];

	CHECK_EQ(write_text("time_factor", "100"), 0);
	for (int i = 0; i < 3; i++) {
		pids[i] = fork();
		CHECK(pids[i] >= 0);
		if (!pids[i]) {
			int fd = must_open();
			uint32_t queue = must_queue(fd);

			for (int n = 0; n < 4; n++)
				cmds[n] = cmd_profiled(500, 100 * US);
			for (int n = 0; n < 50; n++)
				CHECK_EQ(wait_seq(fd, queue, must_submit(fd, queue, cmds, 4),
						  FOREVER),
					 0);
			CHECK_EQ(completed(fd, queue), 200);
			_exit(0);
		}
	}
	for (int i = 0; i < 30; i++) {
		clock_is(turn[i % (int)ARRAY_SIZE(turn)]);
		usleep(10000);
	}
	clock_is("free");
	for (int i = 0; i < 3; i++)
		must_end_well(pids[i]);
	CHECK_EQ(write_text("time_factor", "1"), 0);
}

/* ---- seats -------------------------------------------------------------- */

static void seats(void)
{
	int fd = must_open(), seat = seat_create(fd, 0, 0), status;
	struct vgpu_seat_move move = { .pid = 1 };
	struct vgpu_seat_info info;
	uint64_t start;
	pid_t pid;

	CHECK(seat >= 0);
	CHECK(fcntl(seat, F_GETFD) & FD_CLOEXEC);
	clock_is("lockstep");
	CHECK_EQ(call(seat, VGPU_IOC_SEAT_MOVE, &move), -EPERM);
	move.pid = 999999;
	CHECK_EQ(call(seat, VGPU_IOC_SEAT_MOVE, &move), -ESRCH);
	move.pid = -1;
	CHECK_EQ(call(seat, VGPU_IOC_SEAT_MOVE, &move), -ESRCH);
	move = (struct vgpu_seat_move){ .reserved = 1 };
	CHECK_EQ(call(seat, VGPU_IOC_SEAT_MOVE, &move), -EINVAL);
	CHECK_EQ(seat_create(fd, 1, 0), -EPERM);
	CHECK_EQ(call(seat, VGPU_IOC_WAIT_ANY, &move), -ENOTTY);
	/* two processes one after the other, a grandchild among them; no time passes in between */
	for (int i = 0; i < 2; i++) {
		int go[2];

		CHECK(!pipe(go));
		pid = fork();
		if (!pid) {
			char byte;

			CHECK(read(go[0], &byte, 1) == 1);
			if (i && (pid = fork())) {
				CHECK(waitpid(pid, &status, 0) == pid && !status);
				_exit(0);
			}
			fd = must_open();
			CHECK_EQ(must_device_info(fd).time, virtual_now());
			thread_waits(&fd);
			_exit(0);
		}
		move = (struct vgpu_seat_move){ .pid = pid };
		CHECK_EQ(call(seat, VGPU_IOC_SEAT_MOVE, &move), 0);
		CHECK(write(go[1], "", 1) == 1);
		must_end_well(pid);
		start = virtual_now();
		usleep(20000);
		info = must_seat_info(seat);
		CHECK_EQ(info.time, start);
		CHECK_EQ(info.contexts, 0);
		CHECK_EQ(info.blocked, 0);
		CHECK_EQ(info.sum.kernels, i + 1);
		CHECK_EQ(info.sum.blocks, i + 1);
		CHECK(info.sum.sm_time >= (uint64_t)(i + 1) * MS);
	}
	/* given up, it holds nobody */
	pid = fork();
	if (!pid) {
		close(seat);
		fd = must_open();
		thread_waits(&fd);
		_exit(0);
	}
	usleep(100000);
	CHECK_EQ(waitpid(pid, &status, WNOHANG), 0);
	close(seat);
	must_end_well(pid);
	clock_is("free");
}

static void priorities(void)
{
	struct vgpu_context_priority priority = { .priority = 3 };
	int fd = must_open(), seat = seat_create(fd, getpid(), 7), other;
	char name[64], text[64], path[128];

	CHECK(seat >= 0);
	other = must_open();
	snprintf(name, sizeof(name), "contexts/%u/priority", must_context_info(other).id);
	read_text(name, text, sizeof(text));
	CHECK(!strcmp(text, "7\n"));
	CHECK_EQ(write_text(name, "nine\n"), -EINVAL);
	CHECK_EQ(write_text(name, "99999999999\n"), -EINVAL);
	CHECK_EQ(write_text(name, "-5\n"), 0);
	read_text(name, text, sizeof(text));
	CHECK(!strcmp(text, "-5\n"));
	snprintf(name, sizeof(name), "contexts/%u/tokens", must_context_info(other).id);
	read_text(name, text, sizeof(text));
	CHECK(!strcmp(text, "share\n"));
	CHECK_EQ(write_text(name, "4\n"), 0);
	read_text(name, text, sizeof(text));
	CHECK(!strcmp(text, "4\n"));
	CHECK_EQ(write_text(name, "1025\n"), -EINVAL);
	CHECK_EQ(write_text(name, "-1\n"), -EINVAL);
	CHECK_EQ(write_text(name, "\n"), -EINVAL);
	CHECK_EQ(write_text(name, "share\n"), 0);
	snprintf(name, sizeof(name), "contexts/%u/pid", must_context_info(fd).id);
	read_text(name, text, sizeof(text));
	CHECK_EQ(atoi(text), getpid());
	CHECK_EQ(call(fd, VGPU_IOC_CONTEXT_PRIORITY, &priority), 0);
	priority.flags = 1;
	CHECK_EQ(call(fd, VGPU_IOC_CONTEXT_PRIORITY, &priority), -EINVAL);
	/* anybody may step back, not forward */
	CHECK(!setgid(65534) && !setuid(65534));
	priority = (struct vgpu_context_priority){ .priority = 2 };
	CHECK_EQ(call(fd, VGPU_IOC_CONTEXT_PRIORITY, &priority), 0);
	priority.priority = 3;
	CHECK_EQ(call(fd, VGPU_IOC_CONTEXT_PRIORITY, &priority), -EPERM);
	CHECK_EQ(seat_create(fd, getpid(), 1), -EPERM);
	snprintf(name, sizeof(name), "contexts/%u/priority", must_context_info(fd).id);
	CHECK_EQ(write_text(name, "1\n"), -EACCES);
	read_text(name, text, sizeof(text));
	CHECK(!strcmp(text, "2\n"));
	close(fd);
	CHECK(access(SYSFS "contexts", F_OK) == 0);
	snprintf(path, sizeof(path), SYSFS "%s", name);
	CHECK(access(path, F_OK) < 0 && errno == ENOENT);
}

/* ---- paced -------------------------------------------------------------- */

static void paced(void)
{
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	double begin, took;
	uint64_t start;

	clock_is("paced");
	/* an idle device's time goes on */
	begin = seconds_now();
	start = virtual_now();
	usleep(200000);
	took = (double)(virtual_now() - start) * 1e-12;
	CHECK(took >= 0.19 && took <= seconds_now() - begin + 0.01);
	/* a kernel takes what it says, at least */
	begin = seconds_now();
	CHECK_EQ(wait_seq(fd, queue, must_start(fd, queue, 300 * MS), FOREVER), 0);
	took = seconds_now() - begin;
	CHECK(took >= 0.29 && took < 2);
	begin = seconds_now();
	start = virtual_now();
	must_sleep(fd, start + 250 * MS);
	took = seconds_now() - begin;
	CHECK(took >= 0.24 && took < 2);
	/* ten times as fast, and slow motion */
	CHECK_EQ(write_text("time_factor", "10"), 0);
	begin = seconds_now();
	CHECK_EQ(wait_seq(fd, queue, must_start(fd, queue, 3000 * MS), FOREVER), 0);
	took = seconds_now() - begin;
	CHECK(took >= 0.29 && took < 2);
	CHECK_EQ(write_text("time_factor", "0.001"), 0);
	begin = seconds_now();
	CHECK_EQ(wait_seq(fd, queue, must_start(fd, queue, 300 * US), FOREVER), 0);
	took = seconds_now() - begin;
	CHECK(took >= 0.29 && took < 2);
	CHECK_EQ(write_text("time_factor", "1"), 0);
	clock_is("free");
}

static const struct test tests[] = {
	{ "clock: the knobs", modes },
	{ "clock: wait for any of several fences, or a time", wait_for_any },
	{ "clock: in lockstep timeouts and looks take virtual time", timeouts_are_virtual },
	{ "clock: lockstep, sleepers come in the order of their seats", lockstep_order },
	{ "clock: lockstep, who runs holds the clock", running_holds_the_clock },
	{ "clock: lockstep, kill -9 of who holds the clock", kill_who_holds_the_clock },
	{ "clock: lockstep, kill -9 of who waits", kill_waiters },
	{ "clock: lockstep, signals", signals },
	{ "clock: lockstep, threads that wait are joined", threads_are_joined },
	{ "clock: modes change under load", modes_change_under_load },
	{ "clock: seats", seats },
	{ "clock: priorities and tokens of contexts", priorities },
	{ "clock: paced", paced },
};

int main(int argc, char **argv)
{
	int ret = tests_main(argc, argv, tests, ARRAY_SIZE(tests));

	/* a test that failed may have left another */
	write_text("clock", "free");
	write_text("time_factor", "1");
	return ret;
}
