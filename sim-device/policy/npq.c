// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Non-preemptive priority queues (Tanasic 5.3.2, figure 5.1b): the waiting kernel of the highest
 * priority is next, equal ones in the order of arrival; what runs is never disturbed.
 *
 * What the text demands of the rest: "a modification to GPU command scheduler could allow
 * priorities" (5.1), so this is today's GPU with another order of its queue, and the engine still
 * belongs to one context at a time (fcfs.c). It has to: "the high-priority kernel has to wait
 * only for the currently running kernel to finish", and with two processes there is no gain over
 * fcfs "since the scheduler actually never has any choice": when the kernel of one ends, only the
 * other's can be waiting. If kernels of different contexts ran back to back, the second process
 * would start on the SMs that the first one leaves idle at its end, and two processes would gain.
 *
 * A context that is more important and waits stops the owner's further launches: they do not
 * overtake it.
 */
#include "common.h"

const struct vgpu_policy vgpu_policy_npq = {
	.name = "npq",
	.takes_idle = true,
	.schedule = vgpu_policy_exclusive,
	.rank = vgpu_rank_by_priority,
};
