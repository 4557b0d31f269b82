/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Streaming multiprocessors: occupancy, and making resident thread blocks advance. One file and one
 * struct vgpu_block_kind for each kind of kernel (block_profiled.c: an end event per block;
 * block_touching.c: the same, and accesses to memory; block_compiled.c: warps interpreted in
 * slices); nothing else knows the difference. Tanasic 2.3,
 * 2.4; context registers of the SM: 5.2.1.
 *
 * The engine calls down (setup, issue, detach, stop); the SM calls back through struct vgpu_sm_ops
 * from its events only, never from inside a call down; block_ready() alone also from elsewhere.
 */
#ifndef VGPU_SM_H
#define VGPU_SM_H

#include "../mmu/mmu.h"
#include "../sim/random.h"
#include "../sim/sim.h"
#include "../sim/trace.h"
#include "../vgpu_model.h"
#include "launch.h"
#include "native.h"
#include "vgpu_isa.h"
#include "watch.h"

struct vgpu_sm_run;

struct vgpu_sm;

/**
 * struct vgpu_sm_ops - what an SM tells the engine
 * @block_done: @block has ended at the present time and is already off the SM; the engine releases
 *   it and may issue another
 * @block_followed: the block of @launch in @slot of SM @sm, still resident, has ended, *@index of
 *   its grid. Where its kernel has a new block to issue to the same place, *@index becomes that
 *   one's and nothing else of the block changes. false: nothing has happened, take it off and call
 *   @block_done
 * @block_fault: @block, still resident, did what ends its context. @fault has reason, block,
 *   thread, pc, address, bytes, write; the engine adds the rest. The block stays until its context
 *   is stopped, right behind the present event
 * @block_stopped: @block, resident, has stopped as vgpu_block_stop() asked
 * @sm_quiet: an SM that was halted and was not quiet (vgpu_sm_quiet()) is so now
 * @blocks_wait: no slice is being executed, and of a resident block no warp can execute before
 *   pages come. Blocks that wait may leave, others may be issued
 * @block_ready: no warp of @block waits for a page any more. It may be off its SM; @sm is where it
 *   was last. Called while a page fault ends or memory is unmapped, so the engine must do no more
 *   than schedule an event
 * @moved: what vgpu_sm_move() has begun has ended
 * @undisturbed: blocks of one launch are all that executes, and nothing waits that would get more
 *   than idle SMs. So what follows the end of a block, or of the launch, in the same event concerns
 *   no SM with other blocks
 */
struct vgpu_sm_ops {
	void (*block_done)(struct vgpu_sm *sm, struct vgpu_block *block);
	bool (*block_followed)(void *engine, u32 sm, struct vgpu_launch *launch, u32 slot,
			       u64 *index);
	void (*block_fault)(struct vgpu_sm *sm, struct vgpu_block *block, struct vgpu_fault *fault);
	void (*block_stopped)(struct vgpu_sm *sm, struct vgpu_block *block);
	void (*sm_quiet)(struct vgpu_sm *sm);
	void (*blocks_wait)(struct vgpu_sm *sm);
	void (*block_ready)(struct vgpu_sm *sm, struct vgpu_block *block);
	void (*moved)(struct vgpu_sm *sm);
	bool (*undisturbed)(void *engine);
};

/** enum vgpu_block_wait - which warps of a block wait for pages */
enum vgpu_block_wait {
	VGPU_WAIT_NONE,
	VGPU_WAIT_SOME,			/* ... and others can execute */
	VGPU_WAIT_ALL,			/* ... and all others are at barriers, or have exited */
};

