/* SPDX-License-Identifier: MIT */
/*
 * Calls of cuBLAS that are not about numbers: bad arguments, handles, streams, captured streams,
 * managed memory, copies, and equal bytes of equal calls.
 */
#include "blas.h"

static void test_handles(void)
{
	cublasHandle_t other, null = NULL;
	struct cublasContext *wild = (struct cublasContext *)malloc(64);
	float alpha = 1, x = 0;
	int version = 0;
	cublasMath_t mode;

	EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE, cublasCreate(NULL));
	EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, cublasDestroy(NULL));
	EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, cublasSscal(null, 1, &alpha, &x, 1));
	EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, cublasSetStream(null, 0));
	EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, cublasSscal(wild, 1, &alpha, &x, 1));
	OK(cublasCreate(&other));
	OK(cublasDestroy(other));
	EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, cublasDestroy(other));
	EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, cublasSscal(other, 1, &alpha, &x, 1));
	OK(cublasGetVersion(handle, &version));
	EXPECT(version == CUBLAS_VERSION);
	OK(cublasGetProperty(MAJOR_VERSION, &version));
	EXPECT(version == CUBLAS_VER_MAJOR);
	EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE,
		      cublasGetProperty((libraryPropertyType)7, &version));
	OK(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH));
	OK(cublasGetMathMode(handle, &mode));
	EXPECT(mode == CUBLAS_TF32_TENSOR_OP_MATH);
	OK(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
	EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE, cublasSetMathMode(handle, (cublasMath_t)7));
	EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE,
		      cublasSetPointerMode(handle, (cublasPointerMode_t)2));
	EXPECT(!strcmp(cublasGetStatusName(CUBLAS_STATUS_ALLOC_FAILED),
		       "CUBLAS_STATUS_ALLOC_FAILED"));
	EXPECT(strlen(cublasGetStatusString((cublasStatus_t)99)) > 0);
	free(wild);
}

static void test_arguments(void)
{
	const cublasStatus_t bad = CUBLAS_STATUS_INVALID_VALUE;
	const cublasOperation_t n = CUBLAS_OP_N;
	float one = 1, *d = device_new<float>(16), r;
	int place;

	OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
	EXPECT_STATUS(bad, cublasSgemm(handle, n, n, -1, 2, 2, &one, d, 2, d, 2, &one, d, 2));
	EXPECT_STATUS(bad, cublasSgemm(handle, n, n, 2, 2, 2, &one, d, 1, d, 2, &one, d, 2));
	EXPECT_STATUS(bad,
		      cublasSgemm(handle, n, CUBLAS_OP_T, 2, 4, 2, &one, d, 2, d, 3, &one, d, 2));
	EXPECT_STATUS(bad, cublasSgemm(handle, n, n, 2, 2, 2, &one, d, 2, d, 2, &one, d, 1));
	EXPECT_STATUS(bad, cublasSgemm(handle, (cublasOperation_t)9, n, 2, 2, 2, &one, d, 2, d, 2,
				       &one, d, 2));
	EXPECT_STATUS(bad, cublasSgemm(handle, n, n, 2, 2, 2, NULL, d, 2, d, 2, &one, d, 2));
	EXPECT_STATUS(bad, cublasSgemm(handle, n, n, 2, 2, 2, &one, d, 2, d, 2, &one, NULL, 2));
	EXPECT_STATUS(bad, cublasSgemv(handle, n, 2, 2, &one, d, 2, d, 0, &one, d, 1));
	EXPECT_STATUS(bad, cublasSgbmv(handle, n, 4, 4, 1, 1, &one, d, 2, d, 1, &one, d, 1));
	EXPECT_STATUS(bad,
		      cublasStrsv(handle, (cublasFillMode_t)5, n, CUBLAS_DIAG_UNIT, 2, d, 2, d, 1));
	EXPECT_STATUS(bad, cublasStrsm(handle, (cublasSideMode_t)3, CUBLAS_FILL_MODE_LOWER, n,
				       CUBLAS_DIAG_UNIT, 2, 2, &one, d, 2, d, 2));
	EXPECT_STATUS(bad, cublasSger(handle, 2, 2, &one, d, 0, d, 1, d, 2));
	EXPECT_STATUS(bad, cublasSnrm2(handle, 2, NULL, 1, &r));
	EXPECT_STATUS(bad, cublasIsamax(handle, 2, d, 1, NULL));
	EXPECT_STATUS(bad, cublasSgeam(handle, CUBLAS_OP_T, n, 2, 2, &one, d, 2, &one, d, 2, d, 2));
	EXPECT_STATUS(bad, cublasSetVector(2, 0, &one, 1, d, 1));
	EXPECT_STATUS(bad, cublasSetMatrix(4, 1, 4, &one, 3, d, 4));
	/* sizes of 0 need nothing else */
	OK(cublasSgemm(handle, n, n, 0, 2, 2, NULL, NULL, 1, NULL, 2, NULL, NULL, 1));
	OK(cublasSaxpy(handle, 0, NULL, NULL, 1, NULL, 1));
	OK(cublasIsamax(handle, 0, NULL, 1, &place));
	EXPECT(place == 0);
	CHECK(cudaFree(d));
}

