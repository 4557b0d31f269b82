/* SPDX-License-Identifier: MIT */
/*
 * cufftXt: types by name and 64-bit sizes, halves, memory descriptors, what refuses.
 */
#include "fft.h"

#include <cufftXt.h>

static cudaDataType data_type(precision p, bool real)
{
	static const cudaDataType types[3][2] = {{CUDA_C_32F, CUDA_R_32F},
						 {CUDA_C_64F, CUDA_R_64F},
						 {CUDA_C_16F, CUDA_R_16F}};

	return types[p][real];
}

static void run_xt(const problem &q, void *in, void *out)
{
	long long n[3], inembed[3], onembed[3];
	size_t bytes = 0, again = 1;
	cufftHandle plan;

	memcpy(n, q.n, sizeof(n));
	memcpy(inembed, q.in.embed, sizeof(n));
	memcpy(onembed, q.out.embed, sizeof(n));
	OK(cufftCreate(&plan));
	OK(cufftXtGetSizeMany(plan, q.rank, n, inembed, q.in.stride, q.in.distance,
			      data_type(q.p, q.in.real), onembed, q.out.stride, q.out.distance,
			      data_type(q.p, q.out.real), q.batch, &again, data_type(q.p, false)));
	OK(cufftXtMakePlanMany(plan, q.rank, n, inembed, q.in.stride, q.in.distance,
			       data_type(q.p, q.in.real), onembed, q.out.stride, q.out.distance,
			       data_type(q.p, q.out.real), q.batch, &bytes, data_type(q.p, false)));
	EXPECT(bytes == again);
	OK(cufftXtExec(plan, in, out, q.direction));
	OK(cufftDestroy(plan));
}

static void test_types()
{
	static const long long sizes[][3] = {{1, 1, 1},	  {2, 1, 1},  {16, 1, 1}, {256, 1, 1},
					     {2048, 1, 1}, {4096, 1, 1}, {8, 16, 1}, {4, 32, 2}};

	for (int i = 0; i < 8; i++)
		for (int kind = 0; kind < 12; kind++) {
			problem q = {};

			q.rank = i < 6 ? 1 : i - 4;
			memcpy(q.n, sizes[i], sizeof(q.n));
			q.f = (form)(kind % 4 < 2 ? C2C : kind % 4 - 1);
			q.p = kind < 8 ? HALF : (precision)(i % 2);
			q.direction = kind % 4 == 1 || q.f == C2R ? CUFFT_INVERSE : CUFFT_FORWARD;
			q.batch = 1 + kind % 3;
			q.in_place = kind / 4 % 2;
			pack(&q);
			try_problem(q, run_xt);
		}
}

