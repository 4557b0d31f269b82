/* SPDX-License-Identifier: MIT */
/*
 * ipc_memory: two processes use each other's memory, by handles that go through a pipe: whole
 * allocations and small ones, opened more than once, closed, freed by their owner; and what is
 * refused. Where the device is one process's alone all of it is refused.
 */
#include "../common.h"

#include <sys/wait.h>
#include <unistd.h>

static const int large = 1 << 20, small = 1000;

static int in, out;	/* of a pipe each, to the other process */

__global__ void add(int *data, int n, int more)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] += more;
}

static void say(const void *what, size_t bytes)
{
	EXPECT(write(out, what, bytes) == (ssize_t)bytes);
}

/* The other one may have ended: then so does this one. */
static void hear(void *what, size_t bytes)
{
	if (read(in, what, bytes) == (ssize_t)bytes)
		return;
	mismatch("the other process said nothing");
	exit(1);
}

static void turn(void)
{
	char word = 1;

	say(&word, 1);
	hear(&word, 1);
}

static int *filled(int n, int first)
{
	int *host = (int *)malloc(n * sizeof(int)), *data;

	for (int i = 0; i < n; i++)
		host[i] = first + i;
	CHECK(cudaMalloc(&data, n * sizeof(int)));
	CHECK(cudaMemcpy(data, host, n * sizeof(int), cudaMemcpyHostToDevice));
	free(host);
	return data;
}

