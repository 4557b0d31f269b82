/* SPDX-License-Identifier: MIT */
/*
 * What CUDA programs of litmus tests share. A test is run many times in one launch, each time on
 * lines that nobody has used; before, its threads meet, some of them load some of the lines, and
 * each waits for a while. All of that follows from the number of the run, so that it is the same
 * each time.
 *
 *	PROGRAM [-n RUNS] [-p PLACEMENT] [-t TEST] [-b KERNELS] [-e LINES] [-f] [-s] [-q]
 *
 *	-b	beside each launch so many short kernels of another context, with copies between them,
 *		which have to be right, too. A block takes a quarter of an SM's shared memory then,
 *		and one of theirs two thirds
 *	-p	warp: lanes of a warp; block: warps of a block; sm: blocks on one SM; gpu: blocks on
 *		SMs of their own. Without it, all of these that the device has
 *	-e	one of the threads reads LINES other lines, which are at the place in a page of one of
 *		the test's: so that this one leaves an L2 that has few ways. The loads before a run
 *		are made when the threads have met
 *	-f	each location has a page of its own, which threads touch first in their run
 *	-s	an outcome that is not sequentially consistent is an error, too
 *	-q	only what is wrong, and the table
 *
 * Memory of cudaMalloc() is 0 on this device. Each line of the table: test, placement, outcome, how often, "sc" or "-", "ptx" or "-". The
 * status is 1 if there was an outcome that is forbidden.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda.h>
#include <sched.h>

#define LIT_THREADS	4
#define LIT_SLOTS	10
#define LIT_LINE	32	/* words of a line of a cache */
#define LIT_PAGE	1024	/* words of a page */
#define LIT_BLOCKS	16
#define LIT_POOL	256	/* lines that are read to evict others, each in a page of its own */
#define LIT_READ_CYCLES	800	/* a load of such a line takes less */
#define LIT_GAVE_UP	0xdeadu
#define LIT_BESIDE	512	/* threads of a kernel beside */
#define LIT_BESIDE_ROUNDS	40
#define LIT_BESIDE_BYTES	(128u << 10)	/* of copies between them: some 10 us */

struct lit_outcome {
	unsigned value[LIT_SLOTS];
	unsigned models;	/* bit 0: SC, 1: PTX, 2: PTX with all threads in a block */
};

/*
 * struct lit_run - a launch
 * @spread: cycles that threads wait at most; @stride: words from a location to the next
 * @words: of locations; @results: registers of each run
 * @meet: counters on lines of their own: all blocks, threads of the test, gave up
 * @sm: of each block; @evict: lines that are read of @pool
 */
struct lit_run {
	unsigned runs, threads, regs, lines, spread, stride;
	int placement;
	unsigned evict;
	unsigned *words, *results, *meet, *sm, *pool;
	unsigned reg_thread[LIT_SLOTS];
};

struct lit_test {
	const char *name;
	void (*kernel)(struct lit_run run);
	unsigned threads, regs, lines;
	unsigned reg_thread[LIT_SLOTS];
	const char *slot[LIT_SLOTS];
	const struct lit_outcome *outcomes;
};

enum { LIT_WARP, LIT_BLOCK, LIT_SM, LIT_GPU, LIT_PLACEMENTS };
static const char *const lit_placements[] = { "warp", "block", "sm", "gpu" };

static __device__ unsigned lit_hash(unsigned a, unsigned b)
{
	a = (a ^ b * 0x9e3779b1u) * 0x85ebca6bu;
	a = (a ^ a >> 15) * 0xc2b2ae35u;
	return a ^ a >> 16;
}

/* Wait until @counter is @count. It is volatile: no line of an L1 goes because of it */
static __device__ void lit_meet(const struct lit_run &run, unsigned counter, unsigned count)
{
	volatile unsigned *at = run.meet + counter * LIT_LINE, *gave_up = run.meet + 2 * LIT_LINE;

	asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" :: "l"(at) : "memory");
	while (*at < count)
		if (*gave_up)
			return;
}

