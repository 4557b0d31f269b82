// SPDX-License-Identifier: MIT
/*
 * What numbers of the device are called, and what follows from them.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"

const struct client_knob *client_knob(const struct client_device *device, const char *name)
{
	for (unsigned int i = 0; i < device->knob_count; i++)
		if (!strcmp(device->knobs[i].name, name))
			return &device->knobs[i];
	return NULL;
}

bool client_choice(const struct client_knob *knob, unsigned int index, char *name, size_t size,
		   bool *active)
{
	const char *at = knob ? knob->value : "";
	size_t length;

	if (!strchr(at, '['))
		return false;
	while (index-- && *at) {
		at += strcspn(at, " ");
		at += strspn(at, " ");
	}
	if (!*at)
		return false;
	*active = *at == '[';
	at += *active;
	length = strcspn(at, " ]");
	snprintf(name, size, "%.*s", (int)length, at);
	return true;
}

const char *client_knob_value(const struct client_device *device, const char *name, char *text,
			      size_t size)
{
	const struct client_knob *knob = client_knob(device, name);
	bool active = false;

	snprintf(text, size, "%s", knob ? knob->value : "-");
	for (unsigned int i = 0; !active && client_choice(knob, i, text, size, &active); i++)
		;
	return text;
}

uint64_t client_state_time(const struct client_device *device, const char *state)
{
	for (unsigned int i = 0; i < device->state_count; i++)
		if (!strcmp(device->state_name[i], state))
			return device->state_time[i];
	return 0;
}

uint64_t client_busy_time(const struct client_device *device)
{
	uint64_t busy = 0;

	for (unsigned int i = 0; i < device->state_count; i++)
		if (strcmp(device->state_name[i], "idle"))
			busy += device->state_time[i];
	return busy;
}

unsigned int client_utilization(const struct client_device *before, const struct client_device *now)
{
	double passed = (double)(now->time - before->time) * now->sms;

	return passed > 0 ? (unsigned int)(100 *
						   (double)(client_busy_time(now) -
							    client_busy_time(before)) /
						   passed +
					   0.5) :
			    0;
}

unsigned int client_copy_share(const struct client_device *before, const struct client_device *now)
{
	uint64_t time = now->time - before->time;
	double share = time ? (double)(now->copy0_busy - before->copy0_busy) * 100 / (double)time :
			      0;

	return share > 100 ? 100 : (unsigned int)(share + 0.5);
}

bool client_sm_is_shared(const struct client_sm *sm)
{
	const struct client_sm_kernel *first = NULL;

	for (unsigned int i = 0; i < sm->kernel_count; i++) {
		const struct client_sm_kernel *k = &sm->kernels[i];

		if (!k->hidden && !k->has.blocks)
			continue;
		if (first && (k->hidden || k->context != first->context))
			return true;
		first = first ? first : k;
	}
	return false;
}

const char *client_process_name(uint32_t pid, char *text, size_t size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/comm", pid);
	file = fopen(path, "r");
	if (!file || !fgets(text, (int)size, file))
		snprintf(text, size, pid ? "[gone]" : "[no pid here]");
	if (file)
		fclose(file);
	text[strcspn(text, "\n")] = 0;
	return text;
}

const char *client_fault_name(uint32_t reason)
{
	static const char *const names[VGPU_FAULT_COUNT] = {
		[VGPU_FAULT_NONE] = "none",
		[VGPU_FAULT_UNMAPPED] = "unmapped",
		[VGPU_FAULT_MISALIGNED] = "misaligned",
		[VGPU_FAULT_SHARED_RANGE] = "shared range",
		[VGPU_FAULT_LOCAL_RANGE] = "local range",
		[VGPU_FAULT_ADDRESS_SPACE] = "address space",
		[VGPU_FAULT_TRAP] = "trap",
		[VGPU_FAULT_WATCHDOG] = "watchdog",
		[VGPU_FAULT_BARRIER] = "barrier",
		[VGPU_FAULT_COPY_UNMAPPED] = "copy unmapped",
		[VGPU_FAULT_COPY_HOST] = "copy host",
		[VGPU_FAULT_NO_MEMORY] = "no memory",
		[VGPU_FAULT_RING] = "ring",
		[VGPU_FAULT_COMMAND] = "command",
		[VGPU_FAULT_WARP_SYNC] = "warp sync",
		[VGPU_FAULT_SYSTEM] = "system page",
		[VGPU_FAULT_MODEL] = "bug of the device",
		[VGPU_FAULT_ENGINE] = "engine exception",
		[VGPU_FAULT_ECC] = "uncorrectable ECC error",
		[VGPU_FAULT_OFFLINE] = "fallen off the bus",
		[VGPU_FAULT_LAUNCH] = "launch by a kernel",
	};

	return reason < VGPU_FAULT_COUNT && names[reason] ? names[reason] : "unknown";
}

const char *client_bytes_text(uint64_t bytes, char *text, size_t size)
{
	static const char units[] = "KMGTPE";
	uint64_t unit = 1 << 10;
	unsigned int n = 0;

	/* three digits and the unit */
	while (bytes > 999 * unit && units[n + 1]) {
		unit <<= 10;
		n++;
	}
	if (!bytes)
		snprintf(text, size, "0");
	else if (n >= 2 && bytes < 10 * unit)
		snprintf(text, size, "%.1f%c", (double)bytes / (double)unit, units[n]);
	else
		snprintf(text, size, "%" PRIu64 "%c", bytes / unit + !!(bytes % unit), units[n]);
	return text;
}

