// SPDX-License-Identifier: MIT
/*
 * What the end of a context leaves, also of one that could not be opened; and what other threads
 * and other contexts do meanwhile.
 */
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "drv_rig.h"
#include "variables.h"
#include "vgpu_runtime.h"

#define ROUNDS	300000u

/** struct spinner - a context with a kernel that takes its time */
struct spinner {
	CUcontext context;
	CUfunction spin;
};

static struct spinner spinner_begin(void)
{
	struct spinner spinner = { .context = drv_begin() };
	CUmodule module;

	OK(cuModuleLoadData(&module, drv_spin_ptx));
	OK(cuModuleGetFunction(&spinner.spin, module, "spin"));
	return spinner;
}

static void spin(const struct spinner *spinner, CUdeviceptr where, CUstream stream)
{
	uint32_t rounds = ROUNDS;
	void *params[] = { &where, &rounds };

	OK(cuLaunchKernel(spinner->spin, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
}

/* ---- memory of pools ----------------------------------------------------- */

/* Which another one of the same number has at the same address. */
static void memory_of_a_pool_ends_with_its_context(void **state)
{
	uint64_t all = UINT64_MAX, none = 0, high;
	CUcontext context = drv_begin();
	CUdeviceptr before, pointer, base;
	CUmemoryPool pool;
	size_t bytes;

	(void)state;
	OK(cuDeviceGetDefaultMemPool(&pool, 0));
	OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all));
	OK(cuMemAllocAsync(&before, 512, NULL));
	OK(cuMemFreeAsync(before, NULL));
	OK(cuCtxSynchronize());
	drv_end(context);
	context = drv_begin();
	OK(cuMemAlloc(&pointer, 1 << 20));
	OK(cuMemGetAddressRange(&base, &bytes, pointer));
	assert_true(base == pointer && bytes == 1 << 20);
	OK(cuMemsetD32(pointer, 5, 1 << 18));
	assert_int_equal(drv_read(pointer + (1 << 20) - 4), 5);
	OK(cuMemFree(pointer));
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &high));
	assert_int_equal(high, 0);
	OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &none));
	drv_end(context);
}

/* Its last allocation may be in a context that is closed. */
static void a_destroyed_pool_ends_with_a_context(void **state)
{
	CUmemPoolProps props = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
	};
	CUcontext a = drv_begin(), b = drv_begin();
	CUdeviceptr in_a, in_b;
	CUmemoryPool pool;

	(void)state;
	OK(cuMemPoolCreate(&pool, &props));
	OK(cuMemAllocFromPoolAsync(&in_b, 4096, pool, NULL));
	OK(cuCtxPushCurrent(a));
	OK(cuMemAllocFromPoolAsync(&in_a, 4096, pool, NULL));
	OK(cuMemPoolDestroy(pool));
	OK(cuCtxPopCurrent(NULL));
	drv_end(a);
	/* what another context has is still there */
	OK(cuMemsetD32(in_b, 7, 1024));
	assert_int_equal(drv_read(in_b + 4092), 7);
	drv_end(b);
	b = drv_begin();
	REFUSED(cuMemFree(in_b), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemAlloc(&in_b, 1 << 20));
	OK(cuMemFree(in_b));
	drv_end(b);
	drv_pop_all();
}

/* One context waits for what streams of another still use. */
static void free_memory_of_other_contexts_is_waited_for(void **state)
{
	struct spinner a;
	CUdeviceptr in_a, in_b;
	CUcontext b;

	(void)state;
	drv_reset();
	setenv("VGPU_VRAM", "64M", 1);
	a = spinner_begin();
	OK(cuMemAllocAsync(&in_a, 40 << 20, NULL));
	b = drv_begin();
	OK(cuCtxPushCurrent(a.context));
	spin(&a, in_a, NULL);
	OK(cuMemFreeAsync(in_a, NULL));
	OK(cuCtxPopCurrent(NULL));
	OK(cuMemAllocAsync(&in_b, 40 << 20, NULL));
	OK(cuMemFreeAsync(in_b, NULL));
	drv_end(b);
	drv_end(a.context);
	unsetenv("VGPU_VRAM");
	drv_pop_all();
}

/* ---- one that could not be opened ---------------------------------------- */

static char pages[3 * VGPU_PAGE_SIZE];

