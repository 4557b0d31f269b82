// SPDX-License-Identifier: MIT
/*
 * mma.sync, ldmatrix, stmatrix and movmatrix. The matrices hold small whole numbers, so that every
 * order of adding and every rounding gives the same; a host's triple loop says what D is. Where an
 * element is in the registers of the lanes is written down here once more, as the figures of the
 * PTX ISA have it (9.7.14.5, "matrix fragments"), element by element, and not by the compiler's
 * rule.
 */
#include "ptx_run.h"

#define OPEN                                                                             \
	".version 8.4\n.target sm_90\n.address_size 64\n"                                \
	".visible .entry k(.param .u64 p_in, .param .u64 p_out)\n{\n"                    \
	".reg .u64 %in, %out, %off;\n.reg .b32 %a<4>, %b<2>, %c<4>, %d<4>, %t, %x<9>;\n" \
	".reg .f64 %fa<8>, %fb<4>, %fc<4>;\n.reg .pred %p;\n"                            \
	".shared .align 16 .b8 s[2048];\n"                                               \
	"ld.param.u64 %in, [p_in];\nld.param.u64 %out, [p_out];\nmov.u32 %t, %tid.x;\n"
#define CLOSE "\nret;\n}\n"

/* A lane's registers in memory: 4 of A, 2 of B, 4 of C. */
#define WORDS 10

enum format { HALF, BRAIN, TF32, S8, U8, E4M3, E5M2 };

static const unsigned int format_bits[] = {16, 16, 32, 8, 8, 8, 8};

/* Bits of the whole number @value, of which |value| <= 8 (or <= 100 of integers). */
static uint32_t bits_of(enum format format, int value)
{
	float f = (float)value;
	uint32_t single, magnitude = (uint32_t)abs(value), exponent = 0;

	memcpy(&single, &f, 4);
	if (format == S8 || format == U8)
		return (uint32_t)value & 0xff;
	if (format == TF32)
		return single | 0x1abc; /* the lowest 13 bits are not looked at */
	if (format == BRAIN)
		return single >> 16;
	if (!value)
		return 0;
	while (magnitude >> (exponent + 1))
		exponent++;
	switch (format) {
	case HALF:
		return (value < 0 ? 0x8000u : 0) | (15 + exponent) << 10 |
		       ((magnitude << 10 >> exponent) & 0x3ff);
	case E5M2:
		return (value < 0 ? 0x80u : 0) | (15 + exponent) << 2 |
		       ((magnitude << 2 >> exponent) & 3);
	default:
		return (value < 0 ? 0x80u : 0) | (7 + exponent) << 3 |
		       ((magnitude << 3 >> exponent) & 7);
	}
}

/* Row and column of element i of A in a lane, by the figures. */
static void place_a(unsigned int m, unsigned int k, unsigned int bits, unsigned int lane,
		    unsigned int i, unsigned int *row, unsigned int *col)
{
	unsigned int group = lane >> 2, in_group = lane % 4;

	if (bits == 32) { /* .tf32: m16n8k4, m16n8k8 */
		*row = i == 0 || i == 2 ? group : group + 8;
		*col = i < 2 ? in_group : in_group + 4;
	} else if (bits == 16 && k == 8) {
		*row = i < 2 ? group : group + 8;
		*col = in_group * 2 + (i & 1);
	} else if (bits == 16) {
		*row = (i < 2) || (i >= 4 && i < 6) ? group : group + 8;
		*col = i < 4 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8;
	} else if (m == 8) {
		*row = group;
		*col = in_group * 4 + i;
	} else if (k == 16) {
		*row = i < 4 ? group : group + 8;
		*col = in_group * 4 + (i & 3);
	} else {
		*row = i < 4 || (i >= 8 && i < 12) ? group : group + 8;
		*col = i < 8 ? in_group * 4 + (i & 3) : in_group * 4 + (i & 3) + 16;
	}
}

static void place_b(unsigned int bits, unsigned int lane, unsigned int i, unsigned int *row,
		    unsigned int *col)
{
	unsigned int group = lane >> 2, in_group = lane % 4;

	*col = group;
	if (bits == 32)
		*row = i < 1 ? in_group : in_group + 4;
	else if (bits == 16)
		*row = i < 2 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8;
	else
		*row = i < 4 ? in_group * 4 + (i & 3) : in_group * 4 + (i & 3) + 16;
}

