/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: the memory hierarchy (Tanasic 2.1, 2.3, table 6.1)
 *
 * With timing=pipeline a load, store or atomic of global memory goes through an L1 data cache of
 * its SM, the interconnect, a partition of the L2 cache and DRAM. Caches carry data: a load returns
 * what the hierarchy delivers at its time, a stale line of an L1 included. Behind it are the bytes
 * of the frames. Shared, local and parameter memory, and pages that are used in place
 * (mmu/access.h), never come here.
 *
 *   SM ── struct vgpu_l1d: virtual tags, write-through, no allocation by stores, MSHRs
 *          │ outbox: in the order of time            ▲ inbox: responses in the order of time
 *          ▼ interconnect: icnt_cycles and bytes per cycle of each port, in each direction
 *   L2 partitions: physical tags, write-back, write-allocate with byte masks; atomics execute here
 *          ▼ DRAM: dram_cycles, memory_bandwidth shared equally by the partitions
 *
 * Time here is in cycles of the device's clock, counted from time 0: all rooms that model cycles
 * use the same ones. vgpu_cycle_time() is when one begins in picoseconds.
 *
 * DOC: windows
 *
 * An SM simulates cycles [C, C + W) in one event, which fires at vgpu_cycle_time(C); W is
 * vgpu_memsys_window(), the latency of the interconnect in one direction. What it sends in its
 * window reaches L2 at C + W or later, and what L2 sends reaches an SM W cycles later. So
 *
 *   - the responses that reach an SM in [C, C + W) are all in its inbox when its window begins;
 *   - L2 handles requests in the order of (cycle of arrival, SM, order of sending): it handles
 *     those that have arrived at the present time, when all windows that could send more are over.
 *
 * A window does, in this order for each cycle c: vgpu_l1d_response(l1, c) until NULL, then
 * vgpu_l1d_access() with cycle c for each line of a warp instruction. Cycles never go back. Between
 * two windows of one SM nothing but the hooks below touches its L1. At its end the window calls
 * vgpu_l1d_submit(). All that access() and response() touch is the L1's own: windows of different
 * SMs may run at the same time on several threads; the other functions are the actor's.
 *
 * An SM that has nothing to do before the next response schedules its next window at
 * vgpu_l1d_next(), and none if that is VGPU_NEVER; the hierarchy calls wake() when a response has
 * come into the inbox of an SM, at least W cycles before it is due.
 *
 * DOC: order
 *
 * What the SM has to do (the protocol "gpu"):
 *
 *   - Two accesses of one SM to the same bytes take effect in the order of their calls of access().
 *     A warp makes its accesses to the same address in the order of its program.
 *   - RELEASE and ACQ_REL accesses: first a FENCE with order RELEASE and the same scope; when that
 *     is done, the access itself.
 *   - ACQUIRE and ACQ_REL accesses: the warp makes no further access until the response has come.
 *     vgpu_l1d_response() has then invalidated the L1 as the scope demands.
 *   - FENCE: the warp makes none either until it is done. It waits for all accesses that the SM has
 *     made before, whichever warp made them (what others of the block have done before a barrier is
 *     released, too). Loads that the warp itself has not handed in yet it cannot know.
 *   - A block ends, and is taken off its SM, when vgpu_l1d_idle() or a FENCE with scope SYS after
 *     its last access is done. Before a kernel begins on an SM, and before a block comes to an SM
 *     that has run elsewhere, vgpu_l1d_invalidate().
 *
 * What the hierarchy does then is what PTX's memory model says: L2 is the only place where writes
 * take effect for others, each at once for all. A store has taken effect when its response comes.
 */
#ifndef VGPU_MEMSYS_H
#define VGPU_MEMSYS_H

#include "../compression/traffic.h"
#include "../sim/sim.h"
#include "../vgpu_model.h"
#include "vgpu_isa.h"

#define VGPU_LINE_SHIFT		7u
#define VGPU_LINE		(1u << VGPU_LINE_SHIFT)	/* bytes of a line, of every cache */
#define VGPU_SECTOR		32u			/* bytes: the least that crosses a port */

struct vgpu_memsys;
struct vgpu_l1d;

/* ---- cycles ------------------------------------------------------------- */

/** vgpu_cycle_time - when @cycle begins, in picoseconds, rounded up */
u64 vgpu_cycle_time(const struct vgpu_config *config, u64 cycle);
/** vgpu_cycle_at - the cycle that is running at @time: vgpu_cycle_time() of it is @time at most */
u64 vgpu_cycle_at(const struct vgpu_config *config, u64 time);
/** vgpu_cycle_from - the first cycle that begins at @time or later */
u64 vgpu_cycle_from(const struct vgpu_config *config, u64 time);

