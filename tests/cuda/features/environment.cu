/* SPDX-License-Identifier: MIT */
/*
 * environment: CUDA's environment variables, each in a process of its own: this program again, with
 * the variable set and the name of a check in ENVIRONMENT_CHECK.
 */
#include "../common.h"

#include <sys/wait.h>
#include <unistd.h>

#define STREAMS 4

__device__ unsigned no_bits;

__global__ void work(unsigned *out, int spins)
{
	unsigned x = threadIdx.x;

	for (int i = 0; i < spins; i++)
		x = (x ^ x >> 15) * 1664525u + 1013904223u;
	out[blockIdx.x * blockDim.x + threadIdx.x] = x & no_bits;
}

__global__ void bad(int *p)
{
	p[1l << 38] = 1;
}

/* ---- in the child: each ends with what it found as an exit status -------- */

static int devices(void)
{
	int count = 0;
	cudaError_t error = cudaGetDeviceCount(&count);

	return error == cudaErrorNoDevice && !count ? 100 : error ? 101 : count;
}

/* The place of device 0 among all, by its identifiers, which must agree. */
static int first_device(void)
{
	cudaDeviceProp prop;
	char bus[32];
	int back = -1;

	CHECK(cudaGetDeviceProperties(&prop, 0));
	CHECK(cudaDeviceGetPCIBusId(bus, sizeof(bus), 0));
	CHECK(cudaDeviceGetByPCIBusId(&back, bus));
	if (back || prop.pciBusID != (unsigned char)prop.uuid.bytes[15])
		return 102;
	return prop.pciBusID;
}

/* An error of a kernel shows in the launch, if that waits. */
static int blocking(void)
{
	int *p;

	CHECK(cudaMalloc(&p, sizeof(*p)));
	bad<<<1, 1>>>(p);
	return cudaPeekAtLastError() == cudaErrorIllegalAddress;
}

/*
 * Device time may run while the program launches: all is launched behind a function that waits for
 * the program.
 */
static volatile bool gate_open;

static void CUDART_CB wait_at_gate(void *)
{
	while (!gate_open)
		usleep(100);
}

/* How many times as long kernels in streams take as one, in tenths. */
static int streams(void)
{
	cudaStream_t stream[STREAMS];
	cudaEvent_t start, middle, end;
	float one, all;
	unsigned *out;

	CHECK(cudaMalloc(&out, STREAMS * 32 * sizeof(*out)));
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&middle));
	CHECK(cudaEventCreate(&end));
	for (int i = 0; i < STREAMS; i++)
		CHECK(cudaStreamCreate(&stream[i]));
	work<<<1, 32>>>(out, 1);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaLaunchHostFunc(0, wait_at_gate, NULL));
	CHECK(cudaEventRecord(start));
	work<<<1, 32>>>(out, 5000);
	CHECK(cudaEventRecord(middle));
	for (int i = 0; i < STREAMS; i++)
		work<<<1, 32, 0, stream[i]>>>(out + i * 32, 5000);
	CHECK(cudaEventRecord(end));
	gate_open = true;
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaEventElapsedTime(&one, start, middle));
	CHECK(cudaEventElapsedTime(&all, middle, end));
	return (int)(10 * all / one + 0.5f);
}

/* The same for a block on each SM: each has more than half of an SM's shared memory. */
static int sms(void)
{
	cudaDeviceProp prop;
	cudaEvent_t start, middle, end;
	float one, all;
	unsigned *out;
	int blocks, shared;

	CHECK(cudaGetDeviceProperties(&prop, 0));
	blocks = prop.multiProcessorCount;
	shared = (int)prop.sharedMemPerMultiprocessor / 2 + 1024;
	CHECK(cudaFuncSetAttribute(work, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
	CHECK(cudaMalloc(&out, blocks * 1024 * sizeof(*out)));
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&middle));
	CHECK(cudaEventCreate(&end));
	work<<<blocks, 1024, shared>>>(out, 1);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaLaunchHostFunc(0, wait_at_gate, NULL));
	/* What the first launch costs is not measured: the others wait for it in the stream. */
	work<<<1, 1024, shared>>>(out, 1);
	CHECK(cudaEventRecord(start));
	work<<<1, 1024, shared>>>(out, 400);
	CHECK(cudaEventRecord(middle));
	work<<<blocks, 1024, shared>>>(out, 400);
	CHECK(cudaEventRecord(end));
	gate_open = true;
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaEventElapsedTime(&one, start, middle));
	CHECK(cudaEventElapsedTime(&all, middle, end));
	return (int)(10 * all / one + 0.5f);
}

static int count_sms(void)
{
	cudaDeviceProp prop;

	CHECK(cudaGetDeviceProperties(&prop, 0));
	return prop.multiProcessorCount < 100 ? prop.multiProcessorCount : 100;
}

