/* SPDX-License-Identifier: MIT */
/*
 * cuSPARSE's conversions between formats, and sorting, of matrices that are given by pointers.
 * Programs include cusparse.h.
 */
#ifndef VGPU_CUSPARSE_CONVERT_H
#define VGPU_CUSPARSE_CONVERT_H

#include "cusparse.h"

#ifdef __cplusplus
extern "C" {
#endif

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *rows, int nnz, int m,
				  int *offsets, cusparseIndexBase_t base);
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *offsets, int nnz, int m,
				  int *rows, cusparseIndexBase_t base);
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz,
					       const void *csr_values, const int *csr_offsets,
					       const int *csr_columns, void *csc_values,
					       int *csc_offsets, int *csc_rows, cudaDataType type,
					       cusparseAction_t action, cusparseIndexBase_t base,
					       cusparseCsr2CscAlg_t alg, size_t *bytes);
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz,
				    const void *csr_values, const int *csr_offsets,
				    const int *csr_columns, void *csc_values, int *csc_offsets,
				    int *csc_rows, cudaDataType type, cusparseAction_t action,
				    cusparseIndexBase_t base, cusparseCsr2CscAlg_t alg,
				    void *buffer);
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p);
cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
						const int *rows, const int *columns, size_t *bytes);
cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz, int *rows,
				       int *columns, int *p, void *buffer);
cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz, int *rows,
					  int *columns, int *p, void *buffer);
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
						const int *offsets, const int *columns,
						size_t *bytes);
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz,
				  const cusparseMatDescr_t a, const int *offsets, int *columns,
				  int *p, void *buffer);
cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
						const int *offsets, const int *rows, size_t *bytes);
cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nnz,
				  const cusparseMatDescr_t a, const int *offsets, int *rows, int *p,
				  void *buffer);
cusparseStatus_t cusparseXcsr2bsrNnz(cusparseHandle_t handle, cusparseDirection_t dir, int m, int n,
				     const cusparseMatDescr_t a, const int *offsets,
				     const int *columns, int block, const cusparseMatDescr_t c,
				     int *bsr_offsets, int *total);

/* For each type of values: X the letter of it, T the type */
#define CUSPARSE_CONVERSIONS(X, T)                                                                 \
	cusparseStatus_t cusparse##X##csr2bsr(                                                     \
		cusparseHandle_t handle, cusparseDirection_t dir, int m, int n,                    \
		const cusparseMatDescr_t a, const T *values, const int *offsets,                   \
		const int *columns, int block, const cusparseMatDescr_t c, T *bsr_values,          \
		int *bsr_offsets, int *bsr_columns);                                               \
	cusparseStatus_t cusparse##X##bsr2csr(                                                     \
		cusparseHandle_t handle, cusparseDirection_t dir, int mb, int nb,                  \
		const cusparseMatDescr_t a, const T *values, const int *offsets,                   \
		const int *columns, int block, const cusparseMatDescr_t c, T *csr_values,          \
		int *csr_offsets, int *csr_columns);                                               \
	cusparseStatus_t cusparse##X##nnz(cusparseHandle_t handle, cusparseDirection_t dir, int m, \
					  int n, const cusparseMatDescr_t descr, const T *a,       \
					  int lda, int *per_row_or_column, int *total);            \
	cusparseStatus_t cusparse##X##nnz_compress(                                                \
		cusparseHandle_t handle, int m, const cusparseMatDescr_t descr, const T *values,   \
		const int *offsets, int *per_row, int *total, T tolerance);                        \
	cusparseStatus_t cusparse##X##csr2csr_compress(                                            \
		cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descr,             \
		const T *values, const int *columns, const int *offsets, int nnz,                  \
		const int *per_row, T *c_values, int *c_columns, int *c_offsets, T tolerance);     \
	cusparseStatus_t cusparse##X##dense2csr(                                                   \
		cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descr, const T *a, \
		int lda, const int *per_row, T *values, int *offsets, int *columns);               \
	cusparseStatus_t cusparse##X##dense2csc(                                                   \
		cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descr, const T *a, \
		int lda, const int *per_column, T *values, int *rows, int *offsets);               \
	cusparseStatus_t cusparse##X##csr2dense(                                                   \
		cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descr,             \
		const T *values, const int *offsets, const int *columns, T *a, int lda);           \
	cusparseStatus_t cusparse##X##csc2dense(                                                   \
		cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descr,             \
		const T *values, const int *rows, const int *offsets, T *a, int lda);              \
	cusparseStatus_t cusparse##X##csr2csc(                                                     \
		cusparseHandle_t handle, int m, int n, int nnz, const T *values,                   \
		const int *offsets, const int *columns, T *csc_values, int *csc_rows,              \
		int *csc_offsets, cusparseAction_t action, cusparseIndexBase_t base);
CUSPARSE_CONVERSIONS(S, float)
CUSPARSE_CONVERSIONS(D, double)
CUSPARSE_CONVERSIONS(C, cuComplex)
CUSPARSE_CONVERSIONS(Z, cuDoubleComplex)
#undef CUSPARSE_CONVERSIONS

#ifdef __cplusplus
}
#endif

#endif
