#!/bin/bash
# SPDX-License-Identifier: MIT
#
# test_vgpucc: what vgpucc does with options, several files, languages and mistakes; a program through all of it, with
# the device in the process. Speaks TAP.
. "$(dirname "${BASH_SOURCE[0]}")/vgpucc.sh"

cat >scale.cu <<'END'
#include <vector>
#include <algorithm>
#include <cstdio>
extern "C" int twice(int);
int added(int);
__constant__ float factor;
template <class T> __global__ void scale(T *x, int n)
{
	extern __shared__ char raw[];
	T *s = (T *)raw;
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	s[threadIdx.x] = i < n ? x[i] : T();
	__syncthreads();
	if (i < n)
		x[i] = max(s[blockDim.x - 1 - threadIdx.x], T(1)) * (T)factor + (T)sqrtf(16.0f);
}
int main(int argc, char **argv)
{
	const int n = 1000;
	std::vector<float> x(n, 2.0f);
	float f = EXTRA, *dev;

	cudaMemcpyToSymbol(factor, &f, sizeof(f));
	cudaMalloc(&dev, n * sizeof(float));
	cudaMemcpy(dev, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
	scale<<<(n + 127) / 128, 128, 128 * sizeof(float)>>>(dev, n);
	cudaMemcpy(x.data(), dev, n * sizeof(float), cudaMemcpyDeviceToHost);
	printf("result %g %d %d %s\n", *std::max_element(x.begin(), x.end()), twice(4), added(1),
	       cudaGetErrorName(cudaGetLastError()));
}
END
echo 'int twice(int a) { return 2 * a; }' >twice.c
mkdir 'a folder'
cat >'a folder/added.cpp' <<'END'
#include <cuda_runtime.h>
int added(int a) { float4 v = make_float4(1, 2, 3, 4); dim3 d(2); return a + (int)v.w + d.x + cudaSuccess; }
END
cat >bad.cu <<'END'
__global__ void k(int *p) { *p = undeclared; }
int main() { k<<<1, 1>>>(0); }
END
cat >printf.cu <<'END'
#include <cstdio>
__global__ void hello() { printf("hello from %d\n", threadIdx.x); }
int main() { hello<<<1, 1>>>(); return cudaDeviceSynchronize(); }
END
cat >recursion.cu <<'END'
#include <cstdio>
__device__ int sum(int n) { return n > 0 ? n * sum(n - 1) ^ n : n; }
__global__ void k(int *p) { *p = sum(*p); }
int main() {
	int *p;
	cudaMallocManaged(&p, 4);
	*p = 4;
	k<<<1, 1>>>(p);
	cudaDeviceSynchronize();
	printf("%d\n", *p);
}
END
# What public programs lean on: names that nvcc's own headers bring or define, and what its front end lets pass.
mkdir common
cat >common/checks.h <<'END'
#ifdef __DRIVER_TYPES_H__
static const char *name_of(cudaError_t error) { return cudaGetErrorName(error); }
#endif
#ifdef __CUDA_RUNTIME_H__
static int devices() { int n = 0; cudaGetDeviceCount(&n); return n; }
#endif
#ifndef __NVCC__
#error "this is for nvcc"
#endif
template <class T> __global__ void plus(T *p, T n) { *p += n; }
static void from_header(int *p)
{
	plus << < 1,
		1 >> > (p, 1);
}
END
cat >nvcc.cu <<'END'
#include <cinttypes>
#include <iostream>
#include <vector>
#include "checks.h"
#define LAUNCH(k, ...) k << <__VA_ARGS__>> >
template <class T, int N> __global__ void shift(T *p) { register T n = N; *p += n; }
__global__ void narrow(int n, int *p)
{
	int a[2] = { n * 2.5f, (long)n };

	assert(n > 0);
	*p += a[0] + a[1];
}
int main()
{
	uint32_t zero = 0;
	clock_t now = clock();
	int *p, n = 4, small[] = { n * 0.5, 4u };
	std::vector<std::vector<std::vector<int>> > nested;
	const char *text = "k << < 1 >> >", c = '<';
	const char *raw = R"x(
 << < ")x";
	dim3 grid = { n - 3, 1 };

	cudaMalloc(&p, 4);
	cudaMemcpy(p, &zero, 4, cudaMemcpyHostToDevice);
	plus << < grid, 1 >> > (p, 8 << 1);	// not a launch: k << < 1 >> >
	shift<int, (64 >> 1)> << <dim3(1), dim3(64 >> 6), sizeof(std::vector<std::vector<int> >), 0>> >(p);
	LAUNCH(plus, 1, 1)(p, 100);
	plus <<<1, 1>> >(p, 1000); plus << <1, (n > 0) ? 1 : 1
	>> >(p, 10000); narrow<<<1, 1>>>(2, p);
	from_header(p);
	cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost);
	std::operator<< <std::char_traits<char>>(std::cout, text) << " " << c << raw[2] << " line " << __LINE__ << std::endl;
	printf("%"PRIu64" %d %s %d %d\n", (uint64_t)n, small[0] + small[1] + (int)nested.size(),
	       name_of(cudaGetLastError()), devices() > 0, now == (clock_t)-1);
	BROKEN
}
END
# What is refused when it runs: by its code, and once on stderr.
cat >refused.cu <<'END'
int main()
{
	cudaGraphicsResource_t resource = 0;
	cudaGraphNodeParams params = {};
	cudaGraphNode_t node;

	for (int i = 0; i < 3; i++)
		if (cudaGraphicsUnregisterResource(resource) != cudaErrorNotSupported || cudaGetLastError() != cudaErrorNotSupported)
			return 1;
	params.type = cudaGraphNodeTypeConditional;
	if (cudaGraphAddNode(&node, 0, 0, 0, &params) != cudaErrorNotSupported ||
	    cudaGetLastError() != cudaErrorNotSupported)
		return 1;
	return cudaGraphicsMapResources(0, &resource) != cudaErrorNotSupported;
}
END

