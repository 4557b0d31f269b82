// SPDX-License-Identifier: MIT
/*
 * The command: programs alone and side by side under policies. Prints for each the metrics of 6.1,
 * which are Eyerman's and Eeckhout's: with IPC of each program normalized to that alone, system
 * throughput (STP) is the sum, ANTT the mean of the reciprocals, fairness the least divided by the
 * largest.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "smk.h"

#define POLICIES_MOST	16u
#define CYCLES		2000000u	/* 6.1 */

/** struct policy_of - @shared: kernels on an SM: 0: as many as there are programs */
struct policy_of {
	const char *name, *settings;
	u32 shared;
};

static const struct policy_of policies[] = {
	{ "leftover", "policy=leftover", 0 },
	{ "smk", "policy=smk", 0 },
	{ "smk-p", "policy=smk-p", 0 },
	{ "smk-pw", "policy=smk-pw", 0 },
	{ "spart", "policy=spart,preemption=switch", 1 },
	/* 6.6: two kernels on an SM at most */
	{ "smk-pw-2", "policy=smk-pw", 2 },
	/* 6.5: moving contexts costs nothing */
	{ "smk-pw-ideal", "policy=smk-pw,ideal_switch=1", 0 },
	{ "spart-ideal", "policy=spart,preemption=switch,ideal_switch=1", 1 },
};

/** struct command - @alone: instructions in a cycle of each program alone, 0: not known yet */
struct command {
	u64 cycles;
	const char *settings;
	const struct policy_of *policy[POLICIES_MOST];
	u32 policy_count;
	bool csv, verify, profile;
	const char *trace, *alone_file;
	struct recorded program[PROGRAMS_MOST];
	double alone[PROGRAMS_MOST];
	u32 count;
	char mix[160];
};

static void usage(FILE *out)
{
	fprintf(out,
		"usage: smk [OPTION...] PROGRAM[:SIZE]...\n"
		"\n"
		"Runs programs alone and then side by side under each policy, on a gtx980.\n"
		"\n"
		"  --cycles N     of each run (%u)\n"
		"  --policy NAME  may be given several times; without it only alone\n"
		"  --set K=V,...  fields and knobs of the device; VGPU_SET comes behind them\n"
		"  --alone FILE   IPC alone from the lines of an earlier run with --csv\n"
		"  --verify       each kernel once; then programs check their results\n"
		"  --csv          lines for a program\n"
		"  --profile      each alone, once: sections of a job file for vgpu-sim\n"
		"  --trace FILE   trace records of the last run\n"
		"  --overhead     counters that SMK adds to the device (6.7)\n"
		"  --list         the programs and policies that there are\n"
		"  --help\n",
		CYCLES);
}

static void list(void)
{
	for (const struct program_of *of = programs; of->name; of++)
		printf("program %s %s\n", of->name, of->compute ? "compute" : "memory");
	for (u32 n = 0; n < sizeof(policies) / sizeof(policies[0]); n++)
		printf("policy %s\n", policies[n].name);
}

/*
 * 6.7: for each kernel on each SM two ends of its part of registers, of shared memory and of
 * threads, and its number of blocks; of its quota one for profiling, one for the epoch, two for
 * what it is and what is left. Each has 32 bits.
 */
static int overhead(const struct command *c)
{
	struct vgpu_config config;
	u32 kernels, partitions, quotas;

	if (run_config(&config, c->settings))
		return 1;
	kernels = config.sms * config.kernels_per_sm;
	partitions = 7 * kernels;
	quotas = 4 * kernels;
	printf("partitions: %u counters, quotas: %u, together %u bytes\n", partitions, quotas,
	       4 * (partitions + quotas));
	return 0;
}

/* ---- what a run says ---------------------------------------------------- */

static const char *class_of(const struct command *c)
{
	u32 compute = 0;

	for (u32 n = 0; n < c->count; n++)
		compute += c->program[n].of->compute;
	return compute == c->count ? "C" : compute ? "CM" : "M";
}

