/* SPDX-License-Identifier: MIT */
/*
 * cuSPARSE's generic functions: descriptors of vectors and matrices, and what computes with them.
 * Programs include cusparse.h.
 */
#ifndef VGPU_CUSPARSE_GENERIC_H
#define VGPU_CUSPARSE_GENERIC_H

#include "cusparse.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Descriptors that can be read and written, and those that can only be read: C is nothing or
 * Const, Q nothing or const.
 */
#define CUSPARSE_DESCRIPTORS(C, Q)                                                                 \
	cusparseStatus_t cusparseCreate##C##SpVec(cusparse##C##SpVecDescr_t *vector, int64_t size, \
						  int64_t nnz, Q void *indices, Q void *values,    \
						  cusparseIndexType_t index_type,                  \
						  cusparseIndexBase_t base, cudaDataType type);    \
	cusparseStatus_t cusparse##C##SpVecGet(cusparse##C##SpVecDescr_t vector, int64_t *size,    \
					       int64_t *nnz, Q void **indices, Q void **values,    \
					       cusparseIndexType_t *index_type,                    \
					       cusparseIndexBase_t *base, cudaDataType *type);     \
	cusparseStatus_t cusparse##C##SpVecGetValues(cusparse##C##SpVecDescr_t vector,             \
						     Q void **values);                             \
	cusparseStatus_t cusparseCreate##C##DnVec(cusparse##C##DnVecDescr_t *vector, int64_t size, \
						  Q void *values, cudaDataType type);              \
	cusparseStatus_t cusparse##C##DnVecGet(cusparse##C##DnVecDescr_t vector, int64_t *size,    \
					       Q void **values, cudaDataType *type);               \
	cusparseStatus_t cusparse##C##DnVecGetValues(cusparse##C##DnVecDescr_t vector,             \
						     Q void **values);                             \
	cusparseStatus_t cusparseCreate##C##DnMat(cusparse##C##DnMatDescr_t *matrix, int64_t rows, \
						  int64_t cols, int64_t ld, Q void *values,        \
						  cudaDataType type, cusparseOrder_t order);       \
	cusparseStatus_t cusparse##C##DnMatGet(cusparse##C##DnMatDescr_t matrix, int64_t *rows,    \
					       int64_t *cols, int64_t *ld, Q void **values,        \
					       cudaDataType *type, cusparseOrder_t *order);        \
	cusparseStatus_t cusparse##C##DnMatGetValues(cusparse##C##DnMatDescr_t matrix,             \
						     Q void **values);                             \
	cusparseStatus_t cusparse##C##SpMatGetValues(cusparse##C##SpMatDescr_t matrix,             \
						     Q void **values);                             \
	cusparseStatus_t cusparseCreate##C##Csr(                                                   \
		cusparse##C##SpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t nnz,        \
		Q void *offsets, Q void *columns, Q void *values, cusparseIndexType_t offset_type, \
		cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type);      \
	cusparseStatus_t cusparseCreate##C##Csc(                                                   \
		cusparse##C##SpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t nnz,        \
		Q void *offsets, Q void *indices, Q void *values, cusparseIndexType_t offset_type, \
		cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type);      \
	cusparseStatus_t cusparse##C##CsrGet(                                                      \
		cusparse##C##SpMatDescr_t matrix, int64_t *rows, int64_t *cols, int64_t *nnz,      \
		Q void **offsets, Q void **columns, Q void **values,                               \
		cusparseIndexType_t *offset_type, cusparseIndexType_t *index_type,                 \
		cusparseIndexBase_t *base, cudaDataType *type);                                    \
	cusparseStatus_t cusparse##C##CscGet(                                                      \
		cusparse##C##SpMatDescr_t matrix, int64_t *rows, int64_t *cols, int64_t *nnz,      \
		Q void **offsets, Q void **indices, Q void **values,                               \
		cusparseIndexType_t *offset_type, cusparseIndexType_t *index_type,                 \
		cusparseIndexBase_t *base, cudaDataType *type);                                    \
	cusparseStatus_t cusparseCreate##C##Coo(                                                   \
		cusparse##C##SpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t nnz,        \
		Q void *row_indices, Q void *columns, Q void *values,                              \
		cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type);      \
	cusparseStatus_t cusparse##C##CooGet(                                                      \
		cusparse##C##SpMatDescr_t matrix, int64_t *rows, int64_t *cols, int64_t *nnz,      \
		Q void **row_indices, Q void **columns, Q void **values,                           \
		cusparseIndexType_t *index_type, cusparseIndexBase_t *base, cudaDataType *type);   \
	cusparseStatus_t cusparseCreate##C##Bsr(                                                   \
		cusparse##C##SpMatDescr_t *matrix, int64_t block_rows, int64_t block_cols,         \
		int64_t blocks, int64_t tall, int64_t wide, Q void *offsets, Q void *columns,      \
		Q void *values, cusparseIndexType_t offset_type, cusparseIndexType_t index_type,   \
		cusparseIndexBase_t base, cudaDataType type, cusparseOrder_t order);               \
	cusparseStatus_t cusparseCreate##C##BlockedEll(                                            \
		cusparse##C##SpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t block,      \
		int64_t ell_cols, Q void *columns, Q void *values, cusparseIndexType_t index_type, \
		cusparseIndexBase_t base, cudaDataType type);                                      \
	cusparseStatus_t cusparse##C##BlockedEllGet(                                               \
		cusparse##C##SpMatDescr_t matrix, int64_t *rows, int64_t *cols, int64_t *block,    \
		int64_t *ell_cols, Q void **columns, Q void **values,                              \
		cusparseIndexType_t *index_type, cusparseIndexBase_t *base, cudaDataType *type);   \
	cusparseStatus_t cusparseCreate##C##SlicedEll(                                             \
		cusparse##C##SpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t nnz,        \
		int64_t values_size, int64_t slice, Q void *offsets, Q void *columns,              \
		Q void *values, cusparseIndexType_t offset_type, cusparseIndexType_t index_type,   \
		cusparseIndexBase_t base, cudaDataType type);
