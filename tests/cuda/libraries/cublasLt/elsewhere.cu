/* SPDX-License-Identifier: MIT */
/*
 * elsewhere: what one context made, used in another, of another device or of the same; and no
 * memory for what a library needs. Each library returns a status of its own, contexts are not in
 * error afterwards, and where they belong handles work as before.
 */
#include "../no_memory.h"

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <unistd.h>

/* By the name that it has whatever the header's version. */
extern "C" CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);

enum { N = 128, LINE = 1 << 14 };

static void expect_status(int line, const char *call, int got, int want)
{
	if (got != want)
		mismatch("line %d, %s: got status %d, expected %d", line, call, got, want);
}
#define EXPECT_STATUS(want, call) expect_status(__LINE__, #call, (int)(call), (int)(want))
#define GOOD(call) EXPECT_STATUS(0, call)

/* What is made once, on device 0 in its primary context */
static cublasHandle_t blas;
static cublasLtHandle_t light;
static cufftHandle plan;
static curandGenerator_t generator, twister;
static cusolverDnHandle_t solver;
static cusparseHandle_t sparse;
static cublasLtMatmulDesc_t operation;
static cublasLtMatrixLayout_t square;

/* Memory of the current context, all ones. */
struct area {
	float *at;

	area()
	{
		std::vector<float> ones(2 * N * N, 1.0f);

		at = device_from(ones.data(), (int)ones.size());
	}
	~area() { CHECK(cudaFree(at)); }
};

static void make(void)
{
	cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_RELU;

	GOOD(cublasCreate(&blas));
	GOOD(cublasLtCreate(&light));
	GOOD(cufftPlan1d(&plan, LINE, CUFFT_C2C, 1));
	GOOD(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_XORWOW));
	GOOD(curandCreateGenerator(&twister, CURAND_RNG_PSEUDO_MTGP32));
	GOOD(cusolverDnCreate(&solver));
	GOOD(cusparseCreate(&sparse));
	GOOD(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
	/* a second step, which needs memory for what comes between */
	GOOD(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
					    sizeof(epilogue)));
	GOOD(cublasLtMatrixLayoutCreate(&square, CUDA_R_32F, N, N, N));
}

static cublasStatus_t multiply(float *a)
{
	float one = 1, zero = 0;

	return cublasLtMatmul(light, operation, &one, a, square, a, square, &zero, a + N * N,
			      square, a + N * N, square, NULL, NULL, 0, 0);
}

static int solve(float *a)
{
	int lwork = 0, status;
	float *work = device_new<float>(N * N);
	int *info = device_new<int>(1);

	status = cusolverDnSpotrf_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, 1, a, 1, &lwork);
	EXPECT(lwork <= N * N);
	if (!status)
		status = cusolverDnSpotrf(solver, CUBLAS_FILL_MODE_LOWER, 1, a, 1, work, N * N,
					  info);
	CHECK(cudaFree(work));
	CHECK(cudaFree(info));
	return status;
}

static int gather(float *a)
{
	cusparseSpVecDescr_t few;
	cusparseDnVecDescr_t all;
	int *places = device_new<int>(4), status;

	CHECK(cudaMemset(places, 0, 4 * sizeof(int)));
	GOOD(cusparseCreateSpVec(&few, N, 4, places, a + N, CUSPARSE_INDEX_32I,
				 CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
	GOOD(cusparseCreateDnVec(&all, N, a, CUDA_R_32F));
	status = cusparseGather(sparse, all, few);
	CHECK(cudaDeviceSynchronize());
	GOOD(cusparseDestroySpVec(few));
	GOOD(cusparseDestroyDnVec(all));
	CHECK(cudaFree(places));
	return status;
}

/* All of them where they are at home. */
static void all_work(void)
{
	float two = 2, got = 0, sum = 0;
	area a;

	GOOD(cublasSscal(blas, 4, &two, a.at, 1));
	GOOD(cublasSasum(blas, 4, a.at, 1, &sum));
	expect_same("sum", 0, sum, 8.0f);
	CHECK(cudaMemset(a.at, 0, sizeof(float)));
	GOOD(multiply(a.at));
	host_from(&got, a.at + 2 * N * N - 1, 1);
	/* a row of ones by a column of ones */
	expect_same("product", 0, got, (float)N);
	GOOD(cufftExecC2C(plan, (cufftComplex *)a.at, (cufftComplex *)a.at, CUFFT_FORWARD));
	GOOD(curandGenerateUniform(generator, a.at, N));
	GOOD(curandGenerateUniform(twister, a.at, N));
	GOOD(solve(a.at));
	GOOD(gather(a.at));
	CHECK(cudaDeviceSynchronize());
}

/* On another device: those that are of a device say so, and nothing is written. */
static void on_another_device(void)
{
	float two = 2, got = 0;

	CHECK(cudaSetDevice(1));
	{
		area a;

		EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE, cublasSscal(blas, 4, &two, a.at, 1));
		EXPECT_STATUS(CUFFT_INVALID_DEVICE,
			      cufftExecC2C(plan, (cufftComplex *)a.at, (cufftComplex *)a.at,
					   CUFFT_FORWARD));
		EXPECT_STATUS(CURAND_STATUS_LAUNCH_FAILURE,
			      curandGenerateUniform(generator, a.at, N));
		EXPECT_STATUS(CURAND_STATUS_LAUNCH_FAILURE, curandGenerateSeeds(twister));
		EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE, solve(a.at));
		EXPECT_STATUS(CUSPARSE_STATUS_INVALID_VALUE, gather(a.at));
		CHECK(cudaDeviceSynchronize());
		host_from(&got, a.at, 1);
		expect_same("what nobody wrote", 0, got, 1.0f);
		/* cuBLASLt's handles are of no device */
		GOOD(multiply(a.at));
		host_from(&got, a.at + 2 * N * N - 1, 1);
		expect_same("product there", 0, got, (float)N);
	}
	CHECK(cudaSetDevice(0));
}

