// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Fault handlers: how long what takes, but for the transfer of data and waiting for the
 * interconnect. The latencies are those of Tanasic 6.5.3 and 6.5.4: of a fault that the host
 * handles without data, fault_round_trip_ps, fault_cpu_ps are the host's, and half of the rest is
 * the way there, half the way back. With the data of a granule it takes fault_data_round_trip_ps.
 *
 * With fault_occupies_link these ways are not only latency: "both signaling and data transfers
 * between CPU and GPU are performed over the system interconnect which has a serializing effect on
 * the handling" (6.1). Then each way occupies its path of the interconnect from end to end, as data
 * does, and faults cross one after another. Faults that SMs handle do not cross (introduction of
 * chapter 6: "without interrupting the CPU and occupying the system interconnect").
 */
#include "../sim/text.h"
#include "fault.h"

static u64 later(u64 time, u64 delay)
{
	u64 left = VGPU_NEVER - 1 - time;

	return time + (delay < left ? delay : left);
}

static u64 least_zero(u64 more, u64 less)
{
	return more > less ? more - less : 0;
}

/* Over the interconnect, both ways together, without data. */
static u64 both_ways(const struct vgpu_config *config)
{
	return least_zero(config->fault_round_trip_ps, config->fault_cpu_ps);
}

/*
 * Offloaded to the host (Tanasic 2.1). It handles one fault after another, fault_cpu_ps each.
 */
static u64 handled_by_cpu(struct vgpu_faults *faults, const struct vgpu_page_fault *fault)
{
	const struct vgpu_config *config = faults->config;
	u64 now = faults->sim->now, way = both_ways(config) - both_ways(config) / 2;

	(void)fault;
	if (config->fault_occupies_link) {
		now = vgpu_link_hold(&faults->link, VGPU_LINK_TO_HOST, now, way);
		way = 0;
	}
	faults->host_free =
		later(faults->host_free > now ? faults->host_free : now, config->fault_cpu_ps);
	return later(faults->host_free, way);
}

static u64 notice_of_cpu(struct vgpu_faults *faults, const struct vgpu_page_fault *fault, u64 from)
{
	u64 way = both_ways(faults->config) / 2;

	if (!faults->config->fault_occupies_link ||
	    vgpu_fault_traits[fault->request.kind].by_process)
		return way;
	return vgpu_link_hold(&faults->link, VGPU_LINK_TO_DEVICE, from, way) - from;
}

static bool is_the_hosts(const struct vgpu_page_fault *fault)
{
	return fault->request.data || vgpu_fault_traits[fault->request.kind].host;
}

/*
 * On the SM that raised it (Tanasic 6.4.2): as many at a time as there are. What the host owns it
 * requests from the host.
 */
static u64 handled_by_gpu(struct vgpu_faults *faults, const struct vgpu_page_fault *fault)
{
	if (is_the_hosts(fault))
		return handled_by_cpu(faults, fault);
	faults->ops->local(fault);
	return vgpu_time_after(faults->sim, faults->config->fault_gpu_ps);
}

static u64 notice_of_gpu(struct vgpu_faults *faults, const struct vgpu_page_fault *fault, u64 from)
{
	return is_the_hosts(fault) ? notice_of_cpu(faults, fault, from) : 0;
}

static const struct vgpu_fault_handler handlers[] = {
	{ "cpu", handled_by_cpu, notice_of_cpu },
	{ "gpu", handled_by_gpu, notice_of_gpu },
};

static u64 handled_in_test(struct vgpu_faults *faults, const struct vgpu_page_fault *fault)
{
	(void)fault;
	return vgpu_time_after(faults->sim, faults->config->page_arrival_ps);
}

static u64 no_notice(struct vgpu_faults *faults, const struct vgpu_page_fault *fault, u64 from)
{
	(void)faults;
	(void)fault;
	(void)from;
	return 0;
}

const struct vgpu_fault_handler vgpu_fault_handler_test = { "test", handled_in_test, no_notice };

/* A prefetch whose pages the driver knows. */
static bool needs_no_handler(const struct vgpu_page_fault *fault)
{
	return fault->request.prefetch && !vgpu_fault_traits[fault->request.kind].asks;
}

/* A process handles its own fault: its thread is in the kernel. */
u64 vgpu_fault_handled(struct vgpu_faults *faults, const struct vgpu_page_fault *fault)
{
	if (needs_no_handler(fault))
		return faults->sim->now;
	return vgpu_fault_traits[fault->request.kind].by_process ?
		       vgpu_time_after(faults->sim, faults->config->fault_cpu_ps) :
		       faults->handler->handled(faults, fault);
}

/* What fault_data_round_trip_ps has beyond fault_round_trip_ps has the transfer in it. */
u64 vgpu_fault_data_time(const struct vgpu_faults *faults, const struct vgpu_page_fault *fault)
{
	const struct vgpu_fault_request *request = &fault->request;
	const struct vgpu_config *config = faults->config;

	return request->data && !request->prefetch && request->kind == VGPU_PAGE_FAULT_TO_DEVICE ?
		       least_zero(config->fault_data_round_trip_ps, config->fault_round_trip_ps) :
		       0;
}

u64 vgpu_fault_notice(struct vgpu_faults *faults, const struct vgpu_page_fault *fault, u64 from)
{
	if (needs_no_handler(fault))
		return 0;
	return vgpu_fault_traits[fault->request.kind].by_process ?
		       notice_of_cpu(faults, fault, from) :
		       faults->handler->notice(faults, fault, from);
}

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
