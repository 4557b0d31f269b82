// SPDX-License-Identifier: MIT
/*
 * The heap of malloc() in kernels: how much device memory it takes, that all modules share it, when
 * it can be resized, and what is said when there is no room for it.
 */
#include <string.h>

#include "rig.h"
#include "state.h"

#define MB (1ull << 20)

/* allocate: *where = malloc(bytes), and its first byte is written; release: free(*where) */
static const char ptx[] =
	".version 6.3\n.target sm_70\n.address_size 64\n"
	".extern .func (.param .b64 r) malloc(.param .b64 a);\n"
	".extern .func free(.param .b64 a);\n"
	".visible .entry allocate(.param .u64 where, .param .u64 bytes) {\n"
	".reg .b64 %d<4>;\n.reg .pred %p;\n"
	"ld.param.u64 %d1, [where]; ld.param.u64 %d2, [bytes];\n"
	"{ .param .b64 a; .param .b64 r; st.param.b64 [a], %d2; call (r), malloc, (a);\n"
	"ld.param.b64 %d3, [r]; }\n"
	"st.global.u64 [%d1], %d3; setp.eq.u64 %p, %d3, 0; @!%p st.u8 [%d3], 1; ret; }\n"
	".visible .entry release(.param .u64 where) {\n.reg .b64 %d<3>;\n"
	"ld.param.u64 %d1, [where]; ld.global.u64 %d2, [%d1];\n"
	"{ .param .b64 a; st.param.b64 [a], %d2; call free, (a); } ret; }\n";

static const unsigned int one[3] = { 1, 1, 1 };

static uint64_t allocate(vgpuModule_t module, uint64_t *where, uint64_t bytes)
{
	void *arguments[] = { &where, &bytes };
	vgpuFunction_t function;
	uint64_t block;

	OK(vgpuModuleGetFunction(&function, module, "allocate"));
	OK(vgpuLaunchKernel(function, one, one, arguments, 0, NULL));
	OK(vgpuMemcpy(&block, where, sizeof(block), vgpuMemcpyDeviceToHost));
	return block;
}

static vgpuError_t release(vgpuModule_t module, uint64_t *where)
{
	void *arguments[] = { &where };
	vgpuFunction_t function;

	OK(vgpuModuleGetFunction(&function, module, "release"));
	OK(vgpuLaunchKernel(function, one, one, arguments, 0, NULL));
	return vgpuDeviceSynchronize();
}

static struct vgpu_context_info context(void)
{
	struct vgpu_context_info info;

	assert_int_equal(rt.ops->context_info(rt.transport, &info), 0);
	return info;
}

static void memory_is_what_is_used(void **state)
{
	struct vgpu_context_info before, loaded, after;
	vgpuModule_t module;
	uint64_t *where;
	struct rig rig;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMalloc((void **)&where, 8));
	before = context();
	OK(vgpuModuleLoad(&module, ptx));
	loaded = context();
	/* the heap and 1 % of metadata; a slab for the module's variables */
	assert_in_range(loaded.mapped_bytes - before.mapped_bytes, 8 * MB, 10 * MB + MB / 2);
	assert_in_range(loaded.resident_bytes - before.resident_bytes, 0, 8192);
	assert_int_not_equal(allocate(module, where, 100), 0);
	after = context();
	/* a page each of the head, the states, the bitmaps and the block, and what shares none */
	assert_in_range(after.resident_bytes - loaded.resident_bytes, 4096, 6 * 4096);
	OK(release(module, where));
	rig_end();
}

static void modules_share_it(void **state)
{
	vgpuModule_t first, second;
	uint64_t *where;
	struct rig rig;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMalloc((void **)&where, 8));
	OK(vgpuModuleLoad(&first, ptx));
	OK(vgpuModuleLoad(&second, ptx));
	assert_int_not_equal(allocate(first, where, 8 * MB), 0);
	OK(release(second, where));
	OK(vgpuModuleUnload(first));
	assert_int_not_equal(allocate(second, where, 8 * MB), 0);
	assert_int_equal(allocate(second, where, 1), 0);
	rig_end();
}

static void size_is_set_before_use(void **state)
{
	vgpuModule_t module;
	uint64_t *where;
	struct rig rig;
	size_t bytes;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMalloc((void **)&where, 8));
	assert_int_equal(vgpuDeviceGetHeapSize(NULL), vgpuErrorInvalidValue);
	OK(vgpuDeviceSetHeapSize(1));
	OK(vgpuDeviceGetHeapSize(&bytes));
	assert_int_equal(bytes, 16384);
	OK(vgpuModuleLoad(&module, ptx));
	OK(vgpuDeviceSetHeapSize(20 * MB));
	assert_int_not_equal(allocate(module, where, 20 * MB), 0);
	assert_int_equal(vgpuDeviceSetHeapSize(8 * MB), vgpuErrorInvalidValue);
	OK(vgpuDeviceGetHeapSize(&bytes));
	assert_int_equal(bytes, 20 * MB);
	OK(vgpuDeviceReset());
	OK(vgpuDeviceGetHeapSize(&bytes));
	assert_int_equal(bytes, 8 * MB);
	rig_end();
}

static void no_room_is_said(void **state)
{
	vgpuModule_t module;
	struct rig rig;
	void *most;

	(void)state;
	rig_begin(&rig, NULL, "16M");
	assert_int_equal(vgpuDeviceSetHeapSize(17 * MB), vgpuErrorMemoryAllocation);
	OK(vgpuMalloc(&most, 10 * MB));
	assert_int_equal(vgpuModuleLoad(&module, ptx), vgpuErrorMemoryAllocation);
	assert_non_null(strstr(vgpuGetLastMessage(), "cudaLimitMallocHeapSize is 8388608 bytes"));
	OK(vgpuDeviceSetHeapSize(MB));
	OK(vgpuModuleLoad(&module, ptx));
	/* a larger one does not fit beside it: the old one stays */
	assert_int_equal(vgpuDeviceSetHeapSize(8 * MB), vgpuErrorMemoryAllocation);
	OK(vgpuFree(most));
	OK(vgpuMalloc(&most, 8));
	assert_int_not_equal(allocate(module, most, MB), 0);
	assert_int_equal(allocate(module, most, MB), 0);
	rig_end();
}

static void double_free_is_told(void **state)
{
	vgpuModule_t module;
	vgpuFault fault;
	uint64_t *where;
	struct rig rig;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMalloc((void **)&where, 8));
	OK(vgpuModuleLoad(&module, ptx));
	assert_int_not_equal(allocate(module, where, 100), 0);
	OK(release(module, where));
	assert_int_equal(release(module, where), vgpuErrorLaunchFailure);
	OK(vgpuGetFault(&fault));
	assert_string_equal(fault.kernel, "release");
	assert_non_null(strstr(fault.sentence, "free() of an address that is not allocated"));
	rig_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_what_is_used),
		cmocka_unit_test(modules_share_it),
		cmocka_unit_test(size_is_set_before_use),
		cmocka_unit_test(no_room_is_said),
		cmocka_unit_test(double_free_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
