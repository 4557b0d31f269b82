// SPDX-License-Identifier: MIT
/*
 * Plans are executed: kernels in the plan's stream, and nothing waits.
 */
#include <stdint.h>

#include "place.h"
#include "plan.h"

cufftResult fft_status(cudaError_t error)
{
	switch (error) {
	case cudaSuccess:
		return CUFFT_SUCCESS;
	case cudaErrorMemoryAllocation:
		/* told by the status: no later launch of the program's is to find it */
		cudaGetLastError();
		return CUFFT_ALLOC_FAILED;
	default:
		return CUFFT_EXEC_FAILED;
	}
}

/* Of the side that is real in transforms of this form */
static size_t alignment(const struct fft_problem *p, enum fft_form form)
{
	static const size_t sizes[] = { 4, 8, 2 };

	return sizes[p->precision] * (p->form == form || p->precision == FFT_HALF ? 1 : 2);
}

cufftResult fft_execute(struct fft_plan *plan, const void *in, void *out, int direction)
{
	const struct fft_steps *steps = &plan->steps;
	bool inverse = direction == CUFFT_INVERSE;
	void *places[FFT_PLACES] = { [FFT_OUT] = out, [FFT_WORK] = plan->work };
	cudaError_t error = cudaSuccess;
	fft_run *run;
	int device;

	if (!plan->made)
		return CUFFT_INVALID_PLAN;
	if (!in || !out || (direction != CUFFT_FORWARD && !inverse))
		return CUFFT_INVALID_VALUE;
	if ((uintptr_t)in % alignment(&plan->problem, FFT_R2C) ||
	    (uintptr_t)out % alignment(&plan->problem, FFT_C2R))
		return CUFFT_UNALIGNED_DATA;
	if (plan->work_size && !plan->work)
		return CUFFT_NO_WORKSPACE;
	if (cudaGetDevice(&device) != cudaSuccess)
		return CUFFT_EXEC_FAILED;
	if (device != plan->device || !place_is_here(plan->tables.device) ||
	    !place_is_here(plan->own_work))
		return CUFFT_INVALID_DEVICE;
	if (in == out && plan->in_place.count)
		steps = &plan->in_place;
	places[FFT_WORK2] = (char *)plan->work + steps->work[0];
	for (int i = 0; i < steps->count && error == cudaSuccess; i++) {
		const struct fft_step *s = &steps->step[i];
		const void *from = s->from == FFT_IN ? in : places[s->from];
		struct fft_pass pass = s->pass;

		if (!i)
			pass.in.swap ^= inverse;
		if (i == steps->count - 1)
			pass.out.swap ^= inverse;
		if (plan->problem.precision == FFT_DOUBLE)
			run = s->mixed ? fft_run_double_mixed : fft_run_double;
		else
			run = s->mixed ? fft_run_float_mixed : fft_run_float;
		error = run(&pass, &s->constants, from, places[s->to], plan->stream);
	}
	return fft_status(error);
}

static cufftResult execute(cufftHandle handle, enum fft_form form, enum fft_precision precision,
			   const void *in, void *out, int direction)
{
	struct fft_plan *plan = fft_plan_of(handle);

	if (!plan || !plan->made)
		return CUFFT_INVALID_PLAN;
	if (plan->problem.form != form || plan->problem.precision != precision)
		return CUFFT_INVALID_TYPE;
	return fft_execute(plan, in, out, direction);
}

VGPU_API cufftResult cufftExecC2C(cufftHandle handle, cufftComplex *in, cufftComplex *out,
				  int direction)
{
	return execute(handle, FFT_C2C, FFT_FLOAT, in, out, direction);
}

VGPU_API cufftResult cufftExecR2C(cufftHandle handle, cufftReal *in, cufftComplex *out)
{
	return execute(handle, FFT_R2C, FFT_FLOAT, in, out, CUFFT_FORWARD);
}

VGPU_API cufftResult cufftExecC2R(cufftHandle handle, cufftComplex *in, cufftReal *out)
{
	return execute(handle, FFT_C2R, FFT_FLOAT, in, out, CUFFT_INVERSE);
}

VGPU_API cufftResult cufftExecZ2Z(cufftHandle handle, cufftDoubleComplex *in,
				  cufftDoubleComplex *out, int direction)
{
	return execute(handle, FFT_C2C, FFT_DOUBLE, in, out, direction);
}

VGPU_API cufftResult cufftExecD2Z(cufftHandle handle, cufftDoubleReal *in, cufftDoubleComplex *out)
{
	return execute(handle, FFT_R2C, FFT_DOUBLE, in, out, CUFFT_FORWARD);
}

VGPU_API cufftResult cufftExecZ2D(cufftHandle handle, cufftDoubleComplex *in, cufftDoubleReal *out)
{
	return execute(handle, FFT_C2R, FFT_DOUBLE, in, out, CUFFT_INVERSE);
}
