/* SPDX-License-Identifier: MIT */
/*
 * What a texture fetch must give, by the formulas of the CUDA programming guide ("Texture
 * Fetching"), written down a second time: on the host, by integers as far as they go. Coordinates
 * of the tests are multiples of 1/64, so that no product of one is rounded.
 */
#ifndef TESTS_CUDA_TEXTURE_REFERENCE_H
#define TESTS_CUDA_TEXTURE_REFERENCE_H

#include "../common.h"

/* A direction: texels, and what the object says about it. */
struct direction {
	int size;
	cudaTextureAddressMode mode;
};

/* Which texel index i means; -1: none. */
static inline int texel_index(const struct direction *d, int i, bool unit)
{
	int n = d->size, m;

	if (d->mode == cudaAddressModeBorder)
		return i >= 0 && i < n ? i : -1;
	if (d->mode == cudaAddressModeClamp || !unit)
		return i < 0 ? 0 : i < n ? i : n - 1;
	if (d->mode == cudaAddressModeWrap)
		return ((i % n) + n) % n;
	m = ((i % (2 * n)) + 2 * n) % (2 * n);
	return m < n ? m : 2 * n - 1 - m;
}

/* The texels on both sides of a coordinate, and the weight of the second, in 256ths. */
struct corner {
	int at[2];
	int weight;
};

static inline struct corner corners_of(const struct direction *d, float x, bool unit, bool linear)
{
	double place = unit ? (double)x * d->size : (double)x;
	struct corner c = {};
	double whole;

	if (linear)
		place -= 0.5;
	whole = floor(place);
	c.at[0] = texel_index(d, (int)whole, unit);
	c.at[1] = texel_index(d, (int)whole + 1, unit);
	c.weight = linear ? (int)rint((place - whole) * 256) : 0;
	return c;
}

/* The weight of a corner of up to three directions; bit n of @number: the second of direction n. */
static inline float corner_weight(const struct corner *c, int directions, int number)
{
	float weight = 1;

	for (int n = 0; n < directions; n++)
		weight *= (float)(number >> n & 1 ? c[n].weight : 256 - c[n].weight) / 256;
	return weight;
}

/* A filtered value of what @texel(x, y, z) gives, with @outside for what there is not. */
template <class F>
static inline float filtered(const struct corner *c, int directions, float outside, F texel)
{
	float sum = 0;

	for (int n = 0; n < 1 << directions; n++) {
		float weight = corner_weight(c, directions, n);
		int at[3] = {};
		bool there = true;

		for (int d = 0; d < directions; d++) {
			at[d] = c[d].at[n >> d & 1];
			there = there && at[d] >= 0;
		}
		if (weight != 0)
			sum = fmaf(weight, there ? texel(at[0], at[1], at[2]) : outside, sum);
	}
	return sum;
}

static inline cudaTextureDesc sampling(cudaTextureAddressMode mode, cudaTextureFilterMode filter,
				       bool unit)
{
	cudaTextureDesc desc = {};

	for (int i = 0; i < 3; i++)
		desc.addressMode[i] = mode;
	desc.filterMode = filter;
	desc.normalizedCoords = unit;
	return desc;
}

static inline cudaTextureObject_t texture_of(cudaArray_t array, const cudaTextureDesc &desc)
{
	cudaTextureObject_t object = 0;
	cudaResourceDesc resource = {};

	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	CHECK(cudaCreateTextureObject(&object, &resource, &desc, NULL));
	return object;
}

#endif
