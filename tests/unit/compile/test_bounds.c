// SPDX-License-Identifier: MIT
/*
 * How many registers a kernel gets by what it says of its blocks (NVIDIA's assembler gives the same
 * for sm_80, which has as many), kernels that are launched with more threads than they have
 * registers for, values made anew, constants of loops, and modules too large for one binary.
 */
#include "ptx_run.h"

#define LIVE	120	/* values at once, of one register each */

/* out[t] = the sum of in[t * LIVE + i] * (i + 1), all loaded before the first is used. */
static void add_kernel(struct text *t, const char *name, const char *bounds)
{
	text_add(t,
		 ".visible .entry %s(.param .u64 in, .param .u64 out) %s {\n"
		 ".reg .b64 %%p<3>; .reg .b32 %%v<%u>; .reg .b32 %%t; .reg .b32 %%s;\n"
		 "mov.u32 %%t, %%tid.x; ld.param.u64 %%p0, [in]; ld.param.u64 %%p1, [out];\n"
		 "mad.wide.u32 %%p0, %%t, %u, %%p0; mad.wide.u32 %%p1, %%t, 4, %%p1;\n",
		 name, bounds, LIVE, LIVE * 4);
	for (int i = 0; i < LIVE; i++)
		text_add(t, "ld.volatile.global.u32 %%v%d, [%%p0+%d];\n", i, i * 4);
	text_add(t, "mov.u32 %%s, 0;\n");
	for (int i = LIVE; i--;)
		text_add(t, "mad.lo.u32 %%s, %%v%d, %d, %%s;\n", i, i + 1);
	text_add(t, "st.global.u32 [%%p1], %%s; ret; }\n");
}

static void registers_of_bounds(void **state)
{
	static const struct {
		const char *bounds;
		uint32_t max_regs, most, least;
	} cases[] = {
		{ "", 0, 254, LIVE },
		{ "", 40, 40, 33 },
		{ ".maxntid 1024", 0, 64, 57 },
		{ ".maxntid 1000, 1, 1", 0, 64, 57 },
		{ ".reqntid 32, 32", 0, 64, 57 },
		{ ".maxntid 512", 0, 128, LIVE },
		{ ".maxntid 768", 0, 80, 73 },		/* 85 and a third */
		{ ".maxntid 896", 0, 72, 65 },		/* 73.1 */
		{ ".maxntid 33", 0, 254, LIVE },
		{ ".maxntid 1024\n.minnctapersm 2", 0, 32, 25 },
		{ ".maxntid 1024 .minnctapersm 5", 0, 64, 57 },	/* five cannot be */
		{ ".minnctapersm 3 .maxntid 256", 0, 80, 73 },	/* 24 warps, 85 and a third */
		{ ".maxntid 96 .minnctapersm 10", 0, 64, 57 },	/* 30 warps, 68.3 */
		{ ".maxntid 64, 1, 1 .minnctapersm 32", 0, 32, 25 },
		{ ".minnctapersm 4", 0, 254, LIVE },		/* of blocks of which size? */
		{ ".maxnreg 48", 0, 48, 41 },
		{ ".maxnreg 3", 0, 16, 9 },
		{ ".maxnreg 4000000000", 0, 254, LIVE },
		{ ".maxnreg 48", 24, 48, 41 },			/* its own count */
		{ ".maxntid 1024", 100, 64, 57 },
		{ ".maxntid 512", 24, 128, LIVE },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct text t = { 0 };
		struct vgpu_program *program;
		uint32_t regs;

		text_add(&t, PTX_HEAD);
		add_kernel(&t, "k", cases[i].bounds);
		program = ptx_compile(t.text, cases[i].max_regs);
		regs = program->kernels[0].vass.regs;
		if (regs > cases[i].most || regs < cases[i].least)
			fail_msg("%s: %u registers, expected %u to %u", cases[i].bounds, regs,
				 cases[i].least, cases[i].most);
		assert_int_equal(!program->kernels[0].spilled_bytes, cases[i].most >= LIVE);
		vgpu_program_free(program);
		text_free(&t);
	}
}

