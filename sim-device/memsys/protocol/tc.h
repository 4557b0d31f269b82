/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Inside memsys/protocol/: what TC-Strong and TC-Weak have in common: leases of physical time, by a
 * clock that all caches see (Singh, HPCA 2013; thesis 002, 2.4 and digest 2.6). They differ in what
 * a write to a line with leases does, and in what an L1 may read meanwhile.
 */
#ifndef VGPU_PROTOCOL_TC_H
#define VGPU_PROTOCOL_TC_H

#include "protocol.h"

enum vgpu_tc_l1_state { TC_L1_I, TC_L1_S, TC_L1_IS, TC_L1_II, TC_L1_SM, TC_L1_STATES };
/*
 * E: there, and all leases have run out. S: one L1 has a lease. SS: several. MI: has to go, and
 * waits in an MSHR for its leases. IS, IM, IMA: being fetched for reads, a write, an atomic
 */
enum vgpu_tc_l2_state {
	TC_L2_NP, TC_L2_E, TC_L2_S, TC_L2_SS, TC_L2_IS, TC_L2_IM, TC_L2_IMA, TC_L2_MI, TC_L2_STATES
};

/*
 * The predictor of leases, one for each partition: a load of a line whose leases are over makes
 * those to come longer, a write of a line that has some shorter, but not than the fixed ones, and
 * so does an eviction that has to wait for them.
 */
#define VGPU_TC_LOAD_OVER	1
#define VGPU_TC_WRITE_LENT	64
#define VGPU_TC_EVICT_LENT	16

bool vgpu_tc_l1_expired(const struct vgpu_coh_l1_step *step);
bool vgpu_tc_l2_expired(const struct vgpu_coh_l2_step *step);
void vgpu_tc_l1_expire(struct vgpu_coh_l1_step *step);
void vgpu_tc_l1_upgrade(struct vgpu_coh_l1_step *step);
void vgpu_tc_l1_data(struct vgpu_coh_l1_step *step);
void vgpu_tc_l1_ack(struct vgpu_coh_l1_step *step);
void vgpu_tc_l1_ack_global(struct vgpu_coh_l1_step *step);

void vgpu_tc_l2_miss_gets(struct vgpu_coh_l2_step *step);
void vgpu_tc_l2_miss_other(struct vgpu_coh_l2_step *step);
void vgpu_tc_l2_gets(struct vgpu_coh_l2_step *step);
void vgpu_tc_l2_wait_gets(struct vgpu_coh_l2_step *step);
void vgpu_tc_l2_write(struct vgpu_coh_l2_step *step);
void vgpu_tc_l2_atomic(struct vgpu_coh_l2_step *step);
/* A write of a line with leases that go on: these have been too long. */
void vgpu_tc_l2_too_long(struct vgpu_coh_l2_step *step);
void vgpu_tc_l2_until_expiry(struct vgpu_coh_l2_step *step);
void vgpu_tc_l2_expire(struct vgpu_coh_l2_step *step);
void vgpu_tc_l2_evict(struct vgpu_coh_l2_step *step);
void vgpu_tc_l2_park(struct vgpu_coh_l2_step *step);
void vgpu_tc_l2_fetched_reads(struct vgpu_coh_l2_step *step);
void vgpu_tc_l2_fetched_write(struct vgpu_coh_l2_step *step);
void vgpu_tc_l2_fetched_atomic(struct vgpu_coh_l2_step *step);
/* Is the UPGRADE from the only L1 with a lease, which is that of L2? */
bool vgpu_tc_l2_is_holder(const struct vgpu_coh_l2_step *step);

