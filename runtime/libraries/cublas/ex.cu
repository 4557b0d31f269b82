// SPDX-License-Identifier: MIT
/* Products that are told the types of elements: which combinations there are, and what each is
 * computed in. */
#include "multiply.h"

namespace blas
{

// One matrix, or those of a batch: by pointers if there is a list, else by a stride.
struct untyped {
	const void *base;
	const void *const *list;
	int64_t stride, ld;
	cudaDataType type;
};

struct untyped_product {
	cublasOperation_t transa, transb;
	int64_t m, n, k, count;
	const void *alpha, *beta;
	untyped a, b, c;
};

template <class T> static operand<T> view_of(const untyped &u, cublasOperation_t op)
{
	operand<T> v = view((const T *)u.base, u.ld, op);

	v.list = (const T *const *)u.list;
	v.stride = u.stride;
	return v;
}

// T: elements of A and B; C: those of C; A: what is added up in; S: the caller's scalars, SC: what
// they are computed in
template <class T, class C, class A, class S, class SC>
static cublasStatus_t typed(cublasHandle_t handle, const untyped_product &p, bool round)
{
	scalar<SC> by = scalar_at<SC>(handle, (const S *)p.alpha),
		   old = scalar_at<SC>(handle, (const S *)p.beta);
	target<C> c = {};

	if ((!p.k || known_zero(by)) && known_one(old))
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!p.c.base && !p.c.list);
	BLAS_REFUSE_IF(p.k && !known_zero(by) &&
		       ((!p.a.base && !p.a.list) || (!p.b.base && !p.b.list)));
	c.base = (C *)p.c.base;
	c.list = (C *const *)p.c.list;
	c.stride = p.c.stride;
	c.ld = p.c.ld;
	return multiply<A>(handle, p.m, p.n, p.k, by, view_of<T>(p.a, p.transa),
			   view_of<T>(p.b, p.transb), old, c, p.count, round);
}

static bool bad(const untyped_product &p)
{
	bool turna = p.transa == CUBLAS_OP_T || p.transa == CUBLAS_OP_C;
	bool turnb = p.transb == CUBLAS_OP_T || p.transb == CUBLAS_OP_C;

	return bad_op(p.transa) || bad_op(p.transb) || p.m < 0 || p.n < 0 || p.k < 0 ||
	       p.count < 0 || p.a.ld < at_least_one(turna ? p.k : p.m) ||
	       p.b.ld < at_least_one(turnb ? p.n : p.k) || p.c.ld < at_least_one(p.m);
}

static cublasStatus_t floats(cublasHandle_t handle, const untyped_product &p, bool round)
{
	switch (p.a.type) {
	case CUDA_R_32F:
		return p.c.type == CUDA_R_32F
			       ? typed<float, float, float, float, float>(handle, p, round)
			       : CUBLAS_STATUS_NOT_SUPPORTED;
	case CUDA_C_32F:
		return p.c.type == CUDA_C_32F
			       ? typed<cuComplex, cuComplex, cuComplex, cuComplex, cuComplex>(
					 handle, p, round)
			       : CUBLAS_STATUS_NOT_SUPPORTED;
	case CUDA_R_16F:
		return p.c.type == CUDA_R_16F
			       ? typed<__half, __half, float, float, float>(handle, p, false)
		       : p.c.type == CUDA_R_32F
			       ? typed<__half, float, float, float, float>(handle, p, false)
			       : CUBLAS_STATUS_NOT_SUPPORTED;
	case CUDA_R_16BF:
		return p.c.type == CUDA_R_16BF
			       ? typed<__nv_bfloat16, __nv_bfloat16, float, float, float>(handle, p,
											  false)
		       : p.c.type == CUDA_R_32F
			       ? typed<__nv_bfloat16, float, float, float, float>(handle, p, false)
			       : CUBLAS_STATUS_NOT_SUPPORTED;
	case CUDA_R_8I:
		return p.c.type == CUDA_R_32F
			       ? typed<signed char, float, int, float, float>(handle, p, false)
			       : CUBLAS_STATUS_NOT_SUPPORTED;
	default:
		return CUBLAS_STATUS_NOT_SUPPORTED;
	}
}

