/* SPDX-License-Identifier: MIT */
/*
 * Calls of cuFFT that are not about layouts: bad arguments, handles, work areas, streams, captured
 * streams, managed memory, equal bytes of equal calls.
 */
#include "fft.h"

enum { N = 1000, LONG = 4096 };

static void test_handles()
{
	cufftHandle plan = CUFFT_PLAN_NULL, other;
	int version = 0;
	size_t bytes = 1;

	EXPECT_STATUS(CUFFT_INVALID_PLAN, cufftDestroy(CUFFT_PLAN_NULL));
	EXPECT_STATUS(CUFFT_INVALID_PLAN, cufftDestroy(0));
	EXPECT_STATUS(CUFFT_INVALID_PLAN, cufftDestroy(12345));
	EXPECT_STATUS(CUFFT_INVALID_PLAN, cufftSetStream(12345, 0));
	EXPECT_STATUS(CUFFT_INVALID_PLAN, cufftGetSize(12345, &bytes));
	EXPECT_STATUS(CUFFT_INVALID_VALUE, cufftCreate(NULL));
	EXPECT_STATUS(CUFFT_INVALID_VALUE, cufftPlan1d(NULL, 8, CUFFT_C2C, 1));
	OK(cufftCreate(&plan));
	OK(cufftGetSize(plan, &bytes));
	EXPECT(bytes == 0);
	OK(cufftDestroy(plan));
	EXPECT_STATUS(CUFFT_INVALID_PLAN, cufftDestroy(plan));
	/* its place is taken by another plan, its number is not */
	OK(cufftCreate(&other));
	EXPECT(other != plan);
	EXPECT_STATUS(CUFFT_INVALID_PLAN, cufftSetStream(plan, 0));
	OK(cufftDestroy(other));
	OK(cufftGetVersion(&version));
	EXPECT(version == CUFFT_VERSION);
	OK(cufftGetProperty(MAJOR_VERSION, &version));
	EXPECT(version == CUFFT_VER_MAJOR);
	EXPECT_STATUS(CUFFT_INVALID_VALUE, cufftGetProperty((libraryPropertyType)7, &version));
	EXPECT_STATUS(CUFFT_INVALID_VALUE, cufftGetVersion(NULL));
}

static void test_arguments()
{
	int n[] = {8, 8, 8}, one[] = {1, 0, 1};
	cufftHandle plan;
	size_t bytes;

	EXPECT_STATUS(CUFFT_INVALID_SIZE, cufftPlan1d(&plan, 0, CUFFT_C2C, 1));
	EXPECT_STATUS(CUFFT_INVALID_SIZE, cufftPlan1d(&plan, -8, CUFFT_C2C, 1));
	EXPECT_STATUS(CUFFT_INVALID_SIZE, cufftPlan1d(&plan, 8, CUFFT_C2C, 0));
	EXPECT_STATUS(CUFFT_INVALID_SIZE, cufftPlan1d(&plan, 8, CUFFT_C2C, -1));
	EXPECT_STATUS(CUFFT_INVALID_TYPE, cufftPlan1d(&plan, 8, (cufftType)7, 1));
	EXPECT_STATUS(CUFFT_INVALID_SIZE, cufftPlan2d(&plan, 8, 0, CUFFT_C2C));
	EXPECT_STATUS(CUFFT_INVALID_SIZE, cufftPlan3d(&plan, 8, 8, -1, CUFFT_R2C));
	EXPECT_STATUS(CUFFT_INVALID_VALUE,
		      cufftPlanMany(&plan, 0, n, NULL, 1, 1, NULL, 1, 1, CUFFT_C2C, 1));
	EXPECT_STATUS(CUFFT_INVALID_VALUE,
		      cufftPlanMany(&plan, 4, n, NULL, 1, 1, NULL, 1, 1, CUFFT_C2C, 1));
	EXPECT_STATUS(CUFFT_INVALID_VALUE,
		      cufftPlanMany(&plan, 1, NULL, NULL, 1, 1, NULL, 1, 1, CUFFT_C2C, 1));
	EXPECT_STATUS(CUFFT_INVALID_VALUE,
		      cufftPlanMany(&plan, 1, n, n, 0, 8, n, 1, 8, CUFFT_C2C, 1));
	EXPECT_STATUS(CUFFT_INVALID_VALUE,
		      cufftPlanMany(&plan, 1, n, n, 1, 8, n, 1, -8, CUFFT_C2C, 2));
	EXPECT_STATUS(CUFFT_INVALID_VALUE,
		      cufftPlanMany(&plan, 3, n, one, 1, 8, n, 1, 512, CUFFT_C2C, 2));
	EXPECT_STATUS(CUFFT_INVALID_VALUE, cufftEstimate1d(8, CUFFT_C2C, 1, NULL));
	OK(cufftEstimate1d(8, CUFFT_C2C, 1, &bytes));
	OK(cufftEstimate2d(8, 8, CUFFT_R2C, &bytes));
	OK(cufftEstimate3d(8, 8, 8, CUFFT_Z2D, &bytes));
	OK(cufftEstimateMany(3, n, NULL, 1, 1, NULL, 1, 1, CUFFT_C2C, 3, &bytes));
}

