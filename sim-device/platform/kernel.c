// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The ground in the Linux kernel. May include kernel headers; runs in the device's kthread, and in
 * a process that loads a module.
 */
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#ifdef CONFIG_ARM64
#include <asm/neon.h>
#else
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#endif

#include "../platform.h"

/* ---- device memory of nobody -------------------------------------------- */

/* Look at the machine's memory once in so many bytes. */
#define BYTES_PER_LOOK	(1u << 20)

static atomic_long_t unlooked;	/* bytes given since the last look */
static bool memory_low;		/* at the last look */

/*
 * Processes decide how many modules, page tables and states of thread blocks there are. Their
 * control groups pay, but need have no limit. So all of it together leaves the machine a
 * thirty-second of its memory, as frames leave it a sixteenth: what is asked for beyond that is not
 * there.
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

void *vgpu_mem_alloc_device(size_t bytes)
{
	/*
	 * Failing is ordinary: no line in the log, and above all no out-of-memory killer, which
	 * would pick anybody.
	 */
	if (bytes > INT_MAX || too_much(bytes))
		return NULL;
	return kvzalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
}

void vgpu_mem_free_device(void *memory)
{
	kvfree(memory);
}

/* ---- memory of contexts ------------------------------------------------- */

/*
 * DOC: memory that a control group pays for, allocated on the actor
 *
 * The actor serves everybody, so it must not wait for one group. A group that is at its limit makes
 * an allocation with __GFP_DIRECT_RECLAIM scan all of its pages and write them out, up to sixteen
 * times over; one above memory.high, which its owner sets, makes it sleep for up to two seconds;
 * and the out-of-memory killer would pick anybody. So:
 *
 * 1. GFP_NOWAIT. Takes free memory of the machine that the group may have. This is all that
 *    normally happens, and, with step 2, all that happens for a while after step 3 failed.
 * 2. A page that nobody pays for, with direct reclaim, freed at once. If it was the machine that
 *    had no free page at the moment, now it has one, and no group's limit was asked.
 * 3. GFP_NOIO | __GFP_NORETRY: one look through the group for pages to drop. Groups that read files
 *    are always full of their contents, and must not lose a context for it; pages that are dirty or
 *    need swap stay, so that this waits for no device.
 *
 * None of them calls the out-of-memory killer. What fails after that is the context's own affair:
 * its call gets -ENOMEM, or it ends with VGPU_FAULT_NO_MEMORY.
 *
 * kvzalloc() can do none of this: for what is larger than a few pages it needs vmalloc(), which
 * takes GFP_KERNEL only. So larger memory is made of single pages, mapped one behind the other.
 */
#define FLAGS_NOWAIT	(GFP_NOWAIT | __GFP_ACCOUNT | __GFP_ZERO | __GFP_NOWARN)
#define FLAGS_DROP	(GFP_NOIO | __GFP_NORETRY | __GFP_ACCOUNT | __GFP_ZERO | __GFP_NOWARN)
#define FLAGS_MACHINE	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* A group in which nothing could be dropped is not looked through again for so long. */
#define DROP_PAUSE	(HZ / 10)

/* Up to so much, contiguous pages are tried first: they need no mapping. */
#define CONTIGUOUS_MOST	(256u << 10)

static void *alloc_once(size_t bytes, gfp_t flags)
{
	if (bytes > PAGE_SIZE / 2)
		return (void *)__get_free_page(flags);
	return kmalloc(bytes, flags);
}

/* At most a page, by the three steps above. Its payer is charged already. */
static void *alloc_small(struct vgpu_payer *payer, size_t bytes)
{
	void *memory = alloc_once(bytes, FLAGS_NOWAIT);

	if (likely(memory))
		return memory;
	free_page(__get_free_page(FLAGS_MACHINE));
	memory = alloc_once(bytes, FLAGS_NOWAIT);
	if (memory || !payer || time_before(jiffies, payer->pause))
		return memory;
#ifdef CONFIG_MEMCG
	/* pages above memory.high, for which the next charge that may block would sleep */
	current->memcg_nr_pages_over_high = 0;
#endif
	memory = alloc_once(bytes, FLAGS_DROP);
	if (!memory)
		payer->pause = jiffies + DROP_PAUSE;
	return memory;
}

