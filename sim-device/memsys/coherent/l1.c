// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Accesses of an SM to an L1 that runs a protocol, and what comes back; see coherent.h. All of it
 * touches the L1 alone, but for messages that go back to the pool.
 */
#include "coherent.h"

u32 vgpu_cc_id_of(const struct vgpu_l1d *l1, const struct vgpu_mem_request *request)
{
	return (u32)(request - l1->requests);
}

/* ---- time ---------------------------------------------------------------------- */

/* A warp that only reads a line with a lease would see no time pass. */
void vgpu_cc_tick(struct vgpu_l1d *l1, struct vgpu_counters *counters, u64 cycle)
{
	const struct vgpu_coh_protocol *protocol = l1->memsys->coherent->protocol;
	struct vgpu_cc_l1 *cc = vgpu_cc_l1_of(l1);

	if (!protocol->tick || cc->ticks >= cycle / VGPU_CC_TICK)
		return;
	for (; cc->ticks < cycle / VGPU_CC_TICK; cc->ticks++)
		protocol->tick(&cc->core);
	vgpu_cc_count_time(l1, counters);
}

/* ---- events ---------------------------------------------------------------------- */

void vgpu_cc_l1_event(struct vgpu_l1d *l1, struct vgpu_cc_entry *entry, enum vgpu_coh_event event,
		      const struct vgpu_coh_message *in, u64 cycle, struct vgpu_coh_out *out)
{
	struct vgpu_coherent *c = l1->memsys->coherent;
	struct vgpu_coh_l1_step step = { &c->setup, &vgpu_cc_l1_of(l1)->core, &entry->line, in,
					 cycle, out };

	vgpu_coh_l1(c->protocol, event, &step);
	VGPU_CHECK(!(out->actions & VGPU_COH_IMPOSSIBLE));
}

/*
 * A lease that has run out ends; one that makes the L1 answer a load that asks L2, too. Returns if
 * it has run out.
 */
static bool end_lease(struct vgpu_l1d *l1, struct vgpu_cc_entry *entry, bool strong, u64 cycle)
{
	const struct vgpu_coh_protocol *protocol = l1->memsys->coherent->protocol;
	struct vgpu_coh_message in = { .core = (u16)l1->sm };
	struct vgpu_coh_out out;
	struct vgpu_coh_l1_step step = { &l1->memsys->coherent->setup, &vgpu_cc_l1_of(l1)->core,
					 &entry->line, &in, cycle, &out };

	if (!protocol->l1_expired)
		return false;
	if (vgpu_coh_l1_expire(protocol, &step))
		return true;
	if (strong && protocol->l1[entry->line.state][VGPU_COH_EXPIRE].action)
		vgpu_coh_l1(protocol, VGPU_COH_EXPIRE, &step);
	return false;
}

/* A warp that goes on while its write is in flight may not see what was there before it. */
static void close_line(struct vgpu_l1d *l1, struct vgpu_cc_entry *entry, u8 before,
		       const struct vgpu_coh_out *out)
{
	const struct vgpu_coherent *c = l1->memsys->coherent;

	if (!c->sc_core && before && !(out->actions & VGPU_COH_UPDATE))
		vgpu_coh_purge_l1(c->protocol, &entry->line);
}

static enum vgpu_coh_event event_of(u8 kind)
{
	return kind == VGPU_MEM_LOAD	? VGPU_COH_LOAD :
	       kind == VGPU_MEM_STORE	? VGPU_COH_STORE :
					  VGPU_COH_ATOMIC_OP;
}

/* May the L1 not answer by a lease? What @access says of order and cache */
bool vgpu_cc_is_strong(u8 order, u8 scope, u8 cache)
{
	return (order != VGPU_ORDER_WEAK && order != VGPU_ORDER_NC && scope > VGPU_SCOPE_CTA) ||
	       cache == VGPU_CACHE_CG || cache == VGPU_CACHE_CV;
}

/* ---- there ------------------------------------------------------------------------- */

