/* SPDX-License-Identifier: MIT */
/*
 * What the runtime tells the sanitizer of the host. All of it is nothing while the sanitizer is
 * off, which one look at san_on says: VGPU_SANITIZER names its tools when the process first asks
 * for a transport.
 */
#ifndef VGPU_SANITIZER_H
#define VGPU_SANITIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool.h"

struct vgpu_transport_ops;

/* Never changes after san_configure(). */
extern bool san_on;

/*
 * Reads the environment, once. False: a variable has a value that means nothing, which @message
 * says.
 */
bool san_configure(char *message, size_t size);
/* The embedded transport with what the sanitizer looks at between; only with san_on. */
const struct vgpu_transport_ops *san_transport(void);
/* For the embedded transport: whom the device tells, NULL: nobody. */
const struct vgpu_watch_ops *san_watch(void);
/* For the embedded transport: a command of the device of @host has ended. */
void san_completed(const void *host, u32 queue, u64 seq);

/* Bytes that stay free behind variables; 0: the sanitizer is off. */
static inline uint32_t san_red_zone(void)
{
	return san_on ? 32 : 0;
}
/* The same behind allocations */
uint32_t san_padding(void);

/* Device addresses of allocations come from there. */
void san_heap(uint64_t address, uint64_t bytes);
/* An allocation is there, or the one at @address has another size or kind now. */
void san_allocated(uint64_t address, uint64_t bytes, enum san_memory_kind kind);
void san_freed(uint64_t address);
/* The same, but nothing was freed: the memory is told of otherwise. */
void san_withdrawn(uint64_t address);
/* Is it one that has not been freed? */
bool san_is_live(uint64_t address);
/*
 * False: the address, of an allocation, rests (san_rest()). Else *@bytes becomes, where it is
 * known, what was asked for, in whole units.
 */
bool san_knows(uint64_t address, uint64_t unit, uint64_t *bytes);
/*
 * The address, which has just been freed, is not to be used again for a while. Returns one that may
 * be, or 0.
 */
uint64_t san_rest(uint64_t address);
/* Everything in [address, address + bytes) is gone: a device was reset. */
void san_forget(uint64_t address, uint64_t bytes);

#endif
