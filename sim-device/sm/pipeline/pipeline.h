/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: the pipeline of an SM (Tanasic 2.4, 6.2, table 6.1; docs/pipeline.md)
 *
 * The second timing model: cycle by cycle, what the stages of an SM do.
 *
 *   Fetch    the warp scheduler picks a warp; its next instructions enter the issue queue, which
 *            all warps share. A warp is not fetched of while a branch of it has not committed, or
 *            a memory instruction has not been issued: nothing is speculated
 *   Issue    the oldest instructions of the queue whose operands are free and whose unit is, up to
 *            issue_width a cycle, out of order also within a warp
 *   OpRead   the registers are read; that frees the sources for later writers
 *   Execute  as long as the unit takes; global memory: requests of a line each, one a cycle of
 *            each load/store unit, each with a TLB check, to the port (port.h)
 *   Commit   the result is in the register; that frees it
 *
 * In one cycle the stages work in the order Issue, Fetch, OpRead, and last all that ends in that
 * cycle: what a commit or a check frees can be used in the next one.
 *
 * DOC: values and their time
 *
 * What an instruction does is what the lanes do (lanes.h), one instruction a call; here is only the
 * time. An instruction that cannot fault, and reads no global memory, is executed when it reads its
 * operands: nobody can look at its result before it commits, because the scoreboard (scoreboard.c)
 * does not let him. An access to global memory has operands of its own from then on (struct
 * vgpu_pipe_access): the lanes execute a copy of the instruction on a small register file, on lines
 * that the memory has delivered or will be sent. Its result is copied to the warp when it commits.
 * So a register that is overwritten meanwhile is seen to be, when a scheme replays the access from
 * the register file.
 *
 * Branches, barriers and exits are executed when they commit: the front end of a warp (pc, active
 * lanes and reconvergence stack of struct vgpu_warp) always stands at the next instruction to
 * fetch.
 *
 * DOC: windows
 *
 * An event of an SM simulates a window of cycles ahead of time, at most as many as what leaves the
 * SM needs to reach another one, and ends earlier when the engine is to be told something. Cycles
 * in which nothing can happen are skipped, also whole windows. All SMs end their windows in the
 * same cycles.
 *
 * Windows of several SMs are executed together (together.c), if no block of them has to be reported
 * and no page of their memory can come or go. Where the host has threads, each may be on another.
 * All that a window does is then the SM's own, but for what stands behind vgpu_pipe_turn(), and its
 * end. These are made in the order of the SMs, so that nothing depends on the threads.
 *
 * In such windows a check of device memory that misses the TLB waits for the end: the MMU is asked
 * then, and answers for the cycle of the check. No answer comes earlier than that, as an L2 TLB
 * takes longer than a window. Meanwhile its access has left the queue of the load/store unit, if
 * all of its checks have begun (access->asked).
 *
 * DOC: leaving
 *
 * A block that shall leave, or an SM that is halted, fetches no more. What is in flight ends: what
 * has been issued and what still can be. Stores and atomics that have left the SM cannot be undone,
 * so a block is quiet only when the memory has answered; nobody knows when that is (sm.h:
 * vgpu_sm_quiet(), block_stopped()). With a preemptible scheme (scheme.h) what waits for a page
 * does not end but is kept to be replayed; without it the block stays until the page has come.
 */
#ifndef VGPU_PIPELINE_H
#define VGPU_PIPELINE_H

#include "../operands.h"
#include "../warps.h"
#include "access.h"
#include "choices.h"

#define VGPU_PIPE_SLOTS		64u	/* instructions of one warp in flight: bits of a word */
#define VGPU_PIPE_OPERANDS	(256u + VGPU_PREDS)	/* registers, then predicates */
#define VGPU_PIPE_NONE		0xffffu
#define VGPU_PIPE_SCHEDULERS	8u	/* most of one SM: the limit of warp_schedulers */
#define VGPU_PIPE_WHEEL		1024u	/* cycles; what is later waits in a list */
/* bytes: an address or datum of each lane */
#define VGPU_LOG_ENTRY		(VGPU_LANES * 8u)
#define VGPU_LOG_MOST		5u	/* entries of one access */

