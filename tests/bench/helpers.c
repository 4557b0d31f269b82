// SPDX-License-Identifier: MIT
/*
 * In a guest with the module: what it takes with threads that execute their own kernels while they
 * wait (helpers=Y) and without, in turn. Medians, the least and the most of milliseconds, and what
 * does not depend on what else the machine does: SMs of batches by who has executed them.
 *
 * usage: helpers [ROUNDS [ROW]]	(9, all rows; else those whose names have ROW in them)
 */
#include "tests/kselftest/vgpu_bystander.h"
#include "tests/kselftest/vgpu_group.h"
#include "tests/kselftest/vgpu_mix.h"

#define HELPERS		"/sys/module/vgpu/parameters/helpers"
#define ROUNDS_MOST	99

/* @count kernels, each waited for. */
static void launches(struct mixer *m, uint32_t blocks, uint32_t threads, uint32_t rounds,
		     uint32_t count)
{
	struct mix_params params = { .out = BASE, .key = at(m->key), .rounds = rounds };
	struct vgpu_cmd cmd = cmd_launch(m->u.module, m->index, blocks, threads, &params,
					 sizeof(params));

	while (count--)
		must_run(m->u.fd, m->u.queue, &cmd, 1);
}

static double one_large(struct mixer *m)
{
	double begin = seconds_now();

	launches(m, 160, 256, 200, 1);
	return seconds_now() - begin;
}

static double one_longer(struct mixer *m)
{
	double begin = seconds_now();

	launches(m, 160, 256, 1000, 1);
	return seconds_now() - begin;
}

static double of_13_blocks(struct mixer *m)
{
	double begin = seconds_now();

	launches(m, 13, 256, 60, 8);
	return (seconds_now() - begin) / 8;
}

static double of_short_blocks(struct mixer *m)
{
	double begin = seconds_now();

	launches(m, 800, 64, 4, 4);
	return (seconds_now() - begin) / 4;
}

static double of_80_blocks(struct mixer *m)
{
	double begin = seconds_now();

	launches(m, 80, 32, 1, 30);
	return (seconds_now() - begin) / 30;
}

static double of_a_block(struct mixer *m)
{
	double begin = seconds_now();

	launches(m, 1, 32, 1, 100);
	return (seconds_now() - begin) / 100;
}

static pid_t start_launches(uint32_t count)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		launches(mixer_begin(1), 160, 256, 200, count);
		_exit(0);
	}
	return pid;
}

static double two_programs(struct mixer *m)
{
	double begin = seconds_now();
	pid_t one = start_launches(1), other = start_launches(1);

	(void)m;
	must_succeed(one);
	must_succeed(other);
	return seconds_now() - begin;
}

static double a_copy_beside(struct mixer *m)
{
	pid_t pid = start_launches(~0u);
	struct latency latency;

	(void)m;
	usleep(300000);
	latency = latency_of(open_copy_close, 1.5, NULL);
	CHECK(!kill(pid, SIGKILL) && waitpid(pid, NULL, 0) == pid);
	return latency.mean;
}

static const struct row {
	const char *name;
	double (*measure)(struct mixer *m);
} rows[] = {
	{ "a kernel of 160 blocks, 1,400 instructions a warp", one_large },
	{ "the same of 7,000", one_longer },
	{ "two programs, each with a kernel of 1,400", two_programs },
	{ "a kernel of 13 blocks, 420 instructions a warp", of_13_blocks },
	{ "a kernel of 800 blocks, 28 instructions a warp", of_short_blocks },
	{ "a kernel of 80 blocks, 7 instructions", of_80_blocks },
	{ "a kernel of a block, 7 instructions", of_a_block },
	{ "open, copy, close beside kernels of 1,400", a_copy_beside },
};

/** struct measured - a row, with helpers or without */
struct measured {
	double took[ROUNDS_MOST];
	long long batches, actor, helpers, helpers_ns;
};

static void add(struct measured *m, int sign)
{
	m->batches += sign * number_in(WORKERS, "batches ");
	m->actor += sign * number_in(WORKERS, "actor ");
	m->helpers += sign * number_in(WORKERS, "helpers_executed ");
	m->helpers_ns += sign * number_in(WORKERS, "helpers_ns ");
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(struct measured *m, int rounds)
{
	qsort(m->took, (size_t)rounds, sizeof(*m->took), by_value);
	printf("  %8.2f (%.2f to %.2f)", m->took[rounds / 2] * 1e3, m->took[0] * 1e3,
	       m->took[rounds - 1] * 1e3);
}

int main(int argc, char **argv)
{
	static struct measured measured[ARRAY_SIZE(rows)][2];
	static struct mixer *mixers[ARRAY_SIZE(rows)];
	int rounds = argc > 1 ? atoi(argv[1]) : 9;
	const char *only = argc > 2 ? argv[2] : "";

	CHECK(rounds > 0 && rounds <= ROUNDS_MOST);
	setvbuf(stdout, NULL, _IOLBF, 0);
	/* one of each row's own: what its blocks have executed before decides what is handed out */
	for (size_t n = 0; n < ARRAY_SIZE(rows); n++) {
		if (!strstr(rows[n].name, only))
			continue;
		mixers[n] = mixer_begin(3);
		rows[n].measure(mixers[n]);
	}
	for (int round = 0; round < 2 * rounds; round++) {
		/* N Y, Y N, N Y … */
		int with = (round + round / 2) & 1;

		put(HELPERS, with ? "Y" : "N");
		for (size_t n = 0; n < ARRAY_SIZE(rows); n++) {
			struct measured *to = &measured[n][with];

			if (!mixers[n])
				continue;
			add(to, -1);
			to->took[round / 2] = rows[n].measure(mixers[n]);
			add(to, 1);
		}
	}
	put(HELPERS, "Y");
	for (size_t n = 0; n < ARRAY_SIZE(rows); n++) {
		struct measured *without = measured[n], *with = without + 1;

		if (!mixers[n])
			continue;
		printf("%-52s", rows[n].name);
		print(without, rounds);
		print(with, rounds);
		printf("  %lld batches, %lld SMs by the actor, %lld by helpers in %lld ms\n",
		       with->batches, with->actor, with->helpers, with->helpers_ns / 1000000);
	}
	for (size_t n = 0; n < ARRAY_SIZE(rows); n++)
		if (mixers[n])
			mixer_end(mixers[n]);
	return 0;
}