bool vgpu_cc_make_event(struct vgpu_l1d *l1, struct vgpu_cc_entry *entry, u8 kind, bool strong,
		       u32 id, u64 cycle, struct vgpu_coh_out *out)
{
	struct vgpu_coh_message in = { .id = id, .core = (u16)l1->sm };
	/* it may have ended because of another access */
	bool was_over = !entry->line.state && entry->line.held, over;
	u8 before;

	over = end_lease(l1, entry, strong && kind == VGPU_MEM_LOAD, cycle);
	before = entry->line.state;
	vgpu_cc_l1_event(l1, entry, event_of(kind), &in, cycle, out);
	if (kind != VGPU_MEM_LOAD && !(out->actions & VGPU_COH_STALL))
		close_line(l1, entry, before, out);
	if (kind != VGPU_MEM_LOAD)
		return false;
	/* the bytes are there, and no order makes the L1 ask */
	return over || (out->sends && out->send.held && (!strong || was_over));
}

static u8 request_sectors(const struct vgpu_mem_request *request)
{
	u32 bytes = 0;

	if (request->kind == VGPU_MEM_STORE)
		return (u8)vgpu_mask_sectors(request->mask);
	if (request->kind != VGPU_MEM_ATOMIC)
		return 0;
	for (u32 lanes = request->atomic->lanes; lanes; lanes &= lanes - 1)
		bytes += request->atomic->bytes;
	return (u8)((bytes + VGPU_SECTOR - 1) / VGPU_SECTOR);
}

/* @request leaves the L1, which was looked up at @cycle. */
void vgpu_cc_send_at(struct vgpu_l1d *l1, struct vgpu_mem_request *request, u64 cycle)
{
	const struct vgpu_memsys *memsys = l1->memsys;

	request->at = memsys->config->icnt_cycles +
		      vgpu_port_send(&l1->out, cycle + memsys->config->l1_cycles,
				     memsys->sm_costs.parts[request->sectors]);
	request->here = false;
	vgpu_mem_count_flits(l1->flits, request, vgpu_cc_class_of(request));
	vgpu_mem_queue_add(&l1->outbox, request);
}

static void park(struct vgpu_cc_entry *entry, struct vgpu_mem_request *request, u64 cycle)
{
	request->next = NULL;
	request->at = cycle;
	if (entry->waits)
		entry->waits_tail->next = request;
	else
		entry->waits = request;
	entry->waits_tail = request;
}

/* With the request of @entry that has asked for the line */
static void merge(struct vgpu_l1d *l1, struct vgpu_cc_entry *entry,
		  struct vgpu_mem_request *request)
{
	struct vgpu_mem_request *leader = &l1->requests[entry->line.leader];

	request->next = NULL;
	if (leader->merged)
		leader->merged_tail->next = request;
	else
		leader->merged = request;
	leader->merged_tail = request;
}

u8 *vgpu_cc_bytes_of(struct vgpu_l1d *l1, const struct vgpu_cc_entry *entry)
{
	u32 at = vgpu_cc_place(l1, entry);

	return VGPU_CHECK(at != VGPU_CC_NONE) ? l1->data + (size_t)at * VGPU_LINE : l1->data;
}

/* What the table has said of @request, which is in flight now */
void vgpu_cc_act(struct vgpu_l1d *l1, struct vgpu_cc_entry *entry, struct vgpu_mem_request *request,
		const struct vgpu_coh_out *out, u64 cycle)
{
	if (out->actions & VGPU_COH_UPDATE)
		vgpu_mask_copy(vgpu_cc_bytes_of(l1, entry), request->data, request->mask);
	if (out->actions & VGPU_COH_MERGE)
		merge(l1, entry, request);
	if (!out->sends)
		return;
	*vgpu_cc_carried(request) = out->send;
	*vgpu_cc_path_of(request) = (struct vgpu_mem_path){
		.sent = cycle, .asked = vgpu_cc_traced(out->send.kind) };
	request->sectors = request_sectors(request);
	vgpu_cc_send_at(l1, request, cycle);
}

