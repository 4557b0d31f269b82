// SPDX-License-Identifier: MIT
/*
 * Speed of SMs: thread instructions per second of kernels as people write them, and the same work
 * as scalar C (scalar.c) in the same run. Prints a line a kernel: median of the runs, and their
 * spread, in processor time. VGPU_NATIVE says whether the interpreter executes them or native code.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "scalar.h"
#include "vgpu_runtime.h"

#define TILE	16
#define RUNS	7

#define CHECK(call) do { \
	cudaError_t err_ = (call); \
	if (err_ != cudaSuccess) { \
		fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(err_)); \
		exit(1); \
	} \
} while (0)

__global__ void sgemm(int n, const float *a, const float *b, float *c)
{
	__shared__ float as[TILE][TILE], bs[TILE][TILE];
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	float sum = 0;

	for (int t = 0; t < n; t += TILE) {
		as[threadIdx.y][threadIdx.x] = a[y * n + t + threadIdx.x];
		bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + x];
		__syncthreads();
#pragma unroll
		for (int k = 0; k < TILE; k++)
			sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
		__syncthreads();
	}
	c[y * n + x] = sum;
}

__global__ void nbody(int n, const float4 *bodies, float *acceleration)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float4 me = bodies[i];
	float ax = 0, ay = 0, az = 0;

	for (int j = 0; j < n; j++) {
		float4 other = bodies[j];
		float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
		float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
		float scale = other.w * inverse * inverse * inverse;

		ax += dx * scale;
		ay += dy * scale;
		az += dz * scale;
	}
	acceleration[3 * i] = ax;
	acceleration[3 * i + 1] = ay;
	acceleration[3 * i + 2] = az;
}

__global__ void histogram(int n, const unsigned char *data, unsigned int *bins)
{
	__shared__ unsigned int local[256];

	local[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&local[data[i]], 1u);
	__syncthreads();
	atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void spmv(int rows, const int *row, const int *column, const float *value,
		     const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (i >= rows)
		return;
	for (int j = row[i]; j < row[i + 1]; j++)
		sum += value[j] * x[column[j]];
	y[i] = sum;
}

__global__ void saxpy(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] += a * x[i];
}

__global__ void stencil(int n, const float *in, float *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	int plane = n * n, i = y * n + x;
	float below, centre, above;

	if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
		return;
	below = in[i];
	i += plane;
	centre = in[i];
	for (int z = 1; z < n - 1; z++, i += plane) {
		above = in[i + plane];
		out[i] = 0.25f * centre + 0.125f * (above + below + in[i - n] + in[i + n] +
						    in[i + 1] + in[i - 1]);
		below = centre;
		centre = above;
	}
}

__global__ void reduce(int n, const float *x, float *sums)
{
	__shared__ float part[256];
	int t = threadIdx.x;
	float sum = 0;

	for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
		sum += x[i];
	part[t] = sum;
	__syncthreads();
	for (int half = 128; half >= 32; half /= 2) {
		if (t < half)
			part[t] += part[t + half];
		__syncthreads();
	}
	if (t < 32) {
		sum = part[t];
		for (int d = 16; d > 0; d /= 2)
			sum += __shfl_down_sync(0xffffffffu, sum, d);
		if (t == 0)
			sums[blockIdx.x] = sum;
	}
}

/* One benchmark: the device part, the scalar part, and whether both agree. */
struct job {
	const char *name;
	void (*device)(void);
	void (*scalar)(void);
	int (*agree)(void);
};

static int size_sgemm = 256, size_nbody = 2048, size_histogram = 1 << 20, size_spmv = 16384;
static float *ga, *gb, *gc, *da, *db, *dc, *hc;
static float *bodies, *acceleration, *dbodies, *dacceleration, *hacceleration;
static unsigned char *bytes, *dbytes;
static unsigned int bins[256], hbins[256], *dbins;
static int *row, *column, *drow, *dcolumn;
static float *value, *x, *y, *hy, *dvalue, *dx, *dy;
#define SUMS	104
static int size_saxpy = 1 << 20, size_stencil = 96, size_reduce = 1 << 20;
static float *sx, *sy, *hsy, *dsx, *dsy, *dsums, total;
static float *grid, *grid_out, *hgrid, *dgrid, *dgrid_out;

static void *to_device(const void *data, size_t size)
{
	void *p;

	CHECK(cudaMalloc(&p, size));
	CHECK(cudaMemcpy(p, data, size, cudaMemcpyHostToDevice));
	return p;
}

static float *random_floats(size_t n)
{
	float *p = (float *)malloc(n * sizeof(*p));

	for (size_t i = 0; i < n; i++)
		p[i] = (float)(rand() % 1000) / 1000.0f;
	return p;
}

static int close_enough(const float *got, const float *want, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(fabsf(got[i] - want[i]) <= 1e-3f * (1.0f + fabsf(want[i]))))
			return 0;
	return 1;
}

