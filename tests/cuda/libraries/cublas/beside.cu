/* SPDX-License-Identifier: MIT */
/*
 * beside: kernels of the libraries beside others: of an important stream, for which they leave
 * their SMs where the device preempts; of processes that call the libraries without end and are
 * killed in the middle. What a product, a factorisation, a transform and random numbers give has
 * the bytes that they have alone, and the device has the memory that it had.
 */
#include "common.h"

#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 100	    /* rows of matrices */
#define LINE 1500   /* numbers of a transform */
#define LINES 3
#define RANDOM 9000
#define SAY 9 /* where a victim says that it is in the middle */

enum work { PRODUCT, FACTOR, TRANSFORM, NUMBERS, WORKS };

static const char *const names[] = {"product", "factor", "transform", "numbers"};

struct libraries {
	cudaStream_t stream;
	cublasHandle_t blas;
	cusolverDnHandle_t solver;
	cufftHandle plan;
	curandGenerator_t generator;
	float *a, *b, *c, *definite, *room;
	float2 *line;
	int *info, lwork;
};

#define GOOD(call)                                                             \
	do {                                                                   \
		int status_ = (int)(call);                                     \
		if (status_) {                                                 \
			mismatch("line %d, %s: got status %d", __LINE__, #call, \
				 status_);                                     \
			exit(finish());                                        \
		}                                                              \
	} while (0)

/* Numbers of a row that are the same in every process; a matrix of them is positive definite. */
static float number_of(int i)
{
	return (float)(i * 37 % 101 - 50) / 64;
}

static libraries begin(int priority)
{
	libraries l = {};
	static float a[N * N], definite[N * N];

	for (int i = 0; i < N * N; i++) {
		a[i] = number_of(i);
		definite[i] = i % (N + 1) ? number_of(i / N + i % N) / N : 4;
	}
	CHECK(cudaStreamCreateWithPriority(&l.stream, cudaStreamNonBlocking, priority));
	l.a = device_from(a, N * N);
	l.b = device_from(a, N * N);
	l.c = device_new<float>(N * N);
	l.definite = device_from(definite, N * N);
	l.line = device_new<float2>(LINE * LINES);
	l.info = device_new<int>(1);
	GOOD(cublasCreate(&l.blas));
	GOOD(cublasSetStream(l.blas, l.stream));
	GOOD(cusolverDnCreate(&l.solver));
	GOOD(cusolverDnSetStream(l.solver, l.stream));
	GOOD(cusolverDnSpotrf_bufferSize(l.solver, CUBLAS_FILL_MODE_LOWER, N, l.c, N, &l.lwork));
	l.room = device_new<float>(l.lwork);
	GOOD(cufftPlan1d(&l.plan, LINE, CUFFT_C2C, LINES));
	GOOD(cufftSetStream(l.plan, l.stream));
	GOOD(curandCreateGenerator(&l.generator, CURAND_RNG_PSEUDO_XORWOW));
	GOOD(curandSetStream(l.generator, l.stream));
	return l;
}

static void end(libraries *l)
{
	GOOD(curandDestroyGenerator(l->generator));
	GOOD(cufftDestroy(l->plan));
	GOOD(cusolverDnDestroy(l->solver));
	GOOD(cublasDestroy(l->blas));
	for (void *at : {(void *)l->a, (void *)l->b, (void *)l->c, (void *)l->definite,
			 (void *)l->line, (void *)l->info, (void *)l->room})
		CHECK(cudaFree(at));
	CHECK(cudaStreamDestroy(l->stream));
}

/* Enqueues one; its result is at c or at line. */
static void enqueue(libraries *l, int work)
{
	const float one = 1, zero = 0;

	switch (work) {
	case PRODUCT:
		GOOD(cublasSgemm(l->blas, CUBLAS_OP_N, CUBLAS_OP_T, N, N, N, &one, l->a, N, l->b, N,
				 &zero, l->c, N));
		break;
	case FACTOR:
		CHECK(cudaMemcpyAsync(l->c, l->definite, N * N * sizeof(float),
				      cudaMemcpyDeviceToDevice, l->stream));
		GOOD(cusolverDnSpotrf(l->solver, CUBLAS_FILL_MODE_LOWER, N, l->c, N, l->room,
				      l->lwork, l->info));
		break;
	case TRANSFORM:
		CHECK(cudaMemcpyAsync(l->line, l->a, LINE * LINES * sizeof(float2),
				      cudaMemcpyDeviceToDevice, l->stream));
		GOOD(cufftExecC2C(l->plan, l->line, l->line, CUFFT_FORWARD));
		break;
	default:
		GOOD(curandSetGeneratorOffset(l->generator, 0));
		GOOD(curandGenerateNormal(l->generator, l->c, RANDOM, 0, 1));
	}
}

