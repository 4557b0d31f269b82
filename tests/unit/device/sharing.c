// SPDX-License-Identifier: MIT
/*
 * The tests of shared SMs write what has to happen; see sharing.h.
 */
#include <stdlib.h>

#include "sharing.h"

static const char *const kind_names[] = { "start", "end", "preempt", "resume", "evict", "replace" };

static bool kind_of(const struct vgpu_trace_record *r, enum sharing_kind *kind)
{
	switch (r->type) {
	case VGPU_TRACE_BLOCK_START:
		*kind = START;
		return true;
	case VGPU_TRACE_BLOCK_END:
		*kind = END;
		return true;
	case VGPU_TRACE_BLOCK_PREEMPT:
		*kind = PREEMPT;
		return true;
	case VGPU_TRACE_BLOCK_RESUME:
		*kind = RESUME;
		return true;
	case VGPU_TRACE_DECISION:
		*kind = r->a == VGPU_DECISION_EVICT ? EVICT : REPLACE;
		return r->a == VGPU_DECISION_EVICT || r->a == VGPU_DECISION_REPLACE;
	default:
		return false;
	}
}

static u64 number_of(const struct vgpu_trace_record *r)
{
	return r->type == VGPU_TRACE_DECISION ? r->b : r->a;
}

static void print_events(const struct host *h)
{
	enum sharing_kind kind;

	for (size_t i = 0; i < h->record_count; i++) {
		const struct vgpu_trace_record *r = &h->records[i];

		if (kind_of(r, &kind))
			print_message("%8llu.%05llu %s kernel %u sm %u: %llu\n", r->time / TENTH,
				      r->time % TENTH, kind_names[kind], r->kernel, r->sm,
				      number_of(r));
		else if (r->type == VGPU_TRACE_DECISION && r->a == VGPU_DECISION_PARTITION)
			print_message("%8llu partition kernel %u sm %u: %llu\n", r->time / TENTH,
				      r->kernel, r->sm, r->b);
	}
}

static void take_record(struct host *h, bool *taken, const struct expected *e, u32 number)
{
	enum sharing_kind kind;

	for (size_t i = 0; i < h->record_count; i++) {
		const struct vgpu_trace_record *r = &h->records[i];

		if (taken[i] || !kind_of(r, &kind) || kind != e->kind ||
		    r->time != e->time * TENTH || r->kernel != e->kernel ||
		    (r->sm != e->sm && e->sm != ANY) || number_of(r) != number)
			continue;
		taken[i] = true;
		return;
	}
	print_events(h);
	fail_msg("not there: %u %s kernel %u sm %u: %u", e->time, kind_names[e->kind], e->kernel,
		 e->sm, number);
}

void sharing_check(struct host *h, u32 kernel, const struct expected *events, u32 count)
{
	bool *taken = calloc(h->record_count + 1, sizeof(*taken));
	enum sharing_kind kind;

	assert_non_null(taken);
	for (u32 n = 0; n < count; n++) {
		const struct expected *e = &events[n];
		u32 step = e->step ? e->step : 1;

		for (u32 times = e->times ? e->times : 1; times--;)
			for (u32 number = e->first; number == e->first || number <= e->last;
			     number += step)
				take_record(h, taken, e, number);
	}
	for (size_t i = 0; i < h->record_count; i++) {
		const struct vgpu_trace_record *r = &h->records[i];

		if (taken[i] || !kind_of(r, &kind) || (kernel && r->kernel != kernel))
			continue;
		print_events(h);
		fail_msg("not expected: %llu %s kernel %u sm %u: %llu", r->time / TENTH,
			 kind_names[kind], r->kernel, r->sm, number_of(r));
	}
	free(taken);
}

void sharing_check_partition(struct host *h, u32 time, u32 sm, u32 kernel, u32 blocks)
{
	u32 found = VGPU_NO_PARTITION;

	for (size_t i = 0; i < h->record_count; i++) {
		const struct vgpu_trace_record *r = &h->records[i];

		if (r->type == VGPU_TRACE_DECISION && r->a == VGPU_DECISION_PARTITION &&
		    r->sm == sm && r->kernel == kernel && r->time <= time * TENTH)
			found = (u32)r->b;
	}
	if (found != blocks) {
		print_events(h);
		fail_msg("at %u kernel %u has a partition of %u on SM %u, must be %u", time,
			 kernel, found, sm, blocks);
	}
}

void sharing_check_runs(struct host *h, u32 kernel, u32 blocks, u32 tenths)
{
	u64 *run = calloc(blocks, sizeof(*run));
	u32 *starts = calloc(blocks, sizeof(*starts)), *ends = calloc(blocks, sizeof(*ends));
	enum sharing_kind kind;

	assert_true(run && starts && ends);
	for (size_t i = 0; i < h->record_count; i++) {
		const struct vgpu_trace_record *r = &h->records[i];

		if (r->kernel != kernel || !kind_of(r, &kind) || kind == EVICT || kind == REPLACE)
			continue;
		assert_in_range(r->a, 0, blocks - 1);
		starts[r->a] += kind == START;
		ends[r->a] += kind == END;
		run[r->a] += kind == START || kind == RESUME ? -r->time : r->time;
	}
	/* one that is preempted at its very end runs for a picosecond more */
	for (u32 n = 0; n < blocks; n++)
		if (starts[n] != 1 || ends[n] != 1 || run[n] - tenths * TENTH > 10)
			fail_msg("block %u of kernel %u: %u starts, %u ends, ran %llu ps", n,
				 kernel, starts[n], ends[n], run[n]);
	free(run);
	free(starts);
	free(ends);
}

u64 sharing_end(struct host *h, u32 kernel)
{
	return host_time_of(h, VGPU_TRACE_KERNEL_END, kernel) / TENTH;
}

/* ---- what is done ------------------------------------------------------- */

static void run_to(struct host *h, u64 time)
{
	u64 next;

	do {
		next = vgpu_device_run(h->dev, time, 1);
		assert_true(vgpu_exec_check(&h->dev->exec));
	} while (next <= time && next != VGPU_NEVER);
}

void sharing_run(struct host *h, u32 time)
{
	run_to(h, time * TENTH);
}

void sharing_run_out(struct host *h)
{
	run_to(h, VGPU_NEVER);
}

void sharing_arrive(struct host *h, u32 context, u32 time, struct kernel kernel)
{
	struct vgpu_cmd cmd = cmd_profiled(kernel.blocks, kernel.tenths * TENTH, 1);

	sharing_run(h, time - 10);
	cmd.profiled.regs_per_block = kernel.regs;
	cmd.profiled.shared_bytes = kernel.shared;
	cmd.profiled.threads = kernel.threads ? kernel.threads : 32;
	host_push(h, context, host_queue(h, context), cmd);
}

u32 sharing_arrives(struct host *h, u32 time, struct kernel kernel)
{
	u32 context = host_open(h);

	sharing_arrive(h, context, time, kernel);
	return context;
}

void sharing_set(struct host *h, const char *knob, const char *value)
{
	assert_int_equal(vgpu_device_knob_set(h->dev, knob, value), 0);
}
