/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: coherent caches
 *
 * With another protocol than "gpu" the L1s and the partitions of L2 run the tables of
 * protocol/protocol.h: this folder is their host. Ports, queues, DRAM and the bytes of L2 are those
 * of the hierarchy (hierarchy.h); what differs is here:
 *
 *   L1    lines have physical tags, because messages of L2 name physical lines: a context reaches
 *         only lines of its own frames, and no frame goes before its lines are purged. A line that
 *         is asked for and not there has an entry beside the cache (an MSHR) with its state. Loads
 *         that the table stalls, and what comes behind them to the same line, wait in the entry.
 *   L2    a line that is fetched has its state IV, IM ... until DRAM has answered. Requests that
 *         the table stalls wait at their line, in order. A request whose line finds no place, or
 *         no MSHR, holds up the requests behind it in its partition; answers of L1s (INV_ACK,
 *         THROUGH) are in another virtual network, and pass.
 *
 * Virtual networks share the ports, which are what has a bandwidth; queues are never full, so what
 * stalls in one is no obstacle to another.
 *
 * DOC: cores
 *
 * Protocols are made for cores with one access a warp in flight (sc_core). On others a warp may
 * have a store in flight when it loads the line: then the L1 does not answer from what was there
 * before (close_line() in l1.c), and a load with an order beyond its block asks L2 where a lease
 * might make the L1 answer for long. Fences wait for all that the SM has sent.
 */
#ifndef VGPU_COHERENT_H
#define VGPU_COHERENT_H

#include "../hierarchy.h"
#include "../protocol/rollover.h"

#define VGPU_CC_NONE		(~0u)
#define VGPU_CC_TICK		10000u	/* cycles (thesis 002, 3.4.2) */
#define VGPU_CC_TC_LEASE	800u	/* cycles; Singh, HPCA 2013 */
#define VGPU_CC_MESSAGES	1024u	/* INV, FLUSH in flight, beside one for each L1 */
#define VGPU_CC_BUCKETS		64u
#define VGPU_CC_OVER		256u	/* request->use: its line was there, its lease over */

/* kinds of messages beside those of protocols */
#define VGPU_CC_FLUSH		VGPU_COH_EVENTS
#define VGPU_CC_FLUSHED		(VGPU_COH_EVENTS + 1u)

/**
 * struct vgpu_cc_entry - a line in an L1, or one that is asked for
 * @waits, @waits_tail: accesses that the table has stalled, and those behind them
 * @next: in its bucket, or free; only beside the cache
 */
struct vgpu_cc_entry {
	struct vgpu_coh_l1_line line;
	u64 physical;
	struct vgpu_mem_request *waits;
	struct vgpu_mem_request *waits_tail;
	struct vgpu_cc_entry *next;
};

/**
 * struct vgpu_cc_l1 - what an L1 has beside struct vgpu_l1d
 * @ways: one for each line of l1->tags, which are physical line + 1 here
 * @beside, @free, @bucket: entries of lines that are not there
 * @carried: of each request in l1->requests, the message that it is
 * @ready, @ready_tail: requests that the SM gets, in order; @at is their cycle
 * @now: INVs that take no part in the traffic (sc-ideal)
 * @paths: the same: where its messages were, and when
 * @ticks: that have been made
 * @expired, @renewed: loads whose line was there with a lease that was over, and got a longer one
 * @line_wait: cycles that accesses waited at their line
 * @mail: messages in the inbox and in @now; @mailed: they are looked at some time
 * @counted: its logical time, as far as it has been counted
 */
struct vgpu_cc_l1 {
	struct vgpu_coh_core core;
	struct vgpu_cc_entry *ways;
	struct vgpu_cc_entry *beside;
	struct vgpu_cc_entry *free;
	struct vgpu_cc_entry *bucket[VGPU_CC_BUCKETS];
	struct vgpu_coh_message *carried;
	struct vgpu_mem_path *paths;
	struct vgpu_mem_queue ready;
	struct vgpu_mem_heap now;
	u64 ticks;
	u64 expired;
	u64 renewed;
	u64 line_wait;
	u64 counted;
	u32 mail;
	bool mailed;
};

/** enum vgpu_cc_cause - for what a request waits at L2 */
enum vgpu_cc_cause {
	VGPU_CAUSE_FETCH,	/* its line is fetched for others */
	VGPU_CAUSE_LEASE,	/* leases have to run out */
	VGPU_CAUSE_ACK,		/* other L1s have to drop the line */
	VGPU_CAUSE_ROOM,	/* there is no place or MSHR, or a rollover is going on */
	VGPU_CAUSES
};

