/* SPDX-License-Identifier: MIT */
/*
 * DOC: racecheck
 *
 * A race is two accesses of the same byte of shared or global memory by different threads, at least
 * one of them a write, that nothing orders and that are not both strong. What orders accesses
 * (happens-before) is kept by vector clocks, as FastTrack does (Flanagan and Freund, PLDI 2009),
 * with the hierarchy of a GPU as BARRACUDA (PLDI 2017) and iGUARD (SOSP 2021) use it to keep them
 * small. What is found depends on the order in which the program was executed only in so far as
 * another execution takes other branches: an access is compared with the last write and with up to
 * three reads of its byte, however long ago those were.
 *
 * Clocks. A warp has a counter. An access bears the warp's counter (its epoch: block, warp, lane,
 * counter); whatever orders accesses of the warp before something else ends with the counter one
 * higher. A thread knows, of each lane of each warp of each block, up to which counter its accesses
 * are ordered before what the thread does next (race_clock.h). An access of another thread is
 * ordered before one of this thread if its counter is not above that. Lanes of a warp that did the
 * same share one state (struct race_state).
 *
 * What orders:
 *
 * - A thread's own accesses, in program order. Nothing else holds the lanes of a warp together: not
 *   that one instruction executes them, not reconvergence, not a shuffle, vote or match, which
 *   "do not imply a memory barrier" (CUDA guide) and which compute-sanitizer does not count either.
 * - __syncwarp(): what the lanes of the mask did is before what they do next.
 * - A barrier of the block (bar.sync, by number and count): what the lanes did that came to it is
 *   before what they do next. Threads that have exited count as having come to a barrier of all.
 *   Of a warp, what all its lanes did is before, as a GPU waits for the others to come or to exit;
 *   but only lanes that executed it are behind it.
 * - Release and acquire, by the memory model of PTX: a fence, then a strong write A of the same
 *   thread; a strong read B of another thread that sees A, or an atomic that follows A in a chain
 *   of atomics; then a fence. What was before the first fence is before what is behind the second.
 *   Orders .release and .acquire of an instruction are such fences (the compiler emits them).
 *   Between threads of different blocks both fences and both accesses need scope GPU or SYS, in a
 *   block any will do.
 * - A launch: all of it is behind the commands of its stream before it, those it waits for by
 *   events, and those that the host knew to have ended when it was submitted; likewise copies and
 *   fills (race_command.h).
 *
 * Three rules are weaker than PTX's, as programs rely on them: (1) fences that threads made before
 * a barrier are passed on by it: "all fence, __syncthreads(), one writes the flag" releases for
 * all. (2) A barrier behind the strong read counts as its fence: "one reads the flag,
 * __syncthreads(), all use the data", as in threadFenceReduction of NVIDIA's samples. (3) A plain
 * read beside atomics of other threads is none where threads that make it, by that instruction, go
 * on with an atomicCAS() at the same address, as the loops of the CUDA guide do (race_doubt.c).
 *
 * Strong accesses: atomics, volatile, .relaxed/.acquire/.release, each with its scope, and accesses
 * that bypass the L1 cache (.cg, .cv, .wt), which older programs use as such. Two strong accesses
 * are no race if the scopes of both include both threads: atomicAdd_block() by two blocks is one. A
 * volatile access of shared memory is not strong against another lane of its warp if the store was
 * to several places: that is the warp-synchronous code of before sm_70, not a flag. Flags of many
 * lanes are told from it by their readers: a lane that waits reads a place again, by the same
 * instruction, with no write in between (race_doubt.c).
 *
 * Two plain stores of the same value are no race that is reported, as in compute-sanitizer, which
 * gives this the level INFO. So the lanes of one instruction that write one place are reported only
 * if they write different values.
 */
#ifndef VGPU_SANITIZER_RACE_H
#define VGPU_SANITIZER_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>
#include "race_clock.h"

#define RACE_LANES	32u
#define RACE_ALL	0xffffffffu

enum race_kind { RACE_READ, RACE_WRITE, RACE_ATOMIC };
/* How far an access or a fence reaches. */
enum race_scope { RACE_BLOCK, RACE_GPU };
enum race_space { RACE_GLOBAL, RACE_SHARED };

