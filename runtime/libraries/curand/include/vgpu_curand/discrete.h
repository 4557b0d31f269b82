/* SPDX-License-Identifier: MIT */
/*
 * Numbers of a discrete distribution that the host has made: by a square histogram, or rounded
 * normal ones. The layouts are CUDA's: a kernel that was compiled elsewhere reads them.
 */
#ifndef VGPU_CURAND_DISCRETE_H
#define VGPU_CURAND_DISCRETE_H

struct curandHistogramM2_st {
	curandHistogramM2V_t V, host_V;
	curandHistogramM2K_t K, host_K;
	unsigned int host_gen;
};

struct curandDistributionM2Shift_st {
	curandHistogramM2_t histogram, host_histogram;
	unsigned int shift, length, host_gen;
};

struct curandDiscreteDistribution_st {
	curandDiscreteDistribution_t self_host_ptr;
	curandDistributionM2Shift_t M2, host_M2;
	double stddev, mean;
	curandMethod_t method;
	unsigned int host_gen;
};

/*
 * u in (0, 1]. Column J has itself up to values[J], then others[J]. A column more, of zeros, is for
 * u = 1, which gives the first number: so do CUDA's generators.
 */
VGPU_CURAND unsigned int vgpu_square(double u, const double *values, const unsigned int *others,
				     unsigned int length)
{
	unsigned int column = (unsigned int)(u * length);

	return u < values[column] ? column : others[column];
}

VGPU_CURAND double vgpu_upper_unit(unsigned int x)
{
	return vgpu_upper_unit_of_32(x);
}

VGPU_CURAND double vgpu_upper_unit(unsigned long long x)
{
	return vgpu_unit_double_of_64(x);
}

template <class State>
VGPU_CURAND unsigned int curand_discrete(State *state, curandDiscreteDistribution_t distribution)
{
	const struct curandDistributionM2Shift_st *square = distribution->M2;

	if (distribution->method != CURAND_M2)
		return (unsigned int)(distribution->stddev * curand_normal_double(state) +
				      distribution->mean + 0.5);
	return square->shift + vgpu_square(vgpu_upper_unit(curand(state)), square->histogram->V,
					   square->histogram->K, square->length);
}

VGPU_CURAND uint4 curand_discrete4(curandStatePhilox4_32_10_t *state,
				   curandDiscreteDistribution_t distribution)
{
	uint4 four;

	four.x = curand_discrete(state, distribution);
	four.y = curand_discrete(state, distribution);
	four.z = curand_discrete(state, distribution);
	four.w = curand_discrete(state, distribution);
	return four;
}

#endif
