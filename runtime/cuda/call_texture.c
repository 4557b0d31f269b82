// SPDX-License-Identifier: MIT
/*
 * CUDA names: texture and surface objects.
 */
#include <string.h>

#include "api/textures/texture_limits.h"
#include "api/textures/object.h"
#include "textures.h"

/* ---- what CUDA says, and back --------------------------------------------- */

static vgpuError_t native_source(const struct cudaResourceDesc *desc, struct rt_source *source)
{
	memset(source, 0, sizeof(*source));
	switch (desc->resType) {
	case cudaResourceTypeArray:
		source->kind = RT_SOURCE_ARRAY;
		source->array = (struct rt_array *)desc->res.array.array;
		return vgpuSuccess;
	case cudaResourceTypeMipmappedArray:
		source->kind = RT_SOURCE_MIPMAP;
		source->array = (struct rt_array *)desc->res.mipmap.mipmap;
		return vgpuSuccess;
	case cudaResourceTypeLinear:
		source->kind = RT_SOURCE_LINEAR;
		source->address = (uint64_t)(uintptr_t)desc->res.linear.devPtr;
		source->width = desc->res.linear.sizeInBytes;
		return cuda_format(&desc->res.linear.desc, &source->format) ?
			       vgpuSuccess :
			       vgpuErrorInvalidChannelDescriptor;
	case cudaResourceTypePitch2D:
		source->kind = RT_SOURCE_PITCH;
		source->address = (uint64_t)(uintptr_t)desc->res.pitch2D.devPtr;
		source->width = desc->res.pitch2D.width;
		source->height = desc->res.pitch2D.height;
		source->pitch = desc->res.pitch2D.pitchInBytes;
		return cuda_format(&desc->res.pitch2D.desc, &source->format) ?
			       vgpuSuccess :
			       vgpuErrorInvalidChannelDescriptor;
	}
	return vgpuErrorInvalidValue;
}

static void cuda_resource(const struct rt_source *source, struct cudaResourceDesc *desc)
{
	memset(desc, 0, sizeof(*desc));
	switch (source->kind) {
	case RT_SOURCE_ARRAY:
		desc->resType = cudaResourceTypeArray;
		desc->res.array.array = (cudaArray_t)source->array;
		break;
	case RT_SOURCE_MIPMAP:
		desc->resType = cudaResourceTypeMipmappedArray;
		desc->res.mipmap.mipmap = (cudaMipmappedArray_t)source->array;
		break;
	case RT_SOURCE_LINEAR:
		desc->resType = cudaResourceTypeLinear;
		desc->res.linear.devPtr = (void *)(uintptr_t)source->address;
		desc->res.linear.desc = cuda_channels(&source->format);
		desc->res.linear.sizeInBytes = source->width;
		break;
	case RT_SOURCE_PITCH:
		desc->resType = cudaResourceTypePitch2D;
		desc->res.pitch2D.devPtr = (void *)(uintptr_t)source->address;
		desc->res.pitch2D.desc = cuda_channels(&source->format);
		desc->res.pitch2D.width = source->width;
		desc->res.pitch2D.height = source->height;
		desc->res.pitch2D.pitchInBytes = source->pitch;
		break;
	}
}

static struct rt_sampling native_sampling(const struct cudaTextureDesc *desc)
{
	struct rt_sampling sampling = {
		.linear = desc->filterMode == cudaFilterModeLinear,
		.as_float = desc->readMode == cudaReadModeNormalizedFloat,
		.unit = desc->normalizedCoords != 0,
		.mip_linear = desc->mipmapFilterMode == cudaFilterModeLinear,
		.srgb = desc->sRGB != 0,
		.anisotropy = desc->maxAnisotropy,
		.bias = desc->mipmapLevelBias,
		.least = desc->minMipmapLevelClamp,
		.most = desc->maxMipmapLevelClamp,
	};

	for (unsigned int i = 0; i < 3; i++)
		sampling.address[i] = (unsigned int)desc->addressMode[i];
	memcpy(sampling.border, desc->borderColor, sizeof(sampling.border));
	return sampling;
}

static void cuda_texture(const struct rt_sampling *sampling, struct cudaTextureDesc *desc)
{
	memset(desc, 0, sizeof(*desc));
	for (unsigned int i = 0; i < 3; i++)
		desc->addressMode[i] = (enum cudaTextureAddressMode)sampling->address[i];
	desc->filterMode = sampling->linear ? cudaFilterModeLinear : cudaFilterModePoint;
	desc->readMode = sampling->as_float ? cudaReadModeNormalizedFloat :
					      cudaReadModeElementType;
	memcpy(desc->borderColor, sampling->border, sizeof(desc->borderColor));
	desc->normalizedCoords = sampling->unit;
	desc->maxAnisotropy = sampling->anisotropy;
	desc->mipmapFilterMode = sampling->mip_linear ? cudaFilterModeLinear : cudaFilterModePoint;
	desc->mipmapLevelBias = sampling->bias;
	desc->minMipmapLevelClamp = sampling->least;
	desc->maxMipmapLevelClamp = sampling->most;
}

/* Channels, bits and kind of the views' formats, in their order from 1 on. */
static struct rt_format view_format(enum cudaResourceViewFormat number)
{
	static const struct rt_format kinds[] = {
		{ 0, 1, VGPU_TEXTURE_UNSIGNED }, { 0, 1, VGPU_TEXTURE_SIGNED },
		{ 0, 2, VGPU_TEXTURE_UNSIGNED }, { 0, 2, VGPU_TEXTURE_SIGNED },
		{ 0, 4, VGPU_TEXTURE_UNSIGNED }, { 0, 4, VGPU_TEXTURE_SIGNED },
		{ 0, 2, VGPU_TEXTURE_FLOAT },	 { 0, 4, VGPU_TEXTURE_FLOAT },
	};
	struct rt_format format = { 0 };

