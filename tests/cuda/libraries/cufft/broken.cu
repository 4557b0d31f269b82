/* SPDX-License-Identifier: MIT */
/*
 * broken: a context in error. Handles, plans and generators that were made before return a status
 * of their library's from then on, new ones too, and what they had can be given back.
 */
#include "common.h"

#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>

#define N 64

static __global__ void break_context(int *p)
{
	*p = 1;
}

static void expect_one_of(int line, const char *call, int got, int a, int b)
{
	if (got != a && got != b)
		mismatch("line %d, %s: got status %d, expected %d or %d", line, call, got, a, b);
}
#define EXPECT_ONE_OF(a, b, call) expect_one_of(__LINE__, #call, (int)(call), a, b)
#define GOOD(call) EXPECT_ONE_OF(0, 0, call)

int main(int argc, char **argv)
{
	float *x;
	int *info, lwork;
	cufftHandle plan, second;
	curandGenerator_t generator, fresh;
	cusolverDnHandle_t solver;

	parse_size(argc, argv, "broken", NULL, 0, 0, 0);
	x = device_new<float>(4 * N * N);
	info = device_new<int>(1);
	CHECK(cudaMemset(x, 0, 4 * N * N * sizeof(*x)));
	GOOD(cufftPlan1d(&plan, N, CUFFT_C2C, 1));
	GOOD(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10));
	GOOD(curandCreateGenerator(&fresh, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64));
	GOOD(cusolverDnCreate(&solver));
	GOOD(cusolverDnSpotrf_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, N, x, N, &lwork));
	GOOD(cufftExecC2C(plan, (cufftComplex *)x, (cufftComplex *)x, CUFFT_FORWARD));
	GOOD(curandGenerateUniform(generator, x, N));
	CHECK(cudaDeviceSynchronize());

	break_context<<<1, 1>>>((int *)8);
	EXPECT(cudaDeviceSynchronize() != cudaSuccess);
	for (int twice = 0; twice < 2; twice++) {
		EXPECT_ONE_OF(CUFFT_EXEC_FAILED, CUFFT_INTERNAL_ERROR,
			      cufftExecC2C(plan, (cufftComplex *)x, (cufftComplex *)x,
					   CUFFT_FORWARD));
		EXPECT_ONE_OF(CURAND_STATUS_PREEXISTING_FAILURE, CURAND_STATUS_LAUNCH_FAILURE,
			      curandGenerateUniform(generator, x, N));
		/* its states are not there yet */
		EXPECT_ONE_OF(CURAND_STATUS_PREEXISTING_FAILURE, CURAND_STATUS_ALLOCATION_FAILED,
			      curandGenerateUniform(fresh, x, N));
		EXPECT_ONE_OF(CUSOLVER_STATUS_EXECUTION_FAILED, CUSOLVER_STATUS_INTERNAL_ERROR,
			      cusolverDnSpotrf(solver, CUBLAS_FILL_MODE_LOWER, N, x, N, x, lwork,
					       info));
	}
	/* a plan with tables, which cannot be copied, and a work area */
	EXPECT_ONE_OF(CUFFT_ALLOC_FAILED, CUFFT_EXEC_FAILED,
		      cufftPlan1d(&second, 1 << 20, CUFFT_C2C, 1));
	GOOD(cufftDestroy(plan));
	EXPECT_ONE_OF(CUFFT_INVALID_PLAN, CUFFT_INVALID_PLAN, cufftDestroy(plan));
	GOOD(curandDestroyGenerator(generator));
	GOOD(curandDestroyGenerator(fresh));
	GOOD(cusolverDnDestroy(solver));
	return finish();
}
