/* SPDX-License-Identifier: MIT */
/*
 * Uniform numbers in (0, 1], and the pairs of which normal ones are made.
 */
#ifndef VGPU_CURAND_UNIFORM_H
#define VGPU_CURAND_UNIFORM_H

#define VGPU_2_32F 2.3283064e-10f	/* 2^-32 */
#define VGPU_2_53 1.1102230246251565e-16

VGPU_CURAND float vgpu_unit(unsigned int x)
{
	return x * VGPU_2_32F + VGPU_2_32F / 2;
}

VGPU_CURAND float vgpu_angle(unsigned int x)
{
	return x * (VGPU_2_32F * VGPU_TWO_PI_F) + VGPU_2_32F / 2 * VGPU_TWO_PI_F;
}

VGPU_CURAND double vgpu_unit_of_32(unsigned int x)
{
	return x * (VGPU_2_53 * 2097152) + VGPU_2_53 * 1048576;
}

VGPU_CURAND double vgpu_upper_unit_of_32(unsigned int x)
{
	return x * (VGPU_2_53 * 2097152) + VGPU_2_53 * 2097152;
}

/* 53 bits of two numbers */
VGPU_CURAND double vgpu_unit_double(unsigned int x, unsigned int y)
{
	return (x ^ (unsigned long long)y << 21) * VGPU_2_53 + VGPU_2_53 / 2;
}

VGPU_CURAND double vgpu_half_turns(unsigned int x, unsigned int y)
{
	return (x ^ (unsigned long long)y << 21) * (VGPU_2_53 * 2) + VGPU_2_53;
}

template <class State> VGPU_CURAND float curand_uniform(State *state)
{
	return vgpu_unit(curand(state));
}

template <class State> VGPU_CURAND double curand_uniform_double(State *state)
{
	unsigned int x = curand(state), y = curand(state);

	return vgpu_unit_double(x, y);
}

template <class State> VGPU_CURAND float2 vgpu_normal_pair(State *state)
{
	unsigned int x = curand(state), y = curand(state);

	return vgpu_box_muller(vgpu_unit(x), vgpu_angle(y));
}

template <class State> VGPU_CURAND double2 vgpu_normal_pair_double(State *state)
{
	unsigned int x0 = curand(state), x1 = curand(state);
	unsigned int y0 = curand(state), y1 = curand(state);

	return vgpu_box_muller_double(vgpu_unit_double(x0, x1), vgpu_half_turns(y0, y1));
}

/* Philox makes one of a single number, but for curand_uniform2_double(). */
template <> inline __host__ __device__ double
curand_uniform_double(curandStatePhilox4_32_10 *state)
{
	return vgpu_upper_unit_of_32(curand(state));
}

/* MRG32k3a's numbers are below 2^32 - 208, and a double is made of one. */
template <> inline __host__ __device__ double curand_uniform_double(curandStateMRG32k3a *state)
{
	return vgpu_mrg_next(state) * (1 / (double)VGPU_MRG_M1);
}

template <> inline __host__ __device__ float curand_uniform(curandStateMRG32k3a *state)
{
	return (float)curand_uniform_double(state);
}

template <> inline __host__ __device__ float2 vgpu_normal_pair(curandStateMRG32k3a *state)
{
	float u = curand_uniform(state), v = curand_uniform(state);

	return vgpu_box_muller(u, v * VGPU_TWO_PI_F);
}

template <> inline __host__ __device__ double2 vgpu_normal_pair_double(curandStateMRG32k3a *state)
{
	double u = curand_uniform_double(state), v = curand_uniform_double(state);

	return vgpu_box_muller_double(u, 2 * v);
}

#endif
