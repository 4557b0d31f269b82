// SPDX-License-Identifier: MIT
/*
 * Recursion by launches, as programs have it: a quicksort whose parts are launched, a tree of
 * regions of points that are divided where there are many, curves that are computed with as many
 * points as they are bent, and blocks that launch blocks and print who launched them.
 */
#include "../common.h"

#include <algorithm>
#include <vector>

#define VALUES	1500
#define SMALL	24		/* so many are sorted by one thread */
#define DEEPEST	16
#define POINTS	600
#define LEVELS	6
#define CURVES	12
#define MOST	64

/* ---- quicksort ----------------------------------------------------------- */

static __device__ void insertion_sort(int *values, int left, int right)
{
	for (int i = left + 1; i <= right; i++) {
		int value = values[i], at = i;

		for (; at > left && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
}

static __global__ void quicksort(int *values, int left, int right, int depth)
{
	int *low = values + left, *high = values + right;
	int pivot = values[(left + right) / 2];
	cudaStream_t stream;

	if (depth >= DEEPEST || right - left <= SMALL) {
		insertion_sort(values, left, right);
		return;
	}
	while (low <= high) {
		while (*low < pivot)
			low++;
		while (*high > pivot)
			high--;
		if (low <= high) {
			int value = *low;

			*low++ = *high;
			*high-- = value;
		}
	}
	if (left < high - values) {
		cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
		quicksort<<<1, 1, 0, stream>>>(values, left, (int)(high - values), depth + 1);
		cudaStreamDestroy(stream);
	}
	if (low - values < right) {
		cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
		quicksort<<<1, 1, 0, stream>>>(values, (int)(low - values), right, depth + 1);
		cudaStreamDestroy(stream);
	}
}

/* ---- a tree of regions ---------------------------------------------------- */

struct region {
	unsigned int x, y, size;	/* in 2^-16 */
};

__host__ __device__ static bool is_in(unsigned int x, unsigned int y, struct region r)
{
	return x - r.x < r.size && y - r.y < r.size;
}

/* Counts its points; where there are many, four blocks have the quarters. */
static __global__ void divide(const uint2 *points, struct region region, int level,
			      unsigned int *leaves, unsigned int *inside)
{
	__shared__ unsigned int count;

	region.size >>= 1;
	if (gridDim.x == 1)
		region.size <<= 1;
	else {
		region.x += (blockIdx.x & 1) * region.size;
		region.y += (blockIdx.x >> 1) * region.size;
	}
	if (threadIdx.x == 0)
		count = 0;
	__syncthreads();
	for (int i = threadIdx.x; i < POINTS; i += blockDim.x)
		if (is_in(points[i].x, points[i].y, region))
			atomicAdd(&count, 1u);
	__syncthreads();
	if (threadIdx.x)
		return;
	if (count > POINTS / 8 && level < LEVELS) {
		divide<<<4, blockDim.x>>>(points, region, level + 1, leaves, inside);
	} else {
		atomicAdd(leaves, 1u);
		atomicAdd(inside, count);
	}
}

static unsigned int leaves_of(const std::vector<uint2> &points, struct region region, int level)
{
	unsigned int count = 0, leaves = 0;

	for (const uint2 &point : points)
		count += is_in(point.x, point.y, region);
	if (count <= POINTS / 8 || level >= LEVELS)
		return 1;
	region.size >>= 1;
	for (unsigned int n = 0; n < 4; n++)
		leaves += leaves_of(points, { region.x + (n & 1) * region.size,
					      region.y + (n >> 1) * region.size, region.size },
				    level + 1);
	return leaves;
}

/* ---- curves ---------------------------------------------------------------- */

struct curve {
	float2 control[3];
	int points;
	float2 *at;
};

static __global__ void compute(struct curve *curves, int number)
{
	struct curve *c = &curves[number];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float u = (float)i / (float)(c->points - 1), v = 1 - u;

	if (i < c->points)
		c->at[i] = make_float2(v * v * c->control[0].x + 2 * u * v * c->control[1].x +
					       u * u * c->control[2].x,
				       v * v * c->control[0].y + 2 * u * v * c->control[1].y +
					       u * u * c->control[2].y);
}

static __global__ void plan(struct curve *curves, int count)
{
	int n = blockIdx.x * blockDim.x + threadIdx.x;

	if (n >= count)
		return;
	curves[n].points = min(4 + 8 * n, MOST);
	if (cudaMalloc(&curves[n].at, curves[n].points * sizeof(float2)) != cudaSuccess)
		return;
	compute<<<(curves[n].points + 31) / 32, 32>>>(curves, n);
}

static __global__ void give(struct curve *curves, float2 *out, int count)
{
	int n = threadIdx.x;

	if (n >= count)
		return;
	for (int i = 0; i < curves[n].points; i++)
		out[n * MOST + i] = curves[n].at[i];
	cudaFree(curves[n].at);
}

/* ---- who launched whom ------------------------------------------------------ */

static __device__ unsigned int names;

static __global__ void family(int most, int depth, unsigned int parent, unsigned int *parents)
{
	__shared__ unsigned int name;

	if (threadIdx.x == 0) {
		name = atomicAdd(&names, 1u);
		parents[name] = parent;
	}
	__syncthreads();
	if (++depth < most)
		family<<<gridDim.x, blockDim.x>>>(most, depth, name, parents);
}

static unsigned int random_next(unsigned int *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void test_quicksort(void)
{
	std::vector<int> values(VALUES), sorted, got(VALUES);
	unsigned int state = 1;
	int *there;

	for (int &value : values)
		value = (int)(random_next(&state) % 1000);
	sorted = values;
	std::sort(sorted.begin(), sorted.end());
	CHECK(cudaMalloc(&there, VALUES * sizeof(int)));
	CHECK(cudaMemcpy(there, values.data(), VALUES * sizeof(int), cudaMemcpyHostToDevice));
	quicksort<<<1, 1>>>(there, 0, VALUES - 1, 0);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(got.data(), there, VALUES * sizeof(int), cudaMemcpyDeviceToHost));
	EXPECT(got == sorted);
	CHECK(cudaFree(there));
}

static void test_tree(void)
{
	std::vector<uint2> points(POINTS);
	unsigned int state = 2, got[2], *counts;
	uint2 *there;

	for (uint2 &point : points) {
		/* more of them at one corner */
		point.x = random_next(&state) % 65536 * (random_next(&state) % 65536) >> 16;
		point.y = random_next(&state) % 65536 * (random_next(&state) % 65536) >> 16;
	}
	CHECK(cudaMalloc(&there, POINTS * sizeof(uint2)));
	CHECK(cudaMalloc(&counts, sizeof(got)));
	CHECK(cudaMemset(counts, 0, sizeof(got)));
	CHECK(cudaMemcpy(there, points.data(), POINTS * sizeof(uint2), cudaMemcpyHostToDevice));
	divide<<<1, 64>>>(there, { 0, 0, 65536 }, 0, counts, counts + 1);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(got, counts, sizeof(got), cudaMemcpyDeviceToHost));
	EXPECT(got[0] == leaves_of(points, { 0, 0, 65536 }, 0));
	EXPECT(got[1] == POINTS);
	CHECK(cudaFree(there));
	CHECK(cudaFree(counts));
}

static void test_curves(void)
{
	struct curve curves[CURVES], *there;
	std::vector<float2> got(CURVES * MOST);
	float2 *out;

	for (int n = 0; n < CURVES; n++)
		curves[n] = { { { 0, 0 }, { (float)n, 8 }, { 16, (float)-n } }, 0, NULL };
	CHECK(cudaMalloc(&there, sizeof(curves)));
	CHECK(cudaMalloc(&out, CURVES * MOST * sizeof(float2)));
	CHECK(cudaMemcpy(there, curves, sizeof(curves), cudaMemcpyHostToDevice));
	plan<<<1, 32>>>(there, CURVES);
	give<<<1, 32>>>(there, out, CURVES);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(got.data(), out, CURVES * MOST * sizeof(float2), cudaMemcpyDeviceToHost));
	for (int n = 0; n < CURVES; n++) {
		int points = 4 + 8 * n < MOST ? 4 + 8 * n : MOST;

		for (int i = 0; i < points; i++) {
			double u = (double)i / (points - 1), v = 1 - u;

			EXPECT(fabs(got[n * MOST + i].x - (2 * u * v * n + u * u * 16)) < 1e-4);
			EXPECT(fabs(got[n * MOST + i].y - (2 * u * v * 8 - u * u * n)) < 1e-4);
		}
	}
	CHECK(cudaFree(there));
	CHECK(cudaFree(out));
}

static void test_family(void)
{
	/* 2 blocks of 2 threads: each launches 2 blocks, to a depth of 3: 2 + 8 + 32 */
	unsigned int parents[64], *there, children[64] = { 0 }, with = 0;

	CHECK(cudaMalloc(&there, sizeof(parents)));
	CHECK(cudaMemset(there, 0xff, sizeof(parents)));
	family<<<2, 2>>>(3, 0, 63, there);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(parents, there, sizeof(parents), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 42; i++) {
		EXPECT(parents[i] < 64);
		children[parents[i] % 64]++;
	}
	EXPECT(parents[42] == ~0u);
	EXPECT(children[63] == 2);
	/* who they are depends on the order in which they run */
	for (int i = 0; i < 42; i++) {
		EXPECT(children[i] == 4 || children[i] == 0);
		with += children[i] == 4;
	}
	EXPECT(with == 2 + 8);
	CHECK(cudaFree(there));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "launch_recursion", NULL, 0, 0, 0);
	CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 512));
	CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
	test_quicksort();
	test_tree();
	test_curves();
	test_family();
	return finish();
}
