// SPDX-License-Identifier: MIT
/*
 * vgpu-smi: for programs: CSV of the fields that are asked for, by the names nvidia-smi has for
 * them where it has one. What a device without hardware has not (a temperature, a fan) is [N/A], so
 * that scripts which ask go on working.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "smi.h"

/** struct row - what a line is about; of --query-gpu @context is NULL */
struct row {
	const struct view *view;
	const struct client_device *device;
	const struct client_context *context;
};

/**
 * struct field - one column
 * @unit: behind each value, and in brackets behind the name in the header; NULL: none
 */
struct field {
	const char *name, *unit, *help;
	void (*value)(const struct row *row, char *text, size_t size);
};

#define U64(name_, expression)								\
static void name_(const struct row *row, char *text, size_t size)			\
{											\
	snprintf(text, size, "%" PRIu64, (uint64_t)(expression));			\
}
#define TEXT(name_, expression)								\
static void name_(const struct row *row, char *text, size_t size)			\
{											\
	snprintf(text, size, "%s", expression);						\
}
#define REAL(name_, expression)								\
static void name_(const struct row *row, char *text, size_t size)			\
{											\
	snprintf(text, size, "%.3f", expression);					\
}
#define KNOB(name_, knob)								\
static void name_(const struct row *row, char *text, size_t size)			\
{											\
	client_knob_value(row->device, knob, text, size);				\
}

/* ---- devices ------------------------------------------------------------ */

static void timestamp(const struct row *row, char *text, size_t size)
{
	struct timespec now;

	(void)row;
	clock_gettime(CLOCK_REALTIME, &now);
	size -= strftime(text, size, "%Y/%m/%d %H:%M:%S", localtime(&now.tv_sec));
	snprintf(text + strlen(text), size, ".%03ld", now.tv_nsec / 1000000);
}

static void not_there(const struct row *row, char *text, size_t size)
{
	(void)row;
	snprintf(text, size, "[N/A]");
}

static double mean_us(uint64_t time, uint64_t count)
{
	return count ? (double)time / (double)count / 1e6 : 0;
}

static void uuid_of(const struct row *row, char *text, size_t size)
{
	client_uuid(row->device->index, text, size);
}

static void bus_of(const struct row *row, char *text, size_t size)
{
	client_bus(row->device->index, text, size);
}

static void disabled(const struct row *row, char *text, size_t size)
{
	(void)row;
	snprintf(text, size, "Disabled");
}

/* An older module does not say. */
static void capability_of(const struct row *row, char *text, size_t size)
{
	uint64_t found = row->device->compute_capability;

	if (!found) {
		not_there(row, text, size);
		return;
	}
	snprintf(text, size, "%" PRIu64 ".%" PRIu64, found / 10, found % 10);
}

U64(index_of, row->device->index)
U64(nothing, ((void)row, 0))
TEXT(default_of, ((void)row, "Default"))
U64(count_of, row->view->device_count)
U64(version_of, ((void)row, VGPU_UAPI_VERSION))
TEXT(preset_of, row->device->preset)
TEXT(node_of, row->device->name)
U64(memory_total, row->device->vram_bytes >> 20)
U64(memory_free, row->device->vram_free >> 20)
U64(memory_used, (row->device->vram_bytes - row->device->vram_free + (1 << 20) - 1) >> 20)
U64(memory_resident, row->device->vram_resident >> 10)
U64(utilization, view_utilization(row->view, row->device))
U64(copy_share, view_copy_share(row->view, row->device))
U64(clock_mhz, row->device->clock_khz / 1000)
U64(queues_used, row->device->queues)
U64(queues_total, row->device->hw_queues)
U64(contexts_of, row->device->contexts)
REAL(time_ms, (double)row->device->time / 1e9)
TEXT(time_mode, row->device->clock)
REAL(preemption_us, mean_us(row->device->preemption_time, row->device->preemptions))
U64(save_area_kib, row->device->save_area >> 10)
KNOB(policy_of, "policy")
KNOB(preemption_of, "preemption")
KNOB(transfer_of, "transfer_policy")

