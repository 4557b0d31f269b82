/* SPDX-License-Identifier: MIT */
/*
 * Calls of cuSPARSE that are not about numbers: bad arguments, handles, descriptors, streams,
 * captured streams, managed memory, and equal bytes of equal calls.
 */
#include "sparse.h"

static const cusparseStatus_t bad = CUSPARSE_STATUS_INVALID_VALUE;
static const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

static void test_handles(void)
{
	cusparseHandle_t other, null = NULL;
	struct cusparseContext *wild = (struct cusparseContext *)malloc(64);
	cusparsePointerMode_t mode;
	int version = 0;

	EXPECT_STATUS(bad, cusparseCreate(NULL));
	EXPECT_STATUS(CUSPARSE_STATUS_NOT_INITIALIZED, cusparseDestroy(null));
	EXPECT_STATUS(CUSPARSE_STATUS_NOT_INITIALIZED, cusparseSetStream(wild, 0));
	OK(cusparseCreate(&other));
	OK(cusparseDestroy(other));
	EXPECT_STATUS(CUSPARSE_STATUS_NOT_INITIALIZED, cusparseDestroy(other));
	EXPECT_STATUS(CUSPARSE_STATUS_NOT_INITIALIZED,
		      cusparseCreateIdentityPermutation(other, 0, NULL));
	OK(cusparseGetVersion(handle, &version));
	EXPECT(version == CUSPARSE_VERSION);
	OK(cusparseGetProperty(MAJOR_VERSION, &version));
	EXPECT(version == CUSPARSE_VER_MAJOR);
	EXPECT_STATUS(bad, cusparseGetProperty((libraryPropertyType)7, &version));
	EXPECT_STATUS(bad, cusparseSetPointerMode(handle, (cusparsePointerMode_t)2));
	OK(cusparseGetPointerMode(handle, &mode));
	EXPECT(mode == CUSPARSE_POINTER_MODE_HOST);
	EXPECT(!strcmp(cusparseGetErrorName(CUSPARSE_STATUS_ZERO_PIVOT),
		       "CUSPARSE_STATUS_ZERO_PIVOT"));
	EXPECT(strlen(cusparseGetErrorString((cusparseStatus_t)99)) > 0);
	free(wild);
}

