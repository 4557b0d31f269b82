// SPDX-License-Identifier: MIT
/*
 * The kernels of the runtime's tests, in PTX, and what launches them.
 */
#include "rig.h"

static const char ptx[] =
	".version 6.3\n.target sm_70\n.address_size 64\n"
	".visible .global .align 4 .u32 counter = 41;\n"
	".visible .const .align 4 .u32 table[4] = {1, 2, 3, 4};\n"
	".visible .entry slow(.param .u64 p_where, .param .u32 p_value, .param .u32 p_loops)\n"
	"{\n"
	"	.reg .u64 %rd<3>;\n	.reg .u32 %r<4>;\n	.reg .pred %p<2>;\n"
	"	ld.param.u64 %rd1, [p_where];\n"
	"	ld.param.u32 %r1, [p_value];\n"
	"	ld.param.u32 %r2, [p_loops];\n"
	"again:\n"
	"	setp.eq.u32 %p1, %r2, 0;\n"
	"	@%p1 bra done;\n"
	"	sub.u32 %r2, %r2, 1;\n"
	"	bra.uni again;\n"
	"done:\n"
	"	cvta.to.global.u64 %rd2, %rd1;\n"
	"	st.global.u32 [%rd2], %r1;\n"
	"	ret;\n"
	"}\n"
	".visible .entry copy(.param .u64 p_dst, .param .u64 p_src)\n"
	"{\n"
	"	.reg .u64 %rd<3>;\n	.reg .u32 %r<2>;\n"
	"	ld.param.u64 %rd1, [p_dst];\n"
	"	ld.param.u64 %rd2, [p_src];\n"
	"	ld.global.u32 %r1, [%rd2];\n"
	"	st.global.u32 [%rd1], %r1;\n"
	"	ret;\n"
	"}\n"
	".visible .entry add(.param .u64 p_where, .param .u32 p_value)\n"
	"{\n"
	"	.reg .u64 %rd<2>;\n	.reg .u32 %r<3>;\n"
	"	ld.param.u64 %rd1, [p_where];\n"
	"	ld.param.u32 %r1, [p_value];\n"
	"	atom.global.add.u32 %r2, [%rd1], %r1;\n"
	"	ret;\n"
	"}\n"
	".visible .entry poke(.param .u64 p_where)\n"
	"{\n"
	"	.reg .u64 %rd<2>;\n	.reg .u32 %r<2>;\n"
	"	ld.param.u64 %rd1, [p_where];\n"
	"	mov.u32 %r1, 1;\n"
	"	st.global.u32 [%rd1], %r1;\n"
	"	ret;\n"
	"}\n"
	".visible .entry shared(.param .u64 p_where)\n"
	".maxntid 128, 1, 1\n"
	"{\n"
	"	.shared .align 4 .b8 buffer[1024];\n"
	"	.reg .u64 %rd<2>;\n	.reg .u32 %r<2>;\n"
	"	ld.param.u64 %rd1, [p_where];\n"
	"	mov.u32 %r1, 5;\n"
	"	st.shared.u32 [buffer], %r1;\n"
	"	ld.shared.u32 %r1, [buffer];\n"
	"	st.global.u32 [%rd1], %r1;\n"
	"	ret;\n"
	"}\n";

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

void rig_begin(struct rig *rig, const char *connections, const char *vram)
{
	OK(vgpuDeviceReset());
	set("VGPU_TRANSPORT", "embedded");
	set("VGPU_MAX_CONNECTIONS", connections);
	set("VGPU_VRAM", vram);
	OK(vgpuModuleLoad(&rig->module, ptx));
	OK(vgpuModuleGetFunction(&rig->slow, rig->module, "slow"));
	OK(vgpuModuleGetFunction(&rig->copy, rig->module, "copy"));
	OK(vgpuModuleGetFunction(&rig->add, rig->module, "add"));
	OK(vgpuModuleGetFunction(&rig->poke, rig->module, "poke"));
	OK(vgpuModuleGetFunction(&rig->shared, rig->module, "shared"));
}

void rig_end(void)
{
	OK(vgpuDeviceReset());
	vgpuGetLastError();
}

static const unsigned int one[3] = { 1, 1, 1 };

vgpuError_t rig_slow(struct rig *rig, uint32_t *where, uint32_t value, uint32_t loops,
		     vgpuStream_t stream)
{
	void *arguments[] = { &where, &value, &loops };

	return vgpuLaunchKernel(rig->slow, one, one, arguments, 0, stream);
}

vgpuError_t rig_copy(struct rig *rig, uint32_t *dst, const uint32_t *src, vgpuStream_t stream)
{
	void *arguments[] = { &dst, &src };

	return vgpuLaunchKernel(rig->copy, one, one, arguments, 0, stream);
}

vgpuError_t rig_add(struct rig *rig, uint32_t *where, uint32_t value, vgpuStream_t stream)
{
	void *arguments[] = { &where, &value };

	return vgpuLaunchKernel(rig->add, one, one, arguments, 0, stream);
}

vgpuError_t rig_poke(struct rig *rig, uint64_t where)
{
	void *arguments[] = { &where };

	return vgpuLaunchKernel(rig->poke, one, one, arguments, 0, NULL);
}

uint32_t *rig_words(size_t count)
{
	void *words;

	OK(vgpuMalloc(&words, count * sizeof(uint32_t)));
	OK(vgpuMemset(words, 0, count * sizeof(uint32_t)));
	OK(vgpuDeviceSynchronize());
	return words;
}

uint32_t rig_read(const uint32_t *word)
{
	uint32_t value = 0xdeadbeef;

	OK(vgpuMemcpy(&value, word, sizeof(value), vgpuMemcpyDeviceToHost));
	return value;
}