/* In another context of device 0: what has memory of its own is refused, what has none works. */
static void in_another_context(void)
{
	float two = 2, sum = 0;
	CUcontext other;

	EXPECT_STATUS(CUDA_SUCCESS, cuCtxCreate_v2(&other, 0, 0));
	{
		area a;

		GOOD(cublasSscal(blas, 4, &two, a.at, 1));
		GOOD(cublasSasum(blas, 4, a.at, 1, &sum));
		expect_same("sum there", 0, sum, 8.0f);
		EXPECT_STATUS(CUFFT_INVALID_DEVICE,
			      cufftExecC2C(plan, (cufftComplex *)a.at, (cufftComplex *)a.at,
					   CUFFT_FORWARD));
		EXPECT_STATUS(CURAND_STATUS_LAUNCH_FAILURE,
			      curandGenerateUniform(generator, a.at, N));
		EXPECT_STATUS(CURAND_STATUS_LAUNCH_FAILURE,
			      curandGenerateUniform(twister, a.at, N));
		GOOD(solve(a.at));
		GOOD(gather(a.at));
		GOOD(multiply(a.at));
		CHECK(cudaDeviceSynchronize());
	}
	EXPECT_STATUS(CUDA_SUCCESS, cuCtxDestroy(other));
}

static void without_memory(void)
{
	curandGenerator_t fresh;
	cufftHandle longer;
	area a;
	no_memory *none = new no_memory;

	EXPECT_STATUS(CUBLAS_STATUS_ALLOC_FAILED, multiply(a.at));
	GOOD(curandCreateGenerator(&fresh, CURAND_RNG_PSEUDO_XORWOW));
	EXPECT_STATUS(CURAND_STATUS_ALLOCATION_FAILED, curandGenerateUniform(fresh, a.at, N));
	EXPECT_STATUS(CURAND_STATUS_ALLOCATION_FAILED, curandGenerateSeeds(fresh));
	EXPECT_STATUS(CUFFT_ALLOC_FAILED, cufftPlan1d(&longer, LINE, CUFFT_C2C, 1));
	/* the status was all */
	CHECK(cudaGetLastError());
	delete none;
	/* the same calls, with memory */
	GOOD(multiply(a.at));
	GOOD(curandGenerateUniform(fresh, a.at, N));
	GOOD(curandDestroyGenerator(fresh));
	/* freed memory is no generator */
	EXPECT_STATUS(CURAND_STATUS_NOT_INITIALIZED, curandGenerateUniform(fresh, a.at, N));
	EXPECT_STATUS(CURAND_STATUS_NOT_INITIALIZED, curandDestroyGenerator(fresh));
	GOOD(cufftPlan1d(&longer, LINE, CUFFT_C2C, 1));
	GOOD(cufftDestroy(longer));
	CHECK(cudaDeviceSynchronize());
}

static __global__ void break_context(int *p)
{
	*p = 1;
}

/* Last: a stream in error, and its context */
static void in_error(void)
{
	area *a = new area;
	cublasStatus_t status;

	break_context<<<1, 1>>>((int *)8);
	EXPECT(cudaDeviceSynchronize() != cudaSuccess);
	status = multiply(a->at);
	EXPECT(status == CUBLAS_STATUS_EXECUTION_FAILED || status == CUBLAS_STATUS_INTERNAL_ERROR);
	GOOD(cublasLtMatmulDescDestroy(operation));
	GOOD(cublasLtMatrixLayoutDestroy(square));
	GOOD(cublasLtDestroy(light));
	EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, cublasLtDestroy(light));
	GOOD(curandDestroyGenerator(generator));
	GOOD(curandDestroyGenerator(twister));
	GOOD(cufftDestroy(plan));
}

int main(int argc, char **argv)
{
	const char *transport = getenv("VGPU_TRANSPORT");
	int devices = 0;

	parse_size(argc, argv, "elsewhere", NULL, 0, 0, 0);
	/* before the first call; behind /dev/vgpu there are as many as there are */
	if ((transport && !strcmp(transport, "embedded")) || access("/dev/vgpu0", F_OK))
		setenv("VGPU_PRESET", "v100,v100", 0);
	make();
	all_work();
	CHECK(cudaGetDeviceCount(&devices));
	if (devices > 1)
		on_another_device();
	in_another_context();
	all_work();
	without_memory();
	all_work();
	in_error();
	return finish();
}