works "a program of .cu, .c and .cpp" "" "$vgpucc" -DEXTRA=3.0f scale.cu twice.c 'a folder/added.cpp' -o prog
works "it runs" "^result 10 8 7 cudaSuccess$" ./prog
works "objects first, linked later" "" bash -c "'$vgpucc' -c -O2 -D EXTRA=5 scale.cu && '$vgpucc' -c twice.c &&
	'$vgpucc' -c 'a folder/added.cpp' -o added.o && '$vgpucc' scale.o twice.o added.o -o 'a folder/prog'"
works "they run" "^result 14 8 7 cudaSuccess$" 'a folder/prog'
works "linked by another compiler" "^result 14 8 7 cudaSuccess$" bash -c "gcc scale.o twice.o added.o -L'$top/build' \\
	-Wl,-rpath,'$top/build' -lcuda -lcudart -lstdc++ -lm -o other && ./other"
works "options of nvcc" "" "$vgpucc" -O3 -std=c++14 -arch=sm_35 -gencode arch=compute_70,code=sm_70 -lineinfo -g \
	--use_fast_math --default-stream per-thread -Xcompiler -Wall,-fPIC -Xptxas -O3 -lcudart -lm -I. -DEXTRA=3 -maxrregcount=32 \
	scale.cu twice.c -x c++ 'a folder/added.cpp' -o fast
works "and the result is the same" "^result 10 8 7" ./fast
refused "a default stream of no kind" "it must be legacy, null or per-thread" "$vgpucc" -default-stream=mine -DEXTRA=1 -c scale.cu
works "no optimisation" "" "$vgpucc" -O0 -g -DEXTRA=3 scale.cu twice.c 'a folder/added.cpp' -o slow
works "and the result is the same without" "^result 10 8 7" ./slow
printf '__global__ void k(int *p)\n{\n\t__shared__ int s[12288 + MORE];\n\n\ts[threadIdx.x] = *p;\n\t__syncthreads();\n\t*p = s[*p];\n}\n' >static.cu
works "48 KB of static shared memory, v100 is asked" "v100: 2 blocks of 256 threads" "$vgpucc" --resource-usage -DMORE=0 -c static.cu
refused "more static shared memory" "shared variables of .* take more than 49152 bytes" "$vgpucc" -DMORE=1 -c static.cu
works "resource usage" "[0-9]+ registers .* [0-9]+ bytes shared" "$vgpucc" --resource-usage -DEXTRA=1 -c scale.cu
works "PTX" "^\.visible \.entry _Z5scaleIfEvPT_i" bash -c "'$vgpucc' --ptx -DEXTRA=1 scale.cu -o - || cat scale.ptx"
works "a CUDA source by another name" "" "$vgpucc" -DEXTRA=1 -x cu -c twice.c -o other.o
works "the same, as nvcc also takes it" "" bash -c "'$vgpucc' --x cu -c twice.c -o other.o && '$vgpucc' --x=cu -c twice.c -o other.o"
works "objects with the other ending" "^result 6 8 7 cudaSuccess$" bash -c "cp twice.o twice.obj &&
	'$vgpucc' scale.o twice.obj added.o -o objects && ./objects"
works "no warnings of our own headers" "^$" bash -c "'$vgpucc' -Wall -Wextra -DEXTRA=1 -c scale.cu -Wno-unused-parameter 2>&1; echo"
works "version" "^vgpucc: |clang version" "$vgpucc" --version
works "help" "--resource-usage" "$vgpucc" --help

works "what nvcc's headers bring and its front end takes" "" "$vgpucc" -w -Icommon -DBROKEN= nvcc.cu -o nvcc
works "strings are left alone" "^k << < 1 >> > << line 34$" ./nvcc
works "and the launches are there" "^11156 6 cudaSuccess 1 0$" ./nvcc
works "dependencies of such a source" "nvcc.cu.*checks.h" bash -c "'$vgpucc' -w -c -MD -MT x -MF deps -Icommon -DBROKEN= \
	nvcc.cu && tr -d '\\\\\n' <deps"
refused "the line of an error beside such a launch" "nvcc.cu:37:.*undeclared" "$vgpucc" -Icommon -DBROKEN='return undeclared;' \
	nvcc.cu
