// SPDX-License-Identifier: MIT
/*
 * The kernels of kernels.cu in OpenCL, with the same sizes, on the first CPU device that OpenCL has
 * (POCL), with one thread. Prints a line a kernel: its name, and the median of some runs in
 * milliseconds of processor time. --check: nothing but whether there is such a device.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "scalar.h"

#define RUNS		7
#define SGEMM		256
#define NBODY		2048
#define HISTOGRAM	(1 << 20)
#define SPMV		16384
#define SAXPY		(1 << 20)
#define STENCIL		96
#define REDUCE		(1 << 20)
#define SUMS		104

static const char *const source =
	"#define TILE 16\n"
	"__kernel void sgemm(int n, __global const float *a, __global const float *b,\n"
	"		     __global float *c)\n"
	"{\n"
	"	__local float as[TILE][TILE], bs[TILE][TILE];\n"
	"	int tx = get_local_id(0), ty = get_local_id(1);\n"
	"	int x = get_global_id(0), y = get_global_id(1);\n"
	"	float sum = 0;\n"
	"	for (int t = 0; t < n; t += TILE) {\n"
	"		as[ty][tx] = a[y * n + t + tx];\n"
	"		bs[ty][tx] = b[(t + ty) * n + x];\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		for (int k = 0; k < TILE; k++)\n"
	"			sum += as[ty][k] * bs[k][tx];\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	}\n"
	"	c[y * n + x] = sum;\n"
	"}\n"
	"__kernel void nbody(int n, __global const float4 *bodies, __global float *acceleration)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float4 me = bodies[i];\n"
	"	float ax = 0, ay = 0, az = 0;\n"
	"	for (int j = 0; j < n; j++) {\n"
	"		float4 other = bodies[j];\n"
	"		float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;\n"
	"		float inverse = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);\n"
	"		float scale = other.w * inverse * inverse * inverse;\n"
	"		ax += dx * scale;\n"
	"		ay += dy * scale;\n"
	"		az += dz * scale;\n"
	"	}\n"
	"	acceleration[3 * i] = ax;\n"
	"	acceleration[3 * i + 1] = ay;\n"
	"	acceleration[3 * i + 2] = az;\n"
	"}\n"
	"__kernel void histogram(int n, __global const uchar *data, __global uint *bins)\n"
	"{\n"
	"	__local uint part[256];\n"
	"	part[get_local_id(0)] = 0;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	for (int i = get_global_id(0); i < n; i += get_global_size(0))\n"
	"		atomic_inc(&part[data[i]]);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	atomic_add(&bins[get_local_id(0)], part[get_local_id(0)]);\n"
	"}\n"
	"__kernel void spmv(int rows, __global const int *row, __global const int *column,\n"
	"	__global const float *value, __global const float *x, __global float *y)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	if (i >= rows)\n"
	"		return;\n"
	"	for (int j = row[i]; j < row[i + 1]; j++)\n"
	"		sum += value[j] * x[column[j]];\n"
	"	y[i] = sum;\n"
	"}\n"
	"__kernel void saxpy(int n, float a, __global const float *x, __global float *y)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	if (i < n)\n"
	"		y[i] += a * x[i];\n"
	"}\n"
	"__kernel void stencil(int n, __global const float *in, __global float *out)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1);\n"
	"	int plane = n * n, i = y * n + x;\n"
	"	float below, centre, above;\n"
	"	if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)\n"
	"		return;\n"
	"	below = in[i];\n"
	"	i += plane;\n"
	"	centre = in[i];\n"
	"	for (int z = 1; z < n - 1; z++, i += plane) {\n"
	"		above = in[i + plane];\n"
	"		out[i] = 0.25f * centre +\n"
	"			 0.125f * (above + below + in[i - n] + in[i + n] +\n"
	"				   in[i + 1] + in[i - 1]);\n"
	"		below = centre;\n"
	"		centre = above;\n"
	"	}\n"
	"}\n"
	/* OpenCL 1.2 has no shuffles: the last warp goes on in local memory */
	"__kernel void reduce(int n, __global const float *x, __global float *sums)\n"
	"{\n"
	"	__local float part[256];\n"
	"	int t = get_local_id(0);\n"
	"	float sum = 0;\n"
	"	for (int i = get_global_id(0); i < n; i += get_global_size(0))\n"
	"		sum += x[i];\n"
	"	part[t] = sum;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	for (int half_ = 128; half_ > 0; half_ /= 2) {\n"
	"		if (t < half_)\n"
	"			part[t] += part[t + half_];\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	}\n"
	"	if (t == 0)\n"
	"		sums[get_group_id(0)] = part[0];\n"
	"}\n";

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_device_id device;

