// SPDX-License-Identifier: MIT
/*
 * Page tables of a process that change under a kernel which uses its memory: what is protected,
 * what goes with exec(), what nobody has room to remember, what is brought never or goes without a
 * pause, and what goes on elsewhere in the same process; and signals while it is shared.
 */
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "vgpu_group.h"
#include "vgpu_process.h"

#define PAGES		1024u
#define BYTES		(PAGES * PAGE)
#define TIMEOUT		SYSFS "/timeout_ms"
#define GRANULE		SYSFS "/fault_granule"

static uint64_t start_spin(const struct user *u, const volatile uint32_t *words)
{
	uint64_t address = at(words);
	struct vgpu_cmd cmd = cmd_launch(u->module, SPIN, 1, 1, &address, sizeof(address));

	return must_submit(u->fd, u->queue, &cmd, 1);
}

static uint64_t start_pages(const struct user *u, const volatile uint32_t *words)
{
	return start_add(u, at(words), PAGES, 1, PAGE);
}

static void must_end_for(const struct user *u, uint64_t seq, enum vgpu_fault_reason reason)
{
	CHECK_EQ(wait_seq(u->fd, u->queue, seq, limit_ns(30)), -EIO);
	CHECK_EQ(must_context_info(u->fd).fault.reason, reason);
}

/* A kernel that reads goes on as long as it may read. */
static void protected(void)
{
	struct user u = process_begin();
	volatile uint32_t *words = anonymous(BYTES);
	uint64_t seq;

	words[0] = 0;
	seq = start_spin(&u, words);
	for (uint32_t n = 0; n < 20; n++) {
		CHECK(!mprotect((void *)words, BYTES, n % 2 ? PROT_READ | PROT_WRITE : PROT_READ));
		CHECK_EQ(wait_seq(u.fd, u.queue, seq, 5000000), -ETIMEDOUT);
	}
	CHECK(!mprotect((void *)words, BYTES, PROT_NONE));
	must_end_for(&u, seq, VGPU_FAULT_UNMAPPED);
	CHECK_EQ(must_context_info(u.fd).fault.address, at(words));
	/* one that writes does not go on where it may only read */
	close(u.fd);
	u = process_begin();
	CHECK(!mprotect((void *)words, BYTES, PROT_READ | PROT_WRITE));
	must_wait(&u, start_pages(&u, words));
	CHECK(!mprotect((void *)words, BYTES, PROT_READ));
	must_end_for(&u, start_pages(&u, words), VGPU_FAULT_UNMAPPED);
	CHECK_EQ(words[0], 1);
	close(u.fd);
}

/*
 * exec() takes all memory of a process away, and nobody gets that of the new program for it: a
 * kernel ends that goes on, though others have the file.
 */
static void executed(void)
{
	struct user u = user_begin();
	int ready[2], status;
	uint64_t *seq = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char byte;
	pid_t pid;

	CHECK((void *)seq != MAP_FAILED && !pipe(ready));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		CHECK_EQ(process_memory(u.fd), 0);
		*seq = start_spin(&u, anonymous(BYTES));
		CHECK_EQ(wait_seq(u.fd, u.queue, *seq, 20000000), -ETIMEDOUT);
		CHECK(write(ready[1], "", 1) == 1);
		execl("/bin/sleep", "sleep", "100", NULL);
		_exit(1);
	}
	CHECK(read(ready[0], &byte, 1) == 1);
	must_end_for(&u, *seq, VGPU_FAULT_UNMAPPED);
	CHECK_EQ(waitpid(pid, &status, WNOHANG), 0);
	kill(pid, SIGKILL);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
}

/*
 * Pages that the process has, and whose place the module cannot remember: the group that pays for
 * that is full. The group is that of the process when it let kernels use its memory.
 */
