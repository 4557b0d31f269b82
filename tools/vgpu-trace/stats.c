// SPDX-License-Identifier: MIT
/*
 * vgpu-trace stats: what took the time, in the manner of nsys stats: kernels by name, copies by
 * kind, how long commands waited, how long preemptions took, who shared SMs, page faults, managed
 * memory. All times are virtual.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"

/** struct group - durations that belong together */
struct group {
	char name[NAME_BYTES];
	uint64_t *times;
	size_t count, room;
	uint64_t total, bytes;
};

struct groups {
	struct group *list;
	size_t count;
	bool rates;		/* bytes are of what was done one after another */
};

static struct group *find_group(struct groups *groups, const char *name)
{
	struct group *more;

	for (size_t i = 0; i < groups->count; i++)
		if (!strcmp(groups->list[i].name, name))
			return &groups->list[i];
	more = realloc(groups->list, (groups->count + 1) * sizeof(*more));
	if (!more)
		return NULL;
	groups->list = more;
	more += groups->count++;
	memset(more, 0, sizeof(*more));
	snprintf(more->name, sizeof(more->name), "%s", name);
	return more;
}

static int add_sample(struct groups *groups, const char *name, uint64_t time, uint64_t bytes)
{
	struct group *group = find_group(groups, name);

	if (!group)
		return -1;
	if (group->count == group->room) {
		size_t room = group->room ? 2 * group->room : 64;
		uint64_t *times = realloc(group->times, room * sizeof(*times));

		if (!times)
			return -1;
		group->times = times;
		group->room = room;
	}
	group->times[group->count++] = time;
	group->total += time;
	group->bytes += bytes;
	return 0;
}

static void groups_free(struct groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		free(groups->list[i].times);
	free(groups->list);
	memset(groups, 0, sizeof(*groups));
}

/* ---- tables ------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int by_total(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->total < y->total ? 1 : x->total > y->total ? -1 : strcmp(x->name, y->name);
}

static char *text(uint64_t ps)
{
	static char room[8][32];
	static unsigned int next;

	return trace_time_text(ps, room[next++ % 8], sizeof(room[0]));
}

/* A line a group, the one that took longest first. */
static void table(struct groups *groups, FILE *out, const char *title, const char *what)
{
	uint64_t total = 0;

	if (!groups->count)
		return;
	for (size_t i = 0; i < groups->count; i++) {
		qsort(groups->list[i].times, groups->list[i].count, sizeof(uint64_t), by_time);
		total += groups->list[i].total;
	}
	qsort(groups->list, groups->count, sizeof(*groups->list), by_total);
	fprintf(out, "%s\n%7s %11s %8s %11s %11s %11s %11s  %s\n", title, "time", "total", "count",
		"mean", "median", "least", "most", what);
	for (size_t i = 0; i < groups->count; i++) {
		const struct group *g = &groups->list[i];

		/* what took no time among what did is no news */
		if (total && !g->total)
			continue;
		fprintf(out, "%6.1f%% %11s %8zu %11s %11s %11s %11s  %s",
			total ? 100.0 * (double)g->total / (double)total : 0.0, text(g->total),
			g->count, text(g->total / g->count), text(g->times[g->count / 2]),
			text(g->times[0]), text(g->times[g->count - 1]), g->name);
		if (g->bytes)
			fprintf(out, ", %.1f KiB", (double)g->bytes / 1024);
		if (groups->rates && g->bytes && g->total)
			fprintf(out, ", %.2f GB/s", (double)g->bytes / (double)g->total * 1e3);
		fputc('\n', out);
	}
	fputc('\n', out);
	groups_free(groups);
}

/* ---- what is in them ---------------------------------------------------- */

static const char *op_name(uint32_t op)
{
	static const char *const names[VGPU_CMD_COUNT] = {
		[VGPU_CMD_NOP] = "nop",
		[VGPU_CMD_LAUNCH] = "launch",
		[VGPU_CMD_COPY_H2D] = "copy to device",
		[VGPU_CMD_COPY_D2H] = "copy to host",
		[VGPU_CMD_COPY_D2D] = "copy on device",
		[VGPU_CMD_FILL] = "fill",
		[VGPU_CMD_WAIT] = "wait for a queue",
		[VGPU_CMD_STAMP] = "stamp",
		[VGPU_CMD_PREFETCH] = "prefetch",
		[VGPU_CMD_HOST] = "wait for the process",
		[VGPU_CMD_ANNOUNCE] = "announcement",
		[VGPU_CMD_PROFILED] = "profiled launch",
	};

	return op < VGPU_CMD_COUNT && names[op] ? names[op] : "other";
}

