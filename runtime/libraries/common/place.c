// SPDX-License-Identifier: MIT
/*
 * Which context memory is of. The runtime has no name for contexts, so it is asked for the driver
 * API's functions.
 */
#include "place.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

static CUresult (*get_current)(CUcontext *context);
static CUresult (*get_attribute)(void *data, CUpointer_attribute attribute, CUdeviceptr memory);

static void find_functions(void)
{
	if (cudaGetDriverEntryPoint("cuCtxGetCurrent", (void **)&get_current, 0, NULL) !=
		    cudaSuccess ||
	    cudaGetDriverEntryPoint("cuPointerGetAttribute", (void **)&get_attribute, 0, NULL) !=
		    cudaSuccess)
		get_current = NULL;
}

bool place_is_here(const void *memory)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	CUcontext now = NULL, owner = NULL;
	CUresult result;

	if (!memory)
		return true;
	pthread_once(&once, find_functions);
	if (!get_current || !get_attribute)
		return true;
	/* a thread that has done nothing yet gets the device's primary context */
	if (get_current(&now) != CUDA_SUCCESS ||
	    (!now && (cudaFree(NULL) != cudaSuccess || get_current(&now) != CUDA_SUCCESS)))
		return true;
	result = get_attribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT,
			       (CUdeviceptr)(uintptr_t)memory);
	/* none that there is: its context is gone */
	if (result == CUDA_ERROR_INVALID_VALUE)
		return false;
	return result != CUDA_SUCCESS || owner == now;
}
