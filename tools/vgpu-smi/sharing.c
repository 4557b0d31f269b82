// SPDX-License-Identifier: MIT
/*
 * vgpu-smi: who has how much of each SM, 79 columns wide: a line for each kernel on it, and how
 * many SMs are idle; by process, on how many SMs it is and what it has of all.
 */
#include <inttypes.h>
#include <stdio.h>

#include "smi.h"

static uint32_t pid_of(const struct view *view, const struct client_sm *sm, uint32_t context)
{
	for (size_t i = 0; i < view->context_count; i++)
		if (view->contexts[i].device == sm->device && view->contexts[i].id == context)
			return view->contexts[i].pid;
	return 0;
}

static void place(const struct client_sm *sm, bool first)
{
	if (first)
		printf("| %3u %4u %-9.9s ", sm->device, sm->number, sm->state);
	else
		printf("| %3s %4s %-9s ", "", "", "");
}

static void kernel(const struct view *view, const struct client_sm *sm,
		   const struct client_sm_kernel *k)
{
	char blocks[32], shared[16], name[32];

	if (k->hidden) {
		printf("%5s %-9s %6s %6s %6s %6s %5s %6s |\n", "-", "[other's]", "-", "-", "-", "-",
		       "-", "-");
		return;
	}
	snprintf(blocks, sizeof(blocks), "%" PRIu64, k->has.blocks);
	if (k->partition != ~0u)
		snprintf(blocks, sizeof(blocks), "%" PRIu64 "/%" PRIu32, k->has.blocks,
			 k->partition);
	printf("%5u %-9.9s %6u %6s %6" PRIu64 " %6s %5" PRIu64 " %5.1f%% |\n", k->context,
	       client_process_name(pid_of(view, sm, k->context), name, sizeof(name)), k->launch,
	       blocks, k->has.registers,
	       client_bytes_text(k->has.shared_bytes, shared, sizeof(shared)), k->has.warps,
	       100 * k->has.share);
}

static void sm_lines(const struct view *view, const struct client_sm *sm)
{
	for (unsigned int i = 0; i < sm->kernel_count; i++) {
		place(sm, !i);
		kernel(view, sm, &sm->kernels[i]);
	}
}

/* Those of a device that have no kernel; @last: there are no more SMs of it. */
static void count_idle(const struct client_sm *sm, bool last, unsigned int *count)
{
	char text[64];

	*count += !sm->kernel_count;
	if (!last || !*count)
		return;
	snprintf(text, sizeof(text), "%u SM%s of GPU %u %s idle", *count, *count > 1 ? "s" : "",
		 sm->device, *count > 1 ? "are" : "is");
	printf("| %-75s |\n", text);
	*count = 0;
}

static void head(void)
{
	printf(SMI_LINE "| %-75s |\n", "SMs: what the thread blocks of each kernel there take");
	printf("| %3s %4s %-9s %5s %-9s %6s %6s %6s %6s %5s %6s |\n" SMI_LINE, "GPU", "SM", "State",
	       "Ctx", "Process", "Launch", "Blocks", "Regs", "Shared", "Warps", "Share");
}

void sms(const struct view *view)
{
	unsigned int idle = 0;
	bool hidden = false;

	head();
	for (size_t i = 0; i < view->sm_count; i++) {
		sm_lines(view, &view->sms[i]);
		count_idle(&view->sms[i],
			   i + 1 == view->sm_count ||
				   view->sms[i + 1].device != view->sms[i].device,
			   &idle);
		for (unsigned int n = 0; n < view->sms[i].kernel_count; n++)
			hidden |= view->sms[i].kernels[n].hidden;
	}
	if (!view->sm_count)
		printf("| %-75s |\n", "the module does not tell");
	if (hidden)
		printf("| %-75s |\n", "contexts " CLIENT_HIDDEN);
	fputs(SMI_LINE, stdout);
}

/* ---- by process ----------------------------------------------------------- */

/** struct sum - SMs with blocks of a context; of these, those with blocks of others too */
struct sum {
	unsigned int sms, shared;
};

static struct sum sum_of(const struct view *view, const struct client_context *c)
{
	struct sum sum = { 0 };

	for (size_t i = 0; i < view->sm_count; i++) {
		const struct client_sm *sm = &view->sms[i];
		bool there = false;

		for (unsigned int n = 0; n < sm->kernel_count && sm->device == c->device; n++) {
			const struct client_sm_kernel *k = &sm->kernels[n];

			there |= !k->hidden && k->context == c->id && k->has.blocks;
		}
		sum.sms += there;
		sum.shared += there && client_sm_is_shared(sm);
	}
	return sum;
}

static void context(const struct view *view, const struct client_context *c)
{
	struct sum sum = sum_of(view, c);
	char name[32], shared[16];

	printf("| %3u %5u %7u %-9.9s %4u %6u %6" PRIu64 " %8" PRIu64 " %6s %5" PRIu64
	       " %5.1f%% |\n",
	       c->device, c->id, c->pid, client_process_name(c->pid, name, sizeof(name)), sum.sms,
	       sum.shared, c->sm_blocks, c->sm_registers,
	       client_bytes_text(c->sm_shared_bytes, shared, sizeof(shared)), c->sm_warps,
	       view_issue_share(view, c));
}

void shares(const struct view *view)
{
	bool any = false;

	for (size_t i = 0; i < view->sm_count; i++)
		any |= client_sm_is_shared(&view->sms[i]);
	if (!any)
		return;
	printf("\n" SMI_LINE "| %-75s |\n", "Shared SMs (vgpu-smi -s: each of them):");
	printf("| %3s %5s %7s %-9s %4s %6s %6s %8s %6s %5s %6s |\n" SMI_LINE, "GPU", "Ctx", "PID",
	       "Process", "SMs", "Shared", "Blocks", "Regs", "SMem", "Warps", "Issue");
	for (size_t i = 0; i < view->context_count; i++)
		if (!view->contexts[i].hidden)
			context(view, &view->contexts[i]);
	fputs(SMI_LINE, stdout);
}
