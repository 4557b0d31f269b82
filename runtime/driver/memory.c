// SPDX-License-Identifier: MIT
/*
 * Driver API: memory of the device and of the host, and what a pointer is.
 */
#include <string.h>

#include "api/memory/ipc.h"
#include "api/memory/pool_store.h"
#include "driver.h"

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
	CUresult error = drv_check();
	size_t unused;

	if (error != CUDA_SUCCESS)
		return error;
	return drv_error(vgpuMemGetInfo(free_bytes ? free_bytes : &unused,
					total ? total : &unused));
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes)
{
	CUresult error = drv_check();
	void *memory = NULL;

	if (error == CUDA_SUCCESS && (!pointer || !bytes))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = drv_error(vgpuMalloc(&memory, bytes));
	if (error != CUDA_SUCCESS)
		return error;
	*pointer = (CUdeviceptr)(uintptr_t)memory;
	return CUDA_SUCCESS;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height,
			    unsigned int element)
{
	CUresult error = drv_check();
	void *memory = NULL;

	if (error == CUDA_SUCCESS &&
	    (!pointer || !pitch || !width || !height ||
	     (element != 4 && element != 8 && element != 16)))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = drv_error(vgpuMallocPitch(&memory, pitch, width, height));
	if (error != CUDA_SUCCESS)
		return error;
	*pointer = (CUdeviceptr)(uintptr_t)memory;
	return CUDA_SUCCESS;
}

CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned int flags)
{
	CUresult error = drv_check();
	void *memory = NULL;

	if (error == CUDA_SUCCESS && (!pointer || !bytes || (flags != CU_MEM_ATTACH_GLOBAL &&
							     flags != CU_MEM_ATTACH_HOST)))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = drv_error(vgpuMallocManaged(&memory, bytes));
	if (error != CUDA_SUCCESS)
		return error;
	*pointer = (CUdeviceptr)(uintptr_t)memory;
	return CUDA_SUCCESS;
}

/* Wherever the memory is: as CUDA, whatever the context. */
CUresult cuMemFree_v2(CUdeviceptr pointer)
{
	CUresult error = drv_check();

	if (error != CUDA_SUCCESS)
		return error;
	error = drv_error(vgpuFree(drv_pointer(pointer)));
	return error;
}

/* Memory of the device, or of the host that the device uses at the same address. */
static bool find_range(CUdeviceptr pointer, uint64_t *start, uint64_t *size)
{
	return rt_memory_find(pointer, start, size) ||
	       (rt_is_mapped(drv_pointer(pointer), 1) &&
		rt_pinned_range(drv_pointer(pointer), start, size));
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr pointer)
{
	struct rt_state *before = rt_current;
	CUresult error = drv_check();
	uint64_t start, size;
	vgpuError_t found;

	if (error != CUDA_SUCCESS)
		return error;
	rt_current = rt_owner(drv_pointer(pointer));
	found = rt_enter();
	if (found == vgpuSuccess)
		found = rt_leave(find_range(pointer, &start, &size) ? vgpuSuccess :
								      vgpuErrorSymbolNotFound);
	rt_current = before;
	if (found != vgpuSuccess)
		return drv_error(found);
	if (base)
		*base = start;
	if (bytes)
		*bytes = size;
	return CUDA_SUCCESS;
}

/* ---- of the host --------------------------------------------------------- */

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && (!pointer || !bytes || flags > 7))
		error = CUDA_ERROR_INVALID_VALUE;
	return error == CUDA_SUCCESS ? drv_error(vgpuHostAlloc(pointer, bytes, flags)) : error;
}

CUresult cuMemAllocHost_v2(void **pointer, size_t bytes)
{
	return cuMemHostAlloc(pointer, bytes, 0);
}

CUresult cuMemFreeHost(void *pointer)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && !pointer)
		error = CUDA_ERROR_INVALID_VALUE;
	return error == CUDA_SUCCESS ? drv_error(vgpuFreeHost(pointer)) : error;
}

CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned int flags)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && (!pointer || !bytes || flags > 15))
		error = CUDA_ERROR_INVALID_VALUE;
	return error == CUDA_SUCCESS ? drv_error(vgpuHostRegister(pointer, bytes, flags)) : error;
}

