#!/bin/bash
# SPDX-License-Identifier: MIT
#
# test_vgpucc_arch: -arch, -code and -gencode: which code is made, and which of it a device takes by the capability that it
# presents. Speaks TAP.
. "$(dirname "${BASH_SOURCE[0]}")/vgpucc.sh"

# Prints the architecture of the code that has run, the error of the launch, and the list of the host.
cat >which.cu <<'E'
#include <cstdio>
#ifdef PARTS
extern __device__ int arch_of_part();
#endif
#ifdef MANAGED
#include "shown.h"
#endif
__global__ void which(int *out)
{
#ifdef __CUDA_ARCH__
#ifdef PARTS
	*out = arch_of_part() == __CUDA_ARCH__ ? __CUDA_ARCH__ : 1;
#else
	*out = __CUDA_ARCH__;
#endif
#ifdef MANAGED
	shown = *out;
#endif
#endif
}
#ifdef __CUDA_ARCH__
#define ON_HOST __CUDA_ARCH__ is defined
#endif
static const int list[] = { __CUDA_ARCH_LIST__ };
int main()
{
	int *p, got = 0;

	cudaMalloc(&p, sizeof(got));
	which<<<1, 1>>>(p);
	cudaError_t error = cudaGetLastError();
	cudaMemcpy(&got, p, sizeof(got), cudaMemcpyDeviceToHost);
#ifdef MANAGED
	if (shown != got)
		got = -1;
#endif
	printf("ran %d %s of", got, cudaGetErrorName(error));
	for (int arch : list)
		printf(" %d", arch);
	printf("\n");
}
E
echo '__managed__ int shown;' >shown.h
cat >part.cu <<'E'
__device__ int arch_of_part()
{
#ifdef __CUDA_ARCH__
	return __CUDA_ARCH__;
#else
	return 0;
#endif
}
E

run() { VGPU_SET=compute_capability=$1 "./$2"; } # CAPABILITY PROGRAM
taken() { # NAME PROGRAM LIST CAPABILITY:ARCH..., 0: none is
	local name=$1 program=$2 list=$3 pair
	shift 3
	for pair in "$@"; do
		case $pair in
		*:0) works "$name, on ${pair%:*}: refused" "^ran 0 cudaErrorNoKernelImageForDevice of $list\$" run "${pair%:*}" "$program" ;;
		*) works "$name, on ${pair%:*}" "^ran ${pair#*:} cudaSuccess of $list\$" run "${pair%:*}" "$program" ;;
		esac
	done
}
refuses() { refused "$1" "$2" "$vgpucc" "${@:3}" -c which.cu; } # NAME PATTERN OPTION...
made() { # NAME IMAGES OPTION...: as vgpu-run says it of the object's code
	local images=$2
	works "$1" "PTX of vgpucc for $images\$" bash -c '"$0" "$@" -c which.cu -o made.o && { '"'$top/build/tools/vgpu-run' --explain made.o; true; }" "$vgpucc" "${@:3}"
}

# What is made
made "without options: the default's" 'sm_80, compute_80'
made "-arch=sm_NN is code and PTX" 'sm_86, compute_86' -arch=sm_86
made "-arch=compute_NN is PTX" 'compute_75' -arch compute_75
made "the long options" 'sm_80, compute_75' --gpu-architecture compute_75 --gpu-code=sm_80,compute_75
made "-code twice, and -arch of it" 'sm_75, sm_80, sm_90' -arch=compute_75 -code=sm_75 -code=[sm_90,sm_80]
made "of one major number the oldest" 'sm_80, compute_80' -gencode 'arch=compute_80,code=[sm_86,sm_80,sm_89,compute_80]'
made "several -gencode, in the order of their numbers" 'sm_70, compute_75, sm_80, sm_90, compute_90' \
	-gencode arch=compute_90,code='"sm_90,compute_90"' --generate-code arch=compute_70,code=sm_70 \
	--generate-code=arch=compute_80,code=sm_80 -gencode=arch=compute_75,code=compute_75
made "-arch beside -gencode" 'sm_70, compute_70, sm_80' -arch=sm_70 -gencode arch=compute_80,code=sm_80
made "clang's options" 'sm_75, compute_75, sm_80, compute_80' --cuda-gpu-arch=sm_80 --offload-arch=sm_75
made "lto_NN, all-major" 'sm_70, sm_80, sm_90, compute_90' -gencode arch=compute_80,code=lto_80 -arch=all-major
works "what is older is the oldest, and that is said once" '^vgpucc: compute_50,sm_35,sm_50: .*compiled for sm_70$' "$vgpucc" -arch=sm_35 \
	-gencode arch=compute_50,code=sm_50 -c which.cu
works "or not" '^$' bash -c "'$vgpucc' -arch=sm_50 -Wno-deprecated-gpu-targets -c which.cu 2>&1; echo"
works "lists of what there is" '^compute_89 sm_72$' bash -c \
	"echo \$('$vgpucc' --list-gpu-arch | grep 89) \$('$vgpucc' --list-gpu-code | grep 72)"
