/* SPDX-License-Identifier: MIT */
/*
 * cuSPARSE's functions for matrices that are given by pointers: products, solutions, factors.
 * Some are of toolkit 10 or 11 only (docs/libraries.md). Programs include cusparse.h.
 */
#ifndef VGPU_CUSPARSE_LEGACY_H
#define VGPU_CUSPARSE_LEGACY_H

#include "cusparse.h"

#ifdef __cplusplus
extern "C" {
#endif

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descr);
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr);
cusparseStatus_t cusparseCopyMatDescr(cusparseMatDescr_t to, const cusparseMatDescr_t from);
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descr, cusparseMatrixType_t type);
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t descr, cusparseFillMode_t fill);
cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t descr, cusparseDiagType_t diag);
cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descr, cusparseIndexBase_t base);
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descr);

#define CUSPARSE_INFO(name, type)                                \
	cusparseStatus_t cusparseCreate##name##Info(type *info); \
	cusparseStatus_t cusparseDestroy##name##Info(type info);
CUSPARSE_INFO(Csrsv2, csrsv2Info_t)
CUSPARSE_INFO(Csrsm2, csrsm2Info_t)
CUSPARSE_INFO(Csric02, csric02Info_t)
CUSPARSE_INFO(Csrilu02, csrilu02Info_t)
#undef CUSPARSE_INFO

cusparseStatus_t cusparseXcsrsv2_zeroPivot(cusparseHandle_t handle, csrsv2Info_t info,
					   int *position);
cusparseStatus_t cusparseXcsrsm2_zeroPivot(cusparseHandle_t handle, csrsm2Info_t info,
					   int *position);
cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t handle, csric02Info_t info,
					    int *position);
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info,
					     int *position);
cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int m, int n,
				      const cusparseMatDescr_t a, int a_nnz, const int *a_offsets,
				      const int *a_columns, const cusparseMatDescr_t b, int b_nnz,
				      const int *b_offsets, const int *b_columns,
				      const cusparseMatDescr_t c, int *c_offsets, int *total,
				      void *buffer);

