/* SPDX-License-Identifier: MIT */
/*
 * vgpu-trace: contents page. Trace records of a device (from debugfs of the module, or from
 * VGPU_TRACE= of the embedded device) are read into a struct trace; each output looks at that and
 * prints itself.
 */
#ifndef VGPU_TRACE_TOOL_H
#define VGPU_TRACE_TOOL_H

#include <stdint.h>
#include <stdio.h>

#include "vgpu.h"
#include "vgpu_count.h"

/* First bytes of a trace: magic, then struct vgpu_trace_record until the end. */
#define TRACE_MAGIC "VGPUTRC1"

/**
 * struct span - a stretch of virtual time on an SM (one thread block) or on a copy engine (one
 * transfer)
 */
struct span {
	uint64_t start, end;	/* picoseconds */
	uint32_t context;	/* index into trace.processes */
	uint32_t kernel;	/* launch id; copies: 0 */
	uint64_t what;		/* block number, or bytes of a copy */
	uint32_t sm;		/* trace_copy_engine(0), …: a copy engine */
	uint32_t slot;		/* blocks: in the SM; copies: enum vgpu_cmd_op */
	uint32_t part;		/* of an SM that kernels share: index into trace.parts; else 0 */
};

/** struct part - what a thread block of a kernel takes of an SM that several kernels share */
struct part {
	uint32_t context;	/* index into trace.processes */
	uint32_t kernel;	/* launch id */
	uint32_t warps, registers, shared_bytes;
	double share;		/* the dominant one, of 1 */
};

/** struct shared - what the blocks of a process had of shared SMs: times picoseconds */
struct shared {
	double time;		/* while it had any on an SM, of all SMs together */
	double blocks, registers, shared_bytes, warps, share;
};

#define COPY_ENGINES	2u	/* that a trace may have */
/* Engine @engine in place of an SM; of an SM, trace_is_copy_engine() is false. */
static inline uint32_t trace_copy_engine(uint32_t engine)
{
	return 0xffffffffu - COPY_ENGINES + 1 + engine;
}

static inline int trace_is_copy_engine(uint32_t sm)
{
	return sm >= trace_copy_engine(0);
}

/**
 * struct managed - what managed memory did for a context. Times in picoseconds, those of all faults
 * added up
 */
struct managed {
	uint64_t kernel_faults, kernel_wait;	/* waits: from raised to served */
	uint64_t process_faults, process_wait;
	uint64_t prefetches;			/* by a command or a prefetcher */
	uint64_t pages_in, bytes_in;		/* that arrived on the device */
	uint64_t pages_out, bytes_out;		/* that left it, evicted ones too */
	uint64_t evicted_clean, evicted_dirty;	/* pages */
	uint64_t refaults;			/* pages that arrived after they were evicted */
	uint64_t cancelled;			/* migrations: the pages stayed where they were */
};

/*
 * What a preempted SM does, beside or instead of running blocks: struct span in trace.moves, slot
 * is one of these.
 */
enum move { MOVE_DRAIN, MOVE_SAVE, MOVE_RESTORE, MOVES };

/** struct process - one context of the trace with what it did */
struct process {
	uint32_t context;
	uint64_t pid;
	char name[64];
	char verdict[32];	/* from the names file, "-" if it is not in there */
	uint64_t start, end;	/* first dispatch to last completion */
	uint64_t kernels, blocks, copies, bytes;
	uint64_t sm_time;	/* picoseconds x SMs during which an SM held a block of it */
	uint64_t preemptions;	/* SMs taken from it */
	uint64_t preemption_time;	/* from request to hand-over, of all of them */
	uint64_t evicted;	/* thread blocks that left an SM which they shared */
	uint32_t fault;		/* enum vgpu_fault_reason at the close */
	int seen;		/* start is known */
	struct managed managed;
	struct shared shared;
};

/** struct kernel - one launch */
struct kernel {
	uint32_t id, context;	/* context: index into processes */
	uint64_t start, end, blocks;
	uint32_t module, index;
	uint32_t queue;
	uint64_t seq;		/* its command there */
	uint64_t *counts;	/* VGPU_COUNTER_COUNT; ~0: not counted. NULL: none are */
	char name[VGPU_TRACE_NAME_BYTES + 1];	/* as the linker has it; empty: not known */
};

/** struct label - what a program calls a command, or a queue (@seq 0) */
struct label {
	uint32_t context;	/* index into processes */
	uint32_t queue;
	uint64_t seq;
	size_t order;		/* in which they were told */
	char text[VGPU_TRACE_NAME_BYTES + 1];
};
#define NAME_BYTES	128	/* of a name that is shown */

