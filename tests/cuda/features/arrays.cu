/* SPDX-License-Identifier: MIT */
/*
 * arrays: what cudaMallocArray() and its relatives make, what they say of it, and copies to, from
 * and between arrays, of bytes, rows and boxes.
 */
#include "../common.h"

#define W 37
#define H 11
#define D 5

static unsigned char element(int i)
{
	return (unsigned char)(i * 7 + i / 251);
}

static void check_rows(void)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar2>();
	unsigned char host[H][W * 2], back[H][W * 2], part[3][10];
	cudaArray_t array, other;
	cudaStream_t stream;

	for (int i = 0; i < H * W * 2; i++)
		host[0][i] = element(i);
	CHECK(cudaMallocArray(&array, &format, W, H));
	CHECK(cudaMallocArray(&other, &format, W, H));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpy2DToArray(array, 0, 0, host, W * 2, W * 2, H, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy2DFromArray(back, W * 2, array, 0, 0, W * 2, H, cudaMemcpyDeviceToHost));
	for (int i = 0; i < H * W * 2; i++)
		expect_same("rows", i, back[0][i], host[0][i]);

	CHECK(cudaMemcpy2DFromArrayAsync(part, 10, array, 6, 4, 10, 3, cudaMemcpyDeviceToHost,
					 stream));
	CHECK(cudaStreamSynchronize(stream));
	for (int i = 0; i < 30; i++)
		expect_same("part", i, part[0][i], host[4 + i / 10][6 + i % 10]);

	/* into the last corner, and from one array to the other */
	CHECK(cudaMemcpy2DToArrayAsync(other, W * 2 - 10, H - 3, part, 10, 10, 3,
				       cudaMemcpyHostToDevice, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy2DArrayToArray(array, 0, 1, other, W * 2 - 10, H - 3, 10, 3));
	CHECK(cudaMemcpy2DFromArray(back, W * 2, array, 0, 0, W * 2, H, cudaMemcpyDefault));
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W * 2; x++)
			expect_same("corner", y * W * 2 + x, back[y][x],
				    x < 10 && y >= 1 && y < 4 ? part[y - 1][x] : host[y][x]);
	EXPECT_ERROR(cudaMemcpy2DToArray(other, W * 2 - 9, 0, part, 10, 10, 1,
					 cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemcpy2DToArray(other, 0, H - 2, part, 10, 10, 3,
					 cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemcpy2DToArray(other, 0, 0, part, 10, 10, 3, cudaMemcpyDeviceToDevice),
		     cudaErrorInvalidValue);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFreeArray(array));
	CHECK(cudaFreeArray(other));
}

