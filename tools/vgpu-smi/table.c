// SPDX-License-Identifier: MIT
/*
 * vgpu-smi: for people: the table, 80 columns wide; a line a device; everything.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "smi.h"

#define MIB(bytes)	((bytes) >> 20)
/* What is promised is not less than it looks. */
#define MIB_UP(bytes)	MIB((bytes) + (1 << 20) - 1)
#define MANAGED_PAGE	4096u	/* of page_refaults */
#define LINE	SMI_LINE
#define PARTS	"|-------------------------+--------------------------+------------------------|\n"

static void device(const struct view *view, const struct client_device *d)
{
	char policy[32], preemption[32], clock[32], memory[64], queues[32], latency[32] = "";

	snprintf(clock, sizeof(clock), "%" PRIu64 " MHz", d->clock_khz / 1000);
	snprintf(memory, sizeof(memory), "%" PRIu64 " / %" PRIu64 " MiB",
		 MIB_UP(d->vram_bytes - d->vram_free), MIB(d->vram_bytes));
	snprintf(queues, sizeof(queues), "%" PRIu64 " / %" PRIu64, d->queues, d->hw_queues);
	if (d->preemptions)
		client_time_text(d->preemption_time / d->preemptions, latency, sizeof(latency));
	printf("| %3u  %-18.18s | %-24.24s | %16s  %3u%% |\n", d->index, d->preset,
	       client_knob_value(d, "policy", policy, sizeof(policy)), memory,
	       view_utilization(view, d));
	printf("|      %4" PRIu64 " SMs  %8s | %-12.12s %11s | queues %9s %5s |\n", d->sms, clock,
	       client_knob_value(d, "preemption", preemption, sizeof(preemption)), d->clock, queues,
	       "");
	printf("|      %18s | %11" PRIu64 " %12.12s | contexts %13" PRIu64 " |\n",
	       client_time_text(d->time, clock, sizeof(clock)), d->preemptions, latency,
	       d->contexts);
}

static void process(const struct view *view, const struct client_context *c)
{
	char name[32], time[32], host[32], resident[16], memory[16];

	if (c->hidden) {
		printf("| %3u %5u %7s %-9s %4d %6s %9s %5s %9s %9s |\n", c->device, c->id, "-",
		       "[other's]", c->priority, "-", "-", "-", "-", "-");
		return;
	}
	printf("| %3u %5u %7u %-9.9s %4d %6" PRIu64 " %4s/%-4s %5.0f %9s %9s |\n", c->device, c->id,
	       c->pid, client_process_name(c->pid, name, sizeof(name)), c->priority, c->queues,
	       client_bytes_text(c->resident_bytes, resident, sizeof(resident)),
	       client_bytes_text(c->mapped_bytes, memory, sizeof(memory)), view_faults(view, c),
	       c->fault ? client_fault_name(c->fault) :
			  client_time_text(c->sm_time, time, sizeof(time)),
	       client_time_text(client_host_time(c) * 1000, host, sizeof(host)));
}

/* ---- managed memory ------------------------------------------------------ */

/* Does @c have managed memory somewhere, or has it had? */
static bool uses_managed(const struct client_context *c)
{
	return c->managed_resident || c->managed_host || c->host_page_faults || c->page_bytes_in ||
	       c->page_bytes_out || c->pages_evicted;
}

static void managed_context(const struct view *view, const struct client_context *c)
{
	char name[32], resident[16], host[16], in[16], out[16], again[16];

	printf("| %3u %5u %7u %-9.9s %8s %5s %5.0f %6.0f %5s %5s %7s |\n", c->device, c->id, c->pid,
	       client_process_name(c->pid, name, sizeof(name)),
	       client_bytes_text(c->managed_resident, resident, sizeof(resident)),
	       client_bytes_text(c->managed_host, host, sizeof(host)), view_faults(view, c),
	       view_host_faults(view, c), client_bytes_text(c->page_bytes_in, in, sizeof(in)),
	       client_bytes_text(c->page_bytes_out, out, sizeof(out)),
	       client_bytes_text(c->page_refaults * MANAGED_PAGE, again, sizeof(again)));
}

/* Nothing where nobody uses it. */
static void managed(const struct view *view)
{
	bool any = false;

	for (size_t i = 0; i < view->context_count; i++)
		any |= uses_managed(&view->contexts[i]);
	if (!any)
		return;
	printf("\n" LINE "| %-75s |\n", "Managed memory:");
	printf("| %3s %5s %7s %-9s %8s %5s %5s %6s %5s %5s %7s |\n" LINE, "GPU", "Ctx", "PID",
	       "Process", "Resident", "Host", "Flt/s", "HFlt/s", "In", "Out", "Refault");
	for (size_t i = 0; i < view->context_count; i++)
		if (uses_managed(&view->contexts[i]))
			managed_context(view, &view->contexts[i]);
	fputs(LINE, stdout);
}

/* ---- all of it ------------------------------------------------------------ */

static bool anything_hidden(const struct view *view)
{
	for (size_t i = 0; i < view->context_count; i++)
		if (view->contexts[i].hidden)
			return true;
	return false;
}