static cublasStatus_t run(cublasHandle_t handle, const untyped_product &p,
			  cublasComputeType_t compute)
{
	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(bad(p));
	if (p.a.type != p.b.type)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (!p.m || !p.n || !p.count)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!p.alpha || !p.beta);
	switch (compute) {
	case CUBLAS_COMPUTE_16F:
	case CUBLAS_COMPUTE_16F_PEDANTIC:
		return p.a.type == CUDA_R_16F && p.c.type == CUDA_R_16F
			       ? typed<__half, __half, float, __half, float>(handle, p, false)
			       : CUBLAS_STATUS_NOT_SUPPORTED;
	case CUBLAS_COMPUTE_32F:
		return floats(handle, p, (handle->math & 15) == CUBLAS_TF32_TENSOR_OP_MATH);
	// Rounding to 16 bits is allowed by these, not asked for.
	case CUBLAS_COMPUTE_32F_PEDANTIC:
	case CUBLAS_COMPUTE_32F_FAST_16F:
	case CUBLAS_COMPUTE_32F_FAST_16BF:
	case CUBLAS_COMPUTE_32F_EMULATED_16BFX9:
		return floats(handle, p, false);
	case CUBLAS_COMPUTE_32F_FAST_TF32:
		return floats(handle, p, true);
	case CUBLAS_COMPUTE_64F:
	case CUBLAS_COMPUTE_64F_PEDANTIC:
	case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
		if (p.a.type == CUDA_R_64F && p.c.type == CUDA_R_64F)
			return typed<double, double, double, double, double>(handle, p, false);
		if (p.a.type == CUDA_C_64F && p.c.type == CUDA_C_64F)
			return typed<cuDoubleComplex, cuDoubleComplex, cuDoubleComplex,
				     cuDoubleComplex, cuDoubleComplex>(handle, p, false);
		return CUBLAS_STATUS_NOT_SUPPORTED;
	case CUBLAS_COMPUTE_32I:
	case CUBLAS_COMPUTE_32I_PEDANTIC:
		return p.a.type == CUDA_R_8I && p.c.type == CUDA_R_32I
			       ? typed<signed char, int, int, int, int>(handle, p, false)
			       : CUBLAS_STATUS_NOT_SUPPORTED;
	default:
		return CUBLAS_STATUS_NOT_SUPPORTED;
	}
}

// Algorithms are hints: all that have a name are this one.
static bool bad_algorithm(cublasGemmAlgo_t algo)
{
	return !((algo >= CUBLAS_GEMM_DEFAULT && algo <= CUBLAS_GEMM_ALGO23) ||
		 algo == CUBLAS_GEMM_AUTOTUNE ||
		 (algo >= CUBLAS_GEMM_DEFAULT_TENSOR_OP && algo <= CUBLAS_GEMM_ALGO15_TENSOR_OP));
}

#define BLAS_SIZES                                                                            \
	cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, \
		int64_t n, int64_t k

static cublasStatus_t
gemm_strided_ex(BLAS_SIZES, const void *alpha, const void *a, cudaDataType atype, int64_t lda,
		int64_t stridea, const void *b, cudaDataType btype, int64_t ldb, int64_t strideb,
		const void *beta, void *c, cudaDataType ctype, int64_t ldc, int64_t stridec,
		int64_t count, cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
	untyped_product p = {transa,
			     transb,
			     m,
			     n,
			     k,
			     count,
			     alpha,
			     beta,
			     {a, NULL, stridea, lda, atype},
			     {b, NULL, strideb, ldb, btype},
			     {c, NULL, stridec, ldc, ctype}};

	BLAS_REFUSE_IF(bad_algorithm(algo));
	return run(handle, p, compute);
}

static cublasStatus_t gemm_ex(BLAS_SIZES, const void *alpha, const void *a, cudaDataType atype,
			      int64_t lda, const void *b, cudaDataType btype, int64_t ldb,
			      const void *beta, void *c, cudaDataType ctype, int64_t ldc,
			      cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
	return gemm_strided_ex(handle, transa, transb, m, n, k, alpha, a, atype, lda, 0, b, btype,
			       ldb, 0, beta, c, ctype, ldc, 0, 1, compute, algo);
}

static cublasStatus_t gemm_batched_ex(BLAS_SIZES, const void *alpha, const void *const *a,
				      cudaDataType atype, int64_t lda, const void *const *b,
				      cudaDataType btype, int64_t ldb, const void *beta,
				      void *const *c, cudaDataType ctype, int64_t ldc,
				      int64_t count, cublasComputeType_t compute,
				      cublasGemmAlgo_t algo)
{
	untyped_product p = {transa,
			     transb,
			     m,
			     n,
			     k,
			     count,
			     alpha,
			     beta,
			     {NULL, a, 0, lda, atype},
			     {NULL, b, 0, ldb, btype},
			     {NULL, c, 0, ldc, ctype}};

	BLAS_REFUSE_IF(bad_algorithm(algo));
	return run(handle, p, compute);
}

