// SPDX-License-Identifier: MIT
/*
 * vgpu-smi -q -x: what programs read with nvidia-smi's names of elements; N/A for what a device has
 * not. Other elements of nvidia-smi's are left out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "smi.h"

/* As text of an element: names of processes may have anything in them. */
static void put_text(const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&': fputs("&amp;", stdout); break;
		case '<': fputs("&lt;", stdout); break;
		case '>': fputs("&gt;", stdout); break;
		default: putchar((unsigned char)*text < ' ' ? '?' : *text);
		}
	}
}

static void element(unsigned int depth, const char *name, const char *text)
{
	printf("%*s<%s>", (int)depth, "", name);
	put_text(text);
	printf("</%s>\n", name);
}

static void number(unsigned int depth, const char *name, uint64_t value, const char *unit)
{
	printf("%*s<%s>%" PRIu64 "%s</%s>\n", (int)depth, "", name, value, unit, name);
}

#define D(depth)	((unsigned int)(depth) * 8)

static void memory(const struct client_device *d)
{
	printf("%16s<fb_memory_usage>\n", "");
	number(D(3), "total", d->vram_bytes >> 20, " MiB");
	number(D(3), "reserved", 0, " MiB");
	number(D(3), "used", (d->vram_bytes - d->vram_free + (1 << 20) - 1) >> 20, " MiB");
	number(D(3), "free", d->vram_free >> 20, " MiB");
	printf("%16s</fb_memory_usage>\n", "");
}

static void rates(const struct view *view, const struct client_device *d)
{
	printf("%16s<utilization>\n", "");
	number(D(3), "gpu_util", view_utilization(view, d), " %");
	number(D(3), "memory_util", view_copy_share(view, d), " %");
	printf("%16s</utilization>\n", "");
	printf("%16s<temperature>\n", "");
	element(D(3), "gpu_temp", "N/A");
	printf("%16s</temperature>\n", "");
	printf("%16s<clocks>\n", "");
	number(D(3), "graphics_clock", d->clock_khz / 1000, " MHz");
	number(D(3), "sm_clock", d->clock_khz / 1000, " MHz");
	element(D(3), "mem_clock", "N/A");
	printf("%16s</clocks>\n", "");
}

static void processes(const struct view *view, const struct client_device *d)
{
	char name[64];

	printf("%16s<processes>\n", "");
	for (size_t i = 0; i < view->context_count; i++) {
		const struct client_context *c = &view->contexts[i];

		if (c->device != d->index || c->hidden)
			continue;
		printf("%24s<process_info>\n", "");
		element(D(4), "gpu_instance_id", "N/A");
		element(D(4), "compute_instance_id", "N/A");
		number(D(4), "pid", c->pid, "");
		element(D(4), "type", "C");
		element(D(4), "process_name", client_process_name(c->pid, name, sizeof(name)));
		number(D(4), "used_memory", (c->mapped_bytes + (1 << 20) - 1) >> 20, " MiB");
		printf("%24s</process_info>\n", "");
	}
	printf("%16s</processes>\n", "");
}

static void device(const struct view *view, const struct client_device *d)
{
	char text[64];

	printf("%8s<gpu id=\"%s\">\n", "", client_bus(d->index, text, sizeof(text)));
	element(D(2), "product_name", d->preset);
	element(D(2), "display_mode", "Disabled");
	element(D(2), "persistence_mode", "Disabled");
	element(D(2), "uuid", client_uuid(d->index, text, sizeof(text)));
	number(D(2), "minor_number", d->index, "");
	element(D(2), "fan_speed", "N/A");
	element(D(2), "performance_state", "N/A");
	memory(d);
	element(D(2), "compute_mode", "Default");
	rates(view, d);
	processes(view, d);
	printf("%8s</gpu>\n", "");
}

void xml(const struct view *view)
{
	time_t now = time(NULL);
	char text[64];

	strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", localtime(&now));
	printf("<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n");
	element(D(1), "timestamp", text);
	number(D(1), "driver_version", VGPU_UAPI_VERSION, ".0");
	number(D(1), "attached_gpus", view->device_count, "");
	for (size_t i = 0; i < view->device_count; i++)
		device(view, &view->devices[i]);
	printf("</nvidia_smi_log>\n");
}
