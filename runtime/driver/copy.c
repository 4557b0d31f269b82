// SPDX-License-Identifier: MIT
/*
 * Driver API: copies, of bytes, rows and boxes, and fills.
 */
#include "driver.h"

static CUresult copy(void *dst, const void *src, size_t bytes, vgpuMemcpyKind kind)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ? drv_error(vgpuMemcpy(dst, src, bytes, kind)) : error;
}

static CUresult copy_async(void *dst, const void *src, size_t bytes, vgpuMemcpyKind kind,
			   CUstream stream)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ?
		       drv_error(vgpuMemcpyAsync(dst, src, bytes, kind, drv_stream(stream))) :
		       error;
}

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	return copy(drv_pointer(dst), drv_pointer(src), bytes, vgpuMemcpyDefault);
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	return copy_async(drv_pointer(dst), drv_pointer(src), bytes, vgpuMemcpyDefault, stream);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes)
{
	return copy(drv_pointer(dst), src, bytes, vgpuMemcpyHostToDevice);
}

CUresult cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes)
{
	return copy(dst, drv_pointer(src), bytes, vgpuMemcpyDeviceToHost);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	return copy(drv_pointer(dst), drv_pointer(src), bytes, vgpuMemcpyDeviceToDevice);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream)
{
	return copy_async(drv_pointer(dst), src, bytes, vgpuMemcpyHostToDevice, stream);
}

CUresult cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	return copy_async(dst, drv_pointer(src), bytes, vgpuMemcpyDeviceToHost, stream);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	return copy_async(drv_pointer(dst), drv_pointer(src), bytes, vgpuMemcpyDeviceToDevice,
			  stream);
}

/* The addresses say which contexts they are of. */
CUresult cuMemcpyPeer(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src,
		      CUcontext src_context, size_t bytes)
{
	if (!drv_context_known(dst_context) || !drv_context_known(src_context))
		return CUDA_ERROR_INVALID_CONTEXT;
	return cuMemcpyDtoD_v2(dst, src, bytes);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src,
			   CUcontext src_context, size_t bytes, CUstream stream)
{
	CUresult error = drv_check();

	if (error != CUDA_SUCCESS)
		return error;
	if (!drv_context_known(dst_context) || !drv_context_known(src_context))
		return CUDA_ERROR_INVALID_CONTEXT;
	return cuMemcpyDtoDAsync_v2(dst, src, bytes, stream);
}

/* ---- rows and boxes ------------------------------------------------------ */

struct side {
	char *at;		/* of the first byte */
	size_t pitch, plane;	/* bytes from row to row, and from plane to plane */
};

static CUresult side_of(struct side *side, CUmemorytype type, const void *host, CUdeviceptr device,
			size_t x, size_t y, size_t z, size_t pitch, size_t rows)
{
	static bool said;

	switch (type) {
	case CU_MEMORYTYPE_HOST: side->at = (char *)(uintptr_t)host; break;
	case CU_MEMORYTYPE_DEVICE:
	case CU_MEMORYTYPE_UNIFIED: side->at = drv_pointer(device); break;
	case CU_MEMORYTYPE_ARRAY: return drv_refuse(&said, "cuMemcpy2D and 3D", "arrays are");
	default: return CUDA_ERROR_INVALID_VALUE;
	}
	side->pitch = pitch;
	if (__builtin_mul_overflow(pitch, rows, &side->plane) || (y && pitch > SIZE_MAX / y) ||
	    (z && side->plane > SIZE_MAX / z))
		return CUDA_ERROR_INVALID_VALUE;
	side->at += z * side->plane + y * pitch + x;
	return CUDA_SUCCESS;
}

vgpuMemcpyKind drv_copy_kind(CUmemorytype dst, CUmemorytype src)
{
	if (dst == CU_MEMORYTYPE_UNIFIED || src == CU_MEMORYTYPE_UNIFIED)
		return vgpuMemcpyDefault;
	if (dst == CU_MEMORYTYPE_HOST)
		return src == CU_MEMORYTYPE_HOST ? vgpuMemcpyHostToHost : vgpuMemcpyDeviceToHost;
	return src == CU_MEMORYTYPE_HOST ? vgpuMemcpyHostToDevice : vgpuMemcpyDeviceToDevice;
}

