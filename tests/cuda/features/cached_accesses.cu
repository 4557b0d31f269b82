/* SPDX-License-Identifier: MIT */
/* cached_accesses: __ldcg(), __stcg() and kin, of types of all sizes. */
#include "../common.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define WAYS 20

template <class T> __global__ void ways(T *to, T *from)
{
	__stwb(&to[0], __ldca(&from[0]));
	__stcg(&to[1], __ldca(&from[1]));
	__stcs(&to[2], __ldca(&from[2]));
	__stwt(&to[3], __ldca(&from[3]));
	__stwb(&to[4], __ldcg(&from[4]));
	__stcg(&to[5], __ldcg(&from[5]));
	__stcs(&to[6], __ldcg(&from[6]));
	__stwt(&to[7], __ldcg(&from[7]));
	__stwb(&to[8], __ldcs(&from[8]));
	__stcg(&to[9], __ldcs(&from[9]));
	__stcs(&to[10], __ldcs(&from[10]));
	__stwt(&to[11], __ldcs(&from[11]));
	__stwb(&to[12], __ldlu(&from[12]));
	__stcg(&to[13], __ldlu(&from[13]));
	__stcs(&to[14], __ldlu(&from[14]));
	__stwt(&to[15], __ldlu(&from[15]));
	__stwb(&to[16], __ldcv(&from[16]));
	__stcg(&to[17], __ldcv(&from[17]));
	__stcs(&to[18], __ldcv(&from[18]));
	__stwt(&to[19], __ldcv(&from[19]));
}

template <class T> static void type(const char *name)
{
	unsigned char bytes[WAYS * sizeof(T)], got[WAYS * sizeof(T) + 16];
	T *from, *to;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 37 + 129);
	CHECK(cudaMalloc(&from, sizeof(bytes)));
	CHECK(cudaMalloc(&to, sizeof(got)));
	CHECK(cudaMemcpy(from, bytes, sizeof(bytes), cudaMemcpyDefault));
	CHECK(cudaMemset(to, 0xa5, sizeof(got)));
	ways<<<1, 1>>>(to, from);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(got, to, sizeof(got), cudaMemcpyDefault));
	for (size_t i = 0; i < sizeof(got); i++)
		expect_same(name, (long)i, got[i],
			    i < sizeof(bytes) ? bytes[i] : (unsigned char)0xa5);
	CHECK(cudaFree(from));
	CHECK(cudaFree(to));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "cached_accesses", NULL, 0, 0, 0);
	type<char>("char");
	type<signed char>("signed char");
	type<unsigned char>("unsigned char");
	type<char2>("char2");
	type<uchar4>("uchar4");
	type<short>("short");
	type<ushort2>("ushort2");
	type<short4>("short4");
	type<int>("int");
	type<uint2>("uint2");
	type<int4>("int4");
	type<long>("long");
	type<unsigned long long>("unsigned long long");
	type<longlong2>("longlong2");
	type<float>("float");
	type<float2>("float2");
	type<float4>("float4");
	type<double>("double");
	type<double2>("double2");
	type<__half>("__half");
	type<__half2>("__half2");
	type<__nv_bfloat16>("__nv_bfloat16");
	type<__nv_bfloat162>("__nv_bfloat162");
	return finish();
}
