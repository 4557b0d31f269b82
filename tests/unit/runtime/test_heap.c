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

/*
 * crowd: each thread allocates 4 blocks of 64 bytes, then frees them. *failed is increased when
 * there is no memory
 */
static const char crowd_ptx[] =
	".version 6.3\n.target sm_70\n.address_size 64\n"
	".extern .func (.param .b64 r) malloc(.param .b64 a);\n"
	".extern .func free(.param .b64 a);\n"
	".visible .entry crowd(.param .u64 failed) {\n"
	".reg .b64 %d<7>;\n.reg .b32 %r;\n.reg .pred %p;\n.local .align 8 .b8 own[32];\n"
	"ld.param.u64 %d1, [failed]; mov.u64 %d2, own; mov.u32 %r, 0; mov.u64 %d3, 64;\n"
	"more: { .param .b64 a; .param .b64 r; st.param.b64 [a], %d3; call (r), malloc, (a);\n"
	"ld.param.b64 %d4, [r]; }\n"
	"st.local.u64 [%d2], %d4; add.u64 %d2, %d2, 8; add.u32 %r, %r, 1;\n"
	"setp.eq.u64 %p, %d4, 0; @%p red.global.add.u64 [%d1], 1;\n"
	"setp.lt.u32 %p, %r, 4; @%p bra more; mov.u64 %d2, own; mov.u32 %r, 0;\n"
	"less: ld.local.u64 %d4, [%d2];\n"
	"{ .param .b64 a; st.param.b64 [a], %d4; call free, (a); }\n"
	"add.u64 %d2, %d2, 8; add.u32 %r, %r, 1;\n"
	"setp.lt.u32 %p, %r, 4; @%p bra less; ret; }\n";

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

/* Instructions of @blocks of 128 threads that all want blocks of one size; pages: those it uses. */
static uint64_t crowd(vgpuModule_t module, uint64_t *failed, unsigned int blocks, uint64_t *pages)
{
	const unsigned int grid[3] = { blocks, 1, 1 }, block[3] = { 128, 1, 1 };
	struct vgpu_context_info before = context(), after;
	void *arguments[] = { &failed };
	vgpuFunction_t function;
	uint64_t count;

	OK(vgpuMemset(failed, 0, sizeof(*failed)));
	OK(vgpuModuleGetFunction(&function, module, "crowd"));
	OK(vgpuLaunchKernel(function, grid, block, arguments, 0, NULL));
	OK(vgpuMemcpy(&count, failed, sizeof(count), vgpuMemcpyDeviceToHost));
	assert_int_equal(count, 0);
	after = context();
	*pages = (after.resident_bytes - before.resident_bytes) / 4096;
	return after.instructions - before.instructions;
}

/*
 * All warps of all SMs want blocks of one class. A block of threads on each SM makes that not much
 * slower for any of them than when it is alone: what all of them do grows with their number, not
 * with its square. Nor do they spread over many more pages than they need, 8 for a block's threads.
 */
static void a_crowd_does_not_fight(void **state)
{
	uint64_t alone, pages, *failed;
	vgpuModule_t module;
	struct rig rig;

	(void)state;
	setenv("VGPU_PRESET", "k20c", 1);
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMalloc((void **)&failed, 8));
	OK(vgpuModuleLoad(&module, crowd_ptx));
	crowd(module, failed, 1, &pages);
	alone = crowd(module, failed, 1, &pages);
	assert_in_range(pages, 0, 8);
	assert_in_range(crowd(module, failed, 13, &pages), 0, 13 * 10 * alone);
	assert_in_range(pages, 0, 13 * 8 * 2);
	assert_in_range(crowd(module, failed, 52, &pages), 0, 52 * 15 * alone);
	rig_end();
	unsetenv("VGPU_PRESET");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_what_is_used),
		cmocka_unit_test(modules_share_it),
		cmocka_unit_test(size_is_set_before_use),
		cmocka_unit_test(no_room_is_said),
		cmocka_unit_test(double_free_is_told),
		cmocka_unit_test(a_crowd_does_not_fight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
