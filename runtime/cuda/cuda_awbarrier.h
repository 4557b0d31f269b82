/* SPDX-License-Identifier: MIT */
/*
 * nvcuda::experimental::awbarrier, which came before cuda::barrier: cuda_awbarrier_primitives.h as
 * a class.
 */
#ifndef VGPU_CUDA_CUDA_AWBARRIER_H
#define VGPU_CUDA_CUDA_AWBARRIER_H

#include "cuda_awbarrier_primitives.h"

#if defined(__CUDA__) && defined(__cplusplus)

namespace nvcuda
{
namespace experimental
{

class awbarrier {
	mutable __mbarrier_t barrier_;

public:
	class arrival_token {
		__mbarrier_token_t token_;
		friend class awbarrier;

	public:
		arrival_token() = default;
		explicit __device__ arrival_token(__mbarrier_token_t token) : token_(token) {}
		__device__ uint32_t pending_count() const
		{
			return __mbarrier_token_pending_count(token_);
		}
	};

	awbarrier() = default;
	awbarrier(const awbarrier &) = delete;
	awbarrier &operator=(const awbarrier &) = delete;

	__device__ arrival_token arrive() { return arrival_token(__mbarrier_arrive(&barrier_)); }
	__device__ arrival_token arrive_and_drop()
	{
		return arrival_token(__mbarrier_arrive_and_drop(&barrier_));
	}
	__device__ bool timed_wait(arrival_token token, uint32_t)
	{
		return __mbarrier_test_wait(&barrier_, token.token_);
	}
	__device__ bool timed_wait_parity(bool phase, uint32_t)
	{
		return __mbarrier_test_wait_parity(&barrier_, phase);
	}
	__device__ bool try_wait(arrival_token token, uint32_t = 0)
	{
		return __mbarrier_test_wait(&barrier_, token.token_);
	}
	__device__ void wait(arrival_token token)
	{
		while (!__mbarrier_test_wait(&barrier_, token.token_))
			;
	}
	__device__ void arrive_and_wait() { wait(arrive()); }
	__device__ __mbarrier_t *__vgpu_barrier() { return &barrier_; }
	static constexpr __host__ __device__ uint32_t max() { return __mbarrier_maximum_count(); }
};

static __device__ __inline__ void init(awbarrier *barrier, uint32_t expected_count)
{
	__mbarrier_init(barrier->__vgpu_barrier(), expected_count);
}

static __device__ __inline__ void inval(awbarrier *barrier)
{
	__mbarrier_inval(barrier->__vgpu_barrier());
}

}
}

#endif
#endif
