// SPDX-License-Identifier: MIT
/*
 * Driver API: contexts, the primary one of each device and those of the program; which one is
 * current in a thread. See driver.h.
 */
#include <stdlib.h>

#include "api/contexts.h"
#include "api/host_call.h"
#include "api/memory/virtual.h"
#include "driver.h"

struct CUctx_st {
	struct CUctx_st *next;
	uint64_t id;
	struct rt_state *state;		/* NULL: destroyed, and no thread has it */
	int device;
	bool primary, destroyed;
	unsigned int flags;
	unsigned int retained;		/* primary: how often */
	unsigned int attached;		/* so often, beside the first */
	unsigned int uses;		/* in stacks of threads; with the lock */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool initialised;
/* Those that were destroyed stay, so that what still names them is told so. */
static CUcontext contexts;
static struct CUctx_st primaries[RT_DEVICES];
static uint64_t last_id;

/*
 * What the thread has made current, the last one on top. A thread that has nothing there has the
 * primary context of the runtime API's device, as soon as it uses that.
 */
static __thread struct {
	CUcontext *of;
	unsigned int depth, room;
} stack;

static pthread_key_t stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;

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
		context->state = &rt_devices[device];
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

CUcontext drv_context_of(const struct rt_state *state)
{
	return rt_is_primary(state) ? primary_of(rt_device_of(state)) : state->front;
}

/* ---- which one is current ------------------------------------------------ */

/* Stacks have it, and its state is another context's only when none has it any more. */
static bool use(CUcontext context)
{
	bool there;

	pthread_mutex_lock(&lock);
	there = context->state;
	context->uses += there;
	pthread_mutex_unlock(&lock);
	return there;
}

static void unuse(CUcontext context)
{
	struct rt_state *over = NULL;

	pthread_mutex_lock(&lock);
	if (!--context->uses && context->destroyed) {
		over = context->state;
		context->state = NULL;
	}
	pthread_mutex_unlock(&lock);
	if (over)
		rt_context_forget(over);
}

/* The thread ends. */
static void drop_stack(void *unused)
{
	(void)unused;
	rt_current = &rt_devices[rt_device()];
	while (stack.depth)
		unuse(stack.of[--stack.depth]);
	free(stack.of);
	stack.of = NULL;
	stack.room = 0;
}

static void make_key(void)
{
	pthread_key_create(&stack_key, drop_stack);
}

static bool make_room(void)
{
	unsigned int room = stack.room ? stack.room * 2 : 8;
	CUcontext *grown;

	if (stack.depth < stack.room)
		return true;
	pthread_once(&stack_once, make_key);
	pthread_setspecific(stack_key, &stack);
	grown = realloc(stack.of, room * sizeof(*grown));
	if (!grown)
		return false;
	stack.of = grown;
	stack.room = room;
	return true;
}

static CUcontext top_of_stack(void)
{
	return stack.depth ? stack.of[stack.depth - 1] : NULL;
}

/* @context instead of that on top, which there is. */
static bool replace_top(CUcontext context)
{
	CUcontext before = top_of_stack();

	if (!use(context))
		return false;
	stack.of[stack.depth - 1] = context;
	unuse(before);
	return true;
}

CUcontext drv_current(void)
{
	CUcontext top = top_of_stack();

	if (!top)
		return rt_thread_entered ? primary_of(rt_device()) : NULL;
	/* cudaSetDevice() has chosen the primary one of a device meanwhile */
	if (top->state != rt_current) {
		replace_top(primary_of(rt_device()));
		top = top_of_stack();
	}
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

/* What is on top is current; with nothing there it is, for the runtime API, the primary one. */
static void make_top_current(void)
{
	CUcontext top = top_of_stack();

	rt_current = top ? top->state : &rt_devices[rt_device()];
}

/* Makes it current, on top of the others. */
static CUresult push(CUcontext context)
{
	if (!make_room())
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!stack.depth && rt_thread_entered && use(primary_of(rt_device())))
		stack.of[stack.depth++] = primary_of(rt_device());
	if (!make_room())
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!use(context))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	stack.of[stack.depth++] = context;
	make_top_current();
	return CUDA_SUCCESS;
}

