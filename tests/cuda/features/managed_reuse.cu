/* SPDX-License-Identifier: MIT */
/*
 * managed_reuse: managed memory that is freed and allocated anew, many times at the same addresses,
 * shows nothing of what it was: new memory is zero for whoever reads it first, host or device, and
 * then what was written last, whoever wrote it and wherever the pages were when they were freed.
 */
#include "../common.h"

#define ROUNDS	64
#define N	40000	/* words: more than two granules of 64 KB, and no whole number of pages */
#define NODES	200

__device__ unsigned wrong_words;

/* What word @i is in @round: those of the other parity are not written. */
__host__ __device__ static unsigned value_of(unsigned round, unsigned i)
{
	return i % 2 == round % 2 ? round * 1000003 + i + 1 : 0;
}

/* @written: whether the words have been written in @round; otherwise all are zero. */
__global__ void check_words(const unsigned *words, unsigned n, unsigned round, bool written)
{
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		if (words[i] != (written ? value_of(round, i) : 0))
			atomicAdd(&wrong_words, 1);
}

__global__ void write_words(unsigned *words, unsigned n, unsigned round)
{
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		if (value_of(round, i))
			words[i] = value_of(round, i);
}

static void check_side(bool device, const unsigned *words, unsigned round, bool written)
{
	const char *when = written ? "host reads what was written" : "host reads new memory";
	unsigned wrong = 0;

	if (!device) {
		for (unsigned i = 0; i < N; i++)
			expect_same(when, i, words[i], written ? value_of(round, i) : 0);
		return;
	}
	CHECK(cudaMemcpyToSymbol(wrong_words, &wrong, sizeof(wrong)));
	check_words<<<10, 128>>>(words, N, round, written);
	CHECK_LAUNCH();
	CHECK(cudaMemcpyFromSymbol(&wrong, wrong_words, sizeof(wrong)));
	expect_same(written ? "words that the device reads wrong, written" :
			      "words that the device reads wrong, new",
		    round, wrong, 0u);
}

static void write_side(bool device, unsigned *words, unsigned round)
{
	if (device) {
		write_words<<<10, 128>>>(words, N, round);
		CHECK_LAUNCH();
		return;
	}
	for (unsigned i = 0; i < N; i++)
		if (value_of(round, i))
			words[i] = value_of(round, i);
}

/* Where the pages are when they are freed. */
static void leave(unsigned how, unsigned *words, unsigned round)
{
	switch (how) {
	case 1: CHECK(cudaMemPrefetchAsync(words, N * sizeof(*words), 0)); break;
	case 2: CHECK(cudaMemPrefetchAsync(words, N * sizeof(*words), cudaCpuDeviceId)); break;
	case 3:
		CHECK(cudaMemset(words, 0x77, N * sizeof(*words) / 2));
		write_words<<<3, 64>>>(words, N / 3, round);	/* which the free waits for */
		break;
	default: break;
	}
}

/* Every combination of first reader, writer, second reader and place, more than once. */
static void mappings_of_their_own(void)
{
	unsigned *words, *before = NULL, same = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		if (round % 7 == 6) {	/* device memory was there */
			CHECK(cudaMalloc(&words, N * sizeof(*words)));
			CHECK(cudaMemset(words, 0x5a, N * sizeof(*words)));
			CHECK(cudaFree(words));
		}
		CHECK(cudaMallocManaged(&words, N * sizeof(*words)));
		same += words == before;
		before = words;
		check_side(round & 1, words, round, false);
		write_side(round >> 1 & 1, words, round);
		check_side(round >> 2 & 1, words, round, true);
		leave(round >> 3 & 3, words, round);
		CHECK(cudaFree(words));
	}
	/* otherwise this was no test */
	EXPECT(same == ROUNDS - 1);
}

/* Freed from the middle of others that stay, which keep what they have. */
static void between_others(void)
{
	unsigned *words[3];

	for (unsigned n = 0; n < 3; n++) {
		CHECK(cudaMallocManaged(&words[n], N * sizeof(*words[n])));
		write_side(n % 2, words[n], n);
	}
	for (unsigned round = 3; round < 15; round++) {
		unsigned *old = words[1];

		CHECK(cudaFree(words[1]));
		CHECK(cudaMallocManaged(&words[1], N * sizeof(*words[1])));
		EXPECT(words[1] == old);
		check_side(round & 1, words[1], round, false);
		write_side(round >> 1 & 1, words[1], round);
		check_side(~round >> 1 & 1, words[1], round, true);
		check_side(round & 1, words[0], 0, true);
		check_side(~round & 1, words[2], 2, true);
	}
	for (unsigned n = 0; n < 3; n++)
		CHECK(cudaFree(words[n]));
}

struct node {
	unsigned words;
	unsigned value[];
};

__global__ void write_nodes(struct node **nodes, unsigned round, unsigned which)
{
	for (unsigned n = threadIdx.x; n < NODES; n += blockDim.x)
		if (n % 2 == which)
			for (unsigned i = 0; i < nodes[n]->words; i++)
				nodes[n]->value[i] = round * 1000 + n;
}

__global__ void check_nodes(struct node **nodes, const unsigned *rounds)
{
	for (unsigned n = threadIdx.x; n < NODES; n += blockDim.x)
		for (unsigned i = 0; i < nodes[n]->words; i++)
			if (nodes[n]->value[i] != rounds[n] * 1000 + n)
				atomicAdd(&wrong_words, 1);
}

/* Small ones share pages with others: half of them are freed and allocated anew each time. */
static void small_ones(void)
{
	struct lcg random = { 3 };
	struct node **nodes;
	unsigned *rounds, wrong = 0;

	CHECK(cudaMallocManaged(&nodes, NODES * sizeof(*nodes)));
	CHECK(cudaMallocManaged(&rounds, NODES * sizeof(*rounds)));
	CHECK(cudaMemcpyToSymbol(wrong_words, &wrong, sizeof(wrong)));
	for (unsigned round = 0; round < 12; round++) {
		for (unsigned n = 0; n < NODES; n++) {
			unsigned words = 1 + lcg_below(&random, 300);

			if (round && n % 2 != round % 2)
				continue;
			if (round)
				CHECK(cudaFree(nodes[n]));
			CHECK(cudaMallocManaged(&nodes[n], (1 + words) * sizeof(unsigned)));
			nodes[n]->words = words;
			rounds[n] = round;
			for (unsigned i = 0; i < words && !(round & 2); i++)
				nodes[n]->value[i] = round * 1000 + n;
		}
		if (round & 2) {
			write_nodes<<<1, 128>>>(nodes, round, round % 2);
			CHECK_LAUNCH();
		}
		check_nodes<<<1, 128>>>(nodes, rounds);
		CHECK_LAUNCH();
		CHECK(cudaMemcpyFromSymbol(&wrong, wrong_words, sizeof(wrong)));
		expect_same("words of small ones that the device reads wrong", round, wrong, 0u);
		for (unsigned n = 0; n < NODES; n++)
			for (unsigned i = 0; i < nodes[n]->words; i++)
				expect_same("small", n, nodes[n]->value[i], rounds[n] * 1000 + n);
	}
	for (unsigned n = 0; n < NODES; n++)
		CHECK(cudaFree(nodes[n]));
	CHECK(cudaFree(nodes));
	CHECK(cudaFree(rounds));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "managed_reuse", NULL, 0, 0, 0);
	mappings_of_their_own();
	between_others();
	small_ones();
	return finish();
}
