/* SPDX-License-Identifier: MIT */
/*
 * Arrays of device memory for the CUDA programs of experiments, which end with status 2 where a
 * call fails: 1 is a wrong result.
 */
#ifndef EXPERIMENT_ARRAYS_H
#define EXPERIMENT_ARRAYS_H

#include <cstdio>
#include <cstdlib>

#define CHECK(call)	check_success((call), #call)

static inline void check_success(cudaError_t error, const char *call)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
	exit(2);
}

template <typename T> static T *device_array(size_t count, const T *from)
{
	T *array;

	CHECK(cudaMalloc(&array, count * sizeof(T)));
	if (from)
		CHECK(cudaMemcpy(array, from, count * sizeof(T), cudaMemcpyHostToDevice));
	else
		CHECK(cudaMemset(array, 0, count * sizeof(T)));
	return array;
}

template <typename T> static void to_host(T *to, const T *from, size_t count)
{
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToHost));
}

#endif
