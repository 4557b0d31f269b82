// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Throttlers: how many SMs of an oversubscribed context fetch nothing, and which.
 */
#include "pressure.h"

/* ---- the thesis of ETC, 3.6.3 ------------------------------------------------------------- */

/*
 * It begins with half of the SMs that have blocks. An epoch DETECT ends with the first fault or
 * after throttle_detect_cycles:
 *
 *   no fault                      memory is large enough: throttle_up SMs go on, the last first
 *   a fault, and no eviction      there is free memory left: nothing changes
 *   a fault, and an eviction      the working set is too large: the SM that raised the fault is
 *                                 throttled as soon as that is over, and throttle_down - 1 more
 *
 * The eviction that this fault itself needs counts: it is known when the fault has been served, so
 * that is when it is decided; one that is cancelled, as its pages are unmapped, is over as well.
 * Behind it is an epoch of throttle_execute_cycles without changes.
 *
 * An SM that waits for others which are throttled raises no fault, so one goes on after the other:
 * a kernel whose blocks wait for each other ends.
 *
 * When a kernel has ended, or the SMs that run have no blocks left, all SMs go on
 * (exec/throttle.c). What was found out is kept: as many as before are throttled with the next
 * epoch.
 */
#define START_CYCLES	1000u	/* until SMs are looked at again that had no blocks */

static void detect(struct vgpu_pressure *p)
{
	p->state = VGPU_THROTTLE_DETECT;
	p->evicted = false;
	vgpu_throttle_epoch(p, p->config->throttle_detect_cycles);
}

static void execute(struct vgpu_pressure *p)
{
	p->state = VGPU_THROTTLE_EXECUTE;
	vgpu_throttle_epoch(p, p->config->throttle_execute_cycles);
}

static u32 throttled(const struct vgpu_pressure *p)
{
	return p->host->throttled(p->context);
}

/* As many SMs as it wants are throttled, as far as there are some; its first decision: half. */
static void throttle_wanted(struct vgpu_pressure *p)
{
	u32 now = throttled(p);

	if (p->level > now)
		p->host->throttle_some(p->context, p->level - now);
}

static void adaptive_start(struct vgpu_pressure *p)
{
	p->state = VGPU_THROTTLE_START;
	vgpu_throttle_epoch(p, START_CYCLES);
}

static void adaptive_stop(struct vgpu_pressure *p)
{
	(void)p;
}

/* SMs have blocks now, or the epoch begins again. */
static void begin(struct vgpu_pressure *p)
{
	u32 running = p->host->running(p->context);

	if (!running) {
		vgpu_throttle_epoch(p, START_CYCLES);
		return;
	}
	if (!p->decided) {
		p->level = running / 2;
		p->decided = true;
	}
	throttle_wanted(p);
	detect(p);
}

static void adaptive_epoch(struct vgpu_pressure *p)
{
	switch (p->state) {
	case VGPU_THROTTLE_START:
		begin(p);
		break;
	case VGPU_THROTTLE_DETECT:
		for (u32 n = 0; n < p->config->throttle_up && p->level; n++, p->level--)
			if (throttled(p) >= p->level)
				p->host->unthrottle_last(p->context);
		execute(p);
		break;
	case VGPU_THROTTLE_EXECUTE:
		throttle_wanted(p);
		detect(p);
		break;
	case VGPU_THROTTLE_FAULTED:
		break;
	}
}

static void adaptive_raised(struct vgpu_pressure *p, u32 sm)
{
	if (p->state != VGPU_THROTTLE_DETECT)
		return;
	p->state = VGPU_THROTTLE_FAULTED;
	p->sm = sm;
}

static void adaptive_ended(struct vgpu_pressure *p, u32 sm)
{
	if (p->state != VGPU_THROTTLE_FAULTED || p->sm != sm)
		return;
	if (p->evicted && p->config->throttle_down) {
		u32 done = p->host->throttle(p->context, sm);

		done += p->host->throttle_some(p->context, p->config->throttle_down - done);
		p->level = throttled(p);
	}
	execute(p);
}

const struct vgpu_throttler vgpu_throttler_adaptive = {
	.name = "adaptive",
	.start = adaptive_start,
	.stop = adaptive_stop,
	.raised = adaptive_raised,
	.ended = adaptive_ended,
	.epoch = adaptive_epoch,
};

/* ---- its baseline --------------------------------------------------------------------------- */

/* Half of the SMs of the device get none of its blocks from now on. */
static void half_start(struct vgpu_pressure *p)
{
	p->host->limit(p->context, (p->config->sms + 1) / 2);
}

static void half_stop(struct vgpu_pressure *p)
{
	p->host->limit(p->context, 0);
}

const struct vgpu_throttler vgpu_throttler_half = {
	.name = "half",
	.start = half_start,
	.stop = half_stop,
};
