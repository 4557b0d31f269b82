/* SPDX-License-Identifier: MIT */
/*
 * memory_pools: allocation and release in the order of a stream, what a pool counts, holds and
 * gives back, pools of the program's own, and what is refused.
 */
#include "../common.h"

#define MB	(1ull << 20)

__global__ void fill(int *p, int n, int value)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		p[i] = value + i;
}

__global__ void add(int *sum, const int *a, const int *b, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		sum[i] = a[i] + b[i];
}

static uint64_t get(cudaMemPool_t pool, cudaMemPoolAttr attribute)
{
	uint64_t value = ~0ull;

	CHECK(cudaMemPoolGetAttribute(pool, attribute, &value));
	return value;
}

static void set(cudaMemPool_t pool, cudaMemPoolAttr attribute, uint64_t value)
{
	CHECK(cudaMemPoolSetAttribute(pool, attribute, &value));
}

static void expect_bytes(cudaMemPool_t pool, const char *what, uint64_t used, uint64_t reserved)
{
	expect_same(what, 0, get(pool, cudaMemPoolAttrUsedMemCurrent), used);
	expect_same(what, 1, get(pool, cudaMemPoolAttrReservedMemCurrent), reserved);
}

static cudaMemPool_t new_pool(size_t most)
{
	cudaMemPoolProps props = {};
	cudaMemPool_t pool;

	props.allocType = cudaMemAllocationTypePinned;
	props.location.type = cudaMemLocationTypeDevice;
	props.maxSize = most;
	CHECK(cudaMemPoolCreate(&pool, &props));
	return pool;
}

