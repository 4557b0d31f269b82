/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Work: how much has been computed for whom, so that a host that has a clock can say for whom
 * its time was spent. Whoever computes counts units for a client; a unit is about a nanosecond of
 * a fast processor, but only ratios count. The model itself uses it for one thing: a slice takes
 * virtual time for its work if there is very much of it (sm/timing.c).
 *
 * Clients that have worked since the counters were last read are in a list, so reading them does
 * not look at those that have not.
 */
#ifndef VGPU_WORK_H
#define VGPU_WORK_H

#include "list.h"

/* Units. All but the first, which is from 4 to 80 (tests/bench), are estimates. */
#define VGPU_WORK_INSTRUCTION	20u	/* of a warp */
#define VGPU_WORK_TRANSLATION	100u	/* that the TLB did not have */
#define VGPU_WORK_FOUND		20u	/* that it had, but lanes did not find */
#define VGPU_WORK_FAULT		500u	/* a page fault, until it has been served */
#define VGPU_WORK_SPREAD	300u	/* an access, each lane in another page of local memory */
#define VGPU_WORK_WAIT		800u	/* of lanes for others */
#define VGPU_WORK_PAGE		500u	/* of local memory, cleared and released */
#define VGPU_WORK_CLEARED	16u	/* bytes of a new block's state in one unit */
#define VGPU_WORK_BLOCK		110u	/* a thread block beside its warps */
#define VGPU_WORK_WARP		10u	/* … and each of its warps */
#define VGPU_WORK_COMMAND	300u
#define VGPU_WORK_PIECE		100u	/* of a transfer: a page or less … */
#define VGPU_WORK_MOVED		16u	/* … and bytes in one unit */

/** struct vgpu_work_log - of all clients of a clock */
struct vgpu_work_log {
	struct vgpu_list clients;	/* struct vgpu_work with units */
	u64 total;			/* units since then, those of freed clients too */
};

/** struct vgpu_work - of one client */
struct vgpu_work {
	struct vgpu_work_log *log;
	struct vgpu_list node;		/* in log->clients */
	u64 units;			/* since the last reading */
};

static inline void vgpu_work_log_init(struct vgpu_work_log *log)
{
	vgpu_list_init(&log->clients);
	log->total = 0;
}

static inline void vgpu_work_init(struct vgpu_work *work, struct vgpu_work_log *log)
{
	work->log = log;
	vgpu_list_init(&work->node);
	work->units = 0;
}

/* Count @units for @work. */
static inline void vgpu_work_add(struct vgpu_work *work, u64 units)
{
	if (!work->units && units)
		vgpu_list_add_tail(&work->node, &work->log->clients);
	work->units += units;
	work->log->total += units;
}

/* Units of @work since the last reading; they begin at 0 again. */
static inline u64 vgpu_work_read(struct vgpu_work *work)
{
	u64 units = work->units;

	vgpu_list_del(&work->node);
	work->units = 0;
	return units;
}

#endif
