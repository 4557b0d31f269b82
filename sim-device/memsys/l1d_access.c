// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Accesses of an SM to its L1, and the responses that it sees; see memsys.h. Both touch nothing but
 * the L1: what has to be done outside is in vgpu_l1d_submit() (memsys.c).
 */
#include "coherent/coherent.h"
#include "hierarchy.h"
#include "l1d.h"

#define NONE	(~0u)

/* ---- there -------------------------------------------------------------- */

struct vgpu_mem_request *vgpu_l1d_request(struct vgpu_l1d *l1,
					  const struct vgpu_mem_access *access, u32 use)
{
	struct vgpu_mem_request *request = l1->free;

	l1->free = request->next;
	request->merged = NULL;
	request->followers = NULL;
	request->sent = access->cycle;
	request->line = access->address >> VGPU_LINE_SHIFT;
	request->tag = vgpu_l1d_tag(l1, request->line);
	request->context = l1->context;
	request->physical = access->frame << VGPU_FRAME_LINE_BITS |
			    (request->line & (VGPU_FRAME_LINES - 1));
	request->mask[0] = access->mask[0];
	request->mask[1] = access->mask[1];
	request->bytes = access->line;
	request->owner = access->owner;
	request->cookie = access->cookie;
	request->counters = access->counters;
	request->launch = unlikely(access->counters) ? access->counters->launch : 0;
	request->stamp = 0;
	request->mshr = NONE;
	request->use = use;
	request->kind = access->kind;
	request->order = access->order;
	request->scope = access->scope;
	request->cache = access->cache;
	request->sectors = 0;
	request->whole = false;
	request->here = false;
	request->aborted = false;
	vgpu_list_insert(&request->order_node, &l1->in_flight);
	return request;
}

/* A request without an MSHR; NULL: no room */
static struct vgpu_mem_request *queue_request(struct vgpu_l1d *l1,
					      const struct vgpu_mem_access *access, u32 use)
{
	if (l1->queued == l1->memsys->config->l1_queue) {
		l1->busy++;
		vgpu_count(access->counters, VGPU_COUNT_L1_BUSY, 1);
		return NULL;
	}
	l1->queued++;
	return vgpu_l1d_request(l1, access, use);
}

/* It leaves the L1 when that has looked it up, behind those before it. */
static void send_request(struct vgpu_l1d *l1, struct vgpu_mem_request *request)
{
	const struct vgpu_memsys *memsys = l1->memsys;

	request->at = memsys->config->icnt_cycles +
		      vgpu_port_send(&l1->out,
				     request->sent + (request->use & VGPU_L1_TEXTURE ?
							      memsys->config->tex_cycles :
							      memsys->config->l1_cycles),
				     memsys->sm_costs.parts[request->sectors]);
	vgpu_mem_count_flits(l1->flits, request,
			     request->kind == VGPU_MEM_LOAD ? VGPU_CLASS_REQUEST : request->kind);
	vgpu_mem_queue_add(&l1->outbox, request);
}

static enum vgpu_mem_result load_miss(struct vgpu_l1d *l1, const struct vgpu_mem_access *access,
				      u32 use)
{
	u64 line = access->address >> VGPU_LINE_SHIFT;
	u32 n = vgpu_l1d_find_pending(l1, line);
	struct vgpu_mem_request *request;

	if (n != NONE) {
		struct vgpu_mem_request *first = l1->miss[n];

		request = queue_request(l1, access, use);
		if (!request)
			return VGPU_MEM_BUSY;
		request->next = NULL;
		if (first->merged)
			first->merged_tail->next = request;
		else
			first->merged = request;
		first->merged_tail = request;
		l1->merged++;
		vgpu_count(access->counters, VGPU_COUNT_L1_MERGED, 1);
		return VGPU_MEM_SENT;
	}
	if (l1->misses == l1->memsys->config->l1_mshrs) {
		l1->busy++;
		vgpu_count(access->counters, VGPU_COUNT_L1_BUSY, 1);
		return VGPU_MEM_BUSY;
	}
	for (n = 0; l1->miss[n];)
		n++;
	request = vgpu_l1d_request(l1, access, use);
	request->mshr = n;
	request->whole = true;
	l1->miss[n] = request;
	l1->pending[n] = request->tag;
	l1->misses++;
	l1->missed++;
	vgpu_count(access->counters, VGPU_COUNT_L1_MISSES, 1);
	send_request(l1, request);
	return VGPU_MEM_SENT;
}

