/* SPDX-License-Identifier: MIT */
/* space_queries: of which state space a generic address is, and addresses of spaces. */
#include "../common.h"

__device__ int variable;
__constant__ int constant = 5;

__global__ void ask(int *out, int *pinned)
{
	__shared__ int shared;
	int local = 3;

	out[0] = __isShared(&shared) && !__isGlobal(&shared) && !__isLocal(&shared);
	out[1] = __isLocal(&local) && !__isGlobal(&local) && !__isShared(&local);
	out[2] = __isGlobal(out) && !__isShared(out) && !__isLocal(out);
	out[3] = __isGlobal(&variable) && __isGlobal(pinned);
	/* an address in a space is one of PTX: generic accesses of it go elsewhere */
	out[4] = __cvta_generic_to_shared(&shared) < 49152;
	*(volatile int *)__cvta_shared_to_generic(__cvta_generic_to_shared(&shared)) = 7;
	out[5] = *(volatile int *)&shared;
	*(volatile int *)__cvta_local_to_generic(__cvta_generic_to_local(&local)) = 9;
	out[6] = *(volatile int *)&local;
	*(volatile int *)__cvta_global_to_generic(__cvta_generic_to_global(&variable)) = 11;
	out[7] = *(volatile int *)&variable;
	out[8] = *(const volatile int *)__cvta_constant_to_generic(
		__cvta_generic_to_constant(&constant));
}

int main(int argc, char **argv)
{
	static const int want[] = { 1, 1, 1, 1, 1, 7, 9, 11, 5 };
	int *out, *pinned;

	parse_size(argc, argv, "space_queries", NULL, 0, 0, 0);
	CHECK(cudaMallocManaged(&out, sizeof(want)));
	CHECK(cudaMallocHost(&pinned, sizeof(*pinned)));
	ask<<<1, 1>>>(out, pinned);
	CHECK_LAUNCH();
	for (int i = 0; i < 9; i++)
		expect_same("question", i, out[i], want[i]);
	CHECK(cudaFree(out));
	CHECK(cudaFreeHost(pinned));
	return finish();
}
