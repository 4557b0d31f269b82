// SPDX-License-Identifier: MIT
/*
 * Workloads: latencies in a histogram of fixed size, so that memory stays flat however long a run is. Buckets grow with the
 * value: 64 to each power of two.
 */
#include "workload.h"

#define SUB	(1u << WL_LATENCY_BITS)

static u32 bucket_of(u64 ps)
{
	unsigned int shift;

	if (ps < SUB)
		return (u32)ps;
	shift = 63u - (unsigned int)__builtin_clzll(ps) - WL_LATENCY_BITS;
	return (shift + 1) * SUB + (u32)(ps >> shift) - SUB;
}

/* The largest value that falls into @bucket. */
static u64 top_of(u32 bucket)
{
	unsigned int shift;

	if (bucket < SUB)
		return bucket;
	shift = bucket / SUB - 1;
	return ((u64)(bucket % SUB + SUB) << shift) + ((1ull << shift) - 1);
}

void wl_latency_add(struct wl_latency *latency, u64 ps)
{
	latency->count++;
	latency->total_ps += ps;
	latency->buckets[bucket_of(ps)]++;
	if (ps > latency->max_ps)
		latency->max_ps = ps;
}

u64 wl_latency_percentile(const struct wl_latency *latency, unsigned int percent)
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
	return top_of(i) < latency->max_ps ? top_of(i) : latency->max_ps;
}
