// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Frames that others than SMs touch, or that go (hierarchy.h, flush.c), under a protocol. All that
 * is in flight to lines of the frame has its effect now, in an order in which it might have
 * arrived, and is answered at its time: what L1s get does not enter them. L2 has given up its lines
 * by then, with their leases (vgpu_coh_purge_l2()), and no L1 has one.
 *
 * Messages between L2 and L1s about the frame (INV, INV_ACK) are marked, and end where they arrive:
 * what they would do has been done.
 */
#include "coherent.h"

static bool is_of(u64 physical, u64 frame)
{
	return physical >> VGPU_FRAME_LINE_BITS == frame;
}

static bool is_on_its_way(const struct vgpu_memsys *memsys, u64 frame)
{
	for (u32 n = 0; n < memsys->config->sms; n++) {
		const struct vgpu_mem_request *request = memsys->l1s[n].outbox.head;

		for (; request; request = request->next)
			if (is_of(request->physical, frame) && request->bytes)
				return true;
	}
	for (u32 n = 0; n < memsys->config->l2_partitions; n++) {
		const struct vgpu_mem_request *request = memsys->coherent->l2s[n].stuck.head;

		for (; request; request = request->next)
			if (is_of(request->physical, frame))
				return true;
	}
	return false;
}

/* What owners have written, and is on its way, is in L2 before anything that waits for them. */
static void take_through(struct vgpu_memsys *memsys, u64 frame, u64 cycle)
{
	for (u32 n = 0; n < memsys->config->sms; n++) {
		struct vgpu_mem_request *request = memsys->l1s[n].outbox.head;

		for (; request; request = request->next) {
			struct vgpu_partition *p;
			u32 at;

			if (request->kind != VGPU_MEM_STORE || !request->bytes ||
			    !is_of(request->physical, frame) ||
			    vgpu_cc_carried(request)->kind != VGPU_COH_THROUGH)
				continue;
			p = vgpu_partition_of(memsys, request->physical);
			at = vgpu_partition_find(memsys, p, request->physical);
			if (at != VGPU_CC_NONE)
				vgpu_cc_take_effect(memsys, p, at, request, cycle);
			request->bytes = NULL;
		}
	}
}

static void mark_messages(struct vgpu_coherent *c, u64 frame)
{
	for (u32 n = 0; n < c->message_count; n++)
		if (c->messages[n].used && is_of(c->messages[n].request.physical, frame) &&
		    c->messages[n].m.kind < VGPU_CC_FLUSH)
			c->messages[n].request.aborted = true;
}

static void apply_and_reply(struct vgpu_memsys *memsys, u32 index,
			    struct vgpu_mem_request *request, u64 cycle)
{
	vgpu_memsys_apply_one(request);
	vgpu_cc_reply_direct(memsys, index, request, cycle);
}

/* DRAM has answered, and all L1s; whoever waits in the MSHR has its effect. */
static void end_transient(struct vgpu_memsys *memsys, u32 index, u32 at, u64 cycle)
{
	struct vgpu_cc_l2 *l2 = &memsys->coherent->l2s[index];
	struct vgpu_cc_way *way = &l2->ways[at];

	if (way->fetching) {
		u32 actions = vgpu_cc_l2_event(memsys, index, at, VGPU_COH_FETCHED, NULL, cycle,
					       NULL);

		if (actions & VGPU_COH_ROLLOVER) {
			way->fetching = false;
			l2->fetches--;
		}
		vgpu_cc_due_cancel(memsys, index, at, VGPU_CC_FETCHED);
		/* it is not late any more */
		for (u32 n = 0; n < l2->late_count; n++)
			if (l2->late[n] == at)
				l2->late[n--] = l2->late[--l2->late_count];
	}
	for (u32 acks = way->line.acks; acks; acks--) {
		struct vgpu_mem_request *message =
			vgpu_cc_message_new(memsys, 0, memsys->partitions[index].tags[at] - 1,
					    VGPU_COH_INV_ACK);

		vgpu_cc_l2_event(memsys, index, at, VGPU_COH_INV_ACK, message, cycle, NULL);
		vgpu_cc_message_free(memsys, message);
	}
}

static void drop_line(struct vgpu_memsys *memsys, u64 physical, u64 cycle)
{
	struct vgpu_partition *p = vgpu_partition_of(memsys, physical);
	u32 index = (u32)(p - memsys->partitions), at = vgpu_partition_find(memsys, p, physical);
	struct vgpu_coherent *c = memsys->coherent;
	struct vgpu_mem_queue kept, waits;
	struct vgpu_cc_way *way;

	if (at == VGPU_CC_NONE)
		return;
	way = &c->l2s[index].ways[at];
	cycle = cycle > p->free ? cycle : p->free;
	end_transient(memsys, index, at, cycle);
	kept = way->kept;
	waits = way->waits;
	vgpu_partition_clean(memsys, p, at);
	vgpu_coh_purge_l2(c->protocol, &c->setup, &c->l2s[index].state, &way->line);
	if (way->retry)
		vgpu_cc_due_cancel(memsys, index, at, VGPU_CC_RETRY);
	*way = (struct vgpu_cc_way){};
	p->tags[at] = 0;
	while (kept.head)
		apply_and_reply(memsys, index, vgpu_mem_queue_take(&kept), cycle);
	while (waits.head)
		apply_and_reply(memsys, index, vgpu_mem_queue_take(&waits), cycle);
}

