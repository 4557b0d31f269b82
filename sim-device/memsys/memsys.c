// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The hierarchy as a whole: made from a configuration, and the event that has L2 handle what has
 * arrived. See memsys.h.
 *
 * One event serves everything. It need not come when a request arrives: what that leads to leaves
 * L2 l2_cycles later at the earliest, and is at an SM icnt_cycles after that. So the event comes
 * l2_cycles after the first arrival, or when the first response that is waiting leaves, and handles
 * all that have arrived by then. It sends responses that are ready l2_cycles later still: whatever
 * arrives from now on comes behind those. What is due under a protocol that is a table
 * (coherent/coherent.h) is like an arrival.
 */
#include "coherent/coherent.h"
#include "hierarchy.h"

#define NONE	(~0u)

/* ---- cycles ------------------------------------------------------------- */

u64 vgpu_cycle_at(const struct vgpu_config *config, u64 time)
{
	return vgpu_mul_div(time, config->clock_khz, VGPU_PS_PER_KCYCLE);
}

u64 vgpu_cycle_time(const struct vgpu_config *config, u64 cycle)
{
	u64 time = vgpu_mul_div(cycle, VGPU_PS_PER_KCYCLE, config->clock_khz);

	return vgpu_cycle_at(config, time) < cycle ? time + 1 : time;
}

u64 vgpu_cycle_from(const struct vgpu_config *config, u64 time)
{
	u64 cycle = vgpu_cycle_at(config, time);

	return vgpu_cycle_time(config, cycle) < time ? cycle + 1 : cycle;
}

/* ---- who has sent something ---------------------------------------------- */

static bool is_before(const struct vgpu_l1d *a, const struct vgpu_l1d *b)
{
	return a->outbox.head->at < b->outbox.head->at ||
	       (a->outbox.head->at == b->outbox.head->at && a->sm < b->sm);
}

static void place_sender(struct vgpu_memsys *memsys, u32 n, struct vgpu_l1d *l1)
{
	memsys->senders[n] = l1;
	l1->merging = n;
}

/* @l1 has the place @n, and nothing before it is later than it was. */
static void sift_up(struct vgpu_memsys *memsys, u32 n, struct vgpu_l1d *l1)
{
	for (; n && is_before(l1, memsys->senders[(n - 1) / 2]); n = (n - 1) / 2)
		place_sender(memsys, n, memsys->senders[(n - 1) / 2]);
	place_sender(memsys, n, l1);
}

static void sift_down(struct vgpu_memsys *memsys, struct vgpu_l1d *l1)
{
	u32 n = 0, below;

	while ((below = 2 * n + 1) < memsys->sender_count) {
		if (below + 1 < memsys->sender_count &&
		    is_before(memsys->senders[below + 1], memsys->senders[below]))
			below++;
		if (!is_before(memsys->senders[below], l1))
			break;
		place_sender(memsys, n, memsys->senders[below]);
		n = below;
	}
	place_sender(memsys, n, l1);
}

/* The first sender's first request, which may be none of a protocol's delayed ones */
static struct vgpu_mem_request *take_first(struct vgpu_memsys *memsys)
{
	struct vgpu_l1d *l1 = memsys->senders[0];
	struct vgpu_mem_request *request = vgpu_mem_queue_take(&l1->outbox);

	if (!l1->outbox.head) {
		l1->merging = NONE;
		l1 = memsys->senders[--memsys->sender_count];
	} else {
		/* others come before it, mostly */
		__builtin_prefetch(l1->outbox.head->next);
		vgpu_partition_prefetch(memsys, l1->outbox.head);
	}
	if (memsys->sender_count)
		sift_down(memsys, l1);
	return request;
}

static u64 first_arrival(const struct vgpu_memsys *memsys)
{
	const struct vgpu_mem_request *delayed = vgpu_mem_heap_first(&memsys->delayed);
	u64 at = memsys->sender_count ? memsys->senders[0]->outbox.head->at : VGPU_NEVER;

	return delayed && delayed->at < at ? delayed->at : at;
}

