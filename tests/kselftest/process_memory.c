// SPDX-License-Identifier: MIT
/*
 * Memory of a process that kernels use where it is (VGPU_IOC_PROCESS_MEMORY): heap, stack, mapped
 * files; whatever the process does to its page tables meanwhile; and what is not its memory.
 */
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "vgpu_asm.h"
#include "vgpu_selftest.h"
#include "vgpu_process.h"

#define PAGES		16u
#define BYTES		(PAGES * PAGE)
#define WORDS		(BYTES / 4)

static volatile uint32_t *must_mmap(size_t bytes, int prot, int flags, int fd)
{
	void *memory = mmap(NULL, bytes, prot, flags, fd, 0);

	CHECK(memory != MAP_FAILED);
	return memory;
}

/* A kernel that adds to @words ends its context, for @reason. */
static void must_die_for(uint64_t words, enum vgpu_fault_reason reason)
{
	struct user u = process_begin();

	CHECK_EQ(wait_seq(u.fd, u.queue, start_add(&u, words, 128, 1, 4), limit_ns(30)), -EIO);
	CHECK_EQ(must_context_info(u.fd).fault.reason, reason);
	CHECK_EQ(must_context_info(u.fd).fault.address & ~(uint64_t)(PAGE - 1),
		 words & ~(uint64_t)(PAGE - 1));
	close(u.fd);
}

static void must_die(uint64_t words)
{
	must_die_for(words, VGPU_FAULT_UNMAPPED);
}

/* ---- values --------------------------------------------------------------- */

static uint32_t globals[WORDS];

static void in_turn(void)
{
	struct user u = process_begin();
	uint32_t stack[1024];
	uint32_t *heap = malloc(BYTES);
	uint64_t faults;

	CHECK(heap);
	number(stack, 1024);
	number(heap, WORDS);
	number(globals, WORDS);
	for (uint32_t round = 1; round <= 3; round++) {
		must_add(&u, at(stack), 1024, 1);
		must_add(&u, at(heap), WORDS, 2);
		must_add(&u, at(globals), WORDS, 3);
		must_be(stack, 1024, round);
		must_be(heap, WORDS, 2 * round);
		must_be(globals, WORDS, 3 * round);
	}
	/* pages were found once, many at a time, and take no memory of the device */
	faults = must_context_info(u.fd).account.page_faults;
	CHECK(faults >= 3 && faults < PAGES);
	must_add(&u, at(heap), WORDS, 2);
	CHECK_EQ(must_context_info(u.fd).account.page_faults, faults);
	CHECK_EQ(must_context_info(u.fd).mapped_bytes, 0);
	/* memory of the device beside it */
	CHECK_EQ(mem_map(u.fd, BASE, BYTES), 0);
	must_add(&u, BASE, WORDS, 9);
	must_d2h(u.fd, u.queue, heap, BASE, BYTES);
	for (uint32_t n = 0; n < WORDS; n++)
		CHECK_EQ(heap[n], 9);
	/* words in the middle of many pages at a time */
	number(heap, WORDS);
	must_wait(&u, start_add(&u, at(heap) + 12, 128, 1, BYTES / 128));
	for (uint32_t n = 0; n < 128; n++)
		CHECK_EQ(heap[n * WORDS / 128 + 3], n * WORDS / 128 + 4);
	free(heap);
}

