// SPDX-License-Identifier: MIT
/*
 * Access to managed memory by userfaultfd; see managed_access.h. The bytes are in a file of memory.
 * A page that the file has, and the page tables do not, is a minor fault (UFFDIO_CONTINUE enters
 * it); one that the file does not have yet is a missing one.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "managed_access.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif

/* Both of Linux 6.4 */
#ifndef UFFD_FEATURE_WP_UNPOPULATED
#define UFFD_FEATURE_WP_UNPOPULATED	(1 << 13)
#endif
#ifndef UFFDIO_CONTINUE_MODE_WP
#define UFFDIO_CONTINUE_MODE_WP		(1ull << 1)
#endif

#define PAGE		4096ull
#define FEATURES	(UFFD_FEATURE_MISSING_SHMEM | UFFD_FEATURE_MINOR_SHMEM |		\
			 UFFD_FEATURE_WP_HUGETLBFS_SHMEM | UFFD_FEATURE_WP_UNPOPULATED)
#define MODES		(UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_MINOR |		\
			 UFFDIO_REGISTER_MODE_WP)
#define BUSY_WAIT	50000	/* nanoseconds: about what it takes to wake a thread of a guest */
#define WRITES		(UFFD_PAGEFAULT_FLAG_WRITE | UFFD_PAGEFAULT_FLAG_WP)

/* Of this process, as long as process is its id; descriptor < 0: it may not have one. */
static int descriptor = -1;
static pid_t process;
static uint64_t busy_wait;	/* nanoseconds; 0: this process has one processor */

static void *pointer(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

/*
 * Who waits touches the page again: it is there now, or is to raise SIGSEGV (EFAULT in a system
 * call), or is not managed memory any more.
 */
static void answer(int fd, uint64_t address, bool write)
{
	struct uffdio_range page = { .start = address & ~(PAGE - 1), .len = PAGE };

	if (vgpu_managed_serve(address, write) && vgpu_managed_alias(address))
		mprotect(pointer(page.start), PAGE, PROT_NONE);
	ioctl(fd, UFFDIO_WAKE, &page);
}

static uint64_t nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * Faults come in rows, and to wake this thread can take longer than to serve one: busy-wait briefly
 * after each, then sleep.
 */
static void *serve(void *argument)
{
	int fd = (int)(intptr_t)argument;
	struct pollfd waits = { .fd = fd, .events = POLLIN };
	uint64_t busy_until = 0;
	struct uffd_msg message;
	ssize_t got;

	for (;;) {
		got = read(fd, &message, sizeof(message));
		if (got == sizeof(message) && message.event == UFFD_EVENT_PAGEFAULT) {
			answer(fd, message.arg.pagefault.address,
			       message.arg.pagefault.flags & WRITES);
			busy_until = nanoseconds() + busy_wait;
		} else if (got < 0 && errno != EAGAIN && errno != EINTR) {
			return NULL;
		} else if (nanoseconds() >= busy_until) {
			poll(&waits, 1, -1);
		}
	}
}

/* The thread that serves handles no signals of the program. */
static bool start_thread(int fd)
{
	sigset_t all, old;
	pthread_t thread;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!error)
		pthread_detach(thread);
	return !error;
}

static int new_descriptor(void)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK), device;

	if (fd >= 0)
		return fd;
	device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
	if (device < 0)
		return -1;
#ifdef USERFAULTFD_IOC_NEW
	fd = ioctl(device, USERFAULTFD_IOC_NEW, O_CLOEXEC | O_NONBLOCK);
#endif
	close(device);
	return fd;
}