void table(const struct view *view)
{
	time_t now = time(NULL);
	char date[64];

	strftime(date, sizeof(date), "%a %b %e %H:%M:%S %Y", localtime(&now));
	printf("%s\n", date);
	fputs(LINE, stdout);
	printf("| vgpu-smi %-30d %35s |\n", VGPU_UAPI_VERSION, "times but Host time are virtual");
	fputs(PARTS, stdout);
	printf("| %-23s | %-24s | %16s %5s |\n", "GPU  Preset", "Policy", "Memory promised",
	       "Util");
	printf("| %-23s | %-12s %11s | %-22s |\n", "       SMs     Clock", "Preemption",
	       "Time mode", "Queues");
	printf("| %-23s | %11s %12s | %-22s |\n", "         Time", "Preemptions", "mean",
	       "Contexts");
	fputs(PARTS, stdout);
	for (size_t i = 0; i < view->device_count; i++) {
		device(view, &view->devices[i]);
		fputs(i + 1 < view->device_count ? PARTS : LINE, stdout);
	}
	printf("\n" LINE "| %-75s |\n", "Processes:");
	printf("| %3s %5s %7s %-9s %4s %6s %9s %5s %9s %9s |\n", "GPU", "Ctx", "PID", "Process",
	       "Prio", "Queues", "Res/Mem ", "Flt/s", "SM time", "Host time");
	fputs(LINE, stdout);
	for (size_t i = 0; i < view->context_count; i++)
		process(view, &view->contexts[i]);
	if (!view->context_count)
		printf("| %-75s |\n", "none");
	if (anything_hidden(view))
		printf("| %-75s |\n", "contexts " CLIENT_HIDDEN);
	fputs(LINE, stdout);
	shares(view);
	managed(view);
}

void list(const struct view *view)
{
	for (size_t i = 0; i < view->device_count; i++) {
		const struct client_device *d = &view->devices[i];

		char uuid[64];

		printf("GPU %u: %s (UUID: %s) %" PRIu64 " SMs, %" PRIu64 " MHz, %" PRIu64
		       " MiB, /dev/%s\n",
		       d->index, d->preset, client_uuid(d->index, uuid, sizeof(uuid)), d->sms,
		       d->clock_khz / 1000, MIB(d->vram_bytes), d->name);
	}
}

/* ---- everything --------------------------------------------------------- */

#define SAY(depth, name, format, ...) \
	printf("%*s%-*s: " format "\n", 4 * (depth), "", 32 - 4 * (depth), name, __VA_ARGS__)

static void full_context(const struct client_context *c)
{
	char text[64];

	printf("    Context %u\n", c->id);
	if (c->hidden) {
		SAY(2, "PID", "%s", "[Insufficient Permissions]");
	} else {
		SAY(2, "PID", "%u", c->pid);
		SAY(2, "Process", "%s", client_process_name(c->pid, text, sizeof(text)));
	}
	SAY(2, "Priority", "%d", c->priority);
	if (c->tokens == ~0u)
		SAY(2, "Tokens", "%s", "share");
	else
		SAY(2, "Tokens", "%u", c->tokens);
	if (c->hidden) {
		printf("        contexts " CLIENT_HIDDEN "\n");
		return;
	}
	SAY(2, "Commands in flight", "%" PRIu64, c->inflight);
	SAY(2, "Memory promised", "%" PRIu64 " KiB", c->mapped_bytes >> 10);
	SAY(2, "Memory resident", "%" PRIu64 " KiB", c->resident_bytes >> 10);
	SAY(2, "SM time", "%s", client_time_text(c->sm_time, text, sizeof(text)));
	SAY(2, "Host time (real)", "%s",
	    client_time_text(client_host_time(c) * 1000, text, sizeof(text)));
	if (c->preemptions)
		SAY(2, "Mean preemption", "%s",
		    client_time_text(c->preemption_time / c->preemptions, text, sizeof(text)));
	SAY(2, "Fault", "%s", client_fault_name(c->fault));
	if (c->fault)
		SAY(2, "Fault address", "0x%" PRIx64, c->fault_address);
	printf("        Statistics\n");
#define STAT(number, attribute, path, member, file, text) SAY(3, #file, "%" PRIu64, c->member);
	VGPU_CONTEXT_STATS(STAT)
#undef STAT
}

static void full_device(const struct view *view, const struct client_device *d)
{
	char text[64];

	printf("GPU %u\n", d->index);
	SAY(1, "Node", "/dev/%s", d->name);
	SAY(1, "Preset", "%s", d->preset);
	SAY(1, "Clock", "%" PRIu64 " MHz", d->clock_khz / 1000);
	SAY(1, "Virtual time", "%s", client_time_text(d->time, text, sizeof(text)));
	SAY(1, "Time mode", "%s", d->clock);
	SAY(1, "Utilization", "%u %%", view_utilization(view, d));
	SAY(1, "Memory", "%" PRIu64 " MiB", MIB(d->vram_bytes));
	SAY(1, "Memory promised", "%" PRIu64 " MiB", MIB_UP(d->vram_bytes - d->vram_free));
	SAY(1, "Memory resident", "%" PRIu64 " KiB", d->vram_resident >> 10);
	if (d->preemptions)
		SAY(1, "Mean preemption", "%s",
		    client_time_text(d->preemption_time / d->preemptions, text, sizeof(text)));
	SAY(1, "Samples every", "%u ms", d->sample_ms);
	SAY(1, "Notices lost", "%" PRIu64, d->lost);
	printf("    Statistics\n");
#define STAT(number, attribute, path, member, file, text) SAY(2, #file, "%" PRIu64, d->member);
	VGPU_DEVICE_STATS(STAT)
#undef STAT
	printf("    SM time\n");
	for (unsigned int i = 0; i < d->state_count; i++)
		SAY(2, d->state_name[i], "%s",
		    client_time_text(d->state_time[i], text, sizeof(text)));
	printf("    Knobs\n");
	for (unsigned int i = 0; i < d->knob_count; i++)
		SAY(2, d->knobs[i].name, "%s", d->knobs[i].value);
}

void full(const struct view *view)
{
	for (size_t i = 0; i < view->device_count; i++) {
		full_device(view, &view->devices[i]);
		for (size_t j = 0; j < view->context_count; j++)
			if (view->contexts[j].device == view->devices[i].index)
				full_context(&view->contexts[j]);
	}
}
