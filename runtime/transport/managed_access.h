/* SPDX-License-Identifier: MIT */
/*
 * How managed memory of this process is made accessible to the program and taken from it, and how
 * the program's accesses to what it does not have are noticed. There are three ways:
 *
 *   thread   (managed_userfaultfd.c, managed_server.c) A page that the program may not use is in no
 *            page table. userfaultfd has whoever touches it sleep, also in a system call, until a
 *            thread of this library has brought the page. Needs Linux 6.4, and that the process may
 *            handle faults of system calls: as root, with vm.unprivileged_userfaultfd, or
 *            /dev/userfaultfd.
 *   sigbus   (managed_userfaultfd.c, managed_signal.c) The same, but userfaultfd has the thread
 *            that touches the page serve itself in a handler of SIGBUS, without another thread.
 *            Needs Linux 6.4, and no right. A system call fails, so common ones are passed other
 *            memory (system_calls.c).
 *   sigsegv  (managed_signal.c) Such a page is PROT_NONE, and the thread that touches it serves
 *            itself in a handler of SIGSEGV. Works everywhere; system calls as with sigbus. Pieces
 *            of different access are mappings of their own, of which a process has a limit.
 *
 * The first that is possible is used, from the one on that VGPU_USERFAULTFD names (0: sigsegv).
 */
#ifndef VGPU_MANAGED_ACCESS_H
#define VGPU_MANAGED_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "managed.h"

struct vgpu_managed_access;

/**
 * struct vgpu_managed_range - one piece of managed memory
 * @address, @bytes: where the program sees it
 * @alias: where the device accesses it
 */
struct vgpu_managed_range {
	uint64_t address, bytes;
	char *alias;
	void *owner;
	vgpu_managed_serve_fn *serve;	/* NULL: the owner is about to go */
	const struct vgpu_managed_access *access;
};

/**
 * struct vgpu_managed_access - a way
 * @name: what VGPU_USERFAULTFD calls it
 * @serves_system_calls: a system call that is passed a page which is on the device gets it
 * @attach: watch a range that is mapped PROT_NONE; false: this way is not possible, and the range
 *   is as it was. Called with the lock of the ranges held
 * @grant: let the program read some pages, and write them if @writable; a negative errno. It may
 *   have some of them already, in the same way or in another. Whoever waits for them goes on
 * @grant_ahead: let it read and write pages, at once or not; it may have some of them already
 * @revoke: it may not any more; a negative errno
 * @protect: it may not write any more; a negative errno
 */
struct vgpu_managed_access {
	const char *name;
	bool serves_system_calls;
	bool (*attach)(const struct vgpu_managed_range *range);
	int (*grant)(const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes,
		     bool writable);
	void (*grant_ahead)(const struct vgpu_managed_range *range, uint64_t address,
			    uint64_t bytes);
	int (*revoke)(const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes);
	int (*protect)(const struct vgpu_managed_range *range, uint64_t address, uint64_t bytes);
};

extern const struct vgpu_managed_access vgpu_managed_by_thread;
extern const struct vgpu_managed_access vgpu_managed_by_sigbus;
extern const struct vgpu_managed_access vgpu_managed_by_sigsegv;

/**
 * vgpu_managed_serve - the program has accessed @address, which it may not: serve it
 * @write: it writes, or that is not known
 *
 * -EFAULT: it is not managed memory of this process, or its owner is about to go.
 */
int vgpu_managed_serve(uint64_t address, bool write);
/**
 * vgpu_managed_is_protected - does some of [@address, @address + @bytes) belong to a range of which
 * system calls get no pages that are on the device?
 */
bool vgpu_managed_is_protected(uint64_t address, size_t bytes);
/**
 * vgpu_managed_catch - have @signal of accesses, SIGSEGV or SIGBUS, served by who gets it
 *
 * What is not managed memory goes on to the handler that was there before. False: of the system.
 */
bool vgpu_managed_catch(int signal);
/**
 * vgpu_managed_server - a thread that serves what @descriptor, a userfaultfd that does not block,
 * reports (managed_server.c); false: of the system
 */
bool vgpu_managed_server(int descriptor);
/**
 * vgpu_system_calls_watch - [@address, @address + @bytes) becomes such a range (system_calls.c)
 *
 * Called with the lock of the ranges held.
 */
void vgpu_system_calls_watch(uint64_t address, size_t bytes);

#endif
