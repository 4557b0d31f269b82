// SPDX-License-Identifier: MIT
/*
 * Copies process memory where the system has said that it is there, else through
 * process_vm_readv() and process_vm_writev() on ourselves, which answer EFAULT where memcpy would
 * crash. Where the system refuses those calls, memcpy it is.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "host_memory.h"
#include "vgpu.h"

#define PROBES 256
#define WINDOW	(256u << 10)	/* bytes that are looked at together */
#define LEAST	(16u << 10)	/* a system call for each page of fewer is as quick */

static bool refused;		/* found out once, the answer does not change */

static int vm(const struct iovec *local, const struct iovec *remote, unsigned long count,
	      size_t bytes, bool write)
{
	ssize_t n = write ? process_vm_writev(getpid(), local, 1, remote, count, 0) :
			    process_vm_readv(getpid(), local, 1, remote, count, 0);

	if (n == (ssize_t)bytes)
		return 0;
	if (n < 0 && (errno == EPERM || errno == ENOSYS)) {
		__atomic_store_n(&refused, true, __ATOMIC_RELAXED);
		return -errno;
	}
	return -EFAULT;
}

static void copy(uint64_t address, void *memory, uint32_t bytes, bool to_host)
{
	if (to_host)
		memcpy((void *)(uintptr_t)address, memory, bytes);
	else
		memcpy(memory, (const void *)(uintptr_t)address, bytes);
}

static int move_by_system(uint64_t address, void *memory, uint32_t bytes, bool to_host)
{
	struct iovec local = { memory, bytes }, remote = { (void *)(uintptr_t)address, bytes };
	int error = -EPERM;

	if (!__atomic_load_n(&refused, __ATOMIC_RELAXED))
		error = vm(&local, &remote, 1, bytes, to_host);
	if (error == -EPERM || error == -ENOSYS) {
		copy(address, memory, bytes, to_host);
		error = 0;
	}
	return error;
}

/* Are the pages there, and may they be used so? Only Linux 5.14 and later can say. */
static bool populate(uint64_t from, uint64_t to, bool write)
{
	uint64_t first = from & ~(VGPU_PAGE_SIZE - 1);

	return !madvise((void *)(uintptr_t)first, to - first,
			write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
}

int vgpu_host_move(struct vgpu_host_window *w, uint64_t address, void *memory, uint32_t bytes,
		   uint64_t end, bool to_host)
{
	if (address < w->from || address + bytes > w->to || (to_host && !w->write)) {
		if (end - address < LEAST)
			return move_by_system(address, memory, bytes, to_host);
		w->from = address;
		w->to = end - address < WINDOW ? end : address + WINDOW;
		w->write = to_host;
		w->there = populate(w->from, w->to, to_host);
	}
	if (!w->there)
		return move_by_system(address, memory, bytes, to_host);
	copy(address, memory, bytes, to_host);
	return 0;
}

/* Where the system cannot say, a byte of each page is read, and for a write put back as it was. */
int vgpu_host_probe(uint64_t address, uint64_t bytes, bool write)
{
	uint64_t last = (address + bytes - 1) & ~(VGPU_PAGE_SIZE - 1),
		 page = address & ~(VGPU_PAGE_SIZE - 1);
	struct iovec remote[PROBES];
	uint8_t values[PROBES];

	if (!bytes || address + bytes < address)
		return -EFAULT;
	if (populate(address, address + bytes, write))
		return 0;
	while (page <= last) {
		struct iovec local = { values, 0 };
		int error;

		for (; page <= last && local.iov_len < PROBES; page += VGPU_PAGE_SIZE)
			remote[local.iov_len++] = (struct iovec){
				(void *)(uintptr_t)(page < address ? address : page), 1 };
		if (__atomic_load_n(&refused, __ATOMIC_RELAXED))
			return 0;
		error = vm(&local, remote, local.iov_len, local.iov_len, false);
		if (!error && write)
			error = vm(&local, remote, local.iov_len, local.iov_len, true);
		if (error == -EPERM || error == -ENOSYS)
			return 0;
		if (error)
			return error;
	}
	return 0;
}

/* Only a file may lack what is mapped of it: beyond its end. Other pages are left as they are. */
int vgpu_host_access(uint64_t address, uint64_t bytes, bool *writable)
{
	uint64_t from, to, inode, at = address, end = address + bytes;
	FILE *maps = fopen("/proc/self/maps", "re");
	char rights[5], line[512];
	bool begins = true;

	*writable = true;
	if (!maps)
		return vgpu_host_probe(address, bytes, false);
	/* by address; a line may be longer than there is room */
	while (at < end && fgets(line, sizeof(line), maps)) {
		bool entry = begins && sscanf(line, "%lx-%lx %4s %*s %*s %lu", &from, &to, rights,
					      &inode) == 4;

		begins = strchr(line, '\n');
		if (!entry || to <= at)
			continue;
		if (from > at || rights[0] != 'r')
			break;
		if (rights[1] != 'w')
			*writable = false;
		if (inode && vgpu_host_probe(at, (to < end ? to : end) - at, false))
			break;
		at = to;
	}
	fclose(maps);
	return at < end ? -EFAULT : 0;
}
