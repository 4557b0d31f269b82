// SPDX-License-Identifier: MIT
/*
 * mma of numbers of 4 bits and of single bits, and mma.sp, the product of a sparse matrix. A host's
 * triple loop over the whole matrices says what D is; all numbers are whole and small, so that
 * sums of floats are exact. Where elements are in registers, and where the metadata is in lanes,
 * is written down here as the figures of the PTX ISA have it, not by the compiler's rules.
 */
#include <limits.h>

#include "ptx_run.h"

#define OPEN                                                                               \
	".version 8.7\n.target sm_90\n.address_size 64\n"                                  \
	".visible .entry k(.param .u64 p_in, .param .u64 p_out)\n{\n"                      \
	".reg .u64 %in, %out;\n.reg .b32 %a<4>, %b<4>, %c<4>, %m, %t;\n"                   \
	"ld.param.u64 %in, [p_in];\nld.param.u64 %out, [p_out];\nmov.u32 %t, %tid.x;\n"    \
	"mad.wide.u32 %in, %t, 52, %in;\nmad.wide.u32 %out, %t, 16, %out;\n"
#define CLOSE "ret;\n}\n"

enum format { HALF, BRAIN, TF32, E4M3, E5M2, S8, U8, S4, U4, B1 };

static const unsigned int format_bits[] = {16, 16, 32, 8, 8, 8, 8, 4, 4, 1};

enum product { TIMES, AND, XOR, SATURATED };

struct shape {
	const char *text; /* the instruction's modifiers */
	unsigned int m, k;
	enum format a, b;
	enum product product;
	bool halves; /* C and D are .f16 */
	unsigned int selectors; /* how many there are: A is sparse; 0: it is not */
};

/* What a lane has in memory: A, B, C, metadata. */
struct lane {
	uint32_t a[4], b[4], c[4], metadata;
};

struct matrices {
	int a[16][256], b[256][8], c[16][8];
	int stored[16][128]; /* what is there of a sparse A, in order */
	uint32_t metadata[16][2]; /* of a row, from the lowest bits on */
};

/* Bits of a whole number: of floats |value| <= 8, or of halves <= 2048. */
static uint32_t bits_of(enum format format, int value)
{
	unsigned int fraction = format == HALF ? 10 : format == E4M3 ? 3 : 2;
	uint32_t single, magnitude = (uint32_t)abs(value), exponent = 0;
	float f = (float)value;

	memcpy(&single, &f, 4);
	if (format == TF32)
		return single;
	if (format == BRAIN)
		return single >> 16;
	if (format >= S8)
		return (uint32_t)value & ((1u << format_bits[format]) - 1);
	if (!value)
		return 0;
	while (magnitude >> (exponent + 1))
		exponent++;
	exponent += format == E4M3 ? 7 : 15;
	magnitude = (uint32_t)((uint64_t)magnitude << fraction >>
			       (exponent - (format == E4M3 ? 7 : 15)));
	return (value < 0 ? 1u << (format_bits[format] - 1) : 0) | exponent << fraction |
	       (magnitude & ((1u << fraction) - 1));
}

static int random_of(enum format format, uint64_t *random)
{
	switch (format) {
	case S4:
		return (int)(ptx_random(random) % 16) - 8;
	case U4:
		return (int)(ptx_random(random) % 16);
	case S8:
		return (int)(ptx_random(random) % 256) - 128;
	case U8:
		return (int)(ptx_random(random) % 256);
	case B1:
		return (int)(ptx_random(random) % 2);
	default:
		return (int)(ptx_random(random) % 9) - 4;
	}
}