/* The statistics, by their names in vgpu_stats.h; a field above of the same name comes first. */
#define STAT_VALUE(number, attribute, path, member, file, text) U64(gpu_##file, row->device->member)
#define STAT_FIELD(number, attribute, path, member, file, text) { #file, NULL, text, gpu_##file },
VGPU_DEVICE_STATS(STAT_VALUE)
#undef STAT_VALUE

static const struct field gpu_fields[] = {
	{ "timestamp", NULL, "real time of the query", timestamp },
	{ "index", NULL, "number of the device", index_of },
	{ "count", NULL, "number of devices", count_of },
	{ "name", NULL, "preset of the device", preset_of },
	{ "gpu_name", NULL, "the same", preset_of },
	{ "uuid", NULL, "as cudaDeviceProp.uuid", uuid_of },
	{ "gpu_uuid", NULL, "the same", uuid_of },
	{ "pci.bus_id", NULL, "as cudaDeviceGetPCIBusId()", bus_of },
	{ "gpu_bus_id", NULL, "the same", bus_of },
	{ "compute_cap", NULL, "compute capability, as 8.0", capability_of },
	{ "compute_mode", NULL, "", default_of },
	{ "node", NULL, "device file in /dev", node_of },
	{ "driver_version", NULL, "version of the module's interface", version_of },
	{ "memory.total", "MiB", "", memory_total },
	{ "memory.free", "MiB", "device memory that is not reserved", memory_free },
	{ "memory.used", "MiB", "promised", memory_used },
	{ "memory.resident", "KiB", "backed by pages of this machine", memory_resident },
	{ "utilization.gpu", "%", "SM time not idle, of the virtual time since the last look",
	  utilization },
	{ "utilization.memory", "%", "time in which copy engine 0 transferred, of the same",
	  copy_share },
	{ "memory.reserved", "MiB", "", nothing },
	{ "clocks.sm", "MHz", "", clock_mhz },
	{ "clocks.gr", "MHz", "the same", clock_mhz },
	{ "clocks.current.sm", "MHz", "the same", clock_mhz },
	{ "clocks.current.graphics", "MHz", "the same", clock_mhz },
	{ "clocks.max.sm", "MHz", "the same", clock_mhz },
	{ "clocks.max.graphics", "MHz", "the same", clock_mhz },
	{ "persistence_mode", NULL, "", disabled },
	{ "display_mode", NULL, "", disabled },
	{ "display_active", NULL, "", disabled },
	{ "queues.used", NULL, "", queues_used },
	{ "queues.total", NULL, "", queues_total },
	{ "contexts", NULL, "open", contexts_of },
	{ "policy", NULL, "", policy_of },
	{ "preemption", NULL, "mechanism", preemption_of },
	{ "transfer_policy", NULL, "", transfer_of },
	{ "preemptions.mean", "us", "from request to hand-over", preemption_us },
	{ "save_area", "KiB", "saved state of preempted blocks", save_area_kib },
	{ "time", "ms", "virtual", time_ms },
	{ "time.mode", NULL, "free, paced, lockstep", time_mode },
	{ "temperature.gpu", NULL, "not available", not_there },
	{ "temperature.memory", NULL, "not available", not_there },
	{ "power.draw", NULL, "not available", not_there },
	{ "power.limit", NULL, "not available", not_there },
	{ "power.management", NULL, "not available", not_there },
	{ "enforced.power.limit", NULL, "not available", not_there },
	{ "clocks.mem", NULL, "not available", not_there },
	{ "clocks.max.mem", NULL, "not available", not_there },
	{ "clocks.video", NULL, "not available", not_there },
	{ "ecc.mode.current", NULL, "not available", not_there },
	{ "ecc.errors.uncorrected.volatile.total", NULL, "not available", not_there },
	{ "mig.mode.current", NULL, "not available", not_there },
	{ "serial", NULL, "not available", not_there },
	{ "gpu_serial", NULL, "not available", not_there },
	{ "vbios_version", NULL, "not available", not_there },
	{ "driver_model.current", NULL, "not available", not_there },
	{ "pcie.link.gen.current", NULL, "not available", not_there },
	{ "pcie.link.width.current", NULL, "not available", not_there },
	{ "encoder.stats.sessionCount", NULL, "not available", not_there },
	{ "clocks_throttle_reasons.active", NULL, "not available", not_there },
	{ "fan.speed", NULL, "not available", not_there },
	{ "pstate", NULL, "not available", not_there },
	VGPU_DEVICE_STATS(STAT_FIELD)
};
#undef STAT_FIELD

