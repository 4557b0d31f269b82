// SPDX-License-Identifier: MIT
/*
 * What page faults of managed memory cost in real time: of processes and of SMs, beside userfaultfd
 * (another thread copies the page, or a handler of SIGBUS enters one that a file has) and a minor
 * fault of this kernel, for each page of 4 KB; and a sweep through memory which is on the device,
 * beside memcpy() of memory that no page table has, and of other memory. All of them take turns.
 * Pages go one at a time with fault_granule=4096 (VGPU_SET, or sysfs).
 *
 * usage: managed [MB]	of the sweep, 64 if not given
 */
#include <cuda_runtime.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"

#define RUNS	9
#define PAGE	4096
#define PAGES	2048

__global__ void touch(char *memory, size_t pages)
{
	size_t n = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

	if (n < pages)
		memory[n * PAGE]++;
}

static void check(cudaError_t error)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "managed: %s\n", cudaGetErrorString(error));
	exit(1);
}

/* One thread for each page; seconds. */
static double touch_on_device(char *memory, size_t pages)
{
	double start = bench_seconds();

	touch<<<(unsigned int)((pages + 127) / 128), 128>>>(memory, pages);
	check(cudaDeviceSynchronize());
	return bench_seconds() - start;
}

static double touch_on_host(char *memory, size_t pages)
{
	volatile char *bytes = memory;
	double start = bench_seconds();

	for (size_t n = 0; n < pages; n++)
		bytes[n * PAGE]++;
	return bench_seconds() - start;
}

static char *anonymous(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);

	if (memory == MAP_FAILED || madvise(memory, bytes, MADV_NOHUGEPAGE)) {
		perror("managed: mmap");
		exit(1);
	}
	return (char *)memory;
}

static double minor_faults(void)
{
	char *memory = anonymous(PAGES * PAGE);
	double time = touch_on_host(memory, PAGES);

	munmap(memory, PAGES * PAGE);
	return time / PAGES;
}

/* ---- userfaultfd -------------------------------------------------------- */

static char source[PAGE];

static void *serve(void *argument)
{
	int fd = *(int *)argument;
	struct uffd_msg message;

	while (read(fd, &message, sizeof(message)) == sizeof(message)) {
		struct uffdio_copy copy = {};

		copy.dst = message.arg.pagefault.address & ~(__u64)(PAGE - 1);
		copy.src = (uintptr_t)source;
		copy.len = PAGE;
		if (ioctl(fd, UFFDIO_COPY, &copy))
			return NULL;
	}
	return NULL;
}

/* Another thread brings each page. 0: there is no userfaultfd here. */
static double user_faults(void)
{
	char *memory = anonymous((PAGES + 1) * PAGE);
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_register range = {};
	struct uffdio_api api = {};
	pthread_t thread;
	double time = 0;

	api.api = UFFD_API;
	range.range.start = (uintptr_t)memory;
	range.range.len = PAGES * PAGE;
	range.mode = UFFDIO_REGISTER_MODE_MISSING;
	if (fd >= 0 && !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &range) &&
	    !pthread_create(&thread, NULL, serve, &fd)) {
		time = touch_on_host(memory, PAGES);
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	close(fd);
	munmap(memory, (PAGES + 1) * PAGE);
	return time / PAGES;
}

static int entering;

static void enter(int number, siginfo_t *info, void *context)
{
	struct uffdio_continue page = {};

	(void)number;
	(void)context;
	page.range.start = (uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1);
	page.range.len = PAGE;
	if (ioctl(entering, UFFDIO_CONTINUE, &page))
		_exit(1);
}

/* A file in memory, whose pages no page table has. */
static char *file_pages(size_t bytes)
{
	int fd = memfd_create("managed", MFD_CLOEXEC);
	void *memory = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, (off_t)bytes))
		memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		perror("managed: memfd");
		exit(1);
	}
	close(fd);
	memset(memory, 1, bytes);
	madvise(memory, bytes, MADV_DONTNEED);
	return (char *)memory;
}