enum vgpu_pipe_unit {
	VGPU_UNIT_MATH,
	VGPU_UNIT_SPECIAL,
	VGPU_UNIT_LDST,
	VGPU_UNIT_BRANCH,
	VGPU_UNITS
};

/* struct vgpu_decoded.flags */
#define VGPU_DEC_CONTROL	0x01u	/* decides what is fetched next: executed at commit */
#define VGPU_DEC_SERIAL		0x02u	/* issued when nothing else of the warp is in flight */
#define VGPU_DEC_MEMORY		0x04u	/* in order with other memory instructions of the warp */
#define VGPU_DEC_GLOBAL		0x08u	/* ... and may access global memory: can fault */
#define VGPU_DEC_WRITES		0x10u	/* ... a store or an atomic */
#define VGPU_DEC_ACQUIRES	0x20u	/* the warp makes no access until it has committed */
#define VGPU_DEC_FENCE		0x40u	/* ends when the memory says so */
#define VGPU_DEC_DIVIDE		0x80u	/* holds its unit */
#define VGPU_DEC_ALONE		0x100u	/* sc_core: behind accesses of its warp in flight */

/** struct vgpu_decoded - what the pipeline must know of an instruction (decode.c) */
struct vgpu_decoded {
	struct vgpu_operands operands;
	u8 unit;		/* enum vgpu_pipe_unit */
	u16 flags;
	u16 cycles;		/* of Execute, without what memory takes */
};

enum vgpu_entry_state {
	VGPU_ENTRY_WAITING,	/* fetched, operands are not free */
	VGPU_ENTRY_READY,	/* they are: in the list of its unit */
	VGPU_ENTRY_REFUSED,	/* no room for the access */
	VGPU_ENTRY_ISSUED,	/* reads its operands in the next cycle */
	VGPU_ENTRY_EXECUTING,
	VGPU_ENTRY_FAULTED,	/* an access that waits for a page */
	VGPU_ENTRY_DONE,	/* with commits in order: waits for its turn */
};

/** enum vgpu_stage - cycles of an instruction, for traces */
enum vgpu_stage {
	VGPU_STAGE_FETCH,
	VGPU_STAGE_ISSUE,
	VGPU_STAGE_READ,
	VGPU_STAGE_EXECUTE,
	VGPU_STAGE_COMMIT,
	VGPU_STAGES
};

/** struct vgpu_pipe_entry - an instruction in flight: from its fetch to its commit */
struct vgpu_pipe_entry {
	struct vgpu_decoded d;
	const struct vgpu_insn *insn;
	struct vgpu_pipe_warp *warp;
	struct vgpu_pipe_access *access;	/* VGPU_DEC_GLOBAL, from OpRead on; or NULL */
	u64 age;		/* number of the fetch, of the SM */
	u64 wait_commit;	/* slots of the warp: what must commit before it is issued, */
	u64 wait_read;		/* ... what must have released its sources */
	u64 wait_alone;		/* ... accesses that must commit for no other reason than sc_core */
	u64 alone_since;	/* cycle since which it waits for these alone; NEVER: it does not */
	u64 commit_waiters;	/* who waits for this one so */
	u64 read_waiters;
	u32 pc;
	u32 active;		/* lanes, when it was fetched; logged: that execute it */
	u32 lanes;		/* that execute it, from OpRead on */
	u32 number;		/* in p->entries */
	u16 next;		/* in a list, or of the wheel */
	u16 prev;
	u16 follower;		/* issued in order: who waits for its issue */
	u8 slot;
	u8 state;		/* enum vgpu_entry_state */
	bool wait_store;	/* an earlier store of the warp has not left the SM */
	bool wait_issue;	/* in order: an earlier instruction has not been issued */
	bool released;		/* its sources are free */
	/* an access: it has passed its last TLB check; a fence: it is made */
	bool checked;
	bool retry;		/* the port was busy: its fence is to be made again */
	bool replayed;
	bool logged;		/* its operands are in the log */
	bool behind_write;	/* @alone_since: one of these is a store or an atomic */
	u32 jumps;		/* of its warp, when it was fetched */
	u8 log_count;
	u16 log[VGPU_LOG_MOST];	/* entries of the log of its block */
	u64 stage[VGPU_STAGES];
};

