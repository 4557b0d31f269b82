// SPDX-License-Identifier: MIT
/*
 * Halves, pairs of halves, redux and cp.async: what PTX for newer devices has, and how it is made
 * of what there is. Values are computed by hand: .f16 has 11 bits of precision, .bf16 has 8.
 */
#include "ptx_run.h"

#define OPEN										\
	".version 7.8\n.target sm_90\n.address_size 64\n"				\
	".visible .entry k(.param .u64 p_in, .param .u64 p_out)\n{\n"			\
	".reg .u64 %in, %out, %pol;\n.reg .u32 %r<9>, %t;\n.reg .b16 %h<9>;\n"		\
	".reg .f32 %f<9>;\n.reg .pred %p<9>;\n.shared .align 16 .b8 s[512];\n"		\
	"ld.param.u64 %in, [p_in];\nld.param.u64 %out, [p_out];\nmov.u32 %t, %tid.x;\n"	\
	""
#define CLOSE	"\nret;\n}\n"
#define KERNEL(body)	OPEN body CLOSE

/* in: 16-bit words a, b, c; out: the one that the line leaves in %h0. */
static uint32_t of_halves(const char *line, uint16_t a, uint16_t b, uint16_t c)
{
	const uint16_t in[4] = { a, b, c };
	struct vgpuModule *module;
	uint32_t out = 0;
	char text[1024];

	snprintf(text, sizeof(text), "%s%s%s", OPEN "ld.global.b16 %h1, [%in];\n"
		 "ld.global.b16 %h2, [%in+2];\nld.global.b16 %h3, [%in+4];\n", line,
		 "\nst.global.b16 [%out], %h0;" CLOSE);
	module = ptx_load(text, 0);
	ptx_launch(module, "k", 1, in, sizeof(in), &out, 4);
	return out & 0xffff;
}

static void halves_round_once(void **state)
{
	static const struct {
		const char *line;
		uint16_t a, b, c, result;
	} cases[] = {
		/* 1.5 + 0.25 */
		{ "add.f16 %h0, %h1, %h2;", 0x3e00, 0x3400, 0, 0x3f00 },
		/* 2048 + 1: a tie, to even; 2050 + 1: to 2052 */
		{ "add.rn.f16 %h0, %h1, %h2;", 0x6800, 0x3c00, 0, 0x6800 },
		{ "add.rn.f16 %h0, %h1, %h2;", 0x6801, 0x3c00, 0, 0x6802 },
		/* 65504 + 65504 is infinite; the least subnormal halved is a tie: 0 */
		{ "add.f16 %h0, %h1, %h2;", 0x7bff, 0x7bff, 0, 0x7c00 },
		{ "mul.f16 %h0, %h1, %h2;", 0x0001, 0x3800, 0, 0x0000 },
		{ "sub.f16 %h0, %h1, %h2;", 0x3c00, 0x3e00, 0, 0xb800 },
		{ "add.sat.f16 %h0, %h1, %h2;", 0x3c00, 0x3e00, 0, 0x3c00 },
		/*
		 * (1 + 2^-10) * (1 - 2^-11) + 2048 = 2049.0004878...: above the tie at 2049, and
		 * 1 * 1 + 2048 on it
		 */
		{ "fma.rn.f16 %h0, %h1, %h2, %h3;", 0x3c01, 0x3bff, 0x6800, 0x6801 },
		{ "fma.rn.f16 %h0, %h1, %h2, %h3;", 0x3c00, 0x3c00, 0x6800, 0x6800 },
		/* (1 + 2^-10) / 2 + 2^-24: the product is a half, and the sum next to it */
		{ "fma.rn.f16 %h0, %h1, %h2, %h3;", 0x3c01, 0x3800, 0x0001, 0x3801 },
		{ "fma.rn.relu.f16 %h0, %h1, %h2, %h3;", 0xbc00, 0x3c00, 0x0000, 0x0000 },
		{ "neg.f16 %h0, %h1;", 0x3c00, 0, 0, 0xbc00 },
		{ "abs.f16 %h0, %h1;", 0xbc01, 0, 0, 0x3c01 },
		{ "min.f16 %h0, %h1, %h2;", 0x3c00, 0x7e00, 0, 0x3c00 },
		{ "min.NaN.f16 %h0, %h1, %h2;", 0x3c00, 0x7e00, 0, 0x7fff },
		{ "max.f16 %h0, %h1, %h2;", 0x3c00, 0xc000, 0, 0x3c00 },
		{ "ex2.approx.f16 %h0, %h1;", 0x4200, 0, 0, 0x4800 },
		/* bfloat: 1 + 2^-8 is a tie, to even; above it 1 + 2^-7 */
		{ "add.bf16 %h0, %h1, %h2;", 0x3f80, 0x3b80, 0, 0x3f80 },
		{ "add.bf16 %h0, %h1, %h2;", 0x3f81, 0x3b80, 0, 0x3f82 },
		{ "mul.bf16 %h0, %h1, %h2;", 0x4040, 0x4040, 0, 0x4110 },
		/* 1 * 2^-8 + 2^-40 + 1: in f32 it would be the tie, and go to 1 */
		{ "fma.rn.bf16 %h0, %h1, %h2, %h3;", 0x3b81, 0x3f80, 0x3f80, 0x3f81 },
		{ "add.bf16 %h0, %h1, %h2;", 0x7f80, 0xff80, 0, 0x7fff },
		{ "neg.bf16 %h0, %h1;", 0x3f80, 0, 0, 0xbf80 },
	};

	(void)state;
	ptx_begin();
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t got = of_halves(cases[i].line, cases[i].a, cases[i].b, cases[i].c);

		if (got != cases[i].result)
			fail_msg("%s of %04x %04x %04x: %04x, expected %04x", cases[i].line,
				 cases[i].a, cases[i].b, cases[i].c, got, cases[i].result);
	}
	ptx_end();
}

