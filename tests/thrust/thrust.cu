// SPDX-License-Identifier: MIT
/* Thrust and CUB, as Debian has them: what they compute is what the host computes. */
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
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
	printf("1..%d\n", count);
	return failed;
}