static CUresult copy_box(const CUDA_MEMCPY3D *box, CUstream stream, bool synchronous)
{
	size_t width = box->WidthInBytes, height = box->Height;
	struct side dst, src;
	vgpuMemcpyKind kind;
	CUresult error;

	/* a pitch of 0: rows without gaps */
	error = side_of(&src, box->srcMemoryType, box->srcHost, box->srcDevice, box->srcXInBytes,
			box->srcY, box->srcZ, box->srcPitch ? box->srcPitch : width,
			box->srcHeight ? box->srcHeight : height);
	if (error == CUDA_SUCCESS)
		error = side_of(&dst, box->dstMemoryType, box->dstHost, box->dstDevice,
				box->dstXInBytes, box->dstY, box->dstZ,
				box->dstPitch ? box->dstPitch : width,
				box->dstHeight ? box->dstHeight : height);
	kind = drv_copy_kind(box->dstMemoryType, box->srcMemoryType);
	for (size_t z = 0; z < box->Depth && error == CUDA_SUCCESS; z++) {
		void *to = dst.at + z * dst.plane;
		const void *from = src.at + z * src.plane;

		error = drv_error(synchronous ?
			vgpuMemcpy2D(to, dst.pitch, from, src.pitch, width, height, kind) :
			vgpuMemcpy2DAsync(to, dst.pitch, from, src.pitch, width, height, kind,
					  drv_stream(stream)));
	}
	return error;
}

static CUresult copy_rows(const CUDA_MEMCPY2D *copy, CUstream stream, bool synchronous)
{
	CUresult error = drv_check();
	CUDA_MEMCPY3D box;

	if (error == CUDA_SUCCESS && !copy)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error != CUDA_SUCCESS)
		return error;
	box = (CUDA_MEMCPY3D){
		.srcXInBytes = copy->srcXInBytes, .srcY = copy->srcY,
		.srcMemoryType = copy->srcMemoryType, .srcHost = copy->srcHost,
		.srcDevice = copy->srcDevice, .srcPitch = copy->srcPitch,
		.dstXInBytes = copy->dstXInBytes, .dstY = copy->dstY,
		.dstMemoryType = copy->dstMemoryType, .dstHost = copy->dstHost,
		.dstDevice = copy->dstDevice, .dstPitch = copy->dstPitch,
		.WidthInBytes = copy->WidthInBytes, .Height = copy->Height, .Depth = 1,
	};
	return copy_box(&box, stream, synchronous);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy)
{
	return copy_rows(copy, NULL, true);
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy)
{
	return copy_rows(copy, NULL, true);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream)
{
	return copy_rows(copy, stream, false);
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && !copy)
		error = CUDA_ERROR_INVALID_VALUE;
	return error == CUDA_SUCCESS ? copy_box(copy, NULL, true) : error;
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && !copy)
		error = CUDA_ERROR_INVALID_VALUE;
	return error == CUDA_SUCCESS ? copy_box(copy, stream, false) : error;
}

/* ---- fills --------------------------------------------------------------- */

static CUresult fill(CUdeviceptr dst, size_t pitch, unsigned int value, unsigned int element,
		     size_t width, size_t height, CUstream stream, bool synchronous)
{
	CUresult error = drv_check();

	if (error != CUDA_SUCCESS)
		return error;
	if (dst % element || (height > 1 && pitch % element))
		return CUDA_ERROR_INVALID_VALUE;
	return drv_error(vgpuFill2D(drv_pointer(dst), pitch, value, element, width, height,
				    drv_stream(stream), synchronous));
}

#define FILLS(bits, type)								\
	CUresult cuMemsetD##bits##_v2(CUdeviceptr dst, type value, size_t count)	\
	{										\
		return fill(dst, 0, value, bits / 8, count, 1, NULL, true);		\
	}										\
	CUresult cuMemsetD##bits##Async(CUdeviceptr dst, type value, size_t count,	\
					CUstream stream)				\
	{										\
		return fill(dst, 0, value, bits / 8, count, 1, stream, false);		\
	}										\
	CUresult cuMemsetD2D##bits##_v2(CUdeviceptr dst, size_t pitch, type value,	\
					size_t width, size_t height)			\
	{										\
		return fill(dst, pitch, value, bits / 8, width, height, NULL, true);	\
	}										\
	CUresult cuMemsetD2D##bits##Async(CUdeviceptr dst, size_t pitch, type value,	\
					  size_t width, size_t height, CUstream stream)	\
	{										\
		return fill(dst, pitch, value, bits / 8, width, height, stream, false);	\
	}
FILLS(8, unsigned char)
FILLS(16, unsigned short)
FILLS(32, unsigned int)
