// SPDX-License-Identifier: MIT
/*
 * Plans are made, and their sizes told.
 */
#include <string.h>

#include "plan.h"

static size_t work_of(const struct fft_steps *steps)
{
	return steps->work[0] + steps->work[1];
}

/* Both sets of passes: IN_PLACE has none if it would be the same. */
static cufftResult steps_of(const struct fft_problem *problem, struct fft_tables *tables,
			    struct fft_steps *steps, struct fft_steps *in_place, size_t *work)
{
	cufftResult status = fft_make_steps(problem, tables, steps);

	memset(in_place, 0, sizeof(*in_place));
	if (status == CUFFT_SUCCESS && problem->basic && problem->form != FFT_C2C) {
		struct fft_problem padded = fft_padded(problem);

		status = fft_make_steps(&padded, tables, in_place);
		if (status != CUFFT_SUCCESS)
			fft_drop_steps(steps);
	}
	if (status == CUFFT_SUCCESS) {
		*work = work_of(steps);
		if (in_place->count && work_of(in_place) > *work)
			*work = work_of(in_place);
	}
	return status;
}

cufftResult fft_size(const struct fft_problem *problem, size_t *bytes)
{
	struct fft_steps steps, in_place;
	cufftResult status;

	if (!bytes)
		return CUFFT_INVALID_VALUE;
	status = steps_of(problem, NULL, &steps, &in_place, bytes);
	if (status == CUFFT_SUCCESS) {
		fft_drop_steps(&steps);
		fft_drop_steps(&in_place);
	}
	return status;
}

cufftResult fft_make(struct fft_plan *plan, const struct fft_problem *problem, size_t *bytes)
{
	cufftResult status;
	int device;

	if (plan->made)
		return CUFFT_INVALID_PLAN;
	if (cudaGetDevice(&device) != cudaSuccess)
		return CUFFT_SETUP_FAILED;
	if (device != plan->device)
		return CUFFT_INVALID_DEVICE;
	plan->tables.precision = problem->precision;
	status = steps_of(problem, &plan->tables, &plan->steps, &plan->in_place,
			  &plan->work_size);
	if (status == CUFFT_SUCCESS)
		status = fft_tables_upload(&plan->tables);
	if (status == CUFFT_SUCCESS && !plan->no_allocation && !plan->work && plan->work_size) {
		status = fft_status(cudaMalloc(&plan->own_work, plan->work_size));
		if (status != CUFFT_SUCCESS)
			plan->own_work = NULL;
		plan->work = plan->own_work;
	}
	if (status != CUFFT_SUCCESS) {
		fft_drop_steps(&plan->steps);
		fft_drop_steps(&plan->in_place);
		fft_tables_drop(&plan->tables);
		return status;
	}
	fft_tables_attach(&plan->tables, &plan->steps);
	fft_tables_attach(&plan->tables, &plan->in_place);
	plan->problem = *problem;
	plan->made = true;
	if (bytes)
		*bytes = plan->work_size;
	return CUFFT_SUCCESS;
}

VGPU_API cufftResult cufftGetSize(cufftHandle handle, size_t *bytes)
{
	struct fft_plan *plan = fft_plan_of(handle);

	if (!plan)
		return CUFFT_INVALID_PLAN;
	if (!bytes)
		return CUFFT_INVALID_VALUE;
	*bytes = plan->work_size;
	return CUFFT_SUCCESS;
}

VGPU_API cufftResult cufftSetAutoAllocation(cufftHandle handle, int automatic)
{
	struct fft_plan *plan = fft_plan_of(handle);

	if (!plan)
		return CUFFT_INVALID_PLAN;
	plan->no_allocation = !automatic;
	return CUFFT_SUCCESS;
}

VGPU_API cufftResult cufftSetWorkArea(cufftHandle handle, void *area)
{
	struct fft_plan *plan = fft_plan_of(handle);

	if (!plan)
		return CUFFT_INVALID_PLAN;
	if (!area && plan->work_size)
		return CUFFT_INVALID_VALUE;
	if (plan->own_work)
		cudaFree(plan->own_work);
	plan->own_work = NULL;
	plan->work = area;
	return CUFFT_SUCCESS;
}

VGPU_API cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream)
{
	struct fft_plan *plan = fft_plan_of(handle);

	if (!plan)
		return CUFFT_INVALID_PLAN;
	plan->stream = stream;
	return CUFFT_SUCCESS;
}