/* Which thread of the test is this one? -1: none; -2: the device does not have such a placement */
static __device__ int lit_thread(const struct lit_run &run)
{
	unsigned blocks[LIT_THREADS], found = 0;
	volatile unsigned *sm = run.sm;

	if (run.placement == LIT_WARP)
		return blockIdx.x == 0 && threadIdx.x < run.threads ? (int)threadIdx.x : -1;
	if (run.placement == LIT_BLOCK)
		return blockIdx.x == 0 && threadIdx.x % 32 == 0 && threadIdx.x / 32 < run.threads ?
			       (int)(threadIdx.x / 32) : -1;
	if (threadIdx.x)
		return -1;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(run.sm[blockIdx.x]));
	__threadfence();
	lit_meet(run, 0, gridDim.x);
	__threadfence();
	for (unsigned first = 0; first < gridDim.x && found < run.threads; first++) {
		found = 0;
		for (unsigned n = first; n < gridDim.x && found < run.threads; n++) {
			bool fits = true;

			for (unsigned k = 0; k < found; k++)
				fits &= (sm[blocks[k]] == sm[n]) == (run.placement == LIT_SM);
			if (fits)
				blocks[found++] = n;
		}
	}
	if (found < run.threads)
		return -2;
	for (unsigned k = 0; k < run.threads; k++)
		if (blocks[k] == blockIdx.x)
			return (int)k;
	return -1;
}

/* The line is in the L1 then, where that has such loads */
static __device__ unsigned lit_load(const unsigned *at)
{
	unsigned word;

	asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
	return word;
}

static __device__ unsigned lit_warm(const struct lit_run &run, unsigned *const *at, unsigned chance)
{
	unsigned warm = 0;

	for (unsigned line = 0; line < run.lines; line++)
		if (chance >> line & 1)
			warm |= lit_load(at[line]);
	return warm;
}

/*
 * One thread reads lines of the pool that have the place in a page of a line of the test; which, of
 * both, is by the number of the run. The others wait for as long.
 */
static __device__ unsigned lit_evict(const struct lit_run &run, unsigned *const *at, unsigned n,
				     unsigned thread)
{
	unsigned chance = lit_hash(n, 77), warm = 0;
	unsigned word = (unsigned)((size_t)at[chance / 16 % run.lines] / sizeof(unsigned)) % LIT_PAGE;
	long long start = clock64();

	if (chance % run.threads == thread)
		for (unsigned k = 0; k < run.evict; k++)
			warm |= lit_load(run.pool + (n * run.evict + k) % LIT_POOL * LIT_PAGE + word);
	while (clock64() - start < LIT_READ_CYCLES * (run.evict + 1))
		;
	return warm;
}

template <typename Body> static __device__ void lit_run(const struct lit_run &run, Body body)
{
	unsigned warm = 0;
	int thread = lit_thread(run);

	if (thread == -2)
		run.meet[2 * LIT_LINE] = LIT_GAVE_UP;
	if (thread < 0)
		return;
	for (unsigned n = 0; n < run.runs; n++) {
		unsigned *at[LIT_THREADS], r[LIT_SLOTS] = {}, chance = lit_hash(n, thread + 1);
		long long start;

		for (unsigned line = 0; line < run.lines; line++)
			at[line] = run.words + (size_t)(n * run.lines + line) * run.stride;
		if (!run.evict)
			warm |= lit_warm(run, at, chance);
		lit_meet(run, 1, (n + 1) * run.threads);
		/* a meeting has atomics, which may move an L1's clock behind what it has read */
		if (run.evict) {
			warm |= lit_warm(run, at, chance);
			warm |= lit_evict(run, at, n, thread);
		}
		start = clock64();
		chance = chance / 16 % run.spread;
		while (n % 3 && clock64() - start < chance)
			;
		body(thread, at, r);
		for (unsigned reg = 0; reg < run.regs; reg++)
			if (run.reg_thread[reg] == (unsigned)thread)
				run.results[n * run.regs + reg] = r[reg];
	}
	/* what nobody needs is not loaded */
	if (warm == LIT_GAVE_UP)
		run.meet[2 * LIT_LINE] = 0;
}

