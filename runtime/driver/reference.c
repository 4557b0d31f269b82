// SPDX-License-Identifier: MIT
/*
 * Driver API: texture and surface references of modules (api/textures/reference.h).
 */
#include <string.h>

#include "api/textures/reference.h"
#include "textures.h"

/* A call of @expression, of which `reference' is the handle, with rt_lock held. */
#define CALL(handle, surface, expression) ({ \
	CUresult entered = drv_enter(); \
	struct rt_reference *reference; \
\
	if (entered == CUDA_SUCCESS) { \
		reference = rt_reference_known(handle, surface); \
		entered = drv_error(rt_leave(reference ? (expression) : vgpuErrorInvalidValue)); \
	} \
	entered; \
})

/* A part of the description becomes @value, if that is @valid. */
#define SET(handle, valid, part, value) \
	CALL(handle, false, !(valid) ? vgpuErrorInvalidValue : \
			    ((part) = (value), rt_reference_update(reference)))

/* *@out becomes @value. */
#define GET(handle, out, value) \
	CALL(handle, false, !(out) ? vgpuErrorInvalidValue : (*(out) = (value), vgpuSuccess))

/* ---- handles --------------------------------------------------------------- */

static CUresult reference_of(struct rt_reference **reference, CUmodule handle, const char *name,
			     bool surface)
{
	struct vgpuModule *module = (struct vgpuModule *)(void *)handle;
	CUresult entered = drv_enter();
	vgpuError_t error = vgpuErrorInvalidValue;

	if (entered != CUDA_SUCCESS)
		return entered;
	if (reference && name)
		error = rt_module_known(module) ?
				rt_reference_of(module, name, surface, reference) :
				vgpuErrorInvalidResourceHandle;
	return drv_error(rt_leave(error));
}

CUresult cuModuleGetTexRef(CUtexref *reference, CUmodule module, const char *name)
{
	return reference_of((struct rt_reference **)(void *)reference, module, name, false);
}

CUresult cuModuleGetSurfRef(CUsurfref *reference, CUmodule module, const char *name)
{
	return reference_of((struct rt_reference **)(void *)reference, module, name, true);
}

CUresult cuTexRefCreate(CUtexref *reference)
{
	CUresult entered = drv_enter();

	if (entered != CUDA_SUCCESS)
		return entered;
	return drv_error(rt_leave(reference ?
		rt_reference_new((struct rt_reference **)(void *)reference) :
		vgpuErrorInvalidValue));
}

CUresult cuTexRefDestroy(CUtexref handle)
{
	return CALL(handle, false, rt_reference_free(reference));
}

/* A kernel has all references of its module. */
CUresult cuParamSetTexRef(CUfunction handle, int unit, CUtexref texture)
{
	struct vgpuFunction *function;

	(void)unit;
	return CALL(texture, false, ((void)reference, drv_function(handle, &function)));
}

/* ---- what it is bound to ------------------------------------------------------ */

static vgpuError_t bind_array(struct rt_reference *reference, const void *handle, bool mipmap,
			      bool valid)
{
	const struct rt_source source = {
		.kind = mipmap ? RT_SOURCE_MIPMAP : RT_SOURCE_ARRAY,
		.array = rt_array_known(handle, mipmap),
	};

	if (!valid)
		return vgpuErrorInvalidValue;
	return source.array ? rt_reference_bind(reference, &source) :
			      vgpuErrorInvalidResourceHandle;
}

CUresult cuTexRefSetArray(CUtexref handle, CUarray array, unsigned int flags)
{
	return CALL(handle, false,
		    bind_array(reference, array, false, flags == CU_TRSA_OVERRIDE_FORMAT));
}

CUresult cuTexRefSetMipmappedArray(CUtexref handle, CUmipmappedArray mipmap, unsigned int flags)
{
	return CALL(handle, false,
		    bind_array(reference, mipmap, true, flags == CU_TRSA_OVERRIDE_FORMAT));
}

CUresult cuSurfRefSetArray(CUsurfref handle, CUarray array, unsigned int flags)
{
	return CALL(handle, true, bind_array(reference, array, false, !flags));
}

static vgpuError_t bind_linear(struct rt_reference *reference, CUdeviceptr pointer, size_t bytes)
{
	const struct rt_source source = {
		.kind = RT_SOURCE_LINEAR, .address = pointer, .width = bytes,
		.format = reference->format,
	};

	return rt_reference_bind(reference, &source);
}