static void print_shares(const struct command *c, const struct run *run, const char *mix,
			 const char *policy)
{
	for (u32 n = 0; n < run->count; n++) {
		const struct share *s = &run->share[n];

		printf("run,%s,%s,%s,%llu,%llu,%llu,%llu,%llu,%llu,%.4f,%.4f,%.4f,%.4f,%.4f\n", mix,
		       policy, run->programs[n].of->name, (unsigned long long)c->cycles,
		       (unsigned long long)s->instructions,
		       (unsigned long long)s->warp_instructions, (unsigned long long)s->kernels,
		       (unsigned long long)s->blocks, (unsigned long long)s->saved_blocks,
		       s->resources, s->registers, s->shared, s->threads, s->slots);
	}
}

static double ipc(const struct command *c, const struct share *share)
{
	return (double)share->instructions / (double)c->cycles;
}

static double part(u64 a, u64 of)
{
	return of ? (double)a / (double)of : 0;
}

static void print_metrics(const struct command *c, const struct run *run, const char *policy)
{
	const struct vgpu_device_stats *stats = &run->stats;
	double stp = 0, antt = 0, least = 0, most = 0, fewest = 0, largest = 0;

	for (u32 n = 0; n < run->count; n++) {
		double x = ipc(c, &run->share[n]) / c->alone[n], r = run->share[n].resources;

		stp += x;
		antt += 1 / x / run->count;
		least = !n || x < least ? x : least;
		most = !n || x > most ? x : most;
		fewest = !n || r < fewest ? r : fewest;
		largest = !n || r > largest ? r : largest;
		if (!c->csv)
			printf("%s %s: %s: IPC %.1f, alone %.1f: %.3f\n", c->mix, policy,
			       run->programs[n].of->name, ipc(c, &run->share[n]), c->alone[n], x);
	}
	if (c->csv)
		printf("mix,%s,%s,%s,%u,%.4f,%.4f,%.4f,%.4f,%llu,%llu,%llu,%.4f,%.4f\n", c->mix,
		       policy, class_of(c), run->count, stp, antt, least / most, fewest / largest,
		       (unsigned long long)stats->stall_issue,
		       (unsigned long long)stats->stall_control,
		       (unsigned long long)stats->stall_data,
		       part(stats->l1_hits, stats->l1_hits + stats->l1_misses),
		       part(stats->l2_hits, stats->l2_hits + stats->l2_misses));
	else
		printf("%s %s: STP %.3f, ANTT %.3f, fairness %.3f\n", c->mix, policy, stp, antt,
		       least / most);
}

/* ---- runs --------------------------------------------------------------- */

/* The last line of each program in an earlier output counts. -1: said on stderr. */
static int read_alone(struct command *c)
{
	FILE *in = fopen(c->alone_file, "r");
	char line[512], mix[64], program[64];
	unsigned long long cycles, instructions;

	if (!in) {
		fprintf(stderr, "smk: %s: %s\n", c->alone_file, strerror(errno));
		return -1;
	}
	while (fgets(line, sizeof(line), in)) {
		if (sscanf(line, "run,%63[^,],alone,%63[^,],%llu,%llu", mix, program, &cycles,
			   &instructions) != 4 || !cycles)
			continue;
		for (u32 n = 0; n < c->count; n++)
			if (!strcmp(program, c->program[n].of->name))
				c->alone[n] = (double)instructions / (double)cycles;
	}
	fclose(in);
	return 0;
}

