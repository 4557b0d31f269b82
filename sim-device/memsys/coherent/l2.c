// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A partition of L2 that runs a protocol; see coherent.h. An event of a line takes the lookup of a
 * cycle, whoever causes it, and what it sends leaves l2_cycles later. DRAM answers l2_cycles before
 * the line could leave, so that a miss takes as long as without a protocol.
 */
#include "coherent.h"

static struct vgpu_cc_l2 *l2_of(struct vgpu_memsys *memsys, u32 index)
{
	return &memsys->coherent->l2s[index];
}

int vgpu_cc_l2_init(struct vgpu_memsys *memsys, u32 index)
{
	struct vgpu_cc_l2 *l2 = l2_of(memsys, index);
	u32 lines = memsys->sets * memsys->config->l2_ways;

	l2->ways = vgpu_mem_alloc_device((size_t)lines * sizeof(*l2->ways));
	l2->late = vgpu_mem_alloc_device(memsys->partitions[index].mshrs * sizeof(*l2->late));
	return l2->ways && l2->late ? 0 : -ENOMEM;
}

void vgpu_cc_l2_fini(struct vgpu_memsys *memsys, u32 index)
{
	vgpu_mem_free_device(l2_of(memsys, index)->late);
	vgpu_mem_free_device(l2_of(memsys, index)->ways);
}

static void push_front(struct vgpu_mem_queue *queue, struct vgpu_mem_request *request)
{
	request->next = queue->head;
	if (!queue->head)
		queue->tail = request;
	queue->head = request;
}

/* Of an event that happens at @cycle, or when the partition has looked up what was before */
static u64 look_up(struct vgpu_partition *p, u64 cycle, u32 busy)
{
	cycle = cycle > p->free ? cycle : p->free;
	p->free = cycle + busy;
	return cycle;
}

/* ---- replies ---------------------------------------------------------------------- */

static void reply(struct vgpu_memsys *memsys, struct vgpu_partition *p,
		  struct vgpu_mem_request *request, const struct vgpu_coh_message *send, u64 cycle)
{
	*vgpu_cc_carried(request) = *send;
	vgpu_partition_end(request, &p->hits, cycle + memsys->config->l2_cycles);
	if (send->kind == VGPU_COH_RENEW)
		request->sectors = 0;
}

/* The same to one of those that have waited: @send is for all */
static void reply_kept(struct vgpu_memsys *memsys, struct vgpu_partition *p,
		       struct vgpu_mem_request *request, struct vgpu_coh_message send, u64 cycle)
{
	const struct vgpu_coh_message *in = vgpu_cc_carried(request);

	send.id = in->id;
	send.core = in->core;
	send.of = in->kind;
	send.held = in->held;
	reply(memsys, p, request, &send, cycle);
}

void vgpu_cc_reply_direct(struct vgpu_memsys *memsys, u32 index, struct vgpu_mem_request *request,
			  u64 cycle)
{
	struct vgpu_partition *p = &memsys->partitions[index];
	const struct vgpu_coh_partition *state = &l2_of(memsys, index)->state;
	u8 kind = vgpu_cc_carried(request)->kind;
	bool data = kind == VGPU_COH_GETS || kind == VGPU_COH_ATOMIC;
	struct vgpu_coh_message send = {
		/* behind all that the line had; no lease */
		.ver = memsys->coherent->protocol->rolls ? state->mnow : 0,
		.kind = data ? VGPU_COH_DATA : VGPU_COH_ACK,
		.epoch = state->epoch,
	};

	reply_kept(memsys, p, request, send, look_up(p, cycle, 1));
}

/* ---- events -------------------------------------------------------------------------- */

void vgpu_cc_take_effect(struct vgpu_memsys *memsys, struct vgpu_partition *p, u32 at,
			struct vgpu_mem_request *request, u64 cycle)
{
	vgpu_partition_take_effect(request, p->data + (size_t)at * VGPU_LINE);
	if (request->kind != VGPU_MEM_LOAD)
		vgpu_partition_write(memsys, p, at, request, cycle);
}

