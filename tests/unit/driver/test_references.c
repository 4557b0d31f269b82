// SPDX-License-Identifier: MIT
/*
 * Driver API: texture and surface references of modules. A kernel fetches texel 1 of a row, or
 * between texels, or stores to a surface; what it must give is computed by hand.
 */
#include "drv_rig.h"

#define W 4

static const char ptx[] =
	".version 6.3\n.target sm_70\n.address_size 64\n"
	".global .texref colours;\n.global .surfref board;\n.global .u32 word;\n"
	".visible .entry fetch(.param .u64 out, .param .f32 x) {\n"
	"	.reg .b64 %rd<3>; .reg .f32 %f<8>;\n"
	"	ld.param.u64 %rd1, [out]; ld.param.f32 %f1, [x];\n"
	"	tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [colours, {%f1}];\n"
	"	st.global.f32 [%rd1], %f2; ret;\n}\n"
	".visible .entry index(.param .u64 out, .param .u32 x) {\n"
	"	.reg .b64 %rd<3>; .reg .b32 %r<8>;\n"
	"	ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [x];\n"
	"	tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [colours, {%r1}];\n"
	"	st.global.u32 [%rd1], %r2; ret;\n}\n"
	".visible .entry store(.param .u32 x, .param .u32 value) {\n"
	"	.reg .b32 %r<8>;\n"
	"	ld.param.u32 %r1, [x]; ld.param.u32 %r2, [value];\n"
	"	sust.b.1d.b32.trap [board, {%r1}], {%r2}; ret;\n}\n";

struct fixture {
	CUcontext context;
	CUmodule module;
	CUfunction fetch, index, store;
	CUdeviceptr out;
	CUtexref colours;
	CUsurfref board;
};

static int begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->context = drv_begin();
	OK(cuModuleLoadData(&f->module, ptx));
	OK(cuModuleGetFunction(&f->fetch, f->module, "fetch"));
	OK(cuModuleGetFunction(&f->index, f->module, "index"));
	OK(cuModuleGetFunction(&f->store, f->module, "store"));
	OK(cuModuleGetTexRef(&f->colours, f->module, "colours"));
	OK(cuModuleGetSurfRef(&f->board, f->module, "board"));
	f->out = drv_words(4);
	*state = f;
	return 0;
}

static int end(void **state)
{
	struct fixture *f = *state;

	OK(cuModuleUnload(f->module));
	drv_end(f->context);
	free(f);
	return 0;
}

