// SPDX-License-Identifier: MIT
/*
 * vgpu-trace record: run a program and keep what the device did meanwhile, for all processes on it.
 * The module's ring is emptied while the program runs, so that a long run fits; or, with
 * --embedded, the device inside the program writes the file, and neither the module nor root is
 * needed.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record.h"
#include "trace.h"

static const char usage[] =
	"usage: vgpu-trace record [options] -- COMMAND [ARGUMENT...]\n"
	"\n"
	"Runs COMMAND and writes the activity of the device, for all processes, to a file for\n"
	"vgpu-trace FILE and vgpu-trace stats FILE. Needs root and the module; with -e "
	"neither.\n"
	"\n"
	"  -o, --output FILE  output file                                  [vgpu.trace]\n"
	"  -i, --id N         number of the device                                    [0]\n"
	"  -e, --embedded     record the embedded device of COMMAND (VGPU_TRANSPORT=embedded)\n"
	"  -l, --lines        for vgpu-trace --lines: the code of kernels goes to FILE.code;\n"
	"                     the embedded device has trace_lines=1\n"
	"  -h, --help         print this help\n"
	"\n"
	"Names of processes go to FILE.names. exit status: COMMAND's; 126, 127: it does not "
	"start;\n"
	"1: nothing could be recorded, 2 wrong usage, 3 no vgpu device, 4 not permitted\n";

enum { FAILED = 1, USAGE, ABSENT, FORBIDDEN };

/** struct recording - one run */
struct recording {
	const char *output;
	unsigned int device;
	int embedded;
	int lines;
	int ring;			/* debugfs: trace */
	FILE *file, *names;
	pid_t child;
	const char *command;
};

static int complain(const char *what, int error)
{
	fprintf(stderr, "vgpu-trace: %s: %s\n", what, strerror(error));
	return FAILED;
}

/* ---- the ring of the module --------------------------------------------- */

static void debugfs_path(const struct recording *r, const char *name, char *path, size_t size)
{
	snprintf(path, size, "/sys/kernel/debug/vgpu/%u/%s", r->device, name);
}

static int switch_trace(const struct recording *r, const char *on)
{
	char path[128];
	int fd, error = 0;

	debugfs_path(r, "trace_on", path, sizeof(path));
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	if (write(fd, on, 1) != 1)
		error = errno;
	close(fd);
	return error;
}

static int open_ring(struct recording *r)
{
	char path[128];
	int error;

	if (access("/sys/class/vgpu", F_OK)) {
		fputs("vgpu-trace: no vgpu device here: load the module (make modules, then "
		      "insmod vgpu.ko as root), or use record -e\n",
		      stderr);
		return ABSENT;
	}
	if (geteuid()) {
		fputs("vgpu-trace: not permitted: recording from the module needs root (sudo), or "
		      "use record -e\n",
		      stderr);
		return FORBIDDEN;
	}
	error = switch_trace(r, "1");
	if (error == ENOENT) {
		fprintf(stderr,
			"vgpu-trace: device %u does not exist, or debugfs is not mounted (mount -t "
			"debugfs none /sys/kernel/debug)\n",
			r->device);
		return ABSENT;
	}
	debugfs_path(r, "trace", path, sizeof(path));
	if (error)
		return complain(path, error);
	r->ring = open(path, O_RDONLY | O_CLOEXEC);
	return r->ring < 0 ? complain(path, errno) : 0;
}

/* Who opened a context, while it is still there to be asked. */
static void name_process(struct recording *r, uint64_t pid)
{
	char path[64], name[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/comm", pid);
	file = fopen(path, "r");
	if (!file || !fgets(name, sizeof(name), file))
		snprintf(name, sizeof(name), "%s", pid == (uint64_t)r->child ? r->command : "");
	if (file)
		fclose(file);
	name[strcspn(name, "\n")] = 0;
	for (char *c = name; *c; c++)
		if (*c == ' ')
			*c = '_';
	if (name[0])
		fprintf(r->names, "%" PRIu64 " %s -\n", pid, name);
}

/* Take out what is in the ring. */
static int empty_ring(struct recording *r)
{
	static union {
		char bytes[4096 * sizeof(struct vgpu_trace_record)];
		struct vgpu_trace_record records[4096];
	} buffer;
	ssize_t n;

	while ((n = read(r->ring, buffer.bytes, sizeof(buffer))) > 0) {
		if (fwrite(buffer.bytes, (size_t)n, 1, r->file) != 1)
			return complain(r->output, errno);
		/* the magic is shorter than a record */
		for (size_t i = 0; i < (size_t)n / sizeof(*buffer.records); i++)
			if (buffer.records[i].type == VGPU_TRACE_CONTEXT_OPEN)
				name_process(r, buffer.records[i].a);
	}
	return n < 0 ? complain("the trace of the device", errno) : 0;
}

static uint64_t lost(const struct recording *r)
{
	char path[128], line[128];
	uint64_t count = 0;
	FILE *file;

	debugfs_path(r, "counts", path, sizeof(path));
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "trace_lost %" SCNu64, &count);
	if (file)
		fclose(file);
	return count;
}

