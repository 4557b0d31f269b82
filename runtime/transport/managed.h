/* SPDX-License-Identifier: MIT */
/*
 * Managed memory in this process, for a device that is in it too. The bytes are mapped twice: once
 * where the program sees them, accessible only while the device allows it, and once for the device,
 * always accessible. The program's access to what it may not have is noticed, the device gives the
 * page to the host, and the access is made again (managed_access.h).
 *
 * Where that is done with SIGSEGV or SIGBUS, other signals of that kind go on to the handler that
 * was there before. A program that sets a handler of its own after it has allocated managed memory
 * has to go on to the one that it replaces; and a system call that is passed a page which is on
 * the device fails with EFAULT, unless it is one of system_calls.c. A forked child does not have
 * the memory. All functions may be called by several threads; what grants and revokes
 * access must be called with the lock of the device held.
 */
#ifndef VGPU_MANAGED_H
#define VGPU_MANAGED_H

#include <stdbool.h>
#include <stdint.h>

/**
 * typedef vgpu_managed_serve_fn - the program accesses @address: have the device give it to the
 * host, and vgpu_managed_grant() access
 * @write: it writes, or that is not known
 *
 * Called in a signal handler of the thread that accesses it, or by a thread of userfaultfd. A
 * negative errno: it may not.
 */
typedef int vgpu_managed_serve_fn(void *owner, uint64_t address, bool write);

/**
 * vgpu_managed_map - make [@address, @address + @bytes), reserved before, managed memory of @owner
 *
 * The program has no access yet. -ENOMEM, -EMFILE: of the system.
 */
int vgpu_managed_map(void *owner, vgpu_managed_serve_fn *serve, uint64_t address, uint64_t bytes);
/** vgpu_managed_unmap - the range is only reserved again; -ENOENT: it is not managed */
int vgpu_managed_unmap(uint64_t address, uint64_t bytes);
/**
 * vgpu_managed_end - @owner is about to go: its serve() is called no more, and has returned
 *
 * What the program may access it may still access. Call it without the lock of the device.
 */
void vgpu_managed_end(void *owner);
/** vgpu_managed_unmap_all - the same for all of @owner */
void vgpu_managed_unmap_all(void *owner);
/** vgpu_managed_alias - where the device accesses the page at @address; NULL: it is not managed */
void *vgpu_managed_alias(uint64_t address);
/**
 * vgpu_managed_grant - let the program read pages of one range, and write them if @writable;
 * -ENOMEM: of the system
 */
int vgpu_managed_grant(uint64_t address, uint64_t bytes, bool writable);
/** vgpu_managed_grant_ahead - the same of pages that it has not accessed, as far as it is cheap */
void vgpu_managed_grant_ahead(uint64_t address, uint64_t bytes);
/** vgpu_managed_revoke - it may not any more */
void vgpu_managed_revoke(uint64_t address, uint64_t bytes);
/** vgpu_managed_protect - it may read, and may not write any more */
void vgpu_managed_protect(uint64_t address, uint64_t bytes);

#endif
