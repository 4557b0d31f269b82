// SPDX-License-Identifier: MIT
/*
 * Kernels that launch kernels: what runs behind what. A kernel that is launched writes its digit
 * behind those that are there, so the number says in which order they ran; what orders them is the
 * stream of the device, the end of a grid and all that it launched, and tail launches.
 */
#include "../common.h"

struct log {
	unsigned long long digits[8];	/* by stream, or who looks */
	unsigned int seen[8];
	int errors[16];
	unsigned int streams[2];
};

/* Its digit behind the others of a row. */
static __global__ void write(struct log *log, int row, int digit)
{
	log->digits[row] = log->digits[row] * 10 + digit;
}

/* The same by a template, whose type follows from the argument, and many blocks */
template <class T> static __global__ void count(T *sum, T more)
{
	atomicAdd(sum, more);
}

/* Digit, then what it launches in the stream of its block: digit + 1, digit + 2 */
static __global__ void nest(struct log *log, int row, int digit, int deeper)
{
	log->digits[row] = log->digits[row] * 10 + digit;
	if (!deeper)
		return;
	nest<<<1, 1>>>(log, row, digit + 1, deeper - 1);
	write<<<1, 1>>>(log, row, 9);
}

/* Children of a block in one stream run in order, those of the tail when all else is over. */
static __global__ void in_order(struct log *log, unsigned int *sum)
{
	if (threadIdx.x)
		return;
	write<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 0, 7);
	write<<<1, 1>>>(log, 0, 1);
	nest<<<1, 1>>>(log, 0, 2, 2);
	write<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 0, 8);
	write<<<1, 1>>>(log, 0, 5);
	count<<<3, 32, 0, cudaStreamFireAndForget>>>(sum, 2u);
	log->errors[0] = cudaGetLastError();
}

/* A tail launch may leave others, which come before those behind it. */
static __global__ void tail(struct log *log, int row, int digit, int more)
{
	log->digits[row] = log->digits[row] * 10 + digit;
	if (more)
		tail<<<1, 1, 0, cudaStreamTailLaunch>>>(log, row, digit + 1, more - 1);
	write<<<1, 1>>>(log, row, 0);
}

static __global__ void tails(struct log *log)
{
	tail<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 1, 1, 2);
	write<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 1, 9);
}

/* Streams of their own: each in order by itself. A fill, a copy and a kernel are in one. */
static __global__ void streams(struct log *log, unsigned char *bytes)
{
	cudaStream_t one, two;

	log->errors[1] = cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
	log->errors[2] = cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
	log->errors[3] = cudaStreamCreateWithFlags(&two, cudaStreamDefault);
	for (int i = 1; i < 6; i++) {
		write<<<1, 1, 0, one>>>(log, 2, i);
		write<<<1, 1, 0, two>>>(log, 3, 6 - i);
	}
	log->errors[4] = cudaMemsetAsync(bytes, 0x5a, 100, one);
	log->errors[5] = cudaMemcpyAsync(bytes + 128, bytes, 96, cudaMemcpyDeviceToDevice, one);
	log->errors[6] = cudaMemcpy2DAsync(bytes + 257, 16, bytes + 128, 8, 7, 3,
					   cudaMemcpyDeviceToDevice, one);
	log->errors[7] = cudaStreamDestroy(one);
	log->errors[8] = cudaStreamDestroy(two);
	log->errors[9] = cudaStreamDestroy((cudaStream_t)12345);
	write<<<1, 1, 0, (cudaStream_t)12345>>>(log, 2, 9);
	log->errors[10] = cudaGetLastError();
	log->errors[11] = cudaPeekAtLastError();
}

/* What a grid has written before it launches, and what all of its blocks have for the tail */
static __global__ void look(struct log *log, const unsigned int *values, int n, int row)
{
	for (int i = 0; i < n; i++)
		log->seen[row] += values[i];
}

static __global__ void fill(struct log *log, unsigned int *values)
{
	values[blockIdx.x * blockDim.x + threadIdx.x] = 1;
	__syncthreads();
	if (threadIdx.x)
		return;
	/* of its own block */
	look<<<1, 1, 0, cudaStreamFireAndForget>>>(log, values + blockIdx.x * blockDim.x,
						   blockDim.x, blockIdx.x);
	if (blockIdx.x == 0)
		look<<<1, 1, 0, cudaStreamTailLaunch>>>(log, values, gridDim.x * blockDim.x, 7);
}

/* Each thread has its own last error. */
static __global__ void errors(struct log *log)
{
	if (threadIdx.x == 1)
		write<<<0, 1>>>(log, 0, 0);
	if (threadIdx.x == 2)
		write<<<1, 2048>>>(log, 0, 0);
	log->errors[threadIdx.x] = cudaGetLastError();
	log->errors[threadIdx.x + 4] = cudaGetLastError();
}

