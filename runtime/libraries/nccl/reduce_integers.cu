// SPDX-License-Identifier: MIT
/*
 * Reductions of integers, and which file a type is in.
 */
#include "reduce.h"

#define INTEGERS(CASE)                 \
	CASE(ncclInt8, signed char)    \
	CASE(ncclUint8, unsigned char) \
	CASE(ncclInt32, int)           \
	CASE(ncclUint32, unsigned int) \
	CASE(ncclInt64, long long)     \
	CASE(ncclUint64, unsigned long long)
NCCL_KIND(integers, INTEGERS)

cudaError_t nccl_reduce(cudaStream_t stream, ncclDataType_t type, const nccl_reduction *r)
{
	if (type <= ncclUint64)
		return nccl::reduce_integers(stream, type, *r);
	if (type == ncclFloat32 || type == ncclFloat64)
		return nccl::reduce_floats(stream, type, *r);
	return nccl::reduce_small(stream, type, *r);
}

cudaError_t nccl_scale(cudaStream_t stream, ncclDataType_t type, void *to, const void *from,
		       size_t count, const nccl_made_op *factor)
{
	if (type <= ncclUint64)
		return nccl::scale_integers(stream, type, to, from, count, *factor);
	if (type == ncclFloat32 || type == ncclFloat64)
		return nccl::scale_floats(stream, type, to, from, count, *factor);
	return nccl::scale_small(stream, type, to, from, count, *factor);
}
