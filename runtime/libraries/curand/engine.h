/* SPDX-License-Identifier: MIT */
/*
 * A generator of WIDTH sequences side by side. A draw gives a group of numbers of one sequence; the
 * groups of the result are of the sequences in turn. The same code runs in a kernel, a thread a
 * sequence, and on the host.
 *
 * An engine is a class: State, what memory has of a sequence; group<what>(), the numbers of a draw;
 * draw<what>(state, out), which takes the state one draw further.
 */
#ifndef VGPU_CURAND_ENGINE_H
#define VGPU_CURAND_ENGINE_H

#include <curand_kernel.h>

#include "generator.h"
#include "poisson.h"

/* DO() for each kind of number, whole words by the name @bits: cases of a switch */
#define CURAND_EACH_WHAT(DO, bits) \
	DO(bits); \
	DO(CURAND_UNIFORM); \
	DO(CURAND_UNIFORM_DOUBLE); \
	DO(CURAND_BY_TABLE); \
	DO(CURAND_ROUNDED_NORMAL); \
	DO(CURAND_NORMAL); \
	DO(CURAND_NORMAL_DOUBLE); \
	DO(CURAND_LOG_NORMAL); \
	DO(CURAND_LOG_NORMAL_DOUBLE);

/* A number of the result, and what it is made of. */
template <curand_what What> struct curand_out { typedef float type; };
template <> struct curand_out<CURAND_BITS> { typedef unsigned int type; };
template <> struct curand_out<CURAND_BITS64> { typedef unsigned long long type; };
template <> struct curand_out<CURAND_BY_TABLE> { typedef unsigned int type; };
template <> struct curand_out<CURAND_ROUNDED_NORMAL> { typedef unsigned int type; };
template <> struct curand_out<CURAND_UNIFORM_DOUBLE> { typedef double type; };
template <> struct curand_out<CURAND_NORMAL_DOUBLE> { typedef double type; };
template <> struct curand_out<CURAND_LOG_NORMAL_DOUBLE> { typedef double type; };
template <curand_what What> struct curand_drawn { typedef typename curand_out<What>::type type; };
template <> struct curand_drawn<CURAND_ROUNDED_NORMAL> { typedef float type; };

/* Where a result begins and what becomes of normal and Poisson numbers. */
template <class Out> struct curand_job {
	Out *out;
	unsigned long long count;
	unsigned int width, next, within;
	double mean, deviation;
	const struct curand_table *table;
};

/* Number K of a draw of a pair-wise generator */
template <curand_what What, class Drawn, class Out>
static inline __host__ __device__ Out curand_shape(Drawn x, const curand_job<Out> &job)
{
	if constexpr (What == CURAND_BY_TABLE)
		return curand_look_up(job.table, x);
	else if constexpr (What == CURAND_ROUNDED_NORMAL)
		return (unsigned int)(job.mean + job.deviation * x + 0.5);
	else if constexpr (What == CURAND_NORMAL || What == CURAND_NORMAL_DOUBLE)
		return (Out)job.mean + (Out)job.deviation * x;
	else if constexpr (What == CURAND_LOG_NORMAL)
		return expf((Out)job.mean + (Out)job.deviation * x);
	else if constexpr (What == CURAND_LOG_NORMAL_DOUBLE)
		return exp(job.mean + job.deviation * x);
	else
		return x;
}

/* Group ITEM of the result; the state stays if the group is not finished. */
template <class Engine, curand_what What, class Out>
static inline __host__ __device__ void curand_item(typename Engine::State *state,
						   unsigned long long item,
						   const curand_job<Out> &job)
{
	const unsigned int group = Engine::template group<What>();
	typename Engine::State next = *state;
	unsigned long long first = item * group;
	typename curand_drawn<What>::type numbers[group];

	Engine::template draw<What>(&next, numbers);
	for (unsigned int i = 0; i < group; i++) {
		unsigned long long at = first + i - job.within;

		if (at < job.count)
			job.out[at] = curand_shape<What>(numbers[i], job);
	}
	if (first + group <= job.within + job.count)
		*state = next;
}

template <class Engine, curand_what What, class Out>
static __global__ void curand_kernel(typename Engine::State *states, curand_job<Out> job)
{
	unsigned long long item = blockIdx.x * blockDim.x + threadIdx.x;
	const unsigned int group = Engine::template group<What>();
	unsigned long long items = (job.within + job.count + group - 1) / group;

	if (item >= job.width)
		return;
	for (unsigned int index = (job.next + (unsigned int)item) % job.width; item < items;
	     item += job.width)
		curand_item<Engine, What>(&states[index], item, job);
}

