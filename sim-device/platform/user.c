// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The ground in user space: libc's heap, the processor's own word about its vector unit. May
 * include libc.
 */
#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../platform.h"
#include "user.h"

static u64 allocations_left = ~0ull;
static u64 allocations;

void vgpu_user_fail_allocations_after(u64 count)
{
	allocations_left = count;
}

u64 vgpu_user_allocations(void)
{
	return allocations;
}

#define PAGE_BYTES	4096u

/* Vectors are in memory of a page, which the kernel aligns more than calloc() does. */
static void *alloc_page(void)
{
	void *page = aligned_alloc(64, PAGE_BYTES);

	return page ? memset(page, 0, PAGE_BYTES) : NULL;
}

void *vgpu_mem_alloc_device(size_t bytes)
{
	void *memory;

	/*
	 * ~0, the usual state, never runs out; several devices on several threads then only read
	 * it.
	 */
	if (unlikely(allocations_left != ~0ull)) {
		if (!allocations_left)
			return NULL;
		allocations_left--;
	}
	memory = bytes == PAGE_BYTES ? alloc_page() : calloc(1, bytes ? bytes : 1);
	if (memory)
		__atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
	return memory;
}

void vgpu_mem_free_device(void *memory)
{
	if (!memory)
		return;
	__atomic_fetch_sub(&allocations, 1, __ATOMIC_RELAXED);
	free(memory);
}

void *vgpu_platform_alloc(void *payer, size_t bytes)
{
	/* A process pays for all of its contexts. */
	(void)payer;
	return vgpu_mem_alloc_device(bytes);
}

void vgpu_platform_free(void *memory, size_t bytes)
{
	(void)bytes;
	vgpu_mem_free_device(memory);
}

void vgpu_resched(void)
{
}

#ifdef __x86_64__
bool vgpu_cpu_has_avx2(void)
{
	static int known;	/* 0: not yet; in a virtual machine cpuid takes many microseconds */
	int has = __atomic_load_n(&known, __ATOMIC_RELAXED);
	unsigned int a, b, c, d;

	if (!has) {
		/* not every compiler's __builtin_cpu_supports() knows F16C */
		has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
				      __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C ?
			      1 :
			      -1;
		__atomic_store_n(&known, has, __ATOMIC_RELAXED);
	}
	return has > 0;
}
#endif

static bool broken_goes_on;
static u32 broken;

void vgpu_user_broken_goes_on(void)
{
	broken_goes_on = true;
	broken = 0;
}

u32 vgpu_user_broken(void)
{
	return broken;
}

void vgpu_broken(const char *file, int line, const char *what)
{
	broken++;
	if (broken_goes_on)
		return;
	fprintf(stderr, "vgpu: %s:%d: the model is broken: %s\n", file, line, what);
	abort();
}

u64 vgpu_mul_div(u64 a, u64 b, u64 c)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	/* mostly it is 64 bits, and their division an instruction */
	return product >> 64 ? (u64)(product / c) : (u64)product / c;
}
