// SPDX-License-Identifier: MIT
/*
 * What is wider than 64 bits: .b128 registers, their accesses and atomics of 16 bytes, vectors of
 * 32 bytes; and %reserved_smem_offset_*, which groups of several warps use.
 */
#include "ptx_run.h"

#define OPEN                                                                                   \
	".version 8.8\n.target sm_90\n.address_size 64\n"                                      \
	".visible .entry k(.param .u64 p_in, .param .u64 p_out)\n{\n"                          \
	".reg .u64 %in, %out, %q<9>;\n.reg .b32 %r<9>, %t;\n.reg .b128 %w<5>;\n"               \
	".reg .f64 %d<9>;\n.reg .b16 %h<9>;\n.reg .pred %p<9>;\n"                              \
	".shared .align 32 .b8 s[512];\n"                                                      \
	"ld.param.u64 %in, [p_in];\nld.param.u64 %out, [p_out];\nmov.u32 %t, %tid.x;\n"        \
	"cvt.u64.u32 %q0, %t;\n"
#define CLOSE "\nret;\n}\n"

struct two {
	uint64_t low, high;
};

static void run(const char *ptx, unsigned int threads, const void *in, size_t in_bytes, void *out,
		size_t out_bytes)
{
	ptx_begin();
	ptx_launch(ptx_load(ptx, 0), "k", threads, in, in_bytes, out, out_bytes);
	ptx_end();
}

/* Halves are packed, moved, taken apart, loaded and stored in their places. */
static void registers(void **state)
{
	struct two in[2] = {{0x1111222233334444, 0x5555666677778888}, {1, 2}}, out[5] = {0};

	(void)state;
	run(OPEN "ld.global.b128 %w0, [%in];\nmov.b128 {%q1, %q2}, %w0;\n"
		 "mov.b128 %w1, {%q2, %q1};\nst.global.b128 [%out], %w1;\n"
		 "mov.b128 %w2, %w0;\nst.volatile.global.b128 [%out+16], %w2;\n"
		 "mov.b128 {_, %q3}, %w1;\nmov.b128 %w3, {%q3, 7};\nst.b128 [%out+32], %w3;\n"
		 "setp.eq.u32 %p0, %t, 0;\nld.relaxed.gpu.global.b128 %w4, [%in+16];\n"
		 "@!%p0 ld.global.b128 %w4, [%in];\n@%p0 st.shared.b128 [s+16], %w4;\n"
		 "ld.shared.b128 %w0, [s+16];\nst.global.b128 [%out+48], %w0;" CLOSE,
	    1, in, sizeof(in), out, sizeof(out));
	assert_true(out[0].low == in[0].high && out[0].high == in[0].low);
	assert_true(out[1].low == in[0].low && out[1].high == in[0].high);
	assert_true(out[2].low == in[0].low && out[2].high == 7);
	assert_true(out[3].low == 1 && out[3].high == 2);
}

/*
 * Lanes at one place, the lowest first: each takes what the one before has put there, and the last
 * one's remains. In each space, and with the host.
 */
static void exchanges(void **state)
{
	static const char *const forms[] = {
		"atom.global.exch.b128 %w1, [%out+512], %w0;",
		"atom.exch.b128 %w1, [%out+512], %w0;",
		"atom.acq_rel.sys.global.exch.b128 %w1, [%out+512], %w0;",
		("atom.shared.exch.b128 %w1, [s+32], %w0;\nld.shared.b128 %w2, [s+32];\n"
		 "st.global.b128 [%out+512], %w2;"),
	};
	char text[2048];
	struct two in = {0, 0}, out[33];

	(void)state;
	for (unsigned int i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		memset(out, 0, sizeof(out));
		out[32] = (struct two){77, 78};
		snprintf(text, sizeof(text), "%s%s%s",
			 OPEN "mov.b64 %q3, 77;\nmov.b64 %q4, 78;\nmov.b128 %w1, {%q3, %q4};\n"
			      "setp.eq.u32 %p0, %t, 0;\n@%p0 st.shared.b128 [s+32], %w1;\n"
			      "bar.sync 0;\nnot.b64 %q1, %q0;\nmov.b128 %w0, {%q0, %q1};\n",
			 forms[i],
			 "\nshl.b64 %q1, %q0, 4;\nadd.u64 %q1, %q1, %out;\n"
			 "st.global.b128 [%q1], %w1;" CLOSE);
		run(text, 32, &in, sizeof(in), out, sizeof(out));
		assert_true(out[0].low == 77 && out[0].high == 78);
		for (uint64_t lane = 1; lane < 32; lane++)
			assert_true(out[lane].low == lane - 1 && out[lane].high == ~(lane - 1));
		assert_true(out[32].low == 31 && out[32].high == ~31ull);
	}
}

