/* SPDX-License-Identifier: MIT */
/*
 * texture_shapes: textures of linear and pitched memory, of one and three directions, layered,
 * cubes and mipmaps, and gathers, against the formulas of the programming guide.
 */
#include "texture_reference.h"

#define N 48	/* fetches */

struct where {
	float x, y, z, lod;
	int layer;
};

template <class F> __global__ void fetch(F f, const where *at, float *out)
{
	out[threadIdx.x] = f(at[threadIdx.x]);
}

static where *positions(struct lcg *g, where *host, float low, float high)
{
	where *dev = device_new<where>(N);

	for (int i = 0; i < N; i++) {
		float *to[3] = { &host[i].x, &host[i].y, &host[i].z };

		for (int n = 0; n < 3; n++)
			*to[n] = (float)(int)lcg_below(g, (uint32_t)((high - low) * 64)) / 64.0f +
				 low;
		host[i].layer = (int)lcg_below(g, 4);
		host[i].lod = 0;
	}
	CHECK(cudaMemcpy(dev, host, N * sizeof(where), cudaMemcpyHostToDevice));
	return dev;
}

/* Runs the fetches and compares with @want(position). */
template <class F, class W>
static void compare(const char *what, F f, const where *dev, const where *host, W want)
{
	float *results = device_new<float>(N), out[N];

	fetch<<<1, N>>>(f, dev, results);
	CHECK_LAUNCH();
	host_from(out, results, N);
	for (int i = 0; i < N; i++)
		expect_same(what, i, out[i], (float)want(host[i]));
	CHECK(cudaFree(results));
}

/* ---- memory -------------------------------------------------------------- */

struct fetch_linear {
	cudaTextureObject_t t;
	__device__ float operator()(where p) const { return tex1Dfetch<float>(t, (int)p.x); }
};

static void check_linear(struct lcg *g)
{
	cudaTextureDesc desc = sampling(cudaAddressModeClamp, cudaFilterModePoint, false);
	float texels[33], *memory = device_new<float>(33);
	where host[N], *dev = positions(g, host, -8, 48);
	cudaResourceDesc resource = {};
	cudaTextureObject_t texture;

	for (int i = 0; i < 33; i++)
		texels[i] = 1.5f * (float)i + 1;
	CHECK(cudaMemcpy(memory, texels, sizeof(texels), cudaMemcpyHostToDevice));
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = memory;
	resource.res.linear.desc = cudaCreateChannelDesc<float>();
	resource.res.linear.sizeInBytes = sizeof(texels);
	CHECK(cudaCreateTextureObject(&texture, &resource, &desc, NULL));
	compare("linear memory", fetch_linear{ texture }, dev, host, [&](where p) {
		int i = (int)p.x;

		return i >= 0 && i < 33 ? texels[i] : 0;
	});
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cudaFree(memory));
	CHECK(cudaFree(dev));
}

struct fetch_2d {
	cudaTextureObject_t t;
	__device__ float operator()(where p) const { return tex2D<float>(t, p.x, p.y); }
};

static void check_pitched(struct lcg *g)
{
	cudaTextureDesc desc = sampling(cudaAddressModeClamp, cudaFilterModeLinear, false);
	struct direction dx = { 7, cudaAddressModeClamp }, dy = { 5, cudaAddressModeClamp };
	where host[N], *dev = positions(g, host, -2, 10);
	cudaResourceDesc resource = {};
	cudaTextureObject_t texture;
	unsigned char texels[5][7];
	size_t pitch;
	void *memory;

	for (int i = 0; i < 35; i++)
		texels[0][i] = (unsigned char)(i * 7);
	CHECK(cudaMallocPitch(&memory, &pitch, 7, 5));
	CHECK(cudaMemcpy2D(memory, pitch, texels, 7, 7, 5, cudaMemcpyHostToDevice));
	desc.readMode = cudaReadModeNormalizedFloat;
	resource.resType = cudaResourceTypePitch2D;
	resource.res.pitch2D.devPtr = memory;
	resource.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
	resource.res.pitch2D.width = 7;
	resource.res.pitch2D.height = 5;
	resource.res.pitch2D.pitchInBytes = pitch;
	CHECK(cudaCreateTextureObject(&texture, &resource, &desc, NULL));
	compare("pitched memory", fetch_2d{ texture }, dev, host, [&](where p) {
		struct corner c[2] = { corners_of(&dx, p.x, false, true),
				       corners_of(&dy, p.y, false, true) };

		return filtered(c, 2, 0, [&](int x, int y, int) {
			return (float)texels[y][x] / 255.0f;
		});
	});
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cudaFree(memory));
	CHECK(cudaFree(dev));
}

