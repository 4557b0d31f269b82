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

/* In flight: until @go is set. */
__global__ void wait_for(volatile int *go)
{
	while (!*go)
		;
}

/* Nobody waits for memory that is freed, and who comes behind it in its stream has it at once. */
static void in_flight(void)
{
	const size_t bytes = 4 * MB;
	volatile int *go;
	int *seen, *p, *again, *other, *later, value = 0;
	cudaStream_t stream, beside;

	CHECK(cudaHostAlloc((void **)&go, sizeof(*go), cudaHostAllocMapped));
	CHECK(cudaHostGetDevicePointer((void **)&seen, (void *)go, 0));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
	*go = 0;
	CHECK(cudaDeviceSynchronize());	/* the pool is empty */
	CHECK(cudaMallocAsync(&p, bytes, stream));
	wait_for<<<1, 1, 0, stream>>>(seen);
	fill<<<1, 64, 0, stream>>>(p, 1000, 1);
	CHECK(cudaFreeAsync(p, stream));
	EXPECT(cudaStreamQuery(stream) == cudaErrorNotReady);
	CHECK(cudaMallocAsync(&again, bytes, stream));
	EXPECT(again == p);
	CHECK(cudaFreeAsync(again, stream));
	CHECK(cudaMallocAsync(&other, bytes, beside));
	EXPECT(other != p);
	fill<<<1, 64, 0, beside>>>(other, 1000, 7);
	EXPECT(cudaStreamQuery(stream) == cudaErrorNotReady);
	/* where there is one SM alone, it is only now that anything goes on */
	*go = 1;
	CHECK(cudaMemcpyAsync(&value, other + 999, 4, cudaMemcpyDeviceToHost, beside));
	CHECK(cudaStreamSynchronize(beside));
	EXPECT(value == 1006);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMallocAsync(&later, bytes, beside));
	EXPECT(later == p);
	CHECK(cudaFreeAsync(later, beside));
	CHECK(cudaFreeAsync(other, beside));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(beside));
	CHECK(cudaFreeHost((void *)go));
	(void)cudaGetLastError();
}

/* Where nothing else is free, a stream waits for what another one uses, and nobody else. */
static void in_another_stream(void)
{
	const int n = 1000;
	volatile int *go;
	int *seen, *p, *q, value = 0, no = 0, yes = 1;
	cudaStream_t stream, beside;
	cudaMemPool_t pool = new_pool(4 * MB);

	CHECK(cudaHostAlloc((void **)&go, sizeof(*go), cudaHostAllocMapped));
	CHECK(cudaHostGetDevicePointer((void **)&seen, (void *)go, 0));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
	*go = 0;
	CHECK(cudaMallocFromPoolAsync((void **)&p, 3 * MB, pool, stream));
	wait_for<<<1, 1, 0, stream>>>(seen);
	fill<<<1, 64, 0, stream>>>(p, n, 1);
	CHECK(cudaFreeAsync(p, stream));
	CHECK(cudaMallocFromPoolAsync((void **)&q, 2 * MB, pool, beside));
	EXPECT(q == p);
	fill<<<1, 64, 0, beside>>>(q, n, 50);
	EXPECT(cudaStreamQuery(beside) == cudaErrorNotReady);
	*go = 1;
	CHECK(cudaMemcpyAsync(&value, q, 4, cudaMemcpyDeviceToHost, beside));
	CHECK(cudaStreamSynchronize(beside));
	EXPECT(value == 50);
	CHECK(cudaFreeAsync(q, beside));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &no));
	CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &yes));
	EXPECT(yes == 1);
	CHECK(cudaMemPoolDestroy(pool));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(beside));
	CHECK(cudaFreeHost((void *)go));
	(void)cudaGetLastError();
}