static void halves_are_converted_and_compared(void **state)
{
	static const struct {
		const char *line;
		uint16_t a, b, result;
	} cases[] = {
		{ "cvt.f32.bf16 %f1, %h1; cvt.rn.f16.f32 %h0, %f1;", 0x3fc0, 0, 0x3e00 },
		{ "cvt.f32.f16 %f1, %h1; cvt.rn.bf16.f32 %h0, %f1;", 0x3e00, 0, 0x3fc0 },
		/* 1 + 2^-9 + 2^-10 cut off and to the nearest */
		{ "mov.f32 %f1, 0f3f80c000; cvt.rz.bf16.f32 %h0, %f1;", 0, 0, 0x3f80 },
		{ "mov.f32 %f1, 0f3f80c000; cvt.rn.bf16.f32 %h0, %f1;", 0, 0, 0x3f81 },
		{ "mov.f32 %f1, 0f3f800000; mov.f32 %f2, 0fc0000000;\n"
		  "cvt.rn.f16x2.f32 %r1, %f1, %f2; mov.b32 {%h0, %h5}, %r1;", 0, 0, 0xc000 },
		{ "mov.f32 %f1, 0f3f800000; mov.f32 %f2, 0fc0000000;\n"
		  "cvt.rn.bf16x2.f32 %r1, %f1, %f2; mov.b32 {%h5, %h0}, %r1;", 0, 0, 0x3f80 },
		{ "setp.lt.f16 %p1, %h1, %h2; selp.b16 %h0, 1, 2, %p1;", 0x3c00, 0x3c01, 1 },
		{ "setp.lt.f16 %p1, %h1, %h2; selp.b16 %h0, 1, 2, %p1;", 0x7e00, 0x3c01, 2 },
		{ "setp.ltu.f16 %p1, %h1, %h2; selp.b16 %h0, 1, 2, %p1;", 0x7e00, 0x3c01, 1 },
		{ "mov.b32 %r1, {%h1, %h2}; mov.b32 %r2, {%h1, %h1};\n"
		  "setp.eq.f16x2 %p1|%p2, %r1, %r2; selp.b16 %h0, 1, 2, %p2;", 0x3c00, 0x4000, 2 },
		{ "mov.b32 %r1, {%h1, %h2}; mov.b32 %r2, {%h1, %h1};\n"
		  "set.eq.f16x2.f16x2 %r3, %r1, %r2; mov.b32 {%h0, %h5}, %r3;",
		  0x3c00, 0x4000, 0x3c00 },
		/* pairs: (1, 2) * (2, 2) + (1, 1) = (3, 5): the upper one */
		{ "mov.b32 %r1, {%h1, %h2}; mov.b32 %r2, {%h2, %h2}; mov.b32 %r3, {%h1, %h1};\n"
		  "fma.rn.f16x2 %r4, %r1, %r2, %r3; mov.b32 {%h5, %h0}, %r4;",
		  0x3c00, 0x4000, 0x4500 },
		{ "mov.b32 %r1, {%h1, %h2};\nneg.f16x2 %r4, %r1; mov.b32 {%h5, %h0}, %r4;",
		  0x3c00, 0x4000, 0xc000 },
	};

	(void)state;
	ptx_begin();
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t got = of_halves(cases[i].line, cases[i].a, cases[i].b, 0);

		if (got != cases[i].result)
			fail_msg("%s of %04x %04x: %04x, expected %04x", cases[i].line, cases[i].a,
				 cases[i].b, got, cases[i].result);
	}
	ptx_end();
}