static void test_execution_arguments()
{
	cufftComplex *data = device_new<cufftComplex>(2 * LONG);
	long long huge = 1ll << 40;
	cufftHandle plan, empty;
	size_t bytes;

	OK(cufftPlan1d(&plan, LONG, CUFFT_C2C, 1));
	EXPECT_STATUS(CUFFT_INVALID_VALUE, cufftExecC2C(plan, NULL, data, CUFFT_FORWARD));
	EXPECT_STATUS(CUFFT_INVALID_VALUE, cufftExecC2C(plan, data, NULL, CUFFT_FORWARD));
	EXPECT_STATUS(CUFFT_INVALID_VALUE, cufftExecC2C(plan, data, data, 0));
	EXPECT_STATUS(CUFFT_UNALIGNED_DATA,
		      cufftExecC2C(plan, (cufftComplex *)((char *)data + 4), data, CUFFT_FORWARD));
	EXPECT_STATUS(CUFFT_INVALID_TYPE, cufftExecR2C(plan, (float *)data, data));
	EXPECT_STATUS(CUFFT_INVALID_TYPE,
		      cufftExecZ2Z(plan, (cufftDoubleComplex *)data, (cufftDoubleComplex *)data,
				   CUFFT_FORWARD));
	EXPECT_STATUS(CUFFT_INVALID_PLAN, cufftMakePlan1d(plan, N, CUFFT_C2C, 1, &bytes));
	OK(cufftCreate(&empty));
	EXPECT_STATUS(CUFFT_INVALID_PLAN, cufftExecC2C(empty, data, data, CUFFT_FORWARD));
	EXPECT_STATUS(CUFFT_INVALID_SIZE, cufftMakePlan1d(empty, 0, CUFFT_C2C, 1, &bytes));
	/* more than there is, and a plan after that */
	EXPECT_STATUS(CUFFT_ALLOC_FAILED,
		      cufftMakePlanMany64(empty, 1, &huge, NULL, 1, 1, NULL, 1, 1, CUFFT_C2C, 1,
					  &bytes));
	OK(cufftMakePlan1d(empty, 8, CUFFT_C2C, 1, &bytes));
	EXPECT(bytes == 0);
	OK(cufftDestroy(plan));
	EXPECT_STATUS(CUFFT_INVALID_PLAN, cufftExecC2C(plan, data, data, CUFFT_FORWARD));
	OK(cufftDestroy(empty));
	CHECK(cudaFree(data));
}

/* What the same plan gives elsewhere. */
static cufftComplex answer[LONG], input[LONG], got[LONG];

static void prepare()
{
	cufftComplex *data;
	cufftHandle plan;

	for (int i = 0; i < LONG; i++)
		input[i] = {lcg_float(&draw, -1, 1), lcg_float(&draw, -1, 1)};
	data = device_from(input, LONG);
	OK(cufftPlan1d(&plan, LONG, CUFFT_C2C, 1));
	OK(cufftExecC2C(plan, data, data, CUFFT_FORWARD));
	host_from(answer, data, LONG);
	OK(cufftDestroy(plan));
	CHECK(cudaFree(data));
}

static void expect_answer(const char *what, const cufftComplex *data)
{
	host_from(got, data, LONG);
	if (memcmp(got, answer, sizeof(got)))
		mismatch("%s: the answer is another one", what);
}

