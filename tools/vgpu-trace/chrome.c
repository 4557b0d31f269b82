// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: Chrome trace event format (opens in Perfetto and chrome://tracing). One track per
 * slot of an SM, one for the transfer engine, one per process with its kernels, one per SM with
 * what its preemptions do; page faults of each process, and how many are in flight and warps of the
 * SMs wait as counters. Timestamps are virtual microseconds.
 */
#include <jansson.h>

#include "trace.h"

#define PID_SMS		1
#define PID_PREEMPTION	2
#define PID_FAULTS	3
#define PID_PROCESSES	1000
#define SLOTS		64

static const char *const copy_names[VGPU_CMD_COUNT] = {
	[VGPU_CMD_COPY_H2D] = "copy to device", [VGPU_CMD_COPY_D2H] = "copy to host",
	[VGPU_CMD_COPY_D2D] = "copy on device", [VGPU_CMD_FILL] = "fill",
	[VGPU_CMD_PREFETCH] = "prefetch",
};

static int first;

static int emit(FILE *out, json_t *event)
{
	int err;

	if (!event)
		return -1;
	if (!first)
		fputs(",\n", out);
	first = 0;
	err = json_dumpf(event, out, JSON_COMPACT | JSON_REAL_PRECISION(15));
	json_decref(event);
	return err;
}

static int name_track(FILE *out, const char *kind, uint32_t pid, uint32_t tid, const char *name)
{
	return emit(out, json_pack("{s:s, s:s, s:I, s:I, s:{s:s}}", "name", kind, "ph", "M", "pid",
				   (json_int_t)pid, "tid", (json_int_t)tid, "args", "name", name));
}

static json_t *complete(const char *name, uint64_t start, uint64_t end, uint32_t pid, uint32_t tid,
			json_t *args)
{
	return json_pack("{s:s, s:s, s:f, s:f, s:I, s:I, s:o}", "name", name, "ph", "X", "ts",
			 (double)start / 1e6, "dur", (double)(end - start) / 1e6, "pid",
			 (json_int_t)pid, "tid", (json_int_t)tid, "args", args);
}

static int emit_span(FILE *out, const struct trace *trace, const struct span *s)
{
	const struct process *p = &trace->processes[s->context];
	char name[128];

	if (s->sm == COPIES) {
		const char *what = s->slot < VGPU_CMD_COUNT && copy_names[s->slot] ?
					   copy_names[s->slot] :
					   "copy";

		snprintf(name, sizeof(name), "%s: %s", p->name, what);
		return emit(out, complete(name, s->start, s->end, PID_SMS, 0,
					  json_pack("{s:s, s:I}", "process", p->name, "bytes",
						    (json_int_t)s->what)));
	}
	return emit(out, complete(p->name, s->start, s->end, PID_SMS, 1 + s->sm * SLOTS + s->slot,
				  json_pack("{s:s, s:I, s:I}", "process", p->name, "launch",
					    (json_int_t)s->kernel, "block", (json_int_t)s->what)));
}

/* One track an SM, its number the thread's. */
static int emit_move(FILE *out, const struct trace *trace, const struct span *m)
{
	return emit(
		out,
		complete(trace_move_names[m->slot], m->start, m->end, PID_PREEMPTION, m->sm,
			 json_pack("{s:s, s:I, s:I}", "process", trace->processes[m->context].name,
				   "launch", (json_int_t)m->kernel, "bytes", (json_int_t)m->what)));
}

/* Faults of a process overlap: each has an id, and a begin and an end of its own. */
static int emit_fault(FILE *out, const struct trace *trace, const struct page_fault *f, size_t id)
{
	static const char *const outcomes[] = { "in flight", "served", "cancelled" };
	uint64_t end = f->outcome == FAULT_OPEN ? trace->end : f->end;
	uint32_t pid = PID_PROCESSES + f->context;
	char address[32];
	int err;

	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)f->address);
	err = emit(out, json_pack("{s:s, s:s, s:s, s:I, s:f, s:I, s:I, "
				  "s:{s:s, s:I, s:I, s:I, s:b, s:s}}",
				  "name", "page fault", "cat", "fault", "ph", "b", "id",
				  (json_int_t)id, "ts", (double)f->start / 1e6, "pid",
				  (json_int_t)pid, "tid", (json_int_t)0, "args", "address", address,
				  "pages", (json_int_t)f->pages, "SM", (json_int_t)f->sm, "launch",
				  (json_int_t)f->kernel, "delayed", f->delayed, "end",
				  outcomes[f->outcome]));
	return err | emit(out, json_pack("{s:s, s:s, s:s, s:I, s:f, s:I, s:I}", "name",
					 "page fault", "cat", "fault", "ph", "e", "id",
					 (json_int_t)id, "ts", (double)end / 1e6, "pid",
					 (json_int_t)pid, "tid", (json_int_t)0));
}

