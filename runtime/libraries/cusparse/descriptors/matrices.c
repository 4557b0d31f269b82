// SPDX-License-Identifier: MIT
/* Descriptors of sparse matrices. */
#include "objects.h"
#include "descriptors.h"

#include <string.h>

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* What is in all formats; the rest is in M, which is copied. */
static cusparseStatus_t new_spmat(struct cusparseSpMatDescr **matrix,
				  const struct cusparseSpMatDescr *m)
{
	struct cusparseSpMatDescr *made;
	struct live_object head;

	SPARSE_WANT(matrix && m->rows >= 0 && m->cols >= 0 && m->nnz >= 0);
	SPARSE_TRY(sparse_good_index(m->index_type, larger(m->rows, m->cols), m->base, m->type));
	SPARSE_TRY(sparse_good_index(m->offset_type, m->nnz, m->base, m->type));
	/* a matrix that is yet to be filled in has pointers later */
	SPARSE_WANT(!m->nnz || (m->indices && m->values));
	made = live_new(sizeof(*made), SPARSE_SPMAT);
	if (!made)
		return CUSPARSE_STATUS_ALLOC_FAILED;
	head = made->object;
	*made = *m;
	made->object = head;
	made->count = 1;
	*matrix = made;
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t compressed(struct cusparseSpMatDescr **matrix, cusparseFormat_t format,
				   int64_t rows, int64_t cols, int64_t nnz, void *offsets,
				   void *indices, void *values, cusparseIndexType_t offset_type,
				   cusparseIndexType_t index_type, cusparseIndexBase_t base,
				   cudaDataType type)
{
	struct cusparseSpMatDescr m = {.format = format,
				       .rows = rows,
				       .cols = cols,
				       .nnz = nnz,
				       .offsets = offsets,
				       .indices = indices,
				       .values = values,
				       .offset_type = offset_type,
				       .index_type = index_type,
				       .base = base,
				       .type = type};

	SPARSE_WANT(!nnz || offsets);
	return new_spmat(matrix, &m);
}

static cusparseStatus_t in_blocks(struct cusparseSpMatDescr **matrix, cusparseFormat_t format,
				  int64_t rows, int64_t cols, int64_t nnz, int64_t tall,
				  int64_t wide, void *offsets, void *indices, void *values,
				  cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
				  cusparseIndexBase_t base, cudaDataType type,
				  cusparseOrder_t order)
{
	struct cusparseSpMatDescr m = {.format = format,
				       .rows = rows,
				       .cols = cols,
				       .nnz = nnz,
				       .tall = tall,
				       .wide = wide,
				       .offsets = offsets,
				       .indices = indices,
				       .values = values,
				       .offset_type = offset_type,
				       .index_type = index_type,
				       .base = base,
				       .type = type,
				       .order = order};

	return new_spmat(matrix, &m);
}

static cusparseStatus_t get(const struct cusparseSpMatDescr *m, cusparseFormat_t format,
			    int64_t *rows, int64_t *cols, int64_t *nnz, void **offsets,
			    void **indices, void **values, cusparseIndexType_t *offset_type,
			    cusparseIndexType_t *index_type, cusparseIndexBase_t *base,
			    cudaDataType *type)
{
	SPARSE_WANT(live_is(m, SPARSE_SPMAT) && m->format == format);
	SPARSE_WANT(rows && cols && nnz && offsets && indices && values && offset_type &&
		    index_type && base && type);
	*rows = m->rows;
	*cols = m->cols;
	*nnz = m->nnz;
	*offsets = m->offsets;
	*indices = m->indices;
	*values = m->values;
	*offset_type = m->offset_type;
	*index_type = m->index_type;
	*base = m->base;
	*type = m->type;
	return CUSPARSE_STATUS_SUCCESS;
}

#define COMPRESSED(C, Q, name, format)                                                             \
	VGPU_API cusparseStatus_t cusparseCreate##C##name(                                         \
		cusparse##C##SpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t nnz,        \
		Q void *offsets, Q void *indices, Q void *values, cusparseIndexType_t offset_type, \
		cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type)       \
	{                                                                                          \
		return compressed((struct cusparseSpMatDescr **)matrix, format, rows, cols, nnz,   \
				  (void *)offsets, (void *)indices, (void *)values, offset_type,   \
				  index_type, base, type);                                         \
	}                                                                                          \
	VGPU_API cusparseStatus_t cusparse##C##name##Get(                                          \
		cusparse##C##SpMatDescr_t matrix, int64_t *rows, int64_t *cols, int64_t *nnz,      \
		Q void **offsets, Q void **indices, Q void **values,                               \
		cusparseIndexType_t *offset_type, cusparseIndexType_t *index_type,                 \
		cusparseIndexBase_t *base, cudaDataType *type)                                     \
	{                                                                                          \
		return get(matrix, format, rows, cols, nnz, (void **)offsets, (void **)indices,    \
			   (void **)values, offset_type, index_type, base, type);                  \
	}
