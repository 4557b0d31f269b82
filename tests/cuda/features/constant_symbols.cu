/* SPDX-License-Identifier: MIT */
/*
 * constant_symbols: __constant__ and __device__ variables, with and without initial values, and the
 * calls that reach them from the host by name.
 */
#include "../common.h"

#include <unistd.h>

#define N 100

struct params {
	int scale;
	double shift;
	short table[5];
};

__constant__ int one_value = 41;
__constant__ float weights[N];
__constant__ params config = { 3, 0.5, { 1, -2, 3, -4, 5 } };
__device__ int counter;
__device__ int preset[4] = { 10, 20, 30, 40 };
__device__ double scratch[N];
__device__ int *preset_at = preset;
__device__ unsigned char small = 7;
static __device__ long long hidden = 1ll << 40;

__global__ void read_all(float *f, double *d, int *i)
{
	int t = threadIdx.x;

	f[t] = weights[t] * 2.0f;
	d[t] = config.shift * config.scale + config.table[t % 5] + hidden;
	i[t] = one_value + preset[t % 4] + *preset_at + small;
}

__global__ void write_all(void)
{
	int t = threadIdx.x;

	scratch[t] = t * 0.25;
	atomicAdd(&counter, t);
	if (t < 4)
		preset[t] += 1;
}

__global__ void write_through(int *p)
{
	p[threadIdx.x] = 1000 + threadIdx.x;
}

static void check_reads(const float *w, const params &p, int one, const int *pre)
{
	float *f = device_new<float>(N), hf[N];
	double *d = device_new<double>(N), hd[N];
	int *i = device_new<int>(N), hi[N];

	read_all<<<1, N>>>(f, d, i);
	CHECK_LAUNCH();
	host_from(hf, f, N);
	host_from(hd, d, N);
	host_from(hi, i, N);
	for (int t = 0; t < N; t++) {
		expect_same("weights", t, hf[t], w[t] * 2.0f);
		expect_same("config", t, hd[t],
			    p.shift * p.scale + p.table[t % 5] + (double)(1ll << 40));
		expect_same("ints", t, hi[t], one + pre[t % 4] + pre[0] + 7);
	}
	CHECK(cudaFree(f));
	CHECK(cudaFree(d));
	CHECK(cudaFree(i));
}

static int old_stderr;
static FILE *kept;

static void stderr_begin(void)
{
	kept = tmpfile();
	fflush(stderr);
	old_stderr = dup(2);
	dup2(fileno(kept), 2);
}

static const char *stderr_end(void)
{
	static char text[4096];

	fflush(stderr);
	dup2(old_stderr, 2);
	rewind(kept);
	text[fread(text, 1, sizeof(text) - 1, kept)] = 0;
	fclose(kept);
	return text;
}

int main(int argc, char **argv)
{
	const char *said;
	params p = { 3, 0.5, { 1, -2, 3, -4, 5 } };
	int pre[4] = { 10, 20, 30, 40 }, one = 41, got[4], *preset_dev, count, zero = 0;
	float w[N] = { 0 };
	double s[N];
	size_t size = 0;

	parse_size(argc, argv, "constant_symbols", NULL, 0, 0, 0);
	check_reads(w, p, one, pre);

	for (int i = 0; i < N; i++)
		w[i] = i * 1.5f - 20.0f;
	CHECK(cudaMemcpyToSymbol(weights, w, sizeof(w)));
	one = -5;
	CHECK(cudaMemcpyToSymbol(one_value, &one, sizeof(one)));
	p.scale = 9;
	p.table[4] = 100;
	CHECK(cudaMemcpyToSymbol(config, &p, sizeof(p)));
	check_reads(w, p, one, pre);

	/* A part of a symbol, by offset, and an asynchronous copy on a stream. */
	w[7] = 1234.5f;
	w[8] = -1234.5f;
	CHECK(cudaMemcpyToSymbol(weights, &w[7], 2 * sizeof(float), 7 * sizeof(float),
				 cudaMemcpyHostToDevice));
	pre[2] = 77;
	CHECK(cudaMemcpyToSymbolAsync(preset, &pre[2], sizeof(int), 2 * sizeof(int),
				      cudaMemcpyHostToDevice, 0));
	check_reads(w, p, one, pre);

	CHECK(cudaMemcpyToSymbol(counter, &zero, sizeof(zero)));
	write_all<<<1, N>>>();
	CHECK_LAUNCH();
	CHECK(cudaMemcpyFromSymbol(s, scratch, sizeof(s)));
	for (int i = 0; i < N; i++)
		expect_same("scratch", i, s[i], i * 0.25);
	CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof(count)));
	expect_same("counter", 0, count, N * (N - 1) / 2);
	CHECK(cudaMemcpyFromSymbol(got, preset, 2 * sizeof(int), 2 * sizeof(int)));
	expect_same("preset", 2, got[0], pre[2] + 1);
	expect_same("preset", 3, got[1], pre[3] + 1);

	/* The address of a symbol is ordinary device memory. */
	CHECK(cudaGetSymbolAddress((void **)&preset_dev, preset));
	write_through<<<1, 4>>>(preset_dev);
	CHECK_LAUNCH();
	CHECK(cudaMemcpyFromSymbol(got, preset, sizeof(got)));
	for (int i = 0; i < 4; i++)
		expect_same("preset through its address", i, got[i], 1000 + i);
	CHECK(cudaGetSymbolSize(&size, weights));
	expect_same("size of weights", 0, size, sizeof(w));
	CHECK(cudaGetSymbolSize(&size, small));
	expect_same("size of small", 0, size, (size_t)1);

	EXPECT_ERROR(cudaMemcpyToSymbol(counter, got, 2 * sizeof(int)), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemcpyFromSymbol(got, preset, sizeof(int), 4 * sizeof(int)),
		     cudaErrorInvalidValue);
	/* by its name, as before CUDA 5: a message says what to write */
	stderr_begin();
	EXPECT_ERROR(cudaMemcpyToSymbol("counter", got, sizeof(int)), cudaErrorInvalidSymbol);
	EXPECT_ERROR(cudaMemcpyToSymbol("nothing", got, sizeof(int)), cudaErrorInvalidSymbol);
	EXPECT_ERROR(cudaMemcpyToSymbol((const void *)8, got, sizeof(int)),
		     cudaErrorInvalidSymbol);
	said = stderr_end();
	if (strstr(said, "\"nothing\"") || !strstr(said, "\"counter\" is the name of a variable"))
		mismatch("what is said of a name: %s", said);
	cudaGetLastError();
	return finish();
}
