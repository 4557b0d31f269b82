// SPDX-License-Identifier: MIT
/*
 * Managed memory in a process: the signal behind it, and what lies around it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/cuda_runtime_api.h"
#include "rig.h"

static __thread sigjmp_buf escape;
static volatile sig_atomic_t seen;

static void on_fault(int number)
{
	(void)number;
	seen++;
	siglongjmp(escape, 1);
}

/* Of the program, from before the first managed memory: it still gets what is its own. */
static void other_faults_go_to_the_program(void **state)
{
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
	char *volatile wall = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rig rig;
	uint32_t *words, *device;

	(void)state;
	seen = 0;
	assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMallocManaged((void **)&words, 64));
	device = rig_words(1);
	words[0] = 5;
	assert_int_equal(seen, 0);
	if (!sigsetjmp(escape, 1))
		*wall = 1;
	assert_int_equal(seen, 1);
	/* device memory is not managed */
	if (!sigsetjmp(escape, 1))
		*(volatile uint32_t *)device = 1;
	assert_int_equal(seen, 2);
	/* neither is what has been freed */
	OK(vgpuFree(words));
	if (!sigsetjmp(escape, 1))
		*(volatile uint32_t *)words = 1;
	assert_int_equal(seen, 3);
	munmap(wall, 4096);
	rig_end();
}

/* The same for what lies beyond the end of a file; and who replaces the handler may go on to it. */
static struct sigaction replaced;

static void go_on(int number, siginfo_t *info, void *context)
{
	replaced.sa_sigaction(number, info, context);
}

static void a_handler_of_bus_errors(void **state)
{
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
	struct sigaction after = { .sa_sigaction = go_on, .sa_flags = SA_SIGINFO | SA_NODEFER };
	int fd = memfd_create("file", 0);
	char *volatile beyond = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	struct sigaction old;
	uint32_t *words;
	struct rig rig;

	(void)state;
	seen = 0;
	assert_true(fd >= 0 && beyond != MAP_FAILED);
	assert_int_equal(sigaction(SIGBUS, &action, &old), 0);
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMallocManaged((void **)&words, 1 << 20));
	words[0] = 5;
	if (!sigsetjmp(escape, 1))
		seen += *(volatile char *)beyond;
	assert_int_equal(seen, 1);
	assert_int_equal(sigaction(SIGBUS, NULL, &replaced), 0);
	if (replaced.sa_flags & SA_SIGINFO) { /* only where SIGBUS is what serves */
		assert_int_equal(sigaction(SIGBUS, &after, NULL), 0);
		OK(rig_add(&rig, words, 1, NULL));
		OK(vgpuDeviceSynchronize());
		assert_int_equal(words[0], 6);
		assert_int_equal(seen, 1);
		if (!sigsetjmp(escape, 1))
			seen += *(volatile char *)beyond;
		assert_int_equal(seen, 2);
		assert_int_equal(sigaction(SIGBUS, &replaced, NULL), 0);
	} else {
		assert_int_equal(sigaction(SIGBUS, &old, NULL), 0);
	}
	munmap(beyond, 4096);
	close(fd);
	rig_end();
}

static void in_turn(void **state)
{
	struct rig rig;
	uint32_t *words;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMallocManaged((void **)&words, 1 << 20));
	assert_int_equal(words[1000], 0);
	for (uint32_t n = 0; n < 20; n++) {
		words[n * 5000] = n;
		OK(rig_add(&rig, &words[n * 5000], 100, NULL));
	}
	OK(vgpuDeviceSynchronize());
	for (uint32_t n = 0; n < 20; n++)
		assert_int_equal(words[n * 5000], 100 + n);
	rig_end();
}

/* The kernel finds the page on the device, for reading and for writing, the first time too. */
static void system_calls(void **state)
{
	const size_t bytes = 1 << 20;
	struct iovec part[] = { { "", 0 }, { NULL, 4 } };
	int fd = memfd_create("file", 0);
	struct rig rig;
	uint32_t *words;

	(void)state;
	assert_true(fd >= 0);
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMallocManaged((void **)&words, bytes));
	assert_int_equal(pwrite(fd, words, bytes, 0), bytes);
	assert_int_equal(pwrite(fd, "abcd", 4, (off_t)bytes - 4), 4);
	OK(rig_add(&rig, words, 7, NULL));
	OK(rig_add(&rig, &words[bytes / 4 - 1], 7, NULL));
	OK(vgpuDeviceSynchronize());
	part[1].iov_base = words;
	assert_int_equal(writev(fd, part, 2), 4);
	OK(rig_add(&rig, words, 7, NULL));
	OK(vgpuDeviceSynchronize());
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(read(fd, words, 2 * bytes), bytes);
	assert_int_equal(words[0], 7);
	assert_int_equal(words[1], 0);
	assert_memory_equal(&words[bytes / 4 - 1], "abcd", 4);
	OK(rig_add(&rig, words, 7, NULL));
	OK(vgpuDeviceSynchronize());
	/* nothing to read leaves it as it was, and an error stays one */
	assert_int_equal(read(fd, words, 4), 0);
	assert_int_equal(pread(-1, words, 4, 0), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(words[0], 14);
	close(fd);
	rig_end();
}

