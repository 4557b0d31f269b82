// SPDX-License-Identifier: MIT
/*
 * CUDA names: memory and symbols.
 */
#include <string.h>

#include "calls.h"
#include "registry.h"

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
	return cuda_error(vgpuMalloc(pointer, bytes));
}

cudaError_t cudaFree(void *pointer)
{
	return cuda_error(vgpuFree(pointer));
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
	return cuda_error(vgpuMallocPitch(pointer, pitch, width, height));
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
	vgpuError_t error;

	if (!pitched || (extent.depth && extent.height > SIZE_MAX / extent.depth))
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = vgpuMallocPitch(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth);
	pitched->xsize = extent.width;
	pitched->ysize = extent.height;
	return cuda_error(error);
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
	return cuda_error(vgpuMallocHost(pointer, bytes));
}

/* Memory of the host is not in the device's address space here. */
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
	if (flags & ~(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	if (flags & cudaHostAllocMapped)
		return cuda_error(rt_result(vgpuErrorNotSupported));
	return cuda_error(vgpuMallocHost(pointer, bytes));
}

cudaError_t cudaFreeHost(void *pointer)
{
	return cuda_error(vgpuFreeHost(pointer));
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
	if (flags & ~(cudaHostRegisterPortable | cudaHostRegisterMapped))
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	if (flags & cudaHostRegisterMapped)
		return cuda_error(rt_result(vgpuErrorNotSupported));
	return cuda_error(vgpuHostRegister(pointer, bytes));
}

cudaError_t cudaHostUnregister(void *pointer)
{
	return cuda_error(vgpuHostUnregister(pointer));
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
	(void)device, (void)host, (void)flags;
	return cuda_error(rt_result(vgpuErrorNotSupported));
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
	if (!flags || !rt_is_pinned(host, 1))
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	*flags = cudaHostAllocDefault;
	return cudaSuccess;
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags)
{
	(void)pointer, (void)bytes, (void)flags;
	return cuda_error(rt_result(vgpuErrorNotSupported));
}

/* Stream-ordered allocation: at once, which is earlier than the stream asks for. */
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
	(void)stream;
	return cuda_error(vgpuMalloc(pointer, bytes));
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
	(void)stream;
	return cuda_error(vgpuFree(pointer));
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
	return cuda_error(vgpuMemGetInfo(free_bytes, total));
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
	return cuda_error(vgpuMemcpy(dst, src, bytes, (vgpuMemcpyKind)kind));
}

/* Where memory lies is known from its address; the devices only have to exist. */
cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t count)
{
	unsigned int devices = rt_device_count();

	if (dst_device < 0 || src_device < 0 || (unsigned int)dst_device >= devices || (unsigned int)src_device >= devices)
		return cuda_error(rt_result(vgpuErrorInvalidDevice));
	return cuda_error(vgpuMemcpy(dst, src, count, vgpuMemcpyDeviceToDevice));
}

/* What the stream holds ends first, and the copy is over on return: it crosses this process. */
cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t count,
				cudaStream_t stream)
{
	cudaError_t error = cudaStreamSynchronize(stream);

	return error == cudaSuccess ? cudaMemcpyPeer(dst, dst_device, src, src_device, count) : error;
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return cuda_error(vgpuMemcpyAsync(dst, src, bytes, (vgpuMemcpyKind)kind, cuda_stream(stream)));
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
			 enum cudaMemcpyKind kind)
{
	return cuda_error(vgpuMemcpy2D(dst, dpitch, src, spitch, width, height, (vgpuMemcpyKind)kind));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
			      enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return cuda_error(vgpuMemcpy2DAsync(dst, dpitch, src, spitch, width, height, (vgpuMemcpyKind)kind,
					    cuda_stream(stream)));
}

cudaError_t cudaMemset(void *pointer, int value, size_t bytes)
{
	return cuda_error(vgpuMemset(pointer, value, bytes));
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream)
{
	return cuda_error(vgpuMemsetAsync(pointer, value, bytes, cuda_stream(stream)));
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
	return cuda_error(vgpuMemset2DAsync(pointer, pitch, value, width, height, NULL));
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
			      cudaStream_t stream)
{
	return cuda_error(vgpuMemset2DAsync(pointer, pitch, value, width, height, cuda_stream(stream)));
}

/* One direction of a copy between a variable and memory that the program names. */
static cudaError_t symbol_copy(const void *symbol, void *dst, const void *src, size_t bytes, size_t offset,
			       enum cudaMemcpyKind kind, cudaStream_t stream, bool synchronous)
{
	enum cudaMemcpyKind wrong = dst ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
	vgpuStream_t handle = cuda_stream(stream);
	vgpuError_t error = rt_enter();
	struct vgpuStream *queue;
	uint64_t address, size;

	if (error != vgpuSuccess)
		return cuda_error(error);
	error = rt_stream_of(handle, &queue);
	if (error == vgpuSuccess)
		error = cuda_symbol(symbol, &address, &size);
	if (error == vgpuSuccess && (unsigned int)kind > cudaMemcpyDefault)
		error = vgpuErrorInvalidMemcpyDirection;
	if (error == vgpuSuccess && (kind == wrong || kind == cudaMemcpyHostToHost))
		error = vgpuErrorInvalidMemcpyDirection;
	if (error == vgpuSuccess && (offset > size || bytes > size - offset))
		error = vgpuErrorInvalidValue;
	if (error == vgpuSuccess) {
		void *variable = (void *)(uintptr_t)(address + offset);

		error = rt_copy(dst ? dst : variable, dst ? variable : src, bytes, (vgpuMemcpyKind)kind, queue,
				synchronous);
	}
	return cuda_error(rt_leave(error));
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset,
			       enum cudaMemcpyKind kind)
{
	return symbol_copy(symbol, NULL, src, bytes, offset, kind, NULL, true);
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
	if (!dst)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	return symbol_copy(symbol, dst, NULL, bytes, offset, kind, NULL, true);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes, size_t offset,
				    enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return symbol_copy(symbol, NULL, src, bytes, offset, kind, stream, false);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset,
				      enum cudaMemcpyKind kind, cudaStream_t stream)
{
	if (!dst)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	return symbol_copy(symbol, dst, NULL, bytes, offset, kind, stream, false);
}

static cudaError_t symbol_info(const void *symbol, uint64_t *address, uint64_t *bytes)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return cuda_error(error);
	return cuda_error(rt_leave(cuda_symbol(symbol, address, bytes)));
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
	uint64_t address, bytes;
	cudaError_t error = pointer ? symbol_info(symbol, &address, &bytes) : cuda_error(rt_result(vgpuErrorInvalidValue));

	if (error == cudaSuccess)
		*pointer = (void *)(uintptr_t)address;
	return error;
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
	uint64_t address, bytes;
	cudaError_t error = size ? symbol_info(symbol, &address, &bytes) : cuda_error(rt_result(vgpuErrorInvalidValue));

	if (error == cudaSuccess)
		*size = bytes;
	return error;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
	vgpuError_t error;
	size_t bytes;
	void *base;
	int kind;

	if (!attributes)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = vgpuPointerInfo(pointer, &kind, &base, &bytes);
	if (error != vgpuSuccess)
		return cuda_error(error);
	memset(attributes, 0, sizeof(*attributes));
	attributes->type = kind == 2 ? cudaMemoryTypeDevice : kind == 1 ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
	attributes->device = kind == 0 ? -2 : 0;
	attributes->devicePointer = kind == 2 ? (void *)(uintptr_t)pointer : NULL;
	attributes->hostPointer = kind == 2 ? NULL : (void *)(uintptr_t)pointer;
	return cudaSuccess;
}
