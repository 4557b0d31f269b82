// SPDX-License-Identifier: MIT
/*
 * Video instructions. Results are computed by hand from the PTX ISA's pseudo code: elements are
 * picked and extended by their type, operated on exactly, clamped or cut, then put into the result.
 */
#include "ptx_run.h"

#define OPEN \
	PTX_HEAD ".visible .entry k(.param .u64 p_in, .param .u64 p_out)\n{\n" \
	".reg .u64 %in, %out;\n.reg .b32 %r<9>;\n.reg .pred %p<3>;\n" \
	"ld.param.u64 %in, [p_in];\nld.param.u64 %out, [p_out];\n" \
	"ld.global.u32 %r1, [%in];\nld.global.u32 %r2, [%in+4];\nld.global.u32 %r3, [%in+8];\n"
#define CLOSE "\nst.global.u32 [%out], %r0;\nret;\n}\n"

struct sum {
	const char *line;	/* of %r1, %r2 and %r3 to %r0 */
	uint32_t a, b, c, result;
};

static void check(const struct sum *sums, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct text t = { 0 };
		struct vgpuModule *module;
		uint32_t in[3] = { sums[i].a, sums[i].b, sums[i].c }, out;

		text_add(&t, "%s%s%s", OPEN, sums[i].line, CLOSE);
		module = ptx_load(t.text, 0);
		ptx_launch(module, "k", 1, in, sizeof(in), &out, sizeof(out));
		if (out != sums[i].result)
			fail_msg("%s of %08x %08x %08x: %08x, expected %08x", sums[i].line, in[0],
				 in[1], in[2], out, sums[i].result);
		assert_int_equal(vgpuModuleUnload(module), vgpuSuccess);
		text_free(&t);
	}
}

static void one_value(void **state)
{
	static const struct sum sums[] = {
		{ "vadd.s32.u32.s32 %r0, %r1.b3, %r2.h0;", 0x80000000, 0xfffe, 0, 0x7e },
		{ "vadd.s32.s32.s32 %r0, %r1.b3, %r2.h0;", 0x80000000, 0xfffe, 0, 0xffffff7e },
		{ "vadd.s32.s32.s32.sat %r0, %r1, %r2;", 0x7fffffff, 1, 0, 0x7fffffff },
		{ "vadd.u32.s32.s32.sat %r0, %r1, %r2;", 0xffffffff, 0, 0, 0 },
		{ "vadd.u32.u32.u32.sat %r0, %r1, %r2;", 0xffffffff, 2, 0, 0xffffffff },
		{ "vadd.u32.u32.u32 %r0, %r1, %r2;", 0xffffffff, 2, 0, 1 },
		/* a second operation, behind the clamp; a part of the result */
		{ "vadd.s32.s32.s32.sat.add %r0, %r1, %r2, %r3;", 0x7fffffff, 5, 2, 0x80000001 },
		{ "vsub.s32.u32.u32.min %r0, %r1.b0, %r2.b0, %r3;", 3, 5, 0xffffffff, 0xfffffffe },
		{ "vsub.u32.u32.u32.max %r0, %r1.b0, %r2.b0, %r3;", 9, 5, 7, 7 },
		{ "vadd.s32.s32.s32.sat %r0.b1, %r1.b0, %r2.b0, %r3;", 0x7f, 1, 0xaabbccdd,
		  0xaabb7fdd },
		{ "vadd.u32.u32.u32.sat %r0.h1, %r1, %r2, %r3;",
		  0xffff, 9, 0x12345678, 0xffff5678 },
		{ "vsub.u32.u32.u32 %r0.b3, %r1, %r2, %r3;", 1, 2, 0x12345678, 0xff345678 },
		{ "vabsdiff.u32.s32.s32 %r0, %r1, %r2;", 0x80000000, 0x7fffffff, 0, 0xffffffff },
		{ "vabsdiff.u32.u32.u32.add %r0, %r1.b2, %r2.b1, %r3;",
		  0x00050000, 0x0900, 10, 14 },
		{ "vmin.s32.u32.s32 %r0, %r1, %r2;", 0xffffffff, 0xffffffff, 0, 0xffffffff },
		{ "vmax.u32.u32.s32 %r0, %r1, %r2;", 5, 0x80000000, 0, 5 },
		{ "vset.s32.u32.lt %r0, %r1, %r2;", 0xffffffff, 0, 0, 1 },
		{ "vset.u32.u32.lt.add %r0, %r1, %r2, %r3;", 1, 2, 10, 11 },
		{ "vset.u32.u32.ne %r0.b2, %r1, %r2, %r3;", 1, 2, 0xffffffff, 0xff01ffff },
		{ "vshl.u32.u32.u32.clamp %r0, %r1, %r2;", 3, 40, 0, 0 },
		{ "vshl.u32.u32.u32.wrap %r0, %r1, %r2;", 3, 40, 0, 0x300 },
		{ "vshl.u32.u32.u32.sat.clamp %r0, %r1, %r2;", 3, 40, 0, 0xffffffff },
		{ "vshr.s32.s32.u32.clamp %r0, %r1.h1, %r2.b0;",
		  0x80000000, 0x1104, 0, 0xfffff800 },
	};

	(void)state;
	check(sums, sizeof(sums) / sizeof(*sums));
}