/*
 * Lane l compares with (l, 7 l) and puts (l + 1, 7 l + 7) there: each succeeds behind the one
 * before. Where lanes 8 and on are left out, or compare with another upper half, the chain ends.
 */
static void comparisons(void **state)
{
	static const struct {
		const char *line;
		unsigned int last;
	} cases[] = {
		{"atom.global.cas.b128 %w2, [%out+512], %w0, %w1;", 32},
		{"atom.relaxed.sys.cas.b128 %w2, [%out+512], %w0, %w1;", 32},
		{"@%p0 atom.global.cas.b128 %w2, [%out+512], %w0, %w1;", 8},
		{"@!%p0 add.u64 %q2, %q2, 1;\nmov.b128 %w0, {%q0, %q2};\n"
		 "atom.global.cas.b128 %w2, [%out+512], %w0, %w1;",
		 8},
		{"@!%p0 add.u64 %q0, %q0, 1;\nmov.b128 %w0, {%q0, %q2};\n"
		 "atom.sys.global.cas.b128 %w2, [%out+512], %w0, %w1;\nsub.u64 %q0, %q0, 0;",
		 8},
	};
	char text[2048];
	struct two in = {0, 0}, out[33];

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		unsigned int last = cases[i].last;

		memset(out, 0, sizeof(out));
		snprintf(text, sizeof(text), "%s%s%s",
			 OPEN "mul.lo.u64 %q2, %q0, 7;\nadd.u64 %q3, %q0, 1;\n"
			      "add.u64 %q4, %q2, 7;\nmov.b128 %w0, {%q0, %q2};\n"
			      "mov.b128 %w1, {%q3, %q4};\nmov.b64 %q5, 99;\n"
			      "mov.b128 %w2, {%q5, %q5};\nsetp.lt.u32 %p0, %t, 8;\n",
			 cases[i].line,
			 "\nmad.wide.u32 %q1, %t, 16, %out;\nst.global.b128 [%q1], %w2;" CLOSE);
		run(text, 32, &in, sizeof(in), out, sizeof(out));
		for (uint64_t lane = 0; lane < 32; lane++) {
			uint64_t low = lane < last ? lane : i == 2 ? 99 : last;
			uint64_t high = lane < last ? 7 * lane : i == 2 ? 99 : 7 * last;

			if (out[lane].low != low || out[lane].high != high)
				fail_msg("case %u: lane %u found %llu, %llu", i, (unsigned int)lane,
					 (unsigned long long)out[lane].low,
					 (unsigned long long)out[lane].high);
		}
		assert_true(out[32].low == last && out[32].high == 7 * last);
	}
}

/* The operands may be one register, and the result one of them, or none. */
static void overlapping_operands(void **state)
{
	struct two in = {0, 0}, out[4] = {{5, 6}, {5, 6}, {5, 6}, {0, 0}};

	(void)state;
	run(OPEN "ld.global.b128 %w0, [%out];\nmov.b64 %q1, 8;\nmov.b64 %q2, 9;\n"
		 "mov.b128 %w1, {%q1, %q2};\n"
		 "atom.global.cas.b128 %w0, [%out], %w0, %w1;\n"
		 "atom.global.cas.b128 _, [%out+16], %w0, %w1;\n"
		 "atom.global.exch.b128 %w1, [%out+32], %w1;\nst.global.b128 [%out+48], %w1;" CLOSE,
	    1, &in, sizeof(in), out, sizeof(out));
	assert_true(out[0].low == 8 && out[0].high == 9);
	assert_true(out[1].low == 8 && out[1].high == 9);
	assert_true(out[2].low == 8 && out[2].high == 9);
	assert_true(out[3].low == 5 && out[3].high == 6);
}

