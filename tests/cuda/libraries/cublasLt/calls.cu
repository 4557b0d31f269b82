// SPDX-License-Identifier: MIT
/*
 * Calls of cuBLASLt that are not about sums: attributes, algorithms, transforms of matrices, bad
 * input, captured streams, several threads.
 */
#include "lt.h"

#include <pthread.h>

static const cublasStatus_t bad = CUBLAS_STATUS_INVALID_VALUE;

static void test_handles(void)
{
	cublasLtHandle_t other;
	size_t n = 0;
	int version = 0;

	EXPECT_STATUS(bad, cublasLtCreate(NULL));
	OK(cublasLtCreate(&other));
	OK(cublasLtDestroy(other));
	EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, cublasLtDestroy(other));
	EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, cublasLtDestroy(NULL));
	EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED,
		      cublasLtMatmul(other, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
				     NULL, NULL, NULL, NULL, 0, 0));
	EXPECT(cublasLtGetVersion() == CUBLAS_VERSION);
	OK(cublasLtGetProperty(MAJOR_VERSION, &version));
	EXPECT(version == CUBLAS_VER_MAJOR);
	OK(cublasLtHeuristicsCacheSetCapacity(17));
	OK(cublasLtHeuristicsCacheGetCapacity(&n));
	EXPECT(n == 17);
	EXPECT_STATUS(bad, cublasLtHeuristicsCacheGetCapacity(NULL));
}

static void test_attributes(void)
{
	cublasLtMatmulDescOpaque_t own;
	cublasLtMatmulDesc_t operation;
	cublasLtMatrixLayout_t layout;
	cublasLtMatmulPreference_t preference;
	cublasLtEmulationDesc_t emulation;
	cublasLtMatrixTransformDesc_t transform;
	uint64_t rows = 0, bytes = 1 << 20, read = 0;
	int32_t op = CUBLAS_OP_T, got = 0;
	void *place = &own, *was = NULL;
	int8_t fast = 1;
	size_t size = 0;

	OK(cublasLtMatrixLayoutCreate(&layout, CUDA_R_16F, 5, 7, 6));
	OK(cublasLtMatrixLayoutGetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows,
					    sizeof(rows), &size));
	EXPECT(rows == 5 && size == sizeof(rows));
	/* a size of 0 asks for it */
	OK(cublasLtMatrixLayoutGetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, NULL, 0, &size));
	EXPECT(size == sizeof(int32_t));
	OK(cublasLtMatrixLayoutGetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &got,
					    sizeof(got), NULL));
	EXPECT(got == 1);
	EXPECT_STATUS(bad, cublasLtMatrixLayoutGetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ROWS,
							    &rows, 4, &size));
	EXPECT_STATUS(bad, cublasLtMatrixLayoutGetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ROWS,
							    NULL, 0, NULL));
	EXPECT_STATUS(bad, cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ROWS,
							    &rows, 4));
	EXPECT_STATUS(bad, cublasLtMatrixLayoutSetAttribute(
				   layout, (cublasLtMatrixLayoutAttribute_t)99, &rows, 8));
	EXPECT_STATUS(bad, cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ROWS,
							    NULL, 8));
	OK(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
	OK(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &op, sizeof(op)));
	OK(cublasLtMatmulDescGetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &got, sizeof(got),
					  &size));
	EXPECT(got == CUBLAS_OP_T && size == 4);
	OK(cublasLtMatmulDescGetAttribute(operation, CUBLASLT_MATMUL_DESC_FILL_MODE, &got,
					  sizeof(got), NULL));
	EXPECT(got == CUBLAS_FILL_MODE_FULL);
	OK(cublasLtMatmulDescGetAttribute(operation, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, &got,
					  sizeof(got), NULL));
	EXPECT(got == -1);
	OK(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &place,
					  sizeof(place)));
	OK(cublasLtMatmulDescGetAttribute(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &was,
					  sizeof(was), NULL));
	EXPECT(was == place);
	OK(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, 1));
	/* one kind is not another; one that was destroyed is none */
	EXPECT_STATUS(bad, cublasLtMatrixLayoutSetAttribute((cublasLtMatrixLayout_t)operation,
							    CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, 8));
	EXPECT_STATUS(bad, cublasLtMatrixLayoutDestroy((cublasLtMatrixLayout_t)operation));
	EXPECT_STATUS(bad, cublasLtMatmulDescSetAttribute(NULL, CUBLASLT_MATMUL_DESC_TRANSA, &op,
							  sizeof(op)));
	memset(&own, 0, sizeof(own));
	EXPECT_STATUS(bad, cublasLtMatmulDescSetAttribute(&own, CUBLASLT_MATMUL_DESC_TRANSA, &op,
							  sizeof(op)));
	OK(cublasLtMatmulDescInit(&own, CUBLAS_COMPUTE_64F, CUDA_R_64F));
	OK(cublasLtMatmulDescSetAttribute(&own, CUBLASLT_MATMUL_DESC_TRANSA, &op, sizeof(op)));
	/* as long as in toolkit 11, and shorter */
	OK(cublasLtMatmulDescInit_internal(&own, 23 * 8, CUBLAS_COMPUTE_64F, CUDA_R_64F));
	EXPECT_STATUS(bad,
		      cublasLtMatmulDescInit_internal(&own, 64, CUBLAS_COMPUTE_64F, CUDA_R_64F));
	OK(cublasLtMatmulPreferenceCreate(&preference));
	OK(cublasLtMatmulPreferenceSetAttribute(
		preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof(bytes)));
	OK(cublasLtMatmulPreferenceGetAttribute(
		preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &read, sizeof(read), NULL));
	EXPECT(read == bytes);
	OK(cublasLtEmulationDescCreate(&emulation));
	OK(cublasLtEmulationDescSetAttribute(emulation, CUBLASLT_EMULATION_DESC_STRATEGY, &op, 4));
	OK(cublasLtMatrixTransformDescCreate(&transform, CUDA_R_32F));
	OK(cublasLtMatrixLayoutDestroy(layout));
	OK(cublasLtMatmulDescDestroy(operation));
	OK(cublasLtMatmulPreferenceDestroy(preference));
	OK(cublasLtEmulationDescDestroy(emulation));
	OK(cublasLtMatrixTransformDescDestroy(transform));
	OK(cublasLtMatmulDescDestroy(NULL));
}

