// SPDX-License-Identifier: MIT
/*
 * Managed memory: processes and kernels use the same pages in turn, and at the same time, whatever
 * a process does with its mapping meanwhile. A page that the device has comes back when it is
 * touched, by the processor or by a system call; what is not managed is SIGBUS.
 */
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "vgpu_asm.h"
#include "vgpu_clock.h"
#include "vgpu_configfs.h"
#include "vgpu_group.h"
#include "vgpu_words.h"

#define GRANULE		65536u
#define BYTES		(8u * GRANULE)
#define WORDS		(BYTES / 4)

/* ---- what the tests use -------------------------------------------------- */

static volatile uint32_t *view(int fd, void *where, uint64_t address, uint64_t bytes, int prot)
{
	void *memory = managed_view(fd, where, address, bytes, prot);

	CHECK(memory != MAP_FAILED);
	return memory;
}

/* @bytes of managed memory at @address, for the device as for this process. */
static volatile uint32_t *must_map(int fd, uint64_t address, uint64_t bytes)
{
	CHECK_EQ(mem_map_managed(fd, address, bytes), 0);
	return view(fd, (void *)(uintptr_t)address, address, bytes, PROT_READ | PROT_WRITE);
}

static sigjmp_buf back;

static void on_signal(int signal)
{
	siglongjmp(back, signal);
}

/* The signal that a read, or a write, of @word is answered by; 0: none. */
static int signal_of(volatile uint32_t *word, bool write)
{
	struct sigaction action = { .sa_handler = on_signal }, segv, bus;
	volatile int result = 0;

	sigaction(SIGSEGV, &action, &segv);
	sigaction(SIGBUS, &action, &bus);
	result = sigsetjmp(back, 1);
	if (!result && write)
		*word = *word;
	else if (!result)
		(void)*word;
	sigaction(SIGSEGV, &segv, NULL);
	sigaction(SIGBUS, &bus, NULL);
	return result;
}

/* ---- host and device in turn ---------------------------------------------- */

static void in_turn(void)
{
	struct user u = user_begin();
	volatile uint32_t *words = must_map(u.fd, BASE, BYTES);
	struct vgpu_account account;

	/* untouched memory is zero, whoever reads it first */
	must_be(words, 1, 0);
	must_add(&u, BASE + GRANULE, 128, 3);
	CHECK_EQ(words[GRANULE / 4 + 5], 3);
	words[GRANULE / 4 + 5] = 0;
	must_add(&u, BASE + GRANULE, 128, (uint32_t)-3);
	account = must_context_info(u.fd).account;
	number(words, WORDS);
	for (uint32_t round = 1; round <= 3; round++) {
		must_add(&u, BASE, WORDS, 1);
		must_be(words, WORDS, round);
	}
	/* each granule went there and back in each round; the second one was there before */
	CHECK_EQ(must_context_info(u.fd).account.page_faults - account.page_faults, 3 * 8);
	CHECK_EQ(must_context_info(u.fd).account.host_page_faults - account.host_page_faults,
		 3 * 8 + 1);
	CHECK_EQ(must_context_info(u.fd).account.page_bytes_out - account.page_bytes_out,
		 3 * BYTES + PAGE);
	CHECK_EQ(mem_unmap(u.fd, BASE, BYTES), 0);
	CHECK_EQ(signal_of(words, false), SIGBUS);
	/* mapped anew, it is zero, in the same view */
	CHECK_EQ(mem_map_managed(u.fd, BASE, BYTES), 0);
	for (uint32_t n = 0; n < WORDS; n++)
		CHECK_EQ(words[n], 0);
}

