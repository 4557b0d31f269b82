// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: Chrome trace event format (opens in Perfetto and chrome://tracing). One track per
 * slot of an SM, one for each copy engine, one per process with its kernels, one per SM with
 * what its preemptions do and what policies decide about its blocks; a counter per SM that several
 * kernels share, with the shares of the processes; page faults of each process, and how many are in
 * flight and warps of the SMs wait as counters; one track for each direction of the interconnect
 * with the data of managed memory, and of each process its faults, prefetches and evictions.
 * A process that names ranges of its time has a track for them (runtime/nvtx).
 * Timestamps are virtual microseconds. "managedMemory" has the sums of each process.
 */
#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "trace.h"

#define PID_SMS		1
#define PID_PREEMPTION	2
#define PID_FAULTS	3
#define PID_LINK	4
#define PID_SHARING	5
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

/* Behind all SMs, but for the first. */
static uint32_t tid_of_engine(uint32_t engine)
{
	return engine ? 0x10000u * SLOTS + engine : 0;
}

static int emit_span(FILE *out, const struct trace *trace, const struct span *s)
{
	const struct process *p = &trace->processes[s->context];
	char name[128];

	if (trace_is_copy_engine(s->sm)) {
		const char *what = s->slot < VGPU_CMD_COUNT && copy_names[s->slot] ?
					   copy_names[s->slot] :
					   "copy";

		snprintf(name, sizeof(name), "%s: %s", p->name, what);
		return emit(out, complete(name, s->start, s->end, PID_SMS,
					  tid_of_engine(s->sm - trace_copy_engine(0)),
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

/* ---- SMs that several kernels share -------------------------------------- */

/** struct counters - the parts of an SM that processes have, as they were told last */
struct counters {
	FILE *out;
	const struct trace *trace;
	uint32_t sm;
	uint64_t end;			/* nobody is there from then on, until the next */
	int any;
};

/* A counter for each SM, of the dominant shares of all processes: Perfetto draws it stacked. */
static int emit_shares(struct counters *c, uint64_t time, const struct present *list, size_t count)
{
	json_t *args = json_object();
	char name[32], key[96];
	double share = 0;
	int err = !args;

	for (size_t i = 0; i < count && !err; i++) {
		const struct process *p = &c->trace->processes[list[i].part->context];

		share += 100 * list[i].part->share * present_blocks(&list[i]);
		if (i + 1 < count && list[i + 1].part->context == list[i].part->context)
			continue;
		snprintf(key, sizeof(key), "%s (%llu)", p->name, (unsigned long long)p->pid);
		/* a process may have several contexts */
		share += json_real_value(json_object_get(args, key));
		err = json_object_set_new(args, key, json_real(share));
		share = 0;
	}
	snprintf(name, sizeof(name), "shares of SM %u", c->sm);
	return err | emit(c->out, json_pack("{s:s, s:s, s:f, s:I, s:o}", "name", name, "ph", "C",
					    "ts", (double)time / 1e6, "pid",
					    (json_int_t)PID_SHARING, "args", args));
}

static int count_shares(void *arg, uint32_t sm, uint64_t from, uint64_t to,
			const struct present *list, size_t count)
{
	struct counters *c = arg;
	int err = 0;

	if (c->any && (c->sm != sm || c->end != from))
		err = emit_shares(c, c->end, NULL, 0);
	c->sm = sm;
	c->end = to;
	c->any = 1;
	return err | emit_shares(c, from, list, count);
}

static int emit_decision(FILE *out, const struct trace *trace, const struct decision *d)
{
	static const char *const what[VGPU_DECISION_COUNT] = {
		[VGPU_DECISION_EVICT] = "block",
		[VGPU_DECISION_REPLACE] = "victim",
		[VGPU_DECISION_PARTITION] = "blocks",
		[VGPU_DECISION_QUOTA] = "instructions",
	};
	/* no limit */
	json_int_t value = d->what == 0xffffffff ? -1 : (json_int_t)d->what;

	return emit(out, json_pack("{s:s, s:s, s:s, s:f, s:I, s:I, s:{s:s, s:I, s:I}}", "name",
				   trace_decision_name(d->kind), "ph", "i", "s", "t", "ts",
				   (double)d->time / 1e6, "pid", (json_int_t)PID_PREEMPTION, "tid",
				   (json_int_t)d->sm, "args", "process",
				   trace->processes[d->context].name, "launch",
				   (json_int_t)d->kernel, what[d->kind], value));
}

static int emit_sharing(FILE *out, const struct trace *trace)
{
	struct counters c = { .out = out, .trace = trace };
	int err = 0;

	for (size_t i = 0; i < trace->decision_count && !err; i++)
		err = emit_decision(out, trace, &trace->decisions[i]);
	if (trace->part_count > 1)
		err |= name_track(out, "process_name", PID_SHARING, 0, "shares of SMs");
	if (!err)
		err = trace_presence(trace, count_shares, &c);
	return err || !c.any ? err : emit_shares(&c, c.end, NULL, 0);
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

/* ---- managed memory ------------------------------------------------------ */

static int emit_crossing(FILE *out, const struct trace *trace, const struct migration *m)
{
	char name[128];

	snprintf(name, sizeof(name), "%s: %s", trace->processes[m->context].name,
		 trace_cause_names[m->cause]);
	return emit(out, complete(name, m->crosses, m->crossed, PID_LINK, m->direction,
				  json_pack("{s:s, s:I, s:I}", "process",
					    trace->processes[m->context].name, "launch",
					    (json_int_t)m->kernel, "bytes", (json_int_t)m->bytes)));
}

/* Faults of a process and prefetches, as emit_fault() those of kernels. */
static int emit_request(FILE *out, const struct trace *trace, const struct migration *m, size_t id)
{
	static const char *const outcomes[] = { "in flight", "moved", "cancelled" };
	const char *name = m->cause == CAUSE_PROCESS ? "page fault of the process" : "prefetch";
	uint64_t end = m->outcome == MIGRATION_OPEN ? trace->end : m->end;
	json_int_t pid = PID_PROCESSES + (json_int_t)m->context;
	char address[32];
	int err;

	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)m->address);
	err = emit(out, json_pack("{s:s, s:s, s:s, s:I, s:f, s:I, s:I, "
				  "s:{s:s, s:I, s:I, s:s, s:s}}",
				  "name", name, "cat", "managed", "ph", "b", "id", (json_int_t)id,
				  "ts", (double)m->raised / 1e6, "pid", pid, "tid", (json_int_t)0,
				  "args", "address", address, "pages", (json_int_t)m->pages,
				  "bytes", (json_int_t)m->bytes, "direction",
				  trace_direction_names[m->direction], "end",
				  outcomes[m->outcome]));
	return err | emit(out, json_pack("{s:s, s:s, s:s, s:I, s:f, s:I, s:I}", "name", name, "cat",
					 "managed", "ph", "e", "id", (json_int_t)id, "ts",
					 (double)end / 1e6, "pid", pid, "tid", (json_int_t)0));
}

static int emit_eviction(FILE *out, const struct eviction *e)
{
	char address[32];

	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)e->address);
	return emit(out, json_pack("{s:s, s:s, s:s, s:f, s:I, s:I, s:{s:s, s:I, s:I, s:I}}", "name",
				   "eviction", "ph", "i", "s", "p", "ts", (double)e->time / 1e6,
				   "pid", PID_PROCESSES + (json_int_t)e->context, "tid",
				   (json_int_t)0, "args", "address", address, "pages",
				   (json_int_t)e->pages, "bytes", (json_int_t)e->bytes, "for",
				   (json_int_t)e->winner));
}

static int emit_managed(FILE *out, const struct trace *trace)
{
	int err = 0;

	if (trace->migration_count) {
		err |= name_track(out, "process_name", PID_LINK, 0, "interconnect");
		for (uint32_t n = 0; n < VGPU_DIRECTIONS; n++)
			err |= name_track(out, "thread_name", PID_LINK, n,
					  trace_direction_names[n]);
	}
	for (size_t i = 0; i < trace->migration_count && !err; i++) {
		const struct migration *m = &trace->migrations[i];

		if (m->outcome == MIGRATION_ARRIVED && m->bytes)
			err |= emit_crossing(out, trace, m);
		if (m->cause == CAUSE_PROCESS || m->cause == CAUSE_PREFETCH)
			err |= emit_request(out, trace, m, i);
	}
	for (size_t i = 0; i < trace->eviction_count && !err; i++)
		err |= emit_eviction(out, &trace->evictions[i]);
	return err;
}

/* An object for each process that used managed memory, in a member of the file's own. */
static int emit_managed_sums(FILE *out, const struct trace *trace)
{
	json_t *list = json_array();
	int err = !list;

	for (size_t i = 0; i < trace->process_count && !err; i++) {
		const struct process *p = &trace->processes[i];
		const struct managed *m = &p->managed;

		if (!trace_managed_used(m))
			continue;
		err = json_array_append_new(
			list,
			json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
				  "s:I, s:I, s:I}",
				  "process", p->name, "pid", (json_int_t)p->pid, "kernelFaults",
				  (json_int_t)m->kernel_faults, "processFaults",
				  (json_int_t)m->process_faults, "prefetches",
				  (json_int_t)m->prefetches, "pagesIn", (json_int_t)m->pages_in,
				  "bytesIn", (json_int_t)m->bytes_in, "pagesOut",
				  (json_int_t)m->pages_out, "bytesOut", (json_int_t)m->bytes_out,
				  "evictedClean", (json_int_t)m->evicted_clean, "evictedDirty",
				  (json_int_t)m->evicted_dirty, "refaults", (json_int_t)m->refaults,
				  "kernelWaitPs", (json_int_t)m->kernel_wait, "processWaitPs",
				  (json_int_t)m->process_wait, "cancelled",
				  (json_int_t)m->cancelled));
	}
	if (!err && json_array_size(list)) {
		fputs("\"managedMemory\":", out);
		err = json_dumpf(list, out, JSON_COMPACT);
		fputs(",\n", out);
	}
	json_decref(list);
	return err;
}

