// SPDX-License-Identifier: MIT
/*
 * chapter5: the evaluation of Tanasic chapter 5, from random mixes to the table of verdicts. run.sh
 * draws the figures.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chapter5.h"

static const char usage[] =
	"usage: chapter5 [options] FOLDER\n"
	"\n"
	"Runs random mixes of 2, 4, 6 and 8 Parboil applications under fcfs, npq, ppq and dss, "
	"with draining and\n"
	"context switch, and leaves runs.csv, figures.csv, antt-N.csv, profile.md and verdict.md "
	"in FOLDER;\n"
	"figures-batches.csv, profile-batches.md and verdict-batches.md are those against fcfs "
	"with fcfs_batch=1.\n"
	"\n"
	"  --seed N       of the mixes                                          [1]\n"
	"  --rounds N     mixes of 8 and of 6 for each of ten favoured applications   [2]\n"
	"                 (of 4 twice as many, of 2 five times as many, up to all pairs)\n"
	"  --limit N[,N,N,N]  at most so many mixes of each size (four numbers: of 2, 4, 6 and "
	"8)\n"
	"  --repeat N     completed runs of each process                        [3]\n"
	"  --printed-blocks  thread blocks take the Time/TB of table 5.2 as it is printed\n"
	"  --cpu N[,N,N]  CPU time of the applications, per cent of what we chose [100]\n"
	"                 (three numbers: of those that are SHORT, MEDIUM and LONG)\n"
	"  --variation N  how much thread blocks vary, per cent of what we chose [100]\n"
	"  --longest      SHORT and MEDIUM applications are as long as class 2 lets them be\n"
	"  --same-length  CPU time is such that applications are as long as without --set\n"
	"  --set KEY=VALUE   of the device: a field of its configuration or a knob; repeated\n"
	"  --no-shared    without ppq-shared (figure 5.5b)\n"
	"  --workers N    processes of this machine                             [processors]\n"
	"  --expected F   what the paper reports      [expected.csv beside the sources]\n"
	"  --quiet        no line of progress\n"
	"\n"
	"exit status: 0 done, 1 a run or a file failed, 2 wrong usage\n";

struct options {
	u64 seed;
	u32 rounds, limit[SIZES], repeat, workers;
	const char *expected, *folder;
	struct assumption assume;
	bool quiet, no_shared;
};

/* A number from @least on, -1 when it is none. */
static int take(const char *option, const char *text, u64 least, u64 most, u64 *value)
{
	if (!wl_decimal(text, 0, value) && *value >= least && *value <= most)
		return 0;
	fprintf(stderr, "chapter5: --%s %s: must be a number from %llu to %llu\n", option, text,
		(unsigned long long)least, (unsigned long long)most);
	return -1;
}

/* One number for all of @count, or one for each; @count as a word for the message. */
static int take_list(const char *option, char *text, u64 most, u32 *values, u32 count,
		     const char *word)
{
	u64 value = 0;
	char *number;
	u32 i, given;

	for (given = 0; given < count && (number = strsep(&text, ",")); given++) {
		if (take(option, number, 0, most, &value))
			return -1;
		values[given] = (u32)value;
	}
	for (i = given; given == 1 && i < count; i++)
		values[i] = (u32)value;
	if ((given == 1 || given == count) && !text)
		return 0;
	fprintf(stderr, "chapter5: --%s: must be one number or %s\n", option, word);
	return -1;
}

static int add_setting(struct assumption *assume, char *text)
{
	char *value = strchr(text, '=');

	if (!value || value == text || assume->setting_count == SETTINGS_MOST) {
		fprintf(stderr, "chapter5: --set %s: must be KEY=VALUE, at most %u times\n", text,
			SETTINGS_MOST);
		return -1;
	}
	*value++ = 0;
	assume->settings[assume->setting_count++] =
		(struct wl_setting){ .key = text, .value = value };
	return 0;
}

