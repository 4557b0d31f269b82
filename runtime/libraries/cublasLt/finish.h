/* SPDX-License-Identifier: MIT */
/*
 * The second step of a product: what an element of op(A) op(B) becomes on its way to D.
 *
 *   x = alpha a b acc + beta c C + bias, where a, b, c are the matrices' factors
 *   ReLU, GELU: of x; what their gradients need is kept: a bit that says x > 0, or x
 *   their gradients: x times the derivative, by what was kept
 *   D = d x
 */
#ifndef CUBLASLT_FINISH_H
#define CUBLASLT_FINISH_H

#include "launch.h"
#include "plan.h"

namespace lt
{

template <class S> struct finish_job {
	long long m, n;
	int batches;
	char *accumulated; /* columns of m, one matrix behind the other */
	int accumulated_type;
	factor<S> alpha, beta;
	matrix c, d;
	const float *scale_of[4]; /* A, B, C, D; NULL: 1 */
	float *amax; /* of x; NULL: not wanted */
	const char *bias;
	int bias_type;
	long long bias_stride;
	int activation; /* enum lt_activation */
	bool keep_aux, keep_x; /* for its gradient; for the sum of rows */
	char *aux;
	int aux_type;
	long long aux_ld, aux_stride;
	const float *aux_scale;
	float *aux_amax;
};

__device__ __forceinline__ float hyperbolic_tangent(float x)
{
	return tanhf(x);
}
__device__ __forceinline__ double hyperbolic_tangent(double x)
{
	return tanh(x);
}

/* GELU by its approximation: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) */
template <class S> __device__ __forceinline__ S gelu_inner(S x)
{
	return (S)0.79788456080286535588 * (x + (S)0.044715 * x * x * x);
}
template <class S> __device__ S gelu(S x)
{
	return (S)0.5 * x * (1 + hyperbolic_tangent(gelu_inner(x)));
}
template <class S> __device__ S gelu_slope(S x)
{
	S t = hyperbolic_tangent(gelu_inner(x));
	S inner = (S)0.79788456080286535588 * (1 + 3 * (S)0.044715 * x * x);

	return (S)0.5 * (1 + t) + (S)0.5 * x * (1 - t * t) * inner;
}

/* The most of a warp's absolute values; bits of what is not negative are in order. */
__device__ __forceinline__ void raise(float *most, float x, bool is)
{
	unsigned int bits = is ? __float_as_uint(fabsf(x)) : 0;

	bits = __reduce_max_sync(0xffffffff, bits);
	if (threadIdx.x == 0)
		atomicMax((unsigned int *)most, bits);
}

template <class S> __device__ __forceinline__ void raise_to(float *, S, bool)
{
}
template <> __device__ __forceinline__ void raise_to(float *most, float x, bool is)
{
	if (most)
		raise(most, x, is);
}

/* Epilogues are for real numbers; others have only alpha and beta. */
template <class S> struct epilogue {
	static __device__ __forceinline__ S of(const finish_job<S> &, S x, long long, long long,
					       int, bool)
	{
		return x;
	}
};

template <class S> struct real_epilogue {
	/* All lanes of a warp come here: lane i has row i0 + i of one column. */
	static __device__ S of(const finish_job<S> &job, S x, long long i, long long j, int batch,
			       bool is)
	{
		char *aux = job.aux;
		long long column = job.aux_stride * batch + job.aux_ld * j;

		if (job.bias && is)
			x += elements<S>::get(job.bias, job.bias_type, i + batch * job.bias_stride);
		switch (job.activation) {
		case LT_RELU:
			if (job.keep_aux) {
				unsigned int set = __ballot_sync(0xffffffff, is && x > 0);

				if (is && i % 8 == 0)
					aux[(column + i) / 8] = (char)(set >> threadIdx.x);
			}
			return x > 0 || x != x ? x : 0;
		case LT_GELU:
			if (job.keep_aux) {
				if (job.aux_amax)
					raise(job.aux_amax, (float)x, is);
				if (is)
					elements<S>::put(aux, job.aux_type, column + i,
							 job.aux_scale ? x * (S)*job.aux_scale : x);
			}
			return gelu(x);
		case LT_DRELU:
			return is && aux[(column + i) / 8] >> (i % 8) & 1 ? x : 0;
		case LT_DGELU:
			if (is) {
				S kept = elements<S>::get(aux, job.aux_type, column + i);

				x *= gelu_slope(job.aux_scale ? kept * (S)*job.aux_scale : kept);
			}
			return x;
		default:
			return x;
		}
	}
};
template <> struct epilogue<float> : real_epilogue<float> {
};
template <> struct epilogue<double> : real_epilogue<double> {
};

/* A factor of a matrix is a float, and only products in floats have some. */
template <class S> __device__ __forceinline__ S scaled(S x, const float *)
{
	return x;
}
template <> __device__ __forceinline__ float scaled(float x, const float *by)
{
	return by ? x * *by : x;
}

template <class S>
__device__ __forceinline__ void finish_element(const finish_job<S> &job, long long i, long long j,
					       int batch)
{
	bool is = i < job.m;
	long long at = (batch * job.n + j) * job.m + i;
	S x = S();

	if (is) {
		S alpha = scaled(scaled(job.alpha.get(i, batch), job.scale_of[0]), job.scale_of[1]);
		S beta = job.beta.get(i, batch);

		if (!blas::is_zero(alpha))
			x = blas::times(
				alpha, elements<S>::get(job.accumulated, job.accumulated_type, at));
		if (!blas::is_zero(beta))
			x = blas::add_product(x, scaled(beta, job.scale_of[2]),
					      elements<S>::get(job.c.of(batch), job.c.type,
							       job.c.place(i, j, batch)));
	}
	x = epilogue<S>::of(job, x, i, j, batch, is);
	if (is && job.keep_x)
		elements<S>::put(job.accumulated, job.accumulated_type, at, x);
	raise_to(job.amax, x, is);
	if (is)
		elements<S>::put(job.d.of(batch), job.d.type, job.d.place(i, j, batch),
				 scaled(x, job.scale_of[3]));
}

template <class S> __global__ void __launch_bounds__(ROWS *COLUMNS) finish_kernel(finish_job<S> job)
{
	for (int batch = blockIdx.z; batch < job.batches; batch += gridDim.z)
		for (long long j = blockIdx.y * COLUMNS + threadIdx.y; j < job.n;
		     j += (long long)gridDim.y * COLUMNS)
			for (long long i = (long long)blockIdx.x * ROWS + threadIdx.x;
			     i - threadIdx.x < job.m; i += (long long)gridDim.x * ROWS)
				finish_element(job, i, j, batch);
}

/* ---- sums of a matrix's rows, of op(A), of op(B)'s columns: gradients of a bias */

struct sum_job {
	long long rows, columns;
	int batches;
	matrix of;
	bool turned; /* row i of the sum is column i of the matrix */
	char *to;
	int to_type;
	long long to_stride;
};

/* Added in ascending order by one thread. */
template <class S> __global__ void sum_kernel(sum_job job)
{
	for (int batch = blockIdx.z; batch < job.batches; batch += gridDim.z)
		for (long long i =
			     ((long long)blockIdx.x * COLUMNS + threadIdx.y) * ROWS + threadIdx.x;
		     i < job.rows; i += (long long)gridDim.x * ROWS * COLUMNS) {
			S sum = 0;

			for (long long j = 0; j < job.columns; j++)
				sum += elements<S>::get(job.of.of(batch), job.of.type,
							job.turned ? job.of.place(j, i, batch)
								   : job.of.place(i, j, batch));
			elements<S>::put(job.to, job.to_type, i + batch * job.to_stride, sum);
		}
}

/* ---- a matrix in columns of another type */

struct pack_job {
	long long rows, columns;
	int batches;
	matrix from, to;
};

template <class S> __global__ void pack_kernel(pack_job job)
{
	for (int batch = blockIdx.z; batch < job.batches; batch += gridDim.z)
		for (long long j = blockIdx.y * COLUMNS + threadIdx.y; j < job.columns;
		     j += (long long)gridDim.y * COLUMNS)
			for (long long i = (long long)blockIdx.x * ROWS + threadIdx.x; i < job.rows;
			     i += (long long)gridDim.x * ROWS)
				elements<S>::put(job.to.base, job.to.type,
						 job.to.place(i, j, batch),
						 elements<S>::get(job.from.of(batch), job.from.type,
								  job.from.place(i, j, batch)));
}

} // namespace lt

#endif
