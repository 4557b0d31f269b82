// SPDX-License-Identifier: MIT
/* Descriptors of matrices that are given by pointers. */
#include "objects.h"

VGPU_API cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descr)
{
	SPARSE_WANT(descr);
	*descr = live_new(sizeof(**descr), SPARSE_DESCR);
	return *descr ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

VGPU_API cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr)
{
	return live_delete(descr, SPARSE_DESCR) ? CUSPARSE_STATUS_SUCCESS
						  : CUSPARSE_STATUS_INVALID_VALUE;
}

VGPU_API cusparseStatus_t cusparseCopyMatDescr(cusparseMatDescr_t to, const cusparseMatDescr_t from)
{
	SPARSE_WANT(live_is(to, SPARSE_DESCR) && live_is(from, SPARSE_DESCR));
	to->type = from->type;
	to->fill = from->fill;
	to->diag = from->diag;
	to->base = from->base;
	return CUSPARSE_STATUS_SUCCESS;
}

/* What is no descriptor has the values of a new one. */
#define SETTING(name, type_, field, most)                                                      \
	VGPU_API cusparseStatus_t cusparseSet##name(cusparseMatDescr_t descr, type_ value)     \
	{                                                                                      \
		SPARSE_WANT(live_is(descr, SPARSE_DESCR) && (unsigned int)value <= most); \
		descr->field = value;                                                          \
		return CUSPARSE_STATUS_SUCCESS;                                                \
	}                                                                                      \
	VGPU_API type_ cusparseGet##name(const cusparseMatDescr_t descr)                       \
	{                                                                                      \
		return live_is(descr, SPARSE_DESCR) ? descr->field : (type_)0;            \
	}
SETTING(MatType, cusparseMatrixType_t, type, 3)
SETTING(MatFillMode, cusparseFillMode_t, fill, 1)
SETTING(MatDiagType, cusparseDiagType_t, diag, 1)
SETTING(MatIndexBase, cusparseIndexBase_t, base, 1)