static int start(void)
{
	struct uffdio_api api = { .api = UFFD_API, .features = FEATURES };
	cpu_set_t processors;
	int fd;

	if (!sched_getaffinity(0, sizeof(processors), &processors) && CPU_COUNT(&processors) > 1)
		busy_wait = BUSY_WAIT;
	fd = new_descriptor();
	if (fd >= 0 && (ioctl(fd, UFFDIO_API, &api) || !start_thread(fd))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool userfaultfd_attach(const struct vgpu_managed_range *range)
{
	struct uffdio_register watch = {
		.range = { .start = range->address, .len = range->bytes },
		.mode = MODES,
	};
	const char *wanted = getenv("VGPU_USERFAULTFD");

	if (wanted && !strcmp(wanted, "0"))
		return false;

	if (process != getpid()) {
		/* a child has its parent's, without the thread */
		if (descriptor >= 0)
			close(descriptor);
		process = getpid();
		descriptor = start();
	}
	return descriptor >= 0 && !ioctl(descriptor, UFFDIO_REGISTER, &watch) &&
	       !mprotect(pointer(range->address), range->bytes, PROT_READ | PROT_WRITE);
}

/* Pages from @address on; returns how many bytes were entered, or a negative errno. */
static int64_t enter(uint64_t address, uint64_t bytes, bool writable)
{
	struct uffdio_continue pages = {
		.range = { .start = address, .len = bytes },
		.mode = UFFDIO_CONTINUE_MODE_DONTWAKE | (writable ? 0 : UFFDIO_CONTINUE_MODE_WP),
	};

	if (!ioctl(descriptor, UFFDIO_CONTINUE, &pages))
		return (int64_t)bytes;
	return pages.mapped > 0 ? pages.mapped : -errno;
}

/* Of pages that are entered. Who waits is not woken. */
static int protect(uint64_t address, uint64_t bytes, bool writable)
{
	struct uffdio_writeprotect pages = {
		.range = { .start = address, .len = bytes },
		.mode = writable ? UFFDIO_WRITEPROTECT_MODE_DONTWAKE : UFFDIO_WRITEPROTECT_MODE_WP,
	};

	while (ioctl(descriptor, UFFDIO_WRITEPROTECT, &pages))
		if (errno != EAGAIN)
			return -errno;
	return 0;
}

static int userfaultfd_grant(const struct vgpu_managed_range *range, uint64_t address,
			     uint64_t bytes, bool writable)
{
	struct uffdio_range all = { .start = address, .len = bytes };
	uint64_t end = address + bytes;
	bool had_some = false;
	int error = 0;

	while (address < end && !error) {
		int64_t done = enter(address, end - address, writable);

		if (done > 0) {
			address += (uint64_t)done;
		} else if (done == -EEXIST) {
			had_some = true;
			address += PAGE;
		} else if (done == -EFAULT) { /* the file does not have it */
			error = madvise(range->alias + (address - range->address), end - address,
					MADV_POPULATE_WRITE) ? -errno : 0;
		} else if (done != -EAGAIN) {
			error = (int)done;
		}
	}
	if (had_some && !error)
		error = protect(all.start, all.len, writable);
	ioctl(descriptor, UFFDIO_WAKE, &all);
	return error;
}

/* Up to the first page that is there, or that the file does not have. */
static void userfaultfd_grant_ahead(const struct vgpu_managed_range *range, uint64_t address,
				    uint64_t bytes)
{
	(void)range;
	enter(address, bytes, true);
}

/* The pages leave the page tables of the program; the file keeps them. */
static int userfaultfd_revoke(const struct vgpu_managed_range *range, uint64_t address,
			      uint64_t bytes)
{
	(void)range;
	return madvise(pointer(address), bytes, MADV_DONTNEED) ? -errno : 0;
}

static int userfaultfd_protect(const struct vgpu_managed_range *range, uint64_t address,
			       uint64_t bytes)
{
	(void)range;
	return protect(address, bytes, false);
}

const struct vgpu_managed_access vgpu_managed_by_userfaultfd = {
	.attach = userfaultfd_attach,
	.grant = userfaultfd_grant,
	.grant_ahead = userfaultfd_grant_ahead,
	.revoke = userfaultfd_revoke,
	.protect = userfaultfd_protect,
};
