// SPDX-License-Identifier: MIT
/*
 * Driver API: virtual memory management. Memory is of a device, pinned, and its handle can be a
 * file descriptor where the device has those; other kinds are refused. No call needs a context.
 */
#include "api/memory/virtual.h"
#include "driver.h"

static bool is_here(const CUmemLocation *location)
{
	return location->type == CU_MEM_LOCATION_TYPE_DEVICE &&
	       drv_device(location->id) == CUDA_SUCCESS;
}

/* What memory of a device may be like. */
static CUresult check_properties(const char *call, const CUmemAllocationProp *prop)
{
	static bool said;

	if (!prop || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED)
		return CUDA_ERROR_INVALID_VALUE;
	if (prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE)
		return is_here(&prop->location) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
	return prop->location.type > CU_MEM_LOCATION_TYPE_DEVICE &&
	       prop->location.type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT ?
		       drv_refuse(&said, call, "memory of the host is") : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
				       CUmemAllocationGranularity_flags option)
{
	CUresult error = drv_initialised();

	if (error == CUDA_SUCCESS &&
	    (!granularity || (unsigned int)option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = check_properties(__func__, prop);
	if (error == CUDA_SUCCESS)
		*granularity = RT_GRANULE;
	return error;
}

/* ---- addresses ----------------------------------------------------------- */

CUresult cuMemAddressReserve(CUdeviceptr *pointer, size_t bytes, size_t alignment, CUdeviceptr hint,
			     unsigned long long flags)
{
	CUresult error = drv_initialised();
	uint64_t address = 0;

	if (error == CUDA_SUCCESS && (!pointer || flags))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = DRV_OF_DEVICE(rt_virtual_reserve(bytes, alignment, hint, &address));
	if (error == CUDA_SUCCESS)
		*pointer = address;
	return error;
}

CUresult cuMemAddressFree(CUdeviceptr pointer, size_t bytes)
{
	CUresult error = drv_initialised();

	return error == CUDA_SUCCESS ? DRV_OF_DEVICE(rt_virtual_unreserve(pointer, bytes)) : error;
}

/* ---- memory -------------------------------------------------------------- */

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
		     const CUmemAllocationProp *prop, unsigned long long flags)
{
	CUresult error = drv_initialised();
	uint64_t id = 0;

	if (error == CUDA_SUCCESS && (!handle || flags))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = check_properties(__func__, prop);
	if (error != CUDA_SUCCESS)
		return error;
	if (prop->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return DRV_REFUSE("a handle for Windows or a fabric is");
	error = DRV_OF_DEVICE(rt_physical_create(prop->location.id, bytes,
						 prop->requestedHandleTypes, &id));
	if (error == CUDA_SUCCESS)
		*handle = id;
	return error;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
	CUresult error = drv_initialised();

	return error == CUDA_SUCCESS ? DRV_OF_DEVICE(rt_physical_release(handle)) : error;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *pointer)
{
	CUresult error = drv_initialised();
	uint64_t id = 0;

	if (error == CUDA_SUCCESS && !handle)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = DRV_OF_DEVICE(rt_physical_retain((uintptr_t)pointer, &id));
	if (error == CUDA_SUCCESS)
		*handle = id;
	return error;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
						CUmemGenericAllocationHandle handle)
{
	CUresult error = drv_initialised();
	bool exportable = false;
	int device = 0;

	if (error == CUDA_SUCCESS && !prop)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = DRV_OF_DEVICE(rt_physical_about(handle, &device, &exportable));
	if (error == CUDA_SUCCESS)
		*prop = (CUmemAllocationProp){
			.type = CU_MEM_ALLOCATION_TYPE_PINNED,
			.requestedHandleTypes = exportable ?
				CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : CU_MEM_HANDLE_TYPE_NONE,
			.location = { CU_MEM_LOCATION_TYPE_DEVICE, device },
		};
	return error;
}

CUresult cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle,
				      CUmemAllocationHandleType type, unsigned long long flags)
{
	CUresult error = drv_initialised();

	if (error != CUDA_SUCCESS)
		return error;
	if (!shareable || flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return DRV_REFUSE("a handle for Windows or a fabric is");
	return DRV_OF_DEVICE(rt_physical_export(handle, shareable));
}

/* The handle itself is passed, in the place of an address. */
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shareable,
					CUmemAllocationHandleType type)
{
	CUresult error = drv_initialised();
	uint64_t id = 0;

	if (error != CUDA_SUCCESS)
		return error;
	if (!handle)
		return CUDA_ERROR_INVALID_VALUE;
	if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return DRV_REFUSE("a handle for Windows or a fabric is");
	error = DRV_OF_DEVICE(rt_physical_import((int)(intptr_t)shareable, &id));
	if (error == CUDA_SUCCESS)
		*handle = id;
	return error;
}

/* ---- mappings ------------------------------------------------------------ */

CUresult cuMemMap(CUdeviceptr pointer, size_t bytes, size_t offset,
		  CUmemGenericAllocationHandle handle, unsigned long long flags)
{
	CUresult error = drv_initialised();

	if (error == CUDA_SUCCESS && flags)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = DRV_OF_DEVICE(rt_virtual_map(pointer, bytes, offset, handle));
	return error;
}

CUresult cuMemUnmap(CUdeviceptr pointer, size_t bytes)
{
	CUresult error = drv_initialised();

	return error == CUDA_SUCCESS ? DRV_OF_DEVICE(rt_virtual_unmap(pointer, bytes)) : error;
}

/* All of the list is looked at before anything is changed. */
CUresult cuMemSetAccess(CUdeviceptr pointer, size_t bytes, const CUmemAccessDesc *list,
			size_t count)
{
	CUresult error = drv_initialised();

	if (error == CUDA_SUCCESS && (!list || !count))
		error = CUDA_ERROR_INVALID_VALUE;
	for (size_t n = 0; error == CUDA_SUCCESS && n < count; n++) {
		if (list[n].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
		    list[n].flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
		    list[n].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
			error = CUDA_ERROR_INVALID_VALUE;
		else if (!is_here(&list[n].location))
			error = CUDA_ERROR_INVALID_DEVICE;
	}
	for (size_t n = 0; error == CUDA_SUCCESS && n < count; n++)
		error = DRV_OF_DEVICE(rt_virtual_set_rights(
			pointer, bytes, list[n].location.id,
			list[n].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? VGPU_RIGHTS_WRITE :
			list[n].flags ? VGPU_RIGHTS_READ : VGPU_RIGHTS_NONE));
	return error;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
			CUdeviceptr pointer)
{
	CUresult error = drv_initialised();
	uint32_t rights = VGPU_RIGHTS_NONE;

	if (error == CUDA_SUCCESS && (!flags || !location))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS && !is_here(location))
		error = CUDA_ERROR_INVALID_DEVICE;
	if (error == CUDA_SUCCESS)
		error = DRV_OF_DEVICE(rt_virtual_rights(pointer, location->id, &rights));
	if (error == CUDA_SUCCESS)
		*flags = rights == VGPU_RIGHTS_WRITE ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE :
			 rights == VGPU_RIGHTS_READ ? CU_MEM_ACCESS_FLAGS_PROT_READ :
						      CU_MEM_ACCESS_FLAGS_PROT_NONE;
	return error;
}