/* ---- kernels, and what programs call them -------------------------------- */

static uint64_t end_of(const struct kernel *k)
{
	return k->end > k->start ? k->end : k->start;
}

static const char *range_of(const struct trace *trace, const struct kernel *k)
{
	return trace_label_of(trace, k->context, k->queue, k->seq);
}

/* With the names of its stream and range, if it has them */
static json_t *kernel_args(const struct trace *trace, const struct kernel *k)
{
	const char *range = range_of(trace, k);
	const char *stream = trace_label_of(trace, k->context, k->queue, 0);
	json_t *args = json_pack("{s:I, s:I, s:I, s:I}", "blocks", (json_int_t)k->blocks, "module",
				 (json_int_t)k->module, "index", (json_int_t)k->index, "queue",
				 (json_int_t)k->queue);

	if (range)
		json_object_set_new(args, "range", json_string(range));
	if (stream)
		json_object_set_new(args, "stream", json_string(stream));
	return args;
}

/*
 * A track of each process: a range lasts from the first of its kernels to the end of the last,
 * where kernels of the same range follow each other.
 */
static int emit_ranges_of(FILE *out, const struct trace *trace, uint32_t process)
{
	const char *open = NULL, *range;
	uint64_t start = 0, end = 0, kernels = 0;
	bool named = false;
	int err = 0;

	for (size_t i = 0; i <= trace->kernel_count && !err; i++) {
		const struct kernel *k = i < trace->kernel_count ? &trace->kernels[i] : NULL;

		if (k && k->context != process)
			continue;
		range = k ? range_of(trace, k) : NULL;
		if (open && (!range || strcmp(open, range))) {
			err |= emit(out, complete(open, start, end, PID_PROCESSES + process, 1,
						  json_pack("{s:I}", "kernels",
							    (json_int_t)kernels)));
			open = NULL;
		}
		if (!range)
			continue;
		if (!named)
			err |= name_track(out, "thread_name", PID_PROCESSES + process, 1, "ranges");
		named = true;
		if (!open) {
			start = k->start;
			end = 0;
			kernels = 0;
		}
		open = range;
		end = end_of(k) > end ? end_of(k) : end;
		kernels++;
	}
	return err;
}

