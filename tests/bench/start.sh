#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Time to first result of a program with a PTX module of some 100 KB: it is compiled when the program launches its first kernel.
# The same with a module of one kernel says what of it is not compiling.
#
# usage: start.sh DIR	where to build it
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
dir=$1

program() { # KERNELS
	echo '#include <cuda_runtime.h>'
	for n in $(seq "$1"); do
		cat <<-KERNEL
		__global__ void k$n(int n, const float *a, const float *b, float *c)
		{
			__shared__ float part[256];
			int i = blockIdx.x * blockDim.x + threadIdx.x;
			float sum = $n;

			for (int j = 0; j < n; j++) {
				float x = a[i * n + j], y = b[j * n + i];

				sum += x > y ? x * y + $n.5f : sqrtf(x + y) / (y + ${n}0.0f);
				if (j % 7 == $((n % 7)))
					sum -= c[(i + j) % (n + 1)];
			}
			part[threadIdx.x] = sum;
			__syncthreads();
			for (int d = 128; d; d /= 2) {
				if (threadIdx.x < d)
					part[threadIdx.x] += part[threadIdx.x + d];
				__syncthreads();
			}
			if (i < n)
				c[i] = part[0] + sum;
		}
		KERNEL
	done
	cat <<-MAIN
	int main(void)
	{
		float *p, out = 0;

		if (cudaMalloc(&p, 4096) || cudaMemset(p, 0, 4096))
			return 1;
		k1<<<1, 256>>>(1, p, p, p);
		if (cudaMemcpy(&out, p, 4, cudaMemcpyDeviceToHost))
			return 1;
		return !(out > 0);
	}
	MAIN
}

gcc -O2 -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE -Itests/bench tests/bench/start.c -o "$dir/start"
for kernels in 1 24; do
	program "$kernels" >"$dir/start-$kernels.cu"
	tools/vgpucc -O3 --ptx "$dir/start-$kernels.cu" -o "$dir/start-$kernels.ptx"
	tools/vgpucc -O3 "$dir/start-$kernels.cu" -o "$dir/start-$kernels"
	echo "-- a module of $(stat -c %s "$dir/start-$kernels.ptx") bytes of PTX"
	VGPU_TRANSPORT=embedded "$dir/start" "$dir/start-$kernels"
done