static void forgotten(void)
{
	struct user u = user_begin();
	volatile uint32_t *words = anonymous(BYTES);

	for (uint32_t n = 0; n < PAGES; n++)
		words[n * 1024] = 7;
	group_make("max");
	group_enter();
	CHECK_EQ(process_memory(u.fd), 0);
	group_leave();
	put(GROUP "/memory.max", "0");
	must_end_for(&u, start_pages(&u, words), VGPU_FAULT_NO_MEMORY);
	for (uint32_t n = 0; n < PAGES; n++)
		CHECK_EQ(words[n * 1024], 7);
	close(u.fd);
	/* and with memory they are used */
	put(GROUP "/memory.max", "max");
	u = user_begin();
	group_enter();
	CHECK_EQ(process_memory(u.fd), 0);
	group_leave();
	must_wait(&u, start_pages(&u, words));
	for (uint32_t n = 0; n < PAGES; n++)
		CHECK_EQ(words[n * 1024], 8);
	close(u.fd);
	group_remove();
}

/* ---- what goes on elsewhere ------------------------------------------------ */

#define THREADS	3

static volatile bool stop;

/* Has a page go, or so it says to whoever has to know, without a pause. */
static void *drop_for_ever(void *words)
{
	while (!stop)
		CHECK(!madvise(words, PAGE, MADV_DONTNEED));
	return NULL;
}

/* Page faults of a kernel that uses pages of the process, which has them. */
static uint64_t faults_of_kernel(void)
{
	struct user u = process_begin();
	volatile uint32_t *words = anonymous(BYTES);
	uint64_t faults;

	for (uint32_t n = 0; n < PAGES; n++)
		words[n * 1024] = n;
	must_wait(&u, start_pages(&u, words));
	for (uint32_t n = 0; n < PAGES; n++)
		CHECK_EQ(words[n * 1024], n + 1);
	faults = must_context_info(u.fd).account.page_faults;
	close(u.fd);
	munmap((void *)words, BYTES);
	return faults;
}

/* Whatever goes on in other pages of the process: a kernel has no more faults for its own. */
static void elsewhere(void)
{
	uint64_t alone, beside;
	pthread_t thread[THREADS];

	put(GRANULE, "262144");
	alone = faults_of_kernel();
	stop = false;
	for (int n = 0; n < THREADS; n++)
		CHECK(!pthread_create(&thread[n], NULL, drop_for_ever, (void *)anonymous(PAGE)));
	beside = faults_of_kernel();
	stop = true;
	for (int n = 0; n < THREADS; n++)
		CHECK(!pthread_join(thread[n], NULL));
	printf("# %llu faults beside pages that go, %llu without\n", (unsigned long long)beside,
	       (unsigned long long)alone);
	put(GRANULE, "65536");
	CHECK(beside <= alone + alone / 8);
}

/* ---- pages that never come ------------------------------------------------- */

/*
 * A kernel that waits for a page of its process may wait for ever, as one may run for ever: until
 * others want to have its place. If it cannot leave then it has timeout_ms.
 */
static void others_want(const struct user *u, uint64_t seq, bool leaves)
{
	struct vgpu_cmd cmd = cmd_profiled(1, 1000);
	int fd = must_open();
	uint32_t queue = must_queue(fd);

	put(TIMEOUT, "300");
	CHECK_EQ(wait_seq(u->fd, u->queue, seq, 1000000000), -ETIMEDOUT);
	CHECK_EQ(must_context_info(u->fd).dead, 0);
	must_run(fd, queue, &cmd, 1);
	if (leaves)
		CHECK_EQ(wait_seq(u->fd, u->queue, seq, 1000000000), -ETIMEDOUT);
	else
		must_end_for(u, seq, VGPU_FAULT_WATCHDOG);
	CHECK_EQ(must_context_info(fd).dead, 0);
	put(TIMEOUT, "60000");
	close(fd);
}

static void policy_is(const char *policy, const char *preemption, const char *on_fault)
{
	put(SYSFS "/policy", policy);
	put(SYSFS "/preemption", preemption);
	put(SYSFS "/sm_on_fault", on_fault);
}