static void sgemm_device(void)
{
	dim3 grid(size_sgemm / TILE, size_sgemm / TILE), block(TILE, TILE);

	sgemm<<<grid, block>>>(size_sgemm, da, db, dc);
}

static void sgemm_scalar(void)
{
	scalar_sgemm(size_sgemm, ga, gb, gc);
}

static int sgemm_agree(void)
{
	CHECK(cudaMemcpy(hc, dc, sizeof(float) * size_sgemm * size_sgemm, cudaMemcpyDeviceToHost));
	return close_enough(hc, gc, (size_t)size_sgemm * size_sgemm);
}

static void nbody_device(void)
{
	nbody<<<size_nbody / 256, 256>>>(size_nbody, (const float4 *)dbodies, dacceleration);
}

static void nbody_scalar(void)
{
	scalar_nbody(size_nbody, bodies, acceleration);
}

static int nbody_agree(void)
{
	CHECK(cudaMemcpy(hacceleration, dacceleration, sizeof(float) * 3 * size_nbody,
			 cudaMemcpyDeviceToHost));
	return close_enough(hacceleration, acceleration, (size_t)size_nbody * 3);
}

static void histogram_device(void)
{
	CHECK(cudaMemsetAsync(dbins, 0, sizeof(bins), 0));
	histogram<<<26, 256>>>(size_histogram, dbytes, dbins);
}

static void histogram_scalar(void)
{
	memset(bins, 0, sizeof(bins));
	scalar_histogram(size_histogram, bytes, bins);
}

static int histogram_agree(void)
{
	CHECK(cudaMemcpy(hbins, dbins, sizeof(bins), cudaMemcpyDeviceToHost));
	return !memcmp(hbins, bins, sizeof(bins));
}

static void spmv_device(void)
{
	spmv<<<(size_spmv + 127) / 128, 128>>>(size_spmv, drow, dcolumn, dvalue, dx, dy);
}

static void spmv_scalar(void)
{
	scalar_spmv(size_spmv, row, column, value, x, y);
}

static int spmv_agree(void)
{
	CHECK(cudaMemcpy(hy, dy, sizeof(float) * size_spmv, cudaMemcpyDeviceToHost));
	return close_enough(hy, y, (size_t)size_spmv);
}

static void saxpy_device(void)
{
	saxpy<<<(size_saxpy + 255) / 256, 256>>>(size_saxpy, 2.5f, dsx, dsy);
}

static void saxpy_scalar(void)
{
	scalar_saxpy(size_saxpy, 2.5f, sx, sy);
}

static int saxpy_agree(void)
{
	CHECK(cudaMemcpy(hsy, dsy, sizeof(float) * size_saxpy, cudaMemcpyDeviceToHost));
	return close_enough(hsy, sy, (size_t)size_saxpy);
}

static void stencil_device(void)
{
	dim3 blocks((size_stencil + 31) / 32, (size_stencil + 3) / 4), block(32, 4);

	stencil<<<blocks, block>>>(size_stencil, dgrid, dgrid_out);
}

static void stencil_scalar(void)
{
	scalar_stencil(size_stencil, grid, grid_out);
}

static int stencil_agree(void)
{
	size_t n = (size_t)size_stencil * size_stencil * size_stencil;

	CHECK(cudaMemcpy(hgrid, dgrid_out, sizeof(float) * n, cudaMemcpyDeviceToHost));
	return close_enough(hgrid, grid_out, n);
}

static void reduce_device(void)
{
	reduce<<<SUMS, 256>>>(size_reduce, dsx, dsums);
}

static void reduce_scalar(void)
{
	scalar_reduce(size_reduce, sx, &total);
}

static int reduce_agree(void)
{
	float sums[SUMS], sum = 0;

	CHECK(cudaMemcpy(sums, dsums, sizeof(sums), cudaMemcpyDeviceToHost));
	for (int i = 0; i < SUMS; i++)
		sum += sums[i];
	return close_enough(&sum, &total, 1);
}

