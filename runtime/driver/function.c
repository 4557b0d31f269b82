// SPDX-License-Identifier: MIT
/*
 * Driver API: functions, what they need, and how many of their blocks an SM has room for.
 */
#include "api/modules/capability.h"
#include "driver.h"

/* The function of a handle, with the lock held if there is no error. */
static CUresult enter_function(CUfunction handle, struct vgpuFunction **function)
{
	CUresult error = drv_enter();
	vgpuError_t known;

	if (error != CUDA_SUCCESS)
		return error;
	known = drv_function(handle, function);
	return known == vgpuSuccess ? CUDA_SUCCESS : drv_error(rt_leave(known));
}

static vgpuError_t attribute_of(const struct vgpuFunction *function,
				CUfunction_attribute attribute, int *value)
{
	vgpuFunctionAttributes found;

	rt_function_attributes(function, &found);
	switch (attribute) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = found.max_threads; break;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)found.shared_bytes; break;
	case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)found.constant_bytes; break;
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)found.local_bytes; break;
	case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = found.regs; break;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = (int)rt_function_arch(function); break;
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = (int)rt_code_capability(); break;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*value = (int)found.max_dynamic_shared;
		break;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = -1; break;
	default:
		if ((unsigned int)attribute >= CU_FUNC_ATTRIBUTE_MAX)
			return vgpuErrorInvalidValue;
		*value = 0;
		break;
	}
	return vgpuSuccess;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction handle)
{
	struct vgpuFunction *function;
	CUresult error = value ? enter_function(handle, &function) : CUDA_ERROR_INVALID_VALUE;

	if (error != CUDA_SUCCESS)
		return error;
	return drv_error(rt_leave(attribute_of(function, attribute, value)));
}

/* Clusters have one block here, whatever is said of others. */
static bool is_of_clusters(CUfunction_attribute attribute)
{
	return attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED ||
	       attribute == CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value)
{
	struct vgpuFunction *function;
	CUresult error = enter_function(handle, &function);

	if (error != CUDA_SUCCESS)
		return error;
	return drv_error(rt_leave(is_of_clusters(attribute) ? vgpuSuccess :
				  rt_function_set(function, (int)attribute, value)));
}

/* Hints: the device chooses its shared memory by what a kernel needs. */
CUresult cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache config)
{
	struct vgpuFunction *function;
	CUresult error = enter_function(handle, &function);

	if (error != CUDA_SUCCESS)
		return error;
	return drv_error(rt_leave((unsigned int)config > CU_FUNC_CACHE_PREFER_EQUAL ?
					  vgpuErrorInvalidValue : vgpuSuccess));
}

CUresult cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig config)
{
	struct vgpuFunction *function;
	CUresult error = enter_function(handle, &function);

	if (error != CUDA_SUCCESS)
		return error;
	return drv_error(rt_leave((unsigned int)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ?
					  vgpuErrorInvalidValue : vgpuSuccess));
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction handle)
{
	struct vgpuFunction *function;
	CUresult error = module ? enter_function(handle, &function) : CUDA_ERROR_INVALID_VALUE;

	if (error != CUDA_SUCCESS)
		return error;
	*module = (CUmodule)(void *)function->module;
	return drv_error(rt_leave(vgpuSuccess));
}

CUresult cuFuncGetName(const char **name, CUfunction handle)
{
	struct vgpuFunction *function;
	CUresult error = name ? enter_function(handle, &function) : CUDA_ERROR_INVALID_VALUE;

	if (error != CUDA_SUCCESS)
		return error;
	*name = rt_kernel(function)->name;
	return drv_error(rt_leave(vgpuSuccess));
}

CUresult cuFuncGetParamInfo(CUfunction handle, size_t index, size_t *offset, size_t *bytes)
{
	struct vgpuFunction *function;
	CUresult error = offset ? enter_function(handle, &function) : CUDA_ERROR_INVALID_VALUE;

	return error == CUDA_SUCCESS ?
		       drv_error(rt_leave(rt_function_param(function, index, offset, bytes))) :
		       error;
}