/* The three arrays of a matrix in CSR, and a buffer's size in both types */
#define CUSPARSE_CSR(T) const T *values, const int *offsets, const int *columns
#define CUSPARSE_LEGACY(X, T)                                                                      \
	cusparseStatus_t cusparse##X##axpyi(cusparseHandle_t handle, int nnz, const T *alpha,      \
					    const T *x, const int *indices, T *y,                  \
					    cusparseIndexBase_t base);                             \
	cusparseStatus_t cusparse##X##gthr(cusparseHandle_t handle, int nnz, const T *y, T *x,     \
					   const int *indices, cusparseIndexBase_t base);          \
	cusparseStatus_t cusparse##X##gthrz(cusparseHandle_t handle, int nnz, T *y, T *x,          \
					    const int *indices, cusparseIndexBase_t base);         \
	cusparseStatus_t cusparse##X##sctr(cusparseHandle_t handle, int nnz, const T *x,           \
					   const int *indices, T *y, cusparseIndexBase_t base);    \
	cusparseStatus_t cusparse##X##gemvi_bufferSize(cusparseHandle_t handle,                    \
						       cusparseOperation_t op, int m, int n,       \
						       int nnz, int *bytes);                       \
	cusparseStatus_t cusparse##X##gemvi(                                                       \
		cusparseHandle_t handle, cusparseOperation_t op, int m, int n, const T *alpha,     \
		const T *a, int lda, int nnz, const T *x, const int *indices, const T *beta, T *y, \
		cusparseIndexBase_t base, void *buffer);                                           \
	cusparseStatus_t cusparse##X##csrmv(cusparseHandle_t handle, cusparseOperation_t op,       \
					    int m, int n, int nnz, const T *alpha,                 \
					    const cusparseMatDescr_t a, CUSPARSE_CSR(T),           \
					    const T *x, const T *beta, T *y);                      \
	cusparseStatus_t cusparse##X##csrmm(cusparseHandle_t handle, cusparseOperation_t op,       \
					    int m, int n, int k, int nnz, const T *alpha,          \
					    const cusparseMatDescr_t a, CUSPARSE_CSR(T),           \
					    const T *b, int ldb, const T *beta, T *c, int ldc);    \
	cusparseStatus_t cusparse##X##csrmm2(                                                      \
		cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,       \
		int m, int n, int k, int nnz, const T *alpha, const cusparseMatDescr_t a,          \
		CUSPARSE_CSR(T), const T *b, int ldb, const T *beta, T *c, int ldc);               \
	cusparseStatus_t cusparse##X##bsrmv(                                                       \
		cusparseHandle_t handle, cusparseDirection_t dir, cusparseOperation_t op, int mb,  \
		int nb, int nnzb, const T *alpha, const cusparseMatDescr_t a, CUSPARSE_CSR(T),     \
		int block, const T *x, const T *beta, T *y);                                       \
	cusparseStatus_t cusparse##X##bsrmm(                                                       \
		cusparseHandle_t handle, cusparseDirection_t dir, cusparseOperation_t op_a,        \
		cusparseOperation_t op_b, int mb, int n, int kb, int nnzb, const T *alpha,         \
		const cusparseMatDescr_t a, CUSPARSE_CSR(T), const int block, const T *b,          \
		const int ldb, const T *beta, T *c, int ldc);                                      \
	cusparseStatus_t cusparse##X##csrsv2_bufferSize(                                           \
		cusparseHandle_t handle, cusparseOperation_t op, int m, int nnz,                   \
		const cusparseMatDescr_t a, T *values, const int *offsets, const int *columns,     \
		csrsv2Info_t info, int *bytes);                                                    \
	cusparseStatus_t cusparse##X##csrsv2_bufferSizeExt(                                        \
		cusparseHandle_t handle, cusparseOperation_t op, int m, int nnz,                   \
		const cusparseMatDescr_t a, T *values, const int *offsets, const int *columns,     \
		csrsv2Info_t info, size_t *bytes);                                                 \
	cusparseStatus_t cusparse##X##csrsv2_analysis(                                             \
		cusparseHandle_t handle, cusparseOperation_t op, int m, int nnz,                   \
		const cusparseMatDescr_t a, CUSPARSE_CSR(T), csrsv2Info_t info,                    \
		cusparseSolvePolicy_t policy, void *buffer);                                       \
	cusparseStatus_t cusparse##X##csrsv2_solve(                                                \
		cusparseHandle_t handle, cusparseOperation_t op, int m, int nnz, const T *alpha,   \
		const cusparseMatDescr_t a, CUSPARSE_CSR(T), csrsv2Info_t info, const T *f, T *x,  \
		cusparseSolvePolicy_t policy, void *buffer);                                       \
	cusparseStatus_t cusparse##X##csrsm2_bufferSizeExt(                                        \
		cusparseHandle_t handle, int algo, cusparseOperation_t op_a,                       \
		cusparseOperation_t op_b, int m, int n, int nnz, const T *alpha,                   \
		const cusparseMatDescr_t a, CUSPARSE_CSR(T), const T *b, int ldb,                  \
		csrsm2Info_t info, cusparseSolvePolicy_t policy, size_t *bytes);                   \
	cusparseStatus_t cusparse##X##csrsm2_analysis(                                             \
		cusparseHandle_t handle, int algo, cusparseOperation_t op_a,                       \
		cusparseOperation_t op_b, int m, int n, int nnz, const T *alpha,                   \
		const cusparseMatDescr_t a, CUSPARSE_CSR(T), const T *b, int ldb,                  \
		csrsm2Info_t info, cusparseSolvePolicy_t policy, void *buffer);                    \
	cusparseStatus_t cusparse##X##csrsm2_solve(                                                \
		cusparseHandle_t handle, int algo, cusparseOperation_t op_a,                       \
		cusparseOperation_t op_b, int m, int n, int nnz, const T *alpha,                   \
		const cusparseMatDescr_t a, CUSPARSE_CSR(T), T *b, int ldb, csrsm2Info_t info,     \
		cusparseSolvePolicy_t policy, void *buffer);                                       \
	cusparseStatus_t cusparse##X##csrgeam2_bufferSizeExt(                                      \
		cusparseHandle_t handle, int m, int n, const T *alpha, const cusparseMatDescr_t a, \
		int a_nnz, const T *a_values, const int *a_offsets, const int *a_columns,          \
		const T *beta, const cusparseMatDescr_t b, int b_nnz, const T *b_values,           \
		const int *b_offsets, const int *b_columns, const cusparseMatDescr_t c,            \
		const T *c_values, const int *c_offsets, const int *c_columns, size_t *bytes);     \
	cusparseStatus_t cusparse##X##csrgeam2(                                                    \
		cusparseHandle_t handle, int m, int n, const T *alpha, const cusparseMatDescr_t a, \
		int a_nnz, const T *a_values, const int *a_offsets, const int *a_columns,          \
		const T *beta, const cusparseMatDescr_t b, int b_nnz, const T *b_values,           \
		const int *b_offsets, const int *b_columns, const cusparseMatDescr_t c,            \
		T *c_values, int *c_offsets, int *c_columns, void *buffer);