static void test_descriptors(void)
{
	int *i = device_new<int>(8);
	float *v = device_new<float>(8), one = 1;
	const cusparseIndexType_t small = CUSPARSE_INDEX_32I;
	const cusparseIndexBase_t zero = CUSPARSE_INDEX_BASE_ZERO;
	int64_t rows, cols, nnz, big = (int64_t)1 << 31;
	void *p, *q, *r;
	cusparseIndexType_t it, ot;
	cusparseIndexBase_t base;
	cudaDataType type;
	cusparseSpMatDescr_t m;
	cusparseConstSpMatDescr_t readable;
	cusparseDnVecDescr_t x, y;
	cusparseDnMatDescr_t d;
	cusparseFormat_t format;
	size_t bytes;

	EXPECT_STATUS(bad,
		      cusparseCreateCsr(&m, -1, 4, 0, i, i, v, small, small, zero, CUDA_R_32F));
	EXPECT_STATUS(bad,
		      cusparseCreateCsr(&m, 4, 4, 2, NULL, i, v, small, small, zero, CUDA_R_32F));
	EXPECT_STATUS(bad,
		      cusparseCreateCsr(&m, 4, 4, 2, i, NULL, v, small, small, zero, CUDA_R_32F));
	EXPECT_STATUS(bad,
		      cusparseCreateCsr(&m, 4, big, 2, i, i, v, small, small, zero, CUDA_R_32F));
	EXPECT_STATUS(bad, cusparseCreateCsr(&m, 4, 4, 2, i, i, v, small, small,
					     (cusparseIndexBase_t)2, CUDA_R_32F));
	EXPECT_STATUS(CUSPARSE_STATUS_NOT_SUPPORTED,
		      cusparseCreateCsr(&m, 4, 4, 2, i, i, v, small, CUSPARSE_INDEX_16U, zero,
					CUDA_R_32F));
	EXPECT_STATUS(CUSPARSE_STATUS_NOT_SUPPORTED,
		      cusparseCreateCsr(&m, 4, 4, 2, i, i, v, small, small, zero, CUDA_R_8U));
	EXPECT_STATUS(bad, cusparseCreateBlockedEll(&m, 5, 4, 2, 2, i, v, small, zero, CUDA_R_32F));
	EXPECT_STATUS(bad, cusparseCreateDnMat(&d, 4, 4, 3, v, CUDA_R_32F, CUSPARSE_ORDER_ROW));
	EXPECT_STATUS(bad, cusparseCreateDnVec(&x, 4, NULL, CUDA_R_32F));
	OK(cusparseCreateConstCsr(&readable, 4, 5, 2, i, i, v, small, small, zero, CUDA_R_32F));
	m = (cusparseSpMatDescr_t)readable;
	OK(cusparseCsrGet(m, &rows, &cols, &nnz, &p, &q, &r, &ot, &it, &base, &type));
	EXPECT(rows == 4 && cols == 5 && nnz == 2 && p == i && q == i && r == v && it == small &&
	       base == zero && type == CUDA_R_32F);
	EXPECT_STATUS(bad,
		      cusparseCscGet(m, &rows, &cols, &nnz, &p, &q, &r, &ot, &it, &base, &type));
	OK(cusparseSpMatGetFormat(readable, &format));
	EXPECT(format == CUSPARSE_FORMAT_CSR);
	EXPECT_STATUS(bad, cusparseCooSetStridedBatch(m, 2, 2));
	EXPECT_STATUS(bad, cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &one, 2));
	/* sizes that do not go together; a vector in place of a matrix; what was destroyed */
	OK(cusparseCreateDnVec(&x, 4, v, CUDA_R_32F));
	OK(cusparseCreateDnVec(&y, 4, v, CUDA_R_32F));
	EXPECT_STATUS(bad, cusparseSpMV(handle, plain, &one, readable, x, &one, y, CUDA_R_32F,
					CUSPARSE_SPMV_ALG_DEFAULT, NULL));
	EXPECT_STATUS(bad, cusparseSpMV(handle, plain, &one, (cusparseConstSpMatDescr_t)x, x, &one,
					y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL));
	EXPECT_STATUS(bad, cusparseSpMV(handle, (cusparseOperation_t)3, &one, readable, x, &one, y,
					CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL));
	OK(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_TRANSPOSE, &one, readable, x, &one, y,
				   CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
	EXPECT(bytes > 0);
	OK(cusparseDestroyDnVec(y));
	OK(cusparseCreateDnVec(&y, 5, v, CUDA_R_32F));
	/* a buffer is missing; types that are not computed with */
	EXPECT_STATUS(bad, cusparseSpMV(handle, CUSPARSE_OPERATION_TRANSPOSE, &one, readable, x,
					&one, y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL));
	EXPECT_STATUS(CUSPARSE_STATUS_NOT_SUPPORTED,
		      cusparseSpMV(handle, plain, &one, readable, y, &one, x, CUDA_R_32I,
				   CUSPARSE_SPMV_ALG_DEFAULT, NULL));
	OK(cusparseDestroySpMat(readable));
	EXPECT_STATUS(bad, cusparseDestroySpMat(readable));
	EXPECT_STATUS(bad, cusparseSpMatGetFormat(readable, &format));
	OK(cusparseDestroyDnVec(x));
	OK(cusparseDestroyDnVec(y));
	EXPECT_STATUS(bad, cusparseDestroyDnMat((cusparseDnMatDescr_t)x));
	CHECK(cudaFree(i));
	CHECK(cudaFree(v));
}

/*
 * A transposed product, which sorts, and a solution: captured, and launched with what is in memory
 * then; in managed memory. Three times the same bytes.
 */
