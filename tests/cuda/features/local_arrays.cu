/* SPDX-License-Identifier: MIT */
/*
 * local_arrays: arrays of a thread, of elements of 1 to 16 bytes, which all threads index alike, or
 * each in its own way, also where only some of a warp's do. Each element is written and read whole,
 * and nobody gets another thread's.
 */
#include "../common.h"

#define THREADS	192
#define ELEMENTS	24
#define ROUNDS	60

struct pair {
	double x, y;

	__host__ __device__ pair(int v = 0) : x(v), y(0.5 * v) {}
	__host__ __device__ pair(double a, double b) : x(a), y(b) {}
};

struct four {
	float x, y, z, w;

	__host__ __device__ four(int v = 0) : x(v), y(v + 1), z(v + 2), w(v + 3) {}
};

template <class T> __host__ __device__ T mixed(T a, T b, int by)
{
	return (T)(a * 3 + b + (T)by);
}

__host__ __device__ pair mixed(pair a, pair b, int by)
{
	return pair(b.y + by, a.x - b.x * 0.25);
}

__host__ __device__ four mixed(four a, four b, int by)
{
	four r(by);

	r.x = a.w - b.z * 0.5f;
	r.z = b.x + a.y * 0.25f;
	return r;
}

/* @own: threads index in their own ways */
template <class T> __host__ __device__ T walk(int thread, bool own, int rounds)
{
	T a[ELEMENTS], sum = T(thread);

	for (int n = 0; n < ELEMENTS; n++)
		a[n] = T(thread % 50 + n);
	for (int n = 0; n < rounds; n++) {
		int at = (own ? thread * 5 + n : n) % ELEMENTS;

		a[at] = mixed(a[(at + 1) % ELEMENTS], a[at], n % 5);
		if (thread % 3 == 0)
			a[(at + 7) % ELEMENTS] = mixed(a[at], sum, thread % 2);
		if (n % 4 == 0)
			sum = mixed(sum, a[(at + (own ? thread : 3)) % ELEMENTS], 1);
		if (n % 16 == 15)	/* what doubles grow by is bounded */
			sum = T(n);
	}
	return sum;
}

template <class T> __global__ void device(T *out, bool own, int rounds)
{
	int thread = blockIdx.x * blockDim.x + threadIdx.x;

	out[thread] = walk<T>(thread, own, rounds);
}

template <class T> static void compare(const char *what)
{
	static T got[THREADS];
	T *dev = device_new<T>(THREADS);

	for (int own = 0; own < 2; own++) {
		device<T><<<THREADS / 96, 96>>>(dev, own, ROUNDS);
		CHECK_LAUNCH();
		host_from(got, dev, THREADS);
		for (int t = 0; t < THREADS; t++) {
			T want = walk<T>(t, own, ROUNDS);

			if (memcmp(&got[t], &want, sizeof(want)))
				mismatch("%s, thread %d, %s", what, t,
					 own ? "indexes of its own" : "the same index");
		}
	}
	CHECK(cudaFree(dev));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "local_arrays", NULL, 0, 0, 0);
	compare<signed char>("bytes with signs");
	compare<unsigned char>("bytes");
	compare<short>("two bytes with signs");
	compare<unsigned short>("two bytes");
	compare<unsigned>("four bytes");
	compare<unsigned long long>("eight bytes");
	compare<pair>("two doubles");
	compare<four>("four floats");
	return finish();
}