/** struct vgpu_replay - what is to be executed again */
struct vgpu_replay {
	u32 pc;
	u32 active;
	bool logged;
	u8 log_count;
	u16 log[VGPU_LOG_MOST];
};

/* struct vgpu_pipe_warp.held: why a warp is not fetched of */
#define VGPU_HELD_CONTROL	0x01u	/* a branch has not committed */
#define VGPU_HELD_MEMORY	0x02u	/* a memory instruction: until the scheme lets go */
#define VGPU_HELD_FAULT		0x04u	/* it has faulted */
#define VGPU_HELD_BARRIER	0x08u
#define VGPU_HELD_STOP		0x10u	/* its block is to leave */
#define VGPU_HELD_EXITED	0x20u
#define VGPU_HELD_DRAIN		0x40u	/* until nothing is in flight */
#define VGPU_HELD_SLOTS		0x80u	/* as much is in flight as can be */
#define VGPU_HELD_CODE		0x100u	/* its next instruction is not in the instruction cache */
#define VGPU_HELD_THROTTLE	0x200u	/* its context is throttled on the SM */

/** struct vgpu_pipe_warp - a warp in the pipeline; part of the state of its block */
struct vgpu_pipe_warp {
	struct vgpu_warp *w;
	struct vgpu_block *block;
	u32 index;		/* in p->warps, while it is resident */
	u32 held;
	u64 order;		/* of arrival: the oldest has the least */
	u64 slots;		/* in use */
	u32 in_flight;		/* instructions; as many as slots */
	u32 queued;		/* of these, those that have not been issued */
	u32 moving;		/* of these, those that can go on without a page */
	u32 unsent;		/* stores and atomics that have not left the SM */
	u16 store_waiter;	/* the access that waits for these */
	u16 last_unissued;	/* in order: the youngest */
	u32 jumps;		/* branches executed */
	bool code_came;		/* the line that it was held for, since it was fetched of */
	bool waiting;		/* preemptible: w->waiter waits for a page */
	u32 stalled;		/* stall: accesses that wait for pages */
	u32 replay_next;
	u32 replay_count;
	u16 entry[VGPU_PIPE_SLOTS];	/* by slot */
	u8 writer[VGPU_PIPE_OPERANDS];	/* slot + 1 of the last one in flight that writes it */
	u64 readers[VGPU_PIPE_OPERANDS];	/* slots of those that have not read it */
	struct vgpu_replay replay[VGPU_PIPE_SLOTS];
};

/** struct vgpu_pipe_block - the pipeline's part of a block's state */
struct vgpu_pipe_block {
	u32 in_flight;		/* instructions of all warps */
	u32 moving;
	bool stopping;		/* it fetches no more */
	bool stored;		/* it has stored since the last fence of its own */
	bool fencing;		/* a fence of its own is under way */
	bool moved;		/* it has been on an SM before */
	u32 warps;
	u32 log_entries;	/* of its partition of the operand log */
	u32 log_used;
	u64 log_map[64];	/* a bit for each that is in use */
	u8 *log;
	struct vgpu_pipe_warp warp[];
};

/** struct vgpu_pipe_list - of entries, the oldest first */
struct vgpu_pipe_list {
	u16 first;
	u16 last;
};

struct vgpu_frame_known {
	u64 page;
	u32 context;
	u64 frame;
};

#define VGPU_FRAMES_KNOWN	256u

/** struct vgpu_pipe_move - the state of a block that moves (move.c); sm->moving: there is one */
struct vgpu_pipe_move {
	u64 line;		/* of the save area: the next to be asked for */
	u64 left;		/* bytes from there on */
	u32 flying;		/* requests that have not been answered */
	u64 due;		/* ... or will have been in this cycle */
	bool save;
	struct vgpu_counters *counters;	/* of the launch of the block */
	bool turn;		/* its next request comes before that of the load/store unit */
	bool ended;		/* and the engine has not been told */
};

