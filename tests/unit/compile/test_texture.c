// SPDX-License-Identifier: MIT
/*
 * Instructions of textures and surfaces, run on the embedded device: values computed by hand from
 * the formulas of the CUDA programming guide ("Texture Fetching"), for calls that are shared and
 * inlined, under guards and in branches; and what is refused.
 */
#include "ptx_run.h"
#include "textures/object.h"
#include "vgpu_runtime.h"

#define OK(call) assert_int_equal((call), vgpuSuccess)

/* k(in, out): thread t has 8 words at in: the handle, x, y, z, layer, lod; 4 words go to out. */
#define KERNEL(body) PTX_HEAD \
	".visible .entry k(.param .u64 in, .param .u64 out) {\n" \
	".reg .b64 %h<4>;\n.reg .b32 %t<4>;\n.reg .b32 %w<5>;\n.reg .b32 %i<6>;\n" \
	".reg .f32 %f<6>;\n.reg .pred %p<3>;\n.reg .b16 %s<3>;\n" \
	"mov.u32 %t0, %tid.x; ld.param.u64 %h1, [in]; ld.param.u64 %h2, [out];\n" \
	"mad.wide.u32 %h1, %t0, 32, %h1; mad.wide.u32 %h2, %t0, 16, %h2;\n" \
	"ld.u64 %h0, [%h1];\n" \
	"ld.f32 %f0, [%h1+8]; ld.f32 %f1, [%h1+12]; ld.f32 %f2, [%h1+16];\n" \
	"ld.u32 %i0, [%h1+8]; ld.u32 %i1, [%h1+12]; ld.u32 %i2, [%h1+16];\n" \
	"ld.u32 %i3, [%h1+20]; ld.f32 %f3, [%h1+24];\n" \
	"mov.u32 %w0, 7; mov.u32 %w1, 7; mov.u32 %w2, 7; mov.u32 %w3, 7;\n" \
	body "\nst.v4.u32 [%h2], {%w0, %w1, %w2, %w3};\nret;\n}\n"

#define FOUR	"{%w0, %w1, %w2, %w3}"

union number {
	float f;
	uint32_t u;
	int32_t i;
};

struct fetch {
	uint64_t handle;
	union number at[3];
	uint32_t layer;
	float lod;
	uint32_t unused;
};

static uint32_t bits(float value)
{
	return (union number){ .f = value }.u;
}

static float number(uint32_t value)
{
	return (union number){ .u = value }.f;
}

static struct rt_array *new_array(struct rt_format format, size_t w, size_t h, size_t d,
				  unsigned int flags, const void *texels)
{
	struct rt_array_shape shape = {
		.format = format, .width = w, .height = h, .depth = d, .flags = flags, .levels = 1,
	};
	struct rt_box box = { .width = w * rt_format_texel(&format), .height = h ? h : 1,
			      .depth = d ? d : 1 };
	struct rt_place place, from = { .at = (char *)(uintptr_t)texels };
	struct rt_array *array;

	OK(rt_array_create(&shape, false, &array));
	OK(rt_array_place(array, &box, &place));
	from.pitch = box.width;
	from.plane = from.pitch * box.height;
	OK(rt_copy_places(&place, &from, box.width, box.height, box.depth, vgpuMemcpyHostToDevice,
			  NULL, true));
	return array;
}

static const struct rt_format floats = { 1, 4, VGPU_TEXTURE_FLOAT };
static const struct rt_format bytes4 = { 4, 1, VGPU_TEXTURE_SIGNED };

static uint64_t new_texture(struct rt_array *array, unsigned int mode, bool linear, bool unit)
{
	struct rt_source source = { .kind = RT_SOURCE_ARRAY, .array = array };
	struct rt_sampling sampling = {
		.address = { mode, mode, mode }, .linear = linear, .unit = unit,
		.border = { 100, 0, 0, 0 },
	};
	struct rt_view whole = { .whole = true };
	uint64_t handle;

	OK(rt_texture_create(&source, &sampling, &whole, &handle));
	return handle;
}

