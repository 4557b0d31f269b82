#!/bin/bash
# SPDX-License-Identifier: MIT
#
# test_vgpucc_options: options of nvcc that build systems pass to vgpucc, archives with device code, launches by kernels in
# sources, with the device in the process. Speaks TAP.
. "$(dirname "${BASH_SOURCE[0]}")/vgpucc.sh"

# Options of nvcc that build systems pass.
mkdir -p has
echo '#define VALUE 2' >has/value.h
cat >option.cu <<'END'
#include <cstdio>
#include "value.h"
__global__ void k(int *p) { *p = VALUE; }
int main(int argc, char **argv)
{
	int *p, got = 0;

	cudaMalloc(&p, sizeof(got));
	k<<<1, 1>>>(p);
	cudaMemcpy(&got, p, sizeof(got), cudaMemcpyDeviceToHost);
	printf("%d %s\n", got, argc > 1 ? argv[1] : "");
}
END
works "-M is a rule" 'option\.o: option\.cu' "$vgpucc" -I has -M option.cu
works "-MM names no headers of the system" '^option\.o: option\.cu has/value\.h$' "$vgpucc" -Ihas -MM option.cu
works "--generate-dependencies into a file" 'target: option\.cu has/value\.h' bash -c \
	"'$vgpucc' -Ihas --generate-nonsystem-dependencies -MT target -o rule.d option.cu && cat rule.d"
works "-lib makes an archive" '^option\.o$' bash -c "'$vgpucc' -Ihas -lib option.cu -o liboption.a && ar t liboption.a"
works "-run with arguments" '^2 word$' "$vgpucc" -Ihas -run --run-args word option.cu -o option
works "-time writes a table" '^option\.cu,.*,compute_80,.*,[0-9]+,ms$' bash -c \
	"rm -f times.csv && '$vgpucc' -Ihas -time times.csv -c option.cu && cat times.csv"
works "a folder for what is made" '' bash -c "'$vgpucc' --system-include=has -odir has -objtemp -c option.cu && rm has/option.o"
works "options without an effect" '' "$vgpucc" -I has -split-compile 2 --split-compile=0 -t 2 --threads=0 --ftz true --fmad false \
	-prec-div=true -diag-error 20 --diag-suppress=177 -Xnvlink=-v -Xarchive -q -noprof -src-in-ptx -dlto -dopt on -Xfatbin -compress-all \
	-allow-unsupported-compiler --extended-lambda -arch=sm_90 -gencode 'arch=compute_80,code=[sm_80,compute_80]' \
	--linker-options=-O1 -Werror=all-warnings -Wmissing-launch-bounds --forward-unknown-opts -cudadevrt none option.cu -o option
refused "an architecture that is none" "'sm_x' is no architecture" "$vgpucc" -Ihas -gencode arch=compute_80,code=sm_x -c option.cu
refused "--optix-ir by name" 'the device code of vgpu is PTX' "$vgpucc" -Ihas --optix-ir option.cu

# An archive that -l names has device code, too.
echo '__device__ int far = 3; __constant__ int factors[2] = { 1, 10 }; __device__ int twice(int n) { return 2 * n; }' >far.cu
echo '__device__ int twice(int n) { return n + n; }' >again.cu
cat >near.cu <<'END'
extern __device__ int far;
extern __constant__ int factors[2];
__device__ int twice(int n);
__global__ void k(int *p) { *p = twice(far) * factors[1]; }
int main()
{
	int *p, got;

	cudaMalloc(&p, sizeof(got));
	k<<<1, 1>>>(p);
	cudaMemcpy(&got, p, sizeof(got), cudaMemcpyDeviceToHost);
	return got != 60;
}
END
works "device code of an archive by -l" '' bash -c "'$vgpucc' -dc near.cu far.cu again.cu && rm -f libfar.a &&
	ar rcs libfar.a far.o && '$vgpucc' near.o -L. -lfar -o near && ./near"
refused "a function that two objects define" "Multiple definition of '_Z5twicei' in 'again\.o', first defined in 'far\.o'" \
	"$vgpucc" near.o far.o again.o -o near
refused "all that nobody defines: functions" "Undefined reference to '_Z5twicei' in 'near\.o'" "$vgpucc" near.o -o near
refused "and variables" "Undefined reference to 'far' in 'near\.o'" "$vgpucc" near.o -o near

