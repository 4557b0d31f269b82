/* SPDX-License-Identifier: MIT */
/*
 * vgpu-run: contents page. main.c is the command line; driver.c the device as root sees it: knobs,
 * counts, trace; mix.c starts processes in lockstep and waits for them; child.c is what such a
 * process does. Everything else is tools/workload, as in vgpu-sim.
 */
#ifndef VGPU_RUN_H
#define VGPU_RUN_H

#include <sys/types.h>


#include "tools/workload/options.h"

#define RUN_DEVICE	"/dev/vgpu0"

/* ---- driver.c ----------------------------------------------------------- */

/*
 * Nothing is missing, nobody else uses the device: keep its knobs and set its clock to lockstep.
 * Else @message, and the tool's exit status.
 */
int driver_begin(char *message);
/* Put back what was there. Also from a signal's handler's point of view harmless to repeat. */
void driver_end(void);
/*
 * Make it the device that vgpu-sim would create: knobs are set, the rest is compared. -1: @message.
 */
int driver_configure(const struct wl_setup *setup, char *message);
/* What the device has had to do without since then (wl_outcome.dropped); empty: nothing. */
void driver_dropped(char *text, size_t bytes);
/* Counts since it was loaded. -1: @message. */
int driver_stats(struct vgpu_device_stats *stats, char *message);
/* Forget the latencies of preemptions, and take them. */
int driver_latency_begin(char *message);
int driver_latency(struct vgpu_latency *latency, char *message);
/*
 * Trace records: switch on and off, and hand what there is to @take. Records that the driver had no
 * room for: @lost.
 */
int driver_trace(bool on, char *message);
int driver_trace_take(void (*take)(void *arg, const struct vgpu_trace_record *record), void *arg,
		      u64 *lost);

/* ---- mix.c -------------------------------------------------------------- */

/* wl_replay() on the driver. */
int run_mix(const struct wl_setup *setup, const char *path, const struct wl_process *processes,
	    u32 count, struct wl_outcome *outcome, char *message);

/**
 * struct run_shared - what all processes of a mix see. Only one runs at a time, so that nothing
 * here needs a lock.
 */
struct run_shared {
	u32 unfinished;			/* processes with fewer completed runs than wanted */
	char message[WL_MESSAGE_BYTES];	/* of the first process that failed */
	struct wl_process_outcome processes[];
};

/** struct run_child - what a process of a mix is told */
struct run_child {
	const struct wl_setup *setup;
	const struct wl_process *process;
	const char *path;
	struct run_shared *shared;
	struct wl_process_outcome *outcome;
	u64 arrival;			/* virtual time of its first run; ~0: at once */
	int done;			/* pipe: one byte when nothing is left to do */
};

/* ---- child.c ------------------------------------------------------------ */

/* Replay the phases of the process. Does not return. */
void child_replay(const struct run_child *child) __attribute__((noreturn));
/* Become its program. Does not return. */
void child_exec(const struct run_child *child) __attribute__((noreturn));

/* explain.c: exit status: 0 it runs, 1 it does not, 2 it cannot be read */
int explain_program(const char *path);

#endif
