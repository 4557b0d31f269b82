// SPDX-License-Identifier: MIT
/* Driver API: launches as CUDA 2 has them, attributes of streams, and what goes with them. */
#include "drv_rig.h"

struct fixture {
	CUcontext context;
	CUmodule module;
	CUfunction set;
	CUdeviceptr words;
};

static int begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->context = drv_begin();
	OK(cuModuleLoadData(&f->module, drv_ptx));
	OK(cuModuleGetFunction(&f->set, f->module, "set"));
	f->words = drv_words(4);
	*state = f;
	return 0;
}

static int end(void **state)
{
	struct fixture *f = *state;

	OK(cuModuleUnload(f->module));
	drv_end(f->context);
	free(f);
	return 0;
}

/* where at 0, value at 8, what is added at 16 */
static void parameters_stay(void **state)
{
	struct fixture *f = *state;
	unsigned long long add = 5;

	OK(cuFuncSetBlockShape(f->set, 1, 1, 1));
	OK(cuParamSetSize(f->set, 24));
	OK(cuParamSetv(f->set, 0, &f->words, 8));
	OK(cuParamSeti(f->set, 8, 37));
	OK(cuParamSetv(f->set, 16, &add, 8));
	OK(cuLaunch(f->set));
	OK(cuCtxSynchronize());
	assert_int_equal(drv_read(f->words), 42);
	/* one is said anew, the others are as before */
	OK(cuParamSeti(f->set, 8, 2));
	OK(cuLaunchGrid(f->set, 1, 1));
	OK(cuCtxSynchronize());
	assert_int_equal(drv_read(f->words), 7);
	/* 1.5 has the bits 0x3fc00000 */
	OK(cuParamSetf(f->set, 8, 1.5f));
	OK(cuLaunchGridAsync(f->set, 1, 1, NULL));
	OK(cuCtxSynchronize());
	assert_int_equal(drv_read(f->words), 0x3fc00005);
}

static void what_is_refused(void **state)
{
	struct fixture *f = *state;
	unsigned long long add = 0;

	REFUSED(cuLaunch(f->set), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuFuncSetBlockShape(f->set, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuFuncSetBlockShape(f->set, 1, -1, 1), CUDA_ERROR_INVALID_VALUE);
	OK(cuFuncSetBlockShape(f->set, 1, 1, 1));
	REFUSED(cuParamSetSize(f->set, 4097), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuParamSeti(f->set, -4, 1), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuParamSeti(f->set, 4093, 1), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuParamSetv(f->set, 0, NULL, 8), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuParamSetv(f->set, 0, &add, 5000), CUDA_ERROR_INVALID_VALUE);
	OK(cuParamSeti(f->set, 4092, 1));
	/* the kernel takes 24 bytes */
	OK(cuParamSetSize(f->set, 16));
	REFUSED(cuLaunch(f->set), CUDA_ERROR_INVALID_VALUE);
	OK(cuParamSetSize(f->set, 24));
	REFUSED(cuLaunchGrid(f->set, 1, 0), CUDA_ERROR_INVALID_VALUE);
	OK(cuFuncSetBlockShape(f->set, 2048, 1, 1));
	OK(cuParamSetv(f->set, 0, &f->words, 8));
	REFUSED(cuLaunch(f->set), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuFuncSetSharedSize(NULL, 1), CUDA_ERROR_INVALID_HANDLE);
	OK(cuFuncSetBlockShape(f->set, 1, 1, 1));
	OK(cuFuncSetSharedSize(f->set, 1 << 30));
	REFUSED(cuLaunch(f->set), CUDA_ERROR_INVALID_VALUE);
	OK(cuFuncSetSharedSize(f->set, 1024));
	OK(cuLaunch(f->set));
	OK(cuCtxSynchronize());
}

static void streams(void **state)
{
	CUstreamAttrValue value;
	CUstream low, high;

	(void)state;
	OK(cuStreamCreateWithPriority(&low, CU_STREAM_NON_BLOCKING, 0));
	OK(cuStreamCreateWithPriority(&high, CU_STREAM_NON_BLOCKING, -2));
	OK(cuStreamGetAttribute(high, CU_STREAM_ATTRIBUTE_PRIORITY, &value));
	assert_int_equal(value.priority, -2);
	OK(cuStreamGetAttribute(high, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
	assert_int_equal(value.syncPolicy, CU_SYNC_POLICY_AUTO);
	OK(cuStreamSetAttribute(low, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
	REFUSED(cuStreamSetAttribute(low, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuStreamGetAttribute(low, CU_STREAM_ATTRIBUTE_PRIORITY, NULL),
		CUDA_ERROR_INVALID_VALUE);
	OK(cuStreamCopyAttributes(low, high));
	OK(cuStreamGetAttribute(low, CU_STREAM_ATTRIBUTE_PRIORITY, &value));
	assert_int_equal(value.priority, 0);
	OK(cuStreamDestroy(high));
	REFUSED(cuStreamCopyAttributes(low, high), CUDA_ERROR_INVALID_HANDLE);
	OK(cuStreamDestroy(low));
}

static void properties(void **state)
{
	CUdevprop old;
	CUdevice device;
	int value;

	(void)state;
	OK(cuCtxGetDevice(&device));
	OK(cuDeviceGetProperties(&old, device));
	assert_int_equal(old.SIMDWidth, 32);
	assert_int_equal(old.maxThreadsPerBlock, 1024);
	OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device));
	assert_int_equal(old.clockRate, value);
	assert_int_equal(old.maxGridSize[0], 0x7fffffff);
	REFUSED(cuDeviceGetProperties(NULL, device), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuDeviceGetProperties(&old, 99), CUDA_ERROR_INVALID_DEVICE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(parameters_stay, begin, end),
		cmocka_unit_test_setup_teardown(what_is_refused, begin, end),
		cmocka_unit_test_setup_teardown(streams, begin, end),
		cmocka_unit_test_setup_teardown(properties, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
