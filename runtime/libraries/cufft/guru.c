// SPDX-License-Identifier: MIT
/*
 * Plans with strides of their own for each dimension, which libcufftw makes. No header of cuFFT's
 * has this function.
 */
#include "plan.h"

cufftResult cufftXtMakePlanGuru64(cufftHandle handle, int rank, const struct fft_dim *axis,
				  int batches, const struct fft_dim *batch, cufftType type,
				  size_t *bytes);

VGPU_API cufftResult cufftXtMakePlanGuru64(cufftHandle handle, int rank, const struct fft_dim *axis,
					   int batches, const struct fft_dim *batch, cufftType type,
					   size_t *bytes)
{
	struct fft_plan *plan = fft_plan_of(handle);
	struct fft_problem p;
	long long elements = 1;
	cufftResult status;

	if (!plan)
		return CUFFT_INVALID_PLAN;
	status = fft_type(type, &p);
	if (status != CUFFT_SUCCESS)
		return status;
	if (rank < 1 || rank > FFT_MOST_RANK || batches < 0 || batches > FFT_MOST_BATCHES)
		return CUFFT_NOT_SUPPORTED;
	if (!axis || (batches && !batch))
		return CUFFT_INVALID_VALUE;
	p.rank = rank;
	p.batches = batches;
	for (int i = 0; i < rank + batches; i++) {
		const struct fft_dim *d = i < rank ? &axis[i] : &batch[i - rank];

		if (d->count < 1 || __builtin_mul_overflow(elements, d->count + 1, &elements))
			return CUFFT_INVALID_SIZE;
		if (i < rank) {
			p.n[i] = d->count;
			p.axis[i] = *d;
		} else {
			p.batch[i - rank] = *d;
		}
	}
	return fft_make(plan, &p, bytes);
}
