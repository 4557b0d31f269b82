// SPDX-License-Identifier: MIT
/*
 * cuRAND's host API: generators, and what may be set of them.
 */
#include <stdlib.h>
#include <string.h>

#include "generator.h"
#include "joekuo.h"
#include "place.h"

enum { GENERATOR = 0x67726e64 };

static const struct curand_engine *engine_of(curandRngType_t type)
{
	switch (type) {
	case CURAND_RNG_PSEUDO_DEFAULT:
	case CURAND_RNG_PSEUDO_XORWOW:
		return &curand_xorwow;
	case CURAND_RNG_PSEUDO_MRG32K3A:
		return &curand_mrg32k3a;
	case CURAND_RNG_PSEUDO_PHILOX4_32_10:
		return &curand_philox;
	case CURAND_RNG_PSEUDO_MTGP32:
		return &curand_mtgp32;
	case CURAND_RNG_PSEUDO_MT19937:
		return &curand_mt19937;
	case CURAND_RNG_QUASI_DEFAULT:
	case CURAND_RNG_QUASI_SOBOL32:
		return &curand_sobol32;
	case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
		return &curand_scrambled_sobol32;
	case CURAND_RNG_QUASI_SOBOL64:
		return &curand_sobol64;
	case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
		return &curand_scrambled_sobol64;
	default:
		return NULL;
	}
}

bool curand_is_generator(curandGenerator_t generator)
{
	return generator && live_is(generator, GENERATOR);
}

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool on_host)
{
	const struct curand_engine *engine = engine_of(type);
	struct curandGenerator_st *made;

	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	if (!engine)
		return CURAND_STATUS_TYPE_ERROR;
	if (engine->usable) {
		curandStatus_t status = engine->usable();

		if (status != CURAND_STATUS_SUCCESS)
			return status;
	}
	made = live_new(sizeof(*made), GENERATOR);
	if (!made)
		return CURAND_STATUS_ALLOCATION_FAILED;
	made->type = type;
	made->engine = engine;
	made->on_host = on_host;
	made->ordering = engine->quasi ? CURAND_ORDERING_QUASI_DEFAULT :
					 CURAND_ORDERING_PSEUDO_DEFAULT;
	made->dimensions = 1;
	if (!on_host && cudaGetDevice(&made->device) != cudaSuccess) {
		live_delete(made, GENERATOR);
		return CURAND_STATUS_INITIALIZATION_FAILED;
	}
	*generator = made;
	return CURAND_STATUS_SUCCESS;
}

VGPU_API curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
	return create(generator, type, false);
}

VGPU_API curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator,
						  curandRngType_t type)
{
	return create(generator, type, true);
}

void curand_free(struct curandGenerator_st *generator, void *placed)
{
	if (generator->on_host)
		free(placed);
	else if (placed)
		cudaFree(placed);
}

void curand_drop_states(struct curandGenerator_st *generator)
{
	curand_free(generator, generator->states);
	generator->states = NULL;
	free(generator->ahead);
	generator->ahead = NULL;
}

VGPU_API curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
	if (!curand_is_generator(generator))
		return CURAND_STATUS_NOT_INITIALIZED;
	curand_drop_states(generator);
	curand_free(generator, generator->table);
	live_delete(generator, GENERATOR);
	return CURAND_STATUS_SUCCESS;
}

VGPU_API curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
	if (!curand_is_generator(generator))
		return CURAND_STATUS_NOT_INITIALIZED;
	generator->stream = stream;
	return CURAND_STATUS_SUCCESS;
}

VGPU_API curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
							   unsigned long long seed)
{
	if (!curand_is_generator(generator))
		return CURAND_STATUS_NOT_INITIALIZED;
	if (generator->engine->quasi)
		return CURAND_STATUS_TYPE_ERROR;
	curand_drop_states(generator);
	generator->seed = seed;
	return CURAND_STATUS_SUCCESS;
}

VGPU_API curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator,
						 unsigned long long offset)
{
	if (!curand_is_generator(generator))
		return CURAND_STATUS_NOT_INITIALIZED;
	if (!generator->engine->has_offset)
		return CURAND_STATUS_TYPE_ERROR;
	curand_drop_states(generator);
	generator->offset = offset;
	return CURAND_STATUS_SUCCESS;
}

VGPU_API curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator,
						   curandOrdering_t order)
{
	const struct curand_engine *engine;
	bool good;

	if (!curand_is_generator(generator))
		return CURAND_STATUS_NOT_INITIALIZED;
	engine = generator->engine;
	switch (order) {
	case CURAND_ORDERING_PSEUDO_BEST:
		good = !engine->quasi && engine->has_best;
		break;
	case CURAND_ORDERING_PSEUDO_DEFAULT:
	case CURAND_ORDERING_PSEUDO_LEGACY:
		good = !engine->quasi;
		break;
	case CURAND_ORDERING_PSEUDO_SEEDED:
		good = engine->has_seeded;
		break;
	case CURAND_ORDERING_PSEUDO_DYNAMIC:
		/* what is best for a device: here that is the default */
		good = !engine->quasi && engine->has_best && !generator->on_host;
		break;
	case CURAND_ORDERING_QUASI_DEFAULT:
		good = engine->quasi;
		break;
	default:
		good = false;
	}
	if (!good)
		return CURAND_STATUS_OUT_OF_RANGE;
	curand_drop_states(generator);
	generator->ordering = order;
	return CURAND_STATUS_SUCCESS;
}