/* The thread that touches a page enters it: what no way to serve it can fall below. 0: as above. */
static double signal_faults(void)
{
	char *memory = file_pages(PAGES * PAGE);
	struct sigaction action = {}, before;
	struct uffdio_register range = {};
	struct uffdio_api api = {};
	double time = 0;

	entering = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	action.sa_sigaction = enter;
	action.sa_flags = SA_SIGINFO;
	api.api = UFFD_API;
	api.features = UFFD_FEATURE_SIGBUS | UFFD_FEATURE_MINOR_SHMEM;
	range.range.start = (uintptr_t)memory;
	range.range.len = PAGES * PAGE;
	range.mode = UFFDIO_REGISTER_MODE_MINOR;
	if (entering >= 0 && !ioctl(entering, UFFDIO_API, &api) &&
	    !ioctl(entering, UFFDIO_REGISTER, &range) && !sigaction(SIGBUS, &action, &before)) {
		time = touch_on_host(memory, PAGES);
		sigaction(SIGBUS, &before, NULL);
	}
	close(entering);
	munmap(memory, PAGES * PAGE);
	return time / PAGES;
}

/* ---- the runs ----------------------------------------------------------- */

static void print(const char *what, double *values, double scale, const char *unit)
{
	struct bench_stat stat = bench_stat(values, RUNS);

	if (stat.max > 0)
		printf("%-47s %9.2f %s  (%.2f to %.2f)\n", what, stat.median * scale, unit,
		       stat.min * scale, stat.max * scale);
}

int main(int argc, char **argv)
{
	size_t bytes = (size_t)(argc > 1 ? atoi(argv[1]) : 64) << 20;
	double first[RUNS], host[RUNS], device[RUNS], there[RUNS], minor[RUNS], user[RUNS];
	double signals[RUNS], absent[RUNS];
	double sweep[RUNS], plain[RUNS], ratio[RUNS];
	char *big, *other = anonymous(bytes), *from = anonymous(bytes);
	char *file = file_pages(bytes);

	check(cudaMallocManaged(&big, bytes));
	memset(other, 1, bytes);
	memset(from, 1, bytes);
	for (int run = 0; run < RUNS; run++) {
		double start;
		char *memory;

		check(cudaMallocManaged(&memory, PAGES * PAGE));
		first[run] = touch_on_host(memory, PAGES) / PAGES;
		device[run] = touch_on_device(memory, PAGES) / PAGES;
		there[run] = touch_on_device(memory, PAGES) / PAGES;
		device[run] -= there[run];
		host[run] = touch_on_host(memory, PAGES) / PAGES;
		check(cudaFree(memory));
		minor[run] = minor_faults();
		user[run] = user_faults();
		signals[run] = signal_faults();
		touch_on_device(big, bytes / PAGE);
		start = bench_seconds();
		memcpy(other, big, bytes);
		sweep[run] = bench_seconds() - start;
		madvise(file, bytes, MADV_DONTNEED);
		start = bench_seconds();
		memcpy(other, file, bytes);
		absent[run] = bench_seconds() - start;
		start = bench_seconds();
		memcpy(other, from, bytes);
		plain[run] = bench_seconds() - start;
		ratio[run] = plain[run] / sweep[run];
	}
	print("host touches a page that nobody has touched", first, 1e6, "us");
	print("host touches a page that is on the device", host, 1e6, "us");
	print("SM touches a page that is on the host", device, 1e6, "us");
	print("userfaultfd, another thread copies the page", user, 1e6, "us");
	print("userfaultfd, SIGBUS: its handler enters the page", signals, 1e6, "us");
	print("minor fault of anonymous memory", minor, 1e6, "us");
	print("memcpy of memory that is on the device", sweep, 1e9 / (double)bytes, "ns/byte");
	print("memcpy of a file that no page table has", absent, 1e9 / (double)bytes, "ns/byte");
	print("memcpy of other memory", plain, 1e9 / (double)bytes, "ns/byte");
	print("rate, of other memory's", ratio, 1, "   ");
	check(cudaFree(big));
	return 0;
}
