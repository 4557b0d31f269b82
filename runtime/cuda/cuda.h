/* SPDX-License-Identifier: MIT */
/*
 * The driver API, as NVIDIA documents it: types, numbers, functions. What is not declared here, and
 * what is refused, is in docs/cuda-driver.md. Programs that include <cuda.h> for the runtime API
 * find that, too.
 */
#ifndef VGPU_CUDA_CUDA_H
#define VGPU_CUDA_CUDA_H
#define __cuda_cuda_h__

#include "../cuda_runtime.h"
#include "device_attributes.h"

#ifndef CUDA_VERSION
#define CUDA_VERSION CUDART_VERSION
#endif
#define CUDAAPI
#define CUDA_CB

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, number, text) */
#define VGPU_DRIVER_ERRORS(X) \
	X(CUDA_SUCCESS, 0, "no error") \
	X(CUDA_ERROR_INVALID_VALUE, 1, "invalid argument") \
	X(CUDA_ERROR_OUT_OF_MEMORY, 2, "out of memory") \
	X(CUDA_ERROR_NOT_INITIALIZED, 3, "initialization error") \
	X(CUDA_ERROR_DEINITIALIZED, 4, "driver shutting down") \
	X(CUDA_ERROR_PROFILER_DISABLED, 5, "profiler disabled") \
	X(CUDA_ERROR_PROFILER_NOT_INITIALIZED, 6, "profiler not initialized") \
	X(CUDA_ERROR_PROFILER_ALREADY_STARTED, 7, "profiler already started") \
	X(CUDA_ERROR_PROFILER_ALREADY_STOPPED, 8, "profiler already stopped") \
	X(CUDA_ERROR_STUB_LIBRARY, 34, "a library without a driver") \
	X(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, 36, "call requires newer driver") \
	X(CUDA_ERROR_DEVICE_UNAVAILABLE, 46, \
	  "CUDA-capable device(s) is/are busy or unavailable") \
	X(CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device is detected") \
	X(CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal") \
	X(CUDA_ERROR_DEVICE_NOT_LICENSED, 102, "device not licensed") \
	X(CUDA_ERROR_INVALID_IMAGE, 200, "device kernel image is invalid") \
	X(CUDA_ERROR_INVALID_CONTEXT, 201, "invalid device context") \
	X(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, 202, "context already current") \
	X(CUDA_ERROR_MAP_FAILED, 205, "map failed") \
	X(CUDA_ERROR_UNMAP_FAILED, 206, "unmap failed") \
	X(CUDA_ERROR_ARRAY_IS_MAPPED, 207, "array is mapped") \
	X(CUDA_ERROR_ALREADY_MAPPED, 208, "already mapped") \
	X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209, \
	  "no kernel image is available for execution on the device") \
	X(CUDA_ERROR_ALREADY_ACQUIRED, 210, "already acquired") \
	X(CUDA_ERROR_NOT_MAPPED, 211, "not mapped") \
	X(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, 212, "not mapped as array") \
	X(CUDA_ERROR_NOT_MAPPED_AS_POINTER, 213, "not mapped as pointer") \
	X(CUDA_ERROR_ECC_UNCORRECTABLE, 214, "ecc uncorrectable") \
	X(CUDA_ERROR_UNSUPPORTED_LIMIT, 215, "unsupported limit") \
	X(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, 216, "context already in use") \
	X(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217, \
	  "peer access is not supported between these two devices") \
	X(CUDA_ERROR_INVALID_PTX, 218, "a PTX JIT compilation failed") \
	X(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, 219, "invalid graphics context") \
	X(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220, "nvlink uncorrectable") \
	X(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221, "jit compiler not found") \
	X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222, \
	  "the provided PTX was compiled with an unsupported toolchain.") \
	X(CUDA_ERROR_JIT_COMPILATION_DISABLED, 223, "jit compilation disabled") \
	X(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, 224, "unsupported exec affinity") \
	X(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, 225, "unsupported devside sync") \
	X(CUDA_ERROR_CONTAINED, 226, "contained") \
	X(CUDA_ERROR_INVALID_SOURCE, 300, "invalid source") \
	X(CUDA_ERROR_FILE_NOT_FOUND, 301, "file not found") \
	X(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 302, "shared object symbol not found") \
	X(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 303, "shared object init failed") \
	X(CUDA_ERROR_OPERATING_SYSTEM, 304, \
	  "OS call failed or operation not supported on this OS") \
	X(CUDA_ERROR_INVALID_HANDLE, 400, "invalid resource handle") \
	X(CUDA_ERROR_ILLEGAL_STATE, 401, "illegal state") \
	X(CUDA_ERROR_LOSSY_QUERY, 402, "lossy query") \
	X(CUDA_ERROR_NOT_FOUND, 500, "named symbol not found") \
	X(CUDA_ERROR_NOT_READY, 600, "device not ready") \
	X(CUDA_ERROR_ILLEGAL_ADDRESS, 700, "an illegal memory access was encountered") \
	X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701, "too many resources requested for launch") \
	X(CUDA_ERROR_LAUNCH_TIMEOUT, 702, "the launch timed out and was terminated") \
	X(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, 703, "launch incompatible texturing") \
	X(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704, "peer access is already enabled") \
	X(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705, "peer access has not been enabled") \
	X(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708, \
	  "cannot set while device is active in this process") \
	X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, "context is destroyed") \
	X(CUDA_ERROR_ASSERT, 710, "device-side assert triggered") \
	X(CUDA_ERROR_TOO_MANY_PEERS, 711, "too many peers") \
	X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712, \
	  "part or all of the requested memory range is already mapped") \
	X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713, \
	  "pointer does not correspond to a registered memory region") \
	X(CUDA_ERROR_HARDWARE_STACK_ERROR, 714, "hardware stack error") \
	X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715, "an illegal instruction was encountered") \
	X(CUDA_ERROR_MISALIGNED_ADDRESS, 716, "misaligned address") \
	X(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717, \
	  "operation not supported on global/shared address space") \
	X(CUDA_ERROR_INVALID_PC, 718, "invalid pc") \
	X(CUDA_ERROR_LAUNCH_FAILED, 719, "unspecified launch failure") \
	X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720, \
	  "too many blocks in cooperative launch") \
	X(CUDA_ERROR_TENSOR_MEMORY_LEAK, 721, "tensor memory leak") \
	X(CUDA_ERROR_NOT_PERMITTED, 800, "operation not permitted") \
	X(CUDA_ERROR_NOT_SUPPORTED, 801, "operation not supported") \
	X(CUDA_ERROR_SYSTEM_NOT_READY, 802, "system not ready") \
	X(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803, "system driver mismatch") \
	X(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, 804, "compat not supported on device") \
	X(CUDA_ERROR_MPS_CONNECTION_FAILED, 805, "mps connection failed") \
	X(CUDA_ERROR_MPS_RPC_FAILURE, 806, "mps rpc failure") \
	X(CUDA_ERROR_MPS_SERVER_NOT_READY, 807, "mps server not ready") \
	X(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, 808, "mps max clients reached") \
	X(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, 809, "mps max connections reached") \
	X(CUDA_ERROR_MPS_CLIENT_TERMINATED, 810, "mps client terminated") \
	X(CUDA_ERROR_CDP_NOT_SUPPORTED, 811, "cdp not supported") \
	X(CUDA_ERROR_CDP_VERSION_MISMATCH, 812, "cdp version mismatch") \
	X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900, "stream capture unsupported") \
	X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901, "stream capture invalidated") \
	X(CUDA_ERROR_STREAM_CAPTURE_MERGE, 902, "stream capture merge") \
	X(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903, "stream capture unmatched") \
	X(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904, "stream capture unjoined") \
	X(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905, "stream capture isolation") \
	X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906, "stream capture implicit") \
	X(CUDA_ERROR_CAPTURED_EVENT, 907, "captured event") \
	X(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908, "stream capture wrong thread") \
	X(CUDA_ERROR_TIMEOUT, 909, "timeout") \
	X(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910, "graph exec update failure") \
	X(CUDA_ERROR_EXTERNAL_DEVICE, 911, "external device") \
	X(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912, "invalid cluster size") \
	X(CUDA_ERROR_FUNCTION_NOT_LOADED, 913, "function not loaded") \
	X(CUDA_ERROR_INVALID_RESOURCE_TYPE, 914, "invalid resource type") \
	X(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, 915, "invalid resource configuration") \
	X(CUDA_ERROR_KEY_ROTATION, 916, "key rotation") \
	X(CUDA_ERROR_UNKNOWN, 999, "unknown error")

