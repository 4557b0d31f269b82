/* SPDX-License-Identifier: MIT */
/*
 * device_malloc: malloc() and free() in kernels. Thousands of threads allocate blocks of all sizes,
 * fill them, check what they find in them later and free them, their own and those of others, in
 * the same kernel and in later ones. When all is freed, a block as large as the heap fits again.
 */
#include "../common.h"

#define BLOCKS 26
#define BDIM 96
#define THREADS (BLOCKS * BDIM)
#define SLOTS 4
#define ROUNDS 12

struct slot {
	unsigned *words;
	unsigned bytes, seed;
};

struct counts {
	unsigned wrong, misaligned, failed, done;
};

__device__ static unsigned next_random(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Mostly small ones, some of several pages. */
__device__ static unsigned random_size(unsigned *state)
{
	unsigned r = next_random(state);

	if (r % 64 == 0)
		return 8000 + next_random(state) % 40000;
	if (r % 8 == 0)
		return 256 + next_random(state) % 2048;
	return 1 + next_random(state) % 200;
}

/* The first and the last word and some between: blocks that overlap differ somewhere. */
__device__ static void fill(const struct slot *slot)
{
	unsigned words = slot->bytes / 4, step = words / 16 + 1;

	for (unsigned i = 0; i < words; i += step)
		slot->words[i] = slot->seed ^ i;
	if (words)
		slot->words[words - 1] = ~slot->seed;
}

__device__ static void check_and_free(struct slot *slot, struct counts *counts)
{
	unsigned words = slot->bytes / 4, step = words / 16 + 1;

	for (unsigned i = 0; i < words; i += step)
		if (i != words - 1 && slot->words[i] != (slot->seed ^ i))
			atomicAdd(&counts->wrong, 1);
	if (words && slot->words[words - 1] != ~slot->seed)
		atomicAdd(&counts->wrong, 1);
	free(slot->words);
	slot->words = NULL;
	atomicAdd(&counts->done, 1);
}

__device__ static void allocate(struct slot *slot, unsigned bytes, unsigned seed,
				struct counts *counts)
{
	slot->words = (unsigned *)malloc(bytes);
	slot->bytes = bytes;
	slot->seed = seed;
	if (!slot->words)
		atomicAdd(&counts->failed, 1);
	else if ((size_t)slot->words % 16)
		atomicAdd(&counts->misaligned, 1);
	else
		fill(slot);
}

__global__ void churn(struct slot *slots, struct counts *counts, unsigned seed)
{
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned state = seed ^ thread * 2654435761u;
	struct slot *mine = slots + thread * SLOTS;

	for (int round = 0; round < ROUNDS; round++) {
		struct slot *slot = &mine[next_random(&state) % SLOTS];

		if (slot->words)
			check_and_free(slot, counts);
		else
			allocate(slot, random_size(&state), next_random(&state), counts);
		/* what is allocated and freed at once, as most programs do */
		void *p = malloc(48);

		if (p)
			*(volatile unsigned *)p = round;
		free(p);
	}
}

/* Every thread frees what another one of another block has allocated. */
__global__ void free_all(struct slot *slots, struct counts *counts)
{
	unsigned thread = gridDim.x * blockDim.x - 1 - (blockIdx.x * blockDim.x + threadIdx.x);

	for (int i = 0; i < SLOTS; i++)
		if (slots[thread * SLOTS + i].words)
			check_and_free(&slots[thread * SLOTS + i], counts);
}

/*
 * Calls by some lanes between barriers and operations of whole warps: those that do not call must
 * meet the others again behind each call.
 */
__global__ void between_barriers(struct counts *counts)
{
	__shared__ unsigned *passed[BDIM];
	unsigned t = threadIdx.x, next = (t + 37) % BDIM;

	for (unsigned round = 0; round < 5; round++) {
		unsigned *mine = NULL, total, sum;

		if (t % 3 == round % 3)
			mine = (unsigned *)malloc(4 * (t + 1));
		else if (t % 7 == 1)
			mine = (unsigned *)malloc(4096);
		if (mine)
			*mine = t * 100 + round;
		total = __popc(__ballot_sync(0xffffffff, mine != NULL));
		sum = mine != NULL;
		for (int lanes = 16; lanes; lanes /= 2)
			sum += __shfl_xor_sync(0xffffffff, sum, lanes);
		if (total != sum)
			atomicAdd(&counts->wrong, 1);
		passed[t] = mine;
		__syncthreads();
		if (passed[next]) {
			if (*passed[next] != next * 100 + round)
				atomicAdd(&counts->wrong, 1);
			free(passed[next]);
		}
		__syncthreads();
		atomicAdd(&counts->done, 1);
	}
}

/* All lanes of all warps want the same size, and some none. */
__global__ void same_size(char **out, unsigned bytes, struct counts *counts)
{
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;

	out[thread] = NULL;
	if (thread % 5 == 3)
		return;
	out[thread] = (char *)malloc(bytes);
	if (!out[thread])
		atomicAdd(&counts->failed, 1);
	else
		out[thread][bytes - 1] = (char)thread;
}

__global__ void free_same(char **out, unsigned bytes, struct counts *counts)
{
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	char *p = out[thread];

	if (p && p[bytes - 1] != (char)thread)
		atomicAdd(&counts->wrong, 1);
	free(p);
}

__global__ void whole_heap(size_t bytes, struct counts *counts)
{
	char *p = (char *)malloc(bytes);

	if (!p) {
		counts->failed++;
		return;
	}
	p[0] = 1;
	p[bytes - 1] = 2;
	free(p);
	counts->done++;
}

/* Sizes at the borders of what is handled in different ways, and none at all. */
__global__ void odd_sizes(struct counts *counts)
{
	const size_t sizes[] = { 1, 15, 16, 17, 4096, 4097, 8191, 8192, 8193, 16384, 16385, 65536 };
	char *blocks[sizeof(sizes) / sizeof(*sizes)];

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		blocks[i] = (char *)malloc(sizes[i]);
		counts->failed += !blocks[i];
		counts->misaligned += (size_t)blocks[i] % 16 != 0;
		blocks[i][0] = (char)i;
		blocks[i][sizes[i] - 1] = (char)i;
	}
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		counts->wrong += blocks[i][0] != (char)i || blocks[i][sizes[i] - 1] != (char)i;
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		free(blocks[i]);
	free(malloc(0));
	free(NULL);
	/* volatile: the compiler may take a block that nobody uses as allocated */
	void *volatile large = malloc((size_t)1 << 40);
	counts->failed += large != NULL;
	large = malloc(~(size_t)0);
	counts->failed += large != NULL;
}

