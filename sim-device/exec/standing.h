/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Where a context stands in the execution engine: its kernels with blocks to issue, its SMs, and
 * its places in the tournaments that tell a policy who comes first (Tanasic 5.2.4 searches the KSRT
 * serially; they find the same in O(log n)).
 */
#ifndef VGPU_STANDING_H
#define VGPU_STANDING_H

#include "../core/tournament.h"

struct vgpu_ksr;
struct vgpu_smst;

/** struct vgpu_ksr_list - active kernels of one context, in the order of admission */
struct vgpu_ksr_list {
	struct vgpu_ksr *first;
	struct vgpu_ksr *last;
};

/* What a kernel can be listed for, by its context. */
enum vgpu_ksr_need {
	VGPU_KSR_ISSUABLE,		/* it has blocks that no SM has claimed */
	/* ... more of them than the SMs that are reserved for it will take */
	VGPU_KSR_WANTING,
	VGPU_KSR_NEEDS
};

struct vgpu_standing {
	/* among the contexts with active kernels, by rank, then since */
	struct vgpu_entrant active;
	/* among those with such kernels, by rank, then admission */
	struct vgpu_entrant need[VGPU_KSR_NEEDS];
	/* among those that hold SMs, last rank first, then newest */
	struct vgpu_entrant holding;
	struct vgpu_ksr_list kernels[VGPU_KSR_NEEDS];
	/* SMs that serve it and are not being preempted, newest first */
	struct vgpu_smst *running;
	struct vgpu_smst *coming;	/* SMs that are being preempted for it, newest first */
	u32 active_kernels;
	u32 held;			/* SMs running and coming: what 5.2.4 takes tokens for */
	u64 since;			/* admission of the kernel by which it became active */
	u64 running_since;		/* when it got the first of its running SMs */
	u32 tokens;			/* its budget of SMs, VGPU_TOKENS_SHARE: see share.c */
	u32 budget;			/* what follows from that; the policy's, as is mark */
	u64 mark;			/* 0 when a policy is selected */
};

#endif
