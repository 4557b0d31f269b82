/* SPDX-License-Identifier: MIT */
/*
 * Calls of the CUDA runtime API that programs may name and that do nothing here: each returns
 * cudaErrorNotSupported and says once on stderr what is missing (call_refused.c). CALL(what, name,
 * parameters); a parameter's default is for C++.
 */
#ifndef VGPU_CUDA_REFUSED_CALLS_H
#define VGPU_CUDA_REFUSED_CALLS_H

#define VGPU_CUDA_REFUSED_CALLS(CALL)								\
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
