/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: coherence protocols as values
 *
 * A protocol is two tables, for a line of an L1 and for a line of L2: in this state, on this event,
 * an action is done. An action changes the state of the line, of its L1 and of its partition, sends
 * messages, and says what has to be done with the bytes of the line. It knows no SM, no event queue
 * and no bytes: who uses a protocol (the *host*) keeps lines, MSHRs, queues and data. The tables
 * are so the same in a device and in the explorer of tests/unit/protocol, which tries everything
 * that may happen in any order.
 *
 * What a host does, for each line that an L1 has or has asked for. Before each access and each
 * event at L2 it asks if a lease has run out (vgpu_coh_l1_expire(), vgpu_coh_l2_expire()).
 *
 *   - vgpu_coh_l1() with LOAD, STORE, ATOMIC_OP for an access, EVICT for a line that has to go, and
 *     the messages that come from L2;
 *   - vgpu_coh_l2() with the requests that come from L1s, FETCHED when DRAM has been read, EVICT;
 *   - vgpu_coh_fence() for a fence.
 *
 * Each returns what happened in struct vgpu_coh_out. STALL: nothing has changed but predictions,
 * and the same event may be tried again later. A request that stalls at L2 holds up those behind it
 * in its channel.
 *
 * Messages of one virtual network between one L1 and one partition stay in order, if the host's
 * network keeps order; ->network says in which each kind of message travels. Nothing else is
 * assumed of a network, and protocols with @unordered do not even assume this.
 *
 * Logical time is the protocol's, physical time (@cycle) the host's: it never goes back, and is the
 * same in all caches.
 *
 * DOC: purge
 *
 * A page that is freed or moved, an SM that takes a context, a rollover: vgpu_coh_purge_l1() and
 * vgpu_coh_purge_l2() take the bytes away from a line, whatever its state. What is in flight is
 * still answered, but does not enter the L1. The host purges L2 only in a stable state of the line,
 * and when no THROUGH of it is on its way.
 */
#ifndef VGPU_PROTOCOL_H
#define VGPU_PROTOCOL_H

#include "../../platform.h"

#define VGPU_COH_SENDS		1u	/* messages of one action, besides INV to many */
#define VGPU_COH_STATES		16u	/* of a table at most */
#define VGPU_COH_NETWORKS	5u

/** enum vgpu_coh_event - what may happen to a line; from GETS on they are messages, too */
enum vgpu_coh_event {
	/* at an L1: a warp's access, its line has to make room, its lease has run out */
	VGPU_COH_LOAD,
	VGPU_COH_STORE,
	VGPU_COH_ATOMIC_OP,
	/* at both */
	VGPU_COH_EVICT,
	VGPU_COH_EXPIRE,
	/* at L2: DRAM has been read */
	VGPU_COH_FETCHED,
	/* L1 to L2 */
	VGPU_COH_GETS,		/* the line, to read: its data or a longer lease */
	VGPU_COH_WRITE,		/* bytes of it, to be written */
	VGPU_COH_UPGRADE,	/* the same, and the L1 has a lease of the line (TC) */
	VGPU_COH_ATOMIC,	/* to be executed at L2 */
	VGPU_COH_THROUGH,	/* a write by the owner, done already (MESI) */
	VGPU_COH_INV_ACK,	/* the L1 has dropped it */
	/* L2 to L1 */
	VGPU_COH_DATA,		/* the bytes, for a GETS; what was there before, for an ATOMIC */
	VGPU_COH_DATA_E,	/* the same, and nobody else has it (MESI) */
	VGPU_COH_RENEW,		/* a longer lease, no bytes */
	VGPU_COH_ACK,		/* the write has been done */
	VGPU_COH_ACK_GLOBAL,	/* the same, but others see it when its cycle has come (TCW) */
	VGPU_COH_INV,		/* drop the line */
	VGPU_COH_EVENTS
};

