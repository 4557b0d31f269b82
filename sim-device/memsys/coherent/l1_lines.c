// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Lines of an L1 that runs a protocol, and entries of those that are asked for; see coherent.h.
 */
#include "coherent.h"

static u32 requests_of(const struct vgpu_l1d *l1)
{
	return l1->memsys->config->l1_mshrs + l1->memsys->config->l1_queue;
}

int vgpu_cc_l1_init(struct vgpu_l1d *l1)
{
	struct vgpu_cc_l1 *cc = vgpu_cc_l1_of(l1);
	/* one more: an access looks at its line before it knows that it has no room */
	u32 requests = requests_of(l1), beside = requests + 1;
	u32 lines = l1->sets * l1->ways;

	if (lines) {
		cc->ways = vgpu_mem_alloc_device(lines * sizeof(*cc->ways));
		if (!cc->ways)
			return -ENOMEM;
	}
	cc->beside = vgpu_mem_alloc_device(beside * sizeof(*cc->beside));
	cc->carried = vgpu_mem_alloc_device(requests * sizeof(*cc->carried));
	cc->paths = vgpu_mem_alloc_device(requests * sizeof(*cc->paths));
	if (!cc->beside || !cc->carried || !cc->paths ||
	    vgpu_mem_heap_init(&cc->now, l1->memsys->coherent->message_count))
		return -ENOMEM;
	for (u32 n = beside; n--;) {
		cc->beside[n].next = cc->free;
		cc->free = &cc->beside[n];
	}
	return 0;
}

void vgpu_cc_l1_fini(struct vgpu_l1d *l1)
{
	struct vgpu_cc_l1 *cc = vgpu_cc_l1_of(l1);

	vgpu_mem_heap_fini(&cc->now);
	vgpu_mem_free_device(cc->paths);
	vgpu_mem_free_device(cc->carried);
	vgpu_mem_free_device(cc->beside);
	vgpu_mem_free_device(cc->ways);
}

/* ---- where a line is --------------------------------------------------------- */

static u32 bucket_of(u64 physical)
{
	return (u32)(physical ^ physical >> 6 ^ physical >> 12) % VGPU_CC_BUCKETS;
}

static u32 set_of(const struct vgpu_l1d *l1, u64 physical)
{
	return (u32)(physical % l1->sets) * l1->ways;
}

u32 vgpu_cc_place(const struct vgpu_l1d *l1, const struct vgpu_cc_entry *entry)
{
	const struct vgpu_cc_entry *ways = vgpu_cc_l1_of(l1)->ways;

	return ways && entry >= ways && entry < ways + l1->sets * l1->ways ? (u32)(entry - ways) :
									     VGPU_CC_NONE;
}

struct vgpu_cc_entry *vgpu_cc_find(const struct vgpu_l1d *l1, u64 physical)
{
	struct vgpu_cc_l1 *cc = vgpu_cc_l1_of(l1);
	struct vgpu_cc_entry *entry;

	if (likely(l1->sets)) {
		u32 at = set_of(l1, physical), last = at + l1->ways;

		for (; at < last; at++)
			if (l1->tags[at] == physical + 1)
				return &cc->ways[at];
	}
	for (entry = cc->bucket[bucket_of(physical)]; entry; entry = entry->next)
		if (entry->physical == physical)
			return entry;
	return NULL;
}

struct vgpu_cc_entry *vgpu_cc_get(struct vgpu_l1d *l1, u64 physical)
{
	struct vgpu_cc_l1 *cc = vgpu_cc_l1_of(l1);
	struct vgpu_cc_entry *entry = vgpu_cc_find(l1, physical);
	u32 bucket = bucket_of(physical);

	if (entry)
		return entry;
	entry = cc->free;
	cc->free = entry->next;
	*entry = (struct vgpu_cc_entry){ .physical = physical, .next = cc->bucket[bucket] };
	cc->bucket[bucket] = entry;
	return entry;
}

static void put_beside(struct vgpu_l1d *l1, struct vgpu_cc_entry *entry)
{
	struct vgpu_cc_l1 *cc = vgpu_cc_l1_of(l1);
	struct vgpu_cc_entry **at = &cc->bucket[bucket_of(entry->physical)];

	while (*at != entry)
		at = &(*at)->next;
	*at = entry->next;
	entry->next = cc->free;
	cc->free = entry;
}

static bool is_known(const struct vgpu_cc_entry *entry)
{
	return entry->line.state || entry->line.held || vgpu_coh_pending(&entry->line) ||
	       entry->waits;
}

void vgpu_cc_tidy(struct vgpu_l1d *l1, struct vgpu_cc_entry *entry)
{
	u32 at = vgpu_cc_place(l1, entry);

	if (is_known(entry))
		return;
	if (at == VGPU_CC_NONE)
		put_beside(l1, entry);
	else
		l1->tags[at] = 0;
}

