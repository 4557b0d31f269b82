// SPDX-License-Identifier: MIT
/*
 * The lockstep clock: its participants (seats), the order in which they are woken, and that whoever
 * holds the clock holds it no longer than it lives.
 */
#include "vgpu_clock.h"

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
	for (int n = 0; n < 3; n++)
		close(seats[must_end_next(pids, 3)]);
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

/* Until @fd is closed. */
static void hold_managed(int fd)
{
	const uint64_t address = 0x100000000ull, bytes = 65536;
	volatile char *memory;

	CHECK_EQ(mem_map_managed(fd, address, bytes), 0);
	memory = managed_view(fd, NULL, address, bytes, PROT_READ | PROT_WRITE);
	CHECK(memory != MAP_FAILED);
	*memory = 1;
	CHECK_EQ(must_context_info(fd).account.managed_host, bytes);
}

static void seats(void)
{
	int fd = must_open(), seat = seat_create(fd, 0, 0), status;
	struct vgpu_seat_move move = { .pid = 1 };
	struct vgpu_context_info sum;
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
			hold_managed(fd);
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
		sum = must_context_info(seat);
		CHECK_EQ(sum.kernels, i + 1);
		CHECK_EQ(sum.blocks, i + 1);
		CHECK(sum.sm_time >= (uint64_t)(i + 1) * MS);
		CHECK(sum.account.sm_running && sum.account.sm_running <= sum.sm_time);
		CHECK(!sum.id && !sum.queues);
		/* what their contexts held went with them */
		CHECK(!sum.account.managed_host && !sum.account.host_bytes);
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

/* Contexts on @seat while a process @generations below this one has the device open */
static uint32_t joined_below(int seat, uint32_t generations)
{
	uint32_t *contexts = shared_page();
	pid_t child = fork();

	CHECK(child >= 0);
	if (!child) {
		while (--generations) {
			pid_t pid = fork();

			CHECK(pid >= 0);
			if (pid) {
				must_end_well(pid);
				_exit(0);
			}
		}
		must_open();
		*contexts = must_seat_info(seat).contexts;
		_exit(0);
	}
	must_end_well(child);
	return *contexts;
}

/* Who opens a context does not have the actor walk as many processes as a user may have. */
static void generations(void)
{
	int fd = must_open(), seat = seat_create(fd, getpid(), 0);

	CHECK(seat >= 0);
	CHECK_EQ(joined_below(seat, 1), 1);
	CHECK_EQ(joined_below(seat, 63), 1);
	CHECK_EQ(joined_below(seat, 64), 0);
	CHECK_EQ(joined_below(seat, 130), 0);
}

/* ---- who runs for ever -------------------------------------------------- */

/* Takes part, and never waits; again whenever *@again changes. */
static void hold_the_clock(volatile uint32_t *again)
{
	int fd = must_open();
	uint32_t queue = must_queue(fd);

	for (;;) {
		must_start(fd, queue, US);
		*again = 0;
		while (!*again)
			usleep(1000);
	}
}

static pid_t start_and_wait(void)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		int fd = must_open();
		uint32_t queue = must_queue(fd);

		must_start(fd, queue, US);
		_exit(wait_seq(fd, queue, 1, FOREVER) ? TEST_FAIL : TEST_PASS);
	}
	return pid;
}

static void who_never_waits(void)
{
	volatile uint32_t *again = (void *)shared_page();
	pid_t holder, waiter;
	int status;

	CHECK_EQ(write_text("lockstep_timeout_ms", "-1"), -EINVAL);
	clock_is("lockstep");
	*again = 1;
	holder = fork();
	CHECK(holder >= 0);
	if (!holder)
		hold_the_clock(again);
	while (*again)
		usleep(1000);
	waiter = start_and_wait();
	usleep(700000);
	CHECK_EQ(waitpid(waiter, &status, WNOHANG), 0);
	CHECK_EQ(write_text("lockstep_timeout_ms", "200"), 0);
	CHECK(waitpid(waiter, &status, 0) == waiter && status == TEST_PASS);
	/* it does not hold it any more, until it uses the device again */
	waiter = start_and_wait();
	CHECK(waitpid(waiter, &status, 0) == waiter && status == TEST_PASS);
	CHECK_EQ(write_text("lockstep_timeout_ms", "0"), 0);
	*again = 1;
	while (*again)
		usleep(1000);
	waiter = start_and_wait();
	usleep(700000);
	CHECK_EQ(waitpid(waiter, &status, WNOHANG), 0);
	CHECK(!kill(holder, SIGKILL));
	CHECK_EQ(waitpid(holder, &status, 0), holder);
	CHECK(waitpid(waiter, &status, 0) == waiter && status == TEST_PASS);
	clock_is("free");
}

static const struct test tests[] = {
	{ "lockstep: sleepers come in the order of their seats", lockstep_order },
	{ "lockstep: who runs holds the clock", running_holds_the_clock },
	{ "lockstep: kill -9 of who holds the clock", kill_who_holds_the_clock },
	{ "lockstep: kill -9 of who waits", kill_waiters },
	{ "lockstep: signals", signals },
	{ "lockstep: threads that wait are joined", threads_are_joined },
	{ "lockstep: modes change under load", modes_change_under_load },
	{ "lockstep: who never waits, and a limit for that", who_never_waits },
	{ "lockstep: seats", seats },
	{ "lockstep: a seat is for so many generations", generations },
};

int main(int argc, char **argv)
{
	return clock_tests_main(argc, argv, tests, ARRAY_SIZE(tests));
}
