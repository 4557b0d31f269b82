/* SPDX-License-Identifier: MIT */
/*
 * Between the CUDA names and the native ones: the codes are the same numbers, the handles the same
 * pointers.
 */
#ifndef VGPU_CUDA_CALLS_H
#define VGPU_CUDA_CALLS_H

#include "api/state.h"
#include "cuda_runtime_api.h"

static inline cudaError_t cuda_error(vgpuError_t error)
{
	return (cudaError_t)error;
}

/*
 * cudaErrorNotSupported; the first time at its place, stderr says that @what ("graphs are") not
 * supported.
 */
cudaError_t cuda_refuse(bool *said, const char *call, const char *what);
#define CUDA_REFUSE(what) ({ \
	static bool said_here; \
	cuda_refuse(&said_here, __func__, what); \
})

/* cudaStreamLegacy is the default stream by another name. */
static inline vgpuStream_t cuda_stream(cudaStream_t stream)
{
	if (stream == cudaStreamLegacy)
		return RT_STREAM_LEGACY;
	if (stream == cudaStreamPerThread)
		return RT_STREAM_PER_THREAD;
	return (vgpuStream_t)(void *)stream;
}

static inline vgpuEvent_t cuda_event(cudaEvent_t event)
{
	return (vgpuEvent_t)(void *)event;
}

#endif
