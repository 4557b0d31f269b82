// SPDX-License-Identifier: MIT
/*
 * vgpu-smi events: notices that the module multicasts, a line each, until interrupted. An ordinary
 * user gets those that say nothing of who has a context; it asks for what its own ones have to say.
 */
#include <inttypes.h>
#include <stdio.h>

#include "smi.h"

static const char *of_process(const struct client_notice *notice, char *text, size_t size)
{
	*text = 0;
	if (notice->pid)
		snprintf(text, size, " of process %" PRIu32, notice->pid);
	return text;
}

static void print_notice(const struct client_notice *notice)
{
	char name[64], process[32];

	if (notice->command == VGPU_NL_CMD_UNSPEC) {
		puts("notices were lost: vgpu-smi was too slow to read them");
		fflush(stdout);
		return;
	}
	if (notice->lost)
		printf("%" PRIu64 " notices were lost here\n", notice->lost);
	printf("vgpu%" PRIu32 " %.6f ms ", notice->device, (double)notice->time / 1e9);
	switch (notice->command) {
	case VGPU_NL_CMD_CONTEXT_CREATED:
		printf("context %" PRIu32 " created", notice->context);
		if (notice->pid)
			printf(" by process %" PRIu32 " (%s)", notice->pid,
			       client_process_name(notice->pid, name, sizeof(name)));
		putchar('\n');
		break;
	case VGPU_NL_CMD_CONTEXT_DIED:
		printf("context %" PRIu32 "%s died", notice->context,
		       of_process(notice, process, sizeof(process)));
		if (notice->fault)
			printf(": %s, address 0x%" PRIx64, client_fault_name(notice->fault),
			       notice->address);
		if (notice->xid)
			printf(", xid %" PRIu32, notice->xid);
		putchar('\n');
		break;
	case VGPU_NL_CMD_XID:
		printf("xid %" PRIu32 "\n", notice->xid);
		break;
	case VGPU_NL_CMD_CONTEXT_CLOSED:
		printf("context %" PRIu32 "%s closed\n", notice->context,
		       of_process(notice, process, sizeof(process)));
		break;
	case VGPU_NL_CMD_KNOB_CHANGED:
		printf("%s is now %s%s%s\n", notice->knob, notice->value,
		       *notice->reason ? ": " : "", notice->reason);
		break;
	case VGPU_NL_CMD_MEMORY_LOW:
		printf("memory of this machine is low: no page available for VRAM\n");
		break;
	default:
		printf("notice %u\n", notice->command);
	}
	fflush(stdout);
}

/* What group "public" does not say, for contexts that are ours and are still there. */
static void complete(struct client *client, struct client_notice *notice)
{
	struct client_context context = { .hidden = true };

	if (!notice->context || client_context(client, notice->device, notice->context, &context) ||
	    context.hidden)
		return;
	notice->pid = context.pid;
	if (notice->command != VGPU_NL_CMD_CONTEXT_DIED)
		return;
	notice->fault = context.fault;
	notice->address = context.fault_address;
}

int events_command(struct client *client, int argc, char **argv)
{
	struct client_notice notice;
	struct client asking = { 0 };
	bool public = false;
	int status;

	(void)argv;
	if (argc) {
		snprintf(client->error, sizeof(client->error),
			 "events takes no arguments; try vgpu-smi --help");
		return CLIENT_USAGE;
	}
	status = client_listen(client, VGPU_NL_GROUP_NOTICES);
	if (status == CLIENT_FORBIDDEN) {
		fputs("vgpu-smi: contexts " CLIENT_HIDDEN "\n", stderr);
		client->error[0] = 0;
		public = true;
		status = client_open(&asking);
		if (!status)
			status = client_listen(client, VGPU_NL_GROUP_PUBLIC);
	}
	while (!status && !ferror(stdout)) {
		status = client_next(client, &notice);
		if (!status && public)
			complete(&asking, &notice);
		if (!status)
			print_notice(&notice);
	}
	if (public)
		client_close(&asking);
	return status;
}
