// SPDX-License-Identifier: MIT
/*
 * Import of timelines: the Chrome trace that PyTorch's profiler (Kineto) exports. Of its events
 * those of cat kernel, gpu_memcpy, gpu_memset, cuda_runtime, cuda_driver and cuda_sync matter, and
 * annotations of steps; "deviceProperties" names the GPUs.
 */
#include <jansson.h>
#include <string.h>

#include "import.h"

enum member { PH, CAT, NAME, TS, DUR, ARGS, MEMBERS };

static const char *const member_names[MEMBERS] = { "ph", "cat", "name", "ts", "dur", "args" };

enum arg { GRID, BLOCK, REGS, SHARED, STREAM, DEVICE, CORRELATION, BYTES, SYNC_KIND, ARGUMENTS };

static const char *const arg_names[ARGUMENTS] = {
	"grid", "block",	"registers per thread", "shared memory",  "stream",
	"device", "correlation", "bytes",		 "cuda_sync_kind",
};

enum category { CAT_OTHER, CAT_KERNEL, CAT_MEMCPY, CAT_MEMSET, CAT_CALL, CAT_SYNC, CAT_STEP };

/** struct event - an event that matters */
struct event {
	struct imp_timeline *timeline;
	struct imp_piece members[MEMBERS];
	struct imp_piece args[ARGUMENTS];
	enum category category;
	u64 offset;
	u64 start, end;
	char name[512];			/* as it stands in the file, cut */
};

static bool is_text(const struct imp_piece *piece, const char *text)
{
	size_t length = strlen(text);

	return piece->length == length + 2 && piece->text[0] == '"' &&
	       !memcmp(piece->text + 1, text, length);
}

static enum category category_of(const struct imp_piece *cat)
{
	static const struct {
		const char *name;
		enum category category;
	} known[] = {
		{ "kernel", CAT_KERNEL },	{ "Kernel", CAT_KERNEL },
		{ "gpu_memcpy", CAT_MEMCPY },	{ "Memcpy", CAT_MEMCPY },
		{ "gpu_memset", CAT_MEMSET },	{ "Memset", CAT_MEMSET },
		{ "cuda_runtime", CAT_CALL },	{ "Runtime", CAT_CALL },
		{ "cuda_driver", CAT_CALL },	{ "cuda_sync", CAT_SYNC },
		{ "user_annotation", CAT_STEP },
	};
	unsigned int i;

	for (i = 0; i < VGPU_ARRAY_SIZE(known); i++)
		if (is_text(cat, known[i].name))
			return known[i].category;
	return CAT_OTHER;
}

static void copy_text(const struct imp_piece *piece, char *text, size_t size)
{
	size_t length = piece->length >= 2 && piece->text[0] == '"' ? piece->length - 2 : 0;

	if (length >= size)
		length = size - 1;
	if (length)
		memcpy(text, piece->text + 1, length);
	text[length] = 0;
}

/* A whole number up to @max. -1: it is not there, or none */
static int read_number(const struct imp_piece *piece, u64 max, u64 *value)
{
	char text[32];

	if (!piece->length || piece->length >= sizeof(text))
		return -1;
	memcpy(text, piece->text, piece->length);
	text[piece->length] = 0;
	return wl_decimal(text, 0, value) || *value > max ? -1 : 0;
}

/* "[x, y, z]": the product, each factor at least 1. -1: it is none, or more than @max */
static int read_product(const struct imp_piece *piece, u64 max, u64 *product)
{
	struct imp_piece number = {};
	unsigned int count = 0;
	const char *end;
	u64 factor;

	*product = 1;
	if (piece->length < 2 || piece->text[0] != '[')
		return -1;
	end = piece->text + piece->length;
	for (number.text = piece->text + 1; number.text < end; number.text += number.length + 1) {
		number.length = 0;
		number.text += strspn(number.text, " \t\r\n");
		while (number.text + number.length < end &&
		       !strchr(",] \t\r\n", number.text[number.length]))
			number.length++;
		if (read_number(&number, max, &factor) || !factor || *product > max / factor)
			return -1;
		*product *= factor;
		count++;
		number.length += strspn(number.text + number.length, " \t\r\n");
	}
	return count == 3 ? 0 : -1;
}

