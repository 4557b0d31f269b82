/* SPDX-License-Identifier: MIT */
/*
 * A state of the explorer; see explore.h.
 */
#ifndef TEST_STATE_H
#define TEST_STATE_H

#include <stddef.h>

#include "explore.h"
#include "memsys/protocol/rollover.h"

#define EX_MESSAGES	32u
#define EX_RING		4u
#define EX_FLUSH	VGPU_COH_EVENTS		/* kinds of messages beside the protocol's */
#define EX_FLUSHED	(VGPU_COH_EVENTS + 1u)

enum ex_wait { EX_READY, EX_SENT, EX_MERGED };

struct ex_thread {
	u8 pc;
	u8 wait;
	u8 leader;
};

struct ex_message {
	struct vgpu_coh_message m;
	u8 line;
	u8 data;
	u8 channel;	/* those of one stay in order */
	bool up;	/* to L2 */
};

struct ex_kept {
	struct vgpu_coh_message m;
	u8 data;
	bool used;
};

struct ex_token {
	u8 to;
	u8 event;
	u8 origin;
	bool used;
};

struct ex_state {
	struct vgpu_coh_core cores[EX_CORES];
	struct vgpu_coh_l1_line l1[EX_CORES][EX_LINES];
	struct vgpu_coh_l2_line l2[EX_LINES];
	struct vgpu_coh_partition partitions[EX_LINES];
	struct ex_kept kept[EX_LINES][EX_THREADS];
	u64 clock;
	struct ex_thread threads[EX_THREADS];
	u8 regs[EX_REGS];
	u8 l1_data[EX_CORES][EX_LINES];
	u8 l2_data[EX_LINES];
	u8 memory[EX_LINES];
	bool fetching[EX_LINES];
	bool written[EX_LINES];
	u8 evictions;
	u8 ticks;
	u8 purges;
	struct ex_token ring[EX_RING];
	u32 count;
	struct ex_message messages[EX_MESSAGES];
};

/* How many bytes of @state count */
static inline size_t ex_state_bytes(const struct ex_state *state)
{
	return offsetof(struct ex_state, messages) + state->count * sizeof(state->messages[0]);
}

#endif
