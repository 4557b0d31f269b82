// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The ground in the Linux kernel. May include kernel headers; runs in the device's kthread, and in
 * a process that loads a module.
 */
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>

#include "../platform.h"

/* Look at the machine's memory once in so many bytes. */
#define BYTES_PER_LOOK	(1u << 20)

static atomic_long_t unlooked;	/* bytes given since the last look */
static bool memory_low;		/* at the last look */

/*
 * Processes decide how many modules, page tables and states of thread blocks there are, and can
 * hold none of it on their own account. So all of it together leaves the machine a thirty-second of
 * its memory, as frames leave it a sixteenth: what is asked for beyond that is not there.
 */
static bool too_much(size_t bytes)
{
	bool low = READ_ONCE(memory_low);

	if (!low && atomic_long_add_return((long)bytes, &unlooked) < BYTES_PER_LOOK)
		return false;
	atomic_long_set(&unlooked, 0);
	low = si_mem_available() - (long)(bytes >> PAGE_SHIFT) < (long)(totalram_pages() / 32);
	WRITE_ONCE(memory_low, low);
	return low;
}

void *vgpu_mem_alloc(size_t bytes)
{
	/*
	 * Failing is ordinary: no line in the log, and above all no out-of-memory killer, which
	 * would pick anybody.
	 */
	if (bytes > INT_MAX || too_much(bytes))
		return NULL;
	return kvzalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
}

void vgpu_mem_free(void *memory)
{
	kvfree(memory);
}

void vgpu_resched(void)
{
	cond_resched();
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
	/*
	 * XSAVE: without it the kernel could not keep the upper halves of the registers for user
	 * space.
	 */
	return boot_cpu_has(X86_FEATURE_AVX2) && boot_cpu_has(X86_FEATURE_FMA) &&
	       boot_cpu_has(X86_FEATURE_F16C) &&
	       boot_cpu_has(X86_FEATURE_XSAVE);
}

void vgpu_broken(const char *file, int line, const char *what)
{
	WARN_ONCE(1, "vgpu: %s:%d: the model is broken: %s\n", file, line, what);
}

u64 vgpu_mul_div(u64 a, u64 b, u64 c)
{
	return mul_u64_u64_div_u64(a, b, c);
}