/* Memory has no alignment beyond that of a texel, so nothing is to be added to coordinates. */
CUresult cuTexRefSetAddress_v2(size_t *offset, CUtexref handle, CUdeviceptr pointer, size_t bytes)
{
	CUresult error = CALL(handle, false, bind_linear(reference, pointer, bytes));

	if (error == CUDA_SUCCESS && offset)
		*offset = 0;
	return error;
}

static vgpuError_t bind_rows(struct rt_reference *reference, const CUDA_ARRAY_DESCRIPTOR *desc,
			     CUdeviceptr pointer, size_t pitch)
{
	struct rt_source source = { .kind = RT_SOURCE_PITCH, .address = pointer, .pitch = pitch };

	if (!desc || !drv_format(desc->Format, desc->NumChannels, &source.format))
		return vgpuErrorInvalidValue;
	source.width = desc->Width;
	source.height = desc->Height;
	return rt_reference_bind(reference, &source);
}

CUresult cuTexRefSetAddress2D_v3(CUtexref handle, const CUDA_ARRAY_DESCRIPTOR *desc,
				 CUdeviceptr pointer, size_t pitch)
{
	return CALL(handle, false, bind_rows(reference, desc, pointer, pitch));
}

CUresult cuTexRefSetAddress2D_v2(CUtexref handle, const CUDA_ARRAY_DESCRIPTOR *desc,
				 CUdeviceptr pointer, size_t pitch)
{
	return cuTexRefSetAddress2D_v3(handle, desc, pointer, pitch);
}

static vgpuError_t tell_array(const struct rt_reference *reference, enum rt_source_kind kind,
			      void **array)
{
	if (!array || !reference->bound || reference->source.kind != kind)
		return vgpuErrorInvalidValue;
	*array = reference->source.array;
	return vgpuSuccess;
}

CUresult cuTexRefGetArray(CUarray *array, CUtexref handle)
{
	return CALL(handle, false, tell_array(reference, RT_SOURCE_ARRAY, (void **)array));
}

CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *mipmap, CUtexref handle)
{
	return CALL(handle, false, tell_array(reference, RT_SOURCE_MIPMAP, (void **)mipmap));
}

CUresult cuSurfRefGetArray(CUarray *array, CUsurfref handle)
{
	return CALL(handle, true, tell_array(reference, RT_SOURCE_ARRAY, (void **)array));
}

static vgpuError_t tell_address(const struct rt_reference *reference, CUdeviceptr *pointer)
{
	if (!pointer || !reference->bound || reference->source.kind <= RT_SOURCE_MIPMAP)
		return vgpuErrorInvalidValue;
	*pointer = reference->source.address;
	return vgpuSuccess;
}

CUresult cuTexRefGetAddress_v2(CUdeviceptr *pointer, CUtexref handle)
{
	return CALL(handle, false, tell_address(reference, pointer));
}

/* ---- its description ------------------------------------------------------------ */

CUresult cuTexRefSetFormat(CUtexref handle, CUarray_format format, int channels)
{
	struct rt_format found;

	return SET(handle, channels > 0 && drv_format(format, (unsigned int)channels, &found),
		   reference->format, found);
}

static vgpuError_t tell_format(const struct rt_reference *reference, CUarray_format *format,
			       int *channels)
{
	const struct rt_source *source = &reference->source;
	struct rt_format found = reference->format;

	if (!format)
		return vgpuErrorInvalidValue;
	if (reference->bound && source->kind <= RT_SOURCE_MIPMAP &&
	    rt_array_known(source->array, source->kind == RT_SOURCE_MIPMAP))
		found = source->array->shape.format;
	*format = drv_array_format(&found);
	if (channels)
		*channels = found.channels;
	return vgpuSuccess;
}

CUresult cuTexRefGetFormat(CUarray_format *format, int *channels, CUtexref handle)
{
	return CALL(handle, false, tell_format(reference, format, channels));
}

CUresult cuTexRefSetAddressMode(CUtexref handle, int direction, CUaddress_mode mode)
{
	return SET(handle, direction >= 0 && direction < 3 &&
		   (unsigned int)mode <= CU_TR_ADDRESS_MODE_BORDER,
		   reference->sampling.address[direction], (unsigned int)mode);
}