/* ---- accesses of an SM -------------------------------------------------- */

enum vgpu_mem_kind {
	VGPU_MEM_LOAD,
	VGPU_MEM_STORE,
	VGPU_MEM_ATOMIC,
	VGPU_MEM_FENCE,		/* no address */
	VGPU_MEM_KINDS
};

/** enum vgpu_mem_class - what messages between L1s and L2 are counted as */
enum vgpu_mem_class {
	VGPU_CLASS_LOAD,	/* a line for a load */
	VGPU_CLASS_STORE,	/* a store, its answer */
	VGPU_CLASS_ATOMIC,	/* an atomic, its answer */
	VGPU_CLASS_REQUEST,	/* a load asks */
	VGPU_CLASS_RENEW,	/* a longer lease */
	VGPU_CLASS_INVALIDATE,	/* L1s drop a line because of an access, or all at a rollover */
	VGPU_CLASS_RECALL,	/* the same, because L2 needs its place */
	VGPU_MEM_CLASSES
};

/**
 * struct vgpu_mem_atomic - the lanes of an atomic that are in one line
 * @apply: execute it on the VGPU_LINE bytes at @line, lane 0 first, and set @old. Called once, from
 *   an event of the hierarchy. It may bracket itself with vgpu_fpu_begin() and vgpu_fpu_end(), and
 *   touches nothing but these bytes and *@atomic
 * @executor: for @apply: who executes; it outlives the access
 * @lanes: a bit for each lane that takes part
 * @op: for @apply
 * @bytes: of each lane: 4, 8 or 16
 * @no_return: nobody needs @old: the response carries no data
 * @offset: in the line, of each lane, a multiple of @bytes
 * @a, @b: operands
 * @old: result: what was there before
 * @high: of 16 bytes the upper halves of @a, @b and @old; nobody looks at it otherwise
 */
struct vgpu_mem_atomic {
	void (*apply)(struct vgpu_mem_atomic *atomic, u8 *line);
	void *executor;
	u32 lanes;
	u32 op;
	u8 bytes;
	bool no_return;
	u8 offset[32];
	u64 a[32];
	u64 b[32];
	u64 old[32];
	u64 high[3][32];
};

/* *@to becomes what *@from is, without what nobody looks at. */
static inline void vgpu_mem_atomic_copy(struct vgpu_mem_atomic *to,
					const struct vgpu_mem_atomic *from)
{
	memcpy(to, from, from->bytes == 16 ? sizeof(*to) : offsetof(struct vgpu_mem_atomic, high));
}

/**
 * struct vgpu_mem_access - the part of one instruction of one warp that is in one line
 * @cycle: when it is at the L1: not before that of the access before, one access a cycle
 * @address: virtual, of any byte of the line
 * @frame: number of the frame in the table of frames (struct vgpu_access_answer); 0: the page has
 *   none and reads as zero, and is not written
 * @line: the VGPU_LINE bytes of the line in the frame. The hooks below take it back
 * @mask: a bit for each byte of the line that is loaded, stored or changed; not 0 but for a FENCE
 * @data: STORE: VGPU_LINE bytes, aligned to 8, of which those in @mask count; copied
 * @atomic: ATOMIC: copied
 * @owner: to whom the response goes; NULL: to nobody, the hierarchy frees it
 * @cookie: for the owner
 * @counters: of the launch that makes it, on its SM; NULL: it is not counted
 * @kind: enum vgpu_mem_kind
 * @order, @scope, @cache: enum vgpu_order, vgpu_scope, vgpu_cache of the instruction. Of a FENCE
 *   the order is ACQUIRE, RELEASE, ACQ_REL or SC
 */
struct vgpu_mem_access {
	u64 cycle;
	u64 address;
	u64 frame;
	u8 *line;
	u64 mask[2];
	const u8 *data;
	const struct vgpu_mem_atomic *atomic;
	void *owner;
	u64 cookie;
	struct vgpu_counters *counters;
	u8 kind;
	u8 order;
	u8 scope;
	u8 cache;
};