#define BOTH(C, Q)                                                                                 \
	COMPRESSED(C, Q, Csr, CUSPARSE_FORMAT_CSR)                                                 \
	COMPRESSED(C, Q, Csc, CUSPARSE_FORMAT_CSC)                                                 \
	VGPU_API cusparseStatus_t cusparseCreate##C##Coo(                                          \
		cusparse##C##SpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t nnz,        \
		Q void *row_indices, Q void *columns, Q void *values,                              \
		cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type)       \
	{                                                                                          \
		return compressed((struct cusparseSpMatDescr **)matrix, CUSPARSE_FORMAT_COO, rows, \
				  cols, nnz, (void *)row_indices, (void *)columns, (void *)values, \
				  index_type, index_type, base, type);                             \
	}                                                                                          \
	VGPU_API cusparseStatus_t cusparse##C##CooGet(                                             \
		cusparse##C##SpMatDescr_t matrix, int64_t *rows, int64_t *cols, int64_t *nnz,      \
		Q void **row_indices, Q void **columns, Q void **values,                           \
		cusparseIndexType_t *index_type, cusparseIndexBase_t *base, cudaDataType *type)    \
	{                                                                                          \
		return get(matrix, CUSPARSE_FORMAT_COO, rows, cols, nnz, (void **)row_indices,     \
			   (void **)columns, (void **)values, index_type, index_type, base, type); \
	}                                                                                          \
	VGPU_API cusparseStatus_t cusparseCreate##C##Bsr(                                          \
		cusparse##C##SpMatDescr_t *matrix, int64_t block_rows, int64_t block_cols,         \
		int64_t blocks, int64_t tall, int64_t wide, Q void *offsets, Q void *columns,      \
		Q void *values, cusparseIndexType_t offset_type, cusparseIndexType_t index_type,   \
		cusparseIndexBase_t base, cudaDataType type, cusparseOrder_t order)                \
	{                                                                                          \
		SPARSE_WANT(tall > 0 && wide > 0 && (!blocks || offsets) &&                        \
			    (order == CUSPARSE_ORDER_COL || order == CUSPARSE_ORDER_ROW));         \
		SPARSE_WANT(block_rows <= INT64_MAX / tall && block_cols <= INT64_MAX / wide);     \
		return in_blocks((struct cusparseSpMatDescr **)matrix, CUSPARSE_FORMAT_BSR,        \
				 block_rows * tall, block_cols * wide, blocks, tall, wide,         \
				 (void *)offsets, (void *)columns, (void *)values, offset_type,    \
				 index_type, base, type, order);                                   \
	}                                                                                          \
	VGPU_API cusparseStatus_t cusparseCreate##C##BlockedEll(                                   \
		cusparse##C##SpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t block,      \
		int64_t ell_cols, Q void *columns, Q void *values, cusparseIndexType_t index_type, \
		cusparseIndexBase_t base, cudaDataType type)                                       \
	{                                                                                          \
		SPARSE_WANT(block > 0 && ell_cols >= 0 && ell_cols <= cols &&                      \
			    ell_cols % block == 0 && rows % block == 0 && cols % block == 0);      \
		return in_blocks((struct cusparseSpMatDescr **)matrix,                             \
				 CUSPARSE_FORMAT_BLOCKED_ELL, rows, cols, rows * ell_cols, block,  \
				 ell_cols, NULL, (void *)columns, (void *)values,                  \
				 CUSPARSE_INDEX_64I, index_type, base, type, CUSPARSE_ORDER_ROW);  \
	}                                                                                          \
	VGPU_API cusparseStatus_t cusparse##C##BlockedEllGet(                                      \
		cusparse##C##SpMatDescr_t matrix, int64_t *rows, int64_t *cols, int64_t *block,    \
		int64_t *ell_cols, Q void **columns, Q void **values,                              \
		cusparseIndexType_t *index_type, cusparseIndexBase_t *base, cudaDataType *type)    \
	{                                                                                          \
		cusparseIndexType_t offset_type;                                                   \
		int64_t nnz;                                                                       \
		void *offsets;                                                                     \
                                                                                                   \
		SPARSE_WANT(block &&ell_cols);                                                     \
		SPARSE_TRY(get(matrix, CUSPARSE_FORMAT_BLOCKED_ELL, rows, cols, &nnz, &offsets,    \
			       (void **)columns, (void **)values, &offset_type, index_type, base,  \
			       type));                                                             \
		*block = matrix->tall;                                                             \
		*ell_cols = matrix->wide;                                                          \
		return CUSPARSE_STATUS_SUCCESS;                                                    \
	}                                                                                          \
	VGPU_API cusparseStatus_t cusparseCreate##C##SlicedEll(                                    \
		cusparse##C##SpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t nnz,        \
		int64_t values_size, int64_t slice, Q void *offsets, Q void *columns,              \
		Q void *values, cusparseIndexType_t offset_type, cusparseIndexType_t index_type,   \
		cusparseIndexBase_t base, cudaDataType type)                                       \
	{                                                                                          \
		SPARSE_WANT(slice > 0 && values_size >= nnz && (!nnz || offsets));                 \
		return in_blocks((struct cusparseSpMatDescr **)matrix,                             \
				 CUSPARSE_FORMAT_SLICED_ELLPACK, rows, cols, nnz, slice,           \
				 values_size, (void *)offsets, (void *)columns, (void *)values,    \
				 offset_type, index_type, base, type, CUSPARSE_ORDER_COL);         \
	}                                                                                          \
	VGPU_API cusparseStatus_t cusparse##C##SpMatGetValues(cusparse##C##SpMatDescr_t matrix,    \
							      Q void **values)                     \
	{                                                                                          \
		SPARSE_WANT(live_is(matrix, SPARSE_SPMAT) && values);                         \
		*values = matrix->values;                                                          \
		return CUSPARSE_STATUS_SUCCESS;                                                    \
	}
