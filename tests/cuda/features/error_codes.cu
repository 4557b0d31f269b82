/* SPDX-License-Identifier: MIT */
/*
 * error_codes: what goes wrong is reported with the documented code, by the call that should report
 * it, and costs nothing else. An error inside a kernel is sticky: it takes the context with it. So
 * each of those runs in a child, started before the first CUDA call by executing this program
 * again.
 */
#include "../common.h"

#include <sys/wait.h>
#include <unistd.h>

#define N 1000

__global__ void write_index(int *p)
{
	p[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

__global__ void write_at(char *p, long offset, int value)
{
	*(int *)(p + offset) = value;
}

__global__ void write_shared(int index, int *out)
{
	__shared__ int s[32];

	s[index] = 1;
	__syncthreads();
	*out = s[threadIdx.x];
}

/* A child: provoke one error inside a kernel and see what every later call says. */
static int child(const char *mode)
{
	cudaError_t first, again, later;
	int *p = device_new<int>(N), host;
	void *more = NULL;

	if (!strcmp(mode, "wild"))
		write_at<<<1, 1>>>((char *)0x123456789000, 0, 1);
	else if (!strcmp(mode, "null"))
		write_at<<<1, 1>>>(NULL, 0, 1);
	else if (!strcmp(mode, "far"))
		write_at<<<1, 1>>>((char *)p, 1l << 40, 1);
	else if (!strcmp(mode, "misaligned"))
		write_at<<<1, 1>>>((char *)p, 2, 1);
	else if (!strcmp(mode, "shared"))
		write_shared<<<1, 32>>>(1 << 22, p);
	else
		return 2;
	CHECK(cudaGetLastError());
	first = cudaDeviceSynchronize();
	again = cudaGetLastError();
	later = cudaMalloc(&more, 16);
	printf("%s: %s\n", mode, cudaGetErrorName(first));
	if (!strcmp(mode, "misaligned") ? first != cudaErrorMisalignedAddress
					: first != cudaErrorIllegalAddress &&
					  first != cudaErrorLaunchFailure)
		mismatch("%s: got %s, expected an illegal, or misaligned, address", mode,
			 cudaGetErrorName(first));
	if (again != first || later != first)
		mismatch("%s, later: got %s and %s, expected the same error", mode,
			 cudaGetErrorName(again), cudaGetErrorName(later));
	/* cudaGetLastError does not clear this one. */
	EXPECT_ERROR(cudaGetLastError(), first);
	EXPECT_ERROR(cudaMemcpy(&host, p, sizeof(int), cudaMemcpyDeviceToHost), first);
	write_index<<<1, 1>>>(p);
	EXPECT_ERROR(cudaGetLastError(), first);
	/* The closing line is the parent's. */
	return test.wrong ? 1 : 0;
}

static void run_child(const char *self, const char *mode)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		execl(self, self, "--child", mode, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		mismatch("child '%s': got no process, expected one", mode);
		return;
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		mismatch("child '%s': got wait status %#x, expected exit 0", mode, status);
}

/* The launch is refused at once; the error is last error until somebody takes it. */
static void refused(const char *what, cudaError_t want, cudaError_t or_this)
{
	cudaError_t peek = cudaPeekAtLastError(), got = cudaGetLastError();

	if (peek != got)
		mismatch("%s: got %s by peeking and %s by getting, expected the same", what,
			 cudaGetErrorName(peek), cudaGetErrorName(got));
	if (got != want && got != or_this)
		mismatch("%s: got %s, expected %s", what, cudaGetErrorName(got),
			 cudaGetErrorName(want));
	EXPECT_ERROR(cudaGetLastError(), cudaSuccess);
}

static void launches(int *p)
{
	const cudaError_t config = cudaErrorInvalidConfiguration;

	write_index<<<0, 32>>>(p);
	refused("grid of 0", config, config);
	write_index<<<1, 0>>>(p);
	refused("block of 0", config, config);
	write_index<<<dim3(1, 0, 1), 32>>>(p);
	refused("grid of (1, 0, 1)", config, config);
	write_index<<<1, 1025>>>(p);
	refused("block of 1025", config, config);
	write_index<<<1, dim3(32, 33)>>>(p);
	refused("block of 32 x 33", config, config);
	write_index<<<1, dim3(1, 1, 65)>>>(p);
	refused("block of depth 65", config, config);
	write_index<<<dim3(1, 65536), 1>>>(p);
	refused("grid of height 65536", config, config);
	write_index<<<dim3(1, 1, 65536), 1>>>(p);
	refused("grid of depth 65536", config, config);
	/* The documents say invalid configuration, the driver says invalid value. */
	write_index<<<1, 32, 1 << 28>>>(p);
	refused("256 MiB of shared memory", config, cudaErrorInvalidValue);

	/* A good launch and good calls after a refused one do not hide its error. */
	write_index<<<0, 32>>>(p);
	write_index<<<1, 32>>>(p);
	CHECK(cudaDeviceSynchronize());
	refused("after a good launch", config, config);
	write_index<<<1, 32>>>(p);
	CHECK_LAUNCH();
}

static void memory(int *p)
{
	const cudaError_t value = cudaErrorInvalidValue;
	int host[4] = { 1, 2, 3, 4 };
	void *q = NULL;
	size_t bytes = N * sizeof(int);
	char *c = (char *)p;

	EXPECT_ERROR(cudaMalloc(&q, (size_t)1 << 46), cudaErrorMemoryAllocation);
	EXPECT_ERROR(cudaGetLastError(), cudaErrorMemoryAllocation);
	EXPECT_ERROR(cudaGetLastError(), cudaSuccess);
	CHECK(cudaMalloc(&q, 64));
	CHECK(cudaFree(q));
	CHECK(cudaFree(NULL));

	EXPECT_ERROR(cudaFree(q), value);
	EXPECT_ERROR(cudaFree(c + 256), value);
	EXPECT_ERROR(cudaFree(host), value);
	EXPECT_ERROR(cudaMalloc(NULL, 16), value);
	EXPECT_ERROR(cudaMemcpy(NULL, host, sizeof(host), cudaMemcpyHostToDevice), value);
	EXPECT_ERROR(cudaMemcpy(p, NULL, sizeof(host), cudaMemcpyHostToDevice), value);
	EXPECT_ERROR(cudaMemcpy(host, p, sizeof(host), (cudaMemcpyKind)99),
		     cudaErrorInvalidMemcpyDirection);
	EXPECT_ERROR(cudaMemset(NULL, 0, 16), value);
	EXPECT_ERROR(cudaMemcpy(q, host, sizeof(host), cudaMemcpyHostToDevice), value);
	EXPECT_ERROR(cudaMemset((char *)0x123456789000, 0, 16), value);
	/* Well past the end of everything allocated so far. */
	EXPECT_ERROR(cudaMemset(c, 0, (size_t)1 << 40), value);
	EXPECT_ERROR(cudaGetLastError(), value);
	EXPECT_ERROR(cudaGetLastError(), cudaSuccess);

	/* Nothing to copy is no error, and the allocation is as good as before. */
	CHECK(cudaMemcpy(p, host, 0, cudaMemcpyHostToDevice));
	CHECK(cudaMemset(p, 0, bytes));
	CHECK(cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice));
	memset(host, 0, sizeof(host));
	CHECK(cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost));
	expect_same("after refused copies", 3, host[3], 4);
}

