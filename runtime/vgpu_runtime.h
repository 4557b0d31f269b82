/* SPDX-License-Identifier: MIT */
/*
 * libvgpu, native names: plain C, the contents page of the runtime. Everything is done through
 * these calls; the CUDA names of cuda_runtime.h are a thin layer over them. Semantics (streams,
 * errors, memory): docs/runtime.md.
 *
 * The first call that needs the device opens it. Every function may be called from any thread.
 * Every function returns a vgpuError_t and remembers a failure for vgpuGetLastError() of the
 * calling thread.
 */
#ifndef VGPU_RUNTIME_H
#define VGPU_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "vgpu.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VGPU_API	__attribute__((visibility("default")))

/* Error codes: CUDA's numbers for the same conditions. X(name, number, CUDA's text) */
#define VGPU_ERRORS(X)										\
	X(Success, 0, "no error")								\
	X(ErrorInvalidValue, 1, "invalid argument")						\
	X(ErrorMemoryAllocation, 2, "out of memory")						\
	X(ErrorInitializationError, 3, "initialization error")					\
	X(ErrorCudartUnloading, 4, "driver shutting down")					\
	X(ErrorInvalidConfiguration, 9, "invalid configuration argument")			\
	X(ErrorInvalidPitchValue, 12, "invalid pitch argument")					\
	X(ErrorInvalidSymbol, 13, "invalid device symbol")					\
	X(ErrorInvalidHostPointer, 16, "invalid host pointer")					\
	X(ErrorInvalidDevicePointer, 17, "invalid device pointer")				\
	X(ErrorInvalidTexture, 18, "invalid texture reference")					\
	X(ErrorInvalidChannelDescriptor, 20, "invalid channel descriptor")			\
	X(ErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")			\
	X(ErrorInvalidFilterSetting, 26, "linear filtering not supported for non-float type")	\
	X(ErrorInvalidNormSetting, 27, \
		"read as normalized float not supported for 32-bit non float type") \
	X(ErrorInsufficientDriver, 35, \
		"CUDA driver version is insufficient for CUDA runtime version") \
	X(ErrorInvalidSurface, 37, "invalid surface reference")					\
	X(ErrorDevicesUnavailable, 46, "CUDA-capable device(s) is/are busy or unavailable")	\
	X(ErrorMissingConfiguration, 52, "__global__ function call is not configured")		\
	X(ErrorInvalidDeviceFunction, 98, "invalid device function")				\
	X(ErrorNoDevice, 100, "no CUDA-capable device is detected")				\
	X(ErrorInvalidDevice, 101, "invalid device ordinal")					\
	X(ErrorInvalidKernelImage, 200, "device kernel image is invalid")			\
	X(ErrorDeviceUninitialized, 201, "invalid device context")				\
	X(ErrorNoKernelImageForDevice, 209, \
		"no kernel image is available for execution on the device") \
	X(ErrorInvalidPtx, 218, "a PTX JIT compilation failed")					\
	X(ErrorUnsupportedPtxVersion, 222, \
		"the provided PTX was compiled with an unsupported toolchain.")			\
	X(ErrorFileNotFound, 301, "file not found")						\
	X(ErrorOperatingSystem, 304, "OS call failed or operation not supported on this OS")	\
	X(ErrorInvalidResourceHandle, 400, "invalid resource handle")				\
	X(ErrorIllegalState, 401, "the operation cannot be performed in the present state")	\
	X(ErrorSymbolNotFound, 500, "named symbol not found")					\
	X(ErrorNotReady, 600, "device not ready")						\
	X(ErrorIllegalAddress, 700, "an illegal memory access was encountered")			\
	X(ErrorLaunchOutOfResources, 701, "too many resources requested for launch")		\
	X(ErrorLaunchTimeout, 702, "the launch timed out and was terminated")			\
	X(ErrorECCUncorrectable, 214, "uncorrectable ECC error encountered")			\
	X(ErrorPeerAccessUnsupported, 217, \
		"peer access is not supported between these two devices") \
	X(ErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")			\
	X(ErrorSetOnActiveProcess, 708, "cannot set while device is active in this process")	\
	X(ErrorContextIsDestroyed, 709, "context is destroyed")					\
	X(ErrorAssert, 710, "device-side assert triggered")					\
	X(ErrorHostMemoryAlreadyRegistered, 712, \
		"part or all of the requested memory range is already mapped") \
	X(ErrorHostMemoryNotRegistered, 713, \
		"pointer does not correspond to a registered memory region") \
	X(ErrorHardwareStackError, 714, "hardware stack error")					\
	X(ErrorIllegalInstruction, 715, "an illegal instruction was encountered")		\
	X(ErrorMisalignedAddress, 716, "misaligned address")					\
	X(ErrorInvalidAddressSpace, 717, "operation not supported on global/shared address space") \
	X(ErrorLaunchFailure, 719, "unspecified launch failure")				\
	X(ErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")		\
	X(ErrorNotPermitted, 800, "operation not permitted")					\
	X(ErrorNotSupported, 801, "operation not supported")					\
	X(ErrorStreamCaptureUnsupported, 900, \
		"operation not permitted when stream is capturing") \
	X(ErrorStreamCaptureInvalidated, 901, \
		"operation failed due to a previous error during capture") \
	X(ErrorStreamCaptureMerge, 902, \
		"operation would result in a merge of separate capture sequences") \
	X(ErrorStreamCaptureUnmatched, 903, \
		"capture was not ended in the same stream as it began") \
	X(ErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work")		\
	X(ErrorStreamCaptureIsolation, 905, \
		"dependency created on uncaptured work in another stream") \
	X(ErrorStreamCaptureImplicit, 906, \
		"operation would make the legacy stream depend on a capturing blocking stream") \
	X(ErrorCapturedEvent, 907, \
		"operation not permitted on an event last recorded in a capturing stream") \
	X(ErrorStreamCaptureWrongThread, 908, \
		"attempt to terminate a thread-local capture sequence from another thread") \
	X(ErrorGraphExecUpdateFailure, 910, \
		"the graph update was not performed because it included changes which violated " \
		"constraints specific to instantiated graph update") \
	X(ErrorUnknown, 999, "unknown error")

