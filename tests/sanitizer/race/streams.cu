/* SPDX-License-Identifier: MIT */
/* Races of global memory between commands: kernels, copies and fills of several streams. */
#include "cases.h"

#define N 256

__global__ void put(int *p, int v)
{
	p[threadIdx.x] = v + threadIdx.x;	/* put */
}

__global__ void get(const int *p, int *out)
{
	out[threadIdx.x] = p[threadIdx.x];	/* get */
}

static cudaStream_t stream(void)
{
	cudaStream_t s;

	CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	return s;
}

static void two_streams(void)
{
	int *p = ints(N), *out = ints(N);
	cudaStream_t a = stream(), b = stream();

	put<<<1, N, 0, a>>>(p, 1);		/* two_streams put get */
	get<<<1, N, 0, b>>>(p, out);
	done();
}

static void two_writers(void)
{
	int *p = ints(N);
	cudaStream_t a = stream(), b = stream();

	put<<<1, N, 0, a>>>(p, 1);		/* two_writers put put */
	put<<<1, N, 0, b>>>(p, 2);
	done();
}

/* The event is recorded in front of the kernel that it should wait for. */
static void early_event(void)
{
	int *p = ints(N), *out = ints(N);
	cudaStream_t a = stream(), b = stream();
	cudaEvent_t e;

	CHECK(cudaEventCreate(&e));
	CHECK(cudaEventRecord(e, a));
	put<<<1, N, 0, a>>>(p, 1);		/* early_event put get */
	CHECK(cudaStreamWaitEvent(b, e, 0));
	get<<<1, N, 0, b>>>(p, out);
	done();
}

/* The event is right, but the stream that waits is another. */
static void wrong_stream(void)
{
	int *p = ints(N), *out = ints(N);
	cudaStream_t a = stream(), b = stream(), c = stream();
	cudaEvent_t e;

	CHECK(cudaEventCreate(&e));
	put<<<1, N, 0, a>>>(p, 1);		/* wrong_stream put get */
	CHECK(cudaEventRecord(e, a));
	CHECK(cudaStreamWaitEvent(c, e, 0));
	get<<<1, N, 0, b>>>(p, out);
	done();
}

/* The host waits for one stream and goes on in another that needs a third. */
static void wrong_wait(void)
{
	int *p = ints(N), *q = ints(N), *out = ints(N);
	cudaStream_t a = stream(), b = stream(), c = stream();

	put<<<1, N, 0, a>>>(p, 1);		/* wrong_wait put get */
	put<<<1, N, 0, b>>>(q, 1);
	CHECK(cudaStreamSynchronize(b));
	get<<<1, N, 0, c>>>(p, out);
	done();
}

/* A stream of its own does not wait for the default stream. */
static void default_stream(void)
{
	int *p = ints(N), *out = ints(N);
	cudaStream_t a = stream();

	put<<<1, N>>>(p, 1);			/* default_stream put get */
	get<<<1, N, 0, a>>>(p, out);
	done();
}

static int *pinned(void)
{
	int *p;

	CHECK(cudaMallocHost(&p, N * sizeof(int)));
	memset(p, 0, N * sizeof(int));
	return p;
}

static void copy_in(void)
{
	int *p = ints(N), *out = ints(N), *host = pinned();
	cudaStream_t a = stream(), b = stream();

	get<<<1, N, 0, a>>>(p, out);		/* copy_in get cudaMemcpy */
	CHECK(cudaMemcpyAsync(p, host, N * sizeof(int), cudaMemcpyHostToDevice, b));
	done();
}

static void copy_out(void)
{
	int *p = ints(N), *host = pinned();
	cudaStream_t a = stream(), b = stream();

	CHECK(cudaMemcpyAsync(host, p, N * sizeof(int), cudaMemcpyDeviceToHost, b));
	put<<<1, N, 0, a>>>(p, 1);		/* copy_out put cudaMemcpy */
	done();
}

static void copy_on_device(void)
{
	int *p = ints(N), *q = ints(N);
	cudaStream_t a = stream(), b = stream();

	put<<<1, N, 0, a>>>(p, 1);		/* copy_on_device put cudaMemcpy */
	CHECK(cudaMemcpyAsync(q, p, N * sizeof(int), cudaMemcpyDeviceToDevice, b));
	done();
}

static void fill(void)
{
	int *p = ints(N);
	cudaStream_t a = stream(), b = stream();

	put<<<1, N, 0, a>>>(p, 1);		/* fill put cudaMemset */
	CHECK(cudaMemsetAsync(p, 0, N * sizeof(int), b));
	done();
}

static void managed(void)
{
	int *p, *out = ints(N);
	cudaStream_t a = stream(), b = stream();

	CHECK(cudaMallocManaged(&p, N * sizeof(int)));
	put<<<1, N, 0, a>>>(p, 1);		/* managed put get */
	get<<<1, N, 0, b>>>(p, out);
	done();
}

/* Memory of the host that kernels use in place */
static void mapped(void)
{
	int *p, *host = pinned(), *out = ints(N);
	cudaStream_t a = stream(), b = stream();

	CHECK(cudaHostGetDevicePointer(&p, host, 0));
	put<<<1, N, 0, a>>>(p, 1);		/* mapped put get */
	get<<<1, N, 0, b>>>(p, out);
	done();
}

int main(int argc, char **argv)
{
	static const struct race_case cases[] = {
		CASE(two_streams),
		CASE(two_writers),
		CASE(early_event),
		CASE(wrong_stream),
		CASE(wrong_wait),
		CASE(default_stream),
		CASE(copy_in),
		CASE(copy_out),
		CASE(copy_on_device),
		CASE(fill),
		CASE(managed),
		CASE(mapped),
	};

	return run_case(cases, argc, argv);
}
