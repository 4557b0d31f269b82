/* SPDX-License-Identifier: MIT */
/*
 * surfaces: reads and writes of surface objects: values of all sizes, all shapes of arrays, and
 * accesses outside by each boundary mode.
 */
#include "../common.h"

#define W 6
#define H 5
#define D 4

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
	cudaSurfaceObject_t object = 0;
	cudaResourceDesc resource = {};

	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	CHECK(cudaCreateSurfaceObject(&object, &resource));
	return object;
}

template <class T> static cudaArray_t new_array(int w, int h, int d, unsigned int flags)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
	cudaArray_t array;

	CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(w, h, d),
				flags | cudaArraySurfaceLoadStore));
	return array;
}

/* ---- sizes of values ----------------------------------------------------- */

template <class T> __global__ void transpose(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
	int x = threadIdx.x, y = blockIdx.x;
	T value;

	surf2Dread(&value, from, x * (int)sizeof(T), y);
	surf2Dwrite(value, to, y * (int)sizeof(T), x);
}

template <class T> static void check_type(const char *name)
{
	cudaArray_t from = new_array<T>(W, H, 0, 0), to = new_array<T>(H, W, 0, 0);
	cudaSurfaceObject_t read = surface_of(from), write = surface_of(to);
	unsigned char in[H][W][sizeof(T)], out[W][H][sizeof(T)];

	for (size_t i = 0; i < sizeof(in); i++)
		in[0][0][i] = (unsigned char)(i * 37 + 5);
	CHECK(cudaMemcpyToArray(from, 0, 0, in, sizeof(in), cudaMemcpyHostToDevice));
	transpose<T><<<H, W>>>(read, write);
	CHECK_LAUNCH();
	CHECK(cudaMemcpyFromArray(out, to, 0, 0, sizeof(out), cudaMemcpyDeviceToHost));
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			for (size_t b = 0; b < sizeof(T); b++)
				expect_same(name, y * W + x, out[x][y][b], in[y][x][b]);
	CHECK(cudaDestroySurfaceObject(read));
	CHECK(cudaDestroySurfaceObject(write));
	CHECK(cudaFreeArray(from));
	CHECK(cudaFreeArray(to));
}

/* ---- shapes --------------------------------------------------------------- */

__global__ void add_1d(cudaSurfaceObject_t s)
{
	surf1Dwrite(surf1Dread<int>(s, threadIdx.x * 4) + 1, s, threadIdx.x * 4);
}

__global__ void add_3d(cudaSurfaceObject_t s)
{
	surf3Dwrite(surf3Dread<int>(s, threadIdx.x * 4, threadIdx.y, threadIdx.z) + 1, s,
		    threadIdx.x * 4, threadIdx.y, threadIdx.z);
}

__global__ void add_1d_layers(cudaSurfaceObject_t s)
{
	surf1DLayeredwrite(surf1DLayeredread<int>(s, threadIdx.x * 4, threadIdx.z) + 1, s,
			   threadIdx.x * 4, threadIdx.z);
}

__global__ void add_2d_layers(cudaSurfaceObject_t s)
{
	surf2DLayeredwrite(surf2DLayeredread<int>(s, threadIdx.x * 4, threadIdx.y, threadIdx.z) +
			   1, s, threadIdx.x * 4, threadIdx.y, threadIdx.z);
}

__global__ void add_cubes(cudaSurfaceObject_t s)
{
	surfCubemapwrite(surfCubemapread<int>(s, threadIdx.x * 4, threadIdx.y, threadIdx.z) + 1, s,
			 threadIdx.x * 4, threadIdx.y, threadIdx.z);
}

static void check_shape(const char *name, void (*kernel)(cudaSurfaceObject_t), int w, int h, int d,
			unsigned int flags)
{
	cudaExtent extent = make_cudaExtent(w, h ? h : 1, d ? d : 1);
	int count = w * (h ? h : 1) * (d ? d : 1), in[8 * 8 * 8], out[8 * 8 * 8];
	cudaArray_t array = new_array<int>(w, h, d, flags);
	cudaSurfaceObject_t surface = surface_of(array);
	cudaMemcpy3DParms copy = {};

	for (int i = 0; i < count; i++)
		in[i] = i * 3;
	copy.srcPtr = make_cudaPitchedPtr(in, w * sizeof(int), w, extent.height);
	copy.dstArray = array;
	copy.extent = extent;
	copy.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&copy));
	kernel<<<1, dim3(w, extent.height, extent.depth)>>>(surface);
	CHECK_LAUNCH();
	copy = {};
	copy.srcArray = array;
	copy.dstPtr = make_cudaPitchedPtr(out, w * sizeof(int), w, extent.height);
	copy.extent = extent;
	copy.kind = cudaMemcpyDeviceToHost;
	CHECK(cudaMemcpy3D(&copy));
	for (int i = 0; i < count; i++)
		expect_same(name, i, out[i], i * 3 + 1);
	CHECK(cudaDestroySurfaceObject(surface));
	CHECK(cudaFreeArray(array));
}