/**
 * struct vgpu_block_kind - how blocks of one kind advance
 * @enter: a block is about to come to @sm, whose blocks are to be in the state of the present time.
 *   NULL: they are always
 * @leave: it leaves its SM, ended or detached. May be NULL
 * @start: allocate what @block needs to run on its SM, or take up what it has; -ENOMEM. May be NULL
 * @issue: @block has its slot: have it advance from now on
 * @detach: it leaves its SM at the present time, with all its state kept in it. May be NULL
 * @release: free what it holds. May be NULL
 * @stop: it shall leave; true: it can now, false: block_stopped() will say when
 * @halt: its SM has been halted: it advances no more, and raises no more page faults, as long as it
 *   is there. NULL: it runs on, or stops by itself
 * @throttle: its field @throttled has changed: it fetches no more, and what it has issued ends; or
 *   it goes on. NULL: it runs on
 * @index: its number in the grid, where the block itself may say an older one. NULL: it never does
 * @context_bytes: of its state beyond registers and shared memory. May be NULL
 * @time_left: until it ends by itself; VGPU_NEVER: not known
 * @waits: enum vgpu_block_wait, at the end of the present slice. NULL: it never waits
 * @wait_left: until the faults that warps of @block, resident, wait for will have been served;
 *   VGPU_NEVER: not known. NULL: it never waits
 * @warps: of @block that have not exited. *@waiting: += those that wait for pages. NULL: not known
 * @in_flight: its instructions take effect after they have been issued, so it has to stop before it
 *   can be dropped
 * @repeats: may @block, as it is, be dropped and run again from its start? NULL: never
 * @restart: @block, off its SM, is one that has not begun: forget all that it has done
 * @ran: for how long @block has executed: what a restart does again
 * @expected: until it ends by itself, as far as it can be estimated; VGPU_NEVER: not at all
 * @executed: warp instructions that it has executed, in its present slice too. NULL: it has none
 * @stops_in: until it can leave its SM, beside what it has in flight. NULL: at once
 * @dirty: bytes of its context that it has written, @since: since its checkpoint, else since it
 *   began; the rest need not be saved. NULL: all of it
 * @checkpoint: save all that it has, off its SM for that; false: it cannot be. NULL: there is
 *   nothing that could be saved, as of the next three
 * @save_rest: it has left its SM; @increment: save what it has written since
 * @take_back: it is to go on: restore what was saved
 * @forget: what was saved is not needed any more
 */
struct vgpu_block_kind {
	const char *name;
	bool in_flight;
	void (*enter)(struct vgpu_sm *sm);
	void (*leave)(struct vgpu_sm *sm, const struct vgpu_block *block);
	int (*start)(struct vgpu_block *block);
	void (*issue)(struct vgpu_block *block);
	void (*detach)(struct vgpu_block *block);
	void (*release)(struct vgpu_block *block);
	bool (*stop)(struct vgpu_block *block);
	void (*halt)(struct vgpu_block *block);
	void (*throttle)(struct vgpu_block *block);
	u64 (*index)(const struct vgpu_block *block);
	u64 (*context_bytes)(const struct vgpu_block *block);
	u64 (*time_left)(const struct vgpu_block *block);
	enum vgpu_block_wait (*waits)(const struct vgpu_block *block);
	u64 (*wait_left)(const struct vgpu_block *block);
	u32 (*warps)(const struct vgpu_block *block, u32 *waiting);
	bool (*repeats)(const struct vgpu_block *block);
	void (*restart)(struct vgpu_block *block);
	u64 (*ran)(const struct vgpu_block *block);
	u64 (*expected)(const struct vgpu_block *block);
	u64 (*executed)(const struct vgpu_block *block);
	u64 (*stops_in)(const struct vgpu_block *block);
	u64 (*dirty)(const struct vgpu_block *block, bool since);
	bool (*checkpoint)(struct vgpu_block *block);
	void (*save_rest)(struct vgpu_block *block, bool increment);
	void (*take_back)(struct vgpu_block *block);
	void (*forget)(struct vgpu_block *block);
};

extern const struct vgpu_block_kind vgpu_block_compiled;
extern const struct vgpu_block_kind vgpu_block_pipelined;
extern const struct vgpu_block_kind vgpu_block_profiled;
extern const struct vgpu_block_kind vgpu_block_touching;

/**
 * struct vgpu_timing - a timing model: how the compiled blocks of an SM advance in time. That of
 * the configuration (timing), or, with timing_by_kernel, that of the launch whose blocks it has: an
 * SM changes when it is set up for a launch of the other one, and is empty then
 * @name: in the configuration
 * @kind: of compiled blocks
 * @stalls: does a block whose warps wait for pages have to stay on its SM until they have come?
 * @init: what an SM needs beside its struct vgpu_sm_run; -ENOMEM. NULL: nothing
 * @fini: free it. NULL: nothing
 * @come: the SM, which is empty, had another model until now. NULL: nothing is to be done
 * @step: sm->step is due: have the resident compiled blocks advance
 * @finish: the state of the blocks is to be that of the time at which sm->step is due
 * @halt: the SM has been halted. Returns when its blocks can leave, at the earliest
 * @quiet: it has been halted: can they leave now? If not, vgpu_sm_ops.sm_quiet() says when
 * @move: see vgpu_sm_move(); it sets sm->moving if it returns true
 * @stop_move: sm->moving is set, and what moves goes no further. NULL: @move always returns false
 */
