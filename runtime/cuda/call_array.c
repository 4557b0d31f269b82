// SPDX-License-Identifier: MIT
/*
 * CUDA names: arrays, also mipmapped ones, and their copies.
 */
#include "textures.h"

bool cuda_format(const struct cudaChannelFormatDesc *desc, struct rt_format *format)
{
	int bits[4] = { desc->x, desc->y, desc->z, desc->w };
	unsigned int count = 0;

	while (count < 4 && bits[count])
		count++;
	for (unsigned int i = 0; i < 4; i++)
		if (bits[i] != (i < count ? bits[0] : 0))
			return false;
	if (!count || bits[0] < 8 || bits[0] > 32 || bits[0] % 8 ||
	    (unsigned int)desc->f > cudaChannelFormatKindFloat)
		return false;
	*format = (struct rt_format){ (uint8_t)count, (uint8_t)(bits[0] / 8), (uint8_t)desc->f };
	return rt_format_valid(format);
}

struct cudaChannelFormatDesc cuda_channels(const struct rt_format *format)
{
	int bits = format->bytes * 8, count = format->channels;

	return (struct cudaChannelFormatDesc){
		bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
		(enum cudaChannelFormatKind)format->kind,
	};
}

/* ---- arrays -------------------------------------------------------------- */

static cudaError_t create(struct rt_array **array, const struct cudaChannelFormatDesc *desc,
			  struct cudaExtent extent, unsigned int flags, unsigned int levels,
			  bool mipmap)
{
	struct rt_array_shape shape = {
		.width = extent.width, .height = extent.height, .depth = extent.depth,
		.flags = flags, .levels = levels,
	};

	if (!cuda_format(desc, &shape.format))
		return cuda_error(rt_result(vgpuErrorInvalidChannelDescriptor));
	return cuda_error(rt_array_create(&shape, mipmap, array));
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
			      struct cudaExtent extent, unsigned int flags)
{
	struct rt_array *made;
	cudaError_t error;

	if (!array || !desc)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = create(&made, desc, extent, flags, 1, false);
	if (error == cudaSuccess)
		*array = (cudaArray_t)made;
	return error;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
			    size_t width, size_t height, unsigned int flags)
{
	return cudaMalloc3DArray(array, desc, (struct cudaExtent){ width, height, 0 }, flags);
}

/* As many levels as are asked for, and as there are down to one texel. */
static unsigned int clamped_levels(struct cudaExtent extent, unsigned int levels,
				   unsigned int flags)
{
	size_t largest = extent.width > extent.height ? extent.width : extent.height;
	unsigned int most = 1;

	if (!(flags & (cudaArrayLayered | cudaArrayCubemap)) && extent.depth > largest)
		largest = extent.depth;
	for (; largest > 1 && most < VGPU_TEXTURE_LEVELS; largest /= 2)
		most++;
	return levels < 1 ? 1 : levels < most ? levels : most;
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array,
				     const struct cudaChannelFormatDesc *desc,
				     struct cudaExtent extent, unsigned int levels,
				     unsigned int flags)
{
	struct rt_array *made;
	cudaError_t error;

	if (!array || !desc)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = create(&made, desc, extent, flags, clamped_levels(extent, levels, flags), true);
	if (error == cudaSuccess)
		*array = (cudaMipmappedArray_t)made;
	return error;
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *array, cudaMipmappedArray_const_t mipmapped,
				       unsigned int level)
{
	struct rt_array *mipmap = rt_array_find(mipmapped, true), *found;
	vgpuError_t error;

	if (!array || !mipmap)
		return cuda_error(rt_result(array ? vgpuErrorInvalidResourceHandle :
						    vgpuErrorInvalidValue));
	error = rt_array_of_level(mipmap, level, &found);
	if (error == vgpuSuccess)
		*array = (cudaArray_t)found;
	return cuda_error(error);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
	return array ? cuda_error(rt_array_free(array, false)) : cudaSuccess;
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array)
{
	return array ? cuda_error(rt_array_free(array, true)) : cudaSuccess;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
			     unsigned int *flags, cudaArray_t handle)
{
	const struct rt_array *array = rt_array_find(handle, false);

	if (!array)
		return cuda_error(rt_result(vgpuErrorInvalidResourceHandle));
	if (desc)
		*desc = cuda_channels(&array->shape.format);
	if (extent)
		*extent = (struct cudaExtent){ array->shape.width, array->shape.height,
					       array->shape.depth };
	if (flags)
		*flags = array->shape.flags;
	return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t handle)
{
	const struct rt_array *array = rt_array_find(handle, false);

	if (!desc || !array)
		return cuda_error(rt_result(desc ? vgpuErrorInvalidResourceHandle :
						   vgpuErrorInvalidValue));
	*desc = cuda_channels(&array->shape.format);
	return cudaSuccess;
}

