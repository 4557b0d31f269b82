// SPDX-License-Identifier: MIT
/*
 * atomicExch() and atomicCAS() of 16 bytes: the two halves change as one, whoever uses them at the
 * same time: lanes of a warp, blocks, in global, shared and managed memory, of all scopes. And
 * loads and stores of 16 and 32 bytes as PTX has them.
 */
#include "../common.h"

#define BLOCKS	12
#define THREADS	96
#define ALL	(BLOCKS * THREADS)
#define PLACES	7

#define WANT(ok, ...)				\
	do {					\
		if (!(ok))			\
			mismatch(__VA_ARGS__);	\
	} while (0)

struct alignas(16) pair {
	unsigned long long count, sum;
};

struct alignas(16) words {
	unsigned int w[4];
};

/* Every thread adds its number to one of several pairs, and 1 to the count beside it. */
template <int SCOPE> static __global__ void add_pairs(pair *p)
{
	unsigned int t = blockIdx.x * blockDim.x + threadIdx.x;
	pair *mine = p + t % PLACES, before = { 0, 0 }, found;

	for (;;) {
		pair after = { before.count + 1, before.sum + t };

		found = SCOPE ? atomicCAS_system(mine, before, after) :
				atomicCAS(mine, before, after);
		if (found.count == before.count && found.sum == before.sum)
			break;
		before = found;
	}
}

/* Tokens go round: each thread leaves its own and takes the one of whoever was there before. */
static __global__ void pass_on(words *place, words *taken)
{
	unsigned int t = blockIdx.x * blockDim.x + threadIdx.x;

	taken[t] = atomicExch(place, words{ { t + 1, ~t, t * 7, t ^ 0x55 } });
}

static __global__ void in_block(pair *out)
{
	__shared__ pair sum;
	pair before = { 0, 0 }, found;

	if (!threadIdx.x)
		sum = { 0, 0 };
	__syncthreads();
	for (;;) {
		pair after = { before.count + 1, before.sum + threadIdx.x };

		found = atomicCAS_block(&sum, before, after);
		if (found.count == before.count)
			break;
		before = found;
	}
	__syncthreads();
	if (!threadIdx.x)
		out[blockIdx.x] = sum;
}

/* Half of it differs: nothing changes. */
static __global__ void one_half(pair *p, pair *found)
{
	found[0] = atomicCAS(p, pair{ p->count, p->sum + 1 }, pair{ 1, 1 });
	found[1] = atomicCAS(p, pair{ p->count + 1, p->sum }, pair{ 2, 2 });
}

static __global__ void wide(const unsigned int *in, unsigned int *out)
{
	unsigned int t = blockIdx.x * blockDim.x + threadIdx.x, v[8];

	asm volatile("ld.global.v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
		     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5]),
		       "=r"(v[6]), "=r"(v[7])
		     : "l"(__cvta_generic_to_global(in + 8 * t)));
	asm volatile("st.global.v8.b32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"l"(
			     __cvta_generic_to_global(out + 8 * t)),
		     "r"(v[7]), "r"(v[6]), "r"(v[5]), "r"(v[4]), "r"(v[3]), "r"(v[2]), "r"(v[1]),
		     "r"(v[0])
		     : "memory");
}

static void check_pairs(const pair *p, const char *what)
{
	pair want[PLACES] = {};

	for (unsigned int t = 0; t < ALL; t++) {
		want[t % PLACES].count++;
		want[t % PLACES].sum += t;
	}
	for (int n = 0; n < PLACES; n++)
		WANT(p[n].count == want[n].count && p[n].sum == want[n].sum,
		      "%s: pair %d is %llu, %llu", what, n, p[n].count, p[n].sum);
}

static void check_tokens(const words *taken, const words &left)
{
	static bool seen[ALL + 1];

	for (int t = 0; t <= ALL; t++) {
		words w = t < ALL ? taken[t] : left;
		unsigned int who = w.w[0] - 1;

		WANT(w.w[0] <= ALL && !seen[w.w[0]], "token %u comes twice", w.w[0]);
		seen[w.w[0]] = true;
		WANT(!w.w[0] || (w.w[1] == ~who && w.w[2] == who * 7 && w.w[3] == (who ^ 0x55)),
		      "token %u is torn", who);
	}
}

int main(int argc, char **argv)
{
	pair *p, *managed, host[BLOCKS], out[2];
	words *place, *taken, tokens[ALL], left;
	unsigned int *in, *back, numbers[8 * ALL];

	parse_size(argc, argv, "atomics_128", NULL, 0, 0, 0);
	CHECK(cudaMalloc(&p, BLOCKS * sizeof(*p)));
	CHECK(cudaMallocManaged(&managed, PLACES * sizeof(*managed)));
	CHECK(cudaMemset(p, 0, BLOCKS * sizeof(*p)));
	for (int n = 0; n < PLACES; n++)
		managed[n] = { 0, 0 };
	add_pairs<0><<<BLOCKS, THREADS>>>(p);
	add_pairs<1><<<BLOCKS, THREADS>>>(managed);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost));
	check_pairs(host, "device");
	check_pairs(managed, "managed");

	one_half<<<1, 1>>>(managed, p);
	CHECK(cudaMemcpy(out, p, sizeof(out), cudaMemcpyDeviceToHost));
	check_pairs(managed, "unchanged");
	for (int n = 0; n < 2; n++)
		WANT(out[n].count == managed->count && out[n].sum == managed->sum,
		      "what was there is %llu, %llu", out[n].count, out[n].sum);

	in_block<<<BLOCKS, THREADS>>>(p);
	CHECK(cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost));
	for (int n = 0; n < BLOCKS; n++)
		WANT(host[n].count == THREADS && host[n].sum == THREADS * (THREADS - 1) / 2,
		      "block %d has %llu, %llu", n, host[n].count, host[n].sum);

	CHECK(cudaMalloc(&place, sizeof(*place)));
	CHECK(cudaMalloc(&taken, sizeof(tokens)));
	CHECK(cudaMemset(place, 0, sizeof(*place)));
	pass_on<<<BLOCKS, THREADS>>>(place, taken);
	CHECK(cudaMemcpy(tokens, taken, sizeof(tokens), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(&left, place, sizeof(left), cudaMemcpyDeviceToHost));
	check_tokens(tokens, left);

	CHECK(cudaMalloc(&in, sizeof(numbers)));
	CHECK(cudaMalloc(&back, sizeof(numbers)));
	for (unsigned int n = 0; n < 8 * ALL; n++)
		numbers[n] = n * 2654435761u;
	CHECK(cudaMemcpy(in, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	wide<<<BLOCKS, THREADS>>>(in, back);
	CHECK(cudaMemcpy(numbers, back, sizeof(numbers), cudaMemcpyDeviceToHost));
	for (unsigned int n = 0; n < 8 * ALL; n++)
		WANT(numbers[n] == ((n & ~7u) + 7 - (n & 7)) * 2654435761u, "word %u", n);
	CHECK(cudaFree(p));
	CHECK(cudaFree(managed));
	CHECK(cudaFree(place));
	CHECK(cudaFree(taken));
	CHECK(cudaFree(in));
	CHECK(cudaFree(back));
	return finish();
}