/** enum vgpu_mem_result - what became of an access */
enum vgpu_mem_result {
	/*
	 * a load hits, a fence has nothing to wait for, or a store is of a line that this L1 alone
	 * has (mesi): no response comes
	 */
	VGPU_MEM_DONE,
	/* a response will come */
	VGPU_MEM_SENT,
	/*
	 * no MSHR, or no room in the queue to L2: nothing has happened. The access may be tried
	 * again at vgpu_l1d_next(), not earlier: then another access has ended, which may be one
	 * without an owner. Accesses of its warp to the same bytes must not overtake it
	 */
	VGPU_MEM_BUSY,
};

/**
 * struct vgpu_mem_answer - of an access that is DONE
 * @cycle: when the data are there, a fence is done
 * @data: LOAD: the VGPU_LINE bytes of the line at @access->cycle; valid until the next call for
 *   this L1; STORE: NULL
 */
struct vgpu_mem_answer {
	u64 cycle;
	const u8 *data;
};

/**
 * vgpu_l1d_access - make an access; the SM's, in a window
 * @answer: DONE: filled; else untouched
 */
enum vgpu_mem_result vgpu_l1d_access(struct vgpu_l1d *l1, const struct vgpu_mem_access *access,
				     struct vgpu_mem_answer *answer);

/**
 * struct vgpu_mem_path - the messages that an access has caused
 * @sent, @arrived, @left: cycles: at the L1, through the port of L2, out of that
 * @asked, @answered: enum vgpu_message
 * @invs: other L1s that were told to drop the line
 */
struct vgpu_mem_path {
	u64 sent;
	u64 arrived;
	u64 left;
	u16 invs;
	u8 asked;
	u8 answered;
};

/**
 * struct vgpu_mem_response - the end of an access that was SENT
 * @owner, @cookie: as in the access
 * @cycle: when it has come
 * @sent: @cycle of the access
 * @kind: enum vgpu_mem_kind
 * @aborted: the protocol has refused it: it has had no effect and @data is not set. The protocol
 *   "gpu" never does that
 * @data: LOAD: VGPU_LINE bytes, of which those in the access's mask count
 * @atomic: ATOMIC: that of the access, with @old
 * @path: its messages; NULL: it had none of its own, or the protocol is "gpu"
 */
struct vgpu_mem_response {
	void *owner;
	u64 cookie;
	u64 cycle;
	u64 sent;
	u8 kind;
	bool aborted;
	const u8 *data;
	const struct vgpu_mem_atomic *atomic;
	const struct vgpu_mem_path *path;
};

/**
 * vgpu_l1d_response - the next response that has come by @cycle; the SM's, in a window
 *
 * Responses come in the order of their cycles. Stores have one, too: then the store has taken
 * effect for all SMs. NULL: no other has come. It is valid until the next call for this L1.
 */
const struct vgpu_mem_response *vgpu_l1d_response(struct vgpu_l1d *l1, u64 cycle);

/**
 * vgpu_l1d_next - when vgpu_l1d_response() has something to do next; VGPU_NEVER: not known
 *
 * What is before the end of the present window is final. Later ones may move, and others may come
 * before them.
 */
u64 vgpu_l1d_next(const struct vgpu_l1d *l1);

/** vgpu_l1d_submit - the window is over: what it has sent is on its way. Actor */
void vgpu_l1d_submit(struct vgpu_l1d *l1);

/** vgpu_l1d_idle - has the SM no access in flight? Fences and stores count */
bool vgpu_l1d_idle(const struct vgpu_l1d *l1);

/**
 * vgpu_l1d_serve - accesses from now on are those of @context
 *
 * The L1 has lines of kernels_per_sm contexts at most, and never gives those of one to another:
 * with one more, it has none any more of the one that came first.
 */
void vgpu_l1d_serve(struct vgpu_l1d *l1, u32 context);
/**
 * vgpu_l1d_invalidate - the L1 has no line any more; what is in flight does not enter it
 *
 * When a kernel begins, and when a block has come that ran elsewhere.
 */
void vgpu_l1d_invalidate(struct vgpu_l1d *l1);
/** vgpu_l1d_refresh - the same for the lines of the present context only */
void vgpu_l1d_refresh(struct vgpu_l1d *l1);
/**
 * vgpu_l1d_disown - @owner goes: its accesses in flight take effect, and nobody hears of it
 * @owner: NULL: all owners
 */
void vgpu_l1d_disown(struct vgpu_l1d *l1, const void *owner);

/* ---- the hierarchy of a device ------------------------------------------ */