/** struct command - one command of a queue; times of stages it did not come to are 0 */
struct command {
	uint64_t seq, push, dispatch, start, end;
	uint32_t op;
	enum { COMMAND_DISPATCHED = 1, COMMAND_STARTED = 2, COMMAND_COMPLETE = 4 } stages;
};

/** struct queue - a hardware queue while it was a context's */
struct queue {
	uint32_t context, id;
	struct command *commands;	/* in the order in which they were pushed */
	size_t count, room;
};

/** struct page_fault - pages that an SM touched and that were not there */
struct page_fault {
	uint64_t start, end;	/* raised; served or cancelled */
	uint64_t mapping;	/* where the mapping begins */
	uint64_t address;	/* of the first page */
	uint32_t pages;
	uint32_t context;	/* index into trace.processes */
	uint32_t kernel;	/* launch id */
	uint32_t sm;
	int delayed;		/* the fault buffer was full */
	enum { FAULT_OPEN, FAULT_SERVED, FAULT_CANCELLED } outcome;
};

/**
 * struct level - a number from this time on, until the next one of the same @sm: page faults in
 * flight (FAULTS), or warps of an SM that do not wait for pages, and those that do
 */
struct level {
	uint64_t time;
	uint32_t sm;
	uint32_t value, waiting;
};
#define FAULTS	0xfffffff0u

/* Why managed pages moved. */
enum cause {
	CAUSE_KERNEL,		/* a fault of a kernel */
	CAUSE_PROCESS,		/* a fault of the process */
	CAUSE_PREFETCH,		/* a prefetch, by a command or a prefetcher */
	CAUSE_EVICTION,		/* what evicted pages write back; address and pages are 0 */
	CAUSES
};

/** struct migration - managed pages that move */
struct migration {
	uint64_t raised;		/* the fault or prefetch */
	uint64_t end;			/* the pages have arrived, or they stay */
	uint64_t crosses, crossed;	/* the data, on the interconnect; nothing does: the same */
	uint64_t mapping;		/* where the mapping begins; 0: not known */
	uint64_t address;		/* of the first page */
	uint64_t bytes;			/* of data */
	uint32_t pages;
	uint32_t context;		/* index into trace.processes */
	uint32_t kernel;		/* launch id; not of a kernel: 0 */
	uint32_t direction;		/* enum vgpu_direction */
	enum cause cause;
	enum { MIGRATION_OPEN, MIGRATION_ARRIVED, MIGRATION_CANCELLED } outcome;
	int closed;			/* what raised it has ended, too */
};

/** struct instruction - an instruction in a pipeline; cycles */
struct instruction {
	uint32_t sm, context;	/* context: index into trace.processes */
	uint32_t kernel;	/* launch id */
	uint32_t op, pc;
	uint32_t warp;		/* of its block */
	uint32_t flags;		/* VGPU_TRACED_* */
	uint64_t block;
	uint64_t fetch, issue, end;	/* issue: 0: it was not */
};

/** struct message - between an L1 and L2, of the access of an instruction; cycles */
struct message {
	uint32_t sm, pc, warp;
	uint32_t kind;		/* enum vgpu_message */
	uint64_t block;
	uint64_t fetch;		/* of the instruction */
	uint64_t leaves, arrives;	/* INV: leaves: how many */
	size_t order;		/* of the records */
};

/** struct stretch - the instructions that are shown: of one SM, or all (~0), in these cycles */
struct stretch {
	uint32_t sm;
	uint64_t first, last;
};

/** struct eviction - managed pages that left the device to make room */
struct eviction {
	uint64_t time;
	uint64_t mapping, address;
	uint64_t bytes;		/* that are written back */
	uint32_t pages;
	uint32_t context;	/* index into trace.processes */
	uint32_t winner;	/* number of the context that needs the room */
};

/** struct decision - of a policy, about a thread block on an SM that several kernels share */
struct decision {
	uint64_t time;
	uint64_t what;		/* block; launch id of who makes room; partition */
	uint32_t sm, context, kernel;
	uint32_t kind;		/* enum vgpu_decision */
};

/**
 * struct ways - thread blocks for which one way to leave an SM was chosen. Times are sums
 * @otherwise: they left in another way
 * @unknown: nobody knew when they would have left; not in @estimated and @latency
 */
struct ways {
	uint64_t count, otherwise, unknown;
	uint64_t estimated, latency;
	uint64_t lost_estimated, lost;
};

#define KERNELS_MOST	8u	/* side by side on an SM, that are told apart */