static int run_alone(struct command *c, u32 n)
{
	struct run run = { .programs = &c->program[n], .count = 1, .settings = c->settings,
			   .cycles = c->cycles, .trace = c->policy_count ? NULL : c->trace };

	if (c->alone[n] > 0)
		return 0;
	if (run_programs(&run))
		return -1;
	c->alone[n] = ipc(c, run.share);
	if (!run.share->instructions) {
		fprintf(stderr, "smk: %s executed nothing in %llu cycles\n",
			c->program[n].of->name, (unsigned long long)c->cycles);
		return -1;
	}
	if (c->csv) {
		struct command one = { .cycles = c->cycles, .csv = true, .count = 1,
				       .alone = { c->alone[n] } };

		one.program[0].of = c->program[n].of;
		snprintf(one.mix, sizeof(one.mix), "%s", c->program[n].of->name);
		print_shares(&one, &run, one.mix, "alone");
		print_metrics(&one, &run, "alone");
	} else {
		printf("%s alone: IPC %.1f, %.1f %% of registers, %.1f %% of shared memory, "
		       "%.1f %% of threads\n", c->program[n].of->name, c->alone[n],
		       100 * run.share->registers, 100 * run.share->shared,
		       100 * run.share->threads);
	}
	return 0;
}

static void settings_of(const struct command *c, const struct policy_of *policy, char *text,
			size_t size)
{
	snprintf(text, size, "%s,kernels_per_sm=%u%s%s", policy->settings,
		 policy->shared ? policy->shared : c->count, *c->settings ? "," : "", c->settings);
}

static int run_policy(struct command *c, const struct policy_of *policy, bool last)
{
	char settings[512];
	struct run run = { .programs = c->program, .count = c->count, .settings = settings,
			   .cycles = c->verify ? 0 : c->cycles, .trace = last ? c->trace : NULL };

	settings_of(c, policy, settings, sizeof(settings));
	if (run_programs(&run))
		return -1;
	if (c->verify)
		return 0;
	if (c->csv)
		print_shares(c, &run, c->mix, policy->name);
	print_metrics(c, &run, policy->name);
	return 0;
}

static int run_all(struct command *c)
{
	if (c->alone_file && read_alone(c))
		return -1;
	for (u32 n = 0; n < c->count && !c->verify; n++)
		if (run_alone(c, n))
			return -1;
	for (u32 n = 0; n < c->policy_count; n++)
		if (run_policy(c, c->policy[n], n == c->policy_count - 1))
			return -1;
	return 0;
}

/*
 * A process of a job file whose kernel is profiled: a block takes as long as those of the kernel
 * did alone, on average.
 */
static int profile(struct command *c)
{
	for (u32 n = 0; n < c->count; n++) {
		struct run run = { .programs = &c->program[n], .count = 1,
				   .settings = c->settings };
		const struct vgpu_cmd_launch *launch = &c->program[n].launch.launch;
		const struct share *share = run.share;
		u64 grid = (u64)launch->grid[0] * launch->grid[1] * launch->grid[2], places;

		if (run_programs(&run))
			return 1;
		places = share->most_blocks;
		printf("[%s]\nphase=kernel tbs=%llu tb_us=%.3f threads=%u regs_per_tb=%llu "
		       "shmem_per_tb=%llu\n", c->program[n].of->name, (unsigned long long)grid,
		       (double)share->block_ps / 1e6 / (double)grid,
		       launch->block[0] * launch->block[1] * launch->block[2],
		       (unsigned long long)(share->most_registers / places),
		       (unsigned long long)(share->most_shared / places));
	}
	return 0;
}

/* The programs' own checks, of what their kernels have computed side by side. */
static int verify(struct command *c)
{
	int wrong = 0;

	if (run_all(c))
		return 1;
	for (u32 n = 0; n < c->count; n++)
		wrong |= record_go_on(&c->program[n]) != 0;
	return wrong;
}

/* ---- arguments ---------------------------------------------------------- */

static int add_policy(struct command *c, const char *name)
{
	u32 n = 0, count = sizeof(policies) / sizeof(policies[0]);

	while (n < count && strcmp(policies[n].name, name))
		n++;
	if (n == count || c->policy_count == POLICIES_MOST) {
		fprintf(stderr, "smk: --policy %s: there is none; see --list\n", name);
		return -1;
	}
	c->policy[c->policy_count++] = &policies[n];
	return 0;
}