typedef enum cudaError_enum {
#define VGPU_DRIVER_ERROR(name, number, text) name = number,
	VGPU_DRIVER_ERRORS(VGPU_DRIVER_ERROR)
#undef VGPU_DRIVER_ERROR
} CUresult;

typedef enum CUdevice_attribute_enum {
#define VGPU_ATTRIBUTE(name, number) CU_DEVICE_ATTRIBUTE_##name = number,
	VGPU_DEVICE_ATTRIBUTES(VGPU_ATTRIBUTE)
#undef VGPU_ATTRIBUTE
	CU_DEVICE_ATTRIBUTE_MAX
} CUdevice_attribute;

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUarray_st *CUarray;
#include "driver_textures.h"
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct CUuuid_st {
	char bytes[16];
} CUuuid;

#define CU_IPC_HANDLE_SIZE	64
typedef struct CUipcMemHandle_st {
	char reserved[CU_IPC_HANDLE_SIZE];
} CUipcMemHandle;
typedef struct CUipcEventHandle_st {
	char reserved[CU_IPC_HANDLE_SIZE];
} CUipcEventHandle;
typedef void (*CUhostFn)(void *data);
typedef void (*CUstreamCallback)(CUstream stream, CUresult status, void *data);
typedef size_t (*CUoccupancyB2DSize)(int block);

