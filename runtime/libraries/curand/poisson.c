// SPDX-License-Identifier: MIT
/*
 * cuRAND's host API: Poisson numbers, and their distribution as a table for kernels.
 */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "discrete_place.h"
#include "generator.h"
#include "poisson.h"

#define MEAN_MAX 400000.0
/* From here on rounded normal numbers are near enough. */
#define NORMAL_FROM 2000.0
/* Of Sobol's sequences of 32 bits, and of MTGP32, the inverse is taken between these. */
#define SOBOL_INVERSE_FROM 10.0
#define MTGP32_INVERSE_FROM 32.0
#define INVERSE_TO 8000.0

static bool by_normal(curandGenerator_t generator, double mean)
{
	switch (generator->type) {
	case CURAND_RNG_PSEUDO_MTGP32:
	case CURAND_RNG_QUASI_DEFAULT:
	case CURAND_RNG_QUASI_SOBOL32:
	case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
		return mean > INVERSE_TO;
	default:
		return mean >= NORMAL_FROM;
	}
}

static enum curand_table_kind kind_of(curandGenerator_t generator, double mean)
{
	switch (generator->type) {
	case CURAND_RNG_QUASI_DEFAULT:
	case CURAND_RNG_QUASI_SOBOL32:
	case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
		return mean < SOBOL_INVERSE_FROM ? CURAND_TABLE_SQUARE : CURAND_TABLE_CUMULATIVE;
	case CURAND_RNG_PSEUDO_MTGP32:
		return mean < MTGP32_INVERSE_FROM ? CURAND_TABLE_SQUARE : CURAND_TABLE_CUMULATIVE;
	case CURAND_RNG_QUASI_SOBOL64:
	case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
		return CURAND_TABLE_CUMULATIVE;
	default:
		return CURAND_TABLE_SQUARE;
	}
}

/* The table stays for more numbers of the same mean. */
static curandStatus_t place_table(curandGenerator_t generator, double mean)
{
	struct curand_table *table;
	curandStatus_t status;
	size_t bytes;

	if (generator->table && generator->table_mean == mean)
		return CURAND_STATUS_SUCCESS;
	curand_free(generator, generator->table);
	generator->table = NULL;
	table = curand_poisson_table(mean, kind_of(generator, mean), &bytes);
	if (!table)
		return CURAND_STATUS_ALLOCATION_FAILED;
	status = curand_place(generator, table, bytes, &generator->table);
	generator->table_mean = mean;
	free(table);
	return status;
}

VGPU_API curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int *output,
					      size_t count, double lambda)
{
	curandStatus_t status;

	if (!curand_is_generator(generator))
		return CURAND_STATUS_NOT_INITIALIZED;
	if (!(lambda > 0 && lambda <= MEAN_MAX))
		return CURAND_STATUS_OUT_OF_RANGE;
	if (by_normal(generator, lambda))
		return curand_generate(generator, CURAND_ROUNDED_NORMAL, output, count, lambda,
				       sqrt(lambda));
	status = place_table(generator, lambda);
	if (status != CURAND_STATUS_SUCCESS)
		return status;
	return curand_generate(generator, CURAND_BY_TABLE, output, count, 0, 1);
}

/* Distributions that are there: what is destroyed has to be one. */
struct place {
	struct place *next;
	void *at;
};
static struct place *places;
static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;

VGPU_API curandStatus_t curandCreatePoissonDistribution(double lambda,
							curandDiscreteDistribution_t *distribution)
{
	struct curand_table *table = NULL;
	struct place *place;
	size_t bytes;

	if (!distribution || !(lambda > 0 && lambda <= MEAN_MAX))
		return CURAND_STATUS_OUT_OF_RANGE;
	place = calloc(1, sizeof(*place));
	if (!place)
		return CURAND_STATUS_ALLOCATION_FAILED;
	if (lambda < NORMAL_FROM) {
		table = curand_poisson_table(lambda, CURAND_TABLE_SQUARE, &bytes);
		if (!table) {
			free(place);
			return CURAND_STATUS_ALLOCATION_FAILED;
		}
	}
	place->at = curand_place_discrete(table, lambda, sqrt(lambda));
	free(table);
	if (!place->at) {
		free(place);
		return CURAND_STATUS_ALLOCATION_FAILED;
	}
	pthread_mutex_lock(&places_lock);
	place->next = places;
	places = place;
	pthread_mutex_unlock(&places_lock);
	*distribution = place->at;
	return CURAND_STATUS_SUCCESS;
}

VGPU_API curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t distribution)
{
	struct place **link, *place;

	pthread_mutex_lock(&places_lock);
	for (link = &places; *link && (*link)->at != distribution; link = &(*link)->next)
		;
	place = *link;
	if (place)
		*link = place->next;
	pthread_mutex_unlock(&places_lock);
	if (!place)
		return CURAND_STATUS_NOT_INITIALIZED;
	cudaFree(place->at);
	free(place);
	return CURAND_STATUS_SUCCESS;
}
