// SPDX-License-Identifier: MIT
/*
 * Handles are numbers: a place in a list, and how often it was used before, so that a plan that
 * was destroyed is not taken for another.
 */
#include <pthread.h>
#include <stdlib.h>

#include "plan.h"

enum { PLACE_BITS = 20, PLACES = 1 << PLACE_BITS, USES = 1 << 11 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct place {
	struct fft_plan *plan;
	int uses, next_free;
} *places;
static int count = 1, room, first_free;

cufftResult fft_new_plan(cufftHandle *handle)
{
	struct fft_plan *plan;
	int at;

	if (!handle)
		return CUFFT_INVALID_VALUE;
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return CUFFT_ALLOC_FAILED;
	if (cudaGetDevice(&plan->device) != cudaSuccess) {
		free(plan);
		return CUFFT_SETUP_FAILED;
	}
	pthread_mutex_lock(&lock);
	at = first_free;
	if (at) {
		first_free = places[at].next_free;
	} else if (count < PLACES) {
		if (count >= room) {
			struct place *grown = realloc(places, (2 * room + 64) * sizeof(*grown));

			if (grown) {
				places = grown;
				room = 2 * room + 64;
			}
		}
		if (count < room) {
			at = count++;
			places[at] = (struct place){ 0 };
		}
	}
	if (at) {
		places[at].plan = plan;
		*handle = places[at].uses << PLACE_BITS | at;
	}
	pthread_mutex_unlock(&lock);
	if (at)
		return CUFFT_SUCCESS;
	free(plan);
	return CUFFT_ALLOC_FAILED;
}

struct fft_plan *fft_plan_of(cufftHandle handle)
{
	int at = handle & (PLACES - 1);
	struct fft_plan *plan = NULL;

	pthread_mutex_lock(&lock);
	if (handle > 0 && at && at < count && places[at].uses == handle >> PLACE_BITS)
		plan = places[at].plan;
	pthread_mutex_unlock(&lock);
	return plan;
}

VGPU_API cufftResult cufftCreate(cufftHandle *handle)
{
	return fft_new_plan(handle);
}

VGPU_API cufftResult cufftDestroy(cufftHandle handle)
{
	struct fft_plan *plan = fft_plan_of(handle);
	int at = handle & (PLACES - 1);

	if (!plan)
		return CUFFT_INVALID_PLAN;
	pthread_mutex_lock(&lock);
	if (places[at].plan != plan) {
		pthread_mutex_unlock(&lock);
		return CUFFT_INVALID_PLAN;
	}
	places[at].plan = NULL;
	places[at].uses = (places[at].uses + 1) % USES;
	places[at].next_free = first_free;
	first_free = at;
	pthread_mutex_unlock(&lock);
	fft_drop_steps(&plan->steps);
	fft_drop_steps(&plan->in_place);
	fft_tables_drop(&plan->tables);
	if (plan->own_work)
		cudaFree(plan->own_work);
	free(plan);
	return CUFFT_SUCCESS;
}

VGPU_API cufftResult cufftGetVersion(int *version)
{
	if (!version)
		return CUFFT_INVALID_VALUE;
	*version = CUFFT_VERSION;
	return CUFFT_SUCCESS;
}

VGPU_API cufftResult cufftGetProperty(libraryPropertyType type, int *value)
{
	static const int values[] = { CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH };

	if (!value || (unsigned int)type >= sizeof(values) / sizeof(*values))
		return CUFFT_INVALID_VALUE;
	*value = values[type];
	return CUFFT_SUCCESS;
}

/* Remembered: no plan is made by a compiler, nor by several threads. */
VGPU_API cufftResult cufftSetPlanPropertyInt64(cufftHandle handle, cufftProperty property,
					       const long long int value)
{
	struct fft_plan *plan = fft_plan_of(handle);

	if (!plan)
		return CUFFT_INVALID_PLAN;
	if (property < NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT ||
	    property > NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS)
		return CUFFT_NOT_SUPPORTED;
	if (plan->made || value < 0)
		return CUFFT_INVALID_VALUE;
	plan->properties[property - 1] = value;
	return CUFFT_SUCCESS;
}

VGPU_API cufftResult cufftGetPlanPropertyInt64(cufftHandle handle, cufftProperty property,
					       long long int *value)
{
	struct fft_plan *plan = fft_plan_of(handle);

	if (!plan)
		return CUFFT_INVALID_PLAN;
	if (property < NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT ||
	    property > NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS)
		return CUFFT_NOT_SUPPORTED;
	if (!value)
		return CUFFT_INVALID_VALUE;
	*value = plan->properties[property - 1];
	return CUFFT_SUCCESS;
}

VGPU_API cufftResult cufftResetPlanProperty(cufftHandle handle, cufftProperty property)
{
	return cufftSetPlanPropertyInt64(handle, property, 0);
}
