// SPDX-License-Identifier: MIT
/*
 * wmma: matrices go from memory to fragments and back, and are multiplied, in all shapes, types,
 * layouts and state spaces. They hold small whole numbers, so that every order of adding and every
 * rounding gives the same; a host's triple loop says what D is. Where elements lie in fragments is
 * the compiler's secret, as in PTX.
 */
#include "ptx_run.h"

#define OPEN                                                                               \
	".version 8.4\n.target sm_90\n.address_size 64\n"                                  \
	".visible .entry k(.param .u64 p_in, .param .u64 p_out)\n{\n"                      \
	".reg .u64 %in, %out, %q;\n.reg .b32 %a<8>, %b<8>, %c<8>, %d<8>, %s, %t, %x<4>;\n" \
	".reg .f32 %fc<8>, %fd<8>;\n.reg .f64 %da, %db, %dc<2>, %dd<2>;\n.reg .pred %p;\n" \
	".shared .align 32 .b8 sh[16384];\n"                                               \
	"ld.param.u64 %in, [p_in];\nld.param.u64 %out, [p_out];\nmov.u32 %t, %tid.x;\n"

/* Bytes from the beginning of the input where each matrix is. */
enum { AT_A = 0, AT_B = 4096, AT_C = 8192, BYTES = 16384 };

enum format { HALF, BRAIN, TF32, S8, U8, F32, S32, F64 };

static const struct {
	const char *name;
	unsigned int bytes;
} formats[] = {
	[HALF] = {"f16", 2}, [BRAIN] = {"bf16", 2}, [TF32] = {"tf32", 4}, [S8] = {"s8", 1},
	[U8] = {"u8", 1},    [F32] = {"f32", 4},    [S32] = {"s32", 4},	  [F64] = {"f64", 8},
};

struct shape {
	unsigned int m, n, k;
};

/* Registers of a fragment, as the PTX ISA has them (9.7.14.4). */
struct sizes {
	unsigned int a, b, c, d;
};

static uint64_t bits_of(enum format format, int value)
{
	uint32_t single, magnitude = (uint32_t)abs(value), exponent = 0;
	float f = (float)value;
	double wide = value;
	uint64_t bits;

	memcpy(&single, &f, 4);
	memcpy(&bits, &wide, 8);
	switch (format) {
	case F64:
		return bits;
	case F32:
		return single;
	case TF32:
		return single | 0x1abc; /* the lowest 13 bits are not looked at */
	case BRAIN:
		return single >> 16;
	case HALF:
		if (!value)
			return 0;
		while (magnitude >> (exponent + 1))
			exponent++;
		return (value < 0 ? 0x8000u : 0) | (15 + exponent) << 10 |
		       ((magnitude << 10 >> exponent) & 0x3ff);
	default:
		return (uint64_t)(int64_t)value;
	}
}

static int value_of(enum format format, const void *at)
{
	uint16_t half;
	int32_t word;
	float single;
	double wide;

	switch (format) {
	case F64:
		memcpy(&wide, at, 8);
		return (int)wide;
	case F32:
		memcpy(&single, at, 4);
		return (int)single;
	case HALF:
		memcpy(&half, at, 2);
		word = 0;
		if (half & 0x7fff) {
			int exponent = (half >> 10 & 31) - 25;
			int mantissa = (half & 0x3ff) | 0x400;

			word = exponent < 0 ? mantissa >> -exponent : mantissa << exponent;
		}
		return half & 0x8000 ? -word : word;
	default:
		memcpy(&word, at, 4);
		return word;
	}
}

struct matrix {
	enum format format;
	unsigned int rows, cols, stride;
	bool by_rows;
};

static size_t place(const struct matrix *m, unsigned int row, unsigned int col)
{
	return (size_t)(m->by_rows ? row * m->stride + col : col * m->stride + row) *
	       formats[m->format].bytes;
}

