/* SPDX-License-Identifier: MIT */
/*
 * tiles: a row of cuBLAS's table of tiles (runtime/libraries/cublas/tuning.cu) for the device's
 * preset: the time of products of which each SM has 1, 2, 4 or 8 tiles of a size, in hundreds of
 * nanoseconds of the device's clock. With timing=pipeline that is virtual time. The size is forced
 * by a table of its own in the handle: this program is built with the library's headers.
 */
#include "../cuda/common.h"

#include "context.h"
#include "tiles.h"
#include <cublas_v2.h>

using namespace blas;

enum { COUNTS = 4 };
static const int counts[COUNTS] = {1, 2, 4, 8};

static cublasHandle_t handle;

static cublasStatus_t gemm(int m, int n, int k, const float *a, const float *b, float *c)
{
	const float one = 1, zero = 0;

	return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k, &zero, c,
			   m);
}
static cublasStatus_t gemm(int m, int n, int k, const double *a, const double *b, double *c)
{
	const double one = 1, zero = 0;

	return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k, &zero, c,
			   m);
}
static cublasStatus_t gemm(int m, int n, int k, const cuComplex *a, const cuComplex *b,
			   cuComplex *c)
{
	const cuComplex one = {1, 0}, zero = {0, 0};

	return cublasCgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k, &zero, c,
			   m);
}
static cublasStatus_t gemm(int m, int n, int k, const cuDoubleComplex *a,
			   const cuDoubleComplex *b, cuDoubleComplex *c)
{
	const cuDoubleComplex one = {1, 0}, zero = {0, 0};

	return cublasZgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k, &zero, c,
			   m);
}

struct size {
	int rows, columns;
};

/* Hundreds of nanoseconds of a product of so many tiles; k steps */
template <class T> static long time_of(size tile, int tiles, int k)
{
	int down = 1;
	float milliseconds;
	cudaEvent_t from, to;

	/* as square as it can be */
	for (int d = 1; d * d <= tiles; d++)
		if (tiles % d == 0)
			down = d;
	int m = tile.rows * down, n = tile.columns * (tiles / down);
	T *a = device_new<T>((long)m * k), *b = device_new<T>((long)k * n);
	T *c = device_new<T>((long)m * n);

	CHECK(cudaMemset(a, 0, (long)m * k * sizeof(T)));
	CHECK(cudaMemset(b, 0, (long)k * n * sizeof(T)));
	CHECK(cudaEventCreate(&from));
	CHECK(cudaEventCreate(&to));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaEventRecord(from));
	EXPECT(gemm(m, n, k, a, b, c) == CUBLAS_STATUS_SUCCESS);
	CHECK(cudaEventRecord(to));
	CHECK(cudaEventSynchronize(to));
	CHECK(cudaEventElapsedTime(&milliseconds, from, to));
	CHECK(cudaEventDestroy(from));
	CHECK(cudaEventDestroy(to));
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
	CHECK(cudaFree(c));
	return lrint(milliseconds * 1e4);
}

/* All other tiles take longer than the one of this kind and size. */
static struct tuning forced(enum tile_kind kind, enum tile_size size)
{
	struct tuning t = {};

	for (int s = 0; s < TILE_SIZES; s++)
		for (unsigned short &time : t.times[kind][s].of)
			time = s == size ? 1 : 10000;
	return t;
}

/* A kind of numbers; where there is no tile between the small and the large ones, zeros */
template <class T> static void line(int k, const char *start, const char *end)
{
	typedef tiles_of<T> set;
	typedef typename set::middle middle;
	typedef typename set::large large;
	bool three = middle::height != large::height || middle::width != large::width;
	size tiles[TILE_SIZES] = {{set::small::height, set::small::width},
				   {three ? middle::height : 0, three ? middle::width : 0},
				   {large::height, large::width}};

	for (int s = 0; s < TILE_SIZES; s++) {
		struct tuning t = forced(set::kind, (enum tile_size)s);

		handle->tuning = &t;
		printf("%s{{", s ? ", " : start);
		for (int i = 0; i < COUNTS; i++)
			printf("%s%ld", i ? ", " : "",
			       tiles[s].rows ? time_of<T>(tiles[s], counts[i] * handle->sms, k)
					     : 0);
		printf("}}");
		fflush(stdout);
	}
	printf("}%s\n", end);
}

int main(int argc, char **argv)
{
	cudaDeviceProp properties;

	parse_size(argc, argv, "tiles", NULL, 0, 0, 0);
	EXPECT(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
	CHECK(cudaGetDeviceProperties(&properties, 0));
	/* the first product brings the program to the device */
	time_of<float>({32, 16}, 1, 1);
	printf("\t{\"%s\",\n", properties.name + strlen("vgpu "));
	line<float>(128, "\t {{", ",");
	line<double>(128, "\t  {", ",");
	line<cuComplex>(64, "\t  {", ",");
	line<cuDoubleComplex>(64, "\t  {", "}},");
	EXPECT(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS);
	return finish();
}
