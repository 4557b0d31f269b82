// SPDX-License-Identifier: MIT
/*
 * cuRAND's host API: the direction vectors and constants of Sobol's sequences, for programs that
 * make sequences in their kernels. Each table is made when it is first asked for, and kept.
 */
#include <pthread.h>
#include <stdlib.h>

#include "generator.h"
#include "scramble.h"

struct tables {
	pthread_mutex_t lock;
	void *vectors, *constants;
};

static struct tables plain32 = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct tables plain64 = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct tables scrambled32 = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct tables scrambled64 = { .lock = PTHREAD_MUTEX_INITIALIZER };

static curandStatus_t make_plain32(unsigned int dimensions, void *vectors, void *constants)
{
	(void)constants;
	curand_directions32(dimensions, vectors);
	return CURAND_STATUS_SUCCESS;
}

static curandStatus_t make_plain64(unsigned int dimensions, void *vectors, void *constants)
{
	(void)constants;
	curand_directions64(dimensions, vectors);
	return CURAND_STATUS_SUCCESS;
}

static curandStatus_t make_scrambled32(unsigned int dimensions, void *vectors, void *constants)
{
	return curand_scrambled32(dimensions, vectors, constants);
}

static curandStatus_t make_scrambled64(unsigned int dimensions, void *vectors, void *constants)
{
	return curand_scrambled64(dimensions, vectors, constants);
}

static curandStatus_t make(struct tables *tables, size_t word,
			   curandStatus_t (*make_all)(unsigned int dimensions, void *vectors,
						      void *constants))
{
	curandStatus_t status = CURAND_STATUS_ALLOCATION_FAILED;
	void *vectors, *constants;

	vectors = malloc(CURAND_MAX_DIMENSIONS * 8 * word * word);
	constants = malloc(CURAND_MAX_DIMENSIONS * word);
	if (vectors && constants)
		status = make_all(CURAND_MAX_DIMENSIONS, vectors, constants);
	if (status == CURAND_STATUS_SUCCESS) {
		tables->vectors = vectors;
		tables->constants = constants;
	} else {
		free(vectors);
		free(constants);
	}
	return status;
}

static curandStatus_t make_once(struct tables *tables, size_t word,
				curandStatus_t (*make_all)(unsigned int dimensions, void *vectors,
							   void *constants))
{
	curandStatus_t status = CURAND_STATUS_SUCCESS;

	pthread_mutex_lock(&tables->lock);
	if (!tables->vectors)
		status = make(tables, word, make_all);
	pthread_mutex_unlock(&tables->lock);
	return status;
}

VGPU_API curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[],
						    curandDirectionVectorSet_t set)
{
	bool scrambled = set == CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6;
	struct tables *tables = scrambled ? &scrambled32 : &plain32;
	curandStatus_t status;

	if (!vectors || (!scrambled && set != CURAND_DIRECTION_VECTORS_32_JOEKUO6))
		return CURAND_STATUS_OUT_OF_RANGE;
	status = make_once(tables, 4, scrambled ? make_scrambled32 : make_plain32);
	if (status == CURAND_STATUS_SUCCESS)
		*vectors = tables->vectors;
	return status;
}

VGPU_API curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[],
						    curandDirectionVectorSet_t set)
{
	bool scrambled = set == CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6;
	struct tables *tables = scrambled ? &scrambled64 : &plain64;
	curandStatus_t status;

	if (!vectors || (!scrambled && set != CURAND_DIRECTION_VECTORS_64_JOEKUO6))
		return CURAND_STATUS_OUT_OF_RANGE;
	status = make_once(tables, 8, scrambled ? make_scrambled64 : make_plain64);
	if (status == CURAND_STATUS_SUCCESS)
		*vectors = tables->vectors;
	return status;
}

VGPU_API curandStatus_t curandGetScrambleConstants32(unsigned int **constants)
{
	curandStatus_t status;

	if (!constants)
		return CURAND_STATUS_OUT_OF_RANGE;
	status = make_once(&scrambled32, 4, make_scrambled32);
	if (status == CURAND_STATUS_SUCCESS)
		*constants = scrambled32.constants;
	return status;
}

VGPU_API curandStatus_t curandGetScrambleConstants64(unsigned long long **constants)
{
	curandStatus_t status;

	if (!constants)
		return CURAND_STATUS_OUT_OF_RANGE;
	status = make_once(&scrambled64, 8, make_scrambled64);
	if (status == CURAND_STATUS_SUCCESS)
		*constants = scrambled64.constants;
	return status;
}
