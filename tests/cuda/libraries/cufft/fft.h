/* SPDX-License-Identifier: MIT */
/*
 * What the tests of cuFFT share: transforms of any layout, whose answers are FFTW's in double
 * precision. A buffer has the host's answer and the device's, with all that lies between and around
 * the elements, which must stay as it was.
 */
#ifndef TESTS_CUFFT_FFT_H
#define TESTS_CUFFT_FFT_H

#include "libraries/oracle.h"

#include <cuda_fp16.h>
#include <cufft.h>


static struct lcg draw = {513};

#define OK(call) check_status((call), CUFFT_SUCCESS, #call, __LINE__)
#define EXPECT_STATUS(want, call) check_status((call), (want), #call, __LINE__)

static inline void check_status(cufftResult got, cufftResult want, const char *call, int line)
{
	if (got != want)
		mismatch("line %d, %s: got %d, expected %d", line, call, got, want);
}

enum form { C2C, R2C, C2R };
enum precision { SINGLE, DOUBLE, HALF };

static const char *const form_names[] = {"c2c", "r2c", "c2r"};
static const char *const precision_names[] = {"float", "double", "half"};

struct side {
	long long embed[3], stride, distance, bytes;
	bool real;
};

struct problem {
	form f;
	precision p;
	int rank;
	long long n[3], batch;
	bool embedded, in_place;
	int direction;
	side in, out;
};

static inline long long number_bytes(precision p)
{
	return p == SINGLE ? 4 : p == DOUBLE ? 8 : 2;
}

/* Elements of a side along axis i: half of the last one if the other side is real. */
static inline long long count_of(const problem &q, const side &s, int i)
{
	return i == q.rank - 1 && q.f != C2C && !s.real ? q.n[i] / 2 + 1 : q.n[i];
}

static inline long long elements_of(const problem &q, const side &s)
{
	long long count = q.batch;

	for (int i = 0; i < q.rank; i++)
		count *= count_of(q, s, i);
	return count;
}

/* Where the element is, in elements: NUMBER counts those of the packed array. */
static inline long long place_of(const problem &q, const side &s, long long number)
{
	long long at = 0, stride = s.stride;

	for (int i = q.rank - 1; i >= 0; i--) {
		long long count = count_of(q, s, i);

		at += number % count * stride;
		number /= count;
		stride *= s.embed[i];
	}
	return at + number * s.distance;
}

static inline double get(const char *p, precision kind)
{
	return kind == SINGLE	? *(const float *)p
	       : kind == DOUBLE ? *(const double *)p
				: __half2float(*(const __half *)p);
}

static inline void put(char *p, precision kind, double v)
{
	if (kind == SINGLE)
		*(float *)p = (float)v;
	else if (kind == DOUBLE)
		*(double *)p = v;
	else
		*(__half *)p = __float2half((float)v);
}

/* ---- FFTW, by its own file: libcufftw has the same names */

typedef double fftw_number[2];
typedef void *fftw_many(int, const int *, int, void *, const int *, int, int, void *, const int *,
			int, int, int, unsigned);
typedef void *fftw_many_real(int, const int *, int, void *, const int *, int, int, void *,
			     const int *, int, int, unsigned);

static inline void *fftw(const char *name)
{
	static void *library;

	if (!library)
		library = oracle("libfftw3.so.3", "libfftw3-double3");
	return oracle_symbol(library, name);
}

/* Packed arrays; from a real side to half a complex one, or back. */
static inline void fftw_transform(const problem &q, double *in, double *out)
{
	const unsigned estimate = 1 << 6;
	int n[3], in_distance = (int)(elements_of(q, q.in) / q.batch);
	int out_distance = (int)(elements_of(q, q.out) / q.batch);
	void *plan;

	for (int i = 0; i < q.rank; i++)
		n[i] = (int)q.n[i];
	if (q.f == C2C)
		plan = ((fftw_many *)fftw("fftw_plan_many_dft"))(
			q.rank, n, (int)q.batch, in, NULL, 1, in_distance, out, NULL, 1,
			out_distance, q.direction, estimate);
	else
		plan = ((fftw_many_real *)fftw(q.f == R2C ? "fftw_plan_many_dft_r2c"
							  : "fftw_plan_many_dft_c2r"))(
			q.rank, n, (int)q.batch, in, NULL, 1, in_distance, out, NULL, 1,
			out_distance, estimate);
	((void (*)(void *))fftw("fftw_execute"))(plan);
	((void (*)(void *))fftw("fftw_destroy_plan"))(plan);
}

