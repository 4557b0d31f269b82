/* SPDX-License-Identifier: MIT */
/*
 * textures: fetches from texture objects over two-dimensional arrays. All address modes with and
 * without filter and normalised coordinates, on the edges and beyond them; all formats of texels,
 * as they are and as normalised floats.
 */
#include "texture_reference.h"

#include <cuda_fp16.h>

#define W 5
#define H 3
#define STEPS 40	/* in each direction */

static const cudaTextureAddressMode modes[] = { cudaAddressModeWrap, cudaAddressModeClamp,
						cudaAddressModeMirror, cudaAddressModeBorder };

/* The coordinate of step n: beyond both edges, every third of a quarter of a texel. */
static __host__ __device__ float coordinate(int n, bool unit)
{
	return unit ? (float)(n * 5 - 96) / 64.0f : (float)(n * 13 - 192) / 64.0f;
}

__global__ void fetch_all(cudaTextureObject_t texture, bool unit, float *out)
{
	float x = coordinate(threadIdx.x, unit), y = coordinate(blockIdx.x, unit);

	out[blockIdx.x * STEPS + threadIdx.x] = tex2D<float>(texture, x, y);
}

static void check_sampling(cudaArray_t array, const float *texels, cudaTextureAddressMode mode,
			   bool linear, bool unit)
{
	cudaTextureDesc desc =
		sampling(mode, linear ? cudaFilterModeLinear : cudaFilterModePoint, unit);
	struct direction dx = { W, mode }, dy = { H, mode };
	float *dev = device_new<float>(STEPS * STEPS), out[STEPS * STEPS];
	cudaTextureObject_t texture;
	char what[64];

	desc.borderColor[0] = 77.5f;
	texture = texture_of(array, desc);
	fetch_all<<<STEPS, STEPS>>>(texture, unit, dev);
	CHECK_LAUNCH();
	host_from(out, dev, STEPS * STEPS);
	snprintf(what, sizeof(what), "mode %d, %s, %s", mode, linear ? "linear" : "point",
		 unit ? "from 0 to 1" : "in texels");
	for (int y = 0; y < STEPS; y++)
		for (int x = 0; x < STEPS; x++) {
			struct corner c[2] = {
				corners_of(&dx, coordinate(x, unit), unit, linear),
				corners_of(&dy, coordinate(y, unit), unit, linear),
			};

			expect_same(what, y * STEPS + x, out[y * STEPS + x],
				    filtered(c, 2, 77.5f, [&](int i, int j, int) {
					    return texels[j * W + i];
				    }));
		}
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cudaFree(dev));
}

static void check_samplings(void)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	float texels[W * H];
	cudaArray_t array;

	for (int i = 0; i < W * H; i++)
		texels[i] = (float)(i * i) - 7.25f;
	CHECK(cudaMallocArray(&array, &format, W, H));
	CHECK(cudaMemcpy2DToArray(array, 0, 0, texels, W * sizeof(float), W * sizeof(float), H,
				  cudaMemcpyHostToDevice));
	for (int n = 0; n < 16; n++)
		check_sampling(array, texels, modes[n & 3], n & 4, n & 8);
	CHECK(cudaFreeArray(array));
}

/* ---- formats ------------------------------------------------------------ */

template <class T> __global__ void fetch_type(cudaTextureObject_t texture, T *out)
{
	int x = threadIdx.x, y = blockIdx.x;

	out[y * W + x] = tex2D<T>(texture, (float)x, (float)y);
}

template <class T> static cudaTextureObject_t type_texture(cudaArray_t *array, const T *texels,
							   cudaTextureReadMode mode)
{
	cudaTextureDesc desc = sampling(cudaAddressModeClamp, cudaFilterModePoint, false);
	cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();

	desc.readMode = mode;
	CHECK(cudaMallocArray(array, &format, W, H));
	CHECK(cudaMemcpyToArray(*array, 0, 0, texels, W * H * sizeof(T), cudaMemcpyHostToDevice));
	return texture_of(*array, desc);
}

/* The bits come back as they went in. */
template <class T> static void check_type(const char *name)
{
	T texels[W * H], out[W * H], *dev = device_new<T>(W * H);
	struct lcg g = { sizeof(T) };
	cudaTextureObject_t texture;
	cudaArray_t array;

	for (size_t i = 0; i < sizeof(texels); i++)
		((unsigned char *)texels)[i] = (unsigned char)(lcg_u32(&g) >> 8 & 0x7f) |
					       (unsigned char)(i % 4 == 3 ? 0 : lcg_u32(&g) << 7);
	texture = type_texture(&array, texels, cudaReadModeElementType);
	fetch_type<<<H, W>>>(texture, dev);
	CHECK_LAUNCH();
	host_from(out, dev, W * H);
	for (size_t i = 0; i < sizeof(texels); i++)
		expect_same(name, (int)i, ((unsigned char *)out)[i], ((unsigned char *)texels)[i]);
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cudaFreeArray(array));
	CHECK(cudaFree(dev));
}

