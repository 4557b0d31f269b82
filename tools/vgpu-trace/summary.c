// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: the table. One line per process: what it ran, when, and its share of the SM time that
 * was used.
 */
#include <inttypes.h>

#include "trace.h"

const char *const trace_move_names[MOVES] = { "draining", "saving", "restoring" };

char *trace_time_text(uint64_t ps, char *text, size_t size)
{
	if (ps < 10000ull * 1000)
		snprintf(text, size, "%.1f ns", (double)ps / 1e3);
	else if (ps < 10000ull * 1000000)
		snprintf(text, size, "%.1f us", (double)ps / 1e6);
	else
		snprintf(text, size, "%.3f ms", (double)ps / 1e9);
	return text;
}

int trace_summary(const struct trace *trace, FILE *out)
{
	uint64_t total = 0, shared = 0, preemptions = 0, latency = 0, in = 0, back = 0, evicted = 0;
	int managed = 0;
	char start[32], end[32];

	for (size_t i = 0; i < trace->process_count; i++) {
		total += trace->processes[i].sm_time;
		preemptions += trace->processes[i].preemptions;
		latency += trace->processes[i].preemption_time;
		in += trace->processes[i].managed.bytes_in;
		back += trace->processes[i].managed.bytes_out;
		evicted += trace->processes[i].managed.evicted_clean +
			   trace->processes[i].managed.evicted_dirty;
		managed |= trace_managed_used(&trace->processes[i].managed);
	}
	fprintf(out, "%-14s %8s %8s %14s %12s %12s %9s %9s  %s\n", "program", "pid", "kernels",
		"thread blocks", "start", "end", "SM time", "preempted", "result");
	for (size_t i = 0; i < trace->process_count; i++) {
		const struct process *p = &trace->processes[i];

		if (!p->seen)	/* opened and closed without a command */
			continue;
		fprintf(out,
			"%-14s %8" PRIu64 " %8" PRIu64 " %14" PRIu64 " %12s %12s %8.1f%% %9" PRIu64
			"  %s\n",
			p->name, p->pid, p->kernels, p->blocks,
			trace_time_text(p->start, start, sizeof(start)),
			trace_time_text(p->end, end, sizeof(end)),
			total ? 100.0 * (double)p->sm_time / (double)total : 0.0,
			p->preemptions + p->evicted,
			p->verdict);
	}
	for (unsigned int n = 1; n <= KERNELS_MOST; n++)
		shared += trace->side_by_side[n];
	fprintf(out, "%zu records, %u SMs seen, %s of virtual time\n", trace->records, trace->sms,
		trace_time_text(trace->end, end, sizeof(end)));
	if (preemptions)
		fprintf(out,
			"%" PRIu64
			" preemptions of an SM, %s from request to hand-over on average\n",
			preemptions, trace_time_text(latency / preemptions, start, sizeof(start)));
	if (shared)
		fprintf(out, "SMs that kernels share: two or more for %.1f %% of their time\n",
			100.0 * (double)(shared - trace->side_by_side[1]) / (double)shared);
	if (trace->partial_count) {
		uint64_t sum = 0;

		for (size_t i = 0; i < trace->partial_count; i++)
			sum += trace->partials[i];
		fprintf(out,
			"%zu thread blocks left an SM that others shared, %s from told to saved on "
			"average\n",
			trace->partial_count,
			trace_time_text(sum / trace->partial_count, start, sizeof(start)));
	}
	if (trace->fault_count)
		fprintf(out, "%zu page faults, at most %u in flight\n", trace->fault_count,
			trace->faults_most);
	if (managed)
		fprintf(out,
			"managed memory: %.1f KiB to the device, %.1f KiB to the host, %" PRIu64
			" pages evicted\n",
			(double)in / 1024, (double)back / 1024, evicted);
	if (trace->unmatched)
		fprintf(out,
			"%zu start or end records have no counterpart: the ring was full, or work "
			"was aborted\n",
			trace->unmatched);
	return ferror(out) ? -1 : 0;
}
