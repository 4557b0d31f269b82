/* SPDX-License-Identifier: MIT */
/*
 * Texture and surface references, as CUDA before 12 has them: variables that host code binds and
 * kernels fetch from. clang makes a .texref variable of one on the device, and an object of this
 * type on the host; in device code it is the handle that the variable has.
 */
#ifndef VGPU_CUDA_DEVICE_REFERENCES_H
#define VGPU_CUDA_DEVICE_REFERENCES_H

/* cuda_templates.h */
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc();

template <class T, int type = cudaTextureType1D,
	  enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
	texture(int normalised = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
		enum cudaTextureAddressMode address = cudaAddressModeClamp)
		: textureReference()
	{
		normalized = normalised;
		filterMode = filter;
		addressMode[0] = addressMode[1] = addressMode[2] = address;
		channelDesc = cudaCreateChannelDesc<T>();
	}
	texture(int normalised, enum cudaTextureFilterMode filter,
		enum cudaTextureAddressMode address, struct cudaChannelFormatDesc desc)
		: texture(normalised, filter, address)
	{
		channelDesc = desc;
	}
};

template <class T, int type = 1>
struct __attribute__((device_builtin_surface_type)) surface : public surfaceReference {
	surface() : surfaceReference() {}
};
template <int type>
struct __attribute__((device_builtin_surface_type)) surface<void, type> : public surfaceReference {
	surface() : surfaceReference() {}
};

/* ---- the host's calls ---------------------------------------------------- */

template <class T, int type, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, type, mode> &reference,
					  const void *pointer,
					  const struct cudaChannelFormatDesc &desc,
					  size_t size = UINT_MAX)
{
	return cudaBindTexture(offset, (const textureReference *)&reference, pointer, &desc, size);
}

template <class T, int type, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, type, mode> &reference,
					  const void *pointer, size_t size = UINT_MAX)
{
	return cudaBindTexture(offset, reference, pointer, reference.channelDesc, size);
}

template <class T, int type, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset,
					    const texture<T, type, mode> &reference,
					    const void *pointer,
					    const struct cudaChannelFormatDesc &desc,
					    size_t width, size_t height, size_t pitch)
{
	return cudaBindTexture2D(offset, (const textureReference *)&reference, pointer, &desc,
				 width, height, pitch);
}

template <class T, int type, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset,
					    const texture<T, type, mode> &reference,
					    const void *pointer, size_t width, size_t height,
					    size_t pitch)
{
	return cudaBindTexture2D(offset, reference, pointer, reference.channelDesc, width, height,
				 pitch);
}

template <class T, int type, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const texture<T, type, mode> &reference,
						 cudaArray_const_t array,
						 const struct cudaChannelFormatDesc &desc)
{
	return cudaBindTextureToArray((const textureReference *)&reference, array, &desc);
}

template <class T, int type, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const texture<T, type, mode> &reference,
						 cudaArray_const_t array)
{
	struct cudaChannelFormatDesc desc;
	cudaError_t error = cudaGetChannelDesc(&desc, array);

	return error == cudaSuccess ? cudaBindTextureToArray(reference, array, desc) : error;
}

template <class T, int type, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToMipmappedArray(const texture<T, type, mode> &reference,
							  cudaMipmappedArray_const_t array,
							  const struct cudaChannelFormatDesc &desc)
{
	return cudaBindTextureToMipmappedArray((const textureReference *)&reference, array, &desc);
}

template <class T, int type, enum cudaTextureReadMode mode>
static inline cudaError_t cudaUnbindTexture(const texture<T, type, mode> &reference)
{
	return cudaUnbindTexture((const textureReference *)&reference);
}

template <class T, int type, enum cudaTextureReadMode mode>
static inline cudaError_t cudaGetTextureAlignmentOffset(size_t *offset,
							const texture<T, type, mode> &reference)
{
	return cudaGetTextureAlignmentOffset(offset, (const textureReference *)&reference);
}

template <class T, int type>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, type> &reference,
						 cudaArray_const_t array,
						 const struct cudaChannelFormatDesc &desc)
{
	return cudaBindSurfaceToArray((const surfaceReference *)&reference, array, &desc);
}

template <class T, int type>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, type> &reference,
						 cudaArray_const_t array)
{
	struct cudaChannelFormatDesc desc;
	cudaError_t error = cudaGetChannelDesc(&desc, array);

	return error == cudaSuccess ? cudaBindSurfaceToArray(reference, array, desc) : error;
}

/* ---- fetches ------------------------------------------------------------- */

/* What a fetch gives: the texel, or as many floats as it has channels. */
template <class T, enum cudaTextureReadMode mode> struct __vgpu_fetched {
	typedef T type;
};
#define __VGPU_FETCHED(from, to) \
	template <> struct __vgpu_fetched<from, cudaReadModeNormalizedFloat> { \
		typedef to type; \
	};
