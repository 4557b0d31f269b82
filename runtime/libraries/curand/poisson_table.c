// SPDX-License-Identifier: MIT
/*
 * Tables of Poisson's distribution. The square histogram is of Marsaglia, Tsang and Wang ("Fast
 * generation of discrete random variables", 2004). In which order the columns are filled, that
 * log k! is a sum of logarithms, and where a table ends, was found from what CUDA's generators
 * give.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "poisson.h"

/* The probabilities that a double has: LENGTH of them from SHIFT on. */
struct probabilities {
	unsigned int shift, length;
	double *p;
};

static bool find_probabilities(double mean, struct probabilities *found)
{
	double by_one = log(mean), factorial = 0;
	size_t room = (size_t)(2 * mean + 60 * sqrt(mean) + 200);

	found->shift = found->length = 0;
	found->p = malloc(room * sizeof(*found->p));
	if (!found->p)
		return false;
	for (size_t k = 0; found->length < room; k++) {
		double p;

		if (k)
			factorial += log((double)k);
		p = exp((double)k * by_one - mean - factorial);
		if (p > 0)
			found->p[found->length++] = p;
		else if (found->length)
			break;
		else
			found->shift++;
	}
	return true;
}

/*
 * Columns of the same height, each of two parts: its own, and one of a column that has too much.
 * Columns that have too little are filled from left to right, again from the left after the last;
 * what is too much is taken from the right to the left.
 */
static void fill_square(double *p, unsigned int length, double *values, unsigned int *others)
{
	double height = 1.0 / length;
	unsigned int at = 0, from = length;

	for (unsigned int i = 0; i < length; i++) {
		values[i] = (i + 1) * height;
		others[i] = i;
	}
	while (from--)
		while (p[from] > height) {
			unsigned int looked = 0;

			for (; looked < length && p[at] >= height; looked++)
				at = at + 1 < length ? at + 1 : 0;
			if (looked == length)
				return;
			values[at] = at * height + p[at];
			others[at] = from;
			p[from] -= height - p[at];
			p[at] = height;
		}
}

/* Up to where the sum reaches one, or does not grow any more. */
static unsigned int fill_cumulative(const double *p, unsigned int length, double *values)
{
	double sum = 0;
	unsigned int last = 0;

	for (unsigned int i = 0; i < length && sum < 1; i++) {
		if (sum + p[i] > sum)
			last = i;
		sum += p[i];
		values[i] = sum;
	}
	return last + 1;
}

struct curand_table *curand_poisson_table(double mean, enum curand_table_kind kind, size_t *bytes)
{
	struct probabilities found;
	struct curand_table *table;
	double *values;

	if (!find_probabilities(mean, &found))
		return NULL;
	*bytes = sizeof(*table) + (found.length + 1) * (sizeof(double) + sizeof(unsigned int));
	table = calloc(1, *bytes);
	if (table) {
		values = (double *)(table + 1);
		table->kind = kind;
		table->shift = found.shift;
		table->length = found.length;
		if (kind == CURAND_TABLE_SQUARE)
			fill_square(found.p, found.length, values,
				    (unsigned int *)(values + found.length + 1));
		else
			table->length = fill_cumulative(found.p, found.length, values);
	}
	free(found.p);
	return table;
}
