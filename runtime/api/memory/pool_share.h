/* SPDX-License-Identifier: MIT */
/*
 * Pools of several processes: for cudaMemPoolExportToShareableHandle() to _ImportPointer() and
 * their namesakes of the driver API.
 *
 * The handle of a pool is a file that says which it is: a random name, and the device. Who has it
 * gets a pool in which nothing can be allocated. An allocation is handed on as memory of other
 * processes is (ipc.h), by 64 bytes with the name of its pool, and belongs to the same user.
 *
 * For front ends, which hold no lock. vgpuErrorInvalidValue: it is no pool, or not such a one.
 */
#ifndef VGPU_RT_POOL_SHARE_H
#define VGPU_RT_POOL_SHARE_H

#include "ipc.h"
#include "pool.h"

/* As rt_pool_create(). vgpuErrorNotSupported: the device is this process's alone. */
vgpuError_t rt_pool_create_shared(int device, uint64_t most, struct rt_pool **out);
/* A file, which the caller closes. */
vgpuError_t rt_pool_export(struct rt_pool *pool, int *file);
/* The caller keeps the file. vgpuErrorInvalidDevice: the program does not see that device. */
vgpuError_t rt_pool_import(int file, struct rt_pool **out);
/* @pointer: as it was allocated. */
vgpuError_t rt_pool_export_pointer(const void *pointer, struct rt_ipc_memory *data);
/* Is freed as other memory of pools; vgpuErrorInvalidValue: @data is of another pool. */
vgpuError_t rt_pool_import_pointer(struct rt_pool *pool, const struct rt_ipc_memory *data,
				   void **pointer);

#endif