/**
 * struct vgpu_cc_way - a line of L2, beside p->lines
 * @kept: requests in its MSHR; @waits: those that the table has stalled, in order
 * @fetching: a read is in flight
 * @retry: cycle in which @waits are tried again, 0: none
 * @cause: enum vgpu_cc_cause: for what the first of @waits waits
 */
struct vgpu_cc_way {
	struct vgpu_coh_l2_line line;
	struct vgpu_mem_queue kept;
	struct vgpu_mem_queue waits;
	u64 retry;
	u8 cause;
	bool fetching;
};

/**
 * struct vgpu_cc_l2 - of a partition
 * @stuck: requests that found no place, and all behind them
 * @late: lines whose read ended while the partition was stalled by a rollover
 * @fetches: reads in flight
 * @waited: cycles of requests, by cause
 * @unsticks: @stuck is tried again soon
 */
struct vgpu_cc_l2 {
	struct vgpu_coh_partition state;
	struct vgpu_cc_way *ways;
	struct vgpu_mem_queue stuck;
	u32 *late;
	u32 late_count;
	u32 fetches;
	u64 waited[VGPU_CAUSES];
	bool unsticks;
};

enum vgpu_cc_what { VGPU_CC_FETCHED, VGPU_CC_RETRY, VGPU_CC_TOKEN, VGPU_CC_MAIL,
		    VGPU_CC_UNSTICK };

/** struct vgpu_cc_due - what happens at a cycle. @a: line; of TOKEN: event, and @b its origin */
struct vgpu_cc_due {
	u64 at;
	u64 seq;
	u32 where;	/* partition; MAIL: SM */
	u32 a;
	u32 b;
	u8 what;
};

/**
 * struct vgpu_cc_message - INV, FLUSH, and the answers to them. They carry no bytes
 * @class: enum vgpu_mem_class
 */
struct vgpu_cc_message {
	struct vgpu_mem_request request;
	struct vgpu_coh_message m;
	u8 class;
	bool used;
};

/**
 * struct vgpu_coherent - of a hierarchy
 * @sc_core: of the configuration
 * @payer: the request for whose line others are written back now
 */
struct vgpu_coherent {
	const struct vgpu_coh_protocol *protocol;
	struct vgpu_coh_setup setup;
	bool sc_core;
	struct vgpu_cc_l1 *l1s;
	struct vgpu_cc_l2 *l2s;
	const struct vgpu_mem_request *payer;
	struct vgpu_cc_message *messages;
	struct vgpu_mem_request *free_message;
	u32 message_count;
	u32 free_messages;
	struct vgpu_cc_due *due;	/* a heap by (at, seq) */
	u32 due_count;
	u32 due_room;
	u64 rollovers;
	u64 tokens;	/* of these */
};

/* coherent.c */
int vgpu_cc_init(struct vgpu_memsys *memsys, const struct vgpu_coh_protocol *protocol);
void vgpu_cc_fini(struct vgpu_memsys *memsys);
/* When the next thing is due; VGPU_NEVER */
u64 vgpu_cc_next(const struct vgpu_memsys *memsys);
void vgpu_cc_due_add(struct vgpu_memsys *memsys, const struct vgpu_cc_due *due);
/* What is to happen to line @at will not: a read, a retry */
void vgpu_cc_due_cancel(struct vgpu_memsys *memsys, u32 index, u32 at, enum vgpu_cc_what what);
/* The first that is due is done. */
void vgpu_cc_due_do(struct vgpu_memsys *memsys);
struct vgpu_cc_message *vgpu_cc_message_of(struct vgpu_mem_request *request);
/* There must be one. */
struct vgpu_mem_request *vgpu_cc_message_new(struct vgpu_memsys *memsys, u32 sm, u64 physical,
					     u8 kind);
void vgpu_cc_message_free(struct vgpu_memsys *memsys, struct vgpu_mem_request *request);
/* The message that @request is, whichever it is */
struct vgpu_coh_message *vgpu_cc_carried(struct vgpu_mem_request *request);
/* Its path; not of one that is no request of an L1 */
struct vgpu_mem_path *vgpu_cc_path_of(struct vgpu_mem_request *request);
/* counts.c: enum vgpu_mem_class of @request, as it is sent now; enum vgpu_message of a kind */
u32 vgpu_cc_class_of(struct vgpu_mem_request *request);
u8 vgpu_cc_traced(u8 kind);
/* counts.c: @request has waited at L2 since @request->at, for @cause */
void vgpu_cc_count_wait(struct vgpu_memsys *memsys, u32 index, struct vgpu_mem_request *request,
			u32 cause, u64 cycle);
