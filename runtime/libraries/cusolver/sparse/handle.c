// SPDX-License-Identifier: MIT
/* Handles of the sparse part, and what descriptors of cuSPARSE say. */
#include "sparse.h"

#include <dlfcn.h>
#include <stdlib.h>

VGPU_API cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle)
{
	return solver_create((void **)handle, sizeof(**handle), SOLVER_SP);
}

VGPU_API cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle)
{
	return live_delete(handle, SOLVER_SP) ? CUSOLVER_STATUS_SUCCESS
						: CUSOLVER_STATUS_NOT_INITIALIZED;
}

VGPU_API cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t stream)
{
	SOLVER_ALIVE(handle, SOLVER_SP);
	handle->handle.stream = stream;
	return CUSOLVER_STATUS_SUCCESS;
}

VGPU_API cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t *stream)
{
	SOLVER_ALIVE(handle, SOLVER_SP);
	SOLVER_WANT(stream);
	*stream = handle->handle.stream;
	return CUSOLVER_STATUS_SUCCESS;
}

/*
 * The descriptor was made by the cuSPARSE that the program has: libcusolver.so.11 goes with version
 * 11 and with 12 of it, so none is named when this library is linked.
 */
int sparse_base(const cusparseMatDescr_t a, const char *function)
{
	static const char *const names[] = {"libcusparse.so.12", "libcusparse.so.11"};
	cusparseIndexBase_t (*base_of)(const cusparseMatDescr_t) =
		(cusparseIndexBase_t(*)(const cusparseMatDescr_t))dlsym(RTLD_DEFAULT,
									"cusparseGetMatIndexBase");

	for (unsigned int i = 0; !base_of && i < 2; i++) {
		void *library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);

		if (library)
			base_of = (cusparseIndexBase_t(*)(const cusparseMatDescr_t))dlsym(
				library, "cusparseGetMatIndexBase");
	}
	if (!a)
		return -1;
	if (!base_of) {
		solver_say(function, "the matrix has a descriptor, but cuSPARSE is not loaded");
		return -1;
	}
	return base_of(a) == CUSPARSE_INDEX_BASE_ONE;
}

bool sparse_pattern(int m, int n, int nnz, int base, const int *offsets, const int *columns)
{
	if (m < 0 || n < 0 || nnz < 0 || base < 0 || !offsets || (nnz && !columns))
		return false;
	if (offsets[0] != base || offsets[m] - base != nnz)
		return false;
	for (int i = 0; i < m; i++)
		if (offsets[i] > offsets[i + 1])
			return false;
	for (int e = 0; e < nnz; e++)
		if (columns[e] < base || columns[e] - base >= n)
			return false;
	return true;
}