VGPU_API curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
								unsigned int dimensions)
{
	if (!curand_is_generator(generator))
		return CURAND_STATUS_NOT_INITIALIZED;
	if (!generator->engine->quasi)
		return CURAND_STATUS_TYPE_ERROR;
	if (!dimensions || dimensions > CURAND_MAX_DIMENSIONS)
		return CURAND_STATUS_OUT_OF_RANGE;
	curand_drop_states(generator);
	generator->dimensions = dimensions;
	return CURAND_STATUS_SUCCESS;
}

void *curand_allocate(size_t bytes)
{
	void *memory;

	if (cudaMalloc(&memory, bytes) == cudaSuccess)
		return memory;
	/* told by the status: the next launch is not to find it */
	cudaGetLastError();
	return NULL;
}

curandStatus_t curand_place(struct curandGenerator_st *generator, const void *from, size_t bytes,
			    void **placed)
{
	*placed = NULL;
	if (generator->on_host) {
		*placed = malloc(bytes);
		if (!*placed)
			return CURAND_STATUS_ALLOCATION_FAILED;
		memcpy(*placed, from, bytes);
		return CURAND_STATUS_SUCCESS;
	}
	*placed = curand_allocate(bytes);
	if (!*placed)
		return CURAND_STATUS_ALLOCATION_FAILED;
	if (cudaMemcpyAsync(*placed, from, bytes, cudaMemcpyHostToDevice, generator->stream) !=
		    cudaSuccess ||
	    cudaStreamSynchronize(generator->stream) != cudaSuccess) {
		cudaFree(*placed);
		*placed = NULL;
		return CURAND_STATUS_PREEXISTING_FAILURE;
	}
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curand_set_states(struct curandGenerator_st *generator, const void *states,
				 size_t bytes)
{
	curand_drop_states(generator);
	return curand_place(generator, states, bytes, &generator->states);
}

/* Its states and tables are memory of one context. */
static bool is_elsewhere(const struct curandGenerator_st *generator, const char *function)
{
	int device;

	if (generator->on_host || cudaGetDevice(&device) != cudaSuccess ||
	    (device == generator->device && place_is_here(generator->states)))
		return false;
	say_once("libcurand", function,
		 "the generator is of another device or context than the calling thread's: "
		 "cudaSetDevice() first");
	return true;
}

static curandStatus_t prepare(struct curandGenerator_st *generator)
{
	if (generator->states)
		return CURAND_STATUS_SUCCESS;
	generator->next = generator->within = 0;
	return generator->engine->prepare(generator);
}

VGPU_API curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
	curandStatus_t status;

	if (!curand_is_generator(generator))
		return CURAND_STATUS_NOT_INITIALIZED;
	if (is_elsewhere(generator, __func__))
		return CURAND_STATUS_LAUNCH_FAILURE;
	curand_drop_states(generator);
	status = prepare(generator);
	if (status == CURAND_STATUS_SUCCESS && generator->engine->complete)
		status = generator->engine->complete(generator);
	return status;
}

curandStatus_t curand_generate(curandGenerator_t generator, enum curand_what what, void *out,
			       size_t count, double mean, double deviation)
{
	curandStatus_t status;

	if (!curand_is_generator(generator))
		return CURAND_STATUS_NOT_INITIALIZED;
	if (generator->engine->quasi && count % generator->dimensions)
		return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
	if (what >= CURAND_NORMAL && generator->engine->pairs && count % 2)
		return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
	if (count && !out)
		return CURAND_STATUS_OUT_OF_RANGE;
	if (is_elsewhere(generator, "curandGenerate"))
		return CURAND_STATUS_LAUNCH_FAILURE;
	status = prepare(generator);
	if (status != CURAND_STATUS_SUCCESS || !count)
		return status;
	return generator->engine->fill(generator, what, out, count, mean, deviation);
}

VGPU_API curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *output,
				       size_t count)
{
	if (curand_is_generator(generator) &&
	    (generator->type == CURAND_RNG_QUASI_SOBOL64 ||
	     generator->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64))
		return CURAND_STATUS_TYPE_ERROR;
	return curand_generate(generator, CURAND_BITS, output, count, 0, 1);
}

/* Only the quasi-random sequences of 64 bits have such numbers. */
VGPU_API curandStatus_t curandGenerateLongLong(curandGenerator_t generator,
					       unsigned long long *output, size_t count)
{
	if (!curand_is_generator(generator))
		return CURAND_STATUS_NOT_INITIALIZED;
	if (generator->type != CURAND_RNG_QUASI_SOBOL64 &&
	    generator->type != CURAND_RNG_QUASI_SCRAMBLED_SOBOL64)
		return CURAND_STATUS_TYPE_ERROR;
	return curand_generate(generator, CURAND_BITS64, output, count, 0, 1);
}

VGPU_API curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *output,
					      size_t count)
{
	return curand_generate(generator, CURAND_UNIFORM, output, count, 0, 1);
}

VGPU_API curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *output,
						    size_t count)
{
	return curand_generate(generator, CURAND_UNIFORM_DOUBLE, output, count, 0, 1);
}

VGPU_API curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *output,
					     size_t count, float mean, float deviation)
{
	return curand_generate(generator, CURAND_NORMAL, output, count, mean, deviation);
}

VGPU_API curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *output,
						   size_t count, double mean, double deviation)
{
	return curand_generate(generator, CURAND_NORMAL_DOUBLE, output, count, mean, deviation);
}

VGPU_API curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *output,
						size_t count, float mean, float deviation)
{
	return curand_generate(generator, CURAND_LOG_NORMAL, output, count, mean, deviation);
}

VGPU_API curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *output,
						      size_t count, double mean, double deviation)
{
	return curand_generate(generator, CURAND_LOG_NORMAL_DOUBLE, output, count, mean, deviation);
}
