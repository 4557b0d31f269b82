/* SPDX-License-Identifier: MIT */
/*
 * Handles, settings, statuses: what is wrong is refused, with its number on the device; work areas
 * that are too small; a stream that is captured; what waits for the host is refused there.
 */
#include "solver.h"

static void test_handles()
{
	cusolverDnHandle_t h = NULL;
	cusolverDnParams_t params;
	cudaStream_t stream, got;
	cusolverDeterministicMode_t mode;
	int version = 0, lwork;
	double *a = device_new<double>(4);

	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnCreate(NULL));
	OK(cusolverDnCreate(&h));
	CHECK(cudaStreamCreate(&stream));
	OK(cusolverDnSetStream(h, stream));
	OK(cusolverDnGetStream(h, &got));
	EXPECT(got == stream);
	OK(cusolverDnGetDeterministicMode(h, &mode));
	EXPECT(mode == CUSOLVER_DETERMINISTIC_RESULTS);
	OK(cusolverDnSetDeterministicMode(h, CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      cusolverDnSetDeterministicMode(h, (cusolverDeterministicMode_t)7));
	OK(cusolverDnCreateParams(&params));
	OK(cusolverDnSetAdvOptions(params, CUSOLVERDN_GETRF, CUSOLVER_ALG_1));
	OK(cusolverDnDestroyParams(params));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE, cusolverDnDestroyParams(params));
	OK(cusolverGetVersion(&version));
	EXPECT(version == CUSOLVER_VERSION);
	OK(cusolverGetProperty(MAJOR_VERSION, &version));
	EXPECT(version == CUSOLVER_VER_MAJOR);
	OK(cusolverDnDestroy(h));
	EXPECT_STATUS(CUSOLVER_STATUS_NOT_INITIALIZED, cusolverDnDestroy(h));
	EXPECT_STATUS(CUSOLVER_STATUS_NOT_INITIALIZED, cusolverDnSetStream(h, NULL));
	for (cusolverDnHandle_t bad : {h, (cusolverDnHandle_t)NULL, (cusolverDnHandle_t)a})
		EXPECT_STATUS(
			CUSOLVER_STATUS_NOT_INITIALIZED,
			cusolverDnDpotrf_bufferSize(bad, CUBLAS_FILL_MODE_LOWER, 2, a, 2, &lwork));
	CHECK(cudaFree(a));
	CHECK(cudaStreamDestroy(stream));
}

/* A wrong parameter's number is on the device, too. */
#define WRONG(number, call)                                         \
	do {                                                        \
		EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE, call); \
		EXPECT_INFO(info, -(number));                       \
	} while (0)