static void expect_filled(const char *what, const int *data, int n, int first)
{
	int *host = (int *)malloc(n * sizeof(int));

	CHECK(cudaMemcpy(host, data, n * sizeof(int), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		if (host[i] != first + i) {
			mismatch("%s %d: got %d, expected %d", what, i, host[i], first + i);
			break;
		}
	free(host);
}

static void increase(int *data, int n, int more)
{
	add<<<(n + 255) / 256, 256>>>(data, n, more);
	CHECK_LAUNCH();
}

static int *opened(cudaIpcMemHandle_t handle)
{
	void *data = NULL;

	CHECK(cudaIpcOpenMemHandle(&data, handle, cudaIpcMemLazyEnablePeerAccess));
	return (int *)data;
}

static void refused(int *data, cudaIpcMemHandle_t handle)
{
	cudaIpcMemHandle_t other = handle;
	void *pointer = NULL, *host, *managed;

	EXPECT_ERROR(cudaIpcOpenMemHandle(&pointer, handle, cudaIpcMemLazyEnablePeerAccess),
		     cudaErrorDeviceUninitialized);
	EXPECT_ERROR(cudaIpcOpenMemHandle(&pointer, handle, 0), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaIpcOpenMemHandle(NULL, handle, cudaIpcMemLazyEnablePeerAccess),
		     cudaErrorInvalidValue);
	memset(&other, 0x5a, sizeof(other));
	EXPECT_ERROR(cudaIpcOpenMemHandle(&pointer, other, cudaIpcMemLazyEnablePeerAccess),
		     cudaErrorInvalidResourceHandle);
	EXPECT_ERROR(cudaIpcGetMemHandle(NULL, data), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaIpcGetMemHandle(&other, &handle), cudaErrorInvalidValue);
	CHECK(cudaMallocHost(&host, 100));
	EXPECT_ERROR(cudaIpcGetMemHandle(&other, host), cudaErrorInvalidValue);
	CHECK(cudaFreeHost(host));
	CHECK(cudaMallocManaged(&managed, 100));
	EXPECT_ERROR(cudaIpcGetMemHandle(&other, managed), cudaErrorInvalidValue);
	CHECK(cudaFree(managed));
	EXPECT_ERROR(cudaIpcCloseMemHandle(data), cudaErrorInvalidValue);
	(void)cudaGetLastError();
}

/* Each allocation lies between others: nothing else is changed by who has the handle. */
static void owner(void)
{
	int *whole = filled(large, 7), *before = filled(small, 1), *part = filled(small, 2);
	int *behind = filled(small, 3);
	cudaIpcMemHandle_t handles[2], inside;

	CHECK(cudaIpcGetMemHandle(&handles[0], whole));
	CHECK(cudaIpcGetMemHandle(&handles[1], part));
	/* an address inside names the allocation */
	CHECK(cudaIpcGetMemHandle(&inside, whole + 1000));
	EXPECT(!memcmp(&inside, &handles[0], sizeof(inside)));
	refused(whole, handles[0]);
	/* work goes on in what has been exported */
	increase(whole, large, 1);
	say(handles, sizeof(handles));
	turn();
	expect_filled("large", whole, large, 108);
	expect_filled("small", part, small, 52);
	expect_filled("before", before, small, 1);
	expect_filled("behind", behind, small, 3);
	increase(part, small, 8);
	turn();
	/* freed first: the other one has it still */
	CHECK(cudaFree(whole));
	CHECK(cudaFree(part));
	CHECK(cudaFree(before));
	CHECK(cudaFree(behind));
	turn();
}

static void user(void)
{
	cudaIpcMemHandle_t handles[2], exported;
	int *whole, *part;

	hear(handles, sizeof(handles));
	whole = opened(handles[0]);
	part = opened(handles[1]);
	EXPECT(opened(handles[0]) == whole);
	expect_filled("opened large", whole, large, 8);
	expect_filled("opened small", part, small, 2);
	increase(whole, large, 100);
	increase(part, small, 50);
	EXPECT_ERROR(cudaFree(whole), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaIpcGetMemHandle(&exported, whole), cudaErrorInvalidValue);
	(void)cudaGetLastError();
	turn();
	turn();
	expect_filled("opened small", part, small, 60);
	expect_filled("freed large", whole, large, 108);
	/* as often as it was opened */
	CHECK(cudaIpcCloseMemHandle(whole));
	expect_filled("closed once", whole, large, 108);
	CHECK(cudaIpcCloseMemHandle(whole));
	EXPECT_ERROR(cudaIpcCloseMemHandle(whole), cudaErrorInvalidValue);
	CHECK(cudaIpcCloseMemHandle(part));
	EXPECT_ERROR(cudaIpcOpenMemHandle((void **)&whole, handles[0],
					  cudaIpcMemLazyEnablePeerAccess),
		     cudaErrorInvalidResourceHandle);
	(void)cudaGetLastError();
	turn();
}

/* Is the device one that several processes have? */
static bool is_shared(void)
{
	const char *way = getenv("VGPU_TRANSPORT");

	return way ? strcmp(way, "embedded") : !access("/dev/vgpu", F_OK) ||
					       !access("/dev/nvidiactl", F_OK);
}

static void all_refused(void)
{
	cudaIpcMemHandle_t handle;
	void *data;

	memset(&handle, 0, sizeof(handle));
	CHECK(cudaMalloc(&data, 100));
	EXPECT_ERROR(cudaIpcGetMemHandle(&handle, data), cudaErrorNotSupported);
	EXPECT_ERROR(cudaIpcOpenMemHandle(&data, handle, cudaIpcMemLazyEnablePeerAccess),
		     cudaErrorNotSupported);
	(void)cudaGetLastError();
}

int main(int argc, char **argv)
{
	int to[2], from[2], status;
	pid_t child;

	parse_size(argc, argv, "ipc_memory", NULL, 0, 0, 0);
	if (!is_shared()) {
		all_refused();
		return finish();
	}
	if (pipe(to) || pipe(from))
		return 1;
	child = fork();
	in = child ? from[0] : to[0];
	out = child ? to[1] : from[1];
	close(child ? to[0] : from[0]);
	close(child ? from[1] : to[1]);
	/* first the parent's memory, then the child's */
	if (child) {
		owner();
		user();
	} else {
		user();
		owner();
		fflush(stdout);
		_exit(test.wrong ? 1 : 0);
	}
	if (waitpid(child, &status, 0) != child || status)
		mismatch("the other process: got status %d, expected 0", status);
	return finish();
}
