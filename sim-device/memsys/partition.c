// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A partition of L2 and its channel of DRAM (Tanasic 2.1, table 6.1). Requests are handled in the
 * order of their arrival, one lookup a cycle, and take effect then. What comes after that is
 * reserved: a miss reserves the channel, so that it is known at once when its line will be there,
 * and the line has its data from then on. What is asked of it meanwhile waits until that time.
 *
 * Lines are written back when they are replaced. A store allocates its line and fetches nothing: a
 * mask says which bytes are there. A load that needs others reads the line, and they come around
 * those.
 *
 * With timing_by_kernel others read and write frames as well, at any time: the blocks of SMs whose
 * timing is the other one. Then L2 has no bytes of its own: what takes effect here does so in the
 * frame. Tags, masks and times are the same.
 */
#include "coherent/coherent.h"
#include "hierarchy.h"

#define NONE	(~0u)

void vgpu_partition_fini(struct vgpu_partition *p)
{
	vgpu_mem_free_device(p->misses);
	vgpu_mem_free_device(p->data);
	vgpu_mem_free_device(p->lines);
	vgpu_mem_free_device(p->used);
	vgpu_mem_free_device(p->tags);
}

int vgpu_partition_init(struct vgpu_memsys *memsys, struct vgpu_partition *p)
{
	const struct vgpu_config *config = memsys->config;
	size_t lines = (size_t)memsys->sets * config->l2_ways;

	p->mshrs = config->l2_mshrs / config->l2_partitions;
	p->tags = vgpu_mem_alloc_device(lines * sizeof(*p->tags));
	p->used = vgpu_mem_alloc_device(lines * sizeof(*p->used));
	p->lines = vgpu_mem_alloc_device(lines * sizeof(*p->lines));
	p->in_frames = config->timing_by_kernel;
	p->data = p->in_frames ? NULL : vgpu_mem_alloc_device(lines * VGPU_LINE);
	p->misses = vgpu_mem_alloc_device(p->mshrs * sizeof(*p->misses));
	return p->tags && p->used && p->lines && (p->data || p->in_frames) && p->misses ? 0 :
											  -ENOMEM;
}

static struct vgpu_counters *counters_of(const struct vgpu_mem_request *request)
{
	return vgpu_counters_of(request->counters, request->launch);
}

/* ---- lines -------------------------------------------------------------- */

/* Neighbours are in different partitions, and so are lines a power of two apart. */
struct vgpu_partition *vgpu_partition_of(struct vgpu_memsys *memsys, u64 physical)
{
	u32 count = memsys->config->l2_partitions, fold = memsys->fold;

	if (fold)
		physical ^= physical >> fold ^ physical >> 2 * fold ^ physical >> 3 * fold;
	return &memsys->partitions[fold ? physical & (count - 1) : (u32)(physical % count)];
}

u32 vgpu_partition_set(const struct vgpu_memsys *memsys, u64 physical)
{
	u64 number = memsys->fold ? physical >> memsys->fold :
				    physical / memsys->config->l2_partitions;

	return (u32)number % memsys->sets * memsys->config->l2_ways;
}

u32 vgpu_partition_find(const struct vgpu_memsys *memsys, const struct vgpu_partition *p,
			u64 physical)
{
	u32 at = vgpu_partition_set(memsys, physical), last = at + memsys->config->l2_ways;

	for (; at < last; at++)
		if (p->tags[at] == physical + 1)
			return at;
	return NONE;
}

/* Tags are together and mostly at hand; lines and data lie far apart. */
void vgpu_partition_prefetch(struct vgpu_memsys *memsys, const struct vgpu_mem_request *request)
{
	struct vgpu_partition *p = vgpu_partition_of(memsys, request->physical);
	u32 at = vgpu_partition_find(memsys, p, request->physical);
	const u8 *data = at == NONE || p->in_frames ? request->bytes :
						      p->data + (size_t)at * VGPU_LINE;

	if (at != NONE)
		__builtin_prefetch(&p->lines[at], 1);
	__builtin_prefetch(data, 1);
	__builtin_prefetch(data + 64, 1);
	__builtin_prefetch(request->data, 1);
	__builtin_prefetch(request->data + 64, 1);
}

