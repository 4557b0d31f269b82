/* SPDX-License-Identifier: MIT */
/*
 * secrets_beside: both in one process, in streams of their own: a block finds nothing of another
 * kernel's in registers, shared and local memory that it has not written, though both have the same
 * address space (secrets.h).
 */
#include "../secrets.h"

int main(int argc, char **argv)
{
	long launches = parse_size(argc, argv, "secrets_beside", "launches", 3, 1, 100000);
	struct side kept, sought;
	cudaStream_t first, second;

	begin_side(&kept, true);
	begin_side(&sought, false);
	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&second));
	for (long n = 0; n < launches; n++) {
		keep<<<BLOCKS, THREADS, BOX, first>>>(kept.memory, kept.places, 20);
		for (int m = 0; m < 4; m++)
			look<<<BLOCKS / 2, THREADS, BOX, second>>>(sought.memory, sought.places, 4);
	}
	CHECK(cudaDeviceSynchronize());
	end_side(&kept, "others");
	end_side(&sought, "secrets");
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	return finish();
}