/* ---- the host ------------------------------------------------------------------------ */

static bool lit_failed(const char *what)
{
	cudaError_t error = cudaGetLastError();

	if (error == cudaSuccess)
		return false;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
	exit(2);
}

struct lit_other;

struct lit_options {
	unsigned runs;
	int placement;
	const char *test;
	bool sc, quiet;
	unsigned stride, evict, beside;
	struct lit_other *other;
};

/* Outcomes that were seen, which are few */
struct lit_seen {
	unsigned value[LIT_SLOTS];
	unsigned count;
};

static void lit_count(struct lit_seen *seen, unsigned *count, const unsigned *value, unsigned slots)
{
	unsigned n = 0;

	while (n < *count && memcmp(seen[n].value, value, slots * sizeof(*value)))
		n++;
	if (n == *count) {
		if (n == 255)
			return;
		memcpy(seen[(*count)++].value, value, slots * sizeof(*value));
	}
	seen[n].count++;
}

/* Returns how many forbidden outcomes there were */
static unsigned lit_judge(const struct lit_test *test, const struct lit_options *options,
			  int placement, const unsigned *results, const unsigned *words)
{
	unsigned ptx = placement < LIT_SM ? 4 : 2, slots = test->regs + test->lines, count = 0;
	unsigned wrong = 0;
	static struct lit_seen seen[256];

	memset(seen, 0, sizeof(seen));
	for (unsigned n = 0; n < options->runs; n++) {
		unsigned value[LIT_SLOTS];

		for (unsigned reg = 0; reg < test->regs; reg++)
			value[reg] = results[n * test->regs + reg];
		for (unsigned line = 0; line < test->lines; line++)
			value[test->regs + line] = words[(size_t)(n * test->lines + line) *
							    options->stride];
		lit_count(seen, &count, value, slots);
	}
	for (unsigned n = 0; n < count; n++) {
		const struct lit_outcome *o = test->outcomes;
		bool bad;

		while (o->models && memcmp(o->value, seen[n].value, slots * sizeof(*o->value)))
			o++;
		bad = !(o->models & ptx) || (options->sc && !(o->models & 1));
		wrong += bad;
		if (options->quiet && !bad)
			continue;
		printf("%s %s ", test->name, lit_placements[placement]);
		for (unsigned slot = 0; slot < slots; slot++)
			printf("%s%s=%u", slot ? "," : "", test->slot[slot], seen[n].value[slot]);
		printf(" %u %s %s%s\n", seen[n].count, o->models & 1 ? "sc" : "-",
		       o->models & ptx ? "ptx" : "-", bad ? " FORBIDDEN" : "");
	}
	return wrong;
}

/* How many blocks of the kernel can be on the device together; beside another context, on one SM */
static unsigned lit_blocks(const struct lit_test *test, unsigned threads, unsigned shared)
{
	int each = 0, sms = 0;

	cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, test->kernel, threads, shared);
	cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
	lit_failed(test->name);
	if (shared)
		sms = 1;
	return each * sms < LIT_BLOCKS ? each * sms : LIT_BLOCKS;
}

static __global__ void lit_beside(unsigned *words)
{
	volatile unsigned *word = words + blockIdx.x * blockDim.x + threadIdx.x;

	for (unsigned n = 0; n < LIT_BESIDE_ROUNDS; n++)
		*word = *word + 1;
}

/* A part of an SM's shared memory, for a block, if it may have that much */
static unsigned lit_shared(unsigned part, unsigned of)
{
	int sm = 0, most = 0;

	cudaDeviceGetAttribute(&sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0);
	cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlock, 0);
	sm = (int)(sm * part / of) & ~1023;
	return (unsigned)(sm < most ? sm : most);
}

/*
 * struct lit_other - another context, whose kernels run while those of the test do
 * @gate: neither begins before this is true, so that all of both is queued by then
 */