/** enum vgpu_coh_action - bits: what the host has to do with the bytes and with those who wait */
enum vgpu_coh_action {
	VGPU_COH_STALL = 1u << 0,	/* nothing has happened: try again */
	VGPU_COH_IMPOSSIBLE = 1u << 1,	/* the table has no such entry: a defect */
	VGPU_COH_ROLLOVER = 1u << 2,	/* as STALL, and the timestamps have to be rolled over */
	/* at an L1 */
	VGPU_COH_HIT = 1u << 3,		/* the line answers the load; the store is done */
	VGPU_COH_MERGE = 1u << 4,	/* the load waits with request @leader of the line */
	VGPU_COH_FILL = 1u << 5,	/* the line takes the bytes of the message */
	VGPU_COH_UPDATE = 1u << 6,	/* the line takes the bytes of the store */
	VGPU_COH_DROP = 1u << 7,	/* the line has no bytes any more */
	VGPU_COH_ANSWER = 1u << 8,	/* the access of the message is done, with its bytes */
	VGPU_COH_ANSWER_LINE = 1u << 9,	/* the same, with those of the line */
	VGPU_COH_MERGED = 1u << 10,	/* and so are the loads that wait with it */
	VGPU_COH_RETRY_MERGED = 1u << 11,	/* those have to be made again */
	/* at L2 */
	VGPU_COH_FETCH = 1u << 12,	/* read DRAM; FETCHED comes then */
	VGPU_COH_WBACK = 1u << 13,	/* write the line to DRAM */
	VGPU_COH_APPLY = 1u << 14,	/* the write or atomic of the message takes effect */
	VGPU_COH_KEEP = 1u << 15,	/* the message waits in the MSHR of the line */
	VGPU_COH_APPLY_KEPT = 1u << 16,	/* the one that waits takes effect */
	/* @send goes to all that wait instead, with their id, core, kind and held */
	VGPU_COH_ANSWER_KEPT = 1u << 17,
	VGPU_COH_ENTER = 1u << 18,	/* what has been fetched comes around what was written */
	VGPU_COH_INV_NOW = 1u << 19,	/* INV happens in all L1s in this instant (sc-ideal) */
};

/**
 * struct vgpu_coh_message - between an L1 and L2
 * @now: a request: clock of its L1
 * @exp: GETS: end of the lease of the bytes that the L1 still has; a response: of the lease given
 * @ver: a response: when it was written, or read
 * @id: the host's: whose request it is
 * @core: the L1
 * @kind: enum vgpu_coh_event
 * @of: a response: @kind of its request
 * @epoch: rollovers of the sender
 * @held: GETS: @exp counts; copied into the response
 */
struct vgpu_coh_message {
	u64 now;
	u64 exp;
	u64 ver;
	u32 id;
	u16 core;
	u8 kind;
	u8 of;
	u8 epoch;
	bool held;
};

/**
 * struct vgpu_coh_core - of an L1
 * @read_now, @write_now: its logical time, as loads and as stores have it. RCC keeps them equal
 * @visible: physical time when all its writes are seen by all (TCW)
 * @epoch: rollovers
 */
struct vgpu_coh_core {
	u64 read_now;
	u64 write_now;
	u64 visible;
	u8 epoch;
};

/**
 * struct vgpu_coh_l1_line - of a line in an L1, and of its MSHR; all 0: not there
 * @exp: end of its lease
 * @leader: request with which loads may merge
 * @reads, @writes: requests in flight; of @writes those that write or are atomic
 * @renewals: of @reads those that say that the bytes are still there
 * @held: the bytes are there, and @exp is theirs
 * @stale: what comes is from before a purge: it does not enter
 */
struct vgpu_coh_l1_line {
	u64 exp;
	u32 leader;
	u16 reads;
	u16 writes;
	u16 renewals;
	u8 state;
	bool held;
	bool stale;
};

/**
 * struct vgpu_coh_l2_line - of a line in L2, and of its MSHR; all 0: not there
 * @ver: time of the last write
 * @exp: end of the last lease
 * @last_read, @last_write: the latest clocks of those who wait for DRAM
 * @sharers: bit n: L1 n, or n + 64 ..., may have it
 * @owner: the only L1 that may have it, and writes without asking (MESI); the holder (TC)
 * @acks: INV_ACKs that have not come
 * @waits: kind of the request that waits for these
 * @lease: index of the predicted lease
 * @dirty: DRAM has not what it has
 * @readers, @writers: somebody waits in its MSHR to read; it has been written there
 */
struct vgpu_coh_l2_line {
	u64 ver;
	u64 exp;
	u64 last_read;
	u64 last_write;
	u64 sharers;
	u16 owner;
	u16 acks;
	u8 waits;
	u8 state;
	u8 lease;
	bool dirty;
	bool readers;
	bool writers;
};

/**
 * struct vgpu_coh_partition - of a partition of L2; all 0 at the beginning
 * @mnow: no line that is not in L2 has been written, or has a lease, at or after this time
 * @epoch: rollovers
 * @ring: enum vgpu_coh_ring_state
 * @origin: STALLED, FLUSHING: partition that rolls over
 * @flushes: FLUSHING: L1s that have not answered
 * @longer: TC with @predicts: by how much its leases are longer than @lease of the setup
 */
struct vgpu_coh_partition {
	u64 mnow;
	s64 longer;
	u16 origin;
	u16 flushes;
	u8 epoch;
	u8 ring;
};