static void test_work_areas()
{
	cufftComplex *data = device_from(input, LONG);
	size_t bytes = 0, again = 1;
	cufftHandle plan;
	void *work;

	OK(cufftCreate(&plan));
	OK(cufftSetAutoAllocation(plan, 0));
	OK(cufftGetSize1d(plan, LONG, CUFFT_C2C, 1, &again));
	OK(cufftMakePlan1d(plan, LONG, CUFFT_C2C, 1, &bytes));
	EXPECT(bytes == again && bytes >= sizeof(input));
	OK(cufftGetSize(plan, &again));
	EXPECT(bytes == again);
	EXPECT_STATUS(CUFFT_NO_WORKSPACE, cufftExecC2C(plan, data, data, CUFFT_FORWARD));
	EXPECT_STATUS(CUFFT_INVALID_VALUE, cufftSetWorkArea(plan, NULL));
	CHECK(cudaMalloc(&work, bytes));
	OK(cufftSetWorkArea(plan, work));
	OK(cufftExecC2C(plan, data, data, CUFFT_FORWARD));
	expect_answer("a work area", data);
	OK(cufftDestroy(plan));
	/* it is the program's */
	CHECK(cudaMemset(work, 0, bytes));
	CHECK(cudaFree(work));
	CHECK(cudaFree(data));
}

static void test_streams()
{
	cufftComplex *data = device_from(input, LONG), *out = device_new<cufftComplex>(LONG);
	cufftComplex *managed;
	cudaStream_t stream;
	cudaGraphExec_t runnable;
	cudaGraph_t graph;
	cufftHandle plan;

	CHECK(cudaStreamCreate(&stream));
	OK(cufftPlan1d(&plan, LONG, CUFFT_C2C, 1));
	OK(cufftSetStream(plan, stream));
	OK(cufftExecC2C(plan, data, out, CUFFT_FORWARD));
	CHECK(cudaStreamSynchronize(stream));
	expect_answer("a stream", out);
	CHECK(cudaMemset(out, 0, sizeof(answer)));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	OK(cufftExecC2C(plan, data, out, CUFFT_FORWARD));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&runnable, graph, 0));
	host_from(got, out, LONG);
	EXPECT(got[0].x == 0 && got[1].y == 0);
	for (int i = 0; i < 2; i++) {
		CHECK(cudaGraphLaunch(runnable, stream));
		CHECK(cudaStreamSynchronize(stream));
		expect_answer("a graph", out);
	}
	CHECK(cudaGraphExecDestroy(runnable));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaMallocManaged(&managed, sizeof(input)));
	memcpy(managed, input, sizeof(input));
	OK(cufftExecC2C(plan, managed, managed, CUFFT_FORWARD));
	CHECK(cudaStreamSynchronize(stream));
	if (memcmp(managed, answer, sizeof(answer)))
		mismatch("managed memory: the answer is another one");
	CHECK(cudaFree(managed));
	OK(cufftDestroy(plan));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(data));
	CHECK(cudaFree(out));
}

/* 1 and -1 in turn have one number, at the middle, in all the ways there are. */
static void test_by_hand()
{
	enum { LINE = 1 << 14 };
	float *data = device_new<float>(LINE + 2);
	float *host = (float *)host_alloc(sizeof(float) * (LINE + 2));
	cufftHandle forward, back;

	for (int i = 0; i < LINE; i++)
		host[i] = i % 2 ? -1 : 1;
	CHECK(cudaMemcpy(data, host, sizeof(float) * LINE, cudaMemcpyHostToDevice));
	OK(cufftPlan1d(&forward, LINE, CUFFT_R2C, 1));
	OK(cufftPlan1d(&back, LINE, CUFFT_C2R, 1));
	OK(cufftExecR2C(forward, data, (cufftComplex *)data));
	host_from(host, data, LINE + 2);
	for (int i = 0; i < LINE + 2; i++)
		if (host[i] != (i == LINE ? LINE : 0)) {
			mismatch("by hand, %d: got %g", i, host[i]);
			break;
		}
	OK(cufftExecC2R(back, (cufftComplex *)data, data));
	host_from(host, data, LINE);
	for (int i = 0; i < LINE; i++)
		if (host[i] != (i % 2 ? -LINE : LINE)) {
			mismatch("by hand and back, %d: got %g", i, host[i]);
			break;
		}
	OK(cufftDestroy(forward));
	OK(cufftDestroy(back));
	CHECK(cudaFree(data));
	free(host);
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "calls", NULL, 0, 0, 0);
	test_handles();
	test_arguments();
	prepare();
	test_execution_arguments();
	test_work_areas();
	test_streams();
	test_by_hand();
	return finish();
}