#define CU_STREAM_LEGACY	((CUstream)0x1)
#define CU_STREAM_PER_THREAD	((CUstream)0x2)
#define CU_LAUNCH_PARAM_END		((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER	((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE	((void *)0x02)
#define CU_MEMHOSTALLOC_PORTABLE	0x01
#define CU_MEMHOSTALLOC_DEVICEMAP	0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED	0x04
#define CU_MEMHOSTREGISTER_PORTABLE	0x01
#define CU_MEMHOSTREGISTER_DEVICEMAP	0x02
#define CU_MEMHOSTREGISTER_IOMEMORY	0x04
#define CU_MEMHOSTREGISTER_READ_ONLY	0x08
#define CU_DEVICE_CPU		((CUdevice)-1)
#define CU_DEVICE_INVALID	((CUdevice)-2)

enum {
	CU_CTX_SCHED_AUTO = 0, CU_CTX_SCHED_SPIN = 1, CU_CTX_SCHED_YIELD = 2,
	CU_CTX_SCHED_BLOCKING_SYNC = 4, CU_CTX_SCHED_MASK = 7, CU_CTX_MAP_HOST = 8,
	CU_CTX_LMEM_RESIZE_TO_MAX = 16, CU_CTX_FLAGS_MASK = 0xff
};
enum { CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING = 1 };
enum {
	CU_EVENT_DEFAULT = 0, CU_EVENT_BLOCKING_SYNC = 1, CU_EVENT_DISABLE_TIMING = 2,
	CU_EVENT_INTERPROCESS = 4
};
enum { CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1 };
enum { CU_MEM_ATTACH_GLOBAL = 1, CU_MEM_ATTACH_HOST = 2, CU_MEM_ATTACH_SINGLE = 4 };