/* ---- arrays -------------------------------------------------------------- */

#define W 6
#define H 5
#define D 4

static float boxed(int x, int y, int z)
{
	return (float)(x * x + 10 * y * y + 100 * z * z);
}

static cudaArray_t new_array(int w, int h, int d, unsigned int flags)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	float *texels = (float *)host_alloc(sizeof(float) * w * (h ? h : 1) * (d ? d : 1));
	cudaMemcpy3DParms copy = {};
	cudaArray_t array;
	int i = 0;

	for (int z = 0; z < (d ? d : 1); z++)
		for (int y = 0; y < (h ? h : 1); y++)
			for (int x = 0; x < w; x++)
				texels[i++] = boxed(x, y, z);
	CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(w, h, d), flags));
	copy.srcPtr = make_cudaPitchedPtr(texels, w * sizeof(float), w, h ? h : 1);
	copy.dstArray = array;
	copy.extent = make_cudaExtent(w, h ? h : 1, d ? d : 1);
	copy.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&copy));
	free(texels);
	return array;
}

struct fetch_1d {
	cudaTextureObject_t t;
	__device__ float operator()(where p) const { return tex1D<float>(t, p.x); }
};
struct fetch_3d {
	cudaTextureObject_t t;
	__device__ float operator()(where p) const { return tex3D<float>(t, p.x, p.y, p.z); }
};
struct fetch_layers_1d {
	cudaTextureObject_t t;
	__device__ float operator()(where p) const
	{
		return tex1DLayered<float>(t, p.x, p.layer - 1);
	}
};
struct fetch_layers_2d {
	cudaTextureObject_t t;
	__device__ float operator()(where p) const
	{
		return tex2DLayered<float>(t, p.x, p.y, p.layer + 1);
	}
};

/* Directions of W, H and D texels; @layer: the layer of a position, with one direction less. */
template <class F, class L>
static void check_shape(const char *what, struct lcg *g, int directions, int h, int d,
			unsigned int flags, cudaTextureAddressMode mode, bool unit, L layer)
{
	cudaTextureDesc desc = sampling(mode, cudaFilterModeLinear, unit);
	where host[N], *dev = positions(g, host, unit ? -1 : -2, unit ? 2 : 8);
	struct direction dirs[3] = { { W, mode }, { h, mode }, { d, mode } };
	cudaArray_t array = new_array(W, h, d, flags);
	cudaTextureObject_t texture = texture_of(array, desc);

	compare(what, F{ texture }, dev, host, [&](where p) {
		float at[3] = { p.x, p.y, p.z };
		struct corner c[3];

		for (int n = 0; n < directions; n++)
			c[n] = corners_of(&dirs[n], at[n], unit, true);
		return filtered(c, directions, 0, [&](int x, int y, int z) {
			return boxed(x, y, flags ? layer(p) : z);
		});
	});
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cudaFreeArray(array));
	CHECK(cudaFree(dev));
}

static void check_shapes(struct lcg *g)
{
	auto none = [](where) { return 0; };

	check_shape<fetch_1d>("one direction", g, 1, 0, 0, 0, cudaAddressModeBorder, false, none);
	check_shape<fetch_3d>("three directions, clamped", g, 3, H, D, 0, cudaAddressModeClamp,
			      false, none);
	check_shape<fetch_3d>("three directions, mirrored", g, 3, H, D, 0, cudaAddressModeMirror,
			      true, none);
	/* a layer beyond the last is the last; below 0, as it is unsigned, too */
	check_shape<fetch_layers_1d>("layers of rows", g, 1, 0, D, cudaArrayLayered,
				     cudaAddressModeWrap, true,
				     [](where p) { return p.layer ? p.layer - 1 : D - 1; });
	check_shape<fetch_layers_2d>("layers", g, 2, H, D, cudaArrayLayered, cudaAddressModeClamp,
				     false, [](where p) { return p.layer < 3 ? p.layer + 1 : 3; });
}

