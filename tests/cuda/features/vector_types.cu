/* SPDX-License-Identifier: MIT */
/*
 * vector_types: the built-in vector types: their size and alignment as NVIDIA documents them, the
 * same on both sides, and loads, stores, make_ functions and members on the device.
 */
#include "../common.h"

#define N 333
#define BDIM 128

struct layout {
	int size, align;
};

#define LAYOUTS(X)                                                                                 \
	X(char1, 1, 1) X(char2, 2, 2) X(char3, 3, 1) X(char4, 4, 4) X(uchar2, 2, 2) X(uchar4, 4, 4)\
	X(short1, 2, 2) X(short2, 4, 4) X(short3, 6, 2) X(short4, 8, 8) X(ushort4, 8, 8)           \
	X(int1, 4, 4) X(int2, 8, 8) X(int3, 12, 4) X(int4, 16, 16) X(uint2, 8, 8) X(uint3, 12, 4)  \
	X(uint4, 16, 16) X(longlong1, 8, 8) X(longlong2, 16, 16) X(ulonglong2, 16, 16)             \
	X(float1, 4, 4) X(float2, 8, 8) X(float3, 12, 4) X(float4, 16, 16) X(double1, 8, 8)        \
	X(double2, 16, 16) X(double3, 24, 8)

#define ONE(type, size, align) { (int)sizeof(type), (int)__alignof__(type) },
#define DOCUMENTED(type, size, align) { size, align },
#define NAME(type, size, align) #type,
#define COUNT(type, size, align) +1
#define TYPES (0 LAYOUTS(COUNT))

__global__ void device_layout(layout *out)
{
	const layout all[TYPES] = { LAYOUTS(ONE) };

	for (int i = threadIdx.x; i < TYPES; i += blockDim.x)
		out[i] = all[i];
}

static void check_layout(void)
{
	const layout host[TYPES] = { LAYOUTS(ONE) }, want[TYPES] = { LAYOUTS(DOCUMENTED) };
	const char *const name[TYPES] = { LAYOUTS(NAME) };
	layout got[TYPES], *dev = device_new<layout>(TYPES);

	device_layout<<<1, 32>>>(dev);
	CHECK_LAUNCH();
	host_from(got, dev, TYPES);
	for (int i = 0; i < TYPES; i++) {
		expect_same(name[i], -1, host[i].size, want[i].size);
		expect_same(name[i], -2, host[i].align, want[i].align);
		expect_same(name[i], -3, got[i].size, want[i].size);
		expect_same(name[i], -4, got[i].align, want[i].align);
	}
	CHECK(cudaFree(dev));
}

__global__ void shuffle_members(const float4 *f4, const int4 *i4, const double2 *d2,
				const float2 *f2, const uchar4 *c4, const short2 *s2,
				const float3 *f3, float4 *of4, int4 *oi4, double2 *od2, float2 *of2,
				uchar4 *oc4, short2 *os2, float3 *of3, longlong2 *ol2)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= N)
		return;
	of4[i] = make_float4(f4[i].w, f4[i].z, f4[i].y, f4[i].x);
	oi4[i] = make_int4(i4[i].y, i4[i].x + 1, i4[i].w, i4[i].z * 2);
	od2[i] = make_double2(d2[i].y - d2[i].x, d2[i].x);
	of2[i] = make_float2(f2[i].y, f2[i].x);
	oc4[i] = make_uchar4(c4[i].w, c4[i].x, (unsigned char)(c4[i].y + 100), c4[i].z);
	os2[i] = make_short2((short)-s2[i].y, s2[i].x);
	of3[i] = make_float3(f3[i].z, f3[i].x, f3[i].y);
	ol2[i] = make_longlong2((long long)i << 33, -i);
}

template <typename V> static void fill(V *v, struct lcg *g)
{
	unsigned char *bytes = (unsigned char *)v;

	for (size_t i = 0; i < N * sizeof(V); i++)
		bytes[i] = (unsigned char)lcg_below(g, 64);
}

