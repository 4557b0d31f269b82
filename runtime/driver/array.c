// SPDX-License-Identifier: MIT
/*
 * Driver API: arrays, also mipmapped ones, and copies of bytes to and from them.
 */
#include "textures.h"

static const struct {
	CUarray_format format;
	uint8_t bytes, kind;
} formats[] = {
	{ CU_AD_FORMAT_UNSIGNED_INT8, 1, VGPU_TEXTURE_UNSIGNED },
	{ CU_AD_FORMAT_UNSIGNED_INT16, 2, VGPU_TEXTURE_UNSIGNED },
	{ CU_AD_FORMAT_UNSIGNED_INT32, 4, VGPU_TEXTURE_UNSIGNED },
	{ CU_AD_FORMAT_SIGNED_INT8, 1, VGPU_TEXTURE_SIGNED },
	{ CU_AD_FORMAT_SIGNED_INT16, 2, VGPU_TEXTURE_SIGNED },
	{ CU_AD_FORMAT_SIGNED_INT32, 4, VGPU_TEXTURE_SIGNED },
	{ CU_AD_FORMAT_HALF, 2, VGPU_TEXTURE_FLOAT },
	{ CU_AD_FORMAT_FLOAT, 4, VGPU_TEXTURE_FLOAT },
};

bool drv_format(CUarray_format format, unsigned int channels, struct rt_format *out)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (formats[i].format == format && channels <= 4) {
			*out = (struct rt_format){ (uint8_t)channels, formats[i].bytes,
						   formats[i].kind };
			return rt_format_valid(out);
		}
	return false;
}

CUarray_format drv_array_format(const struct rt_format *format)
{
	size_t i = 0;

	while (formats[i].bytes != format->bytes || formats[i].kind != format->kind)
		i++;
	return formats[i].format;
}

/* ---- arrays -------------------------------------------------------------- */

static CUresult create(struct rt_array **array, const CUDA_ARRAY3D_DESCRIPTOR *desc,
		       unsigned int levels, bool mipmap)
{
	struct rt_array_shape shape = { .levels = levels };
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && !desc)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS && !drv_format(desc->Format, desc->NumChannels, &shape.format))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error != CUDA_SUCCESS)
		return error;
	shape.width = desc->Width;
	shape.height = desc->Height;
	shape.depth = desc->Depth;
	shape.flags = desc->Flags;
	return drv_error(rt_array_create(&shape, mipmap, array));
}

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
	struct rt_array *made;
	CUresult error = array ? create(&made, desc, 1, false) : CUDA_ERROR_INVALID_VALUE;

	if (error == CUDA_SUCCESS)
		*array = (CUarray)made;
	return error;
}

CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *desc)
{
	CUDA_ARRAY3D_DESCRIPTOR all = { 0 };

	if (!desc)
		return CUDA_ERROR_INVALID_VALUE;
	all.Width = desc->Width;
	all.Height = desc->Height;
	all.Format = desc->Format;
	all.NumChannels = desc->NumChannels;
	return cuArray3DCreate_v2(array, &all);
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray handle)
{
	const struct rt_array *array;
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && !desc)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error != CUDA_SUCCESS)
		return error;
	array = rt_array_find(handle, false);
	if (!array)
		return CUDA_ERROR_INVALID_HANDLE;
	*desc = (CUDA_ARRAY3D_DESCRIPTOR){
		.Width = array->shape.width, .Height = array->shape.height,
		.Depth = array->shape.depth, .Format = drv_array_format(&array->shape.format),
		.NumChannels = array->shape.format.channels, .Flags = array->shape.flags,
	};
	return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *desc, CUarray array)
{
	CUDA_ARRAY3D_DESCRIPTOR all;
	CUresult error = desc ? cuArray3DGetDescriptor_v2(&all, array) : CUDA_ERROR_INVALID_VALUE;

	if (error == CUDA_SUCCESS)
		*desc = (CUDA_ARRAY_DESCRIPTOR){ all.Width, all.Height, all.Format,
						 all.NumChannels };
	return error;
}