/* Whose pages never come: userfaultfd is told of them, and nobody answers. */
static void never_under(const char *policy, const char *preemption, const char *on_fault,
			bool leaves)
{
	int uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	struct user u = process_begin();
	volatile uint32_t *words = anonymous(BYTES);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range = { at(words), BYTES },
					 .mode = UFFDIO_REGISTER_MODE_MISSING };
	/* blocks for all SMs */
	struct add_params params = { .words = at(words), .add = 1 };
	struct vgpu_cmd cmd = cmd_launch(u.module, ADD, 1024, 1024, &params, sizeof(params));

	if (uffd < 0 || ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &range))
		SKIP("no userfaultfd here");
	policy_is(policy, preemption, on_fault);
	others_want(&u, must_submit(u.fd, u.queue, &cmd, 1), leaves);
	policy_is("fcfs", "none", "preemptible");
	close(uffd);
	close(u.fd);
	munmap((void *)words, BYTES);
}

static void never(void)
{
	never_under("fcfs", "none", "preemptible", false);
	never_under("dss", "drain", "preemptible", false);
	never_under("dss", "switch", "preemptible", true);
	never_under("dss", "switch", "stall", false);
}

/* Threads have all pages go that a kernel of their own wants, until it ends. */
static volatile uint32_t *going_words;

static void *drop_all_for_ever(void *unused)
{
	while (!stop)
		CHECK(!madvise((void *)going_words, BYTES, MADV_DONTNEED));
	return unused;
}

/* The kernel gets on or not: it ends well, or others do not wait for it. */
static void gone(void)
{
	struct vgpu_cmd cmd = cmd_profiled(1, 1000);
	struct user u = process_begin();
	pthread_t thread[THREADS];
	int fd = must_open(), ret;
	uint32_t queue = must_queue(fd);
	uint64_t seq;

	going_words = anonymous(BYTES);
	stop = false;
	put(TIMEOUT, "300");
	for (int n = 0; n < THREADS; n++)
		CHECK(!pthread_create(&thread[n], NULL, drop_all_for_ever, NULL));
	for (uint32_t n = 0; n < 5; n++) {
		seq = start_pages(&u, going_words);
		must_run(fd, queue, &cmd, 1);
		ret = wait_seq(u.fd, u.queue, seq, limit_ns(30));
		printf("# a kernel whose pages go %s\n", ret ? "ended for others" : "ended well");
		if (!ret)
			continue;
		must_end_for(&u, seq, VGPU_FAULT_WATCHDOG);
		close(u.fd);
		u = process_begin();
	}
	stop = true;
	for (int n = 0; n < THREADS; n++)
		CHECK(!pthread_join(thread[n], NULL));
	put(TIMEOUT, "60000");
	/* what it wanted is its own again */
	must_wait(&u, start_pages(&u, going_words));
}

/* ---- signals ------------------------------------------------------------ */

static void on_alarm(__attribute__((unused)) int number)
{
}

/* Linux refuses the first notifier of a process while a signal is pending: the call is repeated. */
static void under_signals(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = {};

	for (int n = 0; n < 200; n++) {
		pid_t pid = fork();
		int status;

		CHECK(pid >= 0);
		if (!pid) {
			int fd = must_open();

			CHECK(!sigaction(SIGALRM, &action, NULL));
			CHECK(!setitimer(ITIMER_REAL, &often, NULL));
			for (int k = 0; k < n % 16; k++)
				getppid();
			CHECK_EQ(process_memory(fd), 0);
			CHECK(!setitimer(ITIMER_REAL, &never, NULL));
			_exit(0);
		}
		CHECK(waitpid(pid, &status, 0) == pid && !status);
	}
}

static const struct test tests[] = {
	{ "process changes: mprotect under a kernel", protected },
	{ "process changes: exec under a kernel", executed },
	{ "process changes: no memory to remember pages", forgotten },
	{ "process changes: other pages go without a pause", elsewhere },
	{ "process changes: a page never comes, and others wait", never },
	{ "process changes: pages go without a pause, and others wait", gone },
	{ "process changes: signals do not keep it from being shared", under_signals },
};

int main(int argc, char **argv)
{
	int ret = tests_main(argc, argv, tests, ARRAY_SIZE(tests));

	put(TIMEOUT, "60000");
	return ret;
}
