// SPDX-License-Identifier: MIT
/*
 * Import of timelines: the choice of device, window and steps, and the order in which the host
 * issued commands.
 */
#include <stdlib.h>
#include <string.h>

#include "import.h"

/* ---- the choice --------------------------------------------------------- */

#define OWNERS_MAX	256u

/* Of all devices and processes the one with the most commands, or that which is asked for. */
static int choose_owner(struct imp_timeline *timeline, u32 *device, u32 *process)
{
	struct {
		u32 device, process;
		u64 count;
	} owners[OWNERS_MAX];
	u32 wanted = timeline->options->device, count = 0, best = IMP_NONE, i;
	size_t n;

	for (n = 0; n < timeline->command_count; n++) {
		const struct imp_command *c = &timeline->commands[n];

		for (i = 0; i < count; i++)
			if (owners[i].device == c->device && owners[i].process == c->process)
				break;
		if (i == OWNERS_MAX)
			continue;
		if (i == count) {
			owners[i].device = c->device;
			owners[i].process = c->process;
			owners[i].count = 0;
			count++;
		}
		owners[i].count++;
	}
	for (i = 0; i < count; i++)
		if ((wanted == IMP_NONE || owners[i].device == wanted) &&
		    (best == IMP_NONE || owners[i].count > owners[best].count))
			best = i;
	if (best == IMP_NONE && wanted != IMP_NONE)
		return imp_refuse(timeline, "no command of device %u; the file has device %u",
				  wanted, count ? owners[0].device : 0);
	if (best == IMP_NONE)
		return imp_refuse(timeline,
				  "no kernel, copy or memset of a GPU; the profiler must record "
				  "activities of CUDA");
	*device = owners[best].device;
	*process = owners[best].process;
	for (i = 0; i < timeline->gpu_count; i++)
		if (!timeline->gpu || timeline->gpus[i].id == *device)
			timeline->gpu = &timeline->gpus[i];
	return 0;
}

static void sort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	if (count)
		qsort(array, count, size, compare);
}

