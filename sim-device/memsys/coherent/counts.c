// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What a protocol counts (vgpu_stats.h, vgpu_count.h): messages by class, loads whose lease was
 * over, and what accesses wait for; see coherent.h. Nothing here changes what happens, or when.
 */
#include "coherent.h"

static struct vgpu_counters *counters_of(const struct vgpu_mem_request *request)
{
	return vgpu_counters_of(request->counters, request->launch);
}

/* ---- messages ------------------------------------------------------------------- */

u32 vgpu_cc_class_of(struct vgpu_mem_request *request)
{
	const struct vgpu_coh_message *m = vgpu_cc_carried(request);

	if (request->kind == VGPU_MEM_MESSAGE)
		return vgpu_cc_message_of(request)->class;
	switch (m->kind) {
	case VGPU_COH_GETS:
		return VGPU_CLASS_REQUEST;
	case VGPU_COH_RENEW:
		return VGPU_CLASS_RENEW;
	default:
		return request->kind;
	}
}

u8 vgpu_cc_traced(u8 kind)
{
	static const u8 traced[VGPU_COH_EVENTS] = {
		[VGPU_COH_GETS] = VGPU_MESSAGE_GETS,
		[VGPU_COH_WRITE] = VGPU_MESSAGE_WRITE,
		[VGPU_COH_UPGRADE] = VGPU_MESSAGE_UPGRADE,
		[VGPU_COH_ATOMIC] = VGPU_MESSAGE_ATOMIC,
		[VGPU_COH_THROUGH] = VGPU_MESSAGE_WRITE,
		[VGPU_COH_DATA] = VGPU_MESSAGE_DATA,
		[VGPU_COH_DATA_E] = VGPU_MESSAGE_DATA_E,
		[VGPU_COH_RENEW] = VGPU_MESSAGE_RENEW,
		[VGPU_COH_ACK] = VGPU_MESSAGE_ACK,
		[VGPU_COH_ACK_GLOBAL] = VGPU_MESSAGE_ACK_GLOBAL,
	};

	return kind < VGPU_COH_EVENTS ? traced[kind] : VGPU_MESSAGE_NONE;
}

/* ---- at L2 ------------------------------------------------------------------------ */

u8 vgpu_cc_cause_of(const struct vgpu_cc_way *way, u32 actions, u64 until)
{
	return actions & VGPU_COH_ROLLOVER ? VGPU_CAUSE_ROOM :
	       way->line.acks		   ? VGPU_CAUSE_ACK :
	       until			   ? VGPU_CAUSE_LEASE :
					     VGPU_CAUSE_FETCH;
}

void vgpu_cc_count_wait(struct vgpu_memsys *memsys, u32 index, struct vgpu_mem_request *request,
			u32 cause, u64 cycle)
{
	u64 waited = cycle > request->at ? cycle - request->at : 0;

	request->at += waited;
	memsys->partitions[index].stalled += waited;
	memsys->coherent->l2s[index].waited[cause] += waited;
	vgpu_count(counters_of(request), (enum vgpu_counter)(VGPU_COUNT_L2_FETCH_WAIT + cause),
		   waited);
}

/* ---- at an L1 --------------------------------------------------------------------- */

void vgpu_cc_count_line_wait(struct vgpu_l1d *l1, const struct vgpu_mem_request *request,
			     u64 cycle)
{
	u64 waited = cycle > request->at ? cycle - request->at : 0;

	vgpu_cc_l1_of(l1)->line_wait += waited;
	vgpu_count(counters_of(request), VGPU_COUNT_L1_LINE_WAIT, waited);
}

void vgpu_cc_count_expired(struct vgpu_l1d *l1, struct vgpu_mem_request *request)
{
	request->use |= VGPU_CC_OVER;
	vgpu_cc_l1_of(l1)->expired++;
	vgpu_count(counters_of(request), VGPU_COUNT_L1_EXPIRED, 1);
}

void vgpu_cc_count_renewed(struct vgpu_l1d *l1, const struct vgpu_mem_request *request)
{
	/* or the L1 has asked because of the order of the load, not because of its lease */
	if (!(request->use & VGPU_CC_OVER))
		return;
	vgpu_cc_l1_of(l1)->renewed++;
	vgpu_count(counters_of(request), VGPU_COUNT_L1_RENEWED, 1);
}

void vgpu_cc_count_end(struct vgpu_l1d *l1, struct vgpu_mem_request *request, u64 cycle)
{
	const struct vgpu_coh_message *answer = vgpu_cc_carried(request);

	/* what an owner has written was done at once, and has been counted */
	if (request->kind == VGPU_MEM_STORE && answer->of == VGPU_COH_THROUGH)
		return;
	vgpu_l1d_count(l1, counters_of(request), request->kind, cycle - request->sent);
}

/* The clock of its loads, or of its stores */
static u64 time_of(const struct vgpu_coh_core *core)
{
	return core->read_now > core->write_now ? core->read_now : core->write_now;
}

void vgpu_cc_count_time(struct vgpu_l1d *l1, struct vgpu_counters *counters)
{
	struct vgpu_cc_l1 *cc = vgpu_cc_l1_of(l1);
	u64 now = time_of(&cc->core);

	vgpu_count(counters, VGPU_COUNT_LOGICAL_STEPS, now - cc->counted);
	cc->counted = now;
}

/* ---- all together ------------------------------------------------------------------ */

/* Of the L1 that is farthest */
static u64 farthest(const struct vgpu_memsys *memsys)
{
	const struct vgpu_coherent *c = memsys->coherent;
	u64 most = 0;

	for (u32 n = 0; n < memsys->config->sms; n++) {
		u64 now = time_of(&c->l1s[n].core);

		most = now > most ? now : most;
	}
	return most;
}

void vgpu_cc_stats(const struct vgpu_memsys *memsys, struct vgpu_memsys_stats *stats)
{
	const struct vgpu_coherent *c = memsys->coherent;

	for (u32 n = 0; n < memsys->config->sms; n++) {
		stats->l1_expired += c->l1s[n].expired;
		stats->l1_renewed += c->l1s[n].renewed;
		stats->l1_line_wait += c->l1s[n].line_wait;
	}
	for (u32 n = 0; n < memsys->config->l2_partitions; n++) {
		stats->l2_fetch_wait += c->l2s[n].waited[VGPU_CAUSE_FETCH];
		stats->l2_lease_wait += c->l2s[n].waited[VGPU_CAUSE_LEASE];
		stats->l2_ack_wait += c->l2s[n].waited[VGPU_CAUSE_ACK];
		stats->l2_room_wait += c->l2s[n].waited[VGPU_CAUSE_ROOM];
	}
	/* tokens go round a ring, each a flit and a hop */
	stats->flits[VGPU_CLASS_INVALIDATE] += c->tokens;
	stats->rollovers = c->rollovers;
	if (c->protocol->rolls)
		stats->logical_time = farthest(memsys) + c->rollovers * c->setup.limit;
}