/* Row and column of element i of A in a lane. @k is that of a matrix that is not sparse. */
static void place_a(unsigned int m, unsigned int k, unsigned int bits, unsigned int lane,
		    unsigned int i, unsigned int *row, unsigned int *col)
{
	unsigned int group = lane >> 2, in_group = lane % 4, e = 32 / bits;

	switch (bits) {
	case 32: /* m16n8k4, m16n8k8 */
		*row = i == 0 || i == 2 ? group : group + 8;
		*col = i < 2 ? in_group : in_group + 4;
		break;
	case 16: /* m16n8k8, m16n8k16 */
		*row = i < 2 || (i >= 4 && i < 6) ? group : group + 8;
		*col = i < 4 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8;
		break;
	case 8: /* m16n8k16, m16n8k32 */
		*row = i < 4 || (i >= 8 && i < 12) ? group : group + 8;
		*col = i < 8 ? in_group * 4 + (i & 3) : in_group * 4 + (i & 3) + 16;
		break;
	case 4: /* m8n8k32, m16n8k32, m16n8k64 */
		*row = i < 8 || (i >= 16 && i < 24) ? group : group + 8;
		*col = i < 16 ? in_group * 8 + (i & 7) : in_group * 8 + (i & 7) + 32;
		break;
	default: /* m8n8k128, m16n8k128, m16n8k256 */
		*row = i < 32 || (i >= 64 && i < 96) ? group : group + 8;
		*col = i < 64 ? in_group * 32 + (i & 31) : in_group * 32 + (i & 31) + 128;
		break;
	}
	assert_true(*row < m && *col < k && i < m * k / 32 && e);
}

static void place_b(unsigned int bits, unsigned int lane, unsigned int i, unsigned int *row,
		    unsigned int *col)
{
	unsigned int e = 32 / bits; /* beside each other; then four lanes further */

	*col = lane >> 2;
	*row = lane % 4 * e + i % e + i / e * 4 * e;
}

/* ---- sparse matrices: which elements of A are there -------------------------- */

/* Two of four neighbours, by their numbers: chunk number @chunk of @row of A. */
static uint32_t choose(struct matrices *all, const struct shape *shape, unsigned int row,
		       unsigned int chunk, uint64_t *random)
{
	unsigned int unit = format_bits[shape->a] == 4 ? 2 : 1;
	unsigned int first = (unsigned int)(ptx_random(random) % 3);
	unsigned int second = first + 1 + (unsigned int)(ptx_random(random) % (3 - first));

	for (unsigned int n = 0; n < 4; n++) {
		for (unsigned int i = 0; i < unit; i++) {
			int *value = &all->a[row][(4 * chunk + n) * unit + i];

			if (n == first || n == second)
				all->stored[row][(2 * chunk + (n == second)) * unit + i] = *value;
			else
				*value = 0;
		}
	}
	return first | second << 2;
}

/* One of two, of .tf32. */
static uint32_t choose_one(struct matrices *all, unsigned int row, unsigned int chunk,
			   uint64_t *random)
{
	unsigned int which = (unsigned int)(ptx_random(random) % 2);

	all->stored[row][chunk] = all->a[row][2 * chunk + which];
	all->a[row][2 * chunk + !which] = 0;
	return which ? 0xe : 0x4;
}

static void make_sparse(struct matrices *all, const struct shape *shape, uint64_t *random)
{
	unsigned int bits = format_bits[shape->a];
	unsigned int chunks = shape->k / (bits == 32 ? 2 : bits == 4 ? 8 : 4);

	for (unsigned int row = 0; row < 16; row++)
		for (unsigned int chunk = 0; chunk < chunks; chunk++)
			all->metadata[row][chunk / 8] |=
				(bits == 32 ? choose_one(all, row, chunk, random)
					    : choose(all, shape, row, chunk, random))
				<< chunk % 8 * 4;
}

/* What lane @lane brings of the metadata; what nobody looks at is not zero. */
static uint32_t metadata_of(const struct matrices *all, const struct shape *shape,
			    unsigned int lane, unsigned int selector)
{
	unsigned int group = lane >> 2, in_group = lane % 4, half;
	const uint32_t(*of)[2] = all->metadata;

	if (shape->selectors == 4) /* one lane: 16 bits of both rows */
		return in_group == selector ? (of[group][0] & 0xffff) | of[group + 8][0] << 16
					    : 0xa5a5a5a5;
	if (shape->selectors == 2 && in_group / 2 != selector)
		return 0x5a5a5a5a;
	half = in_group % 2;
	if (shape->selectors == 2 && format_bits[shape->a] >= 16)
		return (of[group][0] >> 16 * half & 0xffff) |
		       (of[group + 8][0] >> 16 * half & 0xffff) << 16;
	if (shape->selectors == 2)
		return of[group + 8 * half][0];
	return of[group + 8 * half][in_group / 2];
}

