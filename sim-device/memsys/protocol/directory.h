/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Inside memsys/protocol/: a directory at L2, which GPU-VI and MESI have: L2 knows which L1s may
 * have a line (bit n for L1 n, n + 64 ...), and has them drop it before it is written or goes. L1s
 * write through and evict without a word. While L2 waits for answers the line's requests stall;
 * answers and what an owner writes come in a network of their own, which never stalls.
 *
 * The bytes of an L1's line are not read any more from the moment in which its SM writes the line:
 * others might see the new ones before the write is acknowledged.
 */
#ifndef VGPU_PROTOCOL_DIRECTORY_H
#define VGPU_PROTOCOL_DIRECTORY_H

#include "protocol.h"

/* II: something is in flight, and nothing that comes enters; loads wait until all has come */
enum vgpu_dir_l1_state { DIR_L1_I, DIR_L1_S, DIR_L1_E, DIR_L1_M, DIR_L1_IS, DIR_L1_II };
/*
 * SS: there, some L1s may have it. MT: one L1 may have it and writes without asking. IS, IM: being
 * fetched. MR: its owner is asked to drop it, for a read; SW: all are, for a write; SI: to go
 */
enum vgpu_dir_l2_state {
	DIR_L2_NP, DIR_L2_SS, DIR_L2_MT, DIR_L2_IS, DIR_L2_IM, DIR_L2_SW, DIR_L2_SI, DIR_L2_MR,
};

void vgpu_dir_l1_write_hit(struct vgpu_coh_l1_step *step);
void vgpu_dir_l1_atomic_hit(struct vgpu_coh_l1_step *step);
void vgpu_dir_l1_data(struct vgpu_coh_l1_step *step);
void vgpu_dir_l1_ack(struct vgpu_coh_l1_step *step);
void vgpu_dir_l1_inv(struct vgpu_coh_l1_step *step);
void vgpu_dir_l1_inv_hit(struct vgpu_coh_l1_step *step);

void vgpu_dir_l2_miss_gets(struct vgpu_coh_l2_step *step);
void vgpu_dir_l2_miss_other(struct vgpu_coh_l2_step *step);
void vgpu_dir_l2_gets(struct vgpu_coh_l2_step *step);
void vgpu_dir_l2_wait_gets(struct vgpu_coh_l2_step *step);
void vgpu_dir_l2_write(struct vgpu_coh_l2_step *step);
void vgpu_dir_l2_evict(struct vgpu_coh_l2_step *step);
void vgpu_dir_l2_fetched(struct vgpu_coh_l2_step *step);
void vgpu_dir_l2_fetched_other(struct vgpu_coh_l2_step *step);
void vgpu_dir_l2_write_acked(struct vgpu_coh_l2_step *step);
void vgpu_dir_l2_evict_acked(struct vgpu_coh_l2_step *step);
/* Has anybody else it, or none at all? */
u32 vgpu_dir_l2_sharers(const struct vgpu_coh_l2_step *step, u32 but);

/* States of L1 and L2 in which the two protocols do the same */
#define VGPU_DIR_L1_COMMON							\
	[DIR_L1_I] = {								\
		[VGPU_COH_LOAD] = { vgpu_coh_l1_gets, DIR_L1_IS },		\
		[VGPU_COH_STORE] = { vgpu_coh_l1_write, DIR_L1_II },		\
		[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, DIR_L1_II },	\
		[VGPU_COH_INV] = { vgpu_dir_l1_inv, DIR_L1_I },			\
	},									\
	[DIR_L1_S] = {								\
		[VGPU_COH_LOAD] = { vgpu_coh_l1_hit, DIR_L1_S },		\
		[VGPU_COH_STORE] = { vgpu_dir_l1_write_hit, DIR_L1_II },	\
		[VGPU_COH_ATOMIC_OP] = { vgpu_dir_l1_atomic_hit, DIR_L1_II },	\
		[VGPU_COH_EVICT] = { vgpu_coh_l1_drop, DIR_L1_I },		\
		[VGPU_COH_INV] = { vgpu_dir_l1_inv_hit, DIR_L1_I },		\
	},									\
	[DIR_L1_IS] = {								\
		[VGPU_COH_LOAD] = { vgpu_coh_l1_merge, DIR_L1_IS },		\
		[VGPU_COH_STORE] = { vgpu_coh_l1_write, DIR_L1_II },		\
		[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, DIR_L1_II },	\
		[VGPU_COH_EVICT] = { vgpu_coh_l1_stall, DIR_L1_IS },		\
		[VGPU_COH_INV] = { vgpu_dir_l1_inv, DIR_L1_II },		\
		[VGPU_COH_DATA] = { vgpu_dir_l1_data, VGPU_COH_CHOSEN },	\
		[VGPU_COH_DATA_E] = { vgpu_dir_l1_data, VGPU_COH_CHOSEN },	\
	},									\
	[DIR_L1_II] = {								\
		[VGPU_COH_LOAD] = { vgpu_coh_l1_stall, DIR_L1_II },		\
		[VGPU_COH_STORE] = { vgpu_coh_l1_write, DIR_L1_II },		\
		[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, DIR_L1_II },	\
		[VGPU_COH_EVICT] = { vgpu_coh_l1_stall, DIR_L1_II },		\
		[VGPU_COH_INV] = { vgpu_dir_l1_inv, DIR_L1_II },		\
		[VGPU_COH_DATA] = { vgpu_dir_l1_data, VGPU_COH_CHOSEN },	\
		[VGPU_COH_DATA_E] = { vgpu_dir_l1_data, VGPU_COH_CHOSEN },	\
		[VGPU_COH_ACK] = { vgpu_dir_l1_ack, VGPU_COH_CHOSEN },		\
	}

#define VGPU_DIR_STALLED							\
	[VGPU_COH_GETS] = { vgpu_coh_l2_stall, VGPU_COH_CHOSEN },		\
	VGPU_DIR_STALLED_BUT_GETS
#define VGPU_DIR_STALLED_BUT_GETS						\
	[VGPU_COH_WRITE] = { vgpu_coh_l2_stall, VGPU_COH_CHOSEN },		\
	[VGPU_COH_ATOMIC] = { vgpu_coh_l2_stall, VGPU_COH_CHOSEN },		\
	[VGPU_COH_EVICT] = { vgpu_coh_l2_stall, VGPU_COH_CHOSEN }

#endif
