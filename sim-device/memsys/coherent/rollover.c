// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Rollover of logical time in the device (protocol/rollover.h): tokens go round a ring of the
 * partitions, with the latency of the interconnect from one to the next; FLUSH and its answers use
 * the ports like all messages.
 */
#include "coherent.h"

static void flush_l1s(struct vgpu_memsys *memsys, u32 index, u64 cycle)
{
	struct vgpu_partition *p = &memsys->partitions[index];

	cycle = cycle > p->free ? cycle : p->free;
	p->free = cycle + 1;
	for (u32 sm = 0; sm < memsys->config->sms; sm++) {
		struct vgpu_mem_request *message;

		message = vgpu_cc_message_new(memsys, sm, 0, VGPU_CC_FLUSH);
		message->line = index;
		message->at = cycle + memsys->config->l2_cycles;
		vgpu_mem_queue_add(&p->hits, message);
	}
}

/* What has been kept meanwhile is handled. */
static void resume(struct vgpu_memsys *memsys, u32 index, u64 cycle)
{
	struct vgpu_cc_l2 *l2 = &memsys->coherent->l2s[index];
	u32 lines = memsys->sets * memsys->config->l2_ways, count = l2->late_count;

	l2->late_count = 0;
	for (u32 n = 0; n < count; n++)
		vgpu_cc_fetched(memsys, index, l2->late[n], cycle);
	for (u32 at = 0; at < lines; at++)
		if (l2->ways[at].waits.head)
			vgpu_cc_run_waiting(memsys, index, at, cycle);
	vgpu_cc_unstick(memsys, index, cycle);
}

void vgpu_cc_ring(struct vgpu_memsys *memsys, u32 index, enum vgpu_coh_ring_event event, u32 origin,
		  u64 cycle)
{
	struct vgpu_coherent *c = memsys->coherent;
	struct vgpu_cc_l2 *l2 = &c->l2s[index];
	bool stalled = l2->state.ring != VGPU_COH_RUNS;
	u32 lines = memsys->sets * memsys->config->l2_ways;
	struct vgpu_coh_ring_out out;

	vgpu_coh_ring(&c->setup, &l2->state, index, event, origin, &out);
	c->rollovers += out.zero && !index;
	c->tokens += out.sends;
	for (u32 at = 0; out.zero && at < lines; at++)
		vgpu_coh_zero_l2(&l2->ways[at].line);
	if (out.sends)
		vgpu_cc_due_add(memsys, &(struct vgpu_cc_due){
			.at = cycle + memsys->config->icnt_cycles,
			.where = (index + 1) % c->setup.partitions, .a = out.event,
			.b = out.origin, .what = VGPU_CC_TOKEN });
	if (out.flush)
		flush_l1s(memsys, index, cycle);
	if (stalled && l2->state.ring == VGPU_COH_RUNS)
		resume(memsys, index, cycle);
}