static void test_copies(void)
{
	float host[12], back[12] = {0}, *d = device_new<float>(24);
	cudaStream_t stream;

	for (int i = 0; i < 12; i++)
		host[i] = (float)i;
	CHECK(cudaMemset(d, 0, 24 * sizeof(float)));
	/* 3 rows of 4 columns, into a matrix of 5 rows and back */
	OK(cublasSetMatrix(3, 4, sizeof(float), host, 3, d, 5));
	OK(cublasGetMatrix(3, 4, sizeof(float), d, 5, back, 3));
	compare_exact("matrix", back, host, 12);
	/* every second one, and every third */
	OK(cublasSetVector(4, sizeof(float), host, 2, d, 3));
	OK(cublasGetVector(4, sizeof(float), d, 3, back, 1));
	for (int i = 0; i < 4; i++)
		expect_same("vector", i, back[i], (float)(2 * i));
	CHECK(cudaStreamCreate(&stream));
	OK(cublasSetVectorAsync_64(12, sizeof(float), host, 1, d, 1, stream));
	OK(cublasGetVectorAsync(12, sizeof(float), d, 1, back, 1, stream));
	CHECK(cudaStreamSynchronize(stream));
	compare_exact("asynchronous", back, host, 12);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d));
}

/* Captured: nothing waits, and the graph computes anew with what is in memory when it is launched.
 */
static void test_capture(void)
{
	enum { N = 40 };
	float ones[N * N], two = 2, zero = 0, result, *a, *c, *alpha, *beta, *sum;
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	for (float &v : ones)
		v = 1;
	a = device_from(ones, N * N);
	c = device_new<float>(N * N);
	alpha = device_from(&two, 1);
	beta = device_from(&zero, 1);
	sum = device_new<float>(1);
	CHECK(cudaStreamCreate(&stream));
	OK(cublasSetStream(handle, stream));
	OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	OK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, alpha, a, N, a, N, beta, c, N));
	OK(cublasSasum(handle, N * N, c, 1, sum));
	OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
	EXPECT_STATUS(CUBLAS_STATUS_NOT_SUPPORTED, cublasSasum(handle, N * N, c, 1, &result));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
	for (int i = 1; i < 3; i++) {
		CHECK(cudaGraphLaunch(exec, stream));
		CHECK(cudaStreamSynchronize(stream));
		host_from(&result, sum, 1);
		/* N^2 elements, each alpha times N */
		expect_same("captured", i, result, (float)N * N * N * 2 * i);
		two = 4;
		CHECK(cudaMemcpy(alpha, &two, sizeof(two), cudaMemcpyHostToDevice));
	}
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	OK(cublasSetStream(handle, 0));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(a));
	CHECK(cudaFree(c));
	CHECK(cudaFree(alpha));
	CHECK(cudaFree(beta));
	CHECK(cudaFree(sum));
}