static void fill(uint8_t *at, const struct matrix *m, int *values, int range, uint64_t *seed)
{
	for (unsigned int row = 0; row < m->rows; row++)
		for (unsigned int col = 0; col < m->cols; col++) {
			int value = (int)(ptx_random(seed) % (unsigned int)(2 * range + 1)) - range;
			uint64_t bits;

			if (m->format == U8)
				value = abs(value);
			bits = bits_of(m->format, value);
			memcpy(at + place(m, row, col), &bits, formats[m->format].bytes);
			values[row * m->cols + col] = value;
		}
}

static void list(struct text *t, const char *name, unsigned int count)
{
	text_add(t, "{");
	for (unsigned int i = 0; i < count; i++)
		text_add(t, "%s%s%u", i ? ", " : "", name, i);
	text_add(t, "}");
}

/* The registers of a matrix by what they hold. */
static const char *names(enum format format, char which)
{
	static char name[8];

	if (format == F64)
		snprintf(name, sizeof(name), "%%d%c", which);
	else if (format == F32)
		snprintf(name, sizeof(name), "%%f%c", which);
	else
		snprintf(name, sizeof(name), "%%%c", which);
	return name;
}

static void fragment(struct text *t, enum format format, char which, unsigned int count)
{
	if (format == F64 && (which == 'a' || which == 'b'))
		text_add(t, "{%%d%c}", which);
	else
		list(t, names(format, which), count);
}

struct test {
	struct shape shape;
	enum format ab, c, d;
	struct sizes sizes;
	const char *types;
};

static const struct test all[] = {
	{{16, 16, 16}, HALF, F32, F32, {8, 8, 8, 8}, "f32.f32"},
	{{16, 16, 16}, HALF, HALF, F32, {8, 8, 4, 8}, "f32.f16"},
	{{16, 16, 16}, HALF, F32, HALF, {8, 8, 8, 4}, "f16.f32"},
	{{16, 16, 16}, HALF, HALF, HALF, {8, 8, 4, 4}, "f16.f16"},
	{{32, 8, 16}, HALF, F32, F32, {8, 8, 8, 8}, "f32.f32"},
	{{8, 32, 16}, HALF, HALF, HALF, {8, 8, 4, 4}, "f16.f16"},
	{{16, 16, 16}, BRAIN, F32, F32, {4, 4, 8, 8}, "f32.bf16.bf16.f32"},
	{{32, 8, 16}, BRAIN, F32, F32, {8, 2, 8, 8}, "f32.bf16.bf16.f32"},
	{{8, 32, 16}, BRAIN, F32, F32, {2, 8, 8, 8}, "f32.bf16.bf16.f32"},
	{{16, 16, 8}, TF32, F32, F32, {4, 4, 8, 8}, "f32.tf32.tf32.f32"},
	{{16, 16, 16}, S8, S32, S32, {2, 2, 8, 8}, "s32.s8.s8.s32"},
	{{32, 8, 16}, S8, S32, S32, {4, 1, 8, 8}, "s32.s8.s8.s32"},
	{{8, 32, 16}, S8, S32, S32, {1, 4, 8, 8}, "s32.s8.s8.s32"},
	{{16, 16, 16}, U8, S32, S32, {2, 2, 8, 8}, "s32.u8.u8.s32"},
	{{32, 8, 16}, U8, S32, S32, {4, 1, 8, 8}, "s32.u8.u8.s32.satfinite"},
	{{8, 8, 4}, F64, F64, F64, {1, 1, 2, 2}, "f64.f64.f64.f64.rn"},
};

/* The address is generic, of global or of shared memory. */
static const char *const spaces[] = {"", ".global", ".shared"};

