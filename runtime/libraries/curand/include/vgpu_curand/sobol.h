/* SPDX-License-Identifier: MIT */
/*
 * Sobol's sequence in the order of Gray codes (Bratley and Fox, algorithm 659, 1988): of 32 and 64
 * bits, with or without a constant that scrambles it.
 */
#ifndef VGPU_CURAND_SOBOL_H
#define VGPU_CURAND_SOBOL_H

typedef struct curandStateSobol32 {
	unsigned int i, x, c;
	unsigned int direction_vectors[32];
} curandStateSobol32_t;
typedef struct curandStateScrambledSobol32 {
	unsigned int i, x, c;
	unsigned int direction_vectors[32];
} curandStateScrambledSobol32_t;
typedef struct curandStateSobol64 {
	unsigned long long i, x, c;
	unsigned long long direction_vectors[64];
} curandStateSobol64_t;
typedef struct curandStateScrambledSobol64 {
	unsigned long long i, x, c;
	unsigned long long direction_vectors[64];
} curandStateScrambledSobol64_t;

VGPU_CURAND int vgpu_sobol_lowest_zero(unsigned long long i)
{
	int bit = 0;

	while (bit < 63 && (i >> bit & 1))
		bit++;
	return bit;
}

/* The point of index I, from its Gray code. */
template <class Word>
VGPU_CURAND Word vgpu_sobol_at(const Word *vectors, unsigned long long i, Word constant)
{
	unsigned long long gray = i ^ i >> 1;
	Word x = constant;

	for (unsigned int bit = 0; bit < 8 * sizeof(Word) && gray; bit++, gray >>= 1)
		if (gray & 1)
			x ^= vectors[bit];
	return x;
}

template <class State, class Word> VGPU_CURAND Word vgpu_sobol_next(State *state, Word bits)
{
	Word value = state->x;
	int bit = vgpu_sobol_lowest_zero(state->i);

	if (bit < (int)bits)
		state->x ^= state->direction_vectors[bit];
	state->i++;
	return value;
}

#define VGPU_SOBOL(State, Word) \
	VGPU_CURAND Word curand(State *state) \
	{ \
		return vgpu_sobol_next<State, Word>(state, 8 * sizeof(Word)); \
	} \
	VGPU_CURAND void skipahead(unsigned long long n, State *state) \
	{ \
		state->i += (Word)n; \
		state->x = vgpu_sobol_at<Word>(state->direction_vectors, state->i, state->c); \
	} \
	VGPU_CURAND void vgpu_sobol_init(const Word *vectors, Word constant, \
					 unsigned long long offset, State *state) \
	{ \
		for (unsigned int bit = 0; bit < 8 * sizeof(Word); bit++) \
			state->direction_vectors[bit] = vectors[bit]; \
		state->i = 0; \
		state->c = constant; \
		skipahead(offset, state); \
	}
VGPU_SOBOL(curandStateSobol32, unsigned int)
VGPU_SOBOL(curandStateScrambledSobol32, unsigned int)
VGPU_SOBOL(curandStateSobol64, unsigned long long)
VGPU_SOBOL(curandStateScrambledSobol64, unsigned long long)
#undef VGPU_SOBOL

VGPU_CURAND void curand_init(const unsigned int *vectors, unsigned int offset,
			     curandStateSobol32 *state)
{
	vgpu_sobol_init(vectors, 0, offset, state);
}

VGPU_CURAND void curand_init(const unsigned int *vectors, unsigned int constant,
			     unsigned int offset, curandStateScrambledSobol32 *state)
{
	vgpu_sobol_init(vectors, constant, offset, state);
}

VGPU_CURAND void curand_init(const unsigned long long *vectors, unsigned long long offset,
			     curandStateSobol64 *state)
{
	vgpu_sobol_init(vectors, 0, offset, state);
}

VGPU_CURAND void curand_init(const unsigned long long *vectors, unsigned long long constant,
			     unsigned long long offset, curandStateScrambledSobol64 *state)
{
	vgpu_sobol_init(vectors, constant, offset, state);
}

#endif