typedef enum CUpointer_attribute_enum {
	CU_POINTER_ATTRIBUTE_CONTEXT = 1, CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
	CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3, CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
	CU_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6, CU_POINTER_ATTRIBUTE_BUFFER_ID = 7,
	CU_POINTER_ATTRIBUTE_IS_MANAGED = 8, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
	CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE = 10,
	CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11, CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
	CU_POINTER_ATTRIBUTE_MAPPED = 13, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES = 14,
	CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE = 15,
	CU_POINTER_ATTRIBUTE_ACCESS_FLAGS = 16, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17
} CUpointer_attribute;

typedef enum CUfunction_attribute_enum {
	CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
	CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
	CU_FUNC_ATTRIBUTE_NUM_REGS = 4, CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
	CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
	CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
	CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
	CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET = 10,
	CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH = 11,
	CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT = 12,
	CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH = 13,
	CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
	CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15, CU_FUNC_ATTRIBUTE_MAX
} CUfunction_attribute;

typedef enum CUfunc_cache_enum {
	CU_FUNC_CACHE_PREFER_NONE = 0, CU_FUNC_CACHE_PREFER_SHARED = 1,
	CU_FUNC_CACHE_PREFER_L1 = 2, CU_FUNC_CACHE_PREFER_EQUAL = 3
} CUfunc_cache;
typedef enum CUsharedconfig_enum {
	CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE = 0, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE = 1,
	CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE = 2
} CUsharedconfig;
typedef enum CUmemorytype_enum {
	CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2, CU_MEMORYTYPE_ARRAY = 3,
	CU_MEMORYTYPE_UNIFIED = 4
} CUmemorytype;

typedef enum CUcomputemode_enum {
	CU_COMPUTEMODE_DEFAULT = 0, CU_COMPUTEMODE_PROHIBITED = 2,
	CU_COMPUTEMODE_EXCLUSIVE_PROCESS = 3
} CUcomputemode;

typedef enum CUjit_option_enum {
	CU_JIT_MAX_REGISTERS = 0, CU_JIT_THREADS_PER_BLOCK, CU_JIT_WALL_TIME,
	CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER,
	CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_OPTIMIZATION_LEVEL,
	CU_JIT_TARGET_FROM_CUCONTEXT, CU_JIT_TARGET, CU_JIT_FALLBACK_STRATEGY,
	CU_JIT_GENERATE_DEBUG_INFO, CU_JIT_LOG_VERBOSE, CU_JIT_GENERATE_LINE_INFO,
	CU_JIT_CACHE_MODE, CU_JIT_NUM_OPTIONS = 35
} CUjit_option;
typedef enum CUjitInputType_enum {
	CU_JIT_INPUT_CUBIN = 0, CU_JIT_INPUT_PTX, CU_JIT_INPUT_FATBINARY, CU_JIT_INPUT_OBJECT,
	CU_JIT_INPUT_LIBRARY, CU_JIT_INPUT_NVVM
} CUjitInputType;
typedef enum CUlibraryOption_enum {
	CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE = 0, CU_LIBRARY_BINARY_IS_PRESERVED = 1
} CUlibraryOption;

typedef enum CUlimit_enum {
	CU_LIMIT_STACK_SIZE = 0, CU_LIMIT_PRINTF_FIFO_SIZE = 1, CU_LIMIT_MALLOC_HEAP_SIZE = 2
} CUlimit;
typedef enum CUmem_advise_enum {
	CU_MEM_ADVISE_SET_READ_MOSTLY = 1, CU_MEM_ADVISE_UNSET_READ_MOSTLY,
	CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION,
	CU_MEM_ADVISE_SET_ACCESSED_BY, CU_MEM_ADVISE_UNSET_ACCESSED_BY
} CUmem_advise;
typedef enum CUmemLocationType_enum {
	CU_MEM_LOCATION_TYPE_INVALID = 0, CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_LOCATION_TYPE_HOST,
	CU_MEM_LOCATION_TYPE_HOST_NUMA, CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT
} CUmemLocationType;
typedef struct CUmemLocation_st {
	CUmemLocationType type;
	int id;
} CUmemLocation;