const char *client_time_text(uint64_t ps, char *text, size_t size)
{
	static const char *const units[] = { "ns", "us", "ms" };
	double value = (double)ps / 1e3;
	unsigned int unit = 0;

	while (value >= 10000 && unit < 2) {
		value /= 1000;
		unit++;
	}
	if (value >= 10000)
		snprintf(text, size, "%.2f s", value / 1000);
	else
		snprintf(text, size, "%.1f %s", value, units[unit]);
	return text;
}

const char *client_uuid(uint32_t index, char *text, size_t size)
{
	snprintf(text, size, "GPU-76677075-0000-0000-0000-%012x", index & 0xff);
	return text;
}

const char *client_bus(uint32_t index, char *text, size_t size)
{
	snprintf(text, size, "00000000:%02X:00.0", index & 0xff);
	return text;
}

int client_device_named(const char *text)
{
	char name[64];

	for (uint32_t index = 0; index < 16; index++) {
		if (!strcasecmp(text, client_uuid(index, name, sizeof(name))))
			return (int)index;
		/* with a domain of four digits, or of eight */
		client_bus(index, name, sizeof(name));
		if (!strcasecmp(text, name) || !strcasecmp(text, name + 4))
			return (int)index;
		snprintf(name, sizeof(name), "%u", index);
		if (!strcmp(text, name))
			return (int)index;
	}
	return -1;
}

/*
 * Append a length and so many letters, as the names inside a mangled name are; what is behind it,
 * NULL: it is none.
 */
static const char *part(const char *from, char *to, size_t size)
{
	char *end;
	unsigned long length = isdigit((unsigned char)*from) ? strtoul(from, &end, 10) : 0;
	size_t have = strlen(to);

	if (!length || length > strlen(end))
		return NULL;
	snprintf(to + have, size - have, "%s%.*s", have ? "::" : "", (int)length, end);
	return end + length;
}

const char *client_kernel_name(const char *name, char *text, size_t size)
{
	const char *at = name;

	text[0] = 0;
	if (!strncmp(at, "_ZN", 3)) {
		at += 3;
		while (at && *at != 'E')
			at = part(at, text, size);
	} else if (!strncmp(at, "_Z", 2)) {
		at = part(at + 2, text, size);
	}
	if (!text[0])
		snprintf(text, size, "%s", name);
	return text;
}
