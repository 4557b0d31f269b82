// SPDX-License-Identifier: MIT
/* Thrust and CUB, as Debian has them: what they compute is what the host computes. */
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#define N 20000

static int count, failed;

static void ok(bool good, const char *name)
{
	printf("%sok %d - thrust: %s\n", good ? "" : "not ", ++count, name);
	failed |= !good;
}

static std::vector<int> numbers()
{
	std::vector<int> v(N);
	unsigned int seed = 1;

	for (int &x : v) {
		seed = seed * 1664525u + 1013904223u;
		x = (int)(seed >> 20);
	}
	return v;
}

static bool same(const thrust::device_vector<int> &device, const std::vector<int> &host)
{
	thrust::host_vector<int> copy = device;

	return copy.size() == host.size() && std::equal(host.begin(), host.end(), copy.begin());
}

static void algorithms()
{
	std::vector<int> host = numbers(), sums(N);
	thrust::device_vector<int> device(host.begin(), host.end()), scanned(N), index(N);
	thrust::device_vector<int> key = device;

	std::partial_sum(host.begin(), host.end(), sums.begin());
	thrust::inclusive_scan(device.begin(), device.end(), scanned.begin());
	ok(same(scanned, sums), "inclusive_scan");
	ok(thrust::reduce(device.begin(), device.end()) == sums.back(), "reduce");
	thrust::sequence(index.begin(), index.end());
	thrust::sort_by_key(key.begin(), key.end(), index.begin());
	bool in_order = true;
	for (int n = 0; n < N; n += 101)
		in_order &= host[(int)index[n]] == (int)key[n];
	ok(in_order, "sort_by_key");
	std::sort(host.begin(), host.end());
	thrust::sort(device.begin(), device.end());
	ok(same(device, host) && same(key, host), "sort");
	host.erase(std::unique(host.begin(), host.end()), host.end());
	device.erase(thrust::unique(device.begin(), device.end()), device.end());
	ok(same(device, host), "unique");
}

/* Kernels with many threads and many values: they have launch bounds that limit registers. */
static void large_blocks()
{
	std::vector<int> all = numbers();
	std::vector<signed char> host(all.begin(), all.end());
	thrust::device_vector<signed char> device(host.begin(), host.end());

	thrust::sort(device.begin(), device.end());
	std::sort(host.begin(), host.end());
	thrust::host_vector<signed char> sorted = device;
	ok(std::equal(host.begin(), host.end(), sorted.begin()), "sort of bytes");

	auto half = all.begin() + N / 2;
	std::vector<int> first(all.begin(), half), second(half, all.end()), want(N);
	std::sort(first.begin(), first.end());
	std::sort(second.begin(), second.end());
	auto end = std::set_union(first.begin(), first.end(), second.begin(), second.end(),
				  want.begin());
	want.erase(end, want.end());
	thrust::device_vector<int> a(first.begin(), first.end()), b(second.begin(), second.end());
	thrust::device_vector<int> keys(N), values(N);
	auto ends = thrust::set_union_by_key(a.begin(), a.end(), b.begin(), b.end(), a.begin(),
					     b.begin(), keys.begin(), values.begin());
	keys.erase(ends.first, keys.end());
	values.erase(ends.second, values.end());
	ok(same(keys, want) && same(values, want), "set_union_by_key");
}

/* clang 15 and 16 copied 128 bytes between shared and global memory to the wrong place. */
struct large {
	int v[32];
	__host__ __device__ bool operator<(const large &o) const { return v[0] < o.v[0]; }
};

static void large_keys()
{
	thrust::host_vector<large> host(500);
	unsigned int seed = 1;

	for (large &x : host) {
		seed = seed * 1664525u + 1013904223u;
		for (int i = 0; i < 32; i++)
			x.v[i] = (int)(seed >> 16) + i;
	}
	thrust::device_vector<large> device = host;
	thrust::stable_sort(device.begin(), device.end());
	std::stable_sort(host.begin(), host.end());
	thrust::host_vector<large> got = device;
	bool good = true;
	for (int n = 0; n < 500; n++)
		for (int i = 0; i < 32; i++)
			good &= got[n].v[i] == host[n].v[i];
	ok(good, "stable_sort of 128 bytes");
}

/* Functions of the host, in branches that a kernel does not take. */
__global__ void in_a_kernel(int *from, int *to, int n)
{
	thrust::copy(thrust::device, from, from + n, to);
	thrust::sort(thrust::device, to, to + n);
	to[n] = thrust::reduce(thrust::device, from, from + n);
}

static void inside()
{
	std::vector<int> host = numbers();
	thrust::device_vector<int> device(host.begin(), host.begin() + 300), out(301);

	host.resize(300);
	in_a_kernel<<<1, 1>>>(thrust::raw_pointer_cast(device.data()),
			      thrust::raw_pointer_cast(out.data()), 300);
	std::sort(host.begin(), host.end());
	host.push_back(std::accumulate(host.begin(), host.end(), 0));
	ok(same(out, host), "algorithms in a kernel");
}

__global__ void sums_of_blocks(const int *in, int *out)
{
	typedef cub::BlockReduce<int, 128> reduce;
	__shared__ typename reduce::TempStorage storage;
	int sum = reduce(storage).Sum(in[blockIdx.x * 128 + threadIdx.x]);

	if (!threadIdx.x)
		out[blockIdx.x] = sum;
}

static void primitives()
{
	std::vector<int> host = numbers();
	thrust::device_vector<int> device(host.begin(), host.end()), out(2), total(1);
	size_t bytes = 0;
	void *memory = NULL;

	sums_of_blocks<<<2, 128>>>(device.data().get(), out.data().get());
	ok((int)out[0] == std::accumulate(&host[0], &host[128], 0) &&
		   (int)out[1] == std::accumulate(&host[128], &host[256], 0),
	   "cub::BlockReduce");
	cub::DeviceReduce::Sum(memory, bytes, device.data().get(), total.data().get(), N);
	bool good = cudaMalloc(&memory, bytes) == cudaSuccess;
	cub::DeviceReduce::Sum(memory, bytes, device.data().get(), total.data().get(), N);
	ok(good && (int)total[0] == std::accumulate(host.begin(), host.end(), 0),
	   "cub::DeviceReduce");
	cudaFree(memory);
}

int main(void)
{
	algorithms();
	primitives();
	large_blocks();
	large_keys();
	inside();
	printf("1..%d\n", count);
	return failed;
}
