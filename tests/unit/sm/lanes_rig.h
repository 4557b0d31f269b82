/* SPDX-License-Identifier: MIT */
/*
 * One warp without a device around it: what tests of the lanes alone need. All builds are run on
 * the same state and must leave the same.
 */
#ifndef LANES_RIG_H
#define LANES_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sm/lanes.h"

#define RIG_REGS	64u
#define RIG_SHARED	4096u
#define RIG_LOCAL	64u		/* within one page of local memory */
#define RIG_PAGES	4u
#define RIG_BASE	0x40000000ull	/* device address of the first page */

struct rig {
	struct vgpu_lanes lanes;
	struct vgpu_warp warp;
	struct vgpu_launch launch;
	struct vgpu_kernel kernel;
	struct vgpu_insn code[64];
	u32 regs[RIG_REGS * VGPU_LANES] __attribute__((aligned(64)));
	u8 shared[RIG_SHARED] __attribute__((aligned(64)));
	u8 local[VGPU_LANES * VGPU_LOCAL_SPAN] __attribute__((aligned(64)));
	struct vgpu_local_page local_pages[1];
	u8 memory[RIG_PAGES * 4096u] __attribute__((aligned(4096)));
	u8 params[64];
	struct vgpu_tlb_entry tlb[VGPU_TLB_ENTRIES];
	u16 cost[VGPU_OP_COUNT];
};

/* How many builds of the lanes this machine can run, at most RIG_BUILDS; 0 is the portable one. */
#define RIG_BUILDS	3
int rig_builds(void);
const char *rig_build_name(int build);
/* A rig with all lanes active at instruction 0, memory random. */
struct rig *rig_new(u64 seed);
void rig_free(struct rig *rig);
/* A rig for each build, all the same; the others NULL. */
void rigs_new(struct rig *rigs[RIG_BUILDS], u64 seed);
void rigs_free(struct rig *rigs[RIG_BUILDS]);
void rig_reset(struct rig *rig, u32 active);
/* Run @build for @budget instructions. */
enum vgpu_lanes_end rig_run(struct rig *rig, int build, u32 budget);
/* Run @build with rig->lanes as they are. */
enum vgpu_lanes_end rig_run_lanes(struct rig *rig, int build);
/* Same registers, predicates, memory, stack in @a, of @build, as in @b? Else the test fails. */
void rig_same(const struct rig *a, int build, const struct rig *b, const char *what);
u64 rig_random(u64 *state);

static inline u32 *rig_r(struct rig *rig, u32 n)
{
	return rig->regs + n * VGPU_LANES;
}

static inline u64 *rig_q(struct rig *rig, u32 n)
{
	return (u64 *)(rig->regs + n * VGPU_LANES);
}

#endif