static void test_parameters()
{
	const cublasFillMode_t lower = CUBLAS_FILL_MODE_LOWER;
	matrix a = random_definite<double>(4);
	device<double> da(a), tau(4, 1), work(200, 1);
	list<int> info(1), pivots(4);
	list<double> w(4);
	double *m = da.at, *area = work.at;
	int lwork;

	WRONG(1, cusolverDnDpotrf(handle, (cublasFillMode_t)9, 4, m, 4, area, 1, info.at));
	WRONG(2, cusolverDnDpotrf(handle, lower, -1, m, 4, area, 1, info.at));
	WRONG(3, cusolverDnDpotrf(handle, lower, 4, NULL, 4, area, 1, info.at));
	WRONG(4, cusolverDnDpotrf(handle, lower, 4, m, 3, area, 1, info.at));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      cusolverDnDpotrf(handle, lower, 4, m, 4, area, 1, NULL));
	WRONG(2, cusolverDnDgetrf(handle, 4, -4, m, 4, area, pivots.at, info.at));
	WRONG(4, cusolverDnDgetrf(handle, 4, 4, m, 2, area, pivots.at, info.at));
	WRONG(1,
	      cusolverDnDgetrs(handle, (cublasOperation_t)7, 4, 1, m, 4, pivots.at, m, 4, info.at));
	WRONG(8, cusolverDnDgetrs(handle, CUBLAS_OP_N, 4, 1, m, 4, pivots.at, m, 3, info.at));
	WRONG(5, cusolverDnDgeqrf(handle, 4, 4, m, 4, NULL, area, 1, info.at));
	WRONG(2, cusolverDnDorgqr(handle, 3, 4, 3, m, 4, tau.at, area, 200, info.at));
	WRONG(8, cusolverDnDorgqr(handle, 4, 4, 4, m, 4, tau.at, area, 15, info.at));
	WRONG(5, cusolverDnDormqr(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, 4, 4, 5, m, 4, tau.at,
				  area, 4, area, 1, info.at));
	OK(cusolverDnDsyevd_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, lower, 4, m, 4, w.at,
				       &lwork));
	EXPECT(lwork <= 200);
	WRONG(8, cusolverDnDsyevd(handle, CUSOLVER_EIG_MODE_VECTOR, lower, 4, m, 4, w.at, area,
				  lwork - 1, info.at));
	WRONG(1, cusolverDnDgesvd(handle, 'X', 'N', 4, 4, m, 4, w.at, area, 4, area, 4, area, 200,
				  NULL, info.at));
	WRONG(2, cusolverDnDgesvd(handle, 'O', 'O', 4, 4, m, 4, w.at, area, 4, area, 4, area, 200,
				  NULL, info.at));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      cusolverDnDpotrf_bufferSize(handle, lower, -1, m, 4, &lwork));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      cusolverDnDgetrf_bufferSize(handle, 4, 4, m, 2, &lwork));
	EXPECT_STATUS(CUSOLVER_STATUS_NOT_SUPPORTED,
		      cusolverDnXpotrf(handle, NULL, lower, 4, CUDA_R_64F, m, 4, CUDA_R_32F, area,
				       64, NULL, 0, info.at));
	EXPECT(da.bring().values == a.values);
}

/* A factorisation and a solution are launched twice by a graph. */
static void test_capture()
{
	const cublasFillMode_t lower = CUBLAS_FILL_MODE_LOWER;
	int n = 10;
	matrix a = random_definite<double>(n), b = random_matrix<double>(n, 1);
	device<double> da(a), db(b), work(1, 1), keep_a(a), keep_b(b);
	list<int> info(1);
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t launchable;
	syevjInfo_t settings;
	int sweeps;

	OK(cusolverDnCreateSyevjInfo(&settings));
	CHECK(cudaStreamCreate(&stream));
	OK(cusolverDnSetStream(handle, stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemcpyAsync(da.at, keep_a.at, n * n * sizeof(double), cudaMemcpyDeviceToDevice,
			      stream));
	CHECK(cudaMemcpyAsync(db.at, keep_b.at, n * sizeof(double), cudaMemcpyDeviceToDevice,
			      stream));
	OK(cusolverDnDpotrf(handle, lower, n, da.at, n, work.at, 1, info.at));
	OK(cusolverDnDpotrs(handle, lower, n, 1, da.at, n, db.at, n, info.at));
	EXPECT_STATUS(CUSOLVER_STATUS_NOT_SUPPORTED,
		      cusolverDnXsyevjGetSweeps(handle, settings, &sweeps));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&launchable, graph, 0));
	for (int turn = 0; turn < 2; turn++)
		CHECK(cudaGraphLaunch(launchable, stream));
	CHECK(cudaStreamSynchronize(stream));
	EXPECT_INFO(info, 0);
	EXPECT_NEAR(double, a *db.bring(), b, 400, "captured");
	CHECK(cudaGraphExecDestroy(launchable));
	CHECK(cudaGraphDestroy(graph));
	OK(cusolverDnSetStream(handle, NULL));
	CHECK(cudaStreamDestroy(stream));
	OK(cusolverDnDestroySyevjInfo(settings));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "calls", NULL, 0, 0, 0);
	test_handles();
	OK(cusolverDnCreate(&handle));
	test_parameters();
	test_capture();
	OK(cusolverDnDestroy(handle));
	return finish();
}
