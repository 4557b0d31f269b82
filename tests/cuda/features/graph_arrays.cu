/* SPDX-License-Identifier: MIT */
/*
 * graph_arrays: graphs that copy to and from CUDA arrays: boxes, from array to array, captured,
 * with other parameters; and what is refused.
 */
#include "texture_reference.h"

#define W 12
#define H 7
#define D 3

__global__ void fetch(cudaTextureObject_t texture, float *out)
{
	out[blockIdx.x * W + threadIdx.x] = tex2D<float>(texture, (float)threadIdx.x + 0.5f,
							 (float)blockIdx.x + 0.5f);
}

static cudaArray_t array_of(int w, int h, int d)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaArray_t array;

	CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(w, h, d)));
	return array;
}

static float value(int x, int y, int z)
{
	return (float)(z * 1000 + y * 100 + x) + 0.25f;
}

static cudaMemcpy3DParms to_array(float *host, cudaArray_t array)
{
	cudaMemcpy3DParms copy = {};

	copy.srcPtr = make_cudaPitchedPtr(host, W * sizeof(float), W * sizeof(float), H);
	copy.dstArray = array;
	copy.extent = make_cudaExtent(W, H, D);
	copy.kind = cudaMemcpyHostToDevice;
	return copy;
}

/* Host to array, a box of it to another array, and that to the host. */
static void check_boxes(void)
{
	static float in[D][H][W], out[D][H][W];
	cudaArray_t first = array_of(W, H, D), second = array_of(W, H, D);
	cudaGraphNode_t nodes[3];
	cudaMemcpy3DParms copy = to_array(&in[0][0][0], first), box = {}, back = {}, found;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	for (int i = 0; i < D * H * W; i++)
		(&in[0][0][0])[i] = value(i % W, i / W % H, i / W / H);
	box.srcArray = first;
	box.srcPos = make_cudaPos(3, 2, 1);
	box.dstArray = second;
	box.dstPos = make_cudaPos(1, 4, 0);
	box.extent = make_cudaExtent(5, 3, 2);
	box.kind = cudaMemcpyDeviceToDevice;
	back.srcArray = second;
	back.dstPtr = make_cudaPitchedPtr(out, W * sizeof(float), W * sizeof(float), H);
	back.extent = make_cudaExtent(W, H, D);
	back.kind = cudaMemcpyDeviceToHost;
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddMemcpyNode(&nodes[0], graph, NULL, 0, &copy));
	CHECK(cudaGraphAddMemcpyNode(&nodes[1], graph, &nodes[0], 1, &box));
	CHECK(cudaGraphAddMemcpyNode(&nodes[2], graph, &nodes[1], 1, &back));
	CHECK(cudaGraphMemcpyNodeGetParams(nodes[1], &found));
	expect_same("array", 0, found.dstArray == second && found.srcArray == first, true);
	expect_same("width", 0, found.extent.width, (size_t)5);
	expect_same("x", 0, found.srcPos.x, (size_t)3);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	/* the second array is 0 where nothing is copied to */
	back.srcArray = NULL;
	CHECK(cudaMemcpy3D(&copy));
	{
		static float zero[D][H][W];
		cudaMemcpy3DParms clear = to_array(&zero[0][0][0], second);

		CHECK(cudaMemcpy3D(&clear));
	}
	for (int round = 0; round < 2; round++) {
		memset(out, 0xff, sizeof(out));
		in[1][2][3] = 5000.0f + (float)round;
		CHECK(cudaGraphLaunch(exec, 0));
		CHECK(cudaDeviceSynchronize());
		for (int z = 0; z < D; z++)
			for (int y = 0; y < H; y++)
				for (int x = 0; x < W; x++) {
					bool inside = x >= 1 && x < 6 && y >= 4 && z < 2;
					float want = inside ? in[z + 1][y - 2][x + 2] : 0.0f;

					expect_same("box", (z * H + y) * W + x, out[z][y][x], want);
				}
	}
	/* a box of the executable graph elsewhere, and one that is not inside */
	box.dstPos = make_cudaPos(8, 4, 0);
	EXPECT_ERROR(cudaGraphExecMemcpyNodeSetParams(exec, nodes[1], &box),
		     cudaErrorInvalidValue);
	EXPECT_ERROR(cudaGraphMemcpyNodeSetParams(nodes[1], &box), cudaErrorInvalidValue);
	box.dstPos = make_cudaPos(7, 4, 0);
	CHECK(cudaGraphExecMemcpyNodeSetParams(exec, nodes[1], &box));
	cudaGetLastError();
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaDeviceSynchronize());
	expect_same("moved", 0, out[0][4][7], in[1][2][3]);
	expect_same("moved", 1, out[1][6][11], in[2][4][7]);
	/* an array that is gone is an error of the launch */
	CHECK(cudaFreeArray(second));
	EXPECT_ERROR(cudaGraphLaunch(exec, 0), cudaErrorInvalidResourceHandle);
	EXPECT_ERROR(cudaGraphAddMemcpyNode(&nodes[0], graph, NULL, 0, &box),
		     cudaErrorInvalidValue);
	cudaGetLastError();
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaFreeArray(first));
}

/* A stream's copy to an array and a kernel that fetches from it. */
static void check_capture(void)
{
	static float in[H][W], out[H][W];
	cudaTextureDesc desc = sampling(cudaAddressModeClamp, cudaFilterModePoint, false);
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	float *results = device_new<float>(H * W), *pinned;
	cudaTextureObject_t texture;
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaArray_t array;

	CHECK(cudaMallocArray(&array, &format, W, H));
	CHECK(cudaMallocHost(&pinned, sizeof(in)));
	texture = texture_of(array, desc);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemcpy2DToArrayAsync(array, 0, 0, pinned, W * sizeof(float), W * sizeof(float), H,
				       cudaMemcpyHostToDevice, stream));
	fetch<<<H, W, 0, stream>>>(texture, results);
	CHECK(cudaMemcpyAsync(out, results, sizeof(out), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < H * W; i++)
			pinned[i] = value(i % W, i / W, round);
		CHECK(cudaGraphLaunch(exec, stream));
		CHECK(cudaStreamSynchronize(stream));
		for (int i = 0; i < H * W; i++)
			expect_same("captured", i, out[i / W][i % W], value(i % W, i / W, round));
	}
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cudaFreeArray(array));
	CHECK(cudaFreeHost(pinned));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(results));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "graph_arrays", NULL, 0, 0, 0);
	check_boxes();
	check_capture();
	return finish();
}
