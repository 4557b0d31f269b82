// SPDX-License-Identifier: MIT
/*
 * A process changes its page tables again and again while kernels use its memory, in each way that
 * there is, and is killed in the middle of that. Values of another process are right meanwhile, and
 * nothing stays behind. A kernel that finds no memory ends its context, and another one begins.
 */
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "vgpu_group.h"
#include "vgpu_process.h"

#define ROUNDS		4u
#define HUGE_BYTES	(2ul << 20)
#define BYTES		HUGE_BYTES
#define FEW_BYTES	(128 * PAGE)	/* that come one by one */
#define LARGE_BYTES	(16ul << 20)	/* more than its group may have */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

/** struct victim - who is killed
 * @words: its memory, and @device: where kernels find it
 * @fd: of the managed memory; else of the file that is mapped, of userfaultfd, or -1
 * @runs: how many of its kernels have ended
 */
struct victim {
	volatile uint32_t *words;
	uint64_t device;
	uint64_t bytes;
	bool managed;
	int fd;
	volatile uint32_t *runs;
};

/** struct way - what it does
 * @begin: before the first step; NULL: nothing
 * @step: again and again; @n: how often it has been done
 */
struct way {
	void (*begin)(struct victim *v);
	void (*step)(struct victim *v, uint32_t n);
};

/* ---- what it does --------------------------------------------------------- */

static void *memory_of(const struct victim *v)
{
	return (void *)(uintptr_t)v->words;
}

static void step_fork(struct victim *v, uint32_t n)
{
	pid_t pid = fork();

	(void)v;
	if (!pid)
		_exit((int)n);
	CHECK(pid > 0 && waitpid(pid, NULL, 0) == pid);
}

static void step_exec(struct victim *v, uint32_t n)
{
	if (!n)
		return;
	while (!*v->runs)
		usleep(300);
	execl("/bin/sleep", "sleep", "100", NULL);
}

static void step_mremap(struct victim *v, uint32_t n)
{
	char *here = memory_of(v), *there = here + 2 * v->bytes;

	CHECK(mremap(n % 2 ? there : here, v->bytes, v->bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
		     n % 2 ? here : there) != MAP_FAILED);
}

static void step_munmap(struct victim *v, uint32_t n)
{
	uint64_t half = v->bytes / 2, offset = n % 2 * half;
	char *memory = (char *)memory_of(v) + offset;

	CHECK(!munmap(memory, half));
	usleep(200);
	if (v->managed)
		CHECK(managed_view(v->fd, memory, BASE + offset, half, PROT_READ | PROT_WRITE) ==
		      memory);
	else
		CHECK(mmap(memory, half, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == memory);
}

static void step_madvise(struct victim *v, uint32_t n)
{
	CHECK(!madvise((char *)memory_of(v) + n % 16 * PAGE, v->bytes / 2, MADV_DONTNEED));
}

static void step_mprotect(struct victim *v, uint32_t n)
{
	static const int prots[] = { PROT_READ, PROT_READ | PROT_WRITE, PROT_NONE,
				     PROT_READ | PROT_WRITE };

	CHECK(!mprotect(memory_of(v), v->bytes, prots[n % ARRAY_SIZE(prots)]));
}

static void begin_huge(struct victim *v)
{
	v->words = (void *)((at(v->words) + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1));
	v->device = at(v->words);
	CHECK(!madvise(memory_of(v), v->bytes, MADV_HUGEPAGE));
}

static void step_huge(struct victim *v, uint32_t n)
{
	/* it may lack a huge page at times, or not know how */
	if (n % 2)
		madvise((char *)memory_of(v) + v->bytes / 2, PAGE, MADV_DONTNEED);
	else
		madvise(memory_of(v), v->bytes, MADV_COLLAPSE);
}

static void step_swap(struct victim *v, uint32_t n)
{
	(void)n;
	CHECK(!madvise(memory_of(v), v->bytes, MADV_PAGEOUT));
}

static void step_merge(struct victim *v, uint32_t n)
{
	usleep(3000);
	CHECK(!madvise(memory_of(v), v->bytes, n % 2 ? MADV_UNMERGEABLE : MADV_MERGEABLE));
}

static void begin_file(struct victim *v)
{
	v->fd = memfd_create("file", MFD_CLOEXEC);
	CHECK(!ftruncate(v->fd, (off_t)v->bytes));
	CHECK(mmap(memory_of(v), v->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, v->fd,
		   0) != MAP_FAILED);
}

static void step_truncate(struct victim *v, uint32_t n)
{
	CHECK(!ftruncate(v->fd, (off_t)(n % 2 ? v->bytes : v->bytes / 2)));
}

static void begin_user_faults(struct victim *v)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range.start = at(v->words),
					 .mode = UFFDIO_REGISTER_MODE_MISSING };

	v->bytes = FEW_BYTES;
	range.range.len = FEW_BYTES;
	v->fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	CHECK(v->fd >= 0 && !ioctl(v->fd, UFFDIO_API, &api));
	CHECK(!ioctl(v->fd, UFFDIO_REGISTER, &range));
}

