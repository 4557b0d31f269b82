/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Inside memsys/protocol/: an L2 that has nothing to do with coherence: a line is there, or is
 * being fetched. Writes that miss wait in the MSHR and are acknowledged at once.
 */
#ifndef VGPU_PROTOCOL_PLAIN_H
#define VGPU_PROTOCOL_PLAIN_H

#include "protocol.h"

enum vgpu_plain_state { PLAIN_I, PLAIN_V, PLAIN_IV, PLAIN_IAV, PLAIN_STATES };

void vgpu_plain_miss_gets(struct vgpu_coh_l2_step *step);
void vgpu_plain_miss_write(struct vgpu_coh_l2_step *step);
void vgpu_plain_miss_atomic(struct vgpu_coh_l2_step *step);
void vgpu_plain_gets(struct vgpu_coh_l2_step *step);
void vgpu_plain_write(struct vgpu_coh_l2_step *step);
void vgpu_plain_atomic(struct vgpu_coh_l2_step *step);
void vgpu_plain_evict(struct vgpu_coh_l2_step *step);
void vgpu_plain_wait_gets(struct vgpu_coh_l2_step *step);
void vgpu_plain_fetched(struct vgpu_coh_l2_step *step);
void vgpu_plain_fetched_atomic(struct vgpu_coh_l2_step *step);

/* With what is done when a write or an atomic takes effect */
#define VGPU_PLAIN_TABLE(miss_write, write, atomic, fetched_atomic)		\
	[PLAIN_I] = {								\
		[VGPU_COH_GETS] = { vgpu_plain_miss_gets, PLAIN_IV },		\
		[VGPU_COH_WRITE] = { miss_write, PLAIN_IV },			\
		[VGPU_COH_ATOMIC] = { vgpu_plain_miss_atomic, PLAIN_IAV },	\
	},									\
	[PLAIN_V] = {								\
		[VGPU_COH_GETS] = { vgpu_plain_gets, PLAIN_V },			\
		[VGPU_COH_WRITE] = { write, PLAIN_V },				\
		[VGPU_COH_ATOMIC] = { atomic, PLAIN_V },			\
		[VGPU_COH_EVICT] = { vgpu_plain_evict, PLAIN_I },		\
	},									\
	[PLAIN_IV] = {								\
		[VGPU_COH_GETS] = { vgpu_plain_wait_gets, PLAIN_IV },		\
		[VGPU_COH_WRITE] = { write, PLAIN_IV },				\
		[VGPU_COH_ATOMIC] = { vgpu_coh_l2_stall, PLAIN_IV },		\
		[VGPU_COH_EVICT] = { vgpu_coh_l2_stall, PLAIN_IV },		\
		[VGPU_COH_FETCHED] = { vgpu_plain_fetched, PLAIN_V },		\
	},									\
	[PLAIN_IAV] = {								\
		[VGPU_COH_GETS] = { vgpu_coh_l2_stall, PLAIN_IAV },		\
		[VGPU_COH_WRITE] = { vgpu_coh_l2_stall, PLAIN_IAV },		\
		[VGPU_COH_ATOMIC] = { vgpu_coh_l2_stall, PLAIN_IAV },		\
		[VGPU_COH_EVICT] = { vgpu_coh_l2_stall, PLAIN_IAV },		\
		[VGPU_COH_FETCHED] = { fetched_atomic, PLAIN_V },		\
	}

#endif
