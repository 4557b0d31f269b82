// SPDX-License-Identifier: MIT
/*
 * CUDA names: handles of kernels, which nvcc's host code launches by since CUDA 12, and libraries,
 * which a program loads itself. A cudaKernel_t and a CUkernel are a struct rt_kernel, a
 * cudaFunction_t and a CUfunction a struct vgpuFunction.
 */
#include <stdlib.h>

#include "calls.h"
#include "cuda.h"
#include "registry.h"

#define EXPORT	__attribute__((visibility("default")))

typedef struct rt_kernel *cudaKernel_t;
typedef struct rt_library *cudaLibrary_t;

EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
EXPORT cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *host);
EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
				      size_t shared, cudaStream_t stream);
EXPORT cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block,
					   void **arguments, size_t shared, cudaStream_t stream);
EXPORT cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *host);
EXPORT cudaError_t cudaFuncGetName(const char **name, const void *host);
EXPORT cudaError_t cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset,
					size_t *bytes);
EXPORT cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, int *jit,
				       void **jit_values, unsigned int jit_count, int *options,
				       void **values, unsigned int count);
EXPORT cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, int *jit,
					   void **jit_values, unsigned int jit_count, int *options,
					   void **values, unsigned int count);
EXPORT cudaError_t cudaLibraryUnload(cudaLibrary_t library);
EXPORT cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library,
					const char *name);
EXPORT cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library,
					const char *name);
EXPORT cudaError_t cudaLibraryGetManaged(void **address, size_t *bytes, cudaLibrary_t library,
					 const char *name);
EXPORT cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t library);
EXPORT cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int count,
					       cudaLibrary_t library);
EXPORT cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
						   enum cudaFuncAttribute attribute, int value,
						   int device);

EXPORT cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
						    unsigned int version,
						    unsigned long long flags, int *status);
EXPORT cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **function,
						unsigned long long flags, int *status);
EXPORT cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **function,
							 unsigned int version,
							 unsigned long long flags, int *status);

/* ---- kernels ------------------------------------------------------------ */

/* Needs no device: host code calls it when it is about to launch, and keeps the handle. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
	struct rt_kernel *found;

	if (!kernel)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	pthread_mutex_lock(&rt_lock);
	found = cuda_kernel(host);
	pthread_mutex_unlock(&rt_lock);
	if (!found)
		return cuda_error(rt_result(vgpuErrorInvalidDeviceFunction));
	*kernel = found;
	return cudaSuccess;
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
	return __cudaGetKernel(kernel, host);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
			       size_t shared, cudaStream_t stream)
{
	return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
				    size_t shared, cudaStream_t stream)
{
	return cudaLaunchKernel(kernel, grid, block, arguments, shared,
				stream ? stream : cudaStreamPerThread);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *host)
{
	struct vgpuFunction *found;
	vgpuError_t error = function ? cuda_enter_function(host, &found) :
				       rt_result(vgpuErrorInvalidValue);

	if (error != vgpuSuccess)
		return cuda_error(error);
	*function = (cudaFunction_t)(void *)found;
	return cuda_error(rt_leave(vgpuSuccess));
}

cudaError_t cudaFuncGetName(const char **name, const void *host)
{
	struct vgpuFunction *function;
	vgpuError_t error = name ? cuda_enter_function(host, &function) :
				   rt_result(vgpuErrorInvalidValue);

	if (error != vgpuSuccess)
		return cuda_error(error);
	*name = rt_kernel(function)->name;
	return cuda_error(rt_leave(vgpuSuccess));
}

cudaError_t cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset, size_t *bytes)
{
	struct vgpuFunction *function;
	vgpuError_t error = offset ? cuda_enter_function(host, &function) :
				     rt_result(vgpuErrorInvalidValue);

	return cuda_error(error == vgpuSuccess ?
				  rt_leave(rt_function_param(function, index, offset, bytes)) :
				  error);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute,
					    int value, int device)
{
	struct rt_state *before = rt_current;
	cudaError_t error;

	if (device < 0 || (unsigned int)device >= rt_device_count())
		return cuda_error(rt_result(vgpuErrorInvalidDevice));
	rt_current = rt_context_on(device);
	error = cudaFuncSetAttribute(kernel, attribute, value);
	rt_current = before;
	return error;
}

/* ---- libraries ---------------------------------------------------------- */

/* The lock is held if there is no error. */
static vgpuError_t enter(bool valid)
{
	return valid ? rt_enter() : rt_result(vgpuErrorInvalidValue);
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, int *jit,
				void **jit_values, unsigned int jit_count, int *options,
				void **values, unsigned int count)
{
	vgpuError_t error = enter(library && code);

	(void)jit, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
	return cuda_error(error == vgpuSuccess ? rt_leave(rt_library_create(code, 0, library)) :
						 error);
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, int *jit,
				    void **jit_values, unsigned int jit_count, int *options,
				    void **values, unsigned int count)
{
	vgpuError_t error = enter(library && path);
	size_t bytes;
	void *code;

	(void)jit, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
	if (error != vgpuSuccess)
		return cuda_error(error);
	error = rt_code_file(path, &code, &bytes);
	if (error == vgpuSuccess) {
		error = rt_library_create(code, bytes, library);
		free(code);
	}
	return cuda_error(rt_leave(error));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
	vgpuError_t error = rt_enter();

	return cuda_error(error == vgpuSuccess ? rt_leave(rt_library_destroy(library)) : error);
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
	vgpuError_t error = enter(kernel && name);

	return cuda_error(error == vgpuSuccess ? rt_leave(rt_library_find(library, name, kernel)) :
						 error);
}

static cudaError_t find_variable(void **address, size_t *bytes, cudaLibrary_t library,
				 const char *name, bool managed)
{
	vgpuError_t error = enter(name);
	uint64_t at = 0, size = 0;

	if (error != vgpuSuccess)
		return cuda_error(error);
	error = rt_library_variable(library, name, managed, &at, &size);
	if (error == vgpuSuccess && address)
		*address = (void *)(uintptr_t)at;
	if (error == vgpuSuccess && bytes)
		*bytes = size;
	return cuda_error(rt_leave(error));
}

cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library,
				 const char *name)
{
	return find_variable(address, bytes, library, name, false);
}

cudaError_t cudaLibraryGetManaged(void **address, size_t *bytes, cudaLibrary_t library,
				  const char *name)
{
	return find_variable(address, bytes, library, name, true);
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t library)
{
	vgpuError_t error = enter(count);

	return cuda_error(error == vgpuSuccess ?
				  rt_leave(rt_library_kernels(library, NULL, 0, count)) : error);
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int count,
					cudaLibrary_t library)
{
	vgpuError_t error = enter(kernels);
	unsigned int found;

	return cuda_error(error == vgpuSuccess ?
				  rt_leave(rt_library_kernels(library, kernels, count, &found)) :
				  error);
}

/* ---- the driver API by name ---------------------------------------------- */

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
				    int *status)
{
	return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, status);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
					     unsigned int version, unsigned long long flags,
					     int *status)
{
	CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	CUresult error = cuGetProcAddress_v2(symbol, function, (int)version, flags, &found);

	if (error != CUDA_SUCCESS)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	if (status)
		*status = (int)found;
	return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **function,
					 unsigned long long flags, int *status)
{
	return cudaGetDriverEntryPoint(symbol, function,
				       flags ? flags :
					       CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
				       status);
}

cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **function,
						  unsigned int version, unsigned long long flags,
						  int *status)
{
	return cudaGetDriverEntryPointByVersion(
		symbol, function, version,
		flags ? flags : CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, status);
}