static void expect_counts(const char *what, struct counts *dev, unsigned done)
{
	struct counts got;

	CHECK_LAUNCH();
	host_from(&got, dev, 1);
	expect_same(what, 0, got.wrong, 0u);
	expect_same(what, 1, got.misaligned, 0u);
	expect_same(what, 2, got.failed, 0u);
	if (done)
		expect_same(what, 3, got.done, done);
	CHECK(cudaMemset(dev, 0, sizeof(got)));
}

/* Whether there is a block of @bytes, which nobody uses. */
__global__ void is_there(size_t bytes, int *out)
{
	void *p = malloc(bytes);

	*out = p != NULL;
	free(p);
}

static void blocks_nobody_uses(size_t limit)
{
	int *out = device_new<int>(1), got;

	for (int large = 0; large < 2; large++) {
		is_there<<<1, 1>>>(large ? limit * 2 : 100, out);
		CHECK_LAUNCH();
		host_from(&got, out, 1);
		expect_same("a block that nobody uses", large, got, large ? 0 : 1);
	}
}

/* Many threads in a heap that is full most of the time: what fails must leave nothing behind. */
static void small_heap(size_t limit)
{
	struct counts none = {}, got, *counts;
	struct slot *slots;

	CHECK(cudaDeviceReset());
	CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, limit));
	counts = device_from(&none, 1);
	slots = device_new<struct slot>(THREADS * SLOTS);
	CHECK(cudaMemset(slots, 0, sizeof(*slots) * THREADS * SLOTS));
	for (unsigned seed = 3; seed <= 4; seed++)
		churn<<<BLOCKS, BDIM>>>(slots, counts, seed);
	free_all<<<BLOCKS, BDIM>>>(slots, counts);
	CHECK_LAUNCH();
	host_from(&got, counts, 1);
	expect_same("small heap", 0, got.wrong, 0u);
	expect_same("small heap", 1, got.misaligned, 0u);
	EXPECT(got.failed > 0 && got.done > 0);
	CHECK(cudaMemset(counts, 0, sizeof(got)));
	whole_heap<<<1, 1>>>(limit / 8 * 7, counts);
	expect_counts("the whole small heap", counts, 1);
}

int main(int argc, char **argv)
{
	static const unsigned sizes[] = { 1, 16, 40, 200, 1000, 1500 };
	struct counts none = {}, *counts;
	struct slot *slots;
	size_t limit;
	char **out;

	parse_size(argc, argv, "device_malloc", NULL, 0, 0, 0);
	CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)64 << 20));
	CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
	counts = device_from(&none, 1);
	slots = device_new<struct slot>(THREADS * SLOTS);
	CHECK(cudaMemset(slots, 0, sizeof(*slots) * THREADS * SLOTS));
	out = device_new<char *>(THREADS);
	blocks_nobody_uses(limit);
	odd_sizes<<<1, 1>>>(counts);
	expect_counts("odd sizes", counts, 0);
	between_barriers<<<BLOCKS, BDIM>>>(counts);
	expect_counts("between barriers", counts, THREADS * 5);
	for (unsigned seed = 1; seed <= 2; seed++)
		churn<<<BLOCKS, BDIM>>>(slots, counts, seed);
	free_all<<<BLOCKS, BDIM>>>(slots, counts);
	expect_counts("random sizes", counts, 0);
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		same_size<<<BLOCKS, BDIM>>>(out, sizes[i], counts);
		free_same<<<BLOCKS, BDIM>>>(out, sizes[i], counts);
		expect_counts("one size", counts, 0);
	}
	whole_heap<<<1, 1>>>(limit / 8 * 7, counts);
	expect_counts("the whole heap", counts, 1);
	small_heap((size_t)1 << 18);
	return finish();
}
