/* SPDX-License-Identifier: MIT */
/*
 * What the tests of managed memory share: a context with managed memory, and a kernel that adds to
 * some of its words.
 */
#ifndef MANAGED_RIG_H
#define MANAGED_RIG_H

#include "fault_rig.h"

#define BASE	HOST_MANAGED
#define PAGE	VGPU_PAGE_SIZE
#define GRANULE	0x10000u
#define MAPPED	HOST_MANAGED_BYTES
#define DEVICE	0x10000000ull

static inline struct rig open_context(struct host *h)
{
	struct rig r = { .h = h };

	r.context = host_open(h);
	r.queue = host_queue(h, r.context);
	assert_int_equal(vgpu_memory_map_managed(h->dev, r.context, BASE, MAPPED), 0);
	rig_load_add(&r, false);
	return r;
}

static inline struct rig start(const char *const *settings)
{
	return open_context(rig_host(settings));
}

#define START(...) start((const char *const[]){ __VA_ARGS__ __VA_OPT__(,) NULL })

static inline struct vgpu_context_info info(struct rig *r)
{
	struct vgpu_context_info i;

	assert_int_equal(vgpu_context_info(r->h->dev, r->context, &i), 0);
	return i;
}

static inline u32 *word(struct rig *r, u64 address)
{
	int error;
	u8 *bytes = host_access(r->h, r->context, address, &error);

	assert_int_equal(error, 0);
	return (u32 *)bytes;
}

/* A launch with faults takes what one without takes, and @last more: but for the present slice. */
static inline void takes(struct rig *r, u32 threads, u64 base, u32 stride, u64 last)
{
	u64 first = time_of(r, threads, base, stride);
	u64 there = time_of(r, threads, base, stride);

	assert_true(first <= there + last && first > there + last - VGPU_US);
}

#endif