# Device code in a file, for cuModuleLoad().
cat >device.cu <<'END'
extern "C" __global__ void k(int *p) { *p = 42; }
END
cat >loads.cu <<'END'
#include <cuda.h>
#include <cstdio>
int main(int argc, char **argv)
{
	CUdeviceptr p;
	CUcontext context;
	CUfunction k;
	CUmodule module;
	CUdevice device;
	void *parameters[] = { &p };
	int got = 0;

	cuInit(0);
	cuDeviceGet(&device, 0);
	cuDevicePrimaryCtxRetain(&context, device);
	cuCtxSetCurrent(context);
	if (cuModuleLoad(&module, argv[1]) || cuModuleGetFunction(&k, module, "k") || cuMemAlloc(&p, sizeof(got)) ||
	    cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL) || cuMemcpyDtoH(&got, p, sizeof(got)))
		return 1;
	std::printf("got %d\n", got);
	return 0;
}
END
works "a program that loads device code" '' "$vgpucc" loads.cu -lcuda -o loads
works "a fat binary" "^got 42$" bash -c "'$vgpucc' -fatbin device.cu && ./loads device.fatbin"
works "a cubin" "^got 42$" bash -c "'$vgpucc' --cubin device.cu -o there.cubin && ./loads there.cubin"
refused "a fat binary of no source" "fatbin is for CUDA sources" "$vgpucc" -fatbin near.o
works "a fat binary with nvcc's header" "^ 50 ed 55 ba 01 00 10 00$" od -An -tx1 -N8 device.fatbin

# Launches by kernels: where they are, and what cannot be.
cat >nested.cu <<'END'
#include <cstdio>
namespace inner { template <class T> __global__ void set(T *p, T v) { p[threadIdx.x] = v; } }
__global__ void parent(int *p)
{
	inner::set<<<1,
		/* < ( */ 2>>>
		(p, 5);
	inner::set<int> <<<1, 1, 0, cudaStreamTailLaunch>>>(p + 1, 6u);
#ifdef WAITS
	cudaDeviceSynchronize();
#endif
}
__global__ void two(int *, int) {}
__global__ void two(int *, float) {}
#ifdef OVERLOADED
__global__ void overloaded(int *p) { two<<<1, 1>>>(p, 1.0); }
#endif
int main()
{
	int *p, got[2];

	cudaMalloc(&p, sizeof(got));
	parent<<<1, 1>>>(p);
	cudaMemcpy(got, p, sizeof(got), cudaMemcpyDeviceToHost);
	printf("%d %d line %d\n", got[0], got[1], __LINE__);
}
END
for option in -O2 '-g -O0' -std=c++14 -rdc=true; do
	# shellcheck disable=SC2086
	works "launches by kernels with $option" '^5 6 line 25$' bash -c "'$vgpucc' $option nested.cu -o nested && ./nested"
done
cat >child.cu <<'END'
__global__ void child(int *p, int n) { *p = *p * 10 + n; }
END
cat >launcher.cu <<'END'
__global__ void child(int *p, int n);
__global__ void parent(int *p) { child<<<1, 1>>>(p, 1); child<<<1, 1>>>(p, 2); }
int main()
{
	int *p, got = 0;

	cudaMalloc(&p, sizeof(got));
	cudaMemset(p, 0, sizeof(got));
	parent<<<1, 1>>>(p);
	cudaMemcpy(&got, p, sizeof(got), cudaMemcpyDeviceToHost);
	return got != 12;
}
END
works "a kernel of another file" '' bash -c "'$vgpucc' -rdc=true launcher.cu child.cu -o launcher && ./launcher"
works "... named before it" '' bash -c "'$vgpucc' -rdc=true child.cu launcher.cu -o launcher && ./launcher"
cat >overloaded.cu <<'END'
#include <cstdio>
__global__ void set(int *p) { *p = 1; }
__global__ void set(float *p) { *p = 2; }
__global__ void set(int *p, int v, unsigned u);
__global__ void set(int *p, float v);
__global__ void parent(int *p)
{
	set<<<1, 1>>>(p); set<<<1,
		1>>>(p + 1,
		threadIdx.x == 0, 5);
}
template <class T> struct box {
	T at;
	__device__ void launch() { set<<<1, 1>>>(at, 0); set<<<1, 1, 0, cudaStreamTailLaunch>>>((float *)at + 1); }
};
__global__ void other(int *p) { box<int *> b{p + 2}; b.launch(); }
__global__ void set(int *p, int v, unsigned u) { *p = v * 10 + u; }
__global__ void set(int *p, float v) { *p = v + 7; }
int main()
{
	int *p, got[4];

	cudaMalloc(&p, sizeof(got));
	parent<<<1, 1>>>(p);
	other<<<1, 1>>>(p);
	cudaMemcpy(got, p, sizeof(got), cudaMemcpyDeviceToHost);
	printf("%d %d %d %x line %d\n", got[0], got[1], got[2], got[3], __LINE__);
}
END
for option in -O2 '-g -O0' -std=c++14 -rdc=true; do
	# shellcheck disable=SC2086
	works "overloaded kernels launched by kernels with $option" '^1 15 7 40000000 line 27$' \
		bash -c "'$vgpucc' $option overloaded.cu -o overloaded && ./overloaded"
done
refused "waiting for kernels in a kernel" 'cudaStreamTailLaunch' "$vgpucc" -DWAITS nested.cu -o nested
refused "... by arguments of which none is exact" 'none of the overloaded kernels has' "$vgpucc" -DOVERLOADED nested.cu -o nested

echo "1..$count"
[ $failed -eq 0 ]
