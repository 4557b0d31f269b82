/* SPDX-License-Identifier: MIT */
/*
 * texture_formats: texels read as something else than they are stored: sRGB, views with a format of
 * their own; and formatted stores to surfaces, which write what a texel is.
 */
#include "texture_reference.h"

#define W 16
#define H 16

template <class T> __global__ void fetch(cudaTextureObject_t texture, T *out)
{
	int x = threadIdx.x, y = blockIdx.x;

	out[y * W + x] = tex2D<T>(texture, (float)x + 0.5f, (float)y + 0.5f);
}

__global__ void fetch_between(cudaTextureObject_t texture, float4 *out)
{
	*out = tex2D<float4>(texture, 4.0f, 2.5f);
}

/* Texel (x, y) is its number, of which the channels are four functions. */
static uchar4 colour(int n)
{
	return make_uchar4(n, 255 - n, n * 7, n * 13);
}

static cudaArray_t colours(void)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
	uchar4 texels[H * W];
	cudaArray_t array;

	for (int n = 0; n < W * H; n++)
		texels[n] = colour(n);
	CHECK(cudaMallocArray(&array, &format, W, H));
	CHECK(cudaMemcpyToArray(array, 0, 0, texels, sizeof(texels), cudaMemcpyHostToDevice));
	return array;
}

/* ---- sRGB ------------------------------------------------------------------ */