/* Lane i has 3 i - 40. */
static void lanes_are_reduced(void **state)
{
	static const struct {
		const char *line;
		uint32_t result;
	} cases[] = {
		{ "redux.sync.add.s32 %r2, %r1, -1;", 3 * 496 - 40 * 32 },
		{ "redux.sync.min.s32 %r2, %r1, -1;", (uint32_t)-40 },
		{ "redux.sync.max.s32 %r2, %r1, -1;", 53 },
		{ "redux.sync.min.u32 %r2, %r1, -1;", 2 },
		{ "redux.sync.xor.b32 %r2, %t, -1;", 0 },
		{ "redux.sync.or.b32 %r2, %t, -1;", 31 },
		/* lanes 1, 2 and 4: -37, -34, -28 */
		{ "setp.eq.u32 %p1, %t, 1; setp.eq.or.u32 %p1, %t, 2, %p1;\n"
		  "setp.eq.or.u32 %p1, %t, 4, %p1; mov.u32 %r2, -28;\n"
		  "@%p1 redux.sync.max.s32 %r2, %r1, 0x16;", (uint32_t)-28 },
		{ "setp.lt.u32 %p1, %t, 4; mov.u32 %r2, 7;\n"
		  "@%p1 redux.sync.and.b32 %r2, %t, 15;\n@%p1 add.u32 %r2, %r2, 7;", 7 },
	};
	uint32_t out[32], in = 0;
	char text[2048];

	(void)state;
	ptx_begin();
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(text, sizeof(text), "%s%s%s",
			 OPEN "mul.lo.u32 %r1, %t, 3; sub.u32 %r1, %r1, 40;\n", cases[i].line,
			 "\nmul.wide.u32 %in, %t, 4; add.u64 %out, %out, %in;\n"
			 "st.global.u32 [%out], %r2;" CLOSE);
		ptx_launch(ptx_load(text, 0), "k", 32, &in, 4, out, sizeof(out));
		for (unsigned int lane = 0; lane < 32; lane++)
			if (out[lane] != cases[i].result)
				fail_msg("%s: lane %u has %d, expected %d", cases[i].line, lane,
					 (int)out[lane], (int)cases[i].result);
	}
	ptx_end();
}

