// SPDX-License-Identifier: MIT
/*
 * Time to first result: runs a program that ends when it has one, again and again, and prints what
 * the first and the later runs took, from the fork to the end: wall time, and processor time of the
 * program. Usage: start PROGRAM [ARGUMENT]...
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#define RUNS 15

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* One run of @argv; false: it did not end well. */
static int run(char **argv, double *wall, double *processor)
{
	struct timespec begin, end;
	struct rusage usage;
	int status, output;
	pid_t pid;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	pid = fork();
	if (!pid) {
		output = open("/dev/null", O_WRONLY);
		dup2(output, 1);
		dup2(output, 2);
		execv(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &end);
	*wall = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
	*processor = seconds(usage.ru_utime) + seconds(usage.ru_stime);
	return 1;
}

static void line(const char *name, struct bench_stat wall, struct bench_stat processor)
{
	printf("%-14s %8.1f %8.1f..%-8.1f %8.1f %8.1f..%.1f\n", name, wall.median * 1e3,
	       wall.min * 1e3, wall.max * 1e3, processor.median * 1e3, processor.min * 1e3,
	       processor.max * 1e3);
}

int main(int argc, char **argv)
{
	double wall[RUNS + 1], processor[RUNS + 1];

	if (argc < 2) {
		fprintf(stderr, "usage: start PROGRAM [ARGUMENT]...\n");
		return 2;
	}
	for (int n = 0; n <= RUNS; n++)
		if (!run(argv + 1, &wall[n], &processor[n])) {
			fprintf(stderr, "start: %s failed\n", argv[1]);
			return 1;
		}
	printf("%-14s %8s %18s %8s %18s\n", "start", "wall ms", "min..max    ", "cpu ms",
	       "min..max    ");
	line("first", bench_stat(wall, 1), bench_stat(processor, 1));
	line("later", bench_stat(wall + 1, RUNS), bench_stat(processor + 1, RUNS));
	return 0;
}
