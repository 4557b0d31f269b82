/* SPDX-License-Identifier: MIT */
/*
 * etc: runs one application of the evaluation of ETC, and prints what it took in virtual time.
 *
 * usage: etc --list          names, classes, bytes of managed memory and of other device memory
 *        etc NAME            a line: name, class, ms, faults, evicted pages, those ahead of time,
 *                            refaults, throttled SMs, class found, lines and pages an instruction.
 *                            ms is "cut" where a kernel took longer than the watchdog lets it
 *
 * Memory is set by whoever calls it: VGPU_SET=vram_bytes=...
 */
#include <math.h>
#include <string.h>

#include "etc.h"
#include <vgpu_runtime.h>

size_t etc_bytes;
static unsigned state = 1;

unsigned etc_random(unsigned limit)
{
	state = state * 1103515245u + 12345u;
	return (state >> 8) % limit;
}

double etc_error(double got, double want)
{
	return fabs(got - want) / (fabs(want) > 1e-3 ? fabs(want) : 1e-3);
}

float *etc_alloc(size_t count)
{
	size_t bytes = (count * sizeof(float) + 65535) & ~(size_t)65535;
	float *memory;

	if (cudaMallocManaged(&memory, bytes) != cudaSuccess) {
		fprintf(stderr, "etc: no memory: %s\n", cudaGetErrorString(cudaGetLastError()));
		exit(2);
	}
	memset(memory, 0, bytes);
	etc_bytes += bytes;
	return memory;
}

float *etc_input(size_t count, unsigned seed)
{
	float *memory = etc_alloc(count);

	for (size_t n = 0; n < count; n++)
		memory[n] = (float)((n * 7 + seed * 13 + n / 61) % 64) / 16.0f;
	return memory;
}

static const char *const classes[] = { "no-sharing", "sharing", "irregular" };

static const struct app *at(unsigned n)
{
	static const struct { struct app *apps; unsigned count; } lists[] = {
		{ apps_convolution, 3 }, { apps_statistics, 2 }, { apps_stencil, 3 },
		{ apps_other, 3 },	 { apps_matvec, 4 },
	};

	for (unsigned l = 0; l < 5; l++) {
		if (n < lists[l].count)
			return &lists[l].apps[n];
		n -= lists[l].count;
	}
	return NULL;
}

static int list(void)
{
	const struct app *app;
	size_t left, all;

	for (unsigned n = 0; (app = at(n)); n++) {
		etc_bytes = 0;
		app->prepare();
		cudaMemGetInfo(&left, &all);
		printf("%s %s %zu %zu\n", app->name, classes[app->is], etc_bytes, all - left);
	}
	return 0;
}

static int run(const struct app *app)
{
	struct vgpu_context_info info;
	cudaEvent_t began, ended;
	cudaError_t err;
	float ms;
	double error;

	app->prepare();
	cudaEventCreate(&began);
	cudaEventCreate(&ended);
	cudaEventRecord(began);
	app->run();
	cudaEventRecord(ended);
	err = cudaDeviceSynchronize();
	if (err == cudaErrorLaunchTimeout) {
		printf("%s,%s,cut,0,0,0,0,0,0,0,0\n", app->name, classes[app->is]);
		return 0;
	}
	if (err != cudaSuccess) {
		fprintf(stderr, "etc: %s: %s\n", app->name, cudaGetErrorString(err));
		return 2;
	}
	cudaEventElapsedTime(&ms, began, ended);
	if (vgpuContextInfo(&info) != vgpuSuccess)
		return 2;
	printf("%s,%s,%.4f,%llu,%llu,%llu,%llu,%llu,%llu,%.2f,%.2f\n", app->name,
	       classes[app->is], ms, (unsigned long long)info.account.page_faults,
	       (unsigned long long)info.account.pages_evicted,
	       (unsigned long long)info.account.pages_evicted_ahead,
	       (unsigned long long)info.account.page_refaults,
	       (unsigned long long)info.account.throttles,
	       (unsigned long long)info.account.access_class,
	       info.account.classified_accesses ? (double)info.account.classified_lines /
		       (double)info.account.classified_accesses : 0,
	       info.account.classified_accesses ? (double)info.account.classified_pages /
		       (double)info.account.classified_accesses : 0);
	error = app->check();
	if (!(error < 1e-3)) {
		fprintf(stderr, "etc: %s: wrong by %g\n", app->name, error);
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct app *app;

	if (argc == 2 && !strcmp(argv[1], "--list"))
		return list();
	for (unsigned n = 0; argc == 2 && (app = at(n)); n++)
		if (!strcmp(app->name, argv[1]))
			return run(app);
	fprintf(stderr, argc == 2 ? "etc: no application '%s'; --list names them\n" :
				    "usage: etc --list | etc NAME\n", argc == 2 ? argv[1] : "");
	return 2;
}
