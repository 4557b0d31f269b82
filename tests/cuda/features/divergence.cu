/* SPDX-License-Identifier: MIT */
/*
 * divergence: threads of a warp that take different ways, by every means of C: nested branches,
 * loops with their own trip counts, break, continue, switch with and without fall through, goto,
 * early return, short-circuit conditions. Each function runs on both sides; integers, so exact.
 */
#include "../common.h"

#define BDIM 160

#define BOTH static __host__ __device__ inline

BOTH unsigned mix(unsigned x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ x >> 16;
}

BOTH int nested(int t)
{
	int r = 0;

	if (t & 1) {
		r += 1;
		if (t & 2) {
			r += 10;
			if (t & 4)
				r += 100;
			else
				r -= 7;
		} else if (t & 8) {
			r += 1000;
		}
		r *= 3;
	} else {
		r -= 5;
		if ((t & 6) == 6)
			r *= t;
	}
	return r + t;
}

BOTH int trips(int t)
{
	int sum = 0;

	for (int i = 0; i < t % 37; i++)
		for (int j = i; j < (t >> 2) % 5 + i % 3; j++)
			sum += i * j + 1;
	return sum;
}

BOTH int collatz(int t)
{
	unsigned x = mix(t) % 5000 + 1;
	int steps = 0;

	while (x != 1) {
		x = x & 1 ? 3 * x + 1 : x / 2;
		steps++;
	}
	return steps;
}

BOTH int breaks(int t)
{
	unsigned x = mix(t);
	int count = 0;

	for (int i = 0; i < 40; i++) {
		x = mix(x);
		if (x % 3 == 0)
			continue;
		count += (int)(x % 11);
		if (x % 13 == 0)
			break;
		for (int k = 0;; k++) {
			if (k > (int)(x & 7))
				break;
			if (((x >> k) & 3) == 3)
				goto next;
			count++;
		}
		count += 100;
next:;
	}
	return count;
}

BOTH int switches(int t)
{
	int r = 0;

	for (int i = 0; i < 6; i++) {
		switch (mix(t * 6 + i) % 9) {
		case 0:
			r += 1;
			break;
		case 1:
			r += 20;
			/* fall through */
		case 2:
			r ^= 0x55;
			break;
		case 3:
			if (r > 50)
				break;
			r *= 2;
			/* fall through */
		case 4:
		case 5:
			r -= 3;
			break;
		case 7:
			return r * 2;
		default:
			r += i;
		}
	}
	return r;
}

BOTH int early(int t)
{
	unsigned x = mix(t);

	if (x % 5 == 0)
		return -1;
	for (int i = 0; i < 20; i++) {
		if (x % 17 == 4)
			return i;
		x = mix(x);
		if (x % 19 == 7 && (x & 64 || i > 10))
			return 1000 + i;
	}
	return 99;
}

BOTH int sparse(int t)
{
	/* A switch over values far apart: compares, not a table. */
	switch ((int)(mix(t) % 4) * 100000 - 7) {
	case -7:
		return t;
	case 99993:
		return -t;
	case 199993:
		return t * t;
	}
	return 0;
}

BOTH int gcd(int t)
{
	unsigned a = mix(t) % 10000 + 1, b = mix(t + 1) % 10000 + 1;

	do {
		unsigned r = a % b;

		a = b;
		b = r;
	} while (b);
	return (int)a;
}

#define ALL(X) X(nested) X(trips) X(collatz) X(breaks) X(switches) X(early) X(sparse) X(gcd)

#define KERNEL(f)                                                                                  \
	__global__ void k_##f(int *out, int n)                                                     \
	{                                                                                          \
		int t = blockIdx.x * blockDim.x + threadIdx.x;                                     \
                                                                                                   \
		if (t < n)                                                                         \
			out[t] = f(t);                                                             \
	}
ALL(KERNEL)

/* Some threads leave before others meet at barriers in a loop of uniform length. */
__global__ void leave_between(int *out, int n)
{
	__shared__ int s[BDIM];
	int t = threadIdx.x, i = blockIdx.x * BDIM + t;

	s[t] = t;
	for (int round = 1; round <= 3; round++) {
		__syncthreads();
		int x = s[(t + round) % BDIM];

		if (t % 4 == round)
			x += 1000;
		__syncthreads();
		s[t] = x;
	}
	if (i >= n)
		return;
	out[i] = s[t];
}

static void check_barriers(int *dev, int *got, int n)
{
	int s[BDIM], next[BDIM];

	for (int t = 0; t < BDIM; t++)
		s[t] = t;
	for (int round = 1; round <= 3; round++) {
		for (int t = 0; t < BDIM; t++)
			next[t] = s[(t + round) % BDIM] + (t % 4 == round ? 1000 : 0);
		memcpy(s, next, sizeof(s));
	}
	leave_between<<<(n + BDIM - 1) / BDIM, BDIM>>>(dev, n);
	CHECK_LAUNCH();
	host_from(got, dev, n);
	for (int i = 0; i < n; i++)
		expect_same("barriers", i, got[i], s[i % BDIM]);
}

int main(int argc, char **argv)
{
	int n = (int)parse_size(argc, argv, "divergence", "threads", 1501, 1, 10000000);
	int *got = (int *)host_alloc(n * sizeof(int)), *dev = device_new<int>(n);

#define RUN(f)                                                                                     \
	k_##f<<<(n + BDIM - 1) / BDIM, BDIM>>>(dev, n);                                            \
	CHECK_LAUNCH();                                                                            \
	host_from(got, dev, n);                                                                    \
	for (int t = 0; t < n; t++)                                                                \
		expect_same(#f, t, got[t], f(t));
	ALL(RUN)
	check_barriers(dev, got, n);
	CHECK(cudaFree(dev));
	free(got);
	return finish();
}