static double linear(unsigned char code)
{
	double c = code / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* lg2.approx and ex2.approx: 2^-20 of what it is. */
static void expect_near(const char *what, int at, float got, double want)
{
	if (!(fabs(got - want) <= ldexp(want, -20)))
		mismatch("%s %d: got %.9g, expected %.9g", what, at, got, want);
}

static void check_srgb(void)
{
	cudaTextureDesc desc = sampling(cudaAddressModeClamp, cudaFilterModePoint, false);
	float4 out[H * W], *results = device_new<float4>(H * W);
	cudaArray_t array = colours();
	cudaTextureObject_t texture;
	uchar4 a = colour(2 * W + 3), b = colour(2 * W + 4);

	desc.readMode = cudaReadModeNormalizedFloat;
	desc.sRGB = 1;
	texture = texture_of(array, desc);
	fetch<<<H, W>>>(texture, results);
	CHECK_LAUNCH();
	host_from(out, results, H * W);
	for (int n = 0; n < H * W; n++) {
		uchar4 c = colour(n);

		expect_near("red", n, out[n].x, linear(c.x));
		expect_near("green", n, out[n].y, linear(c.y));
		expect_near("blue", n, out[n].z, linear(c.z));
		expect_same("alpha", n, out[n].w, (float)c.w / 255.0f);
	}
	expect_same("black", 0, out[0].x, 0.0f);
	expect_same("white", 255, out[255].x, 1.0f);
	CHECK(cudaDestroyTextureObject(texture));
	/* converted before they are filtered */
	desc.filterMode = cudaFilterModeLinear;
	texture = texture_of(array, desc);
	CHECK(cudaGetTextureObjectTextureDesc(&desc, texture));
	expect_same("said", 0, desc.sRGB, 1);
	fetch_between<<<1, 1>>>(texture, results);
	CHECK_LAUNCH();
	host_from(out, results, 1);
	expect_near("between, red", 0, out[0].x, (linear(a.x) + linear(b.x)) / 2);
	expect_near("between, green", 0, out[0].y, (linear(a.y) + linear(b.y)) / 2);
	expect_near("between, alpha", 0, out[0].w, (a.w / 255.0 + b.w / 255.0) / 2);
	CHECK(cudaDestroyTextureObject(texture));
	desc.readMode = cudaReadModeElementType;
	desc.filterMode = cudaFilterModePoint;
	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	EXPECT_ERROR(cudaCreateTextureObject(&texture, &resource, &desc, NULL),
		     cudaErrorNotSupported);
	cudaGetLastError();
	CHECK(cudaFreeArray(array));
	CHECK(cudaFree(results));
}

/* ---- views ------------------------------------------------------------------ */

template <class T>
static cudaError_t view_of(cudaTextureObject_t *texture, cudaArray_t array,
			   cudaResourceViewFormat format, const cudaTextureDesc &desc)
{
	cudaResourceViewDesc view = {}, found;
	cudaResourceDesc resource = {};
	cudaError_t error;

	view.format = format;
	view.width = W;
	view.height = H;
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	error = cudaCreateTextureObject(texture, &resource, &desc, &view);
	if (error == cudaSuccess) {
		CHECK(cudaGetTextureObjectResourceViewDesc(&found, *texture));
		expect_same("the format of a view", format, (int)found.format, (int)format);
	}
	return error;
}

static void check_views(void)
{
	cudaTextureDesc desc = sampling(cudaAddressModeClamp, cudaFilterModePoint, false);
	unsigned int words[H * W], *results = device_new<unsigned int>(H * W);
	short2 pairs[H * W];
	cudaArray_t array = colours();
	cudaTextureObject_t texture;

	CHECK(view_of<unsigned int>(&texture, array, cudaResViewFormatUnsignedInt1, desc));
	fetch<<<H, W>>>(texture, results);
	CHECK_LAUNCH();
	host_from(words, results, H * W);
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(view_of<short2>(&texture, array, cudaResViewFormatSignedShort2, desc));
	fetch<<<H, W>>>(texture, (short2 *)results);
	CHECK_LAUNCH();
	host_from(pairs, (short2 *)results, H * W);
	CHECK(cudaDestroyTextureObject(texture));
	for (int n = 0; n < H * W; n++) {
		uchar4 c = colour(n);

		expect_same("one word", n, words[n],
			    c.x | c.y << 8 | c.z << 16 | (unsigned int)c.w << 24);
		expect_same("two halves, x", n, pairs[n].x, (short)(c.x | c.y << 8));
		expect_same("two halves, y", n, pairs[n].y, (short)(c.z | c.w << 8));
	}
	/* texels of another size, blocks, and what may not be filtered */
	EXPECT_ERROR(view_of<float>(&texture, array, cudaResViewFormatFloat2, desc),
		     cudaErrorInvalidValue);
	EXPECT_ERROR(view_of<float>(&texture, array, (cudaResourceViewFormat)0x19, desc),
		     cudaErrorNotSupported);
	EXPECT_ERROR(view_of<float>(&texture, array, (cudaResourceViewFormat)99, desc),
		     cudaErrorInvalidValue);
	desc.filterMode = cudaFilterModeLinear;
	EXPECT_ERROR(view_of<float>(&texture, array, cudaResViewFormatUnsignedInt1, desc),
		     cudaErrorInvalidFilterSetting);
	cudaGetLastError();
	CHECK(cudaFreeArray(array));
	CHECK(cudaFree(results));
}

/* ---- formatted stores --------------------------------------------------------- */

__global__ void put(cudaSurfaceObject_t surface, const uint4 *values, int shift)
{
	int x = (int)threadIdx.x + shift, y = blockIdx.x;
	uint4 v = values[y * W + threadIdx.x];

	asm volatile("sust.p.2d.v4.b32.zero [%0, {%1, %2}], {%3, %4, %5, %6};"
		     : : "l"(surface), "r"(x), "r"(y), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
		     : "memory");
}

__global__ void put_one(cudaSurfaceObject_t surface, int x, unsigned int value)
{
	asm volatile("sust.p.2d.b32.clamp [%0, {%1, %2}], {%3};"
		     : : "l"(surface), "r"(x), "r"(0), "r"(value) : "memory");
}

/* Stores all of it, shifted by @shift, and compares channel by channel with @want(register). */
template <class T, class C, class F>
static void check_put(const char *name, int shift, F want)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
	const int channels = sizeof(T) / sizeof(C);
	uint4 values[H * W], *dev = device_new<uint4>(H * W);
	C out[H * W * channels], before[H * W * channels];
	cudaSurfaceObject_t surface;
	cudaResourceDesc resource = {};
	cudaArray_t array;
	struct lcg g = { 7 };

	for (int n = 0; n < H * W; n++)
		values[n] = make_uint4(n, 0u - n, n << 8, lcg_u32(&g));
	memset(before, 0x5a, sizeof(before));
	CHECK(cudaMemcpy(dev, values, sizeof(values), cudaMemcpyHostToDevice));
	CHECK(cudaMallocArray(&array, &format, W, H, cudaArraySurfaceLoadStore));
	CHECK(cudaMemcpyToArray(array, 0, 0, before, sizeof(before), cudaMemcpyHostToDevice));
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	CHECK(cudaCreateSurfaceObject(&surface, &resource));
	put<<<H, W>>>(surface, dev, shift);
	CHECK_LAUNCH();
	CHECK(cudaMemcpyFromArray(out, array, 0, 0, sizeof(out), cudaMemcpyDeviceToHost));
	for (int n = 0; n < H * W; n++)
		for (int c = 0; c < channels; c++) {
			int x = n % W - shift;
			const unsigned int *v = &values[n - shift].x;
			C expected = x < 0 || x >= W ? before[0] : want(v[c]);

			if (memcmp(&out[n * channels + c], &expected, sizeof(C)))
				mismatch("%s, texel %d channel %d", name, n, c);
		}
	put_one<<<1, 1>>>(surface, 1000, 3);
	put_one<<<1, 1>>>(surface, -1000, 5);
	CHECK_LAUNCH();
	CHECK(cudaMemcpyFromArray(out, array, 0, 0, sizeof(out), cudaMemcpyDeviceToHost));
	C first = want(5), last = want(3);
	if (memcmp(out, &first, sizeof(C)) ||
	    memcmp(&out[(W - 1) * channels], &last, sizeof(C)))
		mismatch("%s, clamped", name);
	CHECK(cudaDestroySurfaceObject(surface));
	CHECK(cudaFreeArray(array));
	CHECK(cudaFree(dev));
}

static void check_puts(void)
{
	check_put<uchar4, unsigned char>("four bytes", 0, [](unsigned int v) {
		return (unsigned char)(v < 255 ? v : 255);
	});
	check_put<char2, signed char>("two signed bytes", 3, [](unsigned int v) {
		int n = (int)v;

		return (signed char)(n > 127 ? 127 : n < -128 ? -128 : n);
	});
	check_put<unsigned short, unsigned short>("a half word", -5, [](unsigned int v) {
		return (unsigned short)(v < 65535 ? v : 65535);
	});
	check_put<short4, short>("four signed half words", 15, [](unsigned int v) {
		int n = (int)v;

		return (short)(n > 32767 ? 32767 : n < -32768 ? -32768 : n);
	});
	check_put<uint4, unsigned int>("four words", 1, [](unsigned int v) { return v; });
	check_put<float2, unsigned int>("two floats", 0, [](unsigned int v) { return v; });
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "texture_formats", NULL, 0, 0, 0);
	check_srgb();
	check_views();
	check_puts();
	return finish();
}