static void fetch(struct vgpu_memsys *memsys, u32 index, u32 at,
		  const struct vgpu_mem_request *request, u64 cycle)
{
	struct vgpu_partition *p = &memsys->partitions[index];
	struct vgpu_cc_way *way = &l2_of(memsys, index)->ways[at];
	u64 before = p->read_bytes, latency = memsys->config->l2_cycles;
	u64 ready = vgpu_partition_read(memsys, p, at, cycle + latency);

	way->fetching = true;
	l2_of(memsys, index)->fetches++;
	p->miss_total++;
	vgpu_count(vgpu_counters_of(request->counters, request->launch), VGPU_COUNT_L2_MISSES, 1);
	vgpu_count(vgpu_counters_of(request->counters, request->launch), VGPU_COUNT_DRAM_READ,
		   p->read_bytes - before);
	vgpu_cc_due_add(memsys, &(struct vgpu_cc_due){ .at = ready - latency, .where = index,
						       .a = at, .what = VGPU_CC_FETCHED });
}

static void end_kept(struct vgpu_memsys *memsys, u32 index, u32 at, bool acked,
		     const struct vgpu_coh_out *out, u64 cycle)
{
	struct vgpu_partition *p = &memsys->partitions[index];
	struct vgpu_mem_queue kept = l2_of(memsys, index)->ways[at].kept;

	l2_of(memsys, index)->ways[at].kept.head = NULL;
	while (kept.head) {
		struct vgpu_mem_request *request = vgpu_mem_queue_take(&kept);

		if (acked)
			vgpu_cc_count_wait(memsys, index, request, VGPU_CAUSE_ACK, cycle);
		vgpu_cc_take_effect(memsys, p, at, request, cycle);
		reply_kept(memsys, p, request, out->send, cycle);
	}
}

/* What the table has said of @event; @request: NULL: that is none of a request */
static void act(struct vgpu_memsys *memsys, u32 index, u32 at, enum vgpu_coh_event event,
		struct vgpu_mem_request *request, const struct vgpu_coh_out *out, u64 cycle)
{
	struct vgpu_partition *p = &memsys->partitions[index];
	struct vgpu_cc_l2 *l2 = l2_of(memsys, index);
	struct vgpu_cc_way *way = &l2->ways[at];
	u64 physical = p->tags[at] - 1;

	if (out->actions & VGPU_COH_WBACK)
		vgpu_partition_write_back(memsys, p, memsys->coherent->payer,
					  vgpu_partition_clean(memsys, p, at),
					  cycle + memsys->config->l2_cycles);
	if (out->actions & VGPU_COH_FETCH)
		fetch(memsys, index, at, request, cycle);
	if (out->actions & VGPU_COH_ENTER) {
		way->fetching = false;
		l2->fetches--;
	}
	if (out->actions & VGPU_COH_KEEP) {
		request->at = cycle;
		vgpu_mem_queue_add(&way->kept, request);
	}
	/* a read has the bytes of now, too */
	if (out->actions & VGPU_COH_APPLY || (request && out->sends &&
					      request->kind == VGPU_MEM_LOAD))
		vgpu_cc_take_effect(memsys, p, at, request, cycle);
	if (out->actions & VGPU_COH_ANSWER_KEPT)
		end_kept(memsys, index, at, event == VGPU_COH_INV_ACK, out, cycle);
	else if (out->sends)
		reply(memsys, p, request, &out->send, cycle);
	if (out->invs && event == VGPU_COH_EVICT)
		vgpu_cc_send_invs(memsys, p, at, out, memsys->coherent->payer, VGPU_CLASS_RECALL,
				  cycle);
	else if (out->invs)
		vgpu_cc_path_of(request)->invs = vgpu_cc_send_invs(memsys, p, at, out, request,
								   VGPU_CLASS_INVALIDATE, cycle);
	if (out->actions & VGPU_COH_INV_NOW)
		vgpu_cc_invalidate_now(memsys, physical, cycle);
}

/*
 * A write to a line that is being read for a load would be seen by the load, which may be the
 * writer's own and before it: only a core with one access a warp knows that it is not.
 */
static bool must_wait(const struct vgpu_memsys *memsys, const struct vgpu_cc_way *way,
		      const struct vgpu_mem_request *request)
{
	return request && request->kind == VGPU_MEM_STORE && way->kept.head &&
	       !memsys->coherent->sc_core &&
	       vgpu_cc_carried((struct vgpu_mem_request *)request)->kind != VGPU_COH_THROUGH;
}

