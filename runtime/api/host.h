/* SPDX-License-Identifier: MIT */
/*
 * Pinned memory: ranges of the process's memory, as the program allocated or registered them, which
 * do not overlap (host.c), and what devices have mapped of them (host_map.c). All with rt_lock
 * held.
 */
#ifndef VGPU_RT_HOST_H
#define VGPU_RT_HOST_H

#include "state.h"

/**
 * struct rt_pinned - one range
 * @bytes: as the program asked
 * @mapped: ours to unmap, whole pages; 0: the program's own memory
 * @flags: vgpuHostAlloc* or vgpuHostRegister*
 */
struct rt_pinned {
	char *base;
	size_t bytes;
	size_t mapped;
	unsigned int flags;
};

/** struct rt_pinned_table - all of them, by address */
struct rt_pinned_table {
	struct rt_pinned *range;
	size_t count, room;
};

extern struct rt_pinned_table rt_pinned;

/**
 * rt_pinned_map - have all devices that are open use range @index in place
 *
 * vgpuErrorInvalidValue: there is no memory, or it may only be read and the range is not
 * vgpuHostRegisterReadOnly; vgpuErrorMemoryAllocation. Nothing is mapped then.
 */
vgpuError_t rt_pinned_map(size_t index);
/* No device uses range @index any more. Their work that may do so has ended. */
void rt_pinned_unmap(size_t index);

#endif