/* As many fetches as there are, with as many registers as @regs. */
static void run(const char *ptx, uint32_t regs, const struct fetch *fetches, unsigned int count,
		uint32_t out[][4])
{
	ptx_launch(ptx_load(ptx, regs), "k", count, fetches, count * sizeof(*fetches), out,
		   count * sizeof(*out));
}

/* ---- one direction -------------------------------------------------------- */

/*
 * T = 10 20 40 80. x = 1.25: i = floor(0.75) = 0, a = 0.75, 0.25 * 10 + 0.75 * 20 = 17.5. The
 * weight has 8 bits: 0.5 + 3/512 is i = 0, a = 1.5/256, which is 2/256 (to the even one).
 */
static void filters_by_hand(void **state)
{
	static const float texels[] = { 10, 20, 40, 80 };
	static const struct {
		unsigned int mode;
		bool linear, unit;
		float x, want;
	} rows[] = {
		{ VGPU_TEXTURE_CLAMP, true, false, 1.25f, 17.5f },
		{ VGPU_TEXTURE_CLAMP, true, false, 0.5f, 10 },
		{ VGPU_TEXTURE_CLAMP, true, false, 2.0f, 30 },
		{ VGPU_TEXTURE_CLAMP, true, false, 0.25f, 10 },
		{ VGPU_TEXTURE_CLAMP, true, false, -3.0f, 10 },
		{ VGPU_TEXTURE_CLAMP, true, false, 3.75f, 80 },
		{ VGPU_TEXTURE_CLAMP, true, false, 1e30f, 80 },
		{ VGPU_TEXTURE_CLAMP, true, false, 0.5f + 1.0f / 512, 10 },
		{ VGPU_TEXTURE_CLAMP, true, false, 0.5f + 3.0f / 512, 10.078125f },
		{ VGPU_TEXTURE_CLAMP, true, false, 1.5f - 1.0f / 1024, 20 },
		{ VGPU_TEXTURE_CLAMP, false, false, 1.99f, 20 },
		{ VGPU_TEXTURE_CLAMP, false, false, 2.0f, 40 },
		{ VGPU_TEXTURE_CLAMP, false, false, -0.01f, 10 },
		{ VGPU_TEXTURE_CLAMP, false, false, 4.0f, 80 },
		/* texel -1 is the border: 0.75 * 100 + 0.25 * 10 */
		{ VGPU_TEXTURE_OUTSIDE, true, false, -0.25f, 77.5f },
		{ VGPU_TEXTURE_OUTSIDE, false, false, -0.25f, 100 },
		{ VGPU_TEXTURE_OUTSIDE, false, false, 4.0f, 100 },
		{ VGPU_TEXTURE_OUTSIDE, true, false, 9.0f, 100 },
		/* 1.3125 is 0.3125, texel 1.25; -0.0625 is 0.9375, texel 3.75 */
		{ VGPU_TEXTURE_WRAP, false, true, 1.3125f, 20 },
		{ VGPU_TEXTURE_WRAP, false, true, -0.0625f, 80 },
		/* 4 * 0.9375 = 3.75: i = 3, a = 0.25, and the next is texel 0 */
		{ VGPU_TEXTURE_WRAP, true, true, 0.9375f, 62.5f },
		{ VGPU_TEXTURE_WRAP, true, true, 0.0625f, 27.5f },
		/* 1.0625 is 1 - 0.0625, texel 3; -0.3125 is 0.3125 */
		{ VGPU_TEXTURE_MIRROR, false, true, 1.0625f, 80 },
		{ VGPU_TEXTURE_MIRROR, false, true, -0.3125f, 20 },
		{ VGPU_TEXTURE_MIRROR, true, true, 0.0f, 10 },
		{ VGPU_TEXTURE_MIRROR, true, true, 1.0f, 80 },
		{ VGPU_TEXTURE_MIRROR, true, true, 1.5f, 30 },
		/* in texels they are clamped, as the guide says */
		{ VGPU_TEXTURE_WRAP, false, false, 5.0f, 80 },
		{ VGPU_TEXTURE_MIRROR, false, false, -5.0f, 10 },
	};
	enum { ROWS = sizeof(rows) / sizeof(*rows) };
	struct fetch fetches[ROWS] = { { 0 } };
	uint32_t out[ROWS][4];
	struct rt_array *array;

	(void)state;
	ptx_begin();
	array = new_array(floats, 4, 0, 0, 0, texels);
	for (unsigned int n = 0; n < ROWS; n++) {
		fetches[n].handle =
			new_texture(array, rows[n].mode, rows[n].linear, rows[n].unit);
		fetches[n].at[0].f = rows[n].x;
	}
	run(KERNEL("tex.1d.v4.f32.f32 " FOUR ", [%h0, {%f0}];"), 0, fetches, ROWS, out);
	for (unsigned int n = 0; n < ROWS; n++)
		if (number(out[n][0]) != rows[n].want)
			fail_msg("row %u: %g, expected %g", n, (double)number(out[n][0]),
				 (double)rows[n].want);
	OK(rt_array_free(array, false));
	ptx_end();
}

