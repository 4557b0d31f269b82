/* SPDX-License-Identifier: MIT */
/*
 * What the mutators of the targets share: random numbers from the seed that libFuzzer gives, and
 * libFuzzer's own mutation.
 */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Mutate up to @max_size bytes at @data in place; returns the new size. Part of libFuzzer. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* splitmix64 */
static inline uint64_t fuzz_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* 0..@n - 1; @n >= 1 */
static inline uint32_t fuzz_below(uint64_t *state, size_t n)
{
	return (uint32_t)(fuzz_random(state) % n);
}

#endif
