/* SPDX-License-Identifier: MIT */
/*
 * texture_references: textures and surfaces as programs for CUDA before 12 have them: variables
 * that are bound to memory, pitched memory and arrays, one after the other.
 */
#include "texture_reference.h"

#define W 8
#define H 4

texture<float, cudaTextureType1D, cudaReadModeElementType> line;
texture<float, 2, cudaReadModeElementType> image;
static texture<uchar4, 2, cudaReadModeNormalizedFloat> colours;
texture<int4, 1> quads;
surface<void, cudaSurfaceType2D> canvas;

__device__ float twice(texture<float, 2, cudaReadModeElementType> t, float x, float y)
{
	return 2 * tex2D(t, x, y);
}

__global__ void fetch_line(float *out)
{
	out[threadIdx.x] = tex1Dfetch(line, (int)threadIdx.x);
}

__global__ void fetch_image(float *out)
{
	int x = threadIdx.x, y = blockIdx.x;

	out[y * W + x] = tex2D(image, (float)x + 0.25f, (float)y + 0.5f) +
			 twice(image, (float)x + 0.25f, (float)y + 0.5f);
}

__global__ void fetch_colours(float4 *out)
{
	int x = threadIdx.x, y = blockIdx.x;

	out[y * W + x] = tex2D(colours, ((float)x + 0.5f) / W, ((float)y + 0.5f) / H);
}