struct vgpu_timing {
	const char *name;
	const struct vgpu_block_kind *kind;
	bool (*stalls)(const struct vgpu_config *config);
	int (*init)(struct vgpu_sm *sm);
	void (*fini)(struct vgpu_sm *sm);
	void (*come)(struct vgpu_sm *sm);
	void (*step)(struct vgpu_event *step);
	void (*finish)(struct vgpu_sm *sm);
	u64 (*halt)(struct vgpu_sm *sm);
	bool (*quiet)(const struct vgpu_sm *sm);
	bool (*move)(struct vgpu_sm *sm, const struct vgpu_block *block, u64 bytes);
	void (*stop_move)(struct vgpu_sm *sm);
};

/* timing.c: the model with this name, NULL: there is none; number @index for listings. */
const struct vgpu_timing *vgpu_timing_find(const char *name);
const struct vgpu_timing *vgpu_timing_at(unsigned int index);
/* The model whose compiled blocks are of @kind; NULL: @kind is none of those. */
const struct vgpu_timing *vgpu_timing_of(const struct vgpu_block_kind *kind);

/**
 * struct vgpu_parallel - SMs on several processors: where threads come from
 * @run, @hands, @turn, @lock, @unlock, @gives_way: see vgpu_host_ops.parallel and those behind it;
 *   NULL: there are none
 * @host: their first argument
 * @least: warp instructions that are worth handing to threads. An estimate, from what the kernel
 *   has executed before; fewer are executed one SM after the other
 *
 * Whether a host has them has no influence on results, times or traces; but in kernels with races
 * others may win (ahead.c).
 */
struct vgpu_parallel {
	void (*run)(void *host, u32 context, void (*run)(void *arg, u32 n),
		    void (*end)(void *arg, u32 n), void *arg, u32 count);
	bool (*hands)(void *host, u32 context);
	void (*turn)(void *host, u32 n);
	void (*lock)(void *host);
	void (*unlock)(void *host);
	bool (*gives_way)(void *host);
	void *host;
	u64 least;
};

/** struct vgpu_sm_env - what all SMs of a device have in common */
struct vgpu_sm_env {
	struct vgpu_sim *sim;
	struct vgpu_random *random;
	const struct vgpu_sm_ops *ops;
	void *engine;			/* of @ops */
	struct vgpu_native native;	/* where they have code from */
	struct vgpu_parallel parallel;	/* and threads */
	struct vgpu_watch watch;	/* who is told of what kernels do */
	struct vgpu_sm *sms;		/* all of them, by index */
	struct vgpu_sm **due;		/* room for as many: those that are executed together */
	u32 *put_off;			/* how many have a place of a slice that was put off */
	struct vgpu_memsys *memsys;	/* behind them; NULL: no SM has a pipeline */
	/* set by vgpu_sm_env_init(): ends of profiled blocks, of all SMs */
	void *ends;
	void *ends_memory;		/* as allocated */
	u32 ends_room;			/* slots, in whole cache lines */
};

/** struct vgpu_quota - what a launch may issue on an SM: warp instructions an epoch, scheduler */
struct vgpu_quota {
	u32 launch;
	u64 instructions;
};

/*
 * Why a warp scheduler issues nothing, with timing=pipeline (SMK 6.4): an instruction could be, but
 * units or queues are full; nothing that was fetched of its warps waits; all that waits has to wait
 * for operands.
 */
enum vgpu_stall { VGPU_STALL_ISSUE, VGPU_STALL_CONTROL, VGPU_STALL_DATA, VGPU_STALLS };

/** struct vgpu_throttled - a context that is throttled on an SM, and the @order in which it was */
struct vgpu_throttled {
	u32 context;
	u64 order;
};

