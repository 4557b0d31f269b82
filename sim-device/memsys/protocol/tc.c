// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What the two TC protocols have in common; see tc.h.
 */
#include "tc.h"

/* ---- L1 -------------------------------------------------------------------- */

bool vgpu_tc_l1_expired(const struct vgpu_coh_l1_step *step)
{
	return step->line->exp < step->cycle;
}

void vgpu_tc_l1_expire(struct vgpu_coh_l1_step *step)
{
	vgpu_coh_l1_drop(step);
}

void vgpu_tc_l1_upgrade(struct vgpu_coh_l1_step *step)
{
	vgpu_coh_request(step, VGPU_COH_UPGRADE);
	step->out->send.exp = step->line->exp;
	step->line->writes++;
}

static void settle(struct vgpu_coh_l1_step *step)
{
	step->line->state = vgpu_coh_pending(step->line) ? TC_L1_II : TC_L1_I;
	step->line->held = false;
	step->out->actions |= VGPU_COH_DROP;
}

/*
 * Bytes whose lease has run out on the way are good for the load that has asked for them. Loads
 * that merged later may have come after the write that the lease had kept off.
 */
void vgpu_tc_l1_data(struct vgpu_coh_l1_step *step)
{
	struct vgpu_coh_l1_line *line = step->line;
	bool enters;

	step->out->actions = VGPU_COH_ANSWER;
	if (step->in->of == VGPU_COH_ATOMIC) {
		line->writes--;
		settle(step);
		return;
	}
	line->reads--;
	enters = line->state == TC_L1_IS && step->in->exp >= step->cycle;
	step->out->actions |= step->in->exp >= step->cycle ? VGPU_COH_MERGED :
							     VGPU_COH_RETRY_MERGED;
	if (!enters) {
		settle(step);
		return;
	}
	line->exp = step->in->exp;
	line->state = TC_L1_S;
	step->out->actions |= VGPU_COH_FILL;
}

void vgpu_tc_l1_ack(struct vgpu_coh_l1_step *step)
{
	step->line->writes--;
	step->out->actions = VGPU_COH_ANSWER;
	settle(step);
}

void vgpu_tc_l1_ack_global(struct vgpu_coh_l1_step *step)
{
	if (step->in->ver > step->core->visible)
		step->core->visible = step->in->ver;
	vgpu_tc_l1_ack(step);
}

/* ---- L2 -------------------------------------------------------------------- */

bool vgpu_tc_l2_expired(const struct vgpu_coh_l2_step *step)
{
	return step->line->exp < step->cycle;
}

bool vgpu_tc_l2_is_holder(const struct vgpu_coh_l2_step *step)
{
	return step->in->core == step->line->owner && step->in->exp == step->line->exp;
}

void vgpu_tc_l2_miss_gets(struct vgpu_coh_l2_step *step)
{
	step->line->owner = step->in->core;
	step->line->acks = 1;
	step->out->actions = VGPU_COH_FETCH | VGPU_COH_KEEP;
}

void vgpu_tc_l2_wait_gets(struct vgpu_coh_l2_step *step)
{
	step->line->acks += step->in->core != step->line->owner;
	step->out->actions = VGPU_COH_KEEP;
}

void vgpu_tc_l2_miss_other(struct vgpu_coh_l2_step *step)
{
	step->line->waits = step->in->kind;
	step->out->actions = VGPU_COH_FETCH | VGPU_COH_KEEP;
}

static s64 lease_of(const struct vgpu_coh_l2_step *step)
{
	return (s64)step->setup->lease + step->partition->longer;
}

/* Leases are shorter by @cycles from now on, but not than @least. */
static void shorten(struct vgpu_coh_l2_step *step, s64 cycles, s64 least)
{
	if (!step->setup->predicts || lease_of(step) <= least)
		return;
	if (lease_of(step) - cycles < least)
		cycles = lease_of(step) - least;
	step->partition->longer -= cycles;
}

void vgpu_tc_l2_too_long(struct vgpu_coh_l2_step *step)
{
	shorten(step, VGPU_TC_WRITE_LENT, (s64)step->setup->lease);
}

static void lend(struct vgpu_coh_l2_step *step)
{
	u64 exp = step->cycle + (u64)lease_of(step);

	if (exp > step->line->exp)
		step->line->exp = exp;
	vgpu_coh_reply(step, VGPU_COH_DATA);
	step->out->send.exp = step->line->exp;
}

void vgpu_tc_l2_gets(struct vgpu_coh_l2_step *step)
{
	struct vgpu_coh_l2_line *line = step->line;

	if (line->state == TC_L2_E) {
		line->owner = step->in->core;
		step->partition->longer += step->setup->predicts ? VGPU_TC_LOAD_OVER : 0;
	}
	line->state = line->state != TC_L2_SS && line->owner == step->in->core ? TC_L2_S :
									       TC_L2_SS;
	lend(step);
}

void vgpu_tc_l2_write(struct vgpu_coh_l2_step *step)
{
	step->line->dirty = true;
	step->out->actions = VGPU_COH_APPLY;
	vgpu_coh_reply(step, VGPU_COH_ACK);
}

void vgpu_tc_l2_atomic(struct vgpu_coh_l2_step *step)
{
	step->line->dirty = true;
	step->out->actions = VGPU_COH_APPLY;
	vgpu_coh_reply(step, VGPU_COH_DATA);
}

void vgpu_tc_l2_until_expiry(struct vgpu_coh_l2_step *step)
{
	step->out->actions = VGPU_COH_STALL;
	step->out->until = step->line->exp + 1;
}

void vgpu_tc_l2_expire(struct vgpu_coh_l2_step *step)
{
	step->line->exp = 0;
	step->line->owner = 0;
}

void vgpu_tc_l2_evict(struct vgpu_coh_l2_step *step)
{
	step->out->actions = step->line->dirty ? VGPU_COH_WBACK : 0;
	memset(step->line, 0, sizeof(*step->line));
}

/* It keeps its MSHR until nobody can have it any more. */
void vgpu_tc_l2_park(struct vgpu_coh_l2_step *step)
{
	shorten(step, VGPU_TC_EVICT_LENT, 1);
}

void vgpu_tc_l2_fetched_reads(struct vgpu_coh_l2_step *step)
{
	struct vgpu_coh_l2_line *line = step->line;

	line->state = line->acks > 1 ? TC_L2_SS : TC_L2_S;
	line->acks = 0;
	lend(step);
	step->out->actions = VGPU_COH_ENTER | VGPU_COH_ANSWER_KEPT;
}

void vgpu_tc_l2_fetched_write(struct vgpu_coh_l2_step *step)
{
	step->line->waits = 0;
	vgpu_tc_l2_write(step);
	step->out->actions = VGPU_COH_ENTER | VGPU_COH_APPLY_KEPT | VGPU_COH_ANSWER_KEPT;
}

void vgpu_tc_l2_fetched_atomic(struct vgpu_coh_l2_step *step)
{
	step->line->waits = 0;
	vgpu_tc_l2_atomic(step);
	step->out->actions = VGPU_COH_ENTER | VGPU_COH_APPLY_KEPT | VGPU_COH_ANSWER_KEPT;
}
