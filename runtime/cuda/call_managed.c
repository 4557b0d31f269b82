// SPDX-License-Identifier: MIT
/*
 * CUDA names: managed memory.
 */
#include "api/graph/capture.h"
#include "api/memory/managed.h"
#include "calls.h"

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags)
{
	if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	return cuda_error(vgpuMallocManaged(pointer, bytes));
}

static struct rt_location location_of(struct cudaMemLocation location)
{
	return (struct rt_location){ (int)location.type, location.id };
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, int device, cudaStream_t stream)
{
	return cuda_error(rt_prefetch(pointer, count, device, cuda_stream(stream)));
}

cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t count,
				    struct cudaMemLocation location, unsigned int flags,
				    cudaStream_t stream)
{
	return cuda_error(flags ? rt_result(vgpuErrorInvalidValue) :
				  rt_prefetch_at(pointer, count, location_of(location),
						 cuda_stream(stream)));
}

cudaError_t cudaMemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice,
			  int device)
{
	return cuda_error(rt_advise(pointer, count, (int)advice, device));
}

cudaError_t cudaMemAdvise_v2(const void *pointer, size_t count, enum cudaMemoryAdvise advice,
			     struct cudaMemLocation location)
{
	return cuda_error(rt_advise_at(pointer, count, (int)advice, location_of(location)));
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *data_bytes,
				      enum cudaMemRangeAttribute *attributes, size_t count,
				      const void *pointer, size_t bytes)
{
	return cuda_error(rt_advice_ask(data, data_bytes, (const int *)attributes, count, pointer,
					bytes));
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t data_bytes,
				     enum cudaMemRangeAttribute attribute, const void *pointer,
				     size_t bytes)
{
	return cudaMemRangeGetAttributes(&data, &data_bytes, &attribute, 1, pointer, bytes);
}

/*
 * Which streams may use the memory: where host and device may do so at the same time, nothing
 * follows from it.
 */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t length,
				     unsigned int flags)
{
	size_t bytes = 0;
	void *base = NULL;
	vgpuError_t error;
	int kind = 0;

	if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
	    flags != cudaMemAttachSingle)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = rt_capture_never(cuda_stream(stream));
	if (error == vgpuSuccess)
		error = vgpuPointerInfo(pointer, &kind, &base, &bytes);
	if (error == vgpuSuccess &&
	    (kind != 3 || base != pointer || (length && length != bytes)))
		error = rt_result(vgpuErrorInvalidValue);
	return cuda_error(error);
}
