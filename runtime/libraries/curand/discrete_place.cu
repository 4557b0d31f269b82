// SPDX-License-Identifier: MIT
/*
 * A distribution for kernels, in memory of the device.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <curand_kernel.h>

#include "discrete_place.h"
#include "generator.h"

/* As it lies on the device: VALUES are followed by the columns' others. */
struct placed {
	curandDiscreteDistribution_st distribution;
	curandDistributionM2Shift_st square;
	curandHistogramM2_st histogram;
	double values[1];
};

static size_t values_bytes(unsigned int length)
{
	return (length + 1) * (sizeof(double) + sizeof(unsigned int));
}

static void fill(placed *p, placed *at, const curand_table *table)
{
	p->distribution.M2 = &at->square;
	p->distribution.method = CURAND_M2;
	p->square.histogram = &at->histogram;
	p->square.shift = table->shift;
	p->square.length = table->length;
	p->histogram.V = at->values;
	p->histogram.K = (curandHistogramM2K_t)(at->values + table->length + 1);
	memcpy(p->values, table + 1, values_bytes(table->length));
}

void *curand_place_discrete(const curand_table *table, double mean, double deviation)
{
	size_t bytes = offsetof(placed, values) + (table ? values_bytes(table->length) : 0);
	placed *p = (placed *)calloc(1, bytes < sizeof(*p) ? sizeof(*p) : bytes), *at = NULL;

	if (!p)
		return NULL;
	at = (placed *)curand_allocate(bytes);
	if (at) {
		p->distribution.self_host_ptr = &at->distribution;
		p->distribution.mean = mean;
		p->distribution.stddev = deviation;
		p->distribution.method = CURAND_DISCRETE_GAUSS;
		if (table)
			fill(p, at, table);
		if (cudaMemcpy(at, p, bytes, cudaMemcpyHostToDevice) != cudaSuccess) {
			cudaFree(at);
			at = NULL;
		}
	}
	free(p);
	return at;
}