static void add_kernel(struct text *t, const struct test *test, const struct matrix m[4],
		       unsigned int space)
{
	static const char which[] = "abcd";
	static const unsigned int at[] = {AT_A, AT_B, AT_C, 0};
	char shape[24];

	snprintf(shape, sizeof(shape), "m%un%uk%u", test->shape.m, test->shape.n, test->shape.k);
	text_add(t, "%s", OPEN);
	if (space == 2)
		text_add(t,
			 "mov.u32 %%x0, 0;\nloop:\nmad.lo.u32 %%x1, %%x0, 128, 0;\n"
			 "mad.lo.u32 %%x1, %%t, 4, %%x1;\ncvt.u64.u32 %%q, %%x1;\n"
			 "add.u64 %%q, %%q, %%in;\nld.global.u32 %%x2, [%%q];\nmov.u32 %%x3, sh;\n"
			 "add.u32 %%x1, %%x1, %%x3;\nst.shared.u32 [%%x1], %%x2;\n"
			 "add.u32 %%x0, %%x0, 1;\nsetp.lt.u32 %%p, %%x0, 128;\n@%%p bra loop;\n"
			 "bar.sync 0;\n");
	for (unsigned int i = 0; i < 4; i++) {
		unsigned int count = i == 0   ? test->sizes.a
				     : i == 1 ? test->sizes.b
				     : i == 2 ? test->sizes.c
					      : test->sizes.d;
		const char *where = i == 3 || space == 1 ? ".global" : spaces[space];

		if (i == 3) {
			text_add(t, "wmma.mma.sync.aligned.%s.%s.%s.%s ",
				 m[0].by_rows ? "row" : "col", m[1].by_rows ? "row" : "col", shape,
				 test->types);
			fragment(t, test->d, 'd', test->sizes.d);
			text_add(t, ", ");
			fragment(t, test->ab, 'a', test->sizes.a);
			text_add(t, ", ");
			fragment(t, test->ab, 'b', test->sizes.b);
			text_add(t, ", ");
			fragment(t, test->c, 'c', test->sizes.c);
			text_add(t, ";\n");
		}
		text_add(t, "mov.u32 %%s, %u;\n", m[i].stride);
		text_add(t, "wmma.%s.%c.sync.aligned.%s.%s%s.%s ", i == 3 ? "store" : "load",
			 which[i], m[i].by_rows ? "row" : "col", shape, where,
			 formats[m[i].format].name);
		if (i == 3)
			text_add(t, "[%%out], ");
		fragment(t, m[i].format, which[i], count);
		if (i < 3 && space == 2)
			text_add(t, ", [sh+%u]", at[i]);
		else if (i < 3)
			text_add(t, ", [%%in+%u]", at[i]);
		text_add(t, ", %%s;\n");
	}
	text_add(t, "ret;\n}\n");
}

static void check(const struct test *test, unsigned int layouts, unsigned int extra,
		  unsigned int space)
{
	const struct shape *s = &test->shape;
	struct matrix m[4] = {
		{test->ab, s->m, s->k, 0, layouts & 1},
		{test->ab, s->k, s->n, 0, layouts & 2},
		{test->c, s->m, s->n, 0, layouts & 4},
		{test->d, s->m, s->n, 0, layouts & 8},
	};
	static const unsigned int at[] = {AT_A, AT_B, AT_C};
	static uint8_t in[BYTES], out[BYTES];
	int values[3][32 * 32];
	uint64_t seed = layouts * 77 + extra;
	struct vgpuModule *module;
	struct text t = {0};

	memset(in, 0x55, sizeof(in));
	memset(out, 0x55, sizeof(out));
	for (unsigned int i = 0; i < 4; i++) {
		m[i].stride = (m[i].by_rows ? m[i].cols : m[i].rows) + extra;
		if (i < 3)
			fill(in + at[i], &m[i], values[i], i == 2 ? 30 : 4, &seed);
	}
	add_kernel(&t, test, m, space);
	module = ptx_load(t.text, 0);
	ptx_launch(module, "k", 32, in, sizeof(in), out, sizeof(out));
	for (unsigned int row = 0; row < s->m; row++)
		for (unsigned int col = 0; col < s->n; col++) {
			int want = values[2][row * s->n + col], have;

			for (unsigned int k = 0; k < s->k; k++)
				want += values[0][row * s->k + k] * values[1][k * s->n + col];
			have = value_of(test->d, out + place(&m[3], row, col));
			if (have != want)
				fail_msg("%s, layouts %u: row %u, column %u is %d, not %d",
					 test->types, layouts, row, col, have, want);
			memset(out + place(&m[3], row, col), 0x55, formats[test->d].bytes);
		}
	for (unsigned int i = 0; i < BYTES; i++)
		assert_int_equal(out[i], 0x55); /* nothing beside the matrix is written */
	text_free(&t);
}