static const size_t bytes_of[] = {N * N * sizeof(float), N * N * sizeof(float),
				  LINE *LINES * sizeof(float2), RANDOM * sizeof(float)};

static void bring(const libraries *l, int work, char *to)
{
	CHECK(cudaMemcpyAsync(to, work == TRANSFORM ? (void *)l->line : (void *)l->c,
			      bytes_of[work], cudaMemcpyDeviceToHost, l->stream));
	CHECK(cudaStreamSynchronize(l->stream));
}

static char alone[WORKS][N * N * sizeof(float)];

static void compare(const libraries *l, int work, const char *beside)
{
	static char got[N * N * sizeof(float)];

	bring(l, work, got);
	if (memcmp(got, alone[work], bytes_of[work]))
		mismatch("the %s beside %s: the bytes are others than alone", names[work], beside);
}

/* ---- an important stream ------------------------------------------------------ */

__global__ void short_kernel(unsigned *x, unsigned add)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	x[i] = x[i] * 3 + add;
}

/* While each work runs, short kernels come one after the other, the host between them. */
static void beside_important(libraries *l, int highest)
{
	const int blocks = 200, threads = 64;
	unsigned *x = device_new<unsigned>(blocks * threads), want = 0, got[3];
	cudaStream_t important;

	CHECK(cudaStreamCreateWithPriority(&important, cudaStreamNonBlocking, highest));
	CHECK(cudaMemset(x, 0, blocks * threads * sizeof(*x)));
	for (int work = 0; work < WORKS; work++) {
		enqueue(l, work);
		for (unsigned n = 0; n < 3; n++) {
			short_kernel<<<blocks, threads, 0, important>>>(x, n);
			CHECK(cudaGetLastError());
			CHECK(cudaStreamSynchronize(important));
			want = want * 3 + n;
		}
		compare(l, work, "an important stream");
	}
	CHECK(cudaMemcpy(got, x + 64, sizeof(got), cudaMemcpyDeviceToHost));
	for (unsigned value : got)
		expect_same("short kernels", 0, value, want);
	CHECK(cudaStreamDestroy(important));
	CHECK(cudaFree(x));
}

/* ---- processes that are killed ------------------------------------------------ */

static void victim(int work)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	test.name = "beside's victim";
	libraries l = begin(0);
	enqueue(&l, work);
	CHECK(cudaStreamSynchronize(l.stream));
	if (write(SAY, "x", 1) != 1)
		_exit(1);
	for (;;)
		enqueue(&l, work);
}

static pid_t begin_victim(int work)
{
	char number[2] = {(char)('0' + work), 0}, word;
	int ends[2];
	pid_t pid;

	EXPECT(!pipe(ends));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(ends[1], SAY);
		/* that file is of this process alone */
		unsetenv("VGPU_TRACE");
		execl("/proc/self/exe", "beside", "victim", number, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	EXPECT(read(ends[0], &word, 1) == 1);
	close(ends[0]);
	return pid;
}

static void beside_victims(libraries *l)
{
	size_t before = 0, after = 0, total;

	for (int n = 0; n < WORKS; n++) {
		pid_t pid = begin_victim(n);
		int status = 0;

		for (int work = 0; work < WORKS; work++) {
			enqueue(l, work);
			if (work == WORKS / 2) {
				kill(pid, SIGKILL);
				EXPECT(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
			}
			compare(l, work, "a process that is killed");
		}
		CHECK(cudaDeviceSynchronize());
		CHECK(cudaMemGetInfo(&after, &total));
		if (!n)
			before = after;
		if (after != before)
			mismatch("free memory after %d: %zu bytes, at first %zu", n, after, before);
	}
}

int main(int argc, char **argv)
{
	int lowest, highest;

	if (argc == 3 && !strcmp(argv[1], "victim"))
		victim(argv[2][0] - '0');
	parse_size(argc, argv, "beside", NULL, 0, 0, 0);
	CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
	libraries l = begin(lowest);
	for (int work = 0; work < WORKS; work++) {
		enqueue(&l, work);
		bring(&l, work, alone[work]);
	}
	for (int work = 0; work < WORKS; work++) {
		enqueue(&l, work);
		compare(&l, work, "nothing");
	}
	beside_important(&l, highest);
	beside_victims(&l);
	end(&l);
	return finish();
}