static void pop(void)
{
	CUcontext top = top_of_stack();

	if (top)
		stack.depth--;
	make_top_current();
	if (top)
		unuse(top);
	/* nothing is, until the thread uses the runtime API next */
	__atomic_store_n(&initialised, true, __ATOMIC_RELAXED);
	if (!stack.depth)
		rt_thread_entered = false;
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
	drv_current();
	return push(context);
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
	pop();
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
	if (!context) {
		pop();
		return CUDA_SUCCESS;
	}
	if (!stack.depth) {
		rt_thread_entered = false;
		return push(context);
	}
	if (!replace_top(context))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	make_top_current();
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

/* ---- contexts of the program --------------------------------------------- */

/* The primary one may have been opened to ask for properties of the device. */
static void leave_primary(int device)
{
	CUcontext primary = primary_of(device);
	bool used;

	pthread_mutex_lock(&lock);
	used = primary->uses || primary->retained;
	pthread_mutex_unlock(&lock);
	if (!used)
		rt_primary_leave(device);
}

static CUresult create(CUcontext *out, unsigned int flags, CUdevice device)
{
	CUresult error = drv_device(device);
	CUcontext context;

	if (error != CUDA_SUCCESS)
		return error;
	if (!out || (flags & ~(unsigned int)CU_CTX_FLAGS_MASK))
		return CUDA_ERROR_INVALID_VALUE;
	context = calloc(1, sizeof(*context));
	if (!context)
		return CUDA_ERROR_OUT_OF_MEMORY;
	context->device = device;
	context->flags = flags;
	error = drv_error(rt_context_open(device, context, &context->state));
	if (error != CUDA_SUCCESS) {
		free(context);
		return error;
	}
	pthread_mutex_lock(&lock);
	context->id = ++last_id;
	context->next = contexts;
	contexts = context;
	pthread_mutex_unlock(&lock);
	drv_current();
	error = push(context);
	if (error != CUDA_SUCCESS) {
		cuCtxDestroy(context);
		return error;
	}
	leave_primary(device);
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

	if (error != CUDA_SUCCESS)
		return error;
	if (!is_context(context) || context->primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (rt_in_host_call())
		return CUDA_ERROR_NOT_PERMITTED;
	if (!use(context))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	if (__atomic_exchange_n(&context->destroyed, true, __ATOMIC_RELAXED)) {
		unuse(context);
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	}
	rt_context_close(context->state);
	if (drv_current() == context)
		pop();
	unuse(context);
	return CUDA_SUCCESS;
}

/* CUDA 2's counting of users: a context has one from the start, and ends with the last. */
CUresult cuCtxAttach(CUcontext *context, unsigned int flags)
{
	CUresult error = drv_check();

	if (error != CUDA_SUCCESS)
		return error;
	if (!context || flags)
		return CUDA_ERROR_INVALID_VALUE;
	*context = drv_current();
	pthread_mutex_lock(&lock);
	(*context)->attached++;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext context)
{
	CUresult error = drv_initialised();
	bool last;

	if (error != CUDA_SUCCESS)
		return error;
	if (!drv_context_known(context) || context != drv_current())
		return CUDA_ERROR_INVALID_CONTEXT;
	pthread_mutex_lock(&lock);
	last = !context->attached && !context->primary;
	if (context->attached)
		context->attached--;
	pthread_mutex_unlock(&lock);
	return last ? cuCtxDestroy(context) : CUDA_SUCCESS;
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

/*
 * Nobody retains it, and the runtime API has no code there: the next one is clean. Memory of
 * cuMemCreate() stays, unless the context is dead.
 */
static void reset_if_unused(int device)
{
	struct rt_state *before = rt_current;
	bool used;

	rt_current = &rt_devices[device];
	pthread_mutex_lock(&rt_lock);
	used = rt.phase != RT_READY ||
	       (rt.sticky == vgpuSuccess && (rt.modules || rt_virtual_in_use()));
	pthread_mutex_unlock(&rt_lock);
	if (!used)
		vgpuDeviceReset();
	rt_current = before;
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
