/* SPDX-License-Identifier: MIT */
/*
 * device_calls: device functions that really are called: not inlined, with many arguments, structs
 * by value and back, pointers to the caller's locals, nested calls, recursion, and calls that only
 * some threads of a warp make.
 */
#include "../common.h"

#define N 300
#define BDIM 64
#define CALL static __host__ __device__ __attribute__((noinline))

struct pair {
	int a;
	double b;
};

struct triple {
	float v[3];
};

CALL int add_many(int a, unsigned b, long long c, float d, double e, short f, unsigned char g, int h)
{
	return a + (int)b + (int)c + (int)d + (int)e + f + g + h;
}

CALL pair swap_pair(pair p, int k)
{
	pair r;

	r.a = (int)p.b + k;
	r.b = p.a * 0.5;
	return r;
}

CALL triple rotate(triple t)
{
	triple r = { { t.v[1], t.v[2], t.v[0] } };

	return r;
}

CALL void divide(int a, int b, int *quotient, int *rest)
{
	*quotient = a / b;
	*rest = a % b;
}

CALL int sum_array(const int *x, int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += x[i];
	return s;
}

CALL int factorial(int n)
{
	return n < 2 ? 1 : n * factorial(n - 1);
}

CALL int ackermann(int m, int n)
{
	if (m == 0)
		return n + 1;
	if (n == 0)
		return ackermann(m - 1, 1);
	return ackermann(m - 1, ackermann(m, n - 1));
}

CALL bool is_odd(int n);

CALL bool is_even(int n)
{
	return n == 0 ? true : is_odd(n - 1);
}

CALL bool is_odd(int n)
{
	return n == 0 ? false : is_even(n - 1);
}

CALL int everything(int t)
{
	int local[6], q = 0, r = 0;
	pair p = { t, t * 0.25 };
	triple v = { { (float)t, t + 0.5f, -1.0f } };

	for (int i = 0; i < 6; i++)
		local[i] = t * i - 3;
	p = swap_pair(swap_pair(p, 3), t);
	v = rotate(v);
	divide(t * 37 + 5, t % 9 + 1, &q, &r);
	return add_many(t, t + 1u, 1ll * t * t, t * 0.5f, t * 0.25, (short)-t, (unsigned char)t, 9) +
	       p.a + (int)(p.b * 4) + (int)(v.v[0] * 2 + v.v[1] + v.v[2]) + q * 100 + r +
	       sum_array(local, 6);
}

CALL int recursion(int t)
{
	/* Every thread its own depth, and only some of them at all. */
	int x = factorial(t % 11);

	if (t % 3 == 1)
		x += ackermann(t % 3, t % 6);
	if (is_even(t % 23))
		x += 1000;
	return x;
}

__global__ void call_all(int *out, int n)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;

	if (t < n)
		out[t] = everything(t);
}

__global__ void recurse(int *out, int n)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;

	if (t < n)
		out[t] = recursion(t);
}

int main(int argc, char **argv)
{
	int got[N], *dev;

	parse_size(argc, argv, "device_calls", NULL, 0, 0, 0);
	dev = device_new<int>(N);
	call_all<<<(N + BDIM - 1) / BDIM, BDIM>>>(dev, N);
	CHECK_LAUNCH();
	host_from(got, dev, N);
	for (int t = 0; t < N; t++)
		expect_same("calls", t, got[t], everything(t));
	recurse<<<(N + BDIM - 1) / BDIM, BDIM>>>(dev, N);
	CHECK_LAUNCH();
	host_from(got, dev, N);
	for (int t = 0; t < N; t++)
		expect_same("recursion", t, got[t], recursion(t));
	CHECK(cudaFree(dev));
	return finish();
}
