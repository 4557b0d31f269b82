// SPDX-License-Identifier: MIT
/* cublasLtMatmul: a plan (plan.h), the product by cuBLAS, and the steps before and behind it. */
#include "finish.h"
#include "handle.h"
#include "plan.h"

namespace lt
{

struct call {
	struct lt_plan plan;
	const void *alpha, *beta, *a, *b, *c;
	void *d;
	bool beta_zero; /* known to be 0: C is not read */
	cudaStream_t stream;
};

/* ---- memory of our own: the caller's workspace if that is large enough */

struct scratch {
	char *base, *own;
	size_t used;
	cudaStream_t stream;

	~scratch()
	{
		if (own)
			cudaFreeAsync(own, stream);
	}
};

static size_t rounded_up(size_t bytes)
{
	return (bytes + 255) / 256 * 256;
}

static char *take(scratch &s, size_t bytes)
{
	char *at = s.base + s.used;

	s.used += rounded_up(bytes);
	return at;
}

/* ---- the product */

/* An operand as columns: what is in rows is its transpose. base: the matrix, or the list */
struct columns {
	const void *base;
	long long ld, stride;
	cublasOperation_t op;
};

static cublasOperation_t turned(cublasOperation_t op)
{
	static const cublasOperation_t other[] = {CUBLAS_OP_T, CUBLAS_OP_N, CUBLAS_OP_CONJG,
						  CUBLAS_OP_C};

	return other[op];
}

static columns columns_of(const matrix &m, int op)
{
	columns c = {m.list ? (const void *)m.list : m.base, m.ld, m.stride, (cublasOperation_t)op};

	if (m.order == CUBLASLT_ORDER_ROW)
		c.op = turned(c.op);
	return c;
}

static cublasStatus_t product(const call &c, const matrix &a, const matrix &b, const void *alpha,
			      const void *beta, const matrix &to, cublasComputeType_t compute,
			      cublasPointerMode_t mode)
{
	const struct lt_plan &p = c.plan;
	columns left = columns_of(a, p.operation->op_of[0]);
	columns right = columns_of(b, p.operation->op_of[1]);
	cublasHandle_t handle = lt_borrow(c.stream);
	long long m = p.m, n = p.n;
	cublasStatus_t status;

	if (!handle)
		return CUBLAS_STATUS_ALLOC_FAILED;
	/* the transpose of a product is that of the transposes, the other way round */
	if (to.order == CUBLASLT_ORDER_ROW) {
		columns keep = left;

		left = right;
		right = keep;
		left.op = turned(left.op);
		right.op = turned(right.op);
		m = p.n;
		n = p.m;
	}
	status = cublasSetPointerMode(handle, mode);
	if (status == CUBLAS_STATUS_SUCCESS)
		status =
			cublasSetSmCountTarget(handle, p.operation->sms > 0 ? p.operation->sms : 0);
	if (status == CUBLAS_STATUS_SUCCESS && to.list)
		status = cublasGemmBatchedEx_64(handle, left.op, right.op, m, n, p.k, alpha,
						(const void *const *)left.base, p.taken, left.ld,
						(const void *const *)right.base, p.taken, right.ld,
						beta, (void *const *)to.list, (cudaDataType)to.type,
						to.ld, p.batches, compute, CUBLAS_GEMM_DEFAULT);
	else if (status == CUBLAS_STATUS_SUCCESS)
		status = cublasGemmStridedBatchedEx_64(
			handle, left.op, right.op, m, n, p.k, alpha, left.base, p.taken, left.ld,
			left.stride, right.base, p.taken, right.ld, right.stride, beta, to.base,
			(cudaDataType)to.type, to.ld, to.stride, p.batches, compute,
			CUBLAS_GEMM_DEFAULT);
	cublasSetSmCountTarget(handle, 0);
	lt_give_back(handle);
	return status;
}

/* Does cuBLAS write this type of these operands? */
static bool product_writes(const struct lt_plan &p)
{
	int to = (int)p.d->type;

	return to == p.taken ||
	       ((p.taken == CUDA_R_16F || p.taken == CUDA_R_16BF) && to == CUDA_R_32F) ||
	       (p.taken == CUDA_R_8I && (to == CUDA_R_32F || to == CUDA_R_32I));
}

/* Of a list that is another one nobody knows. */
static bool in_place(const call &c)
{
	return c.c == c.d && c.plan.c->ld == c.plan.d->ld && c.plan.c->stride == c.plan.d->stride;
}

static bool by_list(const call &c)
{
	return c.plan.d->batch_mode == CUBLASLT_BATCH_MODE_POINTER_ARRAY;
}

/* ---- the steps */

struct list_job {
	char **list, *base;
	long long bytes;
	int batches;
};

static __global__ void list_kernel(list_job job)
{
	for (long long i = (long long)blockIdx.x * ROWS + threadIdx.x; i < job.batches;
	     i += (long long)gridDim.x * ROWS)
		if (threadIdx.y == 0)
			job.list[i] = job.base + i * job.bytes;
}

/* Matrices of a batch behind each other, as a list: cuBLAS takes all three operands by one. */
static cublasStatus_t make_list(const call &c, matrix &m, scratch &s)
{
	list_job job = {};

	job.list = (char **)take(s, c.plan.batches * sizeof(char *));
	job.base = m.base;
	job.bytes = m.stride * lt_size_of(m.type);
	job.batches = c.plan.batches;
	m.list = job.list;
	return launch(list_kernel, job, job.batches, 1, 1, c.stream);
}

static cublasStatus_t pack(const call &c, const struct lt_layout *is, matrix &m, scratch &s)
{
	pack_job job = {(long long)is->rows, (long long)is->cols, is->batches, m, m};

	job.to.type = c.plan.taken;
	job.to.order = CUBLASLT_ORDER_COL;
	job.to.ld = job.rows > 1 ? job.rows : 1;
	job.to.stride = m.stride ? job.rows * job.columns : 0;
	job.to.base = take(s, rounded_up((size_t)job.rows * job.columns * is->batches *
					 lt_size_of(c.plan.taken)));
	m = job.to;
	return launch(pack_kernel<float>, job, job.rows, job.columns, is->batches, c.stream);
}

static size_t packed_bytes(const struct lt_plan &p, const struct lt_layout *is, bool packed)
{
	return packed ? rounded_up((size_t)is->rows * is->cols * is->batches * lt_size_of(p.taken))
		      : 0;
}

template <class S>
static cublasStatus_t sums(const call &c, long long rows, long long columns, const matrix &of,
			   bool turned)
{
	sum_job job = {};

	job.rows = rows;
	job.columns = columns;
	job.batches = c.plan.batches;
	job.of = of;
	job.turned = turned;
	job.to = (char *)c.plan.operation->bias;
	job.to_type = c.plan.bias_type;
	job.to_stride = c.plan.operation->bias_stride;
	return launch(sum_kernel<S>, job, (job.rows + COLUMNS - 1) / COLUMNS, 1, job.batches,
		      c.stream);
}

template <class S> static finish_job<S> finish_of(const call &c, const matrix &accumulated)
{
	const struct lt_operation *op = c.plan.operation;
	bool vector = op->pointer_mode >= CUBLASLT_POINTER_MODE_DEVICE_VECTOR;
	bool beta_on_host = op->pointer_mode == CUBLASLT_POINTER_MODE_HOST ||
			    op->pointer_mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST;
	finish_job<S> job = {};

	job.m = c.plan.m;
	job.n = c.plan.n;
	job.batches = c.plan.batches;
	job.accumulated = accumulated.base;
	job.accumulated_type = accumulated.type;
	job.alpha =
		factor_of<S>(c.alpha, op->scale, op->pointer_mode == CUBLASLT_POINTER_MODE_HOST);
	job.alpha.step = vector;
	job.alpha.stride = vector ? op->alpha_stride : 0;
	if (!c.beta_zero)
		job.beta = factor_of<S>(c.beta, op->scale, beta_on_host);
	job.beta.step = op->pointer_mode == CUBLASLT_POINTER_MODE_DEVICE_VECTOR;
	job.c = matrix_of(c.plan.c, c.c);
	job.d = matrix_of(c.plan.d, c.d);
	for (int i = 0; i < 4; i++)
		job.scale_of[i] = (const float *)op->scale_of[i];
	job.amax = (float *)op->amax;
	job.bias = c.plan.bias ? (const char *)op->bias : NULL;
	job.bias_type = c.plan.bias_type;
	job.bias_stride = op->bias_stride;
	job.activation = c.plan.activation;
	job.keep_aux = c.plan.aux;
	job.keep_x = c.plan.gradient;
	job.aux = (char *)op->aux;
	job.aux_type = c.plan.aux_type;
	job.aux_ld = op->aux_ld;
	job.aux_stride = op->aux_stride;
	job.aux_scale = (const float *)op->aux_scale;
	job.aux_amax = (float *)op->aux_amax;
	return job;
}

static cublasStatus_t clear(float *most, cudaStream_t stream)
{
	return most ? status_of(cudaMemsetAsync(most, 0, sizeof(*most), stream))
		    : CUBLAS_STATUS_SUCCESS;
}

template <class S> static cublasStatus_t finish(const call &c, const matrix &accumulated)
{
	finish_job<S> job = finish_of<S>(c, accumulated);

	LT_TRY(clear(job.amax, c.stream));
	LT_TRY(clear(job.aux_amax, c.stream));
	return launch(finish_kernel<S>, job, job.m, job.n, job.batches, c.stream);
}

template <class S>
static cublasStatus_t gradients(const call &c, const matrix &accumulated, const matrix &a,
				const matrix &b)
{
	const struct lt_plan &p = c.plan;
	const unsigned char *op = p.operation->op_of;

	if (p.gradient)
		LT_TRY(sums<S>(c, p.m, p.n, accumulated, false));
	if (p.gradient_a)
		LT_TRY(sums<S>(c, p.m, p.k, a, op[0] == CUBLAS_OP_T || op[0] == CUBLAS_OP_C));
	if (p.gradient_b)
		LT_TRY(sums<S>(c, p.n, p.k, b, op[1] == CUBLAS_OP_N || op[1] == CUBLAS_OP_CONJG));
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t steps_behind(const call &c, const matrix &accumulated, const matrix &a,
				   const matrix &b)
{
	switch (c.plan.number) {
	case LT_FLOAT:
		LT_TRY(finish<float>(c, accumulated));
		return gradients<float>(c, accumulated, a, b);
	case LT_DOUBLE:
		LT_TRY(finish<double>(c, accumulated));
		return gradients<double>(c, accumulated, a, b);
	case LT_INT:
		return finish<int>(c, accumulated);
	case LT_COMPLEX:
		return finish<cuComplex>(c, accumulated);
	default:
		return finish<cuDoubleComplex>(c, accumulated);
	}
}

/* One and zero of the type that the product's factors have. */
static void write_numbers(const struct lt_plan &p, double one[2], double zero[2])
{
	memset(one, 0, 16);
	memset(zero, 0, 16);
	if (p.accumulated == CUDA_R_64F || p.accumulated == CUDA_C_64F)
		one[0] = 1;
	else if (p.accumulated == CUDA_R_32I)
		*(int *)one = 1;
	else
		*(float *)one = 1;
}

static cublasStatus_t run(const call &c, void *workspace, size_t bytes)
{
	const struct lt_plan &p = c.plan;
	bool direct = p.plain && product_writes(p) && (c.beta_zero || in_place(c));
	size_t needed = packed_bytes(p, p.a, p.pack_a) + packed_bytes(p, p.b, p.pack_b);
	matrix a = matrix_of(p.a, c.a), b = matrix_of(p.b, c.b), accumulated = {};
	bool half_sums = p.operation->compute == CUBLAS_COMPUTE_16F ||
			 p.operation->compute == CUBLAS_COMPUTE_16F_PEDANTIC;
	scratch s = {(char *)workspace, NULL, 0, c.stream};
	double one[2], zero[2];

	if (!direct)
		needed += rounded_up((size_t)p.m * p.n * p.batches * lt_size_of(p.accumulated)) +
			  (by_list(c) ? rounded_up(p.batches * sizeof(char *)) : 0);
	if (needed && (!workspace || bytes < needed || (uintptr_t)workspace % 16)) {
		LT_TRY(status_of(cudaMallocAsync((void **)&s.own, needed, c.stream)));
		s.base = s.own;
	}
	if (p.pack_a)
		LT_TRY(pack(c, p.a, a, s));
	if (p.pack_b)
		LT_TRY(pack(c, p.b, b, s));
	if (direct)
		return product(c, a, b, c.alpha, c.beta, matrix_of(p.d, c.d), p.compute,
			       (cublasPointerMode_t)p.operation->pointer_mode);
	accumulated.base = take(s, (size_t)p.m * p.n * p.batches * lt_size_of(p.accumulated));
	accumulated.type = p.accumulated;
	accumulated.ld = p.m;
	accumulated.stride = p.m * p.n;
	accumulated.order = CUBLASLT_ORDER_COL;
	if (by_list(c))
		LT_TRY(make_list(c, accumulated, s));
	write_numbers(p, one, zero);
	LT_TRY(product(c, a, b, one, zero, accumulated, half_sums ? CUBLAS_COMPUTE_32F : p.compute,
		       CUBLAS_POINTER_MODE_HOST));
	return steps_behind(c, accumulated, a, b);
}

static bool known_zero(const struct lt_operation *op, const void *beta)
{
	switch (op->pointer_mode) {
	case CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO:
		return true;
	case CUBLASLT_POINTER_MODE_HOST:
	case CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST:
		return zero_on_host(beta, op->scale);
	default:
		return false;
	}
}

} // namespace lt

using namespace lt;

LT_API cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
				     const void *alpha, const void *A, cublasLtMatrixLayout_t Adesc,
				     const void *B, cublasLtMatrixLayout_t Bdesc, const void *beta,
				     const void *C, cublasLtMatrixLayout_t Cdesc, void *D,
				     cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t *algo,
				     void *workspace, size_t workspaceSizeInBytes,
				     cudaStream_t stream)
{
	call c = {{}, alpha, beta, A, B, C, D, false, stream};
	const char *why = "";
	cublasStatus_t status;

	LT_TRY(lt_check(handle));
	status = lt_make_plan(&c.plan, operation, Adesc, Bdesc, Cdesc, Ddesc, &why);
	if (status == CUBLAS_STATUS_SUCCESS && algo)
		status = lt_look_at_algorithm(algo, &why);
	if (status == CUBLAS_STATUS_SUCCESS &&
	    (!alpha || (!beta && c.plan.operation->pointer_mode !=
					 CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO))) {
		why = "no alpha or beta";
		status = CUBLAS_STATUS_INVALID_VALUE;
	}
	if (status != CUBLAS_STATUS_SUCCESS) {
		lt_log(1, __func__, "%s: %s", cublasGetStatusName(status), why);
		return status;
	}
	if (!c.plan.m || !c.plan.n)
		return CUBLAS_STATUS_SUCCESS;
	c.beta_zero = known_zero(c.plan.operation, beta);
	if (!D || (c.plan.k && (!A || !B)) || (!C && !c.beta_zero)) {
		lt_log(1, __func__, "a matrix that is needed is NULL");
		return CUBLAS_STATUS_INVALID_VALUE;
	}
	lt_log(2, __func__, "%lld x %lld x %lld, batches %d, epilogue %u", (long long)c.plan.m,
	       (long long)c.plan.n, (long long)c.plan.k, c.plan.batches,
	       c.plan.operation->epilogue);
	return run(c, workspace, workspaceSizeInBytes);
}
