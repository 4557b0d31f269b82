// SPDX-License-Identifier: MIT
/* cublasLtMatrixTransform: C = alpha op(A) + beta op(B), between orders and types. */
#include "handle.h"
#include "launch.h"
#include "plan.h"

namespace lt
{

template <class S> struct transform_job {
	long long rows, columns;
	int batches;
	factor<S> alpha, beta;
	matrix a, b, c;
	int op_a, op_b;
};

template <class S>
static __device__ __forceinline__ S element(const matrix &m, int op, long long i, long long j,
					    int batch)
{
	bool turned = op == CUBLAS_OP_T || op == CUBLAS_OP_C;
	S v = elements<S>::get(m.of(batch), m.type,
			       turned ? m.place(j, i, batch) : m.place(i, j, batch));

	return op >= CUBLAS_OP_C ? blas::conjugate(v) : v;
}

template <class S> static __global__ void transform_kernel(transform_job<S> job)
{
	for (int batch = blockIdx.z; batch < job.batches; batch += gridDim.z)
		for (long long j = blockIdx.y * COLUMNS + threadIdx.y; j < job.columns;
		     j += (long long)gridDim.y * COLUMNS)
			for (long long i = (long long)blockIdx.x * ROWS + threadIdx.x; i < job.rows;
			     i += (long long)gridDim.x * ROWS) {
				S alpha = job.alpha.get(i, batch), beta = job.beta.get(i, batch);
				S x = S();

				if (!blas::is_zero(alpha))
					x = blas::times(alpha,
							element<S>(job.a, job.op_a, i, j, batch));
				if (!blas::is_zero(beta))
					x = blas::add_product(
						x, beta, element<S>(job.b, job.op_b, i, j, batch));
				elements<S>::put(job.c.of(batch), job.c.type,
						 job.c.place(i, j, batch), x);
			}
}

static bool turns(int op)
{
	return op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}

/* An operand as large as the result? */
static bool fits(const struct lt_layout *from, int op, const struct lt_layout *to)
{
	return from->batches == to->batches &&
	       (turns(op) ? from->cols == to->rows && from->rows == to->cols
			  : from->rows == to->rows && from->cols == to->cols);
}

/* May elements of this type be computed with in the scale's? */
static bool type_fits(int scale, int type)
{
	switch (scale) {
	case CUDA_R_32F:
		return type == CUDA_R_32F || type == CUDA_R_16F || type == CUDA_R_16BF ||
		       type == CUDA_R_8I || type == CUDA_R_32I || type == CUDA_R_8F_E4M3 ||
		       type == CUDA_R_8F_E5M2;
	case CUDA_R_16F:
		return type == CUDA_R_16F;
	case CUDA_R_32I:
		return type == CUDA_R_8I || type == CUDA_R_32I;
	default:
		return (scale == CUDA_R_64F || scale == CUDA_C_32F || scale == CUDA_C_64F) &&
		       type == scale;
	}
}

struct operands {
	const void *alpha, *a, *beta, *b;
	void *c;
	const struct lt_transform *operation;
	const struct lt_layout *is_a, *is_b, *is_c;
};

template <class S> static cublasStatus_t run(const operands &o, cudaStream_t stream)
{
	bool on_host = o.operation->pointer_mode == CUBLASLT_POINTER_MODE_HOST;
	transform_job<S> job = {};

	job.rows = (long long)o.is_c->rows;
	job.columns = (long long)o.is_c->cols;
	job.batches = o.is_c->batches;
	job.alpha = factor_of<S>(o.alpha, o.operation->scale, on_host);
	if (o.is_b)
		job.beta = factor_of<S>(o.beta, o.operation->scale, on_host);
	job.a = matrix_of(o.is_a, o.a);
	if (o.is_b)
		job.b = matrix_of(o.is_b, o.b);
	job.c = matrix_of(o.is_c, o.c);
	job.op_a = o.operation->op_of[0];
	job.op_b = o.operation->op_of[1];
	return launch(transform_kernel<S>, job, job.rows, job.columns, job.batches, stream);
}

} // namespace lt

using namespace lt;

LT_API cublasStatus_t cublasLtMatrixTransform(cublasLtHandle_t handle,
					      cublasLtMatrixTransformDesc_t operation,
					      const void *alpha, const void *A,
					      cublasLtMatrixLayout_t Adesc, const void *beta,
					      const void *B, cublasLtMatrixLayout_t Bdesc, void *C,
					      cublasLtMatrixLayout_t Cdesc, cudaStream_t stream)
{
	operands o = {alpha,
		      A,
		      beta,
		      B,
		      C,
		      lt_transform(operation),
		      lt_layout(Adesc),
		      lt_layout(Bdesc),
		      lt_layout(Cdesc)};
	const char *why;

	LT_TRY(lt_check(handle));
	if (!o.operation || !alpha || (Bdesc && !o.is_b) ||
	    (unsigned int)o.operation->pointer_mode > CUBLASLT_POINTER_MODE_DEVICE ||
	    (unsigned int)o.operation->op_of[0] > CUBLAS_OP_CONJG ||
	    (unsigned int)o.operation->op_of[1] > CUBLAS_OP_CONJG)
		return CUBLAS_STATUS_INVALID_VALUE;
	/* without a beta there need be no B */
	if (!beta || (o.operation->pointer_mode == CUBLASLT_POINTER_MODE_HOST &&
		      zero_on_host(beta, o.operation->scale)))
		o.is_b = NULL;
	else if (!o.is_b)
		return CUBLAS_STATUS_INVALID_VALUE;
	LT_TRY(lt_look_at_layout(o.is_a, &why));
	LT_TRY(lt_look_at_layout(o.is_c, &why));
	if (o.is_b)
		LT_TRY(lt_look_at_layout(o.is_b, &why));
	if (!fits(o.is_a, o.operation->op_of[0], o.is_c) ||
	    (o.is_b && !fits(o.is_b, o.operation->op_of[1], o.is_c)))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!type_fits(o.operation->scale, (int)o.is_a->type) ||
	    !type_fits(o.operation->scale, (int)o.is_c->type) ||
	    (o.is_b && !type_fits(o.operation->scale, (int)o.is_b->type)))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (!o.is_c->rows || !o.is_c->cols)
		return CUBLAS_STATUS_SUCCESS;
	if (!A || !C || (o.is_b && !B))
		return CUBLAS_STATUS_INVALID_VALUE;
	switch (o.operation->scale) {
	case CUDA_R_32I:
		return run<int>(o, stream);
	case CUDA_R_64F:
		return run<double>(o, stream);
	case CUDA_C_32F:
		return run<cuComplex>(o, stream);
	case CUDA_C_64F:
		return run<cuDoubleComplex>(o, stream);
	default:
		return run<float>(o, stream);
	}
}