works "a program that asks for what is not there" "" "$vgpucc" refused.cu -o refused
works "is told once" "^1$" bash -c "./refused 2>&1 | grep -cxF \
	'vgpu: cudaGraphicsUnregisterResource: sharing memory with a graphics API is not supported (cudaErrorNotSupported): copy through memory of the host, with cudaMemcpy (docs/cuda.md#what-is-not-there)'"
works "by the name of each call" "cudaGraphicsMapResources: sharing memory with a graphics API is not" ./refused
works "of all of them" "cudaGraphAddNode: conditional nodes are not .*: launch one graph .*docs/cuda.md#" ./refused

# What CUDA has and vgpu has not: NAME of a line of CUDA, and what is said of it.
absent() { # NAME SAID CODE [HEAD]
	printf '%s\n__global__ void k(float *p, cudaTextureObject_t t, cudaSurfaceObject_t s)\n{\n\t%s;\n}\n' \
		"${4:-}" "$3" >absent.cu
	refused "not there: $1" "(^vgpucc: absent.cu: $1|error: .*)$2.*docs/" "$vgpucc" -c absent.cu -o absent.o
}
absent this_multi_grid " is of the grids of several devices.*each" \
	'cooperative_groups::this_multi_grid().sync()' '#include <cooperative_groups.h>'
absent this_cluster " is of clusters .*launch without" 'cooperative_groups::this_cluster().sync()' \
	'#include <cooperative_groups.h>'
absent __cluster_dims__ "__cluster_dims__: no clusters: launch without " '*p = 1' \
	'__global__ void __cluster_dims__(2, 1, 1) pair(int *p) { *p = 1; }'
absent __pipeline_commit " is of a header of its own.*cuda_pipeline.h" '__pipeline_commit()'
absent CUresult " is of the driver API: #include <cuda.h>" '*p = 1' 'CUresult result;'
absent cuLaunchKernel " is of the driver API: #include <cuda.h>" '*p = 1' 'int launch() { return cuLaunchKernel(0); }'
absent cuFunctionOfTomorrow " is not declared" '*p = 1' 'int call() { return cuFunctionOfTomorrow(); }'
absent nvmlReturn_t " is of NVML: #include <nvml.h>" '*p = 1' 'nvmlReturn_t result;'
absent cudaGraphConditionalHandle " is of conditional nodes.*host" '*p = 1' 'cudaGraphConditionalHandle handle;'
absent cudaFunctionOfTomorrow " is not declared" '*p = 1' 'int call() { return cudaFunctionOfTomorrow(); }'
absent __nv_fp8_e4m3 " is of numbers of 8 bits: #include <cuda_fp8.h>" '*p = 1' '__nv_fp8_e4m3 number;'
absent __nv_fp6_e2m3 " is of numbers of 6 bits: #include <cuda_fp6.h>" '*p = 1' '__nv_fp6_e2m3 number;'
absent __nv_fp4_e2m1 " is of numbers of 4 bits: #include <cuda_fp4.h>" '*p = 1' '__nv_fp4_e2m1 number;'
absent __nv_fp8_e8m0 " is of scales of 8 bits" '*p = 1' '__nv_fp8_e8m0 number;'
# names of headers that are nowhere, also where a toolkit is installed
for header in "cublas_of_tomorrow.h> is of cuBLAS: .*cublas_v2.h.*-lcublas" "cuda/of_tomorrow> is of .*libcu" \
	"curand_of_tomorrow.h> is of cuRAND, .*curand_kernel.h" "cufft_of_tomorrow.h> is of .*cuFFT, " \
	"cusparse_of_tomorrow.h> is of cuSPARSE: .*cusparse.h.*-lcusparse" "nccl_of_tomorrow.h> is of NCCL, .*<nccl.h>" \
	"cudnn_of_tomorrow.h> is of .*cudnn for neural" "nvtx3/of_tomorrow.h> is of .*NVTX.*c/include.*VGPU_TRACE" \
	"nvrtc_of_tomorrow.h> is of .*NVRTC, .*--ptx" "cusolver_of_tomorrow.h> is of cuSOLVER, .*cusolverDn.h" "cudss_of_tomorrow.h> is of .*linear algebra"; do
	absent "<${header%%>*}>" "${header#*>}" '*p = 1' "#include <${header%%>*}>"
done
echo 'extern "C" int nvtxRangePushA(const char *); int main() { return nvtxRangePushA("x"); }' >marks.cu
works "the library of NVTX 1 and 2 has its name" "" "$vgpucc" marks.cu -lnvToolsExt -o marks
echo '__global__ void k(double *p) { *p = nan("") + saturate((float)*p); }' >odd.cu
works "functions that few know" "" "$vgpucc" -c odd.cu
cat >host_calls.cu <<'END'
#include <cstdio>
#include <vector>
#ifdef __CUDA_ARCH__
#define ON_HOST 0
#else
#define ON_HOST 1
#endif
#define HOST __host__
__global__ void fill(int *p, int value) { *p = value; }
template <class T>
__global__ void fill_type(T *p, T value)
{
	*p = value;
}
HOST static int only_host(int x, int by = 1) { return x + by; }
template <class T, class U = int> static inline HOST
T
of_type(const T &x, U more)
{
	std::vector<T> list(1, x);
	T *p, sum;
	cudaMallocManaged(&p, sizeof(T));
	fill_type<T><<<1, 1>>>(p, list[0] + more);
	cudaDeviceSynchronize();
	sum = *p;
	cudaFree(p);
	if (sum == T())
		return T();
	return sum;
}
HOST int declared(int);
extern "C" HOST int in_c(int x) { return x * 2; }
HOST static int length_of(const char *text) { return std::vector<char>(text, text + 3).size(); }
namespace inner { struct name { const char *text; HOST name(const char *t) : text{t}, more(length_of(t) - 2) {} int more;
	HOST int length(int extra = 0) const { return length_of(text) + extra + more; } HOST ~name() { length_of(text); }
	HOST static int none() { return 0; } HOST bool operator()(int x) const { return x; }
	HOST bool operator<(int x) const { return more < x; } }; }
