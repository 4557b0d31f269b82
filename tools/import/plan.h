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

#define IMP_RUNNING_MAX	128u

/** struct imp_busy - SMs that kernels hold, until when (ps) */
struct imp_busy {
	struct {
		u64 end;
		u32 sms;
	} running[IMP_RUNNING_MAX];
	u32 count;
};

/* How many of @sms SMs nobody holds at @time. Times never go back by more than a kernel. */
u32 imp_busy_free(struct imp_busy *busy, u64 time, u32 sms);
/* When the next kernel ends after @time; @time: none does */
u64 imp_busy_next(const struct imp_busy *busy, u64 time);
void imp_busy_add(struct imp_busy *busy, u64 end, u32 sms);

#endif