static void copies_are_there_when_they_were_waited_for(void **state)
{
	static const uint32_t in[4] = { 11, 22, 33, 44 };
	uint32_t out[10];

	(void)state;
	ptx_begin();
	ptx_launch(ptx_load(KERNEL(
		"mov.u32 %r1, s;\nst.shared.u32 [%r1+40], 9;\nmov.u32 %r2, 8;\nmov.u32 %r3, 0;\n"
		"createpolicy.fractional.L2::evict_last.b64 %pol, 1.0;\n"
		"cp.async.cg.shared.global.L2::cache_hint [%r1], [%in], 16, %pol;\n"
		"cp.async.ca.shared.global [%r1+16], [%in], 16, %r2;\n"
		"cp.async.ca.shared.global [%r1+40], [0], 4, %r3;\n"
		"cp.async.commit_group;\ncp.async.wait_group 0;\ncp.async.wait_all;\n"
		"ld.shared.v2.u32 {%r4, %r5}, [%r1+8];\nst.global.v2.u32 [%out], {%r4, %r5};\n"
		"ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r1+16];\n"
		"st.global.u32 [%out+8], %r4;\nst.global.u32 [%out+12], %r5;\n"
		"st.global.u32 [%out+16], %r6;\nst.global.u32 [%out+20], %r7;\n"
		"ld.shared.u32 %r4, [%r1+40];\nst.global.u32 [%out+24], %r4;\n"
		"createpolicy.cvt.L2.b64 %pol, 0x10;\nprefetch.global.L2::evict_last [%in];\n"
		"ld.global.L2::cache_hint.u32 %r4, [%in+4], %pol;\nst.global.u32 [%out+28], %r4;\n"
		"red.global.L2::cache_hint.add.u32 [%out+28], 1, %pol;\nsetp.eq.u32 %p1, %t, 0;\n"
		"cp.async.ca.shared.global [%r1+48], [0], 4, %p1;\n"
		"cp.async.cg.shared.global.L2::128B [%r1+64], [%in], 16, !%p1;\n"
		"ld.shared.u32 %r4, [%r1+48];\nst.global.u32 [%out+32], %r4;\n"
		"ld.shared.u32 %r4, [%r1+76];\nst.global.u32 [%out+36], %r4;"),
		0), "k", 1, in, sizeof(in), out, sizeof(out));
	assert_int_equal(out[0], 33);
	assert_int_equal(out[1], 44);
	assert_int_equal(out[2], 11);
	assert_int_equal(out[3], 22);
	assert_int_equal(out[4], 0);
	assert_int_equal(out[5], 0);
	assert_int_equal(out[6], 0);	/* nothing was read at 0 */
	assert_int_equal(out[7], 23);
	assert_int_equal(out[8], 0);
	assert_int_equal(out[9], 44);
	ptx_end();
}

static void what_is_not_there_is_refused(void **state)
{
	(void)state;
	ptx_refused(KERNEL("add.rz.f16 %h0, %h1, %h2;"), "rounds by .rn");
	ptx_refused(KERNEL("div.f16 %h0, %h1, %h2;"), "halves are not taken here");
	ptx_refused(KERNEL("cvt.rn.bf16.s32 %h0, %r1;"), "of .bf16 there are conversions");
	ptx_refused(KERNEL("redux.sync.add.f32 %f1, %f2, -1;"), ".u32, .s32 or .b32");
	ptx_refused(KERNEL("cp.async.ca.shared.global [s], [%in], 12;"), "4, 8 or 16");
	ptx_refused(KERNEL("cp.async.bulk.shared.global [s], [%in], 16;"), "bulk");
	ptx_refused(KERNEL("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 %f1, %f2, %f3, %f4;"),
		    "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(halves_round_once),
		cmocka_unit_test(halves_are_converted_and_compared),
		cmocka_unit_test(lanes_are_reduced),
		cmocka_unit_test(copies_are_there_when_they_were_waited_for),
		cmocka_unit_test(what_is_not_there_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