static int emit_level(FILE *out, const struct level *level)
{
	double time = (double)level->time / 1e6;
	char name[32];

	if (level->sm == FAULTS)
		return emit(out, json_pack("{s:s, s:s, s:f, s:I, s:{s:I}}", "name",
					   "page faults in flight", "ph", "C", "ts", time, "pid",
					   (json_int_t)PID_FAULTS, "args", "faults",
					   (json_int_t)level->value));
	snprintf(name, sizeof(name), "warps of SM %u", level->sm);
	return emit(out, json_pack("{s:s, s:s, s:f, s:I, s:{s:I, s:I}}", "name", name, "ph", "C",
				   "ts", time, "pid", (json_int_t)PID_FAULTS, "args", "active",
				   (json_int_t)level->value, "waiting",
				   (json_int_t)level->waiting));
}

int trace_chrome(const struct trace *trace, FILE *out)
{
	uint32_t last_sm = COPIES, seen_slots = 0;
	char name[NAME_BYTES + 32], title[NAME_BYTES];
	int err = 0;

	first = 1;
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", out);
	err |= name_track(out, "process_name", PID_SMS, 0, "GPU");
	err |= name_track(out, "thread_name", PID_SMS, 0, "transfer engine");
	for (size_t i = 0; i < trace->span_count && !err; i++) {
		const struct span *s = &trace->spans[i];

		if (s->sm != COPIES && (s->sm != last_sm || s->slot >= seen_slots)) {
			seen_slots = s->sm != last_sm ? 0 : seen_slots;
			for (; seen_slots <= s->slot; seen_slots++) {
				snprintf(name, sizeof(name), "SM %u slot %u", s->sm, seen_slots);
				err |= name_track(out, "thread_name", PID_SMS,
						  1 + s->sm * SLOTS + seen_slots, name);
			}
			last_sm = s->sm;
		}
		err |= emit_span(out, trace, s);
	}
	if (trace->move_count)
		err |= name_track(out, "process_name", PID_PREEMPTION, 0, "preemption");
	for (size_t i = 0; i < trace->move_count && !err; i++)
		err |= emit_move(out, trace, &trace->moves[i]);
	if (trace->level_count)
		err |= name_track(out, "process_name", PID_FAULTS, 0, "page faults");
	for (size_t i = 0; i < trace->level_count && !err; i++)
		err |= emit_level(out, &trace->levels[i]);
	for (size_t i = 0; i < trace->fault_count && !err; i++)
		err |= emit_fault(out, trace, &trace->faults[i], i);
	for (size_t i = 0; i < trace->process_count && !err; i++) {
		snprintf(name, sizeof(name), "%s (pid %llu)", trace->processes[i].name,
			 (unsigned long long)trace->processes[i].pid);
		err |= name_track(out, "process_name", PID_PROCESSES + (uint32_t)i, 0, name);
	}
	for (size_t i = 0; i < trace->kernel_count && !err; i++) {
		const struct kernel *k = &trace->kernels[i];

		snprintf(name, sizeof(name), "%s #%u", trace_kernel_name(k, title, sizeof(title)),
			 k->id);
		err |= emit(out,
			    complete(name, k->start, k->end > k->start ? k->end : k->start,
				     PID_PROCESSES + k->context, 0,
				     json_pack("{s:I, s:I, s:I}", "blocks", (json_int_t)k->blocks,
					       "module", (json_int_t)k->module, "index",
					       (json_int_t)k->index)));
	}
	fputs("\n]}\n", out);
	return err || ferror(out) ? -1 : 0;
}
