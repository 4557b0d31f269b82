/* SPDX-License-Identifier: MIT */
/*
 * What the scrambled sequences of Sobol are made of: direction vectors and a constant for each of
 * up to CURAND_MAX_DIMENSIONS dimensions. They are our own (scramble.c), or those of the file that
 * VGPU_CURAND_SCRAMBLE names (scramble_file.c).
 */
#ifndef VGPU_CURAND_SCRAMBLE_H
#define VGPU_CURAND_SCRAMBLE_H

#include <curand.h>

#include "joekuo.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The file: these one after the other, little-endian. CHECKSUM is FNV-1a of all that is behind it,
 * a step for each word of 32 bits. docs/examples/curand-scramble.c writes such files.
 */
#define CURAND_SCRAMBLE_MAGIC "VGPUSCR1"
struct curand_scramble_file {
	char magic[8];
	unsigned int dimensions; /* CURAND_MAX_DIMENSIONS */
	unsigned int zero;
	unsigned long long checksum;
	unsigned int vectors32[CURAND_MAX_DIMENSIONS][32];
	unsigned int constants32[CURAND_MAX_DIMENSIONS];
	unsigned long long vectors64[CURAND_MAX_DIMENSIONS][64];
	unsigned long long constants64[CURAND_MAX_DIMENSIONS];
};

/*
 * The file's contents, or NULL where none is named. Returns CURAND_STATUS_INITIALIZATION_FAILED if
 * one is named and cannot be used; the first such call says why on stderr.
 */
curandStatus_t curand_scramble_file(const struct curand_scramble_file **file);

/* Vectors and constants of the first DIMENSIONS; the constants may be left out (NULL). */
curandStatus_t curand_scrambled32(unsigned int dimensions, unsigned int *vectors,
				  unsigned int *constants);
curandStatus_t curand_scrambled64(unsigned int dimensions, unsigned long long *vectors,
				  unsigned long long *constants);

#ifdef __cplusplus
}
#endif

#endif
