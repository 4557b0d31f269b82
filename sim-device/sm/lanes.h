/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What executes the instructions of one warp, 32 lanes at a time, and all that it may touch while
 * it does so. The code is lanes/impl.h, compiled for x86-64 twice: lanes/sse2.c for all of those,
 * lanes/avx2.c where the processor has AVX2, FMA and F16C; for other processors lanes/portable.c,
 * with no instruction of a vector unit by name. All compute the same bits. It runs between
 * vgpu_fpu_begin() and vgpu_fpu_end(): it never sleeps, allocates or walks a page table; what needs
 * that makes it return with the warp still standing at the instruction.
 *
 * Register file of a warp: slot n is R(n) of its 32 lanes, u32[32]; an even slot and the next are
 * Q(n), u64[32].
 */
#ifndef VGPU_LANES_H
#define VGPU_LANES_H

#include "../platform.h"
#include "../sim/work.h"
#include "native.h"
#include "sm.h"

#define VGPU_LANES		32u
#define VGPU_SEGMENT_SHIFT	7	/* memory traffic is counted in segments of 128 bytes */

/*
 * Local memory of a warp comes in pages, each when it is first written: VGPU_LOCAL_SPAN bytes of
 * every lane. So what is not touched costs nothing. Words that lanes have at the same offset are
 * beside each other: lanes that access the same offset, as lanes mostly do, access a row. A table
 * of pages is itself a page.
 */
#define VGPU_LOCAL_SHIFT	7
#define VGPU_LOCAL_SPAN		(1u << VGPU_LOCAL_SHIFT)
#define VGPU_LOCAL_ROW		(VGPU_LANES * 4)	/* from a word of a lane to its next */
#define VGPU_LOCAL_TABLE	(VGPU_PAGE_SIZE / sizeof(struct vgpu_local_page))
#define VGPU_LOCAL_TABLES	(VGPU_VASS_MAX_LOCAL / VGPU_LOCAL_SPAN / VGPU_LOCAL_TABLE)

/** struct vgpu_local_page - a page of local memory; without @memory it reads as zero */
struct vgpu_local_page {
	u8 *memory;
};

/* Where @lane has @offset of its local memory in the page that this is in */
static inline u32 vgpu_in_local_page(u32 lane, u32 offset)
{
	return (offset & (VGPU_LOCAL_SPAN - 4)) * VGPU_LANES + lane * 4 + (offset & 3);
}

/*
 * Entries a reconvergence stack can need: an entry either waits at a reconvergence point for lanes
 * above it, or holds lanes of which none are above it. The latter are disjoint and not empty: at
 * most 32, the running one included. One that waits has two of these or more above it, or lanes of
 * its own that are at the point or have exited: where it has not, reconv_tidy() (lanes/sync.h)
 * removes it. That is a tree with at most 32 leaves, in which every other node has two branches: at
 * most 31 of those. So 62 beside the running one, whatever the program does, and one more while
 * that is put aside.
 */
#define VGPU_RECONV_DEPTH	64u

/*
 * Flag of a BRA, which has none in a binary. It goes back, and what lies between can observe what
 * other lanes do: lanes may wait there for others (waits.c). With some of the 32 lanes such
 * branches are counted, and after so many the other lanes of the warp have their turn.
 */
#define VGPU_F_BRA_WAITS	1u
#define VGPU_TURN_ROUNDS	32u

/**
 * struct vgpu_reconv - lanes that go on at pc until they reach reconv (VGPU_NO_RECONV: to their
 * exit)
 */
struct vgpu_reconv {
	u32 pc;
	u32 reconv;
	u32 mask;
};

enum vgpu_warp_state {
	VGPU_WARP_READY,
	VGPU_WARP_BARRIER,
	VGPU_WARP_PENDING,	/* at an access, for a page that is on its way */
	VGPU_WARP_EXITED,
};

/**
 * struct vgpu_warp - one warp. pc, reconv and active are the running entry of its reconvergence
 * stack.
 */