static enum vgpu_mem_result make_load(struct vgpu_l1d *l1, const struct vgpu_mem_access *access,
				      u32 use, struct vgpu_mem_answer *answer)
{
	const struct vgpu_coherence_ops *protocol = l1->memsys->protocol;
	u64 line = access->address >> VGPU_LINE_SHIFT;
	struct vgpu_mem_request *request;

	if (use & VGPU_L1_LOOKUP) {
		bool texel = use & VGPU_L1_TEXTURE;
		u32 at = unlikely(texel) ? vgpu_l1d_find_texel(l1, line) : vgpu_l1d_find(l1, line);

		if (at != NONE && (!protocol->valid ||
				   protocol->valid(l1, l1->way[at].stamp, access->cycle))) {
			if (!(use & VGPU_L1_STREAM))
				l1->way[at].used = ++l1->clock;
			l1->hits++;
			vgpu_count(access->counters, VGPU_COUNT_L1_HITS, 1);
			answer->cycle = access->cycle + (texel ? l1->memsys->config->tex_cycles :
								 l1->memsys->config->l1_cycles);
			answer->data = l1->data + (size_t)at * VGPU_LINE;
			vgpu_l1d_count(l1, access->counters, VGPU_MEM_LOAD,
				       answer->cycle - access->cycle);
			return VGPU_MEM_DONE;
		}
	}
	if (use & VGPU_L1_ENTER)
		return load_miss(l1, access, use);
	request = queue_request(l1, access, use);
	if (!request)
		return VGPU_MEM_BUSY;
	if (use & VGPU_L1_DROP)
		vgpu_l1d_drop(l1, line);
	l1->missed++;
	vgpu_count(access->counters, VGPU_COUNT_L1_MISSES, 1);
	send_request(l1, request);
	return VGPU_MEM_SENT;
}

static enum vgpu_mem_result make_store(struct vgpu_l1d *l1, const struct vgpu_mem_access *access,
				       u32 use)
{
	u64 line = access->address >> VGPU_LINE_SHIFT;
	struct vgpu_mem_request *request = queue_request(l1, access, use);
	u32 n;

	if (!request)
		return VGPU_MEM_BUSY;
	if (use & VGPU_L1_UPDATE) {
		n = vgpu_l1d_find(l1, line);
		if (n != NONE)
			vgpu_mask_copy(l1->data + (size_t)n * VGPU_LINE, access->data,
				       access->mask);
	}
	if (use & VGPU_L1_DROP)
		vgpu_l1d_drop(l1, line);
	/* what is on its way is from before */
	n = vgpu_l1d_find_pending(l1, line);
	if (n != NONE)
		l1->pending[n] = VGPU_L1D_NOTHING;
	memcpy(request->data, access->data, VGPU_LINE);
	request->sectors = (u8)vgpu_mask_sectors(access->mask);
	send_request(l1, request);
	return VGPU_MEM_SENT;
}

static enum vgpu_mem_result make_atomic(struct vgpu_l1d *l1, const struct vgpu_mem_access *access,
					u32 use)
{
	struct vgpu_mem_request *request = queue_request(l1, access, use);
	u32 bytes = 0;

	if (!request)
		return VGPU_MEM_BUSY;
	/* the kernel has no function that counts bits for the compiler */
	for (u32 lanes = access->atomic->lanes; lanes; lanes &= lanes - 1)
		bytes += access->atomic->bytes;
	if (use & VGPU_L1_DROP)
		vgpu_l1d_drop(l1, access->address >> VGPU_LINE_SHIFT);
	request->atomic = l1->free_payload[--l1->free_payloads];
	vgpu_mem_atomic_copy(request->atomic, access->atomic);
	request->sectors = (u8)((bytes + VGPU_SECTOR - 1) / VGPU_SECTOR);
	send_request(l1, request);
	return VGPU_MEM_SENT;
}

static enum vgpu_mem_result make_fence(struct vgpu_l1d *l1, const struct vgpu_mem_access *access,
				       u32 use, struct vgpu_mem_answer *answer)
{
	if (use & VGPU_L1_WAIT && !vgpu_list_empty(&l1->in_flight))
		return queue_request(l1, access, use) ? VGPU_MEM_SENT : VGPU_MEM_BUSY;
	if (use & VGPU_L1_ACQUIRE)
		vgpu_l1d_acquire(l1, l1->context);
	answer->cycle = access->cycle;
	answer->data = NULL;
	return VGPU_MEM_DONE;
}

enum vgpu_mem_result vgpu_l1d_access(struct vgpu_l1d *l1, const struct vgpu_mem_access *access,
				     struct vgpu_mem_answer *answer)
{
	u32 use;

	if (unlikely(l1->memsys->coherent))
		return vgpu_cc_access(l1, access, answer);
	use = l1->memsys->use[access->kind][VGPU_MEM(access->order, access->scope,
							  access->cache)];