// One batch after the other; all are looked at before the first is launched.
template <class I>
static cublasStatus_t
gemm_grouped_ex(cublasHandle_t handle, const cublasOperation_t *transa,
		const cublasOperation_t *transb, const I *m, const I *n, const I *k,
		const void *alpha, const void *const *a, cudaDataType atype, const I *lda,
		const void *const *b, cudaDataType btype, const I *ldb, const void *beta,
		void *const *c, cudaDataType ctype, const I *ldc, int64_t groups, const I *counts,
		cublasComputeType_t compute)
{
	bool wide = compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC;

	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(groups < 0);
	BLAS_REFUSE_IF(groups && (!transa || !transb || !m || !n || !k || !lda || !ldb || !ldc ||
				  !counts || !alpha || !beta));
	for (int pass = 0; pass < 2; pass++) {
		int64_t before = 0;

		for (int64_t g = 0; g < groups; before += counts[g++]) {
			int64_t scalar = g * (wide ? sizeof(double) : sizeof(float));
			untyped_product p = { transa[g],
					      transb[g],
					      m[g],
					      n[g],
					      k[g],
					      counts[g],
					      (const char *)alpha + scalar,
					      (const char *)beta + scalar,
					      { NULL, a + before, 0, lda[g], atype },
					      { NULL, b + before, 0, ldb[g], btype },
					      { NULL, c + before, 0, ldc[g], ctype } };

			if (pass)
				BLAS_TRY(run(handle, p, compute));
			else
				BLAS_REFUSE_IF(bad(p));
		}
	}
	return CUBLAS_STATUS_SUCCESS;
}

static cudaDataType type_of(const float *)
{
	return CUDA_R_32F;
}
static cudaDataType type_of(const double *)
{
	return CUDA_R_64F;
}

template <class T, class I>
static cublasStatus_t gemm_grouped(cublasHandle_t handle, const cublasOperation_t *transa,
				   const cublasOperation_t *transb, const I *m, const I *n,
				   const I *k, const T *alpha, const T *const *a, const I *lda,
				   const T *const *b, const I *ldb, const T *beta, T *const *c,
				   const I *ldc, int64_t groups, const I *counts)
{
	cudaDataType type = type_of(alpha);

	return gemm_grouped_ex(handle, transa, transb, m, n, k, alpha, (const void *const *)a, type,
			       lda, (const void *const *)b, type, ldb, beta, (void *const *)c, type,
			       ldc, groups, counts,
			       type == CUDA_R_64F ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F);
}

// The scalar's type says whether it is a product of real or complex numbers.
static bool other_kind(const float *, cudaDataType type)
{
	return type == CUDA_C_32F || type == CUDA_C_8I;
}
static bool other_kind(const cuComplex *, cudaDataType type)
{
	return type != CUDA_C_32F;
}

template <class S>
static cublasStatus_t gemm_typed(BLAS_SIZES, const S *alpha, const void *a, cudaDataType atype,
				 int64_t lda, const void *b, cudaDataType btype, int64_t ldb,
				 const S *beta, void *c, cudaDataType ctype, int64_t ldc)
{
	BLAS_CHECK(handle);
	if (other_kind(alpha, atype))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	return gemm_ex(handle, transa, transb, m, n, k, alpha, a, atype, lda, b, btype, ldb, beta,
		       c, ctype, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

#define BLAS_RANK_EX(name, function, S)                                                            \
	static cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo,                   \
				   cublasOperation_t trans, int64_t n, int64_t k, const S *alpha,  \
				   const void *a, cudaDataType atype, int64_t lda, const S *beta,  \
				   void *c, cudaDataType ctype, int64_t ldc)                       \
	{                                                                                          \
		BLAS_CHECK(handle);                                                                \
		if (atype != CUDA_C_32F || ctype != CUDA_C_32F)                                    \
			return CUBLAS_STATUS_NOT_SUPPORTED;                                        \
		return function(handle, uplo, trans, n, k, alpha, (const cuComplex *)a, lda, beta, \
				(cuComplex *)c, ldc);                                              \
	}
BLAS_RANK_EX(syrk_ex, cublasCsyrk_v2_64, cuComplex)
BLAS_RANK_EX(herk_ex, cublasCherk_v2_64, float)

} // namespace blas

#define BLAS_LIST "cublas_ex.h"
#include "entries.h"
#define BLAS_LIST "cublas_grouped.h"
#include "entries.h"