/* An L1, with what a load does while a write of the line is in flight: its line was there; not */
#define VGPU_TC_L1_TABLE(load_sm, load_ii, data, ack_global)			\
	[TC_L1_I] = {								\
		[VGPU_COH_LOAD] = { vgpu_coh_l1_gets, TC_L1_IS },		\
		[VGPU_COH_STORE] = { vgpu_coh_l1_write, TC_L1_II },		\
		[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, TC_L1_II },	\
	},									\
	[TC_L1_S] = {								\
		[VGPU_COH_LOAD] = { vgpu_coh_l1_hit, TC_L1_S },			\
		[VGPU_COH_STORE] = { vgpu_tc_l1_upgrade, TC_L1_SM },		\
		[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, TC_L1_SM },	\
		[VGPU_COH_EVICT] = { vgpu_coh_l1_drop, TC_L1_I },		\
		[VGPU_COH_EXPIRE] = { vgpu_tc_l1_expire, TC_L1_I },		\
	},									\
	[TC_L1_IS] = {								\
		[VGPU_COH_LOAD] = { vgpu_coh_l1_merge, TC_L1_IS },		\
		[VGPU_COH_STORE] = { vgpu_coh_l1_write, TC_L1_II },		\
		[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, TC_L1_II },	\
		[VGPU_COH_EVICT] = { vgpu_coh_l1_stall, TC_L1_IS },		\
		[VGPU_COH_DATA] = { data, VGPU_COH_CHOSEN },			\
	},									\
	[TC_L1_II] = {								\
		[VGPU_COH_LOAD] = { load_ii, TC_L1_II },			\
		[VGPU_COH_STORE] = { vgpu_coh_l1_write, TC_L1_II },		\
		[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, TC_L1_II },	\
		[VGPU_COH_EVICT] = { vgpu_coh_l1_stall, TC_L1_II },		\
		[VGPU_COH_DATA] = { data, VGPU_COH_CHOSEN },			\
		[VGPU_COH_ACK] = { vgpu_tc_l1_ack, VGPU_COH_CHOSEN },		\
		[VGPU_COH_ACK_GLOBAL] = { ack_global, VGPU_COH_CHOSEN },	\
	},									\
	[TC_L1_SM] = {								\
		[VGPU_COH_LOAD] = { load_sm, TC_L1_SM },			\
		[VGPU_COH_STORE] = { vgpu_coh_l1_write, TC_L1_SM },		\
		[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, TC_L1_SM },	\
		[VGPU_COH_EVICT] = { vgpu_coh_l1_stall, TC_L1_SM },		\
		[VGPU_COH_EXPIRE] = { vgpu_tc_l1_expire, TC_L1_II },		\
		[VGPU_COH_DATA] = { data, VGPU_COH_CHOSEN },			\
		[VGPU_COH_ACK] = { vgpu_tc_l1_ack, VGPU_COH_CHOSEN },		\
		[VGPU_COH_ACK_GLOBAL] = { ack_global, VGPU_COH_CHOSEN },	\
	}