__global__ void fetch_quads(int *out)
{
	int4 v = tex1Dfetch(quads, (int)threadIdx.x);

	out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

__global__ void paint(void)
{
	surf2Dwrite((float)(threadIdx.x + 100 * blockIdx.x), canvas, threadIdx.x * 4, blockIdx.x);
}

static void check_memory(void)
{
	float texels[2][W], out[W], *memory = device_new<float>(2 * W), *dev = device_new<float>(W);
	int quad[W][4], sums[W], *quad_memory = device_new<int>(4 * W), *sum = device_new<int>(W);
	size_t offset = 1;

	for (int i = 0; i < 2 * W; i++)
		texels[0][i] = 1.5f * (float)i;
	CHECK(cudaMemcpy(memory, texels, sizeof(texels), cudaMemcpyHostToDevice));
	/* bound twice: the launch between has seen the first */
	for (int half = 0; half < 2; half++) {
		CHECK(cudaBindTexture(&offset, line, memory + half * W, W * sizeof(float)));
		EXPECT(offset == 0);
		fetch_line<<<1, W>>>(dev);
		if (half)
			CHECK(cudaBindTexture(NULL, line, memory, line.channelDesc));
		CHECK_LAUNCH();
		host_from(out, dev, W);
		for (int i = 0; i < W; i++)
			expect_same("line", i, out[i], texels[half][i]);
	}
	CHECK(cudaUnbindTexture(line));
	for (int i = 0; i < 4 * W; i++)
		quad[0][i] = i * i;
	CHECK(cudaMemcpy(quad_memory, quad, sizeof(quad), cudaMemcpyHostToDevice));
	CHECK(cudaBindTexture(0, quads, quad_memory));
	fetch_quads<<<1, W>>>(sum);
	CHECK_LAUNCH();
	host_from(sums, sum, W);
	for (int i = 0; i < W; i++)
		expect_same("quads", i, sums[i], quad[i][0] + quad[i][1] + quad[i][2] + quad[i][3]);
	CHECK(cudaFree(memory));
	CHECK(cudaFree(dev));
	CHECK(cudaFree(quad_memory));
	CHECK(cudaFree(sum));
}

static void check_image(const char *what, const float *texels, bool linear)
{
	struct direction dx = { W, cudaAddressModeClamp }, dy = { H, cudaAddressModeClamp };
	float out[W * H], *dev = device_new<float>(W * H);

	fetch_image<<<H, W>>>(dev);
	CHECK_LAUNCH();
	host_from(out, dev, W * H);
	for (int i = 0; i < W * H; i++) {
		struct corner c[2] = {
			corners_of(&dx, (float)(i % W) + 0.25f, false, linear),
			corners_of(&dy, (float)(i / W) + 0.5f, false, linear),
		};

		expect_same(what, i, out[i], 3 * filtered(c, 2, 0, [&](int x, int y, int) {
			return texels[y * W + x];
		}));
	}
	CHECK(cudaFree(dev));
}

static void check_images(void)
{
	const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	float texels[W * H];
	cudaArray_t array;
	size_t pitch;
	void *memory;

	for (int i = 0; i < W * H; i++)
		texels[i] = (float)(i * i % 64);
	CHECK(cudaMallocArray(&array, &format, W, H, cudaArraySurfaceLoadStore));
	CHECK(cudaMemcpyToArray(array, 0, 0, texels, sizeof(texels), cudaMemcpyHostToDevice));
	CHECK(cudaMallocPitch(&memory, &pitch, W * sizeof(float), H));
	CHECK(cudaMemcpy2D(memory, pitch, texels, W * sizeof(float), W * sizeof(float), H,
			   cudaMemcpyHostToDevice));
	CHECK(cudaBindTextureToArray(image, array));
	check_image("array", texels, false);
	image.filterMode = cudaFilterModeLinear;
	CHECK(cudaBindTextureToArray(image, array, format));
	check_image("array, filtered", texels, true);
	image.filterMode = cudaFilterModePoint;
	CHECK(cudaBindTexture2D(0, image, memory, image.channelDesc, W, H, pitch));
	check_image("pitched memory", texels, false);
	CHECK(cudaBindSurfaceToArray(canvas, array));
	paint<<<H, W>>>();
	CHECK_LAUNCH();
	CHECK(cudaMemcpyFromArray(texels, array, 0, 0, sizeof(texels), cudaMemcpyDeviceToHost));
	for (int i = 0; i < W * H; i++)
		expect_same("canvas", i, texels[i], (float)(i % W + 100 * (i / W)));
	CHECK(cudaBindTextureToArray(image, array));
	CHECK(cudaFreeArray(array));
	/* it is bound to nothing now, and may be bound again */
	CHECK(cudaMallocArray(&array, &format, W, H));
	CHECK(cudaMemcpyToArray(array, 0, 0, texels, sizeof(texels), cudaMemcpyHostToDevice));
	CHECK(cudaBindTextureToArray(image, array));
	check_image("another array", texels, false);
	CHECK(cudaUnbindTexture(image));
	CHECK(cudaFreeArray(array));
	CHECK(cudaFree(memory));
}

static void check_colours(void)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
	unsigned char texels[W * H][4];
	float4 out[W * H], *dev = device_new<float4>(W * H);
	cudaArray_t array;

	for (int i = 0; i < W * H * 4; i++)
		texels[0][i] = (unsigned char)(i * 5);
	CHECK(cudaMallocArray(&array, &format, W, H));
	CHECK(cudaMemcpyToArray(array, 0, 0, texels, sizeof(texels), cudaMemcpyHostToDevice));
	colours.normalized = true;
	colours.addressMode[0] = colours.addressMode[1] = cudaAddressModeWrap;
	CHECK(cudaBindTextureToArray(colours, array, format));
	fetch_colours<<<H, W>>>(dev);
	CHECK_LAUNCH();
	host_from(out, dev, W * H);
	for (int i = 0; i < W * H; i++) {
		expect_same("x", i, out[i].x, (float)texels[i][0] / 255.0f);
		expect_same("w", i, out[i].w, (float)texels[i][3] / 255.0f);
	}
	EXPECT_ERROR(cudaBindTextureToArray(image, array, image.channelDesc),
		     cudaErrorInvalidChannelDescriptor);
	CHECK(cudaFreeArray(array));
	CHECK(cudaFree(dev));
}

static void check_errors(void)
{
	const textureReference *found;
	textureReference other = {};

	CHECK(cudaGetTextureReference(&found, &image));
	EXPECT(found == (textureReference *)&image);
	EXPECT_ERROR(cudaGetTextureReference(&found, &other), cudaErrorInvalidTexture);
	EXPECT_ERROR(cudaUnbindTexture(&other), cudaErrorInvalidTexture);
	EXPECT_ERROR(cudaBindTextureToArray(image, (cudaArray_t)&other, image.channelDesc),
		     cudaErrorInvalidResourceHandle);
	cudaGetLastError();
	/* the array was freed */
	fetch_colours<<<1, 1>>>(device_new<float4>(1));
	EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "texture_references", NULL, 0, 0, 0);
	check_memory();
	check_images();
	check_colours();
	check_errors();
	return finish();
}