static bool ask_traffic(const struct vgpu_memsys *memsys, u64 physical, u32 halves, bool write,
			struct vgpu_line_traffic *traffic)
{
	memsys->ops->line(memsys->owner, physical >> VGPU_FRAME_LINE_BITS,
			  (u32)physical & (VGPU_FRAME_LINES - 1), halves, write, traffic);
	return traffic->compressed;
}

/*
 * Dirty bytes of a line of a compressed page have gone to its frame: what crosses its channel
 * instead of @sectors. A part of 64 bytes that is not all dirty is read before, as it is compressed
 * as a whole. Where a page is laid out anew all channels take part, and so does this one.
 */
static u32 written_compressed(const struct vgpu_memsys *memsys, u64 physical,
			      const u64 dirty[2], u32 sectors)
{
	u32 halves = (dirty[0] ? 1u : 0) + (dirty[1] ? 2u : 0);
	u32 count = memsys->config->l2_partitions;
	bool partial = (dirty[0] && ~dirty[0]) || (dirty[1] && ~dirty[1]);
	struct vgpu_line_traffic traffic;

	if (!ask_traffic(memsys, physical, halves, true, &traffic))
		return sectors;
	return (traffic.slots + traffic.exceptions) * (1 + partial) + traffic.metadata +
	       (traffic.moved + count - 1) / count;
}

u32 vgpu_partition_clean(const struct vgpu_memsys *memsys, struct vgpu_partition *p, u32 at)
{
	struct vgpu_l2_line *line = &p->lines[at];
	const u64 dirty[2] = { line->dirty[0], line->dirty[1] };
	u32 sectors = vgpu_mask_sectors(dirty);

	if (sectors && likely(!p->in_frames))
		vgpu_mask_copy(line->bytes, p->data + (size_t)at * VGPU_LINE, dirty);
	line->dirty[0] = 0;
	line->dirty[1] = 0;
	if (unlikely(memsys->compressed && *memsys->compressed) && sectors)
		sectors = written_compressed(memsys, p->tags[at] - 1, dirty, sectors);
	return sectors;
}

/* Because of @request */
void vgpu_partition_write_back(const struct vgpu_memsys *memsys, struct vgpu_partition *p,
			       const struct vgpu_mem_request *request, u32 sectors, u64 cycle)
{
	if (!sectors)
		return;
	p->written_bytes += sectors * VGPU_SECTOR;
	if (likely(request))
		vgpu_count(counters_of(request), VGPU_COUNT_DRAM_WRITTEN, sectors * VGPU_SECTOR);
	vgpu_port_send(&p->channel, cycle, (u64)sectors * memsys->sector_parts);
}

/*
 * A place for the line of @request, in which there is nothing valid. The one of the set that was
 * used longest ago goes, but none that is still read: @cycle moves on until there is another.
 * @written: out: sectors that have to be written back
 */
static u32 allocate(const struct vgpu_memsys *memsys, struct vgpu_partition *p,
		    const struct vgpu_mem_request *request, u64 *cycle, u32 *written)
{
	u32 first = vgpu_partition_set(memsys, request->physical);
	u32 last = first + memsys->config->l2_ways;
	u64 least = VGPU_NEVER, soonest = VGPU_NEVER;
	u32 victim = first, soon = first;

	for (u32 at = first; at < last; at++) {
		u64 used = p->tags[at] ? p->used[at] : 0;

		if (used < least && (!p->tags[at] || p->lines[at].ready <= *cycle)) {
			least = used;
			victim = at;
		}
		if (p->lines[at].ready < soonest) {
			soonest = p->lines[at].ready;
			soon = at;
		}
	}
	if (unlikely(least == VGPU_NEVER)) {
		victim = soon;
		*cycle = soonest;
	}
	*written = p->tags[victim] ? vgpu_partition_clean(memsys, p, victim) : 0;
	p->tags[victim] = request->physical + 1;
	p->lines[victim] = (struct vgpu_l2_line){ .bytes = request->bytes };
	return victim;
}