u32 vgpu_cc_l2_event(struct vgpu_memsys *memsys, u32 index, u32 at, enum vgpu_coh_event event,
		     struct vgpu_mem_request *request, u64 cycle, u64 *until)
{
	struct vgpu_coherent *c = memsys->coherent;
	struct vgpu_cc_l2 *l2 = l2_of(memsys, index);
	struct vgpu_coh_message in = {};
	struct vgpu_coh_out out;
	struct vgpu_coh_l2_step step = { &c->setup, &l2->state, &l2->ways[at].line, NULL, cycle,
					 &out };

	if (until)
		*until = 0;
	if (must_wait(memsys, &l2->ways[at], request))
		return VGPU_COH_STALL;
	if (request) {
		in = *vgpu_cc_carried(request);
		step.in = &in;
	}
	vgpu_coh_l2(c->protocol, event, &step);
	VGPU_CHECK(!(out.actions & VGPU_COH_IMPOSSIBLE));
	if (until)
		*until = out.until;
	if (out.actions & (VGPU_COH_STALL | VGPU_COH_ROLLOVER))
		return out.actions;
	act(memsys, index, at, event, request, &out, cycle);
	return out.actions;
}

/* The line has left L2: its place is free. */
static void maybe_free(struct vgpu_memsys *memsys, u32 index, u32 at)
{
	const struct vgpu_cc_way *way = &l2_of(memsys, index)->ways[at];

	if (!way->line.state && !way->waits.head)
		memsys->partitions[index].tags[at] = 0;
}

void vgpu_cc_l2_expire(struct vgpu_memsys *memsys, u32 index, u32 at, u64 cycle)
{
	struct vgpu_coherent *c = memsys->coherent;
	struct vgpu_cc_l2 *l2 = l2_of(memsys, index);
	struct vgpu_coh_out out;
	struct vgpu_coh_l2_step step = { &c->setup, &l2->state, &l2->ways[at].line, NULL, cycle,
					 &out };

	if (!vgpu_coh_l2_expire(c->protocol, &step))
		return;
	act(memsys, index, at, VGPU_COH_EXPIRE, NULL, &out, cycle);
}

void vgpu_cc_retry_at(struct vgpu_memsys *memsys, u32 index, u32 at, u64 cycle)
{
	struct vgpu_cc_way *way = &l2_of(memsys, index)->ways[at];

	if (way->retry && way->retry <= cycle)
		return;
	if (way->retry)
		vgpu_cc_due_cancel(memsys, index, at, VGPU_CC_RETRY);
	way->retry = cycle;
	vgpu_cc_due_add(memsys, &(struct vgpu_cc_due){ .at = cycle, .where = index, .a = at,
						       .what = VGPU_CC_RETRY });
}

/* ---- requests ---------------------------------------------------------------------------- */

static u32 busy_of(const struct vgpu_mem_request *request)
{
	return request->kind == VGPU_MEM_ATOMIC ? vgpu_partition_atomic_cycles(request->atomic) : 1;
}

/* Is there room for what an event of a line may need: an MSHR, messages? */
static bool has_room(const struct vgpu_memsys *memsys, u32 index, const struct vgpu_cc_way *way)
{
	const struct vgpu_coherent *c = memsys->coherent;

	return c->free_messages >= 2 * memsys->config->sms &&
	       (way->line.state || c->l2s[index].fetches < memsys->partitions[index].mshrs);
}

