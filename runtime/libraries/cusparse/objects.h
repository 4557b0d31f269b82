/* SPDX-License-Identifier: MIT */
/*
 * What the library makes for programs: handles, descriptors, plans. All live ones are in one table,
 * with their kinds: what is not there is refused, whatever memory it points to. For C and C++.
 */
#ifndef CUSPARSE_OBJECTS_H
#define CUSPARSE_OBJECTS_H

#include "cusparse.h"
#include "live.h"
#include "refuse.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sparse_kind {
	SPARSE_HANDLE = 1,
	SPARSE_DESCR,
	SPARSE_SPVEC,
	SPARSE_DNVEC,
	SPARSE_SPMAT,
	SPARSE_DNMAT,
	SPARSE_SPSV,
	SPARSE_SPSM,
	SPARSE_SPGEMM,
	SPARSE_CSRSV2,
	SPARSE_CSRSM2,
	SPARSE_CSRIC02,
	SPARSE_CSRILU02
};

struct cusparseContext {
	struct live_object object;
	int device;
	cudaStream_t stream;
	cusparsePointerMode_t mode;
};

struct cusparseMatDescr {
	struct live_object object;
	cusparseMatrixType_t type;
	cusparseFillMode_t fill;
	cusparseDiagType_t diag;
	cusparseIndexBase_t base;
};

struct cusparseSpVecDescr {
	struct live_object object;
	int64_t size, nnz;
	void *indices, *values;
	cusparseIndexType_t index_type;
	cusparseIndexBase_t base;
	cudaDataType type;
};

struct cusparseDnVecDescr {
	struct live_object object;
	int64_t size;
	void *values;
	cudaDataType type;
};

struct cusparseDnMatDescr {
	struct live_object object;
	int64_t rows, cols, ld;
	void *values;
	cudaDataType type;
	cusparseOrder_t order;
	int count;
	int64_t stride;
};

struct cusparseSpMatDescr {
	struct live_object object;
	cusparseFormat_t format;
	int64_t rows, cols; /* of elements */
	int64_t nnz; /* entries; of BSR: blocks */
	/* COO: the rows of entries. Blocked ELL: none. */
	void *offsets;
	void *indices, *values;
	cusparseIndexType_t offset_type, index_type;
	cusparseIndexBase_t base;
	cudaDataType type;
	int64_t tall,
		wide; /* BSR: of a block; blocked ELL: block and columns; sliced: slice, values */
	cusparseOrder_t order; /* BSR: in blocks */
	cusparseFillMode_t fill;
	cusparseDiagType_t diag;
	int count;
	int64_t offsets_stride, indices_stride, values_stride;
};

/* SUCCESS, or what is wrong with the handle; the calling thread's device must be the handle's. */
cusparseStatus_t sparse_check(cusparseHandle_t handle, const char *function);
#define sparse_say(function, what) say_once("libcusparse", function, what)
cusparseStatus_t sparse_status(cudaError_t error);
/* 0: a type that no function takes */
size_t sparse_size(cudaDataType type);
/* NOT_SUPPORTED, and a line, where the stream is captured: before a function that waits begins */
cusparseStatus_t sparse_can_wait(cusparseHandle_t handle, const char *function);
/* What is in device memory or managed, for the host, when the stream has come there. */
cusparseStatus_t sparse_bring(cusparseHandle_t handle, void *to, const void *from, size_t bytes,
			      const char *function);

#define SPARSE_TRY(call)                                \
	do {                                            \
		cusparseStatus_t status_ = (call);      \
		if (status_ != CUSPARSE_STATUS_SUCCESS) \
			return status_;                 \
	} while (0)
#define SPARSE_WANT(condition)                                \
	do {                                                  \
		if (!(condition))                             \
			return CUSPARSE_STATUS_INVALID_VALUE; \
	} while (0)
#define SPARSE_ALIVE(handle)                                    \
	do {                                                    \
		if (!live_is(handle, SPARSE_HANDLE))            \
			return CUSPARSE_STATUS_NOT_INITIALIZED; \
	} while (0)
#define SPARSE_CHECK(handle) SPARSE_TRY(sparse_check(handle, __func__))

#ifdef __cplusplus
}
#endif

#endif