/* ---- problems */

static inline cufftType type_of(const problem &q)
{
	static const cufftType types[2][3] = {{CUFFT_C2C, CUFFT_R2C, CUFFT_C2R},
					      {CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D}};

	return types[q.p == DOUBLE][q.f];
}

/* Sides that are packed, but for room in lines of real numbers if this is in place. */
static inline void pack(problem *q)
{
	side *sides[] = {&q->in, &q->out};

	q->in.real = q->f == R2C;
	q->out.real = q->f == C2R;
	for (side *s : sides) {
		s->stride = s->distance = 1;
		for (int i = 0; i < q->rank; i++) {
			s->embed[i] = count_of(*q, *s, i);
			if (s->real && q->in_place && i == q->rank - 1)
				s->embed[i] = 2 * (q->n[i] / 2 + 1);
			s->distance *= s->embed[i];
		}
	}
}

static inline void size_sides(problem *q)
{
	side *sides[] = {&q->in, &q->out};

	for (side *s : sides) {
		long long last = 0, stride = s->stride;

		for (int i = q->rank - 1; i >= 0; i--) {
			last += (s->embed[i] > count_of(*q, *s, i) ? s->embed[i] - 1
								   : count_of(*q, *s, i) - 1) *
				stride;
			stride *= s->embed[i];
		}
		last += (q->batch - 1) * s->distance;
		s->bytes = (last + 1) * number_bytes(q->p) * (s->real ? 1 : 2);
	}
	if (q->in_place)
		q->in.bytes = q->out.bytes = q->in.bytes > q->out.bytes ? q->in.bytes
									  : q->out.bytes;
}

static inline void name_of(const problem &q, char *to, size_t size)
{
	snprintf(to, size,
		 "%s %s %lldx%lldx%lld rank %d batch %lld%s%s %s in %lld/%lld out %lld/%lld",
		 precision_names[q.p], form_names[q.f], q.n[0], q.rank > 1 ? q.n[1] : 1,
		 q.rank > 2 ? q.n[2] : 1, q.rank, q.batch, q.embedded ? " embedded" : "",
		 q.in_place ? " in place" : "", q.direction < 0 ? "forward" : "inverse",
		 q.in.stride, q.in.distance, q.out.stride, q.out.distance);
}

/* How the device does it: into OUT, from IN. */
typedef void run_function(const problem &q, void *in, void *out);

