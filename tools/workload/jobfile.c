// SPDX-License-Identifier: MIT
/*
 * Workloads: job files, ini as fio users know it (docs/jobfiles.md). libinih splits lines; the
 * reader it calls counts them, so that every refusal names file and line, and hides from it what it
 * would take apart silently: long lines, and indented ones, which it would append to the line
 * before.
 */
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "workload.h"

/* Names go into tables, CSV and traces as they are. */
#define NAME_CHARACTERS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-"

struct parser {
	struct wl_job *job;
	FILE *file;
	char *buffer;			/* of getline() */
	size_t room;
	u32 line;
	u32 section_line;		/* of the last [section], 0: there was none yet */
	bool section_used;		/* it has had a key, which libinih tells */
	const char *source;		/* of what its process does: "app", "phase" or "cmd" */
	bool global_seen;
	u32 global_repeat;
	bool refused;
	u32 refused_line;		/* where the parser was then */
	char *message;
};

static int refuse_at(struct parser *p, u32 line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
#define refuse(p, ...) refuse_at(p, (p)->line, __VA_ARGS__)

/* Only the first refusal counts. Returns -1. */
static int refuse_at(struct parser *p, u32 line, const char *format, ...)
{
	va_list args;
	int length;

	if (p->refused)
		return -1;
	p->refused = true;
	p->refused_line = p->line;
	length = snprintf(p->message, WL_MESSAGE_BYTES, "%s:%u: ", p->job->path, line);
	if (length < 0 || length >= WL_MESSAGE_BYTES)
		return -1;
	va_start(args, format);
	vsnprintf(p->message + length, (size_t)(WL_MESSAGE_BYTES - length), format, args);
	va_end(args);
	return -1;
}

/* ---- values ------------------------------------------------------------- */

static int take_number(struct parser *p, const char *key, const char *value, unsigned int decimals,
		       u64 min, u64 max, const char *right, u64 *number)
{
	if (wl_decimal(value, decimals, number) || *number < min || *number > max)
		return refuse(p, "%s=%s: must be %s", key, value, right);
	return 0;
}

static int take_u32(struct parser *p, const char *key, const char *value, u32 min,
		    const char *right, u32 *number)
{
	u64 wide = 0;

	if (take_number(p, key, value, 0, min, 1000000000, right, &wide))
		return -1;
	*number = (u32)wide;
	return 0;
}

static int take_name(struct parser *p, const char *key, const char *value, char *name, size_t size)
{
	if (!*value || strlen(value) >= size)
		return refuse(p, "%s=%s: must be a name of at most %zu characters", key, value,
			      size - 1);
	memcpy(name, value, strlen(value) + 1);
	return 0;
}

static int global_key(struct parser *p, const char *key, const char *value)
{
	struct wl_job *job = p->job;

	if (!strcmp(key, "gpu"))
		return take_name(p, key, value, job->gpu, sizeof(job->gpu));
	if (!strcmp(key, "policy"))
		return take_name(p, key, value, job->policy, sizeof(job->policy));
	if (!strcmp(key, "preempt"))
		return take_name(p, key, value, job->preempt, sizeof(job->preempt));
	if (!strcmp(key, "repeat"))
		return take_u32(p, key, value, 1, "a number of completed runs, 1..1000000000",
				&p->global_repeat);
	if (!strcmp(key, "seed")) {
		job->has_seed = true;
		return take_number(p, key, value, 0, 0, ~0ull >> 1, "a number, 0..2^63-1",
				   &job->seed);
	}
	return refuse(p, "[global] takes no key '%s'; it takes gpu, policy, preempt, repeat, seed",
		      key);
}

/* ---- processes ---------------------------------------------------------- */

int wl_process_add(struct wl_process *process, const struct wl_phase *phase)
{
	u32 count = process->phase_count;

	/* Room is a power of two. */
	if (!(count & (count - 1))) {
		struct wl_phase *phases =
			realloc(process->phases, (count ? count * 2 : 1) * sizeof(*phases));

		if (!phases)
			return -1;
		process->phases = phases;
	}
	process->phases[process->phase_count++] = *phase;
	return 0;
}

u64 wl_kernel_touched(const struct vgpu_cmd_profiled *kernel)
{
	return kernel->blocks * kernel->touches * kernel->touch_bytes;
}

/* Parts are multiples of the largest granule, so that no fault is for two of them. */
static u64 phase_touched(const struct wl_phase *phase)
{
	const u64 unit = 2ull << 20;

	if (phase->kind != WL_KERNEL)
		return 0;
	return (phase->amount * wl_kernel_touched(&phase->kernel) + unit - 1) & ~(unit - 1);
}

u64 wl_process_touched(const struct wl_process *process)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < process->phase_count; i++)
		bytes += phase_touched(&process->phases[i]);
	return bytes;
}