/* counts.c: the same at its line in the L1 */
void vgpu_cc_count_line_wait(struct vgpu_l1d *l1, const struct vgpu_mem_request *request,
			     u64 cycle);
/* counts.c: of what a request waits for that the table has not let go by; @until: as it said */
u8 vgpu_cc_cause_of(const struct vgpu_cc_way *way, u32 actions, u64 until);
/* counts.c: a load whose line was there with a lease that was over; RENEW has come for @request */
void vgpu_cc_count_expired(struct vgpu_l1d *l1, struct vgpu_mem_request *request);
void vgpu_cc_count_renewed(struct vgpu_l1d *l1, const struct vgpu_mem_request *request);
/* counts.c: @request, which has been answered, ends at @cycle */
void vgpu_cc_count_end(struct vgpu_l1d *l1, struct vgpu_mem_request *request, u64 cycle);
/* counts.c: how far the clock of the L1 has gone since this was asked last */
void vgpu_cc_count_time(struct vgpu_l1d *l1, struct vgpu_counters *counters);
/* counts.c: adds what a protocol counts */
void vgpu_cc_stats(const struct vgpu_memsys *memsys, struct vgpu_memsys_stats *stats);
/* A message that is due at @due at the L1 of @sm is handled even if its SM has nothing to do. */
void vgpu_cc_mail(struct vgpu_memsys *memsys, u32 sm, u64 due);

static inline struct vgpu_cc_l1 *vgpu_cc_l1_of(const struct vgpu_l1d *l1)
{
	return &l1->memsys->coherent->l1s[l1->sm];
}

/* l1_lines.c: the entry of @physical; NULL: none. get() makes one: there is always room */
struct vgpu_cc_entry *vgpu_cc_find(const struct vgpu_l1d *l1, u64 physical);
struct vgpu_cc_entry *vgpu_cc_get(struct vgpu_l1d *l1, u64 physical);
int vgpu_cc_l1_init(struct vgpu_l1d *l1);
void vgpu_cc_l1_fini(struct vgpu_l1d *l1);
/* The place of @entry in the cache, NONE: it is beside */
u32 vgpu_cc_place(const struct vgpu_l1d *l1, const struct vgpu_cc_entry *entry);
/* @data come for @entry, which moves into the cache if there is a place: returns it */
struct vgpu_cc_entry *vgpu_cc_fill(struct vgpu_l1d *l1, struct vgpu_cc_entry *entry,
				   const u8 *data);
/* Free it if nothing is known of its line any more. */
void vgpu_cc_tidy(struct vgpu_l1d *l1, struct vgpu_cc_entry *entry);
/* All lines; those of a frame; those that are asked for */
void vgpu_cc_purge_all(struct vgpu_l1d *l1);
void vgpu_cc_purge_frame(struct vgpu_l1d *l1, u64 frame);
void vgpu_cc_purge_asked(struct vgpu_l1d *l1);

/* l1.c: for l1_answers.c */
void vgpu_cc_l1_event(struct vgpu_l1d *l1, struct vgpu_cc_entry *entry,
		      enum vgpu_coh_event event, const struct vgpu_coh_message *in, u64 cycle,
		      struct vgpu_coh_out *out);
/* @counters: of the access or answer for which time is looked at; NULL: of none */
void vgpu_cc_tick(struct vgpu_l1d *l1, struct vgpu_counters *counters, u64 cycle);
/* Returns if it is a load whose line is there with a lease that is over */
bool vgpu_cc_make_event(struct vgpu_l1d *l1, struct vgpu_cc_entry *entry, u8 kind,
			bool strong, u32 id, u64 cycle, struct vgpu_coh_out *out);
bool vgpu_cc_is_strong(u8 order, u8 scope, u8 cache);
void vgpu_cc_send_at(struct vgpu_l1d *l1, struct vgpu_mem_request *request, u64 cycle);
void vgpu_cc_act(struct vgpu_l1d *l1, struct vgpu_cc_entry *entry,
		 struct vgpu_mem_request *request, const struct vgpu_coh_out *out, u64 cycle);