CUresult cuFuncIsLoaded(int *state, CUfunction handle)
{
	struct vgpuFunction *function;
	CUresult error = state ? enter_function(handle, &function) : CUDA_ERROR_INVALID_VALUE;

	if (error != CUDA_SUCCESS)
		return error;
	*state = 1;
	return drv_error(rt_leave(vgpuSuccess));
}

CUresult cuFuncLoad(CUfunction handle)
{
	int state;

	return cuFuncIsLoaded(&state, handle);
}

/* ---- of kernels, on any device ------------------------------------------- */

/* A context of the device is current afterwards. *@pushed: another one than before, on top. */
static CUresult go_to(CUdevice device, bool *pushed)
{
	CUresult error = drv_device(device);

	*pushed = error == CUDA_SUCCESS && rt_device() != device;
	return *pushed ? cuCtxPushCurrent(drv_context_of(&rt_devices[device])) : error;
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
			      CUdevice device)
{
	bool pushed;
	CUresult error = go_to(device, &pushed);

	if (error != CUDA_SUCCESS)
		return error;
	error = cuFuncGetAttribute(value, attribute, (CUfunction)(void *)kernel);
	if (pushed)
		cuCtxPopCurrent(NULL);
	return error;
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
			      CUdevice device)
{
	bool pushed;
	CUresult error = go_to(device, &pushed);

	if (error != CUDA_SUCCESS)
		return error;
	error = cuFuncSetAttribute((CUfunction)(void *)kernel, attribute, value);
	if (pushed)
		cuCtxPopCurrent(NULL);
	return error;
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device)
{
	CUresult error = drv_device(device);

	return error == CUDA_SUCCESS ? cuFuncSetCacheConfig((CUfunction)(void *)kernel, config) :
				       error;
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes)
{
	return cuFuncGetParamInfo((CUfunction)(void *)kernel, index, offset, bytes);
}

/* ---- occupancy ----------------------------------------------------------- */

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction handle,
							      int block, size_t shared,
							      unsigned int flags)
{
	struct vgpuFunction *function;
	CUresult error;

	if (!blocks || block <= 0 || (flags & ~1u))
		return CUDA_ERROR_INVALID_VALUE;
	error = enter_function(handle, &function);
	if (error != CUDA_SUCCESS)
		return error;
	*blocks = rt_occupancy(function, (unsigned int)block, shared);
	return drv_error(rt_leave(vgpuSuccess));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction handle, int block,
						     size_t shared)
{
	return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, handle, block, shared,
								    0);
}

/* The block size with the most threads on an SM, the largest of those. */
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction handle,
						   CUoccupancyB2DSize shared_of, size_t shared,
						   int limit, unsigned int flags)
{
	struct vgpuFunction *function;
	int most, best = 0, best_blocks = 0, sms;
	vgpuFunctionAttributes attributes;
	CUresult error;

	if (!grid || !block || (flags & ~1u))
		return CUDA_ERROR_INVALID_VALUE;
	error = enter_function(handle, &function);
	if (error != CUDA_SUCCESS)
		return error;
	rt_function_attributes(function, &attributes);
	sms = (int)rt.info.sms;
	rt_leave(vgpuSuccess);
	most = attributes.max_threads;
	if (limit > 0 && limit < most)
		most = limit;
	for (int threads = most; threads > 0; threads = (threads - 1) / 32 * 32) {
		size_t dynamic = shared_of ? shared_of(threads) : shared;
		int blocks;

		error = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, handle, threads,
								    dynamic);
		if (error != CUDA_SUCCESS)
			return error;
		if (blocks * threads > best * best_blocks) {
			best = threads;
			best_blocks = blocks;
		}
	}
	*block = best;
	*grid = best_blocks * sms;
	return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction handle,
					  CUoccupancyB2DSize shared_of, size_t shared, int limit)
{
	return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, handle, shared_of, shared,
							 limit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *shared, CUfunction handle, int blocks,
						 int block)
{
	struct vgpuFunction *function;
	CUresult error = shared && blocks > 0 && block > 0 ? enter_function(handle, &function) :
							     CUDA_ERROR_INVALID_VALUE;

	return error == CUDA_SUCCESS ?
		       drv_error(rt_leave(rt_function_room(function, blocks, block, shared))) :
		       error;
}