/* ---- the same in all ways of calling --------------------------------------- */

/* Two fetches, one under a guard, one in a branch that half of the lanes take. */
#define BODY_2D \
	"and.b32 %t1, %t0, 1; setp.eq.u32 %p0, %t1, 0;\n" \
	"and.b32 %t2, %t0, 2; setp.eq.u32 %p1, %t2, 0;\n" \
	"@%p0 tex.2d.v4.s32.f32 " FOUR ", [%h0, {%f0, %f1}];\n" \
	"@%p1 bra over;\n" \
	"tex.2d.v4.u32.f32 {%i0, _, _, %i1}, [%h0, {%f1, %f0}];\n" \
	"add.u32 %w0, %w0, %i0; add.u32 %w3, %w3, %i1;\nover:"

static void calls_give_the_same(void **state)
{
	static const uint32_t registers[] = { 0, 128, 64, 32, 24 };
	enum { THREADS = 70, N = 4 };
	struct fetch fetches[THREADS] = { { 0 } };
	uint32_t out[THREADS][4];
	struct rt_array *array;
	int8_t texels[N * N][4];
	uint64_t handle;

	(void)state;
	for (int i = 0; i < N * N; i++)
		for (int c = 0; c < 4; c++)
			texels[i][c] = (int8_t)(i * 4 + c - 30);
	for (unsigned int r = 0; r < sizeof(registers) / sizeof(*registers); r++) {
		ptx_begin();
		array = new_array(bytes4, N, N, 0, 0, texels);
		handle = new_texture(array, VGPU_TEXTURE_CLAMP, false, false);
		for (unsigned int t = 0; t < THREADS; t++) {
			fetches[t].handle = handle;
			fetches[t].at[0].f = (float)(t % N);
			fetches[t].at[1].f = (float)(t / N % N);
		}
		run(KERNEL(BODY_2D), registers[r], fetches, THREADS, out);
		for (unsigned int t = 0; t < THREADS; t++) {
			unsigned int one = t / N % N * N + t % N, two = t % N * N + t / N % N;

			for (unsigned int c = 0; c < 4; c++) {
				int want = t % 2 ? 7 : texels[one][c];

				if (t & 2 && (c == 0 || c == 3))
					want += texels[two][c];
				assert_int_equal((int32_t)out[t][c], want);
			}
		}
		OK(rt_array_free(array, false));
		ptx_end();
	}
}

