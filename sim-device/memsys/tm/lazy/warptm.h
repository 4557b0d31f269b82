/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: WarpTM: transactions that are validated by value when they commit
 *
 * The baselines of thesis 002 (4.1, 4.6), after KILO TM (W. Fung et al., MICRO 2011) and WarpTM
 * (W. Fung and T. Aamodt, MICRO 2013), as values: like the units of GETM (../tm.h) they know no SM
 * and no event queue, have no pointers inside, and run in a device and in the explorer of
 * tests/unit/tm. Bytes are words of logs, and what a host says that memory has.
 *
 *	core.h		at the core: what a warp that commits waits for
 *	commit_order.h	at a partition: logs, hazards, validation, verdicts, writes
 *	lwhr.h		its last-writer history: who has written last, of those that commit
 *	tcd.h		temporal conflict detection: reads that need no validation
 *	eapg.h		early abort, pause-n-go: EAPG beside all this
 *	warptm_el.h	WarpTM-EL: each access is validated, in no time
 *
 * What a host does:
 *
 *   - A transactional load returns memory's bytes, or those of its thread's log if that has stored
 *     there; a store changes the log alone. vgpu_tcd_load() in the instant of a load of memory.
 *   - At the end of an attempt conflicts between threads of the warp are resolved by aborting some
 *     of them. What is left is the *merged log* of the warp: entries (address, value, lanes) of
 *     what was read and of what is written. Lanes that have read the same value of an address
 *     share an entry; an address that is written has one entry, of one lane, and no other lane of
 *     the warp has read it. A lane's loads of what it has stored itself are not in the log.
 *   - A warp all of whose lanes are silent (tcd.h) has committed. Another takes the next commit id:
 *     1, 2, ... in the whole device. To each partition goes a vgpu_wtm_log() of the entries that
 *     are there, to those that have none an empty one: all partitions go by the same order.
 *   - At each partition vgpu_wtm_hazards(), vgpu_wtm_next_read() with vgpu_wtm_read(),
 *     vgpu_wtm_verdict() and vgpu_wtm_leave() go on whenever they can; the host chooses when, and
 *     so what they cost.
 *   - Verdicts, decisions and acknowledgements are those of core.h. The warp waits for all of them.
 *   - A warp may be aborted at any time. Without a commit id its log is just forgotten. With one
 *     all partitions get their logs, and until it has decided it may decide that no lane commits;
 *     others wait for that decision.
 *
 * A committed transaction is at (commit id, lane) in the serial order. One that has not been
 * validated may have read what never was there together: there is no opacity, so a program may
 * loop, or access what it should not, before it aborts.
 */
#ifndef VGPU_WARPTM_H
#define VGPU_WARPTM_H

#include "../tm.h"

#define VGPU_WTM_WORD_BYTES	4u

/** enum vgpu_wtm_fault - a defect put in on purpose; numbers go on behind enum vgpu_tm_fault */
enum vgpu_wtm_fault {
	VGPU_WTM_SOUND,
	VGPU_WTM_NO_VALIDATION = 10,	/* whatever memory has is what was read */
	VGPU_WTM_NO_HAZARDS,		/* writes of transactions that commit are not looked for */
	VGPU_WTM_TCD_LATE,		/* a transaction starts with its last load, not its first */
	VGPU_WTM_PAUSE_STAYS,		/* what has been committed stays in the conflict table */
	VGPU_WTM_ANY_ORDER,		/* writes go in the order of decisions, not of commit ids */
	VGPU_WTM_FAULTS
};

/** enum vgpu_tcd_rule - which transactions that only read commit without validation; see tcd.h */
enum vgpu_tcd_rule {
	VGPU_TCD_PENDING,	/* what will be written counts as written now */
	VGPU_TCD_AS_PUBLISHED,	/* what has been written: not serialisable */
	VGPU_TCD_OFF,		/* none */
	VGPU_TCD_RULES
};