/* Brings a page, and takes all away at times. */
static void step_user_faults(struct victim *v, uint32_t n)
{
	static uint32_t source[PAGE / 4];
	struct pollfd poll_for = { .fd = v->fd, .events = POLLIN };
	struct uffdio_copy copy = { .src = at(source), .len = PAGE };
	struct uffd_msg msg;

	if (poll(&poll_for, 1, 20) == 1 && read(v->fd, &msg, sizeof(msg)) == sizeof(msg)) {
		copy.dst = msg.arg.pagefault.address & ~(uint64_t)(PAGE - 1);
		ioctl(v->fd, UFFDIO_COPY, &copy);
	}
	if (n % 256 == 255)
		CHECK(!madvise(memory_of(v), v->bytes, MADV_DONTNEED));
}

/* What kernels touch has others of its pages swapped out, since its group is full. */
static void begin_group(struct victim *v)
{
	group_enter();
	v->bytes = LARGE_BYTES;
	v->words = anonymous(v->bytes);
	v->device = at(v->words);
}

static void step_group(struct victim *v, uint32_t n)
{
	usleep(2000);
	CHECK(!madvise((char *)memory_of(v) + n % 16 * (v->bytes / 16), PAGE, MADV_DONTNEED));
}

/* ---- who is killed -------------------------------------------------------- */

struct changer {
	const struct way *way;
	struct victim *victim;
	volatile uint32_t *steps;
};

static void *change_for_ever(void *arg)
{
	struct changer *c = arg;

	for (uint32_t n = 0;; n++) {
		++*c->steps;
		c->way->step(c->victim, n);
		usleep(300);
	}
	return NULL;
}

/* Kernels add to a word of each page, one after the other, until they find no memory. */
static void use_until_it_ends(const struct user *u, const struct victim *v)
{
	enum vgpu_fault_reason reason;
	int ret;

	do {
		ret = wait_seq(u->fd, u->queue,
			       start_add(u, v->device, (uint32_t)(v->bytes / PAGE), 1, PAGE),
			       FOREVER);
		++*v->runs;
	} while (!ret);
	CHECK_EQ(ret, -EIO);
	reason = must_context_info(u->fd).fault.reason;
	CHECK(!v->managed && (reason == VGPU_FAULT_UNMAPPED || reason == VGPU_FAULT_NO_MEMORY));
}

static void live(const struct way *way, bool managed, pid_t parent, volatile uint32_t *going)
{
	struct victim v = { .bytes = BYTES, .managed = managed, .fd = -1, .runs = going };
	struct changer c = { .way = way, .victim = &v, .steps = &going[1] };
	struct user u = {};
	pthread_t thread;

	CHECK(!prctl(PR_SET_PDEATHSIG, SIGKILL));
	if (getppid() != parent)
		_exit(1);
	if (managed) {
		u = user_begin();
		v.fd = u.fd;
		CHECK_EQ(mem_map_managed(u.fd, BASE, v.bytes), 0);
		v.words = managed_view(u.fd, (void *)BASE, BASE, v.bytes, PROT_READ | PROT_WRITE);
		CHECK((void *)v.words != MAP_FAILED);
		v.device = BASE;
	} else {
		/* with room to move it to, and to align it */
		v.words = anonymous(4 * v.bytes);
		v.device = at(v.words);
	}
	if (way->begin)
		way->begin(&v);
	for (bool first = true;; first = false) {
		if (!managed)
			u = process_begin();
		if (first)
			CHECK(!pthread_create(&thread, NULL, change_for_ever, &c));
		use_until_it_ends(&u, &v);
		close(u.fd);
	}
}