template <class T> __host__ __device__ T both(T x)
{
	if (ON_HOST)
		return of_type(x, 2);
	return x + 2;
}
__host__ __device__ inline int more(int x)
{
	if (ON_HOST) {
		inner::name n("abc");
		return only_host(x) + declared(1) + in_c(1) + n.length() + inner::name::none() + n(1) + (n < 5);
	}
	return x + 11;
}
__host__ __device__ inline int taken(int x) { return x > 100 ? only_host(x) : x; }
__global__ void k(int *o, int x) { *o = both(x) + more(x) + taken(x); }
int declared(int x) { return x + 1; }
int main(int argc, char **)
{
	int *o, want = both(40) + more(40) + taken(40);
	cudaMallocManaged(&o, 4);
	k<<<1, 1>>>(o, argc > 1 ? 200 : 40);
	cudaError_t error = cudaDeviceSynchronize();
	puts(error ? cudaGetErrorName(error) : *o == want ? "as it should" : "wrong");
}
END
works "host functions where the device does not go" "host_calls.cu:[0-9:]* warning: reference to __host__ function 'only_host'" \
	"$vgpucc" host_calls.cu -o host_calls
works "run on both sides" "^as it should$" ./host_calls
works "and trap where it does go there" "a function of the host, called in a kernel" ./host_calls taken
works "and have a name for that" "LaunchFailure" ./host_calls taken
echo '__host__ int h() { return 1; } __device__ int d() { return h(); } __global__ void k(int *p) { *p = d(); }' >wrong_side.cu
refused "a host function in a device function" "call to __host__ function from __device__ function" "$vgpucc" -c wrong_side.cu
refused "an error of the source" "bad.cu:1:.*undeclared" "$vgpucc" bad.cu
works "recursion" "^8$" bash -c "'$vgpucc' -O0 recursion.cu -o recursion && ./recursion"
works "printf in a kernel" "^hello from 0$" bash -c "'$vgpucc' printf.cu -o printf && ./printf"
works "printf in a kernel without optimisation" "^hello from 0$" bash -c "'$vgpucc' -O0 printf.cu -o printf && ./printf"
works "printf in a kernel with few registers" "^hello from 0$" bash -c \
	"'$vgpucc' --maxrregcount 24 printf.cu -o printf && ./printf"
echo '#include <curand_of_no_toolkit.h>' >library.cu
{
	echo '__global__ void BOUNDS large(float *p, int n) { float v[80], s = 0; int t = threadIdx.x;'
	for i in {0..79}; do echo "v[$i] = p[t + $i * n];"; done
	for i in {79..0} {0..79}; do echo "s = s * 0.5f + v[$i];"; done
	echo 'p[t] = s; }'
} >large.cu
works "registers of large blocks" "blocks of more than [67].. threads run with fewer registers: 6[0-4] and [1-9][0-9]* bytes" \
	"$vgpucc" -DBOUNDS= --resource-usage -c large.cu
works "registers by launch bounds" "^  6[0-4] registers" "$vgpucc" "-DBOUNDS=__launch_bounds__(1024)" --resource-usage -c large.cu
works "registers by blocks on an SM" "^  (2[5-9]|3[0-2]) registers" \
	"$vgpucc" "-DBOUNDS=__launch_bounds__(256, 8)" --resource-usage -c large.cu
echo 'int main() { return SPACED - COMMA; }' >words.cu
works "words of -Xcompiler" "" bash -c "'$vgpucc' -Xcompiler '-Wall -DSPACED=1,-DCOMMA=1' words.cu -o words && ./words"
works "words of --compiler-options=" "" bash -c \
	"'$vgpucc' '--compiler-options=-DCOMMA=1  -DSPACED=1' words.cu -o words && ./words"
refused "a library that is not there" "<curand_of_no_toolkit.h> is of cuRAND" "$vgpucc" -c library.cu
refused "no file" "no input file" "$vgpucc" -O2
refused "a file that is not there" "nothing.cu: there is no such file" "$vgpucc" nothing.cu
refused "an unknown option" "unknown option --frobnicate" "$vgpucc" --frobnicate scale.cu
refused "a silly register limit" "from 16 to 254" "$vgpucc" --maxrregcount 3 scale.cu
echo '__device__ int elsewhere() { return 5; } __device__ int count;' >there.cu
cat >crosses.cu <<'END'
#ifdef VARIABLE
extern __device__ int count;
__global__ void k(int *p) { *p = count; }
#else
extern __device__ int elsewhere();
__global__ void k(int *p) { *p = elsewhere(); }
#endif
END
refused "a function of another file without -rdc=true" "if another file defines that: -rdc=true" "$vgpucc" -c crosses.cu
works "relocatable device code where none crosses" "^result 10 8 7 cudaSuccess$" bash -c "
	'$vgpucc' -dc -DEXTRA=3 scale.cu -o rdc.o && '$vgpucc' -rdc=true -c there.cu && '$vgpucc' -dlink rdc.o there.o -o link.o &&
	'$vgpucc' -rdc=true rdc.o there.o link.o twice.o added.o -lcudadevrt -o rdc && ./rdc"

