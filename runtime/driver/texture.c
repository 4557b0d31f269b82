// SPDX-License-Identifier: MIT
/*
 * Driver API: texture and surface objects.
 */
#include <string.h>

#include "api/textures/texture_limits.h"
#include "textures.h"

/* ---- what the API says, and back ------------------------------------------ */

static CUresult native_source(const CUDA_RESOURCE_DESC *desc, struct rt_source *source)
{
	memset(source, 0, sizeof(*source));
	if (desc->flags)
		return CUDA_ERROR_INVALID_VALUE;
	switch (desc->resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		source->kind = RT_SOURCE_ARRAY;
		source->array = (struct rt_array *)desc->res.array.hArray;
		return CUDA_SUCCESS;
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		source->kind = RT_SOURCE_MIPMAP;
		source->array = (struct rt_array *)desc->res.mipmap.hMipmappedArray;
		return CUDA_SUCCESS;
	case CU_RESOURCE_TYPE_LINEAR:
		source->kind = RT_SOURCE_LINEAR;
		source->address = desc->res.linear.devPtr;
		source->width = desc->res.linear.sizeInBytes;
		return drv_format(desc->res.linear.format, desc->res.linear.numChannels,
				  &source->format) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	case CU_RESOURCE_TYPE_PITCH2D:
		source->kind = RT_SOURCE_PITCH;
		source->address = desc->res.pitch2D.devPtr;
		source->width = desc->res.pitch2D.width;
		source->height = desc->res.pitch2D.height;
		source->pitch = desc->res.pitch2D.pitchInBytes;
		return drv_format(desc->res.pitch2D.format, desc->res.pitch2D.numChannels,
				  &source->format) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

static void driver_source(const struct rt_source *source, CUDA_RESOURCE_DESC *desc)
{
	memset(desc, 0, sizeof(*desc));
	desc->resType = (CUresourcetype)source->kind;
	if (source->kind == RT_SOURCE_LINEAR) {
		desc->res.linear.devPtr = source->address;
		desc->res.linear.format = drv_array_format(&source->format);
		desc->res.linear.numChannels = source->format.channels;
		desc->res.linear.sizeInBytes = source->width;
	} else if (source->kind == RT_SOURCE_PITCH) {
		desc->res.pitch2D.devPtr = source->address;
		desc->res.pitch2D.format = drv_array_format(&source->format);
		desc->res.pitch2D.numChannels = source->format.channels;
		desc->res.pitch2D.width = source->width;
		desc->res.pitch2D.height = source->height;
		desc->res.pitch2D.pitchInBytes = source->pitch;
	} else {
		desc->res.array.hArray = (CUarray)source->array;
	}
}

static struct rt_sampling native_sampling(const CUDA_TEXTURE_DESC *desc)
{
	struct rt_sampling sampling = {
		.linear = desc->filterMode == CU_TR_FILTER_MODE_LINEAR,
		.small_as_float = !(desc->flags & CU_TRSF_READ_AS_INTEGER),
		.unit = desc->flags & CU_TRSF_NORMALIZED_COORDINATES,
		.mip_linear = desc->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR,
		.srgb = desc->flags & CU_TRSF_SRGB,
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

unsigned int drv_texture_flags(const struct rt_sampling *sampling)
{
	return (sampling->small_as_float ? 0 : CU_TRSF_READ_AS_INTEGER) |
	       (sampling->unit ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
	       (sampling->srgb ? CU_TRSF_SRGB : 0);
}

static void driver_sampling(const struct rt_sampling *sampling, CUDA_TEXTURE_DESC *desc)
{
	memset(desc, 0, sizeof(*desc));
	for (unsigned int i = 0; i < 3; i++)
		desc->addressMode[i] = (CUaddress_mode)sampling->address[i];
	desc->filterMode = sampling->linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
	desc->flags = drv_texture_flags(sampling);
	desc->maxAnisotropy = sampling->anisotropy;
	desc->mipmapFilterMode =
		sampling->mip_linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
	desc->mipmapLevelBias = sampling->bias;
	desc->minMipmapLevelClamp = sampling->least;
	desc->maxMipmapLevelClamp = sampling->most;
	memcpy(desc->borderColor, sampling->border, sizeof(desc->borderColor));
}

/* A view begins as the native one. */
static const struct rt_view_asked *native_view(const CUDA_RESOURCE_VIEW_DESC *desc)
{
	return (const struct rt_view_asked *)(const void *)desc;
}

/* ---- textures ------------------------------------------------------------- */

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
			   const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *desc)
{
	CUresult error = drv_check();
	struct rt_sampling sampling;
	struct rt_source source;
	struct rt_view view;
	uint64_t handle;

	if (error == CUDA_SUCCESS && (!object || !resource || !texture))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = native_source(resource, &source);
	if (error == CUDA_SUCCESS)
		error = drv_error(rt_view_make(native_view(desc), &source, &view));
	if (error != CUDA_SUCCESS)
		return error;
	sampling = native_sampling(texture);
	error = drv_error(rt_texture_create(&source, &sampling, &view, &handle));
	if (error == CUDA_SUCCESS)
		*object = handle;
	return error;
}

CUresult cuTexObjectDestroy(CUtexObject object)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ? drv_error(rt_object_destroy(object, false)) : error;
}

static CUresult find(CUtexObject handle, bool surface, const void *desc, struct rt_object *object)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && !desc)
		error = CUDA_ERROR_INVALID_VALUE;
	return error == CUDA_SUCCESS ? drv_error(rt_object_find(handle, surface, object)) : error;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *desc, CUtexObject object)
{
	struct rt_object found;
	CUresult error = find(object, false, desc, &found);

	if (error == CUDA_SUCCESS)
		driver_source(&found.source, desc);
	return error;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *desc, CUtexObject object)
{
	struct rt_object found;
	CUresult error = find(object, false, desc, &found);

	if (error == CUDA_SUCCESS)
		driver_sampling(&found.sampling, desc);
	return error;
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *desc, CUtexObject object)
{
	struct rt_object found;
	CUresult error = find(object, false, desc, &found);

	if (error == CUDA_SUCCESS)
		error = drv_error(rt_view_tell(&found, (struct rt_view_asked *)(void *)desc));
	return error;
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format,
					    unsigned int channels, CUdevice device)
{
	CUresult error = drv_device(device);
	struct rt_format found;

	if (error == CUDA_SUCCESS && (!width || !drv_format(format, channels, &found)))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		*width = RT_TEXTURE_LINEAR;
	return error;
}

/* ---- surfaces ------------------------------------------------------------- */

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
	CUresult error = drv_check();
	struct rt_source source;
	uint64_t handle;

	if (error == CUDA_SUCCESS && (!object || !resource))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = native_source(resource, &source);
	if (error == CUDA_SUCCESS)
		error = drv_error(rt_surface_create(&source, &handle));
	if (error == CUDA_SUCCESS)
		*object = handle;
	return error;
}

CUresult cuSurfObjectDestroy(CUsurfObject object)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ? drv_error(rt_object_destroy(object, true)) : error;
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *desc, CUsurfObject object)
{
	struct rt_object found;
	CUresult error = find(object, true, desc, &found);

	if (error == CUDA_SUCCESS)
		driver_source(&found.source, desc);
	return error;
}