typedef enum vgpuError {
#define VGPU_ERROR_ENUM(name, number, text) vgpu##name = number,
	VGPU_ERRORS(VGPU_ERROR_ENUM)
#undef VGPU_ERROR_ENUM
} vgpuError_t;

typedef struct vgpuStream *vgpuStream_t;	/* NULL: the default stream */
typedef struct vgpuEvent *vgpuEvent_t;
typedef struct vgpuModule *vgpuModule_t;
typedef struct vgpuFunction *vgpuFunction_t;

typedef enum vgpuMemcpyKind {
	vgpuMemcpyHostToHost = 0,
	vgpuMemcpyHostToDevice = 1,
	vgpuMemcpyDeviceToHost = 2,
	vgpuMemcpyDeviceToDevice = 3,
	vgpuMemcpyDefault = 4,		/* from the addresses */
} vgpuMemcpyKind;

#define vgpuHostAllocDefault		0u
#define vgpuHostAllocPortable		1u
#define vgpuHostAllocMapped		2u
#define vgpuHostAllocWriteCombined	4u
#define vgpuHostRegisterDefault		0u
#define vgpuHostRegisterPortable	1u
#define vgpuHostRegisterMapped		2u
#define vgpuHostRegisterIoMemory	4u
#define vgpuHostRegisterReadOnly	8u
#define vgpuStreamDefault	0u
#define vgpuStreamNonBlocking	1u	/* does not synchronise with the default stream */
#define vgpuEventDefault	0u
#define vgpuEventBlockingSync	1u
#define vgpuEventDisableTiming	2u
#define vgpuEventInterprocess	4u	/* with vgpuEventDisableTiming only */

/** struct vgpuDeviceProperties - what programs ask of a device */
typedef struct vgpuDeviceProperties {
	char name[256];
	size_t total_memory;
	size_t shared_per_block;	/* the most: vgpuFuncSetMaxDynamicShared() */
	size_t shared_per_sm;
	size_t const_memory;
	int regs_per_block;
	int regs_per_sm;
	int warp_size;
	int threads_per_block;
	int threads_per_sm;
	int blocks_per_sm;
	int block_limit[3];
	int grid_limit[3];
	int sms;
	int clock_khz;
	int hw_queues;
	int major, minor;		/* compute capability that it presents */
	uint64_t memory_bandwidth;	/* bytes per second */
	uint64_t link_bandwidth;
	int managed_memory;		/* 1: vgpuMallocManaged() */
	int host_memory;		/* 1: kernels use pinned memory in place */
	int process_memory;		/* 1: they use all memory of the process so */
	int copy_engines;		/* transfers at the same time */
	int memory_bus_bits;
	int l2_bytes;
	int virtual_memory;	/* memory is allocated apart from addresses, if asked for */
	int stream_priorities;	/* launches have an order by the priorities of their streams */
	int exports_memory;	/* and may be used by several processes */
	/* static and dynamic, of a function that asks for no more */
	size_t shared_per_block_default;
	int cooperative_launch;	/* all blocks of a grid may wait for each other */
} vgpuDeviceProperties;

