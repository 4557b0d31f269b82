// SPDX-License-Identifier: MIT
/*
 * Small floats: conversions to and from .tf32, .e4m3x2 and .e5m2x2, and atomics on halves. Values
 * are computed by hand: .tf32 has 11 bits of precision, .e4m3 has 4, .e5m2 has 3.
 */
#include "ptx_run.h"

#define OPEN                                                                                   \
	".version 8.4\n.target sm_90\n.address_size 64\n"                                      \
	".visible .entry k(.param .u64 p_in, .param .u64 p_out)\n{\n"                          \
	".reg .u64 %in, %out, %q;\n.reg .b32 %r<9>, %t;\n.reg .b16 %h<9>;\n.reg .f32 %f<9>;\n" \
	".reg .pred %p<9>;\n.reg .b8 %b<3>;\n"                                                 \
	".shared .align 16 .b8 s[512];\n"                                                      \
	"ld.param.u64 %in, [p_in];\nld.param.u64 %out, [p_out];\nmov.u32 %t, %tid.x;\n"
#define CLOSE "\nret;\n}\n"

#define PINF 0x7f800000u
#define NOT 0x7fc00001u
#define F(x) bits(x)

static uint32_t bits(float f)
{
	uint32_t single;

	memcpy(&single, &f, 4);
	return single;
}

