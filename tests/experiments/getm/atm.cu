// SPDX-License-Identifier: MIT
/*
 * ATM: parallel transfers between accounts, figure 4.1. No money may come or go, and each account
 * has to be what the transfers make of it one after the other: they are sums, whose order makes no
 * difference.
 */
#include "getm.h"

#define AT_FIRST	1000

struct transfer {
	unsigned from, to;
	int amount;
};

/* Transfer @n, between two different accounts */
static __host__ __device__ struct transfer transfer_of(unsigned seed, unsigned n, unsigned accounts)
{
	unsigned long long drawn = draw(seed, n);
	struct transfer transfer;

	transfer.from = (unsigned)(drawn >> 32) % accounts;
	transfer.to = (transfer.from + 1 + (unsigned)(drawn >> 8 & 0xffffff) % (accounts - 1)) %
		      accounts;
	transfer.amount = 1 + (int)(drawn & 0x7f);
	return transfer;
}

template <enum form form>
__global__ void transfers(int *account, unsigned *locks, unsigned accounts, unsigned threads,
			  unsigned rounds, unsigned seed)
{
	if (my_number() >= threads)
		return;
	for (unsigned round = 0; round < rounds; round++) {
		struct transfer t = transfer_of(seed, round * threads + my_number(), accounts);

		atomically<form>(locks, t.from, t.to, [&] {
			account[t.from] -= t.amount;
			account[t.to] += t.amount;
		});
	}
}

static bool check(const struct options *o, const int *account)
{
	unsigned accounts = o->work.size;
	int *want = host_array<int>(accounts);
	long sum = 0;

	for (unsigned n = 0; n < accounts; n++)
		want[n] = AT_FIRST;
	for (unsigned n = 0; n < o->work.threads * o->work.rounds; n++) {
		struct transfer t = transfer_of(o->seed, n, accounts);

		want[t.from] -= t.amount;
		want[t.to] += t.amount;
	}
	for (unsigned n = 0; n < accounts; n++)
		sum += account[n];
	if (sum != (long)accounts * AT_FIRST)
		return wrong("the accounts have %ld, %ld at first", sum, (long)accounts * AT_FIRST);
	for (unsigned n = 0; n < accounts; n++)
		if (account[n] != want[n])
			return wrong("account %u has %d, not %d", n, account[n], want[n]);
	free(want);
	return true;
}

static bool run(const struct options *o, unsigned long *sections)
{
	static void (*const forms[])(int *, unsigned *, unsigned, unsigned, unsigned, unsigned) =
		ALL_FORMS(transfers);
	unsigned accounts = o->work.size;

	if (accounts < 2)
		return wrong("a transfer is between two accounts, and there is one");
	int *account = host_array<int>(accounts);

	for (unsigned n = 0; n < accounts; n++)
		account[n] = AT_FIRST;
	int *at = device_array(accounts, account);

	launch(o, forms, o->work.threads, at, device_array<unsigned>(accounts, NULL), accounts,
	       o->work.threads, o->work.rounds, o->seed);
	to_host(account, at, accounts);
	*sections = (unsigned long)o->work.threads * o->work.rounds;
	return check(o, account);
}

int main(int argc, char **argv)
{
	static const struct workload works[] = { { "ATM", 1000000, 23040, 4 } };

	return run_workload(works, run, argc, argv);
}