static void place_c(unsigned int lane, unsigned int i, unsigned int *row, unsigned int *col)
{
	*row = i < 2 ? lane >> 2 : (lane >> 2) + 8;
	*col = (lane % 4) * 2 + (i & 1);
}

struct shape {
	const char *text; /* the instruction's modifiers */
	unsigned int m, k;
	enum format a, b;
	char sum; /* f: .f32, h: .f16, i: .s32 */
};

static void fill(const struct shape *shape, uint32_t (*in)[WORDS], int *expected)
{
	unsigned int bits = format_bits[shape->a], e = 32 / bits, row, col;
	unsigned int words_a = shape->m * shape->k / 32 / e, words_b = 8 * shape->k / 32 / e;
	int a[16][32], b[32][8], c[16][8];
	uint64_t random = shape->k;

	for (unsigned int i = 0; i < 16; i++)
		for (unsigned int k = 0; k < shape->k; k++)
			a[i][k] = (int)(ptx_random(&random) % 9) - (shape->a == U8 ? 0 : 4);
	for (unsigned int k = 0; k < shape->k; k++)
		for (unsigned int j = 0; j < 8; j++)
			b[k][j] = (int)(ptx_random(&random) % 9) - (shape->b == U8 ? 0 : 4);
	if (shape->a == S8)
		a[3][2] = -100;
	if (shape->b == U8)
		b[2][5] = 200;
	for (unsigned int i = 0; i < 16; i++)
		for (unsigned int j = 0; j < 8; j++)
			c[i][j] = (int)(i * 8 + j) - 50;
	memset(in, 0, 32 * sizeof(*in));
	for (unsigned int lane = 0; lane < 32; lane++) {
		for (unsigned int i = 0; i < words_a * e; i++) {
			place_a(shape->m, shape->k, bits, lane, i, &row, &col);
			in[lane][i / e] |= bits_of(shape->a, a[row][col]) << (i % e * bits % 32);
		}
		for (unsigned int i = 0; i < words_b * e; i++) {
			place_b(bits, lane, i, &row, &col);
			in[lane][4 + i / e] |= bits_of(shape->b, b[row][col])
					       << (i % e * bits % 32);
		}
		for (unsigned int i = 0; i < shape->m / 4; i++) {
			float f;

			place_c(lane, i, &row, &col);
			f = (float)c[row][col];
			if (shape->sum == 'h')
				in[lane][6 + i / 2] |= bits_of(HALF, c[row][col]) << (i % 2 * 16);
			else if (shape->sum == 'f')
				memcpy(&in[lane][6 + i], &f, 4);
			else
				in[lane][6 + i] = (uint32_t)c[row][col];
			expected[lane * 4 + i] = c[row][col];
			for (unsigned int k = 0; k < shape->k; k++)
				expected[lane * 4 + i] += a[row][k] * b[k][col];
		}
	}
}

