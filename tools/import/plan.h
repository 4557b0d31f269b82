/* SPDX-License-Identifier: MIT */
/* Import of timelines: what plan.c asks of gpu.c and busy.c. */
#ifndef IMPORT_PLAN_H
#define IMPORT_PLAN_H

#include "import.h"

/* ---- gpu.c -------------------------------------------------------------- */

/* Blocks of @kernel that an SM holds; 0: none fits. */
u32 imp_resident(const struct vgpu_config *config, const struct vgpu_cmd_profiled *kernel);
/* Cut what a block takes down to an SM. false: there was something to cut */
bool imp_fit(const struct vgpu_config *config, struct vgpu_cmd_profiled *kernel);
/* Waves of blocks on @sms SMs; 0: on all. */
u64 imp_waves(const struct vgpu_config *config, const struct vgpu_cmd_profiled *kernel, u32 sms);
/* SMs that the kernel takes on an idle GPU. */
u32 imp_sms(const struct vgpu_config *config, const struct vgpu_cmd_profiled *kernel);

/* ---- busy.c ------------------------------------------------------------- */

#define IMP_HELD	2048u	/* kernels that each stream remembers */

/** struct imp_held - SMs that a kernel holds from @begin to @end (ps) */
struct imp_held {
	u64 begin, end;
	u32 sms;
};

/** struct imp_busy - what kernels of each stream hold */
struct imp_busy {
	struct {
		struct imp_held *held;	/* a ring of the last, one after the other */
		u64 count;		/* ever */
	} streams[WL_STREAMS_MAX + 1];
};

/* How many of @sms SMs nobody holds at @time. */
u32 imp_busy_free(const struct imp_busy *busy, u64 time, u32 sms);
/* When the first of those ends that hold SMs at @time; @time: none does */
u64 imp_busy_next(const struct imp_busy *busy, u64 time);
/* A kernel of @stream, behind those before. -1: no memory */
int imp_busy_add(struct imp_busy *busy, u32 stream, u64 begin, u64 end, u32 sms);
void imp_busy_free_all(struct imp_busy *busy);

#endif
