/* SPDX-License-Identifier: MIT */
/*
 * A plan of FFTW's: one of cuFFT's and the arrays that it was made for.
 */
#ifndef CUFFTW_WPLAN_H
#define CUFFTW_WPLAN_H

#include <stdbool.h>

#include "cufftw.h"
#include "refuse.h"

enum { FFTW_MOST_RANK = 3 };

/* DIMS are of the transform, BATCH of the transforms; TYPE is of single or double precision. */
void *fftw_new_guru(const char *call, cufftType type, int rank, const fftw_iodim64 *dims,
		    int batch_rank, const fftw_iodim64 *batch, void *in, void *out, int sign);
/* As fftw_plan_many_dft; EMBED may be NULL: as N, with half of the last for complex ones. */
void *fftw_new_many(const char *call, cufftType type, int rank, const int *n, int batch, void *in,
		    const int *inembed, int istride, int idist, void *out, const int *onembed,
		    int ostride, int odist, int sign);
/* Arrays that follow each other, one transform. */
void *fftw_new_packed(const char *call, cufftType type, int rank, const int *n, void *in, void *out,
		      int sign);

/* NULL of both: the plan's own arrays */
void fftw_run(void *plan, const char *call, void *in, void *out);
void fftw_drop(void *plan);
void fftw_print(const void *plan);
/* Of a transform with radix 2 */
double fftw_operations(const void *plan);
void *fftw_new_memory(size_t bytes);

/* Of libcufft: cuFFTW's way to plans with any strides. It has no header there either. */
cufftResult cufftXtMakePlanGuru64(cufftHandle plan, int rank, const fftw_iodim64 *dims,
				  int batch_rank, const fftw_iodim64 *batch, cufftType type,
				  size_t *work);

#endif
