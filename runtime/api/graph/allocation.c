// SPDX-License-Identifier: MIT
/*
 * Memory of graphs; see allocation.h.
 */
#include <stdlib.h>

#include "allocation.h"

static struct rt_graph_memory *memories;
static uint64_t high[RT_DEVICES][2];	/* used, reserved */

static bool is_here(const struct rt_graph_memory *memory)
{
	return memory->context == rt_current && memory->generation == rt.generation;
}

static uint64_t sum(int device, bool used)
{
	uint64_t bytes = 0;

	for (const struct rt_graph_memory *each = memories; each; each = each->next)
		if (rt_device_of(each->context) == device &&
		    each->generation == each->context->generation && (each->used || !used))
			bytes += each->bytes;
	return bytes;
}

static void count(int device)
{
	for (int i = 0; i < 2; i++) {
		uint64_t bytes = sum(device, !i);

		if (bytes > high[device][i])
			high[device][i] = bytes;
	}
}

static bool is_over(const struct rt_graph_memory *memory)
{
	for (unsigned int i = 0; i < RT_QUEUES; i++)
		if (rt.queues[i].epoch == memory->last[i].epoch &&
		    rt.queues[i].completed < memory->last[i].seq)
			return false;
	return true;
}

void rt_graph_memory_settle(void)
{
	struct rt_graph_memory **at = &memories;

	while (*at) {
		struct rt_graph_memory *memory = *at;
		bool gone = memory->generation != memory->context->generation;

		if (memory->refs || (!gone && (memory->live || !is_here(memory) ||
					       !is_over(memory)))) {
			at = &memory->next;
			continue;
		}
		*at = memory->next;
		if (!gone)
			rt_alloc_free(memory->address);
		free(memory);
	}
}

vgpuError_t rt_graph_memory_trim(void)
{
	vgpuError_t error = rt_sync_all();

	if (error == vgpuSuccess)
		rt_graph_memory_settle();
	return error;
}

vgpuError_t rt_graph_memory_new(uint64_t bytes, struct rt_graph_memory **out)
{
	struct rt_graph_memory *memory = calloc(1, sizeof(*memory));
	vgpuError_t error;

	if (!memory)
		return vgpuErrorMemoryAllocation;
	rt_graph_memory_settle();
	memory->context = rt_current;
	memory->generation = rt.generation;
	memory->bytes = bytes;
	memory->refs = 1;
	error = bytes ? rt_alloc(bytes, false, &memory->address) : vgpuErrorInvalidValue;
	if (error != vgpuSuccess) {
		free(memory);
		return error;
	}
	memory->next = memories;
	memories = memory;
	count(rt_device());
	*out = memory;
	return vgpuSuccess;
}

void rt_graph_memory_get(struct rt_graph_memory *memory)
{
	memory->refs++;
}

/* Nobody is waited for: what is in the queues now may use it. */
static void note_uses(struct rt_graph_memory *memory)
{
	for (unsigned int i = 0; i < RT_QUEUES; i++) {
		const struct rt_queue *queue = &memory->context->queues[i];

		memory->last[i].epoch = queue->epoch;
		memory->last[i].seq = queue->open ? queue->last : 0;
	}
}

void rt_graph_memory_put(struct rt_graph_memory *memory)
{
	if (--memory->refs)
		return;
	note_uses(memory);
	rt_graph_memory_settle();
}

struct rt_graph_memory *rt_graph_memory_at(const void *pointer)
{
	struct rt_graph_memory *memory = memories;

	while (memory && (memory->address != (uint64_t)(uintptr_t)pointer || !is_here(memory)))
		memory = memory->next;
	return memory;
}

void rt_graph_memory_free(struct rt_graph_memory *memory, struct rt_queue *queue, uint64_t seq)
{
	memory->live = false;
	memory->queue = queue;
	memory->epoch = queue ? queue->epoch : 0;
	memory->seq = seq;
	if (memory->refs)
		return;
	note_uses(memory);
	rt_graph_memory_settle();
}

void rt_graph_memory_use(struct rt_graph_memory *memory)
{
	memory->live = true;
	memory->used = true;
	count(rt_device());
}

vgpuError_t rt_graph_memory_read(int device, int attribute, uint64_t *value)
{
	switch (attribute) {
	case RT_GRAPH_MEMORY_USED:
	case RT_GRAPH_MEMORY_RESERVED:
		*value = sum(device, attribute == RT_GRAPH_MEMORY_USED);
		return vgpuSuccess;
	case RT_GRAPH_MEMORY_USED_HIGH:
	case RT_GRAPH_MEMORY_RESERVED_HIGH:
		*value = high[device][attribute == RT_GRAPH_MEMORY_RESERVED_HIGH];
		return vgpuSuccess;
	default:
		return vgpuErrorInvalidValue;
	}
}

vgpuError_t rt_graph_memory_reset(int device, int attribute, uint64_t value)
{
	if (value || (attribute != RT_GRAPH_MEMORY_USED_HIGH &&
		      attribute != RT_GRAPH_MEMORY_RESERVED_HIGH))
		return vgpuErrorInvalidValue;
	high[device][attribute == RT_GRAPH_MEMORY_RESERVED_HIGH] = 0;
	count(device);
	return vgpuSuccess;
}
