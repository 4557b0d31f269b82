// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Rollover of timestamps; see rollover.h.
 */
#include "rollover.h"

static void stall(struct vgpu_tm_unit *unit, u32 origin)
{
	unit->ring = VGPU_TM_STALLED_FOR_CORES;
	unit->origin = (u16)origin;
}

static void send(struct vgpu_tm_ring_out *out, enum vgpu_tm_ring_event event, u32 origin)
{
	out->sends = true;
	out->event = (u8)event;
	out->origin = (u16)origin;
}

static void begin(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit, u32 index,
		  struct vgpu_tm_ring_out *out)
{
	if (unit->ring != VGPU_TM_RUNS)
		return;
	stall(unit, index);
	if (tm->setup.partitions > 1)
		send(out, VGPU_TM_RING_STALL, index);
	else
		out->flush = true;
}

static void stall_comes(struct vgpu_tm_unit *unit, u32 index, u32 origin,
			struct vgpu_tm_ring_out *out)
{
	if (origin == index) {
		/* it has passed all others: none with a lower number can have begun */
		out->flush = true;
		return;
	}
	if (unit->ring != VGPU_TM_RUNS && unit->origin < origin)
		return;
	stall(unit, origin);
	send(out, VGPU_TM_RING_STALL, origin);
}

/* Tables are empty, and so are the stall buffer and the commit unit. */
static void empty(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit)
{
	u8 epoch = unit->epoch;

	memset(unit, 0, tm->bytes);
	unit->epoch = (u8)(epoch + 1);
}

static void roll_over(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit, u32 index,
		      struct vgpu_tm_ring_out *out)
{
	u32 origin = unit->origin;
	bool early = tm->setup.fault == VGPU_TM_ROLL_EARLY;

	if (unit->ring != VGPU_TM_STALLED_FOR_CORES || unit->acks < (early ? 1 : tm->setup.cores) ||
	    (unit->regions && !early) || (origin != index && !unit->resume))
		return;
	empty(tm, unit);
	if (tm->setup.partitions == 1)
		return;
	send(out, VGPU_TM_RING_RESUME, origin);
	if (origin == index) {
		unit->ring = VGPU_TM_STALLED_FOR_RING;
		unit->origin = (u16)origin;
	}
}

static void resume_comes(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit, u32 index,
			 u32 origin, struct vgpu_tm_ring_out *out)
{
	if (origin == index) {
		unit->ring = VGPU_TM_RUNS;
		unit->origin = 0;
		return;
	}
	unit->resume = 1;
	roll_over(tm, unit, index, out);
}

void vgpu_tm_ring(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit, u32 index,
		  enum vgpu_tm_ring_event event, u32 origin, struct vgpu_tm_ring_out *out)
{
	memset(out, 0, sizeof(*out));
	switch (event) {
	case VGPU_TM_RING_BEGIN:
		begin(tm, unit, index, out);
		break;
	case VGPU_TM_RING_STALL:
		stall_comes(unit, index, origin, out);
		break;
	case VGPU_TM_RING_RESUME:
		resume_comes(tm, unit, index, origin, out);
		break;
	case VGPU_TM_RING_ACK:
		unit->acks++;
		roll_over(tm, unit, index, out);
		break;
	case VGPU_TM_RING_DRAINED:
		roll_over(tm, unit, index, out);
	}
}