static void check(cl_int error, const char *what)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "pocl: %s: error %d\n", what, error);
	exit(1);
}

static int find_device(void)
{
	cl_platform_id platforms[8];
	cl_uint count = 0;

	if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS)
		return 0;
	for (cl_uint n = 0; n < count && n < 8; n++)
		if (clGetDeviceIDs(platforms[n], CL_DEVICE_TYPE_CPU, 1, &device, NULL) ==
		    CL_SUCCESS)
			return 1;
	return 0;
}

static void open_device(void)
{
	cl_int error;

	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	check(error, "clCreateContext");
	queue = clCreateCommandQueue(context, device, 0, &error);
	check(error, "clCreateCommandQueue");
	program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &error);
	check(error, "clCreateProgramWithSource");
	check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
}

static cl_mem buffer(void *data, size_t bytes)
{
	cl_int error;
	cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
				       data, &error);

	check(error, "clCreateBuffer");
	return memory;
}

static float *random_floats(size_t n)
{
	float *p = malloc(n * sizeof(*p));

	if (!p)
		exit(1);
	for (size_t i = 0; i < n; i++)
		p[i] = (float)(rand() % 1000) / 1000.0f;
	return p;
}

struct argument {
	const void *value;
	size_t bytes;
};
#define ARG(x)	{ &(x), sizeof(x) }

/* Median of the runs; what the last one left in @result is in @out. */
static void measure(const char *name, const struct argument *arguments, cl_uint count,
		    cl_uint dimensions, const size_t *global, const size_t *local, cl_mem result,
		    void *out, size_t bytes)
{
	cl_int error;
	cl_kernel kernel = clCreateKernel(program, name, &error);
	double seconds[RUNS];
	static const cl_uint zeros[256];

	check(error, name);
	for (cl_uint n = 0; n < count; n++)
		check(clSetKernelArg(kernel, n, arguments[n].bytes, arguments[n].value),
		      "clSetKernelArg");
	for (int run = -1; run < RUNS; run++) {	/* the first compiles */
		double start = bench_processor_seconds();

		if (!strcmp(name, "histogram"))
			check(clEnqueueWriteBuffer(queue, result, CL_TRUE, 0, sizeof(zeros), zeros,
						   0, NULL, NULL),
			      "clEnqueueWriteBuffer");
		check(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, local, 0,
					     NULL, NULL),
		      name);
		check(clFinish(queue), "clFinish");
		if (run >= 0)
			seconds[run] = bench_processor_seconds() - start;
	}
	check(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, bytes, out, 0, NULL, NULL),
	      "clEnqueueReadBuffer");
	printf("%s %.4f\n", name, bench_stat(seconds, RUNS).median * 1e3);
	clReleaseKernel(kernel);
}

static int close_enough(const char *name, const float *got, const float *want, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(fabsf(got[i] - want[i]) <= 1e-3f * (1.0f + fabsf(want[i])))) {
			printf("%s WRONG at %zu\n", name, i);
			return 0;
		}
	return 1;
}

static int do_sgemm(void)
{
	size_t n = SGEMM * SGEMM, global[] = { SGEMM, SGEMM }, local[] = { 16, 16 };
	float *a = random_floats(n), *b = random_floats(n), *c = random_floats(n), *out;
	cl_mem da = buffer(a, n * 4), db = buffer(b, n * 4), dc = buffer(c, n * 4);
	cl_int size = SGEMM;
	struct argument arguments[] = { ARG(size), ARG(da), ARG(db), ARG(dc) };

	out = random_floats(n);
	measure("sgemm", arguments, 4, 2, global, local, dc, out, n * 4);
	scalar_sgemm(SGEMM, a, b, c);
	return close_enough("sgemm", out, c, n);
}

static int do_nbody(void)
{
	size_t global = NBODY, local = 256;
	float *bodies = random_floats(4 * NBODY), *got = random_floats(3 * NBODY);
	float *want = random_floats(3 * NBODY);
	cl_mem in = buffer(bodies, 16 * NBODY), out = buffer(got, 12 * NBODY);
	cl_int size = NBODY;
	struct argument arguments[] = { ARG(size), ARG(in), ARG(out) };

	measure("nbody", arguments, 3, 1, &global, &local, out, got, 12 * NBODY);
	scalar_nbody(NBODY, bodies, want);
	return close_enough("nbody", got, want, 3 * NBODY);
}