/**
 * struct vgpu_memsys_ops - callbacks of who stands above
 * @wake: a response for SM @sm is due at @cycle, W cycles from now or later: a window must begin
 *   then, or earlier. Called from events of the hierarchy. NULL: who drives the L1s looks for
 *   responses by himself
 * @line: what an access of DRAM to line @line of frame @frame costs (compression/traffic.h).
 *   @halves: bit n: the n-th 64 bytes of it; @write: they have been written there. Called where
 *   vgpu_memsys_compresses() has said so
 */
struct vgpu_memsys_ops {
	void (*wake)(void *owner, u32 sm, u64 cycle);
	void (*line)(void *owner, u64 frame, u32 line, u32 halves, bool write,
		     struct vgpu_line_traffic *traffic);
};

/**
 * vgpu_memsys_create - the hierarchy that @config describes, with nothing in it
 * @config: valid (vgpu_config_check()), with timing=pipeline; outlives the hierarchy
 * @owner: argument of @ops
 *
 * Returns 0 or -ENOMEM. All memory for accesses in flight is allocated here; no access allocates.
 */
int vgpu_memsys_create(struct vgpu_sim *sim, const struct vgpu_config *config,
		       const struct vgpu_memsys_ops *ops, void *owner, struct vgpu_memsys **out);
/** vgpu_memsys_compresses - ask @line as long as @frames, which outlives the hierarchy, is not 0 */
void vgpu_memsys_compresses(struct vgpu_memsys *memsys, const u64 *frames);
/** vgpu_memsys_destroy - whatever is in flight is dropped, dirty lines too. NULL: a no-op */
void vgpu_memsys_destroy(struct vgpu_memsys *memsys);
/** vgpu_memsys_l1d - the L1 of SM @sm */
struct vgpu_l1d *vgpu_memsys_l1d(struct vgpu_memsys *memsys, u32 sm);
/** vgpu_memsys_window - W: cycles of a window at most, >= 1 */
u32 vgpu_memsys_window(const struct vgpu_memsys *memsys);

/**
 * vgpu_memsys_apart - may windows of several SMs run at the same time, on several threads?
 *
 * Not if the protocol has messages, which all L1s take from one pool. With "gpu" alone they may.
 */
bool vgpu_memsys_apart(const struct vgpu_memsys *memsys);

/* ---- hooks: for everybody else who touches frames ------------------------ */

/**
 * vgpu_memsys_flush - the bytes of a frame are about to be read or written behind the hierarchy
 * @frame: its number
 * @write: they are written: L2 keeps no line of it
 *
 * Afterwards all that SMs have sent before the present time is in the frame's bytes: accesses to it
 * that are in flight have had their effect, in the order in which they would have reached L2 (their
 * time does not change), and no line of it is dirty. L1s keep what they have. Takes no virtual
 * time. Actor, while no window runs on another thread.
 */
void vgpu_memsys_flush(struct vgpu_memsys *memsys, u64 frame, bool write);
/**
 * vgpu_memsys_forget - the same, and the frame goes: nothing in the hierarchy refers to it or to
 * its bytes any more, L1s included. Its page may have another one (vgpu_memsys_replace())
 */
void vgpu_memsys_forget(struct vgpu_memsys *memsys, u64 frame);
/**
 * vgpu_memsys_replace - a page that has been read will have another frame
 *
 * What is written there comes after what was read in its former one, also in logical time. The
 * former frame may stay, as that of other pages. Actor, as above.
 */
void vgpu_memsys_replace(struct vgpu_memsys *memsys);
/** vgpu_memsys_flush_all - write all dirty lines of L2 back; they stay, clean */
void vgpu_memsys_flush_all(struct vgpu_memsys *memsys);

/* ---- statistics --------------------------------------------------------- */

/**
 * struct vgpu_memsys_stats - since the hierarchy was created; vgpu_stats.h describes the members
 */
struct vgpu_memsys_stats {
	u64 l1_hits;
	u64 l1_misses;
	u64 l1_merged;
	u64 l1_busy;
	u64 l2_hits;
	u64 l2_misses;
	u64 l2_stall_cycles;
	u64 atomics;
	u64 dram_read;
	u64 dram_written;
	u64 stores;
	u64 cycles[VGPU_MEM_KINDS];
	u64 flits[VGPU_MEM_CLASSES];
	u64 l1_expired;
	u64 l1_renewed;
	u64 l1_line_wait;
	u64 l2_fetch_wait;
	u64 l2_lease_wait;
	u64 l2_ack_wait;
	u64 l2_room_wait;
	u64 rollovers;
	u64 logical_time;
};

void vgpu_memsys_stats(const struct vgpu_memsys *memsys, struct vgpu_memsys_stats *stats);

#endif
