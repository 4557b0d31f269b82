// SPDX-License-Identifier: MIT
/*
 * Scrambled direction vectors and constants: Matousek's linear scrambling with a digital shift ("On
 * the L2-discrepancy for anchored boxes", 1998; Hong and Hickernell, algorithm 823, 2003). Each
 * dimension's vectors are multiplied by a random lower triangular matrix of bits with ones on the
 * diagonal, and a random constant is added to its points without carry. That leaves a digital net
 * one of the same quality.
 *
 * The bits are of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
 * generators", 2014) from seed 0: dimension d has the numbers 65 d to 65 d + 64. Number 65 d + k
 * gives column k of the matrix, its highest bit that below the diagonal; number 65 d + 64 is the
 * constant. The highest bit of a word is row or column 0. Those of 32 bits are the upper halves of
 * those of 64: rows of the product have what is above them only.
 */
#include <string.h>

#include "scramble.h"

#define NUMBERS 65ull

static unsigned long long splitmix64(unsigned long long n)
{
	unsigned long long z = (n + 1) * 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static void make_columns(unsigned int dimension, unsigned int bits, unsigned long long *columns)
{
	for (unsigned int k = 0; k < bits; k++)
		columns[k] = (1ull << 63 | splitmix64(NUMBERS * dimension + k) >> 1) >> k;
}

/* The matrix times a vector, whose lowest of 64 bits is row 63. */
static unsigned long long product(const unsigned long long *columns, unsigned long long vector)
{
	unsigned long long sum = 0;

	for (; vector; vector &= vector - 1)
		sum ^= columns[63 - __builtin_ctzll(vector)];
	return sum;
}

curandStatus_t curand_scrambled32(unsigned int dimensions, unsigned int *vectors,
				  unsigned int *constants)
{
	const struct curand_scramble_file *file;
	curandStatus_t status = curand_scramble_file(&file);
	unsigned long long columns[32];

	if (status != CURAND_STATUS_SUCCESS)
		return status;
	if (file) {
		memcpy(vectors, file->vectors32, dimensions * sizeof(*file->vectors32));
		if (constants)
			memcpy(constants, file->constants32, dimensions * sizeof(*constants));
		return CURAND_STATUS_SUCCESS;
	}
	curand_directions32(dimensions, vectors);
	for (unsigned int i = 0; i < dimensions; i++, vectors += 32) {
		make_columns(i, 32, columns);
		for (unsigned int k = 0; k < 32; k++)
			vectors[k] = product(columns, (unsigned long long)vectors[k] << 32) >> 32;
		if (constants)
			constants[i] = splitmix64(NUMBERS * i + 64) >> 32;
	}
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curand_scrambled64(unsigned int dimensions, unsigned long long *vectors,
				  unsigned long long *constants)
{
	const struct curand_scramble_file *file;
	curandStatus_t status = curand_scramble_file(&file);
	unsigned long long columns[64];

	if (status != CURAND_STATUS_SUCCESS)
		return status;
	if (file) {
		memcpy(vectors, file->vectors64, dimensions * sizeof(*file->vectors64));
		if (constants)
			memcpy(constants, file->constants64, dimensions * sizeof(*constants));
		return CURAND_STATUS_SUCCESS;
	}
	curand_directions64(dimensions, vectors);
	for (unsigned int i = 0; i < dimensions; i++, vectors += 64) {
		make_columns(i, 64, columns);
		for (unsigned int k = 0; k < 64; k++)
			vectors[k] = product(columns, vectors[k]);
		if (constants)
			constants[i] = splitmix64(NUMBERS * i + 64);
	}
	return CURAND_STATUS_SUCCESS;
}