static int do_histogram(void)
{
	static unsigned int got[256], want[256];
	size_t global = 26 * 256, local = 256;
	unsigned char *data = malloc(HISTOGRAM);
	cl_int size = HISTOGRAM;
	cl_mem in, out;

	if (!data)
		return 0;
	for (int i = 0; i < HISTOGRAM; i++)
		data[i] = (unsigned char)(rand() >> 4);
	in = buffer(data, HISTOGRAM);
	out = buffer(got, sizeof(got));
	{
		struct argument arguments[] = { ARG(size), ARG(in), ARG(out) };

		measure("histogram", arguments, 3, 1, &global, &local, out, got, sizeof(got));
	}
	scalar_histogram(HISTOGRAM, data, want);
	if (!memcmp(got, want, sizeof(got)))
		return 1;
	printf("histogram WRONG\n");
	return 0;
}

static int do_spmv(void)
{
	size_t global = SPMV, local = 128, entries = 0;
	int *row = malloc(sizeof(*row) * (SPMV + 1)), *column;
	float *value, *x = random_floats(SPMV), *got = random_floats(SPMV);
	float *want = random_floats(SPMV);
	cl_int size = SPMV;

	for (int i = 0; i <= SPMV; i++) {
		row[i] = (int)entries;
		entries += 4 + (size_t)rand() % 25;
	}
	column = malloc(entries * sizeof(*column));
	for (size_t i = 0; i < entries; i++)
		column[i] = rand() % SPMV;
	value = random_floats(entries);
	{
		cl_mem drow = buffer(row, sizeof(*row) * (SPMV + 1));
		cl_mem dcolumn = buffer(column, entries * 4), dvalue = buffer(value, entries * 4);
		cl_mem dx = buffer(x, SPMV * 4), dy = buffer(got, SPMV * 4);
		struct argument arguments[] = { ARG(size), ARG(drow), ARG(dcolumn),
						ARG(dvalue), ARG(dx), ARG(dy) };

		measure("spmv", arguments, 6, 1, &global, &local, dy, got, SPMV * 4);
	}
	scalar_spmv(SPMV, row, column, value, x, want);
	return close_enough("spmv", got, want, SPMV);
}

static int do_saxpy(void)
{
	size_t global = SAXPY, local = 256;
	float *x = random_floats(SAXPY), *want = random_floats(SAXPY), factor = 2.5f;
	float *got = random_floats(SAXPY);
	cl_mem dx = buffer(x, 4 * SAXPY), dy = buffer(want, 4 * SAXPY);
	cl_int size = SAXPY;
	struct argument arguments[] = { ARG(size), ARG(factor), ARG(dx), ARG(dy) };

	measure("saxpy", arguments, 4, 1, &global, &local, dy, got, 4 * SAXPY);
	for (int run = -1; run < RUNS; run++)
		scalar_saxpy(SAXPY, factor, x, want);
	return close_enough("saxpy", got, want, SAXPY);
}

static int do_stencil(void)
{
	size_t n = STENCIL * STENCIL * STENCIL, global[] = { STENCIL, STENCIL };
	size_t local[] = { 32, 4 };
	float *in = random_floats(n), *want = calloc(n, 4), *got = calloc(n, 4);
	cl_mem din = buffer(in, n * 4), dout = buffer(want, n * 4);
	cl_int size = STENCIL;
	struct argument arguments[] = { ARG(size), ARG(din), ARG(dout) };

	measure("stencil", arguments, 3, 2, global, local, dout, got, n * 4);
	scalar_stencil(STENCIL, in, want);
	return close_enough("stencil", got, want, n);
}

static int do_reduce(void)
{
	size_t global = SUMS * 256, local = 256;
	float *x = random_floats(REDUCE), sums[SUMS] = { 0 }, sum = 0, total;
	cl_mem dx = buffer(x, 4 * REDUCE), dsums = buffer(sums, sizeof(sums));
	cl_int size = REDUCE;
	struct argument arguments[] = { ARG(size), ARG(dx), ARG(dsums) };

	measure("reduce", arguments, 3, 1, &global, &local, dsums, sums, sizeof(sums));
	scalar_reduce(REDUCE, x, &total);
	for (int i = 0; i < SUMS; i++)
		sum += sums[i];
	return close_enough("reduce", &sum, &total, 1);
}

int main(int argc, char **argv)
{
	int good;

	setenv("POCL_MAX_PTHREAD_COUNT", "1", 0);	/* of version 3 */
	setenv("POCL_CPU_MAX_CU_COUNT", "1", 0);	/* of later ones */
	if (!find_device()) {
		if (argc < 2)
			fprintf(stderr, "pocl: OpenCL has no CPU device\n");
		return 1;
	}
	if (argc == 2 && !strcmp(argv[1], "--check"))
		return 0;
	if (argc != 1) {
		fprintf(stderr, "usage: pocl [--check]\n");
		return 2;
	}
	srand(1);
	open_device();
	good = do_sgemm() & do_nbody() & do_histogram() & do_spmv() & do_saxpy() & do_stencil() &
	       do_reduce();
	return !good;
}
