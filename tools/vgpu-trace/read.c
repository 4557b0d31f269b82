// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: from records to spans. Pairs each start with its end; what has lost its other half (a
 * full ring) is counted and left out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

#define SLOTS 64	/* slots of an SM that are told apart */

struct open_block {
	uint64_t start, block;
	uint32_t kernel, context;
	int busy;
};

struct reader {
	struct trace *trace;
	struct open_block *blocks;	/* [sm][slot] */
	struct span *moving;		/* [sm]: what it does now; end 1: nothing */
	struct sharing *sharing;
	uint32_t sms;
	size_t process_room, kernel_room, span_room, move_room, preemption_room;
	struct span copies[COPY_ENGINES];	/* of each engine, one at a time */
	int copying[COPY_ENGINES];
};

int trace_array_grow(void *array, size_t *room, size_t count, size_t size)
{
	void **p = array, *bigger;
	size_t want = *room ? *room * 2 : 64;

	if (count < *room)
		return 0;
	bigger = realloc(*p, want * size);
	if (!bigger)
		return -1;
	*p = bigger;
	*room = want;
	return 0;
}

/* Index of a context; contexts opened before the trace began appear at their first record. */
static long find_process(struct reader *r, uint32_t context)
{
	struct trace *t = r->trace;
	struct process *p;

	for (size_t i = t->process_count; i-- > 0;)
		if (t->processes[i].context == context)
			return (long)i;
	if (trace_array_grow(&t->processes, &r->process_room, t->process_count, sizeof(*p)))
		return -1;
	p = &t->processes[t->process_count];
	memset(p, 0, sizeof(*p));
	p->context = context;
	snprintf(p->name, sizeof(p->name), "context %u", context);
	snprintf(p->verdict, sizeof(p->verdict), "-");
	return (long)t->process_count++;
}

struct kernel *trace_kernel(const struct trace *t, uint32_t id)
{
	size_t low = 0, high = t->kernel_count;

