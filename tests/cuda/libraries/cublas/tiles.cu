/* SPDX-License-Identifier: MIT */
/*
 * tiles: products of sizes for which presets of the device choose different tiles; a line has the
 * checksum of all results, which test_tiles.sh compares. Each element is what a chain of fused
 * multiplications in ascending k gives.
 */
#include "common.h"

#include <cublas_v2.h>

static cublasHandle_t handle;
static unsigned long long sum = 0xcbf29ce484222325ull;
static struct lcg draw = {77};

template <class T> static T random_number()
{
	return (T)lcg_float(&draw, -1, 1);
}
template <> cuComplex random_number<cuComplex>()
{
	return make_cuComplex(lcg_float(&draw, -1, 1), lcg_float(&draw, -1, 1));
}
template <> cuDoubleComplex random_number<cuDoubleComplex>()
{
	return make_cuDoubleComplex(lcg_float(&draw, -1, 1), lcg_float(&draw, -1, 1));
}

static void gemm(int m, int n, int k, const float *a, const float *b, float *c)
{
	const float one = 1, zero = 0;

	EXPECT(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k, &zero, c,
			   m) == CUBLAS_STATUS_SUCCESS);
}
static void gemm(int m, int n, int k, const double *a, const double *b, double *c)
{
	const double one = 1, zero = 0;

	EXPECT(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k, &zero, c,
			   m) == CUBLAS_STATUS_SUCCESS);
}
static void gemm(int m, int n, int k, const cuComplex *a, const cuComplex *b, cuComplex *c)
{
	const cuComplex one = {1, 0}, zero = {0, 0};

	EXPECT(cublasCgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k, &zero, c,
			   m) == CUBLAS_STATUS_SUCCESS);
}
static void gemm(int m, int n, int k, const cuDoubleComplex *a, const cuDoubleComplex *b,
		 cuDoubleComplex *c)
{
	const cuDoubleComplex one = {1, 0}, zero = {0, 0};

	EXPECT(cublasZgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k, &zero, c,
			   m) == CUBLAS_STATUS_SUCCESS);
}

/* Real numbers: the chain; complex ones are compared by the checksum only. */
static bool is_chain(float got, const float *a, int64_t step, const float *b, int k)
{
	float want = 0;

	for (int l = 0; l < k; l++)
		want = fmaf(a[l * step], b[l], want);
	return got == want;
}
static bool is_chain(double got, const double *a, int64_t step, const double *b, int k)
{
	double want = 0;

	for (int l = 0; l < k; l++)
		want = fma(a[l * step], b[l], want);
	return got == want;
}
template <class T> static bool is_chain(T, const T *, int64_t, const T *, int)
{
	return true;
}

template <class T> static void product(const char *type, int m, int n, int k)
{
	T *a = (T *)malloc(m * k * sizeof(T)), *b = (T *)malloc(k * n * sizeof(T));
	T *c = (T *)malloc(m * n * sizeof(T)), *da, *db, *dc = device_new<T>(m * n);
	const unsigned char *bytes = (const unsigned char *)c;

	for (int i = 0; i < m * k; i++)
		a[i] = random_number<T>();
	for (int i = 0; i < k * n; i++)
		b[i] = random_number<T>();
	da = device_from(a, m * k);
	db = device_from(b, k * n);
	gemm(m, n, k, da, db, dc);
	CHECK(cudaMemcpy(c, dc, m * n * sizeof(T), cudaMemcpyDeviceToHost));
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++)
			if (!is_chain(c[i + (size_t)j * m], a + i, m, b + (size_t)j * k, k))
				mismatch("%s, %d x %d x %d: element (%d, %d)", type, m, n, k, i, j);
	for (size_t i = 0; i < m * n * sizeof(T); i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3ull;
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dc));
	free(a);
	free(b);
	free(c);
}

template <class T> static void products(const char *type, int largest)
{
	product<T>(type, largest, largest, 5);
	product<T>(type, 130, 70, 33);
	product<T>(type, 17, 3, 60);
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "tiles", NULL, 0, 0, 0);
	EXPECT(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
	products<float>("S", 512);
	products<double>("D", 200);
	products<cuComplex>("C", 200);
	products<cuDoubleComplex>("Z", 200);
	EXPECT(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS);
	printf("tiles: checksum %016llx\n", sum);
	return finish();
}
