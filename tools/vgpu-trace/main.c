// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: turn the records of a device into what a person reads: a table, a picture, a Chrome
 * trace.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counts.h"
#include "record.h"
#include "tools/import/import.h"
#include "trace.h"

static const char usage[] =
	"usage: vgpu-trace [options] RECORDS\n"
	"       vgpu-trace stats [options] RECORDS        kernels, copies, waits, and more\n"
	"       vgpu-trace stats FILE                      what kernels did, by VGPU_STATS=FILE\n"
	"       vgpu-trace diff [options] A B              the same of two runs, compared\n"
	"       vgpu-trace record [-o RECORDS] -- COMMAND  run COMMAND and record the device\n"
	"       vgpu-trace import [-o JOB] FILE...         a job file from a profile of a GPU\n"
	"\n"
	"Reads trace records of a vgpu device (debugfs vgpu/N/trace, or the file VGPU_TRACE\n"
	"names for the embedded device; - is standard input) and prints a table, one line per "
	"process.\n"
	"\n"
	"  -j, --json FILE    also write Chrome trace format (opens in Perfetto)\n"
	"  -s, --svg FILE     also draw the SMs over virtual time\n"
	"  -p, --pipeline FILE  also draw the stages of instructions (trace_pipeline=1),\n"
	"                     a row each: text, a picture if FILE ends with .svg, a log for\n"
	"                     Konata if with .kanata; - is standard output\n"
	"  -r, --range SM[:FIRST-LAST]  of these, those of one SM, in these cycles\n"
	"  -l, --lines FILE   also write issues and stalls of each line of the source, or of\n"
	"                     each instruction (trace_lines=1); - is standard output\n"
	"  -L, --listing FILE  also write the source with these, and its instructions\n"
	"  -c, --code FILE    for these, the code that VGPU_CODE has had written\n"
	"                     (default: RECORDS.code, if it exists)\n"
	"  -t, --title TEXT   title of the picture\n"
	"  -n, --names FILE   lines `PID NAME RESULT' that name the processes\n"
	"                     (default: RECORDS.names, if it exists)\n"
	"  -q, --quiet        print no table\n"
	"  -h, --help         print this help\n"
	"\n"
	"exit status: 0 success, 1 a file could not be read or written, 2 wrong usage\n";

static int write_file(const struct trace *trace, const char *path, const char *title,
		      int (*writer)(const struct trace *, const char *, FILE *))
{
	bool standard = !strcmp(path, "-");
	FILE *file = standard ? stdout : fopen(path, "w");
	int err;

	if (!file) {
		fprintf(stderr, "vgpu-trace: %s: %s\n", path, strerror(errno));
		return 1;
	}
	err = writer(trace, title, file);
	if (standard)
		return fflush(file) || err;
	if (fclose(file) || err) {
		fprintf(stderr, "vgpu-trace: %s could not be written\n", path);
		return 1;
	}
	return 0;
}

static int write_chrome(const struct trace *trace, const char *title, FILE *out)
{
	(void)title;
	return trace_chrome(trace, out);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", required_argument, NULL, 'j' },
		{ "svg", required_argument, NULL, 's' },
		{ "pipeline", required_argument, NULL, 'p' },
		{ "range", required_argument, NULL, 'r' },
		{ "lines", required_argument, NULL, 'l' },
		{ "listing", required_argument, NULL, 'L' },
		{ "code", required_argument, NULL, 'c' },
		{ "title", required_argument, NULL, 't' },
		{ "names", required_argument, NULL, 'n' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	const char *json = NULL, *svg = NULL, *names = NULL, *title = "vgpu", *path;
	const char *pipeline = NULL, *range = NULL, *lines = NULL, *listing = NULL, *code = NULL;
	struct stretch stretch;
	struct trace trace;
	int quiet = 0, stats = 0, opt, status = 0;
	char beside[4096];
	FILE *file;

	if (argc > 1 && !strcmp(argv[1], "record"))
		return trace_record(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "import"))
		return imp_main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "diff"))
		return counts_diff(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "stats")) {
		stats = 1;
		argc--;
		argv++;
	}

	while ((opt = getopt_long(argc, argv, "j:s:p:r:l:L:c:t:n:qh", options, NULL)) != -1) {
		switch (opt) {
		case 'j': json = optarg; break;
		case 's': svg = optarg; break;
		case 'p': pipeline = optarg; break;
		case 'r': range = optarg; break;
		case 'l': lines = optarg; break;
		case 'L': listing = optarg; break;
		case 'c': code = optarg; break;
		case 't': title = optarg; break;
		case 'n': names = optarg; break;
		case 'q': quiet = 1; break;
		case 'h': fputs(usage, stdout); return 0;
		default: fputs("try `vgpu-trace --help'\n", stderr); return 2;
		}
	}
	if (optind + 1 != argc) {
		fputs("vgpu-trace: one file of records is needed; try `vgpu-trace --help'\n",
		      stderr);
		return 2;
	}
	if (trace_stretch(range, &stretch)) {
		fprintf(stderr, "vgpu-trace: --range is SM or SM:FIRST-LAST, not '%s'\n", range);
		return 2;
	}
	path = argv[optind];
	if (stats && counts_is_file(path))
		return counts_stats(path, stdout);
	file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
	if (!file) {
		fprintf(stderr, "vgpu-trace: %s: %s\n", path, strerror(errno));
		return 1;
	}
	if (trace_read(file, path, &trace))
		return 1;
	if (file != stdin)
		fclose(file);
	snprintf(beside, sizeof(beside), "%s.names", path);
	if (!names && !access(beside, R_OK))
		names = beside;
	if (names && trace_names(&trace, names))
		status = 1;
	snprintf(beside, sizeof(beside), "%s.code", path);
	if (!code && (lines || listing) && !access(beside, R_OK))
		code = beside;
	if (code && trace_code(&trace, code))
		status = 1;
	if (json)
		status |= write_file(&trace, json, title, write_chrome);
	if (svg)
		status |= write_file(&trace, svg, title, trace_svg);
	if (pipeline)
		status |= trace_pipeline(&trace, &stretch, pipeline);
	if (lines)
		status |= write_file(&trace, lines, title, trace_lines);
	if (listing)
		status |= write_file(&trace, listing, title, trace_listing);
	if (!quiet && (stats ? trace_stats(&trace, stdout) : trace_summary(&trace, stdout)))
		status = 1;
	trace_free(&trace);
	return status;
}
