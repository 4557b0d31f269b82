// SPDX-License-Identifier: MIT
/*
 * Contexts of cuCtxCreate(): each has addresses, handles, limits and a fate of its own.
 */
#include <pthread.h>

#include "drv_rig.h"
#include "vgpu_runtime.h"

#define ROUNDS	200000u

/** struct own - a context with what the tests use in it */
struct own {
	CUcontext context;
	CUmodule module, spin_module;
	CUfunction set, spin;
	CUdeviceptr words;
};

static struct own own_begin(void)
{
	struct own own = { .context = drv_begin() };

	OK(cuModuleLoadData(&own.module, drv_ptx));
	OK(cuModuleGetFunction(&own.set, own.module, "set"));
	OK(cuModuleLoadData(&own.spin_module, drv_spin_ptx));
	OK(cuModuleGetFunction(&own.spin, own.spin_module, "spin"));
	own.words = drv_words(16);
	return own;
}

static void set(const struct own *own, CUdeviceptr where, uint32_t value)
{
	uint64_t more = 0;
	void *params[] = { &where, &value, &more };

	OK(cuLaunchKernel(own->set, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
}

static void spin_blocks(const struct own *own, unsigned int blocks, uint32_t rounds)
{
	CUdeviceptr where = own->words;
	void *params[] = { &where, &rounds };

	OK(cuLaunchKernel(own->spin, blocks, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
}

static void spin(const struct own *own)
{
	spin_blocks(own, 1, ROUNDS);
}

static void an_address_is_of_one_context(void **state)
{
	struct own a = own_begin(), b = own_begin();
	CUcontext owner;
	uint32_t value = 1;

	(void)state;
	assert_true(a.words != b.words);
	OK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, a.words));
	assert_ptr_equal(owner, a.context);
	OK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, b.words));
	assert_ptr_equal(owner, b.context);
	/* for copies and fills it is enough */
	OK(cuMemsetD32(a.words, 5, 1));
	OK(cuMemcpyDtoD(b.words + 4, a.words, 4));
	assert_int_equal(drv_read(b.words + 4), 5);
	OK(cuMemcpyDtoDAsync(b.words + 8, a.words, 4, NULL));
	assert_int_equal(drv_read(b.words + 8), 5);
	OK(cuMemsetD32Async(a.words, 6, 1, NULL));
	OK(cuMemcpyPeer(b.words + 12, b.context, a.words, a.context, 4));
	assert_int_equal(drv_read(b.words + 12), 6);
	OK(cuMemcpyDtoHAsync(&value, a.words, 4, NULL));
	assert_int_equal(value, 6);
	/* for a kernel it is no memory */
	set(&b, a.words, 7);
	REFUSED(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
	drv_end(b.context);
	OK(cuCtxSetCurrent(a.context));
	assert_int_equal(drv_read(a.words), 6);
	drv_end(a.context);
}

/* Of one, while the other computes, in either order of waiting. */
static void a_fault_ends_one_context(void **state)
{
	struct own a = own_begin(), b = own_begin();
	CUdeviceptr more;

	(void)state;
	OK(cuCtxSetCurrent(a.context));
	spin(&a);
	OK(cuCtxSetCurrent(b.context));
	set(&b, 0x123456000, 1);
	REFUSED(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
	REFUSED(cuMemAlloc(&more, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
	OK(cuCtxSetCurrent(a.context));
	OK(cuCtxSynchronize());
	assert_int_equal(drv_read(a.words), ROUNDS);
	set(&a, a.words, 3);
	assert_int_equal(drv_read(a.words), 3);
	/* the thread's last error is gone with this, as it is not of the current context */
	assert_int_equal(cudaGetLastError(), cudaErrorIllegalAddress);
	assert_int_equal(cudaGetLastError(), cudaSuccess);
	OK(cuCtxSetCurrent(b.context));
	REFUSED(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
	OK(cuCtxDestroy(b.context));
	OK(cuCtxDestroy(a.context));
}

/* Where the work would be of two contexts. */
static void handles_of_another_context_are_refused(void **state)
{
	struct own a = own_begin(), b;
	CUfunction function;
	CUcontext owner;
	CUdeviceptr where = a.words;
	uint32_t value = 1;
	uint64_t more = 0;
	void *params[] = { &where, &value, &more };
	CUstream stream, stream_b;
	CUevent event, event_b;

	(void)state;
	OK(cuStreamCreate(&stream, 0));
	OK(cuEventCreate(&event, 0));
	b = own_begin();
	OK(cuStreamCreate(&stream_b, 0));
	OK(cuEventCreate(&event_b, 0));
	REFUSED(cuLaunchKernel(a.set, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
		CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuLaunchKernel(b.set, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL),
		CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuModuleGetFunction(&function, a.module, "set"), CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuEventRecord(event, stream_b), CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuEventRecord(event_b, stream), CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuStreamAddCallback(stream, NULL, NULL, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemsetD32Async(b.words, 1, 1, stream), CUDA_ERROR_INVALID_HANDLE);
	/* but it can be waited for, and asked what it is of */
	OK(cuStreamSynchronize(stream));
	OK(cuStreamQuery(stream));
	OK(cuEventSynchronize(event));
	OK(cuStreamGetCtx(stream, &owner));
	assert_ptr_equal(owner, a.context);
	OK(cuStreamGetCtx(stream_b, &owner));
	assert_ptr_equal(owner, b.context);
	OK(cuStreamGetCtx(NULL, &owner));
	assert_ptr_equal(owner, b.context);
	drv_end(b.context);
	OK(cuEventRecord(event, stream));
	OK(cuEventSynchronize(event));
	REFUSED(cuStreamGetCtx(stream_b, &owner), CUDA_ERROR_INVALID_HANDLE);
	drv_end(a.context);
}

/* A stream of one waits for an event of another, which comes late. */
static void a_stream_waits_for_an_event_of_another_context(void **state)
{
	struct own a = own_begin(), b = own_begin();
	CUstream stream;
	CUevent event, done;
	CUdeviceptr words = b.words;

	(void)state;
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuEventCreate(&done, CU_EVENT_DISABLE_TIMING));
	OK(cuCtxSetCurrent(a.context));
	OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	spin(&a);
	OK(cuEventRecord(event, NULL));
	OK(cuCtxSetCurrent(b.context));
	OK(cuStreamWaitEvent(stream, event, 0));
	OK(cuMemsetD32Async(words, 1, 1, stream));
	OK(cuEventRecord(done, stream));
	OK(cuEventSynchronize(done));
	OK(cuEventQuery(event));
	assert_int_equal(drv_read(words), 1);
	/* one that is over, and one of a context that dies */
	OK(cuStreamWaitEvent(stream, event, 0));
	OK(cuStreamSynchronize(stream));
	OK(cuCtxSetCurrent(a.context));
	set(&a, 0x123456000, 1);
	OK(cuEventRecord(event, NULL));
	OK(cuCtxSetCurrent(b.context));
	OK(cuStreamWaitEvent(stream, event, 0));
	OK(cuStreamSynchronize(stream));
	REFUSED(cuEventQuery(event), CUDA_ERROR_ILLEGAL_ADDRESS);
	/* what is of one may be destroyed in the other */
	OK(cuCtxDestroy(a.context));
	REFUSED(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
	a.context = drv_begin();
	OK(cuEventDestroy(done));
	OK(cuStreamDestroy(stream));
	REFUSED(cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
	OK(cuCtxDestroy(a.context));
	OK(cuCtxDestroy(b.context));
	drv_pop_all();
}

static void variables_are_of_each_context(void **state)
{
	struct own a = own_begin(), b = own_begin();
	CUdeviceptr in_a, in_b;

	(void)state;
	OK(cuModuleGetGlobal(&in_b, NULL, b.module, "counter"));
	OK(cuCtxSetCurrent(a.context));
	OK(cuModuleGetGlobal(&in_a, NULL, a.module, "counter"));
	set(&a, in_a, 1);
	OK(cuCtxSetCurrent(b.context));
	assert_int_equal(drv_read(in_a), 1);
	assert_int_equal(drv_read(in_b), 41);
	OK(cuCtxDestroy(a.context));
	OK(cuCtxDestroy(b.context));
}

/* A library is of the process, and a module of each context. */
static void a_library_is_loaded_into_each_context(void **state)
{
	CUdeviceptr in_a, in_b;
	CUlibrary library;
	CUcontext a, b;

	(void)state;
	a = drv_begin();
	OK(cuLibraryLoadData(&library, drv_ptx, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetGlobal(&in_a, NULL, library, "counter"));
	OK(cuMemsetD32(in_a, 2, 1));
	b = drv_begin();
	OK(cuLibraryGetGlobal(&in_b, NULL, library, "counter"));
	assert_true(in_a != in_b);
	assert_int_equal(drv_read(in_b), 41);
	OK(cuCtxDestroy(a));
	assert_int_equal(drv_read(in_b), 41);
	OK(cuCtxDestroy(b));
	a = drv_begin();
	OK(cuLibraryGetGlobal(&in_a, NULL, library, "counter"));
	assert_int_equal(drv_read(in_a), 41);
	OK(cuLibraryUnload(library));
	drv_end(a);
}

static size_t free_memory(void)
{
	size_t free_bytes, total;

	OK(cuMemGetInfo(&free_bytes, &total));
	return free_bytes;
}

/* The memory is the device's; what a context has goes with it, and its work first. */
static void memory_comes_back(void **state)
{
	CUcontext outer = drv_begin();
	size_t before = free_memory();
	struct own a = own_begin();
	CUdeviceptr large;
	CUcontext owner;
	uint32_t value;

	(void)state;
	OK(cuMemAlloc(&large, 64u << 20));
	assert_true(free_memory() <= before - (64u << 20));
	OK(cuCtxPushCurrent(outer));
	assert_true(free_memory() <= before - (64u << 20));
	OK(cuCtxPopCurrent(NULL));
	spin(&a);
	OK(cuCtxDestroy(a.context));
	assert_int_equal(free_memory(), before);
	/* an address of what was destroyed is nobody's, and opens nothing */
	REFUSED(cuMemFree(large), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemsetD32(large, 0, 1), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemcpy(large, large + 4, 4), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemcpyDtoH(&value, large, 4), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, large),
		CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(free_memory(), before);
	drv_end(outer);
}

static void limits_are_of_each_context(void **state)
{
	CUcontext a = drv_begin(), b = drv_begin();
	unsigned long long id_a, id_b;
	size_t normal, value;
	unsigned int version;

	(void)state;
	OK(cuCtxGetLimit(&normal, CU_LIMIT_STACK_SIZE));
	OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2 * normal));
	OK(cuCtxSetCurrent(a));
	OK(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
	assert_int_equal(value, normal);
	OK(cuCtxGetId(a, &id_a));
	OK(cuCtxGetId(b, &id_b));
	assert_true(id_a != id_b);
	OK(cuCtxGetApiVersion(b, &version));
	assert_true(version >= 3020);
	REFUSED(cuCtxEnablePeerAccess(b, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
	REFUSED(cuCtxEnablePeerAccess(a, 0), CUDA_ERROR_INVALID_CONTEXT);
	REFUSED(cuCtxDisablePeerAccess(b), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
	OK(cuCtxDestroy(b));
	OK(cuCtxDestroy(a));
	/* what was said to one is not said to the next */
	a = drv_begin();
	OK(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
	assert_int_equal(value, normal);
	drv_end(a);
}

/* CUDA 2's way: who made it is its first user. */
static void the_last_detach_destroys(void **state)
{
	CUcontext context, same;

	(void)state;
	drv_pop_all();
	context = drv_begin();
	OK(cuCtxAttach(&same, 0));
	assert_ptr_equal(same, context);
	OK(cuCtxDetach(context));
	assert_int_equal(drv_read(drv_words(1)), 0);
	OK(cuCtxDetach(context));
	OK(cuCtxGetCurrent(&same));
	assert_null(same);
	REFUSED(cuCtxDetach(context), CUDA_ERROR_INVALID_CONTEXT);
	REFUSED(cuCtxSetCurrent(context), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

#define MANY	64u

static void many_contexts_are_apart(void **state)
{
	CUcontext contexts[MANY];
	CUdeviceptr words[MANY];

	(void)state;
	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < MANY; i++) {
			contexts[i] = drv_begin();
			words[i] = drv_words(1);
			OK(cuMemsetD32(words[i], i, 1));
		}
		for (unsigned int i = 0; i < MANY; i++) {
			OK(cuCtxSetCurrent(contexts[i]));
			assert_int_equal(drv_read(words[i]), i);
		}
		for (unsigned int i = 0; i < MANY; i++)
			OK(cuCtxDestroy(contexts[i]));
		drv_pop_all();
	}
}

/* More than there can be is no memory; those that there are stay whole. */
static void too_many_are_refused(void **state)
{
	static CUcontext contexts[4096];
	CUdeviceptr words;
	CUresult error = CUDA_SUCCESS;
	unsigned int count;

	(void)state;
	contexts[0] = drv_begin();
	words = drv_words(1);
	for (count = 1; count < 4096; count++) {
		error = cuCtxCreate(&contexts[count], 0, 0);
		if (error != CUDA_SUCCESS)
			break;
		OK(cuCtxPopCurrent(NULL));
	}
	REFUSED(error, CUDA_ERROR_OUT_OF_MEMORY);
	assert_true(count >= MANY);
	assert_int_equal(drv_read(words), 0);
	while (count)
		OK(cuCtxDestroy(contexts[--count]));
	drv_end(drv_begin());
}

/* ---- beside the runtime API ---------------------------------------------- */

static void the_runtime_uses_the_current_context(void **state)
{
	CUcontext own = drv_begin(), primary, owner;
	void *in_own, *in_primary;
	uint32_t value = 9;
	int device = -1;

	(void)state;
	assert_int_equal(cudaMalloc(&in_own, 4), cudaSuccess);
	OK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT,
				 (CUdeviceptr)(uintptr_t)in_own));
	assert_ptr_equal(owner, own);
	OK(cuDevicePrimaryCtxRetain(&primary, 0));
	OK(cuCtxPushCurrent(primary));
	assert_int_equal(cudaMalloc(&in_primary, 4), cudaSuccess);
	assert_int_equal(cudaMemcpy(in_primary, &value, 4, cudaMemcpyHostToDevice), cudaSuccess);
	assert_int_equal(cudaMemcpy(in_own, in_primary, 4, cudaMemcpyDeviceToDevice), cudaSuccess);
	OK(cuCtxPopCurrent(NULL));
	/* the primary one goes, and this one stays */
	assert_int_equal(cudaDeviceReset(), cudaSuccess);
	value = 0;
	assert_int_equal(cudaMemcpy(&value, in_own, 4, cudaMemcpyDeviceToHost), cudaSuccess);
	assert_int_equal(value, 9);
	assert_int_equal(cudaFree(in_primary), cudaErrorInvalidValue);
	assert_int_equal(cudaGetDevice(&device), cudaSuccess);
	assert_int_equal(device, 0);
	/* this call is for the primary one */
	assert_int_equal(cudaSetDevice(0), cudaSuccess);
	OK(cuCtxGetCurrent(&owner));
	assert_ptr_equal(owner, primary);
	OK(cuDevicePrimaryCtxRelease(0));
	OK(cuCtxDestroy(own));
	OK(cuCtxSetCurrent(NULL));
}

struct meeting {
	CUcontext context, none, primary;
	pthread_barrier_t set, gone;
	int alloc, again;
	CUresult driver;
};

static void *keep_it_current(void *argument)
{
	struct meeting *m = argument;
	void *pointer;

	cuCtxSetCurrent(m->context);
	pthread_barrier_wait(&m->set);
	pthread_barrier_wait(&m->gone);
	m->alloc = cudaMalloc(&pointer, 4);
	m->driver = cuCtxSynchronize();
	cuCtxPopCurrent(NULL);
	cuCtxGetCurrent(&m->none);
	m->again = cudaMalloc(&pointer, 4);
	cuCtxGetCurrent(&m->primary);
	cudaFree(pointer);
	return NULL;
}

/* A thread in which a destroyed context is current has not got the next one. */
static void a_thread_keeps_a_destroyed_context(void **state)
{
	struct meeting m = { .alloc = 0 };
	pthread_t thread;
	CUcontext next;

	(void)state;
	m.context = drv_begin();
	pthread_barrier_init(&m.set, NULL, 2);
	pthread_barrier_init(&m.gone, NULL, 2);
	pthread_create(&thread, NULL, keep_it_current, &m);
	pthread_barrier_wait(&m.set);
	OK(cuCtxDestroy(m.context));
	next = drv_begin();
	pthread_barrier_wait(&m.gone);
	pthread_join(thread, NULL);
	assert_int_equal(m.alloc, cudaErrorContextIsDestroyed);
	REFUSED(m.driver, CUDA_ERROR_CONTEXT_IS_DESTROYED);
	assert_int_equal(m.again, cudaSuccess);
	assert_null(m.none);
	assert_non_null(m.primary);
	drv_end(next);
	assert_int_equal(cudaDeviceReset(), cudaSuccess);
}

/* ---- threads ------------------------------------------------------------- */

#define THREADS	4u
#define STEPS	20u

static struct own shared_one;

/* Of its own context and of one that all have, in turn. */
static void *work(void *argument)
{
	uint32_t number = (uint32_t)(uintptr_t)argument;
	struct own mine = own_begin();
	CUcontext now, popped;

	for (uint32_t step = 0; step < STEPS; step++) {
		set(&mine, mine.words, 100 * number + step);
		OK(cuCtxPushCurrent(shared_one.context));
		set(&shared_one, shared_one.words + 4 * number, step);
		OK(cuCtxSynchronize());
		OK(cuCtxPopCurrent(&popped));
		assert_ptr_equal(popped, shared_one.context);
		OK(cuCtxGetCurrent(&now));
		assert_ptr_equal(now, mine.context);
		assert_int_equal(drv_read(mine.words), 100 * number + step);
	}
	drv_end(mine.context);
	return NULL;
}

static void threads_have_stacks_of_their_own(void **state)
{
	pthread_t threads[THREADS];

	(void)state;
	shared_one = own_begin();
	for (uintptr_t n = 0; n < THREADS; n++)
		pthread_create(&threads[n], NULL, work, (void *)n);
	for (unsigned int n = 0; n < THREADS; n++)
		pthread_join(threads[n], NULL);
	for (unsigned int n = 0; n < THREADS; n++)
		assert_int_equal(drv_read(shared_one.words + 4 * n), STEPS - 1);
	drv_end(shared_one.context);
}

/* ---- for the device they are like two processes --------------------------- */

/* Virtual time of a short kernel of one context behind a long one of another. */
static float time_beside(const char *policy)
{
	struct own a, b;
	CUevent begin, end;
	float ms;

	drv_reset();
	setenv("VGPU_SET", policy, 1);
	a = own_begin();
	OK(cuEventCreate(&begin, 0));
	OK(cuEventCreate(&end, 0));
	b = own_begin();
	spin_blocks(&b, 20000, 20);
	OK(cuCtxSetCurrent(a.context));
	OK(cuEventRecord(begin, NULL));
	spin_blocks(&a, 4, 20);
	OK(cuEventRecord(end, NULL));
	OK(cuEventSynchronize(end));
	OK(cuEventElapsedTime(&ms, begin, end));
	OK(cuCtxDestroy(a.context));
	OK(cuCtxDestroy(b.context));
	unsetenv("VGPU_SET");
	drv_pop_all();
	return ms;
}

/* One after the other, or each with its part of the SMs. */
static void policies_tell_contexts_apart(void **state)
{
	float behind, beside;

	(void)state;
	behind = time_beside("policy=fcfs");
	beside = time_beside("policy=dss,preemption=switch");
	assert_true(beside > 0);
	assert_true(behind > 2 * beside);
}

/* ---- what is of the process or of the device ----------------------------- */

static void pinned_memory_is_of_all_contexts(void **state)
{
	struct own a = own_begin(), b;
	uint32_t *pinned;

	(void)state;
	OK(cuMemHostAlloc((void **)&pinned, 8, CU_MEMHOSTALLOC_PORTABLE));
	b = own_begin();
	set(&b, (CUdeviceptr)(uintptr_t)pinned, 4);
	OK(cuCtxSynchronize());
	OK(cuCtxSetCurrent(a.context));
	set(&a, (CUdeviceptr)(uintptr_t)&pinned[1], 5);
	OK(cuCtxSynchronize());
	assert_int_equal(pinned[0], 4);
	assert_int_equal(pinned[1], 5);
	OK(cuCtxDestroy(b.context));
	OK(cuMemFreeHost(pinned));
	OK(cuCtxDestroy(a.context));
}

static void a_pool_outlives_contexts(void **state)
{
	CUmemPoolProps props = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
	};
	CUcontext a = drv_begin(), b, owner;
	uint64_t keep = UINT64_MAX, one, bytes;
	CUdeviceptr in_a, in_b;
	CUmemoryPool pool;

	(void)state;
	OK(cuMemPoolCreate(&pool, &props));
	OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
	OK(cuMemAllocFromPoolAsync(&in_a, 4096, pool, NULL));
	OK(cuMemFreeAsync(in_a, NULL));		/* which the pool holds */
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &one));
	assert_true(one >= 4096);
	b = drv_begin();
	OK(cuMemAllocFromPoolAsync(&in_b, 4096, pool, NULL));
	assert_true(in_a != in_b);
	OK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, in_b));
	assert_ptr_equal(owner, b);
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &bytes));
	assert_int_equal(bytes, 2 * one);
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes));
	assert_int_equal(bytes, 4096);
	OK(cuCtxDestroy(a));
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &bytes));
	assert_int_equal(bytes, one);
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &bytes));
	assert_int_equal(bytes, 2 * one);
	OK(cuMemFreeAsync(in_b, NULL));
	OK(cuStreamSynchronize(NULL));
	OK(cuMemPoolTrimTo(pool, 0));
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &bytes));
	assert_int_equal(bytes, 0);
	OK(cuMemPoolDestroy(pool));
	OK(cuCtxDestroy(b));
	OK(cuCtxSetCurrent(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_is_of_one_context),
		cmocka_unit_test(a_fault_ends_one_context),
		cmocka_unit_test(handles_of_another_context_are_refused),
		cmocka_unit_test(a_stream_waits_for_an_event_of_another_context),
		cmocka_unit_test(variables_are_of_each_context),
		cmocka_unit_test(a_library_is_loaded_into_each_context),
		cmocka_unit_test(memory_comes_back),
		cmocka_unit_test(limits_are_of_each_context),
		cmocka_unit_test(the_last_detach_destroys),
		cmocka_unit_test(many_contexts_are_apart),
		cmocka_unit_test(too_many_are_refused),
		cmocka_unit_test(the_runtime_uses_the_current_context),
		cmocka_unit_test(a_thread_keeps_a_destroyed_context),
		cmocka_unit_test(threads_have_stacks_of_their_own),
		cmocka_unit_test(policies_tell_contexts_apart),
		cmocka_unit_test(pinned_memory_is_of_all_contexts),
		cmocka_unit_test(a_pool_outlives_contexts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