static float fetched(struct fixture *f, float x)
{
	void *params[] = { &f->out, &x };
	uint32_t word;
	float value;

	OK(cuLaunchKernel(f->fetch, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	OK(cuCtxSynchronize());
	word = drv_read(f->out);
	memcpy(&value, &word, sizeof(value));
	return value;
}

static uint32_t indexed(struct fixture *f, int x)
{
	void *params[] = { &f->out, &x };

	OK(cuLaunchKernel(f->index, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	OK(cuCtxSynchronize());
	return drv_read(f->out);
}

static CUarray new_array(CUarray_format format, unsigned int flags, const void *texels)
{
	CUDA_ARRAY3D_DESCRIPTOR desc = {
		.Width = W, .Format = format, .NumChannels = 1, .Flags = flags
	};
	CUarray array;

	OK(cuArray3DCreate(&array, &desc));
	OK(cuMemcpyHtoA(array, 0, texels, format == CU_AD_FORMAT_UNSIGNED_INT8 ? W : 4 * W));
	return array;
}

static void of_an_array(void **state)
{
	static const float texels[W] = { 2, 4, 8, 16 };
	static const unsigned char bytes[W] = { 0, 51, 102, 255 };
	struct fixture *f = *state;
	CUarray array = new_array(CU_AD_FORMAT_FLOAT, 0, texels), found;
	CUarray other = new_array(CU_AD_FORMAT_UNSIGNED_INT8, 0, bytes);
	CUdeviceptr pointer;
	CUarray_format format;
	int channels;

	REFUSED(cuTexRefGetArray(&found, f->colours), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuTexRefSetArray(f->colours, array, 0), CUDA_ERROR_INVALID_VALUE);
	OK(cuTexRefSetArray(f->colours, array, CU_TRSA_OVERRIDE_FORMAT));
	OK(cuTexRefGetArray(&found, f->colours));
	assert_ptr_equal(found, array);
	REFUSED(cuTexRefGetAddress(&pointer, f->colours), CUDA_ERROR_INVALID_VALUE);
	assert_true(fetched(f, 1.5f) == 4);
	assert_true(fetched(f, 3) == 16);
	/* parts change after it was bound: between 4 and 8, then over the border */
	OK(cuTexRefSetFilterMode(f->colours, CU_TR_FILTER_MODE_LINEAR));
	assert_true(fetched(f, 2) == 6);
	OK(cuTexRefSetFlags(f->colours, CU_TRSF_NORMALIZED_COORDINATES));
	assert_true(fetched(f, 0.5f) == 6);
	OK(cuTexRefSetAddressMode(f->colours, 0, CU_TR_ADDRESS_MODE_WRAP));
	assert_true(fetched(f, 1) == 9);
	OK(cuTexRefSetAddressMode(f->colours, 0, CU_TR_ADDRESS_MODE_BORDER));
	OK(cuTexRefSetBorderColor(f->colours, (float[4]){ 100, 0, 0, 0 }));
	assert_true(fetched(f, 1) == 58);
	/* bytes are floats unless a flag says otherwise; then they are not filtered */
	OK(cuTexRefSetArray(f->colours, other, CU_TRSA_OVERRIDE_FORMAT));
	OK(cuTexRefGetFormat(&format, &channels, f->colours));
	assert_int_equal(format, CU_AD_FORMAT_UNSIGNED_INT8);
	assert_int_equal(channels, 1);
	OK(cuTexRefSetFilterMode(f->colours, CU_TR_FILTER_MODE_POINT));
	assert_true(fetched(f, 0.375f) == 51 / 255.0f);
	OK(cuTexRefSetFlags(f->colours, CU_TRSF_READ_AS_INTEGER));
	assert_int_equal(indexed(f, 2), 102);
	OK(cuArrayDestroy(array));
	OK(cuArrayDestroy(other));
}

static void of_memory(void **state)
{
	struct fixture *f = *state;
	CUDA_ARRAY_DESCRIPTOR desc = {
		.Width = 2, .Height = 2, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1
	};
	CUdeviceptr words = drv_words(64), pointer;
	size_t offset = 1;
	uint32_t values[64];
	CUarray array;

	for (int i = 0; i < 64; i++)
		values[i] = 1000 + (uint32_t)i;
	OK(cuMemcpyHtoD(words, values, sizeof(values)));
	/* the address first, then what is there */
	OK(cuTexRefSetAddress(&offset, f->colours, words + 16, 16));
	OK(cuTexRefSetFormat(f->colours, CU_AD_FORMAT_UNSIGNED_INT32, 1));
	assert_int_equal(offset, 0);
	assert_int_equal(indexed(f, 0), 1004);
	assert_int_equal(indexed(f, 3), 1007);
	assert_int_equal(indexed(f, 4), 0);
	OK(cuTexRefGetAddress(&pointer, f->colours));
	assert_int_equal(pointer, words + 16);
	REFUSED(cuTexRefGetArray(&array, f->colours), CUDA_ERROR_INVALID_VALUE);
	/* what is no memory leaves it as it was */
	REFUSED(cuTexRefSetAddress(NULL, f->colours, 0x10, 16), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(indexed(f, 1), 1005);
	OK(cuTexRefSetAddress2D(f->colours, &desc, words, 32));
	assert_int_equal(indexed(f, 1), 1001);
	REFUSED(cuTexRefSetAddress2D(f->colours, &desc, words, 33), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuTexRefSetAddress2D(f->colours, NULL, words, 32), CUDA_ERROR_INVALID_VALUE);
}

static void of_a_surface(void **state)
{
	static const uint32_t zero[W];
	struct fixture *f = *state;
	CUarray array = new_array(CU_AD_FORMAT_UNSIGNED_INT32, CUDA_ARRAY3D_SURFACE_LDST, zero);
	CUarray plain = new_array(CU_AD_FORMAT_UNSIGNED_INT32, 0, zero), found;
	uint32_t x = 8, value = 77, texels[W];
	void *params[] = { &x, &value };

	REFUSED(cuSurfRefSetArray(f->board, plain, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuSurfRefSetArray(f->board, array, 1), CUDA_ERROR_INVALID_VALUE);
	OK(cuSurfRefSetArray(f->board, array, 0));
	OK(cuSurfRefGetArray(&found, f->board));
	assert_ptr_equal(found, array);
	OK(cuLaunchKernel(f->store, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	OK(cuMemcpyAtoH(texels, array, 0, sizeof(texels)));
	assert_int_equal(texels[2], 77);
	assert_int_equal(texels[1], 0);
	OK(cuArrayDestroy(array));
	OK(cuArrayDestroy(plain));
}

static void said_and_asked(void **state)
{
	struct fixture *f = *state;
	CUaddress_mode mode;
	CUfilter_mode filter;
	CUtexref own, again;
	unsigned int flags;
	float least, most, border[4];
	int anisotropy;

	OK(cuTexRefCreate(&own));
	OK(cuTexRefSetAddressMode(own, 2, CU_TR_ADDRESS_MODE_MIRROR));
	OK(cuTexRefGetAddressMode(&mode, own, 2));
	assert_int_equal(mode, CU_TR_ADDRESS_MODE_MIRROR);
	REFUSED(cuTexRefSetAddressMode(own, 3, mode), CUDA_ERROR_INVALID_VALUE);
	OK(cuTexRefSetMipmapFilterMode(own, CU_TR_FILTER_MODE_LINEAR));
	OK(cuTexRefGetMipmapFilterMode(&filter, own));
	assert_int_equal(filter, CU_TR_FILTER_MODE_LINEAR);
	OK(cuTexRefGetFilterMode(&filter, own));
	assert_int_equal(filter, CU_TR_FILTER_MODE_POINT);
	OK(cuTexRefSetMipmapLevelBias(own, 0.5f));
	OK(cuTexRefGetMipmapLevelBias(&least, own));
	assert_true(least == 0.5f);
	OK(cuTexRefSetMipmapLevelClamp(own, 1, 3));
	OK(cuTexRefGetMipmapLevelClamp(&least, &most, own));
	assert_true(least == 1 && most == 3);
	OK(cuTexRefSetMaxAnisotropy(own, 4));
	OK(cuTexRefGetMaxAnisotropy(&anisotropy, own));
	assert_int_equal(anisotropy, 4);
	OK(cuTexRefSetBorderColor(own, (float[4]){ 1, 2, 3, 4 }));
	OK(cuTexRefGetBorderColor(border, own));
	assert_true(border[3] == 4);
	OK(cuTexRefSetFlags(own, CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES));
	OK(cuTexRefGetFlags(&flags, own));
	assert_int_equal(flags, CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES);
	REFUSED(cuTexRefSetFlags(own, 0x80), CUDA_ERROR_INVALID_VALUE);
	OK(cuParamSetTexRef(f->fetch, CU_PARAM_TR_DEFAULT, f->colours));
	OK(cuTexRefDestroy(own));
	REFUSED(cuTexRefDestroy(own), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuTexRefGetFlags(&flags, own), CUDA_ERROR_INVALID_VALUE);
	/* those of modules are the module's, and the same each time */
	REFUSED(cuTexRefDestroy(f->colours), CUDA_ERROR_INVALID_HANDLE);
	OK(cuModuleGetTexRef(&again, f->module, "colours"));
	assert_ptr_equal(again, f->colours);
	REFUSED(cuModuleGetTexRef(&again, f->module, "board"), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuModuleGetTexRef(&again, f->module, "word"), CUDA_ERROR_NOT_FOUND);
	REFUSED(cuModuleGetTexRef(&again, f->module, "nothing"), CUDA_ERROR_NOT_FOUND);
	REFUSED(cuModuleGetTexRef(&again, NULL, "colours"), CUDA_ERROR_INVALID_HANDLE);
}

/* A module that goes takes its references along, and the next one has others. */
static void they_go_with_their_module(void **state)
{
	static const float texels[W] = { 2, 4, 8, 16 };
	struct fixture *f = *state;
	CUarray array = new_array(CU_AD_FORMAT_FLOAT, 0, texels);
	CUtexref old = f->colours;
	unsigned int flags;

	OK(cuTexRefSetArray(old, array, CU_TRSA_OVERRIDE_FORMAT));
	OK(cuModuleUnload(f->module));
	REFUSED(cuTexRefGetFlags(&flags, old), CUDA_ERROR_INVALID_VALUE);
	OK(cuModuleLoadData(&f->module, ptx));
	OK(cuModuleGetFunction(&f->fetch, f->module, "fetch"));
	OK(cuModuleGetTexRef(&f->colours, f->module, "colours"));
	OK(cuTexRefSetArray(f->colours, array, CU_TRSA_OVERRIDE_FORMAT));
	assert_true(fetched(f, 2.5f) == 8);
	OK(cuArrayDestroy(array));
}

/* What does not go together is no texture: the kernel ends, and the context with it. */
static void what_does_not_fit_is_not_fetched(void **state)
{
	static const unsigned char bytes[W] = { 1, 2, 3, 4 };
	struct fixture *f = *state;
	CUarray array = new_array(CU_AD_FORMAT_UNSIGNED_INT8, 0, bytes);
	float x = 0;
	void *params[] = { &f->out, &x };

	OK(cuTexRefSetArray(f->colours, array, CU_TRSA_OVERRIDE_FORMAT));
	OK(cuTexRefSetFlags(f->colours, CU_TRSF_READ_AS_INTEGER));
	assert_int_equal(indexed(f, 3), 4);
	OK(cuTexRefSetFilterMode(f->colours, CU_TR_FILTER_MODE_LINEAR));
	OK(cuLaunchKernel(f->fetch, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	REFUSED(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
	drv_end(f->context);
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(of_an_array, begin, end),
		cmocka_unit_test_setup_teardown(of_memory, begin, end),
		cmocka_unit_test_setup_teardown(of_a_surface, begin, end),
		cmocka_unit_test_setup_teardown(said_and_asked, begin, end),
		cmocka_unit_test_setup_teardown(they_go_with_their_module, begin, end),
		cmocka_unit_test_setup_teardown(what_does_not_fit_is_not_fetched, begin, NULL),
	};

	return cmocka_run_group_tests_name("references", tests, NULL, NULL);
}