static void in_order(void)
{
	const int n = 1000;
	int *a, *b, *sum, host[n];
	cudaStream_t stream, other;
	cudaEvent_t event;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	CHECK(cudaEventCreate(&event));
	for (int round = 0; round < 5; round++) {
		CHECK(cudaMallocAsync(&a, n * sizeof(int), stream));
		CHECK(cudaMallocAsync(&b, n * sizeof(int), stream));
		CHECK(cudaMallocAsync(&sum, n * sizeof(int), stream));
		fill<<<1, 64, 0, stream>>>(a, n, round);
		fill<<<1, 64, 0, stream>>>(b, n, 100);
		add<<<1, 64, 0, stream>>>(sum, a, b, n);
		CHECK(cudaFreeAsync(a, stream));
		CHECK(cudaEventRecord(event, stream));
		CHECK(cudaStreamWaitEvent(other, event));
		CHECK(cudaFreeAsync(b, other));
		CHECK(cudaMemcpyAsync(host, sum, sizeof(host), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaFreeAsync(sum, stream));
		CHECK(cudaStreamSynchronize(stream));
		for (int i = 0; i < n; i += 31)
			expect_same("sum", i, host[i], round + 100 + 2 * i);
	}
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
	CHECK(cudaEventDestroy(event));
}

/* Without a threshold all is given back, and with one as much is held. */
static void counts(void)
{
	cudaMemPool_t pool;
	size_t before, after, total;
	void *p, *q;
	int reuse = 0;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
	EXPECT(reuse == 1 && get(pool, cudaMemPoolAttrReleaseThreshold) == 0);
	reuse = 0;
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
	reuse = 1;
	CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
	EXPECT(reuse == 0);
	set(pool, cudaMemPoolAttrUsedMemHigh, 0);
	set(pool, cudaMemPoolAttrReservedMemHigh, 0);
	CHECK(cudaMemGetInfo(&before, &total));
	CHECK(cudaMallocAsync(&p, MB, 0));
	CHECK(cudaMallocAsync(&q, 1, 0));
	expect_bytes(pool, "two", MB + 256, MB + 256);
	CHECK(cudaFreeAsync(p, 0));
	expect_bytes(pool, "one", 256, 256);
	CHECK(cudaFree(q));
	expect_bytes(pool, "none", 0, 0);
	EXPECT(get(pool, cudaMemPoolAttrUsedMemHigh) == MB + 256);
	EXPECT(get(pool, cudaMemPoolAttrReservedMemHigh) == MB + 256);
	CHECK(cudaMemGetInfo(&after, &total));
	EXPECT(before == after);

	set(pool, cudaMemPoolAttrReleaseThreshold, 3 * MB);
	set(pool, cudaMemPoolAttrUsedMemHigh, 0);
	CHECK(cudaMallocAsync(&p, 2 * MB, 0));
	CHECK(cudaMallocAsync(&q, 2 * MB, 0));
	CHECK(cudaFreeAsync(p, 0));
	expect_bytes(pool, "above", 2 * MB, 2 * MB);
	CHECK(cudaFreeAsync(q, 0));
	expect_bytes(pool, "below", 0, 2 * MB);
	EXPECT_ERROR(cudaFreeAsync(q, 0), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaFree(q), cudaErrorInvalidValue);
	CHECK(cudaMallocAsync(&p, 2 * MB - 5000, 0));
	EXPECT(p == q);
	expect_bytes(pool, "again", 2 * MB, 2 * MB);
	EXPECT(get(pool, cudaMemPoolAttrUsedMemHigh) == 4 * MB);
	CHECK(cudaFreeAsync(p, 0));
	/* this one would waste too much */
	CHECK(cudaMallocAsync(&p, 4096, 0));
	EXPECT(p != q);
	CHECK(cudaFreeAsync(p, 0));
	expect_bytes(pool, "held", 0, 2 * MB + 4096);
	CHECK(cudaMemPoolTrimTo(pool, 3 * MB));
	expect_bytes(pool, "kept", 0, 2 * MB + 4096);
	CHECK(cudaMemPoolTrimTo(pool, 0));
	expect_bytes(pool, "trimmed", 0, 0);
	CHECK(cudaMemGetInfo(&after, &total));
	EXPECT(before == after);
}

/* What is held is given back when there is nothing else. */
static void full(void)
{
	cudaMemPool_t pool;
	size_t before, total;
	void *p, *q;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	set(pool, cudaMemPoolAttrReleaseThreshold, ~0ull);
	CHECK(cudaMemGetInfo(&before, &total));
	CHECK(cudaMallocAsync(&p, before / 4 * 3, 0));
	EXPECT_ERROR(cudaMallocAsync(&q, before / 2, 0), cudaErrorMemoryAllocation);
	CHECK(cudaFreeAsync(p, 0));
	expect_bytes(pool, "most", 0, (before / 4 * 3 + 255) / 256 * 256);
	CHECK(cudaMalloc(&q, before / 2));
	expect_bytes(pool, "released", 0, 0);
	CHECK(cudaFree(q));
	CHECK(cudaMallocAsync(&p, before / 4 * 3, 0));
	CHECK(cudaFreeAsync(p, 0));
	CHECK(cudaMallocFromPoolAsync(&q, before / 4, pool, 0));
	CHECK(cudaFreeAsync(q, 0));
	set(pool, cudaMemPoolAttrReleaseThreshold, 0);
	expect_bytes(pool, "lowered", 0, 0);
}

static void own_pools(void)
{
	cudaMemPool_t pool = new_pool(0), small = new_pool(MB), usual, now;
	cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
	cudaMemAccessDesc access = {};
	int value = 0;
	void *p, *q, *none;

	CHECK(cudaDeviceGetDefaultMemPool(&usual, 0));
	CHECK(cudaDeviceSetMemPool(0, pool));
	CHECK(cudaDeviceGetMemPool(&now, 0));
	EXPECT(now == pool && pool != usual && pool != small);
	CHECK(cudaMallocAsync(&p, 1000, 0));
	expect_bytes(pool, "own", 1024, 1024);
	expect_bytes(usual, "usual", 0, 0);
	CHECK(cudaMallocAsync(&q, MB, small, 0));
	EXPECT_ERROR(cudaMallocFromPoolAsync(&none, 1, small, 0), cudaErrorMemoryAllocation);
	EXPECT_ERROR(cudaMallocFromPoolAsync(&none, MB + 1, small, 0), cudaErrorMemoryAllocation);
	CHECK(cudaFree(p));

	access.location.type = cudaMemLocationTypeDevice;
	CHECK(cudaMemPoolGetAccess(&flags, pool, &access.location));
	EXPECT(flags == cudaMemAccessFlagsProtReadWrite);
	access.flags = cudaMemAccessFlagsProtReadWrite;
	CHECK(cudaMemPoolSetAccess(pool, &access, 1));
	access.flags = cudaMemAccessFlagsProtRead;
	EXPECT_ERROR(cudaMemPoolSetAccess(pool, &access, 1), cudaErrorInvalidValue);
	access.location.id = 99;
	EXPECT_ERROR(cudaMemPoolGetAccess(&flags, pool, &access.location), cudaErrorInvalidValue);
	CHECK(cudaMemPoolDestroy(small));

	/* destroyed with an allocation that is still used */
	CHECK(cudaMallocAsync(&p, 4000, 0));
	CHECK(cudaMemPoolDestroy(pool));
	CHECK(cudaDeviceGetMemPool(&now, 0));
	EXPECT(now == usual);
	EXPECT_ERROR(cudaMemPoolTrimTo(pool, 0), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaDeviceSetMemPool(0, pool), cudaErrorInvalidValue);
	fill<<<1, 64>>>((int *)p, 1000, 5);
	CHECK(cudaMemcpy(&value, (int *)p + 999, 4, cudaMemcpyDeviceToHost));
	EXPECT(value == 1004);
	CHECK(cudaFreeAsync(p, 0));
	CHECK(cudaFreeAsync(q, 0));
	EXPECT_ERROR(cudaFree(p), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemPoolDestroy(usual), cudaErrorInvalidValue);
	(void)cudaGetLastError();
}

static void refused(void)
{
	cudaMemPoolProps props = {};
	cudaMemPool_t pool, wrong = (cudaMemPool_t)&props;
	uint64_t value = 1;
	void *p;

	props.allocType = cudaMemAllocationTypePinned;
	props.location.type = cudaMemLocationTypeDevice;
	props.location.id = 99;
	EXPECT_ERROR(cudaMemPoolCreate(&pool, &props), cudaErrorInvalidValue);
	props.location.id = 0;
	props.allocType = cudaMemAllocationTypeInvalid;
	EXPECT_ERROR(cudaMemPoolCreate(&pool, &props), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemPoolCreate(&pool, NULL), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemPoolDestroy(wrong), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMallocFromPoolAsync(&p, 4, wrong, 0), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMallocFromPoolAsync(&p, 4, NULL, 0), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMallocAsync(&p, 4, (cudaStream_t)0x1234), cudaErrorInvalidResourceHandle);
	EXPECT_ERROR(cudaDeviceGetDefaultMemPool(&pool, 99), cudaErrorInvalidDevice);
	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	for (int attribute : { cudaMemPoolAttrUsedMemHigh, cudaMemPoolAttrReservedMemHigh,
			       cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrReservedMemCurrent })
		EXPECT_ERROR(cudaMemPoolSetAttribute(pool, (cudaMemPoolAttr)attribute, &value),
			     cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)99, &value),
		     cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, NULL),
		     cudaErrorInvalidValue);
	/* a reset ends what a pool has */
	value = MB;
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
	CHECK(cudaMallocAsync(&p, 1000, 0));
	CHECK(cudaFreeAsync(p, 0));
	CHECK(cudaMallocAsync(&p, 10000, 0));
	expect_bytes(pool, "before", 10240, 11264);
	CHECK(cudaDeviceReset());
	expect_bytes(pool, "after", 0, 0);
	EXPECT_ERROR(cudaFreeAsync(p, 0), cudaErrorInvalidValue);
	CHECK(cudaMallocAsync(&p, 1000, 0));
	expect_bytes(pool, "new", 1024, 1024);
	CHECK(cudaFreeAsync(p, 0));
	(void)cudaGetLastError();
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "memory_pools", NULL, 0, 0, 0);
	in_order();
	counts();
	full();
	own_pools();
	refused();
	return finish();
}
