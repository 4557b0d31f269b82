// SPDX-License-Identifier: MIT
/*
 * cuDNN, which vgpu does not have: under its names there is a library that refuses. A framework
 * that is linked with cuDNN loads, and what it does without neural networks works; the first
 * function of cuDNN that it calls says what is missing. There is no header, and no name to link by.
 */
#include <stddef.h>

#include "refuse.h"

#define WHY "vgpu has no cuDNN: switch it off in the program, or compute without it"

enum { NOT_SUPPORTED = 3000 };

VGPU_API const char *cudnnGetErrorString(int status);
VGPU_API int cudnnCreate(void **handle);
VGPU_API size_t cudnnGetVersion(void);
VGPU_API size_t cudnnGetMaxDeviceVersion(void);
VGPU_API size_t cudnnGetCudartVersion(void);

VGPU_API int cudnnCreate(void **handle)
{
	if (handle)
		*handle = NULL;
	return VGPU_REFUSE("libcudnn", WHY, NOT_SUPPORTED);
}

VGPU_API const char *cudnnGetErrorString(int status)
{
	return status ? "CUDNN_STATUS_NOT_SUPPORTED: " WHY : "CUDNN_STATUS_SUCCESS";
}

/* No version of cuDNN is as low. */
VGPU_API size_t cudnnGetVersion(void)
{
	VGPU_REFUSE("libcudnn", WHY, 0);
	return 0;
}

VGPU_API size_t cudnnGetMaxDeviceVersion(void)
{
	return cudnnGetVersion();
}

VGPU_API size_t cudnnGetCudartVersion(void)
{
	return 0;
}