static int emit_ranges(FILE *out, const struct trace *trace)
{
	int err = 0;

	for (size_t i = 0; i < trace->process_count && trace->label_count && !err; i++)
		err |= emit_ranges_of(out, trace, (uint32_t)i);
	return err;
}

/* ---- the file ------------------------------------------------------------ */

int trace_chrome(const struct trace *trace, FILE *out)
{
	uint32_t last_sm = trace_copy_engine(0), seen_slots = 0;
	char name[NAME_BYTES + 32], title[NAME_BYTES];
	int err = 0;

	first = 1;
	fputs("{\"displayTimeUnit\":\"ns\",", out);
	err |= emit_managed_sums(out, trace);
	fputs("\"traceEvents\":[\n", out);
	err |= name_track(out, "process_name", PID_SMS, 0, "GPU");
	for (uint32_t n = 0; n < trace->copy_engines; n++)
		err |= name_track(out, "thread_name", PID_SMS, tid_of_engine(n),
				  trace_engine_name(trace, n, name, sizeof(name)));
	for (size_t i = 0; i < trace->span_count && !err; i++) {
		const struct span *s = &trace->spans[i];

		if (!trace_is_copy_engine(s->sm) && (s->sm != last_sm || s->slot >= seen_slots)) {
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
	if (trace->move_count || trace->decision_count)
		err |= name_track(out, "process_name", PID_PREEMPTION, 0, "preemption");
	for (size_t i = 0; i < trace->move_count && !err; i++)
		err |= emit_move(out, trace, &trace->moves[i]);
	if (!err)
		err |= emit_sharing(out, trace);
	if (trace->level_count)
		err |= name_track(out, "process_name", PID_FAULTS, 0, "page faults");
	for (size_t i = 0; i < trace->level_count && !err; i++)
		err |= emit_level(out, &trace->levels[i]);
	for (size_t i = 0; i < trace->fault_count && !err; i++)
		err |= emit_fault(out, trace, &trace->faults[i], i);
	if (!err)
		err |= emit_managed(out, trace);
	for (size_t i = 0; i < trace->process_count && !err; i++) {
		snprintf(name, sizeof(name), "%s (pid %llu)", trace->processes[i].name,
			 (unsigned long long)trace->processes[i].pid);
		err |= name_track(out, "process_name", PID_PROCESSES + (uint32_t)i, 0, name);
	}
	for (size_t i = 0; i < trace->kernel_count && !err; i++) {
		const struct kernel *k = &trace->kernels[i];

		snprintf(name, sizeof(name), "%s #%u", trace_kernel_name(k, title, sizeof(title)),
			 k->id);
		err |= emit(out, complete(name, k->start, end_of(k), PID_PROCESSES + k->context, 0,
					  kernel_args(trace, k)));
	}
	if (!err)
		err |= emit_ranges(out, trace);
	fputs("\n]}\n", out);
	return err || ferror(out) ? -1 : 0;
}
