/* SPDX-License-Identifier: MIT */
/*
 * Normal and log-normal numbers of one thread's generator. Two normal ones are made at a
 * time; the second is kept in the state.
 */
#ifndef VGPU_CURAND_DISTRIBUTIONS_H
#define VGPU_CURAND_DISTRIBUTIONS_H

template <class State> VGPU_CURAND float2 curand_normal2(State *state)
{
	return vgpu_normal_pair(state);
}

template <class State> VGPU_CURAND double2 curand_normal2_double(State *state)
{
	return vgpu_normal_pair_double(state);
}

template <class State> VGPU_CURAND float curand_normal(State *state)
{
	float2 pair;

	if (state->boxmuller_flag) {
		state->boxmuller_flag = 0;
		return state->boxmuller_extra;
	}
	pair = vgpu_normal_pair(state);
	state->boxmuller_extra = pair.y;
	state->boxmuller_flag = 1;
	return pair.x;
}

template <class State> VGPU_CURAND double curand_normal_double(State *state)
{
	double2 pair;

	if (state->boxmuller_flag_double) {
		state->boxmuller_flag_double = 0;
		return state->boxmuller_extra_double;
	}
	pair = vgpu_normal_pair_double(state);
	state->boxmuller_extra_double = pair.y;
	state->boxmuller_flag_double = 1;
	return pair.x;
}

/* Of a quasi-random sequence, and of MTGP32, each number is one, by the inverse. */
#define VGPU_QUASI(State, unit, uniform_double) \
	template <> inline __host__ __device__ float curand_uniform(State *state) \
	{ \
		return unit(curand(state)); \
	} \
	template <> inline __host__ __device__ double curand_uniform_double(State *state) \
	{ \
		return uniform_double(curand(state)); \
	} \
	template <> inline __host__ __device__ float curand_normal(State *state) \
	{ \
		return vgpu_inverse(curand(state)); \
	} \
	template <> inline __host__ __device__ double curand_normal_double(State *state) \
	{ \
		return vgpu_inverse_double(curand(state)); \
	}

VGPU_CURAND float vgpu_unit_of_64(unsigned long long x)
{
	return vgpu_unit((unsigned int)(x >> 32));
}

VGPU_CURAND double vgpu_unit_double_of_64(unsigned long long x)
{
	return (x >> 11) * VGPU_2_53 + VGPU_2_53 / 2;
}

/* The upper half by the lower one, where numbers near the end are finer. */
VGPU_CURAND float vgpu_inverse(unsigned int x)
{
	return x >> 31 ? -(float)vgpu_normal_inverse(vgpu_unit(~x)) :
			 (float)vgpu_normal_inverse(vgpu_unit(x));
}

VGPU_CURAND float vgpu_inverse(unsigned long long x)
{
	return vgpu_inverse((unsigned int)(x >> 32));
}

VGPU_CURAND double vgpu_inverse_double(unsigned int x)
{
	return x >> 31 ? -vgpu_normal_inverse(vgpu_unit_of_32(~x)) :
			 vgpu_normal_inverse(vgpu_unit_of_32(x));
}

VGPU_CURAND double vgpu_inverse_double(unsigned long long x)
{
	return x >> 63 ? -vgpu_normal_inverse(vgpu_unit_double_of_64(~x)) :
			 vgpu_normal_inverse(vgpu_unit_double_of_64(x));
}

VGPU_QUASI(curandStateSobol32, vgpu_unit, vgpu_upper_unit_of_32)
VGPU_QUASI(curandStateScrambledSobol32, vgpu_unit, vgpu_upper_unit_of_32)
VGPU_QUASI(curandStateSobol64, vgpu_unit_of_64, vgpu_unit_double_of_64)
VGPU_QUASI(curandStateScrambledSobol64, vgpu_unit_of_64, vgpu_unit_double_of_64)
VGPU_QUASI(curandStateMtgp32, vgpu_unit, vgpu_upper_unit_of_32)
#undef VGPU_QUASI

template <class State>
VGPU_CURAND float curand_log_normal(State *state, float mean, float deviation)
{
	return expf(mean + deviation * curand_normal(state));
}

template <class State>
VGPU_CURAND double curand_log_normal_double(State *state, double mean, double deviation)
{
	return exp(mean + deviation * curand_normal_double(state));
}

template <class State>
VGPU_CURAND float2 curand_log_normal2(State *state, float mean, float deviation)
{
	float2 pair = curand_normal2(state);

	pair.x = expf(mean + deviation * pair.x);
	pair.y = expf(mean + deviation * pair.y);
	return pair;
}

template <class State>
VGPU_CURAND double2 curand_log_normal2_double(State *state, double mean, double deviation)
{
	double2 pair = curand_normal2_double(state);

	pair.x = exp(mean + deviation * pair.x);
	pair.y = exp(mean + deviation * pair.y);
	return pair;
}

/* Philox gives four at a time. */
VGPU_CURAND float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
	uint4 x = curand4(state);
	float4 four = { vgpu_unit(x.x), vgpu_unit(x.y), vgpu_unit(x.z), vgpu_unit(x.w) };

	return four;
}

VGPU_CURAND double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
	uint4 x = curand4(state);
	double2 pair = { vgpu_unit_double(x.x, x.y), vgpu_unit_double(x.z, x.w) };

	return pair;
}

VGPU_CURAND float4 curand_normal4(curandStatePhilox4_32_10_t *state)
{
	uint4 x = curand4(state);
	float2 a = vgpu_box_muller(vgpu_unit(x.x), vgpu_angle(x.y));
	float2 b = vgpu_box_muller(vgpu_unit(x.z), vgpu_angle(x.w));
	float4 four = { a.x, a.y, b.x, b.y };

	return four;
}

VGPU_CURAND float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean,
				      float deviation)
{
	float4 four = curand_normal4(state);

	four.x = expf(mean + deviation * four.x);
	four.y = expf(mean + deviation * four.y);
	four.z = expf(mean + deviation * four.z);
	four.w = expf(mean + deviation * four.w);
	return four;
}

#endif
