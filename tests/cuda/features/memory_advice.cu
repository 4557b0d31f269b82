/* SPDX-License-Identifier: MIT */
/*
 * memory_advice: what cudaMemAdvise and cudaMemPrefetchAsync said about managed memory can be asked
 * for, page by page, against a model; locations as CUDA 13 writes them; what is refused.
 */
#include "../common.h"

#define PAGE	4096
#define PAGES	40

struct page {
	int read_mostly, preferred, prefetched;
	bool by_host, by_device;
};

__managed__ int variable[2048];

static int ask(cudaMemRangeAttribute attribute, const void *p, size_t bytes)
{
	int value = -77;

	CHECK(cudaMemRangeGetAttribute(&value, sizeof(value), attribute, p, bytes));
	return value;
}

/* All four at once, of pages first .. last. */
static void compare(const char *memory, const page *model, int first, int last)
{
	cudaMemRangeAttribute attributes[] = {
		cudaMemRangeAttributeReadMostly, cudaMemRangeAttributePreferredLocation,
		cudaMemRangeAttributeAccessedBy, cudaMemRangeAttributeLastPrefetchLocation,
	};
	int read_mostly = -77, preferred = -77, by[3] = { -77, -77, -77 }, prefetched = -77, n = 0;
	void *data[] = { &read_mostly, &preferred, by, &prefetched };
	size_t bytes[] = { 4, 4, sizeof(by), 4 };
	page all = model[first];

	for (int i = first; i <= last; i++) {
		all.read_mostly &= model[i].read_mostly;
		all.by_host &= model[i].by_host;
		all.by_device &= model[i].by_device;
		if (all.preferred != model[i].preferred)
			all.preferred = cudaInvalidDeviceId;
		if (all.prefetched != model[i].prefetched)
			all.prefetched = cudaInvalidDeviceId;
	}
	CHECK(cudaMemRangeGetAttributes(data, bytes, attributes, 4, memory + first * PAGE + 5,
					(last - first) * PAGE + 9));
	expect_same("read mostly", first, read_mostly, all.read_mostly);
	expect_same("preferred", first, preferred, all.preferred);
	expect_same("prefetched", first, prefetched, all.prefetched);
	if (all.by_host)
		expect_same("by host", first, by[n++], cudaCpuDeviceId);
	if (all.by_device)
		expect_same("by device", first, by[n++], 0);
	while (n < 3)
		expect_same("by nobody", first, by[n++], cudaInvalidDeviceId);
}

static void random_advice(void)
{
	page model[PAGES];
	lcg g = { 1 };
	char *memory;

	CHECK(cudaMallocManaged(&memory, PAGES * PAGE));
	for (page &one : model)
		one = page{ 0, cudaInvalidDeviceId, cudaInvalidDeviceId, false, false };
	for (int round = 0; round < 3000; round++) {
		int first = (int)lcg_below(&g, PAGES);
		int last = first + (int)lcg_below(&g, PAGES - first), kind = (int)lcg_below(&g, 7);
		int device = lcg_below(&g, 2) ? 0 : cudaCpuDeviceId;
		/* from the last byte of the first page to the first one of the last */
		char *p = memory + first * PAGE + (first < last ? PAGE - 1 : 7);
		size_t bytes = first < last ? (last - first - 1) * PAGE + 2 : 1;

		if (kind)
			CHECK(cudaMemAdvise(p, bytes, (cudaMemoryAdvise)kind, device));
		else
			CHECK(cudaMemPrefetchAsync(p, bytes, device));
		for (int i = first; i <= last; i++) {
			page *one = &model[i];
			bool *by = device ? &one->by_host : &one->by_device;

			if (!kind)
				one->prefetched = device;
			else if (kind <= cudaMemAdviseUnsetReadMostly)
				one->read_mostly = kind == cudaMemAdviseSetReadMostly;
			else if (kind <= cudaMemAdviseUnsetPreferredLocation)
				one->preferred = kind == cudaMemAdviseSetPreferredLocation ?
					device : cudaInvalidDeviceId;
			else
				*by = kind == cudaMemAdviseSetAccessedBy;
		}
		first = (int)lcg_below(&g, PAGES);
		compare(memory, model, first, first + (int)lcg_below(&g, PAGES - first));
		compare(memory, model, first, first);
	}
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(memory));
}

