// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What comes back to an L1 that runs a protocol: answers and messages of L2, and what its SM gets
 * of them; see coherent.h.
 */
#include "coherent.h"

/* ---- and back ------------------------------------------------------------------------ */

/* The SM gets @request, at @cycle. */
static void is_ready(struct vgpu_l1d *l1, struct vgpu_mem_request *request, u64 cycle)
{
	request->at = cycle;
	vgpu_mem_queue_add(&vgpu_cc_l1_of(l1)->ready, request);
}

/* Accesses that have waited for the line are made again, in order, as the table lets them. */
static void run_waiting(struct vgpu_l1d *l1, struct vgpu_cc_entry *entry, u64 cycle)
{
	while (entry->waits) {
		struct vgpu_mem_request *request = entry->waits;
		struct vgpu_coh_out out;
		bool expired;

		expired = vgpu_cc_make_event(l1, entry, request->kind,
			   vgpu_cc_is_strong(request->order, request->scope, request->cache),
			   vgpu_cc_id_of(l1, request), cycle, &out);
		if (out.actions & VGPU_COH_STALL)
			return;
		entry->waits = request->next;
		vgpu_cc_count_line_wait(l1, request, cycle);
		if (expired)
			vgpu_cc_count_expired(l1, request);
		if (out.actions & VGPU_COH_HIT && request->kind == VGPU_MEM_LOAD) {
			memcpy(request->data, vgpu_cc_bytes_of(l1, entry), VGPU_LINE);
			is_ready(l1, request, cycle);
			continue;
		}
		vgpu_cc_act(l1, entry, request, &out, cycle);
	}
}

/* Loads that have merged with @request have its bytes; or they are made again, before others. */
static void end_merged(struct vgpu_l1d *l1, struct vgpu_cc_entry *entry,
		       struct vgpu_mem_request *request, bool again, u64 cycle)
{
	struct vgpu_mem_request *merged = request->merged, *next;

	if (!merged)
		return;
	request->merged = NULL;
	if (again) {
		for (next = merged; next; next = next->next)
			next->at = cycle;
		request->merged_tail->next = entry->waits;
		if (!entry->waits)
			entry->waits_tail = request->merged_tail;
		entry->waits = merged;
		return;
	}
	for (; merged; merged = next) {
		next = merged->next;
		if (merged->owner)
			memcpy(merged->data, request->data, VGPU_LINE);
		is_ready(l1, merged, cycle);
	}
}

/* The answer to @request is at the L1. */
static void come(struct vgpu_l1d *l1, struct vgpu_mem_request *request, u64 cycle)
{
	struct vgpu_coh_message in = *vgpu_cc_carried(request);
	struct vgpu_cc_entry *entry = vgpu_cc_find(l1, request->physical);
	struct vgpu_coh_out out;
	bool again;

	if (!VGPU_CHECK(entry))
		return;
	vgpu_cc_l1_event(l1, entry, in.kind, &in, cycle, &out);
	vgpu_cc_count_time(l1, vgpu_counters_of(request->counters, request->launch));
	vgpu_cc_path_of(request)->answered = vgpu_cc_traced(in.kind);
	if (in.kind == VGPU_COH_RENEW)
		vgpu_cc_count_renewed(l1, request);
	if (request->mshr != VGPU_CC_NONE)
		l1->misses--;
	if (out.actions & VGPU_COH_ANSWER_LINE)
		memcpy(request->data, vgpu_cc_bytes_of(l1, entry), VGPU_LINE);
	if (out.actions & VGPU_COH_FILL)
		entry = vgpu_cc_fill(l1, entry, request->data);
	is_ready(l1, request, cycle);
	/* only a core with one access a warp knows that none of them has a store behind it */
	again = out.actions & VGPU_COH_RETRY_MERGED && l1->memsys->coherent->sc_core;
	end_merged(l1, entry, request, again, cycle);
	run_waiting(l1, entry, cycle);
	vgpu_cc_tidy(l1, entry);
}

