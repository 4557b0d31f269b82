/* SPDX-License-Identifier: MIT */
/*
 * The functions of the driver API that there are, once for their declarations, for
 * cuGetProcAddress(), and for the names of code whose default stream is the calling thread's:
 * CALL(name, symbol, version since which the name means that symbol, parameters), and
 * STREAM(name, symbol, since, suffix of the other symbol, parameters, arguments).
 */
#ifndef VGPU_CUDA_DRIVER_CALLS_H
#define VGPU_CUDA_DRIVER_CALLS_H

#include "driver_graph_calls.h"

#define VGPU_DRIVER_CALLS(CALL, STREAM) \
	CALL(cuInit, cuInit, 2000, (unsigned int flags)) \
	CALL(cuDriverGetVersion, cuDriverGetVersion, 2020, (int *version)) \
	CALL(cuGetErrorName, cuGetErrorName, 6000, (CUresult error, const char **name)) \
	CALL(cuGetErrorString, cuGetErrorString, 6000, (CUresult error, const char **text)) \
	CALL(cuGetProcAddress, cuGetProcAddress, 11030, (const char *name, void **function, \
	     int version, unsigned long long flags)) \
	CALL(cuGetProcAddress, cuGetProcAddress_v2, 12000, (const char *name, \
	     void **function, int version, unsigned long long flags, \
	     CUdriverProcAddressQueryResult *status)) \
	CALL(cuGetExportTable, cuGetExportTable, 3000, (const void **table, \
	     const CUuuid *id)) \
	CALL(cuLogsRegisterCallback, cuLogsRegisterCallback, 12090, (CUlogsCallback call, \
	     void *data, CUlogsCallbackHandle *handle)) \
	CALL(cuLogsUnregisterCallback, cuLogsUnregisterCallback, 12090, \
	     (CUlogsCallbackHandle handle)) \
	CALL(cuLogsCurrent, cuLogsCurrent, 12090, (CUlogIterator *iterator, \
	     unsigned int flags)) \
	CALL(cuLogsDumpToFile, cuLogsDumpToFile, 12090, (CUlogIterator *iterator, \
	     const char *path, unsigned int flags)) \
	CALL(cuLogsDumpToMemory, cuLogsDumpToMemory, 12090, (CUlogIterator *iterator, \
	     char *buffer, size_t *size, unsigned int flags)) \
	CALL(cuModuleGetLoadingMode, cuModuleGetLoadingMode, 11070, \
	     (CUmoduleLoadingMode *mode)) \
	CALL(cuDeviceGet, cuDeviceGet, 2000, (CUdevice *device, int ordinal)) \
	CALL(cuDeviceGetCount, cuDeviceGetCount, 2000, (int *count)) \
	CALL(cuDeviceGetName, cuDeviceGetName, 2000, (char *name, int bytes, \
	     CUdevice device)) \
	CALL(cuDeviceGetUuid, cuDeviceGetUuid, 9020, (CUuuid *uuid, CUdevice device)) \
	CALL(cuDeviceGetUuid, cuDeviceGetUuid_v2, 11040, (CUuuid *uuid, CUdevice device)) \
	CALL(cuDeviceGetLuid, cuDeviceGetLuid, 10000, (char *luid, unsigned int *mask, \
	     CUdevice device)) \
	CALL(cuDeviceTotalMem, cuDeviceTotalMem_v2, 3020, (size_t *bytes, CUdevice device)) \
	CALL(cuDeviceGetAttribute, cuDeviceGetAttribute, 2000, (int *value, \
	     CUdevice_attribute attribute, CUdevice device)) \
	CALL(cuDeviceGetProperties, cuDeviceGetProperties, 2000, (CUdevprop *properties, \
	     CUdevice device)) \
	CALL(cuDeviceComputeCapability, cuDeviceComputeCapability, 2000, (int *major, \
	     int *minor, CUdevice device)) \
	CALL(cuDeviceGetPCIBusId, cuDeviceGetPCIBusId, 4010, (char *id, int bytes, \
	     CUdevice device)) \
	CALL(cuDeviceGetByPCIBusId, cuDeviceGetByPCIBusId, 4010, (CUdevice *device, \
	     const char *id)) \
	CALL(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, 4000, (int *can, CUdevice device, \
	     CUdevice peer)) \
	CALL(cuDeviceGetP2PAttribute, cuDeviceGetP2PAttribute, 8000, (int *value, \
	     int attribute, CUdevice device, CUdevice peer)) \
	CALL(cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, 4000, (CUcontext peer, \
	     unsigned int flags)) \
	CALL(cuCtxDisablePeerAccess, cuCtxDisablePeerAccess, 4000, (CUcontext peer)) \
	CALL(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 7000, (CUcontext *context, \
	     CUdevice device)) \
	CALL(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease, 7000, (CUdevice device)) \
	CALL(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, 11000, \
	     (CUdevice device)) \
	CALL(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags, 7000, (CUdevice device, \
	     unsigned int flags)) \
	CALL(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2, 11000, \
	     (CUdevice device, unsigned int flags)) \
	CALL(cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, 7000, (CUdevice device, \
	     unsigned int *flags, int *active)) \
	CALL(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset, 7000, (CUdevice device)) \
	CALL(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, 11000, (CUdevice device)) \
	CALL(cuCtxCreate, cuCtxCreate_v2, 3020, (CUcontext *context, unsigned int flags, \
	     CUdevice device)) \
	CALL(cuCtxCreate, cuCtxCreate_v3, 11040, (CUcontext *context, void *affinity, \
	     int count, unsigned int flags, CUdevice device)) \
	CALL(cuCtxCreate, cuCtxCreate_v4, 12050, (CUcontext *context, \
	     CUctxCreateParams *params, unsigned int flags, CUdevice device)) \
	CALL(cuCtxDestroy, cuCtxDestroy_v2, 4000, (CUcontext context)) \
	CALL(cuCtxAttach, cuCtxAttach, 2000, (CUcontext *context, unsigned int flags)) \
	CALL(cuCtxDetach, cuCtxDetach, 2000, (CUcontext context)) \
	CALL(cuCtxPushCurrent, cuCtxPushCurrent_v2, 4000, (CUcontext context)) \
	CALL(cuCtxPopCurrent, cuCtxPopCurrent_v2, 4000, (CUcontext *context)) \
	CALL(cuCtxSetCurrent, cuCtxSetCurrent, 4000, (CUcontext context)) \
	CALL(cuCtxGetCurrent, cuCtxGetCurrent, 4000, (CUcontext *context)) \
	CALL(cuCtxGetDevice, cuCtxGetDevice, 2000, (CUdevice *device)) \
	CALL(cuCtxGetId, cuCtxGetId, 12000, (CUcontext context, unsigned long long *id)) \
	CALL(cuCtxGetFlags, cuCtxGetFlags, 7000, (unsigned int *flags)) \
	CALL(cuCtxSetFlags, cuCtxSetFlags, 12010, (unsigned int flags)) \
	CALL(cuCtxGetApiVersion, cuCtxGetApiVersion, 3020, (CUcontext context, \
	     unsigned int *version)) \
	CALL(cuCtxSynchronize, cuCtxSynchronize, 2000, (void)) \
	CALL(cuCtxGetLimit, cuCtxGetLimit, 3010, (size_t *value, CUlimit limit)) \
	CALL(cuCtxSetLimit, cuCtxSetLimit, 3010, (CUlimit limit, size_t value)) \
	CALL(cuCtxGetCacheConfig, cuCtxGetCacheConfig, 3020, (CUfunc_cache *config)) \
	CALL(cuCtxSetCacheConfig, cuCtxSetCacheConfig, 3020, (CUfunc_cache config)) \
	CALL(cuCtxGetSharedMemConfig, cuCtxGetSharedMemConfig, 4020, \
	     (CUsharedconfig *config)) \
	CALL(cuCtxSetSharedMemConfig, cuCtxSetSharedMemConfig, 4020, \
	     (CUsharedconfig config)) \
	CALL(cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, 5050, (int *least, \
	     int *greatest)) \
	CALL(cuCtxResetPersistingL2Cache, cuCtxResetPersistingL2Cache, 11000, (void)) \
	CALL(cuModuleLoad, cuModuleLoad, 2000, (CUmodule *module, const char *path)) \
	CALL(cuModuleLoadData, cuModuleLoadData, 2000, (CUmodule *module, \
	     const void *image)) \
	CALL(cuModuleLoadDataEx, cuModuleLoadDataEx, 2010, (CUmodule *module, \
	     const void *image, unsigned int count, CUjit_option *options, void **values)) \
	CALL(cuModuleLoadFatBinary, cuModuleLoadFatBinary, 2000, (CUmodule *module, \
	     const void *fatbin)) \
	CALL(cuModuleUnload, cuModuleUnload, 2000, (CUmodule module)) \
	CALL(cuModuleGetFunction, cuModuleGetFunction, 2000, (CUfunction *function, \
	     CUmodule module, const char *name)) \
	CALL(cuModuleGetFunctionCount, cuModuleGetFunctionCount, 12040, \
	     (unsigned int *count, CUmodule module)) \
	CALL(cuModuleEnumerateFunctions, cuModuleEnumerateFunctions, 12040, \
	     (CUfunction *functions, unsigned int count, CUmodule module)) \
	CALL(cuModuleGetGlobal, cuModuleGetGlobal_v2, 3020, (CUdeviceptr *pointer, \
	     size_t *bytes, CUmodule module, const char *name)) \
	CALL(cuLibraryLoadData, cuLibraryLoadData, 12000, (CUlibrary *library, \
	     const void *code, CUjit_option *jit, void **jit_values, unsigned int jit_count, \
	     CUlibraryOption *options, void **values, unsigned int count)) \
	CALL(cuLibraryLoadFromFile, cuLibraryLoadFromFile, 12000, (CUlibrary *library, \
	     const char *path, CUjit_option *jit, void **jit_values, unsigned int jit_count, \
	     CUlibraryOption *options, void **values, unsigned int count)) \
	CALL(cuLibraryUnload, cuLibraryUnload, 12000, (CUlibrary library)) \
	CALL(cuLibraryGetKernel, cuLibraryGetKernel, 12000, (CUkernel *kernel, \
	     CUlibrary library, const char *name)) \
	CALL(cuLibraryGetKernelCount, cuLibraryGetKernelCount, 12040, (unsigned int *count, \
	     CUlibrary library)) \
	CALL(cuLibraryEnumerateKernels, cuLibraryEnumerateKernels, 12040, \
	     (CUkernel *kernels, unsigned int count, CUlibrary library)) \
	CALL(cuLibraryGetModule, cuLibraryGetModule, 12000, (CUmodule *module, \
	     CUlibrary library)) \
	CALL(cuLibraryGetGlobal, cuLibraryGetGlobal, 12000, (CUdeviceptr *pointer, \
	     size_t *bytes, CUlibrary library, const char *name)) \
	CALL(cuLibraryGetManaged, cuLibraryGetManaged, 12000, (CUdeviceptr *pointer, \
	     size_t *bytes, CUlibrary library, const char *name)) \
	CALL(cuKernelGetFunction, cuKernelGetFunction, 12000, (CUfunction *function, \
	     CUkernel kernel)) \
	CALL(cuKernelGetLibrary, cuKernelGetLibrary, 12050, (CUlibrary *library, \
	     CUkernel kernel)) \
	CALL(cuKernelGetName, cuKernelGetName, 12030, (const char **name, CUkernel kernel)) \
	CALL(cuKernelGetAttribute, cuKernelGetAttribute, 12000, (int *value, \
	     CUfunction_attribute attribute, CUkernel kernel, CUdevice device)) \
	CALL(cuKernelSetAttribute, cuKernelSetAttribute, 12000, \
	     (CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device)) \
	CALL(cuKernelSetCacheConfig, cuKernelSetCacheConfig, 12000, (CUkernel kernel, \
	     CUfunc_cache config, CUdevice device)) \
	CALL(cuKernelGetParamInfo, cuKernelGetParamInfo, 12040, (CUkernel kernel, \
	     size_t index, size_t *offset, size_t *bytes)) \
	CALL(cuFuncGetAttribute, cuFuncGetAttribute, 2020, (int *value, \
	     CUfunction_attribute attribute, CUfunction function)) \
	CALL(cuFuncSetAttribute, cuFuncSetAttribute, 9000, (CUfunction function, \
	     CUfunction_attribute attribute, int value)) \
	CALL(cuFuncSetCacheConfig, cuFuncSetCacheConfig, 3000, (CUfunction function, \
	     CUfunc_cache config)) \
	CALL(cuFuncSetSharedMemConfig, cuFuncSetSharedMemConfig, 4020, (CUfunction function, \
	     CUsharedconfig config)) \
	CALL(cuFuncGetModule, cuFuncGetModule, 11000, (CUmodule *module, \
	     CUfunction function)) \
	CALL(cuFuncGetName, cuFuncGetName, 12030, (const char **name, CUfunction function)) \
	CALL(cuFuncGetParamInfo, cuFuncGetParamInfo, 12040, (CUfunction function, \
	     size_t index, size_t *offset, size_t *bytes)) \
	CALL(cuFuncIsLoaded, cuFuncIsLoaded, 12040, (int *state, CUfunction function)) \
	CALL(cuFuncLoad, cuFuncLoad, 12040, (CUfunction function)) \
	CALL(cuLinkCreate, cuLinkCreate_v2, 6050, (unsigned int count, \
	     CUjit_option *options, void **values, CUlinkState *state)) \
	CALL(cuLinkAddData, cuLinkAddData_v2, 6050, (CUlinkState state, CUjitInputType type, \
	     void *data, size_t bytes, const char *name, unsigned int count, \
	     CUjit_option *options, void **values)) \
	CALL(cuLinkAddFile, cuLinkAddFile_v2, 6050, (CUlinkState state, CUjitInputType type, \
	     const char *path, unsigned int count, CUjit_option *options, void **values)) \
	CALL(cuLinkComplete, cuLinkComplete, 5050, (CUlinkState state, void **cubin, \
	     size_t *bytes)) \
	CALL(cuLinkDestroy, cuLinkDestroy, 5050, (CUlinkState state)) \
	STREAM(cuLaunchKernel, cuLaunchKernel, 4000, _ptsz, (CUfunction function, \
	     unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, \
	     unsigned int block_x, unsigned int block_y, unsigned int block_z, \
	     unsigned int shared, CUstream stream, void **params, void **extra), \
	     (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, \
	     params, extra)) \
	CALL(cuFuncSetBlockShape, cuFuncSetBlockShape, 2000, (CUfunction function, int x, int y, \
	     int z)) \
	CALL(cuFuncSetSharedSize, cuFuncSetSharedSize, 2000, (CUfunction function, \
	     unsigned int bytes)) \
	CALL(cuParamSetSize, cuParamSetSize, 2000, (CUfunction function, unsigned int bytes)) \
	CALL(cuParamSetv, cuParamSetv, 2000, (CUfunction function, int offset, void *value, \
	     unsigned int bytes)) \
	CALL(cuParamSeti, cuParamSeti, 2000, (CUfunction function, int offset, \
	     unsigned int value)) \
	CALL(cuParamSetf, cuParamSetf, 2000, (CUfunction function, int offset, float value)) \
	CALL(cuLaunch, cuLaunch, 2000, (CUfunction function)) \
	CALL(cuLaunchGrid, cuLaunchGrid, 2000, (CUfunction function, int width, int height)) \
	CALL(cuLaunchGridAsync, cuLaunchGridAsync, 2000, (CUfunction function, int width, \
	     int height, CUstream stream)) \
	STREAM(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel, 9000, _ptsz, \
	     (CUfunction function, unsigned int grid_x, unsigned int grid_y, \
	     unsigned int grid_z, unsigned int block_x, unsigned int block_y, \
	     unsigned int block_z, unsigned int shared, CUstream stream, void **params), \
	     (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, \
	     params)) \
	STREAM(cuLaunchKernelEx, cuLaunchKernelEx, 11060, _ptsz, \
	     (const CUlaunchConfig *config, CUfunction function, void **params, \
	     void **extra), \
	     (config, function, params, extra)) \
	STREAM(cuLaunchHostFunc, cuLaunchHostFunc, 10000, _ptsz, (CUstream stream, \
	     CUhostFn function, void *data), \
	     (stream, function, data)) \
	CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, \
	     cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050, (int *blocks, \
	     CUfunction function, int block, size_t shared)) \
	CALL(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, \
	     cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 7000, (int *blocks, \
	     CUfunction function, int block, size_t shared, unsigned int flags)) \
	CALL(cuOccupancyMaxPotentialBlockSize, cuOccupancyMaxPotentialBlockSize, 6050, \
	     (int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of, \
	     size_t shared, int limit)) \
	CALL(cuOccupancyMaxPotentialBlockSizeWithFlags, \
	     cuOccupancyMaxPotentialBlockSizeWithFlags, 7000, (int *grid, int *block, \
	     CUfunction function, CUoccupancyB2DSize shared_of, size_t shared, int limit, \
	     unsigned int flags)) \
	CALL(cuOccupancyAvailableDynamicSMemPerBlock, \
	     cuOccupancyAvailableDynamicSMemPerBlock, 10020, (size_t *shared, \
	     CUfunction function, int blocks, int block)) \
	CALL(cuMemGetInfo, cuMemGetInfo_v2, 3020, (size_t *free_bytes, size_t *total)) \
	CALL(cuMemAlloc, cuMemAlloc_v2, 3020, (CUdeviceptr *pointer, size_t bytes)) \
	CALL(cuMemAllocPitch, cuMemAllocPitch_v2, 3020, (CUdeviceptr *pointer, \
	     size_t *pitch, size_t width, size_t height, unsigned int element)) \
	CALL(cuMemAllocManaged, cuMemAllocManaged, 6000, (CUdeviceptr *pointer, \
	     size_t bytes, unsigned int flags)) \
	CALL(cuMemFree, cuMemFree_v2, 3020, (CUdeviceptr pointer)) \
	CALL(cuMemGetAddressRange, cuMemGetAddressRange_v2, 3020, (CUdeviceptr *base, \
	     size_t *bytes, CUdeviceptr pointer)) \
	CALL(cuIpcGetMemHandle, cuIpcGetMemHandle, 4010, (CUipcMemHandle *handle, \
	     CUdeviceptr pointer)) \
	CALL(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2, 11000, (CUdeviceptr *pointer, \
	     CUipcMemHandle handle, unsigned int flags)) \
	CALL(cuIpcOpenMemHandle, cuIpcOpenMemHandle, 4010, (CUdeviceptr *pointer, \
	     CUipcMemHandle handle, unsigned int flags)) \
	CALL(cuIpcCloseMemHandle, cuIpcCloseMemHandle, 4010, (CUdeviceptr pointer)) \
	CALL(cuMemAllocHost, cuMemAllocHost_v2, 3020, (void **pointer, size_t bytes)) \
	CALL(cuMemHostAlloc, cuMemHostAlloc, 2020, (void **pointer, size_t bytes, \
	     unsigned int flags)) \
	CALL(cuMemFreeHost, cuMemFreeHost, 2000, (void *pointer)) \
	CALL(cuMemHostRegister, cuMemHostRegister_v2, 6050, (void *pointer, size_t bytes, \
	     unsigned int flags)) \
	CALL(cuMemHostUnregister, cuMemHostUnregister, 4000, (void *pointer)) \
	CALL(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, 3020, \
	     (CUdeviceptr *device, void *pointer, unsigned int flags)) \
	CALL(cuMemHostGetFlags, cuMemHostGetFlags, 3020, (unsigned int *flags, \
	     void *pointer)) \
	CALL(cuPointerGetAttribute, cuPointerGetAttribute, 4000, (void *data, \
	     CUpointer_attribute attribute, CUdeviceptr pointer)) \
	CALL(cuPointerGetAttributes, cuPointerGetAttributes, 7000, (unsigned int count, \
	     CUpointer_attribute *attributes, void **data, CUdeviceptr pointer)) \
	CALL(cuPointerSetAttribute, cuPointerSetAttribute, 6000, (const void *value, \
	     CUpointer_attribute attribute, CUdeviceptr pointer)) \
	STREAM(cuMemcpy, cuMemcpy, 4000, _ptds, (CUdeviceptr dst, CUdeviceptr src, \
	     size_t bytes), \
	     (dst, src, bytes)) \
	STREAM(cuMemcpyAsync, cuMemcpyAsync, 4000, _ptsz, (CUdeviceptr dst, CUdeviceptr src, \
	     size_t bytes, CUstream stream), \
	     (dst, src, bytes, stream)) \
	STREAM(cuMemcpyHtoD, cuMemcpyHtoD_v2, 3020, _ptds, (CUdeviceptr dst, \
	     const void *src, size_t bytes), \
	     (dst, src, bytes)) \
	STREAM(cuMemcpyDtoH, cuMemcpyDtoH_v2, 3020, _ptds, (void *dst, CUdeviceptr src, \
	     size_t bytes), \
	     (dst, src, bytes)) \
	STREAM(cuMemcpyDtoD, cuMemcpyDtoD_v2, 3020, _ptds, (CUdeviceptr dst, \
	     CUdeviceptr src, size_t bytes), \
	     (dst, src, bytes)) \
	STREAM(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, 3020, _ptsz, (CUdeviceptr dst, \
	     const void *src, size_t bytes, CUstream stream), \
	     (dst, src, bytes, stream)) \
	STREAM(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, 3020, _ptsz, (void *dst, \
	     CUdeviceptr src, size_t bytes, CUstream stream), \
	     (dst, src, bytes, stream)) \
	STREAM(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, 3020, _ptsz, (CUdeviceptr dst, \
	     CUdeviceptr src, size_t bytes, CUstream stream), \
	     (dst, src, bytes, stream)) \
	STREAM(cuMemcpyPeer, cuMemcpyPeer, 4000, _ptds, (CUdeviceptr dst, \
	     CUcontext dst_context, CUdeviceptr src, CUcontext src_context, size_t bytes), \
	     (dst, dst_context, src, src_context, bytes)) \
	STREAM(cuMemcpyPeerAsync, cuMemcpyPeerAsync, 4000, _ptsz, (CUdeviceptr dst, \
	     CUcontext dst_context, CUdeviceptr src, CUcontext src_context, size_t bytes, \
	     CUstream stream), \
	     (dst, dst_context, src, src_context, bytes, stream)) \
	STREAM(cuMemcpy2D, cuMemcpy2D_v2, 3020, _ptds, (const CUDA_MEMCPY2D *copy), \
	     (copy)) \
	STREAM(cuMemcpy2DUnaligned, cuMemcpy2DUnaligned_v2, 3020, _ptds, \
	     (const CUDA_MEMCPY2D *copy), \
	     (copy)) \
	STREAM(cuMemcpy2DAsync, cuMemcpy2DAsync_v2, 3020, _ptsz, (const CUDA_MEMCPY2D *copy, \
	     CUstream stream), \
	     (copy, stream)) \
	STREAM(cuMemcpy3D, cuMemcpy3D_v2, 3020, _ptds, (const CUDA_MEMCPY3D *copy), \
	     (copy)) \
	STREAM(cuMemcpy3DAsync, cuMemcpy3DAsync_v2, 3020, _ptsz, (const CUDA_MEMCPY3D *copy, \
	     CUstream stream), \
	     (copy, stream)) \
	CALL(cuArrayCreate, cuArrayCreate_v2, 3020, (CUarray *array, \
	     const CUDA_ARRAY_DESCRIPTOR *desc)) \
	CALL(cuArrayGetDescriptor, cuArrayGetDescriptor_v2, 3020, \
	     (CUDA_ARRAY_DESCRIPTOR *desc, CUarray array)) \
	CALL(cuArray3DCreate, cuArray3DCreate_v2, 3020, (CUarray *array, \
	     const CUDA_ARRAY3D_DESCRIPTOR *desc)) \
	CALL(cuArray3DGetDescriptor, cuArray3DGetDescriptor_v2, 3020, \
	     (CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray array)) \
	CALL(cuArrayDestroy, cuArrayDestroy, 2000, (CUarray array)) \
	CALL(cuMipmappedArrayCreate, cuMipmappedArrayCreate, 5000, (CUmipmappedArray *array, \
	     const CUDA_ARRAY3D_DESCRIPTOR *desc, unsigned int levels)) \
	CALL(cuMipmappedArrayGetLevel, cuMipmappedArrayGetLevel, 5000, (CUarray *array, \
	     CUmipmappedArray mipmap, unsigned int level)) \
	CALL(cuMipmappedArrayDestroy, cuMipmappedArrayDestroy, 5000, (CUmipmappedArray array)) \
	STREAM(cuMemcpyHtoA, cuMemcpyHtoA_v2, 3020, _ptds, (CUarray dst, size_t offset, \
	     const void *src, size_t bytes), (dst, offset, src, bytes)) \
	STREAM(cuMemcpyAtoH, cuMemcpyAtoH_v2, 3020, _ptds, (void *dst, CUarray src, \
	     size_t offset, size_t bytes), (dst, src, offset, bytes)) \
	STREAM(cuMemcpyDtoA, cuMemcpyDtoA_v2, 3020, _ptds, (CUarray dst, size_t offset, \
	     CUdeviceptr src, size_t bytes), (dst, offset, src, bytes)) \
	STREAM(cuMemcpyAtoD, cuMemcpyAtoD_v2, 3020, _ptds, (CUdeviceptr dst, CUarray src, \
	     size_t offset, size_t bytes), (dst, src, offset, bytes)) \
	STREAM(cuMemcpyHtoAAsync, cuMemcpyHtoAAsync_v2, 3020, _ptsz, (CUarray dst, \
	     size_t offset, const void *src, size_t bytes, CUstream stream), \
	     (dst, offset, src, bytes, stream)) \
	STREAM(cuMemcpyAtoHAsync, cuMemcpyAtoHAsync_v2, 3020, _ptsz, (void *dst, CUarray src, \
	     size_t offset, size_t bytes, CUstream stream), \
	     (dst, src, offset, bytes, stream)) \
	STREAM(cuMemcpyAtoA, cuMemcpyAtoA_v2, 3020, _ptds, (CUarray dst, size_t dst_offset, \
	     CUarray src, size_t src_offset, size_t bytes), \
	     (dst, dst_offset, src, src_offset, bytes)) \
	CALL(cuTexObjectCreate, cuTexObjectCreate, 5000, (CUtexObject *object, \
	     const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture, \
	     const CUDA_RESOURCE_VIEW_DESC *view)) \
	CALL(cuTexObjectDestroy, cuTexObjectDestroy, 5000, (CUtexObject object)) \
	CALL(cuTexObjectGetResourceDesc, cuTexObjectGetResourceDesc, 5000, \
	     (CUDA_RESOURCE_DESC *desc, CUtexObject object)) \
	CALL(cuTexObjectGetTextureDesc, cuTexObjectGetTextureDesc, 5000, \
	     (CUDA_TEXTURE_DESC *desc, CUtexObject object)) \
	CALL(cuTexObjectGetResourceViewDesc, cuTexObjectGetResourceViewDesc, 5000, \
	     (CUDA_RESOURCE_VIEW_DESC *desc, CUtexObject object)) \
	CALL(cuDeviceGetTexture1DLinearMaxWidth, cuDeviceGetTexture1DLinearMaxWidth, 11010, \
	     (size_t *width, CUarray_format format, unsigned int channels, \
	     CUdevice device)) \
	CALL(cuSurfObjectCreate, cuSurfObjectCreate, 5000, (CUsurfObject *object, \
	     const CUDA_RESOURCE_DESC *resource)) \
	CALL(cuSurfObjectDestroy, cuSurfObjectDestroy, 5000, (CUsurfObject object)) \
	CALL(cuSurfObjectGetResourceDesc, cuSurfObjectGetResourceDesc, 5000, \
	     (CUDA_RESOURCE_DESC *desc, CUsurfObject object)) \
	CALL(cuModuleGetTexRef, cuModuleGetTexRef, 2000, (CUtexref *reference, \
	     CUmodule module, const char *name)) \
	CALL(cuModuleGetSurfRef, cuModuleGetSurfRef, 3000, (CUsurfref *reference, \
	     CUmodule module, const char *name)) \
	CALL(cuParamSetTexRef, cuParamSetTexRef, 2000, (CUfunction function, int unit, \
	     CUtexref reference)) \
	CALL(cuTexRefCreate, cuTexRefCreate, 2000, (CUtexref *reference)) \
	CALL(cuTexRefDestroy, cuTexRefDestroy, 2000, (CUtexref reference)) \
	CALL(cuTexRefSetArray, cuTexRefSetArray, 2000, (CUtexref reference, CUarray array, \
	     unsigned int flags)) \
	CALL(cuTexRefSetMipmappedArray, cuTexRefSetMipmappedArray, 5000, \
	     (CUtexref reference, CUmipmappedArray mipmap, unsigned int flags)) \
	CALL(cuTexRefSetAddress, cuTexRefSetAddress_v2, 3020, (size_t *offset, \
	     CUtexref reference, CUdeviceptr pointer, size_t bytes)) \
	CALL(cuTexRefSetAddress2D, cuTexRefSetAddress2D_v2, 3020, (CUtexref reference, \
	     const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr pointer, size_t pitch)) \
	CALL(cuTexRefSetAddress2D, cuTexRefSetAddress2D_v3, 4010, (CUtexref reference, \
	     const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr pointer, size_t pitch)) \
	CALL(cuTexRefSetFormat, cuTexRefSetFormat, 2000, (CUtexref reference, \
	     CUarray_format format, int channels)) \
	CALL(cuTexRefSetAddressMode, cuTexRefSetAddressMode, 2000, (CUtexref reference, \
	     int direction, CUaddress_mode mode)) \
	CALL(cuTexRefSetFilterMode, cuTexRefSetFilterMode, 2000, (CUtexref reference, \
	     CUfilter_mode mode)) \
	CALL(cuTexRefSetMipmapFilterMode, cuTexRefSetMipmapFilterMode, 5000, \
	     (CUtexref reference, CUfilter_mode mode)) \
	CALL(cuTexRefSetMipmapLevelBias, cuTexRefSetMipmapLevelBias, 5000, \
	     (CUtexref reference, float bias)) \
	CALL(cuTexRefSetMipmapLevelClamp, cuTexRefSetMipmapLevelClamp, 5000, \
	     (CUtexref reference, float least, float most)) \
	CALL(cuTexRefSetMaxAnisotropy, cuTexRefSetMaxAnisotropy, 5000, (CUtexref reference, \
	     unsigned int most)) \
	CALL(cuTexRefSetBorderColor, cuTexRefSetBorderColor, 8000, (CUtexref reference, \
	     float *colour)) \
	CALL(cuTexRefSetFlags, cuTexRefSetFlags, 2000, (CUtexref reference, \
	     unsigned int flags)) \
	CALL(cuTexRefGetAddress, cuTexRefGetAddress_v2, 3020, (CUdeviceptr *pointer, \
	     CUtexref reference)) \
	CALL(cuTexRefGetArray, cuTexRefGetArray, 2000, (CUarray *array, CUtexref reference)) \
	CALL(cuTexRefGetMipmappedArray, cuTexRefGetMipmappedArray, 5000, \
	     (CUmipmappedArray *mipmap, CUtexref reference)) \
	CALL(cuTexRefGetAddressMode, cuTexRefGetAddressMode, 2000, (CUaddress_mode *mode, \
	     CUtexref reference, int direction)) \
	CALL(cuTexRefGetFilterMode, cuTexRefGetFilterMode, 2000, (CUfilter_mode *mode, \
	     CUtexref reference)) \
	CALL(cuTexRefGetFormat, cuTexRefGetFormat, 2000, (CUarray_format *format, \
	     int *channels, CUtexref reference)) \
	CALL(cuTexRefGetMipmapFilterMode, cuTexRefGetMipmapFilterMode, 5000, \
	     (CUfilter_mode *mode, CUtexref reference)) \
	CALL(cuTexRefGetMipmapLevelBias, cuTexRefGetMipmapLevelBias, 5000, (float *bias, \
	     CUtexref reference)) \
	CALL(cuTexRefGetMipmapLevelClamp, cuTexRefGetMipmapLevelClamp, 5000, (float *least, \
	     float *most, CUtexref reference)) \
	CALL(cuTexRefGetMaxAnisotropy, cuTexRefGetMaxAnisotropy, 5000, (int *most, \
	     CUtexref reference)) \
	CALL(cuTexRefGetBorderColor, cuTexRefGetBorderColor, 8000, (float *colour, \
	     CUtexref reference)) \
	CALL(cuTexRefGetFlags, cuTexRefGetFlags, 2000, (unsigned int *flags, \
	     CUtexref reference)) \
	CALL(cuSurfRefSetArray, cuSurfRefSetArray, 3000, (CUsurfref reference, CUarray array, \
	     unsigned int flags)) \
	CALL(cuSurfRefGetArray, cuSurfRefGetArray, 3000, (CUarray *array, \
	     CUsurfref reference)) \
	STREAM(cuMemsetD8, cuMemsetD8_v2, 3020, _ptds, (CUdeviceptr dst, \
	     unsigned char value, size_t count), \
	     (dst, value, count)) \
	STREAM(cuMemsetD16, cuMemsetD16_v2, 3020, _ptds, (CUdeviceptr dst, \
	     unsigned short value, size_t count), \
	     (dst, value, count)) \
	STREAM(cuMemsetD32, cuMemsetD32_v2, 3020, _ptds, (CUdeviceptr dst, \
	     unsigned int value, size_t count), \
	     (dst, value, count)) \
	STREAM(cuMemsetD2D8, cuMemsetD2D8_v2, 3020, _ptds, (CUdeviceptr dst, size_t pitch, \
	     unsigned char value, size_t width, size_t height), \
	     (dst, pitch, value, width, height)) \
	STREAM(cuMemsetD2D16, cuMemsetD2D16_v2, 3020, _ptds, (CUdeviceptr dst, size_t pitch, \
	     unsigned short value, size_t width, size_t height), \
	     (dst, pitch, value, width, height)) \
	STREAM(cuMemsetD2D32, cuMemsetD2D32_v2, 3020, _ptds, (CUdeviceptr dst, size_t pitch, \
	     unsigned int value, size_t width, size_t height), \
	     (dst, pitch, value, width, height)) \
	STREAM(cuMemsetD8Async, cuMemsetD8Async, 3020, _ptsz, (CUdeviceptr dst, \
	     unsigned char value, size_t count, CUstream stream), \
	     (dst, value, count, stream)) \
	STREAM(cuMemsetD16Async, cuMemsetD16Async, 3020, _ptsz, (CUdeviceptr dst, \
	     unsigned short value, size_t count, CUstream stream), \
	     (dst, value, count, stream)) \
	STREAM(cuMemsetD32Async, cuMemsetD32Async, 3020, _ptsz, (CUdeviceptr dst, \
	     unsigned int value, size_t count, CUstream stream), \
	     (dst, value, count, stream)) \
	STREAM(cuMemsetD2D8Async, cuMemsetD2D8Async, 3020, _ptsz, (CUdeviceptr dst, \
	     size_t pitch, unsigned char value, size_t width, size_t height, \
	     CUstream stream), \
	     (dst, pitch, value, width, height, stream)) \
	STREAM(cuMemsetD2D16Async, cuMemsetD2D16Async, 3020, _ptsz, (CUdeviceptr dst, \
	     size_t pitch, unsigned short value, size_t width, size_t height, \
	     CUstream stream), \
	     (dst, pitch, value, width, height, stream)) \
	STREAM(cuMemsetD2D32Async, cuMemsetD2D32Async, 3020, _ptsz, (CUdeviceptr dst, \
	     size_t pitch, unsigned int value, size_t width, size_t height, \
	     CUstream stream), \
	     (dst, pitch, value, width, height, stream)) \
	STREAM(cuMemPrefetchAsync, cuMemPrefetchAsync, 8000, _ptsz, (CUdeviceptr pointer, \
	     size_t bytes, CUdevice device, CUstream stream), \
	     (pointer, bytes, device, stream)) \
	STREAM(cuMemPrefetchAsync, cuMemPrefetchAsync_v2, 12020, _ptsz, \
	     (CUdeviceptr pointer, size_t bytes, CUmemLocation location, unsigned int flags, \
	     CUstream stream), \
	     (pointer, bytes, location, flags, stream)) \
	CALL(cuStreamCreate, cuStreamCreate, 2000, (CUstream *stream, unsigned int flags)) \
	CALL(cuStreamCreateWithPriority, cuStreamCreateWithPriority, 5050, \
	     (CUstream *stream, unsigned int flags, int priority)) \
	CALL(cuStreamDestroy, cuStreamDestroy_v2, 4000, (CUstream stream)) \
	STREAM(cuStreamSynchronize, cuStreamSynchronize, 2000, _ptsz, (CUstream stream), \
	     (stream)) \
	STREAM(cuStreamQuery, cuStreamQuery, 2000, _ptsz, (CUstream stream), \
	     (stream)) \
	STREAM(cuStreamWaitEvent, cuStreamWaitEvent, 3020, _ptsz, (CUstream stream, \
	     CUevent event, unsigned int flags), \
	     (stream, event, flags)) \
	STREAM(cuStreamGetPriority, cuStreamGetPriority, 5050, _ptsz, (CUstream stream, \
	     int *priority), \
	     (stream, priority)) \
	STREAM(cuStreamGetFlags, cuStreamGetFlags, 5050, _ptsz, (CUstream stream, \
	     unsigned int *flags), \
	     (stream, flags)) \
	STREAM(cuStreamGetAttribute, cuStreamGetAttribute, 11000, _ptsz, (CUstream stream, \
	     CUstreamAttrID attribute, CUstreamAttrValue *value), \
	     (stream, attribute, value)) \
	STREAM(cuStreamSetAttribute, cuStreamSetAttribute, 11000, _ptsz, (CUstream stream, \
	     CUstreamAttrID attribute, const CUstreamAttrValue *value), \
	     (stream, attribute, value)) \
	STREAM(cuStreamCopyAttributes, cuStreamCopyAttributes, 11000, _ptsz, (CUstream to, \
	     CUstream from), \
	     (to, from)) \
	STREAM(cuStreamGetCtx, cuStreamGetCtx, 9020, _ptsz, (CUstream stream, \
	     CUcontext *context), \
	     (stream, context)) \
	STREAM(cuStreamGetDevice, cuStreamGetDevice, 12080, _ptsz, (CUstream stream, \
	     CUdevice *device), \
	     (stream, device)) \
	STREAM(cuStreamGetId, cuStreamGetId, 12000, _ptsz, (CUstream stream, \
	     unsigned long long *id), \
	     (stream, id)) \
	STREAM(cuStreamAddCallback, cuStreamAddCallback, 5000, _ptsz, (CUstream stream, \
	     CUstreamCallback callback, void *data, unsigned int flags), \
	     (stream, callback, data, flags)) \
	STREAM(cuStreamAttachMemAsync, cuStreamAttachMemAsync, 6000, _ptsz, \
	     (CUstream stream, CUdeviceptr pointer, size_t bytes, unsigned int flags), \
	     (stream, pointer, bytes, flags)) \
	STREAM(cuStreamIsCapturing, cuStreamIsCapturing, 10000, _ptsz, (CUstream stream, \
	     int *status), \
	     (stream, status)) \
	CALL(cuEventCreate, cuEventCreate, 2000, (CUevent *event, unsigned int flags)) \
	CALL(cuIpcGetEventHandle, cuIpcGetEventHandle, 4010, (CUipcEventHandle *handle, \
	     CUevent event)) \
	CALL(cuIpcOpenEventHandle, cuIpcOpenEventHandle, 4010, (CUevent *event, \
	     CUipcEventHandle handle)) \
	CALL(cuEventDestroy, cuEventDestroy_v2, 4000, (CUevent event)) \
	STREAM(cuEventRecord, cuEventRecord, 2000, _ptsz, (CUevent event, CUstream stream), \
	     (event, stream)) \
	STREAM(cuEventRecordWithFlags, cuEventRecordWithFlags, 11010, _ptsz, (CUevent event, \
	     CUstream stream, unsigned int flags), \
	     (event, stream, flags)) \
	CALL(cuEventQuery, cuEventQuery, 2000, (CUevent event)) \
	CALL(cuEventSynchronize, cuEventSynchronize, 2000, (CUevent event)) \
	CALL(cuEventElapsedTime, cuEventElapsedTime, 2000, (float *ms, CUevent start, \
	     CUevent end)) \
	CALL(cuEventElapsedTime, cuEventElapsedTime_v2, 12080, (float *ms, CUevent start, \
	     CUevent end)) \
	CALL(cuProfilerStart, cuProfilerStart, 4000, (void)) \
	CALL(cuProfilerStop, cuProfilerStop, 4000, (void)) \
	STREAM(cuMemAllocAsync, cuMemAllocAsync, 11020, _ptsz, (CUdeviceptr *pointer, \
	     size_t bytes, CUstream stream), \
	     (pointer, bytes, stream)) \
	STREAM(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync, 11020, _ptsz, \
	     (CUdeviceptr *pointer, size_t bytes, CUmemoryPool pool, CUstream stream), \
	     (pointer, bytes, pool, stream)) \
	STREAM(cuMemFreeAsync, cuMemFreeAsync, 11020, _ptsz, (CUdeviceptr pointer, \
	     CUstream stream), \
	     (pointer, stream)) \
	CALL(cuDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool, 11020, \
	     (CUmemoryPool *pool, CUdevice device)) \
	CALL(cuDeviceGetMemPool, cuDeviceGetMemPool, 11020, (CUmemoryPool *pool, \
	     CUdevice device)) \
	CALL(cuDeviceSetMemPool, cuDeviceSetMemPool, 11020, (CUdevice device, \
	     CUmemoryPool pool)) \
	CALL(cuMemPoolCreate, cuMemPoolCreate, 11020, (CUmemoryPool *pool, \
	     const CUmemPoolProps *props)) \
	CALL(cuMemPoolDestroy, cuMemPoolDestroy, 11020, (CUmemoryPool pool)) \
	CALL(cuMemPoolTrimTo, cuMemPoolTrimTo, 11020, (CUmemoryPool pool, size_t keep)) \
	CALL(cuMemPoolSetAttribute, cuMemPoolSetAttribute, 11020, (CUmemoryPool pool, \
	     CUmemPool_attribute attribute, void *value)) \
	CALL(cuMemPoolGetAttribute, cuMemPoolGetAttribute, 11020, (CUmemoryPool pool, \
	     CUmemPool_attribute attribute, void *value)) \
	CALL(cuMemPoolSetAccess, cuMemPoolSetAccess, 11020, (CUmemoryPool pool, \
	     const CUmemAccessDesc *list, size_t count)) \
	CALL(cuMemPoolExportToShareableHandle, cuMemPoolExportToShareableHandle, 11020, \
	     (void *handle, CUmemoryPool pool, CUmemAllocationHandleType type, \
	     unsigned long long flags)) \
	CALL(cuMemPoolImportFromShareableHandle, cuMemPoolImportFromShareableHandle, 11020, \
	     (CUmemoryPool *pool, void *handle, CUmemAllocationHandleType type, \
	     unsigned long long flags)) \
	CALL(cuMemPoolExportPointer, cuMemPoolExportPointer, 11020, \
	     (CUmemPoolPtrExportData *data, CUdeviceptr pointer)) \
	CALL(cuMemPoolImportPointer, cuMemPoolImportPointer, 11020, (CUdeviceptr *pointer, \
	     CUmemoryPool pool, CUmemPoolPtrExportData *data)) \
	CALL(cuMemPoolGetAccess, cuMemPoolGetAccess, 11020, (CUmemAccess_flags *flags, \
	     CUmemoryPool pool, CUmemLocation *location)) \
	CALL(cuMemAddressReserve, cuMemAddressReserve, 10020, (CUdeviceptr *pointer, \
	     size_t bytes, size_t alignment, CUdeviceptr hint, unsigned long long flags)) \
	CALL(cuMemAddressFree, cuMemAddressFree, 10020, (CUdeviceptr pointer, size_t bytes)) \
	CALL(cuMemCreate, cuMemCreate, 10020, (CUmemGenericAllocationHandle *handle, \
	     size_t bytes, const CUmemAllocationProp *prop, unsigned long long flags)) \
	CALL(cuMemRelease, cuMemRelease, 10020, (CUmemGenericAllocationHandle handle)) \
	CALL(cuMemRetainAllocationHandle, cuMemRetainAllocationHandle, 11000, \
	     (CUmemGenericAllocationHandle *handle, void *pointer)) \
	CALL(cuMemMap, cuMemMap, 10020, (CUdeviceptr pointer, size_t bytes, size_t offset, \
	     CUmemGenericAllocationHandle handle, unsigned long long flags)) \
	CALL(cuMemUnmap, cuMemUnmap, 10020, (CUdeviceptr pointer, size_t bytes)) \
	CALL(cuMemSetAccess, cuMemSetAccess, 10020, (CUdeviceptr pointer, size_t bytes, \
	     const CUmemAccessDesc *list, size_t count)) \
	CALL(cuMemGetAccess, cuMemGetAccess, 10020, (unsigned long long *flags, \
	     const CUmemLocation *location, CUdeviceptr pointer)) \
	CALL(cuMemGetAllocationGranularity, cuMemGetAllocationGranularity, 10020, \
	     (size_t *granularity, const CUmemAllocationProp *prop, \
	     CUmemAllocationGranularity_flags option)) \
	CALL(cuMemGetAllocationPropertiesFromHandle, cuMemGetAllocationPropertiesFromHandle, \
	     10020, (CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle)) \
	CALL(cuMemExportToShareableHandle, cuMemExportToShareableHandle, 10020, \
	     (void *shareable, CUmemGenericAllocationHandle handle, \
	     CUmemAllocationHandleType type, unsigned long long flags)) \
	CALL(cuMemImportFromShareableHandle, cuMemImportFromShareableHandle, 10020, \
	     (CUmemGenericAllocationHandle *handle, void *shareable, \
	     CUmemAllocationHandleType type)) \
	CALL(cuMemAdvise, cuMemAdvise, 8000, (CUdeviceptr pointer, size_t bytes, \
	     CUmem_advise advice, CUdevice device)) \
	CALL(cuMemAdvise, cuMemAdvise_v2, 12020, (CUdeviceptr pointer, size_t bytes, \
	     CUmem_advise advice, CUmemLocation location)) \
	CALL(cuMemRangeGetAttribute, cuMemRangeGetAttribute, 8000, (void *data, \
	     size_t data_bytes, int attribute, CUdeviceptr pointer, size_t bytes)) \
	VGPU_DRIVER_GRAPH_CALLS(CALL, STREAM)