static void test_descriptors()
{
	enum { N = 96 };
	cufftComplex host[N], got[N];
	double from[2 * N], to[2 * N];
	cudaLibXtDesc *a, *b, *none = NULL;
	cufftHandle plan;
	problem q = {};
	int device = 0, two[] = {0, 0}, wrong = 99;
	size_t bytes;

	for (int i = 0; i < N; i++) {
		host[i] = {lcg_float(&draw, -1, 1), lcg_float(&draw, -1, 1)};
		from[2 * i] = host[i].x;
		from[2 * i + 1] = host[i].y;
	}
	OK(cufftCreate(&plan));
	EXPECT_STATUS(CUFFT_INVALID_PLAN, cufftXtMalloc(plan, &a, CUFFT_XT_FORMAT_INPUT));
	EXPECT_STATUS(CUFFT_NOT_SUPPORTED, cufftXtSetGPUs(plan, 2, two));
	EXPECT_STATUS(CUFFT_INVALID_DEVICE, cufftXtSetGPUs(plan, 1, &wrong));
	EXPECT_STATUS(CUFFT_INVALID_VALUE, cufftXtSetGPUs(plan, 1, NULL));
	OK(cufftXtSetGPUs(plan, 1, &device));
	OK(cufftMakePlan1d(plan, N, CUFFT_C2C, 1, &bytes));
	OK(cufftXtMalloc(plan, &a, CUFFT_XT_FORMAT_INPUT));
	OK(cufftXtMalloc(plan, &b, CUFFT_XT_FORMAT_INPLACE));
	EXPECT(a->descriptor->nGPUs == 1 && a->descriptor->GPUs[0] == 0);
	EXPECT(a->descriptor->size[0] == sizeof(host) && a->library == LIB_FORMAT_CUFFT);
	OK(cufftXtMemcpy(plan, a, host, CUFFT_COPY_HOST_TO_DEVICE));
	EXPECT_STATUS(CUFFT_INVALID_VALUE, cufftXtMemcpy(plan, a, NULL, CUFFT_COPY_HOST_TO_DEVICE));
	EXPECT_STATUS(CUFFT_INVALID_VALUE,
		      cufftXtMemcpy(plan, a, b, (cufftXtCopyType)CUFFT_COPY_UNDEFINED));
	EXPECT_STATUS(CUFFT_INVALID_VALUE, cufftXtExecDescriptorC2C(plan, none, b, CUFFT_FORWARD));
	EXPECT_STATUS(CUFFT_INVALID_TYPE, cufftXtExecDescriptorR2C(plan, a, b));
	OK(cufftXtExecDescriptorC2C(plan, a, b, CUFFT_FORWARD));
	OK(cufftXtMemcpy(plan, got, b, CUFFT_COPY_DEVICE_TO_HOST));
	q.rank = 1;
	q.n[0] = N;
	q.batch = 1;
	q.direction = CUFFT_FORWARD;
	pack(&q);
	fftw_transform(q, from, to);
	for (int i = 0; i < N; i++) {
		expect_near("descriptor", i, got[i].x, to[2 * i], 1e-5);
		expect_near("descriptor", i, got[i].y, to[2 * i + 1], 1e-5);
	}
	OK(cufftXtExecDescriptor(plan, b, b, CUFFT_INVERSE));
	OK(cufftXtMemcpy(plan, a, b, CUFFT_COPY_DEVICE_TO_DEVICE));
	OK(cufftXtMemcpy(plan, got, a, CUFFT_COPY_DEVICE_TO_HOST));
	for (int i = 0; i < N; i++)
		expect_near("and back", i, got[i].x, N * (double)host[i].x, 1e-4);
	OK(cufftXtFree(a));
	OK(cufftXtFree(b));
	OK(cufftXtFree(NULL));
	OK(cufftDestroy(plan));
}

static void test_refusals()
{
	long long n = 12, whole = 16;
	cufftHandle plan;
	size_t bytes;

	OK(cufftCreate(&plan));
	/* halves are transformed in powers of two */
	EXPECT_STATUS(CUFFT_NOT_SUPPORTED,
		      cufftXtMakePlanMany(plan, 1, &n, NULL, 1, 1, CUDA_C_16F, NULL, 1, 1,
					  CUDA_C_16F, 1, &bytes, CUDA_C_16F));
	EXPECT_STATUS(CUFFT_NOT_SUPPORTED,
		      cufftXtMakePlanMany(plan, 1, &whole, NULL, 1, 1, CUDA_C_16BF, NULL, 1, 1,
					  CUDA_C_16BF, 1, &bytes, CUDA_C_16BF));
	EXPECT_STATUS(CUFFT_INVALID_TYPE,
		      cufftXtMakePlanMany(plan, 1, &whole, NULL, 1, 1, CUDA_R_32F, NULL, 1, 1,
					  CUDA_R_32F, 1, &bytes, CUDA_C_32F));
	EXPECT_STATUS(CUFFT_INVALID_TYPE,
		      cufftXtMakePlanMany(plan, 1, &whole, NULL, 1, 1, CUDA_C_32F, NULL, 1, 1,
					  CUDA_C_32F, 1, &bytes, CUDA_C_64F));
	EXPECT_STATUS(CUFFT_NOT_SUPPORTED,
		      cufftXtSetCallback(plan, NULL, CUFFT_CB_LD_COMPLEX, NULL));
	EXPECT_STATUS(CUFFT_NOT_SUPPORTED,
		      cufftXtSetJITCallback(plan, NULL, NULL, 0, CUFFT_CB_LD_COMPLEX, NULL));
	EXPECT_STATUS(CUFFT_INVALID_VALUE,
		      cufftXtSetWorkAreaPolicy(plan, (cufftXtWorkAreaPolicy)9, &bytes));
	OK(cufftXtSetWorkAreaPolicy(plan, CUFFT_WORKAREA_MINIMAL, &bytes));
	OK(cufftDestroy(plan));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "xt", NULL, 0, 0, 0);
	test_types();
	test_descriptors();
	test_refusals();
	return finish();
}
