// SPDX-License-Identifier: MIT
/*
 * cufftXt: types by name, halves among them, and memory descriptors, of one device.
 */
#include <cufftXt.h>
#include <stdlib.h>

#include "plan.h"

/* ---- plans */

static cufftResult problem_of(struct fft_problem *p, cudaDataType in, cudaDataType out,
			      cudaDataType executed)
{
	static const struct {
		cudaDataType complex, real;
		enum fft_precision precision;
	} types[] = {
		{ CUDA_C_32F, CUDA_R_32F, FFT_FLOAT },
		{ CUDA_C_64F, CUDA_R_64F, FFT_DOUBLE },
		{ CUDA_C_16F, CUDA_R_16F, FFT_HALF },
	};

	static unsigned char told;

	*p = (struct fft_problem){ 0 };
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (executed != types[i].complex)
			continue;
		p->precision = types[i].precision;
		if (in == types[i].complex && out == types[i].complex)
			p->form = FFT_C2C;
		else if (in == types[i].real && out == types[i].complex)
			p->form = FFT_R2C;
		else if (in == types[i].complex && out == types[i].real)
			p->form = FFT_C2R;
		else
			return CUFFT_INVALID_TYPE;
		return CUFFT_SUCCESS;
	}
	if (executed == CUDA_C_16BF)
		return vgpu_library_refuse("libcufft", "cufftXtMakePlanMany",
					   "there are no transforms of bfloat16 numbers",
					   CUFFT_NOT_SUPPORTED, &told);
	return CUFFT_INVALID_TYPE;
}

VGPU_API cufftResult cufftXtMakePlanMany(cufftHandle handle, int rank, long long int *n,
					 long long int *inembed, long long int istride,
					 long long int idist, cudaDataType in,
					 long long int *onembed, long long int ostride,
					 long long int odist, cudaDataType out,
					 long long int batch, size_t *bytes, cudaDataType executed)
{
	struct fft_plan *plan = fft_plan_of(handle);
	struct fft_problem problem;
	cufftResult status;

	if (!plan)
		return CUFFT_INVALID_PLAN;
	status = problem_of(&problem, in, out, executed);
	if (status == CUFFT_SUCCESS)
		status = fft_describe(&problem, rank, n, inembed, istride, idist, onembed, ostride,
				      odist, batch);
	return status == CUFFT_SUCCESS ? fft_make(plan, &problem, bytes) : status;
}

VGPU_API cufftResult cufftXtGetSizeMany(cufftHandle handle, int rank, long long int *n,
					long long int *inembed, long long int istride,
					long long int idist, cudaDataType in,
					long long int *onembed, long long int ostride,
					long long int odist, cudaDataType out, long long int batch,
					size_t *bytes, cudaDataType executed)
{
	struct fft_problem problem;
	cufftResult status;

	if (!fft_plan_of(handle))
		return CUFFT_INVALID_PLAN;
	status = problem_of(&problem, in, out, executed);
	if (status == CUFFT_SUCCESS)
		status = fft_describe(&problem, rank, n, inembed, istride, idist, onembed, ostride,
				      odist, batch);
	return status == CUFFT_SUCCESS ? fft_size(&problem, bytes) : status;
}

/* The direction matters of complex numbers only. */
static cufftResult execute(cufftHandle handle, const void *in, void *out, int direction)
{
	struct fft_plan *plan = fft_plan_of(handle);

	if (!plan || !plan->made)
		return CUFFT_INVALID_PLAN;
	if (plan->problem.form == FFT_R2C)
		direction = CUFFT_FORWARD;
	if (plan->problem.form == FFT_C2R)
		direction = CUFFT_INVERSE;
	return fft_execute(plan, in, out, direction);
}

VGPU_API cufftResult cufftXtExec(cufftHandle handle, void *in, void *out, int direction)
{
	return execute(handle, in, out, direction);
}

/* Whatever the limit is: there is one way to do a transform. */
VGPU_API cufftResult cufftXtSetWorkAreaPolicy(cufftHandle handle, cufftXtWorkAreaPolicy policy,
					      size_t *bytes)
{
	struct fft_plan *plan = fft_plan_of(handle);

	if (!plan)
		return CUFFT_INVALID_PLAN;
	switch (policy) {
	case CUFFT_WORKAREA_MINIMAL:
	case CUFFT_WORKAREA_PERFORMANCE:
		break;
	case CUFFT_WORKAREA_USER:
		if (!bytes)
			return CUFFT_INVALID_VALUE;
		if (plan->made && *bytes < plan->work_size)
			return CUFFT_INVALID_SIZE;
		break;
	default:
		return CUFFT_INVALID_VALUE;
	}
	if (bytes && plan->made)
		*bytes = plan->work_size;
	return CUFFT_SUCCESS;
}

