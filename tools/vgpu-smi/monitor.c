// SPDX-License-Identifier: MIT
/* vgpu-smi dmon, pmon: a line a device or context and look, in nvidia-smi's columns. */
#include <inttypes.h>
#include <stdio.h>

#include "smi.h"

void dmon(const struct view *view, bool first)
{
	if (first)
		fputs("# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec    jpg    ofa"
		      "   mclk   pclk\n"
		      "# Idx      W      C      C      %      %      %      %      %      %"
		      "    MHz    MHz\n",
		      stdout);
	for (size_t i = 0; i < view->device_count; i++) {
		const struct client_device *now = &view->devices[i];

		printf("%5u      -      -      - %6u %6u      -      -      -      -      - %6"
		       PRIu64 "\n",
		       now->index, view_utilization(view, now), view_copy_share(view, now),
		       now->clock_khz / 1000);
	}
}

static void line(const struct view *view, const struct client_context *context)
{
	char name[32];

	if (context->hidden)
		return;
	printf("%5u %10u     C %6.0f      -      -      -      -      -    %s\n", context->device,
	       context->pid, view_sm_share(view, context),
	       client_process_name(context->pid, name, sizeof(name)));
}

static size_t contexts_of(const struct view *view, uint32_t device)
{
	size_t count = 0;

	for (size_t i = 0; i < view->context_count; i++)
		count += view->contexts[i].device == device && !view->contexts[i].hidden;
	return count;
}

void pmon(const struct view *view, bool first)
{
	if (first)
		fputs("# gpu        pid  type     sm    mem    enc    dec    jpg    ofa"
		      "    command\n"
		      "# Idx          #   C/G      %      %      %      %      %      %"
		      "    name\n",
		      stdout);
	for (size_t i = 0; i < view->device_count; i++) {
		uint32_t device = view->devices[i].index;

		if (!contexts_of(view, device))
			printf("%5u          -     -      -      -      -      -      -"
			       "      -    -\n",
			       device);
		for (size_t j = 0; j < view->context_count; j++)
			if (view->contexts[j].device == device)
				line(view, &view->contexts[j]);
	}
}