BOTH(, )
BOTH(Const, const)

VGPU_API cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix)
{
	return live_delete(matrix, SPARSE_SPMAT) ? CUSPARSE_STATUS_SUCCESS
						   : CUSPARSE_STATUS_INVALID_VALUE;
}

VGPU_API cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t matrix,
						 cusparseFormat_t *format)
{
	SPARSE_WANT(live_is(matrix, SPARSE_SPMAT) && format);
	*format = matrix->format;
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t matrix,
						    cusparseIndexBase_t *base)
{
	SPARSE_WANT(live_is(matrix, SPARSE_SPMAT) && base);
	*base = matrix->base;
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t matrix, void *values)
{
	SPARSE_WANT(live_is(matrix, SPARSE_SPMAT) && (values || !matrix->nnz));
	matrix->values = values;
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t *rows,
					       int64_t *cols, int64_t *nnz)
{
	SPARSE_WANT(live_is(matrix, SPARSE_SPMAT) && rows && cols && nnz);
	*rows = matrix->rows;
	*cols = matrix->cols;
	*nnz = matrix->format == CUSPARSE_FORMAT_BSR ? matrix->nnz * matrix->tall * matrix->wide
						     : matrix->nnz;
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t matrix, int *count)
{
	SPARSE_WANT(live_is(matrix, SPARSE_SPMAT) && count);
	*count = matrix->count;
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t set_batch(struct cusparseSpMatDescr *m, cusparseFormat_t format, int count,
				  int64_t offsets, int64_t indices, int64_t values)
{
	SPARSE_WANT(live_is(m, SPARSE_SPMAT) && count >= 1);
	SPARSE_WANT(m->format == format && offsets >= 0 && indices >= 0 && values >= 0);
	m->count = count;
	m->offsets_stride = offsets;
	m->indices_stride = indices;
	m->values_stride = values;
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t matrix, int count,
						     int64_t stride)
{
	return set_batch(matrix, CUSPARSE_FORMAT_COO, count, stride, stride, stride);
}

/* CSC has this one too. */
VGPU_API cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t matrix, int count,
						     int64_t offsets_stride, int64_t values_stride)
{
	bool columns = live_is(matrix, SPARSE_SPMAT) && matrix->format == CUSPARSE_FORMAT_CSC;

	return set_batch(matrix, columns ? CUSPARSE_FORMAT_CSC : CUSPARSE_FORMAT_CSR, count,
			 offsets_stride, values_stride, values_stride);
}

