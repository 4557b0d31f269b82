/* SPDX-License-Identifier: MIT */
/*
 * Import of timelines: contents page. What a profiler recorded of a program on a real GPU becomes a
 * process of a job file (docs/import.md). A reader (pytorch.c, nsys.c) fills a struct
 * imp_timeline; order.c chooses the device and the window and puts everything in order; plan.c
 * decides when the host issues what, who waits for whom and how long blocks take; write.c writes
 * the phases down.
 *
 * Times of a file are nanoseconds. Memory is bounded by the commands and calls of a file
 * (IMP_ITEMS_MAX of each), whatever else is in it.
 */
#ifndef IMPORT_H
#define IMPORT_H

#include <stdio.h>

#include "tools/workload/workload.h"

#define IMP_ITEMS_MAX	(16u << 20)	/* commands; calls */
#define IMP_NAMES_MAX	65536u		/* different kernels; the others are all "kernel" */
#define IMP_NONE	0xffffffffu
#define IMP_COMMAND_NS_MAX	(3600ull * 1000 * 1000 * 1000)	/* what one takes: an hour */
#define IMP_BYTES_MAX	(1ull << 46)	/* of a copy, as job files have it */
#define IMP_BLOCKS_MAX	(1ull << 40)	/* of a kernel */
#define IMP_NS_MAX	(1ull << 53)	/* length of a timeline: 104 days */
#define IMP_PS_PER_NS	1000u

enum imp_kind { IMP_KERNEL, IMP_H2D, IMP_D2H, IMP_D2D, IMP_MEMSET };

/** struct imp_command - what a GPU did */
struct imp_command {
	u64 start, end;			/* ns */
	u64 amount;			/* kernel: thread blocks; else bytes */
	u64 issue;			/* order.c: ns, when the host called */
	u32 device, process;
	u32 stream;			/* as the file names it; order.c: 1..64 */
	u32 correlation;		/* of the call that issued it; 0: none */
	u32 name;			/* of a kernel, in imp_timeline.names */
	u32 shared;			/* bytes of a block */
	u16 threads;			/* of a block */
	u8 regs;			/* of a thread */
	u8 kind;			/* enum imp_kind */
	/* order.c: a call is known; the host waited in it until the copy had ended */
	u8 called, blocks;
};

enum imp_call_kind {
	IMP_LAUNCH,			/* issued a command */
	IMP_COPY,			/* the same; the host may have waited until it ended */
	IMP_SYNC_DEVICE,
	IMP_SYNC_STREAM,		/* or an event: of the stream, if that is known */
	IMP_STREAM_WAIT,		/* a stream waits for another */
};

/** struct imp_call - what the host called */
struct imp_call {
	u64 start, end;			/* ns */
	u32 correlation;
	u32 process;
	u32 stream;			/* as in commands; IMP_NONE: not known */
	u32 kind;			/* enum imp_call_kind */
};

/** struct imp_range - an annotation: a step */
struct imp_range {
	u64 start, end;			/* ns */
};

/** enum imp_skip - why something of a file is left out, counted */
enum imp_skip {
	IMP_SKIP_TIME,			/* time is no number, negative or too large */
	IMP_SKIP_SHAPE,			/* grid, block, registers, shared memory */
	IMP_SKIP_BYTES,
	IMP_SKIP_KEY,			/* stream, device or correlation */
	IMP_SKIP_COPY,			/* a copy that is not between host and device */
	IMP_SKIP_DEVICE,		/* another device or process than that asked for */
	IMP_SKIP_WINDOW,
	IMP_SKIPS
};

/** struct imp_options - what to import */
struct imp_options {
	const char *gpu;		/* preset; NULL: after the name in the file */
	u32 device;			/* IMP_NONE: that with the most commands */
	u64 from_ns, to_ns;		/* after the beginning */
	u32 first_step, last_step;	/* 1..; 0: no steps asked for */
	const char *step;		/* annotations of steps begin so */
};

#define IMP_GPUS_MAX	64u

/** struct imp_gpu - a device as the file names it; sms 0: not said */
struct imp_gpu {
	u32 id, sms;
	char name[64];
};

/** struct imp_timeline - a file that was read */
struct imp_timeline {
	const struct imp_options *options;
	const char *path;
	struct imp_command *commands;
	size_t command_count, command_room;
	struct imp_call *calls;		/* by start, once order.c has been over them */
	size_t call_count, call_room;
	struct imp_range *steps;
	size_t step_count, step_room;
	char (*names)[WL_NAME_BYTES];
	u32 name_count;
	u32 *name_table;		/* hash of names */
	struct imp_gpu gpus[IMP_GPUS_MAX];
	u32 gpu_count;
	const struct imp_gpu *gpu;	/* of the device that was chosen; NULL: not said */
	u64 skipped[IMP_SKIPS];
	char skip_place[IMP_SKIPS][96];	/* of the first */
	u64 begin, end;			/* ns: of what was chosen */
	u32 streams;			/* 1..64 */
	char message[WL_MESSAGE_BYTES];	/* why it is refused */
};

