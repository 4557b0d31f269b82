// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * RCC, relativistic cache coherence (thesis 002, figure 3.5): L2 gives leases of logical time, an
 * L1 may read until its own time is behind the lease, and a store makes its L1's time jump behind
 * the last lease, so that it waits for nobody. The tables are in rcc.h.
 *
 * Where they are not those of the figure:
 *
 *   - eviction makes mnow exp + 1, not exp: a lease holds through exp, and a write that misses is
 *     given mnow (@as_published has it as printed, and MP then fails with one eviction);
 *   - a WRITE that misses is acknowledged at once, as the text says; the cell does not have it;
 *   - a RENEW may come in VI: of two GETS sent in II the first answer makes it VI;
 *   - while a renewal is in flight the bytes stay, whatever has been acknowledged meanwhile: in a
 *     network without order RENEW may come behind ACK.
 */
#include "rcc.h"

/* ---- L1 -------------------------------------------------------------------- */

static void advance_both(struct vgpu_coh_core *core, bool write, u64 time)
{
	(void)write;
	if (time > core->read_now)
		core->read_now = time;
	core->write_now = core->read_now;
}

void vgpu_rcc_tick(struct vgpu_coh_core *core)
{
	core->read_now++;
	if (core->write_now < core->read_now)
		core->write_now = core->read_now;
}

bool vgpu_rcc_l1_expired(const struct vgpu_coh_l1_step *step)
{
	return step->line->exp < step->core->read_now;
}

/* The bytes stay: perhaps the lease can be renewed. */
void vgpu_rcc_l1_expire(struct vgpu_coh_l1_step *step)
{
	(void)step;
}

/* Times of before a rollover are before all that is now. */
static u64 time_in(const struct vgpu_coh_l1_step *step, u64 time)
{
	return step->in->epoch == step->core->epoch ? time : 0;
}

/* The answer to a GETS is here; returns if what it brings may enter. */
static bool end_read(struct vgpu_coh_l1_line *line, const struct vgpu_coh_message *in)
{
	bool enters = !line->stale;

	line->reads--;
	if (in->held)
		line->renewals--;
	if (!line->reads)
		line->stale = false;
	return enters;
}

static void settle(struct vgpu_coh_l1_step *step, bool valid)
{
	struct vgpu_coh_l1_line *line = step->line;
	bool pending = vgpu_coh_pending(line);

	if (valid) {
		line->state = pending ? RCC_L1_VI : RCC_L1_V;
		return;
	}
	line->state = pending ? RCC_L1_II : RCC_L1_I;
	if (line->renewals && step->setup->fault != VGPU_COH_RENEW_DROPPED)
		return;
	line->held = false;
	step->out->actions |= VGPU_COH_DROP;
}

void vgpu_rcc_l1_data(struct vgpu_coh_l1_step *step, vgpu_rcc_advance advance)
{
	struct vgpu_coh_l1_line *line = step->line;
	const struct vgpu_coh_message *in = step->in;
	bool atomic = in->of == VGPU_COH_ATOMIC;

	advance(step->core, atomic, time_in(step, in->ver));
	step->out->actions = VGPU_COH_ANSWER;
	if (atomic) {
		line->writes--;
		settle(step, false);
		return;
	}
	step->out->actions |= VGPU_COH_MERGED;
	if (!end_read(line, in) || in->epoch != step->core->epoch) {
		settle(step, false);
		return;
	}
	line->exp = in->exp;
	line->held = true;
	step->out->actions |= VGPU_COH_FILL;
	settle(step, true);
}

void vgpu_rcc_l1_renew(struct vgpu_coh_l1_step *step)
{
	struct vgpu_coh_l1_line *line = step->line;

	step->out->actions = VGPU_COH_ANSWER_LINE | VGPU_COH_MERGED;
	if (!end_read(line, step->in) || step->in->epoch != step->core->epoch) {
		settle(step, false);
		return;
	}
	line->exp = step->in->exp;
	line->held = true;
	settle(step, true);
}

void vgpu_rcc_l1_ack(struct vgpu_coh_l1_step *step, vgpu_rcc_advance advance)
{
	advance(step->core, true, time_in(step, step->in->ver));
	step->out->actions = VGPU_COH_ANSWER;
	step->line->writes--;
	settle(step, false);
}

