// SPDX-License-Identifier: MIT
/*
 * Modules, libraries and launches: what loads, what is refused with which code, how parameters are
 * passed.
 */
#include "drv_rig.h"

#define HEAD	".version 7.0\n.target sm_70\n.address_size 64\n"

static void modules_have_kernels_and_variables(void **state)
{
	CUcontext context = drv_begin();
	CUfunction function, listed[8];
	CUdeviceptr counter, both;
	unsigned int count;
	CUmodule module;
	size_t bytes;
	int value;

	(void)state;
	OK(cuModuleLoadData(&module, drv_ptx));
	OK(cuModuleGetFunction(&function, module, "set"));
	REFUSED(cuModuleGetFunction(&function, module, "unset"), CUDA_ERROR_NOT_FOUND);
	REFUSED(cuModuleGetFunction(&function, module, NULL), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuModuleGetFunction(&function, (CUmodule)&module, "set"),
		CUDA_ERROR_INVALID_HANDLE);
	OK(cuModuleGetFunctionCount(&count, module));
	assert_int_equal(count, 2);
	OK(cuModuleEnumerateFunctions(listed, 8, module));
	assert_ptr_equal(listed[0], function);
	OK(cuModuleGetGlobal(&counter, &bytes, module, "counter"));
	assert_int_equal(bytes, 4);
	assert_int_equal(drv_read(counter), 41);
	/* a managed one is the host's, too */
	OK(cuModuleGetGlobal(&both, &bytes, module, "both"));
	assert_int_equal(*(uint32_t *)(uintptr_t)both, 7);
	OK(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_IS_MANAGED, both));
	assert_int_equal(value, 1);
	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, function));
	assert_int_equal(value, 70);
	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
	assert_int_equal(value, 1024);
	REFUSED(cuFuncGetAttribute(&value, (CUfunction_attribute)77, function),
		CUDA_ERROR_INVALID_VALUE);
	OK(cuModuleUnload(module));
	REFUSED(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuModuleGetFunction(&function, module, "set"), CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, listed[0]),
		CUDA_ERROR_INVALID_HANDLE);
	drv_end(context);
}