#define VGPU_DECLARE(name, symbol, since, params)	CUresult symbol params;
#define VGPU_DECLARE_BOTH(name, symbol, since, suffix, params, args) \
	CUresult symbol params; \
	CUresult symbol##suffix params;
VGPU_DRIVER_CALLS(VGPU_DECLARE, VGPU_DECLARE_BOTH)
#undef VGPU_DECLARE
#undef VGPU_DECLARE_BOTH

/* What the names mean in CUDA 11.2, which CUDA_VERSION says. */
#define cuDeviceTotalMem	cuDeviceTotalMem_v2
#define cuDevicePrimaryCtxRelease	cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxSetFlags	cuDevicePrimaryCtxSetFlags_v2
#define cuDevicePrimaryCtxReset	cuDevicePrimaryCtxReset_v2
#define cuCtxCreate	cuCtxCreate_v2
#define cuCtxDestroy	cuCtxDestroy_v2
#define cuCtxPushCurrent	cuCtxPushCurrent_v2
#define cuCtxPopCurrent	cuCtxPopCurrent_v2
#define cuModuleGetGlobal	cuModuleGetGlobal_v2
#define cuLinkCreate	cuLinkCreate_v2
#define cuLinkAddData	cuLinkAddData_v2
#define cuLinkAddFile	cuLinkAddFile_v2
#define cuMemGetInfo	cuMemGetInfo_v2
#define cuMemAlloc	cuMemAlloc_v2
#define cuMemAllocPitch	cuMemAllocPitch_v2
#define cuMemFree	cuMemFree_v2
#define cuMemGetAddressRange	cuMemGetAddressRange_v2
#define cuMemAllocHost	cuMemAllocHost_v2
#define cuIpcOpenMemHandle	cuIpcOpenMemHandle_v2
#define cuMemHostRegister	cuMemHostRegister_v2
#define cuMemHostGetDevicePointer	cuMemHostGetDevicePointer_v2
#define cuMemcpyHtoD	cuMemcpyHtoD_v2
#define cuMemcpyDtoH	cuMemcpyDtoH_v2
#define cuMemcpyDtoD	cuMemcpyDtoD_v2
#define cuMemcpyHtoDAsync	cuMemcpyHtoDAsync_v2
#define cuMemcpyDtoHAsync	cuMemcpyDtoHAsync_v2
#define cuMemcpyDtoDAsync	cuMemcpyDtoDAsync_v2
#define cuMemcpy2D	cuMemcpy2D_v2
#define cuMemcpy2DUnaligned	cuMemcpy2DUnaligned_v2
#define cuMemcpy2DAsync	cuMemcpy2DAsync_v2
#define cuMemcpy3D	cuMemcpy3D_v2
#define cuMemcpy3DAsync	cuMemcpy3DAsync_v2
#define cuArrayCreate	cuArrayCreate_v2
#define cuTexRefSetAddress	cuTexRefSetAddress_v2
#define cuTexRefSetAddress2D	cuTexRefSetAddress2D_v3
#define cuTexRefGetAddress	cuTexRefGetAddress_v2
#define cuArrayGetDescriptor	cuArrayGetDescriptor_v2
#define cuArray3DCreate	cuArray3DCreate_v2
#define cuArray3DGetDescriptor	cuArray3DGetDescriptor_v2
#define cuMemcpyHtoA	cuMemcpyHtoA_v2
#define cuMemcpyAtoH	cuMemcpyAtoH_v2
#define cuMemcpyDtoA	cuMemcpyDtoA_v2
#define cuMemcpyAtoD	cuMemcpyAtoD_v2
#define cuMemcpyHtoAAsync	cuMemcpyHtoAAsync_v2
#define cuMemcpyAtoHAsync	cuMemcpyAtoHAsync_v2
#define cuMemcpyAtoA	cuMemcpyAtoA_v2
#define cuMemsetD8	cuMemsetD8_v2
#define cuMemsetD16	cuMemsetD16_v2
#define cuMemsetD32	cuMemsetD32_v2
#define cuMemsetD2D8	cuMemsetD2D8_v2
#define cuMemsetD2D16	cuMemsetD2D16_v2
#define cuMemsetD2D32	cuMemsetD2D32_v2
#define cuGraphInstantiate	cuGraphInstantiate_v2
#define cuStreamBeginCapture	cuStreamBeginCapture_v2
#define cuStreamDestroy	cuStreamDestroy_v2
#define cuEventDestroy	cuEventDestroy_v2

#endif