static void run(struct vgpuModule *module, const char *kernel, unsigned int threads)
{
	static uint32_t in[1024 * LIVE], out[1024];

	for (uint32_t i = 0; i < 1024 * LIVE; i++)
		in[i] = i * 2654435761u >> 7;
	ptx_launch(module, kernel, threads, in, sizeof(in), out, sizeof(out));
	for (uint32_t thread = 0; thread < threads; thread++) {
		uint32_t want = 0;

		for (uint32_t i = 0; i < LIVE; i++)
			want += in[thread * LIVE + i] * (i + 1);
		assert_int_equal(out[thread], want);
	}
}

static void blocks_without_registers(void **state)
{
	vgpuFunctionAttributes attributes;
	struct vgpuModule *module;
	vgpuFunction_t function;
	struct text t = { 0 };
	int blocks;

	(void)state;
	text_add(&t, PTX_HEAD);
	add_kernel(&t, "before", "");
	add_kernel(&t, "k", "");
	add_kernel(&t, "half", ".maxntid 512");
	ptx_begin();
	module = ptx_load(t.text, 0);
	assert_int_equal(vgpuModuleGetFunction(&function, module, "k"), vgpuSuccess);
	assert_int_equal(vgpuFuncGetAttributes(&attributes, function), vgpuSuccess);
	assert_int_equal(attributes.max_threads, 1024);
	assert_true(attributes.regs >= LIVE);
	/* 120 to 128 registers: 512 threads; 1,024 of 64; 800 of 81, so the SM has one such */
	assert_int_equal(vgpuOccupancy(&blocks, function, 512, 0), vgpuSuccess);
	assert_int_equal(blocks, 1);
	assert_int_equal(vgpuOccupancy(&blocks, function, 1024, 0), vgpuSuccess);
	assert_int_equal(blocks, 1);
	for (unsigned int round = 0; round < 2; round++) {
		run(module, "k", 1024);
		run(module, "k", 32);
		run(module, "k", 800);
		run(module, "before", 1024);
	}
	run(module, "half", 512);
	assert_int_equal(vgpuModuleGetFunction(&function, module, "half"), vgpuSuccess);
	assert_int_equal(vgpuFuncGetAttributes(&attributes, function), vgpuSuccess);
	assert_int_equal(attributes.max_threads, 512);
	assert_int_equal(vgpuModuleUnload(module), vgpuSuccess);
	ptx_end();
	text_free(&t);
}

/* The instruction of a fault is found in the code that ran. */
static void fault_in_the_other_code(void **state)
{
	const unsigned int one[3] = { 1, 1, 1 }, block[3] = { 1024, 1, 1 };
	uint64_t in = 0, out = 0;
	void *arguments[] = { &in, &out };
	struct vgpuModule *module;
	vgpuFunction_t function;
	struct text t = { 0 };
	vgpuFault fault;

	(void)state;
	text_add(&t, PTX_HEAD);
	add_kernel(&t, "before", "");
	add_kernel(&t, "k", "");
	ptx_begin();
	module = ptx_load(t.text, 0);
	assert_int_equal(vgpuModuleGetFunction(&function, module, "k"), vgpuSuccess);
	assert_int_equal(vgpuLaunchKernel(function, one, block, arguments, 0, NULL), vgpuSuccess);
	assert_int_equal(vgpuDeviceSynchronize(), vgpuErrorIllegalAddress);
	assert_int_equal(vgpuGetFault(&fault), vgpuSuccess);
	assert_string_equal(fault.kernel, "k");
	assert_non_null(strstr(fault.instruction, "LDG"));
	assert_non_null(strstr(fault.ptx, "ld.volatile.global.u32 %v0, [%p0+0]"));
	ptx_end();
	text_free(&t);
}

/*
 * Addresses of one base by constants, each used twice far apart: with few registers they are made
 * anew, and need no memory.
 */
static void values_made_anew(void **state)
{
	struct vgpu_program *program;
	struct text t = { 0 };

	(void)state;
	text_add(&t, PTX_HEAD
		 ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
		 ".reg .b64 %%p<31>; .reg .b32 %%v<2>; .reg .b32 %%t;\n"
		 "mov.u32 %%t, %%tid.x; ld.param.u64 %%p0, [in];\n");
	for (int i = 1; i <= 30; i++)
		text_add(&t, "mad.wide.u32 %%p%d, %%t, %d, %%p0;\n", i, i * 12);
	for (int i = 1; i <= 30; i++)
		text_add(&t, "atom.global.add.u32 %%v0, [%%p%d], 1;\n", i);
	for (int i = 1; i <= 30; i++)
		text_add(&t, "atom.global.add.u32 %%v0, [%%p%d], 2;\n", i);
	text_add(&t, "ret; }\n");
	program = ptx_compile(t.text, 0);
	assert_true(program->kernels[0].vass.regs > 60);
	vgpu_program_free(program);
	program = ptx_compile(t.text, 20);
	assert_true(program->kernels[0].vass.regs <= 20);
	assert_int_equal(program->kernels[0].spilled_bytes, 0);
	vgpu_program_free(program);
	text_free(&t);
}

