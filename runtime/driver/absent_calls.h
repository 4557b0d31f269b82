/* SPDX-License-Identifier: MIT */
/*
 * Functions of the driver API that are known by name only: CUDA_ERROR_NOT_SUPPORTED, said once on
 * stderr. CALL(what, name)
 */
#ifndef VGPU_DRIVER_ABSENT_CALLS_H
#define VGPU_DRIVER_ABSENT_CALLS_H

#define VGPU_DRIVER_ABSENT_CALLS(CALL) \
	CALL("waiting for words of memory is", cuGraphAddBatchMemOpNode) \
	CALL("semaphores of other APIs in graphs are", cuGraphAddExternalSemaphoresSignalNode) \
	CALL("semaphores of other APIs in graphs are", cuGraphAddExternalSemaphoresWaitNode) \
	CALL("waiting for words of memory is", cuGraphBatchMemOpNodeGetParams) \
	CALL("waiting for words of memory is", cuGraphBatchMemOpNodeSetParams) \
	CALL("conditional nodes are", cuGraphConditionalHandleCreate) \
	CALL("waiting for words of memory is", cuGraphExecBatchMemOpNodeSetParams) \
	CALL("semaphores of other APIs in graphs are", \
	     cuGraphExecExternalSemaphoresSignalNodeSetParams) \
	CALL("semaphores of other APIs in graphs are", \
	     cuGraphExecExternalSemaphoresWaitNodeSetParams) \
	CALL("semaphores of other APIs in graphs are", \
	     cuGraphExternalSemaphoresSignalNodeGetParams) \
	CALL("semaphores of other APIs in graphs are", \
	     cuGraphExternalSemaphoresSignalNodeSetParams) \
	CALL("semaphores of other APIs in graphs are", \
	     cuGraphExternalSemaphoresWaitNodeGetParams) \
	CALL("semaphores of other APIs in graphs are", \
	     cuGraphExternalSemaphoresWaitNodeSetParams) \
	CALL("sharing memory with a graphics API is", cuGraphicsMapResources) \
	CALL("sharing memory with a graphics API is", cuGraphicsMapResources_ptsz) \
	CALL("sharing memory with a graphics API is", cuGraphicsResourceGetMappedMipmappedArray) \
	CALL("sharing memory with a graphics API is", cuGraphicsResourceGetMappedPointer) \
	CALL("sharing memory with a graphics API is", cuGraphicsResourceGetMappedPointer_v2) \
	CALL("sharing memory with a graphics API is", cuGraphicsResourceSetMapFlags) \
	CALL("sharing memory with a graphics API is", cuGraphicsResourceSetMapFlags_v2) \
	CALL("sharing memory with a graphics API is", cuGraphicsSubResourceGetMappedArray) \
	CALL("sharing memory with a graphics API is", cuGraphicsUnmapResources) \
	CALL("sharing memory with a graphics API is", cuGraphicsUnmapResources_ptsz) \
	CALL("sharing memory with a graphics API is", cuGraphicsUnregisterResource) \
	CALL("sparse arrays and planes of arrays are", cuArrayGetMemoryRequirements) \
	CALL("sparse arrays and planes of arrays are", cuArrayGetPlane) \
	CALL("sparse arrays and planes of arrays are", cuArrayGetSparseProperties) \
	CALL("memory and semaphores of other APIs are", cuExternalMemoryGetMappedMipmappedArray) \
	CALL("sparse arrays and planes of arrays are", cuMemMapArrayAsync) \
	CALL("sparse arrays and planes of arrays are", cuMemMapArrayAsync_ptsz) \
	CALL("sparse arrays and planes of arrays are", cuMipmappedArrayGetMemoryRequirements) \
	CALL("sparse arrays and planes of arrays are", cuMipmappedArrayGetSparseProperties) \
	CALL("memory and semaphores of other APIs are", cuDestroyExternalMemory) \
	CALL("memory and semaphores of other APIs are", cuDestroyExternalSemaphore) \
	CALL("memory and semaphores of other APIs are", cuDeviceGetNvSciSyncAttributes) \
	CALL("memory and semaphores of other APIs are", cuExternalMemoryGetMappedBuffer) \
	CALL("memory and semaphores of other APIs are", cuImportExternalMemory) \
	CALL("memory and semaphores of other APIs are", cuImportExternalSemaphore) \
	CALL("memory and semaphores of other APIs are", cuSignalExternalSemaphoresAsync) \
	CALL("memory and semaphores of other APIs are", cuSignalExternalSemaphoresAsync_ptsz) \
	CALL("memory and semaphores of other APIs are", cuWaitExternalSemaphoresAsync) \
	CALL("memory and semaphores of other APIs are", cuWaitExternalSemaphoresAsync_ptsz) \
	CALL("pools of a location are", cuMemGetDefaultMemPool) \
	CALL("pools of a location are", cuMemGetMemPool) \
	CALL("pools of a location are", cuMemSetMemPool) \
	CALL("multicast objects are", cuMulticastAddDevice) \
	CALL("multicast objects are", cuMulticastBindAddr) \
	CALL("multicast objects are", cuMulticastBindMem) \
	CALL("multicast objects are", cuMulticastCreate) \
	CALL("multicast objects are", cuMulticastGetGranularity) \
	CALL("multicast objects are", cuMulticastUnbind) \
	CALL("green contexts are", cuCtxFromGreenCtx) \
	CALL("green contexts are", cuCtxGetDevResource) \
	CALL("green contexts are", cuDevResourceGenerateDesc) \
	CALL("green contexts are", cuDevSmResourceSplitByCount) \
	CALL("green contexts are", cuDeviceGetDevResource) \
	CALL("green contexts are", cuGreenCtxCreate) \
	CALL("green contexts are", cuGreenCtxDestroy) \
	CALL("green contexts are", cuGreenCtxGetDevResource) \
	CALL("green contexts are", cuGreenCtxGetId) \
	CALL("green contexts are", cuGreenCtxRecordEvent) \
	CALL("green contexts are", cuGreenCtxStreamCreate) \
	CALL("green contexts are", cuGreenCtxWaitEvent) \
	CALL("green contexts are", cuStreamGetGreenCtx) \
	CALL("clusters of blocks are", cuOccupancyMaxActiveClusters) \
	CALL("clusters of blocks are", cuOccupancyMaxPotentialClusterSize) \
	CALL("a barrier over the grids of several devices is", \
	     cuLaunchCooperativeKernelMultiDevice) \
	CALL("copies and advice in batches are", cuMemBatchDecompressAsync) \
	CALL("copies and advice in batches are", cuMemBatchDecompressAsync_ptsz) \
	CALL("copies and advice in batches are", cuMemDiscardAndPrefetchBatchAsync) \
	CALL("copies and advice in batches are", cuMemDiscardAndPrefetchBatchAsync_ptsz) \
	CALL("copies and advice in batches are", cuMemDiscardBatchAsync) \
	CALL("copies and advice in batches are", cuMemDiscardBatchAsync_ptsz) \
	CALL("copies and advice in batches are", cuMemPrefetchBatchAsync) \
	CALL("copies and advice in batches are", cuMemPrefetchBatchAsync_ptsz) \
	CALL("copies and advice in batches are", cuMemcpy3DBatchAsync) \
	CALL("copies and advice in batches are", cuMemcpy3DBatchAsync_ptsz) \
	CALL("copies and advice in batches are", cuMemcpy3DBatchAsync_v2) \
	CALL("copies and advice in batches are", cuMemcpy3DBatchAsync_v2_ptsz) \
	CALL("copies and advice in batches are", cuMemcpyBatchAsync) \
	CALL("copies and advice in batches are", cuMemcpyBatchAsync_ptsz) \
	CALL("copies and advice in batches are", cuMemcpyBatchAsync_v2) \
	CALL("copies and advice in batches are", cuMemcpyBatchAsync_v2_ptsz) \
	CALL("copies and advice in batches are", cuStreamBatchMemOp) \
	CALL("copies and advice in batches are", cuStreamBatchMemOp_ptsz) \
	CALL("copies and advice in batches are", cuStreamBatchMemOp_v2) \
	CALL("copies and advice in batches are", cuStreamBatchMemOp_v2_ptsz) \
	CALL("waiting for words of memory is", cuStreamWaitValue32) \
	CALL("waiting for words of memory is", cuStreamWaitValue32_ptsz) \
	CALL("waiting for words of memory is", cuStreamWaitValue32_v2) \
	CALL("waiting for words of memory is", cuStreamWaitValue32_v2_ptsz) \
	CALL("waiting for words of memory is", cuStreamWaitValue64) \
	CALL("waiting for words of memory is", cuStreamWaitValue64_ptsz) \
	CALL("waiting for words of memory is", cuStreamWaitValue64_v2) \
	CALL("waiting for words of memory is", cuStreamWaitValue64_v2_ptsz) \
	CALL("waiting for words of memory is", cuStreamWriteValue32) \
	CALL("waiting for words of memory is", cuStreamWriteValue32_ptsz) \
	CALL("waiting for words of memory is", cuStreamWriteValue32_v2) \
	CALL("waiting for words of memory is", cuStreamWriteValue32_v2_ptsz) \
	CALL("waiting for words of memory is", cuStreamWriteValue64) \
	CALL("waiting for words of memory is", cuStreamWriteValue64_ptsz) \
	CALL("waiting for words of memory is", cuStreamWriteValue64_v2) \
	CALL("waiting for words of memory is", cuStreamWriteValue64_v2_ptsz) \
	CALL("tensor maps are", cuTensorMapEncodeIm2col) \
	CALL("tensor maps are", cuTensorMapEncodeIm2colWide) \
	CALL("tensor maps are", cuTensorMapEncodeTiled) \
	CALL("tensor maps are", cuTensorMapReplaceAddress) \
	CALL("checkpoints of processes are", cuCheckpointProcessCheckpoint) \
	CALL("checkpoints of processes are", cuCheckpointProcessGetRestoreThreadId) \
	CALL("checkpoints of processes are", cuCheckpointProcessGetState) \
	CALL("checkpoints of processes are", cuCheckpointProcessLock) \
	CALL("checkpoints of processes are", cuCheckpointProcessRestore) \
	CALL("checkpoints of processes are", cuCheckpointProcessUnlock) \
	CALL("core dumps are", cuCoredumpGetAttribute) \
	CALL("core dumps are", cuCoredumpGetAttributeGlobal) \
	CALL("core dumps are", cuCoredumpSetAttribute) \
	CALL("core dumps are", cuCoredumpSetAttributeGlobal) \
	CALL("notifications are", cuDeviceRegisterAsyncNotification) \
	CALL("notifications are", cuDeviceUnregisterAsyncNotification) \
	CALL("advice about memory is", cuMemRangeGetAttributes) \
	CALL("green contexts are", cuCtxGetDevice_v2) \
	CALL("shares of SMs of a context are", cuCtxGetExecAffinity) \
	CALL("events of a whole context are", cuCtxRecordEvent) \
	CALL("green contexts are", cuCtxSynchronize_v2) \
	CALL("events of a whole context are", cuCtxWaitEvent) \
	CALL("shares of SMs of a context are", cuDeviceGetExecAffinitySupport) \
	CALL("lists of atomics of links are", cuDeviceGetHostAtomicCapabilities) \
	CALL("lists of atomics of links are", cuDeviceGetP2PAtomicCapabilities) \
	CALL("memory shared with other drivers is", cuMemGetHandleForAddressRange) \
	CALL("3D copies between devices are", cuMemcpy3DPeer) \
	CALL("3D copies between devices are", cuMemcpy3DPeerAsync) \
	CALL("3D copies between devices are", cuMemcpy3DPeerAsync_ptsz) \
	CALL("3D copies between devices are", cuMemcpy3DPeer_ptds) \
	CALL("green contexts are", cuStreamGetCtx_v2) \
	CALL("green contexts are", cuStreamGetCtx_v2_ptsz) \
	CALL("this call is", cuFlushGPUDirectRDMAWrites) \
	CALL("this call is", cuLibraryGetUnifiedFunction) \
	CALL("this call is", cuProfilerInitialize)

#endif
