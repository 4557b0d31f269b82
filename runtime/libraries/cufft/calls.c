// SPDX-License-Identifier: MIT
/*
 * The functions that make plans and tell their sizes, in all the forms they have.
 */
#include "plan.h"

struct arguments {
	int rank;
	long long n[FFT_MOST_RANK], inembed[FFT_MOST_RANK], onembed[FFT_MOST_RANK];
	bool embedded;
	long long istride, idist, ostride, odist, batch;
	cufftType type;
};

static cufftResult problem_of(const struct arguments *a, struct fft_problem *problem)
{
	cufftResult status = fft_type(a->type, problem);

	if (status != CUFFT_SUCCESS)
		return status;
	return fft_describe(problem, a->rank, a->n, a->embedded ? a->inembed : NULL, a->istride,
			    a->idist, a->embedded ? a->onembed : NULL, a->ostride, a->odist,
			    a->batch);
}

static cufftResult make(cufftHandle handle, const struct arguments *a, size_t *bytes)
{
	struct fft_plan *plan = fft_plan_of(handle);
	struct fft_problem problem;
	cufftResult status;

	if (!plan)
		return CUFFT_INVALID_PLAN;
	status = problem_of(a, &problem);
	return status == CUFFT_SUCCESS ? fft_make(plan, &problem, bytes) : status;
}

static cufftResult plan(cufftHandle *handle, const struct arguments *a)
{
	cufftHandle made;
	cufftResult status;

	if (!handle)
		return CUFFT_INVALID_VALUE;
	status = fft_new_plan(&made);
	if (status != CUFFT_SUCCESS)
		return status;
	status = make(made, a, NULL);
	if (status == CUFFT_SUCCESS)
		*handle = made;
	else
		cufftDestroy(made);
	return status;
}

static cufftResult estimate(const struct arguments *a, size_t *bytes)
{
	struct fft_problem problem;
	cufftResult status = problem_of(a, &problem);

	return status == CUFFT_SUCCESS ? fft_size(&problem, bytes) : status;
}

static cufftResult get_size(cufftHandle handle, const struct arguments *a, size_t *bytes)
{
	return fft_plan_of(handle) ? estimate(a, bytes) : CUFFT_INVALID_PLAN;
}

/* Of 1 to 3 dimensions, packed */
static struct arguments packed(int rank, int x, int y, int z, cufftType type, int batch)
{
	return (struct arguments){
		.rank = rank, .n = { x, y, z }, .type = type, .batch = batch
	};
}

#define PACKED(result, first, ...)                                                          \
	VGPU_API cufftResult result##1d(__VA_ARGS__ int nx, cufftType type, int batch TAIL) \
	{                                                                                   \
		struct arguments a = packed(1, nx, 1, 1, type, batch);                      \
		return first;                                                               \
	}                                                                                   \
	VGPU_API cufftResult result##2d(__VA_ARGS__ int nx, int ny, cufftType type TAIL)    \
	{                                                                                   \
		struct arguments a = packed(2, nx, ny, 1, type, 1);                         \
		return first;                                                               \
	}                                                                                   \
	VGPU_API cufftResult result##3d(__VA_ARGS__ int nx, int ny, int nz,                 \
					cufftType type TAIL)                                \
	{                                                                                   \
		struct arguments a = packed(3, nx, ny, nz, type, 1);                        \
		return first;                                                               \
	}

#define COMMA ,
#define TAIL
PACKED(cufftPlan, plan(handle, &a), cufftHandle *handle COMMA)
#undef TAIL
#define TAIL , size_t *bytes
PACKED(cufftMakePlan, make(handle, &a, bytes), cufftHandle handle COMMA)
PACKED(cufftEstimate, estimate(&a, bytes))
PACKED(cufftGetSize, get_size(handle, &a, bytes), cufftHandle handle COMMA)

/* Arrays of RANK numbers, of int or of long long */
#define MANY(integer, result, first, ...)                                                         \
	VGPU_API cufftResult result(__VA_ARGS__ int rank, integer *n, integer *inembed,           \
				    integer istride, integer idist, integer *onembed,             \
				    integer ostride, integer odist, cufftType type,               \
				    integer batch TAIL)                                           \
	{                                                                                         \
		struct arguments a = { .rank = rank, .embedded = inembed && onembed,              \
				       .istride = istride, .idist = idist, .ostride = ostride,    \
				       .odist = odist, .batch = batch, .type = type };            \
                                                                                                  \
		if (rank < 1 || rank > FFT_MOST_RANK || !n)                                       \
			return CUFFT_INVALID_VALUE;                                               \
		for (int i = 0; i < rank; i++) {                                                  \
			a.n[i] = n[i];                                                            \
			a.inembed[i] = inembed ? inembed[i] : 0;                                  \
			a.onembed[i] = onembed ? onembed[i] : 0;                                  \
		}                                                                                 \
		return first;                                                                     \
	}

MANY(int, cufftMakePlanMany, make(handle, &a, bytes), cufftHandle handle COMMA)
MANY(int, cufftEstimateMany, estimate(&a, bytes))
MANY(int, cufftGetSizeMany, get_size(handle, &a, bytes), cufftHandle handle COMMA)
MANY(long long int, cufftMakePlanMany64, make(handle, &a, bytes), cufftHandle handle COMMA)
MANY(long long int, cufftGetSizeMany64, get_size(handle, &a, bytes), cufftHandle handle COMMA)
#undef TAIL
#define TAIL
MANY(int, cufftPlanMany, plan(handle, &a), cufftHandle *handle COMMA)
