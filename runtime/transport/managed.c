// SPDX-License-Identifier: MIT
/*
 * Managed memory in this process; see managed.h.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "managed_access.h"

/* All ranges, by address. The lock is never held while managed memory is accessed. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct vgpu_managed_range *ranges;
static size_t count, room;

/* Accesses that are being served. */
static pthread_cond_t served = PTHREAD_COND_INITIALIZER;
static unsigned int serving;

/* A child has none of the memory, and nobody serves there what its parent's threads served. */
static void after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	count = 0;
	serving = 0;
}

static void install_fork_handler(void)
{
	pthread_atfork(NULL, NULL, after_fork);
}

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

static bool range_of(uint64_t address, struct vgpu_managed_range *range)
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

/* The range at @address, whose owner stays until serve_end(); false: nobody serves it. */
static bool serve_begin(uint64_t address, struct vgpu_managed_range *range)
{
	size_t i;
	bool found;

	pthread_mutex_lock(&lock);
	i = position(address);
	found = i < count && ranges[i].address <= address && ranges[i].serve;
	if (found) {
		*range = ranges[i];
		serving++;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

static void serve_end(void)
{
	pthread_mutex_lock(&lock);
	if (!--serving)
		pthread_cond_broadcast(&served);
	pthread_mutex_unlock(&lock);
}

int vgpu_managed_serve(uint64_t address, bool write)
{
	struct vgpu_managed_range range;
	int error;

	if (!serve_begin(address, &range))
		return -EFAULT;
	error = range.serve(range.owner, address, write);
	serve_end();
	return error;
}

void vgpu_managed_end(void *owner)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < count; i++)
		if (ranges[i].owner == owner)
			ranges[i].serve = NULL;
	while (serving)
		pthread_cond_wait(&served, &lock);
	pthread_mutex_unlock(&lock);
}

bool vgpu_managed_is_protected(uint64_t address, size_t bytes)
{
	bool found = false;

	pthread_mutex_lock(&lock);
	for (size_t i = position(address); i < count && ranges[i].address < address + bytes; i++)
		found |= !ranges[i].access->serves_system_calls;
	pthread_mutex_unlock(&lock);
	return found;
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

static void unmap_both(const struct vgpu_managed_range *range)
{
	munmap(range->alias, range->bytes);
	if (mmap(pointer(range->address), range->bytes, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED)
		madvise(pointer(range->address), range->bytes, MADV_DONTFORK);
}

static bool reserve_entry(void)
{
	size_t more = room ? room * 2 : 16;
	struct vgpu_managed_range *grown;

	if (count < room)
		return true;
	grown = realloc(ranges, more * sizeof(*ranges));
	if (!grown)
		return false;
	ranges = grown;
	room = more;
	return true;
}

/* In the order in which they are tried. */
static const struct vgpu_managed_access *const ways[] = {
	&vgpu_managed_by_thread,
	&vgpu_managed_by_sigbus,
	&vgpu_managed_by_sigsegv,
};

#define WAYS	(sizeof(ways) / sizeof(ways[0]))

/* The first way that may be used: all of them, unless VGPU_USERFAULTFD names one. */
static size_t first_way(void)
{
	const char *wanted = getenv("VGPU_USERFAULTFD");

	for (size_t n = 0; wanted && n < WAYS; n++)
		if (!strcmp(wanted, ways[n]->name))
			return n;
	return 0;
}

static bool under_valgrind(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	return preloaded && strstr(preloaded, "/vgpreload_");
}

/*
 * Without a way: the program has access all the time, and the device is not told. Valgrind runs one
 * thread at a time: one that waits in the kernel for its page would keep the one that brings it
 * from running. And after a signal's handler it goes on with old values of registers.
 */
static bool unwatched_attach(const struct vgpu_managed_range *range)
{
	return !mprotect(pointer(range->address), range->bytes, PROT_READ | PROT_WRITE);
}

static int unwatched_grant(const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes,
			   bool writable)
{
	(void)range, (void)address, (void)bytes, (void)writable;
	return 0;
}

static void unwatched_grant_ahead(const struct vgpu_managed_range *range, uint64_t address,
				  uint64_t bytes)
{
	(void)range, (void)address, (void)bytes;
}

static int unwatched_restrict(const struct vgpu_managed_range *range, uint64_t address,
			      uint64_t bytes)
{
	(void)range, (void)address, (void)bytes;
	return 0;
}

static const struct vgpu_managed_access unwatched = {
	.name = "unwatched",
	.serves_system_calls = true,
	.attach = unwatched_attach,
	.grant = unwatched_grant,
	.grant_ahead = unwatched_grant_ahead,
	.revoke = unwatched_restrict,
	.protect = unwatched_restrict,
};

static int attach(struct vgpu_managed_range *range)
{
	if (under_valgrind()) {
		range->access = &unwatched;
		if (unwatched.attach(range))
			return 0;
	}
	for (size_t n = first_way(); n < WAYS; n++) {
		range->access = ways[n];
		if (!range->access->attach(range))
			continue;
		if (!range->access->serves_system_calls)
			vgpu_system_calls_watch(range->address, range->bytes);
		return 0;
	}
	unmap_both(range);
	return -ENOMEM;
}

int vgpu_managed_map(void *owner, vgpu_managed_serve_fn *serve, uint64_t address, uint64_t bytes)
{
	struct vgpu_managed_range range = { address, bytes, NULL, owner, serve, NULL };
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int error = 0;
	size_t i;

	pthread_once(&once, install_fork_handler);
	pthread_mutex_lock(&lock);
	if (!reserve_entry())
		error = -ENOMEM;
	else if (!(range.alias = map_twice(address, bytes)))
		error = -errno;
	else
		error = attach(&range);
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
	struct vgpu_managed_range range;

	return range_of(address, &range) ? range.alias + (address - range.address) : NULL;
}

int vgpu_managed_grant(uint64_t address, uint64_t bytes, bool writable)
{
	struct vgpu_managed_range range;

	if (!range_of(address, &range))
		return -EFAULT;
	return range.access->grant(&range, address, bytes, writable);
}

void vgpu_managed_grant_ahead(uint64_t address, uint64_t bytes)
{
	struct vgpu_managed_range range;

	if (range_of(address, &range))
		range.access->grant_ahead(&range, address, bytes);
}

static void must_restrict(int error)
{
	if (error)
		fprintf(stderr, "vgpu: managed memory stays accessible: %s\n", strerror(-error));
}

void vgpu_managed_revoke(uint64_t address, uint64_t bytes)
{
	struct vgpu_managed_range range;

	if (range_of(address, &range))
		must_restrict(range.access->revoke(&range, address, bytes));
}

void vgpu_managed_protect(uint64_t address, uint64_t bytes)
{
	struct vgpu_managed_range range;

	if (range_of(address, &range))
		must_restrict(range.access->protect(&range, address, bytes));
}