/** enum vgpu_coh_fault - a defect put in on purpose, for tests that have to find it */
enum vgpu_coh_fault {
	VGPU_COH_SOUND,
	VGPU_COH_WRITE_IN_LEASE,	/* a write does not go behind the last lease */
	VGPU_COH_EVICT_FORGETS,		/* eviction leaves mnow as it is */
	VGPU_COH_EVICT_AT_LEASE,	/* mnow is the end of the lease, not after it */
	VGPU_COH_RENEW_DROPPED,		/* the bytes go while a renewal is in flight */
};

/**
 * struct vgpu_coh_setup - numbers of a protocol in use; they do not change
 * @cores, @partitions: how many there are
 * @lease: physical: cycles; logical: fixed lease, 0: predicted
 * @limit: largest logical time; beyond it, rollover
 * @predicts: TC: each partition makes its leases longer and shorter, from @lease on
 * @as_published: RCC with the tables of the thesis, which are not sequentially consistent
 * @lease_on_hit: RCC: a predicted lease doubles with each read at L2, not only when renewed
 * @fault: enum vgpu_coh_fault
 */
struct vgpu_coh_setup {
	u32 cores;
	u32 partitions;
	u64 lease;
	u64 limit;
	bool predicts;
	bool as_published;
	bool lease_on_hit;
	u8 fault;
};

/**
 * struct vgpu_coh_out - what an event did
 * @actions: enum vgpu_coh_action
 * @sends: 0 or 1: @send is sent, to L2 from an L1, to @send.core from L2
 * @invs: bit n: INV is sent to L1 n, n + 64, ... but not to @inv_but
 * @inv_but: 0: to all; else core + 1
 * @until: STALL: no use before this cycle; 0: not known
 */
struct vgpu_coh_out {
	u32 actions;
	u32 sends;
	struct vgpu_coh_message send;
	u64 invs;
	u32 inv_but;
	u64 until;
};

/**
 * struct vgpu_coh_l1_step - the arguments of an action at an L1
 * @in: the message; of an access @id and @core alone count
 */
struct vgpu_coh_l1_step {
	const struct vgpu_coh_setup *setup;
	struct vgpu_coh_core *core;
	struct vgpu_coh_l1_line *line;
	const struct vgpu_coh_message *in;
	u64 cycle;
	struct vgpu_coh_out *out;
};

/** struct vgpu_coh_l2_step - the same at L2. @in: FETCHED: not used */
struct vgpu_coh_l2_step {
	const struct vgpu_coh_setup *setup;
	struct vgpu_coh_partition *partition;
	struct vgpu_coh_l2_line *line;
	const struct vgpu_coh_message *in;
	u64 cycle;
	struct vgpu_coh_out *out;
};

typedef void (*vgpu_coh_l1_action)(struct vgpu_coh_l1_step *step);
typedef void (*vgpu_coh_l2_action)(struct vgpu_coh_l2_step *step);

/**
 * struct vgpu_coh_fenced - what a fence waits for, and does
 * @wait: for physical time: the fence is tried again at @until
 * @drain: for all that the L1 has sent
 * @drop: then the L1 loses all its lines, by vgpu_coh_purge_l1()
 */
struct vgpu_coh_fenced {
	bool wait;
	bool drain;
	bool drop;
	u64 until;
};

/** struct vgpu_coh_l1_cell - of a table: an action and the next state, unless that chooses it */
struct vgpu_coh_l1_cell {
	vgpu_coh_l1_action action;
	u8 next;
};

struct vgpu_coh_l2_cell {
	vgpu_coh_l2_action action;
	u8 next;
};

#define VGPU_COH_CHOSEN	0xffu	/* next: the action sets the state itself, or leaves it */

/**
 * struct vgpu_coh_protocol - a protocol
 * @name: of the configuration
 * @l1, @l2: the tables. A cell without action: cannot happen
 * @l1_states, @l2_states: names of states; @l1_stable, @l2_stable: how many of them, the first
 *   ones, are stable. State 0 is that of a line that is not there
 * @networks: virtual networks; @network: of each message, 0 to @networks - 1
 * @sequential: on cores with one access a warp in flight it is sequentially consistent
 * @unordered: and also if messages of a network overtake each other
 * @clocked: its leases are of physical time
 * @rolls: its timestamps roll over
 * @l1_expired, @l2_expired: has the lease run out? NULL: lines have none
 * @fence: see vgpu_coh_fence(). NULL: nothing to do
 * @tick: time goes on for an L1 although nothing has happened; the host does this now and then, so
 *   that a warp which only reads sees what others write at last. NULL: not needed
 * @purge_l2: the line goes without a WBACK; nothing waits in its MSHR. NULL: it becomes all 0
 */