static unsigned int movs_of(const struct vgpu_program *program, uint32_t from)
{
	const struct vgpu_insn *code = vgpu_program_code(program, 0);
	unsigned int count = 0;

	for (uint32_t i = from; i < program->kernels[0].vass.code_count; i++)
		count += code[i].op == VGPU_OP_MOV;
	return count;
}

/* The second constant of an FMA is in a register for a whole loop, if there is one left for it. */
static void constants_of_loops(void **state)
{
	static const unsigned int constants[] = { 1, 8, 60 };

	(void)state;
	for (unsigned int k = 0; k < 3; k++) {
		unsigned int different = constants[k];
		struct vgpu_program *program;
		struct text t = { 0 };
		uint32_t start = 0;

		text_add(&t, PTX_HEAD
			 ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
			 ".reg .b64 %%p; .reg .f32 %%f; .reg .b32 %%n; .reg .pred %%q;\n"
			 "ld.param.u64 %%p, [out]; ld.global.f32 %%f, [%%p]; mov.u32 %%n, 0;\n"
			 "again:\n");
		for (unsigned int i = 0; i < 64; i++)
			text_add(&t, "fma.rn.f32 %%f, %%f, 0f3f8147ae, 0f40%02x0000;\n",
				 i % different);
		text_add(&t, "add.u32 %%n, %%n, 1; setp.lt.u32 %%q, %%n, 100; @%%q bra again;\n"
			     "st.global.f32 [%%p], %%f; ret; }\n");
		program = ptx_compile(t.text, 0);
		while (vgpu_program_code(program, 0)[start].op != VGPU_OP_FFMA)
			start++;
		/* 60 constants are more than the registers that are free */
		if (different < 60)
			assert_int_equal(movs_of(program, start), 0);
		else
			assert_in_range(movs_of(program, start), 30, 42);
		assert_true(program->kernels[0].vass.regs <= 32);
		vgpu_program_free(program);
		text_free(&t);
	}
}

/* More kernels than a binary of the device has room for. */
static void large_module(void **state)
{
	enum { KERNELS = 2 * VGPU_VASS_MAX_KERNELS + 3 };
	static const uint32_t some[] = { 0, 1, 1023, 1024, 2047, 2048, KERNELS - 1 };
	struct vgpu_program *program;
	struct vgpuModule *module;
	struct text t = { 0 };
	uint32_t out, in = 0;
	char name[16];

	(void)state;
	text_add(&t, PTX_HEAD ".visible .global .u32 base = 1000000;\n");
	for (unsigned int i = 0; i < KERNELS; i++)
		text_add(&t,
			 ".visible .entry k%u(.param .u64 in, .param .u64 out) {\n"
			 ".reg .b64 %%p; .reg .b32 %%v; ld.param.u64 %%p, [out];\n"
			 "ld.global.u32 %%v, [base]; add.u32 %%v, %%v, %u;\n"
			 "st.global.u32 [%%p], %%v; ret; }\n", i, i);
	program = ptx_compile(t.text, 0);
	assert_int_equal(program->binary_count, 3);
	assert_int_equal(program->binaries[2].kernel_count, 3);
	vgpu_program_free(program);
	ptx_begin();
	module = ptx_load(t.text, 0);
	for (unsigned int i = 0; i < sizeof(some) / sizeof(*some); i++) {
		snprintf(name, sizeof(name), "k%u", some[i]);
		ptx_launch(module, name, 1, &in, sizeof(in), &out, sizeof(out));
		assert_int_equal(out, 1000000 + some[i]);
	}
	ptx_end();
	text_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_of_bounds),
		cmocka_unit_test(blocks_without_registers),
		cmocka_unit_test(fault_in_the_other_code),
		cmocka_unit_test(values_made_anew),
		cmocka_unit_test(constants_of_loops),
		cmocka_unit_test(large_module),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
