/* SPDX-License-Identifier: MIT */
/*
 * Inside the explorer (explore.h): an exploration, and the steps from a state to the next ones. A
 * step begins with ex_begin_move(), changes @next, and ends with ex_end_move(); one that turns out
 * not to be possible just does not end.
 */
#ifndef TEST_RUN_H
#define TEST_RUN_H

#include "../device/visited.h"
#include "state.h"

#define POISON		0xeeu	/* bytes that are not there */

/**
 * struct run - an exploration
 * @now: the state whose successors are being made
 * @next: the one that is being made
 * @moved: some have been made
 */
struct run {
	const struct ex_program *program;
	const struct ex_options *options;
	struct vgpu_coh_setup setup;
	struct ex_result *result;
	struct visited *visited;
	struct ex_state *stack;
	u64 depth;
	u64 room;
	struct ex_state now;
	struct ex_state next;
	u32 cores;
	bool moved;
};

/* run.c */
void ex_begin_move(struct run *run);
void ex_end_move(struct run *run);
u32 ex_partition_of(const struct run *run, u32 line);
void ex_note_move(struct ex_moves *moves, u8 state, u8 event, u8 next,
		  const struct vgpu_coh_out *out);
/* Send @m, which is of @line and has the bytes @data, to L2 or to the L1 that it names. */
void ex_send(struct run *run, bool up, u32 line, u32 data, const struct vgpu_coh_message *m);
/* Message @n of @next is not on its way any more. */
void ex_take(struct run *run, u32 n);
/* May message @n of @now be handled, or is one of its channel before it? */
bool ex_is_first(const struct run *run, u32 n);

/* run_l1.c: all steps of threads, of silent evictions */
void ex_move_threads(struct run *run);
void ex_move_l1_evictions(struct run *run);
/* run_l1.c: @event, with the message or access @in, at an L1; false: stalled, or a defect */
bool ex_l1_event(struct run *run, u32 core, u32 line, enum vgpu_coh_event event,
		 const struct vgpu_coh_message *in, struct vgpu_coh_out *out);
/* run_l1.c: a message from L2, a FLUSH is at its L1: the whole step */
void ex_come_down(struct run *run, const struct ex_message *message);
void ex_flush_comes(struct run *run, u32 core, u32 partition);

/* run_l2.c: all steps of messages, of L2, of the ring, of pages that move */
void ex_move_messages(struct run *run);
void ex_move_l2(struct run *run);
void ex_move_tokens(struct run *run);
void ex_move_purges(struct run *run);
/* run_l2.c: @event at L2, of @message unless that is NULL; false: it makes no successor */
bool ex_l2_event(struct run *run, u32 line, enum vgpu_coh_event event,
		 const struct ex_message *message);
/* run_l2.c: leases that have run out end at once, whoever looks at them */
void ex_expire_l2(struct run *run);

#endif
