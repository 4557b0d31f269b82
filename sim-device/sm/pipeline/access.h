/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Accesses to global memory in the pipeline (pipeline.h): what each has from operand read to
 * commit, and who does what with it. Included by pipeline.h.
 */
#ifndef VGPU_PIPE_ACCESS_H
#define VGPU_PIPE_ACCESS_H

#include "../warps.h"
#include "port.h"

struct vgpu_pipe;
struct vgpu_pipe_warp;
struct vgpu_pipe_block;
struct vgpu_pipe_entry;

/*
 * Of an access: address in slots 0 and 1, first and second operand, result. The first operand of an
 * atomic of 16 bytes goes on where others have the second.
 */
#define VGPU_ACCESS_A		0u
#define VGPU_ACCESS_B		2u
#define VGPU_ACCESS_C		4u
#define VGPU_ACCESS_DST		10u
#define VGPU_ACCESS_SLOTS	14u

enum vgpu_line_state {
	VGPU_LINE_NEW,		/* not checked */
	VGPU_LINE_CHECKED,	/* it has its translation, or will have it */
	VGPU_LINE_SENT,
	VGPU_LINE_DONE,
};

/** struct vgpu_pipe_line - a request: the lanes of an access that are in one line */
struct vgpu_pipe_line {
	u64 address;		/* of the line */
	u32 lanes;
	u8 state;		/* enum vgpu_line_state */
	bool in_place;		/* it has moved to the host since its check */
	u64 frame;
	u8 *page;		/* bytes of the page, ... */
	u64 changes;		/* ... vgpu_as_changes() when it was looked up */
};

/** struct vgpu_pipe_access - an access to global memory from OpRead to Commit */
struct vgpu_pipe_access {
	struct vgpu_pipe_access *next;	/* free, or in the queue of the load/store unit */
	struct vgpu_pipe_entry *entry;	/* NULL: its block has gone, answers are ignored */
	const struct vgpu_address_space *as;	/* of the entry's launch */
	struct vgpu_page_waiter waiter;	/* stall: for its page */
	u32 number;
	struct vgpu_insn insn;	/* on the registers below */
	u32 lanes;		/* that execute it */
	u32 count;		/* of lines */
	u32 line_next;		/* next to be checked */
	u32 left;		/* lines that are not done */
	u32 unsent;		/* lines that have not been sent */
	u32 flying;		/* lines for which the port will answer */
	u32 asked;		/* lines for which the MMU is asked at the end of the window */
	bool queued;		/* in the queue of the load/store unit */
	bool whole;		/* executed as a whole, behind the caches: see access_whole.c */
	bool faulted;		/* a check has found that a page is not there */
	bool woken;
	bool again;		/* a line is checked again, right before it is sent */
	u32 late;		/* lines whose page has gone since their check: they wait for it */
	bool parts;		/* executed in parts */
	u32 done;		/* lanes of those that have been */
	u32 bytes;		/* of each lane */
	u64 frame;		/* of the page that was translated last */
	u64 start;		/* first cycle of Execute */
	u64 checked_at;		/* last check so far */
	u64 ready_at;		/* last data so far */
	u64 address[VGPU_LANES];
	struct vgpu_pipe_line line[VGPU_LANES];
	u32 regs[VGPU_ACCESS_SLOTS * VGPU_LANES] __attribute__((aligned(64)));
};

/** struct vgpu_pipe_ask - a check, which began at @cycle, of a line whose page the TLB had not */
struct vgpu_pipe_ask {
	struct vgpu_pipe_access *access;	/* NULL: it was dropped meanwhile */
	u32 line;
	u64 cycle;
	u64 waited;
};

/* access.c */
void vgpu_access_put(struct vgpu_pipe *p, struct vgpu_pipe_access *access);
/* It leaves the queue of the load/store unit. */
void vgpu_access_unqueue(struct vgpu_pipe *p, struct vgpu_pipe_access *access);
/* Lines of it that wait to be sent, or for their translations, do so no more. */
void vgpu_access_purge(struct vgpu_pipe *p, struct vgpu_pipe_access *access);
/* The MMU is not asked for lines of it: they have not been checked. */
void vgpu_access_unask(struct vgpu_pipe *p, struct vgpu_pipe_access *access);
/* The last line of @e has left the SM: what follows in its warp may. */
void vgpu_access_left(struct vgpu_pipe *p, struct vgpu_pipe_entry *e);
/* Are there loads of @pw that have not been sent? A store may not change what they load. */
bool vgpu_access_loads_wait(const struct vgpu_pipe *p, const struct vgpu_pipe_warp *pw);
/*
 * May @e, whose operands are there, overtake the accesses of its warp that have not left the SM?
 * Stores: with overtake_stores, if it and they are weak, and it touches none of their lines. A
 * store or an atomic: loads, of which it touches no line; one that faults may come much later.
 */
bool vgpu_access_may_pass(const struct vgpu_pipe *p, const struct vgpu_pipe_entry *e);
/* The memory has answered a fence. */
void vgpu_access_fenced(struct vgpu_pipe *p, const struct vgpu_mem_response *response);
void vgpu_access_read(struct vgpu_pipe *p, struct vgpu_pipe_entry *e);
/* @access joins the queue of the load/store unit. */
void vgpu_access_queue(struct vgpu_pipe *p, struct vgpu_pipe_access *access);
/* load_store.c: one cycle of the unit */
void vgpu_access_cycle(struct vgpu_pipe *p);
/* When it has something to do; VGPU_NEVER. */
u64 vgpu_access_next(const struct vgpu_pipe *p);
/*
 * The page of @line is looked up again, if translations have been taken back since its check.
 * False: it has gone, and the line is sent when it has come.
 */