static int kernels(const struct trace *trace, FILE *out)
{
	struct groups groups = { 0 };
	char name[NAME_BYTES];
	int err = 0;

	for (size_t i = 0; i < trace->kernel_count && !err; i++) {
		const struct kernel *k = &trace->kernels[i];

		if (k->end >= k->start && k->end)
			err = add_sample(&groups, trace_kernel_name(k, name, sizeof(name)),
				  k->end - k->start, 0);
	}
	table(&groups, out, "Kernels, from the first thread block to the last", "name");
	return err;
}

static int copies(const struct trace *trace, FILE *out)
{
	struct groups groups = { .rates = true };
	int err = 0;

	for (size_t i = 0; i < trace->span_count && !err; i++) {
		const struct span *s = &trace->spans[i];

		if (trace_is_copy_engine(s->sm))
			err = add_sample(&groups, op_name(s->slot), s->end - s->start, s->what);
	}
	table(&groups, out,
	      trace->copy_engines == 1 ? "Copies, on the transfer engine" :
					 "Copies, on the copy engines",
	      "kind, bytes, rate");
	return err;
}

/*
 * A command waits in its queue for those before it, then in its engine for its turn. A wait for
 * another queue is all waiting.
 */
static int waits(const struct trace *trace, FILE *out)
{
	struct groups groups = { 0 };
	char name[NAME_BYTES];
	int err = 0;

	for (size_t i = 0; i < trace->queue_count; i++) {
		for (size_t j = 0; j < trace->queues[i].count && !err; j++) {
			const struct command *c = &trace->queues[i].commands[j];

			if (c->stages & COMMAND_DISPATCHED) {
				snprintf(name, sizeof(name), "%s, in its queue", op_name(c->op));
				err = add_sample(&groups, name, c->dispatch - c->push, 0);
			}
			if (c->stages & COMMAND_STARTED && c->stages & COMMAND_DISPATCHED) {
				snprintf(name, sizeof(name), "%s, in its engine", op_name(c->op));
				err |= add_sample(&groups, name, c->start - c->dispatch, 0);
			}
			if (c->op == VGPU_CMD_WAIT && c->stages & COMMAND_COMPLETE &&
			    c->stages & COMMAND_DISPATCHED)
				err |= add_sample(&groups, op_name(c->op), c->end - c->dispatch, 0);
		}
	}
	table(&groups, out, "Waits, before a command starts", "of");
	return err;
}

static int preemptions(const struct trace *trace, FILE *out)
{
	struct groups groups = { .rates = true };
	int err = 0;

	for (size_t i = 0; i < trace->preemption_count && !err; i++)
		err = add_sample(&groups, "request to hand-over", trace->preemptions[i], 0);
	for (size_t i = 0; i < trace->move_count && !err; i++) {
		const struct span *s = &trace->moves[i];

		err = add_sample(&groups, trace_move_names[s->slot], s->end - s->start, s->what);
	}
	if (trace->preemption_count && !err) {
		uint64_t *times = find_group(&groups, "request to hand-over")->times;

		qsort(times, trace->preemption_count, sizeof(*times), by_time);
		fprintf(out, "%zu preemptions of an SM, 99 %% of them within %s\n\n",
			trace->preemption_count,
			text(times[(trace->preemption_count - 1) * 99 / 100]));
	}
	table(&groups, out, "Preemptions of an SM", "part");
	return err;
}