static void locations(void)
{
	cudaMemLocation device = { cudaMemLocationTypeDevice, 0 };
	cudaMemLocation host = { cudaMemLocationTypeHost, 0 };
	cudaMemLocation node = { cudaMemLocationTypeHostNuma, 0 }, nowhere = {};
	char *memory;

	CHECK(cudaMallocManaged(&memory, 3 * PAGE));
	CHECK(cudaMemAdvise(memory, PAGE, cudaMemAdviseSetPreferredLocation, device));
	CHECK(cudaMemAdvise(memory + PAGE, PAGE, cudaMemAdviseSetPreferredLocation, host));
	CHECK(cudaMemPrefetchAsync(memory, 2 * PAGE, device, 0));
	CHECK(cudaMemPrefetchAsync(memory + PAGE, PAGE, node, 0, cudaStreamPerThread));
	CHECK(cudaMemPrefetchAsync_v2(memory + 2 * PAGE, PAGE, host, 0, 0));
	EXPECT(ask(cudaMemRangeAttributePreferredLocationType, memory, 9) ==
	       cudaMemLocationTypeDevice);
	EXPECT(ask(cudaMemRangeAttributePreferredLocationId, memory, 9) == 0);
	EXPECT(ask(cudaMemRangeAttributePreferredLocationType, memory + PAGE, 9) ==
	       cudaMemLocationTypeHost);
	EXPECT(ask(cudaMemRangeAttributePreferredLocationType, memory, PAGE + 1) ==
	       cudaMemLocationTypeInvalid);
	EXPECT(ask(cudaMemRangeAttributeLastPrefetchLocationType, memory, PAGE) ==
	       cudaMemLocationTypeDevice);
	EXPECT(ask(cudaMemRangeAttributeLastPrefetchLocationId, memory, PAGE) == 0);
	EXPECT(ask(cudaMemRangeAttributeLastPrefetchLocation, memory + PAGE, 2 * PAGE) ==
	       cudaCpuDeviceId);
	EXPECT_ERROR(cudaMemPrefetchAsync(memory, PAGE, nowhere, 0), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemPrefetchAsync(memory, PAGE, device, 1), cudaErrorInvalidValue);
	device.id = 99;
	EXPECT_ERROR(cudaMemPrefetchAsync(memory, PAGE, device, 0), cudaErrorInvalidDevice);
	EXPECT_ERROR(cudaMemAdvise(memory, PAGE, cudaMemAdviseSetAccessedBy, device),
		     cudaErrorInvalidDevice);
	EXPECT_ERROR(cudaMemAdvise(memory, PAGE, cudaMemAdviseSetAccessedBy, node),
		     cudaErrorInvalidValue);
	node.id = 5;
	EXPECT_ERROR(cudaMemPrefetchAsync(memory, PAGE, node, 0), cudaErrorInvalidValue);
	/* where there is no location to name, none is looked at */
	CHECK(cudaMemAdvise(memory, PAGE, cudaMemAdviseUnsetPreferredLocation, nowhere));
	CHECK(cudaMemAdvise(memory, PAGE, cudaMemAdviseSetReadMostly, device));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(memory));
}

/* New memory has no advice, wherever it lies. */
static void freed(void)
{
	int *small[40], *large;

	for (int *&one : small) {
		CHECK(cudaMallocManaged(&one, 1000));
		CHECK(cudaMemAdvise(one, 1000, cudaMemAdviseSetReadMostly, 0));
		EXPECT(ask(cudaMemRangeAttributeReadMostly, one, 1000) == 1);
	}
	CHECK(cudaMallocManaged(&large, 10 * PAGE));
	CHECK(cudaMemAdvise(large, 10 * PAGE, cudaMemAdviseSetReadMostly, 0));
	/* the first one stays */
	for (int i = 1; i < 40; i++)
		CHECK(cudaFree(small[i]));
	CHECK(cudaFree(large));
	EXPECT(ask(cudaMemRangeAttributeReadMostly, small[0], 1000) == 1);
	/* the new allocation may begin in its page */
	CHECK(cudaMallocManaged(&large, 15 * PAGE));
	for (int i = 1; i < 15; i++)
		EXPECT(!ask(cudaMemRangeAttributeReadMostly, (char *)large + i * PAGE, 1));
	CHECK(cudaFree(large));
	/* one with a mapping of its own */
	for (int i = 0; i < 2; i++) {
		CHECK(cudaMallocManaged(&large, 100 * PAGE));
		EXPECT(!ask(cudaMemRangeAttributeReadMostly, large, 1));
		CHECK(cudaMemAdvise(large, 100 * PAGE, cudaMemAdviseSetReadMostly, 0));
		EXPECT(ask(cudaMemRangeAttributeReadMostly, large, 100 * PAGE));
		CHECK(cudaFree(large));
	}
	CHECK(cudaFree(small[0]));
	CHECK(cudaMemAdvise(variable, sizeof(variable), cudaMemAdviseSetReadMostly, 0));
	EXPECT(ask(cudaMemRangeAttributeReadMostly, variable + 5, 100) == 1);
	CHECK(cudaDeviceReset());
	EXPECT(ask(cudaMemRangeAttributeReadMostly, variable, 4) == 0);
}

static void refused(void)
{
	cudaMemRangeAttribute wrong = (cudaMemRangeAttribute)0;
	cudaMemRangeAttribute one = cudaMemRangeAttributeReadMostly;
	int values[4], *device, *memory;
	void *data = values;
	size_t bytes = 4;

	CHECK(cudaMallocManaged(&memory, 2 * PAGE));
	CHECK(cudaMalloc(&device, PAGE));
	EXPECT_ERROR(cudaMemRangeGetAttribute(values, 4, wrong, memory, 4), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemRangeGetAttribute(values, 8, one, memory, 4), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemRangeGetAttribute(values, 0, one, memory, 4), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemRangeGetAttribute(values, 6, cudaMemRangeAttributeAccessedBy, memory,
					      4), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemRangeGetAttribute(NULL, 4, one, memory, 4), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemRangeGetAttribute(values, 4, one, memory, 0), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemRangeGetAttribute(values, 4, one, memory, 2 * PAGE + 1),
		     cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemRangeGetAttribute(values, 4, one, device, 4), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemRangeGetAttribute(values, 4, one, (void *)64, 4),
		     cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemRangeGetAttributes(&data, &bytes, &one, 0, memory, 4),
		     cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemRangeGetAttributes(NULL, &bytes, &one, 1, memory, 4),
		     cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemAdvise(device, 4, cudaMemAdviseSetReadMostly, 0),
		     cudaErrorInvalidValue);
	CHECK(cudaFree(device));
	CHECK(cudaFree(memory));
	(void)cudaGetLastError();
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "memory_advice", NULL, 0, 0, 0);
	random_advice();
	locations();
	freed();
	refused();
	return finish();
}