static void conversions(void **state)
{
	struct {
		const char *line; /* of %r1 and %r2 to %r0 */
		uint32_t a, b, result;
	} cases[] = {
#define TO4(a, b, result) {"cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2;", a, b, result}
		TO4(F(1), F(-2), 0x38c0),
		TO4(F(448), F(449), 0x7e7e),
		TO4(F(1e9f), PINF, 0x7e7e),
		TO4(F(-1e9f), NOT, 0xfe7f),
		TO4(F(-0.0f), F(0), 0x8000),
		/* 2^-9 is the least; its half is a tie, to 0; three halves a tie, to 2^-8 */
		TO4(F(0x1p-9f), F(0x1p-10f), 0x0100),
		TO4(F(0x1.8p-9f), F(-0x1.8p-10f), 0x0281),
		/* 7.5 2^-9: a tie, to the least normal number; 17 to 16, 19 to 20 */
		TO4(F(0x1.ep-7f), F(17), 0x0858),
		TO4(F(19), F(17.001f), 0x5a59),
		{"cvt.rn.satfinite.relu.e4m3x2.f32 %h0, %r1, %r2;", F(-1), F(2), 0x0040},
		{"cvt.rn.satfinite.relu.e4m3x2.f32 %h0, %r1, %r2;", NOT, F(-0.0f), 0x7f00},
#define TO5(a, b, result) {"cvt.rn.satfinite.e5m2x2.f32 %h0, %r1, %r2;", a, b, result}
		TO5(F(1), F(-2), 0x3cc0),
		TO5(F(57344), F(1e9f), 0x7b7b),
		TO5(PINF, NOT, 0x7b7f),
		TO5(F(0x1p-16f), F(0x1p-17f), 0x0100),
		/* 3.5 2^-16: a tie, to the least normal number */
		TO5(F(0x1.cp-15f), F(0x1.8p-17f), 0x0401),
		TO5(F(1.125f), F(1.375f), 0x3c3e),
#define TO23(a, b, result) {"cvt.rn.satfinite.e2m3x2.f32 %h0, %r1, %r2;", a, b, result}
		TO23(F(1), F(-2), 0x0830),
		TO23(F(7.5f), F(1e9f), 0x1f1f),
		TO23(PINF | 1u << 31, NOT, 0x3f1f),
		/* 2^-3 is the least; ties as above; 7.5 of it become the least normal number */
		TO23(F(0.125f), F(0.0625f), 0x0100),
		TO23(F(0.1875f), F(-0.1875f), 0x0222),
		TO23(F(0.9375f), F(-0.0f), 0x0820),
		TO23(F(3.125f), F(3.375f), 0x1416),
		{"cvt.rn.satfinite.relu.e2m3x2.f32 %h0, %r1, %r2;", F(-1), F(2), 0x0010},
#define TO32(a, b, result) {"cvt.rn.satfinite.e3m2x2.f32 %h0, %r1, %r2;", a, b, result}
		TO32(F(1), F(-2), 0x0c30),
		TO32(F(28), PINF, 0x1f1f),
		TO32(F(-1e9f), NOT, 0x3f1f),
		TO32(F(0.0625f), F(0.03125f), 0x0100),
		TO32(F(0.21875f), F(1.125f), 0x040c),
		TO32(F(1.375f), F(-0.0f), 0x0e20),
#define TO21(a, b, result) \
	{"cvt.rn.satfinite.e2m1x2.f32 %b0, %r1, %r2;\nmov.b16 %h0, {%b0, 0};", a, b, result}
		TO21(F(1), F(-2), 0x2c),
		TO21(F(6), F(1e9f), 0x77),
		TO21(PINF | 1u << 31, NOT, 0xf7),
		TO21(F(0.25f), F(0.75f), 0x02),
		TO21(F(5), F(2.5f), 0x64),
		TO21(F(-0.0f), F(1.25f), 0x82),
		/* of halves: 1 and -0.5 */
		{"cvt.rn.satfinite.e4m3x2.f16x2 %h0, %r1;", 0xb8003c00, 0, 0xb038},
		{"cvt.rn.satfinite.e5m2x2.f16x2 %h0, %r1;", 0x7bff3c00, 0, 0x7b3c},
#define FROM(type, a, result) \
	{"mov.b32 {%h1, %h2}, %r1;\ncvt.rn.f16x2." type " %r3, %h1;", a, 0, result}
		FROM("e4m3x2", 0x387e, 0x3c005f00),
		FROM("e4m3x2", 0x0187, 0x1800a300), /* 2^-9, -7 2^-9 = -1.75 2^-7 */
		FROM("e4m3x2", 0xff80, 0x7fff8000),
		FROM("e5m2x2", 0x3cfb, 0x3c00fb00),
		FROM("e5m2x2", 0x7cfd, 0x7c007fff),
		FROM("e2m3x2", 0x083f, 0x3c00c780),
		FROM("e2m3x2", 0x0120, 0x30008000),
		FROM("e3m2x2", 0x0c3f, 0x3c00cf00),
		FROM("e3m2x2", 0x0121, 0x2c00ac00),
#define FROM21(a, result) \
	{"mov.b32 {%h1, %h2}, %r1;\nmov.b16 {%b1, %b2}, %h1;\n" \
	 "cvt.rn.f16x2.e2m1x2 %r3, %b1;", a, 0, result}
		FROM21(0x27, 0x3c004600),
		FROM21(0x9f, 0xb800c600),
#define TWO(line, a, b, result) {line " %r3, %r1, %r2;", a, b, result}
		TWO("min.NaN.f32", NOT, F(1), 0x7fffffff),
		TWO("max.NaN.f32", F(1), NOT, 0x7fffffff),
		TWO("max.NaN.f32", F(1), F(2), F(2)),
		TWO("min.ftz.NaN.f32", F(-1), F(2), F(-1)),
		TWO("min.f32", NOT, F(1), F(1)),
#define TF32(how, a, result) {"cvt." how ".tf32.f32 %r3, %r1;", a, 0, result}
		TF32("rna", 0x3f801000, 0x3f802000),
		TF32("rna", 0xbf801000, 0xbf802000),
		TF32("rna", 0x3f800fff, 0x3f800000),
		TF32("rn", 0x3f801000, 0x3f800000),
		TF32("rn", 0x3f803000, 0x3f804000),
		TF32("rz", 0x3f803fff, 0x3f802000),
		TF32("rna", 0x7f7fffff, PINF),
		TF32("rna", PINF, PINF),
		TF32("rna", NOT, 0x7fffffff),
	};
	uint32_t out;
	char text[1024];

	(void)state;
	ptx_begin();
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const uint32_t in[2] = {cases[i].a, cases[i].b};

		snprintf(text, sizeof(text), "%s%s%s",
			 OPEN
			 "ld.global.v2.b32 {%r1, %r2}, [%in];\nmov.u32 %r0, -1;\nmov.b16 %h0, 0;\n",
			 cases[i].line,
			 strstr(cases[i].line, "%r3")
				 ? "\nst.global.b32 [%out], %r3;" CLOSE
				 : "\ncvt.u32.u16 %r0, %h0;\nst.global.b32 [%out], %r0;" CLOSE);
		out = 0;
		ptx_launch(ptx_load(text, 0), "k", 1, in, sizeof(in), &out, 4);
		if (out != cases[i].result)
			fail_msg("%s of 0x%x, 0x%x is 0x%x, expected 0x%x", cases[i].line, in[0],
				 in[1], out, cases[i].result);
	}
	ptx_end();
}

