// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Fault handlers: when a fault has been served. The latencies are those of Tanasic 6.5.3 and 6.5.4,
 * where no data has to be transferred.
 */
#include "../sim/text.h"
#include "fault.h"

static u64 later(u64 time, u64 delay)
{
	u64 left = VGPU_NEVER - 1 - time;

	return time + (delay < left ? delay : left);
}

/*
 * Offloaded to the host (Tanasic 2.1). It serves one fault after another, fault_cpu_ps each; with
 * the interrupt and the notice over the interconnect a fault takes fault_round_trip_ps at least.
 */
static u64 served_by_cpu(struct vgpu_faults *faults)
{
	const struct vgpu_config *config = faults->config;
	u64 now = faults->sim->now, cpu = config->fault_cpu_ps;
	u64 ways = config->fault_round_trip_ps > cpu ? config->fault_round_trip_ps - cpu : 0;

	faults->host_free = later(faults->host_free > now ? faults->host_free : now, cpu);
	return later(faults->host_free, ways);
}

/* On the SM that raised it (Tanasic 6.4.2): as many at a time as there are. */
static u64 served_by_gpu(struct vgpu_faults *faults)
{
	return vgpu_time_after(faults->sim, faults->config->fault_gpu_ps);
}

static const struct vgpu_fault_handler handlers[] = {
	{ "cpu", served_by_cpu },
	{ "gpu", served_by_gpu },
};

static u64 served_in_test(struct vgpu_faults *faults)
{
	return vgpu_time_after(faults->sim, faults->config->page_arrival_ps);
}

const struct vgpu_fault_handler vgpu_fault_handler_test = { "test", served_in_test };

const struct vgpu_fault_handler *vgpu_fault_handler_at(unsigned int index)
{
	return index < VGPU_ARRAY_SIZE(handlers) ? &handlers[index] : NULL;
}

const struct vgpu_fault_handler *vgpu_fault_handler_find(const char *name)
{
	for (unsigned int n = 0; n < VGPU_ARRAY_SIZE(handlers); n++)
		if (vgpu_text_is(name, handlers[n].name))
			return &handlers[n];
	return NULL;
}
