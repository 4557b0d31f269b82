/* SPDX-License-Identifier: MIT */
/*
 * secrets_sought: a hostile program that looks for the secrets of whoever shares its SMs: in
 * registers, shared and local memory that it has not written, and where the caches and TLBs of an
 * SM may have lines and pages of another process at the same addresses (secrets.h). There are none.
 */
#include "../secrets.h"

int main(int argc, char **argv)
{
	long launches = parse_size(argc, argv, "secrets_sought", "launches", 4, 1, 100000);
	struct side side;

	begin_side(&side, false);
	for (long n = 0; n < launches; n++) {
		look<<<BLOCKS / 2, THREADS, BOX>>>(side.memory, side.places, 4);
		CHECK_LAUNCH();
	}
	end_side(&side, "secrets");
	return finish();
}