	while (low < high) {	/* ids grow with time */
		size_t mid = low + (high - low) / 2;

		if (t->kernels[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < t->kernel_count && t->kernels[low].id == id ? &t->kernels[low] : NULL;
}

static int add_kernel(struct reader *r, const struct vgpu_trace_record *rec, uint32_t process)
{
	struct trace *t = r->trace;
	size_t at;

	if (trace_array_grow(&t->kernels, &r->kernel_room, t->kernel_count, sizeof(*t->kernels)))
		return -1;
	/* kernels start in nearly the order of their ids */
	for (at = t->kernel_count; at > 0 && t->kernels[at - 1].id > rec->kernel; at--)
		t->kernels[at] = t->kernels[at - 1];
	t->kernels[at] = (struct kernel) {
		.id = rec->kernel, .context = process, .start = rec->time, .blocks = rec->a,
		.module = (uint32_t)(rec->b >> 32), .index = (uint32_t)rec->b,
		.queue = rec->queue, .seq = rec->seq,
	};
	t->kernel_count++;
	return 0;
}

static int add_span(struct reader *r, const struct span *span)
{
	struct trace *t = r->trace;

	if (trace_array_grow(&t->spans, &r->span_room, t->span_count, sizeof(*span)))
		return -1;
	t->spans[t->span_count++] = *span;
	return 0;
}

/* Room for what SM @sm does. */
static int see_sm(struct reader *r, uint32_t sm)
{
	uint32_t sms = sm + 1u;
	struct open_block *blocks;
	struct span *moving;

	if (sm == 0xffff)
		return -1;
	if (sm < r->sms)
		return 0;
	blocks = realloc(r->blocks, (size_t)sms * SLOTS * sizeof(*blocks));
	if (!blocks)
		return -1;
	r->blocks = blocks;
	moving = realloc(r->moving, sms * sizeof(*moving));
	if (!moving)
		return -1;
	r->moving = moving;
	memset(&blocks[(size_t)r->sms * SLOTS], 0,
	       (size_t)(sms - r->sms) * SLOTS * sizeof(*blocks));
	for (; r->sms < sms; r->sms++)
		moving[r->sms] = (struct span) { .end = 1 };
	return 0;
}

static struct open_block *slot_of(struct reader *r, const struct vgpu_trace_record *rec)
{
	if (rec->b >= SLOTS || see_sm(r, rec->sm))
		return NULL;
	return &r->blocks[(size_t)rec->sm * SLOTS + rec->b];
}

/* The SM begins to drain, save or restore (@what < MOVES), or ends that. */
static int move(struct reader *r, const struct vgpu_trace_record *rec, uint32_t process,
		enum move what)
{
	struct trace *t = r->trace;
	struct span *m;

	if (see_sm(r, rec->sm)) {
		t->unmatched++;
		return 0;
	}
	m = &r->moving[rec->sm];
	if (!m->end) {
		if (trace_array_grow(&t->moves, &r->move_room, t->move_count, sizeof(*m)))
			return -1;
		m->end = rec->time;
		if (m->end > m->start)
			t->moves[t->move_count++] = *m;
		m->end = 1;
	}
	if (what < MOVES)
		*m = (struct span){ .start = rec->time,
				    .context = process,
				    .kernel = rec->kernel,
				    .sm = rec->sm,
				    .slot = what,
				    .part = sharing_part(r->sharing, rec->sm, rec->kernel),
				    .what = what == MOVE_DRAIN ? 0 : rec->b };
	return 0;
}

static int block_record(struct reader *r, const struct vgpu_trace_record *rec, uint32_t process)
{
	struct open_block *open = slot_of(r, rec);

	if (!open) {
		r->trace->unmatched++;
		return 0;
	}
	if (rec->type == VGPU_TRACE_BLOCK_START || rec->type == VGPU_TRACE_BLOCK_RESUME) {
		if (open->busy)
			r->trace->unmatched++;
		*open = (struct open_block) { rec->time, rec->a, rec->kernel, process, 1 };
		return 0;
	}
	if (!open->busy || open->kernel != rec->kernel || open->block != rec->a) {
		r->trace->unmatched++;
		return 0;
	}
	open->busy = 0;
	r->trace->processes[process].blocks += rec->type == VGPU_TRACE_BLOCK_END;
	return add_span(r, &(struct span) {
		.start = open->start, .end = rec->time, .context = process, .kernel = rec->kernel,
		.what = rec->a, .sm = rec->sm, .slot = (uint32_t)rec->b,
		.part = sharing_part(r->sharing, rec->sm, rec->kernel),
	});
}

static int copy_record(struct reader *r, const struct vgpu_trace_record *rec, uint32_t process)
{
	struct process *p = &r->trace->processes[process];
	uint32_t engine = (uint32_t)(rec->b >> 32);
	struct span *copy;

	if (engine >= COPY_ENGINES) {
		r->trace->unmatched++;
		return 0;
	}
	if (engine >= r->trace->copy_engines)
		r->trace->copy_engines = engine + 1;
	copy = &r->copies[engine];
	if (rec->type == VGPU_TRACE_COPY_START) {
		*copy = (struct span){ .start = rec->time,
				       .context = process,
				       .what = rec->a,
				       .sm = trace_copy_engine(engine),
				       .slot = (uint32_t)rec->b };
		r->copying[engine] = 1;
		return 0;
	}
	if (!r->copying[engine] || copy->context != process) {
		r->trace->unmatched++;
		return 0;
	}
	r->copying[engine] = 0;
	copy->end = rec->time;
	p->copies++;
	p->bytes += rec->a;
	return add_span(r, copy);
}

static int add_preemption(struct reader *r, uint64_t time)
{
	struct trace *t = r->trace;

	if (trace_array_grow(&t->preemptions, &r->preemption_room, t->preemption_count,
		 sizeof(*t->preemptions)))
		return -1;
	t->preemptions[t->preemption_count++] = time;
	return 0;
}

/* Three counters of a kernel. -1: no memory */
static int add_counts(struct trace *t, const struct vgpu_trace_record *rec)
{
	const uint64_t values[3] = { rec->seq, rec->a, rec->b };
	struct kernel *k = trace_kernel(t, rec->kernel);

	if (!k) {
		t->unmatched++;
		return 0;
	}
	if (!k->counts) {
		k->counts = malloc(VGPU_COUNTER_COUNT * sizeof(*k->counts));
		if (!k->counts)
			return -1;
		memset(k->counts, 0xff, VGPU_COUNTER_COUNT * sizeof(*k->counts));
	}
	for (unsigned int n = 0; n < 3; n++)
		if (rec->queue < VGPU_COUNTER_COUNT && rec->queue + n < VGPU_COUNTER_COUNT)
			k->counts[rec->queue + n] = values[n];
	return 0;
}

/* What also belongs to the life of a command. */
static int is_stage(uint16_t type)
{
	return type == VGPU_TRACE_PUSH || type == VGPU_TRACE_DISPATCH ||
	       type == VGPU_TRACE_KERNEL_START || type == VGPU_TRACE_COPY_START ||
	       type == VGPU_TRACE_COMPLETE;
}

static int read_record(struct reader *r, const struct vgpu_trace_record *rec)
{
	struct trace *t = r->trace;
	struct process *p;
	struct kernel *k;
	long process;

	if (rec->type >= VGPU_TRACE_COUNT) {
		t->unmatched++;
		return 0;
	}
	if (rec->time > t->end)
		t->end = rec->time;
	process = find_process(r, rec->context);
	if (process < 0)
		return -1;
	if (is_stage(rec->type) && trace_command(t, rec))
		return -1;
	if (sharing_record(r->sharing, rec, (uint32_t)process))
		return -1;
	p = &t->processes[process];
	switch (rec->type) {
	case VGPU_TRACE_CONTEXT_OPEN:
		p->pid = rec->a;
		return 0;
	case VGPU_TRACE_CONTEXT_CLOSE:
		p->fault = (uint32_t)rec->a;
		return 0;
	case VGPU_TRACE_DISPATCH:
		if (!p->seen)
			p->start = rec->time;
		p->seen = 1;
		return 0;
	case VGPU_TRACE_COMPLETE:
		p->end = rec->time;
		return 0;
	case VGPU_TRACE_KERNEL_START:
		return add_kernel(r, rec, (uint32_t)process);
	case VGPU_TRACE_KERNEL_END:
		k = trace_kernel(t, rec->kernel);
		if (k)
			k->end = rec->time;
		else
			t->unmatched++;
		p->kernels++;
		return 0;
	case VGPU_TRACE_KERNEL_NAME:
		k = trace_kernel(t, rec->kernel);
		if (k)
			trace_name_piece(k, rec);
		return 0;
	case VGPU_TRACE_KERNEL_COUNTS:
		return add_counts(t, rec);
	case VGPU_TRACE_RANGE:
	case VGPU_TRACE_STREAM_NAME:
		return trace_label(t, rec, (uint32_t)process);
	case VGPU_TRACE_COPY_START:
	case VGPU_TRACE_COPY_END:
		return copy_record(r, rec, (uint32_t)process);
	case VGPU_TRACE_BLOCK_START:
	case VGPU_TRACE_BLOCK_END:
	case VGPU_TRACE_BLOCK_PREEMPT:
	case VGPU_TRACE_BLOCK_RESUME:
		return block_record(r, rec, (uint32_t)process);
	case VGPU_TRACE_PREEMPT_START:
		return move(r, rec, (uint32_t)process, MOVE_DRAIN);
	case VGPU_TRACE_PREEMPT_END:
		p->preemptions++;
		p->preemption_time += rec->time - rec->a;
		if (add_preemption(r, rec->time - rec->a))
			return -1;
		return move(r, rec, (uint32_t)process, MOVES);
	case VGPU_TRACE_SAVE_START:
		return move(r, rec, (uint32_t)process, MOVE_SAVE);
	case VGPU_TRACE_RESTORE_START:
		return move(r, rec, (uint32_t)process, MOVE_RESTORE);
	case VGPU_TRACE_SAVE_END:
	case VGPU_TRACE_RESTORE_END:
		return move(r, rec, (uint32_t)process, MOVES);
	case VGPU_TRACE_BLOCK_FLUSH:
		t->flushes++;
		t->flushed_time += rec->b;
		return 0;
	case VGPU_TRACE_LEAVE_CHOSEN:
	case VGPU_TRACE_LEAVE_END:
		return trace_leave(t, rec);
	case VGPU_TRACE_LINE:
		return trace_line(t, rec);
	case VGPU_TRACE_MESSAGE:
		return trace_message(t, rec);
	case VGPU_TRACE_INSTRUCTION:
		return trace_instruction(t, rec, (uint32_t)process);
	default:
		if (trace_managed(t, rec, (uint32_t)process))
			return -1;
		return trace_fault(t, rec, (uint32_t)process);
	}
}

static int by_place(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->sm != y->sm)
		return x->sm < y->sm ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/*
 * SM time of a process: the union of its blocks' spans on each SM, not their sum: blocks share an
 * SM. That of SMs which kernels share is divided among them (sharing.c).
 */
static void account(struct trace *t)
{
	for (size_t i = 0; i < t->span_count;) {
		uint32_t sm = t->spans[i].sm;
		size_t next = i;

		while (next < t->span_count && t->spans[next].sm == sm)
			next++;
		for (size_t p = 0; !trace_is_copy_engine(sm) && p < t->process_count; p++) {
			uint64_t covered = 0;

			for (size_t j = i; j < next; j++) {
				const struct span *s = &t->spans[j];
				uint64_t from = s->start > covered ? s->start : covered;

				if (s->part || s->context != p || s->end <= from)
					continue;
				t->processes[p].sm_time += s->end - from;
				covered = s->end;
			}
		}
		i = next;
	}
}

int trace_read(FILE *file, const char *path, struct trace *trace)
{
	struct reader r = { .trace = trace };
	struct vgpu_trace_record rec;
	char magic[sizeof(TRACE_MAGIC) - 1];
	int err = 0;

	memset(trace, 0, sizeof(*trace));
	trace->copy_engines = 1;
	if (fread(magic, sizeof(magic), 1, file) != 1 ||
	    memcmp(magic, TRACE_MAGIC, sizeof(magic))) {
		fprintf(stderr, "vgpu-trace: %s is not a vgpu trace: it does not begin with %s\n",
			path, TRACE_MAGIC);
		return -1;
	}
	r.sharing = sharing_new(trace);
	err = r.sharing ? 0 : -1;
	while (!err && fread(&rec, sizeof(rec), 1, file) == 1) {
		trace->records++;
		err = read_record(&r, &rec);
	}
	free(r.blocks);
	free(r.moving);
	sharing_free(r.sharing);
	if (err || ferror(file)) {
		fprintf(stderr, "vgpu-trace: %s: %s\n", path,
			err ? strerror(ENOMEM) : strerror(errno));
		trace_free(trace);
		return -1;
	}
	trace->sms = r.sms;
	if (trace->span_count)
		qsort(trace->spans, trace->span_count, sizeof(*trace->spans), by_place);
	account(trace);
	trace_sort_instructions(trace);
	trace_sort_messages(trace);
	trace_sort_labels(trace);
	if (!trace_account_shared(trace))
		return 0;
	fprintf(stderr, "vgpu-trace: %s: %s\n", path, strerror(ENOMEM));
	trace_free(trace);
	return -1;
}

int trace_names(struct trace *trace, const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned long long pid;
	char line[256], name[64], verdict[32];

	if (!file) {
		fprintf(stderr, "vgpu-trace: %s: %s\n", path, strerror(errno));
		return -1;
	}
	while (fgets(line, sizeof(line), file)) {
		int n = sscanf(line, "%llu %63s %31[^\n]", &pid, name, verdict);

		if (n < 2)
			continue;
		for (size_t i = 0; i < trace->process_count; i++) {
			struct process *p = &trace->processes[i];

			if (p->pid != pid)
				continue;
			snprintf(p->name, sizeof(p->name), "%s", name);
			if (n == 3)
				snprintf(p->verdict, sizeof(p->verdict), "%s", verdict);
		}
	}
	fclose(file);
	return 0;
}

void trace_free(struct trace *trace)
{
	for (size_t i = 0; i < trace->queue_count; i++)
		free(trace->queues[i].commands);
	free(trace->queues);
	free(trace->preemptions);
	free(trace->faults);
	free(trace->levels);
	trace_managed_free(trace);
	free(trace->processes);
	for (size_t i = 0; i < trace->kernel_count; i++)
		free(trace->kernels[i].counts);
	free(trace->kernels);
	free(trace->labels);
	free(trace->spans);
	free(trace->moves);
	free(trace->parts);
	free(trace->decisions);
	free(trace->partials);
	free(trace->leavers);
	trace_free_lines(trace);
	free(trace->instructions);
	free(trace->messages);
	memset(trace, 0, sizeof(*trace));
}
