/* SPDX-License-Identifier: MIT */
/*
 * copies_between_spaces: structures of many sizes, copied between global, shared, local and generic
 * memory, as values, by memcpy() and by memmove(); what is beside them stays.
 */
#include "../common.h"

#define AROUND 16

template <int N> struct bytes {
	unsigned char x[N];
};

/* Places that others know: nothing is known of what a copy between them can overlap. */
__device__ void *known[4];

enum { VALUE, MEMCPY, MEMMOVE };

template <int HOW, int N> __device__ inline void copy(bytes<N> *to, bytes<N> *from)
{
	if (HOW == VALUE)
		*to = *from;
	else if (HOW == MEMCPY)
		memcpy(to, from, N);
	else
		__builtin_memmove(to, from, N);
}

__device__ inline unsigned char pattern(int i, int seed)
{
	return (unsigned char)(i * 7 + seed * 31 + 1);
}

template <int N> struct padded {
	unsigned char before[AROUND];
	bytes<N> body;
	unsigned char after[AROUND];
};

template <int N> __device__ void fill(padded<N> *p, int seed)
{
	unsigned char *all = (unsigned char *)p;

	for (int i = 0; i < (int)sizeof(*p); i++)
		all[i] = pattern(i, seed);
}

/* 1: the body is not that of @seed; 2: something else is not that of @around. */
template <int N> __device__ int look(padded<N> *p, int seed, int around)
{
	unsigned char *all = (unsigned char *)p;
	int wrong = 0;

	for (int i = 0; i < (int)sizeof(*p); i++) {
		bool body = i >= AROUND && i < AROUND + N;

		if (all[i] != pattern(i, body ? seed : around))
			wrong |= body ? 1 : 2;
	}
	return wrong;
}

template <int HOW, int N> __global__ void spaces(padded<N> *global, int *wrong, int generic)
{
	__shared__ padded<N> shared[2];
	padded<N> local[2];
	padded<N> *either = generic ? &global[1] : &shared[1];

	known[0] = &shared[0];
	known[1] = &global[0];
	known[2] = &local[0];
	known[3] = &shared[1];
#define CASE(to, from, i)                                                                          \
	do {                                                                                       \
		fill(to, 1);                                                                       \
		fill(from, 2);                                                                     \
		copy<HOW, N>(&(to)->body, &(from)->body);                                          \
		wrong[i] = look(to, 2, 1) | look(from, 2, 2) << 2;                                 \
	} while (0)
	CASE(&global[0], &shared[0], 0);
	CASE(&shared[0], &global[0], 1);
	CASE(&global[0], &local[0], 2);
	CASE(&local[0], &global[0], 3);
	CASE(&shared[0], &local[0], 4);
	CASE(&local[0], &shared[0], 5);
	CASE(&global[0], &global[1], 6);
	CASE(&shared[0], &shared[1], 7);
	CASE(&local[0], &local[1], 8);
	CASE(either, &local[0], 9);
	CASE(&local[0], either, 10);
	CASE(either, &shared[0], 11);
	CASE(&global[0], either, 12);
#undef CASE
}

template <int HOW, int N> static void one_size(int *wrong)
{
	padded<N> *global = device_new<padded<N>>(2);
	int got[13];

	for (int generic = 0; generic < 2; generic++) {
		spaces<HOW, N><<<1, 1>>>(global, wrong, generic);
		CHECK_LAUNCH();
		host_from(got, wrong, 13);
		for (int i = 0; i < 13; i++)
			if (got[i])
				mismatch("%d bytes, way %d, pair %d: got %d, expected 0", N, HOW, i,
					 got[i]);
	}
	CHECK(cudaFree(global));
}

template <int N> static void all_ways(int *wrong)
{
	one_size<VALUE, N>(wrong);
	one_size<MEMCPY, N>(wrong);
	one_size<MEMMOVE, N>(wrong);
}

template <int... N> static void all_sizes(int *wrong)
{
	(all_ways<N>(wrong), ...);
}

int main(int argc, char **argv)
{
	int *wrong;

	parse_size(argc, argv, "copies_between_spaces", NULL, 0, 0, 0);
	wrong = device_new<int>(13);
	all_sizes<1, 3, 8, 24, 64, 127, 128, 129, 160, 256>(wrong);
	return finish();
}
