// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Rollover of logical time; see rollover.h.
 */
#include "rollover.h"

void vgpu_coh_zero_l2(struct vgpu_coh_l2_line *line)
{
	line->ver = 0;
	line->exp = 0;
	line->last_read = 0;
	line->last_write = 0;
}

void vgpu_coh_flush_core(struct vgpu_coh_core *core)
{
	core->read_now = 0;
	core->write_now = 0;
	core->epoch++;
}

static void stall(struct vgpu_coh_partition *partition, u32 origin, struct vgpu_coh_ring_out *out)
{
	if (partition->ring == VGPU_COH_RUNS) {
		partition->mnow = 0;
		partition->epoch++;
		out->zero = true;
	}
	partition->ring = VGPU_COH_STALLED;
	partition->origin = (u16)origin;
}

static void send(struct vgpu_coh_ring_out *out, enum vgpu_coh_ring_event event, u32 origin)
{
	out->sends = true;
	out->event = (u8)event;
	out->origin = (u16)origin;
}

static void flush(const struct vgpu_coh_setup *setup, struct vgpu_coh_partition *partition,
		  struct vgpu_coh_ring_out *out)
{
	partition->ring = VGPU_COH_FLUSHING;
	partition->flushes = (u16)setup->cores;
	out->flush = true;
}

static void begin(const struct vgpu_coh_setup *setup, struct vgpu_coh_partition *partition,
		  u32 index, struct vgpu_coh_ring_out *out)
{
	if (partition->ring != VGPU_COH_RUNS)
		return;
	stall(partition, index, out);
	if (setup->partitions > 1)
		send(out, VGPU_COH_RING_STALL, index);
	else
		flush(setup, partition, out);
}

static void stall_comes(const struct vgpu_coh_setup *setup, struct vgpu_coh_partition *partition,
			u32 index, u32 origin, struct vgpu_coh_ring_out *out)
{
	if (origin == index) {
		/* given up meanwhile: the one that has won goes round behind it */
		if (partition->origin == index)
			flush(setup, partition, out);
		return;
	}
	if (partition->ring != VGPU_COH_RUNS && partition->origin < origin)
		return;
	stall(partition, origin, out);
	send(out, VGPU_COH_RING_STALL, origin);
}

static void resume(struct vgpu_coh_partition *partition, u32 index, u32 origin,
		   struct vgpu_coh_ring_out *out)
{
	partition->ring = VGPU_COH_RUNS;
	partition->origin = 0;
	if (origin != index)
		send(out, VGPU_COH_RING_RESUME, origin);
}

void vgpu_coh_ring(const struct vgpu_coh_setup *setup, struct vgpu_coh_partition *partition,
		   u32 index, enum vgpu_coh_ring_event event, u32 origin,
		   struct vgpu_coh_ring_out *out)
{
	memset(out, 0, sizeof(*out));
	switch (event) {
	case VGPU_COH_RING_BEGIN:
		begin(setup, partition, index, out);
		break;
	case VGPU_COH_RING_STALL:
		stall_comes(setup, partition, index, origin, out);
		break;
	case VGPU_COH_RING_RESUME:
		resume(partition, index, origin, out);
		break;
	case VGPU_COH_RING_FLUSHED:
		if (--partition->flushes)
			break;
		/* it goes on itself when RESUME is back: nobody is stalled any more then */
		if (setup->partitions > 1)
			send(out, VGPU_COH_RING_RESUME, index);
		else
			resume(partition, index, index, out);
	}
}
