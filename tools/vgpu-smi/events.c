// SPDX-License-Identifier: MIT
/*
 * vgpu-smi events: notices that the module multicasts, a line each, until interrupted.
 */
#include <inttypes.h>
#include <stdio.h>

#include "smi.h"

static void print_notice(const struct client_notice *notice)
{
	char name[64];

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
		printf("context %" PRIu32 " created by process %" PRIu32 " (%s)\n", notice->context,
		       notice->pid, client_process_name(notice->pid, name, sizeof(name)));
		break;
	case VGPU_NL_CMD_CONTEXT_DIED:
		printf("context %" PRIu32 " of process %" PRIu32 " died: %s, address 0x%" PRIx64
		       "\n",
		       notice->context, notice->pid, client_fault_name(notice->fault),
		       notice->address);
		break;
	case VGPU_NL_CMD_CONTEXT_CLOSED:
		printf("context %" PRIu32 " of process %" PRIu32 " closed\n", notice->context,
		       notice->pid);
		break;
	case VGPU_NL_CMD_KNOB_CHANGED:
		printf("%s is now %s\n", notice->knob, notice->value);
		break;
	case VGPU_NL_CMD_MEMORY_LOW:
		printf("memory of this machine is low: no page available for VRAM\n");
		break;
	default:
		printf("notice %u\n", notice->command);
	}
	fflush(stdout);
}

int events_command(struct client *client, int argc, char **argv)
{
	struct client_notice notice;
	int status;

	(void)argv;
	if (argc) {
		snprintf(client->error, sizeof(client->error),
			 "events takes no arguments; try vgpu-smi --help");
		return CLIENT_USAGE;
	}
	status = client_listen(client, VGPU_NL_GROUP_NOTICES);
	while (!status && !ferror(stdout)) {
		status = client_next(client, &notice);
		if (!status)
			print_notice(&notice);
	}
	return status;
}