u8 *vgpu_cc_bytes_of(struct vgpu_l1d *l1, const struct vgpu_cc_entry *entry);
u64 vgpu_cc_end_fence(struct vgpu_l1d *l1, u8 order, u8 scope, u64 cycle);
u32 vgpu_cc_id_of(const struct vgpu_l1d *l1, const struct vgpu_mem_request *request);

/* l1.c, l1_answers.c: as vgpu_l1d_access(), _response(), _next() */
enum vgpu_mem_result vgpu_cc_access(struct vgpu_l1d *l1, const struct vgpu_mem_access *access,
				    struct vgpu_mem_answer *answer);
const struct vgpu_mem_response *vgpu_cc_response(struct vgpu_l1d *l1, u64 cycle);
u64 vgpu_cc_l1_next(const struct vgpu_l1d *l1);
/* When @request, of the inbox, will be through the port */
u64 vgpu_cc_due_of(const struct vgpu_l1d *l1, const struct vgpu_mem_request *request);
/* When the next message of L2 is handled */
u64 vgpu_cc_next_message(const struct vgpu_l1d *l1);
/* What has come by @cycle is handled by the protocol; what the SM gets of it waits for the SM. */
void vgpu_cc_receive_all(struct vgpu_l1d *l1, u64 cycle);

/* l2.c */
int vgpu_cc_l2_init(struct vgpu_memsys *memsys, u32 index);
void vgpu_cc_l2_fini(struct vgpu_memsys *memsys, u32 index);
void vgpu_cc_handle(struct vgpu_memsys *memsys, struct vgpu_mem_request *request);
void vgpu_cc_fetched(struct vgpu_memsys *memsys, u32 index, u32 at, u64 cycle);
void vgpu_cc_retry(struct vgpu_memsys *memsys, u32 index, u32 at, u64 cycle);
/* Requests that were stuck are tried again. */
void vgpu_cc_unstick(struct vgpu_memsys *memsys, u32 index, u64 cycle);
/* A reply to @request, which has had its effect in its frame. */
void vgpu_cc_reply_direct(struct vgpu_memsys *memsys, u32 index, struct vgpu_mem_request *request,
			  u64 cycle);

/*
 * l2_invalidate.c: INV of line @at to whom @out says, because of @cause, which may be NULL, and of
 * @class. Returns how many; the same at once, with no message (sc-ideal)
 */
u16 vgpu_cc_send_invs(struct vgpu_memsys *memsys, struct vgpu_partition *p, u32 at,
		      const struct vgpu_coh_out *out, const struct vgpu_mem_request *cause,
		      u8 class, u64 cycle);
void vgpu_cc_invalidate_now(struct vgpu_memsys *memsys, u64 physical, u64 cycle);

/* l2.c: @request takes effect on line @at */
void vgpu_cc_take_effect(struct vgpu_memsys *memsys, struct vgpu_partition *p, u32 at,
			 struct vgpu_mem_request *request, u64 cycle);
/*
 * l2.c: @event of line @at; @request: NULL: of none. Returns the actions. STALL, ROLLOVER: nothing
 * has happened. @until: if not NULL: what STALL says
 */
u32 vgpu_cc_l2_event(struct vgpu_memsys *memsys, u32 index, u32 at, enum vgpu_coh_event event,
		     struct vgpu_mem_request *request, u64 cycle, u64 *until);
/* l2.c: those that have waited for line @at are tried, in order */
void vgpu_cc_run_waiting(struct vgpu_memsys *memsys, u32 index, u32 at, u64 cycle);

/* l2.c: for l2_place.c; l2_place.c: a place for the line of @request, NONE: not now */
void vgpu_cc_l2_expire(struct vgpu_memsys *memsys, u32 index, u32 at, u64 cycle);
void vgpu_cc_retry_at(struct vgpu_memsys *memsys, u32 index, u32 at, u64 cycle);
u32 vgpu_cc_allocate(struct vgpu_memsys *memsys, u32 index,
		     const struct vgpu_mem_request *request, u64 cycle);

/* settle.c: as vgpu_memsys_flush() and, with @write, vgpu_memsys_forget() */
void vgpu_cc_flush(struct vgpu_memsys *memsys, u64 frame, bool write);
/* The same: as vgpu_memsys_replace() */
void vgpu_cc_replace(struct vgpu_memsys *memsys);

/* rollover.c: vgpu_coh_ring(), and what it leads to */
void vgpu_cc_ring(struct vgpu_memsys *memsys, u32 index, enum vgpu_coh_ring_event event, u32 origin,
		  u64 cycle);

#endif
