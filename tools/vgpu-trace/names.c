// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: names of kernels and engines. The trace has those of kernels as the linker does; of a
 * C++ name only what it is called is shown, without arguments.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/netlink/client.h"
#include "trace.h"

void trace_name_piece(struct kernel *kernel, const struct vgpu_trace_record *rec)
{
	uint64_t piece[3] = { rec->seq, rec->a, rec->b };

	if (rec->queue + sizeof(piece) < sizeof(kernel->name))
		memcpy(kernel->name + rec->queue, piece, sizeof(piece));
}

/* A label is told in one piece after the other; nothing comes in between. */
int trace_label(struct trace *trace, const struct vgpu_trace_record *rec, uint32_t process)
{
	uint64_t piece[3] = { rec->seq, rec->a, rec->b };
	bool range = rec->type == VGPU_TRACE_RANGE;
	size_t bytes = (range ? 2 : 3) * sizeof(*piece);
	struct label *label;

	if (!rec->kernel) {
		if (trace_array_grow(&trace->labels, &trace->label_room, trace->label_count,
				     sizeof(*label)))
			return -1;
		trace->labels[trace->label_count] = (struct label){
			.context = process,
			.queue = rec->queue,
			.seq = range ? rec->seq : 0,
			.order = trace->label_count,
		};
		trace->label_count++;
	}
	if (!trace->label_count)
		return 0;
	label = &trace->labels[trace->label_count - 1];
	if (rec->kernel < sizeof(label->text) && rec->kernel + bytes < sizeof(label->text))
		memcpy(label->text + rec->kernel, piece + range, bytes);
	return 0;
}

static int compare_labels(const struct label *a, const struct label *b)
{
	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	if (a->queue != b->queue)
		return a->queue < b->queue ? -1 : 1;
	if (a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int by_command(const void *a, const void *b)
{
	return compare_labels(a, b);
}

void trace_sort_labels(struct trace *trace)
{
	if (trace->label_count)
		qsort(trace->labels, trace->label_count, sizeof(*trace->labels), by_command);
}

/* The last that was told is the one that counts. */
const char *trace_label_of(const struct trace *trace, uint32_t process, uint32_t queue,
			   uint64_t seq)
{
	const struct label wanted = { .context = process, .queue = queue, .seq = seq,
				      .order = ~(size_t)0 };
	size_t low = 0, high = trace->label_count;

	/* those before @low come before @wanted */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_labels(&trace->labels[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || trace->labels[low - 1].context != process ||
	    trace->labels[low - 1].queue != queue || trace->labels[low - 1].seq != seq)
		return NULL;
	return trace->labels[low - 1].text;
}

const char *trace_kernel_name(const struct kernel *kernel, char *text, size_t size)
{
	if (kernel->name[0])
		return client_kernel_name(kernel->name, text, size);
	if (kernel->module == ~0u)
		snprintf(text, size, "profiled %u", kernel->index);
	else
		snprintf(text, size, "module %u kernel %u", kernel->module, kernel->index);
	return text;
}

char *trace_engine_name(const struct trace *trace, uint32_t engine, char *text, size_t size)
{
	if (trace->copy_engines == 1)
		snprintf(text, size, "transfer engine");
	else
		snprintf(text, size, "copy engine %u", engine);
	return text;
}

const char *trace_decision_name(uint32_t decision)
{
	static const char *const names[VGPU_DECISION_COUNT] = {
		[VGPU_DECISION_ADMIT] = "admit",
		[VGPU_DECISION_ASSIGN] = "assign",
		[VGPU_DECISION_RESERVE] = "reserve",
		[VGPU_DECISION_EVICT] = "evict",
		[VGPU_DECISION_REPLACE] = "replace",
		[VGPU_DECISION_PARTITION] = "partition",
		[VGPU_DECISION_QUOTA] = "quota",
	};

	return decision < VGPU_DECISION_COUNT ? names[decision] : "?";
}