/* As programs read their input and write their results: items, the last of them not whole. */
static void files(void **state)
{
	const size_t count = 100000;
	FILE *file = tmpfile();
	struct rig rig;
	uint32_t *words;

	(void)state;
	assert_non_null(file);
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMallocManaged((void **)&words, count * 8));
	for (size_t n = 0; n < count; n++)
		words[n] = (uint32_t)n;
	OK(rig_add(&rig, &words[count - 1], 7, NULL));
	OK(vgpuDeviceSynchronize());
	assert_int_equal(fwrite(words, 4, count, file), count);
	assert_int_equal(fwrite("xy", 1, 2, file), 2);
	rewind(file);
	OK(rig_add(&rig, &words[count], 7, NULL));
	OK(vgpuDeviceSynchronize());
	assert_int_equal(fread(&words[count], 4, count, file), count);
	assert_int_equal(words[count], 0);
	for (size_t n = 0; n < count - 1; n++)
		assert_int_equal(words[count + n], n);
	assert_int_equal(words[2 * count - 1], count - 1 + 7);
	assert_int_equal(fread(words, 4, count, file), 0);
	assert_memory_equal(words, "xy", 2);
	assert_true(feof(file));
	fclose(file);
	rig_end();
}

static uint64_t host_faults(void)
{
	struct vgpu_context_info info;

	OK(vgpuContextInfo(&info));
	return info.account.host_page_faults;
}

/* What both sides read is mapped for reading: a write is a fault, also by a system call. */
static void mostly_read(void **state)
{
	uint32_t *words, *copy, value = 0;
	int fd[2];
	struct rig rig;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMallocManaged((void **)&words, 1 << 20));
	copy = rig_words(1);
	words[0] = 3;
	assert_int_equal(cudaMemAdvise(words, 1 << 20, cudaMemAdviseSetReadMostly, 0), 0);
	for (uint32_t n = 0; n < 3; n++) {
		uint64_t faults = host_faults();

		OK(rig_copy(&rig, copy, words, NULL));
		OK(vgpuDeviceSynchronize());
		assert_int_equal(rig_read(copy), 3 + n);
		assert_int_equal(write(fd[1], words, 4), 4);
		assert_int_equal(words[0], 3 + n);
		assert_int_equal(host_faults(), faults);
		if (n % 2) {
			assert_int_equal(read(fd[0], words, 4), 4);
		} else {
			words[0]++;
			assert_int_equal(read(fd[0], &value, 4), 4);
			words[0]--;
			assert_int_equal(value, 3 + n);
		}
		assert_int_equal(words[0], 3 + n);
		words[0]++;
		assert_int_equal(host_faults(), faults + 1);
	}
	/* the device writes: the first read is a fault, and writes are another one again */
	OK(rig_add(&rig, words, 10, NULL));
	OK(vgpuDeviceSynchronize());
	assert_int_equal(write(fd[1], words, 4), 4);
	assert_int_equal(words[0], 16);
	OK(rig_copy(&rig, copy, words, NULL));
	OK(vgpuDeviceSynchronize());
	words[0] = 1;
	assert_int_equal(rig_read(copy), 16);
	close(fd[0]);
	close(fd[1]);
	rig_end();
}

static size_t free_bytes(void)
{
	size_t free, total;

	OK(vgpuMemGetInfo(&free, &total));
	return free;
}

/* What is in frames is not free; device memory that is mapped may have it nevertheless. */
static void free_memory(void **state)
{
	const size_t bytes = 1 << 20;
	volatile uint32_t *words;
	size_t before;
	void *device;
	struct rig rig;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	before = free_bytes();
	OK(vgpuMallocManaged((void **)&words, bytes));
	words[0] = 1;
	assert_int_equal(free_bytes(), before);
	OK(cudaMemPrefetchAsync((void *)words, bytes, 0, NULL));
	OK(vgpuDeviceSynchronize());
	assert_int_equal(free_bytes(), before - bytes);
	OK(vgpuMalloc(&device, before));
	assert_int_equal(free_bytes(), 0);
	OK(vgpuFree(device));
	assert_int_equal(free_bytes(), before - bytes);
	/* the pages of a granule that are mapped come back */
	assert_int_equal(words[0], 1);
	assert_in_range(free_bytes() - (before - bytes), 4096, 65536);
	OK(vgpuFree((void *)words));
	assert_int_equal(free_bytes(), before);
	rig_end();
}

