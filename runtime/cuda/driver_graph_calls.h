/* SPDX-License-Identifier: MIT */
/*
 * The functions of the driver API for graphs, as driver_calls.h has the others.
 */
#ifndef VGPU_CUDA_DRIVER_GRAPH_CALLS_H
#define VGPU_CUDA_DRIVER_GRAPH_CALLS_H

#define VGPU_DRIVER_GRAPH_CALLS(CALL, STREAM) \
	CALL(cuGraphCreate, cuGraphCreate, 10000, (CUgraph *graph, unsigned int flags)) \
	CALL(cuGraphDestroy, cuGraphDestroy, 10000, (CUgraph graph)) \
	CALL(cuGraphClone, cuGraphClone, 10000, (CUgraph *clone, CUgraph original)) \
	CALL(cuGraphNodeFindInClone, cuGraphNodeFindInClone, 10000, (CUgraphNode *node, \
	     CUgraphNode original, CUgraph clone)) \
	CALL(cuGraphNodeGetType, cuGraphNodeGetType, 10000, (CUgraphNode node, CUgraphNodeType \
	     *type)) \
	CALL(cuGraphGetNodes, cuGraphGetNodes, 10000, (CUgraph graph, CUgraphNode *nodes, \
	     size_t *count)) \
	CALL(cuGraphGetRootNodes, cuGraphGetRootNodes, 10000, (CUgraph graph, CUgraphNode \
	     *nodes, size_t *count)) \
	CALL(cuGraphGetEdges, cuGraphGetEdges, 10000, (CUgraph graph, CUgraphNode *from, \
	     CUgraphNode *to, size_t *count)) \
	CALL(cuGraphGetEdges, cuGraphGetEdges_v2, 12030, (CUgraph graph, CUgraphNode *from, \
	     CUgraphNode *to, CUgraphEdgeData *edges, size_t *count)) \
	CALL(cuGraphNodeGetDependencies, cuGraphNodeGetDependencies, 10000, (CUgraphNode node, \
	     CUgraphNode *nodes, size_t *count)) \
	CALL(cuGraphNodeGetDependencies, cuGraphNodeGetDependencies_v2, 12030, (CUgraphNode \
	     node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *count)) \
	CALL(cuGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes, 10000, (CUgraphNode \
	     node, CUgraphNode *nodes, size_t *count)) \
	CALL(cuGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes_v2, 12030, (CUgraphNode \
	     node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *count)) \
	CALL(cuGraphAddDependencies, cuGraphAddDependencies, 10000, (CUgraph graph, const \
	     CUgraphNode *from, const CUgraphNode *to, size_t count)) \
	CALL(cuGraphAddDependencies, cuGraphAddDependencies_v2, 12030, (CUgraph graph, const \
	     CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edges, size_t \
	     count)) \
	CALL(cuGraphRemoveDependencies, cuGraphRemoveDependencies, 10000, (CUgraph graph, const \
	     CUgraphNode *from, const CUgraphNode *to, size_t count)) \
	CALL(cuGraphRemoveDependencies, cuGraphRemoveDependencies_v2, 12030, (CUgraph graph, \
	     const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edges, \
	     size_t count)) \
	CALL(cuGraphDestroyNode, cuGraphDestroyNode, 10000, (CUgraphNode node)) \
	CALL(cuGraphDebugDotPrint, cuGraphDebugDotPrint, 11030, (CUgraph graph, const char \
	     *path, unsigned int flags)) \
	CALL(cuGraphAddNode, cuGraphAddNode, 12020, (CUgraphNode *node, CUgraph graph, const \
	     CUgraphNode *after, size_t count, CUgraphNodeParams *params)) \
	CALL(cuGraphAddNode, cuGraphAddNode_v2, 12030, (CUgraphNode *node, CUgraph graph, const \
	     CUgraphNode *after, const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams \
	     *params)) \
	CALL(cuGraphNodeSetParams, cuGraphNodeSetParams, 12020, (CUgraphNode node, \
	     CUgraphNodeParams *params)) \
	CALL(cuGraphExecNodeSetParams, cuGraphExecNodeSetParams, 12020, (CUgraphExec exec, \
	     CUgraphNode node, CUgraphNodeParams *params)) \
	CALL(cuGraphAddKernelNode, cuGraphAddKernelNode, 10000, (CUgraphNode *node, CUgraph \
	     graph, const CUgraphNode *after, size_t count, const CUDA_KERNEL_NODE_PARAMS \
	     *params)) \
	CALL(cuGraphAddKernelNode, cuGraphAddKernelNode_v2, 12000, (CUgraphNode *node, CUgraph \
	     graph, const CUgraphNode *after, size_t count, const CUDA_KERNEL_NODE_PARAMS_v2 \
	     *params)) \
	CALL(cuGraphKernelNodeGetParams, cuGraphKernelNodeGetParams, 10000, (CUgraphNode node, \
	     CUDA_KERNEL_NODE_PARAMS *params)) \
	CALL(cuGraphKernelNodeGetParams, cuGraphKernelNodeGetParams_v2, 12000, (CUgraphNode \
	     node, CUDA_KERNEL_NODE_PARAMS_v2 *params)) \
	CALL(cuGraphKernelNodeSetParams, cuGraphKernelNodeSetParams, 10000, (CUgraphNode node, \
	     const CUDA_KERNEL_NODE_PARAMS *params)) \
	CALL(cuGraphKernelNodeSetParams, cuGraphKernelNodeSetParams_v2, 12000, (CUgraphNode \
	     node, const CUDA_KERNEL_NODE_PARAMS_v2 *params)) \
	CALL(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams, 10010, \
	     (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)) \
	CALL(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2, 12000, \
	     (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2 *params)) \
	CALL(cuGraphKernelNodeCopyAttributes, cuGraphKernelNodeCopyAttributes, 11000, \
	     (CUgraphNode dst, CUgraphNode src)) \
	CALL(cuGraphKernelNodeGetAttribute, cuGraphKernelNodeGetAttribute, 11000, (CUgraphNode \
	     node, CUlaunchAttributeID attribute, CUlaunchAttributeValue *value)) \
	CALL(cuGraphKernelNodeSetAttribute, cuGraphKernelNodeSetAttribute, 11000, (CUgraphNode \
	     node, CUlaunchAttributeID attribute, const CUlaunchAttributeValue *value)) \
	CALL(cuGraphAddMemcpyNode, cuGraphAddMemcpyNode, 10000, (CUgraphNode *node, CUgraph \
	     graph, const CUgraphNode *after, size_t count, const CUDA_MEMCPY3D *params, \
	     CUcontext context)) \
	CALL(cuGraphMemcpyNodeGetParams, cuGraphMemcpyNodeGetParams, 10000, (CUgraphNode node, \
	     CUDA_MEMCPY3D *params)) \
	CALL(cuGraphMemcpyNodeSetParams, cuGraphMemcpyNodeSetParams, 10000, (CUgraphNode node, \
	     const CUDA_MEMCPY3D *params)) \
	CALL(cuGraphExecMemcpyNodeSetParams, cuGraphExecMemcpyNodeSetParams, 10020, \
	     (CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *params, CUcontext \
	     context)) \
	CALL(cuGraphAddMemsetNode, cuGraphAddMemsetNode, 10000, (CUgraphNode *node, CUgraph \
	     graph, const CUgraphNode *after, size_t count, const CUDA_MEMSET_NODE_PARAMS \
	     *params, CUcontext context)) \
	CALL(cuGraphMemsetNodeGetParams, cuGraphMemsetNodeGetParams, 10000, (CUgraphNode node, \
	     CUDA_MEMSET_NODE_PARAMS *params)) \
	CALL(cuGraphMemsetNodeSetParams, cuGraphMemsetNodeSetParams, 10000, (CUgraphNode node, \
	     const CUDA_MEMSET_NODE_PARAMS *params)) \
	CALL(cuGraphExecMemsetNodeSetParams, cuGraphExecMemsetNodeSetParams, 10020, \
	     (CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params, \
	     CUcontext context)) \
	CALL(cuGraphAddHostNode, cuGraphAddHostNode, 10000, (CUgraphNode *node, CUgraph graph, \
	     const CUgraphNode *after, size_t count, const CUDA_HOST_NODE_PARAMS *params)) \
	CALL(cuGraphHostNodeGetParams, cuGraphHostNodeGetParams, 10000, (CUgraphNode node, \
	     CUDA_HOST_NODE_PARAMS *params)) \
	CALL(cuGraphHostNodeSetParams, cuGraphHostNodeSetParams, 10000, (CUgraphNode node, \
	     const CUDA_HOST_NODE_PARAMS *params)) \
	CALL(cuGraphExecHostNodeSetParams, cuGraphExecHostNodeSetParams, 10020, (CUgraphExec \
	     exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params)) \
	CALL(cuGraphAddChildGraphNode, cuGraphAddChildGraphNode, 10000, (CUgraphNode *node, \
	     CUgraph graph, const CUgraphNode *after, size_t count, CUgraph child)) \
	CALL(cuGraphChildGraphNodeGetGraph, cuGraphChildGraphNodeGetGraph, 10000, (CUgraphNode \
	     node, CUgraph *graph)) \
	CALL(cuGraphExecChildGraphNodeSetParams, cuGraphExecChildGraphNodeSetParams, 11010, \
	     (CUgraphExec exec, CUgraphNode node, CUgraph child)) \
	CALL(cuGraphAddEmptyNode, cuGraphAddEmptyNode, 10000, (CUgraphNode *node, CUgraph \
	     graph, const CUgraphNode *after, size_t count)) \
	CALL(cuGraphAddEventRecordNode, cuGraphAddEventRecordNode, 11010, (CUgraphNode *node, \
	     CUgraph graph, const CUgraphNode *after, size_t count, CUevent event)) \
	CALL(cuGraphEventRecordNodeGetEvent, cuGraphEventRecordNodeGetEvent, 11010, \
	     (CUgraphNode node, CUevent *event)) \
	CALL(cuGraphEventRecordNodeSetEvent, cuGraphEventRecordNodeSetEvent, 11010, \
	     (CUgraphNode node, CUevent event)) \
	CALL(cuGraphExecEventRecordNodeSetEvent, cuGraphExecEventRecordNodeSetEvent, 11010, \
	     (CUgraphExec exec, CUgraphNode node, CUevent event)) \
	CALL(cuGraphAddEventWaitNode, cuGraphAddEventWaitNode, 11010, (CUgraphNode *node, \
	     CUgraph graph, const CUgraphNode *after, size_t count, CUevent event)) \
	CALL(cuGraphEventWaitNodeGetEvent, cuGraphEventWaitNodeGetEvent, 11010, (CUgraphNode \
	     node, CUevent *event)) \
	CALL(cuGraphEventWaitNodeSetEvent, cuGraphEventWaitNodeSetEvent, 11010, (CUgraphNode \
	     node, CUevent event)) \
	CALL(cuGraphExecEventWaitNodeSetEvent, cuGraphExecEventWaitNodeSetEvent, 11010, \
	     (CUgraphExec exec, CUgraphNode node, CUevent event)) \
	CALL(cuGraphAddMemAllocNode, cuGraphAddMemAllocNode, 11040, (CUgraphNode *node, CUgraph \
	     graph, const CUgraphNode *after, size_t count, CUDA_MEM_ALLOC_NODE_PARAMS \
	     *params)) \
	CALL(cuGraphMemAllocNodeGetParams, cuGraphMemAllocNodeGetParams, 11040, (CUgraphNode \
	     node, CUDA_MEM_ALLOC_NODE_PARAMS *params)) \
	CALL(cuGraphAddMemFreeNode, cuGraphAddMemFreeNode, 11040, (CUgraphNode *node, CUgraph \
	     graph, const CUgraphNode *after, size_t count, CUdeviceptr pointer)) \
	CALL(cuGraphMemFreeNodeGetParams, cuGraphMemFreeNodeGetParams, 11040, (CUgraphNode \
	     node, CUdeviceptr *pointer)) \
	CALL(cuDeviceGetGraphMemAttribute, cuDeviceGetGraphMemAttribute, 11040, (CUdevice \
	     device, CUgraphMem_attribute attribute, void *value)) \
	CALL(cuDeviceSetGraphMemAttribute, cuDeviceSetGraphMemAttribute, 11040, (CUdevice \
	     device, CUgraphMem_attribute attribute, void *value)) \
	CALL(cuDeviceGraphMemTrim, cuDeviceGraphMemTrim, 11040, (CUdevice device)) \
	CALL(cuGraphInstantiate, cuGraphInstantiate_v2, 10000, (CUgraphExec *exec, CUgraph \
	     graph, CUgraphNode *node, char *log, size_t bytes)) \
	CALL(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, 11040, (CUgraphExec \
	     *exec, CUgraph graph, unsigned long long flags)) \
	STREAM(cuGraphInstantiateWithParams, cuGraphInstantiateWithParams, 12000, _ptsz, \
	     (CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params), (exec, \
	     graph, params)) \
	CALL(cuGraphExecGetFlags, cuGraphExecGetFlags, 12000, (CUgraphExec exec, cuuint64_t \
	     *flags)) \
	CALL(cuGraphExecDestroy, cuGraphExecDestroy, 10000, (CUgraphExec exec)) \
	STREAM(cuGraphUpload, cuGraphUpload, 11010, _ptsz, (CUgraphExec exec, CUstream stream), \
	     (exec, stream)) \
	STREAM(cuGraphLaunch, cuGraphLaunch, 10000, _ptsz, (CUgraphExec exec, CUstream stream), \
	     (exec, stream)) \
	CALL(cuGraphNodeSetEnabled, cuGraphNodeSetEnabled, 11060, (CUgraphExec exec, \
	     CUgraphNode node, unsigned int enabled)) \
	CALL(cuGraphNodeGetEnabled, cuGraphNodeGetEnabled, 11060, (CUgraphExec exec, \
	     CUgraphNode node, unsigned int *enabled)) \
	CALL(cuGraphExecUpdate, cuGraphExecUpdate, 10020, (CUgraphExec exec, CUgraph graph, \
	     CUgraphNode *node, CUgraphExecUpdateResult *result)) \
	CALL(cuGraphExecUpdate, cuGraphExecUpdate_v2, 12000, (CUgraphExec exec, CUgraph graph, \
	     CUgraphExecUpdateResultInfo *info)) \
	CALL(cuUserObjectCreate, cuUserObjectCreate, 11030, (CUuserObject *object, void \
	     *pointer, CUhostFn destroy, unsigned int count, unsigned int flags)) \
	CALL(cuUserObjectRetain, cuUserObjectRetain, 11030, (CUuserObject object, unsigned int \
	     count)) \
	CALL(cuUserObjectRelease, cuUserObjectRelease, 11030, (CUuserObject object, unsigned \
	     int count)) \
	CALL(cuGraphRetainUserObject, cuGraphRetainUserObject, 11030, (CUgraph graph, \
	     CUuserObject object, unsigned int count, unsigned int flags)) \
	CALL(cuGraphReleaseUserObject, cuGraphReleaseUserObject, 11030, (CUgraph graph, \
	     CUuserObject object, unsigned int count)) \
	STREAM(cuStreamBeginCapture, cuStreamBeginCapture_v2, 10010, _ptsz, (CUstream stream, \
	     CUstreamCaptureMode mode), (stream, mode)) \
	STREAM(cuStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph, 12030, _ptsz, (CUstream \
	     stream, CUgraph graph, const CUgraphNode *after, const CUgraphEdgeData *edges, \
	     size_t count, CUstreamCaptureMode mode), (stream, graph, after, edges, count, \
	     mode)) \
	STREAM(cuStreamEndCapture, cuStreamEndCapture, 10000, _ptsz, (CUstream stream, CUgraph \
	     *graph), (stream, graph)) \
	STREAM(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo, 10010, _ptsz, (CUstream stream, \
	     CUstreamCaptureStatus *status, cuuint64_t *id), (stream, status, id)) \
	STREAM(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v2, 11030, _ptsz, (CUstream stream, \
	     CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph, const CUgraphNode \
	     **nodes, size_t *count), (stream, status, id, graph, nodes, count)) \
	STREAM(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v3, 12030, _ptsz, (CUstream stream, \
	     CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph, const CUgraphNode \
	     **nodes, const CUgraphEdgeData **edges, size_t *count), (stream, status, id, \
	     graph, nodes, edges, count)) \
	STREAM(cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies, 11030, \
	     _ptsz, (CUstream stream, CUgraphNode *nodes, size_t count, unsigned int flags), \
	     (stream, nodes, count, flags)) \
	STREAM(cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_v2, 12030, \
	     _ptsz, (CUstream stream, CUgraphNode *nodes, const CUgraphEdgeData *edges, size_t \
	     count, unsigned int flags), (stream, nodes, edges, count, flags)) \
	CALL(cuThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, 10010, \
	     (CUstreamCaptureMode *mode)) \
	CALL(cuGraphInstantiate, cuGraphInstantiateWithFlags, 12000, (CUgraphExec *exec, \
	     CUgraph graph, unsigned long long flags))

#endif
