// SPDX-License-Identifier: MIT
/*
 * CUDA names: texture and surface references, variables of a program that are bound to memory or an
 * array. Each has an object of its own, whose handle is in the variable of the device. Binding
 * waits for the work of the context, as the object changes.
 */
#include <string.h>

#include "api/textures/object.h"
#include "registry.h"
#include "textures.h"

/* What the reference says when it is bound. */
static struct rt_sampling sampling_of(const struct textureReference *reference, bool as_float)
{
	struct rt_sampling sampling = {
		.linear = reference->filterMode == cudaFilterModeLinear,
		.as_float = as_float,
		.unit = reference->normalized != 0,
		.mip_linear = reference->mipmapFilterMode == cudaFilterModeLinear,
		.srgb = reference->sRGB != 0,
		.anisotropy = reference->maxAnisotropy,
		.bias = reference->mipmapLevelBias,
		.least = reference->minMipmapLevelClamp,
		.most = reference->maxMipmapLevelClamp,
	};

	for (unsigned int i = 0; i < 3; i++)
		sampling.address[i] = (unsigned int)reference->addressMode[i];
	return sampling;
}

/* What it is bound to, and where its handle goes; the second with another object. */
static vgpuError_t look_up(const void *reference, struct cuda_reference *found, uint64_t *object)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	error = cuda_reference(reference, found);
	if (error == vgpuSuccess)
		*object = *found->object;
	return rt_leave(error);
}

static vgpuError_t set_object(const void *reference, uint64_t object)
{
	vgpuError_t error = rt_enter();
	struct cuda_reference found;

	if (error != vgpuSuccess)
		return error;
	error = cuda_reference(reference, &found);
	if (error == vgpuSuccess)
		*found.object = object;
	error = rt_leave(error);
	if (error != vgpuSuccess)
		return error;
	return vgpuMemcpy((void *)(uintptr_t)found.variable, &object, sizeof(object),
			  vgpuMemcpyHostToDevice);
}

static cudaError_t bind(const struct textureReference *reference, const struct rt_source *source)
{
	struct cuda_reference found;
	struct rt_sampling sampling;
	uint64_t object = 0;
	vgpuError_t error;

	if (!reference)
		return cuda_error(rt_result(vgpuErrorInvalidTexture));
	error = look_up(reference, &found, &object);
	if (error == vgpuErrorInvalidSymbol)
		error = rt_result(vgpuErrorInvalidTexture);
	if (error != vgpuSuccess)
		return cuda_error(error);
	sampling = sampling_of(reference, found.as_float);
	error = rt_texture_change(source, &sampling, &object);
	if (error == vgpuSuccess)
		error = set_object(reference, object);
	return cuda_error(error);
}

/* Memory has no alignment beyond that of a texel, so nothing is to be added to coordinates. */
static void no_offset(size_t *offset)
{
	if (offset)
		*offset = 0;
}

cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *reference,
			    const void *pointer, const struct cudaChannelFormatDesc *desc,
			    size_t size)
{
	struct rt_source source = {
		.kind = RT_SOURCE_LINEAR, .address = (uint64_t)(uintptr_t)pointer,
	};
	void *base;
	size_t bytes;
	int kind;

	if (!desc || !cuda_format(desc, &source.format))
		return cuda_error(rt_result(desc ? vgpuErrorInvalidChannelDescriptor :
						   vgpuErrorInvalidValue));
	no_offset(offset);
	/* up to the end of the memory, if no size is said */
	if (size >= UINT_MAX && vgpuPointerInfo(pointer, &kind, &base, &bytes) == vgpuSuccess &&
	    kind > 0)
		size = bytes - (size_t)((const char *)pointer - (char *)base);
	source.width = size;
	return bind(reference, &source);
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *reference,
			      const void *pointer, const struct cudaChannelFormatDesc *desc,
			      size_t width, size_t height, size_t pitch)
{
	struct rt_source source = {
		.kind = RT_SOURCE_PITCH, .address = (uint64_t)(uintptr_t)pointer, .width = width,
		.height = height, .pitch = pitch,
	};

	if (!desc || !cuda_format(desc, &source.format))
		return cuda_error(rt_result(desc ? vgpuErrorInvalidChannelDescriptor :
						   vgpuErrorInvalidValue));
	no_offset(offset);
	return bind(reference, &source);
}

