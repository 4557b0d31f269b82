// SPDX-License-Identifier: MIT
/*
 * tsc_khz: the frequency of this machine's time stamp counter in kHz, for a guest that is emulated
 * and reads this counter. Two looks at counter and clock, 50 ms apart, each the closest of many, so
 * that it does not matter when something else runs in between. Exit status 1, and nothing said,
 * where there is no such counter.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#if defined(__x86_64__)
static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

struct look {
	uint64_t ns, ticks;
};

static struct look read_clocks(void)
{
	uint64_t closest = UINT64_MAX;
	struct look best = { 0, 0 };

	for (int i = 0; i < 1000; i++) {
		uint64_t before = now_ns(), ticks = __builtin_ia32_rdtsc(), after = now_ns();

		if (after - before < closest) {
			closest = after - before;
			best = (struct look){ before + closest / 2, ticks };
		}
	}
	return best;
}

int main(void)
{
	struct look first = read_clocks();

	nanosleep(&(struct timespec){ .tv_nsec = 50 * 1000000 }, NULL);
	struct look second = read_clocks();

	if (second.ticks <= first.ticks || second.ns <= first.ns)
		return 1;
	printf("%.0f\n", (second.ticks - first.ticks) * 1e6 / (second.ns - first.ns));
	return 0;
}
#else
int main(void)
{
	return 1;
}
#endif