/* A process is one application, or its own phases, or one program. */
static int take_source(struct parser *p, const char *key)
{
	if (p->source && (strcmp(p->source, key) || strcmp(key, "phase")))
		return refuse(
			p,
			"%s=: [%s] has %s= already; a process has one app=, or phase= lines, or "
			"one cmd=",
			key, p->job->processes[p->job->process_count - 1].name, p->source);
	p->source = key;
	return 0;
}

static int take_app(struct parser *p, struct wl_process *process, const char *value)
{
	char names[WL_MESSAGE_BYTES / 2] = "";
	size_t length = 0;
	const char *name;
	unsigned int i;

	if (take_source(p, "app"))
		return -1;
	switch (wl_app_expand(value, p->line, process)) {
	case 0:
		return 0;
	case -ENOENT:
		break;
	default:
		return refuse(p, "app=%s: out of memory", value);
	}
	for (i = 0; (name = wl_app_name(i)) && length < sizeof(names); i++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
					   i ? ", " : "", name);
	return refuse(p, "app=%s: must be one of %s", value, names);
}

static int take_phase(struct parser *p, struct wl_process *process, const char *value)
{
	char why[WL_MESSAGE_BYTES];
	struct wl_phase phase;

	if (take_source(p, "phase"))
		return -1;
	if (wl_phase_parse(value, &phase, why))
		return refuse(p, "%s", why);
	phase.line = p->line;
	if (phase_touched(&phase)) {
		u64 before = wl_process_touched(process);

		if (phase_touched(&phase) > WL_TOUCHED_MAX - before)
			return refuse(p,
				      "touched_bytes=: blocks of all phases of [%s] touch more "
				      "than 2^40 bytes",
				      process->name);
		phase.kernel.touch_address = WL_TOUCHED + before;
	}
	if (wl_process_add(process, &phase))
		return refuse(p, "phase=%s: out of memory", value);
	return 0;
}

static int take_cmd(struct parser *p, struct wl_process *process, const char *value)
{
	if (take_source(p, "cmd"))
		return -1;
	if (!*value)
		return refuse(p, "cmd=: must be a command line");
	process->cmd = strdup(value);
	return process->cmd ? 0 : refuse(p, "cmd=%s: out of memory", value);
}

static int take_timing(struct parser *p, struct wl_process *process, const char *value)
{
	/* the rest is said by the program, which knows its kernels */
	if (!strchr(value, ':'))
		return refuse(p, "timing=%s: must be a list of NAME:pipeline and NAME:interval",
			      value);
	free(process->timing);
	process->timing = strdup(value);
	return process->timing ? 0 : refuse(p, "timing=%s: out of memory", value);
}

static int take_host(struct parser *p, struct wl_process *process, const char *value)
{
	if (strcmp(value, "one") && strcmp(value, "streams"))
		return refuse(p, "host=%s: must be one or streams", value);
	process->one_host = !strcmp(value, "one");
	return 0;
}

static int take_sharing(struct parser *p, struct wl_process *process, const char *value)
{
	u64 shares = 0;

	if (take_number(p, "shares_data", value, 0, 0, 1,
			"1: its kernels use the same data, or 0: they do not", &shares))
		return -1;
	process->sharing = shares ? VGPU_ADVICE_SHARED : VGPU_ADVICE_NOT_SHARED;
	return 0;
}

