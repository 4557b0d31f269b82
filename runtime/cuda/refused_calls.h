/* SPDX-License-Identifier: MIT */
/*
 * Calls of the CUDA runtime API that programs may name and that do nothing here: each returns
 * cudaErrorNotSupported and says once on stderr what is missing (call_refused.c). CALL(what, name,
 * parameters); a parameter's default is for C++.
 */
#ifndef VGPU_CUDA_REFUSED_CALLS_H
#define VGPU_CUDA_REFUSED_CALLS_H

#define VGPU_CUDA_REFUSED_CALLS(CALL)								\
	CALL("arrays are", cudaMallocArray,							\
	     (cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, \
	     size_t height __dv(0), \
	      unsigned int flags __dv(0)))							\
	CALL("arrays are", cudaMalloc3DArray,							\
	     (cudaArray_t *array, const struct cudaChannelFormatDesc *desc, \
	     struct cudaExtent extent, \
	      unsigned int flags __dv(0)))							\
	CALL("arrays are", cudaMallocMipmappedArray,						\
	     (cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *desc, \
	     struct cudaExtent extent, \
	      unsigned int levels, unsigned int flags __dv(0)))					\
	CALL("arrays are", cudaGetMipmappedArrayLevel,						\
	     (cudaArray_t *array, cudaMipmappedArray_const_t mipmapped, unsigned int level))	\
	CALL("arrays are", cudaFreeArray, (cudaArray_t array))					\
	CALL("arrays are", cudaFreeMipmappedArray, (cudaMipmappedArray_t array))		\
	CALL("arrays are", cudaArrayGetInfo,							\
	     (struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags, \
	     cudaArray_t array)) \
	CALL("arrays are", cudaGetChannelDesc, (struct cudaChannelFormatDesc *desc, \
		cudaArray_const_t array)) \
	CALL("arrays are", cudaMemcpyToArray,							\
	     (cudaArray_t dst, size_t x, size_t y, const void *src, size_t count, \
	     enum cudaMemcpyKind kind)) \
	CALL("arrays are", cudaMemcpyToArrayAsync,						\
	     (cudaArray_t dst, size_t x, size_t y, const void *src, size_t count, \
	     enum cudaMemcpyKind kind, \
	      cudaStream_t stream __dv(0)))							\
	CALL("arrays are", cudaMemcpyFromArray,							\
	     (void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count, \
	     enum cudaMemcpyKind kind)) \
	CALL("arrays are", cudaMemcpyFromArrayAsync,						\
	     (void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count, \
	     enum cudaMemcpyKind kind, \
	      cudaStream_t stream __dv(0)))							\
	CALL("arrays are", cudaMemcpyArrayToArray,						\
	     (cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_const_t src, size_t src_x, \
	     size_t src_y, \
	      size_t count, enum cudaMemcpyKind kind __dv(cudaMemcpyDeviceToDevice)))		\
	CALL("arrays are", cudaMemcpy2DToArray,							\
	     (cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch, size_t width, \
	     size_t height, \
	      enum cudaMemcpyKind kind))							\
	CALL("arrays are", cudaMemcpy2DToArrayAsync,						\
	     (cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch, size_t width, \
	     size_t height, \
	      enum cudaMemcpyKind kind, cudaStream_t stream __dv(0)))				\
	CALL("arrays are", cudaMemcpy2DFromArray,						\
	     (void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y, size_t width, \
	     size_t height, \
	      enum cudaMemcpyKind kind))							\
	CALL("arrays are", cudaMemcpy2DFromArrayAsync,						\
	     (void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y, size_t width, \
	     size_t height, \
	      enum cudaMemcpyKind kind, cudaStream_t stream __dv(0)))				\
	CALL("arrays are", cudaMemcpy2DArrayToArray,						\
	     (cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_const_t src, size_t src_x, \
	     size_t src_y, \
	      size_t width, size_t height, \
	      enum cudaMemcpyKind kind __dv(cudaMemcpyDeviceToDevice))) \
	CALL("textures are", cudaCreateTextureObject,						\
	     (cudaTextureObject_t *object, const struct cudaResourceDesc *resource,		\
	      const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view))	\
	CALL("textures are", cudaDestroyTextureObject, (cudaTextureObject_t object))		\
	CALL("textures are", cudaGetTextureObjectResourceDesc,					\
	     (struct cudaResourceDesc *desc, cudaTextureObject_t object))			\
	CALL("textures are", cudaGetTextureObjectTextureDesc,					\
	     (struct cudaTextureDesc *desc, cudaTextureObject_t object))			\
	CALL("textures are", cudaGetTextureObjectResourceViewDesc,				\
	     (struct cudaResourceViewDesc *desc, cudaTextureObject_t object))			\
	CALL("textures are", cudaDeviceGetTexture1DLinearMaxWidth,				\
	     (size_t *width, const struct cudaChannelFormatDesc *desc, int device))		\
	CALL("surfaces are", cudaCreateSurfaceObject,						\
	     (cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource))		\
	CALL("surfaces are", cudaDestroySurfaceObject, (cudaSurfaceObject_t object))		\
	CALL("surfaces are", cudaGetSurfaceObjectResourceDesc,					\
	     (struct cudaResourceDesc *desc, cudaSurfaceObject_t object))			\
	CALL("sharing memory with a graphics API is", cudaGraphicsUnregisterResource, \
		(cudaGraphicsResource_t resource)) \
	CALL("sharing memory with a graphics API is", cudaGraphicsResourceSetMapFlags,		\
	     (cudaGraphicsResource_t resource, unsigned int flags))				\
	CALL("sharing memory with a graphics API is", cudaGraphicsMapResources,			\
	     (int count, cudaGraphicsResource_t *resources, cudaStream_t stream __dv(0)))	\
	CALL("sharing memory with a graphics API is", cudaGraphicsUnmapResources,		\
	     (int count, cudaGraphicsResource_t *resources, cudaStream_t stream __dv(0)))	\
	CALL("sharing memory with a graphics API is", cudaGraphicsResourceGetMappedPointer,	\
	     (void **pointer, size_t *bytes, cudaGraphicsResource_t resource))			\
	CALL("sharing memory with a graphics API is", cudaGraphicsSubResourceGetMappedArray,	\
	     (cudaArray_t *array, cudaGraphicsResource_t resource, unsigned int index, \
	     unsigned int level))

#endif
