/* SPDX-License-Identifier: MIT */
/*
 * For tests in which blocks of three contexts, each with a mixture of its own, leave three SMs at
 * random places: each context has the bytes that it has alone.
 */
#ifndef CHAOS_RIG_H
#define CHAOS_RIG_H

#include "../device/manual.h"
#include "device/device.h"
#include "mixture_rig.h"

#define CONTEXTS	3u
#define SMS		3u

static inline u32 chaos_below(struct vgpu_random *random, u32 limit)
{
	return (u32)(vgpu_random_next(random) % limit);
}

static inline void chaos_set(struct host *h, const char *knob, const char *value)
{
	assert_int_equal(vgpu_device_knob_set(h->dev, knob, value), 0);
}

/* Reserve a random SM for a random kernel. */
static inline void chaos_reserve(struct host *h, struct vgpu_random *random)
{
	struct vgpu_exec *exec = &h->dev->exec;
	struct vgpu_ksr *ksr = vgpu_exec_next_kernel(exec, NULL);
	u32 sm = chaos_below(random, SMS);

	if (exec->policy != &manual_policy)
		return;
	for (u32 n = chaos_below(random, 4); ksr && n; n--) {
		struct vgpu_ksr *next = vgpu_exec_next_kernel(exec, ksr);

		ksr = next ? next : ksr;
	}
	if (ksr && exec->smst[sm].ksr)
		assert_int_equal(vgpu_exec_reserve(exec, sm, ksr), 0);
}

/* The contexts, with their kernels and data. */
static inline void chaos_open(struct host *h, struct rig *rigs)
{
	struct vass v;

	for (u32 n = 0; n < CONTEXTS; n++) {
		rigs[n] = mixture_open_context(h);
		mixture(&v);
		program(&rigs[n], &v);
		mixture_fill(&rigs[n], n);
	}
}

/* Have all kernels ended? */
static inline bool chaos_over(struct host *h, const struct rig *rigs)
{
	u64 done = 0;

	for (u32 n = 0; n < CONTEXTS; n++) {
		vgpu_queue_completed(h->dev, rigs[n].context, rigs[n].queue, &done);
		if (done < 6)
			return false;
	}
	return true;
}

/* What they have written; then they are closed, and the device is gone. */
static inline void chaos_close(struct host *h, struct rig *rigs, u8 (*bytes)[MIXTURE_BYTES])
{
	for (u32 n = 0; n < CONTEXTS; n++)
		mixture_read_back(&rigs[n], bytes[n]);
	for (u32 n = 0; n < CONTEXTS; n++)
		vgpu_context_close(h->dev, rigs[n].context);
	host_free(h);
}

static inline void chaos_compare(u32 run, u8 (*got)[MIXTURE_BYTES], u8 (*want)[MIXTURE_BYTES])
{
	for (u32 n = 0; n < CONTEXTS; n++)
		if (memcmp(got[n], want[n], MIXTURE_BYTES))
			fail_msg("run %u: context %u has other bytes", run, n);
}

#endif