static int take_options(struct options *o, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "limit", required_argument, NULL, 'l' },
		{ "repeat", required_argument, NULL, 'n' },
		{ "printed-blocks", no_argument, NULL, 'p' },
		{ "cpu", required_argument, NULL, 'c' },
		{ "variation", required_argument, NULL, 'v' },
		{ "longest", no_argument, NULL, 'L' },
		{ "same-length", no_argument, NULL, 'a' },
		{ "set", required_argument, NULL, 'S' },
		{ "no-shared", no_argument, NULL, 'x' },
		{ "workers", required_argument, NULL, 'w' },
		{ "expected", required_argument, NULL, 'e' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	u64 value = 0;
	int option, err = 0;

	while (!err && (option = getopt_long(argc, argv, "", long_options, NULL)) >= 0) {
		switch (option) {
		case 's':
			err = take("seed", optarg, 0, ~0ull, &o->seed);
			break;
		case 'r':
			err = take("rounds", optarg, 1, 10000, &value);
			o->rounds = (u32)value;
			break;
		case 'l':
			err = take_list("limit", optarg, 100000, o->limit, SIZES, "four");
			break;
		case 'n':
			err = take("repeat", optarg, 1, 1000, &value);
			o->repeat = (u32)value;
			break;
		case 'p':
			o->assume.printed_blocks = true;
			o->assume.same_length = true;
			break;
		case 'c':
			err = take_list("cpu", optarg, 10000, o->assume.cpu_percent, CLASSES,
					"three");
			break;
		case 'v':
			err = take("variation", optarg, 0, 1000, &value);
			o->assume.variation_percent = (u32)value;
			break;
		case 'a':
			o->assume.same_length = true;
			break;
		case 'L':
			o->assume.longest = true;
			break;
		case 'S':
			err = add_setting(&o->assume, optarg);
			break;
		case 'x':
			o->no_shared = true;
			break;
		case 'w':
			err = take("workers", optarg, 1, 1024, &value);
			o->workers = (u32)value;
			break;
		case 'e':
			o->expected = optarg;
			break;
		case 'q':
			o->quiet = true;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			err = -1;
		}
	}
	if (err || optind != argc - 1) {
		fprintf(stderr, "chapter5: %s; try `chapter5 --help'\n",
			err ? "wrong usage" : "one folder is needed");
		return -1;
	}
	o->folder = argv[optind];
	return 0;
}

static const char *in_folder(const struct options *o, const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", o->folder, name);
	return path;
}

/* What depends on the baseline; @suffix of the files' names. */
static int write_against(const struct options *o, const struct study *study, enum config fcfs,
			 const char *suffix)
{
	struct figures figures;
	char name[32];
	int err;

	err = figures_compute(&figures, study, fcfs);
	snprintf(name, sizeof(name), "figures%s.csv", suffix);
	if (!err)
		err = figures_write(&figures, in_folder(o, name));
	snprintf(name, sizeof(name), "profile%s.md", suffix);
	if (!err)
		err = profile_write(study, fcfs, in_folder(o, name));
	snprintf(name, sizeof(name), "verdict%s.md", suffix);
	if (!err)
		err = verdict_write(&figures, o->expected, in_folder(o, name));
	figures_free(&figures);
	return err;
}

static int write_all(const struct options *o, const struct study *study)
{
	char name[32];
	u32 size;
	int err;

	err = figures_write_runs(study, in_folder(o, "runs.csv"));
	for (size = 2; size <= SIZE_MOST && !err; size += 2) {
		snprintf(name, sizeof(name), "antt-%u.csv", size);
		err = figures_write_antt(study, size, FCFS, in_folder(o, name));
	}
	if (!err)
		err = write_against(o, study, FCFS, "");
	if (!err)
		err = write_against(o, study, FCFS_BATCHES, "-batches");
	return err;
}

int main(int argc, char **argv)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct options o = { .seed = 1,
			     .rounds = 2,
			     .limit = { ~0u, ~0u, ~0u, ~0u },
			     .repeat = WL_REPEAT,
			     .workers = processors > 0 ? (u32)processors : 1,
			     .assume.cpu_percent = { 100, 100, 100 },
			     .assume.variation_percent = 100,
			     .expected = "tests/experiments/chapter5/expected.csv" };
	struct study study = {};
	struct mix *mixes;
	int err;

	if (take_options(&o, argc, argv))
		return 2;
	if (mkdir(o.folder, 0777) && errno != EEXIST) {
		fprintf(stderr, "chapter5: %s: %s\n", o.folder, strerror(errno));
		return 1;
	}
	/* what is needed at the end should not be missed then */
	if (access(o.expected, R_OK)) {
		fprintf(stderr, "chapter5: %s: %s\n", o.expected, strerror(errno));
		return 1;
	}
	mixes = mixes_draw(o.seed, o.rounds, o.limit, &study.mix_count);
	if (!mixes) {
		fprintf(stderr, "chapter5: no memory\n");
		return 1;
	}
	if (!study.mix_count) {
		fprintf(stderr, "chapter5: --limit: must leave a mix of some size\n");
		free(mixes);
		return 2;
	}
	study.mixes = mixes;
	study.assume = o.assume;
	study.repeat = o.repeat;
	study.no_shared = o.no_shared;
	study.workers = o.workers;
	study.progress = !o.quiet;
	err = study_run(&study);
	if (!err)
		err = write_all(&o, &study);
	study_free(&study);
	free(mixes);
	return err ? 1 : 0;
}