/** struct vgpu_pipe - the pipeline of an SM */
struct vgpu_pipe {
	struct vgpu_sm *sm;
	const struct vgpu_config *config;
	const struct vgpu_fault_scheme *scheme;
	const struct vgpu_warp_scheduler *scheduler;
	const struct vgpu_issue_order *order;
	struct vgpu_port *port;
	u64 cycle;		/* the first that has not been simulated */
	u32 window;
	/* ids of the launches whose blocks came last, as many as may be here at a time, 0: none */
	u32 kernels[VGPU_SM_KERNELS_MOST];
	u32 kernel_turn;
	bool cut;		/* the window ends after this cycle */
	bool fpu;		/* between vgpu_fpu_begin() and _end() */
	u64 next;		/* the first cycle in which something can happen, at its end */
	bool unfenced;		/* ... and the port was busy for a fence of a block */
	/* what the TLB does not have, the MMU is asked for at its end */
	bool defers;
	struct vgpu_pipe_ask *asks;
	u32 ask_count;
	bool apart;		/* others may be at theirs, and it is not its turn */
	u32 place;		/* among them */
	struct vgpu_work *worker;	/* for whom instructions have been executed in it */
	u64 work;		/* units */
	u64 ages;
	u64 orders;
	/* warps */
	struct vgpu_pipe_warp **warps;
	u32 warp_room;
	u32 warp_words;
	u64 *used;		/* a bit for each place */
	u64 *fetchable;		/* ... of a warp that can be fetched of */
	u32 fetchable_count;
	u32 last_warp[VGPU_PIPE_SCHEDULERS];	/* fetched of, by scheduler */
	struct vgpu_pipe_quotas *quotas;	/* NULL: there never was one (quota.c) */
	struct vgpu_pipe_lines *lines;	/* of launches; NULL: nothing is counted (lines.c) */
	struct vgpu_code_cache *code;	/* NULL: every fetch finds its line */
	u64 code_due;		/* when the next line comes */
	/* instructions */
	struct vgpu_pipe_entry *entries;
	u32 entry_count;
	u16 free_entries;
	u32 queued;		/* fetched and not issued */
	u32 queued_of[VGPU_PIPE_SCHEDULERS];	/* the same, of warps of a scheduler */
	struct vgpu_pipe_list ready[VGPU_UNITS];
	u32 ready_count;
	struct vgpu_pipe_list refused;
	struct vgpu_pipe_list reading;
	u32 units[VGPU_UNITS];
	u64 special_free;	/* from when on */
	u64 shared_free;
	/* what ends when: entries, then lines of accesses that wait for translations */
	u16 *wheel;		/* VGPU_PIPE_WHEEL lists */
	u64 wheel_used[VGPU_PIPE_WHEEL / 64];
	u16 *line_next;		/* of lines, as entry.next */
	u64 *due;		/* of both */
	u16 far;		/* list */
	u64 far_first;		/* least due in it */
	/* accesses */
	struct vgpu_pipe_access *accesses;
	void *access_memory;
	u32 access_count;
	struct vgpu_pipe_access *free_accesses;
	u32 accesses_free;
	struct vgpu_pipe_access *lsu_first;
	struct vgpu_pipe_access *lsu_last;
	/* lines that are ready to be sent: access * VGPU_LANES + line; NONE: dropped meanwhile */
	u16 *send;		/* ring of send_room */
	u32 send_room;
	u32 send_first;
	u32 send_count;
	bool busy;		/* the port takes nothing before the next response */
	/* the first access of the queue waits for a miss register of the TLB */
	u64 check_from;		/* no check before this cycle; 0: it does not wait */
	u64 waits_since;
	u64 waited;		/* cycles; of the check that is made */
	bool woken;		/* stall: pages of accesses have come */
	struct vgpu_frame_known *frames;
	struct vgpu_address_space *as;	/* that the TLB serves */
	/* what the lanes execute accesses with */
	struct vgpu_tlb_entry *no_tlb;
	u16 *no_cost;
	struct vgpu_warp *scratch;
	const struct vgpu_block *entered;
	struct vgpu_pipe_access *atomic;	/* with which those that have left are executed */
	struct vgpu_mem_atomic leaving;	/* the one that is being sent */
	u8 *staging;		/* a line */
	struct vgpu_pipe_move move;
	u8 *move_lines;		/* what a save stores, and what stands for the save area */
};

