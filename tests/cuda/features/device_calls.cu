/* SPDX-License-Identifier: MIT */
/*
 * device_calls: device functions that really are called: not inlined, with many arguments, structs
 * by value and back, pointers to the caller's locals, nested calls, and calls that only some
 * threads of a warp make.
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

CALL int add_many(int a, unsigned b, long long c, float d, double e, short f, unsigned char g,
		  int h)
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
	return add_many(t, t + 1u, 1ll * t * t, t * 0.5f, t * 0.25, (short)-t, (unsigned char)t,
			9) +
	       p.a + (int)(p.b * 4) + (int)(v.v[0] * 2 + v.v[1] + v.v[2]) + q * 100 + r +
	       sum_array(local, 6);
}

/* Calls that only some threads make, in a loop whose length differs, through two levels. */
CALL int weigh(int a, int b)
{
	int q, r;

	divide(a, b + 1, &q, &r);
	return q > r ? q : -r;
}

CALL int some_calls(int t)
{
	int x = 0;

	for (int i = 0; i < t % 7; i++) {
		if ((t + i) % 3 == 0)
			x += weigh(t * 5, i);
		else if (t & 8)
			x -= weigh(i * 11, t);
		if (x > 500)
			return x + weigh(x, t);
	}
	return x;
}

__global__ void call_all(int *out, int n)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;

	if (t < n)
		out[t] = everything(t);
}

__global__ void call_some(int *out, int n)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;

	if (t < n)
		out[t] = some_calls(t);
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
	call_some<<<(N + BDIM - 1) / BDIM, BDIM>>>(dev, N);
	CHECK_LAUNCH();
	host_from(got, dev, N);
	for (int t = 0; t < N; t++)
		expect_same("calls by some", t, got[t], some_calls(t));
	CHECK(cudaFree(dev));
	return finish();
}
