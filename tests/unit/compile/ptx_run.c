// SPDX-License-Identifier: MIT
/*
 * PTX run on the embedded device, for the compiler's tests.
 */
#include <errno.h>

#include "ptx_run.h"
#include "vgpu_runtime.h"

#define OK(call) assert_int_equal((call), vgpuSuccess)

void text_add(struct text *t, const char *format, ...)
{
	va_list args;
	int need;

	for (;;) {
		va_start(args, format);
		need = vsnprintf(t->text ? t->text + t->len : NULL, t->room - t->len, format, args);
		va_end(args);
		assert_true(need >= 0);
		if (t->len + (size_t)need < t->room)
			break;
		t->room = (t->room + (size_t)need + 1) * 2;
		t->text = realloc(t->text, t->room);
		assert_non_null(t->text);
	}
	t->len += (size_t)need;
}

void text_free(struct text *t)
{
	free(t->text);
	memset(t, 0, sizeof(*t));
}

void ptx_begin(void)
{
	OK(vgpuDeviceReset());
	setenv("VGPU_TRANSPORT", "embedded", 1);
	OK(vgpuFree(NULL));	/* opens the device */
}

void ptx_end(void)
{
	OK(vgpuDeviceReset());
}

struct vgpuModule *ptx_load(const char *ptx, uint32_t max_regs)
{
	struct vgpu_compile_options options = { .max_regs = max_regs };
	struct vgpuModule *module;

	OK(rt_enter());
	if (rt_leave(rt_module_load(ptx, &options, &module)) != vgpuSuccess) {
		ptx_compile(ptx, max_regs);	/* says why */
		fail_msg("the device does not take what the compiler made");
	}
	return module;
}

void ptx_launch(struct vgpuModule *module, const char *kernel, unsigned int threads, const void *in,
		size_t in_bytes, void *out, size_t out_bytes)
{
	unsigned int grid[3] = { 1, 1, 1 }, block[3] = { threads, 1, 1 };
	void *din, *dout, *arguments[2];
	vgpuFunction_t function;

	OK(vgpuModuleGetFunction(&function, module, kernel));
	OK(vgpuMalloc(&din, in_bytes));
	OK(vgpuMalloc(&dout, out_bytes));
	OK(vgpuMemcpy(din, in, in_bytes, vgpuMemcpyHostToDevice));
	OK(vgpuMemcpy(dout, out, out_bytes, vgpuMemcpyHostToDevice));
	arguments[0] = &din;
	arguments[1] = &dout;
	OK(vgpuLaunchKernel(function, grid, block, arguments, 0, NULL));
	OK(vgpuDeviceSynchronize());
	OK(vgpuMemcpy(out, dout, out_bytes, vgpuMemcpyDeviceToHost));
	OK(vgpuFree(din));
	OK(vgpuFree(dout));
}

vgpuError_t ptx_outcome(struct vgpuModule *module, const char *kernel, unsigned int threads)
{
	unsigned int grid[3] = { 1, 1, 1 }, block[3] = { threads, 1, 1 };
	void *null = NULL, *arguments[2] = { &null, &null };
	vgpuFunction_t function;

	OK(vgpuModuleGetFunction(&function, module, kernel));
	OK(vgpuLaunchKernel(function, grid, block, arguments, 0, NULL));
	return vgpuDeviceSynchronize();
}

struct vgpu_program *ptx_compile(const char *ptx, uint32_t max_regs)
{
	struct vgpu_compile_options options = { .max_regs = max_regs };
	struct vgpu_program *program;
	char *message;

	if (vgpu_compile_ptx(ptx, strlen(ptx), &options, &program, &message))
		fail_msg("%s", message ? message : "no message");
	return program;
}

void ptx_refused(const char *ptx, const char *why)
{
	struct vgpu_program *program;
	char *message;

	assert_int_equal(vgpu_compile_ptx(ptx, strlen(ptx), NULL, &program, &message), -EINVAL);
	assert_null(program);
	assert_non_null(message);
	if (!strstr(message, why))
		fail_msg("refused with `%s', expected `%s'", message, why);
	free(message);
}

uint64_t ptx_random(uint64_t *state)
{
	uint64_t x = (*state += 0x9e3779b97f4a7c15ull);

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}
