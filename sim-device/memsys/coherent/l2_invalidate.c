// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What a partition of L2 tells L1s of its own accord: to drop a line; see coherent.h. */
#include "coherent.h"

u16 vgpu_cc_send_invs(struct vgpu_memsys *memsys, struct vgpu_partition *p, u32 at,
		      const struct vgpu_coh_out *out, const struct vgpu_mem_request *cause,
		      u8 class, u64 cycle)
{
	u16 count = 0;

	for (u32 core = 0; core < memsys->config->sms; core++) {
		struct vgpu_mem_request *message;

		if (!(out->invs >> (core & 63) & 1) || core + 1 == out->inv_but)
			continue;
		message = vgpu_cc_message_new(memsys, core, p->tags[at] - 1, VGPU_COH_INV);
		message->at = cycle + memsys->config->l2_cycles;
		message->counters = cause ? cause->counters : NULL;
		message->launch = cause ? cause->launch : 0;
		vgpu_cc_message_of(message)->class = class;
		vgpu_mem_queue_add(&p->hits, message);
		count++;
	}
	return count;
}

/*
 * Permission costs nothing: in one cycle, the first in which an answer could be at an L1, no L1 has
 * the line any more, and no port is used. What an L1 asks for later is behind the write.
 */
void vgpu_cc_invalidate_now(struct vgpu_memsys *memsys, u64 physical, u64 cycle)
{
	u64 at = cycle + memsys->config->l2_cycles + memsys->config->icnt_cycles;

	for (u32 core = 0; core < memsys->config->sms; core++) {
		const struct vgpu_cc_entry *entry = vgpu_cc_find(&memsys->l1s[core], physical);
		struct vgpu_mem_request *message;

		if (!entry || !entry->line.state)
			continue;
		message = vgpu_cc_message_new(memsys, core, physical, VGPU_COH_INV);
		message->at = at;
		message->seq = ++memsys->seq;
		vgpu_mem_heap_add(&memsys->coherent->l1s[core].now, message);
		vgpu_cc_mail(memsys, core, at);
	}
}
