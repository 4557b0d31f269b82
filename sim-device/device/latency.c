// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Latencies in a histogram of fixed size, so that memory stays flat however long a run is: for
 * hosts that keep what their callback @preempted is told. Buckets grow with the value: 64 to each
 * power of two.
 */
#include "../vgpu_model.h"

#define SUB	(1u << VGPU_LATENCY_BITS)

static u32 bucket_of(u64 ps)
{
	unsigned int shift;

	if (ps < SUB)
		return (u32)ps;
	shift = 63u - (unsigned int)__builtin_clzll(ps) - VGPU_LATENCY_BITS;
	return (shift + 1) * SUB + (u32)(ps >> shift) - SUB;
}

u64 vgpu_latency_top(u32 bucket)
{
	unsigned int shift;

	if (bucket < SUB)
		return bucket;
	shift = bucket / SUB - 1;
	return ((u64)(bucket % SUB + SUB) << shift) + ((1ull << shift) - 1);
}

void vgpu_latency_add(struct vgpu_latency *latency, u64 ps)
{
	latency->count++;
	latency->total_ps += ps;
	latency->buckets[bucket_of(ps)]++;
	if (ps > latency->max_ps)
		latency->max_ps = ps;
}

u64 vgpu_latency_percentile(const struct vgpu_latency *latency, unsigned int percent)
{
	u64 wanted = latency->count / 100 * percent + (latency->count % 100 * percent + 99) / 100;
	u64 seen = 0;
	u32 i;

	if (!latency->count)
		return 0;
	if (!wanted)
		wanted = 1;
	for (i = 0; seen + latency->buckets[i] < wanted; i++)
		seen += latency->buckets[i];
	return vgpu_latency_top(i) < latency->max_ps ? vgpu_latency_top(i) : latency->max_ps;
}