/* A pool gets 32 MB at once, and gives back what is above its threshold when the program waits. */
static void counts(void)
{
	cudaMemPool_t pool;
	size_t before, after, total;
	char *p, *q;
	int reuse = 0;

	CHECK(cudaDeviceSynchronize());
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
	EXPECT(q == p + MB);
	expect_bytes(pool, "two", MB + 512, 32 * MB);
	CHECK(cudaFreeAsync(p, 0));
	expect_bytes(pool, "one", 512, 32 * MB);
	CHECK(cudaFreeAsync(q, 0));
	expect_bytes(pool, "none", 0, 32 * MB);
	CHECK(cudaStreamSynchronize(0));
	expect_bytes(pool, "given back", 0, 0);
	EXPECT(get(pool, cudaMemPoolAttrUsedMemHigh) == MB + 512);
	EXPECT(get(pool, cudaMemPoolAttrReservedMemHigh) == 32 * MB);
	CHECK(cudaMemGetInfo(&after, &total));
	EXPECT(before == after);

	set(pool, cudaMemPoolAttrReleaseThreshold, 40 * MB);
	set(pool, cudaMemPoolAttrUsedMemHigh, 0);
	CHECK(cudaMallocAsync(&p, 20 * MB, 0));
	CHECK(cudaMallocAsync(&q, 33 * MB, 0));
	expect_bytes(pool, "large", 53 * MB, 66 * MB);
	CHECK(cudaFreeAsync(p, 0));
	CHECK(cudaDeviceSynchronize());
	expect_bytes(pool, "above", 33 * MB, 34 * MB);
	CHECK(cudaFreeAsync(q, 0));
	CHECK(cudaDeviceSynchronize());
	expect_bytes(pool, "below", 0, 34 * MB);
	EXPECT_ERROR(cudaFreeAsync(q, 0), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaFree(q), cudaErrorInvalidValue);
	CHECK(cudaMallocAsync(&p, 34 * MB - 5000, 0));
	EXPECT(p == q);
	expect_bytes(pool, "again", 34 * MB - 4608, 34 * MB);
	EXPECT(get(pool, cudaMemPoolAttrUsedMemHigh) == 53 * MB);
	CHECK(cudaMallocAsync(&q, 4096, 0));
	EXPECT(q == p + 34 * MB - 4608);
	/* each is an allocation, whatever lies beside it */
	EXPECT_ERROR(cudaMemset(q, 0, 4097), cudaErrorInvalidValue);
	CHECK(cudaMemset(q, 0, 4096));
	EXPECT_ERROR(cudaMemset(q + 4096, 0, 1), cudaErrorInvalidValue);
	CHECK(cudaFree(p));
	CHECK(cudaMemPoolTrimTo(pool, 0));
	expect_bytes(pool, "kept", 4096, 34 * MB);
	CHECK(cudaFreeAsync(q, 0));
	CHECK(cudaMemPoolTrimTo(pool, 34 * MB));
	expect_bytes(pool, "enough", 0, 34 * MB);
	CHECK(cudaMemPoolTrimTo(pool, 0));
	expect_bytes(pool, "trimmed", 0, 0);
	CHECK(cudaMemGetInfo(&after, &total));
	EXPECT(before == after);
	reuse = 1;
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
}

/* Many sizes, in any order, by several streams: none lies in another one. */
static void mixed(void)
{
	enum { COUNT = 60, ROUNDS = 6 };
	unsigned int seed = 12345;
	cudaStream_t streams[3];
	int *at[COUNT] = {}, values[COUNT], length[COUNT];

	for (cudaStream_t &stream : streams)
		CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < COUNT; i++) {
			seed = seed * 1664525 + 1013904223;
			if (at[i] && (seed >> 16) % 3)
				continue;
			if (at[i])
				CHECK(cudaFreeAsync(at[i], streams[i % 3]));
			length[i] = 1 + (seed >> 8) % 30000;
			CHECK(cudaMallocAsync(&at[i], length[i] * sizeof(int), streams[i % 3]));
			fill<<<1, 64, 0, streams[i % 3]>>>(at[i], length[i], i * 100000);
		}
		for (int i = 0; i < COUNT; i++)
			CHECK(cudaMemcpyAsync(&values[i], at[i] + length[i] - 1, sizeof(int),
					      cudaMemcpyDeviceToHost, streams[i % 3]));
		CHECK(cudaDeviceSynchronize());
		for (int i = 0; i < COUNT; i++)
			expect_same("mixed", i, values[i], i * 100000 + length[i] - 1);
	}
	for (int i = 0; i < COUNT; i++)
		CHECK(cudaFreeAsync(at[i], streams[(i + 1) % 3]));
	CHECK(cudaDeviceSynchronize());
	for (cudaStream_t &stream : streams)
		CHECK(cudaStreamDestroy(stream));
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
	expect_bytes(pool, "most", 0, (before / 4 * 3 + 2 * MB - 1) / (2 * MB) * (2 * MB));
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
	expect_bytes(pool, "own", 1024, 32 * MB);
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
	expect_bytes(pool, "before", 10240, 32 * MB);
	CHECK(cudaDeviceReset());
	expect_bytes(pool, "after", 0, 0);
	EXPECT_ERROR(cudaFreeAsync(p, 0), cudaErrorInvalidValue);
	CHECK(cudaMallocAsync(&p, 1000, 0));
	expect_bytes(pool, "new", 1024, 32 * MB);
	CHECK(cudaFreeAsync(p, 0));
	(void)cudaGetLastError();
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "memory_pools", NULL, 0, 0, 0);
	in_order();
	in_flight();
	in_another_stream();
	counts();
	mixed();
	full();
	own_pools();
	refused();
	return finish();
}
