/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What is saved of a thread block (checkpoint.c), launches to come (announce.c): part of exec.h. */
#ifndef VGPU_CHECKPOINT_H
#define VGPU_CHECKPOINT_H

#include "exec.h"

/* beside the others of ../sm/launch.h: it has been told to stop for a base checkpoint of its own */
#define VGPU_CHECKPOINT_STOPS	4u

/**
 * struct vgpu_checkpoint - what the save area has of a block (checkpoint.c), in bytes
 * @base: its base checkpoint
 * @increment: what it had written since, or, without one, all that it had written
 * @in_place: of @increment, what is not in the save area but still on SM @sm
 * @has_base: it has a base checkpoint
 * @moves: that is being made
 * @left: it has left the SM, and is saved as a whole
 * @lost: picoseconds for which it ran before it was dropped, all times together, if it was
 *   (vgpu_block.flushes): this alone does not end with the record
 */
struct vgpu_checkpoint {
	u64 lost;
	u32 base;
	u32 increment;
	u32 in_place;
	u16 sm;
	bool has_base;
	bool moves;
	bool left;
};

/* ---- checkpoints (checkpoint.c) ------------------------------------------ */

struct vgpu_checkpoint *vgpu_checkpoint_of(const struct vgpu_exec *exec,
					   const struct vgpu_block *block);
/* Has @block, on an SM, a base checkpoint? */
bool vgpu_checkpoint_has_base(const struct vgpu_exec *exec, const struct vgpu_block *block);
/* Bytes that the save area has of @block, wherever it is. */
u64 vgpu_checkpoint_area(const struct vgpu_exec *exec, const struct vgpu_block *block);
/* Bytes that are moved when @block is restored on @sm. */
u64 vgpu_checkpoint_restores(const struct vgpu_exec *exec, const struct vgpu_block *block, u32 sm);
/* Bytes that are moved to memory for @block, which waits for its save. */
u64 vgpu_checkpoint_saves(const struct vgpu_exec *exec, const struct vgpu_block *block);
/* Bytes that a save of @block, on an SM, would have to move, if nothing stayed in place. */
u64 vgpu_checkpoint_would_save(const struct vgpu_exec *exec, const struct vgpu_block *block);
/* @block leaves @smst and is to be saved: returns bytes to move to the save area. */
u64 vgpu_checkpoint_save(struct vgpu_exec *exec, struct vgpu_smst *smst, struct vgpu_block *block);
/* Nothing of @block is needed any more that was saved: it has ended, or was dropped. */
void vgpu_checkpoint_drop(struct vgpu_exec *exec, struct vgpu_block *block);
/* @block has been restored: the save area has nothing of it any more. */
void vgpu_checkpoint_restored(struct vgpu_exec *exec, struct vgpu_block *block);
/* Blocks of @smst are to be saved: how much of them may stay there, for who is next or beside. */
void vgpu_checkpoint_find_room(struct vgpu_exec *exec, struct vgpu_smst *smst);
/*
 * @smst is about to be set up for @ksr: what is in place and in its way moves to memory. Returns
 * how long that takes.
 */
u64 vgpu_checkpoint_make_room(struct vgpu_exec *exec, struct vgpu_smst *smst,
			      const struct vgpu_ksr *ksr);
/* The same of shared @smst, which has been given a block that will come. */
u64 vgpu_checkpoint_make_room_beside(struct vgpu_exec *exec, struct vgpu_smst *smst);
/* A new record of @block, which has none. */
struct vgpu_checkpoint *vgpu_checkpoint_begin(struct vgpu_exec *exec, struct vgpu_block *block);
/* @block has left its SM when its base checkpoint has been made: that is all there is of it. */
void vgpu_checkpoint_leave(struct vgpu_exec *exec, struct vgpu_block *block);

/* ---- base checkpoints (base.c) -------------------------------------------- */

/* @sm, halted for it, can make its base checkpoint. */
void vgpu_checkpoint_take(struct vgpu_exec *exec, u32 sm);
/*
 * The base checkpoint of @block, which counts as preempted now, has been made: it goes on, or is
 * saved, as its SM has been reserved. false: nothing is left to do, it is to go to its PTBQ
 */
bool vgpu_checkpoint_taken(struct vgpu_exec *exec, struct vgpu_smst *smst,
			   struct vgpu_block *block);
/* @smst does not stand for a base checkpoint any more. */
void vgpu_checkpoint_over(struct vgpu_exec *exec, struct vgpu_smst *smst);
/* ... as its base checkpoint has been made, or nothing is left to make one of: it goes on. */
void vgpu_checkpoint_resume(struct vgpu_exec *exec, u32 sm);
/* @block, off @smst, stands from now on; @is_saved: its base checkpoint is made. */
void vgpu_base_begin(struct vgpu_exec *exec, struct vgpu_smst *smst, struct vgpu_block *block,
		     bool is_saved);
/* base_block.c: @block of a shared SM has stopped for its base checkpoint. */
void vgpu_base_stopped(struct vgpu_exec *exec, struct vgpu_block *block);
/* base_block.c: that has been made: it goes on, or has left. */
void vgpu_base_taken(struct vgpu_exec *exec, struct vgpu_smst *smst, struct vgpu_block *block);
/*
 * base_block.c: the first block of @ksr on shared @smst that stands for its base checkpoint, and
 * has not been told to leave; NULL: none does.
 */
struct vgpu_block *vgpu_base_standing(const struct vgpu_smst *smst, const struct vgpu_ksr *ksr);
/* base_block.c: it, counted as told to leave, has left when that has been made. */
void vgpu_base_leaves(struct vgpu_exec *exec, struct vgpu_smst *smst, struct vgpu_block *block);
/* The base checkpoints of the blocks on @sm are not needed. */
void vgpu_checkpoint_forget(struct vgpu_exec *exec, u32 sm);
/* @block has come to @sm, a new one, or one that goes on there. */
void vgpu_checkpoint_came(struct vgpu_exec *exec, u32 sm, const struct vgpu_block *block);
/* Call @fn for @sm at @time, instead of an earlier setting, unless it is reserved before. */
void vgpu_look_at_time(struct vgpu_exec *exec, u32 sm, u64 time,
		       void (*fn)(struct vgpu_exec *exec, u32 sm));

/* ---- announcements (announce.c) ------------------------------------------ */

/*
 * A launch of @ctx, submitted at @submitted, comes @delay from now, or later; returns when it does.
 */
u64 vgpu_announce_launch(struct vgpu_exec_context *ctx, u64 submitted, u64 delay);
/* @smst has stood for @time, for who it is prepared for. */
void vgpu_announce_stalled(struct vgpu_exec *exec, const struct vgpu_smst *smst, u64 time);
/* What SMs prepare, or have prepared, for context @id is not needed: for its launch, or its turn */
void vgpu_announce_forget(struct vgpu_exec *exec, u32 id, bool for_turn);
/* The context with that number; NULL: there is none any more. */
struct vgpu_exec_context *vgpu_exec_find_context(const struct vgpu_exec *exec, u32 id);
/* @ctx ends. */
void vgpu_announce_abort(struct vgpu_exec_context *ctx);
/* turn.c: what the policy will do by itself: nothing is known of it yet */
void vgpu_turn_init(struct vgpu_exec *exec);
/* turn.c: that policy is not in use any more */
void vgpu_turn_end(struct vgpu_exec *exec);
/* trial.c: no block of shared @sm is to be prepared any more. */
void vgpu_trial_forget(struct vgpu_exec *exec, u32 sm);

#endif