works "PTX of one" '^\.target sm_86$' bash -c "'$vgpucc' --ptx -arch=compute_86 which.cu -o which.ptx && cat which.ptx"

# What is wrong
refuses "no architecture" "'sm_x' is no architecture" -arch=sm_x
refuses "one that does not exist" "'sm_71' is no architecture that there is code for: sm_70" -arch=sm_71
refuses "one that is newer than all" "'compute_100' is no architecture that there is code for" -gencode arch=compute_100,code=sm_100
refuses "what one GPU has alone" 'sm_90a is for what one kind of GPU has alone' -arch=sm_90a
refuses "code of less than its PTX" 'sm_75 is older than compute_80' -gencode arch=compute_80,code=sm_75
refuses "PTX of another" 'compute_86 is PTX of another architecture than compute_80' -gencode arch=compute_80,code=compute_86
refuses "a real one as virtual" 'a virtual architecture is needed' -gencode arch=sm_80,code=sm_80
refuses "no code" 'code= names nothing' -gencode 'arch=compute_80,code=[]'
refuses "no arch" 'it must be arch=compute_NN,code=' -gencode compute_80
refuses "-code alone" '-arch=compute_NN must say' -code=sm_80
refused "PTX of several" 'PTX is for one architecture.*compute_70 compute_80' "$vgpucc" --ptx -arch=sm_70 -gencode arch=compute_80,code=sm_80 which.cu
printf '#if __CUDA_ARCH__ >= 800\n__global__ void k(int *p) { asm("frobnicate.u32 %%0;" : "=r"(*p)); }\n#endif\n' >one.cu
refused "an error of one of several names it" 'one\.cu \(compute_80\): .*frobnicate' "$vgpucc" -arch=all-major -c one.cu

# What is taken
"$vgpucc" -gencode arch=compute_70,code=sm_70 -gencode arch=compute_75,code=[sm_75,sm_80] -gencode arch=compute_80,code=compute_80 \
	-gencode arch=compute_90,code=compute_90 which.cu -o several
taken "code of the same major number before PTX, PTX where there is none" several '700 750 800 900' \
	7.0:700 7.2:700 7.5:750 8.0:750 8.9:750 9.0:900
"$vgpucc" -arch=sm_86 which.cu -o newer
taken "code for newer devices" newer 860 8.0:0 8.6:860 9.0:860
"$vgpucc" -gencode arch=compute_80,code=sm_80 which.cu -o code
taken "code without PTX" code 800 7.5:0 8.0:800 8.6:800 9.0:0
"$vgpucc" which.cu -o standard
taken "the default" standard 800 7.5:0 8.0:800
works "and on an old GPU's preset" '^ran 800 cudaSuccess' env VGPU_PRESET=k20c ./standard
works "the refusal says what to do" 'the code is for sm_86, compute_86, .* 8\.0 and less, and what is for one GPU \(sm_\) from 8\.0 to 8\.0: build with -arch=sm_80' bash -c './newer 2>&1'
works "a program may ask for more" '^ran 860 cudaSuccess' env VGPU_STRICT_CAPABILITY=0 ./newer
refused "a capability that is none" 'compute_capability must be one of CUDA' bash -c 'VGPU_SET=compute_capability=8.1 ./newer 2>&1 | grep compute; exit 1'

# Linked code and managed variables
"$vgpucc" -DPARTS -rdc=true -arch=all-major which.cu part.cu -o parts
taken "linked code" parts '700 800 900' 7.5:700 8.6:800 9.0:900
"$vgpucc" -DMANAGED -arch=all-major which.cu -o managed
taken "with managed variables" managed '700 800 900' 7.0:700 8.0:800
works "linked code for some in an archive" '^ran 800' bash -c "'$vgpucc' -dc -arch=sm_80 -DPARTS which.cu &&
	'$vgpucc' -dc -arch=all-major part.cu && rm -f libpart.a && ar rcs libpart.a part.o &&
	'$vgpucc' -dlink -arch=sm_80 which.o libpart.a -o device.o && '$vgpucc' which.o device.o -L. -lpart -o some && ./some"
refused "parts for different ones" 'part\.o has none for an architecture that which\.o is for' bash -c "'$vgpucc' -dc -arch=sm_80 -DPARTS which.cu &&
	'$vgpucc' -dc -arch=sm_90 part.cu && '$vgpucc' which.o part.o -o different"

if command -v clang-14 >/dev/null; then
	VGPU_CLANG=clang-14 "$vgpucc" -arch=sm_89 which.cu -o told
	taken "a number that clang 14 does not know" told 890 8.0:0 8.9:890
else
	count=$((count + 1))
	echo "ok $count - a number that clang 14 does not know # SKIP no clang-14"
fi
echo "1..$count"
[ $failed -eq 0 ]
