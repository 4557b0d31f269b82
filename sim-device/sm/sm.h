/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Streaming multiprocessors: occupancy, and making resident thread blocks advance. One file for
 * each kind of kernel (block_profiled.c: an end event per block; block_compiled.c: warps
 * interpreted in slices); the rest of the engine does not know the difference. Tanasic 2.3, 2.4;
 * context registers of the SM: 5.2.1.
 *
 * The engine calls down (setup, issue, detach, stop); the SM calls back vgpu_exec_block_done() and
 * vgpu_exec_block_fault() from its events only, never from inside a call down.
 */
#ifndef VGPU_SM_H
#define VGPU_SM_H

#include "../core/event.h"
#include "../exec/launch.h"
#include "../mmu/mmu.h"
#include "vgpu_isa.h"

struct vgpu_config;
struct vgpu_sm_run;

/** struct vgpu_sm - one SM. resident blocks hang on a list in issue order. */
struct vgpu_sm {
	struct vgpu_device *dev;
	u32 index;
	/* context registers, set by setup (Tanasic 5.2.1) */
	u32 context;			/* 0: never set up */
	struct vgpu_address_space *as;
	struct vgpu_block *resident;
	struct vgpu_block **resident_end;	/* where the next one is linked in */
	u32 resident_count;
	u64 slots_used;			/* bit per slot */
	/* compiled blocks: no slice begins any more; until the SM is empty */
	bool halted;
	struct vgpu_event step;		/* next slice of compiled blocks */
	struct vgpu_tlb tlb;		/* serves the address space that last had a slice here */
	struct vgpu_sm_run *run;	/* what it executes compiled blocks with */
	struct vgpu_ends *ends;		/* of profiled blocks */
	u64 instructions;		/* warp instructions executed since creation */
	u64 thread_instructions;	/* the same, each times the lanes that executed it */
};

/**
 * vgpu_occupancy - thread blocks of one kernel that fit into one SM
 * @shared_config: out, may be NULL: shared memory the SM must be set to: the default, or the first
 *   larger step that holds one block (footnote 2 of Tanasic 5.3.1)
 *
 * The first resource that is used up decides (Tanasic 2.3): registers, shared memory, threads,
 * block slots. 0: not even one fits.
 */
u32 vgpu_occupancy(const struct vgpu_config *config, u32 threads, u32 regs_per_block,
		   u32 shared_bytes, u32 *shared_config);

int vgpu_sm_init(struct vgpu_sm *sm, struct vgpu_device *dev, u32 index);
void vgpu_sm_fini(struct vgpu_sm *sm);
/* Load the context registers for @launch. The SM must be empty. */
void vgpu_sm_setup(struct vgpu_sm *sm, const struct vgpu_launch *launch);
/*
 * Make @block resident: a new one starts, a preempted one goes on where it stopped. -ENOMEM: no
 * memory for its state.
 */
int vgpu_sm_issue(struct vgpu_sm *sm, struct vgpu_block *block);
/*
 * No compiled block begins another slice. A slice is executed ahead of the time it takes, so the
 * state of the blocks is that of the present time only when it has ended: returns when that is, and
 * what is scheduled for then from now on comes after it. Profiled blocks have no slices and run on.
 */
u64 vgpu_sm_halt(struct vgpu_sm *sm);
/* Take @block off the SM with all its state kept in it, at the present time. */
void vgpu_sm_detach(struct vgpu_sm *sm, struct vgpu_block *block);
/*
 * Free what a block holds (of an ended or a never to be continued one); the struct itself is the
 * engine's.
 */
void vgpu_block_release(struct vgpu_block *block);
/*
 * Bytes a context switch must save for @block: registers, shared memory, block state (Tanasic
 * 5.2.2).
 */
u64 vgpu_block_context_bytes(const struct vgpu_block *block);

/* ---- modules: verified code (verify.c, module.c) ------------------------ */

struct vgpu_module;

/** struct vgpu_kernel - a verified kernel */
struct vgpu_kernel {
	struct vgpu_vass_kernel vass;
	const struct vgpu_insn *code;	/* vass.code_count, as verified */
	const char *name;
};

u32 vgpu_module_bytes(const struct vgpu_module *module);	/* of the binary */
u32 vgpu_module_kernel_count(const struct vgpu_module *module);
const struct vgpu_kernel *vgpu_module_kernel(const struct vgpu_module *module, u32 index);

/* ---- compiled blocks (block_compiled.c) --------------------------------- */

int vgpu_compiled_start(struct vgpu_block *block);	/* allocate and reset warps; -ENOMEM */
void vgpu_compiled_release(struct vgpu_block *block);
/*
 * Event of an SM with compiled blocks: interpret one slice of all of them, then time passes by what
 * it cost.
 */
void vgpu_compiled_step(struct vgpu_device *dev, struct vgpu_event *step);

/* ---- profiled blocks (block_profiled.c) --------------------------------- */

int vgpu_profiled_init(struct vgpu_sm *sm);
void vgpu_profiled_fini(struct vgpu_sm *sm);
/*
 * @block is on its SM: schedule its end, after a time drawn now (new) or what was left (preempted).
 * From vgpu_sm_issue().
 */
void vgpu_profiled_issue(struct vgpu_block *block);
/* Cancel its end and keep what is left of its time. From vgpu_sm_detach(). */
void vgpu_profiled_detach(struct vgpu_block *block);
/*
 * sm.c: take @block off the resident list of its SM and free its slot; it has ended or is being
 * detached.
 */
void vgpu_sm_remove(struct vgpu_sm *sm, struct vgpu_block *block);

/* ---- called back, filled by exec/ --------------------------------------- */

/*
 * @block has ended at the present time and is already off the SM; the engine releases it and may
 * issue another.
 */
void vgpu_exec_block_done(struct vgpu_device *dev, struct vgpu_sm *sm, struct vgpu_block *block);
/*
 * The profiled block of @launch in @slot of @sm, still resident, has ended, *@index of its grid.
 * Where its kernel has a new block to issue to the same place, *@index becomes that one's and
 * nothing else of the block changes. false: nothing has happened, take it off and call
 * vgpu_exec_block_done().
 */
bool vgpu_exec_block_followed(struct vgpu_device *dev, u32 sm, struct vgpu_launch *launch, u32 slot,
			      u64 *index);
/*
 * @block, still resident, did what ends its context. fault has reason, block, thread, pc, address,
 * bytes, write; the engine adds the rest and stops every block of the context: @block is freed on
 * return, and so is everything on @sm of the same context.
 */
void vgpu_exec_block_fault(struct vgpu_device *dev, struct vgpu_sm *sm, struct vgpu_block *block,
			   struct vgpu_fault *fault);

#endif
