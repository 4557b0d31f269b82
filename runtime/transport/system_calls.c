// SPDX-License-Identifier: MIT
/*
 * Functions of the C library that have the kernel access memory for the program. Where accesses to
 * managed memory are served by a signal (managed_access.h), the kernel cannot bring a page that is
 * on the device, and the call would fail with EFAULT. So these stand before those of the C library:
 * what they are passed goes through other memory if it is such memory, and otherwise straight on.
 * They are found first because programs are linked to this library before the C library.
 *
 * Other calls with managed memory (readv, io_uring, system calls made directly) fail with EFAULT.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "managed_access.h"

/* Every range that was ever protected is between these: other memory costs a call no lock. */
static _Atomic uint64_t lowest = UINT64_MAX, highest;

void vgpu_system_calls_watch(uint64_t address, size_t bytes)
{
	if (lowest > address)
		lowest = address;
	if (highest < address + bytes)
		highest = address + bytes;
}

static bool in_protected(uint64_t address, size_t bytes)
{
	return address < highest && address + bytes > lowest &&
	       vgpu_managed_is_protected(address, bytes);
}

/* A macro: the compiler takes a pointer to const for one to what is read. */
#define is_protected(buffer, bytes) in_protected((uint64_t)(uintptr_t)(buffer), bytes)

/* The function of the C library; it is looked up once, and any thread finds the same. */
#define NEXT(name)									\
	({										\
		static __typeof__(&name) next;						\
		__typeof__(&name) found = __atomic_load_n(&next, __ATOMIC_RELAXED);	\
											\
		if (!found) {								\
			*(void **)&found = dlsym(RTLD_NEXT, #name);			\
			__atomic_store_n(&next, found, __ATOMIC_RELAXED);		\
		}									\
		found;									\
	})

static void *other_memory(size_t bytes)
{
	void *memory = malloc(bytes);

	if (!memory)
		errno = ENOMEM;
	return memory;
}

/* Free @memory, of which @bytes go to @to; errno stays. */
static void finish(void *memory, void *to, size_t bytes)
{
	int error = errno;

	if (to)
		memcpy(to, memory, bytes);
	free(memory);
	errno = error;
}

static void gather(char *memory, const struct iovec *parts, int count)
{
	for (int n = 0; n < count; n++) {
		memcpy(memory, parts[n].iov_base, parts[n].iov_len);
		memory += parts[n].iov_len;
	}
}

/* A call that fills @buffer, and one that reads it; @call uses "memory". */
#define FILL(buffer, bytes, call)							\
	({										\
		void *memory = other_memory(bytes);					\
		ssize_t got = memory ? call : -1;					\
											\
		finish(memory, got > 0 ? (buffer) : NULL, got > 0 ? (size_t)got : 0);	\
		got;									\
	})
#define USE(buffer, bytes, call)							\
	USE_PARTS((&(struct iovec){ (void *)(uintptr_t)(buffer), bytes }), 1, bytes, call)
#define USE_PARTS(parts, count, bytes, call)						\
	({										\
		void *memory = other_memory(bytes);					\
		ssize_t got = memory ? (gather(memory, parts, count), call) : -1;	\
											\
		finish(memory, NULL, 0);						\
		got;									\
	})

ssize_t read(int fd, void *buffer, size_t bytes)
{
	if (!is_protected(buffer, bytes))
		return NEXT(read)(fd, buffer, bytes);
	return FILL(buffer, bytes, NEXT(read)(fd, memory, bytes));
}

ssize_t pread(int fd, void *buffer, size_t bytes, off_t offset)
{
	if (!is_protected(buffer, bytes))
		return NEXT(pread)(fd, buffer, bytes, offset);
	return FILL(buffer, bytes, NEXT(pread)(fd, memory, bytes, offset));
}

ssize_t pread64(int fd, void *buffer, size_t bytes, off64_t offset)
{
	return pread(fd, buffer, bytes, offset);
}

ssize_t write(int fd, const void *buffer, size_t bytes)
{
	if (!is_protected(buffer, bytes))
		return NEXT(write)(fd, buffer, bytes);
	return USE(buffer, bytes, NEXT(write)(fd, memory, bytes));
}

ssize_t pwrite(int fd, const void *buffer, size_t bytes, off_t offset)
{
	if (!is_protected(buffer, bytes))
		return NEXT(pwrite)(fd, buffer, bytes, offset);
	return USE(buffer, bytes, NEXT(pwrite)(fd, memory, bytes, offset));
}

ssize_t pwrite64(int fd, const void *buffer, size_t bytes, off64_t offset)
{
	return pwrite(fd, buffer, bytes, offset);
}

/* Streams of C++ write their buffer and large data with one call. */
ssize_t writev(int fd, const struct iovec *parts, int count)
{
	bool any = false;
	size_t bytes = 0;

	for (int n = 0; n < count; n++) {
		any |= is_protected(parts[n].iov_base, parts[n].iov_len);
		bytes += parts[n].iov_len;
	}
	if (!any || count > IOV_MAX || bytes > SSIZE_MAX)
		return NEXT(writev)(fd, parts, count);
	return USE_PARTS(parts, count, bytes, NEXT(write)(fd, memory, bytes));
}

ssize_t recv(int fd, void *buffer, size_t bytes, int flags)
{
	if (!is_protected(buffer, bytes))
		return NEXT(recv)(fd, buffer, bytes, flags);
	return FILL(buffer, bytes, NEXT(recv)(fd, memory, bytes, flags));
}

ssize_t send(int fd, const void *buffer, size_t bytes, int flags)
{
	if (!is_protected(buffer, bytes))
		return NEXT(send)(fd, buffer, bytes, flags);
	return USE(buffer, bytes, NEXT(send)(fd, memory, bytes, flags));
}

/* Items that are not whole reach the buffer as well. */
size_t fread(void *buffer, size_t size, size_t items, FILE *file)
{
	size_t bytes, got;

	if (__builtin_mul_overflow(size, items, &bytes) ||
	    !is_protected(buffer, bytes))
		return NEXT(fread)(buffer, size, items, file);
	got = FILL(buffer, bytes, (ssize_t)NEXT(fread)(memory, 1, bytes, file));
	return (ssize_t)got < 0 ? 0 : got / size;
}

size_t fwrite(const void *buffer, size_t size, size_t items, FILE *file)
{
	size_t bytes, got;

	if (__builtin_mul_overflow(size, items, &bytes) ||
	    !is_protected(buffer, bytes))
		return NEXT(fwrite)(buffer, size, items, file);
	got = USE(buffer, bytes, (ssize_t)NEXT(fwrite)(memory, 1, bytes, file));
	return (ssize_t)got < 0 ? 0 : got / size;
}