/**
 * struct vgpu_wtm_setup - sizes and rules; they do not change. Tables are those of one partition
 * @seed: of the hashes
 * @entries: commit ids that can be there at a time
 * @words: entries of all logs that are there
 * @log_words: of one warp's log at most
 * @lwhr_ways, @lwhr_sets: last-writer history table; the address is that of a word
 * @filter_ways, @filter_rows: recency filter of what the table has no place for
 * @tcd_ways, @tcd_rows: recency filter of times; @tcd_bytes: of memory that have one time
 * @count_ways, @count_sets: EAPG's reference count table
 * @conflict_ways, @conflict_sets: EAPG's conflict address table, of a core
 * @tcd: enum vgpu_tcd_rule
 * @fault: enum vgpu_wtm_fault
 */
struct vgpu_wtm_setup {
	u64 seed;
	u32 cores;
	u32 partitions;
	u32 entries;
	u32 words;
	u32 log_words;
	u32 lwhr_ways;
	u32 lwhr_sets;
	u32 filter_ways;
	u32 filter_rows;
	u32 tcd_ways;
	u32 tcd_rows;
	u32 tcd_bytes;
	u32 count_ways;
	u32 count_sets;
	u32 conflict_ways;
	u32 conflict_sets;
	u8 tcd;
	u8 fault;
};

/* Tables 4.2 and 4.5; docs/transactions.md says which values are not from there */
extern const struct vgpu_wtm_setup vgpu_wtm_getm;

/**
 * struct vgpu_wtm - a setup in use
 * @h3: matrices of the hashes (../h3.h): VGPU_WTM_H3_*
 * @at_*: where arrays of a unit begin, in bytes; @bytes: of a unit
 */
struct vgpu_wtm {
	struct vgpu_wtm_setup setup;
	u32 h3[4 * VGPU_TM_WAYS][64];
	u32 at_words;
	u32 at_lines;
	u32 at_filter;
	u32 at_times;
	u32 at_counts;
	u32 bytes;
};

enum {
	VGPU_WTM_H3_TCD,				/* of each way */
	VGPU_WTM_H3_FILTER = VGPU_TM_WAYS,		/* of each way */
	VGPU_WTM_H3_LWHR = 2 * VGPU_TM_WAYS,
	VGPU_WTM_H3_EAPG,
};

/** vgpu_wtm_check - what is wrong with @setup, and what would be right; NULL: nothing */
const char *vgpu_wtm_check(const struct vgpu_wtm_setup *setup);
/** vgpu_wtm_init - @setup, which is checked, is in use */
void vgpu_wtm_init(struct vgpu_wtm *wtm, const struct vgpu_wtm_setup *setup);

/* ---- messages ------------------------------------------------------------- */

/** struct vgpu_wtm_word - of a merged log: @lanes have read @value at @address, or write it */
struct vgpu_wtm_word {
	u64 address;
	u32 value;
	u32 lanes;
};

/**
 * struct vgpu_wtm_log - the log of a warp, core to partition, with its words
 * @cid: commit id
 * @lanes: that want to commit
 * @reads, @writes: words that were read, words that are written, in this order; both 0: the warp
 *   has nothing here
 * @decided: there is no validation (warptm_el.h): @lanes commit
 */
struct vgpu_wtm_log {
	u64 cid;
	u32 lanes;
	u16 core;
	u16 warp;
	u16 reads;
	u16 writes;
	bool decided;
};

/** struct vgpu_wtm_verdict - partition to core: lanes @failed have read what is not there */
struct vgpu_wtm_verdict {
	u64 cid;
	u32 failed;
	u16 core;
	u16 warp;
};

/** struct vgpu_wtm_read - a word whose value in memory is wanted, and which one it is */
struct vgpu_wtm_read {
	u64 address;
	u64 cid;
	u32 word;
};

