// SPDX-License-Identifier: MIT
/*
 * Driver API: contexts, the primary one of each device and those of the program; which one is
 * current in a thread; what belongs to one. See driver.h.
 */
#include <stdlib.h>

#include "api/memory/virtual.h"
#include "driver.h"

#define STACK	64u

struct CUctx_st {
	struct CUctx_st *next;
	uint64_t id;
	int device;
	bool primary, destroyed;
	unsigned int flags;
	unsigned int retained;		/* primary: how often */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool initialised;
/* Those that were destroyed stay, so that what still names them is told so. */
static CUcontext contexts;
static struct CUctx_st primaries[RT_DEVICES];
static uint64_t last_id;

/*
 * What the thread has made current, the last one on top. A thread that has done nothing of the kind
 * has the primary context of the runtime API's device, as soon as it uses that.
 */
static __thread CUcontext stack[STACK];
static __thread unsigned int depth;
static __thread bool touched;

/* ---- which ones there are ------------------------------------------------ */

CUresult cuInit(unsigned int flags)
{
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (!rt_device_count()) {
		vgpuError_t error = rt_enter();

		return error == vgpuSuccess ? drv_error(rt_leave(vgpuErrorNoDevice)) :
					      drv_error(error);
	}
	__atomic_store_n(&initialised, true, __ATOMIC_RELAXED);
	return CUDA_SUCCESS;
}

CUresult drv_initialised(void)
{
	if (__atomic_load_n(&initialised, __ATOMIC_RELAXED) || rt_thread_entered)
		return CUDA_SUCCESS;
	return CUDA_ERROR_NOT_INITIALIZED;
}

static CUcontext primary_of(int device)
{
	struct CUctx_st *context = &primaries[device];

	pthread_mutex_lock(&lock);
	if (!context->id) {
		context->primary = true;
		context->device = device;
		context->id = ++last_id;
	}
	pthread_mutex_unlock(&lock);
	return context;
}

static bool is_context(CUcontext handle)
{
	bool found = false;

	for (unsigned int i = 0; i < RT_DEVICES; i++)
		if (handle == &primaries[i])
			return handle->id;
	pthread_mutex_lock(&lock);
	for (CUcontext context = contexts; context && !found; context = context->next)
		found = context == handle;
	pthread_mutex_unlock(&lock);
	return found;
}

bool drv_context_known(CUcontext context)
{
	return is_context(context) && !__atomic_load_n(&context->destroyed, __ATOMIC_RELAXED);
}

int drv_context_device(CUcontext context)
{
	return context->device;
}

/* ---- which one is current ------------------------------------------------ */

CUcontext drv_current(void)
{
	CUcontext top = depth ? stack[depth - 1] : NULL;

	if (!touched)
		return rt_thread_entered ? primary_of(rt_device()) : NULL;
	/* cudaSetDevice() has chosen another device meanwhile */
	if (top && top->device != rt_device())
		stack[depth - 1] = top = primary_of(rt_device());
	return top;
}

CUresult drv_check(void)
{
	CUresult error = drv_initialised();
	CUcontext context;

	if (error != CUDA_SUCCESS)
		return error;
	context = drv_current();
	if (!context)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (__atomic_load_n(&context->destroyed, __ATOMIC_RELAXED))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	return CUDA_SUCCESS;
}

CUresult drv_enter(void)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ? drv_error(rt_enter()) : error;
}

static void make_current(CUcontext context)
{
	touched = true;
	if (context)
		rt_current = &rt_devices[context->device];
}

CUresult cuCtxPushCurrent(CUcontext context)
{
	CUresult error = drv_initialised();

	if (error != CUDA_SUCCESS)
		return error;
	if (!is_context(context))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (context->destroyed)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	if (!touched && rt_thread_entered)
		stack[depth++] = primary_of(rt_device());
	if (depth == STACK)
		return CUDA_ERROR_INVALID_VALUE;
	stack[depth++] = context;
	make_current(context);
	return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *context)
{
	CUresult error = drv_initialised();
	CUcontext top;

	if (error != CUDA_SUCCESS)
		return error;
	top = drv_current();
	if (!top)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (depth)
		depth--;
	make_current(depth ? stack[depth - 1] : NULL);
	if (context)
		*context = top;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
	CUresult error = drv_initialised();

	if (error != CUDA_SUCCESS)
		return error;
	if (context && !is_context(context))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (context && context->destroyed)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	if (!context && depth)
		depth--;
	else if (context && !depth)
		stack[depth++] = context;
	else if (context)
		stack[depth - 1] = context;
	make_current(context ? context : depth ? stack[depth - 1] : NULL);
	return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
	CUresult error = drv_initialised();

	if (error != CUDA_SUCCESS)
		return error;
	if (!context)
		return CUDA_ERROR_INVALID_VALUE;
	*context = drv_current();
	return CUDA_SUCCESS;
}

