/* SPDX-License-Identifier: MIT */
/*
 * secrets_kept: blocks that keep secrets in registers, shared, local and global memory, and find
 * them there unchanged, whoever shares the SMs and however often they leave them (secrets.h).
 */
#include "../secrets.h"

int main(int argc, char **argv)
{
	long launches = parse_size(argc, argv, "secrets_kept", "launches", 2, 1, 100000);
	struct side side;

	begin_side(&side, true);
	for (long n = 0; n < launches; n++) {
		keep<<<BLOCKS, THREADS, BOX>>>(side.memory, side.places, 20);
		CHECK_LAUNCH();
	}
	end_side(&side, "others");
	return finish();
}