VGPU_API cufftResult cufftXtSetWorkArea(cufftHandle handle, void **area)
{
	return area ? cufftSetWorkArea(handle, *area) : CUFFT_INVALID_VALUE;
}

/* How a line lies on several devices, which no plan here has. */
VGPU_API cufftResult cufftXtQueryPlan(cufftHandle handle, void *query, cufftXtQueryType type)
{
	(void)query;
	(void)type;
	if (!fft_plan_of(handle))
		return CUFFT_INVALID_PLAN;
	return VGPU_REFUSE("libcufft", "a plan of one device has no factors to tell",
			   CUFFT_NOT_SUPPORTED);
}

/* ---- descriptors */

VGPU_API cufftResult cufftXtSetGPUs(cufftHandle handle, int count, int *which)
{
	struct fft_plan *plan = fft_plan_of(handle);
	int devices;

	if (!plan || plan->made)
		return CUFFT_INVALID_PLAN;
	if (count < 1 || !which)
		return CUFFT_INVALID_VALUE;
	if (cudaGetDeviceCount(&devices) != cudaSuccess)
		return CUFFT_SETUP_FAILED;
	for (int i = 0; i < count; i++)
		if (which[i] < 0 || which[i] >= devices)
			return CUFFT_INVALID_DEVICE;
	if (count > 1)
		return VGPU_REFUSE("libcufft", "plans are of one device: pass one number",
				   CUFFT_NOT_SUPPORTED);
	plan->device = which[0];
	return CUFFT_SUCCESS;
}

/* Bytes of a side, from the first element to the last. */
static size_t bytes_of(const struct fft_problem *p, bool out)
{
	static const size_t sizes[] = { 4, 8, 2 };
	bool real = p->form == (out ? FFT_C2R : FFT_R2C);
	long long last = 0;

	for (int i = 0; i < p->batches; i++)
		last += (p->batch[i].count - 1) * (out ? p->batch[i].out : p->batch[i].in);
	for (int i = 0; i < p->rank; i++) {
		long long count = p->n[i];

		if (i == p->rank - 1 && p->form != FFT_C2C && !real)
			count = count / 2 + 1;
		last += (count - 1) * (out ? p->axis[i].out : p->axis[i].in);
	}
	return (size_t)(last + 1) * sizes[p->precision] * (real ? 1 : 2);
}

VGPU_API cufftResult cufftXtMalloc(cufftHandle handle, cudaLibXtDesc **descriptor,
				   cufftXtSubFormat format)
{
	struct fft_plan *plan = fft_plan_of(handle);
	size_t in, out, bytes;
	cudaLibXtDesc *made;
	cufftResult status;
	int current;

	if (!plan || !plan->made)
		return CUFFT_INVALID_PLAN;
	if (!descriptor || (unsigned int)format > CUFFT_XT_FORMAT_INPLACE_SHUFFLED)
		return CUFFT_INVALID_VALUE;
	in = bytes_of(&plan->problem, false);
	out = bytes_of(&plan->problem, true);
	bytes = format == CUFFT_XT_FORMAT_INPUT ? in : out;
	if (format >= CUFFT_XT_FORMAT_INPLACE && in > bytes)
		bytes = in;
	made = calloc(1, sizeof(*made));
	if (made)
		made->descriptor = calloc(1, sizeof(*made->descriptor));
	if (!made || !made->descriptor) {
		free(made);
		return CUFFT_ALLOC_FAILED;
	}
	made->version = made->descriptor->version = CUDA_XT_DESCRIPTOR_VERSION;
	made->library = LIB_FORMAT_CUFFT;
	made->subFormat = format;
	made->descriptor->nGPUs = 1;
	made->descriptor->GPUs[0] = plan->device;
	made->descriptor->size[0] = bytes;
	if (cudaGetDevice(&current) != cudaSuccess || cudaSetDevice(plan->device) != cudaSuccess) {
		status = CUFFT_EXEC_FAILED;
	} else {
		status = fft_status(cudaMalloc(&made->descriptor->data[0], bytes));
		cudaSetDevice(current);
	}
	if (status == CUFFT_SUCCESS) {
		*descriptor = made;
	} else {
		free(made->descriptor);
		free(made);
	}
	return status;
}