static void a_child_has_none(void **state)
{
	struct rig rig;
	uint32_t *words;
	int status;
	pid_t child;

	(void)state;
	signal(SIGSEGV, SIG_DFL);
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMallocManaged((void **)&words, 4096));
	words[0] = 1;
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		signal(SIGSEGV, SIG_DFL);
		*(volatile uint32_t *)words = 2;
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	rig_end();
}

static uint32_t *words_of_all;

static void *count_up(void *argument)
{
	uint32_t *mine = &words_of_all[(uintptr_t)argument * 512];

	for (int n = 0; n < 300; n++)
		__atomic_fetch_add(mine, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Threads fault on the same pages while kernels use them. */
static void many_threads(void **state)
{
	enum { THREADS = 4 };
	pthread_t thread[THREADS];
	struct rig rig;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMallocManaged((void **)&words_of_all, 1 << 16));
	for (uintptr_t n = 0; n < THREADS; n++)
		assert_int_equal(pthread_create(&thread[n], NULL, count_up, (void *)n), 0);
	for (uint32_t n = 0; n < 100; n++)
		OK(rig_add(&rig, &words_of_all[1], 1, NULL));
	OK(vgpuDeviceSynchronize());
	for (int n = 0; n < THREADS; n++)
		pthread_join(thread[n], NULL);
	assert_int_equal(words_of_all[1], 100);
	for (int n = 0; n < THREADS; n++)
		assert_int_equal(words_of_all[n * 512], 300);
	rig_end();
}

/* A child has nothing to wait for: whatever its parent's threads were served, it has no memory. */
static void fork_meanwhile(void **state)
{
	enum { THREADS = 2, CHILDREN = 10 };
	pthread_t thread[THREADS];
	int status, fd[2];
	struct rig rig;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMallocManaged((void **)&words_of_all, 1 << 16));
	for (uintptr_t n = 0; n < THREADS; n++)
		assert_int_equal(pthread_create(&thread[n], NULL, count_up, (void *)n), 0);
	for (uint32_t n = 0; n < CHILDREN; n++) {
		OK(rig_add(&rig, &words_of_all[1], 1, NULL));
		OK(vgpuDeviceSynchronize());
		child = fork();
		assert_true(child >= 0);
		if (!child)
			_exit(write(fd[1], words_of_all, 4) == -1 && errno == EFAULT ? 0 : 1);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
	}
	for (int n = 0; n < THREADS; n++)
		pthread_join(thread[n], NULL);
	assert_int_equal(words_of_all[1], CHILDREN);
	for (int n = 0; n < THREADS; n++)
		assert_int_equal(words_of_all[n * 512], 300);
	close(fd[0]);
	close(fd[1]);
	rig_end();
}

static _Atomic uint32_t touched;

/* Until the memory is gone, which is a fault of the program. */
static void *touch_until_it_is_gone(void *argument)
{
	volatile uint32_t *words = argument;

	if (!sigsetjmp(escape, 1))
		for (uint32_t n = 0;; n++) {
			words[n % 64 * 1024]++;
			touched++;
		}
	return NULL;
}

/* The device closes while threads access what it has: nobody is served by what is gone. */
static void close_meanwhile(void **state)
{
	enum { THREADS = 3, ROUNDS = 4 };
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
	struct sigaction segv, bus;
	pthread_t thread[THREADS];
	uint32_t *words;
	struct rig rig;

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		assert_int_equal(sigaction(SIGSEGV, &action, &segv), 0);
		assert_int_equal(sigaction(SIGBUS, &action, &bus), 0);
		setenv("VGPU_SET", "fault_granule=4096", 1);
		rig_begin(&rig, NULL, NULL);
		unsetenv("VGPU_SET");
		OK(vgpuMallocManaged((void **)&words, 64 * 4096));
		touched = 0;
		for (int n = 0; n < THREADS; n++)
			assert_int_equal(pthread_create(&thread[n], NULL, touch_until_it_is_gone,
							words), 0);
		while (touched < 100 * round) {
			OK(rig_add(&rig, &words[touched % 64 * 1024 + 1], 1, NULL));
			OK(vgpuDeviceSynchronize());
		}
		rig_end();
		for (int n = 0; n < THREADS; n++)
			pthread_join(thread[n], NULL);
		assert_int_equal(sigaction(SIGSEGV, &segv, NULL), 0);
		assert_int_equal(sigaction(SIGBUS, &bus, NULL), 0);
	}
}