/* Stream, device and correlation; those that are not there are 0. */
static int read_keys(struct event *event, u64 *stream, u64 *device, u64 *correlation)
{
	*stream = *device = *correlation = 0;
	if ((event->args[STREAM].length &&
	     read_number(&event->args[STREAM], IMP_NONE - 1, stream)) ||
	    (event->args[DEVICE].length &&
	     read_number(&event->args[DEVICE], IMP_NONE - 1, device)) ||
	    (event->args[CORRELATION].length &&
	     read_number(&event->args[CORRELATION], IMP_NONE, correlation))) {
		imp_skip(event->timeline, IMP_SKIP_KEY, "byte %llu",
			 (unsigned long long)event->offset);
		return -1;
	}
	return 0;
}

static struct imp_command *add_command(struct event *event, enum imp_kind kind, u64 amount)
{
	struct imp_command *command;
	u64 stream, device, correlation;

	if (read_keys(event, &stream, &device, &correlation))
		return NULL;
	command = imp_add_command(event->timeline);
	if (!command)
		return NULL;
	command->start = event->start;
	command->end = event->end;
	command->kind = (u8)kind;
	command->amount = amount;
	command->stream = (u32)stream;
	command->device = (u32)device;
	command->correlation = (u32)correlation;
	return command;
}

static void read_kernel(struct event *event)
{
	struct imp_command *command;
	u64 blocks, threads, regs = 0, shared = 0;

	if (read_product(&event->args[GRID], IMP_BLOCKS_MAX, &blocks) ||
	    read_product(&event->args[BLOCK], 1024, &threads) ||
	    (event->args[REGS].length && read_number(&event->args[REGS], 255, &regs)) ||
	    (event->args[SHARED].length && read_number(&event->args[SHARED], 1 << 24, &shared))) {
		imp_skip(event->timeline, IMP_SKIP_SHAPE, "byte %llu",
			 (unsigned long long)event->offset);
		return;
	}
	command = add_command(event, IMP_KERNEL, blocks);
	if (!command)
		return;
	command->threads = (u16)threads;
	command->regs = (u8)regs;
	command->shared = (u32)shared;
	command->name = imp_name(event->timeline, event->name);
}

/* "Memcpy HtoD (Pageable -> Device)". Between devices it crosses the link, too. */
static void read_memcpy(struct event *event)
{
	static const struct {
		const char *part;
		enum imp_kind kind;
	} kinds[] = { { "HtoD", IMP_H2D },	{ "HostToDevice", IMP_H2D },
		      { "DtoH", IMP_D2H },	{ "DeviceToHost", IMP_D2H },
		      { "PtoP", IMP_D2H },	{ "DtoD", IMP_D2D },
		      { "DeviceToDevice", IMP_D2D } };
	unsigned int i;
	u64 bytes;

	for (i = 0; i < VGPU_ARRAY_SIZE(kinds); i++)
		if (strstr(event->name, kinds[i].part))
			break;
	if (i == VGPU_ARRAY_SIZE(kinds))
		imp_skip(event->timeline, IMP_SKIP_COPY, "byte %llu",
			 (unsigned long long)event->offset);
	else if (read_number(&event->args[BYTES], IMP_BYTES_MAX, &bytes) || !bytes)
		imp_skip(event->timeline, IMP_SKIP_BYTES, "byte %llu",
			 (unsigned long long)event->offset);
	else
		add_command(event, kinds[i].kind, bytes);
}

static void read_memset(struct event *event)
{
	u64 bytes;

	if (read_number(&event->args[BYTES], IMP_BYTES_MAX, &bytes))
		imp_skip(event->timeline, IMP_SKIP_BYTES, "byte %llu",
			 (unsigned long long)event->offset);
	else
		add_command(event, IMP_MEMSET, bytes);
}

/* A call, or, of cuda_sync, which stream it was for. */
static void read_call(struct event *event)
{
	bool sync = event->category == CAT_SYNC && event->args[STREAM].length;
	u64 stream = 0, correlation = 0;
	struct imp_call *call;
	int kind = IMP_SYNC_STREAM;

	if (event->category == CAT_CALL)
		kind = imp_call_kind(event->name);
	else if (!is_text(&event->args[SYNC_KIND], "Stream Sync"))
		return;
	if (kind < 0)
		return;
	if ((sync && read_number(&event->args[STREAM], IMP_NONE - 1, &stream)) ||
	    (event->args[CORRELATION].length &&
	     read_number(&event->args[CORRELATION], IMP_NONE, &correlation))) {
		imp_skip(event->timeline, IMP_SKIP_KEY, "byte %llu",
			 (unsigned long long)event->offset);
		return;
	}
	call = imp_add_call(event->timeline);
	if (!call)
		return;
	call->start = event->start;
	call->end = event->end;
	call->correlation = (u32)correlation;
	call->kind = (u32)kind;
	call->stream = sync ? (u32)stream : IMP_NONE;
}

