// SPDX-License-Identifier: MIT
/*
 * The direction numbers of Joe and Kuo ("Constructing Sobol sequences with better two-dimensional
 * projections", 2008; the table new-joe-kuo-6.21201), for up to 20,000 dimensions, and what makes
 * vectors of them.
 *
 * joekuo.bin has them as bits, the highest of each byte first. Of each dimension but the first,
 * which has none: 5 bits, the degree s of its polynomial; the s - 1 coefficients between the first
 * and the last; the initial numbers m_2 to m_s without their lowest bit, which is 1, m_i in i - 1
 * bits. Their licence is LICENSES/Joe-Kuo.txt.
 */
#include <stddef.h>

#include "joekuo.h"

__asm__(".section .rodata\n"
	"curand_joekuo:\n"
	".incbin \"runtime/libraries/curand/joekuo.bin\"\n"
	".previous\n");
extern const unsigned char curand_joekuo[];

static unsigned int read_bits(size_t *at, unsigned int count)
{
	unsigned int value = 0;

	for (; count; count--, ++*at)
		value = value << 1 | (curand_joekuo[*at / 8] >> (7 - *at % 8) & 1);
	return value;
}

/* The vectors of the dimension that is read next. */
static void read_dimension(size_t *at, unsigned int bits, unsigned long long *v)
{
	unsigned int degree = read_bits(at, 5), middle = read_bits(at, degree - 1);

	v[0] = 1ull << (bits - 1);
	for (unsigned int k = 1; k < degree; k++)
		v[k] = (2ull * read_bits(at, k) + 1) << (bits - 1 - k);
	for (unsigned int k = degree; k < bits; k++) {
		v[k] = v[k - degree] ^ v[k - degree] >> degree;
		for (unsigned int i = 1; i < degree; i++)
			if (middle >> (degree - 1 - i) & 1)
				v[k] ^= v[k - i];
	}
}

void curand_directions64(unsigned int dimensions, unsigned long long *vectors)
{
	size_t at = 0;

	for (unsigned int k = 0; k < 64; k++)
		vectors[k] = 1ull << (63 - k);
	for (unsigned int i = 1; i < dimensions; i++)
		read_dimension(&at, 64, vectors + (size_t)64 * i);
}

void curand_directions32(unsigned int dimensions, unsigned int *vectors)
{
	unsigned long long v[32];
	size_t at = 0;

	for (unsigned int k = 0; k < 32; k++)
		vectors[k] = 1u << (31 - k);
	for (unsigned int i = 1; i < dimensions; i++) {
		read_dimension(&at, 32, v);
		for (unsigned int k = 0; k < 32; k++)
			vectors[(size_t)32 * i + k] = (unsigned int)v[k];
	}
}
