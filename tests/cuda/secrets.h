/* SPDX-License-Identifier: MIT */
/*
 * A kernel that has secrets wherever a thread block can have something: in registers, shared
 * memory, local memory, and lines of global memory that its SM caches. And one that looks for them
 * there: in what it has not written itself, and at the addresses where they are in the other
 * process, where this one has its own bytes. For programs that share SMs (docs/sharing.md).
 *
 * A secret is a word that begins with SECRET. Both have the same memory, which is allocated in the
 * same order, so that it lies at the same addresses in two processes whose addresses are not chosen
 * at random (setarch -R).
 */
#ifndef TESTS_CUDA_SECRETS_H
#define TESTS_CUDA_SECRETS_H

#include "common.h"

#define SECRET		0x5ec4e000u
#define IS_SECRET(word)	(((word) & 0xfffff000u) == SECRET)
#define HARMLESS	0x11111111u
#define THREADS		128
#define BLOCKS		24
#define BOX		(12 * 1024)	/* bytes of shared memory: 8 blocks fill an SM of 96 KB */
#define OWN		24		/* words of local memory */
#define LINES		64		/* of 32 words, each in a page of its own */
#define PAGE_WORDS	1024

/* where something was found, or was not as it had to be */
enum { REGISTERS, SHARED, LOCAL, MEMORY, PLACES };

__device__ inline void found(unsigned *places, int place, unsigned count)
{
	if (count)
		atomicAdd(&places[place], count);
}

/* Eight registers at a time are live and have secrets, shared and local memory are full of them. */
__global__ void keep(const unsigned *memory, unsigned *wrong, int rounds)
{
	extern __shared__ unsigned box[];
	volatile unsigned own[OWN];
	unsigned me = SECRET + threadIdx.x, r[8], other[PLACES] = {};

	for (int n = 0; n < 8; n++)
		r[n] = SECRET + ((threadIdx.x * 8 + n) & 0xfff);
	for (unsigned n = threadIdx.x; n < BOX / 4; n += THREADS)
		box[n] = SECRET + (n & 0xfff);
	for (int n = 0; n < OWN; n++)
		own[n] = me;
	__syncthreads();
	for (int round = 0; round < rounds; round++) {
		for (unsigned n = threadIdx.x; n < BOX / 4; n += THREADS)
			other[SHARED] += ((volatile unsigned *)box)[n] != SECRET + (n & 0xfff);
		for (int n = 0; n < OWN; n++)
			other[LOCAL] += own[n] != me;
		for (int n = 0; n < LINES; n++)
			other[MEMORY] += __ldca(&memory[n * PAGE_WORDS + threadIdx.x % 32]) !=
					 SECRET + n;
		for (int n = 0; n < 8; n++) {
			asm volatile("" : "+r"(r[n]));
			other[REGISTERS] += r[n] != SECRET + ((threadIdx.x * 8 + n) & 0xfff);
		}
		__syncthreads();
	}
	for (int place = 0; place < PLACES; place++)
		found(wrong, place, other[place]);
}

/* What is in eight registers that nobody has written */
__device__ inline unsigned secret_registers(void)
{
	unsigned r[8], count = 0;

	asm volatile("{\n\t.reg .b32 old<8>;\n\t"
		     "mov.b32 %0, old0;\n\tmov.b32 %1, old1;\n\t"
		     "mov.b32 %2, old2;\n\tmov.b32 %3, old3;\n\t"
		     "mov.b32 %4, old4;\n\tmov.b32 %5, old5;\n\t"
		     "mov.b32 %6, old6;\n\tmov.b32 %7, old7;\n\t}"
		     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]),
		       "=r"(r[6]), "=r"(r[7]));
	for (int n = 0; n < 8; n++)
		count += IS_SECRET(r[n]);
	return count;
}

__global__ void look(const unsigned *memory, unsigned *places, int rounds)
{
	extern __shared__ unsigned box[];
	volatile unsigned own[OWN];
	unsigned seen[PLACES] = {};

	seen[REGISTERS] = secret_registers();
	/* so that there is memory for it */
	own[0] = HARMLESS;
	for (int round = 0; round < rounds; round++) {
		for (unsigned n = threadIdx.x; n < BOX / 4; n += THREADS)
			seen[SHARED] += IS_SECRET(((volatile unsigned *)box)[n]);
		for (int n = 0; n < OWN; n++)
			seen[LOCAL] += IS_SECRET(own[n]);
		for (int n = 0; n < LINES; n++)
			seen[MEMORY] += __ldca(&memory[n * PAGE_WORDS + threadIdx.x % 32]) !=
					HARMLESS;
		__syncthreads();
	}
	for (int place = 0; place < PLACES; place++)
		found(places, place, seen[place]);
}

/** struct side - the memory of one of the two */
struct side {
	unsigned *memory;	/* LINES pages */
	unsigned *places;
};

static inline void begin_side(struct side *side, bool keeps)
{
	static unsigned words[LINES * PAGE_WORDS];

	for (unsigned n = 0; n < LINES * PAGE_WORDS; n++)
		words[n] = keeps ? SECRET + n / PAGE_WORDS : HARMLESS;
	CHECK(cudaMalloc((void **)&side->memory, sizeof(words)));
	CHECK(cudaMalloc((void **)&side->places, PLACES * sizeof(unsigned)));
	CHECK(cudaMemcpy(side->memory, words, sizeof(words), cudaMemcpyHostToDevice));
	CHECK(cudaMemset(side->places, 0, PLACES * sizeof(unsigned)));
	printf("  memory at %p\n", (void *)side->memory);
}

static inline void end_side(const struct side *side, const char *what)
{
	static const char *const names[] = { "registers", "shared memory", "local memory",
					     "global memory" };
	unsigned places[PLACES];

	CHECK(cudaMemcpy(places, side->places, sizeof(places), cudaMemcpyDeviceToHost));
	for (int n = 0; n < PLACES; n++)
		if (places[n])
			mismatch("%s: got %u %s, expected none", names[n], places[n], what);
}

#endif