/* The register that has the address is one of those that are loaded. */
static void vectors_of_32_bytes(void **state)
{
	uint64_t in[12], out[12] = {0};
	uint32_t *words = (uint32_t *)out;

	(void)state;
	for (unsigned int i = 0; i < 12; i++)
		in[i] = 0x100000002 * (i + 1);
	run(OPEN "ld.global.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%in+32];\n"
		 "st.global.v8.b32 [%out], {%r7, %r6, %r5, %r4, %r3, %r2, %r1, %r0};\n"
		 "ld.global.v4.b64 {%in, %q1, %q2, %q3}, [%in];\n"
		 "setp.ne.u32 %p0, %t, 0;\n@%p0 st.global.v4.u64 [%out], {%q1, %q1, %q1, %q1};\n"
		 "st.global.v4.u64 [%out+32], {%q3, %q2, %q1, %in};\n"
		 "ld.global.nc.L2::256B.v4.f64 {%d0, %d1, %d2, _}, [%out+32];\n"
		 "st.global.v4.f64 [%out+64], {%d1, %d2, %d0, 0d3ff0000000000000};" CLOSE,
	    1, in, sizeof(in), out, sizeof(out));
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(words[i], ((uint32_t *)in)[8 + 7 - i]);
	for (unsigned int i = 0; i < 4; i++)
		assert_true(out[4 + i] == in[3 - i]);
	assert_true(out[8] == out[5] && out[9] == out[6] && out[10] == out[4]);
	assert_true(out[11] == 0x3ff0000000000000);
}

/* The whole access is aligned to its size. */
static void misaligned(void **state)
{
	static const char *const lines[] = {
		"ld.global.b128 %w0, [%in+8];\nst.global.b128 [%out], %w0;",
		"st.global.b128 [%out+8], %w0;",
		"atom.global.cas.b128 %w0, [%out+8], %w0, %w0;",
		"atom.shared.exch.b128 %w0, [s+8], %w0;",
		("ld.global.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%in+16];\n"
		 "st.global.v4.b32 [%out], {%r0, %r1, %r2, %r7};"),
		"st.global.v4.b64 [%out+16], {%q0, %q0, %q0, %q0};",
	};
	char text[2048];

	(void)state;
	for (unsigned int i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		snprintf(text, sizeof(text), "%s%s%s",
			 OPEN ".global .align 32 .b8 g[256];\nmov.b128 %w0, {%q0, %q0};\n"
			      "mov.u64 %in, g;\nmov.u64 %out, g;\n",
			 lines[i], CLOSE);
		ptx_begin();
		assert_int_equal(ptx_outcome(ptx_load(text, 0), "k", 1),
				 vgpuErrorMisalignedAddress);
		ptx_end();
	}
}

/*
 * 1024 bytes that no other variable has, with 288 behind the second offset; who does not ask for
 * them has none.
 */
static void reserved_shared_memory(void **state)
{
	uint32_t in = 0, out[8] = {0};

	(void)state;
	run(OPEN "mov.u32 %r0, %reserved_smem_offset_begin;\n"
		 "mov.u32 %r1, %reserved_smem_offset_end;\n"
		 "mov.u32 %r2, %reserved_smem_offset_cap;\nmov.u32 %r3, %reserved_smem_offset_0;\n"
		 "mov.u32 %r4, %reserved_smem_offset_1;\nmov.u32 %r5, s;\n"
		 "mov.u32 %r6, %total_smem_size;\nmov.u32 %r7, 13;\nst.shared.u32 [s+4], %r7;\n"
		 "st.shared.u32 [%r4], %r4;\nst.shared.u32 [%r4+284], %r2;\n"
		 "ld.shared.u32 %r7, [s+4];\nst.global.v4.u32 [%out], {%r0, %r1, %r2, %r3};\n"
		 "st.global.v4.u32 [%out+16], {%r4, %r5, %r6, %r7};" CLOSE,
	    1, &in, sizeof(in), out, sizeof(out));
	assert_int_equal(out[1] - out[0], 1024);
	assert_int_equal(out[2], 1024);
	assert_int_equal(out[3], out[0]);
	assert_true(out[4] % 16 == 0 && out[4] >= out[0] && out[4] + 288 <= out[1]);
	assert_true(out[5] + 512 <= out[0] || out[5] >= out[1]);
	assert_int_equal(out[6], 1024 + 512);
	assert_int_equal(out[7], 13);
	run(OPEN "mov.u32 %r6, %total_smem_size;\nmov.u32 %r5, s;\n"
		 "st.global.u32 [%out], %r6;" CLOSE,
	    1, &in, sizeof(in), out, sizeof(out));
	assert_int_equal(out[0], 512);
}