int main(int argc, char **argv)
{
	static float4 f4[N], of4[N];
	static int4 i4[N], oi4[N];
	static double2 d2[N], od2[N];
	static float2 f2[N], of2[N];
	static uchar4 c4[N], oc4[N];
	static short2 s2[N], os2[N];
	static float3 f3[N], of3[N];
	static longlong2 ol2[N];
	struct lcg g = { 4 };

	parse_size(argc, argv, "vector_types", NULL, 0, 0, 0);
	check_layout();
	/* Bytes below 64 make ordinary floats, never NaN, so exact comparison is right. */
	fill(f4, &g);
	fill(i4, &g);
	fill(d2, &g);
	fill(f2, &g);
	fill(c4, &g);
	fill(s2, &g);
	fill(f3, &g);

	float4 *df4 = device_from(f4, N), *dof4 = device_new<float4>(N);
	int4 *di4 = device_from(i4, N), *doi4 = device_new<int4>(N);
	double2 *dd2 = device_from(d2, N), *dod2 = device_new<double2>(N);
	float2 *df2 = device_from(f2, N), *dof2 = device_new<float2>(N);
	uchar4 *dc4 = device_from(c4, N), *doc4 = device_new<uchar4>(N);
	short2 *ds2 = device_from(s2, N), *dos2 = device_new<short2>(N);
	float3 *df3 = device_from(f3, N), *dof3 = device_new<float3>(N);
	longlong2 *dol2 = device_new<longlong2>(N);

	shuffle_members<<<(N + BDIM - 1) / BDIM, BDIM>>>(df4, di4, dd2, df2, dc4, ds2, df3, dof4,
							 doi4, dod2, dof2, doc4, dos2, dof3, dol2);
	CHECK_LAUNCH();
	host_from(of4, dof4, N);
	host_from(oi4, doi4, N);
	host_from(od2, dod2, N);
	host_from(of2, dof2, N);
	host_from(oc4, doc4, N);
	host_from(os2, dos2, N);
	host_from(of3, dof3, N);
	host_from(ol2, dol2, N);
	for (int i = 0; i < N; i++) {
		expect_same("float4.x", i, of4[i].x, f4[i].w);
		expect_same("float4.y", i, of4[i].y, f4[i].z);
		expect_same("float4.z", i, of4[i].z, f4[i].y);
		expect_same("float4.w", i, of4[i].w, f4[i].x);
		expect_same("int4.x", i, oi4[i].x, i4[i].y);
		expect_same("int4.y", i, oi4[i].y, i4[i].x + 1);
		expect_same("int4.z", i, oi4[i].z, i4[i].w);
		expect_same("int4.w", i, oi4[i].w, i4[i].z * 2);
		expect_same("double2.x", i, od2[i].x, d2[i].y - d2[i].x);
		expect_same("double2.y", i, od2[i].y, d2[i].x);
		expect_same("float2.x", i, of2[i].x, f2[i].y);
		expect_same("float2.y", i, of2[i].y, f2[i].x);
		expect_same("uchar4.x", i, (int)oc4[i].x, (int)c4[i].w);
		expect_same("uchar4.z", i, (int)oc4[i].z, c4[i].y + 100);
		expect_same("uchar4.w", i, (int)oc4[i].w, (int)c4[i].z);
		expect_same("short2.x", i, (int)os2[i].x, -s2[i].y);
		expect_same("short2.y", i, (int)os2[i].y, (int)s2[i].x);
		expect_same("float3.x", i, of3[i].x, f3[i].z);
		expect_same("float3.y", i, of3[i].y, f3[i].x);
		expect_same("float3.z", i, of3[i].z, f3[i].y);
		expect_same("longlong2.x", i, ol2[i].x, (long long)i << 33);
		expect_same("longlong2.y", i, ol2[i].y, -(long long)i);
	}
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(df4));
	CHECK(cudaFree(dof4));
	CHECK(cudaFree(di4));
	CHECK(cudaFree(doi4));
	CHECK(cudaFree(dd2));
	CHECK(cudaFree(dod2));
	CHECK(cudaFree(df2));
	CHECK(cudaFree(dof2));
	CHECK(cudaFree(dc4));
	CHECK(cudaFree(doc4));
	CHECK(cudaFree(ds2));
	CHECK(cudaFree(dos2));
	CHECK(cudaFree(df3));
	CHECK(cudaFree(dof3));
	CHECK(cudaFree(dol2));
	return finish();
}
