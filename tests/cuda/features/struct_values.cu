/* SPDX-License-Identifier: MIT */
/*
 * struct_values: structures with padding, nested, in arrays, derived and aligned, returned by
 * functions that are not inlined and passed to them by value. The host runs the same functions.
 */
#include "../common.h"

#define OUT 7
#define CALL __device__ __host__ __noinline__

struct mixed { char a; int b; char c; double d; };
struct nested { char x; mixed a; short s; };
struct vectors { char t; float3 f; char u; };
struct listed { mixed e[2]; char z; };
struct bytes { char a[3]; int b; char c[5]; };
struct derived : mixed { short s; char t; };
struct __align__(16) aligned { int a; char b; };

CALL static mixed make_mixed(int i)
{
	mixed r = { (char)(i * 37), i * 3, (char)(i - 100), i * 0.5 };

	return r;
}

CALL static mixed next_mixed(mixed x)
{
	x.a++;
	x.b += 2;
	x.c += 3;
	x.d += 1;
	return x;
}

CALL static double sum(mixed x) { return x.a + x.b * 2 + x.c * 3 + x.d * 5; }
CALL static mixed either(mixed x, mixed y, int i) { return i & 1 ? x : y; }
CALL static nested make_nested(mixed a, int i)
{
	nested r = { (char)i, a, (short)(i * 5000) };
	return r;
}
CALL static double sum(nested n) { return n.x + sum(n.a) * 2 + n.s; }
CALL static vectors make_vectors(int i)
{
	vectors v = { (char)i, make_float3(i, i + 1, i + 2), (char)(i + 90) };

	return v;
}
CALL static double sum(vectors v) { return v.t + v.f.x * 2 + v.f.y * 3 + v.f.z * 5 + v.u * 7; }
CALL static listed make_listed(int i)
{
	listed r = { { make_mixed(i), make_mixed(i + 1) }, (char)(i + 4) };
	return r;
}
CALL static double sum(listed r, int at) { return sum(r.e[at]) + sum(r.e[at ^ 1]) * 2 + r.z * 7; }
CALL static bytes make_bytes(int i)
{
	bytes r;

	for (int k = 0; k < 3; k++)
		r.a[k] = (char)(i * 50 + k);
	r.b = i * 100000;
	for (int k = 0; k < 5; k++)
		r.c[k] = (char)(i * 90 - k);
	return r;
}
CALL static double sum(bytes r)
{
	double s = r.b;

	for (int k = 0; k < 3; k++)
		s += r.a[k] * (k + 1);
	for (int k = 0; k < 5; k++)
		s += r.c[k] * (k + 5);
	return s;
}
CALL static derived make_derived(int i)
{
	derived r;

	(mixed &)r = make_mixed(i);
	r.s = (short)(i * 4000);
	r.t = (char)(i * 70);
	return r;
}
CALL static double sum(derived r) { return sum((mixed)r) + r.s * 2 + r.t * 3; }
CALL static aligned make_aligned(int i) { aligned r = { i, (char)(i * 99) }; return r; }
CALL static double sum(aligned r) { return r.a + r.b * 2; }

__host__ __device__ static void all(int i, double *out)
{
	mixed a = next_mixed(make_mixed(i));

	out[0] = sum(a) + sum(either(a, make_mixed(i + 5), i));
	out[1] = sum(make_nested(a, i));
	out[2] = sum(make_vectors(i));
	out[3] = sum(make_listed(i), i & 1);
	out[4] = sum(make_bytes(i));
	out[5] = sum(make_derived(i));
	out[6] = sum(make_aligned(i));
}

__global__ void structures(double *out)
{
	all(threadIdx.x, out + threadIdx.x * OUT);
}

int main(int argc, char **argv)
{
	double got[32 * OUT], want[OUT], *dev = device_new<double>(32 * OUT);

	parse_size(argc, argv, "struct_values", NULL, 0, 0, 0);
	structures<<<1, 32>>>(dev);
	CHECK_LAUNCH();
	host_from(got, dev, 32 * OUT);
	for (int i = 0; i < 32; i++) {
		all(i, want);
		for (int k = 0; k < OUT; k++)
			expect_same("structure", i * OUT + k, got[i * OUT + k], want[k]);
	}
	CHECK(cudaFree(dev));
	return finish();
}