struct pair {
	char letter;
	double number;
};

/* Parameters are where the kernel has them, also those of a structure. */
static __global__ void parameters(char a, struct pair b, short c, double *out, const float *d)
{
	*out = a + b.letter + b.number + c + *d;
}

static __global__ void pass(double *out, float *value)
{
	struct pair b = { 2, 0.25 };

	*value = 0.5f;
	parameters<<<1, 1>>>(1, b, 3, out, value);
}

/* The host's stream goes on when all is over. */
static __global__ void after(struct log *log)
{
	log->digits[4] = log->digits[0];
}

static struct log read_log(const struct log *log)
{
	struct log got;

	CHECK_LAUNCH();
	CHECK(cudaMemcpy(&got, log, sizeof(got), cudaMemcpyDeviceToHost));
	return got;
}

int main(int argc, char **argv)
{
	unsigned char *bytes, got_bytes[512];
	unsigned int *values, *sum, total;
	struct log *log, got;
	double *number, result;
	float *value;

	parse_size(argc, argv, "launch_order", NULL, 0, 0, 0);
	CHECK(cudaMalloc(&log, sizeof(*log)));
	CHECK(cudaMalloc(&values, 4 * 64 * sizeof(*values)));
	CHECK(cudaMalloc(&sum, sizeof(*sum)));
	CHECK(cudaMalloc(&bytes, sizeof(got_bytes)));
	CHECK(cudaMalloc(&number, sizeof(*number)));
	CHECK(cudaMalloc(&value, sizeof(*value)));
	CHECK(cudaMemset(log, 0, sizeof(*log)));
	CHECK(cudaMemset(sum, 0, sizeof(*sum)));
	CHECK(cudaMemset(bytes, 1, sizeof(got_bytes)));
	CHECK(cudaMemset(values, 0, 4 * 64 * sizeof(*values)));
	in_order<<<1, 32>>>(log, sum);
	after<<<1, 1>>>(log);
	got = read_log(log);
	/* 1; 2 with 3, in it 4 and 9, and 9 again; 5; the tails 7, 8 */
	EXPECT(got.digits[0] == 123499578);
	EXPECT(got.digits[4] == 123499578);
	EXPECT(got.errors[0] == cudaSuccess);
	CHECK(cudaMemcpy(&total, sum, sizeof(total), cudaMemcpyDeviceToHost));
	EXPECT(total == 3 * 32 * 2);
	tails<<<1, 1>>>(log);
	got = read_log(log);
	/* each 0 is launched by the one before it and is over before the next tail */
	EXPECT(got.digits[1] == 1020309);
	streams<<<1, 1>>>(log, bytes);
	got = read_log(log);
	EXPECT(got.digits[2] == 12345);
	EXPECT(got.digits[3] == 54321);
	for (int i = 1; i < 9; i++)
		EXPECT(got.errors[i] == (i == 3 ? cudaErrorInvalidValue : cudaSuccess));
	EXPECT(got.errors[9] == cudaErrorInvalidResourceHandle);
	EXPECT(got.errors[10] == cudaErrorInvalidResourceHandle);
	EXPECT(got.errors[11] == cudaSuccess);
	CHECK(cudaMemcpy(got_bytes, bytes, sizeof(got_bytes), cudaMemcpyDeviceToHost));
	for (int i = 0; i < (int)sizeof(got_bytes); i++) {
		int row = (i - 257) / 16, column = (i - 257) % 16;
		bool filled = i < 100 || (i >= 128 && i < 224) ||
			      (i >= 257 && row < 3 && column < 7);

		EXPECT(got_bytes[i] == (filled ? 0x5a : 1));
	}
	fill<<<4, 64>>>(log, values);
	got = read_log(log);
	for (int i = 0; i < 4; i++)
		EXPECT(got.seen[i] == 64);
	EXPECT(got.seen[7] == 256);
	errors<<<1, 4>>>(log);
	got = read_log(log);
	EXPECT(got.errors[0] == cudaSuccess);
	EXPECT(got.errors[1] == cudaErrorInvalidConfiguration);
	EXPECT(got.errors[2] == cudaErrorInvalidConfiguration);
	EXPECT(got.errors[3] == cudaSuccess);
	for (int i = 4; i < 8; i++)
		EXPECT(got.errors[i] == cudaSuccess);
	pass<<<1, 1>>>(number, value);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(&result, number, sizeof(result), cudaMemcpyDeviceToHost));
	EXPECT(result == 1 + 2 + 0.25 + 3 + 0.5);
	CHECK(cudaFree(log));
	CHECK(cudaFree(values));
	CHECK(cudaFree(sum));
	CHECK(cudaFree(bytes));
	CHECK(cudaFree(number));
	CHECK(cudaFree(value));
	return finish();
}