	if (number < cudaResViewFormatUnsignedChar1 || number > cudaResViewFormatFloat4)
		return format;
	format = kinds[(number - 1) / 3];
	format.channels = (uint8_t)(1u << (number - 1) % 3);
	return format;
}

/* A view has the format of its array; another one would be a different texture. */
static vgpuError_t native_view(const struct cudaResourceViewDesc *desc,
			       const struct rt_source *source, struct rt_view *view)
{
	const struct rt_array *array;
	struct rt_format format;

	*view = (struct rt_view){ .whole = !desc };
	if (!desc)
		return vgpuSuccess;
	if (source->kind > RT_SOURCE_MIPMAP)
		return vgpuErrorInvalidValue;
	array = rt_array_find(source->array, source->kind == RT_SOURCE_MIPMAP);
	if (!array)
		return vgpuErrorInvalidResourceHandle;
	format = view_format(desc->format);
	if (desc->format != cudaResViewFormatNone &&
	    memcmp(&format, &array->shape.format, sizeof(format))) {
		rt_message("a view with another format than its array's is not supported");
		return vgpuErrorNotSupported;
	}
	view->first_level = desc->firstMipmapLevel;
	view->last_level = desc->lastMipmapLevel;
	view->first_layer = desc->firstLayer;
	view->last_layer = desc->lastLayer;
	return vgpuSuccess;
}

/* ---- textures ------------------------------------------------------------- */

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
				    const struct cudaResourceDesc *resource,
				    const struct cudaTextureDesc *texture,
				    const struct cudaResourceViewDesc *desc)
{
	struct rt_sampling sampling;
	struct rt_source source;
	struct rt_view view;
	uint64_t handle;
	vgpuError_t error;

	if (!object || !resource || !texture)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = native_source(resource, &source);
	if (error == vgpuSuccess)
		error = native_view(desc, &source, &view);
	if (error != vgpuSuccess)
		return cuda_error(rt_result(error));
	sampling = native_sampling(texture);
	error = rt_texture_create(&source, &sampling, &view, &handle);
	if (error == vgpuSuccess)
		*object = handle;
	return cuda_error(error);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
	return cuda_error(rt_object_destroy(object, false));
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *desc,
					     cudaTextureObject_t object)
{
	struct rt_object found;
	vgpuError_t error = desc ? rt_object_find(object, false, &found) :
				   rt_result(vgpuErrorInvalidValue);

	if (error == vgpuSuccess)
		cuda_resource(&found.source, desc);
	return cuda_error(error);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *desc,
					    cudaTextureObject_t object)
{
	struct rt_object found;
	vgpuError_t error = desc ? rt_object_find(object, false, &found) :
				   rt_result(vgpuErrorInvalidValue);

	if (error == vgpuSuccess)
		cuda_texture(&found.sampling, desc);
	return cuda_error(error);
}

/* vgpuErrorInvalidValue also where there is no view, as in CUDA. */
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *desc,
						 cudaTextureObject_t object)
{
	struct rt_object found;
	vgpuError_t error = desc ? rt_object_find(object, false, &found) :
				   rt_result(vgpuErrorInvalidValue);

	if (error == vgpuSuccess && found.view.whole)
		error = rt_result(vgpuErrorInvalidValue);
	if (error != vgpuSuccess)
		return cuda_error(error);
	memset(desc, 0, sizeof(*desc));
	desc->width = found.source.array->shape.width;
	desc->height = found.source.array->shape.height;
	desc->depth = found.source.array->shape.depth;
	desc->firstMipmapLevel = found.view.first_level;
	desc->lastMipmapLevel = found.view.last_level;
	desc->firstLayer = found.view.first_layer;
	desc->lastLayer = found.view.last_layer;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width,
						 const struct cudaChannelFormatDesc *desc,
						 int device)
{
	struct rt_format format;

	if (!width || !desc || device < 0 || (unsigned int)device >= rt_device_count())
		return cuda_error(rt_result(width && desc ? vgpuErrorInvalidDevice :
							    vgpuErrorInvalidValue));
	if (!cuda_format(desc, &format))
		return cuda_error(rt_result(vgpuErrorInvalidChannelDescriptor));
	*width = RT_TEXTURE_LINEAR;
	return cudaSuccess;
}

/* ---- surfaces ------------------------------------------------------------- */

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
				    const struct cudaResourceDesc *resource)
{
	struct rt_source source;
	vgpuError_t error;
	uint64_t handle;

	if (!object || !resource)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = native_source(resource, &source);
	if (error != vgpuSuccess)
		return cuda_error(rt_result(error));
	error = rt_surface_create(&source, &handle);
	if (error == vgpuSuccess)
		*object = handle;
	return cuda_error(error);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
	return cuda_error(rt_object_destroy(object, true));
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *desc,
					     cudaSurfaceObject_t object)
{
	struct rt_object found;
	vgpuError_t error = desc ? rt_object_find(object, true, &found) :
				   rt_result(vgpuErrorInvalidValue);

	if (error == vgpuSuccess)
		cuda_resource(&found.source, desc);
	return cuda_error(error);
}