static int read_args(struct event *event)
{
	struct imp_piece *args = &event->members[ARGS];
	u64 place;

	memset(event->args, 0, sizeof(event->args));
	if (!args->length)
		return 0;
	place = args->offset;
	if (args->text[0] == '{' &&
	    !imp_members(args, arg_names, event->args, ARGUMENTS, &place))
		return 0;
	return imp_refuse(event->timeline, "byte %llu: args must be an object, \"key\": value, ...",
			  (unsigned long long)place);
}

static int read_time(struct event *event)
{
	u64 took;

	if (imp_nanoseconds(&event->members[TS], &event->start) ||
	    imp_nanoseconds(&event->members[DUR], &took) ||
	    (took > IMP_COMMAND_NS_MAX && event->category < CAT_CALL)) {
		imp_skip(event->timeline, IMP_SKIP_TIME, "byte %llu",
			 (unsigned long long)event->offset);
		return -1;
	}
	event->end = event->start + took;
	return 0;
}

static int read_event(struct imp_timeline *timeline, const struct imp_piece *piece)
{
	const char *step = timeline->options->step;
	struct event event;
	u64 place;

	event.timeline = timeline;
	event.offset = piece->offset;
	if (imp_members(piece, member_names, event.members, MEMBERS, &place))
		return imp_refuse(timeline,
				  "byte %llu: an event must be \"key\": value, ... in braces",
				  (unsigned long long)place);
	if (!is_text(&event.members[PH], "X"))
		return 0;
	event.category = category_of(&event.members[CAT]);
	if (event.category == CAT_OTHER)
		return 0;
	copy_text(&event.members[NAME], event.name, sizeof(event.name));
	if ((event.category == CAT_STEP && strncmp(event.name, step, strlen(step))) ||
	    (event.category == CAT_CALL && imp_call_kind(event.name) < 0))
		return 0;
	if (read_args(&event))
		return -1;
	if (read_time(&event))
		return 0;
	switch (event.category) {
	case CAT_KERNEL:
		read_kernel(&event);
		break;
	case CAT_MEMCPY:
		read_memcpy(&event);
		break;
	case CAT_MEMSET:
		read_memset(&event);
		break;
	case CAT_STEP:
		imp_add_step(timeline, event.start, event.end);
		break;
	default:
		read_call(&event);
	}
	return timeline->message[0] ? -1 : 0;
}

static int read_gpus(struct imp_timeline *timeline, const struct imp_piece *piece)
{
	json_error_t error;
	json_t *gpus = json_loadb(piece->text, piece->length, 0, &error), *gpu;
	size_t i;

	if (!gpus)
		return imp_refuse(timeline, "byte %llu: deviceProperties: %s",
				  (unsigned long long)(piece->offset +
						       (u64)(error.position > 0 ? error.position :
										  0)),
				  error.text);
	json_array_foreach(gpus, i, gpu) {
		json_int_t id = json_integer_value(json_object_get(gpu, "id"));
		json_int_t sms = json_integer_value(json_object_get(gpu, "numSms"));
		const char *name = json_string_value(json_object_get(gpu, "name"));

		imp_add_gpu(timeline, id < 0 ? IMP_NONE : (u64)id, sms < 0 ? 0 : (u64)sms,
			    name ? name : "");
	}
	json_decref(gpus);
	return 0;
}

int imp_read_pytorch(struct imp_timeline *timeline)
{
	struct imp_scan *scan = imp_scan_open(timeline);
	struct imp_piece piece;
	bool other;
	int there;

	if (!scan)
		return -1;
	while ((there = imp_scan_next(scan, &piece, &other)) > 0)
		if (other ? read_gpus(timeline, &piece) : read_event(timeline, &piece)) {
			there = -1;
			break;
		}
	imp_scan_close(scan);
	return there;
}