/* Those that have waited for the line at @at are tried, in order. */
void vgpu_cc_run_waiting(struct vgpu_memsys *memsys, u32 index, u32 at, u64 cycle)
{
	struct vgpu_partition *p = &memsys->partitions[index];
	struct vgpu_cc_way *way = &l2_of(memsys, index)->ways[at];

	while (way->waits.head && l2_of(memsys, index)->state.ring == VGPU_COH_RUNS) {
		struct vgpu_mem_request *request;
		u64 until = 0, now = cycle > p->free ? cycle : p->free;
		u32 actions;

		if (!has_room(memsys, index, way)) {
			vgpu_cc_retry_at(memsys, index, at, now + memsys->config->l2_cycles + 1);
			break;
		}
		vgpu_cc_l2_expire(memsys, index, at, now);
		request = vgpu_mem_queue_take(&way->waits);
		vgpu_cc_count_wait(memsys, index, request, way->cause, now);
		actions = vgpu_cc_l2_event(memsys, index, at, vgpu_cc_carried(request)->kind,
					   request, now, &until);
		if (!(actions & (VGPU_COH_STALL | VGPU_COH_ROLLOVER))) {
			look_up(p, now, busy_of(request));
			continue;
		}
		push_front(&way->waits, request);
		way->cause = vgpu_cc_cause_of(way, actions, until);
		if (actions & VGPU_COH_ROLLOVER)
			vgpu_cc_ring(memsys, index, VGPU_COH_RING_BEGIN, index, now);
		else if (until)
			vgpu_cc_retry_at(memsys, index, at, until);
		break;
	}
	maybe_free(memsys, index, at);
}

/* ---- a request has arrived ----------------------------------------------------------------- */

/* An answer of an L1 is in a network of its own: nothing holds it up. */
static bool is_answer(u8 kind)
{
	return kind == VGPU_COH_INV_ACK || kind == VGPU_COH_THROUGH;
}

/* False: it is stuck. */
static bool serve(struct vgpu_memsys *memsys, u32 index, struct vgpu_mem_request *request,
		  u64 cycle)
{
	struct vgpu_partition *p = &memsys->partitions[index];
	struct vgpu_cc_l2 *l2 = l2_of(memsys, index);
	u64 now = look_up(p, cycle, busy_of(request)), until;
	u8 kind = vgpu_cc_carried(request)->kind;
	u32 at = vgpu_partition_find(memsys, p, request->physical), actions;
	static const struct vgpu_cc_way none;

	if (at == VGPU_CC_NONE) {
		if (has_room(memsys, index, &none))
			at = vgpu_cc_allocate(memsys, index, request, now);
		if (at == VGPU_CC_NONE)
			return false;
	}
	if (l2->ways[at].waits.head) {
		request->at = now;
		vgpu_mem_queue_add(&l2->ways[at].waits, request);
		return true;
	}
	vgpu_cc_l2_expire(memsys, index, at, now);
	if (!has_room(memsys, index, &l2->ways[at]))
		return false;
	p->used[at] = ++p->clock;
	actions = vgpu_cc_l2_event(memsys, index, at, kind, request, now, &until);
	if (actions & VGPU_COH_ROLLOVER) {
		vgpu_cc_ring(memsys, index, VGPU_COH_RING_BEGIN, index, now);
		return false;
	}
	if (actions & VGPU_COH_STALL) {
		request->at = now;
		l2->ways[at].cause = vgpu_cc_cause_of(&l2->ways[at], actions, until);
		vgpu_mem_queue_add(&l2->ways[at].waits, request);
		if (until)
			vgpu_cc_retry_at(memsys, index, at, until);
	}
	return true;
}

void vgpu_cc_unstick(struct vgpu_memsys *memsys, u32 index, u64 cycle)
{
	struct vgpu_cc_l2 *l2 = l2_of(memsys, index);

	while (l2->stuck.head && l2->state.ring == VGPU_COH_RUNS) {
		struct vgpu_mem_request *request = vgpu_mem_queue_take(&l2->stuck);

		vgpu_cc_count_wait(memsys, index, request, VGPU_CAUSE_ROOM, cycle);
		if (serve(memsys, index, request, cycle))
			continue;
		push_front(&l2->stuck, request);
		return;
	}
}

static void count_request(const struct vgpu_memsys *memsys, struct vgpu_partition *p,
			  const struct vgpu_mem_request *request)
{
	struct vgpu_counters *counters = vgpu_counters_of(request->counters, request->launch);
	bool there = vgpu_partition_find(memsys, p, request->physical) != VGPU_CC_NONE;

	p->hit_count += there;
	if (there)
		vgpu_count(counters, VGPU_COUNT_L2_HITS, 1);
	if (request->kind != VGPU_MEM_ATOMIC)
		return;
	p->atomics++;
	vgpu_count(counters, VGPU_COUNT_ATOMICS, 1);
}