/** struct vgpuFunctionAttributes - what the compiler found out about a kernel */
typedef struct vgpuFunctionAttributes {
	int regs;			/* 32-bit registers per thread */
	int max_threads;		/* per block, from registers and launch bounds */
	size_t shared_bytes;		/* static, per block */
	size_t constant_bytes;		/* of the variables of its module */
	size_t local_bytes;		/* per thread */
	size_t spilled_bytes;		/* of local_bytes */
	size_t param_bytes;
	size_t max_dynamic_shared;
} vgpuFunctionAttributes;

/** struct vgpuFault - why the context died, with the names a person needs */
typedef struct vgpuFault {
	vgpuError_t error;		/* what every call returns now; vgpuSuccess: no fault */
	struct vgpu_fault raw;
	char kernel[256];		/* empty: not in a kernel */
	char instruction[128];		/* disassembly */
	unsigned int ptx_line;		/* in the module's PTX, 0: not known */
	char ptx[256];			/* that line */
	char sentence[1024];		/* all of it for a person */
	unsigned int line;		/* in the source, if the PTX says; 0: not known */
	char file[512];			/* the source; empty: not known */
	unsigned int stack_bytes;	/* of a stack that was full; 0: none was */
} vgpuFault;

/* ---- device ------------------------------------------------------------- */

VGPU_API vgpuError_t vgpuGetDeviceCount(int *count);
VGPU_API vgpuError_t vgpuGetDeviceProperties(vgpuDeviceProperties *properties, int device);
/*
 * The device of this thread's calls from now on, 0 at first; it is opened now if that has not
 * happened, and not chosen if it does not open. One whose context is dead is chosen, and the call
 * says so: vgpuDeviceReset() then opens a new one. Streams, events, modules and what they do belong
 * to the device they were made on. Memory is freed, copied and set by the calls without a stream
 * wherever it lies.
 */
VGPU_API vgpuError_t vgpuSetDevice(int device);
VGPU_API vgpuError_t vgpuGetDevice(int *device);
/* Waits for all work of this process. */
VGPU_API vgpuError_t vgpuDeviceSynchronize(void);
/*
 * Ends this process's context: memory, streams, events and modules go; the next call starts a new
 * one.
 */
VGPU_API vgpuError_t vgpuDeviceReset(void);
/*
 * Bytes of the heap of malloc(), free(), new and delete in kernels, 8 MiB at first and again after
 * a reset; at least 16 KiB. Setting it is vgpuErrorInvalidValue after a kernel that uses the heap
 * was launched, and vgpuErrorMemoryAllocation if the device has no room. The memory is mapped when
 * the first module that uses it is loaded; if there is no room then, loading it fails with
 * vgpuErrorMemoryAllocation.
 */
VGPU_API vgpuError_t vgpuDeviceSetHeapSize(size_t bytes);
VGPU_API vgpuError_t vgpuDeviceGetHeapSize(size_t *bytes);
/*
 * Bytes of the stack of each thread, 1024 at first and again after a reset, for kernels launched
 * from now on whose calls are recursive or by address (docs/ptx.md); others have the local memory
 * that they need. vgpuErrorInvalidValue: more than 512 KiB.
 */
VGPU_API vgpuError_t vgpuDeviceSetStackSize(size_t bytes);
VGPU_API vgpuError_t vgpuDeviceGetStackSize(size_t *bytes);
/*
 * The same of the buffer of printf() in kernels, 1 MiB at first, at least 4 KiB. What kernels print
 * beyond it replaces the oldest output that is not on stdout yet.
 */
VGPU_API vgpuError_t vgpuDeviceSetPrintfSize(size_t bytes);
VGPU_API vgpuError_t vgpuDeviceGetPrintfSize(size_t *bytes);
VGPU_API vgpuError_t vgpuMemGetInfo(size_t *free_bytes, size_t *total_bytes);
/* What the device counts for this process: instructions, blocks, SM time … */
VGPU_API vgpuError_t vgpuContextInfo(struct vgpu_context_info *info);
VGPU_API vgpuError_t vgpuDeviceInfo(struct vgpu_device_info *info);
/*
 * A hint for when managed memory does not fit: kernels of this process use the same data one after
 * the other (shared 1), as those at pointer, or they do not (0). InvalidValue: not managed memory.
 */
