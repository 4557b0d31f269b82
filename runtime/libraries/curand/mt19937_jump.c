// SPDX-License-Identifier: MIT
/*
 * How MT19937 jumps ahead (Haramoto, Matsumoto, Nishimura, Panneton and L'Ecuyer, "Efficient jump
 * ahead for F2-linear random number generators", 2008): the words that are n further are those sums
 * of the words from here on that t^n names, divided by the characteristic polynomial of the
 * recurrence.
 *
 * Polynomials over GF(2) are arrays of 64-bit words, the lowest coefficient first.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "mt19937.h"

#define DEGREE 19937
#define HALF ((DEGREE + 63) / 64)
#define WHOLE (2 * HALF)
#define JUMP_BITS 2048
/* More than the characteristic polynomial has: it has 135. */
#define TERMS_MAX 512

static unsigned int next_word(const unsigned int *x)
{
	unsigned int y = (x[0] & 0x80000000u) | (x[1] & 0x7fffffffu);

	return x[MT_MIDDLE] ^ y >> 1 ^ (MT_MATRIX & (0 - (y & 1)));
}

void curand_mt_seed(unsigned int seed, unsigned int *words)
{
	unsigned int x[2 * MT_WORDS];

	x[0] = seed;
	for (unsigned int i = 1; i < MT_WORDS; i++)
		x[i] = 1812433253u * (x[i - 1] ^ x[i - 1] >> 30) + i;
	for (unsigned int i = 0; i < MT_WORDS; i++)
		x[MT_WORDS + i] = next_word(x + i);
	memcpy(words, x + MT_WORDS, MT_WORDS * sizeof(*words));
}

/* to += from * t^shift, as far as there is room. */
static void add_shifted(uint64_t *to, const uint64_t *from, unsigned int words, unsigned int shift)
{
	unsigned int by = shift / 64, bits = shift % 64;

	for (unsigned int i = 0; i < words && i + by < WHOLE; i++) {
		to[i + by] ^= from[i] << bits;
		if (bits && i + by + 1 < WHOLE)
			to[i + by + 1] ^= from[i] >> (64 - bits);
	}
}

/* p *= t^high + t^low */
static void multiply_by_two_terms(uint64_t *p, unsigned int high, unsigned int low)
{
	uint64_t product[WHOLE] = { 0 };

	add_shifted(product, p, WHOLE, high);
	add_shifted(product, p, WHOLE, low);
	memcpy(p, product, sizeof(product));
}

/* Appendix A of the paper, for words of 32 bits of which the first has one in the state. */
static void make_characteristic(uint64_t *p)
{
	uint64_t power[WHOLE] = { 1 };	/* (t^(n-1) + t^(m-1))^k */

	memset(p, 0, WHOLE * sizeof(*p));
	for (int k = 0; k < 31; k++) {
		if (MT_MATRIX >> (30 - k) & 1)
			add_shifted(p, power, WHOLE, 0);
		multiply_by_two_terms(power, MT_WORDS - 1, MT_MIDDLE - 1);
	}
	add_shifted(p, power, WHOLE, 0);
	multiply_by_two_terms(p, MT_WORDS, MT_MIDDLE);
	p[0] ^= MT_MATRIX >> 31;
}

/* Modulo t^DEGREE + t^terms[0] + ... */
static void reduce(uint64_t *p, const unsigned int *terms, unsigned int count)
{
	const unsigned int rest = DEGREE % 64, last = DEGREE / 64;

	for (unsigned int word = WHOLE - 1; word >= last; word--) {
		uint64_t high = word > last ? p[word] : p[word] >> rest << rest;

		/* No term is within 64 of DEGREE: what is added is below this word. */
		for (unsigned int i = 0; high && i < count; i++) {
			unsigned int at = 64 * word - DEGREE + terms[i];

			if (word > last) {
				p[at / 64] ^= high << at % 64;
				if (at % 64)
					p[at / 64 + 1] ^= high >> (64 - at % 64);
			} else {
				at = terms[i];
				p[at / 64] ^= high >> rest << at % 64;
				if (at % 64)
					p[at / 64 + 1] ^= high >> rest >> (64 - at % 64);
			}
		}
		p[word] ^= high;
	}
}