static int process_key(struct parser *p, const char *key, const char *value)
{
	struct wl_process *process = &p->job->processes[p->job->process_count - 1];

	if (!strcmp(key, "app"))
		return take_app(p, process, value);
	if (!strcmp(key, "phase"))
		return take_phase(p, process, value);
	if (!strcmp(key, "cmd"))
		return take_cmd(p, process, value);
	if (!strcmp(key, "priority"))
		return take_u32(p, key, value, 0,
				"a number, 0..1000000000, a higher one more important",
				&process->priority);
	if (!strcmp(key, "host"))
		return take_host(p, process, value);
	if (!strcmp(key, "timing"))
		return take_timing(p, process, value);
	if (!strcmp(key, "memory_budget"))
		return take_number(p, key, value, 0, 4096, 1ull << 47,
				   "bytes of device memory, 4096..2^47", &process->memory_budget);
	if (!strcmp(key, "shares_data"))
		return take_sharing(p, process, value);
	if (!strcmp(key, "repeat"))
		return take_u32(p, key, value, 1, "a number of completed runs, 1..1000000000",
				&process->repeat);
	if (!strcmp(key, "arrival_us"))
		return take_number(
			p, key, value, WL_US_DECIMALS, 0, 3600ull * 1000 * VGPU_MS,
			"microseconds, up to an hour, at most six digits after the decimal point",
			&process->arrival_ps);
	return refuse(
		p,
		"unknown key '%s' of a process; valid keys: app, phase, cmd, host, priority, "
		"arrival_us, repeat, timing, memory_budget, shares_data",
		key);
}

static int add_process(struct parser *p, const char *name)
{
	struct wl_job *job = p->job;
	struct wl_process *processes;
	u32 i;

	if (!*name || strlen(name) >= WL_NAME_BYTES || name[strspn(name, NAME_CHARACTERS)])
		return refuse_at(p, p->section_line,
				 "[%s]: must be a name of 1..%d letters, digits, . _ + -", name,
				 WL_NAME_BYTES - 1);
	for (i = 0; i < job->process_count; i++)
		if (!strcmp(job->processes[i].name, name))
			return refuse_at(
				p, p->section_line,
				"[%s] occurs twice; names of processes must be unique", name);
	if (job->process_count == WL_PROCESSES_MAX)
		return refuse_at(p, p->section_line, "[%s]: a job file has at most %u processes",
				 name, WL_PROCESSES_MAX);
	processes = realloc(job->processes, (job->process_count + 1) * sizeof(*processes));
	if (!processes)
		return refuse_at(p, p->section_line, "[%s]: out of memory", name);
	job->processes = processes;
	memset(&processes[job->process_count], 0, sizeof(*processes));
	strcpy(processes[job->process_count].name, name);
	processes[job->process_count].line = p->section_line;
	job->process_count++;
	p->source = NULL;
	return 0;
}

/*
 * What a phase may be depends on host=, which may come behind it: checked when the section ends.
 * Refused at the line of the first phase that is not right.
 */
static int check_host(struct parser *p, struct wl_process *process)
{
	bool works = false;
	u32 i, waits = 0;

	for (i = 0; i < process->phase_count; i++) {
		struct wl_phase *phase = &process->phases[i];
		bool host = phase->kind == WL_SYNC || phase->kind == WL_WAIT;

		if (host && !process->one_host)
			return refuse_at(p, phase->line,
					 "phase=sync and phase=wait need host=one in [%s]",
					 process->name);
		if (process->one_host && !phase->stream && phase->kind != WL_CPU && !host)
			return refuse_at(p, phase->line,
					 "copies and kernels of [%s] need stream=, as it has "
					 "host=one",
					 process->name);
		if (phase->kind == WL_WAIT)
			phase->mark = waits++;
		works |= !host;
	}
	if (process->one_host && !works)
		return refuse_at(p, process->line,
				 "[%s] does nothing; host=one needs phase= lines that take time",
				 process->name);
	if (!waits)
		return 0;
	process->marks = calloc(waits, sizeof(*process->marks));
	return process->marks ? 0 : refuse_at(p, process->line, "out of memory");
}

/* ---- lines -------------------------------------------------------------- */

