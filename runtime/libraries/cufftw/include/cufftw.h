/* SPDX-License-Identifier: MIT */
/*
 * FFTW's functions, as cuFFTW has them: numbers and layouts are CUDA's. Arrays are in memory of the
 * host or of the device.
 */
#ifndef _CUFFTW_H_
#define _CUFFTW_H_

#include <cufft.h>
#include <stddef.h>
#include <stdio.h>

#define FFTW_FORWARD (-1)
#define FFTW_INVERSE 1
#define FFTW_BACKWARD 1

#define FFTW_ESTIMATE 0x01
#define FFTW_MEASURE 0x02
#define FFTW_PATIENT 0x03
#define FFTW_EXHAUSTIVE 0x04
#define FFTW_WISDOM_ONLY 0x05
#define FFTW_DESTROY_INPUT 0x08
#define FFTW_PRESERVE_INPUT 0x0C
#define FFTW_UNALIGNED 0x10

#ifdef __cplusplus
extern "C" {
#endif

/* Behind complex.h these are C's own complex numbers. */
#if !defined(FFTW_NO_Complex) && defined(_Complex_I) && defined(complex)
typedef double _Complex fftw_complex;
typedef float _Complex fftwf_complex;
#else
typedef double fftw_complex[2];
typedef float fftwf_complex[2];
#endif

typedef void *fftw_plan;
typedef void *fftwf_plan;

typedef struct {
	int n, is, os;
} fftw_iodim;
typedef fftw_iodim fftwf_iodim;

typedef struct {
	ptrdiff_t n, is, os;
} fftw_iodim64;
typedef fftw_iodim64 fftwf_iodim64;

#define CUFFTW_CALLS(X, real, complex)                                                            \
	X##_plan CUFFTAPI X##_plan_dft_1d(int n, complex *in, complex *out, int sign,             \
					  unsigned flags);                                        \
	X##_plan CUFFTAPI X##_plan_dft_2d(int n0, int n1, complex *in, complex *out, int sign,    \
					  unsigned flags);                                        \
	X##_plan CUFFTAPI X##_plan_dft_3d(int n0, int n1, int n2, complex *in, complex *out,      \
					  int sign, unsigned flags);                              \
	X##_plan CUFFTAPI X##_plan_dft(int rank, const int *n, complex *in, complex *out,         \
				       int sign, unsigned flags);                                 \
	X##_plan CUFFTAPI X##_plan_dft_r2c_1d(int n, real *in, complex *out, unsigned flags);     \
	X##_plan CUFFTAPI X##_plan_dft_r2c_2d(int n0, int n1, real *in, complex *out,             \
					      unsigned flags);                                    \
	X##_plan CUFFTAPI X##_plan_dft_r2c_3d(int n0, int n1, int n2, real *in, complex *out,     \
					      unsigned flags);                                    \
	X##_plan CUFFTAPI X##_plan_dft_r2c(int rank, const int *n, real *in, complex *out,        \
					   unsigned flags);                                       \
	X##_plan CUFFTAPI X##_plan_dft_c2r_1d(int n, complex *in, real *out, unsigned flags);     \
	X##_plan CUFFTAPI X##_plan_dft_c2r_2d(int n0, int n1, complex *in, real *out,             \
					      unsigned flags);                                    \
	X##_plan CUFFTAPI X##_plan_dft_c2r_3d(int n0, int n1, int n2, complex *in, real *out,     \
					      unsigned flags);                                    \
	X##_plan CUFFTAPI X##_plan_dft_c2r(int rank, const int *n, complex *in, real *out,        \
					   unsigned flags);                                       \
	X##_plan CUFFTAPI X##_plan_many_dft(int rank, const int *n, int batch, complex *in,       \
					    const int *inembed, int istride, int idist,           \
					    complex *out, const int *onembed, int ostride,        \
					    int odist, int sign, unsigned flags);                 \
	X##_plan CUFFTAPI X##_plan_many_dft_r2c(int rank, const int *n, int batch, real *in,      \
						const int *inembed, int istride, int idist,       \
						complex *out, const int *onembed, int ostride,    \
						int odist, unsigned flags);                       \
	X##_plan CUFFTAPI X##_plan_many_dft_c2r(int rank, const int *n, int batch, complex *in,   \
						const int *inembed, int istride, int idist,       \
						real *out, const int *onembed, int ostride,       \
						int odist, unsigned flags);                       \
	X##_plan CUFFTAPI X##_plan_guru_dft(int rank, const X##_iodim *dims, int batch_rank,      \
					    const X##_iodim *batch_dims, complex *in,             \
					    complex *out, int sign, unsigned flags);              \
	X##_plan CUFFTAPI X##_plan_guru_dft_r2c(int rank, const X##_iodim *dims, int batch_rank,  \
						const X##_iodim *batch_dims, real *in,            \
						complex *out, unsigned flags);                    \
	X##_plan CUFFTAPI X##_plan_guru_dft_c2r(int rank, const X##_iodim *dims, int batch_rank,  \
						const X##_iodim *batch_dims, complex *in,         \
						real *out, unsigned flags);                       \
	X##_plan CUFFTAPI X##_plan_guru64_dft(int rank, const X##_iodim64 *dims, int batch_rank,  \
					      const X##_iodim64 *batch_dims, complex *in,         \
					      complex *out, int sign, unsigned flags);            \
	X##_plan CUFFTAPI X##_plan_guru64_dft_r2c(int rank, const X##_iodim64 *dims,              \
						  int batch_rank, const X##_iodim64 *batch_dims,  \
						  real *in, complex *out, unsigned flags);        \
	X##_plan CUFFTAPI X##_plan_guru64_dft_c2r(int rank, const X##_iodim64 *dims,              \
						  int batch_rank, const X##_iodim64 *batch_dims,  \
						  complex *in, real *out, unsigned flags);        \
	void CUFFTAPI X##_execute(const X##_plan plan);                                           \
	void CUFFTAPI X##_execute_dft(const X##_plan plan, complex *in, complex *out);            \
	void CUFFTAPI X##_execute_dft_r2c(const X##_plan plan, real *in, complex *out);           \
	void CUFFTAPI X##_execute_dft_c2r(const X##_plan plan, complex *in, real *out);           \
	void CUFFTAPI X##_destroy_plan(X##_plan plan);                                            \
	void CUFFTAPI X##_cleanup(void);                                                          \
	CUFFTAPI void *X##_malloc(size_t n);                                                      \
	void CUFFTAPI X##_free(void *pointer);                                                    \
	void CUFFTAPI X##_export_wisdom_to_file(FILE *output_file);                               \
	int CUFFTAPI X##_import_wisdom_from_file(FILE *input_file);                               \
	void CUFFTAPI X##_print_plan(const X##_plan plan);                                        \
	void CUFFTAPI X##_set_timelimit(double seconds);                                          \
	double CUFFTAPI X##_cost(const X##_plan plan);                                            \
	void CUFFTAPI X##_flops(const X##_plan plan, double *add, double *mul, double *fma);

CUFFTW_CALLS(fftw, double, fftw_complex)
CUFFTW_CALLS(fftwf, float, fftwf_complex)
#undef CUFFTW_CALLS

#ifdef __cplusplus
}
#endif

#endif