CUresult cuArrayDestroy(CUarray array)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ? drv_error(rt_array_free(array, false)) : error;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc,
				unsigned int levels)
{
	struct rt_array *made;
	CUresult error = array ? create(&made, desc, levels, true) : CUDA_ERROR_INVALID_VALUE;

	if (error == CUDA_SUCCESS)
		*array = (CUmipmappedArray)made;
	return error;
}

CUresult cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray handle, unsigned int level)
{
	struct rt_array *mipmap, *found;
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && !array)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error != CUDA_SUCCESS)
		return error;
	mipmap = rt_array_find(handle, true);
	if (!mipmap)
		return CUDA_ERROR_INVALID_HANDLE;
	error = drv_error(rt_array_of_level(mipmap, level, &found));
	if (error == CUDA_SUCCESS)
		*array = (CUarray)found;
	return error;
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ? drv_error(rt_array_free(array, true)) : error;
}

/* ---- copies -------------------------------------------------------------- */

/* Bytes from @offset on, as if all rows lay one behind the other. */
static CUresult copy(CUarray handle, bool to_array, size_t offset, const void *memory,
		     size_t bytes, vgpuMemcpyKind kind, CUstream stream, bool synchronous)
{
	const struct rt_array *array;
	CUresult error = drv_check();
	size_t row;

	if (error != CUDA_SUCCESS)
		return error;
	array = rt_array_find(handle, false);
	if (!array)
		return CUDA_ERROR_INVALID_HANDLE;
	row = (size_t)array->level[0].width * rt_format_texel(&array->shape.format);
	return drv_error(rt_array_copy(array, to_array, offset % row, offset / row,
				       (char *)(uintptr_t)memory, bytes, kind, drv_stream(stream),
				       synchronous));
}

CUresult cuMemcpyHtoA_v2(CUarray dst, size_t offset, const void *src, size_t bytes)
{
	return copy(dst, true, offset, src, bytes, vgpuMemcpyHostToDevice, NULL, true);
}

CUresult cuMemcpyAtoH_v2(void *dst, CUarray src, size_t offset, size_t bytes)
{
	return copy(src, false, offset, dst, bytes, vgpuMemcpyDeviceToHost, NULL, true);
}

CUresult cuMemcpyDtoA_v2(CUarray dst, size_t offset, CUdeviceptr src, size_t bytes)
{
	return copy(dst, true, offset, drv_pointer(src), bytes, vgpuMemcpyDeviceToDevice, NULL,
		    true);
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr dst, CUarray src, size_t offset, size_t bytes)
{
	return copy(src, false, offset, drv_pointer(dst), bytes, vgpuMemcpyDeviceToDevice, NULL,
		    true);
}

CUresult cuMemcpyHtoAAsync_v2(CUarray dst, size_t offset, const void *src, size_t bytes,
			      CUstream stream)
{
	return copy(dst, true, offset, src, bytes, vgpuMemcpyHostToDevice, stream, false);
}

CUresult cuMemcpyAtoHAsync_v2(void *dst, CUarray src, size_t offset, size_t bytes,
			      CUstream stream)
{
	return copy(src, false, offset, dst, bytes, vgpuMemcpyDeviceToHost, stream, false);
}

CUresult cuMemcpyAtoA_v2(CUarray dst, size_t dst_offset, CUarray src, size_t src_offset,
			 size_t bytes)
{
	const struct rt_array *to, *from;
	CUresult error = drv_check();
	size_t to_row, from_row;

	if (error != CUDA_SUCCESS)
		return error;
	to = rt_array_find(dst, false);
	from = rt_array_find(src, false);
	if (!to || !from)
		return CUDA_ERROR_INVALID_HANDLE;
	to_row = (size_t)to->level[0].width * rt_format_texel(&to->shape.format);
	from_row = (size_t)from->level[0].width * rt_format_texel(&from->shape.format);
	return drv_error(rt_array_copy_array(to, dst_offset % to_row, dst_offset / to_row, from,
					     src_offset % from_row, src_offset / from_row, bytes));
}
