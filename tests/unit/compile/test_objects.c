// SPDX-License-Identifier: MIT
/*
 * The objects of accesses: what the compiler proves of an address, from PTX to operand c of the
 * instruction (VGPU_OBJECT_*).
 */
#include "ptx_run.h"

#define A	VGPU_OBJECT_PARAM(0)
#define B	VGPU_OBJECT_PARAM(8)
#define ANY	VGPU_OBJECT_ANY

/* Three parameters of 64 bits, one of 32. %qa, %qb point to memory, %qn is a number. */
#define BEFORE	PTX_HEAD									\
	".global .align 8 .b8 var[256];\n.const .align 8 .b8 fixed[256];\n"			\
	".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 n, .param .u32 m)\n{\n"	\
	".reg .b32 %r<4>;\n.reg .b64 %q<8>;\n.reg .b64 %qa;\n.reg .b64 %qb;\n.reg .b64 %qn;\n"	\
	".reg .pred %p;\n"									\
	"ld.param.u64 %qa, [a];\nld.param.u64 %qb, [b];\nld.param.u64 %qn, [n];\n"		\
	"ld.param.u32 %r0, [m];\nmov.u32 %r1, %tid.x;\n"
#define BEHIND	"\nret;\n}\n"

/* The object of the last load or store to global memory of what the lines compile to. */
static unsigned int object_of(const char *lines, bool store)
{
	struct vgpu_program *program;
	const struct vgpu_insn *code;
	unsigned int object = 1000;
	char ptx[4096], *message;

	snprintf(ptx, sizeof(ptx), "%s%s%s", BEFORE, lines, BEHIND);
	if (vgpu_compile_ptx(ptx, strlen(ptx), NULL, &program, &message))
		fail_msg("%s: %s", lines, message);
	code = vgpu_program_code(program, 0);
	for (uint32_t i = 0; i < program->kernels[0].vass.code_count; i++)
		if (store ? code[i].op == VGPU_OP_STG || code[i].op == VGPU_OP_ST :
			    code[i].op == VGPU_OP_LDG || code[i].op == VGPU_OP_LD)
			object = code[i].c;
	free(message);
	vgpu_program_free(program);
	return object;
}

static void stores(void **state)
{
	static const struct {
		const char *lines;
		unsigned int object;
	} cases[] = {
		{ "st.global.u32 [%qa], %r1;", A },
		{ "st.global.u32 [%qb+64], %r1;", B },
		{ "cvta.to.global.u64 %q0, %qb; st.global.u32 [%q0], %r1;", B },
		/* an index of 32 bits, and one of 64 that is multiplied */
		{ "mul.wide.u32 %q0, %r1, 4; add.s64 %q1, %qa, %q0; st.global.u32 [%q1], %r1;", A },
		{ "shl.b64 %q0, %qn, 2; add.s64 %q1, %qb, %q0; st.global.u32 [%q1], %r1;", B },
		{ "mad.lo.s64 %q1, %qn, 12, %qa; st.global.u32 [%q1], %r1;", A },
		{ "cvt.s64.s32 %q0, %r1; sub.s64 %q1, %qa, %q0; st.global.u8 [%q1], %r1;", A },
		{ "and.b64 %q1, %qa, -16; st.global.u32 [%q1], %r1;", A },
		/* a loop over the memory */
		{ "mov.u64 %q1, %qb;\nL: st.global.u32 [%q1], %r1; add.s64 %q1, %q1, 4;\n"
		  "sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra L;", B },
		/* the sum of two that may both be addresses, and one of two */
		{ "add.s64 %q1, %qa, %qn; st.global.u8 [%q1], %r1;", ANY },
		{ "sub.s64 %q0, %qb, %qa; add.s64 %q1, %qa, %q0; st.global.u8 [%q1], %r1;", ANY },
		{ "setp.ne.u32 %p, %r1, 0; selp.b64 %q1, %qa, %qb, %p; st.global.u32 [%q1], %r1;",
		  ANY },
		{ "setp.ne.u32 %p, %r1, 0; mov.u64 %q1, %qa; @%p mov.u64 %q1, %qb;\n"
		  "st.global.u32 [%q1], %r1;", ANY },
		/* what was loaded, and what halves were put together to */
		{ "ld.global.u64 %q1, [%qa]; st.global.u32 [%q1], %r1;", ANY },
		{ "ld.global.u64 %q0, [%qa]; add.s64 %q1, %qb, %q0; st.global.u8 [%q1], %r1;",
		  ANY },
		{ "ld.global.u64 %q0, [%qa]; shl.b64 %q2, %q0, 2; add.s64 %q1, %qb, %q2;\n"
		  "st.global.u32 [%q1], %r1;", B },
		{ "mov.b64 %q1, {%r0, %r1}; st.global.u32 [%q1], %r1;", ANY },
		{ "xor.b64 %q1, %qa, %qb; st.global.u32 [%q1], %r1;", ANY },
		/* variables */
		{ "st.global.u32 [var+8], %r1;", VGPU_OBJECT_VARIABLE },
		{ "mul.wide.u32 %q0, %r1, 4; mov.u64 %q1, var; add.s64 %q1, %q1, %q0;\n"
		  "st.global.u32 [%q1], %r1;", VGPU_OBJECT_VARIABLE },
		{ "mov.u64 %q1, var; add.s64 %q1, %q1, %qn; st.global.u8 [%q1], %r1;", ANY },
	};

	(void)state;
	for (size_t n = 0; n < sizeof(cases) / sizeof(*cases); n++)
		if (object_of(cases[n].lines, true) != cases[n].object)
			fail_msg("%s: object %u, wanted %u", cases[n].lines,
				 object_of(cases[n].lines, true), cases[n].object);
}

static void loads(void **state)
{
	(void)state;
#define USE	"\nst.global.u32 [%qb], %r2;"
	assert_int_equal(object_of("ld.global.u32 %r2, [%qa];" USE, false), A);
	assert_int_equal(object_of("ld.global.nc.u32 %r2, [%qa];" USE, false), A);
	assert_int_equal(object_of("ld.const.u32 %r2, [fixed+4];" USE, false),
			 VGPU_OBJECT_CONSTANT);
	assert_int_equal(object_of("mul.wide.u32 %q0, %r1, 4; mov.u64 %q1, fixed;\n"
				   "add.s64 %q1, %q1, %q0; ld.const.u32 %r2, [%q1];" USE, false),
			 VGPU_OBJECT_CONSTANT);
	assert_int_equal(object_of("ld.global.u32 %r2, [var];" USE, false), VGPU_OBJECT_VARIABLE);
	assert_int_equal(object_of("ld.u32 %r2, [%qa];" USE, false), A);
}

/* What the runtime looks at when it launches: objects that are read and written. */
static void sums(void **state)
{
	static const char lines[] = "ld.global.u32 %r2, [%qa]; ld.global.nc.u32 %r3, [%qn];\n"
				    "add.u32 %r2, %r2, %r3; st.global.u32 [%qb], %r2;\n"
				    "red.global.add.u32 [%qn], %r2;";
	struct vgpu_program *program;
	char ptx[4096], *message;

	(void)state;
	snprintf(ptx, sizeof(ptx), "%s%s%s", BEFORE, lines, BEHIND);
	assert_int_equal(vgpu_compile_ptx(ptx, strlen(ptx), NULL, &program, &message), 0);
	assert_int_equal(program->kernels[0].reads[0], 1ull << A);
	assert_int_equal(program->kernels[0].writes[0], 1ull << B);
	free(message);
	vgpu_program_free(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stores),
		cmocka_unit_test(loads),
		cmocka_unit_test(sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