typedef enum CUmemAllocationType_enum {
	CU_MEM_ALLOCATION_TYPE_INVALID = 0, CU_MEM_ALLOCATION_TYPE_PINNED = 1
} CUmemAllocationType;
typedef enum CUmemAllocationCompType_enum {
	CU_MEM_ALLOCATION_COMP_NONE = 0, CU_MEM_ALLOCATION_COMP_GENERIC = 1
} CUmemAllocationCompType;
typedef enum CUmemAllocationHandleType_enum {
	CU_MEM_HANDLE_TYPE_NONE = 0, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
	CU_MEM_HANDLE_TYPE_WIN32 = 2, CU_MEM_HANDLE_TYPE_WIN32_KMT = 4,
	CU_MEM_HANDLE_TYPE_FABRIC = 8
} CUmemAllocationHandleType;
typedef enum CUmemAccess_flags_enum {
	CU_MEM_ACCESS_FLAGS_PROT_NONE = 0, CU_MEM_ACCESS_FLAGS_PROT_READ = 1,
	CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3
} CUmemAccess_flags;
typedef enum CUmemAllocationGranularity_flags_enum {
	CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1
} CUmemAllocationGranularity_flags;
typedef struct CUmemAccessDesc_st {
	CUmemLocation location;
	CUmemAccess_flags flags;
} CUmemAccessDesc;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct CUmemAllocationProp_st {
	CUmemAllocationType type;
	CUmemAllocationHandleType requestedHandleTypes;
	CUmemLocation location;
	void *win32HandleMetaData;
	struct {
		unsigned char compressionType, gpuDirectRDMACapable;
		unsigned short usage;
		unsigned char reserved[4];
	} allocFlags;
} CUmemAllocationProp;
typedef struct CUmemPoolProps_st {
	CUmemAllocationType allocType;
	CUmemAllocationHandleType handleTypes;
	CUmemLocation location;
	void *win32SecurityAttributes;
	size_t maxSize;
	unsigned short usage;
	unsigned char reserved[54];
} CUmemPoolProps;
typedef struct CUmemPoolPtrExportData_st {
	unsigned char reserved[64];
} CUmemPoolPtrExportData;
typedef enum CUmemPool_attribute_enum {
	CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
	CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
	CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
	CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
	CU_MEMPOOL_ATTR_USED_MEM_CURRENT, CU_MEMPOOL_ATTR_USED_MEM_HIGH
} CUmemPool_attribute;

