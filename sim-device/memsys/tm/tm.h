/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: transactional memory with eager conflict detection: GETM (thesis 002, chapter 4)
 *
 * The units of GETM as values. Each partition of L2 has a validation unit, a stall buffer and a
 * commit unit, which together are a struct vgpu_tm_unit; each warp has a struct vgpu_tm_warp. They
 * know no SM, no event queue and no bytes: who uses them (the *host*) carries messages, keeps logs
 * and data, and charges time for the accesses to tables that are counted. The same files so run in
 * a device and in the explorer of tests/unit/tm, which tries all orders of messages.
 *
 *	warp.h		at the core: warpts, backoff
 *	validation.h	figure 4.6: an access is validated, waits, or aborts its transaction
 *	commit.h	logs are coalesced and unlock what was written
 *	rollover.h	timestamps begin at 0 again
 *	precise.h, approximate.h, stall.h, h3.h: tables of these
 *
 * What a host does:
 *
 *   - For each transactional access that has no conflict inside its warp: vgpu_tm_warp_request()
 *     at the core, vgpu_tm_access() at the partition of the granule, vgpu_tm_warp_answer() with
 *     what that says. SUCCESS of a load: it returns the bytes of L2 in that instant, and over them
 *     what the log of its thread has.
 *   - At the end of an attempt, when all answers are there, the log goes to the partitions, that of
 *     threads that aborted without data, and vgpu_tm_warp_end() follows. Nobody waits.
 *   - A log entry is for vgpu_tm_commit_add(). vgpu_tm_commit_drain() takes a region, whose bytes
 *     the host writes in the same instant if it commits.
 *   - vgpu_tm_retry() until it is false, after each region that has left. It may take its time, and
 *     other accesses may come between: then after each of them, too.
 *
 * Messages from one core to one partition stay in order: a log is before the requests of the
 * next transaction. Nothing else is assumed of the network.
 *
 * DOC: timestamps
 *
 * Tables and units compare *stamps*: a logical time and VGPU_TM_ID_BITS below it, which the rule
 * chooses. A larger stamp is later, 0 is before all.
 *
 *   as published	stamp of a request: (ts, 0); wts of its write: (ts + 1, 0)
 *   strict		(ts, 1); (ts + 1, 1). A store also fails if another warp has read at ts
 *   unique		(ts, wid + 1); (ts, wid + 2): any two warps differ
 */
#ifndef VGPU_TM_H
#define VGPU_TM_H

#include "../../platform.h"

#define VGPU_TM_WAYS		4u	/* at most, of each table */
#define VGPU_TM_ID_BITS		16u
#define VGPU_TM_TIME_MOST	(1ull << (63 - VGPU_TM_ID_BITS))

/** enum vgpu_tm_rule - what happens with equal timestamps; see docs/transactions.md */
enum vgpu_tm_rule {
	VGPU_TM_UNIQUE,		/* there are none: the id of the warp decides */
	VGPU_TM_STRICT,		/* a store needs to be later than all reads of others */
	VGPU_TM_AS_PUBLISHED,	/* figure 4.6: not serialisable */
	VGPU_TM_RULES
};

/** enum vgpu_tm_fault - a defect put in on purpose, for tests that have to find it */
enum vgpu_tm_fault {
	VGPU_TM_SOUND,
	VGPU_TM_STORE_KEEPS_WTS,	/* a store does not raise wts */
	VGPU_TM_LOAD_KEEPS_RTS,		/* a load does not raise rts */
	VGPU_TM_EVICT_FORGETS,		/* what leaves the precise table is not in the other one */
	VGPU_TM_LOCK_FIRST,		/* the lock is tested before the timestamps */
	VGPU_TM_OWNER_IS_WARP,		/* a lock of the warp's last attempt is its own, too */
	VGPU_TM_ABORT_KEEPS_LOCK,	/* the log of an aborted thread does not unlock */
	VGPU_TM_RETRY_UNLOCKED,		/* who waits is tried again only when nobody has the lock */
	VGPU_TM_CHAIN_LOSES,		/* the last entry of a chain of displacements is lost */
	VGPU_TM_ROLL_EARLY,		/* a rollover does not wait for logs in flight */
	VGPU_TM_FAULTS
};

/**
 * struct vgpu_tm_setup - sizes and rules; they do not change. Tables are those of one partition
 * @seed: of the hashes
 * @limit: largest timestamp; beyond it, rollover
 * @precise_ways, @precise_rows: cuckoo table; @stash: entries beside it
 * @overflow: entries in memory, for what has no place in both. An access that finds no place at
 *   all aborts: as many as all logs can lock is enough
 * @probes: displacements of an insertion at most
 * @evict_percent: from how full a table on an insertion evicts unlocked entries before it displaces
 * @approximate_ways, @approximate_rows: recency Bloom filter
 * @stall_lines, @stall_entries: addresses of the stall buffer, requests of each
 * @commit_regions: of the ring buffer of the commit unit
 * @backoff: cycles: after the nth abort in a row an attempt waits below @backoff * 2^n cycles, n
 *   at most @backoff_doublings; 0: not at all
 * @rule: enum vgpu_tm_rule
 * @fault: enum vgpu_tm_fault
 */