#define CHECK_TYPES(type) \
	check_type<type##1>(#type "1"); \
	check_type<type##2>(#type "2"); \
	check_type<type##4>(#type "4")

static void check_types(void)
{
	CHECK_TYPES(char);
	CHECK_TYPES(uchar);
	CHECK_TYPES(short);
	CHECK_TYPES(ushort);
	CHECK_TYPES(int);
	CHECK_TYPES(uint);
	CHECK_TYPES(float);
	check_type<unsigned char>("unsigned char");
	check_type<short>("short");
	check_type<int>("int");
}

/* Integers as floats from 0 or -1 to 1: the least of a signed type is -1, too. */
template <class T> static void check_normalised(const char *name, T least, T most)
{
	float out[W * H], *dev = device_new<float>(W * H);
	cudaTextureObject_t texture;
	cudaArray_t array;
	T texels[W * H];

	for (int i = 0; i < W * H; i++)
		texels[i] = (T)(least + ((long)most - least) * i / (W * H - 1));
	texels[1] = (T)(least + 1);
	texels[2] = 0;
	texture = type_texture(&array, texels, cudaReadModeNormalizedFloat);
	fetch_type<<<H, W>>>(texture, dev);
	CHECK_LAUNCH();
	host_from(out, dev, W * H);
	for (int i = 0; i < W * H; i++)
		expect_same(name, i, out[i], fmaxf((float)texels[i] / (float)most, -1.0f));
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cudaFreeArray(array));
	CHECK(cudaFree(dev));
}

static void check_halves(void)
{
	static const float values[W * H] = { 0, 1, -2, 0.5f, 65504, -0.25f, 3, 4, 5, 6, 7, 8, 9 };
	cudaTextureDesc desc = sampling(cudaAddressModeClamp, cudaFilterModePoint, false);
	cudaChannelFormatDesc format = cudaCreateChannelDescHalf();
	float out[W * H], *dev = device_new<float>(W * H);
	cudaTextureObject_t texture;
	__half texels[W * H];
	cudaArray_t array;

	for (int i = 0; i < W * H; i++)
		texels[i] = __float2half(values[i]);
	CHECK(cudaMallocArray(&array, &format, W, H));
	CHECK(cudaMemcpyToArray(array, 0, 0, texels, sizeof(texels), cudaMemcpyHostToDevice));
	texture = texture_of(array, desc);
	fetch_type<<<H, W>>>(texture, dev);
	CHECK_LAUNCH();
	host_from(out, dev, W * H);
	for (int i = 0; i < W * H; i++)
		expect_same("half", i, out[i], values[i]);
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cudaFreeArray(array));
	CHECK(cudaFree(dev));
}

/* Many fetches of a kernel, some in one branch only. */
__global__ void fetch_some(cudaTextureObject_t one, cudaTextureObject_t two, int *out)
{
	float x = (float)(threadIdx.x % W), y = (float)(threadIdx.x / W % H);
	int sum = 0;

	for (int i = 0; i < 3; i++) {
		sum += tex2D<int>(one, x, (float)i);
		if (threadIdx.x % 3 == i)
			sum += 1000 * tex2D<int>(two, (float)i, y);
		else if (threadIdx.x % 3 == 2)
			sum -= tex2D<int>(one, (float)i, y);
	}
	out[threadIdx.x] = sum;
}

static void check_branches(void)
{
	int texels[W * H], out[64], *dev = device_new<int>(64);
	cudaTextureObject_t one, two;
	cudaArray_t arrays[2];

	for (int i = 0; i < W * H; i++)
		texels[i] = 3 * i + 1;
	one = type_texture(&arrays[0], texels, cudaReadModeElementType);
	two = type_texture(&arrays[1], texels, cudaReadModeElementType);
	fetch_some<<<1, 64>>>(one, two, dev);
	CHECK_LAUNCH();
	host_from(out, dev, 64);
	for (int t = 0; t < 64; t++) {
		int sum = 0;

		for (int i = 0; i < 3; i++) {
			sum += texels[i * W + t % W];
			if (t % 3 == i)
				sum += 1000 * texels[t / W % H * W + i];
			else if (t % 3 == 2)
				sum -= texels[t / W % H * W + i];
		}
		expect_same("branches", t, out[t], sum);
	}
	CHECK(cudaDestroyTextureObject(one));
	CHECK(cudaDestroyTextureObject(two));
	CHECK(cudaFreeArray(arrays[0]));
	CHECK(cudaFreeArray(arrays[1]));
	CHECK(cudaFree(dev));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "textures", NULL, 0, 0, 0);
	check_samplings();
	check_types();
	check_normalised<unsigned char>("unsigned char", 0, 255);
	check_normalised<signed char>("signed char", -128, 127);
	check_normalised<unsigned short>("unsigned short", 0, 65535);
	check_normalised<short>("short", -32768, 32767);
	check_halves();
	check_branches();
	return finish();
}
