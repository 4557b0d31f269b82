/* SPDX-License-Identifier: MIT */
/*
 * What the tests of advice for managed memory share: a kernel that reads, a process that reads, and
 * what both may do.
 */
#ifndef ADVICE_RIG_H
#define ADVICE_RIG_H

#include "managed_rig.h"
#include "mmu/address_space.h"

struct kernels {
	u32 add;
	u32 load;
};

/* Beside the kernel that adds, one that loads the same words and stores none. */
static inline struct kernels load_kernels(struct rig *r)
{
	struct kernels k = { .add = r->module };
	struct vass v;

	rig_add(&v, false);
	v.count -= 3;
	vass_op(&v, VGPU_OP_ADD, 0, 8, 8, 9, 0, 0);
	vass_op(&v, VGPU_OP_EXIT, 0, 0, 0, 0, 0, 0);
	rig_load(r, &v);
	k.load = r->module;
	r->module = k.add;
	return k;
}

static inline void advise(struct rig *r, u64 address, u64 bytes, u32 advice)
{
	assert_int_equal(vgpu_managed_advise(r->h->dev, r->context, address, bytes, advice), 0);
}

static inline u32 seen(struct rig *r, u64 address)
{
	int error;
	const u8 *bytes = host_read(r->h, r->context, address, &error);

	assert_int_equal(error, 0);
	return *(const u32 *)bytes;
}

/* Virtual time that a process waits for access. */
static inline u64 host_waits(struct rig *r, u64 address, bool write)
{
	u64 began = r->h->dev->sim->now;

	if (write)
		++*word(r, address);
	else
		seen(r, address);
	return r->h->dev->sim->now - began;
}

static inline struct vgpu_address_space *space(struct rig *r)
{
	return vgpu_context_find(r->h->dev, r->context)->as;
}

static inline u64 entry(struct rig *r, u64 address)
{
	const u64 *pte = vgpu_pte_find(&space(r)->table, address);

	return pte ? *pte : 0;
}

static inline bool is_shared(struct rig *r, u64 address)
{
	u64 both = VGPU_PTE_FRAME | VGPU_PTE_DUPLICATE;

	return (entry(r, address) & (both | VGPU_PTE_MOVING)) == both;
}

static inline u64 prefetch(struct rig *r, u64 address, u64 bytes, u32 to_device)
{
	struct vgpu_cmd cmd = {
		.op = VGPU_CMD_PREFETCH,
		.prefetch = { .address = address, .bytes = bytes, .to_device = to_device },
	};
	u64 began = r->h->dev->sim->now, seq = host_push(r->h, r->context, r->queue, cmd);

	host_run(r->h);
	return host_done(r->h, r->context, r->queue, seq)->time - began;
}

/* The gauges are what the page table says. */
static inline void check_gauges(struct rig *r)
{
	u64 frames = 0, on_host = 0;

	for (u64 n = 0; n < MAPPED / PAGE; n++) {
		u64 e = entry(r, BASE + n * PAGE);
		bool frame = e & VGPU_PTE_FRAME;

		frames += frame;
		on_host += (!frame && e & VGPU_PTE_HOST) || (frame && e & VGPU_PTE_DUPLICATE);
	}
	assert_int_equal(info(r).account.managed_resident, frames * PAGE);
	assert_int_equal(info(r).account.managed_host, on_host * PAGE);
}

/* What the host may do is what the device believes, and so are the gauges. */
static inline void check(struct rig *r)
{
	const bool *granted = r->h->granted[r->context], *writable = r->h->writable[r->context];

	check_gauges(r);
	for (u64 n = 0; granted && n < MAPPED / PAGE; n++) {
		u64 e = entry(r, BASE + n * PAGE);
		bool moves = e & VGPU_PTE_MOVING, frame = e & VGPU_PTE_FRAME;
		bool shared = e & VGPU_PTE_DUPLICATE;

		assert_true(!writable[n] || granted[n]);
		if (writable[n])
			assert_true(!frame && !shared && !moves);
		else if (granted[n])
			assert_true(shared || !frame);
		if (frame && shared)
			assert_false(vgpu_as_frame(space(r), BASE + n * PAGE)->dirty);
	}
}

/* The first 32 pages: a bit for each that has a frame. */
static inline u32 resident(struct rig *r)
{
	u32 bits = 0;

	for (u32 n = 0; n < 32; n++)
		bits |= (u32)!!(entry(r, BASE + n * PAGE) & VGPU_PTE_FRAME) << n;
	return bits;
}

#endif
