/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Command buffers (Tanasic 5.2.3): they separate the execution commands of different contexts; each
 * holds one command. What a context launches while its buffer is full waits in the dispatcher, in
 * order.
 */
#ifndef VGPU_COMMAND_BUFFER_H
#define VGPU_COMMAND_BUFFER_H

#include "../core/tournament.h"

struct vgpu_command;

struct vgpu_command_buffer {
	/* among the full buffers, by the policy's rank and arrival */
	struct vgpu_entrant node;
	struct vgpu_command *command;	/* NULL: empty */
	struct vgpu_command *head;	/* behind it, in the dispatcher */
	struct vgpu_command *tail;
};

#endif