/* ---- copies of boxes ------------------------------------------------------ */

/* @box has the extent in bytes; it begins where the side's position says. */
static vgpuError_t place_of(const struct cuda_side *side, const struct rt_array *array,
			    struct rt_box box, struct rt_place *place)
{
	const struct cudaPitchedPtr *pointer = &side->pointer;

	box.x = side->pos.x;
	box.y = side->pos.y;
	box.z = side->pos.z;
	if (array) {
		box.x *= rt_format_texel(&array->shape.format);
		return rt_array_place(array, &box, place);
	}
	if (!pointer->ptr || (box.depth > 1 && box.height > pointer->ysize))
		return rt_result(vgpuErrorInvalidValue);
	place->pitch = pointer->pitch;
	place->plane = pointer->pitch * pointer->ysize;
	place->at = (char *)pointer->ptr + box.z * place->plane + box.y * place->pitch + box.x;
	return vgpuSuccess;
}

/* The extent's width is in texels. */
cudaError_t cuda_copy_arrays(const struct cuda_side *dst, const struct cuda_side *src,
			     struct cudaExtent extent, enum cudaMemcpyKind kind,
			     cudaStream_t stream, bool synchronous)
{
	struct rt_array *to = dst->array ? rt_array_find(dst->array, false) : NULL;
	struct rt_array *from = src->array ? rt_array_find(src->array, false) : NULL;
	struct rt_box box = { .height = extent.height, .depth = extent.depth };
	struct rt_place dst_place, src_place;
	uint32_t texel;
	vgpuError_t error;

	if ((dst->array && !to) || (src->array && !from))
		return cuda_error(rt_result(vgpuErrorInvalidResourceHandle));
	texel = rt_format_texel(&(to ? to : from)->shape.format);
	if (to && from && rt_format_texel(&from->shape.format) != texel)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	if (extent.width > SIZE_MAX / texel)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	box.width = extent.width * texel;
	error = place_of(dst, to, box, &dst_place);
	if (error == vgpuSuccess)
		error = place_of(src, from, box, &src_place);
	if (error == vgpuSuccess)
		error = rt_copy_places(&dst_place, &src_place, box.width, box.height, box.depth,
				       (vgpuMemcpyKind)kind, cuda_stream(stream), synchronous);
	return cuda_error(error);
}

/* ---- copies of rows ------------------------------------------------------- */

/* @box of the array to or from memory at @memory, whose rows are @pitch bytes apart. */
static cudaError_t copy_rows(const void *handle, bool to_array, struct rt_box box,
			     const void *memory, size_t pitch, enum cudaMemcpyKind kind,
			     cudaStream_t stream, bool synchronous)
{
	const struct rt_array *array = rt_array_find(handle, false);
	struct rt_place other = { .at = (char *)(uintptr_t)memory, .pitch = pitch }, own;
	vgpuError_t error;

	if (!array)
		return cuda_error(rt_result(vgpuErrorInvalidResourceHandle));
	box.depth = 1;
	error = rt_array_place(array, &box, &own);
	if (error == vgpuSuccess)
		error = rt_copy_places(to_array ? &own : &other, to_array ? &other : &own,
				       box.width, box.height, 1, (vgpuMemcpyKind)kind,
				       cuda_stream(stream), synchronous);
	return cuda_error(error);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src,
				size_t spitch, size_t width, size_t height,
				enum cudaMemcpyKind kind)
{
	struct rt_box box = { .x = x, .y = y, .width = width, .height = height };