/* What arrives next, by @cycle, those first that have come before; NULL: nothing */
static struct vgpu_mem_request *next_arrival(struct vgpu_memsys *memsys, u64 cycle)
{
	const struct vgpu_mem_request *delayed = vgpu_mem_heap_first(&memsys->delayed);
	u64 at = first_arrival(memsys);

	if (at > cycle)
		return NULL;
	if (delayed && delayed->at == at)
		return vgpu_mem_heap_take(&memsys->delayed);
	return take_first(memsys);
}

/* ---- the event ---------------------------------------------------------- */

void vgpu_memsys_expect(struct vgpu_memsys *memsys, u64 cycle)
{
	u64 time = vgpu_cycle_time(memsys->config, cycle);

	/* of what is due in the cycle that is running */
	time = time < memsys->sim->now ? memsys->sim->now : time;
	if (!vgpu_event_pending(&memsys->event) || vgpu_event_time(&memsys->event) > time)
		vgpu_event_at(memsys->sim, &memsys->event, time);
}

void vgpu_l1d_submit(struct vgpu_l1d *l1)
{
	struct vgpu_memsys *memsys = l1->memsys;

	if (!l1->outbox.head || l1->merging != NONE)
		return;
	sift_up(memsys, memsys->sender_count++, l1);
	vgpu_memsys_expect(memsys, l1->outbox.head->at + memsys->config->l2_cycles);
}

/* All that is due before the next arrival, by @cycle */
static void do_due(struct vgpu_memsys *memsys, u64 cycle)
{
	u64 at = vgpu_cc_next(memsys);

	while (at <= cycle && at <= first_arrival(memsys)) {
		vgpu_cc_due_do(memsys);
		at = vgpu_cc_next(memsys);
	}
}

void vgpu_memsys_catch_up(struct vgpu_memsys *memsys)
{
	u64 cycle = vgpu_cycle_at(memsys->config, memsys->sim->now);
	struct vgpu_mem_request *request;

	for (;;) {
		if (unlikely(memsys->coherent))
			do_due(memsys, cycle);
		request = next_arrival(memsys, cycle);
		if (!request)
			break;
		vgpu_partition_handle(memsys, request);
	}
}

static void event_fire(struct vgpu_event *event)
{
	struct vgpu_memsys *memsys = vgpu_container_of(event, struct vgpu_memsys, event);
	u32 latency = memsys->config->l2_cycles;
	u64 cycle = vgpu_cycle_at(memsys->config, memsys->sim->now), next, ready;

	vgpu_memsys_catch_up(memsys);
	next = first_arrival(memsys);
	if (unlikely(memsys->coherent))
		next = vgpu_cc_next(memsys) < next ? vgpu_cc_next(memsys) : next;
	next += next == VGPU_NEVER ? 0 : latency;
	for (u32 n = 0; n < memsys->config->l2_partitions; n++) {
		ready = vgpu_partition_send(memsys, &memsys->partitions[n], cycle + latency);
		next = ready < next ? ready : next;
	}
	if (next != VGPU_NEVER)
		vgpu_memsys_expect(memsys, next);
}

void vgpu_memsys_respond(struct vgpu_memsys *memsys, struct vgpu_mem_request *response)
{
	struct vgpu_l1d *l1 = response->l1;

	response->seq = ++memsys->seq;
	vgpu_mem_heap_add(&l1->inbox, response);
	if (unlikely(memsys->coherent && response->kind == VGPU_MEM_MESSAGE))
		vgpu_cc_mail(memsys, l1->sm, response->at);
	if (memsys->ops->wake && vgpu_mem_heap_first(&l1->inbox) == response)
		memsys->ops->wake(memsys->owner, l1->sm,
				  unlikely(memsys->coherent) ? vgpu_cc_due_of(l1, response) :
							       vgpu_l1d_next(l1));
}

/* ---- messages ----------------------------------------------------------- */