/* L2, with what a write, an upgrade and an atomic of a line with leases does */
#define VGPU_TC_L2_TABLE(write, upgrade, upgrade_shared, atomic)		\
	[TC_L2_NP] = {								\
		[VGPU_COH_GETS] = { vgpu_tc_l2_miss_gets, TC_L2_IS },		\
		[VGPU_COH_WRITE] = { vgpu_tc_l2_miss_other, TC_L2_IM },		\
		[VGPU_COH_UPGRADE] = { vgpu_tc_l2_miss_other, TC_L2_IM },	\
		[VGPU_COH_ATOMIC] = { vgpu_tc_l2_miss_other, TC_L2_IMA },	\
	},									\
	[TC_L2_E] = {								\
		[VGPU_COH_GETS] = { vgpu_tc_l2_gets, VGPU_COH_CHOSEN },		\
		[VGPU_COH_WRITE] = { vgpu_tc_l2_write, TC_L2_E },		\
		[VGPU_COH_UPGRADE] = { vgpu_tc_l2_write, TC_L2_E },		\
		[VGPU_COH_ATOMIC] = { vgpu_tc_l2_atomic, TC_L2_E },		\
		[VGPU_COH_EVICT] = { vgpu_tc_l2_evict, TC_L2_NP },		\
	},									\
	[TC_L2_S] = {								\
		[VGPU_COH_GETS] = { vgpu_tc_l2_gets, VGPU_COH_CHOSEN },		\
		[VGPU_COH_WRITE] = { write, VGPU_COH_CHOSEN },			\
		[VGPU_COH_UPGRADE] = { upgrade, VGPU_COH_CHOSEN },		\
		[VGPU_COH_ATOMIC] = { atomic, VGPU_COH_CHOSEN },		\
		[VGPU_COH_EVICT] = { vgpu_tc_l2_park, TC_L2_MI },		\
		[VGPU_COH_EXPIRE] = { vgpu_tc_l2_expire, TC_L2_E },		\
	},									\
	[TC_L2_SS] = {								\
		[VGPU_COH_GETS] = { vgpu_tc_l2_gets, VGPU_COH_CHOSEN },		\
		[VGPU_COH_WRITE] = { write, VGPU_COH_CHOSEN },			\
		[VGPU_COH_UPGRADE] = { upgrade_shared, VGPU_COH_CHOSEN },	\
		[VGPU_COH_ATOMIC] = { atomic, VGPU_COH_CHOSEN },		\
		[VGPU_COH_EVICT] = { vgpu_tc_l2_park, TC_L2_MI },		\
		[VGPU_COH_EXPIRE] = { vgpu_tc_l2_expire, TC_L2_E },		\
	},									\
	[TC_L2_IS] = {								\
		[VGPU_COH_GETS] = { vgpu_tc_l2_wait_gets, TC_L2_IS },		\
		[VGPU_COH_WRITE] = { vgpu_coh_l2_stall, TC_L2_IS },		\
		[VGPU_COH_UPGRADE] = { vgpu_coh_l2_stall, TC_L2_IS },		\
		[VGPU_COH_ATOMIC] = { vgpu_coh_l2_stall, TC_L2_IS },		\
		[VGPU_COH_EVICT] = { vgpu_coh_l2_stall, TC_L2_IS },		\
		[VGPU_COH_FETCHED] = { vgpu_tc_l2_fetched_reads, VGPU_COH_CHOSEN }, \
	},									\
	[TC_L2_IM] = {								\
		[VGPU_COH_GETS] = { vgpu_coh_l2_stall, TC_L2_IM },		\
		[VGPU_COH_WRITE] = { vgpu_coh_l2_stall, TC_L2_IM },		\
		[VGPU_COH_UPGRADE] = { vgpu_coh_l2_stall, TC_L2_IM },		\
		[VGPU_COH_ATOMIC] = { vgpu_coh_l2_stall, TC_L2_IM },		\
		[VGPU_COH_EVICT] = { vgpu_coh_l2_stall, TC_L2_IM },		\
		[VGPU_COH_FETCHED] = { vgpu_tc_l2_fetched_write, TC_L2_E },	\
	},									\
	[TC_L2_IMA] = {								\
		[VGPU_COH_GETS] = { vgpu_coh_l2_stall, TC_L2_IMA },		\
		[VGPU_COH_WRITE] = { vgpu_coh_l2_stall, TC_L2_IMA },		\
		[VGPU_COH_UPGRADE] = { vgpu_coh_l2_stall, TC_L2_IMA },		\
		[VGPU_COH_ATOMIC] = { vgpu_coh_l2_stall, TC_L2_IMA },		\
		[VGPU_COH_EVICT] = { vgpu_coh_l2_stall, TC_L2_IMA },		\
		[VGPU_COH_FETCHED] = { vgpu_tc_l2_fetched_atomic, TC_L2_E },	\
	},									\
	[TC_L2_MI] = {								\
		[VGPU_COH_GETS] = { vgpu_tc_l2_until_expiry, TC_L2_MI },	\
		[VGPU_COH_WRITE] = { vgpu_tc_l2_until_expiry, TC_L2_MI },	\
		[VGPU_COH_UPGRADE] = { vgpu_tc_l2_until_expiry, TC_L2_MI },	\
		[VGPU_COH_ATOMIC] = { vgpu_tc_l2_until_expiry, TC_L2_MI },	\
		[VGPU_COH_EVICT] = { vgpu_coh_l2_stall, TC_L2_MI },		\
		[VGPU_COH_EXPIRE] = { vgpu_tc_l2_evict, TC_L2_NP },		\
	}

#endif
