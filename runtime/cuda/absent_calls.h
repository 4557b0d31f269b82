/* SPDX-License-Identifier: MIT */
/*
 * Names of the CUDA runtime that programs of nvcc may link to and that no header here declares. A
 * program that has them loads and runs; the call is cudaErrorNotSupported, said once on stderr.
 * CALL(what, name)
 */
#ifndef VGPU_CUDA_ABSENT_CALLS_H
#define VGPU_CUDA_ABSENT_CALLS_H

#define VGPU_CUDA_ABSENT_CALLS(CALL) \
	CALL("graphs are", cudaGraphAddDependencies_v2) \
	CALL("graphs are", cudaGraphAddEventRecordNode) \
	CALL("graphs are", cudaGraphAddEventWaitNode) \
	CALL("graphs are", cudaGraphAddExternalSemaphoresSignalNode) \
	CALL("graphs are", cudaGraphAddExternalSemaphoresWaitNode) \
	CALL("graphs are", cudaGraphAddMemAllocNode) \
	CALL("graphs are", cudaGraphAddMemFreeNode) \
	CALL("graphs are", cudaGraphAddMemcpyNodeFromSymbol) \
	CALL("graphs are", cudaGraphAddMemcpyNodeToSymbol) \
	CALL("graphs are", cudaGraphAddNode) \
	CALL("graphs are", cudaGraphAddNode_v2) \
	CALL("graphs are", cudaGraphChildGraphNodeGetGraph) \
	CALL("graphs are", cudaGraphConditionalHandleCreate) \
	CALL("graphs are", cudaGraphEventRecordNodeGetEvent) \
	CALL("graphs are", cudaGraphEventRecordNodeSetEvent) \
	CALL("graphs are", cudaGraphEventWaitNodeGetEvent) \
	CALL("graphs are", cudaGraphEventWaitNodeSetEvent) \
	CALL("graphs are", cudaGraphExecChildGraphNodeSetParams) \
	CALL("graphs are", cudaGraphExecEventRecordNodeSetEvent) \
	CALL("graphs are", cudaGraphExecEventWaitNodeSetEvent) \
	CALL("graphs are", cudaGraphExecExternalSemaphoresSignalNodeSetParams) \
	CALL("graphs are", cudaGraphExecExternalSemaphoresWaitNodeSetParams) \
	CALL("graphs are", cudaGraphExecGetFlags) \
	CALL("graphs are", cudaGraphExecHostNodeSetParams) \
	CALL("graphs are", cudaGraphExecMemcpyNodeSetParams) \
	CALL("graphs are", cudaGraphExecMemcpyNodeSetParamsFromSymbol) \
	CALL("graphs are", cudaGraphExecMemcpyNodeSetParamsToSymbol) \
	CALL("graphs are", cudaGraphExecMemsetNodeSetParams) \
	CALL("graphs are", cudaGraphExecNodeSetParams) \
	CALL("graphs are", cudaGraphExternalSemaphoresSignalNodeGetParams) \
	CALL("graphs are", cudaGraphExternalSemaphoresSignalNodeSetParams) \
	CALL("graphs are", cudaGraphExternalSemaphoresWaitNodeGetParams) \
	CALL("graphs are", cudaGraphExternalSemaphoresWaitNodeSetParams) \
	CALL("graphs are", cudaGraphGetEdges_v2) \
	CALL("graphs are", cudaGraphHostNodeGetParams) \
	CALL("graphs are", cudaGraphHostNodeSetParams) \
	CALL("graphs are", cudaGraphInstantiateWithParams) \
	CALL("graphs are", cudaGraphInstantiateWithParams_ptsz) \
	CALL("graphs are", cudaGraphKernelNodeCopyAttributes) \
	CALL("graphs are", cudaGraphKernelNodeGetAttribute) \
	CALL("graphs are", cudaGraphKernelNodeSetAttribute) \
	CALL("graphs are", cudaGraphLaunch_ptsz) \
	CALL("graphs are", cudaGraphMemAllocNodeGetParams) \
	CALL("graphs are", cudaGraphMemFreeNodeGetParams) \
	CALL("graphs are", cudaGraphMemcpyNodeGetParams) \
	CALL("graphs are", cudaGraphMemcpyNodeSetParams) \
	CALL("graphs are", cudaGraphMemcpyNodeSetParams1D) \
	CALL("graphs are", cudaGraphMemcpyNodeSetParamsFromSymbol) \
	CALL("graphs are", cudaGraphMemcpyNodeSetParamsToSymbol) \
	CALL("graphs are", cudaGraphMemsetNodeGetParams) \
	CALL("graphs are", cudaGraphMemsetNodeSetParams) \
	CALL("graphs are", cudaGraphNodeFindInClone) \
	CALL("graphs are", cudaGraphNodeGetDependencies) \
	CALL("graphs are", cudaGraphNodeGetDependencies_v2) \
	CALL("graphs are", cudaGraphNodeGetDependentNodes) \
	CALL("graphs are", cudaGraphNodeGetDependentNodes_v2) \
	CALL("graphs are", cudaGraphNodeGetEnabled) \
	CALL("graphs are", cudaGraphNodeSetEnabled) \
	CALL("graphs are", cudaGraphNodeSetParams) \
	CALL("graphs are", cudaGraphReleaseUserObject) \
	CALL("graphs are", cudaGraphRemoveDependencies) \
	CALL("graphs are", cudaGraphRemoveDependencies_v2) \
	CALL("graphs are", cudaGraphRetainUserObject) \
	CALL("graphs are", cudaGraphUpload_ptsz) \
	CALL("graphs are", cudaGraphicsEGLRegisterImage) \
	CALL("graphs are", cudaGraphicsGLRegisterBuffer) \
	CALL("graphs are", cudaGraphicsGLRegisterImage) \
	CALL("graphs are", cudaGraphicsResourceGetMappedEglFrame) \
	CALL("graphs are", cudaGraphicsResourceGetMappedMipmappedArray) \
	CALL("graphs are", cudaGraphicsVDPAURegisterOutputSurface) \
	CALL("graphs are", cudaGraphicsVDPAURegisterVideoSurface) \
	CALL("graphs are", cudaStreamBeginCaptureToGraph) \
	CALL("graphs are", cudaStreamBeginCaptureToGraph_ptsz) \
	CALL("graphs are", cudaStreamBeginCapture_ptsz) \
	CALL("graphs are", cudaStreamEndCapture_ptsz) \
	CALL("graphs are", cudaStreamGetCaptureInfo_v2) \
	CALL("graphs are", cudaStreamGetCaptureInfo_v2_ptsz) \
	CALL("graphs are", cudaStreamGetCaptureInfo_v3) \
	CALL("graphs are", cudaStreamGetCaptureInfo_v3_ptsz) \
	CALL("graphs are", cudaStreamUpdateCaptureDependencies) \
	CALL("graphs are", cudaStreamUpdateCaptureDependencies_ptsz) \
	CALL("graphs are", cudaStreamUpdateCaptureDependencies_v2) \
	CALL("graphs are", cudaStreamUpdateCaptureDependencies_v2_ptsz) \
	CALL("graphs are", cudaUserObjectCreate) \
	CALL("graphs are", cudaUserObjectRelease) \
	CALL("graphs are", cudaUserObjectRetain) \
	CALL("arrays are", cudaArrayGetMemoryRequirements) \
	CALL("arrays are", cudaArrayGetPlane) \
	CALL("arrays are", cudaArrayGetSparseProperties) \
	CALL("arrays are", cudaExternalMemoryGetMappedMipmappedArray) \
	CALL("arrays are", cudaMemcpy2DArrayToArray_ptds) \
	CALL("arrays are", cudaMemcpy2DFromArrayAsync_ptsz) \
	CALL("arrays are", cudaMemcpy2DFromArray_ptds) \
	CALL("arrays are", cudaMemcpy2DToArrayAsync_ptsz) \
	CALL("arrays are", cudaMemcpy2DToArray_ptds) \
	CALL("arrays are", cudaMemcpyArrayToArray_ptds) \
	CALL("arrays are", cudaMemcpyFromArrayAsync_ptsz) \
	CALL("arrays are", cudaMemcpyFromArray_ptds) \
	CALL("arrays are", cudaMemcpyToArrayAsync_ptsz) \
	CALL("arrays are", cudaMemcpyToArray_ptds) \
	CALL("arrays are", cudaMipmappedArrayGetMemoryRequirements) \
	CALL("arrays are", cudaMipmappedArrayGetSparseProperties) \
	CALL("sharing memory with a graphics API is", cudaEGLStreamConsumerAcquireFrame) \
	CALL("sharing memory with a graphics API is", cudaEGLStreamConsumerConnect) \
	CALL("sharing memory with a graphics API is", cudaEGLStreamConsumerConnectWithFlags) \
	CALL("sharing memory with a graphics API is", cudaEGLStreamConsumerDisconnect) \
	CALL("sharing memory with a graphics API is", cudaEGLStreamConsumerReleaseFrame) \
	CALL("sharing memory with a graphics API is", cudaEGLStreamProducerConnect) \
	CALL("sharing memory with a graphics API is", cudaEGLStreamProducerDisconnect) \
	CALL("sharing memory with a graphics API is", cudaEGLStreamProducerPresentFrame) \
	CALL("sharing memory with a graphics API is", cudaEGLStreamProducerReturnFrame) \
	CALL("sharing memory with a graphics API is", cudaEventCreateFromEGLSync) \
	CALL("sharing memory with a graphics API is", cudaGLGetDevices) \
	CALL("sharing memory with a graphics API is", cudaGLMapBufferObject) \
	CALL("sharing memory with a graphics API is", cudaGLMapBufferObjectAsync) \
	CALL("sharing memory with a graphics API is", cudaGLRegisterBufferObject) \
	CALL("sharing memory with a graphics API is", cudaGLSetBufferObjectMapFlags) \
	CALL("sharing memory with a graphics API is", cudaGLSetGLDevice) \
	CALL("sharing memory with a graphics API is", cudaGLUnmapBufferObject) \
	CALL("sharing memory with a graphics API is", cudaGLUnmapBufferObjectAsync) \
	CALL("sharing memory with a graphics API is", cudaGLUnregisterBufferObject) \
	CALL("sharing memory with a graphics API is", cudaVDPAUGetDevice) \
	CALL("sharing memory with a graphics API is", cudaVDPAUSetVDPAUDevice) \
	CALL("memory and semaphores of other APIs are", cudaDestroyExternalMemory) \
	CALL("memory and semaphores of other APIs are", cudaDestroyExternalSemaphore) \
	CALL("memory and semaphores of other APIs are", cudaDeviceGetNvSciSyncAttributes) \
	CALL("memory and semaphores of other APIs are", cudaExternalMemoryGetMappedBuffer) \
	CALL("memory and semaphores of other APIs are", cudaImportExternalMemory) \
	CALL("memory and semaphores of other APIs are", cudaImportExternalSemaphore) \
	CALL("memory and semaphores of other APIs are", cudaSignalExternalSemaphoresAsync) \
	CALL("memory and semaphores of other APIs are", cudaSignalExternalSemaphoresAsync_ptsz) \
	CALL("memory and semaphores of other APIs are", cudaSignalExternalSemaphoresAsync_v2) \
	CALL("memory and semaphores of other APIs are", cudaSignalExternalSemaphoresAsync_v2_ptsz) \
	CALL("memory and semaphores of other APIs are", cudaWaitExternalSemaphoresAsync) \
	CALL("memory and semaphores of other APIs are", cudaWaitExternalSemaphoresAsync_ptsz) \
	CALL("memory and semaphores of other APIs are", cudaWaitExternalSemaphoresAsync_v2) \
	CALL("memory and semaphores of other APIs are", cudaWaitExternalSemaphoresAsync_v2_ptsz) \
	CALL("clusters of blocks are", cudaOccupancyMaxActiveClusters) \
	CALL("clusters of blocks are", cudaOccupancyMaxPotentialClusterSize) \
	CALL("copies in batches are", cudaMemDiscardAndPrefetchBatchAsync) \
	CALL("copies in batches are", cudaMemDiscardAndPrefetchBatchAsync_ptsz) \
	CALL("copies in batches are", cudaMemDiscardBatchAsync) \
	CALL("copies in batches are", cudaMemDiscardBatchAsync_ptsz) \
	CALL("copies in batches are", cudaMemPrefetchBatchAsync) \
	CALL("copies in batches are", cudaMemPrefetchBatchAsync_ptsz) \
	CALL("copies in batches are", cudaMemcpy3DBatchAsync) \
	CALL("copies in batches are", cudaMemcpy3DBatchAsync_ptsz) \
	CALL("copies in batches are", cudaMemcpyBatchAsync) \
	CALL("copies in batches are", cudaMemcpyBatchAsync_ptsz) \
	CALL("reading the driver's log is", cudaLogsCurrent) \
	CALL("reading the driver's log is", cudaLogsDumpToFile) \
	CALL("reading the driver's log is", cudaLogsDumpToMemory) \
	CALL("reading the driver's log is", cudaLogsRegisterCallback) \
	CALL("reading the driver's log is", cudaLogsUnregisterCallback) \
	CALL("this call is", cudaDeviceFlushGPUDirectRDMAWrites) \
	CALL("this call is", cudaDeviceGetHostAtomicCapabilities) \
	CALL("this call is", cudaDeviceGetP2PAtomicCapabilities) \
	CALL("notifications are", cudaDeviceRegisterAsyncNotification) \
	CALL("notifications are", cudaDeviceUnregisterAsyncNotification) \
	CALL("this call is", cudaGetExportTable) \
	CALL("a barrier over the grids of several devices is", \
	     cudaLaunchCooperativeKernelMultiDevice) \
	CALL("pools of a location are", cudaMemGetDefaultMemPool) \
	CALL("pools of a location are", cudaMemGetMemPool) \
	CALL("pools of a location are", cudaMemSetMemPool) \
	CALL("this call is", cudaSetDoubleForDevice) \
	CALL("this call is", cudaSetDoubleForHost)

#endif