static int by_start(const void *a, const void *b)
{
	const struct imp_command *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static int by_issue(const void *a, const void *b)
{
	const struct imp_command *x = a, *y = b;

	if (x->issue != y->issue)
		return x->issue < y->issue ? -1 : 1;
	return by_start(a, b);
}

static int calls_by_correlation(const void *a, const void *b)
{
	const struct imp_call *x = a, *y = b;

	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static int calls_by_start(const void *a, const void *b)
{
	const struct imp_call *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->correlation < y->correlation ? -1 : x->correlation > y->correlation;
}

#define SAME_MAX	16u	/* calls of one correlation that are looked at; a file has two */

/* The call that issued @command, among those sorted by correlation; NULL: none */
static const struct imp_call *find_call(const struct imp_timeline *timeline,
					const struct imp_command *command)
{
	size_t low = 0, high = timeline->call_count;
	u32 same;

	if (!command->correlation)
		return NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (timeline->calls[middle].correlation < command->correlation)
			low = middle + 1;
		else
			high = middle;
	}
	for (same = 0; same < SAME_MAX && low < timeline->call_count &&
		       timeline->calls[low].correlation == command->correlation;
	     same++, low++)
		if (timeline->calls[low].kind <= IMP_COPY)
			return &timeline->calls[low];
	return NULL;
}

/* Commands and calls of the chosen device and process only. */
static void drop_others(struct imp_timeline *timeline, u32 device, u32 process)
{
	size_t n, kept = 0;

	for (n = 0; n < timeline->command_count; n++) {
		const struct imp_command *c = &timeline->commands[n];

		if (c->device == device && c->process == process)
			timeline->commands[kept++] = *c;
		else
			imp_skip(timeline, IMP_SKIP_DEVICE, "device %u, process %u", c->device,
				 c->process);
	}
	timeline->command_count = kept;
	for (n = 0, kept = 0; n < timeline->call_count; n++)
		if (timeline->calls[n].process == process)
			timeline->calls[kept++] = timeline->calls[n];
	timeline->call_count = kept;
}

/*
 * A sync may be there twice: as a call, and as an activity that says which stream it was for. They
 * have the same correlation.
 */
static void merge_syncs(struct imp_timeline *timeline)
{
	size_t n, kept = 0;

	for (n = 0; n < timeline->call_count; n++) {
		const struct imp_call *call = &timeline->calls[n];
		struct imp_call *before = kept ? &timeline->calls[kept - 1] : NULL;

		if (before && call->correlation && before->correlation == call->correlation &&
		    before->kind == IMP_SYNC_STREAM && call->kind == IMP_SYNC_STREAM) {
			if (before->stream == IMP_NONE)
				before->stream = call->stream;
			if (call->end > before->end)
				before->end = call->end;
			continue;
		}
		timeline->calls[kept++] = *call;
	}
	timeline->call_count = kept;
}

/* When the host issued each command: at its call, or when it began, if there is none. */
static void find_issues(struct imp_timeline *timeline)
{
	size_t n;

	sort(timeline->calls, timeline->call_count, sizeof(*timeline->calls),
	     calls_by_correlation);
	merge_syncs(timeline);
	for (n = 0; n < timeline->command_count; n++) {
		struct imp_command *c = &timeline->commands[n];
		const struct imp_call *call = find_call(timeline, c);

		c->issue = call && call->start < c->start ? call->start : c->start;
		c->called = call != NULL;
		c->blocks = call && call->kind == IMP_COPY && call->end >= c->end;
	}
}

/* ---- the window --------------------------------------------------------- */

static int ranges_by_start(const void *a, const void *b)
{
	const struct imp_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int choose_window(struct imp_timeline *timeline, u64 *from, u64 *to)
{
	const struct imp_options *options = timeline->options;
	u64 begin = ~0ull;
	size_t n;

	for (n = 0; n < timeline->command_count; n++)
		if (timeline->commands[n].issue < begin)
			begin = timeline->commands[n].issue;
	*from = begin + options->from_ns;
	*to = options->to_ns > ~0ull - begin ? ~0ull : begin + options->to_ns;
	if (!options->first_step)
		return 0;
	if (options->last_step > timeline->step_count)
		return imp_refuse(timeline, "%zu steps, annotations that begin with %s; --steps %u",
				  timeline->step_count, options->step, options->last_step);
	sort(timeline->steps, timeline->step_count, sizeof(*timeline->steps), ranges_by_start);
	if (timeline->steps[options->first_step - 1].start > *from)
		*from = timeline->steps[options->first_step - 1].start;
	if (timeline->steps[options->last_step - 1].end < *to)
		*to = timeline->steps[options->last_step - 1].end;
	return 0;
}

/* What was issued in the window; calls, too. */
static int cut(struct imp_timeline *timeline)
{
	u64 from, to;
	size_t n, kept = 0;

	if (choose_window(timeline, &from, &to))
		return -1;
	for (n = 0; n < timeline->command_count; n++) {
		const struct imp_command *c = &timeline->commands[n];

		if (c->issue >= from && c->issue < to)
			timeline->commands[kept++] = *c;
		else
			imp_skip(timeline, IMP_SKIP_WINDOW, "%.3f us",
				 ((double)c->issue - (double)from) / 1e3);
	}
	timeline->command_count = kept;
	for (n = 0, kept = 0; n < timeline->call_count; n++)
		if (timeline->calls[n].start >= from && timeline->calls[n].start < to)
			timeline->calls[kept++] = timeline->calls[n];
	timeline->call_count = kept;
	if (!timeline->command_count)
		return imp_refuse(timeline, "nothing was issued in the window");
	return 0;
}

/* ---- order -------------------------------------------------------------- */

/* Streams get numbers 1.. in the order in which they come; what is beyond 64 joins the last. */
static void number_streams(struct imp_timeline *timeline)
{
	u32 names[WL_STREAMS_MAX];
	size_t n;
	u32 i;

	timeline->streams = 0;
	for (n = 0; n < timeline->command_count; n++) {
		struct imp_command *c = &timeline->commands[n];

		for (i = 0; i < timeline->streams && names[i] != c->stream; i++)
			;
		if (i == WL_STREAMS_MAX)
			i--;
		if (i == timeline->streams)
			names[timeline->streams++] = c->stream;
		c->stream = i + 1;
	}
	for (n = 0; n < timeline->call_count; n++) {
		struct imp_call *call = &timeline->calls[n];

		for (i = 0; i < timeline->streams && names[i] != call->stream; i++)
			;
		call->stream = i < timeline->streams ? i + 1 : IMP_NONE;
	}
}

/*
 * A stream runs its commands in the order in which they began: none is issued before the one that
 * began before it. What has no call is issued with the command before it.
 */
static void order_streams(struct imp_timeline *timeline)
{
	u64 last[WL_STREAMS_MAX + 1] = {};
	size_t n;

	for (n = 0; n < timeline->command_count; n++) {
		struct imp_command *c = &timeline->commands[n];

		if (c->issue < last[c->stream] || (!c->called && last[c->stream]))
			c->issue = last[c->stream];
		last[c->stream] = c->issue;
	}
}

static int find_length(struct imp_timeline *timeline)
{
	size_t n;

	timeline->begin = timeline->commands[0].issue;
	for (n = 0; n < timeline->command_count; n++)
		if (timeline->commands[n].end > timeline->end)
			timeline->end = timeline->commands[n].end;
	if (timeline->end - timeline->begin > IMP_NS_MAX)
		return imp_refuse(timeline,
				  "from the first command to the last it is more than 2^53 ns; "
				  "--from and --to cut a piece");
	return 0;
}

int imp_timeline_order(struct imp_timeline *timeline)
{
	u32 device = 0, process = 0;

	if (choose_owner(timeline, &device, &process))
		return -1;
	drop_others(timeline, device, process);
	find_issues(timeline);
	if (cut(timeline))
		return -1;
	sort(timeline->commands, timeline->command_count, sizeof(*timeline->commands), by_start);
	number_streams(timeline);
	order_streams(timeline);
	sort(timeline->commands, timeline->command_count, sizeof(*timeline->commands), by_issue);
	sort(timeline->calls, timeline->call_count, sizeof(*timeline->calls), calls_by_start);
	return find_length(timeline);
}
