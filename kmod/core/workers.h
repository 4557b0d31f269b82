/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads that execute slices of SMs together with the actors: vgpu_host_ops.parallel and those
 * behind it. What is executed ahead, and why that changes no result, time or trace, is said in
 * sim-device/sm/ahead.c.
 *
 * The module has one pool. It serves one actor at a time; one that finds it taken executes alone.
 */
#ifndef KVGPU_WORKERS_H
#define KVGPU_WORKERS_H

#include <linux/types.h>

struct kvgpu_system;

#define KVGPU_WORKERS_MOST	64u

/**
 * struct kvgpu_workers_counts - what there was to execute together, since the module was loaded
 * @batches: how often an actor handed out slices
 * @actor, @workers: SMs of them that either has executed
 * @left: of these, how often a worker gave the rest of one back, for its processor was wanted
 * @ns: of workers, in which they executed
 */
struct kvgpu_workers_counts {
	u64 batches;
	u64 actor;
	u64 workers;
	u64 left;
	u64 ns;
};

/* Before the first device is made. -ENOMEM, -EINTR: there are none. */
int kvgpu_workers_start(unsigned int count);
/* No device is left. */
void kvgpu_workers_stop(void);
/* How many there are: the same from kvgpu_workers_start() to kvgpu_workers_stop(). */
unsigned int kvgpu_workers_number(void);
void kvgpu_workers_count(struct kvgpu_workers_counts *counts);

/**
 * kvgpu_workers_run - actor: call @run(@arg, n) for each n < @count; see vgpu_host_ops.parallel
 *
 * A worker calls it with preemption disabled: @run() must not sleep, and returns soon if
 * kvgpu_workers_give_way(). So the actor never waits for a thread that has lost its processor.
 *
 * With an @end() one follows the other, on the actor's thread: it needs turns, and who waits for
 * one may keep the processor of who has it. (timing=pipeline)
 */
void kvgpu_workers_run(struct kvgpu_system *system, void (*run)(void *arg, u32 n),
		       void (*end)(void *arg, u32 n), void *arg, u32 count);
/* From a run(): it is a worker's, and another task needs the processor. */
bool kvgpu_workers_give_way(void);

#endif