/*
 * The sum is signed if a factor is, or if something is negated; the type of the result says
 * nothing. .shr7 and .shr15 shift before .sat clamps.
 */
static void multiply_and_add(void **state)
{
	static const struct sum sums[] = {
		{ "vmad.s32.s32.s32 %r0, %r1, %r2, %r3;", 0xfffffffd, 5, 7, 0xfffffff8 },
		{ "vmad.s32.u32.s32 %r0, %r1.b3, %r2.h1, %r3;", 0xfe000000, 0xffff0000, 4,
		  0xffffff06 },
		{ "vmad.u32.u32.u32 %r0, %r1.h0, %r2.b1, %r3;", 0xabcd1234, 0x0300, 1, 0x369d },
		/* .po: one more */
		{ "vmad.u32.u32.u32.po %r0, %r1, %r2, %r3;", 6, 7, 8, 51 },
		{ "vmad.s32.s32.u32.po.sat %r0, %r1, %r2, %r3;", 0xffffffff, 1, 0, 0 },
		/* 0xffffffff^2 + 0xffffffff = 0xffffffff00000000, and one more */
		{ "vmad.u32.u32.u32.shr7 %r0, %r1, %r2, %r3;", 0xffffffff, 0xffffffff, 0xffffffff,
		  0xfe000000 },
		{ "vmad.u32.u32.u32.sat %r0, %r1, %r2, %r3;", 0xffffffff, 0xffffffff, 0xffffffff,
		  0xffffffff },
		{ "vmad.u32.u32.u32.po.sat.shr15 %r0, %r1, %r2, %r3;", 0x10000, 0x10000, 0x7fff,
		  0x20001 },
		/* 2^30 * 2 = 2^31: clamped as a signed sum, not as an unsigned one */
		{ "vmad.s32.s32.s32.sat %r0, %r1, %r2, %r3;", 0x40000000, 2, 0, 0x7fffffff },
		{ "vmad.u32.s32.s32.sat %r0, %r1, %r2, %r3;", 0x40000000, 2, 0, 0x7fffffff },
		{ "vmad.s32.u32.u32.sat %r0, %r1, %r2, %r3;", 0x40000000, 2, 0, 0x80000000 },
		{ "vmad.s32.s32.s32.sat %r0, %r1, %r2, %r3;", 0x80000000, 2, 5, 0x80000000 },
		/* shifted: floor(-1000001 / 128) = -7813, floor(-1000001 / 32768) = -31 */
		{ "vmad.s32.s32.s32.shr7 %r0, %r1, %r2, %r3;", 0xfffffc18, 1000, 0xffffffff,
		  0xffffe17b },
		{ "vmad.s32.s32.s32.shr15.sat %r0, %r1, %r2, %r3;", 0xfffffc18, 1000, 0xffffffff,
		  0xffffffe1 },
		/* negated: 2 negated factors are none */
		{ "vmad.s32.s32.s32 %r0, -%r1, %r2, %r3;", 3, 5, 7, 0xfffffff8 },
		{ "vmad.s32.s32.s32 %r0, -%r1, -%r2, %r3;", 3, 5, 7, 22 },
		{ "vmad.s32.u32.u32 %r0, %r1.b1, -%r2.b0, %r3;", 0x300, 5, 7, 0xfffffff8 },
		{ "vmad.s32.u32.u32 %r0, %r1, %r2, -%r3;", 3, 5, 7, 8 },
		{ "vmad.s32.u32.u32.sat %r0, %r1, %r2, -%r3;", 0, 5, 0x80000000, 0x7fffffff },
		/* -(2^32 - 1)^2 is beyond 64 bits; so is (2^32 - 1)^2 as a signed sum */
		{ "vmad.s32.u32.u32.sat %r0, -%r1, %r2, %r3;", 0xffffffff, 0xffffffff, 1,
		  0x80000000 },
		{ "vmad.s32.u32.u32.sat %r0, %r1, %r2, -%r3;", 0xffffffff, 0xffffffff, 1,
		  0x7fffffff },
		/* (2^64 - 2^33 + 1) / 2^15: bits 15 to 46 are 1 but for those below 33 */
		{ "vmad.s32.u32.u32.shr15 %r0, %r1, %r2, -%r3;", 0xffffffff, 0xffffffff, 1,
		  0xfffc0000 },
		{ "vmad.s32.u32.u32.shr7.sat %r0, -%r1, %r2, %r3;", 0xffffffff, 0xffffffff, 1,
		  0x80000000 },
		{ "vmad.s32.u32.u32.sat %r0, -%r1, %r2, %r3;", 0x40000000, 2, 0, 0x80000000 },
		{ "vmad.s32.u32.u32.sat %r0, -%r1, %r2, %r3;", 0x40000000, 2, 1, 0x80000001 },
		{ "vmad.s32.u32.u32.sat %r0, -%r1, %r2, %r3;", 0, 9, 0xfffffffb, 0xfffffffb },
		{ "vmad.s32.u32.u32.sat %r0, %r1, %r2, -%r3;", 0x7fffffff, 1, 0, 0x7fffffff },
		{ "vmad.s32.u32.u32.sat %r0, %r1, %r2, -%r3;", 0, 1, 1, 0xffffffff },
	};

	(void)state;
	check(sums, sizeof(sums) / sizeof(*sums));
}