bool vgpu_access_check_again(struct vgpu_pipe *p, struct vgpu_pipe_access *access, u32 line);
/* Lines whose pages have come are sent. */
void vgpu_access_late(struct vgpu_pipe *p);
/* At the end of a window: the MMU is asked for what the TLB did not have. */
void vgpu_access_ask(struct vgpu_pipe *p);
/* What was due for @e, or for a line that waited for its translation. */
void vgpu_access_due(struct vgpu_pipe *p, struct vgpu_pipe_entry *e);
void vgpu_access_line_due(struct vgpu_pipe *p, u32 number);
void vgpu_access_respond(struct vgpu_pipe *p, const struct vgpu_mem_response *response);
/* @e commits: its result is copied to the registers, and its access is free. */
void vgpu_access_commit(struct vgpu_pipe *p, struct vgpu_pipe_entry *e);
/* The access of @e is dropped. */
void vgpu_access_drop(struct vgpu_pipe *p, struct vgpu_pipe_entry *e);
/*
 * Make the fence @e, or what precedes a release. It goes on by vgpu_access_fenced(), at once or
 * when the memory has answered.
 */
void vgpu_access_fence(struct vgpu_pipe *p, struct vgpu_pipe_entry *e);
/*
 * A fence of block @pb itself: what it has stored has taken effect when it is done. False: the port
 * is busy.
 */
bool vgpu_access_fence_block(struct vgpu_pipe *p, struct vgpu_pipe_block *pb);
/* stall: accesses whose pages have come go on. */
void vgpu_access_woken(struct vgpu_pipe *p);

/* access_lines.c: the lanes on lines */
u32 vgpu_access_bytes(const struct vgpu_insn *i);
void vgpu_access_capture(struct vgpu_pipe *p, struct vgpu_pipe_access *access);
/* Lines of the access; false: it must be executed as a whole. */
bool vgpu_access_coalesce(struct vgpu_pipe *p, struct vgpu_pipe_access *access);
void vgpu_access_mask(const struct vgpu_pipe_access *access, const struct vgpu_pipe_line *line,
		      u64 mask[2]);
void vgpu_access_load(struct vgpu_pipe *p, struct vgpu_pipe_access *access,
		      const struct vgpu_pipe_line *line, const u8 *data);
void vgpu_access_store(struct vgpu_pipe *p, struct vgpu_pipe_access *access,
		       const struct vgpu_pipe_line *line, u8 *data);
void vgpu_access_atomic(struct vgpu_pipe *p, struct vgpu_pipe_access *access,
			const struct vgpu_pipe_line *line, struct vgpu_mem_atomic *atomic);
void vgpu_access_atomic_done(struct vgpu_pipe_access *access, const struct vgpu_mem_atomic *atomic);
/* Of an access that is done, to register @dst and those behind it. */
void vgpu_access_result(const struct vgpu_pipe_access *access, struct vgpu_warp *w, u32 dst);
/* Lanes @lanes execute the access, with page @number of theirs at @page. */
enum vgpu_lanes_end vgpu_access_run(struct vgpu_pipe *p, struct vgpu_pipe_access *access,
				    u32 lanes, u64 number, u8 *page);

/* access_check.c: TLB checks */
void vgpu_access_describe(const struct vgpu_pipe *p, const struct vgpu_pipe_access *access,
			  struct vgpu_access *a);
/* The page of @lane. FAULT: the lanes' struct says what is wrong. */
enum vgpu_access_result vgpu_access_translate(struct vgpu_pipe *p, struct vgpu_pipe_access *access,
					      u32 lane, struct vgpu_access_answer *answer);
u64 vgpu_pipe_cycles(const struct vgpu_pipe *p, u64 ps);
/*
 * May the check of @line be put off to the end of the window? If the TLB does not have its page,
 * and all of the access is device memory: others have to be executed as a whole, or wait for pages,
 * and keep their place among the accesses of their warp until that is known.
 */
bool vgpu_access_can_wait(const struct vgpu_pipe *p, const struct vgpu_pipe_access *access,
			  const struct vgpu_pipe_line *line);
/* Does the TLB have the page of @line, and no walk is on its way to it? */
bool vgpu_access_is_there(const struct vgpu_pipe *p, const struct vgpu_pipe_access *access,
			  const struct vgpu_pipe_line *line);
/*
 * Can the check of @line be made now? A miss needs a register of the TLB. False: not before
 * p->check_from, or @access is in the queue no more; checks behind it wait, too, as lines behind
 * one that the port does not take.
 */
bool vgpu_access_has_register(struct vgpu_pipe *p, const struct vgpu_pipe_access *access,
			      const struct vgpu_pipe_line *line);
/* Checks that were put off have been made: the first of the queue may have to wait longer. */
void vgpu_access_registers_taken(struct vgpu_pipe *p);
enum vgpu_access_result vgpu_access_check(struct vgpu_pipe *p, struct vgpu_pipe_access *access,
					  struct vgpu_pipe_line *line, u64 *cost);
/* access_whole.c: what is not in lines of frames. @cost: cycles */
enum vgpu_access_result vgpu_access_whole(struct vgpu_pipe *p, struct vgpu_pipe_access *access,
					  u64 *cost);

#endif
