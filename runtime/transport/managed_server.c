// SPDX-License-Identifier: MIT
/*
 * The thread that serves the program's accesses to managed memory which userfaultfd reports; see
 * managed_access.h.
 */
#include <errno.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "managed_access.h"

#define PAGE		4096ull
#define BUSY_WAIT	50000	/* nanoseconds: about what it takes to wake a thread of a guest */
#define WRITES		(UFFD_PAGEFAULT_FLAG_WRITE | UFFD_PAGEFAULT_FLAG_WP)

static uint64_t busy_wait;	/* nanoseconds; 0: this process has one processor */

/*
 * Who waits touches the page again: it is there now, and who granted it has woken everybody; or it
 * is to raise SIGSEGV (EFAULT in a system call); or it is not managed memory any more.
 */
static void answer(int fd, uint64_t address, bool write)
{
	struct uffdio_range page = { .start = address & ~(PAGE - 1), .len = PAGE };

	if (!vgpu_managed_serve(address, write))
		return;
	if (vgpu_managed_alias(address))
		mprotect((void *)(uintptr_t)page.start, PAGE, PROT_NONE);
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
bool vgpu_managed_server(int fd)
{
	cpu_set_t processors;
	sigset_t all, old;
	pthread_t thread;
	int error;

	if (!sched_getaffinity(0, sizeof(processors), &processors) && CPU_COUNT(&processors) > 1)
		busy_wait = BUSY_WAIT;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!error)
		pthread_detach(thread);
	return !error;
}