/* ---- DRAM --------------------------------------------------------------- */

/* Until a miss at @cycle has an MSHR */
static u64 wait_for_mshr(struct vgpu_partition *p, u64 cycle)
{
	while (p->miss_count && (p->misses[p->first_miss] <= cycle || p->miss_count == p->mshrs)) {
		if (p->misses[p->first_miss] > cycle)
			cycle = p->misses[p->first_miss];
		p->first_miss = p->first_miss + 1 == p->mshrs ? 0 : p->first_miss + 1;
		p->miss_count--;
	}
	return cycle;
}

/* @sectors are read from @cycle on: when they are there */
static u64 read_sectors(const struct vgpu_memsys *memsys, struct vgpu_partition *p, u64 cycle,
			u32 sectors)
{
	p->read_bytes += sectors * VGPU_SECTOR;
	return memsys->config->dram_cycles +
	       vgpu_port_send(&p->channel, cycle, (u64)memsys->sector_parts * sectors);
}

/*
 * The same for line @physical, which is of a compressed page if that is so. Metadata that the cache
 * has not are read beside its slots, and exceptions only when they are there; if it has them, it is
 * known at once where the line is.
 */
static u64 read_compressed(const struct vgpu_memsys *memsys, struct vgpu_partition *p,
			   u64 physical, u64 cycle)
{
	struct vgpu_line_traffic traffic;
	u64 known = cycle, ready;

	if (!ask_traffic(memsys, physical, 3, false, &traffic))
		return read_sectors(memsys, p, cycle, VGPU_LINE / VGPU_SECTOR);
	if (traffic.metadata)
		known = read_sectors(memsys, p, cycle, traffic.metadata);
	ready = known;
	if (traffic.slots)
		ready = read_sectors(memsys, p, cycle, traffic.slots) + VGPU_DECOMPRESS_CYCLES;
	if (traffic.exceptions)
		known = read_sectors(memsys, p, known, traffic.exceptions);
	return ready > known ? ready : known;
}

u64 vgpu_partition_read(const struct vgpu_memsys *memsys, struct vgpu_partition *p, u32 at,
			u64 cycle)
{
	struct vgpu_l2_line *line = &p->lines[at];
	const u64 rest[2] = { ~line->valid[0], ~line->valid[1] };

	if (likely(!p->in_frames))
		vgpu_mask_copy(p->data + (size_t)at * VGPU_LINE, line->bytes, rest);
	line->valid[0] = ~0ull;
	line->valid[1] = ~0ull;
	return unlikely(memsys->compressed && *memsys->compressed) ?
		       read_compressed(memsys, p, p->tags[at] - 1, cycle) :
		       read_sectors(memsys, p, cycle, VGPU_LINE / VGPU_SECTOR);
}

/* All bytes of line @at that are not valid: it is looked up at @cycle, and has an MSHR. */
static void read_line(const struct vgpu_memsys *memsys, struct vgpu_partition *p, u32 at, u64 cycle)
{
	struct vgpu_l2_line *line = &p->lines[at];
	u32 n = p->first_miss + p->miss_count;

	line->ready = vgpu_partition_read(memsys, p, at, cycle + memsys->config->l2_cycles);
	p->misses[n < p->mshrs ? n : n - p->mshrs] = line->ready;
	p->miss_count++;
}

/* ---- requests ----------------------------------------------------------- */

/* The bytes of @mask have to be valid: has the line to be read? */
static bool lacks(const struct vgpu_l2_line *line, const u64 mask[2])
{
	return mask[0] & ~line->valid[0] || mask[1] & ~line->valid[1];
}

/* Lanes at one address follow each other, one a cycle (chosen). Others go side by side. */
u32 vgpu_partition_atomic_cycles(const struct vgpu_mem_atomic *atomic)
{
	u8 lanes_at[VGPU_LINE / 4] = {};
	u32 most = 1;

	for (u32 lanes = atomic->lanes; lanes; lanes &= lanes - 1) {
		u32 word = atomic->offset[__builtin_ctz(lanes)] / 4u % (VGPU_LINE / 4);

		if (++lanes_at[word] > most)
			most = lanes_at[word];
	}
	return most;
}