template <class Engine, curand_what What>
static curandStatus_t curand_run(curandGenerator_t generator, void *out, size_t count, double mean,
				 double deviation)
{
	typedef typename curand_out<What>::type Out;
	typedef typename Engine::State State;
	const unsigned int group = Engine::template group<What>(), threads = 128;
	curand_job<Out> job = { (Out *)out,
				count,
				generator->width,
				generator->next,
				generator->within,
				mean,
				deviation,
				(const struct curand_table *)generator->table };
	unsigned long long total = generator->within + (unsigned long long)count;
	unsigned long long items = (total + group - 1) / group;
	State *states = (State *)generator->states;

	if (generator->on_host) {
		for (unsigned long long item = 0; item < items; item++)
			curand_item<Engine, What>(&states[(job.next + item) % job.width], item,
						  job);
	} else {
		unsigned long long used = items < job.width ? items : job.width;
		unsigned int blocks = (unsigned int)((used + threads - 1) / threads);

		if (cudaPeekAtLastError() != cudaSuccess)
			return CURAND_STATUS_PREEXISTING_FAILURE;
		curand_kernel<Engine, What>
			<<<blocks, threads, 0, generator->stream>>>(states, job);
		if (cudaPeekAtLastError() != cudaSuccess)
			return CURAND_STATUS_LAUNCH_FAILURE;
	}
	generator->next = (unsigned int)((generator->next + total / group) % job.width);
	generator->within = (unsigned int)(total % group);
	return CURAND_STATUS_SUCCESS;
}

template <class Engine>
static curandStatus_t curand_fill(curandGenerator_t generator, curand_what what, void *out,
				  size_t count, double mean, double deviation)
{
	switch (what) {
	case CURAND_BITS:
		return curand_run<Engine, CURAND_BITS>(generator, out, count, mean, deviation);
	case CURAND_UNIFORM:
		return curand_run<Engine, CURAND_UNIFORM>(generator, out, count, mean, deviation);
	case CURAND_UNIFORM_DOUBLE:
		return curand_run<Engine, CURAND_UNIFORM_DOUBLE>(generator, out, count, mean,
								 deviation);
	case CURAND_BY_TABLE:
		return curand_run<Engine, CURAND_BY_TABLE>(generator, out, count, mean, deviation);
	case CURAND_ROUNDED_NORMAL:
		return curand_run<Engine, CURAND_ROUNDED_NORMAL>(generator, out, count, mean,
								 deviation);
	case CURAND_NORMAL:
		return curand_run<Engine, CURAND_NORMAL>(generator, out, count, mean, deviation);
	case CURAND_NORMAL_DOUBLE:
		return curand_run<Engine, CURAND_NORMAL_DOUBLE>(generator, out, count, mean,
								deviation);
	case CURAND_LOG_NORMAL:
		return curand_run<Engine, CURAND_LOG_NORMAL>(generator, out, count, mean,
							     deviation);
	case CURAND_LOG_NORMAL_DOUBLE:
		return curand_run<Engine, CURAND_LOG_NORMAL_DOUBLE>(generator, out, count, mean,
								    deviation);
	default:
		return CURAND_STATUS_TYPE_ERROR;
	}
}

/* A number of each kind from one of 32 bits, normal ones by the inverse. */
template <curand_what What>
static inline __host__ __device__ typename curand_drawn<What>::type
curand_of_one(unsigned int x)
{
	if constexpr (What == CURAND_BITS || What == CURAND_BY_TABLE)
		return x;
	else if constexpr (What == CURAND_UNIFORM)
		return vgpu_unit(x);
	else if constexpr (What == CURAND_UNIFORM_DOUBLE)
		return vgpu_upper_unit_of_32(x);
	else if constexpr (What == CURAND_NORMAL || What == CURAND_LOG_NORMAL ||
			   What == CURAND_ROUNDED_NORMAL)
		return vgpu_inverse(x);
	else
		return vgpu_inverse_double(x);
}

/*
 * The draws that XORWOW and MRG32k3a have in common: one number, two normal ones. Of Poisson's
 * numbers a draw takes one of two normal ones; a sequence keeps the other for the next of those.
 */
template <class Whole> struct curand_pairs {
	template <curand_what What> static constexpr __host__ __device__ unsigned int group()
	{
		return What >= CURAND_NORMAL ? 2 : 1;
	}

	template <curand_what What, class Out>
	static inline __host__ __device__ void draw_whole(Whole *state, Out *out)
	{
		if constexpr (What == CURAND_BITS || What == CURAND_BY_TABLE) {
			out[0] = curand(state);
		} else if constexpr (What == CURAND_UNIFORM) {
			out[0] = curand_uniform(state);
		} else if constexpr (What == CURAND_UNIFORM_DOUBLE) {
			out[0] = curand_uniform_double(state);
		} else if constexpr (What == CURAND_ROUNDED_NORMAL) {
			out[0] = curand_normal(state);
		} else if constexpr (What == CURAND_NORMAL || What == CURAND_LOG_NORMAL) {
			float2 pair = curand_normal2(state);

			out[0] = pair.x;
			out[1] = pair.y;
		} else {
			double2 pair = curand_normal2_double(state);

			out[0] = pair.x;
			out[1] = pair.y;
		}
	}
};

#endif
