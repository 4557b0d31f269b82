/* SPDX-License-Identifier: MIT */
/*
 * What the programs of this experiment share: options, critical sections as locks or as
 * transactions, and the line that each prints at its end. The workloads are those of table 4.3 of
 * thesis 002, by what they do; the code is ours. All that they compute is whole numbers, so that
 * what must hold at the end holds exactly.
 */
#ifndef EXPERIMENT_GETM_H
#define EXPERIMENT_GETM_H

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#ifndef GETM_LOCK_ONLY
#include <vgpu_tx.h>
#endif

#include "../arrays.h"

/* How a critical section is one: NONE leaves out both, so that the check has something to find */
enum form { LOCK, TX, NONE, FORMS };

/**
 * struct workload - one of table 4.3, with what the options leave open
 * @size: entries, accounts, edges, bodies, pixels in a row or records
 * @threads: of a launch
 * @rounds: operations of a thread, or passes; 0: the program has no such number
 */
struct workload {
	const char *name;
	unsigned size, threads, rounds;
};

struct options {
	struct workload work;
	enum form form;
	unsigned seed;
};

/* ---- numbers at random: the same for the same seed, here and there ---- */

/* Two different @n never give the same number (the end of SplitMix64) */
static __host__ __device__ inline unsigned long long mix(unsigned long long n)
{
	n += 0x9e3779b97f4a7c15ull;
	n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9ull;
	n = (n ^ n >> 27) * 0x94d049bb133111ebull;
	return n ^ n >> 31;
}

/* Number @n of @seed */
static __host__ __device__ inline unsigned long long draw(unsigned seed, unsigned n)
{
	return mix((unsigned long long)seed << 32 | n);
}

/* ---- critical sections ---- */

static __device__ inline bool try_lock(unsigned *word)
{
	return !atomicCAS(word, 0, 1);
}

static __device__ inline void unlock(unsigned *word)
{
	atomicExch(word, 0);
}

/* A section of a transaction, or of none. The first needs vgpu_tx.h, which is not there yet. */
template <enum form form, typename Body> static __device__ inline void transaction(Body body)
{
#ifndef GETM_LOCK_ONLY
	if (form == TX)
		__tx_begin();
#endif
	body();
#ifndef GETM_LOCK_ONLY
	if (form == TX)
		__tx_commit();
#endif
}

/* @body is alone with what lock number @n protects */
template <enum form form, typename Body>
static __device__ inline void atomically(unsigned *locks, unsigned n, Body body)
{
	if (form != LOCK) {
		transaction<form>(body);
		return;
	}
	/* a loop on a flag: a lane that has the lock must not wait for those that want it */
	for (bool done = false; !done;) {
		if (try_lock(&locks[n])) {
			__threadfence();
			body();
			__threadfence();
			unlock(&locks[n]);
			done = true;
		}
	}
}

/* The same with two different ones, as in figure 4.1: nobody waits who has one already */
template <enum form form, typename Body>
static __device__ inline void atomically(unsigned *locks, unsigned a, unsigned b, Body body)
{
	unsigned outer = a > b ? a : b, inner = a > b ? b : a;

	if (form != LOCK) {
		transaction<form>(body);
		return;
	}
	for (bool done = false; !done;) {
		if (try_lock(&locks[outer])) {
			if (try_lock(&locks[inner])) {
				__threadfence();
				body();
				__threadfence();
				unlock(&locks[inner]);
				done = true;
			}
			unlock(&locks[outer]);
		}
	}
}

/* ---- launches ---- */

/* 6 of these fill a core of table 4.2 */
#define BLOCK	256

static __device__ inline unsigned my_number()
{
	return blockIdx.x * BLOCK + threadIdx.x;
}

#ifdef GETM_LOCK_ONLY
#define ALL_FORMS(kernel)	{ kernel<LOCK>, NULL, kernel<NONE> }
#else
#define ALL_FORMS(kernel)	{ kernel<LOCK>, kernel<TX>, kernel<NONE> }
#endif

/* @threads of a kernel, of whose forms the options name one; kernels see to the last block */
template <typename... Args>
static void launch(const struct options *options, void (*const (&forms)[FORMS])(Args...),
		   unsigned threads, Args... args)
{
	forms[options->form]<<<(threads + BLOCK - 1) / BLOCK, BLOCK>>>(args...);
	CHECK(cudaGetLastError());
}