/* The request takes effect on the VGPU_LINE bytes at @data. */
void vgpu_partition_take_effect(struct vgpu_mem_request *request, u8 *data)
{
	switch (request->kind) {
	case VGPU_MEM_LOAD:
		memcpy(request->data, data, VGPU_LINE);
		break;
	case VGPU_MEM_STORE:
		vgpu_mask_copy(data, request->data, request->mask);
		break;
	default:
		request->atomic->apply(request->atomic, data);
	}
}

void vgpu_partition_write(const struct vgpu_memsys *memsys, struct vgpu_partition *p, u32 at,
			  const struct vgpu_mem_request *request, u64 cycle)
{
	struct vgpu_l2_line *line = &p->lines[at];

	for (u32 half = 0; half < 2; half++) {
		line->valid[half] |= request->mask[half];
		line->dirty[half] |= request->mask[half];
	}
	if (request->kind == VGPU_MEM_STORE && request->cache == VGPU_CACHE_WT)
		vgpu_partition_write_back(memsys, p, request, vgpu_partition_clean(memsys, p, at),
			   cycle + memsys->config->l2_cycles);
}

static u8 response_sectors(const struct vgpu_mem_request *request)
{
	if (request->kind == VGPU_MEM_STORE || request->aborted ||
	    (request->kind == VGPU_MEM_ATOMIC && request->atomic->no_return))
		return 0;
	return request->whole ? VGPU_LINE / VGPU_SECTOR : (u8)vgpu_mask_sectors(request->mask);
}

/* Its response leaves at @ready. */
void vgpu_partition_end(struct vgpu_mem_request *request, struct vgpu_mem_queue *queue, u64 ready)
{
	request->at = ready;
	request->sectors = response_sectors(request);
	vgpu_mem_queue_add(queue, request);
}

/* It waits for what @reader reads. */
static void follow(struct vgpu_mem_request *reader, struct vgpu_mem_request *request)
{
	request->sectors = response_sectors(request);
	request->next = NULL;
	if (reader->followers)
		reader->followers_tail->next = request;
	else
		reader->followers = request;
	reader->followers_tail = request;
}

static bool must_read(const struct vgpu_partition *p, const struct vgpu_mem_request *request,
		      u32 at)
{
	static const u64 all[2] = { ~0ull, ~0ull };

	return request->kind != VGPU_MEM_STORE &&
	       (at == NONE || lacks(&p->lines[at], request->whole ? all : request->mask));
}

/* Looked up at @cycle. Returns when it was in the end: it may have waited for an MSHR. */
static u64 use_line(struct vgpu_memsys *memsys, struct vgpu_partition *p,
		    struct vgpu_mem_request *request, u32 at, u64 cycle)
{
	u64 latency = memsys->config->l2_cycles;
	bool reads = must_read(p, request, at);
	struct vgpu_l2_line *line;
	u32 written = 0;

	if (reads)
		cycle = wait_for_mshr(p, cycle);
	if (at == NONE)
		at = allocate(memsys, p, request, &cycle, &written);
	line = &p->lines[at];
	if (reads) {
		u64 before = p->read_bytes;

		read_line(memsys, p, at, cycle);
		vgpu_count(counters_of(request), VGPU_COUNT_DRAM_READ, p->read_bytes - before);
		line->reader = request;
	}
	/* behind the read: whoever waits for that does not wait for this */
	vgpu_partition_write_back(memsys, p, request, written, cycle + latency);
	p->used[at] = ++p->clock;
	vgpu_partition_take_effect(request, likely(!p->in_frames) ?
						    p->data + (size_t)at * VGPU_LINE :
						    request->bytes);
	if (request->kind != VGPU_MEM_LOAD)
		vgpu_partition_write(memsys, p, at, request, cycle);
	if (memsys->protocol->after)
		memsys->protocol->after(memsys, request, line, cycle);
	p->miss_total += reads;
	p->hit_count += !reads;
	vgpu_count(counters_of(request), reads ? VGPU_COUNT_L2_MISSES : VGPU_COUNT_L2_HITS, 1);
	if (reads)
		vgpu_partition_end(request, &p->reads, line->ready);
	else if (request->kind != VGPU_MEM_STORE && line->ready > cycle + latency)
		follow(line->reader, request);
	else
		vgpu_partition_end(request, &p->hits, cycle + latency);
	return cycle;
}

