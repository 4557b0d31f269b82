/* SPDX-License-Identifier: MIT */
/*
 * How a uniform number becomes one of a discrete distribution: by a square histogram or by its
 * cumulative probabilities.
 */
#ifndef VGPU_CURAND_POISSON_LIBRARY_H
#define VGPU_CURAND_POISSON_LIBRARY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum curand_table_kind {
	CURAND_TABLE_SQUARE,
	CURAND_TABLE_CUMULATIVE,
};

/*
 * LENGTH doubles and a zero follow, then, of a square histogram, as many numbers of columns and a
 * zero.
 */
struct curand_table {
	unsigned int kind, shift, length, unused;
};

/* Of Poisson's distribution; free() it. NULL: no memory. */
struct curand_table *curand_poisson_table(double mean, enum curand_table_kind kind, size_t *bytes);

#ifdef __cplusplus
}

#include <curand_kernel.h>

/* u in (0, 1] */
static inline __host__ __device__ unsigned int curand_look_up(const struct curand_table *table,
							      double u)
{
	const double *values = (const double *)(table + 1);
	unsigned int low = 0, high = table->length - 1;

	if (table->kind == CURAND_TABLE_SQUARE)
		return table->shift +
		       vgpu_square(u, values, (const unsigned int *)(values + table->length + 1),
				   table->length);
	/* the first that has U or, where the sum stays below it, all */
	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (values[middle] >= u)
			high = middle;
		else
			low = middle + 1;
	}
	return table->shift + low;
}

static inline __host__ __device__ unsigned int curand_look_up(const struct curand_table *table,
							      unsigned int x)
{
	return curand_look_up(table, vgpu_upper_unit_of_32(x));
}
#endif

#endif
