// SPDX-License-Identifier: MIT
/*
 * Memory of other processes, on a device that is this process's alone: refused, and arguments that
 * make no sense are said first. Handles of events.
 */
#include "drv_rig.h"

static void memory_is_of_one_process(void **state)
{
	CUcontext context = drv_begin();
	CUdeviceptr pointer = drv_words(4), opened = 0;
	CUipcMemHandle handle;
	int value = -1;

	(void)state;
	memset(&handle, 0, sizeof(handle));
	REFUSED(cuIpcGetMemHandle(NULL, pointer), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuIpcGetMemHandle(&handle, pointer), CUDA_ERROR_NOT_SUPPORTED);
	REFUSED(cuIpcOpenMemHandle(&opened, handle, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuIpcOpenMemHandle(NULL, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuIpcOpenMemHandle(&opened, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
		CUDA_ERROR_NOT_SUPPORTED);
	assert_int_equal(opened, 0);
	REFUSED(cuIpcCloseMemHandle(pointer), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuIpcCloseMemHandle(0), CUDA_ERROR_INVALID_VALUE);
	OK(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
				 pointer));
	assert_int_equal(value, 0);
	drv_end(context);
}

static void pools_are_of_one_process(void **state)
{
	CUmemPoolProps props = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
		.location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
	};
	CUcontext context = drv_begin();
	CUmemPoolPtrExportData data = { { 0 } };
	CUmemoryPool pool, imported;
	CUdeviceptr pointer, none;
	int file = -1, types = -1;

	(void)state;
	OK(cuDeviceGetAttribute(&types, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, 0));
	assert_int_equal(types, 0);
	REFUSED(cuMemPoolCreate(&pool, &props), CUDA_ERROR_NOT_SUPPORTED);
	props.handleTypes = CU_MEM_HANDLE_TYPE_WIN32;
	REFUSED(cuMemPoolCreate(&pool, &props), CUDA_ERROR_NOT_SUPPORTED);
	props.handleTypes = CU_MEM_HANDLE_TYPE_NONE;
	OK(cuMemPoolCreate(&pool, &props));
	REFUSED(cuMemPoolExportToShareableHandle(&file, pool,
						 CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemPoolExportToShareableHandle(&file, NULL,
						 CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)file,
						   CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
		CUDA_ERROR_INVALID_VALUE);
	OK(cuMemAllocFromPoolAsync(&pointer, 1000, pool, NULL));
	REFUSED(cuMemPoolExportPointer(NULL, pointer), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemPoolExportPointer(&data, pointer), CUDA_ERROR_NOT_SUPPORTED);
	REFUSED(cuMemPoolImportPointer(&none, pool, &data), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuMemPoolImportPointer(NULL, pool, &data), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemFreeAsync(pointer, NULL));
	OK(cuMemPoolDestroy(pool));
	drv_end(context);
}

static void the_calls_are_found(void **state)
{
	CUdriverProcAddressQueryResult status;
	void *function;

	(void)state;
	OK(cuGetProcAddress_v2("cuIpcOpenMemHandle", &function, 11000, 0, &status));
	assert_ptr_equal(function, (void *)cuIpcOpenMemHandle_v2);
	OK(cuGetProcAddress_v2("cuIpcOpenMemHandle", &function, 4010, 0, &status));
	assert_non_null(function);
	OK(cuGetProcAddress_v2("cuIpcGetMemHandle", &function, 12000, 0, &status));
	assert_ptr_equal(function, (void *)cuIpcGetMemHandle);
	OK(cuGetProcAddress_v2("cuIpcCloseMemHandle", &function, 12000, 0, &status));
	assert_ptr_equal(function, (void *)cuIpcCloseMemHandle);
}

/* Events of several processes need nothing of the device. Two processes: test_event_page.c. */
static void events_have_handles(void **state)
{
	CUcontext context = drv_begin();
	CUevent plain, shared, opened = NULL;
	CUipcEventHandle handle, other;
	float ms;

	(void)state;
	REFUSED(cuEventCreate(&shared, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE);
	OK(cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
	REFUSED(cuIpcGetEventHandle(&handle, plain), CUDA_ERROR_INVALID_HANDLE);
	OK(cuEventCreate(&shared, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
	REFUSED(cuIpcGetEventHandle(NULL, shared), CUDA_ERROR_INVALID_VALUE);
	OK(cuIpcGetEventHandle(&handle, shared));
	OK(cuIpcGetEventHandle(&other, shared));
	assert_memory_equal(&handle, &other, sizeof(handle));
	REFUSED(cuIpcOpenEventHandle(NULL, handle), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuIpcOpenEventHandle(&opened, handle), CUDA_ERROR_INVALID_CONTEXT);
	other.reserved[63] ^= 1;
	REFUSED(cuIpcOpenEventHandle(&opened, other), CUDA_ERROR_INVALID_HANDLE);
	memset(&other, 0, sizeof(other));
	REFUSED(cuIpcOpenEventHandle(&opened, other), CUDA_ERROR_INVALID_HANDLE);
	OK(cuEventQuery(shared));
	OK(cuEventRecord(shared, NULL));
	OK(cuEventSynchronize(shared));
	OK(cuEventQuery(shared));
	REFUSED(cuEventElapsedTime(&ms, shared, shared), CUDA_ERROR_INVALID_HANDLE);
	OK(cuEventDestroy(shared));
	REFUSED(cuIpcOpenEventHandle(&opened, handle), CUDA_ERROR_INVALID_HANDLE);
	assert_null(opened);
	OK(cuEventDestroy(plain));
	drv_end(context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_of_one_process),
		cmocka_unit_test(pools_are_of_one_process),
		cmocka_unit_test(the_calls_are_found),
		cmocka_unit_test(events_have_handles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