/** struct vgpu_sm - one SM. Resident blocks hang on a list in issue order. */
struct vgpu_sm {
	/* What every block that comes and leaves looks at: two cache lines. */
	struct vgpu_sim *sim;
	const struct vgpu_config *config;
	const struct vgpu_sm_env *env;
	struct vgpu_ends *ends;		/* of profiled blocks */
	struct vgpu_list resident;
	u64 slots_used;			/* bit per slot */
	u32 resident_count;
	u32 throttled_count;
	u32 index;
	/* context registers, set by setup (Tanasic 5.2.1) */
	u32 context;			/* 0: never set up */
	struct vgpu_address_space *as;
	const struct vgpu_timing *timing;
	u64 instructions;		/* warp instructions executed since creation */
	u64 thread_instructions;	/* the same, each times the lanes that executed it */
	/* blocks of several launches, and contexts, may be resident: each block has its own */
	bool shared;
	bool moving;			/* as requests to memory: vgpu_sm_move() */
	/* no slice begins, and no access is made, any more; until the SM is empty */
	bool halted;
	bool waited;			/* a warp of @context has waited for a page here */
	bool quota_changed;		/* the timing model has not seen it yet */
	/* issue slots of launches (SMK 5.4), by vgpu_sm_set_quota() */
	u32 quota_count;
	struct vgpu_quota quota[VGPU_SM_KERNELS_MOST];
	/* contexts whose blocks fetch no instruction here (vgpu_sm_throttle()) */
	struct vgpu_throttled throttled[VGPU_SM_KERNELS_MOST];
	const struct vgpu_trace *trace;
	struct vgpu_event step;		/* next slice of compiled blocks */
	/*
	 * One for each address space that executes here, as far as there are some
	 * (vgpu_sm_share()): @tlb is that of the block that executed last
	 */
	struct vgpu_tlb *tlb;
	struct vgpu_tlb *tlbs[VGPU_SM_KERNELS_MOST];
	u32 tlb_count;
	u32 tlb_turn;			/* the next that serves another one */
	struct vgpu_sm_run *run;	/* what it executes compiled blocks with */
	struct vgpu_pipe *pipe;		/* the same */
	u32 traced_warps;		/* in the last VGPU_TRACE_SM_WARPS */
	u32 traced_waiting;
	u32 counted;			/* resident blocks whose launch is counted */
	u64 stalls[VGPU_STALLS];	/* cycles in which a warp scheduler issued nothing */
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

/* Memory that all SMs share; the caller has filled the rest of @env. -ENOMEM. */
int vgpu_sm_env_init(struct vgpu_sm_env *env, const struct vgpu_config *config);
void vgpu_sm_env_fini(struct vgpu_sm_env *env);
/* @sm is zero but for sim, trace, config and env. -ENOMEM, and then nothing is left of it. */
int vgpu_sm_init(struct vgpu_sm *sm, u32 index);
void vgpu_sm_fini(struct vgpu_sm *sm);
/* Load the context registers for @launch. The SM must be empty. */
void vgpu_sm_setup(struct vgpu_sm *sm, const struct vgpu_launch *launch);
/*
 * Blocks of other launches come beside those of @launch, which is the first; the SM must be empty.
 * Have TLBs for @contexts contexts, where there is memory for them: else they are used by turns.
 */
void vgpu_sm_share(struct vgpu_sm *sm, const struct vgpu_launch *launch, u32 contexts);
/*
 * Each warp scheduler of @sm issues up to @instructions warp instructions of launch @launch an
 * epoch (SMK 5.4): 0: as many as it can, its quota ends. When no launch with warps there has any
 * left, all get their quotas again. With timing=interval the instructions of a slice are divided
 * so. Launches beyond VGPU_SM_KERNELS_MOST have none.
 */
void vgpu_sm_set_quota(struct vgpu_sm *sm, u32 launch, u64 instructions);
/* The number of its quota; VGPU_SM_KERNELS_MOST: it has none. */
static inline u32 vgpu_sm_find_quota(const struct vgpu_sm *sm, u32 launch)
{
	for (u32 n = 0; n < sm->quota_count; n++)
		if (sm->quota[n].launch == launch)
			return n;
	return VGPU_SM_KERNELS_MOST;
}
/* The TLB that serves @as; if none does, the present one. */
static inline struct vgpu_tlb *vgpu_sm_tlb(const struct vgpu_sm *sm,
					   const struct vgpu_address_space *as)
{
	for (u32 n = 0; unlikely(sm->tlb->as != as) && n < sm->tlb_count; n++)
		if (sm->tlbs[n]->as == as)
			return sm->tlbs[n];
	return sm->tlb;
}
/* From now on sm->tlb serves @as. */
void vgpu_sm_serve(struct vgpu_sm *sm, struct vgpu_address_space *as);
/*
 * Make @block resident: a new one starts, a preempted one goes on where it stopped. -ENOMEM: no
 * memory for its state.
 */
int vgpu_sm_issue(struct vgpu_sm *sm, struct vgpu_block *block);
/*
 * Blocks that are issued between the two become resident at once, but the SM looks only at the end
 * which of them is the first to end.
 */
void vgpu_profiled_begin(struct vgpu_sm *sm);
void vgpu_profiled_end(struct vgpu_sm *sm);
/*
 * No compiled block begins another slice. A slice is executed ahead of the time it takes, so the
 * state of the blocks is that of the present time only when it has ended: returns when that is, and
 * what is scheduled for then from now on comes after it. Profiled blocks have no slices and run on;
 * those that touch memory stop at once.
 */
u64 vgpu_sm_halt(struct vgpu_sm *sm);
/*
 * From now on blocks of @context on @sm, those that come too, fetch no more; what they
 * have issued ends, with timing=interval the present slice. They stay resident, and may leave as
 * others. False: they are already, or it is one context too many.
 * @order: of the caller, to know the last from
 */
bool vgpu_sm_throttle(struct vgpu_sm *sm, u32 context, u64 order);
/* They go on. A no-op if they do. */
void vgpu_sm_unthrottle(struct vgpu_sm *sm, u32 context);
/* Are they? */
static inline bool vgpu_sm_throttles(const struct vgpu_sm *sm, u32 context)
{
	for (u32 n = 0; n < sm->throttled_count; n++)
		if (sm->throttled[n].context == context)
			return true;
	return false;
}
/* @block alone goes on, or is throttled */
void vgpu_block_throttle(struct vgpu_block *block, bool on);
/*
 * Can the blocks of @sm, which has been halted, leave it? With timing=interval they can at the time
 * that vgpu_sm_halt() has returned. With timing=pipeline nobody knows how long the memory takes to
 * answer: if they cannot, sm_quiet() says when.
 */
bool vgpu_sm_quiet(const struct vgpu_sm *sm);
/*
 * Execute all slices that are put off (ahead.c), now: before launches are stopped, and whatever
 * else changes what they would execute. Without threads there are none.
 */
void vgpu_sms_catch_up(const struct vgpu_sm_env *env);
/*
 * The same for one block, while its neighbours run on. true: it has stopped; false: block_stopped()
 * says when.
 */
bool vgpu_block_stop(struct vgpu_block *block);
/*
 * What the blocks of @sm have done is that of the time at which its present slice ends, whoever
 * executes it: before they are asked how far they are.
 */
void vgpu_sm_settle(struct vgpu_sm *sm);
/* May @block, on an SM, be dropped as it is and run again from its start? */
bool vgpu_block_repeats(const struct vgpu_block *block);
/* @block, which is on no SM, has not begun any more. */
void vgpu_block_restart(struct vgpu_block *block);
/*
 * How far @block, on an SM, is now, and the time until it has executed @instructions warp
 * instructions more than when it was at @mark: 0 if it has, else a guess by its rate so far, after
 * which to ask again. A kind without instructions executes one in a cycle.
 */
u64 vgpu_block_mark(const struct vgpu_block *block);
u64 vgpu_block_until(const struct vgpu_block *block, u64 mark, u64 instructions);
/* For how long @block, on an SM, has executed. */
u64 vgpu_block_ran(const struct vgpu_block *block);
/* counting.c: a block of @launch, which is counted, has come to @sm, or leaves it */
void vgpu_count_came(struct vgpu_sm *sm, const struct vgpu_launch *launch);
void vgpu_count_left(struct vgpu_sm *sm, const struct vgpu_launch *launch);
/* The resident block that was issued first, NULL: the SM is empty. */
static inline struct vgpu_block *vgpu_sm_first(const struct vgpu_sm *sm)
{
	return vgpu_list_first(&sm->resident, struct vgpu_block, node);
}
/* Which warps of @block wait for pages, wherever it is. */
static inline enum vgpu_block_wait vgpu_block_waits(const struct vgpu_block *block)
{
	const struct vgpu_block_kind *kind = block->launch->kind;

	return kind->waits ? kind->waits(block) : VGPU_WAIT_NONE;
}
/*
 * Until no resident block waits for a page, if none begins a slice from now on; VGPU_NEVER: not
 * known.
 */
u64 vgpu_sm_wait_time(const struct vgpu_sm *sm);
/* Until the last resident block ends by itself; VGPU_NEVER: not known. */
u64 vgpu_sm_drain_time(const struct vgpu_sm *sm);
/*
 * slice.c: where @launch is on @sm, for a fault that no instruction causes: block, thread and pc of
 * the first warp that can execute. false: no warp of it is there.
 */
bool vgpu_sm_find_thread(const struct vgpu_sm *sm, const struct vgpu_launch *launch,
			 struct vgpu_fault *fault);
/* Take @block off the SM with all its state kept in it, at the present time. */
void vgpu_sm_detach(struct vgpu_sm *sm, struct vgpu_block *block);
/*
 * Free what a block holds (of an ended or a never to be continued one); the struct itself is the
 * engine's.
 */
void vgpu_block_release(struct vgpu_block *block);
/* Free the states of ended blocks that the SM keeps for @memory, which pays for them. */
void vgpu_sm_drain_states(struct vgpu_sm *sm, const struct vgpu_mem_account *memory);
/*
 * @bytes, the state of @block, begin to move from @sm to memory, or to @sm if it is being restored,
 * beside the blocks that it executes, of any launch. One block moves at a time.
 *
 * true: as requests to memory, which those of the blocks compete with; vgpu_sm_ops.moved() says
 *   when the last has been answered.
 * false: it takes the time that the bytes take at the SM's share of the memory bandwidth, as the
 *   caller knows. They are part of what the next slice of the SM takes of that; where no slice is
 *   under way, they are nobody's.
 */
bool vgpu_sm_move(struct vgpu_sm *sm, const struct vgpu_block *block, u64 bytes);
/* What moves as requests stops; moved() is not called. A no-op if nothing does. */
void vgpu_sm_stop_move(struct vgpu_sm *sm);

/** struct vgpu_block_count - what a block has executed: warp instructions, and these times lanes */
struct vgpu_block_count {
	u64 instructions;
	u64 thread_instructions;
};

/* Since it was issued first, or since vgpu_block_count_again(). Profiled blocks execute nothing. */
struct vgpu_block_count vgpu_block_count(const struct vgpu_block *block);
void vgpu_block_count_again(struct vgpu_block *block);
/* The number in its grid of @block, which is on an SM. */
u64 vgpu_block_index(const struct vgpu_block *block);
/*
 * Bytes a context switch must save for @block: registers, shared memory, block state (Tanasic
 * 5.2.2).
 */
u64 vgpu_block_context_bytes(const struct vgpu_block *block);
/*
 * The part of these that @block has written, @since: since its checkpoint (PEP: Li et al., 3.1).
 */
u64 vgpu_block_dirty_bytes(const struct vgpu_block *block, bool since);
/* A base checkpoint is made of @block, which stands; false: there is no memory for it. */
bool vgpu_block_checkpoint(struct vgpu_block *block);
/* It has left its SM; @increment: and what it had written since is saved. */
void vgpu_block_save_rest(struct vgpu_block *block, bool increment);
/* It goes on with what was saved. */
void vgpu_block_take_back(struct vgpu_block *block);
/* What was saved is not needed. */
void vgpu_block_forget(struct vgpu_block *block);
/* block_profiled.c: as vgpu_block_kind.dirty, as its kernel says */
u64 vgpu_profiled_dirty(const struct vgpu_block *block, bool since);

/* ---- modules: verified code (verify.c, module.c) ------------------------ */

struct vgpu_module;

#define VGPU_UNWRITTEN_WORDS	4u	/* a bit for each register */

/**
 * struct vgpu_repeat - where a block may have done what cannot be done again (repeat.c)
 * @past: bit n: a lane that stands before instruction n may have. NULL: all may have, but those of
 *   a block that has not begun
 * @past_exit: one that has exited may have
 */
struct vgpu_repeat {
	u64 *past;
	bool past_exit;
};

/** struct vgpu_kernel - a verified kernel */
struct vgpu_kernel {
	struct vgpu_vass_kernel vass;
	u64 id;				/* unique on the device, from 1; handles are used again */
	const struct vgpu_insn *code;	/* vass.code_count, as verified */
	const char *name;
	struct vgpu_kernel_code *run;
	u64 launch_pool;		/* where it launches kernels (vgpu_launch.h); 0: nowhere */
	/* it accesses memory in an order that other blocks may rely on, beside atomics (ahead.c) */
	bool ordered;
	/* registers that it may read before it has written them (verify.h) */
	u64 unwritten[VGPU_UNWRITTEN_WORDS];
	u32 preds;	/* it names none from this one on, but PT */
	/* of launches whose parameters may point to the same, and of others (vgpu_launch.apart) */
	struct vgpu_repeat repeat[2];
};

static inline u64 vgpu_launch_pool_of(const struct vgpu_vass_kernel *vass)
{
	return vass->launch_pool[0] | (u64)vass->launch_pool[1] << 32;
}

/*
 * occupancy.c: of the launch of @kernel by @cmd, but for its parameters: is all of it within
 * limits, and has an SM room for a block? -EINVAL: it is not
 */
int vgpu_launch_check(const struct vgpu_config *config, const struct vgpu_kernel *kernel,
		      const struct vgpu_cmd_launch *cmd);
/* occupancy.c: @launch, zero at first, becomes one of @kernel by @cmd, with @params */
void vgpu_launch_shape(struct vgpu_launch *launch, const struct vgpu_kernel *kernel,
		       const struct vgpu_cmd_launch *cmd, const u8 *params);

u32 vgpu_module_bytes(const struct vgpu_module *module);	/* of the binary */
/* Bytes that vgpu_vass_load() allocated for it. */
u64 vgpu_module_memory(const struct vgpu_module *module);
u32 vgpu_module_kernel_count(const struct vgpu_module *module);
/* Give the kernels the ids behind *@last, which becomes the last of them. */
void vgpu_module_number(struct vgpu_module *module, u64 *last);
const struct vgpu_kernel *vgpu_module_kernel(const struct vgpu_module *module, u32 index);

/*
 * @launch is over, and has no block anywhere: the trace gets what its instructions have cost on @sm
 * (trace_lines), and the SM forgets it. A no-op for an SM that has not executed any of it.
 */
void vgpu_sm_report_lines(struct vgpu_sm *sm, const struct vgpu_launch *launch);
/* watch.c: @launch has ended; whoever watches is told, if he knows of it. */
void vgpu_watch_launch_end(const struct vgpu_watch *watch, struct vgpu_launch *launch);

/* The memory has something for @sm at @cycle, which is not yet over (vgpu_memsys_ops.wake). */
void vgpu_sm_answer(struct vgpu_sm *sm, u64 cycle);

/* ---- inside ------------------------------------------------------------- */

/*
 * Event of an SM with compiled blocks: interpret one slice of all of them, then time passes by what
 * it cost.
 */
void vgpu_compiled_step(struct vgpu_event *step);
/* block_profiled.c: draw how long a block of @launch runs, picoseconds, >= 1 */
u64 vgpu_profiled_time(struct vgpu_sm *sm, const struct vgpu_launch *launch);
/* block_profiled.c: may a block of @launch that has run for @ran of @total be dropped? */
bool vgpu_profiled_repeats(const struct vgpu_launch *launch, u64 ran, u64 total);
void vgpu_profiled_init(struct vgpu_sm *sm);
/* sm.c: warps of the blocks of @sm that have not exited. */
u32 vgpu_sm_warps(const struct vgpu_sm *sm);
/* sm.c: record how many of @warps wait for pages from now on. */
void vgpu_sm_trace_warps(struct vgpu_sm *sm, u32 warps);
/*
 * sm.c: take @block off the resident list of its SM and free its slot; it has ended or is being
 * detached.
 */
void vgpu_sm_remove(struct vgpu_sm *sm, struct vgpu_block *block);

#endif
