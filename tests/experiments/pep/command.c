// SPDX-License-Identifier: MIT
/* The command: one study, or several, as lines of comma separated values on standard output. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "pep.h"

static void usage(FILE *out)
{
	fprintf(out,
		"usage: pep [OPTION...] [PROGRAM[:SIZE]...]\n"
		"\n"
		"Kernels of table 4.1, as profiles, or compiled programs are preempted from\n"
		"all SMs of a gtx980. Prints a line for each run.\n"
		"\n"
		"  --profiled     latency, stall and context by scheme, at each point\n"
		"  --kernels      table 4.1\n"
		"  --room         PEP in place, by what the next kernel leaves free\n"
		"  --deadlines    late SMs and throughput, by mechanism\n"
		"  --compiled     what PROGRAMs write between two parts of their blocks\n"
		"  --split        some blocks of an SM are switched, the others drain\n"
		"  --decision     real time of a decision of chimera for 16 blocks\n"
		"  --schemes LIST of --profiled only these: drain, switch, chimera,\n"
		"                 chimera-dirty, pep, pep-in-place\n"
		"  --printed      of --profiled: a switch takes what table 4.1 says\n"
		"  --vary N       of --profiled: blocks' times vary by N permille, 0..1000\n"
		"  --quick        fewer requests\n"
		"  --set K=V      a field of the device; may be given several times\n"
		"  --help\n");
}

/* Bits, and none of them is a letter. */
enum study {
	PROFILED = 1,
	ROOM = 2,
	DEADLINES = 4,
	COMPILED = 8,
	DECISION = 16,
	TABLE = 32,
	SPLIT = 256,
};

static void list_kernels(void)
{
	for (u32 n = 0; n < KERNELS; n++)
		printf("kernel,%s,%.1f\n", kernels[n].name, kernels[n].block_us);
}

static int add_setting(char *text)
{
	char *value = strchr(text, '=');

	if (!value || value == text || strlen(value + 1) >= sizeof(settings->value)) {
		fprintf(stderr, "pep: --set %s: must be KEY=VALUE\n", text);
		return 2;
	}
	if (setting_count == SETTINGS_MOST) {
		fprintf(stderr, "pep: --set %s: more than %u\n", text, SETTINGS_MOST);
		return 2;
	}
	*value++ = 0;
	settings[setting_count].key = text;
	strcpy(settings[setting_count++].value, value);
	return 0;
}

static int set_variation(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || value > 1000) {
		fprintf(stderr, "pep: --vary %s: must be a number from 0 to 1000\n", text);
		return -1;
	}
	variation = (u32)value;
	return 0;
}

static int parse(int argc, char **argv, u32 *what, bool *quick, const char **only)
{
	static const struct option options[] = {
		{ "profiled", no_argument, NULL, PROFILED },
		{ "kernels", no_argument, NULL, TABLE },
		{ "room", no_argument, NULL, ROOM },
		{ "deadlines", no_argument, NULL, DEADLINES },
		{ "compiled", no_argument, NULL, COMPILED },
		{ "split", no_argument, NULL, SPLIT },
		{ "decision", no_argument, NULL, DECISION },
		{ "schemes", required_argument, NULL, 'o' },
		{ "printed", no_argument, NULL, 'p' },
		{ "vary", required_argument, NULL, 'v' },
		{ "quick", no_argument, NULL, 'q' },
		{ "set", required_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option, wrong;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'q': *quick = true; break;
		case 'o': *only = optarg; break;
		case 'p': as_printed = true; break;
		case 'v':
			if (set_variation(optarg))
				return 2;
			break;
		case 's':
			wrong = add_setting(optarg);
			if (wrong)
				return wrong;
			break;
		case 'h': usage(stdout); exit(0);
		case '?': usage(stderr); return 2;
		default: *what |= (u32)option;
		}
	}
	if (*what & SPLIT && (*what & COMPILED || argc - optind != 1)) {
		fprintf(stderr, "pep: --split takes one program\n");
		return 2;
	}
	if (!*what) {
		fprintf(stderr, "pep: which study? see --help\n");
		return 2;
	}
	if (optind < argc && !(*what & (COMPILED | SPLIT))) {
		fprintf(stderr, "pep: %s: only --compiled and --split take programs\n",
			argv[optind]);
		return 2;
	}
	return 0;
}

/* As smk: addresses are the same ones in every run. */
static void same_addresses(char **argv)
{
	int now = personality(0xffffffff);

	if (now == -1 || now & ADDR_NO_RANDOMIZE || personality(now | ADDR_NO_RANDOMIZE) == -1)
		return;
	execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
	const char *only = NULL;
	bool quick = false;
	u32 what = 0;
	int status;

	same_addresses(argv);
	status = parse(argc, argv, &what, &quick, &only);
	if (status)
		return status;
	if (what & TABLE)
		list_kernels();
	if ((what & PROFILED && study_profiled(only)) || (what & ROOM && study_room()) ||
	    (what & DEADLINES && study_deadlines(quick)) ||
	    (what & COMPILED && study_compiled(argv + optind, (u32)(argc - optind))) ||
	    (what & SPLIT && study_split(argv[optind])) ||
	    (what & DECISION && study_decision()))
		status = 1;
	fflush(stdout);
	/* programs that wait for their kernel never go on */
	_Exit(status);
}