/* False: the array has other texels. */
static bool has_format(const struct cudaChannelFormatDesc *desc, const struct rt_array *array)
{
	struct rt_format format;

	return cuda_format(desc, &format) &&
	       !memcmp(&format, &array->shape.format, sizeof(format));
}

static cudaError_t bind_array(const struct textureReference *reference, const void *handle,
			      bool mipmap, const struct cudaChannelFormatDesc *desc)
{
	struct rt_source source = { .kind = mipmap ? RT_SOURCE_MIPMAP : RT_SOURCE_ARRAY };

	source.array = rt_array_find(handle, mipmap);
	if (!source.array)
		return cuda_error(rt_result(vgpuErrorInvalidResourceHandle));
	if (!desc || !has_format(desc, source.array))
		return cuda_error(rt_result(desc ? vgpuErrorInvalidChannelDescriptor :
						   vgpuErrorInvalidValue));
	return bind(reference, &source);
}

cudaError_t cudaBindTextureToArray(const struct textureReference *reference,
				   cudaArray_const_t array,
				   const struct cudaChannelFormatDesc *desc)
{
	return bind_array(reference, array, false, desc);
}

cudaError_t cudaBindTextureToMipmappedArray(const struct textureReference *reference,
					    cudaMipmappedArray_const_t array,
					    const struct cudaChannelFormatDesc *desc)
{
	return bind_array(reference, array, true, desc);
}

/* Its object is destroyed: a kernel that fetches from it ends. */
cudaError_t cudaUnbindTexture(const struct textureReference *reference)
{
	struct cuda_reference found;
	uint64_t object = 0;
	vgpuError_t error = reference ? look_up(reference, &found, &object) :
					vgpuErrorInvalidSymbol;

	if (error == vgpuErrorInvalidSymbol)
		error = rt_result(vgpuErrorInvalidTexture);
	if (error == vgpuSuccess && object) {
		rt_object_destroy(object, false);	/* gone already if its array was freed */
		error = set_object(reference, 0);
	}
	return cuda_error(error);
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *reference)
{
	if (!offset || !reference)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	*offset = 0;
	return cudaSuccess;
}

static cudaError_t get_reference(const void **reference, const void *symbol, vgpuError_t none)
{
	struct cuda_reference found;
	uint64_t object = 0;
	vgpuError_t error = reference ? look_up(symbol, &found, &object) :
					rt_result(vgpuErrorInvalidValue);

	if (error == vgpuErrorInvalidSymbol)
		error = rt_result(none);
	if (error == vgpuSuccess)
		*reference = symbol;
	return cuda_error(error);
}

cudaError_t cudaGetTextureReference(const struct textureReference **reference, const void *symbol)
{
	return get_reference((const void **)reference, symbol, vgpuErrorInvalidTexture);
}

/* ---- surfaces ------------------------------------------------------------- */

cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *reference,
				   cudaArray_const_t array,
				   const struct cudaChannelFormatDesc *desc)
{
	struct rt_source source = { .kind = RT_SOURCE_ARRAY };
	struct cuda_reference found;
	uint64_t object = 0;
	vgpuError_t error;

	source.array = rt_array_find(array, false);
	if (!source.array)
		return cuda_error(rt_result(vgpuErrorInvalidResourceHandle));
	if (!desc || !has_format(desc, source.array))
		return cuda_error(rt_result(desc ? vgpuErrorInvalidChannelDescriptor :
						   vgpuErrorInvalidValue));
	error = reference ? look_up(reference, &found, &object) : vgpuErrorInvalidSymbol;
	if (error == vgpuErrorInvalidSymbol)
		error = rt_result(vgpuErrorInvalidSurface);
	if (error == vgpuSuccess)
		error = rt_surface_change(&source, &object);
	if (error == vgpuSuccess)
		error = set_object(reference, object);
	return cuda_error(error);
}

cudaError_t cudaGetSurfaceReference(const struct surfaceReference **reference, const void *symbol)
{
	return get_reference((const void **)reference, symbol, vgpuErrorInvalidSurface);
}