/* ---- timeline.c --------------------------------------------------------- */

void imp_timeline_free(struct imp_timeline *timeline);
/* "path: ..." into the message. Returns -1. */
int imp_refuse(struct imp_timeline *timeline, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Something at @place is left out. */
void imp_skip(struct imp_timeline *timeline, enum imp_skip why, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Room for one more. NULL: refused. */
struct imp_command *imp_add_command(struct imp_timeline *timeline);
struct imp_call *imp_add_call(struct imp_timeline *timeline);
int imp_add_step(struct imp_timeline *timeline, u64 start, u64 end);
/* The number of kernel @name, of which a short form is kept. */
u32 imp_name(struct imp_timeline *timeline, const char *name);
/* What kind of call @name is, "cudaLaunchKernel" for example. -1: one that does not matter */
int imp_call_kind(const char *name);
/* The device @id of the file, called @name. */
void imp_add_gpu(struct imp_timeline *timeline, u64 id, u64 sms, const char *name);

/* ---- pytorch.c, nsys.c -------------------------------------------------- */

/* Read @timeline->path. -1: refused */
int imp_read_pytorch(struct imp_timeline *timeline);
int imp_read_nsys(struct imp_timeline *timeline);

/* ---- scan.c, members.c: JSON in pieces --------------------------------------------- */

struct imp_scan;

/** struct imp_piece - a value of JSON that stands in memory as a whole */
struct imp_piece {
	const char *text;
	size_t length;
	u64 offset;			/* of its first byte in the unpacked file */
};

/* NULL: refused. The file may be packed by gzip. */
struct imp_scan *imp_scan_open(struct imp_timeline *timeline);
void imp_scan_close(struct imp_scan *scan);
/*
 * The next event of "traceEvents", or, @other set, the value of another key of interest
 * ("deviceProperties"). 1: there is one, 0: the end, -1: refused
 */
int imp_scan_next(struct imp_scan *scan, struct imp_piece *piece, bool *other);
/*
 * Members of @object: @keys[i] gets the text of its value in @values[i], or length 0. -1: @at says
 * where @object is no proper object.
 */
int imp_members(const struct imp_piece *object, const char *const *keys, struct imp_piece *values,
		unsigned int count, u64 *at);
/* Microseconds of JSON as nanoseconds. -1: no decimal number, negative, or too large */
int imp_nanoseconds(const struct imp_piece *number, u64 *ns);

/* ---- order.c ------------------------------------------------------------ */

/* Choose device and window, number streams, find calls; in the order of issue. -1: refused */
int imp_timeline_order(struct imp_timeline *timeline);

/* ---- plan.c ------------------------------------------------------------- */

/** struct imp_report - how far a job is from its timeline */
struct imp_report {
	u64 kernels, copies, waits, pauses, syncs, syncs_left_out;
	u64 clipped;			/* kernels whose blocks are too large for an SM */
	u64 traced_ps, expected_ps;	/* of the whole */
	u64 close;			/* kernels expected within 5 % */
};

/** struct imp_plan - phases come out here, one after the other */
struct imp_plan {
	const struct imp_timeline *timeline;
	const struct vgpu_config *config;
	/* @traced: what took so long, of a kernel in the file (ps); 0. Nonzero ends it */
	int (*emit)(void *arg, const struct wl_phase *phase, u64 traced);
	void *arg;
	struct imp_report report;
};

/* -1: no memory or emit said so. */
int imp_plan(struct imp_plan *plan);
/* The preset for the GPU that a file names @gpu. NULL: none */
const char *imp_preset_of(const char *gpu);

/* ---- check.c ------------------------------------------------------------ */

/** struct imp_check - a job that is to be simulated, and how long its kernels took in the file */
struct imp_check {
	struct {
		u64 *traced;		/* ps, in the order in which they were issued */
		u32 count, room;
		u32 ended;		/* in the simulation */
	} streams[WL_STREAMS_MAX + 1];
	/* what came out */
	u64 took_ps;
	u64 close;			/* kernels within 5 % */
};

/* A kernel of @stream. -1: no memory */
int imp_check_add(struct imp_check *check, u32 stream, u64 traced);
/*
 * Run process @index of @path alone on the device of @config. -1: @message (WL_MESSAGE_BYTES) says
 * what is wrong
 */
int imp_check_run(struct imp_check *check, const char *path, u32 index,
		  const struct vgpu_config *config, char *message);
void imp_check_free(struct imp_check *check);

/* ---- write.c, command.c ------------------------------------------------- */

/* Write @phase as a line of a job file. -1: it could not be written */
int imp_write_phase(FILE *out, const struct wl_phase *phase);
/* `vgpu-trace import`. Returns the exit status. */
int imp_main(int argc, char **argv);

#endif
