// SPDX-License-Identifier: MIT
/*
 * vgpu-top: the screen as lines of text; all but the columns of managed memory fits 80 columns and
 * 24 rows. The SMs are one letter each: the context they serve, small while they are being
 * preempted, and . when they are idle; ? is a context of another user, + stands for several.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "top.h"

void draw_text(struct screen *screen, enum look look, const char *format, ...)
{
	struct line *line;
	va_list args;

	if (screen->count == screen->rows)
		return;
	line = &screen->lines[screen->count++];
	line->look = look;
	va_start(args, format);
	vsnprintf(line->text, sizeof(line->text), format, args);
	va_end(args);
	line->text[screen->columns < COLUMNS_MAX ? screen->columns : COLUMNS_MAX] = 0;
}

static double per_second(const struct state *state, uint64_t now, uint64_t before)
{
	return state->seen_before && state->elapsed > 0 ? (double)(now - before) / state->elapsed :
							  0;
}

static void head(struct screen *screen, const struct state *state)
{
	const struct client_device *d = &state->device;
	char policy[64], preemption[64], transfer[64], time[32], speed[32], mean[32] = "-";
	uint64_t inflight = 0;

	for (size_t i = 0; i < state->count; i++)
		inflight += state->processes[i].now.inflight;
	if (d->preemptions)
		client_time_text(d->preemption_time / d->preemptions, mean, sizeof(mean));
	draw_text(screen, HEAD,
		  "%s %s, %" PRIu64 " SMs, %" PRIu64 " MHz, clock %s; virtual time %s", d->name,
		  d->preset, d->sms, d->clock_khz / 1000, d->clock,
		  client_time_text(d->time, time, sizeof(time)));
	draw_text(screen, PLAIN, "policy %s, preemption %s, transfers %s",
	    client_knob_value(d, "policy", policy, sizeof(policy)),
	    client_knob_value(d, "preemption", preemption, sizeof(preemption)),
	    client_knob_value(d, "transfer_policy", transfer, sizeof(transfer)));
	draw_text(screen, PLAIN,
	    "queues %" PRIu64 " on %" PRIu64 ", commands %" PRIu64 "; memory %" PRIu64
	    " of %" PRIu64 " MiB promised, %" PRIu64 " KiB resident",
	    d->queues, d->hw_queues, inflight, (d->vram_bytes - d->vram_free + (1 << 20) - 1) >> 20,
	    d->vram_bytes >> 20, d->vram_resident >> 10);
	draw_text(screen, PLAIN,
	    "preemptions %" PRIu64 ", %.0f a second, mean %s; %s of virtual time a second",
	    d->preemptions, per_second(state, d->preemptions, state->before.preemptions), mean,
	    client_time_text(state->elapsed > 0 ? (uint64_t)(state->passed / state->elapsed) : 0,
			     speed, sizeof(speed)));
}

static void sm_time(struct screen *screen, const struct state *state)
{
	const struct client_device *d = &state->device;
	char text[COLUMNS_MAX];
	size_t length = 0;

	length = (size_t)snprintf(text, sizeof(text), "SM time %3u%%:", state->seen_before ?
				  client_utilization(&state->before, d) : 0);
	for (unsigned int i = 0; i < d->state_count && length < sizeof(text); i++) {
		double passed = state->passed * d->sms;
		double time = (double)(d->state_time[i] - state->before.state_time[i]);

		length += (size_t)snprintf(text + length, sizeof(text) - length, " %s %.0f%%",
					   d->state_name[i], passed > 0 ? 100 * time / passed : 0);
	}
	draw_text(screen, PLAIN, "%s", text);
}

char draw_letter(const struct state *state, uint32_t context)
{
	for (size_t i = 0; i < state->count && i < 26; i++)
		if (state->processes[i].now.id == context)
			return (char)('A' + i);
	return '*';
}

static char sm_letter(const struct state *state, uint32_t sm)
{
	const struct client_device *d = &state->device;
	const char *name = d->sm_state[sm] < d->state_count ? d->state_name[d->sm_state[sm]] : "";
	char c = d->sm_context[sm] == VGPU_NL_CONTEXT_HIDDEN ? '?' :
							      draw_letter(state, d->sm_context[sm]);

	if (!strcmp(name, "idle") || !d->sm_context[sm])
		return '.';
	if (sm < state->sm_count && client_sm_is_shared(&state->sms[sm]))
		return '+';
	if (c >= 'A' && (!strcmp(name, "reserved") || !strcmp(name, "saving")))
		return (char)(c - 'A' + 'a');
	return c;
}

#define SM_ROWS		4u

static void sms(struct screen *screen, const struct state *state)
{
	unsigned int width = screen->columns - 4 < 64 ? screen->columns - 4 : 64;
	char text[COLUMNS_MAX];
	uint32_t sm = 0;

	for (unsigned int row = 0; row < SM_ROWS && sm < state->device.sms; row++) {
		unsigned int n = 0;

		for (; n < width && sm < state->device.sms; n++)
			text[n] = sm_letter(state, sm++);
		text[n] = 0;
		draw_text(screen, SMS, "%-4s%s", row ? "" : "SMs", text);
	}
	if (sm < state->device.sms)
		draw_text(screen, PLAIN, "    and %" PRIu64 " more", state->device.sms - sm);
}

static void process_hidden(struct screen *screen, const struct state *state,
			   const struct client_context *c)
{
	char tokens[16] = "share";

	if (c->tokens != ~0u)
		snprintf(tokens, sizeof(tokens), "%u", c->tokens);
	draw_text(screen, c->id == state->selected ? SELECTED : PLAIN,
		  "%c?%5u %7s %-8.8s %3d %5s %5s %5s %5s %9s %5s %5s %5s %5s %5s %5s %5s %5s "
		  "%5s",
		  c->id == state->selected ? '>' : ' ', c->id, "-", "[others]", c->priority,
		  tokens, "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-");
}

static void processes(struct screen *screen, const struct state *state)
{
	bool hidden = false;

	draw_text(screen, HEAD,
		  "  %5s %7s %-8s %3s %5s %5s %5s %5s %9s %5s %5s %5s %5s %5s %5s %5s %5s %5s",
		  "CTX", "PID", "PROCESS", "PRI", "TOKEN", "SM%", "REAL%", "QUEUE", "RES/MEM ",
		  "KER/s", "FLT/s", "PRE/s", "HFL/s", "IN/s", "OUT/s", "REF/s", "RES", "HOST");
	for (size_t i = 0; i < state->count; i++) {
		const struct process *p = &state->processes[i];
		const struct client_context *c = &p->now;
		char tokens[16] = "share", end[96], resident[16], memory[16], in[16], out[16];
		char managed_resident[16], managed_host[16];

		if (c->hidden) {
			process_hidden(screen, state, c);
			hidden = true;
			continue;
		}
		if (c->tokens != ~0u)
			snprintf(tokens, sizeof(tokens), "%u", c->tokens);
		client_bytes_text(c->managed_resident, managed_resident, sizeof(managed_resident));
		client_bytes_text(c->managed_host, managed_host, sizeof(managed_host));
		snprintf(end, sizeof(end), "%5.0f %5.0f %5.0f %5.0f %5s %5s %5.0f %5s %5s",
			 p->kernels, p->faults, p->preempted, p->host_faults,
			 client_bytes_text((uint64_t)p->bytes_in, in, sizeof(in)),
			 client_bytes_text((uint64_t)p->bytes_out, out, sizeof(out)), p->refaults,
			 managed_resident, managed_host);
		if (c->fault)
			snprintf(end, sizeof(end), "%s", client_fault_name(c->fault));
		draw_text(screen,
		    c->id == state->selected ? SELECTED :
		    c->fault		     ? DEAD :
					       PLAIN,
		    "%c%c%5u %7u %-8.8s %3d %5s %5.1f %5.1f %2" PRIu64 "/%-2" PRIu64
		    " %4s/%-4s %s",
		    c->id == state->selected ? '>' : ' ', draw_letter(state, c->id), c->id, c->pid,
		    p->name, c->priority, tokens, p->sm_share, p->host_share, c->queues,
		    c->inflight,
		    client_bytes_text(c->resident_bytes, resident, sizeof(resident)),
		    client_bytes_text(c->mapped_bytes, memory, sizeof(memory)), end);
	}
	if (!state->count)
		draw_text(screen, PLAIN, "   no process has the device open");
	if (hidden)
		draw_text(screen, PLAIN, " ? contexts " CLIENT_HIDDEN);
}

unsigned int draw(const struct state *state, struct line *lines, unsigned int rows,
		  unsigned int columns)
{
	struct screen screen = { .lines = lines,
				 .rows = rows,
				 .columns = columns < 40 ? 40 : columns };

	head(&screen, state);
	sm_time(&screen, state);
	if (state->sharing)
		draw_shared_sms(&screen, state);
	else
		sms(&screen, state);
	draw_text(&screen, PLAIN, "%s", state->note);
	if (state->sharing)
		draw_shares(&screen, state);
	else
		processes(&screen, state);
	return screen.count;
}
