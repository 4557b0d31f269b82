/* SPDX-License-Identifier: MIT */
/*
 * etc: runs one application of the evaluation of ETC, and prints what it took in virtual time.
 *
 * usage: etc --list          names, classes, bytes of managed memory and of other device memory
 *        etc [--hint] NAME   a line: name, class, ms, faults, evicted pages, those ahead of time,
 *                            refaults, throttled SMs, class found, lines and pages an instruction,
 *                            data shared, VRAM of its pages over what they are, compressed pages
 *                            laid out anew, lines not in their slots, hits and misses of metadata.
 *                            With --hint it says whether its kernels share data (thesis 3.7.1).
 *                            ms is "cut" where a kernel took longer than the watchdog lets it;
 *                            the counts are those until then
 *
 * Memory is set by whoever calls it: VGPU_SET=vram_bytes=...
 */
#include <math.h>
#include <string.h>

#include "etc.h"
#include <vgpu_runtime.h>

size_t etc_bytes;
static float *etc_first;
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
	etc_first = memory;
	return memory;
}

float etc_input_value(size_t n, unsigned seed)
{
	size_t at = n / 1024 % 3 == 2 ? n : n / 16;
	float value = (float)((at * 7 + seed * 13 + at / 61) % 64 + 1) / 16.0f;
	unsigned bits;

	memcpy(&bits, &value, sizeof(bits));
	bits += at == n ? 0 : n % 16;
	memcpy(&value, &bits, sizeof(bits));
	return value;
}

float *etc_input(size_t count, unsigned seed)
{
	float *memory = etc_alloc(count);

	for (size_t n = 0; n < count; n++)
		memory[n] = etc_input_value(n, seed);
	return memory;
}

static const char *const classes[] = { "no-sharing", "sharing", "irregular" };

static const struct app *at(unsigned n)
{
	static const struct { struct app *apps; unsigned count; } lists[] = {
		{ apps_convolution, 3 }, { apps_statistics, 2 }, { apps_stencil, 3 },
		{ apps_other, 3 },	 { apps_matvec, 4 },	 { apps_graph, 1 },
	};

	for (unsigned l = 0; l < 6; l++) {
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

static bool hints;

static double part(unsigned long long some, unsigned long long all)
{
	return all ? (double)some / (double)all : 0;
}

static int run(const struct app *app)
{
	struct vgpu_context_info info;
	cudaEvent_t began, ended;
	char taken[32] = "";
	cudaError_t err;
	float ms;
	double error;
	bool cut;

	app->prepare();
	if (hints && vgpuMemAdviseShared(etc_first, 1, app->is == SHARING))
		return 2;
	cudaEventCreate(&began);
	cudaEventCreate(&ended);
	cudaEventRecord(began);
	app->run();
	cudaEventRecord(ended);
	err = cudaDeviceSynchronize();
	cut = err == cudaErrorLaunchTimeout;
	if (err != cudaSuccess && !cut) {
		fprintf(stderr, "etc: %s: %s\n", app->name, cudaGetErrorString(err));
		return 2;
	}
	if (cut)
		strcpy(taken, "cut");
	else if (cudaEventElapsedTime(&ms, began, ended) == cudaSuccess)
		snprintf(taken, sizeof(taken), "%.4f", ms);
	if (vgpuContextInfo(&info) != vgpuSuccess)
		return 2;
	printf("%s,%s,%s,%llu,%llu,%llu,%llu,%llu,%llu,%.2f,%.2f,"
	       "%llu,%.3f,%llu,%llu,%llu,%llu\n", app->name,
	       classes[app->is], taken, (unsigned long long)info.account.page_faults,
	       (unsigned long long)info.account.pages_evicted,
	       (unsigned long long)info.account.pages_evicted_ahead,
	       (unsigned long long)info.account.page_refaults,
	       (unsigned long long)info.account.throttles,
	       (unsigned long long)info.account.access_class,
	       part(info.account.classified_lines, info.account.classified_accesses),
	       part(info.account.classified_pages, info.account.classified_accesses),
	       (unsigned long long)info.account.data_shared,
	       part(info.account.managed_vram, info.account.managed_resident),
	       (unsigned long long)info.account.page_overflows,
	       (unsigned long long)info.account.line_exceptions,
	       (unsigned long long)info.account.metadata_hits,
	       (unsigned long long)info.account.metadata_misses);
	if (cut)
		return 0;
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

	if (argc == 3 && !strcmp(argv[1], "--hint")) {
		hints = true;
		argc--;
		argv++;
	}
	if (argc == 2 && !strcmp(argv[1], "--list"))
		return list();
	for (unsigned n = 0; argc == 2 && (app = at(n)); n++)
		if (!strcmp(app->name, argv[1]))
			return run(app);
	if (argc == 2)
		fprintf(stderr, "etc: no application '%s'; --list names them\n", argv[1]);
	else
		fprintf(stderr, "usage: etc --list | etc [--hint] NAME\n");
	return 2;
}