int vgpu_memsys_message(struct vgpu_memsys *memsys, u32 sm, u64 physical, u64 stamp, u64 cycle)
{
	struct vgpu_mem_request *message = memsys->free_message;

	if (!message)
		return -ENOMEM;
	memsys->free_message = message->next;
	message->kind = VGPU_MEM_MESSAGE;
	message->l1 = &memsys->l1s[sm];
	message->physical = physical;
	message->stamp = stamp;
	message->sectors = 0;
	message->at = cycle + memsys->config->l2_cycles + memsys->config->icnt_cycles;
	vgpu_memsys_respond(memsys, message);
	return 0;
}

void vgpu_memsys_free_message(struct vgpu_memsys *memsys, struct vgpu_mem_request *message)
{
	message->next = memsys->free_message;
	memsys->free_message = message;
}

/* ---- made and taken apart ------------------------------------------------ */

static void init_use(struct vgpu_memsys *memsys)
{
	for (u32 kind = 0; memsys->protocol && kind < VGPU_ARRAY_SIZE(memsys->use); kind++)
		for (u32 mem = 0; mem < VGPU_ARRAY_SIZE(memsys->use[kind]); mem++)
			memsys->use[kind][mem] =
				(u8)memsys->protocol->use(memsys->config, kind, VGPU_MEM_ORDER(mem),
							  VGPU_MEM_SCOPE(mem), VGPU_MEM_CACHE(mem));
}

void vgpu_memsys_use_protocol(struct vgpu_memsys *memsys, const struct vgpu_coherence_ops *ops)
{
	memsys->protocol = ops;
	init_use(memsys);
	for (u32 n = 0; n < memsys->config->sms; n++)
		vgpu_l1d_invalidate(&memsys->l1s[n]);
}

static void init_costs(struct vgpu_mem_costs *costs, u32 bytes_per_cycle)
{
	for (u32 n = 0; n < VGPU_MEM_SECTORS; n++)
		costs->parts[n] = (u32)((vgpu_parts_of(VGPU_MEM_HEADER + n * VGPU_SECTOR) +
					 bytes_per_cycle - 1) / bytes_per_cycle);
}

static void init_numbers(struct vgpu_memsys *memsys)
{
	const struct vgpu_config *config = memsys->config;
	u32 count = config->l2_partitions;

	init_costs(&memsys->sm_costs, config->icnt_sm_bytes);
	init_costs(&memsys->l2_costs, config->icnt_l2_bytes);
	memsys->sector_parts = (u32)vgpu_mul_div(vgpu_parts_of(VGPU_SECTOR) * count,
						 config->clock_khz * 1000ull,
						 config->memory_bandwidth) + 1;
	memsys->fold = count & (count - 1) ? 0 : (u32)__builtin_ctz(count);
	memsys->sets = config->l2_bytes / (VGPU_LINE * config->l2_ways * count);
}

static int init_parts(struct vgpu_memsys *memsys)
{
	const struct vgpu_config *config = memsys->config;

	memsys->l1s = vgpu_mem_alloc_device(config->sms * sizeof(*memsys->l1s));
	memsys->partitions = vgpu_mem_alloc_device(config->l2_partitions *
						   sizeof(*memsys->partitions));
	memsys->senders = vgpu_mem_alloc_device(config->sms * sizeof(struct vgpu_l1d *));
	memsys->messages = vgpu_mem_alloc_device(VGPU_MESSAGES * sizeof(*memsys->messages));
	if (!memsys->l1s || !memsys->partitions || !memsys->senders || !memsys->messages)
		return -ENOMEM;
	for (u32 n = 0; n < VGPU_MESSAGES; n++)
		vgpu_memsys_free_message(memsys, &memsys->messages[n]);
	if (vgpu_mem_heap_init(&memsys->delayed,
			       config->sms * (config->l1_mshrs + config->l1_queue)))
		return -ENOMEM;
	for (u32 n = 0; n < config->l2_partitions; n++)
		if (vgpu_partition_init(memsys, &memsys->partitions[n]))
			return -ENOMEM;
	for (u32 n = 0; n < config->sms; n++)
		if (vgpu_l1d_init(&memsys->l1s[n], memsys, n))
			return -ENOMEM;
	if (vgpu_coh_find(config->coherence) && !memsys->protocol &&
	    vgpu_cc_init(memsys, vgpu_coh_find(config->coherence)))
		return -ENOMEM;
	if (vgpu_event_reserve(memsys->sim, 1))
		return -ENOMEM;
	memsys->reserved = true;
	return 0;
}

