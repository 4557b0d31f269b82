/* SPDX-License-Identifier: MIT */
/*
 * FFTW's names in one precision. Before it is included: X(name), REAL, COMPLEX, and which types of
 * cuFFT's the transforms have.
 */
#define PLAN X(plan)

#define PACKED(name, type, from, to, sign, ...)                                                  \
	VGPU_API PLAN X(name##_1d)(int n, from *in, to *out __VA_ARGS__, unsigned flags)         \
	{                                                                                        \
		(void)flags;                                                                     \
		return fftw_new_packed(__func__, type, 1, &n, in, out, sign);                    \
	}                                                                                        \
	VGPU_API PLAN X(name##_2d)(int n0, int n1, from *in, to *out __VA_ARGS__, unsigned flags) \
	{                                                                                        \
		int n[] = { n0, n1 };                                                            \
                                                                                                 \
		(void)flags;                                                                     \
		return fftw_new_packed(__func__, type, 2, n, in, out, sign);                     \
	}                                                                                        \
	VGPU_API PLAN X(name##_3d)(int n0, int n1, int n2, from *in, to *out __VA_ARGS__,        \
				   unsigned flags)                                               \
	{                                                                                        \
		int n[] = { n0, n1, n2 };                                                        \
                                                                                                 \
		(void)flags;                                                                     \
		return fftw_new_packed(__func__, type, 3, n, in, out, sign);                     \
	}                                                                                        \
	VGPU_API PLAN X(name)(int rank, const int *n, from *in, to *out __VA_ARGS__,             \
			      unsigned flags)                                                    \
	{                                                                                        \
		(void)flags;                                                                     \
		return fftw_new_packed(__func__, type, rank, n, in, out, sign);                  \
	}

#define COMMA ,
PACKED(plan_dft, CUFFT_COMPLEX, COMPLEX, COMPLEX, way, COMMA int way)
PACKED(plan_dft_r2c, CUFFT_TO_COMPLEX, REAL, COMPLEX, FFTW_FORWARD)
PACKED(plan_dft_c2r, CUFFT_TO_REAL, COMPLEX, REAL, FFTW_BACKWARD)

/* 64-bit numbers of those that are not, if there are not too many */
#define WIDEN(dims, count, wide)                                                     \
	fftw_iodim64 wide[FFTW_MOST_RANK];                                           \
	for (int i_ = 0; dims && i_ < count && i_ < FFTW_MOST_RANK; i_++)            \
		wide[i_] = (fftw_iodim64){ dims[i_].n, dims[i_].is, dims[i_].os }

#define LAID_OUT(name, type, from, to, sign, ...)                                                  \
	VGPU_API PLAN X(plan_many_##name)(int rank, const int *n, int batch, from *in,             \
					  const int *inembed, int istride, int idist, to *out,     \
					  const int *onembed, int ostride, int odist __VA_ARGS__,  \
					  unsigned flags)                                          \
	{                                                                                          \
		(void)flags;                                                                       \
		return fftw_new_many(__func__, type, rank, n, batch, in, inembed, istride, idist,  \
				     out, onembed, ostride, odist, sign);                          \
	}                                                                                          \
	VGPU_API PLAN X(plan_guru_##name)(int rank, const X(iodim) *dims, int batch_rank,          \
					  const X(iodim) *batch, from *in, to *out __VA_ARGS__,    \
					  unsigned flags)                                          \
	{                                                                                          \
		WIDEN(dims, rank, wide);                                                           \
		WIDEN(batch, batch_rank, wide_batch);                                              \
                                                                                                   \
		(void)flags;                                                                       \
		return fftw_new_guru(__func__, type, rank, dims ? wide : NULL, batch_rank,         \
				     batch ? wide_batch : NULL, in, out, sign);                    \
	}                                                                                          \
	VGPU_API PLAN X(plan_guru64_##name)(int rank, const X(iodim64) *dims, int batch_rank,      \
					    const X(iodim64) *batch, from *in,                     \
					    to *out __VA_ARGS__, unsigned flags)                   \
	{                                                                                          \
		(void)flags;                                                                       \
		return fftw_new_guru(__func__, type, rank, dims, batch_rank, batch, in, out,       \
				     sign);                                                        \
	}

LAID_OUT(dft, CUFFT_COMPLEX, COMPLEX, COMPLEX, way, COMMA int way)
LAID_OUT(dft_r2c, CUFFT_TO_COMPLEX, REAL, COMPLEX, FFTW_FORWARD)
LAID_OUT(dft_c2r, CUFFT_TO_REAL, COMPLEX, REAL, FFTW_BACKWARD)

VGPU_API void X(execute)(const PLAN plan)
{
	fftw_run(plan, __func__, NULL, NULL);
}

VGPU_API void X(execute_dft)(const PLAN plan, COMPLEX *in, COMPLEX *out)
{
	fftw_run(plan, __func__, in, out);
}

VGPU_API void X(execute_dft_r2c)(const PLAN plan, REAL *in, COMPLEX *out)
{
	fftw_run(plan, __func__, in, out);
}

VGPU_API void X(execute_dft_c2r)(const PLAN plan, COMPLEX *in, REAL *out)
{
	fftw_run(plan, __func__, in, out);
}

VGPU_API void X(destroy_plan)(PLAN plan)
{
	fftw_drop(plan);
}

VGPU_API void X(cleanup)(void)
{
}

VGPU_API void *X(malloc)(size_t bytes)
{
	return fftw_new_memory(bytes);
}

VGPU_API void X(free)(void *memory)
{
	free(memory);
}

/* There is one way to do a transform, so nothing is learned. */
VGPU_API void X(export_wisdom_to_file)(FILE *file)
{
	(void)file;
}

VGPU_API int X(import_wisdom_from_file)(FILE *file)
{
	(void)file;
	return 0;
}

VGPU_API void X(set_timelimit)(double seconds)
{
	(void)seconds;
}

VGPU_API void X(print_plan)(const PLAN plan)
{
	fftw_print(plan);
}

VGPU_API double X(cost)(const PLAN plan)
{
	return 5 * fftw_operations(plan);
}

VGPU_API void X(flops)(const PLAN plan, double *add, double *multiply, double *fma)
{
	double butterflies = fftw_operations(plan);

	if (add)
		*add = 3 * butterflies;
	if (multiply)
		*multiply = 2 * butterflies;
	if (fma)
		*fma = 0;
}