static void rcc_data(struct vgpu_coh_l1_step *step)
{
	vgpu_rcc_l1_data(step, advance_both);
}

static void rcc_ack(struct vgpu_coh_l1_step *step)
{
	vgpu_rcc_l1_ack(step, advance_both);
}

/* ---- L2 -------------------------------------------------------------------- */

static u64 later(u64 a, u64 b)
{
	return a > b ? a : b;
}

u64 vgpu_rcc_lease(const struct vgpu_coh_setup *setup, const struct vgpu_coh_l2_line *line)
{
	return setup->lease ? setup->lease : (u64)VGPU_RCC_LEASE_LEAST << line->lease;
}

/* The least after a write, the double after a renewal. A line that comes begins with the most. */
static void predict_write(struct vgpu_coh_l2_line *line)
{
	line->lease = 0;
}

static void predict_renewal(struct vgpu_coh_l2_line *line)
{
	if (line->lease < VGPU_RCC_LEASES - 1)
		line->lease++;
}

static u64 now_of(const struct vgpu_coh_l2_step *step)
{
	return step->in->epoch == step->partition->epoch ? step->in->now : 0;
}

/* True: the partition has to roll over before @time can be written down. */
static bool is_beyond(struct vgpu_coh_l2_step *step, u64 time)
{
	if (time <= step->setup->limit)
		return false;
	step->out->actions = VGPU_COH_ROLLOVER;
	return true;
}

void vgpu_rcc_l2_miss_gets(struct vgpu_coh_l2_step *step)
{
	struct vgpu_coh_l2_line *line = step->line;

	line->lease = VGPU_RCC_LEASES - 1;
	line->last_read = now_of(step);
	line->readers = true;
	step->out->actions = VGPU_COH_FETCH | VGPU_COH_KEEP;
}

/* Its time is known before DRAM has answered. */
static void ack_miss(struct vgpu_coh_l2_step *step)
{
	vgpu_coh_reply(step, VGPU_COH_ACK);
	step->out->send.ver = later(step->line->last_write, step->partition->mnow);
}

void vgpu_rcc_l2_miss_write(struct vgpu_coh_l2_step *step)
{
	struct vgpu_coh_l2_line *line = step->line;

	predict_write(line);
	line->last_write = now_of(step);
	line->writers = true;
	line->dirty = true;
	step->out->actions = VGPU_COH_FETCH | VGPU_COH_APPLY;
	ack_miss(step);
}

void vgpu_rcc_l2_miss_atomic(struct vgpu_coh_l2_step *step)
{
	predict_write(step->line);
	step->line->last_write = now_of(step);
	step->out->actions = VGPU_COH_FETCH | VGPU_COH_KEEP;
}

void vgpu_rcc_l2_gets(struct vgpu_coh_l2_step *step)
{
	const struct vgpu_coh_message *in = step->in;
	struct vgpu_coh_l2_line *line = step->line;
	u64 now = now_of(step), exp;
	bool renews = in->held && in->epoch == step->partition->epoch && in->exp > line->ver;

	exp = later(line->exp, later(line->ver, now) + vgpu_rcc_lease(step->setup, line));
	if (is_beyond(step, exp))
		return;
	line->exp = exp;
	vgpu_coh_reply(step, renews ? VGPU_COH_RENEW : VGPU_COH_DATA);
	step->out->send.exp = exp;
	step->out->send.ver = line->ver;
	if (renews || step->setup->lease_on_hit)
		predict_renewal(line);
}

/* False: it has to wait for a rollover. */
static bool write_line(struct vgpu_coh_l2_step *step)
{
	struct vgpu_coh_l2_line *line = step->line;
	u64 ver = later(now_of(step), line->ver);

	if (step->setup->fault != VGPU_COH_WRITE_IN_LEASE)
		ver = later(ver, line->exp + 1);
	if (is_beyond(step, ver))
		return false;
	predict_write(line);
	line->ver = ver;
	line->dirty = true;
	step->out->actions = VGPU_COH_APPLY;
	return true;
}

void vgpu_rcc_l2_write(struct vgpu_coh_l2_step *step)
{
	if (!write_line(step))
		return;
	vgpu_coh_reply(step, VGPU_COH_ACK);
	step->out->send.ver = step->line->ver;
}