CUresult cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref handle, int direction)
{
	return GET(handle, direction >= 0 && direction < 3 ? mode : NULL,
		   (CUaddress_mode)reference->sampling.address[direction]);
}

CUresult cuTexRefSetFilterMode(CUtexref handle, CUfilter_mode mode)
{
	return SET(handle, (unsigned int)mode <= CU_TR_FILTER_MODE_LINEAR,
		   reference->sampling.linear, mode == CU_TR_FILTER_MODE_LINEAR);
}

CUresult cuTexRefGetFilterMode(CUfilter_mode *mode, CUtexref handle)
{
	return GET(handle, mode, reference->sampling.linear ? CU_TR_FILTER_MODE_LINEAR :
							      CU_TR_FILTER_MODE_POINT);
}

CUresult cuTexRefSetMipmapFilterMode(CUtexref handle, CUfilter_mode mode)
{
	return SET(handle, (unsigned int)mode <= CU_TR_FILTER_MODE_LINEAR,
		   reference->sampling.mip_linear, mode == CU_TR_FILTER_MODE_LINEAR);
}

CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode *mode, CUtexref handle)
{
	return GET(handle, mode, reference->sampling.mip_linear ? CU_TR_FILTER_MODE_LINEAR :
								  CU_TR_FILTER_MODE_POINT);
}

CUresult cuTexRefSetMipmapLevelBias(CUtexref handle, float bias)
{
	return SET(handle, true, reference->sampling.bias, bias);
}

CUresult cuTexRefGetMipmapLevelBias(float *bias, CUtexref handle)
{
	return GET(handle, bias, reference->sampling.bias);
}

CUresult cuTexRefSetMipmapLevelClamp(CUtexref handle, float least, float most)
{
	return SET(handle, true, reference->sampling.most,
		   (reference->sampling.least = least, most));
}

CUresult cuTexRefGetMipmapLevelClamp(float *least, float *most, CUtexref handle)
{
	return GET(handle, most ? least : NULL,
		   (*most = reference->sampling.most, reference->sampling.least));
}

CUresult cuTexRefSetMaxAnisotropy(CUtexref handle, unsigned int most)
{
	return SET(handle, true, reference->sampling.anisotropy, most);
}

CUresult cuTexRefGetMaxAnisotropy(int *most, CUtexref handle)
{
	return GET(handle, most, (int)reference->sampling.anisotropy);
}

static vgpuError_t set_border(struct rt_reference *reference, const float *colour)
{
	if (!colour)
		return vgpuErrorInvalidValue;
	memcpy(reference->sampling.border, colour, sizeof(reference->sampling.border));
	return rt_reference_update(reference);
}

CUresult cuTexRefSetBorderColor(CUtexref handle, float *colour)
{
	return CALL(handle, false, set_border(reference, colour));
}

static vgpuError_t tell_border(const struct rt_reference *reference, float *colour)
{
	if (!colour)
		return vgpuErrorInvalidValue;
	memcpy(colour, reference->sampling.border, sizeof(reference->sampling.border));
	return vgpuSuccess;
}

CUresult cuTexRefGetBorderColor(float *colour, CUtexref handle)
{
	return CALL(handle, false, tell_border(reference, colour));
}

#define KNOWN_FLAGS	(CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | \
			 CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | \
			 CU_TRSF_SEAMLESS_CUBEMAP)

static vgpuError_t set_flags(struct rt_reference *reference, unsigned int flags)
{
	if (flags & ~(unsigned int)KNOWN_FLAGS)
		return vgpuErrorInvalidValue;
	reference->sampling.small_as_float = !(flags & CU_TRSF_READ_AS_INTEGER);
	reference->sampling.unit = flags & CU_TRSF_NORMALIZED_COORDINATES;
	reference->sampling.srgb = flags & CU_TRSF_SRGB;
	return rt_reference_update(reference);
}

CUresult cuTexRefSetFlags(CUtexref handle, unsigned int flags)
{
	return CALL(handle, false, set_flags(reference, flags));
}

CUresult cuTexRefGetFlags(unsigned int *flags, CUtexref handle)
{
	return GET(handle, flags, drv_texture_flags(&reference->sampling));
}