static inline struct vgpu_pipe_block *vgpu_pipe_block(const struct vgpu_block *block)
{
	return block->warps->extra;
}

static inline struct vgpu_pipe_entry *vgpu_pipe_entry(struct vgpu_pipe *p, u32 number)
{
	return &p->entries[number];
}

/* code_cache.c */
int vgpu_code_cache_init(struct vgpu_pipe *p);
void vgpu_code_cache_fini(struct vgpu_pipe *p);
/* Is the next instruction of @pw in the instruction cache? If not, it is held until it is. */
bool vgpu_code_is_there(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw);
/* p->code_due is now. */
void vgpu_code_comes(struct vgpu_pipe *p);

/* decode.c */
void vgpu_pipe_decode(const struct vgpu_config *config, const struct vgpu_insn *insn,
		      struct vgpu_decoded *d);

/* scoreboard.c: entries, their operands and the lists of what can be issued */
/*
 * A new entry, of which there is a free one and a free slot of @pw. @more: flags beside those of
 * the opcode; @replay: it comes from there, or NULL. The caller says what else it waits for, and
 * calls vgpu_pipe_try().
 */
struct vgpu_pipe_entry *vgpu_pipe_enter(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw,
					u32 pc, u32 active, u32 more,
					const struct vgpu_replay *replay);
/* It may be issued if it waits for nothing. */
void vgpu_pipe_try(struct vgpu_pipe *p, struct vgpu_pipe_entry *e);
/* The sources of @e are free. A no-op if they are already. */
void vgpu_pipe_release(struct vgpu_pipe *p, struct vgpu_pipe_entry *e);
/* @e is in flight no more: its operands are free, whoever waits for it need not. */
void vgpu_pipe_leave(struct vgpu_pipe *p, struct vgpu_pipe_entry *e);
/* An earlier store of the warp has left the SM. */
void vgpu_pipe_store_sent(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw);
void vgpu_pipe_list_add(struct vgpu_pipe *p, struct vgpu_pipe_list *list,
			struct vgpu_pipe_entry *e);
void vgpu_pipe_list_remove(struct vgpu_pipe *p, struct vgpu_pipe_list *list,
			   struct vgpu_pipe_entry *e);
/* There is room again for accesses that were refused. */
void vgpu_pipe_admit_again(struct vgpu_pipe *p);

/* issue.c: Issue. When there is something to issue, or to read: VGPU_NEVER: not known */
void vgpu_pipe_issue(struct vgpu_pipe *p);
/* Nothing is issued for so many cycles, of whatever warp: count why. */
void vgpu_pipe_stall(struct vgpu_pipe *p, u64 cycles);
u64 vgpu_pipe_next_issue(const struct vgpu_pipe *p);
/* stalls.c: scheduler @n issues nothing, for @stall: count for whom, and why */
void vgpu_pipe_count_stall(const struct vgpu_pipe *p, u32 n, enum vgpu_stall stall, u64 cycles);

/* The scheduler of the warp in place @index: they are given to schedulers by turns. */
static inline u32 vgpu_pipe_scheduler_of(const struct vgpu_pipe *p, u32 index)
{
	return index & (p->config->warp_schedulers - 1);
}

static inline bool vgpu_pipe_has_warps(const struct vgpu_pipe *p)
{
	u64 used = 0;

	for (u32 word = 0; word < p->warp_words; word++)
		used |= p->used[word];
	return used;
}