/* Pages of variables that begin in the middle of one cannot be managed memory. */
static void open_in_vain(void)
{
	static const struct rt_variable_table table = {
		.start = pages + 8, .end = pages + 8 + VGPU_PAGE_SIZE
	};
	CUcontext context;

	OK(cuInit(0));
	pthread_mutex_lock(&rt_lock);
	rt_variables_add(&table);
	pthread_mutex_unlock(&rt_lock);
	assert_int_not_equal(cuCtxCreate(&context, 0, 0), CUDA_SUCCESS);
	pthread_mutex_lock(&rt_lock);
	rt_variables_remove(&table);
	pthread_mutex_unlock(&rt_lock);
}

/* The next one of its number has queues of its own alone: its numbers hold. */
static void a_failed_open_leaves_no_queue(void **state)
{
	struct spinner spinner;
	uint32_t *pinned;
	CUdeviceptr words;
	CUstream stream;

	(void)state;
	drv_reset();
	setenv("VGPU_MAX_CONNECTIONS", "2", 1);
	open_in_vain();
	spinner = spinner_begin();
	words = drv_words(16);
	for (unsigned int i = 0; i < 20; i++)
		OK(cuMemsetD32Async(words, i, 16, NULL));
	OK(cuCtxSynchronize());
	OK(cuMemHostAlloc((void **)&pinned, 4, CU_MEMHOSTALLOC_DEVICEMAP));
	*pinned = 0;
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	spin(&spinner, (CUdeviceptr)(uintptr_t)pinned, stream);
	OK(cuStreamSynchronize(stream));
	assert_int_equal(*pinned, ROUNDS);
	OK(cuMemFreeHost(pinned));
	drv_end(spinner.context);
	unsetenv("VGPU_MAX_CONNECTIONS");
	drv_pop_all();
}

/* ---- other threads ------------------------------------------------------- */

static void *destroy(void *context)
{
	OK(cuCtxDestroy(context));
	return NULL;
}

/* What its last kernel writes is freed only then, whoever frees it. */
static void memory_is_freed_while_a_context_ends(void **state)
{
	struct spinner spinner = spinner_begin();
	CUcontext beside = drv_begin();
	pthread_t thread;
	uint32_t *pinned;

	(void)state;
	OK(cuMemHostAlloc((void **)&pinned, 4, CU_MEMHOSTALLOC_PORTABLE));
	OK(cuCtxPushCurrent(spinner.context));
	for (unsigned int i = 0; i < 8; i++)
		spin(&spinner, (CUdeviceptr)(uintptr_t)pinned, NULL);
	OK(cuCtxPopCurrent(NULL));
	pthread_create(&thread, NULL, destroy, spinner.context);
	while (cuCtxPushCurrent(spinner.context) == CUDA_SUCCESS)
		OK(cuCtxPopCurrent(NULL));
	/* it waits for the kernels now, or they are done */
	usleep(20000);
	OK(cuMemFreeHost(pinned));
	pthread_join(thread, NULL);
	drv_end(beside);
	drv_pop_all();
}

static sem_t begun, go;
static bool in_vain;

static void wait_to_go(void *unused)
{
	struct timespec end;

	(void)unused;
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 20;
	in_vain = sem_timedwait(&go, &end);
}

static void *use_the_primary_one(void *unused)
{
	(void)unused;
	assert_int_equal(vgpuLaunchHostFunc(NULL, wait_to_go, NULL), vgpuSuccess);
	sem_post(&begun);
	return NULL;
}

/* A program that makes a context does not wait for what is in the primary one. */
static void the_primary_one_stays_while_it_works(void **state)
{
	pthread_t thread;
	CUcontext context;

	(void)state;
	drv_reset();
	sem_init(&begun, 0, 0);
	sem_init(&go, 0, 0);
	pthread_create(&thread, NULL, use_the_primary_one, NULL);
	sem_wait(&begun);
	context = drv_begin();
	sem_post(&go);
	pthread_join(thread, NULL);
	drv_end(context);
	drv_reset();
	assert_false(in_vain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_of_a_pool_ends_with_its_context),
		cmocka_unit_test(a_destroyed_pool_ends_with_a_context),
		cmocka_unit_test(free_memory_of_other_contexts_is_waited_for),
		cmocka_unit_test(a_failed_open_leaves_no_queue),
		cmocka_unit_test(memory_is_freed_while_a_context_ends),
		cmocka_unit_test(the_primary_one_stays_while_it_works),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