CUresult cuMemHostUnregister(void *pointer)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && !pointer)
		error = CUDA_ERROR_INVALID_VALUE;
	return error == CUDA_SUCCESS ? drv_error(vgpuHostUnregister(pointer)) : error;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *pointer, unsigned int flags)
{
	CUresult error = drv_check();
	void *found = NULL;

	if (error == CUDA_SUCCESS && (!device || flags))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = drv_error(vgpuHostGetDevicePointer(&found, pointer));
	if (error == CUDA_SUCCESS)
		*device = (CUdeviceptr)(uintptr_t)found;
	return error;
}

CUresult cuMemHostGetFlags(unsigned int *flags, void *pointer)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && !flags)
		error = CUDA_ERROR_INVALID_VALUE;
	return error == CUDA_SUCCESS ? drv_error(vgpuHostGetFlags(flags, pointer)) : error;
}

/* ---- what a pointer is --------------------------------------------------- */

struct about {
	int kind;	/* 0 not known, 1 host, 2 device, 3 managed */
	struct rt_state *context;
	void *base;
	size_t bytes;
	bool mapped;	/* kernels use it */
};

static CUresult look_at(CUdeviceptr pointer, struct about *about)
{
	struct rt_state *before = rt_current;
	CUresult error = drv_check();

	if (error != CUDA_SUCCESS)
		return error;
	rt_current = rt_owner(drv_pointer(pointer));
	about->context = rt_current;
	error = drv_error(vgpuPointerInfo(drv_pointer(pointer), &about->kind, &about->base,
					  &about->bytes));
	about->mapped = about->kind >= 2 || (about->kind == 1 && rt.ops && rt.ops->map_host);
	rt_current = before;
	return error;
}

/* Of an unknown pointer CUDA answers only the question of its type with an error. */
static CUresult attribute_of(const struct about *about, CUdeviceptr pointer,
			     CUpointer_attribute attribute, void *data)
{
	bool known = about->kind != 0;

	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		*(CUcontext *)data = known ? drv_context_of(about->context) : NULL;
		break;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned int *)data = about->kind >= 2 ? CU_MEMORYTYPE_DEVICE :
				about->kind ? CU_MEMORYTYPE_HOST : 0;
		break;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		*(CUdeviceptr *)data = about->mapped ? pointer : 0;
		return about->mapped ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		known = about->kind == 1 || about->kind == 3;
		*(void **)data = known ? drv_pointer(pointer) : NULL;
		break;
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
		*(int *)data = rt_ipc_can(drv_pointer(pointer));
		break;
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
		*(int *)data = 0;
		break;
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
		*(unsigned long long *)data = (uintptr_t)about->base;
		break;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(int *)data = about->kind == 3;
		break;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)data = known ? rt_device_of(about->context) : -2;
		break;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		*(CUdeviceptr *)data = (CUdeviceptr)(uintptr_t)about->base;
		break;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		*(size_t *)data = about->bytes;
		break;
	case CU_POINTER_ATTRIBUTE_MAPPED:
		*(int *)data = known;
		break;
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
		*(unsigned long long *)data = 0;
		break;
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		*(int *)data = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
		break;
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		*(CUmemoryPool *)data = NULL;
		break;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr pointer)
{
	struct about about;
	CUresult error;

	if (!data)
		return CUDA_ERROR_INVALID_VALUE;
	error = look_at(pointer, &about);
	return error == CUDA_SUCCESS ? attribute_of(&about, pointer, attribute, data) : error;
}

/* What cannot be answered is 0 here, and no error. */
CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **data,
				CUdeviceptr pointer)
{
	struct about about;
	CUresult error;

	if (!count || !attributes || !data)
		return CUDA_ERROR_INVALID_VALUE;
	error = look_at(pointer, &about);
	for (unsigned int i = 0; error == CUDA_SUCCESS && i < count; i++)
		if (!data[i])
			error = CUDA_ERROR_INVALID_VALUE;
		else
			attribute_of(&about, pointer, attributes[i], data[i]);
	return error;
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
			       CUdeviceptr pointer)
{
	struct about about;
	CUresult error = look_at(pointer, &about);

	if (error == CUDA_SUCCESS && (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
				      about.kind < 2))
		error = CUDA_ERROR_INVALID_VALUE;
	return error;
}