#define CUSPARSE_FACTOR(X, T, name, type)                                                       \
	cusparseStatus_t cusparse##X##name##_bufferSize(                                        \
		cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t a, T *values, \
		const int *offsets, const int *columns, type info, int *bytes);                 \
	cusparseStatus_t cusparse##X##name##_bufferSizeExt(                                     \
		cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t a, T *values, \
		const int *offsets, const int *columns, type info, size_t *bytes);              \
	cusparseStatus_t cusparse##X##name##_analysis(                                          \
		cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t a,            \
		CUSPARSE_CSR(T), type info, cusparseSolvePolicy_t policy, void *buffer);        \
	cusparseStatus_t cusparse##X##name(cusparseHandle_t handle, int m, int nnz,             \
					   const cusparseMatDescr_t a, T *values,               \
					   const int *offsets, const int *columns, type info,   \
					   cusparseSolvePolicy_t policy, void *buffer);
#define CUSPARSE_TRIDIAGONAL(X, T)                                                                 \
	cusparseStatus_t cusparse##X##csrilu02_numericBoost(cusparseHandle_t handle,               \
							    csrilu02Info_t info, int enable,       \
							    double *tolerance, T *value);          \
	cusparseStatus_t cusparse##X##gtsv2_bufferSizeExt(cusparseHandle_t handle, int m, int n,   \
							  const T *dl, const T *d, const T *du,    \
							  const T *b, int ldb, size_t *bytes);     \
	cusparseStatus_t cusparse##X##gtsv2(cusparseHandle_t handle, int m, int n, const T *dl,    \
					    const T *d, const T *du, T *b, int ldb, void *buffer); \
	cusparseStatus_t cusparse##X##gtsv2_nopivot_bufferSizeExt(                                 \
		cusparseHandle_t handle, int m, int n, const T *dl, const T *d, const T *du,       \
		const T *b, int ldb, size_t *bytes);                                               \
	cusparseStatus_t cusparse##X##gtsv2_nopivot(cusparseHandle_t handle, int m, int n,         \
						    const T *dl, const T *d, const T *du, T *b,    \
						    int ldb, void *buffer);                        \
	cusparseStatus_t cusparse##X##gtsv2StridedBatch_bufferSizeExt(                             \
		cusparseHandle_t handle, int m, const T *dl, const T *d, const T *du, const T *x,  \
		int count, int stride, size_t *bytes);                                             \
	cusparseStatus_t cusparse##X##gtsv2StridedBatch(                                           \
		cusparseHandle_t handle, int m, const T *dl, const T *d, const T *du, T *x,        \
		int count, int stride, void *buffer);                                              \
	cusparseStatus_t cusparse##X##gtsvInterleavedBatch_bufferSizeExt(                          \
		cusparseHandle_t handle, int algo, int m, const T *dl, const T *d, const T *du,    \
		const T *x, int count, size_t *bytes);                                             \
	cusparseStatus_t cusparse##X##gtsvInterleavedBatch(cusparseHandle_t handle, int algo,      \
							   int m, T *dl, T *d, T *du, T *x,        \
							   int count, void *buffer);               \
	cusparseStatus_t cusparse##X##gpsvInterleavedBatch_bufferSizeExt(                          \
		cusparseHandle_t handle, int algo, int m, const T *ds, const T *dl, const T *d,    \
		const T *du, const T *dw, const T *x, int count, size_t *bytes);                   \
	cusparseStatus_t cusparse##X##gpsvInterleavedBatch(cusparseHandle_t handle, int algo,      \
							   int m, T *ds, T *dl, T *d, T *du,       \
							   T *dw, T *x, int count, void *buffer);
#define CUSPARSE_ALL(X, T)                              \
	CUSPARSE_LEGACY(X, T)                           \
	CUSPARSE_FACTOR(X, T, csrilu02, csrilu02Info_t) \
	CUSPARSE_FACTOR(X, T, csric02, csric02Info_t)   \
	CUSPARSE_TRIDIAGONAL(X, T)
CUSPARSE_ALL(S, float)
CUSPARSE_ALL(D, double)
CUSPARSE_ALL(C, cuComplex)
CUSPARSE_ALL(Z, cuDoubleComplex)
#undef CUSPARSE_ALL
#undef CUSPARSE_LEGACY
#undef CUSPARSE_FACTOR
#undef CUSPARSE_TRIDIAGONAL
#undef CUSPARSE_CSR

cusparseStatus_t cusparseSroti(cusparseHandle_t handle, int nnz, float *x, const int *indices,
			       float *y, const float *c, const float *s, cusparseIndexBase_t base);
cusparseStatus_t cusparseDroti(cusparseHandle_t handle, int nnz, double *x, const int *indices,
			       double *y, const double *c, const double *s,
			       cusparseIndexBase_t base);

#ifdef __cplusplus
}
#endif

#endif
