/* SPDX-License-Identifier: MIT */
/*
 * copy_engines: copies to the device and to the host at once, in two streams. With two engines
 * (asyncEngineCount) they take less time than one after the other, with one engine as much at
 * least. What they copy is right.
 */
#include "../common.h"

#include <unistd.h>

#define BYTES ((size_t)8 << 20)

enum { TO_DEVICE = 1, TO_HOST = 2 };

/*
 * Both streams wait for it. Device time may run while the program submits: their copies have been
 * submitted before one of them begins.
 */
static volatile bool gate_open;

static void CUDART_CB wait_at_gate(void *)
{
	while (!gate_open)
		usleep(100);
}

static cudaStream_t streams[2], gate;
static unsigned *in, *out, *dev_in, *dev_out;

static float time_of(int which)
{
	cudaEvent_t open, begin, end[2];
	float time, longest = 0;

	CHECK(cudaEventCreate(&open));
	CHECK(cudaEventCreate(&begin));
	CHECK(cudaEventCreate(&end[0]));
	CHECK(cudaEventCreate(&end[1]));
	gate_open = false;
	CHECK(cudaLaunchHostFunc(gate, wait_at_gate, NULL));
	CHECK(cudaEventRecord(begin, gate));
	CHECK(cudaEventRecord(open, gate));
	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamWaitEvent(streams[i], open, 0));
	if (which & TO_DEVICE)
		CHECK(cudaMemcpyAsync(dev_in, in, BYTES, cudaMemcpyHostToDevice, streams[0]));
	if (which & TO_HOST)
		CHECK(cudaMemcpyAsync(out, dev_out, BYTES, cudaMemcpyDeviceToHost, streams[1]));
	for (int i = 0; i < 2; i++)
		CHECK(cudaEventRecord(end[i], streams[i]));
	gate_open = true;
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 2; i++) {
		CHECK(cudaEventElapsedTime(&time, begin, end[i]));
		longest = time > longest ? time : longest;
		CHECK(cudaEventDestroy(end[i]));
	}
	CHECK(cudaEventDestroy(open));
	CHECK(cudaEventDestroy(begin));
	return longest;
}

int main(int argc, char **argv)
{
	unsigned *back = (unsigned *)malloc(BYTES);
	size_t words = BYTES / sizeof(*in);
	struct cudaDeviceProp prop;
	float first, second, both;
	int engines;

	parse_size(argc, argv, "copy_engines", NULL, 0, 0, 0);
	CHECK(cudaGetDeviceProperties(&prop, 0));
	CHECK(cudaDeviceGetAttribute(&engines, cudaDevAttrAsyncEngineCount, 0));
	expect_same("engines", 0, engines, prop.asyncEngineCount);
	EXPECT(back && engines >= 1 && engines <= 2);
	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&gate, cudaStreamNonBlocking));
	CHECK(cudaMallocHost(&in, BYTES));
	CHECK(cudaMallocHost(&out, BYTES));
	CHECK(cudaMalloc(&dev_in, BYTES));
	CHECK(cudaMalloc(&dev_out, BYTES));
	for (size_t i = 0; i < words; i++)
		in[i] = (unsigned)i * 7;
	CHECK(cudaMemcpy(dev_out, in, BYTES, cudaMemcpyHostToDevice));
	for (size_t i = 0; i < words; i++)
		in[i] = (unsigned)i * 11;
	first = time_of(TO_DEVICE);
	second = time_of(TO_HOST);
	memset(out, 0, BYTES);
	CHECK(cudaMemset(dev_in, 0, BYTES));
	/* those streams do not wait for the default one */
	CHECK(cudaDeviceSynchronize());
	both = time_of(TO_DEVICE | TO_HOST);
	CHECK(cudaMemcpy(back, dev_in, BYTES, cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < words && !test.wrong; i++) {
		expect_same("to the device", (long)i, (int)back[i], (int)((unsigned)i * 11));
		expect_same("to the host", (long)i, (int)out[i], (int)((unsigned)i * 7));
	}
	EXPECT(first > 0 && second > 0);
	if (engines == 2)
		EXPECT(both < (first + second) * 0.6f);
	else
		EXPECT(both > (first + second) * 0.9f);
	CHECK(cudaFreeHost(in));
	CHECK(cudaFreeHost(out));
	CHECK(cudaFree(dev_in));
	CHECK(cudaFree(dev_out));
	free(back);
	return finish();
}
