/* SPDX-License-Identifier: MIT */
/*
 * The driver API's names over the native API: contents page of runtime/driver. A front end like
 * runtime/cuda: it translates names, arguments and error codes, and keeps handles.
 *
 * A CUfunction is a struct vgpuFunction, a CUmodule a struct vgpuModule, a CUkernel a struct
 * rt_kernel, a CUlibrary a struct rt_library; streams and events are the native ones. So what one
 * API makes the other can use.
 *
 * DOC: Contexts
 *
 * A context is a struct rt_state of runtime/api: the primary one of a device, or one of
 * cuCtxCreate() (api/contexts.h). Each thread has a stack of them; that on top is `rt_current', for
 * calls of the runtime API, too.
 */
#ifndef VGPU_DRIVER_H
#define VGPU_DRIVER_H

#include "api/state.h"
#include "cuda.h"

/* error.c: the native code as the driver API has it */
CUresult drv_error(vgpuError_t error);
/* CUDA_ERROR_NOT_SUPPORTED; the first time at its place, stderr says that @what is missing. */
CUresult drv_refuse(bool *said, const char *call, const char *what);
#define DRV_REFUSE(what) ({ \
	static bool said_here; \
	drv_refuse(&said_here, __func__, what); \
})

/*
 * The code of a native call that is of a device, or of the process, and not of a context: the
 * thread has no more of one afterwards than before.
 */
#define DRV_OF_DEVICE(call) ({ \
	bool entered_before = rt_thread_entered; \
	CUresult result_of_call = drv_error(call); \
\
	rt_thread_entered = entered_before; \
	result_of_call; \
})

/*
 * context.c: whether a call that needs a context may go on. CUDA_ERROR_NOT_INITIALIZED,
 * _INVALID_CONTEXT, _CONTEXT_IS_DESTROYED.
 */
CUresult drv_check(void);
/* The same, and takes rt_lock; rt_leave() gives it back. */
CUresult drv_enter(void);
/* cuInit() was called, or the runtime API is in use. */
CUresult drv_initialised(void);
CUresult drv_device(CUdevice device);	/* drv_initialised(), and there is such a device */
CUcontext drv_current(void);
/* False for what is no context, or was destroyed. */
bool drv_context_known(CUcontext context);
/* What the program calls it. */
CUcontext drv_context_of(const struct rt_state *state);

/* device.c: properties, without which device the thread uses being changed */
CUresult drv_properties(CUdevice device, vgpuDeviceProperties *properties);

/* module.c: the function that a handle of either kind names; needs rt_lock */
vgpuError_t drv_function(CUfunction handle, struct vgpuFunction **out);

/* jit.c: what the options of a compilation ask for, and where its messages go */
struct drv_jit {
	struct vgpu_compile_options options;
	char *error_log, *info_log;
	size_t error_room, info_room;
	void **error_size, **info_size;		/* where to put the bytes that were written */
	void **wall_time;
	double started;
};

CUresult drv_jit_begin(struct drv_jit *jit, unsigned int count, const CUjit_option *options,
		       void **values);
/* Writes the logs; @error is what came of it, vgpuGetLastMessage() says more. */
void drv_jit_end(struct drv_jit *jit, vgpuError_t error);

/* copy.c: what CUDA calls a copy between memory of these types */
vgpuMemcpyKind drv_copy_kind(CUmemorytype dst, CUmemorytype src);

static inline vgpuStream_t drv_stream(CUstream stream)
{
	return (vgpuStream_t)(void *)stream;
}

static inline void *drv_pointer(CUdeviceptr pointer)
{
	return (void *)(uintptr_t)pointer;
}

#endif