/* The f16 or bf16 of a whole number up to 64. */
static uint32_t half_of(unsigned int number, bool bf16)
{
	unsigned int exponent = 0;

	if (bf16)
		return bits((float)number) >> 16;
	while (number >> (exponent + 1))
		exponent++;
	return number ? (15 + exponent) << 10 | ((number << 10 >> exponent) & 0x3ff) : 0;
}

/*
 * 32 lanes add 1 (and 2 to the upper half) to a half in a word with another one beside it; lane i
 * finds i there. In the end the word is @word.
 */
static void halves_are_added_one_by_one(void **state)
{
	static const struct {
		const char *line, *load;
		uint32_t word;
		bool pair, bf16;
	} cases[] = {
		{"mov.b16 %h1, 0x3c00;\natom.shared.add.noftz.f16 %h0, [%r8+2], %h1;",
		 "ld.shared.b32 %r2, [s];", 0x50001234, false, false},
		{"mov.b16 %h1, 0x3c00;\natom.shared.add.noftz.f16 %h0, [s+4], %h1;",
		 "ld.shared.b32 %r2, [s+4];", 0x43215000, false, false},
		{"mov.b16 %h1, 0x3f80;\natom.global.add.noftz.bf16 %h0, [%out+128], %h1;",
		 "ld.global.b32 %r2, [%out+128];", 0x43214200, false, true},
		{"mov.b16 %h1, 0x3f80;\natom.acq_rel.gpu.add.noftz.bf16 %h0, [%out+134], %h1;",
		 "ld.global.b32 %r2, [%out+132];", 0x42001234, false, true},
		{"mov.b32 %r1, 0x40003c00;\natom.global.add.noftz.f16x2 %r0, [%out+136], %r1;",
		 "ld.global.b32 %r2, [%out+136];", 0x54005000, true, false},
		{"mov.b32 %r1, 0x40003f80;\natom.shared.add.noftz.bf16x2 %r0, [%r8+8], %r1;",
		 "ld.shared.b32 %r2, [s+8];", 0x42804200, true, true},
		{"mov.b32 %r1, 0x40003f80;\ncvta.shared.u64 %q, 8;\n"
		 "atom.add.noftz.bf16x2 %r0, [%q], %r1;",
		 "ld.shared.b32 %r2, [s+8];", 0x42804200, true, true},
	};
	uint32_t in = 0, out[36];
	char text[2048];

	(void)state;
	ptx_begin();
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		memset(out, 0, sizeof(out));
		out[32] = 0x43210000;
		out[33] = 0x00001234;
		snprintf(
			text, sizeof(text), "%s%s%s%s%s%s",
			OPEN
			"mov.b32 %r8, s;\nst.shared.b32 [s], 0x1234;\nst.shared.b32 [s+4], "
			"0x43210000;\n"
			"st.shared.b32 [s+8], 0;\nbar.warp.sync -1;\n",
			cases[i].line, cases[i].pair ? "" : "\nmov.b32 %r0, {%h0, %h0};",
			"\nmad.wide.u32 %q, %t, 4, %out;\nst.global.b32 [%q], %r0;\n"
			"bar.warp.sync -1;\n",
			cases[i].load, "\nst.global.b32 [%out+140], %r2;" CLOSE);
		ptx_launch(ptx_load(text, 0), "k", 32, &in, 4, out, sizeof(out));
		for (unsigned int lane = 0; lane < 32; lane++) {
			if ((out[lane] & 0xffff) != half_of(lane, cases[i].bf16))
				fail_msg("%s: lane %u found 0x%x", cases[i].line, lane,
					 out[lane] & 0xffff);
			if (cases[i].pair)
				assert_int_equal(out[lane] >> 16, half_of(2 * lane, cases[i].bf16));
		}
		assert_int_equal(out[35], cases[i].word);
	}
	ptx_end();
}