/* Bytes go on in the next row. */
static void check_bytes(void)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
	unsigned char host[H * W], back[H * W], want[H * W];
	cudaArray_t array, other;

	for (int i = 0; i < H * W; i++)
		host[i] = element(i);
	memset(want, 0, sizeof(want));
	CHECK(cudaMallocArray(&array, &format, W, H));
	CHECK(cudaMallocArray(&other, &format, W, H));
	CHECK(cudaMemcpyToArray(array, 0, 0, want, H * W, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpyToArray(other, 0, 0, want, H * W, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpyToArray(array, 30, 2, host, 3 * W + 5, cudaMemcpyHostToDevice));
	memcpy(want + 2 * W + 30, host, 3 * W + 5);
	CHECK(cudaMemcpyFromArray(back, array, 0, 0, H * W, cudaMemcpyDeviceToHost));
	for (int i = 0; i < H * W; i++)
		expect_same("bytes to an array", i, back[i], want[i]);
	CHECK(cudaMemcpyFromArray(back, array, 33, 3, 2 * W, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 2 * W; i++)
		expect_same("bytes from an array", i, back[i], want[3 * W + 33 + i]);
	CHECK(cudaMemcpyArrayToArray(other, 3, 1, array, 30, 2, 3 * W + 5));
	CHECK(cudaMemcpyFromArray(back, other, 3, 1, 3 * W + 5, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 3 * W + 5; i++)
		expect_same("bytes between arrays", i, back[i], host[i]);
	EXPECT_ERROR(cudaMemcpyToArray(array, W - 1, H - 1, host, 2, cudaMemcpyHostToDevice),
		     cudaErrorInvalidValue);
	CHECK(cudaFreeArray(array));
	CHECK(cudaFreeArray(other));
}

/* Positions and the extent are in elements of the array, of memory in bytes. */
static void check_boxes(void)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
	static int host[D][H][W], back[D][H][W], part[2][3][4];
	cudaMemcpy3DParms copy = {};
	cudaArray_t array;

	for (int i = 0; i < D * H * W; i++)
		host[0][0][i] = i * 11;
	CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(W, H, D)));
	copy.srcPtr = make_cudaPitchedPtr(host, W * sizeof(int), W, H);
	copy.dstArray = array;
	copy.extent = make_cudaExtent(W, H, D);
	copy.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&copy));

	copy = {};
	copy.srcArray = array;
	copy.srcPos = make_cudaPos(5, 2, 1);
	copy.dstPtr = make_cudaPitchedPtr(part, 4 * sizeof(int), 4, 3);
	copy.extent = make_cudaExtent(4, 3, 2);
	copy.kind = cudaMemcpyDeviceToHost;
	CHECK(cudaMemcpy3D(&copy));
	for (int i = 0; i < 24; i++)
		expect_same("box from an array", i, part[0][0][i],
			    host[1 + i / 12][2 + i / 4 % 3][5 + i % 4]);

	/* from the array to itself */
	copy = {};
	copy.srcArray = copy.dstArray = array;
	copy.srcPos = make_cudaPos(5, 2, 1);
	copy.dstPos = make_cudaPos(W - 4, H - 3, D - 2);
	copy.extent = make_cudaExtent(4, 3, 2);
	copy.kind = cudaMemcpyDeviceToDevice;
	CHECK(cudaMemcpy3DAsync(&copy));
	copy = {};
	copy.srcArray = array;
	copy.dstPtr = make_cudaPitchedPtr(back, W * sizeof(int), W, H);
	copy.extent = make_cudaExtent(W, H, D);
	copy.kind = cudaMemcpyDeviceToHost;
	CHECK(cudaMemcpy3D(&copy));
	for (int z = 0; z < D; z++)
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++)
				expect_same("box between arrays", (z * H + y) * W + x,
					    back[z][y][x],
					    z >= D - 2 && y >= H - 3 && x >= W - 4 ?
						    host[z - D + 3][y - H + 5][x - W + 9] :
						    host[z][y][x]);
	copy.srcPos = make_cudaPos(1, 0, 0);
	EXPECT_ERROR(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
	CHECK(cudaFreeArray(array));
}

static void check_questions(void)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<ushort4>(), found;
	cudaExtent extent;
	unsigned int flags;
	cudaArray_t array;

	CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(16, 16, 12),
				cudaArrayLayered | cudaArrayCubemap));
	CHECK(cudaArrayGetInfo(&found, &extent, &flags, array));
	EXPECT(found.x == 16 && found.y == 16 && found.z == 16 && found.w == 16 &&
	       found.f == cudaChannelFormatKindUnsigned);
	EXPECT(extent.width == 16 && extent.height == 16 && extent.depth == 12);
	EXPECT(flags == (cudaArrayLayered | cudaArrayCubemap));
	found = {};
	CHECK(cudaGetChannelDesc(&found, array));
	EXPECT(found.w == 16);
	CHECK(cudaFreeArray(array));
	EXPECT_ERROR(cudaArrayGetInfo(&found, &extent, &flags, array),
		     cudaErrorInvalidResourceHandle);
	EXPECT_ERROR(cudaFreeArray(array), cudaErrorInvalidResourceHandle);
	CHECK(cudaFreeArray(NULL));
	EXPECT_ERROR(cudaGetChannelDesc(&found, (cudaArray_t)&format),
		     cudaErrorInvalidResourceHandle);
}

static void check_shapes(void)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), three = format;
	cudaArray_t array;

	EXPECT_ERROR(cudaMallocArray(&array, &format, 0, 4), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMallocArray(&array, &format, 1u << 20, 4), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMallocArray(&array, &format, 4, 4, 0x4000), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMalloc3DArray(&array, &format, make_cudaExtent(8, 7, 6),
				       cudaArrayCubemap), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMalloc3DArray(&array, &format, make_cudaExtent(8, 8, 7),
				       cudaArrayCubemap | cudaArrayLayered),
		     cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMalloc3DArray(&array, &format, make_cudaExtent(8, 0, 7)),
		     cudaErrorInvalidValue);
	three.y = three.z = 32;
	EXPECT_ERROR(cudaMallocArray(&array, &three, 4, 4), cudaErrorInvalidChannelDescriptor);
	three = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindFloat);
	EXPECT_ERROR(cudaMallocArray(&array, &three, 4, 4), cudaErrorInvalidChannelDescriptor);
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "arrays", NULL, 0, 0, 0);
	check_rows();
	check_bytes();
	check_boxes();
	check_questions();
	check_shapes();
	return finish();
}