/* The section that ends here must have said something. */
static int end_section(struct parser *p)
{
	if (p->refused)
		return -1;
	if (p->section_line && !p->section_used)
		return refuse_at(p, p->section_line,
				 "an empty section; a process needs app= or phase=");
	if (p->section_line && !p->source && p->job->process_count &&
	    p->job->processes[p->job->process_count - 1].line == p->section_line)
		return refuse_at(p, p->section_line, "[%s] does nothing; it needs app= or phase=",
				 p->job->processes[p->job->process_count - 1].name);
	if (p->source && p->job->processes[p->job->process_count - 1].timing &&
	    strcmp(p->source, "cmd"))
		return refuse_at(p, p->section_line,
				 "[%s] has timing=, which is for the kernels of a program (cmd=)",
				 p->job->processes[p->job->process_count - 1].name);
	if (p->source && p->job->processes[p->job->process_count - 1].sharing &&
	    !wl_process_touched(&p->job->processes[p->job->process_count - 1]))
		return refuse_at(p, p->section_line,
				 "[%s] has shares_data=, which is for memory that its blocks touch "
				 "(touched_bytes=)",
				 p->job->processes[p->job->process_count - 1].name);
	if (p->source)
		return check_host(p, &p->job->processes[p->job->process_count - 1]);
	return 0;
}

/* A line for libinih, as fgets() would give it. */
static char *read_line(char *text, int size, void *arg)
{
	struct parser *p = arg;
	ssize_t length;
	char *start;

	if (p->refused)
		return NULL;
	length = getline(&p->buffer, &p->room, p->file);
	if (length < 0) {
		end_section(p);
		return NULL;
	}
	p->line++;
	if (strlen(p->buffer) != (size_t)length) {
		refuse(p, "the line contains a NUL byte");
		return NULL;
	}
	/* as libinih does: it must not see a section that we do not */
	start = p->buffer + strspn(p->buffer, " \t\n\v\f\r");
	if (strlen(start) >= (size_t)size) {
		refuse(p, "the line is longer than %d characters", size - 2);
		return NULL;
	}
	if (*start == '[') {
		if (end_section(p))
			return NULL;
		p->section_line = p->line;
		/* libinih tells of a section with its first key only; a [global] may do without. */
		p->section_used =
			!strncmp(start, "[global]", 8) && !p->global_seen && !p->job->process_count;
		p->global_seen |= p->section_used;
	}
	strcpy(text, start);
	return text;
}

/* A key of libinih; 0 is its word for a bad one. */
static int take_key(void *arg, const char *section, const char *key, const char *value)
{
	struct parser *p = arg;
	bool global = !strcmp(section, "global");

	if (p->refused)
		return 0;
	if (!p->section_line) {
		refuse(p, "'%s' before the first [section]", key);
		return 0;
	}
	if (!p->section_used && global) {
		refuse_at(p, p->section_line, "[global] must be there once, before the processes");
		return 0;
	}
	if (!p->section_used && add_process(p, section))
		return 0;
	p->section_used = true;
	return (global ? global_key(p, key, value) : process_key(p, key, value)) == 0;
}

int wl_job_read(FILE *file, const char *path, struct wl_job *job, char *message)
{
	struct parser p = { .job = job, .file = file, .message = message };
	int bad;
	u32 i;

	memset(job, 0, sizeof(*job));
	message[0] = 0;
	job->path = strdup(path);
	if (!job->path) {
		snprintf(message, WL_MESSAGE_BYTES, "%s: out of memory", path);
		return -1;
	}
	bad = ini_parse_stream(read_line, &p, take_key, &p);
	free(p.buffer);
	if (!p.refused && ferror(file))
		refuse_at(&p, p.line, "%s", strerror(errno));
	/* libinih goes on behind a line that it cannot split; we may have refused a later one. */
	if (bad && (!p.refused || (u32)bad < p.refused_line)) {
		p.refused = false;
		refuse_at(&p, (u32)bad, "neither [section] nor key=value");
	}
	if (!p.refused && !job->process_count)
		refuse_at(&p, p.line, "no process; a process is a [section] with app= or phase=");
	for (i = 0; i < job->process_count; i++)
		if (!job->processes[i].repeat)
			job->processes[i].repeat = p.global_repeat ? p.global_repeat : WL_REPEAT;
	if (!p.refused)
		return 0;
	wl_job_free(job);
	return -1;
}

void wl_job_free(struct wl_job *job)
{
	u32 i;

	for (i = 0; i < job->process_count; i++) {
		free(job->processes[i].phases);
		free(job->processes[i].cmd);
		free(job->processes[i].timing);
		free(job->processes[i].marks);
	}
	free(job->processes);
	free(job->path);
	memset(job, 0, sizeof(*job));
}
