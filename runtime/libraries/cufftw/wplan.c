// SPDX-License-Identifier: MIT
/*
 * FFTW's plans. An array of the host is copied to the device and back, with all that lies between
 * its elements; one that the device reaches is used where it is.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wplan.h"

struct wplan {
	cufftType type;
	cufftHandle plan;
	int rank, batch_rank, sign;
	fftw_iodim64 dims[FFTW_MOST_RANK], batch[FFTW_MOST_RANK];
	void *in, *out;
};

static void complain(const char *call, const char *what)
{
	fprintf(stderr, "vgpu: libcufftw: %s: %s\n", call, what);
}

static bool is_real(cufftType type, bool out)
{
	return out ? type == CUFFT_C2R || type == CUFFT_Z2D :
		     type == CUFFT_R2C || type == CUFFT_D2Z;
}

static bool is_complex(cufftType type)
{
	return type == CUFFT_C2C || type == CUFFT_Z2Z;
}

static size_t element_bytes(cufftType type, bool out)
{
	return (type & 0x40 ? 8 : 4) * (is_real(type, out) ? 1 : 2);
}

void *fftw_new_guru(const char *call, cufftType type, int rank, const fftw_iodim64 *dims,
		    int batch_rank, const fftw_iodim64 *batch, void *in, void *out, int sign)
{
	struct wplan *p;
	cufftResult status;

	if (rank < 1 || rank > FFTW_MOST_RANK || batch_rank < 0 || batch_rank > FFTW_MOST_RANK) {
		complain(call, "transforms have 1 to 3 dimensions, and so many of batches");
		return NULL;
	}
	if (!dims || (batch_rank && !batch) || !in || !out || (sign != 1 && sign != -1)) {
		complain(call, "dimensions and arrays must be there, the sign 1 or -1");
		return NULL;
	}
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->type = type;
	p->rank = rank;
	p->batch_rank = batch_rank;
	p->sign = sign;
	memcpy(p->dims, dims, (size_t)rank * sizeof(*dims));
	if (batch_rank)
		memcpy(p->batch, batch, (size_t)batch_rank * sizeof(*batch));
	p->in = in;
	p->out = out;
	status = cufftCreate(&p->plan);
	if (status == CUFFT_SUCCESS) {
		status = cufftXtMakePlanGuru64(p->plan, rank, p->dims, batch_rank, p->batch, type,
					       NULL);
		if (status == CUFFT_SUCCESS)
			return p;
		cufftDestroy(p->plan);
	}
	free(p);
	complain(call, status == CUFFT_INVALID_SIZE ? "sizes must be 1 or more" :
						 "there is no plan: no device, or no memory");
	return NULL;
}

void *fftw_new_many(const char *call, cufftType type, int rank, const int *n, int batch, void *in,
		    const int *inembed, int istride, int idist, void *out, const int *onembed,
		    int ostride, int odist, int sign)
{
	fftw_iodim64 dims[FFTW_MOST_RANK], batches = { batch, idist, odist };
	ptrdiff_t is = istride, os = ostride;

	if (rank < 1 || rank > FFTW_MOST_RANK || !n) {
		complain(call, "transforms have 1 to 3 dimensions");
		return NULL;
	}
	for (int i = rank - 1; i >= 0; i--) {
		ptrdiff_t half = i == rank - 1 && !is_complex(type) ? n[i] / 2 + 1 : n[i];
		/* in place, a line of real numbers has room for the complex ones */
		ptrdiff_t whole = half != n[i] && in == out ? 2 * half : n[i];

		dims[i] = (fftw_iodim64){ n[i], is, os };
		is *= inembed ? inembed[i] : is_real(type, false) ? whole : half;
		os *= onembed ? onembed[i] : is_real(type, true) ? whole : half;
	}
	return fftw_new_guru(call, type, rank, dims, 1, &batches, in, out, sign);
}

void *fftw_new_packed(const char *call, cufftType type, int rank, const int *n, void *in, void *out,
		      int sign)
{
	return fftw_new_many(call, type, rank, n, 1, in, NULL, 1, 0, out, NULL, 1, 0, sign);
}

/* ---- execution */

/* From the first element to the last, in elements of the array, whose beginning is 0. */
static void span_of(const struct wplan *p, bool out, ptrdiff_t *low, ptrdiff_t *high)
{
	*low = *high = 0;
	for (int i = 0; i < p->rank + p->batch_rank; i++) {
		const fftw_iodim64 *d = i < p->rank ? &p->dims[i] : &p->batch[i - p->rank];
		ptrdiff_t count = d->n, stride = out ? d->os : d->is;

		if (i == p->rank - 1 && !is_complex(p->type) && !is_real(p->type, out))
			count = count / 2 + 1;
		if (stride < 0)
			*low += (count - 1) * stride;
		else
			*high += (count - 1) * stride;
	}
}

