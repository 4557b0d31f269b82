// SPDX-License-Identifier: MIT
/*
 * Virtual memory management: addresses, memory apart from them, mappings, rights; and that other
 * calls know what lies there.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "drv_rig.h"

#define MB		((size_t)1 << 20)
#define GRANULE		(2 * MB)

static const CUmemAllocationProp on_device = {
	.type = CU_MEM_ALLOCATION_TYPE_PINNED,
	.location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
};

static const CUmemLocation here = { CU_MEM_LOCATION_TYPE_DEVICE, 0 };

static void may(CUdeviceptr pointer, size_t bytes, CUmemAccess_flags flags)
{
	CUmemAccessDesc access = { here, flags };

	OK(cuMemSetAccess(pointer, bytes, &access, 1));
}

static CUmemGenericAllocationHandle memory(size_t bytes)
{
	CUmemGenericAllocationHandle handle;

	OK(cuMemCreate(&handle, bytes, &on_device, 0));
	return handle;
}

static void the_device_says_what_it_has(void **state)
{
	CUcontext context = drv_begin();
	CUmemAllocationProp prop = on_device;
	size_t granularity;
	int value = -1;

	(void)state;
	OK(cuDeviceGetAttribute(&value, (CUdevice_attribute)102, 0));
	assert_int_equal(value, 1);
	/* the device ends with this process: no file can stand for its memory */
	OK(cuDeviceGetAttribute(&value, (CUdevice_attribute)103, 0));
	assert_int_equal(value, 0);
	OK(cuMemGetAllocationGranularity(&granularity, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	assert_int_equal(granularity, GRANULE);
	OK(cuMemGetAllocationGranularity(&granularity, &prop,
					 CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
	assert_int_equal(granularity, GRANULE);
	REFUSED(cuMemGetAllocationGranularity(NULL, &prop, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemGetAllocationGranularity(&granularity, NULL, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemGetAllocationGranularity(&granularity, &prop, 2), CUDA_ERROR_INVALID_VALUE);
	prop.location.id = 7;
	REFUSED(cuMemGetAllocationGranularity(&granularity, &prop, 0), CUDA_ERROR_INVALID_DEVICE);
	prop.location.type = CU_MEM_LOCATION_TYPE_HOST;
	REFUSED(cuMemGetAllocationGranularity(&granularity, &prop, 0), CUDA_ERROR_NOT_SUPPORTED);
	prop.location.type = 77;
	REFUSED(cuMemGetAllocationGranularity(&granularity, &prop, 0), CUDA_ERROR_INVALID_VALUE);
	drv_end(context);
}

static void addresses_are_reserved(void **state)
{
	CUcontext context = drv_begin();
	CUdeviceptr a, b;

	(void)state;
	REFUSED(cuMemAddressReserve(NULL, GRANULE, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemAddressReserve(&a, 0, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemAddressReserve(&a, 4096, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemAddressReserve(&a, GRANULE, 3, 0, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemAddressReserve(&a, GRANULE, 0, 0, 1), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemAddressReserve(&a, (size_t)1 << 60, 0, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
	REFUSED(cuMemAddressReserve(&a, -GRANULE, 0, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
	/* far more than there is memory */
	OK(cuMemAddressReserve(&a, (size_t)1 << 40, 0, 0, 0));
	assert_int_equal(a % GRANULE, 0);
	OK(cuMemAddressReserve(&b, 4 * GRANULE, 64 * MB, 0, 0));
	assert_int_equal(b % (64 * MB), 0);
	REFUSED(cuMemAddressFree(b, GRANULE), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemAddressFree(b + GRANULE, 3 * GRANULE), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemAddressFree(0, GRANULE), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemAddressFree(b, 4 * GRANULE));
	REFUSED(cuMemAddressFree(b, 4 * GRANULE), CUDA_ERROR_INVALID_VALUE);
	/* what is free is given where it is asked for, what is not, elsewhere */
	OK(cuMemAddressReserve(&b, GRANULE, 0, b, 0));
	OK(cuMemAddressFree(b, GRANULE));
	OK(cuMemAddressReserve(&b, GRANULE, 0, a, 0));
	assert_int_not_equal(a, b);
	OK(cuMemAddressFree(b, GRANULE));
	OK(cuMemAddressFree(a, (size_t)1 << 40));
	drv_end(context);
}

static void memory_has_its_codes(void **state)
{
	CUcontext context = drv_begin();
	CUmemAllocationProp prop = on_device, got;
	CUmemGenericAllocationHandle handle, same;
	size_t before, after, total;

	(void)state;
	OK(cuMemGetInfo(&before, &total));
	REFUSED(cuMemCreate(NULL, GRANULE, &prop, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemCreate(&handle, 0, &prop, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemCreate(&handle, 100, &prop, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemCreate(&handle, GRANULE, NULL, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemCreate(&handle, GRANULE, &prop, 1), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemCreate(&handle, (size_t)1 << 50, &prop, 0), CUDA_ERROR_OUT_OF_MEMORY);
	prop.type = 0;
	REFUSED(cuMemCreate(&handle, GRANULE, &prop, 0), CUDA_ERROR_INVALID_VALUE);
	prop = on_device;
	prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_WIN32;
	REFUSED(cuMemCreate(&handle, GRANULE, &prop, 0), CUDA_ERROR_NOT_SUPPORTED);
	prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	REFUSED(cuMemCreate(&handle, GRANULE, &prop, 0), CUDA_ERROR_NOT_SUPPORTED);
	REFUSED(cuMemRelease(0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemRelease(12345), CUDA_ERROR_INVALID_VALUE);

	handle = memory(3 * GRANULE);
	OK(cuMemGetInfo(&after, &total));
	assert_int_equal(before - after, 3 * GRANULE);
	memset(&got, 0xff, sizeof(got));
	OK(cuMemGetAllocationPropertiesFromHandle(&got, handle));
	assert_memory_equal(&got, &on_device, sizeof(got));
	REFUSED(cuMemGetAllocationPropertiesFromHandle(NULL, handle), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemExportToShareableHandle(&same, handle,
					     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemImportFromShareableHandle(&same, (void *)(intptr_t)0,
					       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
		CUDA_ERROR_NOT_SUPPORTED);
	OK(cuMemRelease(handle));
	REFUSED(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemGetAllocationPropertiesFromHandle(&got, handle), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemGetInfo(&after, &total));
	assert_int_equal(before, after);
	drv_end(context);
}

static void mappings_have_their_codes(void **state)
{
	CUcontext context = drv_begin();
	CUmemGenericAllocationHandle handle = memory(2 * GRANULE), same;
	CUmemAccessDesc access = { here, CU_MEM_ACCESS_FLAGS_PROT_READ };
	unsigned long long flags = 9;
	CUdeviceptr at;

	(void)state;
	OK(cuMemAddressReserve(&at, 4 * GRANULE, 0, 0, 0));
	REFUSED(cuMemMap(at, GRANULE, 0, handle + 1, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemMap(at, GRANULE, 0, handle, 1), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemMap(at, 0, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemMap(at, 4096, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemMap(at + 4096, GRANULE, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemMap(at, 3 * GRANULE, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemMap(at, 2 * GRANULE, GRANULE, handle, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemMap(at, GRANULE, -GRANULE, handle, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemMap(at + 3 * GRANULE, 2 * GRANULE, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemMap(at + 64 * GRANULE, GRANULE, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemMap(at, 2 * GRANULE, 0, handle, 0));
	REFUSED(cuMemMap(at + GRANULE, GRANULE, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemAddressFree(at, 4 * GRANULE), CUDA_ERROR_INVALID_VALUE);

	OK(cuMemGetAccess(&flags, &here, at + GRANULE));
	assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
	REFUSED(cuMemSetAccess(at, GRANULE, &access, 1), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemSetAccess(at, 3 * GRANULE, &access, 1), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemSetAccess(at, 2 * GRANULE, NULL, 1), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemSetAccess(at, 2 * GRANULE, &access, 0), CUDA_ERROR_INVALID_VALUE);
	access.flags = 2;
	REFUSED(cuMemSetAccess(at, 2 * GRANULE, &access, 1), CUDA_ERROR_INVALID_VALUE);
	access.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
	access.location.id = 1;
	REFUSED(cuMemSetAccess(at, 2 * GRANULE, &access, 1), CUDA_ERROR_INVALID_DEVICE);
	may(at, 2 * GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READ);
	OK(cuMemGetAccess(&flags, &here, at + GRANULE));
	assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READ);
	may(at, 2 * GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	OK(cuMemGetAccess(&flags, &here, at));
	assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	REFUSED(cuMemGetAccess(&flags, &here, at + 2 * GRANULE), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemGetAccess(NULL, &here, at), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemGetAccess(&flags, NULL, at), CUDA_ERROR_INVALID_VALUE);

	/* the handle comes back from the address, also when the program has given it up */
	OK(cuMemRelease(handle));
	REFUSED(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemRetainAllocationHandle(&same, (void *)(uintptr_t)(at + 5)));
	assert_int_equal(same, handle);
	OK(cuMemRelease(same));
	REFUSED(cuMemRetainAllocationHandle(&same, (void *)(uintptr_t)(at + 2 * GRANULE)),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemRetainAllocationHandle(NULL, (void *)(uintptr_t)at),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemFree(at), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemUnmap(at, GRANULE), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemUnmap(at, 4 * GRANULE), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemUnmap(at, 0), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemUnmap(at, 2 * GRANULE));
	REFUSED(cuMemUnmap(at, 2 * GRANULE), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemAddressFree(at, 4 * GRANULE));
	drv_end(context);
}

static void store(CUfunction set, CUdeviceptr where, uint32_t value)
{
	uint64_t zero = 0;
	void *arguments[] = { &where, &value, &zero };

	OK(cuLaunchKernel(set, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
}

/* Kernels and copies alike. */
static void one_memory_is_at_two_addresses(void **state)
{
	CUcontext context = drv_begin();
	CUmemGenericAllocationHandle handle = memory(2 * GRANULE);
	CUdeviceptr a, b, base;
	CUmodule module;
	CUfunction set;
	size_t bytes;
	int kind = 0;

	(void)state;
	OK(cuModuleLoadData(&module, drv_ptx));
	OK(cuModuleGetFunction(&set, module, "set"));
	OK(cuMemAddressReserve(&a, 2 * GRANULE, 0, 0, 0));
	OK(cuMemAddressReserve(&b, 2 * GRANULE, 0, 0, 0));
	OK(cuMemMap(a, 2 * GRANULE, 0, handle, 0));
	OK(cuMemMap(b, GRANULE, GRANULE, handle, 0));
	OK(cuMemRelease(handle));
	REFUSED(cuMemsetD32(a, 1, 1), CUDA_ERROR_INVALID_VALUE);	/* no rights yet */
	may(a, 2 * GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	may(b, GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READ);
	assert_int_equal(drv_read(b + 40), 0);
	store(set, a + GRANULE + 40, 1234);
	assert_int_equal(drv_read(b + 40), 1234);
	OK(cuMemsetD32(a, 77, 2 * GRANULE / 4));
	assert_int_equal(drv_read(b + GRANULE - 4), 77);
	OK(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, b + 8));
	assert_int_equal(kind, CU_MEMORYTYPE_DEVICE);
	OK(cuMemGetAddressRange(&base, &bytes, a + GRANULE + 3));
	assert_int_equal(base, a);
	assert_int_equal(bytes, 2 * GRANULE);
	/* the other one stays, with its bytes */
	OK(cuMemUnmap(a, 2 * GRANULE));
	REFUSED(cuMemcpyDtoH(&kind, a, 4), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(drv_read(b), 77);
	OK(cuMemUnmap(b, GRANULE));
	OK(cuMemAddressFree(a, 2 * GRANULE));
	OK(cuMemAddressFree(b, 2 * GRANULE));
	OK(cuModuleUnload(module));
	drv_end(context);
}

/* Where a copy or fill would end the context it is refused before; what is read may be read. */
static void what_may_only_be_read_is_not_written(void **state)
{
	CUcontext context = drv_begin();
	CUmemGenericAllocationHandle handle = memory(GRANULE);
	CUDA_MEMCPY2D rows = {
		.srcMemoryType = CU_MEMORYTYPE_HOST,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE,
		.WidthInBytes = 4,
		.Height = 2,
		.srcPitch = 8,
		.dstPitch = 16,
	};
	CUdeviceptr at, other;
	uint32_t words[4] = { 1, 2, 3, 4 };

	(void)state;
	OK(cuMemAddressReserve(&at, GRANULE, 0, 0, 0));
	OK(cuMemMap(at, GRANULE, 0, handle, 0));
	OK(cuMemAlloc(&other, GRANULE));
	may(at, GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	OK(cuMemsetD32(at, 77, 8));
	may(at, GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READ);
	rows.srcHost = words;
	rows.dstDevice = at;
	REFUSED(cuMemcpyHtoD(at, words, 4), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemcpyHtoDAsync(at, words, 4, NULL), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemcpyDtoD(at, other, 4), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemcpy2D(&rows), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemsetD32(at + 4, 1, 1), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemsetD32Async(at + 4, 1, 1, NULL), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemsetD2D8(at, 8, 1, 4, 2), CUDA_ERROR_INVALID_VALUE);
	/* the context is there, and the bytes are */
	assert_int_equal(drv_read(at + 4), 77);
	OK(cuMemcpyDtoD(other, at, 8));
	assert_int_equal(drv_read(other), 77);
	may(at, GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	OK(cuMemcpy2D(&rows));
	assert_int_equal(drv_read(at + 16), 3);
	OK(cuMemUnmap(at, GRANULE));
	OK(cuMemRelease(handle));
	OK(cuMemAddressFree(at, GRANULE));
	OK(cuMemFree(other));
	drv_end(context);
}

/* As PyTorch's expandable segments: a range that grows, and is one piece of memory. */
static void a_range_grows(void **state)
{
	CUcontext context = drv_begin();
	CUdeviceptr at;
	uint32_t *words = malloc(3 * GRANULE);
	size_t before, after, total;

	(void)state;
	OK(cuMemGetInfo(&before, &total));
	OK(cuMemAddressReserve(&at, total + total / 8 / GRANULE * GRANULE, 0, 0, 0));
	for (unsigned int n = 0; n < 3; n++) {
		CUmemGenericAllocationHandle handle = memory(GRANULE);

		OK(cuMemMap(at + n * GRANULE, GRANULE, 0, handle, 0));
		OK(cuMemRelease(handle));
		may(at + n * GRANULE, GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	}
	for (unsigned int n = 0; n < 3 * GRANULE / 4; n++)
		words[n] = n * 2654435761u;
	OK(cuMemcpyHtoD(at, words, 3 * GRANULE));
	memset(words, 0, 3 * GRANULE);
	OK(cuMemcpyDtoH(words, at, 3 * GRANULE));
	for (unsigned int n = 0; n < 3 * GRANULE / 4; n += 1001)
		assert_int_equal(words[n], (uint32_t)(n * 2654435761u));
	REFUSED(cuMemcpyDtoH(words, at + GRANULE, 2 * GRANULE + 1), CUDA_ERROR_INVALID_VALUE);
	/* one in the middle goes, then all that is left */
	OK(cuMemUnmap(at + GRANULE, GRANULE));
	REFUSED(cuMemcpyDtoH(words, at, 2 * GRANULE), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(drv_read(at + 2 * GRANULE), (uint32_t)(2 * GRANULE / 4 * 2654435761u));
	OK(cuMemUnmap(at, GRANULE));
	OK(cuMemUnmap(at + 2 * GRANULE, GRANULE));
	OK(cuMemGetInfo(&after, &total));
	assert_int_equal(before, after);
	OK(cuMemAddressFree(at, total + total / 8 / GRANULE * GRANULE));
	free(words);
	drv_end(context);
}

/* A kernel that writes what may only be read, and one that uses what is not mapped. */
static void a_kernel_keeps_to_the_rights(void **state)
{
	(void)state;
	for (int unmapped = 0; unmapped < 2; unmapped++) {
		CUcontext context = drv_begin();
		CUmemGenericAllocationHandle handle = memory(GRANULE);
		CUmodule module;
		CUfunction set;
		CUdeviceptr at;

		OK(cuModuleLoadData(&module, drv_ptx));
		OK(cuModuleGetFunction(&set, module, "set"));
		OK(cuMemAddressReserve(&at, GRANULE, 0, 0, 0));
		OK(cuMemMap(at, GRANULE, 0, handle, 0));
		may(at, GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
		store(set, at, 1);
		OK(cuCtxSynchronize());
		may(at, GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READ);
		if (unmapped)
			OK(cuMemUnmap(at, GRANULE));
		store(set, at, 2);
		REFUSED(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
		OK(cuCtxDestroy(context));
		/* all that was mapped has gone with it */
		context = drv_begin();
		REFUSED(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
		OK(cuMemAddressFree(at, GRANULE));
		drv_end(context);
	}
}

/* Memory is of a device: a thread needs no context for it, and has none afterwards. */
static void no_context_is_needed(void **state)
{
	CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
	};
	CUmemAccessDesc access = {
		.location = prop.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
	};
	CUmemGenericAllocationHandle handle, again;
	CUcontext context = drv_begin(), none = context, later;
	CUdeviceptr pointer;
	uint32_t word = 0;

	(void)state;
	OK(cuCtxSetCurrent(NULL));
	OK(cuMemCreate(&handle, 2 << 20, &prop, 0));
	OK(cuMemGetAllocationPropertiesFromHandle(&prop, handle));
	OK(cuMemAddressReserve(&pointer, 2 << 20, 0, 0, 0));
	OK(cuMemMap(pointer, 2 << 20, 0, handle, 0));
	OK(cuMemSetAccess(pointer, 2 << 20, &access, 1));
	OK(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)pointer));
	OK(cuMemRelease(again));
	REFUSED(cuMemsetD32(pointer, 1, 1), CUDA_ERROR_INVALID_CONTEXT);
	OK(cuCtxGetCurrent(&none));
	assert_null(none);
	/* it outlives the contexts */
	OK(cuCtxCreate(&later, 0, 0));
	OK(cuMemsetD32(pointer, 77, 1));
	OK(cuCtxDestroy(context));
	OK(cuCtxDestroy(later));
	OK(cuCtxCreate(&later, 0, 0));
	OK(cuMemcpyDtoH(&word, pointer, 4));
	assert_int_equal(word, 77);
	OK(cuCtxDestroy(later));
	OK(cuMemUnmap(pointer, 2 << 20));
	OK(cuMemAddressFree(pointer, 2 << 20));
	OK(cuMemRelease(handle));
	REFUSED(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_device_says_what_it_has),
		cmocka_unit_test(addresses_are_reserved),
		cmocka_unit_test(memory_has_its_codes),
		cmocka_unit_test(mappings_have_their_codes),
		cmocka_unit_test(one_memory_is_at_two_addresses),
		cmocka_unit_test(what_may_only_be_read_is_not_written),
		cmocka_unit_test(a_range_grows),
		cmocka_unit_test(a_kernel_keeps_to_the_rights),
		cmocka_unit_test(no_context_is_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
