/* SPDX-License-Identifier: MIT */
/*
 * Barriers in shared memory at which threads arrive and wait (mbarrier).
 */
#ifndef VGPU_CUDA_CUDA_AWBARRIER_PRIMITIVES_H
#define VGPU_CUDA_CUDA_AWBARRIER_PRIMITIVES_H

#include "../cuda_runtime.h"

#if defined(__CUDA__) && defined(__cplusplus)

#include <stdint.h>

typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;

#define __VGPU_MB static __device__ __inline__
#define __VGPU_AT(barrier) "r"((unsigned int)__cvta_generic_to_shared(barrier))

static constexpr __host__ __device__ __inline__ uint32_t __mbarrier_maximum_count()
{
	return (1u << 20) - 1;
}

__VGPU_MB void __mbarrier_init(__mbarrier_t *barrier, uint32_t expected_count)
{
	__asm__ volatile("mbarrier.init.shared.b64 [%0], %1;"
			 ::__VGPU_AT(barrier), "r"(expected_count) : "memory");
}

__VGPU_MB void __mbarrier_inval(__mbarrier_t *barrier)
{
	__asm__ volatile("mbarrier.inval.shared.b64 [%0];" ::__VGPU_AT(barrier) : "memory");
}

__VGPU_MB __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier)
{
	unsigned long long token;

	__asm__ volatile("mbarrier.arrive.shared.b64 %0, [%1];"
			 : "=l"(token) : __VGPU_AT(barrier) : "memory");
	return token;
}

__VGPU_MB __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier)
{
	unsigned long long token;

	__asm__ volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];"
			 : "=l"(token) : __VGPU_AT(barrier) : "memory");
	return token;
}

__VGPU_MB bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token)
{
	unsigned int over;

	__asm__ volatile("{\n.reg .pred p;\nmbarrier.test_wait.shared.b64 p, [%1], %2;\n"
			 "selp.b32 %0, 1, 0, p;\n}"
			 : "=r"(over)
			 : __VGPU_AT(barrier), "l"((unsigned long long)token) : "memory");
	return over;
}

__VGPU_MB bool __mbarrier_test_wait_parity(__mbarrier_t *barrier, bool phase_parity)
{
	unsigned int over;

	__asm__ volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n"
			 "selp.b32 %0, 1, 0, p;\n}"
			 : "=r"(over)
			 : __VGPU_AT(barrier), "r"((unsigned int)phase_parity) : "memory");
	return over;
}

/* They may wait for some time, and need not. */
__VGPU_MB bool __mbarrier_try_wait(__mbarrier_t *barrier, __mbarrier_token_t token,
				   uint32_t max_sleep_nanosec)
{
	(void)max_sleep_nanosec;
	return __mbarrier_test_wait(barrier, token);
}

__VGPU_MB bool __mbarrier_try_wait_parity(__mbarrier_t *barrier, bool phase_parity,
					  uint32_t max_sleep_nanosec)
{
	(void)max_sleep_nanosec;
	return __mbarrier_test_wait_parity(barrier, phase_parity);
}

__VGPU_MB uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token)
{
	unsigned int count;

	__asm__("mbarrier.pending_count.b64 %0, %1;"
		: "=r"(count) : "l"((unsigned long long)token));
	return count;
}

#undef __VGPU_AT
#undef __VGPU_MB

#endif
#endif