/* The whole of it: random numbers, FFTW's answer, the device's, and what lies around. */
static inline void try_problem(problem q, run_function *run)
{
	char name[256];
	double epsilon = q.p == SINGLE ? 0x1p-24 : q.p == DOUBLE ? 0x1p-53 : 0x1p-11;
	double size = 1, sum = 0, worst = 0, bound;
	long long bytes = number_bytes(q.p), ins, outs, worst_at = 0;
	int in_parts, out_parts;

	size_sides(&q);
	name_of(q, name, sizeof(name));
	in_parts = q.in.real ? 1 : 2;
	out_parts = q.out.real ? 1 : 2;
	ins = elements_of(q, q.in);
	outs = elements_of(q, q.out);
	char *in = (char *)host_alloc(q.in.bytes), *out = (char *)host_alloc(q.out.bytes);
	char *got = (char *)host_alloc(q.out.bytes), *same = (char *)host_alloc(q.in.bytes);
	double *from = (double *)host_alloc(ins * in_parts * sizeof(double));
	double *to = (double *)host_alloc(outs * out_parts * sizeof(double));
	char *element = (char *)host_alloc(q.out.bytes);

	for (long long i = 0; i < q.in.bytes; i++)
		in[i] = (char)(lcg_u32(&draw) & 0x3f);
	for (long long i = 0; i < q.out.bytes; i++)
		out[i] = (char)(lcg_u32(&draw) & 0x3f);
	for (long long i = 0; i < ins; i++) {
		char *at = in + place_of(q, q.in, i) * bytes * in_parts;

		for (int j = 0; j < in_parts; j++) {
			put(at + j * bytes, q.p, lcg_double(&draw, -1, 1));
			from[i * in_parts + j] = get(at + j * bytes, q.p);
		}
	}
	char *device_in = device_from(in, q.in.bytes), *device_out = device_in;

	if (!q.in_place)
		device_out = device_from(out, q.out.bytes);
	run(q, device_in, device_out);
	CHECK(cudaDeviceSynchronize());
	host_from(got, device_out, q.out.bytes);
	if (!q.in_place) {
		host_from(same, device_in, q.in.bytes);
		if (memcmp(same, in, q.in.bytes))
			mismatch("%s: the source has changed", name);
	}
	fftw_transform(q, from, to);
	for (int i = 0; i < q.rank; i++)
		size *= (double)q.n[i];
	for (long long i = 0; i < outs * out_parts; i++)
		sum += to[i] * to[i];
	for (long long i = 0; i < outs; i++) {
		long long at = place_of(q, q.out, i) * bytes * out_parts;

		memset(element + at, 1, bytes * out_parts);
		for (int j = 0; j < out_parts; j++) {
			double e = fabs(get(got + at + j * bytes, q.p) - to[i * out_parts + j]);

			if (!(e <= worst)) {
				worst = e;
				worst_at = i;
			}
		}
	}
	/* in units of what a rounding of a typical result costs */
	bound = epsilon * sqrt(sum / (double)(outs * out_parts)) * 5 * (2 + log2(size));
	if (!(worst <= bound))
		mismatch("%s: element %lld is off by %g, allowed %g", name, worst_at, worst, bound);
	if (!q.in_place)
		for (long long i = 0; i < q.out.bytes; i++)
			if (!element[i] && got[i] != out[i]) {
				mismatch("%s: byte %lld is no element, and has changed", name, i);
				break;
			}
	CHECK(cudaFree(device_in));
	if (!q.in_place)
		CHECK(cudaFree(device_out));
	free(in);
	free(out);
	free(got);
	free(same);
	free(from);
	free(to);
	free(element);
}

/* A plan by cufftPlanMany, or by the simple forms if there is one. */
static inline void run_plan(const problem &q, void *in, void *out)
{
	int n[3], inembed[3], onembed[3];
	cufftHandle plan;
	cufftType type = type_of(q);

	for (int i = 0; i < q.rank; i++) {
		n[i] = (int)q.n[i];
		inembed[i] = (int)q.in.embed[i];
		onembed[i] = (int)q.out.embed[i];
	}
	if (q.embedded)
		OK(cufftPlanMany(&plan, q.rank, n, inembed, (int)q.in.stride, (int)q.in.distance,
				 onembed, (int)q.out.stride, (int)q.out.distance, type,
				 (int)q.batch));
	else if (q.rank == 1)
		OK(cufftPlan1d(&plan, n[0], type, (int)q.batch));
	else if (q.batch > 1)
		OK(cufftPlanMany(&plan, q.rank, n, NULL, 7, 7, NULL, 7, 7, type, (int)q.batch));
	else if (q.rank == 2)
		OK(cufftPlan2d(&plan, n[0], n[1], type));
	else
		OK(cufftPlan3d(&plan, n[0], n[1], n[2], type));
	switch (type) {
	case CUFFT_C2C:
		OK(cufftExecC2C(plan, (cufftComplex *)in, (cufftComplex *)out, q.direction));
		break;
	case CUFFT_Z2Z:
		OK(cufftExecZ2Z(plan, (cufftDoubleComplex *)in, (cufftDoubleComplex *)out,
				q.direction));
		break;
	case CUFFT_R2C:
		OK(cufftExecR2C(plan, (cufftReal *)in, (cufftComplex *)out));
		break;
	case CUFFT_D2Z:
		OK(cufftExecD2Z(plan, (cufftDoubleReal *)in, (cufftDoubleComplex *)out));
		break;
	case CUFFT_C2R:
		OK(cufftExecC2R(plan, (cufftComplex *)in, (cufftReal *)out));
		break;
	case CUFFT_Z2D:
		OK(cufftExecZ2D(plan, (cufftDoubleComplex *)in, (cufftDoubleReal *)out));
		break;
	}
	OK(cufftDestroy(plan));
}

#endif
