/* SPDX-License-Identifier: MIT */
/*
 * memory_3d: boxes of three dimensions that are set and copied, between pitched memory and packed
 * arrays of the host; and questions about the device, pools, streams and launches that are answered
 * without one.
 */
#include "../common.h"

#define W 37
#define H 11
#define D 5

__global__ void number(cudaPitchedPtr p)
{
	int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
	int *row = (int *)((char *)p.ptr + (z * p.ysize + y) * p.pitch);

	row[x] = x + 100 * y + 10000 * z;
}

__global__ void scaled(float *out, float by, short n)
{
	out[threadIdx.x] = by * n * threadIdx.x;
}

static void check_boxes(void)
{
	static int host[D][H][W], part[3][4][6];
	cudaExtent all = make_cudaExtent(W * sizeof(int), H, D),
		   box = make_cudaExtent(6 * sizeof(int), 4, 3);
	cudaPitchedPtr dev, other;
	cudaMemcpy3DParms copy = {};

	CHECK(cudaMalloc3D(&dev, all));
	CHECK(cudaMalloc3D(&other, all));
	EXPECT(dev.pitch >= W * sizeof(int) && dev.ysize == H);
	number<<<dim3(H, D), W>>>(dev);
	CHECK_LAUNCH();

	copy.srcPtr = dev;
	copy.dstPtr = make_cudaPitchedPtr(host, W * sizeof(int), W, H);
	copy.extent = all;
	copy.kind = cudaMemcpyDeviceToHost;
	CHECK(cudaMemcpy3D(&copy));
	for (int z = 0; z < D; z++)
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++)
				expect_same("whole box", (z * H + y) * W + x, host[z][y][x],
					    x + 100 * y + 10000 * z);

	/* A part of it, from device to device to another place, then out. */
	CHECK(cudaMemset3D(other, 0xff, all));
	copy = {};
	copy.srcPtr = dev;
	copy.srcPos = make_cudaPos(3 * sizeof(int), 2, 1);
	copy.dstPtr = other;
	copy.dstPos = make_cudaPos(10 * sizeof(int), 5, 2);
	copy.extent = box;
	copy.kind = cudaMemcpyDeviceToDevice;
	CHECK(cudaMemcpy3DAsync(&copy, 0));
	copy.srcPtr = other;
	copy.srcPos = copy.dstPos;
	copy.dstPtr = make_cudaPitchedPtr(part, 6 * sizeof(int), 6, 4);
	copy.dstPos = make_cudaPos(0, 0, 0);
	copy.kind = cudaMemcpyDefault;
	CHECK(cudaMemcpy3D(&copy));
	for (int z = 0; z < 3; z++)
		for (int y = 0; y < 4; y++)
			for (int x = 0; x < 6; x++)
				expect_same("part of a box", (z * 4 + y) * 6 + x, part[z][y][x],
					    x + 3 + 100 * (y + 2) + 10000 * (z + 1));

	/* What was set, around that part and inside another box. */
	CHECK(cudaMemset3D(dev, 0x11, box));
	copy = {};
	copy.dstPtr = make_cudaPitchedPtr(host, W * sizeof(int), W, H);
	copy.extent = all;
	copy.kind = cudaMemcpyDeviceToHost;
	copy.srcPtr = dev;
	CHECK(cudaMemcpy3D(&copy));
	for (int z = 0; z < D; z++)
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++)
				expect_same("a box that was set", (z * H + y) * W + x,
					    host[z][y][x],
					    x < 6 && y < 4 && z < 3 ? 0x11111111 :
								      x + 100 * y + 10000 * z);
	copy.srcPtr = other;
	CHECK(cudaMemcpy3D(&copy));
	expect_same("beside the part", 0, host[2][5][9], -1);
	expect_same("the end of the part", 0, host[4][8][15], 15 - 7 + 100 * 5 + 10000 * 3);
	expect_same("above the part", 0, host[1][5][10], -1);

	copy.srcPtr.ptr = NULL;
	EXPECT_ERROR(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemcpy3D(NULL), cudaErrorInvalidValue);
	cudaGetLastError();
	CHECK(cudaFree(dev.ptr));
	CHECK(cudaFree(other.ptr));
}

static void check_questions(void)
{
	cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<uchar4>();
	cudaMemPool_t pool, same;
	cudaDeviceProp prop;
	cudaFuncAttributes attributes;
	uint64_t keep = 1 << 20, kept = 0;
	int device = -1, value = -1, blocks = 0, again = 0;
	size_t room = 0;
	char bus[16];
	void *p;

	CHECK(cudaGetDeviceProperties(&prop, 0));
	CHECK(cudaDeviceGetPCIBusId(bus, sizeof(bus), 0));
	CHECK(cudaDeviceGetByPCIBusId(&device, bus));
	expect_same("device of its bus", 0, device, 0);
	for (int attr = cudaDevAttrMaxThreadsPerBlock; attr <= cudaDevAttrMemoryPoolsSupported;
	     attr++)
		CHECK(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)attr, 0));
	EXPECT(value == 1);
	EXPECT_ERROR(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)12345, 0),
		     cudaErrorInvalidValue);
	cudaGetLastError();
	EXPECT(desc.x == 8 && desc.w == 8 && desc.f == cudaChannelFormatKindUnsigned);
	desc = cudaCreateChannelDesc<float>();
	EXPECT(desc.x == 32 && desc.y == 0 && desc.f == cudaChannelFormatKindFloat);
	CHECK(cudaStreamIsCapturing(0, &status));
	EXPECT(status == cudaStreamCaptureStatusNone);
	CHECK(cudaStreamGetDevice(0, &device));

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaDeviceGetMemPool(&same, 0));
	EXPECT(pool == same);
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
	EXPECT(kept == keep);
	CHECK(cudaMallocFromPoolAsync(&p, 1000, pool, 0));
	CHECK(cudaFreeAsync(p, 0));

	/* One byte more than there is room for costs a block. */
	CHECK(cudaFuncGetAttributes(&attributes, scaled));
	CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, scaled, 2, 128));
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scaled, 128, room));
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&again, scaled, 128, room + 1));
	EXPECT(blocks >= 2 && (again < 2 || room == prop.sharedMemPerBlock));
}

static void check_launch(void)
{
	float out[8], *dev = device_new<float>(8);
	cudaLaunchAttribute attribute = {};
	cudaLaunchConfig_t config = {};

	attribute.id = cudaLaunchAttributePriority;
	config.gridDim = 1;
	config.blockDim = 8;
	config.attrs = &attribute;
	config.numAttrs = 1;
	CHECK(cudaLaunchKernelEx(&config, scaled, dev, 2.5, 3));
	CHECK(cudaDeviceSynchronize());
	host_from(out, dev, 8);
	for (int i = 0; i < 8; i++)
		expect_same("launched with a configuration", i, out[i], 7.5f * (float)i);
	CHECK(cudaFree(dev));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "memory_3d", NULL, 0, 0, 0);
	check_boxes();
	check_questions();
	check_launch();
	return finish();
}
