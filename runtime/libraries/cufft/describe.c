// SPDX-License-Identifier: MIT
/*
 * What the arguments of the functions that make plans mean.
 */
#include "plan.h"

cufftResult fft_type(cufftType type, struct fft_problem *problem)
{
	*problem = (struct fft_problem){ 0 };
	switch (type) {
	case CUFFT_C2C:
	case CUFFT_Z2Z:
		problem->form = FFT_C2C;
		break;
	case CUFFT_R2C:
	case CUFFT_D2Z:
		problem->form = FFT_R2C;
		break;
	case CUFFT_C2R:
	case CUFFT_Z2D:
		problem->form = FFT_C2R;
		break;
	default:
		return CUFFT_INVALID_TYPE;
	}
	problem->precision = type & 0x40 ? FFT_DOUBLE : FFT_FLOAT;
	return CUFFT_SUCCESS;
}

/* Strides of one side: of what is embedded in EMBED, or fills it (a whole has LAST of the last). */
static bool side(struct fft_problem *p, bool out, const long long *embed, long long last,
		 long long stride, long long distance)
{
	long long at = stride;

	for (int i = p->rank - 1; i >= 0; i--) {
		long long count = embed ? embed[i] : i == p->rank - 1 ? last : p->n[i];

		if (out)
			p->axis[i].out = at;
		else
			p->axis[i].in = at;
		/* of the first number only the basic layout needs to know */
		if ((i || !embed) && __builtin_mul_overflow(at, count, &at))
			return false;
	}
	if (out)
		p->batch[0].out = embed ? distance : at;
	else
		p->batch[0].in = embed ? distance : at;
	return true;
}

cufftResult fft_describe(struct fft_problem *p, int rank, const long long *n,
			 const long long *inembed, long long istride, long long idist,
			 const long long *onembed, long long ostride, long long odist,
			 long long batch)
{
	long long last, half, elements = batch;

	if (rank < 1 || rank > FFT_MOST_RANK || !n)
		return CUFFT_INVALID_VALUE;
	p->rank = rank;
	for (int i = 0; i < rank; i++) {
		if (n[i] < 1)
			return CUFFT_INVALID_SIZE;
		p->n[i] = n[i];
		if (__builtin_mul_overflow(elements, n[i] + 1, &elements))
			return CUFFT_INVALID_SIZE;
		if (p->precision == FFT_HALF && (n[i] & (n[i] - 1)))
			return CUFFT_NOT_SUPPORTED;
	}
	if (batch < 1)
		return CUFFT_INVALID_SIZE;
	p->batches = 1;
	p->batch[0].count = batch;
	p->basic = !inembed || !onembed;
	if (p->basic) {
		last = n[rank - 1];
		half = last / 2 + 1;
		return side(p, false, NULL, p->form == FFT_C2R ? half : last, 1, 0) &&
				       side(p, true, NULL, p->form == FFT_R2C ? half : last, 1, 0) ?
			       CUFFT_SUCCESS :
			       CUFFT_INVALID_SIZE;
	}
	if (istride < 1 || ostride < 1 || idist < 0 || odist < 0)
		return CUFFT_INVALID_VALUE;
	for (int i = 1; i < rank; i++)
		if (inembed[i] < 1 || onembed[i] < 1)
			return CUFFT_INVALID_VALUE;
	return side(p, false, inembed, 0, istride, idist) &&
			       side(p, true, onembed, 0, ostride, odist) ?
		       CUFFT_SUCCESS :
		       CUFFT_INVALID_SIZE;
}

/* The same transform in place, where lines of real numbers have room for the complex ones. */
struct fft_problem fft_padded(const struct fft_problem *problem)
{
	struct fft_problem p = *problem;

	side(&p, p.form == FFT_C2R, NULL, 2 * (p.n[p.rank - 1] / 2 + 1), 1, 0);
	return p;
}