/* What a mechanism that chooses for each block expected, beside what came of it; per block. */
static int ways(const struct trace *trace, FILE *out)
{
	int used = 0;

	for (unsigned int n = 0; n < VGPU_LEAVES; n++) {
		const struct ways *w = &trace->ways[n];
		uint64_t known = w->count - w->unknown;

		if (!w->count)
			continue;
		if (!used++)
			fprintf(out,
				"Thread blocks told to leave an SM, by what was chosen; means\n"
				"%8s %11s %11s %11s %11s %9s  %s\n",
				"count", "estimated", "real", "lost, est.", "lost, real",
				"otherwise", "way");
		fprintf(out, "%8" PRIu64 " %11s %11s %11s %11s %9" PRIu64 "  %s\n", w->count,
			known ? text(w->estimated / known) : "-",
			known ? text(w->latency / known) : "-", text(w->lost_estimated / w->count),
			text(w->lost / w->count), w->otherwise, trace_way_name(n));
	}
	if (used)
		fputc('\n', out);
	if (trace->flushes)
		fprintf(out,
			"%" PRIu64 " thread blocks flushed, which had run for %s on average\n\n",
			trace->flushes, text(trace->flushed_time / trace->flushes));
	return 0;
}

/* ---- SMs that several kernels share -------------------------------------- */

/* What the blocks of a process have of an SM, on average over the time that it is there. */
static void shared_sums(const struct trace *trace, FILE *out)
{
	int used = 0;

	for (size_t i = 0; i < trace->process_count; i++) {
		const struct process *p = &trace->processes[i];
		const struct shared *s = &p->shared;

		if (s->time <= 0)
			continue;
		if (!used++)
			fprintf(out,
				"Shared SMs, by process: its part of an SM, on average while it is "
				"there\n%11s %7s %10s %11s %7s %7s %8s  %s\n",
				"there", "blocks", "registers", "shared KiB", "warps", "share",
				"evicted", "process");
		fprintf(out,
			"%11s %7.2f %10.0f %11.1f %7.2f %6.1f%% %8" PRIu64 "  %.40s (%" PRIu64
			")\n",
			text((uint64_t)s->time), s->blocks / s->time, s->registers / s->time,
			s->shared_bytes / s->time / 1024, s->warps / s->time,
			100 * s->share / s->time, p->evicted, p->name, p->pid);
	}
	if (used)
		fputc('\n', out);
}

static int sharing(const struct trace *trace, FILE *out)
{
	struct groups groups = { 0 };
	uint64_t total = 0;
	const char *comma = " ";
	int err = 0;

	shared_sums(trace, out);
	for (unsigned int n = 1; n <= KERNELS_MOST; n++)
		total += trace->side_by_side[n];
	if (total)
		fputs("Kernels side by side on an SM:", out);
	for (unsigned int n = 1; n <= KERNELS_MOST; n++) {
		double part = total ? 100.0 * (double)trace->side_by_side[n] / (double)total : 0;

		if (!trace->side_by_side[n])
			continue;
		fprintf(out, "%s%u for %.1f %%", comma, n, part);
		comma = ", ";
	}
	if (total)
		fputs(" of the time\n\n", out);
	if (trace->decision_count) {
		fputs("Decisions of the policy:", out);
		for (uint32_t d = 0; d < VGPU_DECISION_COUNT; d++)
			fprintf(out, "%s%s %" PRIu64, d ? ", " : " ", trace_decision_name(d),
				trace->decided[d]);
		fputs("\n\n", out);
	}
	for (size_t i = 0; i < trace->partial_count && !err; i++)
		err = add_sample(&groups, "told to leave to saved", trace->partials[i], 0);
	table(&groups, out, "Thread blocks that left an SM that others shared", "part");
	return err;
}

/* What faulted, and where. Those that never ended, or that the file has no end of, are counted. */
static int faults(const struct trace *trace, FILE *out)
{
	struct groups kernels = { 0 }, mappings = { 0 };
	size_t delayed = 0, served = 0, cancelled = 0;
	int err = 0;

	for (size_t i = 0; i < trace->fault_count && !err; i++) {
		const struct page_fault *f = &trace->faults[i];
		const struct process *p = &trace->processes[f->context];
		const struct kernel *k = trace_kernel(trace, f->kernel);
		char title[NAME_BYTES] = "?", name[NAME_BYTES];

		delayed += !!f->delayed;
		served += f->outcome == FAULT_SERVED;
		cancelled += f->outcome == FAULT_CANCELLED;
		if (f->outcome != FAULT_SERVED)
			continue;
		if (k)
			trace_kernel_name(k, title, sizeof(title));
		snprintf(name, sizeof(name), "%.40s (%" PRIu64 "), %.60s", p->name, p->pid, title);
		err = add_sample(&kernels, name, f->end - f->start, 0);
		snprintf(name, sizeof(name), "%.40s (%" PRIu64 "), 0x%" PRIx64, p->name, p->pid,
			 f->mapping);
		err |= add_sample(&mappings, name, f->end - f->start, f->pages * VGPU_PAGE_SIZE);
	}
	if (trace->fault_count && !err)
		fprintf(out,
			"%zu page faults, at most %u in flight; %zu delayed by a full fault "
			"buffer, %zu served, %zu cancelled\n\n",
			trace->fault_count, trace->faults_most, delayed, served, cancelled);
	table(&kernels, out, "Page faults, from raised to served, by kernel", "process, kernel");
	table(&mappings, out, "Page faults, by mapping", "process, address, bytes");
	return err;
}

