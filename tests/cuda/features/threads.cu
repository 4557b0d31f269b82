/* SPDX-License-Identifier: MIT */
/*
 * threads: several host threads use the device at once, with the default stream and with their own,
 * allocate and free meanwhile, and do not see each other's data or each other's last error.
 */
#include "../common.h"

#include <pthread.h>

#define THREADS 6
#define ROUNDS 12
#define N 1500
#define BDIM 128

__device__ int shared_counter;

__global__ void work(const int *in, int *out, int n, int mul, int add)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = in[i] * mul + add;
	if (i == 0)
		atomicAdd(&shared_counter, 1);
}

/* The checks of common.h belong to the main thread; a worker notes what it saw. */
struct worker {
	pthread_t thread;
	int index;
	const char *failed;
	cudaError_t err;
	int at, got, want;
};

#define TRY(w, call)                                                                               \
	do {                                                                                       \
		cudaError_t err_ = (call);                                                         \
                                                                                                   \
		if (err_ != cudaSuccess) {                                                         \
			(w)->failed = #call;                                                       \
			(w)->err = err_;                                                           \
			return NULL;                                                               \
		}                                                                                  \
	} while (0)

static void *run(void *arg)
{
	struct worker *w = (struct worker *)arg;
	int host[N], back[N], *in, *out;
	cudaStream_t s = 0;

	/* Every third thread stays on the default stream. */
	if (w->index % 3)
		TRY(w, cudaStreamCreate(&s));
	for (int r = 0; r < ROUNDS; r++) {
		for (int i = 0; i < N; i++)
			host[i] = i ^ (w->index << 12) ^ r;
		TRY(w, cudaMalloc((void **)&in, sizeof(host)));
		TRY(w, cudaMalloc((void **)&out, sizeof(host)));
		TRY(w, cudaMemcpyAsync(in, host, sizeof(host), cudaMemcpyHostToDevice, s));
		work<<<(N + BDIM - 1) / BDIM, BDIM, 0, s>>>(in, out, N, w->index + 2, r);
		TRY(w, cudaGetLastError());
		TRY(w, cudaMemcpyAsync(back, out, sizeof(back), cudaMemcpyDeviceToHost, s));
		TRY(w, cudaStreamSynchronize(s));
		for (int i = 0; i < N; i++)
			if (back[i] != host[i] * (w->index + 2) + r && !w->failed) {
				w->failed = "result";
				w->at = r * N + i;
				w->got = back[i];
				w->want = host[i] * (w->index + 2) + r;
			}
		TRY(w, cudaFree(in));
		TRY(w, cudaFree(out));
		/* Thread 0 makes mistakes; the last error is its own affair. */
		if (w->index == 0) {
			cudaFree(back);
			if (cudaGetLastError() != cudaErrorInvalidValue) {
				w->failed = "its own last error";
				return NULL;
			}
		}
		TRY(w, cudaPeekAtLastError());
	}
	if (s)
		TRY(w, cudaStreamDestroy(s));
	return NULL;
}

int main(int argc, char **argv)
{
	struct worker w[THREADS];
	int launches = 0;

	parse_size(argc, argv, "threads", NULL, 0, 0, 0);
	memset(w, 0, sizeof(w));
	for (int i = 0; i < THREADS; i++) {
		w[i].index = i;
		if (pthread_create(&w[i].thread, NULL, run, &w[i])) {
			fprintf(stderr, "threads: cannot start thread %d\n", i);
			return 1;
		}
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(w[i].thread, NULL);
		if (w[i].failed && w[i].err)
			mismatch("thread %d, %s: got %s, expected cudaSuccess", i, w[i].failed,
				 cudaGetErrorName(w[i].err));
		else if (w[i].failed)
			mismatch("thread %d, %s[%d]: got %d, expected %d", i, w[i].failed, w[i].at,
				 w[i].got, w[i].want);
	}
	CHECK(cudaMemcpyFromSymbol(&launches, shared_counter, sizeof(launches)));
	expect_same("launches of all threads", 0, launches, THREADS * ROUNDS);
	return finish();
}