struct trace {
	struct process *processes;
	struct kernel *kernels;
	struct span *spans;	/* finished ones, by start time within an SM */
	struct span *moves;	/* by end time; what: bytes, draining: 0 */
	struct queue *queues;
	struct label *labels;	/* by context, queue, seq and order */
	size_t label_count, label_room;
	uint64_t *preemptions;	/* how long each took */
	struct page_fault *faults;	/* in the order in which they were raised */
	struct level *levels;	/* by time */
	size_t fault_count, fault_room, level_count, level_room;
	size_t fault_first;	/* those before it have ended */
	struct migration *migrations;	/* in the order in which they were raised or began */
	struct eviction *evictions;	/* by time */
	size_t migration_count, migration_room, eviction_count, eviction_room;
	size_t migration_first;	/* those before it have ended */
	void *evicted;		/* managed.c: pages that have not come again */
	uint32_t faults_most;	/* in flight at once */
	size_t process_count, kernel_count, span_count, move_count, queue_count, preemption_count;
	uint32_t sms;
	uint32_t copy_engines;	/* at least 1 */
	uint64_t end;		/* last record */
	/* ends without a start and the other way round: records were lost */
	size_t records, unmatched;
	struct part *parts;	/* the first one stands for: not shared */
	struct decision *decisions;	/* by time; not ADMIT, ASSIGN, RESERVE */
	uint64_t decided[VGPU_DECISION_COUNT];	/* number of each */
	/* partial context switches: from the decision to the end of the save */
	uint64_t *partials;
	uint64_t side_by_side[KERNELS_MOST + 1];	/* SM time with so many kernels */
	size_t part_count, part_room, decision_count, decision_room, partial_count, partial_room;
	struct instruction *instructions;	/* by SM and fetch */
	size_t instruction_count, instruction_room;
	struct message *messages;	/* by instruction, then in their order */
	size_t message_count, message_room;
	struct ways ways[VGPU_LEAVES];	/* by enum vgpu_leave */
	uint64_t flushes, flushed_time;	/* blocks dropped, and for how long they had run */
	struct line_kernel *line_kernels;	/* lines.c; NULL: the trace has no LINE */
	void *leavers;			/* leave.c: blocks that have been told to leave */
	size_t leaver_count, leaver_room;
};

/* Read a trace. On failure says why on stderr and returns -1. */
int trace_read(FILE *file, const char *path, struct trace *trace);
/* Name the processes from a file of lines "PID NAME VERDICT…". */
int trace_names(struct trace *trace, const char *path);
void trace_free(struct trace *trace);
/* Room for one more element of @size bytes behind @count of them in *@array. -1: no memory */
int trace_array_grow(void *array, size_t *room, size_t count, size_t size);
/* Launch @id; NULL: the trace has not its start. */
struct kernel *trace_kernel(const struct trace *trace, uint32_t id);

/* commands.c: a record of type PUSH, DISPATCH, KERNEL_START, COPY_START, COMPLETE. -1: no memory */
int trace_command(struct trace *trace, const struct vgpu_trace_record *rec);
/* faults.c: a record of type PAGE_FAULT…, SM_WARPS. -1: no memory */
int trace_fault(struct trace *trace, const struct vgpu_trace_record *rec, uint32_t process);
/* managed.c: a record of type HOST_FAULT…, PREFETCH, MIGRATE_…, EVICT. -1: no memory */
int trace_managed(struct trace *trace, const struct vgpu_trace_record *rec, uint32_t process);
void trace_managed_free(struct trace *trace);
/* Managed memory did something for it. */
int trace_managed_used(const struct managed *managed);

/* leave.c: a record of type LEAVE_CHOSEN, LEAVE_END. -1: no memory */
int trace_leave(struct trace *trace, const struct vgpu_trace_record *rec);
/* "drain", "switch", "flush" */
const char *trace_way_name(unsigned int way);

/* ---- SMs that several kernels share (sharing.c) --------------------------- */

struct sharing;			/* what is known of each SM while records are read */

/* NULL: no memory */
struct sharing *sharing_new(struct trace *trace);
void sharing_free(struct sharing *sharing);
/*
 * A record of type SM_SETUP, DECISION, BLOCK_FLUSH, BLOCK_PREEMPT, BLOCK_END or SAVE_END of context
 * index @process. -1: no memory
 */
int sharing_record(struct sharing *sharing, const struct vgpu_trace_record *rec, uint32_t process);
/* Index of the part that a block of @kernel has of SM @sm now; 0: it has the SM alone. */
uint32_t sharing_part(const struct sharing *sharing, uint32_t sm, uint32_t kernel);