/* A fetch has an MSHR, everything else a place in the queue. Is there one? */
static bool has_room(const struct vgpu_l1d *l1, const struct vgpu_coh_out *out)
{
	const struct vgpu_config *config = l1->memsys->config;

	if (out->sends && out->send.kind == VGPU_COH_GETS)
		return l1->misses < config->l1_mshrs;
	return l1->queued < config->l1_queue;
}

static struct vgpu_mem_request *take_request(struct vgpu_l1d *l1,
					     const struct vgpu_mem_access *access, bool fetch)
{
	struct vgpu_mem_request *request = vgpu_l1d_request(l1, access, 0);

	request->whole = access->kind == VGPU_MEM_LOAD;
	vgpu_cc_path_of(request)->asked = VGPU_MESSAGE_NONE;
	if (fetch) {
		request->mshr = 0;
		l1->misses++;
	} else {
		l1->queued++;
	}
	if (access->kind == VGPU_MEM_STORE)
		memcpy(request->data, access->data, VGPU_LINE);
	if (access->kind == VGPU_MEM_ATOMIC) {
		request->atomic = l1->free_payload[--l1->free_payloads];
		vgpu_mem_atomic_copy(request->atomic, access->atomic);
	}
	if (access->kind != VGPU_MEM_STORE &&
	    (access->order == VGPU_ORDER_ACQUIRE || access->order == VGPU_ORDER_ACQ_REL) &&
	    access->scope > VGPU_SCOPE_CTA)
		request->use = VGPU_L1_ACQUIRE;
	return request;
}

static enum vgpu_mem_result busy(struct vgpu_l1d *l1, const struct vgpu_mem_access *access)
{
	l1->busy++;
	vgpu_count(access->counters, VGPU_COUNT_L1_BUSY, 1);
	return VGPU_MEM_BUSY;
}

static enum vgpu_mem_result hit(struct vgpu_l1d *l1, struct vgpu_cc_entry *entry,
				const struct vgpu_mem_access *access,
				struct vgpu_mem_answer *answer)
{
	u32 at = vgpu_cc_place(l1, entry);

	l1->way[at].used = ++l1->clock;
	l1->hits++;
	vgpu_count(access->counters, VGPU_COUNT_L1_HITS, 1);
	answer->cycle = access->cycle + l1->memsys->config->l1_cycles;
	answer->data = vgpu_cc_bytes_of(l1, entry);
	vgpu_l1d_count(l1, access->counters, VGPU_MEM_LOAD, answer->cycle - access->cycle);
	return VGPU_MEM_DONE;
}

static void count_load(struct vgpu_l1d *l1, const struct vgpu_mem_access *access,
		       const struct vgpu_coh_out *out)
{
	if (access->kind != VGPU_MEM_LOAD)
		return;
	if (out->actions & VGPU_COH_MERGE) {
		l1->merged++;
		vgpu_count(access->counters, VGPU_COUNT_L1_MERGED, 1);
	} else {
		l1->missed++;
		vgpu_count(access->counters, VGPU_COUNT_L1_MISSES, 1);
	}
}

static enum vgpu_mem_result make_access(struct vgpu_l1d *l1, const struct vgpu_mem_access *access,
					struct vgpu_mem_answer *answer)
{
	u64 physical = access->frame << VGPU_FRAME_LINE_BITS |
		       (access->address >> VGPU_LINE_SHIFT & (VGPU_FRAME_LINES - 1));
	struct vgpu_cc_entry *entry = vgpu_cc_get(l1, physical);
	struct vgpu_coh_l1_line before = entry->line;
	struct vgpu_mem_request *request;
	struct vgpu_coh_out out = { .actions = VGPU_COH_STALL };
	bool expired = false;