/*
 * red without a result, where a guard holds; a tie of bf16: 256 + 1 stays 256. Of .cas.b16 one
 * lane finds 0 and puts its number and 1 there, the others find that.
 */
static void guards_and_exchanges(void **state)
{
	uint32_t in = 0, out[34] = {0};

	(void)state;
	out[32] = 0x43800000;
	out[33] = 0xabcd0000;
	ptx_begin();
	ptx_launch(
		ptx_load(
			OPEN
			"and.b32 %r1, %t, 1;\nsetp.eq.u32 %p1, %r1, 1;\nmov.b16 %h1, 0x3f80;\n"
			"@!%p1 red.global.add.noftz.bf16 [%out+128], %h1;\n"
			"@%p1 red.global.add.noftz.bf16 [%out+130], %h1;\n"
			"setp.gt.u32 %p2, %t, 3;\nmov.b16 %h2, 0;\nadd.u32 %r2, %t, 1;\n"
			"cvt.u16.u32 %h3, %r2;\nmov.b16 %h4, 0x77;\n"
			"@%p2 atom.global.cas.b16 %h4, [%out+132], %h2, %h3;\n"
			"mad.wide.u32 %q, %t, 4, %out;\ncvt.u32.u16 %r3, %h4;\n"
			"st.global.b32 [%q], %r3;" CLOSE,
			0),
		"k", 32, &in, 4, out, sizeof(out));
	ptx_end();
	for (unsigned int lane = 0; lane < 32; lane++)
		assert_int_equal(out[lane], lane < 4 ? 0x77 : lane == 4 ? 0 : 5);
	assert_int_equal(out[32], 0x43804180);
	assert_int_equal(out[33], 0xabcd0005);
}

static void other_forms_are_refused(void **state)
{
	(void)state;
	ptx_refused(OPEN "atom.global.add.f16 %h0, [%in], %h1;" CLOSE, "atom.add.noftz");
	ptx_refused(OPEN "atom.global.max.noftz.f16x2 %r0, [%in], %r1;" CLOSE, "atom.add.noftz");
	ptx_refused(OPEN "atom.global.exch.b16 %h0, [%in], %h1;" CLOSE, "atom.cas.b16");
	ptx_refused(OPEN "atom.global.add.noftz.u32 %r0, [%in], %r1;" CLOSE,
		    ".u32 is not supported");
	ptx_refused(OPEN "cvt.rn.e4m3x2.f32 %h0, %f1, %f2;" CLOSE, ".rn.satfinite");
	ptx_refused(OPEN "cvt.rn.satfinite.f16.f32 %h0, %f1;" CLOSE, ".satfinite and .rna");
	ptx_refused(OPEN "cvt.rna.f16.f32 %h0, %f1;" CLOSE, ".satfinite and .rna");
	ptx_refused(OPEN "cvt.rn.f32.tf32 %f0, %f1;" CLOSE, "cannot be converted");
	ptx_refused(OPEN "atom.global.cg.add.u32 %r0, [%in], %r1;" CLOSE,
		    ".cg is not supported here");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conversions),
		cmocka_unit_test(halves_are_added_one_by_one),
		cmocka_unit_test(guards_and_exchanges),
		cmocka_unit_test(other_forms_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