#define __VGPU_FETCHED_OF(name) \
	__VGPU_FETCHED(name##1, float1) \
	__VGPU_FETCHED(name##2, float2) \
	__VGPU_FETCHED(name##4, float4)
__VGPU_FETCHED(char, float)
__VGPU_FETCHED(signed char, float)
__VGPU_FETCHED(unsigned char, float)
__VGPU_FETCHED(short, float)
__VGPU_FETCHED(unsigned short, float)
__VGPU_FETCHED_OF(char)
__VGPU_FETCHED_OF(uchar)
__VGPU_FETCHED_OF(short)
__VGPU_FETCHED_OF(ushort)
#undef __VGPU_FETCHED_OF
#undef __VGPU_FETCHED

template <class R> static __device__ __inline__ unsigned long long __vgpu_handle(R &reference)
{
	return *(unsigned long long *)&reference;
}

#define __VGPU_LIST(...)	__VA_ARGS__
#define __VGPU_FETCH(name, dimension, params, args) \
	template <class T, enum cudaTextureReadMode mode> \
	static __device__ __inline__ typename __vgpu_fetched<T, mode>::type \
		name(texture<T, dimension, mode> reference, params) \
	{ \
		return name<typename __vgpu_fetched<T, mode>::type>(__vgpu_handle(reference), \
								    args); \
	}
#define __VGPU_FETCH_FORMS(name, dimension, params, args, gradient) \
	__VGPU_FETCH(name, dimension, __VGPU_LIST(params), __VGPU_LIST(args)) \
	__VGPU_FETCH(name##Lod, dimension, __VGPU_LIST(params, float level_of_detail), \
		     __VGPU_LIST(args, level_of_detail)) \
	__VGPU_FETCH(name##Grad, dimension, __VGPU_LIST(params, gradient dx, gradient dy), \
		     __VGPU_LIST(args, dx, dy))

__VGPU_FETCH(tex1Dfetch, cudaTextureType1D, int x, x)
__VGPU_FETCH_FORMS(tex1D, cudaTextureType1D, float x, x, float)
__VGPU_FETCH_FORMS(tex2D, cudaTextureType2D, __VGPU_LIST(float x, float y), __VGPU_LIST(x, y),
		   float2)
__VGPU_FETCH_FORMS(tex3D, cudaTextureType3D, __VGPU_LIST(float x, float y, float z),
		   __VGPU_LIST(x, y, z), float4)
__VGPU_FETCH_FORMS(tex1DLayered, cudaTextureType1DLayered, __VGPU_LIST(float x, int layer),
		   __VGPU_LIST(x, layer), float)
__VGPU_FETCH_FORMS(tex2DLayered, cudaTextureType2DLayered,
		   __VGPU_LIST(float x, float y, int layer), __VGPU_LIST(x, y, layer), float2)
__VGPU_FETCH_FORMS(texCubemap, cudaTextureTypeCubemap, __VGPU_LIST(float x, float y, float z),
		   __VGPU_LIST(x, y, z), float4)
__VGPU_FETCH_FORMS(texCubemapLayered, cudaTextureTypeCubemapLayered,
		   __VGPU_LIST(float x, float y, float z, int layer),
		   __VGPU_LIST(x, y, z, layer), float4)
#undef __VGPU_FETCH_FORMS
#undef __VGPU_FETCH

/* ---- surfaces ------------------------------------------------------------- */

#define __VGPU_ACCESS(name, params, args) \
	template <class T, class S, int type> \
	static __device__ __inline__ T \
		name##read(surface<S, type> reference, params, \
			   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
	{ \
		return name##read<T>(__vgpu_handle(reference), args, mode); \
	} \
	template <class T, class S, int type> \
	static __device__ __inline__ void \
		name##read(T *value, surface<S, type> reference, params, \
			   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
	{ \
		*value = name##read<T>(__vgpu_handle(reference), args, mode); \
	} \
	template <class T, class S, int type> \
	static __device__ __inline__ void \
		name##write(T value, surface<S, type> reference, params, \
			    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
	{ \
		name##write<T>(value, __vgpu_handle(reference), args, mode); \
	}
__VGPU_ACCESS(surf1D, int x, x)
__VGPU_ACCESS(surf2D, __VGPU_LIST(int x, int y), __VGPU_LIST(x, y))
__VGPU_ACCESS(surf3D, __VGPU_LIST(int x, int y, int z), __VGPU_LIST(x, y, z))
__VGPU_ACCESS(surf1DLayered, __VGPU_LIST(int x, int layer), __VGPU_LIST(x, layer))
__VGPU_ACCESS(surf2DLayered, __VGPU_LIST(int x, int y, int layer), __VGPU_LIST(x, y, layer))
__VGPU_ACCESS(surfCubemap, __VGPU_LIST(int x, int y, int face), __VGPU_LIST(x, y, face))
#undef __VGPU_ACCESS
#undef __VGPU_LIST

#endif