static void devices_and_names(void)
{
	cudaDeviceProp prop;
	int device = -1;

	EXPECT_ERROR(cudaSetDevice(4711), cudaErrorInvalidDevice);
	EXPECT_ERROR(cudaSetDevice(-1), cudaErrorInvalidDevice);
	EXPECT_ERROR(cudaGetDeviceProperties(&prop, 4711), cudaErrorInvalidDevice);
	EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidDevice);
	CHECK(cudaGetDevice(&device));
	expect_same("device", 0, device, 0);
	EXPECT(!strcmp(cudaGetErrorName(cudaSuccess), "cudaSuccess"));
	EXPECT(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
	EXPECT(!strcmp(cudaGetErrorString(cudaSuccess), "no error"));
	EXPECT(!strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
	EXPECT(!strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
	EXPECT(!strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code"));
	expect_same("number of cudaErrorInvalidValue", 0, (int)cudaErrorInvalidValue, 1);
	expect_same("number of cudaErrorMemoryAllocation", 0, (int)cudaErrorMemoryAllocation, 2);
	expect_same("number of cudaErrorInvalidConfiguration", 0,
		    (int)cudaErrorInvalidConfiguration, 9);
	expect_same("number of cudaErrorNotReady", 0, (int)cudaErrorNotReady, 600);
	expect_same("number of cudaErrorIllegalAddress", 0, (int)cudaErrorIllegalAddress, 700);
	expect_same("number of cudaErrorMisalignedAddress", 0, (int)cudaErrorMisalignedAddress,
		    716);
	expect_same("number of cudaErrorLaunchFailure", 0, (int)cudaErrorLaunchFailure, 719);
}

int main(int argc, char **argv)
{
	const char *const modes[] = { "wild", "null", "far", "misaligned", "shared" };
	char self[4096];
	ssize_t len;
	int *p;

	if (argc == 3 && !strcmp(argv[1], "--child")) {
		test.name = "error_codes child";
		return child(argv[2]);
	}
	parse_size(argc, argv, "error_codes", NULL, 0, 0, 0);
	len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[len > 0 ? len : 0] = 0;
	for (const char *mode : modes)
		run_child(self, mode);

	EXPECT_ERROR(cudaGetLastError(), cudaSuccess);
	p = device_new<int>(N);
	launches(p);
	memory(p);
	devices_and_names();
	CHECK(cudaFree(p));
	CHECK(cudaDeviceSynchronize());
	return finish();
}
