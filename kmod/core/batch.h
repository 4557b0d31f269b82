/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Batches: slices of SMs that an actor hands out, to be executed with it by workers (workers.h) and
 * by threads that wait for the context whose slices they are (helpers.h). What is executed ahead,
 * and why that changes no result, time or trace, is said in sim-device/sm/ahead.c; the locking, who
 * waits for whom, and what may be touched, in batch.c.
 *
 * There is one batch at a time. An actor that finds another one's executes alone.
 */
#ifndef KVGPU_BATCH_H
#define KVGPU_BATCH_H

#include <linux/types.h>

struct kvgpu_helpers;
struct kvgpu_system;

/**
 * struct kvgpu_batch_part - SMs of batches that one kind of thread has executed
 * @executed: how many
 * @left: of these, how often it gave the rest of one back, for its processor was wanted
 * @ns: in which it did
 */
struct kvgpu_batch_part {
	u64 executed;
	u64 left;
	u64 ns;
};

/**
 * struct kvgpu_batch_counts - what there was to execute together, since the module was loaded
 * @batches: how often an actor handed out slices
 * @actor: SMs of them that actors have executed themselves
 */
struct kvgpu_batch_counts {
	u64 batches;
	u64 actor;
	struct kvgpu_batch_part workers;
	struct kvgpu_batch_part helpers;
};

void kvgpu_batch_count(struct kvgpu_batch_counts *counts);

/**
 * kvgpu_batch_run - actor: call @run(@arg, n) for each n < @count; see vgpu_host_ops.parallel
 * @helpers: of the context for which all of it is; NULL: nobody waits for that
 *
 * Others call it with preemption disabled: @run() must not sleep, and returns soon if
 * kvgpu_batch_give_way(). So the actor never waits for a thread that has lost its processor.
 *
 * With an @end() one follows the other, on the actor's thread: it needs turns, and who waits for
 * one may keep the processor of who has it. (timing=pipeline)
 */
void kvgpu_batch_run(struct kvgpu_system *system, struct kvgpu_helpers *helpers,
		     void (*run)(void *arg, u32 n), void (*end)(void *arg, u32 n), void *arg,
		     u32 count);
/* From a run(): it is not the actor's, and its processor is wanted for something else. */
bool kvgpu_batch_give_way(const struct kvgpu_system *system);

/* Is there something to take, for @helpers or, NULL, for workers? */
bool kvgpu_batch_open(const struct kvgpu_helpers *helpers);
/* Execute what is left for these of the present batch, until the processor is wanted. */
void kvgpu_batch_execute(struct kvgpu_helpers *helpers);

#endif