int vgpu_memsys_create(struct vgpu_sim *sim, const struct vgpu_config *config,
		       const struct vgpu_memsys_ops *ops, void *owner, struct vgpu_memsys **out)
{
	struct vgpu_memsys *memsys = vgpu_mem_alloc_device(sizeof(*memsys));

	if (!memsys)
		return -ENOMEM;
	memsys->sim = sim;
	memsys->config = config;
	memsys->protocol = vgpu_coherence_find(config->coherence);
	memsys->ops = ops;
	memsys->owner = owner;
	memsys->event.fire = event_fire;
	init_numbers(memsys);
	init_use(memsys);
	if (init_parts(memsys)) {
		vgpu_memsys_destroy(memsys);
		return -ENOMEM;
	}
	*out = memsys;
	return 0;
}

void vgpu_memsys_compresses(struct vgpu_memsys *memsys, const u64 *frames)
{
	memsys->compressed = frames;
}

void vgpu_memsys_destroy(struct vgpu_memsys *memsys)
{
	if (!memsys)
		return;
	vgpu_event_cancel(memsys->sim, &memsys->event);
	if (memsys->reserved)
		vgpu_event_release(memsys->sim, 1);
	vgpu_cc_fini(memsys);
	for (u32 n = 0; memsys->l1s && n < memsys->config->sms; n++)
		vgpu_l1d_fini(&memsys->l1s[n]);
	for (u32 n = 0; memsys->partitions && n < memsys->config->l2_partitions; n++)
		vgpu_partition_fini(&memsys->partitions[n]);
	vgpu_mem_heap_fini(&memsys->delayed);
	vgpu_mem_free_device(memsys->messages);
	vgpu_mem_free_device(memsys->senders);
	vgpu_mem_free_device(memsys->partitions);
	vgpu_mem_free_device(memsys->l1s);
	vgpu_mem_free_device(memsys);
}

struct vgpu_l1d *vgpu_memsys_l1d(struct vgpu_memsys *memsys, u32 sm)
{
	return &memsys->l1s[sm];
}

bool vgpu_memsys_apart(const struct vgpu_memsys *memsys)
{
	return !memsys->coherent && !memsys->protocol->message;
}

u32 vgpu_memsys_window(const struct vgpu_memsys *memsys)
{
	return memsys->config->icnt_cycles;
}

void vgpu_memsys_stats(const struct vgpu_memsys *memsys, struct vgpu_memsys_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	for (u32 n = 0; n < memsys->config->sms; n++) {
		const struct vgpu_l1d *l1 = &memsys->l1s[n];

		stats->l1_hits += l1->hits;
		stats->l1_misses += l1->missed;
		stats->l1_merged += l1->merged;
		stats->l1_busy += l1->busy;
		stats->stores += l1->stores;
		for (u32 kind = 0; kind < VGPU_MEM_KINDS; kind++)
			stats->cycles[kind] += l1->cycles[kind];
		for (u32 class = 0; class < VGPU_MEM_CLASSES; class++)
			stats->flits[class] += l1->flits[class];
	}
	for (u32 n = 0; n < memsys->config->l2_partitions; n++) {
		const struct vgpu_partition *p = &memsys->partitions[n];

		stats->l2_hits += p->hit_count;
		stats->l2_misses += p->miss_total;
		stats->l2_stall_cycles += p->stalled;
		stats->atomics += p->atomics;
		stats->dram_read += p->read_bytes;
		stats->dram_written += p->written_bytes;
		for (u32 class = 0; class < VGPU_MEM_CLASSES; class++)
			stats->flits[class] += p->flits[class];
	}
	if (memsys->coherent)
		vgpu_cc_stats(memsys, stats);
}
