// SPDX-License-Identifier: MIT
/*
 * cuRAND's device API: what NVIDIA's header gives in kernels, as it was when nvcc compiled this
 * program with it: checksums of bits and uniform numbers, and some normal ones.
 */
#include "common.h"
#include <curand.h>
#include <curand_kernel.h>
#include <type_traits>

#include "device_measured.h"

#define THREADS 64

struct result {
	unsigned long long exact;
	float normal[3];
	double normal_double[3];
};

/* Some threads of each, with subsequences near and far and offsets of all sizes. */
static __device__ unsigned long long subsequence_of(unsigned int i)
{
	return i < 16 ? i : i < 32 ? 1000000ull * i : 0x123456789ull * i;
}

static __device__ unsigned long long offset_of(unsigned int i)
{
	return i % 4 == 0 ? 0 : i % 4 == 1 ? i : i % 4 == 2 ? 100000ull + i : 0x3456789abcull * i;
}

static __device__ void add(struct result *r, unsigned long long word)
{
	r->exact = (r->exact ^ word) * 0x100000001b3ull;
}

template <class State> static __device__ void use(State *state, struct result *r)
{
	r->exact = 0xcbf29ce484222325ull;
	for (int i = 0; i < 5; i++)
		add(r, curand(state));
	for (int i = 0; i < 3; i++)
		add(r, __float_as_uint(curand_uniform(state)));
	for (int i = 0; i < 3; i++)
		add(r, (unsigned long long)__double_as_longlong(curand_uniform_double(state)));
	skipahead(11, state);
	for (int i = 0; i < 3; i++)
		r->normal[i] = 1 + curand_normal(state);
	for (int i = 0; i < 3; i++)
		r->normal_double[i] = 1 + curand_normal_double(state);
	add(r, curand(state));
}

template <class State> static __global__ void pseudo(unsigned long long seed, struct result *r)
{
	unsigned int i = threadIdx.x;
	State state;

	curand_init(seed, subsequence_of(i), offset_of(i), &state);
	use(&state, &r[i]);
}

static __global__ void philox_fours(unsigned long long seed, struct result *r)
{
	unsigned int i = threadIdx.x;
	curandStatePhilox4_32_10_t state;
	uint4 x;
	float4 u, n;
	double2 d;

	curand_init(seed, i, i % 4, &state);
	r[i].exact = 0;
	x = curand4(&state);
	add(&r[i], x.x);
	add(&r[i], x.y);
	add(&r[i], x.z);
	add(&r[i], x.w);
	u = curand_uniform4(&state);
	add(&r[i], __float_as_uint(u.x));
	add(&r[i], __float_as_uint(u.w));
	d = curand_uniform2_double(&state);
	add(&r[i], (unsigned long long)__double_as_longlong(d.x));
	add(&r[i], (unsigned long long)__double_as_longlong(d.y));
	n = curand_normal4(&state);
	r[i].normal[0] = n.x;
	r[i].normal[1] = n.y;
	r[i].normal[2] = n.w;
	d = curand_normal2_double(&state);
	r[i].normal_double[0] = d.x;
	r[i].normal_double[1] = d.y;
	r[i].normal_double[2] = 0;
	add(&r[i], curand(&state));
}

/* Any matrix makes a sequence: that of van der Corput, and one with its bits mixed. */
template <class Word, class State> static __global__ void sobol(struct result *r)
{
	Word vectors[8 * sizeof(Word)];
	unsigned int i = threadIdx.x;
	State state;

	for (unsigned int bit = 0; bit < 8 * sizeof(Word); bit++) {
		Word top = (Word)1 << (8 * sizeof(Word) - 1 - bit);

		vectors[bit] = top | (i & 1 ? (top - 1) & (Word)0x5555555533333333ull : 0);
		vectors[bit] |= bit % 3 == 0 && bit ? top << 1 : 0;
	}
	if constexpr (std::is_same<State, curandStateScrambledSobol32_t>::value ||
		      std::is_same<State, curandStateScrambledSobol64_t>::value)
		curand_init(vectors, (Word)0x9e3779b97f4a7c15ull, (Word)offset_of(i), &state);
	else
		curand_init(vectors, (Word)offset_of(i), &state);
	use(&state, &r[i]);
}

static void check(const char *name, struct result *device, unsigned long long want,
		  const float *normal, const double *normal_double)
{
	static struct result r[THREADS];
	unsigned long long sum = 0xcbf29ce484222325ull;

	CHECK_LAUNCH();
	CHECK(cudaMemcpy(r, device, sizeof(r), cudaMemcpyDeviceToHost));
	for (int i = 0; i < THREADS; i++)
		sum = (sum ^ r[i].exact) * 0x100000001b3ull;
	if (sum != want)
		mismatch("%s: got checksum 0x%016llx, expected 0x%016llx", name, sum, want);
	for (int k = 0; k < 2; k++) {
		float f = r[5].normal[2 * k];
		double d = r[7].normal_double[k];

		if (!(fabsf(f - normal[k]) <= 2e-6f * (1 + fabsf(normal[k]))))
			mismatch("%s: got normal %.9g, expected %.9g", name, f, normal[k]);
		if (!(fabs(d - normal_double[k]) <= 4e-15 * (1 + fabs(normal_double[k]))))
			mismatch("%s: got normal %.17g, expected %.17g", name, d, normal_double[k]);
	}
}

int main(int argc, char **argv)
{
	struct result *r;

	parse_size(argc, argv, "device_api", NULL, 0, 0, 0);
	CHECK(cudaMalloc((void **)&r, THREADS * sizeof(*r)));
#define RUN(n, kernel, ...) \
	kernel<<<1, THREADS>>>(__VA_ARGS__); \
	check(#kernel, r, measured[n].sum, measured[n].normal, measured[n].normal_double)
#define COMMA ,
	RUN(0, pseudo<curandState>, 1234, r);
	RUN(1, pseudo<curandStateMRG32k3a>, 0x123456789abcdefull, r);
	RUN(2, pseudo<curandStatePhilox4_32_10_t>, 0x123456789abcdefull, r);
	RUN(3, philox_fours, 99, r);
	RUN(4, sobol<unsigned int COMMA curandStateSobol32_t>, r);
	RUN(5, sobol<unsigned int COMMA curandStateScrambledSobol32_t>, r);
	RUN(6, sobol<unsigned long long COMMA curandStateSobol64_t>, r);
	RUN(7, sobol<unsigned long long COMMA curandStateScrambledSobol64_t>, r);
	CHECK(cudaFree(r));
	return finish();
}
