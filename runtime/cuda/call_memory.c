// SPDX-License-Identifier: MIT
/*
 * CUDA names: memory and symbols.
 */
#include <stdlib.h>
#include <string.h>

#include "api/memory/ipc.h"
#include "calls.h"
#include "registry.h"
#include "textures.h"

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
	error = vgpuMallocPitch(&pitched->ptr, &pitched->pitch, extent.width,
				extent.height * extent.depth);
	pitched->xsize = extent.width;
	pitched->ysize = extent.height;
	return cuda_error(error);
}

/* ---- memory of several processes ----------------------------------------- */

_Static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(struct rt_ipc_memory), "one kind of handle");

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer)
{
	struct rt_ipc_memory memory;
	vgpuError_t error;

	if (!handle)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = rt_ipc_export(pointer, &memory);
	if (error == vgpuSuccess)
		memcpy(handle, &memory, sizeof(memory));
	return cuda_error(error);
}

cudaError_t cudaIpcOpenMemHandle(void **pointer, cudaIpcMemHandle_t handle, unsigned int flags)
{
	struct rt_ipc_memory memory;

	if (!pointer || flags != cudaIpcMemLazyEnablePeerAccess)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	memcpy(&memory, &handle, sizeof(memory));
	return cuda_error(rt_ipc_open(&memory, pointer));
}

cudaError_t cudaIpcCloseMemHandle(void *pointer)
{
	return cuda_error(rt_ipc_close(pointer));
}

/* ---- memory of the host --------------------------------------------------- */

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
	return cuda_error(vgpuMallocHost(pointer, bytes));
}

#define NO_HOST_MEMORY	"host memory mapped into the device is"

/* The flags are the native ones. */
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
	vgpuError_t error = vgpuHostAlloc(pointer, bytes, flags);

	return error == vgpuErrorNotSupported ? CUDA_REFUSE(NO_HOST_MEMORY) : cuda_error(error);
}

cudaError_t cudaFreeHost(void *pointer)
{
	return cuda_error(vgpuFreeHost(pointer));
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
	vgpuError_t error = vgpuHostRegister(pointer, bytes, flags);

	if (error != vgpuErrorNotSupported)
		return cuda_error(error);
	return flags & cudaHostRegisterIoMemory ? CUDA_REFUSE("memory of I/O devices is") :
						  CUDA_REFUSE(NO_HOST_MEMORY);
}

cudaError_t cudaHostUnregister(void *pointer)
{
	return cuda_error(vgpuHostUnregister(pointer));
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
	vgpuError_t error = flags ? rt_result(vgpuErrorInvalidValue) :
				    vgpuHostGetDevicePointer(device, host);

	return error == vgpuErrorNotSupported ? CUDA_REFUSE(NO_HOST_MEMORY) : cuda_error(error);
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
	return cuda_error(vgpuHostGetFlags(flags, host));
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

	if (dst_device < 0 || src_device < 0 || (unsigned int)dst_device >= devices ||
	    (unsigned int)src_device >= devices)
		return cuda_error(rt_result(vgpuErrorInvalidDevice));
	return cuda_error(vgpuMemcpy(dst, src, count, vgpuMemcpyDeviceToDevice));
}

/*
 * Between devices what the stream holds ends first, and the copy is over on return: it crosses this
 * process.
 */
cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device,
				size_t count, cudaStream_t stream)
{
	int devices = (int)rt_device_count();

	if (dst_device < 0 || src_device < 0 || dst_device >= devices || src_device >= devices)
		return cuda_error(rt_result(vgpuErrorInvalidDevice));
	return cudaMemcpyAsync(dst, src, count, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
			    cudaStream_t stream)
{
	return cuda_error(
		vgpuMemcpyAsync(dst, src, bytes, (vgpuMemcpyKind)kind, cuda_stream(stream)));
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
			 size_t height, enum cudaMemcpyKind kind)
{
	return cuda_error(
		vgpuMemcpy2D(dst, dpitch, src, spitch, width, height, (vgpuMemcpyKind)kind));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
			      size_t width, size_t height, enum cudaMemcpyKind kind,
			      cudaStream_t stream)
{
	return cuda_error(vgpuMemcpy2DAsync(dst, dpitch, src, spitch, width, height,
					    (vgpuMemcpyKind)kind, cuda_stream(stream)));
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
	return cuda_error(vgpuMemset2D(pointer, pitch, value, width, height));
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
			      cudaStream_t stream)
{
	return cuda_error(
		vgpuMemset2DAsync(pointer, pitch, value, width, height, cuda_stream(stream)));
}

/*
 * Three dimensions: slices of ysize rows, one behind the other. The extent's width is in bytes
 * where no array takes part, and none does.
 */
static cudaError_t memset_3d(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent,
			     cudaStream_t stream, bool synchronous)
{
	size_t slice = pitched.pitch * pitched.ysize;
	vgpuError_t error = vgpuSuccess;

	if (extent.depth > 1 && extent.height > pitched.ysize)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	/* rows that follow one another are one rectangle */
	if (extent.height == pitched.ysize) {
		extent.height *= extent.depth;
		extent.depth = extent.depth > 0;
	}
	for (size_t z = 0; z < extent.depth && error == vgpuSuccess; z++) {
		void *at = (char *)pitched.ptr + z * slice;

		error = synchronous ? vgpuMemset2D(at, pitched.pitch, value, extent.width,
						   extent.height) :
				      vgpuMemset2DAsync(at, pitched.pitch, value, extent.width,
							extent.height, cuda_stream(stream));
	}
	return cuda_error(error);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent,
			      cudaStream_t stream)
{
	return memset_3d(pitched, value, extent, stream, false);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent)
{
	return memset_3d(pitched, value, extent, NULL, true);
}

static char *at_position(const struct cudaPitchedPtr *pitched, const struct cudaPos *pos)
{
	return (char *)pitched->ptr + (pos->z * pitched->ysize + pos->y) * pitched->pitch + pos->x;
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool synchronous)
{
	size_t depth, to = p->dstPtr.pitch * p->dstPtr.ysize,
		      from = p->srcPtr.pitch * p->srcPtr.ysize;
	char *dst = at_position(&p->dstPtr, &p->dstPos), *src = at_position(&p->srcPtr, &p->srcPos);
	vgpuError_t error = vgpuSuccess;
	vgpuMemcpyKind kind = (vgpuMemcpyKind)p->kind;

	if (p->srcArray || p->dstArray) {
		struct cuda_side to = { p->dstArray, p->dstPos, p->dstPtr };
		struct cuda_side other = { p->srcArray, p->srcPos, p->srcPtr };

		return cuda_copy_arrays(&to, &other, p->extent, p->kind, stream, synchronous);
	}
	if (!p->dstPtr.ptr || !p->srcPtr.ptr)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	depth = p->extent.depth;
	if (depth > 1 && (p->extent.height > p->dstPtr.ysize || p->extent.height > p->srcPtr.ysize))
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	for (size_t z = 0; z < depth && error == vgpuSuccess; z++)
		error = synchronous ?
				vgpuMemcpy2D(dst + z * to, p->dstPtr.pitch, src + z * from,
					     p->srcPtr.pitch, p->extent.width, p->extent.height,
					     kind) :
				vgpuMemcpy2DAsync(dst + z * to, p->dstPtr.pitch, src + z * from,
						  p->srcPtr.pitch, p->extent.width,
						  p->extent.height, kind, cuda_stream(stream));
	return cuda_error(error);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
	if (!p)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	return copy_3d(p, stream, false);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
	if (!p)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	return copy_3d(p, NULL, true);
}

/* Between devices the copy crosses this process, as cudaMemcpyPeer() does. */
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
	struct cudaMemcpy3DParms one = { .kind = cudaMemcpyDeviceToDevice };
	int devices = (int)rt_device_count();

	if (!p)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	if (p->srcDevice < 0 || p->dstDevice < 0 || p->srcDevice >= devices ||
	    p->dstDevice >= devices)
		return cuda_error(rt_result(vgpuErrorInvalidDevice));
	one.srcPos = p->srcPos;
	one.srcPtr = p->srcPtr;
	one.dstPos = p->dstPos;
	one.dstPtr = p->dstPtr;
	one.extent = p->extent;
	one.srcArray = p->srcArray;
	one.dstArray = p->dstArray;
	return copy_3d(&one, NULL, true);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
	cudaError_t error = cudaStreamSynchronize(stream);

	return error == cudaSuccess ? cudaMemcpy3DPeer(p) : error;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
						   enum cudaChannelFormatKind f)
{
	return (struct cudaChannelFormatDesc){ x, y, z, w, f };
}

/* One direction of a copy between a variable and memory that the program names. */
static cudaError_t symbol_copy(const void *symbol, void *dst, const void *src, size_t bytes,
			       size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream,
			       bool synchronous)
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

		error = rt_copy(dst ? dst : variable, dst ? variable : src, bytes,
				(vgpuMemcpyKind)kind, queue, synchronous);
	}
	return cuda_error(rt_leave(error));
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset,
			       enum cudaMemcpyKind kind)
{
	return symbol_copy(symbol, NULL, src, bytes, offset, kind, NULL, true);
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset,
				 enum cudaMemcpyKind kind)
{
	if (!dst)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	return symbol_copy(symbol, dst, NULL, bytes, offset, kind, NULL, true);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes,
				    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
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
	cudaError_t error = pointer ? symbol_info(symbol, &address, &bytes) :
				      cuda_error(rt_result(vgpuErrorInvalidValue));

	if (error == cudaSuccess)
		*pointer = (void *)(uintptr_t)address;
	return error;
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
	uint64_t address, bytes;
	cudaError_t error = size ? symbol_info(symbol, &address, &bytes) :
				   cuda_error(rt_result(vgpuErrorInvalidValue));

	if (error == cudaSuccess)
		*size = bytes;
	return error;
}

/* Memory of the host has no device of its own: the current one is as good as any. */
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
	struct rt_state *before = rt_current;
	void *on_device = NULL;
	vgpuError_t error;
	size_t bytes;
	void *base;
	int kind, device;

	if (!attributes)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	rt_current = rt_owner(pointer);
	device = rt_device();
	error = vgpuPointerInfo(pointer, &kind, &base, &bytes);
	if (error == vgpuSuccess && kind == 1 && rt.ops->map_host)
		on_device = (void *)(uintptr_t)pointer;
	rt_current = before;
	if (error != vgpuSuccess)
		return cuda_error(error);
	memset(attributes, 0, sizeof(*attributes));
	attributes->type = kind == 3 ? cudaMemoryTypeManaged :
			   kind == 2 ? cudaMemoryTypeDevice :
			   kind == 1 ? cudaMemoryTypeHost :
				       cudaMemoryTypeUnregistered;
	attributes->device = kind == 0 ? -2 : device;
	attributes->devicePointer = kind >= 2 ? (void *)(uintptr_t)pointer : on_device;
	attributes->hostPointer = kind == 2 ? NULL : (void *)(uintptr_t)pointer;
	return cudaSuccess;
}
