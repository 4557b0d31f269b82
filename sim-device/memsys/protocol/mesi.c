// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * MESI with L1s that write through (thesis 002, 3.2, 3.5; its table is not printed): a directory
 * (directory.h), and a line that only one L1 has asked for is that L1's: it writes there without
 * asking, and through to L2 (THROUGH), which so always has the bytes. M is E with such writes in
 * flight. Whoever else wants the line has the owner drop it; the answer comes behind the writes.
 */
#include "directory.h"

/* The store is done: nobody else has the line. */
static void mesi_store_owned(struct vgpu_coh_l1_step *step)
{
	vgpu_coh_request(step, VGPU_COH_THROUGH);
	step->line->writes++;
	step->out->actions = VGPU_COH_UPDATE | VGPU_COH_HIT;
}

static void mesi_through(struct vgpu_coh_l2_step *step)
{
	step->line->dirty = true;
	step->out->actions = VGPU_COH_APPLY;
	vgpu_coh_reply(step, VGPU_COH_ACK);
}

static void lend_alone(struct vgpu_coh_l2_step *step)
{
	step->line->owner = step->in->core;
	step->line->state = DIR_L2_MT;
	vgpu_dir_l2_gets(step);
	step->out->send.kind = VGPU_COH_DATA_E;
}

static void mesi_gets(struct vgpu_coh_l2_step *step)
{
	if (!step->line->sharers)
		lend_alone(step);
	else
		vgpu_dir_l2_gets(step);
}

/* The owner has dropped it without a word and asks again; or another one wants it. */
static void mesi_gets_owned(struct vgpu_coh_l2_step *step)
{
	struct vgpu_coh_l2_line *line = step->line;

	if (line->owner == step->in->core) {
		lend_alone(step);
		return;
	}
	step->out->actions = VGPU_COH_KEEP;
	step->out->invs = line->sharers;
	step->out->inv_but = step->in->core + 1u;
	line->acks = (u16)vgpu_dir_l2_sharers(step, step->in->core);
	line->owner = step->in->core;
	line->state = DIR_L2_MR;
}

static void mesi_read_acked(struct vgpu_coh_l2_step *step)
{
	struct vgpu_coh_l2_line *line = step->line;

	if (--line->acks)
		return;
	line->sharers = 1ull << (line->owner & 63);
	line->owner = 0;
	line->state = DIR_L2_SS;
	vgpu_coh_reply(step, VGPU_COH_DATA);
	step->out->actions = VGPU_COH_ANSWER_KEPT;
}

static void mesi_miss_gets(struct vgpu_coh_l2_step *step)
{
	vgpu_dir_l2_miss_gets(step);
	step->line->owner = step->in->core;
	step->line->acks = 1;
}

static void mesi_wait_gets(struct vgpu_coh_l2_step *step)
{
	vgpu_dir_l2_wait_gets(step);
	step->line->acks++;
}

static void mesi_fetched(struct vgpu_coh_l2_step *step)
{
	struct vgpu_coh_l2_line *line = step->line;
	bool alone = line->acks == 1;

	line->acks = 0;
	vgpu_dir_l2_fetched(step);
	line->state = alone ? DIR_L2_MT : DIR_L2_SS;
	if (alone)
		step->out->send.kind = VGPU_COH_DATA_E;
	else
		line->owner = 0;
}

