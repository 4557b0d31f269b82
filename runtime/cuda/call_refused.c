// SPDX-License-Identifier: MIT
/*
 * CUDA names: what is not supported, said on stderr at the first call of each name, since many
 * programs do not look at the code and fail far away.
 */
#include "absent_calls.h"
#include "refusals.h"
#include "calls.h"

cudaError_t cuda_refuse(bool *said, const char *call, const char *what)
{
	rt_say_refused(said, call, what, "cudaErrorNotSupported");
	return cuda_error(rt_result(vgpuErrorNotSupported));
}

/* The parameters are the callers' business only. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define __dv(value)
#define REFUSED_CALL(what, name, params) \
	cudaError_t name params \
	{ \
		return CUDA_REFUSE(what); \
	}
VGPU_CUDA_REFUSED_CALLS(REFUSED_CALL)

/* Nothing is known of these but the name: whatever is passed is left where it is. */
#define ABSENT_CALL(what, name) \
	__attribute__((visibility("default"))) cudaError_t name(void); \
	cudaError_t name(void) \
	{ \
		return CUDA_REFUSE(what); \
	}
VGPU_CUDA_ABSENT_CALLS(ABSENT_CALL)
