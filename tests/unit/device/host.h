/* SPDX-License-Identifier: MIT */
/*
 * A host for tests of the device: it backs frames with the heap (so that ASan sees every stray
 * access), keeps process memory in one array, writes down every completion, death and trace record,
 * and checks the promises of the host interface as it goes. Short names for the commands that tests
 * push.
 */
#ifndef TEST_HOST_H
#define TEST_HOST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "vgpu_device.h"

#define HOST_MEMORY	(1u << 20)
/* managed memory: a context may map any of it */
#define HOST_MANAGED	0x40000000ull
#define HOST_MANAGED_BYTES	(8u << 20)
#define HOST_MANAGED_CONTEXTS	4u	/* ids below this have some */

/* memory of the process of every context; its pages are what a test says */
#define HOST_PROCESS		0x60000000ull
#define HOST_PROCESS_PAGES	64u

enum host_page { HOST_PAGE_NONE, HOST_PAGE_READ, HOST_PAGE_WRITE };

/** struct host_burst - bytes of copies that crossed the interconnect until @end */
struct host_burst {
	u64 end;
	u64 bytes;
	enum vgpu_move dir;
};

/** struct host_counts - a launch that was counted: by SM, and their sums */
struct host_counts {
	struct vgpu_launch_counts launch;
	struct vgpu_counters *sm;
	u64 sum[VGPU_COUNTER_COUNT];
};

struct host {
	struct vgpu_device *dev;
	struct vgpu_config config;
	/* process memory: a command's cookie is the offset where its buffer starts */
	u8 *memory;
	u64 frames;
	u64 frames_max;			/* get_frame() gives no more than these at once */
	struct vgpu_completion *completions;
	size_t completion_count;
	struct vgpu_fault *faults;	/* of the contexts that died, in order */
	u32 *dead;
	size_t fault_count;
	struct vgpu_trace_record *records;
	size_t record_count;
	struct host_counts *counts;	/* in the order in which the launches ended */
	size_t counts_count;
	u64 preemptions;
	u64 preemption_ps;		/* of the last: from the request on */
	struct host_burst *bursts;	/* in the order of their ends, stamps too */
	size_t burst_count;
	bool moving_fails;		/* process memory is gone */
	bool stops;			/* a completion stops the clock */
	u8 *managed[HOST_MANAGED_CONTEXTS];
	bool *granted[HOST_MANAGED_CONTEXTS];	/* by page: the process may access it */
	bool *writable[HOST_MANAGED_CONTEXTS];	/* and write it */
	u64 revoked, protected;		/* number of calls */
	u8 *process;			/* HOST_PROCESS_PAGES */
	u8 process_pages[HOST_PROCESS_PAGES];	/* enum host_page: what the device has at hand */
	u32 drops;			/* policies and mechanisms from outside that have gone */
	u64 dropped_at;			/* the last, when … */
	char dropped[200];		/* … and "what name: reason; what is selected now" */
	bool process_held;
	u32 process_wants;		/* the context that does, or 0 */
};

/* A device of preset @preset, changed by "field=value" strings up to NULL; tracing is on. */
struct host *host_new(const char *preset, ...);
struct host *host_new_config(const struct vgpu_config *config);
/* The same in @system, NULL: in one of its own. */
struct host *host_new_in(struct vgpu_system *system, const struct vgpu_config *config);
/* Ends the device, checks that nothing is left of it, frees the host. */
void host_free(struct host *h);
/* The same for a device that is not alone: others may hold memory. */
void host_leave(struct host *h);

u32 host_open(struct host *h);
u32 host_queue(struct host *h, u32 context);
/* Push one command; it must be taken. Returns its sequence number. */
u64 host_push(struct host *h, u32 context, u32 queue, struct vgpu_cmd cmd);
/* The same with a cookie; returns the error. */
int host_try(struct host *h, u32 context, u32 queue, const struct vgpu_cmd *cmd, u64 cookie,
	     const void *params);
/* Run until nothing is due. */
void host_run(struct host *h);
/* The completion of (context, queue, seq); fails the test unless it is there exactly once. */
const struct vgpu_completion *host_done(struct host *h, u32 context, u32 queue, u64 seq);
/* Not there. */
void host_not_done(struct host *h, u32 context, u32 queue, u64 seq);
/* Time of the only record of @type for @kernel (or @seq when kernel is 0), -1 if there is none. */
u64 host_time_of(struct host *h, enum vgpu_trace_type type, u32 kernel);
size_t host_count_of(struct host *h, enum vgpu_trace_type type);

/*
 * A process accesses managed memory: the device runs until it may. NULL: it may not, *error is the
 * device's.
 */
u8 *host_access(struct host *h, u32 context, u64 address, int *error);
/* The same for a process that only reads. */
const u8 *host_read(struct host *h, u32 context, u64 address, int *error);

struct vgpu_cmd cmd_nop(void);
struct vgpu_cmd cmd_h2d(u64 dst, u64 offset, u64 bytes);
struct vgpu_cmd cmd_d2h(u64 offset, u64 src, u64 bytes);
struct vgpu_cmd cmd_d2d(u64 dst, u64 src, u64 bytes);
struct vgpu_cmd cmd_fill(u64 dst, u64 count, u32 value, u32 width);
struct vgpu_cmd cmd_wait(u32 queue, u64 seq);
struct vgpu_cmd cmd_stamp(u64 offset);
/* @occupancy blocks of it fit into an SM of k20c (by registers) */
struct vgpu_cmd cmd_profiled(u64 blocks, u64 block_ps, u32 occupancy);

#endif