static void drop_stuck(struct vgpu_memsys *memsys, u32 index, u64 frame, u64 cycle)
{
	struct vgpu_mem_queue all = memsys->coherent->l2s[index].stuck;

	memsys->coherent->l2s[index].stuck.head = NULL;
	while (all.head) {
		struct vgpu_mem_request *request = vgpu_mem_queue_take(&all);

		if (is_of(request->physical, frame))
			apply_and_reply(memsys, index, request, cycle);
		else
			vgpu_mem_queue_add(&memsys->coherent->l2s[index].stuck, request);
	}
}

/* L2's lines are clean; false: something is in flight to one */
static bool clean_lines(struct vgpu_memsys *memsys, u64 frame)
{
	bool settled = !is_on_its_way(memsys, frame);

	for (u32 n = 0; n < VGPU_FRAME_LINES; n++) {
		u64 physical = frame << VGPU_FRAME_LINE_BITS | n;
		struct vgpu_partition *p = vgpu_partition_of(memsys, physical);
		const struct vgpu_cc_way *way;
		u32 at = vgpu_partition_find(memsys, p, physical);

		if (at == VGPU_CC_NONE)
			continue;
		way = &memsys->coherent->l2s[p - memsys->partitions].ways[at];
		if (way->kept.head || way->waits.head || way->line.acks || way->fetching)
			settled = false;
		else
			vgpu_partition_clean(memsys, p, at);
	}
	return settled;
}

/* There are places now. */
static void unstick_later(struct vgpu_memsys *memsys, u32 index, u64 cycle)
{
	struct vgpu_cc_l2 *l2 = &memsys->coherent->l2s[index];

	if (!l2->stuck.head || l2->unsticks)
		return;
	l2->unsticks = true;
	vgpu_cc_due_add(memsys, &(struct vgpu_cc_due){ .at = cycle, .where = index,
						       .what = VGPU_CC_UNSTICK });
}

void vgpu_cc_flush(struct vgpu_memsys *memsys, u64 frame, bool write)
{
	u64 cycle = vgpu_cycle_at(memsys->config, memsys->sim->now);

	if (clean_lines(memsys, frame) && !write)
		return;
	for (u32 n = 0; n < memsys->config->sms; n++)
		vgpu_cc_purge_frame(&memsys->l1s[n], frame);
	mark_messages(memsys->coherent, frame);
	take_through(memsys, frame, cycle);
	for (u32 n = 0; n < VGPU_FRAME_LINES; n++)
		drop_line(memsys, frame << VGPU_FRAME_LINE_BITS | n, cycle);
	for (u32 n = 0; n < memsys->config->l2_partitions; n++)
		drop_stuck(memsys, n, frame, cycle);
	vgpu_memsys_apply(memsys, frame);
	for (u32 n = 0; n < memsys->config->l2_partitions; n++)
		unstick_later(memsys, n, cycle);
	vgpu_memsys_expect(memsys, cycle + memsys->config->l2_cycles);
}

/*
 * Partitions do not know the leases and versions of lines in another frame, which may be lines of
 * other partitions. No L1 has read, and none has been told of a write, at a time beyond its clock:
 * what comes to L2 from now on is behind all clocks, and behind all that was ever evicted. An L1 or
 * a partition that has not rolled over yet is before those that have.
 */
void vgpu_cc_replace(struct vgpu_memsys *memsys)
{
	struct vgpu_coherent *c = memsys->coherent;

	if (!c->protocol->rolls)
		return;
	for (u32 n = 0; n < memsys->config->l2_partitions; n++) {
		struct vgpu_coh_partition *p = &c->l2s[n].state;

		for (u32 sm = 0; sm < memsys->config->sms; sm++) {
			const struct vgpu_coh_core *core = &c->l1s[sm].core;
			u64 now = core->read_now > core->write_now ? core->read_now :
								     core->write_now;

			if (core->epoch == p->epoch && now >= p->mnow)
				p->mnow = now + 1;
		}
		for (u32 other = 0; other < memsys->config->l2_partitions; other++) {
			const struct vgpu_coh_partition *q = &c->l2s[other].state;

			if (q->epoch == p->epoch && q->mnow > p->mnow)
				p->mnow = q->mnow;
		}
	}
}
