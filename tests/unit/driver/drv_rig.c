// SPDX-License-Identifier: MIT
/*
 * The rig of the driver API's tests.
 */
#include "drv_rig.h"
#include "vgpu_runtime.h"

const char drv_ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .global .align 4 .u32 counter = 41;\n"
	".visible .global .attribute(.managed) .align 4 .u32 both = 7;\n"
	".visible .entry set(.param .u64 p_where, .param .u32 p_value, .param .u64 p_more)\n"
	"{\n"
	"	.reg .u64 %rd<4>;\n	.reg .u32 %r<4>;\n"
	"	ld.param.u64 %rd1, [p_where];\n"
	"	ld.param.u32 %r1, [p_value];\n"
	"	ld.param.u64 %rd2, [p_more];\n"
	"	cvt.u32.u64 %r2, %rd2;\n"
	"	add.u32 %r1, %r1, %r2;\n"
	"	st.global.u32 [%rd1], %r1;\n"
	"	ret;\n"
	"}\n"
	".visible .entry nothing()\n{\n	ret;\n}\n";

const char drv_spin_ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry spin(.param .u64 p_where, .param .u32 p_rounds)\n"
	"{\n"
	"	.reg .u64 %rd<2>;\n	.reg .u32 %r<3>;\n	.reg .pred %p<2>;\n"
	"	ld.param.u64 %rd1, [p_where];\n"
	"	ld.param.u32 %r1, [p_rounds];\n"
	"	mov.u32 %r2, 0;\n"
	"again:\n"
	"	add.u32 %r2, %r2, 1;\n"
	"	setp.lt.u32 %p1, %r2, %r1;\n"
	"	@%p1 bra again;\n"
	"	st.volatile.global.u32 [%rd1], %r2;\n"
	"	ret;\n"
	"}\n";

CUcontext drv_begin(void)
{
	CUcontext context;

	setenv("VGPU_TRANSPORT", "embedded", 1);
	OK(cuInit(0));
	OK(cuCtxCreate(&context, 0, 0));
	return context;
}

void drv_end(CUcontext context)
{
	OK(cuCtxDestroy(context));
}

CUdeviceptr drv_words(unsigned int count)
{
	CUdeviceptr words;

	OK(cuMemAlloc(&words, 4 * count));
	OK(cuMemsetD32(words, 0, count));
	return words;
}

uint32_t drv_read(CUdeviceptr word)
{
	uint32_t value;

	OK(cuMemcpyDtoH(&value, word, 4));
	return value;
}

void drv_pop_all(void)
{
	while (cuCtxPopCurrent(NULL) == CUDA_SUCCESS)
		;
}

void drv_reset(void)
{
	drv_pop_all();
	assert_int_equal(vgpuDeviceReset(), vgpuSuccess);
}