/* With more ranges of their own access than a process may have mappings. */
static void more_pieces_than_mappings(void **state)
{
	const size_t pages = 140000;
	volatile char *bytes;
	void *managed;
	struct rig rig;
	FILE *limit;
	long most = 0;

	(void)state;
	limit = fopen("/proc/sys/vm/max_map_count", "r");
	if (limit) {
		if (fscanf(limit, "%ld", &most) != 1)
			most = 0;
		fclose(limit);
	}
	if (!most || most > (long)pages / 2)
		skip();
	setenv("VGPU_SET", "fault_granule=4096", 1);
	rig_begin(&rig, NULL, NULL);
	unsetenv("VGPU_SET");
	OK(vgpuMallocManaged(&managed, pages * 4096));
	bytes = managed;
	for (size_t n = 0; n < pages; n += 2)
		bytes[n * 4096] = (char)n;
	for (size_t n = 0; n < pages; n += 2)
		assert_int_equal(bytes[n * 4096], (char)n);
	rig_end();
}

/* What comes behind a page is right, and goes again when a kernel uses it: several granules. */
static void what_comes_behind(void **state)
{
	enum { GRANULES = 96, WORDS = 65536 / 4, ROUNDS = 6 };
	uint32_t *words, expected[GRANULES] = {};
	struct rig rig;

	(void)state;
	setenv("VGPU_SET", "prefetcher=tree", 1);
	rig_begin(&rig, NULL, NULL);
	unsetenv("VGPU_SET");
	OK(vgpuMallocManaged((void **)&words, GRANULES * WORDS * 4));
	for (uint32_t round = 0; round < ROUNDS; round++) {
		for (uint32_t n = round % 2; n < GRANULES; n += 1 + round % 3) {
			OK(rig_add(&rig, &words[n * WORDS + round], round + n, NULL));
			expected[n] += round + n;
		}
		OK(vgpuDeviceSynchronize());
		for (uint32_t n = 0; n < GRANULES; n++) {
			uint32_t granule = round < 3 ? n : n * 37 % GRANULES, sum = 0;

			for (uint32_t word = 0; word < ROUNDS; word++)
				sum += words[granule * WORDS + word];
			assert_int_equal(sum, expected[granule]);
			words[granule * WORDS + ROUNDS - 1]++;
			expected[granule]++;
			assert_int_equal(words[(granule + 1) * WORDS - 1], 0);
		}
	}
	rig_end();
}

static void what_is_refused(void **state)
{
	void *managed = (void *)1;
	uint32_t *device;
	struct rig rig;

	(void)state;
	rig_begin(&rig, NULL, "64M");
	assert_int_equal(vgpuMallocManaged(NULL, 4), vgpuErrorInvalidValue);
	assert_int_equal(vgpuMallocManaged(&managed, 0), vgpuErrorInvalidValue);
	assert_null(managed);
	assert_int_equal(vgpuMallocManaged(&managed, SIZE_MAX), vgpuErrorMemoryAllocation);
	/* more than the device has */
	OK(vgpuMallocManaged(&managed, 128 << 20));
	device = rig_words(1);
	assert_int_equal(vgpuMemPrefetchAsync(device, 4, 1, NULL), vgpuErrorInvalidValue);
	assert_int_equal(vgpuMemPrefetchAsync(managed, (128 << 20) + 1, 1, NULL),
			 vgpuErrorInvalidValue);
	assert_int_equal(vgpuMemPrefetchAsync(managed, 0, 1, NULL), vgpuErrorInvalidValue);
	OK(vgpuMemPrefetchAsync(managed, 128 << 20, 1, NULL));
	OK(vgpuDeviceSynchronize());
	OK(vgpuFree(managed));
	rig_end();
}

/* May the kernel's own accesses be served here? */
static bool userfaultfd_is_possible(void)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		fd = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* All ways of managed_access.h. */
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_faults_go_to_the_program),
		cmocka_unit_test(a_handler_of_bus_errors),
		cmocka_unit_test(in_turn),
		cmocka_unit_test(system_calls),
		cmocka_unit_test(files),
		cmocka_unit_test(mostly_read),
		cmocka_unit_test(free_memory),
		cmocka_unit_test(a_child_has_none),
		cmocka_unit_test(many_threads),
		cmocka_unit_test(fork_meanwhile),
		cmocka_unit_test(close_meanwhile),
		cmocka_unit_test(more_pieces_than_mappings),
		cmocka_unit_test(what_comes_behind),
		cmocka_unit_test(what_is_refused),
	};

	int failed;

	setenv("VGPU_USERFAULTFD", "0", 1);
	failed = cmocka_run_group_tests_name("sigsegv", tests, NULL, NULL);
	/* where Linux is too old for this one, what is tested is the first again */
	setenv("VGPU_USERFAULTFD", "sigbus", 1);
	failed += cmocka_run_group_tests_name("sigbus", tests, NULL, NULL);
	if (!userfaultfd_is_possible())
		return failed;
	unsetenv("VGPU_USERFAULTFD");
	return failed + cmocka_run_group_tests_name("thread", tests, NULL, NULL);
}