/* The message goes back as its answer. */
static void answer_message(struct vgpu_l1d *l1, struct vgpu_mem_request *message, u8 kind,
			   u64 cycle)
{
	vgpu_cc_carried(message)->kind = kind;
	vgpu_cc_send_at(l1, message, cycle);
}

static void take_inv(struct vgpu_l1d *l1, struct vgpu_mem_request *message, bool answers, u64 cycle)
{
	struct vgpu_cc_entry *entry = vgpu_cc_get(l1, message->physical);
	struct vgpu_coh_out out;

	vgpu_cc_l1_event(l1, entry, VGPU_COH_INV, vgpu_cc_carried(message), cycle, &out);
	run_waiting(l1, entry, cycle);
	vgpu_cc_tidy(l1, entry);
	if (answers)
		answer_message(l1, message, VGPU_COH_INV_ACK, cycle);
	else
		vgpu_cc_message_free(l1->memsys, message);
}

static void take_message(struct vgpu_l1d *l1, struct vgpu_mem_request *message, u64 cycle)
{
	vgpu_cc_l1_of(l1)->mail--;
	if (message->aborted) {
		vgpu_cc_message_free(l1->memsys, message);
	} else if (vgpu_cc_carried(message)->kind == VGPU_CC_FLUSH) {
		vgpu_coh_flush_core(&vgpu_cc_l1_of(l1)->core);
		vgpu_cc_l1_of(l1)->counted = 0;
		vgpu_cc_purge_all(l1);
		answer_message(l1, message, VGPU_CC_FLUSHED, cycle);
	} else {
		take_inv(l1, message, true, cycle);
	}
}

u64 vgpu_cc_due_of(const struct vgpu_l1d *l1, const struct vgpu_mem_request *request)
{
	u64 port = l1->in;

	return vgpu_port_receive(&port, request->at,
				 l1->memsys->sm_costs.parts[request->sectors]);
}

/* What comes next, by @cycle, is handled; false: nothing */
static bool receive(struct vgpu_l1d *l1, u64 cycle)
{
	struct vgpu_mem_request *first = vgpu_mem_heap_first(&l1->inbox);
	struct vgpu_mem_request *now = vgpu_mem_heap_first(&vgpu_cc_l1_of(l1)->now);
	u64 due = first ? vgpu_cc_due_of(l1, first) : VGPU_NEVER;

	if (now && now->at <= due) {
		if (now->at > cycle)
			return false;
		vgpu_mem_heap_take(&vgpu_cc_l1_of(l1)->now);
		vgpu_cc_l1_of(l1)->mail--;
		vgpu_cc_tick(l1, NULL, now->at);
		if (now->aborted)
			vgpu_cc_message_free(l1->memsys, now);
		else
			take_inv(l1, now, false, now->at);
		return true;
	}
	if (due > cycle)
		return false;
	vgpu_mem_heap_take(&l1->inbox);
	if (first->kind != VGPU_MEM_MESSAGE)
		vgpu_cc_path_of(first)->left = first->at - l1->memsys->config->icnt_cycles;
	l1->came = vgpu_port_receive(&l1->in, first->at,
				     l1->memsys->sm_costs.parts[first->sectors]);
	vgpu_cc_tick(l1, vgpu_counters_of(first->counters, first->launch), l1->came);
	if (first->kind == VGPU_MEM_MESSAGE)
		take_message(l1, first, l1->came);
	else
		come(l1, first, l1->came);
	return true;
}

void vgpu_cc_receive_all(struct vgpu_l1d *l1, u64 cycle)
{
	while (receive(l1, cycle))
		;
}

/* The fence that is the first in flight: when it is done; NEVER: there is none */
static u64 fence_done(struct vgpu_l1d *l1, u64 cycle, struct vgpu_mem_request **out)
{
	struct vgpu_mem_request *first =
		vgpu_list_first(&l1->in_flight, struct vgpu_mem_request, order_node);
	u64 at, until;

	if (likely(!first || first->kind != VGPU_MEM_FENCE))
		return VGPU_NEVER;
	*out = first;
	at = first->at > l1->came ? first->at : l1->came;
	if (at > cycle)
		return at;
	until = vgpu_cc_end_fence(l1, first->order, first->scope, at);
	if (until > at && until <= cycle)
		until = vgpu_cc_end_fence(l1, first->order, first->scope, until);
	return until;
}