/* Megabytes that can be allocated, four at a time; 103: cudaMemGetInfo() does not agree. */
static int memory(void)
{
	size_t left, total;
	int megabytes = 0;
	void *p;

	CHECK(cudaMemGetInfo(&left, &total));
	while (megabytes < 64 && cudaMalloc(&p, 4 << 20) == cudaSuccess)
		megabytes += 4;
	if (megabytes < 64) {
		EXPECT_ERROR(cudaGetLastError(), cudaErrorMemoryAllocation);
		if (total != left || total >> 20 != (size_t)megabytes)
			return 103;
		CHECK(cudaMemGetInfo(&left, &total));
		if (left >= 4 << 20)
			return 103;
		/* managed memory is none of the device's until it is there */
		CHECK(cudaMallocManaged(&p, 8 << 20));
		CHECK(cudaFree(p));
	}
	return megabytes;
}

static const struct {
	const char *name;
	int (*run)(void);
} checks[] = {
	{ "devices", devices },	  { "first_device", first_device }, { "blocking", blocking },
	{ "streams", streams },	  { "sms", sms },		    { "memory", memory },
	{ "count_sms", count_sms },
};

/* ---- in the parent ------------------------------------------------------- */

static const char *const variables[] = {
	"CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX_CONNECTIONS",
	"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT",
};

/* How many of @kernels run after each other where each has one of @sms SMs. */
static int rounds(int kernels, int sms)
{
	return (kernels + sms - 1) / sms;
}

/* What @check finds with @name=@value; a null pointer: with none of them. */
static int find(const char *check, const char *name, const char *value)
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		for (const char *variable : variables)
			unsetenv(variable);
		if (name)
			setenv(name, value, 1);
		setenv("ENVIRONMENT_CHECK", check, 1);
		/* a word about a wrong value, or the kernel's fault, is not for the log */
		if (!freopen("/dev/null", "w", stderr))
			_exit(120);
		execl("/proc/self/exe", "environment", (char *)NULL);
		_exit(121);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect_found(const char *check, const char *name, const char *value, int low, int high)
{
	int found = find(check, name, value);

	if (found < low || found > high)
		mismatch("%s with %s=%s: got %d, expected %d to %d", check, name ? name : "nothing",
			 name ? value : "", found, low, high);
}

static void visible_devices(void)
{
	const char *name = "CUDA_VISIBLE_DEVICES";
	int all = find("devices", NULL, NULL);
	char text[64];

	expect_found("devices", name, "", 100, 100);
	expect_found("devices", name, "-1", 100, 100);
	expect_found("devices", name, "none", 100, 100);
	expect_found("devices", name, "0", 1, 1);
	expect_found("devices", name, "0,-1,0", 1, 1);
	expect_found("devices", name, "0,77", 1, 1);
	expect_found("devices", name, "77,0", 100, 100);
	expect_found("devices", name, "0,0", 100, 100);
	expect_found("devices", name, "GPU-76677075-0000-0000-0000-000000000000", 1, 1);
	expect_found("devices", name, "GPU-76677075-0000-0000-0000-0000000000ff", 100, 100);
	expect_found("devices", name, "GPU-zebra", 100, 100);
	if (all < 2)
		return;
	expect_found("devices", name, "1,0", 2, 2);
	expect_found("first_device", name, "1,0", 1, 1);
	expect_found("first_device", name, "1", 1, 1);
	expect_found("first_device", name, "GPU-76677075000000000000000000000001", 1, 1);
	snprintf(text, sizeof(text), "%d,0", all - 1);
	expect_found("first_device", name, text, all - 1, all - 1);
}

int main(int argc, char **argv)
{
	const char *wanted = getenv("ENVIRONMENT_CHECK");
	int count, beside;

	parse_size(argc, argv, "environment", NULL, 0, 0, 0);
	for (const auto &check : checks)
		if (wanted && !strcmp(wanted, check.name))
			return check.run();
	visible_devices();
	expect_found("blocking", NULL, NULL, 0, 0);
	expect_found("blocking", "CUDA_LAUNCH_BLOCKING", "0", 0, 0);
	expect_found("blocking", "CUDA_LAUNCH_BLOCKING", "1", 1, 1);
	count = find("count_sms", NULL, NULL);
	beside = rounds(STREAMS, count);
	expect_found("streams", NULL, NULL, 8 * beside, 12 * beside + 3);
	expect_found("streams", "CUDA_DEVICE_MAX_CONNECTIONS", "32", 8 * beside, 12 * beside + 3);
	expect_found("streams", "CUDA_DEVICE_MAX_CONNECTIONS", "1", 35, 45);
	expect_found("streams", "CUDA_DEVICE_MAX_CONNECTIONS", "many", 8 * beside, 12 * beside + 3);
	expect_found("sms", NULL, NULL, 8, 15);
	expect_found("sms", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "100", 8, 15);
	if (count > 1)
		expect_found("sms", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "50", 17, 25);
	expect_found("sms", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "-3", 8, 15);
	expect_found("memory", NULL, NULL, 64, 64);
	expect_found("memory", "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=16M", 16, 16);
	expect_found("memory", "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "7=16M,0=12288K", 12, 12);
	expect_found("memory", "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "7=16M", 64, 64);
	expect_found("memory", "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "16M", 64, 64);
	return finish();
}