struct vgpu_coh_protocol {
	const char *name;
	struct vgpu_coh_l1_cell l1[VGPU_COH_STATES][VGPU_COH_EVENTS];
	struct vgpu_coh_l2_cell l2[VGPU_COH_STATES][VGPU_COH_EVENTS];
	const char *l1_states[VGPU_COH_STATES];
	const char *l2_states[VGPU_COH_STATES];
	u8 l1_stable;
	u8 l2_stable;
	u8 networks;
	u8 network[VGPU_COH_EVENTS];
	u8 closed;	/* L1 state of a purged line with requests in flight: nothing hits */
	bool sequential;
	bool unordered;
	bool clocked;
	bool rolls;
	bool (*l1_expired)(const struct vgpu_coh_l1_step *step);
	bool (*l2_expired)(const struct vgpu_coh_l2_step *step);
	void (*fence)(const struct vgpu_coh_setup *setup, struct vgpu_coh_core *core, u64 cycle,
		      struct vgpu_coh_fenced *fenced);
	void (*tick)(struct vgpu_coh_core *core);
	void (*purge_l2)(const struct vgpu_coh_setup *setup, struct vgpu_coh_partition *partition,
			 struct vgpu_coh_l2_line *line);
};

extern const struct vgpu_coh_protocol vgpu_coh_gpu, vgpu_coh_gpu_vi, vgpu_coh_mesi, vgpu_coh_rcc,
	vgpu_coh_rcc_wo, vgpu_coh_sc_ideal, vgpu_coh_tcs, vgpu_coh_tcw;

/** vgpu_coh_find - the protocol @name; NULL: there is none */
const struct vgpu_coh_protocol *vgpu_coh_find(const char *name);

/** vgpu_coh_l1 - @event happens to a line of an L1; fills *@step->out */
void vgpu_coh_l1(const struct vgpu_coh_protocol *protocol, enum vgpu_coh_event event,
		 struct vgpu_coh_l1_step *step);
/** vgpu_coh_l2 - the same for a line of L2 */
void vgpu_coh_l2(const struct vgpu_coh_protocol *protocol, enum vgpu_coh_event event,
		 struct vgpu_coh_l2_step *step);
/** vgpu_coh_l1_expire - EXPIRE, if the lease has run out. Returns if it has; fills *@step->out */
bool vgpu_coh_l1_expire(const struct vgpu_coh_protocol *protocol, struct vgpu_coh_l1_step *step);
/** vgpu_coh_l2_expire - the same for a line of L2 */
bool vgpu_coh_l2_expire(const struct vgpu_coh_protocol *protocol, struct vgpu_coh_l2_step *step);
/** vgpu_coh_fence - a warp of @core is at a fence that is not for its block alone */
void vgpu_coh_fence(const struct vgpu_coh_protocol *protocol, const struct vgpu_coh_setup *setup,
		    struct vgpu_coh_core *core, u64 cycle, struct vgpu_coh_fenced *fenced);

/*
 * The L1 has the line no more: nothing hits until it has been asked for again. The bytes stay where
 * they are as long as @line->renewals says that a load in flight will be answered with them.
 */
void vgpu_coh_purge_l1(const struct vgpu_coh_protocol *protocol, struct vgpu_coh_l1_line *line);
/* L2 has it no more. What was dirty is the host's to write, or not. */
void vgpu_coh_purge_l2(const struct vgpu_coh_protocol *protocol,
		       const struct vgpu_coh_setup *setup, struct vgpu_coh_partition *partition,
		       struct vgpu_coh_l2_line *line);

/* ---- for tables ---------------------------------------------------------- */

/* Send a request of @kind for the access of @step, which is of the L1's line. */
void vgpu_coh_request(struct vgpu_coh_l1_step *step, enum vgpu_coh_event kind);
/* Reply to the message of @step, or to all that wait (ANSWER_KEPT). */
void vgpu_coh_reply(struct vgpu_coh_l2_step *step, enum vgpu_coh_event kind);
/* Actions that many tables have */
void vgpu_coh_l1_hit(struct vgpu_coh_l1_step *step);
void vgpu_coh_l1_merge(struct vgpu_coh_l1_step *step);
void vgpu_coh_l1_stall(struct vgpu_coh_l1_step *step);
void vgpu_coh_l1_drop(struct vgpu_coh_l1_step *step);
/* GETS, with which later loads may merge; GETS for this load alone */
void vgpu_coh_l1_gets(struct vgpu_coh_l1_step *step);
void vgpu_coh_l1_gets_alone(struct vgpu_coh_l1_step *step);
void vgpu_coh_l1_write(struct vgpu_coh_l1_step *step);
void vgpu_coh_l1_atomic(struct vgpu_coh_l1_step *step);
void vgpu_coh_l2_stall(struct vgpu_coh_l2_step *step);

static inline bool vgpu_coh_pending(const struct vgpu_coh_l1_line *line)
{
	return line->reads || line->writes;
}

#endif