static void calls_share_the_code(void **state)
{
	struct text one = { 0 }, many = { 0 };
	struct vgpu_program *first, *second;

	(void)state;
	text_add(&one, "%s", KERNEL("tex.2d.v4.u32.f32 " FOUR ", [%h0, {%f0, %f1}];"));
	text_add(&many, PTX_HEAD ".visible .entry k(.param .u64 in) {\n.reg .b64 %%h; .reg .f32 "
		 "%%f; .reg .b32 %%w<5>; ld.param.u64 %%h, [in]; mov.f32 %%f, 0f00000000;\n");
	for (unsigned int n = 0; n < 100; n++)
		text_add(&many, "tex.2d.v4.u32.f32 {%%w0, %%w1, %%w2, %%w3}, [%%h, {%%f, %%f}];\n"
				"st.v4.u32 [%%h], {%%w0, %%w1, %%w2, %%w3};\n");
	text_add(&many, "ret;\n}\n");
	first = ptx_compile(one.text, 0);
	second = ptx_compile(many.text, 0);
	assert_true(second->kernels[0].vass.code_count <
		    first->kernels[0].vass.code_count + 100 * 20);
	assert_int_equal(second->data_bytes, 0);
	assert_int_equal(second->symbol_count, 0);
	vgpu_program_free(first);
	vgpu_program_free(second);
	text_free(&one);
	text_free(&many);
}

/* ---- the other instructions ------------------------------------------------ */

/* T[z][y][x] = 100 z + 10 y + x, 4 by 3 by 2. */
static void other_geometries(void **state)
{
	static const struct {
		const char *body;
		unsigned int flags;
		union number at[3];
		uint32_t layer;
		float want;
	} rows[] = {
		{ "tex.3d.v4.f32.f32 " FOUR ", [%h0, {%f0, %f1, %f2, %f2}];", 0,
		  { { .f = 1.5f }, { .f = 2.5f }, { .f = 1.0f } }, 0, 71 },
		{ "tex.a2d.v4.f32.f32 " FOUR ", [%h0, {%i3, %f0, %f1, %f1}];", 1,
		  { { .f = 3.5f }, { .f = 0.5f } }, 1, 103 },
		{ "tex.a2d.v4.f32.f32 " FOUR ", [%h0, {%i3, %f0, %f1, %f1}];", 1,
		  { { .f = 3.5f }, { .f = 0.5f } }, 7, 103 },
		{ "tex.2d.v4.f32.s32 " FOUR ", [%h0, {%i0, %i1}];", 0,
		  { { .i = 2 }, { .i = 1 } }, 0, 12 },
		{ "tex.level.2d.v4.f32.f32 " FOUR ", [%h0, {%f0, %f1}], %f3;", 0,
		  { { .f = 2.5f }, { .f = 1.5f } }, 0, 12 },
		{ "tex.1d.v4.f32.s32 " FOUR ", [%h0, {%i0}];", 0, { { .i = 3 } }, 0, 3 },
		{ "tex.1d.v4.f32.s32 " FOUR ", [%h0, {%i0}];", 0, { { .i = 4 } }, 0, 100 },
		{ "tex.1d.v4.f32.s32 " FOUR ", [%h0, {%i0}];", 0, { { .i = -1 } }, 0, 100 },
		{ "tld4.r.2d.v4.f32.f32 " FOUR ", [%h0, {%f0, %f1}];", 0,
		  { { .f = 1.0f }, { .f = 1.0f } }, 0, 10 },
		{ "txq.width.b32 %w0, [%h0]; cvt.rn.f32.u32 %f5, %w0; mov.b32 %w0, %f5;", 0,
		  { { 0 } }, 0, 4 },
		{ "txq.height.b32 %w0, [%h0]; cvt.rn.f32.u32 %f5, %w0; mov.b32 %w0, %f5;", 0,
		  { { 0 } }, 0, 3 },
		{ "txq.array_size.b32 %w0, [%h0]; cvt.rn.f32.u32 %f5, %w0; mov.b32 %w0, %f5;", 1,
		  { { 0 } }, 0, 2 },
	};
	const char *whole = KERNEL("@@"), *body = strstr(whole, "@@");
	float texels[2 * 3 * 4];

	(void)state;
	for (int i = 0; i < 24; i++)
		texels[i] = (float)(i / 12 * 100 + i / 4 % 3 * 10 + i % 4);
	for (unsigned int n = 0; n < sizeof(rows) / sizeof(*rows); n++) {
		struct fetch fetch = { .layer = rows[n].layer };
		struct text ptx = { 0 };
		struct rt_array *array;
		uint32_t out[1][4];

		ptx_begin();
		array = new_array(floats, 4, 3, 2, rows[n].flags, texels);
		memcpy(fetch.at, rows[n].at, sizeof(fetch.at));
		fetch.handle = new_texture(array, VGPU_TEXTURE_CLAMP, true, false);
		text_add(&ptx, "%.*s%s%s", (int)(body - whole), whole, rows[n].body, body + 2);
		run(ptx.text, 0, &fetch, 1, out);
		if (number(out[0][0]) != rows[n].want)
			fail_msg("%s: %g, expected %g", rows[n].body, (double)number(out[0][0]),
				 (double)rows[n].want);
		text_free(&ptx);
		OK(rt_array_free(array, false));
		ptx_end();
	}
}

