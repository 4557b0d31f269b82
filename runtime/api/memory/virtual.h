/* SPDX-License-Identifier: MIT */
/*
 * Virtual memory management: addresses that are reserved, device memory that is allocated apart
 * from them, and mappings of the one at the other, for the driver API's cuMemAddressReserve() to
 * cuMemUnmap(). The device's part: uapi/vgpu.h, VGPU_IOC_MEM_CREATE and the following.
 *
 * Addresses are of the process; memory is of one device, and of the context in which it was
 * created, which alone uses its mappings. All functions take the lock, and open the current context
 * if it is not open. A handle is a number that is never given again; an unknown one is
 * vgpuErrorInvalidValue, as CUDA has it.
 */
#ifndef VGPU_RT_VIRTUAL_H
#define VGPU_RT_VIRTUAL_H

#include "state.h"

/* Memory is created, mapped and reserved in multiples of this, as on NVIDIA's devices. */
#define RT_GRANULE	(2ull << 20)

/* What the device can do: both are attributes of it. Needs the lock, and the device open. */
bool rt_has_virtual(void);
bool rt_has_export(void);

/*
 * @alignment: a power of two, or 0; @hint: where it would be welcome, 0: anywhere.
 * vgpuErrorMemoryAllocation: the process has no such range.
 */
vgpuError_t rt_virtual_reserve(uint64_t bytes, uint64_t alignment, uint64_t hint,
			       uint64_t *address);
/* Exactly what was reserved, and nothing may be mapped there: else vgpuErrorInvalidValue. */
vgpuError_t rt_virtual_unreserve(uint64_t address, uint64_t bytes);

/*
 * Memory of rt_context_on(@device). vgpuErrorMemoryAllocation: it has not so much left;
 * vgpuErrorNotSupported: it has no such memory, or cannot export it, if it is to be @exportable.
 */
vgpuError_t rt_physical_create(int device, uint64_t bytes, bool exportable, uint64_t *handle);
/* One reference less; the memory goes when there is none, and no mapping. */
vgpuError_t rt_physical_release(uint64_t handle);
/* One reference more to what is mapped at @address. */
vgpuError_t rt_physical_retain(uint64_t address, uint64_t *handle);
vgpuError_t rt_physical_about(uint64_t handle, int *device, bool *exportable);
/* A file that stands for it, which the caller closes; and a new handle for such a file. */
vgpuError_t rt_physical_export(uint64_t handle, int *fd);
vgpuError_t rt_physical_import(int fd, uint64_t *handle);

/* Without rights at first. All of it is reserved, and none mapped. */
vgpuError_t rt_virtual_map(uint64_t address, uint64_t bytes, uint64_t offset, uint64_t handle);
/* Whole mappings, one behind the other. Work in flight ends first. */
vgpuError_t rt_virtual_unmap(uint64_t address, uint64_t bytes);
/*
 * What @device may do there, enum vgpu_rights; the same ranges. It is the memory's own device. If
 * that is less than before this waits for what was submitted.
 */
vgpuError_t rt_virtual_set_rights(uint64_t address, uint64_t bytes, int device, uint32_t rights);
vgpuError_t rt_virtual_rights(uint64_t address, int device, uint32_t *rights);

/* Has the program handles or mappings of memory of the current context? Needs the lock. */
bool rt_virtual_in_use(void);
/* The current context is closed: its memory and its mappings are gone. Needs the lock. */
void rt_virtual_reset(void);

#endif