/* ---- a line comes -------------------------------------------------------------- */

/* May the line at @at go? Then it does. */
static bool evict(struct vgpu_l1d *l1, u32 at)
{
	struct vgpu_cc_l1 *cc = vgpu_cc_l1_of(l1);
	struct vgpu_cc_entry *entry = &cc->ways[at];
	struct vgpu_coh_message in = { .core = (u16)l1->sm };
	struct vgpu_coh_out out;
	struct vgpu_coh_l1_step step = { &l1->memsys->coherent->setup, &cc->core, &entry->line,
					 &in, 0, &out };

	if (vgpu_coh_pending(&entry->line) || entry->waits)
		return false;
	/* in state 0 it is the bytes alone that are there, for a renewal */
	if (entry->line.state) {
		vgpu_coh_l1(l1->memsys->coherent->protocol, VGPU_COH_EVICT, &step);
		if (out.actions & (VGPU_COH_STALL | VGPU_COH_IMPOSSIBLE))
			return false;
	}
	l1->tags[at] = 0;
	return true;
}

/* A place in the set of @physical, which the line used longest ago has left; NONE */
static u32 make_place(struct vgpu_l1d *l1, u64 physical)
{
	struct vgpu_cc_l1 *cc = vgpu_cc_l1_of(l1);
	u32 first = set_of(l1, physical), last = first + l1->ways, victim = VGPU_CC_NONE;

	for (u32 at = first; at < last; at++) {
		const struct vgpu_cc_entry *entry = &cc->ways[at];

		if (!l1->tags[at])
			return at;
		if (vgpu_coh_pending(&entry->line) || entry->waits)
			continue;
		if (victim == VGPU_CC_NONE || l1->way[at].used < l1->way[victim].used)
			victim = at;
	}
	return victim != VGPU_CC_NONE && evict(l1, victim) ? victim : VGPU_CC_NONE;
}

struct vgpu_cc_entry *vgpu_cc_fill(struct vgpu_l1d *l1, struct vgpu_cc_entry *entry,
				   const u8 *data)
{
	struct vgpu_cc_l1 *cc = vgpu_cc_l1_of(l1);
	u32 at = vgpu_cc_place(l1, entry);

	if (at == VGPU_CC_NONE) {
		at = l1->sets ? make_place(l1, entry->physical) : VGPU_CC_NONE;
		if (at == VGPU_CC_NONE) {
			vgpu_coh_purge_l1(l1->memsys->coherent->protocol, &entry->line);
			return entry;
		}
		cc->ways[at] = *entry;
		l1->tags[at] = entry->physical + 1;
		l1->way[at].physical = entry->physical;
		put_beside(l1, entry);
	}
	l1->way[at].used = ++l1->clock;
	memcpy(l1->data + (size_t)at * VGPU_LINE, data, VGPU_LINE);
	return &cc->ways[at];
}

/* ---- lines go -------------------------------------------------------------------- */

/* Nothing hits any more, and what is in flight does not enter. */
static void purge(struct vgpu_l1d *l1, struct vgpu_cc_entry *entry)
{
	vgpu_coh_purge_l1(l1->memsys->coherent->protocol, &entry->line);
	vgpu_cc_tidy(l1, entry);
}

static void purge_matching(struct vgpu_l1d *l1, u64 frame, bool all)
{
	struct vgpu_cc_l1 *cc = vgpu_cc_l1_of(l1);

	for (u32 at = 0; at < l1->sets * l1->ways; at++)
		if (l1->tags[at] && (all || cc->ways[at].physical >> VGPU_FRAME_LINE_BITS == frame))
			purge(l1, &cc->ways[at]);
	for (u32 n = 0; n < VGPU_CC_BUCKETS; n++) {
		struct vgpu_cc_entry *entry = cc->bucket[n], *next;

		for (; entry; entry = next) {
			next = entry->next;
			if (all || entry->physical >> VGPU_FRAME_LINE_BITS == frame)
				purge(l1, entry);
		}
	}
}

void vgpu_cc_purge_all(struct vgpu_l1d *l1)
{
	purge_matching(l1, 0, true);
}

void vgpu_cc_purge_frame(struct vgpu_l1d *l1, u64 frame)
{
	purge_matching(l1, frame, false);
}

void vgpu_cc_purge_asked(struct vgpu_l1d *l1)
{
	struct vgpu_cc_l1 *cc = vgpu_cc_l1_of(l1);

	for (u32 at = 0; at < l1->sets * l1->ways; at++)
		if (l1->tags[at] && cc->ways[at].line.reads)
			purge(l1, &cc->ways[at]);
	for (u32 n = 0; n < VGPU_CC_BUCKETS; n++) {
		struct vgpu_cc_entry *entry = cc->bucket[n], *next;

		for (; entry; entry = next) {
			next = entry->next;
			if (entry->line.reads)
				purge(l1, entry);
		}
	}
}
