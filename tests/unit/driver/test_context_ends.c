// SPDX-License-Identifier: MIT
/*
 * What the end of a context leaves, also of one that could not be opened; and what other threads
 * and other contexts do meanwhile.
 */
#include "drv_rig.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_of_a_pool_ends_with_its_context),
		cmocka_unit_test(a_destroyed_pool_ends_with_a_context),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
