/* SPDX-License-Identifier: MIT */
/*
 * A generator of the host API: what has been set, and the states of its sequences.
 */
#ifndef VGPU_CURAND_GENERATOR_H
#define VGPU_CURAND_GENERATOR_H

#include <stdbool.h>
#include <curand.h>

#include "live.h"
#include "refuse.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is generated */
enum curand_what {
	CURAND_BITS,
	CURAND_BITS64,
	CURAND_UNIFORM,
	CURAND_UNIFORM_DOUBLE,
	CURAND_BY_TABLE,	/* Poisson numbers, few expected */
	CURAND_ROUNDED_NORMAL,	/* Poisson numbers, many expected */
	CURAND_NORMAL,
	CURAND_NORMAL_DOUBLE,
	CURAND_LOG_NORMAL,
	CURAND_LOG_NORMAL_DOUBLE,
	CURAND_WHATS,
};

/* One kind of generator. Its states are made when it is first used after a change. */
struct curand_engine {
	bool quasi;
	bool has_offset;
	bool has_seeded;	/* CURAND_ORDERING_PSEUDO_SEEDED */
	bool has_best;		/* CURAND_ORDERING_PSEUDO_BEST */
	/* Of the pseudo-random ones: numbers that a normal one needs another of */
	unsigned int pairs;
	/* Whether there can be such generators; may be NULL. */
	curandStatus_t (*usable)(void);
	curandStatus_t (*prepare)(struct curandGenerator_st *generator);
	/* What prepare() leaves until it is needed; may be NULL. */
	curandStatus_t (*complete)(struct curandGenerator_st *generator);
	curandStatus_t (*fill)(struct curandGenerator_st *generator, enum curand_what what,
			       void *out, size_t count, double mean, double deviation);
};

extern const struct curand_engine curand_xorwow, curand_mrg32k3a, curand_philox, curand_mtgp32,
	curand_mt19937, curand_sobol32, curand_sobol64, curand_scrambled_sobol32,
	curand_scrambled_sobol64;

struct curandGenerator_st {
	struct live_object head;
	curandRngType_t type;
	const struct curand_engine *engine;
	bool on_host;
	curandOrdering_t ordering;
	unsigned long long seed, offset;
	unsigned int dimensions;
	cudaStream_t stream;
	int device;

	/* Made by prepare(): the states of WIDTH sequences, in memory of who generates. */
	void *states;
	size_t states_bytes;
	unsigned int width;
	/* The sequence that the next number is of, and how many of its group were. */
	unsigned int next, within;
	/* Of a quasi-random sequence and of the Mersenne Twisters: the next number. */
	unsigned long long position;

	/* Of MT19937: the words of the first sequence that has no state yet. */
	void *ahead;

	/* Of Poisson numbers: the table of this mean, in memory of who generates (poisson.h). */
	void *table;
	double table_mean;
};

/* COUNT numbers, from states that are made if they have to be. */
curandStatus_t curand_generate(curandGenerator_t generator, enum curand_what what, void *out,
			       size_t count, double mean, double deviation);
bool curand_is_generator(curandGenerator_t generator);

/* Memory of the device; NULL: there is none. */
void *curand_allocate(size_t bytes);
/* Memory of who generates with this in it; NULL is nothing to free. */
curandStatus_t curand_place(struct curandGenerator_st *generator, const void *from, size_t bytes,
			    void **placed);
void curand_free(struct curandGenerator_st *generator, void *placed);
/* The states are replaced by these. */
curandStatus_t curand_set_states(struct curandGenerator_st *generator, const void *states,
				 size_t bytes);
void curand_drop_states(struct curandGenerator_st *generator);

#ifdef __cplusplus
}
#endif

#endif