typedef struct CUDA_MEMCPY2D_st {
	size_t srcXInBytes, srcY;
	CUmemorytype srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	size_t srcPitch;
	size_t dstXInBytes, dstY;
	CUmemorytype dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	size_t dstPitch;
	size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;
typedef struct CUDA_MEMCPY3D_st {
	size_t srcXInBytes, srcY, srcZ, srcLOD;
	CUmemorytype srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	void *reserved0;
	size_t srcPitch, srcHeight;
	size_t dstXInBytes, dstY, dstZ, dstLOD;
	CUmemorytype dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	void *reserved1;
	size_t dstPitch, dstHeight;
	size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

typedef enum CUlaunchAttributeID_enum {
	CU_LAUNCH_ATTRIBUTE_IGNORE = 0, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1,
	CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY = 3,
	CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
	CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 5,
	CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
	CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = 7, CU_LAUNCH_ATTRIBUTE_PRIORITY = 8,
	CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP = 9, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN = 10,
	CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION = 11,
	CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT = 12,
	CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE = 13,
	CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 14,
	CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING = 16
} CUlaunchAttributeID;
/* how a host thread waits, and accesses that may stay in the L2 cache: hints */
typedef enum CUsynchronizationPolicy_enum {
	CU_SYNC_POLICY_AUTO = 1, CU_SYNC_POLICY_SPIN = 2, CU_SYNC_POLICY_YIELD = 3,
	CU_SYNC_POLICY_BLOCKING_SYNC = 4
} CUsynchronizationPolicy;
typedef enum CUaccessProperty_enum {
	CU_ACCESS_PROPERTY_NORMAL = 0, CU_ACCESS_PROPERTY_STREAMING = 1,
	CU_ACCESS_PROPERTY_PERSISTING = 2
} CUaccessProperty;
typedef struct CUaccessPolicyWindow_st {
	void *base_ptr;
	size_t num_bytes;
	float hitRatio;
	CUaccessProperty hitProp, missProp;
} CUaccessPolicyWindow;
typedef union CUlaunchAttributeValue_union {
	char pad[64];
	CUaccessPolicyWindow accessPolicyWindow;
	CUsynchronizationPolicy syncPolicy;
	int cooperative, priority;
	struct {
		unsigned int x, y, z;
	} clusterDim, preferredClusterDim;
	struct {
		CUevent event;
		int flags, triggerAtBlockStart;
	} programmaticEvent;
	struct {
		CUevent event;
		int flags;
	} launchCompletionEvent;
	struct {
		int deviceUpdatable;
		void *devNode;
	} deviceUpdatableKernelNode;
	int programmaticStreamSerializationAllowed;
	unsigned int sharedMemCarveout;
} CUlaunchAttributeValue;
typedef CUlaunchAttributeID CUstreamAttrID;
typedef CUlaunchAttributeValue CUstreamAttrValue;
#define CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW	CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW
#define CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY	CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY
#define CU_STREAM_ATTRIBUTE_PRIORITY			CU_LAUNCH_ATTRIBUTE_PRIORITY
typedef struct CUlaunchAttribute_st {
	CUlaunchAttributeID id;
	char pad[4];
	CUlaunchAttributeValue value;
} CUlaunchAttribute;
typedef struct CUlaunchConfig_st {
	unsigned int gridDimX, gridDimY, gridDimZ;
	unsigned int blockDimX, blockDimY, blockDimZ;
	unsigned int sharedMemBytes;
	CUstream hStream;
	CUlaunchAttribute *attrs;
	unsigned int numAttrs;
} CUlaunchConfig;

/* of CUDA 2: cuDeviceGetAttribute() says more */
typedef struct CUdevprop_st {
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
	int sharedMemPerBlock, totalConstantMemory, SIMDWidth, memPitch, regsPerBlock;
	int clockRate, textureAlign;
} CUdevprop;

typedef struct CUctxCreateParams_st {
	void *execAffinityParams;
	int numExecAffinityParams;
	void *cigParams;
} CUctxCreateParams;

typedef enum CUdriverProcAddressQueryResult_enum {
	CU_GET_PROC_ADDRESS_SUCCESS = 0, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
	CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2
} CUdriverProcAddressQueryResult;
enum {
	CU_GET_PROC_ADDRESS_DEFAULT = 0, CU_GET_PROC_ADDRESS_LEGACY_STREAM = 1,
	CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM = 2
};
typedef enum CUlogLevel_enum {
	CU_LOG_LEVEL_ERROR = 0, CU_LOG_LEVEL_WARNING = 1
} CUlogLevel;
typedef struct CUlogsCallbackEntry_st *CUlogsCallbackHandle;
typedef void (*CUlogsCallback)(void *data, CUlogLevel level, char *message, size_t length);
typedef unsigned int CUlogIterator;
typedef enum CUmoduleLoadingMode_enum {
	CU_MODULE_EAGER_LOADING = 1, CU_MODULE_LAZY_LOADING = 2
} CUmoduleLoadingMode;

#include "driver_graph_types.h"
#include "driver_calls.h"

#ifdef __cplusplus
}
/* cuCtxCreate() as CUDA 13 has it, beside that of CUDA 11 and 12: in C++ both have the one name. */
static inline CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *params,
				   unsigned int flags, CUdevice device)
{
	return cuCtxCreate_v4(context, params, flags, device);
}
#endif

#endif