static void several_values(void **state)
{
	static const struct sum sums[] = {
		{ "vadd2.u32.u32.u32 %r0, %r1, %r2, %r3;", 0xffff0001, 0x00020003, 0, 0x00010004 },
		{ "vadd2.s32.s32.s32.sat %r0, %r1, %r2, %r3;",
		  0x7fff8000, 0x0001ffff, 0, 0x7fff8000 },
		{ "vadd2.u32.u32.u32.add %r0, %r1, %r2, %r3;", 0xffff0001, 0x00020003, 5, 0x1000a },
		{ "vadd4.u32.u32.u32.sat %r0, %r1, %r2, %r3;",
		  0xff7f0180, 0x01010181, 0, 0xff8002ff },
		{ "vsub4.u32.u32.u32 %r0, %r1, %r2, %r3;", 0x00050201, 0x01020304, 0, 0xff03fffd },
		{ "vsub4.u32.u32.u32.sat %r0, %r1, %r2, %r3;",
		  0x00050201, 0x01020304, 0, 0x00030000 },
		{ "vavrg2.s32.s32.s32 %r0, %r1, %r2, %r3;", 0xfffd0003, 0xfffe0004, 0, 0xfffd0004 },
		{ "vavrg4.u32.u32.u32 %r0, %r1, %r2, %r3;", 0xff010203, 0xff020204, 0, 0xff020204 },
		{ "vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;", 0x01ff0380, 0x03000080, 1,
		  1 + 2 + 255 + 3 },
		{ "vabsdiff2.s32.s32.s32.sat %r0, %r1, %r2, %r3;", 0x80007fff, 0x7fff0000, 0,
		  0x7fff7fff },
		{ "vmin4.s32.s32.s32 %r0, %r1, %r2, %r3;", 0x80017f00, 0x01ff80ff, 0, 0x80ff80ff },
		{ "vmax4.u32.u32.u32 %r0, %r1, %r2, %r3;", 0x80017f00, 0x01ff80ff, 0, 0x80ff80ff },
		{ "vmax2.u32.u32.s32 %r0, %r1, %r2, %r3;", 0x80000005, 0x8001ffff, 0, 0x80000005 },
		{ "vset4.u32.u32.ge %r0, %r1, %r2, %r3;", 0x01020304, 0x02020202, 0, 0x00010101 },
		{ "vset4.u32.u32.ge.add %r0, %r1, %r2, %r3;", 0x01020304, 0x02020202, 7, 10 },
		{ "vset2.s32.s32.lt %r0, %r1, %r2, %r3;", 0xffff0001, 0, 0, 0x00010000 },
		/* masks and selectors: elements 4 to 7 are those of the second source */
		{ "vadd4.u32.u32.u32 %r0.b20, %r1, %r2, %r3;", 0x01020304, 0x10101010, 0xaabbccdd,
		  0xaa12cc14 },
		{ "vadd4.u32.u32.u32.add %r0.b32, %r1, %r2, %r3;", 0x01020304, 0x10101010, 1,
		  1 + 0x11 + 0x12 },
		{ "vadd4.u32.u32.u32 %r0, %r1.b0123, %r2.b7777, %r3;", 0x01020304, 0x50000000, 0,
		  0x54535251 },
		{ "vsub2.u32.u32.u32 %r0, %r1.h33, %r2.h01, %r3;", 0x00010002, 0x00090007, 0,
		  0x00070008 },
		{ "vadd2.u32.u32.u32 %r0.h1, %r1, %r2, %r3;", 0x00010002, 0x00030004, 0xaaaabbbb,
		  0x0004bbbb },
	};

	(void)state;
	check(sums, sizeof(sums) / sizeof(*sums));
}

