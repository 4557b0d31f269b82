// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The store of an L1: lines, MSHRs, the pool of requests; see l1d.h. What accesses do with it is in
 * l1d_access.c.
 */
#include "l1d.h"
#include "coherent/coherent.h"
#include "hierarchy.h"

#define NONE	(~0u)

static void free_pools(struct vgpu_l1d *l1)
{
	vgpu_mem_heap_fini(&l1->inbox);
	vgpu_mem_free_device(l1->free_payload);
	vgpu_mem_free_device(l1->payloads);
	vgpu_mem_free_device(l1->requests);
	vgpu_mem_free_device(l1->miss);
	vgpu_mem_free_device(l1->pending);
}

void vgpu_l1d_fini(struct vgpu_l1d *l1)
{
	free_pools(l1);
	vgpu_mem_free_device(l1->data);
	vgpu_mem_free_device(l1->way);
	vgpu_mem_free_device(l1->tags);
}

static int init_lines(struct vgpu_l1d *l1, u32 lines)
{
	if (!lines)
		return 0;
	l1->tags = vgpu_mem_alloc_device(lines * sizeof(*l1->tags));
	l1->way = vgpu_mem_alloc_device(lines * sizeof(*l1->way));
	l1->data = vgpu_mem_alloc_device((size_t)lines * VGPU_LINE);
	return l1->tags && l1->way && l1->data ? 0 : -ENOMEM;
}

static int init_pools(struct vgpu_l1d *l1, u32 mshrs, u32 queue)
{
	u32 room = mshrs + queue, messages = VGPU_MESSAGES;

	/* messages of a protocol come into the inbox, too: as many as there are requests */
	if (!l1->memsys->protocol)
		messages = VGPU_CC_MESSAGES + 2 * l1->memsys->config->sms;
	if (vgpu_mem_heap_init(&l1->inbox, room + messages))
		return -ENOMEM;
	l1->pending = vgpu_mem_alloc_device(mshrs * sizeof(*l1->pending));
	l1->miss = vgpu_mem_alloc_device(mshrs * sizeof(struct vgpu_mem_request *));
	l1->requests = vgpu_mem_alloc_device((size_t)room * sizeof(*l1->requests));
	l1->payloads = vgpu_mem_alloc_device((size_t)queue * sizeof(*l1->payloads));
	l1->free_payload = vgpu_mem_alloc_device(queue * sizeof(struct vgpu_mem_atomic *));
	if (!l1->pending || !l1->miss || !l1->requests || !l1->payloads || !l1->free_payload)
		return -ENOMEM;
	for (u32 n = 0; n < mshrs; n++)
		l1->pending[n] = VGPU_L1D_NOTHING;
	for (u32 n = room; n--;) {
		l1->requests[n].l1 = l1;
		l1->requests[n].next = l1->free;
		l1->free = &l1->requests[n];
	}
	for (u32 n = queue; n--;)
		l1->free_payload[l1->free_payloads++] = &l1->payloads[n];
	return 0;
}

int vgpu_l1d_init(struct vgpu_l1d *l1, struct vgpu_memsys *memsys, u32 sm)
{
	const struct vgpu_config *config = memsys->config;

	l1->memsys = memsys;
	l1->sm = sm;
	l1->merging = NONE;
	l1->generation = l1->last_generation = 1;
	l1->known[0].generation = 1;
	l1->ways = config->l1_ways;
	l1->sets = config->l1_bytes ? config->l1_bytes / (VGPU_LINE * config->l1_ways) : 0;
	l1->tex_first = l1->sets * l1->ways;
	l1->tex_ways = config->tex_ways;
	l1->tex_sets = config->tex_bytes ? config->tex_bytes / (VGPU_LINE * config->tex_ways) : 0;
	l1->lines = l1->tex_first + l1->tex_sets * l1->tex_ways;
	vgpu_list_init(&l1->in_flight);
	if (init_lines(l1, l1->lines))
		return -ENOMEM;
	return init_pools(l1, config->l1_mshrs, config->l1_queue);
}

/* ---- lines -------------------------------------------------------------- */

u64 vgpu_l1d_tag(const struct vgpu_l1d *l1, u64 line)
{
	return l1->generation << VGPU_L1D_LINE_BITS | line;
}