/**
 * struct vgpu_wtm_left - what has left a partition
 * @has_word: @address has been there to be written; @commits: and @value has to be, now
 * @acks: all of the warp has left: a message to its core
 */
struct vgpu_wtm_left {
	u64 address;
	u64 cid;
	u32 value;
	u16 core;
	u16 warp;
	bool has_word;
	bool commits;
	bool acks;
};

/* ---- a unit ----------------------------------------------------------------- */

/**
 * struct vgpu_wtm_entry - a commit id at a partition
 * @cid: 0: its log has not come
 * @after: latest commit id that may write what it has read, and had not left when its log came: it
 *   is validated again behind this one; 0: there is none
 * @left_before: commit ids that had left when its log came
 * @lanes, @failed, @commits: masks: that want to commit, that must not, that do
 * @first, @next_read: its words, number + 1; 0: there are no more
 * @next: entry that is validated next, number + 1
 * @asked, @answered: of its reads
 */
struct vgpu_wtm_entry {
	u64 cid;
	u64 after;
	u64 left_before;
	u32 lanes;
	u32 failed;
	u32 commits;
	u32 first;
	u32 next_read;
	u32 next;
	u32 asked;
	u32 answered;
	u16 reads;
	u16 writes;
	u16 core;
	u16 warp;
	u32 state;
};

/** struct vgpu_wtm_kept - a word of a log, and its next one: number + 1 */
struct vgpu_wtm_kept {
	struct vgpu_wtm_word word;
	u32 next;
	u32 unused;
};

/** struct vgpu_wtm_line - of the last-writer history table; @tag: of a word + 1, 0: free */
struct vgpu_wtm_line {
	u64 tag;
	u64 cid;
};

/** struct vgpu_eapg_line - of EAPG's tables; @tag: of a word + 1, 0: free */
struct vgpu_eapg_line {
	u64 tag;
	u64 count;
};

/**
 * struct vgpu_wtm_unit - the units of a partition: vgpu_wtm.bytes of zeroed memory, aligned to 8
 *
 * Commit ids go through its stages in their order. Each of these is the latest one that has:
 *
 * @filled: its log is here, and so are all before
 * @searched: its hazards are known
 * @passed: its verdict is sent, or it is validated again
 * @left: nothing of it is here
 *
 * @used: words that are there; @fresh: the first ones that have ever been; @free: of these, one
 *   that is not there, number + 1
 * @first_reader, @last_reader: entries that are to be validated, number + 1
 */
struct vgpu_wtm_unit {
	u64 filled;
	u64 searched;
	u64 passed;
	u64 left;
	u32 used;
	u32 fresh;
	u32 free;
	u32 first_reader;
	u32 last_reader;
	u32 unused;
};

static inline struct vgpu_wtm_entry *vgpu_wtm_entries(struct vgpu_wtm_unit *unit)
{
	return (struct vgpu_wtm_entry *)(unit + 1);
}

static inline struct vgpu_wtm_kept *vgpu_wtm_words(const struct vgpu_wtm *wtm,
						   struct vgpu_wtm_unit *unit)
{
	return (struct vgpu_wtm_kept *)((u8 *)unit + wtm->at_words);
}

static inline struct vgpu_wtm_line *vgpu_wtm_lines(const struct vgpu_wtm *wtm,
						   struct vgpu_wtm_unit *unit)
{
	return (struct vgpu_wtm_line *)((u8 *)unit + wtm->at_lines);
}

static inline u64 *vgpu_wtm_filter(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit)
{
	return (u64 *)((u8 *)unit + wtm->at_filter);
}

static inline u64 *vgpu_wtm_times(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit)
{
	return (u64 *)((u8 *)unit + wtm->at_times);
}

static inline struct vgpu_eapg_line *vgpu_wtm_counts(const struct vgpu_wtm *wtm,
						     struct vgpu_wtm_unit *unit)
{
	return (struct vgpu_eapg_line *)((u8 *)unit + wtm->at_counts);
}

#endif
