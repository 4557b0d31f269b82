#!/bin/bash
# SPDX-License-Identifier: MIT
#
# test_host_types: numbers of 16 bits and less in files that only a host compiler compiles (host_types.cpp), in C, and as they
# pass between such a file and one with kernels. Speaks TAP.
. "$(dirname "${BASH_SOURCE[0]}")/vgpucc.sh"
here=$top/tests/unit/runtime
clang=${VGPU_CLANG:-$(command -v clang-16 clang-19 clang-18 clang-17 clang-15 clang-14 clang | head -1)}
headers=-I$top/build/include/cuda
warn='-Wall -Wextra -Werror'

for compiler in "g++ -std=c++11 -O1" "g++ -std=c++20 -O3 -march=native" "$clang --driver-mode=g++ -std=c++14 -O0" \
	"$clang --driver-mode=g++ -std=c++20 -O2"; do
	works "${compiler##*/}" "^all as expected$" bash -c \
		"$compiler $warn $headers '$here/host_types.cpp' -o types -lm && ./types"
done

cat >bits.c <<'END'
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_fp6.h>
#include <cuda_fp4.h>
__half_raw half = { 0x3c00 };
__half2_raw pair;
__nv_bfloat16_raw brain;
__nv_bfloat162_raw brains;
__nv_fp8_storage_t byte;
__nv_fp8x4_storage_t bytes;
__nv_fp6_interpretation_t six = __NV_E3M2;
__nv_fp4_interpretation_t four = __NV_E2M1;
int main(void)
{
	return !(sizeof(half) == 2 && sizeof(pair) == 4 && sizeof(brain) == 2 && sizeof(brains) == 4 && !byte && !bytes &&
		 six && !four);
}
END
for compiler in gcc "$clang"; do
	works "C: ${compiler##*/}" "" bash -c "$compiler -std=c99 $warn $headers bits.c -o bits && ./bits"
done

cat >kernel.cu <<'END'
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void scale(__half *x, __half by, __nv_bfloat16 *y) { x[threadIdx.x] *= by; y[threadIdx.x] = (float)x[threadIdx.x]; }
cudaError_t scaled(__half *x, __half by, __nv_bfloat162 *y) { scale<<<1, 4>>>(x, by, (__nv_bfloat16 *)y); return cudaDeviceSynchronize(); }
END
cat >host.cpp <<'END'
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdio>
cudaError_t scaled(__half *x, __half by, __nv_bfloat162 *y);
int main()
{
	__half *x;
	__nv_bfloat162 *y;
	if (cudaMallocManaged(&x, 8) || cudaMallocManaged(&y, 8))
		return 1;
	for (int i = 0; i < 4; i++)
		x[i] = i + 0.5f;
	cudaError_t error = scaled(x, __float2half(3.0f), y);
	printf("%s", cudaGetErrorName(error));
	for (int i = 0; i < 4; i++)
		printf(" %g %g", (float)x[i], (float)(i % 2 ? y[i / 2].y : y[i / 2].x));
	printf("\n");
}
END
for compiler in g++ "$clang --driver-mode=g++"; do
	works "with kernels: ${compiler##*/}" "^cudaSuccess 1.5 1.5 4.5 4.5 7.5 7.5 10.5 10.5$" bash -c \
		"$compiler $headers -c host.cpp -o host.o && '$vgpucc' kernel.cu host.o -o mixed && ./mixed"
done
works "by vgpucc" "^cudaSuccess 1.5 1.5 4.5 4.5 7.5 7.5 10.5 10.5$" bash -c "'$vgpucc' kernel.cu host.cpp -o mixed && ./mixed"
echo "1..$count"
[ $failed -eq 0 ]
