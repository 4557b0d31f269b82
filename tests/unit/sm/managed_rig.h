/* SPDX-License-Identifier: MIT */
/*
 * What the tests of managed memory share: a context with managed memory and a kernel that adds to
 * some of its words.
 */
#ifndef MANAGED_RIG_H
#define MANAGED_RIG_H

#include <stdlib.h>

#include "fault_rig.h"
#include "vass_build.h"

#define BASE	HOST_MANAGED
#define PAGE	VGPU_PAGE_SIZE
#define GRANULE	0x10000u
#define MAPPED	HOST_MANAGED_BYTES
#define DEVICE	0x10000000ull

/* Thread n adds n + 1 to the word at the base and n times the stride. */
static inline void add(struct vass *v)
{
	vass_init(v, 16, 16);
	vass_op(v, VGPU_OP_SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	vass_op(v, VGPU_OP_LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	vass_op(v, VGPU_OP_LDP, VASS_MEM(4, 1), 4, 0, 0, 0, 8);
	vass_op(v, VGPU_OP_MADWU, 0, 6, 0, 4, 2, 0);
	vass_op(v, VGPU_OP_LDG, VASS_MEM(4, 1), 8, 6, 0, 0, 0);
	OPI(v, ADD, 8, 8, 1);
	vass_op(v, VGPU_OP_ADD, 0, 8, 8, 0, 0, 0);
	vass_op(v, VGPU_OP_STG, VASS_MEM(4, 1), 0, 6, 8, 0, 0);
	vass_op(v, VGPU_OP_EXIT, 0, 0, 0, 0, 0, 0);
}

static inline void load(struct rig *r)
{
	char message[256] = "";
	struct vass v;
	void *binary;
	u32 bytes;

	add(&v);
	binary = vass_binary(&v, &bytes);
	if (vgpu_module_load(r->h->dev, r->context, binary, bytes, message, sizeof(message),
			     &r->module))
		fail_msg("%s", message);
	free(binary);
}

static inline struct rig open_context(struct host *h)
{
	struct rig r = { .h = h };

	r.context = host_open(h);
	r.queue = host_queue(h, r.context);
	assert_int_equal(vgpu_memory_map_managed(h->dev, r.context, BASE, MAPPED), 0);
	load(&r);
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