# Device code of several files: functions, variables and constants of another file, a kernel of another file, static things of the
# same name, a file of an archive, and a library with code of its own, of the same names.
cat >parts.h <<'END'
#include <cstdio>
__device__ int square(int);
extern __device__ int counter;
extern __constant__ int table[4];
__global__ void of_b(int *p);
int in_a(); int in_b();
END
cat >part_a.cu <<'END'
#include "parts.h"
static __device__ int mine = 1;
static __global__ void local(int *p) { *p = mine + square(table[2]); atomicAdd(&counter, 1); }
int in_a()
{
	int *p, out = 0, four[4] = { 1, 2, 7, 4 };

	cudaMemcpyToSymbol(table, four, sizeof(four));
	cudaMalloc(&p, 4);
	local<<<1, 1>>>(p);
	cudaMemcpy(&out, p, 4, cudaMemcpyDeviceToHost);
	of_b<<<1, 1>>>(p);
	cudaMemcpyFromSymbol(&four[0], counter, 4);
	std::printf("a %d counter %d %s\n", out, four[0], cudaGetErrorName(cudaGetLastError()));
	return out;
}
int main() { return in_a() + in_b() == 50 + 102 ? 0 : 1; }
END
cat >part_b.cu <<'END'
#include "parts.h"
static __device__ int mine = 100;
__device__ int counter = 40;
__constant__ int table[4];
static __global__ void local(int *p) { *p = mine + 2; }
__global__ void of_b(int *p) { *p = mine; atomicAdd(&counter, 1); }
int in_b()
{
	int *p, out = 0;

	cudaMalloc(&p, 4);
	local<<<1, 1>>>(p);
	cudaMemcpy(&out, p, 4, cudaMemcpyDeviceToHost);
	std::printf("b %d\n", out);
	return out;
}
END
echo '__device__ int square(int a) { return a * a; }' >part_c.cu
echo '__device__ int square(int a) { return missing(a); } ' | sed '1i __device__ int missing(int);' >part_d.cu
works "separate compilation" "^a 50 counter 42 cudaSuccess$" bash -c "
	for part in a b c d; do '$vgpucc' -O2 -dc part_\$part.cu -o part_\$part.o || exit 1; done
	'$vgpucc' part_a.o part_b.o part_c.o -o parts && ./parts"
works "in one command" "^a 50 counter 42 cudaSuccess$" bash -c "'$vgpucc' -rdc=true part_a.cu part_b.cu part_c.cu -o parts && ./parts"
works "with debug information, without optimisation" "^a 50 counter 42 cudaSuccess$" bash -c "
	'$vgpucc' -g -O0 -rdc=true part_a.cu part_b.cu part_c.cu -o parts && ./parts"
works "with a device link, and the host's linker" "^a 50 counter 42 cudaSuccess$" bash -c "
	'$vgpucc' -dlink part_a.o part_b.o part_c.o -o link.o &&
	g++ part_a.o part_b.o part_c.o link.o -L'$top/build' -lcudart -Wl,-rpath,'$top/build' -o parts && ./parts"
works "an archive" "^a 50 counter 42 cudaSuccess$" bash -c "
	rm -f libparts.a && ar rcs libparts.a part_b.o && '$vgpucc' -rdc=true part_a.o libparts.a part_c.o -o parts && ./parts"
works "an archive from which only device code is needed" "^a 50 counter 42 cudaSuccess$" bash -c "
	rm -f libparts.a && ar rcs libparts.a part_c.o && '$vgpucc' part_a.o part_b.o libparts.a -o parts && ./parts &&
	'$vgpucc' -dlink part_a.o part_b.o libparts.a -o link.o &&
	g++ part_a.o part_b.o link.o libparts.a -L'$top/build' -lcudart -Wl,-rpath,'$top/build' -o parts && ./parts"
refused "what nobody defines is said when it is linked" "square" "$vgpucc" part_a.o part_b.o -o parts
refused "at a device link, too" "square" "$vgpucc" -dlink part_a.o part_b.o -o link.o
refused "and what one part of it needs" "missing" "$vgpucc" part_a.o part_b.o part_d.o -o parts
refused "a variable that two define" "counter" bash -c \
	"echo '__device__ int counter;' >again.cu && '$vgpucc' -dc again.cu -o again.o &&
	'$vgpucc' part_a.o part_b.o part_c.o again.o -o parts"