/* ---- the program -------------------------------------------------------- */

/* The code of kernels is wanted, and of the embedded device what they cost. 0; -1: no memory */
static int ask_for_lines(const struct recording *r)
{
	const char *set = getenv("VGPU_SET");
	char path[4096], *settings = NULL;

	snprintf(path, sizeof(path), "%s.code", r->output);
	/* processes append to it */
	unlink(path);
	if (setenv("VGPU_CODE", path, 1))
		return -1;
	if (!r->embedded)
		return 0;
	if (asprintf(&settings, "%s%strace_lines=1", set ? set : "", set && *set ? "," : "") < 0)
		return -1;
	return setenv("VGPU_SET", settings, 1);
}

static void record_begin(const struct recording *r, char **command)
{
	if (r->lines && ask_for_lines(r))
		_exit(126);
	if (r->embedded &&
	    (setenv("VGPU_TRANSPORT", "embedded", 1) || setenv("VGPU_TRACE", r->output, 1)))
		_exit(126);
	execvp(command[0], command);
	fprintf(stderr, "vgpu-trace: %s: %s\n", command[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

#define LOOK_US		20000

static int run(struct recording *r, char **command, int *status)
{
	int failed = 0;

	r->child = fork();
	if (r->child < 0)
		return complain("fork", errno);
	if (!r->child)
		record_begin(r, command);
	/* an interrupt is for the program; its records are kept */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	while (waitpid(r->child, status, r->embedded ? 0 : WNOHANG) == 0) {
		failed |= empty_ring(r);
		usleep(LOOK_US);
	}
	return failed;
}

static int record_module(struct recording *r, char **command, int *status)
{
	char path[4096];
	int failed = open_ring(r);

	if (failed)
		return failed;
	snprintf(path, sizeof(path), "%s.names", r->output);
	r->file = fopen(r->output, "wb");
	r->names = r->file ? fopen(path, "w") : NULL;
	if (r->names)
		failed = run(r, command, status);
	else
		failed = complain(r->file ? path : r->output, errno);
	switch_trace(r, "0");
	if (r->names)
		failed |= empty_ring(r);
	if (lost(r))
		fprintf(stderr,
			"vgpu-trace: %" PRIu64
			" records were lost: load the module with a larger trace_records=\n",
			lost(r));
	if ((r->file && fclose(r->file)) || (r->names && fclose(r->names)))
		failed = complain(r->output, errno);
	close(r->ring);
	return failed;
}

/* The one process there is, by the records themselves. */
static int name_embedded(const struct recording *r)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s.names", r->output);
	file = fopen(path, "w");
	if (!file)
		return complain(path, errno);
	fprintf(file, "%d %s -\n", (int)r->child, r->command);
	return fclose(file) ? complain(path, errno) : 0;
}

static int record_embedded(struct recording *r, char **command, int *status)
{
	int failed;

	/* an old file would be taken for this run's */
	if (unlink(r->output) && errno != ENOENT)
		return complain(r->output, errno);
	failed = run(r, command, status);
	return failed ? failed : name_embedded(r);
}

static int parse(int argc, char **argv, struct recording *r)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "id", required_argument, NULL, 'i' },
		{ "embedded", no_argument, NULL, 'e' },
		{ "lines", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	char *end;
	int opt;

	while ((opt = getopt_long(argc, argv, "+o:i:elh", options, NULL)) != -1) {
		switch (opt) {
		case 'o': r->output = optarg; break;
		case 'i':
			r->device = (unsigned int)strtoul(optarg, &end, 10);
			if (*end || end == optarg || r->device > 15) {
				fprintf(stderr,
					"vgpu-trace: -i takes the number of a device, 0 to 15, "
					"not %s\n",
					optarg);
				return USAGE;
			}
			break;
		case 'e': r->embedded = 1; break;
		case 'l': r->lines = 1; break;
		case 'h': fputs(usage, stdout); exit(0);
		default: fputs("try `vgpu-trace record --help'\n", stderr); return USAGE;
		}
	}
	if (optind == argc) {
		fputs("vgpu-trace: a command to run is needed; try `vgpu-trace record --help'\n",
		      stderr);
		return USAGE;
	}
	return 0;
}

int trace_record(int argc, char **argv)
{
	struct recording r = { .output = "vgpu.trace", .ring = -1 };
	int status = 0, failed = parse(argc, argv, &r);
	const char *slash;

	if (failed)
		return failed;
	slash = strrchr(argv[optind], '/');
	r.command = slash ? slash + 1 : argv[optind];
	if (r.embedded)
		failed = record_embedded(&r, argv + optind, &status);
	else
		failed = record_module(&r, argv + optind, &status);
	if (failed)
		return failed;
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	if (!WEXITSTATUS(status) && access(r.output, R_OK)) {
		fprintf(stderr, "vgpu-trace: %s produced no trace: it did not use vgpu\n",
			r.command);
		return FAILED;
	}
	return WEXITSTATUS(status);
}
