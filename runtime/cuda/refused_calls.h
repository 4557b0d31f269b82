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
	     unsigned int level)) \
	CALL("graphs are", cudaStreamBeginCapture,						\
	     (cudaStream_t stream, \
	     enum cudaStreamCaptureMode mode __dv(cudaStreamCaptureModeGlobal))) \
	CALL("graphs are", cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph))	\
	CALL("graphs are", cudaThreadExchangeStreamCaptureMode, \
		(enum cudaStreamCaptureMode *mode)) \
	CALL("graphs are", cudaGraphCreate, (cudaGraph_t *graph, unsigned int flags))		\
	CALL("graphs are", cudaGraphDestroy, (cudaGraph_t graph))				\
	CALL("graphs are", cudaGraphClone, (cudaGraph_t *clone, cudaGraph_t original))		\
	CALL("graphs are", cudaGraphInstantiate,						\
	     (cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *node, char *log, \
	     size_t bytes)) \
	CALL("graphs are", cudaGraphInstantiateWithFlags,					\
	     (cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags))		\
	CALL("graphs are", cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream))	\
	CALL("graphs are", cudaGraphUpload, (cudaGraphExec_t exec, cudaStream_t stream))	\
	CALL("graphs are", cudaGraphExecDestroy, (cudaGraphExec_t exec))			\
	CALL("graphs are", cudaGraphExecUpdate,							\
	     (cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node, \
	     enum cudaGraphExecUpdateResult *result)) \
	CALL("graphs are", cudaGraphAddKernelNode,						\
	     (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,	\
	      const struct cudaKernelNodeParams *params))					\
	CALL("graphs are", cudaGraphAddMemcpyNode,						\
	     (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,	\
	      const struct cudaMemcpy3DParms *params))						\
	CALL("graphs are", cudaGraphAddMemcpyNode1D,						\
	     (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n, \
	     void *dst, \
	      const void *src, size_t count, enum cudaMemcpyKind kind))				\
	CALL("graphs are", cudaGraphAddMemsetNode,						\
	     (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,	\
	      const struct cudaMemsetParams *params))						\
	CALL("graphs are", cudaGraphAddHostNode,						\
	     (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,	\
	      const struct cudaHostNodeParams *params))						\
	CALL("graphs are", cudaGraphAddEmptyNode,						\
	     (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n)) \
	CALL("graphs are", cudaGraphAddChildGraphNode,						\
	     (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n, \
	     cudaGraph_t child)) \
	CALL("graphs are", cudaGraphAddDependencies,						\
	     (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, \
	     size_t n)) \
	CALL("graphs are", cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, \
		size_t *n)) \
	CALL("graphs are", cudaGraphGetRootNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, \
		size_t *n)) \
	CALL("graphs are", cudaGraphGetEdges,							\
	     (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n))	\
	CALL("graphs are", cudaGraphNodeGetType, (cudaGraphNode_t node, \
		enum cudaGraphNodeType *type)) \
	CALL("graphs are", cudaGraphDestroyNode, (cudaGraphNode_t node))			\
	CALL("graphs are", cudaGraphKernelNodeGetParams, (cudaGraphNode_t node, \
		struct cudaKernelNodeParams *params)) \
	CALL("graphs are", cudaGraphKernelNodeSetParams,					\
	     (cudaGraphNode_t node, const struct cudaKernelNodeParams *params))			\
	CALL("graphs are", cudaGraphExecKernelNodeSetParams,					\
	     (cudaGraphExec_t exec, cudaGraphNode_t node, \
	     const struct cudaKernelNodeParams *params)) \
	CALL("graphs are", cudaGraphExecMemcpyNodeSetParams1D,					\
	     (cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const void *src, \
	     size_t count, \
	      enum cudaMemcpyKind kind))							\
	CALL("graphs are", cudaGraphDebugDotPrint, (cudaGraph_t graph, const char *path, \
		unsigned int flags)) \
	CALL("graphs are", cudaDeviceGetGraphMemAttribute, (int device, \
		enum cudaGraphMemAttributeType attr, void *value)) \
	CALL("graphs are", cudaDeviceSetGraphMemAttribute, (int device, \
		enum cudaGraphMemAttributeType attr, void *value)) \
	CALL("graphs are", cudaDeviceGraphMemTrim, (int device))

#endif