CUSPARSE_DESCRIPTORS(, )
CUSPARSE_DESCRIPTORS(Const, const)
#undef CUSPARSE_DESCRIPTORS

cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t vector);
cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t vector,
					   cusparseIndexBase_t *base);
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t vector, void *values);
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector);
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void *values);
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix);
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t matrix, void *values);
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t matrix, int count,
					      int64_t stride);
cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t matrix, int *count,
					      int64_t *stride);
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix);
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t matrix, cusparseFormat_t *format);
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t matrix,
					   cusparseIndexBase_t *base);
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t matrix, void *values);
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t *rows,
				      int64_t *cols, int64_t *nnz);
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t matrix, int *count);
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t matrix, int count, int64_t stride);
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t matrix, int count,
					    int64_t offsets_stride, int64_t values_stride);
cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t matrix, int count,
					    int64_t offsets_stride, int64_t columns_stride,
					    int64_t values_stride);
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t matrix,
					   cusparseSpMatAttribute_t attribute, void *data,
					   size_t size);
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t matrix,
					   cusparseSpMatAttribute_t attribute, void *data,
					   size_t size);
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t matrix, void *offsets, void *columns,
					void *values);
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t matrix, void *offsets, void *indices,
					void *values);
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t matrix, void *row_indices,
					void *columns, void *values);

/* Sparse vectors */
cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha,
			       cusparseConstSpVecDescr_t x, const void *beta,
			       cusparseDnVecDescr_t y);
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y,
				cusparseSpVecDescr_t x);
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
				 cusparseDnVecDescr_t y);
cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c, const void *s,
			     cusparseSpVecDescr_t x, cusparseDnVecDescr_t y);
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op,
					 cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
					 const void *result, cudaDataType compute, size_t *bytes);
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t op,
			      cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
			      void *result, cudaDataType compute, void *buffer);

/* Between dense and sparse matrices */
cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle,
						  cusparseConstSpMatDescr_t a,
						  cusparseDnMatDescr_t b,
						  cusparseSparseToDenseAlg_t alg, size_t *bytes);
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
				       cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t alg,
				       void *buffer);
cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle,
						  cusparseConstDnMatDescr_t a,
						  cusparseSpMatDescr_t b,
						  cusparseDenseToSparseAlg_t alg, size_t *bytes);
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle,
						cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b,
						cusparseDenseToSparseAlg_t alg, void *buffer);
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
					       cusparseSpMatDescr_t b,
					       cusparseDenseToSparseAlg_t alg, void *buffer);

/*
 * Products and solutions. The parameters of each are those of its buffer's size, with the size or
 * the buffer last.
 */
#define CUSPARSE_SPMV(name, last)                                                                 \
	cusparseStatus_t name(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha, \
			      cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,           \
			      const void *beta, cusparseDnVecDescr_t y, cudaDataType compute,     \
			      cusparseSpMVAlg_t alg, last);
CUSPARSE_SPMV(cusparseSpMV_bufferSize, size_t *bytes)
CUSPARSE_SPMV(cusparseSpMV_preprocess, void *buffer)
CUSPARSE_SPMV(cusparseSpMV, void *buffer)
#undef CUSPARSE_SPMV
#define CUSPARSE_SPMM(name, last)                                                             \
	cusparseStatus_t name(cusparseHandle_t handle, cusparseOperation_t op_a,              \
			      cusparseOperation_t op_b, const void *alpha,                    \
			      cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,       \
			      const void *beta, cusparseDnMatDescr_t c, cudaDataType compute, \
			      cusparseSpMMAlg_t alg, last);
CUSPARSE_SPMM(cusparseSpMM_bufferSize, size_t *bytes)
CUSPARSE_SPMM(cusparseSpMM_preprocess, void *buffer)
CUSPARSE_SPMM(cusparseSpMM, void *buffer)
#undef CUSPARSE_SPMM
#define CUSPARSE_SDDMM(name, last)                                                            \
	cusparseStatus_t name(cusparseHandle_t handle, cusparseOperation_t op_a,              \
			      cusparseOperation_t op_b, const void *alpha,                    \
			      cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,       \
			      const void *beta, cusparseSpMatDescr_t c, cudaDataType compute, \
			      cusparseSDDMMAlg_t alg, last);