static void files(void)
{
	struct user u = process_begin();
	int fd = memfd_create("file", 0), disk = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	volatile uint32_t *shared, *private;
	uint32_t word;

	for (int n = 0; n < 2; n++, fd = disk) {
		if (fd < 0)
			continue;
		CHECK_EQ(ftruncate(fd, BYTES), 0);
		shared = must_mmap(BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
		private = must_mmap(BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd);
		must_add(&u, at(shared), WORDS, 5);
		CHECK_EQ(pread(fd, &word, 4, BYTES - 4), 4);
		CHECK_EQ(word, 5);
		CHECK_EQ(private[9], 5);
		must_add(&u, at(private), WORDS, 5);
		CHECK_EQ(private[9], 10);
		CHECK_EQ(shared[9], 5);
		/* written back and dropped, it comes again */
		CHECK_EQ(msync((void *)shared, BYTES, MS_SYNC), 0);
		must_add(&u, at(shared), WORDS, 1);
		CHECK_EQ(madvise((void *)shared, BYTES, MADV_PAGEOUT), 0);
		must_add(&u, at(shared), WORDS, 1);
		CHECK_EQ(pread(fd, &word, 4, 4000), 4);
		CHECK_EQ(word, 7);
		munmap((void *)shared, BYTES);
		munmap((void *)private, BYTES);
	}
}

/* Pages that nobody has touched yet come ahead of a kernel, which faults for none. */
static void prefetched(void)
{
	struct user u = process_begin();
	volatile uint32_t *words = anonymous(BYTES);
	struct vgpu_cmd cmd = { .op = VGPU_CMD_PREFETCH,
				.prefetch = { .address = at(words) + 8,
					      .bytes = BYTES - 8,
					      .to_device = 1 } };

	must_run(u.fd, u.queue, &cmd, 1);
	must_add(&u, at(words), WORDS, 3);
	CHECK_EQ(must_context_info(u.fd).account.page_faults, 0);
	CHECK_EQ(words[0], 3);
	CHECK_EQ(words[WORDS - 1], 3);
	/* to the host it is already; what is not mapped does not matter until it is used */
	cmd.prefetch.to_device = 0;
	must_run(u.fd, u.queue, &cmd, 1);
	munmap((void *)words, BYTES);
	cmd.prefetch.to_device = 1;
	must_run(u.fd, u.queue, &cmd, 1);
	CHECK_EQ(wait_seq(u.fd, u.queue, start_add(&u, at(words), 128, 1, 4), limit_ns(30)), -EIO);
	CHECK_EQ(must_context_info(u.fd).fault.reason, VGPU_FAULT_UNMAPPED);
	close(u.fd);
}

/* ---- what changes page tables --------------------------------------------- */

static void forked(void)
{
	struct user u = process_begin();
	volatile uint32_t *words = anonymous(BYTES);
	int status, go[2];
	char byte;
	pid_t child;

	CHECK_EQ(pipe(go), 0);
	number(words, WORDS);
	must_add(&u, at(words), WORDS, 1);
	child = fork();
	if (!child) {
		/* what kernels write is the parent's, also for a child that has the file */
		byte = read(go[0], &byte, 1);
		for (uint32_t n = 0; n < WORDS; n++)
			if (words[n] != n + 1)
				_exit(1);
		_exit(process_memory(u.fd) == -EBUSY ? 0 : 2);
	}
	must_add(&u, at(words), WORDS, 1);
	CHECK_EQ(write(go[1], "", 1), 1);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	must_be(words, WORDS, 2);
	must_add(&u, at(words), WORDS, 1);
	must_be(words, WORDS, 3);
	munmap((void *)words, BYTES);
}

static void remapped(void)
{
	struct user u = process_begin();
	volatile uint32_t *words = anonymous(BYTES), *other = anonymous(BYTES), *old = words;

	number(words, WORDS);
	must_add(&u, at(words), WORDS, 1);
	words = mremap((void *)words, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, other);
	CHECK(words == other);
	must_add(&u, at(words), WORDS, 1);
	must_be(words, WORDS, 2);
	must_die(at(old));
	/* other memory at the same place */
	CHECK_EQ(madvise((void *)words, BYTES, MADV_DONTNEED), 0);
	must_add(&u, at(words), WORDS, 1);
	CHECK_EQ(words[77], 1);
	words = mmap((void *)words, BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	must_add(&u, at(words), WORDS, 4);
	CHECK_EQ(words[77], 4);
	munmap((void *)words, BYTES);
	must_die(at(words));
}

static void huge(void)
{
	size_t bytes = 4u << 20;
	struct user u = process_begin();
	volatile uint32_t *words = anonymous(bytes);

	/* a huge page where there are some; a hole splits it */
	madvise((void *)words, bytes, MADV_HUGEPAGE);
	for (size_t n = 0; n < bytes / PAGE; n++)
		words[n * PAGE / 4] = 1;
	must_wait(&u, start_add(&u, at(words), (uint32_t)(bytes / PAGE), 1, PAGE));
	CHECK_EQ(munmap((char *)words + bytes / 2 + PAGE, PAGE), 0);
	must_wait(&u, start_add(&u, at(words), (uint32_t)(bytes / 2 / PAGE), 1, PAGE));
	for (size_t n = 0; n < bytes / PAGE; n++)
		if (n != bytes / 2 / PAGE + 1)
			CHECK_EQ(words[n * PAGE / 4], n < bytes / 2 / PAGE ? 3 : 2);
	munmap((void *)words, bytes);
}

/* ---- who is refused ------------------------------------------------------- */

static void refused(void)
{
	volatile uint32_t *words = must_mmap(BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	struct vgpu_process_memory memory = { .flags = 1 };
	int fd = must_open();

	CHECK_EQ(call(fd, VGPU_IOC_PROCESS_MEMORY, &memory), -EINVAL);
	memory = (struct vgpu_process_memory){ .reserved = 1 };
	CHECK_EQ(call(fd, VGPU_IOC_PROCESS_MEMORY, &memory), -EINVAL);
	CHECK_EQ(process_memory(fd), 0);
	CHECK_EQ(process_memory(fd), 0);
	close(fd);
	must_die(at(words));
	CHECK_EQ(mprotect((void *)words, BYTES, PROT_NONE), 0);
	must_die(at(words));
	CHECK_EQ(mprotect((void *)words, BYTES, PROT_READ | PROT_WRITE), 0);
	CHECK_EQ(words[0], 0);
	munmap((void *)words, BYTES);
	must_die(at(words));
	must_die(0);
	/* the kernel's: its memory, its code, the page of vsyscalls */
	must_die(0xffff888000000000);
	must_die(0xffffffff81000000);
	must_die(0xffffffffff600000);
	must_die_for(VGPU_SYSTEM_BASE, VGPU_FAULT_SYSTEM);
}

/* Managed memory of another context, which has it on the device: nobody waits for it. */
static void managed_elsewhere(void)
{
	struct user u = user_begin();
	volatile uint32_t *words;

	CHECK_EQ(mem_map_managed(u.fd, BASE, BYTES), 0);
	must_add(&u, BASE, WORDS, 3);
	words = managed_view(u.fd, NULL, BASE, BYTES, PROT_READ | PROT_WRITE);
	CHECK(words != MAP_FAILED);
	must_die(at(words));
	CHECK_EQ(words[5], 3);
	munmap((void *)words, BYTES);
}

#ifdef SYS_memfd_secret
static void secret(void)
{
	int fd = (int)syscall(SYS_memfd_secret, 0);
	volatile uint32_t *words;

	if (fd < 0)
		SKIP("no memfd_secret here");
	CHECK_EQ(ftruncate(fd, BYTES), 0);
	words = must_mmap(BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	words[0] = 1;
	must_die(at(words));
	CHECK_EQ(words[0], 1);
	munmap((void *)words, BYTES);
	close(fd);
}
#endif

/* A file gets shorter under a kernel that reads it. */
static void truncated(void)
{
	struct user u = process_begin();
	int fd = memfd_create("file", 0);
	volatile uint32_t *words;
	uint64_t address, seq;
	struct vgpu_cmd cmd;

	CHECK_EQ(ftruncate(fd, BYTES), 0);
	words = must_mmap(BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	address = at(words);
	cmd = cmd_launch(u.module, SPIN, 1, 1, &address, sizeof(address));
	seq = must_submit(u.fd, u.queue, &cmd, 1);
	CHECK_EQ(wait_seq(u.fd, u.queue, seq, 20000000), -ETIMEDOUT);
	CHECK_EQ(ftruncate(fd, 0), 0);
	CHECK_EQ(wait_seq(u.fd, u.queue, seq, limit_ns(30)), -EIO);
	munmap((void *)words, BYTES);
	close(fd);
}

/* ---- processes that do something at the same time ------------------------- */

/* A kernel waits for a word that the process writes; munmap() under another one. */
static void spinning(void)
{
	struct user u = process_begin();
	volatile uint32_t *words = anonymous(BYTES);
	uint64_t address = at(words), seq;
	struct vgpu_cmd cmd = cmd_launch(u.module, SPIN, 1, 1, &address, sizeof(address));

	seq = must_submit(u.fd, u.queue, &cmd, 1);
	CHECK_EQ(wait_seq(u.fd, u.queue, seq, 20000000), -ETIMEDOUT);
	words[0] = 1;
	must_wait(&u, seq);
	words[0] = 0;
	seq = must_submit(u.fd, u.queue, &cmd, 1);
	CHECK_EQ(wait_seq(u.fd, u.queue, seq, 20000000), -ETIMEDOUT);
	munmap((void *)words, BYTES);
	CHECK_EQ(wait_seq(u.fd, u.queue, seq, limit_ns(30)), -EIO);
}

struct worker {
	volatile uint32_t *words;
	bool stop;
};

/* Writes words of all pages, which it has taken from the device again and again. */
static void *disturb(void *arg)
{
	struct worker *w = arg;
	uint32_t round;

	for (round = 0; !__atomic_load_n(&w->stop, __ATOMIC_RELAXED); round++) {
		for (uint32_t n = 4; n < WORDS; n += 8)
			w->words[n]++;
		if (round % 4 == 0)
			madvise((void *)w->words, BYTES, MADV_PAGEOUT);
		if (round % 4 == 2 && !fork())
			_exit(0);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	return (void *)(uintptr_t)round;
}

/* Neither side loses what it wrote, in the same pages. */
static void together(void)
{
	struct user u = process_begin();
	struct worker w = { .words = anonymous(BYTES) };
	pthread_t thread;
	void *rounds;

	CHECK_EQ(pthread_create(&thread, NULL, disturb, &w), 0);
	for (uint32_t n = 0; n < 30; n++)
		must_wait(&u, start_add(&u, at(w.words), WORDS / 8, 1, 32));
	__atomic_store_n(&w.stop, true, __ATOMIC_RELAXED);
	CHECK_EQ(pthread_join(thread, &rounds), 0);
	for (uint32_t n = 0; n < WORDS; n += 4)
		CHECK_EQ(w.words[n], n % 8 ? (uint32_t)(uintptr_t)rounds : 30);
	munmap((void *)w.words, BYTES);
}

/* A page that comes late: only who wants it waits. */
static void user_faults(void)
{
	int uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	struct user u = process_begin();
	int other = must_open();
	uint32_t queue = must_queue(other);
	volatile uint32_t *words = anonymous(BYTES);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range = { at(words), BYTES },
					 .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct pollfd poll_for = { .fd = uffd, .events = POLLIN };
	static uint32_t source[PAGE / 4] = { 7 };
	struct uffdio_copy copy = { .dst = at(words), .src = at(source), .len = PAGE };
	struct uffd_msg msg;
	uint64_t seq;

	if (uffd < 0 || ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &range))
		SKIP("no userfaultfd here");
	seq = start_add(&u, at(words), 128, 1, 4);
	CHECK_EQ(poll(&poll_for, 1, 30000), 1);
	CHECK_EQ(read(uffd, &msg, sizeof(msg)), sizeof(msg));
	CHECK_EQ(msg.arg.pagefault.address & ~(uint64_t)(PAGE - 1), at(words));
	CHECK_EQ(wait_seq(u.fd, u.queue, seq, 20000000), -ETIMEDOUT);
	CHECK_EQ(mem_map(other, BASE, PAGE), 0);
	must_h2d(other, queue, BASE, source, PAGE);
	CHECK_EQ(ioctl(uffd, UFFDIO_COPY, &copy), 0);
	must_wait(&u, seq);
	CHECK_EQ(words[0], 8);
	CHECK_EQ(words[1], 1);
	/* one that never comes: the context is closed all the same */
	start_add(&u, at(words) + PAGE, 128, 1, 4);
	CHECK_EQ(poll(&poll_for, 1, 30000), 1);
	close(uffd);
	close(u.fd);
	close(other);
	munmap((void *)words, BYTES);
}

/* kill -9 while kernels use the memory, while one waits for a page, and exec(). */
static void killed(void)
{
	for (int way = 0; way < 8; way++) {
		pid_t child = fork();
		int status;

		if (!child) {
			struct user u = process_begin();
			volatile uint32_t *words = anonymous(BYTES);
			uint64_t address = at(words);
			struct vgpu_cmd spin =
				cmd_launch(u.module, SPIN, 1, 1, &address, sizeof(address));

			if (way % 2)
				must_submit(u.fd, u.queue, &spin, 1);
			for (int n = 0; n < 4; n++)
				start_add(&u, at(words) + PAGE, 1024, 1, 4);
			usleep((useconds_t)(way * 500));
			if (way == 6)
				execl("/bin/true", "true", NULL);
			if (way == 7)
				munmap((void *)words, BYTES);
			raise(SIGKILL);
		}
		CHECK_EQ(waitpid(child, &status, 0), child);
		if (way != 6)
			CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
	/* the device is as it was */
	in_turn();
}

static const struct test tests[] = {
	{ "process memory: heap, stack, globals", in_turn },
	{ "process memory: mapped files", files },
	{ "process memory: prefetches", prefetched },
	{ "process memory: fork", forked },
	{ "process memory: mremap, madvise, mmap", remapped },
	{ "process memory: huge pages that are split", huge },
	{ "process memory: what is refused", refused },
	{ "process memory: managed memory of another context", managed_elsewhere },
#ifdef SYS_memfd_secret
	{ "process memory: memfd_secret", secret },
#endif
	{ "process memory: a file that gets shorter", truncated },
	{ "process memory: a kernel waits for the host", spinning },
	{ "process memory: both write, page tables change", together },
	{ "process memory: userfaultfd", user_faults },
	{ "process memory: killed", killed },
};

TESTS_MAIN(tests)