VGPU_API vgpuError_t vgpuMemAdviseShared(const void *pointer, size_t bytes, int shared);

/* ---- errors ------------------------------------------------------------- */

/* Last failure of this thread; Get forgets it, unless the context is dead: that is sticky. */
VGPU_API vgpuError_t vgpuGetLastError(void);
VGPU_API vgpuError_t vgpuPeekAtLastError(void);
VGPU_API const char *vgpuGetErrorName(vgpuError_t error);
VGPU_API const char *vgpuGetErrorString(vgpuError_t error);
VGPU_API vgpuError_t vgpuGetFault(vgpuFault *fault);
/*
 * The last refusal of this thread in words ("ptx line 12: …"), "" when there is none; valid until
 * its next call.
 */
VGPU_API const char *vgpuGetLastMessage(void);

/* ---- memory ------------------------------------------------------------- */

VGPU_API vgpuError_t vgpuMalloc(void **pointer, size_t bytes);
/*
 * Memory that kernels and the program use at the same address; its pages are where they are used
 * (docs/memory.md). vgpuErrorNotSupported: the device has no such memory.
 */
VGPU_API vgpuError_t vgpuMallocManaged(void **pointer, size_t bytes);
VGPU_API vgpuError_t vgpuMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
/* Waits for all work first, as cudaFree does. */
VGPU_API vgpuError_t vgpuFree(void *pointer);
/*
 * Bring managed memory to the device it was allocated on, or to the host, before it is used there.
 */
VGPU_API vgpuError_t vgpuMemPrefetchAsync(const void *pointer, size_t bytes, int to_device,
					  vgpuStream_t stream);
/*
 * Pinned memory of the process. Kernels of all its devices use it in place, at the same address,
 * whatever the flags (docs/memory.md); where the devices cannot (vgpuDeviceProperties.host_memory),
 * it is for copies only, and what asks for more is vgpuErrorNotSupported. Freeing and unregistering
 * wait for all work of the process. It outlives vgpuDeviceReset().
 *
 * The registered memory may lie anywhere, but not overlap other such ranges
 * (vgpuErrorHostMemoryAlreadyRegistered); it must be unregistered before the program unmaps it.
 * Memory that the process may only read is vgpuErrorInvalidValue without vgpuHostRegisterReadOnly;
 * kernels may only read it, too. vgpuHostRegisterIoMemory is not supported. The flags are
 * remembered for vgpuHostGetFlags(), which, like vgpuHostGetDevicePointer(), takes any address in a
 * range.
 */
VGPU_API vgpuError_t vgpuHostAlloc(void **pointer, size_t bytes, unsigned int flags);
VGPU_API vgpuError_t vgpuMallocHost(void **pointer, size_t bytes);
VGPU_API vgpuError_t vgpuFreeHost(void *pointer);
VGPU_API vgpuError_t vgpuHostRegister(void *pointer, size_t bytes, unsigned int flags);
VGPU_API vgpuError_t vgpuHostUnregister(void *pointer);
VGPU_API vgpuError_t vgpuHostGetDevicePointer(void **device, void *pointer);
VGPU_API vgpuError_t vgpuHostGetFlags(unsigned int *flags, void *pointer);
VGPU_API vgpuError_t vgpuMemcpy(void *dst, const void *src, size_t bytes, vgpuMemcpyKind kind);
VGPU_API vgpuError_t vgpuMemcpyAsync(void *dst, const void *src, size_t bytes, vgpuMemcpyKind kind,
				     vgpuStream_t stream);
VGPU_API vgpuError_t vgpuMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
				  size_t width, size_t height, vgpuMemcpyKind kind);
VGPU_API vgpuError_t vgpuMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src,
				       size_t src_pitch, size_t width, size_t height,
				       vgpuMemcpyKind kind, vgpuStream_t stream);
VGPU_API vgpuError_t vgpuMemset(void *pointer, int value, size_t bytes);
VGPU_API vgpuError_t vgpuMemsetAsync(void *pointer, int value, size_t bytes, vgpuStream_t stream);
VGPU_API vgpuError_t vgpuMemset2D(void *pointer, size_t pitch, int value, size_t width,
				  size_t height);
VGPU_API vgpuError_t vgpuMemset2DAsync(void *pointer, size_t pitch, int value, size_t width,
				       size_t height, vgpuStream_t stream);
