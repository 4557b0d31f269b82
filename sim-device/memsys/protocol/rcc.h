/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Inside memsys/protocol/: the tables of RCC, which RCC-WO has, too: only how clocks advance
 * differs. Logical time (thesis 002, 3.4).
 */
#ifndef VGPU_PROTOCOL_RCC_H
#define VGPU_PROTOCOL_RCC_H

#include "protocol.h"

#define VGPU_RCC_LEASE_LEAST	8u
#define VGPU_RCC_LEASES		9u	/* 8, 16 ... 2048 */

enum vgpu_rcc_l1_state { RCC_L1_I, RCC_L1_V, RCC_L1_IV, RCC_L1_II, RCC_L1_VI, RCC_L1_STATES };
enum vgpu_rcc_l2_state { RCC_L2_I, RCC_L2_V, RCC_L2_IV, RCC_L2_IAV, RCC_L2_STATES };

/* A response has been seen: the clock of loads, of stores, is not before @time. RCC's is one. */
typedef void (*vgpu_rcc_advance)(struct vgpu_coh_core *core, bool write, u64 time);

/* The two protocols' own L1 actions are made from these. */
void vgpu_rcc_l1_data(struct vgpu_coh_l1_step *step, vgpu_rcc_advance advance);
void vgpu_rcc_l1_renew(struct vgpu_coh_l1_step *step);
void vgpu_rcc_l1_ack(struct vgpu_coh_l1_step *step, vgpu_rcc_advance advance);
void vgpu_rcc_l1_expire(struct vgpu_coh_l1_step *step);
bool vgpu_rcc_l1_expired(const struct vgpu_coh_l1_step *step);

void vgpu_rcc_l2_miss_gets(struct vgpu_coh_l2_step *step);
void vgpu_rcc_l2_miss_write(struct vgpu_coh_l2_step *step);
void vgpu_rcc_l2_miss_atomic(struct vgpu_coh_l2_step *step);
void vgpu_rcc_l2_gets(struct vgpu_coh_l2_step *step);
void vgpu_rcc_l2_write(struct vgpu_coh_l2_step *step);
void vgpu_rcc_l2_atomic(struct vgpu_coh_l2_step *step);
void vgpu_rcc_l2_evict(struct vgpu_coh_l2_step *step);
void vgpu_rcc_l2_wait_gets(struct vgpu_coh_l2_step *step);
void vgpu_rcc_l2_wait_write(struct vgpu_coh_l2_step *step);
void vgpu_rcc_l2_fetched(struct vgpu_coh_l2_step *step);
void vgpu_rcc_l2_fetched_atomic(struct vgpu_coh_l2_step *step);
void vgpu_rcc_purge_l2(const struct vgpu_coh_setup *setup, struct vgpu_coh_partition *partition,
		       struct vgpu_coh_l2_line *line);

/**
 * vgpu_rcc_tick - an L1's time goes on by one although nothing has happened
 *
 * A warp that only reads a line with a lease sees no time pass (3.4.2, livelock): the host does
 * this every 10,000 cycles.
 */
void vgpu_rcc_tick(struct vgpu_coh_core *core);
/* The lease that line has, or @setup's fixed one */
u64 vgpu_rcc_lease(const struct vgpu_coh_setup *setup, const struct vgpu_coh_l2_line *line);

