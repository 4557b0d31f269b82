/* SPDX-License-Identifier: MIT */
/*
 * Poisson numbers of one thread's generator: products of uniform ones (Knuth) where few are
 * expected, rounded normal ones where many are, between them by rejection (Hoermann, "The
 * transformed rejection method for generating Poisson random variables", 1993). Of a quasi-random
 * sequence, and of MTGP32, each number is one, by the inverse.
 */
#ifndef VGPU_CURAND_POISSON_H
#define VGPU_CURAND_POISSON_H

template <class State> VGPU_CURAND unsigned int vgpu_poisson_product(State *state, float lambda)
{
	float product = expf(lambda);
	unsigned int count = 0;

	while ((product *= curand_uniform(state)) > 1)
		count++;
	return count;
}

template <class State> VGPU_CURAND unsigned int vgpu_poisson_rejection(State *state, double lambda)
{
	double root = sqrt(lambda), b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
	double inverse = 1.1239 + 1.1328 / (b - 3.4), limit = 0.9277 - 3.6224 / (b - 2);

	for (;;) {
		double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state);
		double s = 0.5 - fabs(u), k = floor((2 * a / s + b) * u + lambda + 0.43);

		if (s >= 0.07 && v <= limit)
			return (unsigned int)k;
		if (k < 0 || (s < 0.013 && v > s))
			continue;
		if (log(v * inverse / (a / (s * s) + b)) <=
		    k * log(lambda) - lambda - lgamma(k + 1))
			return (unsigned int)k;
	}
}

template <class State> VGPU_CURAND unsigned int vgpu_poisson_normal(State *state, double lambda)
{
	return (unsigned int)(sqrt(lambda) * curand_normal_double(state) + lambda + 0.5);
}

/* The first K with a part U of all below it or at it. What is far below the mean adds nothing. */
VGPU_CURAND unsigned int vgpu_poisson_inverse(double u, double lambda)
{
	double k = floor(lambda - 12 * sqrt(lambda) - 20), p, sum;

	if (k < 0)
		k = 0;
	p = sum = exp(k * log(lambda) - lambda - lgamma(k + 1));
	while (sum < u) {
		k++;
		p *= lambda / k;
		if (sum + p == sum && k > lambda)
			break;
		sum += p;
	}
	return (unsigned int)k;
}

template <class State> VGPU_CURAND unsigned int curand_poisson(State *state, double lambda)
{
	return lambda < 64	  ? vgpu_poisson_product(state, (float)lambda) :
	       lambda > 4000 ? vgpu_poisson_normal(state, lambda) :
				    vgpu_poisson_rejection(state, lambda);
}

#define VGPU_QUASI_POISSON(State, unit) \
	template <> inline __host__ __device__ unsigned int curand_poisson(State *state, \
									   double lambda) \
	{ \
		return lambda < 1000 ? vgpu_poisson_inverse(unit(curand(state)), lambda) : \
				       vgpu_poisson_normal(state, lambda); \
	}
VGPU_QUASI_POISSON(curandStateSobol32, vgpu_unit_of_32)
VGPU_QUASI_POISSON(curandStateScrambledSobol32, vgpu_unit_of_32)
VGPU_QUASI_POISSON(curandStateSobol64, vgpu_unit_double_of_64)
VGPU_QUASI_POISSON(curandStateScrambledSobol64, vgpu_unit_double_of_64)
VGPU_QUASI_POISSON(curandStateMtgp32, vgpu_unit_of_32)
#undef VGPU_QUASI_POISSON

VGPU_CURAND uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda)
{
	uint4 four;

	four.x = curand_poisson(state, lambda);
	four.y = curand_poisson(state, lambda);
	four.z = curand_poisson(state, lambda);
	four.w = curand_poisson(state, lambda);
	return four;
}

#endif