static void surfaces(void **state)
{
	static const char ptx[] = KERNEL(
		"suld.b.2d.b32.zero %w0, [%h0, {%i0, %i1}];\n"
		"suld.b.2d.v2.b16.clamp {%s0, %s1}, [%h0, {%i0, %i1}];\n"
		"cvt.u32.u16 %w1, %s0; cvt.u32.u16 %w2, %s1; bar.sync 0;\n"
		"setp.eq.u32 %p0, %t0, 0; mov.u32 %i4, 4;\n"
		"@%p0 sust.b.2d.b32.zero [%h0, {%i4, %i1}], %w0;");
	struct fetch fetches[4] = { { 0 } };
	uint32_t texels[2][2] = { { 0x11111111, 0x22222222 }, { 0x33333333, 0x44444444 } };
	struct rt_source source = { .kind = RT_SOURCE_ARRAY };
	uint32_t out[4][4], again[1][4];

	(void)state;
	ptx_begin();
	source.array = new_array((struct rt_format){ 1, 4, VGPU_TEXTURE_UNSIGNED }, 2, 2, 0,
				 RT_ARRAY_SURFACE, texels);
	OK(rt_surface_create(&source, &fetches[0].handle));
	for (int n = 0; n < 4; n++) {
		fetches[n].handle = fetches[0].handle;
		fetches[n].at[0].i = n == 3 ? -4 : n == 2 ? 8 : 0;
		fetches[n].at[1].i = n == 1 ? 2 : 0;
	}
	run(ptx, 0, fetches, 4, out);
	assert_int_equal(out[0][0], 0x11111111);
	assert_int_equal(out[1][0], 0);
	assert_int_equal(out[2][0], 0);
	assert_int_equal(out[3][0], 0);
	assert_int_equal(out[0][1], 0x1111);
	assert_int_equal(out[1][1], 0x3333);
	assert_int_equal(out[2][2], 0x2222);
	assert_int_equal(out[3][2], 0x1111);
	/* what the first thread has written */
	fetches[0].at[0].i = 4;
	run(KERNEL("suld.b.2d.b32.trap %w0, [%h0, {%i0, %i1}];"), 0, fetches, 1, again);
	assert_int_equal(again[0][0], 0x11111111);
	ptx_end();
}

