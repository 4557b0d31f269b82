// SPDX-License-Identifier: MIT
/* Descriptors of vectors and of dense matrices. */
#include "objects.h"
#include "descriptors.h"

static cusparseStatus_t new_spvec(struct cusparseSpVecDescr **vector, int64_t size, int64_t nnz,
				  void *indices, void *values, cusparseIndexType_t index_type,
				  cusparseIndexBase_t base, cudaDataType type)
{
	struct cusparseSpVecDescr *v;

	SPARSE_WANT(vector && size >= 0 && nnz >= 0 && nnz <= size);
	SPARSE_WANT((indices && values) || !nnz);
	SPARSE_TRY(sparse_good_index(index_type, size, base, type));
	v = live_new(sizeof(*v), SPARSE_SPVEC);
	if (!v)
		return CUSPARSE_STATUS_ALLOC_FAILED;
	v->size = size;
	v->nnz = nnz;
	v->indices = indices;
	v->values = values;
	v->index_type = index_type;
	v->base = base;
	v->type = type;
	*vector = v;
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t new_dnvec(struct cusparseDnVecDescr **vector, int64_t size, void *values,
				  cudaDataType type)
{
	struct cusparseDnVecDescr *v;

	SPARSE_WANT(vector && size >= 0 && (values || !size));
	if (!sparse_size(type))
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	v = live_new(sizeof(*v), SPARSE_DNVEC);
	if (!v)
		return CUSPARSE_STATUS_ALLOC_FAILED;
	v->size = size;
	v->values = values;
	v->type = type;
	*vector = v;
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t new_dnmat(struct cusparseDnMatDescr **matrix, int64_t rows, int64_t cols,
				  int64_t ld, void *values, cudaDataType type,
				  cusparseOrder_t order)
{
	struct cusparseDnMatDescr *m;

	SPARSE_WANT(matrix && rows >= 0 && cols >= 0 && (values || !rows || !cols));
	SPARSE_WANT(order == CUSPARSE_ORDER_COL || order == CUSPARSE_ORDER_ROW);
	SPARSE_WANT(ld >= (order == CUSPARSE_ORDER_COL ? rows : cols));
	if (!sparse_size(type))
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	m = live_new(sizeof(*m), SPARSE_DNMAT);
	if (!m)
		return CUSPARSE_STATUS_ALLOC_FAILED;
	m->rows = rows;
	m->cols = cols;
	m->ld = ld;
	m->values = values;
	m->type = type;
	m->order = order;
	m->count = 1;
	*matrix = m;
	return CUSPARSE_STATUS_SUCCESS;
}

/* Both kinds of descriptors are one. */
#define BOTH(C, Q)                                                                                 \
	VGPU_API cusparseStatus_t cusparseCreate##C##SpVec(                                        \
		cusparse##C##SpVecDescr_t *vector, int64_t size, int64_t nnz, Q void *indices,     \
		Q void *values, cusparseIndexType_t index_type, cusparseIndexBase_t base,          \
		cudaDataType type)                                                                 \
	{                                                                                          \
		return new_spvec((struct cusparseSpVecDescr **)vector, size, nnz, (void *)indices, \
				 (void *)values, index_type, base, type);                          \
	}                                                                                          \
	VGPU_API cusparseStatus_t cusparse##C##SpVecGet(                                           \
		cusparse##C##SpVecDescr_t vector, int64_t *size, int64_t *nnz, Q void **indices,   \
		Q void **values, cusparseIndexType_t *index_type, cusparseIndexBase_t *base,       \
		cudaDataType *type)                                                                \
	{                                                                                          \
		SPARSE_WANT(live_is(vector, SPARSE_SPVEC) && size && nnz && indices &&        \
			    values && index_type && base && type);                                 \
		*size = vector->size;                                                              \
		*nnz = vector->nnz;                                                                \
		*indices = vector->indices;                                                        \
		*values = vector->values;                                                          \
		*index_type = vector->index_type;                                                  \
		*base = vector->base;                                                              \
		*type = vector->type;                                                              \
		return CUSPARSE_STATUS_SUCCESS;                                                    \
	}                                                                                          \
	VGPU_API cusparseStatus_t cusparse##C##SpVecGetValues(cusparse##C##SpVecDescr_t vector,    \
							      Q void **values)                     \
	{                                                                                          \
		SPARSE_WANT(live_is(vector, SPARSE_SPVEC) && values);                         \
		*values = vector->values;                                                          \
		return CUSPARSE_STATUS_SUCCESS;                                                    \
	}                                                                                          \
	VGPU_API cusparseStatus_t cusparseCreate##C##DnVec(cusparse##C##DnVecDescr_t *vector,      \
							   int64_t size, Q void *values,           \
							   cudaDataType type)                      \
	{                                                                                          \
		return new_dnvec((struct cusparseDnVecDescr **)vector, size, (void *)values,       \
				 type);                                                            \
	}                                                                                          \
	VGPU_API cusparseStatus_t cusparse##C##DnVecGet(cusparse##C##DnVecDescr_t vector,          \
							int64_t *size, Q void **values,            \
							cudaDataType *type)                        \
	{                                                                                          \
		SPARSE_WANT(live_is(vector, SPARSE_DNVEC) && size && values && type);         \
		*size = vector->size;                                                              \
		*values = vector->values;                                                          \
		*type = vector->type;                                                              \
		return CUSPARSE_STATUS_SUCCESS;                                                    \
	}                                                                                          \
	VGPU_API cusparseStatus_t cusparse##C##DnVecGetValues(cusparse##C##DnVecDescr_t vector,    \
							      Q void **values)                     \
	{                                                                                          \
		SPARSE_WANT(live_is(vector, SPARSE_DNVEC) && values);                         \
		*values = vector->values;                                                          \
		return CUSPARSE_STATUS_SUCCESS;                                                    \
	}                                                                                          \
	VGPU_API cusparseStatus_t cusparseCreate##C##DnMat(                                        \
		cusparse##C##DnMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t ld,         \
		Q void *values, cudaDataType type, cusparseOrder_t order)                          \
	{                                                                                          \
		return new_dnmat((struct cusparseDnMatDescr **)matrix, rows, cols, ld,             \
				 (void *)values, type, order);                                     \
	}                                                                                          \
	VGPU_API cusparseStatus_t cusparse##C##DnMatGet(                                           \
		cusparse##C##DnMatDescr_t matrix, int64_t *rows, int64_t *cols, int64_t *ld,       \
		Q void **values, cudaDataType *type, cusparseOrder_t *order)                       \
	{                                                                                          \
		SPARSE_WANT(live_is(matrix, SPARSE_DNMAT) && rows && cols && ld && values &&  \
			    type && order);                                                        \
		*rows = matrix->rows;                                                              \
		*cols = matrix->cols;                                                              \
		*ld = matrix->ld;                                                                  \
		*values = matrix->values;                                                          \
		*type = matrix->type;                                                              \
		*order = matrix->order;                                                            \
		return CUSPARSE_STATUS_SUCCESS;                                                    \
	}                                                                                          \
	VGPU_API cusparseStatus_t cusparse##C##DnMatGetValues(cusparse##C##DnMatDescr_t matrix,    \
							      Q void **values)                     \
	{                                                                                          \
		SPARSE_WANT(live_is(matrix, SPARSE_DNMAT) && values);                         \
		*values = matrix->values;                                                          \
		return CUSPARSE_STATUS_SUCCESS;                                                    \
	}