struct vgpu_warp {
	/* 0 when the warp begins: */
	u32 pc;
	u32 depth;
	u32 state;		/* enum vgpu_warp_state */
	u32 loose;		/* lanes went on from a reconvergence point without the others */
	u32 rounds;		/* VGPU_F_BRA_WAITS taken since the last turn, or all lanes met */
	u32 turn;		/* the lane whose turn it was */
	/* a bit for each entry of the stack whose lanes wait for members of their masks */
	u64 waiting;
	u32 done;		/* the instruction is executed in parts: lanes that have */
	u32 native;		/* for native code (native.h) */
	u32 waits;		/* how often the access at waits_pc has waited */
	u64 cycles;		/* latencies of what it executed in this slice */
	u64 *written;		/* a bit for each register it writes; NULL: no matter (written.c) */
	struct vgpu_page_waiter waiter;
	struct vgpu_local_page *local[VGPU_LOCAL_TABLES];	/* NULL: no page yet */
	/* what it begins with, or has in each slice: */
	u32 reconv;
	u32 active;
	u32 live;		/* lanes that have not exited */
	u32 index;		/* in its block */
	u32 threads;		/* lanes that exist, 1..32 */
	u32 left;		/* instructions it may yet execute in this slice */
	u32 spare;		/* work (sim/work.h) it may do in this slice beside them */
	u32 *regs;		/* kernel's registers x 32, aligned to 64 bytes */
	/* at a barrier: */
	u32 bar_mask;		/* lanes that arrived */
	u32 bar_pred;		/* BARRED: those of them whose predicate is true */
	u32 bar_pc;		/* where that is; if the warp is watched, else anything */
	struct vgpu_insn bar;	/* the instruction */
	/* pending: */
	struct vgpu_block *block;	/* that it is a warp of */
	u32 waits_pc;		/* an access that waits again and again (block_access.c) */
	u64 waits_address;
	u32 preds[VGPU_PREDS];	/* a bit per lane; PT is all ones */
	struct vgpu_reconv stack[VGPU_RECONV_DEPTH];
};

#define VGPU_HOLD_SHIFT		6
/* twice as many as can be in use, and a bit of a word each */
#define VGPU_HOLD_SLOTS		(1u << VGPU_HOLD_SHIFT)

enum vgpu_lanes_end {
	VGPU_LANES_BUDGET,	/* executed as much as it may */
	VGPU_LANES_EXIT,	/* no lane is left */
	VGPU_LANES_BARRIER,	/* stands behind a barrier it must wait at */
	VGPU_LANES_TRANSLATE,	/* stands at an access, which `lane` has no translation for */
	VGPU_LANES_LOCAL,	/* the same; pages of local memory are missing */
	VGPU_LANES_FAULT,	/* `reason` and what follows it */
	VGPU_LANES_OTHER,	/* of vgpu_lanes_one_*() alone: it has done nothing */
};

/**
 * struct vgpu_lanes - operands, results and scratch of vgpu_lanes_run. One per SM, aligned to 64
 * bytes.
 */
struct vgpu_lanes {
	/* of the block */
	const struct vgpu_insn *code;
	const struct vgpu_native_code *native;	/* of the same; NULL: there is none */
	const struct vgpu_launch *launch;
	const u8 *params;
	u8 *shared;
	u32 shared_bytes;
	u32 local_bytes;	/* per thread */
	const u8 *zeros;	/* a page of them */
	u32 block[3];		/* index in the grid */
	/* of the SM */
	struct vgpu_tlb_entry *tlb;
	u32 sm_index;
	u32 sm_count;
	u64 clock;		/* SM cycles at the start of the slice */
	u64 timer;		/* virtual nanoseconds then */
	const u16 *cost;	/* cycles of an opcode, [VGPU_OP_COUNT] */
	/* of the run: what each of a warp reads and writes is in one line of the cache */
	struct vgpu_warp *warp __attribute__((aligned(64)));
	u32 budget;		/* in: instructions it may execute; out: how many it did not */
	u32 slow;		/* += how many of those slow ones counted for */
	u32 work;		/* += work (sim/work.h) of those that take very long */
	u64 threads;		/* += lanes that executed, over all instructions */
	u64 segments;		/* += segments of global memory touched */
	u64 accesses;		/* += warp instructions that did; native code does not count them */
	/* with count_pages: += pages of 64 KB that they touched, beyond one each */
	u64 more_pages;
	bool count_pages;
	/* other SMs are executed at the same time: an atomic of memory they may see is TRANSLATE */
	bool apart;
	/* for vgpu_lanes_run_watched(): whom to tell, and the present block's state (watch.c) */
	const struct vgpu_watch *watch;
	const struct vgpu_warps *watched;
	/*
	 * translations of the instruction that is being restarted: it gets on however the TLB maps
	 * its pages. A hash table of @held of them; @hold_used says in which slots. That and
	 * @on_host have no meaning when there are none
	 */
	u32 held;
	u32 on_host;	/* a page of those is used in place (access.h) */
	u64 hold_used;
	struct vgpu_tlb_entry hold[VGPU_HOLD_SLOTS];
	/* why it returned */
	u64 address;
	u32 bytes;
	u32 write;
	u32 reason;
	u32 lane;
	/* TRANSLATE, LOCAL also: what takes part in the access (struct vgpu_access), at addr[] */
	u32 accessing;
	u32 atomic;
	u32 one_page;		/* TRANSLATE: these lanes use one page; 0: it is not known */
	u64 window;		/* LOCAL: what precedes offsets of local memory in addr[] */
	/* scratch */
	u64 addr[VGPU_LANES] __attribute__((aligned(64)));
	u64 out[VGPU_LANES] __attribute__((aligned(64)));
	u64 imm[VGPU_LANES] __attribute__((aligned(64)));
	u64 x[VGPU_LANES] __attribute__((aligned(64)));
	u64 y[VGPU_LANES] __attribute__((aligned(64)));
	u64 z[VGPU_LANES] __attribute__((aligned(64)));
	u8 *ptr[VGPU_LANES];
	u32 in_local;		/* lanes for which that is in local memory */
	u32 banks;		/* of shared memory, for this: */
	/* of the block's launch on this SM; NULL: it is not counted, or elsewhere (pipeline) */
	struct vgpu_counters *counters;
};