static void prepare(void)
{
	size_t nn = (size_t)size_sgemm * size_sgemm, entries = 0;

	srand(1);
	ga = random_floats(nn);
	gb = random_floats(nn);
	gc = random_floats(nn);
	hc = random_floats(nn);
	da = (float *)to_device(ga, nn * 4);
	db = (float *)to_device(gb, nn * 4);
	dc = (float *)to_device(gc, nn * 4);
	bodies = random_floats((size_t)size_nbody * 4);
	acceleration = random_floats((size_t)size_nbody * 3);
	hacceleration = random_floats((size_t)size_nbody * 3);
	dbodies = (float *)to_device(bodies, (size_t)size_nbody * 16);
	dacceleration = (float *)to_device(acceleration, (size_t)size_nbody * 12);
	bytes = (unsigned char *)malloc((size_t)size_histogram);
	for (int i = 0; i < size_histogram; i++)
		bytes[i] = (unsigned char)(rand() >> 4);
	dbytes = (unsigned char *)to_device(bytes, (size_t)size_histogram);
	dbins = (unsigned int *)to_device(bins, sizeof(bins));
	row = (int *)malloc(sizeof(int) * ((size_t)size_spmv + 1));
	for (int i = 0; i <= size_spmv; i++) {
		row[i] = (int)entries;
		entries += 4 + (size_t)rand() % 25;
	}
	column = (int *)malloc(entries * sizeof(int));
	for (size_t i = 0; i < entries; i++)
		column[i] = rand() % size_spmv;
	value = random_floats(entries);
	x = random_floats((size_t)size_spmv);
	y = random_floats((size_t)size_spmv);
	hy = random_floats((size_t)size_spmv);
	drow = (int *)to_device(row, sizeof(int) * ((size_t)size_spmv + 1));
	dcolumn = (int *)to_device(column, entries * sizeof(int));
	dvalue = (float *)to_device(value, entries * 4);
	dx = (float *)to_device(x, (size_t)size_spmv * 4);
	dy = (float *)to_device(y, (size_t)size_spmv * 4);
	sx = random_floats((size_t)size_saxpy);
	sy = random_floats((size_t)size_saxpy);
	hsy = random_floats((size_t)size_saxpy);
	dsx = (float *)to_device(sx, (size_t)size_saxpy * 4);
	dsy = (float *)to_device(sy, (size_t)size_saxpy * 4);
	nn = (size_t)size_stencil * size_stencil * size_stencil;
	grid = random_floats(nn);
	grid_out = (float *)calloc(nn, sizeof(float));
	hgrid = (float *)calloc(nn, sizeof(float));
	dgrid = (float *)to_device(grid, nn * 4);
	dgrid_out = (float *)to_device(grid_out, nn * 4);
	dsums = (float *)to_device(sx, sizeof(float) * SUMS);
}

static unsigned long long thread_instructions(void)
{
	struct vgpu_context_info info;

	if (vgpuContextInfo(&info) != vgpuSuccess) {
		fprintf(stderr, "no context information\n");
		exit(1);
	}
	return info.thread_instructions;
}

static int measure(const struct job *job)
{
	double device[RUNS], scalar[RUNS];
	struct bench_stat d, s;
	unsigned long long before = 0, count;

	for (int run = -1; run < RUNS; run++) {	/* the first is not counted */
		double start;

		before = thread_instructions();
		start = bench_processor_seconds();
		job->device();
		CHECK(cudaDeviceSynchronize());
		if (run >= 0)
			device[run] = bench_processor_seconds() - start;
		start = bench_processor_seconds();
		job->scalar();
		if (run >= 0)
			scalar[run] = bench_processor_seconds() - start;
	}
	count = thread_instructions() - before;
	if (!job->agree()) {
		printf("%-10s WRONG: device and scalar C disagree\n", job->name);
		return 1;
	}
	d = bench_stat(device, RUNS);
	s = bench_stat(scalar, RUNS);
	printf("%-10s %12llu %10.2f %10.0f %8.0f..%-8.0f %10.2f %8.1fx\n", job->name, count,
	       d.median * 1e3, (double)count / d.median / 1e6, (double)count / d.max / 1e6,
	       (double)count / d.min / 1e6, s.median * 1e3, d.median / s.median);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct job jobs[] = {
		{ "sgemm", sgemm_device, sgemm_scalar, sgemm_agree },
		{ "nbody", nbody_device, nbody_scalar, nbody_agree },
		{ "histogram", histogram_device, histogram_scalar, histogram_agree },
		{ "spmv", spmv_device, spmv_scalar, spmv_agree },
		{ "saxpy", saxpy_device, saxpy_scalar, saxpy_agree },
		{ "stencil", stencil_device, stencil_scalar, stencil_agree },
		{ "reduce", reduce_device, reduce_scalar, reduce_agree },
	};
	int wrong = 0;

	if (argc == 2 && !strcmp(argv[1], "--small")) {	/* for an emulated guest */
		size_sgemm = 64;
		size_nbody = 256;
		size_histogram = 1 << 16;
		size_spmv = 2048;
		size_saxpy = 1 << 16;
		size_stencil = 32;
		size_reduce = 1 << 16;
		argc = 1;
	} else if (argc > 1 && argv[1][0] == '-') {
		fprintf(stderr, "usage: kernels [--small | NAME...]\n");
		return 2;
	}
	prepare();
	printf("%-10s %12s %10s %10s %18s %10s %9s\n", "kernel", "thread insns", "ms", "M insns/s",
	       "min..max", "scalar ms", "slower");
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		int wanted = argc == 1;

		for (int n = 1; n < argc; n++)
			wanted |= !strcmp(argv[n], jobs[i].name);
		if (wanted)
			wrong += measure(&jobs[i]);
	}
	return wrong != 0;
}