BOTH(, )
BOTH(Const, const)

VGPU_API cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t vector)
{
	return live_delete(vector, SPARSE_SPVEC) ? CUSPARSE_STATUS_SUCCESS
						   : CUSPARSE_STATUS_INVALID_VALUE;
}

VGPU_API cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t vector,
						    cusparseIndexBase_t *base)
{
	SPARSE_WANT(live_is(vector, SPARSE_SPVEC) && base);
	*base = vector->base;
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t vector, void *values)
{
	SPARSE_WANT(live_is(vector, SPARSE_SPVEC) && (values || !vector->nnz));
	vector->values = values;
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector)
{
	return live_delete(vector, SPARSE_DNVEC) ? CUSPARSE_STATUS_SUCCESS
						   : CUSPARSE_STATUS_INVALID_VALUE;
}

VGPU_API cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void *values)
{
	SPARSE_WANT(live_is(vector, SPARSE_DNVEC) && (values || !vector->size));
	vector->values = values;
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix)
{
	return live_delete(matrix, SPARSE_DNMAT) ? CUSPARSE_STATUS_SUCCESS
						   : CUSPARSE_STATUS_INVALID_VALUE;
}

VGPU_API cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t matrix, void *values)
{
	SPARSE_WANT(live_is(matrix, SPARSE_DNMAT) &&
		    (values || !matrix->rows || !matrix->cols));
	matrix->values = values;
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t matrix, int count,
						       int64_t stride)
{
	SPARSE_WANT(live_is(matrix, SPARSE_DNMAT) && count >= 1 && stride >= 0);
	matrix->count = count;
	matrix->stride = stride;
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t matrix, int *count,
						       int64_t *stride)
{
	SPARSE_WANT(live_is(matrix, SPARSE_DNMAT) && count && stride);
	*count = matrix->count;
	*stride = matrix->stride;
	return CUSPARSE_STATUS_SUCCESS;
}