struct lit_other {
	CUcontext context;
	cudaStream_t stream;
	unsigned *words, *host;
	volatile bool gate;
};

static void lit_wait_gate(void *other)
{
	while (!((struct lit_other *)other)->gate)
		sched_yield();
}

static struct lit_other *lit_other_make(void)
{
	static struct lit_other other;

	cudaFree(0);
	if (cuCtxCreate(&other.context, 0, 0) != CUDA_SUCCESS) {
		fprintf(stderr, "no second context can be made\n");
		exit(2);
	}
	cudaStreamCreateWithFlags(&other.stream, cudaStreamNonBlocking);
	cudaMalloc(&other.words, LIT_BESIDE_BYTES);
	cudaMallocHost(&other.host, LIT_BESIDE_BYTES);
	cuCtxPopCurrent(NULL);
	lit_failed("the other context");
	return &other;
}

/* Queues its kernels, and that the test's waits for the gate. */
static void lit_other_queue(struct lit_other *other, unsigned kernels)
{
	cuCtxPushCurrent(other->context);
	other->gate = false;
	cudaLaunchHostFunc(other->stream, lit_wait_gate, other);
	/* kernels of the test have begun when the first of these has been copied */
	memset(other->host, 0, LIT_BESIDE_BYTES);
	cudaMemcpyAsync(other->words, other->host, LIT_BESIDE_BYTES, cudaMemcpyHostToDevice,
			other->stream);
	for (unsigned n = 0; n < kernels; n++) {
		lit_beside<<<LIT_BESIDE / 64, 64, lit_shared(2, 3), other->stream>>>(other->words);
		cudaMemcpyAsync(other->host, other->words, LIT_BESIDE_BYTES, cudaMemcpyDeviceToHost,
				other->stream);
	}
	cuCtxPopCurrent(NULL);
	cudaLaunchHostFunc(0, lit_wait_gate, other);
	lit_failed("kernels beside");
}

/* Returns how many of its words are wrong */
static unsigned lit_other_check(struct lit_other *other, unsigned kernels)
{
	unsigned wrong = 0;

	cuCtxPushCurrent(other->context);
	cudaStreamSynchronize(other->stream);
	lit_failed("kernels beside");
	for (unsigned n = 0; n < LIT_BESIDE; n++)
		wrong += other->host[n] != kernels * LIT_BESIDE_ROUNDS;
	if (wrong)
		printf("%u words of the kernels beside are wrong\n", wrong);
	cuCtxPopCurrent(NULL);
	return wrong;
}

static unsigned lit_place(const struct lit_test *test, const struct lit_options *options,
			  int placement)
{
	unsigned runs = options->runs, wrong = 0, meet[3 * LIT_LINE];
	unsigned threads = placement == LIT_BLOCK ? 32 * test->threads : 32;
	unsigned shared = options->other ? lit_shared(1, 4) : 0;
	unsigned blocks = placement < LIT_SM ? 1 : lit_blocks(test, threads, shared);
	size_t words = (size_t)runs * test->lines * options->stride * sizeof(unsigned);
	size_t results = (size_t)runs * test->regs * sizeof(unsigned) + sizeof(unsigned);
	size_t pool = (size_t)(options->evict ? LIT_POOL : 1) * LIT_PAGE * sizeof(unsigned);
	unsigned *host = (unsigned *)malloc(words), *regs = (unsigned *)malloc(results);
	struct lit_run run = { runs, test->threads, test->regs, test->lines,
			       options->evict ? 2000u : 700u, options->stride, placement,
			       options->evict };

	memcpy(run.reg_thread, test->reg_thread, sizeof(run.reg_thread));
	cudaMalloc(&run.words, words);
	cudaMalloc(&run.results, results);
	cudaMalloc(&run.meet, sizeof(meet));
	cudaMalloc(&run.sm, LIT_BLOCKS * sizeof(unsigned));
	/* its first word is the first of a page; pages that nobody has written may be one */
	cudaMalloc(&run.pool, pool);
	cudaMemset(run.pool, 1, pool);
	/* memory is 0 at first; nobody touches a page of its own before the test does */
	if (options->stride == LIT_LINE)
		cudaMemset(run.words, 0, words);
	cudaMemset(run.results, 0, results);
	cudaMemset(run.meet, 0, sizeof(meet));
	if (options->other)
		lit_other_queue(options->other, options->beside);
	test->kernel<<<blocks, threads, shared>>>(run);
	if (options->other) {
		options->other->gate = true;
		wrong += lit_other_check(options->other, options->beside);
	}
	cudaDeviceSynchronize();
	lit_failed(test->name);
	cudaMemcpy(host, run.words, words, cudaMemcpyDeviceToHost);
	cudaMemcpy(regs, run.results, results, cudaMemcpyDeviceToHost);
	cudaMemcpy(meet, run.meet, sizeof(meet), cudaMemcpyDeviceToHost);
	lit_failed(test->name);
	if (meet[2 * LIT_LINE] == LIT_GAVE_UP)
		fprintf(stderr, "%s: no such blocks here: %s\n", test->name,
			lit_placements[placement]);
	else
		wrong += lit_judge(test, options, placement, regs, host);
	cudaFree(run.pool);
	cudaFree(run.sm);
	cudaFree(run.meet);
	cudaFree(run.results);
	cudaFree(run.words);
	free(regs);
	free(host);
	return wrong;
}