/* ---- what belongs to one ------------------------------------------------- */

/*
 * The primary context's goes with the device: nobody has to know. So does what a thread makes while
 * another one destroys the context.
 */
void drv_own(enum rt_owned kind, const void *handle)
{
	CUcontext context = drv_current();

	if (!context || context->primary)
		return;
	pthread_mutex_lock(&rt_lock);
	if (!__atomic_load_n(&context->destroyed, __ATOMIC_RELAXED))
		rt_own(kind, handle, context);
	pthread_mutex_unlock(&rt_lock);
}

CUcontext drv_owner(enum rt_owned kind, const void *handle, int device)
{
	const void *context;

	pthread_mutex_lock(&rt_lock);
	context = rt_owned_by(kind, handle);
	pthread_mutex_unlock(&rt_lock);
	return context ? (CUcontext)(uintptr_t)context : primary_of(device);
}

static void free_owned(CUcontext context)
{
	enum rt_owned kind;
	void *handle;

	for (;;) {
		pthread_mutex_lock(&rt_lock);
		handle = (void *)(uintptr_t)rt_owned_take(context, &kind);
		pthread_mutex_unlock(&rt_lock);
		if (!handle)
			return;
		switch (kind) {
		case RT_OWNED_MEMORY: vgpuFree(handle); break;
		case RT_OWNED_STREAM: vgpuStreamDestroy(handle); break;
		case RT_OWNED_EVENT: vgpuEventDestroy(handle); break;
		case RT_OWNED_MODULE: vgpuModuleUnload(handle); break;
		}
	}
}

/* ---- contexts of the program --------------------------------------------- */

/*
 * No context of the device is left, and the runtime API has no code there: a new one is clean.
 * Memory of cuMemCreate() is of no context, and stays, unless the device's only one is dead.
 */
static void reset_if_unused(int device)
{
	struct rt_state *before = rt_current;
	bool used = primaries[device].retained;

	pthread_mutex_lock(&lock);
	for (CUcontext context = contexts; context; context = context->next)
		used |= !context->destroyed && context->device == device;
	pthread_mutex_unlock(&lock);
	rt_current = &rt_devices[device];
	pthread_mutex_lock(&rt_lock);
	used |= rt.phase != RT_READY ||
		(rt.sticky == vgpuSuccess && (rt.modules || rt_virtual_in_use()));
	pthread_mutex_unlock(&rt_lock);
	if (!used)
		vgpuDeviceReset();
	rt_current = before;
}

static CUresult create(CUcontext *out, unsigned int flags, CUdevice device)
{
	CUresult error = drv_device(device);
	CUcontext context;

	if (error != CUDA_SUCCESS)
		return error;
	if (!out || (flags & ~(unsigned int)CU_CTX_FLAGS_MASK))
		return CUDA_ERROR_INVALID_VALUE;
	if (depth == STACK)
		return CUDA_ERROR_INVALID_VALUE;
	context = calloc(1, sizeof(*context));
	if (!context)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!touched && rt_thread_entered)
		stack[depth++] = primary_of(rt_device());
	context->device = device;
	context->flags = flags;
	pthread_mutex_lock(&lock);
	context->id = ++last_id;
	context->next = contexts;
	contexts = context;
	pthread_mutex_unlock(&lock);
	stack[depth++] = context;
	make_current(context);
	error = drv_error(rt_enter());
	if (error == CUDA_SUCCESS)
		error = drv_error(rt_leave(vgpuSuccess));
	if (error != CUDA_SUCCESS) {
		cuCtxDestroy(context);
		return error;
	}
	*out = context;
	return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device)
{
	return create(context, flags, device);
}