/* ---- cubes --------------------------------------------------------------- */

struct fetch_cube {
	cudaTextureObject_t t;
	__device__ float operator()(where p) const { return texCubemap<float>(t, p.x, p.y, p.z); }
};
struct fetch_cubes {
	cudaTextureObject_t t;
	__device__ float operator()(where p) const
	{
		return texCubemapLayered<float>(t, p.x, p.y, p.z, p.layer & 1);
	}
};

/* The guide's table of faces: which, and s and t. */
static int face_of(where p, float *s, float *t)
{
	float x = fabsf(p.x), y = fabsf(p.y), z = fabsf(p.z), m;
	int face;

	if (x >= y && x >= z) {
		face = p.x < 0 ? 1 : 0;
		m = x;
		*s = face ? p.z : -p.z;
		*t = -p.y;
	} else if (y >= z) {
		face = p.y < 0 ? 3 : 2;
		m = y;
		*s = p.x;
		*t = face == 3 ? -p.z : p.z;
	} else {
		face = p.z < 0 ? 5 : 4;
		m = z;
		*s = face == 5 ? -p.x : p.x;
		*t = -p.y;
	}
	*s = (*s / m + 1) / 2;
	*t = (*t / m + 1) / 2;
	return face;
}

template <class F>
static void check_cube(const char *what, struct lcg *g, int layers, unsigned int flags)
{
	cudaTextureDesc desc = sampling(cudaAddressModeClamp, cudaFilterModePoint, true);
	where host[N], *dev = positions(g, host, -3, 3);
	cudaArray_t array = new_array(8, 8, 6 * layers, flags);
	cudaTextureObject_t texture;

	texture = texture_of(array, desc);
	compare(what, F{ texture }, dev, host, [&](where p) {
		float s, t;
		int face = face_of(p, &s, &t), x = (int)(s * 8), y = (int)(t * 8);

		return boxed(x < 8 ? x : 7, y < 8 ? y : 7,
			     face + (layers > 1 ? 6 * (p.layer & 1) : 0));
	});
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cudaFreeArray(array));
	CHECK(cudaFree(dev));
}

/* ---- gathers ------------------------------------------------------------- */

struct gather {
	cudaTextureObject_t t;
	__device__ float operator()(where p) const
	{
		float4 v = tex2Dgather<float4>(t, p.x, p.y);

		return v.x + 16 * v.y + 256 * v.z + 4096 * v.w;
	}
};

static void check_gather(struct lcg *g)
{
	cudaTextureDesc desc = sampling(cudaAddressModeClamp, cudaFilterModePoint, false);
	struct direction dx = { 3, cudaAddressModeClamp }, dy = { 2, cudaAddressModeClamp };
	where host[N], *dev = positions(g, host, -1, 4);
	cudaArray_t array = new_array(3, 2, 0, cudaArrayTextureGather);
	cudaTextureObject_t texture = texture_of(array, desc);

	compare("gather", gather{ texture }, dev, host, [&](where p) {
		struct corner x = corners_of(&dx, p.x, false, true),
			      y = corners_of(&dy, p.y, false, true);

		return boxed(x.at[0], y.at[1], 0) + 16 * boxed(x.at[1], y.at[1], 0) +
		       256 * boxed(x.at[1], y.at[0], 0) + 4096 * boxed(x.at[0], y.at[0], 0);
	});
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cudaFreeArray(array));
	CHECK(cudaFree(dev));
}

/* ---- mipmaps ------------------------------------------------------------- */

struct fetch_lod {
	cudaTextureObject_t t;
	__device__ float operator()(where p) const
	{
		return tex2DLod<float>(t, p.x, p.y, p.z);
	}
};
struct fetch_grad {
	cudaTextureObject_t t;
	__device__ float operator()(where p) const
	{
		/* a step of 2^n texels of 8 */
		float step = (float)(1 << p.layer) / 8.0f;

		return tex2DGrad<float>(t, p.x, p.y, make_float2(step, 0), make_float2(0, step));
	}
};
struct fetch_base {
	cudaTextureObject_t t;
	__device__ float operator()(where p) const { return tex2D<float>(t, p.x, p.y); }
};

