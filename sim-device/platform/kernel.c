/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The ground in the Linux kernel. May include kernel headers; runs in the device's kthread.
 */
#include <linux/bug.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>

#include "../platform.h"

void *vgpu_mem_alloc(size_t bytes)
{
	/*
	 * A process decides how much, so failing is ordinary: no line in the log, and above all no out-of-memory killer,
	 * which would pick anybody.
	 */
	if (bytes > INT_MAX)
		return NULL;
	return kvzalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
}

void vgpu_mem_free(void *memory)
{
	kvfree(memory);
}

void vgpu_fpu_begin(void)
{
	kernel_fpu_begin();
}

void vgpu_fpu_end(void)
{
	kernel_fpu_end();
}

bool vgpu_cpu_has_avx2(void)
{
	/* XSAVE: without it the kernel could not keep the upper halves of the registers for user space. */
	return boot_cpu_has(X86_FEATURE_AVX2) && boot_cpu_has(X86_FEATURE_FMA) && boot_cpu_has(X86_FEATURE_XSAVE);
}

void vgpu_broken(const char *file, int line, const char *what)
{
	WARN_ONCE(1, "vgpu: %s:%d: the model is broken: %s\n", file, line, what);
}

u64 vgpu_mul_div(u64 a, u64 b, u64 c)
{
	return mul_u64_u64_div_u64(a, b, c);
}
