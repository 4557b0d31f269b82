/* SPDX-License-Identifier: MIT */
/*
 * Process memory as the embedded device reaches it: by address, where a bad address is an error and
 * not a crash.
 */
#ifndef VGPU_HOST_MEMORY_H
#define VGPU_HOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/** struct vgpu_host_window - memory of this process of which it is known whether it is there */
struct vgpu_host_window {
	uint64_t from, to;
	bool write;		/* it may be written */
	bool there;		/* false: not all of it, or that cannot be found out */
};

/*
 * Copy between @address of this process and @memory. -EFAULT: there is nothing at @address, or it
 * may not be so used.
 *
 * The bytes are of a buffer that ends at @end, which is moved a piece after the other: pages of
 * pieces to come are looked at together, and then copied without a system call each. @window:
 * empty at first, and whenever this process may have unmapped memory since. One that unmaps what
 * another thread has copied right now gets SIGSEGV, and SIGBUS if it is of a file that somebody
 * has made shorter.
 */
int vgpu_host_move(struct vgpu_host_window *window, uint64_t address, void *memory, uint32_t bytes,
		   uint64_t end, bool to_host);
/* Would such a copy work on every page of the range, now? */
int vgpu_host_probe(uint64_t address, uint64_t bytes, bool write);
/*
 * May this process write all of the range, which is in its memory? Nothing is written. -EFAULT: it
 * cannot even read some of it. Where what is mapped cannot be found out, it may if it can read.
 */
int vgpu_host_access(uint64_t address, uint64_t bytes, bool *writable);

#endif
