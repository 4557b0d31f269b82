// SPDX-License-Identifier: MIT
/*
 * Import of timelines: what a reader found, as arrays, and what became of names.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "import.h"

#define NAME_SLOTS	(2 * IMP_NAMES_MAX)

int imp_refuse(struct imp_timeline *timeline, const char *format, ...)
{
	size_t length = (size_t)snprintf(timeline->message, WL_MESSAGE_BYTES, "%s: ",
					 timeline->path);
	va_list args;

	if (length >= WL_MESSAGE_BYTES)
		return -1;
	va_start(args, format);
	vsnprintf(timeline->message + length, WL_MESSAGE_BYTES - length, format, args);
	va_end(args);
	return -1;
}

void imp_skip(struct imp_timeline *timeline, enum imp_skip why, const char *format, ...)
{
	va_list args;

	if (timeline->skipped[why]++)
		return;
	va_start(args, format);
	vsnprintf(timeline->skip_place[why], sizeof(timeline->skip_place[why]), format, args);
	va_end(args);
}

void imp_timeline_free(struct imp_timeline *timeline)
{
	free(timeline->commands);
	free(timeline->calls);
	free(timeline->steps);
	free(timeline->names);
	free(timeline->name_table);
}

/* ---- growing ------------------------------------------------------------ */

static void *add(struct imp_timeline *timeline, void *array, size_t *count, size_t *room,
		 size_t size, const char *what)
{
	void **elements = array;
	void *grown;

	if (*count == IMP_ITEMS_MAX) {
		imp_refuse(timeline, "more than %u %s; --from, --to or --steps cut a piece",
			   IMP_ITEMS_MAX, what);
		return NULL;
	}
	if (*count == *room) {
		size_t more = *room ? *room + *room / 2 : 1024;

		grown = realloc(*elements, more * size);
		if (!grown) {
			imp_refuse(timeline, "out of memory after %zu %s", *count, what);
			return NULL;
		}
		*elements = grown;
		*room = more;
	}
	grown = (char *)*elements + (*count)++ * size;
	return memset(grown, 0, size);
}

struct imp_command *imp_add_command(struct imp_timeline *timeline)
{
	return add(timeline, &timeline->commands, &timeline->command_count,
		   &timeline->command_room, sizeof(*timeline->commands), "commands");
}

struct imp_call *imp_add_call(struct imp_timeline *timeline)
{
	return add(timeline, &timeline->calls, &timeline->call_count, &timeline->call_room,
		   sizeof(*timeline->calls), "calls");
}

int imp_add_step(struct imp_timeline *timeline, u64 start, u64 end)
{
	struct imp_range *step = add(timeline, &timeline->steps, &timeline->step_count,
				     &timeline->step_room, sizeof(*step), "steps");

	if (!step)
		return -1;
	step->start = start;
	step->end = end;
	return 0;
}

/* ---- names -------------------------------------------------------------- */

/*
 * "void at::native::reduce_kernel<512, 1, ...>(...)" becomes "reduce_kernel": what is in front of
 * the arguments of template or function, behind the last "::". What a job file cannot have becomes
 * an underscore.
 */
static void shorten(const char *name, char *out)
{
	static const char anonymous[] = "(anonymous namespace)::";
	const char *start = name, *at = name;
	size_t i;

	while (*at && *at != '<') {
		if (!strncmp(at, anonymous, strlen(anonymous))) {
			at += strlen(anonymous);
			start = at;
		} else if (*at == '(') {
			break;
		} else if (at[0] == ':' && at[1] == ':') {
			at += 2;
			start = at;
		} else if (*at++ == ' ') {
			start = at;
		}
	}
	for (i = 0; i < WL_NAME_BYTES - 1 && start + i < at; i++) {
		char c = start[i];

		out[i] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
					 (c >= '0' && c <= '9') || c == '.' ?
				 c :
				 '_';
	}
	out[i] = 0;
	if (!i)
		strcpy(out, "kernel");
}

