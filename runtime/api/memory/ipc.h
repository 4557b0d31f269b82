/* SPDX-License-Identifier: MIT */
/*
 * Device memory of other processes, by handles of 64 bytes that are handed on in whatever way: for
 * cudaIpcGetMemHandle() to cudaIpcCloseMemHandle() and their namesakes of the driver API. The
 * device's part: uapi/vgpu.h, VGPU_IOC_MEM_RETAIN to _OPEN.
 *
 * What is exported is the mapping that an allocation lies in: its own, or the slab of small
 * allocations (alloc.c), of 2 MB, as CUDA has it.
 */
#ifndef VGPU_RT_IPC_H
#define VGPU_RT_IPC_H

#include "state.h"

struct rt_pool_name;

#define RT_IPC_MEMORY	0x6d656d2d75706776ull	/* "vgpu-mem" */
#define RT_IPC_POOLED	0x6d6d702d75706776ull	/* "vgpu-pmm": from a pool (pool_share.h) */

/** struct rt_ipc_memory - a cudaIpcMemHandle_t, and a CUipcMemHandle */
struct rt_ipc_memory {
	uint64_t magic;			/* RT_IPC_MEMORY */
	uint64_t name[2];		/* the device's, of a mapping */
	uint64_t offset;		/* in it, of the allocation */
	uint64_t bytes;			/* of that */
	uint32_t device;		/* rt_device_place() */
	uint32_t pool[4];		/* its name, of an allocation of one; else 0 */
	uint32_t reserved;		/* 0 */
};

/*
 * A handle for the allocation that @address lies in; the same for each of its addresses.
 * vgpuErrorInvalidValue: it is not memory of vgpuMalloc(); vgpuErrorNotSupported: the device is
 * this process's alone.
 */
vgpuError_t rt_ipc_export(const void *address, struct rt_ipc_memory *handle);
/* Is it memory that rt_ipc_export() takes? */
bool rt_ipc_can(const void *address);
/* The same for what was allocated at @address from a pool with a name; needs no lock either. */
vgpuError_t rt_ipc_export_pooled(const void *address, struct rt_ipc_memory *handle);
/* Can the current context, which is open, share memory? Needs the lock. */
bool rt_ipc_possible(void);
/*
 * Its beginning, in the current context. Opened again it is the same address.
 * vgpuErrorInvalidResourceHandle: it is no handle, or of what has been freed, or is another user's;
 * vgpuErrorDeviceUninitialized: of this process; vgpuErrorPeerAccessUnsupported: of another device.
 */
vgpuError_t rt_ipc_open(const struct rt_ipc_memory *handle, void **address);
/* The same for memory of the pool of that name; vgpuErrorInvalidValue: it is of another one. */
vgpuError_t rt_ipc_open_pooled(const struct rt_ipc_memory *handle, const struct rt_pool_name *pool,
			       void **address);
/* As often as it was opened; then it is unmapped, when work in flight has ended. */
vgpuError_t rt_ipc_close(const void *address);
vgpuError_t rt_ipc_close_pooled(const void *address);
/* Is it such an address of rt_ipc_open_pooled()? Takes the lock, if there may be some. */
bool rt_ipc_is_pooled(const void *address);

#endif