static inline bool is_known(const struct vgpu_l1d *l1, u64 tag)
{
	u64 generation = tag >> VGPU_L1D_LINE_BITS;

	if (likely(generation == l1->generation))
		return true;
	for (u32 n = 0; generation && n < VGPU_SM_KERNELS_MOST; n++)
		if (l1->known[n].generation == generation)
			return true;
	return false;
}

static inline u32 set_of(const struct vgpu_l1d *l1, u64 line)
{
	return (u32)line % l1->sets * l1->ways;
}

static inline u32 texel_set(const struct vgpu_l1d *l1, u64 line)
{
	return l1->tex_first + (u32)line % l1->tex_sets * l1->tex_ways;
}

u32 vgpu_l1d_find(const struct vgpu_l1d *l1, u64 line)
{
	u64 tag = vgpu_l1d_tag(l1, line);
	u32 at, last;

	if (unlikely(!l1->sets))
		return NONE;
	at = set_of(l1, line);
	for (last = at + l1->ways; at < last; at++)
		if (l1->tags[at] == tag)
			return at;
	return NONE;
}

u32 vgpu_l1d_find_texel(const struct vgpu_l1d *l1, u64 line)
{
	u64 tag = vgpu_l1d_tag(l1, line);
	u32 at, last;

	if (unlikely(!l1->tex_sets))
		return NONE;
	at = texel_set(l1, line);
	for (last = at + l1->tex_ways; at < last; at++)
		if (l1->tags[at] == tag)
			return at;
	return NONE;
}

void vgpu_l1d_enter(struct vgpu_l1d *l1, const struct vgpu_mem_request *request)
{
	bool texel = request->use & VGPU_L1_TEXTURE;
	u32 at = texel ? texel_set(l1, request->line) : set_of(l1, request->line);
	u32 last = at + (texel ? l1->tex_ways : l1->ways), victim = at;
	u64 tag = request->tag, least = VGPU_NEVER, used;

	for (; at < last; at++) {
		/* a protocol had it fetched again */
		if (l1->tags[at] == tag) {
			victim = at;
			break;
		}
		used = is_known(l1, l1->tags[at]) ? l1->way[at].used + 1 : 0;
		if (used < least) {
			least = used;
			victim = at;
		}
	}
	l1->tags[victim] = tag;
	l1->way[victim] = (struct vgpu_l1d_way){
		.used = request->use & VGPU_L1_STREAM ? 0 : ++l1->clock,
		.physical = request->physical,
		.stamp = request->stamp,
	};
	memcpy(l1->data + (size_t)victim * VGPU_LINE, request->data, VGPU_LINE);
}

u32 vgpu_l1d_find_pending(const struct vgpu_l1d *l1, u64 line)
{
	u32 mshrs = l1->memsys->config->l1_mshrs;
	u64 tag = vgpu_l1d_tag(l1, line);

	if (!l1->misses)
		return NONE;
	for (u32 n = 0; n < mshrs; n++)
		if (l1->pending[n] == tag)
			return n;
	return NONE;
}

static void close_pending(struct vgpu_l1d *l1, u64 line)
{
	u32 n = vgpu_l1d_find_pending(l1, line);

	if (n != NONE)
		l1->pending[n] = VGPU_L1D_NOTHING;
}

void vgpu_l1d_drop(struct vgpu_l1d *l1, u64 line)
{
	u32 at = vgpu_l1d_find(l1, line);

	if (at != NONE)
		l1->tags[at] = 0;
	close_pending(l1, line);
}

static void drop_matching(struct vgpu_l1d *l1, u64 physical, u32 shift)
{
	for (u32 at = 0; at < l1->lines; at++)
		if (l1->tags[at] && l1->way[at].physical >> shift == physical >> shift)
			l1->tags[at] = 0;
	for (u32 n = 0; n < l1->memsys->config->l1_mshrs; n++)
		if (l1->miss[n] && l1->miss[n]->physical >> shift == physical >> shift)
			l1->pending[n] = VGPU_L1D_NOTHING;
}

void vgpu_l1d_drop_frame(struct vgpu_l1d *l1, u64 frame)
{
	if (unlikely(l1->memsys->coherent)) {
		vgpu_cc_purge_frame(l1, frame);
		return;
	}
	drop_matching(l1, frame << VGPU_FRAME_LINE_BITS, VGPU_FRAME_LINE_BITS);
}

