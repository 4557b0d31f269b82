// SPDX-License-Identifier: MIT
/*
 * vgpu-top: who shares the SMs, and how much of them each process has. An SM is a bar of letters,
 * as many of each process as its dominant share of the SM, but one at least; dots are free. It fits
 * 80 columns.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "top.h"

#define BAR		14u	/* letters of an SM */
#define SM_ROWS		8u

/* Per cent of the SM that @context has; another user's kernels have what is left of all. */
static double share_of(const struct client_sm *sm, uint32_t context)
{
	double share = 0;

	for (unsigned int i = 0; i < sm->kernel_count; i++)
		if (!sm->kernels[i].hidden && sm->kernels[i].context == context)
			share += sm->kernels[i].has.share;
	return share;
}

static double share_of_others(const struct client_sm *sm)
{
	double known = 0;
	bool hidden = false;

	for (unsigned int i = 0; i < sm->kernel_count; i++) {
		known += sm->kernels[i].has.share;
		hidden |= sm->kernels[i].hidden;
	}
	return hidden && sm->has.share > known ? sm->has.share - known : 0;
}

/* Letters for @own, one at least, up to the place where @sum of @total shares end. */
static void fill(char *bar, unsigned int *at, double own, double sum, double total, char letter)
{
	double end = sum / (total > 1 ? total : 1) * BAR + 0.5;

	if (own > 0 && end < *at + 1)
		end = *at + 1;
	while (*at < BAR && *at + 1 <= (unsigned int)end)
		bar[(*at)++] = letter;
}

static void bar_of(const struct state *state, const struct client_sm *sm, char *bar)
{
	double others = share_of_others(sm), total = others, sum = 0;
	unsigned int at = 0;

	for (unsigned int i = 0; i < sm->kernel_count; i++)
		total += sm->kernels[i].has.share;
	memset(bar, '.', BAR);
	bar[BAR] = 0;
	for (size_t i = 0; i < state->count; i++) {
		double own = share_of(sm, state->processes[i].now.id);

		sum += own;
		fill(bar, &at, own, sum, total, draw_letter(state, state->processes[i].now.id));
	}
	fill(bar, &at, others, sum + others, total, '?');
	/* of contexts that have come since they were listed */
	fill(bar, &at, 0, total, total, '*');
}

void draw_shared_sms(struct screen *screen, const struct state *state)
{
	unsigned int each = screen->columns > 4 + BAR + 5 ? (screen->columns - 4) / (BAR + 5) : 1;
	size_t sm = 0;

	if (!state->sm_count)
		draw_text(screen, PLAIN, "SMs the module does not tell who has what of them");
	for (unsigned int row = 0; row < SM_ROWS && sm < state->sm_count; row++) {
		char text[COLUMNS_MAX], bar[BAR + 1];
		size_t length = 0;

		for (unsigned int n = 0; n < each && sm < state->sm_count; n++, sm++) {
			bar_of(state, &state->sms[sm], bar);
			length += (size_t)snprintf(text + length, sizeof(text) - length,
						   "%s%3" PRIu32 " %s", n ? " " : "",
						   state->sms[sm].number, bar);
		}
		draw_text(screen, PLAIN, "%-4s%s", row ? "" : "SMs", text);
	}
	if (sm < state->sm_count)
		draw_text(screen, PLAIN, "    and %zu more", state->sm_count - sm);
}

/* SMs that have blocks of @context, those that others share too in *@shared. */
static unsigned int count_sms(const struct state *state, uint32_t context, unsigned int *shared)
{
	unsigned int count = 0;

	*shared = 0;
	for (size_t i = 0; i < state->sm_count; i++) {
		if (share_of(&state->sms[i], context) <= 0)
			continue;
		count++;
		*shared += client_sm_is_shared(&state->sms[i]);
	}
	return count;
}

void draw_shares(struct screen *screen, const struct state *state)
{
	bool hidden = false;

	draw_text(screen, HEAD, "  %5s %7s %-8s %3s %5s %6s %4s %6s %6s %8s %6s %5s", "CTX", "PID",
		  "PROCESS", "PRI", "SM%", "ISSUE%", "SMS", "SHARED", "BLOCKS", "REGS", "SMEM",
		  "WARPS");
	for (size_t i = 0; i < state->count; i++) {
		const struct process *p = &state->processes[i];
		const struct client_context *c = &p->now;
		bool selected = c->id == state->selected;
		unsigned int sms, shared;
		char smem[16];

		hidden |= c->hidden;
		if (c->hidden) {
			draw_text(screen, selected ? SELECTED : PLAIN,
				  "%c?%5u %7s %-8.8s %3d %5s %6s %4s %6s %6s %8s %6s %5s",
				  selected ? '>' : ' ', c->id, "-", "[others]", c->priority, "-",
				  "-", "-", "-", "-", "-", "-", "-");
			continue;
		}
		sms = count_sms(state, c->id, &shared);
		draw_text(screen, selected ? SELECTED : c->fault ? DEAD : PLAIN,
			  "%c%c%5u %7u %-8.8s %3d %5.1f %6.1f %4u %6u %6" PRIu64 " %8" PRIu64
			  " %6s %5" PRIu64,
			  selected ? '>' : ' ', draw_letter(state, c->id), c->id, c->pid, p->name,
			  c->priority, p->sm_share, p->issue_share, sms, shared, c->sm_blocks,
			  c->sm_registers,
			  client_bytes_text(c->sm_shared_bytes, smem, sizeof(smem)), c->sm_warps);
	}
	if (!state->count)
		draw_text(screen, PLAIN, "   no process has the device open");
	if (hidden)
		draw_text(screen, PLAIN, " ? contexts " CLIENT_HIDDEN);
}