static void free_pages_of(struct page **pages, size_t count)
{
	while (count--) {
		__free_page(pages[count]);
		cond_resched();
	}
}

/* More than a page: single ones, mapped. */
static void *alloc_mapped(struct vgpu_payer *payer, size_t bytes)
{
	size_t count = DIV_ROUND_UP(bytes, PAGE_SIZE), i;
	struct page **pages = kvmalloc_array(count, sizeof(*pages), FLAGS_MACHINE);
	void *memory = NULL, *page;

	if (!pages)
		return NULL;
	for (i = 0; i < count; i++) {
		page = alloc_small(payer, PAGE_SIZE);
		if (!page)
			break;
		pages[i] = virt_to_page(page);
		cond_resched();
	}
	if (i == count)
		memory = vmap(pages, count, VM_MAP, PAGE_KERNEL);
	if (!memory)
		free_pages_of(pages, i);
	kvfree(pages);
	return memory;
}

static void free_mapped(void *memory, size_t bytes)
{
	size_t count = DIV_ROUND_UP(bytes, PAGE_SIZE), i;
	struct page *page, *next = NULL;

	/* The mapping knows the pages: they form a list by it while it lasts, and go after it. */
	for (i = count; i--;) {
		page = vmalloc_to_page(memory + i * PAGE_SIZE);
		set_page_private(page, (unsigned long)next);
		next = page;
	}
	vunmap(memory);
	for (; (page = next); cond_resched()) {
		next = (struct page *)page_private(page);
		set_page_private(page, 0);
		__free_page(page);
	}
}

static void *alloc_charged(struct vgpu_payer *payer, size_t bytes)
{
	void *memory;

	if (bytes <= PAGE_SIZE)
		return alloc_small(payer, bytes);
	if (bytes <= CONTIGUOUS_MOST) {
		memory = kmalloc(bytes, (FLAGS_NOWAIT & ~__GFP_KSWAPD_RECLAIM) | __GFP_NORETRY);
		if (memory)
			return memory;
	}
	return alloc_mapped(payer, bytes);
}

void *vgpu_platform_alloc(void *payer, size_t bytes)
{
	struct mem_cgroup *before;
	void *memory;

	if (bytes > INT_MAX || too_much(bytes))
		return NULL;
	before = set_active_memcg(payer ? ((struct vgpu_payer *)payer)->memcg : NULL);
	memory = alloc_charged(payer, bytes);
	set_active_memcg(before);
	return memory;
}

void vgpu_platform_free(void *memory, size_t bytes)
{
	if (bytes > PAGE_SIZE && is_vmalloc_addr(memory))
		free_mapped(memory, bytes);
	else if (bytes > PAGE_SIZE / 2 && bytes <= PAGE_SIZE)
		free_page((unsigned long)memory);
	else
		kfree(memory);
}

struct page *vgpu_payer_page(struct vgpu_payer *payer)
{
	struct mem_cgroup *before = set_active_memcg(payer ? payer->memcg : NULL);
	void *memory = alloc_small(payer, PAGE_SIZE);

	set_active_memcg(before);
	return memory ? virt_to_page(memory) : NULL;
}

/* ---- the processor ------------------------------------------------------ */

void vgpu_resched(void)
{
	cond_resched();
}

#ifdef CONFIG_ARM64

void vgpu_fpu_begin(void)
{
	kernel_neon_begin();
}

void vgpu_fpu_end(void)
{
	kernel_neon_end();
}

#else

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

#endif

void vgpu_broken(const char *file, int line, const char *what)
{
	WARN_ONCE(1, "vgpu: %s:%d: the model is broken: %s\n", file, line, what);
}

u64 vgpu_mul_div(u64 a, u64 b, u64 c)
{
	return mul_u64_u64_div_u64(a, b, c);
}