/* An L1 has dropped the line, an owner has written it. */
static void take_answer(struct vgpu_memsys *memsys, u32 index, struct vgpu_mem_request *request,
			u64 cycle)
{
	struct vgpu_partition *p = &memsys->partitions[index];
	u32 at = vgpu_partition_find(memsys, p, request->physical);
	u8 kind = vgpu_cc_carried(request)->kind;
	u64 now = look_up(p, cycle, 1);

	if (request->aborted || !VGPU_CHECK(at != VGPU_CC_NONE)) {
		if (kind == VGPU_COH_INV_ACK)
			vgpu_cc_message_free(memsys, request);
		return;
	}
	vgpu_cc_l2_event(memsys, index, at, kind, request, now, NULL);
	if (kind != VGPU_COH_INV_ACK)
		return;
	vgpu_cc_message_free(memsys, request);
	vgpu_cc_run_waiting(memsys, index, at, now);
	vgpu_cc_unstick(memsys, index, now);
}

void vgpu_cc_handle(struct vgpu_memsys *memsys, struct vgpu_mem_request *request)
{
	bool flushed = request->kind == VGPU_MEM_MESSAGE &&
		       vgpu_cc_carried(request)->kind == VGPU_CC_FLUSHED;
	struct vgpu_partition *p = flushed ? &memsys->partitions[request->line] :
					     vgpu_partition_of(memsys, request->physical);
	u32 index = (u32)(p - memsys->partitions);
	struct vgpu_cc_l2 *l2 = l2_of(memsys, index);
	u64 cycle = vgpu_port_receive(&p->in, request->at,
				      memsys->l2_costs.parts[request->sectors]);

	if (request->kind != VGPU_MEM_MESSAGE)
		vgpu_cc_path_of(request)->arrived = cycle;
	if (flushed) {
		vgpu_cc_message_free(memsys, request);
		vgpu_cc_ring(memsys, index, VGPU_COH_RING_FLUSHED, 0, cycle);
		return;
	}
	if (request->kind != VGPU_MEM_MESSAGE && !request->bytes) {
		vgpu_cc_reply_direct(memsys, index, request, cycle);
		return;
	}
	if (is_answer(vgpu_cc_carried(request)->kind)) {
		take_answer(memsys, index, request, cycle);
		return;
	}
	count_request(memsys, p, request);
	if (!l2->stuck.head && l2->state.ring == VGPU_COH_RUNS &&
	    serve(memsys, index, request, cycle))
		return;
	request->at = cycle;
	/* one that was refused first is tried first */
	vgpu_mem_queue_add(&l2->stuck, request);
}

void vgpu_cc_fetched(struct vgpu_memsys *memsys, u32 index, u32 at, u64 cycle)
{
	struct vgpu_partition *p = &memsys->partitions[index];
	struct vgpu_cc_l2 *l2 = l2_of(memsys, index);
	u32 actions;
	u64 now;

	if (l2->state.ring != VGPU_COH_RUNS) {
		l2->late[l2->late_count++] = at;
		return;
	}
	now = look_up(p, cycle, 1);
	actions = vgpu_cc_l2_event(memsys, index, at, VGPU_COH_FETCHED, NULL, now, NULL);
	if (actions & VGPU_COH_ROLLOVER) {
		l2->late[l2->late_count++] = at;
		vgpu_cc_ring(memsys, index, VGPU_COH_RING_BEGIN, index, now);
		return;
	}
	vgpu_cc_run_waiting(memsys, index, at, now);
	vgpu_cc_unstick(memsys, index, now);
}

void vgpu_cc_retry(struct vgpu_memsys *memsys, u32 index, u32 at, u64 cycle)
{
	struct vgpu_cc_way *way = &l2_of(memsys, index)->ways[at];

	if (way->retry != cycle)
		return;
	way->retry = 0;
	if (!memsys->partitions[index].tags[at])
		return;
	vgpu_cc_l2_expire(memsys, index, at, cycle);
	vgpu_cc_run_waiting(memsys, index, at, cycle);
	vgpu_cc_unstick(memsys, index, cycle);
}