/* A variable has the handle: it is loaded where the variable is named. */
static void references(void **state)
{
	static const char ptx[] = PTX_HEAD
		".visible .global .texref t;\n"
		".visible .entry k(.param .u64 in, .param .u64 out) {\n"
		".reg .b64 %h<3>; .reg .b32 %w<9>;\n"
		"ld.param.u64 %h1, [out]; mov.u32 %w8, 2;\n"
		"tex.1d.v4.u32.s32 {%w0, %w1, %w2, %w3}, [t, {%w8}];\n"
		"mov.u64 %h2, t;\n"
		"tex.1d.v4.u32.s32 {%w4, %w5, %w6, %w7}, [%h2, {1}];\n"
		"st.v2.u32 [%h1], {%w0, %w4}; ret;\n}\n";
	static const float texels[] = { 10, 20, 40, 80 };
	struct vgpuModule *module;
	struct rt_array *array;
	uint32_t out[2] = { 0 };
	uint64_t handle;
	size_t size;
	void *where;

	(void)state;
	ptx_begin();
	array = new_array(floats, 4, 0, 0, 0, texels);
	handle = new_texture(array, VGPU_TEXTURE_CLAMP, false, false);
	module = ptx_load(ptx, 0);
	OK(vgpuModuleGetGlobal(&where, &size, module, "t"));
	assert_int_equal(size, 8);
	OK(vgpuMemcpy(where, &handle, 8, vgpuMemcpyHostToDevice));
	ptx_launch(module, "k", 1, out, sizeof(out), out, sizeof(out));
	assert_int_equal(out[0], bits(40));
	assert_int_equal(out[1], bits(20));
	ptx_end();
}

static void refusals(void **state)
{
	(void)state;
	ptx_refused(KERNEL("tex.2d.v4.f32.f32 " FOUR ", [nothing, {%f0, %f1}];"),
		    "`nothing' is not declared");
	ptx_refused(KERNEL("tex.2d.v4.f32.f32 " FOUR ", [%h0, {%f0}];"),
		    "1 coordinates where 2 are wanted");
	ptx_refused(KERNEL("tex.v4.f32.f32 " FOUR ", [%h0, {%f0}];"), "geometry");
	ptx_refused(KERNEL("tex.2d.v4.f32.f32 " FOUR ", [%h0, %h1, {%f0, %f1}];"), "sampler");
	ptx_refused(KERNEL("tex.2d.v4.f32.f32 " FOUR ", [%h0, {%f0, %f1}], {%i0, %i1};"),
		    "offsets");
	ptx_refused(KERNEL("tex.2d.v4.f16.f32 " FOUR ", [%h0, {%f0, %f1}];"), ".f16");
	ptx_refused(KERNEL("tex.2d.v4.f32.f32 " FOUR ", [%t0, {%f0, %f1}];"), "too narrow");
	ptx_refused(KERNEL("tld4.2d.v4.f32.f32 " FOUR ", [%h0, {%f0, %f1}];"), "channel");
	ptx_refused(KERNEL("tld4.r.3d.v4.f32.f32 " FOUR ", [%h0, {%f0, %f1, %f2, %f2}];"),
		    "geometry");
	ptx_refused(KERNEL("suld.b.2d.b32 %w0, [%h0, {%i0, %i1}];"), "outside");
	ptx_refused(KERNEL("sust.p.2d.b16.trap [%h0, {%i0, %i1}], %s0;"), "is of .b32");
	ptx_refused(KERNEL("sust.p.2d.v2.b32.trap [%h0, {%i0, %i1}], {%w0};"), "2 registers");
	ptx_refused(KERNEL("suld.b.2d.v4.b64.trap {%h1, %h1, %h1, %h1}, [%h0, {%i0, %i1}];"),
		    "more than 16 bytes");
	ptx_refused(KERNEL("txq.b32 %w0, [%h0];"), "a query");
	ptx_refused(KERNEL("ld.global.u32 %w0, [%h0, {%i0}];"), "coordinates");
	ptx_refused(PTX_HEAD ".global .u64 v;\n.entry k() { .reg .b32 %w<4>; .reg .f32 %f;\n"
		    "tex.1d.v4.u32.f32 {%w0, %w1, %w2, %w3}, [v, {%f}]; ret; }", "no .texref");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters_by_hand),
		cmocka_unit_test(calls_give_the_same),
		cmocka_unit_test(calls_share_the_code),
		cmocka_unit_test(other_geometries),
		cmocka_unit_test(surfaces),
		cmocka_unit_test(references),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