struct vgpu_tm_setup {
	u64 seed;
	u64 limit;
	u32 cores;
	u32 partitions;
	u32 precise_ways;
	u32 precise_rows;
	u32 stash;
	u32 overflow;
	u32 probes;
	u32 evict_percent;
	u32 approximate_ways;
	u32 approximate_rows;
	u32 stall_lines;
	u32 stall_entries;
	u32 commit_regions;
	u32 backoff;
	u32 backoff_doublings;
	u8 rule;
	u8 fault;
};

/* Table 4.2; docs/transactions.md says which values are not from there */
extern const struct vgpu_tm_setup vgpu_tm_getm;

/**
 * struct vgpu_tm - a setup in use
 * @h3: matrices of the hashes, those of the cuckoo table first: a row for each bit of a granule
 * @at_*: where arrays of a unit begin, in bytes; @bytes: of a unit
 */
struct vgpu_tm {
	struct vgpu_tm_setup setup;
	u32 h3[2 * VGPU_TM_WAYS][64];
	u32 at_stash;
	u32 at_overflow;
	u32 at_approximate;
	u32 at_lines;
	u32 at_waiters;
	u32 at_regions;
	u32 bytes;
};

/** vgpu_tm_check - what is wrong with @setup, and what would be right; NULL: nothing */
const char *vgpu_tm_check(const struct vgpu_tm_setup *setup);
/** vgpu_tm_init - @setup, which is checked, is in use */
void vgpu_tm_init(struct vgpu_tm *tm, const struct vgpu_tm_setup *setup);

/* ---- messages ------------------------------------------------------------- */

enum vgpu_tm_kind { VGPU_TM_LOAD, VGPU_TM_STORE };

/**
 * struct vgpu_tm_request - an access, core to partition
 * @granule: number of the region that it touches, which has metadata of its own
 * @ts: warpts
 * @id: the host's
 * @wid: global number of the warp, 65533 at most
 * @kind: enum vgpu_tm_kind
 * @epoch: rollovers of the warp
 */
struct vgpu_tm_request {
	u64 granule;
	u64 ts;
	u32 id;
	u16 wid;
	u8 kind;
	u8 epoch;
};

enum vgpu_tm_result {
	VGPU_TM_SUCCESS,
	VGPU_TM_ABORT,		/* the transaction has to */
	VGPU_TM_QUEUED,		/* in the stall buffer: the answer comes from vgpu_tm_retry() */
	VGPU_TM_STALLED,	/* a rollover: the same request again later, others behind it */
	VGPU_TM_DROPPED,	/* a rollover: the warp begins again, nobody is answered */
	VGPU_TM_ROLLOVER,	/* the same, and VGPU_TM_RING_BEGIN has to happen */
};

/** enum vgpu_tm_cause - of an abort, as figure 4.6 names them */
enum vgpu_tm_cause {
	VGPU_TM_NO_CAUSE,
	VGPU_TM_WAR,		/* a load, of what a later transaction has written */
	VGPU_TM_WAW,		/* a store, the same */
	VGPU_TM_RAW,		/* a store, of what a later transaction has read */
	VGPU_TM_STALL_FULL,	/* no place in the stall buffer */
	VGPU_TM_NO_ROOM,	/* no place for its metadata */
	VGPU_TM_CAUSES
};

/** struct vgpu_tm_cost - accesses to tables: time is the host's. The tables are read in parallel */
struct vgpu_tm_cost {
	u32 tables;	/* reads of all ways at once: the lookup, and each displacement */
	u32 overflow;	/* entries of the overflow area looked at or written */
};

/**
 * struct vgpu_tm_answer - to a request; SUCCESS and ABORT are messages to its core
 * @time: latest time that was observed: what was there before for SUCCESS, the reported
 *   timestamp for ABORT
 */
struct vgpu_tm_answer {
	struct vgpu_tm_request request;
	u64 time;
	struct vgpu_tm_cost cost;
	u8 result;
	u8 cause;
};

/**
 * struct vgpu_tm_log - an entry of a log, core to partition
 * @writes: stores that succeeded
 * @commits: with data
 */
struct vgpu_tm_log {
	u64 granule;
	u32 writes;
	bool commits;
};

/* ---- stamps ---------------------------------------------------------------- */

