/* SPDX-License-Identifier: MIT */
/*
 * How managed memory of this process is made accessible to the program and taken from it, and how
 * the program's accesses to what it does not have are noticed. There are two ways:
 *
 *   userfaultfd  (managed_userfaultfd.c) A page that the program may not use is in no page table.
 *                Whoever touches it sleeps, also in a system call, until a thread of this library
 *                has brought the page. Needs Linux 6.4, and that the process may handle faults of
 *                system calls: as root, with vm.unprivileged_userfaultfd, or /dev/userfaultfd.
 *   signal       (managed_signal.c) Such a page is PROT_NONE, and the thread that touches it serves
 *                itself in a handler of SIGSEGV. Works everywhere; a system call fails, so common
 *                ones are passed other memory (system_calls.c).
 *
 * The first is used where it may be, unless VGPU_USERFAULTFD is 0.
 */
#ifndef VGPU_MANAGED_ACCESS_H
#define VGPU_MANAGED_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "managed.h"

struct vgpu_managed_access;

/**
 * struct vgpu_managed_range - one piece of managed memory
 * @address, @bytes: where the program sees it
 * @alias: where the device accesses it
 * @process: that mapped it: a child made by fork has none
 */
struct vgpu_managed_range {
	uint64_t address, bytes;
	char *alias;
	void *owner;
	vgpu_managed_serve_fn *serve;	/* NULL: the owner is about to go */
	pid_t process;
	const struct vgpu_managed_access *access;
};

/**
 * struct vgpu_managed_access - a way
 * @attach: watch a range that is mapped PROT_NONE; false: this way is not possible. Called with the
 *   lock of the ranges held
 * @grant: let the program read some pages, and write them if @writable; a negative errno. It may
 *   have some of them already, in the same way or in another
 * @grant_ahead: let it read and write pages, at once or not; it may have some of them already
 * @revoke: it may not any more; a negative errno
 * @protect: it may not write any more; a negative errno
 */
struct vgpu_managed_access {
	bool (*attach)(const struct vgpu_managed_range *range);
	int (*grant)(const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes,
		     bool writable);
	void (*grant_ahead)(const struct vgpu_managed_range *range, uint64_t address,
			    uint64_t bytes);
	int (*revoke)(const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes);
	int (*protect)(const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes);
};

extern const struct vgpu_managed_access vgpu_managed_by_userfaultfd;
extern const struct vgpu_managed_access vgpu_managed_by_signal;

/**
 * vgpu_managed_serve - the program has accessed @address, which it may not: serve it
 * @write: it writes, or that is not known
 *
 * -EFAULT: it is not managed memory of this process.
 */
int vgpu_managed_serve(uint64_t address, bool write);
/**
 * vgpu_managed_is_protected - does some of [@address, @address + @bytes) belong to a range that
 * vgpu_managed_by_signal watches?
 */
bool vgpu_managed_is_protected(uint64_t address, size_t bytes);
/**
 * vgpu_system_calls_watch - [@address, @address + @bytes) becomes such a range (system_calls.c)
 *
 * Called with the lock of the ranges held.
 */
void vgpu_system_calls_watch(uint64_t address, size_t bytes);

#endif
