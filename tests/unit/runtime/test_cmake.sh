#!/bin/bash
# SPDX-License-Identifier: MIT
#
# test_cmake: CMake projects in the language CUDA, with vgpucc and without a CUDA toolkit: Make and Ninja, three standards,
# a library; what is installed is found by CMake and pkg-config. Speaks TAP.
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
command -v cmake >/dev/null || exit 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export VGPU_TRANSPORT=embedded
unset CUDA_HOME CUDA_PATH CUDACXX CUDAToolkit_ROOT LIBRARY_PATH
count=0 failed=0

works() { # NAME PATTERN COMMAND...
	local name=$1 pattern=$2 status=0
	shift 2
	count=$((count + 1))
	"$@" >log 2>&1 || status=1
	[ $status -ne 0 ] || [ -z "$pattern" ] || grep -qE -- "$pattern" log || status=1
	if [ $status -eq 0 ]; then echo "ok $count - $name"; else
		failed=$((failed + 1))
		echo "not ok $count - $name"
		tail -n 30 log | sed 's/^/#   /'
	fi
}

# An SDK on this machine is not the one that is found.
mkdir -p sdk/bin "a folder" project
printf '#!/bin/sh\nexit 1\n' >sdk/bin/nvcc && chmod +x sdk/bin/nvcc
PATH=$work/sdk/bin:$PATH
unset LIBRARY_PATH CPATH CUDA_HOME CUDA_PATH
echo '#define TWICE 2' >"a folder/twice.h"
cat >project/double.cu <<'END'
#include "twice.h"
__global__ void doubles(int *p) { p[threadIdx.x] = TWICE * threadIdx.x; }
void run(int *host)
{
	int *p;

	cudaMalloc(&p, 128);
	doubles<<<1, 32>>>(p);
	cudaMemcpy(host, p, 128, cudaMemcpyDeviceToHost);
	cudaFree(p);
}
END
cat >project/main.cpp <<'END'
#include <cuda_runtime.h>
#include <cstdio>
void run(int *);
int main()
{
	int host[32], devices = 0;

	run(host);
	cudaGetDeviceCount(&devices);
	std::printf("%d of %d, C++ %ld\n", host[31], devices, __cplusplus);
}
END
cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.18)
project(doubles LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
message(STATUS "toolkit \${CUDAToolkit_VERSION} in \${CUDAToolkit_LIBRARY_DIR}")
include_directories("$work/a folder")
foreach(standard 14 17 20)
	add_executable(doubles\${standard} double.cu main.cpp)
	set_target_properties(doubles\${standard} PROPERTIES CUDA_STANDARD \${standard} CXX_STANDARD \${standard})
	target_link_libraries(doubles\${standard} CUDA::cudart)
endforeach()
add_library(library SHARED double.cu)
add_executable(uses main.cpp)
target_link_libraries(uses library CUDA::cudart_static)
set_target_properties(uses PROPERTIES BUILD_RPATH $top/build)
END

works "configure for Make" "toolkit 11.2.0 in $top/build/toolkit/lib64" \
	cmake -S project -B make -G "Unix Makefiles" -DCMAKE_CUDA_COMPILER="$top/tools/vgpucc"
works "build with Make" "" cmake --build make
works "C++14" "^62 of 1, C\+\+ 201402" make/doubles14
works "C++20" "^62 of 1, C\+\+ 202002" make/doubles20
works "a library, and the static runtime" "^62 of 1" make/uses
if command -v ninja >/dev/null; then
	works "configure for Ninja" "" cmake -S project -B ninja -G Ninja -DCMAKE_CUDA_COMPILER="$top/tools/vgpucc"
	works "build with Ninja" "" cmake --build ninja --target doubles17
	works "C++17" "^62 of 1, C\+\+ 201703" ninja/doubles17
	works "nothing to do the second time" "no work to do" cmake --build ninja --target doubles17
fi

# Separate compilation: a static library with device code, and a program that calls it.
mkdir separate
cat >separate/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.18)
project(separate LANGUAGES CXX CUDA)
add_library(squares STATIC square.cu)
add_executable(sums sums.cu main.cpp)
target_link_libraries(sums squares)
set_target_properties(squares sums PROPERTIES CUDA_SEPARABLE_COMPILATION ON POSITION_INDEPENDENT_CODE ON BUILD_RPATH $top/build)
END
echo '__device__ int count; __device__ int square(int a) { count++; return a * a; }' >separate/square.cu
cat >separate/sums.cu <<'END'
extern __device__ int count;
__device__ int square(int);
__global__ void sums(int *p) { *p = square(3) + square(4) + count; }
int run()
{
	int *p, out = 0;

	cudaMalloc(&p, 4);
	sums<<<1, 1>>>(p);
	cudaMemcpy(&out, p, 4, cudaMemcpyDeviceToHost);
	return out;
}
END
printf '#include <cstdio>\nint run();\nint main() { std::printf("sum %%d\\n", run()); }\n' >separate/main.cpp
for generator in "Unix Makefiles" Ninja; do
	[ "$generator" != Ninja ] || command -v ninja >/dev/null || continue
	works "CUDA_SEPARABLE_COMPILATION, $generator" "" cmake -S separate -B "separate-$generator" -G "$generator" \
		-DCMAKE_CUDA_COMPILER="$top/tools/vgpucc"
	works "build it" "" cmake --build "separate-$generator"
	works "run it" "^sum 27$" "separate-$generator/sums"
done

# ---- what is installed ----------------------------------------------------------------------------------------------

works "install" "" make -s -C "$top" install PREFIX="$work/prefix"
works "vgpucc of an installation" "^62 of 1" bash -c \
	"prefix/bin/vgpucc -I'a folder' project/double.cu project/main.cpp -o installed && ./installed"
mkdir host
cat >host/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
find_package(vgpu REQUIRED)
set(CMAKE_CUDA_COMPILER ${VGPU_CUDA_COMPILER})
project(host LANGUAGES C CXX CUDA)
find_package(CUDAToolkit REQUIRED)
message(STATUS "toolkit in ${CUDAToolkit_BIN_DIR}")
add_executable(count count.c)
target_link_libraries(count vgpu::vgpu)
END
cat >host/count.c <<'END'
#include <cuda_runtime.h>
#include <stdio.h>
int main(void)
{
	int devices = 0, error = cudaGetDeviceCount(&devices);

	printf("%d %d\n", error, devices);
	return error;
}
END
works "find_package(vgpu)" "toolkit in $work/prefix/share/vgpu/toolkit/bin" \
	cmake -S host -B counted -DCMAKE_PREFIX_PATH="$work/prefix"
works "build with vgpu::vgpu" "" cmake --build counted
works "run it" "^0 1$" counted/count
if command -v pkg-config >/dev/null; then
	export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
	works "pkg-config" "^0 1$" bash -c \
		"gcc host/count.c \$(pkg-config --cflags --libs vgpu) -Wl,-rpath,'$work/prefix/lib' -o pkg && ./pkg"
fi

echo "1..$count"
[ $failed -eq 0 ]