u32 imp_name(struct imp_timeline *timeline, const char *name)
{
	char text[WL_NAME_BYTES];
	u32 hash = 2166136261u, i;

	shorten(name, text);
	if (!timeline->names) {
		timeline->names = calloc(IMP_NAMES_MAX, sizeof(*timeline->names));
		timeline->name_table = calloc(NAME_SLOTS, sizeof(*timeline->name_table));
		if (!timeline->names || !timeline->name_table)
			return IMP_NONE;
	}
	for (i = 0; text[i]; i++)
		hash = (hash ^ (u8)text[i]) * 16777619u;
	for (i = hash % NAME_SLOTS; timeline->name_table[i]; i = (i + 1) % NAME_SLOTS)
		if (!strcmp(timeline->names[timeline->name_table[i] - 1], text))
			return timeline->name_table[i] - 1;
	if (timeline->name_count == IMP_NAMES_MAX)
		return IMP_NONE;
	strcpy(timeline->names[timeline->name_count], text);
	timeline->name_table[i] = ++timeline->name_count;
	return timeline->name_count - 1;
}

void imp_add_gpu(struct imp_timeline *timeline, u64 id, u64 sms, const char *name)
{
	struct imp_gpu *gpu = &timeline->gpus[timeline->gpu_count];

	if (timeline->gpu_count == IMP_GPUS_MAX || id >= IMP_NONE)
		return;
	timeline->gpu_count++;
	gpu->id = (u32)id;
	gpu->sms = sms < 65536 ? (u32)sms : 0;
	snprintf(gpu->name, sizeof(gpu->name), "%s", name);
}

/* nsys appends the version of the interface: cudaLaunchKernel_v7000. */
int imp_call_kind(const char *name)
{
	static const struct {
		const char *begins;
		enum imp_call_kind kind;
	} kinds[] = {
		{ "cudaLaunch", IMP_LAUNCH },
		{ "cuLaunch", IMP_LAUNCH },
		{ "cudaGraphLaunch", IMP_LAUNCH },
		{ "cuGraphLaunch", IMP_LAUNCH },
		{ "cudaMemcpy", IMP_COPY },
		{ "cuMemcpy", IMP_COPY },
		{ "cudaMemset", IMP_LAUNCH },
		{ "cuMemset", IMP_LAUNCH },
		{ "cudaDeviceSynchronize", IMP_SYNC_DEVICE },
		{ "cuCtxSynchronize", IMP_SYNC_DEVICE },
		{ "cudaStreamSynchronize", IMP_SYNC_STREAM },
		{ "cuStreamSynchronize", IMP_SYNC_STREAM },
		{ "cudaEventSynchronize", IMP_SYNC_STREAM },
		{ "cuEventSynchronize", IMP_SYNC_STREAM },
		{ "cudaStreamWaitEvent", IMP_STREAM_WAIT },
		{ "cuStreamWaitEvent", IMP_STREAM_WAIT },
		{ "hipLaunch", IMP_LAUNCH },
		{ "hipExtLaunch", IMP_LAUNCH },
		{ "hipExtModuleLaunch", IMP_LAUNCH },
		{ "hipModuleLaunch", IMP_LAUNCH },
		{ "hipGraphLaunch", IMP_LAUNCH },
		{ "hipMemcpy", IMP_COPY },
		{ "hipMemset", IMP_LAUNCH },
		{ "hipDeviceSynchronize", IMP_SYNC_DEVICE },
		{ "hipStreamSynchronize", IMP_SYNC_STREAM },
		{ "hipEventSynchronize", IMP_SYNC_STREAM },
		{ "hipStreamWaitEvent", IMP_STREAM_WAIT },
	};
	unsigned int i;

	for (i = 0; i < VGPU_ARRAY_SIZE(kinds); i++)
		if (!strncmp(name, kinds[i].begins, strlen(kinds[i].begins)))
			return (int)kinds[i].kind;
	return -1;
}