	if (!entry->waits)
		expired = vgpu_cc_make_event(l1, entry, access->kind,
			   vgpu_cc_is_strong(access->order, access->scope, access->cache),
			   l1->free ? vgpu_cc_id_of(l1, l1->free) : 0, access->cycle, &out);
	if (access->kind == VGPU_MEM_LOAD && out.actions & VGPU_COH_HIT)
		return hit(l1, entry, access, answer);
	if (!l1->free || !has_room(l1, &out) ||
	    (access->kind == VGPU_MEM_ATOMIC && !l1->free_payloads)) {
		entry->line = before;
		vgpu_cc_tidy(l1, entry);
		return busy(l1, access);
	}
	request = take_request(l1, access, out.sends && out.send.kind == VGPU_COH_GETS);
	count_load(l1, access, &out);
	if (out.actions & VGPU_COH_STALL) {
		park(entry, request, access->cycle);
		return VGPU_MEM_SENT;
	}
	if (expired)
		vgpu_cc_count_expired(l1, request);
	vgpu_cc_act(l1, entry, request, &out, access->cycle);
	if (!(out.actions & VGPU_COH_HIT))
		return VGPU_MEM_SENT;
	/* an owner's store: it is done, and goes through to L2 */
	request->owner = NULL;
	answer->cycle = access->cycle + l1->memsys->config->l1_cycles;
	answer->data = NULL;
	vgpu_l1d_count(l1, access->counters, VGPU_MEM_STORE, answer->cycle - access->cycle);
	return VGPU_MEM_DONE;
}

/* ---- fences ------------------------------------------------------------------------- */

static bool acquires(u8 order)
{
	return order == VGPU_ORDER_ACQUIRE || order == VGPU_ORDER_ACQ_REL ||
	       order == VGPU_ORDER_SC;
}

/*
 * All that was sent before has been answered. Returns the cycle from which on the fence is done.
 * The host and its memory have no part in the protocol: what they have written is not behind a
 * line of this L1.
 */
u64 vgpu_cc_end_fence(struct vgpu_l1d *l1, u8 order, u8 scope, u64 cycle)
{
	const struct vgpu_coherent *c = l1->memsys->coherent;
	struct vgpu_coh_fenced fenced;

	vgpu_coh_fence(c->protocol, &c->setup, &vgpu_cc_l1_of(l1)->core, cycle, &fenced);
	if (fenced.wait)
		return fenced.until;
	if (acquires(order) && (fenced.drop || scope >= VGPU_SCOPE_SYS))
		vgpu_cc_purge_all(l1);
	return cycle;
}

static enum vgpu_mem_result make_fence(struct vgpu_l1d *l1, const struct vgpu_mem_access *access,
				       struct vgpu_mem_answer *answer)
{
	const struct vgpu_coherent *c = l1->memsys->coherent;
	bool nothing = access->scope <= VGPU_SCOPE_CTA ||
		       (c->sc_core && c->protocol->sequential && access->scope < VGPU_SCOPE_SYS);
	struct vgpu_coh_fenced fenced;
	bool waits = !vgpu_list_empty(&l1->in_flight);

	answer->cycle = access->cycle;
	answer->data = NULL;
	if (nothing)
		return VGPU_MEM_DONE;
	if (!waits) {
		vgpu_coh_fence(c->protocol, &c->setup, &vgpu_cc_l1_of(l1)->core, access->cycle,
			       &fenced);
		waits = fenced.wait;
	}
	if (!waits) {
		vgpu_cc_end_fence(l1, access->order, access->scope, access->cycle);
		return VGPU_MEM_DONE;
	}
	if (!l1->free || l1->queued >= l1->memsys->config->l1_queue)
		return busy(l1, access);
	/* @at: not known; it is looked at when it is the first in flight */
	take_request(l1, access, false)->at = access->cycle;
	return VGPU_MEM_SENT;
}

enum vgpu_mem_result vgpu_cc_access(struct vgpu_l1d *l1, const struct vgpu_mem_access *access,
				    struct vgpu_mem_answer *answer)
{
	vgpu_cc_tick(l1, access->counters, access->cycle);
	if (access->kind == VGPU_MEM_FENCE)
		return make_fence(l1, access, answer);
	return make_access(l1, access, answer);
}