cat >plugin.cu <<'END'
#include <cstdio>
static __device__ int mine = 7;
extern __device__ int counter;
__device__ int square(int);
__global__ void of_b(int *p) { *p = square(mine) + counter; }
extern "C" int plugin()
{
	int *p, out = 0;

	cudaMalloc(&p, 4);
	of_b<<<1, 1>>>(p);
	cudaMemcpy(&out, p, 4, cudaMemcpyDeviceToHost);
	return out;
}
END
echo '__device__ int square(int a) { return -a; } __device__ int counter = 3;' >plugin2.cu
cat >loads.cu <<'END'
#include <cstdio>
#include <dlfcn.h>
int main()
{
	int sum = 0;

	for (int i = 0; i < 2; i++) {
		void *library = dlopen("./libplugin.so", RTLD_NOW);

		if (!library)
			return 1;
		sum += ((int (*)())dlsym(library, "plugin"))();
		dlclose(library);
	}
	std::printf("plugin %d %s\n", sum, cudaGetErrorName(cudaGetLastError()));
}
END
works "a library is linked by itself, and may go and come" "^plugin -8 cudaSuccess$" bash -c "
	'$vgpucc' -rdc=true -Xcompiler -fPIC -shared plugin.cu plugin2.cu -o libplugin.so &&
	'$vgpucc' -rdc=true loads.cu part_c.cu -ldl -o loads && ./loads"
works "--explain knows it" "code: PTX of vgpucc" "$top/build/tools/vgpu-run" --explain parts
# __managed__ variables: of another file and of a shared library, of the same name in two files, without a kernel beside
# them, and on a machine with two devices.
cat >managed.h <<'END'
#pragma once
template <class T> __device__ __managed__ T in_both = 1;
extern __device__ __managed__ int elsewhere[4];
extern __managed__ int in_library;
int from_library(); int other_hidden();
END
cat >managed.cu <<'END'
#include "managed.h"
static __managed__ int hidden = 3;
__global__ void k() { elsewhere[1] += 5; in_library++; hidden++; in_both<int>++; }
int main(int argc, char **argv)
{
	cudaPointerAttributes attributes;
	int *device;

	elsewhere[1]++;
	if (argc > 1) {
		cudaSetDevice(0);
		cudaSetDevice(1);
	}
	k<<<1, 1>>>();
	if (cudaDeviceSynchronize() != cudaSuccess) return 1;
	cudaPointerGetAttributes(&attributes, elsewhere);
	printf("result %d %d %d %d %d %d %d\n", elsewhere[0], elsewhere[1], in_library, hidden, from_library(),
	       other_hidden() + in_both<int>, attributes.device);
	cudaSetDevice(0);
	k<<<1, 1>>>();
	printf("then %s, %d\n", cudaGetErrorName(cudaGetLastError()), cudaMalloc(&device, 4));
}
END
cat >variables.cu <<'END'
#include "managed.h"
__device__ __managed__ int elsewhere[4] = { 1, 2 };
END
cat >library.cu <<'END'
#include "managed.h"
__managed__ int in_library = 20;
static __managed__ int hidden = 30;
__global__ void l() { in_library += 100; hidden++; in_both<int> += 50; }
int from_library() { l<<<1, 1>>>(); return cudaDeviceSynchronize() ? -1 : in_library; }
int other_hidden() { return hidden; }
END
works "__managed__ variables of several files" "^result 1 8 21 4 121 83 0$" bash -c "'$vgpucc' managed.cu variables.cu library.cu \
	-o managed && ./managed"
works "of a shared library" "^result 1 8 21 4 121 83 0$" bash -c "'$vgpucc' -O2 -shared -Xcompiler -fPIC library.cu -o liblibrary.so &&
	'$vgpucc' -O2 -c managed.cu && '$vgpucc' -c variables.cu && '$vgpucc' managed.o variables.o -L. -llibrary -Wl,-rpath,. -o managed_so &&
	./managed_so"
works "on the device that uses them first" "^result 1 8 21 4 121 83 1$" env VGPU_PRESET=k20c,k20c ./managed two
works "and on no other" "^then cudaErrorNotSupported, 0$" env VGPU_PRESET=k20c,k20c ./managed two
works "with what is wrong" "are of a context of device 1: kernels of another one, of device 0, cannot" env VGPU_PRESET=k20c,k20c ./managed two
echo '__managed__ int large[1 << 20]; __managed__ struct { int a, b[2000], c; } partly = { 1, {}, 2 };' >large.cu
works "a large one that is zero takes no room in the file" "" bash -c "'$vgpucc' -c large.cu -o large.o &&
	[ \$(stat -c %s large.o) -lt 100000 ]"
works "dependencies of such a file" "^managed.o: .*managed.h" bash -c "'$vgpucc' -MD -c managed.cu && tr -d '\\\\\n' <managed.d"
refused "an error in such a file" "managed.cu:3:.*undeclared" bash -c "mkdir wrong &&
	sed 's/hidden++/undeclared++/' managed.cu >wrong/managed.cu && '$vgpucc' -I. -c wrong/managed.cu"