	return copy_rows(dst, true, box, src, spitch, kind, NULL, true);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
				     size_t spitch, size_t width, size_t height,
				     enum cudaMemcpyKind kind, cudaStream_t stream)
{
	struct rt_box box = { .x = x, .y = y, .width = width, .height = height };

	return copy_rows(dst, true, box, src, spitch, kind, stream, false);
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t x,
				  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	struct rt_box box = { .x = x, .y = y, .width = width, .height = height };

	return copy_rows(src, false, box, dst, dpitch, kind, NULL, true);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src, size_t x,
				       size_t y, size_t width, size_t height,
				       enum cudaMemcpyKind kind, cudaStream_t stream)
{
	struct rt_box box = { .x = x, .y = y, .width = width, .height = height };

	return copy_rows(src, false, box, dst, dpitch, kind, stream, false);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dst_x, size_t dst_y,
				     cudaArray_const_t src, size_t src_x, size_t src_y,
				     size_t width, size_t height, enum cudaMemcpyKind kind)
{
	const struct rt_array *to = rt_array_find(dst, false), *from = rt_array_find(src, false);
	struct rt_box box = { dst_x, dst_y, 0, width, height, 1 };
	struct rt_place dst_place, src_place;
	vgpuError_t error;

	if (!to || !from)
		return cuda_error(rt_result(vgpuErrorInvalidResourceHandle));
	error = rt_array_place(to, &box, &dst_place);
	box.x = src_x;
	box.y = src_y;
	if (error == vgpuSuccess)
		error = rt_array_place(from, &box, &src_place);
	if (error == vgpuSuccess)
		error = rt_copy_places(&dst_place, &src_place, width, height, 1,
				       (vgpuMemcpyKind)kind, NULL, true);
	return cuda_error(error);
}

/* ---- copies of bytes ------------------------------------------------------ */

static cudaError_t copy_bytes(const void *handle, bool to_array, size_t x, size_t y,
			      const void *memory, size_t count, enum cudaMemcpyKind kind,
			      cudaStream_t stream, bool synchronous)
{
	const struct rt_array *array = rt_array_find(handle, false);

	if (!array)
		return cuda_error(rt_result(vgpuErrorInvalidResourceHandle));
	return cuda_error(rt_array_copy(array, to_array, x, y, (char *)(uintptr_t)memory, count,
					(vgpuMemcpyKind)kind, cuda_stream(stream), synchronous));
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t count,
			      enum cudaMemcpyKind kind)
{
	return copy_bytes(dst, true, x, y, src, count, kind, NULL, true);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
				   size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_bytes(dst, true, x, y, src, count, kind, stream, false);
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
				enum cudaMemcpyKind kind)
{
	return copy_bytes(src, false, x, y, dst, count, kind, NULL, true);
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t x, size_t y,
				     size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_bytes(src, false, x, y, dst, count, kind, stream, false);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dst_x, size_t dst_y,
				   cudaArray_const_t src, size_t src_x, size_t src_y, size_t count,
				   enum cudaMemcpyKind kind)
{
	const struct rt_array *to = rt_array_find(dst, false), *from = rt_array_find(src, false);

	if (!to || !from)
		return cuda_error(rt_result(vgpuErrorInvalidResourceHandle));
	if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cuda_error(rt_result(vgpuErrorInvalidMemcpyDirection));
	return cuda_error(rt_array_copy_array(to, dst_x, dst_y, from, src_x, src_y, count));
}