template <typename T> static T *host_array(size_t count)
{
	T *array = (T *)calloc(count, sizeof(T));

	if (!array) {
		fprintf(stderr, "no memory for %zu bytes\n", count * sizeof(T));
		exit(2);
	}
	return array;
}

/* ---- what is said ---- */

/* Why the result is wrong; false */
__attribute__((format(printf, 1, 2))) static inline bool wrong(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return false;
}

#define MOST	100000000u

static inline unsigned option_number(const char *option, const char *text)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno || *end || end == text || *text == '-' || !number || number > MOST) {
		fprintf(stderr, "%s '%s': a number from 1 to %u is wanted\n", option, text, MOST);
		exit(2);
	}
	return (unsigned)number;
}

static inline void usage(const char *program, const struct workload *works, unsigned count)
{
	fprintf(stderr, "usage: %s WORKLOAD [OPTION NUMBER]..., WORKLOAD one of", program);
	for (unsigned n = 0; n < count; n++)
		fprintf(stderr, " %s", works[n].name);
	fprintf(stderr, "\n"
		"  --form lock|tx|none  critical sections; none: without, so that the check fails\n"
		"  --scale N            an Nth of the size and of the threads of the paper\n"
		"  --size N             in place of that size\n"
		"  --threads N          in place of these threads\n"
		"%s"
		"  --seed N             of all that is drawn (1)\n",
		works->rounds ? "  --rounds N           operations of a thread, or passes\n" : "");
	exit(2);
}

static inline enum form option_form(const char *text)
{
	static const char *const names[FORMS] = { "lock", "tx", "none" };

	for (unsigned form = 0; form < FORMS; form++)
		if (!strcmp(text, names[form])) {
#ifdef GETM_LOCK_ONLY
			if (form == TX) {
				fprintf(stderr, "--form tx: built without transactions\n");
				exit(2);
			}
#endif
			return (enum form)form;
		}
	fprintf(stderr, "--form '%s': one of lock, tx, none is wanted\n", text);
	exit(2);
}

static inline void read_options(struct options *options, const struct workload *works,
				unsigned count, int argc, char **argv)
{
	unsigned n, scale = 1, size = 0, threads = 0, rounds = 0;

	for (n = 0; n < count && argc > 1 && strcmp(works[n].name, argv[1]); n++)
		;
	if (argc < 2 || argc % 2 || n == count)
		usage(argv[0], works, count);
	*options = (struct options){ works[n], LOCK, 1 };
	for (int at = 2; at < argc; at += 2) {
		const char *option = argv[at], *value = argv[at + 1];

		if (!strcmp(option, "--form"))
			options->form = option_form(value);
		else if (!strcmp(option, "--scale"))
			scale = option_number(option, value);
		else if (!strcmp(option, "--size"))
			size = option_number(option, value);
		else if (!strcmp(option, "--threads"))
			threads = option_number(option, value);
		else if (!strcmp(option, "--rounds") && works->rounds)
			rounds = option_number(option, value);
		else if (!strcmp(option, "--seed"))
			options->seed = option_number(option, value);
		else
			usage(argv[0], works, count);
	}
	options->work.size = size ? size : options->work.size / scale;
	options->work.threads = threads ? threads : options->work.threads / scale;
	if (rounds)
		options->work.rounds = rounds;
	if (!options->work.size || !options->work.threads) {
		fprintf(stderr, "--scale %u: nothing is left of a size of %u and %u threads\n",
			scale, works[n].size, works[n].threads);
		exit(2);
	}
	if ((unsigned long)options->work.threads * options->work.rounds > MOST) {
		fprintf(stderr, "%u threads with %u rounds: %u operations are the most\n",
			options->work.threads, options->work.rounds, MOST);
		exit(2);
	}
}

/*
 * Run the one workload that is named: @run gives the number of its critical sections and whether
 * its result is right
 */
template <unsigned count>
static inline int run_workload(const struct workload (&works)[count],
			       bool (*run)(const struct options *, unsigned long *), int argc,
			       char **argv)
{
	static const char *const forms[FORMS] = { "lock", "tx", "none" };
	struct options options;
	unsigned long sections = 0;
	bool right;

	read_options(&options, works, count, argc, argv);
	right = run(&options, &sections);
	printf("%s: form=%s size=%u threads=%u seed=%u sections=%lu %s\n", options.work.name,
	       forms[options.form], options.work.size, options.work.threads, options.seed,
	       sections, right ? "verified" : "WRONG");
	return !right;
}

#endif