static void both_forms_of_parameters(void **state)
{
	CUcontext context = drv_begin();
	struct {
		uint64_t where;
		uint32_t value;
		uint64_t more;
	} block;
	size_t bytes = sizeof(block);
	void *params[3] = { &block.where, &block.value, &block.more };
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE,
			  &bytes, CU_LAUNCH_PARAM_END };
	CUdeviceptr words = drv_words(2);
	CUlaunchConfig config = { 1, 1, 1, 1, 1, 1, 0, NULL, NULL, 0 };
	CUfunction set, nothing;
	CUmodule module;

	(void)state;
	OK(cuModuleLoadData(&module, drv_ptx));
	OK(cuModuleGetFunction(&set, module, "set"));
	OK(cuModuleGetFunction(&nothing, module, "nothing"));
	block.where = words;
	block.value = 3;
	block.more = 5;
	OK(cuLaunchKernel(set, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	assert_int_equal(drv_read(words), 8);
	block.where = words + 4;
	block.value = 30;
	OK(cuLaunchKernel(set, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
	assert_int_equal(drv_read(words + 4), 35);
	block.value = 40;
	OK(cuLaunchKernelEx(&config, set, params, NULL));
	assert_int_equal(drv_read(words + 4), 45);
	OK(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	/* too few, both at once, none, and lists that mean nothing */
	bytes = 16;
	REFUSED(cuLaunchKernel(set, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuLaunchKernel(set, 1, 1, 1, 1, 1, 1, 0, NULL, params, extra),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuLaunchKernel(set, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
		CUDA_ERROR_INVALID_VALUE);
	extra[0] = (void *)7;
	REFUSED(cuLaunchKernel(set, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra),
		CUDA_ERROR_INVALID_VALUE);
	params[1] = NULL;
	REFUSED(cuLaunchKernel(set, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
		CUDA_ERROR_INVALID_VALUE);
	params[1] = &block.value;
	/* and launches that cannot be */
	REFUSED(cuLaunchKernel(set, 0, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuLaunchKernel(set, 1, 1, 1, 2048, 1, 1, 0, NULL, params, NULL),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
		CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuLaunchKernel((CUfunction)&block, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
		CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuLaunchKernel(set, 1, 1, 1, 1, 1, 1, 0, (CUstream)&block, params, NULL),
		CUDA_ERROR_INVALID_HANDLE);
	drv_end(context);
}

/*
 * Which are refused, by number and first word; tests/cuda/features/launch_attributes.cu has the
 * same of CUDA's runtime.
 */
static void attributes_have_effects_or_are_refused(void **state)
{
	static const struct {
		int id, first_word;
		int refused;
	} attributes[] = {
		{ CU_LAUNCH_ATTRIBUTE_IGNORE, 7, 0 },
		{ CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, 7, 0 },
		{ CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 1, 0 },
		{ CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, 1, 0 },
		{ CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 1, 0 },
		{ CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 2, 1 },
		{ CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 1, 0 },
		{ CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 1, 0 },
		{ CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, 0, 1 },
		{ CU_LAUNCH_ATTRIBUTE_PRIORITY, -2, 0 },
		{ CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, 1, 0 },
		{ CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, 1, 0 },
		{ CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION, 2, 1 },
		{ CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, 0, 1 },
		{ CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, 1, 1 },
		{ CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, 0, 0 },
		{ CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, 0 },
		{ CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING, 1, 0 },
		{ 15, 0, 1 },
		{ 99, 0, 1 },
	};
	CUlaunchConfig config = { 1, 1, 1, 1, 1, 1, 0, NULL, NULL, 1 };
	CUcontext context = drv_begin();
	CUfunction nothing;
	CUmodule module;

	(void)state;
	OK(cuModuleLoadData(&module, drv_ptx));
	OK(cuModuleGetFunction(&nothing, module, "nothing"));
	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++) {
		CUlaunchAttribute attribute = { .id = (CUlaunchAttributeID)attributes[i].id };
		CUresult result;

		attribute.value.clusterDim.x = (unsigned int)attributes[i].first_word;
		attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
		config.attrs = &attribute;
		result = cuLaunchKernelEx(&config, nothing, NULL, NULL);
		if (result != (attributes[i].refused ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS))
			fail_msg("attribute %d of %d: result %d", attributes[i].id,
				 attributes[i].first_word, result);
	}
	drv_end(context);
}

static void code_that_is_not_right_is_refused(void **state)
{
	/* a fat binary of SASS alone, for sm_80 */
	static const uint8_t sass[16 + 64 + 8] = {
		0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 72, 0, 0, 0, 0, 0, 0, 0,
		2, 0, 1, 1, 64, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, [16 + 28] = 80, [16 + 40] = 0x11,
	};
	/* the header of a cubin for sm_90, and nothing of what it speaks of */
	static const uint8_t cubin[64] = {
		0x7f, 'E', 'L', 'F', 2, 1, 1, 0x33, 7, [16] = 2, [18] = 190, [40] = 0xff,
		[41] = 0xff, [42] = 0xff, [43] = 0xff, [44] = 0xff, [58] = 64, [60] = 4,
	};
	CUcontext context = drv_begin();
	char log[256] = "", info[16] = "x";
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
				   CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
				   CU_JIT_WALL_TIME };
	void *values[] = { log, (void *)sizeof(log), info, (void *)sizeof(info), NULL };
	CUjit_option unknown = (CUjit_option)99;
	CUmodule module;

	(void)state;
	REFUSED(cuModuleLoadData(&module, sass), CUDA_ERROR_NO_BINARY_FOR_GPU);
	REFUSED(cuModuleLoadFatBinary(&module, sass), CUDA_ERROR_NO_BINARY_FOR_GPU);
	REFUSED(cuModuleLoadData(&module, cubin), CUDA_ERROR_INVALID_IMAGE);
	REFUSED(cuModuleLoadData(&module, "no code"), CUDA_ERROR_INVALID_IMAGE);
	REFUSED(cuModuleLoadData(&module, NULL), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuModuleLoadData(NULL, drv_ptx), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuModuleLoadData(&module, (void *)64), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuModuleLoadData(&module, ".version 88.1\n.target sm_70\n.address_size 64\n"),
		CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
	REFUSED(cuModuleLoad(&module, "/nonexistent.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
	/* line 5 is wrong, and the log says so */
	REFUSED(cuModuleLoadDataEx(&module, HEAD ".visible .entry k() {\n frobnicate.u32 1;\n}\n",
				   5, options, values),
		CUDA_ERROR_INVALID_PTX);
	assert_non_null(strstr(log, "line 5"));
	assert_int_equal((size_t)values[1], strlen(log));
	assert_int_equal((size_t)values[3], 0);
	assert_string_equal(info, "");
	values[1] = (void *)8;
	REFUSED(cuModuleLoadDataEx(&module, HEAD "wrong", 2, options, values),
		CUDA_ERROR_INVALID_PTX);
	assert_int_equal(strlen(log), 7);
	REFUSED(cuModuleLoadDataEx(&module, drv_ptx, 1, &unknown, values),
		CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuModuleLoadDataEx(&module, drv_ptx, 1, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
	drv_end(context);
}

/*
 * As CUDA has it: its compiler refuses text of a later target, its loader finds nothing in a fat
 * binary of it. With VGPU_STRICT_CAPABILITY=0 what counts is whether it can be compiled.
 */
static void newer_ptx_is_refused(void **state)
{
	static const char newer[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
				    ".visible .entry k() { ret; }\n";
	/* a fat binary with one entry: its header, that of PTX, the text filled up to 8 */
	enum { TEXT = 88, AT = 16 + 64 };
	static const uint8_t head[AT] = {
		0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 64 + TEXT, 0, 0, 0, 0, 0, 0, 0,
		1, 0, 1, 1, 64, 0, 0, 0, TEXT, 0, 0, 0, 0, 0, 0, 0, [16 + 28] = 90,
		[16 + 40] = 0x11,
	};
	static uint8_t fat[AT + TEXT];
	CUcontext context = drv_begin();
	CUlinkState link;
	CUlibrary library;
	CUkernel kernel;
	CUmodule module;
	char log[256] = "";
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { log, (void *)sizeof(log) };

	(void)state;
	assert_true(sizeof(newer) <= TEXT);
	memcpy(fat, head, AT);
	memcpy(fat + AT, newer, sizeof(newer));
	REFUSED(cuModuleLoadDataEx(&module, newer, 2, options, values), CUDA_ERROR_INVALID_PTX);
	assert_non_null(strstr(log, "compute_90"));
	assert_non_null(strstr(log, "8.0"));
	REFUSED(cuModuleLoadData(&module, fat), CUDA_ERROR_NO_BINARY_FOR_GPU);
	REFUSED(cuModuleLoadFatBinary(&module, fat), CUDA_ERROR_NO_BINARY_FOR_GPU);
	OK(cuLibraryLoadData(&library, fat, NULL, NULL, 0, NULL, NULL, 0));
	REFUSED(cuLibraryGetKernel(&kernel, library, "k"), CUDA_ERROR_NO_BINARY_FOR_GPU);
	OK(cuLibraryUnload(library));
	OK(cuLinkCreate_v2(0, NULL, NULL, &link));
	REFUSED(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)newer, sizeof(newer), "newer", 0,
				 NULL, NULL),
		CUDA_ERROR_INVALID_PTX);
	REFUSED(cuLinkAddData_v2(link, CU_JIT_INPUT_FATBINARY, fat, sizeof(fat), "newer", 0, NULL,
				 NULL),
		CUDA_ERROR_NO_BINARY_FOR_GPU);
	OK(cuLinkDestroy(link));
	OK(cuModuleLoadData(&module, drv_ptx));
	setenv("VGPU_STRICT_CAPABILITY", "0", 1);
	OK(cuModuleLoadData(&module, newer));
	OK(cuModuleLoadData(&module, fat));
	setenv("VGPU_STRICT_CAPABILITY", "1", 1);
	REFUSED(cuModuleLoadData(&module, newer), CUDA_ERROR_INVALID_PTX);
	unsetenv("VGPU_STRICT_CAPABILITY");
	drv_end(context);
}

static void libraries_need_no_context(void **state)
{
	CUdeviceptr pointer, words;
	unsigned int count;
	uint64_t more = 1;
	uint32_t value = 2;
	void *params[] = { &words, &value, &more };
	CUfunction function;
	CUlibrary library;
	CUkernel kernel, kernels[2];
	CUcontext context;
	CUmodule module;
	const char *name;

	(void)state;
	OK(cuInit(0));
	OK(cuLibraryLoadData(&library, drv_ptx, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&kernel, library, "set"));
	REFUSED(cuLibraryGetKernel(&kernel, library, "unset"), CUDA_ERROR_NOT_FOUND);
	OK(cuLibraryGetKernelCount(&count, library));
	assert_int_equal(count, 2);
	OK(cuLibraryEnumerateKernels(kernels, 2, library));
	assert_ptr_equal(kernels[0], kernel);
	OK(cuKernelGetName(&name, kernel));
	assert_string_equal(name, "set");
	context = drv_begin();
	words = drv_words(1);
	/* as it is, and as the function it is here */
	OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	assert_int_equal(drv_read(words), 3);
	OK(cuKernelGetFunction(&function, kernel));
	more = 10;
	OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	assert_int_equal(drv_read(words), 12);
	/* the module is the library's: it cannot be taken from under its kernels */
	OK(cuLibraryGetModule(&module, library));
	REFUSED(cuModuleUnload(module), CUDA_ERROR_NOT_PERMITTED);
	OK(cuFuncGetModule(&module, (CUfunction)kernel));
	REFUSED(cuModuleUnload(module), CUDA_ERROR_NOT_PERMITTED);
	OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	OK(cuLibraryGetGlobal(&pointer, NULL, library, "counter"));
	assert_int_equal(drv_read(pointer), 41);
	REFUSED(cuLibraryGetManaged(&pointer, NULL, library, "counter"), CUDA_ERROR_NOT_FOUND);
	OK(cuLibraryGetManaged(&pointer, NULL, library, "both"));
	OK(cuLibraryUnload(library));
	REFUSED(cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuKernelGetName(&name, kernel), CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
		CUDA_ERROR_INVALID_HANDLE);
	drv_end(context);
}

static void modules_are_linked(void **state)
{
	static char one[] = HEAD ".extern .func (.param .b32 r) f ();\n"
		".visible .entry k(.param .u64 p)"
		"{ .reg .u64 %rd<2>; .reg .u32 %r<2>; .param .b32 x; ld.param.u64 %rd1, [p];\n"
		"call (x), f, (); ld.param.b32 %r1, [x]; st.global.u32 [%rd1], %r1; ret; }\n";
	static char two[] = HEAD ".visible .func (.param .b32 r) f ()"
		"{ .reg .u32 %r<2>; mov.u32 %r1, 77; st.param.b32 [r], %r1; ret; }\n";
	CUcontext context = drv_begin();
	char log[256] = "";
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { log, (void *)sizeof(log) };
	CUdeviceptr word = drv_words(1);
	void *params[] = { &word };
	CUlinkState link;
	CUfunction k;
	CUmodule module;
	size_t bytes;
	void *cubin;

	(void)state;
	OK(cuLinkCreate(2, options, values, &link));
	REFUSED(cuLinkComplete(link, &cubin, &bytes), CUDA_ERROR_INVALID_IMAGE);
	OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, one, sizeof(one), "one", 0, NULL, NULL));
	/* f is missing yet */
	values[1] = (void *)sizeof(log);
	REFUSED(cuLinkComplete(link, &cubin, &bytes), CUDA_ERROR_INVALID_PTX);
	assert_non_null(strstr(log, "`f'"));
	OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, two, sizeof(two), "two", 0, NULL, NULL));
	OK(cuLinkComplete(link, &cubin, &bytes));
	assert_int_equal(bytes, strlen(cubin) + 1);
	OK(cuModuleLoadData(&module, cubin));
	OK(cuLinkDestroy(link));
	REFUSED(cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
	OK(cuModuleGetFunction(&k, module, "k"));
	OK(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	assert_int_equal(drv_read(word), 77);
	REFUSED(cuLinkAddData((CUlinkState)&word, CU_JIT_INPUT_PTX, two, sizeof(two), "", 0, NULL,
			      NULL), CUDA_ERROR_INVALID_HANDLE);
	drv_end(context);
}

/*
 * 40 numbers that are all wanted in the end need more than 16 registers; a kernel with bounds of
 * its own may have them. .entry in a comment is none.
 */
static void limits_of_registers_are_linked(void **state)
{
	CUcontext context = drv_begin();
	CUjit_option option = CU_JIT_MAX_REGISTERS;
	void *value = (void *)(uintptr_t)16;
	char text[8192];
	size_t at = 0, bytes;
	CUlinkState link;
	CUfunction k;
	CUmodule module;
	void *cubin;
	int regs;

	(void)state;
	at += (size_t)snprintf(text, sizeof(text), HEAD ".const .align 4 .b8 c[12];\n"
	".const .u64 d;\n"
			       "// .entry {\n");
	for (unsigned int kernel = 0; kernel < 2; kernel++) {
		at += (size_t)snprintf(text + at, sizeof(text) - at, ".visible .entry %s\n"
				       "{ .reg .u64 %%rd<2>; .reg .u32 %%r<41>;\n"
				       "ld.param.u64 %%rd1, [p];\n",
				       kernel ? "j(.param .u64 p) .maxntid 64, 1, "
				       "1" : "k(.param .u64 p)");
		for (unsigned int i = 0; i < 80; i++)
			at += (size_t)snprintf(text + at, sizeof(text) - at, i < 40 ?
					       "ld.volatile.global.u32 %%r%u, [%%rd1];\n" :
					       "st.volatile.global.u32 [%%rd1], %%r%u;\n", i % 40);
		at += (size_t)snprintf(text + at, sizeof(text) - at, "ret; }\n");
	}
	OK(cuLinkCreate(1, &option, &value, &link));
	OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, text, at + 1, "limited", 0, NULL, NULL));
	OK(cuLinkComplete(link, &cubin, &bytes));
	OK(cuModuleLoadData(&module, cubin));
	OK(cuLinkDestroy(link));
	OK(cuModuleGetFunction(&k, module, "k"));
	OK(cuFuncGetAttribute(&regs, CU_FUNC_ATTRIBUTE_NUM_REGS, k));
	assert_true(regs <= 16);
	OK(cuFuncGetAttribute(&regs, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, k));
	assert_int_equal(regs, 20);
	OK(cuModuleGetFunction(&k, module, "j"));
	OK(cuFuncGetAttribute(&regs, CU_FUNC_ATTRIBUTE_NUM_REGS, k));
	assert_true(regs >= 40);
	drv_end(context);
}

/* set(u64, u32, u64): the third is aligned to 8 */
static void parameters_have_places(void **state)
{
	static const size_t places[3][2] = { { 0, 8 }, { 8, 4 }, { 16, 8 } };
	CUcontext context = drv_begin();
	size_t offset, bytes;
	CUfunction set;
	CUmodule module;
	const char *name;

	(void)state;
	OK(cuModuleLoadData(&module, drv_ptx));
	OK(cuModuleGetFunction(&set, module, "set"));
	for (unsigned int i = 0; i < 3; i++) {
		OK(cuFuncGetParamInfo(set, i, &offset, &bytes));
		assert_int_equal(offset, places[i][0]);
		assert_int_equal(bytes, places[i][1]);
	}
	OK(cuFuncGetParamInfo(set, 1, &offset, NULL));
	REFUSED(cuFuncGetParamInfo(set, 3, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuFuncGetParamInfo(set, 0, NULL, &bytes), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuFuncGetParamInfo((CUfunction)context, 0, &offset, &bytes),
		CUDA_ERROR_INVALID_HANDLE);
	OK(cuFuncGetName(&name, set));
	assert_string_equal(name, "set");
	REFUSED(cuFuncGetName(NULL, set), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuFuncSetAttribute(set, CU_FUNC_ATTRIBUTE_NUM_REGS, 8), CUDA_ERROR_INVALID_VALUE);
	OK(cuFuncSetAttribute(set, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
	REFUSED(cuModuleLoad(&module, "/dev/null"), CUDA_ERROR_INVALID_IMAGE);
	REFUSED(cuModuleLoad(&module, "/nowhere"), CUDA_ERROR_FILE_NOT_FOUND);
	drv_end(context);
}

static void occupancy_is_the_runtimes(void **state)
{
	CUcontext context = drv_begin();
	int blocks, grid, block;
	CUfunction nothing;
	CUmodule module;
	size_t shared;

	(void)state;
	OK(cuModuleLoadData(&module, drv_ptx));
	OK(cuModuleGetFunction(&nothing, module, "nothing"));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 1024, 0));
	assert_int_equal(blocks, 2);		/* 2,048 threads an SM */
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 32, 48 << 10));
	assert_int_equal(blocks, 2);		/* 96 KB an SM */
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, nothing, NULL, 0, 0));
	assert_int_equal(block, 1024);
	assert_int_equal(grid, 160);
	OK(cuOccupancyAvailableDynamicSMemPerBlock(&shared, nothing, 2, 128));
	assert_int_equal(shared, 48 << 10);
	OK(cuFuncSetAttribute(nothing, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 96 << 10));
	REFUSED(cuFuncSetAttribute(nothing, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
				   97 << 10), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 0, 0),
		CUDA_ERROR_INVALID_VALUE);
	drv_end(context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules_have_kernels_and_variables),
		cmocka_unit_test(both_forms_of_parameters),
		cmocka_unit_test(attributes_have_effects_or_are_refused),
		cmocka_unit_test(code_that_is_not_right_is_refused),
		cmocka_unit_test(newer_ptx_is_refused),
		cmocka_unit_test(libraries_need_no_context),
		cmocka_unit_test(modules_are_linked),
		cmocka_unit_test(limits_of_registers_are_linked),
		cmocka_unit_test(parameters_have_places),
		cmocka_unit_test(occupancy_is_the_runtimes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