static void products(void **state)
{
	(void)state;
	ptx_begin();
	for (unsigned int i = 0; i < sizeof(all) / sizeof(*all); i++)
		for (unsigned int layouts = 0; layouts < 16; layouts += i % 3 ? 5 : 1)
			check(&all[i], layouts, layouts % 2 ? 16 : 0, (i + layouts) % 3);
	ptx_end();
}

/* Sums that do not fit are the largest numbers, where it says so. */
static void saturation(void **state)
{
#define BODY                                                                                    \
	"mov.u32 %%a0, 0x7f7f7f7f;\nmov.u32 %%a1, %%a0;\nmov.u32 %%c0, 0x7ffffff0;\n"           \
	"mov.u32 %%c1, 5;\nwmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32%s "            \
	"{%%d0,%%d1,%%d2,%%d3,%%d4,%%d5,%%d6,%%d7}, {%%a0,%%a1}, {%%a0,%%a1}, "                 \
	"{%%c0,%%c1,%%c1,%%c1,%%c1,%%c1,%%c1,%%c1};\n"                                          \
	"mul.wide.u32 %%q, %%t, 4;\nadd.u64 %%out, %%out, %%q;\nst.global.u32 [%%out], %%d0;\n" \
	"st.global.u32 [%%out+128], %%d1;\nret;\n}\n"
	uint32_t in[1] = {0}, out[64];

	(void)state;
	ptx_begin();
	for (unsigned int i = 0; i < 2; i++) {
		struct text t = {0};

		text_add(&t, "%s", OPEN);
		text_add(&t, BODY, i ? ".satfinite" : "");
		ptx_launch(ptx_load(t.text, 0), "k", 32, in, sizeof(in), out, sizeof(out));
		for (unsigned int lane = 0; lane < 32; lane++) {
			assert_int_equal(out[lane], i ? 0x7fffffff : 0x7ffffff0u + 16 * 127 * 127);
			assert_int_equal(out[32 + lane], 5 + 16 * 127 * 127);
		}
		text_free(&t);
	}
	ptx_end();
}

/*
 * mma.m8n8k4 of halves: four products, each by a quad pair, in all layouts. Where elements are is
 * written down here once more, as the PTX ISA has it (9.7.14.5.1).
 */