/* ---- outside -------------------------------------------------------------- */

__global__ void beyond(cudaSurfaceObject_t s, int *zero, int *clamp)
{
	int x = (int)threadIdx.x - 2, y = (int)blockIdx.x - 2;
	int at = blockIdx.x * blockDim.x + threadIdx.x;

	zero[at] = surf2Dread<int>(s, x * 4, y, cudaBoundaryModeZero);
	clamp[at] = surf2Dread<int>(s, x * 4, y, cudaBoundaryModeClamp);
}

__global__ void write_beyond(cudaSurfaceObject_t s)
{
	surf2Dwrite(-1, s, -4, 0, cudaBoundaryModeZero);
	surf2Dwrite(-1, s, 0, H, cudaBoundaryModeZero);
	surf2Dwrite(-1, s, W * 4 - 3, 1, cudaBoundaryModeZero);
	surf2Dwrite(-2, s, W * 4 + 100, H + 100, cudaBoundaryModeClamp);
}

static void check_outside(void)
{
	const int w = W + 4, h = H + 4;
	cudaArray_t array = new_array<int>(W, H, 0, 0);
	cudaSurfaceObject_t surface = surface_of(array);
	int in[H][W], zero[w * h], clamp[w * h], *dev = device_new<int>(2 * w * h);

	for (int i = 0; i < W * H; i++)
		in[0][i] = i + 1;
	CHECK(cudaMemcpyToArray(array, 0, 0, in, sizeof(in), cudaMemcpyHostToDevice));
	beyond<<<h, w>>>(surface, dev, dev + w * h);
	CHECK_LAUNCH();
	host_from(zero, dev, w * h);
	host_from(clamp, dev + w * h, w * h);
	for (int i = 0; i < w * h; i++) {
		int x = i % w - 2, y = i / w - 2;
		int cx = x < 0 ? 0 : x < W ? x : W - 1, cy = y < 0 ? 0 : y < H ? y : H - 1;

		expect_same("zero outside", i, zero[i], x == cx && y == cy ? in[y][x] : 0);
		expect_same("clamped", i, clamp[i], in[cy][cx]);
	}
	write_beyond<<<1, 1>>>(surface);
	CHECK_LAUNCH();
	in[H - 1][W - 1] = -2;
	CHECK(cudaMemcpyFromArray(zero, array, 0, 0, sizeof(in), cudaMemcpyDeviceToHost));
	for (int i = 0; i < W * H; i++)
		expect_same("writes outside", i, zero[i], in[0][i]);
	CHECK(cudaDestroySurfaceObject(surface));
	CHECK(cudaFreeArray(array));
	CHECK(cudaFree(dev));
}

/* What a surface has written a texture sees in the next kernel. */
__global__ void fill(cudaSurfaceObject_t s)
{
	surf2Dwrite(1.5f * (float)(threadIdx.x + 10 * blockIdx.x), s, threadIdx.x * 4, blockIdx.x);
}

__global__ void fetch(cudaTextureObject_t t, float *out)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] =
		tex2D<float>(t, (float)threadIdx.x + 0.5f, (float)blockIdx.x + 0.5f);
}

static void check_texture(void)
{
	cudaArray_t array = new_array<float>(W, H, 0, 0);
	cudaSurfaceObject_t surface = surface_of(array);
	float out[W * H], *dev = device_new<float>(W * H);
	cudaResourceDesc resource = {}, found;
	cudaTextureDesc desc = {};
	cudaTextureObject_t texture;

	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	CHECK(cudaCreateTextureObject(&texture, &resource, &desc, NULL));
	CHECK(cudaGetSurfaceObjectResourceDesc(&found, surface));
	EXPECT(found.resType == cudaResourceTypeArray && found.res.array.array == array);
	for (int round = 0; round < 2; round++) {
		CHECK(cudaMemset(dev, 0, sizeof(out)));
		fill<<<H, W>>>(surface);
		fetch<<<H, W>>>(texture, dev);
		CHECK_LAUNCH();
		host_from(out, dev, W * H);
		for (int i = 0; i < W * H; i++)
			expect_same("texture of a surface", i, out[i],
				    1.5f * (float)(i % W + 10 * (i / W)));
	}
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cudaDestroySurfaceObject(surface));
	CHECK(cudaFreeArray(array));
	CHECK(cudaFree(dev));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "surfaces", NULL, 0, 0, 0);
	check_type<unsigned char>("1 byte");
	check_type<short>("2 bytes");
	check_type<uchar4>("4 bytes");
	check_type<float2>("8 bytes");
	check_type<short4>("8 bytes of 4");
	check_type<float4>("16 bytes");
	check_shape("row", add_1d, W, 0, 0, 0);
	check_shape("box", add_3d, W, H, D, 0);
	check_shape("layers of rows", add_1d_layers, W, 0, D, cudaArrayLayered);
	check_shape("layers", add_2d_layers, W, H, D, cudaArrayLayered);
	check_shape("cube", add_cubes, 4, 4, 6, cudaArrayCubemap);
	check_outside();
	check_texture();
	return finish();
}
