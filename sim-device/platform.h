/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Platform services that the device needs: integer types, memory allocation, copying bytes, use of
 * the vector unit. This is the only header of the device that differs between the kernel and user
 * space; platform/kernel.c and platform/user.c implement it. All other source of the device is the
 * same in both.
 */
#ifndef VGPU_PLATFORM_H
#define VGPU_PLATFORM_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/string.h>
#include <linux/errno.h>
#include <linux/compiler.h>
#include <linux/nospec.h>
#else
#include <stdbool.h>
#include <stddef.h>
#ifdef __bpf__
#include <asm/errno.h>
#else
#include <string.h>
#include <errno.h>
#endif
#include <linux/types.h>
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#endif

/*
 * How many bits of @v are set. __builtin_popcount() may be a call of a library that the kernel does
 * not have.
 */
static inline u32 vgpu_popcount32(u32 v)
{
	v -= v >> 1 & 0x55555555u;
	v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
	v = (v + (v >> 4)) & 0x0f0f0f0fu;
	return v * 0x01010101u >> 24;
}

/* Units of virtual time, in picoseconds, and the time that never comes. */
#define VGPU_NEVER		(~0ull)
#define VGPU_NS			1000ull
#define VGPU_US			1000000ull
#define VGPU_MS			1000000000ull

/**
 * struct vgpu_mem_account - the owner of memory that the model needs for a context
 * @bytes: in use; 0 again when the context has been closed
 * @budget: most bytes in use at once, 0: no limit
 * @payer: the host's, whom it charges in the end; NULL: nobody in particular
 *
 * Whatever the model allocates because of what a context does is charged to the context's account
 * until it is freed, also while it lies in a pool. Pools are therefore of one account each: nobody
 * uses what another one pays for.
 */
struct vgpu_mem_account {
	u64 bytes;
	u64 budget;
	void *payer;
};

/**
 * vgpu_mem_alloc - zeroed memory for the owner of @account
 *
 * NULL: beyond its budget, or the host has none for it. Does not wait for the memory of others: see
 * platform/kernel.c. Actor.
 */
void *vgpu_mem_alloc(struct vgpu_mem_account *account, size_t bytes);
/** vgpu_mem_free - free what vgpu_mem_alloc() returned for this @account and @bytes, or NULL */
void vgpu_mem_free(struct vgpu_mem_account *account, void *memory, size_t bytes);
/**
 * vgpu_mem_charge - charge @account for memory that was allocated without it
 *
 * Returns 0 or -ENOMEM: beyond its budget.
 */
int vgpu_mem_charge(struct vgpu_mem_account *account, u64 bytes);
void vgpu_mem_uncharge(struct vgpu_mem_account *account, u64 bytes);

/**
 * vgpu_mem_alloc_device - zeroed memory of the device itself, or of who calls: NULL, there is none
 *
 * For what a device is made of, for tables that the number of contexts or of frames bounds, and for
 * code before a context owns it. May sleep; any thread.
 */
void *vgpu_mem_alloc_device(size_t bytes);
/** vgpu_mem_free_device - free what vgpu_mem_alloc_device() returned, or NULL */
void vgpu_mem_free_device(void *memory);

/* Inside platform/: memory that the host charges to @payer, NULL if it has none for it. */
void *vgpu_platform_alloc(void *payer, size_t bytes);
void vgpu_platform_free(void *memory, size_t bytes);

#ifdef __KERNEL__
struct mem_cgroup;
struct page;

/**
 * struct vgpu_payer - in the kernel the payer of an account: see vgpu_context_open()
 * @memcg: control group that is charged; NULL: none
 * @pause: actor: in jiffies, until when the group is not looked through for pages to drop
 */
struct vgpu_payer {
	struct mem_cgroup *memcg;
	unsigned long pause;
};

/**
 * vgpu_payer_page - a zeroed page that @payer pays for
 *
 * NULL: the machine has none, or the group has no room for it. Does not wait for the group; see
 * platform/kernel.c. Actor.
 */
struct page *vgpu_payer_page(struct vgpu_payer *payer);
#endif

/* Reschedule point in a long computation. */
void vgpu_resched(void);

/*
 * Begin and end a section that uses the vector unit (the lanes files). Sections do not nest, do not
 * sleep, and have bounded length, because the kernel does not preempt them.
 */
#ifdef __KERNEL__
void vgpu_fpu_begin(void);
void vgpu_fpu_end(void);
#else
static inline void vgpu_fpu_begin(void)
{
}

static inline void vgpu_fpu_end(void)
{
}
#endif
#ifdef __x86_64__
/* True when the processor has AVX2, FMA and F16C and may use them here. */
bool vgpu_cpu_has_avx2(void);
#endif

/*
 * Report a broken invariant of the model: print it and abort (user space) or warn once
 * (kernel).
 */
void vgpu_broken(const char *file, int line, const char *what);
/*
 * Does @cond hold, as it must? If not, the kernel goes on. What would then touch memory that is not
 * its own does not happen: whoever checks that returns, and ends the context if it knows one
 * (VGPU_FAULT_MODEL).
 */
#define VGPU_CHECK(cond) ({								\
	bool holds_ = (cond);								\
											\
	if (unlikely(!holds_))								\
		vgpu_broken(__FILE__, __LINE__, #cond);					\
	likely(holds_);									\
})

/* a * b / c in 128 bits, truncated; c != 0 and the quotient fits */
u64 vgpu_mul_div(u64 a, u64 b, u64 c);

/*
 * @index, which is below @count and comes from a process, as the processor must see it where it
 * goes on before it knows that: 0 beyond @count. A process that has a device of its own (user
 * space) spies on itself only.
 */
#ifdef __KERNEL__
#define vgpu_index(index, count)	array_index_nospec(index, count)
#else
#define vgpu_index(index, count)	(index)
#endif

#define vgpu_container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))
#define VGPU_ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#endif