static inline u64 vgpu_tm_later(u64 a, u64 b)
{
	return a > b ? a : b;
}

static inline u64 vgpu_tm_time(u64 stamp)
{
	return stamp >> VGPU_TM_ID_BITS;
}

/* Of a request of warp @wid at @ts */
static inline u64 vgpu_tm_stamp(const struct vgpu_tm *tm, u64 ts, u32 wid)
{
	u64 stamp = ts << VGPU_TM_ID_BITS;

	if (tm->setup.rule == VGPU_TM_AS_PUBLISHED)
		return stamp;
	return stamp + (tm->setup.rule == VGPU_TM_STRICT ? 1 : wid + 1u);
}

/* wts of what it writes */
static inline u64 vgpu_tm_successor(const struct vgpu_tm *tm, u64 stamp)
{
	return stamp + (tm->setup.rule == VGPU_TM_UNIQUE ? 1 : 1ull << VGPU_TM_ID_BITS);
}

/* ---- a unit ----------------------------------------------------------------- */

/**
 * struct vgpu_tm_entry - metadata of a granule (table 4.1)
 * @tag: granule + 1; 0: there is none
 * @wts, @rts: stamps: one past the last write that was tried, the last read
 * @writes: "#writes": stores whose log has not come; not 0: locked
 * @owner: if it is: the warp
 * @reader: who alone has read at @rts, wid + 1; 0: several, or it is not known. For the strict rule
 */
struct vgpu_tm_entry {
	u64 tag;
	u64 wts;
	u64 rts;
	u32 writes;
	u16 owner;
	u16 reader;
};

/** struct vgpu_tm_seen - of the approximate table: the latest of all granules that map to it */
struct vgpu_tm_seen {
	u64 wts;
	u64 rts;
};

/** struct vgpu_tm_line - of the stall buffer. @tag: granule + 1; 0: free. @count: of its entries */
struct vgpu_tm_line {
	u64 tag;
	u64 count;
};

/** struct vgpu_tm_region - of the commit unit */
struct vgpu_tm_region {
	u64 granule;
	u32 writes;
	u32 commits;
};

/**
 * struct vgpu_tm_unit - the units of a partition
 *
 * The arrays lie behind it, and there are no pointers: vgpu_tm.bytes of zeroed memory, aligned to
 * 8, are a unit at the beginning, and a copy of a unit is one.
 *
 * @used: entries of the cuckoo table
 * @overflowed: the first ones of the overflow area
 * @region, @regions: of the commit unit's ring: the oldest, how many
 * @acks: cores that have rolled over
 * @origin: partition that has begun the rollover
 * @ring: enum vgpu_tm_ring_state
 * @epoch: rollovers
 * @resume: the second message of the ring has come
 */
struct vgpu_tm_unit {
	u32 used;
	u32 overflowed;
	u32 region;
	u32 regions;
	u32 acks;
	u16 origin;
	u8 ring;
	u8 epoch;
	u64 resume;
};

static inline struct vgpu_tm_entry *vgpu_tm_ways(const struct vgpu_tm *tm,
						 struct vgpu_tm_unit *unit)
{
	(void)tm;
	return (struct vgpu_tm_entry *)(unit + 1);
}

static inline struct vgpu_tm_entry *vgpu_tm_stash(const struct vgpu_tm *tm,
						  struct vgpu_tm_unit *unit)
{
	return (struct vgpu_tm_entry *)((u8 *)unit + tm->at_stash);
}

static inline struct vgpu_tm_entry *vgpu_tm_overflow(const struct vgpu_tm *tm,
						     struct vgpu_tm_unit *unit)
{
	return (struct vgpu_tm_entry *)((u8 *)unit + tm->at_overflow);
}

static inline struct vgpu_tm_seen *vgpu_tm_approximate(const struct vgpu_tm *tm,
						       struct vgpu_tm_unit *unit)
{
	return (struct vgpu_tm_seen *)((u8 *)unit + tm->at_approximate);
}

static inline struct vgpu_tm_line *vgpu_tm_lines(const struct vgpu_tm *tm,
						 struct vgpu_tm_unit *unit)
{
	return (struct vgpu_tm_line *)((u8 *)unit + tm->at_lines);
}

/* Those of line @line */
static inline struct vgpu_tm_request *vgpu_tm_waiters(const struct vgpu_tm *tm,
						      struct vgpu_tm_unit *unit, u32 line)
{
	return (struct vgpu_tm_request *)((u8 *)unit + tm->at_waiters) +
	       line * tm->setup.stall_entries;
}

static inline struct vgpu_tm_region *vgpu_tm_regions(const struct vgpu_tm *tm,
						     struct vgpu_tm_unit *unit)
{
	return (struct vgpu_tm_region *)((u8 *)unit + tm->at_regions);
}

#endif