/* ---- the tests ------------------------------------------------------------ */

static void killed(const struct way *way, bool managed)
{
	volatile uint32_t *going = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static uint32_t words[PAGE / 4];
	struct user u = user_begin();

	CHECK((void *)going != MAP_FAILED);
	CHECK_EQ(mem_map(u.fd, BASE, PAGE), 0);
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		double limit = deadline(30);
		pid_t parent = getpid(), pid;
		int status;

		going[0] = going[1] = 0;
		pid = fork();
		CHECK(pid >= 0);
		if (!pid) {
			close(u.fd);
			live(way, managed, parent, going);
		}
		/* a kernel has ended, and the second change begins */
		while (!going[0] || going[1] < 2) {
			CHECK(seconds_now() < limit);
			CHECK_EQ(waitpid(pid, NULL, WNOHANG), 0);
			usleep(500);
		}
		must_add(&u, BASE, PAGE / 4, 1);
		usleep(round * 1700);
		kill(pid, SIGKILL);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		must_add(&u, BASE, PAGE / 4, 1);
		must_d2h(u.fd, u.queue, words, BASE, PAGE);
		for (uint32_t n = 0; n < PAGE / 4; n++)
			CHECK_EQ(words[n], 2 * round);
	}
}

#define KILLED(name, managed, ...)						\
	static void name(void)							\
	{									\
		static const struct way way = { __VA_ARGS__ };			\
										\
		killed(&way, managed);						\
	}
KILLED(forking, false, NULL, step_fork)
KILLED(executing, false, NULL, step_exec)
KILLED(moving, false, NULL, step_mremap)
KILLED(unmapping, false, NULL, step_munmap)
KILLED(dropping, false, NULL, step_madvise)
KILLED(protecting, false, NULL, step_mprotect)
KILLED(collapsing, false, begin_huge, step_huge)
KILLED(truncating, false, begin_file, step_truncate)
KILLED(managed_forking, true, NULL, step_fork)
KILLED(managed_executing, true, NULL, step_exec)
KILLED(managed_moving, true, NULL, step_mremap)
KILLED(managed_unmapping, true, NULL, step_munmap)
KILLED(managed_dropping, true, NULL, step_madvise)
KILLED(managed_protecting, true, NULL, step_mprotect)

static void swapping(void)
{
	static const struct way way = { NULL, step_swap };

	swap_on();
	killed(&way, false);
	swap_off();
}

static void merging(void)
{
	static const struct way way = { NULL, step_merge };
	struct ksm ksm = ksm_on();

	killed(&way, false);
	ksm_off(&ksm);
}

static void bringing(void)
{
	static const struct way way = { begin_user_faults, step_user_faults };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		SKIP("no userfaultfd here");
	close(fd);
	killed(&way, false);
}

static void limited(void)
{
	static const struct way way = { begin_group, step_group };

	swap_on();
	group_make("12M");
	killed(&way, false);
	group_remove();
	swap_off();
}

static const struct test tests[] = {
	{ "process killed: in fork", forking },
	{ "process killed: in exec", executing },
	{ "process killed: in mremap", moving },
	{ "process killed: in munmap", unmapping },
	{ "process killed: in madvise", dropping },
	{ "process killed: in mprotect", protecting },
	{ "process killed: huge pages that are split", collapsing },
	{ "process killed: swap", swapping },
	{ "process killed: equal pages that are merged", merging },
	{ "process killed: userfaultfd", bringing },
	{ "process killed: a file that gets shorter", truncating },
	{ "process killed: a control group is full", limited },
	{ "process killed: managed, in fork", managed_forking },
	{ "process killed: managed, in exec", managed_executing },
	{ "process killed: managed, in mremap", managed_moving },
	{ "process killed: managed, in munmap", managed_unmapping },
	{ "process killed: managed, in madvise", managed_dropping },
	{ "process killed: managed, in mprotect", managed_protecting },
};

TESTS_MAIN(tests)
