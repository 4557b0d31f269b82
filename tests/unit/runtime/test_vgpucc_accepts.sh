#!/bin/bash
# SPDX-License-Identifier: MIT
#
# test_vgpucc_accepts: programs written for later versions of CUDA. Speaks TAP.
. "$(dirname "${BASH_SOURCE[0]}")/vgpucc.sh"

cat >create.cpp <<'END'
#include <cstdio>
#include <cuda.h>
int main()
{
	CUcontext first, second, now;
	CUctxCreateParams params = {};
	CUcomputemode mode;

	printf("%d", cuInit(0) || cuCtxCreate(&first, 0, 0) || cuCtxCreate(&second, nullptr, 0, 0) || cuCtxGetCurrent(&now));
	printf(" %d", now == second && cuDeviceGetAttribute((int *)&mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0) == 0);
	printf(" %d\n", mode == CU_COMPUTEMODE_DEFAULT && cuCtxCreate(&first, &params, 0, 0) == 0);
}
END
works "cuCtxCreate() of CUDA 12 and 13" '^0 1 1$' bash -c "'$vgpucc' create.cpp -o create -lcuda && ./create"

echo "1..$count"
[ $failed -eq 0 ]