/* The table of L2, and that of L1 with these answers to DATA and ACK */
#define VGPU_RCC_L2_TABLE							\
	[RCC_L2_I] = {								\
		[VGPU_COH_GETS] = { vgpu_rcc_l2_miss_gets, RCC_L2_IV },		\
		[VGPU_COH_WRITE] = { vgpu_rcc_l2_miss_write, RCC_L2_IV },	\
		[VGPU_COH_ATOMIC] = { vgpu_rcc_l2_miss_atomic, RCC_L2_IAV },	\
	},									\
	[RCC_L2_V] = {								\
		[VGPU_COH_GETS] = { vgpu_rcc_l2_gets, RCC_L2_V },		\
		[VGPU_COH_WRITE] = { vgpu_rcc_l2_write, RCC_L2_V },		\
		[VGPU_COH_ATOMIC] = { vgpu_rcc_l2_atomic, RCC_L2_V },		\
		[VGPU_COH_EVICT] = { vgpu_rcc_l2_evict, RCC_L2_I },		\
	},									\
	[RCC_L2_IV] = {								\
		[VGPU_COH_GETS] = { vgpu_rcc_l2_wait_gets, RCC_L2_IV },		\
		[VGPU_COH_WRITE] = { vgpu_rcc_l2_wait_write, RCC_L2_IV },	\
		[VGPU_COH_ATOMIC] = { vgpu_coh_l2_stall, RCC_L2_IV },		\
		[VGPU_COH_EVICT] = { vgpu_coh_l2_stall, RCC_L2_IV },		\
		[VGPU_COH_FETCHED] = { vgpu_rcc_l2_fetched, RCC_L2_V },		\
	},									\
	[RCC_L2_IAV] = {							\
		[VGPU_COH_GETS] = { vgpu_coh_l2_stall, RCC_L2_IAV },		\
		[VGPU_COH_WRITE] = { vgpu_coh_l2_stall, RCC_L2_IAV },		\
		[VGPU_COH_ATOMIC] = { vgpu_coh_l2_stall, RCC_L2_IAV },		\
		[VGPU_COH_EVICT] = { vgpu_coh_l2_stall, RCC_L2_IAV },		\
		[VGPU_COH_FETCHED] = { vgpu_rcc_l2_fetched_atomic, RCC_L2_V },	\
	}

#define VGPU_RCC_L1_TABLE(data, ack)						\
	[RCC_L1_I] = {								\
		[VGPU_COH_LOAD] = { vgpu_coh_l1_gets, RCC_L1_IV },		\
		[VGPU_COH_STORE] = { vgpu_coh_l1_write, RCC_L1_II },		\
		[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, RCC_L1_II },	\
	},									\
	[RCC_L1_V] = {								\
		[VGPU_COH_LOAD] = { vgpu_coh_l1_hit, RCC_L1_V },		\
		[VGPU_COH_STORE] = { vgpu_coh_l1_write, RCC_L1_VI },		\
		[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, RCC_L1_VI },	\
		[VGPU_COH_EVICT] = { vgpu_coh_l1_drop, RCC_L1_I },		\
		[VGPU_COH_EXPIRE] = { vgpu_rcc_l1_expire, RCC_L1_I },		\
	},									\
	[RCC_L1_IV] = {								\
		[VGPU_COH_LOAD] = { vgpu_coh_l1_merge, RCC_L1_IV },		\
		[VGPU_COH_STORE] = { vgpu_coh_l1_write, RCC_L1_II },		\
		[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, RCC_L1_II },	\
		[VGPU_COH_EVICT] = { vgpu_coh_l1_stall, RCC_L1_IV },		\
		[VGPU_COH_DATA] = { data, VGPU_COH_CHOSEN },			\
		[VGPU_COH_RENEW] = { vgpu_rcc_l1_renew, VGPU_COH_CHOSEN },	\
	},									\
	[RCC_L1_II] = {								\
		[VGPU_COH_LOAD] = { vgpu_coh_l1_gets_alone, RCC_L1_II },	\
		[VGPU_COH_STORE] = { vgpu_coh_l1_write, RCC_L1_II },		\
		[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, RCC_L1_II },	\
		[VGPU_COH_EVICT] = { vgpu_coh_l1_stall, RCC_L1_II },		\
		[VGPU_COH_DATA] = { data, VGPU_COH_CHOSEN },			\
		[VGPU_COH_RENEW] = { vgpu_rcc_l1_renew, VGPU_COH_CHOSEN },	\
		[VGPU_COH_ACK] = { ack, VGPU_COH_CHOSEN },			\
	},									\
	[RCC_L1_VI] = {								\
		[VGPU_COH_LOAD] = { vgpu_coh_l1_hit, RCC_L1_VI },		\
		[VGPU_COH_STORE] = { vgpu_coh_l1_write, RCC_L1_VI },		\
		[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, RCC_L1_VI },	\
		[VGPU_COH_EVICT] = { vgpu_coh_l1_stall, RCC_L1_VI },		\
		[VGPU_COH_EXPIRE] = { vgpu_rcc_l1_expire, RCC_L1_II },		\
		[VGPU_COH_DATA] = { data, VGPU_COH_CHOSEN },			\
		[VGPU_COH_RENEW] = { vgpu_rcc_l1_renew, VGPU_COH_CHOSEN },	\
		[VGPU_COH_ACK] = { ack, VGPU_COH_CHOSEN },			\
	}

#endif