static void lit_usage(const char *program)
{
	fprintf(stderr, "usage: %s [-n RUNS] [-p warp|block|sm|gpu] [-t TEST] [-b KERNELS] [-e LINES] [-f] [-s] [-q]\n",
		program);
	exit(2);
}

/* Returns how many arguments that were */
static int lit_number(char **argv, const char *value, unsigned long most, unsigned *number)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (*end || !n || n > most)
		lit_usage(argv[0]);
	*number = (unsigned)n;
	return 2;
}

static int lit_option(struct lit_options *options, int argc, char **argv, int at)
{
	const char *value = at + 1 < argc ? argv[at + 1] : NULL;

	if (!strcmp(argv[at], "-s")) {
		options->sc = true;
		return 1;
	}
	if (!strcmp(argv[at], "-f")) {
		options->stride = LIT_PAGE;
		return 1;
	}
	if (!strcmp(argv[at], "-q")) {
		options->quiet = true;
		return 1;
	}
	if (!value)
		lit_usage(argv[0]);
	if (!strcmp(argv[at], "-t")) {
		options->test = value;
		return 2;
	}
	if (!strcmp(argv[at], "-n"))
		return lit_number(argv, value, 1000000, &options->runs);
	if (!strcmp(argv[at], "-e"))
		return lit_number(argv, value, LIT_POOL, &options->evict);
	if (!strcmp(argv[at], "-b"))
		return lit_number(argv, value, 1000, &options->beside);
	for (int n = 0; n < LIT_PLACEMENTS && !strcmp(argv[at], "-p"); n++)
		if (!strcmp(value, lit_placements[n])) {
			options->placement = n;
			return 2;
		}
	lit_usage(argv[0]);
	return 0;
}

static int lit_main(const struct lit_test *const *tests, unsigned count, int argc, char **argv)
{
	struct lit_options options = { 120, -1, NULL, false, false, LIT_LINE, 0, 0, NULL };
	unsigned wrong = 0, made = 0;

	for (int at = 1; at < argc;)
		at += lit_option(&options, argc, argv, at);
	if (options.beside)
		options.other = lit_other_make();
	for (unsigned n = 0; n < count; n++)
		for (int p = 0; p < LIT_PLACEMENTS; p++) {
			if ((options.placement >= 0 && options.placement != p) ||
			    (options.test && strcmp(options.test, tests[n]->name)))
				continue;
			wrong += lit_place(tests[n], &options, p);
			made++;
		}
	if (!made) {
		fprintf(stderr, "no test '%s' here\n", options.test);
		return 2;
	}
	return wrong != 0;
}
