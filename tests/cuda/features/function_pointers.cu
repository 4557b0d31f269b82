/* SPDX-License-Identifier: MIT */
/*
 * function_pointers: calls of which nobody knows what they call: tables in device and constant
 * memory, pointers that the host hands in, virtual functions, and recursion, each with lanes of a
 * warp that call different functions or go to different depths. Behind the calls is a barrier. A
 * stack that is full is a fault, and a larger limit mends it.
 */
#include "../common.h"

#define N 300
#define BDIM 96
#define HARD __attribute__((noinline))

typedef int (*operation)(int, int);

static __host__ __device__ HARD int add(int a, int b) { return a + b; }
static __host__ __device__ HARD int multiply(int a, int b) { return a * b; }
static __host__ __device__ HARD int subtract(int a, int b) { return a - b; }

__device__ operation table[3] = { add, multiply, subtract };
__constant__ operation fixed[2] = { subtract, add };
__device__ operation for_the_host = multiply;

struct shape {
	int size;
	__device__ shape(int s) : size(s) {}
	__device__ virtual double area() const { return size; }
	__device__ virtual int corners() const { return 0; }
};

struct square : shape {
	__device__ square(int s) : shape(s) {}
	__device__ double area() const override { return (double)size * size; }
	__device__ int corners() const override { return 4; }
};

struct half_square : square {
	__device__ half_square(int s) : square(s) {}
	__device__ double area() const override { return square::area() / 2; }
};

static __device__ HARD double measure(const shape *s) { return s->area() + s->corners() * 1000; }

static double want_measure(int which, int size)
{
	double area = (double)size * size;

	return which == 0 ? size : which == 1 ? area + 4000 : area / 2 + 4000;
}

static __host__ __device__ HARD int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static __host__ __device__ int is_odd(int n);
static __host__ __device__ HARD int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
static __host__ __device__ HARD int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }

__global__ void call_all(int *out, double *measured, operation given)
{
	__shared__ int all[BDIM];
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	shape plain(t);
	square equal(t);
	half_square half(t);
	const shape *s = t % 3 == 0 ? &plain : t % 3 == 1 ? (const shape *)&equal : &half;
	int sum = table[t % 3](t, 7) + 3 * fixed[t % 2](t, 5);

	if (t % 5)
		sum += given(t, 2);
	sum += 100000 * fibonacci(t % 10) + 50 * is_even(t % 13);
	all[threadIdx.x] = sum;
	__syncthreads();
	if (t < N) {
		out[t] = all[threadIdx.x ^ 1];
		measured[t] = measure(s);
	}
}

static int want_sum(int t)
{
	static const operation three[3] = { add, multiply, subtract };
	int sum = three[t % 3](t, 7) + 3 * (t % 2 ? add : subtract)(t, 5);

	if (t % 5)
		sum += t * 2;
	return sum + 100000 * fibonacci(t % 10) + 50 * is_even(t % 13);
}

static __host__ __device__ HARD int sum_down(int n, const int *x)
{
	return n < 0 ? 0 : x[n & 7] + sum_down(n - 1, x) * 3 % 1000003;
}

__global__ void go_deep(int *out, int depth)
{
	int numbers[8];

	for (int i = 0; i < 8; i++)
		numbers[i] = threadIdx.x + i;
	out[threadIdx.x] = sum_down(depth, numbers);
}

static void deep_stacks(void)
{
	int got[32], *dev = device_new<int>(32), numbers[8];
	size_t limit = 0;

	CHECK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
	expect_same("stack", 0, (int)limit, 1024);
	CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 256 << 10));
	CHECK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
	expect_same("stack", 1, (int)limit, 256 << 10);
	go_deep<<<1, 32>>>(dev, 1000);
	CHECK_LAUNCH();
	host_from(got, dev, 32);
	for (int t = 0; t < 32; t++) {
		for (int i = 0; i < 8; i++)
			numbers[i] = t + i;
		expect_same("deep", t, got[t], sum_down(1000, numbers));
	}
	CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 1024));
	go_deep<<<1, 32>>>(dev, 100000);
	CHECK(cudaGetLastError());
	EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

int main(int argc, char **argv)
{
	int got[N], *dev;
	double measured[N], *dev_measured;
	operation given;

	parse_size(argc, argv, "function_pointers", NULL, 0, 0, 0);
	dev = device_new<int>(N);
	dev_measured = device_new<double>(N);
	CHECK(cudaMemcpyFromSymbol(&given, for_the_host, sizeof(given)));
	call_all<<<(N + BDIM - 1) / BDIM, BDIM>>>(dev, dev_measured, given);
	CHECK_LAUNCH();
	host_from(got, dev, N);
	host_from(measured, dev_measured, N);
	for (int t = 0; t < N; t++) {
		expect_same("calls", t, got[t], want_sum(t ^ 1));
		expect_same("virtual", t, (int)(measured[t] * 2),
			    (int)(want_measure(t % 3, t) * 2));
	}
	deep_stacks();
	return finish();
}
