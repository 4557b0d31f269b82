/* SPDX-License-Identifier: MIT */
/* What descriptors of all kinds refuse. */
#ifndef CUSPARSE_DESCRIPTORS_H
#define CUSPARSE_DESCRIPTORS_H

#include "objects.h"

/* INDEX can number LIMIT things, with the base; TYPE is one of those that values have. */
static inline cusparseStatus_t sparse_good_index(cusparseIndexType_t index, int64_t limit,
						 cusparseIndexBase_t base, cudaDataType type)
{
	if (index == CUSPARSE_INDEX_16U || !sparse_size(type))
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	SPARSE_WANT(index == CUSPARSE_INDEX_32I || index == CUSPARSE_INDEX_64I);
	SPARSE_WANT((unsigned int)base <= 1);
	SPARSE_WANT(index == CUSPARSE_INDEX_64I || limit <= INT32_MAX - (int64_t)base);
	return CUSPARSE_STATUS_SUCCESS;
}

#endif