/* Copies, fills and prefetches use the pages where they are. */
static void commands(void)
{
	static uint32_t other[WORDS];
	struct user u = user_begin();
	volatile uint32_t *words = must_map(u.fd, BASE, BYTES);
	struct vgpu_cmd prefetch = { .op = VGPU_CMD_PREFETCH,
				     .prefetch = { BASE, BYTES, .to_device = 1 } };
	struct vgpu_cmd fill = cmd_fill(BASE, 7, 4, 100);
	uint64_t faults;

	number(words, WORDS);
	must_run(u.fd, u.queue, &prefetch, 1);
	must_add(&u, BASE, WORDS, 2);
	CHECK_EQ(must_context_info(u.fd).account.page_faults, 0);
	must_d2h(u.fd, u.queue, other, BASE, BYTES);
	must_be(other, WORDS, 2);
	prefetch.prefetch.to_device = 0;
	must_run(u.fd, u.queue, &prefetch, 1);
	faults = must_context_info(u.fd).account.host_page_faults;
	must_be(words, WORDS, 2);
	CHECK_EQ(must_context_info(u.fd).account.host_page_faults, faults);
	must_run(u.fd, u.queue, &fill, 1);
	CHECK_EQ(words[99], 7);
	CHECK_EQ(words[100], 102);
	/* process memory of a copy may be managed memory, on the device */
	must_add(&u, BASE, WORDS, 1);
	CHECK_EQ(mem_map(u.fd, BASE + BYTES, BYTES), 0);
	must_h2d(u.fd, u.queue, BASE + BYTES, (void *)BASE, BYTES);
	memset(other, 0, sizeof(other));
	must_d2h(u.fd, u.queue, other, BASE + BYTES, BYTES);
	CHECK_EQ(other[99], 8);
	CHECK_EQ(other[WORDS - 1], WORDS - 1 + 3);
}

/* What the device has, system calls and other processes get. */
static void system_calls(void)
{
	static uint32_t other[1024];
	struct user u = user_begin();
	volatile uint32_t *words = must_map(u.fd, BASE, BYTES);
	struct iovec local = { other, PAGE }, remote = { (void *)BASE, PAGE };
	int ends[2];
	pid_t pid;

	number(words, WORDS);
	must_add(&u, BASE, WORDS, 1);
	CHECK(!pipe(ends));
	CHECK_EQ(write(ends[1], (void *)BASE, PAGE), PAGE);
	CHECK_EQ(read(ends[0], other, PAGE), PAGE);
	must_be(other, 1024, 1);
	must_add(&u, BASE, WORDS, 1);
	CHECK_EQ(write(ends[1], other, PAGE), PAGE);
	CHECK_EQ(read(ends[0], (void *)(BASE + PAGE), PAGE), PAGE);
	must_be(words + 1024, 0, 0);
	CHECK_EQ(words[1024 + 9], 10);
	CHECK_EQ(words[9], 11);
	must_add(&u, BASE, WORDS, 1);
	pid = fork();
	if (!pid) {
		/* it has no view of its own, and reads its parent's */
		CHECK_EQ(signal_of(words, false), SIGSEGV);
		CHECK_EQ(process_vm_readv(getppid(), &local, 1, &remote, 1, 0), PAGE);
		must_be(other, 1024, 3);
		other[5] = 77;
		CHECK_EQ(process_vm_writev(getppid(), &local, 1, &remote, 1, 0), PAGE);
		_exit(0);
	}
	must_end_well(pid);
	CHECK_EQ(words[5], 77);
}

/* ---- what a process does with its mapping ---------------------------------- */

/* Several views, also of another process that has the file. */
static void views(void)
{
	struct user u = user_begin();
	volatile uint32_t *words = must_map(u.fd, BASE, BYTES), *second;
	pid_t pid;

	number(words, WORDS);
	second = view(u.fd, NULL, BASE + GRANULE, GRANULE, PROT_READ);
	CHECK_EQ(second[3], GRANULE / 4 + 3);
	must_add(&u, BASE, WORDS, 5);
	CHECK_EQ(second[3], GRANULE / 4 + 8);
	pid = fork();
	if (!pid) {
		CHECK_EQ(signal_of(words, false), SIGSEGV);
		words = view(u.fd, (void *)BASE, BASE, BYTES, PROT_READ | PROT_WRITE);
		must_be(words, WORDS, 5);
		must_add(&u, BASE, WORDS, 1);
		must_be(words, WORDS, 6);
		words[0] = 1000;
		_exit(0);
	}
	must_end_well(pid);
	CHECK_EQ(words[0], 1000);
	must_be(words + 1, 0, 0);
	CHECK_EQ(words[WORDS - 1], WORDS - 1 + 6);
}