/* The slot of the translation of @page that is held, or else the free one for it. */
static inline u32 vgpu_lanes_hold_slot(const struct vgpu_lanes *lanes, u64 page)
{
	u32 n = (u32)(page * 0x9e3779b97f4a7c15ull >> (64 - VGPU_HOLD_SHIFT));

	while ((lanes->hold_used >> n & 1) && lanes->hold[n].page != page)
		n = (n + 1) % VGPU_HOLD_SLOTS;
	return n;
}

/* The translation of @page that is held; NULL: none is. */
static inline const struct vgpu_tlb_entry *vgpu_lanes_held(const struct vgpu_lanes *lanes, u64 page)
{
	u32 slot;

	if (!lanes->held)
		return NULL;
	slot = vgpu_lanes_hold_slot(lanes, page);
	return lanes->hold_used >> slot & 1 ? &lanes->hold[slot] : NULL;
}

/*
 * counting.c: the class of an instruction, a counter; count one that the lanes in @m of @w execute;
 * take that back, as it has not been executed after all
 */
enum vgpu_counter vgpu_count_class(u32 op);
void vgpu_count_instruction(const struct vgpu_lanes *lanes, const struct vgpu_insn *i, u32 m);
void vgpu_uncount_instruction(const struct vgpu_lanes *lanes, const struct vgpu_insn *i, u32 m);
/* What an access to memory by the lanes in @m of a warp with @regs touches: += @by, modulo 2^64 */
void vgpu_count_access(struct vgpu_counters *counters, u32 banks, const u32 *regs,
		       const struct vgpu_insn *i, u32 m, u64 by);

/* Execute up to lanes->budget instructions of lanes->warp. The code has been verified. */
enum vgpu_lanes_end vgpu_lanes_run_sse2(struct vgpu_lanes *lanes);
enum vgpu_lanes_end vgpu_lanes_run_avx2(struct vgpu_lanes *lanes);
enum vgpu_lanes_end vgpu_lanes_run_portable(struct vgpu_lanes *lanes);
/* The same, telling lanes->watch of all that it does (watch.h). Not in the module. */
enum vgpu_lanes_end vgpu_lanes_run_watched(struct vgpu_lanes *lanes);

/*
 * Execute @i, at which lanes->warp stands, for the lanes in @m, at least one, as if it had no
 * guard. BUDGET: done. OTHER: it is none of those in lanes/calls.h, or lanes would have to wait.
 * Else the warp has not executed it, as with vgpu_lanes_run_*(). Budget, cycles, pc and threads
 * stay as they are. For native code, not in the module.
 */
/* written.c: registers that @insn writes join @written */
void vgpu_written_mark(u64 *written, const struct vgpu_insn *insn);
enum vgpu_lanes_end vgpu_lanes_one_sse2(struct vgpu_lanes *lanes, const struct vgpu_insn *i, u32 m);
enum vgpu_lanes_end vgpu_lanes_one_avx2(struct vgpu_lanes *lanes, const struct vgpu_insn *i, u32 m);

#endif