static void quad_pairs(bool a_row, bool b_row, bool halves)
{
	int a[4][8][4], b[4][4][8], c[4][8][8];
	uint16_t in[32][16], out[32][16];
	uint64_t seed = 5;
	struct text t = {0};

	for (unsigned int i = 0; i < 4 * 32; i++) {
		(&a[0][0][0])[i] = (int)(ptx_random(&seed) % 9) - 4;
		(&b[0][0][0])[i] = (int)(ptx_random(&seed) % 9) - 4;
	}
	for (unsigned int i = 0; i < 4 * 64; i++)
		(&c[0][0][0])[i] = (int)(ptx_random(&seed) % 50) - 25;
	memset(in, 0, sizeof(in));
	for (unsigned int lane = 0; lane < 32; lane++) {
		unsigned int q = lane % 16 / 4, h = lane < 16 ? 0 : 4, x = lane % 4;

		for (unsigned int i = 0; i < 4; i++) {
			in[lane][i] =
				(uint16_t)bits_of(HALF, a_row ? a[q][x + h][i] : a[q][i + h][x]);
			in[lane][4 + i] =
				(uint16_t)bits_of(HALF, b_row ? b[q][x][i + h] : b[q][i][x + h]);
		}
		for (unsigned int i = 0; i < 8 && halves; i++)
			in[lane][8 + i] = (uint16_t)bits_of(HALF, c[q][x + h][i]);
	}
	text_add(&t, "%s", OPEN);
	text_add(
		&t,
		"mul.wide.u32 %%q, %%t, 32;\nadd.u64 %%in, %%in, %%q;\nadd.u64 %%out, %%out, %%q;\n"
		"ld.global.v2.b32 {%%a0, %%a1}, [%%in];\nld.global.v2.b32 {%%b0, %%b1}, [%%in+8];\n"
		"ld.global.v4.b32 {%%c0, %%c1, %%c2, %%c3}, [%%in+16];\n");
	for (unsigned int i = 0; i < 8; i++)
		text_add(&t, "mov.f32 %%fc%u, 0f00000000;\n", i);
	text_add(&t, "mma.sync.aligned.m8n8k4.%s.%s.%s ", a_row ? "row" : "col",
		 b_row ? "row" : "col", halves ? "f16.f16.f16.f16" : "f32.f16.f16.f32");
	list(&t, halves ? "%d" : "%fd", halves ? 4 : 8);
	text_add(&t, ", {%%a0, %%a1}, {%%b0, %%b1}, ");
	list(&t, halves ? "%c" : "%fc", halves ? 4 : 8);
	text_add(&t, ";\n");
	for (unsigned int i = 0; i < 8 && !halves; i++)
		text_add(&t,
			 "{ .reg .b16 %%h; cvt.rn.f16.f32 %%h, %%fd%u;\n"
			 "st.global.b16 [%%out+%u], %%h; }\n",
			 i, 2 * i);
	if (halves)
		text_add(&t, "st.global.v4.b32 [%%out], {%%d0, %%d1, %%d2, %%d3};\n");
	text_add(&t, "ret;\n}\n");
	memset(out, 0x55, sizeof(out));
	ptx_launch(ptx_load(t.text, 0), "k", 32, in, sizeof(in), out, sizeof(out));
	text_free(&t);
	for (unsigned int lane = 0; lane < 32; lane++)
		for (unsigned int i = 0; i < 8; i++) {
			unsigned int q = lane % 16 / 4, h = lane < 16 ? 0 : 4, x = lane % 4;
			unsigned int row = halves ? x + h : (lane & 1) + (i & 2) + h;
			unsigned int col = halves ? i : (i & 4) + (lane & 2) + (i & 1);
			int want = halves ? c[q][row][col] : 0;

			for (unsigned int k = 0; k < 4; k++)
				want += a[q][row][k] * b[q][k][col];
			assert_int_equal(value_of(HALF, &out[lane][i]), want);
		}
}

static void quads(void **state)
{
	(void)state;
	ptx_begin();
	for (unsigned int i = 0; i < 8; i++)
		quad_pairs(i & 1, i & 2, i & 4);
	ptx_end();
}

#define REFUSED(body, why) ptx_refused(OPEN body "ret;\n}\n", why)

static void refused_matrices(void **state)
{
	(void)state;
	REFUSED("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%a0,%a1}, [%in], %s;\n",
		"8 registers");
	REFUSED("wmma.load.a.sync.aligned.m16n16k16.f16 {%a0}, [%in], %s;\n", ".row or .col");
	REFUSED("wmma.load.a.sync.aligned.row.m16n16k8.f16 {%a0}, [%in], %s;\n", "type and shape");
	REFUSED("wmma.load.a.sync.aligned.row.m16n8k16.f16 {%a0}, [%in], %s;\n", "shape");
	REFUSED("wmma.load.a.sync.row.m16n16k16.f16 {%a0}, [%in], %s;\n", ".sync.aligned");
	REFUSED("wmma.load.a.sync.aligned.row.m16n16k16.local.f16 {%a0}, [%q], %s;\n",
		"global or shared");
	REFUSED("wmma.load.d.sync.aligned.row.m16n16k16.f16 {%a0}, [%in], %s;\n", ".load of .a");
	REFUSED("wmma.store.d.sync.aligned.row.m16n16k16.f32 [%in], {%a0}, %s;\n", "8 registers");
	REFUSED("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%a0}, {%a0}, {%a0};\n",
		"D, A, B and C");
	REFUSED("wmma.mma.sync.aligned.row.col.m16n16k16.f32.s8.u8.s32 "
		"{%a0}, {%a0}, {%a0}, {%a0};\n",
		"go with the shape");
	REFUSED("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite "
		"{%a0}, {%a0}, {%a0}, {%a0};\n",
		".satfinite");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products),
		cmocka_unit_test(saturation),
		cmocka_unit_test(quads),
		cmocka_unit_test(refused_matrices),
	};

	return cmocka_run_group_tests_name("wmma", tests, NULL, NULL);
}