static void under_a_guard(void **state)
{
	static const struct sum sums[] = {
		{ "mov.u32 %r0, 9; setp.eq.u32 %p1, %r3, 1;\n"
		  "@%p1 vadd4.u32.u32.u32 %r0, %r1, %r2, %r3;", 1, 2, 1, 3 },
		{ "mov.u32 %r0, 9; setp.eq.u32 %p1, %r3, 1;\n"
		  "@%p1 vadd4.u32.u32.u32 %r0, %r1, %r2, %r3;", 1, 2, 0, 9 },
		{ "vadd.u32.u32.u32 %r1, %r1, %r1; mov.u32 %r0, %r1;", 4, 0, 0, 8 },
		{ "vadd.u32.u32.u32 %r0, %r1, 5;", 4, 0, 0, 9 },
	};

	(void)state;
	check(sums, sizeof(sums) / sizeof(*sums));
}

#define BAD(line) OPEN line CLOSE

static void refusals(void **state)
{
	(void)state;
	ptx_refused(BAD("add.u32 %r0, %r1.b0, %r2;"), "a part of `%r1'");
	ptx_refused(BAD("vadd.u32.u32.u32 %r0, %r1.b4, %r2;"), "selector");
	ptx_refused(BAD("vadd.u32.u32.u32 %r0, %r1.b10, %r2;"), "selector");
	ptx_refused(BAD("vadd.u32.u32.u32 %r0, %r1, %r2, %r3;"), "third source");
	ptx_refused(BAD("vadd.u32.u32.u32.add %r0, %r1, %r2;"), "third source");
	ptx_refused(BAD("vadd.u32.u32.u32.add %r0.b1, %r1, %r2, %r3;"), "not both");
	ptx_refused(BAD("vadd.u32.u32 %r0, %r1, %r2;"), "2 types where 3");
	ptx_refused(BAD("vadd.u32.u32.u64 %r0, %r1, %r2;"), ".u32 and .s32");
	ptx_refused(BAD("vmad.s32.s32.s32.po %r0, -%r1, %r2, %r3;"), "not both");
	ptx_refused(BAD("vmad.s32.s32.s32 %r0, -%r1, %r2, -%r3;"), "not both");
	ptx_refused(BAD("vmad.s32.s32.s32.shr7.shr15 %r0, %r1, %r2, %r3;"), "not both");
	ptx_refused(BAD("vmad.s32.s32.s32 %r0.b1, %r1, %r2, %r3;"), "whole words");
	ptx_refused(BAD("vmad.s32.s32.s32 %r0, %r1, %r2, %r3.h0;"), "whole words");
	ptx_refused(BAD("vadd.s32.s32.s32.po %r0, %r1, %r2;"), "po");
	ptx_refused(BAD("vadd.s32.s32.s32 %r0, -%r1, %r2;"), "only operands of vmad");
	ptx_refused(BAD("vset.u32.u32 %r0, %r1, %r2;"), "comparison");
	ptx_refused(BAD("vshl.u32.u32.u32 %r0, %r1, %r2;"), ".clamp .wrap");
	ptx_refused(BAD("vadd2.u32.u32.u32 %r0, %r1.b10, %r2, %r3;"), "selector");
	ptx_refused(BAD("vadd4.u32.u32.u32 %r0.b01, %r1, %r2, %r3;"), "mask");
	ptx_refused(BAD("vadd2.u32.u32.u32.sat.add %r0, %r1, %r2, %r3;"), "not both");
	ptx_refused(BAD("vadd2.u32.u32.u32.min %r0, %r1, %r2, %r3;"), "second operation");
	ptx_refused(BAD("vadd4.u32.u32.u32 %r0, %r9.b0, %r2, %r3;"), "%r9");
}

static int begin(void **state)
{
	(void)state;
	ptx_begin();
	return 0;
}

static int end(void **state)
{
	(void)state;
	ptx_end();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_value),
		cmocka_unit_test(multiply_and_add),
		cmocka_unit_test(several_values),
		cmocka_unit_test(under_a_guard),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests_name("video", tests, begin, end);
}