/* ---- one product ------------------------------------------------------------- */

static int64_t expected_of(const struct matrices *all, const struct shape *shape, unsigned int i,
			   unsigned int j)
{
	int64_t sum = all->c[i][j];

	for (unsigned int k = 0; k < shape->k; k++) {
		int a = all->a[i][k], b = all->b[k][j];

		sum += shape->product == AND ? a & b : shape->product == XOR ? a ^ b : a * b;
	}
	if (shape->product == SATURATED)
		return sum > INT_MAX ? INT_MAX : sum < INT_MIN ? INT_MIN : sum;
	return shape->a >= S8 ? (int32_t)sum : sum;
}

static void fill_matrices(struct matrices *all, const struct shape *shape)
{
	static const int ends[] = {INT_MAX - 5, INT_MIN + 5, 3, -100};
	uint64_t random = shape->k + 1000 * shape->a;

	memset(all, 0, sizeof(*all));
	for (unsigned int i = 0; i < shape->m; i++)
		for (unsigned int k = 0; k < shape->k; k++)
			all->a[i][k] = random_of(shape->a, &random);
	for (unsigned int k = 0; k < shape->k; k++)
		for (unsigned int j = 0; j < 8; j++)
			all->b[k][j] = random_of(shape->b, &random);
	for (unsigned int i = 0; i < shape->m; i++)
		for (unsigned int j = 0; j < 8; j++)
			all->c[i][j] = shape->a >= S8 ? ends[(i + j) % 4] : (int)(i * 8 + j) - 50;
	if (shape->selectors)
		make_sparse(all, shape, &random);
}

static void fill_lane(struct lane *in, const struct matrices *all, const struct shape *shape,
		      unsigned int lane)
{
	unsigned int bits = format_bits[shape->a], e = 32 / bits, row, col;
	unsigned int k = shape->selectors ? shape->k / 2 : shape->k;

	for (unsigned int i = 0; i < shape->m * k / 32; i++) {
		place_a(shape->m, k, bits, lane, i, &row, &col);
		in->a[i / e] |= bits_of(shape->a, shape->selectors ? all->stored[row][col]
								   : all->a[row][col])
				<< i % e * bits;
	}
	for (unsigned int i = 0; i < shape->k / 4; i++) {
		place_b(bits, lane, i, &row, &col);
		in->b[i / e] |= bits_of(shape->b, all->b[row][col]) << i % e * bits;
	}
	for (unsigned int i = 0; i < shape->m / 4; i++) {
		int c = all->c[i < 2 ? lane >> 2 : (lane >> 2) + 8][lane % 4 * 2 + (i & 1)];
		float f = (float)c;

		if (shape->halves)
			in->c[i / 2] |= bits_of(HALF, c) << i % 2 * 16;
		else if (shape->a >= S8)
			in->c[i] = (uint32_t)c;
		else
			memcpy(&in->c[i], &f, 4);
	}
}