static bool is_descriptor(const cudaLibXtDesc *d)
{
	return d && d->library == LIB_FORMAT_CUFFT && d->descriptor && d->descriptor->nGPUs == 1;
}

VGPU_API cufftResult cufftXtFree(cudaLibXtDesc *descriptor)
{
	cufftResult status;

	if (!descriptor)
		return CUFFT_SUCCESS;
	if (!is_descriptor(descriptor))
		return CUFFT_INVALID_VALUE;
	status = fft_status(cudaFree(descriptor->descriptor->data[0]));
	free(descriptor->descriptor);
	free(descriptor);
	return status;
}

VGPU_API cufftResult cufftXtMemcpy(cufftHandle handle, void *to, void *from, cufftXtCopyType type)
{
	struct fft_plan *plan = fft_plan_of(handle);
	cudaLibXtDesc *source = from, *target = to;
	size_t bytes;

	if (!plan || !plan->made)
		return CUFFT_INVALID_PLAN;
	if (!to || !from)
		return CUFFT_INVALID_VALUE;
	if ((type != CUFFT_COPY_HOST_TO_DEVICE && !is_descriptor(source)) ||
	    (type != CUFFT_COPY_DEVICE_TO_HOST && !is_descriptor(target)))
		return CUFFT_INVALID_VALUE;
	switch (type) {
	case CUFFT_COPY_HOST_TO_DEVICE:
		to = target->descriptor->data[0];
		bytes = target->descriptor->size[0];
		break;
	case CUFFT_COPY_DEVICE_TO_HOST:
		from = source->descriptor->data[0];
		bytes = source->descriptor->size[0];
		break;
	case CUFFT_COPY_DEVICE_TO_DEVICE:
		to = target->descriptor->data[0];
		from = source->descriptor->data[0];
		bytes = source->descriptor->size[0];
		if (target->descriptor->size[0] < bytes)
			bytes = target->descriptor->size[0];
		break;
	default:
		return CUFFT_INVALID_VALUE;
	}
	return fft_status(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

/* A transform in place ends where its own format says: of one device in the order of the input. */
static cufftResult execute_descriptor(cufftHandle handle, int form, int precision,
				      cudaLibXtDesc *in, cudaLibXtDesc *out, int direction)
{
	struct fft_plan *plan = fft_plan_of(handle);

	if (!plan || !plan->made)
		return CUFFT_INVALID_PLAN;
	if (form >= 0 && ((int)plan->problem.form != form ||
			  (int)plan->problem.precision != precision))
		return CUFFT_INVALID_TYPE;
	if (!is_descriptor(in) || !is_descriptor(out))
		return CUFFT_INVALID_VALUE;
	return execute(handle, in->descriptor->data[0], out->descriptor->data[0], direction);
}

VGPU_API cufftResult cufftXtExecDescriptor(cufftHandle handle, cudaLibXtDesc *in,
					   cudaLibXtDesc *out, int direction)
{
	return execute_descriptor(handle, -1, 0, in, out, direction);
}

#define EXEC_DIRECTED(name, form, precision)                                          \
	VGPU_API cufftResult name(cufftHandle handle, cudaLibXtDesc *in,              \
				  cudaLibXtDesc *out, int direction)                  \
	{                                                                             \
		return execute_descriptor(handle, form, precision, in, out, direction); \
	}
#define EXEC(name, form, precision)                                                         \
	VGPU_API cufftResult name(cufftHandle handle, cudaLibXtDesc *in, cudaLibXtDesc *out) \
	{                                                                                   \
		return execute_descriptor(handle, form, precision, in, out, CUFFT_FORWARD); \
	}
EXEC_DIRECTED(cufftXtExecDescriptorC2C, FFT_C2C, FFT_FLOAT)
EXEC_DIRECTED(cufftXtExecDescriptorZ2Z, FFT_C2C, FFT_DOUBLE)
EXEC(cufftXtExecDescriptorR2C, FFT_R2C, FFT_FLOAT)
EXEC(cufftXtExecDescriptorC2R, FFT_C2R, FFT_FLOAT)
EXEC(cufftXtExecDescriptorD2Z, FFT_R2C, FFT_DOUBLE)
EXEC(cufftXtExecDescriptorZ2D, FFT_C2R, FFT_DOUBLE)
