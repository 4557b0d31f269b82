/* SPDX-License-Identifier: MIT */
/*
 * Names of the CUDA runtime that programs of nvcc may link to and that no header here declares. A
 * program that has them loads and runs; the call is cudaErrorNotSupported, said once on stderr.
 * CALL(what, name)
 */
#ifndef VGPU_CUDA_ABSENT_CALLS_H
#define VGPU_CUDA_ABSENT_CALLS_H

#define VGPU_CUDA_ABSENT_CALLS(CALL) \
	CALL("this call is", cudaLibraryGetUnifiedFunction) \
	CALL("semaphores of other APIs in graphs are", \
	     cudaGraphAddExternalSemaphoresSignalNode) \
	CALL("semaphores of other APIs in graphs are", \
	     cudaGraphAddExternalSemaphoresWaitNode) \
	CALL("conditional nodes are", cudaGraphConditionalHandleCreate) \
	CALL("semaphores of other APIs in graphs are", \
	     cudaGraphExecExternalSemaphoresSignalNodeSetParams) \
	CALL("semaphores of other APIs in graphs are", \
	     cudaGraphExecExternalSemaphoresWaitNodeSetParams) \
	CALL("semaphores of other APIs in graphs are", \
	     cudaGraphExternalSemaphoresSignalNodeGetParams) \
	CALL("semaphores of other APIs in graphs are", \
	     cudaGraphExternalSemaphoresSignalNodeSetParams) \
	CALL("semaphores of other APIs in graphs are", \
	     cudaGraphExternalSemaphoresWaitNodeGetParams) \
	CALL("semaphores of other APIs in graphs are", \
	     cudaGraphExternalSemaphoresWaitNodeSetParams) \
	CALL("sharing memory with a graphics API is", cudaGraphicsEGLRegisterImage) \
	CALL("sharing memory with a graphics API is", cudaGraphicsGLRegisterBuffer) \
	CALL("sharing memory with a graphics API is", cudaGraphicsGLRegisterImage) \
	CALL("sharing memory with a graphics API is", cudaGraphicsResourceGetMappedEglFrame) \
	CALL("sharing memory with a graphics API is", cudaGraphicsResourceGetMappedMipmappedArray) \
	CALL("sharing memory with a graphics API is", cudaGraphicsVDPAURegisterOutputSurface) \
	CALL("sharing memory with a graphics API is", cudaGraphicsVDPAURegisterVideoSurface) \
	CALL("sparse arrays and planes of arrays are", cudaArrayGetMemoryRequirements) \
	CALL("sparse arrays and planes of arrays are", cudaArrayGetPlane) \
	CALL("sparse arrays and planes of arrays are", cudaArrayGetSparseProperties) \
	CALL("memory and semaphores of other APIs are", cudaExternalMemoryGetMappedMipmappedArray) \
	CALL("sparse arrays and planes of arrays are", cudaMipmappedArrayGetMemoryRequirements) \
	CALL("sparse arrays and planes of arrays are", cudaMipmappedArrayGetSparseProperties) \
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