static void test_capture(void)
{
	enum { N = 40 };
	matrix a = random_matrix(N, N, 2, CUDA_R_32F);
	for (int i = 0; i < N; i++) {
		a.has(i, i) = 1;
		a.at(i, i) = {16, 0};
	}
	device_matrix d(a, CUSPARSE_FORMAT_CSR, CUDA_R_32F, CUSPARSE_INDEX_32I,
			CUSPARSE_INDEX_BASE_ZERO);
	const cusparseOperation_t turned = CUSPARSE_OPERATION_TRANSPOSE;
	float *x, *y, *z, first[N], again[N], alpha = 1, beta = 0, dot;
	cusparseDnVecDescr_t vx, vy, vz;
	cusparseSpSVDescr_t plan;
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	size_t bytes, more;

	CHECK(cudaMallocManaged(&x, N * sizeof(float)));
	CHECK(cudaMallocManaged(&y, N * sizeof(float)));
	CHECK(cudaMallocManaged(&z, N * sizeof(float)));
	for (int i = 0; i < N; i++)
		x[i] = y[i] = z[i] = 0;
	OK(cusparseCreateDnVec(&vx, N, x, CUDA_R_32F));
	OK(cusparseCreateDnVec(&vy, N, y, CUDA_R_32F));
	OK(cusparseCreateDnVec(&vz, N, z, CUDA_R_32F));
	OK(cusparseSpSV_createDescr(&plan));
	OK(cusparseSpMV_bufferSize(handle, turned, &alpha, d.descr, vx, &beta, vy, CUDA_R_32F,
				   CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
	OK(cusparseSpSV_bufferSize(handle, plain, &alpha, d.descr, vy, vz, CUDA_R_32F,
				   CUSPARSE_SPSV_ALG_DEFAULT, plan, &more));
	buffer b(bytes), b2(more);
	CHECK(cudaStreamCreate(&stream));
	OK(cusparseSetStream(handle, stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	OK(cusparseSpMV(handle, turned, &alpha, d.descr, vx, &beta, vy, CUDA_R_32F,
			CUSPARSE_SPMV_ALG_DEFAULT, b.at));
	OK(cusparseSpSV_analysis(handle, plain, &alpha, d.descr, vy, vz, CUDA_R_32F,
				 CUSPARSE_SPSV_ALG_DEFAULT, plan, b2.at));
	OK(cusparseSpSV_solve(handle, plain, &alpha, d.descr, vy, vz, CUDA_R_32F,
			      CUSPARSE_SPSV_ALG_DEFAULT, plan));
	/* what waits is refused, and the capture goes on */
	int total;
	cusparseMatDescr_t descr;
	OK(cusparseCreateMatDescr(&descr));
	EXPECT_STATUS(CUSPARSE_STATUS_NOT_SUPPORTED,
		      cusparseXcsrgeam2Nnz(handle, N, N, descr, (int)d.values->count,
					   d.offsets->ints(), d.indices->ints(), descr,
					   (int)d.values->count, d.offsets->ints(),
					   d.indices->ints(), descr, (int *)b.at, &total, NULL));
	OK(cusparseDestroyMatDescr(descr));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < N; i++)
		x[i] = (float)(i % 7) - 3;
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	memcpy(first, z, sizeof(first));
	for (int i = 0; i < N; i++) {
		double sum = 0, back = 0;

		for (int j = 0; j < N; j++) {
			sum += a.at(j, i).re * x[j];
			back += j <= i ? a.at(i, j).re * z[j] : 0;
		}
		expect_near("captured product", i, y[i], sum, 0x1p-14);
		expect_near("captured solution", i, back, sum, 0x1p-10);
	}
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	EXPECT(!memcmp(first, z, sizeof(first)));
	/* without the graph, in the stream */
	memset(z, 0, sizeof(first));
	OK(cusparseSpMV(handle, turned, &alpha, d.descr, vx, &beta, vy, CUDA_R_32F,
			CUSPARSE_SPMV_ALG_DEFAULT, b.at));
	OK(cusparseSpSV_solve(handle, plain, &alpha, d.descr, vy, vz, CUDA_R_32F,
			      CUSPARSE_SPSV_ALG_DEFAULT, plan));
	CHECK(cudaStreamSynchronize(stream));
	memcpy(again, z, sizeof(again));
	EXPECT(!memcmp(first, again, sizeof(first)));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));

	/* a result for the host, each time that the graph is launched */
	cusparseSpVecDescr_t sparse;
	OK(cusparseCreateSpVec(&sparse, N, N, d.indices->at, x, CUSPARSE_INDEX_32I,
			       CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
	std::vector<int> at = d.indices->bring();
	OK(cusparseSpVV_bufferSize(handle, plain, sparse, vy, &dot, CUDA_R_32F, &bytes));
	buffer b3(bytes);
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	OK(cusparseSpVV(handle, plain, sparse, vy, &dot, CUDA_R_32F, b3.at));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	dot = NAN;
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	double sum = 0;
	for (int i = 0; i < N; i++)
		sum += (double)x[i] * y[at[i]];
	expect_near("captured SpVV", 0, dot, sum, 0x1p-8);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	OK(cusparseDestroySpVec(sparse));
	OK(cusparseSetStream(handle, NULL));
	CHECK(cudaStreamDestroy(stream));
	OK(cusparseSpSV_destroyDescr(plan));
	for (cusparseDnVecDescr_t v : {vx, vy, vz})
		OK(cusparseDestroyDnVec(v));
	for (float *p : {x, y, z})
		CHECK(cudaFree(p));
}

static __global__ void break_context(int *p)
{
	*p = 1;
}

/* After a fault every call says so. */
static void test_broken(void)
{
	int *p = device_new<int>(4);
	cusparseHandle_t fresh;

	break_context<<<1, 1>>>((int *)8);
	EXPECT(cudaDeviceSynchronize() != cudaSuccess);
	EXPECT_STATUS(CUSPARSE_STATUS_EXECUTION_FAILED,
		      cusparseCreateIdentityPermutation(handle, 4, p));
	EXPECT(cusparseCreate(&fresh) != CUSPARSE_STATUS_SUCCESS);
	OK(cusparseDestroy(handle));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "calls", NULL, 0, 0, 0);
	OK(cusparseCreate(&handle));
	test_handles();
	test_descriptors();
	test_capture();
	test_broken();
	return finish();
}