VGPU_API cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t matrix, int count,
						     int64_t offsets_stride, int64_t columns_stride,
						     int64_t values_stride)
{
	return set_batch(matrix, CUSPARSE_FORMAT_BSR, count, offsets_stride, columns_stride,
			 values_stride);
}

VGPU_API cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t matrix,
						    cusparseSpMatAttribute_t attribute, void *data,
						    size_t size)
{
	SPARSE_WANT(live_is(matrix, SPARSE_SPMAT) && data && size == sizeof(int));
	SPARSE_WANT((unsigned int)attribute <= 1);
	memcpy(data,
	       attribute == CUSPARSE_SPMAT_FILL_MODE ? (const void *)&matrix->fill
						     : (const void *)&matrix->diag,
	       size);
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t matrix,
						    cusparseSpMatAttribute_t attribute, void *data,
						    size_t size)
{
	unsigned int value;

	SPARSE_WANT(live_is(matrix, SPARSE_SPMAT) && data && size == sizeof(value));
	memcpy(&value, data, size);
	SPARSE_WANT((unsigned int)attribute <= 1 && value <= 1);
	if (attribute == CUSPARSE_SPMAT_FILL_MODE)
		matrix->fill = (cusparseFillMode_t)value;
	else
		matrix->diag = (cusparseDiagType_t)value;
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t set_pointers(struct cusparseSpMatDescr *m, cusparseFormat_t format,
				     void *offsets, void *indices, void *values)
{
	SPARSE_WANT(live_is(m, SPARSE_SPMAT) && m->format == format && offsets);
	SPARSE_WANT(!m->nnz || (indices && values));
	m->offsets = offsets;
	m->indices = indices;
	m->values = values;
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t matrix, void *offsets,
						 void *columns, void *values)
{
	return set_pointers(matrix, CUSPARSE_FORMAT_CSR, offsets, columns, values);
}

VGPU_API cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t matrix, void *offsets,
						 void *indices, void *values)
{
	return set_pointers(matrix, CUSPARSE_FORMAT_CSC, offsets, indices, values);
}

VGPU_API cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t matrix, void *row_indices,
						 void *columns, void *values)
{
	return set_pointers(matrix, CUSPARSE_FORMAT_COO, row_indices, columns, values);
}
