// SPDX-License-Identifier: MIT
/*
 * Memory, copies, streams and events of the driver API, and its functions by name.
 */
#include "drv_rig.h"
#include "driver/driver.h"

static void memory_has_its_codes(void **state)
{
	CUcontext context = drv_begin();
	CUdeviceptr pointer, base;
	size_t bytes, pitch;
	void *host;
	int number;

	(void)state;
	REFUSED(cuMemAlloc(&pointer, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemAlloc(NULL, 4), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemAlloc(&pointer, (size_t)1 << 50), CUDA_ERROR_OUT_OF_MEMORY);
	OK(cuMemAlloc(&pointer, 1000));
	OK(cuMemGetAddressRange(&base, &bytes, pointer + 500));
	assert_int_equal(base, pointer);
	assert_int_equal(bytes, 1024);		/* units of 256 */
	OK(cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer));
	assert_int_equal(number, CU_MEMORYTYPE_DEVICE);
	OK(cuMemFree(pointer));
	REFUSED(cuMemFree(pointer), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemGetAddressRange(&base, &bytes, pointer), CUDA_ERROR_NOT_FOUND);
	REFUSED(cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemcpyDtoH(&number, pointer, 4), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemcpyHtoD(pointer, &number, 4), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemAllocPitch(&pointer, &pitch, 100, 3, 4));
	assert_int_equal(pitch, 512);
	OK(cuMemHostAlloc(&host, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
	OK(cuMemHostGetDevicePointer(&base, host, 0));
	assert_int_equal(base, (uintptr_t)host);
	OK(cuMemGetAddressRange(&base, &bytes, base + 500));
	assert_int_equal(base, (uintptr_t)host);
	assert_int_equal(bytes, 4096);
	OK(cuMemsetD8(base, 7, bytes));
	assert_int_equal(((unsigned char *)host)[4095], 7);
	OK(cuMemFreeHost(host));
	REFUSED(cuMemGetAddressRange(&base, &bytes, (uintptr_t)host), CUDA_ERROR_NOT_FOUND);
	REFUSED(cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
	drv_end(context);
}

/* A box of 4 x 3 x 2 bytes out of one of 8 x 5 x 3, at (2, 1, 1). */
static void boxes_are_copied(void **state)
{
	CUcontext context = drv_begin();
	uint8_t from[3 * 5 * 8], to[2 * 3 * 4];
	CUDA_MEMCPY3D box = {
		.srcXInBytes = 2, .srcY = 1, .srcZ = 1, .srcMemoryType = CU_MEMORYTYPE_HOST,
		.srcHost = from, .srcPitch = 8, .srcHeight = 5,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE, .WidthInBytes = 4, .Height = 3, .Depth = 2,
	};
	CUDA_MEMCPY2D rows = {
		.srcMemoryType = CU_MEMORYTYPE_ARRAY, .WidthInBytes = 1, .Height = 1
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)i;
	OK(cuMemAlloc(&box.dstDevice, sizeof(to)));
	OK(cuMemcpy3D(&box));
	OK(cuMemcpyDtoH(to, box.dstDevice, sizeof(to)));
	for (int z = 0; z < 2; z++)
		for (int y = 0; y < 3; y++)
			for (int x = 0; x < 4; x++)
				assert_int_equal(to[(z * 3 + y) * 4 + x],
						 ((z + 1) * 5 + y + 1) * 8 + x + 2);
	REFUSED(cuMemcpy2D(&rows), CUDA_ERROR_INVALID_HANDLE);
	rows.srcMemoryType = (CUmemorytype)9;
	REFUSED(cuMemcpy2D(&rows), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemcpy2D(NULL), CUDA_ERROR_INVALID_VALUE);
	drv_end(context);
}

static void fills_have_elements(void **state)
{
	CUcontext context = drv_begin();
	CUdeviceptr words = drv_words(8);
	uint16_t halves[16];

	(void)state;
	OK(cuMemsetD16(words + 2, 0x1234, 3));
	OK(cuMemsetD32Async(words + 8, 0xdeadbeef, 1, NULL));
	OK(cuMemsetD8(words + 13, 0xab, 1));
	OK(cuMemsetD2D16(words + 16, 8, 0x5678, 1, 2));
	OK(cuMemcpyDtoH(halves, words, 32));
	assert_int_equal(halves[0], 0);
	for (int i = 1; i <= 3; i++)
		assert_int_equal(halves[i], 0x1234);
	assert_int_equal(halves[4], 0xbeef);
	assert_int_equal(halves[5], 0xdead);
	assert_int_equal(halves[6], 0xab00);
	assert_int_equal(halves[8], 0x5678);
	assert_int_equal(halves[9], 0);
	assert_int_equal(halves[12], 0x5678);
	REFUSED(cuMemsetD32(words + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemsetD32(words, 0, 1000), CUDA_ERROR_INVALID_VALUE);
	drv_end(context);
}

static void called(CUstream stream, CUresult status, void *data)
{
	(void)stream;
	*(int *)data = status == CUDA_SUCCESS ? 1 : -1;
}

static void streams_and_events(void **state)
{
	CUcontext context = drv_begin(), of;
	CUdeviceptr words = drv_words(1);
	uint32_t value = 5, back = 0;
	CUstream stream, high;
	CUevent start, end;
	int least, greatest, seen = 0;
	float ms = -1;

	(void)state;
	OK(cuCtxGetStreamPriorityRange(&least, &greatest));
	assert_int_equal(least, 0);
	assert_int_equal(greatest, -5);
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreateWithPriority(&high, 0, -5));
	OK(cuStreamGetPriority(high, &least));
	assert_int_equal(least, -5);
	OK(cuStreamGetCtx(stream, &of));
	assert_ptr_equal(of, context);
	OK(cuEventCreate(&start, 0));
	OK(cuEventCreate(&end, 0));
	OK(cuEventRecord(start, stream));
	OK(cuMemcpyHtoDAsync(words, &value, 4, stream));
	OK(cuStreamAddCallback(stream, called, &seen, 0));
	OK(cuEventRecord(end, stream));
	OK(cuStreamWaitEvent(high, end, 0));
	OK(cuMemcpyDtoHAsync(&back, words, 4, high));
	OK(cuStreamSynchronize(high));
	assert_int_equal(back, 5);
	assert_int_equal(seen, 1);
	OK(cuEventElapsedTime(&ms, start, end));
	assert_true(ms > 0);
	OK(cuStreamDestroy(stream));
	REFUSED(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuStreamDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuStreamCreate(&stream, 8), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuStreamCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuEventRecord((CUevent)&ms, NULL), CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuEventCreate(&start, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE);
	drv_end(context);
}

static uint64_t pool_bytes(CUmemoryPool pool, CUmemPool_attribute attribute)
{
	uint64_t bytes;

	OK(cuMemPoolGetAttribute(pool, attribute, &bytes));
	return bytes;
}

static void memory_of_pools_is_memory(void **state)
{
	CUcontext context = drv_begin();
	uint64_t all = UINT64_MAX, none = 0;
	size_t free_bytes, total, bytes;
	CUdeviceptr pointer, base, beside[2];
	CUmemoryPool pool;

	(void)state;
	OK(cuDeviceGetDefaultMemPool(&pool, 0));
	OK(cuMemAllocAsync(&pointer, 1000, NULL));
	OK(cuMemFree(pointer));
	assert_int_equal(pool_bytes(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0);
	REFUSED(cuMemFree(pointer), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemFreeAsync(pointer, NULL), CUDA_ERROR_INVALID_VALUE);
	/* what a pool holds is not its program's any more, and there for other allocations */
	OK(cuMemGetInfo(&free_bytes, &total));
	OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all));
	OK(cuMemAllocAsync(&pointer, 1 << 20, NULL));
	OK(cuMemFreeAsync(pointer, NULL));
	assert_int_equal(pool_bytes(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 32 << 20);
	/* an allocation ends where the next begins, in memory that both have from the pool */
	OK(cuMemAllocAsync(&beside[0], 1000, NULL));
	OK(cuMemAllocAsync(&beside[1], 3000, NULL));
	OK(cuMemGetAddressRange(&base, &bytes, beside[0] + 1023));
	assert_true(base == beside[0] && bytes == 1024);
	OK(cuMemGetAddressRange(&base, &bytes, beside[1] + 5));
	assert_true(base == beside[0] + 1024 && base == beside[1] && bytes == 3072);
	REFUSED(cuMemGetAddressRange(&base, &bytes, beside[1] + 3072), CUDA_ERROR_NOT_FOUND);
	OK(cuMemFreeAsync(beside[0], NULL));
	OK(cuMemFreeAsync(beside[1], NULL));
	REFUSED(cuMemFree(pointer), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemAlloc(&pointer, free_bytes - (512 << 10)));
	assert_int_equal(pool_bytes(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0);
	OK(cuMemFree(pointer));
	OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &none));
	drv_end(context);
}

static void pools_have_their_codes(void **state)
{
	CUmemPoolProps props = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, .maxSize = 4096
	};
	CUmemAccessDesc access = { props.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUcontext context = drv_begin();
	CUmemAccess_flags flags;
	CUmemoryPool pool;
	CUdeviceptr pointer;

	(void)state;
	OK(cuMemPoolCreate(&pool, &props));
	REFUSED(cuMemAllocFromPoolAsync(&pointer, 4097, pool, NULL), CUDA_ERROR_OUT_OF_MEMORY);
	REFUSED(cuMemAllocFromPoolAsync(&pointer, 1, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemPoolSetAccess(pool, &access, 1));
	OK(cuMemPoolGetAccess(&flags, pool, &props.location));
	assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
	REFUSED(cuMemPoolSetAccess(pool, &access, 1), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemPoolDestroy(pool));
	REFUSED(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemPoolSetAccess(pool, &access, 0), CUDA_ERROR_INVALID_VALUE);
	props.location.id = 99;
	REFUSED(cuMemPoolCreate(&pool, &props), CUDA_ERROR_INVALID_VALUE);
	props.allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
	REFUSED(cuMemPoolCreate(&pool, &props), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemPoolCreate(&pool, NULL), CUDA_ERROR_INVALID_VALUE);
	drv_end(context);
}

static void pools_are_the_runtimes(void **state)
{
	CUcontext context = drv_begin();
	CUmemoryPool pool;
	CUdeviceptr pointer;
	uint64_t used = 1;

	(void)state;
	OK(cuDeviceGetDefaultMemPool(&pool, 0));
	OK(cuMemAllocAsync(&pointer, 1000, NULL));
	OK(cuMemsetD8(pointer, 1, 1000));
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
	assert_int_equal(used, 1024);
	OK(cuMemFreeAsync(pointer, NULL));
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
	assert_int_equal(used, 0);
	drv_end(context);
}

/* Every error of the native API is one that CUDA's driver has. */
static void errors_have_the_drivers_codes(void **state)
{
	static const vgpuError_t errors[] = {
#define EACH(name, number, text) vgpu##name,
		VGPU_ERRORS(EACH)
#undef EACH
	};
	const char *name;

	(void)state;
	for (unsigned int i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (cuGetErrorName(drv_error(errors[i]), &name) != CUDA_SUCCESS)
			fail_msg("%s has no code in the driver API", vgpuGetErrorName(errors[i]));
	assert_int_equal(drv_error(vgpuErrorMemoryAllocation), CUDA_ERROR_OUT_OF_MEMORY);
	assert_int_equal(drv_error(vgpuErrorInvalidPitchValue), CUDA_ERROR_INVALID_VALUE);
}

static void functions_are_found_by_name(void **state)
{
	CUresult (*version)(int *), (*absent)(void);
	CUdriverProcAddressQueryResult status;
	const void *table;
	const char *text;
	CUuuid id = { "" };
	void *old, *new, *thread;
	int number;

	(void)state;
	OK(cuGetProcAddress_v2("cuDriverGetVersion", (void **)&version, 12000, 0, &status));
	assert_int_equal(status, CU_GET_PROC_ADDRESS_SUCCESS);
	OK(version(&number));
	assert_true(number >= 12000);
	/* which one depends on the version that is asked for */
	OK(cuGetProcAddress_v2("cuCtxCreate", &old, 11000, 0, &status));
	assert_ptr_equal(old, (void *)cuCtxCreate_v2);
	OK(cuGetProcAddress_v2("cuCtxCreate", &new, 13000, 0, &status));
	assert_ptr_equal(new, (void *)cuCtxCreate_v4);
	OK(cuGetProcAddress_v2("cuLibraryLoadData", &old, 11000, 0, &status));
	assert_int_equal(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
	assert_null(old);
	OK(cuGetProcAddress_v2("cuNothing", &old, 12000, 0, &status));
	assert_int_equal(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
	REFUSED(cuGetProcAddress_v2("cuNothing", &old, 12000, 0, NULL), CUDA_ERROR_NOT_FOUND);
	REFUSED(cuGetProcAddress_v2(NULL, &old, 12000, 0, NULL), CUDA_ERROR_INVALID_VALUE);
	OK(cuGetProcAddress_v2("cuLaunchKernel", &old, 12000, 0, &status));
	OK(cuGetProcAddress_v2("cuLaunchKernel", &thread, 12000,
			       CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &status));
	assert_ptr_not_equal(old, thread);
	/* what there is not can be called, and says so */
	OK(cuGetProcAddress_v2("cuGraphConditionalHandleCreate", (void **)&absent, 12000, 0,
			       &status));
	REFUSED(absent(), CUDA_ERROR_NOT_SUPPORTED);
	REFUSED(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_FOUND);
	assert_null(table);
	OK(cuGetErrorName(CUDA_ERROR_INVALID_PTX, &text));
	assert_string_equal(text, "CUDA_ERROR_INVALID_PTX");
	OK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
	assert_string_equal(text, "out of memory");
	REFUSED(cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
	assert_null(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_has_its_codes),
		cmocka_unit_test(boxes_are_copied),
		cmocka_unit_test(fills_have_elements),
		cmocka_unit_test(streams_and_events),
		cmocka_unit_test(pools_are_the_runtimes),
		cmocka_unit_test(memory_of_pools_is_memory),
		cmocka_unit_test(pools_have_their_codes),
		cmocka_unit_test(errors_have_the_drivers_codes),
		cmocka_unit_test(functions_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
