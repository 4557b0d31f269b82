/* SPDX-License-Identifier: MIT */
/*
 * host_functions: functions of the program in streams run in another thread, in the stream's order,
 * and hold up that stream only: cudaLaunchHostFunc and cudaStreamAddCallback.
 */
#include "../common.h"

#include <atomic>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

/* A function that waits for the program, and what it saw. */
struct gate {
	std::atomic<int> open, entered, left;
	std::thread::id thread;
	cudaError_t inside;
};

static void CUDART_CB wait_at(void *argument)
{
	struct gate *gate = (struct gate *)argument;

	gate->thread = std::this_thread::get_id();
	gate->entered++;
	while (!gate->open)
		std::this_thread::yield();
	gate->left++;
}

static void CUDART_CB asks_device(void *argument)
{
	struct gate *gate = (struct gate *)argument;
	int count = 0;

	gate->inside = cudaGetDeviceCount(&count);
	if (gate->inside == cudaErrorNotPermitted)
		gate->inside = cudaStreamSynchronize(0);
	gate->left++;
}

__global__ void set(int *x, int value)
{
	*x = value;
}

__global__ void add(int *x, int value)
{
	*x += value;
}

/* Neither the caller nor another stream waits for it; its own stream and the events in it do. */
static void holds_its_stream(int *x)
{
	struct gate gate = {};
	cudaStream_t held, free_one, after;
	cudaEvent_t event;

	CHECK(cudaStreamCreateWithFlags(&held, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&after, cudaStreamNonBlocking));
	CHECK(cudaEventCreate(&event));
	set<<<1, 1, 0, held>>>(&x[0], 1);
	CHECK(cudaLaunchHostFunc(held, wait_at, &gate));
	set<<<1, 1, 0, held>>>(&x[0], 2);
	CHECK(cudaEventRecord(event, held));
	CHECK(cudaStreamWaitEvent(after, event, 0));
	add<<<1, 1, 0, after>>>(&x[0], 10);
	set<<<1, 1, 0, free_one>>>(&x[1], 3);
	CHECK(cudaStreamSynchronize(free_one));
	EXPECT(x[1] == 3);
	while (!gate.entered)
		std::this_thread::yield();
	EXPECT(x[0] == 1);
	EXPECT_ERROR(cudaStreamQuery(held), cudaErrorNotReady);
	EXPECT_ERROR(cudaEventQuery(event), cudaErrorNotReady);
	EXPECT_ERROR(cudaStreamQuery(after), cudaErrorNotReady);
	EXPECT(!gate.left && gate.thread != std::this_thread::get_id());
	gate.open = 1;
	CHECK(cudaStreamSynchronize(after));
	EXPECT(gate.left == 1 && x[0] == 12);
	CHECK(cudaStreamSynchronize(held));
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(held));
	CHECK(cudaStreamDestroy(free_one));
	CHECK(cudaStreamDestroy(after));
}

static int order[64];
static std::atomic<int> called;

static void CUDART_CB note(void *argument)
{
	order[called++] = (int)(intptr_t)argument;
}

static void CUDART_CB note_callback(cudaStream_t stream, cudaError_t status, void *argument)
{
	EXPECT(stream == 0 && status == cudaSuccess);
	note(argument);
}

/* In the legacy default stream, among kernels, both kinds. */
static void in_order(int *x)
{
	called = 0;
	x[0] = 0;
	for (int i = 0; i < 32; i++) {
		add<<<1, 1>>>(&x[0], 1);
		if (i % 2)
			CHECK(cudaLaunchHostFunc(0, note, (void *)(intptr_t)i));
		else
			CHECK(cudaStreamAddCallback(0, note_callback, (void *)(intptr_t)i, 0));
	}
	CHECK(cudaDeviceSynchronize());
	EXPECT(called == 32 && x[0] == 32);
	for (int i = 0; i < 32; i++)
		EXPECT(order[i] == i);
}

/* One function waits for another one's, in another stream. */
static void CUDART_CB open_it(void *argument)
{
	((struct gate *)argument)->open = 1;
}

static void for_each_other(void)
{
	struct gate gate = {};
	cudaStream_t a, b;

	CHECK(cudaStreamCreate(&a));
	CHECK(cudaStreamCreate(&b));
	CHECK(cudaLaunchHostFunc(a, wait_at, &gate));
	CHECK(cudaLaunchHostFunc(b, open_it, &gate));
	CHECK(cudaDeviceSynchronize());
	EXPECT(gate.left == 1);
	CHECK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(b));
}

static void refusals(void)
{
	struct gate gate = {};

	CHECK(cudaLaunchHostFunc(0, asks_device, &gate));
	CHECK(cudaDeviceSynchronize());
	EXPECT_ERROR(gate.inside, cudaErrorNotPermitted);
	EXPECT_ERROR(cudaGetLastError(), cudaSuccess);
	EXPECT_ERROR(cudaLaunchHostFunc(0, NULL, NULL), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaStreamAddCallback(0, NULL, NULL, 0), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaStreamAddCallback(0, note_callback, NULL, 1), cudaErrorInvalidValue);
	cudaGetLastError();
}

/* A program that waits for its function without a call. */
static void nobody_calls(int *x)
{
	struct gate gate = {};

	gate.open = 1;
	set<<<1, 1>>>(x, 5);
	CHECK(cudaLaunchHostFunc(0, wait_at, &gate));
	while (!gate.left)
		std::this_thread::yield();
	EXPECT(*x == 5);
}

/* A stream that is destroyed, a device that is reset: functions are called all the same. */
static void outlives(void)
{
	struct gate gate = {};
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaLaunchHostFunc(stream, wait_at, &gate));
	CHECK(cudaStreamDestroy(stream));
	gate.open = 1;
	CHECK(cudaDeviceReset());
	EXPECT(gate.left == 1);
}

/* The process may end, or fork, while one runs. */
static void ends(void)
{
	static struct gate gate;
	int status = -1;
	pid_t child;

	CHECK(cudaLaunchHostFunc(0, wait_at, &gate));
	CHECK(cudaLaunchHostFunc(0, wait_at, &gate));
	while (!gate.entered)
		std::this_thread::yield();
	child = fork();
	if (!child)
		_exit(cudaDeviceSynchronize() == cudaErrorInitializationError ? 3 : 4);
	EXPECT(waitpid(child, &status, 0) == child);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

int main(int argc, char **argv)
{
	int *x;

	parse_size(argc, argv, "host_functions", NULL, 0, 0, 0);
	CHECK(cudaMallocHost(&x, 16 * sizeof(*x)));
	holds_its_stream(x);
	in_order(x);
	for_each_other();
	refusals();
	nobody_calls(x);
	outlives();
	ends();
	return finish();
}
