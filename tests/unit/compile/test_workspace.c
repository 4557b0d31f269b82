// SPDX-License-Identifier: MIT
/*
 * The workspace of cooperative launches: where its address is put for a kernel that reads %envreg1
 * and %envreg2, and the functions of NVIDIA's library that the compiler brings.
 */
#include "ptx_run.h"

#define PARAMS	".param .u64 in, .param .u64 out, .param .u32 more"

#define GRID_CALLS \
	".extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);\n" \
	".extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 h, .param .b32 flags);\n"

static void kernel_is(const char *body, uint32_t workspace, uint32_t bytes)
{
	struct text t = { 0 };
	struct vgpu_program *program;

	text_add(&t, PTX_HEAD ".visible .entry k(" PARAMS ") {\n%s\nret; }\n", body);
	program = ptx_compile(t.text, 0);
	assert_int_equal(program->kernels[0].workspace_offset, workspace);
	assert_int_equal(program->kernels[0].vass.param_bytes, bytes);
	assert_int_equal(program->kernels[0].param_count, 3);
	vgpu_program_free(program);
	text_free(&t);
}

/* 20 bytes of parameters; the address is behind them, at a multiple of 8. */
static void it_is_behind_the_parameters(void **state)
{
	(void)state;
	kernel_is("", 0, 20);
	kernel_is(".reg .b32 %r; mov.u32 %r, %envreg4;", 0, 20);
	kernel_is(".reg .b32 %r; mov.u32 %r, %envreg1;", 24, 32);
	kernel_is(".reg .b32 %r; .reg .b64 %d; mov.u32 %r, %envreg2; ld.param.u64 %d, [out];"
		  "st.global.u32 [%d], %r;", 24, 32);
	/* %envreg3, the depth of a launch by a kernel, is behind the place of the workspace */
	kernel_is(".reg .b32 %r; mov.u32 %r, %envreg3;", 0, 36);
}

static void a_function_that_stays_a_call_reads_it(void **state)
{
	struct vgpu_program *program = ptx_compile(
		PTX_HEAD ".func (.param .b32 r) f(.param .b32 n) {\n"
		".reg .pred %p; .reg .b32 %s<4>; ld.param.b32 %s0, [n]; mov.u32 %s1, %envreg2;\n"
		"setp.eq.u32 %p, %s0, 0; @%p bra $end;\n"
		"{ .param .b32 a; .param .b32 b; sub.u32 %s0, %s0, 1; st.param.b32 [a], %s0;\n"
		"call (b), f, (a); ld.param.b32 %s2, [b]; }\nadd.u32 %s1, %s1, %s2;\n"
		"$end: st.param.b32 [r], %s1; ret; }\n"
		".visible .entry k(" PARAMS ") {\n.reg .b32 %s; .reg .b64 %d;\n"
		"{ .param .b32 a; .param .b32 b; st.param.b32 [a], 3; call (b), f, (a);\n"
		"ld.param.b32 %s, [b]; }\nld.param.u64 %d, [out]; st.global.u32 [%d], %s; ret; }\n",
		0);

	(void)state;
	assert_int_equal(program->kernels[0].workspace_offset, 24);
	assert_int_equal(program->kernels[0].vass.param_bytes, 32);
	vgpu_program_free(program);
}

static void too_many_parameters_are_refused(void **state)
{
	(void)state;
	ptx_refused(PTX_HEAD ".visible .entry k(.param .b8 much[32764]) {\n"
			     ".reg .b32 %r; mov.u32 %r, %envreg1; ret; }\n",
		    "grid's barrier");
}

/* In a launch that is not cooperative there is no grid: the handle is 0, and so are its halves. */
static void other_launches_have_none(void **state)
{
	struct vgpuModule *module;
	uint32_t in = 0, out[4] = { 7, 7, 7, 7 };

	(void)state;
	ptx_begin();
	module = ptx_load(
		PTX_HEAD GRID_CALLS
		".visible .entry k(.param .u64 in, .param .u64 out) {\n"
		".reg .b32 %s<4>; .reg .b64 %h; .reg .b64 %d; ld.param.u64 %d, [out];\n"
		"{ .param .b32 a; .param .b64 r; st.param.b32 [a], 1;\n"
		"call (r), cudaCGGetIntrinsicHandle, (a); ld.param.b64 %h, [r]; }\n"
		"{ .param .b64 a; .param .b32 f; .param .b32 r; st.param.b64 [a], %h;\n"
		"st.param.b32 [f], 0; call (r), cudaCGSynchronize, (a, f);\n"
		"ld.param.b32 %s0, [r]; }\n"
		"mov.u32 %s1, %envreg1; mov.u32 %s2, %envreg2;\n"
		"st.global.u64 [%d], %h; st.global.u32 [%d+8], %s0;\n"
		"or.b32 %s1, %s1, %s2; st.global.u32 [%d+12], %s1; ret; }\n",
		0);
	ptx_launch(module, "k", 1, &in, sizeof(in), out, sizeof(out));
	assert_int_equal(out[0] | out[1], 0);
	assert_int_equal(out[2], 1);
	assert_int_equal(out[3], 0);
	ptx_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_behind_the_parameters),
		cmocka_unit_test(a_function_that_stays_a_call_reads_it),
		cmocka_unit_test(too_many_parameters_are_refused),
		cmocka_unit_test(other_launches_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