works "clang's options, as CMake passes them" "" "$vgpucc" --cuda-gpu-arch=sm_80 --cuda-path=/nowhere -DEXTRA=1 -c scale.cu
mkdir -p "a place" && echo '#define PLACE 3' >"a place/place.h" && echo '#include "place.h"
int place[PLACE == 3 && GIVEN == 4 ? 1 : -1];' >place.cu
printf '%s\n' '-I"a place"' '--options-file=more.rsp' >some.rsp && echo "-DGIVEN=4" >more.rsp
works "options in files" "" "$vgpucc" --options-file some.rsp -c place.cu
echo '--options-file self.rsp' >self.rsp
refused "a file of options that names itself" "name each other" "$vgpucc" --options-file self.rsp -c place.cu
echo "-I'a place" >open.rsp
refused "a quote that is not closed" "open.rsp: a quote is not closed" "$vgpucc" -optf open.rsp -c place.cu
refused "no such file of options" "nowhere.rsp: there is no such file" "$vgpucc" -optf nowhere.rsp -c place.cu
works "the runtime by its CUDA name" "^result 10 8 7" bash -c "'$vgpucc' -c -DEXTRA=3 scale.cu -o byname.o &&
	gcc byname.o twice.o added.o -L'$top/build' -Wl,-rpath,'$top/build' -lcudart -lstdc++ -o byname && ./byname"
