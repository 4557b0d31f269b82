// SPDX-License-Identifier: MIT
/*
 * Driver API: copies, of bytes, rows and boxes, and fills.
 */
#include "api/textures/array.h"
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

/* One side of a copy, as CUDA_MEMCPY3D has two. */
struct side {
	CUmemorytype type;
	const void *host;
	CUdeviceptr device;
	CUarray array;
	size_t x, y, z, pitch, rows;
};

static CUresult place_of(const struct side *side, const CUDA_MEMCPY3D *copy,
			 struct rt_place *place)
{
	struct rt_box box = { side->x, side->y, side->z, copy->WidthInBytes, copy->Height,
			      copy->Depth };
	const struct rt_array *array;

	switch (side->type) {
	case CU_MEMORYTYPE_HOST: place->at = (char *)(uintptr_t)side->host; break;
	case CU_MEMORYTYPE_DEVICE:
	case CU_MEMORYTYPE_UNIFIED: place->at = drv_pointer(side->device); break;
	case CU_MEMORYTYPE_ARRAY:
		array = rt_array_find(side->array, false);
		return array ? drv_error(rt_array_place(array, &box, place)) :
			       CUDA_ERROR_INVALID_HANDLE;
	default: return CUDA_ERROR_INVALID_VALUE;
	}
	/* a pitch of 0: rows without gaps */
	place->pitch = side->pitch ? side->pitch : copy->WidthInBytes;
	if (__builtin_mul_overflow(place->pitch, side->rows ? side->rows : copy->Height,
				   &place->plane) ||
	    (side->y && place->pitch > SIZE_MAX / side->y) ||
	    (side->z && place->plane > SIZE_MAX / side->z))
		return CUDA_ERROR_INVALID_VALUE;
	place->at += side->z * place->plane + side->y * place->pitch + side->x;
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
	struct side src = { box->srcMemoryType, box->srcHost, box->srcDevice, box->srcArray,
			    box->srcXInBytes, box->srcY, box->srcZ, box->srcPitch,
			    box->srcHeight };
	struct side dst = { box->dstMemoryType, box->dstHost, box->dstDevice, box->dstArray,
			    box->dstXInBytes, box->dstY, box->dstZ, box->dstPitch,
			    box->dstHeight };
	struct rt_place from, to;
	CUresult error = place_of(&src, box, &from);

	if (error == CUDA_SUCCESS)
		error = place_of(&dst, box, &to);
	if (error != CUDA_SUCCESS)
		return error;
	return drv_error(rt_copy_places(&to, &from, box->WidthInBytes, box->Height, box->Depth,
					drv_copy_kind(box->dstMemoryType, box->srcMemoryType),
					drv_stream(stream), synchronous));
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
		.srcArray = copy->srcArray, .dstArray = copy->dstArray,
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