/* ---- products that are refused, and their algorithms */

struct small {
	cublasLtMatmulDesc_t operation;
	cublasLtMatrixLayout_t a, b, c;
	float *memory;

	small()
	{
		OK(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
		OK(cublasLtMatrixLayoutCreate(&a, CUDA_R_32F, 4, 3, 4));
		OK(cublasLtMatrixLayoutCreate(&b, CUDA_R_32F, 3, 2, 3));
		OK(cublasLtMatrixLayoutCreate(&c, CUDA_R_32F, 4, 2, 4));
		memory = device_new<float>(64);
		CHECK(cudaMemset(memory, 0, 64 * sizeof(float)));
	}
	~small()
	{
		OK(cublasLtMatmulDescDestroy(operation));
		OK(cublasLtMatrixLayoutDestroy(a));
		OK(cublasLtMatrixLayoutDestroy(b));
		OK(cublasLtMatrixLayoutDestroy(c));
		CHECK(cudaFree(memory));
	}
	cublasStatus_t run(const cublasLtMatmulAlgo_t *algo = NULL, cudaStream_t stream = 0)
	{
		float alpha = 1, beta = 0;

		return cublasLtMatmul(handle, operation, &alpha, memory, a, memory + 16, b, &beta,
				      NULL, c, memory + 32, c, algo, NULL, 0, stream);
	}
};

template <class T>
static cublasStatus_t with_layout(small &s, cublasLtMatrixLayout_t of,
				  cublasLtMatrixLayoutAttribute_t which, T value)
{
	cublasStatus_t status;
	T was;

	OK(cublasLtMatrixLayoutGetAttribute(of, which, &was, sizeof(was), NULL));
	OK(cublasLtMatrixLayoutSetAttribute(of, which, &value, sizeof(value)));
	status = s.run();
	OK(cublasLtMatrixLayoutSetAttribute(of, which, &was, sizeof(was)));
	return status;
}

template <class T>
static cublasStatus_t with(small &s, cublasLtMatmulDescAttributes_t which, T value)
{
	cublasStatus_t status;
	T was;

	OK(cublasLtMatmulDescGetAttribute(s.operation, which, &was, sizeof(was), NULL));
	set(s.operation, which, value);
	status = s.run();
	set(s.operation, which, was);
	return status;
}

static void test_refused(void)
{
	const cublasStatus_t not_there = CUBLAS_STATUS_NOT_SUPPORTED;
	float alpha = 1, beta = 0, *none = NULL;
	small s;

	OK(s.run());
	EXPECT_STATUS(bad, with_layout(s, s.a, CUBLASLT_MATRIX_LAYOUT_LD, (int64_t)3));
	EXPECT_STATUS(bad, with_layout(s, s.a, CUBLASLT_MATRIX_LAYOUT_ROWS, (uint64_t)3));
	EXPECT_STATUS(bad, with_layout(s, s.c, CUBLASLT_MATRIX_LAYOUT_COLS, (uint64_t)3));
	EXPECT_STATUS(bad, with_layout(s, s.a, CUBLASLT_MATRIX_LAYOUT_ROWS, ~(uint64_t)0));
	EXPECT_STATUS(bad, with_layout(s, s.b, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, (int32_t)2));
	EXPECT_STATUS(bad, with_layout(s, s.b, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, (int32_t)0));
	EXPECT_STATUS(bad, with_layout(s, s.b, CUBLASLT_MATRIX_LAYOUT_ORDER, (int32_t)5));
	EXPECT_STATUS(not_there,
		      with_layout(s, s.b, CUBLASLT_MATRIX_LAYOUT_TYPE, (uint32_t)CUDA_R_4F_E2M1));
	EXPECT_STATUS(not_there,
		      with_layout(s, s.b, CUBLASLT_MATRIX_LAYOUT_TYPE, (uint32_t)CUDA_R_16F));
	EXPECT_STATUS(not_there, with_layout(s, s.b, CUBLASLT_MATRIX_LAYOUT_BATCH_MODE,
					     (uint32_t)CUBLASLT_BATCH_MODE_POINTER_ARRAY));
	EXPECT_STATUS(bad, with_layout(s, s.b, CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, (uint32_t)2));
	EXPECT_STATUS(not_there,
		      with(s, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, (int32_t)CUBLAS_COMPUTE_64F));
	EXPECT_STATUS(bad, with(s, CUBLASLT_MATMUL_DESC_TRANSA, (int32_t)9));
	EXPECT_STATUS(bad, with(s, CUBLASLT_MATMUL_DESC_TRANSA, (int32_t)CUBLAS_OP_T));
	EXPECT_STATUS(not_there, with(s, CUBLASLT_MATMUL_DESC_TRANSC, (int32_t)CUBLAS_OP_T));
	EXPECT_STATUS(bad, with(s, CUBLASLT_MATMUL_DESC_POINTER_MODE, (int32_t)5));
	EXPECT_STATUS(bad, with(s, CUBLASLT_MATMUL_DESC_EPILOGUE, (uint32_t)3));
	/* without a bias, without what is kept */
	EXPECT_STATUS(bad,
		      with(s, CUBLASLT_MATMUL_DESC_EPILOGUE, (uint32_t)CUBLASLT_EPILOGUE_BIAS));
	EXPECT_STATUS(bad,
		      with(s, CUBLASLT_MATMUL_DESC_EPILOGUE, (uint32_t)CUBLASLT_EPILOGUE_GELU_AUX));
	EXPECT_STATUS(not_there, with(s, CUBLASLT_MATMUL_DESC_A_SCALE_MODE,
				      (int32_t)CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0));
	EXPECT_STATUS(bad, cublasLtMatmul(handle, s.operation, NULL, s.memory, s.a, s.memory, s.b,
					  &beta, s.memory, s.c, s.memory, s.c, NULL, NULL, 0, 0));
	EXPECT_STATUS(bad, cublasLtMatmul(handle, s.operation, &alpha, none, s.a, s.memory, s.b,
					  &beta, s.memory, s.c, s.memory, s.c, NULL, NULL, 0, 0));
	EXPECT_STATUS(bad,
		      cublasLtMatmul(handle, s.operation, &alpha, s.memory, NULL, s.memory, s.b,
				     &beta, s.memory, s.c, s.memory, s.c, NULL, NULL, 0, 0));
	beta = 1;
	EXPECT_STATUS(bad, cublasLtMatmul(handle, s.operation, &alpha, s.memory, s.a, s.memory, s.b,
					  &beta, NULL, s.c, s.memory, s.c, NULL, NULL, 0, 0));
	OK(s.run());
}

static void test_algorithms(void)
{
	cublasLtMatmulHeuristicResult_t result;
	cublasLtMatmulAlgo_t algo, wild = {{1, 2, 3}};
	uint32_t parts = 4, tile = CUBLASLT_MATMUL_TILE_64x64, read = 0;
	int ids[4], count = 7;
	size_t size;
	small s;

	OK(cublasLtMatmulAlgoGetIds(handle, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F,
				    CUDA_R_32F, CUDA_R_32F, 4, ids, &count));
	EXPECT(count == 1);
	EXPECT_STATUS(CUBLAS_STATUS_NOT_SUPPORTED,
		      cublasLtMatmulAlgoGetIds(handle, CUBLAS_COMPUTE_32F, CUDA_R_64F, CUDA_R_32F,
					       CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 4, ids, &count));
	EXPECT(count == 0);
	EXPECT_STATUS(bad,
		      cublasLtMatmulAlgoInit(handle, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F,
					     CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 99, &algo));
	OK(cublasLtMatmulAlgoInit(handle, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F,
				  CUDA_R_32F, CUDA_R_32F, ids[0], &algo));
	OK(cublasLtMatmulAlgoConfigSetAttribute(&algo, CUBLASLT_ALGO_CONFIG_TILE_ID, &tile, 4));
	OK(cublasLtMatmulAlgoConfigGetAttribute(&algo, CUBLASLT_ALGO_CONFIG_TILE_ID, &read, 4,
						&size));
	EXPECT(read == tile && size == 4);
	OK(cublasLtMatmulAlgoCheck(handle, s.operation, s.a, s.b, s.c, s.c, &algo, &result));
	EXPECT(result.state == CUBLAS_STATUS_SUCCESS && result.workspaceSize == 0);
	OK(s.run(&algo));
	OK(cublasLtMatmulAlgoCapGetAttribute(&algo, CUBLASLT_ALGO_CAP_SPLITK_SUPPORT, &read, 4,
					     NULL));
	EXPECT(read == 0);
	OK(cublasLtMatmulAlgoCapGetAttribute(&algo, CUBLASLT_ALGO_CAP_TILE_IDS, NULL, 0, &size));
	EXPECT(size == 4);
	/* it says that it does not, and so it is refused */
	OK(cublasLtMatmulAlgoConfigSetAttribute(&algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &parts, 4));
	EXPECT_STATUS(
		CUBLAS_STATUS_NOT_SUPPORTED,
		cublasLtMatmulAlgoCheck(handle, s.operation, s.a, s.b, s.c, s.c, &algo, &result));
	EXPECT_STATUS(CUBLAS_STATUS_NOT_SUPPORTED, s.run(&algo));
	EXPECT_STATUS(bad, s.run(&wild));
	EXPECT_STATUS(bad, cublasLtMatmulAlgoConfigSetAttribute(&wild, CUBLASLT_ALGO_CONFIG_TILE_ID,
								&tile, 4));
}

/* ---- transforms */

/* Places by hand, from the description of the orders: a row of 32 columns, then by 8 rows. */
static void test_orders(void)
{
	static const struct {
		int order, i, j, at;
	} places[] = {
		{CUBLASLT_ORDER_COL32, 0, 31, 31},	  {CUBLASLT_ORDER_COL32, 1, 0, 32},
		{CUBLASLT_ORDER_COL4_4R2_8C, 0, 3, 3},	  {CUBLASLT_ORDER_COL4_4R2_8C, 2, 0, 4},
		{CUBLASLT_ORDER_COL4_4R2_8C, 0, 4, 16},	  {CUBLASLT_ORDER_COL4_4R2_8C, 0, 8, 32},
		{CUBLASLT_ORDER_COL4_4R2_8C, 1, 0, 128},  {CUBLASLT_ORDER_COL4_4R2_8C, 8, 0, 256},
		{CUBLASLT_ORDER_COL32_2R_4R4, 1, 0, 32},  {CUBLASLT_ORDER_COL32_2R_4R4, 8, 0, 64},
		{CUBLASLT_ORDER_COL32_2R_4R4, 2, 0, 256}, {CUBLASLT_ORDER_COL32_2R_4R4, 9, 5, 101},
	};
	cublasLtMatrixTransformDesc_t operation;
	float one = 1;

	OK(cublasLtMatrixTransformDescCreate(&operation, CUDA_R_32F));
	for (unsigned int p = 0; p < sizeof(places) / sizeof(*places); p++) {
		matrix from(CUDA_R_8I, CUBLASLT_ORDER_COL, 40, 70, 1, 0);
		matrix to(CUDA_R_8I, places[p].order, 40, 70, 1, 0);

		from.put(places[p].i, places[p].j, 0, complex{5, 0});
		from.send();
		to.send();
		to.host[places[p].at] = 5;
		OK(cublasLtMatrixTransform(handle, operation, &one, from.device, from.layout, NULL,
					   NULL, NULL, to.device, to.layout, 0));
		to.check("place in a tiled order");
	}
	OK(cublasLtMatrixTransformDescDestroy(operation));
}

static void test_transform(cudaDataType scale, cudaDataType type, cudaDataType result)
{
	bool complex_numbers = is_complex(type);
	int orders = type == CUDA_R_8I ? 5 : 2;

	for (int round = 0; round < 6; round++) {
		cublasOperation_t opa = (cublasOperation_t)lcg_below(&draw, 3);
		cublasOperation_t opb = (cublasOperation_t)lcg_below(&draw, 3);
		int m = 1 + lcg_below(&draw, 70), n = 1 + lcg_below(&draw, 70);
		int batches = 1 + lcg_below(&draw, 2);
		matrix a(type, lcg_below(&draw, orders), opa ? n : m, opa ? m : n, batches, 2);
		matrix b(type, lcg_below(&draw, orders), opb ? n : m, opb ? m : n, batches, 0);
		matrix c(result, lcg_below(&draw, orders), m, n, batches, 1);
		double va = (double)lcg_below(&draw, 3), vb = (double)lcg_below(&draw, 3) - 1;
		scalar alpha(scale, va), beta(scale, vb);
		cublasLtMatrixTransformDesc_t operation;
		int32_t oa = opa, ob = opb;

		OK(cublasLtMatrixTransformDescCreate(&operation, scale));
		OK(cublasLtMatrixTransformDescSetAttribute(
			operation, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &oa, 4));
		OK(cublasLtMatrixTransformDescSetAttribute(
			operation, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, &ob, 4));
		a.fill();
		b.fill();
		if (vb == 0 && !complex_numbers)
			b.poison();
		a.send();
		b.send();
		c.send();
		for (int batch = 0; batch < batches; batch++)
			for (int i = 0; i < m; i++)
				for (int j = 0; j < n; j++) {
					complex x = a.get(opa, i, j, batch);
					complex y =
						vb == 0 ? complex{0, 0} : b.get(opb, i, j, batch);
					complex z = {va * x.re + vb * y.re, va * x.im + vb * y.im};

					c.put(i, j, batch, z);
				}
		OK(cublasLtMatrixTransform(handle, operation, &alpha, a.device, a.layout, &beta,
					   b.device, b.layout, c.device, c.layout, 0));
		c.check("transform");
		OK(cublasLtMatrixTransformDescDestroy(operation));
	}
}

/* ---- streams */

/* A product in two steps, with memory of its own, becomes part of a graph. */
static void test_capture(void)
{
	float one[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, bias[4] = {-5, 1, 2, 3}, got[8];
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	cudaStream_t stream;
	small s;

	set(s.operation, CUBLASLT_MATMUL_DESC_EPILOGUE, (uint32_t)CUBLASLT_EPILOGUE_RELU_BIAS);
	set(s.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, (void *)(s.memory + 48));
	CHECK(cudaMemcpy(s.memory, one, sizeof(one), cudaMemcpyDefault));
	CHECK(cudaMemcpy(s.memory + 48, bias, sizeof(bias), cudaMemcpyDefault));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	OK(s.run(NULL, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	/* B is set after the capture: 1 in its first column, 2 in the second */
	for (int i = 0; i < 6; i++)
		got[i] = i < 3 ? 1 : 2;
	CHECK(cudaMemcpy(s.memory + 16, got, 6 * sizeof(float), cudaMemcpyDefault));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	host_from(got, s.memory + 32, 8);
	for (int i = 0; i < 8; i++) {
		float want = (i < 4 ? 3 : 6) + bias[i % 4];

		expect_same("captured", i, got[i], want > 0 ? want : 0);
	}
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
}

static void *many_products(void *arg)
{
	cudaStream_t stream;
	small s;

	CHECK(cudaStreamCreate(&stream));
	for (int i = 0; i < 20; i++)
		if (s.run(NULL, stream) != CUBLAS_STATUS_SUCCESS)
			++*(int *)arg;
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	return NULL;
}

/* One handle, four threads */
static void test_threads(void)
{
	pthread_t threads[4];
	int failed[4] = {0};

	for (int i = 0; i < 4; i++)
		EXPECT(!pthread_create(&threads[i], NULL, many_products, &failed[i]));
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		EXPECT(!failed[i]);
	}
}

/* ---- the log */

static int told;

static void listen_to(int level, const char *function, const char *message)
{
	told += level == 1 && !strcmp(function, "cublasLtMatmul") && strstr(message, "types");
}

static void test_log(void)
{
	FILE *file = tmpfile();
	char line[256] = "";
	small s;

	EXPECT_STATUS(bad, cublasLtLoggerSetLevel(9));
	EXPECT_STATUS(bad, cublasLtLoggerOpenFile("/nowhere/at/all"));
	OK(cublasLtLoggerSetFile(file));
	OK(cublasLtLoggerSetCallback(listen_to));
	OK(cublasLtLoggerSetLevel(1));
	with_layout(s, s.b, CUBLASLT_MATRIX_LAYOUT_TYPE, (uint32_t)CUDA_R_16F);
	EXPECT(told == 1);
	OK(cublasLtLoggerForceDisable());
	with_layout(s, s.b, CUBLASLT_MATRIX_LAYOUT_TYPE, (uint32_t)CUDA_R_16F);
	EXPECT(told == 1);
	rewind(file);
	EXPECT(fgets(line, sizeof(line), file) && strstr(line, "cublasLtMatmul"));
	EXPECT(!fgets(line, sizeof(line), file));
	OK(cublasLtLoggerSetFile(NULL));
	fclose(file);
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "calls", NULL, 0, 0, 0);
	OK(cublasLtCreate(&handle));
	test_handles();
	test_attributes();
	test_refused();
	test_algorithms();
	test_orders();
	test_transform(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F);
	test_transform(CUDA_R_32F, CUDA_R_16F, CUDA_R_32F);
	test_transform(CUDA_R_32F, CUDA_R_8I, CUDA_R_8I);
	test_transform(CUDA_R_32I, CUDA_R_8I, CUDA_R_8I);
	test_transform(CUDA_R_64F, CUDA_R_64F, CUDA_R_64F);
	test_transform(CUDA_C_32F, CUDA_C_32F, CUDA_C_32F);
	test_capture();
	test_threads();
	test_log();
	OK(cublasLtDestroy(handle));
	return finish();
}