void vgpu_rcc_l2_atomic(struct vgpu_coh_l2_step *step)
{
	if (!write_line(step))
		return;
	vgpu_coh_reply(step, VGPU_COH_DATA);
	step->out->send.exp = step->line->exp;
	step->out->send.ver = step->line->ver;
}

void vgpu_rcc_purge_l2(const struct vgpu_coh_setup *setup, struct vgpu_coh_partition *partition,
		       struct vgpu_coh_l2_line *line)
{
	bool published = setup->as_published || setup->fault == VGPU_COH_EVICT_AT_LEASE;

	if (setup->fault == VGPU_COH_EVICT_FORGETS)
		return;
	partition->mnow = later(partition->mnow, line->exp + !published);
	partition->mnow = later(partition->mnow, line->ver);
}

void vgpu_rcc_l2_evict(struct vgpu_coh_l2_step *step)
{
	vgpu_rcc_purge_l2(step->setup, step->partition, step->line);
	step->out->actions = step->line->dirty ? VGPU_COH_WBACK : 0;
	memset(step->line, 0, sizeof(*step->line));
}

void vgpu_rcc_l2_wait_gets(struct vgpu_coh_l2_step *step)
{
	step->line->last_read = later(step->line->last_read, now_of(step));
	step->line->readers = true;
	step->out->actions = VGPU_COH_KEEP;
}

void vgpu_rcc_l2_wait_write(struct vgpu_coh_l2_step *step)
{
	struct vgpu_coh_l2_line *line = step->line;

	predict_write(line);
	line->last_write = later(line->last_write, now_of(step));
	line->writers = true;
	line->dirty = true;
	step->out->actions = VGPU_COH_APPLY;
	ack_miss(step);
}

void vgpu_rcc_l2_fetched(struct vgpu_coh_l2_step *step)
{
	struct vgpu_coh_l2_line *line = step->line;
	u64 ver = step->partition->mnow, exp = ver;

	if (line->writers)
		ver = later(line->last_write, ver);
	if (line->readers)
		exp = later(ver, line->last_read) + vgpu_rcc_lease(step->setup, line);
	if (is_beyond(step, later(ver, exp)))
		return;
	line->ver = ver;
	line->exp = exp;
	step->out->actions = VGPU_COH_ENTER;
	if (line->readers) {
		vgpu_coh_reply(step, VGPU_COH_DATA);
		step->out->actions |= VGPU_COH_ANSWER_KEPT;
		step->out->send.exp = exp;
		step->out->send.ver = ver;
	}
	line->last_read = 0;
	line->last_write = 0;
	line->readers = false;
	line->writers = false;
}

void vgpu_rcc_l2_fetched_atomic(struct vgpu_coh_l2_step *step)
{
	struct vgpu_coh_l2_line *line = step->line;

	line->exp = step->partition->mnow;
	line->ver = later(line->last_write, step->partition->mnow);
	line->last_write = 0;
	line->dirty = true;
	vgpu_coh_reply(step, VGPU_COH_DATA);
	step->out->send.exp = line->ver;
	step->out->send.ver = line->ver;
	step->out->actions = VGPU_COH_ENTER | VGPU_COH_APPLY_KEPT | VGPU_COH_ANSWER_KEPT;
}

const struct vgpu_coh_protocol vgpu_coh_rcc = {
	.name = "rcc",
	.l1 = { VGPU_RCC_L1_TABLE(rcc_data, rcc_ack) },
	.l2 = { VGPU_RCC_L2_TABLE },
	.l1_states = { "I", "V", "IV", "II", "VI" },
	.l2_states = { "I", "V", "IV", "IAV" },
	.l1_stable = 2,
	.l2_stable = 2,
	.networks = 2,
	.network = { [VGPU_COH_DATA] = 1, [VGPU_COH_RENEW] = 1, [VGPU_COH_ACK] = 1 },
	.closed = RCC_L1_II,
	.sequential = true,
	.unordered = true,
	.rolls = true,
	.l1_expired = vgpu_rcc_l1_expired,
	.tick = vgpu_rcc_tick,
	.purge_l2 = vgpu_rcc_purge_l2,
};
