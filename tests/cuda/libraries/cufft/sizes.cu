/* SPDX-License-Identifier: MIT */
/*
 * Transforms of one dimension, of all kinds of lengths: powers of two, products of the radices,
 * primes, products with large primes, longer than a block's, in one to four passes.
 */
#include "fft.h"

int main(int argc, char **argv)
{
	static const int small[] = {1,	2,  3,	4,  5,  6,	7,  8,  9,	10, 11, 12, 13,	 14,
				    15, 16, 17, 18, 19, 22, 23, 26, 29, 31, 32, 37, 47,	 49,
				    60, 64, 77, 97, 98, 100, 121, 125, 127, 128, 143, 169, 243};
	static const int large[] = {251,  256,	343,  500,  509,  512,	1000, 1001, 1009, 1024,
				    1031, 1331, 2048, 2187, 2197, 2310, 4096, 4099, 6144, 15625};
	long most = parse_size(argc, argv, "sizes", "the longest line", 20000, 1, 1 << 24);
	problem q = {};

	q.rank = 1;
	for (int i = 0; i < (int)(sizeof(small) / sizeof(*small)); i++)
		for (int kind = 0; kind < 8; kind++) {
			q.n[0] = small[i];
			q.f = (form)(kind % 4 < 2 ? C2C : kind % 4 - 1);
			q.p = (precision)(kind / 4);
			q.direction = kind % 4 == 1 || q.f == C2R ? CUFFT_INVERSE : CUFFT_FORWARD;
			q.batch = 1 + (i + kind) % 3 * 4;
			q.in_place = (i + kind) % 2;
			pack(&q);
			if (q.n[0] <= most)
				try_problem(q, run_plan);
		}
	for (int i = 0; i < (int)(sizeof(large) / sizeof(*large)); i++)
		for (int kind = i % 2; kind < 8; kind += 3) {
			q.n[0] = large[i];
			q.f = (form)(kind % 4 < 2 ? C2C : kind % 4 - 1);
			q.p = (precision)(kind / 4);
			q.direction = kind % 4 == 1 || q.f == C2R ? CUFFT_INVERSE : CUFFT_FORWARD;
			q.batch = 1 + (i + kind) % 2;
			q.in_place = i / 2 % 2;
			pack(&q);
			if (q.n[0] <= most)
				try_problem(q, run_plan);
		}
	/* in three passes, once each */
	if (most >= 20000) {
		q.n[0] = 131072;
		q.batch = 1;
		q.f = C2C;
		q.p = SINGLE;
		q.in_place = false;
		q.direction = CUFFT_FORWARD;
		pack(&q);
		try_problem(q, run_plan);
		q.n[0] = 19683;
		q.p = DOUBLE;
		q.direction = CUFFT_INVERSE;
		q.in_place = true;
		pack(&q);
		try_problem(q, run_plan);
	}
	return finish();
}
