// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A directory at L2; see directory.h.
 */
#include "directory.h"

/* ---- L1 -------------------------------------------------------------------- */

void vgpu_dir_l1_write_hit(struct vgpu_coh_l1_step *step)
{
	vgpu_coh_l1_drop(step);
	vgpu_coh_l1_write(step);
}

void vgpu_dir_l1_atomic_hit(struct vgpu_coh_l1_step *step)
{
	vgpu_coh_l1_drop(step);
	vgpu_coh_l1_atomic(step);
}

static void settle(struct vgpu_coh_l1_step *step)
{
	struct vgpu_coh_l1_line *line = step->line;

	if (line->state == DIR_L1_II && !vgpu_coh_pending(line))
		line->state = DIR_L1_I;
	if (line->state == DIR_L1_M && !line->writes)
		line->state = DIR_L1_E;
}

void vgpu_dir_l1_data(struct vgpu_coh_l1_step *step)
{
	struct vgpu_coh_l1_line *line = step->line;

	step->out->actions = VGPU_COH_ANSWER;
	if (step->in->of == VGPU_COH_ATOMIC) {
		line->writes--;
		settle(step);
		return;
	}
	line->reads--;
	step->out->actions |= VGPU_COH_MERGED;
	if (line->state == DIR_L1_IS) {
		line->state = step->in->kind == VGPU_COH_DATA_E ? DIR_L1_E : DIR_L1_S;
		step->out->actions |= VGPU_COH_FILL;
	}
	settle(step);
}

/* Nobody waits for what an owner has written. */
void vgpu_dir_l1_ack(struct vgpu_coh_l1_step *step)
{
	step->line->writes--;
	if (step->in->of != VGPU_COH_THROUGH)
		step->out->actions = VGPU_COH_ANSWER;
	settle(step);
}

void vgpu_dir_l1_inv(struct vgpu_coh_l1_step *step)
{
	vgpu_coh_request(step, VGPU_COH_INV_ACK);
}

void vgpu_dir_l1_inv_hit(struct vgpu_coh_l1_step *step)
{
	vgpu_coh_l1_drop(step);
	vgpu_coh_request(step, VGPU_COH_INV_ACK);
}

/* ---- L2 -------------------------------------------------------------------- */

static u64 bit_of(u32 core)
{
	return 1ull << (core & 63);
}

u32 vgpu_dir_l2_sharers(const struct vgpu_coh_l2_step *step, u32 but)
{
	u32 count = 0;

	for (u32 core = 0; step->line->sharers && core < step->setup->cores; core++)
		count += core != but && step->line->sharers & bit_of(core);
	return count;
}

void vgpu_dir_l2_miss_gets(struct vgpu_coh_l2_step *step)
{
	step->line->sharers = bit_of(step->in->core);
	step->out->actions = VGPU_COH_FETCH | VGPU_COH_KEEP;
}

void vgpu_dir_l2_wait_gets(struct vgpu_coh_l2_step *step)
{
	step->line->sharers |= bit_of(step->in->core);
	step->out->actions = VGPU_COH_KEEP;
}

void vgpu_dir_l2_miss_other(struct vgpu_coh_l2_step *step)
{
	step->line->waits = step->in->kind;
	step->out->actions = VGPU_COH_FETCH | VGPU_COH_KEEP;
}

void vgpu_dir_l2_gets(struct vgpu_coh_l2_step *step)
{
	step->line->sharers |= bit_of(step->in->core);
	vgpu_coh_reply(step, VGPU_COH_DATA);
}

static void reply_written(struct vgpu_coh_l2_step *step, u8 kind)
{
	step->line->dirty = true;
	vgpu_coh_reply(step, kind == VGPU_COH_ATOMIC ? VGPU_COH_DATA : VGPU_COH_ACK);
}

/* A write or an atomic: at once if nobody else has the line */
void vgpu_dir_l2_write(struct vgpu_coh_l2_step *step)
{
	struct vgpu_coh_l2_line *line = step->line;
	u32 acks = vgpu_dir_l2_sharers(step, step->in->core);

	if (!acks) {
		line->sharers = 0;
		line->state = DIR_L2_SS;
		step->out->actions = VGPU_COH_APPLY;
		reply_written(step, step->in->kind);
		return;
	}
	line->acks = (u16)acks;
	line->waits = step->in->kind;
	line->state = DIR_L2_SW;
	step->out->actions = VGPU_COH_KEEP;
	step->out->invs = line->sharers;
	step->out->inv_but = step->in->core + 1u;
}

void vgpu_dir_l2_evict(struct vgpu_coh_l2_step *step)
{
	struct vgpu_coh_l2_line *line = step->line;
	u32 acks = vgpu_dir_l2_sharers(step, ~0u);

	if (acks) {
		line->acks = (u16)acks;
		line->state = DIR_L2_SI;
		step->out->invs = line->sharers;
		return;
	}
	step->out->actions = line->dirty ? VGPU_COH_WBACK : 0;
	memset(line, 0, sizeof(*line));
}

void vgpu_dir_l2_fetched(struct vgpu_coh_l2_step *step)
{
	vgpu_coh_reply(step, VGPU_COH_DATA);
	step->out->actions = VGPU_COH_ENTER | VGPU_COH_ANSWER_KEPT;
}

void vgpu_dir_l2_fetched_other(struct vgpu_coh_l2_step *step)
{
	reply_written(step, step->line->waits);
	step->line->waits = 0;
	step->out->actions = VGPU_COH_ENTER | VGPU_COH_APPLY_KEPT | VGPU_COH_ANSWER_KEPT;
}

void vgpu_dir_l2_write_acked(struct vgpu_coh_l2_step *step)
{
	struct vgpu_coh_l2_line *line = step->line;

	if (--line->acks)
		return;
	line->sharers = 0;
	line->owner = 0;
	line->state = DIR_L2_SS;
	reply_written(step, line->waits);
	line->waits = 0;
	step->out->actions = VGPU_COH_APPLY_KEPT | VGPU_COH_ANSWER_KEPT;
}

void vgpu_dir_l2_evict_acked(struct vgpu_coh_l2_step *step)
{
	if (--step->line->acks)
		return;
	step->out->actions = step->line->dirty ? VGPU_COH_WBACK : 0;
	memset(step->line, 0, sizeof(*step->line));
}
