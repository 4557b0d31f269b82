// SPDX-License-Identifier: MIT
/*
 * Access to managed memory by userfaultfd, which has accesses served by another thread or by a
 * signal; see managed_access.h. The bytes are in a file of memory. A page that the file has, and
 * the page tables do not, is a minor fault (UFFDIO_CONTINUE enters it); one that the file does not
 * have yet is a missing one.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "managed_access.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY	1
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

/* Of @process, as long as that is the id of this one; @descriptor < 0: it may not have one. */
struct watch {
	int descriptor;
	pid_t process;
};

static struct watch by_thread, by_sigbus;

static void *pointer(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

/* Of faults of system calls, too. */
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

/* @fd with @features, or -1 and it is closed. */
static int enable(int fd, uint64_t features)
{
	struct uffdio_api api = { .api = UFFD_API, .features = FEATURES | features };

	if (fd >= 0 && ioctl(fd, UFFDIO_API, &api)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int start_thread(void)
{
	int fd = enable(new_descriptor(), 0);

	if (fd >= 0 && !vgpu_managed_server(fd)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Nobody reads it: for faults of user mode every process may have one. */
static int start_sigbus(void)
{
	return enable((int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY),
		      UFFD_FEATURE_SIGBUS);
}

static bool attach(struct watch *watch, int (*start)(void), const struct vgpu_managed_range *range)
{
	struct uffdio_register all = {
		.range = { .start = range->address, .len = range->bytes },
		.mode = MODES,
	};

	if (watch->process != getpid()) {
		/* a child has its parent's, which watches nothing of it */
		if (watch->process && watch->descriptor >= 0)
			close(watch->descriptor);
		watch->process = getpid();
		watch->descriptor = start();
	}
	if (watch->descriptor < 0 || ioctl(watch->descriptor, UFFDIO_REGISTER, &all))
		return false;
	if (!mprotect(pointer(range->address), range->bytes, PROT_READ | PROT_WRITE))
		return true;
	ioctl(watch->descriptor, UFFDIO_UNREGISTER, &all.range);
	return false;
}

static bool thread_attach(const struct vgpu_managed_range *range)
{
	return attach(&by_thread, start_thread, range);
}

static bool sigbus_attach(const struct vgpu_managed_range *range)
{
	return vgpu_managed_catch(SIGBUS) && attach(&by_sigbus, start_sigbus, range);
}

/*
 * Pages from @address on, and who waits for them goes on; returns how many bytes were entered, or a
 * negative errno.
 */
static int64_t enter(int fd, uint64_t address, uint64_t bytes, bool writable)
{
	struct uffdio_continue pages = {
		.range = { .start = address, .len = bytes },
		.mode = writable ? 0 : UFFDIO_CONTINUE_MODE_WP,
	};

	if (!ioctl(fd, UFFDIO_CONTINUE, &pages))
		return (int64_t)bytes;
	return pages.mapped > 0 ? pages.mapped : -errno;
}

/* Of pages that are entered. Who waits is not woken. */
static int protect(int fd, uint64_t address, uint64_t bytes, bool writable)
{
	struct uffdio_writeprotect pages = {
		.range = { .start = address, .len = bytes },
		.mode = writable ? UFFDIO_WRITEPROTECT_MODE_DONTWAKE : UFFDIO_WRITEPROTECT_MODE_WP,
	};

	while (ioctl(fd, UFFDIO_WRITEPROTECT, &pages))
		if (errno != EAGAIN)
			return -errno;
	return 0;
}

static int grant(int fd, const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes,
		 bool writable)
{
	struct uffdio_range all = { .start = address, .len = bytes };
	uint64_t end = address + bytes;
	bool had_some = false;
	int error = 0;

	while (address < end && !error) {
		int64_t done = enter(fd, address, end - address, writable);

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
		error = protect(fd, all.start, all.len, writable);
	if (had_some)
		ioctl(fd, UFFDIO_WAKE, &all);
	return error;
}

static int thread_grant(const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes,
			bool writable)
{
	return grant(by_thread.descriptor, range, address, bytes, writable);
}

static int sigbus_grant(const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes,
			bool writable)
{
	return grant(by_sigbus.descriptor, range, address, bytes, writable);
}

/* Up to the first page that is there, or that the file does not have. */
static void thread_grant_ahead(const struct vgpu_managed_range *range, uint64_t address,
			       uint64_t bytes)
{
	(void)range;
	enter(by_thread.descriptor, address, bytes, true);
}

static void sigbus_grant_ahead(const struct vgpu_managed_range *range, uint64_t address,
			       uint64_t bytes)
{
	(void)range;
	enter(by_sigbus.descriptor, address, bytes, true);
}

/* The pages leave the page tables of the program; the file keeps them. */
static int userfaultfd_revoke(const struct vgpu_managed_range *range, uint64_t address,
			      uint64_t bytes)
{
	(void)range;
	return madvise(pointer(address), bytes, MADV_DONTNEED) ? -errno : 0;
}

static int thread_protect(const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes)
{
	(void)range;
	return protect(by_thread.descriptor, address, bytes, false);
}

static int sigbus_protect(const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes)
{
	(void)range;
	return protect(by_sigbus.descriptor, address, bytes, false);
}

const struct vgpu_managed_access vgpu_managed_by_thread = {
	.name = "thread",
	.serves_system_calls = true,
	.attach = thread_attach,
	.grant = thread_grant,
	.grant_ahead = thread_grant_ahead,
	.revoke = userfaultfd_revoke,
	.protect = thread_protect,
};

const struct vgpu_managed_access vgpu_managed_by_sigbus = {
	.name = "sigbus",
	.attach = sigbus_attach,
	.grant = sigbus_grant,
	.grant_ahead = sigbus_grant_ahead,
	.revoke = userfaultfd_revoke,
	.protect = sigbus_protect,
};