/*
 * The same of elements of 1, 2 or 4 bytes: @width is their number in a row, @pitch bytes, both
 * @pointer and @pitch multiples of @element. Synchronous ones go where the memory is.
 */
VGPU_API vgpuError_t vgpuFill2D(void *pointer, size_t pitch, uint32_t value, unsigned int element,
				size_t width, size_t height, vgpuStream_t stream,
				int synchronous);
/* The allocation that holds @pointer. kind: 0 not known, 1 host, 2 device, 3 managed. */
VGPU_API vgpuError_t vgpuPointerInfo(const void *pointer, int *kind, void **base, size_t *bytes);

/* ---- streams and events ------------------------------------------------- */

VGPU_API vgpuError_t vgpuStreamCreate(vgpuStream_t *stream, unsigned int flags);
/*
 * CUDA's priorities: from 0, the least, down to a negative number, the greatest; 0: the device has
 * no priorities. What is beyond the range is clamped to it. Launches alone have an order by it.
 */
VGPU_API vgpuError_t vgpuStreamCreatePriority(vgpuStream_t *stream, unsigned int flags,
					      int priority);
VGPU_API vgpuError_t vgpuStreamPriorityRange(int *least, int *greatest);
VGPU_API vgpuError_t vgpuStreamGetPriority(vgpuStream_t stream, int *priority);
VGPU_API vgpuError_t vgpuStreamDestroy(vgpuStream_t stream);
VGPU_API vgpuError_t vgpuStreamSynchronize(vgpuStream_t stream);
VGPU_API vgpuError_t vgpuStreamQuery(vgpuStream_t stream);
VGPU_API vgpuError_t vgpuStreamWaitEvent(vgpuStream_t stream, vgpuEvent_t event,
					 unsigned int flags);
VGPU_API vgpuError_t vgpuStreamGetFlags(vgpuStream_t stream, unsigned int *flags);
/*
 * A thread of the runtime calls @function once the stream's earlier work is done, and later work
 * of the stream waits for it. The function may not call the API (vgpuErrorNotPermitted).
 */
VGPU_API vgpuError_t vgpuLaunchHostFunc(vgpuStream_t stream, void (*function)(void *),
					void *argument);
VGPU_API vgpuError_t vgpuEventCreate(vgpuEvent_t *event, unsigned int flags);
VGPU_API vgpuError_t vgpuEventDestroy(vgpuEvent_t event);
VGPU_API vgpuError_t vgpuEventRecord(vgpuEvent_t event, vgpuStream_t stream);
VGPU_API vgpuError_t vgpuEventSynchronize(vgpuEvent_t event);
VGPU_API vgpuError_t vgpuEventQuery(vgpuEvent_t event);
/* Virtual time between two records, in milliseconds. */
VGPU_API vgpuError_t vgpuEventElapsedTime(float *ms, vgpuEvent_t start, vgpuEvent_t end);

/* ---- modules and kernels ------------------------------------------------ */

/* Compiles PTX (zero-terminated text), links it to its variables and loads it. */
VGPU_API vgpuError_t vgpuModuleLoad(vgpuModule_t *module, const char *ptx);
VGPU_API vgpuError_t vgpuModuleUnload(vgpuModule_t module);
VGPU_API vgpuError_t vgpuModuleGetFunction(vgpuFunction_t *function, vgpuModule_t module,
					   const char *name);
VGPU_API vgpuError_t vgpuModuleGetGlobal(void **pointer, size_t *bytes, vgpuModule_t module,
					 const char *name);
VGPU_API vgpuError_t vgpuFuncGetAttributes(vgpuFunctionAttributes *attributes,
					   vgpuFunction_t function);
/*
 * Launches of @function may have up to @bytes of dynamic shared memory. Without it, a block has no
 * more shared memory than shared_per_block_default.
 */
VGPU_API vgpuError_t vgpuFuncSetMaxDynamicShared(vgpuFunction_t function, size_t bytes);
/* Blocks of @function that fit on one SM at once. */
VGPU_API vgpuError_t vgpuOccupancy(int *blocks, vgpuFunction_t function, int block_threads,
				   size_t dynamic_shared);
/* @arguments: one pointer for each parameter */
VGPU_API vgpuError_t vgpuLaunchKernel(vgpuFunction_t function, const unsigned int grid[3],
				      const unsigned int block[3], void **arguments,
				      size_t dynamic_shared, vgpuStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