CUSPARSE_SDDMM(cusparseSDDMM_bufferSize, size_t *bytes)
CUSPARSE_SDDMM(cusparseSDDMM_preprocess, void *buffer)
CUSPARSE_SDDMM(cusparseSDDMM, void *buffer)
#undef CUSPARSE_SDDMM

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *plan);
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t plan);
cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op,
					 const void *alpha, cusparseConstSpMatDescr_t a,
					 cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
					 cudaDataType compute, cusparseSpSVAlg_t alg,
					 cusparseSpSVDescr_t plan, size_t *bytes);
cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t op,
				       const void *alpha, cusparseConstSpMatDescr_t a,
				       cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
				       cudaDataType compute, cusparseSpSVAlg_t alg,
				       cusparseSpSVDescr_t plan, void *buffer);
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t op,
				    const void *alpha, cusparseConstSpMatDescr_t a,
				    cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
				    cudaDataType compute, cusparseSpSVAlg_t alg,
				    cusparseSpSVDescr_t plan);
cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t handle, cusparseSpSVDescr_t plan,
					   void *values, cusparseSpSVUpdate_t part);
cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *plan);
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t plan);
cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a,
					 cusparseOperation_t op_b, const void *alpha,
					 cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
					 cusparseDnMatDescr_t c, cudaDataType compute,
					 cusparseSpSMAlg_t alg, cusparseSpSMDescr_t plan,
					 size_t *bytes);
cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t op_a,
				       cusparseOperation_t op_b, const void *alpha,
				       cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
				       cusparseDnMatDescr_t c, cudaDataType compute,
				       cusparseSpSMAlg_t alg, cusparseSpSMDescr_t plan,
				       void *buffer);
cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t op_a,
				    cusparseOperation_t op_b, const void *alpha,
				    cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
				    cusparseDnMatDescr_t c, cudaDataType compute,
				    cusparseSpSMAlg_t alg, cusparseSpSMDescr_t plan);
cusparseStatus_t cusparseSpSM_updateMatrix(cusparseHandle_t handle, cusparseSpSMDescr_t plan,
					   void *values, cusparseSpSMUpdate_t part);

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *plan);
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t plan);
cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t handle, cusparseOperation_t op_a,
					       cusparseOperation_t op_b, const void *alpha,
					       cusparseConstSpMatDescr_t a,
					       cusparseConstSpMatDescr_t b, const void *beta,
					       cusparseSpMatDescr_t c, cudaDataType compute,
					       cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t plan,
					       size_t *bytes, void *buffer);
cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t plan, int64_t *products);
cusparseStatus_t cusparseSpGEMM_estimateMemory(
	cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
	const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
	const void *beta, cusparseSpMatDescr_t c, cudaDataType compute, cusparseSpGEMMAlg_t alg,
	cusparseSpGEMMDescr_t plan, float fraction, size_t *bytes3, void *buffer3, size_t *bytes2);
cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t op_a,
					cusparseOperation_t op_b, const void *alpha,
					cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
					const void *beta, cusparseSpMatDescr_t c,
					cudaDataType compute, cusparseSpGEMMAlg_t alg,
					cusparseSpGEMMDescr_t plan, size_t *bytes, void *buffer);
cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t op_a,
				     cusparseOperation_t op_b, const void *alpha,
				     cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
				     const void *beta, cusparseSpMatDescr_t c, cudaDataType compute,
				     cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t plan);
cusparseStatus_t cusparseSpGEMMreuse_workEstimation(
	cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
	cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
	cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t plan, size_t *bytes, void *buffer);
cusparseStatus_t cusparseSpGEMMreuse_nnz(cusparseHandle_t handle, cusparseOperation_t op_a,
					 cusparseOperation_t op_b, cusparseConstSpMatDescr_t a,
					 cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
					 cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t plan,
					 size_t *bytes2, void *buffer2, size_t *bytes3,
					 void *buffer3, size_t *bytes4, void *buffer4);
cusparseStatus_t cusparseSpGEMMreuse_copy(cusparseHandle_t handle, cusparseOperation_t op_a,
					  cusparseOperation_t op_b, cusparseConstSpMatDescr_t a,
					  cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
					  cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t plan,
					  size_t *bytes5, void *buffer5);
cusparseStatus_t cusparseSpGEMMreuse_compute(cusparseHandle_t handle, cusparseOperation_t op_a,
					     cusparseOperation_t op_b, const void *alpha,
					     cusparseConstSpMatDescr_t a,
					     cusparseConstSpMatDescr_t b, const void *beta,
					     cusparseSpMatDescr_t c, cudaDataType compute,
					     cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t plan);

#ifdef __cplusplus
}
#endif

#endif