/* A bit, a zero, the next bit, ... */
static uint64_t spread(uint32_t x)
{
	uint64_t y = x;

	y = (y | y << 16) & 0x0000ffff0000ffffull;
	y = (y | y << 8) & 0x00ff00ff00ff00ffull;
	y = (y | y << 4) & 0x0f0f0f0f0f0f0f0full;
	y = (y | y << 2) & 0x3333333333333333ull;
	return (y | y << 1) & 0x5555555555555555ull;
}

static uint64_t jump[HALF];

/* t^(2^JUMP_BITS) */
static void make_jump(void)
{
	uint64_t p[WHOLE], square[WHOLE];
	unsigned int terms[TERMS_MAX], count = 0;

	make_characteristic(p);
	for (unsigned int i = 0; i < DEGREE; i++)
		if (p[i / 64] >> i % 64 & 1)
			terms[count++] = i;
	memset(p, 0, sizeof(p));
	p[0] = 2;
	for (int i = 0; i < JUMP_BITS; i++) {
		for (unsigned int k = 0; k < HALF; k++) {
			square[2 * k] = spread((uint32_t)p[k]);
			square[2 * k + 1] = spread((uint32_t)(p[k] >> 32));
		}
		reduce(square, terms, count);
		memcpy(p, square, sizeof(p));
	}
	memcpy(jump, p, sizeof(jump));
}

static pthread_once_t jump_once = PTHREAD_ONCE_INIT;

/*
 * Four coefficients at a time name one of sixteen sums of four neighbours. Those are made of a part
 * of the words at a time, which fits the processor's caches; and a part of the result fits its
 * registers.
 */
#define PART 512
#define SUMMED (PART + MT_WORDS)
#define AT_ONCE 48
typedef unsigned int four_words __attribute__((vector_size(16), aligned(4), may_alias));

static void make_sums(const unsigned int *x, unsigned int (*sums)[SUMMED])
{
	memset(sums[0], 0, sizeof(*sums));
	for (unsigned int bit = 0; bit < 4; bit++)
		for (unsigned int rest = 0; rest < 1u << bit; rest++)
			for (unsigned int i = 0; i < SUMMED; i++)
				sums[1u << bit | rest][i] = sums[rest][i] ^ x[i + bit];
}

static void add_part(unsigned int first, unsigned int (*sums)[SUMMED], unsigned int *words)
{
	for (unsigned int from = 0; from < MT_WORDS; from += AT_ONCE) {
		four_words sum[AT_ONCE / 4] = { 0 };

		for (unsigned int i = first; i < first + PART && i < DEGREE; i += 4) {
			const unsigned int *some = sums[jump[i / 64] >> i % 64 & 15];
			const four_words *add = (const four_words *)(some + i - first + from);

#pragma GCC unroll 12
			for (unsigned int k = 0; k < AT_ONCE / 4; k++)
				sum[k] ^= add[k];
		}
		for (unsigned int k = 0; k < AT_ONCE; k++)
			words[from + k] ^= sum[k / 4][k % 4];
	}
}

void curand_mt_jump(unsigned int *words)
{
	unsigned int x[DEGREE + PART + MT_WORDS + 4], sums[16][SUMMED];

	pthread_once(&jump_once, make_jump);
	memcpy(x, words, MT_WORDS * sizeof(*x));
	for (unsigned int i = MT_WORDS; i < sizeof(x) / sizeof(*x); i++)
		x[i] = next_word(x + i - MT_WORDS);
	memset(words, 0, MT_WORDS * sizeof(*words));
	for (unsigned int first = 0; first < DEGREE; first += PART) {
		make_sums(x + first, sums);
		add_part(first, sums, words);
	}
}
