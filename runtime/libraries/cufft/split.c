// SPDX-License-Identifier: MIT
/*
 * How a length becomes a product: the radices of the stages of a pass, the passes of a long line.
 */
#include "plan.h"

static const int primes[] = { 13, 11, 7, 5, 3, 2 };
enum { PRIMES = sizeof(primes) / sizeof(*primes), MOST_FACTORS = 64 };

/* Prime factors, the largest first; 0: there are others than these. */
static int factors_of(long long n, int factor[MOST_FACTORS])
{
	int count = 0;

	for (int i = 0; i < PRIMES; i++)
		for (; n % primes[i] == 0; n /= primes[i])
			factor[count++] = primes[i];
	return n == 1 ? count : 0;
}

static void add_stage(struct fft_pass *pass, int radix)
{
	pass->radices |= (unsigned long long)(radix - 1) << (4 * pass->stages++);
}

void fft_choose_radices(struct fft_pass *pass, bool *mixed)
{
	int factor[MOST_FACTORS], count = factors_of(pass->n, factor), twos = 0, most, stages;

	pass->stages = 0;
	pass->radices = 0;
	*mixed = false;
	for (int i = 0; i < count; i++)
		twos += factor[i] == 2;
	if (twos < count)
		*mixed = true;
	/* as few stages of powers of two as there can be, the first ones the largest */
	most = *mixed ? 3 : 4;
	for (stages = (twos + most - 1) / most; stages; stages--) {
		int bits = (twos + stages - 1) / stages;

		add_stage(pass, 1 << bits);
		twos -= bits;
	}
	for (int i = 0; i < count; i++)
		if (factor[i] != 2)
			add_stage(pass, factor[i]);
}

/* Into COUNT products of at most MOST each: every factor to the least of them. */
static bool share_out(const int *factor, int factors, int count, int most,
		      int split[FFT_MOST_SPLITS])
{
	for (int i = 0; i < count; i++)
		split[i] = 1;
	for (int i = 0; i < factors; i++) {
		int least = 0;

		for (int j = 1; j < count; j++)
			if (split[j] < split[least])
				least = j;
		split[least] *= factor[i];
		if (split[least] > most)
			return false;
	}
	return true;
}

int fft_choose_splits(long long n, enum fft_precision precision, int split[FFT_MOST_SPLITS])
{
	/* two buffers of a whole line; of a part, one, with neighbouring lines beside it */
	int whole = precision == FFT_DOUBLE ? 1024 : 2048;
	const int part = 256;
	int factor[MOST_FACTORS], factors = factors_of(n, factor);

	if (n > 1 && !factors)
		return 0;
	if (n <= whole) {
		split[0] = (int)n;
		return 1;
	}
	for (int count = 2; count <= FFT_MOST_SPLITS; count++)
		if (share_out(factor, factors, count, part, split))
			return count;
	return 0;
}