/** struct present - a kernel on a shared SM, and what its blocks there do */
struct present {
	const struct part *part;
	uint32_t running, saving, restoring;
};

static inline uint32_t present_blocks(const struct present *p)
{
	return p->running + p->saving + p->restoring;
}

/* From @from to @to these are on SM @sm, by process and launch. */
typedef int trace_present_fn(void *arg, uint32_t sm, uint64_t from, uint64_t to,
			     const struct present *list, size_t count);
/*
 * Call @fn for each stretch of time in which nothing changes on a shared SM that has somebody, one
 * SM after the other, each by time. Not 0: what @fn returned, or -1: no memory.
 */
int trace_presence(const struct trace *trace, trace_present_fn *fn, void *arg);
/* SM time and shares of processes, from all spans. -1: no memory */
int trace_account_shared(struct trace *trace);

/* names.c: a record of type KERNEL_NAME */
void trace_name_piece(struct kernel *kernel, const struct vgpu_trace_record *rec);
/* The same of RANGE and STREAM_NAME, of context index @process. -1: no memory */
int trace_label(struct trace *trace, const struct vgpu_trace_record *rec, uint32_t process);
/* All have been read. */
void trace_sort_labels(struct trace *trace);
/* What the program calls a command, or with @seq 0 a queue; NULL: nothing */
const char *trace_label_of(const struct trace *trace, uint32_t process, uint32_t queue,
			   uint64_t seq);
const char *trace_kernel_name(const struct kernel *kernel, char *text, size_t size);

int trace_stats(const struct trace *trace, FILE *out);
int trace_summary(const struct trace *trace, FILE *out);
int trace_svg(const struct trace *trace, const char *title, FILE *out);
int trace_chrome(const struct trace *trace, FILE *out);

/* "copy engine 1", "transfer engine" if a trace has but one; returns @text */
char *trace_engine_name(const struct trace *trace, uint32_t engine, char *text, size_t size);

/* "admit", "evict" ... */
const char *trace_decision_name(uint32_t decision);

/* "draining", "saving", "restoring" */
extern const char *const trace_move_names[MOVES];

/* "to the device", "to the host" */
extern const char *const trace_direction_names[VGPU_DIRECTIONS];
/* "faults of kernels", "faults of processes", "prefetches", "evictions" */
extern const char *const trace_cause_names[CAUSES];

/* "1.234 ms": a time with the unit that suits it; returns @text */
char *trace_time_text(uint64_t ps, char *text, size_t size);

/* lines.c: a record of type LINE. -1: no memory */
int trace_line(struct trace *trace, const struct vgpu_trace_record *rec);
void trace_free_lines(struct trace *trace);
/* What each line of the source, or instruction, has cost. -1: nothing is known, which is said */
int trace_lines(const struct trace *trace, const char *title, FILE *out);
/* lines_listing.c: the code of the kernels, from a file of VGPU_CODE. -1, which is said */
int trace_code(struct trace *trace, const char *path);
/* The source with what its lines and their instructions have cost. As trace_lines() */
int trace_listing(const struct trace *trace, const char *title, FILE *out);

/* pipeline.c */
int trace_instruction(struct trace *t, const struct vgpu_trace_record *rec, uint32_t context);
void trace_sort_instructions(struct trace *t);

/* pipeline_messages.c: a record of a message. -1: no memory */
int trace_message(struct trace *t, const struct vgpu_trace_record *rec);
void trace_sort_messages(struct trace *t);
/* The messages of an instruction, in order; NULL: it has none */
const struct message *trace_messages_of(const struct trace *t, const struct instruction *i,
					size_t *count);
/**
 * struct exchange - what an access has asked of L2 for one line, and what came of it
 * @ask, @answer: its messages; @invs: other L1s that were told to drop the line
 */
struct exchange {
	const struct message *ask, *answer;
	uint64_t invs;
};
/* The next exchange of messages @m[*@at] ...; 0: there is none. @*at moves on */
int trace_next_exchange(const struct message *m, size_t count, size_t *at, struct exchange *e);
/* "GETS, DATA" */
const char *trace_exchange_name(const struct exchange *e, char *text, size_t size);
/* Where it is in @cycle: '>' on its way to L2, '=' there, '<' on its way back; 0: nowhere */
char trace_exchange_at(const struct exchange *e, uint64_t cycle);
/* "SM" or "SM:FIRST-LAST", NULL: everything. Not 0: it is neither. */
int trace_stretch(const char *text, struct stretch *s);
/* To @path: text, a picture (.svg), or Konata's log (.kanata). 1: it could not be written. */
int trace_pipeline(const struct trace *t, const struct stretch *s, const char *path);

#endif
