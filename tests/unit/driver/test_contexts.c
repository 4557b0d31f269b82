// SPDX-License-Identifier: MIT
/*
 * Contexts: which one is current, what belongs to one, what becomes of those that were destroyed;
 * the runtime API beside them. What each has of its own: test_own_contexts.c.
 */
#include <pthread.h>

#include "drv_rig.h"
#include "vgpu_runtime.h"

/* Runs first: nothing was initialised yet. */
static void nothing_works_before_init(void **state)
{
	CUdeviceptr pointer;
	CUcontext context;
	CUdevice device;
	int count;

	(void)state;
	setenv("VGPU_TRANSPORT", "embedded", 1);
	REFUSED(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
	REFUSED(cuCtxGetCurrent(&context), CUDA_ERROR_NOT_INITIALIZED);
	REFUSED(cuMemAlloc(&pointer, 4), CUDA_ERROR_NOT_INITIALIZED);
	REFUSED(cuInit(1), CUDA_ERROR_INVALID_VALUE);
	OK(cuInit(0));
	OK(cuDeviceGetCount(&count));
	assert_int_equal(count, 1);
	OK(cuDeviceGet(&device, 0));
	REFUSED(cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
	REFUSED(cuDeviceGet(NULL, 0), CUDA_ERROR_INVALID_VALUE);
	/* no context yet */
	OK(cuCtxGetCurrent(&context));
	assert_null(context);
	REFUSED(cuMemAlloc(&pointer, 4), CUDA_ERROR_INVALID_CONTEXT);
	REFUSED(cuCtxPopCurrent(&context), CUDA_ERROR_INVALID_CONTEXT);
}

static void contexts_are_a_stack(void **state)
{
	CUcontext a, b, now, popped;
	CUdevice device;

	(void)state;
	OK(cuCtxCreate(&a, CU_CTX_SCHED_SPIN, 0));
	OK(cuCtxCreate(&b, 0, 0));
	assert_ptr_not_equal(a, b);
	OK(cuCtxGetCurrent(&now));
	assert_ptr_equal(now, b);
	OK(cuCtxPushCurrent(a));
	OK(cuCtxGetCurrent(&now));
	assert_ptr_equal(now, a);
	OK(cuCtxPopCurrent(&popped));
	assert_ptr_equal(popped, a);
	OK(cuCtxGetDevice(&device));
	assert_int_equal(device, 0);
	OK(cuCtxSetCurrent(a));
	OK(cuCtxPopCurrent(&popped));
	assert_ptr_equal(popped, a);
	OK(cuCtxGetCurrent(&now));
	assert_ptr_equal(now, a);	/* below b, which cuCtxSetCurrent() replaced */
	OK(cuCtxSetCurrent(NULL));
	OK(cuCtxGetCurrent(&now));
	assert_null(now);
	OK(cuCtxDestroy(a));
	OK(cuCtxDestroy(b));
	REFUSED(cuCtxCreate(&a, 0x1000, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuCtxCreate(NULL, 0, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuCtxCreate(&a, 0, 7), CUDA_ERROR_INVALID_DEVICE);
	REFUSED(cuCtxPushCurrent((CUcontext)&a), CUDA_ERROR_INVALID_CONTEXT);
	REFUSED(cuCtxDestroy(NULL), CUDA_ERROR_INVALID_CONTEXT);
}

/* As dlsym() finds them. */
CUresult former_push(CUcontext context) __asm__("cuCtxPushCurrent");
CUresult former_pop(CUcontext *context) __asm__("cuCtxPopCurrent");
CUresult former_end(CUcontext context) __asm__("cuCtxDestroy");
CUresult former_stream_end(CUstream stream) __asm__("cuStreamDestroy");
CUresult former_event_end(CUevent event) __asm__("cuEventDestroy");

static void names_of_before_cuda_4(void **state)
{
	CUcontext a, now, popped;
	CUstream stream;
	CUevent event;

	(void)state;
	OK(cuCtxCreate(&a, 0, 0));
	OK(former_pop(&popped));
	assert_ptr_equal(popped, a);
	OK(former_push(a));
	OK(cuCtxGetCurrent(&now));
	assert_ptr_equal(now, a);
	OK(cuStreamCreate(&stream, 0));
	OK(cuEventCreate(&event, 0));
	OK(former_event_end(event));
	OK(former_stream_end(stream));
	REFUSED(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
	OK(former_end(a));
	REFUSED(former_push(a), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

static void *use_it(void *context)
{
	CUdeviceptr pointer;
	CUresult first = cuCtxSetCurrent(context), second;

	second = cuMemAlloc(&pointer, 4);
	return (void *)(uintptr_t)(first == CUDA_ERROR_CONTEXT_IS_DESTROYED &&
				   second == CUDA_ERROR_INVALID_CONTEXT);
}

struct waiting {
	CUcontext context;
	pthread_barrier_t set, gone;
	CUresult alloc;
};

static void *set_it_before(void *argument)
{
	struct waiting *w = argument;
	CUdeviceptr pointer;

	cuCtxSetCurrent(w->context);
	pthread_barrier_wait(&w->set);
	pthread_barrier_wait(&w->gone);
	w->alloc = cuMemAlloc(&pointer, 4);
	return NULL;
}

static void a_destroyed_context_is_told_in_other_threads(void **state)
{
	struct waiting w = { .alloc = CUDA_SUCCESS };
	pthread_t thread;
	void *right;

	(void)state;
	w.context = drv_begin();
	pthread_barrier_init(&w.set, NULL, 2);
	pthread_barrier_init(&w.gone, NULL, 2);
	pthread_create(&thread, NULL, set_it_before, &w);
	pthread_barrier_wait(&w.set);
	OK(cuCtxDestroy(w.context));
	pthread_barrier_wait(&w.gone);
	pthread_join(thread, NULL);
	REFUSED(w.alloc, CUDA_ERROR_CONTEXT_IS_DESTROYED);
	pthread_create(&thread, NULL, use_it, w.context);
	pthread_join(thread, &right);
	assert_non_null(right);
	REFUSED(cuCtxDestroy(w.context), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

/* Half of the memory in each of many contexts: each must have given back what it had. */
static void what_belongs_to_a_context_goes_with_it(void **state)
{
	size_t free_bytes, total;

	(void)state;
	for (int i = 0; i < 5; i++) {
		CUcontext context = drv_begin();
		CUdeviceptr pointer;
		CUmodule module;
		CUstream stream;
		CUevent event;

		OK(cuMemGetInfo(&free_bytes, &total));
		OK(cuMemAlloc(&pointer, free_bytes / 2));
		OK(cuModuleLoadData(&module, drv_ptx));
		OK(cuStreamCreate(&stream, 0));
		OK(cuEventCreate(&event, 0));
		drv_end(context);
	}
}

/* The next context has nothing of it. */
static void a_fault_ends_with_its_context(void **state)
{
	CUcontext context = drv_begin();
	uint64_t where = 0x123456000, more = 0;
	uint32_t value = 1;
	void *params[] = { &where, &value, &more };
	CUfunction set;
	CUmodule module;

	(void)state;
	OK(cuModuleLoadData(&module, drv_ptx));
	OK(cuModuleGetFunction(&set, module, "set"));
	OK(cuLaunchKernel(set, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	REFUSED(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
	REFUSED(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
	drv_end(context);
	context = drv_begin();
	assert_int_equal(drv_read(drv_words(1)), 0);
	drv_end(context);
}

static void the_primary_context_is_the_runtimes(void **state)
{
	CUcontext primary, now, own;
	unsigned int flags;
	CUdeviceptr words;
	void *pointer;
	int active;

	(void)state;
	OK(cuDevicePrimaryCtxRetain(&primary, 0));
	OK(cuCtxSetCurrent(primary));
	assert_int_equal(cudaMalloc(&pointer, 16), cudaSuccess);
	OK(cuMemsetD32((CUdeviceptr)(uintptr_t)pointer, 9, 4));
	assert_int_equal(drv_read((CUdeviceptr)(uintptr_t)pointer + 12), 9);
	OK(cuPointerGetAttribute(&now, CU_POINTER_ATTRIBUTE_CONTEXT,
				 (CUdeviceptr)(uintptr_t)pointer));
	assert_ptr_equal(now, primary);
	OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
	assert_int_equal(active, 1);
	REFUSED(cuCtxDestroy(primary), CUDA_ERROR_INVALID_CONTEXT);
	/* memory of another context of the device, by the runtime's calls */
	OK(cuCtxCreate(&own, 0, 0));
	words = drv_words(1);
	assert_int_equal(cudaMemset((void *)(uintptr_t)words, 1, 4), cudaSuccess);
	assert_int_equal(drv_read(words), 0x01010101);
	assert_int_equal(cudaFree((void *)(uintptr_t)words), cudaSuccess);
	OK(cuCtxDestroy(own));
	OK(cuCtxGetCurrent(&now));
	assert_ptr_equal(now, primary);
	OK(cuDevicePrimaryCtxRelease(0));
	REFUSED(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
	OK(cuCtxSetCurrent(NULL));
}

static void devices_say_what_they_are(void **state)
{
	CUcontext context = drv_begin();
	char name[64], id[16];
	CUdevice device;
	size_t bytes;
	int value;

	(void)state;
	OK(cuDeviceGetName(name, sizeof(name), 0));
	assert_non_null(strstr(name, "vgpu"));
	OK(cuDeviceGetName(name, 3, 0));
	assert_string_equal(name, "vg");
	OK(cuDeviceTotalMem(&bytes, 0));
	assert_true(bytes > 0);
	OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
	assert_int_equal(value, 8);
	OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
	assert_int_equal(value, 0);
	OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
	assert_int_equal(value, 32);
	OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 0));
	assert_int_equal(value, 0);
	REFUSED(cuDeviceGetAttribute(&value, (CUdevice_attribute)100000, 0),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 5),
		CUDA_ERROR_INVALID_DEVICE);
	OK(cuDeviceGetPCIBusId(id, sizeof(id), 0));
	OK(cuDeviceGetByPCIBusId(&device, id));
	assert_int_equal(device, 0);
	REFUSED(cuDeviceGetByPCIBusId(&device, "0000:77:00.0"), CUDA_ERROR_INVALID_DEVICE);
	drv_end(context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_works_before_init),
		cmocka_unit_test(contexts_are_a_stack),
		cmocka_unit_test(names_of_before_cuda_4),
		cmocka_unit_test(a_destroyed_context_is_told_in_other_threads),
		cmocka_unit_test(what_belongs_to_a_context_goes_with_it),
		cmocka_unit_test(a_fault_ends_with_its_context),
		cmocka_unit_test(the_primary_context_is_the_runtimes),
		cmocka_unit_test(devices_say_what_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