/* Level n has the value of its texel (x, y), and 1000 n. */
static cudaMipmappedArray_t new_mipmap(void)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaMipmappedArray_t mipmap;

	CHECK(cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(8, 4, 0), 99));
	for (int n = 0; n < 4; n++) {
		int w = 8 >> n, h = 4 >> n ? 4 >> n : 1;
		cudaExtent extent;
		cudaArray_t level;
		float texels[32];

		for (int i = 0; i < w * h; i++)
			texels[i] = boxed(i % w, i / w, 0) + 1000.0f * (float)n;
		CHECK(cudaGetMipmappedArrayLevel(&level, mipmap, n));
		CHECK(cudaArrayGetInfo(NULL, &extent, NULL, level));
		EXPECT(extent.width == (size_t)w && extent.height == (size_t)h);
		CHECK(cudaMemcpy2DToArray(level, 0, 0, texels, w * sizeof(float),
					  w * sizeof(float), h, cudaMemcpyHostToDevice));
	}
	return mipmap;
}

static float level_texel(float x, float y, int level)
{
	int w = 8 >> level, h = 4 >> level ? 4 >> level : 1;

	return boxed((int)(x * (float)w), (int)(y * (float)h), 0) + 1000.0f * (float)level;
}

static float clamped(float lod, float least, float most)
{
	return fminf(fmaxf(lod, least), most);
}

static void check_mipmap(struct lcg *g, bool linear)
{
	cudaTextureDesc desc = sampling(cudaAddressModeClamp, cudaFilterModePoint, true);
	where host[N], *dev = positions(g, host, 0, 1);
	cudaMipmappedArray_t mipmap = new_mipmap();
	cudaResourceDesc resource = {};
	cudaTextureObject_t texture;
	cudaArray_t beyond;

	for (int i = 0; i < N; i++)
		host[i].z = (float)(i * 7 - 60) / 64.0f;
	CHECK(cudaMemcpy(dev, host, N * sizeof(where), cudaMemcpyHostToDevice));
	desc.mipmapFilterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
	desc.mipmapLevelBias = 0.25f;
	desc.minMipmapLevelClamp = 0.5f;
	desc.maxMipmapLevelClamp = 2.75f;
	resource.resType = cudaResourceTypeMipmappedArray;
	resource.res.mipmap.mipmap = mipmap;
	CHECK(cudaCreateTextureObject(&texture, &resource, &desc, NULL));
	compare(linear ? "levels, linear" : "levels", fetch_lod{ texture }, dev, host,
		[&](where p) {
			float lod = clamped(p.z + 0.25f, 0.5f, 2.75f), part = lod - floorf(lod);
			int level = (int)lod;

			if (!linear)
				return level_texel(p.x, p.y, (int)(lod + 0.5f));
			if (part == 0)
				return level_texel(p.x, p.y, level);
			return fmaf(part, level_texel(p.x, p.y, level + 1),
				    (1 - part) * level_texel(p.x, p.y, level));
		});
	CHECK(cudaDestroyTextureObject(texture));
	desc.mipmapLevelBias = 0;
	desc.minMipmapLevelClamp = 0;
	desc.maxMipmapLevelClamp = 99;
	CHECK(cudaCreateTextureObject(&texture, &resource, &desc, NULL));
	compare("gradients", fetch_grad{ texture }, dev, host,
		[&](where p) { return level_texel(p.x, p.y, p.layer); });
	compare("without a level", fetch_base{ texture }, dev, host,
		[&](where p) { return level_texel(p.x, p.y, 0); });
	EXPECT_ERROR(cudaGetMipmappedArrayLevel(&beyond, mipmap, 4), cudaErrorInvalidValue);
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cudaFreeMipmappedArray(mipmap));
	EXPECT_ERROR(cudaFreeMipmappedArray(mipmap), cudaErrorInvalidResourceHandle);
	EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidResourceHandle);
	CHECK(cudaFree(dev));
}

int main(int argc, char **argv)
{
	struct lcg g = { 11 };

	parse_size(argc, argv, "texture_shapes", NULL, 0, 0, 0);
	check_linear(&g);
	check_pitched(&g);
	check_shapes(&g);
	check_cube<fetch_cube>("cube", &g, 1, cudaArrayCubemap);
	check_cube<fetch_cubes>("cubes", &g, 2, cudaArrayCubemap | cudaArrayLayered);
	check_gather(&g);
	check_mipmap(&g, false);
	check_mipmap(&g, true);
	return finish();
}