/**
 * struct race_site - an instruction, or a command, that accesses memory
 * @kind: enum race_kind
 * @strong: see above; @scope: how far
 * @is_volatile: by a qualifier, not an atomic
 * @compares: atomicCAS()
 * @command: of the host: it is no instruction
 * @owner, @pc: the caller's
 */
struct race_site {
	u8 kind;
	u8 strong;
	u8 scope;
	u8 is_volatile;
	u8 compares;
	u8 command;
	u32 pc;
	void *owner;
};

/** struct race_who - one of the two accesses of a race */
struct race_who {
	const struct race_site *site;
	void *launch;		/* as given to race_launch_begin(), race_command() */
	u64 block;		/* index in its grid */
	u32 thread;		/* in the block */
};

/** struct race_found - a race. @second is the earlier access */
struct race_found {
	enum race_space space;
	u64 address;
	u32 bytes;		/* of the access of @first */
	struct race_who first;
	struct race_who second;
};

struct race;
struct race_launch;
struct race_block;

typedef void race_report_fn(void *arg, const struct race_found *found);

/* NULL: no memory */
struct race *race_new(race_report_fn *report, void *arg);
void race_free(struct race *race);

/* Number of an instruction; it is for good. @count of them from @sites on, contiguous. */
u32 race_sites(struct race *race, const struct race_site *sites, u32 count);

/* ---- commands of queues ------------------------------------------------------------------- */

/* @queue: a number of the caller's. Has it had commands? */
bool race_queue_used(const struct race *race, u32 queue);
/* Command @seq of it has been submitted; seqs rise. */
void race_command(struct race *race, u32 queue, u64 seq);
/* ... and is WAIT for @wait of @wait_queue: so what follows it in @queue */
void race_command_waits(struct race *race, u32 queue, u64 seq, u32 wait_queue, u64 wait);
/* The host knows that @queue is at @seq. */
void race_host_knows(struct race *race, u32 queue, u64 seq);
/* Command @seq of @queue, a copy or a fill, has accessed [address, address + bytes). */
void race_command_access(struct race *race, u32 queue, u64 seq, u32 site, void *launch, u64 address,
			 u64 bytes);
/* Nothing that was done before concerns [address, address + bytes) any more. */
void race_forget(struct race *race, u64 address, u64 bytes);

/* ---- kernels ------------------------------------------------------------------------------ */

struct race_launch *race_launch_begin(struct race *race, u32 queue, u64 seq, u64 blocks,
				      void *launch);
void race_launch_end(struct race_launch *launch);
struct race_block *race_block_begin(struct race_launch *launch, u64 index, u32 threads,
				    u32 shared_bytes);
/* @dropped: it will begin again, and what it did has not happened */
void race_block_end(struct race_block *block, bool dropped);

/* @launch of race_launch_begin() */
void *race_caller(const struct race_block *block);

/**
 * struct race_access - an access of lanes of a warp by one instruction
 * @site: race_sites()
 * @lanes: at @address[lane], @bytes each, aligned
 * @several: they are not all at one place
 * @value: of stores: what word @word (or, of accesses below 4 bytes, byte @word) becomes; NULL: it
 *   is not known
 */
struct race_access {
	u32 site;
	enum race_space space;
	u32 lanes;
	u32 bytes;
	bool several;
	const u64 *address;
	u32 (*value)(const struct race_access *access, u32 lane, u32 word);
	const void *value_arg;
	u32 value_shift;
};

void race_access(struct race_block *block, u32 warp, const struct race_access *access);
void race_fence(struct race_block *block, u32 warp, u32 lanes, bool acquire, bool release,
		enum race_scope scope);
/* The lanes of a member mask have met. Those that have exited may be among them. */
void race_warp_sync(struct race_block *block, u32 warp, u32 lanes);
/* @all: at a barrier of all threads */
void race_barrier_arrive(struct race_block *block, u32 warp, u32 lanes, bool all);
/* The warps in @warps, which have arrived at one barrier, go on. */
void race_barrier_leave(struct race_block *block, const u32 *warps);
void race_exit(struct race_block *block, u32 warp, u32 lanes);

#endif