void vgpu_l1d_drop_physical(struct vgpu_l1d *l1, u64 physical)
{
	drop_matching(l1, physical, 0);
}

/* All known ones get new numbers. */
static void number_again(struct vgpu_l1d *l1)
{
	memset(l1->tags, 0, (size_t)l1->lines * sizeof(*l1->tags));
	for (u32 n = 0; n < l1->memsys->config->l1_mshrs; n++)
		l1->pending[n] = VGPU_L1D_NOTHING;
	l1->last_generation = 0;
	for (u32 n = 0; n < VGPU_SM_KERNELS_MOST; n++)
		if (l1->known[n].generation)
			l1->known[n].generation = ++l1->last_generation;
}

/* Known context @n has no lines any more, and what is in flight for it does not enter. */
static void renew(struct vgpu_l1d *l1, u32 n)
{
	u64 old = l1->known[n].generation;

	if (old && l1->misses)
		for (u32 mshr = 0; mshr < l1->memsys->config->l1_mshrs; mshr++)
			if (l1->pending[mshr] >> VGPU_L1D_LINE_BITS == old)
				l1->pending[mshr] = VGPU_L1D_NOTHING;
	l1->known[n].generation = ++l1->last_generation;
	if (l1->last_generation == VGPU_L1D_GENERATIONS - 1)
		number_again(l1);
}

static u32 find_known(const struct vgpu_l1d *l1, u32 context)
{
	for (u32 n = 0; n < VGPU_SM_KERNELS_MOST; n++)
		if (l1->known[n].generation && l1->known[n].context == context)
			return n;
	return NONE;
}

/* The present context is known, but its number may be new. */
static void find_generation(struct vgpu_l1d *l1)
{
	l1->generation = l1->known[find_known(l1, l1->context)].generation;
}

void vgpu_l1d_invalidate(struct vgpu_l1d *l1)
{
	if (unlikely(l1->memsys->coherent)) {
		vgpu_cc_purge_all(l1);
		return;
	}
	for (u32 n = 0; n < VGPU_SM_KERNELS_MOST; n++)
		if (l1->known[n].generation)
			renew(l1, n);
	find_generation(l1);
}

void vgpu_l1d_acquire(struct vgpu_l1d *l1, u32 context)
{
	u32 n;

	if (unlikely(l1->memsys->coherent)) {
		vgpu_cc_purge_all(l1);
		return;
	}
	n = find_known(l1, context);
	if (n == NONE)
		return;
	renew(l1, n);
	find_generation(l1);
}

void vgpu_l1d_refresh(struct vgpu_l1d *l1)
{
	vgpu_l1d_acquire(l1, l1->context);
}

/* Where a context that is not known comes in: as many as kernels on an SM are known. */
static u32 replace(struct vgpu_l1d *l1)
{
	u32 most = l1->memsys->config->kernels_per_sm;

	for (u32 n = 0; n < most; n++)
		if (!l1->known[n].generation)
			return n;
	return l1->known_turn++ % most;
}

void vgpu_l1d_serve(struct vgpu_l1d *l1, u32 context)
{
	u32 n;

	if (likely(l1->context == context))
		return;
	/* lines have physical tags: a context reaches those of its own frames only */
	if (unlikely(l1->memsys->coherent)) {
		l1->context = context;
		return;
	}
	n = find_known(l1, context);
	if (n == NONE) {
		n = replace(l1);
		renew(l1, n);
		l1->known[n].context = context;
	}
	l1->context = context;
	find_generation(l1);
}

/* ---- requests ----------------------------------------------------------- */

void vgpu_l1d_free(struct vgpu_l1d *l1, struct vgpu_mem_request *request)
{
	if (request->atomic)
		l1->free_payload[l1->free_payloads++] = request->atomic;
	request->atomic = NULL;
	if (request->mshr == NONE)
		l1->queued--;
	request->next = l1->free;
	l1->free = request;
}

bool vgpu_l1d_idle(const struct vgpu_l1d *l1)
{
	return vgpu_list_empty(&l1->in_flight);
}

void vgpu_l1d_disown(struct vgpu_l1d *l1, const void *owner)
{
	struct vgpu_mem_request *request;

	vgpu_list_for_each(request, &l1->in_flight, struct vgpu_mem_request, order_node)
		if (!owner || request->owner == owner)
			request->owner = NULL;
}