static void other_forms_are_refused(void **state)
{
	(void)state;
	ptx_refused(OPEN "add.b128 %w0, %w1, %w2;" CLOSE, ".b128 is not supported");
	ptx_refused(OPEN "cvt.b128.u32 %w0, %r1;" CLOSE, ".b128 is not supported");
	ptx_refused(OPEN "atom.global.add.b128 %w0, [%in], %w1;" CLOSE, "atom.exch and atom.cas");
	ptx_refused(OPEN "red.global.add.b128 [%in], %w1;" CLOSE, ".b128 is not supported");
	ptx_refused(OPEN "atom.global.cas.b128 %w0, [%in], %w1;" CLOSE, "number of operands");
	ptx_refused(OPEN "atom.global.cas.b128 %q0, [%in], %w1, %w1;" CLOSE, "a .b128 register");
	ptx_refused(OPEN "atom.global.exch.b128 %w0, [%in], 1;" CLOSE, "a .b128 register");
	ptx_refused(OPEN "atom.local.exch.b128 %w0, [%r1], %w1;" CLOSE, "global and shared");
	ptx_refused(OPEN "mov.b128 %w0, {%r0, %r1, %r2, %r3};" CLOSE, "two parts of 64 bits");
	ptx_refused(OPEN "mov.b128 %w0, %q0;" CLOSE, "a .b128 register");
	ptx_refused(OPEN "mov.b64 %q0, %w0;" CLOSE, "`%w0' is .b128");
	ptx_refused(OPEN "ld.global.b64 %w0, [%in];" CLOSE, "`%w0' is .b128");
	ptx_refused(OPEN "ld.global.u32 %r0, [%w0];" CLOSE, "`%w0' is too wide for an address");
	ptx_refused(OPEN "ld.global.v2.b128 {%w0, %w1}, [%in];" CLOSE, "more than 16 bytes");
	ptx_refused(OPEN "ld.param.b128 %w0, [p_in];" CLOSE, "outside the 8 bytes");
	ptx_refused(OPEN "ld.global.v8.b16 {%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7}, [%in];" CLOSE,
		    "32 bits each");
	ptx_refused(OPEN "ld.global.v8.b32 {%r0, %r1, %r2, %r3}, [%in];" CLOSE, "8 registers");
	ptx_refused(OPEN "ld.shared.v4.b64 {%q0, %q1, %q2, %q3}, [s];" CLOSE, ".global memory");
	ptx_refused(OPEN "st.v8.b32 [%in], {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7};" CLOSE,
		    ".global memory");
	ptx_refused(OPEN "mov.u32 %r0, %reserved_smem_offset_2;" CLOSE, "special register");
	ptx_refused(".version 8.8\n.target sm_90\n.address_size 64\n"
		    ".global .b128 v = 1;\n",
		    "no initialiser");
	ptx_refused(".version 8.8\n.target sm_90\n.address_size 64\n"
		    ".func f(.reg .b128 %a)\n{\nret;\n}\n",
		    "at most 64 bits");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers),
		cmocka_unit_test(exchanges),
		cmocka_unit_test(comparisons),
		cmocka_unit_test(overlapping_operands),
		cmocka_unit_test(vectors_of_32_bytes),
		cmocka_unit_test(misaligned),
		cmocka_unit_test(reserved_shared_memory),
		cmocka_unit_test(other_forms_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