/* True: the protocol wants to see it again, or it has been aborted at @cycle. */
static bool ask_protocol(struct vgpu_memsys *memsys, struct vgpu_partition *p,
			 struct vgpu_mem_request *request, u32 at, u64 cycle)
{
	u64 delay = memsys->protocol->before(memsys, request, at == NONE ? NULL : &p->lines[at],
					     cycle);

	if (request->aborted) {
		vgpu_partition_end(request, &p->hits, cycle + memsys->config->l2_cycles);
		return true;
	}
	if (!delay)
		return false;
	request->at = cycle + delay;
	request->seq = ++memsys->seq;
	vgpu_mem_heap_add(&memsys->delayed, request);
	return true;
}

void vgpu_partition_handle(struct vgpu_memsys *memsys, struct vgpu_mem_request *request)
{
	struct vgpu_partition *p = vgpu_partition_of(memsys, request->physical);
	u64 cycle = request->at, began;
	u32 at, busy = 1;

	if (unlikely(memsys->coherent)) {
		vgpu_cc_handle(memsys, request);
		return;
	}
	if (!request->here)
		cycle = vgpu_port_receive(&p->in, cycle, memsys->l2_costs.parts[request->sectors]);
	request->here = true;
	cycle = cycle > p->free ? cycle : p->free;
	began = cycle;
	if (unlikely(!request->bytes)) {
		/* it has had its effect: vgpu_memsys_flush() */
		vgpu_partition_end(request, &p->hits, cycle + memsys->config->l2_cycles);
		p->free = cycle + 1;
		return;
	}
	at = vgpu_partition_find(memsys, p, request->physical);
	if (unlikely(memsys->protocol->before) && ask_protocol(memsys, p, request, at, cycle)) {
		p->free = cycle + 1;
		return;
	}
	if (request->kind == VGPU_MEM_ATOMIC) {
		busy = vgpu_partition_atomic_cycles(request->atomic);
		p->atomics++;
		vgpu_count(counters_of(request), VGPU_COUNT_ATOMICS, 1);
	}
	cycle = use_line(memsys, p, request, at, cycle);
	p->stalled += cycle - began;
	p->free = cycle + busy;
}

/* ---- responses ---------------------------------------------------------- */

static void send_response(struct vgpu_memsys *memsys, struct vgpu_partition *p,
			  struct vgpu_mem_request *response, u64 ready)
{
	response->at = memsys->config->icnt_cycles +
		       vgpu_port_send(&p->out, ready, memsys->l2_costs.parts[response->sectors]);
	/* kinds of accesses have the numbers of their classes */
	vgpu_mem_count_flits(p->flits, response, likely(!memsys->coherent) ? response->kind :
						  vgpu_cc_class_of(response));
	vgpu_memsys_respond(memsys, response);
}

u64 vgpu_partition_send(struct vgpu_memsys *memsys, struct vgpu_partition *p, u64 cycle)
{
	for (;;) {
		struct vgpu_mem_request *hit = p->hits.head, *read = p->reads.head, *next;
		u64 hit_at = hit ? hit->at : VGPU_NEVER, read_at = read ? read->at : VGPU_NEVER;

		if (hit_at > cycle && read_at > cycle)
			return hit_at < read_at ? hit_at : read_at;
		if (hit_at <= read_at) {
			vgpu_mem_queue_take(&p->hits);
			send_response(memsys, p, hit, hit_at);
			continue;
		}
		vgpu_mem_queue_take(&p->reads);
		next = read->followers;
		send_response(memsys, p, read, read_at);
		for (read = next; read; read = next) {
			next = read->next;
			send_response(memsys, p, read, read_at);
		}
	}
}