CUresult cuCtxCreate_v3(CUcontext *context, void *affinity, int count, unsigned int flags,
			CUdevice device)
{
	if (affinity || count)
		return DRV_REFUSE("an affinity to some SMs is");
	return create(context, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned int flags,
			CUdevice device)
{
	if (params && (params->numExecAffinityParams || params->cigParams))
		return DRV_REFUSE("an affinity to some SMs is");
	return create(context, flags, device);
}

CUresult cuCtxDestroy(CUcontext context)
{
	CUresult error = drv_initialised();
	struct rt_state *before = rt_current;

	if (error != CUDA_SUCCESS)
		return error;
	if (!is_context(context) || context->primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (__atomic_exchange_n(&context->destroyed, true, __ATOMIC_RELAXED))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	rt_current = &rt_devices[context->device];
	free_owned(context);
	reset_if_unused(context->device);
	rt_current = before;
	if (depth && stack[depth - 1] == context) {
		depth--;
		make_current(depth ? stack[depth - 1] : NULL);
	}
	return CUDA_SUCCESS;
}

/* CUDA 2's counting of users: a context has one. */
CUresult cuCtxAttach(CUcontext *context, unsigned int flags)
{
	CUresult error = drv_check();

	if (error != CUDA_SUCCESS)
		return error;
	if (!context || flags)
		return CUDA_ERROR_INVALID_VALUE;
	*context = drv_current();
	return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext context)
{
	return drv_context_known(context) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

/* ---- the primary context -------------------------------------------------- */

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
	CUresult error = drv_device(device);
	struct rt_state *before = rt_current;
	bool entered = rt_thread_entered;
	CUcontext primary;

	if (error != CUDA_SUCCESS)
		return error;
	if (!context)
		return CUDA_ERROR_INVALID_VALUE;
	primary = primary_of(device);
	rt_current = &rt_devices[device];
	error = drv_error(rt_enter());
	if (error == CUDA_SUCCESS)
		error = drv_error(rt_leave(vgpuSuccess));
	rt_current = before;
	rt_thread_entered = entered;
	if (error != CUDA_SUCCESS)
		return error;
	__atomic_fetch_add(&primary->retained, 1, __ATOMIC_RELAXED);
	*context = primary;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
	CUresult error = drv_device(device);
	struct CUctx_st *primary;

	if (error != CUDA_SUCCESS)
		return error;
	primary = primary_of(device);
	if (!primary->retained)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!__atomic_sub_fetch(&primary->retained, 1, __ATOMIC_RELAXED))
		reset_if_unused(device);
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
	CUresult error = drv_device(device);
	struct rt_state *before = rt_current;

	if (error != CUDA_SUCCESS)
		return error;
	rt_current = &rt_devices[device];
	error = drv_error(vgpuDeviceReset());
	rt_current = before;
	return error;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags)
{
	CUresult error = drv_device(device);

	if (error != CUDA_SUCCESS)
		return error;
	if (flags & ~(unsigned int)CU_CTX_FLAGS_MASK)
		return CUDA_ERROR_INVALID_VALUE;
	primary_of(device)->flags = flags;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
	CUresult error = drv_device(device);

	if (error != CUDA_SUCCESS)
		return error;
	if (!flags || !active)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = primary_of(device)->flags;
	*active = primary_of(device)->retained || rt_devices[device].modules;
	return CUDA_SUCCESS;
}

/* CUDA 7's names. */
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags
CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
	return cuDevicePrimaryCtxRelease_v2(device);
}

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
	return cuDevicePrimaryCtxReset_v2(device);
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags)
{
	return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

/* ---- about the current context -------------------------------------------- */

CUresult cuCtxGetDevice(CUdevice *device)
{
	CUresult error = drv_check();

	if (error != CUDA_SUCCESS)
		return error;
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	*device = drv_current()->device;
	return CUDA_SUCCESS;
}

/* NULL is the current one. */
static CUresult context_or_current(CUcontext *context)
{
	CUresult error = *context ? drv_initialised() : drv_check();

	if (error != CUDA_SUCCESS)
		return error;
	if (!*context)
		*context = drv_current();
	if (!is_context(*context))
		return CUDA_ERROR_INVALID_CONTEXT;
	return (*context)->destroyed ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
	CUresult error = context_or_current(&context);

	if (error == CUDA_SUCCESS && !id)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		*id = context->id;
	return error;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
	CUresult error = context_or_current(&context);

	if (error == CUDA_SUCCESS && !version)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		*version = 3020;
	return error;
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && !flags)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		*flags = drv_current()->flags;
	return error;
}

CUresult cuCtxSetFlags(unsigned int flags)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && (flags & ~(unsigned int)CU_CTX_FLAGS_MASK))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		drv_current()->flags = flags;
	return error;
}

CUresult cuCtxSynchronize(void)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ? drv_error(vgpuDeviceSynchronize()) : error;
}