/* ---- processes ---------------------------------------------------------- */

static void process_name(const struct row *row, char *text, size_t size)
{
	client_process_name(row->context->pid, text, size);
}

static void priority(const struct row *row, char *text, size_t size)
{
	snprintf(text, size, "%" PRId32, row->context->priority);
}

static void tokens(const struct row *row, char *text, size_t size)
{
	if (row->context->tokens == ~0u)
		snprintf(text, size, "share");
	else
		snprintf(text, size, "%" PRIu32, row->context->tokens);
}

U64(context_of, row->context->id)
U64(pid_of, row->context->pid)
U64(used_memory, (row->context->mapped_bytes + (1 << 20) - 1) >> 20)
U64(resident, row->context->resident_bytes >> 10)
REAL(sm_time, (double)row->context->sm_time / 1e9)
REAL(fault_rate, view_faults(row->view, row->context))
REAL(issue_share, view_issue_share(row->view, row->context))
REAL(host_time, (double)client_host_time(row->context) / 1e6)
U64(inflight, row->context->inflight)
U64(copied, row->context->copied_bytes >> 10)
TEXT(fault, client_fault_name(row->context->fault))

#define STAT_VALUE(number, attribute, path, member, file, text) \
	U64(app_##file, row->context->member)
#define STAT_FIELD(number, attribute, path, member, file, text) { #file, NULL, text, app_##file },
VGPU_CONTEXT_STATS(STAT_VALUE)

static const struct field app_fields[] = {
	{ "timestamp", NULL, "real time of the query", timestamp },
	{ "gpu_index", NULL, "number of the device", index_of },
	{ "gpu_name", NULL, "preset of the device", preset_of },
	{ "gpu_uuid", NULL, "as cudaDeviceProp.uuid", uuid_of },
	{ "gpu_bus_id", NULL, "as cudaDeviceGetPCIBusId()", bus_of },
	{ "gpu_serial", NULL, "not available", not_there },
	{ "context", NULL, "id of the context", context_of },
	{ "pid", NULL, "process that opened the context", pid_of },
	{ "process_name", NULL, "", process_name },
	{ "name", NULL, "the same", process_name },
	{ "used_memory", "MiB", "promised", used_memory },
	{ "used_gpu_memory", "MiB", "the same", used_memory },
	{ "page_faults.rate", "1/s", "since the last look, a second of real time", fault_rate },
	{ "resident_memory", "KiB", "backed by pages of this machine", resident },
	{ "sm_time", "ms", "virtual, summed over SMs", sm_time },
	{ "issue_share", "%", "of the warp instructions of the device since the last look",
	  issue_share },
	{ "host_time", "ms", "real, of the module for calls and execution", host_time },
	{ "priority", NULL, "a higher number is more important", priority },
	{ "tokens", NULL, "budget of SMs", tokens },
	{ "inflight", NULL, "commands", inflight },
	{ "copied", "KiB", "", copied },
	{ "fault", NULL, "reason of the fault", fault },
	VGPU_CONTEXT_STATS(STAT_FIELD)
};

/* ---- lines -------------------------------------------------------------- */

#define COUNT(fields)	(sizeof(fields) / sizeof((fields)[0]))

static const struct field *find_field(const char *name, size_t length, bool processes)
{
	const struct field *fields = processes ? app_fields : gpu_fields;
	size_t count = processes ? COUNT(app_fields) : COUNT(gpu_fields);

	for (size_t i = 0; i < count; i++)
		if (strlen(fields[i].name) == length && !strncmp(fields[i].name, name, length))
			return &fields[i];
	return NULL;
}

/* The next name in a list of fields; *@at moves behind it. NULL: that was all. */
static const char *next_name(const char **at, size_t *length)
{
	const char *name;

	if (!**at)
		return NULL;
	*at += strspn(*at, " ");
	name = *at;
	*length = strcspn(name, ", ");
	*at += *length;
	*at += strspn(*at, " ");
	*at += **at == ',';
	return name;
}

int query_check(const char *fields, bool processes)
{
	const char *name;
	size_t length;

	if (!*fields) {
		fprintf(stderr, "vgpu-smi: no fields given; vgpu-smi --help-query-%s lists them\n",
			processes ? "compute-apps" : "gpu");
		return CLIENT_USAGE;
	}
	while ((name = next_name(&fields, &length))) {
		if (find_field(name, length, processes))
			continue;
		fprintf(stderr,
			"vgpu-smi: unknown field \"%.*s\"; vgpu-smi --help-query-%s lists "
			"the fields\n",
			(int)length, name, processes ? "compute-apps" : "gpu");
		return CLIENT_USAGE;
	}
	return CLIENT_OK;
}

void query_header(const char *fields, bool processes, const struct csv *csv)
{
	const char *name, *between = "";
	size_t length;

	if (csv->no_header)
		return;
	while ((name = next_name(&fields, &length))) {
		const struct field *field = find_field(name, length, processes);

		printf("%s%s", between, field->name);
		if (field->unit)
			printf(" [%s]", field->unit);
		between = ", ";
	}
	putchar('\n');
}

/* Is it told of contexts of other users, too? */
static bool for_everybody(const struct field *field)
{
	return field->value == timestamp || field->value == index_of || field->value == preset_of ||
	       field->value == uuid_of || field->value == bus_of || field->value == not_there ||
	       field->value == context_of || field->value == priority || field->value == tokens;
}

static void line(const struct row *row, const char *fields, const struct csv *csv)
{
	const char *name, *between = "";
	char text[256];
	size_t length;

	while ((name = next_name(&fields, &length))) {
		const struct field *field = find_field(name, length, row->context);

		if (row->context && row->context->hidden && !for_everybody(field)) {
			printf("%s[Insufficient Permissions]", between);
			between = ", ";
			continue;
		}
		field->value(row, text, sizeof(text));
		printf("%s%s%s%s", between, text, field->unit && !csv->no_units ? " " : "",
		       field->unit && !csv->no_units ? field->unit : "");
		between = ", ";
	}
	putchar('\n');
}

void query(const struct view *view, const char *fields, bool processes, const struct csv *csv)
{
	for (size_t i = 0; i < view->device_count; i++) {
		struct row row = { .view = view, .device = &view->devices[i] };

		if (!processes)
			line(&row, fields, csv);
		for (size_t j = 0; processes && j < view->context_count; j++) {
			row.context = &view->contexts[j];
			if (row.context->device == row.device->index)
				line(&row, fields, csv);
		}
	}
}

void query_help(bool processes)
{
	const struct field *fields = processes ? app_fields : gpu_fields;
	size_t count = processes ? COUNT(app_fields) : COUNT(gpu_fields);

	printf("fields of --query-%s:\n", processes ? "compute-apps" : "gpu");
	for (size_t i = 0; i < count; i++)
		if (find_field(fields[i].name, strlen(fields[i].name), processes) == &fields[i])
			printf("  %-20s %-5s %s\n", fields[i].name,
			       fields[i].unit ? fields[i].unit : "", fields[i].help);
}