/* More streams than a handle has places for sums, all at work at once; managed arguments. */
static void test_streams(void)
{
	enum { STREAMS = 70, N = 9000 };
	static cudaStream_t streams[STREAMS];
	float *x, *sums, one = 0;

	CHECK(cudaMallocManaged((void **)&x, N * sizeof(float)));
	CHECK(cudaMallocManaged((void **)&sums, STREAMS * sizeof(float)));
	for (int i = 0; i < N; i++)
		x[i] = (float)(i % 2 ? -1 : 1);
	OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
	for (int i = 0; i < STREAMS; i++) {
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
		OK(cublasSetStream(handle, streams[i]));
		OK(cublasSasum(handle, N - 10 * i, x, 1, sums + i));
	}
	CHECK(cudaDeviceSynchronize());
	/* the last one has no place, and the result is for the host */
	OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
	OK(cublasSasum(handle, N, x, 1, &one));
	expect_same("sum for the host", 0, one, (float)N);
	for (int i = 0; i < STREAMS; i++) {
		expect_same("sum in a stream", i, sums[i], (float)(N - 10 * i));
		CHECK(cudaStreamDestroy(streams[i]));
	}
	OK(cublasSetStream(handle, 0));
	OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
	CHECK(cudaFree(x));
	CHECK(cudaFree(sums));
}

/* The same call gives the same bytes, in a batch, with other tiles, and with part of the rows. */
static void test_equal_bytes(void)
{
	enum { M = 70, N = 50, K = 90 };
	const cublasOperation_t n = CUBLAS_OP_N;
	float one = 1, zero = 0;
	buffer<float> a(M * K), b(K * N), c(M * N), d(M * N);
	double dots[2];
	buffer<double> x(20000);

	a.send();
	b.send();
	x.send();
	OK(cublasSgemm(handle, n, n, M, N, K, &one, a.device, M, b.device, K, &zero, c.device, M));
	for (int j = 0; j < N; j++)
		OK(cublasSgemm(handle, n, n, M, 1, K, &one, a.device, M, b.device + j * K, K, &zero,
			       d.device + j * M, M));
	host_from(c.host, c.device, M * N);
	d.got = (float *)memcpy(d.got, c.host, M * N * sizeof(float));
	host_from(d.host, d.device, M * N);
	compare_exact("columns", d.host, c.host, M * N);
	for (double &dot : dots)
		OK(cublasDdot(handle, 20000, x.device, 1, x.device, 1, &dot));
	expect_same("dot", 0, dots[0], dots[1]);
}

/* The handle of a context that is gone, and a context in error. Last: nothing works afterwards. */
__global__ void break_context(int *p)
{
	*p = 1;
}

static void test_broken(void)
{
	float x = 1, r = 0, two = 2, *d;
	cublasHandle_t fresh;

	CHECK(cudaDeviceReset());
	/* nothing of the handle is gone, and its memory is not other memory now */
	d = device_from(&x, 1);
	OK(cublasSasum(handle, 1, d, 1, &r));
	EXPECT(r == 1);
	OK(cublasDestroy(handle));
	OK(cublasCreate(&handle));
	break_context<<<1, 1>>>((int *)8);
	EXPECT(cudaDeviceSynchronize() != cudaSuccess);
	EXPECT_STATUS(CUBLAS_STATUS_EXECUTION_FAILED, cublasSscal(handle, 1, &two, d, 1));
	EXPECT_STATUS(CUBLAS_STATUS_EXECUTION_FAILED, cublasSasum(handle, 1, d, 1, &r));
	EXPECT(cublasCreate(&fresh) != CUBLAS_STATUS_SUCCESS);
	OK(cublasDestroy(handle));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "calls", NULL, 0, 0, 0);
	OK(cublasCreate(&handle));
	test_handles();
	test_arguments();
	test_copies();
	test_capture();
	test_streams();
	test_equal_bytes();
	test_broken();
	return finish();
}