/* Bits of the places of scheduler @n in each word of a map of warps; it has 64 bits. */
static inline u64 vgpu_pipe_places_of(const struct vgpu_pipe *p, u32 n)
{
	return ~0ull / ((2ull << (p->config->warp_schedulers - 1)) - 1) << n;
}

/* quota.c: issue slots of kernels side by side (SMK 5.4) */
void vgpu_pipe_quotas_fini(struct vgpu_pipe *p);
/* sm->quota has changed. Where there is no memory for it, nobody has quotas. */
void vgpu_pipe_quotas_update(struct vgpu_pipe *p);
/* A warp has come to its place, or is about to leave it. */
void vgpu_pipe_quotas_come(struct vgpu_pipe *p, const struct vgpu_pipe_warp *pw);
void vgpu_pipe_quotas_go(struct vgpu_pipe *p, const struct vgpu_pipe_warp *pw);
/*
 * Scheduler @n may fetch of some of the warps that it can fetch of: quotas are given again if that
 * is due. false: none, in this cycle.
 */
bool vgpu_pipe_quotas_let(struct vgpu_pipe *p, u32 n);
/* Warps in @word of the map that scheduler @n may not fetch of. */
u64 vgpu_pipe_quotas_barred(const struct vgpu_pipe *p, u32 n, u32 word);
/* An instruction of @pw has been fetched. */
void vgpu_pipe_quotas_count(struct vgpu_pipe *p, const struct vgpu_pipe_warp *pw);

/* lines.c: issues and stalls of each instruction of a launch (trace_lines) */
/* A block of @launch has come. Where there is no memory for its counts, it has none. */
void vgpu_lines_come(struct vgpu_pipe *p, const struct vgpu_launch *launch);
void vgpu_lines_issue(struct vgpu_pipe *p, const struct vgpu_pipe_entry *e);
/* Scheduler @n issues nothing for so many cycles; @why: as it is counted for the SM. */
void vgpu_lines_stall(struct vgpu_pipe *p, u32 n, enum vgpu_stall why, u64 cycles);
void vgpu_lines_fini(struct vgpu_pipe *p);

/* frontend.c: Fetch, and what holds it */
void vgpu_pipe_fetch(struct vgpu_pipe *p);
void vgpu_pipe_hold(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw, u32 why);
void vgpu_pipe_let_go(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw, u32 why);
static inline void vgpu_pipe_fetch_on(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	vgpu_pipe_let_go(p, e->warp, VGPU_HELD_MEMORY);
}

/* execute.c: OpRead and Execute of what accesses no global memory, Commit of all */
void vgpu_pipe_read(struct vgpu_pipe *p);
void vgpu_pipe_commit(struct vgpu_pipe *p, struct vgpu_pipe_entry *e);
/* One instruction of @pw by the lanes on its own registers; @lanes execute it. */
enum vgpu_lanes_end vgpu_pipe_run(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw, u32 pc,
				  u32 lanes);
/* The front end of @pw executes up to @budget instructions; 0: it only reconverges. */
void vgpu_pipe_run_control(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw, u32 budget);
void vgpu_pipe_enter_block(struct vgpu_pipe *p, const struct vgpu_block *block);
/* @pw did what ends its context. */
void vgpu_pipe_fatal(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw, u32 pc);
void vgpu_pipe_lanes_begin(struct vgpu_pipe *p);
void vgpu_pipe_lanes_end(struct vgpu_pipe *p);

/* wheel.c: what ends when */
void vgpu_pipe_at(struct vgpu_pipe *p, u32 number, u64 cycle);
/* The next number that is due at @cycle, the present one; VGPU_PIPE_NONE: there is no other. */
u32 vgpu_pipe_due(struct vgpu_pipe *p, u64 cycle);
/* @number, which is in the wheel, is not to end any more. */
void vgpu_pipe_undo(struct vgpu_pipe *p, u32 number);
u64 vgpu_pipe_next_due(const struct vgpu_pipe *p);