static bool deliver(struct vgpu_l1d *l1, struct vgpu_mem_request *request, u64 cycle)
{
	const struct vgpu_coherent *c = l1->memsys->coherent;
	struct vgpu_coh_fenced fenced;

	const struct vgpu_mem_path *path = vgpu_cc_path_of(request);

	vgpu_list_del(&request->order_node);
	vgpu_cc_count_end(l1, request, cycle);
	if (request->use & VGPU_L1_ACQUIRE) {
		/* what was asked for before is not loaded behind it */
		if (!c->sc_core)
			vgpu_cc_purge_asked(l1);
		vgpu_coh_fence(c->protocol, &c->setup, &vgpu_cc_l1_of(l1)->core, cycle, &fenced);
		if (fenced.drop || request->scope >= VGPU_SCOPE_SYS)
			vgpu_cc_purge_all(l1);
	}
	if (!request->owner) {
		vgpu_l1d_free(l1, request);
		return false;
	}
	l1->returned = request;
	l1->response = (struct vgpu_mem_response){
		.owner = request->owner,
		.cookie = request->cookie,
		.cycle = cycle,
		.sent = request->sent,
		.kind = request->kind,
		.data = request->kind == VGPU_MEM_LOAD ? request->data : NULL,
		.atomic = request->atomic,
		.path = path->asked ? path : NULL,
	};
	return true;
}

const struct vgpu_mem_response *vgpu_cc_response(struct vgpu_l1d *l1, u64 cycle)
{
	struct vgpu_cc_l1 *cc = vgpu_cc_l1_of(l1);
	struct vgpu_mem_request *request = NULL;

	if (l1->returned)
		vgpu_l1d_free(l1, l1->returned);
	l1->returned = NULL;
	for (;;) {
		u64 at = fence_done(l1, cycle, &request);

		if (at <= cycle) {
			if (deliver(l1, request, at))
				return &l1->response;
		} else if (cc->ready.head) {
			request = vgpu_mem_queue_take(&cc->ready);
			if (deliver(l1, request, request->at))
				return &l1->response;
		} else if (!receive(l1, cycle)) {
			return NULL;
		}
	}
}

/* When the fence that is first is looked at again; the table has said it when it was last */
static u64 next_fence(const struct vgpu_l1d *l1)
{
	const struct vgpu_mem_request *first =
		vgpu_list_first(&l1->in_flight, struct vgpu_mem_request, order_node);
	u64 visible = vgpu_cc_l1_of(l1)->core.visible, at;

	if (!first || first->kind != VGPU_MEM_FENCE)
		return VGPU_NEVER;
	at = first->at > l1->came ? first->at : l1->came;
	return visible && visible >= at ? visible + 1 : at;
}

static u64 least(u64 a, u64 b)
{
	return a < b ? a : b;
}

u64 vgpu_cc_next_message(const struct vgpu_l1d *l1)
{
	const struct vgpu_mem_request *first = vgpu_mem_heap_first(&l1->inbox);
	const struct vgpu_mem_request *now = vgpu_mem_heap_first(&vgpu_cc_l1_of(l1)->now);

	return least(first ? vgpu_cc_due_of(l1, first) : VGPU_NEVER, now ? now->at : VGPU_NEVER);
}

u64 vgpu_cc_l1_next(const struct vgpu_l1d *l1)
{
	const struct vgpu_mem_request *ready = vgpu_cc_l1_of(l1)->ready.head;
	const struct vgpu_mem_request *first = vgpu_mem_heap_first(&l1->inbox);

	/* nobody waits for what is in @now: it is handled before what comes behind it */
	return least(least(first ? vgpu_cc_due_of(l1, first) : VGPU_NEVER, next_fence(l1)),
		     ready ? ready->at : VGPU_NEVER);
}
