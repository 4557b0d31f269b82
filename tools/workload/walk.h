/* SPDX-License-Identifier: MIT */
/*
 * Workloads: the walk of one process over its phases, whatever device it is on. replay.c walks
 * processes on the device model, tools/vgpu-run in a process of its own through the uapi; both so
 * do the same things at the same virtual times.
 */
#ifndef WORKLOAD_WALK_H
#define WORKLOAD_WALK_H

#include "sleepers.h"
#include "workload.h"

/*
 * Where every process keeps the one buffer that all its copies use, on the device and in its own
 * memory.
 */
#define WL_BUFFER	(1ull << 32)

struct wl_walk;

/**
 * struct wl_lane - phases of one stream, or those without: a hardware queue and host time of its
 * own
 */
struct wl_lane {
	struct wl_walk *walk;
	u64 order;			/* of lanes that wake at the same time */
	u32 stream;
	u32 queue;
	u64 pushed;			/* commands, ever */
	u64 pushed_before;		/* the present run (host=one) */
	u32 phase;			/* where it is, in the phases of its process */
	u64 left;			/* of that phase, not pushed yet */
	bool entered;			/* left is valid */
	bool announced;			/* the next launch of the phase, by a call that has begun */
	bool calling;			/* the host is in that call, asleep */
	u32 pending;			/* commands on the device */
	/* it has to be answered when so many are pending; WL_NO_ANSWER */
	u32 answer_at;
	/* host=one: in the answers; in a pause; all that was issued has ended */
	bool answering, sleeping, idle;
};
#define WL_NO_ANSWER	~0u

/**
 * struct wl_walk - a process that is being replayed
 * @push: commands into the queue of a lane; a negative errno, -EAGAIN: when some of that lane have
 *   completed
 * @copy_max: most bytes of one copy command; longer phases are several, and the copies of others
 *   may come between them
 * @renew: a run begins, of a process whose blocks touch memory: map @touched bytes of managed
 *   memory at WL_TOUCHED anew, and write the parts that kernels read (no VGPU_TOUCH_WRITE). -1:
 *   @message says what is wrong. May be NULL if there are no such processes
 * @now: virtual time, kept by whoever walks
 * @sleepers: lanes that sleep
 * @unfinished: processes with fewer completed runs than wanted; the walk stops at 0
 * @message: of the first error
 */
struct wl_walk {
	const struct wl_process *process;
	const struct vgpu_config *config;
	const char *path;
	struct wl_process_outcome *outcome;
	int (*push)(struct wl_lane *lane, const struct vgpu_cmd *cmds, u32 count);
	int (*renew)(struct wl_walk *walk);
	u64 copy_max;
	void *arg;
	u64 now;
	struct wl_sleepers *sleepers;
	u32 *unfinished;
	char *message;

	struct wl_lane *lanes;
	u32 lane_count;
	/* lanes to be answered, in order: a ring from answer_first, with room for two of each */
	struct wl_lane **answers;
	u32 answer_first, answer_count;
	u64 touched;			/* bytes that blocks touch in a run */
	bool renew_due;
	bool running;
	u64 started;
	u32 section_end;		/* phases up to here run in order, or beside each other */
	u32 lanes_busy;			/* in this section */

	/* host=one: phases that the host has issued; it waits at a sync, or for the end */
	u32 issued;
	bool syncing;
	struct wl_lane *by_stream[WL_STREAMS_MAX + 1];
};

/* Say what is wrong. Returns -1. */
int wl_walk_say(const struct wl_walk *walk, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* How many lanes @process has. */
u32 wl_walk_lanes(const struct wl_process *process);
/* Room that it needs at WL_BUFFER for commands of at most @copy_max bytes, 0: none. */
u64 wl_walk_buffer(const struct wl_process *process, u64 copy_max);
/*
 * Give @walk its @lanes (wl_walk_lanes() of them, zeroed) and @answers (twice as many); it sleeps
 * until @arrival.
 */
void wl_walk_init(struct wl_walk *walk, struct wl_lane *lanes, struct wl_lane **answers, u64 order,
		  u64 arrival);
/* A command of @lane has ended. true: its walk has to be answered before virtual time goes on. */
bool wl_walk_completed(struct wl_lane *lane);
/* @lane, taken off the sleepers, wakes up. */
void wl_walk_woken(struct wl_lane *lane);
/* Go on as far as it gets without waiting. */
int wl_walk_answer(struct wl_walk *walk);

#endif
