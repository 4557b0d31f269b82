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
	void *memory = (void *)(uintptr_t)source->address;

	memset(desc, 0, sizeof(*desc));
	desc->resType = (enum cudaResourceType)source->kind;
	if (source->kind == RT_SOURCE_LINEAR) {
		desc->res.linear.devPtr = memory;
		desc->res.linear.desc = cuda_channels(&source->format);
		desc->res.linear.sizeInBytes = source->width;
	} else if (source->kind == RT_SOURCE_PITCH) {
		desc->res.pitch2D.devPtr = memory;
		desc->res.pitch2D.desc = cuda_channels(&source->format);
		desc->res.pitch2D.width = source->width;
		desc->res.pitch2D.height = source->height;
		desc->res.pitch2D.pitchInBytes = source->pitch;
	} else {
		desc->res.array.array = (cudaArray_t)source->array;
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
	desc->sRGB = sampling->srgb;
}

/* A view begins as the native one. */
static const struct rt_view_asked *native_view(const struct cudaResourceViewDesc *desc)
{
	return (const struct rt_view_asked *)(const void *)desc;
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
		error = rt_view_make(native_view(desc), &source, &view);
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

	if (error == vgpuSuccess)
		error = rt_result(rt_view_tell(&found, (struct rt_view_asked *)(void *)desc));
	return cuda_error(error);
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