/* "{ %a0, %a1 }" */
static const char *registers(char *text, size_t size, char name, unsigned int count)
{
	size_t at = 0;

	for (unsigned int i = 0; i < count; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%%%c%u", i ? ", " : "{", name, i);
	snprintf(text + at, size - at, "}");
	return text;
}

static void matrices_of(const struct shape *shape)
{
	unsigned int e = 32 / format_bits[shape->a], words_a = shape->m * shape->k / 32 / e,
		     words_b = 8 * shape->k / 32 / e,
		     words_c = shape->sum == 'h' ? shape->m / 8 : shape->m / 4;
	char a[64], b[64], c[64], d[64];
	uint32_t in[32][WORDS], out[32][4] = {{0}}, want;
	struct text t = {0};
	int expected[128];
	float f;

	fill(shape, in, expected);
	text_add(&t, "%s",
		 OPEN "mad.wide.u32 %in, %t, 40, %in;\nmad.wide.u32 %out, %t, 16, %out;\n");
	for (unsigned int i = 0; i < words_a; i++)
		text_add(&t, "ld.global.b32 %%a%u, [%%in+%u];\n", i, 4 * i);
	for (unsigned int i = 0; i < words_b; i++)
		text_add(&t, "ld.global.b32 %%b%u, [%%in+%u];\n", i, 16 + 4 * i);
	for (unsigned int i = 0; i < words_c; i++)
		text_add(&t, "ld.global.b32 %%c%u, [%%in+%u];\n", i, 24 + 4 * i);
	/* D over C, as in a loop */
	text_add(&t, "mma.sync.aligned.%s %s, %s, %s, %s;\n", shape->text,
		 registers(d, sizeof(d), 'c', words_c), registers(a, sizeof(a), 'a', words_a),
		 registers(b, sizeof(b), 'b', words_b), registers(c, sizeof(c), 'c', words_c));
	for (unsigned int i = 0; i < words_c; i++)
		text_add(&t, "st.global.b32 [%%out+%u], %%c%u;\n", 4 * i, i);
	text_add(&t, CLOSE);
	ptx_launch(ptx_load(t.text, 0), "k", 32, in, sizeof(in), out, sizeof(out));
	text_free(&t);
	for (unsigned int lane = 0; lane < 32; lane++) {
		for (unsigned int i = 0; i < shape->m / 4; i++) {
			int value = expected[lane * 4 + i];

			f = (float)value;
			memcpy(&want, &f, 4);
			if (shape->sum == 'i')
				want = (uint32_t)value;
			if (shape->sum == 'h')
				assert_int_equal(out[lane][i / 2] >> (i % 2 * 16) & 0xffff,
						 bits_of(HALF, value));
			else if (out[lane][i] != want)
				fail_msg("%s: lane %u, element %u is 0x%x, expected 0x%x",
					 shape->text, lane, i, out[lane][i], want);
		}
	}
}

static void products_of_matrices(void **state)
{
	static const struct shape shapes[] = {
		{"m16n8k8.row.col.f32.f16.f16.f32", 16, 8, HALF, HALF, 'f'},
		{"m16n8k16.row.col.f32.f16.f16.f32", 16, 16, HALF, HALF, 'f'},
		{"m16n8k8.row.col.f16.f16.f16.f16", 16, 8, HALF, HALF, 'h'},
		{"m16n8k16.row.col.f16.f16.f16.f16", 16, 16, HALF, HALF, 'h'},
		{"m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, BRAIN, BRAIN, 'f'},
		{"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 16, BRAIN, BRAIN, 'f'},
		{"m16n8k4.row.col.f32.tf32.tf32.f32", 16, 4, TF32, TF32, 'f'},
		{"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, TF32, TF32, 'f'},
		{"m8n8k16.row.col.s32.s8.s8.s32", 8, 16, S8, S8, 'i'},
		{"m16n8k16.row.col.s32.s8.u8.s32", 16, 16, S8, U8, 'i'},
		{"m16n8k32.row.col.s32.u8.s8.s32", 16, 32, U8, S8, 'i'},
		{"m16n8k32.row.col.satfinite.s32.s8.u8.s32", 16, 32, S8, U8, 'i'},
		{"m16n8k32.row.col.f32.e4m3.e5m2.f32", 16, 32, E4M3, E5M2, 'f'},
		{"m16n8k32.row.col.f16.e5m2.e5m2.f16", 16, 32, E5M2, E5M2, 'h'},
	};

	(void)state;
	ptx_begin();
	for (unsigned int i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		matrices_of(&shapes[i]);
	ptx_end();
}

/*
 * m8n8k4 of f64: A is the row, B the column of a lane; 2^53 + 1 + 1 shows that each sum is rounded
 * as f64. a[i][k] = i + 1, b[k][j] = k + j, so d[i][j] = c + (i + 1) (6 + 4 j).
 */
static void products_of_doubles(void **state)
{
	double in[32][4], out[32][2];

	(void)state;
	for (unsigned int lane = 0; lane < 32; lane++) {
		unsigned int g = lane / 4, t = lane % 4;

		in[lane][0] = g + 1;
		in[lane][1] = t + g;
		in[lane][2] = 100.0 * g + 2 * t;
		in[lane][3] = 100.0 * g + 2 * t + 1;
	}
	ptx_begin();
	ptx_launch(
		ptx_load(
			OPEN
			"mad.wide.u32 %in, %t, 32, %in;\nmad.wide.u32 %out, %t, 16, %out;\n"
			"ld.global.f64 %fa0, [%in];\nld.global.f64 %fb0, [%in+8];\n"
			"ld.global.v2.f64 {%fc0, %fc1}, [%in+16];\n"
			"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fc2, %fc3}, "
			"{%fa0}, {%fb0}, "
			"{%fc0, %fc1};\nst.global.v2.f64 [%out], {%fc2, %fc3};" CLOSE,
			0),
		"k", 32, in, sizeof(in), out, sizeof(out));
	ptx_end();
	for (unsigned int lane = 0; lane < 32; lane++) {
		for (unsigned int i = 0; i < 2; i++) {
			unsigned int g = lane / 4, j = 2 * (lane % 4) + i;

			assert_true(out[lane][i] == 100.0 * g + j + (g + 1.0) * (6 + 4 * j));
		}
	}
}

/* 100 * 100 * 16 beside the largest and the smallest number. */
static void integers_wrap_or_saturate(void **state)
{
	static const struct {
		const char *modifier;
		uint32_t result[2];
	} cases[] = {
		{"", {0x7fffffffu + 160000, 0x80000000u + 160000}},
		{".satfinite", {0x7fffffff, 0x80000000u + 160000}},
	};
	uint32_t in = 0, out[64];
	char text[2048];

	(void)state;
	ptx_begin();
	for (unsigned int i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "%s%s%s",
			 OPEN "mov.b32 %a0, 0x64646464;\nmov.b32 %c0, 0x7fffffff;\n"
			      "mov.b32 %c1, 0x80000000;\nmad.wide.u32 %out, %t, 8, %out;\n"
			      "mma.sync.aligned.m8n8k16.row.col",
			 cases[i].modifier,
			 ".s32.s8.s8.s32 {%d0, %d1}, {%a0}, {%a0}, {%c0, %c1};\n"
			 "st.global.v2.b32 [%out], {%d0, %d1};" CLOSE);
		ptx_launch(ptx_load(text, 0), "k", 32, &in, 4, out, sizeof(out));
		for (unsigned int at = 0; at < 64; at++)
			assert_int_equal(out[at], cases[i].result[at % 2]);
	}
	ptx_end();
}

/* 0x3c00 * 0x3c00 = 1; 2048 + 1 is a tie of halves: 2048; a sum of f32 stays 2049 */
static void sums_of_halves_round_once(void **state)
{
	uint32_t in = 0, out[32][4];

	(void)state;
	ptx_begin();
	ptx_launch(
		ptx_load(
			OPEN
			"mov.b32 %a0, 0;\nmov.b32 %b0, 0;\nand.b32 %x0, %t, 3;\n"
			"setp.eq.u32 %p, %x0, 0;\n"
			"@%p mov.b32 %a0, 0x00003c00;\n@%p mov.b32 %b0, 0x3c00;\n" /* k = 0 alone */
			"mov.b32 %c0, 0x68006801;\nmad.wide.u32 %out, %t, 16, %out;\n"
			"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%d0, %d1}, {%a0, "
			"%a0}, {%b0}, "
			"{%c0, %c0};\nst.global.v2.b32 [%out], {%d0, %d1};\n"
			"mov.b32 %c1, 0f45000000;\n"
			"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, "
			"{%a0, %a0}, {%b0}, {%c1, %c1, %c1, %c1};\n"
			"st.global.v2.b32 [%out+8], {%d0, %d3};" CLOSE,
			0),
		"k", 32, &in, 4, out, sizeof(out));
	ptx_end();
	for (unsigned int lane = 0; lane < 32; lane++) {
		assert_int_equal(out[lane][0], 0x68006802); /* 2050 + 1: a tie, to 2052 */
		assert_int_equal(out[lane][1], 0x68006802);
		assert_int_equal(out[lane][2], 0x45001000); /* 2049 */
		assert_int_equal(out[lane][3], 0x45001000);
	}
}

/*
 * Element (row, column) of matrix n is 100 n + 10 row + column; its rows lie in shared memory 48
 * bytes apart and the matrices 512, backwards, so that no row is where another order would look.
 */
#define ROW_ADDRESS                                                   \
	"and.b32 %x0, %t, 7;\nshr.u32 %x1, %t, 3;\nmov.b32 %x2, s;\n" \
	"mad.lo.u32 %x2, %x0, 48, %x2;\nsub.u32 %x1, 3, %x1;\nmad.lo.u32 %x2, %x1, 512, %x2;\n"

/* Lane 8 n + row writes the row. */
#define FILL									\
	ROW_ADDRESS								\
	"shr.u32 %x1, %t, 3;\nmul.lo.u32 %x3, %x0, 10;\n"			\
	"mad.lo.u32 %x3, %x1, 100, %x3;\nmov.u32 %x4, 0;\n"			\
	"L: mad.lo.u32 %x5, %x4, 2, %x2;\nadd.u32 %x6, %x3, %x4;\n"		\
	"st.shared.u16 [%x5], %x6;\nadd.u32 %x4, %x4, 1;\n"			\
	"setp.lt.u32 %p, %x4, 8;\n@%p bra L;\nbar.warp.sync -1;\n"

static uint32_t pair_at(unsigned int n, unsigned int row, unsigned int col, bool trans)
{
	unsigned int first = 100 * n + 10 * row + col;

	return first | (first + (trans ? 10 : 1)) << 16;
}

static void matrices_are_loaded(void **state)
{
	static const struct {
		const char *line;
		unsigned int count;
		bool trans;
	} cases[] = {
		{"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a0, %a1, %a2, %a3}, [%x2];", 4, false},
		{"ldmatrix.sync.aligned.m8n8.x2.shared::cta.b16 {%a0, %a1}, [%x2];", 2, false},
		{"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%a0}, [%x2];", 1, false},
		{"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%a0, %a1, %a2, %a3}, [%x2];", 4,
		 true},
		/* through a generic address, with an offset, into the register of the address */
		{"mov.b32 %a2, %x2;\nsub.u32 %a2, %a2, 16;\ncvt.u64.u32 %off, %a2;\n"
		 "cvta.shared.u64 %off, %off;\n"
		 "ldmatrix.sync.aligned.m8n8.x2.trans.b16 {%a0, %a1}, [%off+16];",
		 2, true},
		{"mov.b32 %a0, %x2;\nldmatrix.sync.aligned.m8n8.x2.shared.b16 {%a1, %a0}, [%a0];\n"
		 "mov.b32 %x3, %a0; mov.b32 %a0, %a1; mov.b32 %a1, %x3;",
		 2, false},
	};
	uint32_t in = 0, out[32][4];
	char text[4096];

	(void)state;
	ptx_begin();
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(text, sizeof(text), "%s%s%s", OPEN FILL ROW_ADDRESS, cases[i].line,
			 "\nmad.wide.u32 %out, %t, 16, %out;\n"
			 "st.global.v4.b32 [%out], {%a0, %a1, %a2, %a3};" CLOSE);
		ptx_launch(ptx_load(text, 0), "k", 32, &in, 4, out, sizeof(out));
		for (unsigned int lane = 0; lane < 32; lane++)
			for (unsigned int n = 0; n < cases[i].count; n++)
				assert_int_equal(
					out[lane][n],
					cases[i].trans ? pair_at(n, lane % 4 * 2, lane / 4, true)
						       : pair_at(n, lane / 4, lane % 4 * 2, false));
	}
	ptx_end();
}

/* What ldmatrix has loaded stmatrix puts elsewhere, plainly and transposed. */
static void matrices_are_stored(void **state)
{
	static const char *const lines[] = {
		"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%x2+256], {%a0, %a1, %a2, %a3};",
		"stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%x2+256], {%a0, %a1, %a2, %a3};",
		"movmatrix.sync.aligned.m8n8.trans.b16 %a0, %a0;\n"
		"movmatrix.sync.aligned.m8n8.trans.b16 %a1, %a1;\n"
		"movmatrix.sync.aligned.m8n8.trans.b16 %a2, %a2;\n"
		"movmatrix.sync.aligned.m8n8.trans.b16 %d3, %a3;\n"
		"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%x2+256], {%a0, %a1, %a2, %d3};",
	};
	uint32_t in = 0;
	uint16_t out[32][8];
	char text[4096];

	(void)state;
	ptx_begin();
	for (unsigned int i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		/* rows are 16 bytes here: behind those of the same matrix there is room */
		snprintf(text, sizeof(text), "%s%s%s",
			 OPEN FILL ROW_ADDRESS
			 "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a0, %a1, %a2, %a3}, [%x2];\n"
			 "bar.warp.sync -1;\nmad.lo.u32 %x2, %x0, -32, %x2;\n",
			 lines[i],
			 "\nbar.warp.sync -1;\nmad.wide.u32 %out, %t, 16, %out;\n"
			 "ld.shared.v4.b32 {%a0, %a1, %a2, %a3}, [%x2+256];\n"
			 "st.global.v4.b32 [%out], {%a0, %a1, %a2, %a3};" CLOSE);
		ptx_launch(ptx_load(text, 0), "k", 32, &in, 4, out, sizeof(out));
		for (unsigned int lane = 0; lane < 32; lane++)
			for (unsigned int col = 0; col < 8; col++)
				assert_int_equal(out[lane][col],
						 lane / 8 * 100 + (i ? col * 10 + lane % 8
								     : lane % 8 * 10 + col));
	}
	ptx_end();
}

/* A row is aligned to 16 bytes, also where the parts of it that a lane has are aligned. */
static void rows_are_aligned(void **state)
{
	static const struct {
		const char *line;
		unsigned int off; /* of the row that lane @lane names, from one that is aligned */
		unsigned int lane;
		bool dies;
	} cases[] = {
		{"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%a0}, [%x2];", 16, 3, false},
		{"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%a0}, [%x2];", 8, 3, true},
		{"ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%a0}, [%x2];", 4, 7, true},
		{"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a0, %a1, %a2, %a3}, [%x2];", 12, 31,
		 true},
		{"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a0, %a1, %a2, %a3}, [%x2+4];", 0, 0,
		 true},
		{"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%a0, %a1}, [%x2];", 1, 8, true},
		{"stmatrix.sync.aligned.m8n8.x2.shared.b16 [%x2], {%a0, %a1};", 4, 15, true},
		{"stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%x2], {%a0, %a1};", 2, 0, true},
		/* only lanes that name rows */
		{"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%a0}, [%x2];", 8, 8, false},
		{"stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%x2], {%a0, %a1};", 2, 16, false},
	};
	char text[4096];

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ptx_begin();
		snprintf(text, sizeof(text),
			 "%ssetp.eq.u32 %%p, %%t, %u;\n@%%p add.u32 %%x2, %%x2, %u;\n%s%s",
			 OPEN ROW_ADDRESS
			 "mov.b32 %a0, 0;\nmov.b32 %a1, 0;\nmov.b32 %a2, 0;\nmov.b32 %a3, 0;\n",
			 cases[i].lane, cases[i].off, cases[i].line,
			 "\nst.shared.v4.b32 [s], {%a0, %a1, %a2, %a3};" CLOSE);
		assert_int_equal(ptx_outcome(ptx_load(text, 0), "k", 32),
				 cases[i].dies ? vgpuErrorMisalignedAddress : vgpuSuccess);
		ptx_end();
	}
}

#define REFUSED(line, why) ptx_refused(OPEN line CLOSE, why)

static void other_matrices_are_refused(void **state)
{
	(void)state;
	REFUSED("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, "
	"{%a0}, {%b0}, "
		"{%c0, %c1, %c2, %c3};",
		"operand 2: 2 registers are wanted");
	REFUSED("mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, "
	"{%a0, %a1}, "
		"{%b0}, {%c0, %c1, %c2, %c3};",
		"this shape are not supported");
	REFUSED("mma.sync.aligned.m16n8k8.row.col.f32.bf16.f16.f32 {%c0, %c1, %c2, %c3}, "
	"{%a0, %a1}, "
		"{%b0}, {%c0, %c1, %c2, %c3};",
		"these types");
	REFUSED("mma.sync.aligned.m16n8k8.row.col.f16.bf16.bf16.f16 {%c0, %c1}, {%a0, %a1}, {%b0}, "
		"{%c0, %c1};",
		"do not go with A and B");
	REFUSED("mma.sync.aligned.m16n8k8.row.col.satfinite.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, "
		"{%a0, %a1}, {%b0}, {%c0, %c1, %c2, %c3};",
		"for integers");
	REFUSED("ldmatrix.sync.aligned.m8n8.x4.global.b16 {%a0, %a1, %a2, %a3}, [%in];", ".shared");
	REFUSED("add.satfinite.s32 %a0, %a1, %a2;", ".satfinite is not supported here");
	REFUSED("add.tf32 %a0, %a1, %a2;", "type .tf32 is not supported here");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_of_matrices),
		cmocka_unit_test(products_of_doubles),
		cmocka_unit_test(integers_wrap_or_saturate),
		cmocka_unit_test(sums_of_halves_round_once),
		cmocka_unit_test(matrices_are_loaded),
		cmocka_unit_test(matrices_are_stored),
		cmocka_unit_test(rows_are_aligned),
		cmocka_unit_test(other_matrices_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