static int parse(struct command *c, int argc, char **argv)
{
	static const struct option options[] = {
		{ "cycles", required_argument, NULL, 'c' },
		{ "policy", required_argument, NULL, 'p' },
		{ "set", required_argument, NULL, 's' },
		{ "alone", required_argument, NULL, 'a' },
		{ "trace", required_argument, NULL, 't' },
		{ "verify", no_argument, NULL, 'v' },
		{ "csv", no_argument, NULL, 'C' },
		{ "profile", no_argument, NULL, 'P' },
		{ "overhead", no_argument, NULL, 'o' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	char *end;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'c':
			c->cycles = strtoull(optarg, &end, 10);
			if (*optarg < '0' || *optarg > '9' || *end || c->cycles < 1000 ||
			    c->cycles > 1000000000) {
				fprintf(stderr,
					"smk: --cycles %s: must be a number from 1000 to 10^9\n",
					optarg);
				return 2;
			}
			break;
		case 'p':
			if (add_policy(c, optarg))
				return 2;
			break;
		case 's': c->settings = optarg; break;
		case 'a': c->alone_file = optarg; break;
		case 't': c->trace = optarg; break;
		case 'v': c->verify = true; break;
		case 'C': c->csv = true; break;
		case 'P': c->profile = true; break;
		case 'o': exit(overhead(c));
		case 'l': list(); exit(0);
		case 'h': usage(stdout); exit(0);
		default: usage(stderr); return 2;
		}
	}
	if (optind == argc || argc - optind > (int)PROGRAMS_MOST) {
		fprintf(stderr, "smk: from one to %u programs are needed; see --help\n",
			PROGRAMS_MOST);
		return 2;
	}
	if (c->verify && c->policy_count != 1) {
		fprintf(stderr, "smk: --verify needs one --policy\n");
		return 2;
	}
	return 0;
}

/* Programs are recorded under names of devices: all of them are there before the first one asks. */
static int record_all(struct command *c, char **names, u32 count)
{
	char devices[64] = "";

	for (u32 n = 0; n < count; n++)
		snprintf(devices + strlen(devices), sizeof(devices) - strlen(devices), "%s%u",
			 n ? "," : "", n);
	setenv("VGPU_TRANSPORT", "embedded", 1);
	setenv("VGPU_DEVICE", devices, 1);
	setenv("UNPADDED", "1", 1);
	unsetenv("CUDA_VISIBLE_DEVICES");
	unsetenv("RESIDENT");
	for (u32 n = 0; n < count; n++) {
		char *size = strchr(names[n], ':');
		const struct program_of *of;

		if (size)
			*size++ = 0;
		of = program_find(names[n]);
		if (!of) {
			fprintf(stderr, "smk: no program '%s'; see --list\n", names[n]);
			return 2;
		}
		if (strstr(c->mix, names[n])) {
			fprintf(stderr, "smk: %s twice: each program may be there once\n",
				names[n]);
			return 2;
		}
		snprintf(c->mix + strlen(c->mix), sizeof(c->mix) - strlen(c->mix), "%s%s",
			 n ? "+" : "", of->name);
		if (record(&c->program[n], of, size ? size : "", n))
			return 1;
		c->count++;
	}
	return 0;
}

/* Addresses choose lines of the caches: a run has the same ones as every other. */
static void same_addresses(char **argv)
{
	int now = personality(0xffffffff);

	if (now == -1 || now & ADDR_NO_RANDOMIZE || personality(now | ADDR_NO_RANDOMIZE) == -1)
		return;
	execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
	static struct command c = { .cycles = CYCLES, .settings = "" };
	int status;

	same_addresses(argv);
	status = parse(&c, argc, argv);
	if (!status)
		status = record_all(&c, argv + optind, (u32)(argc - optind));
	if (!status)
		status = c.verify ? verify(&c) : c.profile ? profile(&c) : run_all(&c) ? 1 : 0;
	fflush(stdout);
	/* programs that wait for their kernel never go on */
	_Exit(status);
}