/* replay.c: faults */
void vgpu_pipe_faulted(struct vgpu_pipe *p, struct vgpu_pipe_entry *e);
/* Nothing of @pw, which is held, can go on without a page: keep what is left to be replayed. */
void vgpu_pipe_settle(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw);
/* Forget all that @pw has in flight. */
void vgpu_pipe_discard(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw);
struct vgpu_page_waiter *vgpu_pipe_waiter(struct vgpu_pipe_access *access);

/* together.c: windows of several SMs */
/* What @p does from now on may concern others: it is its turn. */
void vgpu_pipe_wait_turn(struct vgpu_pipe *p);
static inline void vgpu_pipe_turn(struct vgpu_pipe *p)
{
	if (unlikely(p->apart))
		vgpu_pipe_wait_turn(p);
}
/* What is counted from now on is counted for @worker; NULL: nothing is. */
void vgpu_pipe_pay(struct vgpu_pipe *p, struct vgpu_work *worker);
/* The window of @p, and with it those of other SMs that begin before its end. */
void vgpu_pipe_run_windows(struct vgpu_pipe *p);

/* pipeline.c: windows */
/* It begins at @time, or later */
void vgpu_pipe_begin(struct vgpu_pipe *p, u64 time);
/* The first cycle behind the window in which p->cycle is */
u64 vgpu_pipe_window_until(const struct vgpu_pipe *p);
/* Its cycles, and what follows them */
void vgpu_pipe_window(struct vgpu_pipe *p);
void vgpu_pipe_window_end(struct vgpu_pipe *p);
/* Would the engine be told something at its beginning? */
bool vgpu_pipe_reports(struct vgpu_pipe *p);
extern const struct vgpu_timing vgpu_timing_pipeline;
/* Time passes here: a window begins at @cycle, or earlier. */
void vgpu_pipe_kick(struct vgpu_pipe *p, u64 cycle);
void vgpu_pipe_leave_block(struct vgpu_sm *sm, const struct vgpu_block *block);

/* block_pipelined.c */
int vgpu_pipe_init(struct vgpu_sm *sm);
void vgpu_pipe_fini(struct vgpu_sm *sm);
/* Is nothing of @block in flight that has to end before it can leave? */
bool vgpu_pipe_block_quiet(const struct vgpu_block *block);
void vgpu_pipe_stop(struct vgpu_pipe *p, struct vgpu_block *block);

/* move.c: blocks that leave or come as requests to memory: struct vgpu_timing, @move, @stop_move */
bool vgpu_pipe_move(struct vgpu_sm *sm, const struct vgpu_block *block, u64 bytes);
void vgpu_pipe_stop_move(struct vgpu_sm *sm);
/* Its next request goes to the port now, before those of accesses. */
bool vgpu_pipe_move_wants(const struct vgpu_pipe *p);
void vgpu_pipe_move_send(struct vgpu_pipe *p);
/* @response may be to one of its requests. */
void vgpu_pipe_move_answered(struct vgpu_pipe *p, const struct vgpu_mem_response *response);
/* Has it ended in the present cycle? When it has something to do next; VGPU_NEVER: not known */
void vgpu_pipe_move_cycle(struct vgpu_pipe *p);
u64 vgpu_pipe_move_next(const struct vgpu_pipe *p);
/* Tell the engine that it has ended, if it has. */
void vgpu_pipe_move_report(struct vgpu_pipe *p);

/* trace.c */
/* @e ends in the present cycle; @flags: VGPU_TRACED_SQUASHED, _FAULTED. */
void vgpu_pipe_trace(struct vgpu_pipe *p, const struct vgpu_pipe_entry *e, u32 flags);
/* trace.c: those of the access of @e that has been answered with @response, which has a path */
void vgpu_pipe_trace_messages(struct vgpu_pipe *p, const struct vgpu_pipe_entry *e,
			      const struct vgpu_mem_response *response);

/* Lanes of @w whose predicate lets them execute @i. */
static inline u32 vgpu_pipe_guarded(const struct vgpu_warp *w, const struct vgpu_insn *i)
{
	return w->preds[i->guard & 63] ^ (0u - (i->guard >> 6 & 1u));
}

#endif