# Where a kernel went wrong: -g and -lineinfo name the line of the source, also through a function that is inlined.
cat >bad.cu <<'END'
#include <cstdio>
#include <cstdlib>
#include "bad.h"
__global__ void endless(volatile int *p)
{
	if (blockIdx.x != 2)
		return;
	while (p[0] == 0)
		;
}
__global__ void stops() { __trap(); }
__global__ void adds(int *p) { atomicAdd(p, 1); }
int main(int argc, char **argv)
{
	int *p;

	cudaMalloc(&p, 4);
	cudaMemset(p, 0, 4);
	switch (atoi(argv[1])) {
	case 0: wild<<<1, 64>>>(p, 1000000); break;
	case 1: wild<<<1, 64>>>((int *)((char *)p + 2), 0); break;
	case 2: stops<<<1, 1>>>(); break;
	case 4: adds<<<1, 1>>>(p + 1000000); break;
	case 3: endless<<<4, 32>>>(p); break;
	}
	printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
END
cat >bad.h <<'END'
static __device__ inline void put(int *p, int i, int n)
{
	p[i * n] = i;
}
__global__ void wild(int *p, int n) { put(p, threadIdx.x, n); }
END
for option in -g -lineinfo; do
	works "$option" "" "$vgpucc" $option -O2 bad.cu -o bad
	works "$option: the line of a wild address" "bad\.h:3; PTX line" ./bad 0
	works "$option: of a misaligned one" "bad\.h:3; PTX line" ./bad 1
	works "$option: of a trap" "bad\.cu:11; PTX line" ./bad 2
	works "$option: of a function of the headers" "bad\.cu:12; PTX line" ./bad 4
	works "$option: of an endless kernel, its block and instruction" \
		"kernel _Z7endless[^ ]*, block \(2,0,0\).*watchdog.*instruction [1-9][0-9]*, .*bad\.cu:[89]; PTX line" \
		env VGPU_SET=watchdog_ps=1000000000 ./bad 3
	works "$option: the same in the pipeline" "block \(2,0,0\).*instruction [1-9][0-9]*, .*bad\.cu:[89]; PTX line" \
		env VGPU_SET=watchdog_ps=100000000,timing=pipeline ./bad 3
done
works "without them" "" "$vgpucc" -O2 bad.cu -o bad
refused "no line of the source" "%" bash -c "./bad 0 2>&1 | grep -v 'bad\.h'; ./bad 0 2>&1 | grep -q 'bad\.h' || { echo %; exit 1; }"
works "an endless kernel without them" "block \(2,0,0\).*instruction [1-9][0-9]*, .*PTX line [1-9]" env VGPU_SET=watchdog_ps=1000000000 ./bad 3

# Two runtimes in one program: a library of the other's name, one of another name, one inside the program.
cat >other.c <<'END'
void **__cudaRegisterFatBinary(void *f) { static void *handle; return &handle; }
void __cudaRegisterFatBinaryEnd(void **h) { }
void __cudaUnregisterFatBinary(void **h) { }
int cudaMalloc(void **p, unsigned long n) { return 100; }
int cudaGetDeviceCount(int *n) { *n = 0; return 100; }
int cudaLaunchKernel(void) { return 100; }
const char *cudaGetErrorString(int e) { return "other"; }
END
two_runtimes() { # NAME PATTERN LINK...
	local name=$1 pattern=$2
	shift 2
	works "linked with $name" "" bash -c "gcc byname.o twice.o added.o $* -Wl,-rpath,. -Wl,-rpath,'$top/build' -lstdc++ -o both"
	refused "$name: says so and ends" "^vgpu: this program has two CUDA runtimes: libvgpu and the one in .*$pattern" ./both
	works "$name: with one message" "^1$" bash -c "! ./both >said 2>&1; wc -l <said"
}
mkdir -p toolkit
gcc -shared -fPIC -w other.c -Wl,-soname,libcudart.so.12 -o libcudart.so.12
gcc -shared -fPIC -w other.c -Wl,-soname,libanother.so -o libanother.so
gcc -c -w other.c -o other.o
two_runtimes "another libcudart before" 'libcudart\.so\.12' -L. -l:libcudart.so.12 "-L'$top/build'" -lvgpu
two_runtimes "another libcudart behind" 'libcudart\.so\.12' -Wl,--no-as-needed -L. "-L'$top/build'" -lvgpu -l:libcudart.so.12
two_runtimes "a runtime of another name" 'libanother\.so' -L. -lanother "-L'$top/build'" -lvgpu
two_runtimes "a runtime inside the program" 'both' other.o "-L'$top/build'" -lvgpu
cat >front.c <<'END'
int cudaMalloc(void **p, unsigned long n);
int cudaGetDeviceCount(int *n) { return 0; }
END
works "a library before a few functions is none" "^result 10 8 7" bash -c "gcc -shared -fPIC front.c -o libfront.so &&
	LD_PRELOAD=./libfront.so ./byname"

# What a build system learns from -v, as nvcc prints it: where to link, and with what.
works "the link line that CMake reads" "" bash -c "'$vgpucc' -v -DEXTRA=3 scale.cu twice.c added.o -o spoken 2>said &&
	libraries=\$(sed -n 's/^#\\$ LIBRARIES=//p' said) && grep -qF -- \"\$libraries\" <(grep -v LIBRARIES= said)"
refused "a file of no known kind" "what is it" bash -c "touch x.f90; '$vgpucc' x.f90"
mkdir bin
for tool in bash sed head readlink mktemp rm cat; do ln -s "$(command -v $tool)" bin/; done
refused "no clang" "apt-get install clang-16" env PATH="$work/bin" bash "$vgpucc" -DEXTRA=1 scale.cu
echo '#include <omp_that_is_not_there.h>' >omp.cu
refused "OpenMP without its header" "apt-get install libomp-[0-9]+-dev" "$vgpucc" -Xcompiler -fopenmp omp.cu
refused "a clang that is none" "is not a clang" env VGPU_CLANG=/bin/true "$vgpucc" -DEXTRA=1 scale.cu
refused "no libclc" "there is no such file" env VGPU_LIBCLC=/nowhere/libclc.bc "$vgpucc" -DEXTRA=1 scale.cu

# An SDK on this machine must leave no trace: one that breaks everything it touches stands in the way.
mkdir -p sdk/bin sdk/include sdk/nvvm/libdevice
echo '#error "the SDK was picked up"' | tee sdk/include/cuda.h sdk/include/cuda_runtime.h >/dev/null
echo 'CUDA Version 11.0' >sdk/version.txt
works "an SDK in the way" "^ok$" env CUDA_PATH="$work/sdk" CUDA_HOME="$work/sdk" PATH="$work/sdk/bin:$PATH" \
	bash -c "'$vgpucc' -DEXTRA=3 scale.cu twice.c 'a folder/added.cpp' -o beside && ./beside | grep -q '^result 10' && echo ok"

# What CUB 1.17 writes, and clang 19 takes for an error.
cat >template.cu <<'END'
struct store { template <int n, class T> static __device__ void put(T *p, T v) { p[n] = v; } };
template <class S, class T> __global__ void kernel(T *p) { S::template put<1>(p, T(7)); }
struct pair { template <class T> __device__ T keep(T v) { return v; } };
template <class P, class T> __global__ void kept(P p, T *q) { *q = p.template keep(*q); }
int main()
{
	int *p, got[2];

	cudaMalloc(&p, sizeof(got));
	kernel<store><<<1, 1>>>(p);
	kept<<<1, 1>>>(pair(), p + 1);
	cudaMemcpy(got, p, sizeof(got), cudaMemcpyDeviceToHost);
	return got[1] != 7;
}
END
works 'a template without its arguments behind the word template' '' "$vgpucc" -std=c++14 template.cu -o template
works '... runs' '' ./template

cat >percents.cu <<'END'
#include <cstdio>
#define READ(r) asm volatile("mov.u32 %0, " r ";" : "=r"(value))
__device__ unsigned macro() { unsigned value; READ("%laneid"); return value; }
__device__ unsigned both() { unsigned a, b; asm("mov.u32 %0, %tid.x;" : "=r"(a)); asm("{\n\t.reg .u32 t; // \") (\n"
	"\tmov.u32 t, %%ctaid.x; mad.lo.u32 %0, t, 100, %1;\n}"
	: "=r"(b) : "r"(a)); return b; }
__device__ void none() { asm("{ .reg .u64 t; mov.u64 t, %globaltimer; }"); }
__global__ void k(unsigned *p) { none(); if (threadIdx.x == 3) *p = macro() * 1000 + both(); }
int main()
{
	unsigned *p, got;

	cudaMalloc(&p, 4);
	k<<<3, 4>>>(p);
	cudaDeviceSynchronize();
	k<<<2, 4>>>(p);
	cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost);
	printf("%u %s%smid %d\n", got % 100 + got / 1000 * 1000, "%smid", "%laneid", __LINE__);
}
END
works 'special registers with one % in assembly' '' "$vgpucc" percents.cu -o percents
works '... are read' '^3003 %smid%laneidmid 18$' ./percents

echo "1..$count"
[ $failed -eq 0 ]