const struct vgpu_coh_protocol vgpu_coh_mesi = {
	.name = "mesi",
	.l1 = {
		VGPU_DIR_L1_COMMON,
		[DIR_L1_E] = {
			[VGPU_COH_LOAD] = { vgpu_coh_l1_hit, DIR_L1_E },
			[VGPU_COH_STORE] = { mesi_store_owned, DIR_L1_M },
			[VGPU_COH_ATOMIC_OP] = { vgpu_dir_l1_atomic_hit, DIR_L1_II },
			[VGPU_COH_EVICT] = { vgpu_coh_l1_drop, DIR_L1_I },
			[VGPU_COH_INV] = { vgpu_dir_l1_inv_hit, DIR_L1_I },
		},
		[DIR_L1_M] = {
			[VGPU_COH_LOAD] = { vgpu_coh_l1_hit, DIR_L1_M },
			[VGPU_COH_STORE] = { mesi_store_owned, DIR_L1_M },
			[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_stall, DIR_L1_M },
			[VGPU_COH_EVICT] = { vgpu_coh_l1_stall, DIR_L1_M },
			[VGPU_COH_INV] = { vgpu_dir_l1_inv_hit, DIR_L1_II },
			[VGPU_COH_ACK] = { vgpu_dir_l1_ack, VGPU_COH_CHOSEN },
		},
	},
	.l2 = {
		[DIR_L2_NP] = {
			[VGPU_COH_GETS] = { mesi_miss_gets, DIR_L2_IS },
			[VGPU_COH_WRITE] = { vgpu_dir_l2_miss_other, DIR_L2_IM },
			[VGPU_COH_ATOMIC] = { vgpu_dir_l2_miss_other, DIR_L2_IM },
		},
		[DIR_L2_SS] = {
			[VGPU_COH_GETS] = { mesi_gets, VGPU_COH_CHOSEN },
			[VGPU_COH_WRITE] = { vgpu_dir_l2_write, VGPU_COH_CHOSEN },
			[VGPU_COH_ATOMIC] = { vgpu_dir_l2_write, VGPU_COH_CHOSEN },
			[VGPU_COH_EVICT] = { vgpu_dir_l2_evict, VGPU_COH_CHOSEN },
		},
		[DIR_L2_MT] = {
			[VGPU_COH_GETS] = { mesi_gets_owned, VGPU_COH_CHOSEN },
			[VGPU_COH_WRITE] = { vgpu_dir_l2_write, VGPU_COH_CHOSEN },
			[VGPU_COH_ATOMIC] = { vgpu_dir_l2_write, VGPU_COH_CHOSEN },
			[VGPU_COH_THROUGH] = { mesi_through, DIR_L2_MT },
			[VGPU_COH_EVICT] = { vgpu_dir_l2_evict, VGPU_COH_CHOSEN },
		},
		[DIR_L2_IS] = {
			VGPU_DIR_STALLED_BUT_GETS,
			[VGPU_COH_GETS] = { mesi_wait_gets, DIR_L2_IS },
			[VGPU_COH_FETCHED] = { mesi_fetched, VGPU_COH_CHOSEN },
		},
		[DIR_L2_IM] = {
			VGPU_DIR_STALLED,
			[VGPU_COH_FETCHED] = { vgpu_dir_l2_fetched_other, DIR_L2_SS },
		},
		[DIR_L2_SW] = {
			VGPU_DIR_STALLED,
			[VGPU_COH_THROUGH] = { mesi_through, DIR_L2_SW },
			[VGPU_COH_INV_ACK] = { vgpu_dir_l2_write_acked, VGPU_COH_CHOSEN },
		},
		[DIR_L2_SI] = {
			VGPU_DIR_STALLED,
			[VGPU_COH_THROUGH] = { mesi_through, DIR_L2_SI },
			[VGPU_COH_INV_ACK] = { vgpu_dir_l2_evict_acked, VGPU_COH_CHOSEN },
		},
		[DIR_L2_MR] = {
			VGPU_DIR_STALLED,
			[VGPU_COH_THROUGH] = { mesi_through, DIR_L2_MR },
			[VGPU_COH_INV_ACK] = { mesi_read_acked, VGPU_COH_CHOSEN },
		},
	},
	.l1_states = { "I", "S", "E", "M", "IS", "II" },
	.l2_states = { "NP", "SS", "MT", "IS", "IM", "SW", "SI", "MR" },
	.l1_stable = 4,
	.l2_stable = 3,
	.networks = 5,
	.network = {
		[VGPU_COH_THROUGH] = 1, [VGPU_COH_INV_ACK] = 1, [VGPU_COH_DATA] = 2,
		[VGPU_COH_DATA_E] = 2, [VGPU_COH_ACK] = 3, [VGPU_COH_INV] = 4,
	},
	.closed = DIR_L1_II,
	.sequential = true,
};