	switch (access->kind) {
	case VGPU_MEM_LOAD:
		return make_load(l1, access, use, answer);
	case VGPU_MEM_STORE:
		return make_store(l1, access, use);
	case VGPU_MEM_ATOMIC:
		return make_atomic(l1, access, use);
	default:
		return make_fence(l1, access, use, answer);
	}
}

/* ---- and back ----------------------------------------------------------- */

/* The SM sees @request at l1->came; false: it has no owner. */
static bool deliver_request(struct vgpu_l1d *l1, struct vgpu_mem_request *request)
{
	vgpu_list_del(&request->order_node);
	if (request->use & VGPU_L1_ACQUIRE && !request->aborted)
		vgpu_l1d_acquire(l1, request->context);
	vgpu_l1d_count(l1, vgpu_counters_of(request->counters, request->launch), request->kind,
		       l1->came - request->sent);
	if (!request->owner) {
		vgpu_l1d_free(l1, request);
		return false;
	}
	l1->returned = request;
	l1->response = (struct vgpu_mem_response){
		.owner = request->owner,
		.cookie = request->cookie,
		.cycle = l1->came,
		.sent = request->sent,
		.kind = request->kind,
		.aborted = request->aborted,
		.data = request->kind == VGPU_MEM_LOAD ? request->data : NULL,
		.atomic = request->atomic,
	};
	return true;
}

/* Those that wait for the line of @request have it now. */
static void end_miss(struct vgpu_l1d *l1, struct vgpu_mem_request *request)
{
	u32 n = request->mshr;

	if (l1->pending[n] == request->tag && !request->aborted)
		vgpu_l1d_enter(l1, request);
	l1->pending[n] = VGPU_L1D_NOTHING;
	l1->miss[n] = NULL;
	l1->misses--;
	l1->deliver = request->merged;
	for (struct vgpu_mem_request *merged = request->merged; merged; merged = merged->next) {
		merged->aborted = request->aborted;
		if (merged->owner)
			memcpy(merged->data, request->data, VGPU_LINE);
	}
}

static u64 due(const struct vgpu_l1d *l1, const struct vgpu_mem_request *request)
{
	u64 port = l1->in;

	return vgpu_port_receive(&port, request->at,
				 l1->memsys->sm_costs.parts[request->sectors]);
}

/* A fence that waits for nothing more; NULL: there is none */
static struct vgpu_mem_request *ended_fence(const struct vgpu_l1d *l1)
{
	struct vgpu_mem_request *first =
		vgpu_list_first(&l1->in_flight, struct vgpu_mem_request, order_node);

	return first && first->kind == VGPU_MEM_FENCE ? first : NULL;
}

static void free_returned(struct vgpu_l1d *l1)
{
	if (l1->returned)
		vgpu_l1d_free(l1, l1->returned);
	l1->returned = NULL;
}

/* The first of the inbox comes through the port; false: not by @cycle */
static bool receive_response(struct vgpu_l1d *l1, u64 cycle, struct vgpu_mem_request **out)
{
	struct vgpu_mem_request *request = vgpu_mem_heap_first(&l1->inbox);

	if (!request || request->at > cycle || due(l1, request) > cycle)
		return false;
	vgpu_mem_heap_take(&l1->inbox);
	l1->came = vgpu_port_receive(&l1->in, request->at,
				     l1->memsys->sm_costs.parts[request->sectors]);
	*out = request;
	return true;
}

const struct vgpu_mem_response *vgpu_l1d_response(struct vgpu_l1d *l1, u64 cycle)
{
	struct vgpu_mem_request *request;

	if (unlikely(l1->memsys->coherent))
		return vgpu_cc_response(l1, cycle);
	free_returned(l1);
	for (;;) {
		request = ended_fence(l1);
		if (request) {
			;
		} else if (l1->deliver) {
			request = l1->deliver;
			l1->deliver = request->next;
		} else if (!receive_response(l1, cycle, &request)) {
			return NULL;
		} else if (request->kind == VGPU_MEM_MESSAGE) {
			l1->memsys->protocol->message(l1, request, l1->came);
			vgpu_memsys_free_message(l1->memsys, request);
			continue;
		} else if (request->mshr != NONE) {
			end_miss(l1, request);
		}
		if (deliver_request(l1, request))
			return &l1->response;
	}
}

u64 vgpu_l1d_next(const struct vgpu_l1d *l1)
{
	const struct vgpu_mem_request *first = vgpu_mem_heap_first(&l1->inbox);

	if (unlikely(l1->memsys->coherent))
		return vgpu_cc_l1_next(l1);
	if (l1->deliver || ended_fence(l1))
		return l1->came;
	return first ? due(l1, first) : VGPU_NEVER;
}
