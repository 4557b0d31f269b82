// SPDX-License-Identifier: MIT
/*
 * Managed memory in this process; see managed.h.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "managed.h"

struct range {
	uint64_t address, bytes;
	char *alias;			/* of the device */
	void *owner;
	vgpu_managed_serve_fn *serve;
	pid_t process;
};

/* All ranges, by address. The lock is never held while managed memory is accessed. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct range *ranges;
static size_t count, room;
static struct sigaction before;

static void *pointer(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

/* Index of the first range that ends above @address. */
static size_t position(uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (ranges[middle].address + ranges[middle].bytes <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool range_of(uint64_t address, struct range *range)
{
	size_t i;
	bool found;

	pthread_mutex_lock(&lock);
	i = position(address);
	found = i < count && ranges[i].address <= address;
	if (found)
		*range = ranges[i];
	pthread_mutex_unlock(&lock);
	return found;
}

/* ---- the signal --------------------------------------------------------- */

/*
 * A handler that was set after this one may go on to it, and this one to it in turn: once for each
 * signal. It may also leave by a jump; what is left of that call is above the next one's frame.
 */
static __thread struct {
	const siginfo_t *info;
	uintptr_t frame;
} passing;

static void pass_on(int number, siginfo_t *info, void *context)
{
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);

	if (passing.info == info && frame < passing.frame) {
		signal(number, SIG_DFL);
		return;
	}
	passing.info = info;
	passing.frame = frame;
	if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(number, info, context);
	} else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
		before.sa_handler(number);
	} else {
		/* the access is made again and ends the process */
		signal(number, SIG_DFL);
	}
	passing.info = NULL;
}

static void handle(int number, siginfo_t *info, void *context)
{
	uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
	int saved = errno, error = -EFAULT;
	struct range range;

	if (info->si_code == SEGV_ACCERR && range_of(address, &range) &&
	    range.process == getpid())
		error = range.serve(range.owner, address);
	errno = saved;
	if (error)
		pass_on(number, info, context);
}

/* Again, if the program has set another handler meanwhile. */
static void install(void)
{
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction now;

	if (!sigaction(SIGSEGV, NULL, &now) && now.sa_flags & SA_SIGINFO &&
	    now.sa_sigaction == handle)
		return;
	sigemptyset(&action.sa_mask);
	sigaction(SIGSEGV, &action, &before);
}

/* ---- mapping ------------------------------------------------------------ */

/* Both views of new bytes, which read as zero; NULL: errno says why. */
static char *map_twice(uint64_t address, uint64_t bytes)
{
	int fd = memfd_create("vgpu-managed", MFD_CLOEXEC);
	char *alias = MAP_FAILED;

	if (fd < 0)
		return NULL;
	if (!ftruncate(fd, (off_t)bytes))
		alias = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (alias != MAP_FAILED && mmap(pointer(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED,
					fd, 0) == MAP_FAILED) {
		munmap(alias, bytes);
		alias = MAP_FAILED;
	}
	close(fd);
	if (alias == MAP_FAILED)
		return NULL;
	madvise(alias, bytes, MADV_DONTFORK);
	madvise(pointer(address), bytes, MADV_DONTFORK);
	return alias;
}

static void unmap_both(const struct range *range)
{
	munmap(range->alias, range->bytes);
	if (mmap(pointer(range->address), range->bytes, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED)
		madvise(pointer(range->address), range->bytes, MADV_DONTFORK);
}

static bool reserve_entry(void)
{
	size_t more = room ? room * 2 : 16;
	struct range *grown;

	if (count < room)
		return true;
	grown = realloc(ranges, more * sizeof(*ranges));
	if (!grown)
		return false;
	ranges = grown;
	room = more;
	return true;
}

int vgpu_managed_map(void *owner, vgpu_managed_serve_fn *serve, uint64_t address, uint64_t bytes)
{
	struct range range = { address, bytes, NULL, owner, serve, getpid() };
	int error = 0;
	size_t i;

	pthread_mutex_lock(&lock);
	install();
	if (!reserve_entry())
		error = -ENOMEM;
	else if (!(range.alias = map_twice(address, bytes)))
		error = -errno;
	if (!error) {
		i = position(address);
		memmove(&ranges[i + 1], &ranges[i], (count - i) * sizeof(*ranges));
		ranges[i] = range;
		count++;
	}
	pthread_mutex_unlock(&lock);
	return error;
}

static void remove_range(size_t i)
{
	unmap_both(&ranges[i]);
	memmove(&ranges[i], &ranges[i + 1], (count - i - 1) * sizeof(*ranges));
	count--;
}

int vgpu_managed_unmap(uint64_t address, uint64_t bytes)
{
	int error = 0;
	size_t i;

	pthread_mutex_lock(&lock);
	i = position(address);
	if (i < count && ranges[i].address == address && ranges[i].bytes == bytes)
		remove_range(i);
	else
		error = -ENOENT;
	pthread_mutex_unlock(&lock);
	return error;
}

void vgpu_managed_unmap_all(void *owner)
{
	pthread_mutex_lock(&lock);
	for (size_t i = count; i--;)
		if (ranges[i].owner == owner)
			remove_range(i);
	pthread_mutex_unlock(&lock);
}

/* ---- access ------------------------------------------------------------- */

void *vgpu_managed_alias(uint64_t address)
{
	struct range range;

	return range_of(address, &range) ? range.alias + (address - range.address) : NULL;
}

/*
 * Where the process has no room for one more mapping, all of the range is made one: its pages are
 * granted again when the program accesses them.
 */
static int protect(uint64_t address, uint64_t bytes, int protection)
{
	struct range range;

	if (!mprotect(pointer(address), bytes, protection))
		return 0;
	if (!range_of(address, &range))
		return -EFAULT;
	if (mprotect(pointer(range.address), range.bytes, PROT_NONE) ||
	    mprotect(pointer(address), bytes, protection))
		return -errno;
	return 0;
}

int vgpu_managed_grant(uint64_t address, uint64_t bytes)
{
	return protect(address, bytes, PROT_READ | PROT_WRITE);
}

void vgpu_managed_revoke(uint64_t address, uint64_t bytes)
{
	int error = protect(address, bytes, PROT_NONE);

	if (error)
		fprintf(stderr, "vgpu: managed memory stays accessible: %s\n", strerror(-error));
}
