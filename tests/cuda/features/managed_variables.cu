/* SPDX-License-Identifier: MIT */
/*
 * managed_variables: __managed__ variables are the same memory for host and kernels, with their
 * initial values: of many types, static, of a namespace, a class and a template; before the first
 * call, in copies and calls that name symbols, after a failed kernel and a reset, and at exit.
 */
#include "../common.h"

#define N 5000

struct point {
	int x;
	double y;
	int list[3];
};

__device__ __managed__ int numbers[N] = { 10, 20, 30 };
__managed__ __device__ float scale = 1.5f;
__managed__ unsigned long long count;
__managed__ float4 large[16384];		/* zero: not in the file */
static __device__ __managed__ int hidden = 7;
extern __managed__ int later;
__device__ __managed__ point where = { 1, 2.5, { 3, 4, 5 } }, other;
__managed__ point *there = &where;
__device__ int plain = 40;
__device__ point *in_data = &where;
alignas(256) __managed__ char text[300] = "a; b = { c }";

namespace {
__managed__ int unnamed = 11;
}

namespace outer {
struct holder {
	static __managed__ int member;
};
__managed__ int holder::member = 12;
}

template <class T> __device__ __managed__ T of_type = T(13);

#define SHARED_COUNTER __device__ __managed__ unsigned int
SHARED_COUNTER	counter = 0;

static bool ended;	/* ends() has been called */

/* Host code that runs before main() and after it. */
struct early {
	early() { hidden += 100; }
	~early()
	{
		if (ended && (hidden != 1000 || count != 77)) {
			fprintf(stderr, "at exit: hidden %d, count %llu\n", hidden, count);
			_Exit(1);
		}
	}
} early;

__global__ void use(int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		numbers[i] += i;
	atomicAdd(&counter, 1);
	if (i)
		return;
	scale *= 2;
	hidden++;
	large[9999].z += 2;
	later += plain;
	where.x += 1;
	in_data->list[2] += (int)where.y;
	other = where;
	there->list[1] += 1000;
	text[0] = 'A';
	unnamed++;
	outer::holder::member++;
	of_type<int>++;
	of_type<double> += 0.5;
}

__global__ void add_to(int *p, int n)
{
	for (int i = 0; i < n; i++)
		p[i]++;
}

__global__ void wrong(int *p)
{
	*p = 1;
}

__managed__ int later = 2;

static void values(void)
{
	EXPECT(hidden == 107 && numbers[2] == 30 && there == &where);
	numbers[3] = -1;
	large[9999].z = 1;
	use<<<(N + 127) / 128, 128>>>(N);
	CHECK_LAUNCH();
	EXPECT(numbers[0] == 10 && numbers[1] == 21 && numbers[2] == 32 && numbers[3] == 2);
	for (int i = 4; i < N; i++)
		expect_same("numbers", i, numbers[i], i);
	EXPECT(large[9999].z == 3 && large[9999].w == 0 && large[16383].x == 0);
	EXPECT(counter == (N + 127) / 128 * 128u);
	EXPECT(scale == 3 && hidden == 108 && later == 42 && count == 0);
	EXPECT(where.x == 2 && where.list[1] == 1004 && where.list[2] == 7);
	EXPECT(other.list[2] == 7 && other.y == 2.5);
	EXPECT(!strcmp(text, "A; b = { c }") && (uintptr_t)text % 256 == 0);
	EXPECT(unnamed == 12 && outer::holder::member == 13);
	EXPECT(of_type<int> == 14 && of_type<double> == 13.5);
	add_to<<<1, 1>>>(numbers, 2);
	add_to<<<1, 1>>>(&later, 1);
	CHECK_LAUNCH();
	EXPECT(numbers[1] == 22 && later == 43);
}

static void calls(void)
{
	cudaPointerAttributes attributes;
	int pair[2] = { 5, 6 }, *device;
	size_t bytes = 0;
	void *address;

	CHECK(cudaGetSymbolAddress(&address, numbers));
	CHECK(cudaGetSymbolSize(&bytes, numbers));
	EXPECT(address == numbers && bytes == sizeof(numbers));
	CHECK(cudaGetSymbolAddress(&address, hidden));
	EXPECT(address == &hidden);
	CHECK(cudaMemcpyToSymbol(numbers, pair, sizeof(pair), 8));
	EXPECT(numbers[2] == 5 && numbers[3] == 6);
	numbers[4] = 77;
	CHECK(cudaMemcpyFromSymbol(pair, numbers, 4, 16));
	EXPECT(pair[0] == 77);
	CHECK(cudaMemcpy(pair, &numbers[3], 8, cudaMemcpyDeviceToHost));
	EXPECT(pair[0] == 6 && pair[1] == 77);
	CHECK(cudaMemcpy(&later, pair, 4, cudaMemcpyDefault));
	EXPECT(later == 6);
	CHECK(cudaMalloc(&device, 8));
	CHECK(cudaMemcpy(device, numbers + 3, 8, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(numbers, device, 8, cudaMemcpyDeviceToDevice));
	EXPECT(numbers[0] == 6 && numbers[1] == 77);
	CHECK(cudaFree(device));
	CHECK(cudaMemset(numbers, 0, 12));
	CHECK(cudaDeviceSynchronize());
	EXPECT(numbers[2] == 0 && numbers[3] == 6);
	CHECK(cudaPointerGetAttributes(&attributes, &numbers[9]));
	EXPECT(attributes.type == cudaMemoryTypeManaged && attributes.device == 0 &&
	       attributes.devicePointer == &numbers[9] && attributes.hostPointer == &numbers[9]);
	CHECK(cudaMemPrefetchAsync(numbers, sizeof(numbers), 0));
	CHECK(cudaMemAdvise(numbers, sizeof(numbers), cudaMemAdviseSetReadMostly, 0));
	EXPECT(numbers[N - 1] == N - 1);
	EXPECT_ERROR(cudaMemcpyToSymbol(numbers, pair, 8, sizeof(numbers) - 4),
		     cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemcpy(numbers, pair, sizeof(numbers) + 4, cudaMemcpyDefault),
		     cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemPrefetchAsync(numbers, sizeof(numbers) + 1, 0), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaFree(numbers), cudaErrorInvalidValue);
	(void)cudaGetLastError();
}

/* What is in them outlives the context. */
static void ends(void)
{
	use<<<1, 1>>>(0);
	CHECK_LAUNCH();
	hidden = 500;
	wrong<<<1, 1>>>((int *)8);
	EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
	EXPECT(hidden == 500);
	CHECK(cudaDeviceReset());
	EXPECT(hidden == 500 && numbers[N - 1] == N - 1 && large[9999].z == 5);
	hidden = 600;
	use<<<1, 1>>>(0);
	CHECK_LAUNCH();
	EXPECT(hidden == 601);
	add_to<<<1, 1>>>(&hidden, 1);
	CHECK(cudaDeviceReset());
	EXPECT(hidden == 602);
	hidden = 998;
	add_to<<<1, 1>>>(&hidden, 1);
	CHECK_LAUNCH();
	count = 77;
	ended = true;
	/* still on the device when the program ends */
	add_to<<<1, 1>>>(&hidden, 1);
	CHECK_LAUNCH();
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "managed_variables", NULL, 0, 0, 0);
	values();
	calls();
	ends();
	return finish();
}
