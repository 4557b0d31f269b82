// SPDX-License-Identifier: MIT
/*
 * cuRAND's MTGP32 in kernels: what NVIDIA's header gives there, as it was when nvcc compiled the
 * same kernel with it. The threads of a block share a state.
 */
#include "common.h"
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>

#define STATES 3
#define BLOCKS 2
#define THREADS_MAX 256
#define DRAWS 4

enum draw { BITS, UNIFORM, UNIFORM_DOUBLE, NORMAL, NORMAL_DOUBLE, LOG, LOG_DOUBLE, POISSON,
	    SPECIFIC };

/* A checksum of all, or the first number where the last bits are open */
static const struct measured {
	enum draw draw;
	unsigned int threads;
	double mean;
	unsigned long long sum;
	double first, tolerance;
} measured[] = {
	{ BITS, 256, 0, 0xe79f480634aec325ull, 3992761209.0, 0 },
	{ BITS, 64, 0, 0xb551a90f96254b25ull, 3992761209.0, 0 },
	{ UNIFORM, 256, 0, 0xcbf20fb29f2ec325ull, 0.92963713407516479, 0 },
	{ UNIFORM_DOUBLE, 256, 0, 0x550f8a85cd0ec325ull, 0.92963716248050332, 0 },
	{ NORMAL, 256, 0, 0, 1.4730939865112305, 2e-6 },
	{ NORMAL_DOUBLE, 256, 0, 0, 1.4730940586244081, 4e-15 },
	{ LOG, 256, 0, 0, 2.3827934265136719, 2e-6 },
	{ LOG_DOUBLE, 256, 0, 0, 2.3827934422663199, 4e-15 },
	{ POISSON, 256, 0.5, 0x9fdb1cf8df2ec325ull, 2, 0 },
	{ POISSON, 256, 30, 0x4b031cf8df2ec325ull, 38, 0 },
	{ POISSON, 256, 63.5, 0x47525cf8df2ec325ull, 75, 0 },
	{ POISSON, 256, 100, 0xab0b1cf8df2ec325ull, 115, 0 },
	{ POISSON, 256, 1000, 0x10b200f8df2ec325ull, 1047, 0 },
	{ POISSON, 256, 5000, 0xaa95d4f8df2ec325ull, 5104, 0 },
	{ SPECIFIC, 64, 0, 0xb551a90f96254b25ull, 3992761209.0, 0 },
};

static __device__ double number_of(curandStateMtgp32 *state, enum draw draw, double mean)
{
	switch (draw) {
	case BITS:
		return curand(state);
	case UNIFORM:
		return curand_uniform(state);
	case UNIFORM_DOUBLE:
		return curand_uniform_double(state);
	case NORMAL:
		return curand_normal(state);
	case NORMAL_DOUBLE:
		return curand_normal_double(state);
	case LOG:
		return curand_log_normal(state, 0.5f, 0.25f);
	case LOG_DOUBLE:
		return curand_log_normal_double(state, 0.5, 0.25);
	case POISSON:
		return curand_poisson(state, mean);
	default:
		return curand_mtgp32_specific(state, (unsigned char)threadIdx.x, blockDim.x);
	}
}

static __global__ void fill(curandStateMtgp32 *states, double *out, enum draw draw, double mean)
{
	for (unsigned int i = 0; i < DRAWS; i++)
		out[(blockIdx.x * DRAWS + i) * blockDim.x + threadIdx.x] =
			number_of(&states[blockIdx.x], draw, mean);
}

static void check(const struct measured *row, curandStateMtgp32 *states,
		  mtgp32_kernel_params_t *params, double *device)
{
	static double numbers[BLOCKS * DRAWS * THREADS_MAX];
	unsigned int count = BLOCKS * DRAWS * row->threads;
	unsigned long long sum = 0xcbf29ce484222325ull;

	if (curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, params, STATES,
					0x123456789abcdefull) != CURAND_STATUS_SUCCESS)
		mismatch("states: refused");
	fill<<<BLOCKS, row->threads>>>(states, device, row->draw, row->mean);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(numbers, device, count * sizeof(double), cudaMemcpyDeviceToHost));
	for (unsigned int i = 0; i < count; i++) {
		unsigned long long word;

		memcpy(&word, &numbers[i], sizeof(word));
		sum = (sum ^ word) * 0x100000001b3ull;
	}
	if (row->sum && sum != row->sum)
		mismatch("draw %d of %u threads, mean %g: got checksum 0x%016llx", row->draw,
			 row->threads, row->mean, sum);
	if (!(fabs(numbers[0] - row->first) <= row->tolerance * (1 + fabs(row->first))))
		mismatch("draw %d of %u threads, mean %g: got %.17g, expected %.17g", row->draw,
			 row->threads, row->mean, numbers[0], row->first);
}

int main(int argc, char **argv)
{
	curandStateMtgp32 *states;
	mtgp32_kernel_params_t *params;
	double *device;

	parse_size(argc, argv, "mtgp32", NULL, 0, 0, 0);
	if (sizeof(*states) != 4112 || sizeof(*params) != 40804 ||
	    sizeof(mtgp32_params_fast_t) != 236)
		mismatch("layouts: not CUDA's");
	CHECK(cudaMalloc((void **)&states, STATES * sizeof(*states)));
	CHECK(cudaMalloc((void **)&params, sizeof(*params)));
	CHECK(cudaMalloc((void **)&device, BLOCKS * DRAWS * THREADS_MAX * sizeof(*device)));
	if (curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, params) != CURAND_STATUS_SUCCESS)
		mismatch("parameters: refused");
	for (const struct measured &row : measured)
		check(&row, states, params, device);
	if (curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, params, 201, 1) !=
	    CURAND_STATUS_OUT_OF_RANGE)
		mismatch("201 states: got no refusal");
	CHECK(cudaFree(states));
	CHECK(cudaFree(params));
	CHECK(cudaFree(device));
	return finish();
}