static const char *registers(char *text, size_t size, char name, unsigned int count)
{
	size_t at = 0;

	for (unsigned int i = 0; i < count; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%%%c%u", i ? ", " : "{", name, i);
	snprintf(text + at, size - at, "}");
	return text;
}

static void write_kernel(struct text *t, const struct shape *shape, unsigned int selector)
{
	unsigned int e = 32 / format_bits[shape->a];
	unsigned int words_a = shape->m * shape->k / 32 / e / (shape->selectors ? 2 : 1);
	unsigned int words_b = shape->k / 4 / e, words_c = shape->m / (shape->halves ? 8 : 4);
	char a[64], b[64], c[64];

	text_add(t, "%s", OPEN);
	for (unsigned int i = 0; i < 4; i++)
		text_add(t, "ld.global.b32 %%a%u, [%%in+%u];\nld.global.b32 %%b%u, [%%in+%u];\n"
			    "ld.global.b32 %%c%u, [%%in+%u];\n",
			 i, 4 * i, i, 16 + 4 * i, i, 32 + 4 * i);
	text_add(t, "ld.global.b32 %%m, [%%in+48];\n");
	registers(c, sizeof(c), 'c', words_c);
	text_add(t, "mma%s.sync.aligned.%s %s, %s, %s, %s",
		 !shape->selectors ? ""
		 : selector % 2	   ? ".sp::ordered_metadata"
				   : ".sp",
		 shape->text, c, registers(a, sizeof(a), 'a', words_a),
		 registers(b, sizeof(b), 'b', words_b), c);
	if (shape->selectors)
		text_add(t, ", %%m, %u", selector);
	text_add(t, ";\n");
	for (unsigned int i = 0; i < words_c; i++)
		text_add(t, "st.global.b32 [%%out+%u], %%c%u;\n", 4 * i, i);
	text_add(t, CLOSE);
}

static void check_product(const struct shape *shape, unsigned int selector)
{
	static struct matrices all;
	struct lane in[32];
	uint32_t out[32][4] = {{0}}, got, want;
	struct text t = {0};

	fill_matrices(&all, shape);
	memset(in, 0, sizeof(in));
	for (unsigned int lane = 0; lane < 32; lane++) {
		fill_lane(&in[lane], &all, shape, lane);
		in[lane].metadata = metadata_of(&all, shape, lane, selector);
	}
	write_kernel(&t, shape, selector);
	ptx_launch(ptx_load(t.text, 0), "k", 32, in, sizeof(in), out, sizeof(out));
	text_free(&t);
	for (unsigned int lane = 0; lane < 32; lane++) {
		for (unsigned int i = 0; i < shape->m / 4; i++) {
			int64_t value = expected_of(&all, shape,
						    i < 2 ? lane >> 2 : (lane >> 2) + 8,
						    lane % 4 * 2 + (i & 1));
			float f = (float)value;

			got = shape->halves ? out[lane][i / 2] >> i % 2 * 16 & 0xffff
					    : out[lane][i];
			memcpy(&want, &f, 4);
			if (shape->halves || shape->a >= S8)
				want = shape->halves ? bits_of(HALF, (int)value) : (uint32_t)value;
			if (got != want)
				fail_msg("%s, selector %u: lane %u, element %u is 0x%x, not 0x%x",
					 shape->text, selector, lane, i, got, want);
		}
	}
}

static void check_all(const struct shape *shapes, size_t count)
{
	ptx_begin();
	for (size_t i = 0; i < count; i++)
		for (unsigned int s = 0; s < (shapes[i].selectors ? shapes[i].selectors : 1); s++)
			check_product(&shapes[i], s);
	ptx_end();
}

static void products_of_few_bits(void **state)
{
	static const struct shape shapes[] = {
		{"m8n8k32.row.col.s32.s4.s4.s32", 8, 32, S4, S4, TIMES, false, 0},
		{"m8n8k32.row.col.satfinite.s32.u4.s4.s32", 8, 32, U4, S4, SATURATED, false, 0},
		{"m16n8k32.row.col.s32.s4.u4.s32", 16, 32, S4, U4, TIMES, false, 0},
		{"m16n8k64.row.col.s32.u4.u4.s32", 16, 64, U4, U4, TIMES, false, 0},
		{"m16n8k64.row.col.satfinite.s32.s4.s4.s32", 16, 64, S4, S4, SATURATED, false, 0},
		{"m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 8, 128, B1, B1, XOR, false, 0},
		{"m8n8k128.row.col.s32.b1.b1.s32.and.popc", 8, 128, B1, B1, AND, false, 0},
		{"m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 16, 128, B1, B1, XOR, false, 0},
		{"m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 16, 256, B1, B1, XOR, false, 0},
		{"m16n8k256.row.col.s32.b1.b1.s32.and.popc", 16, 256, B1, B1, AND, false, 0},
	};

	(void)state;
	check_all(shapes, sizeof(shapes) / sizeof(*shapes));
}

static void sparse_floats(void **state)
{
	static const struct shape shapes[] = {
		{"m16n8k16.row.col.f32.f16.f16.f32", 16, 16, HALF, HALF, TIMES, false, 4},
		{"m16n8k16.row.col.f16.f16.f16.f16", 16, 16, HALF, HALF, TIMES, true, 4},
		{"m16n8k32.row.col.f32.f16.f16.f32", 16, 32, HALF, HALF, TIMES, false, 2},
		{"m16n8k32.row.col.f16.f16.f16.f16", 16, 32, HALF, HALF, TIMES, true, 2},
		{"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 16, BRAIN, BRAIN, TIMES, false, 4},
		{"m16n8k32.row.col.f32.bf16.bf16.f32", 16, 32, BRAIN, BRAIN, TIMES, false, 2},
		{"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, TF32, TF32, TIMES, false, 4},
		{"m16n8k16.row.col.f32.tf32.tf32.f32", 16, 16, TF32, TF32, TIMES, false, 2},
		{"m16n8k64.row.col.f32.e4m3.e5m2.f32", 16, 64, E4M3, E5M2, TIMES, false, 1},
		{"m16n8k64.row.col.f16.e5m2.e4m3.f16", 16, 64, E5M2, E4M3, TIMES, true, 1},
	};

	(void)state;
	check_all(shapes, sizeof(shapes) / sizeof(*shapes));
}

static void sparse_integers(void **state)
{
	static const struct shape shapes[] = {
		{"m16n8k32.row.col.s32.s8.u8.s32", 16, 32, S8, U8, TIMES, false, 2},
		{"m16n8k64.row.col.s32.u8.s8.s32", 16, 64, U8, S8, TIMES, false, 1},
		{"m16n8k64.row.col.satfinite.s32.s8.s8.s32", 16, 64, S8, S8, SATURATED, false, 1},
		{"m16n8k64.row.col.s32.s4.u4.s32", 16, 64, S4, U4, TIMES, false, 2},
		{"m16n8k128.row.col.s32.u4.s4.s32", 16, 128, U4, S4, TIMES, false, 1},
		{"m16n8k128.row.col.satfinite.s32.s4.s4.s32", 16, 128, S4, S4, SATURATED, false, 1},
	};

	(void)state;
	check_all(shapes, sizeof(shapes) / sizeof(*shapes));
}

#define KERNEL(body)                                                                       \
	OPEN ".reg .f32 %f<4>;\n" body CLOSE

static void refused(void **state)
{
	(void)state;
	ptx_refused(KERNEL("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32 "
			   "{%c0,%c1}, {%a0}, {%b0}, {%c0,%c1};\n"),
		    ".and.popc or .xor.popc is wanted");
	ptx_refused(KERNEL("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32.xor.popc "
			   "{%c0,%c1}, {%a0}, {%b0}, {%c0,%c1};\n"),
		    ".xor and .popc are for .b1");
	ptx_refused(KERNEL("mma.sync.aligned.m8n8k16.row.col.s32.s4.s4.s32 "
			   "{%c0,%c1}, {%a0}, {%b0}, {%c0,%c1};\n"),
		    "this shape are not supported");
	ptx_refused(KERNEL("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
			   "{%f0,%f1,%f2,%f3}, {%a0,%a1}, {%b0,%b1,%b2,%b3}, {%f0,%f1,%f2,%f3}, "
			   "%m, 4;\n"),
		    "selector of this shape is at most 3");
	ptx_refused(KERNEL("mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 "
			   "{%c0,%c1,%c2,%c3}, {%a0,%a1,%a2,%a3}, {%b0,%b1,%b2,%b3}, "
			   "{%c0,%c1,%c2,%c3}, %m, 1;\n"),
		    "selector of this shape is at most 0");
	ptx_refused(KERNEL("mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
			   "{%c0,%c1,%c2,%c3}, {%a0,%a1}, {%b0,%b1}, {%c0,%c1,%c2,%c3}, %m, %t;\n"),
		    "must be a constant");
	ptx_refused(KERNEL("mma.sp.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
			   "{%f0,%f1,%f2,%f3}, {%a0}, {%b0}, {%f0,%f1,%f2,%f3}, %m, 0;\n"),
		    "sparse matrices of these types and this shape");
	ptx_refused(KERNEL("cvt.u32.s4 %c0, %c1;\n"), "s4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_of_few_bits),
		cmocka_unit_test(sparse_floats),
		cmocka_unit_test(sparse_integers),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
