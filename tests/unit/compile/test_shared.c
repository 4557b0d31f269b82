// SPDX-License-Identifier: MIT
/*
 * Modules that call malloc() and free(): what the compiler adds to them, how large kernels with
 * many calls are, and that calls do the same whether they are shared, inlined or under a guard.
 */
#include "ptx_run.h"

#define HEAP_CALLS \
	".extern .func (.param .b64 r) malloc(.param .b64 a);\n" \
	".extern .func free(.param .b64 a);\n"

/* Allocates @calls blocks one after another, writes into each and frees it. */
static char *kernel_with_calls(unsigned int calls)
{
	struct text t = { 0 };

	text_add(&t, PTX_HEAD HEAP_CALLS
		 ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
		 ".reg .b64 %%p<4>;\n.reg .b32 %%t;\n.reg .b32 %%s<3>;\n"
		 "mov.u32 %%s0, 0; mov.u32 %%t, %%tid.x; ld.param.u64 %%p1, [out];\n"
		 "mad.wide.u32 %%p1, %%t, 4, %%p1;\n");
	for (unsigned int i = 0; i < calls; i++)
		text_add(&t,
			 "{ .param .b64 a; .param .b64 r; st.param.b64 [a], %u;\n"
			 "call (r), malloc, (a); ld.param.b64 %%p2, [r]; }\n"
			 "add.u32 %%s1, %%t, %u; st.u32 [%%p2], %%s1;\n"
			 "ld.volatile.u32 %%s2, [%%p2];\n"
			 "add.u32 %%s0, %%s0, %%s2;\n"
			 "{ .param .b64 a; st.param.b64 [a], %%p2; call free, (a); }\n",
			 16 + 40 * i, i);
	text_add(&t, "st.global.u32 [%%p1], %%s0; ret; }\n");
	return t.text;
}

static void only_callers_get_the_heap(void **state)
{
	char *ptx = kernel_with_calls(1);
	struct vgpu_program *program = ptx_compile(ptx, 0);

	(void)state;
	assert_true(program->uses_heap);
	assert_true(program->kernels[0].uses_heap);
	assert_int_equal(program->symbol_count, 0);
	assert_true(program->heap_offset + 64 <= program->data_bytes);
	vgpu_program_free(program);
	free(ptx);
	/* a function of its own with that name is the program's */
	program = ptx_compile(PTX_HEAD ".func free(.param .b64 a) { ret; }\n.entry k() {\n"
				       ".param .b64 a; st.param.b64 [a], 1; call free, (a); ret; }",
			      0);
	assert_false(program->uses_heap);
	assert_false(program->kernels[0].uses_heap);
	assert_int_equal(program->data_bytes, 0);
	vgpu_program_free(program);
	ptx_refused(PTX_HEAD ".extern .func free(.param .b64 a, .param .b64 b);\n.entry k() {\n"
			     ".param .b64 a; call free, (a, a); ret; }",
		    "other parameters");
}

static void calls_share_the_code(void **state)
{
	char *one = kernel_with_calls(1), *many = kernel_with_calls(101);
	struct vgpu_program *first = ptx_compile(one, 0), *second = ptx_compile(many, 0);

	(void)state;
	/* a call of each, their returns, and what the kernel does between them */
	assert_true(second->kernels[0].vass.code_count <
		    first->kernels[0].vass.code_count + 100 * 20);
	assert_true(second->kernels[0].vass.regs <= first->kernels[0].vass.regs + 8);
	vgpu_program_free(first);
	vgpu_program_free(second);
	free(one);
	free(many);
}

/* With few registers calls are inlined. */
static void calls_compute_the_same(void **state)
{
	static const uint32_t registers[] = { 0, 128, 64, 32 };
	enum { THREADS = 96, CALLS = 7 };
	uint32_t in = 0, out[THREADS];
	char *ptx = kernel_with_calls(CALLS);

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		ptx_begin();
		ptx_launch(ptx_load(ptx, registers[i]), "k", THREADS, &in, sizeof(in), out,
			   sizeof(out));
		for (uint32_t t = 0; t < THREADS; t++)
			assert_int_equal(out[t], t * CALLS + CALLS * (CALLS - 1) / 2);
		ptx_end();
	}
	free(ptx);
}

static void guarded_calls(void **state)
{
	static const char ptx[] = PTX_HEAD HEAP_CALLS
		".visible .entry k(.param .u64 in, .param .u64 out) {\n"
		".reg .b64 %p<4>;\n.reg .b32 %t<3>;\n.reg .pred %q;\n"
		"mov.u32 %t0, %tid.x; and.b32 %t1, %t0, 1; setp.ne.u32 %q, %t1, 0;\n"
		"ld.param.u64 %p1, [out]; mad.wide.u32 %p1, %t0, 4, %p1; mov.u64 %p2, 0;\n"
		"{ .param .b64 a; .param .b64 r; st.param.b64 [a], 64; st.param.b64 [r], 0;\n"
		"@%q call (r), malloc, (a); @%q ld.param.b64 %p2, [r]; }\n"
		"setp.eq.u64 %q, %p2, 0; selp.u32 %t2, 1, 2, %q; st.global.u32 [%p1], %t2;\n"
		"{ .param .b64 a; st.param.b64 [a], %p2; @!%q call free, (a); }\nret; }\n";
	uint32_t in = 0, out[64];

	(void)state;
	ptx_begin();
	ptx_launch(ptx_load(ptx, 0), "k", 64, &in, sizeof(in), out, sizeof(out));
	for (uint32_t t = 0; t < 64; t++)
		assert_int_equal(out[t], t % 2 ? 2 : 1);
	ptx_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_callers_get_the_heap),
		cmocka_unit_test(calls_share_the_code),
		cmocka_unit_test(calls_compute_the_same),
		cmocka_unit_test(guarded_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