static void moved(void)
{
	struct user u = user_begin();
	volatile uint32_t *words = must_map(u.fd, BASE, BYTES), *there;
	void *to = (void *)(uintptr_t)(BASE + 16 * BYTES);

	number(words, WORDS);
	must_add(&u, BASE, WORDS, 1);
	CHECK(words[3] == 4);
	there = mremap((void *)BASE, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	CHECK(there == to);
	must_be(there, WORDS, 1);
	/* the device has it where it was */
	must_add(&u, BASE, WORDS, 1);
	must_be(there, WORDS, 2);
	CHECK_EQ(signal_of(words, false), SIGSEGV);
	/* it does not grow, but it may shrink */
	CHECK(mremap(to, BYTES, 2 * BYTES, MREMAP_MAYMOVE) == MAP_FAILED);
	CHECK(mremap(to, BYTES, GRANULE, 0) == to);
	CHECK_EQ(signal_of(there + WORDS - 1, false), SIGSEGV);
	must_be(there, GRANULE / 4, 2);
}

static void unmapped(void)
{
	struct user u = user_begin();
	volatile uint32_t *words = must_map(u.fd, BASE, BYTES);
	uint64_t seq;

	number(words, WORDS);
	seq = start_add(&u, BASE, WORDS, 1, 4);
	/* the device goes on */
	CHECK(!munmap((void *)BASE, BYTES));
	must_wait(&u, seq);
	must_add(&u, BASE, WORDS, 1);
	words = view(u.fd, (void *)BASE, BASE, BYTES, PROT_READ | PROT_WRITE);
	must_be(words, WORDS, 2);
	/* a hole in the middle */
	CHECK(!munmap((void *)(BASE + GRANULE), GRANULE));
	must_add(&u, BASE, WORDS, 1);
	CHECK_EQ(signal_of(words + GRANULE / 4, false), SIGSEGV);
	CHECK_EQ(words[5], 8);
	CHECK_EQ(words[WORDS - 1], WORDS - 1 + 3);
	CHECK_EQ(mem_unmap(u.fd, BASE, BYTES), 0);
	CHECK_EQ(signal_of(words, true), SIGBUS);
	/* the device's memory is no view of the process */
	CHECK_EQ(mem_map(u.fd, BASE, BYTES), 0);
	CHECK_EQ(signal_of(words, false), SIGBUS);
}

static void advised(void)
{
	static const int harmless[] = { MADV_DONTNEED, MADV_WILLNEED, MADV_SEQUENTIAL,
					MADV_DONTFORK, MADV_NOHUGEPAGE };
	static const int refused[] = { MADV_REMOVE, MADV_FREE };
	struct user u = user_begin();
	volatile uint32_t *words = must_map(u.fd, BASE, BYTES);

	number(words, WORDS);
	for (uint32_t n = 0; n < ARRAY_SIZE(harmless); n++) {
		/* what it cannot do, it may refuse */
		(void)madvise((void *)BASE, BYTES, harmless[n]);
		must_be(words, WORDS, n);
		must_add(&u, BASE, WORDS, 1);
		(void)madvise((void *)BASE, BYTES, harmless[n]);
	}
	must_be(words, WORDS, ARRAY_SIZE(harmless));
	for (uint32_t n = 0; n < ARRAY_SIZE(refused); n++)
		CHECK(madvise((void *)BASE, BYTES, refused[n]));
	(void)mlock((void *)BASE, BYTES);
	must_add(&u, BASE, WORDS, 1);
	must_be(words, WORDS, ARRAY_SIZE(harmless) + 1);
}

static void protected(void)
{
	struct user u = user_begin();
	volatile uint32_t *words = must_map(u.fd, BASE, BYTES), *second;

	number(words, WORDS);
	CHECK(!mprotect((void *)BASE, BYTES, PROT_READ));
	must_add(&u, BASE, WORDS, 1);
	CHECK_EQ(signal_of(words, false), 0);
	CHECK_EQ(signal_of(words, true), SIGSEGV);
	CHECK(!mprotect((void *)BASE, BYTES, PROT_NONE));
	must_add(&u, BASE, WORDS, 1);
	CHECK_EQ(signal_of(words, false), SIGSEGV);
	CHECK(!mprotect((void *)BASE, BYTES, PROT_READ | PROT_WRITE));
	must_be(words, WORDS, 2);
	words[0] = 9;
	second = view(u.fd, NULL, BASE, GRANULE, PROT_READ);
	CHECK_EQ(signal_of(second, true), SIGSEGV);
	CHECK_EQ(second[0], 9);
}

static void user_faults(void)
{
	struct uffdio_register request = { .range = { BASE, BYTES },
					   .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	struct user u = user_begin();
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		SKIP("no userfaultfd here");
	must_map(u.fd, BASE, BYTES);
	CHECK(!ioctl(fd, UFFDIO_API, &api));
	/* its faults are the device's */
	CHECK(ioctl(fd, UFFDIO_REGISTER, &request) && errno == EINVAL);
}

static void refused(void)
{
	struct vgpu_mem mem = { .address = BASE, .bytes = PAGE, .flags = VGPU_MEM_MANAGED | 2 };
	struct user u = user_begin();
	volatile uint32_t *words;

	CHECK_EQ(call(u.fd, VGPU_IOC_MEM_MAP, &mem), -EINVAL);
	mem.flags = VGPU_MEM_MANAGED;
	CHECK_EQ(call(u.fd, VGPU_IOC_MEM_UNMAP, &mem), -EINVAL);
	CHECK_EQ(mem_map_managed(u.fd, BASE + 1, PAGE), -EINVAL);
	CHECK_EQ(mem_map_managed(u.fd, BASE, 0), -EINVAL);
	CHECK_EQ(mem_map_managed(u.fd, ~0ull << 12, PAGE), -EINVAL);
	CHECK_EQ(mem_map_managed(u.fd, BASE, PAGE), 0);
	CHECK_EQ(mem_map_managed(u.fd, BASE, PAGE), -EEXIST);
	CHECK_EQ(mem_map(u.fd, BASE, PAGE), -EEXIST);
	CHECK(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, u.fd,
		   (off_t)(VGPU_MMAP_MANAGED + BASE)) == MAP_FAILED);
	CHECK_EQ(errno, EINVAL);
	/* beyond the end, before the beginning, and what no address is */
	words = view(u.fd, NULL, BASE - PAGE, 3 * PAGE, PROT_READ | PROT_WRITE);
	CHECK_EQ(signal_of(words, false), SIGBUS);
	CHECK_EQ(signal_of(words + 1024, true), 0);
	CHECK_EQ(signal_of(words + 2048, true), SIGBUS);
	words = view(u.fd, NULL, (1ull << 62) - PAGE, PAGE, PROT_READ);
	CHECK_EQ(signal_of(words, false), SIGBUS);
	/* system calls are told so */
	CHECK(write(u.fd, (void *)(uintptr_t)words, 4) < 0);
}

/* ---- at the same time ------------------------------------------------------ */

/* A kernel reads a word until the host has written it. */
static void spinning(void)
{
	struct user u = user_begin();
	volatile uint32_t *words = must_map(u.fd, BASE, BYTES);
	uint64_t base = BASE, seq;
	struct vgpu_cmd cmd = cmd_launch(u.module, SPIN, 1, 32, &base, sizeof(base));

	for (uint32_t n = 0; n < 5; n++) {
		words[0] = 0;
		seq = must_submit(u.fd, u.queue, &cmd, 1);
		usleep(2000);
		CHECK_EQ(completed(u.fd, u.queue), seq - 1);
		words[0] = 1;
		must_wait(&u, seq);
	}
}

#define THREADS	100u

static void *count_pages(void *argument)
{
	volatile uint32_t *words = argument;

	for (uint32_t n = 0; n < BYTES / PAGE; n++)
		__atomic_fetch_add(&words[n * 1024 + 1], 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Threads of this process and of a kernel in all pages at once. */
static void threads(void)
{
	struct user u = user_begin();
	volatile uint32_t *words = must_map(u.fd, BASE, BYTES);
	pthread_t thread[THREADS];
	uint64_t seq = 0;

	for (uint32_t n = 0; n < THREADS; n++) {
		CHECK(!pthread_create(&thread[n], NULL, count_pages, (void *)BASE));
		if (n % 10 == 0)
			seq = start_add(&u, BASE, 128, 1, PAGE);
	}
	for (uint32_t n = 0; n < THREADS; n++)
		CHECK(!pthread_join(thread[n], NULL));
	must_wait(&u, seq);
	for (uint32_t n = 0; n < BYTES / PAGE; n++) {
		CHECK_EQ(words[n * 1024], THREADS / 10);
		CHECK_EQ(words[n * 1024 + 1], THREADS);
	}
}

/* The range goes while threads touch it: SIGBUS, or the values. */
static void *touch_for_ever(void *argument)
{
	uint64_t random = (uintptr_t)argument;

	for (;;) {
		volatile uint32_t *word =
			(volatile uint32_t *)(uintptr_t)(BASE + rnd(&random) % BYTES / 4 * 4);
		struct iovec local = { &(uint32_t){ 0 }, 4 }, remote = { (void *)word, 4 };

		/* a bad address is an error here, and no signal */
		(void)process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
	}
	return NULL;
}

static void races(void)
{
	struct user u = user_begin();
	pthread_t thread;

	must_map(u.fd, BASE, BYTES);
	for (uintptr_t n = 0; n < 4; n++)
		CHECK(!pthread_create(&thread, NULL, touch_for_ever, (void *)n));
	for (uint32_t n = 0; n < 60; n++) {
		volatile uint32_t *words = (void *)BASE;

		CHECK_EQ(mem_unmap(u.fd, BASE, BYTES), 0);
		CHECK_EQ(mem_map_managed(u.fd, BASE, BYTES), 0);
		CHECK_EQ(words[n], 0);
		words[n] = 5;
		must_add(&u, BASE, WORDS, n);
		CHECK_EQ(words[n], 5 + n);
		if (n % 3 == 0) {
			CHECK(!munmap((void *)BASE, BYTES));
			view(u.fd, (void *)BASE, BASE, BYTES, PROT_READ | PROT_WRITE);
		}
	}
}

static void use_for_ever(void)
{
	struct user u = user_begin();
	volatile uint32_t *words = must_map(u.fd, BASE, BYTES);

	for (uint32_t n = 1;; n++) {
		must_add(&u, BASE, WORDS, 1);
		for (uint32_t page = 0; page < BYTES / PAGE; page++)
			CHECK_EQ(words[page * 1024], n);
	}
}

/* Killed in the middle of it, over and over; another process's values are right. */
static void killed(void)
{
	struct user u = user_begin();
	volatile uint32_t *words = must_map(u.fd, BASE, BYTES);

	number(words, WORDS);
	for (uint32_t round = 1; round <= 30; round++) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (!pid) {
			close(u.fd);
			use_for_ever();
		}
		must_add(&u, BASE, WORDS, 1);
		must_be(words, WORDS, round);
		usleep(round % 7 * 3000);
		kill(pid, SIGKILL);
		CHECK_EQ(waitpid(pid, NULL, 0), pid);
	}
}

static void executed(void)
{
	pid_t pid = fork();

	if (!pid) {
		struct user u = user_begin();
		volatile uint32_t *words = must_map(u.fd, BASE, BYTES);

		number(words, WORDS);
		start_add(&u, BASE, WORDS, 1, 4);
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	must_end_well(pid);
}

/* ---- how much is where ---------------------------------------------------- */

static void counts_are(int fd, uint64_t resident, uint64_t host)
{
	struct vgpu_account account = must_context_info(fd).account;
	struct vgpu_device_info device = must_device_info(fd);

	CHECK_EQ(account.managed_resident, resident);
	CHECK_EQ(account.managed_host, host);
	CHECK_EQ(device.managed_resident, resident);
	CHECK_EQ(device.managed_host, host);
	CHECK_EQ(device.vram_used, device.vram_bytes - device.vram_free + resident);
}

static void counts(void)
{
	struct user u = user_begin();
	volatile uint32_t *words = must_map(u.fd, BASE, BYTES);
	struct vgpu_cmd prefetch = { .op = VGPU_CMD_PREFETCH,
				     .prefetch = { BASE, BYTES, .to_device = 1 } };
	int other, status;
	pid_t pid;

	counts_are(u.fd, 0, 0);
	number(words, WORDS);
	counts_are(u.fd, 0, BYTES);
	must_add(&u, BASE, WORDS, 1);
	counts_are(u.fd, BYTES, 0);
	must_be(words, 1, 1);
	counts_are(u.fd, BYTES - GRANULE, GRANULE);
	must_run(u.fd, u.queue, &prefetch, 1);
	counts_are(u.fd, BYTES, 0);
	prefetch.prefetch.to_device = 0;
	must_run(u.fd, u.queue, &prefetch, 1);
	counts_are(u.fd, 0, BYTES);
	must_add(&u, BASE, WORDS / 2, 1);
	counts_are(u.fd, BYTES / 2, BYTES / 2);
	CHECK_EQ(mem_unmap(u.fd, BASE, BYTES), 0);
	counts_are(u.fd, 0, 0);
	/* of a process that is killed while a kernel of it moves pages */
	other = must_open();
	for (uint32_t round = 0; round < 5; round++) {
		pid = fork();
		CHECK(pid >= 0);
		if (!pid)
			use_for_ever();
		usleep(round * 5000);
		kill(pid, SIGKILL);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		while (must_device_info(other).contexts > 2)
			usleep(1000);
		counts_are(other, 0, 0);
	}
}

/* ---- limits ---------------------------------------------------------------- */

/* Four times as much as the device has. */
static void oversubscribed(void)
{
	uint64_t bytes = 64ull << 20, evicted;
	volatile uint32_t *words;
	struct user u;

	cfs_must_make("managed");
	u = user_of(cfs_open("managed"));
	words = must_map(u.fd, BASE, bytes);
	for (uint32_t n = 0; n < bytes / PAGE; n++)
		words[n * 1024] = n;
	for (uint32_t round = 0; round < 2; round++)
		must_wait(&u, start_add(&u, BASE, (uint32_t)(bytes / PAGE), 1, PAGE));
	evicted = must_context_info(u.fd).account.pages_evicted;
	CHECK(evicted >= 48 << 8);
	CHECK(must_context_info(u.fd).resident_bytes <= 16 << 20);
	for (uint32_t n = 0; n < bytes / PAGE; n++)
		CHECK_EQ(words[n * 1024], n + 2);
	close(u.fd);
	CHECK(!munmap((void *)BASE, bytes));
	CHECK_EQ(cfs_remove("managed"), 0);
}

#define GROUP_BYTES	(48ull << 20)

static void use_too_much(void)
{
	struct user u;

	group_enter();
	u = user_begin();
	must_map(u.fd, BASE, 4 * GROUP_BYTES);
	memset((void *)BASE, 1, 4 * GROUP_BYTES);
	_exit(0);
}

/* The group of who opened the file pays for what is touched. */
static void limited(void)
{
	struct user u = user_begin();
	volatile uint32_t *words = must_map(u.fd, BASE, BYTES);
	int status;
	pid_t pid;

	number(words, WORDS);
	group_make("50331648");
	pid = fork();
	CHECK(pid >= 0);
	if (!pid)
		use_too_much();
	must_add(&u, BASE, WORDS, 1);
	must_be(words, WORDS, 1);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	/* it is killed for it, as for any memory */
	CHECK(WIFSIGNALED(status));
	printf("# ended by signal %d, with %lld bytes charged still\n", WTERMSIG(status),
	       group_bytes());
	must_add(&u, BASE, WORDS, 1);
	must_be(words, WORDS, 2);
	group_remove();
}

/* Under a lockstep clock a fault is a wait like others, and its times are the same every time. */
static uint64_t lockstep_run(void)
{
	struct user u = user_begin();
	volatile uint32_t *words = must_map(u.fd, BASE, BYTES);
	uint64_t begin;

	number(words, WORDS);
	begin = must_device_info(u.fd).time;
	for (uint32_t round = 1; round <= 3; round++) {
		must_add(&u, BASE, WORDS, 1);
		must_be(words, WORDS, round);
	}
	begin = must_device_info(u.fd).time - begin;
	CHECK(!munmap((void *)BASE, BYTES));
	close(u.fd);
	return begin;
}

static void lockstep(void)
{
	uint64_t time;

	clock_is("lockstep");
	time = lockstep_run();
	/* of the faults of a round, as many at a time as SMs have blocks: one at least */
	CHECK(time > 3 * 10 * US);
	CHECK_EQ(lockstep_run(), time);
	CHECK_EQ(lockstep_run(), time);
	clock_is("paced");
	lockstep_run();
	clock_is("free");
}

static const struct test tests[] = {
	{ "managed: host and device in turn", in_turn },
	{ "managed: copies, fills, prefetches", commands },
	{ "managed: system calls, other processes", system_calls },
	{ "managed: several views", views },
	{ "managed: mremap", moved },
	{ "managed: munmap", unmapped },
	{ "managed: madvise, mlock", advised },
	{ "managed: mprotect", protected },
	{ "managed: userfaultfd", user_faults },
	{ "managed: what is refused", refused },
	{ "managed: a kernel waits for the host", spinning },
	{ "managed: many threads", threads },
	{ "managed: a range that comes and goes", races },
	{ "managed: killed", killed },
	{ "managed: exec", executed },
	{ "managed: how much is where", counts },
	{ "managed: more than the device has", oversubscribed },
	{ "managed: a control group's limit", limited },
	{ "managed: lockstep and paced clocks", lockstep },
};

int main(int argc, char **argv)
{
	return clock_tests_main(argc, argv, tests, ARRAY_SIZE(tests));
}