/* ---- managed memory ------------------------------------------------------ */

/* A line a process; what left the device is with what was evicted. */
static void managed_sums(const struct trace *trace, FILE *out)
{
	int used = 0;

	for (size_t i = 0; i < trace->process_count; i++) {
		const struct process *p = &trace->processes[i];
		const struct managed *m = &p->managed;

		if (!trace_managed_used(m))
			continue;
		if (!used++)
			fprintf(out,
				"Managed memory, by process\n"
				"%17s %10s %19s %19s %23s %23s\n"
				"%8s %8s %10s %8s %10s %8s %10s %7s %7s %7s %11s %11s  %s\n",
				"page faults of", "", "to the device", "to the host",
				"evicted pages", "waited for faults", "kernels", "process",
				"prefetches", "pages", "KiB", "pages", "KiB", "clean", "dirty",
				"again", "kernels", "process", "process");
		fprintf(out,
			"%8" PRIu64 " %8" PRIu64 " %10" PRIu64 " %8" PRIu64 " %10.1f %8" PRIu64
			" %10.1f %7" PRIu64 " %7" PRIu64 " %7" PRIu64 " %11s %11s  %.40s (%" PRIu64
			")\n",
			m->kernel_faults, m->process_faults, m->prefetches, m->pages_in,
			(double)m->bytes_in / 1024, m->pages_out, (double)m->bytes_out / 1024,
			m->evicted_clean, m->evicted_dirty, m->refaults, text(m->kernel_wait),
			text(m->process_wait), p->name, p->pid);
	}
	if (used)
		fputc('\n', out);
}

static int managed(const struct trace *trace, FILE *out)
{
	struct groups crossings = { .rates = true }, faults_of_processes = { 0 };
	char name[NAME_BYTES];
	int err = 0;

	managed_sums(trace, out);
	for (size_t i = 0; i < trace->migration_count && !err; i++) {
		const struct migration *m = &trace->migrations[i];
		const struct process *p = &trace->processes[m->context];

		if (m->outcome != MIGRATION_ARRIVED)
			continue;
		if (m->bytes) {
			snprintf(name, sizeof(name), "%s, %s", trace_direction_names[m->direction],
				 trace_cause_names[m->cause]);
			err = add_sample(&crossings, name, m->crossed - m->crosses, m->bytes);
		}
		if (m->cause == CAUSE_PROCESS) {
			snprintf(name, sizeof(name), "%.40s (%" PRIu64 "), 0x%" PRIx64, p->name,
				 p->pid, m->mapping);
			err |= add_sample(&faults_of_processes, name, m->end - m->raised,
					  m->pages * VGPU_PAGE_SIZE);
		}
	}
	table(&crossings, out, "Data of managed memory, on the interconnect",
	      "direction, cause, bytes, rate");
	table(&faults_of_processes, out,
	      "Page faults of processes, from raised to served, by mapping",
	      "process, address, bytes");
	return err;
}

static int counters(const struct trace *trace, FILE *out)
{
	struct counts counts = {};
	int err = counts_of_trace(&counts, trace);

	counts_print(&counts, out);
	counts_free(&counts);
	return err;
}

int trace_stats(const struct trace *trace, FILE *out)
{
	int err = kernels(trace, out) || copies(trace, out) || waits(trace, out) ||
		  preemptions(trace, out) || ways(trace, out) || sharing(trace, out) ||
		  faults(trace, out) || managed(trace, out) || counters(trace, out);

	if (trace->unmatched)
		fprintf(out,
			"%zu start or end records have no counterpart: the ring was full, or work "
			"was aborted\n",
			trace->unmatched);
	return err || ferror(out) ? -1 : 0;
}