static bool on_device(const void *array)
{
	struct cudaPointerAttributes found;

	if (cudaPointerGetAttributes(&found, array) != cudaSuccess) {
		cudaGetLastError();
		return false;
	}
	return found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged;
}

/* An array as the device sees it */
struct view {
	char *host, *device; /* of the first byte; device is NULL if the array is there already */
	size_t bytes;
	void *array;
};

static bool take_view(const struct wplan *p, void *array, bool out, bool both, struct view *v)
{
	ptrdiff_t low, high, low2 = 0, high2 = 0;
	size_t size = element_bytes(p->type, out), other = element_bytes(p->type, !out);

	*v = (struct view){ .array = array };
	if (on_device(array))
		return true;
	span_of(p, out, &low, &high);
	low *= (ptrdiff_t)size;
	high = (high + 1) * (ptrdiff_t)size;
	if (both) {
		span_of(p, !out, &low2, &high2);
		low2 *= (ptrdiff_t)other;
		high2 = (high2 + 1) * (ptrdiff_t)other;
		low = low2 < low ? low2 : low;
		high = high2 > high ? high2 : high;
	}
	v->host = (char *)array + low;
	v->bytes = (size_t)(high - low);
	if (cudaMalloc((void **)&v->device, v->bytes) != cudaSuccess) {
		v->device = NULL;
		return false;
	}
	v->array = v->device - low;
	return cudaMemcpy(v->device, v->host, v->bytes, cudaMemcpyHostToDevice) == cudaSuccess;
}

static cufftResult execute(const struct wplan *p, void *in, void *out)
{
	switch (p->type) {
	case CUFFT_C2C:
		return cufftExecC2C(p->plan, in, out, p->sign);
	case CUFFT_Z2Z:
		return cufftExecZ2Z(p->plan, in, out, p->sign);
	case CUFFT_R2C:
		return cufftExecR2C(p->plan, in, out);
	case CUFFT_D2Z:
		return cufftExecD2Z(p->plan, in, out);
	case CUFFT_C2R:
		return cufftExecC2R(p->plan, in, out);
	default:
		return cufftExecZ2D(p->plan, in, out);
	}
}

void fftw_run(void *plan, const char *call, void *in, void *out)
{
	struct wplan *p = plan;
	struct view from = { 0 }, to = { 0 };
	bool good;

	if (!p) {
		complain(call, "there is no plan");
		return;
	}
	if (!in && !out) {
		in = p->in;
		out = p->out;
	}
	if (!in || !out) {
		complain(call, "arrays must be there");
		return;
	}
	good = take_view(p, in, false, in == out, &from);
	if (good && in == out)
		to = from;
	else if (good)
		good = take_view(p, out, true, false, &to);
	if (good)
		good = execute(p, from.array, to.array) == CUFFT_SUCCESS;
	if (good && to.device)
		good = cudaMemcpy(to.host, to.device, to.bytes, cudaMemcpyDeviceToHost) ==
		       cudaSuccess;
	else if (good)
		good = cudaStreamSynchronize(0) == cudaSuccess;
	if (to.device && to.device != from.device)
		cudaFree(to.device);
	if (from.device)
		cudaFree(from.device);
	if (!good)
		complain(call,
			 "the transform failed: the device has no memory, or reports an error");
}

void fftw_drop(void *plan)
{
	struct wplan *p = plan;

	if (!p)
		return;
	cufftDestroy(p->plan);
	free(p);
}

double fftw_operations(const void *plan)
{
	const struct wplan *p = plan;
	double n = 1, batch = 1;

	if (!p)
		return 0;
	for (int i = 0; i < p->rank; i++)
		n *= (double)p->dims[i].n;
	for (int i = 0; i < p->batch_rank; i++)
		batch *= (double)p->batch[i].n;
	return batch * n * log2(n);
}

void fftw_print(const void *plan)
{
	const struct wplan *p = plan;

	if (!p)
		return;
	printf("(vgpu-cufft");
	for (int i = 0; i < p->rank; i++)
		printf("%s%td", i ? "x" : " ", p->dims[i].n);
	printf(")");
}

void *fftw_new_memory(size_t bytes)
{
	void *memory;

	return posix_memalign(&memory, 64, bytes) ? NULL : memory;
}
